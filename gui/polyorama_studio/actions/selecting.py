"""Selecting splats without a tool: all, none, neighbours, by a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document, has_selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _start(name: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.session.editing.start(name)

    return run


def _rule(window: Window) -> None:
    # Loads what reads and counts rules; the window opens without it.
    from polyorama_studio.dialogs.rule import RuleDialog

    window.asking.show(RuleDialog(window.session, window))


ACTIONS: tuple[Action, ...] = (
    Action(
        "select.rule", "By rule...", _rule, "select", "Ctrl+F", has_document,
        "Select the splats that a rule holds for, such as opacity < 0.1",
        python='doc.select("opacity < 0.1")', icon="search", dialog=True,
    ),
    Action(
        "select.all", "All", _start("select_all"), "select", "Ctrl+A", has_document,
        "Select every splat that can be picked", python="doc.select_all()", group=1,
    ),
    Action(
        "select.none", "None", _start("select_none"), "select", "Ctrl+Shift+A", has_selection,
        "Select nothing", python="doc.select_none()", group=1,
    ),
    Action(
        "select.invert", "Invert", _start("invert"), "select", "Ctrl+I", has_document,
        "Select what is not selected", python="doc.invert()", group=1,
    ),
    Action(
        "select.grow", "Grow", _start("grow"), "select", "Ctrl+]", has_selection,
        "Add the neighbours of selected splats", python="doc.grow()", group=2,
    ),
    Action(
        "select.shrink", "Shrink", _start("shrink"), "select", "Ctrl+[", has_selection,
        "Take the splats at the edge out of the selection", python="doc.shrink()", group=2,
    ),
    Action(
        "select.connected", "Connected", _start("component"), "select", "", has_selection,
        "Select all that is connected with the selected splats", python="doc.component()",
        group=2,
    ),
    Action(
        "select.similar", "Similar colours", _start("flood"), "select", "", has_selection,
        "Add the splats of similar colour that are reached from the selected ones",
        python="doc.flood()", group=2,
    ),
)  # fmt: skip
