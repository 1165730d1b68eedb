"""The steps of a frame, put together."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, parallel_for
from polyorama.core.simd import WIDTH
from polyorama.errors import UsageError
from polyorama.render.cpu.bin import TILE_HEIGHT, TILE_WIDTH, distribute, find_pairs
from polyorama.render.cpu.draw import draw_full, draw_picture
from polyorama.render.cpu.project import RECORD, project
from polyorama.render.cpu.sort import sort_by_depth
from polyorama.render.frame import OUTPUTS, Frame
from polyorama.render.rasterizers import Availability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.state import Constants, Gaussians, RenderState
    from polyorama.scene.splats import SplatCloud

__all__ = ["CpuRasterizer", "availability", "create"]

_PARTS_PER_CORE = 8
_PREFIXES = 4
"""How many coarse versions of a cloud are kept: a governor moves among a few."""


@dataclass(frozen=True, slots=True, eq=False)
class _Projected:
    """Splats on the screen: `records` and `splat_ids` by slot, `order` the slots near to far."""

    records: NDArray[np.float32]
    splat_ids: NDArray[np.int32]
    order: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class _Binned:
    """Lists of pairs by tile: tile t owns ``lists[starts[t]:starts[t + 1]]``."""

    starts: NDArray[np.int64]
    lists: NDArray[np.uint64]
    tiles_x: int


class CpuRasterizer:
    """Draws with numba on all cores.

    Parameters
    ----------
    count_needed
        Also count the (splat, pixel) pairs that changed the picture, for benchmarks.
    """

    name = "cpu"

    def __init__(self, *, count_needed: bool = False) -> None:
        self._count_needed = count_needed

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        """Draw `state`; see `polyorama.render.rasterizers.Rasterizer`.

        Raises
        ------
        UsageError
            If an output is unknown, or features are asked for and there are none.
        """
        wanted = frozenset(outputs)
        if not wanted <= OUTPUTS:
            raise UsageError(
                f"Unknown outputs {sorted(wanted - OUTPUTS)}; choose from {sorted(OUTPUTS)}."
            )
        if "features" in wanted and state.gaussians.features is None:
            raise UsageError("The scene has no feature channels to draw.")
        timing: dict[str, float] = {}
        clock = _Clock(timing)
        cloud, features, names = _limited(state.gaussians, state.limit)
        projected = _project(cloud, state.camera, state.constants)
        clock.lap("project")
        order = sort_by_depth(projected.records, projected.order)
        clock.lap("sort")
        binned = _bin(projected.records, order, state.camera)
        clock.lap("bin")
        frame = self._draw(state, projected, binned, features, names, wanted)
        clock.lap("draw")
        counts = {**frame.counts, "visible": len(order), "pairs": len(binned.lists)}
        return Frame(
            rgba8=frame.rgba8,
            color=frame.color,
            alpha=frame.alpha,
            expected_depth=frame.expected_depth,
            median_depth=frame.median_depth,
            ids=frame.ids,
            features=frame.features,
            timing=timing,
            counts=counts,
            backend=self.name,
        )

    def _draw(
        self,
        state: RenderState,
        projected: _Projected,
        binned: _Binned,
        features: NDArray[np.float32] | None,
        names: NDArray[np.int32] | None,
        wanted: frozenset[str],
    ) -> Frame:
        camera = state.camera
        size = (camera.height, camera.width)
        full = bool(wanted & {"depth", "features"})
        with_features = features is not None and "features" in wanted
        if features is None or not with_features:
            features = np.zeros((1, 0), np.float32)

        def plane(on: bool, dtype: Any, *channels: int) -> NDArray[Any]:
            return np.empty((*size, *channels) if on else (0,) * (2 + len(channels)), dtype)

        rgba8 = plane("rgba8" in wanted, np.uint8, 4)
        color = plane("color" in wanted, np.float32, 4)
        alpha, depth, median = (plane(full, np.float32) for _ in range(3))
        ids = plane(full, np.int32)
        blended = plane(full, np.float32, features.shape[1])
        background = np.array(state.background or (0.0, 0.0, 0.0), np.float32)
        kernel = draw_full if full else draw_picture

        def task(_: int, start: int, stop: int) -> tuple[int, int]:
            return kernel(  # type: ignore[no-any-return]
                start, stop, binned.tiles_x, camera.width, camera.height, binned.starts,
                binned.lists, projected.records, projected.splat_ids, features,
                np.float32(state.constants.alpha_cap), background, state.background is not None,
                self._count_needed, rgba8, color, alpha, depth, median, ids, blended,
            )  # fmt: skip

        work = parallel_for(task, len(binned.starts) - 1, _PARTS_PER_CORE * core_count())
        if names is not None and full:
            ids = np.where(ids >= 0, names[ids], np.int32(-1))
        counts = {"evaluated": sum(w[0] for w in work)}
        if self._count_needed:
            counts["needed"] = sum(w[1] for w in work)
        return Frame(
            rgba8=rgba8 if "rgba8" in wanted else None,
            color=color if "color" in wanted else None,
            alpha=alpha if full else None,
            expected_depth=depth if full else None,
            median_depth=median if full else None,
            ids=ids if full else None,
            features=blended if with_features else None,
            counts=counts,
        )


def availability() -> Availability:
    """The CPU is always there."""
    return Availability(ok=True)


def create() -> CpuRasterizer:
    """Make the rasterizer."""
    return CpuRasterizer()


class _Clock:
    """Writes the milliseconds since the last lap under a name."""

    def __init__(self, timing: dict[str, float]) -> None:
        self._timing = timing
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._timing[name] = 1000.0 * (now - self._last)
        self._last = now


def _limited(
    gaussians: Gaussians, limit: int | None
) -> tuple[SplatCloud, NDArray[np.float32] | None, NDArray[np.int32] | None]:
    """The splats to draw, their features, and their names where they are a coarse prefix."""
    cloud, features = gaussians.cloud, gaussians.features
    if limit is None or limit >= len(cloud):
        return cloud, features, None
    limit = max(limit, 0)
    kept: dict[int, Any] = gaussians.cache.setdefault("prefixes", {})
    if limit not in kept:
        if "importance" not in gaussians.cache:
            gaussians.cache["importance"] = cloud.importance_order()
        names = np.sort(gaussians.cache["importance"][:limit])
        while len(kept) >= _PREFIXES:
            kept.pop(next(iter(kept)), None)
        kept[limit] = (
            cloud.subset(names), None if features is None else features[names], names,
        )  # fmt: skip
    return kept[limit]  # type: ignore[no-any-return]


def _project(cloud: SplatCloud, camera: Camera, constants: Constants) -> _Projected:
    count = len(cloud)
    # The kernel reads eight rows at a time; a smaller cloud is padded with unseen splats.
    room = max(count, WIDTH)

    def flat(array: NDArray[np.float32]) -> NDArray[np.float32]:
        if len(array) < room:
            array = np.concatenate([array, np.zeros((room - count, *array.shape[1:]), np.float32)])
        return array.reshape(-1)

    means, quats, scales = flat(cloud.means), flat(cloud.quats), flat(cloud.scales)
    opacities = flat(cloud.opacities)
    sh = flat(cloud.sh).reshape(room, -1, 3)
    records = np.empty((room, RECORD), np.float32)
    splat_ids, order = np.empty(room, np.int32), np.empty(room, np.int32)
    view, optics = _optics(camera, constants)
    blocks = -(-count // WIDTH)

    def task(_: int, start: int, stop: int) -> tuple[int, int]:
        begin, end = start * WIDTH, min(stop * WIDTH, count)
        filled = project(
            begin, end, means, quats, scales, opacities, sh, cloud.sh_degree, view, optics,
            records, splat_ids, order,
        )  # fmt: skip
        return begin, begin + filled

    if count == 0:
        return _Projected(records, splat_ids, order[:0])
    runs = parallel_for(task, blocks, _PARTS_PER_CORE * core_count())
    return _Projected(records, splat_ids, np.concatenate([order[a:b] for a, b in runs]))


def _optics(
    camera: Camera, constants: Constants
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The kernel's `view` and `optics` arrays."""
    rotation, translation = camera.viewmat[:3, :3], camera.viewmat[:3, 3]
    view = np.concatenate([rotation.ravel(), translation, camera.position]).astype(np.float32)
    margin_x = constants.jacobian_margin * 0.5 * camera.width / camera.fx
    margin_y = constants.jacobian_margin * 0.5 * camera.height / camera.fy
    orthographic = camera.kind == "orthographic"
    optics = np.array(
        [
            -camera.fx if orthographic else camera.fx,
            camera.fy,
            camera.cx,
            camera.cy,
            camera.width,
            camera.height,
            camera.near if orthographic else max(camera.near, constants.near),
            camera.far,
            -camera.cx / camera.fx - margin_x,
            (camera.width - camera.cx) / camera.fx + margin_x,
            -camera.cy / camera.fy - margin_y,
            (camera.height - camera.cy) / camera.fy + margin_y,
            constants.dilation,
            # The floor is on the factor; the kernel takes it under the root.
            constants.compensation_floor**2 if constants.antialiased else -1.0,
        ],
        np.float32,
    )
    return view, optics


