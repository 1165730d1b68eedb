"""Smoothing: without delay and of finite reach for takes, causal for what is live.

Contact of the lips is applied after either, so neither can blur it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.channels import CHANNELS, region_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LiveSmoother", "reach", "smoothed"]

_SHARE = {"mouth": 0.35, "jaw": 0.35, "tongue": 0.25, "lids": 0.2, "gaze": 0.2, "cheeks": 0.8,
          "brows": 0.8, "head": 1.0}  # fmt: skip
_SHARES = np.array([_SHARE[region_of(name)] for name in CHANNELS])
"""(55,) how much of the smoothing a channel gets: consonants and lids are fast, brows slow."""


def reach(amount: float) -> float:
    """How far `smoothed` looks to each side, s."""
    return amount


def smoothed(weights: NDArray[np.float64], fps: float, amount: float) -> NDArray[np.float64]:
    """Weights smoothed by a Hann window without delay.

    Parameters
    ----------
    weights
        (n, 55); rows nearer than `reach` to an end are only right where what is beyond is as the
        end is.
    fps
        Rows in a second.
    amount
        Half the window's width for the slowest channels, s.

    Returns
    -------
    (n, 55) float64.
    """
    if amount <= 0.0:
        return weights
    result = weights.copy()
    for share in np.unique(_SHARES):
        half = amount * share * fps
        radius = int(np.ceil(half)) - 1 if half > 1.0 else 0
        if radius < 1:
            continue
        window = np.cos(0.5 * np.pi * np.arange(-radius, radius + 1) / half) ** 2
        window /= window.sum()
        columns = np.flatnonzero(share == _SHARES)
        padded = np.pad(weights[:, columns], ((radius, radius), (0, 0)), mode="edge")
        views = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1, axis=0)
        result[:, columns] = views @ window
    return result


class LiveSmoother:
    """The one-euro filter for each channel: still where a face is still, quick where it is quick.

    Casiez, Roussel and Vogel 2012. The cut-off is f_min + beta |speed|.

    Parameters
    ----------
    amount
        Time constant of the slowest channels at rest, s; 0 smooths nothing.
    """

    __slots__ = ("_least", "_seen", "_speed", "amount")

    _BETA = 1.6
    """Cut-off in Hz that a speed of 1 a second adds."""
    _SPEED_HZ = 2.0

    def __init__(self, amount: float = 0.03) -> None:
        self.amount = amount
        self._least = 1.0 / (2.0 * np.pi * np.maximum(amount * _SHARES, 1e-6))
        self._seen: NDArray[np.float64] | None = None
        self._speed = np.zeros(len(CHANNELS))

    def step(self, weights: NDArray[np.floating], dt: float) -> NDArray[np.float64]:
        """(55,) smoothed weights, `dt` s after the step before."""
        new = np.asarray(weights, np.float64)
        if self._seen is None or self.amount <= 0.0 or dt <= 0.0:
            self._seen = new.copy()
            return new.copy()
        speed = (new - self._seen) / dt
        self._speed += _gain(np.full(1, self._SPEED_HZ), dt) * (speed - self._speed)
        gain = _gain(self._least + self._BETA * np.abs(self._speed), dt)
        self._seen = self._seen + gain * (new - self._seen)
        return self._seen.copy()

    def reset(self) -> None:
        """Forget all that was seen."""
        self._seen = None
        self._speed = np.zeros(len(CHANNELS))


def _gain(cutoff: NDArray[np.float64], dt: float) -> NDArray[np.float64]:
    return np.asarray(1.0 / (1.0 + 1.0 / (2.0 * np.pi * cutoff * dt)))
