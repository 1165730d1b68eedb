"""The steps before drawing, on plain arrays of either precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, parallel_for, ranges
from polyorama.core.simd import WIDTH
from polyorama.render.cpu.bin import TILE_HEIGHT, TILE_WIDTH, distribute, find_pairs
from polyorama.render.cpu.project import RECORD, project
from polyorama.render.cpu.sort import sort_by_depth

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from polyorama.core.types import Lens
    from polyorama.render.state import Constants

__all__ = [
    "PARTS_PER_CORE",
    "Binned",
    "Projected",
    "bin_splats",
    "optics_array",
    "project_splats",
    "view_array",
]

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
            lens.near if lens.orthographic else max(lens.near, constants.near),
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


def project_splats(
    means: NDArray[Any],
    quats: NDArray[Any],
    scales: NDArray[Any],
    opacities: NDArray[Any],
    sh: NDArray[Any],
    view: NDArray[Any],
    optics: NDArray[Any],
) -> Projected:
    """Run `project.project` over all splats, natural-form arrays of one precision."""
    count = len(means)
    # The kernel reads eight rows at a time; a smaller cloud is padded with unseen splats.
    room = max(count, WIDTH)

    def padded(array: NDArray[Any]) -> NDArray[Any]:
        if len(array) == room:
            return array
        return np.concatenate([array, np.zeros((room - count, *array.shape[1:]), array.dtype)])

    flat = [padded(array).reshape(-1) for array in (means, quats, scales, opacities)]
    harmonics = padded(sh)
    degree = {1: 0, 4: 1, 9: 2, 16: 3}[sh.shape[1]]
    records = np.empty((room, RECORD), means.dtype)
    splat_ids, order = np.empty(room, np.int32), np.empty(room, np.int32)

    def task(_: int, start: int, stop: int) -> tuple[int, int]:
        begin, end = start * WIDTH, min(stop * WIDTH, count)
        filled = project(
            begin, end, *flat, harmonics, degree, view, optics, records, splat_ids, order
        )
        return begin, begin + filled

    if count == 0:
        return Projected(records, splat_ids, order[:0])
    runs = parallel_for(task, -(-count // WIDTH), PARTS_PER_CORE * core_count())
    return Projected(records, splat_ids, np.concatenate([order[a:b] for a, b in runs]))


def bin_splats(
    projected: Projected, width: int, height: int, *, with_origins: bool = False
) -> Binned:
    """Sort depth-ordered splats into tiles; see `Binned`."""
    records, order = projected.records, projected.order
    tiles_x = -(-width // TILE_WIDTH)
    tiles = tiles_x * -(-height // TILE_HEIGHT)
    parts = core_count()
    room = 4 * len(order) // parts + 4096
    runs = np.empty(len(order) + 1 if with_origins else 0, np.int64)

    def find(_: int, start: int, stop: int) -> tuple[int, Any, Any, Any]:
        counts = np.empty(tiles, np.int32)
        here = room
        while True:
            pairs, owners = np.empty(here, np.uint64), np.empty(here, np.int32)
            found = find_pairs(
                start, stop, order, records, width, height, tiles_x, pairs, owners, counts,
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
