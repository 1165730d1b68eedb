"""Stable sort of splats by the exact bits of their depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["sort_by_depth"]

_BITS = 9
_BUCKETS = 1 << _BITS
_SMALL = 1 << 14


@kernel
def depth_keys(start, stop, records, order, keys):
    """Write order-preserving uint32 keys of the depths of `order`; return their least and most."""
    least, most = np.uint32(0xFFFFFFFF), np.uint32(0)
    depths = records.view(np.int32)
    for i in range(start, stop):
        bits = depths[order[i], 9]
        # Positive floats order as integers do; negative ones in reverse, below them.
        key = np.uint32(~bits) if bits < 0 else np.uint32(bits) | np.uint32(0x80000000)
        keys[i] = key
        least, most = min(least, key), max(most, key)
    return least, most


@kernel
def count_digits(start, stop, keys, least, shift, counts):
    """Histogram of one digit of ``key - least`` over a range."""
    counts[:] = 0
    for i in range(start, stop):
        counts[((keys[i] - least) >> shift) & np.uint32(_BUCKETS - 1)] += 1


@kernel
def scatter(start, stop, keys, order, least, shift, places, new_keys, new_order):
    """Move a range to its places for one digit, keeping the order of equal digits."""
    for i in range(start, stop):
        digit = ((keys[i] - least) >> shift) & np.uint32(_BUCKETS - 1)
        place = places[digit]
        places[digit] = place + 1
        new_keys[place] = keys[i]
        new_order[place] = order[i]


def sort_by_depth(records: NDArray[Any], order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Slots of `order` from near to far; equal depths keep their order.

    Parameters
    ----------
    records
        Projected splats, depth in column 9.
    order
        (n,) int32 slots to sort.
    """
    count = len(order)
    if count == 0:
        return order
    if records.dtype == np.float64:  # for checks of gradients: exact, not fast
        return order[np.argsort(records[order, 9], kind="stable")]
    parts = core_count() if count > _SMALL else 1
    keys = np.empty(count, np.uint32)
    spans = parallel_for(lambda _, a, b: depth_keys(a, b, records, order, keys), count, parts)
    least = min(span[0] for span in spans)
    width = int(max(span[1] for span in spans) - least).bit_length()
    for shift in range(0, width, _BITS):
        keys, order = _one_digit(keys, order, least, np.uint32(shift), len(spans))
    return order


def _one_digit(
    keys: NDArray[np.uint32],
    order: NDArray[np.int32],
    least: np.uint32,
    shift: np.uint32,
    parts: int,
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """One stable counting sort by the digit at `shift`; parts keep their order within a digit."""
    count = len(keys)
    counts = np.empty((parts, _BUCKETS), np.int64)
    new_keys, new_order = np.empty_like(keys), np.empty_like(order)

    def count_part(part: int, start: int, stop: int) -> None:
        count_digits(start, stop, keys, least, shift, counts[part])

    def move_part(part: int, start: int, stop: int) -> None:
        scatter(start, stop, keys, order, least, shift, places[part], new_keys, new_order)

    parallel_for(count_part, count, parts)
    by_digit = counts.T.ravel()
    places = (np.cumsum(by_digit) - by_digit).reshape(_BUCKETS, parts).T.copy()
    parallel_for(move_part, count, parts)
    return new_keys, new_order
