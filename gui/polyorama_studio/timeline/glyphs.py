"""Marks of keys, one shape for each interpolation, drawn once for each colour and scale."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

__all__ = ["DIAMOND", "dashes", "key_pixmap", "series_token"]

DIAMOND = 1
"""The kind drawn for keys of several tracks."""
_CONSTANT, _LINEAR, _BEZIER, _SMOOTH = range(4)
SERIES = 6
_DASHES = ((), (6.0, 3.0), (1.5, 2.5), (8.0, 3.0, 1.5, 3.0))


def _shape(kind: int, size: float) -> QPainterPath:
    half = size / 2.0
    path = QPainterPath()
    if kind == _CONSTANT:
        side = 0.78 * size
        path.addRect(QRectF(-side / 2, -side / 2, side, side))
    elif kind == _SMOOTH:
        path.addEllipse(QPointF(0.0, 0.0), 0.46 * size, 0.46 * size)
    elif kind == _BEZIER:
        path.moveTo(-half, -half)
        path.lineTo(half, -half)
        path.cubicTo(0.05 * size, -0.12 * size, 0.05 * size, 0.12 * size, half, half)
        path.lineTo(-half, half)
        path.cubicTo(-0.05 * size, 0.12 * size, -0.05 * size, -0.12 * size, -half, -half)
    else:
        reach = 0.56 * size
        path.moveTo(0.0, -reach)
        path.lineTo(reach, 0.0)
        path.lineTo(0.0, reach)
        path.lineTo(-reach, 0.0)
    path.closeSubpath()
    return path


@lru_cache(maxsize=256)
def key_pixmap(kind: int, fill: str, edge: str, ratio: float, size: int) -> QPixmap:
    """The mark of a key.

    Parameters
    ----------
    kind
        Place in `INTERPOLATIONS`.
    fill, edge
        Colours, #RRGGBB.
    ratio
        Device pixels in a logical one.
    size
        Of the mark, logical pixels; the pixmap is four larger.
    """
    side = size + 4
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(side / 2.0, side / 2.0)
    painter.setPen(QPen(QColor(edge), 1.0))
    painter.setBrush(QColor(fill))
    painter.drawPath(_shape(kind, float(size)))
    painter.end()
    return pixmap


def series_token(number: int) -> str:
    """Name of the token of a curve."""
    return f"series{number % SERIES + 1}"


def dashes(number: int) -> tuple[float, ...]:
    """Dash pattern of a curve in pen widths, () for a solid line: with the colour it tells it."""
    return _DASHES[number % len(_DASHES)]
