"""The rules: speech, feeling and a person's manner in, a performance out.

A plan lists what happens (phones that pull, lips that meet, beats, blinks, turns), each with a
finite reach; a frame is a function of the plan and its time alone. So any stretch of frames can be
made by itself, which is how a change is carried out without making all of it again.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.motion.articulation import REACH_S
from polyorama.face.motion.closures import Closure, close_lips, closures, contact
from polyorama.face.motion.composing import composed
from polyorama.face.motion.dominance import dominance_tracks
from polyorama.face.motion.manners import SPEAKERS, SpeakerManner
from polyorama.face.motion.nonverbal import Life, add_life, life
from polyorama.face.motion.prosody_cues import Cues, ProsodyLike, prosody_cues
from polyorama.face.motion.segments import Segment, segments
from polyorama.face.motion.smoothing import reach, smoothed
from polyorama.face.motion.styling import limited, styled
from polyorama.scene.faces.channels import CHANNELS, EMOTIONS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.script import FaceStyle

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.faces.phones import PhoneTrack

__all__ = [
    "EMOTION_FPS", "MOST_FRAMES", "ONSET_S", "SETTLED_S", "Emotion", "Plan", "check_length",
    "emotion_rows", "perform", "plan", "raw_rows", "render",
]  # fmt: skip

EMOTION_FPS = 25.0
"""Rows of an emotion's array in a second."""

MOST_FRAMES = 1 << 21
"""Longest performance: nine hours at 60 frames a second, 460 MB."""

_BLOCK_S = 30.0
ONSET_S, SETTLED_S = 0.15, 0.45
"""How long before a change of emotion a face begins to follow, and when it has followed, s."""

Emotion: TypeAlias = "NDArray[Any] | Callable[[NDArray[np.float64]], NDArray[Any]]"
"""(8,) strengths of `EMOTIONS` for all time, (T, 8) at `EMOTION_FPS`, or a function of (n,) times,
s, that gives (n, 8)."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that happens in a performance by rules.

    Parameters
    ----------
    segments
        What pulls at the mouth, in order of time.
    closures
        Where lips meet, in order.
    happens
        What happens beside speech, or None: nothing does.
    """

    segments: tuple[Segment, ...]
    closures: tuple[Closure, ...]
    happens: Life | None


def plan(
    phones: PhoneTrack,
    cues: Cues,
    style: FaceStyle,
    manner: SpeakerManner,
    *,
    seconds: float,
    seed: int,
    nonverbal: bool = True,
) -> Plan:
    """What happens in `seconds` of speech."""
    beside = life(phones, cues, style, manner, seconds, seed) if nonverbal else None
    return Plan(segments(phones, seconds, cues.loud), closures(phones), beside)


def emotion_rows(emotion: Emotion, first: int, count: int, fps: float) -> NDArray[np.float64]:
    """(count, 8) strengths of emotions at frames from `first`, as a face follows them.

    A face needs time: a step grows from 0.15 s before to 0.45 s after it.

    Raises
    ------
    UsageError
        If the emotion has not 8 columns.
    """
    ahead, back = int(np.ceil(ONSET_S * fps)), int(np.ceil(SETTLED_S * fps))
    times = np.maximum((np.arange(-back, count + ahead) + first) / fps, 0.0)
    if callable(emotion):
        rows = np.asarray(emotion(times), np.float64)
    else:
        rows = _at_times(np.asarray(emotion, np.float64), times)
    if rows.shape != (len(times), len(EMOTIONS)):
        raise UsageError(f"An emotion has {len(EMOTIONS)} strengths, not the shape {rows.shape}.")
    if (rows == rows[0]).all():
        return rows[:count].copy()
    lags = np.arange(-ahead, back + 1) / fps
    shape = np.where(lags < 0.0, 1.0 + lags / (ONSET_S + 1.0 / fps), 1.0 - lags / SETTLED_S)
    kernel = np.clip(shape, 0.0, None)
    kernel /= kernel.sum()
    views = np.lib.stride_tricks.sliding_window_view(rows, len(lags), axis=0)
    return np.asarray(views @ kernel[::-1])


