"""COLMAP models, text and binary: cameras, pictures and points.

A model is three files, ``cameras``, ``images`` and ``points3D``, all ``.bin`` or all ``.txt``. Axes
are those of `Camera`; poses are world to camera.
"""

from __future__ import annotations

import logging
import re
import struct
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyorama.core.arguments import said
from polyorama.core.text import count_of, quoted
from polyorama.core.types import MAX_SIDE, Camera
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.files import file_size, reading
from polyorama.io.limits import FARTHEST, MAX_CAMERAS
from polyorama.io.photos import Distortion
from polyorama.scene.rotations import rotation_matrices

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = [
    "ColmapImage",
    "ColmapModel",
    "colmap_images",
    "find_colmap",
    "read_colmap",
    "read_colmap_images",
]

log = logging.getLogger(__name__)

_MAX_LINE = 1 << 24
_MAX_POINTS = 200_000_000
_MAX_NAME = 4096

_MODELS: tuple[tuple[str, int], ...] = (
    ("SIMPLE_PINHOLE", 3),
    ("PINHOLE", 4),
    ("SIMPLE_RADIAL", 4),
    ("RADIAL", 5),
    ("OPENCV", 8),
    ("OPENCV_FISHEYE", 8),
    ("FULL_OPENCV", 12),
    ("FOV", 5),
    ("SIMPLE_RADIAL_FISHEYE", 4),
    ("RADIAL_FISHEYE", 5),
    ("THIN_PRISM_FISHEYE", 12),
)
"""Lens models in the order of their numbers in binary files, each with its number of parameters."""

_ONE_FOCAL = frozenset(
    {"SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE"}
)
_UNKNOWN = frozenset({"FOV", "THIN_PRISM_FISHEYE"})


class _Optics(NamedTuple):
    """A camera of the model: its numbers, and how it bends."""

    fx: float
    fy: float
    cx: float
    cy: float
    width: int
    height: int
    distortion: Distortion


@dataclass(frozen=True, slots=True, eq=False)
class ColmapImage:
    """A picture: its name within the picture folder, its camera, and how its lens bends."""

    name: str
    camera: Camera
    distortion: Distortion


@dataclass(frozen=True, slots=True, eq=False)
class ColmapModel:
    """What a model holds: pictures by name, (P, 3) float32 points and their colours 0..1."""

    images: tuple[ColmapImage, ...]
    points: NDArray[np.float32]
    colors: NDArray[np.float32]


def find_colmap(folder: str | os.PathLike[str]) -> Path | None:
    """The folder of a model: the given one, or its ``sparse/0``, ``sparse`` or ``colmap/sparse/0``.

    None where there is none.
    """
    root = Path(folder)
    for inner in (".", "sparse/0", "sparse", "colmap/sparse/0"):
        place = root / inner
        if any((place / f"images{ending}").is_file() for ending in (".bin", ".txt")):
            return place
    return None


def read_colmap(folder: str | os.PathLike[str]) -> ColmapModel:
    """Read a model from the folder of its files.

    Where the folder holds it twice, the binary files count. Points may be missing.

    Raises
    ------
    FileFormatError
        If a file is missing or damaged, text and binary are mixed, a pose is not finite, or a lens
        model is not known.
    """
    images = colmap_images(folder)
    found = read_colmap_images(images)
    points = images.with_name(f"points3D{images.suffix}")
    xyz, rgb = np.empty((0, 3), np.float32), np.empty((0, 3), np.float32)
    if points.is_file() and points.stat().st_size:
        with reading(points):
            binary = points.suffix == ".bin"
            xyz, rgb = _points_binary(points) if binary else _points_text(points)
    return ColmapModel(found, xyz, rgb)


