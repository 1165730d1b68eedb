"""From blocks of sound to faces: placed in time, heard, shown, sent, kept, measured."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.face.listener.hearing import LISTENING_RATE
from polyorama.face.live.concealment import Concealer
from polyorama.face.live.follower import FRAME, Follower
from polyorama.face.live.latency import LatencyLog
from polyorama.face.live.recorder import Recorder
from polyorama.face.live.resampling import StreamResampler
from polyorama.face.live.timeline import SoundTimeline
from polyorama.face.live.voice import VoiceHistory
from polyorama.face.speech.prosody import RATE
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.face.listener.hearing import Listener
    from polyorama.face.live.blocks import SoundBlock
    from polyorama.face.live.clock import Clock
    from polyorama.face.live.follower import FollowedFrame
    from polyorama.face.live.senders import FaceSender
    from polyorama.face.live.settings import LiveSettings
    from polyorama.face.take import Take

__all__ = ["LiveFrame", "LivePipeline"]

_FRAMES = 256
_BEHIND_S = 0.1
"""While a device is away, silence is filled in up to this long ago."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveFrame:
    """A face that was just made.

    Parameters
    ----------
    number
        Frames before it, 50 a second.
    time
        Of the sound that it shows, s since the session's sound began.
    weights
        (55,) float32 as `CHANNELS`, read-only.
    level
        Of its sound as it came in, dB of full scale.
    phone
        What most likely sounded, one of `PHONES`.
    speech
        How far it was speech, 0..1.
    heard_at
        When that sound was in the air, s of the session's clock.
    made_at
        When it was handed over.
    """

    number: int
    time: float
    weights: NDArray[np.float32]
    level: float
    phone: str
    speech: float
    heard_at: float
    made_at: float


class LivePipeline:
    """What the worker of a live session does with each block.

    One thread gives it sound; recordings may begin and end in others.

    Parameters
    ----------
    clock
        Of the source.
    listener, settings
        Who hears, and how.
    senders
        Where each face is sent as soon as it is made.

    Attributes
    ----------
    frames
        The last five seconds of faces.
    log, timeline, history
        Latency, time and sound.
    lost
        Blocks that were lost, as far as the device says so or time shows it.
    filled
        Samples in the place of sound that never came.
    """

    def __init__(
        self,
        clock: Clock,
        listener: Listener,
        settings: LiveSettings,
        senders: Sequence[FaceSender] = (),
    ) -> None:
        self._clock, self._listener, self._senders = clock, listener, senders
        self.follower = Follower(listener, settings)
        self.timeline = SoundTimeline(RATE)
        self.history = VoiceHistory()
        self.log = LatencyLog(LISTENING_RATE)
        self.frames: deque[LiveFrame] = deque(maxlen=_FRAMES)
        self.recorder: Recorder | None = None
        self.lost = self.filled = 0
        self._concealer = Concealer()
        self._resampler: StreamResampler | None = None
        self._away = False
        # Recordings begin and end between two pieces of sound, never inside one.
        self._between = threading.RLock()

    def take(self, block: SoundBlock) -> None:
        """Make the faces that a block makes known."""
        woke = self._clock.now()
        sound, early = self._at_rate(block)
        if self._away:
            self._away = False
            self.timeline.restart()
        missing, skipped = self.timeline.place(block, len(sound), early)
        self.lost += self.timeline.settled and (block.overflow or missing > 0)
        if missing:
            self._fill(missing)
        self._hear(self._concealer.sounded(sound[skipped:]), (block.arrived, woke))

    def live_on(self) -> None:
        """The device is away: the face lives on in silence, as time goes on."""
        self._away = True
        self._fill(self.timeline.fill_to(self._clock.now() - _BEHIND_S))

    def finish(self) -> None:
        """Make the last faces: what the listener waits for after the last sound is silence."""
        self._hear(self._concealer.filled(FRAME + round(self._listener.latency_s * RATE)), None)

    def record(self) -> None:
        """Keep what comes from now on, in place of what was kept before."""
        with self._between:
            recorder = Recorder(self.frames[-1].number + 1 if self.frames else 0)
            end = self.history.end
            begin = min(recorder.begins, end)
            recorder.hear(self.history.read(begin, end), begin)
            self.recorder = recorder

    def recorded(self) -> Take:
        """End the recording, and give what was kept.

        Raises
        ------
        UsageError
            If nothing was.
        """
        with self._between:
            recorder, self.recorder = self.recorder, None
        if recorder is None:
            raise UsageError("Nothing was recorded; begin to record first.")
        return recorder.take(self.follower.settings, self._listener.digest)

    def _at_rate(self, block: SoundBlock) -> tuple[NDArray[np.float32], float]:
        """A block at 16 kHz, and how long before the block's its first sample lies, s."""
        if block.rate == RATE:
            return block.samples, 0.0
        if self._resampler is None or self._resampler.source != block.rate:
            self._resampler = StreamResampler(block.rate, RATE)
        sound, place = self._resampler.push(block.samples)
        return sound, -place / block.rate

    def _fill(self, count: int) -> None:
        """Sound that never came; it is not measured."""
        if count > 0:
            self.filled += count
            self._hear(self._concealer.filled(count), None)

    def _hear(self, sound: NDArray[np.float32], marks: tuple[float, float] | None) -> None:
        """Sound that goes on from the last, with the times it arrived and was taken up."""
        with self._between:
            recorder = self.recorder
            if recorder is not None:
                recorder.hear(sound, self.history.end)
            self.history.write(sound)
            heard = self.follower.hear(sound)
            if heard is None:
                return
            listened = self._clock.now()
            for followed in self.follower.show(heard):
                shown = self._clock.now()
                for sender in self._senders:
                    sender.send(followed.weights, LISTENING_RATE)
                if recorder is not None:
                    recorder.show(followed, self.follower.settings.emotion)
                frame = self._framed(followed)
                self.frames.append(frame)
                if marks is not None:
                    self._measure(frame, (*marks, listened, shown, frame.made_at))

    def _framed(self, followed: FollowedFrame) -> LiveFrame:
        return LiveFrame(
            followed.number,
            followed.place / RATE,
            followed.weights,
            followed.level,
            PHONES[int(followed.posteriors.argmax())],
            followed.speech,
            self.timeline.time_of(followed.place),
            self._clock.now(),
        )

    def _measure(self, frame: LiveFrame, marks: tuple[float, ...]) -> None:
        """Note when a frame was in each stage of `STAGES`."""
        middle = (frame.number + 0.5) * FRAME
        needed = middle + self._listener.latency_s * RATE
        in_the_air = [self.timeline.time_of(at) for at in (middle, needed, self.history.end)]
        self.log.add(frame.number, (frame.heard_at, *in_the_air, *marks))
