"""Journals that are damaged, hostile, too large or that cannot be written harm nothing."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyorama.edit.editor import Editor
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io import journal as journal_room
from polyorama.io import recovery
from polyorama.io.journal import Journal, line_of
from polyorama.io.recovery import recoverable
from polyorama.scene.document import Document, Node
from polyorama.scene.timeline import Key, Timeline, Track
from tests.engine.documents import cloud_of, digest, rich


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own."""
    folder = tmp_path / "state"
    folder.mkdir()
    monkeypatch.setattr(journal_room, "state_folder", lambda: folder)
    monkeypatch.setattr(recovery, "state_folder", lambda: folder)
    return folder


def crashed(document: Document, steps: int = 3) -> tuple[Document, Path]:
    editor = Editor(document)
    journal = Journal.start(document, None, patience=30.0)
    journal.follow(editor)
    for number in range(steps):
        editor.run("rename", node=document.nodes[0].id, name=f"name {number}")
    assert journal.flush(30.0)
    folder = journal.folder
    journal.close(discard=False)
    assert folder is not None
    return editor.document, folder


def journal_of(state: Path, *lines: dict[str, Any], name: str = "x.journal-1") -> Path:
    folder = state / name
    folder.mkdir()
    (folder / "log").write_bytes(b"".join(map(line_of, lines)))
    return folder


HEAD = {"polyorama": "journal", "format": 1, "unsaved": True, "project": None}
PATCH: dict[str, Any] = {"fields": {}, "nodes": {}, "removed": [], "added": [], "order": None}


@pytest.mark.parametrize("at", [0, 10, 60])
def test_looking_for_a_damaged_journal_leaves_it(at: int, caplog: pytest.LogCaptureFixture) -> None:
    expected, folder = crashed(rich())
    whole = (folder / "log").read_bytes()
    broken = bytearray(whole)
    broken[at] ^= 0x55
    (folder / "log").write_bytes(broken)
    with caplog.at_level(logging.WARNING):
        assert recoverable() == []
    assert "was left" in caplog.text
    (folder / "log").write_bytes(whole)
    (found,) = recoverable()
    assert digest(found.recover()) == digest(expected)


def test_looking_for_a_journal_that_cannot_be_read_leaves_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, _folder = crashed(rich())
    opened = Path.open

    def refused(path: Path, *arguments: Any, **more: Any) -> Any:
        if path.name == "log":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refused)
        assert recoverable() == []
    (found,) = recoverable()
    assert digest(found.recover()) == digest(expected)


def test_journals_that_began_with_nothing_go(state: Path) -> None:
    empty, none = state / "e.journal-1", state / "n.journal-2"
    empty.mkdir()
    none.mkdir()
    (empty / "log").write_bytes(b"")
    settled = journal_of(state, {**HEAD, "unsaved": False}, name="s.journal-3")
    assert recoverable() == []
    assert not empty.exists()
    assert not none.exists()
    assert not settled.exists()


def test_a_note_of_a_disk_that_is_not_there_stays(state: Path, tmp_path: Path) -> None:
    away = state / "away.json"
    away.write_text(json.dumps({"folder": str(tmp_path / "disk" / ".a.poly.journal-1")}))
    gone = state / "gone.json"
    gone.write_text(json.dumps({"folder": str(tmp_path / ".a.poly.journal-1")}))
    assert recoverable() == []
    assert away.exists()
    assert not gone.exists()


DEEP = b'{"polyorama": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    "more",
    [
        {"steps": "many"}, {"steps": -5}, {"time": 1e300}, {"time": "now"}, {"title": ["a"]},
        {"time": -1e18}, {"steps": True}, {"title": "x" * 10**6},
    ],
    ids=str,
)  # fmt: skip
def test_odd_words_in_a_journal_are_passed_over(state: Path, more: dict[str, Any]) -> None:
    expected, _ = crashed(rich())
    journal_of(state, {**HEAD, **more, "patch": PATCH})
    found = recoverable()
    assert len(found) == 2
    odd = next(entry for entry in found if entry.folder.name == "x.journal-1")
    assert odd.steps == 0
    assert len(odd.title) <= 200
    assert not odd.recover().nodes
    other = next(entry for entry in found if entry is not odd)
    assert digest(other.recover()) == digest(expected)


