"""Axis flips and smallest-three quaternions, against matrices and the written tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from polyorama.io.axes import LUF, RUB, flip_axes, sh_signs
from polyorama.io.smallest_three import from_smallest_three, smallest_three
from polyorama.scene.rotations import rotation_matrices
from tests.engine.splat_samples import LUF_SH_SIGNS, RUB_SH_SIGNS, rotation_error, sample_cloud


@pytest.mark.parametrize(("flip", "signs"), [(RUB, RUB_SH_SIGNS), (LUF, LUF_SH_SIGNS)])
def test_signs_of_the_written_table(flip, signs):
    assert sh_signs(flip, 16).tolist() == signs


@pytest.mark.parametrize("flip", list(itertools.product([False, True], repeat=3)))
def test_a_flip_is_the_transform_by_its_matrix(flip):
    cloud = sample_cloud(40, 3, up=(0.0, -1.0, 0.0))
    flipped = flip_axes(cloud, flip)
    signs = np.where(flip, -1.0, 1.0)
    expected = cloud.transformed(np.diag([*signs, 1.0]))
    assert np.allclose(flipped.means, expected.means)
    assert np.allclose(flipped.sh, expected.sh, atol=1e-5)
    assert np.allclose(flipped.up, expected.up)
    # As covariances, because a Gaussian has several quaternions.
    factors = [rotation_matrices(c.quats) * c.scales[:, None] for c in (flipped, expected)]
    first, second = (f @ f.transpose(0, 2, 1) for f in factors)
    assert np.allclose(first, second, atol=1e-6)


def test_a_flip_is_its_own_inverse():
    cloud = sample_cloud(40, 3)
    back = flip_axes(flip_axes(cloud, RUB), RUB)
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert np.array_equal(getattr(back, name), getattr(cloud, name))


def test_smallest_three_round_trip():
    cloud = sample_cloud(5000, 0)
    largest, three = smallest_three(cloud.quats * np.float32(1e-20))
    assert np.abs(three).max() <= 0.5**0.5 + 1e-6
    assert sorted(set(largest.tolist())) == [0, 1, 2, 3]
    back = type(cloud)(
        cloud.means, from_smallest_three(largest, three), cloud.scales, cloud.opacities, cloud.sh
    )
    assert rotation_error(cloud, back).max() < 1e-3


def test_smallest_three_of_odd_rows():
    largest, three = smallest_three([[0, 0, 0, 0], [0, 0, 0, -2], [-1, -1, -1, -1]])
    assert largest.tolist() == [0, 3, 0]
    assert np.allclose(three, [[0, 0, 0], [0, 0, 0], [0.5, 0.5, 0.5]])
    long = from_smallest_three([2], [[1, 1, 1]])
    assert np.allclose(long, np.array([[1, 1, 0, 1]]) / 3**0.5)
