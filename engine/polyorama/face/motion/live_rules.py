"""The rules, live: a frame at a time from what is heard now, with nothing known of what comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.motion.articulation import (
    ARTICULATOR_OF,
    ARTICULATORS,
    PHONE_INDEX,
    STRENGTH,
    TARGET,
    TRACK_INDEX,
    TRACKS,
)
from polyorama.face.motion.beats import BEAT_BEFORE_S, Beat
from polyorama.face.motion.closures import close_lips
from polyorama.face.motion.composing import composed
from polyorama.face.motion.manners import SPEAKERS, SpeakerManner
from polyorama.face.motion.noise import smooth_noise
from polyorama.face.motion.nonverbal import (
    BLINK_S,
    Blink,
    Life,
    Turn,
    add_life,
    blink_depth,
    blink_waits,
    fixations,
)
from polyorama.face.motion.smoothing import LiveSmoother
from polyorama.face.motion.styling import limited, styled
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.phones import PHONES, SILENCE
from polyorama.scene.faces.script import FaceStyle

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LiveFace"]

_FOLLOW_S = np.array([0.035, 0.040, 0.050, 0.028, 0.028, 0.025, 0.060])
"""Time constants of the articulators, s."""
_FEEL_S = 0.22
_LONGEST_STEP_S = 0.25
_RISES, _FALLS = 0.5, 0.3
_LOUD_RANGE_DB = 10.0
_BEAT_APART_S = 0.45
_BILABIAL = [PHONE_INDEX[p] for p in ("P", "B", "M")]
_LABIODENTAL = [PHONE_INDEX[p] for p in ("F", "V")]


class LiveFace:
    """A face that follows what is heard, causally; it can run for days in the same memory.

    Parameters
    ----------
    style, manner
        Sliders and whose manner; both may be replaced at any time.
    emotion
        (8,) strengths of `EMOTIONS`; `feel` changes it.
    seed
        Of blinks, gaze and the head's motion.
    nonverbal
        Whether it blinks, looks about and moves its head and brows.
    """

    __slots__ = (
        "_bitten", "_closed", "_emotion", "_feeling", "_life", "_smoother", "_time", "_tracks",
        "_voice", "manner", "nonverbal", "seed", "style",
    )  # fmt: skip

    def __init__(
        self,
        style: FaceStyle | None = None,
        manner: SpeakerManner | None = None,
        emotion: ArrayLike | None = None,
        seed: int = 0,
        *,
        nonverbal: bool = True,
    ) -> None:
        self.style = style or FaceStyle()
        self.manner = manner or SPEAKERS[0]
        self.seed = seed
        self.nonverbal = nonverbal
        self._feeling = np.zeros(len(EMOTIONS))
        if emotion is not None:
            self.feel(emotion)
        self._emotion = self._feeling.copy()
        self._tracks = np.zeros(len(TRACKS))
        self._closed = _Contact(attack=0.035, hold=0.045, release=0.060)
        self._bitten = _Contact(attack=0.040, hold=0.035, release=0.060)
        self._voice = _Voice()
        self._life = _LiveLife(seed)
        self._smoother = LiveSmoother(0.0)
        self._time: float | None = None

    def feel(self, emotion: ArrayLike) -> None:
        """Change what is felt: (8,) strengths of `EMOTIONS`, which it grows into in about 0.5 s.

        Raises
        ------
        UsageError
            If these are not 8 finite numbers.
        """
        wanted = np.asarray(emotion, np.float64)
        if wanted.shape != (len(EMOTIONS),) or not np.isfinite(wanted).all():
            raise UsageError(f"An emotion is {len(EMOTIONS)} finite strengths.")
        self._feeling = np.clip(wanted, 0.0, 1.0)

    def step(
        self, posteriors: ArrayLike, closure: float, energy: float, time: float
    ) -> NDArray[np.float32]:
        """The face at a time.

        Parameters
        ----------
        posteriors
            (40,) how likely each of `PHONES` sounds now.
        closure
            How likely the lips are closed now, 0..1; the posteriors of P, B and M count too.
        energy
            Loudness now, dB; only differences matter.
        time
            s; steps of more than 0.25 s count as that, a time that goes back as no step.

        Returns
        -------
        (55,) float32 weights.

        Raises
        ------
        UsageError
            If there are not 40 finite posteriors, or the time is not finite.
        """
        heard = np.asarray(posteriors, np.float64)
        if heard.shape != (len(PHONES),) or not np.isfinite(heard).all():
            raise UsageError(f"What is heard is {len(PHONES)} finite likelihoods of phones.")
        if not np.isfinite(time):
            raise UsageError("A frame of a face needs a finite time.")
        dt = 0.0 if self._time is None else min(max(time - self._time, 0.0), _LONGEST_STEP_S)
        self._time = time
        loud = self._voice.step(energy, 1.0 - heard[PHONE_INDEX[SILENCE]], dt)
        self._follow(heard, loud, dt)
        self._emotion += -np.expm1(-dt / _FEEL_S) * (self._feeling - self._emotion)
        lips = max(closure, float(heard[_BILABIAL].sum()))
        teeth = float(heard[_LABIODENTAL].sum())
        closed = self._closed.step(lips, dt)
        bitten = self._bitten.step(teeth, dt) * (1.0 - closed)
        times = np.array([time])
        feel = self._emotion[None] * self.style.emotion
        weights = composed(self._tracks[None], feel, times, self.manner, self.seed)
        happens = self._life.step(time, self._voice, self.style, self.manner)
        if self.nonverbal:
            add_life(weights, happens, times, feel, self.style, self.manner, self.seed)
        styled(weights, self.style, self.manner.asymmetry)
        limited(weights)
        self._smoother.amount = self.style.smoothing
        weights = self._smoother.step(weights[0], dt)[None]
        close_lips(weights, np.array([closed]), np.array([bitten]))
        return np.asarray(weights[0], np.float32)

    def _follow(self, heard: NDArray[np.float64], loud: float, dt: float) -> None:
        """Follow the expected target of each articulator, as fast as phones that care are sure."""
        for k in range(len(ARTICULATORS)):
            pull = heard * STRENGTH[:, k]
            total = float(pull.sum())
            if total < 1e-4:
                continue  # a phone of the tongue: the lips stay with what they did
            share = -np.expm1(-dt * min(total, 1.5) / (_FOLLOW_S[k] / self.manner.pace))
            for track in np.flatnonzero(k == ARTICULATOR_OF):
                wanted = float(pull @ TARGET[:, track]) / total
                if track == TRACK_INDEX["open"]:
                    wanted *= float(np.clip(1.0 + 0.22 * loud, 0.6, 1.25))
                self._tracks[track] += share * (wanted - self._tracks[track])


class _Contact:
    """Lips that meet, from a likelihood: a threshold with hysteresis, and a least time."""

    __slots__ = ("_attack", "_hold", "_release", "_since", "_wanted", "share")

    def __init__(self, attack: float, hold: float, release: float) -> None:
        self._attack, self._hold, self._release = attack, hold, release
        self._wanted, self._since = False, 0.0
        self.share = 0.0

    def step(self, likely: float, dt: float) -> float:
        """How far they meet, `dt` s later: exactly 1 while they do."""
        if likely > _RISES:
            self._wanted = True
        elif likely < _FALLS and self._since >= self._hold:
            self._wanted = False
        if self._wanted:
            self.share = min(self.share + dt / self._attack, 1.0)
            self._since = self._since + dt if self.share == 1.0 else 0.0
        else:
            self.share = max(self.share - dt / self._release, 0.0)
            self._since = 0.0
        return self.share * self.share * (3.0 - 2.0 * self.share)


class _Voice:
    """Loudness against what is usual, when speech began and ended, and where it is emphatic."""

    __slots__ = ("_fast", "_level", "emphasis", "loud", "quiet_s", "spoken_s")

    def __init__(self) -> None:
        self._level: float | None = None
        self._fast = 0.0
        self.loud, self.emphasis = 0.0, 0.0
        self.quiet_s, self.spoken_s = 10.0, 0.0

    def step(self, energy: float, speech: float, dt: float) -> float:
        """Loudness in 10 dB above usual speech, after `dt` s more."""
        if speech > 0.5:
            self.quiet_s = 0.0
            self.spoken_s += dt
        else:
            self.quiet_s += dt
            if self.quiet_s > 0.3:
                self.spoken_s = 0.0
        if not np.isfinite(energy) or speech <= 0.5:
            self.emphasis = 0.0
            self.loud = 0.0
            return 0.0
        if self._level is None:
            self._level = energy
        self._level += -np.expm1(-dt / 4.0) * (energy - self._level)
        loud = float(np.clip((energy - self._level) / _LOUD_RANGE_DB, -2.0, 2.0))
        self._fast += -np.expm1(-dt / 0.15) * (loud - self._fast)
        self.emphasis = loud - self._fast
        self.loud = loud
        return loud


class _LiveLife:
    """Blinks, gaze, posture and beats as time goes on; it keeps no more than the last of each."""

    __slots__ = ("_beats", "_blink", "_blinks", "_gaze", "_look", "_next", "_posture", "_seed",
                 "_spoke", "_until")  # fmt: skip

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._blink, self._look = 0, 0
        self._next: float | None = None
        self._until: float | None = None
        self._blinks: tuple[Blink, ...] = ()
        self._beats: tuple[Beat, ...] = ()
        still = Turn(-1e6, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        self._gaze, self._posture = still, still
        self._spoke = False

    def step(self, time: float, voice: _Voice, style: FaceStyle, manner: SpeakerManner) -> Life:
        """What happens about `time`, s."""
        speaks = voice.quiet_s < 0.2
        ended, begun = self._spoke and not speaks, speaks and not self._spoke
        self._spoke = speaks
        if begun:
            at = np.array([time])
            yaw, pitch, roll = (
                float(smooth_noise(at, self._seed, f"posture {axis}", 0.7)[0]) for axis in "ypr"
            )
            after = (0.13 * yaw, 0.06 * pitch, 0.075 * roll)
            self._posture = Turn(time, self._posture.after, after)
        self._look_about(time, ended)
        self._blink_now(time, ended, style.blinks * manner.blinks)
        self._emphasise(time, voice)
        return Life(self._beats, self._blinks, (self._gaze,), (self._posture,), ())

    def _look_about(self, time: float, ended: bool) -> None:
        if self._until is None or not time - 60.0 < self._until < time + 60.0:
            self._until = time + 0.5
        if time < self._until:
            return
        yaw, pitch, lasts = (float(x[0]) for x in fixations(self._seed, self._look, 1))
        self._look += 1
        share = 0.15 if ended else 1.0
        self._gaze = Turn(time, self._gaze.after, (share * yaw, share * pitch, 0.0))
        self._until = time + lasts

    def _blink_now(self, time: float, ended: bool, rate: float) -> None:
        if rate <= 0.0:
            self._next = None
            return
        if self._next is None or not time - 60.0 < self._next < time + 60.0 / min(rate, 1.0):
            self._next = time + 0.5 * float(blink_waits(self._seed, self._blink, 1, rate)[0])
        if ended and self._next - time < 0.8 / max(rate, 1.0):  # with the end of a phrase
            self._next = time
        if time >= self._next:
            self._blinks = (Blink(time, blink_depth(self._seed, self._blink)),)
            self._blink += 1
            wait = float(blink_waits(self._seed, self._blink, 1, rate)[0])
            self._next = time + max(wait, BLINK_S)

    def _emphasise(self, time: float, voice: _Voice) -> None:
        last = self._beats[-1].time if self._beats else -1e6
        if voice.emphasis < 0.22 or not (last > time + 1.0 or time - last > _BEAT_APART_S):
            return
        strength = min(0.3 + 0.7 * voice.emphasis, 1.0)
        chance = float(smooth_noise(np.array([time]), self._seed, "beat brows", 0.5)[0])
        brows = min(max(0.55 + 1.1 * chance, 0.0), 1.0)
        # It shows from now on and is at its height a little later; it cannot begin before.
        self._beats = (*self._beats[-1:], Beat(time + BEAT_BEFORE_S, strength, brows))
