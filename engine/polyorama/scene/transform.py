"""Affine maps of splat clouds: means, covariances and harmonics move together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import count_of
from polyorama.errors import UsageError
from polyorama.scene import sh as harmonics
from polyorama.scene.rotations import multiply, quaternions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["affine_matrix", "transform_cloud"]

_IDENTITY_TOLERANCE = 1e-12
_SIMILARITY_TOLERANCE = 1e-6


def affine_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Check and complete an affine map: (4, 4) float64.

    Raises
    ------
    UsageError
        If it is not (4, 4) or (3, 4), finite, affine and invertible.
    """
    try:
        m = np.asarray(matrix, np.float64)
    except (TypeError, ValueError):
        raise UsageError("A transform must be a finite 4x4 or 3x4 matrix.") from None
    if m.shape == (3, 4):
        m = np.vstack([m, [0.0, 0.0, 0.0, 1.0]])
    if m.shape != (4, 4) or not np.isfinite(m).all():
        raise UsageError("A transform must be a finite 4x4 or 3x4 matrix.")
    if not np.array_equal(m[3], [0.0, 0.0, 0.0, 1.0]):
        raise UsageError("A transform's last row must be 0 0 0 1; projections cannot move splats.")
    singular = np.linalg.svd(m[:3, :3], compute_uv=False)
    if singular[2] <= 1e-12 * singular[0] or singular[0] == 0.0:
        raise UsageError("A transform that flattens space cannot be applied to splats.")
    return m


def transform_cloud(cloud: SplatCloud, matrix: ArrayLike) -> SplatCloud:
    """Apply an affine map; see `SplatCloud.transformed`.

    Raises
    ------
    UsageError
        As `affine_matrix`, or if finite splats would leave the range of float32.
    """
    m = affine_matrix(matrix)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        moved = _transformed(cloud, m)
    _check_range(cloud, moved)
    return moved


@np.errstate(invalid="ignore")  # NaN may be such that looking at it is reported
def _check_range(before: SplatCloud, after: SplatCloud) -> None:
    """Refuse a result that lost what was a number: to infinity, or a size to nothing."""
    rows = np.isfinite(before.means).all(axis=1) & np.isfinite(before.scales).all(axis=1)
    lost = ~(np.isfinite(after.means).all(axis=1) & np.isfinite(after.scales).all(axis=1))
    lost |= before.scales.any(axis=1) & ~after.scales.any(axis=1)
    count = int((rows & lost).sum())
    if count:
        raise UsageError(
            f"This transform takes {count_of(count, 'splat')} out of the range of 32-bit numbers; "
            "choose smaller steps and factors nearer 1."
        )


def _transformed(cloud: SplatCloud, m: NDArray[np.float64]) -> SplatCloud:
    linear = m[:3, :3]
    if np.abs(m - np.eye(4)).max() <= _IDENTITY_TOLERANCE:
        return cloud
    means = (cloud.means.astype(np.float64) @ linear.T + m[:3, 3]).astype(np.float32)
    up = None if cloud.up is None else _turned_direction(linear, cloud.up)
    if np.abs(linear - np.eye(3)).max() <= _IDENTITY_TOLERANCE:
        return replace(cloud, means=means, up=up)
    # Polar decomposition: linear = orthogonal @ stretch.
    u, s, vt = np.linalg.svd(linear)
    orthogonal = u @ vt
    turned_sh = harmonics.rotate(cloud.sh, orthogonal)
    if s[0] - s[2] <= _SIMILARITY_TOLERANCE * s[0]:
        # A Gaussian is symmetric about its centre, so a reflection may be replaced by -reflection.
        proper = orthogonal if np.linalg.det(orthogonal) > 0 else -orthogonal
        turned = multiply(quaternions(proper), cloud.quats.astype(np.float64))
        quats = turned.astype(np.float32)
        scales = (cloud.scales * np.float32(s.mean())).astype(np.float32)
    else:
        # Only here, since it brings in the compiler, which moving and turning do not need.
        from polyorama.scene.covariance import stretched

        quats, scales = stretched(linear, cloud.quats, cloud.scales)
    return replace(cloud, means=means, quats=quats, scales=scales, sh=turned_sh, up=up)


def _turned_direction(
    linear: NDArray[np.float64], up: tuple[float, float, float]
) -> tuple[float, float, float]:
    turned = linear @ np.asarray(up)
    x, y, z = turned / np.linalg.norm(turned)
    return (float(x), float(y), float(z))
