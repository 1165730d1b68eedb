"""Near-duplicates: assets that are the same thing once more, found and numbered, never merged.

Two assets belong together if their vectors are nearly parallel (cosine above 0.98), their
proportions agree within 3 %, and so do their silhouettes and colours, cell by cell, in six views.
The vectors alone would join a red chair with a blue one; the colours tell them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.shapes.library.pictures import LOOK_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.shapes.library.catalogue import Catalogue
    from polyorama.shapes.library.db import Database

__all__ = ["COSINE", "find_groups", "same_look", "same_proportions"]

COSINE = 0.98
_PROPORTION = 0.03
_COVERAGE = 0.08 * 255.0
_MEAN_COVERAGE = 0.02 * 255.0
_COLOUR = 20.0
"""Levels of 0..255 by which a channel of a cell may differ."""
_SHOWN = 40
"""Coverage of a cell, 0..255, below which its colour is the edge's, not the surface's."""
_BLOCK = 2048


def find_groups(
    db: Database, catalogue: Catalogue, matrix: NDArray[np.float32]
) -> Job[list[tuple[int, ...]]]:
    """Group the assets of a library and remember the groups, as a job.

    Parameters
    ----------
    db
        Of the library.
    catalogue
        Its assets.
    matrix
        Their vectors.

    Returns
    -------
    groups
        Ids of assets, two or more each, ascending.
    """
    at = np.flatnonzero(catalogue.present & (catalogue.place >= 0))
    yield Progress(0, len(at), "Comparing shapes")
    ids = catalogue.ids[at]
    sizes, looks = _contents(db, ids)
    splats = catalogue.numbers["splats"][at] >= 0
    parents = np.arange(len(at))
    # Alike shapes have alike proportions: sorted by one of them, only neighbours are compared.
    proportion = _proportions(sizes)[:, 0]
    order = np.argsort(proportion, kind="stable")
    for start in range(0, len(at), _BLOCK):
        block = order[start : start + _BLOCK]
        last = np.searchsorted(proportion[order], proportion[block[-1]] + _PROPORTION, "right")
        others = order[start : max(int(last), start + len(block))]
        for first, second in _pairs(matrix, catalogue.place[at], block, others):
            if (
                splats[first] == splats[second]
                and same_proportions(sizes[first], sizes[second])
                and same_look(looks[first], looks[second])
            ):
                _join(parents, first, second)
        yield Progress(min(start + _BLOCK, len(at)), len(at), "Comparing shapes")
    roots = np.array([_root(parents, i) for i in range(len(at))], np.int64)
    groups = _listed(ids, roots)
    _remember(db, groups)
    return groups


def same_proportions(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two extents, (3,) each, differ by a factor alone, within 3 % of the longest side."""
    return bool(np.abs(_scaled(first) - _scaled(second)).max() <= _PROPORTION)


def same_look(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> bool:
    """Whether two looks have the same silhouettes and colours; see `pictures.look_of`."""
    one, other = first.astype(np.int16), second.astype(np.int16)
    covered = np.abs(one[..., 3] - other[..., 3])
    if covered.max() > _COVERAGE or covered.mean() > _MEAN_COVERAGE:
        return False
    shown = np.minimum(one[..., 3], other[..., 3]) >= _SHOWN
    return bool(np.abs(one[..., :3] - other[..., :3])[shown].max(initial=0) <= _COLOUR)


def _contents(
    db: Database, ids: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """(N, 3) extents and (N, 6, 6, 6, 4) looks of assets."""
    rows = db.rows(
        "SELECT a.id, c.x, c.y, c.z, c.look FROM assets a JOIN contents c ON c.content = a.content "
        "WHERE a.gone_at IS NULL ORDER BY a.id"
    )
    sizes = np.zeros((len(ids), 3))
    looks = np.zeros((len(ids), LOOK_BYTES), np.uint8)
    where = {int(asset): row for row, asset in enumerate(ids)}
    for asset, x, y, z, look in rows:
        row = where.get(asset)
        if row is not None and len(look) == LOOK_BYTES:
            sizes[row] = x, y, z
            looks[row] = np.frombuffer(look, np.uint8)
    return sizes, looks.reshape(-1, 6, 6, 6, 4)


def _scaled(size: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = size / np.maximum(size.max(axis=-1, keepdims=True), 1e-300)
    return scaled


def _proportions(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 3) extents over the longest, the middle one first since it tells most apart."""
    return np.sort(_scaled(sizes), axis=1)[:, [1, 0, 2]]


def _pairs(
    matrix: NDArray[np.float32],
    places: NDArray[np.int64],
    block: NDArray[np.int64],
    others: NDArray[np.int64],
) -> Iterator[tuple[int, int]]:
    """Pairs of a block and what follows in it or after, whose vectors are nearly parallel."""
    left = matrix[places[block]]
    for start in range(0, len(others), _BLOCK):
        piece = others[start : start + _BLOCK]
        rows, columns = np.nonzero(left @ matrix[places[piece]].T > COSINE)
        later = columns + start > rows
        for row, column in zip(rows[later], columns[later], strict=True):
            yield int(block[row]), int(piece[column])


def _root(parents: NDArray[np.int64], item: int) -> int:
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = int(parents[item])
    return item


def _join(parents: NDArray[np.int64], first: int, second: int) -> None:
    one, other = _root(parents, first), _root(parents, second)
    parents[max(one, other)] = min(one, other)


def _listed(ids: NDArray[np.int64], roots: NDArray[np.int64]) -> list[tuple[int, ...]]:
    groups: dict[int, list[int]] = {}
    for asset, root in zip(ids.tolist(), roots.tolist(), strict=True):
        groups.setdefault(root, []).append(asset)
    return sorted(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def _remember(db: Database, groups: list[tuple[int, ...]]) -> None:
    """Number groups by their first asset, and let readers see those that changed alone."""
    fresh = {asset: group[0] for group in groups for asset in group}
    rows = db.rows("SELECT id, duplicates FROM assets WHERE duplicates IS NOT NULL")
    before = {int(asset): int(group) for asset, group in rows}
    changed = [a for a in {*fresh, *before} if fresh.get(a) != before.get(a)]
    if not changed:
        return
    with db.writing() as transaction:
        transaction.many(
            "UPDATE assets SET duplicates = ? WHERE id = ?", ((fresh.get(a), a) for a in changed)
        )
        transaction.touch(changed)
