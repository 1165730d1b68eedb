"""The playhead: the time at which the stage is shown, and what makes it run."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from polyorama_studio.keying import AutoKey
from polyorama_studio.pose import view_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session

__all__ = ["SPEEDS", "Playback"]

_TICK_MS = 16
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
"""How many times faster than life it may run."""


class Playback(QObject):
    """Time in seconds, on the document's timeline; runs by the clock, never by counting frames."""

    time_changed = Signal(float)
    playing_changed = Signal(bool)
    range_changed = Signal()
    jumped = Signal()
    """While playing: it goes on from `origin`, or at another speed."""
    options_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.time = 0.0
        self.speed = 1.0
        self.playing = False
        self.range: tuple[float, float] | None = None
        """First and last second of what is played and exported; None for the whole timeline."""
        self.follow_view = True
        """Whether the viewport shows the keyed view as time goes."""
        self.clock: Callable[[], float | None] | None = None
        """Time of what sounds, s, without the end's turning back; pictures go by it while it gives
        one, as eyes forgive what ears do not."""
        self._from = (0.0, 0.0)
        self.auto_key = AutoKey(session, self)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        session.editing.replaced.connect(self._on_replaced)

    @property
    def origin(self) -> float:
        """Where playing began, s."""
        return self._from[1]

    @property
    def bounds(self) -> tuple[float, float]:
        """First and last second of what is played."""
        document = self._session.editing.document
        duration = 0.0 if document is None else document.timeline.duration
        return self.range or (0.0, duration)

    def seek(self, seconds: float) -> None:
        """Show another time; while playing, go on from there."""
        self._go(seconds, moving=self.playing)

    def scrub(self, seconds: float) -> None:
        """As `seek`, with more to follow at once: coarse pictures do."""
        self._go(seconds, moving=True)

    def _go(self, seconds: float, *, moving: bool) -> None:
        seconds = max(0.0, seconds)
        self._from = (time.perf_counter(), seconds)
        if seconds != self.time:
            self._show(seconds, moving=moving)
        if self.playing:
            self.jumped.emit()

    def _show(self, seconds: float, *, moving: bool) -> None:
        self.time = seconds
        stage = self._session.stage
        view = None
        if self.follow_view and not stage.through and self._session.editing.document is not None:
            view = view_at(self._session.editing.document, seconds, stage.view)
        stage.set_time(seconds, moving=moving, view=view)
        self.time_changed.emit(seconds)

    def step_frames(self, frames: int) -> None:
        """Go a whole number of frames forward or back."""
        document = self._session.editing.document
        if document is not None:
            fps = document.timeline.fps
            self.seek((round(self.time * fps) + frames) / fps)

    def step_keys(self, forward: bool) -> None:
        """Go to the next key or cue, or to the one before."""
        document = self._session.editing.document
        if document is None:
            return
        found = {key.time for track in document.timeline.tracks.values() for key in track.keys}
        times = sorted(found | {cue.time for cue in document.timeline.cues})
        if forward:
            at = bisect_right(times, self.time + 1e-6)
            if at < len(times):
                self.seek(times[at])
        else:
            at = bisect_left(times, self.time - 1e-6)
            if at > 0:
                self.seek(times[at - 1])

    def set_range(self, first: float | None = None, last: float | None = None) -> None:
        """Play and export a part alone; without times the whole."""
        chosen = None
        if first is not None and last is not None and last > first:
            chosen = (max(first, 0.0), last)
        if chosen != self.range:
            self.range = chosen
            self.range_changed.emit()

    def set_speed(self, speed: float) -> None:
        """Run so many times faster than life."""
        if speed != self.speed:
            self._from = (time.perf_counter(), self.time)
            self.speed = speed
            self.options_changed.emit()
            if self.playing:
                self.jumped.emit()

    def set_follow_view(self, follow: bool) -> None:
        """Whether the viewport shows the keyed view."""
        if follow != self.follow_view:
            self.follow_view = follow
            self.options_changed.emit()

    def toggle(self) -> None:
        """Play or pause."""
        self.set_playing(not self.playing)

    def set_playing(self, playing: bool) -> None:
        """Play or pause."""
        if playing == self.playing or (playing and self._session.editing.document is None):
            return
        if playing:
            first, last = self.bounds
            if not first <= self.time < last:
                self.seek(first)
            self._from = (time.perf_counter(), self.time)
            self._timer.start()
        else:
            self._timer.stop()
            self._session.stage.set_time(self.time, moving=False)
        self.playing = playing
        self.playing_changed.emit(playing)

    def folded(self, seconds: float) -> float:
        """Where on the timeline a time lies that ran on beyond the end."""
        document = self._session.editing.document
        first, last = self.bounds
        if document is None or seconds < last:
            return seconds
        if document.timeline.loop == "hold" or last <= first:
            return last
        span = last - first
        if document.timeline.loop == "loop":
            return first + (seconds - first) % span
        along = (seconds - first) % (2.0 * span)
        return first + min(along, 2.0 * span - along)

    @Slot()
    def _tick(self) -> None:
        document = self._session.editing.document
        if document is None:
            self.set_playing(False)
            return
        sounding = None if self.clock is None else self.clock()
        if sounding is None:
            started, origin = self._from
            sounding = origin + (time.perf_counter() - started) * self.speed
        at = self.folded(sounding)
        self._show(at, moving=True)
        if document.timeline.loop == "hold" and at >= self.bounds[1]:
            self.set_playing(False)

    @Slot()
    def _on_replaced(self) -> None:
        self.set_playing(False)
        self.set_range()
        self._from = (0.0, 0.0)
        if self.time != 0.0:
            self.time = 0.0
            self.time_changed.emit(0.0)
