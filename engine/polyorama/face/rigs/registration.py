"""A template laid onto a mesh: first turned, scaled and moved as a whole, then bent."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.face.rigs.closest import Surface, vertex_normals
from polyorama.face.rigs.packages import sparse_tools
from polyorama.face.rigs.parts import rigid_motion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job

__all__ = ["Similarity", "aligned", "bent", "umbrella"]

_STIFFNESS = (3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
_INNER = 2
_CLEARLY = 1e-3
"""Share of the size by which a head must lie better to be taken as turned."""


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """x -> scale R x + shift, and the share of the mesh's size that points are left apart by it."""

    scale: float
    rotation: NDArray[np.float64]
    shift: NDArray[np.float64]
    residual: float = 0.0

    def __call__(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """(n, 3) where points come to lie."""
        return np.asarray(self.scale * (points @ self.rotation.T) + self.shift, np.float64)


def _similarity(source: NDArray[np.floating], target: NDArray[np.floating]) -> Similarity:
    """Least squares over pairs (Umeyama 1991): R by Kabsch, the scale from the spreads."""
    rotation, _ = rigid_motion(source, target)
    a, b = source.mean(axis=0, dtype=np.float64), target.mean(axis=0, dtype=np.float64)
    turned = (source - a) @ rotation.T
    scale = float((turned * (target - b)).sum() / max((turned**2).sum(), 1e-30))
    return Similarity(scale, rotation, b - scale * rotation @ a)


def aligned(
    source: NDArray[np.floating],
    target: NDArray[np.floating],
    pairs: tuple[NDArray[np.floating], NDArray[np.floating]] | None = None,
) -> Similarity:
    """The similarity that lays one cloud of points on another.

    Parameters
    ----------
    source, target
        (n, 3) and (m, 3) points of the template and of the mesh.
    pairs
        Points that belong together, at least three; None to try the axes of both, and their
        principal axes, from every side, each with a short symmetric ICP, and refine the best.
    """
    if pairs is not None:
        return _icp(source, target, _similarity(*pairs), steps=0, points=2000)
    best = None
    for rotation in _starts(source, target):
        spread = [float(np.sqrt(p.var(axis=0).sum())) for p in (source, target)]
        scale = spread[1] / max(spread[0], 1e-30)
        shift = target.mean(axis=0) - scale * rotation @ source.mean(axis=0)
        tried = _icp(source, target, Similarity(scale, rotation, shift), steps=12, points=300)
        # Round heads lie nearly as well upside down; what is no clear gain is no reason to turn.
        if best is None or tried.residual < best.residual - _CLEARLY:
            best = tried
    assert best is not None
    return _icp(source, target, best, steps=40, points=1500)


def _starts(
    source: NDArray[np.floating], target: NDArray[np.floating]
) -> Iterator[NDArray[np.float64]]:
    """As it is first, then turned by right angles, then principal axis onto principal axis."""
    frames = []
    for points in (source, target):
        _, _, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        frames.append(axes.T * [1.0, 1.0, np.linalg.det(axes)])
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            turn = np.eye(3)[list(order)] * np.array(signs)[:, None]
            if np.linalg.det(turn) > 0.0:
                yield turn
                if order == (0, 1, 2):
                    yield frames[1] @ turn @ frames[0].T


def _icp(
    source: NDArray[np.floating],
    target: NDArray[np.floating],
    start: Similarity,
    *,
    steps: int,
    points: int,
) -> Similarity:
    """Symmetric ICP: pairs of nearest points both ways, the farthest fifth left out."""
    spatial = sparse_tools("spatial")
    some = source[:: max(len(source) // points, 1)]
    other = target[:: max(len(target) // points, 1)]
    tree = spatial.cKDTree(other)
    size = float(np.sqrt(target.var(axis=0).sum()))
    now = start
    for step in range(steps + 1):
        placed = now(some)
        there, near = tree.query(placed)
        back, away = spatial.cKDTree(placed).query(other)
        distance = np.concatenate([there, back])
        kept = distance <= np.quantile(distance, 0.8)
        now = Similarity(now.scale, now.rotation, now.shift, float(distance[kept].mean() / size))
        if step == steps:
            break
        a = np.concatenate([some, some[away]])[kept]
        b = np.concatenate([other[near], other])[kept]
        moved = _similarity(a, b)
        now = Similarity(moved.scale, moved.rotation, moved.shift)
    return now


def umbrella(triangles: NDArray[np.integer], count: int) -> Any:
    """(V, V) sparse L with L x = x - mean of x's neighbours; rows of lone vertices are zero."""
    sparse = sparse_tools("sparse")
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    both = np.concatenate([edges, edges[:, ::-1]])
    degree = np.bincount(both[:, 0], minlength=count)
    mean = sparse.coo_matrix((1.0 / degree[both[:, 0]], both.T), (count, count))
    return sparse.diags((degree > 0).astype(np.float64)) - mean.tocsr()


def bent(
    rest: NDArray[np.float64],
    triangles: NDArray[np.integer],
    surface: Surface,
    size: float,
    pairs: tuple[NDArray[np.integer], NDArray[np.floating]] | None,
) -> Job[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Non-rigid ICP with an optimal step for each of a falling row of stiffnesses.

    After Amberg, Romdhani and Vetter, "Optimal step nonrigid ICP algorithms for surface
    registration", CVPR 2007: for each stiffness alpha, alternate (1) nearest points u and weights w
    of those that are no match, and (2) the offsets X that are best for them,

        E(X) = E_d + alpha E_s + beta E_l,   E_d = sum_i w_i |v_i + X_i - u_i|^2,
        E_s = |L X|^2,                       E_l = sum over landmarks |v_l + X_l - l|^2.

    Their unknown is an affine map a vertex; here it is an offset, and E_s is of second order, which
    lets affine maps of the whole pass for free. That is a quarter of the unknowns, and all three
    axes share one matrix.

    Returns
    -------
    (V, 3) where the template lies in the end, and (V,) which vertices found a match.
    """
    sparse, solvers = sparse_tools("sparse"), sparse_tools("sparse.linalg")
    count = len(rest)
    bending = umbrella(triangles, count)
    stiff = (bending.T @ bending).tocsc()
    offsets = np.zeros((count, 3))
    held = np.zeros(count)
    goal = np.zeros((count, 3))
    if pairs is not None:
        held[pairs[0]], goal[pairs[0]] = 1.0, pairs[1] - rest[pairs[0]]
    weights = np.zeros(count)
    total = len(_STIFFNESS) * _INNER
    for step, alpha in enumerate(np.repeat(_STIFFNESS, _INNER)):
        yield Progress(step, total, "Laying the template onto the head")
        placed = rest + offsets
        found = surface.nearest(placed, vertex_normals(placed, triangles))
        # What is far off has no counterpart: hair, a hat, the inside of a mouth.
        reach = max(0.02 * size, 3.0 * float(np.median(found.distance)))
        weights = (found.facing & (found.distance < reach)).astype(np.float64)
        beta = held * alpha / _STIFFNESS[0] * 100.0
        system = alpha * stiff + sparse.diags(weights + beta + 1e-6)
        right = weights[:, None] * (found.points - rest) + beta[:, None] * goal
        factor = solvers.splu(
            system.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )  # fmt: skip
        offsets = factor.solve(right)
    return rest + offsets, weights > 0.0
