"""Meshes from PLY files with faces: ascii and binary, of either byte order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.limits import read_beside
from polyorama.io.mesh_parts import MAX_BYTES, MAX_CORNERS, Part, decode_texture, fan
from polyorama.io.ply_header import HEADER_LIMIT, PlyElement, parse_header
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_parts"]

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_INDEX_NAMES = ("vertex_indices", "vertex_index")


@dataclass(frozen=True, slots=True)
class _Property:
    """A face's property; `length` is the type of a list's length, or None for one number."""

    name: str
    kind: str
    length: str | None


def read_parts(source: Path) -> list[Part]:
    """The faces of a PLY file.

    Raises
    ------
    FileFormatError
        If it is damaged, or has points but no faces.
    """
    data = source.read_bytes()
    header = parse_header(data[:HEADER_LIMIT], source)
    vertices, faces = header.element("vertex"), header.element("face")
    if vertices is None or faces is None or faces.count == 0:
        raise FileFormatError(
            f"The PLY file has no faces, so it is no mesh; if it holds splats, open it as such: "
            f"{source}"
        )
    if [e.name for e in header.elements[:2]] != ["vertex", "face"] or vertices.lists:
        raise FileFormatError(
            f"The PLY file does not begin with plain vertices and then faces; "
            f"save it that way: {source}"
        )
    if max(vertices.count, faces.count) > len(data):
        raise _damaged(source)
    properties = _face_properties(data[: header.size])
    if header.encoding == "ascii":
        rows, corners, sizes, uvs = _ascii(data[header.size :], vertices, faces, properties, source)
    else:
        order = "<" if header.encoding == "binary_little_endian" else ">"
        rows, corners, sizes, uvs = _binary(
            data, header.size, vertices, faces, properties, order, source
        )
    if not {"x", "y", "z"} <= set(rows):
        raise FileFormatError(f"The PLY file's vertices have no x, y and z: {source}")
    picks, _ = fan(sizes)
    positions = np.stack([rows[axis] for axis in "xyz"], axis=1).astype(np.float32)
    colors = _colors(rows)
    material = Material()
    name = next(
        (c.split(None, 1)[1] for c in header.comments if c.startswith("TextureFile ")), None
    )
    if name is not None:
        picture = decode_texture(read_beside(source, name, MAX_BYTES), name, source)
        material = Material(texture=picture)
    if uvs is not None:
        # Texture coordinates belong to corners: every corner becomes a vertex.
        if corners.size and not 0 <= corners.min() <= corners.max() < len(positions):
            raise _damaged(source)
        return [
            Part(
                positions[corners], picks, None if colors is None else colors[corners], uvs,
                material,
            )
        ]  # fmt: skip
    by_vertex = None
    for u, v in (("s", "t"), ("u", "v"), ("texture_u", "texture_v")):
        if u in rows and v in rows:
            by_vertex = np.stack([rows[u], rows[v]], axis=1).astype(np.float32)
    return [Part(positions, corners[picks], colors, by_vertex, material)]


def _damaged(source: Path) -> FileFormatError:
    return FileFormatError(
        f"The PLY file is damaged (it holds less than its header promises); "
        f"export or download it again: {source}"
    )


def _face_properties(head: bytes) -> list[_Property]:
    lines = head.decode("ascii", "replace").splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(r"element\s+face\s", line))
    found: list[_Property] = []
    for line in lines[start + 1 :]:
        match line.split():
            case ["property", "list", length, kind, name]:
                found.append(_Property(name, _TYPES[kind], _TYPES[length]))
            case ["property", kind, name]:
                found.append(_Property(name, _TYPES[kind], None))
            case ["element", *_]:
                break
    return found


_Faces = tuple[
    dict[str, "NDArray[Any]"],
    "NDArray[np.int64]",
    "NDArray[np.int64]",
    "NDArray[np.float32] | None",
]


def _binary(
    data: bytes,
    offset: int,
    vertices: PlyElement,
    faces: PlyElement,
    properties: list[_Property],
    order: str,
    source: Path,
) -> _Faces:
    end = offset + vertices.count * vertices.row_bytes
    if end > len(data):
        raise _damaged(source)
    table = np.frombuffer(data, vertices.dtype, vertices.count, offset)
    rows = {name: table[name] for name in vertices.names}
    lists = [p for p in properties if p.length is not None]
    if not any(p.name in _INDEX_NAMES for p in lists):
        raise FileFormatError(f"The PLY file's faces list no vertices: {source}")
    quick = _equal_rows(data, end, faces.count, properties, order)
    if quick is None:
        quick = _ragged_rows(data, end, faces.count, properties, order, source)
    sizes, columns = quick
    index = next(name for name in _INDEX_NAMES if name in columns)
    uvs = None
    if "texcoord" in columns:
        uvs = columns["texcoord"].astype(np.float32).reshape(-1, 2)
        if len(uvs) != int(sizes.sum()):
            uvs = None
    return rows, columns[index].astype(np.int64).reshape(-1), sizes, uvs


def _equal_rows(
    data: bytes, offset: int, count: int, properties: list[_Property], order: str
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]] | None:
    """Faces that all have as many corners as the first, at once; None if they have not."""
    lengths: list[int] = []
    place = offset
    fields: list[tuple[Any, ...]] = []
    for number, item in enumerate(properties):
        if item.length is None:
            fields.append((f"p{number}", order + item.kind))
            place += int(item.kind[-1])
            continue
        if place + int(item.length[-1]) > len(data):
            return None
        length = int(np.frombuffer(data, order + item.length, 1, place)[0])
        if not 0 < length < 1024:
            return None
        lengths.append(length)
        fields += [
            (f"n{number}", order + item.length), (f"p{number}", order + item.kind, (length,)),
        ]  # fmt: skip
        place += int(item.length[-1]) + length * int(item.kind[-1])
    row = np.dtype(fields)
    if offset + count * row.itemsize > len(data) or count * max(lengths) > MAX_CORNERS:
        return None
    table = np.frombuffer(data, row, count, offset)
    columns: dict[str, NDArray[Any]] = {}
    sizes = np.zeros(count, np.int64)
    expected = iter(lengths)
    for number, item in enumerate(properties):
        if item.length is None:
            continue
        length = next(expected)
        if not (table[f"n{number}"] == length).all():
            return None
        columns[item.name] = table[f"p{number}"]
        if item.name in _INDEX_NAMES:
            sizes[:] = length
    return sizes, columns


def _ragged_rows(
    data: bytes, offset: int, count: int, properties: list[_Property], order: str, source: Path
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Faces of different sizes, one after another."""
    pieces: dict[str, list[bytes]] = {p.name: [] for p in properties if p.length is not None}
    sizes = np.zeros(count, np.int64)
    plan = [
        (p.name, int(p.kind[-1]), None if p.length is None else np.dtype(order + p.length))
        for p in properties
    ]
    for face in range(count):
        for name, size, length_type in plan:
            if length_type is None:
                offset += size
                continue
            stop = offset + length_type.itemsize
            if stop > len(data):
                raise _damaged(source)
            length = int(np.frombuffer(data, length_type, 1, offset)[0])
            offset = stop + length * size
            if length < 0 or offset > len(data):
                raise _damaged(source)
            pieces[name].append(data[stop:offset])
            if name in _INDEX_NAMES:
                sizes[face] = length
    kinds = {p.name: order + p.kind for p in properties}
    columns = {n: np.frombuffer(b"".join(p), kinds[n]) for n, p in pieces.items()}
    return sizes, columns


