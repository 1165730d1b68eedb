"""Quaternions as their three smallest components and the index of the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["SQRT_HALF", "from_smallest_three", "smallest_three"]

SQRT_HALF = 0.5**0.5
"""No component but the largest exceeds this."""

_OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]], np.intp)


def smallest_three(quats: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Split quaternions, in whichever component order they come.

    Parameters
    ----------
    quats
        (N, 4), finite; they need not have length 1. A zero quaternion counts as the identity if
        its first component is w.

    Returns
    -------
    largest
        (N,) uint8, index of the component that is largest in size.
    three
        (N, 3) float32, the others in ascending order of index, of the unit quaternion whose
        largest component is positive; each lies in -sqrt(1/2)..sqrt(1/2).
    """
    q = np.asarray(quats, np.float32)
    size = np.abs(q)
    largest = np.argmax(size, axis=1)
    lead = np.take_along_axis(q, largest[:, None], axis=1)
    # Dividing by the largest first keeps tiny and huge quaternions from under- and overflowing.
    safe = np.where(lead == 0, np.float32(1), lead)
    three = np.take_along_axis(q, _OTHERS[largest], axis=1) / safe
    three /= np.sqrt(1 + np.einsum("ij,ij->i", three, three))[:, None]
    return largest.astype(np.uint8), np.asarray(three, np.float32)


def from_smallest_three(largest: ArrayLike, three: ArrayLike) -> NDArray[np.float32]:
    """Join quaternions again: (N, 4) float32, unit length, largest component not negative.

    Where the three alone are longer than 1 (a damaged file), they are scaled to length 1 and the
    largest is 0.
    """
    index = np.asarray(largest).astype(np.intp)
    rest = np.asarray(three, np.float32)
    square = np.einsum("ij,ij->i", rest, rest)
    quats = np.empty((len(rest), 4), np.float32)
    np.put_along_axis(quats, _OTHERS[index], rest, axis=1)
    lead = np.sqrt(np.maximum(0, 1 - square))
    np.put_along_axis(quats, index[:, None], lead[:, None], axis=1)
    quats /= np.sqrt(np.maximum(1, square))[:, None]
    return quats
