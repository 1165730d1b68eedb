"""The render dialog, its command line, and the processes that it starts."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QGuiApplication

from polyorama.cli import main
from polyorama.core.jobs import Progress
from polyorama.core.types import Camera
from polyorama.errors import OutputError
from polyorama.io.project import write_project
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Node
from polyorama.verbs.film import render
from polyorama.verbs.timeline import timeline_shots
from polyorama_studio import renders as renders_module
from polyorama_studio.aim import first_camera
from polyorama_studio.dialogs.render import RenderDialog
from polyorama_studio.renders import Render, render_process, renders_of
from polyorama_studio.shooting import FORMATS, RenderSettings, Seen
from tests.gui.fakes import a_cloud, a_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session

UP = (0.0, -1.0, 0.0)


def seen(*, tilted: bool = False, flat: bool = False) -> Seen:
    eye, target = (1.0, -0.7, -4.0), (0.1, 0.2, 0.0)
    up = (0.3, -1.0, 0.0) if tilted else UP
    if flat:
        camera = Camera.orthographic(eye, target, up, height_in_world=2.5, size=(64, 48))
    else:
        camera = Camera.look_at(eye, target, up, fov=40.0, size=(64, 48))
    return Seen(camera, target, UP, (0.1, 0.2, 0.3))


def settings(path: Path = Path("out.png"), **more: object) -> RenderSettings:
    return RenderSettings(path=path, size=(64, 48), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("tilted", [False, True])
@pytest.mark.parametrize("flat", [False, True])
def test_the_words_render_what_is_seen(tmp_path: Path, tilted: bool, flat: bool) -> None:
    document = a_document([Path("a.ply")])
    project, out = tmp_path / "a.poly", tmp_path / "out.png"
    write_project(document, project)
    view = seen(tilted=tilted, flat=flat)
    words = settings(out, background="stage").words([project], view)
    assert main(words[1:]) == 0
    frame = render(document, view.camera, background=view.stage, backend="cpu")
    drawn = np.asarray(Image.open(out).convert("RGB"), np.int64)
    assert drawn.shape == (48, 64, 3)
    assert np.abs(drawn - frame.rgba8[..., :3].astype(np.int64)).max() <= 1


def test_words_say_no_more_than_they_must() -> None:
    view = seen()
    assert settings(background="document").words([Path("a.poly")], view) == [
        "polyorama", "render", "a.poly", "-o", "out.png", "--size", "64x48", "--eye=1,-0.7,-4",
        "--target=0.1,0.2,0", "--up=0,-1,0", "--fov", "40",
    ]  # fmt: skip
    film = settings(
        Path("f.mov"), format="prores", motion="timeline", part=(0.5, 2.0), fps=24.0,
        background="transparent", shutter=0.5, samples=8, supersample=2, stereo="top-bottom",
    )  # fmt: skip
    assert film.words([Path("a.poly")], view, resume=True)[5:] == [
        "--size", "64x48", "--timeline", "0.5:2", "--fps", "24", "--stereo", "top-bottom",
        "--supersample", "2", "--shutter", "0.5", "--samples", "8", "--background", "transparent",
        "--quality", "90", "--resume",
    ]  # fmt: skip
    assert film.frames == 36
    around = settings(motion="turntable", format="h265", panorama=True, f_stop=2.0)
    words = around.words([Path("a.poly")], seen(tilted=True))
    assert "--up=0,-1,0" in words, "a turntable turns about what is up in the scene"
    assert "--equirect" in words
    assert "--dof" not in words, "panoramas are sharp everywhere"
    assert words[words.index("--codec") + 1] == "h265"


def test_the_line_for_copying_is_the_call() -> None:
    here = settings(Path("my film's.png"), f_stop=2.8)
    line = here.command([Path("a b.poly")], seen())
    assert shlex.split(line) == here.words([Path("a b.poly")], seen())
    assert "PROJECT.poly" in here.command([], seen())


@pytest.fixture
def opened(qtbot: QtBot, session: Session, tmp_path: Path) -> Session:
    session.open_files([tmp_path / "thing.ply"])
    qtbot.waitUntil(lambda: session.editing.document is not None)
    session.preferences.folder = str(tmp_path)
    session.stage.set_size(120, 90)
    return session


@pytest.fixture
def dialog(qtbot: QtBot, opened: Session) -> Iterator[RenderDialog]:
    dialog = RenderDialog(opened)
    dialog.show()
    qtbot.waitExposed(dialog)
    yield dialog
    dialog.reject()
    qtbot.waitUntil(lambda: not opened.jobs.active, timeout=30_000)
    dialog.deleteLater()


def choose(field, value: str) -> None:
    field.set_value(value)
    field.chosen.emit(value)


def test_a_preview_is_drawn_in_small(qtbot: QtBot, dialog: RenderDialog) -> None:
    qtbot.waitUntil(lambda: dialog.preview._image is not None, timeout=30_000)
    image = dialog.preview._image
    assert image.width() <= 320
    assert image.width() / image.height() == pytest.approx(16 / 9, rel=0.02)
    choose(dialog.form.projection, "360")
    choose(dialog.form.background, "transparent")
    qtbot.waitUntil(lambda: dialog.preview._image is not image, timeout=30_000)
    assert dialog.preview._image.width() == 2 * dialog.preview._image.height()
    dialog.grab()


def add_camera(session: Session, name: str, **rig: object) -> str:
    node = Node(name, content=CameraRig(**rig))  # type: ignore[arg-type]
    session.editing.run("add_node", node=node)
    return session.editing.document.node(name).id


def test_the_only_camera_is_rendered_through(
    qtbot: QtBot, opened: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Render] = []
    monkeypatch.setattr(renders_module.Renders, "start", lambda self, render: begun.append(render))
    first = add_camera(opened, "First", eye=(0.0, 0.0, -5.0))
    for time, x in ((0.0, 0.0), (1.0, 2.0)):
        opened.editing.run("key", path=f"{first}/eye", time=time, value=(x, 0.0, -5.0))
    opened.editing.run("set", path="document/duration", value=1.0)
    dialog = RenderDialog(opened)
    form = dialog.form
    assert form.settings.motion == "timeline"
    assert form.camera.value == first
    assert "through First" in dialog.caption.text()
    dialog.start.click()
    (film,) = begun
    assert film.document.view_camera == first
    assert film.files == (), "the files of the scene look from elsewhere"
    assert opened.editing.document.view_camera == "", "the scene itself stays as it is"
    assert np.allclose(film.seen.camera.position, (0.0, 0.0, -5.0))
    shots = timeline_shots(film.document, (64, 48), fps=2.0)
    assert np.allclose(shots[1].camera.position, (1.0, 0.0, -5.0))
    choose(form.camera, "view")
    assert "from the view" in dialog.caption.text()
    dialog.start.click()
    assert begun[1].document.view_camera == ""
    assert np.allclose(begun[1].document.camera.position, opened.stage.view.eye)
    choose(form.motion, "still")
    choose(form.camera, first)
    dialog.start.click()
    assert begun[2].document is opened.editing.document
    assert np.allclose(begun[2].seen.camera.position, (0.0, 0.0, -5.0))
    dialog.reject()
    qtbot.waitUntil(lambda: not opened.jobs.active, timeout=30_000)
    dialog.deleteLater()


def test_the_theme_changes_no_picture(dialog: RenderDialog) -> None:
    assert dialog.form.settings.background == "document"
    assert "--background" not in dialog.command.text()
    choose(dialog.form.background, "stage")
    assert "--background '#" in dialog.command.text()


def test_of_several_cameras_the_one_looked_through_comes_first(opened: Session) -> None:
    assert first_camera(opened.editing.document, "") == ""
    one, two = add_camera(opened, "One"), add_camera(opened, "Two")
    assert first_camera(opened.editing.document, "") == ""
    opened.editing.run("see_through", node=one)
    document = opened.editing.document
    assert first_camera(document, "") == one
    assert first_camera(document, two) == two


def test_fields_show_what_says_something(dialog: RenderDialog) -> None:
    form = dialog.form

    def shown(name: str) -> bool:
        return form._fields[name].isVisibleTo(form)

    assert form.motion.value == "still"
    assert not any(map(shown, ("part", "seconds", "fps", "shutter", "samples", "quality")))
    form.f_stop.commit(2.0)
    assert shown("samples")
    choose(form.motion, "turntable")
    assert shown("seconds")
    assert shown("fps")
    assert form.settings.kind.film
    assert form.settings.path.suffix == ".mp4"
    assert shown("quality")
    choose(form.motion, "timeline")
    assert shown("part")
    choose(form.background, "transparent")
    ids = [form.format.itemData(k) for k in range(form.format.count())]
    assert ids == [k.id for k in FORMATS.values() if k.film and k.alpha]
    choose(form.format, "png-sequence")
    assert form.settings.path.name == "####.png"
    assert form.settings.path.parent.name == "thing"
    choose(form.format, "gif")
    assert form.settings.path.name == "thing.gif"
    choose(form.projection, "360")
    assert form.settings.size == (4096, 2048)
    assert not shown("lens")
    choose(form.projection, "flat")
    assert form.settings.size == (1920, 1080)


def test_presets_and_sides_follow_each_other(dialog: RenderDialog) -> None:
    form = dialog.form
    choose(form.size, "7680x4320")
    assert form.settings.size == (7680, 4320)
    form.wide.commit(1001.0)
    assert form.size.value == "other"
    form.wide.commit(1080.0)
    form.high.commit(1920.0)
    assert form.size.value == "1080x1920"
    choose(form.projection, "360")
    form.high.commit(100.0)
    assert "twice as wide" in dialog.caption.text()
    assert not dialog.start.isEnabled()
    form.high.commit(2048.0)
    assert dialog.start.isEnabled()


def test_settings_can_be_taken_over(dialog: RenderDialog) -> None:
    wanted = settings(
        Path("x.webm"), format="vp9", motion="turntable", background="transparent", seconds=2.0,
        fps=12.0, supersample=3, f_stop=4.0, shutter=0.25, samples=9, quality=50,
    )  # fmt: skip
    dialog.form.take(wanted)
    assert dialog.form.settings == replace(wanted, part=dialog.form.settings.part)
    assert "24 frames" in dialog.caption.text()
    dialog.command.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.command.text()
    assert dialog.command.text().startswith("polyorama render ")


def test_a_still_is_rendered_in_a_process_of_its_own(
    qtbot: QtBot, dialog: RenderDialog, tmp_path: Path
) -> None:
    session = dialog._session
    session.editing.run("select", query="x > 0")
    session.editing.run("delete")
    dialog.reject()
    dialog = RenderDialog(session)
    notices = []
    session.notice.connect(notices.append)
    dialog.form.wide.commit(64.0)
    dialog.form.high.commit(48.0)
    dialog.form.path.setText(str(tmp_path / "still.png"))
    dialog.start.click()
    (entry,) = renders_of(session).entries
    assert entry.files == (), "the scene was edited, so it is written for the renderer"
    assert entry.state == "running"
    qtbot.waitUntil(lambda: entry.state != "running", timeout=120_000)
    assert entry.error == ""
    assert entry.state == "done"
    drawn = np.asarray(Image.open(tmp_path / "still.png").convert("RGB"), np.int64)
    document, camera = session.editing.document, session.stage.camera(64, 48)
    frame = render(document, camera, backend="cpu")
    assert np.abs(drawn - frame.rgba8[..., :3].astype(np.int64)).max() <= 1
    assert notices[-1].text == "Rendered still.png"
    (row,) = dialog.list.rows
    assert row.show_.isVisibleTo(row)
    dialog.list.grab()
    row.forget.click()
    assert dialog.list.rows == []
    dialog.reject()
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=30_000)
    dialog.deleteLater()


PRETENDER = """
import json, pathlib, sys, time
words = sys.argv[1:]
out = pathlib.Path(words[words.index("-o") + 1])
parts = out.with_name(out.name + ".parts")
start = int(parts.read_text()) if parts.exists() and "--resume" in words else 0
for done in range(start, 40):
    print(json.dumps({"done": done, "total": 40, "note": "Rendering"}), file=sys.stderr, flush=True)
    whole = parts.with_suffix(".new")
    whole.write_text(str(done))
    whole.replace(parts)
    if "fail" in out.name:
        sys.exit("polyorama: The disk is full: " + str(out))
    if start == 0:
        time.sleep(0.05)
