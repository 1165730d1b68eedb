"""Export: what a document shows, with its edits carried out, as one capture or a plain project."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import polyorama
from polyorama.core.arguments import check_moment, check_path
from polyorama.core.jobs import Progress, run
from polyorama.core.text import one_line
from polyorama.edit.editor import python_line
from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import check_target
from polyorama.io.formats import PROJECT_ENDING, format_to_write, write_splats
from polyorama.io.project import write_project
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.actor import Actor
from polyorama.scene.mesh import Mesh
from polyorama.scene.modify.step import DELETED, HIDDEN, SELECTED
from polyorama.scene.properties_of import at_time
from polyorama.scene.splats import concatenate
from polyorama.scene.stack import stacking

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.edit.command import Call
    from polyorama.scene.splats import SplatCloud
    from polyorama.scene.stack import StackedSplats

__all__ = ["Exported", "Level", "export", "export_job", "exported_nodes", "level_job", "provenance"]

_MOST_LINES, _LONGEST = 400, 300
"""Of what was done, a file tells the last so many lines, cut at so many characters."""


@dataclass(frozen=True, slots=True)
class Level:
    """How a capture is written.

    Parameters
    ----------
    ending
        Of the file's name, such as ``".spz"``.
    degree
        Of the harmonics, 0 to 3; None keeps them.
    share
        Percent of the splats that stay, above 0 to 100; the others are merged into them.

    Raises
    ------
    UsageError
        If a number is out of range.
    OutputError
        If no format that can be written ends so.
    """

    ending: str
    degree: int | None = None
    share: float = 100.0

    def __post_init__(self) -> None:
        if self.ending != PROJECT_ENDING:
            format_to_write("a" + self.ending)
        if self.degree not in (None, 0, 1, 2, 3):
            raise UsageError(f"An SH degree of {self.degree} is not 0 to 3.")
        if not 0.0 < self.share <= 100.0:
            raise UsageError(f"A share of {self.share:g} % of the splats is not 0 to 100.")

    def __str__(self) -> str:
        words = [self.ending]
        if self.degree is not None:
            words.append(f"SH {self.degree}")
        if self.share < 100.0:
            words.append(f"{self.share:g} %")
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: the file, its splats and its bytes."""

    path: Path
    splats: int
    nbytes: int


def export(
    document: Document,
    path: str | os.PathLike[str],
    what: str = "visible",
    *,
    degree: int | None = None,
    share: float = 100.0,
    time: float = 0.0,
    comments: Sequence[str] = (),
) -> Exported:
    """Write what a document shows and wait for it; see `export_job`."""
    return run(
        export_job(document, path, what, degree=degree, share=share, time=time, comments=comments)
    )


def export_job(
    document: Document,
    path: str | os.PathLike[str],
    what: str = "visible",
    *,
    degree: int | None = None,
    share: float = 100.0,
    time: float = 0.0,
    comments: Sequence[str] = (),
) -> Job[Exported]:
    """Write what a document shows, edits carried out, as a job.

    The file appears, whole, only at the end; stopped before, nothing is left of it. Deleted and
    hidden splats are not written.

    Parameters
    ----------
    document
        What is exported.
    path
        The ending names the format. A project (.poly) keeps one node for each that is exported,
        with view, background and up direction; any other file holds one cloud in world space.
    what
        ``"visible"``, ``"selection"``, or the name or id of one node, with all below it.
    degree, share
        As of `Level`.
    time
        Where on the timeline, s.
    comments
        Lines that say how it came about (see `provenance`), for formats that hold text.

    Raises
    ------
    OutputError
        If there is nothing to write, or it cannot be written.
    UsageError
        If a number is out of range, or there is no such node.
    """
    check_path(path)
    target = Path(path)
    check_target(target)
    project = target.suffix.lower() == PROJECT_ENDING
    if project:
        level = Level(PROJECT_ENDING, degree, share)
    else:
        ending = next(e for e in format_to_write(target).endings if target.name.lower().endswith(e))
        level = Level(ending, degree, share)
    yield Progress(0, 0, "Carrying out edits")
    named = yield from exported_nodes(document, what, time)
    if not named:
        raise OutputError(f"Nothing is exported, because nothing of it can be seen: {target}")
    if project:
        nodes = []
        for number, (node, cloud) in enumerate(named):
            yield Progress(number, len(named), f"Preparing {node.name}")
            cloud = yield from level_job(cloud, level)
            nodes.append(Node(node.name, cloud, id=node.id))
        plain = Document(tuple(nodes), document.camera, document.background, document.up)
        yield Progress(0, 0, f"Writing {target.name}")
        write_project(plain, target)
        count = sum(len(node.splats or ()) for node in nodes)
    else:
        cloud = concatenate([cloud for _, cloud in named])
        cloud = replace(cloud, up=document.up)
        cloud = yield from level_job(cloud, level)
        words = tuple(one_line(line)[:_LONGEST] for line in comments)
        yield Progress(0, 0, f"Writing {target.name}")
        write_splats(replace(cloud, comments=words), target)
        count = len(cloud)
    from polyorama.verbs.convert import stored_bytes

    return Exported(target, count, stored_bytes(target))


