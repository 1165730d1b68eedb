"""Paints the curve editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.curve_grips import CurveBandGrip
from polyorama_studio.timeline.curve_math import controls
from polyorama_studio.timeline.glyphs import dashes, key_pixmap, series_token
from polyorama_studio.timeline.keys import arrays_of
from polyorama_studio.timeline.places import thinned
from polyorama_studio.timeline.ruler_painter import paint_playhead
from polyorama_studio.timeline.sheet_painter import paint_band, paint_extent, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama_studio.timeline.curve_set import Curve, CurveSet
    from polyorama_studio.timeline.grips import Grip
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["CurvePainter"]

_MOST_CUBICS = 1200
"""With more keys in sight a curve is a line through one key a column."""
_MOST_TURNS = 24
"""Repetitions that are drawn of a track that repeats."""


class CurvePainter:
    """Paints the list of curves, the grid of values, curves, points and handles."""

    def __init__(self, state: TimelineState, curves: CurveSet) -> None:
        self._state, self._curves = state, curves

    def paint(self, painter: QPainter, size: QRectF, offset: int) -> None:
        """What stays while time goes; `offset` pixels of the list are scrolled off."""
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        painter.fillRect(size, tokens.color("panel"))
        area = size.adjusted(axis.left, 0.0, 0.0, 0.0)
        for curve, row in self._entries(size.height(), offset):
            self._paint_entry(painter, curve, row)
        painter.setClipRect(area)
        paint_extent(painter, area, self._state)
        self._paint_values(painter, area)
        shown = self._curves.shown()
        for curve in shown:
            self._paint_curve(painter, curve, area)
        self._paint_handles(painter)
        for curve in shown:
            self._paint_points(painter, curve)
        if self._state.document is not None and not self._curves.all():
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.body))
            words = QCoreApplication.translate(
                "timeline", "Nothing is keyed yet. Click the diamond of a value, or press I."
            )
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)
        painter.setClipping(False)

    def paint_moving(
        self, painter: QPainter, size: QRectF, grip: Grip | None, offset: int
    ) -> None:  # fmt: skip
        """Values at the playhead, the playhead, and the band that chooses."""
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        if self._state.document is None:
            return
        for curve, row in self._entries(size.height(), offset):
            self._paint_value(painter, curve, row)
        painter.setClipRect(size.adjusted(axis.left, 0.0, 0.0, 0.0))
        x = axis.x(self._state.session.playback.time)
        paint_playhead(painter, x, 0.0, size.height(), tokens.color("accent"))
        if isinstance(grip, CurveBandGrip) and grip.moved:
            paint_band(painter, grip.box, tokens.color("accent"))
        painter.setClipping(False)

    # The list

    def _entries(self, height: float, offset: int) -> Iterator[tuple[Curve, QRectF]]:
        for curve in self._curves.all():
            top = float(curve.number * Metrics.timeline_row - offset)
            if -Metrics.timeline_row < top < height:
                wide = self._state.axis.left
                yield curve, QRectF(0.0, top, wide, float(Metrics.timeline_row))

    def _paint_entry(self, painter: QPainter, curve: Curve, row: QRectF) -> None:
        tokens = self._state.session.theme.tokens
        hidden = (curve.path, curve.component) in self._curves.hidden
        several = len({known.owner for known in self._curves.all()}) > 1
        y = row.center().y() + 0.5
        left = float(Metrics.space[2])
        pen = self._pen(curve)
        if hidden:
            pen.setColor(tokens.color("line"))
        painter.setPen(pen)
        painter.drawLine(QPointF(left, y), QPointF(left + 20.0, y))
        text = row.adjusted(left + 28.0, 0.0, -float(Metrics.space[1]), 0.0)
        painter.setFont(font(Metrics.label))
        title = f"{curve.owner} · {curve.title}" if several else curve.title
        mode = Qt.TextElideMode.ElideLeft if several else Qt.TextElideMode.ElideRight
        room = text.width() - Metrics.value_axis
        words = QFontMetricsF(painter.font()).elidedText(title, mode, room)
        painter.setPen(tokens.color("quiet" if hidden else "text"))
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_value(self, painter: QPainter, curve: Curve, row: QRectF) -> None:
        """The value of a curve at the playhead, at the end of its entry."""
        value = short(curve.track.at(self._state.session.playback.time)[curve.component])
        painter.setFont(font(Metrics.label - 1, tabular=True))
        painter.setPen(self._state.session.theme.tokens.color("quiet"))
        painter.drawText(
            row.adjusted(0.0, 0.0, -float(Metrics.space[1]), 0.0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, value,
        )  # fmt: skip

    # The plot

    def _paint_values(self, painter: QPainter, area: QRectF) -> None:
        tokens = self._state.session.theme.tokens
        painter.setFont(font(Metrics.label - 1, tabular=True))
        line, zero = tokens.color("line"), tokens.color("quiet")
        line.setAlphaF(0.4)
        zero.setAlphaF(0.5)
        if not self._curves.all():
            return
        for value, text in self._curves.values.ticks():
            y = round(self._curves.values.y(value)) + 0.5
            painter.setPen(QPen(zero if text == "0" else line, 1.0))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            box = QRectF(area.left() + 4.0, y - 14.0, float(Metrics.value_axis), 13.0)
            painter.setPen(tokens.color("quiet"))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, text)

    def _pen(self, curve: Curve) -> QPen:
        tokens = self._state.session.theme.tokens
        pen = QPen(tokens.color(series_token(curve.number)), 1.6)
        pattern = dashes(curve.number)
        if pattern:
            pen.setDashPattern(list(pattern))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _paint_curve(self, painter: QPainter, curve: Curve, area: QRectF) -> None:
        axis, times = self._state.axis, curve.times
        low = max(int(np.searchsorted(times, axis.start)) - 1, 0)
        high = min(int(np.searchsorted(times, axis.end)) + 1, len(times))
        whole = len(times) <= _MOST_CUBICS and curve.track.ends != "hold"
        if whole:
            low, high = 0, len(times)
        path = self._path(curve, low, high)
        pen = self._pen(curve)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawPath(path)
        faint = QColor(pen.color())
        faint.setAlphaF(0.35)
        pen.setColor(faint)
        painter.setPen(pen)
        if curve.track.ends == "hold" or len(times) < 2:
            self._paint_ends(painter, curve, area)
        elif whole:
            self._paint_turns(painter, curve, path)

    def _path(self, curve: Curve, low: int, high: int) -> QPainterPath:
        """The curve from one key to before another one, logical pixels."""
        place, path = self._curves.place, QPainterPath()
        if high - low < 1:
            return path
        path.moveTo(place(float(curve.times[low]), float(curve.values[low])))
        if high - low > _MOST_CUBICS:
            times = curve.times[low:high]
            xs = self._state.axis.left + (times - self._state.axis.start) * self._state.axis.scale
            for number in thinned(xs, np.zeros(len(xs), bool)).tolist():
                path.lineTo(place(float(times[number]), float(curve.values[low + number])))
            return path
        kinds = arrays_of(curve.track).kinds
        bows = controls(curve.track, low, high - 1)[:, :, [0, curve.component + 1]]
        for row, bow in enumerate(bows.tolist()):
            kind = kinds[low + row]
            end = place(*bow[3])
            if kind == 0:
                path.lineTo(end)
                path.lineTo(place(bow[3][0], float(curve.values[low + row + 1])))
            elif kind == 1:
                path.lineTo(end)
            else:
                path.cubicTo(place(*bow[1]), place(*bow[2]), end)
        return path

    def _paint_ends(self, painter: QPainter, curve: Curve, area: QRectF) -> None:
        """Level lines before the first key and after the last."""
        first = self._curves.place(float(curve.times[0]), float(curve.values[0]))
        last = self._curves.place(float(curve.times[-1]), float(curve.values[-1]))
        if first.x() > area.left():
            painter.drawLine(QPointF(area.left(), first.y()), first)
        if last.x() < area.right():
            painter.drawLine(last, QPointF(area.right(), last.y()))

    def _paint_turns(self, painter: QPainter, curve: Curve, path: QPainterPath) -> None:
        """The curve again, before and after itself."""
        axis = self._state.axis
        first, length = float(curve.times[0]), float(curve.times[-1] - curve.times[0])
        low = int(np.floor((axis.start - first) / length))
        high = int(np.ceil((axis.end - first) / length))
        for turn in range(max(low, -_MOST_TURNS), min(high, _MOST_TURNS) + 1):
            if turn == 0:
                continue
            painter.save()
            if curve.track.ends == "ping-pong" and turn % 2:
                painter.translate(axis.x(first + (turn + 1) * length), 0.0)
                painter.scale(-1.0, 1.0)
            else:
                painter.translate(axis.x(first + turn * length), 0.0)
            painter.translate(-axis.x(first), 0.0)
            painter.drawPath(path)
            painter.restore()

    def _paint_points(self, painter: QPainter, curve: Curve) -> None:
        axis, tokens = self._state.axis, self._state.session.theme.tokens
        low = int(np.searchsorted(curve.times, axis.start))
        high = int(np.searchsorted(curve.times, axis.end))
        if high <= low:
            return
        times = curve.times[low:high]
        marked = self._curves.is_chosen(curve)[low:high]
        xs = axis.left + (times - axis.start) * axis.scale
        kinds = arrays_of(curve.track).kinds[low:high]
        ratio = painter.device().devicePixelRatioF()
        size = Metrics.curve_point
        side = (size + 4) / 2.0
        color = getattr(tokens, series_token(curve.number))
        for number in thinned(xs, marked).tolist():
            value = float(curve.values[low + number])
            fill, edge = (tokens.accent, tokens.text) if marked[number] else (color, tokens.panel)
            pixmap = key_pixmap(int(kinds[number]), fill, edge, ratio, size)
            painter.drawPixmap(
                QPointF(float(xs[number]) - side, self._curves.values.y(value) - side), pixmap
            )

    def _paint_handles(self, painter: QPainter) -> None:
        tokens = self._state.session.theme.tokens
        for handle in self._curves.handles():
            curve = handle.curve
            here = self._curves.place(
                float(curve.times[handle.number]), float(curve.values[handle.number])
            )
            there = self._curves.handle_place(handle)
            painter.setPen(QPen(tokens.color("quiet"), 1.0))
            painter.drawLine(here, there)
            painter.setPen(QPen(tokens.color("panel"), 1.0))
            painter.setBrush(tokens.color("accent"))
            painter.drawEllipse(there, 3.5, 3.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
