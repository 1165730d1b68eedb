"""The listener's file: safetensors of half floats, read and written with numpy alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["read_weights", "write_weights"]

_LARGEST = 16_000_000
_HEADER = 200_000
_TYPES = {"F16": "<f2", "F32": "<f4"}


def read_weights(
    path: str | os.PathLike[str],
) -> tuple[dict[str, NDArray[np.float32]], dict[str, str]]:
    """Arrays as float32, and the texts of the header.

    Raises
    ------
    FileFormatError
        If the file is missing, too large for a listener, or not safetensors of floats.
    """
    source = Path(path)
    if not 8 < file_size(source) <= _LARGEST:
        raise FileFormatError(f"A listener's weights have at most 16 MB; is this one: {source}")
    data = source.read_bytes()
    length = int.from_bytes(data[:8], "little")
    if not 2 <= length <= min(_HEADER, len(data) - 8):
        raise FileFormatError(f"This is no safetensors file; get it again: {source}")
    body = memoryview(data)[8 + length :]
    try:
        header = json.loads(data[8 : 8 + length])
        texts = {str(k): str(v) for k, v in header.pop("__metadata__", {}).items()}
        arrays = {}
        for name, entry in header.items():
            begin, end = (int(at) for at in entry["data_offsets"])
            shape = tuple(int(n) for n in entry["shape"])
            if not 0 <= begin <= end <= len(body) or min(shape, default=0) < 0:
                raise ValueError(name)
            flat = np.frombuffer(body[begin:end], _TYPES[entry["dtype"]])
            arrays[str(name)] = flat.reshape(shape).astype(np.float32)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"These weights are damaged; get them again: {source}") from error
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise FileFormatError(f"These weights hold what is no number; get them again: {source}")
    return arrays, texts


def write_weights(
    path: str | os.PathLike[str],
    arrays: Mapping[str, NDArray[np.float32]],
    texts: Mapping[str, str],
) -> None:
    """Write arrays as half floats, atomically.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    header: dict[str, object] = {"__metadata__": dict(texts)}
    blocks, at = [], 0
    for name in sorted(arrays):
        block = np.ascontiguousarray(arrays[name], "<f2").tobytes()
        shape = list(arrays[name].shape)
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + len(block)]}
        blocks.append(block)
        at += len(block)
    head = json.dumps(header).encode()
    # The format wants the tensors to begin at a multiple of 8.
    head += b" " * (-len(head) % 8)
    with atomic_write(path) as temporary:
        temporary.write_bytes(len(head).to_bytes(8, "little") + head + b"".join(blocks))
