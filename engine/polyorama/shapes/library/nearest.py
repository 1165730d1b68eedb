"""Exact search: the rows of a matrix that a vector resembles most.

Rows are kept a second time as 8-bit integers, a quarter of the bytes. Let row x = s c + e with
integers c, one scale s a row, and |e| its length, known; and q = t b + f likewise in 16 bits. Then

    |q.x - s t (c.b)| <= |q| |e| + |f| |s c|

by Cauchy and Schwarz. So a first pass over the integers bounds every score; whatever may be among
the best by its bound is computed again from the float32 rows. The answer is that of float32.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CODED_ROWS", "Codes", "best", "scores"]

CODED_ROWS = 8192
"""Fewer rows than this are multiplied in float32 at once."""
_BLOCK = 16_384
_PARALLEL_ROWS = 32_768
_LEVELS = 127.0
_QUERY_LEVELS = 8191.0
_QUERY_SUM = 16_000_000.0
"""The most that the magnitudes of a query's integers sum to: times 127, an int32 holds it."""


class Codes:
    """Rows of a matrix as 8-bit integers; they grow as the matrix does."""

    def __init__(self, dimensions: int) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._codes = np.empty((0, dimensions), np.int8)
        self._scales = np.empty(0, np.float32)
        self._errors = np.empty(0, np.float32)
        self._lengths = np.empty(0, np.float32)

    def extend(self, matrix: NDArray[np.float32]) -> None:
        """Code the rows that are not coded yet; rows never change once written."""
        with self._lock:
            if len(matrix) > len(self._codes):
                self._reserve(max(len(matrix), len(self._codes) * 5 // 4))
            for start in range(self._count, len(matrix), _BLOCK):
                self._code(matrix, start, min(start + _BLOCK, len(matrix)))
            self._count = max(self._count, len(matrix))

    def bounds(
        self, query: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Scores of the first rows, and how far each may be from the true one; (count,) each."""
        from polyorama.core.compile import core_count, parallel_for
        from polyorama.shapes.library.dot_kernels import dots

        with self._lock:
            codes, scales = self._codes[:count], self._scales[:count]
            errors, lengths = self._errors[:count], self._lengths[:count]
        wide = query.astype(np.float64)
        total = np.abs(wide).sum()
        step = max(np.abs(wide).max() / _QUERY_LEVELS, total / _QUERY_SUM, 1e-30)
        whole = np.rint(wide / step).astype(np.int16)
        sums = np.empty(count, np.int32)
        if count < _PARALLEL_ROWS:
            dots(codes, whole, sums, 0, count)
        else:
            parallel_for(
                lambda _, first, last: dots(codes, whole, sums, first, last), count, core_count()
            )
        near = sums * (scales * np.float32(step))
        lost = np.linalg.norm(wide - step * whole)
        length = np.linalg.norm(wide)
        # What float32 itself rounds is far below 2^-18 for unit vectors of any length used here.
        slack = errors * np.float32(length) + lengths * np.float32(lost) + np.float32(2.0**-18)
        return near, slack

    def _reserve(self, rows: int) -> None:
        for name in ("_codes", "_scales", "_errors", "_lengths"):
            old = getattr(self, name)
            new = np.empty((rows, *old.shape[1:]), old.dtype)
            new[: self._count] = old[: self._count]
            setattr(self, name, new)

    def _code(self, matrix: NDArray[np.float32], start: int, stop: int) -> None:
        rows = matrix[start:stop]
        scales = np.maximum(np.abs(rows).max(axis=1) / np.float32(_LEVELS), np.float32(1e-30))
        whole = np.rint(rows / scales[:, None])
        back = whole * scales[:, None]
        self._codes[start:stop] = whole
        self._scales[start:stop] = scales
        self._errors[start:stop] = np.linalg.norm(rows - back, axis=1) * np.float32(1.0001)
        self._lengths[start:stop] = np.linalg.norm(back, axis=1) * np.float32(1.0001)


def scores(
    matrix: NDArray[np.float32], query: NDArray[np.float32], rows: NDArray[np.int64] | None = None
) -> NDArray[np.float32]:
    """Products of rows with a vector, float32.

    Parameters
    ----------
    matrix
        (N, D), mapped or in memory.
    query
        (D,).
    rows
        Which rows; all by default.
    """
    if rows is None:
        return np.concatenate(
            [matrix[at : at + _BLOCK] @ query for at in range(0, len(matrix), _BLOCK)]
            or [np.empty(0, np.float32)]
        )
    return np.concatenate(
        [matrix[rows[at : at + _BLOCK]] @ query for at in range(0, len(rows), _BLOCK)]
        or [np.empty(0, np.float32)]
    )


def best(
    matrix: NDArray[np.float32],
    codes: Codes,
    query: NDArray[np.float32],
    places: NDArray[np.int64],
    extra: NDArray[np.float32] | None,
    limit: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best of some assets: their positions in `places`, and scores, best first.

    Parameters
    ----------
    matrix
        (N, D) vectors.
    codes
        Their integers, extended to all of them.
    query
        (D,).
    places
        (M,) row of each asset; several may share one.
    extra
        (M,) what is added to each score, or None.
    limit
        How many at most.

    Returns
    -------
    positions, scores
        (K,) int64 and float32; K = min(limit, M). Equal scores come in the order of `places`.
    """
    if limit >= len(places) or len(places) < CODED_ROWS:
        exact = scores(matrix, query, None if 2 * len(places) > len(matrix) else places)
        if len(exact) == len(matrix) and 2 * len(places) > len(matrix):
            exact = exact[places]
        if extra is not None:
            exact = exact + extra
        chosen = np.arange(len(places))
    else:
        near, slack = codes.bounds(query, len(matrix))
        middle, width = near[places], slack[places]
        if extra is not None:
            middle = middle + extra
        lower = middle - width
        least = np.partition(lower, len(lower) - limit)[len(lower) - limit]
        chosen = np.flatnonzero(middle + width >= least)
        exact = scores(matrix, query, places[chosen])
        if extra is not None:
            exact = exact + extra[chosen]
    order = _first(exact, limit)
    return chosen[order], exact[order]


def _first(values: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Positions of the largest values, largest first; equal ones in their order."""
    if limit < len(values):
        least = np.partition(values, len(values) - limit)[len(values) - limit]
        candidates = np.flatnonzero(values >= least)
    else:
        candidates = np.arange(len(values))
    order = np.argsort(-values[candidates], kind="stable")
    result: NDArray[np.int64] = candidates[order][:limit]
    return result
