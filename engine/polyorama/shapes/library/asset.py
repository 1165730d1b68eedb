"""What the library knows and answers: assets, queries, hits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "Asset", "Described", "Describer", "Failure", "Hits", "IndexReport", "Query", "Stats",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the library.

    Parameters
    ----------
    id
        Its number in this library; it stays while the file is known, moved or not.
    path
        Where it lies.
    content
        Hash of the file and of what it reads beside itself, hexadecimal.
    format
        Lower-case ending without the dot, such as "glb".
    kind
        "mesh" or "splats".
    bytes
        Size of the file.
    polygons, splats
        Counts; None where there is no such thing.
    size
        Extent along the file's x, y, z, in its own units.
    licence
        As found beside it or set by the person; "" where nothing is known.
    tags
        Given by the person or by a manifest.
    caption
        A line of words about it: its name in plain words unless something better is known.
    group
        Number of the group of near-duplicates it belongs to, or None.
    """

    id: int
    path: Path
    content: str
    format: str
    kind: str
    bytes: int
    polygons: int | None = None
    splats: int | None = None
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    licence: str = ""
    tags: tuple[str, ...] = ()
    caption: str = ""
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be indexed, and why, in one sentence."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What is sought; all parts that are given count together.

    Parameters
    ----------
    words
        Text; may be "". "like this but red" is `like` with words.
    without
        Text that results shall not be like.
    images
        Pictures, (H, W, 3) uint8 each.
    like
        Ids of assets in the library that results shall resemble.
    vectors
        (N, D) unit vectors of shapes that are not in the library, such as a splat node.
    filters
        Conditions such as ``polys < 5000 and licence = CC0 and format in glb,gltf``; "" for none.
    collection
        Name of a collection that results must belong to, or "".
    """

    words: str = ""
    without: str = ""
    images: tuple[NDArray[np.uint8], ...] = ()
    like: tuple[int, ...] = ()
    vectors: NDArray[np.float32] | None = None
    filters: str = ""
    collection: str = ""

    @property
    def asks(self) -> bool:
        """Whether anything ranks the results (else they come by name)."""
        return bool(
            self.words.strip() or self.without.strip() or self.images or self.like
            or (self.vectors is not None and len(self.vectors))
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Results, best first, as arrays, so that a hundred thousand cost nothing.

    Parameters
    ----------
    ids
        (N,) int64 asset ids.
    scores
        (N,) float32 cosine similarities (mixed over the query's parts), raised where names, tags or
        folders hold the words; zeros where nothing ranked.
    best_views
        (N,) int16 index of the view that matched best, -1 where not known.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    best_views: NDArray[np.int16] = field(default_factory=lambda: np.empty(0, np.int16))

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """What is known of a file once it was opened and looked at from all round.

    Parameters
    ----------
    kind
        "mesh" or "splats".
    polygons, splats
        Counts; None where there is no such thing.
    size
        Extent along the file's x, y, z, in its own units.
    views
        (F, S, S, 3) uint8 display RGB on white, at the size that the embedder likes best.
    thumbnail
        (T, T, 3) or (T, T, 4) uint8.
    """

    kind: str
    polygons: int | None
    splats: int | None
    size: tuple[float, float, float]
    views: NDArray[np.uint8]
    thumbnail: NDArray[np.uint8]


class Describer(Protocol):
    """What opens files and renders them; it may do so in other processes."""

    @property
    def recipe(self) -> str:
        """Stable name of how views are made; vectors of unlike recipes are never compared."""
        ...

    @property
    def workers(self) -> int:
        """How many calls of `describe` may run at once, from as many threads."""
        ...

    def describe(self, path: Path) -> Described:
        """Open a file and render it; raises a `PolyoramaError` of one sentence where it cannot."""
        ...

    def dependencies(self, path: Path) -> Sequence[Path]:
        """What a file reads beside itself: buffers, textures, materials; they may be missing."""
        ...


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run of the index did.

    Parameters
    ----------
    added, changed, moved
        Files that were new, had changed, or were known again at another place.
    unchanged
        Files that cost no more than a look at their dates.
    gone
        Files that are no longer there.
    failures
        Those that could not be indexed now.
    skipped
        Files that failed before and have not changed since.
    """

    added: int = 0
    changed: int = 0
    moved: int = 0
    unchanged: int = 0
    gone: int = 0
    failures: tuple[Failure, ...] = ()
    skipped: int = 0

    @property
    def indexed(self) -> int:
        """How many files can be found now."""
        return self.added + self.changed + self.moved + self.unchanged


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a library.

    Parameters
    ----------
    assets
        Files that can be found.
    searchable
        Those that have a vector of the model and recipe that most have one of.
    bytes, polygons, splats
        Sums over all assets.
    by_format, by_licence
        Counts, the most frequent first; "" is an unknown licence.
    failures
        Files that could not be indexed.
    groups
        Groups of near-duplicates.
    folders
        Watched folders.
    disk_bytes
        What the library itself takes.
    models
        (model, recipe, vectors) of everything that lies there, the most vectors first.
    """

    assets: int
    searchable: int
    bytes: int
    polygons: int
    splats: int
    by_format: dict[str, int]
    by_licence: dict[str, int]
    failures: int
    groups: int
    folders: int
    disk_bytes: int
    models: tuple[tuple[str, str, int], ...]
