"""Which tool the viewport's pointer is, and what is done with what was selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document, has_selection
from polyorama_studio.viewport.toolbox import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session
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


def _run(name: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.session.editing.run(name)

    return run


def _flip(option: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        toolbox = window.viewport.toolbox
        toolbox.set_options(**{option: not getattr(toolbox.options, option)})

    return run


def _on(option: str) -> Callable[[Window], bool]:
    def checked(window: Window) -> bool:
        return bool(getattr(window.viewport.toolbox.options, option))

    return checked


def _has_something(session: Session) -> bool:
    document = session.editing.document
    return document is not None and bool(document.selection or document.chosen)


def _has_hidden(session: Session) -> bool:
    document = session.editing.document
    return document is not None and any(n.hidden or not n.visible for n in document.nodes)


def _has_locked(session: Session) -> bool:
    document = session.editing.document
    return document is not None and any(n.locked or n.fixed for n in document.nodes)


def _has_deleted(session: Session) -> bool:
    document = session.editing.document
    return document is not None and any(n.deleted for n in document.nodes)


def _delete(window: Window) -> None:
    """The selected splats, or else the chosen nodes."""
    editing = window.session.editing
    document = editing.document
    if document is not None:
        editing.run("delete" if document.selection else "remove")


def _hide(window: Window) -> None:
    editing = window.session.editing
    document = editing.document
    if document is not None and document.selection:
        editing.run("hide")
    else:
        editing.run("show", visible=False)


def _unhide(window: Window) -> None:
    editing = window.session.editing
    document = editing.document
    if document is None:
        return
    invisible = tuple(n.id for n in document.nodes if not n.visible)
    with editing.gesture("Show everything"):
        if any(n.hidden for n in document.nodes):
            editing.run("unhide")
        if invisible:
            editing.run("show", nodes=invisible, visible=True)


def _lock(window: Window) -> None:
    editing = window.session.editing
    document = editing.document
    if document is not None and document.selection:
        editing.run("lock")
    else:
        editing.run("fix")


def _unlock(window: Window) -> None:
    editing = window.session.editing
    document = editing.document
    if document is None:
        return
    fixed = tuple(n.id for n in document.nodes if n.fixed)
    with editing.gesture("Unlock everything"):
        if any(n.locked for n in document.nodes):
            editing.run("unlock")
        if fixed:
            editing.run("fix", nodes=fixed, fixed=False)


ACTIONS: tuple[Action, ...] = (
    *(_tool(entry) for entry in TOOLS),
    Action(
        "tools.surface", "Pick the visible surface alone", _flip("surface"), "tools", "N",
        has_document, "Leave out what lies behind what is seen", checked=_on("surface"), group=4,
    ),
    Action(
        "tools.footprint", "Pick by any part of a splat", _flip("footprint"), "tools", "Shift+N",
        has_document, "Any part of a splat counts, not its centre alone",
        checked=_on("footprint"), group=4,
    ),
    Action(
        "tools.local", "Gizmos along local axes", _flip("local"), "tools", "", has_document,
        "Move, turn and scale along the axes of what is moved", checked=_on("local"), group=4,
    ),
    Action(
        "tools.snap", "Snapping", _flip("snap"), "tools", "Shift+Tab", has_document,
        "Move by 0.1 units, turn by 15 degrees", checked=_on("snap"), group=4,
    ),
    Action(
        "tools.delete", "Delete", _delete, "tools", "Del", _has_something,
        "Delete the selected splats, or else the chosen nodes", python="doc.delete()", group=5,
    ),
    Action(
        "tools.restore", "Restore deleted splats", _run("restore"), "tools", "", _has_deleted,
        "Bring deleted splats back", python="doc.restore()", group=5,
    ),
    Action(
        "tools.hide", "Hide", _hide, "tools", "H", _has_something,
        "Do not draw the selected splats, or else the chosen nodes", python="doc.hide()", group=6,
    ),
    Action(
        "tools.isolate", "Isolate", _run("isolate"), "tools", "Shift+H", has_selection,
        "Hide everything but the selected splats", python="doc.isolate()", group=6,
    ),
    Action(
        "tools.unhide", "Show everything", _unhide, "tools", "Alt+H", _has_hidden,
        "Draw what was hidden again", python="doc.unhide()", group=6,
    ),
    Action(
        "tools.lock", "Lock", _lock, "tools", "Ctrl+L", _has_something,
        "Keep the selected splats, or else the chosen nodes, from being picked",
        python="doc.lock()", group=7,
    ),
    Action(
        "tools.unlock", "Unlock everything", _unlock, "tools", "Ctrl+Alt+L", _has_locked,
        "Let everything be picked again", python="doc.unlock()", group=7,
    ),
)  # fmt: skip
