"""A recorded run computed again: to see that it repeats, and to go on with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.text import quoted
from polyorama.errors import UsageError
from polyorama.lab.experiment import ExperimentError
from polyorama.lab.history import History
from polyorama.lab.record import Recorder
from polyorama.lab.recording import differing
from polyorama.lab.runner import Runner

if TYPE_CHECKING:
    import os

    from polyorama.core.jobs import Job
    from polyorama.lab.experiment import Experiment
    from polyorama.lab.recording import Recording
    from polyorama.lab.rows import Change
    from polyorama.lab.snapshot import Value

__all__ = ["recomputed", "resumed"]


def recomputed(record: Recording) -> Job[tuple[Experiment, History]]:
    """Run again what is recorded, with its changes, and compare each snapshot bit for bit.

    Returns
    -------
    experiment, history
        The experiment as it stands at the record's end, and its snapshots anew.

    Raises
    ------
    ExperimentError
        If a snapshot differs; the text says at what step and in which value.
    """
    experiment = record.experiment()
    history = History(experiment, record.seed)
    changes = list(record.changes)
    kept = set(record.kept())
    for row in range(record.length):
        if row == 0:
            snapshot = experiment.reset(record.seed)
        else:
            while changes and changes[0].index <= row:
                _apply(experiment, changes.pop(0), history)
            snapshot = experiment.step(int(record.steps[row]) - experiment.steps)
        history.append(snapshot)
        wanted = record.snapshot(row)
        arrays = snapshot.arrays if row in kept else wanted.arrays
        values: dict[str, Value] = {**snapshot.scalars, **arrays}
        key = differing(replace(snapshot, values=values), wanted)
        if key:
            raise ExperimentError(
                f"Run again, {record.experiment_id} does not repeat its record: {key!r} differs at "
                f"step {snapshot.step:,}; it was made with other versions, or on another machine."
            )
        yield Progress(row + 1, record.length, "Running again")
    for change in changes:
        _apply(experiment, change, history)
    return experiment, history


def _apply(experiment: Experiment, change: Change, history: History) -> None:
    if isinstance(change.value, np.ndarray):
        experiment.paint(change.name, change.value)
    else:
        experiment.set(change.name, change.value)
    history.change(change)


def resumed(folder: str | os.PathLike[str], kind: type[Experiment] | None = None) -> Job[Runner]:
    """Go on with a run: compute it up to where its record ends, compare, and record on.

    Parameters
    ----------
    folder
        Of the run.
    kind
        The experiment's class; None to look it up by its id.

    Raises
    ------
    FileFormatError, ExperimentError, OutputError, UsageError
        If there is no run, it is another experiment's, does not repeat, or cannot be written on.
    """
    record, recorder = Recorder.continuing(folder)
    try:
        if kind is not None and record.experiment_id != kind.id:
            raise UsageError(
                f"The run was made by {quoted(record.experiment_id)}, not by {kind.id}: {folder}"
            )
        record.kind = kind
        experiment, history = yield from recomputed(record)
        return Runner.resumed(experiment, history, recorder)
    except BaseException:
        recorder.close()
        raise
