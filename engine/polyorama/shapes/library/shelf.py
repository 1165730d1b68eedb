"""One shelf of vectors: those that one model made of views by one recipe.

Vectors of unlike models or recipes are never compared; each pair has its own files. The database
names the row of each content; rows are written and flushed before they are named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.shapes.library.vectors import RowFile, checksum

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.shapes.embedder import ShapeEmbedding
    from polyorama.shapes.library.db import Database, Transaction

__all__ = ["Placed", "Shelf", "open_shelf"]

_TAIL = 256
"""Rows whose checksums are looked at before each run of the index: the last ones written."""
_MOST_DIMENSIONS = 16_384
_COMPACTED_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a content's vectors lie: its row, its first view's row, how many views, checksum."""

    content: str
    place: int
    first_view: int
    views: int
    sum: int


class Shelf:
    """The vectors of one model and recipe.

    Parameters
    ----------
    db
        Names the rows.
    folder
        Where the files lie.
    number, generation
        As the database has them; a compacted shelf is of the next generation.
    dimensions
        D.
    """

    def __init__(
        self, db: Database, folder: Path, number: int, generation: int, dimensions: int
    ) -> None:
        self.db = db
        self.number = number
        self.generation = generation
        self.dimensions = dimensions
        self._folder = folder
        stem = f"shelf-{number}-{generation}"
        self.shapes = RowFile(folder / f"{stem}.f32", dimensions, np.float32)
        self.views = RowFile(folder / f"{stem}.f16", dimensions, np.float16)

    def matrix(self, count: int) -> NDArray[np.float32]:
        """(count, D) vectors of shapes, mapped.

        Raises
        ------
        FileFormatError
            If the file has fewer; the next run of the index makes them again.
        """
        rows = self.shapes.rows(count)
        if len(rows) < count:
            raise FileFormatError(
                f"Vectors of the library are missing; run the index again: {self.shapes.path}"
            )
        return rows

    def views_of(self, first: int, count: int) -> NDArray[np.float32]:
        """(count, D) vectors of the views from row `first` on; empty where they are missing."""
        rows = self.views.rows(first + count)[first:]
        return np.asarray(rows, np.float32)

    def append(self, items: Sequence[tuple[str, ShapeEmbedding]]) -> list[Placed]:
        """Write vectors and flush them; the database is to name them after that.

        Parameters
        ----------
        items
            Contents and their embeddings.
        """
        # Rows that were named once are never written over: readers may still hold them.
        place, first = self._ends()
        shapes, views, placed = [], [], []
        start = first
        for at, (content, embedding) in enumerate(items):
            shape = np.ascontiguousarray(embedding.vector, self.shapes.dtype)
            each = np.ascontiguousarray(embedding.views, self.views.dtype)
            shapes.append(shape)
            views.append(each)
            placed.append(Placed(content, place + at, first, len(each), checksum(shape, each)))
            first += len(each)
        self.shapes.append(place, shapes)
        self.views.append(start, views)
        return placed

    def name(self, transaction: Transaction, placed: Iterable[Placed]) -> None:
        """Let the database name the rows that were written last."""
        rows = list(placed)
        transaction.many(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?)",
            ((self.number, p.content, p.place, p.first_view, p.views, p.sum) for p in rows),
        )
        if rows:
            transaction.execute(
                "UPDATE shelves SET next_place = ?, next_view = ? WHERE id = ?",
                (rows[-1].place + 1, rows[-1].first_view + rows[-1].views, self.number),
            )

    def repair(self, *, everything: bool = False) -> int:
        """Drop what the database names but the files do not hold; returns how many.

        Parameters
        ----------
        everything
            Compare all checksums, not those of the last rows alone.
        """
        shapes, views = self.shapes.count(), self.views.count()
        named = self.db.rows(
            "SELECT content, place, first_view, views, sum FROM vectors WHERE shelf = ? "
            "ORDER BY place", (self.number,),
        )  # fmt: skip
        unsure = len(named) if everything else _TAIL
        bad: list[str] = []
        for at, row in enumerate(named):
            item = Placed(*row)
            whole = item.place < shapes and item.first_view + item.views <= views
            if not whole or (at >= len(named) - unsure and not self._holds(item)):
                bad.append(item.content)
        if bad:
            with self.db.writing() as transaction:
                self._drop(transaction, bad)
        return len(bad)

    def compact(self) -> bool:
        """Write the files anew without the rows that nothing names, if those are the most."""
        last = self._ends()[0]
        named = [
            Placed(*row)
            for row in self.db.rows(
                "SELECT content, place, first_view, views, sum FROM vectors WHERE shelf = ? "
                "ORDER BY place", (self.number,),
            )
        ]  # fmt: skip
        if last < _COMPACTED_ROWS or 2 * len(named) > last:
            return False
        fresh = Shelf(self.db, self._folder, self.number, self.generation + 1, self.dimensions)
        fresh.shapes.remove()  # of a run that was killed here
        fresh.views.remove()
        shapes, views = self.shapes.rows(last), self.views.rows(self.views.count())
        moved, first = [], 0
        for place, item in enumerate(named):
            moved.append(Placed(item.content, place, first, item.views, item.sum))
            first += item.views
        fresh.shapes.append(0, [shapes[item.place] for item in named])
        fresh.views.append(0, [views[i.first_view : i.first_view + i.views] for i in named])
        with self.db.writing() as transaction:
            transaction.execute("DELETE FROM vectors WHERE shelf = ?", (self.number,))
            fresh.name(transaction, moved)
            # The rows of the new file are counted from its start, also where nothing is left.
            transaction.execute(
                "UPDATE shelves SET generation = ?, next_place = ?, next_view = ? WHERE id = ?",
                (fresh.generation, len(moved), first, self.number),
            )
            transaction.touch([])
        self.shapes.remove()
        self.views.remove()
        return True

    def _ends(self) -> tuple[int, int]:
        """The rows after the last shape and the last view that were ever named."""
        row = self.db.one("SELECT next_place, next_view FROM shelves WHERE id = ?", (self.number,))
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def _holds(self, item: Placed) -> bool:
        shape = self.shapes.rows(item.place + 1)[item.place]
        views = self.views.rows(item.first_view + item.views)[item.first_view :]
        return checksum(shape, views) == item.sum

    def _drop(self, transaction: Transaction, contents: Sequence[str]) -> None:
        touched: list[int] = []
        for content in contents:
            transaction.execute(
                "DELETE FROM vectors WHERE shelf = ? AND content = ?", (self.number, content)
            )
            rows = transaction.execute("SELECT id FROM assets WHERE content = ?", (content,))
            touched += [int(asset) for (asset,) in rows]
        transaction.touch(touched)


