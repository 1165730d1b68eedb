"""Loudness of what comes in: a meter, a gain that finds itself, and a gate against noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["QUIETEST", "AutomaticGain", "NoiseGate", "decibels", "power_of"]

QUIETEST = -100.0
"""Where the level of silence ends, dB of full scale."""


def decibels(power: float) -> float:
    """A mean square in dB of full scale, not below `QUIETEST`."""
    return max(10.0 * float(np.log10(max(power, 1e-20))), QUIETEST)


@dataclass(slots=True)
class AutomaticGain:
    """Brings a voice, near or far, to the level of recordings: down fast, up slowly.

    It only follows what stands out of the quietest of the last seconds, so that it does not lift
    the noise of a room while nobody speaks.

    Parameters
    ----------
    gain
        dB now.
    """

    gain: float = 0.0
    _floor: float = QUIETEST
    _level: float = QUIETEST

    _WANTED, _LEAST, _MOST = -23.0, -12.0, 30.0
    _OVER_FLOOR = 12.0
    _UP, _DOWN = 3.0, 30.0  # dB in a second
    _FLOOR_UP = 2.0

    def step(self, level: float, dt: float) -> float:
        """The gain, dB, after `dt` s of sound of a level, dB."""
        self._floor = min(self._floor + self._FLOOR_UP * dt, level)
        if level > max(self._floor + self._OVER_FLOOR, -65.0):
            # Of speech, the louder parts count: its level falls slowly.
            self._level = max(level, self._level - 6.0 * dt)
            off = min(max(self._WANTED - self._level, self._LEAST), self._MOST) - self.gain
            self.gain += min(max(off, -self._DOWN * dt), self._UP * dt)
        return self.gain


@dataclass(slots=True)
class NoiseGate:
    """How far sound counts as speech: 1 above a level, 0 some time after it fell below.

    Parameters
    ----------
    share
        0..1 now.
    """

    share: float = 0.0
    _held: float = 0.0

    _HOLD_S, _CLOSES_S = 0.25, 0.1

    def step(self, level: float, threshold: float, dt: float) -> float:
        """The share after `dt` s; it opens at once."""
        if level >= threshold:
            self.share, self._held = 1.0, self._HOLD_S
        elif self._held > 0.0:
            self._held -= dt
        else:
            self.share = max(self.share - dt / self._CLOSES_S, 0.0)
        return self.share


def power_of(samples: NDArray[np.float32]) -> float:
    """The mean square of samples, 0 of none."""
    return float(np.mean(np.square(samples, dtype=np.float64))) if len(samples) else 0.0
