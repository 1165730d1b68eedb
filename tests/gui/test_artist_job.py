"""A day's work of an artist through the studio, beside the same work of a script."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

import polyorama as po
from polyorama.io.formats import read_splats
from polyorama_studio.dialogs.export import export
from polyorama_studio.dialogs.render import RenderDialog
from polyorama_studio.exporting import ExportSettings
from polyorama_studio.renders import Render, renders_of
from polyorama_studio.session import Session
from tests.artist_job import JOB, SECONDS
from tests.gui.studio_worker import scene_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from polyorama.edit.editor import Editor
    from polyorama_studio.preferences import Preferences

SIZE = (120, 90)
FRAMES = 24


def shown(session: Session) -> bool:
    """Whether a full picture of the document as it is now is on the stage."""
    picture, document = session.stage.picture, session.editing.document
    here = picture is not None and picture.request.document is document
    return here and picture.request.quality.full and session.stage.idle


@pytest.fixture
def studio(qtbot: QtBot, preferences: Preferences, shared_data: Path) -> Iterator[Session]:
    """The session as it is, with the plant open and the job done in it."""
    with contextlib.closing(Session(preferences=preferences)) as session:
        session.theme.apply()
        session.stage.set_size(160, 120)
        session.open_files([shared_data / "splats" / "plant.splat"])
        qtbot.waitUntil(lambda: session.editing.document is not None, timeout=60_000)
        for name, arguments in JOB:
            assert session.editing.run(name, **arguments), f"{name}: {session.told[-1].notice.text}"
            qtbot.waitUntil(lambda: shown(session), timeout=120_000)
        yield session


@pytest.fixture(scope="module")
def script(shared_data: Path) -> Editor:
    """The same without a window."""
    doc = po.edit(shared_data / "splats" / "plant.splat")
    for name, arguments in JOB:
        doc.run(name, **arguments)
    return doc


def failures(session: Session) -> list[str]:
    return [told.notice.text for told in session.told if told.notice.kind == "bad"]


def test_the_studio_makes_the_document_of_the_script(studio: Session, script: Editor) -> None:
    assert studio.editing.document is not None
    assert studio.editing.editor is not None
    assert scene_digest(studio.editing.document) == scene_digest(script.document)
    assert list(studio.editing.editor.done) == list(script.done)


def test_it_saves_the_project_of_the_script(
    qtbot: QtBot, studio: Session, script: Editor, tmp_path: Path
) -> None:
    path, other = tmp_path / "studio.poly", tmp_path / "script.poly"
    studio.saving.save_as(path)
    qtbot.waitUntil(lambda: studio.saving.path == path, timeout=60_000)
    assert not studio.saving.modified
    po.save(script, other)
    assert scene_digest(po.open(path)) == scene_digest(po.open(other))
    assert failures(studio) == []


def test_it_exports_the_capture_of_the_script(
    qtbot: QtBot, studio: Session, script: Editor, tmp_path: Path
) -> None:
    path, other = tmp_path / "studio.sog", tmp_path / "script.sog"
    export(studio, studio.editing.document, ExportSettings(path, time=SECONDS))
    qtbot.waitUntil(lambda: path.exists() and not studio.jobs.active, timeout=180_000)
    po.export(script.document, other, time=SECONDS)
    ours, theirs = read_splats(path), read_splats(other)
    assert len(ours) == len(theirs) > 10_000
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert failures(studio) == []


def test_it_films_the_frames_of_the_script(
    qtbot: QtBot, studio: Session, script: Editor, tmp_path: Path
) -> None:
    dialog = RenderDialog(studio)
    settings = dialog.form.settings
    assert settings.motion == "timeline"
    assert settings.part == (0.0, SECONDS)
    assert settings.fps == 6.0
    form = dialog.form
    form.format.set_value("png-sequence")
    form.background.set_value("document")
    form.size.set_value("other")
    form.wide.commit(SIZE[0])
    form.high.commit(SIZE[1])
    form.path.setText(str(tmp_path / "film" / "####.png"))
    settings = form.settings
    assert settings.size == SIZE
    dialog.start.click()
    (render,) = renders_of(studio).entries
    assert isinstance(render, Render)
    qtbot.waitUntil(lambda: render.state != "running", timeout=300_000)
    assert render.state == "done", render.error
    dialog.reject()
    dialog.deleteLater()
    drawn = [
        np.asarray(Image.open(p).convert("RGB"))
        for p in sorted(Path(tmp_path, "film").glob("*.png"))
    ]
    expected = [frame.rgba8[..., :3] for frame in po.film(script.document, SIZE)]
    assert len(drawn) == len(expected) == FRAMES
    for number, (ours, theirs) in enumerate(zip(drawn, expected, strict=True)):
        assert np.array_equal(ours, theirs), f"frame {number} is another"
    assert failures(studio) == []
