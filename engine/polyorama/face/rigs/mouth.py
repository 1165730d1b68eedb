"""Where a head's lips are, and how far they stand apart; both found from how its jaw opens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.rigs.packages import sparse_tools
from polyorama.face.rigs.parts import components, welded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["Mouth", "find_mouth", "lip_gaps", "skin_of"]

_NEAR = (0.06, 0.12, 0.24)
_TORN = 0.15
_BINS = 24
_THICK, _DEEP = 0.2, 0.12


@dataclass(frozen=True, slots=True, eq=False)
class Mouth:
    """The lips of a head.

    Parameters
    ----------
    upper, lower
        Vertices of the lips near the line where they meet.
    corners
        Vertices of the right and the left corner.
    pairs
        (n, 2) vertices of upper and lower lip that meet, from the right corner to the left.
    upper_edges, lower_edges
        (n, 2) edges between vertices of one lip.
    width
        Distance of the corners at rest, units of the mesh.
    """

    upper: NDArray[np.int32]
    lower: NDArray[np.int32]
    corners: NDArray[np.int32]
    pairs: NDArray[np.int32]
    upper_edges: NDArray[np.int32]
    lower_edges: NDArray[np.int32]
    width: float


def skin_of(rig: MorphRig) -> NDArray[np.int64]:
    """Vertices of a rig's skin: its region of that name, else the largest piece the jaw moves."""
    if "skin" in rig.regions:
        return rig.regions["skin"].astype(np.int64)
    rest = rig.mesh.vertices
    moved = np.linalg.norm(rig.posed({"jawOpen": 1.0}) - rest, axis=1)
    own = welded(rest)
    pieces = components(own[rig.mesh.triangles], len(rest))[own]
    best, size = -1, 0.0
    for piece in np.unique(pieces[moved > 0.05 * moved.max(initial=0.0)]):
        span = float(np.linalg.norm(np.ptp(rest[pieces == piece], axis=0)))
        if span > size:
            best, size = int(piece), span
    return np.flatnonzero(pieces == best)


def find_mouth(rig: MorphRig) -> Mouth:
    """Find the lips: skin that lies together at rest and comes apart when the jaw opens.

    Raises
    ------
    UsageError
        If the rig has no jaw that opens a mouth.
    """
    rest = rig.mesh.vertices.astype(np.float64)
    jaw = (rig.posed({"jawOpen": 1.0}, head=False) - rest)[:, 1]
    skin = skin_of(rig)
    most = float(jaw[skin].max(initial=0.0))
    if most <= 0.0:
        raise UsageError(f"The jaw of {rig.name!r} does not open, so its lips cannot be found.")
    pairs = _torn(rest, jaw, skin, most)
    if len(pairs) < 8:
        raise UsageError(f"The lips of {rig.name!r} do not come apart when its jaw opens.")
    middle = 0.5 * (rest[pairs[:, 0]] + rest[pairs[:, 1]])
    left, right = float(middle[:, 0].min()), float(middle[:, 0].max())
    edges = np.linspace(left, right, _BINS + 1)
    across = np.clip(np.searchsorted(edges, middle[:, 0], "right") - 1, 0, _BINS - 1)
    # In every column the frontmost pairs are the lips; behind them lie cheeks and gums.
    x, y, z, half = (np.full(_BINS, np.nan) for _ in range(4))
    for column in range(_BINS):
        here = np.flatnonzero(across == column)
        if not len(here):
            continue
        front = here[middle[here, 2] >= middle[here, 2].max() - 0.06 * (right - left)]
        x[column] = middle[front, 0].mean()
        y[column], z[column] = np.median(middle[front, 1]), middle[front, 2].max()
        half[column] = 0.5 * (jaw[pairs[front]].mean(axis=0).sum())
    known = np.isfinite(x)
    x, y, z, half = x[known], y[known], z[known], half[known]
    at = rest[skin]
    width = right - left
    near = (at[:, 0] > left) & (at[:, 0] < right)
    near &= np.abs(at[:, 1] - np.interp(at[:, 0], x, y)) < _THICK * width
    near &= at[:, 2] > np.interp(at[:, 0], x, z) - _DEEP * width
    below = jaw[skin] > np.interp(at[:, 0], x, half)
    upper, lower = skin[near & ~below], skin[near & below]
    mouth = Mouth(
        upper.astype(np.int32), lower.astype(np.int32), _corners(rest, skin, x, y, z),
        np.zeros((0, 2), np.int32), _edges_in(rig, upper), _edges_in(rig, lower), width,
    )  # fmt: skip
    opened = rig.posed({"jawOpen": 0.3}, head=False)
    columns = np.linspace(left + 0.08 * width, right - 0.08 * width, 15)[::-1]
    pairs = np.array(
        [
            (
                _extreme(opened, mouth.upper_edges, c, 1.0),
                _extreme(opened, mouth.lower_edges, c, -1.0),
            )
            for c in columns
        ]
    )
    pairs = pairs[(pairs >= 0).all(axis=1)]
    corners = mouth.corners
    return Mouth(
        mouth.upper, mouth.lower, corners, pairs.astype(np.int32), mouth.upper_edges,
        mouth.lower_edges, float(np.linalg.norm(rest[corners[0]] - rest[corners[1]])),
    )  # fmt: skip


