"""Interrupted fits: one file of plain arrays and JSON, to go on from as if never stopped.

The file is a zip whose members are stored as they are: `fit.json`, and one NPY for each array.
Nothing in it is ever executed.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["Checkpoint", "read_checkpoint", "write_checkpoint"]

_FORMAT = 1
_MAX_MEMBERS = 4096
_MAX_JSON = 16 << 20
_MAX_DIMENSIONS = 4
_TYPES = frozenset({"float32", "float64", "uint8", "int64", "int32", "bool"})


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """What a fit needs to go on.

    Parameters
    ----------
    facts
        Plain JSON: step, settings, order of views, numbers of the optimiser.
    arrays
        By name; names are words joined by dots and slashes.
    """

    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_checkpoint(path: str | os.PathLike[str], checkpoint: Checkpoint) -> None:
    """Write a checkpoint, whole or not at all.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    facts = {"polyorama": "fit", "format": _FORMAT, **checkpoint.facts}
    with (
        atomic_write(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        archive.writestr("fit.json", json.dumps(facts))
        for name, array in checkpoint.arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(
                    member, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False
                )


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint; no member may be larger than the file itself says.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged or newer than this program.
    """
    source = Path(path)
    size = file_size(source)
    try:
        with reading(source), zipfile.ZipFile(source) as archive:
            return _read(archive, source, size)
    except (
        zipfile.BadZipFile, ValueError, KeyError, EOFError, RuntimeError, NotImplementedError,
        RecursionError,
    ) as error:  # fmt: skip
        raise FileFormatError(
            f"This is no checkpoint of a fit, or it is damaged; begin again without --resume: "
            f"{source}"
        ) from error


def _read(archive: zipfile.ZipFile, source: Path, size: int) -> Checkpoint:
    members = {info.filename: info for info in archive.infolist()}
    if len(members) > _MAX_MEMBERS or "fit.json" not in members:
        raise ValueError("not the members of a fit")
    for info in members.values():
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError("a packed member")
    if sum(info.file_size for info in members.values()) > size:
        raise ValueError("more bytes than the file has")
    if members["fit.json"].file_size > _MAX_JSON:
        raise ValueError("too many facts")
    facts = json.loads(archive.read("fit.json"))
    if not isinstance(facts, dict) or facts.get("polyorama") != "fit":
        raise ValueError("not the facts of a fit")
    if facts.get("format") != _FORMAT:
        raise FileFormatError(
            f"This checkpoint has format {facts.get('format')!r}, which this program does not "
            f"know; update Polyorama, or begin again without --resume: {source}"
        )
    arrays = {
        name.removesuffix(".npy"): _array(archive.read(name))
        for name in members
        if name.endswith(".npy")
    }
    return Checkpoint(facts, arrays)


def _array(data: bytes) -> NDArray[Any]:
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("another version of NPY")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if fortran or dtype.name not in _TYPES or len(shape) > _MAX_DIMENSIONS:
        raise ValueError("an array of another kind")
    start = stream.tell()
    if len(data) - start != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array of another size")
    return np.frombuffer(data, dtype, offset=start).reshape(shape).copy()


def flat_state(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """An optimiser's `state_dict` as JSON and arrays; tensors go by ``state/<number>/<name>``.

    Whatever is neither a tensor, a number, a text, None nor a list of those is left out: it is the
    optimiser's own to make again.
    """
    import torch

    numbers: dict[str, dict[str, Any]] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for key, entries in state["state"].items():
        for name, value in entries.items():
            if torch.is_tensor(value):
                arrays[f"state/{key}/{name}"] = value.detach().cpu().numpy()
            elif isinstance(value, int | float | str | None):
                numbers.setdefault(str(key), {})[name] = value
    groups = [
        {k: v for k, v in group.items() if isinstance(v, int | float | str | list | tuple | None)}
        for group in state["param_groups"]
    ]
    return {"numbers": numbers, "groups": groups}, arrays


def full_state(
    facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], current: Mapping[str, Any]
) -> dict[str, Any]:
    """What `flat_state` took apart, as a `state_dict`; `current` gives what was left out."""
    import torch

    state: dict[int, dict[str, Any]] = {
        int(key): dict(entries) for key, entries in facts["numbers"].items()
    }
    for name, array in arrays.items():
        word, key, entry = name.split("/", 2)
        if word != "state":
            raise ValueError("an array of no parameter")
        state.setdefault(int(key), {})[entry] = torch.from_numpy(array)
    groups = []
    for ours, theirs in zip(current["param_groups"], facts["groups"], strict=True):
        kept = {k: tuple(v) if isinstance(ours.get(k), tuple) else v for k, v in theirs.items()}
        groups.append({**ours, **kept})
    return {"state": state, "param_groups": groups}
