"""Saving, what would be lost, and the journal that brings it back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from polyorama.errors import OutputError
from polyorama.io.project import read_project, read_thumbnail
from polyorama.io.recovery import recoverable
from polyorama.scene.document import Document, Node, Source
from polyorama_studio import calls
from polyorama_studio.dialogs.missing import MissingDialog
from polyorama_studio.dialogs.recovery import RecoveryDialog
from polyorama_studio.dialogs.unsaved import UnsavedDialog

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Notice, Session
    from polyorama_studio.window import Window
    from tests.gui.fakes import Reader


@pytest.fixture
def notices(session: Session) -> list[Notice]:
    got: list[Notice] = []
    session.notice.connect(got.append)
    return got


@pytest.fixture
def edited(qtbot: QtBot, session: Session, tmp_path: Path) -> Session:
    """A session with a capture open, whose node was renamed."""
    session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    assert not session.saving.modified
    session.editing.run("rename", node="thing", name="vase")
    return session


def test_a_step_makes_it_modified_and_undoing_takes_that_back(edited: Session) -> None:
    assert edited.saving.modified
    edited.editing.undo()
    assert not edited.saving.modified
    edited.editing.redo()
    assert edited.saving.modified


def test_choosing_is_nothing_that_could_be_lost(edited: Session) -> None:
    edited.editing.undo()
    edited.editing.run("choose", nodes="thing")
    assert not edited.saving.modified
    edited.editing.run("select", query="opacity > 0.5")
    assert edited.saving.modified, "a selection is work"


def test_a_capture_asks_where_to_be_saved(edited: Session, notices: list[Notice]) -> None:
    asked: list[object] = []
    edited.saving.path_asked.connect(asked.append)
    edited.saving.save()
    assert asked == [None]
    assert notices == []


def test_saving_writes_a_project_that_reads_the_same(
    qtbot: QtBot, edited: Session, notices: list[Notice], tmp_path: Path
) -> None:
    path = tmp_path / "scene.poly"
    edited.stage.set_size(64, 48)
    qtbot.waitUntil(lambda: edited.stage.picture is not None)
    done: list[bool] = []
    edited.saving.save_as(tmp_path / "scene", lambda: done.append(True))
    assert edited.saving.writing
    qtbot.waitUntil(lambda: bool(done))
    assert not edited.saving.writing
    assert not edited.saving.modified
    assert edited.saving.path == path
    assert edited.title == "scene.poly"
    assert edited.preferences.recent[0] == path
    assert notices[-1].kind == "good"
    assert edited.python[-1] == f"po.save(doc, {str(path)!r})"
    document = read_project(path)
    assert [node.name for node in document.nodes] == ["vase"]
    assert document.camera is not None, "the view comes back, too"
    assert read_thumbnail(path) is not None
    edited.editing.run("rename", node="vase", name="jug")
    assert edited.saving.modified
    edited.saving.save()
    qtbot.waitUntil(lambda: not edited.saving.modified)
    assert [node.name for node in read_project(path).nodes] == ["jug"]


def test_what_is_edited_while_it_is_written_stays_unsaved(
    qtbot: QtBot, edited: Session, tmp_path: Path
) -> None:
    edited.saving.save_as(tmp_path / "scene.poly")
    edited.editing.run("rename", node="vase", name="jug")
    qtbot.waitUntil(lambda: edited.saving.path is not None)
    assert edited.saving.modified
    edited.editing.undo()
    assert not edited.saving.modified


@pytest.mark.parametrize("reason", ["the disk is full", "its folder is read-only for you"])
def test_a_failure_leaves_the_document_as_it_was(
    qtbot: QtBot, edited: Session, notices: list[Notice], tmp_path: Path, monkeypatch, reason: str
) -> None:
    def refuse(*arguments: object) -> None:
        raise OutputError(f"Cannot write ({reason}): scene.poly")

    monkeypatch.setattr(calls, "save_project", refuse)
    before, asked = edited.editing.document, []
    edited.saving.path_asked.connect(asked.append)
    edited.saving.save_as(tmp_path / "scene.poly")
    qtbot.waitUntil(lambda: bool(notices))
    assert reason in notices[0].text
    assert edited.editing.document is before
    assert edited.saving.modified
    assert edited.saving.path is None
    notices[0].action()
    assert asked == [None], "the toast offers another place"


def test_files_that_ship_with_us_are_never_saved_over(qtbot: QtBot, session: Session) -> None:
    session.opening.open_sample()
    qtbot.waitUntil(lambda: session.editing.document is not None)
    assert session.saving.path is None


def test_opening_another_file_asks_first(qtbot: QtBot, edited: Session, tmp_path: Path) -> None:
    asked: list[object] = []
    edited.saving.leave_asked.connect(asked.append)
    edited.open_files([tmp_path / "other.ply"])
    assert len(asked) == 1
    assert edited.title == "thing.ply"
    edited.saving.give_up()
    asked[0]()
    qtbot.waitUntil(lambda: edited.title == "other.ply")


def test_changes_made_while_a_file_was_read_are_asked_about(
    qtbot: QtBot, edited: Session, reader: Reader, tmp_path: Path
) -> None:
    asked: list[object] = []
    edited.saving.leave_asked.connect(asked.append)
    edited.saving.give_up()
    edited.open_files([tmp_path / "other.ply"])
    edited.editing.run("rename", node="vase", name="jug")
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert edited.title == "thing.ply"


def test_the_window_asks_and_does_as_it_is_told(
    qtbot: QtBot, opened: Window, tmp_path: Path
) -> None:
    session = opened.session
    session.editing.run("rename", node="thing", name="vase")
    assert opened.isWindowModified()
    opened.close()
    dialog = opened.findChild(UnsavedDialog)
    assert opened.isVisible()
    assert "thing.splat" in dialog.findChildren(type(dialog._title))[1].text()
    dialog.cancel_button.click()
    assert opened.isVisible()
    opened.close()
    opened.findChildren(UnsavedDialog)[-1].discard_button.click()
    assert not opened.isVisible()


def test_save_in_that_dialog_saves_then_leaves(
    qtbot: QtBot, opened: Window, tmp_path: Path
) -> None:
    session = opened.session
    session.editing.run("rename", node="thing", name="vase")
    session.saving.save_as(tmp_path / "scene.poly")
    qtbot.waitUntil(lambda: not session.saving.modified)
    session.editing.run("rename", node="vase", name="jug")
    opened.close()
    opened.findChild(UnsavedDialog).save_button.click()
    qtbot.waitUntil(lambda: not opened.isVisible())
    assert [node.name for node in read_project(tmp_path / "scene.poly").nodes] == ["jug"]


def test_what_is_changed_while_the_last_save_is_written_is_asked_about(
    qtbot: QtBot, edited: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, write = threading.Event(), calls.save_project
    monkeypatch.setattr(calls, "save_project", lambda *a: gate.wait(10.0) and write(*a))
    asked: list[object] = []
    left: list[bool] = []
    edited.saving.leave_asked.connect(asked.append)
    edited.saving.save_as(tmp_path / "scene.poly", lambda: left.append(True))
    edited.editing.run("rename", node="vase", name="jug")
    gate.set()
    qtbot.waitUntil(lambda: not edited.saving.writing)
    assert left == []
    assert len(asked) == 1
    edited.saving.save(asked[0])
    qtbot.waitUntil(lambda: left == [True])
    assert [node.name for node in read_project(tmp_path / "scene.poly").nodes] == ["jug"]


# The journal


def test_each_step_lies_in_the_journal_until_the_end(edited: Session) -> None:
    journal = edited.saving.journal
    assert journal is not None
    assert journal.flush(10.0)
    folder = journal.folder
    assert folder is not None
    assert (folder / "log").stat().st_size > 0
    edited.opening.close()
    edited.saving.give_up()
    edited.opening.close()
    assert edited.saving.journal is None
    assert not folder.exists()


def test_without_autosave_there_is_none(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.preferences.autosave = False
    session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    session.editing.run("rename", node="thing", name="vase")
    assert session.saving.journal is None


def test_lost_work_is_found_and_comes_back(qtbot: QtBot, edited: Session) -> None:
    journal = edited.saving.journal
    assert journal is not None
    # As after a crash: the journal is left where it lies.
    journal.close(discard=False)
    edited.saving.journal = None
    found: list[list[object]] = []
    edited.saving.found.connect(found.append)
    edited.saving.look_for_lost_work()
    qtbot.waitUntil(lambda: bool(found))
    (recovery,) = found[0]
    assert recovery.steps == 1
    assert recovery.title == "Rename to vase"
    edited.saving.give_up()
    edited.saving.recover(recovery)
    qtbot.waitUntil(lambda: edited.files == () and edited.editing.document is not None)
    assert [node.name for node in edited.editing.document.nodes] == ["vase"]
    assert edited.saving.modified, "it is unsaved until it is saved"
    assert edited.saving.journal is not None
    assert edited.saving.journal.flush(10.0)
    assert recoverable() == [], "the old journal went, the new one is in use"


def test_the_recovery_dialog_says_what_there_is(qtbot: QtBot, edited: Session) -> None:
    edited.saving.journal.close(discard=False)
    edited.saving.journal = None
    (recovery,) = recoverable()
    dialog = RecoveryDialog(edited, [recovery])
    name = dialog.rows[0].accessibleName()
    assert "1 unsaved step" in name
    assert "Rename to vase" in name
    assert "Today" in name
    dialog.discard_button.click()
    # Not by `recoverable`, which holds the journal while it looks.
    qtbot.waitUntil(lambda: not recovery.folder.exists())
    assert recoverable() == []
    assert dialog.rows == []
    dialog.deleteLater()


def test_trouble_with_the_journal_is_told_once(
    qtbot: QtBot, edited: Session, notices: list[Notice]
) -> None:
    edited.saving._post_trouble(OutputError("The journal cannot be written (full)."))
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert notices[0].kind == "bad"


# Missing files


def test_missing_linked_files_are_told_and_located(
    qtbot: QtBot, session: Session, reader: Reader, notices: list[Notice], tmp_path: Path
) -> None:
    source = Source(str(tmp_path / "gone.splat"), "0" * 64, 320, linked=True)
    reader.read = lambda paths: Document((Node("pot", source=source),))
    asked: list[bool] = []
    session.missing_asked.connect(lambda: asked.append(True))
    session.open_files([tmp_path / "scene.poly"])
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert "pot" in notices[0].text
    notices[0].action()
    assert asked == [True]
    dialog = MissingDialog(session)
    runs: list[dict[str, object]] = []
    session.editing.start = lambda name, **arguments: runs.append({"op": name} | arguments)
    dialog._node = session.editing.document.nodes[0].id
    dialog._relink(str(tmp_path / "here.splat"))
    assert runs[0]["op"] == "relink"
    dialog._search(str(tmp_path))
    qtbot.waitUntil(lambda: "Nothing" in dialog._word.text())
    dialog.deleteLater()
