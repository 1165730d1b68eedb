"""Normals of splats: the shortest axis of each, turned toward the eye."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.rotations import rotation_matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.state import Gaussians

__all__ = ["blended_normals", "facing_normals"]

_CHUNK = 1 << 18


def facing_normals(gaussians: Gaussians, camera: Camera) -> NDArray[np.float32]:
    """(N, 3) float32 unit world directions: each splat's shortest axis, toward the camera."""
    axes = gaussians.cache.get("shortest axes")
    if axes is None:
        axes = gaussians.cache["shortest axes"] = _shortest_axes(gaussians)
    if camera.kind == "pinhole":
        toward = camera.position.astype(np.float32) - gaussians.cloud.means
        along = np.einsum("ij,ij->i", axes, toward)
    else:
        along = axes @ -camera.forward.astype(np.float32)
    return np.where((along < 0.0)[:, None], -axes, axes)


def _shortest_axes(gaussians: Gaussians) -> NDArray[np.float32]:
    cloud = gaussians.cloud
    axes = np.zeros((len(cloud), 3), np.float32)
    for start in range(0, len(cloud), _CHUNK):
        rows = slice(start, start + _CHUNK)
        turns = rotation_matrices(cloud.quats[rows])
        shortest = np.argmin(cloud.scales[rows], axis=1)
        axes[rows] = np.take_along_axis(turns, shortest[:, None, None], axis=2)[..., 0]
    return np.nan_to_num(axes, copy=False)


def blended_normals(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit directions of blended ones, (H, W, 3) float32; 0 where there is nothing."""
    length = np.linalg.norm(features, axis=-1, keepdims=True)
    return np.asarray(features / np.where(length > 1e-6, length, np.inf), np.float32)
