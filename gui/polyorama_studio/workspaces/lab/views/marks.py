"""Small things painted over pictures: a card with figures, stairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama_studio.workspaces.lab.views.look import Look

__all__ = ["Figure", "paint_figures", "paint_note", "stair"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of a card: a value, what it is, and the colour of the line it belongs to."""

    value: str
    title: str = ""
    color: QColor | None = None


def paint_figures(
    painter: QPainter, look: Look, room: QRectF, at: QPointF, figures: Sequence[Figure]
) -> None:
    """A card with figures beside a position, kept inside `room`."""
    if not figures:
        return
    painter.setFont(look.numbers)
    metrics = QFontMetricsF(look.numbers)
    gap, dot = 0.75 * look.gap, 0.5 * metrics.ascent()
    dotted = any(figure.color is not None for figure in figures)
    values = max(metrics.horizontalAdvance(figure.value) for figure in figures)
    titles = max(metrics.horizontalAdvance(figure.title) for figure in figures)
    indent = dot + gap if dotted else 0.0
    wide = 2.0 * gap + indent + values + (gap + titles if titles else 0.0)
    high = metrics.height() * len(figures) + 1.2 * gap
    left = at.x() + 1.5 * gap
    if left + wide > room.right():
        left = at.x() - 1.5 * gap - wide
    left = max(left, room.left() + 1.0)
    top = min(max(at.y() - 0.5 * high, room.top() + 2.0), max(room.bottom() - high - 2.0, 0.0))
    card = QRectF(round(left) + 0.5, round(top) + 0.5, round(wide), round(high))
    painter.setPen(QPen(look.tokens.color("line"), 1.0))
    painter.setBrush(look.faded("raised", 0.94))
    painter.drawRoundedRect(card, Metrics.corner, Metrics.corner)
    for number, figure in enumerate(figures):
        base = card.top() + 0.6 * gap + number * metrics.height() + metrics.ascent()
        x = card.left() + gap
        if figure.color is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(figure.color)
            middle = QPointF(x + 0.5 * dot, base - 0.36 * metrics.ascent())
            painter.drawEllipse(middle, 0.42 * dot, 0.42 * dot)
        x += indent + values - metrics.horizontalAdvance(figure.value)
        painter.setPen(look.tokens.color("text"))
        painter.drawText(QPointF(x, base), figure.value)
        x = card.left() + gap + indent + values + gap
        painter.setPen(look.tokens.color("quiet"))
        painter.drawText(QPointF(x, base), figure.title)


def paint_note(painter: QPainter, look: Look, box: QRectF, words: str) -> None:
    """A few quiet words in the corner of a plot, such as what of it is not drawn."""
    metrics = QFontMetricsF(look.numbers)
    wide = metrics.horizontalAdvance(words)
    at = QPointF(box.right() - wide - 4.0, box.bottom() - 4.0)
    plate = QRectF(at.x() - 3.0, at.y() - metrics.ascent(), wide + 6.0, metrics.height())
    painter.setPen(Qt.PenStyle.NoPen)
    ground = look.ground
    ground.setAlphaF(0.8)
    painter.setBrush(ground)
    painter.drawRoundedRect(plate, Metrics.corner, Metrics.corner)
    painter.setFont(look.numbers)
    painter.setPen(look.tokens.color("quiet"))
    painter.drawText(at, words)


def stair(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same line going level to the next abscissa, then upright."""
    if len(x) < 2:
        return x, y
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
