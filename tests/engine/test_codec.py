"""The codec: values come back to the last bit; hostile data ends in a `CodecError`."""

from __future__ import annotations

import base64
import json
import math
import random
import tracemalloc
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyorama.core.frozen import FrozenMap
from polyorama.core.params import parameters_of
from polyorama.core.types import Camera
from polyorama.errors import PolyoramaError
from polyorama.scene.codec import CodecError, NoBlobs, decode, encode
from polyorama.scene.contents import CameraRig, CropVolume, LightRig
from polyorama.scene.document import Node, Source
from polyorama.scene.modifiers import MODIFIERS, Modifier
from polyorama.scene.regions import Region
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.timeline import Cue, Key, Timeline, Track
from tests.engine.documents import bits_of, cloud_of, digest, mutated, rich

CAMERA = Camera.look_at((0.1, 2, -3), (0, 1 / 3, 0), fov=33, size=(641, 359))


class Shelf:
    """Blobs in memory."""

    largest_bits = 64

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def put(self, content: Any) -> str:
        self.kept.append(content)
        return str(len(self.kept) - 1)

    def get(self, key: str) -> Any:
        if not key.isdecimal() or int(key) >= len(self.kept):
            raise CodecError("nothing there")
        return self.kept[int(key)]


def again(value: Any, shelf: Shelf | None = None) -> Any:
    """A value by way of the text of a file."""
    return decode(json.loads(json.dumps(encode(value, shelf), allow_nan=False)), shelf)


VALUES = (
    None, True, False, 0, -7, 2**70, 0.1, -0.0, 5e-324, 1.7e308, "", "naïve \u2028 \x00 text",
    (), (1, 1.0, (True, "x")), FrozenMap({"a": 1, "b": FrozenMap()}),
    Cue(1.0, "one", "note"), Key(0.5, (1.0, -0.0), "bezier", 0.25, (-1.0, 0.0, 0.0), ()),
    Track((Key(0.0, (1.0,)), Key(1.0, (2.0,))), "loop"), Timeline(), Timeline(3.0, loop="hold"),
    Source("a/b.ply", "00ff", 12, True), NamedSelection("green", "hue in 80..140", ("a",)),
    CameraRig(kind="dolly", fov=33.3, hold_size=True), LightRig(key=(0.1, 0.2, 0.3)),
    CropVolume(shape="plane"), CAMERA, Region.rect(CAMERA, 1, 2, 3, 4),
    Region(kind="sphere", center=(0.0, -0.0, 1.0), radius=2.0),
    Node("group", id="g"), Node("eye", CameraRig(), np.diag([1.0, 2.0, -0.0, 1.0]), id="e"),
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_come_back_to_the_last_bit(value: Any) -> None:
    assert digest(again(value)) == digest(value)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000, 70_001])
def test_sets_of_splats_come_back(count: int) -> None:
    for bits in (BitSet.none(count), BitSet.all(count), bits_of(count, count)):
        assert digest(again(bits)) == digest(bits)


def test_numbers_of_numpy_become_plain_ones() -> None:
    assert again((np.float32(0.5), np.int64(3), np.float64(-0.0))) == (0.5, 3, -0.0)
    matrix = np.random.default_rng(0).normal(size=(3, 4))
    assert again(matrix).tobytes() == matrix.tobytes()


@pytest.mark.parametrize("kind", MODIFIERS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_modifier_comes_back(kind: str, data: st.DataObject) -> None:
    values: dict[str, Any] = {}
    for parameter in parameters_of(MODIFIERS[kind]):
        low, high = max(parameter.low, -1e9), min(parameter.high, 1e9)
        one = st.floats(low, high)
        count = len(parameter.components)
        values[parameter.name] = data.draw(
            {
                "flag": st.booleans(),
                "choice": st.sampled_from(parameter.choices or ("",)),
                "whole": st.integers(max(int(low), 0), min(int(high), 99)),
                "number": one,
            }.get(parameter.kind, st.tuples(*[one] * count))
        )
    if kind != "decimate":
        values["mask"] = data.draw(st.sampled_from([None, "opacity < 0.5", bits_of(9, 1)]))
    try:
        modifier = MODIFIERS[kind](id="m", name=data.draw(st.text(max_size=9)), **values)
    except PolyoramaError:
        return  # black above white
    assert digest(again(modifier)) == digest(modifier)


def test_large_contents_are_kept_elsewhere() -> None:
    shelf = Shelf()
    for node in rich().nodes:
        assert digest(again(node, shelf)) == digest(node)
    assert digest(again(bits_of(4000, 1), shelf)) == digest(bits_of(4000, 1))
    assert shelf.kept[-1].count == 4000
    with pytest.raises(CodecError, match="SplatCloud cannot be written"):
        encode(cloud_of(3, 0))


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, object(), {1, 2}, np.zeros(70_000), np.array(["x"]), b"bytes"]
)
def test_what_has_no_place_is_refused(value: Any) -> None:
    with pytest.raises(CodecError):
        encode((value,))


