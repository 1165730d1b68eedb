"""Pictures in space: drawn beside the GUI thread, latest wins, turned by the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.errors import PolyoramaError, UsageError
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import Axis, Dots, Points, Segments, Splats
from polyorama_studio.theme import Theme
from polyorama_studio.workspaces.lab.history import History
from polyorama_studio.workspaces.lab.views import make_view
from polyorama_studio.workspaces.lab.views.space import SpaceView
from tests.gui.fakes import FakeRasterizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from polyorama_studio.jobs import Handlers

RIVALS = ("first", "second")


@pytest.fixture
def theme(qtbot: QtBot) -> Iterator[Theme]:
    theme = Theme(name="dark")
    yield theme
    theme.close()
    theme.deleteLater()


class Desk:
    """Takes work as a runner of jobs does, and does it when told to."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], object], Handlers]] = []

    def submit(self, work: Callable[[], object], handlers: Handlers, name: str) -> None:
        self.waiting.append((work, handlers))

    def finish(self) -> None:
        """Do what came first."""
        work, handlers = self.waiting.pop(0)
        try:
            result = work()
        except PolyoramaError as error:
            handlers.failed(error)
        else:
            handlers.done(result)


@pytest.fixture
def rasterizer(monkeypatch: pytest.MonkeyPatch) -> FakeRasterizer:
    rasterizer = FakeRasterizer()
    monkeypatch.setattr("polyorama.lab.space.get_rasterizer", lambda name: rasterizer)
    return rasterizer


CUBE = Points(
    id="cube", title="Cube", x=Axis("Left", "m"), y=Axis("Far"), z=Axis("Up"),
    layers=(Dots("places", "Walkers", rival="second", trail=True), Segments("lines", "Lines")),
)  # fmt: skip


def moment(step: int, reach: float = 1.0) -> Snapshot:
    rng = np.random.default_rng(step)
    return Snapshot(step, {"places": reach * rng.uniform(-1.0, 1.0, (50, 3))})


@pytest.fixture
def cube(qtbot: QtBot, theme: Theme, rasterizer: FakeRasterizer) -> Iterator[SpaceView]:
    view = make_view(CUBE, theme, RIVALS)
    assert isinstance(view, SpaceView)
    view.resize(400, 300)
    view.show()
    qtbot.waitExposed(view)
    yield view
    view.hide()
    view.deleteLater()


def test_pictures_in_space_are_latest_wins(
    qtbot: QtBot, cube: SpaceView, rasterizer: FakeRasterizer
) -> None:
    desk = Desk()
    cube.set_worker(desk.submit)
    for step in range(5):
        cube.show_update(moment(step), History())
    assert len(desk.waiting) == 1, "one picture is under way"
    desk.finish()
    assert cube.picture is not None
    assert cube.picture.wanted.snapshot.step == 0
    assert not desk.waiting, "half the time is left to other pictures"
    assert not cube.rests
    qtbot.waitUntil(lambda: bool(desk.waiting))
    desk.finish()
    assert cube.picture.wanted.snapshot.step == 4, "those between were left out"
    assert not desk.waiting
    first, last = rasterizer.states
    assert first.gaussians.cloud.means.shape[0] < last.gaussians.cloud.means.shape[0], (
        "the trail is drawn, too"
    )


def test_a_drag_turns_the_same_scene(cube: SpaceView, rasterizer: FakeRasterizer) -> None:
    cube.show_update(moment(0), History())
    assert cube.picture is not None
    scene, before = cube.picture.scene, rasterizer.states[-1].camera.viewmat
    cube.turn(40.0, 10.0)
    assert cube.picture.scene is scene
    assert not np.allclose(rasterizer.states[-1].camera.viewmat, before)
    cube.turn(0.0, 500.0)
    assert cube.orbit.elevation == 89.0
    far = cube.orbit.distance
    cube.come_nearer(2.0)
    assert cube.orbit.distance == pytest.approx(far * 0.88**2)
    cube.come_nearer(1000.0)
    assert cube.orbit.distance == 0.15


def test_axes_in_space_stand_still_and_grow(cube: SpaceView) -> None:
    cube.show_update(moment(0), History())
    assert cube.picture is not None
    low, high = cube.picture.scene.low, cube.picture.scene.high
    assert (low <= -0.9).all()
    cube.show_update(moment(1), History())
    assert np.array_equal(cube.picture.scene.low, low), "they do not follow every sample"
    cube.show_update(moment(2, 3.0), History())
    assert (cube.picture.scene.high > high).all()


def test_a_scene_that_cannot_be_drawn_says_why(cube: SpaceView, rasterizer) -> None:
    rasterizer.error = UsageError("There is no room for this.")
    desk = Desk()
    cube.set_worker(desk.submit)
    cube.show_update(moment(0), History())
    desk.finish()
    empty = cube.grab().toImage()
    rasterizer.error = None
    cube.show_update(moment(1), History())
    desk.finish()
    assert cube.picture is not None
    assert cube.grab().toImage() != empty


def test_legends_in_space_have_the_rivals_colour(cube: SpaceView) -> None:
    assert not cube.legend(), "nothing is there yet"
    cube.show_update(moment(0), History())
    assert [entry.title for entry in cube.legend()] == ["Walkers"]
    lines = {"lines": np.zeros((3, 2, 3)), "places": np.zeros((1, 3))}
    cube.show_update(Snapshot(1, lines), History())
    entries = cube.legend()
    assert [entry.title for entry in entries] == ["Walkers", "Lines"]
    assert [entry.mark for entry in entries] == ["dot", "line"]
    assert entries[0].pen.color() == cube.look.color("second", 0)


def test_splats_are_seen_from_where_the_view_says(qtbot, theme, rasterizer) -> None:
    view = make_view(
        Splats(id="s", title="Splats", means="m", colors="c", eye=(0, 0, 5), target=(0, 0, 1)),
        theme,
    )
    view.resize(300, 300)
    view.show()
    values = {"m": np.zeros((4, 3)), "c": np.full((4, 3), 0.5)}
    view.show_update(Snapshot(0, values), History())
    camera = rasterizer.states[-1].camera
    eye = -camera.viewmat[:3, :3].T @ camera.viewmat[:3, 3]
    assert eye == pytest.approx([0, 0, 5], abs=1e-5)
    assert rasterizer.states[-1].gaussians.cloud.means.shape[0] == 4
    view.hide()
    view.deleteLater()
