"""Open files as one document: captures, projects and meshes."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import file_size, reading
from polyorama.io.formats import FORMATS, find_format, read_splats
from polyorama.io.project import read_project
from polyorama.scene.document import Document, Node
from polyorama.scene.upright import estimate_up

if TYPE_CHECKING:
    import os

    from polyorama.scene.splats import SplatCloud

__all__ = ["MESH_ENDINGS", "kind_of", "open", "open_document", "title_of"]

MESH_ENDINGS = (".obj", ".stl", ".off", ".glb", ".gltf", ".ply")
"""Endings of triangle meshes; PLY and glTF may hold either, their content decides."""

_HEADER_BYTES = 1 << 16
_JSON_BYTES = 64 << 20
_PROJECT_ENDING = ".poly"


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
        How many Gaussians a mesh becomes.
    up
        World direction that is up; None takes the first file's, or estimates it.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged, or of no known kind.
    UsageError
        If `surfels` is not positive.
    """
    if surfels < 1:
        raise UsageError(f"A mesh cannot become {surfels} surfels; ask for at least 1.")
    documents = [_open_one(Path(p), surfels) for p in (path, *more)]
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
    """``"project"``, ``"splats"`` or ``"mesh"``, told by content where the name may mean either.

    Raises
    ------
    FileFormatError
        If the file is missing or of no known kind.
    """
    source = Path(path)
    if source.is_dir():
        if source.suffix.lower() == _PROJECT_ENDING or (source / "document.json").is_file():
            return "project"
        if (source / "meta.json").is_file():
            return "splats"
        raise FileFormatError(
            f"This folder is neither a project nor a SOG capture; give a file inside it: {source}"
        )
    file_size(source)
    ending = source.suffix.lower()
    if ending == _PROJECT_ENDING:
        return "project"
    if ending == ".ply":
        return "mesh" if _is_mesh_ply(source) else "splats"
    if ending in (".glb", ".gltf"):
        return "splats" if _has_gaussians(source) else "mesh"
    if ending in MESH_ENDINGS:
        return "mesh"
    entry = find_format(source)
    if entry is not None and entry.name != "csv":
        return "splats"
    raise FileFormatError(f"Unknown kind of file (known: {_known_endings()}): {source}")


def _known_endings() -> str:
    captures = {e for entry in FORMATS if entry.name != "csv" for e in entry.endings}
    return ", ".join(sorted({*captures, *MESH_ENDINGS, _PROJECT_ENDING}))


def _is_mesh_ply(source: Path) -> bool:
    """Whether a PLY file has faces and none of a splat's properties."""
    with reading(source), source.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    lines = [line.strip() for line in head.partition(b"end_header")[0].splitlines()]
    splat = any(line.endswith((b" f_dc_0", b" scale_0", b" packed_position")) for line in lines)
    return not splat and any(line.startswith(b"element face") for line in lines)


def _has_gaussians(source: Path) -> bool:
    """Whether a glTF file uses KHR_gaussian_splatting."""
    with reading(source), source.open("rb") as file:
        head = file.read(20)
        if head[:4] == b"glTF" and len(head) == 20:
            (length,) = struct.unpack_from("<I", head, 12)
            text = file.read(min(length, _JSON_BYTES))
        else:
            text = head + file.read(_JSON_BYTES)
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        # The reader of meshes says in its own words what is wrong.
        return b"KHR_gaussian_splatting" in text
    used = content.get("extensionsUsed", []) if isinstance(content, dict) else []
    return isinstance(used, list) and any(
        isinstance(name, str) and name.startswith("KHR_gaussian_splatting") for name in used
    )


def _open_one(source: Path, surfels: int) -> Document:
    kind = kind_of(source)
    if kind == "project":
        return read_project(source)
    if kind == "mesh":
        cloud = _read_mesh(source, surfels)
    else:
        cloud = read_splats(source / "meta.json" if source.is_dir() else source)
    x, y, z = estimate_up(cloud)[0]
    return Document((Node(title_of(source), cloud),), up=(float(x), float(y), float(z)))


def _read_mesh(source: Path, surfels: int) -> SplatCloud:
    from polyorama.io.mesh import read_mesh
    from polyorama.render.surfels import surfels_from_mesh

    return surfels_from_mesh(read_mesh(source), surfels).cloud