def read_colmap_images(path: str | os.PathLike[str]) -> tuple[ColmapImage, ...]:
    """The pictures of a model, by name, from its ``images.bin`` or ``images.txt``.

    Its cameras lie beside it in the same form.

    Raises
    ------
    FileFormatError
        As `read_colmap`.
    """
    images = Path(path)
    binary = images.suffix.lower() == ".bin"
    file_size(images)
    cameras = images.with_name(f"cameras{images.suffix}")
    if not cameras.exists():
        raise FileFormatError(f"{images.name} needs its {cameras.name} beside it: {cameras}")
    with reading(cameras):
        file_size(cameras)
        optics = _cameras_binary(cameras) if binary else _cameras_text(cameras)
    with reading(images):
        found = _images_binary(images, optics) if binary else _images_text(images, optics)
    if not found:
        raise FileFormatError(f"This COLMAP model holds no pictures: {images}")
    return tuple(sorted(found, key=lambda image: image.name))


def colmap_images(folder: str | os.PathLike[str]) -> Path:
    """The ``images.bin`` or ``images.txt`` of the model in a folder; binary files count first.

    Raises
    ------
    FileFormatError
        If a file is missing, or text and binary are mixed.
    """
    place = Path(folder)
    return place / f"images{_ending(place)}"


def _ending(place: Path) -> str:
    have = {
        ending: [(place / f"{name}{ending}").is_file() for name in ("cameras", "images")]
        for ending in (".bin", ".txt")
    }
    for ending in (".bin", ".txt"):
        if all(have[ending]):
            return ending
    if any(have[".bin"]) and any(have[".txt"]):
        raise FileFormatError(
            f"This COLMAP model mixes text and binary files; export cameras and images in one of "
            f"both: {place}"
        )
    if not place.is_dir():
        raise FileFormatError(f"There is no such folder: {place}")
    missing = "cameras" if any(h[1] for h in have.values()) else "images"
    raise FileFormatError(f"This COLMAP model has no {missing}.bin or {missing}.txt: {place}")


def _optics(model: str, width: int, height: int, values: list[float], source: Path) -> _Optics:
    """A camera of the model; what cannot be used is told by the caller's sentence."""
    if model in _UNKNOWN:
        raise FileFormatError(
            f"The lens model {model} is not known here; undistort the pictures first "
            f"('colmap image_undistorter'): {source}"
        )
    count = dict(_MODELS).get(model)
    if count is None:
        raise FileFormatError(f"There is a lens model {quoted(model)} that is not known: {source}")
    if count != len(values):
        raise ValueError(f"{len(values)} numbers where {model} has {count}")
    if not np.isfinite(values).all():
        raise ValueError("a lens with NaN or infinity")
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        sides = f"{said(width)} by {said(height)}"
        raise ValueError(f"a size of {sides} pixels, which are not 1 to {MAX_SIDE}")
    one = model in _ONE_FOCAL
    fx, fy = values[0], values[0 if one else 1]
    cx, cy, *rest = values[1 if one else 2 :]
    fisheye = model.endswith("FISHEYE")
    radial, tangential = [*rest], (0.0, 0.0)
    if model in ("OPENCV", "FULL_OPENCV"):
        radial, tangential = [*rest[:2], *rest[4:]], (rest[2], rest[3])
    k1, k2, k3, k4, k5, k6 = [*radial, *[0.0] * (6 - len(radial))]
    distortion = Distortion((k1, k2, k3, k4, k5, k6), tangential, fisheye)
    return _Optics(fx, fy, cx, cy, width, height, distortion)


def _image(name: str, pose: list[float], optics: _Optics) -> ColmapImage:
    """A picture with its pose: quaternion w x y z and shift, world to camera."""
    values = np.array(pose, np.float64)
    if not np.isfinite(values).all():
        raise ValueError("a pose with NaN or infinity")
    if np.abs(values).max() > FARTHEST:
        raise ValueError("a pose beyond all bounds")
    if not np.linalg.norm(values[:4]) > 1e-9:
        raise ValueError("a zero quaternion")
    viewmat = np.eye(4)
    viewmat[:3, :3] = rotation_matrices(values[:4])
    viewmat[:3, 3] = values[4:]
    return ColmapImage(name, Camera(viewmat, *optics[:6]), optics.distortion)


