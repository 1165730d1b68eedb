"""What a triangle mesh's surface is like: smooth normals, sharp edges, neighbours, closedness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel
from polyorama.errors import UsageError
from polyorama.render.shading import albedo_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["Surface", "analyse", "tangents"]

CREASE = 50.0
"""Faces that meet at a smaller angle (degrees) are shaded as one smooth surface."""

SHARP = 12.0
"""Edges that fold by more than this (degrees) are kept crisp."""

_MANY = 1000
"""From more faces at one vertex on, their normals are gathered by direction."""

_CELLS = 32
"""Into so many rows and columns on each side of a cube: steps of at most 4 degrees."""

_SEAM = 0.08
"""Difference in display colour, 0..1, from which an edge between two faces is kept crisp."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Geometry of a mesh whose degenerate and repeated triangles have no area.

    Parameters
    ----------
    corners
        (T, 3, 3) float64 corner positions.
    areas
        (T,) float64; 0 for triangles that are degenerate, not finite or there before.
    normals
        (T, 3) float64 unit face normals; outward where the mesh is closed.
    corner_normals
        (T, 3, 3) float32 unit normals for shading.
    across
        (T, 3) int32, the triangle beyond the edge opposite each corner where the surface goes on
        smoothly, else -1.
    edges
        (E, 2, 3) float64 ends of the sharp edges, of open borders and of edges between colours.
    edge_faces
        (E, 2, 3) float64 normals of the faces at each such edge (a border repeats its one).
    edge_folds
        (E,) float64, sine of the fold, 0..1 (1 from a right angle on, at borders and colours).
    closed
        Whether every edge has two faces.
    """

    corners: NDArray[np.float64]
    areas: NDArray[np.float64]
    normals: NDArray[np.float64]
    corner_normals: NDArray[np.float32]
    across: NDArray[np.int32]
    edges: NDArray[np.float64]
    edge_faces: NDArray[np.float64]
    edge_folds: NDArray[np.float64]
    closed: bool

    @property
    def area(self) -> float:
        """Total area, world units squared."""
        return float(self.areas.sum())


def analyse(mesh: Mesh) -> Surface:
    """Weld, measure and classify a mesh.

    Vertices that lie at the same place are taken as one, so seams in texture coordinates do not
    break the surface. A closed mesh that is inside out is turned.

    Raises
    ------
    UsageError
        If no triangle has an area.
    """
    name = f"Mesh {mesh.name!r}" if mesh.name else "The mesh"
    vertices = mesh.vertices.astype(np.float64)
    corners = vertices[mesh.triangles]
    finite = np.all(np.isfinite(corners).reshape(-1, 9), axis=1, keepdims=True)[:, 0]
    if not finite.any():
        raise UsageError(f"{name} has no triangles with finite corners, so nothing can be shown.")
    low = corners[finite].min(axis=(0, 1))
    extent = float((corners[finite].max(axis=(0, 1)) - low).max())
    if not 0.0 < extent < 1e30:
        raise UsageError(f"{name} has no area, so it cannot be covered.")
    corners = np.where(finite[:, None, None], corners, low)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    cross = np.cross(first, second)
    double = np.linalg.norm(cross, axis=1)
    # Slivers thinner than float32 vertices can tell are lines.
    longest = np.sqrt(
        np.maximum(
            (first**2).sum(1), np.maximum((second**2).sum(1), ((second - first) ** 2).sum(1))
        )
    )
    solid: NDArray[np.bool_] = finite & (double > 1e-7 * extent * longest)
    if not solid.any():
        raise UsageError(f"{name} has no area, so it cannot be covered.")
    welded = _weld(corners, low, extent)
    solid[_repeated(welded, np.flatnonzero(solid))] = False
    areas = np.where(solid, 0.5 * double, 0.0)
    normals = cross / np.where(solid, double, 1.0)[:, None]
    normals[~solid] = (0.0, 0.0, 1.0)

    faces = np.flatnonzero(solid)
    closed, table = _edges(welded, faces)
    if closed and np.einsum("tc,tc->", corners[:, 0] - low, cross) < 0.0:
        normals[solid] *= -1.0
    corner_normals = _corner_normals(welded, corners, areas, normals, np.cos(np.radians(CREASE)))
    across, edges, edge_faces, folds = _classify(mesh, table, corners, normals)
    return Surface(
        corners, areas, normals, corner_normals, across, edges, edge_faces, folds, closed
    )


def _weld(
    corners: NDArray[np.float64], low: NDArray[np.float64], extent: float
) -> NDArray[np.int64]:
    """(T, 3) ids of distinct corner positions, told apart at a millionth of the extent."""
    steps = np.round((corners.reshape(-1, 3) - low) * (1e6 / extent)).astype(np.int64)
    key = (steps[:, 0] << 42) + (steps[:, 1] << 21) + steps[:, 2]
    return np.unique(key, return_inverse=True)[1].reshape(-1, 3)


def _repeated(welded: NDArray[np.int64], faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of `faces` that lie, with the same side up, exactly on an earlier one."""
    tris = welded[faces]
    # Begin with the smallest corner, so that equal triangles have equal rows.
    turn = (np.argmin(tris, axis=1)[:, None] + np.arange(3)) % 3
    tris = np.take_along_axis(tris, turn, axis=1)
    order = np.lexsort(tris.T)
    same = (np.diff(tris[order], axis=0) == 0).all(axis=1)
    return np.asarray(faces[order[1:][same]])


