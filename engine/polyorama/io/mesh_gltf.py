"""Meshes from glTF 2.0, as .gltf with files beside it or as .glb."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import display_from_linear
from polyorama.errors import FileFormatError
from polyorama.io.gltf_container import GltfFile, open_gltf
from polyorama.io.gltf_nodes import node_worlds
from polyorama.io.mesh_parts import MAX_BYTES, MAX_CORNERS, Part, decode_texture, left_out
from polyorama.scene.mesh import Material

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_parts"]

_UNDERSTOOD = {
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "EXT_texture_webp",
}
_DRACO = "KHR_draco_mesh_compression"
_HARMLESS = ("KHR_materials_", "KHR_lights_", "KHR_animation_", "KHR_xmp", "KHR_node_")


def read_parts(source: Path, notes: list[str] | None = None) -> list[Part]:
    """Every triangle that the file's scene shows, at rest; `notes` as in `read_mesh`.

    Raises
    ------
    FileFormatError
        If the file is damaged or needs an extension that is not known here.
    """
    file = open_gltf(source, limit=MAX_BYTES, max_json=MAX_BYTES)
    try:
        return _Reader(file, notes).parts()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        # Wrong kinds of values in the JSON: too many places to name each.
        raise file.damaged("its JSON does not fit together; export it again") from error


class _Reader:
    def __init__(self, file: GltfFile, notes: list[str] | None) -> None:
        self._file = file
        self._notes = notes
        self._pictures: dict[tuple[int, bool], NDArray[np.uint8]] = {}
        self._materials: dict[Any, Material] = {}
        self._shapes: dict[int, list[Part]] = {}
        self._corners = 0
        unknown = [
            name
            for name in file.items("extensionsRequired")
            if name not in _UNDERSTOOD and not str(name).startswith(_HARMLESS)
        ]
        if _DRACO in unknown:
            raise self._compressed()
        if unknown:
            raise file.error(
                f"The glTF file needs {', '.join(map(str, unknown))[:200]}, which is not read; "
                "export it without that"
            )

    def parts(self) -> list[Part]:
        nodes, worlds = self._file.items("nodes"), node_worlds(self._file)
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
            raise self._file.error(
                f"The scene has more than {MAX_CORNERS:,} triangle corners; decimate it first"
            )

    def _skinned(
        self, node: dict[str, Any], shape: Part, index: int, worlds: dict[int, NDArray[np.float64]]
    ) -> NDArray[np.float64] | None:
        """Vertices of a skinned mesh in its rest pose; None without joints."""
        skin = self._file.item("skins", node["skin"])
        mesh = self._file.item("meshes", node["mesh"])
        drawn = [p for p in mesh["primitives"] if self._is_drawn(p)]
        attributes = drawn[index]["attributes"]
        if "JOINTS_0" not in attributes or "WEIGHTS_0" not in attributes:
            return None
        joints = self._file.rows(attributes["JOINTS_0"]).astype(np.int64)
        weights = self._file.floats(attributes["WEIGHTS_0"]).astype(np.float64)
        count = len(shape.vertices)
        if joints.shape != (count, 4) or weights.shape != (count, 4):
            raise self._file.damaged("joints and weights do not fit the vertices")
        names = skin["joints"]
        binds = np.broadcast_to(np.eye(4), (len(names), 4, 4))
        if "inverseBindMatrices" in skin:
            columns = self._file.floats(skin["inverseBindMatrices"]).astype(np.float64)
            binds = columns.reshape(-1, 4, 4).transpose(0, 2, 1)[: len(names)]
        moves = np.stack(
            [worlds.get(name, np.eye(4)) @ bind for name, bind in zip(names, binds, strict=True)]
        )
        if joints.max(initial=0) >= len(moves):
            raise self._file.damaged("a vertex names a missing joint")
        # Exporters divide by a sum of zero: what belongs to no joint follows its first one.
        weights = np.nan_to_num(weights, nan=0.0, posinf=0.0, neginf=0.0)
        lost = weights.sum(axis=1) <= 0.0
        weights[lost] = (1.0, 0.0, 0.0, 0.0)
        weights = weights / weights.sum(axis=1, keepdims=True)
        result = np.zeros((count, 3))
        for k in range(4):
            chosen = moves[joints[:, k]]
            placed = np.einsum("nij,nj->ni", chosen[:, :3, :3], shape.vertices) + chosen[:, :3, 3]
            result += weights[:, k, None] * placed
        return result

    def _compressed(self) -> FileFormatError:
        return self._file.error(
            f"The mesh is compressed with Draco ({_DRACO}), which is not read; "
            "export it without compression"
        )

    # --- meshes ------------------------------------------------------------------------------

    @staticmethod
    def _is_drawn(primitive: dict[str, Any]) -> bool:
        """Whether it is made of triangles, not of points or lines."""
        return primitive.get("mode", 4) in (4, 5, 6) and "POSITION" in primitive["attributes"]

    def _shape(self, number: int) -> list[Part]:
        if number not in self._shapes:
            mesh = self._file.item("meshes", number)
            drawn = [p for p in mesh["primitives"] if self._is_drawn(p)]
            weights = mesh.get("weights", [])
            self._shapes[number] = [self._primitive(p, weights) for p in drawn]
        return self._shapes[number]

    def _primitive(self, primitive: dict[str, Any], weights: list[float]) -> Part:
        extensions = primitive.get("extensions", {})
        if _DRACO in extensions:
            raise self._compressed()
        attributes = primitive["attributes"]
        vertices = self._file.floats(attributes["POSITION"], 3)
        for weight, target in zip(weights, primitive.get("targets", []), strict=False):
            if weight and "POSITION" in target:
                vertices = vertices + np.float32(weight) * self._file.floats(target["POSITION"], 3)
        count = len(vertices)
        if "indices" in primitive:
            order = self._file.rows(primitive["indices"]).reshape(-1).astype(np.int64)
        else:
            order = np.arange(count)
        triangles = _triangles(order, primitive.get("mode", 4))
        material, uv_set, turn = self._material(primitive.get("material"))
        colors = uvs = None
        if "COLOR_0" in attributes:
            colors = display_from_linear(
                np.clip(self._file.floats(attributes["COLOR_0"])[:, :3], 0.0, 1.0, dtype=np.float32)
            )
        name = f"TEXCOORD_{uv_set}"
        if material.texture is not None and name in attributes:
            uvs = self._file.floats(attributes[name], 2)
            if turn is not None:
                uvs = (uvs @ turn[:, :2].T + turn[:, 2]).astype(np.float32)
            # Rows of the picture count from the top in glTF.
            uvs = np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=1)
        for extra in (colors, uvs):
            if extra is not None and len(extra) != count:
                raise self._file.damaged("a mesh has attributes of different lengths")
        return Part(vertices, triangles, colors, uvs, material)

    # --- materials ---------------------------------------------------------------------------

    def _material(self, number: Any) -> tuple[Material, int, NDArray[np.float32] | None]:
        """The material, the set of texture coordinates it uses, and their (2, 3) transform."""
        if number is None:
            if None not in self._materials:
                self._materials[None] = Material()
            return self._materials[None], 0, None
        entry = self._file.item("materials", number)
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
            uv_set = self._file.whole(moved if "texCoord" in moved else slot, "texCoord", 0)
            turn = _uv_transform(moved) if moved else None
        if number not in self._materials:
            alpha = entry.get("alphaMode", "OPAQUE")
            color = np.ones(4)
            color[: len(factor)] = factor
            color = np.clip(np.nan_to_num(color), 0, 1)
            texture = None
            if slot is not None:
                texture = self._texture_or_note(slot["index"], alpha=alpha != "OPAQUE")
            if alpha == "OPAQUE":
                color[3] = 1.0
            elif alpha == "MASK" and texture is not None and texture.shape[2] == 4:
                cutoff = float(entry.get("alphaCutoff", 0.5))
                texture = texture.copy()
                texture[:, :, 3] = np.where(texture[:, :, 3] * color[3] >= cutoff * 255, 255, 0)
                color[3] = 1.0
            if "emissiveTexture" in entry:
                text = f"A glow that is painted as a texture is left out: {self._file.path}"
                left_out(self._notes, text)
                glow = np.zeros(3)
            else:
                glow = np.array(entry.get("emissiveFactor", [0, 0, 0]), np.float64)
                strength = extensions.get("KHR_materials_emissive_strength", {})
                glow = glow * float(strength.get("emissiveStrength", 1.0))
            shown = display_from_linear(np.append(color[:3], np.clip(glow, 0.0, 1.0)))
            self._materials[number] = Material(
                color=(float(shown[0]), float(shown[1]), float(shown[2]), float(color[3])),
                texture=texture,
                emission=(float(shown[3]), float(shown[4]), float(shown[5])),
            )
        return self._materials[number], uv_set, turn

    def _texture_or_note(self, number: Any, *, alpha: bool) -> NDArray[np.uint8] | None:
        try:
            return self._texture(number, alpha=alpha)
        except FileFormatError as error:
            if self._notes is None:
                raise
            left_out(self._notes, f"A texture is left out. {error}")
            return None

    def _texture(self, number: Any, *, alpha: bool) -> NDArray[np.uint8]:
        texture = self._file.item("textures", number)
        webp = texture.get("extensions", {}).get("EXT_texture_webp", {})
        image = webp.get("source", texture.get("source"))
        if image is None:
            raise self._file.error(
                "A texture is stored in a way that is not read; export it with PNG or JPEG textures"
            )
        key = (image, alpha)
        if key not in self._pictures:
            entry = self._file.item("images", image)
            name = str(entry.get("name") or f"image {image}")
            if "uri" in entry:
                data = self._file.resource(entry["uri"])
            else:
                data = bytes(self._file.view(entry["bufferView"])[0])
            self._pictures[key] = decode_texture(data, name, self._file.path, alpha=alpha)
        return self._pictures[key]


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
