"""The sample project: a paper theatre built from nothing, and the copy that comes with us."""

from __future__ import annotations

import io
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from polyorama.core import jobs
from polyorama.core.jobs import Progress
from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import check_target
from polyorama.io.formats import PROJECT_ENDING
from polyorama.io.project import write_project
from polyorama.render.resolve import draw
from polyorama.verbs.theatre.build import SEED, build_theatre

if TYPE_CHECKING:
    import os

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document

__all__ = ["DATA_FORMAT", "demo", "sample_path", "write_demo"]

DATA_FORMAT = "sog"
"""How the sample keeps its splats: under a quarter of the size, the saved view at 58 dB."""

_THUMBNAIL = (480, 270)


def demo(seed: int = SEED) -> Document:
    """Build the sample stage: a paper theatre of about 160,000 Gaussians with named things.

    Parameters
    ----------
    seed
        Same seed, same stage.
    """
    return jobs.run(build_theatre(_checked(seed)))


def _checked(seed: int) -> int:
    if seed < 0:
        raise UsageError(f"A seed is a whole number from 0 on, not {seed}.")
    return seed


def write_demo(path: str | os.PathLike[str], *, seed: int = SEED) -> Job[Document]:
    """Build the sample stage and write it as a project with a thumbnail; a job.

    Parameters
    ----------
    path
        The `.poly` file to write.
    seed
        Same seed, same stage.

    Returns
    -------
    Document
        The stage as it was built, before the file's own quantisation.

    Raises
    ------
    OutputError
        If the file cannot be written; what can be known before, is told before the work.
    UsageError
        If the seed is negative.
    """
    target = Path(path)
    if target.suffix.lower() != PROJECT_ENDING:
        raise OutputError(f"A project's name ends in {PROJECT_ENDING}: {path}")
    check_target(target)
    document = yield from build_theatre(_checked(seed))
    yield Progress(0, 0, "Drawing the thumbnail")
    thumbnail = _thumbnail(document)
    yield Progress(0, 0, "Writing the project")
    write_project(document, path, data_format=DATA_FORMAT, thumbnail=thumbnail)
    return document


def sample_path() -> Path:
    """Path of the sample project that is installed with Polyorama."""
    return Path(str(resources.files("polyorama_assets").joinpath("sample.poly")))


def _thumbnail(document: Document) -> bytes:
    """PNG bytes of the saved view, drawn at twice the size and averaged down."""
    assert document.camera is not None
    width, height = _THUMBNAIL
    frame = draw(document, document.camera.resized(2 * width, 2 * height), backend="cpu")
    assert frame.rgba8 is not None
    picture = Image.fromarray(np.ascontiguousarray(frame.rgba8[..., :3]))
    stream = io.BytesIO()
    picture.resize((width, height), Image.Resampling.BOX).save(stream, "PNG", optimize=True)
    return stream.getvalue()
