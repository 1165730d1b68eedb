"""Robust numbers about point sets and clouds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["robust_bounds"]


def robust_bounds(points: NDArray[np.float32], outliers: float = 0.01) -> Bounds:
    """Box of (N, 3) points between two quantiles of each axis; rows with NaN or Inf do not count.

    The quantile box is widened by the share of a uniform distribution that it cut away, but never
    beyond the true extremes. An empty set gives the box [-1, 1]^3.
    """
    finite = points[np.isfinite(points).all(axis=1)]
    if len(finite) == 0:
        return Bounds(np.full(3, -1.0), np.full(3, 1.0))
    low, high = np.quantile(finite, [outliers, 1.0 - outliers], axis=0).astype(np.float64)
    margin = (high - low) * (outliers / (1.0 - 2.0 * outliers))
    return Bounds(
        np.maximum(low - margin, finite.min(axis=0)), np.minimum(high + margin, finite.max(axis=0))
    )
