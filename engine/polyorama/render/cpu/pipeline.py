"""The steps before drawing, on plain arrays of either precision."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyorama.core.compile import core_count, parallel_for, ranges
from polyorama.core.simd import WIDTH
from polyorama.render.cpu.bin import (
    TILE_HEIGHT,
    TILE_WIDTH,
    count_boxes,
    distribute,
    find_pairs,
)
from polyorama.render.cpu.project import RECORD, project
from polyorama.render.cpu.sort import sort_by_depth

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from polyorama.core.types import Lens
    from polyorama.render.state import Constants

__all__ = [
    "MAX_PAIRS",
    "PARTS_PER_CORE",
    "Binned",
    "Edits",
    "Projected",
    "bin_splats",
    "optics_array",
    "pair_bounds",
    "project_splats",
    "slabs",
    "tile_counts",
    "view_array",
]

MAX_PAIRS = 1 << 25
"""Most (splat, tile) pairs that are listed at once: 20 bytes each while they are sorted."""

SLAB_PARTS = 64
"""Runs of splats whose pairs are counted together before slabs are cut."""

PARTS_PER_CORE = 8
"""Parts that a step is split into for each core, so that no core waits long for another."""


@dataclass(frozen=True, slots=True, eq=False)
class Projected:
    """Splats on the screen.

    Parameters
    ----------
    records
        (slots, 12) floats (see `project.RECORD`).
    splat_ids
        (slots,) int32, which splat a slot holds.
    order
        (n,) int32, the filled slots; after `sort_by_depth`, from near to far.
    """

    records: NDArray[Any]
    splat_ids: NDArray[np.int32]
    order: NDArray[np.int32]

    def sorted(self) -> Projected:
        """The same splats from near to far."""
        return Projected(self.records, self.splat_ids, sort_by_depth(self.records, self.order))


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """Lists of (splat, tile) pairs by tile.

    Parameters
    ----------
    starts
        (tiles + 1,) int64: tile t owns ``lists[starts[t]:starts[t + 1]]``.
    lists
        (pairs,) uint64 (see `bin.find_pairs`).
    origins
        (pairs,) int64: a pair's number in splat-major order, where it was asked for, else empty.
    runs
        (n + 1,) int64: where the pairs of each splat in depth order begin in that numbering, where
        it was asked for, else empty.
    tiles_x
        Tiles from left to right.
    """

    starts: NDArray[np.int64]
    lists: NDArray[np.uint64]
    origins: NDArray[np.int64]
    runs: NDArray[np.int64]
    tiles_x: int


def view_array(viewmat: NDArray[Any], dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """(15,): a world-to-camera matrix as `project.project` takes it, with the eye's position."""
    rotation, translation = viewmat[:3, :3], viewmat[:3, 3]
    eye = -rotation.T @ translation
    return np.concatenate([rotation.ravel(), translation, eye]).astype(dtype)


