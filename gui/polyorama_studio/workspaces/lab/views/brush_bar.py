"""What a canvas is painted with: value, size, and the way back, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip
from polyorama_studio.workspaces.lab.views.brush import SIZES
from polyorama_studio.workspaces.lab.views.scales import said

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from polyorama_studio.workspaces.lab.views.brush import Brush
    from polyorama_studio.workspaces.lab.views.look import Look

__all__ = ["BrushBar"]


@guards
class BrushBar(QWidget):
    """Chooses what the brush paints and how large it is.

    Parameters
    ----------
    brush
        What is set.
    look
        Colours and sizes.
    color_at
        The colour that a value of the canvas is drawn in.
    """

    undo_asked = Signal()

    def __init__(
        self, brush: Brush, look: Look, color_at: Callable[[float], QColor], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._brush, self.look, self._color_at = brush, look, color_at
        self._sliding = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Brush"))
        self.setToolTip(
            tip(
                self.tr(
                    "Paint with the left button, take away with the right one; the wheel makes "
                    "the brush larger or smaller. Drop a picture to paint all of it."
                )
            )
        )

    def sizeHint(self) -> QSize:
        """One control high."""
        return QSize(
            Metrics.cards, Metrics.stage_control if self.look.stage else Metrics.dock_button
        )

    # Where things are

    @property
    def _side(self) -> float:
        return float(self.height())

    def _kinds(self) -> list[tuple[float, str]]:
        """Values with names, where the canvas has such."""
        canvas = self._brush.canvas
        if not canvas.whole or not canvas.labels:
            return []
        return [(canvas.low + k, label) for k, label in enumerate(canvas.labels)]

    def chips(self) -> list[tuple[QRectF, float, str]]:
        """Places of the kinds that can be painted, with their values and names."""
        metrics, gap = QFontMetricsF(self.look.label), self.look.gap
        found, x = [], 0.0
        for value, name in self._kinds():
            wide = 0.6 * self._side + metrics.horizontalAdvance(name) + 1.5 * gap
            found.append((QRectF(x, 0.0, wide, self._side), value, name))
            x += wide
        room = self.size_boxes()[0].left()
        return found if x <= room else [
            (QRectF(k * self._side, 0.0, self._side, self._side), value, "")
            for k, (_, value, _) in enumerate(found)
        ]  # fmt: skip

    def strip(self) -> QRectF:
        """The strip of values, where there are no kinds."""
        room = (
            self.size_boxes()[0].left() - 8.0 * QFontMetricsF(self.look.numbers).averageCharWidth()
        )
        wide = max(min(room, 6.0 * self._side), 1.0)
        return QRectF(0.25 * self._side, 0.3 * self._side, wide, 0.4 * self._side)

    def undo_box(self) -> QRectF:
        """The way back, at the right."""
        return QRectF(self.width() - self._side, 0.0, self._side, self._side)

    def size_boxes(self) -> list[QRectF]:
        """Places of the brush's sizes."""
        left = self.undo_box().left() - (len(SIZES) + 0.4) * self._side
        return [QRectF(left + k * self._side, 0.0, self._side, self._side)
                for k in range(len(SIZES))]  # fmt: skip

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Values, sizes, undo."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._kinds():
            self._paint_chips(painter)
        else:
            self._paint_strip(painter)
        tokens, side = self.look.tokens, max(self._brush.canvas.shape)
        nearest = min(range(len(SIZES)), key=lambda k: abs(SIZES[k] * side - self._brush.radius))
        painter.setPen(Qt.PenStyle.NoPen)
        for number, box in enumerate(self.size_boxes()):
            painter.setBrush(tokens.color("accent" if number == nearest else "quiet"))
            radius = (0.1, 0.17, 0.27)[number] * self._side
            painter.drawEllipse(box.center(), radius, radius)
        color = tokens.color("text" if self._brush.can_undo else "line")
        icon = 0.6 * self._side
        box = QRectF(0.0, 0.0, icon, icon)
        box.moveCenter(self.undo_box().center())
        paint_icon(painter, "undo", color, box)
        painter.end()

    def _paint_chips(self, painter: QPainter) -> None:
        tokens, metrics = self.look.tokens, QFontMetricsF(self.look.label)
        painter.setFont(self.look.label)
        for box, value, name in self.chips():
            chosen = value == self._brush.value
            if chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(tokens.color("raised"))
                painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
            swatch = QRectF(0.0, 0.0, 0.5 * self._side, 0.5 * self._side)
            swatch.moveCenter(QPointF(box.left() + 0.5 * self._side, box.center().y()))
            painter.setPen(QPen(tokens.color("accent" if chosen else "line"), 1.0))
            painter.setBrush(self._color_at(value))
            painter.drawRoundedRect(swatch, 2.0, 2.0)
            painter.setPen(tokens.color("text" if chosen else "quiet"))
            base = box.center().y() + 0.36 * metrics.ascent()
            painter.drawText(QPointF(swatch.right() + 0.5 * self.look.gap, base), name)

    def _paint_strip(self, painter: QPainter) -> None:
        canvas, strip, tokens = self._brush.canvas, self.strip(), self.look.tokens
        gradient = QLinearGradient(strip.topLeft(), strip.topRight())
        for k in range(17):
            share = k / 16.0
            gradient.setColorAt(
                share, self._color_at(canvas.low + share * (canvas.high - canvas.low))
            )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(strip, 2.0, 2.0)
        share = (self._brush.value - canvas.low) / max(canvas.high - canvas.low, 1e-300)
        middle = QPointF(strip.left() + share * strip.width(), strip.center().y())
        painter.setPen(QPen(tokens.color("accent"), 0.07 * self._side))
        painter.setBrush(self._color_at(self._brush.value))
        painter.drawEllipse(middle, 0.26 * self._side, 0.26 * self._side)
        metrics = QFontMetricsF(self.look.numbers)
        painter.setFont(self.look.numbers)
        painter.setPen(tokens.color("quiet"))
        base = strip.center().y() + 0.36 * metrics.ascent()
        painter.drawText(QPointF(strip.right() + 0.4 * self._side, base),
                         said(self._brush.value))  # fmt: skip

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose."""
        place = event.position()
        for number, box in enumerate(self.size_boxes()):
            if box.contains(place):
                self._brush.radius = max(0.5, SIZES[number] * max(self._brush.canvas.shape))
        if self.undo_box().contains(place):
            self.undo_asked.emit()
        for box, value, _ in self.chips():
            if box.contains(place):
                self._brush.value = value
        if not self._kinds() and place.x() <= self.strip().right() + 0.3 * self._side:
            self._sliding = True
            self._slide(place)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Slide along the values."""
        if self._sliding:
            self._slide(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Chosen."""
        self._sliding = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """As two presses: a tile is not filled from here."""
        self.mousePressEvent(event)

    def _slide(self, place: QPointF) -> None:
        canvas, strip = self._brush.canvas, self.strip()
        share = min(max((place.x() - strip.left()) / strip.width(), 0.0), 1.0)
        value = canvas.low + share * (canvas.high - canvas.low)
        self._brush.value = float(round(value)) if canvas.whole else value
        self.update()
