"""Pointers: crosses with a badge that says what becomes of the selection."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QCursor, QPainter, QPen, QPixmap

from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.viewport.pane import Pane

__all__ = ["selection_cursor"]


def selection_cursor(pane: Pane, mode: str) -> QCursor:
    """A cross; beside it nothing, a plus, a minus or two overlapping circles."""
    tokens = pane.session.theme.tokens
    return _cursor(
        mode, tokens.overlay, tokens.stage if tokens.name == "dark" else tokens.text,
        tokens.accent, tokens.on_accent, pane.devicePixelRatioF(),
    )  # fmt: skip


@lru_cache(maxsize=32)
def _cursor(mode: str, line: str, edge: str, accent: str, on_accent: str, ratio: float) -> QCursor:
    side = Metrics.cursor
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = side / 2.0 - 0.5
    arms = [
        QLineF(middle - 8.0, middle, middle - 2.5, middle),
        QLineF(middle + 2.5, middle, middle + 8.0, middle),
        QLineF(middle, middle - 8.0, middle, middle - 2.5),
        QLineF(middle, middle + 2.5, middle, middle + 8.0),
    ]
    for color, width in ((edge, 3.0), (line, 1.25)):
        painter.setPen(QPen(QColor(color), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLines(arms)
    if mode != "set":
        _badge(painter, QPointF(middle + 8.5, middle + 8.5), mode, accent, on_accent)
    painter.end()
    return QCursor(pixmap, round(middle), round(middle))


def _badge(painter: QPainter, at: QPointF, mode: str, accent: str, on_accent: str) -> None:
    painter.setPen(QPen(QColor(on_accent), 1.0))
    painter.setBrush(QColor(accent))
    painter.drawEllipse(at, 6.5, 6.5)
    painter.setPen(QPen(QColor(on_accent), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    across = QLineF(at.x() - 3.0, at.y(), at.x() + 3.0, at.y())
    if mode == "intersect":
        painter.drawEllipse(at - QPointF(1.5, 0.0), 2.6, 2.6)
        painter.drawEllipse(at + QPointF(1.5, 0.0), 2.6, 2.6)
        return
    painter.drawLine(across)
    if mode == "add":
        painter.drawLine(QLineF(at.x(), at.y() - 3.0, at.x(), at.y() + 3.0))
