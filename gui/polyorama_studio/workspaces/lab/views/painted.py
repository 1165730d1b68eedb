"""A body that is painted in one go, for pictures without pyqtgraph's range and pan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QColor, QMouseEvent, QPaintEvent

__all__ = ["PaintedBody"]


@guards
class PaintedBody(QWidget):
    """Calls back to be painted, and keeps where the pointer is.

    Parameters
    ----------
    paint
        Paints into the given rectangle, logical pixels from the left upper corner.
    ground
        The colour below.
    """

    def __init__(
        self, paint: Callable[[QPainter, QRectF], None], ground: Callable[[], QColor],
        parent: QWidget,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._paint, self._ground = paint, ground
        self.pointer: QPointF | None = None
        """Where the pointer is, None while it is elsewhere."""
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ground and the picture."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._ground())
        self._paint(painter, QRectF(self.rect()))
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is pointed at."""
        self.pointer = event.position()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self.pointer = None
        self.update()
