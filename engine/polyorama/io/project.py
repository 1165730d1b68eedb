"""Projects: a document as one `.poly` file.

A project is a zip, or a folder with the same members::

    document.json       nodes, view, background; "format" is an integer
    data/<node id>.npz  one file a cloud: natural-form arrays, bit for bit
    thumb.png           a small picture, where there is one

`.npz` holds what a `SplatCloud` holds and loses nothing. Small samples may keep their clouds in a
splat format instead (`spz`, `sog`, `ply`, ...), as lossy as that format is.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import struct
import tempfile
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama import __version__
from polyorama.errors import FileFormatError, OutputError
from polyorama.io.atomic import atomic_write
from polyorama.io.formats import PROJECT_ENDING, find_format, read_splats, write_splats
from polyorama.io.project_json import FORMAT, NodeEntry, document_entries, parse_document
from polyorama.io.project_members import FolderMembers, Members, ZipMembers
from polyorama.scene.document import Document, Node
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from typing import IO

    from numpy.typing import NDArray

__all__ = ["FORMAT", "holds_project", "read_project", "read_thumbnail", "write_project"]

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same document gives the same bytes."""

_ARRAYS = {"means": 2, "quats": 2, "scales": 2, "opacities": 1, "sh": 3}
"""Arrays of an `.npz` member and their dimensions."""

