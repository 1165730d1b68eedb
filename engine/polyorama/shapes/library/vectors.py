"""Vectors on disk: rows of one length, memory-mapped, appended, never changed in place.

A file is a header of 64 bytes and rows. Rows past the last one that the database names are left
over from a run that was killed; they are written over. Each row has a checksum in the database, so
that what is torn is known, dropped and made again.
"""

from __future__ import annotations

import contextlib
import os
import threading
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["HEADER", "RowFile", "checksum"]

HEADER = 64
_MAGIC = b"polyorama vectors 1 "


def checksum(*rows: NDArray[Any]) -> int:
    """CRC-32 of the bytes of rows, one after the other."""
    total = 0
    for row in rows:
        total = zlib.crc32(np.ascontiguousarray(row).view(np.uint8).reshape(-1).data, total)
    return total


class RowFile:
    """A file of rows of D numbers.

    Parameters
    ----------
    path
        Where it lies or will lie.
    dimensions
        D.
    dtype
        float32 or float16, little-endian.
    """

    def __init__(self, path: Path, dimensions: int, dtype: type[np.floating[Any]]) -> None:
        self.path = path
        self.dimensions = dimensions
        self.dtype = np.dtype(dtype).newbyteorder("<")
        self._row_bytes = dimensions * self.dtype.itemsize
        self._map: NDArray[Any] = np.empty((0, dimensions), self.dtype)
        self._lock = threading.Lock()

    @property
    def header(self) -> bytes:
        """What the file begins with; another file is not this one."""
        text = _MAGIC + f"{self.dtype.str} {self.dimensions}\n".encode()
        return text.ljust(HEADER, b"\0")

    def count(self) -> int:
        """Whole rows in the file; 0 where it is missing or begins with something else."""
        try:
            with self.path.open("rb") as file:
                if file.read(HEADER) != self.header:
                    return 0
                return (os.fstat(file.fileno()).st_size - HEADER) // self._row_bytes
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise OutputError(f"Cannot read the vectors ({error.strerror}): {self.path}") from error

    def rows(self, count: int) -> NDArray[Any]:
        """(count, D) view of the file's first rows, read-only; mapped anew only where it grew."""
        with self._lock:
            if len(self._map) < count:
                there = self.count()
                if there:
                    self._map = np.memmap(
                        self.path, self.dtype, "r", offset=HEADER, shape=(there, self.dimensions)
                    )
            return self._map[:count]

    def append(self, start: int, blocks: Sequence[NDArray[Any]]) -> None:
        """Write rows from row `start` on, over what a killed run left there, and flush them.

        Raises
        ------
        OutputError
            If the system refuses, as when the disk is full.
        """
        try:
            fresh = self.count() == 0
            if fresh:  # a file that others may have mapped is never cut
                self.path.unlink(missing_ok=True)
            with self.path.open("xb" if fresh else "r+b") as file:
                if fresh:
                    file.write(self.header)
                file.seek(HEADER + start * self._row_bytes)
                for block in blocks:
                    file.write(np.ascontiguousarray(block, self.dtype).data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(f"Cannot write the vectors ({reason}): {self.path}") from error

    def remove(self) -> None:
        """Delete the file; where the system holds on to it, it stays for the next time."""
        with self._lock:
            self._map = np.empty((0, self.dimensions), self.dtype)
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
