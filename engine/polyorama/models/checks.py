"""Whether a file is what it should be: its size, its hash, and the marks of its kind."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING

from polyorama.core.jobs import Progress
from polyorama.core.text import bytes_of
from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.core.jobs import Job
    from polyorama.models.entry import ModelFile
    from polyorama.models.pins import Pin

__all__ = ["BLOCK", "digest", "fault_of", "kind_fault"]

BLOCK = 1 << 20
"""Bytes that are read at a time."""

_MOST_HEADER = 100_000_000
_POINTER = b"version https://git-lfs"


def digest(path: Path, note: str) -> Job[str]:
    """The SHA-256 of a file, hexadecimal, as a job that counts bytes.

    Raises
    ------
    FileFormatError
        If it cannot be read.
    """
    found = hashlib.sha256()
    done = 0
    try:
        with path.open("rb") as file:
            total = path.stat().st_size
            while block := file.read(BLOCK):
                found.update(block)
                done += len(block)
                yield Progress(done, total, note)
    except OSError as error:
        raise FileFormatError(f"Cannot read the file ({error.strerror}): {path}") from error
    return found.hexdigest()


def fault_of(file: ModelFile, path: Path, sha256: str, pin: Pin | None, stated: str = "") -> str:
    """What is wrong with a file, as the rest of a sentence that its name begins; or "".

    Parameters
    ----------
    file
        What it should be.
    path
        Where it lies.
    sha256
        Its hash.
    pin
        What it was when it came first, if it ever did.
    stated
        The hash that its server stated, or "".

    Raises
    ------
    FileFormatError
        If it cannot be read.
    """
    try:
        size = path.stat().st_size
        if file.bytes is not None and size != file.bytes:
            return f"has {size:,} bytes where it should have {file.bytes:,}"
        if not 0 < size <= file.most:
            return f"has {size:,} bytes, which cannot be right"
        right = file.sha256 or (pin.sha256 if pin else "") or stated
        if right and sha256 != right:
            # The beginnings are enough for people to see that they differ.
            return f"has the hash {sha256[:12]}... where it should have {right[:12]}..."
        return "" if file.sha256 else kind_fault(path, file.name)
    except OSError as error:
        raise FileFormatError(f"Cannot read the file ({error.strerror}): {path}") from error


def kind_fault(path: Path, name: str) -> str:
    """What shows that a file is not of the kind its name says, or is cut short; "" if nothing.

    It goes by the ending of `name`: safetensors, checkpoints of torch (zip), gzip and JSON.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(_POINTER):
        return "is the pointer of Git LFS, not the file that it points to"
    if head.lstrip().lower().startswith((b"<!doctype", b"<html")):
        return "is a web page, not a model"
    if name.endswith(".safetensors"):
        return _safetensors_fault(path)
    # The list of what a zip holds is at its end, so one that is cut short is none.
    if name.endswith((".ckpt", ".pth")) and not zipfile.is_zipfile(path):
        return "is no checkpoint of torch, or is cut short"
    if name.endswith(".gz") and not head.startswith(b"\x1f\x8b"):
        return "is not compressed by gzip"
    if name.endswith(".json"):
        return _json_fault(path)
    return ""


def _safetensors_fault(path: Path) -> str:
    """Compare a file with its own header: the length of that, then where the last tensor ends."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(_MOST_HEADER, size - 8):
            return "is no safetensors file, or is cut short"
        text = file.read(length)
    try:
        header = json.loads(text)
        ends = [int(row["data_offsets"][1]) for key, row in header.items() if key != "__metadata__"]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return "is no safetensors file"
    should = 8 + length + max(ends, default=0)
    if size != should:
        return f"has {size:,} bytes where its header says {should:,}"
    return ""


def _json_fault(path: Path) -> str:
    # Its size was bounded by the caller's limit; no vocabulary is larger than this.
    if path.stat().st_size > _MOST_HEADER:
        return f"is larger than {bytes_of(_MOST_HEADER)}, which no such file is"
    try:
        json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return "is no JSON, or is cut short"
    return ""
