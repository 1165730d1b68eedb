"""The container of glTF 2.0: .glb and .gltf files, buffers, accessors and node transforms.

Nothing in a file is believed: every index, offset and size is checked against what is really
there before memory is taken, and external buffers must lie in the file's own folder.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.limits import read_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["GltfFile", "open_gltf"]

_COMPONENTS: dict[int, tuple[str, float]] = {
    5120: ("<i1", 127.0),
    5121: ("<u1", 255.0),
    5122: ("<i2", 32767.0),
    5123: ("<u2", 65535.0),
    5125: ("<u4", 4294967295.0),
    5126: ("<f4", 1.0),
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_MAX_JSON = 64 << 20
_MAX_NODES = 100_000


@dataclass(slots=True)
class GltfFile:
    """A glTF file that is open: its JSON, and its buffers as they are asked for.

    Parameters
    ----------
    path
        The .glb or .gltf file.
    json
        The parsed document.
    binary
        The binary chunk of a .glb file.
    size
        Bytes of the file itself.
    """

    path: Path
    json: dict[str, Any]
    binary: memoryview | None
    size: int
    _buffers: dict[int, memoryview] = field(default_factory=dict)

    def error(self, text: str) -> FileFormatError:
        """An error whose text ends with this file's path."""
        return FileFormatError(f"{text}: {self.path}")

    def item(self, kind: str, index: Any) -> dict[str, Any]:
        """The object at an index of one of the document's lists, such as ``"meshes"``.

        Raises
        ------
        FileFormatError
            If there is none.
        """
        entries = self.json.get(kind)
        found = None
        if isinstance(entries, list) and type(index) is int and 0 <= index < len(entries):
            found = entries[index]
        if not isinstance(found, dict):
            raise self.error(f"The glTF file refers to {kind}[{index!r:.40}], which is not there")
        return found

    def whole(self, entry: dict[str, Any], name: str, default: int | None = None) -> int:
        """A non-negative whole number of an object.

        Raises
        ------
        FileFormatError
            If it is missing and there is no default, or is no such number.
        """
        value = entry.get(name, default)
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not 0 <= value < 1 << 53:
            raise self.error(f"A glTF object has an impossible {name} of {value!r:.40}")
        return value

    def rows(self, index: Any) -> int:
        """Number of rows of an accessor."""
        return self.whole(self.item("accessors", index), "count")

    def accessor(self, index: Any, width: int) -> NDArray[np.float32]:
        """Values of an accessor, (count, width) float32; normalised integers become fractions.

        Raises
        ------
        FileFormatError
            If it is missing, of another width, sparse, or reaches beyond its buffer.
        """
        entry = self.item("accessors", index)
        if "sparse" in entry or "bufferView" not in entry:
            raise self.error(f"Accessor {index} is sparse, which is not supported for splats")
        view = self.item("bufferViews", entry["bufferView"])
        component, kind = entry.get("componentType"), entry.get("type")
        if type(component) is not int or component not in _COMPONENTS:
            raise self.error(f"Accessor {index} has an unknown component {component!r:.40}")
        if not isinstance(kind, str) or kind not in _WIDTHS:
            raise self.error(f"Accessor {index} has an unknown type {kind!r:.40}")
        if _WIDTHS[kind] != width:
            raise self.error(f"Accessor {index} is a {kind}; {width} components are due")
        dtype, largest = _COMPONENTS[component]
        count = self.whole(entry, "count")
        item = np.dtype((dtype, width)).itemsize if width > 1 else np.dtype(dtype).itemsize
        stride = self.whole(view, "byteStride", item) or item
        start = self.whole(entry, "byteOffset", 0)
        length = self.whole(view, "byteLength")
        if stride < item or (count and start + stride * (count - 1) + item > length):
            raise self.error(f"Accessor {index} reaches beyond its buffer view")
        if self._encoded(view):
            raise self.error("The buffers are compressed (meshopt), which is not supported")
        buffer = self._buffer(self.whole(view, "buffer"))
        offset = self.whole(view, "byteOffset", 0)
        if offset + length > len(buffer):
            raise self.error(f"Accessor {index} reaches beyond its buffer")
        if count == 0:
            return np.zeros((0, width), np.float32)
        rows = np.ndarray(
            (count, width), dtype, buffer, offset + start, (stride, np.dtype(dtype).itemsize)
        )
        values = rows.astype(np.float32)
        if component != 5126 and entry.get("normalized"):
            np.maximum(values / np.float32(largest), -1, out=values)
        return values

    def _encoded(self, view: dict[str, Any]) -> bool:
        extensions = view.get("extensions")
        return isinstance(extensions, dict) and any("meshopt" in name for name in extensions)

    def _buffer(self, index: int) -> memoryview:
        if index not in self._buffers:
            entry = self.item("buffers", index)
            length = self.whole(entry, "byteLength")
            data = self._load(index, entry)
            if len(data) < length:
                raise self.error(
                    f"Buffer {index} promises {length:,} bytes, but {len(data):,} are there"
                )
            self._buffers[index] = data[:length]
        return self._buffers[index]

    def _load(self, index: int, entry: dict[str, Any]) -> memoryview:
        uri = entry.get("uri")
        if uri is None:
            if self.binary is None or index != 0:
                raise self.error(f"Buffer {index} has no data")
            return self.binary
        if not isinstance(uri, str):
            raise self.error(f"Buffer {index} has an address that is no text")
        if uri.startswith("data:"):
            head, comma, text = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                raise self.error(f"Buffer {index} is embedded in another way than base64")
            try:
                return memoryview(base64.b64decode(text, validate=True))
            except (binascii.Error, ValueError) as error:
                raise self.error(f"Buffer {index} is damaged base64") from error
        return memoryview(read_bytes(self._beside(uri)))

    def _beside(self, uri: str) -> Path:
        """The file a relative address names; it may not leave the folder of this file."""
        name = unquote(uri)
        folder = self.path.parent.resolve()
        relative = "\0" not in name and "\\" not in name and ":" not in name
        if relative and not name.startswith("/"):
            target = (folder / name).resolve()
            if target.is_relative_to(folder) and target != folder:
                return target
        raise self.error(f"The buffer {uri[:80]!r} is not in the folder of the file, so not read")

    def placed_meshes(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Each mesh of the default scene with its world transform, (4, 4) float64.

        Raises
        ------
        FileFormatError
            If the nodes are no forest or a transform is malformed.
        """
        nodes = self.json.get("nodes")
        if not isinstance(nodes, list) or not nodes:
            # A library of meshes without a scene.
            for index in range(len(self._list("meshes"))):
                yield index, np.eye(4)
            return
        stack = [(root, np.eye(4)) for root in reversed(self._roots(nodes))]
        seen: set[int] = set()
        while stack:
            index, parent = stack.pop()
            node = self.item("nodes", index)
            if index in seen or len(seen) >= _MAX_NODES:
                raise self.error("The nodes of the glTF file form no tree")
            seen.add(index)
            with np.errstate(all="ignore"):
                world = parent @ self._local_matrix(node)
            if "mesh" in node:
                yield self.whole(node, "mesh"), world
            children = node.get("children", [])
            if not isinstance(children, list):
                raise self.error("The children of a glTF node are no list")
            stack += [(child, world) for child in reversed(children)]

    def _roots(self, nodes: list[Any]) -> list[Any]:
        if self._list("scenes"):
            roots = self.item("scenes", self.whole(self.json, "scene", 0)).get("nodes", [])
            if not isinstance(roots, list):
                raise self.error("The nodes of the glTF scene are no list")
            return roots
        children = {
            child
            for node in nodes
            if isinstance(node, dict) and isinstance(node.get("children"), list)
            for child in node["children"]
            if type(child) is int
        }
        return [index for index in range(len(nodes)) if index not in children]

    def _list(self, kind: str) -> list[Any]:
        entries = self.json.get(kind, [])
        if not isinstance(entries, list):
            raise self.error(f"The {kind} of the glTF file are no list")
        return entries

    def _local_matrix(self, node: dict[str, Any]) -> NDArray[np.float64]:
        if "matrix" in node:
            return self._numbers(node["matrix"], 16).reshape(4, 4).T
        translation = self._numbers(node.get("translation", [0, 0, 0]), 3)
        x, y, z, w = self._numbers(node.get("rotation", [0, 0, 0, 1]), 4)
        scale = self._numbers(node.get("scale", [1, 1, 1]), 3)
        norm = w * w + x * x + y * y + z * z
        if not 1e-12 < norm < 1e12:
            raise self.error("A node of the glTF file has an impossible rotation")
        s = 2 / norm
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
        matrix[:3, :3] *= scale
        matrix[:3, 3] = translation
        return matrix

    def _numbers(self, values: Any, count: int) -> NDArray[np.float64]:
        fine = isinstance(values, list) and len(values) == count
        if not fine or not all(type(v) in (int, float) for v in values):
            raise self.error("A node of the glTF file has a malformed transform")
        try:
            numbers = np.array([float(v) for v in values])
        except OverflowError as error:
            raise self.error("A node of the glTF file has an infinite transform") from error
        if not np.isfinite(numbers).all():
            raise self.error("A node of the glTF file has an infinite transform")
        return numbers


def open_gltf(path: str | os.PathLike[str]) -> GltfFile:
    """Open a .glb or .gltf file, told apart by content, and parse its JSON.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or not glTF 2.
    """
    source = Path(path)
    content = read_bytes(source)
    data = memoryview(content)
    text, binary = _chunks(data, source) if content[:4] == b"glTF" else (data, None)
    if len(text) > _MAX_JSON:
        raise FileFormatError(f"The JSON of the glTF file is too large: {source}")
    try:
        document = json.loads(bytes(text), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"The JSON of the glTF file is damaged: {source}") from error
    asset = document.get("asset") if isinstance(document, dict) else None
    version = asset.get("version") if isinstance(asset, dict) else None
    if not isinstance(version, str) or not version.startswith("2."):
        raise FileFormatError(f"This is not a glTF 2 file (version {version!r}): {source}")
    return GltfFile(source, document, binary, len(data))


def _chunks(data: memoryview, source: Path) -> tuple[memoryview, memoryview | None]:
    """JSON and binary chunk of a .glb file."""
    if len(data) < 20:
        raise FileFormatError(f"The .glb file is truncated in its header: {source}")
    version, length, json_length, json_kind = struct.unpack_from("<II", data, 4) + (
        struct.unpack_from("<I4s", data, 12)
    )
    if version != 2:
        raise FileFormatError(f"Version {version} of .glb is not supported (2 is): {source}")
    if length > len(data):
        raise FileFormatError(f"The .glb file is truncated: {source}")
    if json_kind != b"JSON" or 20 + json_length > length:
        raise FileFormatError(f"The .glb file has no JSON where it should be: {source}")
    start = 20 + json_length
    text = data[20:start]
    while start + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, start)
        if start + 8 + size > length:
            raise FileFormatError(f"The .glb file is truncated in a chunk: {source}")
        if kind == b"BIN\0":
            return text, data[start + 8 : start + 8 + size]
        start += 8 + size
    return text, None


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")
