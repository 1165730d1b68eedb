"""Every call that the studio makes into the engine's verbs; each runs on a worker thread.

A script makes the same calls. Imports are inside, because the verbs load kernels and codecs that
the window does not need to open.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.render.rasterizers import Rasterizer, get_rasterizer
from polyorama.render.resolve import resolve
from polyorama_studio.orbit import OrbitView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document, Node

__all__ = [
    "align_up",
    "first_view",
    "framed",
    "join",
    "make_rasterizer",
    "open_document",
    "sample_path",
    "save_picture",
]


def open_document(paths: Sequence[Path]) -> Document:
    """Read captures and projects as one document.

    Raises
    ------
    PolyoramaError
        If it cannot be read.
    """
    from polyorama.verbs.open import open_document as open_

    return open_(*paths)


def sample_path() -> Path:
    """The sample stage that ships with Polyorama.

    Raises
    ------
    FileFormatError
        If this installation has none.
    """
    import polyorama_assets

    path = Path(next(iter(polyorama_assets.__path__))) / "sample.poly"
    if not path.is_file():
        raise FileFormatError(
            f"The sample stage is missing; write it anew with `polyorama demo {path}`."
        )
    return path


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
    old = np.asarray(document.up, np.float64) / np.linalg.norm(document.up)
    new = np.asarray(up, np.float64) / np.linalg.norm(up)
    if np.allclose(old, new, atol=1e-6):
        return document
    turn = np.eye(4)
    turn[:3, :3] = _rotation_between(old, new)
    nodes = tuple(
        node if node.parent is not None else replace(node, transform=turn @ node.transform)
        for node in document.nodes
    )
    return replace(document, nodes=nodes, up=up, camera=None)


def _rotation_between(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The smallest rotation that takes one unit vector to another, (3, 3) float64."""
    axis = np.cross(old, new)
    cosine = float(old @ new)
    if cosine < -1.0 + 1e-9:
        # Opposite directions: half a turn about any axis across; x where that is possible.
        across = np.array([1.0, 0.0, 0.0]) if abs(old[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
        across -= (across @ old) * old
        across /= np.linalg.norm(across)
        return 2.0 * np.outer(across, across) - np.eye(3)
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + cross + cross @ cross / (1.0 + cosine)


def join(documents: Sequence[Document]) -> Document:
    """One document with the nodes of all, upright like the first; its view and background win."""
    first = documents[0]
    if len(documents) == 1:
        return first
    nodes: list[Node] = []
    for document in documents:
        nodes.extend(align_up(document, first.up).nodes)
    return replace(first, nodes=tuple(nodes), camera=None)


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
    from polyorama.scene.subject import subject_rows

    points = [np.zeros((0, 3))]
    for node, world in document.drawn():
        if node.content is not None:
            local = node.content.means[subject_rows(node.content)].astype(np.float64)
            points.append(local @ world[:3, :3].T + world[:3, 3])
    everything = np.concatenate(points)
    return np.median(everything, axis=0) if len(everything) else np.zeros(3)


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
