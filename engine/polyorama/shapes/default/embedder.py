"""The default embedder: EfficientNet-Lite0, the multi-view net of this project, MiniLM."""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from PIL import Image

from polyorama.errors import FileFormatError, UnavailableError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.shapes.backbones.efficientnet_lite import load_efficientnet, pixels_of
from polyorama.shapes.backbones.minilm import WIDTH, load_minilm
from polyorama.shapes.backbones.threads import one_thread
from polyorama.shapes.default.net import CLASSES, HeadConfig, MultiViewHead, coarse_cells, conse
from polyorama.shapes.embedder import ShapeEmbedding, check_picture, unit
from polyorama.shapes.packages import need_packages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.shapes.backbones.efficientnet_lite import EfficientNetLite0
    from polyorama.shapes.backbones.minilm import MiniLM

__all__ = ["DefaultEmbedder", "default_embedder", "load_head", "save_head", "weights_folder"]

Features: TypeAlias = tuple[torch.Tensor, torch.Tensor]
"""Cells and pooled feature of a picture, or of many."""

_WEIGHTS = "shapes-default.safetensors"
_MOST_BYTES = 12_000_000
_SIZE = 160
"""Side of a picture as the trunk sees it, in pixels."""
_BATCH = 24


class DefaultEmbedder:
    """Words, pictures and shapes by small networks that need no download.

    They work in the thread that asks; see `one_thread`.

    Parameters
    ----------
    weights
        File of the net on top, as written by `save_head`; None takes the one that comes along.
    known
        What the trunk saw in pictures, by their hash, for embedders that look at the same pictures
        one after the other; it grows. None keeps nothing.

    Raises
    ------
    UnavailableError
        If a package that carries a backbone, or the weights, are missing.
    FileFormatError
        If the weights are damaged.
    """

    picture_size = _SIZE

    def __init__(
        self, weights: Path | None = None, *, known: dict[bytes, Features] | None = None
    ) -> None:
        need_packages("the default embedder", "safetensors", "threadpoolctl", "tokenizers")
        path = weights or _packaged_weights()
        head, self.meta = load_head(path)
        self._head, self._known = head, known
        self._trunk, self._words = _backbones()
        digest = hashlib.blake2b(path.read_bytes(), digest_size=6).hexdigest()
        self.id = f"polyorama-default-{digest}"
        self.dimensions = WIDTH + head.config.visual
        self.origin = str(self.meta.get("origin", "unknown"))

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) unit vectors; the dimensions of looks are zero."""
        result = np.zeros((len(texts), self.dimensions), np.float32)
        with one_thread():
            result[:, :WIDTH] = self._words.embed(texts)
        return result

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, D) unit vectors of pictures of any size; each is one view."""
        result = np.zeros((len(images), self.dimensions), np.float32)
        for start in range(0, len(images), _BATCH):
            part = np.stack([squared(image) for image in images[start : start + _BATCH]])
            with one_thread(), torch.inference_mode():
                vectors, _ = self._head(*(x[:, None] for x in self._seen(part)))
            result[start : start + _BATCH] = vectors.numpy()
        return result

    def embed_shape(self, views: NDArray[np.uint8]) -> ShapeEmbedding:
        """A shape from F views, (F, H, W, 3) uint8; their order is no matter, to the last bit.

        Raises
        ------
        UsageError
            If there are no views.
        """
        if not len(views):
            raise UsageError("A shape is known by its views, and there are none.")
        pictures = [squared(view) for view in views]
        order = sorted(range(len(views)), key=lambda i: pictures[i].tobytes())
        with one_thread(), torch.inference_mode():
            seen = self._seen(np.stack([pictures[i] for i in order]))
            vector, each = self._head(*(x[None] for x in seen))
        result = np.empty((len(views), self.dimensions), np.float32)
        result[order] = each[0].numpy()
        return ShapeEmbedding(unit(vector[0].numpy()), unit(result))

    def _seen(self, pictures: NDArray[np.uint8]) -> tuple[torch.Tensor, ...]:
        """(N, 4, 320) cells, (N, 1280) pooled features and (N, 384) ConSE vectors."""
        if self._known is None:
            cells, pooled = self._look(pictures)
        else:
            keys = [hashlib.blake2b(picture.tobytes()).digest() for picture in pictures]
            new = [i for i, key in enumerate(keys) if key not in self._known]
            if new:
                fresh = zip(*self._look(pictures[new]), strict=True)
                self._known.update(zip((keys[i] for i in new), fresh, strict=True))
            cells, pooled = (
                torch.stack(part) for part in zip(*(self._known[k] for k in keys), strict=True)
            )
        names = conse(self._trunk.logits(pooled), self._head.class_embeddings)
        return cells, pooled, names

    def _look(self, pictures: NDArray[np.uint8]) -> Features:
        """(N, 4, 320) cells and (N, 1280) pooled features by the trunk."""
        cells, pooled = [], []
        for start in range(0, len(pictures), _BATCH):
            pixels = pixels_of(pictures[start : start + _BATCH])
            seen, features = self._trunk(pixels.contiguous(memory_format=torch.channels_last))
            cells.append(coarse_cells(seen.flatten(2).transpose(1, 2)))
            pooled.append(features)
        return torch.cat(cells), torch.cat(pooled)


