"""Colour for clear pixels, so that compression draws no fringe around what is solid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bled"]


def bled(values: NDArray[Any]) -> NDArray[np.float32]:
    """Straight colour that continues where alpha is 0: (H, W, 4) float32 of premultiplied pixels.

    Each clear pixel takes the mean colour of the nearest surroundings that have some, from a
    pyramid of averages.

    Parameters
    ----------
    values
        (H, W, 4) float32 or uint8, premultiplied.
    """
    whole = values.astype(np.float32) / 255.0 if values.dtype == np.uint8 else values
    pyramid = [whole]
    while max(pyramid[-1].shape[:2]) > 1:
        above = pyramid[-1]
        height, width = (side + side % 2 for side in above.shape[:2])
        padded = np.zeros((height, width, 4), np.float32)
        padded[: above.shape[0], : above.shape[1]] = above
        pyramid.append(padded.reshape(height // 2, 2, width // 2, 2, 4).mean(axis=(1, 3)))
    color = _straight(pyramid[-1], np.zeros(3, np.float32))
    for level in reversed(pyramid[:-1]):
        around = color.repeat(2, axis=0).repeat(2, axis=1)[: level.shape[0], : level.shape[1]]
        color = _straight(level, around)
    return np.concatenate([color, whole[..., 3:]], axis=2)


def _straight(level: NDArray[np.float32], around: NDArray[np.float32]) -> NDArray[np.float32]:
    alpha = level[..., 3:]
    some = alpha > 1e-3
    return np.asarray(np.where(some, level[..., :3] / np.where(some, alpha, 1.0), around))
