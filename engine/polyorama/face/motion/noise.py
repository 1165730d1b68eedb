"""Chance that is a function of time: the same whichever frames are asked for, and in which order.

Numbers come from a counter (seed, stream, index) through splitmix64's finaliser (Steele, Lea and
Flood 2014), so a frame needs no frame before it.
"""

from __future__ import annotations

import functools
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["normal", "smooth_noise", "uniform"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SCALES = np.array([[1.0], [2.3]])
_SHARES = np.array([[0.75], [0.4]])
_OCTAVES = np.array([[0.0], [2.0**40]])
"""Where the second octave's numbers begin, so that it is not the first at another speed."""


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@functools.lru_cache(maxsize=1024)
def _start(seed: int, stream: str) -> np.uint64:
    key = np.array([seed & 0xFFFFFFFF, zlib.crc32(stream.encode())], np.uint64)
    return np.uint64(_mixed(_mixed(key[:1] + _GOLDEN) ^ (key[1:] * _GOLDEN))[0])


def uniform(seed: int, stream: str, index: ArrayLike) -> NDArray[np.float64]:
    """Even numbers of [0, 1), one for each index; streams do not depend on one another."""
    places = np.atleast_1d(np.asarray(index, np.int64)).astype(np.uint64)
    mixed = _mixed(_start(seed, stream) + places * _GOLDEN)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53, np.float64)


def normal(seed: int, stream: str, index: ArrayLike) -> NDArray[np.float64]:
    """Normal numbers, mean 0 and variance 1, one for each index (Box and Muller)."""
    radius = np.sqrt(-2.0 * np.log1p(-uniform(seed, stream + "|radius", index)))
    return np.asarray(radius * np.cos(2.0 * np.pi * uniform(seed, stream + "|angle", index)))


def smooth_noise(
    times: NDArray[np.float64], seed: int, stream: str, period: float
) -> NDArray[np.float64]:
    """A smooth random curve: values of about -1 to 1 that wander within `period` s.

    Two octaves of value noise, blended by 6 f^5 - 15 f^4 + 10 f^3 (Perlin 2002).
    """
    places = times * (_SCALES / period)
    cells = np.floor(places)
    f = places - cells
    blend = f * f * f * (f * (6.0 * f - 15.0) + 10.0)
    index = cells + _OCTAVES
    low, high = uniform(seed, stream, np.concatenate((index, index + 1.0))).reshape(2, 2, -1)
    return np.asarray((_SHARES * ((low + blend * (high - low)) * 2.0 - 1.0)).sum(axis=0))
