"""Documents' values as JSON and back: for projects, journals and recorded edits.

Plain values stand for themselves; a dataclass is an object whose ``type`` is its class, with the
fields that differ from their defaults; large arrays (splats, meshes, sound, sets of many splats)
are kept elsewhere, under the key that a `Blobs` gives them. Reading builds nothing but the classes
listed here, through their own constructors, which check their numbers.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import math
import sys
import zlib
from collections.abc import Mapping
from types import NoneType
from typing import Any, Protocol

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.core.types import Camera
from polyorama.errors import PolyoramaError
from polyorama.scene.contents import Audio, CameraRig, CropVolume, LightRig
from polyorama.scene.document import Node, Source
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.morphs import MorphRig
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack, Word
from polyorama.scene.faces.script import (
    ChannelKeys,
    CompSpan,
    EmotionKey,
    FaceScript,
    FaceStyle,
    Owner,
)
from polyorama.scene.mesh import Mesh
from polyorama.scene.modifiers import MODIFIERS, Modifier
from polyorama.scene.regions import Region
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.splats import SplatCloud
from polyorama.scene.timeline import Cue, Key, Timeline, Track

__all__ = ["Blob", "Blobs", "CodecError", "NoBlobs", "decode", "encode"]

_CLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        *MODIFIERS.values(), CameraRig, LightRig, CropVolume, Key, Track, Cue, Timeline,
        NamedSelection, Source, Node, Camera, Region, Actor, FaceScript, FaceStyle, PhoneTrack,
        Phone, Word, EmotionKey, ChannelKeys, CompSpan, Owner,
    )
}  # fmt: skip
Blob = SplatCloud | Mesh | Audio | MorphRig | Performance | BitSet | np.ndarray
"""What a `Blobs` keeps."""
_HEAVY = (SplatCloud, Mesh, Audio, MorphRig, Performance)
_MOST_NUMBERS = 1 << 16
_LARGEST = sys.float_info.max
_MOST_SPLATS = 1 << 31
_SAMPLE = 1 << 14
_DEEPEST = 40


class CodecError(Exception):
    """The data is not what `encode` writes; the text says how."""


class Blobs(Protocol):
    """Where large arrays are kept."""

    largest_bits: int
    """Packed bytes of the largest set of splats that is written in place."""

    def put(self, content: Blob) -> str:
        """Keep it and return its key; the same object gives the same key."""
        ...

    def get(self, key: str) -> Blob:
        """What was put under a key; `CodecError` where there is nothing."""
        ...


class NoBlobs:
    """Keeps nothing: for values that hold no splats, meshes or sounds."""

    largest_bits = 1 << 28

    def put(self, content: Blob) -> str:
        """Refuse.

        Raises
        ------
        CodecError
            Always.
        """
        raise CodecError(f"a {type(content).__name__} cannot be written here")

    def get(self, key: str) -> Blob:
        """Refuse.

        Raises
        ------
        CodecError
            Always.
        """
        raise CodecError(f"there is no content {key[:80]!r}")


def encode(value: Any, blobs: Blobs | None = None) -> Any:
    """What `decode` makes an equal value of, as plain JSON data.

    Raises
    ------
    CodecError
        If the value, or one in it, is of no known kind.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CodecError("a number is not finite")
        return value
    if isinstance(value, np.floating | np.integer):
        return encode(value.item(), blobs)
    if isinstance(value, tuple | list):
        return [encode(part, blobs) for part in value]
    if isinstance(value, Mapping):
        return {"type": "map", "items": {str(k): encode(v, blobs) for k, v in value.items()}}
    if isinstance(value, BitSet):
        if blobs is not None and value.nbytes > blobs.largest_bits:
            return {"type": "blob", "key": blobs.put(value)}
        return {"type": "bits", "count": value.count, "data": _packed(value.packed.tobytes())}
    if isinstance(value, np.ndarray):
        if blobs is not None and value.dtype == np.float32 and value.ndim == 2:
            return {"type": "blob", "key": blobs.put(value)}
        if value.size > _MOST_NUMBERS or value.dtype.kind not in "fiu":
            raise CodecError(f"an array of {value.size} numbers is too large")
        flat = [encode(number, blobs) for number in value.ravel().tolist()]
        return {"type": "array", "shape": list(value.shape), "data": flat}
    if isinstance(value, _HEAVY):
        return {"type": "blob", "key": (blobs or NoBlobs()).put(value)}
    name = type(value).__name__
    if _CLASSES.get(name) is not type(value):
        raise CodecError(f"a {name} cannot be written")
    entry: dict[str, Any] = {"type": name}
    for field in dataclasses.fields(_CLASSES[name]):
        part = getattr(value, field.name)
        if field.default is dataclasses.MISSING or not _same(part, field.default):
            entry[field.name] = encode(part, blobs)
    return entry


