"""Whole files or none: write to a temporary name beside the target, then rename."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["atomic_write"]


@contextlib.contextmanager
def atomic_write(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the target's folder; move it onto the target when all went well.

    The temporary file is flushed to disk first; on any exception it is removed, so nothing
    half-written stays. Errors of the system become an `OutputError` that names the target.

    Raises
    ------
    OutputError
        If the folder is missing or not writable, or the disk is full.
    """
    path = Path(target)
    if path.is_dir():
        raise OutputError(f"Cannot write, because this is a folder: {path}")
    try:
        # The suffix stays, since encoders choose their container by it.
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem[:100]}-", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        raise OutputError(f"Cannot write here ({error.strerror}): {path}") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"Cannot write ({error.strerror or error}): {path}") from error
    finally:
        temporary.unlink(missing_ok=True)
