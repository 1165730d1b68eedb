"""The playhead: the time at which the stage is shown, and what makes it run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["Playback"]

_TICK_MS = 16


class Playback(QObject):
    """Time in seconds, on the document's timeline; runs by the clock, never by counting frames."""

    time_changed = Signal(float)
    playing_changed = Signal(bool)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.time = 0.0
        self.speed = 1.0
        self.playing = False
        self._from = (0.0, 0.0)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def seek(self, seconds: float) -> None:
        """Show another time; while playing, go on from there."""
        seconds = max(0.0, seconds)
        self._from = (time.perf_counter(), seconds)
        if seconds == self.time:
            return
        self.time = seconds
        self._session.stage.set_time(seconds, moving=self.playing)
        self.time_changed.emit(seconds)

    def scrub(self, seconds: float) -> None:
        """As `seek`, with more to follow at once: coarse pictures do."""
        seconds = max(0.0, seconds)
        self._from = (time.perf_counter(), seconds)
        if seconds != self.time:
            self.time = seconds
            self._session.stage.set_time(seconds, moving=True)
            self.time_changed.emit(seconds)

    def step_frames(self, frames: int) -> None:
        """Go a whole number of frames forward or back."""
        document = self._session.editing.document
        if document is not None:
            fps = document.timeline.fps
            self.seek((round(self.time * fps) + frames) / fps)

    def toggle(self) -> None:
        """Play or pause."""
        self.set_playing(not self.playing)

    def set_playing(self, playing: bool) -> None:
        """Play or pause."""
        if playing == self.playing or (playing and self._session.editing.document is None):
            return
        self.playing = playing
        if playing:
            document = self._session.editing.document
            assert document is not None
            if self.time >= document.timeline.duration:
                self.seek(0.0)
            self._from = (time.perf_counter(), self.time)
            self._timer.start()
        else:
            self._timer.stop()
            self._session.stage.set_time(self.time, moving=False)
        self.playing_changed.emit(playing)

    @Slot()
    def _tick(self) -> None:
        document = self._session.editing.document
        if document is None:
            self.set_playing(False)
            return
        timeline = document.timeline
        started, origin = self._from
        at = origin + (time.perf_counter() - started) * self.speed
        if timeline.loop == "loop":
            at %= timeline.duration
        elif timeline.loop == "ping-pong":
            at %= 2.0 * timeline.duration
            at = min(at, 2.0 * timeline.duration - at)
        elif at >= timeline.duration:
            at = timeline.duration
        self.time = at
        self._session.stage.set_time(at, moving=True)
        self.time_changed.emit(at)
        if timeline.loop == "hold" and at >= timeline.duration:
            self.set_playing(False)
