"""transforms.json of nerfstudio, instant-ngp and Blender's synthetic scenes.

Poses are camera to world with OpenGL's axes (+x right, +y up, looking along -z); they become those
of `Camera`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, reading
from polyorama.io.json_fields import json_trouble
from polyorama.io.limits import FARTHEST, MAX_CAMERAS
from polyorama.io.photos import Capture, Distortion, Shot, camera_of
from polyorama.io.point_ply import read_points

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

__all__ = ["TransformsCamera", "read_transforms", "transforms_cameras", "write_transforms"]

_MAX_BYTES = 256 << 20
_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".webp")
_PLAIN = frozenset({"OPENCV", "PINHOLE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL"})
_ROTATION_TOLERANCE = 1e-3
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
            _inside(source, frame.mask) if frame.mask else None, frame.sized,
        )
        for frame in frames
    ]  # fmt: skip
    held_out = _held_out(content, source)
    points, colors = None, None
    named = content.get("ply_file_path")
    if isinstance(named, str) and named:
        points, colors = read_points(_inside(source, named))
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


def _inside(source: Path, name: str) -> Path:
    """A file that the JSON names; it may lie beside or below the JSON's folder, never elsewhere."""
    path = source.parent / name
    if "\0" in name or not path.resolve().is_relative_to(source.parent.resolve()):
        raise FileFormatError(
            f"The file {name[:80]!r} lies outside the capture's folder; put it inside: {source}"
        )
    return path


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
        lens = {key: frame.get(key, content.get(key)) for key in _COLUMNS}
        camera, sized = _camera(_viewmat(frame["transform_matrix"]), lens)
        distortion = _distortion(lens)
    except KeyError as error:
        raise FileFormatError(f"Frame {number} has no {error.args[0]}: {source}") from error
    except FileFormatError:
        raise
    except PolyoramaError as error:
        raise FileFormatError(f"Frame {number} cannot be used: {error} {source}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(f"Frame {number} has {error}: {source}") from error
    mask = frame.get("mask_path")
    return _Frame(name, camera, distortion, sized, mask if isinstance(mask, str) and mask else None)


def _picture(source: Path, name: str) -> Path:
    """The file of a picture; Blender's scenes leave the ending out."""
    path = _inside(source, name)
    for ending in _ENDINGS:
        candidate = path.with_name(path.name + ending)
        if candidate.is_file():
            return candidate
    raise FileFormatError(f"There is no such picture, though {source.name} names it: {path}")


def _viewmat(values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    matrix = np.array(values, np.float64)
    if matrix.shape not in ((4, 4), (3, 4)):
        raise ValueError(f"a pose of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError("a pose with NaN or infinity")
    if np.abs(matrix).max() > FARTHEST:
        raise ValueError("a pose beyond all bounds")
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


def _camera(
    viewmat: np.ndarray[Any, np.dtype[np.float64]], lens: Mapping[str, Any]
) -> tuple[Camera, bool]:
    """The camera, and whether the file says its size; else it is that of a picture 1000 wide."""
    sized = lens["w"] is not None and lens["h"] is not None
    width, height = (int(lens["w"]), int(lens["h"])) if sized else (1000, 1000)
    fx, fy = lens["fl_x"], lens["fl_y"]
    if not sized and fx is None and lens["camera_angle_x"] is None:
        raise ValueError("no focal length that goes with its size (w and h, or camera_angle_x)")
    if fx is None and lens["camera_angle_x"] is not None:
        fx = 0.5 * width / math.tan(0.5 * float(lens["camera_angle_x"]))
    if sized and fy is None and lens["camera_angle_y"] is not None:
        fy = 0.5 * height / math.tan(0.5 * float(lens["camera_angle_y"]))
    if fx is None and fy is None:
        raise ValueError("no focal length (fl_x or camera_angle_x)")
    fx, fy = (fy if fx is None else fx), (fx if fy is None else fy)
    if not sized and (lens["fl_x"] is not None or lens["cx"] is not None):
        raise ValueError("a focal length in pixels, but no size (w and h)")
    cx = width / 2.0 if lens["cx"] is None else lens["cx"]
    cy = height / 2.0 if lens["cy"] is None else lens["cy"]
    return Camera(viewmat, float(fx), float(fy), float(cx), float(cy), width, height), sized


def _distortion(lens: Mapping[str, Any]) -> Distortion:
    model = lens["camera_model"] or "OPENCV"
    if model not in _PLAIN and model != "OPENCV_FISHEYE":
        raise ValueError(f"the lens model {str(model)[:40]!r}, which is not known here")
    k1, k2, k3, k4, p1, p2 = (
        float(lens[key] or 0.0) for key in ("k1", "k2", "k3", "k4", "p1", "p2")
    )
    if not np.isfinite((k1, k2, k3, k4, p1, p2)).all():
        raise ValueError("a lens with NaN or infinity")
    if model == "OPENCV_FISHEYE":
        return Distortion((k1, k2, k3, k4, 0.0, 0.0), fisheye=True)
    # A plain lens has no k4 in these files; writers fill it with zero.
    return Distortion((k1, k2, k3, 0.0, 0.0, 0.0), (p1, p2))
