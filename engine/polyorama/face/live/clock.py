"""Clocks: the machine's own, and one that goes only as far as it is moved."""

from __future__ import annotations

import time
from typing import Protocol

__all__ = ["Clock", "SteadyClock", "VirtualClock"]


class Clock(Protocol):
    """Tells the time, s, and waits; its zero is anywhere, and it never goes back."""

    def now(self) -> float:
        """The time, s."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SteadyClock:
    """The machine's clock, which nobody sets."""

    __slots__ = ()

    def now(self) -> float:
        """The time, s."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class VirtualClock:
    """A clock whose time passes only while someone sleeps, which takes no time.

    Parameters
    ----------
    start
        Its first time, s.
    """

    __slots__ = ("_now",)

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        """The time, s."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self._now += max(seconds, 0.0)
