"""Selecting splats without a tool, and what is made of the selected ones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document, has_selection
from polyorama_studio.fields.words import python_node
from polyorama_studio.words import translated

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session
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


def _keep_as(session: Session, name: str) -> None:
    session.editing.run("keep_selection", name=name)


def _keep(window: Window) -> None:
    from polyorama_studio.dialogs.naming import NamingDialog

    document = window.session.editing.document
    assert document is not None
    taken = [kept.name for kept in document.selections]
    dialog = NamingDialog(translated("Keep the selection"), taken, window)
    dialog.named.connect(partial(_keep_as, window.session))
    window.asking.show(dialog)


def _grade(window: Window) -> None:
    """A step on every node with selected splats, which are its mask."""
    editing = window.session.editing
    document = editing.document
    assert document is not None
    with editing.gesture(translated("Add grade with this mask")):
        for node in [n for n in document.nodes if n.id in document.selection]:
            editing.run(
                "add_modifier", node=python_node(document, node.id), kind="grade", selected=True
            )


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
    Action(
        "select.keep", "Keep under a name...", _keep, "select", "", has_selection,
        "Keep the selection under a name, to select it again",
        python='doc.keep_selection("name")', dialog=True, group=3,
    ),
    Action(
        "select.separate", "Separate", _start("separate"), "select", "", has_selection,
        "Make a node of the selected splats", python="doc.separate()", group=4,
    ),
    Action(
        "select.copy-out", "Copy out", _start("duplicate_selected"), "select", "",
        has_selection, "Make a node of a copy of the selected splats",
        python="doc.duplicate_selected()", group=4,
    ),
    Action(
        "select.grade", "Add grade with this mask", _grade, "select", "", has_selection,
        "Grade the selected splats alone", group=4,
    ),
)  # fmt: skip
