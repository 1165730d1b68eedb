"""The frozen state that a rasterizer draws: a flat array of Gaussians, a camera, constants."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
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

_lock = threading.Lock()
_BAKED = 2
"""How many are kept for one cloud: with the selection shown, and without."""


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
    """The flat array: every Gaussian of a document, and where in the world it is.

    Moving things changes `palette`, choosing and hiding them changes `state`; the cloud's arrays
    stay what they are.

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
    palette
        (P, 3, 4) float64 affine maps from where the cloud's arrays are to the world; None where
        they are in world space already.
    palette_index
        (N,) uint16, which map moves a splat; None when all follow the first.
    state
        (N,) uint8 bits of `polyorama.scene.stack` (SELECTED, HIDDEN, DELETED, LOCKED), or None.
    rows
        (N,) int32, where these are a part of others (see `baked`): which of them each is.
    cache
        Where a rasterizer keeps what it derives once per array (never part of the value); those
        that share a cloud may share it.

    Raises
    ------
    UsageError
        If shapes disagree.
    """

    cloud: SplatCloud
    features: NDArray[np.float32] | None = None
    node_index: NDArray[np.int32] | None = None
    node_ids: tuple[str, ...] = ()
    palette: NDArray[np.float64] | None = None
    palette_index: NDArray[np.uint16] | None = None
    state: NDArray[np.uint8] | None = None
    rows: NDArray[np.int32] | None = None
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.features is not None:
            count, channels = self.features.shape
            if count != len(self.cloud) or not 1 <= channels <= MAX_FEATURES:
                raise UsageError(
                    f"Features have shape {self.features.shape}; expected ({len(self.cloud)}, "
                    f"1 to {MAX_FEATURES})."
                )
            _freeze(self, "features", np.float32)
        count = len(self.cloud)
        if self.palette is not None:
            if self.palette.ndim != 3 or self.palette.shape[1:] != (3, 4) or not len(self.palette):
                raise UsageError(f"A palette has shape {self.palette.shape}; expected (P, 3, 4).")
            _freeze(self, "palette", np.float64)
        elif self.palette_index is not None:
            raise UsageError("There is a palette index without a palette.")
        for name, dtype in (("palette_index", np.uint16), ("state", np.uint8), ("rows", np.int32)):
            column = getattr(self, name)
            if column is not None:
                if column.shape != (count,):
                    raise UsageError(f"{name} has shape {column.shape}; expected ({count},).")
                _freeze(self, name, dtype)
        index, palette = self.palette_index, self.palette
        # Kernels look entries up without asking.
        if index is not None and palette is not None and count and index.max() >= len(palette):
            raise UsageError(f"A palette of {len(palette)} has no entry {index.max()}.")

    @property
    def is_plain(self) -> bool:
        """Whether all of it is drawn as the cloud's arrays say."""
        return self.palette is None and self.state is None

    def baked(self, highlight: tuple[float, float, float] | None = None) -> Gaussians:
        """The same picture without palette and state; kept, and itself where it has neither.

        Splats are moved by `SplatCloud.transformed`, hidden and deleted ones left out, selected
        ones coloured; `rows` tells which splat is which.

        Parameters
        ----------
        highlight
            As of `RenderState`.

        Raises
        ------
        UsageError
            As `SplatCloud.transformed`.
        """
        if self.is_plain:
            return self
        inputs = (self.palette, self.palette_index, self.state, self.features)
        with _lock:  # two renders may run at once
            kept: list[tuple[Any, Any, Gaussians]] = self.cache.setdefault("baked", [])
            for arrays, tint, made in kept:
                if tint == highlight and all(a is b for a, b in zip(arrays, inputs, strict=True)):
                    return made
            made = self._baked(highlight)
            kept.append((inputs, highlight, made))
            del kept[:-_BAKED]
            return made

    def _baked(self, highlight: tuple[float, float, float] | None) -> Gaussians:
        # Only here, since it brings in the compiler.
        from polyorama.render.bake import bake

        cloud, rows = bake(self.cloud, self.palette, self.palette_index, self.state, highlight)
        if rows is None:
            return Gaussians(cloud, self.features, self.node_index, self.node_ids, rows=self.rows)
        return Gaussians(
            cloud,
            None if self.features is None else self.features[rows],
            None if self.node_index is None else self.node_index[rows],
            self.node_ids,
            rows=rows if self.rows is None else self.rows[rows],
        )


def _freeze(gaussians: Gaussians, name: str, dtype: type[np.generic]) -> None:
    array = np.ascontiguousarray(getattr(gaussians, name), dtype)
    if array.flags.writeable:  # what is frozen stays the same object: caches know it by that
        array = array.view()
        array.flags.writeable = False
    object.__setattr__(gaussians, name, array)


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
    highlight
        Display RGB, 0..1, into which selected splats are blended by 65 %; None shows
        no selection.

    Raises
    ------
    UsageError
        If background or highlight are no colours.
    """

    gaussians: Gaussians
    camera: Camera
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0)
    constants: Constants = PRESETS["gsplat-1.5.3"]
    limit: int | None = None
    highlight: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        for what in ("background", "highlight"):
            color = getattr(self, what)
            if color is not None and not (len(color) == 3 and all(0.0 <= c <= 1.0 for c in color)):
                raise UsageError(f"A {what} is three numbers from 0 to 1, not {color}.")

    def baked(self) -> RenderState:
        """The same with `Gaussians.baked`, for what draws neither palettes nor states."""
        if self.gaussians.is_plain:
            return self
        return replace(self, gaussians=self.gaussians.baked(self.highlight))
