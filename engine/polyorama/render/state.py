"""The frozen state that a rasterizer draws: a flat array of Gaussians, a camera, constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.splats import SplatCloud

__all__ = ["MAX_FEATURES", "PRESETS", "Constants", "Gaussians", "RenderState"]

MAX_FEATURES = 32
"""Most feature channels a splat may carry through a render."""


@dataclass(frozen=True, slots=True)
class Constants:
    """The numbers in which renderers differ.

    Parameters
    ----------
    alpha_cap
        Largest alpha of one splat at one pixel.
    dilation
        Added to the diagonal of the projected covariance, pixels squared.
    antialiased
        Multiply opacity by sqrt(det before / det after dilation).
    compensation_floor
        Smallest value of that factor.
    near
        Smallest depth drawn, world units; None is the camera's own near plane.
    jacobian_margin
        How far beyond the picture, as a share of half its size, the projection's Jacobian follows.
    """

    alpha_cap: float = 0.999
    dilation: float = 0.3
    antialiased: bool = False
    compensation_floor: float = 0.0
    near: float | None = None
    jacobian_margin: float = 0.3


PRESETS: Mapping[str, Constants] = {
    "gsplat-1.5.3": Constants(),
    "gsplat-1.6.0": Constants(alpha_cap=0.99, compensation_floor=0.005),
    "inria": Constants(alpha_cap=0.99, near=0.2),
}
"""Named constants (renderer differences as published); the first is the default."""


@dataclass(frozen=True, slots=True, eq=False)
class Gaussians:
    """The flat array: every Gaussian of a document, in world space.

    Parameters
    ----------
    cloud
        All splats, concatenated.
    features
        (N, F) float32 with F <= 32 further channels, or None.
    node_index
        (N,) int32, which of `node_ids` a splat belongs to, or None when there is one node.
    node_ids
        Ids of the nodes drawn, in document order.
    cache
        Where a rasterizer keeps what it derives once per array (never part of the value).
    """

    cloud: SplatCloud
    features: NDArray[np.float32] | None = None
    node_index: NDArray[np.int32] | None = None
    node_ids: tuple[str, ...] = ()
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.features is not None:
            count, channels = self.features.shape
            if count != len(self.cloud) or not 1 <= channels <= MAX_FEATURES:
                raise UsageError(
                    f"Features have shape {self.features.shape}; expected ({len(self.cloud)}, "
                    f"1 to {MAX_FEATURES})."
                )
            view = np.ascontiguousarray(self.features, np.float32).view()
            view.flags.writeable = False
            object.__setattr__(self, "features", view)


@dataclass(frozen=True, slots=True, eq=False)
class RenderState:
    """Everything that decides a picture.

    Parameters
    ----------
    gaussians
        What is drawn.
    camera
        From where.
    background
        Display RGB, 0..1, or None for a transparent picture.
    constants
        Which renderer's numbers hold.
    limit
        Draw only the first `limit` splats in importance order; None draws all.

    Raises
    ------
    UsageError
        If the background is no colour.
    """

    gaussians: Gaussians
    camera: Camera
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0)
    constants: Constants = PRESETS["gsplat-1.5.3"]
    limit: int | None = None

    def __post_init__(self) -> None:
        under = self.background
        if under is not None and not (len(under) == 3 and all(0.0 <= c <= 1.0 for c in under)):
            raise UsageError(f"A background is three numbers from 0 to 1, not {under}.")
