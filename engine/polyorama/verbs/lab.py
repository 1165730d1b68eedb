"""The lab as verbs: published methods made, run, recorded, swept over seeds, and held to claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.arguments import check_kind, check_whole, said
from polyorama.core.color import luma
from polyorama.core.jobs import Progress, run
from polyorama.core.params import checked, parameter_of
from polyorama.errors import UsageError
from polyorama.io.photos import read_pixels
from polyorama.lab import catalog, making
from polyorama.lab.experiment import Experiment, check_seed
from polyorama.lab.record import Record, Recorder
from polyorama.lab.replaying import recomputed, resumed
from polyorama.lab.runner import Runner
from polyorama.lab.sweep import Sweep, sweep_job

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.lab.experiment import Canvas
    from polyorama.lab.recording import Recording

__all__ = [
    "check_run_job", "experiment", "experiments", "open_run", "painting_of", "resume_job",
    "run_experiment", "run_job", "sweep", "usual_steps",
]  # fmt: skip

_SECONDS = 10.0
"""Of normal speed: the length of a run unless another is asked for."""
_LOOKS_PER_S = 30.0
_BRIGHTEST = 255.0


def experiments() -> tuple[str, ...]:
    """The ids of all experiments of the lab, plug-ins' among them; nothing is imported."""
    return catalog.experiment_ids()


def experiment(
    name: str,
    /,
    *,
    rivals: tuple[str, ...] | None = None,
    paintings: dict[str, NDArray[Any]] | None = None,
    **params: Any,
) -> Experiment:
    """An experiment of the lab, ready for `reset` and `step`, or for `run_experiment`.

    ::

        walk = po.experiment("bandits/log-li", horizon=10_000)
        walk.reset(seed=1)
        print(walk.step(500).scalars)

    Parameters
    ----------
    name
        Its id, the part after the slash where that is enough, or ``path.py:Class``.
    rivals
        Ids of the methods that take part; None for the experiment's own choice.
    paintings
        Arrays for canvases, by name.
    params
        Parameters that are not at their default.

    Raises
    ------
    UsageError, UnavailableError
        If there is none, or it does not take these.
    """
    return making.made(name, params, rivals, paintings)


def run_experiment(
    experiment: Experiment | str,
    *,
    seed: int = 0,
    steps: int | None = None,
    every: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    changes: Sequence[tuple[int, str, Any]] = (),
) -> Recording:
    """Run an experiment and wait for it; see `run_job`.

    ::

        run = po.run_experiment("bandits/log-li", seed=1, steps=2000, folder="run-1")
        run.export("regret.png")
    """
    return run(
        run_job(experiment, seed=seed, steps=steps, every=every, folder=folder, changes=changes)
    )


def run_job(
    experiment: Experiment | str,
    *,
    seed: int = 0,
    steps: int | None = None,
    every: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    changes: Sequence[tuple[int, str, Any]] = (),
) -> Job[Recording]:
    """Run an experiment, as a job; what was recorded stays when the job is closed.

    Parameters
    ----------
    experiment
        One that was made, or its id.
    seed
        0 to 2^63 - 1; the same seed gives the same run.
    steps
        Elementary steps; fewer are done where the run ends before. None for what ten seconds at
        its normal speed are.
    every
        Steps between two recorded snapshots; None for thirty a second of normal speed.
    folder
        A new or empty folder for the record; None keeps it in memory alone.
    changes
        (step, name, value) of live parameters, or of canvases with arrays, that are changed on the
        way, by ascending step.

    Returns
    -------
    recording
        The run; a `polyorama.lab.record.Record` where it has a folder.

    Raises
    ------
    UsageError
        If a number is out of range or a change does not fit.
    ExperimentError
        If the experiment fails; what was recorded until then stays readable.
    OutputError
        If the folder is not empty or cannot be written.
    """
    subject = making.made(experiment) if isinstance(experiment, str) else experiment
    check_kind(subject, Experiment, "experiment", "an experiment or its id")
    target, pause = _target(subject, steps), _pause(subject, every)
    check_seed(seed)
    waiting = _checked_changes(subject, changes, target)
    record = None if folder is None else Recorder.create(folder, subject, seed)
    runner: Runner | None = None
    try:
        runner = Runner(subject, seed, record)
        yield from _played(runner, target, pause, waiting)
    finally:
        if runner is not None:
            runner.close()
        elif record is not None:
            record.close()
    return runner.history if folder is None else Record.open(folder, type(subject))


def resume_job(
    folder: str | os.PathLike[str],
    *,
    steps: int | None = None,
    every: int | None = None,
    kind: type[Experiment] | None = None,
) -> Job[Recording]:
    """Go on with a recorded run to `steps` in all, as a job.

    The run is computed again up to where its record ends, and compared with it bit for bit.

    Parameters
    ----------
    folder
        Of the run.
    steps, every
        As of `run_job`.
    kind
        The experiment's class, which has to be the run's; None to look it up by its id.

    Raises
    ------
    FileFormatError, ExperimentError, OutputError, UsageError
        If there is no run, it does not repeat, or it cannot go on.
    """
    runner = yield from resumed(folder, kind)
    try:
        subject = runner.experiment
        target, pause = _target(subject, steps), _pause(subject, every)
        if target < subject.steps:
            raise UsageError(
                f"The run is at step {subject.steps:,} already; ask for more than {target:,} "
                f"steps: {folder}"
            )
        yield from _played(runner, target, pause, [])
    finally:
        runner.close()
    return Record.open(folder, kind)


