"""Camera files: INRIA's cameras.json, COLMAP's text model, and our own JSON.

All three use the axes of `Camera`: +x right, +y down, +z into the picture.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, reading
from polyorama.io.json_fields import FieldError, camera_entry, parse_camera
from polyorama.scene.rotations import rotation_matrices

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["MAX_CAMERAS", "read_cameras", "write_cameras"]

log = logging.getLogger(__name__)

MAX_CAMERAS = 200_000
"""Most cameras that one file may hold."""

_MAX_JSON_BYTES = 256 * 2**20
_MAX_LINE = 2**24
_FORMAT = 1

# COLMAP's camera models: how many parameters, how many of them are focal lengths. Distortion
# follows the principal point; it is straightened away before training, so it is not drawn.
_MODELS = {
    "SIMPLE_PINHOLE": (3, 1),
    "PINHOLE": (4, 2),
    "SIMPLE_RADIAL": (4, 1),
    "RADIAL": (5, 1),
    "OPENCV": (8, 2),
    "FULL_OPENCV": (12, 2),
}
_WIDE_MODELS = {
    "OPENCV_FISHEYE",
    "SIMPLE_RADIAL_FISHEYE",
    "RADIAL_FISHEYE",
    "THIN_PRISM_FISHEYE",
    "RAD_TAN_THIN_PRISM_FISHEYE",
    "FOV",
    "SIMPLE_DIVISION",
    "DIVISION",
    "EQUIRECTANGULAR",
}
_ROTATION_TOLERANCE = 1e-3

_Lens = tuple[float, float, float, float, int, int]
"""fx, fy, cx, cy, width, height."""


def read_cameras(path: str | os.PathLike[str]) -> list[Camera]:
    """Read the cameras of a file.

    Parameters
    ----------
    path
        INRIA's ``cameras.json`` (in the file's order); COLMAP's ``images.txt`` with ``cameras.txt``
        beside it, or the folder of both (ordered by picture name); or a file of `write_cameras`.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, holds NaN, or uses a lens that cannot be drawn.
    """
    source = Path(path)
    if source.is_dir():
        source = _colmap_folder(source)
    size = file_size(source)
    if source.suffix.lower() == ".bin":
        raise FileFormatError(
            "This is COLMAP's binary model; turn it into text with "
            f"'colmap model_converter --output_type TXT': {source}"
        )
    with reading(source):
        if source.suffix.lower() == ".json":
            cameras = _read_json(source, size)
        elif source.suffix.lower() == ".txt":
            cameras = _read_colmap(source)
        else:
            raise FileFormatError(
                f"Unknown kind of camera file (known: cameras.json, images.txt): {source}"
            )
    if not cameras:
        raise FileFormatError(f"This file holds no cameras: {source}")
    return cameras


def write_cameras(path: str | os.PathLike[str], cameras: Sequence[Camera]) -> None:
    """Write cameras as our own JSON, exactly: reading them gives equal numbers.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    entries = [camera_entry(camera) for camera in cameras]
    document = {"polyorama": "cameras", "format": _FORMAT, "cameras": entries}
    with atomic_write(path) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _colmap_folder(folder: Path) -> Path:
    for name in ("images.txt", "images.bin"):
        if (folder / name).exists():
            return folder / name
    raise FileFormatError(f"This folder has no images.txt of COLMAP: {folder}")


def _read_json(source: Path, size: int) -> list[Camera]:
    if size > _MAX_JSON_BYTES:
        raise FileFormatError(f"This camera file is larger than 256 MiB: {source}")
    try:
        content = json.loads(source.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"This is not valid JSON ({error}): {source}") from error
    if isinstance(content, dict) and content.get("polyorama") == "cameras":
        if content.get("format") != _FORMAT:
            raise FileFormatError(
                f"This camera file has format {content.get('format')!r:.40}, which is newer than "
                f"this program; update Polyorama: {source}"
            )
        entries, make = content.get("cameras"), parse_camera
    else:
        entries, make = content, _inria_camera
    if not isinstance(entries, list):
        raise FileFormatError(f"This JSON holds no list of cameras: {source}")
    _check_count(len(entries), source)
    return [_made(make, entry, f"Camera {i}", source) for i, entry in enumerate(entries)]


def _check_count(count: int, source: Path) -> None:
    if count > MAX_CAMERAS:
        raise FileFormatError(f"This file holds more than {MAX_CAMERAS} cameras: {source}")


