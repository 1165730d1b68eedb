"""The table of splat formats, and how a file's kind is told: by its content, then by its name."""

from __future__ import annotations

import importlib
import logging
import os
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, OutputError
from polyorama.io.files import file_size, named, reading
from polyorama.io.origins import remember, stamp_of
from polyorama.io.ply_header import parse_header

if TYPE_CHECKING:
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "FORMATS",
    "MESH_ENDINGS",
    "PROJECT_ENDING",
    "SplatFormat",
    "detect_format",
    "detect_to_read",
    "find_format",
    "format_to_write",
    "known_endings",
    "read_splats",
    "sniff",
    "write_splats",
]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SplatFormat:
    """One format: its name, file endings (longest first), module, and what can be done with it.

    The module has ``read(path) -> SplatCloud`` if `reads` and ``write(cloud, path)`` if `writes`.
    One that `streams` also has the classes ``Source`` and ``Sink`` (see `io.stream`).
    """

    name: str
    endings: tuple[str, ...]
    module: str
    writes: bool = True
    reads: bool = True
    streams: bool = False


FORMATS: tuple[SplatFormat, ...] = (
    SplatFormat("compressed-ply", (".compressed.ply",), "polyorama.io.compressed_ply"),
    SplatFormat("ply", (".ply",), "polyorama.io.ply", streams=True),
    SplatFormat("splat", (".splat",), "polyorama.io.splat", streams=True),
    SplatFormat("ksplat", (".ksplat",), "polyorama.io.ksplat", writes=False),
    SplatFormat("spz", (".spz",), "polyorama.io.spz"),
    SplatFormat("sog", (".sog", "meta.json"), "polyorama.io.sog"),
    SplatFormat("gltf", (".glb", ".gltf"), "polyorama.io.gltf"),
    SplatFormat("csv", (".csv",), "polyorama.io.csv", reads=False),
)
"""Every format, in the order in which endings are tried."""

MESH_ENDINGS = (".obj", ".stl", ".off", ".glb", ".gltf", ".ply")
"""Endings of triangle meshes; PLY and glTF may hold either, their content decides."""

PROJECT_ENDING = ".poly"

_BY_NAME = {entry.name: entry for entry in FORMATS}

_HEAD = 1 << 18
"""Bytes read to tell a file's kind; as long as the longest PLY header."""

_A_PROJECT = "This is a project, not one splat cloud; open it as such: {}"

_OTHER_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"RIFF", "a WebP, WAV or AVI file"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"\x1a\x45\xdf\xa3", "a WebM or Matroska film"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"<!DOCTYPE", "a web page, perhaps a failed download"),
    (b"<html", "a web page, perhaps a failed download"),
    (b"version https://git-lfs", "a Git LFS pointer; fetch the real file with git lfs pull"),
)


def find_format(path: str | os.PathLike[str]) -> SplatFormat | None:
    """The format that a file's name belongs to, or None."""
    name = Path(path).name.lower()
    for entry in FORMATS:
        if name.endswith(entry.endings):
            return entry
    return None


def known_endings() -> list[str]:
    """Endings of all that can be opened: captures, meshes and projects."""
    captures = {ending for entry in FORMATS if entry.reads for ending in entry.endings}
    return sorted({*captures, *MESH_ENDINGS, PROJECT_ENDING})


def sniff(path: str | os.PathLike[str]) -> SplatFormat | None:
    """The format whose signature a file begins with, or None; PLY and glTF may hold meshes.

    Raises
    ------
    FileFormatError
        If the file is missing, empty or unreadable, or of a kind that cannot hold splats.
    """
    source = Path(path)
    file_size(source)
    with reading(source), source.open("rb") as file:
        name = _by_magic(file.read(_HEAD), source)
    return None if name is None else _BY_NAME[name]


def detect_format(path: str | os.PathLike[str]) -> SplatFormat:
    """The format of an existing file or SOG folder: its content decides, then its name.

    Raises
    ------
    FileFormatError
        If the file is missing, empty, unreadable, of no known kind, or not what its name says.
    """
    source = named(path)
    entry = find_format(source)
    if os.path.isdir(source):  # unlike Path.is_dir, never raises
        if os.path.isfile(source / "meta.json"):
            return _BY_NAME["sog"]
        if os.path.isfile(source / "document.json"):
            raise FileFormatError(_A_PROJECT.format(source))
        raise FileFormatError(
            f"This folder is neither a project nor a SOG scene (it is without a meta.json); give "
            f"a file inside it: {source}"
        )
    size = file_size(source)
    with reading(source), source.open("rb") as file:
        head = file.read(_HEAD)
    found = _by_magic(head, source)
    if found is not None:
        return _BY_NAME[found]
    for magic, kind in _OTHER_KINDS:
        if head[: len(magic)].lower() == magic.lower():
            raise FileFormatError(f"This is no splat file but {kind}: {source}")
    if head[4:8] == b"ftyp":
        raise FileFormatError(f"This is no splat file but an MP4 film: {source}")
    return _by_size(head, size, entry, source)


_PLY_KINDS = {"ply", "compressed-ply"}
_OF_SEVERAL_FILES = (".json", ".gltf")
"""Endings of files whose splats lie in other ones beside them."""


def detect_to_read(path: str | os.PathLike[str]) -> SplatFormat:
    """As `detect_format`; a name that says another format than the content is warned about.

    Raises
    ------
    FileFormatError
        As `detect_format`.
    """
    entry, said = detect_format(path), find_format(path)
    if said is not None and said is not entry and {said.name, entry.name} != _PLY_KINDS:
        _log.warning(
            "The name says %s, the content is %s; reading it as the latter: %s",
            said.name, entry.name, path,
        )  # fmt: skip
    return entry


