"""Which files a model reads beside itself, found without parsing it whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from polyorama.io.gltf_container import read_gltf_json
from polyorama.io.mesh_pictures import find_picture
from polyorama.io.ply_header import HEADER_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["named_beside"]

_MOST = 256
"""Files beside one model that are looked for."""
_MAX_SEARCHED = 64 << 20
"""Bytes of a file in which names of pictures are sought."""
_MAX_LIBRARY = 4 << 20
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PICTURE = re.compile(rb"\.(?:png|jpe?g|tga|bmp|webp|gif)\b", re.I)
_BEFORE = re.compile(rb"[^\0-\x1f\"<>|@*?]*\Z")
"""What a name may consist of, up to its end."""
_LONGEST = 240
_LAYER = re.compile(rb"@([^@\r\n]{1,400}\.usd[acz]?)@", re.I)
_LIBRARY = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n]+)", re.M)
_TEXTURE = re.compile(rb"^comment TextureFile ([^\r\n]+)", re.M)


def named_beside(source: Path) -> Iterator[Path]:
    """The files that a model names and that are there, in the order in which it names them.

    Raises
    ------
    FileFormatError
        If a glTF file's JSON is damaged.
    OSError
        If the file cannot be read.
    """
    found = {
        ".gltf": _of_gltf,
        ".glb": _of_gltf,
        ".obj": _of_obj,
        ".ply": _of_ply,
        ".fbx": _of_any,
        ".dae": _of_any,
        ".3ds": _of_any,
        ".usda": _of_usda,
    }.get(source.suffix.lower())
    seen: set[Path] = set()
    for path in found(source) if found is not None else ():
        if path not in seen and path != source:
            seen.add(path)
            yield path
        if len(seen) >= _MOST:
            return


def _of_gltf(source: Path) -> Iterator[Path]:
    document = read_gltf_json(source)
    for kind in ("buffers", "images"):
        entries = document.get(kind)
        for entry in entries if isinstance(entries, list) else ():
            uri: Any = entry.get("uri") if isinstance(entry, dict) else None
            if isinstance(uri, str) and not _SCHEME.match(uri):
                yield from _below(source, unquote(uri))


def _of_obj(source: Path) -> Iterator[Path]:
    libraries = dict.fromkeys(m[1].strip() for m in _LIBRARY.finditer(_start(source)))
    for library in libraries:
        for path in _below(source, library.decode("utf-8", "replace")):
            yield path
            yield from _pictures(source, _start(path, _MAX_LIBRARY))


def _of_ply(source: Path) -> Iterator[Path]:
    for match in _TEXTURE.finditer(_start(source, HEADER_LIMIT)):
        yield from _below(source, match[1].decode("utf-8", "replace"))


def _of_usda(source: Path) -> Iterator[Path]:
    data = _start(source)
    for match in _LAYER.finditer(data):
        yield from _below(source, match[1].decode("utf-8", "replace"))
    yield from _pictures(source, data)


def _of_any(source: Path) -> Iterator[Path]:
    return _pictures(source, _start(source))


def _pictures(source: Path, data: bytes) -> Iterator[Path]:
    """Pictures whose names stand anywhere in a file, if they lie where its reader seeks them."""
    names: dict[str, None] = {}
    for match in _PICTURE.finditer(data):
        # In a line of text, or behind a binary length, the name is what stands last.
        before = _BEFORE.search(data, max(0, match.start() - _LONGEST), match.start())
        if before is not None:
            names.setdefault((before[0] + match[0]).decode("utf-8", "replace"))
        if len(names) >= _MOST:
            break
    for name in names:
        for shorter in _endings(name):
            path = find_picture(source, shorter)
            if path is not None:
                yield path
                break


def _endings(text: str) -> Iterable[str]:
    """The text, and what is left of it when words are taken from its start."""
    words = re.split(r"(?<=[ \t(])", text.strip())[-32:]
    return ("".join(words[k:]) for k in range(len(words)))


def _below(source: Path, name: str) -> Iterator[Path]:
    """A file that is named from the model's folder, if it is there and lies in it or below."""
    folder = source.parent
    try:
        path = folder / name.replace("\\", "/")
        inside = path.resolve().is_relative_to(folder.resolve())
        if inside and path.is_file():
            yield path
    except (OSError, ValueError):
        return


def _start(path: Path, limit: int = _MAX_SEARCHED) -> bytes:
    with path.open("rb") as file:
        return file.read(limit)
