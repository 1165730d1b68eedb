"""A picture of what does not change while time goes, so that playing costs next to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPixmap

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

__all__ = ["Still"]


class Still:
    """What a widget shows but for the playhead; drawn anew after `forget`, or at another size."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None

    def forget(self) -> None:
        """It shows something else now."""
        self._pixmap = None

    def paint(
        self, painter: QPainter, widget: QWidget, draw: Callable[[QPainter], None]
    ) -> None:  # fmt: skip
        """Paint it over a widget; `draw` makes it where it must be made."""
        ratio = widget.devicePixelRatioF()
        size = widget.size() * ratio
        pixmap = self._pixmap
        if pixmap is None or pixmap.size() != size or pixmap.devicePixelRatio() != ratio:
            pixmap = QPixmap(size)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            inner = QPainter(pixmap)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(inner)
            inner.end()
            self._pixmap = pixmap
        painter.drawPixmap(QPointF(0.0, 0.0), pixmap)
