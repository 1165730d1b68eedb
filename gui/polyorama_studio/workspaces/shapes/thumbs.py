"""Pictures and facts of shapes that are seen: read in batches on a worker, within bounds."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmap

from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.stock import Card, Store

__all__ = ["Thumbs"]

_BATCH = 40
_MOST_KEPT = 1500
"""About as many as five screens of the smallest cells; 256 KiB each at most."""


class Thumbs(QObject):
    """Cards by id; `want` says which are to be had next.

    Parameters
    ----------
    session
        Runs jobs and shows failures.
    """

    came = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.store: Store | None = None
        self._assets: OrderedDict[int, Asset] = OrderedDict()
        self._pixmaps: dict[int, QPixmap | None] = {}
        self._wanted: dict[str, Sequence[int]] = {}
        self._reading: tuple[int, ...] = ()
        self._unknown: set[int] = set()

    def __len__(self) -> int:
        return len(self._assets)

    def asset(self, asset_id: int) -> Asset | None:
        """What is known of a shape, if it is at hand."""
        return self._assets.get(asset_id)

    def pixmap(self, asset_id: int) -> QPixmap | None:
        """Its picture, if it is at hand and there is one."""
        return self._pixmaps.get(asset_id)

    def replace(self, asset: Asset) -> None:
        """Something is known better now."""
        if asset.id in self._assets:
            self._assets[asset.id] = asset
            self.came.emit()

    def forget(self) -> None:
        """Read all anew: files may have changed."""
        self._assets.clear()
        self._pixmaps.clear()
        self._unknown.clear()

    def want(self, who: str, ids: Sequence[int]) -> None:
        """Have these read, which somebody shows; what it wanted before is dropped.

        Parameters
        ----------
        who
            Name of what shows them: each has its own wishes, and the first are filled first.
        ids
            The most urgent first.
        """
        self._wanted[who] = ids
        for asset_id in ids:
            if asset_id in self._assets:
                self._assets.move_to_end(asset_id)
        self._read_next()

    def _missing(self) -> tuple[int, ...]:
        found: dict[int, None] = {}
        for ids in self._wanted.values():
            for asset_id in ids:
                if asset_id not in self._assets and asset_id not in self._unknown:
                    found[asset_id] = None
                    if len(found) == _BATCH:
                        return tuple(found)
        return tuple(found)

    def _read_next(self) -> None:
        if self._reading or self.store is None:
            return
        self._reading = self._missing()
        if self._reading:
            handlers = Handlers(self._on_cards, self._on_failed, _nothing)
            work = partial(self.store.cards, self._reading)
            self._session.start_job(work, handlers, "read thumbnails")

    def _on_cards(self, cards: list[Card]) -> None:
        asked, self._reading = self._reading, ()
        for card in cards:
            self._assets[card.asset.id] = card.asset
            pixmap = None if card.image is None else QPixmap.fromImage(card.image)
            self._pixmaps[card.asset.id] = pixmap
        # What is not known is not asked for again and again.
        self._unknown |= set(asked) - self._assets.keys()
        while len(self._assets) > _MOST_KEPT:
            old, _ = self._assets.popitem(last=False)
            self._pixmaps.pop(old, None)
        self.came.emit()
        self._read_next()

    def _on_failed(self, error: BaseException) -> None:
        self._unknown |= set(self._reading)
        self._reading = ()
        self._session.report(error)
        self._read_next()


def _nothing(progress: object) -> None:
    """It takes no steps."""
