"""The viewport: a plain widget that shows pictures and lets the camera be moved."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from polyorama_studio.session import Busy, Session
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.backdrop import paint_empty_stage
from polyorama_studio.viewport.navigator import Drag, Navigator
from polyorama_studio.viewport.overlays import (
    AxesGizmo,
    BusyNote,
    DropZones,
    paint_halo_text,
    paint_target,
)
from polyorama_studio.viewport.start import StartPage
from polyorama_studio.viewport.toasts import ToastStack
from polyorama_studio.words import local_path

__all__ = ["Viewport"]

_TARGET_MS = 700
_HINT_MS = 2600
_CURSOR_MS = 2000


class Viewport(QWidget):
    """Shows what the stage draws; the start page, toasts and gizmos lie over it."""

    menu_asked = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._hint = ""
        self._on_stage = False
        self.setObjectName("viewport")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setMinimumSize(*Metrics.least_viewport)
        self.setAccessibleName(self.tr("Viewport"))
        self.navigator = Navigator(session, self)
        self.gizmo = AxesGizmo(session, self)
        self.start = StartPage(session, self)
        self.busy = BusyNote(session, self)
        self.toasts = ToastStack(session, self)
        self.drop_zones = DropZones(session, self)
        self._target_timer = self._single_shot(_TARGET_MS, self.update)
        self._hint_timer = self._single_shot(_HINT_MS, self._end_hint)
        self._cursor_timer = self._single_shot(_CURSOR_MS, self._hide_cursor)
        stage = session.stage
        stage.picture_ready.connect(self._on_picture)
        stage.picture_failed.connect(self._on_picture)
        stage.document_changed.connect(self._on_document)
        stage.preparing_changed.connect(self._update_busy)
        session.busy_changed.connect(self._on_busy)
        session.theme.changed.connect(self.update)
        self._on_document()

    def _single_shot(self, milliseconds: int, slot) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def set_on_stage(self, on_stage: bool) -> None:
        """On the stage nothing but the picture is shown, and the pointer hides when it rests."""
        self._on_stage = on_stage
        self._hint = self.tr("Press Esc to leave the stage") if on_stage else ""
        if on_stage:
            self._hint_timer.start()
            self._cursor_timer.start()
        else:
            self._hint_timer.stop()
            self._cursor_timer.stop()
            self.unsetCursor()
        self._show_parts()
        self.update()

    # What the session says

    @Slot()
    def _on_document(self) -> None:
        self._show_parts()
        self._update_busy()
        self.update()

    @Slot(object)
    def _on_picture(self, picture: object) -> None:
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
        self.gizmo.setVisible(not empty and not self._on_stage)

    @Slot()
    def _end_hint(self) -> None:
        self._hint = ""
        self.update()

    @Slot()
    def _hide_cursor(self) -> None:
        if self._on_stage:
            self.setCursor(Qt.CursorShape.BlankCursor)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture, then the target dot and the hint over it."""
        painter = QPainter(self)
        stage = self._session.stage
        picture = stage.picture
        if picture is None or picture.image is None:
            paint_empty_stage(painter, QRectF(self.rect()), self._session.theme.tokens)
        else:
            exact = (picture.image.width(), picture.image.height()) == self._pixels()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not exact)
            area = _on_pixels(painter, picture.image) if exact else QRectF(self.rect())
            painter.drawImage(area, picture.image)
            if (self._target_timer.isActive() or self._target_shown()) and not self._on_stage:
                at = stage.view.project(stage.view.target, self.width(), self.height())
                if at is not None:
                    paint_target(painter, QPointF(*at), self._session)
        if self._hint:
            tokens = self._session.theme.tokens
            size = Metrics.stage_small
            band = QRectF(0, self.height() - 4.0 * size, self.width(), 2.0 * size)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_halo_text(
                painter, band, self._hint, size, tokens.color("text"), tokens.color("stage")
            )
        painter.end()

    def _target_shown(self) -> bool:
        # A turntable turns for long; the dot would lie on the picture all the while.
        stage = self._session.stage
        return stage.moving and not stage.spinning

    # Input

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag, or ask for the menu."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._session.stage.document is None:
            return
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_asked.emit(event.globalPosition().toPoint())
        elif self.navigator.press(event):
            panning = self.navigator.drag is Drag.PAN
            shape = Qt.CursorShape.SizeAllCursor if panning else Qt.CursorShape.ClosedHandCursor
            self.setCursor(shape)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with the drag."""
        if self.navigator.drag is not Drag.NONE:
            self.navigator.move(event)
        elif self._on_stage:
            self.unsetCursor()
            self._cursor_timer.start()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        if self.navigator.drag is not Drag.NONE:
            self.navigator.release()
            self.unsetCursor()
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Turn about what was hit from now on."""
        if event.button() == Qt.MouseButton.LeftButton and self.navigator.retarget(
            event.position()
        ):
            self._target_timer.start()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom."""
        if self._session.stage.document is not None:
            self.navigator.wheel(event)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys, plus and minus."""
        if self._session.stage.document is None or not self.navigator.key(event):
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Touchpad pinches, and screens of another pixel density."""
        if isinstance(event, QNativeGestureEvent) and self._session.stage.document is not None:
            if self.navigator.pinch(event):
                event.accept()
                return True
        elif event.type() == QEvent.Type.DevicePixelRatioChange:
            self._tell_size()
        return super().event(event)

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
        margin = Metrics.space[2]
        self.gizmo.move(self.width() - self.gizmo.width() - margin, margin)
        self.start.place()
        self.busy.place()
        self.toasts.place()
        self.drop_zones.setGeometry(self.rect())
        self.navigator.resize(self.size())
        self._tell_size()

    def _pixels(self) -> tuple[int, int]:
        """Width and height in device pixels, of which a fractional scale gives no two alike.

        How many there are between two edges depends on where in the window these lie.
        """
        ratio, corner = self.devicePixelRatioF(), self.mapTo(self.window(), QPoint(0, 0))
        width = _nearest((corner.x() + self.width()) * ratio) - _nearest(corner.x() * ratio)
        height = _nearest((corner.y() + self.height()) * ratio) - _nearest(corner.y() * ratio)
        return width, height

    def _tell_size(self) -> None:
        self._session.stage.set_size(*self._pixels())


def _nearest(value: float) -> int:
    # As Qt rounds; Python takes halves to the even neighbour.
    return math.floor(value + 0.5)


def _on_pixels(painter: QPainter, image: QImage) -> QRectF:
    """Where an image lies pixel upon pixel: the widget may begin between two of them."""
    to_device = painter.deviceTransform()
    corner = to_device.map(QPointF(0.0, 0.0))
    pixels = QRectF(_nearest(corner.x()), _nearest(corner.y()), image.width(), image.height())
    to_logical, _ = to_device.inverted()
    return to_logical.mapRect(pixels)
