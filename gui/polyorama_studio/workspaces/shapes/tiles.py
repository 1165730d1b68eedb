"""Where the cells of the grid lie: pure geometry over a number of rows of one size."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from polyorama_studio.theme import Metrics

__all__ = ["Tiles"]


@dataclass(frozen=True, slots=True)
class Tiles:
    """Cells in rows.

    Parameters
    ----------
    count
        Of cells.
    width
        Of the view, px.
    side
        Least side of a picture, px; pictures grow until they fill the width.
    """

    count: int
    width: int
    side: int

    @property
    def gap(self) -> int:
        """Between cells, px."""
        return Metrics.space[2]

    @property
    def columns(self) -> int:
        """Cells in a row."""
        return max(1, (self.width - self.gap) // (self.side + self.gap))

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell, px."""
        wide = (self.width - self.gap * (self.columns + 1)) / self.columns
        wide = float(max(int(wide), Metrics.control))
        return wide, wide + Metrics.row + Metrics.space[0]

    @property
    def rows(self) -> int:
        """How many there are."""
        return -(-self.count // self.columns)

    @property
    def pitch(self) -> float:
        """From one row to the next, px."""
        return self.cell[1] + self.gap

    @property
    def height(self) -> int:
        """Of all rows, px."""
        return round(self.rows * self.pitch) + self.gap if self.count else 0

    def box(self, index: int, scroll: int = 0) -> QRectF:
        """Where a cell lies in a view that is scrolled so far."""
        row, column = divmod(index, self.columns)
        wide, high = self.cell
        return QRectF(
            self.gap + column * (wide + self.gap), self.gap + row * self.pitch - scroll, wide, high
        )

    def at(self, place: QPointF, scroll: int = 0) -> int:
        """Which cell lies there, -1 for none."""
        wide = self.cell[0]
        column, inside = divmod(place.x() - self.gap, wide + self.gap)
        row, below = divmod(place.y() + scroll - self.gap, self.pitch)
        if not (0 <= column < self.columns and row >= 0 and inside < wide):
            return -1
        if below >= self.cell[1]:
            return -1
        index = int(row) * self.columns + int(column)
        return index if index < self.count else -1

    def seen(self, scroll: int, height: int) -> range:
        """The cells that a view of that height shows."""
        first = int(max(0.0, scroll - self.gap) // self.pitch)
        last = int((scroll + height) // self.pitch) + 1
        return range(
            min(first * self.columns, self.count), min(last * self.columns, self.count)
        )  # fmt: skip
