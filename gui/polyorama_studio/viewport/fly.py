"""Flying: while the right button is held, the pointer turns the view and keys carry the eye."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QWheelEvent

    from polyorama_studio.stage import Stage

__all__ = ["FLY_KEYS", "Flight"]

_AXES = {
    Qt.Key.Key_W: (0, 0, 1), Qt.Key.Key_S: (0, 0, -1),
    Qt.Key.Key_D: (1, 0, 0), Qt.Key.Key_A: (-1, 0, 0),
    Qt.Key.Key_E: (0, 1, 0), Qt.Key.Key_Q: (0, -1, 0),
}  # fmt: skip
FLY_KEYS = frozenset((*_AXES, Qt.Key.Key_Shift))
"""Keys that a flight takes."""

_TICK_MS = 16
_DEGREES_PER_WIDGET = 110.0
_SPEED = 0.6
"""Share of the distance to the target that is flown in a second."""
_FASTER = 4.0
_NOTCH = 1.25
_SLOW_START_S = 0.25


class Flight(QObject):
    """Moves a stage's view as a free camera: W, A, S, D, down with Q, up with E.

    The target goes along, so that afterwards one turns about a point as far ahead as before.

    Parameters
    ----------
    stage
        What is flown through.
    begins
        Called with the stage when the view is about to move.
    """

    def __init__(self, stage: Stage, begins: Callable[[Stage], None], parent: QObject) -> None:
        super().__init__(parent)
        self._stage = stage
        self._begins = begins
        self.speed = 1.0
        self.begun = False
        self.flying = False
        self._keys: set[int] = set()
        self._faster = False
        self._last = QPointF()
        self._at = 0.0
        self._since = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def begin(self, at: QPointF) -> None:
        """The button went down."""
        self.begun, self.flying = True, False
        self._last = at
        self._keys.clear()

    def _take_off(self) -> None:
        if not self.flying:
            self.flying = True
            self._begins(self._stage)
            self._stage.hold()

    def turn(self, at: QPointF, side: int) -> None:
        """The pointer moved: look elsewhere from the same place."""
        step = at - self._last
        if not self.flying and step.manhattanLength() < 4:
            return
        self._take_off()
        self._last = at
        degrees = _DEGREES_PER_WIDGET / max(1, side)
        view = self._stage.view
        self._stage.set_view(view.turned(-step.x() * degrees, step.y() * degrees))

    def press(self, key: int, modifiers: Qt.KeyboardModifier) -> None:
        """A key went down."""
        self._faster = key == Qt.Key.Key_Shift or bool(
            modifiers & Qt.KeyboardModifier.ShiftModifier
        )
        if key in _AXES:
            self._take_off()
            self._keys.add(key)
            if not self._timer.isActive():
                self._at = self._since = time.perf_counter()
                self._timer.start()

    def release(self, key: int, modifiers: Qt.KeyboardModifier) -> None:
        """A key came up."""
        if key == Qt.Key.Key_Shift:
            self._faster = False
        self._keys.discard(key)
        if not self._keys:
            self._timer.stop()

    def wheel(self, event: QWheelEvent) -> None:
        """Faster or slower from now on."""
        notches = event.angleDelta().y() / 120.0
        self.speed = float(np.clip(self.speed * _NOTCH**notches, 1e-3, 1e3))

    def end(self) -> bool:
        """The button came up; tells whether anything was flown."""
        flown, self.begun, self.flying = self.flying, False, False
        self._keys.clear()
        self._timer.stop()
        if flown:
            self._stage.release()
        return flown

    @Slot()
    def _tick(self) -> None:
        now = time.perf_counter()
        elapsed, self._at = min(now - self._at, 0.1), now
        ways = np.sum([_AXES[Qt.Key(key)] for key in self._keys], axis=0)
        if not np.any(ways):
            return
        view = self._stage.view
        right, upward, backward = view.axes()
        along = ways[0] * right + ways[1] * upward - ways[2] * backward
        gently = min(1.0, 0.3 + (now - self._since) / _SLOW_START_S)
        length = view.distance * _SPEED * self.speed * elapsed * gently
        self._stage.set_view(view.shifted(along * length * (_FASTER if self._faster else 1.0)))
