"""Meshes from Wavefront OBJ with its MTL materials."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.limits import read_beside
from polyorama.io.mesh_parts import MAX_BYTES, MAX_CORNERS, Part, decode_texture, fan, left_out
from polyorama.io.mesh_pictures import read_picture
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_parts"]

# Options of map_Kd and how many words follow each.
_OPTIONS = {
    b"-blendu": 1, b"-blendv": 1, b"-cc": 1, b"-clamp": 1, b"-texres": 1, b"-bm": 1, b"-boost": 1,
    b"-imfchan": 1, b"-type": 1, b"-mm": 2,
}  # fmt: skip
_VECTORS = (b"-o", b"-s", b"-t")


def read_parts(source: Path, notes: list[str] | None = None) -> list[Part]:
    """All faces of an OBJ file, a part for each material; `notes` as in `read_mesh`.

    Raises
    ------
    FileFormatError
        If a line cannot be understood or a face names a missing vertex.
    """
    data = source.read_bytes().removeprefix(codecs.BOM_UTF8)
    if b"\0" in data[:4096]:
        raise FileFormatError(f"This is not an OBJ file (it is not text): {source}")
    return _Reader(source, notes).parts(data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" "))


class _Reader:
    def __init__(self, source: Path, notes: list[str] | None) -> None:
        self._source = source
        self._notes = notes
        self._positions: list[tuple[float, ...]] = []
        self._uvs: list[tuple[float, float]] = []
        self._corners: dict[bytes, list[tuple[int, int]]] = {}
        self._sizes: dict[bytes, list[int]] = {}
        self._libraries: list[bytes] = []

    def parts(self, data: bytes) -> list[Part]:
        self._scan(data)
        materials = self._materials()
        width = 6 if any(len(p) >= 6 for p in self._positions) else 3
        table = np.array(
            [(p[:width] if len(p) >= width else (*p[:3], 1.0, 1.0, 1.0)) for p in self._positions],
            np.float32,
        ).reshape(-1, width)
        uv_table = np.array(self._uvs, np.float32).reshape(-1, 2)
        default = Material()
        return [
            self._part(name, table, uv_table, materials.get(name, default))
            for name in self._sizes
            if self._sizes[name]
        ]

    def _scan(self, data: bytes) -> None:
        current = b""
        corners = self._corners.setdefault(current, [])
        sizes = self._sizes.setdefault(current, [])
        for number, line in enumerate(data.splitlines(), start=1):
            words = line.split()
            if not words:
                continue
            try:
                match words[0]:
                    case b"v":
                        position = tuple(map(float, words[1:7]))
                        if len(position) < 3:
                            raise ValueError("a vertex needs three numbers")
                        self._positions.append(position)
                    case b"vt":
                        self._uvs.append(
                            (float(words[1]), float(words[2]) if len(words) > 2 else 0.0)
                        )
                    case b"f":
                        face = [self._corner(word) for word in words[1:]]
                        corners.extend(face)
                        sizes.append(len(face))
                    case b"usemtl":
                        current = line.split(None, 1)[1].strip() if len(words) > 1 else b""
                        corners = self._corners.setdefault(current, [])
                        sizes = self._sizes.setdefault(current, [])
                    case b"mtllib":
                        self._libraries.append(line.split(None, 1)[1].strip())
            except (ValueError, IndexError) as error:
                shown = line[:60].decode("utf-8", "replace").strip()
                raise FileFormatError(
                    f"Line {number} of the OBJ file cannot be understood ({shown!r}): "
                    f"{self._source}"
                ) from error

    def _corner(self, word: bytes) -> tuple[int, int]:
        """Position and texture coordinate of a face's corner, from 0; -1 for none."""
        position, _, rest = word.partition(b"/")
        uv, _, _ = rest.partition(b"/")
        return (
            self._index(int(position), len(self._positions)),
            self._index(int(uv), len(self._uvs)) if uv else -1,
        )

    @staticmethod
    def _index(number: int, count: int) -> int:
        index = number - 1 if number > 0 else count + number
        # Vertices may follow their faces, so only what no mesh can have is refused here.
        if number == 0 or not 0 <= index < MAX_CORNERS:
            raise ValueError("no such vertex")
        return index

    def _part(
        self,
        name: bytes,
        table: NDArray[np.float32],
        uv_table: NDArray[np.float32],
        material: Material,
    ) -> Part:
        corners = np.array(self._corners[name], np.int64).reshape(-1, 2)
        if corners[:, 0].max() >= len(table) or corners[:, 1].max() >= len(uv_table):
            raise FileFormatError(
                f"A face of the OBJ file names a vertex that is not there; "
                f"export or download it again: {self._source}"
            )
        key = corners[:, 0] * (len(uv_table) + 1) + corners[:, 1] + 1
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        unique = corners[first]
        picks, _ = fan(np.array(self._sizes[name], np.int64))
        uvs = None
        if len(uv_table) and (unique[:, 1] >= 0).any():
            uvs = np.where(unique[:, 1:] >= 0, uv_table[unique[:, 1]], np.float32(0.0))
        return Part(
            vertices=table[unique[:, 0], :3],
            triangles=inverse[picks],
            colors=table[unique[:, 0], 3:6] if table.shape[1] >= 6 else None,
            uvs=uvs,
            material=material,
        )

    def _materials(self) -> dict[bytes, Material]:
        materials: dict[bytes, Material] = {}
        for library in dict.fromkeys(self._libraries):
            name = library.decode("utf-8", "replace")
            try:
                data = read_beside(self._source, name, MAX_BYTES)
            except FileFormatError as error:
                # An OBJ without its colours is still the shape that was asked for.
                left_out(self._notes, f"Materials are left out. {error}")
                continue
            materials.update(self._library(data))
        return materials

    def _library(self, data: bytes) -> dict[bytes, Material]:
        found: dict[bytes, Material] = {}
        name: bytes | None = None
        color, glow, alpha = [1.0] * 3, [0.0] * 3, 1.0
        texture: NDArray[np.uint8] | None = None

        def finish() -> None:
            if name is not None:
                # With a texture, exporters write a diffuse colour that viewers multiply; black
                # would hide the texture and never means that.
                r, g, b = color if texture is None or any(color) else (1.0, 1.0, 1.0)
                found[name] = Material((r, g, b, alpha), texture, (glow[0], glow[1], glow[2]))

        for line in data.splitlines():
            words = line.split()
            if not words:
                continue
            match words[0]:
                case b"newmtl":
                    finish()
                    name = line.split(None, 1)[1].strip() if len(words) > 1 else b""
                    color, glow, alpha, texture = [1.0] * 3, [0.0] * 3, 1.0, None
                case b"Kd":
                    color = _color(words[1:], color)
                case b"Ke":
                    glow = _color(words[1:], glow)
                case b"d":
                    alpha = _color(words[-1:], [alpha])[0]
                case b"Tr":
                    alpha = 1.0 - _color(words[1:2], [1.0 - alpha])[0]
                case b"map_Kd":
                    texture = self._picture(words[1:])
        finish()
        return found

    def _picture(self, words: list[bytes]) -> NDArray[np.uint8] | None:
        place = 0
        while place < len(words) and words[place].startswith(b"-"):
            option = words[place].lower()
            place += 1 + _OPTIONS.get(option, 0)
            if option in _VECTORS:
                while place < len(words) - 1 and _is_number(words[place]):
                    place += 1
        name = b" ".join(words[place:]).decode("utf-8", "replace")
        try:
            return decode_texture(read_picture(self._source, name), name, self._source)
        except FileFormatError as error:
            left_out(self._notes, f"A texture is left out. {error}")
            return None


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _color(words: list[bytes], default: list[float]) -> list[float]:
    """One or three numbers 0..1; what cannot be read is as before."""
    numbers = [float(word) for word in words if _is_number(word)]
    wanted = len(default)
    if len(numbers) == 1:
        numbers = numbers * wanted
    if len(numbers) < wanted or not np.isfinite(numbers).all():
        return default
    return [min(max(number, 0.0), 1.0) for number in numbers[:wanted]]
