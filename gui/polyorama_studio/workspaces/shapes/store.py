"""The engine's library behind what the workspace asks of it; nothing else talks to the engine.

Every call comes from a worker thread of its own. The library keeps a connection for each thread
that asks, so questions are passed on to a few threads that stay.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from polyorama.core.jobs import run
from polyorama.errors import UnavailableError
from polyorama.shapes.library.asset import Query
from polyorama_studio.workspaces.shapes.spins import images_of
from polyorama_studio.workspaces.shapes.stock import (
    NOTHING,
    Card,
    Collection,
    Folder,
    Found,
    Overview,
    Plan,
    Reason,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document
    from polyorama.shapes.library.asset import Asset
    from polyorama.shapes.library.catalogue import Catalogue
    from polyorama.shapes.library.library import Library
    from polyorama.shapes.turning import Turnable

__all__ = ["EngineStore"]

T = TypeVar("T")
_THREADS = 3
"""One searches while another still looks for the rest, and one reads pictures."""
_VIEW = 96
"""Side of a view that explains a match, px."""
_VIEWS_KEPT = 12
_OPEN = 4
"""So many models stay open, since they are turned with the hand."""
_THUMBNAIL = 256
_ANY = "SELECT EXISTS (SELECT 1 FROM assets WHERE gone_at IS NULL)"


class EngineStore:
    """See `stock.Store`.

    Parameters
    ----------
    library
        The engine's; the person's own where None is given.
    """

    def __init__(self, library: Library | None = None) -> None:
        if library is None:
            from polyorama.verbs.shapes import library as own

            library = own()
        self.library = library
        self._threads = ThreadPoolExecutor(_THREADS, "library")
        self._views: OrderedDict[str, tuple[QImage, ...]] = OrderedDict()
        self._open: OrderedDict[str, Turnable] = OrderedDict()
        self._opening = threading.Lock()

    def _ask(self, work: Callable[..., T], *values: Any) -> T:
        return self._threads.submit(work, *values).result()

    # Questions

    def overview(self) -> Overview:
        """What is there."""
        return self._ask(self._overview)

    def _overview(self) -> Overview:
        library = self.library
        folders = library.folders()
        made = library.collections()
        collections = tuple(Collection(name, count) for name, count in made.items())
        empty = not library.db.number(_ANY)
        if empty:
            listed = tuple(Folder(path, 0) for path in folders)
            return Overview(0, listed, collections, library.failures())
        catalogue = library.catalogue()
        counts = {
            name: _counts(catalogue, name) for name in ("folder", "format", "licence")
        }  # fmt: skip
        return Overview(
            int(catalogue.present.sum()),
            tuple(Folder(path, _below(counts["folder"], path)) for path in folders),
            collections,
            library.failures(),
            tuple(sorted(filter(None, counts["format"]))),
            tuple(sorted(filter(None, counts["licence"]))),
            library.embedder.origin,
        )

    def search(self, query: Query, *, unique: bool, limit: int | None = None) -> Found:
        """Results, at most so many; with `unique`, the best of each group of near-duplicates."""
        return self._ask(self._search, query, unique, limit)

    def _search(self, query: Query, unique: bool, limit: int | None) -> Found:
        if not self.library.db.number(_ANY):
            return NOTHING
        hits = self.library.search(query, limit)
        complete = limit is None or len(hits) < limit
        copies = np.ones(len(hits), np.int32)
        if unique:
            hits, copies = self.library.unique(hits)
        return Found(
            hits.ids, hits.scores, hits.best_views, copies, query.asks, complete=complete
        )  # fmt: skip

    def cards(self, ids: Sequence[int]) -> list[Card]:
        """Shapes with their pictures, those that are known."""
        return self._ask(self._cards, ids)

    def _cards(self, ids: Sequence[int]) -> list[Card]:
        assets = self.library.assets(ids)
        return [Card(asset, _image(self.library.thumbnail(asset.id))) for asset in assets]

    def turntable(self, asset: Asset, frames: int, size: int) -> NDArray[np.uint8]:
        """(frames, size, size, 4) uint8: once round, display RGB and coverage."""
        from polyorama.shapes.turning import ring

        return self._turnable(asset).views(ring(frames), size)

    def look(self, asset: Asset, azimuth: float, elevation: float, size: int) -> NDArray[np.uint8]:
        """(size, size, 4) uint8: a shape from one side, so many degrees from its thumbnail's."""
        from polyorama.shapes.turning import ring

        seen_from = ring(1) + np.array([(azimuth, elevation)])
        return self._turnable(asset).views(seen_from, size)[0]

    def _turnable(self, asset: Asset) -> Turnable:
        """The model of a file, opened unless it is."""
        from polyorama.shapes.load import load_asset
        from polyorama.shapes.turning import Turnable

        # Who comes second waits for the first, and finds it open.
        with self._opening:
            known = self._open.get(asset.content)
            if known is None:
                loaded = load_asset(asset.path)
                content = loaded.mesh if loaded.mesh is not None else loaded.cloud
                assert content is not None
                known = self._open[asset.content] = Turnable(content)
            self._open.move_to_end(asset.content)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
            return known

    def vectors_of(self, document: Document, nodes: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) unit vectors of what nodes of a scene hold, or of what is selected of them."""
        from polyorama.shapes.nodes import vector_of_node

        embedder = self.library.embedder
        return np.stack([vector_of_node(document, node_id, embedder) for node_id in nodes])

    def explain(self, asset_id: int, query: Query) -> Reason:
        """Which views matched."""
        scores = self._ask(self.library.explain, asset_id, query)
        asset = self._ask(self.library.asset, asset_id)
        return Reason(scores, self._views_of(asset, len(scores)) if len(scores) else ())

    def _views_of(self, asset: Asset, count: int) -> tuple[QImage, ...]:
        """The views that the scores are of, drawn anew: the library keeps none of them."""
        from polyorama.shapes.views import directions

        known = self._views.get(asset.content)
        if known is not None and len(known) == count:
            return known
        pictures = tuple(images_of(self._turnable(asset).views(directions(count), _VIEW)))
        self._views[asset.content] = pictures
        while len(self._views) > _VIEWS_KEPT:
            self._views.popitem(last=False)
        return pictures

    # The map

    def plan(self) -> Plan:
        """The map, as good as it can be had at once."""
        return self._ask(self._plan)

    def _plan(self) -> Plan:
        if not self.library.db.number(_ANY):
            return Plan()
        made = run(self.library.map_job("pca"))
        return Plan(made.ids, made.points)

    def better_plan(self) -> Job[Plan]:
        """A map that keeps neighbours together; where nothing can make one, the one there is."""
        try:
            made = yield from self.library.map_job("umap")
        except UnavailableError as error:
            return replace(self.plan(), note=str(error))
        return Plan(made.ids, made.points)

    # Changes

    def index(self) -> Job[Any]:
        """Bring the library up to date with its folders, and find near-duplicates."""
        report = yield from self.library.index_job()
        if report.added or report.changed:
            yield from self.library.groups_job()
        return report

    def changes(self) -> str:
        """Another text for other changes of the folders since they were indexed; "" for none."""
        return self._ask(self._changes)

    def _changes(self) -> str:
        found = self.library.changes() if self.library.folders() else None
        return f"{found.state} {len(found.gone)}" if found else ""

    def add_folder(self, path: Path) -> None:
        """Watch a folder."""
        self._ask(self.library.add_folder, path)

    def remove_folder(self, path: Path) -> None:
        """Watch it no more; its files stay as they are."""
        self._ask(self.library.remove_folder, path)

    def make_collection(self, name: str) -> None:
        """A new, empty collection."""
        self._ask(self.library.make_collection, name)

    def rename_collection(self, name: str, other: str) -> None:
        """Call a collection something else."""
        self._ask(self.library.rename_collection, name, other)

    def remove_collection(self, name: str) -> None:
        """Forget a collection; its shapes stay."""
        self._ask(self.library.remove_collection, name)

    def members(self, name: str) -> tuple[int, ...]:
        """The shapes of a collection."""
        return tuple(self._ask(self._members, name))

    def _members(self, name: str) -> list[int]:
        if not self.library.db.number(_ANY):
            return []
        return self.library.search(Query(collection=name)).ids.tolist()

    def collect(self, name: str, ids: Sequence[int]) -> None:
        """Add shapes to a collection."""
        self._ask(self.library.collect, name, ids)

    def uncollect(self, name: str, ids: Sequence[int]) -> None:
        """Take shapes out of a collection."""
        self._ask(self.library.uncollect, name, ids)

    def set_tags(self, asset_id: int, tags: Sequence[str]) -> None:
        """Give a shape other tags."""
        self._ask(self.library.set_tags, [asset_id], tags)

    def close(self) -> None:
        """Let go of its files."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.library.close()


def _counts(catalogue: Catalogue, name: str) -> dict[str, int]:
    """How many files that are there have each text of a column."""
    words = catalogue.words[name]
    counts = np.bincount(words.codes[catalogue.present], minlength=len(words.texts))
    return {text: int(n) for text, n in zip(words.texts, counts, strict=True) if n}


def _below(counts: dict[str, int], folder: Path) -> int:
    """How many files lie in a folder or below it."""
    root = os.fspath(folder)
    inside = os.path.join(root, "")
    return sum(n for text, n in counts.items() if text == root or text.startswith(inside))


def _image(data: bytes | None) -> QImage | None:
    if data is None:
        return None
    image = QImage.fromData(data)
    if image.isNull():
        return None
    if max(image.width(), image.height()) > _THUMBNAIL:
        image = image.scaled(
            _THUMBNAIL, _THUMBNAIL, Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )  # fmt: skip
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
