"""What a person adds to the library: folders, collections, tags, captions, licences."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polyorama.core.text import one_line, quoted
from polyorama.errors import FileFormatError, UsageError
from polyorama.shapes.library.store import let_go

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polyorama.shapes.library.db import Database, Transaction

__all__ = ["Organised", "PathText", "absolute", "existing_folder", "several"]

PathText: TypeAlias = "str | os.PathLike[str]"

_MOST_TEXT = 2000
_MOST_TAGS = 256


def several(given: Any) -> Sequence[Any]:
    """Several things as they are; one text, path, picture or number as a sequence of itself."""
    one = isinstance(given, str | bytes | os.PathLike | int | np.ndarray)
    return [given] if one else given


def existing_folder(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a folder.

    Raises
    ------
    FileFormatError
        If there is no such folder.
    """
    folder = absolute(path)
    if not folder.is_dir():
        raise FileFormatError(f"There is no such folder: {one_line(str(folder))}")
    return folder


class Organised:
    """What a person adds to a library: the part of it that needs no model.

    Parameters
    ----------
    db
        Of the library.
    """

    def __init__(self, db: Database) -> None:
        self.db = db

    def folders(self) -> tuple[Path, ...]:
        """Watched folders, by path."""
        return tuple(
            Path(os.fsdecode(p)) for (p,) in self.db.rows("SELECT path FROM folders ORDER BY path")
        )

    def add_folder(self, path: str | os.PathLike[str]) -> Path:
        """Watch a folder; nothing is read yet. Returns its absolute path.

        Raises
        ------
        FileFormatError
            If there is no such folder.
        """
        folder = existing_folder(path)
        with self.db.writing() as transaction:
            transaction.execute(
                "INSERT OR IGNORE INTO folders (path) VALUES (?)", (os.fsencode(folder),)
            )
        return folder

    def remove_folder(self, path: str | os.PathLike[str]) -> int:
        """Watch a folder no more: its shapes leave, its files stay. Returns how many left.

        Raises
        ------
        UsageError
            If it is not watched.
        """
        folder = absolute(path)
        with self.db.writing() as transaction:
            done = transaction.execute("DELETE FROM folders WHERE path = ?", (os.fsencode(folder),))
            if not done.rowcount:
                raise UsageError(f"This folder is not watched: {one_line(str(folder))}")
            rows = transaction.execute("SELECT path FROM folders").fetchall()
            kept = tuple(os.path.join(os.fsdecode(other), "") for (other,) in rows)
            below = os.path.join(folder, "")
            left = [
                int(asset)
                for asset, name in transaction.execute("SELECT id, path FROM assets").fetchall()
                if os.fsdecode(name).startswith(below) and not os.fsdecode(name).startswith(kept)
            ]
            let_go(transaction, left)
            failed = [row[0] for row in transaction.execute("SELECT path FROM failures").fetchall()]
            transaction.many(
                "DELETE FROM failures WHERE path = ?",
                ((name,) for name in failed if os.fsdecode(name).startswith(below)),
            )
        return len(left)

    def collections(self) -> dict[str, int]:
        """Collections and how many shapes each has, by name."""
        rows = self.db.rows(
            "SELECT c.name, count(a.id) FROM collections c "
            "LEFT JOIN members m ON m.collection = c.id "
            "LEFT JOIN assets a ON a.id = m.asset AND a.gone_at IS NULL "
            "GROUP BY c.id ORDER BY c.name"
        )
        return {name: int(count) for name, count in rows}

    def memberships(self, ids: Sequence[int]) -> dict[int, list[str]]:
        """Names of the collections that shapes are in, by their numbers."""
        marks = ", ".join("?" * len(ids))
        found: dict[int, list[str]] = {}
        for asset, name in self.db.rows(
            "SELECT m.asset, c.name FROM members m JOIN collections c ON c.id = m.collection "
            f"WHERE m.asset IN ({marks}) ORDER BY c.name", [int(number) for number in ids],
        ):  # fmt: skip
            found.setdefault(int(asset), []).append(name)
        return found

    def make_collection(self, name: str) -> None:
        """A new, empty collection.

        Raises
        ------
        UsageError
            If it has no name, or there is one of that name.
        """
        with self.db.writing() as transaction:
            transaction.execute(
                "INSERT INTO collections (name) VALUES (?)", (_free(transaction, name),)
            )

    def rename_collection(self, name: str, other: str) -> None:
        """Call a collection something else.

        Raises
        ------
        UsageError
            If there is no such collection, or the other name is taken.
        """
        with self.db.writing() as transaction:
            number = _collection(transaction, name)
            if other.casefold() != name.casefold():
                other = _free(transaction, other)
            transaction.execute("UPDATE collections SET name = ? WHERE id = ?", (other, number))

    def remove_collection(self, name: str) -> None:
        """Forget a collection; its shapes stay.

        Raises
        ------
        UsageError
            If there is no such collection.
        """
        with self.db.writing() as transaction:
            number = _collection(transaction, name)
            transaction.execute("DELETE FROM collections WHERE id = ?", (number,))

    def collect(self, name: str, ids: Sequence[int]) -> None:
        """Add shapes to a collection; those that are in it already stay.

        Raises
        ------
        UsageError
            If there is no such collection or shape.
        """
        with self.db.writing() as transaction:
            number = _collection(transaction, name)
            _check_assets(transaction, ids)
            transaction.many(
                "INSERT OR IGNORE INTO members VALUES (?, ?)",
                ((number, int(asset)) for asset in ids),
            )

    def uncollect(self, name: str, ids: Sequence[int]) -> None:
        """Take shapes out of a collection.

        Raises
        ------
        UsageError
            If there is no such collection.
        """
        with self.db.writing() as transaction:
            number = _collection(transaction, name)
            transaction.many(
                "DELETE FROM members WHERE collection = ? AND asset = ?",
                ((number, int(asset)) for asset in ids),
            )

    def set_tags(self, ids: Sequence[int], tags: Iterable[str]) -> None:
        """Give shapes these tags in place of all others; manifests change them no more.

        Raises
        ------
        UsageError
            If there is no such shape, or there are too many tags.
        """
        listed = [_text(tag) for tag in tags]
        kept = list({tag.casefold(): tag for tag in listed if tag}.values())
        if len(kept) > _MOST_TAGS:
            raise UsageError(f"A shape has up to {_MOST_TAGS} tags, not {len(kept):,}.")
        with self.db.writing() as transaction:
            _check_assets(transaction, ids)
            for asset in ids:
                transaction.execute("DELETE FROM tags WHERE asset = ?", (int(asset),))
                transaction.many("INSERT INTO tags VALUES (?, ?)", ((int(asset), t) for t in kept))
                transaction.execute("UPDATE assets SET own_tags = 1 WHERE id = ?", (int(asset),))
                transaction.index_words(int(asset))
            transaction.touch(ids)

    def set_licence(self, ids: Sequence[int], licence: str | None) -> None:
        """Set the licence of shapes; None lets what lies beside them say it again.

        Raises
        ------
        UsageError
            If there is no such shape.
        """
        self._set_own(ids, "own_licence", licence)

    def set_caption(self, ids: Sequence[int], caption: str | None) -> None:
        """Set the line of words about shapes; None for that of their manifest or name again.

        Raises
        ------
        UsageError
            If there is no such shape.
        """
        self._set_own(ids, "own_caption", caption)

    def _set_own(self, ids: Sequence[int], column: str, value: str | None) -> None:
        with self.db.writing() as transaction:
            _check_assets(transaction, ids)
            text = None if value is None else _text(value)
            transaction.many(
                f"UPDATE assets SET {column} = ? WHERE id = ?",
                ((text, int(asset)) for asset in ids),
            )
            for asset in ids:
                transaction.index_words(int(asset))
            transaction.touch(ids)


