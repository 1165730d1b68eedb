"""Numbers that no sane file or person gives: no warning, a sentence where nothing can be done."""

from __future__ import annotations

import logging
import math
from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.core.types import Camera, unit_vector
from polyorama.errors import UsageError
from polyorama.render.paths import orbit
from polyorama.scene.document import Document
from polyorama.scene.lint import lint
from polyorama.scene.splats import SplatCloud
from polyorama.scene.statistics import column_statistics, overdraw, robust_bounds
from polyorama.scene.subject import can_be_drawn
from polyorama.verbs.film import render, turntable
from polyorama.verbs.sequences import film_job
from polyorama.verbs.workers import Look
from tests.engine.splat_samples import sample_cloud

# Warnings are errors in all tests, so that one of numpy's fails these.


def random_bits(count: int, seed: int) -> SplatCloud:
    """A cloud of any bits: NaN of both kinds, infinity, the largest and the smallest numbers."""
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        return rng.integers(0, 1 << 32, (count, *shape), np.uint32).view(np.float32)

    return SplatCloud(some(3), some(4), some(3), some(), some(16, 3))


def shown_as(cloud: SplatCloud) -> Document:
    return Document.of([cloud], ["cloud"])


@pytest.mark.parametrize("seed", range(3))
def test_any_bits_are_examined_and_drawn_without_a_warning(seed):
    cloud = random_bits(3000, seed)
    codes = {finding.code for finding in lint(cloud)}
    assert {"position-not-finite", "value-not-finite", "opacity-range"} <= codes
    assert any(column.not_finite for column in column_statistics(cloud))
    assert math.isfinite(overdraw(cloud))
    assert sorted(cloud.importance_order()) == list(range(3000))
    assert render(shown_as(cloud), size=(32, 24), backend="cpu").rgba8.shape == (24, 32, 4)
    assert len(list(turntable(shown_as(cloud), 0.1, 20, (16, 12), backend="cpu"))) == 2


def test_the_farthest_positions_are_examined_and_left_out_of_the_view():
    far = sample_cloud(500, 0)
    means = far.means.copy()
    means[::2] = 3.4e38
    means[1::2] = -3.4e38
    cloud = replace(far, means=means)
    assert robust_bounds(cloud.means).extent == pytest.approx([6.8e38] * 3, rel=1e-6)
    assert {"range-position"} <= {finding.code for finding in lint(cloud)}
    assert all(math.isfinite(c.mean) for c in column_statistics(cloud) if c.name in "xyz")
    assert overdraw(cloud) == 0.0
    assert render(shown_as(cloud), size=(16, 12), backend="cpu").rgba8[..., :3].max() == 0


def test_a_few_far_splats_do_not_move_the_view():
    cloud = sample_cloud(500, 0)
    means = cloud.means.copy()
    means[:3] = [[3e38, 0, 0], [0, -3e38, 0], [0, 0, np.inf]]
    whole = render(shown_as(cloud.subset(slice(3, None))), size=(48, 36), backend="cpu")
    odd = render(shown_as(replace(cloud, means=means)), size=(48, 36), backend="cpu")
    np.testing.assert_array_equal(odd.rgba8, whole.rgba8)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1.0, 1e200, 1.7e308])
def test_a_direction_may_be_of_any_length(size):
    np.testing.assert_allclose(unit_vector([0, -size, 0]), [0, -1, 0])
    camera = Camera.look_at([0, 0, -5], [0, 0, 0], [0, -size, 0])
    np.testing.assert_array_equal(camera.viewmat, Camera.look_at([0, 0, -5], [0, 0, 0]).viewmat)
    around = orbit(camera, [0, 0, 0], [0, -size, 0], [90.0])[0]
    np.testing.assert_allclose(np.abs(around.position), [5, 0, 0], atol=1e-9)


@pytest.mark.parametrize("values", [[0, 0, 0], [np.nan, 0, 1], [1, 2], "up", None])
def test_what_is_no_direction_is_refused(values):
    with pytest.raises(UsageError, match=r"^The up direction must be three"):
        unit_vector(values)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Camera.look_at([1e308, 0, 0], [0, 0, 0]),
        lambda: Camera.look_at([0, 0, 0], [0, 0, -1e31]),
        lambda: Camera.look_at([0, 0, -5], [0, 0, 0], fov=1e-300),
        lambda: Camera.look_at([0, 0, -5], [0, 0, 0], far=1e300),
        lambda: Camera.orthographic([0, 0, -5], [0, 0, 0], height_in_world=1e300),
        lambda: Camera.orthographic([0, 0, -5], [0, 0, 0], height_in_world=1e-300),
        lambda: Camera(np.eye(4), 50.0, 50.0, 1e39, 24.0, 64, 48),
    ],
)
def test_cameras_beyond_what_renderers_calculate_with_are_refused(make):
    with pytest.raises(UsageError, match=r"1e\+30"):
        make()


def test_a_camera_at_its_limits_draws():
    document = shown_as(sample_cloud(50, 0))
    for camera in (
        Camera.look_at([1e30, 0, 0], [0, 0, 0], size=(16, 12), far=1e30),
        Camera.orthographic([0, 0, -5], [0, 0, 0], height_in_world=1e30, size=(16, 12)),
        Camera.orthographic([0, 0, -5], [0, 0, 0], height_in_world=1e-27, size=(16, 12)),
    ):
        assert render(document, camera, backend="cpu").rgba8.shape == (12, 16, 4)


def test_a_picture_of_nothing_but_nan_is_told(caplog, tmp_path):
    cloud = sample_cloud(20, 0)
    broken = replace(cloud, means=np.full((20, 3), np.nan, np.float32))
    assert can_be_drawn(cloud)
    assert not can_be_drawn(broken)
    with caplog.at_level(logging.WARNING):
        render(shown_as(broken), size=(16, 12), backend="cpu")
    assert "Nothing can be drawn: of 20 splats none" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        camera = Camera.look_at([0, 0, -5], [0, 0, 0], size=(16, 12))
        run(film_job(tmp_path / "a.webp", shown_as(broken), [camera] * 2, look=Look("cpu")))
    assert caplog.text.count("Nothing can be drawn") == 1
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        render(Document.of([broken, cloud], ["a", "b"]), size=(16, 12), backend="cpu")
        render(Document(), size=(16, 12), backend="cpu")
    assert not caplog.records
