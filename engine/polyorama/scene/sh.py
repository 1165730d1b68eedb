"""Real spherical harmonics in the basis of 3D Gaussian splatting, and their rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["SH_C0", "band_rotations", "basis", "rotate"]

SH_C0 = 0.28209479177387814
"""Value of the constant spherical harmonic; base colour = 0.5 + SH_C0 * DC coefficient."""


def basis(directions: ArrayLike, degree: int) -> NDArray[np.float64]:
    """Values of the (degree + 1)^2 basis functions.

    Parameters
    ----------
    directions
        (..., 3) unit vectors.
    degree
        0 to 3.

    Returns
    -------
    (..., (degree + 1)^2) float64, in the order and with the signs of 3DGS files.
    """
    d = np.asarray(directions, np.float64)
    x, y, z = np.moveaxis(d, -1, 0)
    xx, yy, zz = x * x, y * y, z * z
    values = [np.full_like(x, SH_C0)]
    if degree >= 1:
        c = 0.4886025119029199
        values += [-c * y, c * z, -c * x]
    if degree >= 2:
        c = 1.0925484305920792
        values += [
            c * x * y,
            -c * y * z,
            0.31539156525252005 * (2 * zz - xx - yy),
            -c * x * z,
            0.5462742152960396 * (xx - yy),
        ]
    if degree >= 3:
        values += [
            -0.5900435899266435 * y * (3 * xx - yy),
            2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * zz - xx - yy),
            0.3731763325901154 * z * (2 * zz - 3 * xx - 3 * yy),
            -0.4570457994644658 * x * (4 * zz - xx - yy),
            1.445305721320277 * z * (xx - yy),
            -0.5900435899266435 * x * (xx - 3 * yy),
        ]
    return np.stack(values, axis=-1)


def band_rotations(rotation: ArrayLike, degree: int) -> list[NDArray[np.float64]]:
    """Matrices D_l, (2l + 1, 2l + 1) float64, l = 1..degree, that rotate SH coefficients.

    If f(d) = sum_k c_k Y_k(d), then the turned function f(R^T d) has the coefficients D_l c of
    each band. `rotation` is any orthogonal (3, 3) matrix; reflections are allowed.

    The matrices are found by evaluating each band at well-spread directions before and after the
    turn and solving the linear system, which is exact to rounding: a band is closed under
    rotation (the Wigner D-matrices).
    """
    r = np.asarray(rotation, np.float64)
    # A Fibonacci spiral: enough directions, none degenerate for any band up to 3.
    i = np.arange(64) + 0.5
    z = 1.0 - 2.0 * i / 64.0
    phi = i * (np.pi * (3.0 - np.sqrt(5.0)))
    ring = np.sqrt(1.0 - z * z)
    directions = np.stack([ring * np.cos(phi), ring * np.sin(phi), z], axis=1)
    before = basis(directions, degree)
    after = basis(directions @ r, degree)  # row-wise R^T d
    matrices: list[NDArray[np.float64]] = []
    for band in range(1, degree + 1):
        block = slice(band * band, (band + 1) ** 2)
        solution = np.linalg.lstsq(before[:, block], after[:, block], rcond=None)[0]
        matrices.append(np.asarray(solution, np.float64))
    return matrices


def rotate(sh: ArrayLike, rotation: ArrayLike) -> NDArray[np.float32]:
    """Coefficients (N, K, 3) float32 of the same lobes turned by an orthogonal (3, 3) matrix."""
    coefficients = np.asarray(sh, np.float32)
    degree = round(np.sqrt(coefficients.shape[1])) - 1
    if degree == 0:
        return coefficients
    turned = coefficients.copy()
    for band, matrix in enumerate(band_rotations(rotation, degree), start=1):
        block = slice(band * band, (band + 1) ** 2)
        turned[:, block] = np.einsum(
            "jk,nkc->njc", matrix.astype(np.float32), coefficients[:, block], optimize=True
        )
    return turned
