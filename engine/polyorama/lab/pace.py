"""How many steps are due: a chosen speed, within what the machine can do between two pictures."""

from __future__ import annotations

import math

from polyorama.core.arguments import check_number
from polyorama.errors import UsageError

__all__ = ["Pace"]

_BUDGET_S = 0.025
"""What a tick may take."""
_SMOOTHING_S = 0.5
"""Over which the measured speed is averaged."""
_LOOK_EVERY = 64
"""Ticks after which the time to look is measured anew."""


class Pace:
    """Steps that are due, and how fast they are done.

    Parameters
    ----------
    rate
        Elementary steps a second at speed 1.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._speed = 1.0
        self._owed = 0.0
        self._limit = 1
        self._look_s = 0.0
        self._ticks = 0
        self.steps_per_s = 0.0
        """Steps a second of wall time, lately."""

    @property
    def speed(self) -> float:
        """Factor of the rate; infinite for as fast as possible.

        Raises
        ------
        UsageError
            When it is set to no number above zero.
        """
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        check_number(value, "speed")
        if math.isnan(value) or value <= 0.0:
            raise UsageError(f"A speed is a number above zero, not {value:g}.")
        self._speed, self._owed = float(value), 0.0

    @property
    def looks(self) -> bool:
        """Whether it is time to measure what a look takes."""
        return self._ticks % _LOOK_EVERY == 0

    def looked(self, took: float) -> None:
        """A look alone took so many seconds."""
        self._look_s = took

    def rest(self) -> None:
        """Nothing is owed, nothing moves."""
        self._owed = self.steps_per_s = 0.0

    def due(self, seconds: float) -> int:
        """Whole steps to do now, `seconds` after the last time."""
        wanted = self.wanted(seconds)
        count = int(min(wanted, self._limit))
        # What this machine cannot do is not owed: that would only grow.
        self._owed = 0.0 if math.isinf(wanted) else min(wanted - count, 1.0)
        return count

    def did(self, count: int, seconds: float, took: float) -> None:
        """`count` steps and a look took `took` seconds, of the `seconds` between two ticks."""
        self._ticks += 1
        if count == self._limit:
            # A look is paid once a tick; a dear one must not leave a single step between two.
            aim = max(_BUDGET_S - self._look_s, self._look_s)
            ratio = aim / max(took - self._look_s, 1e-9)
            self._limit = max(1, int(self._limit * min(2.0, max(0.25, ratio))))
        span = max(seconds, took)
        weight = 1.0 - math.exp(-span / _SMOOTHING_S)
        self.steps_per_s += weight * (count / span - self.steps_per_s)

    def wanted(self, seconds: float) -> float:
        """Steps that the speed asks for, what is owed included; not more than once a tick."""
        rate = self._rate * self._speed
        return math.inf if math.isinf(rate) else self._owed + rate * seconds

    def owe(self, steps: float) -> None:
        """So many steps of those wanted are left for the next tick."""
        self._owed = steps
