"""From sound to faces, a frame of 20 ms at a time; it knows nothing of clocks and devices."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.listener.hearing import LISTENING_RATE, Listening
from polyorama.face.live.level import QUIETEST, AutomaticGain, NoiseGate, decibels, power_of
from polyorama.face.motion.live_rules import LiveFace
from polyorama.face.motion.manners import manner_of
from polyorama.face.speech.prosody import RATE
from polyorama.scene.faces.phones import PHONES, SILENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.face.listener.hearing import Listener
    from polyorama.face.live.settings import LiveSettings

__all__ = ["FOLLOW_S", "FRAME", "FollowedFrame", "Follower"]

FRAME = int(RATE / LISTENING_RATE)
"""Samples of a frame: 20 ms."""

FOLLOW_S = 0.035
"""How much later lips move than those of rules that know what will be said, at the usual
smoothing, s.

The rules begin a movement before its sound, a live face only when it is heard. It is the median of
jaw, rounding and closures on flite's voices, whose phones are known (``tests.bench.face_live``)."""

_SILENT = PHONES.index(SILENCE)
_KEPT = 64


@dataclass(frozen=True, slots=True, eq=False)
class FollowedFrame:
    """A face for 20 ms of sound.

    Parameters
    ----------
    number
        Frames before it; it was heard in the 320 samples from `number` * 320 on.
    weights
        (55,) float32 as `CHANNELS`.
    level
        Of its sound as it came in, dB of full scale.
    posteriors
        (40,) float32 how likely each of `PHONES` sounded, after the gate.
    speech
        How far it was speech, 0..1.
    """

    number: int
    weights: NDArray[np.float32]
    level: float
    posteriors: NDArray[np.float32]
    speech: float

    @property
    def place(self) -> float:
        """The number of the sample at which lips should look like this, below 0 at the start."""
        return (self.number + 0.5) * FRAME - FOLLOW_S * RATE


class Follower:
    """Hears, and moves a face.

    Parameters
    ----------
    listener
        Who hears.
    settings
        How; they may be replaced at any time.
    """

    def __init__(self, listener: Listener, settings: LiveSettings) -> None:
        self.settings = settings
        self._stream = listener.stream()
        self._face = LiveFace(
            settings.style, manner_of(settings.speaker), settings.emotion, settings.seed
        )
        self._gain = AutomaticGain()
        self._gate = NoiseGate()
        self._levels: deque[tuple[int, float]] = deque(maxlen=_KEPT)
        self._rest = np.zeros(0, np.float32)
        self._measured = self._shown = 0
        self._factor = 1.0
        self._late = round(listener.latency_s * RATE) + FRAME // 2
        self._waiting: list[NDArray[np.float32]] = []
        self._came = 0

    @property
    def gain(self) -> float:
        """What sound is lifted by now, dB."""
        return self.settings.gain + self._gain.gain

    def hear(self, samples: NDArray[np.float32]) -> Listening | None:
        """Take (n,) mono samples at 16 kHz in; frames that are now known, None where none is."""
        self._waiting.append(samples)
        self._came += len(samples)
        if self._came < self._shown * FRAME + self._late:
            return None  # so that blocks of a few ms cost next to nothing
        samples = np.concatenate(self._waiting)
        self._waiting.clear()
        self._measure(samples)
        factor = 10.0 ** (self.gain / 20.0)
        # Gains change within a block as a ramp, which is not heard as a click.
        ramp = np.linspace(self._factor, factor, len(samples) + 1, dtype=np.float32)[1:]
        self._factor = factor
        return self._stream.push(np.clip(samples * ramp, -1.0, 1.0))

    def show(self, heard: Listening) -> Iterator[FollowedFrame]:
        """The face of each frame that was heard."""
        settings, face = self.settings, self._face
        face.style, face.manner = settings.style, manner_of(settings.speaker)
        face.seed = settings.seed
        face.feel(settings.emotion)
        for posteriors, curves in zip(heard.posteriors, heard.curves, strict=True):
            number = self._shown
            own, ahead = QUIETEST, QUIETEST
            for at, level in self._levels:
                if at == number:
                    own = level
                if at >= number:
                    ahead = max(ahead, level)
            # The gate knows what the listener knows: it opens before the sound that opens it.
            speech = self._gate.step(ahead, settings.gate, FRAME / RATE)
            gated = (speech * posteriors).astype(np.float32)
            gated[_SILENT] += 1.0 - speech
            energy = own if speech > 0.0 else QUIETEST
            weights = face.step(gated, speech * float(curves[2]), energy, number * FRAME / RATE)
            weights.flags.writeable = False
            self._shown += 1
            yield FollowedFrame(number, weights, own, gated, speech)

    def _measure(self, samples: NDArray[np.float32]) -> None:
        """Levels of whole frames, and what the gain makes of them."""
        held = np.concatenate([self._rest, samples])
        whole = len(held) // FRAME
        for row in held[: whole * FRAME].reshape(whole, FRAME):
            level = decibels(power_of(row))
            self._levels.append((self._measured, level))
            self._measured += 1
            if self.settings.automatic_gain:
                self._gain.step(level, FRAME / RATE)
        if not self.settings.automatic_gain:
            self._gain = AutomaticGain()
        self._rest = held[whole * FRAME :]
