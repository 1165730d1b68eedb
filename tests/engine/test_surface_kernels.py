"""The compiled inner loops of surfels, occlusion and stippling, against float64 brute force."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.render import footprints, occlusion, sampling
from polyorama.render.surface import analyse, tangents
from polyorama.scene.mesh import Mesh
from polyorama.verbs.theatre import stipple


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def directions(count, seed):
    """(count, 3) float64 unit vectors, the axes among them."""
    rng = np.random.default_rng(seed)
    return np.concatenate([np.eye(3), -np.eye(3), unit(rng.normal(size=(count - 6, 3)))])


def test_tangents_make_a_right_handed_frame():
    for normal in [*directions(200, 1), unit(np.array([1e-9, -1e-9, -1.0]))]:
        one, two = (np.array(v) for v in tangents(*normal))
        frame = np.stack([one, two, normal])
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(frame) == pytest.approx(1)


# --- sampling -----------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [0.02, 0.11, 0.5, 3.0])
def test_the_grid_finds_every_pair_once(radius):
    """Also where hundreds of cells share few buckets, and where one cell holds all."""
    rng = np.random.default_rng(4)
    points = np.concatenate([rng.random((250, 3)), 0.03 * rng.random((100, 3))])
    points[-1] = points[-2]
    grid = sampling.HashGrid(points, radius)
    degree = np.zeros(351, np.int64)
    sampling._count_pairs(points, radius, *grid.arrays, degree, 0, 350)
    near = ((points[:, None] - points[None]) ** 2).sum(axis=2) < radius**2
    np.fill_diagonal(near, False)
    np.testing.assert_array_equal(degree[1:], near.sum(axis=1))
    starts = np.cumsum(degree)
    normals = directions(350, 2).astype(np.float32)
    neighbours, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    sampling._fill_pairs(points, normals, radius, 0.2 * radius, *grid.arrays, starts, neighbours,
                         weights, 0, 350)  # fmt: skip
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    facing = np.maximum(normals.astype(np.float64) @ normals.T, 0)
    expected = (1 - np.maximum(distance, 0.2 * radius) / radius) ** 8
    expected *= sampling._SIDE + (1 - sampling._SIDE) * facing**2
    for i in range(350):
        mine = slice(starts[i], starts[i + 1])
        order = np.argsort(neighbours[mine])
        np.testing.assert_array_equal(neighbours[mine][order], np.flatnonzero(near[i]))
        np.testing.assert_allclose(weights[mine][order], expected[i, near[i]], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("removals", [0, 1, 40, 119])
def test_the_heap_removes_the_heaviest_each_time(removals):
    rng = np.random.default_rng(removals)
    weights = np.triu(rng.random((120, 120)) * (rng.random((120, 120)) < 0.1), 1)
    weights += weights.T
    rows, columns = np.nonzero(weights)
    starts = np.searchsorted(rows, np.arange(121))
    gone = sampling._remove(starts, columns.astype(np.int32), weights[rows, columns], removals)
    alive = np.ones(120, bool)
    for i in gone:
        total = weights[:, alive].sum(axis=1)
        assert alive[i]
        assert total[i] == pytest.approx(total[alive].max(), abs=1e-9)
        alive[i] = False
    assert alive.sum() == 120 - removals


def test_a_smoothed_value_is_the_mean_of_what_faces_the_same_way():
    rng = np.random.default_rng(9)
    points, values = rng.random((200, 3)), rng.random((200, 3)).astype(np.float32)
    normals, radius = directions(200, 5).astype(np.float32), 0.25
    grid = sampling.HashGrid(points, radius)
    result = np.full_like(values, np.nan)
    sampling._smooth(points, normals, values, radius, *grid.arrays, result, 20, 180)
    for i in range(20, 180):
        squared = ((points - points[i]) ** 2).sum(axis=1)
        facing = np.maximum(normals.astype(np.float64) @ normals[i], 0)
        weight = np.where(squared <= radius**2, np.exp(-2 * squared / radius**2) * facing**4, 0)
        np.testing.assert_allclose(result[i], weight @ values / weight.sum(), atol=1e-6)
    assert np.isnan(result[:20]).all()
    assert np.isnan(result[180:]).all()


# --- footprints ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high"), [(9, 9), (0.4, 9), (9, 0.4), (0.4, 0.5), (0.05, 0.05), (0, 0.02), (-0.1, 1)]
)
def test_squeezed_intervals_end_where_they_must(low, high):
    wish, least = 1.0, 0.3
    half, shift = footprints._squeeze(low, high, wish, least)
    room = (low + high) / 2
    assert half == pytest.approx(min(wish, max(min(low, high), min(least, room))))
    assert shift + half <= high + 1e-12
    assert shift - half >= -low - 1e-12
    # It moves no farther than it must.
    assert shift == 0 or min(abs(shift + half - high), abs(shift - half + low)) < 1e-12


def folded(seed):
    """A crumpled patch of triangles: its samples, their normals and its surface."""
    rng = np.random.default_rng(seed)
    side = np.linspace(0, 1, 3)
    x, z = np.meshgrid(side, side, indexing="ij")
    points = np.stack([x, 0.09 * rng.normal(size=x.shape), z], -1).reshape(-1, 3)
    index = np.arange(9).reshape(3, 3)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    triangles = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    surface = analyse(Mesh(points, triangles))
    ids, weights = sampling.surface_points(surface.areas, 500, rng)
    return (
        np.einsum("nk,nkc->nc", weights, surface.corners[ids]), surface.normals[ids], surface, ids
    )  # fmt: skip


def edges_near(point, normal, spacing, reach, marks, owners, surface, cell):
    """Offsets (n, 3) to the edges that a surfel minds, their directions and slacks."""
    close = np.unique(owners[np.linalg.norm(marks - point, axis=1) <= cell])
    found = []
    for edge in close:
        begin, end = surface.edges[edge]
        along, length = unit(end - begin), np.linalg.norm(end - begin)
        fold = surface.edge_folds[edge]
        if (surface.edge_faces[edge] @ normal).max() < 0.9:
            continue
        if length < 0.25 * spacing and fold < 0.5:
            continue
        foot = begin + np.clip((point - begin) @ along, 0, length) * along - point
        flat = foot - (foot @ normal) * normal
        if abs(foot @ normal) > 0.3 * spacing or np.linalg.norm(flat) > reach:
            continue
        slack = min(footprints._SLACK * spacing / max(fold, 1e-3), spacing)
        found.append((flat, along, slack))
    return found


def fitted(point, normal, spacing, reach, found):
    """Centre, first axis, sizes and caps of one surfel, from its edges."""
    base = footprints._BASE * spacing
    rim, inset = footprints._RIM * base, footprints._INSET * spacing
    first = np.array(tangents(*normal)[0])
    if not found:
        grown = footprints._STRETCH * base
        return point, first, np.array([base, base]), np.array([grown, grown])
    lengths = np.array([np.linalg.norm(flat) for flat, _, _ in found])
    slacks = np.array([slack for _, _, slack in found])
    along = found[int(np.argmin(lengths + slacks))][1]
    along = along - (along @ normal) * normal
    first = unit(along) if np.linalg.norm(along) > 1e-6 else first
    axes = np.stack([first, np.cross(normal, first)])
    offsets = np.array([axes @ flat for flat, _, _ in found])
    room = np.full((2, 2), np.inf)  # axis, below or above
    for offset, length, slack in zip(offsets, lengths, slacks, strict=True):
        if length < 1e-12 * spacing:
            room[1, 1] = min(room[1, 1], slack)
            continue
        axis = 1 if abs(offset[1]) >= 0.8 * length else 0
        if abs(offset[axis]) >= 0.8 * length:
            side = int(offset[axis] > 0)
            free = length**2 / abs(offset[axis]) + slack
            room[axis, side] = min(room[axis, side], free)
    across, shift_b = footprints._squeeze(*room[1], rim, inset)
    wish = min(rim * np.sqrt(rim / across), 1.5 * rim)
    forth, shift_a = footprints._squeeze(*room[0], wish, inset)
    half, shift = np.array([forth, across]), np.array([shift_a, shift_b])
    away = lengths > 1e-12 * spacing
    ways = offsets[away] / lengths[away, None]
    free = lengths[away] - ways @ shift + slacks[away]
    support = np.linalg.norm(ways * half, axis=1)
    tight = support > free
    half = half * min(1.0, (np.maximum(free, inset)[tight] / support[tight]).min(initial=1.0))
    sizes = half / footprints._RIM
    over = footprints._OVER * spacing
    caps = np.array([max(sizes[0], footprints._STRETCH * base), footprints._STRETCH * base])
    if not away.all():
        caps[1] = min(caps[1], sizes[1] + over)
    for way, rest in zip(np.abs(ways), np.maximum(free, 0) + over, strict=True):
        left = np.sqrt(np.maximum(rest**2 - (way * half)[::-1] ** 2, 0)) / np.maximum(way, 1e-9)
        if way[0] > 0.3:
            caps[0] = min(caps[0], max(sizes[0], left[0] / footprints._TIP))
        if way[1] > 0.3:
            caps[1] = min(caps[1], max(sizes[1], min(base, left[1] / footprints._RIM)))
    return point + shift @ axes, first, sizes, caps


@pytest.mark.parametrize("seed", range(3))
def test_fitted_surfels_are_those_of_a_plain_reference(seed):
    points, normals, surface, _ = folded(seed)
    spacing = float(np.sqrt(surface.area / len(points)))
    centres, axes, sizes, caps = footprints.fit(points, normals, surface, spacing)
    reach = footprints._TIP * footprints._STRETCH * footprints._BASE * spacing
    marks, owners = footprints._marks(surface.edges, 0.5 * spacing)
    free = 0
    for i, (point, normal) in enumerate(zip(points, normals, strict=True)):
        found = edges_near(
            point, normal, spacing, reach, marks, owners, surface, reach + 0.5 * spacing
        )
        free += not found
        centre, axis, size, cap = fitted(point, normal, spacing, reach, found)
        np.testing.assert_allclose(centres[i], centre, atol=1e-9)
        np.testing.assert_allclose(sizes[i], size, rtol=1e-7)
        np.testing.assert_allclose(caps[i], cap, rtol=1e-7)
        assert np.linalg.norm(np.cross(axes[i], axis)) < 1e-7
    assert 50 < free < 450


def test_marks_lie_along_edges_at_most_a_step_apart():
    edges = np.random.default_rng(0).random((7, 2, 3)) * np.arange(7)[:, None, None]
    marks, owners = footprints._marks(edges, 0.21)
    for number, (begin, end) in enumerate(edges):
        mine = marks[owners == number]
        np.testing.assert_allclose(mine[[0, -1]], [begin, end], atol=1e-12)
        gaps = np.diff(mine, axis=0)
        assert np.linalg.norm(gaps, axis=1).max(initial=0) <= 0.21 + 1e-12
        np.testing.assert_allclose(np.cross(gaps, end - begin), 0, atol=1e-12)


def test_holes_are_found_and_wished_shut():
    points, normals, surface, _ = folded(5)
    spacing = float(np.sqrt(surface.area / len(points)))
    centres, axes, sizes, caps = footprints.fit(points, normals, surface, spacing)
    sizes = 0.8 * sizes
    ids, weights = sampling.surface_points(surface.areas, 900, np.random.default_rng(1))
    probes = np.einsum("nk,nkc->nc", weights, surface.corners[ids])
    facing = surface.normals[ids].astype(np.float32)
    seconds = np.cross(normals, axes)
    cell = 3.0 * float(sizes.max())
    grid = sampling.HashGrid(centres, cell)
    best, wish = np.full(900, -1, np.int32), np.zeros((900, 2))
    footprints._probe(centres, axes, seconds, normals, sizes, caps, probes, facing,
                      np.arange(900), spacing, *grid.arrays, best, wish, 0, 900)  # fmt: skip
    for p, (probe, normal) in enumerate(zip(probes, facing.astype(np.float64), strict=True)):
        away = probe - centres
        seen = (np.linalg.norm(away, axis=1) <= cell) & (normals @ normal >= 0.5)
        seen &= np.abs((away * normals).sum(axis=1)) <= 0.4 * spacing
        place = np.stack([(away * axes).sum(axis=1), (away * seconds).sum(axis=1)], 1) / sizes
        alpha = footprints.OPACITY * np.exp(-0.5 * (place**2).sum(axis=1)) * seen
        through = np.prod(1 - alpha)
        axis = (np.abs(place[:, 1]) > np.abs(place[:, 0])).astype(int)
        rows = np.arange(len(centres))
        able = np.where(sizes[rows, axis] < 0.999 * caps[rows, axis], alpha, 0)
        j = int(able.argmax())
        hole = footprints._HOLE
        if caps[j, 1] < footprints._BASE * spacing:
            hole = footprints._RIM_HOLE
        need = min(1 - (1 - able[j]) * hole / through, 0.8 * footprints.OPACITY)
        if able[j] == 0 or through <= hole or need <= able[j]:
            assert best[p] == -1
            continue
        assert best[p] == j
        # The scale on its axis that gives it the alpha it needs, in bounds.
        k = axis[j]
        left = -2 * np.log(need / footprints.OPACITY) - place[j, 1 - k] ** 2
        grow = np.sqrt(place[j, k] ** 2 / max(left, 0.25 * place[j, k] ** 2))
        expected = sizes[j].copy()
        expected[k] = min(caps[j, k], sizes[j, k] * min(grow, 1.35))
        np.testing.assert_allclose(wish[p], expected, rtol=1e-6)
    assert 50 < (best >= 0).sum() < 850


def test_barycentrics_are_those_of_the_foot_on_the_plane():
    rng = np.random.default_rng(2)
    weights = np.empty(3)
    for _ in range(50):
        corners, point = rng.normal(size=(3, 3)), rng.normal(size=3)
        footprints._barycentrics(point, corners, weights)
        assert weights.sum() == pytest.approx(1)
        sides = corners[1:] - corners[0]
        np.testing.assert_allclose(sides @ (weights @ corners - point), 0, atol=1e-9)


def test_points_that_left_their_triangle_find_the_one_they_lie_over():
    """On a flat sheet the walk ends where a search over all triangles does."""
    side = np.linspace(0, 1, 7)
    x, z = np.meshgrid(side, side, indexing="ij")
    points = np.stack([x, 0 * x, z], -1).reshape(-1, 3)
    index = np.arange(49).reshape(7, 7)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    triangles = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    surface = analyse(Mesh(points, triangles))
    rng = np.random.default_rng(3)
    ids, weights = sampling.surface_points(surface.areas, 300, rng)
    moved = np.einsum("nk,nkc->nc", weights, surface.corners[ids])
    moved[:, [0, 2]] += rng.uniform(-0.2, 0.2, (300, 2))
    found, shares = footprints.rebind(moved, ids, surface)
    assert (found != ids).mean() > 0.4
    inside = (moved[:, [0, 2]] > 0).all(axis=1) & (moved[:, [0, 2]] < 1).all(axis=1)
    bound = np.einsum("nk,nkc->nc", shares, surface.corners[found])
    np.testing.assert_allclose(bound[inside], moved[inside], atol=1e-7)
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1)


# --- occlusion ----------------------------------------------------------------------------------


def mixed(number, seed):
    """The mixer in Python's whole numbers."""
    x = number * 0x9E3779B9 + seed * 0x85EBCA6B
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ (x >> shift)) & 0xFFFFFFFF) * factor
    return ((x ^ (x >> 16)) & 0xFFFFFFFF) / 2**32


