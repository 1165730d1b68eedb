"""What a rasterizer returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OUTPUTS", "Frame"]

OUTPUTS = frozenset({"rgba8", "color", "depth", "features"})
"""What can be asked of a rasterizer: pictures in 8 bit and float, depth with ids, features."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and what is known about it; arrays that were not asked for are None.

    Parameters
    ----------
    rgba8
        (H, W, 4) uint8, display RGB premultiplied by alpha, over the state's background.
    color
        (H, W, 4) float32, display RGB premultiplied by alpha, over the state's background, before
        any post; RGB is not clamped.
    alpha
        (H, W) float32, 1 - transmittance of the splats alone, whatever the background is.
    expected_depth
        (H, W) float32, sum(w z) / sum(w) in world units along the view; 0 where nothing is drawn.
    median_depth
        (H, W) float32, z of the last splat hit while transmittance is above one half; 0 if none.
    ids
        (H, W) int32, index in the state of that same splat, or what the state's `rows` call it; -1
        if none.
    features
        (H, W, F) float32, feature channels blended as colours are, over zero.
    linear
        (H, W, 4) float32, linear light premultiplied by alpha, graded but not tone mapped; made by
        `polyorama.render.shoot`, not by rasterizers.
    normals
        (H, W, 3) float32, unit world directions toward the camera, blended shortest axes of the
        splats; 0 where nothing is drawn; from `polyorama.render.shoot`.
    timing
        Milliseconds by stage ("project", "sort", "bin", "draw").
    counts
        "visible" splats, (splat, tile) "pairs", "evaluated" and "needed" (splat, pixel) pairs
        where the rasterizer counts them.
    backend
        Name of the rasterizer that made it.
    """

    rgba8: NDArray[np.uint8] | None = None
    color: NDArray[np.float32] | None = None
    alpha: NDArray[np.float32] | None = None
    expected_depth: NDArray[np.float32] | None = None
    median_depth: NDArray[np.float32] | None = None
    ids: NDArray[np.int32] | None = None
    features: NDArray[np.float32] | None = None
    linear: NDArray[np.float32] | None = None
    normals: NDArray[np.float32] | None = None
    timing: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    backend: str = ""
