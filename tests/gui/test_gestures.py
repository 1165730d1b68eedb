"""Drags and the history: what one drag does is one step, and nothing else is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.editing import Editing
    from polyorama_studio.session import Session


@pytest.fixture
def editing(qtbot: QtBot, session: Session, tmp_path: Path) -> Editing:
    """With a capture open, whose node was renamed."""
    session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    session.editing.run("rename", node="thing", name="vase")
    return session.editing


def name(editing: Editing) -> str:
    return editing.document.nodes[0].name


def titles(editing: Editing) -> list[str]:
    history = editing.editor.history
    return [command.title for command in history.commands[: history.position]]


def test_what_is_computed_during_a_drag_is_a_step_of_its_own(
    qtbot: QtBot, session: Session, editing: Editing
) -> None:
    done: list[bool] = []
    editing.begin("Drag")
    editing.run("rename", node="vase", name="a")
    editing.start("select", query="opacity > 0.5", done=lambda: done.append(True))
    qtbot.waitUntil(lambda: not session.jobs.active)
    assert not editing.document.selection
    assert done == []
    editing.run("rename", node="a", name="b")
    editing.end()
    assert editing.document.selection
    assert done == [True]
    assert titles(editing)[-2] == "Drag"
    assert editing.undo()
    assert (name(editing), dict(editing.document.selection)) == ("b", {})
    assert editing.undo()
    assert name(editing) == "vase"


def test_a_drag_that_is_given_up_takes_nothing_else_back(
    qtbot: QtBot, session: Session, editing: Editing
) -> None:
    editing.begin("Drag")
    editing.run("rename", node="vase", name="a")
    editing.start("select", query="opacity > 0.5")
    qtbot.waitUntil(lambda: not session.jobs.active)
    editing.cancel()
    assert name(editing) == "vase"
    assert editing.document.selection, "it is no part of the drag"


def test_undoing_in_the_middle_of_a_drag_keeps_it_one_step(editing: Editing) -> None:
    before = titles(editing)
    editing.begin("Drag")
    editing.run("rename", node="vase", name="a")
    editing.undo()
    assert name(editing) == "vase"
    for old, fresh in (("vase", "b"), ("b", "c"), ("c", "d")):
        editing.run("rename", node=old, name=fresh)
    editing.end()
    assert titles(editing) == [*before, "Drag"]
    editing.undo()
    assert name(editing) == "vase"


def test_giving_up_a_drag_that_was_undone_leaves_the_step_before(editing: Editing) -> None:
    editing.begin("Drag")
    editing.run("rename", node="vase", name="a")
    editing.undo()
    editing.cancel()
    assert name(editing) == "vase"
    editing.begin("Drag")
    editing.cancel()
    assert name(editing) == "vase"
    editing.cancel()
    assert name(editing) == "vase", "without a drag there is nothing to give up"
