"""Projects: a document as one `.poly` file.

A project is a zip, or a folder with the same members::

    document.json         nodes, view, timeline, edit stacks; "format" is an integer
    data/<node id>.npz    one file a cloud, mesh or sound: natural-form arrays, bit for bit
    data/set-<n>.bits     one file a large set of splats
    data/part-<n>.part.npz  one file a rig, a performance or a sound of a face
    thumb.png             a small picture, where there is one

`.npz` loses nothing. Small samples may keep their clouds in a splat format instead (`spz`, `sog`,
`ply`, ...), as lossy as that format is. Linked nodes keep the path of their file alone.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama import __version__
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.content_npz import EPOCH, Heavy, Part, read_npz, write_npz
from polyorama.io.formats import PROJECT_ENDING, find_format, read_splats, write_splats
from polyorama.io.links import read_linked, source_of
from polyorama.io.origins import remember, stamp_of, whole_origin
from polyorama.io.project_blobs import ReadParts, WrittenParts
from polyorama.io.project_json import FORMAT, NodeEntry, document_entries, parse_document
from polyorama.io.project_members import FolderMembers, Members, ZipMembers
from polyorama.scene.codec import CodecError
from polyorama.scene.document import Document, Node, Source
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO

__all__ = [
    "FORMAT",
    "holds_project",
    "read_member",
    "read_project",
    "read_thumbnail",
    "write_project",
]

log = logging.getLogger(__name__)

_MAX_JSON = 256 << 20
_MAX_THUMBNAIL = 16 << 20
_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"


def write_project(
    document: Document,
    path: str | os.PathLike[str],
    *,
    data_format: str = "npz",
    thumbnail: bytes | None = None,
) -> None:
    """Write a document as one `.poly` file, whole or not at all.

    A linked node keeps its file's path, relative to the project, as long as it holds just what the
    file does; once that is not so, its content is saved with the project.

    Parameters
    ----------
    document
        What is saved. Nodes that share one content share one member.
    path
        The file to write; replaced if it exists.
    data_format
        ``"npz"`` keeps every bit. An ending of a splat format that can be written, such as
        ``"spz"``, ``"sog"`` or ``"ply"``, makes smaller files with that format's losses.
    thumbnail
        Bytes of a PNG picture to store with it.

    Raises
    ------
    OutputError
        If the data format cannot be written, the thumbnail is no PNG, a value of the document has
        no place in a project, or the system refuses.
    """
    if data_format != "npz":
        entry = find_format(f"x.{data_format}")
        if entry is None or not entry.writes:
            raise OutputError(f"A project cannot keep its data as {data_format!r}: {path}")
    if thumbnail is not None and not thumbnail.startswith(_PNG_MAGIC):
        raise OutputError(f"The thumbnail must be a PNG picture: {path}")
    target = Path(path)
    sources = {n.id: _source(n, target) for n in document.nodes if n.source is not None}
    linked = {node_id for node_id, source in sources.items() if source.linked}
    members = _member_names(document, data_format, linked)
    parts = WrittenParts()
    text = _text(document, members, sources, parts, target)
    with atomic_write(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        # What hardly holds anything is not packed: readers refuse what unpacks to very much more.
        packs = len(text) < 100 * len(zlib.compress(text, 1))
        method = zipfile.ZIP_DEFLATED if packs else zipfile.ZIP_STORED
        _write_bytes(archive, "document.json", text, method)
        if thumbnail is not None:
            _write_bytes(archive, "thumb.png", thumbnail, zipfile.ZIP_STORED)
        for name in parts.names():
            with archive.open(zipfile.ZipInfo(name, EPOCH), "w", force_zip64=True) as stream:
                parts.write(name, stream)
        written: set[str] = set()
        for node in document.nodes:
            member = members.get(node.id)
            if member is None or member in written or not isinstance(node.content, Heavy):
                continue
            written.add(member)
            with archive.open(zipfile.ZipInfo(member, EPOCH), "w", force_zip64=True) as stream:
                if member.endswith(".npz"):
                    write_npz(node.content, stream)
                else:
                    assert isinstance(node.content, SplatCloud)
                    _write_by_format(node.content, data_format, stream)
    if data_format == "npz":
        stamp = stamp_of(path)
        for node in document.nodes:
            if isinstance(node.content, Heavy) and node.id in members:
                remember(node.content, stamp, members[node.id])
        for name, part in parts.contents.items():
            remember(part, stamp, name)


def _text(
    document: Document,
    members: Mapping[str, str],
    sources: Mapping[str, Source],
    parts: WrittenParts,
    target: Path,
) -> bytes:
    """The bytes of `document.json`, once it is sure that they can be read."""
    try:
        entries = document_entries(document, members, sources, parts)
        root = {"format": FORMAT, "app": f"polyorama {__version__}"} | entries
        text = json.dumps(root, indent=1, allow_nan=False).encode()
        if len(text) > _MAX_JSON:
            raise OutputError(f"The project is too large to be written: {target}")
        parse_document(text, target, parts)
    except (CodecError, FileFormatError, ValueError) as error:
        reason = str(error).removesuffix(f": {target}")
        raise OutputError(f"This document cannot be saved ({reason}): {target}") from error
    return text


def _source(node: Node, target: Path) -> Source:
    """A node's source as it is written: relative to the project, and linked if it can be."""
    source = node.source
    assert source is not None
    if source.linked and isinstance(node.content, Heavy):
        stamp = whole_origin(node.content)
        if stamp is None or stamp.path != os.path.abspath(source.path):
            log.warning(
                "The content of %r is saved with the project, as it is not that of its linked file "
                "any more: %s", node.name, source.path,
            )  # fmt: skip
            source = replace(source, linked=False)
        elif not source.sha256 or source.size != stamp.size:
            source = source_of(source.path, linked=True)
    path = os.path.abspath(source.path)
    # On another drive there is no way from here to there.
    with contextlib.suppress(ValueError):
        path = os.path.relpath(path, target.absolute().parent)
    return replace(source, path=path.replace(os.sep, "/"))


