"""The library beyond one machine: the same search over a Qdrant server.

A collection of the server holds one model's vectors of one recipe: a point an asset, its payload
what filters ask for. The library on the machine that has the files stays the source; it is pushed
from there, and any number of machines search. Scores are those of the embedder alone, exact, by the
server's full scan. Package registries have no binary of the server, so the tests run against the
client's own local mode, which takes the same calls.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.text import reason_of
from polyorama.errors import UnavailableError, UsageError
from polyorama.shapes.library.asset import Hits
from polyorama.shapes.library.filters import FIELDS, Joined, Node, licence_forms, parse
from polyorama.shapes.library.query import mixed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from polyorama.core.jobs import Job
    from polyorama.shapes.embedder import Embedder
    from polyorama.shapes.library.asset import Asset, Query
    from polyorama.shapes.library.library import Library

__all__ = ["QdrantShelf", "connect"]

_BATCH = 256
_SAMPLE = 2048
_PAYLOAD = {
    "polys": "polygons", "splats": "splats", "size": "bytes", "format": "format", "kind": "kind",
    "licence": "licence", "folder": "folder", "tag": "tags",
}  # fmt: skip
_RANGES = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def connect(url: str, *, key: str | None = None, timeout_s: int = 30) -> Any:
    """A client of the server at a URL, to be handed to `QdrantShelf`.

    Raises
    ------
    UnavailableError
        If qdrant-client is not installed.
    """
    return _package().QdrantClient(url=url, api_key=key, timeout=timeout_s)


class QdrantShelf:
    """One embedder's vectors on a server, with the search of `Library`.

    Parameters
    ----------
    client
        A `qdrant_client.QdrantClient`.
    embedder
        Embeds words and pictures.
    recipe
        How views were made.
    """

    def __init__(self, client: Any, embedder: Embedder, recipe: str) -> None:
        self._models = _package().models
        self._client = client
        self._embedder = embedder
        digest = hashlib.blake2b(f"{embedder.id}\0{recipe}".encode(), digest_size=8)
        self.collection = f"polyorama-{digest.hexdigest()}"

    def push_job(self, library: Library) -> Job[int]:
        """Make the server's collection what the library is now, as a job; gives how many points.

        Raises
        ------
        UsageError
            If the library holds nothing of this embedder.
        UnavailableError
            If the server cannot be reached or refuses.
        """
        catalogue = library.catalogue()
        at = np.flatnonzero(catalogue.present & (catalogue.place >= 0))
        matrix = library.vectors(catalogue)
        self._ask(self._make_collection)
        known = self._ids()
        ids = catalogue.ids[at].tolist()
        stale = sorted(known - set(ids))
        if stale:
            selector = self._models.PointIdsList(points=stale)
            self._ask(self._client.delete, self.collection, points_selector=selector, wait=True)
        for start in range(0, len(at), _BATCH):
            yield Progress(start, len(at), "Sending vectors")
            some = at[start : start + _BATCH]
            assets = {asset.id: asset for asset in library.assets(catalogue.ids[some])}
            memberships = library.memberships(list(assets))
            points = [
                self._models.PointStruct(
                    id=int(number), vector=matrix[place].tolist(),
                    payload=_payload(assets[int(number)], memberships.get(int(number), [])),
                )
                for number, place in zip(catalogue.ids[some], catalogue.place[some], strict=True)
                if int(number) in assets
            ]  # fmt: skip
            self._ask(self._client.upsert, self.collection, points=points, wait=True)
        yield Progress(len(at), len(at), "Sending vectors")
        return len(at)

    def search(self, query: Query, limit: int | None = None) -> Hits:
        """The assets that a query asks for, best first; see `Library.search`.

        Which view matched is not known here.

        Raises
        ------
        UsageError
            If a filter is wrong, or what results shall resemble is not there.
        UnavailableError
            If the server cannot be reached or refuses.
        """
        if limit is not None and limit < 1:
            raise UsageError(f"At least one result can be asked for, not {limit}.")
        condition = self._filter(query)
        if not query.asks:
            return self._by_name(condition, limit)
        liked = None
        if query.like:
            found = self._ask(
                self._client.retrieve, self.collection, ids=list(query.like), with_vectors=True
            )
            if not found:
                raise UsageError("What results shall resemble is not in the library (any more).")
            liked = np.array([point.vector for point in found], np.float32)
        rows = [point.vector for point in self._some(_SAMPLE)]
        sample = np.array(rows, np.float32).reshape(-1, self._embedder.dimensions)
        vector = mixed(query, self._embedder, liked, sample)
        count = self._ask(self._client.count, self.collection, exact=True).count
        if not count:
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        answer = self._ask(
            self._client.query_points, self.collection, query=vector.tolist(),
            query_filter=condition, limit=min(limit or count, count), with_payload=False,
            search_params=self._models.SearchParams(exact=True),
        )  # fmt: skip
        return _hits([(point.id, point.score) for point in answer.points])

    def _make_collection(self) -> None:
        if self._client.collection_exists(self.collection):
            return
        self._client.create_collection(
            self.collection,
            vectors_config=self._models.VectorParams(
                size=self._embedder.dimensions, distance=self._models.Distance.DOT
            ),
        )

    def _ids(self) -> set[int]:
        return {int(point.id) for point in self._scroll(None, payload=False, vectors=False)}

    def _some(self, count: int) -> list[Any]:
        found, _ = self._ask(
            self._client.scroll, self.collection, limit=count, with_payload=False,
            with_vectors=True,
        )  # fmt: skip
        return list(found)

    def _scroll(self, condition: Any, *, payload: bool, vectors: bool) -> Iterator[Any]:
        offset = None
        while True:
            found, offset = self._ask(
                self._client.scroll, self.collection, scroll_filter=condition, limit=1024,
                offset=offset, with_payload=payload, with_vectors=vectors,
            )  # fmt: skip
            yield from found
            if offset is None:
                return

    def _by_name(self, condition: Any, limit: int | None) -> Hits:
        points = self._scroll(condition, payload=True, vectors=False)
        named = sorted((point.payload["name"], int(point.id)) for point in points)
        return _hits([(number, 0.0) for _, number in named[:limit]])

    def _filter(self, query: Query) -> Any:
        node = parse(query.filters)
        must = [] if node is None else [self._condition(node)]
        if query.collection:
            must.append(self._match("collections", [query.collection.casefold()]))
        return self._models.Filter(must=must) if must else None

    def _condition(self, node: Node) -> Any:
        models = self._models
        if isinstance(node, Joined):
            parts = [self._condition(part) for part in node.parts]
            name = {"and": "must", "or": "should", "not": "must_not"}[node.word]
            return models.Filter(**{name: parts})
        key = _PAYLOAD[node.field]
        if FIELDS[node.field] == "word":
            found = self._match(key, node.words)
        elif node.sign in _RANGES:
            span = models.Range(**{_RANGES[node.sign]: node.numbers[0]})
            return models.FieldCondition(key=key, range=span)
        else:
            spans = [models.Range(gte=number, lte=number) for number in node.numbers]
            equal = [models.FieldCondition(key=key, range=span) for span in spans]
            found = models.Filter(should=equal)
        return models.Filter(must_not=[found]) if node.sign == "!=" else found

    def _match(self, key: str, words: Sequence[str]) -> Any:
        match = self._models.MatchAny(any=list(words))
        return self._models.FieldCondition(key=key, match=match)

    def _ask(self, call: Callable[..., Any], *given: Any, **options: Any) -> Any:
        try:
            return call(*given, **options)
        except (UsageError, UnavailableError):
            raise
        except Exception as error:
            raise UnavailableError(
                f"The Qdrant server did not answer as it should ({reason_of(error)}); check that "
                f"it runs and that the library was pushed to it."
            ) from error


def _payload(asset: Asset, collections: Sequence[str]) -> dict[str, Any]:
    """What filters of words compare, in all the forms that they may ask for, in lower case."""
    names = [name for name in os.path.dirname(asset.path).replace("\\", "/").split("/") if name]
    lowered = [name.casefold() for name in names]
    runs = {
        "/".join(lowered[first:last])
        for first in range(len(lowered))
        for last in range(first + 1, len(lowered) + 1)
    }
    payload = {
        "name": asset.path.stem.casefold(), "bytes": asset.bytes, "format": asset.format,
        "kind": asset.kind, "licence": sorted(licence_forms(asset.licence)), "folder": sorted(runs),
        "tags": [tag.casefold() for tag in asset.tags], "path": _text(os.fspath(asset.path)),
        "caption": asset.caption, "collections": [name.casefold() for name in collections],
        "polygons": asset.polygons, "splats": asset.splats,
    }  # fmt: skip
    return {name: value for name, value in payload.items() if value is not None}


def _text(text: str) -> str:
    return os.fsencode(text).decode("utf-8", "replace")


def _hits(rows: Sequence[tuple[Any, float]]) -> Hits:
    ids = np.array([int(number) for number, _ in rows], np.int64)
    scores = np.array([score for _, score in rows], np.float32)
    return Hits(ids, scores, np.full(len(rows), -1, np.int16))


def _package() -> Any:
    try:
        import qdrant_client
    except ImportError as error:
        raise UnavailableError(
            "Searching a Qdrant server needs a package; run: pip install 'polyorama[qdrant]'"
        ) from error
    return qdrant_client
