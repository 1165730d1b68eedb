"""Panels, layouts, stage, theme, the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document
from polyorama_studio.docks import DOCKS
from polyorama_studio.workspaces import WORKSPACES

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.docks import Dock
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces import Workspace

__all__ = ["ACTIONS"]


def _has_layouts(session: Session) -> bool:
    """Layouts were saved."""
    return bool(session.preferences.layouts)


def _toggle(dock_id: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.docks.toggle(dock_id)

    return run


def _shown(dock_id: str) -> Callable[[Window], bool]:
    def checked(window: Window) -> bool:
        return window.docks.docks[dock_id].open

    return checked


def _panel(dock: Dock) -> Action:
    return Action(
        f"panel.{dock.id}", dock.title, _toggle(dock.id), "window",
        tooltip=f"Show or hide the panel {dock.title}", icon=dock.icon,
        checked=_shown(dock.id), group=1,
    )  # fmt: skip


def _workspace(entry: Workspace) -> Action:
    def run(window: Window) -> None:
        window.workspaces.show_workspace(entry.id)

    def checked(window: Window) -> bool:
        return window.workspace == entry.id

    return Action(
        f"window.workspace-{entry.id}", entry.title, run, "window",
        f"Alt+{1 + WORKSPACES.index(entry)}", tooltip=entry.tooltip, checked=checked,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    Action(
        "window.palette", "Find an action...", lambda w: w.show_palette(), "window",
        "Ctrl+Shift+P", tooltip="Type a few letters of anything that can be done",
        icon="search", dialog=True,
    ),
    *map(_workspace, WORKSPACES),
    *map(_panel, DOCKS),
    Action(
        "window.save-layout", "Save layout...", lambda w: w.asking.save_layout(), "window",
        tooltip="Keep under a name how the panels stand", icon="layout", dialog=True, group=2,
    ),
    Action(
        "window.forget-layout", "Forget a layout...", lambda w: w.asking.forget_layout(),
        "window", "", _has_layouts, "Remove a layout that was saved", dialog=True, group=2,
    ),
    Action(
        "window.reset-layout", "Reset layout", lambda w: w.docks.reset(), "window",
        tooltip="Let the panels stand as at the first start", group=2,
    ),
    Action(
        "window.hide-panels", "Hide panels", lambda w: w.toggle_panels(), "window",
        "Tab", has_document, "Leave nothing but the picture in the window",
        icon="panels", checked=lambda w: w.panels_hidden, group=3,
    ),
    Action(
        "window.stage", "Full-screen stage", lambda w: w.toggle_stage(),
        "window", "F11", tooltip="Show the picture edge to edge on the full screen",
        icon="stage", checked=lambda w: w.on_stage, group=3, rail=True,
    ),
    Action(
        "window.theme", "Light or dark", lambda w: w.toggle_theme(), "window", "Ctrl+Shift+L",
        tooltip="Change between the light and the dark theme", icon="contrast", group=3,
    ),
)  # fmt: skip
