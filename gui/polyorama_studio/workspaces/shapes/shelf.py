"""The library as the workspace sees it: asks on worker threads, holds answers, tells of them."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot

from polyorama.errors import UsageError
from polyorama_studio.jobs import Handlers, explain
from polyorama_studio.newest import Newest
from polyorama_studio.words import legible
from polyorama_studio.workspaces.shapes.keeping import Keeper
from polyorama_studio.workspaces.shapes.question import Like
from polyorama_studio.workspaces.shapes.stock import NOTHING, Found, Overview, Plan, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtCore import QObject

    from polyorama.scene.document import Document
    from polyorama.shapes.library.asset import Asset, Query
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.stock import Store

__all__ = ["FIRST", "MOST_AT_ONCE", "Shelf", "make_store", "title_of"]

FIRST = 240
"""So many results come at once; the others follow."""
MOST_AT_ONCE = 100
"""So many shapes can be placed, dragged or copied at once."""
_MOST_LIKED = 12

_PAUSE_MS = 80
"""So long after the last letter a search begins."""
_REST_MS = 350
"""So long after the best results are there the others are asked for, unless one scrolls."""


def make_store() -> Store:
    """The engine's library; on a worker thread, since it loads much."""
    from polyorama_studio.workspaces.shapes.store import EngineStore

    return EngineStore()


