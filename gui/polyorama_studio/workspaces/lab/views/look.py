"""How large and in which colours the pictures of an experiment are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from polyorama.lab.look import table as engine_table
from polyorama_studio.theme import DARK, Metrics, font
from polyorama_studio.timeline.glyphs import dashes, series_token

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QFont

    from polyorama.lab.views import Colormap, Style
    from polyorama_studio.theme import Tokens

__all__ = ["GUIDE", "Look", "color_of", "color_table"]

GUIDE = -1
"""Place of a line of no rival among those of rivals: theory, bounds; quiet, so as not to seem one
of them."""

_OVER = ("overlay", "series2", "series6", "series3", "series4", "series5")
_STYLES: dict[str, tuple[float, ...]] = {"dashed": (5.0, 3.0), "dotted": (1.0, 2.2)}


@dataclass(frozen=True, slots=True)
class Look:
    """Tokens and sizes, on a tile or large for a hall.

    Parameters
    ----------
    tokens
        Colours.
    stage
        Whether it is read from the last row.
    rivals
        Place of each rival among all of its experiment, by id: it has that colour everywhere.
    """

    tokens: Tokens
    stage: bool
    rivals: Mapping[str, int]

    @property
    def ground(self) -> QColor:
        """What pictures stand on."""
        return self.tokens.color("stage" if self.stage else "panel")

    @property
    def title(self) -> QFont:
        """Of what a picture is called."""
        return font(Metrics.stage_small if self.stage else Metrics.title, medium=True)

    @property
    def label(self) -> QFont:
        """Of axes, legends and marks."""
        return font(Metrics.stage_small if self.stage else Metrics.label)

    @property
    def numbers(self) -> QFont:
        """Of figures along axes and beside the pointer."""
        return font(Metrics.stage_small if self.stage else Metrics.small, tabular=True)

    @property
    def scale(self) -> float:
        """How many times larger than on a tile."""
        return Metrics.stage_small / Metrics.label if self.stage else 1.0

    @property
    def gap(self) -> float:
        """Between words and what they belong to, logical pixels."""
        return float(Metrics.space[3] if self.stage else Metrics.space[1])

    @property
    def stroke(self) -> float:
        """Width of lines that are data, logical pixels."""
        return 3.5 if self.stage else 1.75

    @property
    def hair(self) -> float:
        """Width of lines that are none, logical pixels."""
        return 1.5 if self.stage else 1.0

    @property
    def edge(self) -> QColor:
        """Of the line that a plot stands on."""
        return self.faded("quiet", 0.5) if self.stage else self.faded("quiet", 0.35)

    @property
    def grid(self) -> QColor:
        """Of the lines across a plot."""
        return self.faded("quiet", 0.28) if self.stage else self.faded("line", 0.75)

    def number(self, rival: str, position: int) -> int:
        """Which colour and pattern: the rival's, or that of its place in the picture."""
        return self.rivals.get(rival, position)

    def color(self, rival: str, position: int) -> QColor:
        """Colour of a line or a group."""
        number = self.number(rival, position)
        return self.tokens.color("quiet" if number == GUIDE else series_token(number))

    def color_over(self, rival: str, position: int) -> QColor:
        """Colour of a group that lies over a colour map, which is dark in both themes."""
        if rival in self.rivals:
            return DARK.color(series_token(self.rivals[rival]))
        return DARK.color(_OVER[position % len(_OVER)])

    def pen(self, rival: str, position: int, style: Style = "line") -> QPen:
        """Of a line: what is measured is solid or patterned by its rival, theory by its style."""
        color, number = self.color(rival, position), self.number(rival, position)
        pattern = _STYLES.get(style) or (() if number == GUIDE else dashes(number))
        width = self.stroke if style not in _STYLES else 0.8 * self.stroke
        pen = QPen(color, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if pattern:
            pen.setDashPattern(list(pattern))
        return pen

    def faded(self, token: str, alpha: float) -> QColor:
        """A token's colour, so opaque."""
        color = self.tokens.color(token)
        color.setAlphaF(alpha)
        return color

    def table(self, colormap: Colormap) -> NDArray[np.uint8]:
        """The colours of a map, (256, 4) uint8 RGBA."""
        return color_table(colormap, self.tokens.name)


@lru_cache(maxsize=8)
def color_table(colormap: Colormap, theme: str) -> NDArray[np.uint8]:
    """The colours of a map, (256, 4) uint8 RGBA, read-only."""
    table = np.full((256, 4), 255, np.uint8)
    table[:, :3] = np.round(255.0 * engine_table(colormap, theme))
    table.setflags(write=False)
    return table


def color_of(rgba: Sequence[int] | NDArray[np.uint8]) -> QColor:
    """A row of a colour table as Qt has it."""
    return QColor.fromRgb(*(int(part) for part in rgba))
