"""The measurements: words to shapes, pictures to shapes, more views, tags of splat objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.io.mesh import read_mesh
from polyorama.shapes.embedder import unit
from polyorama.shapes.evaluation.baselines import hand_made
from polyorama.shapes.evaluation.metrics import Estimate, chance_recall, estimate, ranks_of_first
from polyorama.shapes.evaluation.names import plain_words
from polyorama.shapes.evaluation.photographs import query_photograph
from polyorama.shapes.views import mesh_views, on_white

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.splats import SplatCloud
    from polyorama.shapes.embedder import Embedder
    from polyorama.shapes.evaluation.pack import Pack, TaggedSplats

__all__ = ["VIEWS", "Measured", "evaluate"]

VIEWS = (1, 4, 12)
"""How many views of a shape are compared."""
_PICTURE = 224
_TAGS = 3
"""A tag counts as found among so many first."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table.

    Parameters
    ----------
    task
        What was asked, such as "words to shapes, R@5".
    gallery
        Name of the pack, or "all packs" for the mean over queries of all.
    method
        Name of the embedder or baseline.
    value
        Mean over seeds and queries with its 95 % interval.
    """

    task: str
    gallery: str
    method: str
    value: Estimate


@dataclass(slots=True)
class _Hits:
    """Hits by task, gallery and method: one array of 0..1 a seed."""

    table: dict[tuple[str, str, str], list[NDArray[np.floating]]] = field(default_factory=dict)

    def add(self, task: str, gallery: str, method: str, hits: NDArray[Any]) -> None:
        self.table.setdefault((task, gallery, method), []).append(np.asarray(hits, np.float64))

    def compare(self, one: str, other: str) -> None:
        """Add what one method has over another: query by query, seed by seed."""
        for (task, gallery, method), hits in list(self.table.items()):
            against = self.table.get((task, gallery, other))
            if method == one and against is not None:
                gains = [a - b for a, b in zip(hits, against, strict=True)]
                self.table[task, gallery, f"{one}, less {other}"] = gains

    def measured(self) -> list[Measured]:
        rows = [Measured(*key, estimate(hits)) for key, hits in self.table.items()]
        joined: dict[tuple[str, str], list[list[NDArray[np.floating]]]] = {}
        for (task, _, method), hits in self.table.items():
            joined.setdefault((task, method), []).append(hits)
        for (task, method), galleries in joined.items():
            if len(galleries) > 1:
                seeds = [np.concatenate(parts) for parts in zip(*galleries, strict=True)]
                rows.append(Measured(task, "all packs", method, estimate(seeds)))
        return rows


def evaluate(
    embedders: Mapping[str, Sequence[Embedder]],
    packs: Sequence[Pack],
    splats: TaggedSplats | None = None,
    read_splats: Callable[[Path], SplatCloud] | None = None,
    twins: Sequence[tuple[str, str]] = (),
) -> Job[list[Measured]]:
    """Measure embedders on models that they never saw.

    Parameters
    ----------
    embedders
        Method to one embedder a seed; a method's seeds share its intervals.
    packs
        Galleries, each searched alone.
    splats
        Tagged splat objects, or None.
    read_splats
        Reads one of them.
    twins
        Pairs of methods with as many seeds, of which the difference is measured, too: its interval
        is narrower than theirs, as both answer the same queries.

    Notes
    -----
    Words are the base names (names without variant letters, sizes and numbers); right is any model
    that bears the name. Pictures are one `query_photograph` a model; right is that model alone.
    Chance, file names and a descriptor made by hand stand beside them.
    """
    hits = _Hits()
    for number, pack in enumerate(packs):
        yield Progress(number, len(packs), f"Looking at {pack.name}")
        seen = yield from _look(pack, number, len(packs))
        _measure_names(hits, pack)
        _measure_hand_made(hits, pack, seen)
        for method, seeds in embedders.items():
            for embedder in seeds:
                _measure(hits, pack, seen, method, embedder)
    if splats is not None and read_splats is not None:
        yield Progress(len(packs), len(packs), "Looking at splat objects")
        _measure_tags(hits, splats, read_splats, embedders)
    for one, other in twins:
        hits.compare(one, other)
    return hits.measured()


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """(N, 12, S, S, 3) views and (N, S, S, 3) query photographs of a pack."""

    views: NDArray[np.uint8]
    photographs: NDArray[np.uint8]


def _look(pack: Pack, number: int, total: int) -> Job[_Seen]:
    views, photographs = [], []
    for at, path in enumerate(pack.paths):
        mesh = read_mesh(path)
        views.append(on_white(mesh_views(mesh, max(VIEWS), _PICTURE)))
        photographs.append(query_photograph(mesh, path))
        yield Progress(number, total, f"Looking at {pack.name}, {at + 1} of {len(pack.paths)}")
    return _Seen(np.stack(views), np.stack(photographs))


def _measure_names(hits: _Hits, pack: Pack) -> None:
    """Chance, and the file names themselves, which a library of bad names does not have."""
    queries, right = pack.right_answers()
    stems = [plain_words(path.name.split(".")[0]).lower().split() for path in pack.paths]
    overlap = np.array([
        [len(set(query.split()) & set(stem)) / max(len(set(stem)), 1) for stem in stems]
        for query in queries
    ])  # fmt: skip
    ranks = ranks_of_first(overlap, right)
    for at in (1, 5):
        task = f"words to shapes, R@{at}"
        hits.add(task, pack.name, "chance", np.full(len(queries), chance_recall(right, at)))
        hits.add(task, pack.name, "good file names", ranks < at)
    count = len(pack.paths)
    hits.add("picture to shape, R@1", pack.name, "chance", np.full(count, 1.0 / count))


def _measure_hand_made(hits: _Hits, pack: Pack, seen: _Seen) -> None:
    """Best view by colours and gradients."""
    gallery = np.stack([np.stack([hand_made(view) for view in views]) for views in seen.views])
    queries = np.stack([hand_made(picture) for picture in seen.photographs])
    scores = np.einsum("qd,nfd->qnf", queries, gallery).max(axis=2)
    ranks = ranks_of_first(scores, np.eye(len(queries), dtype=bool))
    hits.add("picture to shape, R@1", pack.name, "colours and edges", ranks < 1)


def _measure(hits: _Hits, pack: Pack, seen: _Seen, method: str, embedder: Embedder) -> None:
    queries, right = pack.right_answers()
    words = embedder.embed_texts(queries)
    pictures = embedder.embed_images(list(seen.photographs))
    own = np.eye(len(pictures), dtype=bool)
    for count in VIEWS:
        shapes = np.stack([embedder.embed_shape(views[:count]).vector for views in seen.views])
        by_words = ranks_of_first(words @ shapes.T, right)
        by_picture = ranks_of_first(pictures @ shapes.T, own)
        plural = "" if count == 1 else "s"
        hits.add(f"words to shapes, {count} view{plural}, R@1", pack.name, method, by_words < 1)
        hits.add(f"picture to shape, {count} view{plural}, R@1", pack.name, method, by_picture < 1)
    for at in (1, 5):
        hits.add(f"words to shapes, R@{at}", pack.name, method, by_words < at)
    hits.add("picture to shape, R@1", pack.name, method, by_picture < 1)


def _measure_tags(
    hits: _Hits, splats: TaggedSplats, read_splats: Callable[[Path], SplatCloud],
    embedders: Mapping[str, Sequence[Embedder]],
) -> None:  # fmt: skip
    """Whether one of an object's own tags is among the three likeliest of all tags."""
    from polyorama.shapes.splat_views import cloud_views

    vocabulary = splats.vocabulary()
    right = np.array([[tag in tags for tag in vocabulary] for tags in splats.tags])
    task, gallery = f"a right tag among the first {_TAGS}", "splat objects"
    chance = np.full(len(right), chance_recall(right, _TAGS))
    hits.add(task, gallery, "chance", chance)
    seen = [on_white(cloud_views(read_splats(path), 12, _PICTURE)) for path in splats.paths]
    for method, seeds in embedders.items():
        for embedder in seeds:
            words = embedder.embed_texts(vocabulary)
            shapes = np.stack([embedder.embed_shape(views).vector for views in seen])
            scores = unit(shapes) @ words.T
            hits.add(task, gallery, method, ranks_of_first(scores, right) < _TAGS)
