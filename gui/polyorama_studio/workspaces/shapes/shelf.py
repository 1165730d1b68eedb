"""The library as the workspace sees it: asks on worker threads, holds answers, tells of them."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from polyorama.errors import UsageError
from polyorama_studio.jobs import Handlers, explain
from polyorama_studio.newest import Newest
from polyorama_studio.words import legible
from polyorama_studio.workspaces.shapes.question import Like, Question
from polyorama_studio.workspaces.shapes.stock import NOTHING, Found, Overview, Plan, Reason
from polyorama_studio.workspaces.shapes.thumbs import Thumbs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.core.jobs import Progress
    from polyorama.shapes.library.asset import Asset, Query
    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.stock import Store

__all__ = ["Shelf", "make_store"]

_PAUSE_MS = 80
"""So long after the last letter a search begins."""
_LIVE_MS = 2500
"""While files are indexed, results are looked up anew so often."""


def make_store() -> Store:
    """The engine's library; on a worker thread, since it loads much."""
    from polyorama_studio.workspaces.shapes.store import EngineStore

    return EngineStore()


class Shelf(QObject):
    """What is known of the library, what is asked, found and chosen.

    Parameters
    ----------
    session
        Runs jobs and shows failures.
    """

    found_changed = Signal()
    overview_changed = Signal()
    refused = Signal(str)
    """A filter that cannot be understood, in one sentence; "" once it can."""
    searching_changed = Signal()
    indexing_changed = Signal()
    chosen_changed = Signal()
    explained = Signal()
    plan_changed = Signal()
    mapped_changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.question = Question(self)
        self.overview = Overview()
        self.found: Found = NOTHING
        self.ready = False
        """Whether the first answer is there."""
        self.error = ""
        """Why the library cannot be used, one sentence."""
        self.chosen: tuple[int, ...] = ()
        """Ids of the shapes that are chosen, the one that the keys are at last."""
        self.reason: Reason | None = None
        self.plan: Plan | None = None
        self.mapped = False
        """Whether the map is shown in the place of the grid."""
        self.indexing: Job | None = None
        self._again = False
        self._store: Store | None = None
        self._opening = False
        self._waiting: list[Callable[[], Any]] = []
        self._search = Newest(session, "search the library", self, pause=_PAUSE_MS)
        self._reason = Newest(session, "explain a match", self, pause=_PAUSE_MS)
        self._plan = Newest(session, "map the library", self)
        self.thumbs = Thumbs(session, self)
        self._live = QTimer(self)
        self._live.setInterval(_LIVE_MS)
        self._live.timeout.connect(self._refresh)
        self.question.changed.connect(self.search)

    # The store

    def open(self) -> None:
        """Open the library, unless it is."""
        if self._store is None and not self._opening:
            self._opening, self.error = True, ""
            done = Handlers(self._on_store, self._on_no_store, _nothing)
            self.session.start_job(_make, done, "open the library")

    def _on_store(self, store: Store) -> None:
        self._store, self._opening = store, False
        self.thumbs.store = store
        self._refresh()
        waiting, self._waiting = self._waiting, []
        for ask in waiting:
            ask()

    def _on_no_store(self, error: BaseException) -> None:
        self._opening, self.error = False, explain(error)
        self.ready = True
        self._waiting = []
        self.session.report(error, self.tr("Try again"), self.open)
        self.found_changed.emit()

    @property
    def store(self) -> Store | None:
        """The library, once it is open; called on worker threads alone."""
        return self._store

    def _do(self, work: Callable[[Store], Any], done: Callable[[Any], None], title: str) -> None:
        """Have something done in the library, on a worker thread, once it is open."""
        if self._store is None:
            self._waiting.append(partial(self._do, work, done, title))
            self.open()
            return
        handlers = Handlers(done, self.session.report, _nothing)
        self.session.start_job(partial(work, self._store), handlers, title, keep=True)

    # Asking

    @Slot()
    def _refresh(self, result: object = None) -> None:
        """Look at everything anew."""
        self._do(_overview, self._on_overview, "look at the library")
        self.search()

    def _on_overview(self, overview: Overview) -> None:
        self.overview = overview
        self.overview_changed.emit()

    @Slot()
    def search(self) -> None:
        """Look for what is asked; of several questions the last one is answered."""
        if self._store is None:
            self.open()
            return
        work = partial(_searched, self._store, self.question.query(), self.question.unique)
        self._search.ask(work, self._on_found, self._on_not_found)
        self.searching_changed.emit()

    @property
    def searching(self) -> bool:
        """Whether an answer is awaited."""
        return self._search.busy

    def _on_found(self, found: Found) -> None:
        self.found, self.ready = found, True
        self.refused.emit("")
        self.found_changed.emit()
        self.searching_changed.emit()
        self._explain()

    def _on_not_found(self, error: BaseException) -> None:
        self.ready = True
        if isinstance(error, UsageError) and self.question.filters.strip():
            self.refused.emit(explain(error))
        else:
            self.session.report(error)
        self.searching_changed.emit()

    # What is chosen

    def choose(self, ids: Sequence[int]) -> None:
        """Choose shapes; the last one is what is looked at."""
        chosen = tuple(ids)
        if chosen != self.chosen:
            current = self.current
            self.chosen = chosen
            if self.current != current:
                self.reason = None
                self._explain()
            self.chosen_changed.emit()

    @property
    def current(self) -> int:
        """Id of the shape that is looked at, -1 for none."""
        return self.chosen[-1] if self.chosen else -1

    def asset(self, asset_id: int) -> Asset | None:
        """What is known of a shape, if it is at hand; asked for otherwise."""
        return self.thumbs.asset(asset_id)

    @property
    def assets(self) -> list[Asset]:
        """The chosen shapes that are at hand."""
        return [asset for asset in map(self.thumbs.asset, self.chosen) if asset is not None]

    def _explain(self) -> None:
        query = self.question.query()
        if self._store is None or self.current < 0 or not query.asks:
            self._reason.forget()
            if self.reason is not None:
                self.reason = None
                self.explained.emit()
            return
        work = partial(self._store.explain, self.current, query)
        self._reason.ask(work, self._on_reason, _nothing)

    def _on_reason(self, reason: Reason) -> None:
        self.reason = reason
        self.explained.emit()

    def find_similar(self, assets: Sequence[Asset]) -> None:
        """Ask for what resembles shapes."""
        if assets:
            self.question.like(*(Like(a.id, title_of(a)) for a in assets))

    # What changes the library

    def add_folder(self, path: Path) -> None:
        """Watch a folder, and index it."""
        self._do(partial(_added, path), self._on_folder, "add a folder")

    def _on_folder(self, result: object) -> None:
        self._refresh()
        self.index()

    def remove_folder(self, path: Path) -> None:
        """Watch a folder no more."""
        self._do(partial(_removed, path), self._changed, "remove a folder")

    @Slot()
    def index(self) -> None:
        """Bring the library up to date; while that goes on, it is done once more afterwards."""
        if self._store is None:
            self._waiting.append(self.index)
            self.open()
            return
        if self.indexing is not None:
            self._again = True
            return
        done = Handlers(self._on_indexed, self._on_index_failed, self._on_progress, self._on_end)
        self.indexing = self.session.start_job(
            self._store.index, done, self.tr("Indexing the library")
        )
        self._live.start()
        self.indexing_changed.emit()

    def _on_progress(self, progress: Progress) -> None:
        self.indexing_changed.emit()

    def _on_indexed(self, report: Any) -> None:
        again, self._again = self._again, False
        self._on_end()
        if again:
            self.index()

    def _on_index_failed(self, error: BaseException) -> None:
        self._on_end()
        self.session.report(error)

    def _on_end(self) -> None:
        self.indexing, self._again = None, False
        self._live.stop()
        self.indexing_changed.emit()
        self.plan = None
        self.thumbs.forget()  # files may have changed
        self._refresh()

    def stop_indexing(self) -> None:
        """End it early; what was indexed stays."""
        if self.indexing is not None:
            self.indexing.cancel()

    def make_collection(self, name: str, ids: Sequence[int] = ()) -> None:
        """A new collection, with shapes in it."""
        self._do(partial(_collection_made, name, tuple(ids)), self._changed, "make a collection")

    def rename_collection(self, name: str, other: str) -> None:
        """Call a collection something else."""
        if self.question.collection == name:
            self.question.collection = other
        self._do(partial(_renamed, name, other), self._changed, "rename a collection")

    def remove_collection(self, name: str) -> None:
        """Forget a collection."""
        if self.question.collection == name:
            self.question.collection = ""
        self._do(partial(_collection_removed, name), self._changed, "remove a collection")

    def collect(self, name: str, ids: Sequence[int]) -> None:
        """Add shapes to a collection."""
        self._do(partial(_collected, name, tuple(ids)), self._changed, "add to a collection")

    def uncollect(self, name: str, ids: Sequence[int]) -> None:
        """Take shapes out of a collection."""
        self._do(partial(_uncollected, name, tuple(ids)), self._changed, "take out of a collection")

    def set_tags(self, asset: Asset, tags: Sequence[str]) -> None:
        """Give a shape other tags."""
        self.thumbs.replace(replace(asset, tags=tuple(tags)))
        self._do(partial(_tagged, asset.id, tuple(tags)), self._changed, "tag a shape")

    def _changed(self, result: object) -> None:
        self._refresh()

    # The map

    def set_mapped(self, mapped: bool) -> None:
        """Show the map, or the grid."""
        if mapped != self.mapped:
            self.mapped = mapped
            self.mapped_changed.emit()

    def ask_plan(self) -> None:
        """Have the map made, unless it is there."""
        if self._store is not None and self.plan is None and not self._plan.busy:
            self._plan.ask(self._store.plan, self._on_plan, self.session.report)

    def _on_plan(self, plan: Plan) -> None:
        self.plan = plan
        self.plan_changed.emit()
        if self._store is not None and len(plan.ids):
            self._plan.ask(self._store.better_plan, self._on_better_plan, self.session.report)

    def _on_better_plan(self, plan: Plan) -> None:
        self.plan = plan
        self.plan_changed.emit()

    def close(self) -> None:
        """Let go of the library."""
        self._live.stop()
        store, self._store = self._store, None
        if store is not None:
            store.close()


