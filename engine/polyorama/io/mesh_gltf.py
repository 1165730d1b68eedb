"""Meshes from glTF 2.0, as .gltf with files beside it or as .glb."""

from __future__ import annotations

import base64
import binascii
import json
import logging
import math
import struct
import urllib.parse
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.mesh_parts import MAX_CORNERS, Part, beside, decode_texture, read_file
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_parts"]

log = logging.getLogger(__name__)

_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_UNDERSTOOD = {
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "EXT_texture_webp",
}
_HARMLESS = ("KHR_materials_", "KHR_lights_", "KHR_animation_", "KHR_xmp", "KHR_node_")
_MAX_DEPTH = 256


class _DamagedError(Exception):
    """What is wrong with the file, without its name."""


def read_parts(source: Path) -> list[Part]:
    """Every triangle that the file's scene shows, at rest.

    Raises
    ------
    FileFormatError
        If the file is damaged or needs an extension that is not known here.
    """
    try:
        document, chunk = _split(source.read_bytes())
        return _Reader(source, document, chunk).parts()
    except _DamagedError as error:
        raise FileFormatError(f"The glTF file is damaged ({error}): {source}") from error
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        # Wrong kinds of values in the JSON: too many places to name each.
        raise FileFormatError(
            f"The glTF file is damaged (its JSON does not fit together); export it again: {source}"
        ) from error
    except RecursionError as error:
        raise FileFormatError(f"The glTF file is nested too deeply: {source}") from error


def _split(data: bytes) -> tuple[dict[str, Any], bytes | None]:
    """The JSON and, of a GLB, its binary chunk."""
    chunk = None
    text = data
    if data[:4] == b"glTF":
        if len(data) < 20:
            raise _DamagedError("the header is cut off")
        version, length = struct.unpack_from("<II", data, 4)
        if version != 2:
            raise _DamagedError(f"version {version} instead of 2")
        if length > len(data):
            raise _DamagedError(f"{length:,} bytes promised, {len(data):,} there")
        text = b""
        offset = 12
        while offset + 8 <= length:
            size, kind = struct.unpack_from("<I4s", data, offset)
            if offset + 8 + size > length:
                raise _DamagedError("a chunk runs past the end")
            if kind == b"JSON" and not text:
                text = data[offset + 8 : offset + 8 + size]
            elif kind == b"BIN\0" and chunk is None:
                chunk = data[offset + 8 : offset + 8 + size]
            offset += 8 + size
    try:
        document = json.loads(text)
    except ValueError as error:
        raise _DamagedError("its JSON cannot be parsed") from error
    if not isinstance(document, dict) or not isinstance(document.get("asset"), dict):
        raise _DamagedError("it has no asset entry")
    if not str(document["asset"].get("version", "2")).startswith("2"):
        raise _DamagedError("only version 2 is known")
    return document, chunk


def _at(entries: Any, index: Any, what: str) -> dict[str, Any]:
    if not isinstance(index, int) or isinstance(index, bool):
        raise _DamagedError(f"a {what} is named by {index!r}")
    if not isinstance(entries, list) or not 0 <= index < len(entries):
        raise _DamagedError(f"there is no {what} {index}")
    entry = entries[index]
    if not isinstance(entry, dict):
        raise _DamagedError(f"{what} {index} is no object")
    return entry


def _natural(entry: dict[str, Any], key: str, default: int | None = None) -> int:
    value = entry.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _DamagedError(f"{key} is {value!r}")
    return value


