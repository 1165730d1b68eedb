"""How a run is played: its player, what came of it so far, and the controls of time."""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from polyorama_studio.stage import FrameRate
from polyorama_studio.workspaces.lab.history import History
from polyorama_studio.workspaces.lab.link import Link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.link import Player

__all__ = ["SPEEDS", "Playing"]

log = logging.getLogger(__name__)

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0, math.inf)
"""Factors of an experiment's own rate; the last is as fast as the machine can."""
_TELL_S = 0.25


class Playing(QObject):
    """Time on the stage of the Lab: what a person does to it goes to the player, and comes back.

    A subclass says what is played, and starts it.

    Parameters
    ----------
    session
        Has the bridge, the jobs and the notices.
    """

    changed = Signal()
    """It plays or not, its speed, seed, parameters or rivals are others."""
    loading_changed = Signal(bool)
    updated = Signal(object)
    """An `Update` came."""
    told = Signal()
    """Some times a second: figures that people read have changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.rate = FrameRate()
        self.update: Update | None = None
        self.history = History()
        self.playing = False
        self.speed = 1.0
        self.loading = False
        self._told_at = 0.0
        self._fresh = True
        self._link = Link(session, self)
        self._link.came.connect(self._on_came)
        self._link.failed.connect(self._on_failed)

    def restart(self) -> None:
        """Start anew with the same seed."""
        raise NotImplementedError

    @property
    def step_shown(self) -> int:
        """The step that is shown."""
        return 0 if self.update is None else self.update.snapshot.step

    @property
    def _player(self) -> Player | None:
        return self._link.player

    def _set_loading(self, loading: bool) -> None:
        if loading != self.loading:
            self.loading = loading
            self.loading_changed.emit(loading)

    # What the player says

    @Slot(str)
    def _on_failed(self, error: str) -> None:
        self._set_loading(False)
        self.playing = False
        if self._player is not None:
            self._player.pause()
        log.warning("%s", error)
        self._session.tell("bad", error, self.tr("Start again"), self.restart)
        self.changed.emit()

    @Slot(object)
    def _on_came(self, updates: Sequence[Update]) -> None:
        if self._fresh:
            self._fresh = False
            self.history.clear()
        for update in updates:
            self.history.append(update.first, update.scalars)
        self._show(updates[-1])

    def _show(self, update: Update) -> None:
        self.history.show(update.index)
        before, self.update = self.update, update
        self._set_loading(False)
        stopped = self.playing and not update.playing and (update.done or bool(update.error))
        if stopped:
            self.playing = False
        if update.error and (before is None or before.error != update.error):
            self._session.tell("bad", update.error, self.tr("Start again"), self.restart)
        self.updated.emit(update)
        self.rate.count(self.playing)
        now = time.perf_counter()
        if stopped or not self.playing or now - self._told_at > _TELL_S:
            self._told_at = now
            self.told.emit()
        if stopped:
            self.changed.emit()

    # What a person does

    def set_playing(self, playing: bool) -> None:
        """Let it run, or stop it; at its end it starts again."""
        if self._player is None or playing == self.playing:
            return
        if playing and self.update is not None and self.update.done and self.update.live:
            self._play_again()
            return
        self.playing = playing
        if playing:
            self._player.play()
        else:
            self._player.pause()
        self.changed.emit()

    def _play_again(self) -> None:
        """Play from the start, since it is at its end."""
        self.seek(0)
        self.playing = True
        if self._player is not None:
            self._player.play()
        self.changed.emit()

    def toggle(self) -> None:
        """Play or pause."""
        self.set_playing(not self.playing)

    def step_on(self, count: int = 1) -> None:
        """Do some steps, or show those that were done before."""
        if self._player is None or self.update is None:
            return
        self.set_playing(False)
        if self.update.live:
            self._player.step(count)
        else:
            self.seek(self.update.index + count)

    def step_back(self, count: int = 1) -> None:
        """Show what was before."""
        if self.update is not None:
            self.set_playing(False)
            self.seek(self.update.index - count)

    def seek(self, index: int) -> None:
        """Show a moment of what was recorded; beyond its end, the live end."""
        if self._player is not None and self.update is not None:
            self._player.seek(min(max(index, 0), max(self.history.length, 1) - 1))

    def seek_step(self, step: float) -> None:
        """Show the recorded moment that is nearest to a step."""
        steps = self.history.whole("step")
        if len(steps):
            self.seek(int(abs(steps - step).argmin()))

    def set_speed(self, speed: float) -> None:
        """Play faster or slower; a factor of the experiment's own rate."""
        if speed != self.speed:
            self.speed = speed
            if self._player is not None:
                self._player.set_speed(speed)
            self.changed.emit()

    def change_speed(self, by: int) -> None:
        """To the next of the usual speeds, up or down."""
        here = min(range(len(SPEEDS)), key=lambda i: abs(_log(SPEEDS[i]) - _log(self.speed)))
        self.set_speed(SPEEDS[min(max(here + by, 0), len(SPEEDS) - 1)])


def _log(speed: float) -> float:
    return math.log(min(speed, 1e6))
