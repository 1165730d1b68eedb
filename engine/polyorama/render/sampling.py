"""Blue noise on surfaces: weighted sample elimination in a progressive order, and neighbours.

The method is C. Yuksel, "Sample Elimination for Generating Poisson Disk Sample Sets" (2015): many
candidates, each pair closer than 2 r_max carries the weight (1 - d / (2 r_max))^8, and the sample
with the largest sum goes first. Going on from N to N/2, N/4, ... and reading the eliminations
backwards gives an order in which every prefix is well spread.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HashGrid",
    "eliminate",
    "layered_spacing",
    "progressive_order",
    "smooth",
    "surface_points",
]

_CROWD = 250.0
"""Samples in the cell of a sample, on average, that neighbour searches can bear: some 40 sheets."""

_THINNED = 0.2
"""Share of that crowd which is left where there were more."""

_SIDE = 0.08
"""Share of the weight that is left between samples whose normals are at right angles or more."""


class HashGrid:
    """Points sorted into cubic cells, found by a hash of the cell.

    Parameters
    ----------
    points
        (N, 3) float64.
    cell
        Side of a cell; queries look one cell around, so it is also the largest query radius.
    """

    def __init__(self, points: NDArray[np.float64], cell: float) -> None:
        self.points = np.ascontiguousarray(points, np.float64)
        self.origin = self.points.min(axis=0) if len(points) else np.zeros(3)
        extent = float((self.points.max(axis=0) - self.origin).max()) if len(points) else 0.0
        # Cell numbers must stay exact in int64 products; a cell far below that resolves nothing.
        self.cell = max(cell, extent * 1e-6, 1e-300)
        size = 1 << max(4, int(2 * max(len(points), 1) - 1).bit_length())
        self.starts, self.items = _build(self.points, self.origin, self.cell, size)

    @property
    def arrays(self) -> tuple[NDArray[np.float64], float, NDArray[np.int32], NDArray[np.int32]]:
        """What kernels take: origin, cell, starts, items."""
        return self.origin, self.cell, self.starts, self.items


@kernel
def bucket_of(x: int, y: int, z: int, mask: int) -> int:
    """Hash bucket of a cell."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@kernel
def cell_of(x, y, z, origin, cell):  # type: ignore[no-untyped-def]
    """The cell that a point lies in.

    A query beside the grid's box gets the cell one nearer to it, around which it finds the same.
    """
    return (
        int((x - origin[0]) / cell),
        int((y - origin[1]) / cell),
        int((z - origin[2]) / cell),
    )


@kernel
def cell_around(number, x, y, z, starts):  # type: ignore[no-untyped-def]
    """One of the 27 cells at and around a cell, `number` 0 to 26, and where its points are.

    Returns the cell's x, y, z and the range of `items`. Other cells share the bucket: who must meet
    each point once, or no others, asks `cell_of` whether the point lies in this one.
    """
    x, y, z = x + number // 9 - 1, y + number // 3 % 3 - 1, z + number % 3 - 1
    bucket = bucket_of(x, y, z, len(starts) - 2)
    return (x, y, z), starts[bucket], starts[bucket + 1]


@kernel
def _build(points, origin, cell, size):  # type: ignore[no-untyped-def]
    count = len(points)
    mask = size - 1
    starts = np.zeros(size + 1, np.int32)
    buckets = np.empty(count, np.int32)
    for i in range(count):
        x, y, z = cell_of(points[i, 0], points[i, 1], points[i, 2], origin, cell)
        buckets[i] = bucket_of(x, y, z, mask)
        starts[buckets[i] + 1] += 1
    for b in range(size):
        starts[b + 1] += starts[b]
    cursor = starts[:size].copy()
    items = np.empty(count, np.int32)
    for i in range(count):
        items[cursor[buckets[i]]] = i
        cursor[buckets[i]] += 1
    return starts, items


