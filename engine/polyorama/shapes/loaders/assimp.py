"""FBX, DAE, 3DS and 3MF, parsed by assimp; only for the loading process.

Assimp gives meshes in the space of their nodes; they are placed here, at rest. It turns FBX, DAE
and 3DS upright, and FBX and DAE into metres.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import display_from_linear
from polyorama.errors import FileFormatError
from polyorama.io.mesh_parts import MAX_CORNERS, Part, left_out
from polyorama.scene.mesh import Material
from polyorama.shapes.loaders.fbx_pictures import embedded_pictures
from polyorama.shapes.loaders.parcel import Found, Surface

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read"]

_DIFFUSE, _BASE_COLOR = 1, 12
_UNNAMED = ("DefaultMaterial", "%%%DEFAULT")
"""What assimp calls the grey that it gives to meshes without a material."""
_MAX_DEPTH = 1000
_MAX_NODES = 1_000_000
_HEAD = 1 << 16
_MAX_SEARCHED = 64 << 20
_FILE_NAMES = re.compile(rb'FileName: *"([^"\r\n]{1,400})"')
"""In FBX as text; of binary files, assimp tells the name."""


def read(path: Path) -> Found:
    """All triangles of a file.

    Raises
    ------
    FileFormatError
        If assimp does not understand it, or it is too large.
    """
    import assimp_py as assimp

    flags = (
        assimp.Process_Triangulate
        | assimp.Process_SortByPType
        | assimp.Process_JoinIdenticalVertices
        | assimp.Process_TransformUVCoords
        | assimp.Process_GlobalScale
    )
    try:
        scene = assimp.import_file(str(path), flags)
    except (RuntimeError, ValueError, OSError) as error:
        reason = str(error).partition(": ")[2] or str(error)
        raise FileFormatError(
            f"The {path.suffix[1:].upper()} file cannot be read "
            f"({' '.join(reason.split())[:150].rstrip('.')}); export it again"
        ) from error
    looks = _Looks(path)
    surfaces = [looks.surface(entry) for entry in scene.materials] or [Surface()]
    meshes = [_mesh(mesh, surfaces) for mesh in scene.meshes]
    parts, corners = [], 0
    for number, world in _placed(scene.root_node):
        shape = meshes[number] if 0 <= number < len(meshes) else None
        if shape is None:
            continue
        # Nodes share meshes: a small file can name a huge scene.
        corners += max(shape.triangles.size, len(shape.vertices))
        if corners > MAX_CORNERS:
            raise FileFormatError(
                f"The scene has more than {MAX_CORNERS:,} triangle corners; decimate it first"
            )
        parts.append(_moved(shape, world))
    up = "z" if path.suffix.lower() == ".3mf" else "y"
    return Found(parts, surfaces, up, tuple(looks.notes))


def _placed(root: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Number and place of each mesh that a node shows."""
    stack = [(root, np.eye(4), 0)]
    seen = 0
    while stack:
        node, above, depth = stack.pop()
        seen += 1
        if seen > _MAX_NODES or depth > _MAX_DEPTH:
            raise FileFormatError("The scene has too many nodes, or they are nested too deeply")
        world = above @ np.array(node.transformation, np.float64).reshape(4, 4)
        for number in node.mesh_indices:
            yield int(number), world
        stack += [(child, world, depth + 1) for child in reversed(list(node.children))]


def _mesh(mesh: Any, surfaces: list[Surface]) -> Part | None:
    """Triangles of a mesh in its own space; None for points and lines."""
    if mesh.num_faces == 0 or mesh.num_indices != 3 * mesh.num_faces:
        return None
    count = mesh.num_vertices
    # All is copied: what assimp-py shows of a mesh is not kept alive by who looks at it.
    colors = uvs = None
    if mesh.colors and mesh.colors[0] is not None:
        colors = np.array(mesh.colors[0], np.float32).reshape(count, -1)[:, :3]
    if mesh.texcoords and mesh.texcoords[0] is not None:
        rows = np.array(mesh.texcoords[0], np.float32).reshape(count, -1)
        uvs = rows[:, :2] if rows.shape[1] >= 2 else None
    number = mesh.material_index
    known = 0 <= number < len(surfaces)
    return Part(
        np.array(mesh.vertices, np.float32).reshape(count, 3),
        np.array(mesh.indices, np.int64).reshape(-1, 3),
        colors,
        uvs,
        surfaces[number].material if known else surfaces[0].material,
    )


