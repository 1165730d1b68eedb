"""The lines of a curve: what each is made of, and how it is thinned to pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama_studio.workspaces.lab.views.base import array_of
from polyorama_studio.workspaces.lab.views.thinning import Extremes, thinned_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Curve, Series
    from polyorama_studio.workspaces.lab.history import History

__all__ = ["Line"]

_EMPTY = np.empty(0)
_MOST_UNSORTED = 20_000
"""Points of a line that goes back and forth, which no columns of pixels can be made of."""


class _Column:
    """Values of one key, without those that a logarithm has no place for, and their extremes."""

    def __init__(self, log: bool) -> None:
        self.values: NDArray[np.float64] = _EMPTY
        self.extremes = Extremes()
        self._log = log
        self._room = _EMPTY
        self._kept = 0

    def clear(self) -> None:
        """Another run begins."""
        self._kept = 0
        self.extremes.clear()

    def follow(self, values: NDArray[np.float64]) -> None:
        """Take in a column whose beginning is what it was."""
        if self._log:
            values = self._positive(values)
        self.values = values
        self.extremes.follow(values)

    def _positive(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        count, kept = len(values), min(self._kept, len(values))
        if len(self._room) < count:
            room = np.empty(2 * count)
            room[:kept] = self._room[:kept]
            self._room = room
        fresh = values[kept:]
        with np.errstate(invalid="ignore"):
            self._room[kept:count] = np.where(fresh > 0.0, fresh, np.nan)
        self._kept = count
        return self._room[:count]


class Line:
    """One series of a curve.

    Parameters
    ----------
    view, series
        Of what.
    number
        Its place in the view.
    """

    def __init__(self, view: Curve, series: Series, number: int) -> None:
        self.series = series
        self.number = number
        self._view = view
        self.x: NDArray[np.float64] = _EMPTY
        self.shown = 0
        """So many points lie at or before the moment that is shown."""
        self._sorted = True
        self._y = _Column(view.y.log)
        self._low = _Column(view.y.log)
        self._high = _Column(view.y.log)
        self._run: tuple[object, ...] = ()

    @property
    def y(self) -> NDArray[np.float64]:
        """(N,) the ordinates, NaN where there is none."""
        return self._y.values

    @property
    def banded(self) -> bool:
        """Whether it has a band."""
        return len(self._low.values) > 0

    @property
    def there(self) -> bool:
        """Whether there is anything to draw."""
        return len(self.x) > 0

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look up what is drawn now."""
        if self._view.history:
            self._take_history(history)
        else:
            self._take_arrays(snapshot)

    def _take_history(self, history: History) -> None:
        series = self.series
        run = (history, history.generation)
        if run != self._run:
            self._clear()
            self._run = run
        if series.key not in history.keys:
            self.x = _EMPTY
            return
        self.x = history.whole(series.x or self._view.over or "step")
        self.shown = history.shown
        self._sorted = not (series.x or self._view.over) or bool(np.all(np.diff(self.x) >= 0.0))
        self._y.follow(history.whole(series.key))
        if series.low and series.high and series.low in history.keys:
            self._low.follow(history.whole(series.low))
            self._high.follow(history.whole(series.high))

    def _take_arrays(self, snapshot: Snapshot) -> None:
        self._clear()
        series = self.series
        y = array_of(snapshot, series.key)
        if y is None:
            self.x = _EMPTY
            return
        y = y.astype(np.float64).ravel()
        over = array_of(snapshot, series.x or self._view.over)
        x = np.arange(len(y), dtype=np.float64) if over is None else over.astype(float).ravel()
        count = min(len(x), len(y))
        self.x, self.shown = x[:count], count
        self._sorted = bool(np.all(np.diff(self.x) >= 0.0))
        self._y.follow(y[:count])
        low, high = array_of(snapshot, series.low), array_of(snapshot, series.high)
        if low is not None and high is not None and len(low) >= count and len(high) >= count:
            self._low.follow(low.astype(np.float64).ravel()[:count])
            self._high.follow(high.astype(np.float64).ravel()[:count])

    def _clear(self) -> None:
        for column in (self._y, self._low, self._high):
            column.clear()
            column.values = _EMPTY

    def x_range(self) -> tuple[float, float]:
        """Least and greatest abscissa with a place on the axis; NaN for none."""
        x = self.x
        if self._view.x.log and self._sorted:
            x = x[np.searchsorted(x, 0.0, "right") :]
        elif self._view.x.log:
            x = x[x > 0.0]
        if not len(x):
            return np.nan, np.nan
        if self._sorted:
            return float(x[0]), float(x[-1])
        return float(np.fmin.reduce(x)), float(np.fmax.reduce(x))

    def y_range(self) -> tuple[float, float]:
        """Least and greatest ordinate, with those of the band; NaN for none."""
        count = len(self.x)
        low, high = self._y.extremes.range(self.y, 0, count)
        if self.banded:
            low = np.fmin(low, self._low.extremes.range(self._low.values, 0, count)[0])
            high = np.fmax(high, self._high.extremes.range(self._high.values, 0, count)[1])
        return float(low), float(high)

    def points(
        self, edges: NDArray[np.float64], first: int, last: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The line through the points from `first` to before `last`, thinned to columns."""
        x, y = self.x[first:last], self.y[first:last]
        if not self._sorted:
            step = max(1, -(-len(x) // _MOST_UNSORTED))
            return x[::step], y[::step]
        return thinned_line(x, y, edges, self._y.extremes if first == 0 else None)

    def band(
        self, edges: NDArray[np.float64], last: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Abscissae and ends of the band, without gaps, thinned to columns of pixels."""
        if not self._sorted or not self.banded:
            return _EMPTY, _EMPTY, _EMPTY
        x = self.x[:last]
        if len(x) <= len(edges):
            low, high = self._low.values[:last], self._high.values[:last]
        else:
            starts = np.searchsorted(x, edges)
            low = self._low.extremes.between(self._low.values[:last], starts)[0]
            high = self._high.extremes.between(self._high.values[:last], starts)[1]
            x = 0.5 * (edges[1:] + edges[:-1])
        there = np.isfinite(low) & np.isfinite(high)
        return x[there], low[there], high[there]

    def at(self, x: float) -> tuple[float, float]:
        """The point nearest to an abscissa among those that are shown; NaN where there is none."""
        count = min(self.shown, len(self.x))
        if not count:
            return np.nan, np.nan
        if self._sorted:
            place = int(np.searchsorted(self.x[:count], x))
            near = [p for p in (place - 1, place) if 0 <= p < count]
            best = min(near, key=lambda p: abs(self.x[p] - x))
        else:
            gaps = np.abs(self.x[:count] - x)
            best = int(np.nanargmin(gaps)) if np.isfinite(gaps).any() else 0
        return float(self.x[best]), float(self.y[best])

    def end(self) -> tuple[float, float]:
        """The last point that is shown and has a place; NaN where there is none."""
        count = min(self.shown, len(self.x))
        tail = self.y[max(0, count - 4096) : count]
        there = np.flatnonzero(np.isfinite(tail))
        if not len(there):
            return np.nan, np.nan
        place = max(0, count - 4096) + int(there[-1])
        return float(self.x[place]), float(self.y[place])
