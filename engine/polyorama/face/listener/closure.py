"""When the lips are shut: what the network heard, and how loud the upper spectrum is meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.listener.mel import MELS
from polyorama.face.listener.targets import CURVES, PHONE_CURVES

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLOSURE_BIAS", "CLOSURE_WEIGHTS", "SpectrumDips", "closure_terms"]

# From `study.closure_weights`, on held-out sentences by the voices that were trained on.
CLOSURE_WEIGHTS: tuple[float, ...] = (0.89, 0.34, -0.62, -0.08, -1.04)
CLOSURE_BIAS = -0.37
"""Logit of a closure: weights of `closure_terms`, and what is added."""

_SHUT = PHONE_CURVES[:, CURVES.index("closure")]


def closure_terms(
    posteriors: NDArray[np.float32], heard: NDArray[np.float32], dips: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What a closure is known by.

    Parameters
    ----------
    posteriors
        (T, 40) probabilities of phones.
    heard
        (T,) the network's own logit of a closure.
    dips
        (T, 3) of `SpectrumDips`.

    Returns
    -------
    NDArray[np.float32]
        (T, 5): the log odds of /p b m/ together, the logit, and the dips.
    """
    shut = np.clip(posteriors @ _SHUT, 1e-6, 1.0 - 1e-6)
    odds = np.log(shut / (1.0 - shut))
    return np.concatenate([odds[:, None], heard[:, None], dips], axis=1).astype(np.float32)


class SpectrumDips:
    """How the upper spectrum falls while lips are shut, measured at the frames of a stream.

    In /p b m/ what is above about 700 Hz falls far below what it was within the last 120 ms, and in
    /b m/ the voice's hum below 300 Hz goes on.

    Parameters
    ----------
    delay
        Steps by which a stream's answers are late, 1 or more.
    """

    # Channels below about 300 Hz, and above about 700 Hz.
    _LOW, _HIGH = slice(0, 9), slice(20, MELS)
    _MEMORY = 6

    def __init__(self, delay: int) -> None:
        self._delay = delay
        self.reset()

    def reset(self) -> None:
        """Begin a new sound."""
        self._past = np.full(self._MEMORY, -5.0, np.float32)
        self._waiting = np.zeros((self._delay, 3), np.float32)

    def push(self, steps: NDArray[np.float32]) -> NDArray[np.float32]:
        """Measure the frames that are answered at these steps.

        Parameters
        ----------
        steps
            (s, 160) normalised spectra, two hops a step.

        Returns
        -------
        NDArray[np.float32]
            (s, 3): the dip below the last 120 ms, 0..3; the hum over the upper spectrum, -2..2; and
            the upper spectrum itself, in deviations of speech.
        """
        hops = steps.reshape(len(steps), steps.shape[1] // MELS, MELS)
        high = hops[:, :, self._HIGH].mean(axis=2).min(axis=1) if len(steps) else hops[:, 0, 0]
        low = hops[:, :, self._LOW].mean(axis=(1, 2)) if len(steps) else high
        whole = np.concatenate([self._past, high])
        self._past = whole[len(whole) - self._MEMORY :]
        before = np.lib.stride_tricks.sliding_window_view(whole, self._MEMORY)[: len(high)].max(1)
        rows = np.stack(
            [np.clip(before - high, 0.0, 3.0), np.clip(low - high, -2.0, 2.0), high], axis=1
        )
        rows = np.concatenate([self._waiting, rows])
        self._waiting = rows[len(rows) - self._delay :]
        # A frame lies in the step of its number and the one after.
        count = len(steps)
        return np.asarray(0.5 * (rows[:count] + rows[1 : count + 1]), np.float32)
