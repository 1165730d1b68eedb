"""Moving splats without rewriting them: a palette of affine maps, and an index a splat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.errors import UsageError
from polyorama.scene.modify.step import NO_INDEX, flags_of, in_parts
from polyorama.scene.placement import matrix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Transform
    from polyorama.scene.modify.step import Step
    from polyorama.scene.splats import SplatCloud

__all__ = ["Reindexed", "baked", "moved", "reindexed", "transform", "transform_matrix"]

_MOST = 65536
"""Maps that a uint16 can tell apart."""


def transform_matrix(modifier: Transform) -> NDArray[np.float64]:
    """(3, 4) float64 map of a Transform; strength goes along translation, angles and factors."""
    share = modifier.strength
    rotation = share * np.asarray(modifier.rotation)
    scale = 1.0 + share * (np.asarray(modifier.scale) - 1.0)
    matrix = matrix_of((0.0, 0.0, 0.0), rotation, scale)[:3]
    pivot = np.asarray(modifier.pivot)
    matrix[:, 3] = pivot - matrix[:, :3] @ pivot + share * np.asarray(modifier.translation)
    return matrix


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Reindexed:
    """Which splats have which map once some of them are moved; it does not depend on whereto.

    Parameters
    ----------
    index
        (N,) uint16, of the new maps.
    before
        (P,) int64, the old map that each new one comes from.
    moves
        (P,) bool, whether it is moved now.
    """

    index: NDArray[np.uint16]
    before: NDArray[np.int64]
    moves: NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes of the index."""
        return self.index.nbytes


def reindexed(
    count: int,
    index: NDArray[np.uint16] | None,
    ways: int,
    chosen: NDArray[np.bool_] | None,
) -> Reindexed:
    """Give splats that are moved now maps of their own.

    Parameters
    ----------
    count
        Splats.
    index
        The present index, or None.
    ways
        Maps in the present palette.
    chosen
        Which splats are moved, or None for all.

    Raises
    ------
    UsageError
        If there are more different maps than an index can tell apart.
    """
    old = NO_INDEX if index is None else index
    flags = flags_of(chosen)
    used = np.zeros(2 * ways, np.bool_)
    used[0] = True  # the identity keeps its place
    in_parts(count, lambda start, stop: _mark(old, flags, ways, used, start, stop))
    pairs = np.flatnonzero(used)
    if len(pairs) > _MOST:
        raise UsageError(
            f"These transforms move splats in more than {_MOST:,} different ways; apply some of "
            "them first."
        )
    table = np.zeros(2 * ways, np.uint16)
    table[pairs] = np.arange(len(pairs))
    fresh = np.empty(count, np.uint16)
    in_parts(count, lambda start, stop: _renumber(old, flags, ways, table, fresh, start, stop))
    fresh.flags.writeable = False
    return Reindexed(fresh, pairs % ways, pairs >= ways)


def transform(step: Step, modifier: Transform, ways: Reindexed) -> Step:
    """Let the modifier's map follow those that splats have already."""
    matrix = transform_matrix(modifier)
    palette = step.maps()[0][ways.before].copy()
    palette[ways.moves] = matrix[:, :3] @ palette[ways.moves]
    palette[ways.moves, :, 3] += matrix[:, 3]
    palette.flags.writeable = False
    return replace(step, palette=palette, palette_index=ways.index)


def moved(
    means: NDArray[np.float32],
    palette: NDArray[np.float64],
    index: NDArray[np.uint16],
) -> NDArray[np.float32]:
    """(N, 3) float32 read-only: centres, each moved by its map."""
    result = np.empty_like(means)
    in_parts(len(means), lambda start, stop: _move(means, palette, index, result, start, stop))
    result.flags.writeable = False
    return result


def baked(
    cloud: SplatCloud,
    palette: NDArray[np.float64] | None,
    index: NDArray[np.uint16] | None,
) -> SplatCloud:
    """The cloud with the palette carried out on centres, shapes and harmonics.

    Raises
    ------
    UsageError
        If splats would leave the range of 32-bit numbers.
    """
    if palette is None or index is None or not len(cloud):
        return cloud
    counts = np.bincount(index, minlength=len(palette))
    if counts.max() == len(cloud):
        return cloud.transformed(palette[int(counts.argmax())])
    arrays = {name: getattr(cloud, name).copy() for name in ("means", "quats", "scales", "sh")}
    order = np.argsort(index, kind="stable")
    edges = np.concatenate([[0], np.cumsum(counts)])
    for entry in np.flatnonzero(counts):
        if entry:
            rows = order[edges[entry] : edges[entry + 1]]
            part = cloud.subset(rows).transformed(palette[entry])
            for name, array in arrays.items():
                array[rows] = getattr(part, name)
    return replace(cloud, **arrays)


@kernel
def _mark(index: Any, flags: Any, ways: int, used: Any, start: int, stop: int) -> None:
    """Which pairs of old map and choice there are. Threads write the same True."""
    for i in range(start, stop):
        pair = np.int64(0)
        if len(index):
            pair = np.int64(index[i])
        if len(flags) == 0 or flags[i]:
            pair += ways
        if not used[pair]:
            used[pair] = True


@kernel
def _renumber(
    index: Any, flags: Any, ways: int, table: Any, fresh: Any, start: int, stop: int
) -> None:
    for i in range(start, stop):
        pair = np.int64(0)
        if len(index):
            pair = np.int64(index[i])
        if len(flags) == 0 or flags[i]:
            pair += ways
        fresh[i] = table[pair]


@kernel
def _move(means: Any, palette: Any, index: Any, out: Any, start: int, stop: int) -> None:
    for i in range(start, stop):
        entry = np.int64(index[i])
        if entry == 0:
            for row in range(3):
                out[i, row] = means[i, row]
            continue
        x, y, z = np.float64(means[i, 0]), np.float64(means[i, 1]), np.float64(means[i, 2])
        for row in range(3):
            out[i, row] = (
                palette[entry, row, 0] * x
                + palette[entry, row, 1] * y
                + palette[entry, row, 2] * z
                + palette[entry, row, 3]
            )
