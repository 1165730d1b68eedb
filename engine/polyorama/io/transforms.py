"""transforms.json of nerfstudio, instant-ngp and Blender's synthetic scenes.

Poses are camera to world with OpenGL's axes (+x right, +y up, looking along -z); they become those
of `Camera`.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyorama.core.arguments import said
from polyorama.core.text import quoted
from polyorama.core.types import MAX_SIDE, Camera
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, inside, reading
from polyorama.io.json_fields import json_trouble
from polyorama.io.limits import FARTHEST, MAX_CAMERAS
from polyorama.io.photos import Capture, Distortion, Shot, camera_of
from polyorama.io.point_ply import read_points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TransformsCamera", "read_transforms", "transforms_cameras", "write_transforms"]

_MAX_BYTES = 256 << 20
_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".webp")
_PLAIN = frozenset({"OPENCV", "PINHOLE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL"})
_ROTATION_TOLERANCE = 1e-3
_LARGEST = 1e300
_COLUMNS = (
    "fl_x", "fl_y", "cx", "cy", "w", "h", "camera_angle_x", "camera_angle_y", "camera_model",
    "k1", "k2", "k3", "k4", "p1", "p2",
)  # fmt: skip


def read_transforms(path: str | os.PathLike[str]) -> Capture:
    """Read the frames of a file; pictures are named relative to it.

    Lens numbers of a frame go before those of the file. Frames named in ``test_filenames`` and
    ``val_filenames`` are held out.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, names no frame, or has a pose or lens that cannot be used.
    """
    source = Path(path)
    if file_size(source) > _MAX_BYTES:
        raise FileFormatError(f"This file of frames is larger than 256 MiB: {source}")
    with reading(source):
        data = source.read_bytes()
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        trouble = json_trouble(error)
        raise FileFormatError(f"This is not valid JSON ({trouble}): {source}") from error
    frames = _frames(content, source)
    shots = [
        Shot(
            frame.name, _picture(source, frame.name), frame.camera, frame.distortion,
            inside(source.parent, frame.mask, source) if frame.mask else None, frame.sized,
        )
        for frame in frames
    ]  # fmt: skip
    held_out = _held_out(content, source)
    points, colors = None, None
    named = content.get("ply_file_path")
    if not isinstance(named, str | None):
        raise FileFormatError(f"Its ply_file_path is no name but {said(named)}: {source}")
    if named:
        points, colors = read_points(inside(source.parent, named, source))
    return Capture(source, tuple(shots), points, colors, held_out)


class TransformsCamera(NamedTuple):
    """A camera of the file, and how its lens bends."""

    name: str
    camera: Camera
    distortion: Distortion


def transforms_cameras(content: object, source: Path) -> list[TransformsCamera]:
    """The cameras of such a file's parsed content, by the names of their pictures.

    Pictures need not be there, unless the file leaves their size to them.

    Raises
    ------
    FileFormatError
        As `read_transforms`.
    """
    found = []
    for name, camera, distortion, sized, _ in _frames(content, source):
        size = camera if sized else _sized_by_picture(name, camera, source)
        found.append(TransformsCamera(name, size, distortion))
    return found


def write_transforms(
    path: str | os.PathLike[str],
    frames: Sequence[tuple[str, Camera]],
    more: Mapping[str, str] | None = None,
) -> None:
    """Write pinhole cameras by the names of their pictures, which are relative to the file.

    Parameters
    ----------
    path
        Where to.
    frames
        Names and cameras.
    more
        Further words to store.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    listed = []
    for name, camera in frames:
        to_world = np.linalg.inv(camera.viewmat) * np.array([1.0, -1.0, -1.0, 1.0])
        listed.append({
            "file_path": name, "fl_x": camera.fx, "fl_y": camera.fy, "cx": camera.cx,
            "cy": camera.cy, "w": camera.width, "h": camera.height,
            "transform_matrix": to_world.tolist(),
        })  # fmt: skip
    content = {"camera_model": "PINHOLE", **(more or {}), "frames": listed}
    with atomic_write(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _sized_by_picture(name: str, camera: Camera, source: Path) -> Camera:
    try:
        path = _picture(source, name)
    except FileFormatError as error:
        raise FileFormatError(
            f"This file says no size (w and h), and its picture {name[:80]!r} is not there to "
            f"tell it: {source}"
        ) from error
    return camera_of(Shot(name, path, camera, sized=False))


class _Frame(NamedTuple):
    """What the file says of a picture; `sized` as of `Shot`."""

    name: str
    camera: Camera
    distortion: Distortion
    sized: bool
    mask: str | None


def _frames(content: Any, source: Path) -> list[_Frame]:
    """All frames, by name."""
    frames = content.get("frames") if isinstance(content, dict) else None
    if not isinstance(frames, list) or not frames:
        raise FileFormatError(f"This file has no frames: {source}")
    if len(frames) > MAX_CAMERAS:
        raise FileFormatError(f"This file holds more than {MAX_CAMERAS:,} frames: {source}")
    found = [_frame(content, frame, number, source) for number, frame in enumerate(frames)]
    return sorted(found, key=lambda frame: frame.name)


def _held_out(content: Mapping[str, Any], source: Path) -> frozenset[str] | None:
    names: set[str] = set()
    for key in ("test_filenames", "val_filenames"):
        listed = content.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise FileFormatError(f"Its {key} is no list of names: {source}")
        names.update(listed)
    return frozenset(names) or None


def _frame(content: Mapping[str, Any], frame: Any, number: int, source: Path) -> _Frame:
    try:
        if not isinstance(frame, dict) or not isinstance(frame.get("file_path"), str):
            raise ValueError("no file_path")
        name = frame["file_path"]
        if not name:
            raise ValueError("an empty file_path")
        mask = frame.get("mask_path")
        if not isinstance(mask, str | None):
            raise ValueError(f"a mask_path that is no name but {said(mask)}")
        lens = {key: frame.get(key, content.get(key)) for key in _COLUMNS}
        camera, sized = _camera(_viewmat(frame["transform_matrix"]), lens)
        distortion = _distortion(lens)
    except KeyError as error:
        raise FileFormatError(f"Frame {number} has no {error.args[0]}: {source}") from error
    except FileFormatError:
        raise
    except PolyoramaError as error:
        raise FileFormatError(f"Frame {number} cannot be used: {error} {source}") from error
    except ValueError as error:
        raise FileFormatError(f"Frame {number} has {error}: {source}") from error
    return _Frame(name, camera, distortion, sized, mask or None)


def _picture(source: Path, name: str) -> Path:
    """The file of a picture; Blender's scenes leave the ending out."""
    inside(source.parent, name, source)
    for ending in _ENDINGS:
        # Unlike that of Path, this never raises.
        if os.path.isfile(source.parent / f"{name}{ending}"):
            return inside(source.parent, f"{name}{ending}", source)
    raise FileFormatError(f"There is no such picture as {quoted(name)} beside its file: {source}")


def _viewmat(values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    rows = values if isinstance(values, list) else []
    if len(rows) not in (3, 4) or not all(isinstance(row, list) and len(row) == 4 for row in rows):
        raise ValueError("a pose that is no 4x4 matrix")
    numbers = [number for row in rows for number in row]
    if not all(_is_number(number) for number in numbers):
        raise ValueError("a pose that is no matrix of numbers")
    if not all(abs(number) < math.inf for number in numbers):
        raise ValueError("a pose with NaN or infinity")
    if max(map(abs, numbers)) > FARTHEST:
        raise ValueError("a pose beyond all bounds")
    matrix = np.array(rows, np.float64)
    # From OpenGL's camera axes to ours: y and z turn round.
    rotation = matrix[:3, :3] * np.array([1.0, -1.0, -1.0])
    # Some programs leave the world's scale in the pose.
    scale = float(np.cbrt(np.linalg.det(rotation)))
    if not scale > 1e-9:
        raise ValueError("a rotation that is none")
    rotation = rotation / scale
    if np.abs(rotation @ rotation.T - np.eye(3)).max() > _ROTATION_TOLERANCE:
        raise ValueError("a rotation that is none")
    viewmat = np.eye(4)
    viewmat[:3, :3] = rotation.T
    viewmat[:3, 3] = -rotation.T @ matrix[:3, 3]
    return viewmat


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(lens: Mapping[str, Any], key: str) -> float | None:
    """A number of the lens; None where the file says none."""
    value = lens[key]
    if value is None:
        return None
    if not _is_number(value):
        raise ValueError(f"a {key} that is no number but {said(value)}")
    # Whole numbers may be longer than any that a float holds.
    if not abs(value) <= _LARGEST:
        raise ValueError(f"a lens with NaN or infinity, in {key}")
    return float(value)


def _side(lens: Mapping[str, Any], key: str) -> int | None:
    """A side of the picture in pixels."""
    side = _number(lens, key)
    if side is None:
        return None
    if not (side.is_integer() and 1 <= side <= MAX_SIDE):
        raise ValueError(f"{key} = {side:g}, which is not 1 to {MAX_SIDE} whole pixels")
    return int(side)


def _focal(lens: Mapping[str, Any], key: str, side: int) -> float | None:
    """The focal length in pixels that an angle of view over a side stands for."""
    angle = _number(lens, key)
    if angle is None:
        return None
    if not 0.0 < angle < math.pi:
        raise ValueError(f"{key} = {angle:g}, which is no angle of view from 0 to 3.14 radians")
    return 0.5 * side / math.tan(0.5 * angle)


def _camera(
    viewmat: np.ndarray[Any, np.dtype[np.float64]], lens: Mapping[str, Any]
) -> tuple[Camera, bool]:
    """The camera, and whether the file says its size; else it is that of a picture 1000 wide."""
    width, height = _side(lens, "w"), _side(lens, "h")
    sized = width is not None and height is not None
    if width is None or height is None:
        width, height = 1000, 1000
    fx, fy, cx, cy = (_number(lens, key) for key in ("fl_x", "fl_y", "cx", "cy"))
    if not sized and (fx is not None or cx is not None):
        raise ValueError("a focal length in pixels, but no size (w and h)")
    if fx is None:
        fx = _focal(lens, "camera_angle_x", width)
    if not sized and fx is None:
        raise ValueError("no focal length that goes with its size (w and h, or camera_angle_x)")
    if sized and fy is None:
        fy = _focal(lens, "camera_angle_y", height)
    if fx is None and fy is None:
        raise ValueError("no focal length (fl_x or camera_angle_x)")
    fx, fy = (fy if fx is None else fx), (fx if fy is None else fy)
    assert fx is not None
    assert fy is not None
    cx = width / 2.0 if cx is None else cx
    cy = height / 2.0 if cy is None else cy
    return Camera(viewmat, fx, fy, cx, cy, width, height), sized


def _distortion(lens: Mapping[str, Any]) -> Distortion:
    model = lens["camera_model"] or "OPENCV"
    if not isinstance(model, str) or (model not in _PLAIN and model != "OPENCV_FISHEYE"):
        raise ValueError(f"the lens model {said(model)}, which is not known here")
    k1, k2, k3, k4, p1, p2 = (
        _number(lens, key) or 0.0 for key in ("k1", "k2", "k3", "k4", "p1", "p2")
    )
    if model == "OPENCV_FISHEYE":
        return Distortion((k1, k2, k3, k4, 0.0, 0.0), fisheye=True)
    # A plain lens has no k4 in these files; writers fill it with zero.
    return Distortion((k1, k2, k3, 0.0, 0.0, 0.0), (p1, p2))
