"""Which way is up in a capture whose file does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.rotations import rotation_matrices
from polyorama.scene.subject import subject_rows, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["estimate_up"]

_PRIOR = {
    (1, -1): 0.62,  # 3DGS training keeps the y-down axes of its cameras
    (2, 1): 0.16,  # synthetic scenes out of modelling programs
    (1, 1): 0.13,  # files that were turned for a viewer
    (2, -1): 0.03,
    (0, 1): 0.03,
    (0, -1): 0.03,
}
"""(axis, sign) of the up direction to its share among captures."""

_GRID = 24
_SYMMETRY_WEIGHT = 3.0
_MASS_WEIGHT = 5.0
_SUPPORT_WEIGHT = 0.35
_LIGHT_WEIGHT = 1.2
_FLAT_WEIGHT = 1.0
_LARGEST_TILT = np.radians(20.0)


def estimate_up(cloud: SplatCloud) -> tuple[NDArray[np.float64], float]:
    """Guess the up direction.

    A cloud that knows its `up` keeps it, with confidence 1. Otherwise the six axis directions are
    weighed: how common each is among files; whether the subject would be left-right symmetric
    (up is not the mirrored axis); where its mass lies; whether it would stand on a broad, flat
    base; whether light comes from there; whether it would lie flat. If a large plane (a floor, a
    table) is then found nearly level, up becomes that plane's normal, which corrects tilted
    captures.

    Returns
    -------
    (3,) float64 unit vector, and a confidence from 1/6 (a pure guess) to 1.
    """
    if cloud.up is not None:
        given = np.asarray(cloud.up, np.float64)
        return given / np.linalg.norm(given), 1.0
    rows = subject_rows(cloud)
    scores = {key: float(np.log(share)) for key, share in _PRIOR.items()}
    if len(rows) >= 50:
        for key, evidence in _evidence(cloud, rows).items():
            scores[key] += evidence
    keys = list(scores)
    values = np.array([scores[key] for key in keys])
    odds = np.exp(values - values.max())
    best = int(np.argmax(values))
    axis, sign = keys[best]
    up = np.zeros(3)
    up[axis] = sign
    if len(rows) >= 2000:
        up = _level(cloud, rows, up)
    return up, float(odds[best] / odds.sum())


def _evidence(cloud: SplatCloud, rows: NDArray[np.int64]) -> dict[tuple[int, int], float]:
    points = cloud.means[rows].astype(np.float64)
    weights = cloud.opacities[rows].astype(np.float64) + 1e-6
    ends = np.array([weighted_quantile(points[:, a], weights, [0.005, 0.995]) for a in range(3)])
    low, extent = ends[:, 0], np.maximum(ends[:, 1] - ends[:, 0], 1e-12)
    height = np.clip((points - low) / extent, 0.0, 1.0)
    symmetry = _symmetry(points, weights, low, extent)
    luminance = cloud.colors[rows].astype(np.float64).mean(axis=1)
    scores: dict[tuple[int, int], float] = {}
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        mirrored = np.clip(symmetry[others].max() - symmetry[axis], -0.8, 0.8)
        flat = extent[axis] / extent[others].min()
        level = _SYMMETRY_WEIGHT * mirrored + _FLAT_WEIGHT * max(0.0, 1.0 - 2.0 * flat)
        middle = float(np.average(height[:, axis], weights=weights))
        lit = _correlation(luminance, height[:, axis])
        ground, ceiling = (
            _support(points[:, others], weights, height[:, axis], extent[others], at)
            for at in (0.0, 1.0)
        )
        support = float(np.clip(np.log((ground + 0.02) / (ceiling + 0.02)), -2.0, 2.0))
        upward = _MASS_WEIGHT * (0.5 - middle) + _LIGHT_WEIGHT * lit + _SUPPORT_WEIGHT * support
        scores[axis, 1] = level + upward
        scores[axis, -1] = level - upward
    return scores


def _symmetry(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    low: NDArray[np.float64],
    extent: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How well the subject's occupancy agrees with its mirror image along each axis, (3,) 0..1."""
    unit = (points - (low + 0.5 * extent)) / extent.max() + 0.5
    box = [(0.0, 1.0)] * 3
    filled, _ = np.histogramdd(unit, bins=(_GRID,) * 3, range=box, weights=weights)
    occupied = filled[filled > 0.0]
    if len(occupied) == 0:
        return np.zeros(3)
    filled = np.sqrt(np.minimum(filled, np.quantile(occupied, 0.9)))
    for axis in range(3):
        padded = np.pad(filled, [(1, 1) if a == axis else (0, 0) for a in range(3)])
        before, after = (np.take(padded, np.arange(_GRID) + k, axis=axis) for k in (0, 2))
        filled = (before + 2.0 * filled + after) / 4.0
    mirrored = [np.flip(filled, axis) for axis in range(3)]
    return np.array([np.minimum(filled, m).sum() / np.maximum(filled, m).sum() for m in mirrored])


