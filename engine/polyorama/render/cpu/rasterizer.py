"""The steps of a frame, put together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, parallel_for
from polyorama.errors import UsageError
from polyorama.render.cpu.draw import draw_full, draw_picture
from polyorama.render.cpu.pipeline import (
    PARTS_PER_CORE,
    Binned,
    Projected,
    bin_splats,
    optics_array,
    project_splats,
    view_array,
)
from polyorama.render.frame import OUTPUTS, Frame
from polyorama.render.prefix import limited
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
        cloud, features, names = limited(state.gaussians, state.limit)
        camera = state.camera
        projected = project_splats(
            cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh,
            view_array(camera.viewmat), optics_array(camera.lens, state.constants),
        )  # fmt: skip
        clock.lap("project")
        projected = projected.sorted()
        clock.lap("sort")
        binned = bin_splats(projected, camera.width, camera.height)
        clock.lap("bin")
        frame = self._draw(state, projected, binned, features, names, wanted)
        clock.lap("draw")
        counts = {**frame.counts, "visible": len(projected.order), "pairs": len(binned.lists)}
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
        projected: Projected,
        binned: Binned,
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

        work = parallel_for(task, len(binned.starts) - 1, PARTS_PER_CORE * core_count())
        if full:
            np.divide(depth, alpha, out=depth, where=alpha > 0.0)
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
