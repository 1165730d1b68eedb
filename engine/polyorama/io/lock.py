"""One process at a time: a locked file that the system lets go of when its owner dies."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from polyorama.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["only_one"]


@contextlib.contextmanager
def only_one(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Hold a lock file as long as the block runs; it is removed afterwards.

    Parameters
    ----------
    path
        The lock file; its folder must exist.
    what
        What to say where another process holds it.

    Raises
    ------
    OutputError
        If another process, or another thread of this one, holds it, or the system refuses.
    """
    target = Path(path)
    file = _take(target, what)
    try:
        yield
    finally:
        # Removed while it is held, so that nobody else can have taken it; Windows wants it closed.
        with contextlib.suppress(OSError):
            target.unlink(missing_ok=True)
        file.close()
        with contextlib.suppress(OSError):
            if os.name == "nt":
                target.unlink(missing_ok=True)


def _take(target: Path, what: str) -> BinaryIO:
    while True:
        try:
            file = target.open("ab")
        except OSError as error:
            raise OutputError(f"Cannot write here ({error.strerror}): {target}") from error
        try:
            _lock(file)
            # Its last owner may have removed it between our opening and our locking it.
            if os.path.exists(target) and os.path.samestat(os.fstat(file.fileno()), target.stat()):
                return file
        except BlockingIOError as error:
            file.close()
            raise OutputError(what) from error
        except FileNotFoundError:
            pass
        except OSError as error:
            file.close()
            raise OutputError(f"Cannot lock the file ({error.strerror}): {target}") from error
        file.close()


def _lock(file: BinaryIO) -> None:
    """Lock or raise `BlockingIOError`."""
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
        return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
