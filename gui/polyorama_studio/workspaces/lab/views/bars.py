"""Bars: a number a series, or the entries of one array."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of, scalar_of
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures
from polyorama_studio.workspaces.lab.views.painted import PaintedBody
from polyorama_studio.workspaces.lab.views.scales import (
    Following,
    axis_ticks,
    axis_words,
    said,
)

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Bars
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History

__all__ = ["Bar", "BarsView"]

_MOST_BARS = 4_096


class Bar:
    """One bar: its name, its value, and its series.

    Parameters
    ----------
    name
        What stands beside it.
    value
        Its length; NaN where it is missing.
    series
        Number of the series that it belongs to.
    """

    __slots__ = ("name", "series", "value")

    def __init__(self, name: str, value: float, series: int) -> None:
        self.name, self.value, self.series = name, value, series


class BarsView(ViewWidget):
    """Draws `Bars`: level ones with their names at the left, upright ones where they are many."""

    view: Bars

    def __init__(
        self, view: Bars, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        self.bars: list[Bar] = []
        self.limit = math.nan
        self.span = Following(view.value)
        self._grouped: tuple[int, ...] = ()
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Painted."""
        return PaintedBody(self._paint, lambda: self.look.ground, self)

    def legend(self) -> list[Entry]:
        """The series, where each has several bars."""
        if not self.view.labels or len(self._grouped) < 2:
            return []
        return [
            Entry(self.view.series[k].title, QPen(self._color(k)), "box") for k in self._grouped
        ]

    def _color(self, series: int) -> QColor:
        return self.look.color(self.view.series[series].rival, series)

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look the bars up."""
        view = self.view
        self.bars = []
        for number, series in enumerate(view.series):
            array = array_of(snapshot, series.key)
            value = scalar_of(snapshot, series.key)
            if array is not None:
                entries = array.astype(np.float64).ravel()[:_MOST_BARS].tolist()
                for k, entry in enumerate(entries):
                    name = view.labels[k] if k < len(view.labels) else f"{k:,}"
                    self.bars.append(Bar(name, entry, number))
            elif not math.isnan(value) or series.key in snapshot.values:
                self.bars.append(Bar(series.title, value, number))
        if view.labels and len({bar.series for bar in self.bars}) > 1:
            # Bars of one name stand together.
            places = {name: k for k, name in enumerate(view.labels)}
            self.bars.sort(key=lambda bar: (places.get(bar.name, len(places)), bar.series))
        self.limit = scalar_of(snapshot, view.limit)
        values = [bar.value for bar in self.bars if math.isfinite(bar.value)]
        if math.isfinite(self.limit):
            values.append(self.limit)
        if view.value.log:
            values = [value for value in values if value > 0.0]
        if values:
            low = min(values) / 3.0 if view.value.log else min(0.0, *values)
            self.span.fit(low, max(values) if view.value.log else max(0.0, *values))
        grouped = tuple(sorted({bar.series for bar in self.bars}))
        if grouped != self._grouped:
            self._grouped = grouped
            self.legend_changed()
        self.body.update()

    def place(self, value: float) -> float:
        """Where a value lies along the axis, 0..1 inside; NaN where it has no place."""
        low, high = self.span.ends
        if self.view.value.log:
            value = math.log10(value) if value > 0.0 else math.nan
        return (value - low) / (high - low)

    # Painting

    def _paint(self, painter: QPainter, room: QRectF) -> None:
        if not self.bars:
            painter.setFont(self.look.label)
            painter.setPen(self.look.tokens.color("quiet"))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.tr("Not measured yet"))
            return
        metrics = QFontMetricsF(self.look.label)
        if len(self.bars) * 1.3 * metrics.height() <= room.height():
            self._paint_level(painter, room)
        else:
            self._paint_upright(painter, room)

    def level_box(self, room: QRectF) -> QRectF:
        """Where level bars lie."""
        label, numbers = QFontMetricsF(self.look.label), QFontMetricsF(self.look.numbers)
        wide = max(label.horizontalAdvance(bar.name) for bar in self.bars)
        left = min(wide + self.look.gap, 0.4 * room.width())
        right = numbers.horizontalAdvance("0,000.0")
        foot = numbers.height() + 0.5 * self.look.gap
        if any(axis_words(self.view.value)):
            foot += label.height()
        head = numbers.height() if math.isfinite(self.limit) else 0.0
        return room.adjusted(left, head, -right, -foot)

    def _texts(self, bar: Bar) -> str:
        unit = self.view.value.unit
        return f"{said(bar.value)} {unit}".rstrip() if unit == "%" else said(bar.value)

    def _paint_level(self, painter: QPainter, room: QRectF) -> None:
        look, box = self.look, self.level_box(room)
        label, numbers = QFontMetricsF(look.label), QFontMetricsF(look.numbers)
        self._paint_axis(painter, box, room)
        self._paint_limit(painter, box, upright=True)
        step = box.height() / len(self.bars)
        thick = min(0.62 * step, 2.2 * label.height())
        nought = 0.0 if self.view.value.log else min(max(self.place(0.0), 0.0), 1.0)
        for number, bar in enumerate(self.bars):
            middle = box.top() + (number + 0.5) * step
            base = middle + 0.36 * label.ascent()
            painter.setFont(look.label)
            painter.setPen(look.faded("text", 0.85))
            name = label.elidedText(
                bar.name, Qt.TextElideMode.ElideRight, box.left() - room.left() - look.gap
            )
            x = box.left() - look.gap - label.horizontalAdvance(name)
            painter.drawText(QPointF(x, base), name)
            place = self.place(bar.value)
            end = nought
            if math.isfinite(place):
                end = min(max(place, 0.0), 1.0)
                rect = QRectF(
                    box.left() + min(end, nought) * box.width(), middle - 0.5 * thick,
                    max(abs(end - nought) * box.width(), 1.0), thick,
                )  # fmt: skip
                self._paint_bar(painter, rect, bar)
            at = box.left() + max(end, nought) * box.width() + 0.6 * look.gap
            words = self._texts(bar)
            # The line across all is no part of a number.
            plate = QRectF(
                at - 2.0, middle - 0.5 * numbers.height(), numbers.horizontalAdvance(words) + 4.0,
                numbers.height(),
            )  # fmt: skip
            painter.fillRect(plate, look.ground)
            painter.setFont(look.numbers)
            painter.setPen(look.tokens.color("quiet"))
            painter.drawText(QPointF(at, middle + 0.36 * numbers.ascent()), words)

    def _paint_bar(self, painter: QPainter, rect: QRectF, bar: Bar) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._color(bar.series))
        corner = min(0.5 * Metrics.corner, 0.3 * rect.height(), 0.5 * rect.width())
        if rect.width() < 4.0:
            painter.drawRect(rect)
            return
        painter.drawRoundedRect(rect, corner, corner)

    def _paint_axis(self, painter: QPainter, box: QRectF, room: QRectF) -> None:
        """Lines across level bars and numbers below."""
        look, axis = self.look, self.view.value
        numbers, label = QFontMetricsF(look.numbers), QFontMetricsF(look.label)
        most = max(2, int(box.width() / (7.0 * numbers.horizontalAdvance("0"))))
        ticks, factor = axis_ticks(*self.span.ends, axis.log, most)
        base = box.bottom() + 0.5 * look.gap + numbers.ascent()
        painter.setFont(look.numbers)
        for tick in ticks:
            x = round(box.left() + tick.place * box.width()) + 0.5
            if not box.left() - 1.0 <= x <= box.right() + 1.0:
                continue
            painter.setPen(QPen(look.edge if tick.text == "0" else look.grid, look.hair))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setPen(look.tokens.color("quiet"))
            wide = numbers.horizontalAdvance(tick.text)
            painter.drawText(QPointF(min(x - 0.5 * wide, room.right() - wide), base), tick.text)
        title, unit = axis_words(axis, factor)
        painter.setFont(look.label)
        below = base + label.height()
        space = label.horizontalAdvance(" ") if title else 0.0
        wide = label.horizontalAdvance(title)
        x = box.right() - wide - (space + label.horizontalAdvance(unit) if unit else 0.0)
        painter.setPen(look.faded("text", 0.82))
        painter.drawText(QPointF(x, below), title)
        painter.setPen(look.tokens.color("quiet"))
        painter.drawText(QPointF(x + wide + space, below), unit)

    def _paint_limit(self, painter: QPainter, box: QRectF, *, upright: bool) -> None:
        place = self.place(self.limit)
        if not 0.0 <= place <= 1.0:
            return
        pen = QPen(self.look.tokens.color("text"), self.look.stroke)
        pen.setDashPattern([4.0, 2.5])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        numbers = QFontMetricsF(self.look.numbers)
        words = f"{self.view.limit_title} {said(self.limit)}"
        wide = numbers.horizontalAdvance(words)
        if upright:
            x = box.left() + place * box.width()
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            left = min(x - 0.5 * wide, box.right() - wide)
            at = QPointF(left, box.top() - numbers.descent())
        else:
            y = box.bottom() - place * box.height()
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            at = QPointF(box.right() - wide, y - 0.3 * numbers.descent() - 2.0)
        painter.setFont(self.look.numbers)
        painter.setPen(self.look.tokens.color("text"))
        painter.drawText(at, words)

    def upright_box(self, room: QRectF) -> QRectF:
        """Where upright bars lie."""
        numbers = QFontMetricsF(self.look.numbers)
        ticks, _ = axis_ticks(*self.span.ends, self.view.value.log, 5)
        wide = max((numbers.horizontalAdvance(tick.text) for tick in ticks), default=0.0)
        head = QFontMetricsF(self.look.label).height() + 0.5 * self.look.gap
        foot = numbers.height() + 0.5 * self.look.gap
        return room.adjusted(wide + 0.5 * self.look.gap, head, -1.0, -foot)

    def _paint_upright(self, painter: QPainter, room: QRectF) -> None:
        look, box = self.look, self.upright_box(room)
        if box.width() < 4.0 or box.height() < 4.0:
            return
        numbers, label = QFontMetricsF(look.numbers), QFontMetricsF(look.label)
        ticks, factor = axis_ticks(*self.span.ends, self.view.value.log, 5)
        painter.setFont(look.numbers)
        for tick in ticks:
            y = round(box.bottom() - tick.place * box.height()) + 0.5
            painter.setPen(QPen(look.edge if tick.text == "0" else look.grid, look.hair))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(look.tokens.color("quiet"))
            x = box.left() - 0.5 * look.gap - numbers.horizontalAdvance(tick.text)
            painter.drawText(QPointF(x, y + 0.36 * numbers.ascent()), tick.text)
        painter.setFont(look.label)
        words = " ".join(word for word in axis_words(self.view.value, factor) if word)
        painter.drawText(QPointF(room.left(), room.top() + label.ascent()), words)
        step = box.width() / len(self.bars)
        # Bars of a few pixels stand close, or their gaps would flicker.
        thick = 0.8 * step if step >= 5.0 else step
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, step >= 5.0)
        nought = 0.0 if self.view.value.log else min(max(self.place(0.0), 0.0), 1.0)
        free = box.left()
        painter.setFont(look.numbers)
        for number, bar in enumerate(self.bars):
            middle = box.left() + (number + 0.5) * step
            place = self.place(bar.value)
            if math.isfinite(place):
                end = min(max(place, 0.0), 1.0)
                rect = QRectF(
                    middle - 0.5 * thick, box.bottom() - max(end, nought) * box.height(),
                    thick, max(abs(end - nought) * box.height(), 1.0),
                )  # fmt: skip
                self._paint_bar(painter, rect, bar)
            wide = numbers.horizontalAdvance(bar.name)
            if middle - 0.5 * wide >= free and middle + 0.5 * wide <= room.right() + 1.0:
                painter.setPen(look.tokens.color("quiet"))
                base = box.bottom() + 0.5 * look.gap + numbers.ascent()
                painter.drawText(QPointF(middle - 0.5 * wide, base), bar.name)
                free = middle + 0.5 * wide + look.gap
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_limit(painter, box, upright=False)
        self._paint_pointed(painter, box, step)

    def _paint_pointed(self, painter: QPainter, box: QRectF, step: float) -> None:
        body = self.body
        assert isinstance(body, PaintedBody)
        if body.pointer is None or not box.contains(body.pointer):
            return
        bar = self.bars[min(int((body.pointer.x() - box.left()) / step), len(self.bars) - 1)]
        unit = self.view.value.unit
        figure = Figure(f"{said(bar.value, 4)} {unit}".rstrip(), bar.name, self._color(bar.series))
        paint_figures(painter, self.look, box, body.pointer, [figure])