@pytest.mark.parametrize(
    "head",
    [
        {**HEAD, "project": 5}, {**HEAD, "project": "a\0b"}, {**HEAD, "format": "1"},
        {**HEAD, "format": 99}, {**HEAD, "polyorama": "project"}, {"time": 5},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_journal_is_left_and_the_others_are_offered(
    state: Path, head: dict[str, Any]
) -> None:
    expected, _ = crashed(rich())
    folder = journal_of(state, head)
    (found,) = recoverable()
    assert digest(found.recover()) == digest(expected)
    assert (folder / "log").exists()


def test_deep_nesting_ends_a_log(state: Path) -> None:
    import zlib

    expected, folder = crashed(rich())
    line = b"%08x %08x %s\n" % (len(DEEP), zlib.crc32(DEEP), DEEP)
    with (folder / "log").open("ab") as log:
        log.write(line)
    (found,) = recoverable()
    assert digest(found.recover()) == digest(expected)
    other = state / "d.journal-1"
    other.mkdir()
    (other / "log").write_bytes(line)
    assert len(recoverable()) == 1


def test_machines_that_a_journal_names_are_not_asked(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    exists = Path.exists
    monkeypatch.setattr(
        Path, "exists", lambda path, **more: asked.append(str(path)) or exists(path, **more)
    )
    monkeypatch.setattr("polyorama.io.journal_blobs.stamp_of", lambda path: asked.append(str(path)))
    cloud = {"words": {"kind": "splats"}, "arrays": {"means": {"file": "f1", "member": "m"}}}
    node = {"type": "Node", "name": "a", "id": "a", "content": {"type": "blob", "key": "c1"}}
    patch = {**PATCH, "added": [node], "order": ["a"]}
    known = {"path": "//server/share/a.ply", "size": 5, "mtime_ns": 1, "link": ""}
    journal_of(
        state,
        {**HEAD, "project": "//server/share/a.poly", "patch": patch, "files": {"f1": known},
         "contents": {"c1": cloud}},
    )  # fmt: skip
    (found,) = recoverable()
    document = found.recover()
    assert document.nodes[0].missing
    assert not any("server" in path for path in asked)


def test_damaged_values_cost_the_steps_from_them_on(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = {"type": "Node", "name": "a", "id": "a"}
    lines: list[dict[str, Any]] = [{**HEAD, "patch": {**PATCH, "added": [node], "order": ["a"]}}]
    for number in range(300):
        changes: dict[str, Any] = {"name": f"name {number}"}
        if number == 20:
            changes["locked"] = {"type": "bits", "count": 9, "data": "AAAA"}
        lines.append({"patch": {**PATCH, "nodes": {"a": changes}}})
    lines.append({"patch": {**PATCH, "fields": {"background": "blue"}}})
    lines.append({"patch": {**PATCH, "order": ["nobody"]}})
    journal_of(state, *lines)
    tries: list[int] = []
    built = recovery._built
    monkeypatch.setattr(
        recovery, "_built", lambda place, folded: tries.append(folded.lines) or built(place, folded)
    )
    (found,) = recoverable()
    assert found.recover().node("a").name == "name 19"
    assert len(tries) < 6


def test_a_log_that_grows_is_begun_afresh(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_room, "_LARGE", 200_000)
    keys = tuple(Key(float(t), (0.0, float(t), 0.0)) for t in range(400))
    node = Node("pot", cloud_of(20, 0), id="pot")
    tracks = {"pot/translation": Track(keys)}
    editor = Editor(Document((node,), timeline=Timeline(tracks=tracks)))
    journal = Journal.start(editor.document, None, patience=30.0)
    journal.follow(editor)
    first = journal.folder
    sizes = []
    for number in range(60):
        editor.run("key", path="pot/translation", time=float(number), value=(1.0, 2.0, 3.0))
        assert journal.flush(30.0)
        assert journal.folder is not None
        sizes.append((journal.folder / "log").stat().st_size)
    assert journal.folder != first
    journal.close(discard=False)
    assert max(sizes) < 400_000
    (found,) = recoverable()
    assert found.steps == 60
    assert found.title == "Key pot/translation"
    assert digest(found.recover()) == digest(editor.document)


def test_whatever_goes_wrong_is_told_and_the_journal_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[PolyoramaError] = []

    def report(error: PolyoramaError) -> None:
        told.append(error)
        raise RuntimeError("the window is gone")

    editor = Editor(rich())
    journal = Journal.start(editor.document, None, report=report, patience=30.0)
    journal.follow(editor)
    assert journal.flush(30.0)
    with monkeypatch.context() as patch:
        patch.setattr(journal_room, "patch_entry", lambda *_: 1 / 0)
        editor.run("rename", node="pot", name="lost")
        assert not journal.flush(30.0)
    editor.run("rename", node="pot", name="found")
    while not journal.flush(1.0):
        pass
    journal.close(discard=False)
    assert len(told) == 1
    assert "division" in str(told[0])
    assert "could not be reported" in caplog.text
    assert recoverable()[0].recover().node("pot").name == "found"


def test_a_hash_that_cannot_be_written_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = threading.Event()

    def failing(_: Any) -> Any:
        hashed.set()
        raise OSError(28, "No space left on device")
        yield

    monkeypatch.setattr(journal_room._Session, "hashing", failing)
    editor = Editor(rich())
    journal = Journal.start(editor.document, None, patience=30.0)
    journal.follow(editor)
    assert journal.flush(30.0)
    assert hashed.wait(30.0)
    editor.run("rename", node="pot", name="after")
    assert journal.flush(30.0)
    journal.close()


def test_a_journal_without_a_line_is_told(state: Path) -> None:
    _, folder = crashed(rich())
    (found,) = recoverable()
    (folder / "log").unlink()
    with pytest.raises(FileFormatError, match="Cannot read"):
        found.recover()
    assert np.isfinite(found.time.timestamp())
