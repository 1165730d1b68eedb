"""A pane: one view of the scene, and what the pointer and keys do to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import (
    QCursor,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QResizeEvent,
    QWheelEvent,
)

from polyorama_studio.guard import guards
from polyorama_studio.viewport.canvas import Canvas
from polyorama_studio.viewport.fly import FLY_KEYS, Flight
from polyorama_studio.viewport.navigator import Drag, Navigator

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage
    from polyorama_studio.viewport.layers.layer import Layer
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Pane"]

_STILL = 4.0
"""A press that moves less far, in logical pixels, is a click."""
_NONE = Qt.KeyboardModifier.NoModifier


@guards
class Pane(Canvas):
    """A canvas whose input the active tool and the navigator share.

    Parameters
    ----------
    session, stage, toolbox
        See `Canvas`.
    """

    menu_asked = Signal(QPoint)
    on_stage = False
    """Whether nothing but the picture is shown."""

    def __init__(
        self, session: Session, stage: Stage, toolbox: Toolbox, parent: QWidget | None = None
    ) -> None:
        self._pressed: QPointF | None = None
        self._button = Qt.MouseButton.NoButton
        """What holds the drag that goes on."""
        self._tool_drags = False
        self._layer: Layer | None = None
        self._over_layer = False
        super().__init__(session, stage, toolbox, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.navigator = Navigator(session, stage, self)
        self.flight = Flight(stage, toolbox.camera_lock.navigate, self)
        toolbox.repaint.connect(self._on_tools)
        toolbox.tool_changed.connect(self._on_tools)

    @Slot()
    @Slot(str)
    def _on_tools(self, tool_id: str = "") -> None:
        self.refresh_cursor()
        self.update()

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
        if self.navigator.drag is Drag.ZOOM:
            return QCursor(Qt.CursorShape.SizeVerCursor)
        if self.navigator.drag is Drag.ORBIT:
            return QCursor(Qt.CursorShape.ClosedHandCursor)
        if self.stage.document is None:
            return None
        if self.wipe.hot:
            return QCursor(Qt.CursorShape.SplitHCursor)
        if self._over_layer:
            return QCursor(Qt.CursorShape.PointingHandCursor)
        return self.toolbox.active.cursor(self, modifiers)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag of the tool, of the view, or a flight; one at a time."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self.stage.document is None or self._is_held_besides(event):
            return
        self._pressed, self._button = event.position(), event.button()
        left = event.button() == Qt.MouseButton.LeftButton
        around = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        self.toolbox.camera_lock.flush()
        if event.button() == Qt.MouseButton.RightButton:
            self.flight.begin(event.position())
        elif not (left and self._press_over(event, around=around)):
            self.navigator.press(event)
        self.refresh_cursor(event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with the drag."""
        if self.wipe.held:
            self.wipe.drag(event.position())
        elif self._layer is not None:
            self._layer.drag(self, event.position(), event.modifiers())
        elif self.flight.begun:
            self.flight.turn(event.position(), min(self.width(), self.height()))
            self.refresh_cursor(event.modifiers())
        elif self._tool_drags:
            self.toolbox.active.drag(self, event)
        elif self.navigator.drag is not Drag.NONE:
            if self.stage.through:
                self.toolbox.camera_lock.navigate(self.stage)
            self.navigator.move(event)
        elif self.stage.document is not None:
            self._hover(event)

    def _is_held_besides(self, event: QMouseEvent) -> bool:
        """Whether another button than an event's holds a drag."""
        return event.button() != self._button and bool(event.buttons() & self._button)

    def _press_over(self, event: QMouseEvent, *, around: bool) -> bool:
        """Let the wipe, a layer or the tool take a press; with Alt the view turns all the same.

        Tells whether one did.
        """
        if self.wipe.press(event.position()):
            return True
        if around:
            return False
        if self._press_layer(event):
            return True
        self._tool_drags = self.toolbox.active.press(self, event)
        return self._tool_drags

    def _press_layer(self, event: QMouseEvent) -> bool:
        """Let what lies over the picture take the press, the topmost first."""
        for layer in reversed(self.toolbox.layers.painted()):
            if layer.press(self, event):
                self._layer = layer
                return True
        return False

    def _hover(self, event: QMouseEvent) -> None:
        at = event.position()
        self.wipe.hover(at)
        over = [layer.hover(self, at) for layer in self.toolbox.layers.painted()]
        self._over_layer = any(over)
        self.toolbox.active.hover(self, at, event.modifiers())
        self.refresh_cursor(event.modifiers())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag; one that went nowhere is a click."""
        if self._is_held_besides(event):
            return
        self._button = Qt.MouseButton.NoButton
        pressed, self._pressed = self._pressed, None
        still = pressed is not None and _distance(pressed, event.position()) < _STILL
        layer, self._layer = self._layer, None
        if self.wipe.held:
            self.wipe.held = False
        elif layer is not None:
            layer.release(self)
        elif self.flight.begun and event.button() == Qt.MouseButton.RightButton:
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
        if self.stage.document is None or self._is_held_besides(event):
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
                self.toolbox.camera_lock.navigate(self.stage)
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
        elif event.key() == Qt.Key.Key_Escape and self.deselect():
            event.accept()
        elif not self.navigator.key(event):
            super().keyPressEvent(event)

    def deselect(self) -> bool:
        """Select nothing; tells whether anything was selected. On the stage Escape leaves it."""
        document = self.session.editing.document
        if self.on_stage or document is None or not document.selection:
            return False
        self.session.editing.start("select_none")
        return True

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The navigator goes by the pane's size."""
        self.navigator.resize(self.size())
        super().resizeEvent(event)


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
