"""Takes as glTF 2.0: the rig's mesh with morph targets, a joint for its head, and the animation.

Viewers show it as it is: y is up, the face looks along +z, units are the rig's. Names of targets
are in ``mesh.extras.targetNames``; the weights channel targets the mesh's own node. Targets are
sparse, as Blender writes them. A joint "head" under "neck" turns the head; vertices between follow
in part. Provenance, phones and the exact rate are in ``asset.extras.polyorama``.
"""

from __future__ import annotations

import base64
import io
import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import linear_from_display
from polyorama.errors import OutputError
from polyorama.face.exports.baked import (
    baked,
    head_vectors,
    head_weights,
    quaternions_of,
    target_weights,
)
from polyorama.face.exports.words import phones_entry, provenance_entry, writer
from polyorama.io.atomic import atomic_write
from polyorama.scene.faces.channels import CHANNEL_INDEX, HEAD

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.face.exports.baked import BakedRig
    from polyorama.face.take import Take
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.mesh import Material, Mesh

__all__ = ["own_words", "write_take_gltf"]

_UBYTE, _USHORT, _UINT, _FLOAT = 5121, 5123, 5125, 5126
_VERTICES, _INDICES = 34962, 34963
_KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_NECK, _HEAD, _FACE = 0, 1, 2
"""Nodes."""
_MAX_BYTES = 0xFFFF0000


def write_take_gltf(take: Take, rig: MorphRig, path: str | os.PathLike[str]) -> None:
    """Write a .glb file, or a .gltf file with everything inside.

    Parameters
    ----------
    take
        What is performed. Its sound and emotion have no place in glTF.
    rig
        What performs.
    path
        Where to; the ending chooses.

    Raises
    ------
    OutputError
        If it does not fit in 4 GiB, the head turns by half a turn, or the system refuses.
    UsageError
        If the rig's head cannot be one joint.
    """
    document, data = _document(take, rig, path)
    if len(data) > _MAX_BYTES:
        raise OutputError(f"The take does not fit in the 4 GiB of a glTF file; cut it: {path}")
    if Path(path).suffix.lower() == ".gltf":
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode("ascii")
        document["buffers"] = [{"byteLength": len(data), "uri": uri}]
        with atomic_write(path) as temporary:
            temporary.write_text(json.dumps(document, allow_nan=False) + "\n", "utf-8")
        return
    document["buffers"] = [{"byteLength": len(data)}]
    head = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    head += b" " * (-len(head) % 4)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(head) + 8 + len(data)))
        file.write(struct.pack("<I4s", len(head), b"JSON") + head)
        file.write(struct.pack("<I4s", len(data), b"BIN\0"))
        file.write(data)


def own_words(take: Take, turns: NDArray[np.float64]) -> dict[str, Any]:
    """What formats that have animation but no place for the rest hold beside it.

    Parameters
    ----------
    take
        Whose words.
    turns
        (3, 3) rotation vectors of the head in the file's axes, rad, by which readers tell yaw,
        pitch and roll. Where they do not, the rows of the head are in the words too.
    """
    words: dict[str, Any] = {
        "writtenBy": writer(),
        "provenance": provenance_entry(take.provenance),
        "phones": phones_entry(take.phones),
        "fps": take.performance.fps,
        "headTurns": turns.tolist(),
    }
    if head_weights(np.zeros((1, 3)), turns) is None:
        rows = take.performance.weights[:, [CHANNEL_INDEX[name] for name in HEAD]]
        words["headMat"] = rows.tolist()
    return words


