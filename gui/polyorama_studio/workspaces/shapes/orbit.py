"""A shape seen from where the hand wants it: views are drawn on a worker, the newest alone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPixmap

from polyorama_studio.newest import Newest
from polyorama_studio.workspaces.shapes.spins import images_of

if TYPE_CHECKING:
    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf
    from polyorama_studio.workspaces.shapes.stock import Store

__all__ = ["FRONT", "Orbit"]

FRONT = (0.0, 0.0)
"""Where looking begins: as the thumbnail, which sees things from a little above."""
_LOWEST, _HIGHEST = -100.0, 65.0
"""Degrees from there to near the poles."""
_PAUSE_MS = 120
"""So long one looks at a shape before its file is opened."""
_STILL_MS = 160
"""So long after the last turn a view is drawn in full."""
_SMOOTH_MS = 30.0
"""Views that take longer are drawn at half the size while they turn."""


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    image: QImage
    milliseconds: float


class Orbit(QObject):
    """One shape, a direction, and the newest picture of it.

    Parameters
    ----------
    session, shelf
        See there.
    """

    came = Signal()
    """There is another picture."""

    def __init__(self, session: Session, shelf: Shelf) -> None:
        super().__init__(shelf)
        self._shelf = shelf
        self.asset: Asset | None = None
        self.azimuth, self.elevation = FRONT
        """Degrees from the thumbnail's view."""
        self.size = 0
        """Side of the pictures, device pixels."""
        self.error: BaseException | None = None
        """Why the shape cannot be drawn."""
        self._pixmap: QPixmap | None = None
        self._milliseconds = 0.0
        self._newest = Newest(session, "look at a shape", self)
        self._pause = QTimer(self)
        self._still = QTimer(self)
        for timer, wait in ((self._pause, _PAUSE_MS), (self._still, _STILL_MS)):
            timer.setSingleShot(True)
            timer.setInterval(wait)
            timer.timeout.connect(self._draw)

    @property
    def pixmap(self) -> QPixmap | None:
        """The shape as it was drawn last, if it was."""
        return self._pixmap

    def show(self, asset: Asset | None) -> None:
        """Look at another shape, as its thumbnail does; None for none."""
        known = self.asset
        if asset is not None and known is not None and asset.content == known.content:
            self.asset = asset
            return
        self.asset, self.error, self._pixmap, self._milliseconds = asset, None, None, 0.0
        self.azimuth, self.elevation = FRONT
        self._newest.forget()
        self._still.stop()
        self._pause.stop()
        if asset is not None:
            self._pause.start()

    def resize(self, size: int) -> None:
        """Draw so large from now on, device pixels."""
        if size != self.size:
            self.size = size
            if self._pixmap is not None:
                self._still.start()

    def turn(self, azimuth: float, elevation: float) -> None:
        """Look from another side; azimuth goes round, elevation ends near the poles."""
        elevation = min(max(elevation, _LOWEST), _HIGHEST)
        if (azimuth % 360.0, elevation) == (self.azimuth, self.elevation):
            return
        self.azimuth, self.elevation = azimuth % 360.0, elevation
        if self.asset is not None:
            self._pause.stop()
            slow = self._milliseconds > _SMOOTH_MS
            self._ask(self.size // 2 if slow else self.size)
            if slow:
                self._still.start()

    @Slot()
    def _draw(self) -> None:
        self._ask(self.size)

    def _ask(self, size: int) -> None:
        store, asset = self._shelf.store, self.asset
        if store is not None and asset is not None and size > 0:
            work = partial(_drawn, store, asset, self.azimuth, self.elevation, size)
            self._newest.ask(work, partial(self._on_drawn, size), self._on_failed)

    def _on_drawn(self, size: int, drawn: _Drawn) -> None:
        self._pixmap = QPixmap.fromImage(drawn.image)
        if size == self.size:
            self._milliseconds = drawn.milliseconds
        self.came.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.error = error
        self.came.emit()


def _drawn(
    store: Store, asset: Asset, azimuth: float, elevation: float, size: int
) -> _Drawn:  # fmt: skip
    began = time.perf_counter()
    image = images_of(store.look(asset, azimuth, elevation, size)[None])[0]
    return _Drawn(image, 1000.0 * (time.perf_counter() - began))