def open_shelf(
    db: Database, folder: Path, model: str, recipe: str, dimensions: int | None = None
) -> Shelf | None:
    """The shelf of a model and recipe; None where there is none.

    Parameters
    ----------
    db, folder
        Of the library.
    model, recipe
        Names of the embedder and of how views are made.
    dimensions
        D; given, the shelf is made where there is none.

    Raises
    ------
    FileFormatError
        If the model now makes vectors of another length under the same name.
    """
    sql = "SELECT id, generation, dimensions FROM shelves WHERE model = ? AND recipe = ?"
    row: tuple[Any, ...] | None = db.one(sql, (model, recipe))
    if row is None and dimensions is not None:
        with db.writing() as transaction:
            transaction.execute(
                "INSERT OR IGNORE INTO shelves (model, recipe, dimensions, generation) "
                "VALUES (?, ?, ?, 1)", (model, recipe, dimensions),
            )  # fmt: skip
        row = db.one(sql, (model, recipe))
    if row is None:
        return None
    number, generation, there = (int(value) for value in row)
    if not 0 < there <= _MOST_DIMENSIONS or (dimensions is not None and there != dimensions):
        raise FileFormatError(
            f"The model {model} makes vectors of {dimensions} numbers, those of the library have "
            f"{there}; index into a new folder with --library: {folder}"
        )
    return Shelf(db, folder, number, generation, there)