def holds_project(path: str | os.PathLike[str]) -> bool:
    """Whether a file or folder is a project, by its name or because it holds a `document.json`.

    What is missing or damaged is no project, unless its name says that it is one.
    """
    source = Path(path)
    if source.suffix.lower() == PROJECT_ENDING:
        return True
    if source.is_dir():
        return (source / "document.json").is_file()
    try:
        with source.open("rb") as file:
            if file.read(4) != b"PK\x03\x04":
                return False
        with zipfile.ZipFile(source) as archive:
            return "document.json" in archive.namelist()
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, struct.error):
        return False


def read_project(path: str | os.PathLike[str]) -> Document:
    """Read a project, a `.poly` file or a folder with the same members.

    Nothing is executed or unpickled; the sizes that the file declares are checked against what it
    can hold before memory is taken.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, no project, or written by a newer version.
    """
    source = Path(path)
    stamp = stamp_of(source)
    with _open_members(source) as members:
        text = members.read("document.json", _MAX_JSON)
        parts = ReadParts(members, source)
        entry = parse_document(text, source, parts)
        for name, part in parts.contents.items():
            remember(part, stamp, name)
        contents: dict[str, Heavy] = {}
        nodes = []
        for node in entry.nodes:
            content = None
            if node.data is not None:
                if node.data not in contents:
                    contents[node.data] = _read_content(members, node, source)
                    remember(contents[node.data], stamp, node.data)
                content = contents[node.data]
            nodes.append(_node_of(node, content, source))
    lost = {node.id for node in nodes if node.missing}
    try:
        return Document(
            tuple(nodes), entry.camera, entry.background, entry.up, entry.timeline,
            {i: bits for i, bits in entry.selection.items() if i not in lost},
            entry.chosen, entry.selections, entry.view_camera,
        )  # fmt: skip
    except UsageError as error:
        raise FileFormatError(f"The project does not fit together ({error}): {source}") from error


def read_member(path: str | os.PathLike[str], member: str) -> Part:
    """One large content of a project; words that only `document.json` holds are left out.

    Raises
    ------
    FileFormatError
        If the project or the member is missing or damaged.
    """
    source = Path(path)
    with _open_members(source) as members:
        return _read_member(members, member, source)


