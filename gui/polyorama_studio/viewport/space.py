"""Between the world and a view's pixels: projection, rays, lines that are cut behind the eye."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Camera

__all__ = ["Space", "length_along", "meet_plane"]

_FARTHEST = 1e5
"""Lines end so many pixels outside the picture: painting goes no farther."""


class Space:
    """A view of the world in logical pixels.

    Parameters
    ----------
    camera
        Of a picture as large as the widget, in logical pixels.
    """

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.width, self.height = camera.width, camera.height
        self.parallel = camera.kind == "orthographic"
        self._rotation = camera.viewmat[:3, :3]
        self._offset = camera.viewmat[:3, 3]
        self.eye = camera.position
        self.forward = camera.forward
        self.right, self.down = camera.viewmat[0, :3], camera.viewmat[1, :3]

    def _in_camera(self, points: ArrayLike) -> NDArray[np.float64]:
        return np.asarray(points, np.float64).reshape(-1, 3) @ self._rotation.T + self._offset

    def project(self, points: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pixel positions (N, 2) and depths (N,) of world points (N, 3).

        Points behind the eye have NaN positions.
        """
        seen = self._in_camera(points)
        depth = seen[:, 2]
        if self.parallel:
            scale = np.ones_like(depth)
        else:
            scale = np.where(depth > 1e-9, 1.0 / np.maximum(depth, 1e-9), np.nan)
        camera = self.camera
        xy = np.stack(
            [
                camera.fx * seen[:, 0] * scale + camera.cx,
                camera.fy * seen[:, 1] * scale + camera.cy,
            ],
            axis=1,
        )
        return xy, depth

    def point(self, point: ArrayLike) -> QPointF | None:
        """Where a world point (3,) is seen, or None behind the eye."""
        xy, depth = self.project(point)
        if not np.isfinite(xy).all() or (not self.parallel and depth[0] <= 0.0):
            return None
        x, y = np.clip(xy[0], -_FARTHEST, _FARTHEST)
        return QPointF(float(x), float(y))

    def polylines(self, points: ArrayLike) -> list[QPolygonF]:
        """A line through world points (N, 3) as what is seen of it: it is cut behind the eye."""
        seen = self._in_camera(points)
        near = -np.inf if self.parallel else max(self.camera.near, 1e-9)
        runs: list[list[NDArray[np.float64]]] = [[]]
        for i, here in enumerate(seen):
            inside = here[2] >= near
            if i:
                before = seen[i - 1]
                if inside != (before[2] >= near):
                    share = (near - before[2]) / (here[2] - before[2])
                    runs[-1].append(before + share * (here - before))
                    if not inside:
                        runs.append([])
            if inside:
                runs[-1].append(here)
        return [self._polygon(np.array(run)) for run in runs if len(run) > 1]

    def _polygon(self, seen: NDArray[np.float64]) -> QPolygonF:
        scale = 1.0 if self.parallel else 1.0 / np.maximum(seen[:, 2:], 1e-12)
        xy = seen[:, :2] * scale * (self.camera.fx, self.camera.fy)
        middle = np.array([self.camera.cx, self.camera.cy])
        xy = np.clip(xy + middle, -_FARTHEST, _FARTHEST)
        return QPolygonF([QPointF(x, y) for x, y in xy.tolist()])

    def ray(self, x: float, y: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Origin and unit direction, (3,) each, of what is seen at a pixel position."""
        camera = self.camera
        a, b = (x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy
        if self.parallel:
            return self.eye + a * self.right + b * self.down, self.forward
        direction = a * self.right + b * self.down + self.forward
        return self.eye, direction / np.linalg.norm(direction)

    def at_depth(self, x: float, y: float, depth: float) -> NDArray[np.float64]:
        """The world point (3,) at a pixel position and a depth along the view."""
        camera = self.camera
        scale = 1.0 if self.parallel else depth
        a, b = (x - camera.cx) / camera.fx * scale, (y - camera.cy) / camera.fy * scale
        return np.asarray(self.eye + a * self.right + b * self.down + depth * self.forward)

    def depth_of(self, point: ArrayLike) -> float:
        """Depth of a world point along the view."""
        return float(self._in_camera(point)[0, 2])

    def unit_at(self, point: ArrayLike) -> float:
        """World units that a pixel spans where a world point is."""
        if self.parallel:
            return 1.0 / self.camera.fy
        return max(self.depth_of(point), 1e-9) / self.camera.fy

    def towards_eye(self, point: ArrayLike) -> NDArray[np.float64]:
        """Unit direction (3,) from a world point to the eye."""
        if self.parallel:
            return -self.forward
        offset = self.eye - np.asarray(point, np.float64)
        return np.asarray(offset / max(float(np.linalg.norm(offset)), 1e-12))


def meet_plane(
    origin: ArrayLike, direction: ArrayLike, point: ArrayLike, normal: ArrayLike
) -> NDArray[np.float64] | None:
    """Where a ray meets a plane, (3,), or None where it runs along it or away from it."""
    origin, direction = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    slope = float(direction @ np.asarray(normal, np.float64))
    if abs(slope) < 1e-6:
        return None
    along = float((np.asarray(point, np.float64) - origin) @ np.asarray(normal, np.float64)) / slope
    return None if along <= 0.0 else np.asarray(origin + along * direction)


def length_along(
    origin: ArrayLike, direction: ArrayLike, point: ArrayLike, axis: ArrayLike
) -> float | None:
    """How far along a line through `point` with unit direction `axis` a ray comes nearest to it.

    None where the two are nearly parallel.
    """
    d, a = np.asarray(direction, np.float64), np.asarray(axis, np.float64)
    offset = np.asarray(point, np.float64) - np.asarray(origin, np.float64)
    cosine = float(d @ a)
    slack = 1.0 - cosine * cosine
    if slack < 1e-4:
        return None
    return float((cosine * (d @ offset) - a @ offset) / slack)
