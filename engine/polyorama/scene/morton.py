"""Morton (Z-curve) order: neighbours in space become neighbours in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["morton_order"]

_BITS = 11
_CELLS = 1 << _BITS
_INDEX_BITS = 28


def morton_order(points: ArrayLike, *, run: int = 256) -> NDArray[np.int32]:
    """The order that walks points along a Z-curve.

    The curve has 2048 cells a side. Where more than `run` points share a cell (a dense object in a
    wide scene), they are ordered again within their own box, until runs are short or the points
    coincide. Equal points keep their order; rows with NaN or infinity come last.

    Parameters
    ----------
    points
        (N, 3), converted to float32; N < 2^28.
    run
        The longest run of points in one cell that is left as it is.

    Returns
    -------
    (N,) int32.
    """
    positions = np.ascontiguousarray(points, np.float32)
    order = np.arange(len(positions), dtype=np.int32)
    waiting = [(0, len(order))] if len(order) > 1 else []
    first = True
    while waiting:
        start, stop = waiting.pop()
        index = order[start:stop]
        low, high = np.empty(3), np.empty(3)
        _box(positions, index, low, high)
        if not first and not (low < high).any():
            continue  # one point many times
        first = False
        keys = np.empty(len(index), np.uint64)
        _keys(positions, index, low, high, keys)
        keys.sort()
        order[start:stop] = index[(keys & np.uint64((1 << _INDEX_BITS) - 1)).astype(np.intp)]
        codes = keys >> np.uint64(_INDEX_BITS)
        edges = np.flatnonzero(codes[1:] != codes[:-1]) + 1
        edges = np.concatenate([[0], edges, [len(codes)]]) + start
        long = np.flatnonzero(np.diff(edges) > run)
        waiting.extend(zip(edges[long].tolist(), edges[long + 1].tolist(), strict=True))
    return order


@kernel
def _box(
    points: NDArray[np.float32],
    index: NDArray[np.int32],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:
    """Box of the finite points; `low` is above `high` where there are none."""
    for j in range(3):
        low[j] = np.inf
        high[j] = -np.inf
    for i in index:
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        if np.isfinite(x) and np.isfinite(y) and np.isfinite(z):
            for j in range(3):
                low[j] = min(low[j], points[i, j])
                high[j] = max(high[j], points[i, j])


@kernel
def _keys(
    points: NDArray[np.float32],
    index: NDArray[np.int32],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    keys: NDArray[np.uint64],
) -> None:
    """Sort keys: the Morton code above the position in `index`, which makes them unique."""
    for n in range(len(index)):
        i = index[n]
        code = np.uint64(1) << np.uint64(3 * _BITS)
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        if np.isfinite(x) and np.isfinite(y) and np.isfinite(z):
            code = np.uint64(0)
            for j in range(3):
                extent = high[j] - low[j]
                share = (points[i, j] - low[j]) / extent if extent > 0.0 else 0.0
                cell = np.uint64(min(share * _CELLS, _CELLS - 1.0))
                # Spread the 11 bits so that two others fit between each pair.
                cell = (cell | (cell << np.uint64(16))) & np.uint64(0xFF0000FF)
                cell = (cell | (cell << np.uint64(8))) & np.uint64(0x0F00F00F)
                cell = (cell | (cell << np.uint64(4))) & np.uint64(0xC30C30C3)
                cell = (cell | (cell << np.uint64(2))) & np.uint64(0x49249249)
                code |= cell << np.uint64(j)
        keys[n] = (code << np.uint64(_INDEX_BITS)) | np.uint64(n)
