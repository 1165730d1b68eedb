"""Triangle meshes from files: glTF and GLB, OBJ, PLY, STL, OFF.

Meshes come out in the axes of splat clouds (+y down), turned, never mirrored, and upright where
the format says which way is up.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import file_size, reading
from polyorama.io.formats import sniff
from polyorama.io.gltf import holds_splats
from polyorama.io.mesh_parts import MAX_BYTES, Part, join
from polyorama.io.ply_header import HEADER_LIMIT, parse_header

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["TURNS", "holds_mesh", "read_mesh"]

Up = Literal["auto", "y", "z", "-y"]

_READERS: dict[str, tuple[str, Up]] = {
    ".glb": ("polyorama.io.mesh_gltf", "y"),
    ".gltf": ("polyorama.io.mesh_gltf", "y"),
    ".obj": ("polyorama.io.mesh_obj", "y"),
    ".ply": ("polyorama.io.mesh_ply", "y"),
    ".stl": ("polyorama.io.mesh_plain", "z"),
    ".off": ("polyorama.io.mesh_plain", "y"),
}

_SPLAT_NAMES = frozenset({"f_dc_0", "scale_0", "packed_position"})

TURNS: dict[str, NDArray[np.float32]] = {
    "y": np.array([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], np.float32),
    "z": np.array([[-1, 0, 0], [0, 0, -1], [0, -1, 0]], np.float32),
    "-y": np.eye(3, dtype=np.float32),
}
"""From a file whose up axis is named into the axes of splats; rows say what becomes of its axes."""


def holds_mesh(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a mesh, not splats: by its content where that tells, else by its ending.

    Raises
    ------
    FileFormatError
        If the file cannot be read, or the part of it that tells is damaged.
    """
    source = Path(path)
    entry = sniff(source)
    name = None if entry is None else entry.name
    if name == "ply":
        with reading(source), source.open("rb") as file:
            header = parse_header(file.read(HEADER_LIMIT), source)
        vertices, faces = header.element("vertex"), header.element("face")
        if vertices is not None and not _SPLAT_NAMES.isdisjoint(vertices.names):
            return False
        return faces is not None and faces.count > 0
    if name == "gltf":
        return not holds_splats(source)
    return name is None and source.suffix.lower() in (".obj", ".stl", ".off")


def read_mesh(
    path: str | os.PathLike[str], *, up: Up = "auto", notes: list[str] | None = None
) -> Mesh:
    """Read a triangle mesh with its colours, materials and textures.

    Parameters
    ----------
    path
        A .glb, .gltf, .obj, .ply, .stl or .off file; PLY and glTF are told by their content.
        Pictures and buffers beside it are read too, from its folder or below.
    up
        Which axis of the file is up: "y" or "z", "-y" for files in the axes of splats, "auto" for
        the format's custom (z for STL, else y).
    notes
        Takes a sentence for every picture or library of materials that cannot be used; the shape
        is read without it. None refuses files whose pictures are damaged.

    Returns
    -------
    The mesh in the axes of splat clouds, where up is (0, -1, 0).

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, too large, of another kind, or has no triangles.
    UsageError
        If `up` is no such axis.
    """
    source = Path(path)
    if up not in ("auto", *TURNS):
        raise UsageError(f"The up axis of a mesh is auto, y, z or -y, not {up!r}.")
    size = file_size(source)
    entry = sniff(source)
    by_content = {"ply": ".ply", "gltf": ".glb"}.get(entry.name) if entry else None
    ending = by_content or source.suffix.lower()
    if ending not in _READERS:
        raise FileFormatError(f"Unknown kind of mesh (known: {', '.join(_READERS)}): {source}")
    if size > MAX_BYTES:
        raise FileFormatError(
            f"The mesh has {size:,} bytes, more than the {MAX_BYTES:,} that are read; "
            f"decimate it first: {source}"
        )
    module, custom = _READERS[ending]
    with reading(source), np.errstate(all="ignore"):
        parts: list[Part] = importlib.import_module(module).read_parts(source, notes)
        mesh = join(parts, source, TURNS[custom if up == "auto" else up])
    return mesh
