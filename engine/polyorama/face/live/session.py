"""A live face: sound in, faces out at once, with what that takes measured stage by stage."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from polyorama.errors import UsageError
from polyorama.face.listener.hearing import LISTENING_RATE, Listener
from polyorama.face.live.level import QUIETEST
from polyorama.face.live.pipeline import LiveFrame, LivePipeline
from polyorama.face.live.settings import LiveSettings
from polyorama.face.live.voice import DelayedVoice
from polyorama.face.speech.prosody import RATE
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polyorama.face.live.latency import StageLatency
    from polyorama.face.live.loudspeaker import Speaker
    from polyorama.face.live.senders import FaceSender
    from polyorama.face.live.sources import SoundSource
    from polyorama.face.take import Take

__all__ = ["LiveFrame", "LiveSession", "LiveStatus"]

_POLL_S = 0.002
_FIGURES_S = 0.1
_DELAY_EVERY_S = 0.25
_DELAY_CHANGES = 0.004
"""Seconds of delay that may change in a second, a little less than a voice can be bent."""
_SPARE_S = 0.004


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
        hears = listener or Listener.load(self._settings.lookahead_ms)
        self._source, self._clock = source, source.clock
        self._senders = tuple(senders)
        self._speaker = speaker
        self._pipeline = LivePipeline(self._clock, hears, self._settings, self._senders)
        self._frames, self._log = self._pipeline.frames, self._pipeline.log
        self._voice: DelayedVoice | None = None
        if speaker is not None:
            self._voice = DelayedVoice(self._pipeline.history, self._pipeline.timeline)
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._state, self._note = "idle", ""
        self._delay_at = self._least_delay = self._drawing = 0.0
        self._figures: tuple[float, tuple[StageLatency, ...], StageLatency | None] = (0.0, (), None)

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
        except Exception:
            self._shut()
            raise
        self._state = "running"

    def _run(self) -> None:
        try:
            while not self._stopping.is_set() and self._pump():
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

    def _pump(self) -> bool:
        """Take what came, and make the faces of it; whether more may come."""
        ended = self._source.state == "ended"
        blocks = self._source.read()
        for block in blocks:
            self._pipeline.take(block)
        if ended:
            self._pipeline.finish()
            return False
        if self._source.state == "waiting":
            self._note, self._state = self._source.note, "waiting"
            self._pipeline.live_on()
        elif blocks:
            self._note, self._state = "", "running"
        now = self._clock.now()
        if self._voice is not None and now - self._delay_at >= _DELAY_EVERY_S:
            self._mind_delay(self._voice, now)
        return True

    def _mind_delay(self, voice: DelayedVoice, now: float) -> None:
        """Let the voice be as late as all but a twentieth of the faces are, once they are drawn."""
        passed, self._delay_at = now - self._delay_at, now
        total = self._log.total(drawing=False)
        if total is None or len(self._frames) < LISTENING_RATE:
            return
        stages = self._log.stages()
        self._drawing = next((s.median for s in stages if s.name == "Drawing"), 0.0) / 1000.0
        wanted = max(total.p95 / 1000.0 + self._drawing, self._least_delay)
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
        heard = self._voice.heard_at(self._clock.now() + self._drawing)
        if heard is None:
            return frames[-1]
        known = frames.copy()
        return next((frame for frame in reversed(known) if frame.time * RATE <= heard), known[0])

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
        """How it goes; latencies are reckoned ten times a second at the most."""
        now, frames = self._clock.now(), self._frames.copy()
        pipeline, voice = self._pipeline, self._voice
        recorder = pipeline.recorder
        at, stages, total = self._figures
        if total is None or not at <= now < at + _FIGURES_S:
            stages, total = self._log.stages(), self._log.total()
            self._figures = (now, stages, total)
        return LiveStatus(
            self._state,
            self._told(),
            frames[-1].level if frames else QUIETEST,
            pipeline.follower.gain,
            float(sum(now - frame.made_at < 1.0 for frame in frames)),
            pipeline.lost + self._source.lost,
            pipeline.filled / RATE,
            pipeline.timeline.index / RATE,
            0.0 if recorder is None else recorder.seconds,
            0.0 if voice is None else voice.delay or 0.0,
            stages,
            total,
        )

    def _told(self) -> str:
        """What is wrong, the worst first, or ""."""
        recorder, speaker = self._pipeline.recorder, self._speaker
        notes = [
            self._note,
            "" if speaker is None else speaker.note,
            "" if recorder is None else recorder.note,
            *(sender.note for sender in self._senders),
        ]
        return next((note for note in notes if note), "")

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
        self._pipeline.follower.settings = settings

    def feel(self, **strengths: float) -> None:
        """Feel something from now on, such as ``feel(happy=0.7)``; it grows in about 0.5 s.

        Raises
        ------
        UsageError
            If there is no such emotion, or a strength is not within 0..1.
        """
        self.change(emotion=_strengths(strengths))

    def record(self) -> None:
        """Keep what comes from now on, at most 30 min, in place of what was kept before."""
        self._pipeline.record()

    def recorded(self) -> Take:
        """End the recording, and give what was kept, with its sound.

        Raises
        ------
        UsageError
            If nothing was.
        """
        return self._pipeline.recorded()


def _strengths(strengths: Mapping[str, float]) -> tuple[float, ...]:
    for name in strengths:
        if name not in EMOTIONS:
            raise UsageError(f"There is no emotion {name!r}; there are {', '.join(EMOTIONS)}.")
    return tuple(float(strengths.get(name, 0.0)) for name in EMOTIONS)
