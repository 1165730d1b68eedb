"""The container of glTF 2.0: .glb and .gltf files, their JSON, buffers and accessors.

Nothing in a file is believed: every index, offset and size is checked against what is really
there before memory is taken, and external files must lie in the file's own folder.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, unquote_to_bytes

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.files import reading
from polyorama.io.limits import FREE_BYTES, MAX_RATIO, read_beside, read_bytes

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["GltfFile", "open_gltf", "read_gltf_json"]

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_NOUNS = {"bufferViews": "buffer view", "meshes": "mesh"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_MAX_ROWS = 100_000_000
_MAX_JSON = 64 << 20


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
    limit
        The largest file beside it that is read, bytes.
    """

    path: Path
    json: dict[str, Any]
    binary: memoryview | None
    size: int
    limit: int | None = None
    _buffers: dict[int, memoryview] = field(default_factory=dict)

    # --- the document ------------------------------------------------------------------------

    def error(self, text: str) -> FileFormatError:
        """An error whose text ends with this file's path."""
        return FileFormatError(f"{text}: {self.path}")

    def damaged(self, what: str) -> FileFormatError:
        """An error that says what is wrong with the file."""
        return _damaged(what, self.path)

    def item(self, kind: str, index: Any) -> dict[str, Any]:
        """The object at an index of one of the document's lists, such as ``"meshes"``.

        Raises
        ------
        FileFormatError
            If there is none.
        """
        noun = _NOUNS.get(kind, kind[:-1])
        if type(index) is not int:
            raise self.damaged(f"a {noun} is named by {index!r:.40}")
        entries = self.json.get(kind)
        if not isinstance(entries, list) or not 0 <= index < len(entries):
            raise self.damaged(f"there is no {noun} {index}")
        entry = entries[index]
        if not isinstance(entry, dict):
            raise self.damaged(f"{noun} {index} is no object")
        return entry

    def items(self, name: str, entry: dict[str, Any] | None = None) -> list[Any]:
        """A list of the document, or of an object of it; empty where it is missing.

        Raises
        ------
        FileFormatError
            If it is no list.
        """
        found = (self.json if entry is None else entry).get(name, [])
        if not isinstance(found, list):
            raise self.damaged(f"{name} is no list")
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
            raise self.damaged(f"{name} is {value!r:.40}")
        return value

    def _object(self, entry: dict[str, Any], name: str) -> dict[str, Any]:
        value = entry.get(name)
        if not isinstance(value, dict):
            raise self.damaged(f"{name} is no object")
        return value

    # --- accessors ---------------------------------------------------------------------------

    def count(self, index: Any) -> int:
        """Number of rows of an accessor."""
        return self.whole(self.item("accessors", index), "count")

    def rows(self, index: Any, width: int | None = None) -> NDArray[Any]:
        """Values of an accessor as they are stored, (count, width); maybe a view of the file.

        Parameters
        ----------
        width
            The numbers a row must have; None accepts any.

        Raises
        ------
        FileFormatError
            If it is missing, of another width, or reaches beyond its buffer.
        """
        entry = self.item("accessors", index)
        what = f"accessor {index}"
        component, kind = self.whole(entry, "componentType"), entry.get("type")
        if component not in _COMPONENTS or not isinstance(kind, str) or kind not in _WIDTHS:
            raise self.damaged(f"{what} has an unknown type")
        if width not in (None, _WIDTHS[kind]):
            raise self.damaged(f"{what} is not of {width} numbers")
        dtype, width = np.dtype(_COMPONENTS[component]), _WIDTHS[kind]
        count = self.whole(entry, "count")
        if count > _MAX_ROWS:
            raise self.damaged(f"{what} promises {count:,} rows")
        if "bufferView" in entry:
            rows = self._stored(entry, what, count, dtype, width)
        elif "sparse" not in entry:
            raise self.damaged(f"{what} has no data")
        elif count * width * dtype.itemsize > max(FREE_BYTES, MAX_RATIO * self.size):
            raise self.damaged(f"{what} promises {count:,} rows without data")
        else:
            rows = np.zeros((count, width), dtype)
        return self._replaced(entry, what, rows) if "sparse" in entry else rows

    def floats(self, index: Any, width: int | None = None) -> NDArray[np.float32]:
        """Values of an accessor, (count, width) float32; normalised integers become fractions.

        Raises
        ------
        FileFormatError
            As `rows` does.
        """
        rows = self.rows(index, width)
        values = rows.astype(np.float32)
        if rows.dtype.kind != "f" and self.item("accessors", index).get("normalized"):
            np.maximum(values / np.float32(np.iinfo(rows.dtype).max), -1, out=values)
        return values

    def _stored(
        self, entry: dict[str, Any], what: str, count: int, dtype: np.dtype[Any], width: int
    ) -> NDArray[Any]:
        """Rows in a buffer view, not copied."""
        data, stride = self.view(entry.get("bufferView"))
        item = dtype.itemsize * width
        stride = stride or item
        start = self.whole(entry, "byteOffset", 0)
        if stride < item or (count and start + stride * (count - 1) + item > len(data)):
            raise self.damaged(f"{what} runs past its buffer view")
        if count == 0:
            return np.zeros((0, width), dtype)
        return np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize))

    def _replaced(self, entry: dict[str, Any], what: str, rows: NDArray[Any]) -> NDArray[Any]:
        """A copy of the rows with those replaced that a sparse accessor lists."""
        sparse = self._object(entry, "sparse")
        where, values = self._object(sparse, "indices"), self._object(sparse, "values")
        component = self.whole(where, "componentType")
        if component not in (5121, 5123, 5125):
            raise self.damaged(f"{what} has an unknown type")
        count = self.whole(sparse, "count")
        index = self._stored(where, what, count, np.dtype(_COMPONENTS[component]), 1)[:, 0]
        if count and int(index.max()) >= len(rows):
            raise self.damaged(f"{what} replaces a row that is not there")
        rows = rows.copy()
        rows[index.astype(np.int64)] = self._stored(values, what, count, rows.dtype, rows.shape[1])
        return rows

    # --- buffers -----------------------------------------------------------------------------

    def view(self, index: Any) -> tuple[memoryview, int]:
        """Bytes of a buffer view, and its stride (0: packed).

        Raises
        ------
        FileFormatError
            If it is missing, compressed, or reaches beyond its buffer.
        """
        entry = self.item("bufferViews", index)
        extensions = entry.get("extensions")
        if isinstance(extensions, dict) and any("meshopt" in name for name in extensions):
            raise self.error(
                "The file is compressed with meshopt, which is not read; "
                "export it without compression"
            )
        data = self._buffer(self.whole(entry, "buffer"))
        start, length = self.whole(entry, "byteOffset", 0), self.whole(entry, "byteLength")
        if start + length > len(data):
            raise self.damaged(f"buffer view {index} runs past its buffer")
        return data[start : start + length], self.whole(entry, "byteStride", 0)

    def resource(self, uri: Any) -> bytes:
        """Bytes behind an address: within the text, or of a file beside this one.

        Raises
        ------
        FileFormatError
            If it leads elsewhere, or cannot be read.
        """
        if not isinstance(uri, str):
            raise self.damaged("an address is no text")
        if uri[:5].lower() == "data:":
            head, _, body = uri.partition(",")
            try:
                if head.lower().endswith(";base64"):
                    return base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError) as error:
                raise self.damaged("embedded data is not base64") from error
            return unquote_to_bytes(body)
        if _SCHEME.match(uri):
            raise self.error(
                f"The file names {uri[:100]!r}, which is not in the folder of the file, so not "
                "read; put the file beside it"
            )
        return read_beside(self.path, unquote(uri), self.limit)

    def _buffer(self, index: int) -> memoryview:
        if index not in self._buffers:
            entry = self.item("buffers", index)
            if entry.get("uri") is not None:
                data = memoryview(self.resource(entry["uri"]))
            elif self.binary is not None and index == 0:
                data = self.binary
            else:
                raise self.damaged(f"buffer {index} has no data")
            if len(data) < self.whole(entry, "byteLength"):
                raise self.damaged(f"buffer {index} is cut off")
            self._buffers[index] = data
        return self._buffers[index]


