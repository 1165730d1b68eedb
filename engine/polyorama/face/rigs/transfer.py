"""Deformation transfer: how triangles of one mesh stretch and turn, done to those of another.

After Sumner and Popovic, "Deformation transfer for triangle meshes", SIGGRAPH 2004, in the form of
a Poisson problem that Botsch et al. 2006 show to be the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.face.rigs.closest import triangle_normals
from polyorama.face.rigs.packages import sparse_tools

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gradients", "Transfer"]

_UNMATCHED = 0.05
_PULL = 0.01


def _frames(vertices: NDArray[np.floating], triangles: NDArray[np.integer]) -> NDArray[np.float64]:
    """(T, 3, 3) V = [v2 - v1, v3 - v1, v4 - v1], columns; v4 by equation (1)."""
    a, b, c = (vertices[triangles[:, k]].astype(np.float64) for k in range(3))
    cross = np.cross(b - a, c - a)
    length = np.sqrt(np.linalg.norm(cross, axis=1, keepdims=True))
    # (1) v4 = v1 + (v2 - v1) x (v3 - v1) / sqrt |(v2 - v1) x (v3 - v1)|
    fourth = cross / np.where(length > 0.0, length, 1.0)
    return np.stack([b - a, c - a, fourth], axis=2)


class Gradients:
    """What each triangle of a mesh goes through when its vertices move."""

    def __init__(self, rest: NDArray[np.floating], triangles: NDArray[np.integer]) -> None:
        self._rest = np.asarray(rest, np.float64)
        self._triangles = triangles
        before = _frames(self._rest, triangles)
        volume = np.abs(np.linalg.det(before))
        self._good: NDArray[np.bool_] = np.asarray(
            volume > 1e-9 * max(float(volume.max(initial=0.0)), 1e-30), np.bool_
        )
        before[~self._good] = np.eye(3)
        self._inverse = np.linalg.inv(before)

    def __call__(self, offsets: NDArray[np.floating]) -> NDArray[np.float64]:
        """(T, 3, 3) deformation gradients; the identity where nothing moves or has no area."""
        moved = np.asarray(offsets.any(axis=1))
        moves = moved[self._triangles].any(axis=1) & self._good
        gradients = np.tile(np.eye(3), (len(self._triangles), 1, 1))
        # (3) Q = V~ V^-1
        after = _frames(self._rest + offsets, self._triangles[moves])
        gradients[moves] = after @ self._inverse[moves]
        return gradients


class Transfer:
    """Carries deformations onto a mesh; factorised once, used for every shape.

    Parameters
    ----------
    rest
        (V, 3) the mesh at rest.
    triangles
        Its triangles.
    matched
        (T,) whether a triangle has a counterpart; others are to keep their shape, weakly.
    free
        (V,) which vertices may move.
    pulled
        (V,) which vertices are also drawn, weakly, to where their counterparts go: what keeps
        pieces in place that hang on nothing.
    """

    def __init__(
        self,
        rest: NDArray[np.floating],
        triangles: NDArray[np.integer],
        matched: NDArray[np.bool_],
        free: NDArray[np.bool_],
        pulled: NDArray[np.bool_],
    ) -> None:
        sparse, solvers = sparse_tools("sparse"), sparse_tools("sparse.linalg")
        used = free[triangles].any(axis=1)
        self._used, self._free = used, np.flatnonzero(free)
        t = triangles[used]
        count = len(rest)
        a, b, c = (rest[t[:, k]].astype(np.float64) for k in range(3))
        normals = triangle_normals(rest, t)
        twice = np.maximum(np.linalg.norm(np.cross(b - a, c - a), axis=1), 1e-12)
        # Gradient of a function on a triangle: sum of f_i n x e_i / 2A, e_i the opposite edge.
        opposite = (c - b, a - c, b - a)
        rows = np.arange(3 * len(t)).reshape(-1, 3)
        places = np.concatenate([np.repeat(t[:, [k]], 3, axis=1) for k in range(3)])
        values = np.concatenate([np.cross(normals, e) / twice[:, None] for e in opposite])
        gradient = sparse.coo_matrix(
            (values.ravel(), (np.tile(rows, (3, 1)).ravel(), places.ravel())), (3 * len(t), count)
        ).tocsc()[:, self._free]
        weight = 0.5 * twice * np.where(matched[used], 1.0, _UNMATCHED)
        self._divergence = (gradient.T @ sparse.diags(np.repeat(weight, 3))).tocsr()
        # P: what of a deformation acts along the triangle.
        self._along = np.eye(3) - normals[:, :, None] * normals[:, None, :]
        self._pull = np.where(pulled[self._free], _PULL * float(np.mean(weight)) / max(
            float(np.mean(twice)), 1e-12), 0.0)  # fmt: skip
        system = self._divergence @ gradient + sparse.diags(self._pull + 1e-9)
        self._factor: Any = solvers.splu(
            system.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )  # fmt: skip
        self._count = count

    def __call__(
        self, gradients: NDArray[np.float64], pull: NDArray[np.floating]
    ) -> NDArray[np.float32]:
        """(V, 3) float32 offsets under which the mesh goes through the same.

        (8) min over v~ of sum_j A_j |S_j - T_j|^2, with T_j linear in the offsets d: along the
        triangle, grad d = P (S - I)^T. Its normal equations are div grad d = div P (S - I)^T.

        Parameters
        ----------
        gradients
            (T, 3, 3) S of each triangle's counterpart, turned into the mesh's axes.
        pull
            (V, 3) where vertices are weakly drawn.
        """
        wanted = self._along @ (gradients[self._used] - np.eye(3)).transpose(0, 2, 1)
        right = self._divergence @ wanted.reshape(-1, 3)
        right += self._pull[:, None] * pull[self._free]
        offsets = np.zeros((self._count, 3), np.float32)
        offsets[self._free] = self._factor.solve(right)
        return offsets
