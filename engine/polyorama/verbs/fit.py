"""Fit: from photographs with cameras to a scene."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress, run
from polyorama.core.types import Camera
from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import atomic_write, check_target
from polyorama.io.formats import FORMATS, find_format, read_splats, write_splats
from polyorama.io.video import FilmWriter, check_video_ending, frame_rate
from polyorama.render.paths import orbit
from polyorama.vision.fit.dataset import Dataset
from polyorama.vision.fit.load import load_dataset
from polyorama.vision.fit.model import adam
from polyorama.vision.fit.optimise import Scores, evaluate_job, fit_device
from polyorama.vision.fit.optimise import fit as optimise
from polyorama.vision.fit.settings import FitSettings
from polyorama.vision.fit.start import first_guess

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from polyorama.core.jobs import Job
    from polyorama.scene.splats import SplatCloud
    from polyorama.vision.fit.model import OptimiserFactory

__all__ = ["Fitted", "fit", "fit_job", "preview_cameras"]

_FILM_FPS = 30
_FILM_FRAMES = 300
_FILM_SIDE = 480
_LAST_FRAME_S = 1.0
_SWAY = 12.0


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What a fit came to.

    Parameters
    ----------
    cloud
        The scene.
    scores
        Agreement with the views held out; None where there were none, or nothing of them counts.
    fitted, held_out
        How many views were fitted to, and held out.
    steps
        Steps taken in all.
    seconds
        Wall time of this run.
    """

    cloud: SplatCloud
    scores: Scores | None
    fitted: int
    held_out: int
    steps: int
    seconds: float


