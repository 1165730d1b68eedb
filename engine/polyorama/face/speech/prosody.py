"""Prosody of speech: pitch, voice quality, loudness and the shape of the spectrum.

Pitch and harmonicity follow Boersma, "Accurate short-term analysis of the fundamental frequency and
the harmonics-to-noise ratio of a sampled sound" (IFA Proceedings 17, 1993), whose equations are
named beside the lines. Jitter and shimmer come from single glottal cycles (`cycle_kernels`). All of
it is written here from the papers; no other program's code is used.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CEILING", "FLOOR", "LOUDEST", "QUIETEST", "RATE", "Prosody", "energy_db", "prosody"]

RATE = 16000
"""Samples of speech in a second, Hz."""

FLOOR, CEILING = 65.0, 500.0
"""Lowest and highest pitch that is looked for, Hz."""

QUIETEST = -100.0
"""Where the level of silence ends, dB of full scale."""

LOUDEST = 1e6
"""Largest sample that is taken for sound, where full scale is 1; powers of more overflow."""

_WINDOW = int(3 * RATE / FLOOR)  # three of the longest periods
_FFT = 1024
"""Samples: holds the window and the longest lag, so that the autocorrelation does not wrap."""
_FINER = 2
"""Lags between two samples, got by padding the power spectrum."""
_CANDIDATES = 6
_VOICING_THRESHOLD = 0.45
_SILENCE_THRESHOLD = 0.03
_OCTAVE_COST = 0.01
_OCTAVE_JUMP_COST = 0.35
_VOICED_UNVOICED_COST = 0.14
_BLOCK = 1024
"""Frames at a time, which bounds the memory."""

_SHORT = 400  # 25 ms
_SHORT_FFT = 512
_TILT_BAND = (100.0, 5000.0)
_FORMANT_BAND = (300.0, 3500.0)


@dataclass(frozen=True, slots=True, eq=False)
class Prosody:
    """What a voice does besides saying phones; row k is centred at k / fps seconds.

    Parameters
    ----------
    fps
        Rows in a second, Hz.
    f0
        (T,) float32 pitch, Hz; 0 where unvoiced.
    voicing
        (T,) float32 periodicity 0..1, the autocorrelation at the pitch period; 0 where unvoiced.
    energy
        (T,) float32 level in dB of full scale, not below `QUIETEST`.
    tilt
        (T,) float32 slope of the spectrum, dB per octave, 100 to 5000 Hz; 0 in digital silence.
    jitter
        (T,) float32 mean change of the period from cycle to cycle over the mean period, within
        about 30 ms; 0 where unvoiced.
    shimmer
        (T,) float32 the same of the cycles' amplitudes.
    hnr
        (T,) float32 harmonics-to-noise ratio, dB, -20..40; 0 where unvoiced.
    flux
        (T,) float32 how much the spectrum's shape grew since the last row, 0..1.
    centroid
        (T,) float32 centre of the power between 300 and 3500 Hz, where the first formants lie, Hz;
        0 in digital silence.
    """

    fps: float
    f0: NDArray[np.float32]
    voicing: NDArray[np.float32]
    energy: NDArray[np.float32]
    tilt: NDArray[np.float32]
    jitter: NDArray[np.float32]
    shimmer: NDArray[np.float32]
    hnr: NDArray[np.float32]
    flux: NDArray[np.float32]
    centroid: NDArray[np.float32]

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "fps"):
            column = np.ascontiguousarray(getattr(self, name), np.float32).view()
            if column.shape != np.shape(self.f0) or column.ndim != 1:
                raise UsageError(f"The prosody's {name} must have a row a frame, as its pitch.")
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.f0)

    @property
    def table(self) -> NDArray[np.float32]:
        """(T, 9) float32, all curves side by side in the order of the fields."""
        return np.stack([getattr(self, f.name) for f in fields(self) if f.name != "fps"], axis=1)


def prosody(samples: NDArray[np.floating[Any]], fps: float = 100.0) -> Prosody:
    """Measure the prosody of speech.

    Parameters
    ----------
    samples
        (n,) at 16 kHz, -1..1.
    fps
        Rows in a second, 20 to 400.

    Returns
    -------
    Prosody
        Of ceil(n / 16000 * fps) rows.

    Raises
    ------
    UsageError
        If the samples are no row of finite numbers, or `fps` is out of range.
    """
    sound = checked_speech(samples)
    if not 20.0 <= fps <= 400.0:
        raise UsageError(f"Prosody takes 20 to 400 rows in a second, not {fps}.")
    rows = int(np.ceil(len(sound) * fps / RATE))
    centres = np.rint(np.arange(rows) * (RATE / fps)).astype(np.int64)
    f0, voicing = _pitch(sound, centres, fps)
    voiced = f0 > 0
    # Equation 4: the harmonic part of the power is the autocorrelation at the period.
    share = np.clip(voicing, 1e-2, 1 - 1e-4)
    hnr = np.where(voiced, np.clip(10 * np.log10(share / (1 - share)), -20, 40), 0)
    jitter, shimmer = _perturbation(sound, f0, fps)
    tilt, flux, centroid = _spectral(sound, centres)
    return Prosody(
        fps, f0, voicing, energy_db(sound, centres), tilt, jitter, shimmer, hnr, flux, centroid
    )


def checked_speech(samples: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Speech as (n,) float32.

    Raises
    ------
    UsageError
        If it has another shape, or holds what is no number, or more than `LOUDEST`.
    """
    sound = np.ascontiguousarray(samples, np.float32)
    if sound.ndim != 1:
        raise UsageError(f"Speech is one row of samples, not of the shape {sound.shape}.")
    # The sum is finite only if all are, short of absurd loudness; and it takes no memory.
    if not np.isfinite(np.sum(sound, dtype=np.float64)):
        raise UsageError("The speech holds samples that are no finite numbers.")
    if max(sound.max(initial=0.0), -sound.min(initial=0.0)) > LOUDEST:
        raise UsageError(f"The speech holds samples above {LOUDEST:,.0f}, where full scale is 1.")
    return sound


