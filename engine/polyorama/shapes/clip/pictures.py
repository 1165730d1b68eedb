"""Pictures as CLIP and SigLIP were trained to see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from PIL import Image

from polyorama.shapes.embedder import check_picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.shapes.clip.load import LoadedClip

__all__ = ["CLIP_MEAN", "CLIP_STD", "CROP", "Look", "look_for", "pixels", "squared"]

CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
CLIP_STD = (0.26862954, 0.26130258, 0.27577711)
CROP = 208 / 224
"""What Duoduo CLIP saw of each picture in training, of its side."""
_LONGEST = 16
"""Of a picture longer than so many times its height, only the middle is looked at: all else would
be cut off later, after memory was taken for it."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture becomes numbers.

    Parameters
    ----------
    size
        S, side of the result in pixels.
    middle
        Side of the middle part that is enlarged to all of it, in pixels; S keeps all.
    squash
        Whether a picture that is no square is squeezed into one, as for SigLIP, or its ends are
        cut off, as for CLIP.
    mean, std
        Of red, green and blue, 0..1.
    """

    size: int
    middle: int
    squash: bool
    mean: tuple[float, float, float]
    std: tuple[float, float, float]


def look_for(loaded: LoadedClip) -> Look:
    """The look that a network was trained with.

    Duoduo CLIP was trained, and by its authors also tested, on random parts of 208 of 224 pixels;
    here it is always the middle one, so that the same picture has the same vector.
    """
    config = loaded.net.config
    size = config.vision.size
    if loaded.layout == "siglip":
        return Look(size, size, True, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
    joint = getattr(config, "threshold", config.vision.layers) < config.vision.layers
    return Look(size, round(size * CROP) if joint else size, False, CLIP_MEAN, CLIP_STD)


def squared(picture: NDArray[np.uint8], look: Look) -> NDArray[np.uint8]:
    """(S, S, 3) uint8 of a (H, W, 3) uint8 picture: resized (bicubic, antialiased), then cut.

    Raises
    ------
    UsageError
        If it is no such picture, or has no pixels.
    """
    check_picture(picture)
    size = look.size
    if look.squash:
        return _resized(picture, size, size)
    picture = _middle(picture, *(_LONGEST * min(picture.shape[:2]),) * 2)
    height, width = picture.shape[:2]
    short = min(height, width)
    picture = _middle(_resized(picture, size * height // short, size * width // short), size, size)
    return _resized(_middle(picture, look.middle, look.middle), size, size)


def pixels(squares: NDArray[np.uint8], look: Look, device: torch.device) -> torch.Tensor:
    """(..., 3, S, S) float32 of (..., S, S, 3) uint8: from 0 to 1, less the mean, by the std."""
    raw = torch.from_numpy(np.ascontiguousarray(squares)).to(device)
    mean, std = (torch.tensor(values, device=device) for values in (look.mean, look.std))
    return ((raw.float() / 255.0 - mean) / std).movedim(-1, -3).contiguous()


def _resized(picture: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    if picture.shape[:2] == (height, width):
        return picture
    image = Image.fromarray(np.ascontiguousarray(picture))
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))


def _middle(picture: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """The middle part, no larger than that; odd pixels fall as in torchvision's CenterCrop."""
    top = round(max(picture.shape[0] - height, 0) / 2)
    left = round(max(picture.shape[1] - width, 0) / 2)
    return picture[top : top + height, left : left + width]
