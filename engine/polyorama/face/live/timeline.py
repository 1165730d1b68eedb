"""Where samples lie in time: stamps of a device made smooth, and what is missing between blocks."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polyorama.face.live.blocks import SoundBlock

__all__ = ["SoundTimeline"]

_CREEP = 2e-4
_TOLERATED_S = 0.03
_SURE_S = 0.25
_STAMPS_S = 2.0
_STEADY_S = 0.005
_EVERY_S = 0.1
_LIVED_S = 10.0
"""Of a longer pause (a machine that slept, a program that was stopped) no more is filled."""


class SoundTimeline:
    """Sample numbers against a clock, through gaps.

    No sample is handed over before it was in the air, so the blocks that came earliest say best
    when their samples can have been: the line from numbers to times lies under all arrivals, falls
    to one that is earlier at once, and rises by up to 0.2 ms a second, which follows the drift of
    any two clocks. How long before that the samples were in the air is the median of what the
    device's own stamps say over 2 s. Some systems' stamps are wrong for their first seconds, or
    lie after the arrival; then the latency that the device states for itself is taken.

    A block that comes more than 30 ms after its time was only handed over late, if the next ones
    catch up. If all of 0.25 s come late, or if the device says that it lost sound and its stamps
    are steady, what is between is missing. Of a pause over 10 s all but 10 s never was: the numbers
    go on as if time had stood still.

    Parameters
    ----------
    rate
        Samples in a second, Hz.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.index = 0
        # A number, when it can have been handed over at the earliest, and how long before that it
        # was in the air; replaced as a whole, so that other threads read what goes together.
        self._line: tuple[int, float, float] | None = None
        self._late: deque[tuple[float, float]] = deque()
        self._stamps: deque[tuple[float, float]] = deque()
        self._looked_at = 0.0
        self._steady = False
        self._anew, self._owed = False, 0
        self._placed = 0

    def restart(self) -> None:
        """A device came back: its stamps are to be learned again, but time goes on."""
        self._late.clear()
        self._stamps.clear()
        self._steady = False
        self._anew, self._owed = True, 0
        self._placed = 0

    def time_of(self, index: float) -> float:
        """When a sample was in the air, s of the clock; numbers need not be whole."""
        at, time, delay = self._line or (0, 0.0, 0.0)
        return time - delay + (index - at) / self.rate

    def index_at(self, time: float) -> float:
        """The number of the sample that was in the air at a time, s."""
        at, known, delay = self._line or (0, 0.0, 0.0)
        return at + (time + delay - known) * self.rate

    @property
    def begun(self) -> bool:
        """Whether any time is known."""
        return self._line is not None

    @property
    def settled(self) -> bool:
        """Whether a device has run for a second: before, it may hand over what is old, or pause."""
        return self._placed > self.rate

    def place(self, block: SoundBlock, count: int, early: float = 0.0) -> tuple[int, int]:
        """Lay a block on the line.

        Parameters
        ----------
        block
            Its times.
        count
            Samples of it at the line's rate.
        early
            How long before the block's first sample the first of these lies, s.

        Returns
        -------
        tuple
            How many samples are missing before it, and how many of its first ones belong to a time
            that has been filled already. `index` is then the end of the block.
        """
        length = len(block.samples) / block.rate + early
        begins = block.arrived - length
        if self._line is None:
            self._line = (self.index, begins, block.stated)
        at, time, delay = self._line
        off = begins - (time + (self.index - at) / self.rate)
        stamped = block.adc - early - self.time_of(self.index)
        if self._steady:
            off = min(off, max(stamped, 0.0))
        tolerated = _STEADY_S if block.overflow and self._steady else _TOLERATED_S
        missing = 0
        if self._owed:
            pass  # what was decided is carried out before anything else is
        elif self._anew or off > tolerated:
            moved = round(off * self.rate) if self._anew else self._missing(block, off)
            missing, self._owed = self._lived(max(moved, 0)), max(-moved, 0)
        else:
            self._late.clear()
            passed = (self.index - at) / self.rate
            self._line = (self.index, time + passed + min(off, _CREEP * passed), delay)
            self._learn(block, delay - stamped)
        self._anew = False
        self._placed += count
        skipped = min(self._owed, count)
        self._owed -= skipped
        self.index += missing + count - skipped
        return missing, skipped

    def fill_to(self, time: float) -> int:
        """How many samples are missing up to a time for which no block came; they are filled.

        It fills in steps of 10 ms.
        """
        if self._line is None:
            self._line = (self.index, time, 0.0)
        step = self.rate // 100
        missing = max(int(self.index_at(time)) - self.index, 0) // step * step
        missing = self._lived(missing)
        self.index += missing
        return missing

    def _missing(self, block: SoundBlock, off: float) -> int:
        """Samples that are missing before a late block, as far as that is sure."""
        self._late.append((block.arrived, off))
        sure = block.overflow and self._steady
        if not sure and block.arrived - self._late[0][0] < _SURE_S:
            return 0
        least = off if sure else min(late for _, late in self._late)
        self._late.clear()
        return round(least * self.rate)

    def _lived(self, missing: int) -> int:
        """How many of the missing samples are filled; the line is moved over the others."""
        most = round(_LIVED_S * self.rate)
        if missing > most and self._line is not None:
            at, time, delay = self._line
            self._line = (at, time + (missing - most) / self.rate, delay)
        return min(missing, most)

    def _learn(self, block: SoundBlock, delay: float) -> None:
        """How long before its earliest arrival a sample was in the air, by the device's stamps."""
        self._stamps.append((block.arrived, delay))
        while block.arrived - self._stamps[0][0] > _STAMPS_S:
            self._stamps.popleft()
        if block.arrived - self._looked_at < _EVERY_S:
            return
        self._looked_at = block.arrived
        low, middle, high = np.quantile([d for _, d in self._stamps], (0.25, 0.5, 0.75))
        known = block.arrived - self._stamps[0][0] > 0.5 * _STAMPS_S
        self._steady = bool(known and high - low < _STEADY_S)
        if self._line is not None:
            told = float(middle) if self._steady and middle >= 0.0 else block.stated
            self._line = (*self._line[:2], told)
