"""Linked files: contents that a project names and does not hold, and how they are found again."""

from __future__ import annotations

import hashlib
import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import FileFormatError, PolyoramaError, UsageError
from polyorama.io.audio import AUDIO_ENDINGS, read_audio
from polyorama.io.files import file_size, reading
from polyorama.io.formats import read_splats
from polyorama.io.mesh import holds_mesh, read_mesh
from polyorama.io.origins import remember, stamp_of
from polyorama.scene.document import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.io.content_npz import Heavy
    from polyorama.scene.contents import Audio
    from polyorama.scene.document import Document

__all__ = [
    "find_file", "is_it", "is_remote", "read_content", "read_linked", "read_sound", "relink",
    "sha256_of", "source_of",
]  # fmt: skip

log = logging.getLogger(__name__)

_MOST_FILES = 20_000
"""Files that a search looks at; it is to end on a whole disk too."""
_DEEPEST = 6
_MOST_HASHED = 16 << 30
"""Bytes that a search reads."""


def read_content(path: str | os.PathLike[str]) -> Heavy:
    """Read a capture, a mesh or a sound as what it is.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or of no known kind.
    """
    source = Path(path)
    if source.suffix.lower() in AUDIO_ENDINGS:
        return read_sound(source)
    if not source.is_dir() and holds_mesh(source):
        return read_mesh(source)
    return read_splats(source / "meta.json" if source.is_dir() else source)


def read_sound(path: Path) -> Audio:
    """Read a sound; where it came from is remembered.

    Raises
    ------
    FileFormatError
        As `read_audio`.
    """
    stamp = stamp_of(path)
    audio = read_audio(path)
    remember(audio, stamp)
    return audio


def sha256_of(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file's bytes, in hexadecimal.

    Raises
    ------
    FileFormatError
        If it is missing, empty or cannot be read.
    """
    file_size(path)
    with reading(path), Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_of(path: str | os.PathLike[str], *, linked: bool = False) -> Source:
    """What is kept of a file that a content was read from: its path, hash and size.

    Raises
    ------
    FileFormatError
        As `sha256_of`.
    """
    place = Path(path)
    if place.is_dir():
        place = place / "meta.json"
    return Source(os.path.abspath(place), sha256_of(place), file_size(place), linked)


def is_remote(path: str) -> bool:
    """Whether a path leads to another machine: what a file says is not asked of the network."""
    return path.startswith(("\\\\", "//"))


def read_linked(
    source: Source, folder: Path, name: str, count: int | None
) -> tuple[Heavy | None, Source]:
    """The content of a linked file, and its source with the path where it was found.

    A file that is not where it was, or has changed, is searched in the project's folder by size and
    hash. Where it is not found, there is no content, and a warning says so.

    Parameters
    ----------
    source
        As the project keeps it; `path` may be relative to `folder`.
    folder
        The project's.
    name
        What the node is called.
    count
        How many splats the node's sets are over, or None where it has none.
    """
    path = os.path.normpath(os.path.join(folder, source.path))
    known = replace(source, path=path)
    if is_remote(path):
        log.warning("A file on another machine is not opened: %s", path)
        return None, known
    changed = False
    if not is_it(Path(path), source):
        found = find_file(folder, source)
        if found is not None:
            path = str(found)
        elif os.path.isfile(path):
            changed = True
        else:
            log.warning("The linked file of %r is missing; relink it: %s", name, path)
            return None, known
    try:
        content = read_content(path)
    except PolyoramaError as error:
        log.warning("The linked file of %r cannot be read: %s", name, error)
        return None, known
    if not changed:
        return content, replace(known, path=path)
    if count is not None and count != len(getattr(content, "means", ())):
        log.warning(
            "The linked file of %r changed, and the edits do not fit it any more; put the old file "
            "back or relink it: %s", name, path,
        )  # fmt: skip
        return None, known
    log.warning("The linked file of %r changed; it is taken as it is now: %s", name, path)
    return content, source_of(path, linked=True)


def is_it(path: Path, source: Source) -> bool:
    """Whether a file has the size and the hash of a source; what was not taken is not compared."""
    try:
        if not path.is_file() or (source.size and path.stat().st_size != source.size):
            return False
        return not source.sha256 or sha256_of(path) == source.sha256
    except (OSError, FileFormatError):
        return False


def find_file(folder: Path, source: Source) -> Path | None:
    """The file of a source below a folder, known again by size and hash; None if it is not there.

    The search is bounded: 6 folders deep, 20,000 files, links to folders are not followed.
    """
    if not source.size or not source.sha256:
        return None
    budget = _MOST_HASHED
    named: list[Path] = []
    others: list[Path] = []
    for path in _files_of_size(folder, source.size):
        same = path.name == source.path.replace("\\", "/").rsplit("/", 1)[-1]
        (named if same else others).append(path)
    for path in (*named, *others):
        budget -= source.size
        if budget < 0:
            log.warning("The search ended before all files were looked at: %s", folder)
            return None
        if is_it(path, source):
            return path
    return None


def _files_of_size(folder: Path, size: int) -> Iterator[Path]:
    """Plain files of a size, in the order of their paths."""
    seen = 0
    queue = [(folder, 0)]
    while queue:
        place, depth = queue.pop(0)
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > _MOST_FILES:
                log.warning("The search ended before all files were looked at: %s", folder)
                return
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < _DEEPEST:
                        queue.append((Path(entry.path), depth + 1))
                elif entry.is_file() and entry.stat().st_size == size:
                    yield Path(entry.path)
            except OSError:
                continue


def relink(document: Document, node: str, path: str | os.PathLike[str]) -> Document:
    """The document with a node's content read from another file; edits stay.

    Parameters
    ----------
    document
        What is edited.
    node
        Name or id of a node that came from a file.
    path
        Where that file is now, or another one that takes its place.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    UsageError
        If the node did not come from a file, or the file does not fit the edits of the node.
    """
    old = document.node(node)
    if old.source is None:
        raise UsageError(f"Node {old.name!r} did not come from a file; there is none to relink.")
    content = read_content(path)
    if old.content is not None and type(content) is not type(old.content):
        raise UsageError(f"Node {old.name!r} holds something else than this file: {path}")
    fresh = source_of(path, linked=old.source.linked)
    return document.replaced(replace(old, content=content, source=fresh))
