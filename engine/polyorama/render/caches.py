"""What drawing keeps from one picture to the next, and how it is let go of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["forget", "lets_go"]

_all: list[Callable[[], None]] = []


def lets_go(function: Callable[[], None]) -> Callable[[], None]:
    """Register what lets go of something that is kept; it never waits for whoever draws."""
    _all.append(function)
    return function


def forget() -> None:
    """Let go of all that is kept of documents that were drawn, as when one is closed.

    Nothing is lost but the time to make it anew; this returns at once.
    """
    for function in tuple(_all):
        function()
