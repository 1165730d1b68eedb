"""Keeping a fault in one handler from ending the program.

PySide6 6.12 on Python 3.11 dies where a Python method that Qt calls raises: it reads the error in a
way that this Python does not know. So methods that do much are guarded: a fault is logged and told.
"""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any

from polyorama.errors import PolyoramaError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["guarded"]

log = logging.getLogger(__name__)
_told: set[str] = set()


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of something with a `session` that reports what it raises, each fault once."""

    @functools.wraps(method)
    def run(self: Any, *arguments: Any) -> Any:
        try:
            return method(self, *arguments)
        except Exception as error:  # told below
            words = f"{type(error).__name__}: {error}"
            if words not in _told:  # a paint event comes back sixty times a second
                _told.add(words)
                if not isinstance(error, PolyoramaError):
                    log.exception("The viewport failed in %s.", method.__name__)
                self.session.report(error)
            return None

    return run