def test_numbers_of_the_mixer_are_spread_evenly():
    got = np.array([[occlusion._uniform(n, seed) for n in range(3000)] for seed in (0, 5)])
    expected = [[mixed(n, seed) for n in range(3000)] for seed in (0, 5)]
    np.testing.assert_array_equal(got, expected)
    for row in got:
        counts = np.histogram(row, 30, (0, 1))[0]
        assert ((counts - 100) ** 2 / 100).sum() < 70  # chi squared, 29 degrees: p = 3e-5


def framed(normal):
    return np.stack([*(np.array(v) for v in tangents(*normal)), normal], axis=1)


def test_rays_to_the_sky_are_cosine_weighted():
    points, normals = np.random.default_rng(0).normal(size=(20, 3)), directions(20, 7)
    rays = np.empty((20, 64, 6), np.float32)
    occlusion._sky_rays(points, normals, 3.0, 11, 40, rays)
    for i in range(20):
        n = np.arange(64)
        share = (n + mixed(40 + i, 11)) / 64
        angle = 2 * np.pi * (mixed(40 + i, 11 + 7919) + n * 0.6180339887498949)
        reach = 3.0 * np.sqrt([mixed((40 + i) * 64 + k, 11 + 104729) for k in range(64)])
        local = np.stack(
            [np.sqrt(share) * np.cos(angle), np.sqrt(share) * np.sin(angle), np.sqrt(1 - share)], 1
        )
        np.testing.assert_allclose(
            rays[i, :, 3:], reach[:, None] * (local @ framed(normals[i]).T), atol=2e-6
        )
        np.testing.assert_allclose(rays[i, :, :3], np.broadcast_to(points[i], (64, 3)), atol=1e-6)
    heights = (rays[:, :, 3:] * normals[:, None]).sum(axis=2)
    heights /= np.linalg.norm(rays[:, :, 3:], axis=2)
    assert heights.mean() == pytest.approx(2 / 3, abs=0.005)


