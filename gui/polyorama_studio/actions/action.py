"""What an action is, and the menus that actions stand in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window

__all__ = [
    "MENUS", "WORKSPACE_MENUS", "Action", "always", "can_redo", "can_undo", "has_document",
    "has_picture", "has_python", "has_selection", "step_redone", "step_undone",
]  # fmt: skip


def always(session: Session) -> bool:
    """It can always be done."""
    return True


def has_document(session: Session) -> bool:
    """Something is open."""
    return session.stage.document is not None


def has_picture(session: Session) -> bool:
    """A picture is shown."""
    return session.stage.picture is not None


def has_python(session: Session) -> bool:
    """Something was done."""
    return bool(session.python)


def has_selection(session: Session) -> bool:
    """Splats are selected."""
    document = session.editing.document
    return document is not None and bool(document.selection)


def can_undo(session: Session) -> bool:
    """A step can be taken back."""
    editor = session.editing.editor
    return editor is not None and editor.history.can_undo


def can_redo(session: Session) -> bool:
    """A step can be done again."""
    editor = session.editing.editor
    return editor is not None and editor.history.can_redo


def step_undone(session: Session) -> str:
    """What would be taken back."""
    editor = session.editing.editor
    if editor is None or not editor.history.can_undo:
        return ""
    return editor.history.commands[editor.history.position - 1].title


def step_redone(session: Session) -> str:
    """What would be done again."""
    editor = session.editing.editor
    if editor is None or not editor.history.can_redo:
        return ""
    return editor.history.commands[editor.history.position].title


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done.

    Parameters
    ----------
    id
        Stable name, ``room.verb``.
    title
        Sentence case; ends in "..." exactly where more input follows.
    run
        Called with the window.
    menu
        Which menu it stands in, or "" for none.
    shortcut
        As Qt spells it, or "".
    when
        Whether it can be done now.
    tooltip
        What it does, one sentence.
    python
        The Python line or expression that does the same, or "".
    icon
        Name of an icon, or "".
    checked
        For switches: whether it is on.
    dialog
        Whether it opens a dialog.
    group
        Actions of a menu are parted by a line where the group changes.
    rail
        Whether it stands in the rail at the left.
    what
        What it would be done to, said after the title in menus, or "".
    only
        The workspace that it belongs to where its menu belongs to all of them.
    """

    id: str
    title: str
    run: Callable[[Window], None]
    menu: str = ""
    shortcut: str = ""
    when: Callable[[Session], bool] = always
    tooltip: str = ""
    python: str = ""
    icon: str = ""
    checked: Callable[[Window], bool] | None = None
    dialog: bool = False
    group: int = 0
    rail: bool = False
    what: Callable[[Session], str] | None = None
    only: str = ""

    @property
    def workspace(self) -> str:
        """The workspace it belongs to, "" for all."""
        return self.only or WORKSPACE_MENUS.get(self.menu, "")


MENUS: tuple[tuple[str, str], ...] = (
    ("file", "File"),
    ("edit", "Edit"),
    ("select", "Select"),
    ("tools", "Tools"),
    ("nodes", "Nodes"),
    ("view", "View"),
    ("timeline", "Timeline"),
    ("shapes", "Shapes"),
    ("face", "Face"),
    ("lab", "Lab"),
    ("window", "Window"),
    ("help", "Help"),
)
"""The menus, in order: id and title."""

WORKSPACE_MENUS = {
    "select": "scene", "tools": "scene", "nodes": "scene", "view": "scene",
    "timeline": "scene", "shapes": "shapes", "face": "face", "lab": "lab",
}  # fmt: skip
"""Menus of one workspace: they are seen, and their shortcuts taken, while it is shown."""
