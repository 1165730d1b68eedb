"""Covariances of splats, and their decomposition into scales and a rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel, parallel_for, ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["covariances", "decompose", "rotation_of", "stretched"]


def covariances(quats: NDArray[np.float32], scales: NDArray[np.float32]) -> NDArray[np.float64]:
    """(N, 6) float64 upper triangles xx, xy, xz, yy, yz, zz of R S S R^T."""
    out = np.empty((len(quats), 6), np.float64)

    def task(_part: int, start: int, stop: int) -> None:
        _covariances(quats, scales, out, start, stop)

    if len(out):
        parallel_for(task, len(out), len(ranges(len(out), 32)))
    return out


def decompose(
    upper: NDArray[np.float64],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Unit quaternions (N, 4) and scales (N, 3), float32, of (N, 6) float64 covariances.

    Scales come in falling order.
    """
    quats = np.empty((len(upper), 4), np.float32)
    scales = np.empty((len(upper), 3), np.float32)

    def task(_part: int, start: int, stop: int) -> None:
        _decompose(upper, quats, scales, start, stop)

    if len(upper):
        parallel_for(task, len(upper), len(ranges(len(upper), 32)))
    return quats, scales


def stretched(
    linear: NDArray[np.float64], quats: NDArray[np.float32], scales: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Quaternions (N, 4) and scales (N, 3), float32, of A Sigma A^T with A (3, 3) `linear`.

    They come from the singular values of A R S, which keeps small scales exact.
    """
    new_quats = np.empty((len(quats), 4), np.float32)
    new_scales = np.empty((len(quats), 3), np.float32)
    matrix = np.ascontiguousarray(linear, np.float64)

    def task(_part: int, start: int, stop: int) -> None:
        _stretched(matrix, quats, scales, new_quats, new_scales, start, stop)

    if len(quats):
        parallel_for(task, len(quats), len(ranges(len(quats), 32)))
    return new_quats, new_scales


@kernel
def rotation_of(w: float, x: float, y: float, z: float, out: Any) -> None:
    """Rotation matrix of a quaternion, which need not be unit, into `out` (3, 3)."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    out[0, 0] = 1.0 - s * (y * y + z * z)
    out[0, 1] = s * (x * y - w * z)
    out[0, 2] = s * (x * z + w * y)
    out[1, 0] = s * (x * y + w * z)
    out[1, 1] = 1.0 - s * (x * x + z * z)
    out[1, 2] = s * (y * z - w * x)
    out[2, 0] = s * (x * z - w * y)
    out[2, 1] = s * (y * z + w * x)
    out[2, 2] = 1.0 - s * (x * x + y * y)


@kernel
def _left_singular(m: Any, values: Any) -> None:
    """Singular value decomposition of a 3x3 matrix by one-sided Jacobi, in place.

    Afterwards the columns of `m` are the left singular vectors, a proper rotation, and `values`
    the singular values in falling order. Columns of length zero are completed.
    """
    for _ in range(12):
        largest = 0.0
        for p in range(2):
            for q in range(p + 1, 3):
                alpha = m[0, p] * m[0, p] + m[1, p] * m[1, p] + m[2, p] * m[2, p]
                beta = m[0, q] * m[0, q] + m[1, q] * m[1, q] + m[2, q] * m[2, q]
                gamma = m[0, p] * m[0, q] + m[1, p] * m[1, q] + m[2, p] * m[2, q]
                size = np.sqrt(alpha * beta)
                if size == 0.0 or abs(gamma) <= 1e-15 * size:
                    continue
                largest = max(largest, abs(gamma) / size)
                zeta = (beta - alpha) / (2.0 * gamma)
                sign = 1.0 if zeta >= 0.0 else -1.0
                t = sign / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                c = 1.0 / np.sqrt(1.0 + t * t)
                s = c * t
                for row in range(3):
                    a, b = m[row, p], m[row, q]
                    m[row, p] = c * a - s * b
                    m[row, q] = s * a + c * b
        if largest < 1e-13:
            break
    for axis in range(3):
        values[axis] = np.sqrt(
            m[0, axis] * m[0, axis] + m[1, axis] * m[1, axis] + m[2, axis] * m[2, axis]
        )
    for p in range(2):  # selection sort, largest first
        best = p
        for q in range(p + 1, 3):
            if values[q] > values[best]:
                best = q
        if best != p:
            values[p], values[best] = values[best], values[p]
            for row in range(3):
                m[row, p], m[row, best] = m[row, best], m[row, p]
    if values[0] <= 0.0:
        for row in range(3):
            for axis in range(3):
                m[row, axis] = 1.0 if row == axis else 0.0
        return
    for row in range(3):
        m[row, 0] /= values[0]
    if values[1] > 1e-14 * values[0]:
        for row in range(3):
            m[row, 1] /= values[1]
    else:
        # Any direction across the first will do: start from the axis it has least of.
        least = 0
        for row in range(1, 3):
            if abs(m[row, 0]) < abs(m[least, 0]):
                least = row
        along = m[least, 0]
        length = np.sqrt(1.0 - along * along)
        for row in range(3):
            unit = 1.0 if row == least else 0.0
            m[row, 1] = (unit - along * m[row, 0]) / length
    m[0, 2] = m[1, 0] * m[2, 1] - m[2, 0] * m[1, 1]
    m[1, 2] = m[2, 0] * m[0, 1] - m[0, 0] * m[2, 1]
    m[2, 2] = m[0, 0] * m[1, 1] - m[1, 0] * m[0, 1]


@kernel
def _quaternion_of(m: Any, out: Any) -> None:
    """Unit quaternion w, x, y, z (w >= 0) of a rotation matrix, into `out` (4,)."""
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace > 0.0:
        s = np.sqrt(1.0 + trace) * 2.0
        w, x = 0.25 * s, (m[2, 1] - m[1, 2]) / s
        y, z = (m[0, 2] - m[2, 0]) / s, (m[1, 0] - m[0, 1]) / s
    elif m[0, 0] >= m[1, 1] and m[0, 0] >= m[2, 2]:
        s = np.sqrt(1.0 + m[0, 0] - m[1, 1] - m[2, 2]) * 2.0
        w, x = (m[2, 1] - m[1, 2]) / s, 0.25 * s
        y, z = (m[0, 1] + m[1, 0]) / s, (m[0, 2] + m[2, 0]) / s
    elif m[1, 1] >= m[2, 2]:
        s = np.sqrt(1.0 + m[1, 1] - m[0, 0] - m[2, 2]) * 2.0
        w, x = (m[0, 2] - m[2, 0]) / s, (m[0, 1] + m[1, 0]) / s
        y, z = 0.25 * s, (m[1, 2] + m[2, 1]) / s
    else:
        s = np.sqrt(1.0 + m[2, 2] - m[0, 0] - m[1, 1]) * 2.0
        w, x = (m[1, 0] - m[0, 1]) / s, (m[0, 2] + m[2, 0]) / s
        y, z = (m[1, 2] + m[2, 1]) / s, 0.25 * s
    length = np.sqrt(w * w + x * x + y * y + z * z)
    sign = -1.0 / length if w < 0.0 else 1.0 / length
    out[0], out[1], out[2], out[3] = w * sign, x * sign, y * sign, z * sign


@kernel
def _covariances(quats: Any, scales: Any, out: Any, start: int, stop: int) -> None:
    r = np.empty((3, 3), np.float64)
    for i in range(start, stop):
        rotation_of(
            np.float64(quats[i, 0]), np.float64(quats[i, 1]),
            np.float64(quats[i, 2]), np.float64(quats[i, 3]), r,
        )  # fmt: skip
        for axis in range(3):
            s = np.float64(scales[i, axis])
            for row in range(3):
                r[row, axis] *= s
        at = 0
        for row in range(3):
            for column in range(row, 3):
                out[i, at] = (
                    r[row, 0] * r[column, 0] + r[row, 1] * r[column, 1] + r[row, 2] * r[column, 2]
                )
                at += 1


@kernel
def _decompose(upper: Any, quats: Any, scales: Any, start: int, stop: int) -> None:
    m = np.empty((3, 3), np.float64)
    values = np.empty(3, np.float64)
    for i in range(start, stop):
        m[0, 0], m[0, 1], m[0, 2] = upper[i, 0], upper[i, 1], upper[i, 2]
        m[1, 0], m[1, 1], m[1, 2] = upper[i, 1], upper[i, 3], upper[i, 4]
        m[2, 0], m[2, 1], m[2, 2] = upper[i, 2], upper[i, 4], upper[i, 5]
        _left_singular(m, values)
        _quaternion_of(m, quats[i])
        for axis in range(3):
            scales[i, axis] = np.sqrt(values[axis])


@kernel
def _stretched(
    linear: Any, quats: Any, scales: Any, new_quats: Any, new_scales: Any, start: int, stop: int
) -> None:
    r = np.empty((3, 3), np.float64)
    m = np.empty((3, 3), np.float64)
    values = np.empty(3, np.float64)
    for i in range(start, stop):
        rotation_of(
            np.float64(quats[i, 0]), np.float64(quats[i, 1]),
            np.float64(quats[i, 2]), np.float64(quats[i, 3]), r,
        )  # fmt: skip
        for row in range(3):
            for axis in range(3):
                m[row, axis] = (
                    linear[row, 0] * r[0, axis]
                    + linear[row, 1] * r[1, axis]
                    + linear[row, 2] * r[2, axis]
                ) * np.float64(scales[i, axis])
        _left_singular(m, values)
        _quaternion_of(m, new_quats[i])
        for axis in range(3):
            new_scales[i, axis] = values[axis]
