"""Headers of `.npy` arrays that are none: numpy reads them as Python, and its troubles stay in."""

from __future__ import annotations

import io

import numpy as np
import pytest

from polyorama.errors import FileFormatError
from polyorama.io.content_npz import read_npy


def written(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0))
    return stream.getvalue()


def with_header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(24)


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, ",
        b"  {\n 'descr'\n",
        b"'''",
        b"(" * 5000,
        b"-" * 9000 + b"1",
        b"\x00",
        b"{'descr': [1], 'fortran_order': False, 'shape': (3,)}",
        b"{'descr': {}, 'fortran_order': False, 'shape': (3,)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (10**9,)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999999999999,)}",
        b"{[]: 1}",
    ],
)
def test_a_header_that_is_none_is_refused_in_words(header: bytes) -> None:
    data = with_header(header)
    with pytest.raises(FileFormatError, match=r"'x' is damaged: a\.npz"):
        read_npy(io.BytesIO(data), len(data), "x", "a.npz")


def test_bytes_changed_at_random_give_an_array_or_a_sentence() -> None:
    rng = np.random.default_rng(3)
    whole = written(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert read_npy(io.BytesIO(whole), len(whole), "x", "a.npz")[2, 3] == 11.0
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        for at in rng.integers(0, len(whole), rng.integers(1, 4)):
            data[at] = rng.integers(0, 256)
        try:
            read_npy(io.BytesIO(data), len(data), "x", "a.npz")
        except FileFormatError:
            refused += 1
    assert refused > 200
