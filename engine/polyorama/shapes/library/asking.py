"""From what a person gives, files among them, to a query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import one_line, quoted
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import file_size, reading
from polyorama.io.photos import read_pixels
from polyorama.shapes.embedder import check_picture
from polyorama.shapes.library.asset import Query
from polyorama.shapes.library.organise import several

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.shapes.library.library import Library
    from polyorama.shapes.library.organise import PathText

__all__ = ["make_query", "read_picture", "vector_of"]

_ORIENTATION = 0x0112
_TURNS = {3: (2, False), 6: (3, False), 8: (1, False), 2: (0, True), 4: (2, True), 5: (3, True),
          7: (1, True)}  # fmt: skip
"""Exif's orientation: quarter turns to the left, and whether it is mirrored after that."""


def make_query(
    library: Library,
    words: str = "",
    *,
    without: str = "",
    images: PathText | NDArray[np.uint8] | Sequence[PathText | NDArray[np.uint8]] = (),
    like: PathText | int | Sequence[PathText | int] = (),
    filters: str = "",
    collection: str = "",
) -> Query:
    """A query of words, pictures and shapes, each as it is at hand.

    Parameters
    ----------
    library
        That will be asked.
    words, without, filters, collection
        As of `polyorama.shapes.library.asset.Query`.
    images
        A file, or several, or (H, W, 3) uint8 arrays.
    like
        Numbers of assets, or files, one or several; those that the library does not know are
        opened and rendered.

    Raises
    ------
    FileFormatError
        If a file cannot be read.
    UsageError
        If a number is not that of an asset, an array no picture, or a collection not there.
    """
    asked = "SELECT count(*) FROM collections WHERE name = ?"
    if collection and not library.db.number(asked, (collection,)):
        raise UsageError(f"There is no collection {quoted(collection)}.")
    ids: list[int] = []
    vectors: list[NDArray[np.float32]] = []
    for item in several(like):
        if isinstance(item, int):
            ids.append(library.asset(item).id)
            continue
        file_size(item)  # says what is wrong with a name
        known = library.find(item)
        if known is not None:
            ids.append(known.id)
        else:
            vectors.append(vector_of(library, item))
    pictures = tuple(
        item if isinstance(item, np.ndarray) else read_picture(item) for item in several(images)
    )
    for picture in pictures:
        check_picture(picture)
    return Query(
        words, without, pictures, tuple(ids), np.stack(vectors) if vectors else None, filters,
        collection,
    )  # fmt: skip


def vector_of(library: Library, path: str | os.PathLike[str]) -> NDArray[np.float32]:
    """(D,) unit vector of a model's file that need not be in the library.

    Raises
    ------
    FileFormatError
        If it cannot be opened.
    """
    described = library.describer.describe(Path(path))
    return library.embedder.embed_shape(described.views).vector


def read_picture(path: str | os.PathLike[str]) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 of a picture's file: upright as its camera noted, on white.

    Raises
    ------
    FileFormatError
        If it is no picture, or damaged.
    """
    pixels = read_pixels(path)
    turns, mirrored = _TURNS.get(_orientation(Path(path)), (0, False))
    pixels = np.rot90(pixels, turns)
    if mirrored:
        pixels = pixels[:, ::-1]
    if pixels.shape[2] == 4:
        share = pixels[..., 3:].astype(np.float32) / np.float32(255.0)
        light = pixels[..., :3] * share + np.float32(255.0) * (np.float32(1.0) - share)
        pixels = np.rint(light).astype(np.uint8)
    return np.ascontiguousarray(pixels)


def _orientation(path: Path) -> int:
    from PIL import Image

    try:
        with reading(path), Image.open(path) as picture:
            value = picture.getexif().get(_ORIENTATION, 1)
    except (ValueError, SyntaxError, TypeError) as error:
        raise FileFormatError(f"The picture's notes are damaged: {one_line(str(path))}") from error
    return value if isinstance(value, int) else 1
