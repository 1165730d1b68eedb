"""Shapes as verbs: a library of models, found by words, pictures and other models."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from polyorama.core.jobs import run
from polyorama.shapes.library.asking import make_query
from polyorama.shapes.library.library import Library

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.shapes.library.asset import Asset, Hits, IndexReport
    from polyorama.shapes.library.organise import PathText

__all__ = [
    "MODEL_VARIABLE", "VARIABLE", "Match", "index_shapes", "library", "library_folder",
    "matches_of", "search_shapes",
]  # fmt: skip

VARIABLE = "POLYORAMA_LIBRARY"
"""The variable that names the library's folder where nothing else does."""
MODEL_VARIABLE = "POLYORAMA_SHAPES_MODEL"
"""The variable that names what compares where nothing else does."""


@dataclass(frozen=True, slots=True)
class Match:
    """A result of a search.

    Parameters
    ----------
    asset
        What was found.
    score
        How well it fits; comparable within one search.
    view
        Number of the view that fits best, from 1; 0 where nothing was compared.
    """

    asset: Asset
    score: float
    view: int


def library_folder() -> Path:
    """Where the library lies unless another folder is named."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("polyorama") / "shapes"


def library(
    folder: str | os.PathLike[str] | None = None, *, model: str | os.PathLike[str] | None = None
) -> Library:
    """The library of models in a folder, made where there is none; yours by default.

    ::

        shelves = po.library()
        po.index_shapes(["~/models"])
        for match in po.search_shapes("cosy armchair", filters="polys < 5000"):
            print(match.score, match.asset.path)

    Parameters
    ----------
    folder
        Where it keeps what it knows; None for the variable POLYORAMA_LIBRARY, else the place that
        the system has for data of programs.
    model
        What compares: weights of CLIP, Duoduo CLIP or SigLIP, a folder of them, or an id of
        `polyorama models`; None for the variable POLYORAMA_SHAPES_MODEL, else the small net that
        comes along. Vectors of each model are kept side by side; another one indexes anew.

    Raises
    ------
    FileFormatError, OutputError
        If the library or the weights are damaged, or it cannot be made there.
    UnavailableError
        If the model is not there.
    """
    place = library_folder() if folder is None else folder
    chosen = model if model is not None else os.environ.get(MODEL_VARIABLE, "")
    if not os.fspath(chosen):
        return Library(place)
    # Only here: large networks are not for those who did not name them.
    from polyorama.shapes.clip.embedder import load_embedder
    from polyorama.shapes.describing import FileDescriber

    embedder = load_embedder(chosen)
    return Library(place, embedder=embedder, describer=FileDescriber(12, embedder.picture_size))


open_library = library
"""The same where `library` names an argument."""


def index_shapes(
    folders: PathText | Sequence[PathText] = (),
    *,
    retry: bool = False,
    library: Library | None = None,
) -> IndexReport:
    """Bring the library up to date and wait; see `Library.index_job`.

    Parameters
    ----------
    folders
        One or several, to be watched from now on; none walks those that are.
    retry
        Look again at files that failed before.
    library
        Which; yours by default.

    Raises
    ------
    FileFormatError, OutputError, UsageError, UnavailableError
        As `Library.index_job`.
    """
    subject = open_library() if library is None else library
    try:
        return run(subject.index_job(folders, retry=retry))
    finally:
        if library is None:
            subject.close()


def search_shapes(
    words: str = "",
    *,
    images: PathText | NDArray[np.uint8] | Sequence[PathText | NDArray[np.uint8]] = (),
    like: PathText | int | Sequence[PathText | int] = (),
    without: str = "",
    filters: str = "",
    collection: str = "",
    limit: int | None = 20,
    lexical: bool = True,
    library: Library | None = None,
) -> tuple[Match, ...]:
    """Models that fit words, pictures and other shapes, best first; all that is given counts.

    ::

        po.search_shapes("red", like=["chair.glb"], without="armrests")

    Parameters
    ----------
    words
        What is sought.
    images
        One or several files of pictures, or (H, W, 3) uint8 arrays.
    like
        One or several files of models, or numbers of assets.
    without
        What results shall not be like.
    filters
        Conditions such as ``polys < 5000 and licence = CC0``.
    collection
        Name of a collection that results belong to.
    limit
        How many at most; None for all.
    lexical
        Whether names, tags and folders that contain the words count, too.
    library
        Which; yours by default.

    Raises
    ------
    FileFormatError, UsageError, UnavailableError
        If a file cannot be read, a filter is wrong, or the library is empty.
    """
    subject = open_library() if library is None else library
    try:
        query = make_query(
            subject, words, without=without, images=images, like=like, filters=filters,
            collection=collection,
        )  # fmt: skip
        return matches_of(subject, subject.search(query, limit, lexical=lexical))
    finally:
        if library is None:
            subject.close()


def matches_of(library: Library, hits: Hits) -> tuple[Match, ...]:
    """Hits with their assets; those that went meanwhile are left out."""
    known = {asset.id: asset for asset in library.assets(hits.ids)}
    rows = zip(hits.ids.tolist(), hits.scores.tolist(), hits.best_views.tolist(), strict=True)
    return tuple(
        Match(known[number], score, view + 1) for number, score, view in rows if number in known
    )
