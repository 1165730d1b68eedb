"""Fields: a function over a rectangle as colours, which can be picked from and painted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPen

from polyorama_studio.guard import guards
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.brush_bar import BrushBar
from polyorama_studio.workspaces.lab.views.contours import MOST_SIDE, contour_levels, contours
from polyorama_studio.workspaces.lab.views.easel import Easel
from polyorama_studio.workspaces.lab.views.heat import (
    ColorRange,
    image_over,
    pixels_of,
    thinned_field,
)
from polyorama_studio.workspaces.lab.views.layers import LayerArt
from polyorama_studio.workspaces.lab.views.look import color_of
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures
from polyorama_studio.workspaces.lab.views.plot import ColorScale, Plane
from polyorama_studio.workspaces.lab.views.primitives import draw_segments
from polyorama_studio.workspaces.lab.views.scales import said

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from numpy.typing import NDArray
    from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QMouseEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.experiment import Canvas
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Field
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.views.plot import Mapping

__all__ = ["ContourLines", "FieldView"]

_LONGEST = 1.7
"""Width by height, or the other way round, up to which cells are drawn as squares."""
_MOST_PIXELS = 1024
"""Samples along a side that are drawn; screens have no more for one view."""


class ContourLines:
    """Contour lines of an array of a snapshot, found anew when it is another one."""

    def __init__(self) -> None:
        self._of: NDArray | None = None
        self._pieces = np.empty((0, 4))
        self._shape = (1, 1)

    def take(self, values: NDArray | None) -> None:
        """Find the lines of a field, (rows, columns), or of none."""
        if values is self._of:
            return
        self._of = values
        self._pieces = np.empty((0, 4))
        if values is not None and values.ndim == 2:
            thin = thinned_field(values, MOST_SIDE).astype(np.float64)
            self._shape = thin.shape
            self._pieces, _ = contours(thin, contour_levels(thin))

    def paint(self, painter: QPainter, pen: QPen, ends: QRectF) -> None:
        """Draw them where the field lies, in logical pixels."""
        rows, columns = self._shape
        share = (self._pieces + 0.5) / np.array([columns, rows, columns, rows])
        x = ends.left() + share[:, [0, 2]] * ends.width()
        y = ends.bottom() - share[:, [1, 3]] * ends.height()
        draw_segments(painter, pen, np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1))


@guards
class FieldView(ViewWidget):
    """Draws a `Field`."""

    view: Field

    def __init__(
        self, view: Field, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        self.values: NDArray | None = None
        """What is drawn, (rows, columns)."""
        self.colors = ColorRange(view.value, view.colormap)
        self.layers = [LayerArt(layer, k, over=True) for k, layer in enumerate(view.layers)]
        self.easel: Easel | None = None
        self._bar: BrushBar | None = None
        self._pixels: NDArray[np.uint8] | None = None
        self._contours = ContourLines()
        self._pointer: QPointF | None = None
        self._picking = False
        self._seen: tuple[bool, ...] = ()
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Axes, with the colours below all else."""
        view = self.view
        self.plane = Plane(view.x, view.y, self._paint, self.look)
        self.plane.setParent(self)
        self.plane.grid, self.plane.named = False, view.title
        self.plane.press, self.plane.drag = self._press, self._drag
        self.plane.release, self.plane.wheel = self._release, self._wheel
        self.plane.pointed.connect(self._on_pointed)
        if view.pick or view.canvas:
            self.plane.setCursor(Qt.CursorShape.CrossCursor)
        return self.plane

    def dress(self) -> None:
        """Other colours or sizes."""
        self.plane.dress(self.look)
        if self._bar is not None:
            self._bar.look = self.look
            self._place_body()

    def legend(self) -> list[Entry]:
        """Layers that are or were there."""
        return [art.entry(self.look) for art in self.layers if art.seen and art.layer.title]

    # Data

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look the field and its layers up."""
        values = array_of(snapshot, self.view.key)
        self.values = values if values is not None and values.ndim == 2 else None
        if self.easel is not None:
            self.easel.follow(self.values)
        self._contours.take(array_of(snapshot, self.view.contours))
        for art in self.layers:
            art.take(snapshot)
        seen = tuple(art.seen for art in self.layers)
        if seen != self._seen:
            self._seen = seen
            self.legend_changed()
        self._show_values()

    def _shown(self) -> NDArray | None:
        """The canvas while it is painted on, else what the experiment shows."""
        easel = self.easel
        if easel is not None and (easel.brush.painting or self.values is None):
            return easel.brush.values
        return self.values

    def _show_values(self) -> None:
        values, plane = self._shown(), self.plane
        if values is None:
            self._pixels = None
            plane.redraw()
            return
        rows, columns = values.shape
        if self.values is not None:
            self.colors.fit(self.values)
        plane.x_span.fit(0.0, float(columns))
        plane.y_span.fit(0.0, float(rows))
        scale = ColorScale(self.view.colormap, *self.colors.ends, self.view.value)
        (x0, x1), (y0, y1) = plane.x_span.ends, plane.y_span.ends
        plane.aspect = self._aspect((x1 - x0) / columns, (y1 - y0) / rows, columns / rows)
        if scale != plane.scale_of_colors:
            plane.scale_of_colors = scale
        plane.lay_out()
        thin = thinned_field(values, _MOST_PIXELS)[::-1]
        self._pixels = np.ascontiguousarray(pixels_of(thin, self.colors, self.look))
        plane.redraw()

    def _aspect(self, across: float, upward: float, shape: float) -> float | None:
        """Width by height of the box where cells are squares of one unit, else None.

        A long plane is stretched all the same: as a strip it would leave its view empty.
        """
        x, y = self.view.x, self.view.y
        square = abs(across / upward - 1.0) < 0.01 and x.unit == y.unit
        long = not 1.0 / _LONGEST <= shape <= _LONGEST
        return shape if square and not (x.log or y.log or long) else None

    # Painting

    def _ends(self, mapping: Mapping) -> QRectF:
        """Where the whole rectangle lies, logical pixels."""
        (x0, x1), (y0, y1) = self.plane.x_span.ends, self.plane.y_span.ends
        if self.view.x.log:
            x0, x1 = 10.0**x0, 10.0**x1
        if self.view.y.log:
            y0, y1 = 10.0**y0, 10.0**y1
        left, right = mapping.across([x0, x1])
        bottom, top = mapping.down([y0, y1])
        return QRectF(QPointF(float(left), float(top)), QPointF(float(right), float(bottom)))

    def _paint(self, painter: QPainter, mapping: Mapping) -> None:
        look = self.look
        if self._pixels is not None:
            # Not an item of the scene: what changes there is painted a second time.
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            painter.drawImage(self._ends(mapping), image_over(self._pixels))
        if self.view.contours:
            ends = self._ends(mapping)
            for token, width in (("halo", 3.0 * look.hair), ("overlay", look.hair)):
                self._contours.paint(painter, QPen(look.faded(token, 0.35 if width > 2 else 0.8),
                                                   width), ends)  # fmt: skip
        for art in self.layers:
            art.paint(painter, look, mapping, self.view.colormap)
        place = self._pointer
        if place is None:
            return
        if self.easel is not None:
            self._paint_brush(painter, mapping, place)
        else:
            paint_figures(painter, look, mapping.box, place, self._figures(mapping, place))

    def _paint_brush(self, painter: QPainter, mapping: Mapping, place: QPointF) -> None:
        assert self.easel is not None
        ends, (rows, columns) = self._ends(mapping), self.easel.canvas.shape
        radius = self.easel.brush.radius
        reach = radius * ends.width() / columns, radius * ends.height() / rows
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for token, width in (("halo", 3.0), ("overlay", 1.25)):
            painter.setPen(QPen(self.look.tokens.color(token), width))
            painter.drawEllipse(place, *reach)

    def cell_at(
        self, mapping: Mapping, place: QPointF, shape: tuple[int, int]
    ) -> tuple[float, float]:
        """Row and column of a position, in cells from the middle of the first one."""
        ends = self._ends(mapping)
        column = (place.x() - ends.left()) / ends.width() * shape[1] - 0.5
        row = (ends.bottom() - place.y()) / ends.height() * shape[0] - 0.5
        return row, column

    def _figures(self, mapping: Mapping, place: QPointF) -> list[Figure]:
        """What the pointer is at."""
        if self.values is None:
            return []
        row, column = (round(v) for v in self.cell_at(mapping, place, self.values.shape))
        rows, columns = self.values.shape
        if not (0 <= row < rows and 0 <= column < columns):
            return []
        x, y = mapping.value_at(place)
        axes = (self.view.value, self.view.x, self.view.y)
        values = (float(self.values[row, column]), x, y)
        return [
            Figure(f"{said(v)} {axis.unit}".rstrip(), axis.title.lower())
            for v, axis in zip(values, axes, strict=True)
        ]

    @Slot(object)
    def _on_pointed(self, place: QPointF | None) -> None:
        self._pointer = place
        self.plane.redraw()

    # The mouse

    def _press(self, event: QMouseEvent) -> bool:
        mapping = self.plane.mapping()
        place = event.position() - self.plane.box.topLeft()
        if not mapping.box.contains(place):
            return False
        either = event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton)
        picks = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self.easel is not None and either and not (picks and self.view.pick):
            self.easel.begin(*self.cell_at(mapping, place, self.easel.canvas.shape),
                             event.button())  # fmt: skip
            return True
        if self.view.pick and event.button() == Qt.MouseButton.LeftButton:
            self._picking = True
            self.picked.emit(*mapping.value_at(place))
            return True
        return False

    def _drag(self, event: QMouseEvent) -> bool:
        mapping = self.plane.mapping()
        place = event.position() - self.plane.box.topLeft()
        if self.easel is not None and self.easel.brush.painting:
            self.easel.draw_to(*self.cell_at(mapping, place, self.easel.canvas.shape))
            return True
        if self._picking:
            box = mapping.box
            inside = QPointF(
                min(max(place.x(), box.left()), box.right()),
                min(max(place.y(), box.top()), box.bottom()),
            )
            self.picked.emit(*mapping.value_at(inside))
        return self._picking

    def _release(self, event: QMouseEvent) -> bool:
        if self.easel is not None and self.easel.brush.painting:
            self.easel.end()
            return True
        picking, self._picking = self._picking, False
        return picking

    def _wheel(self, event: QWheelEvent) -> bool:
        if self.easel is None:
            return False
        self.easel.brush.grow(event.angleDelta().y() / 120.0)
        if self._bar is not None:
            self._bar.update()
        self.plane.redraw()
        return True

    # The canvas

    def set_canvas(self, canvas: Canvas, values: NDArray | None = None) -> None:
        """Let it be painted on.

        Parameters
        ----------
        canvas
            What is painted on.
        values
            What is on it; None for what the field shows.
        """
        if self.easel is None:
            self.easel = Easel(canvas, self)
            self.easel.changed.connect(self._on_painting)
            self.easel.finished.connect(self._on_painted)
            self.easel.failed.connect(self.failed)
            self._bar = BrushBar(self.easel.brush, self.look, self._color_at, self)
            self._bar.undo_asked.connect(self.easel.undo)
            self._bar.show()
            self.setAcceptDrops(True)
            self.plane.setAcceptDrops(False)
            self._place_body()
        if values is not None:
            self.easel.start_from(values)

    def _color_at(self, value: float) -> QColor:
        return color_of(pixels_of(np.array([value]), self.colors, self.look)[0])

    def _place_body(self) -> None:
        super()._place_body()
        if self._bar is not None:
            high, room = self._bar.sizeHint().height(), self.body.geometry()
            fits = room.height() > 4 * high
            self._bar.setVisible(fits)
            if fits:
                self._bar.setGeometry(room.left(), room.bottom() + 1 - high, room.width(), high)
                room.setHeight(room.height() - high - round(0.5 * self.look.gap))
                self.body.setGeometry(room)

    @Slot()
    def _on_painting(self) -> None:
        self._show_values()
        if self._bar is not None:
            self._bar.update()

    @Slot(object)
    def _on_painted(self, values: NDArray) -> None:
        self.painted.emit(self.view.canvas, values)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A picture is welcome."""
        if self.easel is not None and self.easel.can_take(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Paint with it."""
        if self.easel is not None:
            event.acceptProposedAction()
            self.easel.drop(event.mimeData())
