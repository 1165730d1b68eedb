"""Node matrices as translation, rotation in degrees and scale, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Placement", "euler_degrees", "euler_matrix", "matrix_of", "placement_of", "with_placement",
]  # fmt: skip

_MIRRORS = tuple(np.diag(signs) for signs in (
    (-1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, -1.0), (-1.0, -1.0, -1.0),
))  # fmt: skip

Placement = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
"""Translation, rotation about x, then y, then z in degrees, scale; three floats each."""


def euler_matrix(degrees: ArrayLike) -> NDArray[np.float64]:
    """(3, 3) rotation about the fixed x axis, then y, then z, by (3,) angles in degrees.

    Quarter turns are exact.
    """
    matrix = np.eye(3)
    for axis, angle in enumerate(np.asarray(degrees, np.float64)):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        if angle % 90.0 == 0.0:
            cosine, sine = np.round(cosine), np.round(sine)
        turn = np.eye(3)
        turn[a, a] = turn[b, b] = cosine
        turn[a, b], turn[b, a] = -sine, sine
        matrix = turn @ matrix
    return matrix


def euler_degrees(rotation: ArrayLike) -> tuple[float, float, float]:
    """Angles in degrees whose `euler_matrix` is a rotation (3, 3); y lies within -90 to 90."""
    m = np.asarray(rotation, np.float64)
    y = np.arctan2(-m[2, 0], np.hypot(m[0, 0], m[1, 0]))
    if np.hypot(m[0, 0], m[1, 0]) > 1e-9:
        x, z = np.arctan2(m[2, 1], m[2, 2]), np.arctan2(m[1, 0], m[0, 0])
    else:  # x and z turn about the same axis: all of it is given to x
        x, z = np.arctan2(-m[1, 2], m[1, 1]), 0.0
    return tuple(float(np.degrees(a)) for a in (x, y, z))  # type: ignore[return-value]


def placement_of(matrix: ArrayLike) -> Placement:
    """Translation, rotation and scale of a (4, 4) matrix; a shear is left out.

    The rotation is the nearest one (polar decomposition). A mirror shows as a negative scale along
    the axis, or along all three, that leaves the smallest turn.
    """
    m = np.asarray(matrix, np.float64)
    rotation, stretch = _parts(m[:3, :3])
    scale = tuple(float(v) for v in np.diag(stretch))
    return tuple(float(v) for v in m[:3, 3]), euler_degrees(rotation), scale


def _parts(linear: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation and stretch, (3, 3) each, whose product is `linear`."""
    u, s, vt = np.linalg.svd(linear)
    rotation = u @ vt
    stretch = vt.T @ np.diag(s) @ vt
    if np.linalg.det(rotation) < 0.0:
        mirror = max(_MIRRORS, key=lambda m: float(np.trace(rotation @ m)))
        rotation, stretch = rotation @ mirror, mirror @ stretch
    return rotation, stretch


def with_placement(matrix: ArrayLike, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
    """A (4, 4) matrix with another "translation", "rotation" or "scale"; what else it does stays.

    Parameters
    ----------
    matrix
        (4, 4).
    values
        Some of the three by name, as `placement_of` gives them.
    """
    m = np.array(matrix, np.float64)
    if "translation" in values:
        m[:3, 3] = values["translation"]
    if "rotation" not in values and "scale" not in values:
        return m
    rotation, stretch = _parts(m[:3, :3])
    if "scale" in values:
        wanted, present = np.asarray(values["scale"], np.float64), np.diag(stretch)
        if (present != 0.0).all():
            stretch = stretch @ np.diag(wanted / present)
        else:
            stretch = np.diag(wanted)
    if "rotation" in values:
        rotation = euler_matrix(values["rotation"])
    m[:3, :3] = rotation @ stretch
    return m


def matrix_of(translation: ArrayLike, rotation: ArrayLike, scale: ArrayLike) -> NDArray[np.float64]:
    """(4, 4) float64: scales, then turns, then moves."""
    matrix = np.eye(4)
    matrix[:3, :3] = euler_matrix(rotation) @ np.diag(np.asarray(scale, np.float64))
    matrix[:3, 3] = np.asarray(translation, np.float64)
    return matrix
