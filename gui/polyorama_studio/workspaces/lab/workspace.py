"""The Lab: gallery, stage, side panel and transport round one run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from polyorama_studio.files import folder_dialog
from polyorama_studio.guard import guards
from polyorama_studio.viewport.toasts import ToastStack
from polyorama_studio.workspaces.lab.bands import Bands
from polyorama_studio.workspaces.lab.board import Board
from polyorama_studio.workspaces.lab.export import LabExportDialog
from polyorama_studio.workspaces.lab.gallery import Gallery
from polyorama_studio.workspaces.lab.hall import Cue, Curtain, Headline
from polyorama_studio.workspaces.lab.panel import SidePanel
from polyorama_studio.workspaces.lab.run import Run
from polyorama_studio.workspaces.lab.theme import LabTheme
from polyorama_studio.workspaces.lab.transport import LabTransport

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QResizeEvent

    from polyorama_studio.session import Notice, Session

__all__ = ["LabWorkspace"]


class _Toasts(ToastStack):
    """Toasts of the Lab, while it is what is seen; before a hall, not that all is well."""

    @Slot(object)
    def add(self, notice: Notice) -> None:
        """Show a notice."""
        lab = self.parentWidget()
        assert isinstance(lab, LabWorkspace)
        if lab.isVisible() and not (lab.on_stage and notice.kind == "good"):
            super().add(notice)

    def clear(self) -> None:
        """Take all away."""
        for toast in list(self.toasts):
            toast.dismiss()


@guards
class LabWorkspace(QWidget):
    """Everything of the Lab; on the stage nothing but the views, a headline and a cue line."""

    stage_changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lab")
        self.session = session
        self.run = Run(session)
        self.theme = LabTheme(session.theme, self)
        self.gallery = Gallery(session, self.run, self)
        self.board = Board(session, self.run, self.theme, self)
        self.side = SidePanel(session, self.run, self.theme, self)
        self.bands = Bands(session, self.run)
        self.transport = LabTransport(session, self.run, self.bands, self.theme, self)
        self.headline = Headline(self.run, self.theme, self)
        self.cue = Cue(session, self.run, self.theme, self)
        self.on_stage = False
        self.blank = False
        self._lay_out()
        self._curtain = Curtain(self)
        self.toasts = _Toasts(session, self)
        self.gallery.chosen.connect(self.open)
        self.transport.export.clicked.connect(self.ask_export)
        self.bands.shown_changed.connect(self._on_bands)
        self.run.loaded_changed.connect(self._on_loaded)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        session.lab = self.run

    def _lay_out(self) -> None:
        middle = QVBoxLayout()
        middle.setSpacing(0)
        for widget in (self.headline, self.board, self.cue):
            middle.addWidget(widget, 1 if widget is self.board else 0)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.gallery)
        row.addLayout(middle, 1)
        row.addWidget(self.side)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row, 1)
        column.addWidget(self.transport)

    # What a person does

    @Slot(str)
    def open(self, experiment_id: str) -> None:
        """Put an experiment on the stage."""
        if experiment_id:
            self.run.open(experiment_id)
            self.session.preferences.lab_experiment = experiment_id

    def open_first(self) -> None:
        """Put on the stage what was there last, or the first of the gallery."""
        from polyorama.lab.catalog import experiment_ids

        ids, last = experiment_ids(), self.session.preferences.lab_experiment
        if not self.run.is_open and not self.run.loading and ids:
            self.open(last if last in ids else ids[0])

    def open_next(self, by: int) -> None:
        """Put the next experiment of the gallery on the stage."""
        self.open(self.gallery.next_id(by))

    def set_on_stage(self, on: bool) -> None:
        """Full screen for a talk: large type, high contrast, nothing but the experiment."""
        self.on_stage = self.run.on_stage = on
        self.theme.set_hall(on)
        for widget in (self.gallery, self.side, self.transport):
            widget.setVisible(not on)
        for part in (self.headline, self.cue):
            part.set_stage(on)
        self.board.set_stage(on)
        if on:
            self.toasts.clear()
        else:
            self.set_blank(False)
            self.set_frozen(False)
        self.setFocus()
        self.stage_changed.emit()

    def set_blank(self, blank: bool) -> None:
        """Show nothing at all, so that people look at the speaker, or bring the picture back."""
        self.blank = blank
        self._curtain.setGeometry(self.rect())
        self._curtain.setVisible(blank)
        self._curtain.raise_()

    def set_frozen(self, frozen: bool) -> None:
        """Keep the picture while the run goes on, or follow the run again."""
        self.board.set_frozen(frozen)
        self.cue.set_frozen(frozen)

    @Slot()
    def ask_export(self) -> None:
        """Ask what of the run is written, and where."""
        if self.run.update is not None:
            self.run.set_playing(False)
            dialog = LabExportDialog(self.session, self.run, self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    @Slot()
    def _on_bands(self) -> None:
        self.board.set_sweep(self.bands.sweep)

    def ask_record(self) -> None:
        """Ask for the folder of a run that was recorded, and put it on the stage."""
        dialog = folder_dialog(
            self, self.tr("Open a recorded run"), self.session.preferences.folder,
            self.session.theme.tokens,
        )  # fmt: skip
        dialog.fileSelected.connect(self.open_record)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(str)
    def open_record(self, folder: str) -> None:
        """Put a run on the stage that was recorded."""
        self.run.open_record(Path(folder))

    def copy_command(self) -> None:
        """Put the command line of the run on the clipboard."""
        if self.run.setup is not None:
            QGuiApplication.clipboard().setText(self.run.setup.command(self.run.step_shown))
            self.session.tell("info", self.tr("Command line copied"))

    def copy_python(self) -> None:
        """Put the Python of the run on the clipboard."""
        if self.run.setup is not None:
            QGuiApplication.clipboard().setText(self.run.setup.python(self.run.step_shown))
            self.session.tell("info", self.tr("Python copied"))

    @Slot()
    def _on_loaded(self) -> None:
        if self.board.frozen:
            self.set_frozen(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What lies over all follows."""
        super().resizeEvent(event)
        self._curtain.setGeometry(self.rect())
        self.toasts.place()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the keys."""
        self.setFocus()
