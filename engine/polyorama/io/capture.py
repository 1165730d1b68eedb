"""Captures as they lie on disk: COLMAP folders, transforms.json, cameras.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.cameras import read_cameras
from polyorama.io.colmap import find_colmap, read_colmap
from polyorama.io.photos import Capture, Shot
from polyorama.io.point_ply import read_points
from polyorama.io.transforms import read_transforms

if TYPE_CHECKING:
    import os

__all__ = ["read_capture"]

_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
_FOLDERS = ("images", "input", "rgb", "")


def read_capture(path: str | os.PathLike[str]) -> Capture:
    """Find photographs and their cameras.

    Parameters
    ----------
    path
        A folder with a COLMAP model (``sparse/0`` beside ``images``), with ``transforms.json``, or
        with ``cameras.json`` beside ``images``; or one of those files, or the model's folder.

    Raises
    ------
    FileFormatError
        If there is nothing of that kind, something is missing or damaged.
    UsageError
        If the folder holds more than one kind.
    """
    source = Path(path)
    if source.is_file():
        if source.suffix.lower() == ".json":
            return _json(source)
        raise FileFormatError(
            f"This is neither a capture's folder nor its transforms.json or cameras.json: {source}"
        )
    if not source.is_dir():
        raise FileFormatError(f"There is no such folder: {source}")
    model = find_colmap(source)
    kinds: dict[str, Path] = {}
    if model is not None:
        kinds["a COLMAP model"] = model
    for name in ("transforms.json", "transforms_train.json", "cameras.json"):
        if (source / name).is_file() and not (
            name == "transforms_train.json" and "transforms.json" in kinds
        ):
            kinds[name] = source / name
    if not kinds:
        raise FileFormatError(
            f"This folder has no cameras: neither sparse/0 of COLMAP, nor transforms.json, nor "
            f"cameras.json: {source}"
        )
    if len(kinds) > 1:
        first = next(iter(kinds.values()))
        raise UsageError(
            f"This folder has {' and '.join(kinds)}; say which of them by giving its own path, "
            f"such as {first}: {source}"
        )
    (place,) = kinds.values()
    return _colmap(place) if model is not None else _json(place)


def _json(source: Path) -> Capture:
    with source.open("rb") as file:
        head = file.read(1 << 20)
    # An INRIA file is a list; those of transforms and our own are objects.
    if b'"frames"' in head and not head.lstrip().startswith(b"["):
        return read_transforms(source)
    return _cameras_json(source)


def _colmap(place: Path) -> Capture:
    model = read_colmap(place)
    root = next(
        (
            folder / inner
            for folder in (place.parent.parent, place.parent, place)
            for inner in _FOLDERS[:3]
            if (folder / inner).is_dir()
        ),
        place,
    )
    shots = [
        Shot(image.name, _beside(root, image.name, place), image.camera, image.distortion)
        for image in model.images
    ]
    points = len(model.points) > 0
    return Capture(
        place, tuple(shots), model.points if points else None, model.colors if points else None
    )


def _cameras_json(source: Path) -> Capture:
    cameras = read_cameras(source)
    entries = json.loads(source.read_bytes())
    folder = next(
        (source.parent / inner for inner in _FOLDERS[:3] if (source.parent / inner).is_dir()),
        source.parent,
    )
    if isinstance(entries, list):
        names = [str(entry.get("img_name", "")) for entry in entries]
        paths = [_beside(folder, name, source) for name in names]
    else:
        # Our own file names no pictures: they go with the cameras in the order of their names.
        paths = _pictures(folder)
        if len(paths) != len(cameras):
            raise FileFormatError(
                f"There are {len(cameras)} cameras, but {len(paths)} pictures in {folder}: {source}"
            )
        names = [path.name for path in paths]
    shots = sorted(map(Shot, names, paths, cameras), key=lambda shot: shot.name)
    points, colors = None, None
    cloud = source.parent / "input.ply"
    if cloud.is_file():
        points, colors = read_points(cloud)
    return Capture(source, tuple(shots), points, colors)


def _pictures(folder: Path) -> list[Path]:
    return sorted(
        (path for path in folder.iterdir() if path.suffix.lower() in _PICTURES),
        key=lambda path: path.name,
    )


def _beside(root: Path, name: str, source: Path) -> Path:
    """The file of a picture that a capture names; it never lies outside the picture folder."""
    path = root / name
    if not name or "\0" in name or not path.resolve().is_relative_to(root.resolve()):
        raise FileFormatError(f"A picture has the bad name {name[:80]!r}: {source}")
    if path.is_file():
        return path
    # INRIA leaves endings out; undistorted copies may have another one.
    for ending in sorted(_PICTURES):
        for candidate in (path.with_name(path.name + ending), path.with_suffix(ending)):
            if candidate.is_file():
                return candidate
    raise FileFormatError(f"There is no such picture, though its camera is known: {path}")
