"""Fingerprints of frames: digests of all that decides their pixels."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

import polyorama
from polyorama.io.content_npz import parts_of
from polyorama.render.rasterizers import get_rasterizer
from polyorama.scene.codec import encode
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.types import Camera
    from polyorama.render.accumulate import Shot
    from polyorama.scene.codec import Blob
    from polyorama.scene.document import Document
    from polyorama.verbs.workers import Look

__all__ = ["digest", "fingerprints"]


def digest(*texts: str) -> str:
    """Hexadecimal digest of texts, the same on every machine."""
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=12).hexdigest()


class _Digests:
    """Stands for large arrays by digests of their bytes."""

    largest_bits = 1 << 28

    def put(self, content: Blob) -> str:
        """See `polyorama.scene.codec.Blobs`."""
        found = hashlib.blake2b(digest_size=12)
        if isinstance(content, BitSet):
            words: object = ["bits", content.count]
            arrays = {"packed": content.packed}
        else:
            words, arrays = parts_of(content)
        found.update(json.dumps(words, sort_keys=True).encode())
        for name, array in arrays.items():
            found.update(f"{name} {array.shape} {array.dtype}".encode())
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()

    def get(self, key: str) -> Blob:
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
