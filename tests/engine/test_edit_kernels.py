"""The compiled inner loops of the edits, against float64 brute force."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.edit import floaters
from polyorama.scene import decimate
from polyorama.scene.covariance import covariances
from polyorama.scene.rotations import rotation_matrices
from tests.engine.reference import basis


def splats(count, seed, degree=1):
    """Natural-form float32 arrays of random splats that overlap."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    sh = np.concatenate(
        [rng.normal(size=(count, 1, 3)), 0.3 * rng.normal(size=(count, (degree + 1) ** 2 - 1, 3))],
        axis=1,
    )
    return (
        rng.uniform(0, 1, (count, 3)).astype(np.float32),
        quats.astype(np.float32),
        np.exp(rng.uniform(-4, -1, (count, 3))).astype(np.float32),
        rng.uniform(0.05, 0.99, count).astype(np.float32),
        sh.astype(np.float32),
    )


def full(upper):
    """(..., 3, 3) of upper triangles (..., 6)."""
    return np.asarray(upper)[..., [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(*upper.shape[:-1], 3, 3)


def matrices(quats, scales):
    factor = rotation_matrices(quats.astype(np.float64)) * scales[:, None, :].astype(np.float64)
    return factor @ factor.transpose(0, 2, 1)


# --- floaters -----------------------------------------------------------------------------------


def meetings(means, sigma, reach):
    """(N, N) bool: deviations along the line between the centres, by a quadratic form."""
    offset = means[None] - means[:, None]
    length = np.linalg.norm(offset, axis=2)
    unit = offset / np.maximum(length, 1e-300)[..., None]
    own = np.sqrt(np.einsum("ija,iab,ijb->ij", unit, sigma, unit))
    return length <= reach * (own + own.T)


def test_ellipsoids_meet_on_the_line_between_their_centres():
    means, quats, scales, _, _ = splats(60, 1)
    means = means.astype(np.float64)
    means[7] = means[3]
    upper = covariances(quats, scales)
    for reach in (0.7, 2.0, 5.0):
        expected = meetings(means, matrices(quats, scales), reach)
        assert 0.02 < expected.mean() < 0.98
        got = [[floaters._meet(means, upper, i, j, reach) for j in range(60)] for i in range(60)]
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("seed", range(4))
def test_linked_splats_are_the_components_of_the_graph(seed):
    means, quats, scales, _, _ = splats(80, seed)
    means, reach = means.astype(np.float64), 0.9
    rng = np.random.default_rng(seed)
    near = rng.integers(-1, 80, (80, 5))
    root = np.arange(80)
    floaters._link(means, covariances(quats, scales), near, reach, root)
    meets = meetings(means, matrices(quats, scales), reach)
    linked = np.eye(80, dtype=bool)
    for i in range(80):
        for j in near[i][near[i] >= 0]:
            linked[i, j] = linked[j, i] = linked[i, j] or meets[i, j]
    for _ in range(80):
        linked = linked | (linked.astype(int) @ linked.astype(int) > 0)
    assert 3 < len(np.unique(root)) < 78
    np.testing.assert_array_equal(root[:, None] == root[None], linked)
    np.testing.assert_array_equal(root[root], root)


def test_faint_splats_go_with_kept_ones_that_they_meet():
    means, quats, scales, _, _ = splats(90, 5)
    means, reach = means.astype(np.float64), 2.0
    rng = np.random.default_rng(5)
    faint, kept = np.arange(60, 90), rng.random(90) < 0.6
    found = rng.integers(-1, 60, (30, 4))
    got = floaters._attached(means, covariances(quats, scales), faint, found, kept, reach)
    meets = meetings(means, matrices(quats, scales), reach)
    expected = [
        any(j >= 0 and kept[j] and meets[i, j] for j in row)
        for i, row in zip(faint, found, strict=True)
    ]
    assert 3 < sum(expected) < 27
    np.testing.assert_array_equal(got, expected)


# --- decimation ---------------------------------------------------------------------------------


def area(sigma):
    """Root of the second invariant, from the eigenvalues."""
    a, b, c = np.linalg.eigvalsh(sigma)
    return np.sqrt(a * b + a * c + b * c)


@functools.cache
def quadrature():
    """Harmonics (288, 16) at directions, and their weights, exact for products of degree 3."""
    z, weights = np.polynomial.legendre.leggauss(12)
    phi = 2 * np.pi * np.arange(24) / 24
    ring = np.sqrt(1 - z**2)[:, None]
    d = np.stack(np.broadcast_arrays(ring * np.cos(phi), ring * np.sin(phi), z[:, None]), -1)
    return np.array([basis(v) for v in d.reshape(-1, 3)]), np.repeat(weights, 24) / 48


def mean_likeness(one, other):
    """Cover plus the mean over the sphere of the product of two colours."""
    values, weights = quadrature()
    seen = [values[:, : len(sh)] @ sh + 0.5 for sh in (one, other)]
    return decimate._COVER + weights @ (seen[0] * seen[1]).sum(axis=1)


def overlap(one, other, offset):
    """Integral of the product of two footprints of height 1, over 2 pi."""
    both = one + other
    height = np.sqrt(np.linalg.det(one) * np.linalg.det(other) / np.linalg.det(both))
    return height * np.exp(-0.5 * offset @ np.linalg.solve(both, offset))


def test_areas_and_overlaps():
    _, quats, scales, _, _ = splats(40, 11)
    sigma = matrices(quats, scales)
    for m in sigma:
        got = decimate._area(m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2])
        assert got == pytest.approx(area(m), rel=1e-9)
    rng = np.random.default_rng(1)
    for one, other in zip(sigma[:-1, :2, :2], sigma[1:, :2, :2], strict=True):
        x, y = 0.1 * rng.normal(size=2)
        got = decimate._overlap(
            one[0, 0], one[0, 1], one[1, 1], other[0, 0], other[0, 1], other[1, 1], x, y
        )
        # Where the exponent is beyond 60 the kernel says 0.
        assert got == pytest.approx(overlap(one, other, np.array([x, y])), rel=1e-9, abs=1e-25)


def test_an_overlap_agrees_with_integration():
    one, other = np.array([[0.04, 0.01], [0.01, 0.02]]), np.array([[0.03, -0.01], [-0.01, 0.05]])
    step, offset = 0.01, np.array([0.15, -0.1])
    xy = np.stack(np.meshgrid(*[np.arange(-2, 2, step)] * 2, indexing="ij"), axis=-1)

    def footprint(matrix, at):
        away = xy - at
        return np.exp(-0.5 * np.einsum("...a,ab,...b->...", away, np.linalg.inv(matrix), away))

    total = (footprint(one, 0) * footprint(other, offset)).sum() * step**2 / (2 * np.pi)
    assert overlap(one, other, offset) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_likeness_is_a_mean_over_directions(degree):
    sh = splats(6, 2, degree)[4]
    for i in range(6):
        for j in range(i, 6):
            expected = mean_likeness(sh[i].astype(float), sh[j].astype(float))
            assert decimate._likeness(sh, i, j, sh.shape[1]) == pytest.approx(expected, rel=1e-5)


def moments(i, j, means, sigma, opacities):
    """Weights, mean and covariance of a merged pair, and its mass."""
    mass = [opacities[k] * area(sigma[k]) for k in (i, j)]
    total = mass[0] + mass[1]
    a, b = mass[0] / total, mass[1] / total
    offset = means[j] - means[i]
    merged = a * sigma[i] + b * sigma[j] + a * b * np.outer(offset, offset)
    return a, b, means[i] + b * offset, merged, total


def merged_opacity(total, merged, o_i, o_j):
    return min(total / area(merged), 1 - (1 - o_i) * (1 - o_j), decimate._OPAQUE)


def cost(i, j, means, rotations, scales, sigma, opacities, sh):
    """The integrated squared error of a merge, seen along the three axes of splat i."""
    floor = (0.05 * scales[i].max()) ** 2 + 1e-30
    turn = rotations[i]
    here = np.stack([turn.T @ sigma[k] @ turn + floor * np.eye(3) for k in (i, j)])
    offset = turn.T @ (means[j] - means[i])
    pair = np.stack([np.zeros(3), offset])
    a, b, _, merged, total = moments(0, 1, pair, here, opacities[[i, j]])
    heights = [opacities[i], opacities[j], -merged_opacity(total, merged, *opacities[[i, j]])]
    shapes, places = [*here, merged], [0 * offset, offset, b * offset]
    colors = [sh[i], sh[j], a * sh[i] + b * sh[j]]
    error = 0.0
    for axes in ((0, 1), (0, 2), (1, 2)):
        view = np.ix_(axes, axes)
        for p in range(3):
            for q in range(3):
                apart = (places[q] - places[p])[list(axes)]
                error += (
                    heights[p] * heights[q] * mean_likeness(colors[p], colors[q])
                    * overlap(shapes[p][view], shapes[q][view], apart)
                )  # fmt: skip
    return error


def cost_of_dropping(i, scales, opacities, sh):
    variances = scales[i] ** 2 + (0.05 * scales[i].max()) ** 2 + 1e-30
    sides = np.sqrt([variances[0] * variances[1], variances[0] * variances[2],
                     variances[1] * variances[2]])  # fmt: skip
    return 0.5 * opacities[i] ** 2 * mean_likeness(sh[i], sh[i]) * sides.sum()


def test_every_splat_finds_its_cheapest_fate():
    means, quats, scales, opacities, sh = splats(30, 21)
    opacities[::4] *= 0.02
    opacities[5] = opacities[6] = 0.0
    near = np.random.default_rng(3).integers(0, 30, (30, 5))
    near[near == np.arange(30)[:, None]] = -1
    # Two invisible ones, that only each other's are near to: to drop them costs nothing.
    near[np.isin(near, (5, 6))] = -1
    near[5], near[6] = 6, 5
    partners, costs = np.empty(30, np.int64), np.empty(30)
    decimate._judge(means, quats, scales, opacities, sh, covariances(quats, scales), near,
                    partners, costs, 0, 30)  # fmt: skip
    exact = [array.astype(np.float64) for array in (means, scales, opacities, sh)]
    rotations, sigma = rotation_matrices(quats.astype(np.float64)), matrices(quats, scales)
    for i in range(30):
        wanted, partner = cost_of_dropping(i, *exact[1:]), -1
        for j in near[i][near[i] >= 0] if opacities[i] > 0 else ():
            error = cost(i, j, exact[0], rotations, exact[1], sigma, exact[2], exact[3])
            if error < wanted:
                wanted, partner = error, j
        assert partners[i] == partner
        assert costs[i] == pytest.approx(wanted, rel=2e-5, abs=1e-15)
    assert 3 < (partners < 0).sum() < 27


def test_merged_splats_have_the_moments_of_both():
    means, quats, scales, opacities, sh = splats(20, 4, degree=2)
    upper, rows = covariances(quats, scales), np.arange(100, 120)
    before = [a.astype(np.float64) for a in (means, opacities, sh)]
    sigma = full(upper.copy())
    fate = np.full(20, decimate._STAYS)
    pairs = np.arange(0, 20, 2)
    fate[pairs], fate[pairs + 1] = pairs + 1, decimate._GONE
    decimate._merge(pairs, fate, means, opacities, sh, upper, rows)
    for i in pairs:
        j = i + 1
        a, b, mean, merged, total = moments(i, j, before[0], sigma, before[1])
        np.testing.assert_allclose(means[i], mean, atol=1e-6)
        np.testing.assert_allclose(full(upper)[i], merged, rtol=1e-9, atol=1e-15)
        expected = merged_opacity(total, merged, before[1][i], before[1][j])
        assert opacities[i] == pytest.approx(expected, rel=1e-6)
        np.testing.assert_allclose(sh[i], a * before[2][i] + b * before[2][j], atol=1e-6)
        assert rows[i] == 100 + (i if a >= b else j)
    assert len({int(rows[i]) % 2 for i in pairs}) == 2


def test_the_cheapest_are_settled_first():
    rng = np.random.default_rng(6)
    partners, costs = rng.integers(-1, 50, 50), rng.random(50)
    partners[partners == np.arange(50)] = -1
    for goal in (1, 10, 50):
        fate = np.full(50, decimate._STAYS)
        decimate._choose(np.argsort(costs), partners, goal, fate)
        free, expected, settled = set(range(50)), np.full(50, decimate._STAYS), 0
        for i in sorted(range(50), key=lambda row: costs[row]):
            j = int(partners[i])
            if settled == goal or i not in free or (j >= 0 and j not in free):
                continue
            free -= {i, j}
            settled += 1
            expected[i] = decimate._GONE if j < 0 else j
            if j >= 0:
                expected[j] = decimate._GONE
        np.testing.assert_array_equal(fate, expected)


def test_the_floater_filter_is_its_parts():
    """Two clumps and a faint splat in each: the light clump goes, and what hangs on it."""
    from polyorama.scene.splats import SplatCloud

    rng = np.random.default_rng(9)
    heavy, light = 0.3 * rng.normal(size=(300, 3)), 0.05 * rng.normal(size=(4, 3)) + 30
    means = np.concatenate([heavy, light, [[0.0, 0, 0], [30.0, 30, 30]]]).astype(np.float32)
    count = len(means)
    opacities = np.full(count, 0.8, np.float32)
    opacities[-2:] = 0.02
    cloud = SplatCloud(
        means,
        np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        np.full((count, 3), 0.3, np.float32),
        opacities,
        np.zeros((count, 1, 3), np.float32),
    )
    floating = run(floaters.find_floaters(cloud))
    np.testing.assert_array_equal(np.flatnonzero(floating), [300, 301, 302, 303, 305])
