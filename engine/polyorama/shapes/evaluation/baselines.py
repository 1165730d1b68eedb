"""What an embedder must beat: ImageNet's class names, and descriptors made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.shapes.backbones.efficientnet_lite import load_efficientnet, pixels_of
from polyorama.shapes.backbones.imagenet import class_names
from polyorama.shapes.backbones.minilm import WIDTH, load_minilm
from polyorama.shapes.default.net import conse
from polyorama.shapes.embedder import ShapeEmbedding, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ConseEmbedder", "hand_made"]


class ConseEmbedder:
    """ConSE (Norouzi et al. 2014): names of the ten likeliest ImageNet classes, by probability.

    Nothing is trained. Views are averaged.
    """

    id = "conse-1"
    dimensions = WIDTH
    picture_size = 224
    origin = "ImageNet classes of EfficientNet-Lite0 and MiniLM; nothing was trained on shapes"

    def __init__(self) -> None:
        self._trunk, self._words = load_efficientnet(), load_minilm()
        self._names = torch.from_numpy(self._words.embed(class_names()))

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, 384) unit vectors."""
        return self._words.embed(texts)

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, 384) unit vectors."""
        return np.stack([unit(self._embed(image[None])[0]) for image in images])

    def embed_shape(self, views: NDArray[np.uint8]) -> ShapeEmbedding:
        """The mean over views, and each."""
        each = self._embed(views)
        return ShapeEmbedding(unit(each.mean(axis=0)), unit(each))

    def _embed(self, views: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.inference_mode():
            _, pooled = self._trunk(pixels_of(views))
            result: NDArray[np.float32] = conse(self._trunk.logits(pooled), self._names).numpy()
        return result


def hand_made(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A descriptor of looks without learning: colours, and gradients over a grid.

    A 4 x 4 x 4 histogram of display RGB and a 4 x 4 grid of 8 directions of grey gradients, each of
    unit length. The backdrop counts: there is no telling it from the shape.

    Returns
    -------
    (192,) float32.
    """
    levels = picture.astype(np.int64) >> 6
    codes = (levels[..., 0] * 16 + levels[..., 1] * 4 + levels[..., 2]).ravel()
    colors = np.sqrt(np.bincount(codes, minlength=64).astype(np.float32))
    grey = picture.astype(np.float32).mean(axis=2)
    down, across = np.gradient(grey)
    strength = np.hypot(down, across)
    direction = ((np.arctan2(down, across) + np.pi) / (2 * np.pi) * 8).astype(np.int64) % 8
    rows = np.arange(len(grey)) * 4 // len(grey)
    columns = np.arange(grey.shape[1]) * 4 // grey.shape[1]
    cells = (rows[:, None] * 4 + columns) * 8 + direction
    edges = np.bincount(cells.ravel(), strength.ravel(), minlength=128).astype(np.float32)
    return np.concatenate([unit(colors), unit(edges)])
