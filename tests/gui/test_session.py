"""Opening, saving, copying; and that none of it happens on the window's thread."""

from __future__ import annotations

import argparse
import shlex
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QGuiApplication

from polyorama.core.jobs import Progress
from polyorama.errors import FileFormatError, OutputError, PolyoramaError
from polyorama.io.formats import write_splats
from polyorama.scene.document import Document, Node
from polyorama_studio import calls, camera_text
from polyorama_studio.jobs import Handlers, JobRunner, explain
from polyorama_studio.orbit import OrbitView
from polyorama_studio.session import Notice, Session
from tests.gui.fakes import Reader, a_cloud, a_document

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.preferences import Preferences
    from tests.gui.fakes import FakeRasterizer


@pytest.fixture
def notices(session: Session) -> list[Notice]:
    got: list[Notice] = []
    session.notice.connect(got.append)
    return got


def test_a_file_is_opened_and_framed(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    path = tmp_path / "thing.ply"
    path.touch()
    lines: list[str] = []
    session.logged.connect(lines.append)
    session.open_files([path])
    assert session.busy is not None
    assert "thing.ply" in session.busy.note
    qtbot.waitUntil(lambda: session.stage.document is not None)
    assert session.busy is None
    assert session.title == "thing.ply"
    assert session.stage.splat_count == 400
    for point in session.stage.document.nodes[0].content.means[::50]:
        x, y = session.stage.view.project(tuple(map(float, point)), 1280, 720)
        assert 0 < x < 1280
        assert 0 < y < 720
    assert session.preferences.recent == [path.resolve()]
    assert lines == [f"doc = po.edit({str(path)!r})"]


def test_files_are_read_on_another_thread(
    qtbot: QtBot, preferences: Preferences, rasterizer: FakeRasterizer, tmp_path: Path
) -> None:
    threads: list[int] = []

    def opener(paths):
        threads.append(threading.get_ident())
        return a_document(paths)

    session = Session(preferences=preferences, opener=opener, make_rasterizer=rasterizer.make)
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    assert threads
    assert threading.get_ident() not in threads
    session.close()


def test_a_broken_file_is_told_once_with_a_way_out(
    qtbot: QtBot, session: Session, notices: list[Notice], tmp_path: Path
) -> None:
    asked: list[bool] = []
    session.opening.asked.connect(lambda: asked.append(True))
    session.open_files([tmp_path / "broken.ply"])
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert session.busy is None
    assert session.stage.document is None
    assert notices[0].kind == "bad"
    assert notices[0].text.endswith("broken.ply")
    assert notices[0].action_title.endswith("...")
    notices[0].action()
    assert asked == [True]


def test_the_last_file_asked_for_wins(
    qtbot: QtBot, preferences: Preferences, rasterizer: FakeRasterizer, tmp_path: Path
) -> None:
    gates = {"slow": threading.Event(), "quick": threading.Event()}
    gates["quick"].set()

    def opener(paths):
        gates[paths[0].stem].wait(10.0)
        return a_document(paths)

    session = Session(preferences=preferences, opener=opener, make_rasterizer=rasterizer.make)
    slow = tmp_path / "slow.ply"
    slow.touch()
    session.open_files([slow])
    session.open_files([tmp_path / "quick.ply"])
    qtbot.waitUntil(lambda: session.title == "quick.ply")
    gates["slow"].set()
    # Whatever was read is remembered, late or not: then the late document has come.
    qtbot.waitUntil(lambda: slow.resolve() in session.preferences.recent)
    assert session.title == "quick.ply"
    assert session.stage.document.nodes[0].name == "quick"
    session.close()


def test_adding_keeps_what_is_open(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    view = session.stage.view
    session.open_files([tmp_path / "b.ply", tmp_path / "c.ply"], add=True)
    qtbot.waitUntil(lambda: len(session.files) == 3)
    assert [node.name for node in session.stage.document.nodes] == ["a", "b", "c"]
    assert session.stage.splat_count == 1200
    assert session.stage.view == view
    assert session.title == "a.ply and 2 more"


def test_two_quick_adds_both_arrive(
    qtbot: QtBot, session: Session, reader: Reader, tmp_path: Path
) -> None:
    gates = {name: threading.Event() for name in "abc"}
    reading: list[str] = []

    def opener(paths):
        reading.append(paths[0].stem)
        gates[paths[0].stem].wait(10.0)
        return a_document(paths)

    reader.read = opener
    session.open_files([tmp_path / "a.ply"])
    session.open_files([tmp_path / "b.ply"], add=True)
    session.open_files([tmp_path / "c.ply"], add=True)
    gates["c"].set()
    gates["b"].set()
    gates["a"].set()
    qtbot.waitUntil(lambda: len(session.files) == 3)
    assert reading == ["a", "b", "c"], "one after the other"
    assert [node.name for node in session.stage.document.nodes] == ["a", "b", "c"]
    assert session.busy is None


def test_what_waits_is_added_though_the_file_before_it_is_broken(
    qtbot: QtBot, session: Session, notices: list[Notice], tmp_path: Path
) -> None:
    session.open_files([tmp_path / "a.ply"])
    session.open_files([tmp_path / "broken.ply"], add=True)
    session.open_files([tmp_path / "c.ply"], add=True)
    qtbot.waitUntil(lambda: len(session.files) == 2)
    assert [node.name for node in session.stage.document.nodes] == ["a", "c"]
    assert len(notices) == 1


@pytest.mark.parametrize("bad", [0, 1, 2])
@pytest.mark.parametrize("add", [False, True])
def test_of_several_files_the_good_ones_open(
    qtbot: QtBot, session: Session, notices: list[Notice], tmp_path: Path, bad: int, add: bool
) -> None:
    names = ["a.ply", "b.ply"]
    names.insert(bad, "broken.ply")
    for name in names:
        (tmp_path / name).touch()
    if add:
        session.open_files([tmp_path / "there.ply"])
    session.open_files([tmp_path / name for name in names], add=add)
    qtbot.waitUntil(lambda: len(notices) == 1 and session.busy is None)
    assert notices[0].text.endswith("broken.ply")
    there = ["there"] if add else []
    assert [node.name for node in session.stage.document.nodes] == [*there, "a", "b"]
    assert [path.stem for path in session.files] == [*there, "a", "b"]
    assert "broken" not in session.python[-1]
    assert tmp_path / "broken.ply" not in session.preferences.recent


def test_of_many_bad_files_a_few_are_told_and_the_rest_counted(
    qtbot: QtBot, session: Session, notices: list[Notice], tmp_path: Path, caplog
) -> None:
    bad = [tmp_path / str(number) / "broken.ply" for number in range(9)]
    session.open_files([tmp_path / "a.ply", *bad])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    assert len(notices) == 3
    assert notices[2].text.startswith("7 more files")
    for path in bad:
        assert str(path) in caplog.text
    notices.clear()
    session.open_files(bad[:2])
    qtbot.waitUntil(lambda: len(notices) == 2)
    assert session.title == "a.ply", "where nothing can be opened, what is open stays"
    assert session.busy is None


def test_an_unexpected_failure_is_one_files_own(
    qtbot: QtBot, session: Session, reader: Reader, notices: list[Notice], tmp_path: Path
) -> None:
    def opener(paths):
        if paths[0].stem == "odd":
            raise KeyError("odd")
        return a_document(paths)

    reader.read = opener
    session.open_files([tmp_path / "odd.ply", tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.title == "a.ply")
    assert len(notices) == 1
    assert "KeyError" in notices[0].text


def test_opening_forgets_what_waits_to_be_added(
    qtbot: QtBot, session: Session, reader: Reader, tmp_path: Path
) -> None:
    gate = threading.Event()
    names: list[str] = []

    def opener(paths):
        names.append(paths[0].stem)
        if paths[0].stem == "a":
            gate.wait(10.0)
        return a_document(paths)

    reader.read = opener
    session.open_files([tmp_path / "a.ply"])
    session.open_files([tmp_path / "b.ply"], add=True)
    session.open_files([tmp_path / "c.ply"])
    gate.set()
    qtbot.waitUntil(lambda: session.title == "c.ply")
    session.close()
    assert names == ["a", "c"]


def test_the_same_project_twice(
    qtbot: QtBot, session: Session, reader: Reader, notices, tmp_path: Path
) -> None:
    group = Node("stage")
    project = Document((group, Node("ball", a_cloud(), parent=group.id), Node("cup", a_cloud())))
    reader.read = lambda paths: project
    session.open_files([tmp_path / "a.poly"])
    session.open_files([tmp_path / "a.poly"], add=True)
    session.open_files([tmp_path / "a.poly"], add=True)
    qtbot.waitUntil(lambda: session.stage.splat_count == 3 * 800)
    assert notices == []
    assert session.title == "a.poly", "what is added to a project is saved in it"
    document = session.stage.document
    roots = [node.name for node in document.nodes if node.parent is None]
    assert roots == ["stage", "cup", "a", "a 2"], "an added project is a group of its name"
    assert len({node.id for node in document.nodes}) == len(document.nodes)


def test_the_sample_stage_is_the_engines(qtbot: QtBot, session: Session) -> None:
    from polyorama.verbs.demo import sample_path

    session.opening.open_sample()
    session.open_files([sample_path().with_name("more.ply")], add=True)
    qtbot.waitUntil(lambda: len(session.files) == 2)
    assert session.files[0] == sample_path()


def test_frame_all_keeps_the_direction(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.stage.set_size(400, 300)
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    framed = session.stage.view
    session.stage.set_view(framed.zoomed(0.1).panned(900, 500, 300), moving=False)
    session.frame_all()
    qtbot.waitUntil(lambda: session.stage.view.distance > 0.5 * framed.distance)
    assert session.stage.view.target == pytest.approx(framed.target, abs=0.1)
    assert session.stage.view.yaw == framed.yaw


def test_a_view_of_the_scene_before_is_dropped(
    qtbot: QtBot, session: Session, monkeypatch, tmp_path: Path
) -> None:
    gate = threading.Event()

    def framed(document, view, size):
        gate.wait(10.0)
        return OrbitView(yaw=123.0)

    monkeypatch.setattr(calls, "framed", framed)
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    session.frame_all()
    session.open_files([tmp_path / "b.ply"])
    qtbot.waitUntil(lambda: session.title == "b.ply")
    view = session.stage.view
    jobs = list(session.jobs.runner._threads)
    gate.set()
    for job in jobs:
        job.join(10.0)
    # Mail posted later has come, so the late view has come before.
    got: list[int] = []
    session.bridge.post("later", got.append, 1)
    qtbot.waitUntil(lambda: got == [1])
    assert session.stage.view == view


def test_closing_the_document(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    session.opening.close()
    assert session.stage.document is None
    assert session.title == ""


def test_a_failed_picture_offers_to_draw_again(
    qtbot: QtBot, session: Session, notices, rasterizer: FakeRasterizer, tmp_path: Path
) -> None:
    session.stage.set_size(40, 30)
    rasterizer.error = PolyoramaError("The lamp is out.")
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert notices[0].text == "The lamp is out."
    rasterizer.error = None
    notices[0].action()
    qtbot.waitUntil(lambda: session.stage.picture is not None)


def test_saving_a_picture(
    qtbot: QtBot, session: Session, notices, monkeypatch, tmp_path: Path
) -> None:
    threads: list[int] = []

    def save(document, view, size, background, path):
        threads.append(threading.get_ident())
        path.write_text(f"{size} {background}")
        return path

    monkeypatch.setattr(calls, "save_picture", save)
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    session.sharing.save_picture(tmp_path / "out.png", (64, 48), "transparent")
    qtbot.waitUntil(lambda: len(notices) == 1)
    assert notices[0].kind == "good"
    assert (tmp_path / "out.png").read_text() == "(64, 48) None"
    assert threading.get_ident() not in threads
    assert session.preferences.folder == str(tmp_path)
    assert session.python[-1].startswith(f"po.write_image({str(tmp_path / 'out.png')!r}")
    assert session.python[-1].endswith("background=None))")


def test_pictures_have_the_scenes_background(
    qtbot: QtBot, session: Session, monkeypatch, tmp_path: Path
) -> None:
    behind = []
    monkeypatch.setattr(calls, "save_picture", lambda *args: behind.append(args[3]) or args[4])
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    for number, background in enumerate(("document", "stage"), 1):
        session.sharing.save_picture(tmp_path / "out.png", (64, 48), background)
        qtbot.waitUntil(lambda wanted=number: len(behind) == wanted)
    assert behind == [session.stage.document.background, session.stage.backdrop]
    assert behind[0] != behind[1], "the theme's stage is not black"


@pytest.mark.parametrize("broken", [False, True])
def test_a_picture_is_saved_though_the_window_closes(
    qtbot: QtBot, session: Session, monkeypatch, tmp_path: Path, caplog, broken: bool
) -> None:
    began, closing = threading.Event(), session.jobs.runner._closed

    def save(document, view, size, background, path):
        began.set()
        assert closing.wait(10.0)
        if broken:
            raise OutputError(f"The disk is full: {path}")
        path.write_text("picture")
        return path

    monkeypatch.setattr(calls, "save_picture", save)
    session.open_files([tmp_path / "a.ply"])
    qtbot.waitUntil(lambda: session.stage.document is not None)
    session.sharing.save_picture(tmp_path / "out.png", (64, 48))
    assert began.wait(10.0)
    # Nobody waits for the others.
    session.jobs.runner.close(timeout=0.0)
    assert (tmp_path / "out.png").exists() != broken
    assert ("The disk is full" in caplog.text) == broken


def test_copying(qtbot: QtBot, session: Session, notices, tmp_path: Path) -> None:
    session.stage.set_size(400, 300)
    session.open_files([tmp_path / "my plant.ply"])
    qtbot.waitUntil(lambda: session.stage.picture is not None)
    session.sharing.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (400, 300)
    session.sharing.copy_command_line()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:3] == ["polyorama", "render", str(tmp_path / "my plant.ply")]
    assert "400x300" in words
    session.sharing.copy_python()
    assert QGuiApplication.clipboard().text().startswith("po.Camera.look_at(")
    assert [notice.kind for notice in notices] == ["info"] * 3


def test_the_session_as_python_does_the_same(
    qtbot: QtBot, session: Session, notices, monkeypatch, tmp_path: Path
) -> None:
    first, second, out = tmp_path / "a.splat", tmp_path / "b.splat", tmp_path / "out.png"
    monkeypatch.undo()
    session.opening.opener = calls.open_document
    for path in (first, second):
        write_splats(a_cloud(60), path)
    session.open_files([first])
    session.open_files([second], add=True)
    qtbot.waitUntil(lambda: len(session.files) == 2, timeout=120_000)
    session.sharing.save_picture(out, (40, 30))
    qtbot.waitUntil(lambda: len(notices) == 1, timeout=120_000)
    session.sharing.copy_session()
    text = QGuiApplication.clipboard().text()
    with Image.open(out) as image:
        wanted = np.asarray(image).astype(int)
    out.unlink()
    exec(text, {})
    with Image.open(out) as image:
        assert np.abs(np.asarray(image).astype(int) - wanted).max() <= 2


@pytest.mark.parametrize("pitch", [20.0, 90.0, -90.0])
@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("distance", [2.0, 0.002])
def test_copied_python_makes_the_same_camera(
    pitch: float, orthographic: bool, distance: float
) -> None:
    import polyorama as po

    target = (0.5 * distance, -0.25 * distance, 1.5 * distance)
    view = OrbitView(target, 40.0, pitch, distance, orthographic=orthographic)
    camera = eval(camera_text.python_camera(view, (400, 300)), {"po": po})
    wanted = view.camera(400, 300)
    assert camera.kind == wanted.kind
    assert camera.viewmat[:3, :3] == pytest.approx(wanted.viewmat[:3, :3], abs=1e-3)
    assert camera.position == pytest.approx(wanted.position, abs=1e-3 * distance)
    assert camera.near == pytest.approx(wanted.near)
    assert (camera.width, camera.height) == (400, 300)
    assert camera.fx == pytest.approx(wanted.fx, rel=1e-3)


@pytest.mark.parametrize("orthographic", [False, True])
def test_copied_command_is_understood(orthographic: bool, tmp_path: Path) -> None:
    from polyorama.cli.render import add_arguments

    view = OrbitView((0.5, -1.25, 3.0), 140.0, -20.0, 2.0, orthographic=orthographic)
    files = [tmp_path / "a b.ply", tmp_path / "c.ply"]
    words = shlex.split(camera_text.command_line(view, (400, 300), files))
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    options = parser.parse_args(words[2:])
    assert options.files == [str(path) for path in files]
    assert options.size == (400, 300)
    assert options.eye == pytest.approx(view.camera(400, 300).position, rel=1e-3)
    assert options.target == pytest.approx(view.target)
    assert options.up == pytest.approx(view.up)
    if orthographic:
        assert options.ortho == pytest.approx(view.height_in_world, rel=1e-3)
    else:
        assert options.fov == pytest.approx(view.fov)


def test_jobs_report_progress_and_stop_when_closed(qtbot: QtBot, session: Session) -> None:
    runner = JobRunner(session.bridge)
    seen: list[Progress] = []
    results: list[object] = []
    closed = threading.Event()
    go_on = threading.Event()

    def work():
        try:
            yield Progress(1, 2, "Half")
            while True:
                go_on.wait(0.01)
                yield Progress(1, 2, "Half")
        finally:
            closed.set()

    runner.submit(work, Handlers(results.append, results.append, seen.append), "test")
    qtbot.waitUntil(lambda: bool(seen))
    assert seen[0].note == "Half"
    runner.close()
    assert closed.is_set()


def test_errors_in_words() -> None:
    assert explain(FileFormatError("Broken: a.ply")) == "Broken: a.ply"
    assert "memory" in explain(MemoryError())
    assert "KeyError" in explain(KeyError("x"))
