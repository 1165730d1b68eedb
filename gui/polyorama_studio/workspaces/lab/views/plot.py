"""The plane that pictures with axes are drawn on.

pyqtgraph has the range, zoom and pan; what is seen of it is painted here, in logical pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPixmap

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.lab.views.scales import Following
from polyorama_studio.workspaces.lab.views.surround import Surround

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray
    from PySide6.QtGui import QMouseEvent, QWheelEvent

    from polyorama.lab.views import Axis, Colormap
    from polyorama_studio.workspaces.lab.views.look import Look

__all__ = ["ColorScale", "Mapping", "Plane"]


@dataclass(frozen=True, slots=True)
class Mapping:
    """From values to logical pixels of a box.

    Parameters
    ----------
    box
        Where.
    x, y
        What it spans; of logarithmic axes the decimal logarithms.
    x_log, y_log
        Which are logarithmic.
    """

    box: QRectF
    x: tuple[float, float]
    y: tuple[float, float]
    x_log: bool = False
    y_log: bool = False

    def across(self, values: ArrayLike) -> NDArray[np.float64]:
        """Pixels from the left; NaN where there is no place, as of zero on a logarithm."""
        share = (_along(values, self.x_log) - self.x[0]) / (self.x[1] - self.x[0])
        return self.box.left() + self.box.width() * share

    def down(self, values: ArrayLike) -> NDArray[np.float64]:
        """Pixels from the top."""
        share = (_along(values, self.y_log) - self.y[0]) / (self.y[1] - self.y[0])
        return self.box.bottom() - self.box.height() * share

    def places(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both coordinates of points."""
        return self.across(x), self.down(y)

    def value_at(self, place: QPointF) -> tuple[float, float]:
        """What is at a position, in the units of the axes."""
        x = self.x[0] + (place.x() - self.box.left()) / self.box.width() * (self.x[1] - self.x[0])
        y = self.y[0] + (self.box.bottom() - place.y()) / self.box.height() * (
            self.y[1] - self.y[0]
        )
        return (10.0**x if self.x_log else x), (10.0**y if self.y_log else y)

    def columns(self) -> NDArray[np.float64]:
        """Values at the edges of the columns of pixels, rising."""
        edges = np.linspace(self.x[0], self.x[1], max(2, round(self.box.width()) + 1))
        return 10.0**edges if self.x_log else edges


def _along(values: ArrayLike, log: bool) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if not log:
        return array
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(array > 0.0, np.log10(array), np.nan)


@dataclass(frozen=True, slots=True)
class ColorScale:
    """What colours mean: a map, its ends and their axis."""

    colormap: Colormap
    low: float
    high: float
    axis: Axis


@guards
class _Area(pg.GraphicsWidget):
    """Grid, numbers and titles round the box, and the box itself."""

    def __init__(self, plane: Plane) -> None:
        super().__init__()
        self._plane = plane
        self.view_box = pg.ViewBox(parent=self, enableMenu=False, defaultPadding=0.0)
        self.view_box.disableAutoRange()
        self.view_box.setMenuEnabled(False)
        self.content = _Data(plane, self.view_box)

    def resizeEvent(self, event: object) -> None:
        self._plane.lay_out()

    def paint(self, painter: QPainter, *options: object) -> None:
        self._plane.paint_ground(painter)


@guards
class _Data(pg.GraphicsObject):
    """What is drawn inside the box, in its logical pixels."""

    def __init__(self, plane: Plane, parent: pg.ViewBox) -> None:
        super().__init__(parent)
        self._plane = plane
        self.setZValue(10.0)

    def boundingRect(self) -> QRectF:
        return QRectF(self.parentItem().rect())

    def paint(self, painter: QPainter, *options: object) -> None:
        self._plane.paint_data(painter)


