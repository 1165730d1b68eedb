"""Lines of any length as at most a few points for each column of pixels.

A column of pixels shows the least and the greatest of what falls into it. So that a run of a
million steps costs no more than its newest ones, these are kept for blocks of samples, blocks of
blocks and so on, and only grown while the run grows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Extremes", "thinned_line"]

Floats = NDArray[np.float64]

_BLOCK = 16
_BITS = 4
_LEVELS = 4
_PER_COLUMN = 3
"""With at most so many samples a column of pixels they are drawn as they are."""


class Extremes:
    """Least and greatest values of a column that grows at its end.

    NaN is passed over; a stretch of nothing else is NaN. Level k has a value for 16^k samples.
    """

    def __init__(self) -> None:
        self._lows: list[Floats] = [np.empty(0)] * _LEVELS
        self._highs: list[Floats] = [np.empty(0)] * _LEVELS
        self._blocks = [0] * _LEVELS

    def follow(self, values: Floats) -> None:
        """Take in what was added to `values` since the last time.

        Parameters
        ----------
        values
            (N,) float64; its beginning is what it was, unless `clear` was called.
        """
        lows = highs = values
        for level in range(1, _LEVELS):
            whole, done = len(lows) // _BLOCK, self._blocks[level]
            if whole <= done:
                if whole < done:
                    self.clear()
                    self.follow(values)
                return
            if whole > len(self._lows[level]):
                for kept in (self._lows, self._highs):
                    room = np.empty(2 * whole)
                    room[:done] = kept[level][:done]
                    kept[level] = room
            fresh = slice(done * _BLOCK, whole * _BLOCK)
            self._lows[level][done:whole] = np.fmin.reduce(lows[fresh].reshape(-1, _BLOCK), axis=1)
            self._highs[level][done:whole] = np.fmax.reduce(
                highs[fresh].reshape(-1, _BLOCK), axis=1
            )
            self._blocks[level] = whole
            lows, highs = self._lows[level][:whole], self._highs[level][:whole]

    def clear(self) -> None:
        """Forget everything: what comes next is another column."""
        self._blocks = [0] * _LEVELS

    def between(self, values: Floats, starts: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Least and greatest of stretches that lie one behind the other.

        Parameters
        ----------
        values
            What was followed last, or a part from its beginning on.
        starts
            (M + 1,) where each stretch begins, never falling, and where the last one ends. Ends of
            long stretches are moved to those of blocks, by less than the sixteenth part.

        Returns
        -------
        lows, highs
            (M,) float64 each; NaN where a stretch is empty.
        """
        counts = np.diff(starts)
        levels = np.zeros(len(counts), np.int64)
        for level in range(1, _LEVELS):
            levels[counts >= _BLOCK ** (level + 1)] = level
        lows, highs = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
        for level in range(_LEVELS):
            chosen = np.flatnonzero((levels == level) & (counts > 0))
            if not len(chosen):
                continue
            shift = _BITS * level
            first, last = starts[chosen] >> shift, starts[chosen + 1] >> shift
            count = self._blocks[level]
            least, most = self._lows[level][:count], self._highs[level][:count]
            lows[chosen] = _reduced(np.fmin, values if level == 0 else least, first, last)
            highs[chosen] = _reduced(np.fmax, values if level == 0 else most, first, last)
        return lows, highs

    def range(self, values: Floats, first: int, last: int) -> tuple[float, float]:
        """Least and greatest of `values[first:last]`, NaN where there is nothing."""
        if last <= first:
            return np.nan, np.nan
        edges = np.linspace(first, last, min(257, last - first + 1)).astype(np.int64)
        lows, highs = self.between(values, edges)
        # What comes after the last whole block is in none.
        tail = values[max(first, last - _BLOCK ** (_LEVELS - 1)) : last]
        return (
            float(np.fmin(np.fmin.reduce(lows), np.fmin.reduce(tail))),
            float(np.fmax(np.fmax.reduce(highs), np.fmax.reduce(tail))),
        )


def _reduced(
    function: np.ufunc, source: Floats, first: NDArray[np.int64], last: NDArray[np.int64]
) -> Floats:
    """The function over `source[first:last]` for each pair of ends, none of them empty."""
    pairs = np.stack([first, last], axis=1).ravel()
    if pairs[-1] == len(source):
        pairs = pairs[:-1]  # the last one goes to the end by itself
    return np.asarray(function.reduceat(source, pairs)[::2])


def thinned_line(
    x: Floats, y: Floats, edges: Floats, extremes: Extremes | None = None
) -> tuple[Floats, Floats]:
    """A line through at most a few points for each column of pixels.

    Parameters
    ----------
    x
        (N,) float64, never falling.
    y
        (N,) float64; NaN is a gap.
    edges
        (M + 1,) float64, rising: abscissae of the edges of M columns of pixels.
    extremes
        Of `y`, followed already; None works them out.

    Returns
    -------
    x, y
        The points, with one beyond each edge where there is one, so that the line goes on there.
    """
    starts = np.searchsorted(x, edges)
    first, last = max(int(starts[0]) - 1, 0), min(int(starts[-1]) + 1, len(x))
    if last - first <= _PER_COLUMN * (len(edges) - 1):
        return x[first:last], y[first:last]
    if extremes is None:
        extremes = Extremes()
        extremes.follow(y)
    lows, highs = extremes.between(y, starts)
    filled = np.flatnonzero(np.diff(starts) > 0)
    lows, highs = lows[filled], highs[filled]
    ends = y[starts[filled + 1] - 1], y[starts[filled]]
    falling = ends[0] < ends[1]
    points = np.empty((len(filled), 2))
    points[:, 0] = np.where(falling, highs, lows)
    points[:, 1] = np.where(falling, lows, highs)
    middles = 0.5 * (edges[filled] + edges[filled + 1])
    # A column that holds one sample shows it where it is.
    single = np.diff(starts)[filled] == 1
    middles = np.where(single, x[starts[filled]], middles)
    xs, ys = np.repeat(middles, 2), points.ravel()
    before = slice(first, first + 1) if int(starts[0]) > 0 else slice(0, 0)
    after = slice(last - 1, last) if int(starts[-1]) < len(x) else slice(0, 0)
    return np.concatenate([x[before], xs, x[after]]), np.concatenate([y[before], ys, y[after]])
