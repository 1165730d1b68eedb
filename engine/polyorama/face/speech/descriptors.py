"""One row of numbers that describes a stretch of speech, in the spirit of eGeMAPS.

The choice of measures follows Eyben et al., "The Geneva Minimalistic Acoustic Parameter Set
(GeMAPS) for Voice Research and Affective Computing" (IEEE Transactions on Affective Computing 7,
2016): percentiles and slopes of pitch and loudness, voice quality, the spectrum in voiced and in
unvoiced parts, and rhythm. The measures themselves are `Prosody`'s, so values are not openSMILE's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.face.speech.prosody import Prosody

__all__ = ["DESCRIPTORS", "descriptors"]

_SEMITONE_ZERO = 27.5
"""Hz of 0 semitones, the lowest A of a piano, as in GeMAPS."""

_LOUD_RANGE = 60.0
"""How far below its 95th percentile the level is cut off, dB: quieter is the room."""

_FRAME_CURVES = ("jitter", "shimmer", "hnr")

DESCRIPTORS: tuple[str, ...] = (
    *(
        f"{curve} {measure}"
        for curve in ("pitch, semitones", "level, dB")
        for measure in (
            "mean", "deviation", "20th percentile", "median", "80th percentile", "range 20-80",
            "rising slope, per s", "rising slope deviation", "falling slope, per s",
            "falling slope deviation",
        )
    ),
    *(f"{curve} {measure}" for curve in _FRAME_CURVES for measure in ("mean", "deviation")),
    *(
        f"{curve} {measure}, {part}"
        for curve in ("tilt, dB per octave", "centroid, Hz", "flux")
        for part in ("voiced", "unvoiced")
        for measure in ("mean", "deviation")
    ),
    "loudness peaks per s", "voiced stretches per s", "voiced stretch mean, s",
    "voiced stretch deviation, s", "pause mean, s", "pause deviation, s", "voiced share",
)  # fmt: skip
"""Names of the columns of `descriptors`, with their units."""


def descriptors(prosody: Prosody) -> NDArray[np.float32]:
    """Describe a stretch of speech; the level's own columns are relative to full scale.

    Returns
    -------
    (D,) float32, a number for each name of `DESCRIPTORS`; what cannot be measured, such as the
    pitch of a whisper, is 0.
    """
    values = np.fromiter(_values(prosody), np.float64)
    return values.astype(np.float32)


def _values(prosody: Prosody) -> Iterator[float]:
    fps = prosody.fps
    voiced = prosody.f0 > 0
    semitones = 12 * np.log2(np.maximum(prosody.f0, 1e-3).astype(np.float64) / _SEMITONE_ZERO)
    level = prosody.energy.astype(np.float64)
    if len(level):
        level = np.maximum(level, np.quantile(level, 0.95) - _LOUD_RANGE)
    sounding = level > (np.quantile(level, 0.95) - 30.0 if len(level) else 0.0)
    sounding &= prosody.energy > -90.0
    yield from _of_curve(semitones, voiced, fps)
    yield from _of_curve(level, sounding, fps)
    for name in _FRAME_CURVES:
        yield from _mean_and_deviation(getattr(prosody, name)[voiced])
    for curve in (prosody.tilt, prosody.centroid, prosody.flux):
        for part in (voiced, sounding & ~voiced):
            yield from _mean_and_deviation(curve[part])
    seconds = max(len(level) / fps, 1 / fps)
    yield _peaks(level, fps) / seconds if sounding.any() else 0.0
    stretches = _run_lengths(voiced) / fps
    yield len(stretches) / seconds
    yield from _mean_and_deviation(stretches)
    yield from _mean_and_deviation(_run_lengths(~voiced) / fps)
    yield float(voiced.mean()) if len(voiced) else 0.0


def _of_curve(curve: NDArray[np.float64], where: NDArray[np.bool_], fps: float) -> Iterator[float]:
    """Mean, deviation, percentiles, and slopes of the rising and the falling parts."""
    inside = curve[where]
    yield from _mean_and_deviation(inside)
    low, middle, high = np.percentile(inside, (20, 50, 80)) if len(inside) else (0.0, 0.0, 0.0)
    yield from (float(low), float(middle), float(high), float(high - low))
    # Over 50 ms, since single frames jump.
    reach = max(1, round(0.05 * fps))
    steps = (curve[reach:] - curve[:-reach]) * (fps / reach)
    steps = steps[where[reach:] & where[:-reach]]
    yield from _mean_and_deviation(steps[steps > 0])
    yield from _mean_and_deviation(steps[steps < 0])


def _mean_and_deviation(values: NDArray[np.floating]) -> Iterator[float]:
    yield float(np.mean(values, dtype=np.float64)) if len(values) else 0.0
    yield float(np.std(values, dtype=np.float64)) if len(values) else 0.0


def _run_lengths(where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Rows in each unbroken stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(np.int8)))
    return (edges[1::2] - edges[::2]).astype(np.float64)


def _peaks(level: NDArray[np.float64], fps: float) -> int:
    """Maxima of the level, smoothed over 80 ms, that stand out by 3 dB: about the syllables."""
    width = max(1, round(0.08 * fps))
    smooth = np.convolve(np.pad(level, width, mode="edge"), np.ones(width) / width, "same")
    count, low, high = 0, smooth[0], smooth[0]
    for value in smooth:
        high = max(high, value)
        if high - low >= 3.0 and value <= high - 3.0:
            count, low, high = count + 1, value, value
        elif high - low < 3.0:
            low = min(low, value)
            high = max(low, value)
        elif value < low:
            low = value
    return count
