"""What words say by themselves: names, tags, captions and folders that contain them.

An asset's share of a query is the part of the query's words that it contains, each weighted by how
rare it is (inverse document frequency, Sparck Jones 1972, in the form that BM25 uses):

    share = sum over words w it contains of idf(w) f / sum over all words of idf(w),
    idf(w) = ln(1 + (N - n(w) + 1/2) / (n(w) + 1/2)),

with n(w) of N assets that contain w, and f = 1 for words of name, tags and caption, 0.4 for those
of the folder alone. Words that nothing contains count below the line, so a long sentence is not
answered by a name that shares one word of it. A name that is exactly the query has share 2.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from polyorama.shapes.library.notes import plain_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.shapes.library.catalogue import Catalogue
    from polyorama.shapes.library.db import Database

__all__ = ["shares"]

_FOLDER = 0.4
_EXACT = 2.0
_MOST_WORDS = 24
_MOST_ASSETS = 20_000
"""A word that as many contain tells little apart and costs much: it is passed over."""
_WORD = re.compile(r"\w+")
_STOP = frozenset({
    "a", "an", "the", "of", "and", "or", "with", "without", "in", "on", "at", "to", "for", "from",
    "is", "are", "as", "by", "its", "it", "this", "that", "like",
})  # fmt: skip


def shares(db: Database, catalogue: Catalogue, text: str) -> NDArray[np.float32] | None:
    """(N,) shares of the assets of a catalogue; None where the text matches nothing.

    Parameters
    ----------
    db
        Of the library.
    catalogue
        Of N assets.
    text
        The query; its last word may be unfinished, as while it is typed.
    """
    words = list(dict.fromkeys(_WORD.findall(text.casefold())))[:_MOST_WORDS]
    if not words:
        return None
    exact = {plain_name(text.strip()).casefold(), " ".join(_WORD.findall(text.casefold()))}
    words = [word for word in words if word not in _STOP] or words
    exact.add(" ".join(words))
    found = np.zeros(len(catalogue), np.float32)
    total, count = 0.0, int(catalogue.numbers["present"].sum())
    for word in words:
        strong = _holding(db, f'{{name tags caption}}: "{word}"')
        if len(strong) >= _MOST_ASSETS:
            continue
        weak = _holding(db, f'folder: "{word}"')
        if not len(strong) and not len(weak) and word == words[-1] and len(word) > 2:
            strong = _holding(db, f'{{name tags caption}}: "{word}"*')
        if len(weak) >= _MOST_ASSETS:
            weak = weak[:0]
        part = np.zeros(len(catalogue), np.float32)
        part[catalogue.where(weak)] = _FOLDER
        part[catalogue.where(strong)] = 1.0
        holding = int(np.count_nonzero(part))
        idf = math.log1p((max(count - holding, 0) + 0.5) / (holding + 0.5))
        total += idf
        found += np.float32(idf) * part
    if total > 0.0:
        found /= np.float32(total)
    for name in exact:
        rows = db.rows(
            "SELECT id FROM assets WHERE name = ? AND gone_at IS NULL LIMIT ?",
            (name, _MOST_ASSETS),
        )
        found[catalogue.where(np.array([row[0] for row in rows], np.int64))] = _EXACT
    return found if found.any() else None


def _holding(db: Database, match: str) -> NDArray[np.int64]:
    rows = db.rows("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (match, _MOST_ASSETS))
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))
