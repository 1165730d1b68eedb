"""Another melody for speech that exists: pitch-synchronous overlap-add.

Grains of two periods around pitch marks are laid down again at other distances (TD-PSOLA, Moulines
and Charpentier 1990): pitch changes, formants and durations stay. For voices whose synthesiser
takes no pitch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["repitched"]

_UNVOICED_S = 0.005
"""Distance of marks where there is no pitch, s."""


def repitched(
    samples: NDArray[np.floating],
    rate: float,
    f0: NDArray[np.floating],
    wanted: NDArray[np.floating],
    fps: float,
) -> NDArray[np.float32]:
    """Speech with another pitch, as long as before.

    Parameters
    ----------
    samples, rate
        (n,) speech, and its samples a second.
    f0, wanted
        (T,) Hz at `fps`: the pitch it has, 0 where it has none, and the one that it gets.
    fps
        Rows of pitch a second.

    Returns
    -------
    (n,) float32.
    """
    sound = np.asarray(samples, np.float64)
    marks, periods = _marks(sound, rate, np.asarray(f0, np.float64), fps)
    out, weight = np.zeros(len(sound)), np.full(len(sound), 1e-3)
    at = 0.0
    while at < len(sound):
        k = int(np.argmin(np.abs(marks - at)))
        period = periods[k]
        half = max(round(period), 8)
        window = np.hanning(2 * half + 1)
        source, target = round(marks[k]), round(at)
        low = max(-half, -source, -target)
        high = min(half + 1, len(sound) - source, len(sound) - target)
        if low < high:
            grain = window[low + half : high + half]
            out[target + low : target + high] += grain * sound[source + low : source + high]
            weight[target + low : target + high] += grain
        row = min(int(at / rate * fps), len(f0) - 1)
        ratio = wanted[row] / f0[row] if f0[row] > 0.0 and wanted[row] > 0.0 else 1.0
        at += max(period / ratio, 8.0)
    return np.asarray(out / np.maximum(weight, 0.5), np.float32)


def _marks(
    sound: NDArray[np.float64], rate: float, f0: NDArray[np.float64], fps: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Samples at which periods are marked, at their highest peaks, and the periods there."""
    marks: list[float] = []
    periods: list[float] = []
    at = 0.0
    while at < len(sound):
        pitch = f0[min(int(at / rate * fps), len(f0) - 1)]
        period = rate / pitch if pitch > 0.0 else _UNVOICED_S * rate
        place = at
        if pitch > 0.0:
            low = max(round(at - 0.25 * period), 0)
            place = low + float(np.argmax(sound[low : round(at + 0.25 * period) + 1]))
            if marks and place <= marks[-1]:
                place = at
        marks.append(place)
        periods.append(period)
        at = place + period
    return np.array(marks), np.array(periods)
