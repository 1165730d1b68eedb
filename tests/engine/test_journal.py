"""The journal: what was done comes back after a crash, from whatever is left on the disk."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from polyorama.core.compile import core_count
from polyorama.edit.editor import Editor
from polyorama.errors import FileFormatError, OutputError, PolyoramaError
from polyorama.io import journal as journal_room
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.journal import Journal
from polyorama.io.links import relink
from polyorama.io.project import read_project, write_project
from polyorama.io.recovery import Recovery, open_elsewhere, recoverable
from polyorama.scene.document import Document, Node
from polyorama.scene.selection import BitSet
from tests.engine.documents import cloud_of, digest, rich

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own."""
    folder = tmp_path / "state"
    monkeypatch.setattr(journal_room, "state_folder", lambda: folder)
    monkeypatch.setattr("polyorama.io.recovery.state_folder", lambda: folder)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "show.poly"
    path.parent.mkdir()
    write_project(rich(), path)
    return path


def edited(document: Document, path: Path | None, steps: int = 3) -> tuple[Journal, Editor]:
    """A journal of a document after some steps, all of it on the disk."""
    editor = Editor(document)
    journal = Journal.start(document, path, patience=30.0)
    journal.follow(editor)
    for number in range(steps):
        editor.run("rename", node=document.nodes[0].id, name=f"name {number}")
    assert journal.flush(30.0)
    return journal, editor


def wait_for_hashes(journal: Journal) -> None:
    """Hashes of files are taken when there is nothing else to do."""
    assert journal.folder is not None
    tick = threading.Event()
    while b'"hashes"' not in (journal.folder / "log").read_bytes():
        tick.wait(0.01)


def crashed(document: Document, path: Path | None, steps: int = 3) -> Document:
    """What a document had become when its program ended without a word."""
    journal, editor = edited(document, path, steps)
    journal.close(discard=False)
    return editor.document


def test_what_was_done_comes_back(project: Path) -> None:
    expected = crashed(read_project(project), project)
    (found,) = recoverable()
    assert (found.path, found.steps, found.title) == (project, 3, "Rename to name 2")
    assert digest(found.recover()) == digest(expected)
    assert digest(found.recover()) == digest(expected)
    found.discard()
    assert recoverable(project) == []
    assert list(project.parent.iterdir()) == [project]


def test_nothing_that_lies_in_a_file_is_copied(project: Path, tmp_path: Path) -> None:
    capture = tmp_path / "pot.splat"
    write_splats(cloud_of(300, 1), capture)
    opened = read_project(project)
    node = Node("new", read_splats(capture), id="new")
    document = replace(opened, nodes=(*opened.nodes, node))
    journal, editor = edited(document, project)
    assert journal.folder is not None
    names = sorted(path.name for path in journal.folder.iterdir())
    assert names == ["f1.poly", "f2.splat", "lock", "log"]
    journal.close(discard=False)
    assert digest(recoverable()[0].recover()) == digest(editor.document)


@pytest.mark.parametrize("fate", ["removed", "replaced", "touched", "moved"])
def test_the_project_may_go_meanwhile(project: Path, tmp_path: Path, fate: str) -> None:
    journal, editor = edited(read_project(project), project)
    wait_for_hashes(journal)
    journal.close(discard=False)
    expected = editor.document
    if fate == "removed":
        project.unlink()
    elif fate == "replaced":
        write_project(Document(), project)
    elif fate == "touched":
        os.utime(project, ns=(1, 1))
    else:
        project.rename(project.with_name("other.poly"))
    (found,) = recoverable()
    assert digest(found.recover()) == digest(expected)


