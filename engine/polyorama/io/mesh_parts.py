"""Shared by the mesh readers: pieces of a mesh, how they are joined, and textures."""

from __future__ import annotations

import hashlib
import io
import logging
import threading
import warnings
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.scene.mesh import Material, Mesh

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "MAX_BYTES",
    "MAX_CORNERS",
    "Part",
    "decode_texture",
    "fan",
    "join",
    "left_out",
]

log = logging.getLogger(__name__)

MAX_BYTES = 2 << 30
"""Largest mesh file, buffer or picture that is read."""

MAX_CORNERS = 100_000_000
"""Most triangle corners and most vertices of a mesh, whatever a small file promises."""

_MAX_TEXTURE = 8192
_MAX_KEPT = 64 << 20
_recent: OrderedDict[tuple[bytes, bool], NDArray[np.uint8]] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some triangles of one material, in the file's own axes.

    Parameters
    ----------
    vertices
        (V, 3) float32.
    triangles
        (T, 3) integers.
    colors
        (V, 3) float32 display RGB, or None.
    uvs
        (V, 2) float32, v up, or None.
    material
        What it looks like; parts share equal objects.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int64]
    colors: NDArray[np.float32] | None = None
    uvs: NDArray[np.float32] | None = None
    material: Material = field(default_factory=Material)


def join(parts: list[Part], source: Path, turn: NDArray[np.float32]) -> Mesh:
    """One mesh of all parts, turned into the axes of splats.

    Raises
    ------
    FileFormatError
        If there are no triangles, indices point nowhere, or nothing is finite.
    """
    parts = [part for part in parts if len(part.triangles)]
    if not parts:
        raise FileFormatError(
            f"The file has no triangles; export the mesh with its faces: {source}"
        )
    for part in parts:
        low, high = int(part.triangles.min()), int(part.triangles.max())
        if low < 0 or high >= len(part.vertices):
            raise FileFormatError(
                f"The mesh is damaged (a triangle names vertex {low if low < 0 else high} of "
                f"{len(part.vertices)}); export it again: {source}"
            )
    firsts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    vertices = np.concatenate([part.vertices for part in parts]) @ turn.T
    triangles = np.concatenate(
        [part.triangles + first for part, first in zip(parts, firsts, strict=False)]
    ).astype(np.int32)
    if not np.isfinite(vertices[triangles]).all(axis=(1, 2)).any():
        raise FileFormatError(f"The mesh has no triangle with finite corners: {source}")
    colors = uvs = None
    if any(part.colors is not None for part in parts):
        colors = np.concatenate([_or(part.colors, part, 3, 1.0) for part in parts])
        colors = np.clip(np.nan_to_num(colors, nan=0.0), 0.0, 1.0)
    if any(part.uvs is not None for part in parts):
        uvs = np.concatenate([_or(part.uvs, part, 2, 0.0) for part in parts])
    materials: list[Material] = []
    numbers: dict[int, int] = {}
    for part in parts:
        if id(part.material) not in numbers:
            numbers[id(part.material)] = len(materials)
            materials.append(part.material)
    ids = np.repeat(
        np.array([numbers[id(part.material)] for part in parts], np.int32),
        [len(part.triangles) for part in parts],
    )
    return Mesh(
        vertices=vertices.astype(np.float32),
        triangles=triangles,
        colors=colors,
        uvs=uvs,
        material_ids=ids if len(materials) > 1 else None,
        materials=tuple(materials),
        name=source.stem,
    )


def left_out(notes: list[str] | None, text: str) -> None:
    """Say that something of a mesh's look is left out: in `notes`, or in the log if it is None.

    A sentence that stands there already is not said again.
    """
    if notes is None:
        log.warning("%s", text)
    elif text not in notes:
        notes.append(text)


def _or(
    values: NDArray[np.float32] | None, part: Part, channels: int, default: float
) -> NDArray[np.float32]:
    if values is not None:
        return values
    return np.full((len(part.vertices), channels), default, np.float32)


def fan(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut polygons, stored one after another, into triangles that fan out from their first corner.

    Parameters
    ----------
    sizes
        (F,) corners of each polygon; those with less than three give nothing.

    Returns
    -------
    (T, 3) indices into the list of all corners, and (T,) which polygon each triangle is of.
    """
    firsts = np.cumsum(sizes) - sizes
    counts = np.maximum(sizes - 2, 0)
    owner = np.repeat(np.arange(len(sizes)), counts)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = firsts[owner]
    return np.stack([first, first + step + 1, first + step + 2], axis=1), owner


def decode_texture(
    data: bytes, what: str, source: Path, *, alpha: bool = True
) -> NDArray[np.uint8]:
    """Pixels of a PNG, JPEG, WebP, BMP or TGA picture, (H, W, 3 or 4) uint8, read-only.

    Pictures larger than 8192 pixels a side are reduced. One that is solid everywhere has no fourth
    channel, nor has any without `alpha`.

    Raises
    ------
    FileFormatError
        If it is no such picture, damaged, or too large.
    """
    from PIL import Image

    key = (hashlib.sha256(data).digest(), alpha)
    with _lock:
        known = _recent.get(key)
        if known is not None:
            _recent.move_to_end(key)
            return known
    try:
        with warnings.catch_warnings():
            # Pillow only warns of huge pictures; the size is judged here.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(
                io.BytesIO(data), formats=("PNG", "JPEG", "WEBP", "BMP", "TGA", "GIF")
            ) as image:
                width, height = image.size
                if width * height > 4 * _MAX_TEXTURE**2:
                    raise FileFormatError(
                        f"The texture {what!r} has {width}x{height} pixels, too many to read: "
                        f"{source}"
                    )
                if max(width, height) > _MAX_TEXTURE:
                    image.thumbnail((_MAX_TEXTURE, _MAX_TEXTURE), reducing_gap=2.0)
                clear = alpha and (
                    image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
                )
                pixels = np.array(image.convert("RGBA" if clear else "RGB"), np.uint8)
    except FileFormatError:
        raise
    except Exception as error:
        raise FileFormatError(f"The texture {what!r} cannot be decoded: {source}") from error
    if clear and pixels[..., 3].min() == 255:
        pixels = np.ascontiguousarray(pixels[..., :3])
    pixels.flags.writeable = False
    _keep(key, pixels)
    return pixels


def _keep(key: tuple[bytes, bool], pixels: NDArray[np.uint8]) -> None:
    """Keep a picture for the next file: models of one pack share one palette."""
    if pixels.nbytes > _MAX_KEPT // 4:
        return
    with _lock:
        _recent[key] = pixels
        while sum(kept.nbytes for kept in _recent.values()) > _MAX_KEPT:
            _recent.popitem(last=False)
