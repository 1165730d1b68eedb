"""Blocks of sound with their times, and the ring in which a device's callback leaves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SoundBlock", "SoundRing"]

_SECONDS = 4.0
_BLOCKS = 2048
_FULL_SCALE = np.float32(1.0 / 32768.0)
_SAFE = 0.75
"""Share of the ring that is read; what is older may be overwritten meanwhile."""


@dataclass(frozen=True, slots=True, eq=False)
class SoundBlock:
    """Sound that came at once.

    Parameters
    ----------
    samples
        (n,) float32 mono, -1..1.
    rate
        Samples in a second, Hz.
    adc
        When its first sample was in the air by the device's own stamp, s of the session's clock.
    arrived
        When the device handed it over.
    overflow
        Whether the device says that sound before it was lost.
    stated
        How long the device says in general that sound takes to be handed over, s.
    """

    samples: NDArray[np.float32]
    rate: int
    adc: float
    arrived: float
    overflow: bool = False
    stated: float = 0.0


class SoundRing:
    """One thread puts blocks in, another takes them out; neither waits for the other.

    Nothing is allocated by putting, and a reader that is late loses the oldest blocks: their times
    tell how much is missing.

    Parameters
    ----------
    rate
        Samples in a second, Hz.
    channels
        Samples side by side; they are mixed when they are taken out.

    Attributes
    ----------
    lost
        Blocks that were overwritten before they were taken out.
    stated
        See `SoundBlock`; it may be set once it is known.
    """

    __slots__ = ("_blocks", "_capacity", "_samples", "_stamps", "_taken", "_written", "lost",
                 "rate", "stated")  # fmt: skip

    def __init__(self, rate: int, channels: int = 1) -> None:
        self.rate = rate
        self._capacity = int(_SECONDS * rate)
        self._samples = np.zeros((self._capacity, channels), np.int16)
        # First sample, how many, time taken from the air, time handed over, overflow.
        self._stamps = np.zeros((_BLOCKS, 5))
        self._written = self._blocks = self._taken = 0
        self.lost = 0
        self.stated = 0.0

    def put(self, data: Any, adc: float, arrived: float, overflow: bool) -> None:
        """Copy a block in: int16 samples as the device gives them."""
        block = np.frombuffer(data, np.int16).reshape(-1, self._samples.shape[1])
        count = len(block)
        at = self._written % self._capacity
        first = min(count, self._capacity - at)
        self._samples[at : at + first] = block[:first]
        self._samples[: count - first] = block[first:]
        self._stamps[self._blocks % _BLOCKS] = (self._written, count, adc, arrived, overflow)
        # Last, so that a reader sees a block only when all of it is there.
        self._written += count
        self._blocks += 1

    def take(self) -> list[SoundBlock]:
        """All blocks that came since the last call and are still whole, oldest first."""
        end = self._blocks
        begin = max(self._taken, end - int(_SAFE * _BLOCKS))
        self.lost += begin - self._taken
        self._taken = end
        found = []
        for number in range(begin, end):
            first, count, adc, arrived, overflow = self._stamps[number % _BLOCKS].tolist()
            places = (int(first) + np.arange(int(count))) % self._capacity
            mono = self._samples[places].mean(axis=1, dtype=np.float32) * _FULL_SCALE
            if self._written - first > _SAFE * self._capacity:
                self.lost += 1
                continue
            found.append(SoundBlock(mono, self.rate, adc, arrived, bool(overflow), self.stated))
        return found
