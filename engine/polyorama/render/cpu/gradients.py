"""Pictures with gradients, on plain arrays: forward keeps what backward needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, parallel_for
from polyorama.core.memory import require
from polyorama.render.cpu.backward import PAIR_GRADIENTS, draw_backward, project_backward
from polyorama.render.cpu.draw import draw_full
from polyorama.render.cpu.pipeline import (
    PARTS_PER_CORE,
    Binned,
    Projected,
    bin_splats,
    pair_bounds,
    project_splats,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gradients", "Pictures", "Splats", "backward", "forward"]

_PARTS = 64
"""Parts of the sum of camera gradients: fixed, so that cores do not change its rounding."""

_SORTING_BYTES, _LISTED_BYTES = 28, 16
"""Memory of a (splat, tile) pair while pairs are sorted, and beside its gradients."""


@dataclass(frozen=True, slots=True, eq=False)
class Splats:
    """N splats in natural form, all arrays of one precision, float32 or float64.

    `means` (N, 3), `quats` (N, 4) w x y z of any length, `scales` (N, 3), `opacities` (N,),
    `sh` (N, K, 3), `features` (N, F) with F >= 0.
    """

    means: NDArray[Any]
    quats: NDArray[Any]
    scales: NDArray[Any]
    opacities: NDArray[Any]
    sh: NDArray[Any]
    features: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """What the forward pass draws, and what the backward pass needs of it.

    `color` (H, W, 3) over the background, `alpha` (H, W) = 1 - transmittance, `depth` (H, W) =
    sum(w z), `features` (H, W, F).
    """

    color: NDArray[Any]
    alpha: NDArray[Any]
    depth: NDArray[Any]
    features: NDArray[Any]
    background: NDArray[Any]
    alpha_cap: Any
    view: NDArray[Any]
    optics: NDArray[Any]
    projected: Projected
    binned: Binned

    @property
    def visible(self) -> NDArray[np.int32]:
        """(n,) int32, the splats that may be seen."""
        return self.projected.splat_ids[self.projected.order]

    @property
    def radii(self) -> NDArray[Any]:
        """(n,), half the larger side of each visible splat's box in pixels, as `visible`."""
        return np.asarray(self.projected.records[self.projected.order, 10:12].max(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Gradients:
    """Gradients in the shapes of the inputs.

    `screen` (N, 2) is that of the projected means in pixels, `view` (3, 4) that of the
    world-to-camera matrix's first three rows, `background` (3,) that of the background.
    """

    means: NDArray[Any]
    quats: NDArray[Any]
    scales: NDArray[Any]
    opacities: NDArray[Any]
    sh: NDArray[Any]
    features: NDArray[Any]
    screen: NDArray[Any]
    view: NDArray[Any]
    background: NDArray[Any]


def forward(
    splats: Splats,
    view: NDArray[Any],
    optics: NDArray[Any],
    *,
    alpha_cap: float,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Pictures:
    """Draw, and keep what `backward` needs.

    `view` and `optics` are those of `pipeline.view_array` and `pipeline.optics_array`, in the
    splats' precision.

    Raises
    ------
    UsageError
        If memory cannot hold what the backward pass needs: unlike a picture, it needs all pairs
        of splats and tiles at once.
    """
    dtype = splats.means.dtype
    width, height = int(optics[4]), int(optics[5])
    channels = splats.features.shape[1]
    projected = project_splats(
        splats.means, splats.quats, splats.scales, splats.opacities, splats.sh, view, optics
    ).sorted()
    pair_bytes = _LISTED_BYTES + dtype.itemsize * (PAIR_GRADIENTS + channels)
    require(
        sum(pair_bounds(projected, width, height)) * max(pair_bytes, _SORTING_BYTES),
        f"The gradients of {len(splats.means):,} splats on a picture of {width}x{height}; take "
        f"fewer or smaller splats, or a smaller picture",
    )
    binned = bin_splats(projected, width, height, with_origins=True)
    color = np.empty((height, width, 4), dtype)
    alpha, depth, median = (np.empty((height, width), dtype) for _ in range(3))
    ids = np.empty((height, width), np.int32)
    features = np.empty((height, width, channels), dtype)
    rgba8, carried = np.empty((0, 0, 4), np.uint8), np.empty((0, 0), dtype)
    done = np.zeros(len(binned.starts) - 1, np.uint8)
    under, cap = np.array(background, dtype), dtype.type(alpha_cap)

    def draw(_: int, start: int, stop: int) -> None:
        draw_full(
            start, stop, binned.tiles_x, width, height, binned.starts, binned.lists,
            projected.records, projected.splat_ids, splats.features, cap, under, True, False,
            rgba8, color, alpha, depth, median, ids, features, carried, done, True, True,
        )  # fmt: skip

    parallel_for(draw, len(binned.starts) - 1, PARTS_PER_CORE * core_count())
    return Pictures(
        color[..., :3], alpha, depth, features, under, cap, view, optics, projected, binned
    )


def backward(
    splats: Splats,
    pictures: Pictures,
    color: NDArray[Any],
    alpha: NDArray[Any],
    depth: NDArray[Any],
    features: NDArray[Any],
) -> Gradients:
    """Gradients of a loss, given those of the pictures, in the pictures' shapes."""
    dtype = splats.means.dtype
    height, width = pictures.alpha.shape
    channels = splats.features.shape[1]
    projected, binned = pictures.projected, pictures.binned
    transmittance = 1.0 - pictures.alpha
    # The whole of sum_i w_i q_i + T_N q_background; the colour has its background already.
    remaining = (pictures.color * color).sum(axis=-1) + pictures.depth * depth
    remaining += (pictures.features * features).sum(axis=-1) - transmittance * alpha
    pair_grads = np.zeros((len(binned.lists), PAIR_GRADIENTS + channels), dtype)

    def draw(_: int, start: int, stop: int) -> None:
        draw_backward(
            start, stop, binned.tiles_x, width, height, binned.starts, binned.lists,
            binned.origins, projected.records, projected.splat_ids, splats.features,
            pictures.alpha_cap, remaining.astype(dtype, copy=False), color, depth, features,
            pair_grads,
        )  # fmt: skip

    parallel_for(draw, len(binned.starts) - 1, PARTS_PER_CORE * core_count())
    result = Gradients(
        means=np.zeros_like(splats.means),
        quats=np.zeros_like(splats.quats),
        scales=np.zeros_like(splats.scales),
        opacities=np.zeros_like(splats.opacities),
        sh=np.zeros_like(splats.sh),
        features=np.zeros_like(splats.features),
        screen=np.zeros((len(splats.means), 2), dtype),
        view=np.zeros((3, 4), dtype),
        background=(transmittance[..., None] * color).sum(axis=(0, 1)),
    )
    view_grads = np.zeros((_PARTS, 12), dtype)
    degree = {1: 0, 4: 1, 9: 2, 16: 3}[splats.sh.shape[1]]

    def project(part: int, start: int, stop: int) -> None:
        project_backward(
            start, stop, projected.order, projected.splat_ids, binned.runs, pair_grads,
            splats.means, splats.quats, splats.scales, splats.opacities, splats.sh, degree,
            pictures.view, pictures.optics, result.means, result.quats, result.scales,
            result.opacities, result.sh, result.features, result.screen, view_grads[part],
        )  # fmt: skip

    if len(projected.order):
        parallel_for(project, len(projected.order), _PARTS)
        summed = view_grads.sum(axis=0)
        result.view[:, :3] = summed[:9].reshape(3, 3)
        result.view[:, 3] = summed[9:]
    return result
