"""What a layer over the picture is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QPainter

    from polyorama_studio.session import Session
    from polyorama_studio.viewport.pane import Pane
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Layer"]


class Layer(QObject):
    """Paints over the pictures of all panes; what has handles takes the pointer before tools do."""

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(toolbox)
        self.toolbox = toolbox

    @property
    def session(self) -> Session:
        """The session that is worked on."""
        return self.toolbox.session

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """Draw over the picture; antialiasing is on."""

    def hover(self, pane: Pane, at: QPointF) -> bool:
        """The pointer moved; tells whether it is over a handle of this layer."""
        return False

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """The left button went down; tells whether the drag is this layer's."""
        return False

    def drag(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The pointer moved with the button down."""

    def release(self, pane: Pane) -> None:
        """The button came up."""
