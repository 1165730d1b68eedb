"""Things go wrong: a sentence says what, and the document stays as it was."""

from __future__ import annotations

import errno
import json
import os
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.io.formats import write_splats
from polyorama.scene.patch import Patch
from polyorama_studio import logs
from polyorama_studio.dialogs.export import export
from polyorama_studio.exporting import ExportSettings
from polyorama_studio.jobs import Handlers
from polyorama_studio.session import Session
from tests.gui.fakes import FakeRasterizer, a_cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document
    from polyorama_studio.preferences import Preferences

HUE = {"hue": 30.0}


@pytest.fixture
def studio(
    qtbot: QtBot, preferences: Preferences, rasterizer: FakeRasterizer, tmp_path: Path
) -> Iterator[Session]:
    """A session that reads real files, with one open and edited."""
    session = Session(preferences=preferences, make_rasterizer=rasterizer.make)
    try:
        session.theme.apply()
        session.stage.set_size(64, 48)
        write_splats(a_cloud(), tmp_path / "thing.splat")
        session.open_files([tmp_path / "thing.splat"])
        qtbot.waitUntil(lambda: session.editing.document is not None, timeout=30_000)
        session.editing.run("add_modifier", node="thing", kind="grade", values=HUE)
        yield session
    finally:
        session.close()


def document_of(session: Session) -> Document:
    document = session.editing.document
    assert document is not None
    return document


def bad(session: Session) -> list[str]:
    return [told.notice.text for told in session.told if told.notice.kind == "bad"]


def told(qtbot: QtBot, session: Session, count: int = 1) -> str:
    """The toast of a failure; the only one."""
    qtbot.waitUntil(lambda: len(bad(session)) >= count, timeout=30_000)
    assert len(bad(session)) == count
    return bad(session)[-1]


def still_works(session: Session, before: Document) -> None:
    """The document is untouched, and goes on being edited, undone and redone."""
    assert session.editing.document is before
    assert session.editing.run("rename", node="thing", name="pot")
    assert session.editing.undo()
    assert not Patch.between(before, document_of(session))