def _moved(shape: Part, world: NDArray[np.float64]) -> Part:
    with np.errstate(all="ignore"):
        vertices = (shape.vertices @ world[:3, :3].T + world[:3, 3]).astype(np.float32)
        mirrored = np.linalg.det(world[:3, :3]) < 0.0
    triangles = shape.triangles[:, ::-1] if mirrored else shape.triangles
    return Part(vertices, triangles, shape.colors, shape.uvs, shape.material)


class _Looks:
    """Materials of a file, and what could not be had of them."""

    def __init__(self, path: Path) -> None:
        self.notes: list[str] = []
        self._inside: dict[str, bytes] = {}
        self._named: list[str] = []
        self._linear = False
        if path.suffix.lower() != ".fbx":
            return
        data = path.read_bytes()
        self._inside = embedded_pictures(data)
        # Blender writes its scene-linear colours as they are; others write those of the screen.
        self._linear = b"Blender (" in data[:_HEAD]
        found = dict.fromkeys(match[1] for match in _FILE_NAMES.finditer(data[:_MAX_SEARCHED]))
        self._named = [name.decode("utf-8", "replace") for name in found]

    def surface(self, entry: dict[str, Any]) -> Surface:
        """A material; white, as of other formats, where the file has none."""
        if entry.get("NAME") in _UNNAMED:
            return Surface()
        color = self._color(entry.get("COLOR_DIFFUSE"), 1.0)
        glow = self._color(entry.get("COLOR_EMISSIVE"), 0.0)
        alpha = _number(entry.get("OPACITY"), 1.0)
        # Exporters disagree whether 0 is clear or solid; nobody models what cannot be seen.
        alpha = alpha if alpha > 0.01 else 1.0
        material = Material((*color, alpha), None, glow)
        name = self._texture(entry)
        picture = self._inside.get(str(entry.get("NAME", "")), b"") if name else b""
        if name.startswith("*") and not picture:
            left_out(self.notes, "A texture inside the file is left out; save it beside it")
            name = ""
        return Surface(material, (1.0, 1.0, 1.0, alpha), name, picture)

    def _color(self, values: Any, default: float) -> tuple[float, float, float]:
        if not isinstance(values, (list, tuple)) or len(values) < 3:
            return (default, default, default)
        numbers = np.clip(np.nan_to_num(np.array(values[:3], np.float64)), 0.0, 1.0)
        if self._linear:
            numbers = np.asarray(display_from_linear(numbers), np.float64)
        red, green, blue = numbers.round(6).tolist()
        return (red, green, blue)

    def _texture(self, entry: dict[str, Any]) -> str:
        textures = entry.get("TEXTURES") or {}
        listed = textures.get(_BASE_COLOR) or textures.get(_DIFFUSE)
        if not listed:
            return ""
        name = str(listed[0])
        return name or self._by_material(str(entry.get("NAME", "")))

    def _by_material(self, material: str) -> str:
        """The picture of a texture whose name assimp does not tell, as for some text files."""
        if len(self._named) == 1:
            return self._named[0]
        stems = {re.split(r"[\\/]", name)[-1].rpartition(".")[0]: name for name in self._named}
        return stems.get(material, "")


def _number(value: Any, default: float) -> float:
    if not isinstance(value, (int, float)) or not np.isfinite(value):
        return default
    return min(max(float(value), 0.0), 1.0)