def _bin(records: NDArray[np.float32], order: NDArray[np.int32], camera: Camera) -> _Binned:
    tiles_x = -(-camera.width // TILE_WIDTH)
    tiles = tiles_x * -(-camera.height // TILE_HEIGHT)
    parts = core_count()
    room = 4 * len(order) // parts + 4096

    def task(_: int, start: int, stop: int) -> tuple[int, Any, Any, Any]:
        counts = np.empty(tiles, np.int32)
        here = room
        while True:
            pairs, owners = np.empty(here, np.uint64), np.empty(here, np.int32)
            found = find_pairs(
                start, stop, order, records, camera.width, camera.height, tiles_x, pairs, owners,
                counts,
            )  # fmt: skip
            if found <= here:
                return found, pairs, owners, counts
            here = found

    if len(order) == 0:
        return _Binned(np.zeros(tiles + 1, np.int64), np.empty(0, np.uint64), tiles_x)
    found = parallel_for(task, len(order), parts)
    counts = np.stack([f[3] for f in found]).astype(np.int64)
    ends = np.cumsum(counts.T.ravel())
    places = (ends - counts.T.ravel()).reshape(tiles, len(found)).T.copy()
    starts = np.append(places[0], ends[-1])
    lists = np.empty(ends[-1], np.uint64)
    parallel_for(
        lambda part, _a, _b: distribute(found[part][0], found[part][1], found[part][2],
                                        places[part], lists),
        len(found), len(found),
    )  # fmt: skip
    return _Binned(starts, lists, tiles_x)
