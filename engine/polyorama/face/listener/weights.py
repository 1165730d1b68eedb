"""The listener's file: safetensors of half floats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.tensor_files import read_tensor_file, write_tensor_file

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["read_weights", "write_weights"]

_LARGEST = 16_000_000


def read_weights(
    path: str | os.PathLike[str],
) -> tuple[dict[str, NDArray[np.float32]], dict[str, str]]:
    """Arrays as float32, and the texts of the header.

    Raises
    ------
    FileFormatError
        If the file is missing, too large for a listener, or not safetensors of finite floats.
    """
    source = Path(path)
    arrays, texts = read_tensor_file(source, _LARGEST)
    if any(array.dtype.kind != "f" for array in arrays.values()):
        raise FileFormatError(f"These weights are no floats, so of no listener: {source}")
    return {name: array.astype(np.float32) for name, array in arrays.items()}, texts


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
    halves = {name: np.asarray(arrays[name], np.float16) for name in sorted(arrays)}
    write_tensor_file(Path(path), halves, texts)
