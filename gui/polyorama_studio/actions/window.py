"""Panels, stage, theme."""

from __future__ import annotations

from polyorama_studio.actions.action import Action, has_document

__all__ = ["ACTIONS"]


ACTIONS: tuple[Action, ...] = (
    Action(
        "window.hide-panels", "Hide panels", lambda w: w.toggle_panels(), "window",
        "Tab", has_document, "Leave nothing but the picture in the window",
        icon="panels", checked=lambda w: w.panels_hidden,
    ),
    Action(
        "window.stage", "Full-screen stage", lambda w: w.toggle_stage(),
        "window", "F11", tooltip="Show the picture edge to edge on the full screen",
        icon="stage",
        checked=lambda w: w.on_stage, rail=True,
    ),
    Action(
        "window.theme", "Light or dark", lambda w: w.toggle_theme(), "window", "Ctrl+Shift+L",
        tooltip="Change between the light and the dark theme", icon="contrast", group=1, rail=True,
    ),
)  # fmt: skip
