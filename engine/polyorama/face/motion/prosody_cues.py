"""What melody and loudness tell the face: where a voice rises, and which stretches are loud."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cues", "PitchPeak", "ProsodyLike", "prosody_cues"]

_LOUD_RANGE_DB = 10.0
_PEAK_RADIUS_S = 0.2
_LEAST_PEAK, _MOST_PEAK = 1.2, 5.0
_SPREAD = (0.5, 4.0)
"""Least and most that a voice's own spread of pitch counts as, semitones."""


class ProsodyLike(Protocol):
    """What is needed of `polyorama.face.speech.prosody.Prosody`: rows at `fps`."""

    @property
    def f0(self) -> NDArray[np.floating]:
        """(T,) pitch, Hz."""
        ...

    @property
    def voicing(self) -> NDArray[np.floating]:
        """(T,) 0..1, how voiced."""
        ...

    @property
    def energy(self) -> NDArray[np.floating]:
        """(T,) dB."""
        ...

    @property
    def fps(self) -> float:
        """Rows in a second."""
        ...


class PitchPeak(NamedTuple):
    """A top of the melody: when, s, and how far above its surroundings.

    Heights are in the voice's own standard deviation of pitch: a flat voice has tops too.
    """

    time: float
    height: float


class Cues:
    """Melody and loudness of a recording, or of none: then all is as usual.

    Parameters
    ----------
    peaks
        In order of time.
    loudness
        (T,) dB above the usual of voiced speech, divided by 10.
    fps
        Rows of loudness in a second.
    """

    __slots__ = ("_fps", "_sums", "peaks")

    def __init__(
        self, peaks: tuple[PitchPeak, ...], loudness: NDArray[np.float64], fps: float
    ) -> None:
        self.peaks = peaks
        self._sums = np.concatenate([[0.0], np.cumsum(loudness)])
        self._fps = fps

    def loud(self, start: float, end: float) -> float:
        """Mean loudness of a stretch; 0 is as usual, 1 is 10 dB more."""
        last = len(self._sums) - 1
        low = min(max(int(start * self._fps), 0), last)
        high = min(max(int(np.ceil(end * self._fps)), low + 1), last)
        return float(self._sums[high] - self._sums[low]) / (high - low) if high > low else 0.0


_NO_CUES = Cues((), np.zeros(0), 1.0)


def prosody_cues(prosody: ProsodyLike | None) -> Cues:
    """Peaks of pitch and loudness; with no prosody none."""
    if prosody is None or not len(prosody.f0):
        return _NO_CUES
    f0 = np.asarray(prosody.f0, np.float64)
    voiced = (np.asarray(prosody.voicing) > 0.3) & (f0 > 0.0) & np.isfinite(f0)
    energy = np.nan_to_num(np.asarray(prosody.energy, np.float64), nan=-120.0)
    usual = float(np.median(energy[voiced])) if voiced.any() else float(np.median(energy))
    loudness = np.clip((energy - usual) / _LOUD_RANGE_DB, -2.0, 2.0)
    return Cues(_peaks(f0, voiced, prosody.fps), loudness, prosody.fps)


def _peaks(f0: NDArray[np.float64], voiced: NDArray[np.bool_], fps: float) -> tuple[PitchPeak, ...]:
    if voiced.sum() < 3:
        return ()
    places = np.flatnonzero(voiced)
    said = 12.0 * np.log2(f0[places])
    semitones = np.interp(np.arange(len(f0)), places, said) / np.clip(said.std(), *_SPREAD)
    window = np.hanning(max(int(0.06 * fps) | 1, 3) + 2)
    smooth = np.convolve(
        np.pad(semitones, len(window) // 2, mode="edge"), window / window.sum(), "valid"
    )
    radius = max(int(_PEAK_RADIUS_S * fps), 1)
    around = np.lib.stride_tricks.sliding_window_view(
        np.pad(smooth, radius, mode="edge"), 2 * radius + 1
    )
    height = smooth - 0.5 * (around[:, : radius + 1].min(1) + around[:, radius:].min(1))
    tops = np.flatnonzero((smooth >= around.max(1)) & voiced & (height >= _LEAST_PEAK))
    found: list[PitchPeak] = []
    for top in tops:
        if not found or top / fps - found[-1].time > _PEAK_RADIUS_S:
            found.append(PitchPeak(float(top / fps), float(min(height[top], _MOST_PEAK))))
    return tuple(found)