@guards
class Plane(pg.GraphicsView):
    """Axes, and whatever a picture paints between them.

    Parameters
    ----------
    x, y
        The axes.
    paint
        Paints the data: a painter whose origin is the box's corner, and the mapping to its pixels.
    tight
        Whether the x axis begins and ends with the data.
    """

    pointed = Signal(object)
    """The pointer is at this position (QPointF) of the box, or None: outside."""

    def __init__(
        self, x: Axis, y: Axis, paint: Callable[[QPainter, Mapping], None], look: Look, *,
        tight: bool = False,
    ) -> None:  # fmt: skip
        self.ready = False
        super().__init__(background=None, useOpenGL=False)
        self.x_span, self.y_span = Following(x, tight=tight), Following(y)
        self.x_axis, self.y_axis = x, y
        self._paint, self.look = paint, look
        self.named = ""
        """What stands above the plot already: an axis of that title is not titled again."""
        self.equal = False
        """Whether both axes have the same scale."""
        self.aspect: float | None = None
        """Width of the box by its height, where it is to be kept."""
        self.scale_of_colors: ColorScale | None = None
        self.room_right = 0.0
        """Logical pixels that a picture wants beside the box."""
        self.manual = False
        """Whether a person chose the range; it follows the data otherwise."""
        self.grid = True
        """Whether there are lines across the box."""
        self.bare = False
        """Whether there is nothing but the box."""
        self.press: Callable[[QMouseEvent], bool] | None = None
        self.drag: Callable[[QMouseEvent], bool] | None = None
        self.release: Callable[[QMouseEvent], bool] | None = None
        self.wheel: Callable[[QWheelEvent], bool] | None = None
        self.over: Callable[[QPainter, QRectF], None] | None = None
        """Paints in pixels of the whole widget, beside the box."""
        self._surround = Surround(self)
        self._ground: tuple[object, QPixmap] | None = None
        self._over_fit = False
        self.setViewportUpdateMode(pg.GraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setFrameShape(pg.GraphicsView.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Plot"))
        self._area = _Area(self)
        self.setCentralItem(self._area)
        self._area.view_box.sigRangeChangedManually.connect(self._on_manual)
        self._area.view_box.sigRangeChanged.connect(self._on_range)
        self.ready = True
        self.dress(look)

    # Where things are

    @property
    def box(self) -> QRectF:
        """The plot without its numbers, in pixels of this widget."""
        return QRectF(self._area.view_box.geometry())

    @property
    def view_box(self) -> pg.ViewBox:
        """The box as pyqtgraph has it."""
        return self._area.view_box

    def mapping(self) -> Mapping:
        """From values to pixels of the box, its left upper corner at the origin."""
        (x0, x1), (y0, y1) = self._area.view_box.viewRange()
        box = QRectF(0.0, 0.0, max(self.box.width(), 1.0), max(self.box.height(), 1.0))
        return Mapping(box, (x0, x1), (y0, y1), self.x_axis.log, self.y_axis.log)

    def dress(self, look: Look) -> None:
        """Take other colours or sizes."""
        self.look = look
        self.setBackground(look.ground)
        self._ground = None
        self._surround.forget()
        self.lay_out()

    def lay_out(self) -> None:
        """Give the box its place."""
        if not self.ready:
            return
        self.follow()
        box = self._surround.box()
        if self.aspect is not None:
            wide = min(box.width(), box.height() * self.aspect)
            high = wide / self.aspect
            box = QRectF(box.left() + 0.5 * (box.width() - wide), box.top(), wide, high)
        aligned = QRectF(
            round(box.left()), round(box.top()), max(1.0, round(box.width())),
            max(1.0, round(box.height())),
        )  # fmt: skip
        if aligned != self.box:
            self._area.view_box.setGeometry(aligned)
        self.follow()

    # The range

    def follow(self) -> None:
        """Show what the axes have been told to hold, unless a person chose a range."""
        if self.manual:
            return
        x, y = self.x_span.ends, self.y_span.ends
        if self.equal and self.aspect is None:
            x, y = _equalled(x, y, self.box)
        (x0, x1), (y0, y1) = self._area.view_box.viewRange()
        if (x0, x1, y0, y1) != (*x, *y):
            self._area.view_box.setRange(xRange=x, yRange=y, padding=0.0, disableAutoRange=True)

    def reset_range(self) -> None:
        """Follow the data again."""
        self.manual = False
        self.follow()
        self.viewport().update()

    def _on_manual(self, *axes: object) -> None:
        self.manual = True

    def _on_range(self, *ranges: object) -> None:
        self.redraw()

    def redraw(self) -> None:
        """Paint again at the next chance."""
        self.viewport().update()

    # Painting

    def paint_ground(self, painter: QPainter) -> None:
        """Grid, numbers and titles; kept as a picture while nothing of it changes."""
        ratio = self.devicePixelRatioF()
        size = (max(round(self.width() * ratio), 1), max(round(self.height() * ratio), 1))
        key = (size, ratio, self.look, self.box, str(self._area.view_box.viewRange()),
               self.scale_of_colors)  # fmt: skip
        if self._ground is None or self._ground[0] != key:
            pixmap = QPixmap(*size)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(self.look.ground)
            inner = QPainter(pixmap)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._surround.paint(inner)
            inner.end()
            self._ground = (key, pixmap)
        painter.drawPixmap(QPointF(0.0, 0.0), self._ground[1])
        if self.over is not None:
            self.over(painter, self.box)
        if self.manual:
            color = self.look.tokens.color("accent" if self._over_fit else "quiet")
            paint_icon(painter, "frame", color, self._fit_box())

    def _fit_box(self) -> QRectF:
        side = float(Metrics.icon) * (1.75 if self.look.stage else 1.0)
        return QRectF(self.box.right() - side - 4.0, self.box.top() + 4.0, side, side)

    def paint_data(self, painter: QPainter) -> None:
        """What the picture paints into the box."""
        self._paint(painter, self.mapping())

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The picture's, the way back to the whole range, or pyqtgraph's pan."""
        if self.manual and self._fit_box().contains(event.position()):
            self.reset_range()
            return
        if self.press is None or not self.press(event):
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is pointed at."""
        place = event.position()
        inside = self.box.contains(place)
        self._over_fit = self.manual and self._fit_box().contains(place)
        self.pointed.emit(place - self.box.topLeft() if inside else None)
        if self.drag is None or not self.drag(event):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """As pressed."""
        if self.release is None or not self.release(event):
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Left to whoever holds this picture."""
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom where it is pointed at."""
        if not self.box.contains(event.position()):
            event.ignore()
        elif self.wheel is None or not self.wheel(event):
            super().wheelEvent(event)

    def leaveEvent(self, event: object) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self.pointed.emit(None)


def _equalled(
    x: tuple[float, float], y: tuple[float, float], box: QRectF
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both stretches grown about their middles to the same scale."""
    unit = max((x[1] - x[0]) / max(box.width(), 1.0), (y[1] - y[0]) / max(box.height(), 1.0))
    half = 0.5 * unit * box.width(), 0.5 * unit * box.height()
    middle = 0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1])
    return (middle[0] - half[0], middle[0] + half[0]), (middle[1] - half[1], middle[1] + half[1])
