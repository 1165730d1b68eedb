"""The studio: widgets over the engine. Imports the engine, is never imported by it."""

from __future__ import annotations

import ctypes
import sys

__all__: list[str] = []


def _keep_none() -> None:
    """Give None more references than the studio can ever lose.

    PySide6 6.12 is built as if None were immortal, which it is from Python 3.12 on. In Python 3.11
    each call into Qt that returns nothing takes one reference away, and the process aborts after
    some ten thousand of them, a few seconds of a turntable.
    """
    if sys.version_info < (3, 12) and sys.implementation.name == "cpython":
        count = ctypes.c_ssize_t.from_address(id(None))
        if count.value < sys.maxsize // 4:
            count.value += sys.maxsize // 2


_keep_none()
