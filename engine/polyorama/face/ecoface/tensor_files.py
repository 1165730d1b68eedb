"""Arrays by name in safetensors files, without trusting them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import bytes_of, reason_of
from polyorama.errors import FileFormatError, UnavailableError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_tensor_file", "write_tensor_file"]

_MOST_HEADER = 16 << 20


def write_tensor_file(
    path: Path, tensors: Mapping[str, NDArray[Any]], facts: Mapping[str, str]
) -> None:
    """Write arrays and texts, whole or not at all.

    Raises
    ------
    OutputError
        If the system refuses.
    UnavailableError
        If safetensors is not installed.
    """
    save_file = _safetensors().numpy.save_file
    plain = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    with atomic_write(path) as temporary:
        save_file(plain, temporary, dict(facts))


def read_tensor_file(path: Path, most: int) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Arrays by name and texts of a file of at most `most` bytes; numbers are finite.

    Raises
    ------
    FileFormatError
        If it is missing, too large, damaged or no such file.
    UnavailableError
        If safetensors is not installed.
    """
    library = _safetensors()
    size = file_size(path)
    if size > most:
        raise FileFormatError(f"This file has {bytes_of(size)}, more than it may have: {path}")
    with reading(path), path.open("rb") as file:
        start = file.read(8)
    header = struct.unpack("<Q", start)[0] if len(start) == 8 else size
    if header > min(size - 8, _MOST_HEADER):
        raise FileFormatError(f"This is no safetensors file, or it is cut short: {path}")
    try:
        # The library itself holds shapes and places against the file's length.
        with reading(path), library.safe_open(path, "numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            facts = dict(file.metadata() or {})
    except (library.SafetensorError, ValueError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"The file is damaged or cut short ({reason_of(error)}): {path}"
        ) from error
    for name, array in tensors.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise FileFormatError(f"The values {name!r} are not finite: {path}")
    return tensors, facts


def _safetensors() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise UnavailableError(
            "The package safetensors, which holds weights of faces, is not installed; "
            "pip install 'polyorama[face]' brings it."
        ) from None
    return safetensors
