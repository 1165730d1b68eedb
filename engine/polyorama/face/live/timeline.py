"""Where samples lie in time: stamps of a device made smooth, and what is missing between blocks."""

from __future__ import annotations

import math
from collections import deque

__all__ = ["SoundTimeline"]

_BANDWIDTH_HZ = 0.1
_SETTLES_S = 3.0
_DRIFT = 0.002
_TOLERATED_S = 0.03
_SURE_S = 0.25


class SoundTimeline:
    """Sample numbers against a clock, through gaps.

    Stamps are filtered by a delay-locked loop of second order (F. Adriaensen, "Using a DLL to
    filter time", Linux Audio Conference 2005), so that jitter of the device does not show and its
    drift is followed. A block that comes more than 30 ms after its time has lost sound before it,
    if the device says so, or if all blocks of 0.25 s do; one alone was only stamped late.

    Parameters
    ----------
    rate
        Samples in a second, Hz.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.index = 0
        # Replaced as a whole, so that other threads read a line that goes together.
        self._line: tuple[int, float, float] | None = None
        self._begun = 0
        self._late: deque[tuple[float, float]] = deque()
        self._anew, self._owed = False, 0

    def restart(self) -> None:
        """Another device: its drift is not the last one's, but time goes on."""
        if self._line is not None:
            self._line = (self.index, self.time_of(self.index), 1.0 / self.rate)
        self._begun = self.index
        self._late.clear()
        self._anew, self._owed = True, 0

    def time_of(self, index: float) -> float:
        """When a sample was in the air, s of the clock; numbers need not be whole."""
        at, time, period = self._line or (0, 0.0, 1.0 / self.rate)
        return time + (index - at) * period

    def index_at(self, time: float) -> float:
        """The number of the sample that was in the air at a time, s."""
        at, known, period = self._line or (0, 0.0, 1.0 / self.rate)
        return at + (time - known) / period

    @property
    def begun(self) -> bool:
        """Whether any time is known."""
        return self._line is not None

    def place(self, count: int, adc: float, overflow: bool) -> tuple[int, int]:
        """Lay a block on the line.

        Parameters
        ----------
        count
            Samples in it.
        adc
            When its first sample was in the air, s.
        overflow
            Whether the device says that sound before it was lost.

        Returns
        -------
        tuple
            How many samples are missing before it, and how many of its first ones belong to a time
            that has been filled already. `index` is then the end of the block.
        """
        if self._line is None:
            self._line = (self.index, adc, 1.0 / self.rate)
        off = adc - self.time_of(self.index)
        missing = 0
        if self._owed:
            pass  # what was decided is carried out before anything else is
        elif self._anew or abs(off) > _TOLERATED_S:
            moved = round(off * self.rate) if self._anew else self._moved(off, adc, overflow)
            missing, self._owed = max(moved, 0), max(-moved, 0)
        else:
            self._late.clear()
            self._follow(off)
        self._anew = False
        skipped = min(self._owed, count)
        self._owed -= skipped
        self.index += missing + count - skipped
        return missing, skipped

    def fill_to(self, time: float) -> int:
        """How many samples are missing up to a time for which no block came; they are filled.

        It fills in steps of 10 ms.
        """
        if not self.begun:
            self._line = (self.index, time, 1.0 / self.rate)
        step = self.rate // 100
        missing = max(int(self.index_at(time)) - self.index, 0) // step * step
        self.index += missing
        return missing

    def _follow(self, off: float) -> None:
        assert self._line is not None
        at, _, period = self._line
        passed = (self.index - at) / self.rate
        settled = (self.index - self._begun) / self.rate
        omega = 2.0 * math.pi * _BANDWIDTH_HZ
        # At first the mean of all stamps; then the loop, critically damped.
        share = max(min(math.sqrt(2.0) * omega * passed, 1.0), passed / max(settled, passed, 1e-9))
        if settled > _SETTLES_S and passed > 0.0:
            period += (omega * passed) ** 2 * off / (passed * self.rate)
            nominal = 1.0 / self.rate
            period = min(max(period, (1.0 - _DRIFT) * nominal), (1.0 + _DRIFT) * nominal)
        self._line = (self.index, self.time_of(self.index) + share * off, period)

    def _moved(self, off: float, adc: float, overflow: bool) -> int:
        """Samples by which a block's place is moved: more than 0 leaves a gap before it."""
        if self._late and (self._late[-1][1] > 0.0) != (off > 0.0):
            self._late.clear()
        self._late.append((adc, off))
        sure = overflow and off > 0.0
        if not sure and self._late[-1][0] - self._late[0][0] < _SURE_S:
            return 0
        least = off if sure else min((o for _, o in self._late), key=abs)
        self._late.clear()
        return round(least * self.rate)
