"""Points and other layers over a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QPen

from polyorama.lab.views import Axis, Dots
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.field import ContourLines
from polyorama_studio.workspaces.lab.views.layers import LayerArt
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures
from polyorama_studio.workspaces.lab.views.plot import ColorScale, Plane
from polyorama_studio.workspaces.lab.views.scales import said

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Points
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.views.plot import Mapping

__all__ = ["PointsView"]


class PointsView(ViewWidget):
    """Draws `Points` in the plane."""

    view: Points

    def __init__(
        self, view: Points, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        self.layers = [LayerArt(layer, number) for number, layer in enumerate(view.layers)]
        self._contours = ContourLines()
        self._pointer: QPointF | None = None
        self._seen: tuple[bool, ...] = ()
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Axes."""
        view = self.view
        self.plane = Plane(view.x, view.y, self._paint, self.look)
        self.plane.setParent(self)
        self.plane.named = view.title
        self.plane.equal = view.equal and not (view.x.log or view.y.log)
        fixed = (view.x.low, view.x.high, view.y.low, view.y.high)
        if self.plane.equal and None not in fixed:
            x0, x1, y0, y1 = (float(end or 0.0) for end in fixed)
            self.plane.aspect = (x1 - x0) / (y1 - y0) if y1 > y0 and x1 > x0 else None
        self.plane.pointed.connect(self._on_pointed)
        return self.plane

    def dress(self) -> None:
        """Other colours or sizes."""
        self.plane.dress(self.look)

    def legend(self) -> list[Entry]:
        """Layers that are or were there."""
        return [art.entry(self.look) for art in self.layers if art.seen and art.layer.title]

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look the layers up and let the axes hold them."""
        plane = self.plane
        for art in self.layers:
            art.take(snapshot)
        points = [art.points[:, :2] for art in self.layers if art.there]
        if points:
            together = np.concatenate(points)
            for number, span in enumerate((plane.x_span, plane.y_span)):
                values = together[np.isfinite(together[:, number]), number]
                if span.axis.log:
                    values = values[values > 0.0]
                if len(values):
                    span.fit(float(values.min()), float(values.max()))
        self._contours.take(array_of(snapshot, self.view.contours))
        seen = tuple(art.seen for art in self.layers)
        if seen != self._seen:
            self._seen = seen
            self.legend_changed()
        plane.scale_of_colors = self._scale()
        plane.lay_out()
        plane.redraw()

    def _scale(self) -> ColorScale | None:
        """Of the first dots that are coloured by a number."""
        for art in self.layers:
            if isinstance(art.layer, Dots) and art.values is not None and art.values.ndim == 1:
                return ColorScale(self.view.colormap, *art.span.ends, Axis())
        return None

    def _paint(self, painter: QPainter, mapping: Mapping) -> None:
        look = self.look
        if self.view.contours:
            (x0, x1), (y0, y1) = self.plane.x_span.ends, self.plane.y_span.ends
            left, right = mapping.across([x0, x1])
            bottom, top = mapping.down([y0, y1])
            ends = QRectF(QPointF(left, top), QPointF(right, bottom))
            self._contours.paint(painter, QPen(look.faded("quiet", 0.45), look.hair), ends)
        for art in self.layers:
            art.paint(painter, look, mapping, self.view.colormap)
        if self._pointer is not None:
            x, y = mapping.value_at(self._pointer)
            figures = [
                Figure(f"{said(v)} {axis.unit}".rstrip(), axis.title.lower())
                for v, axis in ((x, self.view.x), (y, self.view.y))
            ]
            paint_figures(painter, look, mapping.box, self._pointer, figures)

    @Slot(object)
    def _on_pointed(self, place: QPointF | None) -> None:
        self._pointer = place
        self.plane.redraw()
