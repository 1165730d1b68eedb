"""Answering queries: their parts mixed into one vector, words mixed in, the best found exactly.

Each part of a query (words, pictures, other assets, shapes from elsewhere) is a unit vector u_i,
the mean of what it consists of. Parts spread a library unlike: pictures resemble every shape more
than any words do. So each counts by how well it tells assets apart,

    q = sum of w_i u_i / s_i, scaled to length 1,

with s_i the standard deviation of u_i's products with a sample of the library, w_i = 1, and -1/2
for what results shall not be like. A query of words alone is thus just their vector, and a score
its cosine similarity. Names, tags, captions and folders that contain the words add

    6 s share(asset)

to an asset's score (less 3 s share for words that shall not be), s being the deviation of q's
products and the share as in `polyorama.shapes.library.lexical`: an asset whose name holds all the
words stands above nearly all that are without them, and one of just that name above those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from polyorama.core.text import quoted
from polyorama.errors import UsageError
from polyorama.shapes.embedder import unit
from polyorama.shapes.library.asset import Hits
from polyorama.shapes.library.catalogue import Catalogue, load_catalogue
from polyorama.shapes.library.filters import apply, parse
from polyorama.shapes.library.lexical import shares
from polyorama.shapes.library.nearest import CODED_ROWS, Codes, best

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.shapes.embedder import Embedder
    from polyorama.shapes.library.asset import Query
    from polyorama.shapes.library.db import Database
    from polyorama.shapes.library.shelf import Shelf

__all__ = ["EXPLAINED", "Searcher", "mixed", "steady"]

T = TypeVar("T")

EXPLAINED = 256
"""Of this many results, the best ones, the view that matched is told."""
_AWAY = -0.5
_LEXICAL = 6.0
_SAMPLE = 2048
_LEAST_SPREAD = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """A catalogue and the vectors that it names."""

    catalogue: Catalogue
    matrix: NDArray[np.float32]


def steady(current: Callable[[], Searcher], ask: Callable[[Searcher], T]) -> T:
    """What a searcher answers, asked anew if its vectors were written anew meanwhile.

    A run of the index that compacts a shelf numbers its rows anew; an answer that began before and
    ended after could name rows of one file and read them in the other.
    """
    while True:
        searcher = current()
        try:
            answer = ask(searcher)
        except Exception:
            if current() is searcher:
                raise
        else:
            if current() is searcher:
                return answer


class Searcher:
    """Searches one shelf of a library; safe to use from many threads.

    Parameters
    ----------
    db
        Of the library.
    shelf
        Where the embedder's vectors lie.
    embedder
        Embeds words and pictures.
    """

    def __init__(self, db: Database, shelf: Shelf, embedder: Embedder) -> None:
        self._db = db
        self.shelf = shelf
        self._embedder = embedder
        self._catalogue: Catalogue | None = None
        self._codes = Codes(shelf.dimensions)

    def catalogue(self) -> Catalogue:
        """Columns of all assets as the database is now."""
        # Threads that come here at once do the same work twice at worst.
        self._catalogue = load_catalogue(self._db, self.shelf.number, self._catalogue)
        return self._catalogue

    def search(self, query: Query, limit: int | None, *, lexical: bool) -> Hits:
        """The best assets; see `polyorama.shapes.library.Library.search`."""
        if limit is not None and limit < 1:
            raise UsageError(f"At least one result can be asked for, not {limit}.")
        _check_texts(query)
        state = self._state()
        catalogue = state.catalogue
        passing = self._passing(query, catalogue)
        if not query.asks:
            return self._by_name(catalogue, passing, limit)
        at = np.flatnonzero(passing & (catalogue.place >= 0))
        if not len(at):
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        vector = self._vector(query, state)
        extra = self._extra(query, state, vector) if lexical else None
        places = catalogue.place[at]
        count = len(at) if limit is None else min(limit, len(at))
        if len(at) >= CODED_ROWS and count < len(at):
            self._codes.extend(state.matrix)
        found, scores = best(
            state.matrix, self._codes, vector, places, None if extra is None else extra[at], count
        )
        hits = at[found]
        views = np.full(len(hits), -1, np.int16)
        for row, position in enumerate(hits[:EXPLAINED]):
            products = self._views(catalogue, int(position)) @ vector
            if len(products):
                views[row] = products.argmax()
        return Hits(catalogue.ids[hits], scores.astype(np.float32), views)

    def explain(self, asset: int, query: Query) -> NDArray[np.float32]:
        """(F,) how much each view of an asset resembles a query; empty where it has none."""
        state = self._state()
        at = state.catalogue.where(np.array([asset], np.int64))
        if not len(at) or not query.asks:
            return np.empty(0, np.float32)
        vector = self._vector(query, state)
        return np.asarray(self._views(state.catalogue, int(at[0])) @ vector, np.float32)

    def _state(self) -> _State:
        catalogue = self.catalogue()
        return _State(catalogue, self.shelf.matrix(catalogue.rows))

    def _views(self, catalogue: Catalogue, position: int) -> NDArray[np.float32]:
        first = int(catalogue.numbers["first_view"][position])
        count = int(catalogue.numbers["views"][position])
        return self.shelf.views_of(first, count) if first >= 0 else self.shelf.views_of(0, 0)

    def _passing(self, query: Query, catalogue: Catalogue) -> NDArray[np.bool_]:
        passing = apply(parse(query.filters), catalogue, self._tagged)
        if query.collection:
            rows = self._db.rows(
                "SELECT m.asset FROM members m JOIN collections c ON c.id = m.collection "
                "WHERE c.name = ?", (query.collection,),
            )  # fmt: skip
            passing &= catalogue.mask(np.array([row[0] for row in rows], np.int64))
        return passing

    def _tagged(self, tag: str) -> NDArray[np.int64]:
        rows = self._db.rows("SELECT asset FROM tags WHERE tag = ?", (tag,))
        return np.array([row[0] for row in rows], np.int64)

    def _by_name(self, catalogue: Catalogue, passing: NDArray[np.bool_], limit: int | None) -> Hits:
        rows = self._db.rows("SELECT id FROM assets WHERE gone_at IS NULL ORDER BY name, id")
        at = catalogue.where(np.array([row[0] for row in rows], np.int64))
        chosen = at[passing[at]][:limit]
        return Hits(
            catalogue.ids[chosen], np.zeros(len(chosen), np.float32),
            np.full(len(chosen), -1, np.int16),
        )  # fmt: skip

    def _vector(self, query: Query, state: _State) -> NDArray[np.float32]:
        liked = state.catalogue.where(np.array(query.like, np.int64))
        liked = liked[state.catalogue.place[liked] >= 0]
        if query.like and not len(liked):
            raise UsageError("What results shall resemble is not in the library (any more).")
        vectors = None
        if query.like:
            vectors = np.asarray(state.matrix[state.catalogue.place[liked]], np.float32)
        return mixed(query, self._embedder, vectors, _sample(state.matrix))

    def _extra(
        self, query: Query, state: _State, vector: NDArray[np.float32]
    ) -> NDArray[np.float32] | None:
        spread = _spread(_sample(state.matrix), vector)
        extra: NDArray[np.float32] | None = None
        for text, weight in ((query.words, 1.0), (query.without, _AWAY)):
            share = shares(self._db, state.catalogue, text) if text.strip() else None
            if share is not None:
                part = np.float32(weight * _LEXICAL * spread) * share
                extra = part if extra is None else extra + part
        return extra


def _check_texts(query: Query) -> None:
    """Refuse what no text holds, such as bytes of a command line that are not UTF-8."""
    for text in (query.words, query.without, query.filters, query.collection):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"This is no text that can be sought; correct it: {quoted(text)}"
            ) from error


def mixed(
    query: Query,
    embedder: Embedder,
    liked: NDArray[np.float32] | None,
    sample: NDArray[np.float32],
) -> NDArray[np.float32]:
    """(D,) unit vector of all parts of a query.

    Parameters
    ----------
    query
        That asks for something.
    embedder
        Embeds its words and pictures.
    liked
        (N, D) vectors of `query.like`.
    sample
        (S, D) some vectors of the library.
    """
    parts: list[tuple[float, NDArray[np.float32]]] = []
    if query.words.strip():
        parts.append((1.0, embedder.embed_texts([query.words.strip()])))
    if query.images:
        parts.append((1.0, embedder.embed_images(list(query.images))))
    if liked is not None:
        parts.append((1.0, liked))
    if query.vectors is not None and len(query.vectors):
        if query.vectors.ndim != 2 or query.vectors.shape[1] != embedder.dimensions:
            raise UsageError(
                f"Vectors of a query are (N, {embedder.dimensions}), not {query.vectors.shape}."
            )
        parts.append((1.0, query.vectors))
    if query.without.strip():
        parts.append((_AWAY, embedder.embed_texts([query.without.strip()])))
    total = np.zeros(embedder.dimensions, np.float32)
    for weight, vectors in parts:
        mean = unit(np.asarray(vectors, np.float32).mean(axis=0))
        scale = _spread(sample, mean) if len(parts) > 1 else 1.0
        total += np.float32(weight / scale) * mean
    return unit(total)


def _sample(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Up to 2048 rows, evenly from the whole matrix."""
    step = max(1, len(matrix) // _SAMPLE)
    return np.asarray(matrix[::step][:_SAMPLE], np.float32)


def _spread(sample: NDArray[np.float32], vector: NDArray[np.float32]) -> float:
    """Standard deviation of the products of a sample with a vector, never near zero."""
    return max(_LEAST_SPREAD, float((sample @ vector).std())) if len(sample) else _LEAST_SPREAD