def open_gltf(
    path: str | os.PathLike[str], *, limit: int | None = None, max_json: int = _MAX_JSON
) -> GltfFile:
    """Open a .glb or .gltf file, told apart by content, and parse its JSON.

    Parameters
    ----------
    limit
        The largest size in bytes of the file, and of each file beside it.
    max_json
        The largest size in bytes of the JSON, with what is embedded there.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, too large, or not glTF 2.
    """
    source = Path(path)
    content = read_bytes(source, limit)
    data = memoryview(content)
    text, binary = _chunks(data, source) if content[:4] == b"glTF" else (data, None)
    if len(text) > max_json:
        raise FileFormatError(f"The JSON of the glTF file is too large: {source}")
    return GltfFile(source, _parsed(bytes(text), source), binary, len(data), limit)


def read_gltf_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON of a .glb or .gltf file alone, without its buffers.

    Raises
    ------
    FileFormatError
        As `open_gltf`.
    """
    source = Path(path)
    with reading(source), source.open("rb") as file:
        head = file.read(20)
        if head[:4] != b"glTF":
            text = head + file.read(_MAX_JSON)
        elif head[16:] == b"JSON":
            (length,) = struct.unpack_from("<I", head, 12)
            text = file.read(min(length, _MAX_JSON))
        else:
            return open_gltf(source).json
    return _parsed(text, source)


def _parsed(text: bytes, source: Path) -> dict[str, Any]:
    try:
        # NaN is no JSON, but some exporters write it into bounds, which nothing here reads.
        document = json.loads(text)
    except ValueError as error:
        raise _damaged("its JSON cannot be parsed", source) from error
    except RecursionError as error:
        raise FileFormatError(f"The glTF file is nested too deeply: {source}") from error
    if not isinstance(document, dict) or not isinstance(document.get("asset"), dict):
        raise _damaged("it has no asset entry", source)
    version = str(document["asset"].get("version", "2"))
    if version.partition(".")[0] != "2":
        raise FileFormatError(
            f"The glTF file is of version {version:.20}, and only version 2 is read: {source}"
        )
    return document


def _chunks(data: memoryview, source: Path) -> tuple[memoryview, memoryview | None]:
    """JSON and binary chunk of a .glb file."""
    if len(data) < 20:
        raise _damaged("its header is cut off", source)
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise FileFormatError(
            f"The .glb file is of version {version}, and only version 2 is read: {source}"
        )
    if length > len(data):
        raise _damaged(f"{length:,} bytes promised, {len(data):,} there", source)
    found: dict[bytes, memoryview] = {}
    start = 12
    while start + 8 <= length and len(found) < 2:
        size, kind = struct.unpack_from("<I4s", data, start)
        start += 8
        if start + size > length:
            raise _damaged("a chunk runs past its end", source)
        if kind in (b"JSON", b"BIN\0"):
            found.setdefault(kind, data[start : start + size])
        start += size
    if b"JSON" not in found:
        raise _damaged("it has no JSON", source)
    return found[b"JSON"], found.get(b"BIN\0")


def _damaged(what: str, source: Path) -> FileFormatError:
    return FileFormatError(f"The glTF file is damaged ({what}): {source}")
