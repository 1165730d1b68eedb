"""A row of a few words, one of which holds."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from polyorama_studio.theme import Theme

__all__ = ["SegmentField"]


@guards
class SegmentField(QWidget):
    """Segments side by side; a click or the arrow keys choose one.

    Parameters
    ----------
    choices
        Values and titles.
    name
        For screen readers.
    """

    chosen = Signal(str)

    def __init__(
        self,
        theme: Theme,
        choices: Sequence[tuple[str, str]],
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._choices = tuple(choices)
        self._name = name
        self._over = -1
        self.value = self._choices[0][0]
        self.setFixedHeight(Metrics.control)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._tell()
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Room for the words."""
        metrics = self.fontMetrics()
        wide = sum(metrics.horizontalAdvance(title) for _, title in self._choices)
        return QSize(wide + 2 * Metrics.space[1] * len(self._choices), Metrics.control)

    def set_value(self, value: str) -> None:
        """Show another one without telling anybody."""
        if value != self.value:
            self.value = value
            self._tell()
            self.update()

    def _tell(self) -> None:
        title = dict(self._choices)[self.value]
        self.setAccessibleName(f"{self._name}, {title}")

    def choose(self, value: str) -> None:
        """Choose one as a click does."""
        if value != self.value:
            self.set_value(value)
            self.chosen.emit(value)

    def _place(self, index: int) -> QRectF:
        lefts = self._lefts()
        return QRectF(lefts[index], 0.0, lefts[index + 1] - lefts[index], self.height())

    def _lefts(self) -> list[float]:
        """Where segments begin, and where the last one ends: all have the same room to spare."""
        metrics = QFontMetricsF(font(Metrics.label))
        words = [metrics.horizontalAdvance(title) for _, title in self._choices]
        spare = (self.width() - sum(words)) / len(words)
        return [0.0, *accumulate(width + spare for width in words)]

    def _at(self, position: QPointF) -> int:
        if not self.rect().contains(position.toPoint()):
            return -1
        return min(bisect_right(self._lefts(), position.x()), len(self._choices)) - 1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is under the pointer."""
        index = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self.choose(self._choices[index][0])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what would be chosen."""
        index = self._at(event.position())
        if index != self._over:
            self._over = index
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self._over = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right choose a neighbour."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(event.key())
        values = [value for value, _ in self._choices]
        if step is None:
            super().keyPressEvent(event)
        else:
            self.choose(values[min(max(values.index(self.value) + step, 0), len(values) - 1)])

    def paintEvent(self, event: QPaintEvent) -> None:
        """One box; the chosen part of it is brighter."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        path = QPainterPath()
        path.addRoundedRect(box, Metrics.corner, Metrics.corner)
        painter.fillPath(path, tokens.color("raised"))
        painter.setClipPath(path)
        painter.setFont(font(Metrics.label))
        for i, (value, title) in enumerate(self._choices):
            place, held = self._place(i), value == self.value
            if held:
                color = tokens.color("accent")
                color.setAlphaF(0.2)
                painter.fillRect(place, color)
            token = "accent" if held else "text" if i == self._over else "quiet"
            painter.setPen(tokens.color(token))
            room = int(place.width()) - Metrics.hair
            words = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)
            if i:
                painter.setPen(tokens.color("line"))
                painter.drawLine(place.topLeft(), place.bottomLeft())
        painter.setClipping(False)
        painter.setPen(tokens.color("accent" if self.hasFocus() else "line"))
        painter.drawPath(path)
        painter.end()
