"""Paints the list of channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from polyorama.scene.faces.channels import CHANNEL_INDEX, HEAD, REGIONS
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.face.scripts import owner_of
from polyorama_studio.workspaces.face.tints import (
    channel_title,
    region_color,
    region_title,
    source_title,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama_studio.workspaces.face.channels import ChannelList
    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["TURN", "ChannelPainter", "Row"]

TURN = 0.8
"""Rotations of the head are shown from minus to plus so much, rad."""
_CENTER = Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list: the head of a region, or with `channel` one of its channels."""

    region: str
    channel: str
    top: float
    high: float


class ChannelPainter:
    """Paints rows of a list: heads of regions, and channels with their bars."""

    def __init__(self, view: ChannelList, desk: Desk) -> None:
        self._view, self._desk = view, desk

    def paint(self, painter: QPainter, seen: QRectF) -> None:
        """The rows that are in sight."""
        weights = self._desk.weights(self._desk.time)
        keyed = {keys.channel for keys in self._desk.script.keys}
        for row in self._view.rows():
            if row.top > seen.bottom() or row.top + row.high < seen.top():
                continue
            if row.channel:
                value = 0.0 if weights is None else float(weights[CHANNEL_INDEX[row.channel]])
                self._paint_channel(painter, row, value, row.channel in keyed)
            else:
                self._paint_region(painter, row, keyed)

    def _paint_ground(self, painter: QPainter, row: Row, name: str) -> None:
        tokens = self._desk.session.theme.tokens
        box = QRectF(
            Metrics.space[0], row.top, self._view.width() - 2.0 * Metrics.space[0], row.high
        )
        hovered = self._view.hovered is not None and self._view.hovered.top == row.top
        if hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("raised"))
            painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        if self._view.hasFocus() and name == self._view.current:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(tokens.color("accent"))
            painter.drawRoundedRect(
                box.adjusted(0.5, 0.5, -0.5, -0.5), Metrics.corner, Metrics.corner
            )

    def _paint_region(self, painter: QPainter, row: Row, keyed: set[str]) -> None:
        tokens, desk = self._desk.session.theme.tokens, self._desk
        self._paint_ground(painter, row, row.region)
        side = float(Metrics.fold)
        fold = QRectF(Metrics.space[0] + 3.0, row.top + (row.high - side) / 2.0, side, side)
        name = (
            "chevron-right"
            if row.region in self._view.folded and not self._view.words
            else "chevron-down"
        )
        paint_icon(painter, name, tokens.color("quiet"), fold)
        alone = not desk.solo or row.region in desk.solo
        painter.setFont(font(Metrics.body, medium=True))
        painter.setPen(tokens.color("text" if alone else "quiet"))
        left = fold.right() + Metrics.space[0] + Metrics.hair
        words = QRectF(left, row.top, Metrics.face_name, row.high)
        painter.drawText(words, _CENTER, region_title(row.region))
        wide = painter.fontMetrics().horizontalAdvance(region_title(row.region))
        if row.region in self._view.conflicts:
            side = float(Metrics.small_icon)
            mark = QRectF(left + wide + 8.0, row.top + (row.high - side) / 2.0, side, side)
            paint_icon(painter, "warning", tokens.color("warn"), mark)
        self._paint_solo(painter, row)
        own = owner_of(desk.script, row.region)
        manual = bool(keyed & set(REGIONS[row.region]))
        box = self._view.owner_box(row)
        painter.setPen(QPen(tokens.color("line"), 1.0))
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), Metrics.corner, Metrics.corner)
        title = source_title(own or desk.script.source)
        if manual:
            title += " +"
        painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("text" if own else "quiet"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, title)

    def _paint_solo(self, painter: QPainter, row: Row) -> None:
        tokens = self._desk.session.theme.tokens
        on = row.region in self._desk.solo
        hovered = self._view.hovered is not None and self._view.hovered.top == row.top
        if not (on or hovered or self._view.hasFocus()):
            return
        box = self._view.solo_box(row)
        side = float(Metrics.small_icon)
        place = QRectF(0.0, 0.0, side, side)
        place.moveCenter(box.center())
        paint_icon(painter, "solo", tokens.color("accent" if on else "quiet"), place)

    def _paint_channel(self, painter: QPainter, row: Row, value: float, keyed: bool) -> None:
        tokens, desk = self._desk.session.theme.tokens, self._desk
        self._paint_ground(painter, row, row.channel)
        chosen = row.channel in desk.chosen
        color = region_color(tokens, row.region)
        left = float(Metrics.space[2])
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            mark = QRectF(left - 1.0, row.top + 4.0, 2.5, row.high - 8.0)
            painter.drawRoundedRect(mark, 1.0, 1.0)
        painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("text" if chosen else "quiet"))
        words = QRectF(left + 8.0, row.top, Metrics.face_name - 10.0, row.high)
        title = painter.fontMetrics().elidedText(
            channel_title(row.channel), Qt.TextElideMode.ElideRight, int(words.width())
        )
        painter.drawText(words, _CENTER, title)
        bar = self._view.bar(row)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(bar, 2.0, 2.0)
        faint = desk.solo and row.region not in desk.solo
        color.setAlphaF(0.3 if faint else 0.95)
        painter.setBrush(color)
        turn = row.channel in HEAD
        zero = bar.center().x() if turn else bar.left()
        span = bar.width() * (value / TURN / 2.0 if turn else value)
        here = min(max(zero + span, bar.left()), bar.right())
        filled = QRectF(QPointF(min(zero, here), bar.top()), QPointF(max(zero, here), bar.bottom()))
        if filled.width() > 0.3:
            painter.drawRoundedRect(filled, 2.0, 2.0)
        if keyed:
            self._paint_diamond(painter, QPointF(bar.right() + 7.0, row.top + row.high / 2.0))
        if row.channel in self._view.conflicts:
            side = float(Metrics.fold)
            mark = QRectF(bar.left() - side - 3.0, row.top + (row.high - side) / 2.0, side, side)
            paint_icon(painter, "warning", tokens.color("warn"), mark)
        painter.setFont(font(Metrics.small, tabular=True))
        painter.setPen(tokens.color("quiet" if abs(value) < 0.005 else "text"))
        number = QRectF(0.0, row.top, self._view.width() - Metrics.space[1] - 2.0, row.high)
        painter.drawText(number, _CENTER | Qt.AlignmentFlag.AlignRight, f"{value:.2f}")

    def _paint_diamond(self, painter: QPainter, at: QPointF) -> None:
        painter.save()
        painter.translate(at)
        painter.rotate(45.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._desk.session.theme.tokens.color("accent"))
        painter.drawRect(QRectF(-2.6, -2.6, 5.2, 5.2))
        painter.restore()
