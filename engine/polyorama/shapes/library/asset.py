"""What the library knows and answers: assets, queries, hits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Asset", "Failure", "Hits", "Query"]


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
        (N,) float32 cosine similarities (mixed over the query's parts); zeros where nothing ranked.
    best_views
        (N,) int16 index of the view that matched best, -1 where not known.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    best_views: NDArray[np.int16] = field(
        default_factory=lambda: np.empty(0, np.int16)
    )

    def __len__(self) -> int:
        return len(self.ids)
