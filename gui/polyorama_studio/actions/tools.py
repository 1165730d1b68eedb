"""Which tool the viewport's pointer is, and what is done with what was selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document
from polyorama_studio.viewport.toolbox import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.viewport.toolbox import ToolEntry
    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _choose(tool_id: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.viewport.toolbox.choose(tool_id)
        window.viewport.setFocus()

    return run


def _chosen(tool_id: str) -> Callable[[Window], bool]:
    def checked(window: Window) -> bool:
        return window.viewport.toolbox.active_id == tool_id

    return checked


def _tool(entry: ToolEntry) -> Action:
    return Action(
        f"tools.{entry.id}", entry.title, _choose(entry.id), "tools", entry.shortcut, has_document,
        entry.tooltip, icon=entry.icon, checked=_chosen(entry.id), group=entry.group, rail=True,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = tuple(_tool(entry) for entry in TOOLS)
