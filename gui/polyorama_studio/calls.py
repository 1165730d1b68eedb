"""Every call that the studio makes into the engine's verbs; each runs on a worker thread.

A script makes the same calls. Imports are inside, because the verbs load kernels and codecs that
the window does not need to open.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, Qt

from polyorama.core.jobs import Progress
from polyorama.edit.ops import find_op
from polyorama.errors import PolyoramaError
from polyorama.render.rasterizers import (
    Availability,
    Rasterizer,
    available_backends,
    get_rasterizer,
)
from polyorama.render.resolve import resolve
from polyorama.scene.document import Document
from polyorama_studio.orbit import OrbitView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QImage

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera
    from polyorama.io.recovery import Recovery

__all__ = [
    "Script",
    "add_what_can_be",
    "backends",
    "example_projects",
    "example_scripts",
    "find_lost_work",
    "find_missing",
    "first_view",
    "framed",
    "is_ours",
    "make_rasterizer",
    "name_of",
    "open_document",
    "open_what_can_be",
    "png_of",
    "recovered",
    "sample_path",
    "save_picture",
    "save_project",
    "thumbnail_of",
]

log = logging.getLogger(__name__)

_THUMBNAIL = (480, 300)


@dataclass(frozen=True, slots=True)
class Script:
    """An example script, named after its file; its first line says what it does."""

    title: str
    summary: str
    text: str
    path: Path


def open_document(paths: Sequence[Path]) -> Document:
    """Read captures, projects and sounds as one document, as `polyorama.edit` does.

    Raises
    ------
    PolyoramaError
        If it cannot be read.
    """
    from polyorama.verbs.editing import edit

    return edit(*paths).document


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


def backends() -> dict[str, Availability]:
    """Every backend and whether it draws here, with the reason where it does not."""
    return available_backends()


def make_rasterizer(backend: str = "auto") -> Job[Rasterizer]:
    """The best rasterizer that runs here, or the one of that name, compiled and loaded.

    One that cannot run here any more gives way to the best one: the window is to open.
    """
    from polyorama.verbs.warm import prepare, tiny_scene

    yield from prepare()
    try:
        rasterizer = get_rasterizer(backend)
    except PolyoramaError as error:
        log.warning("%s", error)
        rasterizer = get_rasterizer("auto")
    state = resolve(*tiny_scene())
    for outputs in ({"rgba8"}, {"rgba8", "depth"}):
        rasterizer.render(state, outputs)
    return rasterizer


def add_what_can_be(
    present: Document, files: Sequence[Path]
) -> Job[tuple[Document | None, tuple[Path, ...], tuple[Exception, ...]]]:
    """Add files to a document; one that cannot be read does not hold up the others.

    Parameters
    ----------
    present
        What is there; keeps its view, background and up direction.
    files
        At least one.

    Returns
    -------
    document, added, errors
        The document with what could be read, or None where nothing could; the files of that; an
        error for each other one.
    """
    document, error = yield from _added(present, files)
    if document is not None or len(files) == 1:
        return document, () if document is None else tuple(files), () if error is None else (error,)
    good: list[Path] = []
    errors: list[Exception] = []
    for path in files:
        _, error = yield from _added(Document(), [path])
        if error is None:
            good.append(path)
        else:
            errors.append(error)
    if not good:
        return None, (), tuple(errors)
    document, error = yield from _added(present, good)
    return document, tuple(good), tuple(errors if error is None else [*errors, error])


def _added(
    present: Document, files: Sequence[Path]
) -> Job[tuple[Document | None, Exception | None]]:
    """A document with files added to it, or what kept them from it."""
    try:
        document = yield from find_op("add_files").function(
            present, [str(path) for path in files], upright=True
        )
    except Exception as error:  # told beside what could be added
        if not isinstance(error, PolyoramaError):
            log.exception("A file could not be added.")
        return None, error
    return document, None


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


def is_ours(path: Path) -> bool:
    """Whether a file ships with Polyorama: it is opened like any other, but never saved over."""
    folder = Path(str(resources.files("polyorama_assets"))).resolve()
    return path.resolve().is_relative_to(folder)


def save_project(
    document: Document, camera: Camera | None, image: QImage | None, path: Path
) -> None:
    """Write a project, with the view it is seen in and a small picture of it.

    Raises
    ------
    PolyoramaError
        If it cannot be written.
    """
    from polyorama.io.project import write_project

    seen = document if camera is None else replace(document, camera=camera)
    write_project(seen, path, thumbnail=None if image is None else png_of(image))


def png_of(image: QImage) -> bytes:
    """A picture as a small PNG."""
    small = image.scaled(
        *_THUMBNAIL, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    small.save(buffer, "PNG")
    buffer.close()
    return bytes(data.data())


def find_lost_work(projects: Sequence[Path]) -> list[Recovery]:
    """What earlier programs left behind, the latest first; those projects' folders count too."""
    from polyorama.io.recovery import recoverable

    return recoverable(*projects)


def recovered(recovery: Recovery, size: tuple[int, int]) -> tuple[Document, OrbitView]:
    """The document that a journal holds, and the view that it is shown in.

    Raises
    ------
    PolyoramaError
        If nothing of it can be read.
    """
    document = recovery.recover()
    return document, first_view(document, size)


def find_missing(document: Document, folder: Path) -> Job[dict[str, Path]]:
    """Files below a folder that are those of missing linked nodes, by node id; told by hash."""
    from polyorama.io.links import find_file

    missing = [node for node in document.nodes if node.missing]
    found = {}
    for number, node in enumerate(missing):
        assert node.source is not None
        yield Progress(number, len(missing), node.name)
        path = find_file(folder, node.source)
        if path is not None:
            found[node.id] = path
    return found


def _examples() -> Path:
    return Path(str(resources.files("polyorama_assets"))) / "examples"


def example_scripts() -> list[Script]:
    """The scripts that ship with Polyorama, in the order of their names."""
    found = []
    for path in sorted(_examples().glob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Script(_title(path), text.partition("\n")[0].strip('"#. '), text, path))
    return found


def example_projects() -> list[tuple[str, Path]]:
    """Titles and files of the projects that ship with Polyorama, the sample stage apart."""
    return [(_title(path), path) for path in sorted(_examples().glob("*.poly"))]


def _title(path: Path) -> str:
    """A file's name without its number, as a title."""
    return path.stem.lstrip("0123456789-_").replace("-", " ").replace("_", " ").capitalize()


def thumbnail_of(path: Path) -> bytes | None:
    """Bytes of the picture that a project holds; None where there is none to be had.

    Raises
    ------
    PolyoramaError
        If the file is missing or damaged.
    """
    from polyorama.io.project import read_thumbnail

    return read_thumbnail(path)
