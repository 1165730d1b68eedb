"""Selecting by a rule, and what else selects without a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from polyorama.scene.rules import parse_rule
from polyorama_studio.dialogs.naming import NamingDialog
from polyorama_studio.dialogs.rule import EXAMPLES, RuleDialog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama.scene.document import Document
    from polyorama_studio.window import Window


@pytest.fixture
def edited(opened: Window) -> Iterator[Window]:
    """A window that asks for nothing when it is closed."""
    yield opened
    opened.session.saving.give_up()


@pytest.fixture
def dialog(qtbot: QtBot, edited: Window) -> Iterator[RuleDialog]:
    edited.actions_by_id["select.rule"].trigger()
    (dialog,) = edited.findChildren(RuleDialog)
    qtbot.waitExposed(dialog)
    yield dialog
    if isValid(dialog):
        dialog.reject()


def document(window: Window) -> Document:
    found = window.session.editing.document
    assert found is not None
    return found


def selected(window: Window) -> set[int]:
    bits = document(window).selection
    return set(next(iter(bits.values())).indices().tolist()) if bits else set()


def test_a_typed_rule_is_counted_and_selects(
    qtbot: QtBot, edited: Window, dialog: RuleDialog
) -> None:
    assert not dialog.select_button.isEnabled()
    qtbot.keyClicks(dialog.rule.edit, "x > 0.3")
    means = document(edited).nodes[0].splats.means
    expected = set(np.flatnonzero(means[:, 0] > 0.3).tolist())
    qtbot.waitUntil(lambda: dialog.rule.note.text() == f"{len(expected):,} splats")
    qtbot.keyClick(dialog.rule.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: selected(edited) == expected)
    assert len(edited.session.editing.editor.history.commands) == 1


def test_a_wrong_rule_cannot_be_used(qtbot: QtBot, edited: Window, dialog: RuleDialog) -> None:
    qtbot.keyClicks(dialog.rule.edit, "x > >")
    assert dialog.rule.note.text()
    assert not dialog.select_button.isEnabled()
    qtbot.keyClick(dialog.rule.edit, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert not selected(edited)


def test_a_rule_is_kept_under_a_name(qtbot: QtBot, edited: Window, dialog: RuleDialog) -> None:
    dialog.examples[0].click()
    assert dialog.rule.edit.text() == EXAMPLES[0][0]
    dialog.rule.edit.setText("y > 0")
    dialog.keep.setChecked(True)
    assert not dialog.select_button.isEnabled()
    qtbot.keyClicks(dialog.name, "low")
    dialog.mode.choose("add")
    dialog.select_button.click()
    qtbot.waitUntil(lambda: bool(selected(edited)))
    (kept,) = document(edited).selections
    assert (kept.name, kept.query) == ("low", "y > 0")


@pytest.mark.parametrize("rule", [rule for rule, _ in EXAMPLES])
def test_examples_can_be_read(rule: str) -> None:
    parse_rule(rule)


def test_what_selects_without_a_tool(qtbot: QtBot, edited: Window) -> None:
    actions = edited.actions_by_id
    count = len(document(edited).nodes[0].splats)

    def act(name: str, expected: int) -> None:
        qtbot.waitUntil(actions[f"select.{name}"].isEnabled)
        actions[f"select.{name}"].trigger()
        qtbot.waitUntil(lambda: len(selected(edited)) == expected)

    assert not actions["select.none"].isEnabled()
    act("all", count)
    act("none", 0)
    edited.session.editing.run("select", query="x > 0")
    half = len(selected(edited))
    act("invert", count - half)
    qtbot.waitUntil(lambda: not edited.session.jobs.active)
    actions["select.shrink"].trigger()
    qtbot.waitUntil(lambda: 0 < len(selected(edited)) < count - half)
    actions["select.grow"].trigger()
    qtbot.waitUntil(lambda: not edited.session.jobs.active)
    assert len(selected(edited)) > 0


def test_escape_in_the_picture_selects_nothing(qtbot: QtBot, edited: Window) -> None:
    edited.session.editing.run("select", query="x > 0")
    assert selected(edited)
    qtbot.keyClick(edited.viewport, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not selected(edited))


def test_what_is_made_of_the_selection(qtbot: QtBot, edited: Window) -> None:
    actions = edited.actions_by_id
    edited.session.editing.run("select", query="x > 0")
    bits = next(iter(document(edited).selection.values()))
    qtbot.waitUntil(actions["select.grade"].isEnabled)
    actions["select.grade"].trigger()
    (grade,) = document(edited).nodes[0].modifiers
    assert grade.kind == "grade"
    assert grade.mask == bits
    before = len(document(edited).nodes)
    actions["select.copy-out"].trigger()
    qtbot.waitUntil(lambda: len(document(edited).nodes) == before + 1)


def test_the_selection_is_kept_under_a_name(qtbot: QtBot, edited: Window) -> None:
    edited.session.editing.run("select", query="x > 0")
    keep = edited.actions_by_id["select.keep"]
    qtbot.waitUntil(keep.isEnabled)
    keep.trigger()
    naming = edited.findChild(NamingDialog)
    naming.name.setText("right half")
    naming.save_button.click()
    assert [kept.name for kept in document(edited).selections] == ["right half"]


@pytest.mark.parametrize("some", [False, True])
def test_the_menu_of_the_picture_begins_with_the_selection(edited: Window, some: bool) -> None:
    if some:
        edited.session.editing.run("select", query="x > 0")
    edited.menus.show_context_menu(QPoint(10, 10))
    menu = QApplication.activePopupWidget()
    assert menu is not None
    names = [action.objectName() for action in menu.actions()]
    menu.close()
    assert (names[:2] == ["tools.hide", "tools.isolate"]) is some
    assert "view.frame" in names


def test_the_select_menu_has_what_is_done_with_the_selection(edited: Window) -> None:
    menus = [action.menu() for action in edited.menuBar().actions()]
    names = next(
        found for menu in menus
        if "select.rule" in (found := [action.objectName() for action in menu.actions()])
    )  # fmt: skip
    assert {"tools.hide", "tools.isolate", "tools.lock", "tools.delete"} <= set(names)
