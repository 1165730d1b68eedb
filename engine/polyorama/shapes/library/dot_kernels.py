"""Products of many small-integer rows with one vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyorama.core.compile import kernel

__all__ = ["dots"]


@kernel
def dots(codes: Any, query: Any, out: Any, first: int, last: int) -> None:
    """Sums of products of int8 rows with an int16 vector, exactly, for rows first to last.

    Parameters
    ----------
    codes
        (N, D) int8.
    query
        (D,) int16; the sum of its magnitudes is below 2^24, so that int32 never overflows.
    out
        (N,) int32.
    """
    for i in range(first, last):
        total = np.int32(0)
        for j in range(query.shape[0]):
            # The explicit width keeps the sum at 32 bits, four times as many a register.
            total = np.int32(total + np.int32(codes[i, j]) * np.int32(query[j]))
        out[i] = total