_EXTRA = "extra."
_MAX_JSON = 64 << 20
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

    Parameters
    ----------
    document
        What is saved. Nodes that share one cloud share one member.
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
        If the data format cannot be written, the thumbnail is no PNG, or the system refuses.
    """
    if data_format != "npz":
        entry = find_format(f"x.{data_format}")
        if entry is None or not entry.writes:
            raise OutputError(f"A project cannot keep its data as {data_format!r}: {path}")
    if thumbnail is not None and not thumbnail.startswith(_PNG_MAGIC):
        raise OutputError(f"The thumbnail must be a PNG picture: {path}")
    members = _member_names(document, data_format)
    text = json.dumps(
        {"format": FORMAT, "app": f"polyorama {__version__}"} | document_entries(document, members),
        indent=1,
        allow_nan=False,
    )
    with atomic_write(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        _write_bytes(archive, "document.json", text.encode(), zipfile.ZIP_DEFLATED)
        if thumbnail is not None:
            _write_bytes(archive, "thumb.png", thumbnail, zipfile.ZIP_STORED)
        written: set[str] = set()
        for node in document.nodes:
            name = members.get(node.id)
            if name is None or name in written or node.splats is None:
                continue
            written.add(name)
            with archive.open(zipfile.ZipInfo(name, _EPOCH), "w", force_zip64=True) as stream:
                if data_format == "npz":
                    _write_npz(node.splats, stream)
                else:
                    _write_by_format(node.splats, data_format, stream)


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
    with _open_members(source) as members:
        entry = parse_document(members.read("document.json", _MAX_JSON), source)
        clouds: dict[str, SplatCloud] = {}
        nodes = []
        for node in entry.nodes:
            content = None
            if node.data is not None:
                if node.data not in clouds:
                    clouds[node.data] = _read_cloud(members, node, source)
                content = clouds[node.data]
            nodes.append(
                Node(node.name, content, node.transform, node.visible, node.parent, node.id)
            )
    return Document(tuple(nodes), entry.camera, entry.background, entry.up)


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
    if source.is_dir():
        yield FolderMembers(source)
        return
    try:
        with zipfile.ZipFile(source) as archive:
            yield ZipMembers(archive, source)
    except OSError as error:
        raise FileFormatError(f"Cannot read ({error.strerror or error}): {source}") from error
    except (
        zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError,
        zlib.error, struct.error, ValueError, OverflowError,
    ) as error:  # fmt: skip
        raise FileFormatError(f"The project is damaged or cut short: {source}") from error


def _member_names(document: Document, data_format: str) -> dict[str, str]:
    """Member of each node with content; the first node of a shared cloud names it."""
    names: dict[str, str] = {}
    by_cloud: dict[int, str] = {}
    for node in document.nodes:
        if node.splats is not None:
            names[node.id] = by_cloud.setdefault(id(node.splats), f"data/{node.id}.{data_format}")
    return names


def _write_bytes(archive: zipfile.ZipFile, name: str, data: bytes, method: int) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = method
    archive.writestr(info, data)


def _write_npz(cloud: SplatCloud, stream: IO[bytes]) -> None:
    columns: dict[str, NDArray[Any]] = {name: getattr(cloud, name) for name in _ARRAYS}
    columns |= {_EXTRA + name: column for name, column in cloud.extras.items()}
    with zipfile.ZipFile(stream, "w") as inner:
        for name, column in columns.items():
            info = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            with inner.open(info, "w", force_zip64=True) as out:
                np.lib.format.write_array(out, column, allow_pickle=False)


def _write_by_format(cloud: SplatCloud, data_format: str, stream: IO[bytes]) -> None:
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        scratch = Path(folder) / f"cloud.{data_format}"
        # The document keeps what is up; a format that keeps it too may turn the cloud for it.
        write_splats(replace(cloud, up=None), scratch)
        with scratch.open("rb") as file:
            shutil.copyfileobj(file, stream, 1 << 20)


def _read_cloud(members: Members, node: NodeEntry, source: Path) -> SplatCloud:
    assert node.data is not None
    try:
        if node.data.endswith(".npz"):
            with members.open(node.data) as stream:
                cloud = _read_npz(stream, members.size(node.data), node, source)
        else:
            cloud = _read_by_format(members, node.data, source)
    except FileFormatError as error:
        raise FileFormatError(f"Node {node.name!r} cannot be read: {error}") from error
    return node.dressed(cloud)


def _read_by_format(members: Members, name: str, source: Path) -> SplatCloud:
    if find_format(name) is None:
        raise FileFormatError(f"Its data {name} is of no known kind: {source}")
    with members.as_file(name) as path:
        try:
            return read_splats(path)
        except FileFormatError as error:
            # The person knows the project, not the file that a member was unpacked to.
            raise FileFormatError(str(error).replace(str(path), str(source))) from error


def _read_npz(stream: IO[bytes], size: int, node: NodeEntry, source: Path) -> SplatCloud:
    columns: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(stream) as inner:
        # Inner members are stored as they are, so together they cannot exceed the outer one.
        declared = sum(info.file_size for info in inner.infolist())
        if declared > size:
            raise FileFormatError(f"Its arrays claim {declared} bytes in {size}: {source}")
        for info in inner.infolist():
            if not info.filename.endswith(".npy") or info.compress_type != zipfile.ZIP_STORED:
                raise FileFormatError(f"Its array {info.filename!r} is not plain: {source}")
            name = info.filename[: -len(".npy")]
            if name in columns:
                raise FileFormatError(f"Its array {name!r} is there twice: {source}")
            with inner.open(info) as file:
                columns[name] = _read_npy(file, info.file_size, name, source)
    return _cloud_of(columns, source)


def _read_npy(file: IO[bytes], size: int, name: str, source: Path) -> NDArray[Any]:
    """One array in `.npy` form; its header is checked before its memory is taken."""
    problem = f"Its array {name!r} is damaged: {source}"
    try:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise FileFormatError(problem)
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError as error:
        raise FileFormatError(problem) from error
    if fortran or dtype.hasobject or dtype.kind not in "fiub" or len(shape) > 3:
        raise FileFormatError(problem)
    count = 1
    for side in shape:
        count *= int(side)
    if min(shape, default=0) < 0 or count * dtype.itemsize > size:
        raise FileFormatError(problem)
    array = np.empty(shape, dtype)
    view = memoryview(array.reshape(-1).view(np.uint8).data)
    read = 0
    while read < len(view):
        got = file.readinto(view[read:])  # type: ignore[attr-defined]
        if not got:
            raise FileFormatError(problem)
        read += got
    if file.read(1):
        raise FileFormatError(problem)
    return array


def _cloud_of(columns: Mapping[str, NDArray[Any]], source: Path) -> SplatCloud:
    missing = [name for name in _ARRAYS if name not in columns]
    if missing:
        raise FileFormatError(f"Its arrays {', '.join(missing)} are missing: {source}")
    count = len(columns["means"]) if columns["means"].ndim else 0
    for name, column in columns.items():
        extra = name.startswith(_EXTRA)
        if not extra and name not in _ARRAYS:
            raise FileFormatError(f"Its array {name!r} is unknown: {source}")
        dimensions = 1 if extra else _ARRAYS[name]
        typed = extra or column.dtype == np.dtype("<f4")
        if column.ndim != dimensions or len(column) != count or not typed:
            raise FileFormatError(
                f"Its array {name!r} is {column.dtype} of shape {column.shape}, which does not fit "
                f"{count} splats: {source}"
            )
    sides = {"means": (3,), "quats": (4,), "scales": (3,), "opacities": ()}
    bad = [name for name, tail in sides.items() if columns[name].shape[1:] != tail]
    if columns["sh"].shape[1] not in (1, 4, 9, 16) or columns["sh"].shape[2] != 3:
        bad.append("sh")
    if bad:
        raise FileFormatError(f"Its arrays {', '.join(bad)} have wrong sides: {source}")
    extras = {n[len(_EXTRA) :]: c for n, c in columns.items() if n.startswith(_EXTRA)}
    return SplatCloud(
        columns["means"],
        columns["quats"],
        columns["scales"],
        columns["opacities"],
        columns["sh"],
        extras=extras,
    )
