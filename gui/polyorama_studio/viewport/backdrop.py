"""The empty stage: a light from above and the pool that it makes on the floor."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QRadialGradient

from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.theme import Tokens

__all__ = ["paint_empty_stage"]

_FALL_OFF = np.linspace(0.0, 1.0, 17)


def paint_empty_stage(painter: QPainter, rect: QRectF, tokens: Tokens) -> None:
    """Fill `rect` with the stage's colour, lit."""
    painter.fillRect(rect, tokens.color("stage"))
    glow = tokens.color("glow")
    middle, width, height = rect.center(), rect.width(), rect.height()
    _light(painter, QPointF(middle.x(), 0.34 * height), 0.42 * width, 0.62 * height, glow)
    _light(painter, QPointF(middle.x(), 0.90 * height), 0.40 * width, 0.10 * height, glow)
    painter.fillRect(rect, QBrush(_grain()))


def _light(painter: QPainter, at: QPointF, reach_x: float, reach_y: float, glow: QColor) -> None:
    """A soft ellipse of light, which falls off like a Gaussian."""
    gradient = QRadialGradient(QPointF(0.0, 0.0), 1.0)
    for share in _FALL_OFF:
        color = QColor(glow)
        color.setAlphaF(glow.alphaF() * float(np.exp(-4.5 * share**2) * (1.0 - share**4)))
        gradient.setColorAt(float(share), color)
    painter.save()
    painter.translate(at)
    painter.scale(reach_x, reach_y)
    painter.fillRect(QRectF(-1.0, -1.0, 2.0, 2.0), gradient)
    painter.restore()


@cache
def _grain() -> QImage:
    """A tile of very faint noise: without it, eight bits show the light as rings."""
    side = Metrics.grain
    alpha = np.random.default_rng(1).integers(0, 4, (side, side)).astype(np.uint8)
    pixels = np.zeros((side, side, 4), np.uint8)
    pixels[..., 3] = alpha
    # Premultiplied: half of the grains are white, half black.
    white = np.random.default_rng(2).random((side, side)) < 0.5
    pixels[white, :3] = alpha[white, None]
    wrapped = QImage(pixels.data, side, side, 4 * side, QImage.Format.Format_RGBA8888_Premultiplied)
    return wrapped.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