class Shelf(Keeper):
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
    chosen_changed = Signal()
    hovered_changed = Signal()
    explained = Signal()
    plan_changed = Signal()
    mapped_changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(session, parent)
        self.overview = Overview()
        self.found: Found = NOTHING
        self.fresh = True
        """Whether `found` answers another question than what was found before it."""
        self.ready = False
        """Whether the first answer is there."""
        self.error = ""
        """Why the library cannot be used, one sentence."""
        self.chosen: tuple[int, ...] = ()
        """Ids of the shapes that are chosen, the one that the keys are at last."""
        self.hovered = -1
        """Id of the shape under the pointer, -1 for none."""
        self.watching = ""
        """Name of what of the scene is being looked at, to be compared; "" for nothing."""
        self.reason: Reason | None = None
        self.plan: Plan | None = None
        self.mapped = False
        """Whether the map is shown in the place of the grid."""
        self._opening = False
        self._asked, self._answered = 0, -1
        """Numbers of the question that is asked, and of the one that `found` answers."""
        self._told = ""
        """The failure that was told last: one that stays is told once."""
        self._search = Newest(session, "search the library", self, pause=_PAUSE_MS)
        self._rest = Newest(session, "find the rest", self)
        self._resting = -1
        """Number of the question of which all results are asked for."""
        self._rest_timer = QTimer(self)
        self._rest_timer.setSingleShot(True)
        self._rest_timer.setInterval(_REST_MS)
        self._rest_timer.timeout.connect(self.find_rest)
        self._reason = Newest(session, "explain a match", self, pause=_PAUSE_MS)
        self._plan = Newest(session, "map the library", self)
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

    # Asking

    @Slot()
    def _refresh(self, result: object = None) -> None:
        """Look at everything anew."""
        self._do(_overview, self._on_overview, "look at the library", self._on_no_overview)
        self._look()

    def _on_overview(self, overview: Overview) -> None:
        self.overview, self.error = overview, ""
        self.overview_changed.emit()

    def _on_no_overview(self, error: BaseException) -> None:
        self.error, self.ready = explain(error), True
        self._tell(error)
        self.overview_changed.emit()

    def _tell(self, error: BaseException) -> None:
        """Tell of a failure, once as long as it stays the same."""
        if explain(error) != self._told:
            self._told = explain(error)
            self.session.report(error, self.tr("Try again"), self._refresh)

    @Slot()
    def search(self) -> None:
        """Look for what is asked; of several questions the last one is answered."""
        self._asked += 1
        self._look()

    def _look(self) -> None:
        """Have the question answered: what is new by its best results first."""
        if self._store is None:
            self.open()
            return
        self._rest_timer.stop()
        self._rest.forget()
        self._resting = -1
        query, unique = self.question.query(), self.question.unique
        # Groups can be counted only where all of them are there.
        some = query.asks and not unique and self._asked != self._answered
        work = partial(_searched, self._store, query, unique, FIRST if some else None)
        self._search.ask(work, partial(self._on_found, self._asked), self._on_not_found)
        self.searching_changed.emit()

    @Slot()
    def find_rest(self) -> None:
        """Have all results at once, where only the best are there yet."""
        if self._store is None or self.found.complete or self._resting == self._asked:
            return
        self._rest_timer.stop()
        self._resting = self._asked
        work = partial(_searched, self._store, self.question.query(), False, None)
        self._rest.ask(work, partial(self._on_found, self._asked), self._on_not_found)

    @property
    def searching(self) -> bool:
        """Whether an answer is awaited."""
        return self._search.busy or self._rest.busy or self._rest_timer.isActive()

    def _on_found(self, number: int, found: Found) -> None:
        self.fresh = number != self._answered
        if not self.fresh:
            # How long one waited for the first ones is what counts.
            found = replace(found, milliseconds=self.found.milliseconds)
        self.found, self.ready, self._answered, self._told = found, True, number, ""
        if not found.complete:
            self._rest_timer.start()
        self.refused.emit("")
        self.found_changed.emit()
        self.searching_changed.emit()
        if self.fresh:
            self._explain()

    def _on_not_found(self, error: BaseException) -> None:
        self.ready = True
        if isinstance(error, UsageError) and self.question.filters.strip():
            self.refused.emit(explain(error))
        else:
            self._tell(error)
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
            # What is done with them needs to know them, seen or not.
            self.thumbs.want("chosen", chosen[-MOST_AT_ONCE:])
            self.chosen_changed.emit()

    def hover(self, asset_id: int) -> None:
        """Say which shape the pointer is at, -1 for none."""
        if asset_id != self.hovered:
            self.hovered = asset_id
            self.hovered_changed.emit()

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

    @property
    def chosen_words(self) -> str:
        """What is chosen, by name or number; "" for nothing."""
        if len(self.chosen) == 1 and self.assets:
            return title_of(self.assets[0])
        return self.tr("{0} chosen").format(f"{len(self.chosen):,}") if self.chosen else ""

    def can_take(self) -> bool:
        """Whether as many as are chosen can be placed, dragged or copied; tells where not."""
        if len(self.chosen) > MOST_AT_ONCE:
            words = self.tr("{0} shapes are chosen; choose at most {1} to take them along")
            self.session.tell("warn", words.format(f"{len(self.chosen):,}", MOST_AT_ONCE))
        return len(self.chosen) <= MOST_AT_ONCE

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
            self.question.like(*(Like(a.id, title_of(a)) for a in assets[-_MOST_LIKED:]))

    def find_like(self, document: Document, nodes: Sequence[str]) -> None:
        """Ask for what resembles nodes of a scene; see `Store.vectors_of`."""
        names = [document.node(node_id).name for node_id in nodes]
        more = len(names) - 1
        name = self.tr("{0} and {1} more").format(names[0], f"{more:,}") if more else names[0]
        self.watching = legible(name)
        self.searching_changed.emit()
        work = partial(_compared, document, tuple(nodes))
        done, failed = partial(self._on_compared, self.watching), self._on_not_compared
        self._do(work, done, self.tr("Looking at {0}").format(self.watching), failed, keep=False)

    def _on_compared(self, name: str, vectors: NDArray[np.float32]) -> None:
        self.watching = ""
        self.question.like_shape(vectors, name)

    def _on_not_compared(self, error: BaseException) -> None:
        self.watching = ""
        self.session.report(error)
        self.searching_changed.emit()

    def _changed(self, result: object) -> None:
        self._refresh()

    def _files_changed(self) -> None:
        self.plan = None
        self._refresh()

    # The map

    def set_mapped(self, mapped: bool) -> None:
        """Show the map, or the grid."""
        if mapped != self.mapped:
            self.mapped = mapped
            self.mapped_changed.emit()

    @property
    def mapping(self) -> bool:
        """Whether a map is being made."""
        return self._plan.busy

    def ask_plan(self) -> None:
        """Have the map made, unless it is there."""
        if self._store is not None and self.plan is None and not self._plan.busy:
            self._plan.ask(self._store.plan, self._on_plan, self.session.report)

    def _on_plan(self, plan: Plan) -> None:
        self.plan = plan
        if self._store is not None and len(plan.ids):
            self._plan.ask(self._store.better_plan, self._on_better_plan, self.session.report)
        self.plan_changed.emit()

    def _on_better_plan(self, plan: Plan) -> None:
        self.plan = plan
        self.plan_changed.emit()

    def close(self) -> None:
        """Let go of the library."""
        self._live.stop()
        self.set_watching(False)
        self._rest_timer.stop()
        store, self._store = self._store, None
        if store is not None:
            store.close()


def title_of(asset: Asset) -> str:
    """What a shape is called: its file's name in plain words."""
    return legible(asset.path.stem.replace("_", " ").replace("-", " ").strip() or asset.path.name)


def _make() -> Store:
    return make_store()


def _searched(store: Store, query: Query, unique: bool, limit: int | None) -> Found:
    began = time.perf_counter()
    found = store.search(query, unique=unique, limit=limit)
    return replace(found, milliseconds=1000.0 * (time.perf_counter() - began))


def _compared(
    document: Document, nodes: tuple[str, ...], store: Store
) -> NDArray[np.float32]:  # fmt: skip
    return store.vectors_of(document, nodes)


def _overview(store: Store) -> Overview:
    return store.overview()


def _nothing(result: object) -> None:
    """Nobody waits for it."""
