"""From where a stage is looked at: a free view, or through a camera node; the turntable."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from polyorama_studio.orbit import OrbitView

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SPIN_DEGREES_PER_SECOND", "Looking"]

SPIN_DEGREES_PER_SECOND = 24.0
_REACH = (1e-5, 1e3)
"""Nearest and farthest zoom, as shares of the distance from which everything is seen."""


class Looking(QObject):
    """Holds the view; what inherits it asks for the pictures."""

    view_changed = Signal()
    spinning_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.view = OrbitView()
        self.through = ""
        """Id of the camera node that one looks through, or "" for the free view."""
        self.steer: Callable[[str, OrbitView], None] | None = None
        """Takes moves of the view while one looks through a camera node that goes along."""
        self.spinning = False
        self._whole = self.view.distance
        self._held = False
        self._turned_at = 0.0

    def _move(self) -> None:
        """Ask for a picture of many."""
        raise NotImplementedError

    def _ask(self, *, moving: bool) -> None:
        """Ask for a picture."""
        raise NotImplementedError

    def start_from(self, view: OrbitView) -> None:
        """Take the view that shows a whole document; nothing is drawn for it."""
        self.view = view
        self._whole = view.distance

    def adopt_view(self, view: OrbitView) -> None:
        """Move on from another view, once it is moved; nothing is drawn for it."""
        self.view = view

    def look_through(self, node: str) -> None:
        """Look through a camera node, or with "" through the free view again."""
        if node != self.through:
            self.through = node
            self.view_changed.emit()
            self._ask(moving=False)

    def set_view(self, view: OrbitView, *, moving: bool = True) -> None:
        """Look from elsewhere; `moving` says that more of it will follow at once."""
        if self.through and self.steer is not None:
            self.view = view
            self.steer(self.through, view)
            self.view_changed.emit()
            return
        if view == self.view and not self.through:
            return
        self.through = ""
        self.show_view(view, moving=moving)

    def show_view(self, view: OrbitView, *, moving: bool) -> None:
        """As `set_view`, without leaving the camera that is looked through."""
        self.view = view
        self.view_changed.emit()
        if moving:
            self._move()
        else:
            self._ask(moving=self.spinning)

    def frame(self, view: OrbitView) -> None:
        """Look from where everything is seen; how near and how far one can zoom goes by it."""
        self._whole = view.distance
        self.set_view(view, moving=False)

    def zoom(self, factor: float, anchor: NDArray[np.float64] | None = None) -> None:
        """Multiply the distances to `anchor`, (3,), by default the target; within reach."""
        reach = (_REACH[0] * self._whole, _REACH[1] * self._whole)
        self.set_view(self.view.zoomed(factor, anchor, reach=reach))

    def hold(self) -> None:
        """A drag begins."""
        self._held = True

    def look_along(self, direction: NDArray[np.float64]) -> None:
        """See the target along a world direction, (3,)."""
        self.set_view(self.view.looking_along(direction), moving=False)

    def with_projection(self, orthographic: bool) -> None:
        """Switch between perspective and parallel lines."""
        self.set_view(replace(self.view, orthographic=orthographic), moving=False)

    def set_spinning(self, spinning: bool) -> None:
        """Let the view turn about the target, like a turntable."""
        if spinning == self.spinning:
            return
        self.spinning = spinning
        self._turned_at = 0.0
        self.spinning_changed.emit(spinning)
        self._ask(moving=spinning)

    def turn_on(self) -> None:
        """Turn as far as the time since the last step asks for."""
        now = time.perf_counter()
        elapsed = min(now - self._turned_at, 0.2) if self._turned_at else 0.0
        self._turned_at = now
        self.view = self.view.orbited(SPIN_DEGREES_PER_SECOND * elapsed, 0.0)
        self.view_changed.emit()
        self._ask(moving=True)
