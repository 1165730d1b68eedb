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
from polyorama.io.mesh_parts import MAX_BYTES, Part, join
from polyorama.io.ply_header import HEADER_LIMIT, parse_header

if TYPE_CHECKING:
    import os

    from polyorama.scene.mesh import Mesh

__all__ = ["MESH_ENDINGS", "holds_mesh", "read_mesh"]

Up = Literal["auto", "y", "z", "-y"]

_READERS: dict[str, tuple[str, Up]] = {
    ".glb": ("polyorama.io.mesh_gltf", "y"),
    ".gltf": ("polyorama.io.mesh_gltf", "y"),
    ".obj": ("polyorama.io.mesh_obj", "y"),
    ".ply": ("polyorama.io.mesh_ply", "y"),
    ".stl": ("polyorama.io.mesh_plain", "z"),
    ".off": ("polyorama.io.mesh_plain", "y"),
}

MESH_ENDINGS = tuple(_READERS)
"""File endings of meshes; .ply, .glb and .gltf may hold splats instead (`holds_mesh`)."""

# Rows say what becomes of the file's axes.
_TURNS = {
    "y": np.array([[-1, 0, 0], [0, -1, 0], [0, 0, 1]], np.float32),
    "z": np.array([[-1, 0, 0], [0, 0, -1], [0, -1, 0]], np.float32),
    "-y": np.eye(3, dtype=np.float32),
}


def holds_mesh(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a mesh, not splats: by its ending, and within PLY and glTF by its content.

    Raises
    ------
    FileFormatError
        If the file cannot be read.
    """
    source = Path(path)
    ending = source.suffix.lower()
    if ending not in _READERS:
        return False
    if ending in (".obj", ".stl", ".off"):
        return True
    file_size(source)
    with reading(source), source.open("rb") as file:
        head = file.read(HEADER_LIMIT)
        if head[:3] == b"ply":
            faces = parse_header(head, source).element("face")
            return faces is not None and faces.count > 0
        if ending == ".ply":
            return False
        # The JSON of a GLB comes first and names the extensions that it uses.
        text = head + (file.read(MAX_BYTES) if ending == ".gltf" else b"")
    return b"KHR_gaussian_splatting" not in text


def read_mesh(path: str | os.PathLike[str], *, up: Up = "auto") -> Mesh:
    """Read a triangle mesh with its colours, materials and textures.

    Parameters
    ----------
    path
        A .glb, .gltf, .obj, .ply, .stl or .off file. Pictures and buffers beside it are read too,
        from its folder or below.
    up
        Which axis of the file is up: "y" or "z", "-y" for files in the axes of splats, "auto" for
        the format's custom (z for STL, else y).

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
    if up not in ("auto", *_TURNS):
        raise UsageError(f"The up axis of a mesh is auto, y, z or -y, not {up!r}.")
    ending = source.suffix.lower()
    if ending not in _READERS:
        raise FileFormatError(f"Unknown kind of mesh (known: {', '.join(_READERS)}): {source}")
    size = file_size(source)
    if size > MAX_BYTES:
        raise FileFormatError(
            f"The mesh has {size:,} bytes, more than the {MAX_BYTES:,} that are read; "
            f"decimate it first: {source}"
        )
    module, custom = _READERS[ending]
    with reading(source), np.errstate(all="ignore"):
        parts: list[Part] = importlib.import_module(module).read_parts(source)
        mesh = join(parts, source, _TURNS[custom if up == "auto" else up])
    return mesh
