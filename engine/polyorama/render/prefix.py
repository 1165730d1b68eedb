"""Which splats a state draws: all, or a coarse prefix in order of importance."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.render.state import Gaussians
from polyorama.scene.modify.step import DELETED, HIDDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["limited"]

_lock = threading.Lock()
_PREFIXES = 4
"""How many coarse versions of a cloud are kept: a governor moves among a few."""


@dataclass(slots=True, eq=False)
class _Prefix:
    """A coarse version of a cloud; further columns are picked when they are asked for."""

    names: NDArray[np.int32]
    cloud: SplatCloud
    columns: dict[str, tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=dict)

    def column(self, name: str, source: NDArray[Any] | None) -> NDArray[Any] | None:
        if source is None:
            return None
        kept = self.columns.get(name)
        if kept is None or kept[0] is not source:
            picked = source[self.names]
            picked.flags.writeable = False
            kept = self.columns[name] = (source, picked)
        return kept[1]


@dataclass(slots=True, eq=False)
class _Prefixes:
    """What is kept for one cloud: its order, and the prefixes of what of it is shown."""

    sizes: tuple[int, ...]
    index: NDArray[np.uint16] | None
    order: NDArray[np.int32]
    gone: NDArray[np.bool_] | None = None
    parts: dict[int, _Prefix] = field(default_factory=dict)

    def part(self, gaussians: Gaussians, limit: int, gone: NDArray[np.bool_] | None) -> _Prefix:
        if not _alike(gone, self.gone):
            self.gone = gone
            self.parts.clear()
        part = self.parts.pop(limit, None)
        if part is None:
            order = self.order if gone is None else self.order[~gone[self.order]]
            names = np.sort(order[:limit])
            while len(self.parts) >= _PREFIXES:
                self.parts.pop(next(iter(self.parts)))
            part = _Prefix(names, gaussians.cloud.subset(names))
        self.parts[limit] = part
        return part


def limited(gaussians: Gaussians, limit: int | None) -> tuple[Gaussians, NDArray[np.int32] | None]:
    """The splats to draw, and, where they are a coarse prefix, which ones these are.

    No splat of a prefix is hidden or deleted. Its arrays are kept while things are moved, turned
    and selected.
    """
    if limit is None or limit >= len(gaussians.cloud):
        return gaussians, None
    limit = max(limit, 0)
    gone = None
    if gaussians.state is not None:
        gone = (gaussians.state & (HIDDEN | DELETED)) != 0
        gone = gone if gone.any() else None
    with _lock:  # two renders may run at once
        part = _prefixes(gaussians).part(gaussians, limit, gone)
        coarse = Gaussians(
            part.cloud,
            part.column("features", gaussians.features),
            palette=gaussians.palette,
            palette_index=part.column("palette_index", gaussians.palette_index),
            state=part.column("state", gaussians.state),
        )
        return coarse, part.names


def _alike(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _prefixes(gaussians: Gaussians) -> _Prefixes:
    sizes = _relative_sizes(gaussians)
    index = gaussians.palette_index if sizes else None
    kept: _Prefixes | None = gaussians.cache.get("prefixes")
    if kept is None or kept.sizes != sizes or kept.index is not index:
        cloud = gaussians.cloud
        if index is not None:
            factors = np.exp2(np.asarray(sizes, np.float32))
            cloud = replace(cloud, scales=cloud.scales * factors[index][:, None])
        kept = gaussians.cache["prefixes"] = _Prefixes(sizes, index, cloud.importance_order())
    return kept


def _relative_sizes(gaussians: Gaussians) -> tuple[int, ...]:
    """By how many doublings each map of the palette enlarges, the first being 0; () if none does.

    Whole doublings are enough for a coarse picture, and while a thing is scaled the order of a
    cloud is found anew only now and then.
    """
    if gaussians.palette is None or gaussians.palette_index is None:
        return ()
    volumes = np.abs(np.linalg.det(gaussians.palette[:, :, :3]))
    doublings = np.rint(np.log2(np.maximum(volumes, 1e-90)) / 3.0).astype(int)
    doublings -= doublings[0]
    return tuple(int(d) for d in doublings) if doublings.any() else ()