class _Reader:
    def __init__(self, source: Path, document: dict[str, Any], chunk: bytes | None) -> None:
        self._source = source
        self._doc = document
        self._chunk = chunk
        self._buffers: dict[int, bytes] = {}
        self._pictures: dict[int, NDArray[np.uint8]] = {}
        self._materials: dict[Any, Material] = {}
        self._shapes: dict[int, list[Part]] = {}
        self._corners = 0
        unknown = [
            name
            for name in document.get("extensionsRequired", [])
            if name not in _UNDERSTOOD and not str(name).startswith(_HARMLESS)
        ]
        if unknown:
            raise FileFormatError(
                f"The glTF file needs {', '.join(map(str, unknown))[:200]}, which is not read; "
                f"export it without that: {source}"
            )

    def parts(self) -> list[Part]:
        nodes = self._doc.get("nodes", [])
        worlds = self._worlds(nodes)
        shown = [(nodes[n], world) for n, world in worlds.items() if "mesh" in nodes[n]]
        # Nodes may share meshes: a small file can name a huge scene.
        for node, _ in shown:
            for shape in self._shape(node["mesh"]):
                self._count(shape)
        parts: list[Part] = []
        for node, world in shown:
            for index, shape in enumerate(self._shape(node["mesh"])):
                moved = self._skinned(node, shape, index, worlds) if "skin" in node else None
                if moved is None:
                    moved = shape.vertices @ world[:3, :3].T + world[:3, 3]
                triangles = shape.triangles
                if np.linalg.det(world[:3, :3]) < 0.0 and "skin" not in node:
                    triangles = triangles[:, ::-1]
                parts.append(
                    Part(
                        moved.astype(np.float32), triangles, shape.colors, shape.uvs, shape.material
                    )
                )
        return parts

    def _count(self, shape: Part) -> None:
        self._corners += max(shape.triangles.size, len(shape.vertices))
        if self._corners > MAX_CORNERS:
            raise FileFormatError(
                f"The scene has more than {MAX_CORNERS:,} triangle corners; "
                f"decimate it first: {self._source}"
            )

    # --- nodes -------------------------------------------------------------------------------

    def _worlds(self, nodes: list[Any]) -> dict[int, NDArray[np.float64]]:
        """Node to world of every node that the scene shows."""
        scenes = self._doc.get("scenes")
        if scenes:
            scene = _at(scenes, self._doc.get("scene", 0), "scene")
            roots = scene.get("nodes", [])
        else:
            below = {child for node in nodes for child in node.get("children", [])}
            roots = [number for number in range(len(nodes)) if number not in below]
        worlds: dict[int, NDArray[np.float64]] = {}
        waiting = [(number, np.eye(4), 0) for number in reversed(roots)]
        while waiting:
            number, above, depth = waiting.pop()
            node = _at(nodes, number, "node")
            if number in worlds or depth > _MAX_DEPTH:
                raise _DamagedError(f"node {number} is in the tree twice")
            worlds[number] = above @ _local(node)
            waiting.extend(
                (c, worlds[number], depth + 1) for c in reversed(node.get("children", []))
            )
        return worlds

    def _skinned(
        self, node: dict[str, Any], shape: Part, index: int, worlds: dict[int, NDArray[np.float64]]
    ) -> NDArray[np.float64] | None:
        """Vertices of a skinned mesh in its rest pose; None without joints."""
        skin = _at(self._doc.get("skins"), node["skin"], "skin")
        mesh = _at(self._doc.get("meshes"), node["mesh"], "mesh")
        drawn = [p for p in mesh["primitives"] if self._is_drawn(p)]
        attributes = drawn[index]["attributes"]
        if "JOINTS_0" not in attributes or "WEIGHTS_0" not in attributes:
            return None
        joints = self._accessor(attributes["JOINTS_0"], whole=True).astype(np.int64)
        weights = self._accessor(attributes["WEIGHTS_0"]).astype(np.float64)
        count = len(shape.vertices)
        if joints.shape != (count, 4) or weights.shape != (count, 4):
            raise _DamagedError("joints and weights do not fit the vertices")
        names = skin["joints"]
        binds = np.broadcast_to(np.eye(4), (len(names), 4, 4))
        if "inverseBindMatrices" in skin:
            columns = self._accessor(skin["inverseBindMatrices"]).astype(np.float64)
            binds = columns.reshape(-1, 4, 4).transpose(0, 2, 1)[: len(names)]
        moves = np.stack(
            [worlds.get(name, np.eye(4)) @ bind for name, bind in zip(names, binds, strict=True)]
        )
        if joints.max(initial=0) >= len(moves):
            raise _DamagedError("a vertex names a missing joint")
        total = weights.sum(axis=1, keepdims=True)
        weights = weights / np.where(total > 0, total, 1.0)
        result = np.zeros((count, 3))
        for k in range(4):
            chosen = moves[joints[:, k]]
            placed = np.einsum("nij,nj->ni", chosen[:, :3, :3], shape.vertices) + chosen[:, :3, 3]
            result += weights[:, k, None] * placed
        return result

    # --- meshes ------------------------------------------------------------------------------

    @staticmethod
    def _is_drawn(primitive: dict[str, Any]) -> bool:
        """Whether it is made of triangles, not of points or lines."""
        return primitive.get("mode", 4) in (4, 5, 6) and "POSITION" in primitive["attributes"]

    def _shape(self, number: int) -> list[Part]:
        if number not in self._shapes:
            mesh = _at(self._doc.get("meshes"), number, "mesh")
            drawn = [p for p in mesh["primitives"] if self._is_drawn(p)]
            weights = mesh.get("weights", [])
            self._shapes[number] = [self._primitive(p, weights) for p in drawn]
        return self._shapes[number]

    def _primitive(self, primitive: dict[str, Any], weights: list[float]) -> Part:
        extensions = primitive.get("extensions", {})
        if "KHR_draco_mesh_compression" in extensions:
            raise FileFormatError(
                f"The mesh is compressed with Draco, which is not read; "
                f"export it without compression: {self._source}"
            )
        attributes = primitive["attributes"]
        vertices = self._vectors(attributes["POSITION"], 3)
        for weight, target in zip(weights, primitive.get("targets", []), strict=False):
            if weight and "POSITION" in target:
                vertices = vertices + np.float32(weight) * self._vectors(target["POSITION"], 3)
        count = len(vertices)
        if "indices" in primitive:
            order = self._accessor(primitive["indices"], whole=True).reshape(-1).astype(np.int64)
        else:
            order = np.arange(count)
        triangles = _triangles(order, primitive.get("mode", 4))
        material, uv_set, turn = self._material(primitive.get("material"))
        colors = uvs = None
        if "COLOR_0" in attributes:
            colors = _display(self._accessor(attributes["COLOR_0"])[:, :3].astype(np.float32))
        name = f"TEXCOORD_{uv_set}"
        if material.texture is not None and name in attributes:
            uvs = self._vectors(attributes[name], 2)
            if turn is not None:
                uvs = (uvs @ turn[:, :2].T + turn[:, 2]).astype(np.float32)
            # Rows of the picture count from the top in glTF.
            uvs = np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=1)
        for extra in (colors, uvs):
            if extra is not None and len(extra) != count:
                raise _DamagedError("a mesh has attributes of different lengths")
        return Part(vertices, triangles, colors, uvs, material)

    def _vectors(self, number: Any, width: int) -> NDArray[np.float32]:
        values = self._accessor(number)
        if values.ndim != 2 or values.shape[1] != width:
            raise _DamagedError(f"accessor {number} is not of {width} numbers")
        return values.astype(np.float32)

    # --- materials ---------------------------------------------------------------------------

    def _material(self, number: Any) -> tuple[Material, int, NDArray[np.float32] | None]:
        """The material, the set of texture coordinates it uses, and their (2, 3) transform."""
        if number is None:
            if None not in self._materials:
                self._materials[None] = Material()
            return self._materials[None], 0, None
        entry = _at(self._doc.get("materials"), number, "material")
        surface = entry.get("pbrMetallicRoughness", {})
        extensions = entry.get("extensions", {})
        slot = surface.get("baseColorTexture")
        factor = surface.get("baseColorFactor", [1, 1, 1, 1])
        old = extensions.get("KHR_materials_pbrSpecularGlossiness")
        if old is not None and not surface:
            slot, factor = old.get("diffuseTexture"), old.get("diffuseFactor", factor)
        uv_set, turn = 0, None
        if slot is not None:
            moved = slot.get("extensions", {}).get("KHR_texture_transform", {})
            uv_set = _natural(moved if "texCoord" in moved else slot, "texCoord", 0)
            turn = _uv_transform(moved) if moved else None
        if number not in self._materials:
            alpha = entry.get("alphaMode", "OPAQUE")
            color = np.ones(4)
            color[: len(factor)] = factor
            color = np.clip(np.nan_to_num(color), 0, 1)
            texture = self._texture(slot["index"]) if slot is not None else None
            if alpha == "OPAQUE":
                color[3] = 1.0
                texture = None if texture is None else texture[:, :, :3]
            elif alpha == "MASK" and texture is not None and texture.shape[2] == 4:
                cutoff = float(entry.get("alphaCutoff", 0.5))
                texture = texture.copy()
                texture[:, :, 3] = np.where(texture[:, :, 3] * color[3] >= cutoff * 255, 255, 0)
                color[3] = 1.0
            if "emissiveTexture" in entry:
                log.warning("A glow that is painted as a texture is left out: %s", self._source)
                glow = np.zeros(3)
            else:
                glow = np.array(entry.get("emissiveFactor", [0, 0, 0]), np.float64)
                strength = extensions.get("KHR_materials_emissive_strength", {})
                glow = glow * float(strength.get("emissiveStrength", 1.0))
            shown = _display(np.append(color[:3], np.clip(glow, 0, 1)).astype(np.float32))
            self._materials[number] = Material(
                color=(float(shown[0]), float(shown[1]), float(shown[2]), float(color[3])),
                texture=None if texture is None else np.ascontiguousarray(texture),
                emission=(float(shown[3]), float(shown[4]), float(shown[5])),
            )
        return self._materials[number], uv_set, turn

    def _texture(self, number: Any) -> NDArray[np.uint8]:
        texture = _at(self._doc.get("textures"), number, "texture")
        webp = texture.get("extensions", {}).get("EXT_texture_webp", {})
        image = webp.get("source", texture.get("source"))
        if image is None:
            raise FileFormatError(
                f"A texture is stored in a way that is not read; "
                f"export it with PNG or JPEG textures: {self._source}"
            )
        if image not in self._pictures:
            entry = _at(self._doc.get("images"), image, "image")
            name = str(entry.get("name") or f"image {image}")
            if "uri" in entry:
                data = self._resource(entry["uri"])
            else:
                data = bytes(self._view(entry["bufferView"])[0])
            self._pictures[image] = decode_texture(data, name, self._source)
        return self._pictures[image]

    # --- buffers -----------------------------------------------------------------------------

    def _resource(self, uri: Any) -> bytes:
        if not isinstance(uri, str):
            raise _DamagedError("a URI is no text")
        if uri[:5].lower() == "data:":
            head, _, body = uri.partition(",")
            try:
                if head.lower().endswith(";base64"):
                    return base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError) as error:
                raise _DamagedError("embedded data is not base64") from error
            return urllib.parse.unquote_to_bytes(body)
        if urllib.parse.urlsplit(uri).scheme:
            raise FileFormatError(
                f"The mesh refers to {uri[:100]!r}, which is not read; "
                f"put the file beside it: {self._source}"
            )
        return read_file(beside(self._source, urllib.parse.unquote(uri)))

    def _buffer(self, number: Any) -> bytes:
        if number not in self._buffers:
            entry = _at(self._doc.get("buffers"), number, "buffer")
            if "uri" in entry:
                data = self._resource(entry["uri"])
            elif number == 0 and self._chunk is not None:
                data = self._chunk
            else:
                raise _DamagedError(f"buffer {number} has no data")
            if len(data) < _natural(entry, "byteLength"):
                raise _DamagedError(f"buffer {number} is cut off")
            self._buffers[number] = data
        return self._buffers[number]

    def _view(self, number: Any) -> tuple[memoryview, int]:
        """Bytes of a buffer view, and its stride (0: packed)."""
        view = _at(self._doc.get("bufferViews"), number, "buffer view")
        if "EXT_meshopt_compression" in view.get("extensions", {}):
            raise FileFormatError(
                f"The mesh is compressed with meshopt, which is not read; "
                f"export it without compression: {self._source}"
            )
        data = self._buffer(view["buffer"])
        offset, length = _natural(view, "byteOffset", 0), _natural(view, "byteLength")
        if offset + length > len(data):
            raise _DamagedError(f"buffer view {number} runs past its buffer")
        return memoryview(data)[offset : offset + length], _natural(view, "byteStride", 0)

    def _accessor(self, number: Any, *, whole: bool = False) -> NDArray[Any]:
        """Rows of an accessor, (count, width); normalised integers as float32 unless `whole`."""
        entry = _at(self._doc.get("accessors"), number, "accessor")
        kind = _COMPONENTS.get(_natural(entry, "componentType"))
        width = _WIDTHS.get(str(entry.get("type")))
        if kind is None or width is None:
            raise _DamagedError(f"accessor {number} has an unknown type")
        count = _natural(entry, "count")
        if count > MAX_CORNERS:
            raise _DamagedError(f"accessor {number} promises {count:,} rows")
        if "bufferView" in entry:
            rows = self._rows(
                entry["bufferView"], _natural(entry, "byteOffset", 0), count, kind, width
            )
        elif "sparse" in entry:
            rows = np.zeros((count, width), kind)
        else:
            raise _DamagedError(f"accessor {number} has no data")
        if "sparse" in entry:
            rows = self._sparse(entry["sparse"], rows, kind, width)
        if whole or not entry.get("normalized") or rows.dtype.kind == "f":
            return rows
        top = np.iinfo(rows.dtype).max
        scaled = rows.astype(np.float32) / np.float32(top)
        return np.asarray(np.maximum(scaled, np.float32(-1.0)))

    def _rows(self, view: Any, offset: int, count: int, kind: str, width: int) -> NDArray[Any]:
        data, stride = self._view(view)
        size = np.dtype(kind).itemsize
        stride = stride or size * width
        if stride < size * width or (
            count and offset + stride * (count - 1) + size * width > len(data)
        ):
            raise _DamagedError("an accessor runs past its buffer view")
        if count == 0:
            return np.zeros((0, width), kind)
        raw = np.frombuffer(data, np.uint8)
        spaced = np.lib.stride_tricks.as_strided(
            raw[offset:], (count, size * width), (stride, 1), writeable=False
        )
        return np.ascontiguousarray(spaced).view(kind)

    def _sparse(
        self, sparse: dict[str, Any], rows: NDArray[Any], kind: str, width: int
    ) -> NDArray[Any]:
        count = _natural(sparse, "count")
        where, what = sparse["indices"], sparse["values"]
        index_kind = _COMPONENTS[where["componentType"]]
        index = self._rows(
            where["bufferView"], _natural(where, "byteOffset", 0), count, index_kind, 1
        ).reshape(-1)
        values = self._rows(what["bufferView"], _natural(what, "byteOffset", 0), count, kind, width)
        if count and int(index.max()) >= len(rows):
            raise _DamagedError("a sparse accessor names a missing row")
        rows = rows.copy()
        rows[index.astype(np.int64)] = values
        return rows


