"""Strokes of a brush: against a plain reference, and of any width and length."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.types import MAX_SIDE, Camera
from polyorama.errors import UsageError
from polyorama.render.picking import coverage
from polyorama.scene.regions import Region


def reference(points: np.ndarray, radius: float, size: tuple[int, int]) -> np.ndarray:
    columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    mask = np.zeros(columns.shape, np.uint8)
    for a, b in zip(points, [*points[1:], points[-1]], strict=True):
        along = b - a
        length = float(along @ along)
        px, py = columns - a[0], rows - a[1]
        t = np.clip((px * along[0] + py * along[1]) / length, 0, 1) if length else 0.0 * px
        mask |= (px - t * along[0]) ** 2 + (py - t * along[1]) ** 2 <= radius * radius
    return mask


def camera(width: int, height: int) -> Camera:
    return Camera.look_at((0, 0, -4), (0, 0, 0), size=(width, height))


@pytest.mark.parametrize("seed", range(12))
def test_a_stroke_is_what_lies_near_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform(-30, 130, (rng.integers(1, 9), 2))
    if seed % 3 == 0:
        points = np.round(points)
    if seed % 4 == 0:
        points[:, seed % 8 // 4] = points[0, seed % 8 // 4]  # along an axis
    radius = float(rng.choice([0.3, 1.0, 7.5, 40.0, 400.0]))
    region = Region(
        kind="brush", camera=camera(97, 61), points=tuple(points.ravel()), radius=radius
    )
    assert np.array_equal(coverage(region), reference(points, radius, (97, 61)))


def test_the_widest_stroke_of_the_most_points_ends() -> None:
    points = np.random.default_rng(0).uniform(0, 1000, (1 << 16, 2))
    region = Region(
        kind="brush", camera=camera(1600, 900), points=tuple(points.ravel()), radius=MAX_SIDE
    )
    assert coverage(region).all()


def test_a_brush_is_no_wider_than_a_picture() -> None:
    with pytest.raises(UsageError, match="at most"):
        Region(kind="brush", camera=camera(9, 9), points=(1, 1), radius=MAX_SIDE + 1.0)
