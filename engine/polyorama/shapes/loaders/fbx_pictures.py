"""Pictures that lie inside binary FBX files, by the material that they colour.

Assimp reads them, its Python package does not hand them over. A file is a tree of named nodes with
typed values; only materials, textures, videos (which hold the pictures) and what connects them are
looked at, all else is stepped over.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["embedded_pictures"]

_MAGIC = b"Kaydara FBX Binary  \0\x1a\0"
_WIDE = 7500
"""Version from which places are written in 64 bits."""
_PLAIN = {b"Y": "<h", b"C": "<b", b"I": "<i", b"F": "<f", b"D": "<d", b"L": "<q"}
_COLOURS = (b"DiffuseColor", b"Maya|baseColor", b"3dsMax|Parameters|base_color_map")
_MOST_NODES = 1_000_000


class _Node(NamedTuple):
    name: bytes
    values: list[int | float | bytes]
    inside: int
    end: int


def embedded_pictures(data: bytes) -> dict[str, bytes]:
    """Bytes of the picture of each material whose picture lies inside the file.

    Parameters
    ----------
    data
        The whole file. Where it is damaged or text, what was found up to there is given.
    """
    names: dict[int, str] = {}
    videos: dict[int, bytes] = {}
    links: list[tuple[int, int, bytes]] = []
    try:
        for node in _wanted(data):
            match node.name, node.values:
                case b"C", [bytes(), int(child), int(parent), *where]:
                    named = where[0] if where and isinstance(where[0], bytes) else b""
                    links.append((child, parent, named))
                case b"Material", [int(number), bytes(full), *_]:
                    names[number] = full.partition(b"\0")[0].decode("utf-8", "replace")
                case b"Video", [int(number), *_]:
                    videos[number] = _content(data, node)
    except (struct.error, ValueError):
        pass  # what is not found is said to be left out
    return _joined(names, {number: video for number, video in videos.items() if video}, links)


def _content(data: bytes, video: _Node) -> bytes:
    """The picture that a video node holds, or nothing."""
    for node in _nodes(data, video.inside, video.end):
        match node.name, node.values:
            case b"Content", [bytes(picture), *_]:
                return picture
    return b""


def _joined(
    names: dict[int, str], videos: dict[int, bytes], links: list[tuple[int, int, bytes]]
) -> dict[str, bytes]:
    """Material to picture: videos belong to textures, textures to a property of a material."""
    of_texture = {parent: videos[child] for child, parent, _ in links if child in videos}
    found: dict[str, bytes] = {}
    for colour in _COLOURS:
        for child, parent, where in links:
            if where == colour and parent in names and child in of_texture:
                found.setdefault(names[parent], of_texture[child])
    return found


def _wanted(data: bytes) -> Iterator[_Node]:
    """Materials, videos and connections of a file."""
    if data[: len(_MAGIC)] != _MAGIC:
        return
    for top in _nodes(data, len(_MAGIC) + 4, len(data)):
        if top.name in (b"Objects", b"Connections"):
            for node in _nodes(data, top.inside, top.end):
                if node.name in (b"Material", b"Video", b"C"):
                    yield node


def _nodes(data: bytes, start: int, end: int) -> Iterator[_Node]:
    """The nodes that lie one after another between two places.

    Raises
    ------
    struct.error, ValueError
        If they run past the end.
    """
    (version,) = struct.unpack_from("<I", data, len(_MAGIC))
    head = struct.Struct("<QQQB" if version >= _WIDE else "<IIIB")
    for _ in range(_MOST_NODES):
        if start + head.size > end:
            return
        stop, count, size, length = head.unpack_from(data, start)
        if stop == 0:
            return
        place = start + head.size
        inside = place + length + size
        if not start < stop <= end or inside > stop:
            raise ValueError("a node runs past its end")
        name = data[place : place + length]
        # Of geometry, nothing is wanted: its arrays are not unpacked.
        yield _Node(name, list(_values(data, place + length, inside, count)), inside, stop)
        start = stop


def _values(data: bytes, place: int, end: int, count: int) -> Iterator[int | float | bytes]:
    """The leading plain values of a node; it ends at the first array."""
    for _ in range(count):
        if place >= end:
            return
        kind = data[place : place + 1]
        place += 1
        if kind in _PLAIN:
            (value,) = struct.unpack_from(_PLAIN[kind], data, place)
            place += struct.calcsize(_PLAIN[kind])
            yield value
        elif kind in (b"S", b"R"):
            (length,) = struct.unpack_from("<I", data, place)
            place += 4 + length
            if place > end:
                raise ValueError("a value runs past its node")
            yield data[place - length : place]
        else:
            return
