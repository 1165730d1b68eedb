"""What changes the library: folders, collections, tags; all of it is done on worker threads."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from polyorama_studio.jobs import Handlers
from polyorama_studio.words import legible
from polyorama_studio.workspaces.shapes.question import Question
from polyorama_studio.workspaces.shapes.thumbs import Thumbs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.core.jobs import Progress
    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.stock import Store

__all__ = ["Keeper"]

_LIVE_MS = 2500
"""While files are indexed, results are looked up anew so often."""
_WATCH_MS, _SETTLE_MS = 30_000, 5_000
"""Folders are looked at so often, and so soon again where something has changed."""


class Keeper(QObject):
    """Holds the library once it is open; indexes its folders, keeps collections and tags.

    Parameters
    ----------
    session
        Runs jobs and shows failures.
    """

    indexing_changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.indexing: Job | None = None
        self._again = False
        self._live = QTimer(self)
        self._live.setInterval(_LIVE_MS)
        self._watch = QTimer(self)
        self._watch.timeout.connect(self.look_for_changes)
        self._looking = False
        self._seen, self._met = "", ""
        """What of the folders had changed at the last look, and at the last run of the index."""
        self.question = Question(self)
        self.thumbs = Thumbs(session, self)
        self._store: Store | None = None
        self._waiting: list[Callable[[], Any]] = []

    def open(self) -> None:
        """Open the library, unless it is."""
        raise NotImplementedError

    def _changed(self, result: object) -> None:
        """What is kept of shapes is another than before."""
        raise NotImplementedError

    def _files_changed(self) -> None:
        """The shapes themselves may be others than before."""
        raise NotImplementedError

    @property
    def store(self) -> Store | None:
        """The library, once it is open; called on worker threads alone."""
        return self._store

    def _do(
        self,
        work: Callable[[Store], Any],
        done: Callable[[Any], None],
        title: str,
        failed: Callable[[BaseException], None] | None = None,
        *,
        keep: bool = True,
    ) -> None:
        """Have something done in the library, on a worker thread, once it is open."""
        if self._store is None:
            self._waiting.append(partial(self._do, work, done, title, failed, keep=keep))
            self.open()
            return
        handlers = Handlers(done, failed or self.session.report, _nothing)
        self.session.start_job(partial(work, self._store), handlers, title, keep=keep)

    # Folders

    def add_folder(self, path: Path) -> None:
        """Watch a folder, and index it."""
        self._do(partial(_added, path), self._on_folder, "add a folder")

    def _on_folder(self, result: object) -> None:
        self._changed(result)
        self.index()

    def remove_folder(self, path: Path) -> None:
        """Watch a folder no more."""
        self._do(partial(_removed, path), self._changed, "remove a folder")

    def set_watching(self, on: bool) -> None:
        """Look at the folders now and then, or no more."""
        if on:
            self._watch.start(_SETTLE_MS)
        else:
            self._watch.stop()

    @Slot()
    def look_for_changes(self) -> None:
        """Look whether files came, changed or went; what is the same twice is indexed."""
        # A look that takes long (the first one waits for the networks) is not asked for again.
        if self._store is not None and self.indexing is None and not self._looking:
            self._looking = True
            self._do(_changes, self._on_changes, "look at folders", self._not_looked, keep=False)

    def _not_looked(self, _error: BaseException) -> None:
        self._looking = False

    def _on_changes(self, state: str) -> None:
        self._looking = False
        # A file that is still being copied waits; one that cannot be read is not tried for ever.
        settled = bool(state) and state == self._seen and state != self._met
        self._seen, self._met = state, self._met if state else ""
        if self._watch.isActive():
            self._watch.start(_SETTLE_MS if state and state != self._met else _WATCH_MS)
        if settled and self.indexing is None:
            self._met = state
            self.index()

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

    @Slot()
    def stop_indexing(self) -> None:
        """End it early; what was indexed stays, and the next run goes on from there."""
        if self.indexing is not None:
            self.indexing.cancel()
            self.indexing_changed.emit()

    def _on_progress(self, progress: Progress) -> None:
        self.indexing_changed.emit()

    def _on_indexed(self, report: Any) -> None:
        again = self._again
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
        self.thumbs.forget()  # files may have changed
        self._files_changed()

    # Shapes

    def fetch(self, ids: Sequence[int], done: Callable[[list[Asset]], None]) -> None:
        """Have all that is known of shapes, be it at hand or not; those that are gone are left out.

        Parameters
        ----------
        ids
            Of shapes.
        done
            Told them, in that order.
        """
        here = [self.thumbs.asset(asset_id) for asset_id in ids]
        known = [asset for asset in here if asset is not None]
        if len(known) == len(here):
            done(known)
        else:
            self._do(partial(_assets, tuple(ids)), done, "look shapes up", keep=False)

    def set_tags(self, asset: Asset, tags: Sequence[str]) -> None:
        """Give a shape other tags."""
        self.thumbs.replace(replace(asset, tags=tuple(tags)))
        self._do(partial(_tagged, asset.id, tuple(tags)), self._changed, "tag a shape")

    # Collections

    def make_collection(self, name: str, ids: Sequence[int] = ()) -> None:
        """A new collection, with shapes in it."""
        self._do(partial(_collection_made, name, tuple(ids)), self._changed, "make a collection")

    def rename_collection(self, name: str, other: str) -> None:
        """Call a collection something else."""
        if self.question.collection == name:
            self.question.collection = other
        self._do(partial(_renamed, name, other), self._changed, "rename a collection")

    def remove_collection(self, name: str) -> None:
        """Forget a collection; the toast brings it back."""
        if self.question.collection == name:
            self.question.put(collection="")
        self._do(
            partial(_collection_removed, name), partial(self._on_removed, name),
            "remove a collection",
        )  # fmt: skip

    def _on_removed(self, name: str, ids: tuple[int, ...]) -> None:
        self._changed(None)
        words = self.tr("The collection {0} was deleted").format(legible(name))
        self.session.tell("info", words, self.tr("Undo"), partial(self.make_collection, name, ids))

    def collect(self, name: str, ids: Sequence[int]) -> None:
        """Add shapes to a collection."""
        self._do(partial(_collected, name, tuple(ids)), self._changed, "add to a collection")

    def uncollect(self, name: str, ids: Sequence[int]) -> None:
        """Take shapes out of a collection."""
        self._do(partial(_uncollected, name, tuple(ids)), self._changed, "take out of a collection")


def _changes(store: Store) -> str:
    return store.changes()


def _added(path: Path, store: Store) -> None:
    store.add_folder(path)


def _removed(path: Path, store: Store) -> None:
    store.remove_folder(path)


def _assets(ids: tuple[int, ...], store: Store) -> list[Asset]:
    return [card.asset for card in store.cards(ids)]


def _collection_made(name: str, ids: tuple[int, ...], store: Store) -> None:
    store.make_collection(name)
    if ids:
        store.collect(name, ids)


def _renamed(name: str, other: str, store: Store) -> None:
    store.rename_collection(name, other)


def _collection_removed(name: str, store: Store) -> tuple[int, ...]:
    ids = store.members(name)
    store.remove_collection(name)
    return ids


def _collected(name: str, ids: tuple[int, ...], store: Store) -> None:
    store.collect(name, ids)


def _uncollected(name: str, ids: tuple[int, ...], store: Store) -> None:
    store.uncollect(name, ids)


def _tagged(asset_id: int, tags: tuple[str, ...], store: Store) -> None:
    store.set_tags(asset_id, tags)


def _nothing(result: object) -> None:
    """Nobody waits for it."""