def full_disk(*arguments: object, **more: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("exists", [False, True])
def test_a_full_disk_while_saving(
    qtbot: QtBot, studio: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    path = tmp_path / "show.poly"
    if exists:
        studio.saving.save_as(path)
        qtbot.waitUntil(lambda: studio.saving.path == path, timeout=30_000)
        studio.editing.run("rename", node="thing", name="other")
    kept = path.read_bytes() if exists else None
    before = document_of(studio)
    with monkeypatch.context() as patched:
        patched.setattr("polyorama.io.atomic.os.fsync", full_disk)
        studio.saving.save_as(path)
        qtbot.waitUntil(lambda: any("show.poly" in text for text in bad(studio)), timeout=30_000)
    text = next(text for text in bad(studio) if "show.poly" in text)
    assert "the disk is full" in text
    assert (path.read_bytes() if path.exists() else None) == kept
    assert not [p.name for p in tmp_path.iterdir() if "show" in p.name and p != path
                and not p.is_dir()]  # fmt: skip
    assert studio.saving.modified
    (notice,) = (each.notice for each in studio.told if each.notice.text == text)
    assert notice.action_title == "Save elsewhere..."
    assert document_of(studio) is before
    studio.saving.save_as(path)
    qtbot.waitUntil(lambda: not studio.saving.modified, timeout=30_000)


def test_a_full_disk_while_exporting(
    qtbot: QtBot, studio: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = document_of(studio)
    monkeypatch.setattr("polyorama.io.atomic.os.fsync", full_disk)
    export(studio, before, ExportSettings(tmp_path / "out.ply"))
    # The journal may say so, too.
    qtbot.waitUntil(lambda: any("out.ply" in text for text in bad(studio)), timeout=30_000)
    assert not (tmp_path / "out.ply").exists()
    still_works(studio, before)


def test_a_full_disk_under_the_journal(
    qtbot: QtBot, studio: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("polyorama.io.journal.os.write", full_disk)
        studio.editing.run("rename", node="thing", name="pot")
        text = told(qtbot, studio)
    assert text
    assert document_of(studio).nodes[0].name == "pot"
    assert studio.editing.undo()


def locked(*arguments: object, **more: object) -> None:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def test_a_locked_folder(
    qtbot: QtBot, studio: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = document_of(studio)
    with monkeypatch.context() as patched:
        patched.setattr("polyorama.io.atomic.tempfile.mkstemp", locked)
        studio.saving.save_as(tmp_path / "show.poly")
        assert "show.poly" in told(qtbot, studio)
    assert studio.saving.modified
    assert studio.saving.path is None
    still_works(studio, before)


def test_a_folder_that_is_gone(qtbot: QtBot, studio: Session, tmp_path: Path) -> None:
    before = document_of(studio)
    studio.saving.save_as(tmp_path / "nowhere" / "show.poly")
    assert "nowhere" in told(qtbot, studio)
    assert studio.saving.modified
    still_works(studio, before)


def test_a_vanished_file(qtbot: QtBot, studio: Session, tmp_path: Path) -> None:
    before = document_of(studio)
    studio.saving.give_up()
    studio.open_files([tmp_path / "gone.ply"])
    assert "gone.ply" in told(qtbot, studio)
    still_works(studio, before)
    (tmp_path / "thing.splat").unlink()
    path = tmp_path / "show.poly"
    studio.saving.save_as(path)
    qtbot.waitUntil(lambda: studio.saving.path == path, timeout=30_000)
    assert len(bad(studio)) == 1, "what is open does not need its file any more"


def corrupt(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 this was a project once")


def without_document(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thumb.png", b"")


def cut_short(path: Path) -> None:
    from polyorama.io.project import write_project
    from tests.gui.fakes import a_document

    write_project(a_document([path.with_name("thing.ply")]), path)
    path.write_bytes(path.read_bytes()[:-400])


def newer(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("document.json", json.dumps({"format": 99}))


@pytest.mark.parametrize("spoil", [corrupt, without_document, cut_short, newer])
@pytest.mark.parametrize("add", [False, True])
def test_a_project_that_cannot_be_read(
    qtbot: QtBot, studio: Session, tmp_path: Path, spoil: Callable[[Path], None], add: bool
) -> None:
    path = tmp_path / "broken.poly"
    spoil(path)
    before = document_of(studio)
    studio.saving.give_up()
    studio.open_files([path], add=add)
    text = told(qtbot, studio)
    assert "broken.poly" in text
    assert ("newer" in text) == (spoil is newer)
    still_works(studio, before)


@pytest.fixture
def caught(studio: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Errors that nobody catches are told, as in the program."""
    monkeypatch.setattr("sys.excepthook", logs._on_exception)
    logs.tell_uncaught(studio.on_uncaught)
    yield studio
    logs.tell_uncaught(None)


def test_an_exception_in_a_slot(qtbot: QtBot, caught: Session) -> None:
    before = document_of(caught)

    def slot(command: object) -> None:
        raise ZeroDivisionError("of a plug-in")

    caught.editing.edited.connect(slot)
    with qtbot.captureExceptions():
        assert caught.editing.run("rename", node="thing", name="pot")
        caught.editing.edited.disconnect(slot)
    logs._on_exception(ZeroDivisionError, ZeroDivisionError("of a plug-in"), None)
    text = told(qtbot, caught)
    assert "ZeroDivisionError" in text
    assert "as it was" in text
    assert caught.told[-1].notice.action_title == "Copy the log"
    assert caught.editing.undo()
    assert not Patch.between(before, document_of(caught))


def test_an_operation_that_breaks(
    qtbot: QtBot, studio: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = document_of(studio)
    assert not studio.editing.run("rename", node="nobody", name="pot")
    assert "nobody" in told(qtbot, studio)
    studio.editing.start("select", query="opacity < < 3")
    told(qtbot, studio, 2)
    still_works(studio, before)


@pytest.mark.parametrize("error", [RuntimeError("dead"), MemoryError(), UsageError("It died.")])
def test_a_job_that_dies(qtbot: QtBot, studio: Session, error: Exception) -> None:
    before = document_of(studio)

    def work() -> Job[None]:
        yield Progress(1, 3, "Working")
        raise error

    done: list[Any] = []
    studio.start_job(work, Handlers(done.append, studio.report, studio.on_progress), "Die")
    text = told(qtbot, studio)
    assert text.endswith(".") or text.endswith(").")
    assert done == []
    qtbot.waitUntil(lambda: not studio.jobs.active, timeout=10_000)
    assert studio.busy is None
    still_works(studio, before)


def test_a_renderer_that_dies(qtbot: QtBot, studio: Session, rasterizer: FakeRasterizer) -> None:
    before = document_of(studio)
    qtbot.waitUntil(lambda: studio.stage.idle, timeout=10_000)
    rasterizer.error = RuntimeError("the card is gone")
    studio.stage.refresh()
    text = told(qtbot, studio)
    assert "the card is gone" in text
    rasterizer.error = None
    action = studio.told[-1].notice.action
    assert action is not None
    action()
    qtbot.waitUntil(lambda: studio.stage.idle, timeout=10_000)
    assert studio.stage.picture is not None
    assert studio.stage.picture.error is None
    still_works(studio, before)
