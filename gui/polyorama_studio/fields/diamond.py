"""The diamond at the right of a field: empty, half or filled, as the property is keyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QWidget

from polyorama_studio.fields.link import EMPTY, HALF, KEYED
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QPaintEvent

    from polyorama_studio.theme import Theme

__all__ = ["KeyDiamond"]


@guards
class KeyDiamond(QAbstractButton):
    """A click keys the property at the playhead, or takes the key that is there away."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = title
        self.state = EMPTY
        self.setFixedSize(Metrics.diamond_box, Metrics.control)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._tell()
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As narrow as can be hit."""
        return QSize(Metrics.diamond_box, Metrics.control)

    def set_state(self, state: str) -> None:
        """Show whether it is keyed."""
        if state != self.state:
            self.state = state
            self._tell()
            self.update()

    def _tell(self) -> None:
        words = {
            EMPTY: self.tr("Key {0} at the playhead"),
            HALF: self.tr("{0} is keyed elsewhere; key it here, too"),
            KEYED: self.tr("Remove the key of {0} at the playhead"),
        }[self.state]
        title = self._title if self.state == HALF else self._title.lower()
        self.setAccessibleName(words.format(title))
        self.setToolTip(tip(words.format(title)))

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """An outline, half of it or all of it filled."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = QPointF(self.width() / 2.0, self.height() / 2.0)
        reach = Metrics.diamond / 2.0
        shape = QPolygonF(
            [
                middle + QPointF(0.0, -reach),
                middle + QPointF(reach, 0.0),
                middle + QPointF(0.0, reach),
                middle + QPointF(-reach, 0.0),
            ]
        )
        near = self.underMouse() or self.hasFocus()
        color = tokens.color("line")
        if self.state != EMPTY:
            color = tokens.color("accent")
        elif near:
            color = tokens.color("text" if self.underMouse() else "accent")
        if self.state == HALF:
            painter.save()
            painter.setClipRect(QRectF(0.0, 0.0, middle.x(), self.height()))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(shape)
            painter.restore()
        pen = QPen(color, Metrics.stroke)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(color if self.state == KEYED else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(shape)
        painter.end()
