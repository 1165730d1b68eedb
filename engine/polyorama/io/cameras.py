"""Camera files: INRIA's cameras.json, COLMAP's models, transforms.json, and our own JSON.

All but transforms.json use the axes of `Camera`: +x right, +y down, +z into the picture.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.io.colmap import colmap_images, find_colmap, read_colmap_images
from polyorama.io.files import file_size, named, reading
from polyorama.io.json_fields import FieldError, camera_entry, json_trouble, object_of, parse_camera
from polyorama.io.limits import MAX_CAMERAS
from polyorama.io.transforms import transforms_cameras

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.io.photos import Distortion

__all__ = ["read_cameras", "write_cameras"]

log = logging.getLogger(__name__)

_MAX_JSON_BYTES = 256 * 2**20
_FORMAT = 1
_ROTATION_TOLERANCE = 1e-3
_NO_POSES = frozenset({"cameras", "points3d", "frames", "rigs"})
"""Other files of COLMAP's models."""


def read_cameras(path: str | os.PathLike[str]) -> list[Camera]:
    """Read the cameras of a file.

    Parameters
    ----------
    path
        INRIA's ``cameras.json`` (in the file's order); COLMAP's ``images.bin`` or ``images.txt``
        with its cameras beside it, the folder of both or of a whole capture, or nerfstudio's
        ``transforms.json`` (ordered by picture name); or a file of `write_cameras`.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, holds NaN, or uses a lens that cannot be drawn.
    """
    source = named(path)
    if source.is_dir():
        source = _colmap_folder(source)
    size = file_size(source)
    ending = source.suffix.lower()
    if ending in (".bin", ".txt"):
        if source.stem.lower() in _NO_POSES:
            raise FileFormatError(
                f"COLMAP keeps its cameras' poses in images{ending}; name that file or its "
                f"folder: {source}"
            )
        images = read_colmap_images(source)
        return _unbent(((i.name, i.camera, i.distortion) for i in images), source)
    if ending != ".json":
        raise FileFormatError(
            "Unknown kind of camera file (known: cameras.json, transforms.json, images.bin, "
            f"images.txt): {source}"
        )
    with reading(source):
        cameras = _read_json(source, size)
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
    place = find_colmap(folder)
    if place is None:
        raise FileFormatError(
            f"This folder has no images.bin or images.txt of COLMAP; name the file that holds the "
            f"cameras: {folder}"
        )
    return colmap_images(place)


def _unbent(named: Iterable[tuple[str, Camera, Distortion]], source: Path) -> list[Camera]:
    """Cameras without the distortion of their lenses, which is told."""
    cameras: list[Camera] = []
    bent = 0
    for name, camera, distortion in named:
        if distortion.fisheye:
            raise FileFormatError(
                f"The picture {name!r} was taken through a fisheye, which cannot be drawn as it "
                f"was; undistort the pictures first ('colmap image_undistorter'): {source}"
            )
        bent += bool(distortion)
        cameras.append(camera)
    if bent:
        log.warning(
            "The lens distortion of %d of %d cameras is left out; pictures match undistorted "
            "photographs: %s", bent, len(cameras), source,
        )  # fmt: skip
    return cameras


def _read_json(source: Path, size: int) -> list[Camera]:
    if size > _MAX_JSON_BYTES:
        raise FileFormatError(f"This camera file is larger than 256 MiB: {source}")
    try:
        content = json.loads(source.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"This is not valid JSON ({json_trouble(error)}): {source}"
        ) from error
    if isinstance(content, dict) and content.get("polyorama") == "cameras":
        if content.get("format") != _FORMAT:
            raise FileFormatError(
                f"This camera file has format {content.get('format')!r:.40}, which is newer than "
                f"this program; update Polyorama: {source}"
            )
        entries, make = content.get("cameras"), parse_camera
    elif isinstance(content, dict) and "frames" in content:
        return _unbent(transforms_cameras(content, source), source)
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
    rotation = camera.viewmat[:3, :3]
    rigid = np.abs(rotation @ rotation.T - np.eye(3)).max() < _ROTATION_TOLERANCE
    if not rigid or np.linalg.det(rotation) < 0:
        raise FileFormatError(f"{what} has a rotation that is none: {source}")
    return camera


def _numbers(entry: dict[str, Any], name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A field of finite numbers; texts of numbers are taken too.

    Raises
    ------
    KeyError, FieldError
        If there is none, or it is something else.
    """
    try:
        array = np.array(entry[name], np.float64)
    except (TypeError, ValueError, OverflowError):
        raise FieldError(f"its {name} holds something that is no number") from None
    if array.shape != shape:
        form = " by ".join(map(str, shape))
        raise FieldError(f"its {name} is not {form + ' numbers' if shape else 'one number'}")
    if not np.isfinite(array).all():
        raise FieldError(f"its {name} holds NaN or infinity")
    return array


def _inria_camera(entry: dict[str, Any]) -> Camera:
    """`rotation` (rows) and `position` are camera to world; the principal point is the middle."""
    fields = object_of(entry, "it")
    to_world = _numbers(fields, "rotation", (3, 3))
    position = _numbers(fields, "position", (3,))
    width, height = (int(_numbers(fields, name, ())) for name in ("width", "height"))
    fx, fy = (float(_numbers(fields, name, ())) for name in ("fx", "fy"))
    return Camera(
        _viewmat(to_world.T, -to_world.T @ position),
        fx, fy, width / 2.0, height / 2.0, width, height,
    )  # fmt: skip


def _viewmat(rotation: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    viewmat = np.eye(4)
    viewmat[:3, :3] = rotation
    viewmat[:3, 3] = shift
    return viewmat
