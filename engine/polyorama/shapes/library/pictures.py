"""Small pictures of assets: thumbnails as WebP, and the look that near-duplicates share."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LOOK_BYTES", "decoded", "encoded", "look_of"]

_QUALITY = 82
_VIEWS = 6
_CELLS = 6
_WHITE = 250
LOOK_BYTES = _VIEWS * _CELLS * _CELLS * 4
"""Bytes of `look_of`."""


def encoded(picture: NDArray[np.uint8]) -> bytes:
    """A picture, (H, W, 3) or (H, W, 4) uint8, as WebP."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, "WEBP", quality=_QUALITY, method=2)
    return buffer.getvalue()


def decoded(data: bytes) -> NDArray[np.uint8]:
    """(H, W, 4) uint8 of a WebP picture that `encoded` made.

    Raises
    ------
    FileFormatError
        If it is damaged.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["WEBP"]) as picture:
            return np.asarray(picture.convert("RGBA"))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise FileFormatError("A thumbnail of the library is damaged; index again.") from error


def look_of(views: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """How a shape looks, coarsely: (6, 6, 6, 4) uint8, of six views six by six cells.

    Each cell has its mean colour over what is not background, and how much of it that is, 0..255.

    Parameters
    ----------
    views
        (F, S, S, 3) uint8 on white, S at least 6; fewer than six views are repeated.
    """
    if views.ndim != 4 or views.shape[3] != 3 or not len(views) or min(views.shape[1:3]) < _CELLS:
        raise UsageError(f"Views are (F, S, S, 3) with S of at least {_CELLS}, not {views.shape}.")
    chosen = views[np.arange(_VIEWS) * len(views) // _VIEWS]
    side = min(views.shape[1:3]) // _CELLS * _CELLS
    cut = chosen[:, :side, :side].astype(np.float32)
    shown = (chosen[:, :side, :side].min(axis=3) < _WHITE).astype(np.float32)
    cell = side // _CELLS
    shape = (_VIEWS, _CELLS, cell, _CELLS, cell)
    covered = shown.reshape(shape).sum(axis=(2, 4))
    colour = (cut * shown[..., None]).reshape(*shape, 3).sum(axis=(2, 4))
    look = np.empty((_VIEWS, _CELLS, _CELLS, 4), np.uint8)
    look[..., :3] = np.rint(colour / np.maximum(covered, 1.0)[..., None])
    look[..., 3] = np.rint(covered * (255.0 / cell**2))
    return look
