"""What every picture of a figure has: colours and fonts of its axes, scales, titles, a legend."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.lab.figure_page import font, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab import views as kinds
    from polyorama.lab.look import Look
    from polyorama.lab.views import Axis

__all__ = [
    "axis_words", "dressed", "extent_of", "labelled", "legend_of", "positive", "scaled",
    "slope_rules", "thinned", "tick_font",
]  # fmt: skip

_MOST_POINTS = 4000
"""Of one line: more than a figure has columns."""


def thinned(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """A line of at most `_MOST_POINTS` points that covers the same pixels: highs and lows stay."""
    if len(x) <= _MOST_POINTS:
        return x, y
    edges = np.linspace(0, len(x), _MOST_POINTS // 2 + 1).astype(np.intp)
    picked = [0, len(x) - 1]
    for start, stop in itertools.pairwise(edges):
        part = y[start:stop]
        picked += [start + int(part.argmin()), start + int(part.argmax())]
    rows = np.unique(picked)
    return x[rows], y[rows]


def dressed(axes: Any, look: Look, title: str) -> None:
    """Colours, fonts and hairlines of axes."""
    axes.set_facecolor(look.panel)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(look.line)
    axes.tick_params(colors=look.quiet, length=0, **tick_font())
    axes.grid(True, color=look.line, lw=0.6, alpha=0.7)
    axes.set_axisbelow(True)
    axes.set_title(words(title), color=look.text, loc="left", **font(13))


def tick_font() -> dict[str, Any]:
    """Keywords of `tick_params` for numbers along axes."""
    kept = font(11)
    return {"labelsize": kept["fontsize"], "labelfontfamily": kept["fontfamily"]}


def axis_words(axis: Axis) -> str:
    """Title and unit of an axis, as matplotlib takes them."""
    return words(f"{axis.title} ({axis.unit})" if axis.unit else axis.title)


def labelled(axes: Any, look: Look, x: Axis, y: Axis) -> None:
    """Write titles and units, and keep the ends that an axis has."""
    axes.set_xlabel(axis_words(x), color=look.quiet, **font(11))
    axes.set_ylabel(axis_words(y), color=look.quiet, **font(11))
    for axis, setter in ((x, axes.set_xlim), (y, axes.set_ylim)):
        low = None if axis.log and axis.low is not None and axis.low <= 0.0 else axis.low
        if low is not None and axis.high is not None and low == axis.high:
            continue  # ends that coincide show nothing; the data does
        if low is not None or axis.high is not None:
            setter(low, axis.high)


def scaled(axes: Any, x: Axis, y: Axis) -> None:
    """Make the scales logarithmic that shall be."""
    if x.log:
        axes.set_xscale("log")
    if y.log:
        axes.set_yscale("log")


def positive(
    view: kinds.Curve, x: NDArray[Any], y: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """What of a line can be shown where scales are logarithmic."""
    known = np.ones(len(x), bool)
    if view.x.log:
        known &= x > 0.0
    if view.y.log:
        known &= y > 0.0
    return x[known], y[known]


def slope_rules(
    axes: Any, slopes: Sequence[float], x: NDArray[Any], y: NDArray[Any], look: Look
) -> None:
    """Draw lines of these exponents through the end of a line, on two logarithmic scales."""
    for slope in slopes:
        line = y[-1] * (x / x[-1]) ** slope
        axes.plot(x, line, color=look.quiet, lw=0.9, linestyle=(0, (1.0, 2.2)))
        axes.annotate(f"slope {slope:g}", (x[0], line[0]), color=look.quiet, **font(10))


def legend_of(axes: Any, look: Look) -> None:
    """Write what has a name into a legend where there is room."""
    _, labels = axes.get_legend_handles_labels()
    if labels:
        kept = font(11)
        legend = axes.legend(
            frameon=False, labelcolor=look.text, handlelength=2.6, loc="best",
            prop={"family": kept["fontfamily"], "size": kept["fontsize"]},
        )  # fmt: skip
        legend.set_zorder(5)


def extent_of(x: Axis, y: Axis, columns: int, rows: int) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a picture: its axes' ends, or its cells."""
    left, right = x.low or 0.0, float(columns) if x.high is None else x.high
    bottom, top = y.low or 0.0, float(rows) if y.high is None else y.high
    # Ends that coincide would be no picture.
    right = right if right > left else left + 1.0
    top = top if top > bottom else bottom + 1.0
    return left, right, bottom, top
