"""The only way from worker threads to the GUI thread.

Workers `post` values under a key; the newest value of each key is delivered, at most once every
16 ms, on the thread that the bridge lives in. Nothing else in the studio crosses threads.
"""

from __future__ import annotations

import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["INTERVAL_MS", "Bridge", "is_gone"]

INTERVAL_MS = 16
"""Shortest time between two deliveries."""


class Bridge(QObject):
    """A mailbox with one slot a key.

    What comes for an object that Qt has deleted meanwhile is dropped.
    """

    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._mail: dict[Hashable, tuple[Callable[[Any], None], Any]] = {}
        self._closed = False
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._deliver)
        self._woken.connect(self._arm, Qt.ConnectionType.QueuedConnection)

    def post(self, key: Hashable, handler: Callable[[Any], None], value: Any) -> None:
        """From any thread: have ``handler(value)`` called on the GUI thread, soon.

        A value that is still waiting under the same key is replaced.
        """
        with self._lock:
            if self._closed:
                return
            first = not self._mail
            self._mail[key] = (handler, value)
        if first:
            self._woken.emit()

    @property
    def closed(self) -> bool:
        """Whether nothing is delivered any more."""
        return self._closed

    def close(self) -> None:
        """Drop what waits and take nothing more."""
        with self._lock:
            self._closed = True
            self._mail.clear()
        self._timer.stop()

    @Slot()
    def _arm(self) -> None:
        if not self._timer.isActive():
            since = (time.perf_counter() - self._last) * 1000.0
            self._timer.start(max(0, round(INTERVAL_MS - since)))

    @Slot()
    def _deliver(self) -> None:
        self._last = time.perf_counter()
        with self._lock:
            mail, self._mail = self._mail, {}
        for handler, value in mail.values():
            if self._closed:  # by the handler before
                return
            if is_gone(handler):
                continue
            try:
                handler(value)
            except BaseException as error:
                # One that fails takes no mail away from the others.
                if not isinstance(error, Exception):
                    raise
                sys.excepthook(type(error), error, error.__traceback__)


def is_gone(handler: Callable[..., Any]) -> bool:
    """Whether a handler is a method of an object that Qt has deleted; looks through partials."""
    while isinstance(handler, partial):
        handler = handler.func
    owner = getattr(handler, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)