def test_rays_to_lights_end_in_them_or_mirrored_above_the_horizon():
    rng = np.random.default_rng(1)
    points, normals = rng.normal(size=(30, 3)), directions(30, 3)
    toward = rng.normal(size=(30, 3)) * np.repeat([[0.2], [2.0], [30.0]], 10, axis=0)
    spread, rays = 0.4, np.empty((30, 16, 6), np.float32)
    occlusion._light_rays(points, normals, toward, spread, 3, 100, rays)
    for i in range(30):
        length = np.linalg.norm(toward[i])
        short = max(0.05, 1 - 1.05 * spread / length) if spread < 0.5 * length else 0.5
        n = np.arange(16)
        radius = spread * np.sqrt((n + mixed(100 + i, 3)) / 16)
        angle = 2 * np.pi * (mixed(100 + i, 3 + 7919) + n * 0.6180339887498949)
        disc = framed(toward[i] / length)[:, :2] @ (radius * [np.cos(angle), np.sin(angle)])
        way = short * (toward[i] + disc.T)
        height = way @ normals[i]
        way = way + np.where(height < 0, -2 * height, 0)[:, None] * normals[i]
        np.testing.assert_allclose(rays[i, :, 3:], way, rtol=1e-5, atol=1e-6 * length)
        np.testing.assert_allclose(rays[i, :, :3], np.broadcast_to(points[i], (16, 3)), atol=1e-6)