def _ascii(
    data: bytes, vertices: PlyElement, faces: PlyElement, properties: list[_Property], source: Path
) -> _Faces:
    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) < vertices.count + faces.count:
        raise _damaged(source)
    try:
        # Blank-separated numbers, parsed in C.
        block = b" ".join(lines[: vertices.count])
        table = np.array(block.split(), np.float64).reshape(vertices.count, len(vertices.names))
        # Colours are told by their type, which text does not keep.
        rows = {
            name: table[:, i].astype(vertices.types[i]) for i, name in enumerate(vertices.names)
        }
        corners: list[int] = []
        uvs: list[float] = []
        sizes = np.zeros(faces.count, np.int64)
        for face in range(faces.count):
            words = lines[vertices.count + face].split()
            place = 0
            for item in properties:
                if item.length is None:
                    place += 1
                    continue
                length = int(words[place])
                values = words[place + 1 : place + 1 + length]
                if length < 0 or len(values) != length:
                    raise ValueError("a list is cut off")
                place += 1 + length
                if item.name in _INDEX_NAMES:
                    sizes[face] = length
                    corners.extend(map(int, values))
                elif item.name == "texcoord":
                    uvs.extend(map(float, values))
    except (ValueError, IndexError, OverflowError) as error:
        raise _damaged(source) from error
    pairs = None
    if len(uvs) == 2 * len(corners) and uvs:
        pairs = np.array(uvs, np.float32).reshape(-1, 2)
    return rows, np.array(corners, np.int64), sizes, pairs


def _colors(rows: dict[str, NDArray[Any]]) -> NDArray[np.float32] | None:
    for names in (
        ("red", "green", "blue"),
        ("r", "g", "b"),
        ("diffuse_red", "diffuse_green", "diffuse_blue"),
    ):
        if set(names) <= set(rows):
            stacked = np.stack([rows[name].astype(np.float32) for name in names], axis=1)
            kind = rows[names[0]].dtype
            top = float(np.iinfo(kind).max) if kind.kind in "iu" else 1.0
            return (stacked / np.float32(top)).astype(np.float32)
    return None
