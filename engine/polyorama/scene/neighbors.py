"""Nearest neighbours in space: a bucketed k-d tree, built and asked by compiled kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel, parallel_for, ranges
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["KdTree", "components"]

_LEAF = 12
_STACK = 128


@dataclass(frozen=True, slots=True, eq=False)
class KdTree:
    """A balanced k-d tree over (N, 3) points; rows with NaN or infinity are not in it.

    Parameters
    ----------
    points
        (M, 3) float32, the finite points in the order of the leaves.
    rows
        (M,) int64, which row of the original points each of them is.
    low, high
        (nodes, 3) float32, the box of each node; node i has the children 2 i + 1 and 2 i + 2.
    edges
        (nodes, 2) int64, the half-open range of `points` below each node.
    """

    points: NDArray[np.float32]
    rows: NDArray[np.int64]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    edges: NDArray[np.int64]

    @classmethod
    def of(cls, points: ArrayLike) -> KdTree:
        """Build the tree over (N, 3) points in O(N log N)."""
        array = np.asarray(points, np.float32)
        rows = np.flatnonzero(np.isfinite(array).all(axis=1))
        finite = np.ascontiguousarray(array[rows])
        depth = 0
        while len(rows) >> depth > _LEAF:
            depth += 1
        nodes = (2 << depth) - 1
        low = np.full((nodes, 3), np.inf, np.float32)
        high = np.full((nodes, 3), -np.inf, np.float32)
        edges = np.zeros((nodes, 2), np.int64)
        order = np.arange(len(rows), dtype=np.int64)
        _build(finite, order, low, high, edges, depth)
        return cls(finite[order], rows[order], low, high, edges)

    def nearest(
        self, queries: ArrayLike, count: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `count` nearest points of each of (Q, 3) queries, nearest first.

        Returns
        -------
        (Q, count) int64 rows of the original points, and (Q, count) float32 distances. Where
        there are fewer points, or the query is not finite: row -1 and distance infinity.

        Raises
        ------
        UsageError
            If `count` is not 1 to 64.
        """
        if not 1 <= count <= 64:
            raise UsageError(f"{count} neighbours cannot be searched; ask for 1 to 64.")
        asked = np.ascontiguousarray(queries, np.float32)
        found = np.full((len(asked), count), -1, np.int64)
        distances = np.full((len(asked), count), np.inf, np.float32)
        # Queries in tree order share their path through the cache.
        parts = len(ranges(len(asked), 64))

        def search(_part: int, start: int, stop: int) -> None:
            _search(
                self.points, self.rows, self.low, self.high, self.edges,
                asked, found, distances, start, stop,
            )  # fmt: skip

        if len(self.points) and len(asked):
            parallel_for(search, len(asked), parts)
        return found, distances

    def neighbors(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `count` nearest other points of each point of the tree, in the order of `rows`.

        Returns
        -------
        (M, count) int64 positions in `points` (not rows), and (M, count) float32 distances;
        -1 and infinity where there are fewer. A point at the same place counts as another.
        """
        size = len(self.points)
        found = np.full((size, count), -1, np.int64)
        distances = np.full((size, count), np.inf, np.float32)

        def search(_part: int, start: int, stop: int) -> None:
            _search_self(
                self.points, self.low, self.high, self.edges, found, distances, start, stop
            )

        if size:
            parallel_for(search, size, len(ranges(size, 64)))
        return found, distances


@kernel
def _build(points: Any, order: Any, low: Any, high: Any, edges: Any, depth: int) -> None:
    """Split every node of a full tree at the median of its widest side, level by level."""
    edges[0, 0] = 0
    edges[0, 1] = len(order)
    inner = (1 << depth) - 1
    for node in range(len(edges)):
        start, stop = edges[node, 0], edges[node, 1]
        for at in range(start, stop):
            row = order[at]
            for axis in range(3):
                value = points[row, axis]
                if value < low[node, axis]:
                    low[node, axis] = value
                if value > high[node, axis]:
                    high[node, axis] = value
        if node >= inner:
            continue
        middle = (start + stop) // 2
        axis = 0
        widest = high[node, 0] - low[node, 0]
        for other in range(1, 3):
            width = high[node, other] - low[node, other]
            if width > widest:
                widest = width
                axis = other
        if stop - start > 1:
            _split(points, order, start, stop - 1, middle, axis)
        edges[2 * node + 1, 0] = start
        edges[2 * node + 1, 1] = middle
        edges[2 * node + 2, 0] = middle
        edges[2 * node + 2, 1] = stop


@kernel
def _split(points: Any, order: Any, left: int, right: int, wanted: int, axis: int) -> None:
    """Hoare's quickselect: order[left..right] so that `wanted` is in its sorted place."""
    while left < right:
        middle = (left + right) // 2
        a, b, c = (
            points[order[left], axis],
            points[order[middle], axis],
            points[order[right], axis],
        )
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while points[order[i], axis] < pivot:
                i += 1
            while points[order[j], axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if wanted <= j:
            right = j
        elif wanted >= i:
            left = i
        else:
            return


@kernel
def _walk(
    points: Any, low: Any, high: Any, edges: Any, x: Any, y: Any, z: Any, skip: int,
    best: Any, squared: Any, nodes: Any, gaps: Any,
) -> None:  # fmt: skip
    """Depth-first search with the nearer child first; `best` and `squared` stay sorted."""
    count = len(best)
    for k in range(count):
        best[k] = -1
        squared[k] = np.inf
    inner = len(edges) // 2
    nodes[0] = 0
    gaps[0] = np.float32(0.0)
    top = 1
    while top > 0:
        top -= 1
        if gaps[top] >= squared[count - 1]:
            continue
        node = nodes[top]
        if node >= inner:
            for at in range(edges[node, 0], edges[node, 1]):
                dx, dy, dz = points[at, 0] - x, points[at, 1] - y, points[at, 2] - z
                d = dx * dx + dy * dy + dz * dz
                if d < squared[count - 1] and at != skip:
                    k = count - 1
                    while k > 0 and squared[k - 1] > d:
                        squared[k] = squared[k - 1]
                        best[k] = best[k - 1]
                        k -= 1
                    squared[k] = d
                    best[k] = at
            continue
        near, far = 2 * node + 1, 2 * node + 2
        near_gap = _gap(low, high, near, x, y, z)
        far_gap = _gap(low, high, far, x, y, z)
        if far_gap < near_gap:
            near, far = far, near
            near_gap, far_gap = far_gap, near_gap
        nodes[top] = far
        gaps[top] = far_gap
        nodes[top + 1] = near
        gaps[top + 1] = near_gap
        top += 2


@kernel
def _gap(low: Any, high: Any, node: int, x: Any, y: Any, z: Any) -> Any:
    """Squared distance of a point from a node's box (infinite for an empty one)."""
    zero = np.float32(0.0)
    dx = max(low[node, 0] - x, x - high[node, 0], zero)
    dy = max(low[node, 1] - y, y - high[node, 1], zero)
    dz = max(low[node, 2] - z, z - high[node, 2], zero)
    return dx * dx + dy * dy + dz * dz


@kernel
def _search(
    points: Any, rows: Any, low: Any, high: Any, edges: Any,
    queries: Any, found: Any, distances: Any, start: int, stop: int,
) -> None:  # fmt: skip
    count = found.shape[1]
    best = np.empty(count, np.int64)
    squared = np.empty(count, np.float32)
    nodes = np.empty(_STACK, np.int64)
    gaps = np.empty(_STACK, np.float32)
    for q in range(start, stop):
        x, y, z = queries[q, 0], queries[q, 1], queries[q, 2]
        if not (np.isfinite(x) and np.isfinite(y) and np.isfinite(z)):
            continue
        _walk(points, low, high, edges, x, y, z, -1, best, squared, nodes, gaps)
        for k in range(count):
            if best[k] >= 0:
                found[q, k] = rows[best[k]]
                distances[q, k] = np.sqrt(squared[k])


@kernel
def _search_self(
    points: Any, low: Any, high: Any, edges: Any,
    found: Any, distances: Any, start: int, stop: int,
) -> None:  # fmt: skip
    count = found.shape[1]
    best = np.empty(count, np.int64)
    squared = np.empty(count, np.float32)
    nodes = np.empty(_STACK, np.int64)
    gaps = np.empty(_STACK, np.float32)
    for q in range(start, stop):
        x, y, z = points[q, 0], points[q, 1], points[q, 2]
        _walk(points, low, high, edges, x, y, z, q, best, squared, nodes, gaps)
        for k in range(count):
            found[q, k] = best[k]
            distances[q, k] = np.sqrt(squared[k])


def components(rows: NDArray[np.int64], linked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Which connected component each point belongs to, (N,) int64: its least member's number.

    Parameters
    ----------
    rows
        (N, K) int64 neighbours of each point, -1 for none.
    linked
        (N, K) bool, which of them it is connected with; links count both ways.
    """
    root = np.arange(len(rows), dtype=np.int64)
    _join(np.ascontiguousarray(rows), np.ascontiguousarray(linked), root)
    return root


@kernel
def _join(rows: Any, linked: Any, root: Any) -> None:
    """Union-find: the smaller number becomes the parent, so one pass at the end flattens."""
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            j = rows[i, k]
            if j < 0 or not linked[i, k]:
                continue
            a, b = i, j
            while root[a] != a:
                root[a] = root[root[a]]
                a = root[a]
            while root[b] != b:
                root[b] = root[root[b]]
                b = root[b]
            if a < b:
                root[b] = a
            else:
                root[a] = b
    for i in range(len(root)):
        root[i] = root[root[i]]