def _at_times(array: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    if array.ndim == 1:
        return np.tile(array, (len(times), 1))
    if array.ndim != 2 or not len(array):
        raise UsageError(f"An emotion is (8,) or (T, 8), not the shape {array.shape}.")
    place = np.minimum(times * EMOTION_FPS, len(array) - 1.0)
    low = place.astype(np.int64)
    share = (place - low)[:, None]
    return (1.0 - share) * array[low] + share * array[np.minimum(low + 1, len(array) - 1)]


def raw_rows(
    made: Plan,
    emotion: Emotion,
    style: FaceStyle,
    manner: SpeakerManner,
    *,
    first: int,
    count: int,
    fps: float,
    seed: int,
) -> NDArray[np.float64]:
    """(count, 55) weights of frames from `first`, before they are smoothed and lips meet."""
    times = (np.arange(count) + first) / fps
    feel = emotion_rows(emotion, first, count, fps) * style.emotion
    near = _between(made.segments, times[0] - REACH_S, times[-1] + REACH_S)
    tracks = dominance_tracks(near, first, count, fps, manner.pace)
    weights = composed(tracks, feel, times, manner, seed)
    if made.happens is not None:
        add_life(weights, made.happens, times, feel, style, manner, seed)
    styled(weights, style, manner.asymmetry)
    limited(weights)
    return weights


def render(
    made: Plan,
    emotion: Emotion,
    style: FaceStyle,
    manner: SpeakerManner,
    *,
    first: int,
    count: int,
    fps: float,
    seed: int,
) -> NDArray[np.float32]:
    """(count, 55) float32 weights of frames `first` to `first + count`; frame k is at k / fps s."""
    pad = int(np.ceil(reach(style.smoothing) * fps))
    weights = raw_rows(
        made, emotion, style, manner, first=first - pad, count=count + 2 * pad, fps=fps, seed=seed
    )
    weights = smoothed(weights, fps, style.smoothing)[pad : pad + count]
    close_lips(weights, *contact(made.closures, first, count, fps))
    return weights.astype(np.float32)


def check_length(seconds: float, fps: float) -> None:
    """See that a performance is not too long.

    Raises
    ------
    UsageError
        If it lasts no time, has no rate, or has more than `MOST_FRAMES`.
    """
    if not (seconds > 0.0 and fps > 0.0 and seconds * fps <= MOST_FRAMES):
        raise UsageError(
            f"A performance cannot last {seconds:g} s at {fps:g} frames a second; at most "
            f"{MOST_FRAMES} frames can be made."
        )


def _between(found: tuple[Segment, ...], start: float, end: float) -> tuple[Segment, ...]:
    low = bisect_left(found, start, key=lambda s: s.end)
    high = bisect_left(found, end, key=lambda s: s.start)
    return found[low:high]


def perform(
    phones: PhoneTrack,
    prosody: ProsodyLike | None,
    emotion: Emotion,
    style: FaceStyle | None = None,
    manner: SpeakerManner | None = None,
    *,
    seconds: float,
    seed: int,
    fps: float = 60.0,
    nonverbal: bool = True,
) -> Performance:
    """A performance by rules.

    Parameters
    ----------
    phones
        What is said.
    prosody
        Melody and loudness of the voice, or None: then stress alone moves brows and head.
    emotion
        (8,) or (T, 8) at 25 Hz strengths of `EMOTIONS`, or a function of times.
    style, manner
        Sliders, and whose manner; by default none is moved, and the first speaker's.
    seconds
        How long it lasts.
    seed
        Which take: the same seed gives the same performance.
    fps
        Frames in a second.
    nonverbal
        Whether it blinks, looks about, moves its head and brows and breathes.

    Raises
    ------
    UsageError
        If `seconds` or `fps` is not positive, together they are more than `MOST_FRAMES`, or the
        emotion has not 8 columns.
    """
    check_length(seconds, fps)
    style, manner = style or FaceStyle(), manner or SPEAKERS[0]
    made = plan(phones, prosody_cues(prosody), style, manner, seconds=seconds, seed=seed,
                nonverbal=nonverbal)  # fmt: skip
    total = max(round(seconds * fps), 1)
    block = max(round(_BLOCK_S * fps), 1)
    weights = np.empty((total, len(CHANNELS)), np.float32)
    for first in range(0, total, block):
        count = min(block, total - first)
        weights[first : first + count] = render(
            made, emotion, style, manner, first=first, count=count, fps=fps, seed=seed
        )
    return Performance(weights, fps)
