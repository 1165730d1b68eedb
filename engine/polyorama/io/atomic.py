"""Whole files or none: write to a temporary name beside the target, then rename."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.arguments import check_path
from polyorama.core.text import one_line
from polyorama.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["atomic_write", "atomic_write_all", "check_target"]


def _read_umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


# Read once, while nothing else runs yet: it can only be read by setting it, for all threads.
_NEW_FILE = 0o666 & ~_read_umask()


@contextlib.contextmanager
def atomic_write(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the target's folder; move it onto the target when all went well.

    The temporary file is flushed to disk first; on any exception it is removed, so nothing
    half-written stays. A target that exists keeps its permissions, and where it is a link, the
    file that it leads to is replaced. Errors of the system become an `OutputError` that names the
    target.

    Raises
    ------
    OutputError
        If the folder is missing or not writable, or the disk is full.
    """
    with atomic_write_all([target]) as (temporary,):
        yield temporary


@contextlib.contextmanager
def atomic_write_all(targets: Sequence[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """As `atomic_write`, for files that belong together: all are replaced at the end, or none.

    They are moved in the order given, so the one that names the others comes last. Only if the
    system fails between two moves are some new and some old.

    Raises
    ------
    OutputError
        As `atomic_write`.
    """
    temporaries: list[Path] = []
    try:
        for target in targets:
            check_path(target)
        ends = [_checked(Path(target)) for target in targets]
        for target, end in zip(targets, ends, strict=True):
            with _naming(target, "Cannot write here"):
                # The suffix stays, since encoders choose their container by it.
                handle, name = tempfile.mkstemp(
                    prefix=_prefix(end), suffix=end.suffix, dir=end.parent
                )
                temporaries.append(Path(name))
                os.close(handle)
        with _naming(targets[-1], "Cannot write"):
            yield temporaries
        for target, end, temporary in zip(targets, ends, temporaries, strict=True):
            with _naming(target, "Cannot write"):
                with temporary.open("rb+") as file:
                    os.fsync(file.fileno())
                temporary.chmod(_mode(end))
        for target, end, temporary in zip(targets, ends, temporaries, strict=True):
            with _naming(target, "Cannot write"):
                temporary.replace(end)
    finally:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)


def check_target(target: str | os.PathLike[str]) -> None:
    """Find out before long work whether a file can be written there, as far as that can be known.

    Raises
    ------
    OutputError
        If it is a folder, its folder is missing or may not be written to, or its name is empty or
        too long.
    """
    check_path(target)
    path = Path(target)
    if not os.fspath(target):
        raise OutputError("Cannot write to a file without a name; say where to.")
    end = _checked(path)
    try:
        os.lstat(end)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise OutputError(f"Cannot write here ({error.strerror}): {path}") from error
    if not os.path.isdir(end.parent):
        raise OutputError(f"Cannot write, because its folder does not exist: {path}")
    if not os.access(end.parent, os.W_OK):
        raise OutputError(f"Cannot write, because its folder is read-only for you: {path}")


def _checked(target: Path) -> Path:
    """The file that will be replaced: `target`, or what it is a link to."""
    if "\0" in os.fspath(target):
        raise OutputError(
            f"Cannot write, because no name holds a zero byte: {one_line(str(target))}"
        )
    # Unlike those of Path, these never raise.
    if os.path.isdir(target):
        raise OutputError(f"Cannot write, because this is a folder: {target}")
    return Path(os.path.realpath(target)) if os.path.islink(target) else target


def _prefix(end: Path) -> str:
    # A name may have 255 bytes, and letters up to four each.
    stem = os.fsencode(end.stem)[:100].decode("utf-8", "ignore")
    return f".{stem}-"


def _mode(end: Path) -> int:
    try:
        return stat.S_IMODE(end.stat().st_mode)
    except FileNotFoundError:
        return _NEW_FILE


@contextlib.contextmanager
def _naming(target: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn an error of the system into one that names the target."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{what} ({_reason(error)}): {target}") from error


def _reason(error: OSError) -> str:
    """Why the system refused, in words that say what to do."""
    if error.errno == errno.EFBIG:
        return "files may not become this large here"
    # Encoders pass on the system's words without its number.
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in str(error):
        return "the disk is full"
    return error.strerror or str(error)