def _document(
    take: Take, rig: MorphRig, path: str | os.PathLike[str]
) -> tuple[dict[str, Any], bytes]:
    ready = baked(rig)
    store = _Store()
    name = rig.name or "face"
    performance = take.performance
    vectors = head_vectors(ready, performance, path)
    times = store.add(
        (np.arange(len(performance)) / performance.fps).astype(np.float32)[:, None], bounds=True
    )
    weights = store.add(target_weights(ready, performance).reshape(-1, 1))
    turns = store.add(quaternions_of(vectors).astype(np.float32))
    channels = [("weights", _FACE), ("rotation", _HEAD)]
    pivot = ready.pivot.astype(float).tolist()
    document = {
        "asset": {
            "version": "2.0",
            "generator": writer(),
            "extras": {"polyorama": own_words(take, ready.turns)},
        },
        "scene": 0,
        "scenes": [{"name": name, "nodes": [_NECK, _FACE]}],
        "nodes": [
            {"name": "neck", "translation": pivot, "children": [_HEAD]},
            {"name": "head"},
            {"name": name, "mesh": 0, "skin": 0},
        ],
        "meshes": [_mesh(store, rig, ready, name)],
        "skins": [{"joints": [_NECK, _HEAD], "skeleton": _NECK,
                   "inverseBindMatrices": _binds(store, ready)}],
        "materials": [_material(store, m) for m in rig.mesh.materials],
        "animations": [
            {
                "name": "take",
                "samplers": [
                    {"input": times, "interpolation": "LINEAR", "output": weights},
                    {"input": times, "interpolation": "LINEAR", "output": turns},
                ],
                "channels": [
                    {"sampler": i, "target": {"node": node, "path": what}}
                    for i, (what, node) in enumerate(channels)
                ],
            }
        ],
    }  # fmt: skip
    if rig.credit:
        document["asset"]["copyright"] = rig.credit  # type: ignore[index]
    return document | store.entries(), bytes(store.data)


def _mesh(store: _Store, rig: MorphRig, ready: BakedRig, name: str) -> dict[str, Any]:
    mesh = rig.mesh
    count = len(mesh.vertices)
    joints = np.zeros((count, 4), np.uint8)
    shares = np.zeros((count, 4), np.float32)
    joints[:, 1] = 1
    shares[:, 0], shares[:, 1] = 1.0 - ready.head_share, ready.head_share
    # A joint without weight is named 0.
    joints[ready.head_share == 0.0, 1] = 0
    attributes = {
        "POSITION": store.add(ready.vertices, _VERTICES, bounds=True),
        "NORMAL": store.add(ready.normals, _VERTICES),
        "JOINTS_0": store.add(joints, _VERTICES),
        "WEIGHTS_0": store.add(shares, _VERTICES),
    }
    if mesh.uvs is not None:
        # Rows of the picture count from the top in glTF.
        attributes["TEXCOORD_0"] = store.add(mesh.uvs * (1.0, -1.0) + (0.0, 1.0), _VERTICES)
    if mesh.colors is not None:
        light = linear_from_display(np.clip(mesh.colors, 0.0, 1.0))
        attributes["COLOR_0"] = store.add(light, _VERTICES)
    targets = [{"POSITION": store.add_sparse(count, *moved)} for moved in ready.offsets]
    primitives = [
        {"attributes": attributes, "indices": store.add(triangles.reshape(-1, 1), _INDICES),
         "material": number, "targets": targets}
        for number, triangles in _by_material(mesh)
    ]  # fmt: skip
    return {
        "name": name,
        "primitives": primitives,
        "weights": [0.0] * len(ready.targets),
        "extras": {"targetNames": list(ready.targets)},
    }


def _by_material(mesh: Mesh) -> list[tuple[int, NDArray[np.uint32]]]:
    if mesh.material_ids is None:
        return [(0, mesh.triangles.astype(np.uint32))]
    return [
        (int(number), mesh.triangles[mesh.material_ids == number].astype(np.uint32))
        for number in np.unique(mesh.material_ids)
    ]


def _binds(store: _Store, ready: BakedRig) -> int:
    # Both joints rest at the pivot; matrices lie column by column.
    bind = np.eye(4, dtype=np.float32)
    bind[3, :3] = -ready.pivot
    return store.add(np.stack([bind, bind]).reshape(2, 16))


