"""Distributions: samples as histograms, or densities over an abscissa."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt, Slot
from PySide6.QtGui import QPen

from polyorama.lab.views import Axis
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures
from polyorama_studio.workspaces.lab.views.plot import Plane
from polyorama_studio.workspaces.lab.views.primitives import draw_line, path_of
from polyorama_studio.workspaces.lab.views.scales import said

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Distribution
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.views.plot import Mapping

    Floats = NDArray[np.float64]

__all__ = ["DistributionView", "histogram"]

_MOST_SAMPLES = 200_000
"""Of a series; of more every k-th is counted, and the counts are scaled up."""


def histogram(samples: Floats, edges: Floats) -> Floats:
    """How many samples fall between neighbouring edges, which are evenly spaced.

    Parameters
    ----------
    samples
        (N,) float64; what is not finite or outside is not counted.
    edges
        (B + 1,) float64, rising.
    """
    step = max(1, -(-len(samples) // _MOST_SAMPLES))
    some = samples[::step]
    bins = len(edges) - 1
    share = (some - edges[0]) / (edges[-1] - edges[0])
    with np.errstate(invalid="ignore"):
        inside = share[(share >= 0.0) & (share <= 1.0)]
    place = np.minimum((inside * bins).astype(np.int64), bins - 1)
    return np.bincount(place, minlength=bins) * (len(samples) / max(len(some), 1))


class DistributionView(ViewWidget):
    """Draws a `Distribution`."""

    view: Distribution

    def __init__(
        self, view: Distribution, theme: Theme, rivals: Rivals[str, int],
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        self.outlines: dict[int, tuple[Floats, Floats]] = {}
        """By series: corners of the outline, in the units of the axes."""
        self._dense = any(series.x for series in view.series)
        self._pointer: QPointF | None = None
        self._there: tuple[int, ...] = ()
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Axes."""
        y = Axis(self.tr("Density") if self._dense else self.tr("Samples"), low=0.0)
        self.plane = Plane(self.view.x, y, self._paint, self.look)
        self.plane.setParent(self)
        self.plane.named = self.view.title
        self.plane.pointed.connect(self._on_pointed)
        return self.plane

    def dress(self) -> None:
        """Other colours or sizes."""
        self.plane.dress(self.look)

    def legend(self) -> list[Entry]:
        """Those that are there."""
        return [
            Entry(self.view.series[k].title, self._pen(k), "box")
            for k in self._there
            if self.view.series[k].title not in ("", self.view.title)
        ]

    def _pen(self, number: int) -> QPen:
        series = self.view.series[number]
        return self.look.pen(series.rival, number, series.style)

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Count samples or look densities up."""
        plane = self.plane
        self.outlines = {}
        samples: dict[int, Floats] = {}
        for number, series in enumerate(self.view.series):
            values = array_of(snapshot, series.key)
            if values is None:
                continue
            flat = values.astype(np.float64).ravel()
            if not series.x:
                samples[number] = self._along(flat)
                continue
            over = array_of(snapshot, series.x)
            if over is not None:
                count = min(len(flat), over.size)
                self.outlines[number] = (over.astype(float).ravel()[:count], flat[:count])
        self._fit(list(samples.values()))
        edges = np.linspace(*plane.x_span.ends, max(self.view.bins, 1) + 1)
        for number, values in samples.items():
            counts = histogram(values, edges)
            corners = np.repeat(10.0**edges if self.view.x.log else edges, 2)
            # No line along the axis where there is nothing.
            empty = np.concatenate([[True], counts == 0.0, [True]])
            heights = np.r_[0.0, np.repeat(counts, 2), 0.0]
            heights[np.repeat(empty[:-1] & empty[1:], 2)] = np.nan
            self.outlines[number] = (corners, heights)
        heights = [y[np.isfinite(y)].max(initial=0.0) for _, y in self.outlines.values()]
        if heights:
            plane.y_span.fit(0.0, float(max(heights)))
        there = tuple(sorted(self.outlines))
        if there != self._there:
            self._there = there
            self.legend_changed()
        plane.lay_out()
        plane.redraw()

    def _along(self, samples: Floats) -> Floats:
        """Samples along the axis: their logarithms on a logarithmic one."""
        if not self.view.x.log:
            return samples
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(samples > 0.0, np.log10(samples), np.nan)

    def _fit(self, samples: list[Floats]) -> None:
        ends = []
        for values in samples:
            finite = values[np.isfinite(values)]
            if len(finite):
                ends += [finite.min(), finite.max()]
        if self.view.x.log:
            ends = [10.0**end for end in ends]
        for x, _ in self.outlines.values():
            finite = x[np.isfinite(x)]
            if len(finite):
                ends += [finite.min(), finite.max()]
        if ends:
            self.plane.x_span.fit(float(min(ends)), float(max(ends)))

    def _paint(self, painter: QPainter, mapping: Mapping) -> None:
        for number, (x, y) in self.outlines.items():
            across, down = mapping.places(x, y)
            pen = self._pen(number)
            filled = self.view.series[number].style in ("line", "steps")
            if filled and len(across) > 1:
                color = pen.color()
                color.setAlphaF(0.28 if len(self.outlines) > 1 else 0.45)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                there = np.isfinite(across) & np.isfinite(down)
                low = mapping.box.height() + 2.0
                xs, ys = across[there], down[there]
                if len(xs) > 1:
                    closed = np.r_[xs[0], xs, xs[-1]], np.r_[low, ys, low]
                    painter.drawPath(path_of(*closed))
            draw_line(painter, pen, across, down, mapping.box.width())
        if self._pointer is not None:
            self._paint_pointed(painter, mapping, self._pointer)

    def _paint_pointed(self, painter: QPainter, mapping: Mapping, place: QPointF) -> None:
        look, (x, _) = self.look, mapping.value_at(place)
        painter.setPen(QPen(look.faded("text", 0.35), look.hair))
        painter.drawLine(QPointF(place.x(), 0.0), QPointF(place.x(), mapping.box.height()))
        axis = self.view.x
        figures = [Figure(f"{said(x, 4)} {axis.unit}".rstrip(), axis.title.lower())]
        for number, (xs, ys) in self.outlines.items():
            at = int(np.clip(np.searchsorted(xs, x), 1, len(xs) - 1)) if len(xs) > 1 else 0
            title = self.view.series[number].title
            color = look.color(self.view.series[number].rival, number)
            figures.append(Figure(said(float(ys[at])), title, color))
        paint_figures(painter, look, mapping.box, place, figures)

    @Slot(object)
    def _on_pointed(self, place: QPointF | None) -> None:
        self._pointer = place
        self.plane.redraw()
