"""What a face follows: speech, emotion, style and keys, layer upon layer; plain data.

`polyorama.face.stack` carries it out: phones, then curves, then the model, then keys, then limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from polyorama.core.params import Checked, choice, flag, number, whole
from polyorama.errors import UsageError
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS, EMOTIONS, REGIONS
from polyorama.scene.faces.performance import MOST_WEIGHT, frozen_rows
from polyorama.scene.faces.phones import PhoneTrack

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.scene.contents import Audio

__all__ = ["ChannelKeys", "CompSpan", "EmotionKey", "FaceScript", "FaceStyle", "Owner"]

_SOURCES = ("rules", "model", "mix", "tracker")
_MOST_SEED = 2**31 - 1
_LATEST_S = 1e6
_APART_S = 1e-6
"""Keys nearer than this are one."""


def _ascend(times: Sequence[float]) -> bool:
    return all(b - a >= _APART_S for a, b in pairwise(times))


def _within(most: float, *numbers: float) -> bool:
    """Whether all are finite and no further from 0 than that."""
    return all(abs(number) <= most for number in numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceStyle(Checked):
    """How a face speaks and lives: sliders."""

    jaw: float = number(1.0, 0.0, 2.0, help="How far the jaw opens: mumbling to shouting")
    lips: float = number(1.0, 0.0, 2.0, help="How much the lips shape: mumbling to enunciating")
    brows: float = number(1.0, 0.0, 2.0, help="Strength of the brows")
    lids: float = number(1.0, 0.0, 2.0, help="Strength of squints and wide eyes")
    cheeks: float = number(1.0, 0.0, 2.0, help="Strength of cheeks and nose")
    tongue: float = number(1.0, 0.0, 2.0, help="Strength of the tongue")
    emotion: float = number(1.0, 0.0, 2.0, help="Strength of the emotion")
    blinks: float = number(1.0, 0.0, 4.0, help="How often it blinks; 1 is 15 times a minute")
    gaze: float = number(1.0, 0.0, 3.0, help="How far the eyes wander")
    head: float = number(1.0, 0.0, 3.0, help="How far the head moves")
    breath: float = number(1.0, 0.0, 3.0, help="How visibly it breathes")
    asymmetry: float = number(0.0, -1.0, 1.0, help="One side more than the other; left is above 0")
    smoothing: float = number(0.0, 0.0, 0.3, unit="s", help="Smoothing; closures stay closed")
    lid_offset: float = number(0.0, -0.5, 0.5, help="Lids at rest: below 0 tired, above 0 awake")
    lip_offset: float = number(0.0, -0.2, 0.2, help="Lips at rest: above 0 parted")


@dataclass(frozen=True, slots=True)
class EmotionKey:
    """An emotion from a time on; between keys it is blended.

    Parameters
    ----------
    time
        s.
    weights
        Strength of each of `EMOTIONS`, 0..1; what is missing to 1 is neutral.
    """

    time: float
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.weights) != len(EMOTIONS) or not all(0.0 <= w <= 1.0 for w in self.weights):
            raise UsageError(f"An emotion is {len(EMOTIONS)} strengths from 0 to 1.")
        if not _within(_LATEST_S, self.time):
            raise UsageError("An emotion needs a finite time, at most a million seconds.")


@dataclass(frozen=True, slots=True)
class ChannelKeys:
    """Keys on a channel, over what lies below.

    Parameters
    ----------
    channel
        One of `CHANNELS`.
    times, values
        Ascending times, s, and a value each; blended smoothly, and faded over `fade` at the ends.
    mode
        "replace" what lies below, or "add" to it.
    fade
        s.
    """

    channel: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    mode: str = "replace"
    fade: float = 0.1

    def __post_init__(self) -> None:
        if self.channel not in CHANNEL_INDEX:
            raise UsageError(f"There is no channel {self.channel!r}.")
        if self.mode not in ("replace", "add"):
            raise UsageError(f"Keys replace or add, not {self.mode!r}.")
        if not self.times or len(self.times) != len(self.values):
            raise UsageError(f"Keys on {self.channel} need as many values as times, at least one.")
        if not _ascend(self.times):
            raise UsageError(f"Keys on {self.channel} need times that ascend.")
        if not _within(_LATEST_S, *self.times, self.fade) or self.fade < 0.0:
            raise UsageError(f"Keys on {self.channel} need finite times, and a fade of 0 or more.")
        if not _within(MOST_WEIGHT, *self.values):
            raise UsageError(f"Keys on {self.channel} need finite values, at most {MOST_WEIGHT}.")


@dataclass(frozen=True, slots=True)
class CompSpan:
    """Take a region of the face from another take of the model, for a while.

    Parameters
    ----------
    region
        One of `REGIONS`.
    start, end
        s.
    seed, temperature
        The take.
    """

    region: str
    start: float
    end: float
    seed: int
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if self.region not in REGIONS:
            raise UsageError(f"There is no region {self.region!r}.")
        if not 0.0 <= self.start < self.end < 1e6 or not 0.0 <= self.temperature <= 3.0:
            raise UsageError("A part of a take needs a start before its end, a temperature to 3.")
        if not 0 <= self.seed <= _MOST_SEED:
            raise UsageError(f"A take's seed is from 0 to {_MOST_SEED}, not {self.seed}.")


@dataclass(frozen=True, slots=True)
class Owner:
    """Who alone moves a region or a channel: "rules", "model", "mix" or "tracker"."""

    target: str
    source: str

    def __post_init__(self) -> None:
        if self.target not in REGIONS and self.target not in CHANNEL_INDEX:
            raise UsageError(f"There is no region or channel {self.target!r}.")
        if self.source not in _SOURCES:
            raise UsageError(f"A region is moved by {', '.join(_SOURCES)}, not {self.source!r}.")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FaceScript(Checked):
    """All that makes a performance, in the order in which the layers lie.

    Parameters
    ----------
    sound
        The speech, or None. The script's time begins with it: where it began on a timeline is
        forgotten, its `start` is 0.
    transcript
        What is said, where it is known.
    phones
        Editable.
    emotion_keys
        For `emotion` "keyed", in order of time.
    emotion_features
        (T, D) float32 at 25 Hz for `emotion` "swapped": how another clip or take felt.
    emotion_name
        What the features were taken from, for people.
    tracker
        (T, 55) float32 at 60 Hz for what a tracker moves, or None.
    owners, comp, keys
        Exclusive ownership, parts of other takes, keys by hand.
    limits
        Channel, least and most, for channels that are held.
    """

    sound: Audio | None = None
    transcript: str = ""
    phones: PhoneTrack = field(default_factory=PhoneTrack)
    source: str = choice("model", _SOURCES[:3], help="What moves the face")
    mix: float = number(0.5, 0.0, 1.0, help="Share of the model in a mix", animated=False)
    emotion: str = choice(
        "detected", ("detected", "keyed", "swapped"), help="Where emotion comes from"
    )
    emotion_keys: tuple[EmotionKey, ...] = ()
    emotion_features: NDArray[np.float32] | None = None
    emotion_name: str = ""
    speaker: int = whole(0, 0, 4095, help="Whose manner", animated=False)
    seed: int = whole(0, 0, _MOST_SEED, help="Which take", animated=False)
    temperature: float = number(0.7, 0.0, 3.0, help="How far takes differ", animated=False)
    style: FaceStyle = field(default_factory=FaceStyle)
    nonverbal: bool = flag(True, help="Blinks, gaze, head and breath", animated=False)
    tracker: NDArray[np.float32] | None = None
    owners: tuple[Owner, ...] = ()
    comp: tuple[CompSpan, ...] = ()
    keys: tuple[ChannelKeys, ...] = ()
    limits: tuple[tuple[str, float, float], ...] = ()

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        for name in ("emotion_features", "tracker"):
            array = getattr(self, name)
            if array is None:
                continue
            rows = frozen_rows(array)
            if rows.ndim != 2 or not rows.shape[1]:
                raise UsageError(f"The {name} of a face are rows of numbers.")
            if rows.size and not (rows.min() >= -MOST_WEIGHT and rows.max() <= MOST_WEIGHT):
                raise UsageError(f"The {name} of a face are not finite, or beyond {MOST_WEIGHT}.")
            object.__setattr__(self, name, rows)
        if self.tracker is not None and (
            self.tracker.shape[1] != len(CHANNELS) or not len(self.tracker)
        ):
            raise UsageError(f"A tracker moves {len(CHANNELS)} channels, in one row at least.")
        if self.sound is not None and self.sound.start != 0.0:
            object.__setattr__(self, "sound", replace(self.sound, start=0.0))
        if not _ascend([key.time for key in self.emotion_keys]):
            raise UsageError("Keys of emotion need times that ascend.")
        for channel, least, most in self.limits:
            sensible = _within(MOST_WEIGHT, least, most) and least <= most
            if channel not in CHANNEL_INDEX or not sensible:
                raise UsageError(f"The limits of {channel!r} do not make sense.")

    @property
    def seconds(self) -> float:
        """How long it lasts, s: its sound, else its phones."""
        return self.sound.seconds if self.sound is not None else self.phones.seconds