def _material(store: _Store, material: Material) -> dict[str, Any]:
    color = np.clip(np.array(material.color, np.float64), 0.0, 1.0)
    factor = [*linear_from_display(color[:3]).tolist(), float(color[3])]
    surface: dict[str, Any] = {
        "baseColorFactor": factor, "metallicFactor": 0.0, "roughnessFactor": 0.6,
    }  # fmt: skip
    clear = color[3] < 1.0
    if material.texture is not None:
        surface["baseColorTexture"] = {"index": store.add_texture(material.texture)}
        clear = clear or bool(
            material.texture.shape[2] == 4 and (material.texture[:, :, 3] < 255).any()
        )
    # Mouths and lids are seen from inside too.
    entry: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": True}
    if clear:
        entry["alphaMode"] = "BLEND"
    glow = linear_from_display(np.clip(np.array(material.emission, np.float64), 0.0, 1.0))
    if glow.any():
        entry["emissiveFactor"] = glow.tolist()
    return entry


class _Store:
    """The binary part of a file as it grows, and what lies where in it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._textures: list[dict[str, Any]] = []
        self._images: list[dict[str, Any]] = []

    def entries(self) -> dict[str, Any]:
        """The lists of the document that name what lies here; glTF allows no empty ones."""
        lists = {
            "accessors": self._accessors, "bufferViews": self._views,
            "textures": self._textures, "images": self._images,
        }  # fmt: skip
        return {name: entries for name, entries in lists.items() if entries}

    def add(self, rows: NDArray[Any], target: int | None = None, *, bounds: bool = False) -> int:
        """Accessor of (n, width) rows; `bounds` says their least and most."""
        values = rows if rows.dtype in (np.uint8, np.uint32) else rows.astype(np.float32)
        entry = {
            "bufferView": self._view(np.ascontiguousarray(values).tobytes(), target),
            "componentType": {"u1": _UBYTE, "u4": _UINT, "f4": _FLOAT}[values.dtype.str[1:]],
            "count": len(values),
            "type": _KINDS[values.shape[1]],
        }
        if bounds:
            entry |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        return self._accessor(entry)

    def add_sparse(
        self, count: int, indices: NDArray[np.int32], values: NDArray[np.float32]
    ) -> int:
        """Accessor of `count` rows of 3 that are 0 but for those given, ascending."""
        if not len(indices):
            # A sparse accessor replaces at least one row.
            indices, values = np.zeros(1, np.int32), np.zeros((1, 3), np.float32)
        kind, code = (np.uint16, _USHORT) if count <= 1 << 16 else (np.uint32, _UINT)
        low, high = values.min(axis=0), values.max(axis=0)
        if len(indices) < count:
            low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        sparse = {
            "count": len(indices),
            "indices": {"bufferView": self._view(indices.astype(kind).tobytes()),
                        "componentType": code},
            "values": {"bufferView": self._view(values.astype(np.float32).tobytes())},
        }  # fmt: skip
        return self._accessor({
            "componentType": _FLOAT, "count": count, "type": "VEC3", "sparse": sparse,
            "min": low.tolist(), "max": high.tolist(),
        })  # fmt: skip

    def add_texture(self, texture: NDArray[np.uint8]) -> int:
        """A texture, as PNG inside."""
        self._images.append({"bufferView": self._view(png_bytes(texture)), "mimeType": "image/png"})
        self._textures.append({"source": len(self._images) - 1})
        return len(self._textures) - 1

    def _accessor(self, entry: dict[str, Any]) -> int:
        self._accessors.append(entry)
        return len(self._accessors) - 1

    def _view(self, data: bytes, target: int | None = None) -> int:
        entry = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)}
        if target is not None:
            entry["target"] = target
        self.data += data + bytes(-len(data) % 4)
        self._views.append(entry)
        return len(self._views) - 1


def png_bytes(texture: NDArray[np.uint8]) -> bytes:
    """A texture as a PNG file, straight alpha."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(texture)).save(stream, "PNG")
    return stream.getvalue()
