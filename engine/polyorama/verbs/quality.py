"""What an export costs and what it keeps: size and likeness of each format, measured."""

from __future__ import annotations

import math
import tempfile
import time as clock
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.io.formats import read_splats, write_splats
from polyorama.scene.document import Document
from polyorama.scene.splats import concatenate
from polyorama.verbs.convert import stored_bytes
from polyorama.verbs.export import Level, exported_nodes, level_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.scene.splats import SplatCloud

__all__ = ["Measurement", "levels_of", "likeness", "recommended", "size_and_quality"]

_LARGEST = 1280
"""Pictures are compared at this width or height at most, pixels."""
_ALIKE_DB, _ALIKE_SSIM = 38.0, 0.98
"""From here on nobody sees a difference without laying the pictures over each other."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One way to write a capture.

    Parameters
    ----------
    level
        Which.
    nbytes, splats
        Size of the file, and what is in it.
    psnr
        dB against the original on the view; infinite where the pictures are equal.
    ssim
        Structural similarity on it, up to 1.
    seconds
        How long it took to write.
    """

    level: Level
    nbytes: int
    splats: int
    psnr: float
    ssim: float
    seconds: float


def levels_of(degree: int) -> tuple[Level, ...]:
    """The levels that are worth comparing for a cloud of some SH degree, the likeliest first."""
    formats = (".sog", ".spz", ".compressed.ply", ".ply")
    found = [Level(ending, degree) for ending in formats]
    found.append(Level(".splat", 0))
    found += [Level(e, d) for d in range(degree - 1, -1, -1) for e in (".sog", ".spz", ".ply")]
    found += [Level(e, degree, share) for share in (50.0, 25.0) for e in (".spz", ".sog")]
    return tuple(found)


def size_and_quality(
    document: Document,
    camera: Camera,
    levels: Sequence[Level] | None = None,
    what: str = "visible",
    *,
    time: float = 0.0,
) -> Job[tuple[Measurement, ...]]:
    """Write a document in several ways, read each back, and compare pictures of it, as a job.

    Files lie in a temporary folder, which is removed however the job ends. The measurements that
    are there already are the `preview` of each progress, a tuple.

    Parameters
    ----------
    document
        What would be exported.
    camera
        The view on which it is judged; drawn no larger than 1280 pixels.
    levels
        What to try; None tries `levels_of` the document's splats.
    what, time
        As of `polyorama.verbs.export.export_job`.

    Raises
    ------
    UsageError
        If there is nothing to be seen.
    OutputError
        If a file cannot be written.
    """
    yield Progress(0, 0, "Carrying out edits")
    named = yield from exported_nodes(document, what, time)
    if not named:
        raise UsageError("Nothing is exported, because nothing of it can be seen.")
    # Without an up direction no format turns it, so that pictures can be compared.
    cloud = replace(concatenate([cloud for _, cloud in named]), up=None)
    if levels is None:
        levels = levels_of(cloud.sh_degree)
    camera = _modest(camera)
    original = _picture(cloud, camera, document)
    made: dict[tuple[int | None, float], SplatCloud] = {}
    found: list[Measurement] = []
    with tempfile.TemporaryDirectory(prefix="polyorama-export-") as folder:
        for number, level in enumerate(levels):
            note = f"Measuring {level}"
            yield Progress(number, len(levels), note, tuple(found))
            key = (level.degree, level.share)
            if key not in made:
                # Whichever comes next is made of the same: one is kept, as there may be millions.
                start = Progress(number, len(levels), "", tuple(found))
                made = {key: (yield from _told(level_job(cloud, level), start))}
            target = Path(folder) / f"{number}{level.ending}"
            began = clock.perf_counter()
            write_splats(made[key], target)
            seconds = clock.perf_counter() - began
            yield Progress(number, len(levels), note, tuple(found))
            again = read_splats(target)
            drawn = _picture(again, camera, document)
            psnr, ssim = likeness(drawn, original)
            found.append(Measurement(level, stored_bytes(target), len(again), psnr, ssim, seconds))
            target.unlink()
            yield Progress(number + 1, len(levels), note, tuple(found))
    return tuple(found)


def _told(job: Job[SplatCloud], place: Progress) -> Job[SplatCloud]:
    """A job within a longer one: its notes count, not its numbers."""
    while True:
        try:
            progress = next(job)
        except StopIteration as stop:
            cloud: SplatCloud = stop.value
            return cloud
        yield replace(place, note=progress.note)


def _modest(camera: Camera) -> Camera:
    factor = _LARGEST / max(camera.width, camera.height)
    if factor >= 1.0:
        return camera
    return camera.resized(
        max(1, round(camera.width * factor)), max(1, round(camera.height * factor))
    )


def _picture(cloud: SplatCloud, camera: Camera, document: Document) -> NDArray[np.float32]:
    """(H, W, 3) float32, display RGB 0..1, over the document's background."""
    from polyorama.verbs.film import render

    shown = Document.of([cloud], ["export"])
    frame = render(shown, camera, outputs=("color",), background=document.background)
    assert frame.color is not None
    return np.clip(frame.color[..., :3], 0.0, 1.0)


def likeness(drawn: NDArray[np.float32], original: NDArray[np.float32]) -> tuple[float, float]:
    """PSNR in dB and mean SSIM of two (H, W, 3) float32 pictures in 0..1."""
    from polyorama.vision.fit.similarity import similarity

    mean = float(((drawn - original).astype(np.float64) ** 2).mean())
    psnr = math.inf if mean == 0.0 else -10.0 * math.log10(mean)
    drawn, original = np.ascontiguousarray(drawn), np.ascontiguousarray(original)
    ssim, _ = similarity(drawn, original, _blurred(original), _blurred(original * original))
    return psnr, ssim


def _blurred(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """The picture under SSIM's window; outside it is black."""
    from polyorama.vision.fit.similarity import RADIUS, window

    taps = window().astype(np.float32)
    for axis in (0, 1):
        padding = [(0, 0)] * 3
        padding[axis] = (RADIUS, RADIUS)
        padded = np.pad(picture, padding)
        length = picture.shape[axis]
        parts = (np.take(padded, range(k, k + length), axis=axis) * t for k, t in enumerate(taps))
        picture = np.sum(list(parts), axis=0)
    return np.ascontiguousarray(picture)


def recommended(found: Sequence[Measurement]) -> Measurement | None:
    """The smallest file that nobody tells from the original; where there is none, the likest.

    That is 38 dB and an SSIM of 0.98. Thinned out files do not count: what is alike from afar is
    not so from near by.
    """
    alike = [
        m for m in found if m.psnr >= _ALIKE_DB and m.ssim >= _ALIKE_SSIM and m.level.share == 100.0
    ]
    if alike:
        return min(alike, key=lambda m: m.nbytes)
    return max(found, key=lambda m: (m.psnr, -m.nbytes), default=None)
