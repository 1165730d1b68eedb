"""The wipe: left of a divider the scene before its edits, right of it the scene after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.readout import halo_pens, paint_tag

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama_studio.stage import Stage
    from polyorama_studio.viewport.canvas import Canvas

__all__ = ["Wipe"]

_GRAB = 8.0


class Wipe:
    """Paints another stage's picture over the left part of a pane; its divider can be dragged.

    Parameters
    ----------
    pane
        Shows both.
    """

    def __init__(self, pane: Canvas) -> None:
        self._pane = pane
        self._stage: Stage | None = None
        self.share = 0.5
        self.hot = False
        self.held = False

    def set_stage(self, stage: Stage | None) -> None:
        """Show another stage's pictures at the left, or with None no wipe."""
        self._stage = stage
        self.hot = self.held = False
        if stage is not None:
            stage.picture_ready.connect(self._pane.on_picture)
        self._pane.update()

    @property
    def x(self) -> float:
        """Where the divider is, logical pixels."""
        return self.share * self._pane.width()

    def hover(self, at: QPointF) -> None:
        """Light up the divider."""
        hot = self._stage is not None and abs(at.x() - self.x) < _GRAB
        if hot != self.hot:
            self.hot = hot
            self._pane.update()

    def press(self, at: QPointF) -> bool:
        """Take hold of the divider; tells whether it is there."""
        self.hover(at)
        self.held = self.hot
        return self.held

    def drag(self, at: QPointF) -> None:
        """Move the divider."""
        self.share = min(max(at.x() / max(1, self._pane.width()), 0.02), 0.98)
        self._pane.update()

    def paint_picture(self, painter: QPainter) -> None:
        """The picture of before, left of the divider."""
        picture = None if self._stage is None else self._stage.picture
        if picture is None or picture.image is None:
            return
        area = QRectF(self._pane.rect())
        painter.save()
        painter.setClipRect(QRectF(0.0, 0.0, self.x, area.height()))
        painter.setRenderHint(painter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(area, picture.image)
        painter.restore()

    def paint(self, painter: QPainter) -> None:
        """The divider with its handle, and what is on its sides."""
        if self._stage is None:
            return
        pane, tokens = self._pane, self._pane.session.theme.tokens
        color = tokens.color("accent" if self.hot or self.held else "overlay")
        height = float(pane.height())
        for pen in halo_pens(pane, color, 1.5):
            painter.setPen(pen)
            painter.drawLine(QPointF(self.x, 0.0), QPointF(self.x, height))
        middle, radius = QPointF(self.x, height / 2.0), 13.0
        # Its arrows are of the colour that reads on its ground; the line's own is for pictures.
        sign_color = tokens.color("accent" if self.hot or self.held else "text")
        painter.setBrush(tokens.color("panel"))
        for pen in halo_pens(pane, sign_color, 1.5):
            painter.setPen(pen)
            painter.drawEllipse(middle, radius, radius)
        pen = QPen(sign_color, 1.5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        for sign in (-1.0, 1.0):
            tip = middle + QPointF(sign * 7.0, 0.0)
            back = QPointF(-sign * 3.5, 0.0)
            painter.drawPolyline(
                [tip + back + QPointF(0.0, -3.5), tip, tip + back + QPointF(0.0, 3.5)]
            )
        bottom = height - Metrics.space[4]
        gap = float(Metrics.space[2])
        paint_tag(pane, painter, QPointF(self.x - gap, bottom), pane.tr("Before"), align=-1)
        paint_tag(pane, painter, QPointF(self.x + gap, bottom), pane.tr("After"), align=1)
