"""Recovery: what journals hold that were not closed, and documents made of them."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import sys
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from polyorama.errors import FileFormatError, OutputError, PolyoramaError
from polyorama.io.journal import FORMAT, LOCK, LOG, state_folder
from polyorama.io.journal_blobs import JOURNAL_MARK, ReadContents
from polyorama.io.links import is_remote
from polyorama.io.lock import only_one
from polyorama.scene.codec import CodecError, decode, encode
from polyorama.scene.document import Document, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Recovery", "open_elsewhere", "recoverable"]

log = logging.getLogger(__name__)

_HEAD = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8}) ")
_BUSY = "Another Polyorama holds this journal."
_END_OF_TIME = 253402300800  # s, where the calendar of Python ends
_LONGEST = 200
"""Letters of a title."""
_MOST_TRIES = 1000


@dataclass(frozen=True, slots=True)
class Recovery:
    """Work that was not saved when its program ended.

    Parameters
    ----------
    path
        The project, or None where it had not been saved yet.
    time
        When the last step was written down.
    steps
        How many steps came after the last saving.
    title
        The last step, as the history shows it.
    folder
        The journal.
    """

    path: Path | None
    time: datetime
    steps: int
    title: str
    folder: Path
    note: Path | None = None

    def recover(self) -> Document:
        """The document after the last step that is whole.

        Raises
        ------
        FileFormatError
            If not even the document that the journal began with can be read.
        OutputError
            If another process is at it.
        """
        with only_one(self.folder / LOCK, _BUSY):
            return _recovered(self.folder)

    def discard(self) -> None:
        """Remove the journal for good.

        Raises
        ------
        OutputError
            If another process is at it.
        """
        if not self.folder.is_dir():
            _forget(self.note)
            return
        with only_one(self.folder / LOCK, _BUSY):
            _remove(self.folder, self.note)


def recoverable(*projects: str | os.PathLike[str]) -> list[Recovery]:
    """All that can be recovered, the latest first; journals in use and without news are left out.

    Parameters
    ----------
    *projects
        Projects beside which to look too: they may have come from another machine.
    """
    found = []
    for folder, note in _folders(projects):
        try:
            if not folder.is_dir():
                if folder.parent.is_dir():  # else it lies on a disk that is not there now
                    _forget(note)
                continue
            with only_one(folder / LOCK, _BUSY):
                recovery = _summary(folder, note)
                if recovery is None:
                    _remove(folder, note)
                else:
                    found.append(recovery)
        except OutputError:
            continue  # in use
        except Exception as error:  # noqa: BLE001 - whatever one holds, the others are offered
            log.warning("A journal cannot be read (%s); it was left there: %s", error, folder)
    return sorted(found, key=lambda recovery: recovery.time, reverse=True)


def open_elsewhere(path: str | os.PathLike[str]) -> bool:
    """Whether a journal of a project is being written: it is open in this or another program."""
    for folder in _beside(Path(os.path.abspath(path))):
        try:
            with only_one(folder / LOCK, _BUSY):
                pass
        except OutputError:
            return True
    return False


def _folders(projects: Sequence[str | os.PathLike[str]]) -> Iterator[tuple[Path, Path | None]]:
    home = state_folder()
    seen: set[Path] = set()
    with contextlib.suppress(OSError):
        for path in sorted(home.iterdir()):
            if JOURNAL_MARK in path.name:
                yield path, None
            elif path.suffix == ".json":
                folder = _noted(path)
                if folder is not None:
                    seen.add(folder)
                    yield folder, path
    for project in projects:
        for folder in _beside(Path(os.path.abspath(project))):
            if folder not in seen:
                yield folder, None


def _beside(project: Path) -> list[Path]:
    start = f".{project.name[:100]}{JOURNAL_MARK}"
    with contextlib.suppress(OSError):
        return sorted(p for p in project.parent.iterdir() if p.name.startswith(start))
    return []


def _noted(note: Path) -> Path | None:
    try:
        folder = json.loads(note.read_text(encoding="utf-8"))["folder"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # Whatever a note says, nothing but journals is ever removed.
    if not isinstance(folder, str) or JOURNAL_MARK not in os.path.basename(folder):
        return None
    return Path(folder)


def _forget(note: Path | None) -> None:
    if note is not None:
        with contextlib.suppress(OSError):
            note.unlink(missing_ok=True)


def _remove(folder: Path, note: Path | None) -> None:
    with contextlib.suppress(OSError):
        (folder / LOG).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    _forget(note)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of a log, up to the first that is not whole.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    left = path.stat().st_size
    with path.open("rb") as file:
        while True:
            head = _HEAD.fullmatch(file.read(18))
            if head is None:
                return
            length = int(head[1], 16)
            left -= 18 + length + 1
            if left < 0:
                return
            data = file.read(length + 1)
            if data[-1:] != b"\n" or zlib.crc32(data[:-1]) != int(head[2], 16):
                return
            try:
                entry = json.loads(data)
            except (ValueError, RecursionError):
                return
            if isinstance(entry, dict):
                yield entry


def _summary(folder: Path, note: Path | None) -> Recovery | None:
    """What a journal is about; None where it holds no more than the project does.

    Raises
    ------
    FileFormatError
        If it is damaged at its very beginning, or a newer version wrote it.
    OSError
        If it cannot be read.
    """
    head: dict[str, Any] | None = None
    steps, title, when, changed = 0, "", 0.0, False
    if not (folder / LOG).exists() or not (folder / LOG).stat().st_size:
        return None
    for entry in _lines(folder / LOG):
        if head is None:
            head = _checked_head(entry, folder)
        else:
            changed = changed or "patch" in entry
        more, latest, told = entry.get("steps"), entry.get("time"), entry.get("title")
        steps += int(more) if _is_number(more) and 0 <= more < 1 << 32 else 0
        when = latest if _is_number(latest) and 0 <= latest < _END_OF_TIME else when
        title = told if isinstance(told, str) else title
    if head is None:
        raise FileFormatError("its beginning is damaged")
    project = Path(head["project"]) if head.get("project") else None
    gone = project is not None and not is_remote(str(project)) and not project.exists()
    if not changed and not head.get("unsaved") and not gone:
        return None
    time = datetime.fromtimestamp(when, UTC)
    return Recovery(project, time, steps, title[:_LONGEST], folder, note)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _checked_head(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The first line of a journal, once it is sure that it is one."""
    version, project = entry.get("format"), entry.get("project")
    if entry.get("polyorama") != "journal" or not _is_number(version):
        raise FileFormatError(f"This is no journal: {folder}")
    if version > FORMAT:
        raise FileFormatError(f"A newer version wrote this journal; update Polyorama: {folder}")
    if project is not None and (not isinstance(project, str) or "\0" in project):
        raise FileFormatError(f"This journal belongs to no project: {folder}")
    return entry


