"""Mean rewards over the unit cube: cones that are added or outdo one another, or a painting.

The Lipschitz constant, the best value and the place of it are exact for every surface, so that
regret is exact as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "GARDEN", "PAINTED_SIDE", "Surface", "highest_cone", "painted", "smoothed", "sum_of_cones",
]  # fmt: skip

PAINTED_SIDE = 64
"""Rows and columns of a painting."""

Rule = Literal["sum", "highest", "painted"]
_NO_TABLE: NDArray[np.float64] = np.zeros((1, 1))
_NO_CONES: NDArray[np.float64] = np.zeros((0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A mean reward over [0, 1]^d that is Lipschitz in the Euclidean distance.

    Parameters
    ----------
    title
        Sentence case.
    dimension
        d.
    rule
        ``"sum"``: the sum of cones; ``"highest"``: the highest of them; ``"painted"``: bilinear
        between the nodes of `table`.
    cones
        (K, d + 3) float64: apex (d), height, slope a unit of distance, radius of a flat top.
    table
        (rows, columns) float64, the first row at the bottom, nodes at the centres of the cells; the
        half cell outside the outermost nodes continues them. Used for ``"painted"``.
    lipschitz
        The least L with |mu(x) - mu(y)| <= L |x - y|, or for a sum of cones the sum of slopes.
    best, best_at
        The greatest mean reward, and (d,) a place where it is reached.
    zooming_dimension
        d_z, where it is known; NaN for paintings.
    """

    title: str
    dimension: int
    rule: Rule
    cones: NDArray[np.float64]
    table: NDArray[np.float64]
    lipschitz: float
    best: float
    best_at: NDArray[np.float64]
    zooming_dimension: float

    def means(self, points: ArrayLike) -> NDArray[np.float64]:
        """Mean rewards at (N, d) points, as (N,) float64."""
        places = np.asarray(points, np.float64)
        if self.rule == "painted":
            return _bilinear(self.table, places)
        apexes, rest = self.cones[:, : self.dimension], self.cones[:, self.dimension :]
        far = np.linalg.norm(places[:, None] - apexes, axis=2)
        values = rest[:, 0] - rest[:, 1] * np.maximum(far - rest[:, 2], 0.0)
        joined: NDArray[np.float64] = (
            values.sum(axis=1) if self.rule == "sum" else values.max(axis=1)
        )
        return joined


def sum_of_cones(title: str, cones: ArrayLike, zooming_dimension: float) -> Surface:
    """The sum of K cones, the first at least as steep as all others together.

    Then its apex is the best place: a step away from it loses more there than all others can give.

    Raises
    ------
    UsageError
        If the first is not that steep, or a cone lies outside the unit cube.
    """
    rows = _checked_cones(cones)
    dimension = rows.shape[1] - 3
    slopes = rows[:, dimension + 1]
    if slopes[0] < slopes[1:].sum() or rows[0, dimension + 2] > 0.0:
        raise UsageError(
            f"The first cone of {title!r} has to be pointed and as steep as the others together, "
            f"so that its apex is the best place."
        )
    apex = rows[0, :dimension].copy()
    surface = Surface(
        title, dimension, "sum", rows, _NO_TABLE, float(slopes.sum()), 0.0, apex, zooming_dimension
    )
    best = float(surface.means(apex[None])[0])
    return Surface(
        title, dimension, "sum", rows, _NO_TABLE, surface.lipschitz, best, apex, zooming_dimension
    )


def highest_cone(title: str, cones: ArrayLike, zooming_dimension: float) -> Surface:
    """The highest of K cones at each place.

    Raises
    ------
    UsageError
        If a cone lies outside the unit cube.
    """
    rows = _checked_cones(cones)
    dimension = rows.shape[1] - 3
    first = int(np.argmax(rows[:, dimension]))
    best, steepest = float(rows[first, dimension]), float(rows[:, dimension + 1].max())
    apex = rows[first, :dimension].copy()
    return Surface(
        title, dimension, "highest", rows, _NO_TABLE, steepest, best, apex, zooming_dimension
    )


def _checked_cones(cones: ArrayLike) -> NDArray[np.float64]:
    rows = np.array(cones, np.float64)
    if rows.ndim != 2 or rows.shape[0] < 1 or rows.shape[1] < 4:
        raise UsageError("Cones are rows of an apex, a height, a slope and a radius.")
    dimension = rows.shape[1] - 3
    apexes = rows[:, :dimension]
    fine = np.isfinite(rows).all() and apexes.min() >= 0.0 and apexes.max() <= 1.0
    if not fine or rows[:, dimension + 1 :].min() < 0.0:
        raise UsageError("Cones have apexes in the unit cube, and slopes and radii from zero on.")
    rows.setflags(write=False)
    return rows


