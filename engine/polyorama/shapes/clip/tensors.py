"""Tensors out of files of weights: safetensors, and what torch.save wrote, without trusting either.

Before memory is taken, what a file declares is held against the bytes that it has. Pickles are only
read by torch's own reader for plain data (``weights_only``), which runs nothing from the file.
"""

from __future__ import annotations

import json
import pathlib
import pickle
import struct
import warnings
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from polyorama.core.text import bytes_of, quoted, reason_of
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

__all__ = ["TensorFile", "read_json", "read_tensors"]

_MOST_HEADER = 64 << 20
_MOST_PICKLE = 256 << 20
_MOST_MEMBERS = 1 << 17
_MOST_JSON = 16 << 20
_ENDINGS = (".safetensors", ".ckpt", ".pt", ".pth", ".bin")

_HARMLESS: list[Any] = [
    # Lightning keeps its settings in these; they are dictionaries.
    (dict, "lightning.fabric.utilities.data.AttributeDict"),
    (dict, "lightning_fabric.utilities.data.AttributeDict"),
    (dict, "lightning.pytorch.utilities.parsing.AttributeDict"),
    (dict, "pytorch_lightning.utilities.parsing.AttributeDict"),
    # Names of files, which are never opened; as those of another system they can always be made.
    (pathlib.PurePosixPath, "pathlib.PosixPath"),
    (pathlib.PureWindowsPath, "pathlib.WindowsPath"),
]


@dataclass(frozen=True, slots=True, eq=False)
class TensorFile:
    """What a file of weights holds.

    Parameters
    ----------
    path
        The file.
    tensors
        By name, as they were stored.
    facts
        Metadata of a safetensors file, hyperparameters of a Lightning checkpoint, else empty.
    """

    path: Path
    tensors: dict[str, Tensor]
    facts: Mapping[str, Any] = field(default_factory=dict)


def read_tensors(path: Path) -> TensorFile:
    """Read a file of weights.

    Parameters
    ----------
    path
        Safetensors, or a zip of torch.save; told apart by their first bytes.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, neither of them, or needs code from the file to be run.
    """
    size = file_size(path)
    with reading(path), path.open("rb") as file:
        start = file.read(9)
    if start[:4] == b"PK\x03\x04":
        return _read_torch(path, size)
    if start[8:] == b"{":
        return _read_safetensors(path, size, start)
    raise FileFormatError(
        f"This is no file of weights ({', '.join(_ENDINGS)}), or one of a PyTorch older than 1.6; "
        f"save it anew as safetensors: {path}"
    )


def read_json(path: Path) -> dict[str, Any]:
    """The object that a small JSON file holds.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or too large for what it is.
    """
    size = file_size(path)
    if size > _MOST_JSON:
        raise FileFormatError(f"A description of a model does not have {bytes_of(size)}: {path}")
    try:
        with reading(path):
            values = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"This is no JSON ({reason_of(error)}): {path}") from error
    if not isinstance(values, dict):
        raise FileFormatError(f"This JSON holds no object where one is needed: {path}")
    return values


# -- safetensors -----------------------------------------------------------------------------------


def _read_safetensors(path: Path, size: int, start: bytes) -> TensorFile:
    from safetensors import SafetensorError, safe_open

    (header,) = struct.unpack("<Q", start[:8])
    if header > min(size - 8, _MOST_HEADER):
        raise FileFormatError(
            f"The header is said to have {header:,} bytes, in a file of {size:,}; the file is "
            f"damaged or cut short, download it again: {path}"
        )
    try:
        # The library itself holds shapes and places against each other and the file's length.
        with reading(path), safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return TensorFile(path, tensors, dict(file.metadata() or {}))
    except (SafetensorError, ValueError, RuntimeError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"The weights are damaged or cut short ({reason_of(error)}); download them again: "
            f"{path}"
        ) from error


# -- torch.save ------------------------------------------------------------------------------------


def _read_torch(path: Path, size: int) -> TensorFile:
    _check_archive(path, size)
    # First without any memory: what it declares may be far more than it has.
    _check_declared(_loaded(path, "meta"), path, size)
    content = _loaded(path, "cpu")
    tensors, facts = _state_of(content, path)
    return TensorFile(path, tensors, facts)


def _check_archive(path: Path, size: int) -> None:
    try:
        with reading(path), zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
        raise FileFormatError(
            f"The archive is damaged or cut short; download it again: {path}"
        ) from error
    if any("/code/" in info.filename or "constants.pkl" in info.filename for info in members):
        raise FileFormatError(
            f"This is a TorchScript archive, which holds program code and is not opened; save its "
            f"state_dict as safetensors: {path}"
        )
    packed = any(
        info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size
        for info in members
    )
    if packed or len(members) > _MOST_MEMBERS or sum(info.file_size for info in members) > size:
        raise FileFormatError(f"torch.save writes no archive like this, so it is not read: {path}")
    pickles = [info for info in members if info.filename.rpartition("/")[2] == "data.pkl"]
    if len(pickles) != 1 or pickles[0].file_size > _MOST_PICKLE:
        raise FileFormatError(f"torch.save wrote no such archive; is it another zip? {path}")


def _loaded(path: Path, device: str) -> Any:
    try:
        with (
            reading(path),
            torch.serialization.safe_globals(_HARMLESS),
            # It warns of pickles that it did not write itself, and then reads or refuses them.
            warnings.catch_warnings(action="ignore", category=UserWarning),
        ):
            return torch.load(path, map_location=device, weights_only=True)
    except FileFormatError:
        raise
    except pickle.UnpicklingError as error:
        raise FileFormatError(
            f"The file holds more than plain data, and could run code ({_refused(error)}); ask for "
            f"its weights as safetensors: {path}"
        ) from error
    except Exception as error:
        raise FileFormatError(
            f"The checkpoint is damaged or cut short ({reason_of(error)}); download it again: "
            f"{path}"
        ) from error


def _refused(error: pickle.UnpicklingError) -> str:
    """The kind of object that torch would not make, out of its many sentences."""
    text = str(error)
    marker = "GLOBAL "
    if marker in text:
        return quoted(text.split(marker, 1)[1].split(" ", 1)[0])
    return "a kind of object that is not allowed"


def _check_declared(content: Any, path: Path, size: int) -> None:
    tensors, _ = _state_of(content, path)
    total = 0
    for name, tensor in tensors.items():
        total += tensor.numel() * tensor.element_size()
        if total > size:
            raise FileFormatError(
                f"The tensor {quoted(name)} of shape {tuple(tensor.shape)} is more than the file "
                f"can hold; it is damaged: {path}"
            )


def _state_of(content: Any, path: Path) -> tuple[dict[str, Tensor], Mapping[str, Any]]:
    """The tensors by name, and hyperparameters, of what was saved."""
    if not isinstance(content, dict):
        raise FileFormatError(f"The file holds no weights by name: {path}")
    facts = content.get("hyper_parameters", {})
    state = content.get("state_dict", content)
    tensors = {}
    if isinstance(state, dict):
        tensors = {
            name: value
            for name, value in state.items()
            if isinstance(name, str) and isinstance(value, torch.Tensor)
        }
    if not tensors:
        raise FileFormatError(f"The file holds no weights by name: {path}")
    return tensors, facts if isinstance(facts, dict) else {}
