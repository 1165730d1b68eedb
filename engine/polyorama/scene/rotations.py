"""Quaternions w, x, y, z and rotation matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import unit_vector
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["multiply", "quaternions", "rotation_about", "rotation_matrices", "turn_between"]


def rotation_matrices(quats: ArrayLike) -> NDArray[np.float64]:
    """(..., 3, 3) float64 rotation matrices of quaternions w, x, y, z; they need not be unit."""
    q = np.asarray(quats, np.float64)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternions(matrices: ArrayLike) -> NDArray[np.float64]:
    """(..., 4) float64 unit quaternions w, x, y, z (w >= 0) of rotation matrices (..., 3, 3)."""
    m = np.asarray(matrices, np.float64)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    # The four squared components, times four; the largest gives the safest division.
    squares = np.stack(
        [
            1 + trace,
            1 + 2 * m[..., 0, 0] - trace,
            1 + 2 * m[..., 1, 1] - trace,
            1 + 2 * m[..., 2, 2] - trace,
        ],
        axis=-1,
    )
    wx, wy, wz = (
        m[..., 2, 1] - m[..., 1, 2],
        m[..., 0, 2] - m[..., 2, 0],
        m[..., 1, 0] - m[..., 0, 1],
    )
    xy, xz, yz = (
        m[..., 0, 1] + m[..., 1, 0],
        m[..., 0, 2] + m[..., 2, 0],
        m[..., 1, 2] + m[..., 2, 1],
    )
    candidates = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, xz], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, xz, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)
    q = np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.asarray(np.where(q[..., :1] < 0, -q, q))


def multiply(left: ArrayLike, right: ArrayLike) -> NDArray[np.float64]:
    """Hamilton product, (..., 4) float64, of quaternions w, x, y, z; shapes broadcast."""
    lw, lx, ly, lz = np.moveaxis(np.asarray(left, np.float64), -1, 0)
    rw, rx, ry, rz = np.moveaxis(np.asarray(right, np.float64), -1, 0)
    return np.stack(
        [
            lw * rw - lx * rx - ly * ry - lz * rz,
            lw * rx + lx * rw + ly * rz - lz * ry,
            lw * ry - lx * rz + ly * rw + lz * rx,
            lw * rz + lx * ry - ly * rx + lz * rw,
        ],
        axis=-1,
    )


def rotation_about(axis: ArrayLike, angle: float) -> NDArray[np.float64]:
    """(3, 3) float64 rotation about `axis` (3,) by `angle` in radians.

    Seen from the axis' tip it turns counter-clockwise.

    Raises
    ------
    UsageError
        If the axis is zero or not finite.
    """
    return _rodrigues(_direction(axis), float(np.sin(angle)), float(np.cos(angle)))


def turn_between(start: ArrayLike, end: ArrayLike) -> NDArray[np.float64]:
    """(3, 3) float64 shortest rotation that takes the direction `start` (3,) to `end` (3,).

    Raises
    ------
    UsageError
        If a direction is zero or not finite.
    """
    a, b = _direction(start), _direction(end)
    axis = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(axis)), float(a @ b)
    if sine > 1e-9:
        return _rodrigues(axis / sine, sine, cosine)
    if cosine > 0.0:
        return np.eye(3)
    # Opposite: half a turn about an axis across, the x axis where that is possible.
    across = np.eye(3)[0 if abs(a[0]) < 0.9 else 1]
    across = across - (across @ a) * a
    return _rodrigues(across / np.linalg.norm(across), 0.0, -1.0)


def _rodrigues(axis: NDArray[np.float64], sine: float, cosine: float) -> NDArray[np.float64]:
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross))


def _direction(vector: ArrayLike) -> NDArray[np.float64]:
    direction = np.asarray(vector, np.float64)
    if direction.shape != (3,) or not np.isfinite(direction).all():
        raise UsageError("A direction is three finite numbers x,y,z.")
    if not direction.any():
        raise UsageError("A direction cannot be 0, 0, 0.")
    return unit_vector(direction)