def painted(values: ArrayLike) -> Surface:
    """A painted mean reward over the unit square, bilinear between its nodes.

    Within a cell the squared gradient is a convex function of y (its first part) plus one of x (its
    second), so its greatest value lies at the cell's corners: the Lipschitz constant is exact.

    Parameters
    ----------
    values
        (rows, columns), at least 2 each, the first row at the bottom.

    Raises
    ------
    UsageError
        If it is no such array or not finite.
    """
    table = np.array(values, np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise UsageError("A painted reward is a matrix of at least two rows and columns.")
    if not np.isfinite(table).all():
        raise UsageError("A painted reward has to be finite everywhere.")
    table.setflags(write=False)
    rows, columns = table.shape
    across, upward = np.diff(table, axis=1) * columns, np.diff(table, axis=0) * rows
    steep_x = np.maximum(across[:-1] ** 2, across[1:] ** 2)
    steep_y = np.maximum(upward[:, :-1] ** 2, upward[:, 1:] ** 2)
    lipschitz = math.sqrt(float((steep_x + steep_y).max()))
    row, column = np.unravel_index(int(np.argmax(table)), table.shape)
    place = np.array([(column + 0.5) / columns, (row + 0.5) / rows])
    return Surface(
        "Painted", 2, "painted", _NO_CONES, table, lipschitz, float(table.max()), place, math.nan
    )


def smoothed(values: ArrayLike, width: float) -> NDArray[np.float64]:
    """A painting over the unit square, seen through a Gaussian of that standard deviation.

    Edges of a brush or of a picture are steeper than any player could search; a step of height 1
    has the slope 1 / (width sqrt(2 pi)) afterwards. At the border the Gaussian is cut off and
    normalised again, so that the painting keeps between its least and its greatest value.

    Parameters
    ----------
    values
        (rows, columns).
    width
        In sides of the square; 0 leaves it as it is.
    """
    table = np.array(values, np.float64)
    if width == 0.0:
        return table
    across, upward = (_weights(count, width) for count in (table.shape[1], table.shape[0]))
    # Rounding must not lead out of the range either: what is flat stays flat.
    result: NDArray[np.float64] = np.clip(upward @ table @ across.T, table.min(), table.max())
    return result


def _weights(count: int, width: float) -> NDArray[np.float64]:
    """(count, count) shares of the cells in each cell's mean, along one axis."""
    cells = np.arange(count)
    far = (cells[:, None] - cells) / (count * width)
    weights = np.exp(-0.5 * far**2)
    result: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return result


def _bilinear(table: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    rows, columns = table.shape
    x = np.clip(places[:, 0] * columns - 0.5, 0.0, columns - 1.0)
    y = np.clip(places[:, 1] * rows - 0.5, 0.0, rows - 1.0)
    i = np.minimum(x.astype(np.int64), columns - 2)
    j = np.minimum(y.astype(np.int64), rows - 2)
    u, v = x - i, y - j
    low = (1.0 - u) * table[j, i] + u * table[j, i + 1]
    high = (1.0 - u) * table[j + 1, i] + u * table[j + 1, i + 1]
    result: NDArray[np.float64] = (1.0 - v) * low + v * high
    return result


GARDEN: dict[str, Surface] = {
    "tent": sum_of_cones("Tent", [[0.4, 1.0, 1.0, 0.0]], 0.0),
    "two-tents": highest_cone(
        "Two tents", [[0.78, 0.95, 1.5, 0.0], [0.18, 0.9, 1.5, 0.0], [0.5, 0.4, 0.0, 0.0]], 0.0
    ),
    "needle": highest_cone("Needle", [[0.69, 1.0, 8.0, 0.0], [0.2, 0.8, 1.0, 0.0]], 0.0),
    "mesa": highest_cone("Mesa", [[0.55, 0.9, 1.0, 0.15]], 1.0),
    "test-bed": sum_of_cones(
        "Test bed", [[0.8, 0.7, 1.0, 0.5, 0.0], [0.1, 0.1, 0.0, 0.3, 0.0]], 0.0
    ),
    "cone": sum_of_cones("Cone", [[0.3, 0.6, 1.0, 1.0, 0.0]], 0.0),
    "two-hills": highest_cone(
        "Two hills",
        [[0.72, 0.3, 0.95, 1.2, 0.0], [0.25, 0.72, 0.9, 1.2, 0.0], [0.5, 0.5, 0.35, 0.0, 0.0]],
        0.0,
    ),
    "plateau": highest_cone("Plateau", [[0.55, 0.5, 0.9, 1.0, 0.18]], 2.0),
}
"""Surfaces by id: four over the interval, four over the square. ``"tent"`` is 1 - |x - 0.4|;
``"test-bed"`` is 1 - |x - (.8, .7)|/2 - 3/10 |x - (.1, .1)|."""
