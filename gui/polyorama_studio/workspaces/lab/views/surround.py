"""What stands round a plot: lines, numbers, titles, and the strip that says what colours mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QLinearGradient, QPainter, QPen

from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.lab.views.look import color_of
from polyorama_studio.workspaces.lab.views.scales import axis_ticks, axis_words, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.lab.views import Axis
    from polyorama_studio.workspaces.lab.views.plot import Plane

__all__ = ["Surround"]


class Surround:
    """Measures and paints what is round the box of a plane.

    Parameters
    ----------
    plane
        Whose axes, look and box they are.
    """

    def __init__(self, plane: Plane) -> None:
        self._plane = plane
        self._left = 0.0
        self._words_end = 0.0
        """How far the words of the y axis reach."""

    def forget(self) -> None:
        """The type has another size: measure its room anew."""
        self._left = 0.0

    def box(self) -> QRectF:
        """Where the box lies in the plane, so that all round it has room."""
        plane = self._plane
        numbers, label = QFontMetricsF(plane.look.numbers), QFontMetricsF(plane.look.label)
        gap = 0.5 * plane.look.gap
        ticks, _ = self._y_ticks(plane.height())
        wide = max((numbers.horizontalAdvance(t.text) for t in ticks), default=0.0)
        # It only grows, by whole steps: the box stands still while numbers change.
        step = numbers.horizontalAdvance("0")
        self._left = max(self._left, step * np.ceil((wide + gap) / step))
        small = plane.width() < 8.0 * label.height() or plane.height() < 5.0 * label.height()
        left = 0.0 if small else float(self._left)
        top = 0.5 * numbers.height()
        if self._y_words() and not small:
            top = label.height() + gap
        bottom = 0.0 if small else numbers.height() + gap
        if (plane.x_axis.title or plane.x_axis.unit) and not small:
            bottom += label.height()
        right = 0.6 * numbers.averageCharWidth() + plane.room_right
        if plane.bare:
            left = top = bottom = right = 0.0
        if plane.scale_of_colors is not None and not small:
            right += self._scale_room()
        width = max(plane.width() - left - right, 1.0)
        height = max(plane.height() - top - bottom, 1.0)
        return QRectF(left, top, width, height)

    def _scale_room(self) -> float:
        look, scale = self._plane.look, self._plane.scale_of_colors
        assert scale is not None
        numbers = QFontMetricsF(look.numbers)
        texts = (said(scale.low, 2), said(scale.high, 2), "0.00")
        wide = max(numbers.horizontalAdvance(text) for text in texts)
        return 1.5 * look.gap + Metrics.heat_bar * self._bar_scale + wide

    @property
    def _bar_scale(self) -> float:
        return 2.0 if self._plane.look.stage else 0.8

    def _x_ticks(self, width: float) -> tuple[Sequence, float]:
        numbers = QFontMetricsF(self._plane.look.numbers)
        (low, high), _ = self._plane.view_box.viewRange()
        most = max(2, int(width / (7.0 * numbers.horizontalAdvance("0"))))
        return axis_ticks(low, high, self._plane.x_axis.log, most)

    def _y_ticks(self, height: float) -> tuple[Sequence, float]:
        numbers = QFontMetricsF(self._plane.look.numbers)
        _, (low, high) = self._plane.view_box.viewRange()
        most = max(2, int(height / (2.6 * numbers.height())))
        return axis_ticks(low, high, self._plane.y_axis.log, most)

    def _upright_title(self) -> str:
        """The title of the y axis, unless it stands above the plot already."""
        title = self._plane.y_axis.title
        return "" if title.lower() == self._plane.named.lower() else title

    def _y_words(self) -> bool:
        unit, factor = self._plane.y_axis.unit, self._y_ticks(self._plane.height())[1]
        return bool(self._upright_title() or unit or factor != 1.0)

    def paint(self, painter: QPainter) -> None:
        """All of it."""
        self._words_end = 0.0
        if not self._plane.bare:
            self._paint_axes(painter)
        if self._plane.scale_of_colors is not None:
            self._paint_scale(painter)

    def _paint_axes(self, painter: QPainter) -> None:
        look, box = self._plane.look, self._plane.box
        tokens, numbers = look.tokens, QFontMetricsF(look.numbers)
        label, gap = QFontMetricsF(look.label), 0.5 * look.gap
        ticks, factor = self._y_ticks(box.height())
        painter.setFont(look.numbers)
        line = look.grid
        for tick in ticks:
            y = round(box.bottom() - tick.place * box.height()) + 0.5
            if not box.top() - 1.0 <= y <= box.bottom() + 1.0:
                continue
            if self._plane.grid:
                painter.setPen(QPen(line, look.hair))
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(tokens.color("quiet"))
            left = box.left() - gap - numbers.horizontalAdvance(tick.text)
            if left >= -1.0:
                middle = min(y + 0.36 * numbers.ascent(), box.bottom() + 0.36 * numbers.ascent())
                painter.drawText(QPointF(left, middle), tick.text)
        at = QPointF(max(box.left() - self._left, 0.0), label.ascent())
        self._paint_words(painter, self._plane.y_axis, factor, at, upright=True)
        ticks, factor = self._x_ticks(box.width())
        painter.setFont(look.numbers)
        base = box.bottom() + gap + numbers.ascent()
        end = -np.inf
        if self._plane.grid:
            painter.setPen(QPen(look.edge, look.hair))
            y = round(box.bottom()) + 0.5
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        for tick in ticks:
            x = round(box.left() + tick.place * box.width()) + 0.5
            wide = numbers.horizontalAdvance(tick.text)
            left = min(x - 0.5 * wide, self._plane.width() - wide)
            if not box.left() - 1.0 <= x <= box.right() + 1.0 or left < end + 2.0 * gap:
                continue
            if self._plane.grid:
                painter.setPen(QPen(look.edge, look.hair))
                painter.drawLine(QPointF(x, box.bottom()), QPointF(x, box.bottom() + 0.6 * gap))
            end = left + wide
            painter.setPen(tokens.color("quiet"))
            painter.drawText(QPointF(left, base), tick.text)
        at = QPointF(box.right(), base + label.height())
        self._paint_words(painter, self._plane.x_axis, factor, at, upright=False)

    def _paint_words(
        self, painter: QPainter, axis: Axis, factor: float, at: QPointF, *, upright: bool
    ) -> None:
        """An axis's title and, in quiet text, its unit: above the box, or below at its right."""
        title, unit = axis_words(axis, factor)
        if upright and title.lower() == self._plane.named.lower():
            title = ""
        look, metrics = self._plane.look, QFontMetricsF(self._plane.look.label)
        if self._plane.box.height() < 3.0 * metrics.height() or not (title or unit):
            return
        space = metrics.horizontalAdvance(" ")
        room = self._plane.width() - (space + metrics.horizontalAdvance(unit) if unit else 0.0)
        if upright:
            room -= at.x()
            if self._plane.scale_of_colors is not None:
                room -= look.gap + metrics.horizontalAdvance(self._scale_words())
        title = _fitting(title, metrics, room)
        wide = metrics.horizontalAdvance(title)
        whole = wide + (space + metrics.horizontalAdvance(unit) if unit else 0.0)
        x = at.x() if upright else max(at.x() - whole, 0.0)
        painter.setFont(look.label)
        painter.setPen(look.faded("text", 0.82))
        painter.drawText(QPointF(x, at.y()), title)
        painter.setPen(look.tokens.color("quiet"))
        painter.drawText(QPointF(x + wide + (space if title else 0.0), at.y()), unit)
        if upright:
            self._words_end = x + whole

    def _scale_words(self) -> str:
        """What the colours mean."""
        scale = self._plane.scale_of_colors
        return "" if scale is None else " ".join(word for word in axis_words(scale.axis) if word)

    def _paint_scale(self, painter: QPainter) -> None:
        """A slim strip of the colours with the values at its ends."""
        scale, look, box = self._plane.scale_of_colors, self._plane.look, self._plane.box
        assert scale is not None
        numbers = QFontMetricsF(look.numbers)
        if box.height() < 3.0 * numbers.height():
            return
        wide = Metrics.heat_bar * self._bar_scale
        strip = QRectF(
            box.right() + self._plane.room_right + look.gap, box.top(), wide, box.height()
        )
        gradient = QLinearGradient(strip.bottomLeft(), strip.topLeft())
        table = look.table(scale.colormap)
        for number in range(0, 256, 15):
            gradient.setColorAt(number / 255.0, color_of(table[number]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(strip, 0.5 * Metrics.corner, 0.5 * Metrics.corner)
        painter.setFont(look.numbers)
        painter.setPen(look.tokens.color("quiet"))
        left = strip.right() + 0.5 * look.gap
        middle = (
            np.sqrt(scale.low * scale.high)
            if scale.axis.log and scale.low > 0.0
            else 0.5 * (scale.low + scale.high)
        )
        for value, base in (
            (scale.high, strip.top() + 0.75 * numbers.ascent()),
            (float(middle), strip.center().y() + 0.36 * numbers.ascent()),
            (scale.low, strip.bottom()),
        ):
            painter.drawText(QPointF(left, base), said(value, 2))
        words, label = self._scale_words(), QFontMetricsF(look.label)
        if words and box.top() >= label.height():
            painter.setFont(look.label)
            first = self._words_end + look.gap
            room = self._plane.width() - first
            words = label.elidedText(words, Qt.TextElideMode.ElideRight, room)
            x = min(strip.left(), self._plane.width() - label.horizontalAdvance(words))
            x = max(x, first)
            painter.drawText(QPointF(x, label.ascent()), words)


def _fitting(title: str, metrics: QFontMetricsF, room: float) -> str:
    """A title, or where it has no room what stands before its comma: log10 γ, the strength."""
    if metrics.horizontalAdvance(title) <= room:
        return title
    return title.partition(", ")[0]