def squared(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(160, 160, 3) uint8: a picture as a square, its edge colours carried outwards.

    Cropping would lose ends of long things; bars of black are an object of their own.

    Raises
    ------
    UsageError
        If it is no (H, W, 3) uint8 picture, or has no pixels.
    """
    check_picture(picture)
    height, width = picture.shape[:2]
    if (height, width) == (_SIZE, _SIZE):
        return picture
    scale = _SIZE / max(height, width)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
    rows, columns = _SIZE - small.shape[0], _SIZE - small.shape[1]
    around = ((rows // 2, rows - rows // 2), (columns // 2, columns - columns // 2), (0, 0))
    return np.pad(small, around, mode="edge")


def save_head(net: MultiViewHead, path: Path, meta: dict[str, str]) -> None:
    """Write a net's weights as float16, with its sizes and where it comes from.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    from safetensors.torch import save_file

    config = {name: getattr(net.config, name) for name in HeadConfig.__dataclass_fields__}
    state = {name: value.half().contiguous() for name, value in net.state_dict().items()}
    with atomic_write(path) as temporary:
        save_file(state, temporary, {**meta, "config": json.dumps(config)})


def load_head(path: Path) -> tuple[MultiViewHead, dict[str, Any]]:
    """Read what `save_head` wrote.

    Raises
    ------
    FileFormatError
        If the file is missing, too large, or no such net.
    """
    from safetensors import SafetensorError, safe_open

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise FileFormatError(f"Weights of the default embedder take less than 12 MB: {path}")
        with safe_open(path, "pt") as file:
            meta = dict(file.metadata() or {})
            state = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        config = HeadConfig(**json.loads(meta.pop("config")))
        # What the file says takes no memory before its tensors are known to be of that size.
        with torch.device("meta"):
            net = MultiViewHead(config, torch.empty(CLASSES, WIDTH))
        net.load_state_dict(state, assign=True)
        if not all(torch.isfinite(value).all() for value in state.values()):
            raise ValueError
    except (
        OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError, UsageError,
    ) as error:  # fmt: skip
        raise FileFormatError(
            f"These are no weights of the default embedder ({type(error).__name__}): {path}"
        ) from error
    return net.eval().requires_grad_(False), meta


def weights_folder() -> Path:
    """Where the weights lie that come along; it need not exist."""
    return Path(str(importlib.resources.files("polyorama_assets"))) / "models"


def _packaged_weights() -> Path:
    path = weights_folder() / _WEIGHTS
    if not path.is_file():
        raise UnavailableError(
            f"The weights of the default embedder are missing ({path}); install Polyorama anew."
        )
    return path


@functools.cache
def _backbones() -> tuple[EfficientNetLite0, MiniLM]:
    """Those that packages carry, never changed and so shared by all embedders of a process."""
    return load_efficientnet(), load_minilm()


@functools.cache
def default_embedder() -> DefaultEmbedder:
    """The embedder that comes along, loaded once a process."""
    return DefaultEmbedder()
