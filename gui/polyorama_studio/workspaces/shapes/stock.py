"""What the Shapes workspace knows of the library: values, and the protocol of what holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from PySide6.QtGui import QImage

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document
    from polyorama.shapes.library.asset import Asset, Failure, Query

__all__ = [
    "NOTHING",
    "Card",
    "Collection",
    "Folder",
    "Found",
    "Overview",
    "Plan",
    "Reason",
    "Store",
]


@dataclass(frozen=True, slots=True)
class Folder:
    """A watched folder and how many shapes lie in it."""

    path: Path
    count: int


@dataclass(frozen=True, slots=True)
class Collection:
    """A person's own choice of shapes: its name and how many there are."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What the library holds.

    Parameters
    ----------
    count
        Shapes.
    folders, collections, failures
        See there.
    formats, licences
        Those that occur, in alphabetical order.
    origin
        What the model that compares shapes was trained on, in words.
    """

    count: int = 0
    folders: tuple[Folder, ...] = ()
    collections: tuple[Collection, ...] = ()
    failures: tuple[Failure, ...] = ()
    formats: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Results, best first.

    Parameters
    ----------
    ids
        (N,) int64 ids of assets.
    scores
        (N,) float32 cosine similarities; zeros where nothing ranked.
    best_views
        (N,) int16 index of the view that matched best, -1 where not known.
    copies
        (N,) int32: how many near-duplicates each stands for, itself counted; 1 where all are shown.
    ranked
        Whether the scores say something.
    milliseconds
        How long the search took.
    complete
        Whether these are all, or the best ones alone.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    best_views: NDArray[np.int16]
    copies: NDArray[np.int32]
    ranked: bool = False
    milliseconds: float = 0.0
    complete: bool = True

    def __len__(self) -> int:
        return len(self.ids)


NOTHING = Found(
    np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int16), np.empty(0, np.int32)
)


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A shape as the grid shows it; `image` is None where there is no picture of it."""

    asset: Asset
    image: QImage | None


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """Why a shape matched.

    Parameters
    ----------
    scores
        (F,) float32 cosine similarity of each view with what was asked.
    pictures
        The views, as many.
    """

    scores: NDArray[np.float32]
    pictures: tuple[QImage, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Where shapes lie on the map of the library: alike ones near each other.

    Parameters
    ----------
    ids
        (N,) int64.
    points
        (N, 2) float32, 0..1.
    note
        Why it is no better one, a sentence; "" for the best that can be had.
    """

    ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    points: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 2), np.float32))
    note: str = ""


class Store(Protocol):
    """What the workspace asks of the engine's library; every call comes from a worker thread.

    Each may raise `PolyoramaError`.
    """

    def overview(self) -> Overview:
        """What is there."""
        ...

    def search(self, query: Query, *, unique: bool, limit: int | None = None) -> Found:
        """Results, at most so many; with `unique`, the best of each group of near-duplicates."""
        ...

    def cards(self, ids: Sequence[int]) -> list[Card]:
        """Shapes with their pictures, those that are known."""
        ...

    def turntable(self, asset: Asset, frames: int, size: int) -> NDArray[np.uint8]:
        """(frames, size, size, 4) uint8: once round, display RGB and coverage."""
        ...

    def look(self, asset: Asset, azimuth: float, elevation: float, size: int) -> NDArray[np.uint8]:
        """(size, size, 4) uint8: a shape from one side, so many degrees from its thumbnail's."""
        ...

    def vectors_of(self, document: Document, nodes: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) unit vectors of what nodes of a scene hold, or of what is selected of them."""
        ...

    def explain(self, asset_id: int, query: Query) -> Reason:
        """Which views matched."""
        ...

    def plan(self) -> Plan:
        """The map, as good as it can be had at once."""
        ...

    def better_plan(self) -> Job[Plan]:
        """A map that keeps neighbours together; takes its time."""
        ...

    def index(self) -> Job[Any]:
        """Bring the library up to date with its folders."""
        ...

    def changes(self) -> str:
        """Another text for other changes of the folders since they were indexed; "" for none."""
        ...

    def add_folder(self, path: Path) -> None:
        """Watch a folder."""
        ...

    def remove_folder(self, path: Path) -> None:
        """Watch it no more; its files stay as they are."""
        ...

    def make_collection(self, name: str) -> None:
        """A new, empty collection."""
        ...

    def rename_collection(self, name: str, other: str) -> None:
        """Call a collection something else."""
        ...

    def remove_collection(self, name: str) -> None:
        """Forget a collection; its shapes stay."""
        ...

    def members(self, name: str) -> tuple[int, ...]:
        """The shapes of a collection."""
        ...

    def collect(self, name: str, ids: Sequence[int]) -> None:
        """Add shapes to a collection."""
        ...

    def uncollect(self, name: str, ids: Sequence[int]) -> None:
        """Take shapes out of a collection."""
        ...

    def set_tags(self, asset_id: int, tags: Sequence[str]) -> None:
        """Give a shape other tags."""
        ...

    def close(self) -> None:
        """Let go of its files."""
        ...