def title_of(asset: Asset) -> str:
    """What a shape is called: its file's name in plain words."""
    return legible(asset.path.stem.replace("_", " ").replace("-", " ").strip() or asset.path.name)


def _make() -> Store:
    return make_store()


def _searched(store: Store, query: Query, unique: bool) -> Found:
    began = time.perf_counter()
    found = store.search(query, unique=unique)
    return replace(found, milliseconds=1000.0 * (time.perf_counter() - began))


def _overview(store: Store) -> Overview:
    return store.overview()


def _added(path: Path, store: Store) -> None:
    store.add_folder(path)


def _removed(path: Path, store: Store) -> None:
    store.remove_folder(path)


def _collection_made(name: str, ids: tuple[int, ...], store: Store) -> None:
    store.make_collection(name)
    if ids:
        store.collect(name, ids)


def _renamed(name: str, other: str, store: Store) -> None:
    store.rename_collection(name, other)


def _collection_removed(name: str, store: Store) -> None:
    store.remove_collection(name)


def _collected(name: str, ids: tuple[int, ...], store: Store) -> None:
    store.collect(name, ids)


def _uncollected(name: str, ids: tuple[int, ...], store: Store) -> None:
    store.uncollect(name, ids)


def _tagged(asset_id: int, tags: tuple[str, ...], store: Store) -> None:
    store.set_tags(asset_id, tags)


def _nothing(result: object) -> None:
    """Nobody waits for it."""
