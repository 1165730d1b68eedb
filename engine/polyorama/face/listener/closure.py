"""A rule beside the network for lips that shut: the upper spectrum dips, the lowest may stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.listener.mel import MELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClosureRule"]


class ClosureRule:
    """How far a dip speaks for a closure, to be added to the network's logit.

    While /p b m/ shut the lips, what is above about 700 Hz falls far below what it was within the
    last 120 ms, and in /b m/ the voice's hum below 300 Hz goes on. Open vowels have no such dip:
    there the rule takes away.
    """

    # Channels below about 300 Hz, and above about 700 Hz.
    _LOW, _HIGH = slice(0, 9), slice(20, MELS)
    _MEMORY = 6
    _DIP, _GAIN = 1.0, 0.8

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin a new sound."""
        self._past = np.full(self._MEMORY, -5.0, np.float32)

    def push(self, steps: NDArray[np.float32]) -> NDArray[np.float32]:
        """Evidence for each step.

        Parameters
        ----------
        steps
            (s, 160) normalised spectra, two hops a step.

        Returns
        -------
        NDArray[np.float32]
            (s,) within -0.8..0.8.
        """
        hops = steps.reshape(len(steps), steps.shape[1] // MELS, MELS)
        high = hops[:, :, self._HIGH].mean(axis=2).min(axis=1)
        low = hops[:, :, self._LOW].mean(axis=(1, 2))
        whole = np.concatenate([self._past, high])
        self._past = whole[len(whole) - self._MEMORY :]
        if not len(high):
            return np.zeros(0, np.float32)
        before = np.lib.stride_tricks.sliding_window_view(whole, self._MEMORY)[: len(high)].max(1)
        dip = np.clip(before - high, 0.0, 3.0) + 0.25 * np.clip(low - high, 0.0, 2.0)
        return np.asarray(self._GAIN * np.tanh(dip - self._DIP), np.float32)