def _edges(
    welded: NDArray[np.int64], faces: NDArray[np.int64]
) -> tuple[bool, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Half-edges grouped by edge: whether all have two faces; triangle, side, group start."""
    tris = welded[faces]
    # Side k lies opposite corner k.
    ends = np.stack([tris[:, [1, 2]], tris[:, [2, 0]], tris[:, [0, 1]]], axis=1).reshape(-1, 2)
    ends = np.sort(ends, axis=1)
    owner = np.repeat(faces, 3)
    side = np.tile(np.arange(3), len(faces))
    real = ends[:, 0] != ends[:, 1]
    ends, owner, side = ends[real], owner[real], side[real]
    key = ends[:, 0] * (int(welded.max()) + 1) + ends[:, 1]
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(key[order]) != 0, True])
    return bool((np.diff(starts) == 2).all()), (owner[order], side[order], starts)


def _classify(
    mesh: Mesh,
    table: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    corners: NDArray[np.float64],
    normals: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    owner, side, starts = table
    counts = np.diff(starts)
    head = starts[:-1]
    partner = np.where(counts >= 2, head + 1, head)
    one, two = owner[head], owner[np.minimum(partner, len(owner) - 1)]
    cosine = np.einsum("ec,ec->e", normals[one], normals[two])
    pair = counts == 2
    goes_on = pair & (cosine > np.cos(np.radians(SHARP)))
    folds = np.where(pair & (cosine > 0), np.sqrt(np.clip(1 - cosine**2, 0, 1)), 1.0)
    seam = np.flatnonzero(goes_on)
    seam = seam[_changes_color(mesh, one[seam], side[head[seam]], two[seam], side[partner[seam]])]
    goes_on[seam], folds[seam] = False, 1.0
    across = np.full((len(corners), 3), -1, np.int32)
    across[one[goes_on], side[head[goes_on]]] = two[goes_on]
    across[two[goes_on], side[partner[goes_on]]] = one[goes_on]
    sharp = ~goes_on
    face, k = one[sharp], side[head[sharp]]
    edges = np.stack([corners[face, (k + 1) % 3], corners[face, (k + 2) % 3]], axis=1)
    edge_faces = np.stack([normals[one[sharp]], normals[two[sharp]]], axis=1)
    return across, edges, edge_faces, folds[sharp]


def _changes_color(
    mesh: Mesh,
    one: NDArray[np.int64],
    side_one: NDArray[np.int64],
    two: NDArray[np.int64],
    side_two: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Whether an edge parts two colours: what its faces show just beside its middle differs."""
    shown = []
    for faces, sides in ((one, side_one), (two, side_two)):
        weights = np.full((len(faces), 3), 0.48, np.float32)
        weights[np.arange(len(faces)), sides] = 0.04
        color, alpha, _ = albedo_at(mesh, faces.astype(np.int32), weights)
        shown.append(np.concatenate([color, alpha[:, None]], axis=1))
    return np.asarray(np.abs(shown[0] - shown[1]).max(axis=1) > _SEAM)


def _corner_normals(
    welded: NDArray[np.int64],
    corners: NDArray[np.float64],
    areas: NDArray[np.float64],
    normals: NDArray[np.float64],
    cosine: float,
) -> NDArray[np.float32]:
    """Normals for shading: mean over the faces at a vertex that do not fold away too far.

    Each face counts by its angle at the vertex times its area, so that large flat faces stay flat
    and narrow bevels beside them carry the turn. Where very many faces meet, those that look nearly
    the same way are taken together, so that the work does not grow with the square of their number.
    """
    flat = welded.reshape(-1)
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(flat.max() + 2))
    arms = np.stack([np.roll(corners, -1, 1) - corners, np.roll(corners, 1, 1) - corners], axis=2)
    lengths = np.linalg.norm(arms, axis=3, keepdims=True)
    arms = arms / np.maximum(lengths, 1e-300)
    angle = np.arccos(np.clip(np.einsum("tkc,tkc->tk", arms[:, :, 0], arms[:, :, 1]), -1, 1))
    weight = angle * areas[:, None]
    result = np.empty((len(corners), 3, 3), np.float32)
    _sum_corner_normals(order, starts, weight, normals, cosine, result)
    return result


