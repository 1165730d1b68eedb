"""Open files as one document: captures, projects and meshes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.arguments import check_moment
from polyorama.core.memory import check_surfels
from polyorama.core.types import unit_vector
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import named
from polyorama.io.formats import MESH_ENDINGS, detect_format, find_format, read_splats
from polyorama.io.mesh import holds_mesh, read_mesh
from polyorama.io.project import holds_project, read_project
from polyorama.scene.document import Document, Node, id_for
from polyorama.scene.upright import estimate_up

if TYPE_CHECKING:
    import os

    from polyorama.scene.mesh import Mesh
    from polyorama.scene.splats import SplatCloud

__all__ = ["MESH_ENDINGS", "kind_of", "open", "open_document", "read_cloud", "title_of"]


def open_document(
    path: str | os.PathLike[str],
    *more: str | os.PathLike[str],
    surfels: int = 100_000,
    up: tuple[float, float, float] | None = None,
) -> Document:
    """Open one or several files as one document.

    Parameters
    ----------
    path, *more
        Captures (PLY, compressed PLY, splat, ksplat, spz, sog, glTF), projects (.poly) and
        triangle meshes. Each capture or mesh becomes a node named after its file; of several
        projects, each becomes a group.
    surfels
        How many Gaussians a mesh is drawn with.
    up
        World direction that is up; None takes the first file's, or estimates it.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged, or of no known kind.
    UsageError
        If `surfels` is not 1 to 20 million, or more than memory can hold.
    """
    check_surfels(surfels)
    if up is not None:
        unit_vector(up)
    documents = [_open_one(named(p), surfels) for p in (path, *more)]
    if len(documents) == 1:
        document = documents[0]
    else:
        document = Document.joined(documents, [title_of(p) for p in (path, *more)])
    return document if up is None else replace(document, up=up)


open = open_document  # noqa: A001 - `polyorama.open`, as `gzip.open` is


def title_of(path: str | os.PathLike[str]) -> str:
    """A file's name without folder and ending; of `meta.json` and the like, the folder's name."""
    source = Path(path)
    entry = find_format(source)
    name = source.name
    if entry is not None:
        if name.lower() in entry.endings:
            return source.absolute().parent.name or name
        ending = next(e for e in entry.endings if name.lower().endswith(e))
        return name[: -len(ending)] or name
    return source.stem or name


def kind_of(path: str | os.PathLike[str]) -> str:
    """``"project"``, ``"splats"`` or ``"mesh"``, told by the content first, then by the name.

    Raises
    ------
    FileFormatError
        If the file is missing or of no known kind.
    """
    source = named(path)
    if holds_project(source):
        return "project"
    if not source.is_dir() and holds_mesh(source):
        return "mesh"
    detect_format(source)
    return "splats"


def read_cloud(path: str | os.PathLike[str], *, surfels: int = 100_000) -> SplatCloud:
    """Read any file that can be opened as one cloud.

    Parameters
    ----------
    path
        A capture; a mesh, which becomes surfels; or a project, of which all that is visible is
        joined in world space.
    surfels
        How many Gaussians a mesh becomes.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of no known kind, or holds no splats.
    UsageError
        If `surfels` is not 1 to 20 million, or more than memory can hold.
    """
    check_surfels(surfels)
    source = named(path)
    kind = kind_of(source)
    if kind == "splats":
        return read_splats(source)
    if kind == "mesh":
        return cloud_of_mesh(read_mesh(source), source, surfels)
    return flat_cloud(read_project(source), path)


def flat_cloud(
    document: Document, path: str | os.PathLike[str], *, time: float = 0.0
) -> SplatCloud:
    """All that a document shows at `time`, s, as one cloud in world space, edits carried out.

    Parameters
    ----------
    document, time
        What, and when.
    path
        Where it comes from.

    Raises
    ------
    FileFormatError
        If it shows nothing.
    UsageError
        As `polyorama.render.resolve.flatten`.
    """
    from polyorama.render.resolve import flatten

    check_moment(time)
    cloud = flatten(document, time).baked().cloud
    if len(cloud) == 0:
        raise FileFormatError(f"The project shows no splats: {path}")
    return replace(cloud, up=document.up)


def _open_one(source: Path, surfels: int) -> Document:
    kind = kind_of(source)
    if kind == "project":
        return read_project(source)
    title = title_of(source)
    if kind == "mesh":
        mesh = replace(read_mesh(source), surfels=surfels)
        return Document((Node(title, mesh, id=id_for(title)),))
    cloud = read_splats(source / "meta.json" if source.is_dir() else source)
    x, y, z = estimate_up(cloud)[0]
    return Document((Node(title, cloud, id=id_for(title)),), up=(float(x), float(y), float(z)))


def cloud_of_mesh(mesh: Mesh, path: str | os.PathLike[str], surfels: int = 100_000) -> SplatCloud:
    """A mesh as so many surfels; `path` is where it comes from.

    Raises
    ------
    UsageError
        If nothing of it can be shown.
    """
    from polyorama.render.surfels import surfels_from_mesh

    try:
        return surfels_from_mesh(mesh, surfels).cloud
    except UsageError as error:
        raise UsageError(f"{error} File: {path}") from error
