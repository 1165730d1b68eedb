"""CLIP, Duoduo CLIP or SigLIP as an `Embedder`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.errors import UnavailableError, UsageError
from polyorama.shapes.clip.load import load_clip, registered
from polyorama.shapes.clip.pictures import look_for, pixels, squared
from polyorama.shapes.clip.words import CLIP_VOCABULARY, clip_words, siglip_words
from polyorama.shapes.embedder import ShapeEmbedding, unit

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from polyorama.shapes.clip.load import LoadedClip
    from polyorama.shapes.clip.words import Words

__all__ = ["ClipEmbedder", "clip_device", "find_words", "load_embedder", "model_id"]


class ClipEmbedder:
    """Words, pictures and shapes by CLIP's weights.

    Parameters
    ----------
    loaded
        The network.
    words
        Its vocabulary. None: everything but words works, and `embed_texts` says what is missing.
    missing
        What to say then.
    device
        "cpu" or a CUDA device.
    batch
        Pictures or texts at a time; the views of a shape are always seen together.

    Raises
    ------
    UsageError, UnavailableError
        If there is no such device.
    """

    def __init__(
        self,
        loaded: LoadedClip,
        words: Words | None = None,
        *,
        missing: str = "This model has no vocabulary, without which no words can be read.",
        device: str = "cpu",
        batch: int = 32,
    ) -> None:
        self._device = clip_device(device)
        self._look = look_for(loaded)
        self._words, self._missing, self._batch = words, missing, batch
        self.id = model_id(loaded)
        self._net = loaded.net.to(self._device)
        self.dimensions = loaded.net.config.embed
        self.picture_size = loaded.net.config.vision.size
        self.origin = loaded.origin

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(N, D) unit vectors of N texts.

        Raises
        ------
        UnavailableError
            If there is no vocabulary.
        """
        if self._words is None:
            raise UnavailableError(self._missing)
        result = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), self._batch):
            ids = self._words(texts[start : start + self._batch]).to(self._device)
            with torch.inference_mode():
                result[start : start + self._batch] = self._net.encode_text(ids).cpu().numpy()
        return unit(result)

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """(N, D) unit vectors of pictures of any size; each is a shape of one view.

        Raises
        ------
        UsageError
            If one is no (H, W, 3) uint8 picture.
        """
        result = np.empty((len(images), self.dimensions), np.float32)
        for start in range(0, len(images), self._batch):
            part = [squared(image, self._look) for image in images[start : start + self._batch]]
            with torch.inference_mode():
                vectors, _ = self._net.encode_views(self._pixels(np.stack(part)[:, None]))
            result[start : start + self._batch] = vectors.cpu().numpy()
        return unit(result)

    def embed_shape(self, views: NDArray[np.uint8]) -> ShapeEmbedding:
        """A shape from F views, (F, H, W, 3) uint8.

        Views are put in the order of hashes of what they show, since sums in another order differ
        in their last bits: the answer is the same for any order, bit for bit. The vector of a view
        is its own CLS after the joint blocks, projected.

        Raises
        ------
        UsageError
            If there are no views, or they are no pictures.
        """
        if not len(views):
            raise UsageError("A shape is known by its views, and there are none.")
        squares = [squared(view, self._look) for view in views]
        order = sorted(range(len(squares)), key=lambda i: _hash(squares[i]))
        with torch.inference_mode():
            vector, each = self._net.encode_views(
                self._pixels(np.stack([squares[i] for i in order])[None])
            )
        result = np.empty((len(squares), self.dimensions), np.float32)
        result[order] = each[0].cpu().numpy()
        return ShapeEmbedding(unit(vector[0].cpu().numpy()), unit(result))

    def _pixels(self, squares: NDArray[np.uint8]) -> torch.Tensor:
        return pixels(squares, self._look, self._device)


def load_embedder(
    source: str | os.PathLike[str],
    *,
    vocabulary: str | os.PathLike[str] | None = None,
    resolve: Callable[[str], Path] | None = None,
    threshold: int | None = None,
    quick_gelu: bool | None = None,
    device: str = "cpu",
) -> ClipEmbedder:
    """Load weights and their vocabulary.

    Parameters
    ----------
    source, resolve, threshold, quick_gelu
        As of `polyorama.shapes.clip.load.load_clip`.
    vocabulary
        File or folder to look for the vocabulary first. Then the weights' own folder is looked in,
        and for CLIP's the registry of models.
    device
        "cpu" or a CUDA device.

    Raises
    ------
    FileFormatError
        If weights or vocabulary are damaged or do not belong together.
    UsageError, UnavailableError
        If there is no such device.
    """
    clip_device(device)
    loaded = load_clip(source, threshold=threshold, quick_gelu=quick_gelu, resolve=resolve)
    places = [loaded.path.parent]
    if vocabulary is not None:
        places.insert(0, Path(vocabulary))
    words, missing = find_words(loaded, places)
    return ClipEmbedder(loaded, words, missing=missing, device=device)


def find_words(loaded: LoadedClip, places: Sequence[Path]) -> tuple[Words | None, str]:
    """The vocabulary of a network, or None and what to say where words are asked for.

    Raises
    ------
    FileFormatError
        If there is one that is damaged, or another model's.
    """
    text = loaded.net.config.text
    try:
        if loaded.layout == "siglip":
            return siglip_words(places, text), ""
        try:
            return clip_words(places, text), ""
        except UnavailableError:
            return clip_words([registered(CLIP_VOCABULARY)], text), ""
    except UnavailableError as error:
        return None, str(error)


def clip_device(name: str) -> torch.device:
    """The device of that name.

    Raises
    ------
    UsageError
        If there can be none.
    UnavailableError
        If it is not on this machine.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"There is no device {name!r}; choose cpu or cuda.") from None
    if device.type not in ("cpu", "cuda"):
        raise UsageError(f"CLIP does not run on {name!r}; choose cpu or cuda.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UnavailableError(f"There is no GPU {name!r} that PyTorch can use here; choose cpu.")
    return device


def model_id(loaded: LoadedClip) -> str:
    """The same for the same weights, whichever file they came in."""
    digest = hashlib.blake2b(repr(loaded.net.config).encode(), digest_size=8)
    digest.update(repr(look_for(loaded)).encode())
    for name, tensor in sorted(loaded.net.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).numpy().data)
    kind = "siglip" if loaded.layout == "siglip" else "clip"
    return f"{kind}-{digest.hexdigest()}"


def _hash(square: NDArray[np.uint8]) -> bytes:
    return hashlib.blake2b(square.tobytes(), digest_size=16).digest()
