"""A library of as many shapes as a test wants, in the place of the engine's."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtGui import QColor, QImage

from polyorama.core.jobs import Progress
from polyorama.errors import FileFormatError, UsageError
from polyorama.shapes.library.asset import Asset, Failure
from polyorama_studio.workspaces.shapes.stock import (
    Card,
    Collection,
    Folder,
    Found,
    Overview,
    Plan,
    Reason,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document
    from polyorama.shapes.library.asset import Query

__all__ = ["FakeStore"]

VIEWS = 12


class FakeStore:
    """Notes who asked for what, and on which thread.

    Parameters
    ----------
    count
        Shapes. Words rank the shape of that number first, so that a test knows what comes.
    """

    def __init__(self, count: int = 100_000) -> None:
        self.count = count
        self.threads: set[int] = set()
        self.queries: list[Query] = []
        self.read: list[int] = []
        self.limits: list[int | None] = []
        self.turned: list[Path] = []
        self.looked: list[tuple[int, float, float, int]] = []
        self.compared: list[tuple[str, ...]] = []
        self.unseen = False
        self.changed = ""
        self.note = ""
        self.indexed = 0
        self.folders = [Path("/models")] if count else []
        self.collections: dict[str, list[int]] = {}
        self.tags: dict[int, tuple[str, ...]] = {}
        self.paths: dict[int, Path] = {}
        self.failures: tuple[Failure, ...] = ()
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.steps = threading.Semaphore(1000)
        self.closed = False

    def _note(self) -> None:
        self.threads.add(threading.get_ident())

    def asset(self, number: int) -> Asset:
        """What shape this is."""
        path = self.paths.get(number, Path(f"/models/thing_{number}.glb"))
        splats = number % 7 == 3
        return Asset(
            number, path, f"{number:064x}", path.suffix[1:], "splats" if splats else "mesh", 1000,
            None if splats else 10 + number, 500 if splats else None, (1.0, 2.0, 0.5), "CC0",
            self.tags.get(number, ()), f"thing {number}", number // 4,
        )  # fmt: skip

    def overview(self) -> Overview:
        self._note()
        return Overview(
            self.count, tuple(Folder(path, self.count) for path in self.folders),
            tuple(Collection(name, len(ids)) for name, ids in sorted(self.collections.items())),
            self.failures, ("glb", "splat"), ("CC0",), "procedural shapes and CC0 models",
        )  # fmt: skip

    def search(self, query: Query, *, unique: bool, limit: int | None = None) -> Found:
        self._note()
        self.queries.append(query)
        self.limits.append(limit)
        self.entered.set()
        self.gate.wait(10.0)
        if "nonsense" in query.filters:
            raise UsageError("There is no condition 'nonsense'; there are polys, format, licence.")
        ids = np.arange(self.count, dtype=np.int64)
        if query.collection:
            ids = np.array(self.collections[query.collection], np.int64)
        if query.words.isdigit():
            ids = np.roll(ids, -int(query.words))
        if query.like:
            ids = np.roll(ids, -query.like[0])
        copies = np.ones(len(ids), np.int32)
        if unique:
            ids, copies = ids[::4], copies[::4] * 4
        scores = np.linspace(0.5, 0.1, len(ids), dtype=np.float32)
        scores = scores if query.asks else np.zeros_like(scores)
        return Found(
            ids[:limit], scores[:limit], (ids % VIEWS).astype(np.int16)[:limit], copies[:limit],
            query.asks, complete=limit is None or len(ids) <= limit,
        )  # fmt: skip

    def cards(self, ids: Sequence[int]) -> list[Card]:
        self._note()
        self.read += ids
        cards = []
        for number in ids:
            image = QImage(64, 64, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(QColor.fromHsv(number * 37 % 360, 120, 200))
            cards.append(Card(self.asset(number), image))
        return cards

    def turntable(self, asset: Asset, frames: int, size: int) -> NDArray[np.uint8]:
        self._note()
        self.turned.append(asset.path)
        pictures = np.full((frames, size, size, 4), 255, np.uint8)
        pictures[..., 0] = np.arange(frames, dtype=np.uint8)[:, None, None]
        return pictures

    def look(self, asset: Asset, azimuth: float, elevation: float, size: int) -> NDArray[np.uint8]:
        self._note()
        self.looked.append((asset.id, azimuth, elevation, size))
        if self.unseen:
            raise FileFormatError(f"This file is gone: {asset.path}")
        return np.full((size, size, 4), 200, np.uint8)

    def vectors_of(self, document: Document, nodes: Sequence[str]) -> NDArray[np.float32]:
        self._note()
        self.gate.wait(10.0)
        self.compared.append(tuple(document.node(node_id).name for node_id in nodes))
        if self.unseen:
            raise FileFormatError("Nothing of this can be seen: all splats are transparent.")
        return np.eye(len(nodes), 8, dtype=np.float32)

    def members(self, name: str) -> tuple[int, ...]:
        self._note()
        return tuple(self.collections[name])

    def explain(self, asset_id: int, query: Query) -> Reason:
        self._note()
        scores = np.linspace(0.1, 0.4, VIEWS, dtype=np.float32)
        return Reason(np.roll(scores, asset_id), ())

    def plan(self) -> Plan:
        self._note()
        points = np.random.default_rng(1).random((self.count, 2), np.float32)
        return Plan(np.arange(self.count, dtype=np.int64), points)

    def better_plan(self) -> Job[Plan]:
        self._note()
        yield Progress(0, 1, "Laying out the map")
        plan = self.plan()
        return replace(plan, points=1.0 - plan.points, note=self.note)

    def index(self) -> Job[Any]:
        self._note()
        self.indexed += 1
        for number in range(3):
            self.steps.acquire(timeout=10.0)
            yield Progress(number, 3, f"thing {number}")
        return None

    def changes(self) -> str:
        self._note()
        return self.changed

    def add_folder(self, path: Path) -> None:
        self._note()
        self.folders.append(path)
        self.count = self.count or 20

    def remove_folder(self, path: Path) -> None:
        self._note()
        self.folders.remove(path)

    def make_collection(self, name: str) -> None:
        self._note()
        self.collections[name] = []

    def rename_collection(self, name: str, other: str) -> None:
        self._note()
        self.collections[other] = self.collections.pop(name)

    def remove_collection(self, name: str) -> None:
        self._note()
        del self.collections[name]

    def collect(self, name: str, ids: Sequence[int]) -> None:
        self._note()
        self.collections[name] = sorted({*self.collections[name], *ids})

    def uncollect(self, name: str, ids: Sequence[int]) -> None:
        self._note()
        self.collections[name] = [i for i in self.collections[name] if i not in ids]

    def set_tags(self, asset_id: int, tags: Sequence[str]) -> None:
        self._note()
        self.tags[asset_id] = tuple(tags)

    def close(self) -> None:
        self.closed = True