def nested(depth: int) -> Any:
    data: Any = 1
    for _ in range(depth):
        data = [data]
    return data


def packed(count: int, data: bytes) -> dict[str, Any]:
    return {"type": "bits", "count": count, "data": base64.b64encode(data).decode()}


HOSTILE: dict[str, Any] = {
    "no type": {"a": 1},
    "unknown": {"type": "Popen", "args": ["rm"]},
    "dunder": {"type": "__class__"},
    "type of type": {"type": ["Node"]},
    "deep": nested(100),
    "map": {"type": "map", "items": [1]},
    "blob": {"type": "blob", "key": 3},
    "lost blob": {"type": "blob", "key": "../../etc/passwd"},
    "field": {"type": "Cue", "time": 0.0, "name": "x", "__init__": 1},
    "incomplete": {"type": "Cue"},
    "kind": {"type": "Cue", "time": "soon", "name": "x"},
    "flag": {"type": "Cue", "time": True, "name": "x"},
    "keys": {"type": "Track", "keys": [{"type": "Cue", "time": 0.0, "name": "x"}]},
    "no keys": {"type": "Track", "keys": []},
    "tracks": {"type": "Timeline", "tracks": {"type": "map", "items": {"a": 1}}},
    "huge time": {"type": "Key", "time": 10**400, "value": [0.0]},
    "huge size": {"type": "Source", "path": "a", "size": 0.5},
    "content": {"type": "Node", "name": "x", "content": {"type": "Cue", "time": 0.0, "name": "x"}},
    "stack": {"type": "Node", "name": "x", "modifiers": [{"type": "Node", "name": "y"}]},
    "matrix": {"type": "Node", "name": "x", "transform": "eye"},
    "shape": {"type": "Node", "name": "x",
              "transform": {"type": "array", "shape": [2], "data": [1, 2]}},
    "sets": {"type": "Node", "name": "x", "deleted": packed(8, zlib.compress(b"\1"))},
    "rule": {"type": "Fill", "mask": "__import__('os')"},
    "mask": {"type": "Fill", "mask": 3},
    "bounds": {"type": "Opacity", "factor": -1.0},
    "camera": {"type": "Camera", "viewmat": {"type": "array", "shape": [4, 4], "data": [0] * 16},
               "fx": 1.0, "fy": 1.0, "cx": 0.0, "cy": 0.0, "width": 10**9, "height": 1},
    "count": packed(-1, b""),
    "large": packed(1 << 40, b""),
    "short": packed(64, zlib.compress(b"\1")),
    "long": packed(8, zlib.compress(bytes(1000))),
    "beyond": packed(4, zlib.compress(b"\xff")),
    "not packed": packed(8, b"\1"),
    "not base": {"type": "bits", "count": 8, "data": "!!"},
    "array": {"type": "array", "shape": [1 << 40], "data": []},
    "negative": {"type": "array", "shape": [-1, -1], "data": [1]},
    "words": {"type": "array", "shape": [1], "data": ["x"]},
    "sides": {"type": "array", "shape": [1] * 9, "data": [1]},
    "whole": {"type": "array", "shape": [1], "data": [10**400]},
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_data_is_refused(case: str) -> None:
    with pytest.raises(CodecError):
        decode(HOSTILE[case])


def test_a_set_that_claims_much_takes_little_memory() -> None:
    bomb = packed(8, zlib.compress(bytes(200_000_000), 9))
    claim = packed(1 << 31, zlib.compress(b"\0"))
    tracemalloc.start()
    for data in (bomb, claim):
        with pytest.raises(CodecError):
            decode(data)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_mutated_data_ends_in_a_value_or_in_a_sentence() -> None:
    draw = random.Random(7)
    shelf = Shelf()
    seeds = [encode(value, shelf) for value in VALUES if isinstance(encode(value, shelf), dict)]
    seeds += [encode(node, shelf) for node in rich().nodes]
    seeds += [encode(m, shelf) for node in rich().nodes for m in node.modifiers]
    good = bad = 0
    for _ in range(6000):
        data = mutated(draw.choice(seeds), draw)
        try:
            value = decode(data, shelf)
        except CodecError:
            bad += 1
            continue
        good += 1
        if isinstance(value, Node):
            assert all(isinstance(m, Modifier) for m in value.modifiers)
            assert value.transform.shape == (4, 4)
        assert digest(decode(encode(value, shelf), shelf)) == digest(value)
    assert good > 200
    assert bad > 2000


def test_nothing_can_be_had_from_no_blobs() -> None:
    with pytest.raises(CodecError):
        NoBlobs().get("1")
