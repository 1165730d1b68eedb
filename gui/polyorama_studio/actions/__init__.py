"""Everything that can be done, in one table.

Menus, the rail, the palette and the list of keys come from it. Each room's actions are in a file of
their own.
"""

from __future__ import annotations

from polyorama_studio.actions import (
    edit,
    export,
    face,
    files,
    help,
    lab,
    nodes,
    selecting,
    shapes,
    timeline,
    tools,
    view,
    window,
)
from polyorama_studio.actions.action import MENUS, Action
from polyorama_studio.actions.bound import ActionSet, translated

__all__ = ["ACTIONS", "MENUS", "Action", "ActionSet", "translated"]

ACTIONS: tuple[Action, ...] = (
    *files.ACTIONS, *export.ACTIONS, *edit.ACTIONS, *selecting.ACTIONS, *tools.ACTIONS,
    *nodes.ACTIONS, *view.ACTIONS, *timeline.ACTIONS, *shapes.ACTIONS, *face.ACTIONS,
    *lab.ACTIONS, *window.ACTIONS, *help.ACTIONS,
)  # fmt: skip
"""Every action of the studio."""