def _made(make: partial[ColmapImage], name: str, source: Path) -> ColmapImage:
    try:
        return make()
    except FileFormatError:
        raise
    except PolyoramaError as error:
        raise FileFormatError(
            f"The picture {quoted(name)} cannot be used: {error} {source}"
        ) from error
    except ValueError as error:
        raise FileFormatError(f"The picture {quoted(name)} has {error}: {source}") from error


def _lines(source: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines, stripped, without comments; empty ones too, which mean something."""
    with source.open(encoding="utf-8", errors="surrogateescape") as file:
        number = 0
        while line := file.readline(_MAX_LINE):
            number += 1
            if len(line) == _MAX_LINE:
                raise FileFormatError(f"Line {number} is longer than 16 MiB: {source}")
            if not line.startswith("#"):
                yield number, line.strip()


def _whole(word: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", word):
        raise ValueError(f"{quoted(word)} is no whole number")
    return int(word)


def _real(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{quoted(word)} is no number") from None


def _cameras_text(source: Path) -> dict[int, _Optics]:
    cameras: dict[int, _Optics] = {}
    for number, line in _lines(source):
        if not line:
            continue
        words = line.split()
        try:
            if len(words) < 4:
                raise ValueError("too few words")
            key, width, height = (_whole(words[index]) for index in (0, 2, 3))
            values = [_real(word) for word in words[4:]]
            cameras[key] = _optics(words[1], width, height, values, source)
        except ValueError as error:
            raise FileFormatError(
                f"Line {number} is no camera of COLMAP ({error}): {source}"
            ) from error
        _check_count(len(cameras), source)
    return cameras


def _images_text(source: Path, cameras: dict[int, _Optics]) -> list[ColmapImage]:
    images: list[ColmapImage] = []
    # Each picture has two lines; the second (its points, perhaps empty) is not needed.
    points = False
    for number, line in _lines(source):
        if points:
            points = False
            if not _is_points(line):
                raise FileFormatError(
                    f"Line {number} should be the points of the picture above it, or empty, but is "
                    f"neither; a picture takes two lines: {source}"
                )
            continue
        if not line:
            continue
        points = True
        words = line.split(maxsplit=9)
        try:
            if len(words) < 10:
                raise ValueError("too few words")
            pose, key, name = [_real(word) for word in words[1:8]], _whole(words[8]), words[9]
        except ValueError as error:
            raise FileFormatError(
                f"Line {number} is no picture of COLMAP ({error}): {source}"
            ) from error
        images.append(_made(partial(_image, name, pose, _of(cameras, key, source)), name, source))
        _check_count(len(images), source)
    return images


def _is_points(line: str) -> bool:
    """Whether a line may hold places and numbers of points, in threes; its ends tell."""
    words = line.split()
    if len(words) % 3:
        return False
    return all(re.fullmatch(r"[-+.0-9eEnaif]+", word) for word in (*words[:3], *words[-3:]))


def _of(cameras: dict[int, _Optics], key: int, source: Path) -> _Optics:
    if key not in cameras:
        raise FileFormatError(f"A picture names camera {key}, which its model lacks: {source}")
    return cameras[key]


def _check_count(count: int, source: Path) -> None:
    if count > MAX_CAMERAS:
        raise FileFormatError(f"This file holds more than {MAX_CAMERAS:,} cameras: {source}")


def _points_text(source: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    rows: list[tuple[float, ...]] = []
    for number, line in _lines(source):
        if not line:
            continue
        words = line.split(maxsplit=7)
        try:
            if len(words) < 8:
                raise ValueError("too few words")
            rows.append(tuple(_real(word) for word in words[1:7]))
        except ValueError as error:
            raise FileFormatError(
                f"Line {number} is no point of COLMAP ({error}): {source}"
            ) from error
        if len(rows) > _MAX_POINTS:
            raise FileFormatError(f"This file holds more than {_MAX_POINTS:,} points: {source}")
    table = np.array(rows, np.float64).reshape(-1, 6)
    return _finite(table[:, :3], table[:, 3:], source)


class _Reader:
    """A binary file from front to back; never past its end."""

    def __init__(self, source: Path) -> None:
        self._source = source
        self.data = source.read_bytes()
        self.at = 0

    def take(self, layout: str) -> tuple[float, ...]:
        """The next numbers, little endian."""
        size = struct.calcsize("<" + layout)
        if self.at + size > len(self.data):
            raise self.short()
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += size
        return values

    def skip(self, size: int) -> None:
        """Pass over bytes."""
        if self.at + size > len(self.data):
            raise self.short()
        self.at += size

    def name(self) -> str:
        """A text that ends with a zero byte."""
        end = self.data.find(b"\0", self.at, self.at + _MAX_NAME)
        if end < 0:
            raise FileFormatError(
                f"A picture's name does not end; the file is damaged: {self._source}"
            )
        text = self.data[self.at : end].decode("utf-8", "surrogateescape")
        self.at = end + 1
        return text

    def count(self, least: int) -> int:
        """How many entries follow, of at least so many bytes each."""
        count = int(self.take("Q")[0])
        if count * least > len(self.data) - self.at:
            raise self.short()
        return count

    def short(self) -> FileFormatError:
        """The sentence for a file that promises more than it has."""
        return FileFormatError(
            f"The file ends too early or is damaged; export it from COLMAP again: {self._source}"
        )


def _cameras_binary(source: Path) -> dict[int, _Optics]:
    reader = _Reader(source)
    cameras: dict[int, _Optics] = {}
    count = reader.count(24 + 24)
    _check_count(count, source)
    for _ in range(count):
        key, model, width, height = (int(value) for value in reader.take("IiQQ"))
        if not 0 <= model < len(_MODELS):
            raise FileFormatError(f"Camera {key} has a lens model {model} not known: {source}")
        name, size = _MODELS[model]
        try:
            cameras[key] = _optics(name, width, height, list(reader.take(f"{size}d")), source)
        except ValueError as error:
            raise FileFormatError(f"Camera {key} has {error}: {source}") from error
    return cameras


def _images_binary(source: Path, cameras: dict[int, _Optics]) -> list[ColmapImage]:
    reader = _Reader(source)
    count = reader.count(4 + 56 + 4 + 1 + 8)
    _check_count(count, source)
    images: list[ColmapImage] = []
    for _ in range(count):
        reader.skip(4)
        pose = list(reader.take("7d"))
        key = int(reader.take("I")[0])
        name = reader.name()
        reader.skip(24 * reader.count(24))
        images.append(_made(partial(_image, name, pose, _of(cameras, key, source)), name, source))
    return images


def _points_binary(source: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    reader = _Reader(source)
    count = reader.count(8 + 24 + 3 + 8 + 8)
    points, colors = np.empty((count, 3), np.float64), np.empty((count, 3), np.float64)
    data, at, size = reader.data, reader.at, len(reader.data)
    entry = struct.Struct("<8x3d3B8xQ")
    for row in range(count):
        if at + entry.size > size:
            raise reader.short()
        x, y, z, red, green, blue, track = entry.unpack_from(data, at)
        points[row] = x, y, z
        colors[row] = red, green, blue
        at += entry.size + 8 * track
    if at > size:
        raise reader.short()
    return _finite(points, colors, source)


def _finite(
    points: NDArray[np.float64], colors: NDArray[np.float64], source: Path
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points that are somewhere, and their colours 0..1."""
    # NaN compares as false; what lies beyond all bounds is no point either.
    finite = (np.abs(points) < FARTHEST).all(axis=1) & np.isfinite(colors).all(axis=1)
    lost = len(points) - int(finite.sum())
    if lost:
        log.warning("%s without a place or colour left out: %s", count_of(lost, "point"), source)
    shades = np.clip(colors[finite] / 255.0, 0.0, 1.0)
    return points[finite].astype(np.float32), shades.astype(np.float32)
