"""Which splats lie in a region: kernels over millions of centres, and over footprints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, parallel_for
from polyorama.render.cpu.pipeline import optics_array, project_splats, view_array
from polyorama.render.pick_kernels import (
    centers_in_volume,
    centers_on_screen,
    fill_polygon,
    footprints,
    paint_brush,
)
from polyorama.render.state import PRESETS
from polyorama.scene.placement import euler_matrix
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.regions import Region
    from polyorama.scene.splats import SplatCloud

__all__ = ["centers_inside", "coverage", "footprints_inside"]

_PARTS_PER_CORE = 8
_NEARER = 0.02
"""How far behind the visible surface a splat still belongs to it, as a share of its depth."""


def coverage(region: Region) -> NDArray[np.uint8]:
    """(H, W) uint8: 1 where a pixel's centre lies in a region on the screen."""
    assert region.camera is not None
    mask = np.zeros((region.camera.height, region.camera.width), np.uint8)
    points = region.outline
    if region.kind == "brush":
        paint_brush(points, region.radius, mask)
        return mask
    if region.kind == "rect":
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        points = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    fill_polygon(points, mask)
    return mask


def centers_inside(
    region: Region,
    cloud: SplatCloud,
    world: NDArray[np.float64],
    palette: NDArray[np.float64] | None = None,
    palette_index: NDArray[np.uint16] | None = None,
    depth: NDArray[np.float32] | None = None,
) -> BitSet:
    """The splats whose centre lies in a region.

    Parameters
    ----------
    region
        Where.
    cloud
        N splats, before `palette` moves them.
    world
        (4, 4) node to world.
    palette, palette_index
        (P, 3, 4) float64 and (N,) uint16, see `polyorama.scene.stack.StackedSplats`, or None.
    depth
        (H, W) float32 depth of the visible surface, 0 where there is none: picks only splats that
        belong to it. None picks through everything.
    """
    maps = _to_world(world, palette)
    index = np.empty(0, np.uint16) if palette_index is None else palette_index
    packed = np.zeros((len(cloud) + 7) // 8, np.uint8)
    task: Any
    if region.camera is not None:
        camera = region.camera
        lens = camera.lens
        optics = np.array(
            [lens.fx, lens.fy, lens.cx, lens.cy, lens.near, lens.far, lens.orthographic], np.float32
        )
        views = _flat(camera.viewmat @ maps)
        mask, box = _mask_and_box(region)
        nothing = np.empty((0, 0), np.float32)
        seen = nothing if depth is None else depth

        def on_screen(_: int, start: int, stop: int) -> None:
            centers_on_screen(
                start, stop, cloud.means, views, index, optics, mask, box, seen,
                np.float32(_NEARER), cloud.scales, packed,
            )  # fmt: skip

        task = on_screen
    else:
        volume = _flat(_unit_volume(region) @ maps)
        sphere = region.kind == "sphere"

        def in_volume(_: int, start: int, stop: int) -> None:
            centers_in_volume(start, stop, cloud.means, volume, index, sphere, packed)

        task = in_volume
    parallel_for(task, len(packed), _PARTS_PER_CORE * core_count())
    return BitSet(packed, len(cloud))


def _to_world(world: NDArray[np.float64], palette: NDArray[np.float64] | None) -> NDArray[Any]:
    """(P, 4, 4) maps from a splat's own place to the world."""
    if palette is None:
        return np.asarray(world)[None]
    whole = np.tile(np.eye(4), (len(palette), 1, 1))
    whole[:, :3] = palette
    return np.asarray(world @ whole)


def _flat(maps: NDArray[np.float64]) -> NDArray[np.float32]:
    """(P, 12) float32 of (P, 4, 4)."""
    return np.ascontiguousarray(maps[:, :3].reshape(len(maps), 12), np.float32)


def _mask_and_box(region: Region) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Set pixels, empty where the box says it all, and the box: left, top, right, bottom."""
    assert region.camera is not None
    width, height = region.camera.width, region.camera.height
    points = region.outline
    edge = region.radius if region.kind == "brush" else 0.0
    low = np.maximum(points.min(axis=0) - edge, 0.0)
    high = np.minimum(points.max(axis=0) + edge, (width, height))
    box = np.array([*low, *high], np.float32)
    if region.kind == "rect":
        return np.empty((0, 0), np.uint8), box
    box[:2] = np.floor(box[:2])
    box[2:] = np.minimum(np.ceil(box[2:]), (width, height))
    return coverage(region), box


def _unit_volume(region: Region) -> NDArray[np.float64]:
    """(4, 4) from the world to where the sphere has radius 1 and the box sides of 2."""
    half = np.full(3, region.radius) if region.kind == "sphere" else np.asarray(region.size) / 2.0
    matrix = np.eye(4)
    matrix[:3, :3] = euler_matrix(region.rotation) @ np.diag(half)
    matrix[:3, 3] = region.center
    return np.asarray(np.linalg.inv(matrix), np.float64)


def footprints_inside(
    region: Region, cloud: SplatCloud, depth: NDArray[np.float32] | None = None
) -> BitSet:
    """The splats of which any visible part (alpha of 1/255 or more) lies in a screen region.

    Parameters
    ----------
    region
        On the screen.
    cloud
        N splats in world space.
    depth
        As of `centers_inside`.
    """
    assert region.camera is not None
    camera: Camera = region.camera
    projected = project_splats(
        cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh,
        view_array(camera.viewmat), optics_array(camera.lens, PRESETS["gsplat-1.5.3"]),
    )  # fmt: skip
    mask = coverage(region)
    sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
    sums[1:, 1:] = mask.cumsum(axis=0, dtype=np.int32).cumsum(axis=1)
    slots = projected.order
    hit = np.zeros(len(slots), np.uint8)
    nothing = np.empty((0, 0), np.float32)
    seen = nothing if depth is None else depth

    def task(_: int, start: int, stop: int) -> None:
        footprints(
            start, stop, slots, projected.records, mask, sums, seen, np.float32(_NEARER), hit
        )

    parallel_for(task, len(slots), _PARTS_PER_CORE * core_count())
    return BitSet.of_indices(projected.splat_ids[slots[hit > 0]], len(cloud))