def _packed(data: bytes) -> str:
    # Sets without a pattern do not shrink, and trying takes ten times as long as all the rest.
    middle = data[len(data) // 2 :][:_SAMPLE]
    shrinks = len(zlib.compress(middle, 1)) < 0.9 * len(middle) or len(data) <= _SAMPLE
    return base64.b64encode(zlib.compress(data, 1 if shrinks else 0)).decode()


def _same(part: Any, default: Any) -> bool:
    # By their texts, since 0.0 == -0.0 and 1 == 1.0.
    plain = part is None or isinstance(part, bool | int | float | str | tuple)
    return plain and type(part) is type(default) and repr(part) == repr(default)


def decode(data: Any, blobs: Blobs | None = None) -> Any:
    """The value of what `encode` wrote; lists become tuples.

    Raises
    ------
    CodecError
        If it is damaged or of an unknown kind; the text says what is wrong.
    """
    return _decode(data, blobs or NoBlobs(), 0)


def _decode(data: Any, blobs: Blobs, depth: int) -> Any:
    if depth > _DEEPEST:
        raise CodecError("it is nested too deeply")
    if data is None or isinstance(data, bool | int | str):
        return data
    if isinstance(data, float):
        if not math.isfinite(data):
            raise CodecError("a number is not finite")
        return data
    if isinstance(data, list):
        return tuple(_decode(part, blobs, depth + 1) for part in data)
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise CodecError("an object has no type")
    name = data["type"]
    if name == "map":
        items = data.get("items")
        if not isinstance(items, dict):
            raise CodecError("a map has no items")
        return FrozenMap({k: _decode(v, blobs, depth + 1) for k, v in items.items()})
    if name == "bits":
        return _bits(data)
    if name == "array":
        return _array(data)
    if name == "blob":
        if not isinstance(data.get("key"), str):
            raise CodecError("a content has no key")
        return blobs.get(data["key"])
    return _object(name, data, blobs, depth)


def _object(name: str, data: dict[str, Any], blobs: Blobs, depth: int) -> Any:
    cls = _CLASSES.get(name)
    if cls is None:
        raise CodecError(f"there is no kind {name[:80]!r}")
    known = {field.name: str(field.type) for field in dataclasses.fields(cls)}
    values: dict[str, Any] = {}
    for key, part in data.items():
        if key == "type":
            continue
        if key not in known:
            raise CodecError(f"a {name} has no {key[:80]!r}")
        values[key] = _fitting(f"{name} {key}", known[key], _decode(part, blobs, depth + 1))
    try:
        return cls(**values)
    except PolyoramaError as error:
        raise CodecError(f"a {name} is unusable ({error})") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise CodecError(f"a {name} is incomplete or of wrong parts") from error


_NUMBERS = (int, float)
_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "float": _NUMBERS,
    "str | None": (str, NoneType),
    "Mask": (str, BitSet, NoneType),
    "BitSet | None": (BitSet, NoneType),
    "Camera | None": (Camera, NoneType),
    "Source | None": (Source, NoneType),
    "Content | None": (
        SplatCloud,
        Mesh,
        Audio,
        CameraRig,
        LightRig,
        CropVolume,
        Actor,
        NoneType,
    ),
    "NDArray[np.float64]": (np.ndarray,),
    "NDArray[np.float32] | None": (np.ndarray, NoneType),
    "Audio | None": (Audio, NoneType),
    "MorphRig": (MorphRig,),
    "Performance | None": (Performance, NoneType),
    "FaceScript | None": (FaceScript, NoneType),
    "FaceStyle": (FaceStyle,),
    "PhoneTrack": (PhoneTrack,),
    "Literal['pinhole', 'orthographic']": (str,),
}
"""What fields may hold, by their annotations."""
_PARTS: dict[str, tuple[type, tuple[type, ...]]] = {
    "Values": (tuple, _NUMBERS),
    "tuple[float, ...]": (tuple, _NUMBERS),
    "tuple[str, ...]": (tuple, (str,)),
    "tuple[Key, ...]": (tuple, (Key,)),
    "tuple[Cue, ...]": (tuple, (Cue,)),
    "tuple[Modifier, ...]": (tuple, (Modifier,)),
    "tuple[Phone, ...]": (tuple, (Phone,)),
    "tuple[Word, ...]": (tuple, (Word,)),
    "tuple[EmotionKey, ...]": (tuple, (EmotionKey,)),
    "tuple[ChannelKeys, ...]": (tuple, (ChannelKeys,)),
    "tuple[CompSpan, ...]": (tuple, (CompSpan,)),
    "tuple[Owner, ...]": (tuple, (Owner,)),
    "tuple[tuple[str, float, float], ...]": (tuple, (tuple,)),
    "Mapping[str, Track]": (Mapping, (Track,)),
    "Mapping[str, BitSet]": (Mapping, (BitSet,)),
    "Mapping[str, Trait]": (Mapping, (*_NUMBERS, str, tuple)),
}
"""What tuples and mappings may hold."""


