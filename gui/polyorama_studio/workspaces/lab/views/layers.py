"""Layers over a plane: dots, segments, arrows, ellipses and boxes from the arrays of a snapshot."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from polyorama.lab.views import Arrows, Axis, Boxes, Dots, Ellipses, Segments
from polyorama_studio.workspaces.lab.views.base import Entry, array_of
from polyorama_studio.workspaces.lab.views.look import color_of
from polyorama_studio.workspaces.lab.views.primitives import (
    draw_boxes,
    draw_dots,
    draw_line,
    draw_segments,
)
from polyorama_studio.workspaces.lab.views.scales import Following

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Colormap, Layer
    from polyorama_studio.workspaces.lab.views.look import Look
    from polyorama_studio.workspaces.lab.views.plot import Mapping

    Floats = NDArray[np.float64]

__all__ = ["LayerArt", "colored"]

_LEVELS = 64
"""Shades that values are told apart by."""
_MOST_TRAIL = 32
_MOST_TRAIL_SEGMENTS = 6_000
_TRAIL_SHADES = 8
"""From the oldest to the newest; one for each age would cost more than is seen of it."""
_MOST_RINGED = 3_000
"""Dots with a ring; more of them are a cloud."""
_MANY_ARROWS = 40
"""So many are told apart better with fine pens, which are much faster."""
_CIRCLE = np.stack(
    [np.cos(np.linspace(0.0, 2.0 * np.pi, 65)), np.sin(np.linspace(0.0, 2.0 * np.pi, 65))]
)


def colored(
    values: NDArray, span: tuple[float, float], look: Look, colormap: Colormap
) -> tuple[list[QColor], NDArray[np.int64]]:
    """Colours of a map, and which of them each of (N,) values has; NaN has the quiet one."""
    table = look.table(colormap)
    colors = [color_of(table[round(k * 255 / (_LEVELS - 1))]) for k in range(_LEVELS)]
    colors.append(look.tokens.color("quiet"))
    low, high = span
    with np.errstate(invalid="ignore"):
        share = np.clip((np.asarray(values, np.float64) - low) / (high - low), 0.0, 1.0)
        which = np.where(np.isnan(share), _LEVELS, np.round(share * (_LEVELS - 1)))
    return colors, which.astype(np.int64)


def _rgb_colored(rgb: NDArray) -> tuple[list[QColor], NDArray[np.int64]]:
    """Colours given one by one, in steps that no eye tells apart on a dot."""
    levels = np.round(np.clip(np.nan_to_num(rgb.astype(np.float64)), 0.0, 1.0) * 15.0)
    codes = levels.astype(np.int64) @ np.array([256, 16, 1])
    known, which = np.unique(codes, return_inverse=True)
    colors = [QColor.fromRgb(*(17 * (code >> shift & 15) for shift in (8, 4, 0)))
              for code in known.tolist()]  # fmt: skip
    return colors, which.reshape(-1)


class LayerArt:
    """One layer: what of it is there, and how it is painted.

    Parameters
    ----------
    layer
        What it shows.
    number
        Its place among the layers of the view.
    over
        Whether it lies over colours, and needs a dark edge to be seen on all of them.
    """

    def __init__(self, layer: Layer, number: int, *, over: bool = False) -> None:
        self.layer = layer
        self.number = number
        self._over = over
        self.points: Floats = np.empty((0, 2))
        """Positions that it needs room for, (M, dimension)."""
        self.there = False
        self.seen = False
        """Whether it was there at any moment, and so stands in the legend: that holds still."""
        self.values: NDArray | None = None
        self._given: QColor | None = None
        self.span = Following(Axis(), air=False)
        self._shape: Floats = np.empty((0, 0))
        self._trail: deque[Floats] = deque(maxlen=_MOST_TRAIL)
        self._step = -1

    def take(self, snapshot: Snapshot) -> None:
        """Look up its arrays; what is missing or of another shape is left out."""
        layer = self.layer
        main = _floats(snapshot, layer.key)
        self.there = False
        self.values = None
        if main is not None:
            self.there = self._take_shape(snapshot, main)
            self.seen |= self.there
        if not self.there:
            self.points = np.empty((0, 2))
            self._trail.clear()
            return
        value = array_of(snapshot, getattr(layer, "value", ""))
        if value is not None and len(value) == len(main) and value.ndim in (1, 2):
            self.values = value
            if value.ndim == 2 and (value == value[0]).all():
                self._given = _rgb_colored(value[:1])[0][0]
            if value.ndim == 1:
                finite = value[np.isfinite(value)]
                if len(finite):
                    self.span.fit(float(finite.min()), float(finite.max()))
        if isinstance(layer, Dots) and layer.trail:
            self._follow(snapshot.step)

    def _take_shape(self, snapshot: Snapshot, main: Floats) -> bool:
        layer = self.layer
        flat = main.ndim == 2 and main.shape[1] in (2, 3)
        if isinstance(layer, Dots) and flat:
            self.points = self._shape = main
        elif isinstance(layer, Segments) and main.ndim == 3 and main.shape[1] == 2:
            self._shape = main
            self.points = main.reshape(-1, main.shape[2])
        elif isinstance(layer, Arrows) and flat:
            vector = _floats(snapshot, layer.vector)
            if vector is None or vector.shape != main.shape:
                return False
            self._shape = np.stack([main, main + vector], axis=1)
            self.points = self._shape.reshape(-1, main.shape[1])
        elif isinstance(layer, Ellipses) and flat:
            covariance = _floats(snapshot, layer.covariance)
            dimension = main.shape[1]
            if covariance is None or covariance.shape != (len(main), dimension, dimension):
                return False
            self._shape = covariance
            reach = max(layer.deviations, default=1.0) * np.sqrt(
                np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0.0)
            )
            self.points = np.concatenate([main, main - reach, main + reach])
        elif isinstance(layer, Boxes) and main.ndim == 2 and main.shape[1] == 4:
            self._shape = main
            self.points = main.reshape(-1, 2)
        else:
            return False
        return True

    def _follow(self, step: int) -> None:
        """Keep where the dots were; a jump back or another number of them begins anew."""
        if self._trail and (self._trail[-1].shape != self.points.shape or step < self._step):
            self._trail.clear()
        if step != self._step or not self._trail:
            self._trail.append(self.points)
        self._step = step

    def entry(self, look: Look) -> Entry:
        """Its line of a legend."""
        mark = {Dots: "dot", Boxes: "box", Ellipses: "ring"}.get(type(self.layer), "line")
        pen = self._pen(look)
        if self._given is not None:
            pen.setColor(self._given)
        return Entry(self.layer.title, pen, mark, edged=self._over)

    def color(self, look: Look) -> QColor:
        """Where no values say otherwise."""
        if self._over:
            return look.color_over(self.layer.rival, self.number)
        return look.color(self.layer.rival, self.number)

    def _pen(self, look: Look) -> QPen:
        style = getattr(self.layer, "style", "line")
        pen = look.pen(self.layer.rival, self.number if self.layer.rival else 0, style)
        pen.setColor(self.color(look))
        return pen

    def _colors(
        self, look: Look, colormap: Colormap
    ) -> tuple[Sequence[QColor], NDArray[np.int64] | None]:
        if self.values is None:
            return [self.color(look)], None
        if self.values.ndim == 2:
            return _rgb_colored(self.values)
        return colored(self.values, self.span.ends, look, colormap)

    # Painting

    def paint(self, painter: QPainter, look: Look, mapping: Mapping, colormap: Colormap) -> None:
        """Paint it; `colormap` is that of the values."""
        if not self.there:
            return
        layer = self.layer
        if isinstance(layer, Dots):
            self._paint_dots(painter, look, mapping, colormap, layer)
        elif isinstance(layer, Segments):
            self._paint_segments(painter, look, mapping, colormap)
        elif isinstance(layer, Arrows):
            self._paint_arrows(painter, look, mapping, colormap)
        elif isinstance(layer, Ellipses):
            self._paint_ellipses(painter, look, mapping, layer)
        else:
            self._paint_boxes(painter, look, mapping, colormap, layer)

    def _paint_dots(
        self, painter: QPainter, look: Look, mapping: Mapping, colormap: Colormap, layer: Dots
    ) -> None:  # fmt: skip
        if layer.trail:
            self._paint_trail(painter, look, mapping)
        places = np.stack(mapping.places(self.points[:, 0], self.points[:, 1]), axis=1)
        colors, which = self._colors(look, colormap)
        edge = look.tokens.color("halo") if self._over else look.ground
        ringed = edge if len(places) <= _MOST_RINGED else None
        size = layer.size * (1.6 if look.stage else 1.0)
        draw_dots(painter, places, colors, which, size, ringed)

    def _paint_trail(self, painter: QPainter, look: Look, mapping: Mapping) -> None:
        count = max(len(self.points), 1)
        kept = np.stack(list(self._trail)[-max(2, _MOST_TRAIL_SEGMENTS // count) :])
        places = np.stack(mapping.places(kept[..., 0], kept[..., 1]), axis=-1)
        segments = np.concatenate([places[:-1], places[1:]], axis=-1)
        parts = np.array_split(segments, min(_TRAIL_SHADES, max(len(segments), 1)))
        color = self.color(look)
        for number, part in enumerate(parts):
            color.setAlphaF(0.7 * (number + 1.0) / len(parts))
            draw_segments(painter, QPen(color, look.hair), part.reshape(-1, 4))

    def _pens(
        self, look: Look, colormap: Colormap, width: float
    ) -> list[tuple[QPen, NDArray[np.int64] | slice]]:
        """A pen for each colour, and which of the members it draws."""
        if self.values is None:
            pen = self._pen(look)
            pen.setWidthF(width)
            return [(pen, slice(None))]
        colors, which = self._colors(look, colormap)
        assert which is not None
        pens = []
        for number in np.unique(which).tolist():
            pen = QPen(colors[number], width)
            if getattr(self.layer, "style", "line") != "line":  # theory keeps its dashes
                pen = self._pen(look)
                pen.setColor(colors[number])
                pen.setWidthF(width)
            pens.append((pen, np.flatnonzero(which == number)))
        return pens

    def _placed(self, mapping: Mapping) -> Floats:
        """Both ends of each member, (N, 4) logical pixels."""
        places = [mapping.places(self._shape[:, k, 0], self._shape[:, k, 1]) for k in (0, 1)]
        return np.stack([*places[0], *places[1]], axis=1)

    def _paint_segments(
        self, painter: QPainter, look: Look, mapping: Mapping, colormap: Colormap
    ) -> None:
        ends = self._placed(mapping)
        width = look.stroke * (1.0 if len(ends) < 200 else 0.6)
        if self._over:
            draw_segments(painter, _halo(look, width), ends)
        for pen, members in self._pens(look, colormap, width):
            draw_segments(painter, pen, ends[members])

    def _paint_arrows(
        self, painter: QPainter, look: Look, mapping: Mapping, colormap: Colormap
    ) -> None:
        ends = self._placed(mapping)
        width = look.stroke * (0.8 if len(ends) < _MANY_ARROWS else 0.55)
        along = ends[:, 2:] - ends[:, :2]
        length = np.hypot(along[:, 0], along[:, 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            unit = along / length[:, None]
        head = np.minimum(4.0 * width, 0.4 * length)[:, None]
        side = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
        tip = ends[:, 2:]
        barbs = [np.concatenate([tip, tip - head * (unit + s * 0.6 * side)], axis=1)
                 for s in (-1.0, 1.0)]  # fmt: skip
        if self._over:
            draw_segments(painter, _halo(look, width), np.concatenate([ends, *barbs]))
        for pen, members in self._pens(look, colormap, width):
            few = len(ends) < _MANY_ARROWS
            pen.setCapStyle(Qt.PenCapStyle.RoundCap if few else Qt.PenCapStyle.FlatCap)
            draw_segments(painter, pen, np.concatenate([part[members] for part in (ends, *barbs)]))

    def _paint_ellipses(
        self, painter: QPainter, look: Look, mapping: Mapping, layer: Ellipses
    ) -> None:
        means = self.points[: len(self._shape), :2]
        covariances = self._shape[:, :2, :2]
        usable = np.isfinite(covariances).all(axis=(1, 2)) & np.isfinite(means).all(axis=1)
        sizes, axes = np.linalg.eigh(covariances[usable])
        roots = axes * np.sqrt(np.maximum(sizes, 0.0))[:, None, :]
        rings = roots @ _CIRCLE
        for number, deviations in enumerate(layer.deviations):
            pen = self._pen(look)
            color = pen.color()
            color.setAlphaF(1.0 if number == 0 else 0.55)
            pen.setColor(color)
            pen.setWidthF(look.stroke if number == 0 else 0.6 * look.stroke)
            for mean, ring in zip(means[usable], rings, strict=True):
                x, y = mapping.places(*(mean[:, None] + deviations * ring))
                draw_line(painter, pen, x, y, mapping.box.width())

    def _paint_boxes(
        self, painter: QPainter, look: Look, mapping: Mapping, colormap: Colormap, layer: Boxes
    ) -> None:  # fmt: skip
        left, bottom = mapping.places(self._shape[:, 0], self._shape[:, 1])
        right, top = mapping.places(self._shape[:, 2], self._shape[:, 3])
        boxes = np.stack([left, top, right - left, bottom - top], axis=1)
        many = len(boxes) > 300
        width = look.hair if many else 0.7 * look.stroke
        if self._over and not layer.filled and not many:
            painter.setPen(_halo(look, width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            draw_boxes(painter, boxes)
        for pen, members in self._pens(look, colormap, width):
            fill = QColor(pen.color())
            fill.setAlphaF(0.85 if self.values is not None else 0.3)
            pen.setStyle(Qt.PenStyle.SolidLine)  # small boxes in dashes are no boxes
            painter.setBrush(fill if layer.filled else Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.ground, look.hair) if layer.filled and not self._over else pen)
            draw_boxes(painter, boxes[members])


def _halo(look: Look, width: float) -> QPen:
    return QPen(look.tokens.color("halo"), width + 2.0)


def _floats(snapshot: Snapshot, key: str) -> Floats | None:
    array = array_of(snapshot, key)
    return None if array is None else np.asarray(array, np.float64)
