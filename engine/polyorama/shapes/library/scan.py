"""Walking watched folders: what is there, by a look at dates and sizes alone."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.text import one_line
from polyorama.errors import FileFormatError
from polyorama.io.files import reading
from polyorama.shapes.library.asset import Failure
from polyorama.shapes.library.notes import LICENCE_NAME, MANIFEST
from polyorama.shapes.load import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Scan", "content_of", "scan", "stamp_of"]

_BLOCK = 1 << 20
_MOST_DEPTH = 100
_ABSENT = (-1, -1)


@dataclass(slots=True)
class Scan:
    """What walks found.

    Parameters
    ----------
    models
        Path and the watched folder it was found in, sorted.
    looks
        (bytes, mtime in ns) of every file that was passed.
    notes
        Manifest and licence files of each folder, by the folder's path.
    failures
        Folders that cannot be read; what the library knows below them stays.
    """

    models: list[tuple[str, str]] = field(default_factory=list)
    looks: dict[str, tuple[int, int]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def look(self, path: str) -> tuple[int, int]:
        """Bytes and date of a file, asked of the system once; (-1, -1) where it is missing."""
        known = self.looks.get(path)
        if known is None:
            known = self.looks[path] = _look(path)
        return known

    def notes_for(self, path: str, root: str) -> list[str]:
        """The files that say something about a model: its folder's manifest, the next licence."""
        folder = os.path.dirname(path)
        found = [
            note for note in self.notes.get(folder, []) if os.path.basename(note) == MANIFEST
        ]  # fmt: skip
        while True:
            licences = [n for n in self.notes.get(folder, []) if os.path.basename(n) != MANIFEST]
            if licences:
                return [*found, *licences]
            parent = os.path.dirname(folder)
            if folder == root or parent == folder:
                return found
            folder = parent

    def hides(self, path: str) -> bool:
        """Whether a path lies in a folder that could not be read, so that nothing is known."""
        return any(
            path.startswith(os.path.join(os.fspath(failure.path), "")) for failure in self.failures
        )


def scan(roots: Iterable[str]) -> Iterator[Scan]:
    """Walk folders; yields the same growing `Scan` after each folder, whole at the end.

    Links to folders are followed, each folder is entered once; hidden ones are passed by.

    Parameters
    ----------
    roots
        Absolute paths.
    """
    found = Scan()
    entered: set[tuple[int, int]] = set()
    for root in roots:
        waiting = [(root, 0)]
        while waiting:
            folder, depth = waiting.pop()
            try:
                status = os.stat(folder)
                if not stat.S_ISDIR(status.st_mode):
                    raise NotADirectoryError(20, "this is no folder")
                # Windows has no numbers for some drives: 0 is no folder's number.
                if status.st_ino and (status.st_dev, status.st_ino) in entered:
                    continue
                entered.add((status.st_dev, status.st_ino))
                below = _read(folder, root, found)
            except OSError as error:
                found.failures.append(
                    Failure(Path(folder), f"The folder cannot be read ({error.strerror or error}).")
                )
                continue
            if depth < _MOST_DEPTH:
                waiting += [(name, depth + 1) for name in sorted(below, reverse=True)]
            yield found
    found.models.sort()
    yield found


def _read(folder: str, root: str, found: Scan) -> list[str]:
    """Note the files of one folder; returns the folders in it."""
    below: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir():
                    below.append(entry.path)
                    continue
                status = entry.stat()
            except OSError:  # a link to nothing, or gone this moment
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            found.looks[entry.path] = (status.st_size, status.st_mtime_ns)
            if entry.name == MANIFEST or LICENCE_NAME.match(entry.name):
                found.notes.setdefault(folder, []).append(entry.path)
            elif os.path.splitext(entry.name)[1].lower() in ENDINGS:
                found.models.append((entry.path, root))
    return below


def stamp_of(found: Scan, path: str, others: Iterable[str]) -> str:
    """What changes whenever a file, or another that matters to it, does: sizes and dates."""
    digest = hashlib.blake2b(digest_size=16)
    for name in (path, *sorted(others)):
        digest.update(os.fsencode(name) + b"\0%d %d\n" % found.look(name))
    return digest.hexdigest()


def content_of(path: Path, dependencies: Sequence[Path]) -> str:
    """Hash of a file and of what it reads, by their contents and the names it knows those by.

    Raises
    ------
    FileFormatError
        If the file cannot be read. Of dependencies, that they are missing is part of the hash.
    """
    digest = hashlib.blake2b(digest_size=16)
    with reading(path):
        _feed(digest, path)
    folder = path.parent
    for other in sorted(dependencies):
        digest.update(b"\0" + os.fsencode(os.path.relpath(other, folder)) + b"\0")
        try:
            _feed(digest, other)
        except OSError as error:
            digest.update(f"{error.errno}".encode())
    return digest.hexdigest()


def _feed(digest: hashlib.blake2b, path: Path) -> None:
    if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
        raise FileFormatError(f"This is no plain file: {one_line(str(path))}")
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)


def _look(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return _ABSENT
    return (status.st_size, status.st_mtime_ns)
