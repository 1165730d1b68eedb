"""The sizes of surfels: just large enough to leave no hole, cut off where the surface ends.

Sizes are chosen in three steps: a surfel in open surface gets what blue noise needs to overlap; one
beside an edge is squeezed between its edges; then dense probes on the surface find what is left
open, and the surfels around grow to close it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.render.sampling import HashGrid, cell_around, cell_of
from polyorama.render.surface import tangents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.render.surface import Surface

__all__ = ["OPACITY", "close_holes", "fit", "rebind"]

OPACITY = 0.98
"""Peak opacity of a surfel on an opaque surface."""

_RIM = 1.5
"""Deviations from a surfel's centre to the edge beside it: there a row of them together is half
covering, and soon nothing is left."""

_TIP = 2.0
"""The same for the far end of one that grows along an edge: a long tail would show as a hair."""

_MOST_MARKS = 8_000_000
"""Points on sharp edges, beside the ends of each."""

_CROWDED = 512
"""Most marks in a cell."""

_BASE = 0.72
"""Standard deviation of a surfel in open surface, over the mean spacing."""
_INSET = 0.30
"""Smallest half width of a surfel at an edge, over the spacing."""
_SLACK = 0.16
"""How far a surfel may stand over a right-angled edge, over the spacing."""
_OVER = 0.08
"""How much farther it may, over the spacing, to close a hole."""
_HOLE = 0.02
"""Largest light share that may come through between surfels."""
_RIM_HOLE = 0.08
"""The same close to an edge."""
_STRETCH = 1.6
"""How much longer a surfel may get while holes are closed."""


def fit(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    surface: Surface,
    spacing: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Centre, axes and sizes of a surfel at every point.

    Near a sharp edge the first axis follows the edge, the size across is cut and the centre moves
    inwards, so that the rim of the Gaussian lies on the edge.

    Parameters
    ----------
    points, normals
        (N, 3) samples and their unit normals.
    surface
        What they lie on.
    spacing
        Mean distance of neighbouring samples, world units.

    Returns
    -------
    Centres (N, 3), unit first axes (N, 3), deviations (N, 2), and the largest that they may become
    (N, 2).
    """
    # Where edges are endlessly long for their surface, memory bounds how closely they are marked.
    length = float(np.linalg.norm(surface.edges[:, 1] - surface.edges[:, 0], axis=1).sum())
    step = max(0.5 * spacing, length / _MOST_MARKS)
    reach = _TIP * _STRETCH * _BASE * spacing
    marks, mark_edges = _marks(surface.edges, step)
    kept = _thinned(marks, reach + step)
    marks, mark_edges = marks[kept], mark_edges[kept]
    grid = HashGrid(marks, reach + step)
    centres, axes = points.copy(), np.zeros_like(points)
    sizes, caps = np.zeros((len(points), 2)), np.zeros((len(points), 2))

    def task(_: int, start: int, stop: int) -> None:
        _fit(
            points, normals, spacing, reach, marks, mark_edges, surface.edges, surface.edge_faces,
            surface.edge_folds, *grid.arrays, centres, axes, sizes, caps, start, stop,
        )  # fmt: skip

    parallel_for(task, len(points), 4 * core_count())
    return centres, axes, sizes, caps


