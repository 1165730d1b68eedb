"""The page of a figure: its size, fonts, words, and where its pictures stand.

The look is the studio's, dark or light; matplotlib comes with ``pip install 'polyorama[lab]'``.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import picture_size
from polyorama.errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab.look import Look

__all__ = [
    "DPI", "FIGURE_SIZE", "blank", "captioned", "drawn_pixels", "font", "grid_axes", "words",
]  # fmt: skip

FIGURE_SIZE = (1280, 720)
"""Width and height in pixels unless others are asked for."""

_LEAST, _MOST = 240, 8192
DPI = 96
_ABOVE, _LINE = 34.0, 15.0
"""Pixels of the title, and of each line below."""
_LETTER = 6.2
"""Pixels of a letter of those lines."""
_LEFT, _RIGHT, _OVER, _UNDER = 62.0, 68.0, 30.0, 44.0
"""Pixels around a picture, for its title, the numbers along its axes and its bar of colours."""
_FONTS = ("Inter", "Noto Sans", "DejaVu Sans")


def blank(size: tuple[int, int], look: Look) -> Any:
    """An empty matplotlib figure of (width, height) pixels.

    Raises
    ------
    UnavailableError
        If matplotlib is not there.
    UsageError
        If a side is not 240 to 8192 pixels.
    """
    width, height = picture_size(size)
    if not (_LEAST <= width <= _MOST and _LEAST <= height <= _MOST):
        raise UsageError(
            f"A figure's sides are {_LEAST} to {_MOST:,} pixels, not {width}x{height}."
        )
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnavailableError(
            "Figures need matplotlib; install it with pip install 'polyorama[lab]'."
        ) from error
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
    figure.set_facecolor(look.ground)
    FigureCanvasAgg(figure)
    return figure


def captioned(figure: Any, look: Look, title: str, foot: str, caveat: str = "") -> float:
    """Write a title above, and below what must be said of the method, and a line.

    Returns
    -------
    below
        Pixels that the lines take at the bottom.
    """
    width, height = figure.get_size_inches() * DPI
    left = 14.0 / width
    figure.text(left, 1.0 - 10.0 / height, words(title), color=look.text, va="top", **font(15))
    letters = max(20, int((width - 28.0) / _LETTER))
    lines = [part for line in (caveat, foot) for part in textwrap.wrap(line, letters)]
    figure.text(
        left, 10.0 / height, words("\n".join(lines)), color=look.quiet, va="bottom", **font(11)
    )
    return 14.0 + _LINE * len(lines)


def drawn_pixels(figure: Any) -> NDArray[np.uint8]:
    """The pixels of a figure, (H, W, 3) uint8."""
    figure.canvas.draw()
    return np.array(np.asarray(figure.canvas.buffer_rgba())[..., :3])


def font(pixels: float) -> dict[str, Any]:
    """Keywords of a text of so many pixels."""
    return {"fontsize": pixels * 72.0 / DPI, "fontfamily": _family()}


def words(text: str) -> str:
    """A text that matplotlib does not take for mathematics."""
    return text.replace("$", r"\$")


_found: list[str] = []


def _family() -> list[str]:
    """The fonts of `_FONTS` that are here; those that are not would be warned about."""
    if not _found:
        from matplotlib import font_manager

        here = set(font_manager.get_font_names())
        _found.extend(name for name in _FONTS if name in here)
    return _found


def grid_axes(figure: Any, spans: Sequence[int], below: float) -> list[Any]:
    """Axes on a grid about as wide and high as the figure, above `below` pixels.

    Parameters
    ----------
    spans
        Columns that each wants.
    """
    width, height = figure.get_size_inches() * DPI
    total = sum(spans)
    columns = max(1, min(total, round(math.sqrt(total * width / height / 1.2))))
    columns = max(columns, min(2, max(spans)))
    places: list[tuple[int, int, int]] = []
    row = column = 0
    for wish in spans:
        span = min(wish, columns)
        if column + span > columns:
            row, column = row + 1, 0
        places.append((row, column, span))
        column += span
    # What is left at the end of a row goes to its last picture.
    for i, (row_here, column_here, _) in enumerate(places):
        if i + 1 == len(places) or places[i + 1][0] != row_here:
            places[i] = (row_here, column_here, columns - column_here)
    cell_x, cell_y = width / columns, (height - _ABOVE - below) / (row + 1)
    # Narrow cells have narrow margins.
    shrink_x = min(1.0, 0.5 * cell_x / (_LEFT + _RIGHT))
    shrink_y = min(1.0, 0.5 * cell_y / (_OVER + _UNDER))
    found = []
    for r, c, span in places:
        left = c * cell_x + shrink_x * _LEFT
        bottom = height - _ABOVE - (r + 1) * cell_y + shrink_y * _UNDER
        wide = span * cell_x - shrink_x * (_LEFT + _RIGHT)
        high = cell_y - shrink_y * (_OVER + _UNDER)
        found.append(
            figure.add_axes((left / width, bottom / height, wide / width, high / height))
        )  # fmt: skip
    return found
