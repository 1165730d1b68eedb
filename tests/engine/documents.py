"""Rich documents for tests, and a digest that knows documents apart to the last bit."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera
from polyorama.scene.contents import Audio, CameraRig, CropVolume, LightRig
from polyorama.scene.document import Document, Node
from polyorama.scene.mesh import Material, Mesh
from polyorama.scene.modifiers import make_modifier
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.splats import SplatCloud
from polyorama.scene.timeline import Cue, Key, Timeline, Track

if TYPE_CHECKING:
    import random


def digest(value: Any) -> str:
    """A hash of everything in a value: arrays by bytes, numbers by bits, texts, order, types."""
    state = hashlib.sha256()
    _feed(state, value)
    return state.hexdigest()


def _feed(state: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        state.update(f"array {value.dtype.str} {value.shape}".encode())
        state.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, float):
        state.update(b"float" + struct.pack("<d", value))
    elif dataclasses.is_dataclass(value):
        state.update(type(value).__name__.encode())
        for field in dataclasses.fields(value):
            state.update(field.name.encode())
            _feed(state, getattr(value, field.name))
    elif isinstance(value, Mapping):
        state.update(f"mapping {len(value)}".encode())
        for key, part in value.items():
            state.update(str(key).encode())
            _feed(state, part)
    elif isinstance(value, tuple):
        state.update(f"tuple {len(value)}".encode())
        for part in value:
            _feed(state, part)
    else:
        assert value is None or isinstance(value, bool | int | str), type(value)
        state.update(f"{type(value).__name__} {value!r}".encode())


def cloud_of(count: int, seed: int, degree: int = 0, **more: Any) -> SplatCloud:
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4)).astype(np.float32)
    return SplatCloud(
        means=rng.normal(size=(count, 3)).astype(np.float32),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=rng.uniform(0.01, 0.05, (count, 3)).astype(np.float32),
        opacities=rng.uniform(0.1, 1.0, count).astype(np.float32),
        sh=rng.normal(0.0, 0.5, (count, (degree + 1) ** 2, 3)).astype(np.float32),
        **more,
    )


def bits_of(count: int, seed: int, share: float = 0.5) -> BitSet:
    return BitSet.of_mask(np.random.default_rng(seed).random(count) < share)


def mesh_of(seed: int = 0) -> Mesh:
    rng = np.random.default_rng(seed)
    texture = rng.integers(0, 256, (4, 6, 3), np.uint8)
    return Mesh(
        rng.normal(size=(5, 3)).astype(np.float32),
        np.array([[0, 1, 2], [2, 3, 4]], np.int32),
        rng.random((5, 3)).astype(np.float32),
        rng.random((5, 2)).astype(np.float32),
        np.array([0, 1], np.int32),
        (Material((0.1, 0.2, 0.3, 1.0), texture), Material(emission=(0.0, 0.5, 1.0))),
        "table",
    )


def rich(count: int = 40, seed: int = 0) -> Document:
    """A document with one of everything."""
    placed = np.eye(4)
    placed[:3] = np.random.default_rng(seed).normal(size=(3, 4))
    extras = {"label": np.arange(count, dtype=np.int16)}
    cloud = cloud_of(count, seed, 1, model="antialiased", extras=extras, comments=("a", "b"))
    stack = (
        make_modifier("grade", id="m1", exposure=0.5, saturation=-0.0 + 1.5, name="warm"),
        make_modifier("crop", id="m2", shape="sphere", soft=0.25, volume="volume"),
        make_modifier("transform", id="m3", mask=bits_of(count, 3), translation=(1.0, -0.0, 1 / 3)),
        make_modifier("delete", id="m4", rule="opacity < 0.05", enabled=False),
        make_modifier("fill", id="m5", mask="hue in 80..140", strength=0.5),
    )
    nodes = (
        Node("stage", id="stage"),
        Node(
            "pot", cloud, placed, parent="stage", id="pot", modifiers=stack,
            deleted=bits_of(count, 4, 0.1), hidden=bits_of(count, 5, 0.1),
            locked=bits_of(count, 6, 0.1), fixed=True,
        ),
        Node("leaf", cloud_of(count // 2, seed + 1), id="leaf", parent="stage", visible=False),
        Node("twin", cloud, id="twin"),
        Node("camera", CameraRig(kind="orbit", azimuth=1 / 7, hold_size=True), id="camera"),
        Node("light", LightRig(strength=0.25), id="light"),
        Node("volume", CropVolume(shape="ellipsoid"), id="volume"),
        Node("table", mesh_of(), id="table"),
        Node(
            "song", Audio(samples=np.linspace(-1, 1, 600).reshape(300, 2), rate=8000, start=0.5),
            id="song",
        ),
    )  # fmt: skip
    tracks = {
        "pot/translation": Track((Key(0.0, (0.0, -0.0, 1.0)), Key(1.5, (1.0, 2.0, 3.0), "linear"))),
        "pot/m1/exposure": Track(
            (
                Key(0.25, (0.0,), "bezier", 0.5, (-0.1, 0.0), (0.1, 0.2)),
                Key(2.0, (1.0,), "constant"),
            ),
            "ping-pong",
        ),
        "camera/azimuth": Track((Key(0.0, (0.0,)), Key(4.0, (360.0,))), "loop"),
    }
    return Document(
        nodes,
        camera=Camera.look_at((0.1, -0.7, 3), (0, 1 / 3, 0), fov=33, size=(641, 359)),
        background=(0.1, 0.2, 1 / 3),
        up=(0.0, 1.0, 0.0),
        timeline=Timeline(4.5, 25.0, tracks, (Cue(1.0, "one", "say"), Cue(0.5, "half")), "hold"),
        selection={"pot": bits_of(count, 7), "leaf": bits_of(count // 2, 8)},
        chosen=("leaf", "pot"),
        selections=(
            NamedSelection("green", "hue in 80..140", ("pot",)),
            NamedSelection("by hand", bits={"pot": bits_of(count, 9)}),
        ),
        view_camera="camera",
    )


def mutated(data: Any, draw: random.Random) -> Any:
    """The data with something in it replaced, removed or moved elsewhere."""
    data = copy.deepcopy(data)
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        items = part.items() if isinstance(part, dict) else enumerate(part)
        for key, value in list(items):
            places.append((part, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(data)
    for _ in range(draw.randrange(1, 4)):
        part, key = draw.choice(places)
        other, there = draw.choice(places)
        junk = [
            None, True, -1, 10**400, 1e308, "", "x" * 99, [], [[]], {}, {"type": "Node"},
            {"type": "bits", "count": 9, "data": "AAAA"}, {"type": "blob", "key": "1"},
        ]  # fmt: skip
        try:
            chosen = draw.choice([*junk, copy.deepcopy(other[there])])
        except (KeyError, IndexError):
            continue
        if isinstance(part, dict) and draw.random() < 0.2:
            part.pop(key, None)
        elif isinstance(part, dict) or key < len(part):
            part[key] = chosen
    return data
