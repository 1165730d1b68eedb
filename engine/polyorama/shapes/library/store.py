"""What the index writes: assets, contents, notes and failures, and who takes whose place."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.shapes.library.notes import plain_name
from polyorama.shapes.library.pictures import encoded, look_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from polyorama.shapes.library.asset import Described
    from polyorama.shapes.library.db import Database, Transaction
    from polyorama.shapes.library.examine import Examined
    from polyorama.shapes.library.notes import Note
    from polyorama.shapes.library.shelf import Placed, Shelf

__all__ = ["Found", "Known", "forget_old", "known_files", "let_go", "mark_gone", "save"]

_KEPT_S = 30 * 24 * 3600.0
"""How long the library remembers what is gone: tags and vectors come back with the file."""
_FOLDER_WORDS = 3


@dataclass(frozen=True, slots=True)
class Known:
    """What the library has of a path: its stamp and what it depends on, content "" if it failed."""

    asset: int
    stamp: str
    depends: tuple[str, ...]
    content: str
    gone: bool


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An examined file with what lies beside it, ready to be written."""

    file: Examined
    note: Note
    licence: str


def known_files(db: Database) -> tuple[dict[str, Known], dict[str, Known]]:
    """Assets and failures by path."""
    assets = db.rows("SELECT path, id, stamp, depends, content, gone_at IS NOT NULL FROM assets")
    failures = db.rows("SELECT path, 0, stamp, depends, '', 0 FROM failures")
    first, second = (
        {
            os.fsdecode(path): Known(asset, stamp, tuple(json.loads(depends)), content, bool(gone))
            for path, asset, stamp, depends, content, gone in rows
        }
        for rows in (assets, failures)
    )
    return first, second


def save(
    db: Database,
    shelf: Shelf,
    batch: Sequence[Found],
    placed: Iterable[Placed],
    vanished: Callable[[str], bool],
) -> list[str]:
    """Write a batch in one transaction, vectors named last; says what became of each file.

    Parameters
    ----------
    db, shelf
        Of the library.
    batch
        Files; those with a reason go to the failures.
    placed
        Vectors of contents among them.
    vanished
        Whether a known file is no longer at its path.

    Returns
    -------
    "added", "changed", "moved" or "failed" for each of the batch.
    """
    with db.writing() as transaction:
        shelf.name(transaction, placed)
        return [_save_one(transaction, found, vanished) for found in batch]


def mark_gone(db: Database, assets: Sequence[int]) -> None:
    """Let assets vanish whose files did; their tags and vectors stay for a month."""
    if not assets:
        return
    with db.writing() as transaction:
        let_go(transaction, assets)


def forget_old(db: Database) -> None:
    """Drop what has been gone for a month, and contents and vectors that nothing has any more."""
    with db.writing() as transaction:
        transaction.execute(
            "DELETE FROM assets WHERE gone_at IS NOT NULL AND gone_at < ?",
            (time.time() - _KEPT_S,),
        )
        for table in ("contents", "thumbnails", "vectors"):
            transaction.execute(
                f"DELETE FROM {table} WHERE content NOT IN (SELECT content FROM assets)"
            )


def let_go(transaction: Transaction, assets: Sequence[int]) -> None:
    """Let assets vanish within a transaction; see `mark_gone`."""
    if not assets:
        return
    transaction.many(
        "UPDATE assets SET gone_at = ?, duplicates = NULL WHERE id = ?",
        ((time.time(), asset) for asset in assets),
    )
    transaction.touch(assets)
    for asset in assets:
        transaction.index_words(asset)


def _save_one(transaction: Transaction, found: Found, vanished: Callable[[str], bool]) -> str:
    file = found.file
    path = os.fsencode(file.path)
    depends = json.dumps(file.depends)
    if file.reason:
        transaction.execute(
            "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?)",
            (path, file.reason, file.stamp, depends),
        )
        # What was known of it is no longer true; its tags come back with a whole file.
        rows = transaction.execute(
            "SELECT id FROM assets WHERE path = ? AND gone_at IS NULL", (path,)
        ).fetchall()
        let_go(transaction, [int(asset) for (asset,) in rows])
        return "failed"
    if file.described is not None:
        _save_content(transaction, file.content, file.described)
    transaction.execute("DELETE FROM failures WHERE path = ?", (path,))
    asset, fate = _asset_for(transaction, file.path, file.content, vanished)
    where = Path(file.path)
    values = (
        path, plain_name(where.stem).casefold(), _folder_words(where), file.content,
        where.suffix[1:].lower(), file.bytes, file.stamp, depends,
        found.note.licence or found.licence, found.note.title or plain_name(where.stem),
        transaction.revision,
    )  # fmt: skip
    if asset is None:
        cursor = transaction.execute(
            "INSERT INTO assets (path, name, folder, content, format, bytes, stamp, depends, "
            "licence, caption, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values,
        )  # fmt: skip
        asset = int(cursor.lastrowid or 0)
    else:
        transaction.execute(
            "UPDATE assets SET path = ?, name = ?, folder = ?, content = ?, format = ?, bytes = ?, "
            "stamp = ?, depends = ?, licence = ?, caption = ?, revision = ?, gone_at = NULL "
            "WHERE id = ?", (*values, asset),
        )  # fmt: skip
    _save_tags(transaction, asset, found.note.tags)
    transaction.index_words(asset)
    return fate


def _asset_for(
    transaction: Transaction, path: str, content: str, vanished: Callable[[str], bool]
) -> tuple[int | None, str]:
    """The asset that a file is: the one of its path, else one of its content that left its own."""
    row = transaction.execute("SELECT id FROM assets WHERE path = ?", (os.fsencode(path),))
    same = row.fetchone()
    if same is not None:
        return int(same[0]), "changed"
    rows = transaction.execute(
        "SELECT id, path, gone_at FROM assets WHERE content = ?", (content,)
    ).fetchall()
    left = [
        (os.path.basename(os.fsdecode(old)) != os.path.basename(path), int(asset))
        for asset, old, gone in rows
        if gone is not None or vanished(os.fsdecode(old))
    ]
    return (min(left)[1], "moved") if left else (None, "added")


def _save_content(transaction: Transaction, content: str, described: Described) -> None:
    x, y, z = (float(value) for value in described.size)
    transaction.execute(
        "INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            content, described.kind, described.polygons, described.splats, x, y, z,
            look_of(described.views).tobytes(),
        ),
    )  # fmt: skip
    transaction.execute(
        "INSERT OR REPLACE INTO thumbnails VALUES (?, ?)", (content, encoded(described.thumbnail))
    )


def _save_tags(transaction: Transaction, asset: int, tags: Iterable[str]) -> None:
    own = transaction.execute("SELECT own_tags FROM assets WHERE id = ?", (asset,)).fetchone()
    if own is not None and own[0]:  # the person's tags are the last word
        return
    transaction.execute("DELETE FROM tags WHERE asset = ?", (asset,))
    transaction.many("INSERT OR IGNORE INTO tags VALUES (?, ?)", ((asset, tag) for tag in tags))


def _folder_words(path: Path) -> str:
    """The last names of the folder as words; those above say where the disk is, not what is."""
    names = [name for name in path.parent.parts if name != path.anchor]
    return " ".join(plain_name(name) for name in names[-_FOLDER_WORDS:])
