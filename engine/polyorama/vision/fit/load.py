"""From a capture on disk to the pictures of a fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.jobs import Progress
from polyorama.core.memory import require
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.capture import read_capture
from polyorama.io.photos import camera_of, read_photo
from polyorama.vision.fit.dataset import Dataset, View

if TYPE_CHECKING:
    import os

    from polyorama.core.jobs import Job
    from polyorama.io.photos import Shot

__all__ = ["load_dataset"]

_KEPT_BYTES = 5
"""Of a pixel: its colour, alpha and mask."""

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
        black pixels do not count. A picture without one counts as a whole.
    hold_out
        Every so many-th picture is kept for measuring, beginning with the first; 0 keeps none. A
        capture that names its own test pictures keeps those.

    Raises
    ------
    FileFormatError
        If something is missing or damaged.
    UsageError
        If fewer than two pictures are left to fit to, a number is out of range, or there is not
        enough memory for the pictures together.
    """
    if downscale < 1:
        raise UsageError(f"Pictures cannot be reduced {downscale} times; give 1 or more.")
    if hold_out < 0:
        raise UsageError(f"Every {hold_out}-th picture cannot be held out; give 0 or more.")
    capture = read_capture(path)
    folder = None if masks is None else Path(masks)
    if folder is not None and not folder.is_dir():
        raise FileFormatError(f"There is no such folder of masks: {folder}")
    if len(capture.shots) < 2:
        raise UsageError(
            f"There is one picture, which says nothing about depth; give at least two views: "
            f"{capture.source}"
        )
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
    return Dataset(tuple(views), tuple(held_out), capture.points, capture.colors)


def _mask_of(shot: Shot, folder: Path) -> Path | None:
    """The mask of a picture: by its whole name, its name without ending, or its file's alone."""
    names = [shot.name, Path(shot.name).with_suffix("").as_posix(), shot.path.name, shot.path.stem]
    for name in names:
        for ending in ("", *_MASK_ENDINGS):
            path = folder / f"{name}{ending}"
            inside = path.resolve().is_relative_to(folder.resolve())
            if inside and path.suffix and path.is_file():
                return path
    return None
