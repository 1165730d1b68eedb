"""The cpu backend's sort and its lists of strips, against float64 brute force."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.render.cpu.bin import TILE_HEIGHT, TILE_WIDTH, count_boxes, distribute, find_pairs
from polyorama.render.cpu.project import RECORD
from polyorama.render.cpu.sort import sort_by_depth

WIDTH, HEIGHT = 90, 75  # neither is a whole number of tiles
TILES_X = -(-WIDTH // TILE_WIDTH)
TILES = TILES_X * -(-HEIGHT // TILE_HEIGHT)


def ellipses(count, seed):
    """Records of random splats, some far too long, tiny or beside the picture, and their order."""
    rng = np.random.default_rng(seed)
    spread = np.exp(rng.uniform(np.log(0.55), np.log(60), (count, 2)))
    angle = rng.uniform(0, np.pi, count)
    turn = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], 1)
    turn = turn.reshape(-1, 2, 2)
    conic = np.einsum("nij,nj,nkj->nik", turn, 1 / spread**2, turn) * (0.5 / np.log(2))
    records = np.zeros((count, RECORD), np.float32)
    records[:, 0] = rng.uniform(-40, WIDTH + 40, count)
    records[:, 1] = rng.uniform(-40, HEIGHT + 40, count)
    records[: count // 4, :2] = np.floor(records[: count // 4, :2]) + 0.5  # on pixel centres
    records[:, 2], records[:, 4] = conic[:, 0, 0], conic[:, 1, 1]
    records[:, 3] = 2 * conic[:, 0, 1]
    records[:, 5] = np.log2(rng.uniform(1.05 / 255, 1.0, count))
    a, b, c, k = levels(records)
    det = 4 * a * c - b * b
    records[:, 10], records[:, 11] = np.sqrt(4 * c * k / det), np.sqrt(4 * a * k / det)
    return records, rng.permutation(count).astype(np.int32)


def levels(records):
    """Float64 factors a, b, c and the k of a dx^2 + b dx dy + c dy^2 <= k, where alpha >= 1/255."""
    a, b, c, opacity = records[:, 2:6].astype(np.float64).T
    return a, b, c, opacity + np.log2(255.0)


def strips(records, order, done=None, room=100_000):
    """What find_pairs lists: (slot, tile, first row, last row) of the picture."""
    done = np.zeros(TILES, np.uint8) if done is None else done
    pairs, owners = np.zeros(room, np.uint64), np.zeros(room, np.int32)
    counts, runs = np.full(TILES, 99, np.int32), np.zeros(len(order) + 1, np.int64)
    found = find_pairs(
        0, len(order), order, records, WIDTH, HEIGHT, TILES_X, done, pairs, owners, counts, runs
    )
    kept = min(found, room)
    pairs, owners = pairs[:kept].astype(np.int64), owners[:kept]
    if found <= room:
        np.testing.assert_array_equal(counts, np.bincount(owners, minlength=TILES))
    top = owners // TILES_X * TILE_HEIGHT
    rows = [pairs >> 16, owners, top + (pairs >> 8 & 255), top + (pairs & 255)]
    return np.stack(rows, axis=1), runs, found


@pytest.mark.parametrize("seed", range(3))
def test_every_visible_pixel_lies_in_a_strip_and_no_strip_is_idle(seed):
    records, order = ellipses(300, seed)
    listed, runs, _ = strips(records, order)
    a, b, c, k = levels(records)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    assert len(listed) > 1500
    runs[-1] = len(listed)
    for position, slot in enumerate(order):
        mine = listed[runs[position] : runs[position + 1]]
        assert (mine[:, 0] == slot).all()
        assert len(np.unique(mine[:, 1])) == len(mine)
        covered = np.zeros((HEIGHT, WIDTH), bool)
        for _, tile, first, last in mine:
            left = tile % TILES_X * TILE_WIDTH
            assert first // TILE_HEIGHT == last // TILE_HEIGHT == tile // TILES_X
            assert 0 <= first <= last < HEIGHT
            covered[first : last + 1, left : left + TILE_WIDTH] = True
            # Both ends touch the ellipse somewhere between the tile's outer pixel centres.
            dx = np.linspace(left + 0.5, left + TILE_WIDTH - 0.5, 400) - records[slot, 0]
            dx = np.clip(dx, -records[slot, 10], records[slot, 10])
            middle = -b[slot] * dx / (2 * c[slot])
            arc = np.sqrt(np.maximum(middle**2 + (k[slot] - a[slot] * dx**2) / c[slot], 0))
            near = 0.2 + 0.05 * abs(b[slot] / (2 * c[slot]))
            low, high = (middle - arc).min() - near, (middle + arc).max() + near
            assert low <= first + 0.5 - records[slot, 1] <= high
            assert low <= last + 0.5 - records[slot, 1] <= high
        dx, dy = columns - records[slot, 0], rows - records[slot, 1]
        exponent = a[slot] * dx**2 + b[slot] * dx * dy + c[slot] * dy**2
        visible = exponent <= k[slot] - 1e-4
        assert not (visible & ~covered).any()


def test_tiles_that_are_done_take_no_pairs():
    records, order = ellipses(200, 7)
    everything, _, _ = strips(records, order)
    done = np.zeros(TILES, np.uint8)
    done[::3] = 1
    rest, _, _ = strips(records, order, done)
    np.testing.assert_array_equal(rest, everything[done[everything[:, 1]] == 0])


def test_too_little_room_is_told_by_the_count():
    records, order = ellipses(200, 8)
    everything, _, found = strips(records, order)
    assert found == len(everything)
    part, _, same = strips(records, order, room=50)
    assert same == found
    np.testing.assert_array_equal(part, everything[:50])
    assert count_boxes(0, len(order), order, records, WIDTH, HEIGHT) >= found


def test_pairs_are_dealt_to_their_tiles_in_order():
    rng = np.random.default_rng(2)
    tiles = rng.integers(0, 7, 500).astype(np.int32)
    pairs = rng.integers(0, 1 << 60, 500).astype(np.uint64)
    counts = np.bincount(tiles, minlength=7)
    lists, origins = np.zeros(500, np.uint64), np.zeros(500, np.int64)
    distribute(500, pairs, tiles, np.cumsum(counts) - counts, lists, origins, 40)
    order = np.argsort(tiles, kind="stable")
    np.testing.assert_array_equal(lists, pairs[order])
    np.testing.assert_array_equal(origins, 40 + order)


def depths(kind, count):
    rng = np.random.default_rng(len(kind) + count)
    values = rng.normal(size=count).astype(np.float32)
    tiny = np.float32(np.finfo(np.float32).smallest_subnormal)
    if kind == "wide":
        return values * np.float32(10) ** rng.integers(-30, 30, count).astype(np.float32)
    if kind == "equal":
        return (np.round(4 * values) + np.float32(0))[rng.integers(0, min(9, count), count)]
    if kind == "denormal":
        return tiny * rng.integers(1, 60, count).astype(np.float32) * np.sign(values)
    if kind == "mixed":
        choices = np.float32([-3e38, -1.5, -tiny, 0.0, tiny, 1.5, np.nextafter(1.5, 2), 3e38])
        return choices[rng.integers(0, len(choices), count)]
    return np.full(count, np.float32(-2.5))


@pytest.mark.parametrize("count", [1, 2, 600, 40_000])
@pytest.mark.parametrize("kind", ["wide", "equal", "denormal", "mixed", "one"])
def test_the_sort_is_numpys_stable_one(kind, count):
    records = np.zeros((count + 5, RECORD), np.float32)
    records[:, 9] = depths(kind, count + 5)
    slots = np.random.default_rng(1).permutation(count + 5)[:count].astype(np.int32)
    expected = slots[np.argsort(records[slots, 9] + np.float32(0), kind="stable")]
    np.testing.assert_array_equal(sort_by_depth(records, slots), expected)


def test_the_sort_of_float64_and_of_nothing():
    records = np.zeros((9, RECORD))
    records[:, 9] = [3, 1, 1 + 1e-12, -4, 1, 0, 1, 3, 1 - 1e-12]
    order = np.arange(9, dtype=np.int32)
    np.testing.assert_array_equal(sort_by_depth(records, order), [3, 5, 8, 1, 4, 6, 2, 0, 7])
    assert len(sort_by_depth(records, order[:0])) == 0
