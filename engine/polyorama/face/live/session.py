"""A live face: sound in, faces out at once, with what that takes measured stage by stage."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from polyorama.errors import PolyoramaError, UsageError
from polyorama.face.listener.hearing import LISTENING_RATE, Listener
from polyorama.face.live.concealment import Concealer
from polyorama.face.live.follower import FRAME, Follower
from polyorama.face.live.latency import LatencyLog, StageLatency
from polyorama.face.live.level import QUIETEST
from polyorama.face.live.recorder import Recorder
from polyorama.face.live.resampling import StreamResampler
from polyorama.face.live.settings import LiveSettings
from polyorama.face.live.timeline import SoundTimeline
from polyorama.face.live.voice import DelayedVoice, VoiceHistory
from polyorama.face.speech.prosody import RATE
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.face.live.blocks import SoundBlock
    from polyorama.face.live.follower import FollowedFrame
    from polyorama.face.live.loudspeaker import Speaker
    from polyorama.face.live.senders import FaceSender
    from polyorama.face.live.sources import SoundSource
    from polyorama.face.take import Take

__all__ = ["LiveFrame", "LiveSession", "LiveStatus"]

_POLL_S = 0.002
_BEHIND_S = 0.1
"""While it is away, silence is filled in up to this long ago."""
_FRAMES = 256
_DELAY_EVERY_S = 0.25
_DELAY_CHANGES = 0.004
"""Seconds of delay that may change in a second, a little less than a voice can be bent."""
_SPARE_S = 0.004


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


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """How a session goes.

    Parameters
    ----------
    state
        "idle" before the start, "running", "waiting" for a device that is away, "ended".
    note
        What is wrong, in a sentence, or "".
    level
        Of the sound now, dB of full scale.
    gain
        What it is lifted by, dB.
    fps
        Frames made in the last second.
    lost
        Blocks that were lost, as far as the device said so or time shows it.
    concealed
        Sound that was missing and filled in, s.
    seconds
        Of sound since the start.
    recorded
        Of the recording, s; 0 where there is none.
    delay
        By which the voice is played later, s; 0 where it is not played.
    stages, total
        Latency over the last 10 s; no total before the first frame.
    """

    state: str = "idle"
    note: str = ""
    level: float = QUIETEST
    gain: float = 0.0
    fps: float = 0.0
    lost: int = 0
    concealed: float = 0.0
    seconds: float = 0.0
    recorded: float = 0.0
    delay: float = 0.0
    stages: tuple[StageLatency, ...] = ()
    total: StageLatency | None = None


class LiveSession:
    """Lets a source of sound move a face.

    ::

        with LiveSession(Microphone()) as session:
            while session.running:
                frame = session.latest()
                ...                       # show frame.weights
                session.presented(frame)

    Methods may be called from any thread, but all from one at a time.

    Parameters
    ----------
    source
        A `Microphone` or a `FileSource`; the session closes it.
    settings
        How it listens and moves; `change` replaces them.
    senders
        Where each face is sent as soon as it is made; the session closes them.
    speaker
        A `Loudspeaker` that plays the voice as late as the face is; `latest` then gives the face
        that belongs to what is heard.
    listener
        Who hears; None loads the one that comes with Polyorama.

    Raises
    ------
    FileFormatError
        If the listener's weights are missing or damaged.
    """

    def __init__(
        self,
        source: SoundSource,
        settings: LiveSettings | None = None,
        *,
        senders: Sequence[FaceSender] = (),
        speaker: Speaker | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._settings = settings or LiveSettings()
        self._listener = listener or Listener.load(self._settings.lookahead_ms)
        self._source, self._clock = source, source.clock
        self._senders = tuple(senders)
        self._speaker = speaker
        self._follower = Follower(self._listener, self._settings)
        self._timeline = SoundTimeline(RATE)
        self._concealer = Concealer()
        self._history = VoiceHistory()
        self._resampler: StreamResampler | None = None
        self._log = LatencyLog(LISTENING_RATE)
        self._frames: deque[LiveFrame] = deque(maxlen=_FRAMES)
        self._recorder: Recorder | None = None
        self._voice: DelayedVoice | None = None
        if speaker is not None:
            self._voice = DelayedVoice(self._history, self._timeline)
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._state, self._note = "idle", ""
        self._lost = self._filled = 0
        self._delay_at = self._least_delay = 0.0
        self._away = False

    # Life

    def __enter__(self) -> LiveSession:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin, on a thread of its own.

        Raises
        ------
        UnavailableError
            If there is no such device, or the package that opens it is missing.
        UsageError
            If it was started before.
        """
        self._open()
        self._thread = threading.Thread(target=self._run, name="live face", daemon=True)
        self._thread.start()

    def run(self) -> None:
        """Begin, and go on in this thread until the source has ended.

        Raises
        ------
        UnavailableError, UsageError
            As `start`.
        """
        self._open()
        self._run()

    def close(self) -> None:
        """End, and close what was opened; what was recorded can still be had."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._shut()

    @property
    def state(self) -> str:
        """As of `LiveStatus`."""
        return self._state

    @property
    def running(self) -> bool:
        """Whether more may come: it runs, or waits for its device."""
        return self._state in ("running", "waiting")

    def _open(self) -> None:
        if self._state != "idle":
            raise UsageError("A live session is started once; make another one.")
        try:
            self._source.start()
            if self._speaker is not None and self._voice is not None:
                self._speaker.start(self._voice.fill, self._clock)
        except PolyoramaError:
            self._shut()
            raise
        self._state = "running"

    def _run(self) -> None:
        try:
            while not self._stopping.is_set() and self.pump():
                self._clock.sleep(_POLL_S)
        except Exception as error:
            self._note = f"The live face stopped: {error}"
            raise
        finally:
            self._state = "ended"

    def _shut(self) -> None:
        self._state = "ended"
        if self._speaker is not None:
            self._speaker.close()
        self._source.close()
        for sender in self._senders:
            sender.close()

    # What others see

    @property
    def fps(self) -> float:
        """Frames a second."""
        return LISTENING_RATE

    def latest(self) -> LiveFrame | None:
        """The face to show now; None before the first. It never waits."""
        frames = self._frames
        if not frames:
            return None
        if self._voice is None:
            return frames[-1]
        # Shown a while after it was asked for, it is to fit what is heard then.
        heard = self._voice.heard_at(self._clock.now() + self._drawing())
        if heard is None:
            return frames[-1]
        for frame in reversed(frames.copy()):
            if frame.time * RATE <= heard:
                return frame
        return frames[0]

    def presented(self, frame: LiveFrame) -> None:
        """Say that a frame can be seen now; only the first time counts for each."""
        due = frame.made_at
        if self._voice is not None:
            due = max(due, self._voice.time_of(frame.time * RATE) or due)
        self._log.drawn(frame.number, max(self._clock.now() - due, 0.0))

    def latency(self) -> tuple[StageLatency, ...]:
        """Each stage from sound to face over the last 10 s, and the total last."""
        total = self._log.total()
        return (*self._log.stages(), *(() if total is None else (total,)))

    @property
    def status(self) -> LiveStatus:
        """How it goes."""
        frames = self._frames.copy()
        now = self._clock.now()
        recorder, voice = self._recorder, self._voice
        return LiveStatus(
            self._state,
            self._note or next((s.note for s in self._senders if s.note), ""),
            frames[-1].level if frames else QUIETEST,
            self._follower.gain,
            float(sum(now - frame.made_at < 1.0 for frame in frames)),
            self._lost + self._source.lost,
            self._filled / RATE,
            self._timeline.index / RATE,
            0.0 if recorder is None else recorder.seconds,
            0.0 if voice is None else voice.delay or 0.0,
            self._log.stages(),
            self._log.total(),
        )

    # What others change

    @property
    def settings(self) -> LiveSettings:
        """How it listens and moves."""
        return self._settings

    def change(self, **values: Any) -> None:
        """Other settings from the next frame on, by the names of `LiveSettings`.

        Raises
        ------
        UsageError
            If there is no such setting, it is out of range, or it is the look-ahead.
        """
        try:
            settings = replace(self._settings, **values)
        except TypeError:
            raise UsageError(f"A live face has no setting {', '.join(values)}.") from None
        if settings.lookahead != self._settings.lookahead:
            raise UsageError("The look-ahead is chosen before a live session starts.")
        self._settings = settings
        self._follower.settings = settings

    def feel(self, **strengths: float) -> None:
        """Feel something from now on, such as ``feel(happy=0.7)``; it grows in about 0.5 s.

        Raises
        ------
        UsageError
            If there is no such emotion, or a strength is not within 0..1.
        """
        self.change(emotion=_strengths(strengths))

    def record(self) -> None:
        """Keep what comes from now on, in place of what was kept before."""
        first = self._frames[-1].number + 1 if self._frames else 0
        recorder = Recorder(first)
        end = self._history.end
        begin = min(recorder.begins, end)
        recorder.hear(self._history.read(begin, end), begin)
        self._recorder = recorder

    def recorded(self) -> Take:
        """End the recording, and give what was kept, with its sound; at most 30 min.

        Raises
        ------
        UsageError
            If nothing was.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            raise UsageError("Nothing was recorded; call record() first.")
        return recorder.take(self._settings, self._listener.digest)

    # The worker's work

    def pump(self) -> bool:
        """Take what came, and make the faces of it; whether more may come."""
        ended = self._source.state == "ended"
        for block in self._source.read():
            self._take(block)
        now = self._clock.now()
        if ended:
            # What the listener waits for after the last sound is silence.
            rest = self._concealer.filled(FRAME + round(self._listener.latency_s * RATE))
            self._hear(rest, self._history.end, None)
            self._state = "ended"
            return False
        self._mind_absence(now)
        if self._voice is not None and now - self._delay_at >= _DELAY_EVERY_S:
            self._mind_delay(self._voice, now)
        return True

    def _mind_absence(self, now: float) -> None:
        if self._source.state == "waiting":
            self._note = self._source.note
            self._state = "waiting"
            # The face lives on, in silence.
            self._fill(self._timeline.fill_to(now - _BEHIND_S))
            self._away = True

    def _take(self, block: SoundBlock) -> None:
        woke = self._clock.now()
        sound, early = self._at_rate(block)
        if self._away:
            self._away, self._note, self._state = False, "", "running"
            self._timeline.restart()
        begin = self._timeline.index
        missing, skipped = self._timeline.place(block, len(sound), early)
        self._lost += self._timeline.settled and (block.overflow or missing > 0)
        if missing:
            self._fill(missing)
        marks = (block.arrived, woke)
        self._hear(self._concealer.sounded(sound[skipped:]), begin + missing, marks)

    def _at_rate(self, block: SoundBlock) -> tuple[NDArray[np.float32], float]:
        if block.rate == RATE:
            return block.samples, 0.0
        if self._resampler is None or self._resampler.source != block.rate:
            self._resampler = StreamResampler(block.rate, RATE)
        sound, place = self._resampler.push(block.samples)
        return sound, -place / block.rate

    def _fill(self, count: int) -> None:
        """Sound that never came; it is not measured."""
        if count > 0:
            self._filled += count
            self._hear(self._concealer.filled(count), self._history.end, None)

    def _hear(
        self, sound: NDArray[np.float32], begin: int, marks: tuple[float, float] | None
    ) -> None:
        """Sound that begins at a sample's number, with the times it arrived and was taken up."""
        self._history.write(sound)
        recorder = self._recorder
        if recorder is not None:
            recorder.hear(sound, begin)
        heard = self._follower.hear(sound)
        if heard is None:
            return
        listened = self._clock.now()
        block_end = begin + len(sound)
        for followed in self._follower.show(heard):
            shown = self._clock.now()
            for sender in self._senders:
                sender.send(followed.weights, LISTENING_RATE)
            if recorder is not None:
                recorder.show(followed, self._settings.emotion)
            frame = self._framed(followed)
            self._frames.append(frame)
            if marks is not None:
                middle = (followed.number + 0.5) * FRAME
                needed = middle + self._listener.latency_s * RATE
                times = [self._timeline.time_of(at) for at in (middle, needed, block_end)]
                self._log.add(
                    followed.number,
                    (frame.heard_at, *times, *marks, listened, shown, frame.made_at),
                )

    def _framed(self, followed: FollowedFrame) -> LiveFrame:
        return LiveFrame(
            followed.number,
            followed.place / RATE,
            followed.weights,
            followed.level,
            PHONES[int(followed.posteriors.argmax())],
            followed.speech,
            self._timeline.time_of(followed.place),
            self._clock.now(),
        )

    # Playing the voice

    def _drawing(self) -> float:
        return next((s.median for s in self._log.stages() if s.name == "Drawing"), 0.0) / 1000.0

    def _mind_delay(self, voice: DelayedVoice, now: float) -> None:
        """Let the voice be as late as all but a twentieth of the faces are, once they are drawn."""
        passed, self._delay_at = now - self._delay_at, now
        total = self._log.total(drawing=False)
        if total is None or len(self._frames) < LISTENING_RATE:
            return
        wanted = max(total.p95 / 1000.0 + self._drawing(), self._least_delay)
        shortfall = voice.shortfall()
        if voice.delay is None:
            voice.delay = wanted
        elif shortfall > 0.0:
            # The loudspeaker asks for sound that is not there yet; faces can wait for it.
            voice.delay = self._least_delay = voice.delay + shortfall + _SPARE_S
        elif not 0.0 <= voice.delay - wanted <= _SPARE_S:
            # Faces are held until their sound is heard, so a little more than needed does no harm.
            most = _DELAY_CHANGES * passed
            voice.delay += min(max(wanted - voice.delay, -most), most)


def _strengths(strengths: Mapping[str, float]) -> tuple[float, ...]:
    for name in strengths:
        if name not in EMOTIONS:
            raise UsageError(f"There is no emotion {name!r}; there are {', '.join(EMOTIONS)}.")
    return tuple(float(strengths.get(name, 0.0)) for name in EMOTIONS)
