"""What a tool of the viewport is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QObject, QPointF, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent, QPainter, QWheelEvent

    from polyorama_studio.session import Session
    from polyorama_studio.viewport.pane import Pane
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Tool", "modifier_names"]

Modifiers = Qt.KeyboardModifier


def modifier_names(modifiers: Modifiers) -> tuple[bool, bool]:
    """Whether Shift and whether Ctrl is held."""
    return (
        bool(modifiers & Modifiers.ShiftModifier),
        bool(modifiers & Modifiers.ControlModifier),
    )


class Tool(QObject):
    """Takes what a pane's pointer does; positions are a pane's logical pixels.

    Parameters
    ----------
    toolbox
        Holds the options and the session.
    """

    id: ClassVar[str] = ""
    options: ClassVar[frozenset[str]] = frozenset()
    """Which of the tool strip's options it heeds."""

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(toolbox)
        self.toolbox = toolbox

    @property
    def session(self) -> Session:
        """The session that is worked on."""
        return self.toolbox.session

    @property
    def busy(self) -> bool:
        """Whether something is half done, which Escape gives up."""
        return False

    def hint(self) -> str:
        """One line on how it is used."""
        return ""

    def activate(self) -> None:
        """It was chosen."""

    def cancel(self) -> None:
        """Give up what is half done."""

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """The left button went down; tells whether the drag is the tool's."""
        return False

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """The pointer moved with the button down."""

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """The button came up."""

    def hover(self, pane: Pane, at: QPointF, modifiers: Modifiers) -> None:
        """The pointer moved with no button down."""

    def leave(self, pane: Pane) -> None:
        """The pointer left the pane."""

    def click(self, pane: Pane, at: QPointF, modifiers: Modifiers) -> None:
        """The left button went down and up at one place, and the tool had not taken the press."""

    def double_click(self, pane: Pane, event: QMouseEvent) -> bool:
        """Tells whether the double click was the tool's."""
        return False

    def wheel(self, pane: Pane, event: QWheelEvent) -> bool:
        """Tells whether the turn was the tool's."""
        return False

    def wants(self, key: int, modifiers: Modifiers) -> bool:
        """Whether a key is the tool's now, though it may be a shortcut of the window."""
        return False

    def key(self, pane: Pane, event: QKeyEvent) -> bool:
        """Tells whether the key was the tool's."""
        return False

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """Draw over the picture."""

    def cursor(self, pane: Pane, modifiers: Modifiers) -> QCursor | None:
        """The pointer's shape, or None for the usual one."""
        return None
