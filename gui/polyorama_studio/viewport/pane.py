"""A pane: one view of the scene, with what lies over it, and what the pointer does to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QCursor,
    QGuiApplication,
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

from polyorama_studio.viewport.backdrop import paint_empty_stage
from polyorama_studio.viewport.fly import FLY_KEYS, Flight
from polyorama_studio.viewport.navigator import Drag, Navigator
from polyorama_studio.viewport.space import Space

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Pane"]

_STILL = 4.0
"""A press that moves less far, in logical pixels, is a click."""
_NONE = Qt.KeyboardModifier.NoModifier


class Pane(QWidget):
    """Shows the pictures of one stage; the active tool and the navigator share its input.

    Parameters
    ----------
    session, stage
        What is shown; the session's own stage or one that follows it.
    toolbox
        Holds the active tool.
    """

    menu_asked = Signal(QPoint)

    def __init__(
        self, session: Session, stage: Stage, toolbox: Toolbox, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.stage = stage
        self.toolbox = toolbox
        self.pointer = QPointF()
        self._space: tuple[object, Space] | None = None
        self._pressed: QPointF | None = None
        self._tool_drags = False
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.navigator = Navigator(session, stage, self)
        self.flight = Flight(stage, self)
        stage.picture_ready.connect(self._on_picture)
        stage.view_changed.connect(self.update)
        session.theme.changed.connect(self.update)
        toolbox.repaint.connect(self._on_tools)
        toolbox.tool_changed.connect(self._on_tools)
        toolbox.subject.changed.connect(self.update)

    # What it shows

    def space(self) -> Space:
        """The present view in logical pixels."""
        stage = self.stage
        rig = stage.shown if stage.through else None
        key = (stage.view, stage.through, rig, self.width(), self.height())
        if self._space is None or self._space[0] != key:
            camera = stage.camera(max(1, self.width()), max(1, self.height()))
            self._space = (key, Space(camera))
        return self._space[1]

    @Slot(object)
    def _on_picture(self, picture: object) -> None:
        self.update()

    @Slot()
    @Slot(str)
    def _on_tools(self, tool_id: str = "") -> None:
        self.refresh_cursor()
        self.update()

    def paint_picture(self, painter: QPainter) -> bool:
        """The stage's picture; tells whether there is one."""
        picture = self.stage.picture
        if picture is None or picture.image is None:
            paint_empty_stage(painter, QRectF(self.rect()), self.session.theme.tokens)
            return False
        exact = (picture.image.width(), picture.image.height()) == self.pixels()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not exact)
        area = on_pixels(painter, picture.image) if exact else QRectF(self.rect())
        painter.drawImage(area, picture.image)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture, then what lies over it."""
        painter = QPainter(self)
        if self.paint_picture(painter) and self.stage.document is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint_over(painter)
        painter.end()

    def paint_over(self, painter: QPainter) -> None:
        """What lies over the picture."""
        self.toolbox.active.paint(self, painter)

    # The pointer

    def refresh_cursor(self, modifiers: Qt.KeyboardModifier | None = None) -> None:
        """Give the pointer the shape of what it would do."""
        held = QGuiApplication.keyboardModifiers() if modifiers is None else modifiers
        shape = self._cursor(held)
        if shape is None:
            self.unsetCursor()
        else:
            self.setCursor(shape)

    def _cursor(self, modifiers: Qt.KeyboardModifier) -> QCursor | None:
        if self.flight.flying:
            return QCursor(Qt.CursorShape.BlankCursor)
        if self.navigator.drag is Drag.PAN:
            return QCursor(Qt.CursorShape.SizeAllCursor)
        if self.navigator.drag is Drag.ORBIT:
            return QCursor(Qt.CursorShape.ClosedHandCursor)
        if self.stage.document is None:
            return None
        return self.toolbox.active.cursor(self, modifiers)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag of the tool, of the view, or a flight."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self.stage.document is None:
            return
        self._pressed = event.position()
        left = event.button() == Qt.MouseButton.LeftButton
        around = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.button() == Qt.MouseButton.RightButton:
            self.flight.begin(event.position())
        elif left and not around and self.toolbox.active.press(self, event):
            self._tool_drags = True
        else:
            self.navigator.press(event)
        self.refresh_cursor(event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with the drag."""
        self.pointer = event.position()
        if self.flight.begun:
            self.flight.turn(event.position(), min(self.width(), self.height()))
            self.refresh_cursor(event.modifiers())
        elif self._tool_drags:
            self.toolbox.active.drag(self, event)
        elif self.navigator.drag is not Drag.NONE:
            self.navigator.move(event)
        elif self.stage.document is not None:
            self.toolbox.active.hover(self, event.position(), event.modifiers())
            self.refresh_cursor(event.modifiers())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag; one that went nowhere is a click."""
        pressed, self._pressed = self._pressed, None
        still = pressed is not None and _distance(pressed, event.position()) < _STILL
        if self.flight.begun and event.button() == Qt.MouseButton.RightButton:
            flown = self.flight.end()
            if still and not flown:
                self.menu_asked.emit(event.globalPosition().toPoint())
        elif self._tool_drags:
            self._tool_drags = False
            self.toolbox.active.release(self, event)
        elif self.navigator.drag is not Drag.NONE:
            self.navigator.release()
            if still and event.button() == Qt.MouseButton.LeftButton:
                self.toolbox.active.click(self, event.position(), event.modifiers())
        self.refresh_cursor(event.modifiers())
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The tool's, or turn about what was hit from now on."""
        if self.stage.document is None:
            return
        left = event.button() == Qt.MouseButton.LeftButton
        if left and self.toolbox.active.double_click(self, event):
            return
        if left and self.navigator.retarget(event.position()):
            self.on_retargeted()
        else:
            self.mousePressEvent(event)

    def on_retargeted(self) -> None:
        """The view turns about another point now."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The tool's, a flight's speed, or zoom."""
        if self.stage.document is not None:
            if self.flight.begun:
                self.flight.wheel(event)
            elif not self.toolbox.active.wheel(self, event):
                self.navigator.wheel(event)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """The tool has nothing to point at any more."""
        self.toolbox.active.leave(self)
        self.update()

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Flying, the tool's keys, then those that move the view."""
        if self.stage.document is None:
            super().keyPressEvent(event)
            return
        self.refresh_cursor(_with(event, pressed=True))
        if self.flight.begun and event.key() in FLY_KEYS:
            if not event.isAutoRepeat():
                self.flight.press(event.key(), event.modifiers())
            return
        active = self.toolbox.active
        if event.key() == Qt.Key.Key_Escape and active.busy:
            self._tool_drags = False
            active.cancel()
            self.update()
        elif active.key(self, event):
            self.update()
        elif not self.navigator.key(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """A key of the flight came up, or one that changes what the tool does."""
        if not event.isAutoRepeat():
            self.flight.release(event.key(), event.modifiers())
        self.refresh_cursor(_with(event, pressed=False))
        super().keyReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keys that the tool takes before the window's shortcuts; touchpad pinches; densities."""
        kind = event.type()
        if kind == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._takes(event):
                event.accept()
                return True
        elif isinstance(event, QNativeGestureEvent) and self.stage.document is not None:
            if self.navigator.pinch(event):
                event.accept()
                return True
        elif kind == QEvent.Type.DevicePixelRatioChange:
            self.tell_size()
        return super().event(event)

    def _takes(self, event: QKeyEvent) -> bool:
        if self.stage.document is None:
            return False
        if self.flight.begun and event.key() in FLY_KEYS:
            return True
        active = self.toolbox.active
        return (event.key() == Qt.Key.Key_Escape and active.busy) or active.wants(
            event.key(), event.modifiers()
        )

    # Size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        self.navigator.resize(self.size())
        self.tell_size()

    def pixels(self) -> tuple[int, int]:
        """Width and height in device pixels, of which a fractional scale gives no two alike.

        How many there are between two edges depends on where in the window these lie.
        """
        ratio, corner = self.devicePixelRatioF(), self.mapTo(self.window(), QPoint(0, 0))
        width = _nearest((corner.x() + self.width()) * ratio) - _nearest(corner.x() * ratio)
        height = _nearest((corner.y() + self.height()) * ratio) - _nearest(corner.y() * ratio)
        return width, height

    def tell_size(self) -> None:
        """Tell the stage how large a picture is wanted."""
        self.stage.set_size(*self.pixels())


def _with(event: QKeyEvent, *, pressed: bool) -> Qt.KeyboardModifier:
    """The modifiers as they are after a key event: Qt reports those of before."""
    keys = {
        Qt.Key.Key_Shift: Qt.KeyboardModifier.ShiftModifier,
        Qt.Key.Key_Control: Qt.KeyboardModifier.ControlModifier,
        Qt.Key.Key_Alt: Qt.KeyboardModifier.AltModifier,
    }
    own = keys.get(Qt.Key(event.key()), _NONE)
    return event.modifiers() | own if pressed else event.modifiers() & ~own


def _distance(a: QPointF, b: QPointF) -> float:
    return math.hypot(a.x() - b.x(), a.y() - b.y())


def _nearest(value: float) -> int:
    # As Qt rounds; Python takes halves to the even neighbour.
    return math.floor(value + 0.5)


def on_pixels(painter: QPainter, image: QImage) -> QRectF:
    """Where an image lies pixel upon pixel: the widget may begin between two of them."""
    to_device = painter.deviceTransform()
    corner = to_device.map(QPointF(0.0, 0.0))
    pixels = QRectF(_nearest(corner.x()), _nearest(corner.y()), image.width(), image.height())
    to_logical, _ = to_device.inverted()
    return to_logical.mapRect(pixels)
