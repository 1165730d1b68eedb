"""The figure of a sweep: means over the steps with their confidence bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.figure_axes import dressed
from polyorama.lab.figure_layers import dash
from polyorama.lab.figure_page import FIGURE_SIZE, blank, captioned, font, grid_axes, words
from polyorama.lab.look import look_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.lab.sweep import Sweep

__all__ = ["sweep_figure"]

_MOST_PICTURES = 9


def sweep_figure(
    sweep: Sweep,
    columns: Sequence[str] = (),
    *,
    size: tuple[int, int] = FIGURE_SIZE,
    theme: str = "dark",
    log: bool = False,
) -> Any:
    """A matplotlib figure: a picture a scalar, a line and a band a value.

    Scalars of rivals (``regret/log-li``, ``regret/uniform``) share a picture where no parameter is
    swept.

    Parameters
    ----------
    columns
        Which scalars; () for the first nine pictures.
    size
        (width, height) in pixels.
    theme
        "dark" or "light".
    log
        Whether both axes are logarithmic.

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
    chosen = tuple(columns) or sweep.columns
    pictures: dict[str, list[tuple[str, int, int]]] = {}
    for column in chosen:
        place = sweep.columns.index(column)
        head, slash, rival = column.partition("/")
        if not sweep.name and slash:
            pictures.setdefault(head, []).append((rival, 0, place))
            continue
        for number, value in enumerate(sweep.values):
            label = f"{sweep.name} {value}" if sweep.name else ""
            pictures.setdefault(column, []).append((label, number, place))
    shown = dict(list(pictures.items())[: len(pictures) if columns else _MOST_PICTURES])
    look = look_of(theme)
    figure = blank(size, look)
    foot = (
        f"Means of {sweep.seeds:,} seeds with {100 * sweep.level:g} % confidence bands (Student's "
        f"t, each step by itself)."
    )
    if sweep.failures:
        foot += f" Without {len(sweep.failures)} that failed."
    below = captioned(figure, look, sweep.title, foot)
    spans = [1] * len(shown)
    for (title, lines), axes in zip(shown.items(), grid_axes(figure, spans, below), strict=True):
        dressed(axes, look, title)
        if log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        for order, (label, value, place) in enumerate(lines):
            mean, half = sweep.mean[value, place], sweep.half[value, place]
            known = np.isfinite(mean) & (sweep.steps > 0 if log else True)
            known &= (mean > 0.0) | (not log)
            if not known.any():
                continue
            x = sweep.steps[known]
            y, width = mean[known], np.where(np.isfinite(half), half, 0.0)[known]
            color = look.color(order)
            axes.plot(x, y, color=color, lw=1.4, linestyle=dash("line", order),
                      label=words(label) or None)  # fmt: skip
            low = np.maximum(y - width, y * 1e-3) if log else y - width
            axes.fill_between(x, low, y + width, color=color, alpha=0.2, lw=0.0)
        axes.set_xlabel("Step", color=look.quiet, **font(11))
        if axes.get_legend_handles_labels()[1]:
            kept = font(11)
            axes.legend(
                frameon=False, labelcolor=look.text, handlelength=2.6,
                prop={"family": kept["fontfamily"], "size": kept["fontsize"]},
            )  # fmt: skip
    return figure