def _made(make: Callable[[Any], Camera], entry: Any, what: str, source: Path) -> Camera:
    """Call `make(entry)`; whatever is wrong with the entry becomes one sentence."""
    try:
        with np.errstate(all="ignore"):  # absurd numbers overflow, and are refused below
            camera = make(entry)
    except KeyError as error:
        raise FileFormatError(f"{what} has no {error.args[0]!r}: {source}") from error
    except FieldError as error:
        raise FileFormatError(f"{what} is damaged ({error}): {source}") from error
    except PolyoramaError as error:
        raise FileFormatError(f"{what} cannot be used: {error} File: {source}") from error
    except (TypeError, ValueError, OverflowError, IndexError, AttributeError) as error:
        raise FileFormatError(f"{what} is damaged ({error}): {source}") from error
    rotation = camera.viewmat[:3, :3]
    rigid = np.abs(rotation @ rotation.T - np.eye(3)).max() < _ROTATION_TOLERANCE
    if not rigid or np.linalg.det(rotation) < 0:
        raise FileFormatError(f"{what} has a rotation that is none: {source}")
    return camera


def _numbers(values: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = np.array(values, np.float64)
    if array.shape != shape:
        raise ValueError(f"an array of shape {array.shape} where {shape} is needed")
    if not np.isfinite(array).all():
        raise ValueError("a pose with NaN or infinity")
    return array


def _inria_camera(entry: dict[str, Any]) -> Camera:
    """`rotation` (rows) and `position` are camera to world; the principal point is the middle."""
    to_world = _numbers(entry["rotation"], (3, 3))
    position = _numbers(entry["position"], (3,))
    width, height = int(entry["width"]), int(entry["height"])
    return Camera(
        _viewmat(to_world.T, -to_world.T @ position),
        float(entry["fx"]), float(entry["fy"]), width / 2.0, height / 2.0, width, height,
    )  # fmt: skip


def _viewmat(rotation: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    viewmat = np.eye(4)
    viewmat[:3, :3] = rotation
    viewmat[:3, 3] = shift
    return viewmat


def _lines(source: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file, one at a time."""
    # Names may be in any encoding; what cannot be read as UTF-8 is kept as it is.
    with source.open(encoding="utf-8", errors="surrogateescape") as file:
        number = 0
        while line := file.readline(_MAX_LINE):
            number += 1
            if len(line) == _MAX_LINE:
                raise FileFormatError(f"Line {number} is longer than 16 MiB: {source}")
            yield number, line.strip()


def _read_colmap(source: Path) -> list[Camera]:
    lenses = _read_lenses(source.with_name("cameras.txt"))
    named: list[tuple[str, Camera]] = []
    # Each picture has two lines, the second (its points, perhaps empty) is not needed.
    skip = False
    for number, line in _lines(source):
        if skip:
            skip = False
            continue
        if not line or line.startswith("#"):
            continue
        skip = True
        words = line.split(maxsplit=9)
        if len(words) < 10:
            raise FileFormatError(f"Line {number} is no picture of COLMAP: {source}")
        if words[8] not in lenses:
            raise FileFormatError(
                f"Line {number} names camera {words[8]}, which cameras.txt lacks: {source}"
            )
        make = partial(_colmap_camera, lens=lenses[words[8]])
        named.append((words[9], _made(make, words, f"Line {number}", source)))
        _check_count(len(named), source)
    named.sort(key=lambda pair: pair[0])
    return [camera for _, camera in named]


def _colmap_camera(words: list[str], lens: _Lens) -> Camera:
    quat = _numbers(words[1:5], (4,))
    if not np.linalg.norm(quat) > 1e-9:
        raise ValueError("a zero quaternion")
    return Camera(_viewmat(rotation_matrices(quat), _numbers(words[5:8], (3,))), *lens)


def _read_lenses(source: Path) -> dict[str, _Lens]:
    if not source.exists():
        raise FileFormatError(f"images.txt needs its cameras.txt beside it: {source}")
    lenses: dict[str, _Lens] = {}
    distorted: set[str] = set()
    for number, line in _lines(source):
        if not line or line.startswith("#"):
            continue
        words = line.split()
        model = words[1] if len(words) > 1 else ""
        if model in _WIDE_MODELS:
            raise FileFormatError(
                f"Camera {words[0]} has the lens model {model}, which cannot be drawn; undistort "
                f"the pictures first ('colmap image_undistorter'): {source}"
            )
        if model not in _MODELS or len(words) != 4 + _MODELS[model][0]:
            raise FileFormatError(f"Line {number} is no camera of COLMAP: {source}")
        focals = _MODELS[model][1]
        try:
            width, height = int(words[2]), int(words[3])
            values = [float(word) for word in words[4:]]
        except ValueError as error:
            raise FileFormatError(f"Line {number} is damaged ({error}): {source}") from error
        fx, fy = values[0], values[focals - 1]
        lenses[words[0]] = (fx, fy, values[focals], values[focals + 1], width, height)
        if any(value != 0.0 for value in values[focals + 2 :]):
            distorted.add(model)
        _check_count(len(lenses), source)
    if distorted:
        log.warning(
            "The lens distortion (%s) is left out; pictures match undistorted photographs: %s",
            ", ".join(sorted(distorted)),
            source,
        )
    return lenses