def _torn(
    rest: NDArray[np.float64], jaw: NDArray[np.float64], skin: NDArray[np.int64], most: float
) -> NDArray[np.int64]:
    """(n, 2) vertices, upper and lower, that are neighbours at rest and part with the jaw."""
    spatial = sparse_tools("spatial")
    tree = spatial.cKDTree(rest[skin])
    pairs = np.zeros((0, 2), np.int64)
    for near in _NEAR:
        found = tree.query_pairs(near * most, output_type="ndarray")
        found = skin[found]
        part = jaw[found[:, 1]] - jaw[found[:, 0]]
        found[part < 0.0] = found[part < 0.0][:, ::-1]
        # What is merely stretched parts by less than it was apart.
        apart = np.linalg.norm(rest[found[:, 0]] - rest[found[:, 1]], axis=1)
        pairs = found[np.abs(part) > np.maximum(_TORN * most, 2.0 * apart)]
        if len(pairs) >= 100:
            break
    return pairs


def _corners(
    rest: NDArray[np.float64],
    skin: NDArray[np.int64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    z: NDArray[np.float64],
) -> NDArray[np.int32]:
    """The vertices nearest to the two ends of the line between the lips, right and left."""
    ends = []
    for place in (-1, 0):  # own left is -x
        goal = np.array([x[place], y[place], z[place]])
        ends.append(skin[np.argmin(np.linalg.norm(rest[skin] - goal, axis=1))])
    return np.array(ends, np.int32)


def _edges_in(rig: MorphRig, ids: NDArray[np.integer]) -> NDArray[np.int32]:
    inside = np.zeros(len(rig.mesh.vertices), bool)
    inside[ids] = True
    t = rig.mesh.triangles
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    edges = np.sort(edges[inside[edges].all(axis=1)], axis=1)
    return np.asarray(np.unique(edges, axis=0), np.int32)


def crossing(
    vertices: NDArray[np.floating], edges: NDArray[np.int32], x: float, sign: float
) -> tuple[int, float, float]:
    """Where edges cross the plane at x, the one that is lowest (`sign` 1) or highest (-1).

    Returns
    -------
    Which edge (-1: none crosses), how far along it the plane lies, 0..1, and the height y there.
    """
    one, other = vertices[edges[:, 0]], vertices[edges[:, 1]]
    here = np.flatnonzero((one[:, 0] - x) * (other[:, 0] - x) <= 0.0)
    if not len(here):
        return -1, 0.0, np.nan
    span = other[here, 0] - one[here, 0]
    # An edge within the plane counts with its better end.
    end = (sign * (other[here, 1] - one[here, 1]) > 0.0).astype(np.float64)
    along = np.where(span == 0.0, end, (x - one[here, 0]) / np.where(span == 0.0, 1.0, span))
    height = one[here, 1] + along * (other[here, 1] - one[here, 1])
    best = int(np.argmax(sign * height))
    return int(here[best]), float(along[best]), float(height[best])


def _extreme(
    vertices: NDArray[np.floating], edges: NDArray[np.int32], x: float, sign: float
) -> int:
    edge, along, _ = crossing(vertices, edges, x, sign)
    return -1 if edge < 0 else int(edges[edge, int(along > 0.5)])


def lip_gaps(
    mouth: Mouth, vertices: NDArray[np.floating], columns: int = 31
) -> NDArray[np.float64]:
    """How far the lips stand apart, in columns from one corner of the mouth to the other.

    In the plane of every column the lowest point of the upper lip and the highest of the lower are
    where the surface itself crosses the plane.

    Returns
    -------
    (columns,) heights of the gap, units of the mesh; below 0 the lips overlap by as much, NaN where
    a column meets no lip.
    """
    gaps = np.full(columns, np.nan)
    for at, x in enumerate(column_places(mouth, vertices, columns)):
        _, _, above = crossing(vertices, mouth.upper_edges, x, 1.0)
        _, _, below = crossing(vertices, mouth.lower_edges, x, -1.0)
        gaps[at] = below - above
    return gaps


def column_places(
    mouth: Mouth, vertices: NDArray[np.floating], columns: int
) -> NDArray[np.float64]:
    """(columns,) x of the columns: between the outermost places where the lips meet."""
    right = float(vertices[mouth.pairs[0], 0].min())
    left = float(vertices[mouth.pairs[-1], 0].max())
    return np.linspace(right, left, columns)
