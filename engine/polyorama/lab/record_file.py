"""Files of framed chunks: each has a checksum and stands for itself; only the end ever grows.

A file begins with a mark. A frame is a header (kind, lengths, checksums), a description in JSON and
a block compressed by zstd. A process that is killed leaves whole frames and perhaps part of one,
which readers pass over and the next writer cuts off. Nothing that is read is executed.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import zstandard

from polyorama.core import memory
from polyorama.core.text import bytes_of, one_line
from polyorama.errors import FileFormatError, OutputError
from polyorama.io.files import reading

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["JSON_BYTES", "Frame", "FrameWriter", "read_block", "read_frames"]

JSON_BYTES = 40
"""Memory that a byte of JSON takes at most once it is read."""

_MARK = b"Polyorama run 1\n"
_HEADER = struct.Struct("<4sIIQII")
"""Kind, bytes of the description, of the block, of the block unpacked, and two checksums."""
_MOST_DESCRIPTION = 64 << 20
_MOST_BLOCK = 2 << 30
_LEVEL = 3
_KINDS = re.compile(rb"ROWS|CHNG|THIN|ARRS")
_SEARCHED = 8 << 20
"""Bytes after a broken frame in which a whole one is looked for."""
_MOST_STARTS = 1000
_MOST_FOUND = 1 << 20
"""Bytes of the description of a frame that is found so."""
_CHECKED = 1 << 20


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a frame lies and what it holds.

    Parameters
    ----------
    kind
        Four letters.
    described
        The description, an object of JSON.
    start, end
        Places in the file, of the block and of the next frame.
    nbytes
        Bytes of the block unpacked.
    check
        Checksum of the packed block.
    """

    kind: str
    described: dict[str, Any]
    start: int
    end: int
    nbytes: int
    check: int


def read_frames(path: Path) -> tuple[list[Frame], int]:
    """The whole frames of a file, and where the last of them ends; blocks are not read yet.

    A part of a frame at the end is passed over: there the writer was killed, or the power failed.

    Raises
    ------
    FileFormatError
        If it is no such file, cannot be read, or is damaged before its end.
    UsageError
        If there is not enough memory.
    """
    frames: list[Frame] = []
    with reading(path):
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileFormatError(f"This is no part of a recorded run: {path}")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            mark = file.read(len(_MARK))
            if _MARK.startswith(mark) and mark != _MARK:
                return [], 0  # killed at its first bytes
            if mark != _MARK:
                raise FileFormatError(f"This is no part of a recorded run: {path}")
            place = len(_MARK)
            described, checked = 0, 0
            while (frame := _frame_at(file, place, size, _MOST_DESCRIPTION)) is not None:
                frames.append(frame)
                described += frame.start - place
                place = frame.end
                if described - checked > _CHECKED:
                    memory.require(JSON_BYTES * described, f"the recorded run {path.parent}")
                    checked = described
            if _goes_on(file, place, size):
                raise FileFormatError(f"A part of this recorded run is damaged: {path}")
    return frames, place


def _frame_at(file: BinaryIO, place: int, size: int, longest: int) -> Frame | None:
    """The frame that begins at a place of a file, None where no whole one does."""
    file.seek(place)
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return None
    kind, described, packed, unpacked, check, own = _HEADER.unpack(head)
    start = place + _HEADER.size + described
    end = start + packed
    if described > longest or unpacked > _MOST_BLOCK or end > size:
        return None
    text = file.read(described)
    if zlib.crc32(text, zlib.crc32(head[:-4])) != own:
        return None
    found = _object(text)
    return None if found is None else Frame(_kind(kind), found, start, end, unpacked, check)


def _goes_on(file: BinaryIO, place: int, size: int) -> bool:
    """Whether whole frames follow something that is none: then it is no end, but damage."""
    file.seek(place)
    rest = file.read(min(size - place, _SEARCHED))
    starts = itertools.islice(_KINDS.finditer(rest, 1), _MOST_STARTS)
    return any(_frame_at(file, place + s.start(), size, _MOST_FOUND) is not None for s in starts)


def read_block(path: Path, frame: Frame) -> bytes:
    """The block of a frame, unpacked.

    Raises
    ------
    FileFormatError
        If it is damaged or cannot be read.
    UsageError
        If there is not enough memory.
    """
    damaged = f"A part of this recorded run is damaged; run it again: {path}"
    memory.require(frame.nbytes, f"a part of the recorded run {one_line(str(path))}")
    with reading(path), path.open("rb") as file:
        file.seek(frame.start)
        packed = file.read(frame.end - frame.start)
    if len(packed) != frame.end - frame.start or zlib.crc32(packed) != frame.check:
        raise FileFormatError(damaged)
    try:
        if zstandard.frame_content_size(packed) != frame.nbytes:
            raise FileFormatError(damaged)
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise FileFormatError(damaged) from error


class FrameWriter:
    """Appends frames to a file.

    Parameters
    ----------
    path
        The file; made where it is not there yet.
    keep
        With a file that is there: where its last whole frame ends; what follows is cut off.

    Raises
    ------
    OutputError
        If the system refuses.
    """

    def __init__(self, path: Path, keep: int | None = None) -> None:
        self._path = path
        self._packer = zstandard.ZstdCompressor(level=_LEVEL)
        try:
            self._file = path.open("xb" if keep is None else "rb+", buffering=0)
        except OSError as error:
            raise OutputError(f"Cannot write here ({error.strerror}): {path}") from error
        self.size = keep or 0
        try:
            self._file.truncate(self.size)
            self._file.seek(self.size)
            if self.size == 0:
                self._append(_MARK)
        except BaseException:
            self._file.close()
            raise

    def write(self, kind: str, described: dict[str, Any], block: bytes = b"") -> None:
        """Append a frame; when it returns, the system has it.

        Raises
        ------
        OutputError
            If the system refuses, or the frame is too large to be read again; the file then ends
            with the frame before.
        """
        text = json.dumps(described, allow_nan=False, separators=(",", ":")).encode()
        if len(block) > _MOST_BLOCK or len(text) > _MOST_DESCRIPTION:
            raise OutputError(
                f"A snapshot of {bytes_of(len(block) + len(text))} is too large to be recorded; "
                f"what was recorded before can be read: {self._path.parent}"
            )
        packed = self._packer.compress(block)
        lengths = (len(text), len(packed), len(block), zlib.crc32(packed), 0)
        head = _HEADER.pack(kind.encode("ascii"), *lengths)[:-4]
        own = zlib.crc32(text, zlib.crc32(head))
        self._append(head + struct.pack("<I", own) + text + packed)

    def close(self) -> None:
        """Hand everything to the disk."""
        if not self._file.closed:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                raise OutputError(f"Cannot write ({error.strerror}): {self._path}") from error
            finally:
                self._file.close()

    def remove(self) -> None:
        """Close the file and remove it."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except BaseException as error:
            # Half a frame would hide those that come after it.
            self._file.truncate(self.size)
            self._file.seek(self.size)
            if not isinstance(error, OSError):
                raise
            raise OutputError(
                f"The run cannot be recorded any further ({(error.strerror or '').lower()}); what "
                f"was recorded can be read, and resumed once there is room: {self._path.parent}"
            ) from error
        self.size += len(data)


def _kind(kind: bytes) -> str:
    return kind.decode("ascii", "replace")


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
