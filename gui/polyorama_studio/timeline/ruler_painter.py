"""Paints the ruler: ticks, cues, the range of an export, the playhead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.axis import ticks

if TYPE_CHECKING:
    from polyorama.scene.timeline import Cue
    from polyorama_studio.timeline.axis import TimeAxis
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["RulerPainter", "flag_of", "paint_playhead"]

_FLAG = 13.0
_WIDEST = 140.0


def paint_playhead(painter: QPainter, x: float, top: float, bottom: float, color: QColor) -> None:
    """The line of the playhead, on whole device pixels."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(color, 1.0))
    painter.drawLine(QPointF(round(x), top), QPointF(round(x), bottom))
    painter.restore()


def flag_of(cue: Cue, axis: TimeAxis) -> QRectF:
    """Where a cue's flag lies."""
    words = QFontMetricsF(font(Metrics.label - 1)).horizontalAdvance(cue.name)
    return QRectF(axis.x(cue.time), 1.0, min(words, _WIDEST) + 10.0, _FLAG)


class RulerPainter:
    """Paints a ruler, or the compact strip, which shows keys, too."""

    def __init__(self, state: TimelineState, axis: TimeAxis, *, compact: bool) -> None:
        self._state, self._axis = state, axis
        self._compact = compact

    def paint(self, painter: QPainter, size: QRectF, cues: tuple[Cue, ...], lit: str) -> None:
        """What stays while time goes; the cue named `lit` is under the pointer."""
        tokens = self._state.session.theme.tokens
        area = size.adjusted(self._axis.left, 0.0, 0.0, 0.0)
        painter.setClipRect(area)
        if self._compact:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("ground"))
            painter.drawRoundedRect(area, Metrics.corner, Metrics.corner)
        else:
            painter.fillRect(area, tokens.color("ground"))
        if self._state.document is None:
            return
        self._paint_extent(painter, area)
        self._paint_ticks(painter, area)
        if self._compact:
            self._paint_keys(painter, area.height())
        self._paint_cues(painter, area.height(), cues, lit)

    def paint_moving(self, painter: QPainter, size: QRectF) -> None:
        """The playhead."""
        if self._state.document is not None:
            painter.setClipRect(size.adjusted(self._axis.left, 0.0, 0.0, 0.0))
            self._paint_head(painter, size.height())

    def _paint_extent(self, painter: QPainter, area: QRectF) -> None:
        """What lies outside the timeline is dimmed; the range of an export lies in the accent."""
        tokens, axis = self._state.session.theme.tokens, self._axis
        outside = tokens.color("stage")
        outside.setAlphaF(0.55)
        first, last = axis.x(0.0), axis.x(axis.duration)
        if first > area.left():
            painter.fillRect(QRectF(area.left(), 0, first - area.left(), area.height()), outside)
        if last < area.right():
            painter.fillRect(QRectF(last, 0, area.right() - last, area.height()), outside)
        chosen = self._state.session.playback.range
        if chosen is not None:
            band = tokens.color("accent")
            band.setAlphaF(0.16)
            low, high = axis.x(chosen[0]), axis.x(chosen[1])
            painter.fillRect(QRectF(low, 0, high - low, area.height()), band)
            painter.setPen(QPen(tokens.color("accent"), 1.0))
            for x, way in ((low, 1.0), (high, -1.0)):
                painter.drawLine(QPointF(x, 0.5), QPointF(x, area.height()))
                painter.drawLine(QPointF(x, 0.5), QPointF(x + 4.0 * way, 0.5))
                painter.drawLine(
                    QPointF(x, area.height() - 0.5), QPointF(x + 4.0 * way, area.height() - 0.5)
                )

    def _paint_ticks(self, painter: QPainter, area: QRectF) -> None:
        tokens, axis = self._state.session.theme.tokens, self._axis
        painter.setFont(font(Metrics.label - 1, tabular=True))
        base = area.height() - 1.0
        metrics = QFontMetricsF(painter.font())
        for tick in ticks(axis):
            x = round(axis.x(tick.time)) + 0.5
            inside = tick.time <= axis.duration + 1e-9
            long = 7.0 if tick.text else 3.0
            painter.setPen(tokens.color("quiet" if tick.text and inside else "line"))
            painter.drawLine(QPointF(x, base - long), QPointF(x, base))
            if tick.text:
                painter.setPen(tokens.color("text" if tick.whole and inside else "quiet"))
                wide = metrics.horizontalAdvance(tick.text) + 4.0
                # The last label stands before its mark where there is no room behind it.
                words = x + 4.0 if x + wide < area.right() else x - wide
                painter.drawText(QPointF(words, base - 3.0), tick.text)

    def _paint_keys(self, painter: QPainter, height: float) -> None:
        """Where keys lie, as short ticks at the top."""
        times = self._state.key_times()
        xs = np.unique(np.round(self._axis.left + (times - self._axis.start) * self._axis.scale))
        painter.setPen(QPen(self._state.session.theme.tokens.color("accent"), 2.0))
        for x in xs.tolist():
            painter.drawLine(QPointF(x, 3.0), QPointF(x, 7.0))

    def _paint_cues(
        self, painter: QPainter, height: float, cues: tuple[Cue, ...], lit: str
    ) -> None:
        tokens = self._state.session.theme.tokens
        painter.setFont(font(Metrics.label - 1))
        metrics = QFontMetricsF(painter.font())
        for cue in cues:
            flag = flag_of(cue, self._axis)
            color = tokens.color("series4")
            painter.setPen(QPen(color, 1.0))
            painter.drawLine(flag.topLeft(), QPointF(flag.left(), height))
            shape = QPolygonF(
                [
                    flag.topLeft(), flag.topRight(),
                    QPointF(flag.right() - 4.0, flag.center().y()), flag.bottomRight(),
                    flag.bottomLeft(),
                ]
            )  # fmt: skip
            painter.setBrush(tokens.color("raised" if lit == cue.name else "panel"))
            painter.drawPolygon(shape)
            painter.setPen(tokens.color("text"))
            room = flag.adjusted(4.0, 0.0, -5.0, 0.0)
            words = metrics.elidedText(cue.name, Qt.TextElideMode.ElideRight, room.width() + 1.0)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_head(self, painter: QPainter, height: float) -> None:
        color = self._state.session.theme.tokens.color("accent")
        x = round(self._axis.x(self._state.session.playback.time))
        paint_playhead(painter, x, 0.0, height, color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(x - 5.0, 0.0), QPointF(x + 6.0, 0.0), QPointF(x + 6.0, 5.0),
                    QPointF(x + 0.5, 10.5), QPointF(x - 5.0, 5.0),
                ]
            )
        )  # fmt: skip
