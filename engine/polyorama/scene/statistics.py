"""Robust numbers about point sets and clouds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "PERCENTILES",
    "ColumnStatistics",
    "axis_quantiles",
    "column_statistics",
    "overdraw",
    "robust_bounds",
]

PERCENTILES = (0.0, 1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 100.0)
"""The percentiles of a `ColumnStatistics`."""

_OVERDRAW_SAMPLE = 200_000


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What is known about one column.

    Parameters
    ----------
    name
        Its name; a vector's components are "scale.x" and so on.
    count
        How many finite values it has; the others are counted in `not_finite`.
    not_finite
        How many values are NaN or infinite.
    mean, deviation
        Of the finite values; NaN if there are none.
    percentiles
        At `PERCENTILES`; NaN if there are none.
    """

    name: str
    count: int
    not_finite: int
    mean: float
    deviation: float
    percentiles: tuple[float, ...]


def robust_bounds(points: NDArray[np.float32], outliers: float = 0.01) -> Bounds:
    """Box of (N, 3) points between two quantiles of each axis; rows with NaN or Inf do not count.

    The quantile box is widened by the share of a uniform distribution that it cut away, but never
    beyond the true extremes. An empty set gives the box [-1, 1]^3.
    """
    finite = points[np.isfinite(points).all(axis=1)]
    if len(finite) == 0:
        return Bounds(np.full(3, -1.0), np.full(3, 1.0))
    low, high = axis_quantiles(finite, [outliers, 1.0 - outliers])
    margin = (high - low) * (outliers / (1.0 - 2.0 * outliers))
    return Bounds(
        np.maximum(low - margin, finite.min(axis=0)), np.minimum(high + margin, finite.max(axis=0))
    )


def axis_quantiles(points: NDArray[np.float32], at: list[float]) -> NDArray[np.float64]:
    """(len(at), 3) float64 quantiles of each axis of (N, 3) finite points; N >= 1.

    Differences of the largest numbers would overflow in float32.
    """
    axes = [np.quantile(points[:, axis].astype(np.float64), at) for axis in range(3)]
    return np.stack(axes, axis=1)


@np.errstate(all="ignore")  # sums over a file's own float64 columns may overflow
def column_statistics(cloud: SplatCloud) -> list[ColumnStatistics]:
    """Statistics of every property of `polyorama.scene.properties` and every extra column.

    Hue is left out, since an angle has no percentiles.
    """
    from polyorama.scene.properties import PROPERTIES

    found: list[ColumnStatistics] = []
    for entry in PROPERTIES.values():
        if entry.name in ("position", "color", "hue"):  # said again by x, y, z, r, g, b
            continue
        values = entry.compute(cloud)
        if entry.components:
            for at, part in enumerate(entry.components):
                found.append(_describe(f"{entry.name}.{part}", values[:, at]))
        else:
            found.append(_describe(entry.name, values))
    found += [
        _describe(name, column)
        for name, column in cloud.extras.items()
        if column.dtype.kind in "fiub"
    ]
    return found


def _describe(name: str, values: NDArray[np.generic]) -> ColumnStatistics:
    numbers = np.asarray(values, np.float64)
    finite = numbers[np.isfinite(numbers)]
    lacking = len(numbers) - len(finite)
    if len(finite) == 0:
        return ColumnStatistics(
            name, 0, lacking, np.nan, np.nan, (float("nan"),) * len(PERCENTILES)
        )
    at = np.percentile(finite, PERCENTILES)
    return ColumnStatistics(
        name, len(finite), lacking, float(finite.mean()), float(finite.std()),
        tuple(float(value) for value in at),
    )  # fmt: skip


@np.errstate(all="ignore")  # what overflows is cut to the whole picture, or is not seen
def overdraw(cloud: SplatCloud, camera: Camera | None = None) -> float:
    """Estimate how many splats cover a pixel: their projected areas over the picture's pixels.

    A splat's area is that of the ellipse in which its alpha is at least 1/255, cut to at most the
    whole picture. Without a camera, the subject is framed at 1280x720. Large clouds are sampled.
    """
    if camera is None:
        from polyorama.scene.framing import frame_subject
        from polyorama.scene.upright import estimate_up

        camera = frame_subject(cloud, estimate_up(cloud)[0])
    step = -(-len(cloud) // _OVERDRAW_SAMPLE) if len(cloud) else 1
    picked = slice(None, None, step)
    rotation = camera.viewmat[:3, :3]
    finite = np.isfinite(cloud.means[picked]).all(axis=1)
    finite &= np.isfinite(cloud.scales[picked]).all(axis=1)
    finite &= cloud.opacities[picked] > 1.0 / 255.0
    finite &= cloud.quats[picked].any(axis=1) & np.isfinite(cloud.quats[picked]).all(axis=1)
    means = cloud.means[picked][finite].astype(np.float64) @ rotation.T + camera.viewmat[:3, 3]
    in_front = means[:, 2] > camera.near
    means = means[in_front]
    if len(means) == 0:
        return 0.0

    from polyorama.scene.rotations import rotation_matrices

    axes = rotation_matrices(cloud.quats[picked][finite][in_front])
    axes = rotation @ axes * cloud.scales[picked][finite][in_front][:, None, :]
    pinhole = camera.kind == "pinhole"
    x, y, z = means.T
    depth = z if pinhole else np.ones(len(z))
    jacobian = np.zeros((len(means), 2, 3))
    jacobian[:, 0, 0] = camera.fx / depth
    jacobian[:, 1, 1] = camera.fy / depth
    if pinhole:
        slant_x = _followed(x / z, camera.fx, camera.cx, camera.width)
        slant_y = _followed(y / z, camera.fy, camera.cy, camera.height)
        jacobian[:, 0, 2] = -camera.fx * slant_x / z
        jacobian[:, 1, 2] = -camera.fy * slant_y / z
    half = jacobian @ axes
    flat = half @ half.transpose(0, 2, 1)
    xx, yy, xy = flat[:, 0, 0] + 0.3, flat[:, 1, 1] + 0.3, flat[:, 0, 1]
    opacity = cloud.opacities[picked][finite][in_front].astype(np.float64)
    reach = 2.0 * np.log(255.0 * opacity)
    area = np.pi * reach * np.sqrt(np.maximum(xx * yy - xy * xy, 0.0))
    u, v = camera.fx * x / depth + camera.cx, camera.fy * y / depth + camera.cy
    wide, tall = np.sqrt(reach * xx), np.sqrt(reach * yy)
    seen = (u + wide > 0) & (u - wide < camera.width) & (v + tall > 0) & (v - tall < camera.height)
    pixels = camera.width * camera.height
    return float(np.minimum(area[seen], pixels).sum() * step / pixels)


def _followed(
    slant: NDArray[np.float64], focal: float, center: float, side: int
) -> NDArray[np.float64]:
    """Slants x/z or y/z; as renderers do, they are followed 0.3 half pictures beyond its edges."""
    margin = 0.3 * 0.5 * side / focal
    return np.clip(slant, -center / focal - margin, (side - center) / focal + margin)