@dataclass
class _Folded:
    """Lines laid over each other, still as JSON: only what is left at the end is decoded.

    `set_by` tells the number of the line that said a field, or a node's, last.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)
    contents: dict[str, Any] = field(default_factory=dict)
    set_by: dict[str, int] = field(default_factory=dict)

    lines: int = 0

    def lay(self, entry: dict[str, Any]) -> None:
        """Lay the next line over what there is."""
        number = self.lines
        self.files |= entry.get("files", {})
        self.contents |= entry.get("contents", {})
        for name, digest in entry.get("hashes", {}).items():
            self.files[name] = self.files[name] | {"sha256": digest}
        patch = entry.get("patch")
        if patch is None:
            return
        self.fields |= patch["fields"]
        self.set_by |= {f"/{name}": number for name in patch["fields"]}
        for node_id in patch["removed"]:
            self.nodes.pop(node_id, None)
        for node in patch["added"]:
            self.nodes[node["id"]] = node
            self.set_by |= {f"{node['id']}/{name}": number for name in node}
        for node_id, changes in patch["nodes"].items():
            self.nodes[node_id] = self.nodes[node_id] | changes
            self.set_by |= {f"{node_id}/{name}": number for name in changes}
        if patch["order"] is not None:
            self.nodes = {node_id: self.nodes[node_id] for node_id in patch["order"]}


class _DamagedError(Exception):
    """What lines come to cannot be decoded; `first` of them are to be tried next."""

    def __init__(self, first: int, why: object) -> None:
        super().__init__(str(why))
        self.first = first


_WRONG = (
    PolyoramaError, CodecError, KeyError, TypeError, AttributeError, ValueError, OverflowError,
    RecursionError, IndexError,
)  # fmt: skip
"""What decoding data raises that does not fit together."""


def _recovered(folder: Path) -> Document:
    """The document of as many lines of a journal as fit together.

    A value that is damaged is so after every line from that which said it on: the lines before
    that are tried next.
    """
    end, tries = sys.maxsize, 0
    while end > 0 and tries < _MOST_TRIES:
        tries += 1
        try:
            folded = _folded(folder, end)
            end = min(end, folded.lines)
            return _built(folder, folded)
        except _DamagedError as error:
            end = min(end - 1, error.first)
            log.warning("A step of the journal is damaged (%s): %s", error, folder)
        except OSError as error:
            raise FileFormatError(f"Cannot read ({error.strerror}): {folder / LOG}") from error
    raise FileFormatError(f"This journal holds nothing that can be recovered: {folder}")


def _folded(folder: Path, end: int) -> _Folded:
    """The first lines of a log laid over each other, at most `end` of them."""
    folded = _Folded()
    for entry in islice(_lines(folder / LOG), end):
        if not folded.lines:
            _checked_head(entry, folder)
        try:
            folded.lay(entry)
        except _WRONG as error:
            raise _DamagedError(folded.lines, f"it does not fit together: {error}") from error
        folded.lines += 1
    if not folded.lines:
        raise FileFormatError(f"This journal holds nothing that can be recovered: {folder}")
    return folded


def _built(folder: Path, folded: _Folded) -> Document:
    """The document that lines come to."""
    blobs = ReadContents(folder, folded.files, folded.contents)
    values: dict[str, Any] = {}
    nodes: list[Node] = []
    for name, entry in folded.fields.items():
        try:
            values[name] = decode(entry, blobs)
        except _WRONG as error:
            raise _DamagedError(folded.set_by[f"/{name}"], error) from error
    for node_id, entry in folded.nodes.items():
        try:
            nodes.append(_node(entry, blobs))
        except _WRONG as error:
            raise _DamagedError(_to_blame(folded, node_id, blobs), error) from error
    try:
        lost = {node.id for node in nodes if node.missing}
        if lost and "selection" in values:
            kept = {i: bits for i, bits in values["selection"].items() if i not in lost}
            values["selection"] = kept
        return Document(tuple(nodes), **values)
    except _WRONG as error:
        raise _DamagedError(folded.lines - 1, f"it does not fit together: {error}") from error


def _to_blame(folded: _Folded, node_id: str, blobs: ReadContents) -> int:
    """The line from which on a node is damaged."""
    entry = folded.nodes[node_id]
    said = {name: folded.set_by[f"{node_id}/{name}"] for name in entry}
    wrong = []
    for name, value in entry.items():
        try:
            decode(value, blobs)
        except _WRONG:
            wrong.append(said[name])
    return min(wrong) if wrong else max(said.values())


def _node(entry: dict[str, Any], blobs: ReadContents) -> Node:
    """A node; one whose file is lost stays, without its content, and can be relinked."""
    held = entry.get("content")
    if isinstance(held, dict) and held.get("type") == "blob":
        try:
            blobs.get(held["key"])
        except CodecError as error:
            source = blobs.source(held["key"])
            if source is None:
                raise
            log.warning("The content of %r is lost: %s", entry.get("name"), error)
            entry = entry | {"content": None, "source": encode(source)}
    node = decode(entry, blobs)
    if not isinstance(node, Node):
        raise CodecError("a node is of a wrong kind")
    return node
