"""Sound that comes in blocks brought to another rate, with every sample's time known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StreamResampler", "sinc_kernel"]

_LOBES = 12
_ROLL_OFF = 0.92


def sinc_kernel(offsets: NDArray[np.float64], cutoff: float, half: float) -> NDArray[np.float64]:
    """A sinc under a Hann window, at distances in samples.

    Parameters
    ----------
    offsets
        Distances from the centre, samples.
    cutoff
        Over half the rate, 0..1.
    half
        Where the window ends, samples.
    """
    window = np.where(np.abs(offsets) < half, np.cos(0.5 * np.pi * offsets / half) ** 2, 0.0)
    return np.asarray(cutoff * np.sinc(cutoff * offsets) * window)


class StreamResampler:
    """Windowed sinc interpolation at a ratio of whole numbers.

    Output j is the sound at input sample j source / target exactly; it is told once the inputs
    half a window after it are there (0.8 ms at 16 kHz).

    Parameters
    ----------
    source, target
        Rates, Hz.
    """

    def __init__(self, source: int, target: int) -> None:
        self.source, self.target = source, target
        shared = math.gcd(source, target)
        self._phases, self._step = target // shared, source // shared
        cutoff = _ROLL_OFF * min(1.0, target / source)
        self._half = math.ceil(_LOBES / cutoff)
        offsets = np.arange(-self._half + 1, self._half + 1)
        fractions = np.arange(self._phases) / self._phases
        table = sinc_kernel(offsets[None, :] - fractions[:, None], cutoff, self._half)
        self._table = (table / table.sum(axis=1, keepdims=True)).astype(np.float32)
        # Before the first input there is silence.
        self._held = np.zeros(self._half - 1, np.float32)
        self._first = 1 - self._half
        self._taken = self._told = 0

    def push(self, samples: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
        """Samples that are now known, and where the first lies.

        Returns
        -------
        tuple
            (m,) float32 at the target's rate, and the place of the first of them in input samples
            after the first of `samples`; mostly below 0.
        """
        begin = self._taken
        self._held = np.concatenate([self._held, samples])
        self._taken += len(samples)
        # Output j needs inputs up to floor(j step / phases) + half.
        last = self._first + len(self._held) - 1 - self._half
        count = max((last + 1) * self._phases - 1, -1) // self._step + 1 - self._told
        numbers = self._told + np.arange(max(count, 0))
        places, phases = np.divmod(numbers * self._step, self._phases)
        rows = places - self._half + 1 - self._first
        windows = self._held[rows[:, None] + np.arange(2 * self._half)]
        out = np.einsum("ij,ij->i", windows, self._table[phases])
        where = self._told * self._step / self._phases - begin
        self._told += len(numbers)
        needed = self._told * self._step // self._phases - self._half + 1
        self._held = self._held[needed - self._first :]
        self._first = needed
        return np.asarray(out, np.float32), where
