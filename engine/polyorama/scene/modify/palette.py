"""Moving splats without rewriting them: a palette of affine maps, and an index a splat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.placement import matrix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Transform
    from polyorama.scene.modify.step import Step
    from polyorama.scene.splats import SplatCloud

__all__ = ["baked", "moved_means", "transform", "transform_matrix"]

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


def transform(step: Step, modifier: Transform, chosen: NDArray[np.bool_] | None) -> Step:
    """Put the modifier's map before those that splats have already.

    Raises
    ------
    UsageError
        If there are more different maps than an index can tell apart.
    """
    matrix = transform_matrix(modifier)
    index, sources, moved = _indexed(step, chosen)
    old = np.eye(3, 4)[None] if step.palette is None else step.palette
    palette = old[sources].copy()
    linear = matrix[:, :3]
    palette[moved] = linear @ palette[moved]
    palette[moved, :, 3] += matrix[:, 3]
    palette.flags.writeable = False
    return replace(step, palette=palette, palette_index=index)


def _indexed(
    step: Step, chosen: NDArray[np.bool_] | None
) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.bool_]]:
    """The new index, and of each new map the old one and whether it is moved now."""
    count = len(step.cloud)
    old = step.palette_index
    before = 1 if step.palette is None else len(step.palette)
    if old is None and chosen is None:
        index = np.ones(count, np.uint16)
        pairs = np.array([0, 1], np.int64)
    else:
        keys = np.zeros(count, np.int64) if old is None else old.astype(np.int64)
        keys = keys + before * (np.ones(count, np.bool_) if chosen is None else chosen)
        used = np.zeros(2 * before, np.bool_)
        used[keys] = True
        used[0] = True  # the identity keeps its place
        pairs = np.flatnonzero(used)
        if len(pairs) > _MOST:
            raise UsageError(
                f"These transforms move splats in more than {_MOST:,} different ways; apply some "
                "of them first."
            )
        table = np.zeros(2 * before, np.uint16)
        table[pairs] = np.arange(len(pairs))
        index = table[keys]
        # The pair number tells the old map and whether it is moved.
        return _frozen(index), pairs % before, pairs >= before
    return _frozen(index), np.zeros(2, np.int64), pairs.astype(np.bool_)


def _frozen(index: NDArray[np.uint16]) -> NDArray[np.uint16]:
    index.flags.writeable = False
    return index


def moved_means(step: Step) -> NDArray[np.float32]:
    """(N, 3) float32 centres after the palette; the cloud's own array where there is none."""
    if step.palette is None or step.palette_index is None:
        return step.cloud.means
    maps = step.palette[step.palette_index]
    moved = np.einsum("nij,nj->ni", maps[:, :, :3], step.cloud.means) + maps[:, :, 3]
    means: NDArray[np.float32] = moved.astype(np.float32)
    means.flags.writeable = False
    return means


def baked(step: Step) -> SplatCloud:
    """The cloud with the palette carried out on centres, shapes and harmonics."""
    cloud = step.cloud
    if step.palette is None or step.palette_index is None:
        return cloud
    arrays = {name: getattr(cloud, name).copy() for name in ("means", "quats", "scales", "sh")}
    order = np.argsort(step.palette_index, kind="stable")
    edges = np.searchsorted(step.palette_index[order], np.arange(len(step.palette) + 1))
    for entry in range(1, len(step.palette)):
        rows = order[edges[entry] : edges[entry + 1]]
        if len(rows):
            part = cloud.subset(rows).transformed(step.palette[entry])
            for name, array in arrays.items():
                array[rows] = getattr(part, name)
    return replace(cloud, **arrays)