def test_fans_stand_on_their_normals():
    points, normals = np.random.default_rng(6).normal(size=(12, 3)), directions(12, 8)
    rays = np.empty((12, len(occlusion._FAN), 6), np.float32)
    occlusion._fan_rays(points, normals, 0.01, 0.5, occlusion._FAN, rays)
    for i in range(12):
        expected = 0.5 * occlusion._FAN @ framed(normals[i]).T
        np.testing.assert_allclose(rays[i, :, 3:], expected, atol=1e-6)
        start = np.broadcast_to(points[i] + 0.01 * normals[i], (len(rays[i]), 3))
        np.testing.assert_allclose(rays[i, :, :3], start, atol=1e-6)
    tilt = np.degrees(np.arccos(unit(occlusion._FAN)[:, 2]))
    np.testing.assert_allclose(np.unique(np.round(tilt, 6)), [30, 60])


# --- stippling ----------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("cells", [(0.03, 0.03), (0.02, 0.05)])
def test_sizes_grow_no_faster_than_the_slope(closed, cells):
    """On even cells: the least over all cells of their size plus the way from there."""
    rng = np.random.default_rng(7)
    size = np.exp(rng.uniform(-5, 0, (14, 17)))
    slope, (du, dv) = 0.45, (0.45 * c for c in cells)
    got = size.copy()
    stipple._limit_growth(
        got, np.full_like(size, cells[0]), np.full_like(size, cells[1]), slope, closed
    )
    i, j = np.mgrid[:14, :17]
    expected = size.copy()
    for a in range(14):
        for b in range(17):
            # Steps aslant end at the seam of a closed sheet, so round it they are counted apart.
            rows, columns = np.abs(i - a), np.abs(j - b)
            way = np.minimum(rows, columns) * np.hypot(du, dv)
            way += np.maximum(rows - columns, 0) * dv + np.maximum(columns - rows, 0) * du
            expected = np.minimum(expected, size[a, b] + way)
    if not closed:
        np.testing.assert_allclose(got, expected, rtol=1e-12)
        return
    assert (got <= expected + 1e-12).all()
    assert (np.abs(got - np.roll(got, 1, axis=1)) <= du + 1e-12).all()
    # Nothing is made smaller than some way, over the seam too, allows.
    around = np.minimum(np.abs(j[..., None, None] - j), 17 - np.abs(j[..., None, None] - j))
    rows = np.abs(i[..., None, None] - i)
    way = np.minimum(rows, around) * np.hypot(du, dv)
    way += np.maximum(rows - around, 0) * dv + np.maximum(around - rows, 0) * du
    assert (got >= (size + way).min(axis=(2, 3)) - 1e-12).all()


