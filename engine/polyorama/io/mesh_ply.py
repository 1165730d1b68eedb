"""Meshes from PLY files with faces: ascii and binary, of either byte order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.limits import read_beside
from polyorama.io.mesh_parts import MAX_BYTES, MAX_CORNERS, Part, decode_texture, fan, left_out
from polyorama.io.ply_header import HEADER_LIMIT, PlyElement, parse_header
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_parts"]

_INDEX_NAMES = ("vertex_indices", "vertex_index")


def read_parts(source: Path, notes: list[str] | None = None) -> list[Part]:
    """The faces of a PLY file; `notes` as in `read_mesh`.

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
    if header.encoding == "ascii":
        rows, corners, sizes, uvs = _ascii(data[header.size :], vertices, faces, source)
    else:
        rows, corners, sizes, uvs = _binary(data, header.size, vertices, faces, source)
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
        material = _painted(name, source, notes)
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


def _painted(name: str, source: Path, notes: list[str] | None) -> Material:
    try:
        picture = decode_texture(read_beside(source, name, MAX_BYTES), name, source)
    except FileFormatError as error:
        if notes is None:
            raise
        left_out(notes, f"A texture is left out. {error}")
        return Material()
    return Material(texture=picture)


def _damaged(source: Path) -> FileFormatError:
    return FileFormatError(
        f"The PLY file is damaged (it holds less than its header promises); "
        f"export or download it again: {source}"
    )


def _properties(element: PlyElement) -> Iterator[tuple[str, str, str | None]]:
    """Name, type and, of lists, type of the length."""
    return zip(element.names, element.types, element.lengths, strict=True)


_Faces = tuple[
    dict[str, "NDArray[Any]"],
    "NDArray[np.int64]",
    "NDArray[np.int64]",
    "NDArray[np.float32] | None",
]


def _binary(
    data: bytes, offset: int, vertices: PlyElement, faces: PlyElement, source: Path
) -> _Faces:
    end = offset + vertices.count * vertices.row_bytes
    if end > len(data):
        raise _damaged(source)
    table = np.frombuffer(data, vertices.dtype, vertices.count, offset)
    rows = {name: table[name] for name in vertices.names}
    if not any(name in _INDEX_NAMES and length for name, _, length in _properties(faces)):
        raise FileFormatError(f"The PLY file's faces list no vertices: {source}")
    sizes, columns = _equal_rows(data, end, faces) or _ragged_rows(data, end, faces, source)
    index = next(name for name in _INDEX_NAMES if name in columns)
    uvs = None
    if "texcoord" in columns:
        uvs = columns["texcoord"].astype(np.float32).reshape(-1, 2)
        if len(uvs) != int(sizes.sum()):
            uvs = None
    return rows, columns[index].astype(np.int64).reshape(-1), sizes, uvs


def _equal_rows(
    data: bytes, offset: int, faces: PlyElement
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]] | None:
    """Faces that all have as many corners as the first, at once; None if they have not."""
    lengths: list[int] = []
    place = offset
    fields: list[tuple[Any, ...]] = []
    for number, (_, kind, length_kind) in enumerate(_properties(faces)):
        if length_kind is None:
            fields.append((f"p{number}", kind))
            place += int(kind[-1])
            continue
        if place + int(length_kind[-1]) > len(data):
            return None
        length = int(np.frombuffer(data, length_kind, 1, place)[0])
        if not 0 < length < 1024:
            return None
        lengths.append(length)
        fields += [(f"n{number}", length_kind), (f"p{number}", kind, (length,))]
        place += int(length_kind[-1]) + length * int(kind[-1])
    row = np.dtype(fields)
    count = faces.count
    if offset + count * row.itemsize > len(data) or count * max(lengths) > MAX_CORNERS:
        return None
    table = np.frombuffer(data, row, count, offset)
    columns: dict[str, NDArray[Any]] = {}
    sizes = np.zeros(count, np.int64)
    expected = iter(lengths)
    for number, (name, _, length_kind) in enumerate(_properties(faces)):
        if length_kind is None:
            continue
        length = next(expected)
        if not (table[f"n{number}"] == length).all():
            return None
        columns[name] = table[f"p{number}"]
        if name in _INDEX_NAMES:
            sizes[:] = length
    return sizes, columns


def _ragged_rows(
    data: bytes, offset: int, faces: PlyElement, source: Path
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Faces of different sizes, one after another."""
    plan = [
        (name, int(kind[-1]), None if length is None else np.dtype(length))
        for name, kind, length in _properties(faces)
    ]
    pieces: dict[str, list[bytes]] = {name: [] for name, _, length in plan if length is not None}
    sizes = np.zeros(faces.count, np.int64)
    for face in range(faces.count):
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
    kinds = dict(zip(faces.names, faces.types, strict=True))
    columns = {n: np.frombuffer(b"".join(p), kinds[n]) for n, p in pieces.items()}
    return sizes, columns


def _ascii(data: bytes, vertices: PlyElement, faces: PlyElement, source: Path) -> _Faces:
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
            for name, _, length_kind in _properties(faces):
                if length_kind is None:
                    place += 1
                    continue
                length = int(words[place])
                values = words[place + 1 : place + 1 + length]
                if length < 0 or len(values) != length:
                    raise ValueError("a list is cut off")
                place += 1 + length
                if name in _INDEX_NAMES:
                    sizes[face] = length
                    corners.extend(map(int, values))
                elif name == "texcoord":
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
