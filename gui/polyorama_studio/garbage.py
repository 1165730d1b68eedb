"""Cyclic garbage is collected on the GUI thread alone.

Python's collector runs in whichever thread happens to allocate. In a job's thread it would destroy
widgets and timers that belong to the GUI thread, which Qt answers with a crash some time later.
"""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer, Slot

__all__ = ["Collector"]

_LOOK_MS = 500
_MANY_MODULES = 10
"""So many new ones bring more objects than the window's thread can walk over unnoticed."""


class Collector(QObject):
    """Collects from a timer of the thread it is made on, while it is not closed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._modules = 0
        self._freeze()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def close(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _freeze(self) -> None:
        """What is there by now stays to the end: no collection need walk over it."""
        self._modules = len(sys.modules)
        gc.freeze()

    @Slot()
    def _look(self) -> None:
        """Collect the oldest generation that is due; what a large import brought stays."""
        if len(sys.modules) >= self._modules + _MANY_MODULES:
            self._freeze()
            return
        due = [
            count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True)
        ]
        for generation in (2, 1, 0):
            if due[generation]:
                gc.collect(generation)
                return
