"""Clouds, their affine maps and their harmonics against float64 formulas."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.scene import sh as harmonics
from polyorama.scene.covariance import covariances, decompose, stretched
from polyorama.scene.rotations import multiply, quaternions, rotation_matrices
from polyorama.scene.splats import SplatCloud, colors_from_sh, concatenate, sh_from_colors
from tests.engine.reference import seen_colors

RNG = np.random.default_rng(11)


def make_cloud(n=300, degree=3, seed=0, **more):
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(n, 4))
    return SplatCloud(
        rng.normal(size=(n, 3)).astype(np.float32),
        (quats / np.linalg.norm(quats, axis=1, keepdims=True)).astype(np.float32),
        np.exp(rng.uniform(-6, 0, (n, 3))).astype(np.float32),
        rng.uniform(0, 1, n).astype(np.float32),
        rng.normal(size=(n, (degree + 1) ** 2, 3)).astype(np.float32),
        **more,
    )


def random_rotation(rng, improper=False):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    if (np.linalg.det(q) < 0) != improper:
        q[:, 0] *= -1
    return q


def covariance(cloud):
    factor = rotation_matrices(cloud.quats) * cloud.scales[:, None, :].astype(np.float64)
    return factor @ factor.transpose(0, 2, 1)


def directions(n=200):
    d = np.random.default_rng(5).normal(size=(n, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def test_the_basis_is_orthonormal():
    """By quadrature: Gauss in z, even steps around."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    phi = np.arange(24) * (2 * np.pi / 24)
    z, p = np.meshgrid(nodes, phi, indexing="ij")
    ring = np.sqrt(1 - z * z)
    d = np.stack([ring * np.cos(p), ring * np.sin(p), z], axis=-1).reshape(-1, 3)
    w = np.repeat(weights, 24) * (2 * np.pi / 24)
    values = harmonics.basis(d, 3)
    np.testing.assert_allclose((values * w[:, None]).T @ values, np.eye(16), atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("improper", [False, True])
def test_sh_turn_with_the_object(degree, improper):
    """The turned lobes, seen along R d, are the old ones seen along d: within 1e-5."""
    rng = np.random.default_rng(degree)
    for _ in range(5):
        turn = random_rotation(rng, improper)
        sh = rng.normal(size=(40, (degree + 1) ** 2, 3)).astype(np.float32)
        turned = harmonics.rotate(sh, turn)
        d = directions()
        before = np.einsum("dk,nkc->dnc", harmonics.basis(d, degree), sh.astype(np.float64))
        after = np.einsum(
            "dk,nkc->dnc", harmonics.basis(d @ turn.T, degree), turned.astype(np.float64)
        )
        scale = np.abs(sh).max()
        assert np.abs(after - before).max() < 1e-5 * scale * (degree + 1)
        exact = [m @ m.T for m in harmonics.band_rotations(turn, degree)]
        for product in exact:
            np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-12)


# Signs of each coefficient under the two half turns between file conventions.
FLIPS = {
    "yz": ((1, -1, -1), (1, 1, -1, -1), "--+", "-++-+", "-+--+-+"),
    "xy": ((-1, -1, 1), (1, -1, -1, 1), "-+-", "+-+-+", "-+-+-+-"),
}


@pytest.mark.parametrize("name", FLIPS)
def test_half_turns_only_change_signs(name):
    position, quat, *bands = FLIPS[name]
    signs = [1.0] + [1.0 if c == "+" else -1.0 for band in bands for c in band]
    cloud = make_cloud()
    matrix = np.diag([*position, 1.0])
    turned = cloud.transformed(matrix)
    np.testing.assert_array_equal(turned.means, cloud.means * np.float32(position))
    np.testing.assert_allclose(turned.sh, cloud.sh * np.float32(signs)[None, :, None], atol=2e-6)
    # Turning the axes of each splat as well changes its quaternion but not its covariance.
    flipped = rotation_matrices(cloud.quats * np.float32(quat)) * cloud.scales[:, None, :]
    np.testing.assert_allclose(covariance(turned), flipped @ flipped.transpose(0, 2, 1), atol=1e-6)


