"""What was learnt about files when they came, kept in the folder of their model.

The publishers of large checkpoints state no hash that this program could know beforehand. The one
that a file had when it came is written down, and from then on the file is held to it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.models.entry import Entry

__all__ = ["ORIGINS", "RECORD", "Pin", "read_pins", "write_pin"]

RECORD = "record.json"
"""Name of the record in the folder of a model."""

ORIGINS = {
    "known": "known beforehand",
    "server": "as its server said when it came",
    "download": "of the first download; its publisher's is not known",
    "file": "of the file that was added; its publisher's is not known",
}
"""Where a hash comes from, in words."""

_MOST_BYTES = 100_000
_HASH = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Pin:
    """What a file was when it came.

    Parameters
    ----------
    bytes
        Its size.
    sha256
        Its hash, hexadecimal.
    origin
        Where the hash comes from, one of `ORIGINS`.
    source
        The address or path that it came from.
    """

    bytes: int
    sha256: str
    origin: str
    source: str


def read_pins(folder: Path, entry: Entry) -> dict[str, Pin]:
    """The pins of a model's files by their names; none where nothing came yet.

    Raises
    ------
    FileFormatError
        If the record is damaged.
    """
    path = folder / RECORD
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise FileFormatError(f"Cannot read the record ({error.strerror}): {path}") from error
    try:
        if len(text) > _MOST_BYTES:
            raise ValueError
        files = json.loads(text)["files"]
        return {file.name: _pin(files[file.name]) for file in entry.files if file.name in files}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(
            f"The record of the model {entry.id} is damaged; remove it, and its files are checked "
            f"anew: {path}"
        ) from error


def write_pin(folder: Path, entry: Entry, name: str, pin: Pin) -> None:
    """Add the pin of one file to the record, or replace it; the record is replaced as a whole.

    The caller holds the lock of the folder.

    Raises
    ------
    FileFormatError
        If the record is damaged.
    OSError
        If the system refuses.
    """
    pins = {**read_pins(folder, entry), name: pin}
    record = {"format": 1, "files": {key: asdict(value) for key, value in pins.items()}}
    temporary = folder / f"{RECORD}.new"
    with temporary.open("w", encoding="utf-8") as file:
        json.dump(record, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / RECORD)


def _pin(value: dict[str, Any]) -> Pin:
    pin = Pin(value["bytes"], value["sha256"], value["origin"], value["source"])
    if (
        type(pin.bytes) is not int
        or pin.bytes < 1
        or pin.origin not in ORIGINS
        or not _HASH.fullmatch(pin.sha256)
        or not isinstance(pin.source, str)
    ):
        raise ValueError
    return pin