def optics_array(lens: Lens, constants: Constants, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """(14,): a lens and the renderer's constants as `project.project` takes them."""
    margin_x = constants.jacobian_margin * 0.5 * lens.width / lens.fx
    margin_y = constants.jacobian_margin * 0.5 * lens.height / lens.fy
    return np.array(
        [
            -lens.fx if lens.orthographic else lens.fx,
            lens.fy,
            lens.cx,
            lens.cy,
            lens.width,
            lens.height,
            lens.near if constants.near is None else constants.near,
            lens.far,
            -lens.cx / lens.fx - margin_x,
            (lens.width - lens.cx) / lens.fx + margin_x,
            -lens.cy / lens.fy - margin_y,
            (lens.height - lens.cy) / lens.fy + margin_y,
            constants.dilation,
            # The floor is on the factor; the kernel takes it under the root.
            constants.compensation_floor**2 if constants.antialiased else -1.0,
        ],
        dtype,
    )


Edits = tuple[NDArray[np.uint16], NDArray[np.uint8], np.uint8, np.uint8, NDArray[Any]]
"""What `project.project` takes by that name."""


def project_splats(
    means: NDArray[Any],
    quats: NDArray[Any],
    scales: NDArray[Any],
    opacities: NDArray[Any],
    sh: NDArray[Any],
    view: NDArray[Any],
    optics: NDArray[Any],
    edits: Edits | None = None,
) -> Projected:
    """Run `project.project` over all splats, natural-form arrays of one precision."""
    count = len(means)
    # The kernel reads eight rows at a time; a smaller cloud is padded with unseen splats.
    room = max(count, WIDTH)

    def padded(array: NDArray[Any]) -> NDArray[Any]:
        if len(array) == room or array.size == 0:
            return array
        filled = np.concatenate([array, np.zeros((room - count, *array.shape[1:]), array.dtype)])
        filled.flags.writeable = array.flags.writeable  # else the kernel is compiled once more
        return filled

    flat = [padded(array).reshape(-1) for array in (means, quats, scales, opacities)]
    harmonics = padded(sh)
    if edits is not None:
        edits = (padded(edits[0]), padded(edits[1]), edits[2], edits[3], edits[4])
    degree = {1: 0, 4: 1, 9: 2, 16: 3}[sh.shape[1]]
    records = np.empty((room, RECORD), means.dtype)
    splat_ids, order = np.empty(room, np.int32), np.empty(room, np.int32)

    def task(_: int, start: int, stop: int) -> tuple[int, int]:
        begin, end = start * WIDTH, min(stop * WIDTH, count)
        filled = project(
            begin, end, *flat, harmonics, degree, view, optics, edits, records, splat_ids, order
        )
        return begin, begin + filled

    if count == 0:
        return Projected(records, splat_ids, order[:0])
    runs = parallel_for(task, -(-count // WIDTH), PARTS_PER_CORE * core_count())
    return Projected(records, splat_ids, np.concatenate([order[a:b] for a, b in runs]))


def tile_counts(width: int, height: int) -> tuple[int, int]:
    """Tiles from left to right, and in all."""
    tiles_x = -(-width // TILE_WIDTH)
    return tiles_x, tiles_x * -(-height // TILE_HEIGHT)


def pair_bounds(projected: Projected, width: int, height: int) -> list[int]:
    """Upper bounds of the pairs of `SLAB_PARTS` runs of depth-ordered splats."""
    order = projected.order
    bounds: list[int] = parallel_for(
        lambda _, a, b: count_boxes(a, b, order, projected.records, width, height),
        len(order), SLAB_PARTS,
    )  # fmt: skip
    return bounds


def slabs(projected: Projected, width: int, height: int) -> list[Projected]:
    """Cut depth-ordered splats into runs, near to far, of about `MAX_PAIRS` pairs at most."""
    order = projected.order
    bounds = pair_bounds(projected, width, height)
    if sum(bounds) <= MAX_PAIRS:
        return [projected]
    pieces: list[tuple[int, float]] = []
    for (start, stop), bound in zip(ranges(len(order), SLAB_PARTS), bounds, strict=True):
        count = max(1, min(-(-bound // MAX_PAIRS), stop - start))
        pieces += [(start + begin, bound / count) for begin, _ in ranges(stop - start, count)]
    cuts, held = [0], 0.0
    for start, share in pieces:
        if held and held + share > MAX_PAIRS:
            cuts.append(start)
            held = 0.0
        held += share
    edges = itertools.pairwise([*cuts, len(order)])
    return [replace(projected, order=order[begin:end]) for begin, end in edges]


def bin_splats(
    projected: Projected,
    width: int,
    height: int,
    *,
    done: NDArray[np.uint8] | None = None,
    with_origins: bool = False,
) -> Binned:
    """Sort depth-ordered splats into tiles that are not yet `done` (tiles,); see `Binned`."""
    records, order = projected.records, projected.order
    tiles_x, tiles = tile_counts(width, height)
    if done is None:
        done = np.zeros(tiles, np.uint8)
    parts = core_count()
    room = 4 * len(order) // parts + 4096
    runs = np.empty(len(order) + 1 if with_origins else 0, np.int64)

    def find(_: int, start: int, stop: int) -> tuple[int, Any, Any, Any]:
        counts = np.empty(tiles, np.int32)
        here = room
        while True:
            pairs, owners = np.empty(here, np.uint64), np.empty(here, np.int32)
            found = find_pairs(
                start, stop, order, records, width, height, tiles_x, done, pairs, owners, counts,
                runs,
            )  # fmt: skip
            if found <= here:
                return found, pairs, owners, counts
            here = found

    def move(part: int, _start: int, _stop: int) -> None:
        count, pairs, owners, _ = found[part]
        distribute(count, pairs, owners, places[part], lists, origins, firsts[part])

    if len(order) == 0:
        none, nothing = np.empty(0, np.int64), np.zeros(1, np.int64)
        return Binned(np.zeros(tiles + 1, np.int64), np.empty(0, np.uint64), none, nothing, tiles_x)
    found = parallel_for(find, len(order), parts)
    by_tile = np.stack([f[3] for f in found]).astype(np.int64).T.ravel()
    ends = np.cumsum(by_tile)
    places = (ends - by_tile).reshape(tiles, len(found)).T.copy()
    starts = np.append(places[0], ends[-1])
    firsts = np.cumsum([0, *(f[0] for f in found)])
    lists = np.empty(ends[-1], np.uint64)
    origins = np.empty(ends[-1] if with_origins else 0, np.int64)
    parallel_for(move, len(found), len(found))
    if with_origins:
        for first, (begin, stop) in zip(firsts, ranges(len(order), parts), strict=False):
            runs[begin:stop] += first
        runs[-1] = ends[-1]
    return Binned(starts, lists, origins, runs, tiles_x)
