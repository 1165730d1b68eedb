"""The palette, the sheet of keys, preferences and the other dialogs of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from polyorama.render.rasterizers import Availability
from polyorama_studio import calls
from polyorama_studio.actions import ACTIONS
from polyorama_studio.dialogs.examples import ExamplesDialog
from polyorama_studio.dialogs.keys import KeysDialog
from polyorama_studio.dialogs.naming import ChoosingDialog, NamingDialog
from polyorama_studio.dialogs.preferences import PreferencesDialog
from polyorama_studio.fuzzy import fit, marked
from polyorama_studio.palette import found

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("sav", "Save", "Frames a second and splats"),
        ("sp", "Save picture", "Splats of the stage"),
        ("open", "Open", "Reopen a file"),
        ("copy", "Copy picture", "Capture of papyrus"),
        ("picture save", "Save picture", "Save the capture"),
    ],
)
def test_beginnings_of_words_and_pieces_fit_best(query: str, better: str, worse: str) -> None:
    good, bad = fit(query, better), fit(query, worse)
    assert good is not None
    assert bad is None or good > bad


def test_letters_have_to_come_in_their_order() -> None:
    assert fit("xyz", "Save picture") is None
    assert fit("evas", "Save") is None
    assert fit("", "anything") == 0.0
    assert marked("sp", "Save picture") == [0, 5]
    assert marked("pic", "Save picture") == [5, 6, 7]


def test_what_was_used_lately_comes_first(window: Window) -> None:
    actions = list(window.actions_by_id)
    assert found("", actions, ["help.about"])[0].action.id == "help.about"
    assert found("about", actions, [])[0].action.id == "help.about"
    disabled = [entry.qt.isEnabled() for entry in found("", actions, [])]
    assert disabled == sorted(disabled, reverse=True), "what cannot be done now comes last"


def test_actions_are_found_by_their_python(window: Window) -> None:
    ids = [entry.action.id for entry in found("doc.undo", list(window.actions_by_id), [])]
    assert ids[0] == "edit.undo"


def test_the_palette_runs_what_is_chosen(qtbot: QtBot, window: Window) -> None:
    palette = window.palette_
    window.actions_by_id["window.palette"].trigger()
    assert palette.isVisible()
    assert len(palette.model.entries) == len(ACTIONS) - 1
    qtbot.keyClicks(palette.edit, "light or dark")
    palette.list.grab()
    assert palette.model.entries[0].action.id == "window.theme"
    before = window.session.theme.tokens.name
    qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.session.theme.tokens.name != before
    assert window.session.preferences.recent_actions == ["window.theme"]


def test_arrows_move_and_escape_closes(qtbot: QtBot, window: Window) -> None:
    palette = window.palette_
    palette.open()
    rows = sum(entry.qt.isEnabled() for entry in palette.model.entries)
    assert 13 < rows < len(palette.model.entries)
    for key, row in (
        (Qt.Key.Key_Down, 1), (Qt.Key.Key_Up, 0), (Qt.Key.Key_Up, rows - 1),
        (Qt.Key.Key_PageUp, rows - 13), (Qt.Key.Key_PageDown, rows - 1),
    ):  # fmt: skip
        qtbot.keyClick(palette.edit, key)
        assert palette.list.currentIndex().row() == row
    palette.edit.setText("qqqqzz")
    assert palette.model.entries == []
    qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert palette.isVisible()
    qtbot.keyClick(palette.edit, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_the_sheet_of_keys_is_searched(window: Window) -> None:
    dialog = KeysDialog(window.actions_by_id.shortcut_tables(), window)
    dialog.search.setText("parallel")
    words = [w for section in dialog.sections for _, w, _ in section.rows if not w.isHidden()]
    assert [label.text() for label in words] == ["Parallel projection"]
    dialog.search.setText("")
    assert not any(w.isHidden() for section in dialog.sections for _, w, _ in section.rows)
    dialog.deleteLater()


def test_preferences_take_effect(
    qtbot: QtBot, session: Session, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = {
        "cuda": Availability(ok=False, reason="There is no NVIDIA driver"),
        "cpu": Availability(ok=True, reason=""),
    }
    monkeypatch.setattr(calls, "backends", lambda: states)
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.editing.editor is not None)
    dialog = PreferencesDialog(session)
    dialog.theme.setCurrentIndex(1)
    assert session.theme.tokens.name == "light"
    dialog.history.setValue(100)
    assert session.editing.editor.history.limit == 100 << 20
    dialog.scale.setValue(6)
    assert session.preferences.scale_percent == 150
    assert "next start" in dialog._restart.text()
    dialog.autosave.setChecked(False)
    assert not session.preferences.autosave
    dialog.navigation.setCurrentIndex(1)
    assert session.preferences.navigation == "blender"
    dialog.unit.setCurrentIndex(1)
    assert session.preferences.unit == "m"
    qtbot.waitUntil(lambda: dialog.backend.count() == 3)
    assert "There is no NVIDIA driver" in dialog._reasons.text()
    assert not dialog.backend.model().item(1).isEnabled()
    dialog.backend.setCurrentIndex(2)
    assert session.preferences.backend == "cpu"
    dialog.accept()
    dialog.deleteLater()


def test_settings_that_make_no_sense_are_the_first_ones(session: Session) -> None:
    preferences = session.preferences
    for key in ("history", "scale", "navigation", "unit", "autosave", "layout", "geometry"):
        preferences._settings.setValue(key, "nonsense")
    assert preferences.history_mib == 512
    assert preferences.scale_percent == 100
    assert preferences.navigation == "orbit"
    assert preferences.unit == "units"
    assert preferences.layout is None
    preferences._settings.setValue("scale", 100000)
    assert preferences.scale_percent == 300


def test_names_are_asked_for(qtbot: QtBot) -> None:
    dialog = NamingDialog("Save layout", ["wide"])
    assert not dialog.save_button.isEnabled()
    dialog.name.setText(" wide ")
    assert "Replaces" in dialog._word.text()
    with qtbot.waitSignal(dialog.named) as named:
        dialog.save_button.click()
    assert named.args == ["wide"]
    choosing = ChoosingDialog("Forget a layout", "Forget", ["a", "b"])
    choosing.list.setCurrentRow(1)
    with qtbot.waitSignal(choosing.chosen) as chosen:
        choosing._choose()
    assert chosen.args == ["b"]
    for made in (dialog, choosing):
        made.deleteLater()


def test_example_scripts_are_shown_and_copied(qtbot: QtBot, session: Session) -> None:
    dialog = ExamplesDialog(session)
    assert dialog.list.count() == len(calls.example_scripts()) >= 4
    dialog.list.setCurrentRow(1)
    dialog._copy()
    text = QGuiApplication.clipboard().text()
    assert text == dialog.scripts[1].text
    assert "import polyorama as po" in text
    dialog.grab()
    dialog.deleteLater()


def test_no_dialog_speaks_of_what_is_not_there(window: Window) -> None:
    dialog = KeysDialog(window.actions_by_id.shortcut_tables(), window)
    assert all(label.text() for label in dialog.findChildren(QLabel))
    dialog.deleteLater()
