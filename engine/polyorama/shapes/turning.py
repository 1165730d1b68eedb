"""Models opened once and then drawn from any side, as a hand turns them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Camera, look_at_matrix, unit_vector
from polyorama.scene.framing import horizon
from polyorama.scene.mesh import Mesh
from polyorama.scene.upright import estimate_up
from polyorama.shapes import views as looks
from polyorama.shapes.raster import draw_views, fitting_distance, prepare
from polyorama.shapes.splat_views import draw_cloud, main_subject

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud
    from polyorama.shapes.raster import Prepared

__all__ = ["Turnable", "ring"]

_TANGENT = float(np.tan(np.radians(looks.FOV) / 2) * looks.FILL)
_OUTLINE = 512
_AT_ONCE = 16


def ring(count: int) -> NDArray[np.float64]:
    """(F, 2) azimuth and elevation, degrees: once round, from where thumbnails are taken on."""
    azimuth, elevation = looks.directions(1)[0]
    return np.array([(azimuth + 360.0 * i / count, elevation) for i in range(count)])


class Turnable:
    """A mesh or a cloud laid out for drawing; `views` may be called from any thread.

    The eye keeps the distance from which the whole shape is seen all round at the height of its
    thumbnail, and steps back only where another height needs it: turning does not make it pulse.

    Parameters
    ----------
    content
        What is looked at; of a cloud, its subject alone, upright as far as that can be told.

    Raises
    ------
    FileFormatError
        If nothing of it can be seen.
    """

    def __init__(self, content: Mesh | SplatCloud) -> None:
        self._shape: Prepared | None = None
        self._cloud: SplatCloud | None = None
        if isinstance(content, Mesh):
            self._shape = prepare(content)
            points = self._shape.vertices[np.unique(self._shape.triangles)].astype(np.float64)
            self._center, self._up = self._shape.center, np.array([0.0, -1.0, 0.0])
        else:
            self._cloud = main_subject(content)
            points = self._cloud.means.astype(np.float64)
            self._center = (points.min(axis=0) + points.max(axis=0)) / 2
            self._up = unit_vector(estimate_up(self._cloud)[0])
        self._front, self._side = horizon(self._up)
        away = points - self._center if len(points) else np.zeros((1, 3))
        self._radius = max(float(np.sqrt((away**2).sum(axis=1).max())), 1e-12)
        self._outline = _outline(away / self._radius)
        self._least = max(self._fitting(a, e) for a, e in ring(24))

    def views(self, seen_from: NDArray[np.float64], size: int) -> NDArray[np.uint8]:
        """(F, size, size, 4) uint8 display RGB and coverage; RGB is not multiplied by it.

        Parameters
        ----------
        seen_from
            (F, 2) azimuth from the front and elevation, degrees; elevations within 89 of level.
        size
            Side of the pictures in pixels.
        """
        reach = max(self._least, *(self._fitting(a, e) for a, e in seen_from))
        if self._shape is not None:
            turns = np.stack([self._turn(a, e) for a, e in seen_from])
            return draw_views(
                self._shape, turns, size=size, fov=looks.FOV, fill=looks.FILL, distance=reach
            )
        assert self._cloud is not None
        eyes = [self._center + reach * self._radius * self._toward(a, e) for a, e in seen_from]
        cameras = [
            Camera.look_at(eye, self._center, up=self._up, fov=looks.FOV, size=(size, size))
            for eye in eyes
        ]
        return draw_cloud(self._cloud, cameras)

    def _toward(self, azimuth: float, elevation: float) -> NDArray[np.float64]:
        """(3,) from the middle of a cloud to the eye."""
        a, e = np.radians([azimuth, elevation])
        flat = np.cos(a) * self._front - np.sin(a) * self._side
        return np.asarray(np.cos(e) * flat + np.sin(e) * self._up)

    def _turn(self, azimuth: float, elevation: float) -> NDArray[np.float64]:
        if self._shape is not None:
            return looks.rotation(azimuth, elevation)
        toward = self._toward(azimuth, elevation)
        return np.asarray(look_at_matrix(toward, np.zeros(3), self._up)[:3, :3])

    def _fitting(self, azimuth: float, elevation: float) -> float:
        return fitting_distance(self._outline, self._turn(azimuth, elevation), _TANGENT)


def _outline(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """(K, 3) of (N, 3) points those farthest out in some direction, which alone bound a picture."""
    if len(points) <= _OUTLINE:
        return points
    # Directions spread evenly over the sphere along a spiral (Fibonacci).
    rank = np.arange(_OUTLINE) + 0.5
    z, turn = 1.0 - 2.0 * rank / _OUTLINE, np.pi * (1.0 + np.sqrt(5.0)) * rank
    flat = np.sqrt(1.0 - z**2)
    toward = np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)
    farthest = [
        (points @ toward[at : at + _AT_ONCE].T).argmax(axis=0)
        for at in range(0, _OUTLINE, _AT_ONCE)
    ]
    kept: NDArray[np.float64] = points[np.unique(np.concatenate(farthest))]
    return kept
