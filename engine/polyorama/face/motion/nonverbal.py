"""What a face does beside speaking: blinks, gaze, the head's motion and breath, all from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyorama.face.motion.beats import Beat, beat_pulses, beats, near_events
from polyorama.face.motion.emotions import CARRIAGE
from polyorama.face.motion.noise import normal, smooth_noise, uniform
from polyorama.face.motion.segments import Phrase, phrases
from polyorama.scene.faces.channels import CHANNEL_INDEX, EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.face.motion.manners import SpeakerManner
    from polyorama.face.motion.prosody_cues import Cues
    from polyorama.scene.faces.phones import PhoneTrack
    from polyorama.scene.faces.script import FaceStyle

__all__ = [
    "BLINK_S", "BREATH_AFTER_S", "BREATH_BEFORE_S", "POSTURE_S", "SACCADE_S",
    "Blink", "Breath", "Life", "Turn", "add_idle_life", "add_life", "blink_depth",
    "blink_shape", "blink_waits", "fixations", "life", "turned",
]  # fmt: skip

BLINK_S = 0.30
BREATH_BEFORE_S, BREATH_AFTER_S = 0.55, 0.20
SACCADE_S, POSTURE_S = 0.05, 0.80
_LEAST_BLINK_S = 0.8
_BLINKS_MEAN_S = 4.0
_SPREAD = 0.6
"""Standard deviation of the logarithm of the time between blinks (Bentivoglio et al. 1997 find
about 17 a minute, skewed)."""
_FIXATION_MEAN_S = 1.5
_DRAWN = 64
_LOOK_YAW, _LOOK_PITCH = 0.55, 0.45
"""Turn of the eyes at weight 1, rad."""
_HEAD_NOISE = {"headYaw": (0.055, 2.6), "headPitch": (0.032, 2.1), "headRoll": (0.032, 3.1)}
_NOD = 0.070


class Blink(NamedTuple):
    """When a blink begins, s, and how far it closes, 0..1."""

    time: float
    depth: float


class Turn(NamedTuple):
    """A turn (yaw, pitch, roll, rad) from `before` to `after` that begins at `time` s."""

    time: float
    before: tuple[float, float, float]
    after: tuple[float, float, float]


class Breath(NamedTuple):
    """A breath that is taken before speech that begins at `time` s, and how deep, 0..1."""

    time: float
    depth: float


class Life(NamedTuple):
    """All that happens beside speech, each in order of time."""

    beats: tuple[Beat, ...] = ()
    blinks: tuple[Blink, ...] = ()
    gaze: tuple[Turn, ...] = ()
    postures: tuple[Turn, ...] = ()
    breaths: tuple[Breath, ...] = ()


def life(
    track: PhoneTrack,
    cues: Cues,
    style: FaceStyle,
    manner: SpeakerManner,
    seconds: float,
    seed: int,
) -> Life:
    """What happens beside speech in `seconds` of it."""
    spoken = phrases(track)
    gaze = _gaze(spoken, seconds, seed)
    attractors = [p.end + 0.02 for p in spoken]
    attractors += [t.time - 0.03 for t in gaze if _size(t) > 0.14]
    return Life(
        beats(track, cues, seed),
        _blinks(sorted(attractors), style.blinks * manner.blinks, seconds, seed),
        gaze,
        _postures(spoken, seed),
        _breaths(spoken),
    )


def blink_waits(seed: int, first: int, count: int, rate: float) -> NDArray[np.float64]:
    """(count,) times from a blink to the next, s, from blink `first`: log-normal above a least.

    At `rate` 1 their mean is 4 s: 15 blinks a minute.
    """
    # A log-normal of mean m has median m exp(-s^2 / 2).
    median = (_BLINKS_MEAN_S - _LEAST_BLINK_S) * np.exp(-0.5 * _SPREAD**2)
    chance = normal(seed, "blink", np.arange(first, first + count))
    return np.asarray((_LEAST_BLINK_S + median * np.exp(_SPREAD * chance)) / rate)


def blink_depth(seed: int, index: int) -> float:
    """How far a blink closes: some do not close."""
    return 1.0 if uniform(seed, "blink depth", index)[0] > 0.12 else 0.75


def _blinks(attractors: list[float], rate: float, seconds: float, seed: int) -> tuple[Blink, ...]:
    if rate <= 0.0:
        return ()
    places = np.array(attractors)
    reach = 0.5 * _LEAST_BLINK_S / max(rate, 1.0)
    begin = -_BLINKS_MEAN_S / rate * float(uniform(seed, "first blink", 0)[0])
    times = _until(seconds + reach, begin, lambda first: blink_waits(seed, first, _DRAWN, rate))
    found = []
    for index, time in enumerate(times):
        low, high = np.searchsorted(places, [time - reach, time + reach])
        drawn = float(time)
        if low < high:  # more at the ends of phrases, and with large shifts of the eyes
            near = places[low:high]
            drawn = float(near[np.abs(near - time).argmin()])
        found.append(Blink(drawn, blink_depth(seed, index)))
    return tuple(found)


def _until(
    end: float, begin: float, waits: Callable[[int], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Times of a process that goes on from wait to wait, up to `end`; drawn `_DRAWN` at a time."""
    times = np.zeros(0)
    while not len(times) or times[-1] <= end:
        last = times[-1] if len(times) else begin
        times = np.concatenate([times, last + np.cumsum(waits(len(times)))])
    return times[: np.searchsorted(times, end, side="right")]


