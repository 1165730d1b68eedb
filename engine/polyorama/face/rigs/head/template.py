"""The template of the skin: a sphere's triangles with holes for eyes, mouth and neck.

Points are spread over a sphere of directions from the head's middle, densely where the face moves,
around loops that are given; their Delaunay triangles are found in the stereographic plane, where
circles stay circles. One half is made and mirrored, so that the skin is symmetric to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Template", "delaunay", "make_template"]

_MIDDLE = 1e-9
"""Closer to x = 0 than this, a point lies on the middle line."""


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """Triangles over directions.

    Parameters
    ----------
    directions
        (n, 3) unit vectors; the loops come first, in their order.
    triangles
        (m, 3) counter-clockwise from outside.
    mirror
        (n,) which vertex is the mirror image of each.
    """

    directions: NDArray[np.float64]
    triangles: NDArray[np.int32]
    mirror: NDArray[np.int64]


def delaunay(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """(m, 3) counter-clockwise Delaunay triangles in the plane (Bowyer 1981, Watson 1981).

    A point is put in by taking out all triangles whose circumcircle holds it and joining it with
    the hollow's rim.

    Parameters
    ----------
    points
        (n, 2), all different.
    """
    middle, reach = points.mean(axis=0), float(np.ptp(points, axis=0).max())
    corners = middle + 60.0 * reach * np.array([[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]])
    every = np.concatenate([points, corners])
    count = len(points)
    room = 8 * count + 16
    triangles = np.zeros((room, 3), np.int64)
    centres, radii2 = np.zeros((room, 2)), np.full(room, -1.0)

    def put(at: NDArray[np.int64], made: NDArray[np.int64]) -> None:
        a, b, c = (every[made[:, k]] for k in range(3))
        b, c = b - a, c - a
        bb, cc = (b * b).sum(axis=1), (c * c).sum(axis=1)
        twice = 2.0 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
        centre = np.column_stack([c[:, 1] * bb - b[:, 1] * cc, b[:, 0] * cc - c[:, 0] * bb])
        centre /= twice[:, None]
        triangles[at], centres[at], radii2[at] = made, a + centre, (centre**2).sum(axis=1)

    put(np.array([0]), np.array([[count, count + 1, count + 2]]))
    used = 1
    for number in range(count):
        gap = points[number] - centres[:used]
        hit = np.flatnonzero((gap * gap).sum(axis=1) < radii2[:used] * (1.0 + 1e-12))
        inside = triangles[hit]
        edges = np.concatenate([inside[:, [0, 1]], inside[:, [1, 2]], inside[:, [2, 0]]])
        codes = edges[:, 0] * (count + 3) + edges[:, 1]
        back = edges[:, 1] * (count + 3) + edges[:, 0]
        rim = edges[~np.isin(codes, back)]
        made = np.column_stack([rim, np.full(len(rim), number)])
        places = np.concatenate([hit, np.arange(used, used + max(0, len(made) - len(hit)))])
        put(places[: len(made)], made)
        used = max(used, int(places[-1]) + 1)
    found = triangles[:used]
    return np.asarray(found[(found < count).all(axis=1)], np.int32)


def make_template(
    loops: list[NDArray[np.float64]],
    rings: NDArray[np.float64],
    spacing: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    pole: NDArray[np.float64],
    inside: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
) -> Template:
    """Triangulate the sphere of directions around loops.

    Parameters
    ----------
    loops
        Each (k, 3) unit vectors of a hole's border, symmetric as a set or with its mirror image in
        the list.
    rings
        (r, 3) further unit vectors that must be there, symmetric as a set.
    spacing
        From (n, 3) directions to (n,) how far neighbours shall lie apart, rad.
    pole
        Direction that is in a hole: the plane's point at infinity.
    inside
        Whether (n, 3) directions lie in a hole.
    """
    border = np.concatenate(loops)
    fixed = np.concatenate([border, rings])
    half = fixed[fixed[:, 0] <= _MIDDLE]
    grown = _spread(half, spacing, inside)
    new = grown[len(half) :]
    middle = np.abs(new[:, 0]) <= _MIDDLE
    directions = np.concatenate([fixed, new, new[~middle] * np.array([-1.0, 1.0, 1.0])])
    triangles = delaunay(_stereographic(directions, pole))
    names = np.full(len(directions), -1)
    at = 0
    for number, loop in enumerate(loops):
        names[at : at + len(loop)] = number
        at += len(loop)
    sides = names[triangles]
    hole = (sides[:, 0] >= 0) & (sides[:, 0] == sides[:, 1]) & (sides[:, 1] == sides[:, 2])
    triangles = triangles[~hole]
    mirror = _mirror(directions)
    own = (directions[triangles][:, :, 0] <= _MIDDLE).all(axis=1)
    own &= ~(np.abs(directions[triangles][:, :, 0]) <= _MIDDLE).all(axis=1)
    left = triangles[own]
    a, b, c = (directions[left[:, k]] for k in range(3))
    turned = np.einsum("nc,nc->n", np.cross(b - a, c - a), a + b + c) < 0.0
    left[turned] = left[turned][:, ::-1]
    right = mirror[left][:, ::-1]
    return Template(directions, np.concatenate([left, right]).astype(np.int32), mirror)


def _stereographic(
    directions: NDArray[np.float64], pole: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n, 2) in the plane whose infinity is the pole, which must lie at x = 0."""
    up = np.cross(pole, [1.0, 0.0, 0.0])
    high = directions @ pole
    return np.column_stack([directions[:, 0], directions @ up]) / (1.0 - high)[:, None]


def _spread(
    fixed: NDArray[np.float64],
    spacing: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    inside: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
) -> NDArray[np.float64]:
    """Fixed points, then points thrown on the half x <= 0, none nearer than allowed."""
    rng = np.random.default_rng(7)
    turn = rng.uniform(0.0, 2.0 * np.pi, 26_000)
    high = rng.uniform(-1.0, 1.0, 26_000)
    flat = np.sqrt(1.0 - high * high)
    darts = np.column_stack([-np.abs(flat * np.cos(turn)), high, flat * np.sin(turn)])
    line = np.linspace(-np.pi, np.pi, 4000)
    middle = np.column_stack([np.zeros(4000), np.sin(line), np.cos(line)])
    points, count = np.empty((len(fixed) + 12_000, 3)), len(fixed)
    points[:count] = fixed
    # An edge across the middle line would not be mirrored into itself: the line is set densely.
    for group, on_middle in ((middle, True), (darts, False)):
        group = group[~inside(group)]
        least = spacing(group)
        if on_middle:
            least = 0.75 * least
        else:  # none so close to the middle line that its mirror image is too near
            keep = -group[:, 0] > 0.72 * least
            group, least = group[keep], least[keep]
        for part in range(0, len(group), 400):
            darts, needs = group[part : part + 400], least[part : part + 400]
            near = 2.0 - 2.0 * (darts @ points[:count].T).max(axis=1)
            first = count
            for dart, need in zip(darts[near >= needs**2], needs[near >= needs**2], strict=True):
                gap = points[first:count] - dart
                if count == first or (gap * gap).sum(axis=1).min() >= need * need:
                    points[count] = dart
                    count += 1
    return points[:count]


def _mirror(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n,) index of each point's mirror image."""
    keys = np.round(points * 1e7).astype(np.int64) + 0
    other = keys * np.array([-1, 1, 1])
    order, back = np.lexsort(keys.T), np.lexsort(other.T)
    found = np.empty(len(points), np.int64)
    found[back] = order
    return found
