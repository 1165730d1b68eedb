"""The pointer: drags turn the view, clicks choose nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from polyorama_studio.viewport.seen import node_at
from polyorama_studio.viewport.tools.tool import Tool, modifier_names

if TYPE_CHECKING:
    from PySide6.QtCore import QPointF, Qt

    from polyorama_studio.viewport.pane import Pane

__all__ = ["PointerTool", "choose_at"]


def choose_at(pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
    """Choose the node that is seen at a position; with Shift or Ctrl beside those chosen."""
    editing = pane.session.editing
    document = editing.document
    hit = node_at(pane, at)
    if document is None:
        return
    chosen = list(document.chosen)
    if any(modifier_names(modifiers)):
        if hit is None:
            return
        if hit in chosen:
            chosen.remove(hit)
        else:
            chosen.append(hit)
    else:
        chosen = [] if hit is None else [hit]
    if tuple(chosen) != document.chosen:
        editing.run("choose", nodes=tuple(chosen))


class PointerTool(Tool):
    """Looks around and chooses."""

    id = "pointer"

    def hint(self) -> str:
        """One line on how it is used."""
        return QCoreApplication.translate(
            "tools", "Drag to turn, click to choose, double-click to turn about a point"
        )

    def click(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Choose what is there."""
        choose_at(pane, at, modifiers)
