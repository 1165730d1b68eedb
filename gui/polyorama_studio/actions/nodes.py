"""What is done with chosen nodes; the outliner's menu has the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action
from polyorama_studio.panels.node_commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.panels.node_commands import NodeCommand
    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _run(command: NodeCommand) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        command.run(window.session)

    return run


ACTIONS: tuple[Action, ...] = tuple(
    Action(
        f"nodes.{c.id}", c.title, _run(c), "nodes", c.shortcut, c.when, c.tooltip,
        python=c.python, icon=c.icon, group=c.group,
    )
    for c in COMMANDS
)  # fmt: skip
"""Every command on nodes."""
