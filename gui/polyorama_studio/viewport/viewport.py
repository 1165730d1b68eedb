"""The main viewport: the pane of the session's own stage, with the start page, toasts and drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal, Slot

from polyorama_studio.guard import guarded, guards
from polyorama_studio.session import Busy, Session
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.navigator import Drag
from polyorama_studio.viewport.overlays import (
    BusyNote,
    DropZones,
    paint_halo_text,
    paint_target,
)
from polyorama_studio.viewport.pane import Pane
from polyorama_studio.viewport.start import StartPage
from polyorama_studio.viewport.toasts import ToastStack
from polyorama_studio.viewport.toolbox import Toolbox
from polyorama_studio.words import local_path

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragMoveEvent,
        QDropEvent,
        QMouseEvent,
        QPainter,
        QResizeEvent,
    )
    from PySide6.QtWidgets import QWidget

__all__ = ["Viewport"]

_TARGET_MS = 700
_HINT_MS = 2600
_CURSOR_MS = 2000


@guards
class Viewport(Pane):
    """Shows what the stage draws; the start page, toasts and gizmos lie over it."""

    stage_shown = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self._hint = ""
        self.on_stage = False
        super().__init__(session, session.stage, Toolbox(session, session), parent)
        self._session = session
        self.setObjectName("viewport")
        self.setAcceptDrops(True)
        self.setMinimumSize(*Metrics.least_viewport)
        self.setAccessibleName(self.tr("Viewport"))
        self.start = StartPage(session, self)
        self.busy = BusyNote(session, self)
        self.toasts = ToastStack(session, self)
        self.drop_zones = DropZones(session, self)
        self._target_timer = self._single_shot(_TARGET_MS, self.update)
        self._hint_timer = self._single_shot(_HINT_MS, self._end_hint)
        self._cursor_timer = self._single_shot(_CURSOR_MS, self._hide_cursor)
        stage = session.stage
        stage.picture_failed.connect(self.on_picture)
        stage.document_changed.connect(self._on_document)
        self.toolbox.layers.marks_changed.connect(self._on_marks)
        stage.preparing_changed.connect(self._update_busy)
        session.busy_changed.connect(self._on_busy)
        self._on_marks()
        self._on_document()

    @Slot()
    def _on_marks(self) -> None:
        self.stage.set_marks(self.toolbox.layers.marks)

    def _single_shot(self, milliseconds: int, slot) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def set_on_stage(self, on_stage: bool) -> None:
        """On the stage nothing but the picture is shown, and the pointer hides when it rests."""
        self.on_stage = on_stage
        self._hint = self.tr("Press Esc to leave the stage") if on_stage else ""
        if on_stage:
            self._hint_timer.start()
            self._cursor_timer.start()
        else:
            self._hint_timer.stop()
            self._cursor_timer.stop()
            self.unsetCursor()
        self.stage.set_bare(on_stage)
        self._show_parts()
        self.stage_shown.emit()
        self.update()

    # What the session says

    @Slot()
    def _on_document(self) -> None:
        self._show_parts()
        self._update_busy()
        self.update()

    @Slot(object)
    def on_picture(self, picture: object) -> None:
        """A picture came."""
        self._update_busy()
        self.update()

    @Slot(object)
    def _on_busy(self, busy: Busy | None) -> None:
        self._show_parts()
        self._update_busy()

    @Slot()
    def _update_busy(self) -> None:
        stage = self._session.stage
        busy = self._session.busy
        waiting = stage.document is not None and stage.picture is None and stage.drawing
        if busy is None and waiting and stage.preparing is not None:
            progress = stage.preparing
            busy = Busy(progress.note, progress.done / max(1, progress.total))
        elif busy is None and waiting:
            busy = Busy(self.tr("Drawing the first picture"))
        self.busy.show_busy(busy)

    def _show_parts(self) -> None:
        empty = self._session.stage.document is None
        self.start.setVisible(empty and self._session.busy is None)
        self.show_cube()

    @Slot()
    def _end_hint(self) -> None:
        self._hint = ""
        self.update()

    @Slot()
    def _hide_cursor(self) -> None:
        if self.on_stage:
            self.setCursor(Qt.CursorShape.BlankCursor)

    # Painting

    @guarded
    def paint_over(self, painter: QPainter) -> None:
        """The tool's marks, the target dot and the hint."""
        if not self.on_stage:
            super().paint_over(painter)
            if self._target_timer.isActive() or self._target_shown():
                at = self.space().point(self.stage.view.target)
                if at is not None:
                    paint_target(painter, at, self.session)
        if self._hint:
            tokens = self.session.theme.tokens
            size = Metrics.stage_small
            band = QRectF(0, self.height() - 4.0 * size, self.width(), 2.0 * size)
            paint_halo_text(
                painter, band, self._hint, size, tokens.color("text"), tokens.color("stage")
            )

    def _target_shown(self) -> bool:
        # A turntable turns for long; the dot would lie on the picture all the while.
        navigating = self.navigator.drag is not Drag.NONE or self.flight.flying
        return navigating and not self.stage.spinning

    def on_retargeted(self) -> None:
        """Show for a moment what the view turns about now."""
        self._target_timer.start()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Bring the pointer back on the stage."""
        super().mouseMoveEvent(event)
        if self.on_stage and self.navigator.drag is Drag.NONE:
            self.unsetCursor()
            self._cursor_timer.start()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab hides the panels while the picture has the focus, so it does not move the focus."""
        if self._session.stage.document is None:
            return super().focusNextPrevChild(forward)
        return False

    # Files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self.drop_zones.setGeometry(self.rect())
            self.drop_zones.point(event.position())
            self.drop_zones.show()
            self.drop_zones.raise_()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show what a drop here would do."""
        self.drop_zones.point(event.position())
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QEvent) -> None:
        """Nothing was dropped."""
        self.drop_zones.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the files, or add them."""
        adding = self.drop_zones.adding
        self.drop_zones.hide()
        event.acceptProposedAction()
        paths = [local_path(url) for url in event.mimeData().urls() if url.isLocalFile()]
        self._session.open_files(paths, add=adding)

    # Size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place what lies over the picture, and ask for one of the new size."""
        self.place_cube(self.cube.y())
        self.start.place()
        self.busy.place()
        self.toasts.place()
        self.drop_zones.setGeometry(self.rect())
        super().resizeEvent(event)
