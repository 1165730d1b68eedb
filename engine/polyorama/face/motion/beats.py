"""Beats: where brows rise and the head nods, on stressed syllables and tops of the melody."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from polyorama.face.motion.articulation import VOWELS
from polyorama.face.motion.noise import smooth_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.face.motion.prosody_cues import Cues
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = ["BEAT_AFTER_S", "BEAT_BEFORE_S", "Beat", "beat_pulses", "beats", "near_events"]

_NEAR_S = 0.18
_APART_S = 0.42
_LONG_S = 0.09
_RISE_S, _FALL_S = 0.16, 0.40
BEAT_BEFORE_S, BEAT_AFTER_S = 2.0 * _RISE_S, _FALL_S
"""How far around its time a beat is seen, s."""


class _Timed(Protocol):
    @property
    def time(self) -> float: ...


_Event = TypeVar("_Event", bound=_Timed)


class Beat(NamedTuple):
    """A moment of emphasis: when, s, how strong, and how much of it the brows show, 0..1."""

    time: float
    strength: float
    brows: float


def beats(track: PhoneTrack, cues: Cues, seed: int) -> tuple[Beat, ...]:
    """The moments of emphasis of what is said, in order of time.

    A stressed vowel is one, stronger where the voice rises (Hadar et al. 1983; Flecha-Garcia 2010)
    or is loud; so is a top of the melody by itself. Of those nearer than 0.42 s the strongest is
    kept. Which of them move the brows is chance that goes by time.
    """
    vowels = [p for p in track.phones if p.symbol in VOWELS]
    known = any(p.stress >= 0 for p in vowels)
    wanted = [p for p in vowels if (p.stress == 1 if known else p.end - p.start >= _LONG_S)]
    tops = np.array([peak.time for peak in cues.peaks])
    heights = np.array([peak.height for peak in cues.peaks])
    found: list[tuple[float, float]] = []
    taken = np.zeros(len(tops), bool)
    for vowel in wanted:
        time = 0.5 * (vowel.start + vowel.end)
        near = np.abs(tops - time) <= _NEAR_S + 0.5 * (vowel.end - vowel.start)
        taken |= near
        height = float(heights[near].max()) if near.any() else 0.0
        loud = float(np.clip(cues.loud(vowel.start, vowel.end), -0.5, 1.0))
        found.append((time, 0.42 + 0.12 * height + 0.25 * loud))
    found += [
        (float(t), 0.14 * float(h)) for t, h in zip(tops[~taken], heights[~taken], strict=True)
    ]
    return _kept(sorted(found), seed)


def _kept(found: list[tuple[float, float]], seed: int) -> tuple[Beat, ...]:
    if not found:
        return ()
    times = np.array([time for time, _ in found])
    chance = smooth_noise(times, seed, "beat", 0.5)
    strengths = np.clip(np.array([s for _, s in found]) * (1.0 + 0.35 * chance), 0.05, 1.0)
    brows = np.clip(0.55 + 1.1 * smooth_noise(times, seed, "beat brows", 0.5), 0.0, 1.0)
    kept = []
    for i, time in enumerate(times):
        low, high = np.searchsorted(times, [time - _APART_S, time + _APART_S])
        if strengths[i] >= strengths[low:high].max():
            kept.append(Beat(float(time), float(strengths[i]), float(brows[i])))
    return tuple(kept)


def near_events(
    events: Sequence[_Event], times: NDArray[np.float64], before: float, after: float
) -> Sequence[_Event]:
    """Those of some events, in order of time, that are seen at ascending times.

    An event is seen from `before` s before its time to `after` s after it.
    """
    low = bisect_left(events, times[0] - after, key=lambda event: event.time)
    high = bisect_right(events, times[-1] + before, key=lambda event: event.time)
    return events[low:high]


def beat_pulses(
    found: tuple[Beat, ...], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n,) how far the brows rise, 0..1, and (n,) how far the head nods, -0.25..1, at times, s."""
    brows, nod = np.zeros(len(times)), np.zeros(len(times))
    for beat in near_events(found, times, BEAT_BEFORE_S, BEAT_AFTER_S):
        low, high = np.searchsorted(times, [beat.time - BEAT_BEFORE_S, beat.time + BEAT_AFTER_S])
        if low == high:
            continue
        tau = times[low:high] - beat.time
        rise = np.where(tau < 0.0, 1.0 + tau / _RISE_S, 1.0 - tau / _FALL_S)
        pulse = np.clip(rise, 0.0, 1.0)
        pulse = pulse * pulse * (3.0 - 2.0 * pulse)
        brows[low:high] = np.maximum(brows[low:high], beat.strength * beat.brows * pulse)
        # The head draws back a little before it nods.
        back = np.clip(1.0 - np.abs(tau + 1.2 * _RISE_S) / (0.8 * _RISE_S), 0.0, 1.0)
        nod[low:high] += beat.strength * (pulse - 0.25 * back * back * (3.0 - 2.0 * back))
    return brows, nod
