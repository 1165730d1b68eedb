"""Log-mel spectra of speech, hop by hop, and the running normalisation of their channels.

Both look only back. What comes in blocks of any size gives the same numbers as the whole at once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HOP", "MELS", "RATE", "WINDOW", "MelStream", "RunningNorm", "filterbank"]

RATE = 16000
"""Samples a second."""
HOP = 160
"""Samples from one spectrum to the next: 10 ms."""
WINDOW = 400
"""Samples in a spectrum, the last of them its newest: 25 ms."""
MELS = 80
"""Channels of a spectrum."""

_FFT = 512
_LOWEST, _HIGHEST = 60.0, 7600.0
_EMPHASIS = 0.97
_FLOOR = 1e-6


@cache
def filterbank(warp: float = 1.0) -> NDArray[np.float32]:
    """Triangles spaced evenly in mels (2595 log10(1 + f / 700)), each of area 1.

    Parameters
    ----------
    warp
        Ratio by which centres are moved, as another throat's formants would be.

    Returns
    -------
    NDArray[np.float32]
        (257, 80) weights of a power spectrum's bins.
    """
    top = 2595.0 * np.log10(1.0 + _HIGHEST / 700.0)
    low = 2595.0 * np.log10(1.0 + _LOWEST / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(low, top, MELS + 2) / 2595.0) - 1.0)
    if warp != 1.0:
        # Straight up to a knee, then bent so that the highest edge stays (Jaitly & Hinton 2013).
        knee = 0.7 * _HIGHEST * min(1.0, 1.0 / warp)
        slope = (_HIGHEST - warp * knee) / (_HIGHEST - knee)
        edges = np.where(edges < knee, warp * edges, _HIGHEST - slope * (_HIGHEST - edges))
    hertz = np.arange(_FFT // 2 + 1) * RATE / _FFT
    rise = (hertz[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - hertz[:, None]) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0.0, np.minimum(rise, fall))
    # The narrowest triangles may lie between two bins; those take the nearest.
    for channel in np.flatnonzero(weights.sum(0) == 0.0):
        weights[np.argmin(np.abs(hertz - edges[channel + 1])), channel] = 1.0
    weights /= weights.sum(0)
    bank = weights.astype(np.float32)
    bank.flags.writeable = False
    return bank


@cache
def _taper() -> NDArray[np.float32]:
    # Of a periodic Hann window, scaled so that a power is a mean square.
    taper = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(WINDOW) / WINDOW)
    return np.asarray(taper / np.sqrt((taper**2).sum()), np.float32)


class MelStream:
    """Log-mel spectra of a sound that comes in blocks.

    Spectrum j ends with sample 160 (j + 1); before the sound begins there is silence.

    Parameters
    ----------
    warp
        See `filterbank`.
    """

    def __init__(self, warp: float = 1.0) -> None:
        self._bank = filterbank(warp)
        self.reset()

    def reset(self) -> None:
        """Begin a new sound."""
        self._kept = np.zeros(WINDOW - HOP, np.float32)
        self._last = np.zeros(1, np.float32)

    def push(self, samples: NDArray[Any]) -> NDArray[np.float32]:
        """Spectra that the samples complete, (h, 80) natural logarithms of power."""
        new = np.asarray(samples, np.float32)
        before = np.concatenate([self._last, new])
        self._last = before[-1:]
        held = np.concatenate([self._kept, new - np.float32(_EMPHASIS) * before[:-1]])
        hops = max(0, (len(held) - (WINDOW - HOP)) // HOP)
        self._kept = held[hops * HOP :]
        if not hops:
            return np.zeros((0, MELS), np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(held, WINDOW)[: hops * HOP : HOP]
        out = np.empty((hops, MELS), np.float32)
        # In pieces, so that hours of sound need no more memory than minutes.
        for at in range(0, hops, 4096):
            spectra = np.fft.rfft(windows[at : at + 4096] * _taper(), _FFT)
            power = (spectra.real**2 + spectra.imag**2) @ self._bank
            out[at : at + 4096] = np.log(power + _FLOOR)
        return out


class RunningNorm:
    """Channels brought to mean 0 and variance 1 by what was heard in the last 3 s or so.

    Levels are taken from a running peak, so that loudness does not matter; mean and variance are
    those of hops near the peak, so that silence does not matter. Both begin with a saved profile.

    Parameters
    ----------
    mean, variance
        (80,) of speech, relative to the running peak.
    peak
        Level that the running peak begins with.
    shape
        Leading axes of what is pushed, for several sounds in step.
    """

    # All levels are natural logarithms of power: 1 is 4.3 dB.
    _PEAK_DECAY = 0.004
    _FLOOR_RISE = 0.007
    _OVER_FLOOR = 4.0
    _GATE_PEAK = 6.0
    _GATE_FLOOR = 1.5
    _BEGIN, _SPAN = 50.0, 300.0

    def __init__(
        self,
        mean: NDArray[np.float32],
        variance: NDArray[np.float32],
        peak: float,
        shape: tuple[int, ...] = (),
    ) -> None:
        self._profile = (np.asarray(mean, np.float32), np.asarray(variance, np.float32))
        self._first_peak = peak
        self._shape = shape
        self.reset()

    def reset(self) -> None:
        """Forget all but the profile."""
        mean, variance = self._profile
        self.mean = np.broadcast_to(mean, (*self._shape, MELS)).copy()
        self.variance = np.broadcast_to(variance, (*self._shape, MELS)).copy()
        self.peak = np.full((*self._shape, 1), self._first_peak, np.float32)
        self.floor = np.full((*self._shape, 1), np.inf, np.float32)
        self._count = np.full((*self._shape, 1), self._BEGIN, np.float32)

    def push(self, spectra: NDArray[np.float32]) -> NDArray[np.float32]:
        """Normalise spectra in their order.

        Parameters
        ----------
        spectra
            (h, ..., 80) log-mel; the axes between are those of `shape`.

        Returns
        -------
        NDArray[np.float32]
            The same shape, bounded to -5..5.
        """
        out = np.empty_like(spectra)
        levels = spectra.mean(-1, keepdims=True)
        for hop, level, row in zip(spectra, levels, out, strict=True):
            self.floor = np.minimum(level, self.floor + self._FLOOR_RISE)
            over = np.maximum(self.peak - self._PEAK_DECAY, self.floor + self._OVER_FLOOR)
            self.peak = np.maximum(level, over)
            heard = np.logical_and(
                level > self.peak - self._GATE_PEAK, level > self.floor + self._GATE_FLOOR
            )
            # A running mean over all that was heard at first, over the last 3 s later.
            step = heard / (self._count + 1.0)
            self._count = np.minimum(self._count + heard, self._SPAN)
            relative = hop - self.peak
            off = relative - self.mean
            self.mean += step * off
            self.variance += step * (off * (relative - self.mean) - self.variance)
            row[...] = (relative - self.mean) / np.sqrt(self.variance + 0.1)
        return np.clip(out, -5.0, 5.0, out=out)
