"""Sound that is missing: the last of the voice fades out, and the next of it fades in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.speech.prosody import RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Concealer"]

_REPEATED = RATE // 50
_FADES = RATE // 20
_JOINS = RATE // 500


class Concealer:
    """Fills gaps so that they are neither clicks nor, where they are short, closed lips.

    The last 20 ms are repeated to and fro under a fade of 50 ms; then there is silence.
    """

    def __init__(self) -> None:
        self._last = np.zeros(_REPEATED, np.float32)
        self._since = _FADES
        self._gap = False

    def sounded(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sound that came: after a gap its first 2 ms fade in."""
        if not len(samples):
            return samples
        if self._gap:
            samples = samples.copy()
            count = min(_JOINS, len(samples))
            samples[:count] *= np.linspace(0.0, 1.0, count, endpoint=False, dtype=np.float32)
        self._gap, self._since = False, 0
        self._last = np.concatenate([self._last, samples])[-_REPEATED:]
        return samples

    def filled(self, count: int) -> NDArray[np.float32]:
        """(count,) samples in the place of some that never came."""
        self._gap = True
        there = np.arange(self._since, self._since + count)
        self._since = min(self._since + count, _FADES)
        # To and fro, so that it goes on where it was without a step.
        turn = there % (2 * _REPEATED)
        places = np.where(turn < _REPEATED, _REPEATED - 1 - turn, turn - _REPEATED)
        fade = np.maximum(1.0 - there / _FADES, 0.0)
        return np.asarray(self._last[places] * fade, np.float32)
