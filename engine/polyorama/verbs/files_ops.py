"""Operations that read files: add them to a document, link them anew, take over cameras."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.params import parameter_of
from polyorama.edit.ops import op
from polyorama.errors import UsageError
from polyorama.io import links
from polyorama.io.audio import AUDIO_ENDINGS
from polyorama.io.cameras import read_cameras
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node, id_for
from polyorama.scene.framing import horizon
from polyorama.scene.rotations import turn_between
from polyorama.scene.timeline import Key, Track
from polyorama.verbs.open import kind_of, open_document, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.core.types import Camera

__all__ = ["add_files", "import_cameras", "open_with_source", "relink"]

log = logging.getLogger(__name__)


def open_with_source(
    path: str | os.PathLike[str], *, surfels: int = 100_000, linked: bool = False
) -> Document:
    """Open a capture, project, mesh or sound; nodes know the file that they came from.

    Parameters
    ----------
    path
        The file, or a folder with a project or SOG.
    surfels
        How many Gaussians a mesh is drawn with.
    linked
        Whether a project that holds the node keeps its path alone.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or of no known kind.
    UsageError
        If a project is to be linked.
    """
    source = Path(path)
    if source.suffix.lower() in AUDIO_ENDINGS:
        audio = links.read_sound(source)
        document = Document((Node(source.stem, audio, id=id_for(source.stem)),))
    else:
        document = open_document(source, surfels=surfels)
        if kind_of(source) == "project":
            if linked:
                raise UsageError(f"A project is added, it cannot be linked: {source}")
            return document
    file = links.source_of(source, linked=linked)
    return document.replaced(*(replace(node, source=file) for node in document.nodes))


@op("Add files")
def add_files(
    document: Document,
    paths: Sequence[str] | str,
    parent: str | None = None,
    linked: bool = False,
    surfels: int = 100_000,
    upright: bool = False,
) -> Job[Document]:
    """Add captures, projects, meshes and sounds, each as a node, and choose them.

    Parameters
    ----------
    document
        What is edited. Into one without nodes, the first file brings its up direction, and a
        project its view, background and timeline.
    paths
        Files, or folders with a project or SOG.
    parent
        Name or id of the node below which they come, or None.
    linked
        Whether the project is to keep the files' paths alone.
    surfels
        How many Gaussians a mesh is drawn with.
    upright
        Whether what is added is turned so that its up direction is the document's.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged, or of no known kind; the document stays as it is.
    UsageError
        If there is no such parent, or a project is to be linked.
    """
    listed = [os.fspath(paths)] if isinstance(paths, str | os.PathLike) else list(paths)
    if not listed:
        return document
    above = None if parent is None else document.node(parent).id
    present = {node.id for node in document.nodes}
    pieces = []
    for number, path in enumerate(listed):
        yield Progress(number, len(listed), f"Opening {Path(path).name}")
        pieces.append(open_with_source(path, surfels=surfels, linked=linked))
    titles: list[str | None] = [title_of(path) for path in listed]
    first = pieces[0]
    if upright:
        up = document.up if document.nodes else first.up
        pieces = [_turned_up(piece, up) for piece in pieces]
    if document.nodes:
        joined = Document.joined([document, *pieces], [None, *titles])
    elif _is_project(first):
        joined = Document.joined(pieces, [None, *titles[1:]])
    else:
        joined = Document.joined([replace(document, up=first.up), *pieces], [None, *titles])
    roots = [n for n in joined.nodes if n.id not in present and n.parent is None]
    placed = joined.replaced(*(replace(node, parent=above) for node in roots))
    return replace(placed, chosen=tuple(node.id for node in roots))


def _turned_up(document: Document, up: tuple[float, float, float]) -> Document:
    """A document turned so that `up` is its up direction."""
    turn = np.eye(4)
    turn[:3, :3] = turn_between(document.up, up)
    if np.allclose(turn, np.eye(4), atol=1e-6):
        return document
    roots = [node for node in document.nodes if node.parent is None]
    turned = document.replaced(*(replace(n, transform=turn @ n.transform) for n in roots))
    return replace(turned, up=up, camera=None)


def _is_project(document: Document) -> bool:
    return len(document.nodes) != 1 or document.nodes[0].source is None


@op("Relink {node}")
def relink(document: Document, node: str, path: str) -> Document:
    """Read a node's content from where its file is now, or from one that takes its place.

    Edits stay, as long as they fit.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    UsageError
        If the node did not come from a file, or the file does not fit the node's edits.
    """
    return links.relink(document, node, path)


@op("Import cameras")
def import_cameras(
    document: Document,
    path: str,
    name: str = "",
    seconds: float | None = None,
    interpolation: str = "smooth",
) -> Document:
    """Add a camera node that goes through the cameras of a file, in even steps of time.

    Parameters
    ----------
    document
        What is edited.
    path
        A file that `polyorama.io.cameras.read_cameras` reads: training cameras or a camera path.
    name
        Of the node; "" takes the file's.
    seconds
        When the last camera is reached; None takes the timeline's duration, which is made longer
        where that is shorter.
    interpolation
        Between cameras, see `polyorama.scene.timeline.Key`; ``"constant"`` stands at each.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    UsageError
        If a camera is orthographic or sees too wide, or a value is out of range.
    """
    cameras = read_cameras(path)
    length = document.timeline.duration if seconds is None else float(seconds)
    if not length > 0.0:
        raise UsageError(f"A camera path takes more than 0 s, not {length:g} s.")
    box = document.bounds()
    center = np.zeros(3) if box is None else box.center
    views = [_rig_values(camera, center, document.up, path) for camera in cameras]
    rolls = np.degrees(np.unwrap(np.radians([view["roll"][0] for view in views])))
    for view, roll in zip(views, rolls, strict=True):
        view["roll"] = (float(roll),)
    title = name or title_of(path)
    taken = [node.id for node in document.nodes]
    node = Node(title, _rig(views[0], cameras[0].near), id=id_for(title, taken))
    timeline = document.timeline
    if len(cameras) > 1:
        times = [length * i / (len(cameras) - 1) for i in range(len(cameras))]
        for what in views[0]:
            keys = [Key(t, v[what], interpolation) for t, v in zip(times, views, strict=True)]
            if len({key.value for key in keys}) > 1:
                timeline = timeline.with_track(f"{node.id}/{what}", Track(tuple(keys)))
        timeline = replace(timeline, duration=max(timeline.duration, length))
    return replace(
        document, nodes=(*document.nodes, node), timeline=timeline, chosen=(node.id,)
    )  # fmt: skip


def _rig(values: dict[str, tuple[float, ...]], near: float) -> CameraRig:
    (roll,), (fov,) = values["roll"], values["fov"]
    return CameraRig(
        eye=values["eye"], target=values["target"], roll=roll, fov=fov, near=near,
        focus=float(np.linalg.norm(np.subtract(values["target"], values["eye"]))),
    )  # fmt: skip


def _rig_values(
    camera: Camera, center: NDArray[np.float64], up: tuple[float, float, float], path: str
) -> dict[str, tuple[float, ...]]:
    """Eye, target, roll and field of view of a free rig that sees what a camera sees."""
    fov = parameter_of(CameraRig, "fov")
    if camera.kind != "pinhole" or not fov.low <= camera.fov <= fov.high:
        raise UsageError(
            f"Only perspective cameras of {fov.low:g} to {fov.high:g} degrees can be animated: "
            f"{path}"
        )
    eye, forward = camera.position, camera.forward
    away = center - eye
    # What is beside or behind the camera is no target; it then looks as far as the middle is.
    depth = max(float(away @ forward), 0.1 * float(np.linalg.norm(away)), 1e-6)
    target = eye + depth * forward
    upward = np.asarray(up, np.float64) / np.linalg.norm(up)
    level = upward - (upward @ forward) * forward
    if np.linalg.norm(level) <= 1e-6:  # straight up or down, see `rigs.rig_camera`
        front = horizon(upward)[0]
        level = front - (front @ forward) * forward
    level /= np.linalg.norm(level)
    top = -camera.viewmat[1, :3]
    roll = np.degrees(np.arctan2(np.cross(level, top) @ forward, level @ top))
    return {
        "eye": tuple(map(float, eye)),
        "target": tuple(map(float, target)),
        "roll": (float(roll),),
        "fov": (camera.fov,),
    }
