"""Captures as they lie on disk: COLMAP folders, transforms.json, cameras.json."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from polyorama.core.text import count_of, quoted
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.cameras import read_cameras
from polyorama.io.colmap import find_colmap, read_colmap
from polyorama.io.files import inside
from polyorama.io.photos import Capture, Shot
from polyorama.io.point_ply import read_points
from polyorama.io.transforms import read_transforms

__all__ = ["read_capture"]

log = logging.getLogger(__name__)

_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
_WIDEST, _NARROWEST = 1e4, 1e-6
"""Sides of a picture over its focal length: 179.99 degrees, and a fifth of a second of arc."""

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
        If there is nothing of that kind, something is missing or damaged, a lens can see nothing,
        or one picture has two cameras.
    UsageError
        If the folder holds more than one kind.
    """
    return _checked(_read(Path(path)))


def _read(source: Path) -> Capture:
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


def _checked(capture: Capture) -> Capture:
    """The capture, each picture once; what is listed again with the same camera counts once."""
    first: dict[str, Shot] = {}
    for shot in capture.shots:
        _check_lens(shot, capture.source)
        known = first.setdefault(os.path.normpath(shot.path), shot)
        if known is not shot and not _same(known, shot):
            raise FileFormatError(
                f"The picture {quoted(shot.name)} has two cameras, of which one at least is wrong; "
                f"remove that: {capture.source}"
            )
    again = len(capture.shots) - len(first)
    if again:
        log.warning(
            "%s listed more than once; each counts once: %s", count_of(again, "picture"),
            capture.source,
        )  # fmt: skip
    return replace(capture, shots=tuple(first.values()))


def _check_lens(shot: Shot, source: Path) -> None:
    camera = shot.camera
    for side, focal, middle in (
        (camera.width, camera.fx, camera.cx), (camera.height, camera.fy, camera.cy),
    ):  # fmt: skip
        if not _NARROWEST < side / focal < _WIDEST or abs(middle) > _WIDEST * side:
            raise FileFormatError(
                f"The camera of {quoted(shot.name)} sees nothing: a focal length of {focal:.3g} "
                f"pixels and a middle at {middle:.3g} for a side of {side}; correct it: {source}"
            )


def _same(one: Shot, other: Shot) -> bool:
    return (
        one.camera.lens == other.camera.lens
        and np.array_equal(one.camera.viewmat, other.camera.viewmat)
        and (one.distortion, one.mask) == (other.distortion, other.mask)
    )


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
    inside(root, name, source)
    # INRIA leaves endings out; undistorted copies may have another one.
    stem = os.path.splitext(name)[0]
    others = [part + ending for ending in sorted(_PICTURES) for part in (name, stem)]
    for candidate in (name, *others):
        # Unlike that of Path, this never raises.
        if os.path.isfile(root / candidate):
            return inside(root, candidate, source)
    raise FileFormatError(
        f"There is no such picture as {quoted(name)}, though its camera is known; put it into "
        f"{root}: {source}"
    )
