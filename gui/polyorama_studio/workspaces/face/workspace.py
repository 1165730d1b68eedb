"""Face: the emotion at the left, the head in the middle, channels at the right, time below."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.files import open_dialog, save_dialog
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.toasts import ToastStack
from polyorama_studio.workspaces.face.bar import Bar
from polyorama_studio.workspaces.face.desk import Desk
from polyorama_studio.workspaces.face.engine import EngineWorks
from polyorama_studio.workspaces.face.live_panel import LivePanel
from polyorama_studio.workspaces.face.portrait import Portrait
from polyorama_studio.workspaces.face.right import RightSide
from polyorama_studio.workspaces.face.score import Score
from polyorama_studio.workspaces.face.side import Side
from polyorama_studio.workspaces.face.takes import Takes

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent

    from polyorama_studio.session import Notice, Session
    from polyorama_studio.workspaces.face.works import Works

__all__ = ["FaceWorkspace", "make_works"]

VOICES = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aac", ".aif", ".aiff", ".mp4", ".mov",
          ".mkv", ".webm", ".m4v")  # fmt: skip


def make_works() -> Works:
    """The engine of faces; tests put another one in its place."""
    return EngineWorks()


class _Toasts(ToastStack):
    """Toasts, while Face is what is seen."""

    @Slot(object)
    def add(self, notice: Notice) -> None:
        """Show a notice."""
        if self.parentWidget().isVisible():
            super().add(notice)


@guards
class FaceWorkspace(QWidget):
    """Everything of Face.

    Parameters
    ----------
    session
        Has the document, runs jobs.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("face")
        self.session = session
        self.works = make_works()
        self.desk = session.face = Desk(session, self.works, self)
        self.side = Side(self.desk, self)
        self.portrait = Portrait(self.desk, self)
        self.channels = RightSide(self.desk, self)
        self.score = Score(self.desk, self)
        self.takes = Takes(self.desk, self)
        self.live = LivePanel(self.desk, self)
        self.bar = Bar(self.desk, self.score, self)
        self.pad = QStackedWidget(self)
        self._lay_out()
        self.toasts = _Toasts(session, self)
        self.portrait.seen.connect(self.live.on_seen)
        self.portrait.dropped.connect(self.open_path)
        self.portrait.welcome.open_asked.connect(self.ask_voice)
        self.portrait.welcome.record_asked.connect(self.record)
        self.side.open_asked.connect(self.ask_rig)
        self.side.swap_asked.connect(self.ask_feeling)
        self.bar.export_asked.connect(self.ask_export)
        self.bar.pad_chosen.connect(self.show_pad)
        self.setFocusProxy(self.portrait)

    def _lay_out(self) -> None:
        self.pad.setObjectName("facePad")
        self.pad.setFixedWidth(Metrics.face_pad)
        self.pad.addWidget(self.takes)
        self.pad.addWidget(self.live)
        above = QHBoxLayout()
        above.setSpacing(0)
        above.addWidget(self.side)
        above.addWidget(self.portrait, 1)
        above.addWidget(self.channels)
        below = QHBoxLayout()
        below.setSpacing(1)
        below.addWidget(self.score, 1)
        below.addWidget(self.pad)
        foot = QFrame(self)
        foot.setFixedHeight(Metrics.face_foot)
        column = QVBoxLayout(foot)
        column.setContentsMargins(0, 1, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.bar)
        column.addLayout(below, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(above, 1)
        outer.addWidget(foot)

    # What a person does

    @Slot(object)
    def open_path(self, path: Path) -> None:
        """A file that was dropped: a voice, or a face."""
        ending = path.suffix.lower()
        if ending in VOICES:
            self.desk.open_voice(path)
        elif ending in self.works.rig_endings or path.is_dir():
            self.desk.open_rig(path)
        else:
            self.session.tell(
                "warn", self.tr("{0} is no voice and no face that can be opened").format(path.name)
            )

    @Slot()
    def ask_voice(self) -> None:
        """Ask which recording the face shall say."""
        self._ask_file(self.tr("Open a voice"), self.desk.open_voice)

    @Slot(bool)
    def ask_rig(self, fit: bool) -> None:
        """Ask for a file with a face, or with a mesh that is given the shapes."""
        title = self.tr("Fit the face to a mesh") if fit else self.tr("Open a face")
        self._ask_file(title, partial(self.desk.open_rig, fit=fit))

    @Slot()
    def ask_feeling(self) -> None:
        """Ask which clip or take lends its emotion."""
        self._ask_file(self.tr("Take the emotion of"), self.side.feelings.swap_with)

    def _ask_file(self, title: str, done) -> None:
        preferences = self.session.preferences
        dialog = open_dialog(self, title, preferences.folder, self.session.theme.tokens)
        dialog.setNameFilter(self.tr("All files (*)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: done(Path(name)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot()
    def record(self) -> None:
        """Record a voice."""
        self.show_pad("live")
        self.live.set_recording(True)

    def toggle_recording(self) -> None:
        """Record a voice, or end that."""
        if self.live.recording:
            self.live.set_recording(False)
        else:
            self.record()

    def toggle_live(self) -> None:
        """Let the microphone move the face, or end that."""
        self.show_pad("live")
        self.live.toggle()

    def try_takes(self) -> None:
        """Try as many takes as the pad says."""
        self.show_pad("takes")
        self.takes.try_some()

    @Slot(str)
    def show_pad(self, pad: str) -> None:
        """Show "takes" or "live" at the right of the score."""
        self.bar.pad.set_value(pad)
        self.pad.setCurrentWidget(self.live if pad == "live" else self.takes)

    @Slot(str)
    def ask_export(self, kind: str) -> None:
        """Ask where the take is written."""
        exporter = next(e for e in self.works.exporters if e.id == kind)
        name = self.tr("take") + exporter.ending
        folder = Path(self.session.preferences.folder or ".")
        dialog = save_dialog(
            self, self.tr("Export {0}").format(exporter.title), str(folder / name),
            f"{exporter.title} (*{exporter.ending})", self.session.theme.tokens,
            exporter.ending.lstrip("."),
        )  # fmt: skip
        dialog.fileSelected.connect(lambda chosen: self.export(Path(chosen), kind))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def export(self, path: Path, kind: str) -> None:
        """Write the take."""
        take, rig = self.desk.take, self.desk.rig
        if take is None or rig is None:
            return
        title = self.tr("Export {0}").format(path.name)
        self.session.work_on(
            partial(self.works.export, take, rig, path, kind), self._on_exported,
            self.session.report, title, keep=True,
        )  # fmt: skip
        self.session.log_python(f"run(write_take(take, {str(path)!r}, rig))")

    def _on_exported(self, path: Path) -> None:
        self.session.tell("good", self.tr("Wrote {0}").format(path.name))

    def play(self) -> None:
        """Play or pause, unless a button has the keys."""
        focus = QApplication.focusWidget()
        if isinstance(focus, QAbstractButton) and self.isAncestorOf(focus):
            # Space presses a button that has the focus, as everybody expects.
            focus.click()
        else:
            self.session.playback.toggle()

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        """Build the puppet and load the map when Face is first seen."""
        super().showEvent(event)
        # The scene is not seen now, and the face shall have all the time there is.
        self.session.stage.set_resting(True)
        self.portrait.stage.set_resting(False)
        self.desk.build()
        self.side.map.load()
        self.portrait.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is live behind another workspace's back."""
        super().hideEvent(event)
        if event.spontaneous():
            return  # the window was put away, and what is live goes on
        self.session.stage.set_resting(False)
        self.portrait.stage.set_resting(True)
        if not self.window().isVisible():
            self.live.close_line()
        else:
            self.live.leave()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Toasts keep their corner."""
        super().resizeEvent(event)
        self.toasts.place()
