"""Many lines, boxes and dots handed to Qt at once, from arrays.

One call a shape would cost more than drawing it; pyqtgraph has arrays that Qt reads as they are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "Atlas",
    "draw_boxes",
    "draw_dots",
    "draw_line",
    "draw_segments",
    "path_of",
    "straightened",
]

_FAR = 1e5
"""Logical pixels; Qt's painting goes wrong farther away."""
_FEW = 96
"""A line of so few points is drawn with round joins: they can be seen."""
_OFF = 0.05
"""Logical pixels that no eye sees."""
_ROUGH = 4.0
"""A line that goes up and down so many widths of its box covers it: a fine pen tells more, and Qt
needs a hundred times longer for a wide one."""


def path_of(x: Floats, y: Floats) -> QPainterPath:
    """A line through points in logical pixels, with a gap wherever one is NaN."""
    if len(x) < 2:
        return QPainterPath()
    path: QPainterPath = pg.functions.arrayToQPath(
        np.clip(x, -_FAR, _FAR), np.clip(y, -_FAR, _FAR), connect="finite"
    )
    return path


def draw_line(painter: QPainter, pen: QPen, x: Floats, y: Floats, width: float) -> None:
    """A line through points, with a gap wherever one is NaN.

    Parameters
    ----------
    painter, pen
        With what.
    x, y
        (N,) float64 logical pixels.
    width
        Of the box that it crosses, logical pixels.
    """
    if len(x) < 2:
        return
    if pen.dashPattern():
        x, y = straightened(x, y)  # each piece of a dashed line costs three times as much
    travel = np.abs(np.diff(y))
    rough = len(x) > _FEW and float(travel[np.isfinite(travel)].sum()) > _ROUGH * width
    faint = pen.color().alpha() < 255
    if rough or faint:
        # Qt has a fast way for pens of one pixel; what overlaps shows through faint ones.
        pen = QPen(pen)
        pen.setWidthF(min(1.0, pen.widthF()) if faint or pen.dashPattern() else 0.6 * pen.widthF())
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if len(x) <= _FEW or pen.dashPattern() or faint:
        painter.drawPath(path_of(x, y))
        return
    points = np.stack([x, y], axis=1)
    pen = QPen(pen)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    draw_segments(painter, pen, np.concatenate([points[:-1], points[1:]], axis=1))


def straightened(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A line without those of its points that lie on it anyway, to a twentieth of a pixel."""
    kept = np.stack([x, y])
    while kept.shape[1] > _FEW:
        before, here, after = kept[:, :-2:2], kept[:, 1:-1:2], kept[:, 2::2]
        along, aside = after - before, here - before
        length = np.hypot(along[0], along[1])
        off = np.abs(along[0] * aside[1] - along[1] * aside[0])
        onward = along[0] * aside[0] + along[1] * aside[1] >= 0.0  # a line may turn back
        onward &= np.hypot(aside[0], aside[1]) <= length
        straight = (off <= _OFF * length) & onward  # never where one of them is NaN
        if 4 * np.count_nonzero(straight) < len(straight):
            break
        mask = np.ones(kept.shape[1], np.bool_)
        mask[1:-1:2] = ~straight
        kept = kept[:, mask]
    return kept[0], kept[1]


def draw_segments(painter: QPainter, pen: QPen, ends: Floats) -> None:
    """Straight lines, (N, 4) float64 as x, y, x, y in logical pixels; NaN leaves one out."""
    kept = ends[np.isfinite(ends).all(axis=1)]
    if not len(kept):
        return
    lines = PrimitiveArray(QLineF, 4)
    lines.resize(len(kept))
    np.clip(kept, -_FAR, _FAR, out=lines.ndarray())
    painter.setPen(pen)
    painter.drawLines(*lines.drawargs())


def draw_boxes(painter: QPainter, boxes: Floats) -> None:
    """Rectangles, (N, 4) float64 as left, top, width, height in logical pixels."""
    kept = boxes[np.isfinite(boxes).all(axis=1)]
    if not len(kept):
        return
    rects = PrimitiveArray(QRectF, 4)
    rects.resize(len(kept))
    np.clip(kept, -_FAR, _FAR, out=rects.ndarray())
    painter.drawRects(*rects.drawargs())


class Atlas:
    """Discs of one size in some colours, side by side.

    Parameters
    ----------
    colors
        Of the discs.
    size
        Diameter, logical pixels.
    edge
        Of a fine ring round each; None for none.
    ratio
        Device pixels in a logical one.
    """

    def __init__(
        self, colors: Sequence[QColor], size: float, edge: QColor | None, ratio: float
    ) -> None:
        self.ratio = ratio
        ring = 0.75 if edge is not None else 0.0
        self.side = int(np.ceil((size + 2.0 * ring + 2.0) * ratio))
        self.pixmap = QPixmap(self.side * max(len(colors), 1), self.side)
        self.pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self.pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        radius = 0.5 * size * ratio
        for number, color in enumerate(colors):
            center = QPointF((number + 0.5) * self.side, 0.5 * self.side)
            if edge is not None:
                painter.setBrush(edge)
                outer = radius + ring * ratio
                painter.drawEllipse(center, outer, outer)
            painter.setBrush(color)
            painter.drawEllipse(center, radius, radius)
        painter.end()


@lru_cache(maxsize=128)
def _kept_atlas(colors: tuple[int, ...], size: float, edge: int | None, ratio: float) -> Atlas:
    made = [QColor.fromRgba(color) for color in colors]
    return Atlas(made, size, None if edge is None else QColor.fromRgba(edge), ratio)


def draw_dots(
    painter: QPainter,
    places: Floats,
    colors: Sequence[QColor],
    which: NDArray[np.integer] | None,
    size: float,
    edge: QColor | None = None,
) -> None:
    """Discs of one size.

    Parameters
    ----------
    painter
        With what.
    places
        (N, 2) float64 logical pixels; NaN leaves one out.
    colors, which
        The colours, and (N,) which of them each has; None for the first.
    size
        Diameter, logical pixels.
    edge
        Of a fine ring round each; None for none.
    """
    there = np.isfinite(places).all(axis=1) & (np.abs(places) < _FAR).all(axis=1)
    places = places[there]
    if not len(places):
        return
    ratio = painter.device().devicePixelRatioF()
    rgba = tuple(color.rgba() for color in colors)
    atlas = _kept_atlas(rgba, size, None if edge is None else edge.rgba(), ratio)
    pieces = PrimitiveArray(QPainter.PixmapFragment, 10)
    pieces.resize(len(places))
    table = pieces.ndarray()
    table[:, 0:2] = places
    table[:, 2] = 0.0 if which is None else which[there] * float(atlas.side)
    table[:, 3] = 0.0
    table[:, 4:6] = atlas.side
    table[:, 6:8] = 1.0 / ratio
    table[:, 8] = 0.0
    table[:, 9] = 1.0
    painter.drawPixmapFragments(*pieces.drawargs(), atlas.pixmap)
