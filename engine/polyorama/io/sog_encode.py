"""Writing SOG, version 2: numbers to codebooks, harmonics to a palette, bytes to lossless WebP."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from polyorama.core.compile import core_count, parallel_for
from polyorama.errors import OutputError
from polyorama.io.atomic import atomic_write, atomic_write_all
from polyorama.io.kmeans import codebook, encode, palette
from polyorama.io.limits import storable
from polyorama.io.smallest_three import SQRT_HALF, smallest_three
from polyorama.scene.morton import morton_order

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["META", "PALETTE_COLUMNS", "write"]

META = "meta.json"
"""The file that names the images and says what their bytes stand for."""

PALETTE_COLUMNS = 64
"""Entries of the palette in a row of its image."""

_MAX_SIDE = 16383
_ROWS = 1 << 16
_SMALLEST_SCALE = np.float32(np.exp(-20.0))
_EPOCH = (1980, 1, 1, 0, 0, 0)
_WEBP = {"lossless": True, "exact": True, "quality": 50, "method": 1}


def write(cloud: SplatCloud, path: str | os.PathLike[str], *, passes: int = 10) -> None:
    """Write a .sog file, or the images beside a path that ends with meta.json.

    The splats are stored in Morton order, since neighbours compress better.

    Parameters
    ----------
    passes
        Passes of the clustering of harmonics; fewer are faster and coarser.

    Raises
    ------
    OutputError
        If no finite splat is there, there are too many for WebP images, or the system refuses.
    """
    target = Path(path)
    cloud = storable(cloud, path)
    if len(cloud) > _MAX_SIDE // 4 * 4 * (_MAX_SIDE // 4 * 4):
        raise OutputError(f"{len(cloud):,} splats do not fit in the images of SOG: {path}")
    cloud = cloud.subset(morton_order(cloud.means))
    meta, images = _encode(cloud, passes)
    packed = _compress(images)
    text = json.dumps(meta, separators=(",", ":"))
    if not target.name.lower().endswith(".json"):
        with atomic_write(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            for name, data in {META: text.encode(), **packed}.items():
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), data)
        return
    # The meta.json comes last: where it is, the images are whole.
    members = {target.parent / name: data for name, data in packed.items()}
    members[target] = text.encode()
    with _folder(target.parent), atomic_write_all(list(members)) as temporaries:
        for temporary, data in zip(temporaries, members.values(), strict=True):
            temporary.write_bytes(data)


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[None]:
    """A folder that exists within the block; if it was not there before, failure removes it."""
    made = not path.exists()
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder ({error.strerror}): {path}") from error
    try:
        yield
    except BaseException:
        if made:
            with contextlib.suppress(OSError):  # something else may have been put there
                path.rmdir()
        raise


def _compress(images: dict[str, NDArray[np.uint8]]) -> dict[str, bytes]:
    """Lossless WebP of (H, W, 3 or 4) uint8 images, several at once."""

    def pack(name: str) -> bytes:
        buffer = io.BytesIO()
        Image.fromarray(images[name]).save(buffer, "WEBP", **_WEBP)
        return buffer.getvalue()

    # The largest first, so that no core waits for it at the end.
    names = sorted(images, key=lambda name: -images[name].nbytes)
    with ThreadPoolExecutor(core_count()) as pool:
        packed = dict(zip(names, pool.map(pack, names), strict=True))
    return {name: packed[name] for name in images}


def _encode(cloud: SplatCloud, passes: int) -> tuple[dict[str, Any], dict[str, NDArray[np.uint8]]]:
    """The meta.json and the images by name."""
    meta: dict[str, Any] = {
        "version": 2,
        "asset": {"generator": "Polyorama"},
        "count": len(cloud),
    }
    if cloud.model != "default":
        meta["model"] = cloud.model
    images: dict[str, NDArray[np.uint8]] = {}
    _encode_means(cloud, meta, images)
    logs = np.log(np.maximum(cloud.scales, _SMALLEST_SCALE))
    codes = codebook(logs)
    images["scales.webp"] = _pixels(encode(logs, codes))
    meta["scales"] = {"codebook": _listed(codes), "files": ["scales.webp"]}
    images["quats.webp"] = _encode_rotations(cloud)
    meta["quats"] = {"files": ["quats.webp"]}
    dc = np.ascontiguousarray(cloud.sh[:, 0])
    codes = codebook(dc)
    color = np.empty((len(cloud), 4), np.uint8)
    color[:, :3] = encode(dc, codes)
    color[:, 3] = np.rint(np.clip(cloud.opacities, 0, 1) * 255)
    images["sh0.webp"] = _pixels(color)
    meta["sh0"] = {"codebook": _listed(codes), "files": ["sh0.webp"]}
    if cloud.sh_degree:
        _encode_harmonics(cloud, passes, meta, images)
    return meta, images


def _listed(values: NDArray[Any]) -> list[float]:
    return [float(value) for value in values]


def _pixels(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(N, C) bytes as an image that is about square, its sides multiples of four."""
    count, channels = values.shape
    width = int(np.ceil(np.sqrt(count) / 4)) * 4
    height = -(-count // (4 * width)) * 4
    image = np.zeros((height * width, channels), np.uint8)
    image[:count] = values
    return image.reshape(height, width, channels)


def _encode_means(
    cloud: SplatCloud, meta: dict[str, Any], images: dict[str, NDArray[np.uint8]]
) -> None:
    """16 bits per coordinate on a scale that is logarithmic away from the origin."""
    logs = np.empty((len(cloud), 3), np.float64)

    def compress(_: int, start: int, stop: int) -> None:
        x = cloud.means[start:stop].astype(np.float64)
        logs[start:stop] = np.sign(x) * np.log1p(np.abs(x))

    _in_parts(compress, len(cloud))
    low, high = logs.min(axis=0), logs.max(axis=0)
    extent = np.where(high > low, high - low, 1.0)
    fine = np.empty((len(cloud), 3), np.uint8)
    coarse = np.empty((len(cloud), 3), np.uint8)

    def quantise(_: int, start: int, stop: int) -> None:
        whole = np.rint((logs[start:stop] - low) / extent * 65535).astype(np.uint16)
        fine[start:stop] = whole & 255
        coarse[start:stop] = whole >> 8

    _in_parts(quantise, len(cloud))
    images["means_l.webp"], images["means_u.webp"] = _pixels(fine), _pixels(coarse)
    meta["means"] = {
        "mins": _listed(low),
        "maxs": _listed(low + extent),
        "files": ["means_l.webp", "means_u.webp"],
    }


def _encode_rotations(cloud: SplatCloud) -> NDArray[np.uint8]:
    pixels = np.empty((len(cloud), 4), np.uint8)

    def task(_: int, start: int, stop: int) -> None:
        largest, three = smallest_three(cloud.quats[start:stop])
        # Rounded, which halves the error of cutting off.
        share = np.clip(three * np.float32(0.5 / SQRT_HALF) + np.float32(0.5), 0, 1)
        pixels[start:stop, :3] = np.rint(share * 255)
        pixels[start:stop, 3] = 252 + largest

    _in_parts(task, len(cloud))
    return _pixels(pixels)


def _encode_harmonics(
    cloud: SplatCloud, passes: int, meta: dict[str, Any], images: dict[str, NDArray[np.uint8]]
) -> None:
    count, coefficients = len(cloud), cloud.sh.shape[1] - 1
    size = int(min(64.0, 2.0 ** np.floor(np.log2(count / 1024))) * 1024)
    points = np.ascontiguousarray(cloud.sh[:, 1:]).reshape(count, -1)
    centroids, labels = palette(points, size, passes=passes)
    codes = codebook(centroids)
    rows = -(-size // PALETTE_COLUMNS)
    sheet = np.zeros((rows * PALETTE_COLUMNS, coefficients, 3), np.uint8)
    sheet[:size] = encode(centroids, codes).reshape(size, coefficients, 3)
    images["shN_centroids.webp"] = sheet.reshape(rows, PALETTE_COLUMNS * coefficients, 3)
    pair = np.zeros((count, 3), np.uint8)
    pair[:, 0], pair[:, 1] = labels & 255, labels >> 8
    images["shN_labels.webp"] = _pixels(pair)
    meta["shN"] = {
        "count": size,
        "bands": cloud.sh_degree,
        "codebook": _listed(codes),
        "files": ["shN_centroids.webp", "shN_labels.webp"],
    }


def _in_parts(task: Callable[[int, int, int], None], count: int) -> None:
    parallel_for(task, count, max(1, count // _ROWS))