def open_run(folder: str | os.PathLike[str]) -> Record:
    """A recorded run, to look at, scrub and export; nothing is computed.

    Raises
    ------
    FileFormatError
        If the folder holds none, or it is damaged.
    """
    return Record.open(folder)


def check_run_job(folder: str | os.PathLike[str]) -> Job[Record]:
    """Compute a recorded run again and compare every snapshot bit for bit, as a job.

    Raises
    ------
    FileFormatError
        If the folder holds no run.
    ExperimentError
        If it does not repeat.
    """
    record = Record.open(folder)
    yield from recomputed(record)
    return record


def sweep(
    experiment: str, *, seeds: int | Sequence[int] = 20, steps: int | None = None, **options: Any
) -> Sweep:
    """Run an experiment with many seeds in all cores, and wait: means and confidence bands.

    ::

        found = po.sweep("bandits/log-li", seeds=50, steps=5000)
        found.write_csv("regret.csv")

    Parameters
    ----------
    experiment
        Its id, or ``path.py:Class``.
    seeds
        How many, from 0 on, or which.
    steps
        As of `run_job`.
    options
        As of `polyorama.lab.sweep.sweep_job`: ``parameter`` and ``values``, ``params``, ``rivals``,
        ``paintings``, ``every``, ``level``, ``processes``.

    Raises
    ------
    UsageError, ExperimentError, UnavailableError
        As `polyorama.lab.sweep.sweep_job`.
    """
    check_kind(experiment, str, "experiment", "the id of an experiment, or path.py:Class")
    target = usual_steps(catalog.experiment_class(experiment)) if steps is None else steps
    return run(sweep_job(experiment, seeds=seeds, steps=target, **options))


def usual_steps(subject: Experiment | type[Experiment]) -> int:
    """What ten seconds at the normal speed of an experiment are, elementary steps."""
    return max(1, round(_SECONDS * subject.rate))


def painting_of(canvas: Canvas, path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """A picture as what is on a canvas: black is its lowest value, white its highest.

    The picture is made as large as the canvas, each cell the mean of the pixels that it covers.

    Raises
    ------
    FileFormatError
        If it is no picture.
    """
    from PIL import Image

    pixels = read_pixels(path)
    light = luma(pixels[..., :3].astype(np.float32))
    if pixels.shape[2] == 4:  # what is transparent is black
        light *= pixels[..., 3] / np.float32(_BRIGHTEST)
    rows, columns = canvas.shape
    small = Image.fromarray(light).resize((columns, rows), Image.Resampling.BOX)
    share = np.clip(np.asarray(small, np.float64) / _BRIGHTEST, 0.0, 1.0)[::-1]
    values = canvas.low + share * (canvas.high - canvas.low)
    return canvas.checked(np.round(values) if canvas.whole else values)


def _target(subject: Experiment, steps: int | None) -> int:
    if steps is None:
        return usual_steps(subject)
    check_whole(steps, "steps")
    if steps < 0:
        raise UsageError(f"Steps are counted from 0, not {steps}.")
    return steps


def _pause(subject: Experiment, every: int | None) -> int:
    if every is None:
        return max(1, round(subject.rate / _LOOKS_PER_S))
    check_whole(every, "every")
    if every < 1:
        raise UsageError(f"Snapshots are taken every 1 or more steps, not {every}.")
    return every


def _checked_changes(
    subject: Experiment, changes: Sequence[tuple[int, str, Any]], target: int
) -> list[tuple[int, str, Any]]:
    check_kind(changes, tuple | list, "changes", "a list of (step, name, value)")
    for change in changes:
        if not isinstance(change, tuple | list) or len(change) != 3:
            raise UsageError(f"A change is (step, name, value), not {said(change)}.")
    waiting = list(changes)
    steps = [step for step, _, _ in waiting]
    for step in steps:
        check_whole(step, "changes")
    if steps != sorted(steps) or (steps and not 0 <= steps[0] <= steps[-1] <= target):
        raise UsageError(f"Changes come by ascending step, from 0 to {target:,}.")
    canvases = {canvas.name for canvas in subject.canvases}
    for _, name, value in waiting:
        if name in canvases:
            subject.canvas(name).checked(value)
            continue
        parameter = parameter_of(subject.Params, name)
        checked(parameter, value)
        if not parameter.live:
            raise UsageError(f"{name} cannot be changed while {subject.id} runs; begin with it.")
    return waiting


def _played(
    runner: Runner, target: int, every: int, waiting: list[tuple[int, str, Any]]
) -> Iterator[Progress]:
    """Step to `target`, stopping to look at every multiple of `every` and at each change."""
    subject = runner.experiment
    canvases = {canvas.name for canvas in subject.canvases}
    while True:
        while waiting and waiting[0][0] <= subject.steps:
            _, name, value = waiting.pop(0)
            (runner.paint if name in canvases else runner.set)(name, value)
        if subject.steps >= target or runner.done:
            return
        stop = min(target, (subject.steps // every + 1) * every)
        if waiting:
            stop = min(stop, waiting[0][0])
        runner.step(stop - subject.steps)
        if runner.failure is not None:
            raise runner.failure
        yield Progress(subject.steps, target, "Running")
