"""Avatars in glTF: names, several meshes, sparse offsets, and what is refused."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from polyorama.errors import FileFormatError
from polyorama.face.rigs.opening import open_rig
from polyorama.scene.faces.channels import ARKIT, LIVE_LINK
from tests.engine.test_face_rigs_heads import head_arrays

if TYPE_CHECKING:
    from pathlib import Path

TURN = np.array([-1.0, -1.0, 1.0])


class _Glb:
    """A small writer of its own, so that the reader is not tested against its own kind."""

    def __init__(self) -> None:
        self.binary = b""
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "accessors": [],
                                     "bufferViews": [], "meshes": [], "nodes": []}  # fmt: skip

    def view(self, array: np.ndarray) -> int:
        data = np.ascontiguousarray(array).tobytes()
        self.json["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        )
        self.binary += data + b"\0" * (-len(data) % 4)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, array: np.ndarray, *, sparse: bool = False) -> int:
        kind = {1: "SCALAR", 3: "VEC3"}[1 if array.ndim == 1 else 3]
        entry: dict[str, Any] = {"type": kind, "count": len(array)}
        if array.dtype == np.uint32:
            entry["componentType"] = 5125
        else:
            array, entry["componentType"] = array.astype("<f4"), 5126
        if sparse:
            ids = np.flatnonzero(array.any(axis=1)).astype(np.uint32)
            entry["sparse"] = {
                "count": len(ids),
                "indices": {"bufferView": self.view(ids), "componentType": 5125},
                "values": {"bufferView": self.view(array[ids])},
            }
        else:
            entry["bufferView"] = self.view(array)
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def mesh(self, vertices: np.ndarray, triangles: np.ndarray, shapes: dict[str, np.ndarray],
             name: str = "Head", **node: Any) -> None:  # fmt: skip
        primitive = {
            "attributes": {"POSITION": self.accessor(vertices)},
            "indices": self.accessor(triangles.ravel().astype(np.uint32)),
            "targets": [{"POSITION": self.accessor(d, sparse=True)} for d in shapes.values()],
        }
        self.json["meshes"].append(
            {"name": name, "primitives": [primitive], "extras": {"targetNames": list(shapes)}}
        )
        self.json["nodes"].append({"mesh": len(self.json["meshes"]) - 1, "name": name, **node})

    def write(self, path: Path) -> None:
        self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + len(self.binary)
        path.write_bytes(
            struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(self.binary), b"BIN\0") + self.binary
        )  # fmt: skip


def _ball(centre: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    theta, phi = np.meshgrid(np.linspace(0.1, 3.0, 6), np.arange(8) * np.pi / 4, indexing="ij")
    points = np.stack([np.sin(theta) * np.cos(phi), np.cos(theta), np.sin(theta) * np.sin(phi)], -1)
    k = np.arange(40).reshape(5, 8)
    triangles = np.stack([k, k + 8, np.roll(k, -1, axis=1)], -1).reshape(-1, 3)
    return centre + radius * points.reshape(-1, 3), triangles


def test_a_live_link_ready_avatar_is_read(tmp_path: Path) -> None:
    vertices, triangles, shapes, _ = head_arrays()
    every = {live: np.zeros_like(vertices) for live in LIVE_LINK[:52]}
    rng = np.random.default_rng(2)
    for name in every:
        every[name][rng.integers(0, len(vertices), 5)] = 0.01 * rng.normal(size=3)
    for name, dense in shapes.items():
        every[name[0].upper() + name[1:]] = dense * TURN
    glb = _Glb()
    glb.mesh(vertices * TURN, triangles, every, translation=[0.0, 0.5, 0.0], scale=[2.0, 2.0, 2.0])
    for side, x in (("L", 0.3), ("R", -0.3)):
        glb.mesh(*_ball(np.array([x, 0.2, 0.6]), 0.1), {"EyeBlinkLeft": np.eye(48, 3)},
                 name=f"Eye_{side}")  # fmt: skip
    path = tmp_path / "avatar.glb"
    glb.write(path)
    rig = open_rig(path)
    assert rig.shapes.names == ARKIT
    count = len(vertices)
    assert len(rig.mesh.vertices) == count + 96
    assert np.allclose(rig.mesh.vertices[:count], 2 * vertices - [0, 0.5, 0], atol=1e-5)
    jaw = rig.shapes.dense("jawOpen", count + 96)
    assert np.allclose(jaw[:count], 2 * shapes["jawOpen"], atol=1e-5)
    eyes = {rotor.name: rotor for rotor in rig.rotors}
    assert np.allclose(eyes["leftEye"].pivot, [-0.3, -0.2, 0.6], atol=1e-4)
    assert np.array_equal(eyes["leftEye"].indices, np.arange(count, count + 48))
    # A target of one name on several meshes is one shape.
    blink = rig.shapes.dense("eyeBlinkLeft", count + 96)
    assert blink[:count].any()
    assert np.allclose(blink[count : count + 48], np.eye(48, 3) * TURN)
    assert {"lips", "skin"} <= set(rig.regions)
    assert "headYaw" in rig.channels


def test_an_avatar_without_names_or_with_damage_is_refused(tmp_path: Path) -> None:
    vertices, triangles, shapes, _ = head_arrays()
    path = tmp_path / "avatar.glb"
    glb = _Glb()
    glb.mesh(vertices, triangles, shapes)
    del glb.json["meshes"][0]["extras"]
    glb.write(path)
    with pytest.raises(FileFormatError, match="no named morph targets"):
        open_rig(path)
    glb = _Glb()
    glb.mesh(vertices, triangles, {"jawOpen": shapes["jawOpen"][:50]})
    glb.write(path)
    with pytest.raises(FileFormatError, match="does not fit its mesh"):
        open_rig(path)
    glb.json["accessors"][-1]["count"] = 10**12
    glb.write(path)
    with pytest.raises(FileFormatError):
        open_rig(path)
    glb = _Glb()
    glb.mesh(vertices, triangles, {f"shape {n}": np.ones((1, 3)) for n in range(1200)})
    glb.write(path)
    with pytest.raises(FileFormatError, match="too many"):
        open_rig(path)
