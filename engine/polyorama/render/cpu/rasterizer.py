"""The steps of a frame, put together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, parallel_for
from polyorama.core.memory import require
from polyorama.errors import UsageError
from polyorama.render.cpu.draw import buffer_planes, draw_full, draw_picture
from polyorama.render.cpu.pipeline import (
    PARTS_PER_CORE,
    Binned,
    Projected,
    bin_splats,
    slabs,
    tile_counts,
)
from polyorama.render.cpu.placed import project_state
from polyorama.render.frame import OUTPUTS, Frame
from polyorama.render.rasterizers import Availability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from polyorama.render.state import RenderState

__all__ = ["CpuRasterizer", "availability", "create"]


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
        camera = state.camera
        projected, drawn, names = project_state(state)
        clock.lap("project")
        projected = projected.sorted()
        clock.lap("sort")
        picture = _Picture(state, drawn.features if "features" in wanted else None, wanted)
        runs = slabs(projected, camera.width, camera.height)
        pairs = 0
        for number, run in enumerate(runs):
            binned = bin_splats(run, camera.width, camera.height, done=picture.done)
            pairs += len(binned.lists)
            clock.lap("bin")
            picture.draw(
                run, binned, first=number == 0, last=number == len(runs) - 1,
                count_needed=self._count_needed,
            )  # fmt: skip
            clock.lap("draw")
        counts = {"visible": len(projected.order), "pairs": pairs, "evaluated": picture.evaluated}
        if self._count_needed:
            counts["needed"] = picture.needed
        return picture.frame(names, timing, counts)


class _Picture:
    """The arrays of one frame while it is drawn, slab by slab."""

    def __init__(
        self, state: RenderState, features: NDArray[np.float32] | None, wanted: frozenset[str]
    ) -> None:
        camera = state.camera
        size = (camera.height, camera.width)
        self._state, self._wanted = state, wanted
        self._full = bool(wanted & {"depth", "features"})
        self._features = np.zeros((1, 0), np.float32) if features is None else features
        channels = self._features.shape[1]
        pixel = 4 * ("rgba8" in wanted) + 16 * ("color" in wanted)
        pixel += (16 + 4 * channels) * self._full
        require(
            camera.width * camera.height * pixel,
            f"a picture of {camera.width}x{camera.height} pixels; choose a smaller size",
        )

        def plane(on: bool, dtype: Any, *more: int) -> NDArray[Any]:
            return np.zeros((*size, *more) if on else (0,) * (2 + len(more)), dtype)

        self.rgba8 = plane("rgba8" in wanted, np.uint8, 4)
        self.color = plane("color" in wanted, np.float32, 4)
        self.alpha, self.depth, self.median = (plane(self._full, np.float32) for _ in range(3))
        self.ids = plane(self._full, np.int32) - np.int32(1)
        self.blended = plane(self._full, np.float32, channels)
        self.evaluated = self.needed = 0
        _, self._tiles = tile_counts(camera.width, camera.height)
        self.done = np.zeros(self._tiles, np.uint8)
        self._carried = np.empty((0, 0), np.float32)

    def draw(
        self, slab: Projected, binned: Binned, *, first: bool, last: bool, count_needed: bool
    ) -> None:
        """Blend one slab behind what was drawn before; the last one fills the arrays."""
        camera, state = self._state.camera, self._state
        kernel = draw_full if self._full else draw_picture
        if first and not last:
            planes = buffer_planes(self._full, self._features.shape[1])
            self._carried = np.empty((self._tiles, planes), np.float32)
        background = np.array(state.background or (0.0, 0.0, 0.0), np.float32)

        def task(_: int, start: int, stop: int) -> tuple[int, int]:
            return kernel(  # type: ignore[no-any-return]
                start, stop, binned.tiles_x, camera.width, camera.height, binned.starts,
                binned.lists, slab.records, slab.splat_ids, self._features,
                np.float32(state.constants.alpha_cap), background, state.background is not None,
                count_needed, self.rgba8, self.color, self.alpha, self.depth, self.median,
                self.ids, self.blended, self._carried, self.done, first, last,
            )  # fmt: skip

        work = parallel_for(task, self._tiles, PARTS_PER_CORE * core_count())
        self.evaluated += sum(evaluated for evaluated, _ in work)
        self.needed += sum(needed for _, needed in work)

    def frame(
        self, names: NDArray[np.int32] | None, timing: dict[str, float], counts: dict[str, int]
    ) -> Frame:
        """The finished frame; `names` are the splats' own where they were a coarse prefix."""
        full = self._full
        if full:
            np.divide(self.depth, self.alpha, out=self.depth, where=self.alpha > 0.0)
            if names is not None:
                self.ids = np.where(self.ids >= 0, names[self.ids], np.int32(-1))
        return Frame(
            rgba8=self.rgba8 if "rgba8" in self._wanted else None,
            color=self.color if "color" in self._wanted else None,
            alpha=self.alpha if full else None,
            expected_depth=self.depth if full else None,
            median_depth=self.median if full else None,
            ids=self.ids if full else None,
            features=self.blended if "features" in self._wanted else None,
            timing=timing,
            counts=counts,
            backend=CpuRasterizer.name,
        )


def availability() -> Availability:
    """The CPU is always there."""
    return Availability(ok=True)


def create() -> CpuRasterizer:
    """Make the rasterizer."""
    return CpuRasterizer()


class _Clock:
    """Adds the milliseconds since the last lap under a name."""

    def __init__(self, timing: dict[str, float]) -> None:
        self._timing = timing
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._timing[name] = self._timing.get(name, 0.0) + 1000.0 * (now - self._last)
        self._last = now