def read_splats(path: str | os.PathLike[str], **options: Any) -> SplatCloud:
    """Read any splat file; its kind is told by its content first, then by its name.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of no known kind, or holds no splats.
    """
    source = named(path)
    stamp = stamp_of(source)
    entry = detect_to_read(source)
    with reading(source):
        cloud: SplatCloud = importlib.import_module(entry.module).read(source, **options)
    if len(cloud) == 0:
        raise FileFormatError(f"The file holds no splats: {source}")
    if not options and source.suffix.lower() not in _OF_SEVERAL_FILES:
        remember(cloud, stamp)
    return cloud


def format_to_write(path: str | os.PathLike[str]) -> SplatFormat:
    """The format that an output's ending names.

    Raises
    ------
    OutputError
        If it is unknown or cannot be written.
    """
    entry = find_format(path)
    if entry is None or not entry.writes:
        known = ", ".join(sorted(e for f in FORMATS if f.writes for e in f.endings))
        raise OutputError(f"Cannot write this kind of file (can: {known}): {path}")
    return entry


def write_splats(cloud: SplatCloud, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a cloud in the format that the path's ending names.

    Raises
    ------
    OutputError
        If the ending is unknown or cannot be written, there are no splats, or the system refuses.
    """
    entry = format_to_write(path)
    if len(cloud) == 0:
        raise OutputError(f"There are no splats to write: {path}")
    importlib.import_module(entry.module).write(cloud, Path(path), **options)


def _by_magic(head: bytes, source: Path) -> str | None:
    """Name of the format whose signature the file begins with, or None."""
    if head[:3] == b"ply" and head[3:4] in (b"\n", b"\r", b" "):
        vertex = parse_header(head, source).element("vertex")
        return "compressed-ply" if vertex and "packed_position" in vertex.names else "ply"
    if head[:4] == b"NGSP":
        return "spz"
    if head[:2] == b"\x1f\x8b":
        return _inside_gzip(head, source)
    if head[:4] == b"glTF":
        return "gltf"
    if head[:4] == b"PK\x03\x04":
        return _inside_zip(source)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _inside_json(head, source)
    return None


def _inside_gzip(head: bytes, source: Path) -> str:
    try:
        start = zlib.decompressobj(wbits=31).decompress(head, 4)
    except zlib.error as error:
        raise FileFormatError(f"The gzip data is damaged; download it again: {source}") from error
    if start == b"NGSP":
        return "spz"
    inner = "a PLY file" if start[:3] == b"ply" else "something that is not SPZ"
    raise FileFormatError(f"This is {inner}, compressed with gzip; unpack it first: {source}")


def _inside_zip(source: Path) -> str:
    try:
        with reading(source), zipfile.ZipFile(source) as archive:
            names = {name.rsplit("/", 1)[-1] for name in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, struct.error) as error:
        raise FileFormatError(
            f"The zip archive is damaged or cut short; export or download it again: {source}"
        ) from error
    if "meta.json" in names:
        return "sog"
    if "document.json" in names:
        raise FileFormatError(_A_PROJECT.format(source))
    if any(name.lower().endswith(entry.endings) for name in names for entry in FORMATS):
        raise FileFormatError(f"This is a zip archive of splat files; unpack it first: {source}")
    raise FileFormatError(f"This zip archive holds no SOG scene (no meta.json): {source}")


def _inside_json(head: bytes, source: Path) -> str:
    name = source.name.lower()
    if b'"asset"' in head or name.endswith(".gltf"):
        return "gltf"
    if b'"means"' in head or name == "meta.json":
        return "sog"
    raise FileFormatError(f"This JSON file is neither glTF nor a SOG meta.json: {source}")


def _by_size(head: bytes, size: int, said: SplatFormat | None, source: Path) -> SplatFormat:
    """Formats without a signature: .ksplat by its header, .splat by its record size."""
    if _looks_like_ksplat(head, size):
        return _BY_NAME["ksplat"]
    if said is not None and said.name in ("splat", "ksplat"):
        return said
    if said is not None and not said.reads:
        raise FileFormatError(f"{said.name.upper()} files can only be written: {source}")
    if said is not None:
        raise FileFormatError(
            f"The name says {said.name}, but the content is something else: {source}"
        )
    if size % 32 == 0 and _looks_like_splat(head):
        return _BY_NAME["splat"]
    known = ", ".join(known_endings())
    raise FileFormatError(f"Unknown kind of file (known: {known}): {source}")


def _looks_like_ksplat(head: bytes, size: int) -> bool:
    if size < 4096 + 1024 or head[0] != 0 or head[1] == 0:
        return False
    most, sections, most_splats, splats = np.frombuffer(head, "<u4", 4, 4).tolist()
    mode = int(np.frombuffer(head, "<u2", 1, 20)[0])
    fits = 4096 + 1024 * most <= size
    return bool(fits and 1 <= sections <= most and 1 <= splats <= most_splats and mode <= 2)


def _looks_like_splat(head: bytes) -> bool:
    """Whether nearly all of the first records are finite points with small positive scales."""
    records = np.frombuffer(head[: len(head) // 32 * 32], "<f4").reshape(-1, 8)
    points, scales = records[:, :3], records[:, 3:6]
    with np.errstate(invalid="ignore"):
        sound = (np.abs(points) < 1e6).all(axis=1) & ((scales >= 0) & (scales < 1e5)).all(axis=1)
        sound &= (scales > 1e-12).any(axis=1)
    return bool(sound.mean() > 0.95)
