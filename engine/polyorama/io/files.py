"""Bytes in and out, whole: only plain files, never past their end, failures in one sentence."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from polyorama.core.arguments import check_path
from polyorama.core.text import one_line, quoted
from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["file_size", "inside", "named", "read_into", "reading", "write_all"]


def named(path: str | os.PathLike[str]) -> Path:
    """The path, unless it is an empty text: `Path` would take that for the folder we are in.

    Raises
    ------
    FileFormatError
        If there is no name, or one that no file can have.
    UsageError
        If it is neither a text nor a path.
    """
    check_path(path)
    if not os.fspath(path):
        raise FileFormatError("A file without a name cannot be opened; say which one.")
    if "\0" in os.fspath(path):
        raise FileFormatError(f"No name of a file holds a zero byte: {one_line(os.fspath(path))}")
    # Path would raise the system's own error wherever it looks at such a name.
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have this name"
        raise FileFormatError(
            f"Cannot look at the file ({reason}): {quoted(os.fspath(path))}"
        ) from error
    return Path(path)


def file_size(path: str | os.PathLike[str]) -> int:
    """Size in bytes of a plain file that is not empty.

    Raises
    ------
    FileFormatError
        If it is missing, a folder, a device or pipe, empty, or has no name.
    """
    source = named(path)
    try:
        status = source.stat()
    except FileNotFoundError:
        raise FileFormatError(f"There is no such file: {source}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"Cannot look at the file ({reason}): {source}") from error
    if stat.S_ISDIR(status.st_mode):
        raise FileFormatError(f"This is a folder; give a file inside it: {source}")
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError(f"This is a device or pipe; save it as a file first: {source}")
    if status.st_size == 0:
        raise FileFormatError(f"The file is empty; export or download it again: {source}")
    return status.st_size


def inside(folder: str | os.PathLike[str], name: str, source: str | os.PathLike[str]) -> Path:
    """The path of what another file names; it lies in a folder or below, wherever links lead.

    Parameters
    ----------
    folder
        Where the name begins.
    name
        As the other file says it. Whether there is such a file is not looked at.
    source
        The other file, which the error names.

    Raises
    ------
    FileFormatError
        If the name is empty, none that a file can have, leads out of the folder, or is a link that
        leads to itself.
    """
    if not name:
        raise FileFormatError(f"It names a file by an empty text; give its name: {source}")
    try:
        possible = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise FileFormatError(f"No file can have the name {quoted(name)}: {source}")
    path = Path(folder) / name
    # Unlike Path.resolve, this does not raise where links go round in a circle.
    end = os.path.realpath(path)
    if not Path(end).is_relative_to(os.path.realpath(folder)):
        if Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder)):
            raise FileFormatError(
                f"{quoted(name)} is a link that leads outside the capture's folder; put the file "
                f"itself there: {source}"
            )
        raise FileFormatError(
            f"The file {quoted(name)} lies outside the capture's folder; put it inside: {source}"
        )
    if os.path.islink(end):
        raise FileFormatError(
            f"{quoted(name)} is a link that leads to itself; put the file itself there: {source}"
        )
    return path


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors of the system, and lack of memory, into a `FileFormatError` naming `path`."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EINVAL:  # a place before the file's start was asked for
            raise FileFormatError(
                f"The archive is damaged or cut short; export or download it again: {path}"
            ) from error
        reason = error.strerror or error
        raise FileFormatError(f"Cannot read the file ({reason}): {path}") from error
    except MemoryError as error:
        raise FileFormatError(f"There is not enough memory to read the file: {path}") from error


def read_into(
    file: io.FileIO | BinaryIO, array: NDArray[Any], path: str | os.PathLike[str]
) -> None:
    """Fill a contiguous array with the file's next bytes.

    Raises
    ------
    FileFormatError
        If the file ends before the array is full.
    """
    view = array.view(np.uint8).reshape(-1).data
    done = 0
    while done < len(view):
        # One call may return less than asked for: Linux stops at 2 GiB.
        got = file.readinto(view[done:])  # type: ignore[union-attr]
        if not got:
            raise FileFormatError(f"The file ends too early; export or download it again: {path}")
        done += got


def write_all(file: io.FileIO, array: NDArray[Any]) -> None:
    """Write all bytes of a contiguous array to an unbuffered file."""
    view = array.view(np.uint8).reshape(-1).data
    done = 0
    while done < len(view):
        done += file.write(view[done:])
