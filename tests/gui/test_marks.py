"""What is drawn into pictures: the grid's lines, where they lie, and outlines of selections."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.render.state import Gaussians
from polyorama.scene.stack import SELECTED
from polyorama_studio.marking import drawn_over, drawn_under
from polyorama_studio.marks import Floor, Ground
from tests.gui.fakes import a_cloud

LINE, BACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def a_floor() -> Floor:
    frame = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return Floor(Ground(frame, 0.0, np.zeros(2), 5.0, (0, 2)), LINE, AXES, 1.0)


def picture(camera: Camera, alpha: int = 0) -> np.ndarray:
    pixels = np.zeros((camera.height, camera.width, 4), np.uint8)
    pixels[..., 3] = alpha
    return pixels


def slow_grid(camera: Camera, floor: Floor, unit: float, distance: float) -> np.ndarray:
    """(H, W) float64: how much of the grid covers each pixel, by rays through pixel corners."""
    cover = np.zeros((camera.height, camera.width))
    frame, step = floor.ground.frame, floor.spacing(unit)
    rotation, eye = camera.viewmat[:3, :3], camera.position

    def meet(x: float, y: float) -> np.ndarray | None:
        ray = np.array([(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1.0])
        origin, direction = eye, rotation.T @ ray
        if camera.kind == "orthographic":
            origin, direction = eye + rotation.T @ (ray * (1.0, 1.0, 0.0)), rotation[2]
        t = -(frame[2] @ origin) / (frame[2] @ direction)
        return (frame @ (origin + t * direction))[:2] if t > 0.0 else None

    for row in range(camera.height):
        for column in range(camera.width):
            here = meet(column + 0.5, row + 0.5)
            if here is None:
                continue
            e = 1e-4
            wide = [meet(column + 0.5 + e, row + 0.5), meet(column + 0.5, row + 0.5 + e)]
            width = sum(np.abs(w - here) / e for w in wide)
            found = 0.0
            for spacing, strength in ((step, 0.42), (10.0 * step, 1.0)):
                off = np.abs(here / spacing - np.round(here / spacing)) * spacing
                line = np.clip(1.0 - off / width, 0.0, 1.0)
                line *= np.clip((0.16 - width / spacing) / 0.12, 0.0, 1.0)
                found = max(found, strength * line.max())
            axes = np.clip(1.25 - np.abs(here) / width, 0.0, 1.0).max()
            found = max(found, axes)
            away = (here @ here) / floor.reach(distance) ** 2
            cover[row, column] = found * max(0.0, 1.0 - away) ** 2
    return cover


@pytest.mark.parametrize("parallel", [False, True])
def test_the_grid_is_where_rays_meet_the_floor(parallel: bool) -> None:
    eye, target, up = (1.0, -2.0, -3.0), (0.2, 0.0, 0.1), (0.0, -1.0, 0.0)
    size = (60, 44)
    if parallel:
        camera = Camera.orthographic(eye, target, up, height_in_world=3.0, size=size)
    else:
        camera = Camera.look_at(eye, target, up, size=size)
    floor = a_floor()
    unit, distance = 0.0012, 3.6
    out = drawn_under(picture(camera), camera, floor, BACK, None, unit, distance)
    fast = out[..., :3].max(axis=2) / 255.0
    slow = slow_grid(camera, floor, unit, distance)
    assert slow.max() > 0.5
    assert np.abs(fast - slow).max() < 0.02
    assert (out[..., 3] == 255).all()


def test_what_is_drawn_covers_the_grid_unless_it_lies_behind() -> None:
    camera = Camera.look_at((0.0, -2.0, -2.0), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), size=(40, 30))
    opaque = picture(camera, 255)
    near, far = (np.full((30, 40), depth, np.float32) for depth in (1.0, 9.0))
    covered = drawn_under(opaque, camera, a_floor(), BACK, near, 0.002, 2.8)
    assert np.array_equal(covered, opaque)
    over = drawn_under(opaque, camera, a_floor(), BACK, far, 0.002, 2.8)
    assert over[..., :3].max() > 100
    behind = drawn_under(opaque, camera, a_floor(), BACK, None, 0.002, 2.8)
    assert np.array_equal(behind, opaque)


def test_an_upright_grid_stands_behind_what_is_seen_from_the_side() -> None:
    camera = Camera.orthographic(
        (0.0, 0.0, -8.0), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), height_in_world=4.0, size=(80, 60)
    )
    ground, level = a_floor().seen_from(camera.forward, True)
    assert not level
    assert abs(ground.frame[2] @ camera.forward) == pytest.approx(1.0)
    out = drawn_under(picture(camera), camera, a_floor(), BACK, None, 0.0667 / 10, 8.0)
    assert out[..., :3].max() > 100
    # Of the axes the one that is level, and the one that stands.
    assert out[30, 3, 0] > out[30, 3, 1]
    assert out[3, 40, 1] > out[3, 40, 0]


def test_outlines_go_round_what_is_selected() -> None:
    cloud = a_cloud(2)
    state = np.array([SELECTED, 0], np.uint8)
    ids = np.full((20, 20), -1, np.int32)
    ids[5:15, 5:15] = 0
    ids[5:15, 15:18] = 1
    pixels = np.zeros((20, 20, 4), np.uint8)
    out = drawn_over(pixels, ids, Gaussians(cloud, state=state), (1.0, 0.5, 0.0))
    drawn = out[..., 0] == 255
    assert drawn[10, 4]
    assert drawn[10, 15], "also where something that is not selected begins"
    assert not drawn[6:14, 6:14].any()
    assert not drawn[:3].any()
    assert drawn_over(pixels, ids, Gaussians(cloud), (1.0, 0.5, 0.0)) is pixels


def test_single_pixels_have_no_outline() -> None:
    ids = np.full((20, 20), -1, np.int32)
    ids[10, 10] = 0
    pixels = np.zeros((20, 20, 4), np.uint8)
    gaussians = Gaussians(a_cloud(1), state=np.array([SELECTED], np.uint8))
    assert not drawn_over(pixels, ids, gaussians, (1.0, 1.0, 1.0)).any()
