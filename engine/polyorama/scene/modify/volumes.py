"""Crop: what is inside a volume stays, and fades towards its surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.modify.palette import moved_means
from polyorama.scene.modify.splatwise import faded, removed
from polyorama.scene.placement import matrix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Crop
    from polyorama.scene.modify.step import Place, Step

__all__ = ["crop", "depth_inside", "volume_of"]


def volume_of(modifier: Crop, place: Place) -> tuple[str, NDArray[np.float64]]:
    """Shape of a crop's volume, and (4, 4) float64 from its unit form to the node's space."""
    if place.shape:
        return place.shape, place.volume
    size = modifier.size if modifier.shape in ("box", "ellipsoid") else (modifier.size[0],) * 3
    return modifier.shape, matrix_of(modifier.center, modifier.rotation, size)


def depth_inside(
    points: NDArray[np.float32], shape: str, volume: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(N,) float64 distance of points (N, 3) from a volume's surface, negative outside.

    It is exact for planes, spheres and the insides of boxes; for ellipsoids it is f / |grad f| of
    f = 1/2 - |q|, with q the point in the volume's unit form.

    Raises
    ------
    UsageError
        If the volume is flat.
    """
    if np.linalg.matrix_rank(volume[:3, :3]) < 3:
        raise UsageError("A crop volume without width, height or depth cuts nothing; scale it.")
    inverse = np.linalg.inv(volume[:3, :3])
    with np.errstate(all="ignore"):
        q = (points.astype(np.float64) - volume[:3, 3]) @ inverse.T
        steep = np.linalg.norm(inverse, axis=1)
        if shape == "plane":
            return np.asarray(-q[:, 1] / steep[1])
        if shape == "box":
            return np.asarray(((0.5 - np.abs(q)) / steep).min(axis=1))
        radius = np.linalg.norm(q, axis=1)
        away = np.linalg.norm((q / np.maximum(radius, 1e-12)[:, None]) @ inverse, axis=1)
        center = np.linalg.norm(inverse, 2)
        return np.asarray((0.5 - radius) / np.where(radius > 1e-9, away, center))


def crop(step: Step, modifier: Crop, chosen: NDArray[np.bool_] | None, place: Place) -> Step:
    """Remove what is outside the volume, or with `inverted` what is inside.

    Over the width `soft`, inside the surface of what stays, splats fade by a smoothstep.
    """
    depth = depth_inside(moved_means(step), *volume_of(modifier, place))
    kept = ~(depth >= 0.0) if modifier.inverted else depth >= 0.0
    out = ~kept if chosen is None else ~kept & chosen
    if modifier.soft > 0.0:
        t = np.clip(np.abs(depth) / modifier.soft, 0.0, 1.0)
        factors = 1.0 - modifier.strength * (1.0 - t * t * (3.0 - 2.0 * t))
        inside = kept & (t < 1.0) if chosen is None else kept & chosen & (t < 1.0)
        if inside.any():
            step = faded(step, np.where(inside, factors, 1.0).astype(np.float32))
    return removed(step, out, modifier.strength) if out.any() else step
