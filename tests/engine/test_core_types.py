"""Cameras: where things land in the picture, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.types import MAX_SIDE, Camera
from polyorama.errors import UsageError


def pixel(camera: Camera, point) -> np.ndarray:
    inside = camera.viewmat[:3, :3] @ np.asarray(point, float) + camera.viewmat[:3, 3]
    return (camera.intrinsics @ (inside / inside[2]))[:2]


def test_look_at_puts_the_target_in_the_middle_and_up_on_top():
    camera = Camera.look_at((1, -2, -5), (0.5, 0, 1), (0, -1, 0), fov=40, size=(640, 480))
    assert np.allclose(pixel(camera, (0.5, 0, 1)), (320, 240))
    above = pixel(camera, (0.5, -0.3, 1))
    assert above[1] < 240
    assert np.isclose(above[0], 320)
    assert np.allclose(camera.position, (1, -2, -5))
    assert np.isclose(camera.fov, 40)


def test_the_field_of_view_is_vertical():
    camera = Camera.look_at((0, 0, 0), (0, 0, 1), fov=90, size=(400, 200))
    assert np.allclose(pixel(camera, (0, -1, 1)), (200, 0))
    assert np.allclose(pixel(camera.resized(900, 100), (0, -1, 1)), (450, 0))


def test_small_scenes_are_not_cut_away():
    assert Camera.look_at((0, 0, -1e-3), (0, 0, 0)).near < 1e-4
    assert Camera.look_at((0, 0, -5), (0, 0, 0)).near == 0.01
    assert Camera.look_at((0, 0, -1e-3), (0, 0, 0), near=0.5).near == 0.5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": (0, 10)}, "pixels cannot be made"),
        ({"size": (10, MAX_SIDE + 1)}, "pixels cannot be made"),
        ({"fov": 0}, "field of view"),
        ({"fov": float("nan")}, "field of view"),
        ({"target": (1, -2, -5)}, "same point"),
        ({"up": (0, 0, 0)}, "not all zero"),
        ({"up": (-1, 2, 5)}, "along its view"),
        ({"eye": (0, np.nan, 0)}, "finite"),
        ({"eye": "abc"}, "must be numbers"),
        ({"fov": "wide"}, "must be a number"),
        ({"size": (32.5, 24)}, "whole numbers"),
        ({"size": "32x24"}, "whole numbers"),
        ({"near": 0.0}, "near plane"),
        ({"near": 2.0, "far": 1.0}, "near plane"),
    ],
)
def test_cameras_that_show_nothing_are_refused(change, words):
    good = {"eye": (1, -2, -5), "target": (0, 0, 0), "up": (0, -1, 0)}
    with pytest.raises(UsageError, match=words):
        Camera.look_at(**{**good, **change})


def test_a_matrix_that_is_not_rigid_is_refused():
    with pytest.raises(UsageError, match="rigid"):
        Camera(np.ones((4, 4)), 50, 50, 10, 10, 20, 20)


def test_unknown_kinds_and_odd_sizes_are_refused():
    viewmat = Camera.look_at((0, 0, -1), (0, 0, 0)).viewmat
    with pytest.raises(UsageError, match="kind of camera 'fish'"):
        Camera(viewmat, 50, 50, 10, 10, 20, 20, kind="fish")
    with pytest.raises(UsageError, match="whole pixels"):
        Camera(viewmat, 50, 50, 10, 10, 10.5, 20)
