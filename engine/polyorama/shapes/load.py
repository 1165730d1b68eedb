"""Any model file to a mesh or a splat cloud, safely.

Formats that this project reads itself are read here; those of other people's parsers in a process
of their own, which may crash, hang or eat memory without harm (`polyorama.shapes.loaders`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import count_of
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, named, reading
from polyorama.io.formats import FORMATS, MESH_ENDINGS, read_splats, sniff
from polyorama.io.limits import FARTHEST
from polyorama.io.mesh import TURNS, holds_mesh, read_mesh
from polyorama.io.mesh_parts import MAX_BYTES, Part, decode_texture, join, left_out
from polyorama.io.mesh_pictures import read_picture
from polyorama.scene.mesh import Material
from polyorama.shapes.loaders.beside import named_beside
from polyorama.shapes.loaders.remote import shared
from polyorama.shapes.loaders.worker import READERS

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh
    from polyorama.scene.splats import SplatCloud
    from polyorama.shapes.loaders.parcel import Found, Surface

__all__ = ["ENDINGS", "Loaded", "dependencies", "load_asset"]

ENDINGS: frozenset[str] = frozenset(
    {
        *MESH_ENDINGS,
        *READERS,
        *(e for f in FORMATS if f.reads for e in f.endings if e.count(".") == 1 and e[0] == "."),
    }
)
"""Endings of files that a library holds; pictures, buffers and materials belong to these."""


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A model, and what is known of it without looking at it.

    Parameters
    ----------
    kind
        "mesh" or "splats".
    format
        Lower-case ending without the dot.
    mesh, cloud
        The one that the kind names, in the axes of splats; the other is None. All corners of a
        mesh are finite, and every vertex is used.
    polygons
        Triangles of a mesh, its larger polygons being cut into them; None of splats.
    splats
        Count of splats; None of a mesh.
    size
        Extent along the file's own x, y and z (of FBX, DAE and 3DS, those after they were turned to
        have y up): in metres where the format tells its unit (glTF, FBX, DAE, USD), else in the
        file's unit. Of splats, the middle 98 percent counts.
    notes
        A sentence for each thing that was left out, such as a texture that is damaged.
    """

    kind: str
    format: str
    mesh: Mesh | None = None
    cloud: SplatCloud | None = None
    polygons: int | None = None
    splats: int | None = None
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    notes: tuple[str, ...] = ()


def load_asset(path: str | os.PathLike[str]) -> Loaded:
    """Read a model file of any kind that a library holds.

    Animated and skinned models come at rest.

    Raises
    ------
    FileFormatError
        If it is missing, of an unknown kind, damaged, too large or empty of triangles, if it takes
        too long, or if it brings its reader down; one sentence that names it.
    UnavailableError
        If the process for other people's parsers cannot be started.
    """
    source = named(path)
    ending = source.suffix.lower()
    if ending not in ENDINGS:
        known = ", ".join(sorted(ENDINGS))
        raise FileFormatError(f"Unknown kind of model (known: {known}): {source}")
    size = file_size(source)
    if ending in READERS:
        if size > MAX_BYTES:
            raise FileFormatError(
                f"The file has {size:,} bytes, more than the {MAX_BYTES:,} that are read; "
                f"decimate it first: {source}"
            )
        found = shared().read(source)
        notes = [f"{note}: {source}" for note in found.notes]
        with reading(source), np.errstate(all="ignore"):
            mesh = join(_painted(found, source, notes), source, TURNS[found.up])
        return _of_mesh(mesh, source, found.up, notes)
    if holds_mesh(source):
        notes = []
        up = "z" if ending == ".stl" and sniff(source) is None else "y"
        return _of_mesh(read_mesh(source, notes=notes), source, up, notes)
    return _of_splats(read_splats(source), ending)


