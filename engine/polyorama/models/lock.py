"""One at a time: whoever gets a model holds a lock, and others wait for it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, BinaryIO

from polyorama.core.jobs import Progress
from polyorama.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.core.jobs import Job

__all__ = ["locked"]

_PAUSE_S = 0.1
"""Between two looks whether the lock is free."""


def locked(path: Path) -> Job[BinaryIO]:
    """Wait for a lock and take it, as a job; closing the file that is returned lets go of it.

    The system lets go of it, too, when its owner dies. The file itself stays.

    Raises
    ------
    OutputError
        If it cannot be written there.
    """
    try:
        file = path.open("ab")
    except OSError as error:
        raise OutputError(f"Cannot write here ({error.strerror}): {path}") from error
    try:
        while not _take(file):
            yield Progress(0, 0, "Waiting for another program that gets it")
            time.sleep(_PAUSE_S)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError):
            raise OutputError(f"Cannot lock the file ({error.strerror}): {path}") from error
        raise
    return file


def _take(file: BinaryIO) -> bool:
    """Lock it, or tell that someone else holds it."""
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except PermissionError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
