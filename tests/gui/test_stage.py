"""The stage: coarse while moving, full when still, never yesterday's picture."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.types import MAX_SIDE
from polyorama.errors import PolyoramaError
from polyorama.scene.document import Document
from polyorama_studio.governor import MOST_PIXELS, fitting_size
from polyorama_studio.orbit import OrbitView
from tests.gui.fakes import a_cloud, a_document

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.rendering import Picture
    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage
    from tests.gui.fakes import FakeRasterizer


@pytest.fixture
def stage(qtbot: QtBot, session: Session, tmp_path: Path) -> Stage:
    stage = session.stage
    stage.set_size(400, 300)
    stage.set_document(a_document([tmp_path / "a.ply"]), OrbitView())
    qtbot.waitUntil(lambda: stage.picture is not None)
    return stage


def test_moving_is_coarse_and_still_is_full(
    qtbot: QtBot, stage: Stage, rasterizer: FakeRasterizer
) -> None:
    stage.governor.learn(stage.picture.request.quality, 400.0)
    stage.governor.forget()
    assert not stage.governor.moving().full
    before = len(rasterizer.states)
    stage.set_view(stage.view.orbited(10.0, 0.0))
    assert stage.moving
    qtbot.waitUntil(lambda: len(rasterizer.states) > before)
    assert rasterizer.states[before].camera.width < 400
    qtbot.waitUntil(lambda: stage.idle and stage.picture.request.quality.full)
    assert stage.picture.request.view == stage.view
    assert rasterizer.states[-1].camera.width == 400
    assert rasterizer.states[-1].limit is None


def test_a_picture_that_is_on_its_way_is_still_waited_for(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stage.idle
    drawn = threading.Event()
    post = stage.loop.main.deliver
    monkeypatch.setattr(stage.loop.main, "deliver", lambda picture: (post(picture), drawn.set()))
    stage.refresh()
    assert drawn.wait(10.0)
    assert stage.drawing, "it waits in the mailbox of this thread, which has not looked yet"
    assert not stage.idle


def test_a_held_drag_stays_coarse_until_released(
    qtbot: QtBot, stage: Stage, rasterizer: FakeRasterizer
) -> None:
    stage.governor.forget()
    stage.governor.full_ms = 5000.0
    stage.hold()
    stage.set_view(stage.view.orbited(10.0, 0.0))
    qtbot.waitUntil(lambda: not stage._still.isActive() and not stage.drawing)
    qtbot.waitUntil(lambda: not stage.picture.request.quality.full)
    stage.release()
    qtbot.waitUntil(lambda: stage.picture.request.quality.full)


def test_pictures_of_the_document_before_are_dropped(
    qtbot: QtBot, stage: Stage, rasterizer: FakeRasterizer, tmp_path: Path
) -> None:
    shown = []
    stage.picture_ready.connect(shown.append)
    rasterizer.gate.clear()
    rasterizer.entered.clear()
    stage.refresh()
    assert rasterizer.entered.wait(10.0)
    second = a_document([tmp_path / "b.ply"])
    stage.set_document(second, OrbitView(yaw=5.0))
    rasterizer.gate.set()
    qtbot.waitUntil(lambda: stage.picture is not None)
    assert all(picture.request.document is second for picture in shown)


def test_a_closed_document_shows_nothing(
    qtbot: QtBot, stage: Stage, rasterizer, monkeypatch
) -> None:
    posted = threading.Event()
    deliver = stage._channel.deliver

    def deliver_and_tell(picture: Picture) -> None:
        deliver(picture)
        posted.set()

    monkeypatch.setattr(stage._channel, "deliver", deliver_and_tell)
    rasterizer.gate.clear()
    rasterizer.entered.clear()
    stage.refresh()
    assert rasterizer.entered.wait(10.0)
    stage.set_document(None, OrbitView())
    rasterizer.gate.set()
    assert posted.wait(10.0)
    # Mail posted later has come, so the late picture has come before.
    got: list[int] = []
    stage._bridge.post("later", got.append, 1)
    qtbot.waitUntil(lambda: got == [1])
    assert stage.picture is None
    assert stage.splat_count == 0


def test_turntable_turns_until_it_is_stopped(qtbot: QtBot, stage: Stage) -> None:
    start = stage.view
    stage.set_spinning(True)
    qtbot.waitUntil(lambda: abs(stage.view.yaw - start.yaw) > 0.5)
    assert stage.view.pitch == start.pitch
    assert stage.fps > 0.0
    stage.set_spinning(False)
    qtbot.waitUntil(lambda: stage.idle and stage.picture.request.quality.full)
    still = stage.view
    # It turned with each picture that came; now one comes and it does not.
    with qtbot.waitSignal(stage.picture_ready):
        stage.refresh()
    assert stage.view == still


def test_backdrop_is_the_themes_unless_the_document_has_one(
    qtbot: QtBot, stage: Stage, session: Session, rasterizer: FakeRasterizer
) -> None:
    dark = rasterizer.states[-1].background
    assert max(dark) < 0.2
    session.set_theme("light")
    qtbot.waitUntil(lambda: min(rasterizer.states[-1].background) > 0.7)
    own = (0.2, 0.0, 0.1)
    cloud = a_cloud()
    document = Document.of([cloud], ["ball"])
    stage.set_document(Document(nodes=document.nodes, background=own, up=document.up), OrbitView())
    qtbot.waitUntil(lambda: rasterizer.states[-1].background == own)
    session.set_theme("dark")


def test_looking_along_a_direction(stage: Stage) -> None:
    stage.look_along(np.array([1.0, 0.0, 0.0]))
    assert stage.view.camera(4, 4).forward == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("size", [(20000, 20), (20, 20000), (30000, 30000), (MAX_SIDE, MAX_SIDE)])
def test_a_window_larger_than_any_picture_is_drawn_smaller(
    qtbot: QtBot, stage: Stage, rasterizer: FakeRasterizer, size: tuple[int, int]
) -> None:
    width, height = fitting_size(*size)
    assert max(width, height) <= MAX_SIDE
    assert width * height <= MOST_PIXELS
    assert width * size[1] == pytest.approx(size[0] * height, rel=0.1), "of the same shape"
    # Nothing that large is drawn here: only the camera is made.
    rasterizer.error = PolyoramaError("Too much for a test.")
    before = len(rasterizer.states)
    stage.set_size(*size)

    def sizes() -> list[tuple[int, int]]:
        return [(s.camera.width, s.camera.height) for s in rasterizer.states[before:]]

    qtbot.waitUntil(lambda: (width, height) in sizes() and stage.idle)
    assert all(w <= width and h <= height for w, h in sizes())


def test_sizes_that_can_be_drawn_are_kept() -> None:
    for size in ((1, 1), (7680, 4320), (MAX_SIDE, 16), (16, MAX_SIDE)):
        assert fitting_size(*size) == size