def fit(
    pictures: str | os.PathLike[str] | Dataset,
    output: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Fitted:
    """Fit a scene to photographs and wait for it; see `fit_job` for the options.

    ::

        done = po.fit("garden/", "garden.ply", settings=po.FitSettings(steps=3000))
        print(done.scores.psnr)
    """
    return run(fit_job(pictures, output, **options))


def fit_job(
    pictures: str | os.PathLike[str] | Dataset,
    output: str | os.PathLike[str] | None = None,
    *,
    settings: FitSettings | None = None,
    start: str | os.PathLike[str] | SplatCloud | None = None,
    random: int | None = None,
    downscale: int = 1,
    masks: str | os.PathLike[str] | None = None,
    hold_out: int = 8,
    device: str = "cpu",
    optimiser: OptimiserFactory = adam,
    film: str | os.PathLike[str] | None = None,
    film_from: str = "orbit",
    comment: str = "",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Job[Fitted]:
    """Read photographs, fit splats to them, measure and write the scene; as a job.

    Parameters
    ----------
    pictures
        A folder with a COLMAP model, transforms.json or cameras.json; or a `Dataset`.
    output
        File to write; its ending names the format. None writes none.
    settings
        Steps, strategy and all other numbers.
    start
        A file or cloud to begin from, in the cameras' axes. None begins with the points of the
        reconstruction, where there are any.
    random
        Begin with so many random splats instead; without points, 5,000 is the default.
    downscale, masks, hold_out
        As of `load_dataset`.
    device
        "cpu" or a CUDA device.
    optimiser
        As of `polyorama.vision.fit.optimise.fit`.
    film
        File for a film of the fit, about ten seconds long.
    film_from
        "orbit", where the camera goes round meanwhile, or the name of a picture to see it from.
    comment
        Stored in the film, after the name of the program.
    checkpoint, resume
        As of `polyorama.vision.fit.optimise.fit`.

    Raises
    ------
    FileFormatError
        If an input is missing or damaged.
    OutputError
        If an output cannot be written; told before the work, where that can be known.
    UsageError
        If options contradict each other or the pictures have nothing in common.
    UnavailableError
        If the device cannot work here, or memory ran out.
    """
    begin = time.monotonic()
    numbers = settings or FitSettings()
    if output is not None:
        _check_output(output)
    if film is not None:
        check_video_ending(film)
        check_target(film)
    elif film_from != "orbit":
        raise UsageError(f"There is no film to see from {film_from!r}; ask for a film, too.")
    if checkpoint is not None:
        check_target(checkpoint)
    _check_apart({"the scene": output, "the film": film, "the checkpoint": checkpoint})
    if start is not None and random is not None:
        raise UsageError("A fit begins from a file or at random; give one of them.")
    most = numbers.most_splats
    if random is not None and most is not None and random > most:
        raise UsageError(
            f"A fit cannot begin with {random:,} splats where there may be {most:,} at most."
        )
    # Before photographs are read, which may take minutes.
    fit_device(device)
    if isinstance(pictures, Dataset):
        dataset = pictures
    else:
        dataset = yield from load_dataset(
            pictures, downscale=downscale, masks=masks, hold_out=hold_out
        )
    if start is None:
        guess = first_guess(dataset, numbers, random=random)
    else:
        guess = read_splats(start) if isinstance(start, str | Path) else start  # type: ignore[assignment]
    # Before it is measured: who does not wait for that has the scene.
    deliver = None if output is None else functools.partial(write_splats, path=output)
    if film is None:
        cloud = yield from optimise(
            dataset, start=guess, settings=numbers, optimiser=optimiser, device=device,
            checkpoint=checkpoint, resume=resume, deliver=deliver,
        )  # fmt: skip
    else:
        every = max(1, numbers.steps // _FILM_FRAMES)
        cameras = preview_cameras(dataset, numbers.steps // every + 1, film_from)
        job = optimise(
            dataset, start=guess, settings=numbers, optimiser=optimiser, device=device,
            preview=cameras, preview_every=every, checkpoint=checkpoint, resume=resume,
            deliver=deliver,
        )  # fmt: skip
        cloud = yield from _filmed(job, Path(film), comment)
    scores = None
    if not all(view.blank for view in dataset.held_out):
        background = (0.0, 0.0, 0.0) if numbers.background == "random" else numbers.background
        scores = yield from evaluate_job(
            cloud, dataset.held_out, background=background, device=device
        )
    return Fitted(
        cloud, scores, len(dataset.views), len(dataset.held_out), numbers.steps,
        time.monotonic() - begin,
    )  # fmt: skip


def preview_cameras(dataset: Dataset, count: int, view: str = "orbit") -> list[Camera]:
    """Cameras to watch a fit with.

    Parameters
    ----------
    dataset
        Of the fit.
    count
        How many.
    view
        "orbit": one turn around what the pictures look at, where they stand around it, else a sway
        before it. Or the name of a picture, whose camera rests.

    Raises
    ------
    UsageError
        If there is no such picture.
    """
    every = {shot.name: shot.camera for shot in (*dataset.views, *dataset.held_out)}
    if view != "orbit":
        if view not in every:
            raise UsageError(f"There is no picture {view!r} to see the fit from.")
        return [_film_size(every[view])] * count
    focus, up = dataset.focus, dataset.up
    away = np.stack([camera.position - focus for camera in every.values()])
    distances = np.linalg.norm(away, axis=1)
    heights = away @ up / np.maximum(distances, 1e-12)
    middle = int(np.argmin(np.abs(heights - np.median(heights))))
    first = _film_size(list(every.values())[middle])
    level = away - np.outer(away @ up, up)
    level /= np.maximum(np.linalg.norm(level, axis=1, keepdims=True), 1e-12)
    around = float(np.linalg.norm(level.mean(axis=0))) < 0.6
    turn = np.arange(count) / max(count, 1)
    degrees = 360.0 * turn if around else _SWAY * np.sin(2.0 * np.pi * turn)
    eye = first.position
    if np.linalg.norm(np.cross(focus - eye, up)) > 1e-6:
        aimed = Camera.look_at(eye, focus, up, fov=first.fov, size=(first.width, first.height))
        first = replace(aimed, near=first.near, far=first.far)
    return orbit(first, focus, up, degrees)


def _film_size(camera: Camera) -> Camera:
    """The camera at a size that films well: the smaller side 480 pixels, both even."""
    scale = _FILM_SIDE / min(camera.width, camera.height)
    width, height = (max(2, 2 * round(0.5 * s * scale)) for s in (camera.width, camera.height))
    return camera.resized(width, height)


def _filmed(
    job: Job[SplatCloud], path: Path, comment: str
) -> Generator[Progress, None, SplatCloud]:
    """Run a fit and film its previews; the last picture stays for a second."""
    last: Any = None
    with (
        contextlib.closing(job),
        atomic_write(path) as temporary,
        FilmWriter(temporary, frame_rate(_FILM_FPS), comment=comment) as writer,
    ):
        while True:
            try:
                progress = next(job)
            except StopIteration as stop:
                cloud: SplatCloud = stop.value
                break
            if progress.preview is not None:
                last = progress.preview
                writer.write(last)
            yield progress
        for _ in range(math.ceil(_LAST_FRAME_S * _FILM_FPS) if last is not None else 0):
            writer.write(last)
    return cloud


def _check_output(path: str | os.PathLike[str]) -> None:
    """Refuse an output that could not be written, before hours of work."""
    check_target(path)
    entry = find_format(path)
    if entry is None or not entry.writes:
        known = ", ".join(sorted({f.endings[0] for f in FORMATS if f.writes}))
        raise OutputError(f"Cannot write this kind of file (can: {known}): {path}")


def _check_apart(targets: Mapping[str, str | os.PathLike[str] | None]) -> None:
    """Refuse files that would be written over one another, as far as they are given."""
    taken: dict[str, str] = {}
    for what, path in targets.items():
        if path is None:
            continue
        other = taken.setdefault(os.path.realpath(path), what)
        if other != what:
            raise UsageError(
                f"{other.capitalize()} and {what} cannot be one file; name two: {path}"
            )
