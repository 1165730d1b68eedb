"""Sets of pictures from all round with their cameras, such as a fit begins with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import look_at_matrix, unit_vector
from polyorama.errors import OutputError
from polyorama.io.transforms import write_transforms
from polyorama.render.paths import sphere
from polyorama.scene.framing import frame_document
from polyorama.scene.subject import OUTLIERS, document_points, weighted_quantile
from polyorama.scene.upright import estimate_up
from polyorama.verbs.film import subject_center
from polyorama.verbs.sequences import numbered

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document

__all__ = ["cameras_file", "view_set", "write_cameras_file"]

_ALL_ROUND = (-0.85, 0.85)
_ABOVE = (0.04, 0.92)
_SURE = 0.5
_ROOM = 1.02
_MADE_BY = "polyorama"


def view_set(
    document: Document,
    count: int,
    *,
    size: tuple[int, int] = (800, 800),
    fov: float | None = None,
    distance: float | None = None,
    target: ArrayLike | None = None,
    up: ArrayLike | None = None,
) -> list[Camera]:
    """Cameras spread evenly over a sphere around the subject, all looking at its middle.

    Where it is known which way is up, they stand above the ground on which the subject does; where
    that is a guess, all round it. The poles are left out.

    Parameters
    ----------
    document
        Gives what is not given: the subject's middle and the up direction.
    count
        How many.
    size, fov
        Picture size in pixels and vertical field of view in degrees.
    distance
        The sphere's radius; None takes one from where the whole subject is in every picture.
    target, up
        (3,) the middle of the sphere, and the up direction.

    Raises
    ------
    UsageError
        If an argument is out of range.
    """
    above = up is not None or _stands(document)
    axis = unit_vector(document.up if up is None else up)
    middle = subject_center(document, axis) if target is None else np.asarray(target, np.float64)
    framed = frame_document(document, size=size, fov=45.0 if fov is None else fov)
    if distance is None:
        half = np.arctan(0.5 * min(framed.width / framed.fx, framed.height / framed.fy))
        distance = _ROOM * _reach(document, middle) / float(np.sin(half))
    first = replace(
        framed, viewmat=look_at_matrix(middle - distance * framed.forward, middle, axis)
    )
    return sphere(first, middle, axis, count, heights=_ABOVE if above else _ALL_ROUND)


def _reach(document: Document, middle: NDArray[np.float64]) -> float:
    """How far from its middle the subject goes, without outliers."""
    points, weights = document_points(document)
    if not len(points):
        return 1.0
    away = np.linalg.norm(points - middle, axis=1)
    return max(float(weighted_quantile(away, weights, [1.0 - OUTLIERS])[0]), 1e-6)


def _stands(document: Document) -> bool:
    """Whether it is known which way is up: a file says so, or the estimate is rather sure."""
    clouds = [node.splats for node, _ in document.drawn()]
    known = [cloud for cloud in clouds if cloud is not None and len(cloud)]
    return bool(known) and estimate_up(max(known, key=len))[1] > _SURE


def cameras_file(pattern: str | os.PathLike[str]) -> Path:
    """Where the cameras of such pictures are written: above a folder `images`, else beside them.

    Raises
    ------
    OutputError
        If a file is there already that is none of ours.
    """
    folder = Path(pattern).parent
    place = (folder.parent if folder.name == "images" else folder) / "transforms.json"
    if place.exists() and not _is_ours(place):
        raise OutputError(
            f"There are cameras that Polyorama did not write; choose another folder: {place}"
        )
    return place


def _is_ours(place: Path) -> bool:
    try:
        content = json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and _MADE_BY in content


def write_cameras_file(
    pattern: str | os.PathLike[str], cameras: Sequence[Camera], command: str = ""
) -> Path:
    """Write transforms.json for numbered pictures, counted from 0, and return its path.

    Raises
    ------
    OutputError
        If a file is there that is none of ours, or the system refuses.
    """
    place = cameras_file(pattern)
    names = [
        numbered(pattern, number).relative_to(place.parent).as_posix()
        for number in range(len(cameras))
    ]
    write_transforms(place, list(zip(names, cameras, strict=True)), {_MADE_BY: command})
    return place
