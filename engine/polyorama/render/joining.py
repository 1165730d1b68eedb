"""Several clouds as one, put together anew only where arrays differ from those before."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.render.caches import lets_go
from polyorama.render.state import Gaussians
from polyorama.scene.splats import SplatCloud, concatenate
from polyorama.scene.transform import affine_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["Part", "joined"]

_MOST = 1 << 16
"""Maps that a palette index can tell apart."""

_KEPT = 2
"""Sets of clouds whose concatenation is kept: of a scene, and of another or of a view before."""

_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One node's splats.

    Parameters
    ----------
    node
        Its id.
    world
        (4, 4) float64, node to world.
    cloud, palette, palette_index, state
        As of `polyorama.scene.stack.StackedSplats`.
    """

    node: str
    world: NDArray[np.float64]
    cloud: SplatCloud
    palette: NDArray[np.float64] | None = None
    palette_index: NDArray[np.uint16] | None = None
    state: NDArray[np.uint8] | None = None


class _Join:
    """One concatenation of clouds, and the columns beside it that were made last."""

    def __init__(self, clouds: Sequence[SplatCloud]) -> None:
        self.clouds = tuple(clouds)
        self.cloud = concatenate(clouds)
        self.node_index: NDArray[np.int32] | None = None
        if len(clouds) > 1:
            numbers = np.arange(len(clouds), dtype=np.int32)
            self.node_index = _frozen(np.repeat(numbers, [len(c) for c in clouds]))
        self.cache: dict[str, Any] = {}
        self._columns: dict[str, tuple[tuple[Any, ...], NDArray[Any]]] = {}

    def is_of(self, clouds: Sequence[SplatCloud]) -> bool:
        return len(clouds) == len(self.clouds) and all(
            a is b for a, b in zip(clouds, self.clouds, strict=True)
        )

    def column(
        self,
        name: str,
        sources: tuple[Any, ...],
        make: Callable[[], NDArray[Any]],
    ) -> NDArray[Any]:
        """A column by what it is made of: the same array while that is the same, or alike."""
        kept = self._columns.get(name)
        if kept is not None and _same(kept[0], sources):
            return kept[1]
        column = make()
        if kept is not None and np.array_equal(kept[1], column):
            column = kept[1]
        self._columns[name] = (sources, column)
        return column


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b or (isinstance(a, int) and a == b) for a, b in zip(one, other, strict=True)
    )


_joins: list[_Join] = []
_lock = threading.Lock()


@lets_go
def _forget() -> None:
    # Another list, and no lock: whoever joins goes on with the old one.
    global _joins
    _joins = []


def joined(parts: Sequence[Part]) -> Gaussians:
    """The parts as one flat array, whose cloud is written only where the parts' clouds are others.

    Raises
    ------
    UsageError
        If a map flattens space, or there are more maps than an index can tell apart.
    """
    if not parts:
        return Gaussians(_empty_cloud())
    with _lock:
        join = _join_of([part.cloud for part in parts])
        palette = _palette_of(parts)
        index = None
        if palette is not None and len(palette) > 1:
            index = join.column("index", *_index_of(parts))
        state = None
        if any(part.state is not None for part in parts):
            state = join.column("state", *_state_of(parts))
    return Gaussians(
        join.cloud,
        node_index=join.node_index,
        node_ids=tuple(part.node for part in parts),
        palette=palette,
        palette_index=index,
        state=state,
        cache=join.cache,
    )


def _join_of(clouds: Sequence[SplatCloud]) -> _Join:
    joins = _joins
    for at, join in enumerate(joins):
        if join.is_of(clouds):
            joins.append(joins.pop(at))
            return join
    # Room is made first: two large concatenations less are alive while the next is made.
    del joins[: len(joins) - _KEPT + 1]
    joins.append(_Join(clouds))
    return joins[-1]


def _palette_of(parts: Sequence[Part]) -> NDArray[np.float64] | None:
    """All maps of all parts to the world, part after part; None where nothing moves."""
    maps = []
    for part in parts:
        world = affine_matrix(part.world)
        if part.palette is None:
            maps.append(world[None, :3])
        else:
            moved = world[:3, :3] @ part.palette
            moved[:, :, 3] += world[:3, 3]
            maps.append(moved)
    palette = np.concatenate(maps)
    if np.abs(palette - np.eye(3, 4)).max() <= _TOLERANCE:
        return None
    if len(palette) > _MOST:
        raise UsageError(
            f"Things are moved in {len(palette):,} different ways, more than {_MOST:,}; apply some "
            "transforms, or hide nodes."
        )
    return palette


def _index_of(
    parts: Sequence[Part],
) -> tuple[tuple[Any, ...], Callable[[], NDArray[np.uint16]]]:
    counts = [1 if part.palette is None else len(part.palette) for part in parts]
    sources = (*counts, *(part.palette_index for part in parts))

    def make() -> NDArray[np.uint16]:
        if len(parts) == 1 and parts[0].palette_index is not None:
            return parts[0].palette_index
        index = np.empty(sum(len(part.cloud) for part in parts), np.uint16)
        start = first = 0
        for part, count in zip(parts, counts, strict=True):
            stop = start + len(part.cloud)
            own = 0 if part.palette_index is None else part.palette_index
            np.add(own, first, out=index[start:stop], casting="unsafe")
            start, first = stop, first + count
        return _frozen(index)

    return sources, make


def _state_of(
    parts: Sequence[Part],
) -> tuple[tuple[Any, ...], Callable[[], NDArray[np.uint8]]]:
    def make() -> NDArray[np.uint8]:
        if len(parts) == 1 and parts[0].state is not None:
            return parts[0].state
        state = np.zeros(sum(len(part.cloud) for part in parts), np.uint8)
        start = 0
        for part in parts:
            stop = start + len(part.cloud)
            if part.state is not None:
                state[start:stop] = part.state
            start = stop
        return _frozen(state)

    return tuple(part.state for part in parts), make


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _empty_cloud() -> SplatCloud:
    return SplatCloud(
        np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32), np.zeros((0, 3), np.float32),
        np.zeros(0, np.float32), np.zeros((0, 1, 3), np.float32),
    )  # fmt: skip
