"""What is known of all assets, as columns in memory: filters and rankings need no database.

A catalogue never changes; a newer one is made from it and from the rows that changed since.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.shapes.library.db import Database

__all__ = ["Catalogue", "Words", "load_catalogue"]

_ROWS = """
SELECT a.id, a.bytes, coalesce(c.polygons, -1), coalesce(c.splats, -1), coalesce(v.place, -1),
    coalesce(v.first_view, -1), coalesce(v.views, 0), coalesce(a.duplicates, -1),
    a.gone_at IS NULL,
    a.format, coalesce(c.kind, ''), coalesce(a.own_licence, a.licence), a.path
FROM assets a LEFT JOIN contents c ON c.content = a.content
LEFT JOIN vectors v ON v.shelf = ? AND v.content = a.content
WHERE a.revision > ? ORDER BY a.id
"""
_NUMBERS = (
    "ids", "bytes", "polygons", "splats", "place", "first_view", "views", "group", "present",
)  # fmt: skip
_NAMES = ("format", "kind", "licence", "folder")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A column of few different texts.

    Parameters
    ----------
    codes
        (N,) int32, which of `texts` each asset has.
    texts
        Every text once.
    """

    codes: NDArray[np.int32]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Columns of N assets by ascending id, those among them that are gone included.

    Parameters
    ----------
    revision
        Of the database, when they were read.
    numbers
        (N,) int64 columns: ids, bytes, polygons and splats (-1 where there is no such thing),
        place (row of the vector, -1 without), first_view, views, group (of near-duplicates, -1
        without), present (0 or 1).
    words
        Columns format, kind, licence and folder.
    """

    revision: int
    numbers: dict[str, NDArray[np.int64]]
    words: dict[str, Words]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ids(self) -> NDArray[np.int64]:
        """(N,) ascending."""
        return self.numbers["ids"]

    @property
    def place(self) -> NDArray[np.int64]:
        """(N,) rows of vectors, -1 without."""
        return self.numbers["place"]

    @property
    def present(self) -> NDArray[np.bool_]:
        """(N,) whether the file is there."""
        return np.asarray(self.numbers["present"] != 0)

    @property
    def rows(self) -> int:
        """How many rows of the matrix are named."""
        return int(self.place.max(initial=-1)) + 1

    def where(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions of those ids that are known, in their order."""
        if not len(self) or not len(ids):
            return np.empty(0, np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self) - 1)
        return np.asarray(at[self.ids[at] == ids], np.int64)

    def mask(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(N,) True at those ids."""
        found = np.zeros(len(self), np.bool_)
        found[self.where(ids)] = True
        return found


def load_catalogue(db: Database, shelf: int, before: Catalogue | None) -> Catalogue:
    """The catalogue as the database is now.

    Parameters
    ----------
    db
        Of the library.
    shelf
        Whose vectors it names; 0 for none.
    before
        An older catalogue of the same shelf, whose rows are kept where they have not changed.
    """
    revision = db.revision
    if before is not None and before.revision == revision:
        return before
    with db.reading():
        revision = db.revision
        rows = db.rows(_ROWS, (shelf, -1 if before is None else before.revision))
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) if rows else [()] * 13
    fresh = dict(zip(_NUMBERS, (np.array(c, np.int64) for c in columns[:9]), strict=True))
    texts: list[list[str]] = [list(column) for column in columns[9:12]]
    texts.append([os.path.dirname(os.fsdecode(path)) for path in columns[12]])
    old = {name: None if before is None else before.words[name] for name in _NAMES}
    words = {name: _coded(t, old[name]) for name, t in zip(_NAMES, texts, strict=True)}
    if before is None or not len(before):
        return Catalogue(revision, fresh, words)
    return _merged(before, revision, fresh, words)


def _coded(texts: list[str], before: Words | None) -> Words:
    """Codes of texts, going on with those that were given before."""
    known = {} if before is None else {text: code for code, text in enumerate(before.texts)}
    codes = np.fromiter(
        (known.setdefault(text, len(known)) for text in texts), np.int32, len(texts)
    )
    return Words(codes, tuple(known))


def _merged(
    before: Catalogue, revision: int, fresh: dict[str, NDArray[np.int64]], words: dict[str, Words]
) -> Catalogue:
    changed = before.mask(fresh["ids"])
    # Rows that changed are put to the end, then all are sorted again by id.
    ids = np.concatenate([before.ids[~changed], fresh["ids"]])
    order = np.argsort(ids, kind="stable")
    numbers = {
        name: np.concatenate([before.numbers[name][~changed], fresh[name]])[order]
        for name in _NUMBERS
    }
    merged = {
        name: Words(
            np.concatenate([before.words[name].codes[~changed], words[name].codes])[order],
            words[name].texts,
        )
        for name in _NAMES
    }
    return Catalogue(revision, numbers, merged)