@kernel
def _sum_corner_normals(order, starts, weight, normals, cosine, result):  # type: ignore[no-untyped-def]
    # Sums of (weight, weighted normal) by direction, and which of them are in use.
    sums = np.zeros((6 * _CELLS * _CELLS, 4))
    used = np.empty(6 * _CELLS * _CELLS, np.int64)
    for vertex in range(len(starts) - 1):
        start, stop = starts[vertex], starts[vertex + 1]
        many, cells = stop - start > _MANY, 0
        if many:
            cells = _gather(order[start:stop], weight, normals, sums, used)
        for a in range(start, stop):
            face, corner = order[a] // 3, order[a] % 3
            n0, n1, n2 = normals[face]
            x = y = z = 0.0
            for c in range(cells):
                _, m0, m1, m2 = sums[used[c]]
                length = np.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
                if n0 * m0 + n1 * m1 + n2 * m2 >= cosine * length:
                    x += m0
                    y += m1
                    z += m2
            for b in range(start, start if many else stop):
                other = order[b] // 3
                m0, m1, m2 = normals[other]
                if n0 * m0 + n1 * m1 + n2 * m2 >= cosine:
                    share = weight[other, order[b] % 3]
                    x += share * m0
                    y += share * m1
                    z += share * m2
            length = np.sqrt(x * x + y * y + z * z)
            if length > 0.0:
                result[face, corner, 0] = x / length
                result[face, corner, 1] = y / length
                result[face, corner, 2] = z / length
            else:
                result[face, corner, 0] = n0
                result[face, corner, 1] = n1
                result[face, corner, 2] = n2
        for c in range(cells):
            sums[used[c]] = 0.0


@kernel
def _gather(corners, weight, normals, sums, used):  # type: ignore[no-untyped-def]
    """Add the faces at one vertex up by the cell of a cube map that their normals point to."""
    cells = 0
    for corner in corners:
        face = corner // 3
        n0, n1, n2 = normals[face]
        a0, a1, a2 = abs(n0), abs(n1), abs(n2)
        if a0 >= a1 and a0 >= a2:
            side, far, u, v = 0, n0, n1, n2
        elif a1 >= a2:
            side, far, u, v = 1, n1, n2, n0
        else:
            side, far, u, v = 2, n2, n0, n1
        if far < 0.0:
            side += 3
        half = 0.5 * _CELLS
        row = min(int((u / abs(far) + 1.0) * half), _CELLS - 1)
        column = min(int((v / abs(far) + 1.0) * half), _CELLS - 1)
        cell = (side * _CELLS + row) * _CELLS + column
        share = weight[face, corner % 3]
        # A weight of 0 marks a cell as unused, so what weighs nothing is left out.
        if share > 0.0:
            if sums[cell, 0] == 0.0:
                used[cells] = cell
                cells += 1
            sums[cell, 0] += share
            sums[cell, 1] += share * n0
            sums[cell, 2] += share * n1
            sums[cell, 3] += share * n2
    return cells


@kernel
def tangents(nx, ny, nz):  # type: ignore[no-untyped-def]
    """Two unit vectors at right angles to a unit normal and to each other.

    The three make a right-handed frame; it is exact everywhere and jumps only where nz changes its
    sign (T. Duff et al., "Building an Orthonormal Basis, Revisited", 2017).
    """
    sign = 1.0 if nz >= 0.0 else -1.0
    a = -1.0 / (sign + nz)
    b = nx * ny * a
    return (1.0 + sign * nx * nx * a, sign * b, -sign * nx), (b, sign + ny * ny * a, -ny)