def _support(
    across: NDArray[np.float64],
    weights: NDArray[np.float64],
    height: NDArray[np.float64],
    extent: NDArray[np.float64],
    at: float,
) -> float:
    """Share of the mass that lies in the end slab (at 0 or 1), times the slab's spread, 0..1."""
    slab = np.abs(height - at) <= 0.04
    if not slab.any():
        return 0.0
    share = float(weights[slab].sum() / weights.sum())
    spread = across[slab].std(axis=0) / (0.29 * extent)
    return share * float(np.clip(spread, 0.0, 1.5).prod())


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    da, db = a - a.mean(), b - b.mean()
    size = float(np.sqrt((da * da).sum() * (db * db).sum()))
    return float((da * db).sum() / size) if size > 1e-9 else 0.0


def _level(
    cloud: SplatCloud, rows: NDArray[np.int64], up: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn `up` to the normal of a large plane below the subject, where there is a clear one."""
    scales = cloud.scales[rows]
    order = np.sort(scales, axis=1)
    squared = (cloud.quats[rows].astype(np.float64) ** 2).sum(axis=1)
    flat = (order[:, 0] < 0.5 * order[:, 1]) & np.isfinite(squared) & (squared > 0.0)
    if flat.sum() < 500:
        return up
    rows, scales, order = rows[flat], scales[flat], order[flat]
    axes = rotation_matrices(cloud.quats[rows])
    normals = np.take_along_axis(axes, scales.argmin(axis=1)[:, None, None], axis=2)[:, :, 0]
    normals *= np.where(normals @ up < 0.0, -1.0, 1.0)[:, None]
    area = (order[:, 1] * order[:, 2]).astype(np.float64)
    weights = cloud.opacities[rows] * np.minimum(area, np.quantile(area, 0.95))
    total = weights.sum()
    tilted = normals @ up > np.cos(_LARGEST_TILT)
    if total <= 0.0 or weights[tilted].sum() < 0.1 * total:
        return up
    # Mean shift on the sphere towards the densest bundle of normals near `up`.
    normal = up
    for angle in np.radians([20.0, 12.0, 8.0, 8.0, 5.0, 5.0]):
        bundle = normals @ normal > np.cos(angle)
        mean = (normals[bundle] * weights[bundle, None]).sum(axis=0)
        length = np.linalg.norm(mean)
        if length == 0.0:
            return up
        normal = mean / length
    if normal @ up < np.cos(_LARGEST_TILT):
        return up
    # They must also lie in one thin slab in the lower half, or it is no floor: a slope, a lid.
    heights = cloud.means[rows].astype(np.float64) @ normal
    lowest, highest = weighted_quantile(heights, weights + 1e-12, [0.005, 0.995])
    bundle = normals @ normal > np.cos(np.radians(8.0))
    counts, _ = np.histogram(
        heights[bundle], bins=60, range=(lowest, highest), weights=weights[bundle]
    )
    slabs = counts[:-1] + counts[1:]
    densest = int(slabs.argmax())
    return normal if slabs[densest] > 0.2 * total and densest < 30 else up
