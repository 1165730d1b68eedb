"""The sound of the timeline while it plays, on the machine's sound device, where there is one."""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama.io.soundtrack import sounding
from polyorama_studio.session import Notice
from polyorama_studio.timeline.mixer import Mixer, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session

__all__ = ["Sound", "open_device"]

log = logging.getLogger(__name__)


def open_device(fill: Callable[..., None]) -> Any:
    """A stream of the default sound device that calls `fill` for each block; not yet started.

    Raises
    ------
    ImportError
        If the library that plays sound is not installed.
    OSError
        If there is no device, or it cannot be opened.
    """
    sounddevice = importlib.import_module("sounddevice")
    try:
        rate = float(sounddevice.query_devices(kind="output")["default_samplerate"])
        return sounddevice.OutputStream(samplerate=rate, channels=2, dtype="float32", callback=fill)
    except (sounddevice.PortAudioError, ValueError) as error:
        raise OSError(str(error)) from error


class Sound(QObject):
    """Plays what is on the timeline; pictures go by its clock.

    Parameters
    ----------
    session
        Its playback is heard.
    opener
        Opens the device, as `open_device` does.
    """

    changed = Signal()

    def __init__(
        self,
        session: Session,
        parent: QObject | None = None,
        opener: Callable[[Callable[..., None]], Any] = open_device,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._opener = opener
        self.muted = False
        self._told = False
        self._stream: Any = None
        self._mixer: Mixer | None = None
        self._anchor: tuple[Mixer, int, float] | None = None
        playback = session.playback
        playback.playing_changed.connect(self._on_playing)
        playback.jumped.connect(self._on_jumped)
        playback.range_changed.connect(self._on_jumped)
        session.editing.edited.connect(self._on_edited)

    @property
    def present(self) -> bool:
        """Whether the document has anything to hear."""
        document = self._session.editing.document
        return document is not None and next(sounding(document), None) is not None

    def set_muted(self, muted: bool) -> None:
        """Whether nothing is heard."""
        if muted != self.muted:
            self.muted = muted
            self._restart()
            self.changed.emit()

    @Slot()
    def toggle(self) -> None:
        """Mute, or not any more."""
        self.set_muted(not self.muted)

    def clock(self) -> float | None:
        """The time of what is heard at this moment, s; None while nothing is."""
        mixer, anchor, stream = self._mixer, self._anchor, self._stream
        if mixer is None or stream is None or not stream.active:
            return None
        if anchor is None or anchor[0] is not mixer:
            # What was asked for has not come out of the loudspeaker yet.
            return mixer.origin
        _, position, heard_at = anchor
        played = position + (stream.time - heard_at) * mixer.rate
        return mixer.time_of(min(max(played, 0.0), float(mixer.position)))

    def _fill(self, out: Any, count: int, times: Any, status: Any) -> None:
        """On the device's thread: the next block."""
        mixer = self._mixer
        if mixer is None:
            out.fill(0)
            return
        position = mixer.position
        out[:] = mixer.block(count)
        now, heard_at = times.currentTime, times.outputBufferDacTime
        if heard_at <= 0.0:  # some systems do not say
            heard_at = now
        self._anchor = (mixer, position, heard_at)

    @Slot(bool)
    def _on_playing(self, playing: bool) -> None:
        self._restart()

    @Slot()
    def _on_jumped(self) -> None:
        self._restart()

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        document = self._session.editing.document
        if self._mixer is not None and document is not None:
            self._mixer.sounds = tuple(sounding(document))
        elif self._session.playback.playing:
            self._restart()

    def _restart(self) -> None:
        playback, document = self._session.playback, self._session.editing.document
        if not playback.playing or document is None or self.muted or not self.present:
            self._stop()
            return
        if self._stream is None and not self._open():
            return
        self._mixer = Mixer(
            tuple(sounding(document)), self._stream.samplerate, playback.time, playback.speed,
            Turn(*playback.bounds, document.timeline.loop),
        )  # fmt: skip
        playback.clock = self.clock
        if not self._stream.active:
            self._stream.start()

    def _open(self) -> bool:
        try:
            self._stream = self._opener(self._fill)
        except (ImportError, OSError) as error:
            self._tell(error)
            return False
        return True

    def _tell(self, error: Exception) -> None:
        """Say once why nothing is heard; films have their sound all the same."""
        log.warning("Sound cannot be played: %s", error)
        if self._told:
            return
        self._told = True
        text = self.tr("No sound device was found, so the timeline plays silently.")
        if isinstance(error, ImportError):
            text = self.tr("To hear the timeline's sound, install sounddevice.")
        self._session.notice.emit(Notice("info", text))

    def _stop(self) -> None:
        self._session.playback.clock = None
        self._mixer = self._anchor = None
        # A device that is not used belongs to others.
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
