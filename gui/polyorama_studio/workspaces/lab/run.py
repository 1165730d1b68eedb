"""The run on the stage: a worker process on one side, the widgets on the other."""

from __future__ import annotations

import dataclasses
import secrets
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal, Slot

from polyorama_studio.jobs import Handlers
from polyorama_studio.workspaces.lab.playing import SPEEDS, Playing
from polyorama_studio.workspaces.lab.recordings import RunFolders, Slowness, keep, kept_folder
from polyorama_studio.workspaces.lab.replay import Replay
from polyorama_studio.workspaces.lab.setup import Loaded, Setup, load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Progress
    from polyorama.core.params import Parameter
    from polyorama.lab.record import Record
    from polyorama.lab.remote import RemoteRunner
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.link import Player

__all__ = ["SPEEDS", "Run"]

_MOST_SEED = 10_000


def make_runner(setup: Setup, folder: Path | None, on_update: Any, on_error: Any) -> RemoteRunner:
    """A runner in a process of its own."""
    from polyorama.lab.remote import RemoteRunner

    return RemoteRunner(
        setup.id, params=setup.values, rivals=setup.rivals, seed=setup.seed,
        paintings=setup.paintings, folder=folder, on_update=on_update, on_error=on_error,
    )  # fmt: skip


class Run(Playing):
    """What is on the stage of the Lab, and what it is made of.

    Widgets ask it and call it; what a person does becomes a call of the player, and all that comes
    back is told by signals on this thread.
    """

    loaded_changed = Signal()
    """Another experiment, or the same one with other pictures, is on the stage."""
    closing = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.setup: Setup | None = None
        self.loaded: Loaded | None = None
        self.pending: dict[str, Any] = {}
        """Parameters that take hold with the next start, and what they will be."""
        self.preset = -1
        """Number of the preset that was chosen last; -1 for none."""
        self.replaying = False
        """Whether it was recorded before, and is not computed."""
        self.on_stage = False
        """Whether people watch: then a recording takes over by itself where this is too slow."""
        self.folder: Path | None = None
        """Where the run is recorded."""
        self._folders = RunFolders()
        self._slowness = Slowness()
        self.told.connect(self._watch_speed)

    # Asking

    @property
    def is_open(self) -> bool:
        """Whether an experiment is on the stage."""
        return self.loaded is not None

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
        number = self._announce()
        work = partial(_loaded_with_preset, setup, preset)
        done = partial(self._on_loaded, number, playing, catch_up)
        self._load(number, work, done)

    def open_record(self, folder: Path, *, playing: bool = False, step: float = 0.0) -> None:
        """Put a run on the stage that was recorded before, at about a step."""
        number = self._announce()
        done = partial(self._on_record, number, playing, step)
        self._load(number, partial(_recorded, folder), done)

    def _announce(self) -> int:
        self._set_loading(True)
        self._slowness.forget()
        return self._link.announce()

    def _load(self, number: int, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        failed = partial(self._on_load_failed, number)
        self._session.start_job(work, Handlers(done, failed, _nothing), "load an experiment")

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
        self._session.log_python(setup.python(catch_up))
        self.replaying = False
        self.folder = self._folders.fresh(number)
        new = self._take(setup, loaded)
        player = self._link.connect_to(partial(make_runner, setup, self.folder))
        player.set_speed(self.speed)
        if catch_up:
            player.step(catch_up)
        self._begin(player, playing, new)

    def _on_record(
        self, number: int, playing: bool, step: float, result: tuple[Record, Setup, Loaded]
    ) -> None:
        if number != self._link.number:
            return
        record, setup, loaded = result
        self.replaying = True
        self.folder = record.folder
        new = self._take(setup, loaded)
        player = self._link.connect_to(partial(Replay, record, loaded.kind.rate))
        player.set_speed(self.speed)
        player.seek(record.index_at(step))
        self._begin(player, playing, new)

    def _take(self, setup: Setup, loaded: Loaded) -> bool:
        """Whether other pictures are needed for it."""
        before, self.setup, self.loaded = self.loaded, setup, loaded
        self._fresh = True
        return (
            before is None or loaded.views != before.views or loaded.kind is not before.kind
            or loaded.active != before.active
        )  # fmt: skip

    def _begin(self, player: Player, playing: bool, new: bool) -> None:
        self.playing = playing
        if playing:
            player.play()
        if new:
            self.loaded_changed.emit()
        self.changed.emit()

    def _play_again(self) -> None:
        """A recording begins anew; a live run is started anew, since its end is no part of it."""
        if self.replaying or self.setup is None:
            super()._play_again()
        else:
            self._start(self._with_pending(self.setup), playing=True)

    # Where the machine is too slow

    @Slot()
    def _watch_speed(self) -> None:
        update, loaded, setup = self.update, self.loaded, self.setup
        if update is None or loaded is None or setup is None:
            return
        if self.replaying or not self.playing or not update.live:
            self._slowness.forget()
            return
        wanted = loaded.kind.rate * self.speed
        if not self._slowness.watch(time.perf_counter(), update.steps_per_s, wanted):
            return
        folder = kept_folder(setup, loaded.active)
        if not folder.is_dir() or update.changes:
            return
        play = partial(self.open_record, folder, playing=True, step=float(self.step_shown))
        if self.on_stage:
            play()
            self._session.tell("info", self.tr("Too slow here; the kept recording plays"))
        else:
            words = self.tr("This machine is too slow for it; a recording of this run was kept")
            self._session.tell("warn", words, self.tr("Play it"), play)

    def keep(self) -> None:
        """Keep the record, to be played where a machine is too slow."""
        if self.folder is not None:
            self.flush()
            done = Handlers(self._on_kept, self._session.report, _nothing)
            work = partial(_kept, self.folder)
            self._session.start_job(work, done, self.tr("Keeping the run"), keep=True)

    def _on_kept(self, nothing: object) -> None:
        self._session.tell("good", self.tr("Kept: it plays from its record where it is too slow"))

    def close(self) -> None:
        """End the worker and take nothing more from it."""
        self.closing.emit()
        self._link.close()
        self._folders.close()

    def set_value(self, parameter: Parameter, value: Any) -> None:
        """Change a parameter: at once where it is live, else with the next start."""
        if self.loaded is None or self.setup is None:
            return
        name = parameter.name
        if not parameter.live or self.replaying:
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
            if self.replaying:
                self._start(self._with_pending(self.setup), playing=self.playing)
            else:
                self._player.paint(name, array)


def _loaded_with_preset(setup: Setup, number: int) -> tuple[Setup, Loaded]:
    loaded = load(setup)
    if 0 <= number < len(loaded.kind.presets):
        setup = setup.with_preset(loaded.kind.presets[number])
        loaded = load(setup)
    return setup, loaded


def _recorded(folder: Path) -> tuple[Record, Setup, Loaded]:
    from polyorama.lab.record import Record

    record = Record.open(folder)
    experiment = record.experiment()
    values = {
        parameter.name: record.params[parameter.name]
        for parameter in experiment.parameters()
        if record.params.get(parameter.name, parameter.default) != parameter.default
    }
    rivals = record.rivals if experiment.rivals else None
    setup = Setup(record.experiment_id, record.seed, values, rivals, record.paintings)
    return record, setup, load(setup)


def _kept(folder: Path) -> None:
    # What the run began with, whatever was changed on the way.
    _, setup, loaded = _recorded(folder)
    keep(folder, kept_folder(setup, loaded.active))


def _nothing(progress: Progress | object) -> None:
    """Nobody waits for it."""