def absolute(path: str | os.PathLike[str]) -> Path:
    """An absolute path without dots in it; links stay as they are.

    Raises
    ------
    FileFormatError
        If it is no name: an empty text would be the folder we are in.
    """
    text = os.fspath(path)
    if not text or "\0" in text:
        raise FileFormatError(f"No file or folder can be called {quoted(text)}; say which one.")
    return Path(os.path.abspath(os.path.expanduser(text)))


def _text(text: str) -> str:
    return one_line(text[:_MOST_TEXT]).strip()


def _free(transaction: Transaction, name: str) -> str:
    text = _text(name)
    if not text:
        raise UsageError("A collection needs a name.")
    if transaction.execute("SELECT 1 FROM collections WHERE name = ?", (text,)).fetchone():
        raise UsageError(f"There is a collection {quoted(text)} already; choose another name.")
    return text


def _collection(transaction: Transaction, name: str) -> int:
    row = transaction.execute("SELECT id FROM collections WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise UsageError(f"There is no collection {quoted(name)}.")
    return int(row[0])


def _check_assets(transaction: Transaction, ids: Sequence[int]) -> None:
    for asset in ids:
        if not transaction.execute("SELECT 1 FROM assets WHERE id = ?", (int(asset),)).fetchone():
            raise UsageError(f"There is no shape of number {asset} in the library.")
