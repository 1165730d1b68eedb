"""The library's database: its tables, their migrations, and one connection a thread.

Readers and the one writer work side by side (write-ahead log). Every change of what can be found
raises a revision number, which rows remember, so that readers load only what is new to them.
Paths are kept as the system's bytes, since names need not be text.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import weakref
from typing import TYPE_CHECKING, Any

from polyorama.core.text import reason_of
from polyorama.errors import FileFormatError, OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

__all__ = ["Database"]

_BUSY_S = 20.0
_APPLICATION = 0x504F4C59
"""SQLite's application id of libraries: "POLY"."""

_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', '0');
CREATE TABLE folders (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE contents (
    content TEXT PRIMARY KEY, kind TEXT NOT NULL, polygons INTEGER, splats INTEGER,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL, look BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE thumbnails (content TEXT PRIMARY KEY, picture BLOB NOT NULL);
CREATE TABLE assets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
    folder TEXT NOT NULL, content TEXT NOT NULL, format TEXT NOT NULL, bytes INTEGER NOT NULL,
    stamp TEXT NOT NULL, depends TEXT NOT NULL,
    licence TEXT NOT NULL, caption TEXT NOT NULL, own_licence TEXT, own_caption TEXT,
    own_tags INTEGER NOT NULL DEFAULT 0, duplicates INTEGER, revision INTEGER NOT NULL, gone_at REAL
);
CREATE INDEX assets_by_revision ON assets (revision);
CREATE INDEX assets_by_content ON assets (content);
CREATE INDEX assets_by_name ON assets (name);
CREATE TABLE tags (
    asset INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    tag TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY (asset, tag)
) WITHOUT ROWID;
CREATE INDEX assets_by_tag ON tags (tag);
CREATE TABLE failures (
    path BLOB PRIMARY KEY, reason TEXT NOT NULL, stamp TEXT NOT NULL, depends TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE shelves (
    id INTEGER PRIMARY KEY, model TEXT NOT NULL, recipe TEXT NOT NULL, dimensions INTEGER NOT NULL,
    generation INTEGER NOT NULL, next_place INTEGER NOT NULL DEFAULT 0,
    next_view INTEGER NOT NULL DEFAULT 0, UNIQUE (model, recipe)
);
CREATE TABLE vectors (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE, content TEXT NOT NULL,
    place INTEGER NOT NULL, first_view INTEGER NOT NULL, views INTEGER NOT NULL,
    sum INTEGER NOT NULL, PRIMARY KEY (shelf, content)
) WITHOUT ROWID;
CREATE UNIQUE INDEX vectors_by_place ON vectors (shelf, place);
CREATE INDEX vectors_by_content ON vectors (content);
CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE);
CREATE TABLE members (
    collection INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    asset INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    PRIMARY KEY (collection, asset)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    name, tags, caption, folder, tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE word_counts USING fts5vocab (words, row);
"""

_MIGRATIONS: tuple[str, ...] = (_FIRST,)
"""Each leads from one format to the next; the format is SQLite's user_version."""


class _Connection(sqlite3.Connection):
    """One that can be referred to weakly: it closes with the last thread that has it."""


class Database:
    """One database file, used by any number of threads and processes at once.

    Parameters
    ----------
    path
        The file; it is made where there is none.

    Raises
    ------
    FileFormatError
        If it is damaged, no library, or of a newer version of the program.
    OutputError
        If it cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._closed = False
        with self.guarded():
            self._prepare(self._connection())

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a query finds."""
        with self.guarded():
            return self._connection().execute(sql, values).fetchall()

    def one(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row that a query finds, or None."""
        with self.guarded():
            row: tuple[Any, ...] | None = self._connection().execute(sql, values).fetchone()
        return row

    def number(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one whole number that a query finds; 0 where it finds nothing."""
        row = self.one(sql, values)
        return 0 if row is None or row[0] is None else int(row[0])

    @property
    def revision(self) -> int:
        """Raised by whatever changes what can be found."""
        return self.number("SELECT value FROM meta WHERE key = 'revision'")

    @contextlib.contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction: all of the block is kept, or nothing."""
        with self.guarded():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield Transaction(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """All queries of the block see one state, whatever others write meanwhile."""
        with self.guarded():
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                yield
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def check(self) -> None:
        """Read all of it.

        Raises
        ------
        FileFormatError
            If any part is damaged.
        """
        rows = self.rows("PRAGMA integrity_check(1)")
        if rows != [("ok",)]:
            raise FileFormatError(self._damaged())

    def close(self) -> None:
        """Close all connections; nothing can be asked afterwards."""
        with self._lock:
            self._closed = True
            for connection in list(self._opened):
                connection.close()
            self._opened.clear()

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn SQLite's errors into one sentence about the library."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OutputError(self._refused(error)) from error
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
                raise
            raise FileFormatError(self._damaged()) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise UsageError(
                f"The library cannot be asked for what is neither text nor a number of its own "
                f"({reason_of(error)}); correct it."
            ) from error

    def _refused(self, error: sqlite3.OperationalError) -> str:
        text = str(error)
        if "locked" in text or "busy" in text:
            return f"Another program keeps the library busy; try again in a moment: {self.path}"
        if "readonly" in text or "unable to open" in text:
            return (
                f"The library cannot be written here; choose another folder with --library: "
                f"{self.path}"
            )
        if "full" in text:
            return f"The disk is full, so the library cannot be written: {self.path}"
        return f"The library's database refused ({text}): {self.path}"

    def _damaged(self) -> str:
        return (
            f"The library's database is damaged; move its folder away and index again, your models "
            f"are untouched: {self.path}"
        )

    def _connection(self) -> sqlite3.Connection:
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._lock:
                if self._closed:
                    raise UsageError(f"The library is closed already: {self.path}")
                connection = sqlite3.connect(
                    self.path,
                    timeout=_BUSY_S,
                    isolation_level=None,
                    check_same_thread=False,
                    factory=_Connection,
                )
                self._opened.add(connection)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = NORMAL")
            self._local.connection = connection
        elif self._closed:
            raise UsageError(f"The library is closed already: {self.path}")
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == len(_MIGRATIONS):
            return
        if version > len(_MIGRATIONS):
            raise FileFormatError(
                f"The library was made by a newer version of Polyorama; update this one: "
                f"{self.path}"
            )
        # Two programs may come here at once: the second finds the work done.
        connection.execute("BEGIN EXCLUSIVE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            connection.execute("ROLLBACK")
            raise FileFormatError(f"This database is no library of shapes: {self.path}")
        for script in _MIGRATIONS[version:]:
            for statement in script.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute("COMMIT")


class Transaction:
    """What may be written within `Database.writing`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._revision: int | None = None

    @property
    def revision(self) -> int:
        """The revision that this transaction makes; asking for it is what raises it."""
        if self._revision is None:
            self.execute("UPDATE meta SET value = value + 1 WHERE key = 'revision'")
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'revision'")
            self._revision = int(row.fetchone()[0])
        return self._revision

    def execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Do one statement."""
        return self._connection.execute(sql, values)

    def many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Do one statement with many rows."""
        self._connection.executemany(sql, values)

    def touch(self, ids: Iterable[int]) -> None:
        """Let readers load these assets again."""
        revision = self.revision
        self.many("UPDATE assets SET revision = ? WHERE id = ?", ((revision, i) for i in ids))

    def index_words(self, asset: int) -> None:
        """Write the words that an asset is found by; none for one that is gone."""
        self.execute("DELETE FROM words WHERE rowid = ?", (asset,))
        row = self.execute(
            "SELECT name, coalesce(own_caption, caption), folder FROM assets "
            "WHERE id = ? AND gone_at IS NULL", (asset,),
        ).fetchone()  # fmt: skip
        if row is None:
            return
        tags = self.execute("SELECT tag FROM tags WHERE asset = ?", (asset,)).fetchall()
        name, caption, folder = row
        self.execute(
            "INSERT INTO words (rowid, name, tags, caption, folder) VALUES (?, ?, ?, ?, ?)",
            (asset, name, " ".join(tag for (tag,) in tags), caption, folder),
        )
