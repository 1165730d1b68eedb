"""The run on the stage: a worker process on one side, the widgets on the other."""

from __future__ import annotations

import dataclasses
import logging
import math
import secrets
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama_studio.jobs import Handlers
from polyorama_studio.stage import FrameRate
from polyorama_studio.workspaces.lab.history import History
from polyorama_studio.workspaces.lab.link import Link
from polyorama_studio.workspaces.lab.recordings import RunFolders
from polyorama_studio.workspaces.lab.setup import Loaded, Setup, load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Progress
    from polyorama.core.params import Parameter
    from polyorama.lab.remote import RemoteRunner
    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.link import Player

__all__ = ["SPEEDS", "Run"]

log = logging.getLogger(__name__)

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0, math.inf)
"""Factors of an experiment's own rate; the last is as fast as the machine can."""
_MOST_SEED = 10_000
_TELL_S = 0.25


def make_runner(setup: Setup, folder: Path | None, on_update: Any, on_error: Any) -> RemoteRunner:
    """A runner in a process of its own."""
    from polyorama.lab.remote import RemoteRunner

    return RemoteRunner(
        setup.id, params=setup.values, rivals=setup.rivals, seed=setup.seed,
        paintings=setup.paintings, folder=folder, on_update=on_update, on_error=on_error,
    )  # fmt: skip


