"""What the loading process hands back: a header in JSON, then plain arrays; nothing is pickled.

The header says how many numbers follow; the receiver checks that against what it is willing to
take before it makes room.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.mesh_parts import MAX_CORNERS, Part
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_PICTURES", "Found", "Surface", "receive", "refuse", "send"]

MAX_PICTURES = 1 << 30
"""Bytes of pictures that are handed over with one mesh."""
_MAX_HEADER = 64 << 20
_LENGTH = struct.Struct("<Q")
_ARRAYS: tuple[tuple[str, Any, int], ...] = (
    ("vertices", np.float32, 3), ("triangles", np.int32, 3),
    ("colors", np.float32, 3), ("uvs", np.float32, 2),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A material whose picture is not decoded yet.

    Parameters
    ----------
    material
        What it looks like where the picture cannot be used.
    painted
        Display RGBA that the picture is multiplied with.
    name
        Of the picture, as the file says it; "" for none.
    picture
        The bytes of one that lies inside the file; else it is sought by its name.
    """

    material: Material = field(default_factory=Material)
    painted: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    name: str = ""
    picture: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a file holds, in its own axes.

    Parameters
    ----------
    parts
        Triangles; their materials are those of `surfaces`, which are told by identity.
    surfaces
        All materials.
    up
        The file's up axis, "y" or "z".
    notes
        A sentence for each thing that was left out.
    """

    parts: list[Part]
    surfaces: list[Surface]
    up: str = "y"
    notes: tuple[str, ...] = ()


def send(file: IO[bytes], found: Found) -> None:
    """Write what was found."""
    numbers = {id(surface.material): k for k, surface in enumerate(found.surfaces)}
    arrays: list[NDArray[Any]] = []
    rows = []
    for part in found.parts:
        row: dict[str, int] = {"surface": numbers[id(part.material)]}
        for name, dtype, _ in _ARRAYS:
            values = getattr(part, name)
            if values is not None:
                arrays.append(np.ascontiguousarray(values, dtype))
                row[name] = len(values)
        rows.append(row)
    surfaces = [
        {
            "color": s.material.color, "emission": s.material.emission, "painted": s.painted,
            "name": s.name, "bytes": len(s.picture),
        }
        for s in found.surfaces
    ]  # fmt: skip
    header = {"parts": rows, "surfaces": surfaces, "up": found.up, "notes": found.notes}
    _write(file, header)
    for array in arrays:
        file.write(array.data)
    for surface in found.surfaces:
        file.write(surface.picture)
    file.flush()


def refuse(file: IO[bytes], reason: str) -> None:
    """Write that the file cannot be read, and why."""
    _write(file, {"error": reason})
    file.flush()


def receive(file: IO[bytes]) -> Found:
    """Read what `send` or `refuse` wrote.

    Raises
    ------
    FileFormatError
        If the other side refused; the text is its reason, without the file's name.
    EOFError
        If the other side ended before all was written.
    ValueError
        If what it says makes no sense, or is more than one mesh may have.
    """
    (length,) = _LENGTH.unpack(_exactly(file, _LENGTH.size))
    if length > _MAX_HEADER:
        raise ValueError("the header is too long")
    try:
        header = json.loads(_exactly(file, length))
        if "error" in header:
            raise FileFormatError(str(header["error"]))
        return _unpacked(file, header)
    except (KeyError, TypeError, IndexError, RecursionError) as error:
        raise ValueError("the header makes no sense") from error


def _unpacked(file: IO[bytes], header: dict[str, Any]) -> Found:
    rows, described = header["parts"], header["surfaces"]
    _check(rows, described)
    parts = []
    materials = [
        Material(_numbers(s["color"], 4), None, _numbers(s["emission"], 3)) for s in described
    ]
    for row in rows:
        arrays = {
            name: _array(file, dtype, row[name], width)
            for name, dtype, width in _ARRAYS
            if name in row
        }
        for name in ("colors", "uvs"):
            if name in arrays and len(arrays[name]) != len(arrays["vertices"]):
                raise ValueError("the arrays do not fit each other")
        parts.append(Part(**arrays, material=materials[row["surface"]]))
    surfaces = [
        Surface(material, _numbers(s["painted"], 4), str(s["name"]), _exactly(file, s["bytes"]))
        for material, s in zip(materials, described, strict=True)
    ]
    return Found(parts, surfaces, str(header["up"]), tuple(map(str, header["notes"])))


def _check(rows: list[dict[str, Any]], surfaces: list[dict[str, Any]]) -> None:
    """Refuse, before any memory is taken, what no mesh may have."""
    counts = [row[name] for row in rows for name, _, _ in _ARRAYS if name in row]
    sizes = [s["bytes"] for s in surfaces]
    if any(type(n) is not int or n < 0 for n in (*counts, *sizes)):
        raise ValueError("a count is no count")
    if any(not 0 <= row["surface"] < len(surfaces) for row in rows):
        raise ValueError("a part has no material")
    corners = sum(3 * row["triangles"] for row in rows)
    vertices = sum(row["vertices"] for row in rows)
    if max(corners, vertices) > MAX_CORNERS or sum(sizes) > MAX_PICTURES:
        raise ValueError("it is too large")


def _numbers(values: list[float], count: int) -> Any:
    numbers = tuple(min(max(float(v), 0.0), 1.0) for v in values)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise ValueError("a colour is none")
    return numbers


def _array(file: IO[bytes], dtype: Any, count: int, width: int) -> NDArray[Any]:
    array = np.empty((count, width), dtype)
    view = array.view(np.uint8).reshape(-1).data
    done = 0
    while done < len(view):
        got = file.readinto(view[done:])  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        done += got
    return array


def _exactly(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise EOFError
    return data


def _write(file: IO[bytes], header: dict[str, Any]) -> None:
    text = json.dumps(header).encode()
    file.write(_LENGTH.pack(len(text)))
    file.write(text)
