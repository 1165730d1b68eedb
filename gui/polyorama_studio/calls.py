"""Every call that the studio makes into the engine's verbs; each runs on a worker thread.

A script makes the same calls. Imports are inside, because the verbs load kernels and codecs that
the window does not need to open.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import PolyoramaError
from polyorama.render.rasterizers import Rasterizer, get_rasterizer
from polyorama.render.resolve import resolve
from polyorama.scene.document import Document
from polyorama.scene.rotations import turn_between
from polyorama_studio.orbit import OrbitView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.core.jobs import Job

__all__ = [
    "add",
    "align_up",
    "first_view",
    "framed",
    "make_rasterizer",
    "name_of",
    "open_document",
    "open_what_can_be",
    "sample_path",
    "save_picture",
]

log = logging.getLogger(__name__)


def open_document(paths: Sequence[Path]) -> Document:
    """Read captures and projects as one document.

    Raises
    ------
    PolyoramaError
        If it cannot be read.
    """
    from polyorama.verbs.open import open_document as open_

    return open_(*paths)


def open_what_can_be(
    opener: Callable[[Sequence[Path]], Document], files: Sequence[Path]
) -> tuple[Document | None, tuple[Path, ...], tuple[Exception, ...]]:
    """Open files as one document; of several, one that cannot be read does not hold up the others.

    Parameters
    ----------
    opener
        Reads files as one document.
    files
        At least one.

    Returns
    -------
    document, opened, errors
        What could be read, or None; those of the files that were; an error for each other one.
    """
    documents, opened, errors = [], [], []
    for path in files:
        try:
            documents.append(opener([path]))
        except Exception as error:  # told beside what could be opened
            if not isinstance(error, PolyoramaError):
                log.exception("A file could not be opened.")
            errors.append(error)
        else:
            opened.append(path)
    if len(documents) > 1:
        documents = [Document.joined(documents, [name_of([path]) for path in opened])]
    return (documents[0] if documents else None), tuple(opened), tuple(errors)


def sample_path() -> Path:
    """The sample stage that ships with Polyorama."""
    from polyorama.verbs.demo import sample_path as path_

    return path_()


def make_rasterizer() -> Job[Rasterizer]:
    """The best rasterizer that runs here, with its kernels compiled and loaded."""
    from polyorama.verbs.warm import prepare, tiny_scene

    yield from prepare()
    rasterizer = get_rasterizer("auto")
    state = resolve(*tiny_scene())
    for outputs in ({"rgba8"}, {"rgba8", "depth"}):
        rasterizer.render(state, outputs)
    return rasterizer


def align_up(document: Document, up: tuple[float, float, float]) -> Document:
    """The same document with `up` as its up direction: its root nodes are turned to match."""
    turn = np.eye(4)
    turn[:3, :3] = turn_between(document.up, up)
    if np.allclose(turn, np.eye(4), atol=1e-6):
        return document
    nodes = tuple(
        node if node.parent is not None else replace(node, transform=turn @ node.transform)
        for node in document.nodes
    )
    return replace(document, nodes=nodes, up=up, camera=None)


def add(present: Document, document: Document, name: str | None) -> Document:
    """What is there with another document beside it, upright like it.

    Parameters
    ----------
    present
        Keeps its view, background and up direction.
    document
        What is added; it may be one that is there already.
    name
        Of the group that several nodes go below; None leaves them at the root.
    """
    return Document.joined([present, align_up(document, present.up)], [None, name])


def name_of(files: Sequence[Path]) -> str | None:
    """What a file's nodes are called together; several files have named theirs already."""
    from polyorama.verbs.open import title_of

    return title_of(files[0]) if len(files) == 1 else None


def first_view(document: Document, size: tuple[int, int]) -> OrbitView:
    """The view that a freshly opened document is shown in: its own, else its subject framed."""
    from polyorama.scene.framing import frame_document

    camera = document.camera or frame_document(document, size=size)
    return OrbitView.of_camera(camera, document.up, _middle(document))


def framed(document: Document, view: OrbitView, size: tuple[int, int]) -> OrbitView:
    """The same direction of view, with everything in the picture."""
    from polyorama.scene.framing import frame_document

    camera = frame_document(
        document, fov=view.fov, size=size, azimuth=view.yaw, elevation=view.pitch
    )
    fresh = OrbitView.of_camera(camera, document.up, _middle(document))
    return replace(
        fresh, yaw=view.yaw, pitch=view.pitch, fov=view.fov, orthographic=view.orthographic
    )


def _middle(document: Document) -> np.ndarray:
    """Median of the subject's points, (3,) float64: what a capture is about, not its walls."""
    from polyorama.scene.subject import document_points

    points = document_points(document)[0]
    return np.median(points, axis=0) if len(points) else np.zeros(3)


def save_picture(
    document: Document,
    view: OrbitView,
    size: tuple[int, int],
    background: tuple[float, float, float] | None,
    path: Path,
) -> Path:
    """Draw the view at full quality and write it; the background None is transparent.

    Raises
    ------
    PolyoramaError
        If it cannot be drawn or written.
    """
    from polyorama.io.image import write_image
    from polyorama.verbs.film import render

    write_image(path, render(document, view.camera(*size), background=background))
    return path