def _node_of(entry: NodeEntry, content: Heavy | None, project: Path) -> Node:
    """The node of an entry; what is linked is read."""
    source = entry.source
    if source is not None:
        source = replace(source, path=_absolute(source.path, project))
        if source.linked and content is None:
            sets = [bits for bits in (entry.deleted, entry.hidden, entry.locked) if bits]
            count = sets[0].count if sets else None
            folder = project.absolute().parent
            content, source = read_linked(source, folder, entry.name, count)
    held = entry.content if content is None else content
    try:
        return Node(
            entry.name, held, entry.transform, entry.visible, entry.parent, entry.id,
            entry.modifiers, entry.deleted, entry.hidden, entry.locked, entry.fixed, source,
        )  # fmt: skip
    except UsageError as error:
        raise FileFormatError(f"The project does not fit together ({error}): {project}") from error


def _absolute(path: str, project: Path) -> str:
    return os.path.normpath(os.path.join(project.absolute().parent, path))


def read_thumbnail(path: str | os.PathLike[str]) -> bytes | None:
    """Bytes of a project's PNG picture, or None where it has none.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    """
    source = Path(path)
    with _open_members(source) as members:
        if "thumb.png" not in members:
            return None
        data = members.read("thumb.png", _MAX_THUMBNAIL)
    if not data.startswith(_PNG_MAGIC):
        raise FileFormatError(f"The project's thumbnail is not a PNG picture: {source}")
    return data


@contextlib.contextmanager
def _open_members(source: Path) -> Iterator[Members]:
    """Open the members; whatever a damaged zip makes the library raise becomes one sentence."""
    if not source.exists():
        raise FileFormatError(f"There is no such file: {source}")
    try:
        if source.is_dir():
            yield FolderMembers(source)
        else:
            with zipfile.ZipFile(source) as archive:
                yield ZipMembers(archive, source)
    except OSError as error:
        raise FileFormatError(f"Cannot read ({error.strerror or error}): {source}") from error
    except (
        zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError,
        zlib.error, struct.error, ValueError, OverflowError,
    ) as error:  # fmt: skip
        raise FileFormatError(f"The project is damaged or cut short: {source}") from error


def _member_names(document: Document, data_format: str, linked: set[str]) -> dict[str, str]:
    """Member of each node with a large content; the first node of a shared one names it."""
    names: dict[str, str] = {}
    by_content: dict[int, str] = {}
    for node in document.nodes:
        if isinstance(node.content, Heavy) and node.id not in linked:
            ending = data_format if node.splats is not None else "npz"
            name = by_content.setdefault(id(node.content), f"data/{node.id}.{ending}")
            names[node.id] = name
    return names


def _write_bytes(archive: zipfile.ZipFile, name: str, data: bytes, method: int) -> None:
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = method
    archive.writestr(info, data)


def _write_by_format(cloud: SplatCloud, data_format: str, stream: IO[bytes]) -> None:
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        scratch = Path(folder) / f"cloud.{data_format}"
        # The document keeps what is up; a format that keeps it too may turn the cloud for it.
        write_splats(replace(cloud, up=None), scratch)
        with scratch.open("rb") as file:
            shutil.copyfileobj(file, stream, 1 << 20)


def _read_content(members: Members, node: NodeEntry, source: Path) -> Heavy:
    assert node.data is not None
    try:
        content = _read_member(members, node.data, source)
    except FileFormatError as error:
        raise FileFormatError(f"Node {node.name!r} cannot be read: {error}") from error
    if not isinstance(content, Heavy):
        raise FileFormatError(f"Node {node.name!r} holds a part of a face alone: {source}")
    return node.dressed(content) if isinstance(content, SplatCloud) else content


def _read_member(members: Members, name: str, source: Path) -> Part:
    if not name.endswith(".npz"):
        return _read_by_format(members, name, source)
    with members.open(name) as stream:
        return read_npz(stream, members.size(name), source)


def _read_by_format(members: Members, name: str, source: Path) -> SplatCloud:
    if find_format(name) is None:
        raise FileFormatError(f"Its data {name} is of no known kind: {source}")
    with members.as_file(name) as path:
        try:
            return read_splats(path)
        except FileFormatError as error:
            # The person knows the project, not the file that a member was unpacked to.
            raise FileFormatError(str(error).replace(str(path), str(source))) from error