def exported_nodes(
    document: Document, what: str = "visible", time: float = 0.0
) -> Job[list[tuple[Node, SplatCloud]]]:
    """The nodes that an export writes, each with its cloud in world space, as a job.

    Parameters
    ----------
    document, what, time
        As of `export_job`.

    Raises
    ------
    UsageError
        If there is no such node, or no splats are selected where the selection is asked for.
    """
    check_moment(time)
    document = at_time(document, time)
    below = None
    if what not in ("visible", "selection"):
        below = {node.id for node in document.below(document.node(what).id)}
    if what == "selection" and not document.selection:
        raise UsageError("No splats are selected; select some, or export all that is visible.")
    found: list[tuple[Node, SplatCloud]] = []
    for node, world in document.drawn():
        if below is not None and node.id not in below:
            continue
        if isinstance(node.content, Actor):
            if what != "selection":
                from polyorama.render.actors import actor_cloud
                from polyorama.render.lit_meshes import rig_of

                yield Progress(0, 0, f"Covering {node.name} with splats")
                posed = actor_cloud(node.content, world, rig_of(document), time)
                found.append((node, posed.transformed(world)))
            continue
        if isinstance(node.content, Mesh):
            if what != "selection":
                from polyorama.render.surfels import surfels_from_mesh

                yield Progress(0, 0, f"Covering {node.name} with splats")
                mesh = surfels_from_mesh(node.content, node.content.surfels).cloud
                found.append((node, mesh.transformed(world)))
            continue
        shown = yield from stacking(document, node, time)
        kept = _kept(shown, what)
        if not kept.any():
            continue
        cloud = replace(shown, state=None).baked()
        if not kept.all():
            cloud = cloud.subset(kept)
        found.append((node, cloud.transformed(world)))
    return found


def _kept(shown: StackedSplats, what: str) -> NDArray[np.bool_]:
    state = np.zeros(len(shown.cloud), np.uint8) if shown.state is None else shown.state
    kept: NDArray[np.bool_] = (state & (DELETED | HIDDEN)) == 0
    return kept & ((state & SELECTED) != 0) if what == "selection" else kept


def level_job(cloud: SplatCloud, level: Level) -> Job[SplatCloud]:
    """A cloud with so many splats and such harmonics, as a job."""
    if level.degree is not None and level.degree < cloud.sh_degree:
        cloud = cloud.with_sh_degree(level.degree)
    if level.share < 100.0:
        from polyorama.scene.decimate import decimate

        wanted = max(1, round(len(cloud) * level.share / 100.0))
        cloud = yield from decimate(cloud, wanted)
    return cloud


def provenance(calls: Sequence[Call], files: Sequence[str] = ()) -> tuple[str, ...]:
    """Lines that tell how an exported file came about.

    Parameters
    ----------
    calls
        What was done, oldest first, as `polyorama.edit.editor.Editor.done` has it.
    files
        Names of what was opened.
    """
    lines = [f"made by polyorama {polyorama.__version__}"]
    if files:
        lines.append("from " + ", ".join(files))
    told = [python_line(call) for call in calls]
    if len(told) > _MOST_LINES:
        lines.append(f"after {len(told) - _MOST_LINES} earlier steps")
        told = told[-_MOST_LINES:]
    return (*lines, *told)
