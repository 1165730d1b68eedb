"""Recovery: what journals hold that were not closed, and documents made of them."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError, OutputError, PolyoramaError
from polyorama.io.journal import FORMAT, LOCK, LOG, state_folder
from polyorama.io.journal_blobs import JOURNAL_MARK, ReadContents
from polyorama.io.lock import only_one
from polyorama.scene.codec import CodecError, decode, encode
from polyorama.scene.document import Document, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Recovery", "open_elsewhere", "recoverable"]

log = logging.getLogger(__name__)

_HEAD = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8}) ")
_BUSY = "Another Polyorama holds this journal."


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
            lines = list(_lines(self.folder / LOG))
            for end in range(len(lines), 0, -1):
                try:
                    document = _built(self.folder, lines[:end])
                except CodecError as error:
                    log.warning("A step of the journal is damaged (%s): %s", error, self.folder)
                    continue
                return document
        raise FileFormatError(f"This journal holds nothing that can be recovered: {self.folder}")

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
        if not folder.is_dir():
            _forget(note)
            continue
        with contextlib.suppress(OutputError, OSError), only_one(folder / LOCK, _BUSY):
            recovery = _summary(folder, note)
            if recovery is None:
                _remove(folder, note)
            else:
                found.append(recovery)
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
    """The entries of a log, up to the first that is not whole."""
    try:
        left = path.stat().st_size
        file = path.open("rb")
    except OSError:
        return
    with file:
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
            entry = json.loads(data)
            if isinstance(entry, dict):
                yield entry


def _summary(folder: Path, note: Path | None) -> Recovery | None:
    """What a journal is about; None where it holds no more than the project does."""
    head: dict[str, Any] | None = None
    steps, title, when, changed = 0, "", 0.0, False
    for entry in _lines(folder / LOG):
        if head is None:
            head = entry
        else:
            changed = changed or "patch" in entry
        steps += entry.get("steps", 0)
        title = entry.get("title", title)
        when = entry.get("time", when)
    if head is None or head.get("polyorama") != "journal":
        return None
    project = Path(head["project"]) if head.get("project") else None
    gone = project is not None and not project.exists()
    if not changed and not head.get("unsaved") and not gone:
        return None
    return Recovery(project, datetime.fromtimestamp(when, UTC), steps, title, folder, note)


@dataclass
class _Folded:
    """Lines laid over each other, still as JSON: only what is left at the end is decoded."""

    fields: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)
    contents: dict[str, Any] = field(default_factory=dict)

    def lay(self, entry: dict[str, Any]) -> None:
        self.files |= entry.get("files", {})
        self.contents |= entry.get("contents", {})
        for name, digest in entry.get("hashes", {}).items():
            self.files[name] = self.files[name] | {"sha256": digest}
        patch = entry.get("patch")
        if patch is None:
            return
        self.fields |= patch["fields"]
        for node_id in patch["removed"]:
            self.nodes.pop(node_id, None)
        for node in patch["added"]:
            self.nodes[node["id"]] = node
        for node_id, changes in patch["nodes"].items():
            self.nodes[node_id] = self.nodes[node_id] | changes
        if patch["order"] is not None:
            self.nodes = {node_id: self.nodes[node_id] for node_id in patch["order"]}


def _built(folder: Path, lines: Sequence[dict[str, Any]]) -> Document:
    """The document of some lines; `CodecError` where one of them is damaged."""
    if lines[0].get("polyorama") != "journal" or lines[0].get("format", 0) > FORMAT:
        raise FileFormatError(f"A newer version wrote this journal; update Polyorama: {folder}")
    folded = _Folded()
    try:
        for entry in lines:
            folded.lay(entry)
        blobs = ReadContents(folder, folded.files, folded.contents)
        nodes = tuple(_node(entry, blobs) for entry in folded.nodes.values())
        values = {name: decode(entry, blobs) for name, entry in folded.fields.items()}
        lost = {node.id for node in nodes if node.missing}
        if lost and "selection" in values:
            kept = {i: bits for i, bits in values["selection"].items() if i not in lost}
            values["selection"] = kept
        return Document(nodes, **values)
    except PolyoramaError as error:
        raise CodecError(str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CodecError(f"it does not fit together: {error}") from error


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