@pytest.mark.parametrize("closed", [False, True])
def test_thrown_ellipses_hold_no_later_centre(closed):
    rng = np.random.default_rng(11)
    height, width = 30, 41
    long, short = rng.uniform(1, 7, (2, height, width))
    angle = rng.uniform(0, np.pi, (height, width))
    c, s = np.cos(angle), np.sin(angle)
    form = np.stack(
        [
            (c / long) ** 2 + (s / short) ** 2,
            c * s * (1 / long**2 - 1 / short**2),
            (s / long) ** 2 + (c / short) ** 2,
        ],
        axis=2,
    )
    candidates = rng.permutation(height * width)[:900]
    got = stipple._throw(candidates, form, height, width, closed)
    chosen: list[int] = []
    for n, cell in enumerate(candidates):
        i, j = divmod(int(cell), width)
        taken = False
        for earlier in chosen:
            a, b = divmod(int(candidates[earlier]), width)
            di, dj = i - a, j - b
            if closed:
                dj = (dj + width // 2) % width - width // 2
            xx, xy, yy = form[a, b]
            taken |= xx * dj * dj + 2 * xy * di * dj + yy * di * di < 1
        if not taken:
            chosen.append(n)
    assert 30 < len(chosen) < 400
    np.testing.assert_array_equal(got, chosen)