def _local(node: dict[str, Any]) -> NDArray[np.float64]:
    """Node to parent."""
    if "matrix" in node:
        matrix = np.array(node["matrix"], np.float64).reshape(4, 4).T
    else:
        x, y, z, w = (float(v) for v in node.get("rotation", (0, 0, 0, 1)))
        norm = math.sqrt(x * x + y * y + z * z + w * w) or 1.0
        x, y, z, w = x / norm, y / norm, z / norm, w / norm
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        matrix = np.eye(4)
        matrix[:3, :3] = turn * np.array(node.get("scale", (1, 1, 1)), np.float64).reshape(3)
        matrix[:3, 3] = np.array(node.get("translation", (0, 0, 0)), np.float64).reshape(3)
    if not np.isfinite(matrix).all():
        raise _DamagedError("a node's transform is not finite")
    return matrix


def _triangles(order: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    if mode == 4:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    count = max(len(order) - 2, 0)
    k = np.arange(count)
    if mode == 6:
        return np.stack([np.broadcast_to(order[:1], count), order[k + 1], order[k + 2]], axis=1)
    odd = k % 2
    strip = np.stack([order[k], order[k + 1 + odd], order[k + 2 - odd]], axis=1)
    return np.asarray(strip, np.int64)


def _uv_transform(entry: dict[str, Any]) -> NDArray[np.float32]:
    """(2, 3) map of texture coordinates, v down."""
    (du, dv), (su, sv) = entry.get("offset", (0, 0)), entry.get("scale", (1, 1))
    angle = float(entry.get("rotation", 0.0))
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c * su, s * sv, du], [-s * su, c * sv, dv]], np.float32)


def _display(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Display (sRGB) colours of glTF's linear factors."""
    c = np.clip(linear, 0.0, 1.0)
    curve = np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)
    return np.asarray(curve, np.float32)
