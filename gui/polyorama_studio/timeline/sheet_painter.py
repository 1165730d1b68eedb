"""Paints the dope sheet: labels, marks of keys, sounds, the playhead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.axis import ticks
from polyorama_studio.timeline.glyphs import DIAMOND, key_pixmap
from polyorama_studio.timeline.grips import AudioGrip, BandGrip, Grip
from polyorama_studio.timeline.places import Places, thinned
from polyorama_studio.timeline.ruler_painter import paint_playhead

if TYPE_CHECKING:
    from polyorama_studio.timeline.rows import Row
    from polyorama_studio.timeline.state import TimelineState
    from polyorama_studio.timeline.waves import Waves

__all__ = ["SheetPainter", "paint_band", "paint_extent", "paint_focus", "short"]

_MOST_HOLDS = 400


class SheetPainter:
    """Paints what is seen, and nothing else, however many keys there are."""

    def __init__(self, state: TimelineState, waves: Waves, places: Places) -> None:
        self._state = state
        self._waves = waves
        self._places = places

    def paint(
        self, painter: QPainter, size: QRectF, grip: Grip | None, hover: tuple[str, float] | None
    ) -> None:
        """All that does not change while time goes.

        Parameters
        ----------
        painter
            On the sheet.
        size
            Of the sheet.
        grip
            What is held.
        hover
            Id of the row and time of the key under the pointer.
        """
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        painter.fillRect(size, tokens.color("panel"))
        area = size.adjusted(axis.left, 0.0, 0.0, 0.0)
        rows = self._seen(size.height())
        for row, top, tall in rows:
            self._paint_label(painter, row, QRectF(0.0, top, axis.left, tall))
        painter.setClipRect(area)
        paint_extent(painter, area, self._state)
        for row, top, tall in rows:
            box = QRectF(area.left(), top, area.width(), tall)
            self._paint_ground(painter, row, box)
            if row.kind == "audio":
                mine = isinstance(grip, AudioGrip) and grip.node == row.id
                self._waves.paint(painter, row.id, box, grip.shift if mine else 0.0)
            else:
                self._paint_keys(painter, row, box, hover)
        if self._state.document is not None and not self._state.rows:
            self._paint_invitation(painter, area)
        painter.setClipping(False)

    def paint_moving(self, painter: QPainter, size: QRectF, grip: Grip | None) -> None:
        """Values at the playhead, the playhead, and the band that chooses."""
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        if self._state.document is None:
            return
        for row, top, tall in self._seen(size.height()):
            if row.kind == "track":
                self._paint_value(painter, row, QRectF(0.0, top, axis.left, tall))
        painter.setClipRect(size.adjusted(axis.left, 0.0, 0.0, 0.0))
        x = axis.x(self._state.session.playback.time)
        paint_playhead(painter, x, 0.0, size.height(), tokens.color("accent"))
        if isinstance(grip, BandGrip) and grip.moved:
            paint_band(painter, grip.box, tokens.color("accent"))
        painter.setClipping(False)

    def _seen(self, height: float) -> list[tuple[Row, float, float]]:
        return [row for row in self._places.rows() if row[1] < height and row[1] + row[2] > 0.0]

    def _paint_invitation(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(self._state.session.theme.tokens.color("quiet"))
        painter.setFont(font(Metrics.body))
        words = _tr("Nothing is keyed yet. Click the diamond of a value, or press I.")
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_label(self, painter: QPainter, row: Row, box: QRectF) -> None:
        tokens = self._state.session.theme.tokens
        chosen = row.kind == "track" and row.id in self._state.tracks
        if chosen:
            painter.fillRect(box, tokens.color("raised"))
            painter.fillRect(QRectF(box.left(), box.top(), 2.0, box.height()),
                             tokens.color("accent"))  # fmt: skip
        indent = float(Metrics.space[2] if row.kind != "track" else Metrics.space[4] + 4)
        painter.setFont(font(Metrics.label, medium=row.kind in ("node", "summary", "audio")))
        metrics = QFontMetricsF(painter.font())
        room = box.adjusted(indent + 8.0, 0.0, -float(Metrics.space[1]), 0.0)
        if row.kind == "node":
            self._paint_fold(painter, box, indent, row.folded)
        painter.setPen(tokens.color("quiet" if row.kind == "track" and not chosen else "text"))
        words = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_fold(self, painter: QPainter, box: QRectF, indent: float, folded: bool) -> None:
        x, y = indent - 1.0, box.center().y()
        arrow = [QPointF(x - 3.0, y - 1.5), QPointF(x, y + 2.0), QPointF(x + 3.0, y - 1.5)]
        if folded:
            arrow = [QPointF(x - 1.5, y - 3.0), QPointF(x + 2.0, y), QPointF(x - 1.5, y + 3.0)]
        painter.setPen(QPen(self._state.session.theme.tokens.color("quiet"), 1.5))
        painter.drawPolyline(QPolygonF(arrow))

    def _paint_value(self, painter: QPainter, row: Row, box: QRectF) -> None:
        """The value of a track at the playhead, over the end of its label."""
        timeline, tokens = self._state.timeline, self._state.session.theme.tokens
        track = None if timeline is None else timeline.tracks.get(row.id)
        if track is None:
            return
        values = track.at(self._state.session.playback.time)
        if row.switch:
            words = _tr("on") if values[0] >= 0.5 else _tr("off")
        else:
            words = "  ".join(short(value) for value in values)
        painter.setFont(font(Metrics.label - 1, tabular=True))
        room = box.adjusted(0.0, 0.0, -float(Metrics.space[1]), -1.0)
        room.setLeft(room.right() - QFontMetricsF(painter.font()).horizontalAdvance(words))
        chosen = row.id in self._state.tracks
        ground = tokens.color("raised" if chosen else "panel")
        painter.fillRect(room.adjusted(-float(Metrics.space[1]), 0.0, 0.0, 0.0), ground)
        painter.setPen(tokens.color("quiet"))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_ground(self, painter: QPainter, row: Row, box: QRectF) -> None:
        tokens = self._state.session.theme.tokens
        line = tokens.color("line")
        line.setAlphaF(0.5)
        y = round(box.bottom()) - 0.5
        painter.setPen(QPen(line, 1.0))
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        if row.kind in ("summary", "node"):
            tint = tokens.color("ground")
            tint.setAlphaF(0.5)
            painter.fillRect(box, tint)

    def _paint_keys(
        self, painter: QPainter, row: Row, box: QRectF, hover: tuple[str, float] | None
    ) -> None:
        axis, tokens = self._state.axis, self._state.session.theme.tokens
        margin = 8.0 / axis.scale
        low = int(np.searchsorted(row.times, axis.start - margin))
        high = int(np.searchsorted(row.times, axis.end + margin))
        self._paint_holds(painter, row, box, low, high)
        if low == high:
            return
        times = row.times[low:high]
        xs = axis.left + (times - axis.start) * axis.scale
        marked = np.isin(times, self._state.chosen_times(row.paths))
        kinds = np.full(len(times), DIAMOND, np.int8)
        timeline = self._state.timeline
        if row.kind == "track" and timeline is not None:
            kinds = self._state.arrays(row.id).kinds[low:high]
        keep = thinned(xs, marked)
        ratio = painter.device().devicePixelRatioF()
        size = Metrics.key_mark
        edge = tokens.panel
        fills = {False: tokens.quiet if row.kind != "track" else tokens.text, True: tokens.accent}
        side = (size + 4) / 2.0
        y = box.center().y() - side
        for x, kind, is_marked, seconds in zip(
            xs[keep].tolist(), kinds[keep].tolist(), marked[keep].tolist(), times[keep].tolist(),
            strict=True,
        ):  # fmt: skip
            lit = hover is not None and hover == (row.id, seconds)
            border = tokens.text if lit else edge
            pixmap = key_pixmap(kind, fills[is_marked], border, ratio, size)
            painter.drawPixmap(QPointF(_crisp(x - side, ratio), _crisp(y, ratio)), pixmap)

    def _paint_holds(
        self, painter: QPainter, row: Row, box: QRectF, low: int, high: int
    ) -> None:  # fmt: skip
        """A line from the first key to the last, thick where nothing changes."""
        axis, tokens = self._state.axis, self._state.session.theme.tokens
        if len(row.times) < 2:
            return
        first = max(axis.x(float(row.times[0])), box.left())
        last = min(axis.x(float(row.times[-1])), box.right())
        y = round(box.center().y()) + 0.5
        if last > first:
            painter.setPen(QPen(tokens.color("line"), 1.0))
            painter.drawLine(QPointF(first, y), QPointF(last, y))
        timeline = self._state.timeline
        if row.kind != "track" or high - low > _MOST_HOLDS or timeline is None:
            return
        held = self._state.arrays(row.id).held
        pen = QPen(tokens.color("line"), 4.0)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        for number in range(max(low - 1, 0), min(high, len(held))):
            if held[number]:
                painter.drawLine(
                    QPointF(axis.x(float(row.times[number])), y),
                    QPointF(axis.x(float(row.times[number + 1])), y),
                )


def paint_extent(painter: QPainter, area: QRectF, state: TimelineState) -> None:
    """Lines of the ruler's labels; darker outside the timeline; the range of an export."""
    tokens, axis = state.session.theme.tokens, state.axis
    first, last = max(axis.x(0.0), area.left()), min(axis.x(axis.duration), area.right())
    outside = tokens.color("ground")
    if first > area.left():
        painter.fillRect(QRectF(area.left(), 0, first - area.left(), area.height()), outside)
    if last < area.right():
        painter.fillRect(QRectF(last, 0, area.right() - last, area.height()), outside)
    line = tokens.color("line")
    line.setAlphaF(0.4)
    painter.setPen(QPen(line, 1.0))
    for tick in ticks(axis):
        if tick.text:
            x = round(axis.x(tick.time)) + 0.5
            painter.drawLine(QPointF(x, 0.0), QPointF(x, area.height()))
    chosen = state.session.playback.range
    if chosen is not None:
        band = tokens.color("accent")
        band.setAlphaF(0.06)
        low, high = axis.x(chosen[0]), axis.x(chosen[1])
        painter.fillRect(QRectF(low, 0, high - low, area.height()), band)


def paint_band(painter: QPainter, box: QRectF, color: QColor) -> None:
    """A rectangle that chooses."""
    painter.setPen(QPen(color, 1.0))
    fill = QColor(color)
    fill.setAlphaF(0.12)
    painter.setBrush(fill)
    painter.drawRect(box)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_focus(painter: QPainter, box: QRectF, color: QColor) -> None:
    """The ring of what has the keyboard."""
    painter.setPen(QPen(color, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


def _crisp(value: float, ratio: float) -> float:
    """A coordinate on whole device pixels."""
    return round(value * ratio) / ratio


def short(value: float) -> str:
    """A number as labels show it."""
    text = f"{value:.2f}" if abs(value) < 1000.0 else f"{value:.4g}"
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return "0" if text in ("-0", "") else text.replace("-", "\N{MINUS SIGN}")


def _tr(text: str) -> str:
    return QCoreApplication.translate("timeline", text)
