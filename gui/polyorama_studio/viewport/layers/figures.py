"""Frames a second and the number of splats, in a corner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QPainterPath, QPen

from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.layers.layer import Layer

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama_studio.viewport.pane import Pane

__all__ = ["FiguresLayer"]


class FiguresLayer(Layer):
    """Tells how the picture is drawn."""

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """Three short lines at the lower left."""
        picture = pane.stage.picture
        if picture is None:
            return
        count = pane.stage.splat_count
        drawn = count if picture.request.limit is None else min(count, picture.request.limit)
        rate = pane.stage.fps if pane.stage.moving else 0.0
        lines = [
            self.tr("{0} FPS").format(f"{rate:.0f}") if rate else self.tr("Still"),
            self.tr("{0} ms").format(f"{picture.milliseconds:.0f}"),
            self.tr("{0} splats").format(f"{drawn:,}"),
        ]
        tokens = self.session.theme.tokens
        chosen = font(Metrics.label, tabular=True)
        metrics = QFontMetricsF(chosen)
        bottom = pane.height() - Metrics.space[2] - metrics.descent()
        for number, line in enumerate(reversed(lines)):
            path = QPainterPath()
            at = QPointF(Metrics.space[2], bottom - number * metrics.height())
            path.addText(at, chosen, line)
            painter.strokePath(path, QPen(tokens.color("halo"), 3.0, j=Qt.PenJoinStyle.RoundJoin))
            painter.fillPath(path, tokens.color("overlay"))