def test_without_links_files_are_known_by_their_hash(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    document = read_project(project)
    journal, editor = edited(document, project)
    wait_for_hashes(journal)
    assert journal.folder is not None
    assert sorted(p.name for p in journal.folder.iterdir()) == ["lock", "log"]
    journal.close(discard=False)
    (project.parent / "old").mkdir()
    project.rename(project.parent / "old" / "moved.poly")
    os.utime(project.parent / "old" / "moved.poly", ns=(1, 1))
    assert digest(recoverable()[0].recover()) == digest(editor.document)


def test_a_file_that_was_written_over_leaves_the_edits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    capture = tmp_path / "pot.splat"
    write_splats(cloud_of(300, 1), capture)
    kept = capture.read_bytes()
    node = Node("pot", read_splats(capture), id="pot", deleted=BitSet.of_indices([1, 2], 300))
    crashed(Document((node,), selection={"pot": BitSet.all(300)}), None)
    capture.write_bytes(bytes(len(kept)))  # in place, so that links see it too
    (found,) = recoverable()
    with caplog.at_level(logging.WARNING):
        document = found.recover()
    assert "content of 'name 2' is lost" in caplog.text
    left = document.node("pot")
    assert left.missing
    assert len(left.deleted) == 2
    (tmp_path / "backup.splat").write_bytes(kept)
    mended = relink(document, "pot", tmp_path / "backup.splat").node("pot")
    assert digest(mended.content) == digest(node.content)


def test_an_unsaved_document_lies_in_the_state_folder(state: Path) -> None:
    document = Document((Node("pot", cloud_of(50, 1), id="pot"),))
    expected = crashed(document, None, steps=0)
    (found,) = recoverable()
    assert found.path is None
    assert found.folder.parent == state
    assert digest(found.recover()) == digest(expected)


def test_what_a_capture_holds_anyway_is_no_news(tmp_path: Path) -> None:
    write_splats(cloud_of(300, 1), tmp_path / "pot.splat")
    document = Document((Node("pot", read_splats(tmp_path / "pot.splat"), id="pot"),))
    crashed(document, None, steps=0)
    assert recoverable() == []
    assert list((tmp_path / "state").iterdir()) == []


def test_a_torn_line_costs_no_more_than_itself(project: Path) -> None:
    document = read_project(project)
    journal, editor = edited(document, project, 1)
    before = editor.document
    assert journal.folder is not None
    log = journal.folder / "log"
    whole = log.stat().st_size
    editor.run("rename", node="stage", name="last")
    assert journal.flush(30.0)
    journal.close(discard=False)
    data = log.read_bytes()
    after = digest(editor.document)
    lines = data[whole:].count(b"\n")
    for end in range(whole, len(data), 7):
        log.write_bytes(data[:end])
        assert digest(recoverable()[0].recover()) in (digest(before), after)
    for at in range(whole, len(data), 7):
        broken = bytearray(data)
        broken[at] ^= 0x10
        log.write_bytes(bytes(broken))
        assert digest(recoverable()[0].recover()) == digest(before) or lines > 1
    log.write_bytes(data)
    assert digest(recoverable()[0].recover()) == after


def test_a_torn_array_costs_the_steps_that_need_it(project: Path) -> None:
    document = read_project(project)
    journal, editor = edited(document, project, 1)
    before = editor.document
    editor.run("add_node", node=Node("new", cloud_of(500, 3), id="new"))
    editor.run("rename", node="new", name="newer")
    assert journal.flush(30.0)
    journal.close(discard=False)
    (found,) = recoverable()
    array = found.folder / "a1.npy"
    data = array.read_bytes()
    array.write_bytes(data[:-100] + bytes(100))
    assert digest(found.recover()) == digest(before)
    array.write_bytes(data)
    assert digest(found.recover()) == digest(editor.document)


def test_a_journal_of_nothing_is_told(project: Path) -> None:
    crashed(read_project(project), project)
    (found,) = recoverable()
    (found.folder / "log").write_bytes(b"")
    with pytest.raises(FileFormatError, match="nothing that can be recovered"):
        found.recover()


def test_undoing_is_a_step_and_a_drag_is_one(project: Path) -> None:
    document = read_project(project)
    editor = Editor(document)
    journal = Journal.start(document, project, patience=30.0)
    journal.follow(editor)
    with editor.gesture("Drag"):
        for x in range(20):
            editor.run("set", path="pot/translation", value=(x, 0.0, -0.0))
    editor.run("rename", node="pot", name="vase")
    editor.undo()
    journal.flush()
    journal.close(discard=False)
    (found,) = recoverable()
    assert found.steps == 3
    assert digest(found.recover()) == digest(editor.document)


def test_commands_can_be_handed_over_one_by_one(project: Path) -> None:
    document = read_project(project)
    editor = Editor(document)
    journal = Journal.start(document, project, patience=30.0)
    for name in ("a", "b"):
        editor.run("rename", node="pot", name=name)
        journal.append(editor.history.commands[-1])
    journal.flush()
    journal.close(discard=False)
    assert digest(recoverable()[0].recover()) == digest(editor.document)


def test_saving_begins_afresh(project: Path, tmp_path: Path) -> None:
    journal, editor = edited(read_project(project), project)
    first = journal.folder
    other = tmp_path / "other.poly"
    saved = editor.document
    editor.run("rename", node="pot", name="edited while it was saved")
    write_project(saved, other)
    journal.saved(saved, other)
    assert journal.flush(30.0)
    assert first is not None
    assert not first.exists()
    assert journal.folder is not None
    assert journal.folder.parent == tmp_path
    # What was just saved is referred to, not copied.
    assert not list(journal.folder.glob("*.npy"))
    journal.close(discard=False)
    (found,) = recoverable()
    assert found.path == other
    assert digest(found.recover()) == digest(editor.document)


def test_the_folder_before_goes_once_the_next_one_holds_all(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash while one folder takes the place of another loses nothing edited while saving."""
    editor = Editor(read_project(project))
    journal = Journal.start(editor.document, project, patience=30.0)
    journal.follow(editor)
    editor.run("rename", node="pot", name="saved")
    saved = editor.document
    editor.run("rename", node="pot", name="since")
    assert journal.flush(30.0)
    crashed = tmp_path / "crashed"
    discard = journal_room._Session.discard

    def crash(session: journal_room._Session) -> None:
        """What lies on the disk just before the old folder goes."""
        assert journal.folder is not None
        shutil.copytree(journal.folder, crashed, dirs_exist_ok=True)
        discard(session)

    monkeypatch.setattr(journal_room._Session, "discard", crash)
    write_project(saved, project)
    journal.saved(saved, project)
    assert journal.flush(30.0)
    monkeypatch.undo()
    journal.close()
    held = Recovery(project, datetime.now(UTC), 0, "", crashed)
    assert digest(held.recover()) == digest(editor.document)


def test_closing_leaves_nothing(project: Path, state: Path) -> None:
    journal, _ = edited(read_project(project), project)
    journal.close()
    assert recoverable(project) == []
    assert list(project.parent.iterdir()) == [project]
    assert list(state.iterdir()) == []


def test_closing_need_not_be_waited_for(project: Path, state: Path) -> None:
    journal, _ = edited(read_project(project), project)
    journal.close(wait=False)
    for thread in threading.enumerate():
        if thread.name == "journal-end":
            thread.join()
    assert list(project.parent.iterdir()) == [project]
    assert list(state.iterdir()) == []


def test_what_was_recovered_stays_until_the_next_journal_holds_it(project: Path) -> None:
    expected = crashed(read_project(project), project)
    (found,) = recoverable()
    document = found.recover()
    journal = Journal.start(document, found.path, replaces=found)
    assert journal.flush(30.0)
    assert not found.folder.exists()
    journal.close(discard=False)
    (again,) = recoverable()  # though no step was done since
    assert again.steps == 0
    assert digest(again.recover()) == digest(expected)


def test_two_programs_do_not_fight(project: Path) -> None:
    document = read_project(project)
    first, one = edited(document, project, 1)
    assert open_elsewhere(project)
    second, two = edited(document, project, 2)
    assert first.folder != second.folder
    assert recoverable(project) == []  # both are at work
    first.close(discard=False)
    (found,) = recoverable(project)
    assert digest(found.recover()) == digest(one.document)
    second.close(discard=False)
    assert not open_elsewhere(project)
    states = {digest(r.recover()) for r in recoverable(project)}
    assert states == {digest(one.document), digest(two.document)}


def test_a_journal_that_is_held_is_neither_read_nor_removed(project: Path) -> None:
    journal, _ = edited(read_project(project), project)
    assert journal.folder is not None
    held = Recovery(project, None, 0, "", journal.folder)  # type: ignore[arg-type]
    with pytest.raises(OutputError, match="Another Polyorama"):
        held.recover()
    with pytest.raises(OutputError, match="Another Polyorama"):
        held.discard()
    journal.close()


def test_journals_that_came_from_elsewhere_are_found_beside_the_project(
    project: Path, tmp_path: Path, state: Path
) -> None:
    expected = crashed(read_project(project), project)
    shutil.rmtree(state)
    stick = tmp_path / "stick"
    shutil.copytree(project.parent, stick)
    shutil.rmtree(project.parent)
    assert recoverable() == []
    (found,) = recoverable(stick / "show.poly")
    assert digest(found.recover()) == digest(expected)


def test_a_folder_that_takes_no_files_is_told_apart(
    project: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Path.mkdir

    def refused(self: Path, *args: object, **options: object) -> None:
        if self.parent == project.parent:
            raise PermissionError(errno.EACCES, "read-only")
        plain(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", refused)
    expected = crashed(read_project(project), project)
    (found,) = recoverable()
    assert found.folder.parent == state
    assert found.path == project
    assert digest(found.recover()) == digest(expected)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """While it holds True, the disk is full: half of a line is written."""
    state = [False]
    write = os.write

    def failing(handle: int, data: bytes) -> int:
        if state[0] and len(data) > 40:
            return write(handle, bytes(data)[: len(data) // 2]) and _raise()
        return write(handle, data)

    def _raise() -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", failing)
    return state


def test_a_full_disk_is_told_once_and_loses_nothing_once_there_is_room(
    project: Path, full: list[bool]
) -> None:
    told: list[PolyoramaError] = []
    document = read_project(project)
    editor = Editor(document)
    journal = Journal.start(document, project, report=told.append, patience=30.0)
    journal.follow(editor)
    editor.run("rename", node="pot", name="before")
    assert journal.flush(30.0)
    full[0] = True
    for number in range(3):
        editor.run("rename", node="pot", name=f"no room {number}")
    assert not journal.flush(30.0)
    assert editor.document.node("pot").name == "no room 2"
    assert "No space left" in str(told[0])
    full[0] = False
    editor.run("rename", node="leaf", name="room again")
    while not journal.flush(1.0):
        pass
    assert len(told) == 1
    journal.close(discard=False)
    assert digest(recoverable()[0].recover()) == digest(editor.document)


def test_a_note_that_lies_removes_nothing(state: Path, tmp_path: Path) -> None:
    state.mkdir()
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    (state / "x.json").write_text(json.dumps({"folder": str(precious)}))
    (state / "y.json").write_text("[")
    assert recoverable() == []
    assert (precious / "thesis.txt").exists()


def test_arrays_that_are_gone_are_not_taken_for_new_ones(tmp_path: Path) -> None:
    journal = Journal.start(Document(), None, patience=30.0)
    document = Document()
    for seed in range(12):  # each takes the memory of the one before
        document = Document((Node("one", cloud_of(1000, seed), id="one"),))
        journal.record(document)
        assert journal.flush(30.0)
    journal.close(discard=False)
    assert digest(recoverable()[0].recover()) == digest(document)
    assert np.array_equal(document.nodes[0].content.means, cloud_of(1000, 11).means)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill")
def test_fifty_kills_lose_at_most_the_last_gesture(tmp_path: Path) -> None:
    """A process that edits, saves and drags is killed at 50 moments, each time to be recovered."""
    parts = min(core_count(), 4)
    edges = [50 * i // parts for i in range(parts + 1)]
    runs = []
    for part in range(parts):
        folder = tmp_path / f"part{part}"
        folder.mkdir()
        words = [sys.executable, "-W", "error", "-m", "tests.engine.journal_worker", str(folder)]
        environment = os.environ | {"XDG_STATE_HOME": str(folder / "state")}
        runs.append(
            subprocess.Popen(
                [*words, str(edges[part]), str(edges[part + 1])],
                cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
        )  # fmt: skip
    reports = []
    for run in runs:
        out, error = run.communicate(timeout=240)
        assert run.returncode == 0, error.decode()[-3000:]
        reports += json.loads(out)
    assert len(reports) == 50
    assert [report for report in reports if not report["at"] or report["left"]] == []
    assert len({report["done"] for report in reports}) > 5
    assert any(report["found"] for report in reports)
