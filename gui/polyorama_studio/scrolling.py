"""Areas that scroll."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

__all__ = ["scrolled"]


def scrolled(inside: QWidget, parent: QWidget) -> QScrollArea:
    """A frameless area that scrolls downwards alone."""
    area = QScrollArea(parent)
    area.setObjectName("scrolled")
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area