def surface_points(
    areas: NDArray[np.float64], count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Points spread over triangles in proportion to their areas.

    The areas are laid end to end and cut into `count` equal pieces, one point in each, so that
    every triangle gets its share to within one point. Inside a triangle they are random: a lattice
    would let elimination favour the triangles that it happens to fit.

    Parameters
    ----------
    areas
        (T,) float64, not negative, their sum positive.
    count
        How many points.
    rng
        Where chance comes from.

    Returns
    -------
    Triangle ids (count,) int32 and barycentrics (count, 3) float64.
    """
    cumulative = np.cumsum(areas)
    steps = (np.arange(count) + rng.random(count)) * (cumulative[-1] / count)
    ids = np.minimum(np.searchsorted(cumulative, steps, side="right"), len(areas) - 1)
    first, second = rng.random(count), rng.random(count)
    folded = first + second > 1.0
    first = np.where(folded, 1.0 - first, first)
    second = np.where(folded, 1.0 - second, second)
    barycentrics = np.stack([1.0 - first - second, first, second], axis=1)
    return ids.astype(np.int32), barycentrics


def layered_spacing(points: NDArray[np.float64], spacing: float) -> float:
    """`spacing`, or less where so many sheets lie on each other that cells of it would overflow.

    The area of a surface tells how far apart its samples are only where it is spread out; work
    over neighbours would grow with the square of the sheets.

    Parameters
    ----------
    points
        (N, 3) float64 candidates, several a sample.
    spacing
        Mean distance of samples, by the area, world units.
    """
    while True:
        occupied = np.diff(HashGrid(points, spacing).starts).astype(np.float64)
        crowd = float((occupied**2).sum()) / max(len(points), 1)
        if crowd <= _CROWD:
            return spacing
        smaller = spacing * max(0.1, math.sqrt(_THINNED * _CROWD / crowd))
        # Where the grid cannot be finer, all points are one.
        if HashGrid(points, smaller).cell > smaller:
            return spacing
        spacing = smaller


def progressive_order(
    points: NDArray[np.float64], normals: NDArray[np.float32], count: int, area: float
) -> NDArray[np.int32]:
    """Choose `count` of the points as blue noise, ordered so that any prefix is blue noise too.

    Parameters
    ----------
    points
        (M, 3) float64 candidates, M >= count.
    normals
        (M, 3) float32 unit normals: samples on the two sides of a thin wall do not compete.
    count
        How many to keep.
    area
        Area of the surface that the points are on.

    Returns
    -------
    (count,) int32 indices into `points`.
    """
    kept = np.arange(len(points), dtype=np.int32)
    if count < len(kept):
        kept, _ = eliminate(points, normals, kept, count, area)
    order = np.empty(count, np.int32)
    while len(kept) > 8:
        half = len(kept) // 2
        rest, gone = eliminate(points, normals, kept, half, area)
        order[half : len(kept)] = gone[::-1]
        kept = rest
    order[: len(kept)] = kept
    return order


def eliminate(
    points: NDArray[np.float64],
    normals: NDArray[np.float32],
    chosen: NDArray[np.int32],
    keep: int,
    area: float,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Remove the most crowded of the chosen points until `keep` are left.

    Parameters
    ----------
    points, normals
        (M, 3) all points and their unit normals.
    chosen
        (C,) int32, those that take part.
    keep
        How many stay, at least 1.
    area
        Area of the surface.

    Returns
    -------
    Indices that stay (keep,), in the order of `chosen`, and those that went, in order of going.
    """
    # Largest radius that `keep` disks can have on this area (hexagonal packing).
    r_max = math.sqrt(area / (2.0 * math.sqrt(3.0) * keep))
    r_min = r_max * (1.0 - (keep / len(chosen)) ** 1.5) * 0.65
    here = points[chosen]
    facing = normals[chosen]
    grid = HashGrid(here, 2.0 * r_max)
    parts = 4 * core_count()
    degree = np.zeros(len(chosen) + 1, np.int64)

    def count_pairs(_: int, start: int, stop: int) -> None:
        _count_pairs(here, 2.0 * r_max, *grid.arrays, degree, start, stop)

    parallel_for(count_pairs, len(chosen), parts)
    starts = np.cumsum(degree)
    neighbours = np.empty(starts[-1], np.int32)
    weights = np.empty(starts[-1], np.float32)

    def fill_pairs(_: int, start: int, stop: int) -> None:
        _fill_pairs(
            here, facing, 2.0 * r_max, 2.0 * r_min, *grid.arrays, starts, neighbours, weights,
            start, stop,
        )  # fmt: skip

    parallel_for(fill_pairs, len(chosen), parts)
    gone = _remove(starts, neighbours, weights, len(chosen) - keep)
    stays = np.ones(len(chosen), bool)
    stays[gone] = False
    return chosen[stays], chosen[gone]


@kernel
def _count_pairs(points, radius, origin, cell, starts, items, degree, start, stop):  # type: ignore[no-untyped-def]
    limit = radius * radius
    for i in range(start, stop):
        px, py, pz = points[i]
        cx, cy, cz = cell_of(px, py, pz, origin, cell)
        found = 0
        for number in range(27):
            here, first, last = cell_around(number, cx, cy, cz, starts)
            for k in range(first, last):
                j = items[k]
                dx, dy, dz = points[j, 0] - px, points[j, 1] - py, points[j, 2] - pz
                if j == i or dx * dx + dy * dy + dz * dz >= limit:
                    continue
                # Other cells share the bucket: count a point in its own cell alone.
                there = cell_of(points[j, 0], points[j, 1], points[j, 2], origin, cell)
                if there == here:
                    found += 1
        degree[i + 1] = found


@kernel
def _fill_pairs(  # type: ignore[no-untyped-def]
    points, normals, radius, floor, origin, cell, starts, items, firsts, neighbours, weights,
    start, stop,
):  # fmt: skip
    limit = radius * radius
    for i in range(start, stop):
        px, py, pz = points[i]
        cx, cy, cz = cell_of(px, py, pz, origin, cell)
        place = firsts[i]
        for number in range(27):
            here, first, last = cell_around(number, cx, cy, cz, starts)
            for k in range(first, last):
                j = items[k]
                dx, dy, dz = points[j, 0] - px, points[j, 1] - py, points[j, 2] - pz
                squared = dx * dx + dy * dy + dz * dz
                if j == i or squared >= limit:
                    continue
                there = cell_of(points[j, 0], points[j, 1], points[j, 2], origin, cell)
                if there == here:
                    facing = (
                        normals[i, 0] * normals[j, 0]
                        + normals[i, 1] * normals[j, 1]
                        + normals[i, 2] * normals[j, 2]
                    )
                    side = _SIDE + (1.0 - _SIDE) * max(facing, 0.0) ** 2
                    near = 1.0 - max(math.sqrt(squared), floor) / radius
                    near *= near
                    near *= near
                    neighbours[place] = j
                    weights[place] = side * near * near
                    place += 1


@kernel
def _remove(starts, neighbours, weights, removals):  # type: ignore[no-untyped-def]
    """Order in which the heaviest samples go; a binary max-heap with positions."""
    count = len(starts) - 1
    total = np.zeros(count, np.float64)
    for i in range(count):
        for k in range(starts[i], starts[i + 1]):
            total[i] += weights[k]
    heap = np.arange(count).astype(np.int32)
    place = np.arange(count).astype(np.int32)
    for root in range(count // 2 - 1, -1, -1):
        _sift_down(heap, place, total, root, count)
    gone = np.empty(removals, np.int32)
    size = count
    for step in range(removals):
        worst = heap[0]
        gone[step] = worst
        size -= 1
        heap[0] = heap[size]
        place[heap[0]] = 0
        place[worst] = -1
        _sift_down(heap, place, total, 0, size)
        for k in range(starts[worst], starts[worst + 1]):
            j = neighbours[k]
            if place[j] >= 0:
                total[j] -= weights[k]
                _sift_down(heap, place, total, place[j], size)
    return gone


@kernel
def _sift_down(heap, place, total, root, size):  # type: ignore[no-untyped-def]
    moving = heap[root]
    value = total[moving]
    while True:
        child = 2 * root + 1
        if child >= size:
            break
        if child + 1 < size and total[heap[child + 1]] > total[heap[child]]:
            child += 1
        if total[heap[child]] <= value:
            break
        heap[root] = heap[child]
        place[heap[root]] = root
        root = child
    heap[root] = moving
    place[moving] = root


def smooth(
    points: NDArray[np.float64],
    normals: NDArray[np.float32],
    values: NDArray[np.float32],
    radius: float,
) -> NDArray[np.float32]:
    """Average values over neighbours on the same side of the surface.

    Weights are Gaussian in distance (radius = 2 standard deviations, cut there) times the fourth
    power of the cosine between the normals.

    Parameters
    ----------
    points, normals
        (N, 3) positions and unit normals.
    values
        (N, C) float32.
    radius
        In world units.

    Returns
    -------
    (N, C) float32.
    """
    grid = HashGrid(points, radius)
    result = np.empty_like(values)

    def task(_: int, start: int, stop: int) -> None:
        _smooth(grid.points, normals, values, radius, *grid.arrays, result, start, stop)

    parallel_for(task, len(points), 4 * core_count())
    return result


@kernel
def _smooth(points, normals, values, radius, origin, cell, starts, items, result, start, stop):  # type: ignore[no-untyped-def]
    limit = radius * radius
    channels = values.shape[1]
    total = np.zeros(channels)
    for i in range(start, stop):
        px, py, pz = points[i]
        cx, cy, cz = cell_of(px, py, pz, origin, cell)
        total[:] = 0.0
        weight_sum = 0.0
        for number in range(27):
            here, first, last = cell_around(number, cx, cy, cz, starts)
            for k in range(first, last):
                j = items[k]
                dx, dy, dz = points[j, 0] - px, points[j, 1] - py, points[j, 2] - pz
                squared = dx * dx + dy * dy + dz * dz
                if squared > limit:
                    continue
                there = cell_of(points[j, 0], points[j, 1], points[j, 2], origin, cell)
                if there != here:
                    continue
                facing = (
                    normals[i, 0] * normals[j, 0]
                    + normals[i, 1] * normals[j, 1]
                    + normals[i, 2] * normals[j, 2]
                )
                if facing <= 0.0:
                    continue
                weight = math.exp(-2.0 * squared / limit) * facing**4
                weight_sum += weight
                for c in range(channels):
                    total[c] += weight * values[j, c]
        for c in range(channels):
            result[i, c] = total[c] / weight_sum if weight_sum > 0.0 else values[i, c]
