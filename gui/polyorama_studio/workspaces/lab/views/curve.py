"""Curves: lines over a common abscissa, over a run or whole at each moment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from polyorama_studio.guard import guards
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget
from polyorama_studio.workspaces.lab.views.lines import Line
from polyorama_studio.workspaces.lab.views.look import GUIDE
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures, stair
from polyorama_studio.workspaces.lab.views.plot import Plane
from polyorama_studio.workspaces.lab.views.primitives import draw_dots, draw_line, path_of
from polyorama_studio.workspaces.lab.views.scales import said
from polyorama_studio.workspaces.lab.views.slope_rule import SlopeRule

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Curve
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.views.plot import Mapping

    Points = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["CurveView"]

_MOST_AT_ENDS = 6
"""Lines that can be named at their ends."""
_MOST_ROOM = 0.3
"""Of the width, for names at the ends of lines."""
_NOTHING = (np.empty(0), np.empty(0))
_MARKS = {"dots": "dot"}
_BEYOND = 0.28
"""Opacity of what lies after the moment that is shown."""


@guards
class CurveView(ViewWidget):
    """Draws a `Curve`."""

    view: Curve

    def __init__(
        self, view: Curve, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        compared = any(series.rival for series in view.series)
        self.lines = [
            Line(view, series, GUIDE if compared and not series.rival else number)
            for number, series in enumerate(view.series)
        ]
        both = view.x.log and view.y.log
        self.rules = [SlopeRule(slope, view.slope) for slope in view.slope] if both else []
        self._pointer: QPointF | None = None
        self.crossed = math.nan
        """The abscissa that is marked."""
        self._named: tuple[str, ...] = ()
        self._points: tuple[object, list[tuple[Line, Points, Points]]] | None = None
        self._version = 0
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Axes."""
        view = self.view
        self.plane = Plane(view.x, view.y, self._paint, self.look, tight=True)
        self.plane.setParent(self)
        self.plane.named = view.title
        self.plane.over = self._paint_ends
        self.plane.press, self.plane.drag = self._press, self._drag
        self.plane.release = self._release
        self.plane.pointed.connect(self._on_pointed)
        return self.plane

    def dress(self) -> None:
        """Other colours or sizes."""
        self._points = None
        self._named = ()
        self.plane.dress(self.look)

    # Data

    @property
    def by_step(self) -> bool:
        """Whether its abscissa is that of the run, so that others can share its crosshair."""
        return self.view.history

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look the lines up and let the axes hold them."""
        self._version += 1
        for line in self.lines:
            line.take(snapshot, history)
        drawn = [line for line in self.lines if line.there]
        plane = self.plane
        for span, ranges in (
            (plane.x_span, [line.x_range() for line in drawn]),
            (plane.y_span, [line.y_range() for line in drawn]),
        ):
            if ranges:
                ends = np.array(ranges)
                span.fit(float(np.fmin.reduce(ends[:, 0])), float(np.fmax.reduce(ends[:, 1])))
        names = tuple(line.series.title for line in drawn)
        if names != self._named:
            self._named = names
            self._place_names(drawn)
        plane.lay_out()
        for number, rule in enumerate(self.rules):
            self._lay(rule, number, drawn)
        plane.redraw()

    def _lay(self, rule: SlopeRule, number: int, drawn: list[Line]) -> None:
        mapping = self.plane.mapping()
        wanted = [line for line in drawn if line.series.style not in ("dashed", "dotted")]
        line = wanted[min(number, len(wanted) - 1)] if wanted else None
        others = [other for other in wanted if other is not line]
        rule.lay(mapping, line, others, 0.7 - 0.3 * (number % 3))

    # Names at the ends of lines

    def _place_names(self, drawn: list[Line]) -> None:
        """Keep room for names at the right, if they are few and short."""
        metrics = QFontMetricsF(self.look.label)
        titles = [line.series.title for line in drawn if line.series.title]
        wide = max((metrics.horizontalAdvance(title) for title in titles), default=0.0)
        wide += self.look.gap
        fits = (
            0 < len(titles) <= _MOST_AT_ENDS
            and wide <= _MOST_ROOM * self.width()
            and len(titles) * metrics.height() <= 0.6 * self.height()
        )
        self.plane.room_right = wide if fits else 0.0
        self.legend_changed()

    def resizeEvent(self, event: object) -> None:
        """Names may have room now, or none any more."""
        self._place_names([line for line in self.lines if line.there])
        super().resizeEvent(event)

    def legend(self) -> list[Entry]:
        """Samples with names, unless they stand at the ends of lines."""
        drawn = [line for line in self.lines if line.there]
        if self.plane.room_right or len(drawn) < 1:
            return []
        return [
            Entry(line.series.title, self._pen(line), _MARKS.get(line.series.style, "line"))
            for line in drawn
        ]

    def _paint_ends(self, painter: QPainter, box: QRectF) -> None:
        """Dots where the lines of a run have come to, and names, moved apart if need be."""
        mapping = self.plane.mapping()
        metrics = QFontMetricsF(self.look.label)
        placed: list[tuple[float, Line]] = []
        farthest = 0.0
        for line in self.lines:
            across, down = (float(v[0]) for v in mapping.places(*(([v]) for v in line.end())))
            if not (0.0 <= across <= box.width() + 1.0 and -1.0 <= down <= box.height() + 1.0):
                continue
            if self.view.history and line.series.style in ("line", "steps"):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self.look.color(line.series.rival, line.number))
                size = 1.25 * self.look.stroke
                painter.drawEllipse(box.topLeft() + QPointF(across, down), size, size)
            if line.series.title:
                farthest = max(farthest, across)
                placed.append((down, line))
        if not self.plane.room_right:
            return
        placed.sort(key=lambda pair: pair[0])
        spots = spread_out([down for down, _ in placed], 0.95 * metrics.height(), box.height())
        painter.setFont(self.look.label)
        for spot, (_, line) in zip(spots, placed, strict=True):
            painter.setPen(self.look.color(line.series.rival, line.number))
            base = box.top() + spot + 0.36 * metrics.ascent()
            x = box.left() + farthest + self.look.gap
            painter.drawText(QPointF(x, base), line.series.title)

    # Painting

    def _pen(self, line: Line) -> QPen:
        return self.look.pen(line.series.rival, line.number, line.series.style)

    def _drawn(self, mapping: Mapping) -> list[tuple[Line, Points, Points]]:
        """The lines in pixels, up to the moment that is shown and beyond it."""
        key = (self._version, mapping)
        if self._points is None or self._points[0] != key:
            edges = mapping.columns()
            made = []
            for line in self.lines:
                if line.there:
                    shown = min(line.shown, len(line.x))
                    before = self._places(mapping, line, *line.points(edges, 0, shown))
                    after = _NOTHING
                    if shown < len(line.x):
                        rest = line.points(edges, max(shown - 1, 0), len(line.x))
                        after = self._places(mapping, line, *rest)
                    made.append((line, before, after))
            self._points = (key, made)
        return self._points[1]

    def _places(
        self, mapping: Mapping, line: Line, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> Points:
        if line.series.style == "steps":
            x, y = stair(x, y)
        return mapping.places(x, y)

    def _paint(self, painter: QPainter, mapping: Mapping) -> None:
        edges, wide = mapping.columns(), mapping.box.width()
        for line in self.lines:
            if line.banded:
                self._paint_band(painter, mapping, line, edges)
        for line, before, after in self._drawn(mapping):
            pen = self._pen(line)
            faint = QPen(pen)
            color = pen.color()
            color.setAlphaF(_BEYOND)
            faint.setColor(color)
            for points, with_pen in ((before, pen), (after, faint)):
                if line.series.style == "dots":
                    size = 2.6 * self.look.stroke
                    draw_dots(painter, np.stack(points, axis=1), [with_pen.color()], None, size)
                else:
                    draw_line(painter, with_pen, *points, wide)
        drawn = [line for line in self.lines if line.there]
        for rule in self.rules:
            rule.paint(painter, self.look, mapping, drawn)
        if math.isfinite(self.crossed):
            self._paint_crosshair(painter, mapping)

    def _paint_band(
        self, painter: QPainter, mapping: Mapping, line: Line, edges: NDArray[np.float64]
    ) -> None:
        x, low, high = line.band(edges, min(line.shown, len(line.x)))
        if len(x) < 2:
            return
        across = mapping.across(x)
        around = np.concatenate([mapping.down(low), mapping.down(high)[::-1]])
        path = path_of(np.concatenate([across, across[::-1]]), around)
        color = self.look.color(line.series.rival, line.number)
        color.setAlphaF(0.18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPath(path)

    # The crosshair

    def set_crosshair(self, step: float) -> None:
        """Mark the abscissa of a step."""
        crossed = math.nan
        if self.by_step and math.isfinite(step) and self.history is not None:
            crossed = self._abscissa_of(self.history, step)
        if crossed != self.crossed and not (math.isnan(crossed) and math.isnan(self.crossed)):
            self.crossed = crossed
            self.plane.redraw()

    def _abscissa_of(self, history: History, step: float) -> float:
        if not self.view.over:
            return step
        steps, over = history.steps, history.column(self.view.over)
        if not len(steps):
            return math.nan
        return float(over[min(int(np.searchsorted(steps, step)), len(over) - 1)])

    def _step_of(self, history: History, x: float) -> float:
        if not self.view.over:
            return x
        steps, over = history.steps, history.column(self.view.over)
        if not np.isfinite(over).any():
            return math.nan
        return float(steps[int(np.nanargmin(np.abs(over - x)))])

    @Slot(object)
    def _on_pointed(self, place: QPointF | None) -> None:
        self._pointer = place
        x = math.nan
        mapping = self.plane.mapping()
        if place is not None:
            x = mapping.value_at(place)[0]
            for rule in self.rules:
                rule.hot = bool(rule.part_at(mapping, place))
        self.crossed = x
        if self.by_step and self.history is not None:
            self.crosshair.emit(self._step_of(self.history, x) if place is not None else math.nan)
        self.plane.redraw()

    def _paint_crosshair(self, painter: QPainter, mapping: Mapping) -> None:
        across = float(mapping.across([self.crossed])[0])
        if not 0.0 <= across <= mapping.box.width():
            return
        painter.setPen(QPen(self.look.faded("text", 0.35), self.look.hair))
        x = round(across) + 0.5
        painter.drawLine(QPointF(x, 0.0), QPointF(x, mapping.box.height()))
        figures, unit = [], f" {self.view.y.unit}" if self.view.y.unit else ""
        exact = self.crossed
        for line in self.lines:
            if not line.there:
                continue
            exact, y = line.at(self.crossed)
            if math.isfinite(y):
                color = self.look.color(line.series.rival, line.number)
                figures.append(Figure(said(y, 4) + unit, line.series.title, color))
                down = float(mapping.down([y])[0])
                if math.isfinite(down):
                    painter.setPen(QPen(self.look.ground, self.look.hair))
                    painter.setBrush(color)
                    at = float(mapping.across([exact])[0])
                    painter.drawEllipse(QPointF(at, down), *2 * [1.4 * self.look.stroke])
        where = f"{said(exact, 4)} {self.view.x.unit}".rstrip()
        figures.insert(0, Figure(where, self.view.x.title.lower()))
        height = 0.5 * mapping.box.height() if self._pointer is None else self._pointer.y()
        paint_figures(painter, self.look, mapping.box, QPointF(x, height), figures)

    # Dragging rules

    def _press(self, event: QMouseEvent) -> bool:
        place = event.position() - self.plane.box.topLeft()
        mapping = self.plane.mapping()
        left = event.button() == Qt.MouseButton.LeftButton
        return left and any(rule.take_hold(mapping, place) for rule in self.rules)

    def _drag(self, event: QMouseEvent) -> bool:
        place = event.position() - self.plane.box.topLeft()
        mapping = self.plane.mapping()
        dragged = any(rule.drag(mapping, place) for rule in self.rules)
        if dragged:
            self.plane.redraw()
        return dragged

    def _release(self, event: QMouseEvent) -> bool:
        held = [rule for rule in self.rules if rule.let_go()]
        return bool(held)


def spread_out(places: list[float], gap: float, height: float) -> list[float]:
    """Rising places moved by as little as makes them a gap apart, all within the height.

    Neighbours that would touch become a group about their mean; groups that meet are joined.
    """
    groups: list[tuple[float, int]] = []
    for place in places:
        middle, count = place, 1
        while groups:
            before, members = groups[-1]
            if before + 0.5 * gap * members <= middle - 0.5 * gap * count:
                break
            groups.pop()
            middle = (before * members + middle * count) / (members + count)
            count += members
        half = 0.5 * gap * count
        middle = min(max(middle, min(half, 0.5 * height)), max(height - half, 0.5 * height))
        groups.append((middle, count))
    spots = []
    for middle, count in groups:
        spots += [middle + gap * (k - 0.5 * (count - 1)) for k in range(count)]
    return spots
