"""Small cards with a few words or figures, painted over the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPen

from polyorama_studio.preferences import UNITS
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama_studio.viewport.canvas import Canvas

__all__ = ["halo_pens", "paint_label", "paint_readout", "paint_tag", "with_unit"]


def with_unit(pane: Canvas, text: str) -> str:
    """A length with the name of the scene's unit, where it has one."""
    unit = pane.session.preferences.unit
    return text if unit == UNITS[0] else f"{text} {unit}"


def paint_readout(pane: Canvas, painter: QPainter, at: QPointF, *lines: str) -> None:
    """A card with one line below the other beside a position, kept inside the pane."""
    words = [line for line in lines if line]
    if not words:
        return
    tokens = pane.session.theme.tokens
    chosen = font(Metrics.label, tabular=True)
    metrics = QFontMetricsF(chosen)
    pad = Metrics.space[1]
    width = max(metrics.horizontalAdvance(line) for line in words) + 2.0 * pad
    height = metrics.height() * len(words) + 1.2 * pad
    left = min(max(at.x() + Metrics.space[3], pad), pane.width() - width - pad)
    top = min(max(at.y() + Metrics.space[3], pad), pane.height() - height - pad)
    card = QRectF(round(left) + 0.5, round(top) + 0.5, round(width), round(height))
    ground = tokens.color("panel")
    ground.setAlphaF(0.92)
    painter.setPen(QPen(tokens.color("line"), 1.0))
    painter.setBrush(ground)
    painter.drawRoundedRect(card, Metrics.corner, Metrics.corner)
    painter.setFont(chosen)
    for number, line in enumerate(words):
        painter.setPen(tokens.color("text" if number == 0 else "quiet"))
        band = QRectF(
            card.left() + pad, card.top() + 0.6 * pad + number * metrics.height(),
            card.width(), metrics.height(),
        )  # fmt: skip
        painter.drawText(band, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line)


def halo_pens(
    pane: Canvas, color: QColor, width: float = 1.25, style: Qt.PenStyle = Qt.PenStyle.SolidLine
) -> tuple[QPen, QPen]:
    """A soft dark pen and the pen proper: lines drawn with one, then the other, read anywhere."""
    round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    halo = QPen(
        pane.session.theme.tokens.color("halo"), width + 2.0, Qt.PenStyle.SolidLine, round_cap,
        round_join,
    )  # fmt: skip
    return halo, QPen(color, width, style, round_cap, round_join)


def paint_label(
    pane: Canvas, painter: QPainter, at: QPointF, text: str, *, hot: bool = False
) -> None:
    """A name above a position, on a quiet plate so that it reads on any picture.

    The one that is hot has an edge in the accent's colour.
    """
    metrics = QFontMetricsF(font(Metrics.label, medium=True))
    lift = Metrics.space[1] + (metrics.height() + Metrics.space[1]) / 2.0
    paint_tag(pane, painter, at - QPointF(0.0, lift), text, align=0, edged=hot)


def paint_tag(
    pane: Canvas,
    painter: QPainter,
    at: QPointF,
    text: str,
    *,
    align: int,
    hot: bool = False,
    edged: bool = False,
) -> None:
    """A word on a small rounded ground.

    Parameters
    ----------
    pane, painter
        Where it is painted.
    at
        Middle of its left edge (`align` 1), of itself (0) or of its right edge (-1).
    text
        One word or a few.
    align
        See `at`.
    hot
        In the accent's colour.
    edged
        With a line of the accent's colour round it.
    """
    tokens = pane.session.theme.tokens
    chosen = font(Metrics.label, medium=True)
    metrics = QFontMetricsF(chosen)
    pad = float(Metrics.space[1])
    width, height = metrics.horizontalAdvance(text) + 2.0 * pad, metrics.height() + pad
    left = at.x() - {1: 0.0, 0: width / 2.0, -1: width}[align]
    card = QRectF(
        round(left) + 0.5, round(at.y() - height / 2.0) + 0.5, round(width), round(height)
    )
    ground = tokens.color("panel")
    ground.setAlphaF(0.86)
    painter.setPen(QPen(tokens.color("accent"), 1.0) if edged else QPen(Qt.PenStyle.NoPen))
    painter.setBrush(ground)
    painter.drawRoundedRect(card, Metrics.corner, Metrics.corner)
    painter.setFont(chosen)
    painter.setPen(tokens.color("accent" if hot else "text"))
    painter.drawText(card, Qt.AlignmentFlag.AlignCenter, text)
