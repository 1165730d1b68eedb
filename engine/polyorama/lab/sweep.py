"""Many seeds, and perhaps several values of one parameter: means and confidence bands.

Each run is done by a process with one thread; what comes back is added up at once and in a fixed
order, so that memory does not grow with the number of seeds, and the result does not depend on how
many processes there are.
"""

from __future__ import annotations

import contextlib
import csv
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core import memory
from polyorama.core.arguments import check_kind, check_number, check_whole
from polyorama.core.compile import core_count
from polyorama.core.jobs import Progress
from polyorama.core.params import checked, parameter_of
from polyorama.core.processes import spawned
from polyorama.errors import PolyoramaError, UnavailableError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.lab.catalog import experiment_class, locator
from polyorama.lab.experiment import ExperimentError, check_seed
from polyorama.lab.making import made
from polyorama.lab.recording import TIMES
from polyorama.lab.worker import until_ended

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Iterator, Sequence
    from multiprocessing.connection import Connection

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.jobs import Job

__all__ = ["Failure", "Plan", "Sweep", "sweep_job", "t_quantile"]

_MOST_SEEDS = 1_000_000
_MOST_LOOKS = 100_000
_PATIENCE_S = 2.0
"""Between asking the processes to end and ending them."""
_AHEAD = 1000
"""Runs that others are ahead of one that takes long: their results wait for it in memory."""
_FAILURES = 20
"""Failed runs before it is given up."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What every run of a sweep does.

    Parameters
    ----------
    source
        The experiment's id, or ``path.py:Class``.
    params, rivals, paintings
        As of `polyorama.lab.making.made`.
    steps
        Elementary steps of a run.
    every
        Steps between two looks.
    """

    source: str
    params: Mapping[str, Any]
    rivals: tuple[str, ...] | None
    paintings: Mapping[str, NDArray[np.float64]]
    steps: int
    every: int

    @property
    def grid(self) -> NDArray[np.int64]:
        """(looks,) int64, the steps at which runs are looked at: 0 and the last among them."""
        looks = np.arange(0, self.steps, self.every, dtype=np.int64)
        return np.append(looks, self.steps)


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that failed.

    Parameters
    ----------
    value
        Of the parameter that is swept; None for none.
    seed
        Of the run.
    text
        Why.
    """

    value: Any
    seed: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """What a sweep found.

    Parameters
    ----------
    title
        Of the experiment.
    name, values
        The parameter that was swept and its values; "" and (None,) for none.
    seeds
        Runs a value, failed ones included.
    level
        Of the confidence bands, such as 0.95.
    steps
        (looks,) int64.
    columns
        Names of the scalars.
    count, mean, half
        (values, columns, looks) of each: how many runs had a finite number there, their mean, and
        half the width of its confidence interval by Student's t; NaN below two runs.
    failures
        Runs that count nowhere, fewer than 20.
    """

    title: str
    name: str
    values: tuple[Any, ...]
    seeds: int
    level: float
    steps: NDArray[np.int64]
    columns: tuple[str, ...]
    count: NDArray[np.int64]
    mean: NDArray[np.float64]
    half: NDArray[np.float64]
    failures: tuple[Failure, ...] = ()

    def write_csv(self, target: str | os.PathLike[str]) -> None:
        """Write everything as text: a row a value, column and step."""
        with (
            atomic_write(target) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file)
            percent = f"{100 * self.level:g}%"
            head = [self.name or "parameter", "scalar", "step", "mean"]
            writer.writerow([*head, f"low {percent}", f"high {percent}", "runs"])
            for v, value in enumerate(self.values):
                for c, column in enumerate(self.columns):
                    rows = zip(
                        self.steps.tolist(), self.mean[v, c].tolist(), self.half[v, c].tolist(),
                        self.count[v, c].tolist(), strict=True,
                    )  # fmt: skip
                    for step, mean, half, count in rows:
                        cells = [mean, mean - half, mean + half]
                        shown = ["" if cell != cell else repr(cell) for cell in cells]
                        name = "" if value is None else value
                        writer.writerow([name, column, step, *shown, count])


class _Moments:
    """Mean and squared deviations of columns, one run after the other (Welford, 1962).

    Parameters
    ----------
    values, looks
        Values of the parameter that is swept, and looks at each run.
    """

    def __init__(self, values: int, looks: int) -> None:
        self._shape = (values, looks)
        self._of: dict[str, tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """In the order in which they first came."""
        return tuple(self._of)

    def add(self, at: int, run: Mapping[str, NDArray[np.float64]]) -> None:
        """Add a run's columns, (looks,) each, to those of a value; not finite is missing."""
        for name, values in run.items():
            if name not in self._of:
                bytes_ = 48 * (len(self._of) + 1) * int(np.prod(self._shape))
                memory.require(bytes_, "the sums of this sweep; look less often with every")
                zeros = np.zeros(self._shape)
                self._of[name] = (np.zeros(self._shape, np.int64), zeros, zeros.copy())
            count, mean, squares = (part[at] for part in self._of[name])
            known = np.isfinite(values)
            seen = np.where(known, values, mean)
            delta = seen - mean
            count += known
            mean += delta / np.maximum(count, 1)
            with np.errstate(over="ignore"):  # a run that diverges has an infinite band
                squares += delta * (seen - mean)

    def result(
        self, level: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """(values, columns, looks) of each: count, mean, and half of the t interval, t s / sqrt(n).

        The mean of none, and the interval below two, is NaN.
        """
        parts = zip(*self._of.values(), strict=True)
        count, mean, squares = (np.stack(part, axis=1) for part in parts)
        half = np.full(mean.shape, np.nan)
        for n in np.unique(count[count > 1]):
            here = count == n
            deviation = np.sqrt(squares[here] / (n - 1))
            half[here] = t_quantile(0.5 + 0.5 * level, int(n) - 1) * deviation / np.sqrt(n)
        return count, np.where(count > 0, mean, np.nan), half


def t_quantile(share: float, freedom: int) -> float:
    """The value that Student's t with so many degrees of freedom stays below with this probability.

    Raises
    ------
    UnavailableError
        If scipy is not there.
    """
    try:
        from scipy.special import stdtrit
    except ImportError as error:
        raise UnavailableError(
            "Confidence bands need scipy; install it with pip install 'polyorama[lab]'."
        ) from error
    return float(stdtrit(freedom, share))


def sweep_job(
    name: str,
    *,
    seeds: int | Sequence[int],
    steps: int,
    every: int | None = None,
    parameter: str = "",
    values: Sequence[Any] = (),
    params: Mapping[str, Any] | None = None,
    rivals: tuple[str, ...] | None = None,
    paintings: Mapping[str, ArrayLike] | None = None,
    level: float = 0.95,
    processes: int | None = None,
) -> Job[Sweep]:
    """Run an experiment with many seeds, as a job; closing it ends all processes.

    Parameters
    ----------
    name
        The experiment's id, or ``path.py:Class``.
    seeds
        How many, from 0 on, or which.
    steps
        Elementary steps of each run; a run that ends sooner counts as far as it goes.
    every
        Steps between two looks; None for a hundred looks.
    parameter, values
        A parameter and its values, each of which is run with all seeds; "" for none.
    params, rivals, paintings
        As of `polyorama.lab.making.made`.
    level
        Of the confidence bands.
    processes
        How many; None for one a core. With 1 all is done in this process.

    Raises
    ------
    UsageError
        If a number is out of range, or the result would not fit into memory.
    ExperimentError
        If 20 runs fail, or all; the text names the first with its seed. If there is no scalar.
    UnavailableError
        If a process dies, or scipy is not there.
    """
    tasks, plan, chosen, seed_list = _planned(
        name, seeds, steps, every, parameter, values, params, rivals, paintings
    )
    check_number(level, "level")
    if not 0.0 < level < 1.0:
        raise UsageError(f"A level of confidence is between 0 and 1, not {level:g}.")
    t_quantile(0.5 + 0.5 * level, 1)
    if processes is not None:
        check_whole(processes, "processes")
        if processes < 1:
            raise UsageError(f"A sweep takes 1 or more processes, not {processes}.")
    team = max(1, min(core_count() if processes is None else processes, len(tasks)))
    grid = plan.grid
    sums = _Moments(len(chosen), len(grid))
    failures: list[Failure] = []
    work = _here(plan, tasks) if team == 1 else _in_processes(plan, tasks, team)
    note = f"Running {len(tasks):,} runs"
    with contextlib.closing(work):
        for done, (number, result) in enumerate(_in_order(work), start=1):
            at, seed = number // len(seed_list), seed_list[number % len(seed_list)]
            if isinstance(result, str):
                failures.append(Failure(chosen[at], seed, result))
                if len(failures) >= _FAILURES:
                    break
            else:
                sums.add(at, {k: v for k, v in result.items() if not k.startswith(TIMES)})
            yield Progress(done, len(tasks), note)
    if len(failures) in (len(tasks), _FAILURES):
        first = failures[0]
        where = f"{parameter} {first.value!r}, seed" if parameter else "seed"
        many = f"{len(failures):,} runs" if len(failures) > 1 else "The run"
        raise ExperimentError(f"{many} failed, first that of {where} {first.seed}: {first.text}")
    if not sums.columns:
        raise ExperimentError(f"{name} shows no number that could be averaged, only arrays.")
    return Sweep(
        experiment_class(name).title, parameter, chosen, len(seed_list), level, grid,
        sums.columns, *sums.result(level), tuple(failures),
    )  # fmt: skip


_Task = tuple[dict[str, Any], int]
_Result = dict[str, Any] | str


def _planned(
    name: str, seeds: int | Sequence[int], steps: int, every: int | None, parameter: str,
    values: Sequence[Any], params: Mapping[str, Any] | None, rivals: tuple[str, ...] | None,
    paintings: Mapping[str, ArrayLike] | None,
) -> tuple[list[_Task], Plan, tuple[Any, ...], list[int]]:  # fmt: skip
    """The tasks in their order, values outside, seeds inside; everything is tried once here."""
    check_whole(steps, "steps")
    if steps < 1:
        raise UsageError(f"A run of {steps} steps shows nothing; ask for 1 or more.")
    if not isinstance(seeds, Collection):
        check_whole(seeds, "seeds")
        seeds = range(seeds)
    if not 1 <= len(seeds) <= _MOST_SEEDS:
        raise UsageError(f"A sweep has 1 to {_MOST_SEEDS:,} seeds.")
    for seed in seeds:
        check_seed(seed)
    seed_list = [int(seed) for seed in seeds]
    if len(set(seed_list)) < len(seed_list):
        raise UsageError("A seed is named twice; its run would count twice in the mean.")
    pause = max(1, steps // 100) if every is None else every
    check_whole(pause, "every")
    if pause < 1 or steps / pause > _MOST_LOOKS:
        raise UsageError(
            f"Runs are looked at every 1 or more steps, {_MOST_LOOKS:,} times at most."
        )
    check_kind(values, Collection, "values", "a list of values")
    check_kind(params, Mapping | None, "params", "values by name")
    if bool(parameter) != bool(len(values)):
        raise UsageError("A sweep over a parameter needs its name and its values.")
    cls = experiment_class(name)
    chosen: tuple[Any, ...] = (None,)
    if parameter:
        known = parameter_of(cls.Params, parameter)
        chosen = tuple(checked(known, value) for value in values)
    extra = [{parameter: value} if parameter else {} for value in chosen]
    base = dict(params or {})
    tasks: list[_Task] = []
    for more in extra:
        example = made(name, {**base, **more}, rivals, paintings)
        tasks += [(more, seed) for seed in seed_list]
    painted = dict(example.paintings)
    plan = Plan(locator(cls), base, rivals, painted, steps, pause)
    return tasks, plan, chosen, seed_list


def _done(plan: Plan, task: _Task) -> _Result:
    """The scalars of one run on the grid, (looks,) float64 each, or why it failed."""
    more, seed = task
    try:
        experiment = made(plan.source, {**plan.params, **more}, plan.rivals, plan.paintings)
        grid = plan.grid
        columns: dict[str, NDArray[np.float64]] = {}
        snapshot = experiment.reset(seed)
        for row, step in enumerate(grid):
            if row:
                snapshot = experiment.step(int(step) - experiment.steps)
            if snapshot.step < step:
                break  # it ended before
            for key, value in snapshot.scalars.items():
                if key not in columns:
                    columns[key] = np.full(len(grid), np.nan)
                columns[key][row] = value
    except PolyoramaError as error:
        return str(error)
    except MemoryError:
        return "There is not enough memory for it."
    return columns


def _in_order(results: Iterator[tuple[int, _Result]]) -> Iterator[tuple[int, _Result]]:
    """Results by their number: sums of floats depend on their order."""
    waiting: dict[int, _Result] = {}
    following = 0
    for number, result in results:
        waiting[number] = result
        while following in waiting:
            yield following, waiting.pop(following)
            following += 1


def _here(plan: Plan, tasks: Sequence[_Task]) -> Generator[tuple[int, _Result]]:
    for number, task in enumerate(tasks):
        yield number, _done(plan, task)


def _in_processes(plan: Plan, tasks: Sequence[_Task], count: int) -> Generator[tuple[int, _Result]]:
    team: dict[Connection, Any] = {}
    busy: dict[Connection, int] = {}
    following = 0
    try:
        for _ in range(count):
            process, connection = spawned(_serve, plan, threads=1)
            team[connection] = process
        while following < len(tasks) or busy:
            for connection in team:
                first = min(busy.values(), default=following)
                if connection in busy or following == min(len(tasks), first + _AHEAD):
                    continue
                with _still_there(team[connection]):
                    connection.send(tasks[following])
                busy[connection] = following
                following += 1
            ready = set(wait(busy))
            for connection in [one for one in team if one in ready]:
                with _still_there(team[connection]):
                    result = connection.recv()
                yield busy.pop(connection), result
    finally:
        for connection in team:
            connection.close()
        end = time.monotonic() + _PATIENCE_S
        for process in team.values():
            process.terminate()
        for process in team.values():
            process.join(max(0.0, end - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


@contextlib.contextmanager
def _still_there(process: Any) -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        process.join(_PATIENCE_S)
        raise UnavailableError(
            f"A process of the sweep ended by itself (exit code {process.exitcode}), perhaps for "
            f"lack of memory; use fewer processes."
        ) from error


def _serve(connection: Connection, plan: Plan) -> None:
    """The life of one process: tasks come in, results go out."""
    with until_ended(), contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(_done(plan, connection.recv()))
