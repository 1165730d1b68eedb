"""Splat clouds seen from all round, drawn by the same rasterizer as the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Camera, look_at_matrix, unit_vector
from polyorama.errors import FileFormatError
from polyorama.render.cpu.rasterizer import CpuRasterizer
from polyorama.render.state import Gaussians, RenderState
from polyorama.scene.framing import horizon
from polyorama.scene.subject import can_be_drawn, subject_rows
from polyorama.scene.upright import estimate_up
from polyorama.shapes.raster import fitting_distance
from polyorama.shapes.views import FILL, FOV, directions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["cloud_cameras", "cloud_views", "draw_cloud", "main_subject"]

_MOST_SPLATS = 200_000
"""More than this are a coarse prefix in views this small."""


def cloud_views(cloud: SplatCloud, count: int = 12, size: int = 224) -> NDArray[np.uint8]:
    """(F, size, size, 4) uint8 views, display RGB and coverage, as `mesh_views` gives of meshes.

    Which way is up is estimated where the file does not say. Floaters and what lies far off do not
    count for the frame, and are not drawn.

    Raises
    ------
    FileFormatError
        If nothing of it can be seen.
    """
    subject = main_subject(cloud)
    up = estimate_up(subject)[0]
    return draw_cloud(subject, cloud_cameras(subject, up, directions(count), size))


def main_subject(cloud: SplatCloud) -> SplatCloud:
    """What of a cloud is its subject, thinned to its most important splats.

    Raises
    ------
    FileFormatError
        If nothing of it can be seen.
    """
    if not len(cloud) or not can_be_drawn(cloud):
        raise FileFormatError("Nothing of this can be seen: all splats are empty or transparent.")
    subject = cloud.subset(subject_rows(cloud))
    if len(subject) > _MOST_SPLATS:
        subject = subject.subset(np.sort(subject.importance_order()[:_MOST_SPLATS]))
    return subject


def cloud_cameras(
    cloud: SplatCloud, up: NDArray[np.float64], seen_from: NDArray[np.float64], size: int
) -> list[Camera]:
    """Cameras at one distance, from which the subject stays within the frame in each.

    Parameters
    ----------
    cloud
        What is seen.
    up
        (3,) direction that is up in the pictures.
    seen_from
        (F, 2) azimuth from the front and elevation, degrees.
    size
        Side of the square pictures in pixels.
    """
    upward = unit_vector(up)
    front, side = horizon(upward)
    means = cloud.means.astype(np.float64)
    target = (means.min(axis=0) + means.max(axis=0)) / 2
    radius = max(float(np.sqrt(((means - target) ** 2).sum(axis=1).max())), 1e-12)
    points = (means - target) / radius
    tangent = np.tan(np.radians(FOV) / 2) * FILL
    a, e = np.radians(seen_from).T[:, :, None]
    toward = np.cos(e) * (np.cos(a) * front - np.sin(a) * side) + np.sin(e) * upward
    turns = [look_at_matrix(eye, np.zeros(3), upward)[:3, :3] for eye in toward]
    distance = radius * max(fitting_distance(points, turn, tangent) for turn in turns)
    return [
        Camera.look_at(target + eye * distance, target, up=upward, fov=FOV, size=(size, size))
        for eye in toward
    ]


def draw_cloud(cloud: SplatCloud, cameras: list[Camera]) -> NDArray[np.uint8]:
    """(F, H, W, 4) uint8 display RGB and coverage; RGB is not multiplied by it."""
    rasterizer = CpuRasterizer()
    gaussians = Gaussians(cloud)
    views = []
    for camera in cameras:
        frame = rasterizer.render(RenderState(gaussians, camera, None), ("rgba8",))
        assert frame.rgba8 is not None
        cover = frame.rgba8[..., 3:].astype(np.float32)
        color = frame.rgba8[..., :3] * (255.0 / np.maximum(cover, 1.0))
        views.append(np.concatenate([np.minimum(color, 255.0), cover], axis=-1).astype(np.uint8))
    return np.stack(views)
