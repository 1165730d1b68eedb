"""What puts words, pictures and shapes into one space: the protocol, whatever is behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Embedder", "ShapeEmbedding", "check_picture", "unit"]


@dataclass(frozen=True, slots=True, eq=False)
class ShapeEmbedding:
    """A shape in the space of an embedder.

    Parameters
    ----------
    vector
        (D,) float32, unit length: the shape, from all its views jointly.
    views
        (F, D) float32, unit length: each view as it was understood, in the order that was given;
        its product with a query says which view matched.
    """

    vector: NDArray[np.float32]
    views: NDArray[np.float32]


class Embedder(Protocol):
    """A model that embeds words, pictures and shapes; cosine similarity compares any two.

    Vectors are float32 of unit length. A vector of a picture and that of a shape may use
    dimensions that words leave zero: there shapes differ in ways that have no name.
    """

    @property
    def id(self) -> str:
        """Stable name of the model and its weights; vectors of unlike ids are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """D, the length of every vector."""
        ...

    @property
    def picture_size(self) -> int:
        """Side in pixels of the square views that shapes are best rendered at."""
        ...

    @property
    def origin(self) -> str:
        """What it was trained on, in words for the person who reads results."""
        ...

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) unit vectors of N texts."""
        ...

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, D) unit vectors of N pictures, each (H, W, 3) uint8 display RGB of any size."""
        ...

    def embed_shape(self, views: NDArray[np.uint8]) -> ShapeEmbedding:
        """A shape from F views of it, (F, H, W, 3) uint8 display RGB; their order is no matter."""
        ...


def check_picture(picture: NDArray[np.uint8]) -> None:
    """Refuse what is no (H, W, 3) uint8 picture with pixels.

    Raises
    ------
    UsageError
        Saying what it is instead.
    """
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise UsageError(
            f"A picture is an (H, W, 3) array of uint8, not {picture.shape} of {picture.dtype}."
        )
    if not picture.size:
        raise UsageError("A picture without pixels shows nothing.")


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors scaled to length 1 along the last axis; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
    return result