def test_similarities_move_everything_exactly():
    cloud = make_cloud()
    turn = random_rotation(RNG)
    matrix = np.eye(4)
    matrix[:3, :3] = 2.5 * turn
    matrix[:3, 3] = [1, -2, 3]
    moved = cloud.transformed(matrix)
    np.testing.assert_allclose(
        moved.means, cloud.means.astype(np.float64) @ matrix[:3, :3].T + [1, -2, 3], atol=1e-5
    )
    np.testing.assert_allclose(moved.scales, 2.5 * cloud.scales, rtol=1e-6)
    np.testing.assert_allclose(
        covariance(moved), matrix[:3, :3] @ covariance(cloud) @ matrix[:3, :3].T, atol=1e-6
    )
    back = moved.transformed(np.linalg.inv(matrix))
    np.testing.assert_allclose(back.means, cloud.means, atol=1e-5)
    np.testing.assert_allclose(back.sh, cloud.sh, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_any_affine_map_transforms_the_covariance(seed):
    rng = np.random.default_rng(seed)
    cloud = make_cloud()
    matrix = np.eye(4)
    matrix[:3, :3] = rng.normal(size=(3, 3)) + (0.5 * np.eye(3) if seed % 2 else 0)
    moved = cloud.transformed(matrix)
    wanted = matrix[:3, :3] @ covariance(cloud) @ matrix[:3, :3].T
    size = np.abs(wanted).max(axis=(1, 2), keepdims=True)
    assert (np.abs(covariance(moved) - wanted) / size).max() < 1e-5
    np.testing.assert_allclose(np.linalg.norm(moved.quats, axis=1), 1, atol=1e-6)


def test_mirrors_are_allowed_and_undo_themselves():
    cloud = make_cloud()
    mirror = np.diag([1.0, -1.0, 1.0, 1.0])
    moved = cloud.transformed(mirror)
    wanted = mirror[:3, :3] @ covariance(cloud) @ mirror[:3, :3]
    np.testing.assert_allclose(covariance(moved), wanted, atol=1e-6)
    d = directions()
    seen = np.einsum("dk,nkc->dnc", harmonics.basis(d * [1, -1, 1], 3), moved.sh)
    before = np.einsum("dk,nkc->dnc", harmonics.basis(d, 3), cloud.sh)
    np.testing.assert_allclose(seen, before, atol=1e-4)
    np.testing.assert_allclose(moved.transformed(mirror).sh, cloud.sh, atol=1e-5)


def test_the_up_direction_turns_along():
    cloud = make_cloud(up=(0.0, -1.0, 0.0))
    matrix = np.diag([1.0, -1.0, -1.0, 1.0])
    assert cloud.transformed(matrix).up == (0.0, 1.0, 0.0)
    assert cloud.transformed(np.eye(4)) is cloud


@pytest.mark.parametrize(
    "bad",
    [np.zeros((4, 4)), np.diag([1, 1, 0, 1]), np.full((4, 4), np.nan), np.eye(3),
     np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])],
)  # fmt: skip
def test_maps_that_are_none_are_refused(bad):
    with pytest.raises(UsageError):
        make_cloud(3).transformed(bad)


def test_decomposition_agrees_with_numpy():
    cloud = make_cloud(500)
    upper = covariances(cloud.quats, cloud.scales)
    full = covariance(cloud)
    rows, columns = np.triu_indices(3)
    np.testing.assert_allclose(upper, full[:, rows, columns], rtol=1e-6, atol=1e-12)
    quats, scales = decompose(upper)
    np.testing.assert_allclose(scales, -np.sort(-cloud.scales, axis=1), rtol=1e-4)
    again = rotation_matrices(quats) * scales[:, None, :].astype(np.float64)
    np.testing.assert_allclose(again @ again.transpose(0, 2, 1), full, atol=1e-6)


def test_flat_and_point_like_splats_survive_a_stretch():
    cloud = make_cloud(4)
    scales = np.float32([[0.1, 0.2, 0], [0.3, 0, 0], [0, 0, 0], [1e-7, 1, 1e-3]])
    linear = np.random.default_rng(2).normal(size=(3, 3))
    quats, new = stretched(linear, cloud.quats, scales)
    assert np.isfinite(quats).all()
    np.testing.assert_allclose(np.linalg.norm(quats, axis=1), 1, atol=1e-6)
    old = rotation_matrices(cloud.quats) * scales[:, None, :].astype(np.float64)
    values = np.linalg.svd(linear @ old, compute_uv=False)
    np.testing.assert_allclose(new, values, rtol=1e-5, atol=1e-12)


def test_quaternions_and_matrices_agree():
    q = make_cloud(200).quats.astype(np.float64)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    m = rotation_matrices(q)
    np.testing.assert_allclose(
        m @ m.transpose(0, 2, 1), np.tile(np.eye(3), (200, 1, 1)), atol=1e-12
    )
    np.testing.assert_allclose(quaternions(m), np.where(q[:, :1] < 0, -q, q), atol=1e-9)
    product = multiply(q[0], q)
    np.testing.assert_allclose(rotation_matrices(product), m[0] @ m, atol=1e-9)


def test_concatenate_pads_and_keeps_what_is_shared():
    a = make_cloud(5, 1, model="antialiased", up=(0.0, 1.0, 0.0),
                   extras={"a": np.arange(5), "b": np.ones(5)})  # fmt: skip
    b = make_cloud(7, 3, seed=1, extras={"b": np.zeros(7)})
    both = concatenate([a, b])
    assert len(both) == 12
    assert both.sh_degree == 3
    assert (both.model, both.up) == ("default", None)
    assert list(both.extras) == ["b"]
    np.testing.assert_array_equal(both.sh[:5, :4], a.sh)
    assert not both.sh[:5, 4:].any()
    np.testing.assert_array_equal(both.subset(slice(5, 12)).sh, b.sh)
    with pytest.raises(UsageError):
        concatenate([])


