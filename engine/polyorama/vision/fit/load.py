"""From a capture on disk to the pictures of a fit."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.memory import require
from polyorama.core.text import quoted
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.capture import read_capture
from polyorama.io.photos import camera_of, read_photo
from polyorama.vision.fit.dataset import Dataset, View

if TYPE_CHECKING:
    from polyorama.core.jobs import Job
    from polyorama.io.photos import Capture, Shot

__all__ = ["load_dataset"]

log = logging.getLogger(__name__)

_KEPT_BYTES = 5
"""Of a pixel: its colour, alpha and mask."""

_FAR = 1000.0
"""Times as far from the middle of the cameras as they mostly are."""

_MASK_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")


def load_dataset(
    path: str | os.PathLike[str],
    *,
    downscale: int = 1,
    masks: str | os.PathLike[str] | None = None,
    hold_out: int = 8,
) -> Job[Dataset]:
    """Read a capture's photographs, as a job.

    Parameters
    ----------
    path
        As `io.capture.read_capture` takes it.
    downscale
        Whole factor by which pictures are reduced.
    masks
        Folder of masks, named as the pictures are (``a.jpg`` has ``a.png`` or ``a.jpg.png``);
        black and clear pixels do not count, white ones do, or those of 1 in masks of 0 and 1. A
        picture without one counts as a whole.
    hold_out
        Every so many-th picture is kept for measuring, beginning with the first; 0 keeps none. A
        capture that names its own test pictures keeps those.

    Raises
    ------
    FileFormatError
        If something is missing or damaged.
    UsageError
        If fewer than two pictures are left to fit to, nothing of any counts, a number is out of
        range, or there is not enough memory for the pictures together.
    """
    if downscale < 1:
        raise UsageError(f"Pictures cannot be reduced {downscale} times; give 1 or more.")
    if hold_out < 0:
        raise UsageError(f"Every {hold_out}-th picture cannot be held out; give 0 or more.")
    if masks is not None and not os.fspath(masks):
        raise UsageError("A folder of masks without a name cannot be read; say which one.")
    folder = None if masks is None else Path(masks)
    if folder is not None and not os.path.isdir(folder):
        raise FileFormatError(f"There is no such folder of masks: {folder}")
    capture = read_capture(path)
    if len(capture.shots) < 2:
        raise UsageError(
            f"There is one picture, which says nothing about depth; give at least two views: "
            f"{capture.source}"
        )
    _warn_of_far_cameras(capture)
    pixels = sum(
        (camera.width // downscale) * (camera.height // downscale)
        for camera in map(camera_of, capture.shots)
    )
    require(
        _KEPT_BYTES * pixels,
        f"{len(capture.shots):,} pictures of {pixels:,} pixels together; reduce them more",
    )
    views: list[View] = []
    held_out: list[View] = []
    masked = 0
    for number, shot in enumerate(capture.shots):
        yield Progress(number, len(capture.shots), "Reading pictures")
        mask = shot.mask
        if folder is not None:
            mask = _mask_of(shot, folder) or mask
        masked += mask is not None
        photo = read_photo(replace(shot, mask=mask), reduce=downscale)
        view = View(shot.name, photo.camera, photo.pixels, photo.mask)
        if capture.held_out is not None:
            kept = shot.name in capture.held_out
        else:
            # Of few pictures none can be spared.
            kept = hold_out > 0 and len(capture.shots) >= hold_out and number % hold_out == 0
        (held_out if kept else views).append(view)
    if folder is not None and masked == 0:
        raise FileFormatError(f"None of these masks has the name of a picture: {folder}")
    blank = [view.name for view in views if view.blank]
    if blank and len(blank) == len(views):
        raise UsageError(
            f"Nothing counts of any picture to fit to, for all masks are black; white is what "
            f"counts: {capture.source if folder is None else folder}"
        )
    if blank:
        log.warning(
            "Nothing counts of %d of %d pictures, for their masks are black: %s", len(blank),
            len(views), ", ".join(blank[:3]) + (", ..." if len(blank) > 3 else ""),
        )  # fmt: skip
    return Dataset(tuple(views), tuple(held_out), capture.points, capture.colors)


def _warn_of_far_cameras(capture: Capture) -> None:
    centers = np.stack([shot.camera.position for shot in capture.shots])
    distances = np.linalg.norm(centers - np.median(centers, axis=0), axis=1)
    far = distances > _FAR * np.median(distances)
    # Where most stand in one place, that is no measure.
    if np.median(distances) > 0.0 and far.any():
        name = capture.shots[int(distances.argmax())].name
        log.warning(
            "The camera of %s stands %.0e times as far away as the others, which spoils a fit "
            "where it is wrong: %s", quoted(name), distances.max() / np.median(distances),
            capture.source,
        )  # fmt: skip


def _mask_of(shot: Shot, folder: Path) -> Path | None:
    """The mask of a picture: by its whole name, its name without ending, or its file's alone."""
    names = [shot.name, Path(shot.name).with_suffix("").as_posix(), shot.path.name, shot.path.stem]
    for name in names:
        for ending in ("", *_MASK_ENDINGS):
            path = folder / f"{name}{ending}"
            # Unlike those of Path, these never raise.
            within = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
            if within and path.suffix and os.path.isfile(path):
                return path
    return None