def _marks(
    edges: NDArray[np.float64], step: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Points along edges, at most `step` apart, and the edge of each."""
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    counts = np.ceil(lengths / step).astype(np.int64) + 1
    owner = np.repeat(np.arange(len(edges)), counts)
    first = np.cumsum(counts) - counts
    share = (np.arange(len(owner)) - first[owner]) / np.maximum(counts[owner] - 1, 1)
    marks = edges[owner, 0] + share[:, None] * (edges[owner, 1] - edges[owner, 0])
    return marks, owner.astype(np.int32)


def _thinned(marks: NDArray[np.float64], cell: float) -> NDArray[np.int64] | slice:
    """Which marks to keep so that no cell is crowded: edges on each other say the same."""
    grid = HashGrid(marks, cell)
    held = np.diff(grid.starts)
    if held.max() <= _CROWDED:
        return slice(None)
    held = np.repeat(held.astype(np.int64), held)
    place = np.arange(len(marks)) - np.repeat(grid.starts[:-1], np.diff(grid.starts))
    share = place * _CROWDED // held
    keep = (held <= _CROWDED) | (share != (place - 1) * _CROWDED // held)
    return np.sort(grid.items[keep])


@kernel
def _fit(  # type: ignore[no-untyped-def]
    points, normals, spacing, reach, marks, mark_edges, edges, edge_faces, folds, origin, cell,
    starts, items, centres, axes, sizes, caps, start, stop,
):  # fmt: skip
    most = 48
    near_a, near_b, near_limit = np.empty(most), np.empty(most), np.empty(most)
    seen = np.empty(most, np.int32)
    base = _BASE * spacing
    for i in range(start, stop):
        px, py, pz = points[i]
        nx, ny, nz = normals[i]
        # Without an edge any tangent will do.
        (ux, uy, uz), (vx, vy, vz) = tangents(nx, ny, nz)
        cx, cy, cz = cell_of(px, py, pz, origin, cell)
        found = 0
        best = np.inf
        bx = by = bz = 0.0
        for number in range(27):
            _, first, last = cell_around(number, cx, cy, cz, starts)
            for k in range(first, last):
                if found == most:
                    break
                mark = items[k]
                dx = marks[mark, 0] - px
                dy = marks[mark, 1] - py
                dz = marks[mark, 2] - pz
                if dx * dx + dy * dy + dz * dz > cell * cell:
                    continue
                edge = mark_edges[mark]
                known = False
                for f in range(found):
                    known = known or seen[f] == edge
                if known:
                    continue
                first = (
                    nx * edge_faces[edge, 0, 0]
                    + ny * edge_faces[edge, 0, 1]
                    + nz * edge_faces[edge, 0, 2]
                )
                second = (
                    nx * edge_faces[edge, 1, 0]
                    + ny * edge_faces[edge, 1, 1]
                    + nz * edge_faces[edge, 1, 2]
                )
                if first < 0.9 and second < 0.9:
                    continue
                ex = edges[edge, 1, 0] - edges[edge, 0, 0]
                ey = edges[edge, 1, 1] - edges[edge, 0, 1]
                ez = edges[edge, 1, 2] - edges[edge, 0, 2]
                length = math.sqrt(ex * ex + ey * ey + ez * ez)
                # A short, weak fold is roughness, not an edge.
                if length == 0.0 or (length < 0.25 * spacing and folds[edge] < 0.5):
                    continue
                ex, ey, ez = ex / length, ey / length, ez / length
                wx = px - edges[edge, 0, 0]
                wy = py - edges[edge, 0, 1]
                wz = pz - edges[edge, 0, 2]
                t = min(max(wx * ex + wy * ey + wz * ez, 0.0), length)
                qx, qy, qz = t * ex - wx, t * ey - wy, t * ez - wz
                height = qx * nx + qy * ny + qz * nz
                if abs(height) > 0.3 * spacing:
                    continue
                qa = qx * ux + qy * uy + qz * uz
                qb = qx * vx + qy * vy + qz * vz
                flat = math.sqrt(qa * qa + qb * qb)
                if flat > reach:
                    continue
                slack = min(_SLACK * spacing / max(folds[edge], 1e-3), spacing)
                seen[found] = edge
                near_a[found], near_b[found], near_limit[found] = qa, qb, slack
                found += 1
                if flat + slack < best:
                    best = flat + slack
                    bx, by, bz = ex, ey, ez
        su = sv = base
        shift_a = shift_b = 0.0
        cap_u = cap_v = _STRETCH * base
        if found > 0:
            # Turn the frame so that its first axis runs along the nearest edge.
            ea = bx * ux + by * uy + bz * uz
            eb = bx * vx + by * vy + bz * vz
            norm = math.sqrt(ea * ea + eb * eb)
            if norm > 1e-6:
                ea, eb = ea / norm, eb / norm
                tx, ty, tz = ea * ux + eb * vx, ea * uy + eb * vy, ea * uz + eb * vz
                vx, vy, vz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
                ux, uy, uz = tx, ty, tz
                for f in range(found):
                    qa, qb = near_a[f], near_b[f]
                    near_a[f], near_b[f] = qa * ea + qb * eb, qb * ea - qa * eb
            # Free length to either side along each axis.
            low_a = high_a = low_b = high_b = np.inf
            for f in range(found):
                qa, qb, slack = near_a[f], near_b[f], near_limit[f]
                flat = math.sqrt(qa * qa + qb * qb)
                if flat < 1e-12 * spacing:
                    high_b = min(high_b, slack)
                elif abs(qb) >= 0.8 * flat:
                    if qb > 0.0:
                        high_b = min(high_b, flat * flat / qb + slack)
                    else:
                        low_b = min(low_b, -flat * flat / qb + slack)
                elif abs(qa) >= 0.8 * flat:
                    if qa > 0.0:
                        high_a = min(high_a, flat * flat / qa + slack)
                    else:
                        low_a = min(low_a, -flat * flat / qa + slack)
            half_b, shift_b = _squeeze(low_b, high_b, _RIM * base, _INSET * spacing)
            # What is lost across the edge is gained along it.
            wish = min(_RIM * base * math.sqrt(_RIM * base / half_b), 1.5 * _RIM * base)
            half_a, shift_a = _squeeze(low_a, high_a, wish, _INSET * spacing)
            # Edges that run askew cut both.
            shrink = 1.0
            for f in range(found):
                qa, qb = near_a[f], near_b[f]
                flat = math.sqrt(qa * qa + qb * qb)
                if flat > 1e-12 * spacing:
                    ma, mb = qa / flat, qb / flat
                    room = flat - (ma * shift_a + mb * shift_b) + near_limit[f]
                    support = math.sqrt((ma * half_a) ** 2 + (mb * half_b) ** 2)
                    if support > room:
                        shrink = min(shrink, max(room, _INSET * spacing) / support)
            half_a, half_b = half_a * shrink, half_b * shrink
            su, sv = half_a / _RIM, half_b / _RIM
            # Growth later on may lead a little over an edge, never far.
            cap_u = max(su, _STRETCH * base)
            for f in range(found):
                qa, qb = near_a[f], near_b[f]
                flat = math.sqrt(qa * qa + qb * qb)
                if flat <= 1e-12 * spacing:
                    cap_v = min(cap_v, sv + _OVER * spacing)
                    continue
                ma, mb = abs(qa) / flat, abs(qb) / flat
                room = flat - (qa * shift_a + qb * shift_b) / flat + near_limit[f]
                room = max(room, 0.0) + _OVER * spacing
                if ma > 0.3:
                    rest = max(room * room - (mb * half_b) ** 2, 0.0)
                    cap_u = min(cap_u, max(su, math.sqrt(rest) / (ma * _TIP)))
                if mb > 0.3:
                    rest = max(room * room - (ma * half_a) ** 2, 0.0)
                    cap_v = min(cap_v, max(sv, min(base, math.sqrt(rest) / (mb * _RIM))))
        centres[i, 0] = px + shift_a * ux + shift_b * vx
        centres[i, 1] = py + shift_a * uy + shift_b * vy
        centres[i, 2] = pz + shift_a * uz + shift_b * vz
        axes[i, 0], axes[i, 1], axes[i, 2] = ux, uy, uz
        sizes[i, 0], sizes[i, 1] = su, sv
        caps[i, 0], caps[i, 1] = cap_u, cap_v


@kernel
def _squeeze(low, high, wish, least):  # type: ignore[no-untyped-def]
    """Half length and shift of an interval that should be `wish` long to each side of 0.

    It may reach from -low to high; it gets no shorter than `least` unless there is less room.
    """
    room = 0.5 * (low + high)
    half = min(wish, max(min(low, high), min(least, room)))
    shift = 0.0
    if half > high:
        shift = high - half
    elif half > low:
        shift = half - low
    return half, shift


def close_holes(
    centres: NDArray[np.float64],
    axes: NDArray[np.float64],
    normals: NDArray[np.float64],
    sizes: NDArray[np.float64],
    caps: NDArray[np.float64],
    probes: NDArray[np.float64],
    probe_normals: NDArray[np.float32],
    spacing: float,
) -> NDArray[np.float64]:
    """Grow surfels until no probe on the surface lets more than a little light through.

    At every probe the transmittance of all surfels on its side is taken; where it is too large,
    the surfel that covers the probe best grows along the axis on which the probe lies, no further
    than `caps`. A few rounds settle it.

    Parameters
    ----------
    centres, axes, normals, sizes
        (N, 3), (N, 3), (N, 3), (N, 2): the surfels.
    caps
        (N, 2) largest sizes.
    probes, probe_normals
        (P, 3) dense points on the surface and their unit normals.
    spacing
        Mean distance of neighbouring samples.

    Returns
    -------
    (N, 2) grown sizes.
    """
    sizes = sizes.copy()
    seconds = np.cross(normals, axes)
    todo = np.arange(len(probes))
    for _ in range(5):
        grid = HashGrid(centres, min(3.3 * float(sizes.max()), 2.6 * spacing))
        best = np.full(len(todo), -1, np.int32)
        wish = np.zeros((len(todo), 2))
        pending = todo

        def task(
            _: int,
            start: int,
            stop: int,
            grid: HashGrid = grid,
            best: NDArray[np.int32] = best,
            wish: NDArray[np.float64] = wish,
            pending: NDArray[np.int64] = pending,
        ) -> None:
            _probe(
                centres, axes, seconds, normals, sizes, caps, probes, probe_normals, pending,
                spacing, *grid.arrays, best, wish, start, stop,
            )  # fmt: skip

        parallel_for(task, len(todo), 4 * core_count())
        leaky = best >= 0
        if not leaky.any():
            break
        for axis in (0, 1):
            np.maximum.at(sizes[:, axis], best[leaky], wish[leaky, axis])
        todo = todo[leaky]
    return sizes


@kernel
def _probe(  # type: ignore[no-untyped-def]
    centres, axes, seconds, normals, sizes, caps, probes, probe_normals, todo, spacing, origin,
    cell, starts, items, best, wish, start, stop,
):  # fmt: skip
    for p in range(start, stop):
        probe = todo[p]
        px, py, pz = probes[probe]
        nx, ny, nz = probe_normals[probe]
        cx, cy, cz = cell_of(px, py, pz, origin, cell)
        through = 1.0
        chosen = -1
        chosen_alpha = chosen_a = chosen_b = 0.0
        for number in range(27):
            here, first, last = cell_around(number, cx, cy, cz, starts)
            for k in range(first, last):
                j = items[k]
                dx = px - centres[j, 0]
                dy = py - centres[j, 1]
                dz = pz - centres[j, 2]
                if dx * dx + dy * dy + dz * dz > cell * cell:
                    continue
                there = cell_of(centres[j, 0], centres[j, 1], centres[j, 2], origin, cell)
                if there != here:
                    continue
                facing = nx * normals[j, 0] + ny * normals[j, 1] + nz * normals[j, 2]
                height = dx * normals[j, 0] + dy * normals[j, 1] + dz * normals[j, 2]
                if facing < 0.5 or abs(height) > 0.4 * spacing:
                    continue
                a = dx * axes[j, 0] + dy * axes[j, 1] + dz * axes[j, 2]
                b = dx * seconds[j, 0] + dy * seconds[j, 1] + dz * seconds[j, 2]
                a, b = a / sizes[j, 0], b / sizes[j, 1]
                alpha = OPACITY * math.exp(-0.5 * (a * a + b * b))
                through *= 1.0 - alpha
                # Prefer one that may still grow on the axis that matters.
                axis = 0 if abs(a) >= abs(b) else 1
                grows = sizes[j, axis] < 0.999 * caps[j, axis]
                if grows and alpha > chosen_alpha:
                    chosen, chosen_alpha, chosen_a, chosen_b = j, alpha, a, b
        if chosen < 0:
            continue
        # Beside an edge there are surfels on one side alone; a soft rim is all there can be.
        edge = caps[chosen, 1] < _BASE * spacing
        hole = _RIM_HOLE if edge else _HOLE
        if through <= hole:
            continue
        # The alpha that this one must have so that all together just close the hole.
        need = 1.0 - (1.0 - chosen_alpha) * hole / through
        need = min(need, 0.8 * OPACITY)
        if need <= chosen_alpha:
            continue
        squared = -2.0 * math.log(need / OPACITY)
        a2, b2 = chosen_a * chosen_a, chosen_b * chosen_b
        best[p] = chosen
        wish[p, 0], wish[p, 1] = sizes[chosen, 0], sizes[chosen, 1]
        if a2 >= b2:
            grow = math.sqrt(a2 / max(squared - b2, 0.25 * a2))
            wish[p, 0] = min(caps[chosen, 0], sizes[chosen, 0] * min(grow, 1.35))
        else:
            grow = math.sqrt(b2 / max(squared - a2, 0.25 * b2))
            wish[p, 1] = min(caps[chosen, 1], sizes[chosen, 1] * min(grow, 1.35))


def rebind(
    points: NDArray[np.float64], triangle_ids: NDArray[np.int32], surface: Surface
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Triangle and barycentrics of points that moved a little along a smooth surface.

    Each walks from its triangle over smooth edges to the one that it lies over; where that is
    none, it is bound to the nearest point of the last.

    Parameters
    ----------
    points
        (N, 3) where they are now.
    triangle_ids
        (N,) int32, where they were.
    surface
        What they lie on.

    Returns
    -------
    Triangle ids (N,) int32, and barycentrics (N, 3) float64, none negative, that sum to 1.
    """
    ids = triangle_ids.copy()
    barycentrics = np.empty((len(points), 3))
    _walk(points, ids, surface.corners, surface.areas, surface.across, barycentrics)
    return ids, barycentrics


@kernel
def _walk(points, ids, corners, areas, across, barycentrics):  # type: ignore[no-untyped-def]
    weights = np.empty(3)
    for i in range(len(points)):
        triangle = ids[i]
        for step in range(16):
            _barycentrics(points[i], corners[triangle], weights)
            least = 0
            for k in (1, 2):
                if weights[k] < weights[least]:
                    least = k
            beyond = across[triangle, least]
            if weights[least] >= -1e-9 or beyond < 0 or areas[beyond] <= 0.0 or step == 15:
                break
            triangle = beyond
        total = 0.0
        for k in range(3):
            weights[k] = max(weights[k], 0.0)
            total += weights[k]
        for k in range(3):
            barycentrics[i, k] = weights[k] / total
        ids[i] = triangle


@kernel
def _barycentrics(point, corners, weights):  # type: ignore[no-untyped-def]
    """Weights of the corners for the point's foot on the triangle's plane."""
    dot00 = dot01 = dot11 = dot02 = dot12 = 0.0
    for c in range(3):
        e1 = corners[1, c] - corners[0, c]
        e2 = corners[2, c] - corners[0, c]
        w = point[c] - corners[0, c]
        dot00 += e1 * e1
        dot01 += e1 * e2
        dot11 += e2 * e2
        dot02 += e1 * w
        dot12 += e2 * w
    scale = 1.0 / (dot00 * dot11 - dot01 * dot01)
    weights[1] = (dot11 * dot02 - dot01 * dot12) * scale
    weights[2] = (dot00 * dot12 - dot01 * dot02) * scale
    weights[0] = 1.0 - weights[1] - weights[2]