def energy_db(
    sound: NDArray[np.float32], centres: NDArray[np.int64], width: int = _SHORT
) -> NDArray[np.float32]:
    """Level around sample positions under a Hann window, dB of full scale.

    Parameters
    ----------
    sound
        (n,).
    centres
        (T,) positions.
    width
        Samples of the window.

    Returns
    -------
    (T,) float32, not below `QUIETEST`.
    """
    weights = np.hanning(width + 2)[1:-1]
    weights = (weights / weights.sum()).astype(np.float32)
    power = np.empty(len(centres), np.float32)
    for block, piece in _windows(sound, centres, width):
        power[block] = np.square(piece) @ weights
    decibels: NDArray[np.float32] = 10 * np.log10(np.maximum(power, np.float32(1e-20)))
    return np.maximum(decibels, np.float32(QUIETEST))


def _windows(sound: NDArray[np.float32], centres: NDArray[np.int64], width: int) -> Any:
    """Blocks of windows around positions: pairs of a slice of rows and (rows, width) samples."""
    half = width // 2
    for first in range(0, len(centres), _BLOCK):
        block = slice(first, min(first + _BLOCK, len(centres)))
        # Only the block's own stretch is copied; beyond the sound there is silence.
        start, stop = int(centres[block][0]) - half, int(centres[block][-1]) - half + width
        inside = sound[max(start, 0) : max(stop, 0)]
        before = min(max(-start, 0), stop - start)
        stretch = np.pad(inside, (before, stop - start - before - len(inside)))
        views = np.lib.stride_tricks.sliding_window_view(stretch, width)
        yield block, views[centres[block] - half - start]