def dependencies(path: str | os.PathLike[str]) -> list[Path]:
    """Files that a model reads beside itself: buffers, materials and pictures.

    Parameters
    ----------
    path
        Of the model. It is not parsed, so pictures that only its bytes seem to name may be among
        them; files that are not there, or lie outside where its reader seeks, are not.
    """
    source = named(path)
    try:
        return list(named_beside(source))
    except (FileFormatError, OSError):
        # Loading it says what is wrong.
        return []


def _painted(found: Found, source: Path, notes: list[str]) -> list[Part]:
    """Parts with their materials' pictures decoded."""
    surfaces = {id(surface.material): surface for surface in found.surfaces}
    made: dict[int, Material] = {}
    parts = []
    for part in found.parts:
        if part.uvs is not None and len(part.triangles):
            key = id(part.material)
            if key not in made:
                made[key] = _with_picture(surfaces[key], source, notes)
            part = replace(part, material=made[key])
        parts.append(part)
    return parts


def _with_picture(surface: Surface, source: Path, notes: list[str]) -> Material:
    if not surface.name and not surface.picture:
        return surface.material
    try:
        data = surface.picture or read_picture(source, surface.name)
        texture = decode_texture(data, surface.name, source)
    except FileFormatError as error:
        left_out(notes, f"A texture is left out. {error}")
        return surface.material
    return Material(surface.painted, texture, surface.material.emission)


def _of_mesh(mesh: Mesh, source: Path, up: str, notes: list[str]) -> Loaded:
    sound = _sound(mesh, source, notes)
    x, y, z = np.ptp(sound.vertices.astype(np.float64), axis=0).tolist()
    return Loaded(
        "mesh",
        source.suffix.lower()[1:],
        mesh=sound,
        polygons=len(sound.triangles),
        size=(x, z, y) if up == "z" else (x, y, z),
        notes=tuple(notes),
    )


def _of_splats(cloud: SplatCloud, ending: str) -> Loaded:
    means = cloud.means[np.isfinite(cloud.means).all(axis=1)].astype(np.float64)
    low, high = np.percentile(means, [1.0, 99.0], axis=0) if len(means) else np.zeros((2, 3))
    x, y, z = (high - low).tolist()
    return Loaded("splats", ending[1:], cloud=cloud, splats=len(cloud), size=(x, y, z))


def _sound(mesh: Mesh, source: Path, notes: list[str]) -> Mesh:
    """A mesh without corners that are nowhere and without vertices that no triangle uses.

    Raises
    ------
    FileFormatError
        If no triangle with an area is left.
    """
    with np.errstate(invalid="ignore"):
        fine = np.all(np.abs(mesh.vertices) <= FARTHEST, axis=1)
    kept = np.all(fine[mesh.triangles], axis=1)
    lost = int(len(kept) - kept.sum())
    if lost:
        notes.append(
            f"{count_of(lost, 'triangle')} with a corner that is nowhere left out: {source}"
        )
    triangles = mesh.triangles[kept]
    if not _has_area(mesh.vertices, triangles):
        raise FileFormatError(
            f"The file has no triangle with an area; export the mesh with its faces: {source}"
        )
    used = np.zeros(len(mesh.vertices), bool)
    used[triangles] = True
    if lost == 0 and used.all():
        return mesh
    numbers = np.cumsum(used, dtype=np.int32) - 1
    return replace(
        mesh,
        vertices=mesh.vertices[used],
        triangles=numbers[triangles],
        colors=None if mesh.colors is None else mesh.colors[used],
        uvs=None if mesh.uvs is None else np.nan_to_num(mesh.uvs[used]),
        material_ids=None if mesh.material_ids is None else mesh.material_ids[kept],
    )


def _has_area(vertices: NDArray[np.float32], triangles: NDArray[np.int32]) -> bool:
    """Whether any triangle has; looked at in pieces, since nearly always the first one says so."""
    for start in range(0, len(triangles), 65536):
        a, b, c = np.moveaxis(vertices[triangles[start : start + 65536]].astype(np.float64), 1, 0)
        if np.cross(b - a, c - a).any():
            return True
    return False
