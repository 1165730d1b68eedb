"""How mouse, wheel, pinch and arrow keys move the camera."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, QSize, Qt

from polyorama_studio.viewport.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent

    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage

__all__ = ["Drag", "Navigator"]

DEGREES_PER_WIDGET = 200.0
"""An orbit drag across the viewport's shorter side turns by this much."""
KEY_DEGREES = 5.0
KEY_PAN = 24.0
PIXELS_PER_NOTCH = 16.0
"""A zoom drag over so many pixels is as one notch of the wheel."""
WHEEL_FACTOR = 0.88
"""Distance after one notch of the wheel, as a share of that before."""

MOST_NOTCHES = 16.0
"""Of one turn of the wheel, however far it says that it went: some drivers report nonsense."""


class Drag(Enum):
    """What a drag does."""

    NONE = "none"
    ORBIT = "orbit"
    PAN = "pan"
    ZOOM = "zoom"


class Navigator(QObject):
    """Turns the viewport's input into views; positions are logical pixels.

    Orbit is the left button, pan the middle one or the left with Shift, zoom the wheel or a
    pinch, towards what is under the pointer. A preference gives the middle button orbit, pan with
    Shift and zoom with Ctrl.
    """

    def __init__(self, session: Session, stage: Stage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stage = stage
        self.drag = Drag.NONE
        self._last = QPointF()
        self._size = QSize(1, 1)
        self._anchor: NDArray[np.float64] | None = None
        self._anchor_at = QPointF()

    def resize(self, size: QSize) -> None:
        """The viewport's size in logical pixels."""
        self._size = size

    def press(self, event: QMouseEvent) -> bool:
        """Begin a drag; tells whether the button means one."""
        button, shift = event.button(), event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if button == Qt.MouseButton.LeftButton:
            self.drag = Drag.PAN if shift else Drag.ORBIT
        elif button == Qt.MouseButton.MiddleButton:
            self.drag = Drag.PAN
            if self._session.preferences.navigation == "blender" and not shift:
                control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
                self.drag = Drag.ZOOM if control else Drag.ORBIT
        else:
            return False
        self._last = event.position()
        self._stage.hold()
        return True

    def move(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        step = event.position() - self._last
        self._last = event.position()
        view = self._stage.view
        if self.drag is Drag.ORBIT:
            degrees = DEGREES_PER_WIDGET / max(1, min(self._size.width(), self._size.height()))
            self._stage.set_view(view.orbited(-step.x() * degrees, step.y() * degrees))
        elif self.drag is Drag.PAN:
            self._stage.set_view(view.panned(step.x(), step.y(), self._size.height()))
        elif self.drag is Drag.ZOOM:
            self._stage.zoom(WHEEL_FACTOR ** (-step.y() / PIXELS_PER_NOTCH))

    def release(self) -> None:
        """End the drag."""
        if self.drag is not Drag.NONE:
            self.drag = Drag.NONE
            self._stage.release()

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom to the pointer."""
        pixels = event.pixelDelta().y()
        notches = event.angleDelta().y() / 120.0 if pixels == 0 else pixels / 60.0
        notches = max(-MOST_NOTCHES, min(MOST_NOTCHES, notches))
        self.zoom(WHEEL_FACTOR**notches, event.position())

    def pinch(self, event: QNativeGestureEvent) -> bool:
        """Zoom by a touchpad's pinch; tells whether the gesture was one."""
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self.zoom(1.0 / max(0.2, 1.0 + event.value()), event.position())
        return True

    def zoom(self, factor: float, at: QPointF) -> None:
        """Multiply distances to the point under a position; that point stays under it."""
        stage = self._stage
        if self._anchor is None or self._anchor_at != at or not stage.moving:
            self._anchor = self.surface_point(at)
            if self._anchor is None:
                size = self._size
                self._anchor = stage.view.point_at(at.x(), at.y(), size.width(), size.height())
            self._anchor_at = at
        stage.zoom(factor, self._anchor)

    def key(self, event: QKeyEvent) -> bool:
        """Arrow keys orbit, with Shift they pan; plus and minus zoom."""
        stage = self._stage
        x, y = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, 1),
            Qt.Key.Key_Down: (0, -1),
        }.get(Qt.Key(event.key()), (0, 0))
        if x or y:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                view = stage.view.panned(-x * KEY_PAN, y * KEY_PAN, self._size.height())
            else:
                view = stage.view.orbited(x * KEY_DEGREES, y * KEY_DEGREES)
            stage.set_view(view)
            return True
        if event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            stage.zoom(WHEEL_FACTOR)
            return True
        if event.key() == Qt.Key.Key_Minus:
            stage.zoom(1.0 / WHEEL_FACTOR)
            return True
        return False

    def surface_point(self, at: QPointF) -> NDArray[np.float64] | None:
        """The world point that is seen at a position, (3,), or None over the empty backdrop.

        It is known from the depth of a still picture; while the picture is of another view, the
        last one's answer would be wrong, so there is none.
        """
        stage = self._stage
        picture = stage.picture
        if picture is None or picture.depth is None or not stage.is_of_now(picture):
            return None
        height, width = picture.depth.shape
        column = int(at.x() * width / max(1, self._size.width()))
        row = int(at.y() * height / max(1, self._size.height()))
        if not (0 <= row < height and 0 <= column < width):
            return None
        # The nearest drawn pixel of a small patch, so that one need not hit a thin stem exactly.
        reach = max(1, round(4 * height / max(1, self._size.height())))
        patch = picture.depth[
            max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1
        ]
        depth = float(picture.depth[row, column])
        if depth <= 0.0:
            drawn = patch[patch > 0.0]
            if drawn.size == 0:
                return None
            depth = float(np.median(drawn))
        return Space(picture.request.camera).at_depth(column + 0.5, row + 0.5, depth)

    def retarget(self, at: QPointF) -> bool:
        """Turn about what is seen at a position; tells whether something is."""
        point = self.surface_point(at)
        if point is None:
            return False
        stage = self._stage
        stage.set_view(stage.view.retargeted(point), moving=False)
        return True
