"""The figure of a sweep: means over the steps with their confidence bands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.figure_page import FIGURE_SIZE, blank, captioned, grid_axes
from polyorama.lab.figure_views import Painter
from polyorama.lab.look import look_of
from polyorama.lab.recording import Recording
from polyorama.lab.rows import STEP
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import Axis, Curve, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.sweep import Sweep

__all__ = ["sweep_figure"]

_MOST_PICTURES = 9
_MEAN, _LOW, _HIGH = "mean", "low", "high"


def sweep_figure(
    sweep: Sweep,
    experiment: Experiment,
    columns: Sequence[str] = (),
    *,
    size: tuple[int, int] = FIGURE_SIZE,
    theme: str = "dark",
    log: bool = False,
) -> Any:
    """A matplotlib figure: the experiment's curves, or a picture a scalar with a line a value.

    Parameters
    ----------
    sweep
        What was found.
    experiment
        That was swept: its curves are drawn, with bands, where no parameter was swept.
    columns
        Which scalars, each in a picture of its own; () for the curves, or the first nine scalars.
    size
        (width, height) in pixels.
    theme
        "dark" or "light".
    log
        Whether all axes are logarithmic.

    Raises
    ------
    UsageError
        If there is no such scalar.
    UnavailableError
        If matplotlib is not there.
    """
    for name in columns:
        if name not in sweep.columns:
            there = ", ".join(sweep.columns)
            raise UsageError(f"The sweep has no scalar {name!r}; there are {there}.")
    look = look_of(theme)
    figure = blank(size, look)
    foot = (
        f"Means of {sweep.seeds:,} seeds with {100 * sweep.level:g} % confidence bands (Student's "
        f"t, each step by itself)."
    )
    if sweep.failures:
        foot += f" Without {len(sweep.failures)} that failed."
    below = captioned(figure, look, sweep.title, foot, experiment.caveat)
    curves = [view for view in experiment.pictures() if isinstance(view, Curve) and view.history]
    views = [view for view in (_banded(view, sweep) for view in curves) if view.series]
    if not views or columns or sweep.name:
        chosen = tuple(columns) or sweep.columns[:_MOST_PICTURES]
        views = [_by_value(column, sweep, curves) for column in chosen]
    last = Snapshot(int(sweep.steps[-1]), {})
    painter = Painter(experiment, _Means(sweep), len(sweep.steps) - 1, last, look, {})
    for view, axes in zip(views, grid_axes(figure, [1] * len(views), below), strict=True):
        if log:
            view = replace(view, x=replace(view.x, log=True), y=replace(view.y, log=True))
        painter.paint(view, axes)
    return figure


def _banded(view: Curve, sweep: Sweep) -> Curve:
    """A curve with the series that were swept, each with its band."""
    series = tuple(
        replace(one, low=_key(one.key, 0, _LOW), high=_key(one.key, 0, _HIGH))
        for one in view.series
        if one.key in sweep.columns
    )
    return replace(view, series=series)


def _by_value(column: str, sweep: Sweep, curves: Sequence[Curve]) -> Curve:
    """A scalar with a line for each value of the parameter, called as the curves call it."""
    title, y = column, Axis()
    for view in curves:
        for one in view.series:
            if one.key == column:
                title, y = ", ".join(filter(None, (view.y.title, one.title))), view.y
    series = tuple(
        Series(_key(column, number, _MEAN), f"{sweep.name} {value}" if sweep.name else "",
               low=_key(column, number, _LOW), high=_key(column, number, _HIGH))
        for number, value in enumerate(sweep.values)
    )  # fmt: skip
    return Curve(id=column, title=title, x=Axis("Step"), y=y, series=series)


def _key(column: str, number: int, part: str) -> str:
    """What the mean, or an end of the band, of a scalar at a value of the parameter is called."""
    return f"{part} {number} {column}"


class _Means(Recording):
    """Means and ends of bands of a sweep as the columns of one run."""

    def __init__(self, sweep: Sweep) -> None:
        self._columns = {STEP: sweep.steps.astype(np.float64)}
        for place, name in enumerate(sweep.columns):
            self._columns[name] = sweep.mean[0, place]  # as curves call it, over others perhaps
            for number in range(len(sweep.values)):
                mean, half = sweep.mean[number, place], sweep.half[number, place]
                width = np.where(np.isfinite(half), half, 0.0)
                parts = {_MEAN: mean, _LOW: mean - width, _HIGH: mean + width}
                self._columns |= {_key(name, number, k): v for k, v in parts.items()}

    @property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        return self._columns

    def kept(self) -> list[int]:
        return []

    def _arrays(self, row: int) -> Mapping[str, NDArray[Any]]:
        return {}
