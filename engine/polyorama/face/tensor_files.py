"""Arrays by name in safetensors files, read and written with numpy alone, without trusting them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import bytes_of, quoted
from polyorama.errors import FileFormatError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, read_into, reading, write_all

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_tensor_file", "write_tensor_file"]

_MOST_HEADER = 16 << 20
_KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "|u1"}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def write_tensor_file(
    path: Path, tensors: Mapping[str, NDArray[Any]], facts: Mapping[str, str]
) -> None:
    """Write arrays and texts, whole or not at all.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    header: dict[str, Any] = {"__metadata__": dict(facts)}
    at = 0
    for name, array in tensors.items():
        kind = _NAMES[array.dtype.newbyteorder("<").str]
        header[name] = {
            "dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes],
        }  # fmt: skip
        at += array.nbytes
    head = json.dumps(header).encode()
    # The format wants arrays to begin at a multiple of 8.
    head += b" " * (-len(head) % 8)
    with atomic_write(path) as temporary, temporary.open("wb", buffering=0) as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for array in tensors.values():
            little = array.dtype.newbyteorder("<")
            write_all(file, np.ascontiguousarray(array, little).reshape(-1))


def read_tensor_file(path: Path, most: int) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Arrays by name and texts of a file of at most `most` bytes; numbers are finite.

    Raises
    ------
    FileFormatError
        If it is missing, too large, damaged or no such file.
    """
    size = file_size(path)
    if size > most:
        raise FileFormatError(
            f"This file has {bytes_of(size)}, and {bytes_of(most)} is the most: {path}"
        )
    with reading(path), path.open("rb", buffering=0) as file:
        start = file.read(8) or b""
        length = int.from_bytes(start, "little") if len(start) == 8 else size
        if not 2 <= length <= min(size - 8, _MOST_HEADER):
            raise FileFormatError(f"This is no safetensors file, or it is cut short: {path}")
        head, body = np.empty(length, np.uint8), np.empty(size - 8 - length, np.uint8)
        read_into(file, head, path)
        read_into(file, body, path)
    try:
        header = json.loads(head.tobytes())
        facts = {str(key): str(text) for key, text in header.pop("__metadata__", {}).items()}
        tensors = {str(name): _array_of(entry, body) for name, entry in header.items()}
    except (
        ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise FileFormatError(f"The file is damaged or cut short: {path}") from error
    for name, array in tensors.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise FileFormatError(f"The values {quoted(name)} are not finite: {path}")
    return tensors, facts


def _array_of(entry: dict[str, Any], body: NDArray[np.uint8]) -> NDArray[Any]:
    """What an entry of the header describes, as a view."""
    begin, end = (int(place) for place in entry["data_offsets"])
    shape = tuple(int(side) for side in entry["shape"])
    kind = np.dtype(_KINDS[entry["dtype"]])
    if min(shape, default=0) < 0 or not 0 <= begin <= end <= len(body):
        raise ValueError("a place outside the file")
    if end - begin != math.prod(shape) * kind.itemsize:
        raise ValueError("a length that is not its shape's")
    return body[begin:end].view(kind).reshape(shape)
