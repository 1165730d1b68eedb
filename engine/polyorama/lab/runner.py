"""Plays an experiment: at a chosen speed, forwards and back over what is recorded, in one thread.

The caller lends it time by `tick`; it never takes more than about 25 ms of it. Whatever the speed,
the steps are the same.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyorama.core.arguments import check_whole
from polyorama.errors import PolyoramaError, UsageError
from polyorama.lab.devices import device_words
from polyorama.lab.history import History
from polyorama.lab.pace import Pace
from polyorama.lab.rows import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.record import Recorder
    from polyorama.lab.snapshot import Snapshot

__all__ = ["Change", "Runner", "Runners", "Update"]


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """What somebody who watches a run has to know.

    Parameters
    ----------
    snapshot
        What is shown.
    index
        Its place in the record.
    length
        Recorded snapshots.
    first, scalars
        Rows `first` to `length` of every scalar column, "step" among them, float64: those that the
        receiver has not had yet. NaN where a value is missing.
    playing
        Whether it moves by itself.
    live
        Whether `snapshot` is the last recorded one, not one scrubbed back to.
    done
        Whether the run is at its end.
    steps_per_s
        Elementary steps a second of wall time, lately; 0 where it stands still.
    device
        What it computes on, in words.
    error
        Why it cannot go on, one sentence; "" where all is well.
    changes
        All changes so far, in order.
    """

    snapshot: Snapshot
    index: int
    length: int
    first: int
    scalars: Mapping[str, NDArray[np.float64]]
    playing: bool
    live: bool
    done: bool
    steps_per_s: float
    device: str
    error: str
    changes: tuple[Change, ...]


class Runner:
    """One experiment that is played.

    Parameters
    ----------
    experiment
        Not reset, or to be reset.
    seed
        Of the run.
    record
        Where the run is recorded on disk, too; None for in memory alone.

    Raises
    ------
    UsageError, ExperimentError
        If it cannot begin.
    """

    def __init__(self, experiment: Experiment, seed: int, record: Recorder | None = None) -> None:
        self.experiment = experiment
        self.history = History(experiment, seed)
        self._start(record)
        self._keep(experiment.reset(seed))

    @classmethod
    def resumed(
        cls, experiment: Experiment, history: History, record: Recorder | None = None
    ) -> Runner:
        """A run that goes on: the experiment stands where its history ends."""
        runner = cls.__new__(cls)
        runner.experiment, runner.history = experiment, history
        runner._start(record)
        runner._show(history.length - 1)
        return runner

    def _start(self, record: Recorder | None) -> None:
        self._record = record
        self._pace = Pace(self.experiment.rate)
        self._playing = False
        self._live = True
        self._index = 0
        self._shown: Snapshot | None = None
        self._failure: PolyoramaError | None = None
        self._sent = 0
        self._stale = True

    # Controls

    @property
    def playing(self) -> bool:
        """Whether it moves by itself."""
        return self._playing

    @property
    def done(self) -> bool:
        """Whether the run is at its end."""
        return self.history.done

    @property
    def error(self) -> str:
        """Why it cannot go on; "" where all is well."""
        return "" if self._failure is None else str(self._failure)

    @property
    def failure(self) -> PolyoramaError | None:
        """The error because of which it cannot go on; None where all is well."""
        return self._failure

    @property
    def live(self) -> bool:
        """Whether the last recorded snapshot is shown."""
        return self._live

    @property
    def speed(self) -> float:
        """Factor of the experiment's rate; infinite for as fast as possible."""
        return self._pace.speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._pace.speed = value

    def play(self) -> None:
        """Go on: over what is recorded where it was scrubbed back, then live."""
        self._playing = not self.error and not (self._live and self.done)
        self._pace.rest()
        self._stale = True

    def pause(self) -> None:
        """Stand still."""
        self._playing = False
        self._pace.rest()
        self._stale = True

    def step(self, count: int = 1) -> None:
        """Do `count` elementary steps and pause; scrubbed back, go on by so many snapshots.

        Raises
        ------
        UsageError
            If the count is no whole number above zero.
        """
        check_whole(count, "count")
        if count < 1:
            raise UsageError(f"Steps are counted from 1, not {count}.")
        self.pause()
        if not self._live:
            self.seek(self._index + count)
        elif not self.done and not self.error:
            self.advance(count)

    def seek(self, index: int) -> None:
        """Show a recorded snapshot; an index out of range is the nearest end."""
        check_whole(index, "index")
        self._show(min(max(index, 0), self.history.length - 1))
        self._pace.rest()

    def set(self, name: str, value: Any) -> None:
        """Change a live parameter, at the end of the record.

        Raises
        ------
        UsageError
            As `Experiment.set`.
        ExperimentError
            If the experiment fails over it; the run then stands still.
        """
        self._change(name, value, self.experiment.set)

    def paint(self, name: str, array: ArrayLike) -> None:
        """Replace what is on a canvas, at the end of the record; raises as `set`."""
        self._change(name, array, self.experiment.paint)

    def _change(self, name: str, value: Any, apply: Any) -> None:
        if self.error:
            raise UsageError(f"The run stands still after an error; reset it. {self.error}")
        step = self.experiment.steps
        try:
            apply(name, value)
            kept = self.experiment.paintings.get(name) if apply == self.experiment.paint else None
            if kept is None:
                kept = getattr(self.experiment.params, name)
            change = Change(step, name, kept, self.history.length)
            self.history.change(change)
            if self._record is not None:
                self._record.change(change)
            self._keep(self.experiment.step(0))
        except UsageError:
            raise
        except PolyoramaError as error:
            self._fail(error)
            raise

    # Time

    def tick(self, seconds: float) -> Update | None:
        """Let so many seconds pass.

        Parameters
        ----------
        seconds
            Wall time since the last tick.

        Returns
        -------
        update
            None where nothing is new since the last one.
        """
        return self.update() if self.elapse(seconds) else None

    def elapse(self, seconds: float) -> bool:
        """As `tick`, and tell only whether there is something new."""
        if self._playing:
            if self._live:
                self._play_on(seconds)
            else:
                self._play_back(seconds)
        return self._stale

    def update(self, first: int | None = None) -> Update:
        """What is to be known now.

        Parameters
        ----------
        first
            Rows of scalars that the receiver has; None for those of the update before.
        """
        history = self.history
        assert self._shown is not None
        start = self._sent if first is None else first
        columns = history.rows.scalars
        self._sent, self._stale = history.length, False
        return Update(
            self._shown, self._index, history.length, start,
            {name: columns.column(name, start) for name in columns.names},
            self._playing, self._live, self.done, self._pace.steps_per_s,
            device_words(self.experiment), self.error, history.changes,
        )  # fmt: skip

    def flush(self) -> None:
        """Write what waits to the record on disk, if there is one, so that others can read it."""
        if self._record is not None:
            self._record.flush()

    def close(self) -> None:
        """End the record on disk, if there is one."""
        if self._record is not None:
            self._record.close()
            self._record = None

    def _play_on(self, seconds: float) -> None:
        count = self._pace.due(seconds)
        if count < 1:
            return
        if self._pace.looks:
            self._pace.looked(_timed(self.experiment.step, 0))
        self._pace.did(count, seconds, _timed(self.advance, count))

    def _play_back(self, seconds: float) -> None:
        """Go over the record at the speed at which the run would go live."""
        steps = self.history.steps
        wanted = self._pace.wanted(seconds)
        if math.isinf(wanted):
            index = self._index + 1
        else:
            index = self.history.index_at(steps[self._index] + wanted)
            if index == self._index and steps[index + 1] == steps[index]:
                index += 1  # looked at twice at one step, since something was changed there
            self._pace.owe(wanted - (steps[index] - steps[self._index]))
        if index > self._index:
            self._show(index)
            if self._live:
                self._pace.rest()
                self._playing = not self.done and not self.error

    def advance(self, count: int) -> None:
        """Do `count` elementary steps at the end of the record and look once; fails quietly."""
        if not self._live:
            self._show(self.history.length - 1)
        try:
            self._keep(self.experiment.step(count))
        except PolyoramaError as error:
            self._fail(error)

    def _keep(self, snapshot: Snapshot) -> None:
        self.history.append(snapshot)
        self._index, self._shown = self.history.length - 1, snapshot
        self._live = self._stale = True
        if snapshot.done:
            self._playing = False
            self._pace.rest()
        if self._record is not None:
            self._record.append(snapshot)

    def _show(self, index: int) -> None:
        self._index = index
        self._live = index == self.history.length - 1
        self._shown = self.history.snapshot(index)
        self._stale = True

    def _fail(self, error: PolyoramaError) -> None:
        self._failure = error
        self._playing, self._stale = False, True
        self._pace.rest()


