"""Nearest points of a triangle mesh that face the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.packages import sparse_tools

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["Nearest", "Surface", "triangle_normals", "vertex_normals"]

_CANDIDATES = 12
_FACING = 0.3


def triangle_normals(
    vertices: NDArray[np.floating], triangles: NDArray[np.integer]
) -> NDArray[np.float64]:
    """(T, 3) unit normals; zero for triangles without area."""
    a, b, c = (vertices[triangles[:, k]].astype(np.float64) for k in range(3))
    cross = np.cross(b - a, c - a)
    length = np.linalg.norm(cross, axis=1, keepdims=True)
    return np.asarray(cross / np.where(length > 0.0, length, 1.0))


def vertex_normals(
    vertices: NDArray[np.floating], triangles: NDArray[np.integer]
) -> NDArray[np.float64]:
    """(V, 3) unit normals, those of the triangles around weighted by their areas."""
    a, b, c = (vertices[triangles[:, k]].astype(np.float64) for k in range(3))
    cross = np.cross(b - a, c - a)
    total = np.zeros((len(vertices), 3))
    for corner in range(3):
        for axis in range(3):
            total[:, axis] += np.bincount(triangles[:, corner], cross[:, axis], len(vertices))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(total / np.where(length > 0.0, length, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """For each of n points, the nearest of a surface.

    Parameters
    ----------
    triangle
        (n,) which triangle.
    shares
        (n, 3) of its corners, sum 1.
    points
        (n, 3).
    distance
        (n,).
    facing
        (n,) whether the surface there faces as was asked.
    """

    triangle: NDArray[np.int64]
    shares: NDArray[np.float64]
    points: NDArray[np.float64]
    distance: NDArray[np.float64]
    facing: NDArray[np.bool_]


class Surface:
    """Triangles that can be asked for their nearest points."""

    def __init__(self, vertices: NDArray[np.floating], triangles: NDArray[np.integer]) -> None:
        self._vertices = np.asarray(vertices, np.float64)
        self._triangles = triangles
        self._normals = triangle_normals(vertices, triangles)
        spatial: Any = sparse_tools("spatial")
        self._tree = spatial.cKDTree(self._vertices[triangles].mean(axis=1))

    def nearest(self, points: NDArray[np.floating], normals: NDArray[np.floating]) -> Nearest:
        """The nearest points that face as `normals` do, among the triangles with nearest centres.

        Lips and lids lie on each other: what faces the other way is only taken where there is
        nothing else.
        """
        count = min(_CANDIDATES, len(self._triangles))
        near = self._tree.query(points, k=count)[1].reshape(len(points), count)
        corners = self._vertices[self._triangles[near]]
        shares = _projected(np.asarray(points, np.float64)[:, None], corners)
        there = np.einsum("nkc,nkcd->nkd", shares, corners)
        distance = np.linalg.norm(there - np.asarray(points)[:, None], axis=2)
        facing = np.einsum("nkd,nd->nk", self._normals[near], normals) > _FACING
        far = float(distance.max(initial=0.0)) + 1.0
        best = np.argmin(distance + far * ~facing, axis=1)
        row = np.arange(len(points))
        return Nearest(
            near[row, best], shares[row, best], there[row, best], distance[row, best],
            facing[row, best],
        )  # fmt: skip


def _projected(points: NDArray[np.float64], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, k, 3) shares of the corners at the point of each triangle nearest to each point.

    The foot on the plane where it lies inside, else the nearest foot on one of the three edges.
    """
    a, b, c = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    u, v, p = b - a, c - a, points - a
    uu, uv, vv = (u * u).sum(-1), (u * v).sum(-1), (v * v).sum(-1)
    pu, pv = (p * u).sum(-1), (p * v).sum(-1)
    det = np.where(uu * vv - uv * uv > 1e-30, uu * vv - uv * uv, 1.0)
    s, t = (vv * pu - uv * pv) / det, (uu * pv - uv * pu) / det
    inside = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0) & (uu * vv - uv * uv > 1e-30)
    best = np.stack([1.0 - s - t, s, t], axis=-1)
    least = np.where(inside, 0.0, np.inf)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        start, way = corners[..., one, :], corners[..., other, :] - corners[..., one, :]
        length = (way * way).sum(-1)
        along = ((points - start) * way).sum(-1) / np.where(length > 0.0, length, 1.0)
        along = np.clip(along, 0.0, 1.0)
        away = ((points - start - along[..., None] * way) ** 2).sum(-1)
        closer = ~inside & (away < least)
        shares = np.zeros((*along.shape, 3))
        shares[..., one], shares[..., other] = 1.0 - along, along
        best = np.where(closer[..., None], shares, best)
        least = np.where(closer, away, least)
    return best