@functools.cache
def _analysis_window() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The Hann window and, by lag, its autocorrelation as a share of that at lag 0."""
    window = np.hanning(_WINDOW + 2)[1:-1]
    power = np.abs(np.fft.rfft(window, _FFT)) ** 2
    lags = np.fft.irfft(power, _FFT * _FINER)
    return window.astype(np.float32), (lags / lags[0]).astype(np.float32)


def _pitch(
    sound: NDArray[np.float32], centres: NDArray[np.int64], fps: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Pitch (Hz, 0 where unvoiced) and the autocorrelation at its period, (T,) each."""
    rows = len(centres)
    if rows == 0:
        return np.zeros(0, np.float32), np.zeros(0, np.float32)
    periods = np.ones((rows, _CANDIDATES), np.float32)
    heights = np.zeros((rows, _CANDIDATES), np.float32)
    peaks = np.zeros(rows, np.float32)
    for block, piece in _windows(sound, centres, _WINDOW):
        piece = piece - piece.mean(axis=1, keepdims=True)
        middle = piece[:, _WINDOW // 3 : 2 * _WINDOW // 3]
        peaks[block] = np.abs(middle).max(axis=1)
        periods[block], heights[block] = _candidates(piece)
    # A click must not make all else look silent, so not the very highest peak.
    loudest = max(float(np.quantile(peaks, 0.99)), 1e-5)
    # Strengths of the unvoiced candidate (equation 23) and of the voiced ones (equation 24).
    unvoiced = _VOICING_THRESHOLD + np.maximum(
        0.0, 2.0 - (peaks / loudest) * (1 + _VOICING_THRESHOLD) / _SILENCE_THRESHOLD
    )
    voiced = heights - _OCTAVE_COST * np.log2(FLOOR * periods)
    strengths = np.column_stack([unvoiced, np.where(heights > 0, voiced, -np.inf)])
    path = _best_path(strengths, np.log2(1.0 / periods), 0.01 * fps)
    row = np.arange(rows)
    chosen = np.maximum(path - 1, 0)
    is_voiced = path > 0
    f0 = np.where(is_voiced, 1.0 / periods[row, chosen], 0)
    height = np.where(is_voiced, np.clip(heights[row, chosen], 0, 1), 0)
    return f0.astype(np.float32), height.astype(np.float32)


def _candidates(piece: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The best periods (s) of each window and the autocorrelation there, (rows, candidates)."""
    window, window_lags = _analysis_window()
    spectrum = np.fft.rfft(piece * window, _FFT)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    lags = np.fft.irfft(power, _FFT * _FINER)
    first = int(_FINER * RATE / CEILING)
    last = int(_FINER * RATE / FLOOR) + 1
    # Equation 9: the sound's autocorrelation is the windowed sound's over the window's.
    scale = window_lags[first - 1 : last + 2] * np.maximum(lags[:, :1], 1e-12)
    ratio = (lags[:, first - 1 : last + 2] / scale).astype(np.float32)
    here, before, after = ratio[:, 1:-1], ratio[:, :-2], ratio[:, 2:]
    is_peak = (here > before) & (here >= after) & (here > 0.5 * _VOICING_THRESHOLD)
    octave = _OCTAVE_COST * np.log2(np.arange(first, last + 1, dtype=np.float32))
    rated = np.where(is_peak, here - octave, np.float32(-np.inf))
    best = np.argpartition(rated, -_CANDIDATES, axis=1)[:, -_CANDIDATES:]
    row = np.arange(len(piece))[:, None]
    left, top, right = before[row, best], here[row, best], after[row, best]
    # A parabola through three lags.
    bend = np.maximum(2 * top - left - right, 1e-9)
    shift = np.clip(0.5 * (right - left) / bend, -0.5, 0.5)
    height = np.where(is_peak[row, best], top + 0.25 * (right - left) * shift, 0)
    # Beyond 1 an interpolated peak is reflected, as in the paper's section 7.
    height = np.where(height > 1, 1 / np.maximum(height, 1), height)
    periods = (best + first + shift) / np.float32(_FINER * RATE)
    return periods.astype(np.float32), height.astype(np.float32)


def _best_path(
    strengths: NDArray[np.floating[Any]], octaves: NDArray[np.floating[Any]], pace: float
) -> NDArray[np.int64]:
    """The path of candidates with the highest sum of strengths less transitions (equation 27).

    `strengths` (T, 1 + K), the unvoiced one first; `octaves` (T, K) log2 of the pitches; `pace`
    scales the costs of transitions, which the paper gives for steps of 10 ms.
    """
    rows, states = strengths.shape
    back = np.zeros((rows, states), np.int8)
    total = strengths[0].astype(np.float64)
    cost = np.full((states, states), _VOICED_UNVOICED_COST * pace)
    cost[0, 0] = 0.0
    jump = _OCTAVE_JUMP_COST * pace
    columns = np.arange(states)
    for row in range(1, rows):
        cost[1:, 1:] = jump * np.abs(octaves[row - 1][:, None] - octaves[row][None, :])
        reached = total[:, None] - cost
        best = reached.argmax(axis=0)
        back[row] = best
        total = reached[best, columns] + strengths[row]
    path = np.empty(rows, np.int64)
    path[-1] = int(total.argmax())
    for row in range(rows - 1, 0, -1):
        path[row - 1] = back[row, path[row]]
    return path


def _perturbation(
    sound: NDArray[np.float32], f0: NDArray[np.float32], fps: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Jitter and shimmer, (T,) each, from the cycles within about 30 ms of each row."""
    from polyorama.face.speech.cycle_kernels import find_cycles

    rows = len(f0)
    room = int(len(sound) * CEILING * 1.5 / RATE) + rows + 8
    times, periods, sizes, runs = (
        np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room, np.int64)
    )  # fmt: skip
    count = find_cycles(sound, f0, float(RATE), float(fps), times, periods, sizes, runs)
    times, periods, sizes, runs = times[:count], periods[:count], sizes[:count], runs[:count]
    together = runs[1:] == runs[:-1]
    at = np.clip(np.rint(times[1:][together] * fps / RATE).astype(np.int64), 0, max(rows - 1, 0))
    reach = max(1, round(0.03 * fps))
    measures = []
    for values in (periods, sizes):
        change = _spread(np.abs(np.diff(values))[together], at, rows, reach)
        mean = _spread((0.5 * (values[1:] + values[:-1]))[together], at, rows, reach)
        measures.append(np.where((f0 > 0) & (mean > 0), change / np.maximum(mean, 1e-12), 0))
    return measures[0].astype(np.float32), measures[1].astype(np.float32)


def _spread(
    values: NDArray[np.float64], at: NDArray[np.int64], rows: int, reach: int
) -> NDArray[np.float64]:
    """Sums of values at rows, over `reach` rows to either side."""
    sums = np.concatenate([[0.0], np.cumsum(np.bincount(at, weights=values, minlength=rows))])
    row = np.arange(rows)
    return sums[np.minimum(row + reach + 1, rows)] - sums[np.maximum(row - reach, 0)]  # type: ignore[no-any-return]


def _spectral(
    sound: NDArray[np.float32], centres: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Tilt (dB per octave), flux (0..1) and formant centroid (Hz), (T,) each."""
    rows = len(centres)
    tilt, flux, centroid = (np.zeros(rows, np.float32) for _ in range(3))
    window = np.hanning(_SHORT + 2)[1:-1].astype(np.float32)
    hertz = (np.arange(_SHORT_FFT // 2 + 1) * (RATE / _SHORT_FFT)).astype(np.float32)
    sloping = (hertz >= _TILT_BAND[0]) & (hertz <= _TILT_BAND[1])
    octaves = np.log2(hertz[sloping])
    # Each octave counts the same, though the higher ones have more bins.
    weight = 1.0 / hertz[sloping]
    weight = weight / weight.sum()
    centred = octaves - weight @ octaves
    slope = (weight * centred / (weight @ np.square(centred))).astype(np.float32)
    formants = (hertz >= _FORMANT_BAND[0]) & (hertz <= _FORMANT_BAND[1])
    last: NDArray[np.float32] | None = None
    for block, piece in _windows(sound, centres, _SHORT):
        spectrum = np.fft.rfft(piece * window, _SHORT_FFT)
        power = np.square(spectrum.real) + np.square(spectrum.imag)
        loud = power.sum(axis=1) > 1e-9
        tilt[block] = np.where(loud, 10 * np.log10(power[:, sloping] + 1e-12) @ slope, 0)
        band = power[:, formants]
        mass = band.sum(axis=1)
        centroid[block] = np.where(loud, band @ hertz[formants] / np.maximum(mass, 1e-12), 0)
        shape = np.sqrt(power)
        shape /= np.maximum(np.linalg.norm(shape, axis=1, keepdims=True), 1e-6)
        before = np.concatenate([shape[:1] if last is None else last, shape[:-1]])
        flux[block] = np.linalg.norm(np.maximum(shape - before, 0), axis=1)
        last = shape[-1:]
    return tilt, flux, centroid
