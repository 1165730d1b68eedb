"""Fingerprints of frames: digests of all that decides their pixels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

import polyorama
from polyorama.render.rasterizers import get_rasterizer
from polyorama.scene.codec import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.types import Camera
    from polyorama.render.accumulate import Shot
    from polyorama.scene.contents import Audio
    from polyorama.scene.document import Document
    from polyorama.scene.mesh import Mesh
    from polyorama.scene.selection import BitSet
    from polyorama.scene.splats import SplatCloud
    from polyorama.verbs.workers import Look

__all__ = ["digest", "fingerprints"]


def digest(*texts: str) -> str:
    """Hexadecimal digest of texts, the same on every machine."""
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=12).hexdigest()


class _Digests:
    """Stands for large arrays by digests of their bytes."""

    largest_bits = 1 << 28

    def put(self, content: SplatCloud | Mesh | Audio | BitSet) -> str:
        """See `polyorama.scene.codec.Blobs`."""
        found = hashlib.blake2b(type(content).__name__.encode(), digest_size=12)
        for entry in fields(content):
            value = getattr(content, entry.name)
            if isinstance(value, np.ndarray):
                found.update(f"{entry.name} {value.shape} {value.dtype}".encode())
                found.update(np.ascontiguousarray(value).data)
            elif isinstance(value, Mapping):
                for name, column in value.items():
                    found.update(f"{entry.name} {name} {column.shape} {column.dtype}".encode())
                    found.update(np.ascontiguousarray(column).data)
            elif entry.name == "materials":
                for material in value:
                    found.update(
                        f"{material.color} {material.emission} {material.softness}".encode()
                    )
                    if material.texture is not None:
                        found.update(np.ascontiguousarray(material.texture).data)
            else:
                found.update(f"{entry.name} {value!r}".encode())
        return found.hexdigest()

    def get(self, key: str) -> SplatCloud | Mesh | Audio | BitSet:
        """Digests cannot be read back."""
        raise KeyError(key)


def fingerprints(document: Document, film: Sequence[Shot], look: Look) -> list[str]:
    """For each shot, a digest of all that decides its frame's pixels."""
    scene = hashlib.blake2b(digest_size=12)
    told = [document.nodes, document.timeline, document.up]
    if _ask_for_selections(document):
        told += [document.selection, document.selections]
    scene.update(json.dumps(encode(told, _Digests()), sort_keys=True).encode())
    backend = get_rasterizer(look.backend).name
    shared = f"{polyorama.__version__} {backend} {look.background} {look.constants}"
    common = digest(scene.hexdigest(), shared, repr(look.filming))
    moving = look.filming.sampling.shutter > 0.0
    return [digest(common, *_shot_words(shot, moving)) for shot in film]


def _ask_for_selections(document: Document) -> bool:
    """Whether a step of an edit stack is for what is selected, now or under a name."""
    rules = [
        getattr(modifier, name, None)
        for node in document.nodes
        for modifier in node.modifiers
        for name in ("mask", "rule")
    ]
    return any(isinstance(rule, str) and "selected" in rule.lower() for rule in rules)


def _shot_words(shot: Shot, moving: bool) -> tuple[str, ...]:
    words = (*_camera_words(shot.camera), f"{shot.time} {shot.frame_seconds} {shot.dof}")
    for neighbor in (shot.before, shot.after) if moving else ():
        words += ("rests",) if neighbor is None else _camera_words(neighbor)
    return words


def _camera_words(camera: Camera) -> tuple[str, ...]:
    numbers = (camera.fx, camera.fy, camera.cx, camera.cy, camera.near, camera.far)
    lens = " ".join(float(number).hex() for number in numbers)
    return (camera.kind, f"{camera.width} {camera.height} {lens}", camera.viewmat.tobytes().hex())