class Run(QObject):
    """What is on the stage of the Lab.

    Widgets ask it and call it; what a person does becomes a call of the worker, and all that comes
    back is told by signals on this thread.

    Parameters
    ----------
    session
        Has the bridge, the jobs and the notices.
    """

    loaded_changed = Signal()
    """Another experiment, or the same one with other pictures, is on the stage."""
    changed = Signal()
    """It plays or not, its speed, seed, parameters or rivals are others."""
    loading_changed = Signal(bool)
    updated = Signal(object)
    """An `Update` came."""
    told = Signal()
    """Some times a second: figures that people read have changed."""
    closing = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.rate = FrameRate()
        self._told_at = 0.0
        self.setup: Setup | None = None
        self.loaded: Loaded | None = None
        self.update: Update | None = None
        self.history = History()
        self.playing = False
        self.speed = 1.0
        self.loading = False
        self.pending: dict[str, Any] = {}
        """Parameters that take hold with the next start, and what they will be."""
        self.preset = -1
        """Number of the preset that was chosen last; -1 for none."""
        self._link = Link(session, self)
        self._link.came.connect(self._on_came)
        self._link.failed.connect(self._on_failed)
        self._fresh = True
        self.folder: Path | None = None
        """Where the run is recorded, until the Lab is closed."""
        self._folders = RunFolders()

    # Asking

    @property
    def _player(self) -> Player | None:
        return self._link.player

    @property
    def is_open(self) -> bool:
        """Whether an experiment is on the stage."""
        return self.loaded is not None

    @property
    def step_shown(self) -> int:
        """The step that is shown."""
        return 0 if self.update is None else self.update.snapshot.step

    @property
    def title(self) -> str:
        """What the experiment is called."""
        return "" if self.loaded is None else self.loaded.kind.title

    def value(self, name: str) -> Any:
        """A parameter as it is, or will be after the next start."""
        assert self.loaded is not None
        return self.pending.get(name, self.loaded.values[name])

    # Opening and starting

    def open(self, experiment_id: str, preset: int = -1) -> None:
        """Put an experiment on the stage, at its first step and at rest."""
        self.pending, self.preset, self.speed = {}, preset, 1.0
        self._start(Setup(experiment_id), preset=preset, playing=False)

    def restart(self) -> None:
        """Start anew with the same seed, and what waits for a new start."""
        if self.setup is not None:
            self._start(self._with_pending(self.setup), playing=self.playing)

    def choose_preset(self, number: int) -> None:
        """Start anew with a preset's parameters on the same seed."""
        if self.loaded is None or self.setup is None:
            return
        if 0 <= number < len(self.loaded.kind.presets):
            self.pending, self.preset = {}, number
            setup = self.setup.with_preset(self.loaded.kind.presets[number])
            self._session.log_python(setup.python(0))
            self._start(setup, playing=self.playing)

    def set_seed(self, seed: int) -> None:
        """Start anew with other luck."""
        if self.setup is not None and seed != self.setup.seed:
            self._start(
                dataclasses.replace(self._with_pending(self.setup), seed=seed),
                playing=self.playing,
            )

    def new_seed(self) -> None:
        """Start anew with some other luck."""
        self.set_seed(secrets.randbelow(_MOST_SEED))

    def set_rivals(self, rivals: tuple[str, ...]) -> None:
        """Let others take part: start anew on the same seed and catch up to the present step."""
        if self.setup is not None and self.loaded is not None and rivals != self.loaded.active:
            last = 0 if self.history.length == 0 else int(self.history.whole("step")[-1])
            setup = dataclasses.replace(self._with_pending(self.setup), rivals=rivals)
            self._start(setup, playing=self.playing, catch_up=last)

    def _with_pending(self, setup: Setup) -> Setup:
        assert self.loaded is not None
        for parameter in self.loaded.kind.parameters():
            if parameter.name in self.pending:
                value = self.pending[parameter.name]
                setup = setup.with_value(parameter.name, value, parameter.default)
        self.pending = {}
        return setup

    def _start(
        self, setup: Setup, *, playing: bool, preset: int = -1, catch_up: int = 0
    ) -> None:  # fmt: skip
        number = self._link.announce()
        self._set_loading(True)
        work = partial(_loaded_with_preset, setup, preset)
        done = partial(self._on_loaded, number, playing, catch_up)
        failed = partial(self._on_load_failed, number)
        self._session.start_job(work, Handlers(done, failed, _nothing), "load an experiment")

    def _set_loading(self, loading: bool) -> None:
        if loading != self.loading:
            self.loading = loading
            self.loading_changed.emit(loading)

    def _on_load_failed(self, number: int, error: BaseException) -> None:
        if number == self._link.number:
            self._set_loading(False)
            self._session.report(error)

    def _on_loaded(
        self, number: int, playing: bool, catch_up: int, result: tuple[Setup, Loaded]
    ) -> None:
        if number != self._link.number:
            return
        setup, loaded = result
        new = self.loaded is None or loaded.views != self.loaded.views
        new = new or loaded.kind is not self.loaded.kind or loaded.active != self.loaded.active
        self.setup, self.loaded = setup, loaded
        self._fresh = True
        self.folder = self._folders.fresh(number)
        player = self._link.connect_to(partial(make_runner, setup, self.folder))
        player.set_speed(self.speed)
        if catch_up:
            player.step(catch_up)
        self.playing = playing
        if playing:
            player.play()
        if new:
            self.loaded_changed.emit()
        self.changed.emit()

    def close(self) -> None:
        """End the worker and take nothing more from it."""
        self.closing.emit()
        self._link.close()
        self._folders.close()

    # What the worker says

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
            assert self.setup is not None
            self._start(self._with_pending(self.setup), playing=True)
            return
        self.playing = playing
        if playing:
            self._player.play()
        else:
            self._player.pause()
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

    def set_value(self, parameter: Parameter, value: Any) -> None:
        """Change a parameter: at once where it is live, else with the next start."""
        if self.loaded is None or self.setup is None:
            return
        name = parameter.name
        if not parameter.live:
            self.pending = {k: v for k, v in self.pending.items() if k != name}
            if value != self.loaded.values[name]:
                self.pending[name] = value
        else:
            self.setup = self.setup.with_value(name, value, parameter.default)
            values = {**self.loaded.values, name: value}
            self.loaded = dataclasses.replace(self.loaded, values=values)
            if self._player is not None:
                self._player.set(name, value)
        self.changed.emit()

    def flush(self) -> None:
        """Have the record written, so that others can read it."""
        if self._player is not None:
            self._player.flush()

    def paint(self, name: str, array: NDArray[Any]) -> None:
        """Replace what is on a canvas."""
        if self.setup is not None and self._player is not None:
            paintings = {**self.setup.paintings, name: array}
            self.setup = dataclasses.replace(self.setup, paintings=paintings)
            self._player.paint(name, array)


def _log(speed: float) -> float:
    return math.log(min(speed, 1e6))


def _loaded_with_preset(setup: Setup, number: int) -> tuple[Setup, Loaded]:
    loaded = load(setup)
    if 0 <= number < len(loaded.kind.presets):
        setup = setup.with_preset(loaded.kind.presets[number])
        loaded = load(setup)
    return setup, loaded


def _nothing(progress: Progress | object) -> None:
    """Nobody waits for it."""
