"""The figure of a sweep: means over the steps with their confidence bands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.figure_axes import axis_words, dressed, legend_of, name_ends
from polyorama.lab.figure_layers import dash
from polyorama.lab.figure_page import FIGURE_SIZE, blank, captioned, font, grid_axes, words
from polyorama.lab.figure_views import Painter
from polyorama.lab.look import look_of
from polyorama.lab.recording import Recording
from polyorama.lab.rows import STEP, Rows
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import Axis, Curve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.look import Look
    from polyorama.lab.sweep import Sweep

__all__ = ["sweep_figure"]

_MOST_PICTURES = 9
_LOW, _HIGH = " low", " high"
_FLOOR = 1e-3
"""Of a mean: where its band ends on a logarithmic scale that it would leave."""


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
    shown = [view for view in (_banded(view, sweep, log) for view in curves) if view.series]
    if shown and not columns and not sweep.name:
        last = Snapshot(int(sweep.steps[-1]), {})
        painter = Painter(experiment, _Means(sweep), len(sweep.steps) - 1, last, look, {})
        for view, axes in zip(shown, grid_axes(figure, [1] * len(shown), below), strict=True):
            painter.paint(view, axes)
        return figure
    titles = {
        series.key: (f"{view.y.title}, {series.title}" if series.title else view.y.title, view.y)
        for view in curves
        for series in view.series
    }
    chosen = tuple(columns) or sweep.columns[:_MOST_PICTURES]
    for column, axes in zip(chosen, grid_axes(figure, [1] * len(chosen), below), strict=True):
        title, axis = titles.get(column, (column, Axis()))
        dressed(axes, look, title)
        if log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        _draw(axes, sweep, column, look, log)
        axes.set_xlabel("Step", color=look.quiet, **font(11))
        axes.set_ylabel(axis_words(axis), color=look.quiet, **font(11))
    return figure


def _banded(view: Curve, sweep: Sweep, log: bool) -> Curve:
    """A curve with the series that were swept, each with its band."""
    series = tuple(
        replace(one, low=one.key + _LOW, high=one.key + _HIGH)
        for one in view.series
        if one.key in sweep.columns
    )
    if log:
        view = replace(view, x=replace(view.x, log=True), y=replace(view.y, log=True))
    return replace(view, series=series)


class _Means(Recording):
    """Means and ends of bands of a sweep without a parameter, as the columns of one run."""

    def __init__(self, sweep: Sweep) -> None:
        columns = {STEP: sweep.steps.astype(np.float64)}
        for place, name in enumerate(sweep.columns):
            mean = sweep.mean[0, place]
            low, high = _band(mean, sweep.half[0, place], False)
            columns |= {name: mean, name + _LOW: low, name + _HIGH: high}
        self.rows = Rows()
        self.rows.scalars.extend(len(sweep.steps), columns, {})

    def kept(self) -> list[int]:
        return []

    def _arrays(self, row: int) -> Mapping[str, NDArray[Any]]:
        return {}


def _band(
    mean: NDArray[np.float64], half: NDArray[np.float64], log: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    width = np.where(np.isfinite(half), half, 0.0)
    low = mean - width
    return np.maximum(low, _FLOOR * mean) if log else low, mean + width


def _draw(axes: Any, sweep: Sweep, column: str, look: Look, log: bool) -> None:
    """A line and a band for each value of the parameter."""
    place = sweep.columns.index(column)
    ends: list[tuple[str, float, str]] = []
    for number, value in enumerate(sweep.values):
        mean = sweep.mean[number, place]
        known = np.isfinite(mean)
        if log:
            known &= (mean > 0.0) & (sweep.steps > 0)
        if not known.any():
            continue
        x, y = sweep.steps[known], mean[known]
        low, high = _band(y, sweep.half[number, place][known], log)
        color = look.color(number)
        label = f"{sweep.name} {value}" if sweep.name else ""
        axes.plot(x, y, color=color, lw=1.4, linestyle=dash("line", number),
                  label=words(label) or None)  # fmt: skip
        axes.fill_between(x, low, high, color=color, alpha=0.2, lw=0.0)
        if label:
            ends.append((label, float(y[-1]), color))
    if not name_ends(axes, ends):
        legend_of(axes, look)