out.write_text("film")
"""
"""Behaves as `polyorama render` does, only faster."""


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "pretender.py"
    script.write_text(PRETENDER, "utf-8")
    plain = renders_module._watched
    monkeypatch.setattr(
        renders_module,
        "_watched",
        lambda command: plain([sys.executable, str(script), *command[3:]]),
    )


def a_render(path: Path) -> Render:
    film = settings(path, format="h264", motion="turntable")
    return Render(film, a_document([Path("a.ply")]), seen(), (Path("a.poly"),))


@pytest.mark.usefixtures("pretended")
def test_films_can_be_stopped_and_gone_on_with(
    qtbot: QtBot, opened: Session, dialog: RenderDialog, tmp_path: Path
) -> None:
    renders, entry = renders_of(opened), a_render(tmp_path / "film.mp4")
    renders.start(entry)
    qtbot.waitUntil(lambda: (entry.share or 0.0) > 0.1, timeout=30_000)
    (row,) = dialog.list.rows
    assert row.cancel.isVisibleTo(row)
    assert "Rendering, " in row._note.text()
    row.cancel.click()
    qtbot.waitUntil(lambda: entry.state == "stopped", timeout=30_000)
    assert not (tmp_path / "film.mp4").exists()
    assert row.again.isVisibleTo(row)
    row.again.click()
    qtbot.waitUntil(lambda: entry.state == "done", timeout=30_000)
    assert (tmp_path / "film.mp4").read_text() == "film"
    assert entry.done_before > 0.1
    assert renders.entries == [entry]


@pytest.mark.usefixtures("pretended")
def test_failures_are_told_in_the_process_own_words(
    qtbot: QtBot, opened: Session, tmp_path: Path
) -> None:
    notices = []
    opened.notice.connect(notices.append)
    entry = a_render(tmp_path / "fail.mp4")
    renders_of(opened).start(entry)
    qtbot.waitUntil(lambda: entry.state == "failed", timeout=30_000)
    assert entry.error == f"The disk is full: {tmp_path / 'fail.mp4'}"
    assert notices[-1].text == entry.error


@pytest.mark.usefixtures("pretended")
def test_closing_the_job_ends_the_process(tmp_path: Path) -> None:
    job = render_process(a_render(tmp_path / "film.mp4"))
    for progress in job:
        if progress.done > 1:
            break
    job.close()
    assert (tmp_path / "film.mp4.parts").exists()
    assert not (tmp_path / "film.mp4").exists(), "it had ended before it could write that"


def test_other_words_are_no_progress() -> None:
    assert renders_module._progress('{"done": 1, "total": 2, "note": "a"}') == Progress(1, 2, "a")
    assert renders_module._progress('{"done": 1}') is None
    assert renders_module._progress("warning: odd") is None
    with pytest.raises(OutputError, match="status 3"):
        list(renders_module._watched([sys.executable, "-c", "raise SystemExit(3)"]))


def test_large_scenes_are_written_with_the_view(tmp_path: Path) -> None:
    import polyorama as po

    entry = replace_files(a_render(tmp_path / "film.mp4"))
    project = renders_module._written(entry, tmp_path)
    document = po.open(project)
    assert document.camera is not None
    assert np.allclose(document.camera.viewmat, entry.seen.camera.viewmat)
    assert len(document.nodes[0].splats) == len(a_cloud())


def replace_files(entry: Render) -> Render:
    entry.files = ()
    return entry


def test_choices_are_free_before_there_is_a_file(qtbot: QtBot, dialog: RenderDialog) -> None:
    dialog.form.path.clear()
    with qtbot.captureExceptions() as errors:
        choose(dialog.form.background, "transparent")
        choose(dialog.form.motion, "turntable")
    assert errors == []
    assert dialog.form.trouble
    assert dialog.form.fps.isVisible(), "the form follows all the same"
    assert not dialog.start.isEnabled()
