"""What is written on a pane: its name, and the camera that is looked through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPen

from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.readout import paint_tag
from polyorama_studio.words import shortened

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama_studio.viewport.canvas import Canvas

__all__ = ["paint_camera_frame", "paint_title"]


def paint_title(pane: Canvas, painter: QPainter) -> None:
    """The pane's name at the lower left."""
    at = QPointF(Metrics.space[2], pane.height() - Metrics.space[3])
    paint_tag(pane, painter, at, pane.title, align=1)


def paint_camera_frame(pane: Canvas, painter: QPainter) -> None:
    """An edge round the picture, and the camera's name at the bottom."""
    document = pane.stage.shown
    if document is None:
        return
    tokens = pane.session.theme.tokens
    locked = pane.toolbox.camera_lock.locked
    color = tokens.color("accent" if locked else "overlay")
    painter.setBrush(Qt.BrushStyle.NoBrush)
    edge = QRectF(pane.rect()).adjusted(1.0, 1.0, -1.0, -1.0)
    painter.setPen(QPen(tokens.color("halo"), 4.0))
    painter.drawRect(edge)
    painter.setPen(QPen(color, 2.0))
    painter.drawRect(edge)
    metrics = QFontMetrics(font(Metrics.label, medium=True))
    name = shortened(document.node(pane.stage.through).name, metrics, Metrics.name_words)
    words = pane.tr("{0}, moved with the view").format(name) if locked else name
    at = QPointF(pane.width() / 2.0, pane.height() - Metrics.space[3])
    paint_tag(pane, painter, at, words, align=0, hot=locked)