def test_subsets_keep_order_and_columns():
    cloud = make_cloud(10, extras={"label": np.arange(10)})
    assert cloud.subset([7, 2]).extras["label"].tolist() == [7, 2]
    assert cloud.subset(cloud.opacities > 2).extras["label"].tolist() == []
    assert cloud.subset(np.arange(10) % 2 == 0).extras["label"].tolist() == [0, 2, 4, 6, 8]


def test_arrays_are_read_only_and_checked():
    cloud = make_cloud(3)
    with pytest.raises(ValueError, match="read-only"):
        cloud.means[0] = 0
    with pytest.raises(UsageError, match="scales"):
        SplatCloud(cloud.means, cloud.quats, cloud.scales[:2], cloud.opacities, cloud.sh)
    with pytest.raises(UsageError, match="SH"):
        SplatCloud(cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh[:, :5])
    with pytest.raises(UsageError, match="rows"):
        make_cloud(3, extras={"x": np.zeros(2)})


def test_importance_order_puts_large_and_opaque_first():
    cloud = make_cloud(500)
    order = cloud.importance_order()
    two = np.sort(cloud.scales, axis=1)[:, 1:]
    value = (cloud.opacities * two[:, 0] * two[:, 1])[order]
    assert (np.diff(value) <= 0).all()
    assert sorted(order.tolist()) == list(range(500))
    equal = SplatCloud(cloud.means, cloud.quats, np.ones_like(cloud.scales),
                       np.ones_like(cloud.opacities), cloud.sh)  # fmt: skip
    np.testing.assert_array_equal(equal.importance_order(), np.arange(500))


def test_bounds_ignore_outliers():
    rng = np.random.default_rng(0)
    means = rng.uniform(-1, 1, (20_000, 3)).astype(np.float32)
    means[:50] *= 1000
    means[50] = np.nan
    base = make_cloud(20_000, 0)
    box = SplatCloud(means, base.quats, base.scales, base.opacities, base.sh).bounds()
    np.testing.assert_allclose(box.low, -1, atol=0.02)
    np.testing.assert_allclose(box.high, 1, atol=0.02)


def test_colours_and_coefficients_are_inverse():
    colors = RNG.uniform(-0.5, 1.5, (50, 3)).astype(np.float32)
    np.testing.assert_allclose(colors_from_sh(sh_from_colors(colors)), colors, atol=1e-6)
    sh = np.zeros((50, 16, 3), np.float32)
    sh[:, 0] = sh_from_colors(colors)
    seen = seen_colors(sh, directions(50))
    np.testing.assert_allclose(seen, np.maximum(colors, 0), atol=1e-6)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_degrees_can_be_cut_and_padded(degree):
    cloud = make_cloud(6, 2)
    other = cloud.with_sh_degree(degree)
    shared = min((degree + 1) ** 2, 9)
    assert other.sh_degree == degree
    np.testing.assert_array_equal(other.sh[:, :shared], cloud.sh[:, :shared])
    assert not other.sh[:, shared:].any()
    with pytest.raises(UsageError):
        cloud.with_sh_degree(4)


def test_clouds_own_their_arrays_and_can_be_sent_to_another_process():
    means = np.zeros((2, 3), np.float32)
    cloud = SplatCloud(
        means, np.tile(np.float32([1, 0, 0, 0]), (2, 1)), np.ones((2, 3), np.float32),
        np.ones(2, np.float32), np.zeros((2, 1, 3), np.float32), extras={"age": np.arange(2)},
    )  # fmt: skip
    with pytest.raises(ValueError, match="read-only"):
        means[0] = 1
    copy = pickle.loads(pickle.dumps(cloud))
    assert np.array_equal(copy.extras["age"], [0, 1])
    assert not copy.means.flags.writeable


@pytest.mark.parametrize("wrong", [None, "abc", [[0.0, 0.0, 0.0]], np.zeros((2, 3), complex)])
def test_what_is_no_array_of_numbers_is_refused(wrong):
    good = SplatCloud(
        np.zeros((2, 3)), np.ones((2, 4)), np.ones((2, 3)), np.ones(2), np.zeros((2, 1, 3))
    )
    for name in ("means", "sh"):
        with pytest.raises(UsageError, match=name):
            replace(good, **{name: wrong})


@pytest.mark.parametrize(
    ("scale", "shift"),
    [(1e300, 0.0), (1e39, 0.0), (1.0, 1e308), (1.0, 1e39), (1e-300, 0.0), ((1e40, 1e40, 1e39), 0)],
)
def test_what_leaves_the_range_of_float32_is_refused(scale, shift):
    matrix = np.diag([*np.broadcast_to(scale, 3), 1.0])
    matrix[0, 3] = shift
    with pytest.raises(UsageError, match="300 splats out of the range"):
        make_cloud().transformed(matrix)


def test_what_was_no_number_may_stay_so():
    cloud = make_cloud(6)
    means, scales = cloud.means.copy(), cloud.scales.copy()
    means[0], means[1], scales[2], scales[3] = np.nan, np.inf, np.inf, 0.0
    moved = replace(cloud, means=means, scales=scales).transformed(np.diag([2.0, 2.0, 2.0, 1.0]))
    assert np.isfinite(moved.means).all(axis=1).tolist() == [False, False, *4 * [True]]
    assert not moved.scales[3].any()
