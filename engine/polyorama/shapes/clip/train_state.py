"""Interrupted trainings: one safetensors file, its plain numbers as JSON within.

In one file, weights, optimiser and counters are replaced together or not at all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError
from polyorama.io.atomic import atomic_write
from polyorama.shapes.clip.tensors import read_tensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

__all__ = ["read_state", "write_state"]

_KEY, _FORMAT = "polyorama-training", 1


def write_state(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write where a training stands, whole or not at all.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    from safetensors.torch import save_file

    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with atomic_write(path) as temporary:
        save_file(plain, temporary, {_KEY: json.dumps({"format": _FORMAT, **facts})})


def read_state(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `write_state` wrote.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or newer than this program.
    """
    file = read_tensors(path)
    try:
        facts = json.loads(str(file.facts[_KEY]))
        known = facts["format"] == _FORMAT
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise FileFormatError(
            f"This is no interrupted training, or it is damaged; begin again in another folder: "
            f"{path}"
        ) from error
    if not known:
        raise FileFormatError(
            f"This training was begun by another version of Polyorama (format "
            f"{facts['format']!r}); go on with that, or begin again in another folder: {path}"
        )
    return file.tensors, facts