def _fitting(where: str, annotation: str, value: Any) -> Any:
    """The value, once it is sure that it is of the kind that the field's annotation says."""
    if annotation in _KINDS:
        good = _is_of(value, _KINDS[annotation])
    else:
        container, kinds = _PARTS[annotation.removesuffix(" | None")]
        if value is None and annotation.endswith(" | None"):
            return None
        good = isinstance(value, container)
        good = good and all(_is_of(v, kinds) for v in _values(value))
    if not good:
        raise CodecError(f"{where} is of a wrong kind")
    return value


def _is_of(value: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds)


def _values(container: Any) -> Any:
    return container.values() if isinstance(container, Mapping) else container


def _bits(data: dict[str, Any]) -> BitSet:
    count, text = data.get("count"), data.get("data")
    if isinstance(count, bool) or not isinstance(count, int) or not isinstance(text, str):
        raise CodecError("a set of splats is incomplete")
    if not 0 <= count <= _MOST_SPLATS:
        raise CodecError(f"a set over {count} splats is too large")
    size = (count + 7) // 8
    if size > 1032 * max(len(text), 64):  # more than deflate can hold
        raise CodecError("a set of splats claims more than it holds")
    try:
        unpack = zlib.decompressobj()
        packed = unpack.decompress(base64.b64decode(text, validate=True), size + 1)
        return BitSet(np.frombuffer(packed, np.uint8), count)
    except (binascii.Error, zlib.error, ValueError, PolyoramaError) as error:
        raise CodecError("a set of splats is damaged") from error


def _array(data: dict[str, Any]) -> np.ndarray:
    shape, flat = data.get("shape"), data.get("data")
    if not isinstance(shape, list) or not isinstance(flat, list) or len(flat) > _MOST_NUMBERS:
        raise CodecError("an array is incomplete or too large")
    whole = all(isinstance(s, int) and not isinstance(s, bool) and s >= 0 for s in shape)
    numbers = all(
        isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= _LARGEST for v in flat
    )
    if not whole or not numbers or len(shape) > 4 or math.prod(shape) != len(flat):
        raise CodecError("an array is of wrong numbers")
    try:
        return np.array(flat, np.float64).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise CodecError("an array is of wrong numbers") from error
