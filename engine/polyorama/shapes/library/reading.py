"""Assets as values, read from the database."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.shapes.library.asset import Asset, Hits, Stats
from polyorama.shapes.library.catalogue import load_catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.shapes.library.catalogue import Catalogue
    from polyorama.shapes.library.db import Database

__all__ = ["assets_of", "first_of_groups", "stats_of"]

_AT_ONCE = 500
_ASSETS = """
SELECT a.id, a.path, a.content, a.format, coalesce(c.kind, ''), a.bytes, c.polygons, c.splats,
    coalesce(c.x, 0.0), coalesce(c.y, 0.0), coalesce(c.z, 0.0), coalesce(a.own_licence, a.licence),
    coalesce(a.own_caption, a.caption), a.duplicates
FROM assets a LEFT JOIN contents c ON c.content = a.content
WHERE a.gone_at IS NULL AND a.id IN
"""


def assets_of(db: Database, ids: Sequence[int] | NDArray[np.int64]) -> tuple[Asset, ...]:
    """Assets in the order of `ids`, without those that are gone."""
    wanted = [int(number) for number in ids]
    found: dict[int, Asset] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = f"({', '.join('?' * len(some))})"
        for row in db.rows(_ASSETS + marks, some):
            number, path, content, ending, kind, size, polygons, splats, x, y, z = row[:11]
            found[number] = Asset(
                number, Path(os.fsdecode(path)), content, ending, kind, size, polygons, splats,
                (x, y, z), row[11], (), row[12], row[13],
            )  # fmt: skip
        tags: dict[int, list[str]] = {}
        for asset, tag in db.rows(
            f"SELECT asset, tag FROM tags WHERE asset IN {marks} ORDER BY asset, tag", some
        ):
            tags.setdefault(asset, []).append(tag)
        for asset, listed in tags.items():
            if asset in found:
                found[asset] = replace(found[asset], tags=tuple(listed))
    return tuple(found[number] for number in wanted if number in found)


def first_of_groups(catalogue: Catalogue, hits: Hits) -> tuple[Hits, NDArray[np.int32]]:
    """The best hit of each group of near-duplicates, and how many hits each stands for.

    Parameters
    ----------
    catalogue
        Of the library.
    hits
        Best first.

    Returns
    -------
    hits, copies
        Those that are left, in their order, and (N,) int32 counts, 1 for what has no duplicate.
    """
    place = np.searchsorted(catalogue.ids, hits.ids)
    groups = catalogue.numbers["group"][place]
    # What has no group is one by itself; ids are never negative.
    keys = np.where(groups >= 0, groups, -1 - hits.ids)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    order = np.argsort(first)
    kept, copies = first[order], counts[order].astype(np.int32)
    return Hits(hits.ids[kept], hits.scores[kept], hits.best_views[kept]), copies


def stats_of(db: Database, folder: Path) -> Stats:
    """Figures of a library, searched or not; needs no model.

    Parameters
    ----------
    db
        Of the library.
    folder
        Where it lies.
    """
    models = db.rows(
        "SELECT s.id, s.model, s.recipe, count(v.place) FROM shelves s "
        "LEFT JOIN vectors v ON v.shelf = s.id GROUP BY s.id ORDER BY count(v.place) DESC, s.id"
    )
    catalogue = load_catalogue(db, int(models[0][0]) if models else 0, None)
    there = catalogue.present
    numbers = {name: column[there] for name, column in catalogue.numbers.items()}
    formats, licences = (
        Counter(catalogue.words[name].texts[code] for code in catalogue.words[name].codes[there])
        for name in ("format", "licence")
    )
    return Stats(
        int(there.sum()), int((numbers["place"] >= 0).sum()), int(numbers["bytes"].sum()),
        int(np.maximum(numbers["polygons"], 0).sum()), int(np.maximum(numbers["splats"], 0).sum()),
        dict(formats.most_common()), dict(licences.most_common()),
        db.number("SELECT count(*) FROM failures"),
        len(np.unique(numbers["group"][numbers["group"] >= 0])),
        db.number("SELECT count(*) FROM folders"),
        sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        tuple((model, recipe, int(count)) for _, model, recipe, count in models),
    )  # fmt: skip
