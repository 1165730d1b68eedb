"""Turntables: shapes once round, drawn on a worker, the last ones kept."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPixmap

from polyorama_studio.newest import Newest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Spins", "images_of"]


class Spins(QObject):
    """Pictures of shapes from all round.

    Parameters
    ----------
    session, shelf
        See there.
    frames, size
        How many pictures make a turn, and their side in pixels.
    kept
        So many shapes are kept.
    pause
        So many milliseconds one must look at a shape before it is drawn.
    """

    came = Signal(int)
    """The turntable of the shape with this id."""

    def __init__(
        self, session: Session, shelf: Shelf, *, frames: int, size: int, kept: int, pause: int
    ) -> None:  # fmt: skip
        super().__init__(shelf)
        self._shelf = shelf
        self._frames, self._size, self._kept = frames, size, kept
        self._made: OrderedDict[int, tuple[str, list[QPixmap]]] = OrderedDict()
        self._newest = Newest(session, "turn a shape", self, pause=pause)
        self._asked = -1

    def of(self, asset: Asset) -> list[QPixmap]:
        """The pictures of a shape, empty where they are not there."""
        content, pictures = self._made.get(asset.id, ("", []))
        return pictures if content == asset.content else []

    def ask(self, asset: Asset | None) -> None:
        """Have a shape drawn, and nothing that was asked before; None for nothing."""
        store = self._shelf.store
        if asset is None or store is None or self.of(asset):
            self._asked = -1
            self._newest.forget()
        elif asset.id != self._asked:
            self._asked = asset.id
            work = partial(_drawn, store, asset, self._frames, self._size)
            self._newest.ask(work, partial(self._on_drawn, asset), self._on_failed)

    def _on_drawn(self, asset: Asset, images: list[QImage]) -> None:
        self._asked = -1
        self._made[asset.id] = (asset.content, [QPixmap.fromImage(image) for image in images])
        self._made.move_to_end(asset.id)
        while len(self._made) > self._kept:
            self._made.popitem(last=False)
        self.came.emit(asset.id)

    def _on_failed(self, error: BaseException) -> None:
        # A file that went away meanwhile stays a still picture; indexing tells what became of it.
        self._asked = -1


def _drawn(store, asset: Asset, frames: int, size: int) -> list[QImage]:
    return images_of(store.turntable(asset, frames, size))


def images_of(pictures: NDArray[np.uint8]) -> list[QImage]:
    """Images of (F, S, S, 4) uint8 pictures, display RGB and coverage."""
    images = []
    for picture in pictures:
        pixels = np.ascontiguousarray(picture)
        high, wide = pixels.shape[:2]
        wrapped = QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_RGBA8888)
        images.append(wrapped.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))
    return images
