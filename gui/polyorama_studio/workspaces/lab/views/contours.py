"""Contour lines of a field: marching squares, all levels at once.

W. E. Lorensen and H. E. Cline, "Marching cubes: a high resolution 3D surface construction
algorithm", SIGGRAPH 1987, in the plane; of two ways to join the sides of a saddle the one is taken
that goes round its mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyorama_studio.plots import Scale, ticks

__all__ = ["contour_levels", "contours"]

Floats = NDArray[np.float64]

MOST_SIDE = 128
"""Samples along a side; finer fields are thinned, since lines are no finer than pixels."""


def contour_levels(values: Floats, most: int = 9) -> list[float]:
    """At most so many round values between the least and the greatest of a field."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return []
    low, high = float(finite.min()), float(finite.max())
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        return []
    return [level for level in ticks(Scale(low, high), most) if low < level < high]


def contours(values: Floats, levels: list[float]) -> tuple[Floats, NDArray[np.int64]]:
    """Contour lines as straight pieces.

    Parameters
    ----------
    values
        (rows, columns) float64; cells with a corner that is not finite have no contours.
    levels
        Which values to draw the lines of.

    Returns
    -------
    pieces
        (M, 4) float64: column, row, column, row of both ends, in samples.
    which
        (M,) int64: the number of the level that each belongs to.
    """
    rows, columns = values.shape
    if rows < 2 or columns < 2 or not levels:
        return np.empty((0, 4)), np.empty(0, np.int64)
    # The corners of each cell in turn: lower left, lower right, upper right, upper left.
    corners = np.stack([values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1]])
    usable = np.isfinite(corners).all(axis=0)
    low, high = corners.min(axis=0), corners.max(axis=0)
    pieces, which = [], []
    for number, level in enumerate(levels):
        with np.errstate(invalid="ignore"):
            row, column = np.nonzero(usable & (low < level) & (high >= level))
        if not len(row):
            continue
        corner = corners[:, row, column]
        above = corner >= level
        places = _crossings(corner, level)
        for first, second, chosen in _joined(corner, above, level):
            ends = np.concatenate([places[first][:, chosen], places[second][:, chosen]])
            ends += np.stack([column, row, column, row])[:, chosen]
            pieces.append(ends.T)
            which.append(np.full(ends.shape[1], number))
    if not pieces:
        return np.empty((0, 4)), np.empty(0, np.int64)
    return np.concatenate(pieces), np.concatenate(which)


def _crossings(corner: Floats, level: float) -> list[Floats]:
    """Where the level crosses the four sides, (2, M) each as column and row within the cell.

    Only meaningful where the side's corners lie on different sides of the level.
    """
    following = np.roll(corner, -1, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip((level - corner) / (following - corner), 0.0, 1.0)
    share = np.nan_to_num(share)
    nothing, whole = np.zeros_like(share[0]), np.ones_like(share[0])
    return [
        np.stack([share[0], nothing]),
        np.stack([whole, share[1]]),
        np.stack([1.0 - share[2], whole]),
        np.stack([nothing, 1.0 - share[3]]),
    ]


def _joined(
    corner: Floats, above: NDArray[np.bool_], level: float
) -> list[tuple[int, int, NDArray[np.int64]]]:
    """Which two sides are joined in which cells; side k lies between corners k and k + 1."""
    code = above[0] + 2 * above[1] + 4 * above[2] + 8 * above[3]
    # A lone corner, on either side of the level, is cut off between its two sides.
    pairs = {(3, 0): (1, 14), (0, 1): (2, 13), (1, 2): (4, 11), (2, 3): (8, 7),
             (3, 1): (3, 12), (0, 2): (6, 9)}  # fmt: skip
    found = [
        (first, second, np.flatnonzero(np.isin(code, codes)))
        for (first, second), codes in pairs.items()
    ]
    saddle = np.flatnonzero((code == 5) | (code == 10))
    if len(saddle):
        # The corners that differ from the mean are cut off.
        middle = corner[:, saddle].mean(axis=0) >= level
        even = (code[saddle] == 5) == middle
        for first, second in ((0, 1), (2, 3)):
            found.append((first, second, saddle[even]))
        for first, second in ((3, 0), (1, 2)):
            found.append((first, second, saddle[~even]))
    return [(first, second, chosen) for first, second, chosen in found if len(chosen)]
