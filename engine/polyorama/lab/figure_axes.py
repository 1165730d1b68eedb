"""What every picture of a figure has: colours and fonts of its axes, scales, titles, a legend."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.lab.figure_page import DPI, font, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab import views as kinds
    from polyorama.lab.look import Look
    from polyorama.lab.views import Axis

__all__ = [
    "axis_words", "columns_of", "dressed", "extent_of", "labelled", "legend_of", "name_ends",
    "positive", "room_for", "scaled", "slope_rules", "thinned", "tick_font",
]  # fmt: skip

_MOST_POINTS = 4000
"""Of one line: more than a figure has columns."""
_LETTER, _HANDLE = 6.3, 38.0
"""Pixels of a letter, and of what stands before a name."""
_LEGEND_LINE, _END_LINE = 16.0, 13.0
_TICK = 56.0
"""Pixels that a number along an axis takes at least."""
_BESIDE, _RIGHT_BESIDE = 52.0, 60.0
"""Pixels that there are beside a picture."""


def thinned(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """A line of at most `_MOST_POINTS` points that covers the same pixels: highs and lows stay."""
    if len(x) <= _MOST_POINTS:
        return x, y
    edges = np.linspace(0, len(x), _MOST_POINTS // 2).astype(np.intp)
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
    axes.tick_params(which="both", colors=look.quiet, length=0, **tick_font())
    axes.grid(True, color=look.line, lw=0.6, alpha=0.7)
    axes.set_axisbelow(True)
    # With a place of its own matplotlib need not look for one at every drawing.
    axes.set_title(words(title), color=look.text, loc="left", y=1.0, **font(13))


def tick_font() -> dict[str, Any]:
    """Keywords of `tick_params` for numbers along axes."""
    kept = font(11)
    return {"labelsize": kept["fontsize"], "labelfontfamily": kept["fontfamily"]}


def axis_words(axis: Axis) -> str:
    """Title and unit of an axis, as matplotlib takes them."""
    return words(f"{axis.title} ({axis.unit})" if axis.unit else axis.title)


def labelled(axes: Any, look: Look, x: Axis, y: Axis) -> None:
    """Write titles and units, and keep the ends that an axis has."""
    from matplotlib.ticker import NullLocator

    axes.set_xlabel(axis_words(x), color=look.quiet, **font(11))
    axes.set_ylabel(axis_words(y), color=look.quiet, **font(11))
    for axis, setter in ((x, axes.set_xlim), (y, axes.set_ylim)):
        low = None if axis.log and axis.low is not None and axis.low <= 0.0 else axis.low
        if low is not None and axis.high is not None and low == axis.high:
            continue  # ends that coincide show nothing; the data does
        if low is not None or axis.high is not None:
            setter(low, axis.high)
    if axes.get_xscale() == "linear":
        wide = axes.get_position().width * axes.figure.get_size_inches()[0] * DPI
        axes.locator_params(axis="x", nbins=max(2, min(9, int(wide / _TICK))))
    for ticks, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if ticks.get_scale() == "log" and high > 100.0 * low:
            # Over decades those between are not seen, and laying them out takes long.
            ticks.set_minor_locator(NullLocator())


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
    """Draw lines of these exponents through the rightmost point, on two logarithmic scales."""
    last = int(x.argmax())
    ends = np.array([x.min(), x[last]])
    if ends[0] == ends[1]:
        return
    for slope in slopes:
        line = y[last] * (ends / ends[1]) ** slope
        axes.plot(ends, line, color=look.quiet, lw=0.9, linestyle=(0, (1.0, 2.2)))
        axes.annotate(
            f"slope {slope:.3g}", (ends[0], line[0]), (0, 3), textcoords="offset points",
            color=look.quiet, **font(10),
        )  # fmt: skip


def name_ends(axes: Any, ends: Sequence[tuple[str, float, str]]) -> bool:
    """Write the names of lines beside their ends, apart from each other; whether there is room.

    Parameters
    ----------
    ends
        Name, last ordinate and colour of each line.
    """
    box = axes.get_position()
    wide, high = axes.figure.get_size_inches() * DPI
    tall = box.height * high
    if not ends or _END_LINE * len(ends) > tall:
        return False
    # Where they end, as a share of the height, from the bottom.
    low, high_end = axes.get_ylim()
    scale = axes.transScale.transform
    bottom, top = scale((1.0, low))[1], scale((1.0, high_end))[1]
    found = sorted(
        ((scale((1.0, y))[1] - bottom) / (top - bottom), name, color) for name, y, color in ends
    )
    gap = _END_LINE / tall
    places: list[float] = []
    for share, _, _ in found:
        lowest = places[-1] + gap if places else 0.5 * gap
        places.append(max(share, lowest))
    # What was pushed over the top comes down, and pushes those below.
    limit = 1.0
    for k in reversed(range(len(places))):
        places[k] = min(places[k], limit)
        limit = places[k] - gap
    room = _LETTER * max(len(name) for _, name, _ in found) + 10.0
    shift = min(max(0.0, room - _RIGHT_BESIDE) / wide, 0.5 * box.width)
    axes.set_position((box.x0, box.y0, box.width - shift, box.height))
    for place, (_, name, color) in zip(places, found, strict=True):
        axes.annotate(
            words(name), (1.0, place), (6, 0), xycoords="axes fraction",
            textcoords="offset points", va="center", color=color, **font(11),
        )  # fmt: skip
    return True


def legend_of(axes: Any, look: Look) -> None:
    """Write what has a name on lines between the title and the picture, which makes room."""
    handles, labels = axes.get_legend_handles_labels()
    kept = dict(zip(labels, handles, strict=True))
    if not kept:
        return
    box = axes.get_position()
    wide, high = axes.figure.get_size_inches() * DPI
    lines: list[list[str]] = [[]]
    used = 0.0
    for name in kept:
        entry = _LETTER * len(name) + _HANDLE
        if lines[-1] and used + entry > box.width * wide:
            lines.append([])
            used = 0.0
        lines[-1].append(name)
        used += entry
    room = min(_LEGEND_LINE * len(lines), 0.5 * box.height * high)
    step = room / len(lines) / (box.height * high - room)
    axes.set_position((box.x0, box.y0, box.width, box.height - room / high))
    title = axes.get_title(loc="left")
    pad = 6.0 + room * 72.0 / DPI
    axes.set_title(title, loc="left", color=look.text, pad=pad, y=1.0, **font(13))
    small = font(11)
    for k, names in enumerate(lines):
        legend = axes.legend(
            [kept[name] for name in names], names, ncols=len(names), loc="lower left",
            bbox_to_anchor=(0.0, 1.0 + step * (len(lines) - 1 - k)), frameon=False,
            labelcolor=look.quiet, handlelength=1.6, handletextpad=0.5, columnspacing=1.0,
            borderpad=0.15, borderaxespad=0.0, scatterpoints=1,
            prop={"family": small["fontfamily"], "size": small["fontsize"]},
        )  # fmt: skip
        if k + 1 < len(lines):
            axes.add_artist(legend)


def room_for(axes: Any, names: Sequence[str]) -> None:
    """Move the left edge of a picture so that names beside it are whole."""
    box = axes.get_position()
    wide = axes.figure.get_size_inches()[0] * DPI
    longest = _LETTER * max(map(len, names), default=0) + 12.0
    shift = min(max(0.0, longest - _BESIDE) / wide, 0.5 * box.width)
    axes.set_position((box.x0 + shift, box.y0, box.width - shift, box.height))


def columns_of(count: int, shape: float, room: float) -> int:
    """In how many columns pictures become as large as they can.

    Parameters
    ----------
    count
        How many there are.
    shape, room
        Width by height of each, and of where all of them go.
    """
    return max(
        range(1, count + 1),
        key=lambda across: min(1.0 / across, shape / room / -(-count // across)),
    )


def extent_of(x: Axis, y: Axis, columns: int, rows: int) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a picture: its axes' ends, or its cells."""
    left, right = x.low or 0.0, float(columns) if x.high is None else x.high
    bottom, top = y.low or 0.0, float(rows) if y.high is None else y.high
    # Ends that coincide would be no picture.
    right = right if right > left else left + 1.0
    top = top if top > bottom else bottom + 1.0
    return left, right, bottom, top