def _timed(function: Callable[[int], Any], count: int) -> float:
    started = time.perf_counter()
    function(count)
    return time.perf_counter() - started


class Runners:
    """Several experiments in lockstep, on the same random streams.

    Each tick, all that are not at their end do the same number of steps, at the rate of the first;
    together they take no longer than one would.

    Parameters
    ----------
    experiments
        At least one.
    seed
        Of all; equal names of streams then give equal luck.

    Raises
    ------
    UsageError
        If there is none, or as `Runner`.
    """

    def __init__(self, experiments: Sequence[Experiment], seed: int) -> None:
        if not experiments:
            raise UsageError("Name at least one experiment to run.")
        self.runners = tuple(Runner(experiment, seed) for experiment in experiments)
        self._pace = Pace(experiments[0].rate)
        self._playing = False

    @property
    def playing(self) -> bool:
        """Whether they move by themselves."""
        return self._playing

    @property
    def speed(self) -> float:
        """As `Runner.speed`."""
        return self._pace.speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._pace.speed = value

    def play(self) -> None:
        """Go on, live."""
        self._playing = True
        self._pace.rest()

    def pause(self) -> None:
        """Stand still."""
        self._playing = False
        self._pace.rest()

    def step(self, count: int = 1) -> None:
        """Do `count` elementary steps each, live, and pause; raises as `Runner.step`."""
        self.pause()
        for runner in self._moving():
            runner.seek(runner.history.length - 1)
            runner.step(count)

    def seek(self, index: int) -> None:
        """Show a recorded snapshot of each, and pause."""
        self.pause()
        for runner in self.runners:
            runner.seek(index)

    def set(self, name: str, value: Any) -> None:
        """Change a live parameter of all that have one of that name.

        Raises
        ------
        UsageError
            If none has it, or as `Runner.set`.
        """
        having = [
            runner
            for runner in self.runners
            if any(p.name == name for p in runner.experiment.parameters())
        ]
        if not having:
            raise UsageError(f"None of these experiments has a parameter {name!r}.")
        for runner in having:
            runner.set(name, value)

    def tick(self, seconds: float) -> tuple[Update | None, ...]:
        """Let so many seconds pass; each one's update, as `Runner.tick`."""
        moving = self._moving()
        self._playing = self._playing and bool(moving)
        if self._playing and (count := self._pace.due(seconds)) > 0:
            if self._pace.looks:
                looks = (_timed(runner.experiment.step, 0) for runner in moving)
                self._pace.looked(sum(looks))
            steps = [_timed(runner.advance, count) for runner in moving]
            self._pace.did(count, seconds, sum(steps))
        return tuple(runner.tick(0.0) for runner in self.runners)

    def _moving(self) -> list[Runner]:
        return [runner for runner in self.runners if not (runner.done or runner.error)]
