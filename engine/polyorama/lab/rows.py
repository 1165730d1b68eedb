"""The scalars of a run as columns that grow: one row a recorded snapshot, whatever its arrays."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.lab.snapshot import Value

__all__ = ["EXACT", "MOST_COLUMNS", "STEP", "Change", "Columns", "Rows"]

STEP = "step"
"""Name of the column of elementary steps."""

MOST_COLUMNS = 4096
"""Scalar keys that a run may have."""

_MOST_BYTES = 2 << 30
"""Memory that the columns of one run may take."""
_FIRST_ROOM = 256
EXACT = 2.0**53
"""Whole numbers up to this are exact as float64."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What a person changed in a run.

    Parameters
    ----------
    step
        Elementary steps done when it was changed.
    name
        Of a live parameter or a canvas.
    value
        A parameter's value, or an array for a canvas.
    index
        Snapshots that were recorded before it.
    """

    step: int
    name: str
    value: Any
    index: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Change):
            return NotImplemented
        same = (self.step, self.name, self.index) == (other.step, other.name, other.index)
        return same and bool(np.array_equal(self.value, other.value))

    def __hash__(self) -> int:
        return hash((self.step, self.name, self.index))


class Columns:
    """Float columns of equal length; a cell that was never filled is NaN and not present."""

    def __init__(self) -> None:
        self._values: dict[str, NDArray[np.float64]] = {}
        self._present: dict[str, NDArray[np.bool_]] = {}
        self._room = _FIRST_ROOM
        self.length = 0

    @property
    def names(self) -> tuple[str, ...]:
        """In the order in which they first came."""
        return tuple(self._values)

    def append(self, cells: Mapping[str, float]) -> None:
        """Add a row.

        Raises
        ------
        UsageError
            If the columns would become too many or too long.
        """
        self.reserve(1, cells)
        for name, value in cells.items():
            self._values[name][self.length] = value
            self._present[name][self.length] = True
        self.length += 1

    def extend(
        self,
        count: int,
        values: Mapping[str, NDArray[np.float64]],
        present: Mapping[str, NDArray[np.bool_]],
    ) -> None:
        """Add `count` rows; columns that are not named are not present in them."""
        self.reserve(count, values)
        rows = slice(self.length, self.length + count)
        for name, column in values.items():
            self._values[name][rows] = column
            self._present[name][rows] = present.get(name, True)
        self.length += count

    def reserve(self, count: int, names: Mapping[str, Any]) -> None:
        """Make room for `count` further rows and for columns of these names; raises as `append`."""
        new = [name for name in names if name not in self._values]
        total = len(self._values) + len(new)
        if total > MOST_COLUMNS:
            raise UsageError(
                f"A run keeps at most {MOST_COLUMNS:,} scalars a snapshot, not {total:,}; put them "
                f"into an array."
            )
        room = self._room
        while room < self.length + count:
            room *= 2
        if 9 * room * total > _MOST_BYTES and 9 * (self.length + count) * total > _MOST_BYTES // 2:
            raise UsageError(
                f"The record is full with {self.length:,} snapshots of {total:,} scalars; reset "
                f"the run, or look less often."
            )
        if room != self._room:
            self._values = {k: _grown(v, room, np.nan) for k, v in self._values.items()}
            self._present = {k: _grown(v, room, False) for k, v in self._present.items()}
            self._room = room
        for name in new:
            self._values[name] = np.full(room, np.nan)
            self._present[name] = np.zeros(room, np.bool_)

    def column(self, name: str, first: int = 0, stop: int | None = None) -> NDArray[np.float64]:
        """A column's rows from `first` on, read-only; later rows do not change it."""
        part = self._values[name][first : self.length if stop is None else stop]
        part.setflags(write=False)
        return part

    def present(self, name: str, first: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Which of these rows the column was given in."""
        return self._present[name][first : self.length if stop is None else stop]

    def row(self, index: int) -> dict[str, float]:
        """The cells that are present in a row."""
        return {
            name: float(values[index])
            for name, values in self._values.items()
            if self._present[name][index]
        }


def _grown(array: NDArray[Any], room: int, filling: Any) -> NDArray[Any]:
    grown = np.full(room, filling, array.dtype)
    grown[: len(array)] = array
    return grown


class Rows:
    """All of the recorded snapshots but their arrays."""

    def __init__(self) -> None:
        self.scalars = Columns()
        self.acting = Columns()
        self.notes: list[tuple[int, str]] = []
        """(row, note) wherever the note is another than in the row before."""
        self.ends: set[int] = set()
        """Rows whose snapshot says that the run is at its end."""

    def __len__(self) -> int:
        return self.scalars.length

    def append(self, snapshot: Snapshot) -> None:
        """Add what a snapshot has.

        Raises
        ------
        UsageError
            If it has a scalar called "step" that is not its step, or the columns are full.
        """
        cells = snapshot.scalars
        if cells.get(STEP, float(snapshot.step)) != snapshot.step or snapshot.step > EXACT:
            raise UsageError("The value 'step' of a snapshot is its step; call yours otherwise.")
        self.scalars.append({STEP: float(snapshot.step), **cells})
        self.acting.append(snapshot.acting)
        row = len(self) - 1
        if snapshot.note != self.note(row):
            self.notes.append((row, snapshot.note))
        if snapshot.done:
            self.ends.add(row)

    def note(self, row: int) -> str:
        """The note of a row."""
        place = bisect.bisect_right(self.notes, row, key=lambda pair: pair[0])
        return self.notes[place - 1][1] if place else ""

    def step(self, row: int) -> int:
        """The elementary step of a row."""
        return int(self.scalars.column(STEP, row, row + 1)[0])

    def snapshot(self, row: int, arrays: Mapping[str, NDArray[Any]]) -> Snapshot:
        """A row as it was seen, with these arrays."""
        cells = self.scalars.row(row)
        step = int(cells.pop(STEP))
        values: dict[str, Value] = {**cells, **arrays}
        return Snapshot(step, values, self.acting.row(row), self.note(row), row in self.ends)
