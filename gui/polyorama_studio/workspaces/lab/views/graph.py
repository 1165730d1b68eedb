"""Graphs: nodes and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPen

from polyorama.lab.views import Axis
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.layers import LayerArt, colored
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures, paint_note
from polyorama_studio.workspaces.lab.views.plot import ColorScale, Plane
from polyorama_studio.workspaces.lab.views.primitives import draw_dots, draw_segments
from polyorama_studio.workspaces.lab.views.scales import Following, said

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Graph
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.views.plot import Mapping

__all__ = ["GraphView"]

_MOST_EDGES = 12_000
_MOST_LABELS = 60
_WIDTHS = 6


class GraphView(ViewWidget):
    """Draws a `Graph`."""

    view: Graph

    def __init__(
        self, view: Graph, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        self.nodes = np.empty((0, 2))
        self.edges = np.empty((0, 2), np.int64)
        """Those that are drawn."""
        self.left_out = 0
        """Edges that are too many to draw."""
        self.values: NDArray | None = None
        self.weights: NDArray | None = None
        self._span = Following(Axis(), air=False)
        self.layers = [LayerArt(layer, number + 1) for number, layer in enumerate(view.layers)]
        self._pointer: QPointF | None = None
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """A plane without axes."""
        self.plane = Plane(Axis(), Axis(), self._paint, self.look)
        self.plane.setParent(self)
        self.plane.bare, self.plane.equal, self.plane.grid = True, True, False
        self.plane.pointed.connect(self._on_pointed)
        return self.plane

    def dress(self) -> None:
        """Other colours or sizes."""
        self.plane.dress(self.look)

    def legend(self) -> list[Entry]:
        """Layers that are or were there."""
        return [art.entry(self.look) for art in self.layers if art.seen and art.layer.title]

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look nodes and edges up; edges to nodes that are not there are left out."""
        view, plane = self.view, self.plane
        nodes = array_of(snapshot, view.nodes)
        if nodes is None or nodes.ndim != 2 or nodes.shape[1] < 2:
            nodes = np.empty((0, 2))
        self.nodes = nodes[:, :2].astype(np.float64)
        self._take_edges(snapshot)
        value = array_of(snapshot, view.value)
        self.values = value if value is not None and value.shape == (len(nodes),) else None
        if self.values is not None:
            finite = self.values[np.isfinite(self.values)]
            if len(finite):
                self._span.fit(float(finite.min()), float(finite.max()))
        for art in self.layers:
            art.take(snapshot)
        finite = self.nodes[np.isfinite(self.nodes).all(axis=1)]
        if len(finite):
            low, high = finite.min(axis=0), finite.max(axis=0)
            air = 0.06 * max(float((high - low).max()), 1e-12)
            for number, span in enumerate((plane.x_span, plane.y_span)):
                span.fit(float(low[number] - air), float(high[number] + air))
        plane.scale_of_colors = (
            None if self.values is None
            else ColorScale(view.colormap, *self._span.ends, Axis())
        )  # fmt: skip
        plane.lay_out()
        plane.redraw()

    def _take_edges(self, snapshot: Snapshot) -> None:
        edges = array_of(snapshot, self.view.edges)
        self.weights, self.left_out = None, 0
        if edges is None or edges.ndim != 2 or edges.shape[1] != 2:
            self.edges = np.empty((0, 2), np.int64)
            return
        weights = array_of(snapshot, self.view.weight)
        weights = weights if weights is not None and weights.shape == (len(edges),) else None
        edges = edges.astype(np.int64)
        kept = np.flatnonzero(((edges >= 0) & (edges < len(self.nodes))).all(axis=1))
        if len(kept) > _MOST_EDGES:
            self.left_out = len(kept) - _MOST_EDGES
            if weights is None:
                kept = kept[:: -(-len(kept) // _MOST_EDGES)]
            else:
                size = np.nan_to_num(np.abs(weights[kept]))
                kept = kept[np.sort(np.argpartition(size, -_MOST_EDGES)[-_MOST_EDGES:])]
        self.edges = edges[kept]
        self.weights = None if weights is None else np.abs(weights[kept].astype(np.float64))

    # Painting

    def _radius(self, mapping: Mapping) -> float:
        """Of a node, logical pixels: as large as leaves air between them."""
        room = np.sqrt(mapping.box.width() * mapping.box.height() / max(len(self.nodes), 1))
        return float(np.clip(0.13 * room, 2.0, 9.0)) * (1.6 if self.look.stage else 1.0)

    def _paint(self, painter: QPainter, mapping: Mapping) -> None:
        look, radius = self.look, self._radius(mapping)
        places = np.stack(mapping.places(self.nodes[:, 0], self.nodes[:, 1]), axis=1)
        if len(self.edges):
            self._paint_edges(painter, places, radius)
        colors, which = [look.color("", 0)], None
        if self.values is not None:
            colors, which = colored(self.values, self._span.ends, look, self.view.colormap)
        draw_dots(painter, places, colors, which, 2.0 * radius, look.ground)
        for art in self.layers:
            art.paint(painter, look, mapping, self.view.colormap)
        self._paint_labels(painter, places, radius)
        if self.left_out:
            total = self.left_out + len(self.edges)
            words = self.tr("{0} of {1} edges").format(f"{len(self.edges):,}", f"{total:,}")
            paint_note(painter, look, mapping.box, words)
        if self._pointer is not None:
            self._paint_pointed(painter, mapping, places, radius)

    def _paint_edges(self, painter: QPainter, places: NDArray, radius: float) -> None:
        look = self.look
        start, end = places[self.edges[:, 0]], places[self.edges[:, 1]]
        along = end - start
        length = np.hypot(along[:, 0], along[:, 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            unit = along / length[:, None]
        if self.view.directed:
            end = end - unit * np.minimum(radius + 1.0, 0.5 * length)[:, None]
        ends = np.concatenate([start, end], axis=1)
        crowd = 0.75 if len(ends) < 300 else 0.4
        for width, members in self._widths():
            pen = QPen(look.faded("quiet", crowd), width)
            draw_segments(painter, pen, ends[members])
            if self.view.directed:
                head = np.minimum(3.0 + 1.4 * width, 0.4 * length[members])[:, None]
                side = np.stack([-unit[members, 1], unit[members, 0]], axis=1)
                tip = end[members]
                for turn in (-0.5, 0.5):
                    barb = tip - head * (unit[members] + turn * side)
                    draw_segments(painter, pen, np.concatenate([tip, barb], axis=1))

    def _widths(self) -> list[tuple[float, NDArray[np.int64]]]:
        """Widths of lines, and which edges have each: by the weight's share of the greatest."""
        plain = 0.6 * self.look.stroke if len(self.edges) < 2_000 else self.look.hair
        if self.weights is None:
            return [(plain, np.arange(len(self.edges)))]
        weights = np.nan_to_num(self.weights)
        share = weights / max(float(weights.max(initial=0.0)), 1e-300)
        level = np.minimum((share * _WIDTHS).astype(np.int64), _WIDTHS - 1)
        return [
            (max(0.5, 2.4 * (k + 0.5) / _WIDTHS) * plain, np.flatnonzero(level == k))
            for k in np.unique(level).tolist()
        ]

    def _paint_labels(self, painter: QPainter, places: NDArray, radius: float) -> None:
        labels = self.view.labels
        if not labels or len(places) > _MOST_LABELS:
            return
        look, metrics = self.look, QFontMetricsF(self.look.label)
        painter.setFont(look.label)
        painter.setPen(look.faded("text", 0.85))
        taken: list[QRectF] = []
        for (x, y), label in zip(places.tolist(), labels, strict=False):
            if not (np.isfinite(x) and np.isfinite(y)):
                continue
            wide = metrics.horizontalAdvance(label)
            at = QPointF(x - 0.5 * wide, y + radius + metrics.ascent())
            plate = QRectF(at.x(), at.y() - metrics.ascent(), wide, metrics.height())
            # A name that would lie on another one is told when its node is pointed at.
            if not any(plate.intersects(other) for other in taken):
                taken.append(plate)
                painter.drawText(at, label)

    def _paint_pointed(
        self, painter: QPainter, mapping: Mapping, places: NDArray, radius: float
    ) -> None:
        """The node that the pointer is at: a ring, its name and value."""
        assert self._pointer is not None
        if not len(places):
            return
        gaps = np.hypot(places[:, 0] - self._pointer.x(), places[:, 1] - self._pointer.y())
        if not np.isfinite(gaps).any():
            return
        nearest = int(np.nanargmin(gaps))
        if gaps[nearest] > radius + 6.0:
            return
        at = QPointF(*places[nearest].tolist())
        painter.setPen(QPen(self.look.tokens.color("accent"), self.look.stroke))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, radius + 2.0, radius + 2.0)
        labels = self.view.labels
        name = labels[nearest] if nearest < len(labels) else self.tr("node {0}").format(nearest)
        degree = int((self.edges == nearest).sum())
        figures = [Figure(name), Figure(f"{degree:,}", self.tr("edges"))]
        if self.values is not None:
            figures.append(Figure(said(float(self.values[nearest])), self.tr("value")))
        paint_figures(painter, self.look, mapping.box, at, figures)

    @Slot(object)
    def _on_pointed(self, place: QPointF | None) -> None:
        self._pointer = place
        self.plane.redraw()
