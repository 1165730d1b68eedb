"""Means and confidence bands over many seeds, run beside the one on the stage."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import Curve, Series
from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from polyorama.core.jobs import Job as EngineJob
    from polyorama.core.jobs import Progress
    from polyorama.lab.sweep import Sweep
    from polyorama.lab.views import View
    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.setup import Setup

__all__ = ["Bands", "banded", "banded_snapshot"]

SEEDS = 32
"""Runs whose mean is shown."""
LEVEL = 0.95
"""Of the confidence bands."""
_LEAST_STEPS = 200
"""So far seeds are run at least, however little of the run on the stage was seen."""
_STEPS = "bands/step"
_LIVE = "live/step"


class Bands(QObject):
    """Runs many seeds when it is asked to, and holds what they gave."""

    changed = Signal()
    """A sweep began, came on, ended, or was given up."""
    shown_changed = Signal()
    """There are bands to show, or none any more."""

    def __init__(self, session: Session, run: Run) -> None:
        super().__init__(run)
        self._session = session
        self._run = run
        self.sweep: Sweep | None = None
        self.done = 0
        self._job: Job | None = None
        self._of: tuple[object, ...] = ()
        run.loaded_changed.connect(self._on_changed)
        run.changed.connect(self._on_changed)

    @property
    def running(self) -> bool:
        """Whether seeds are being run."""
        return self._job is not None

    @Slot()
    def toggle(self) -> None:
        """Run the seeds; or stop, or take the bands away."""
        if self.running or self.sweep is not None:
            self.forget()
        elif self._run.setup is not None:
            self._start(self._run.setup)

    def _start(self, setup: Setup) -> None:
        steps = max(self._last_step(), _LEAST_STEPS)
        self._of = _key(setup)
        self.done = 0
        handlers = Handlers(self._on_done, self._on_failed, self._on_progress, self.forget)
        title = self.tr("Running {0} seeds").format(SEEDS)
        self._job = self._session.start_job(partial(_swept, setup, steps), handlers, title)
        self._session.log_python(
            f"po.sweep({setup.id!r}, seeds={SEEDS}, steps={steps}, level={LEVEL})"
        )
        self.changed.emit()

    def _last_step(self) -> int:
        steps = self._run.history.whole("step")
        return int(steps[-1]) if len(steps) else 0

    def forget(self) -> None:
        """Stop, and take the bands away."""
        job, self._job = self._job, None
        if job is not None:
            job.cancel()
        had, self.sweep = self.sweep is not None, None
        self.changed.emit()
        if had:
            self.shown_changed.emit()

    @Slot()
    def _on_changed(self) -> None:
        """Bands of other parameters are no bands of this run; those of other seeds are."""
        setup = self._run.setup
        mine = self.running or self.sweep is not None
        if mine and (setup is None or _key(setup) != self._of):
            self.forget()

    def _on_progress(self, progress: Progress) -> None:
        if self.running:
            self.done = progress.done
            self.changed.emit()

    def _on_done(self, sweep: Sweep) -> None:
        if self.running:
            self._job, self.sweep = None, sweep
            if sweep.failures:
                words = self.tr("{0} of {1} seeds failed, first seed {2}: {3}")
                first = sweep.failures[0]
                self._session.tell(
                    "warn", words.format(len(sweep.failures), sweep.seeds, first.seed, first.text)
                )
            self.changed.emit()
            self.shown_changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        if self.running:
            self._job = None
            self._session.report(error)
            self.changed.emit()


def _key(setup: Setup) -> tuple[object, ...]:
    """What bands depend on."""
    painted = tuple(sorted((name, array.tobytes()) for name, array in setup.paintings.items()))
    return (setup.id, tuple(sorted(setup.values.items())), setup.rivals, painted)


def _swept(setup: Setup, steps: int) -> EngineJob[Sweep]:
    from polyorama.lab.sweep import sweep_job

    sweep: Sweep = yield from sweep_job(
        setup.id, seeds=SEEDS, steps=steps, params=setup.values, rivals=setup.rivals,
        paintings=setup.paintings, level=LEVEL,
    )  # fmt: skip
    return sweep


def _swept_keys(view: View, sweep: Sweep) -> tuple[Series, ...]:
    """Series of a view that the sweep knows: those whose values are scalars, over the step."""
    if not isinstance(view, Curve) or not view.history or view.over:
        return ()
    return tuple(series for series in view.series if series.key in sweep.columns)


def banded(view: View, sweep: Sweep) -> View:
    """A curve with the mean over seeds and its band, and the run on the stage as a dotted line.

    Other views stay as they are.
    """
    if not isinstance(view, Curve) or not _swept_keys(view, sweep):
        return view
    known = {series.key for series in _swept_keys(view, sweep)}
    series: list[Series] = []
    for own in view.series:
        if own.key in known:
            series.append(
                dataclasses.replace(
                    own, key=f"mean/{own.key}", x=_STEPS, low=f"low/{own.key}",
                    high=f"high/{own.key}",
                )
            )  # fmt: skip
            live = dataclasses.replace(
                own, key=f"live/{own.key}", title="", x=_LIVE, low="", high="", style="dotted"
            )
        else:
            live = dataclasses.replace(own, key=f"live/{own.key}", x=_LIVE, low="", high="")
        series.append(live)
    title = f"{view.title}, mean of {sweep.seeds} seeds"
    return dataclasses.replace(view, title=title, history=False, series=tuple(series))


def banded_snapshot(view: View, sweep: Sweep, snapshot: Snapshot, history: History) -> Snapshot:
    """What a banded curve draws: means and bands, and the run so far.

    Parameters
    ----------
    view
        The curve as it is without bands.
    """
    assert isinstance(view, Curve)
    values: dict[str, Any] = {_STEPS: sweep.steps.astype(np.float64), _LIVE: history.steps.copy()}
    for series in view.series:
        values[f"live/{series.key}"] = history.column(series.key).copy()
    for series in _swept_keys(view, sweep):
        column = sweep.columns.index(series.key)
        mean, half = sweep.mean[0, column], sweep.half[0, column]
        values[f"mean/{series.key}"] = mean
        values[f"low/{series.key}"], values[f"high/{series.key}"] = mean - half, mean + half
    return Snapshot(snapshot.step, values)
