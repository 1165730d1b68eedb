"""The turntable camera: pure, so tested against the engine's cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.resolve import resolve
from polyorama.scene.document import Document
from polyorama_studio.calls import first_view
from polyorama_studio.orbit import DIRECTIONS, OrbitView
from tests.gui.fakes import a_cloud

UPS = [(0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.3, -0.8, 0.2), (1.0, 0.0, 0.0)]
SIZE = (640, 400)


def a_view(up: tuple[float, float, float] = (0.0, -1.0, 0.0), **changes: object) -> OrbitView:
    values: dict[str, object] = {
        "target": (0.2, -0.1, 0.4), "yaw": 31.0, "pitch": 17.0, "distance": 2.5, "fov": 50.0,
    }  # fmt: skip
    return OrbitView(**{**values, "up": up, **changes})  # type: ignore[arg-type]


def through(view: OrbitView, point: np.ndarray) -> tuple[float, float]:
    """Where the engine's camera sees a point."""
    camera = view.camera(*SIZE)
    x, y, z = camera.viewmat[:3, :3] @ point + camera.viewmat[:3, 3]
    scale = 1.0 if camera.kind == "orthographic" else 1.0 / z
    return camera.fx * x * scale + camera.cx, camera.fy * y * scale + camera.cy


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("orthographic", [False, True])
def test_projection_agrees_with_the_engine(up, orthographic) -> None:
    view = a_view(up, orthographic=orthographic)
    point = np.array([0.5, 0.3, -0.2])
    assert view.project(tuple(point), *SIZE) == pytest.approx(through(view, point))
    assert through(view, np.array(view.target)) == pytest.approx((320, 200))


@pytest.mark.parametrize("up", UPS)
def test_camera_and_back(up) -> None:
    view = a_view(up)
    again = OrbitView.of_camera(view.camera(*SIZE), view.up, np.array(view.target))
    assert again.target == pytest.approx(view.target)
    assert (again.yaw, again.pitch) == pytest.approx((view.yaw, view.pitch))
    assert again.distance == pytest.approx(view.distance)
    assert again.fov == pytest.approx(view.fov)


@pytest.mark.parametrize("up", UPS)
def test_up_is_up_in_the_picture(up) -> None:
    view = a_view(up)
    above = np.array(view.target) + 0.1 * np.array(up)
    x, y = through(view, above)
    assert x == pytest.approx(320)
    assert y < 200


@pytest.mark.parametrize("direction", sorted(DIRECTIONS))
def test_named_views(direction: str) -> None:
    view = a_view().looking(direction)
    camera = view.camera(*SIZE)
    along = np.abs(camera.forward)
    assert along.max() == pytest.approx(1.0)
    if direction in ("top", "bottom"):
        assert camera.forward @ np.array(view.up) == pytest.approx(-np.sign(view.pitch))


def test_front_is_where_the_engine_has_it() -> None:
    from polyorama.scene.framing import frame_subject

    for up in UPS[:4]:
        camera = frame_subject(a_cloud(), up, azimuth=30.0, elevation=20.0)
        view = OrbitView.of_camera(camera, up, np.zeros(3))
        assert (view.yaw, view.pitch) == pytest.approx((30.0, 20.0))


def test_pan_follows_the_pointer() -> None:
    view = a_view()
    held = view.point_at(100.0, 90.0, *SIZE)
    moved = view.panned(55.0, -20.0, SIZE[1])
    assert moved.project(tuple(held), *SIZE) == pytest.approx((155.0, 70.0))


@pytest.mark.parametrize("orthographic", [False, True])
def test_zoom_keeps_what_is_under_the_pointer(orthographic: bool) -> None:
    view = a_view(orthographic=orthographic)
    held = view.point_at(500.0, 90.0, *SIZE, depth=None if orthographic else 1.7)
    assert view.project(tuple(held), *SIZE) == pytest.approx((500.0, 90.0))
    closer = view.zoomed(0.5, held)
    assert closer.distance == pytest.approx(view.distance / 2)
    assert closer.project(tuple(held), *SIZE) == pytest.approx((500.0, 90.0))


@pytest.mark.parametrize("factor", [0.0, 1e-300, 1e300, float("inf")])
def test_zoom_ends_where_its_reach_does(factor: float) -> None:
    view = a_view()
    held = view.point_at(500.0, 90.0, *SIZE, depth=1.7)
    end = view.zoomed(factor, held, reach=(0.5, 40.0))
    assert end.distance == (0.5 if factor < 1.0 else 40.0)
    assert end.project(tuple(held), *SIZE) == pytest.approx((500.0, 90.0))
    beyond = replace(view, distance=100.0)
    assert beyond.zoomed(2.0, held, reach=(0.5, 40.0)) == beyond
    assert beyond.zoomed(0.9, reach=(0.5, 40.0)).distance == pytest.approx(90.0)


def test_retargeting_keeps_the_direction_and_depth() -> None:
    view = a_view()
    point = view.point_at(500.0, 90.0, *SIZE, depth=1.7)
    fresh = view.retargeted(point)
    assert (fresh.yaw, fresh.pitch) == (view.yaw, view.pitch)
    assert fresh.distance == pytest.approx(1.7)
    assert through(fresh, point) == pytest.approx((320, 200))


def test_orbit_stops_at_the_poles_and_wraps() -> None:
    view = a_view().orbited(0.0, 500.0)
    assert view.pitch == 90.0
    view.camera(*SIZE)
    assert a_view(yaw=170.0).orbited(20.0, 0.0).yaw == pytest.approx(-170.0)


def test_looking_along_an_axis() -> None:
    for axis in np.vstack([np.eye(3), -np.eye(3)]):
        camera = a_view().looking_along(axis).camera(*SIZE)
        assert camera.forward == pytest.approx(axis, abs=1e-9)


@pytest.mark.parametrize("size", [1e-5, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("orthographic", [False, True])
def test_scenes_of_every_size_are_seen_whole(size: float, orthographic: bool) -> None:
    """The nearest thing that the view shows lies behind the near plane."""
    cloud = a_cloud()
    small = replace(cloud, means=cloud.means * size, scales=cloud.scales * size)
    document = Document.of([small], ["ball"])
    view = replace(first_view(document, SIZE), orthographic=orthographic)
    camera = view.camera(*SIZE)
    depths = small.means @ camera.viewmat[2, :3] + camera.viewmat[2, 3]
    assert camera.near < depths.min()
    assert depths.max() < camera.far
    closer = view.zoomed(0.1).camera(*SIZE)
    target = closer.viewmat[2, :3] @ np.array(view.target) + closer.viewmat[2, 3]
    assert target - closer.near > 0.05 * view.distance


def test_a_millimetre_is_drawn() -> None:
    """With the real renderer: a ball of one millimetre looks as one of a metre does."""
    pictures = []
    for size in (1.0, 0.001):
        cloud = a_cloud(2000)
        ball = replace(cloud, means=cloud.means * size, scales=cloud.scales * size)
        document = Document.of([ball], ["ball"])
        state = resolve(document, first_view(document, (64, 48)).camera(64, 48))
        pictures.append(get_rasterizer("cpu").render(state, {"rgba8"}).rgba8.astype(int))
    assert pictures[0][24, 32, :3].max() > 50
    assert np.abs(pictures[0] - pictures[1]).mean() < 1.0
