"""The studio: widgets over the engine. Imports the engine, is never imported by it."""

from __future__ import annotations

import ctypes
import sys

__all__: list[str] = []

_NEVER_FREED = (None, True, False, NotImplemented, Ellipsis)


def _keep_alive() -> None:
    """Give Python's constants more references than the studio can ever lose.

    PySide6 6.12 is built as if they were immortal, which they are from Python 3.12 on. In Python
    3.11 each call into Qt that returns nothing takes a reference to None away, each signal one to
    True; the process aborts after some ten thousand of them, a few seconds of a turntable.
    """
    if sys.version_info < (3, 12) and sys.implementation.name == "cpython":
        for constant in _NEVER_FREED:
            count = ctypes.c_ssize_t.from_address(id(constant))
            if count.value < sys.maxsize // 4:
                count.value += sys.maxsize // 2


_keep_alive()
