"""Edits of splat clouds: pure functions from a cloud to a cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.placement import euler_matrix

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.scene.rules import Rule
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "crop_box",
    "crop_sphere",
    "drop",
    "flip_matrix",
    "rotation_matrix",
    "scale_matrix",
    "sort_morton",
    "translation_matrix",
]


def translation_matrix(offset: ArrayLike) -> NDArray[np.float64]:
    """(4, 4) matrix that moves by `offset` (3,), world units."""
    matrix = np.eye(4)
    matrix[:3, 3] = _three(offset, "A translation")
    return matrix


def rotation_matrix(degrees: ArrayLike) -> NDArray[np.float64]:
    """(4, 4) matrix that turns about the fixed x axis, then y, then z, by (3,) angles in degrees.

    Positive angles turn counter-clockwise when the axis points at the viewer.
    """
    matrix = np.eye(4)
    matrix[:3, :3] = euler_matrix(_three(degrees, "A rotation"))
    return matrix


def scale_matrix(factors: ArrayLike) -> NDArray[np.float64]:
    """(4, 4) matrix that scales about the origin by one factor or by (3,) factors.

    Raises
    ------
    UsageError
        If a factor is zero or not finite.
    """
    values = np.atleast_1d(np.asarray(factors, np.float64))
    values = _three(np.repeat(values, 3) if values.shape == (1,) else values, "A scaling")
    if not values.all():
        raise UsageError("A scale factor of 0 would flatten the splats.")
    return np.diag([*values, 1.0])


def flip_matrix(axes: str) -> NDArray[np.float64]:
    """(4, 4) matrix that negates the named axes, such as "y" (a mirror) or "yz" (a half turn).

    Raises
    ------
    UsageError
        If `axes` is not made of different letters x, y, z.
    """
    letters = axes.lower().replace(",", "")
    if not letters or set(letters) - set("xyz") or len(set(letters)) != len(letters):
        raise UsageError(f"Axes to flip are some of the letters x, y and z, not {axes!r}.")
    return np.diag([*(-1.0 if axis in letters else 1.0 for axis in "xyz"), 1.0])


def drop(cloud: SplatCloud, rule: Rule, first_index: int = 0) -> SplatCloud:
    """The splats for which `rule` does not hold."""
    mask = rule.mask(cloud, first_index)
    return cloud if not mask.any() else cloud.subset(~mask)


def crop_box(
    cloud: SplatCloud, low: ArrayLike, high: ArrayLike, *, outside: bool = False
) -> SplatCloud:
    """The splats whose centre is inside (or outside) the box from `low` to `high`, (3,) each.

    Raises
    ------
    UsageError
        If `low` is above `high` along an axis.
    """
    bottom, top = _box(low, high)
    inside = ((cloud.means >= bottom) & (cloud.means <= top)).all(axis=1)
    return cloud.subset(~inside if outside else inside)


def crop_sphere(
    cloud: SplatCloud, center: ArrayLike, radius: float, *, outside: bool = False
) -> SplatCloud:
    """The splats whose centre is inside (or outside) the sphere.

    Raises
    ------
    UsageError
        If the radius is not positive.
    """
    middle = _three(center, "A sphere's centre")
    if not radius > 0.0:
        raise UsageError(f"A sphere needs a radius above 0, not {radius:g}.")
    inside = ((cloud.means - middle) ** 2).sum(axis=1) <= radius * radius
    return cloud.subset(~inside if outside else inside)


def sort_morton(cloud: SplatCloud) -> SplatCloud:
    """The same splats along a Z-curve, so that neighbours in space are neighbours in the file."""
    from polyorama.scene.morton import morton_order

    return cloud.subset(morton_order(cloud.means))


def _box(low: ArrayLike, high: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bottom, top = _corner(low), _corner(high)
    if (bottom > top).any():
        raise UsageError("A box's first corner must not lie above its second along any axis.")
    return bottom, top


def _corner(values: ArrayLike) -> NDArray[np.float64]:
    corner = np.asarray(values, np.float64)
    if corner.shape != (3,) or np.isnan(corner).any():  # a side may lie at infinity
        raise UsageError("A box's corner is three numbers x,y,z.")
    return corner


def _three(values: ArrayLike, what: str) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise UsageError(f"{what} is three finite numbers x,y,z.")
    return array