def fixations(
    seed: int, first: int, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Where fixations look, from `first` on: (count,) yaw and pitch, rad, and how long, s."""
    index = np.arange(first, first + count)
    usual = (_FIXATION_MEAN_S - 0.35) * np.exp(-0.5 * 0.7**2)
    lasts = 0.35 + usual * np.exp(0.7 * normal(seed, "fixation", index))
    away = uniform(seed, "look away", index) < 0.38
    yaw, pitch = (normal(seed, f"look {axis}", index) for axis in ("yaw", "pitch"))
    # Else from eye to eye to mouth of the one who listens.
    yaw = np.where(away, np.clip(0.17 * yaw, -0.4, 0.4), 0.025 * np.clip(yaw, -2.0, 2.0))
    near = 0.018 * np.clip(pitch, -2.0, 2.0) - 0.012
    return yaw, np.where(away, np.clip(0.09 * pitch, -0.2, 0.2), near), lasts


def _gaze(spoken: tuple[Phrase, ...], seconds: float, seed: int) -> tuple[Turn, ...]:
    ends = np.array([p.end for p in spoken])
    times = _until(seconds, 0.0, lambda first: fixations(seed, first, _DRAWN)[2])
    yaws, pitches, _ = fixations(seed, 0, len(times))
    found: list[Turn] = []
    before = (0.0, 0.0, 0.0)
    for time, yaw, pitch in zip(times, yaws, pitches, strict=True):
        low, high = np.searchsorted(ends, [time - 0.4, time + 0.4])
        share = 0.15 if low < high else 1.0  # the turn is handed over with a look
        after = (float(share * yaw), float(share * pitch), 0.0)
        found.append(Turn(float(time), before, after))
        before = after
    return tuple(found)


def _size(turn: Turn) -> float:
    return float(np.hypot(turn.after[0] - turn.before[0], turn.after[1] - turn.before[1]))


def _postures(spoken: tuple[Phrase, ...], seed: int) -> tuple[Turn, ...]:
    found: list[Turn] = []
    before = (0.0, 0.0, 0.0)
    starts = np.array([phrase.start for phrase in spoken])
    yaws, pitches, rolls = (smooth_noise(starts, seed, f"posture {a}", 0.7) for a in "ypr")
    for phrase, yaw, pitch, roll in zip(spoken, yaws, pitches, rolls, strict=True):
        after = (0.13 * float(yaw), 0.06 * float(pitch), 0.075 * float(roll))
        found.append(Turn(phrase.start - 0.4, before, after))
        before = after
    return tuple(found)


def _breaths(spoken: tuple[Phrase, ...]) -> tuple[Breath, ...]:
    heard, found = 0.0, []
    for phrase in spoken:
        pause = phrase.start - heard
        if pause >= 0.3:
            found.append(Breath(phrase.start - 0.06, min(0.4 + 0.6 * pause, 1.0)))
        heard = phrase.end
    return tuple(found)


def blink_shape(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """How closed a lid is `tau` s after a blink began: down in 0.08 s, up in 0.18 s."""
    down = np.clip(tau / 0.08, 0.0, 1.0)
    up = np.clip((BLINK_S - tau) / 0.18, 0.0, 1.0)
    return np.asarray(np.sin(0.5 * np.pi * down) ** 2 * up * up * (3.0 - 2.0 * up))


def turned(
    turns: tuple[Turn, ...], times: NDArray[np.float64], lasts: float
) -> NDArray[np.float64]:
    """(n, 3) yaw, pitch and roll at times: held between turns, each of which lasts `lasts` s."""
    if not turns:
        return np.zeros((len(times), 3))
    begun = np.array([t.time for t in turns])
    last = np.maximum(np.searchsorted(begun, times, side="right") - 1, 0)
    share = np.clip((times - begun[last]) / lasts, 0.0, 1.0)
    share = (share * share * share * (share * (6.0 * share - 15.0) + 10.0))[:, None]
    before = np.array([t.before for t in turns])[last]
    return np.asarray(before + share * (np.array([t.after for t in turns])[last] - before))


def _pair(stem: str) -> NDArray[np.int64]:
    return np.array([CHANNEL_INDEX[stem + "Left"], CHANNEL_INDEX[stem + "Right"]], np.int64)


_BLINKS, _WIDES, _SQUINTS = _pair("eyeBlink"), _pair("eyeWide"), _pair("eyeSquint")
_OUTER, _DOWN, _SNEER = _pair("browOuterUp"), _pair("browDown"), _pair("noseSneer")
_LOOK_UP, _LOOK_DOWN = _pair("eyeLookUp"), _pair("eyeLookDown")
_INNER, _JAW = CHANNEL_INDEX["browInnerUp"], CHANNEL_INDEX["jawOpen"]
_HEAD = CHANNEL_INDEX["headYaw"]
_TO_LEFT = [CHANNEL_INDEX["eyeLookOutLeft"], CHANNEL_INDEX["eyeLookInRight"]]
_TO_RIGHT = [CHANNEL_INDEX["eyeLookInLeft"], CHANNEL_INDEX["eyeLookOutRight"]]
_ANGRY = EMOTIONS.index("angry")


def add_life(
    weights: NDArray[np.float64],
    happens: Life,
    times: NDArray[np.float64],
    emotion: NDArray[np.float64],
    style: FaceStyle,
    manner: SpeakerManner,
    seed: int,
) -> None:
    """Add brows, head, gaze, breath and blinks to (n, 55) weights at times, s, in place.

    `emotion` is (n, 8): it carries the head and says how lively it is.
    """
    brows, nod = beat_pulses(happens.beats, times)
    _raise_brows(weights, brows * manner.brows, emotion[:, _ANGRY])
    head = _head(happens, times, nod, emotion, style, manner, seed)
    weights[:, _HEAD : _HEAD + 3] += head
    add_idle_life(weights, happens, times, style, manner, seed, head)


def add_idle_life(
    weights: NDArray[np.float64],
    happens: Life,
    times: NDArray[np.float64],
    style: FaceStyle,
    manner: SpeakerManner,
    seed: int,
    head: NDArray[np.float64] | None = None,
) -> None:
    """Add gaze, breath and blinks alone, in place: for a source whose head and brows move.

    `head` is (n, 3) yaw, pitch and roll, rad, that the eyes are to make up for; None where they do
    so already.
    """
    breath = _breath(happens.breaths, times) * style.breath
    weights[:, _JAW] += 0.07 * breath
    weights[:, _SNEER] += 0.10 * breath[:, None]
    weights[:, _INNER] += 0.06 * breath
    rise = style.breath * 0.006 * np.sin(2.0 * np.pi * times / 4.1) + 0.022 * breath
    weights[:, _HEAD + 1] += rise
    turned_head = np.stack((np.zeros_like(rise), rise, np.zeros_like(rise)), axis=1)
    if head is not None:
        turned_head += head
    _look(weights, happens, times, turned_head, style, manner, seed)
    _blink(weights, happens.blinks, times)


def _raise_brows(
    weights: NDArray[np.float64], brows: NDArray[np.float64], angry: NDArray[np.float64]
) -> None:
    # Angry emphasis draws the brows together where other emphasis lifts them.
    up, down = brows * (1.0 - angry), brows * angry
    weights[:, _INNER] += 0.50 * up
    weights[:, _OUTER] += 0.56 * up[:, None]
    weights[:, _WIDES] += 0.14 * up[:, None]
    weights[:, _DOWN] += 0.35 * down[:, None]


def _breath(found: tuple[Breath, ...], times: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(len(times))
    for breath in near_events(found, times, BREATH_BEFORE_S, BREATH_AFTER_S):
        low, high = np.searchsorted(
            times, [breath.time - BREATH_BEFORE_S, breath.time + BREATH_AFTER_S]
        )
        tau = times[low:high] - breath.time
        rise = np.clip(1.0 + tau / BREATH_BEFORE_S, 0.0, 1.0)
        fall = np.clip(1.0 - tau / BREATH_AFTER_S, 0.0, 1.0)
        total[low:high] += breath.depth * (rise * fall) ** 2 * (3.0 - 2.0 * rise * fall)
    return total


def _head(
    happens: Life,
    times: NDArray[np.float64],
    nod: NDArray[np.float64],
    emotion: NDArray[np.float64],
    style: FaceStyle,
    manner: SpeakerManner,
    seed: int,
) -> NDArray[np.float64]:
    carriage = emotion @ np.array([(c.yaw, c.pitch, c.roll) for c in CARRIAGE])
    lively = 1.0 + emotion @ np.array([c.lively - 1.0 for c in CARRIAGE])
    moved = turned(happens.postures, times, POSTURE_S)
    for axis, (name, (size, period)) in enumerate(_HEAD_NOISE.items()):
        moved[:, axis] += size * smooth_noise(times, seed, name, period)
    moved[:, 1] -= _NOD * nod
    moved *= (lively * manner.head)[:, None]
    moved += carriage
    moved[:, 2] += manner.tilt
    return np.asarray(moved * style.head)


def _look(
    weights: NDArray[np.float64],
    happens: Life,
    times: NDArray[np.float64],
    head: NDArray[np.float64],
    style: FaceStyle,
    manner: SpeakerManner,
    seed: int,
) -> None:
    wander = turned(happens.gaze, times, SACCADE_S) * (style.gaze * manner.gaze)
    drift = [0.006 * smooth_noise(times, seed, f"drift {axis}", 0.4) for axis in "yp"]
    # The eyes stay on what they look at while the head turns (vestibulo-ocular reflex).
    yaw = wander[:, 0] + drift[0] - 0.7 * head[:, 0]
    pitch = wander[:, 1] + drift[1] - 0.7 * head[:, 1]
    weights[:, _TO_LEFT] += np.maximum(yaw, 0.0)[:, None] / _LOOK_YAW
    weights[:, _TO_RIGHT] += np.maximum(-yaw, 0.0)[:, None] / _LOOK_YAW
    weights[:, _LOOK_UP] += np.maximum(pitch, 0.0)[:, None] / _LOOK_PITCH
    weights[:, _LOOK_DOWN] += np.maximum(-pitch, 0.0)[:, None] / _LOOK_PITCH
    down = weights[:, _LOOK_DOWN] - weights[:, _LOOK_UP]
    weights[:, _BLINKS] += 0.22 * np.maximum(down, 0.0)  # lids follow
    weights[:, _WIDES] += 0.12 * np.maximum(-down, 0.0)


def _blink(
    weights: NDArray[np.float64], found: tuple[Blink, ...], times: NDArray[np.float64]
) -> None:
    for blink in near_events(found, times, 0.0, BLINK_S):
        low, high = np.searchsorted(times, [blink.time, blink.time + BLINK_S])
        if low == high:
            continue
        shut = blink.depth * blink_shape(times[low:high] - blink.time)[:, None]
        part = weights[low:high]
        part[:, _BLINKS] += shut * np.maximum(1.0 - part[:, _BLINKS], 0.0)
        part[:, _WIDES] *= 1.0 - shut
        part[:, _SQUINTS] *= 1.0 - 0.6 * shut
