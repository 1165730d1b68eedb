"""The table of actions, and what is made of it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from polyorama_studio.actions import ACTIONS, MENUS, Action
from polyorama_studio.dialogs.keys import KeysDialog
from polyorama_studio.workspaces import WORKSPACES
from tests.gui.fakes import icon_names

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama_studio.window import Window

NAMES = {"Polyorama", "Python"}


def test_ids_and_shortcuts_are_unique() -> None:
    ids = Counter(action.id for action in ACTIONS)
    assert [key for key, count in ids.items() if count > 1] == []
    # Shortcuts of one workspace are not taken while another one is shown.
    for workspace in (entry.id for entry in WORKSPACES):
        keys = Counter(
            QKeySequence(action.shortcut).toString()
            for action in ACTIONS
            if action.shortcut and action.workspace in ("", workspace)
        )
        assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_entries_are_well_formed(action: Action) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z-]+", action.id)
    assert action.menu in dict(MENUS)
    words = action.title.rstrip(".").split()
    assert words[0][0].isupper()
    wrong = [word for word in words[1:] if word[0].isupper() and word not in NAMES]
    assert not wrong, "titles are in sentence case"
    assert action.title.endswith("...") == action.dialog
    assert "…" not in action.title
    assert action.tooltip
    assert not action.tooltip.endswith(".")
    assert not action.icon or action.icon in icon_names()
    assert action.icon or not action.rail
    if action.shortcut:
        assert QKeySequence(action.shortcut).toString(), "Qt understands the shortcut"


def test_every_action_is_in_its_menu(window: Window) -> None:
    shown = {
        action.objectName()
        for menu in window.menuBar().actions()
        for action in menu.menu().actions()
    }
    assert {action.id for action in ACTIONS} <= shown


def test_actions_follow_the_session(window: Window, qtbot: QtBot, tmp_path) -> None:
    actions = window.actions_by_id
    assert actions["file.open"].isEnabled()
    assert not actions["view.frame"].isEnabled()
    window.session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: actions["edit.copy-picture"].isEnabled())
    assert actions["view.frame"].isEnabled()
    assert not actions["view.orthographic"].isChecked()
    actions["view.orthographic"].trigger()
    assert window.session.stage.view.orthographic
    assert actions["view.orthographic"].isChecked()
    actions["file.close"].trigger()
    assert not actions["view.frame"].isEnabled()


def test_undo_says_what(window: Window, qtbot: QtBot, tmp_path) -> None:
    undo, redo = (window.actions_by_id[f"edit.{name}"] for name in ("undo", "redo"))
    assert undo.text() == "Undo"
    window.session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: window.session.editing.editor is not None)
    window.session.editing.run("select_all")
    title = window.session.editing.editor.history.commands[0].title
    qtbot.waitUntil(lambda: undo.text() == f"Undo {title}")
    undo.trigger()
    qtbot.waitUntil(lambda: redo.text() == f"Redo {title}")
    assert undo.text() == "Undo"
    window.session.saving.give_up()


def test_open_panels_carry_a_mark(window: Window, qtbot: QtBot) -> None:
    panel = window.actions_by_id["panel.histogram"]
    assert panel.isCheckable()
    assert not panel.isIconVisibleInMenu(), "it would hide the mark"
    window.docks.raise_dock("histogram")
    qtbot.waitUntil(panel.isChecked)
    window.docks.docks["histogram"].hide()
    qtbot.waitUntil(lambda: not panel.isChecked())


def test_tooltips_say_what_key_and_python(window: Window) -> None:
    tooltip = window.actions_by_id["view.orthographic"].toolTip()
    assert "parallel" in tooltip
    assert "(5)" in tooltip
    assert "po.Camera.orthographic" in tooltip


def test_tab_moves_the_focus_except_in_the_picture(window: Window) -> None:
    tab = window.actions_by_id["window.hide-panels"]
    assert tab.shortcutContext() == Qt.ShortcutContext.WidgetShortcut
    assert window.viewport in tab.associatedObjects()


def test_sheet_of_keys_lists_every_shortcut(window: Window) -> None:
    from PySide6.QtWidgets import QLabel

    dialog = KeysDialog(window.actions_by_id.shortcut_tables(), window)
    texts = {label.text() for label in dialog.findChildren(QLabel)}
    for action in ACTIONS:
        if action.shortcut:
            assert (
                QKeySequence(action.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
                in texts
            )
    dialog.deleteLater()
