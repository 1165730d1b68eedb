"""Pictures, and words for the clipboard: what leaves the studio."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from polyorama_studio import calls, camera_text
from polyorama_studio.logs import log_text
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama_studio.session import Session

__all__ = ["Sharing"]


class Sharing(QObject):
    """Saves pictures of the present view, and copies it in words."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session

    def save_picture(self, path: Path, size: tuple[int, int], background: str = "document") -> None:
        """Draw the present view at full quality into a file, on a worker thread.

        Parameters
        ----------
        path, size
            The file, and (width, height) in pixels.
        background
            ``"document"``, ``"stage"`` as the viewport has it, or ``"transparent"``.
        """
        session = self._session
        document = session.stage.document
        if document is None:
            return
        session.preferences.folder = str(path.parent)
        view = session.stage.view
        behind = None
        if background != "transparent":
            behind = session.stage.backdrop if background == "stage" else document.background
        line = camera_text.python_picture(view, size, behind, path)
        session.work_on(
            partial(calls.save_picture, document, view, size, behind, path),
            partial(self._on_saved, line),
            session.report,
            self.tr("Saving {0}").format(legible(path.name)),
            keep=True,
        )

    def _on_saved(self, line: str, path: Path) -> None:
        self._session.log_python(line)
        self._session.tell("good", self.tr("Saved {0}").format(legible(path.name)))

    def copy_picture(self) -> None:
        """Put the picture as it is shown on the clipboard."""
        picture = self._session.stage.picture
        if picture is not None and picture.image is not None:
            QGuiApplication.clipboard().setImage(picture.image)
            self._session.tell("info", self.tr("Picture copied"))

    def copy_command_line(self) -> None:
        """Put the `polyorama render` command for this view on the clipboard."""
        session = self._session
        self._copy(
            camera_text.command_line(session.stage.view, session.stage.size, session.files),
            self.tr("Command line copied"),
        )

    def copy_python(self) -> None:
        """Put the Python expression for this view's camera on the clipboard."""
        stage = self._session.stage
        text = camera_text.python_camera(stage.view, stage.size)
        self._copy(text, self.tr("Python camera copied"))

    def session_text(self) -> str:
        """The Python that does what was done here."""
        return "\n".join(["import polyorama as po", "", *self._session.python])

    def copy_session(self) -> None:
        """Put the Python that does what was done here on the clipboard."""
        self._copy(self.session_text(), self.tr("Session copied as Python"))

    def copy_log(self) -> None:
        """Put what the studio has noted on the clipboard."""
        self._copy(log_text(), self.tr("Log copied"))

    def _copy(self, text: str, said: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._session.tell("info", said)
