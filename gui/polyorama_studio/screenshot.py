"""A picture of the whole window, for tests and the README."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QImageWriter
from PySide6.QtWidgets import QApplication

from polyorama.errors import OutputError, PolyoramaError
from polyorama.io.atomic import atomic_write

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama_studio.session import Notice
    from polyorama_studio.window import Window

__all__ = ["Screenshot"]

_LOOK_MS = 50


class Screenshot(QObject):
    """Waits until nothing is under way, rests, saves the window, and leaves.

    Parameters
    ----------
    window
        What is shown.
    path
        The picture's file.
    after
        Seconds between the last sign of work and the picture.

    Raises
    ------
    OutputError
        If no picture can be written there.
    """

    status: int
    """Exit status: 0 once the picture is saved, unless something has failed on the way; else 2."""

    def __init__(self, window: Window, path: Path, after: float) -> None:
        super().__init__(window)
        _check(path)
        self.status = 2
        self._failed = False
        window.session.notice.connect(self._on_notice)
        self._window = window
        self._path = path
        self._rest = round(1000 * after)
        self._calm = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Begin to wait."""
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        session = self._window.session
        calm = session.busy is None and (session.stage.idle or session.stage.spinning)
        self._calm = self._calm + _LOOK_MS if calm else 0
        if self._calm > self._rest:
            self._timer.stop()
            self._save()

    @Slot(object)
    def _on_notice(self, notice: Notice) -> None:
        self._failed = self._failed or notice.kind == "bad"

    def _save(self) -> None:
        image = self._window.grab().toImage()
        try:
            with atomic_write(self._path) as temporary:
                writer = QImageWriter(str(temporary))
                if not writer.write(image):
                    raise OutputError(f"Cannot write ({writer.errorString()}): {self._path}")
        except PolyoramaError as error:
            self._window.session.report(error)
        self.status = 2 if self._failed else 0
        self._window.close()
        QApplication.quit()


def _check(path: Path) -> None:
    """Tell at once what would else be told after the whole scene has been opened and drawn."""
    endings = [bytes(name.data()).decode() for name in QImageWriter.supportedImageFormats()]
    if path.suffix[1:].lower() not in endings:
        raise OutputError(f"The ending is none of a picture, such as .png: {path}")
    if not os.path.isdir(path.parent):
        raise OutputError(f"Cannot write, because the folder is missing: {path}")
    if os.path.isdir(path):
        raise OutputError(f"Cannot write, because this is a folder: {path}")
