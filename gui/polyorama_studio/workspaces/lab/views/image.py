"""Images: pixels as they are, or matrices side by side in a colour map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QLinearGradient, QPainter

from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.lab.views.base import ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.heat import (
    ColorRange,
    image_over,
    pixels_of,
    thinned_field,
)
from polyorama_studio.workspaces.lab.views.look import color_of
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures
from polyorama_studio.workspaces.lab.views.painted import PaintedBody
from polyorama_studio.workspaces.lab.views.scales import axis_words, said

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Image
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History

__all__ = ["ImageView", "grid_of"]

_MOST_SIDE = 1024
_MOST_IMAGES = 256


def grid_of(count: int, shape: float, width: float, height: float, foot: float) -> tuple[int, int]:
    """Rows and columns in which so many pictures become as large as they can.

    Parameters
    ----------
    count
        How many.
    shape
        Width of each by its height.
    width, height
        Of the room.
    foot
        Below each picture, for its name; all in the same unit.
    """
    best, found = -1.0, (1, max(count, 1))
    for columns in range(1, count + 1):
        rows = math.ceil(count / columns)
        wide = min(width / columns, max(height / rows - foot, 0.0) * shape)
        if wide > best + 1e-9:
            best, found = wide, (rows, columns)
    return found


class ImageView(ViewWidget):
    """Draws an `Image`."""

    view: Image

    def __init__(
        self, view: Image, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        self.values: NDArray | None = None
        """Matrices that are drawn in colours, (N, rows, columns); None for pixels."""
        self.pixels: list[NDArray[np.uint8]] = []
        """(rows, columns, 4) RGBA each, the first row on top."""
        self.left_out = 0
        self.colors = ColorRange(view.value, view.colormap)
        self._images: list[QImage] = []
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Painted."""
        return PaintedBody(self._paint, lambda: self.look.ground, self)

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look pixels or matrices up."""
        array = array_of(snapshot, self.view.key)
        self.values, self.pixels, self.left_out = None, [], 0
        if array is not None and array.dtype == np.uint8 and array.ndim in (3, 4):
            several = array if array.ndim == 4 else array[None]
            if several.shape[-1] in (3, 4):
                self.pixels = [_opaque(rgb) for rgb in several[:_MOST_IMAGES]]
                self.left_out = max(0, len(several) - _MOST_IMAGES)
        elif array is not None and array.ndim in (2, 3):
            matrices = array if array.ndim == 3 else array[None]
            self.left_out = max(0, len(matrices) - _MOST_IMAGES)
            self.values = matrices[:_MOST_IMAGES]
            self.colors.fit(self.values)
            self.pixels = [
                pixels_of(thinned_field(matrix, _MOST_SIDE), self.colors, self.look)
                for matrix in self.values
            ]
        self._images = [image_over(rgba) for rgba in self.pixels]
        self.body.update()

    # Where things are

    def _room(self, room: QRectF) -> QRectF:
        """Where pictures lie, without the strip of colours."""
        if self.values is None:
            return room
        wide = self._scale_room
        beside = room.adjusted(0.0, 0.0, -wide, 0.0)
        over = QFontMetricsF(self.look.label).horizontalAdvance(self._scale_words) - wide
        if over <= 0.0 or not self.pixels or not self._has_scale(room):
            return beside
        # A title wider than its strip: pictures at its left or below it, wherever they are larger.
        rooms = beside.adjusted(0.0, 0.0, -over, 0.0), beside.adjusted(0.0, self._head, 0.0, 0.0)
        return max(rooms, key=lambda inner: self.places(inner)[0].width())

    def _has_scale(self, room: QRectF) -> bool:
        """Whether there is room for the strip of colours."""
        return room.height() >= 4.0 * QFontMetricsF(self.look.numbers).height()

    @property
    def _scale_room(self) -> float:
        """Width of the strip of colours, its numbers and what parts it from pictures."""
        numbers = QFontMetricsF(self.look.numbers)
        wide = max(numbers.horizontalAdvance(said(end, 2)) for end in self.colors.ends)
        wide = max(wide, numbers.horizontalAdvance("0.00"))
        return wide + 2.0 * self.look.gap + self._strip_width

    @property
    def _scale_words(self) -> str:
        """What the colours mean."""
        return " ".join(word for word in axis_words(self.view.value) if word)

    @property
    def _head(self) -> float:
        """Room above the strip for its title."""
        return QFontMetricsF(self.look.label).height() + 2.0

    @property
    def _strip_width(self) -> float:
        return Metrics.heat_bar * (2.0 if self.look.stage else 0.8)

    def places(self, room: QRectF) -> list[QRectF]:
        """Where each picture lies; whole screen pixels a sample where there is room for that."""
        if not self.pixels:
            return []
        rows, columns = self.pixels[0].shape[:2]
        gap = self.look.gap
        foot = QFontMetricsF(self.look.label).height() if self.view.labels else 0.0
        count = len(self.pixels)
        down, across = grid_of(
            count, columns / rows, room.width() + gap, room.height() + gap, foot + gap
        )
        cell = (room.width() + gap) / across, (room.height() + gap) / down
        unit = min((cell[0] - gap) / columns, (cell[1] - gap - foot) / rows)
        ratio = self.devicePixelRatioF()
        if unit * ratio >= 2.0:
            unit = math.floor(unit * ratio) / ratio
        wide, high = max(unit * columns, 1.0), max(unit * rows, 1.0)
        # The grid is as tight as its pictures, in the middle of the room.
        step = wide + gap, high + foot + gap
        left = room.left() + max(0.5 * (room.width() - across * step[0] + gap), 0.0)
        top = room.top() + max(0.5 * (room.height() - down * step[1] + gap), 0.0)
        return [
            QRectF(
                round(left + (k % across) * step[0]), round(top + (k // across) * step[1]),
                wide, high,
            )
            for k in range(count)
        ]  # fmt: skip

    # Painting

    def _paint(self, painter: QPainter, room: QRectF) -> None:
        if not self._images:
            return
        inner, look = self._room(room), self.look
        places = self.places(inner)
        metrics = QFontMetricsF(look.label)
        ratio = self.devicePixelRatioF()
        for number, (image, place) in enumerate(zip(self._images, places, strict=True)):
            # Smaller than its samples a picture is blended, larger it has sharp squares.
            smooth = place.width() * ratio < image.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(place, image)
            if number < len(self.view.labels):
                painter.setFont(look.label)
                painter.setPen(look.faded("text", 0.82))
                words = metrics.elidedText(
                    self.view.labels[number], Qt.TextElideMode.ElideRight,
                    place.width() + 0.5 * look.gap,
                )  # fmt: skip
                x = place.center().x() - 0.5 * metrics.horizontalAdvance(words)
                painter.drawText(QPointF(x, place.bottom() + metrics.ascent() + 1.0), words)
        if self.values is not None:
            self._paint_scale(painter, room, inner)
            self._paint_pointed(painter, room, places)

    def _paint_scale(self, painter: QPainter, room: QRectF, inner: QRectF) -> None:
        look, numbers = self.look, QFontMetricsF(self.look.numbers)
        if not self._has_scale(room) or inner.width() < 8.0:
            return
        strip = QRectF(
            room.right() - self._scale_room + look.gap, room.top() + self._head,
            self._strip_width, room.height() - self._head,
        )  # fmt: skip
        gradient = QLinearGradient(strip.bottomLeft(), strip.topLeft())
        table = look.table(self.view.colormap)
        for k in range(0, 256, 15):
            gradient.setColorAt(k / 255.0, color_of(table[k]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(strip, 2.0, 2.0)
        painter.setFont(look.numbers)
        painter.setPen(look.tokens.color("quiet"))
        low, high = self.colors.ends
        x = strip.right() + 0.5 * look.gap
        painter.drawText(QPointF(x, strip.top() + 0.75 * numbers.ascent()), said(high, 2))
        painter.drawText(QPointF(x, strip.bottom()), said(low, 2))
        words, label = self._scale_words, QFontMetricsF(look.label)
        painter.setFont(look.label)
        x = min(strip.left(), room.right() - label.horizontalAdvance(words))
        painter.drawText(QPointF(x, room.top() + label.ascent()), words)

    def _paint_pointed(self, painter: QPainter, room: QRectF, places: list[QRectF]) -> None:
        body = self.body
        assert isinstance(body, PaintedBody)
        assert self.values is not None
        if body.pointer is None:
            return
        for number, place in enumerate(places):
            if place.contains(body.pointer):
                rows, columns = self.values.shape[1:]
                row = int((body.pointer.y() - place.top()) / place.height() * rows)
                column = int((body.pointer.x() - place.left()) / place.width() * columns)
                row, column = min(row, rows - 1), min(column, columns - 1)
                value = float(self.values[number, row, column])
                figures = [
                    Figure(f"{said(value, 4)} {self.view.value.unit}".rstrip()),
                    Figure(f"{row:,}, {column:,}", self.tr("row, column")),
                ]
                paint_figures(painter, self.look, room, body.pointer, figures)


def _opaque(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(rows, columns, 4) RGBA of RGB or RGBA, thinned where it is finer than any screen."""
    thin = thinned_field(pixels, 2 * _MOST_SIDE)
    rgba = np.full((*thin.shape[:2], 4), 255, np.uint8)
    rgba[..., : thin.shape[2]] = thin
    return rgba
