"""The scalars of a run, step by step, as curves draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["History"]

_FIRST_ROOM = 1024


class History:
    """Columns of float64 that grow at their end; what is not known is NaN.

    `shown` rows of the `length` that there are lie at or before the moment that is shown.
    """

    def __init__(self) -> None:
        self.length = 0
        self.shown = 0
        self.generation = 0
        """Counts how often rows were taken back; what was drawn of them is then void."""
        self._columns: dict[str, NDArray[np.float64]] = {}

    def append(self, first: int, rows: Mapping[str, NDArray[np.float64]]) -> None:
        """Add rows from number `first` on; rows that were there from then on are replaced.

        Parameters
        ----------
        first
            Number of the first row, at most `length`.
        rows
            Columns of one length, "step" among them.
        """
        count = max((len(values) for values in rows.values()), default=0)
        if first < self.length:
            self.generation += 1
        self.length = first + count
        self.shown = min(self.shown, self.length)
        for key, values in rows.items():
            self._roomy(key)[first : first + len(values)] = values
        for key in list(self._columns):
            if key not in rows:
                self._roomy(key)[first : self.length] = np.nan

    def _roomy(self, key: str) -> NDArray[np.float64]:
        column = self._columns.get(key)
        if column is None:
            column = np.full(max(_FIRST_ROOM, 2 * self.length), np.nan)
            self._columns[key] = column
        elif len(column) < self.length:
            column = np.full(2 * self.length, np.nan)
            old = self._columns[key]
            column[: len(old)] = old
            self._columns[key] = column
        return column

    def clear(self) -> None:
        """Forget all rows."""
        self.length = self.shown = 0
        self.generation += 1
        self._columns.clear()

    def show(self, index: int) -> None:
        """Say which row is shown; those after it are not part of the columns."""
        self.shown = min(max(index + 1, 0), self.length)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    @property
    def steps(self) -> NDArray[np.float64]:
        """The steps of the rows up to the one that is shown."""
        return self.column("step")

    def column(self, key: str) -> NDArray[np.float64]:
        """A scalar up to the row that is shown, (shown,); all NaN where it never came."""
        column = self._columns.get(key)
        if column is None:
            return np.full(self.shown, np.nan)
        return column[: self.shown]

    def whole(self, key: str) -> NDArray[np.float64]:
        """A scalar over all rows, those after the shown one too."""
        column = self._columns.get(key)
        return np.full(self.length, np.nan) if column is None else column[: self.length]
