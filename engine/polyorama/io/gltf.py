"""glTF and GLB with KHR_gaussian_splatting, read and written.

Scales and opacities are linear there. Drafts of the extension differ, and files made by them are
about: scales as logarithms (told by the share of negative ones), other attribute names, base colour
and opacity in COLOR_0.
"""

from __future__ import annotations

import json
import logging
import struct
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import quote, unquote

import numpy as np

from polyorama.core.text import count_of
from polyorama.errors import OutputError, PolyoramaError
from polyorama.io.atomic import atomic_write, atomic_write_all
from polyorama.io.axes import LUF, UP, flip_axes, upright
from polyorama.io.gltf_container import GltfFile, open_gltf, read_gltf_json
from polyorama.io.gltf_nodes import node_worlds
from polyorama.io.limits import (
    FREE_BYTES,
    positive_scales,
    storable,
    unit_quaternions,
    warn_of_negative_scales,
)
from polyorama.scene.splats import (
    SplatCloud,
    SplatModel,
    colors_from_sh,
    concatenate,
    sh_from_colors,
)

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["holds_splats", "read", "write"]

log = logging.getLogger(__name__)

_EXTENSION = "KHR_gaussian_splatting"
_KNOWN = {
    "kernel": "ellipse",
    "colorSpace": "srgb_rec709_display",
    "projection": "perspective",
    "sortingMethod": "cameraDistance",
}
_PREFIXES = (f"{_EXTENSION}:", f"{_EXTENSION}:_", "_")
_LOGARITHMS = 0.01
"""Share of negative scales above which they are logarithms, not damage."""

_MAX_TEXT = 64 << 20
_MAX_PLACING = 300
"""How many times its size a file may grow by placing meshes again and again."""


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read the splats of a glTF file's default scene, with the transforms of its nodes.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, or holds no splats.
    """
    file = open_gltf(path)
    clouds: list[SplatCloud] = []
    unplaced: dict[int, list[SplatCloud]] = {}
    room = max(FREE_BYTES * 4, _MAX_PLACING * file.size)
    for index, world in _placed_meshes(file):
        if index not in unplaced:
            unplaced[index] = _mesh_splats(file, index)
            room += 4 * sum(cloud.nbytes for cloud in unplaced[index])
        for cloud in unplaced[index]:
            room -= cloud.nbytes
            if room < 0:
                raise file.error("The glTF file places its splats too often to fit in memory")
            clouds.append(_placed(file, cloud, world))
    if not clouds:
        raise file.error("There are no Gaussian splats in this glTF file")
    return replace(flip_axes(concatenate(clouds), LUF), up=UP)


def holds_splats(path: str | os.PathLike[str]) -> bool:
    """Whether a glTF file holds splats, in whatever draft's way, rather than triangles alone.

    Raises
    ------
    FileFormatError
        If the file is missing or its JSON is damaged.
    """
    root = read_gltf_json(path)
    used, meshes = root.get("extensionsUsed"), root.get("meshes")
    if isinstance(used, list) and _EXTENSION in used:
        return True
    return any(
        _holds_splats(primitive)
        for mesh in (meshes if isinstance(meshes, list) else [])
        if isinstance(mesh, dict) and isinstance(mesh.get("primitives"), list)
        for primitive in mesh["primitives"]
        if isinstance(primitive, dict) and isinstance(primitive.get("attributes"), dict)
    )


def write(cloud: SplatCloud, path: str | os.PathLike[str]) -> None:
    """Write a .glb file, or a .gltf file with its buffer beside it as a .bin file.

    In glTF y is up: a cloud that says that something else is, is turned about the origin.

    Both files of a .gltf are replaced together. A .bin file of that name that is not the buffer of
    the .gltf to be replaced is somebody else's, and is not overwritten.

    Raises
    ------
    OutputError
        If such a .bin file is in the way, no finite splat is there, they do not fit in 4 GiB, or
        the system refuses.
    """
    target = Path(path)
    cloud = flip_axes(upright(storable(cloud, path)), LUF)
    columns = _columns(cloud)
    size = sum(values.nbytes for values, _ in columns.values())
    if size > 0xFFFF0000:
        raise OutputError(
            f"{count_of(len(cloud), 'splat')} do not fit in the 4 GiB of a glTF file; "
            f"choose another format or lower the SH degree: {path}"
        )
    document = _document(cloud, columns)
    if target.suffix.lower() == ".gltf":
        buffer = target.with_suffix(".bin")
        document["buffers"] = [{"uri": quote(buffer.name), "byteLength": size}]
        _check_buffer(buffer, target)
        with atomic_write_all([buffer, target]) as (data, text):
            with data.open("wb") as file:
                for values, _ in columns.values():
                    file.write(values.data)
            text.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        return
    document["buffers"] = [{"byteLength": size}]
    head = json.dumps(document, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 4)
    with atomic_write(target) as temporary, temporary.open("wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(head) + 8 + size))
        file.write(struct.pack("<I4s", len(head), b"JSON") + head)
        file.write(struct.pack("<I4s", size, b"BIN\0"))
        for values, _ in columns.values():
            file.write(values.data)


# --- reading ---------------------------------------------------------------------------------


def _placed_meshes(file: GltfFile) -> list[tuple[int, NDArray[np.float64]]]:
    """Each mesh of the default scene with its world transform, (4, 4)."""
    if not file.items("nodes"):
        # A library of meshes without a scene.
        return [(index, np.eye(4)) for index in range(len(file.items("meshes")))]
    nodes = [(file.item("nodes", index), world) for index, world in node_worlds(file).items()]
    return [(file.whole(node, "mesh"), world) for node, world in nodes if "mesh" in node]


def _mesh_splats(file: GltfFile, index: int) -> list[SplatCloud]:
    """The splats of a mesh in glTF's axes, one cloud per primitive that holds some."""
    primitives = file.item("meshes", index).get("primitives")
    if not isinstance(primitives, list):
        raise file.error(f"Mesh {index} of the glTF file has no primitives")
    clouds: list[SplatCloud] = []
    for primitive in primitives:
        if not isinstance(primitive, dict) or not isinstance(primitive.get("attributes"), dict):
            raise file.error(f"Mesh {index} of the glTF file has a malformed primitive")
        if not _holds_splats(primitive):
            continue
        about = _about(primitive) or {}
        if _find(primitive["attributes"], "ROTATION") is not None:
            clouds.append(_primitive_splats(file, primitive, about))
        else:
            inner = about.get("extensions")
            names = ", ".join(inner) if isinstance(inner, dict) and inner else "no rotations"
            raise file.error(f"The splats are stored in a way that is not supported ({names})")
    return clouds


def _about(primitive: dict[str, Any]) -> dict[str, Any] | None:
    """What the extension says of a primitive; None where it does not speak of it."""
    extensions = primitive.get("extensions")
    about = extensions.get(_EXTENSION) if isinstance(extensions, dict) else None
    return about if isinstance(about, dict) else None


def _holds_splats(primitive: dict[str, Any]) -> bool:
    attributes = primitive["attributes"]
    drafted = all(_find(attributes, name) is not None for name in ("SCALE", "ROTATION"))
    return drafted or _about(primitive) is not None


def _find(attributes: dict[str, Any], name: str) -> Any:
    """Accessor of an attribute under any of the names it has had, or None."""
    for prefix in _PREFIXES:
        if prefix + name in attributes:
            return attributes[prefix + name]
    return None


def _primitive_splats(
    file: GltfFile, primitive: dict[str, Any], about: dict[str, Any]
) -> SplatCloud:
    attributes = primitive["attributes"]
    for name, usual in _KNOWN.items():
        if about.get(name, usual) != usual:
            log.warning("Unknown %s %.60r treated as %r in %s", name, about[name], usual, file.path)
    if primitive.get("mode") not in (None, 0):
        log.warning("Splats that are not drawn as points (mode 0) in %s", file.path)
    if "POSITION" not in attributes:
        raise file.error("The splats have no POSITION")
    means = file.floats(attributes["POSITION"], 3)
    count = len(means)
    quats = file.floats(_find(attributes, "ROTATION"), 4)
    scales = file.floats(_required(file, attributes, "SCALE"), 3)
    colors = (
        file.floats(attributes["COLOR_0"], _color_width(file, attributes))
        if ("COLOR_0" in attributes)
        else np.ones((count, 4), np.float32)
    )
    opacity = _find(attributes, "OPACITY")
    if opacity is not None:
        opacities = file.floats(opacity, 1)[:, 0]
    elif colors.shape[1] == 4 and "COLOR_0" in attributes:
        opacities = np.ascontiguousarray(colors[:, 3])
    else:
        raise file.error("The splats have no opacity")
    sh = _harmonics(file, attributes, colors[:, :3], count)
    for name, column in {"rotation": quats, "scale": scales, "opacity": opacities}.items():
        if len(column) != count:
            raise file.error(f"{count:,} positions, but {len(column):,} rows of {name}")
    with np.errstate(all="ignore"):
        if np.mean(scales < 0) > _LOGARITHMS:
            log.warning("Scales are logarithms, as in old drafts; converted in %s", file.path)
            scales = np.exp(scales)
        cloud, negative = positive_scales(
            SplatCloud(
                means=means,
                quats=unit_quaternions(quats[:, [3, 0, 1, 2]]),
                scales=scales,
                opacities=opacities,
                sh=sh,
                model=_model(primitive),
            )
        )
        warn_of_negative_scales(negative, file.path)
        return cloud


def _required(file: GltfFile, attributes: dict[str, Any], name: str) -> Any:
    accessor = _find(attributes, name)
    if accessor is None:
        raise file.error(f"The splats have no {name}")
    return accessor


def _color_width(file: GltfFile, attributes: dict[str, Any]) -> int:
    return 3 if file.item("accessors", attributes["COLOR_0"]).get("type") == "VEC3" else 4


def _model(primitive: dict[str, Any]) -> SplatModel:
    extras = primitive.get("extras")
    model = extras.get("splatModel") if isinstance(extras, dict) else None
    return cast(SplatModel, model) if model in get_args(SplatModel) else "default"


def _harmonics(
    file: GltfFile, attributes: dict[str, Any], colors: NDArray[np.float32], count: int
) -> NDArray[np.float32]:
    """(N, K, 3) coefficients up to the last degree that is complete, at most 3."""
    found: list[Any] = [_find(attributes, "SH_DEGREE_0_COEF_0")]
    for degree in (1, 2, 3):
        band = [_find(attributes, f"SH_DEGREE_{degree}_COEF_{n}") for n in range(2 * degree + 1)]
        if any(accessor is None for accessor in band):
            if any(accessor is not None for accessor in band):
                log.warning("SH degree %d is incomplete, so left out, in %s", degree, file.path)
            break
        found += band
    if _find(attributes, "SH_DEGREE_4_COEF_0") is not None:
        log.warning("Spherical harmonics of degree 4 cut to degree 3 in %s", file.path)
    if len(colors) != count or any(a is not None and file.count(a) != count for a in found):
        raise file.error("The columns of colour differ in length from the positions")
    sh = np.empty((count, len(found), 3), np.float32)
    for k, accessor in enumerate(found):
        sh[:, k] = sh_from_colors(colors) if accessor is None else file.floats(accessor, 3)
    return sh


def _placed(file: GltfFile, cloud: SplatCloud, world: NDArray[np.float64]) -> SplatCloud:
    try:
        with np.errstate(all="ignore"):
            return cloud.transformed(world)
    except (PolyoramaError, np.linalg.LinAlgError) as error:
        raise file.error("A node of the glTF file flattens its splats or moves them too far") from (
            error
        )


# --- writing ---------------------------------------------------------------------------------


def _check_buffer(buffer: Path, target: Path) -> None:
    """Refuse to overwrite a .bin file that is not the buffer of the .gltf that is replaced."""
    if not buffer.exists():
        return
    try:
        # Only names are looked at; a .gltf with data inside may be large, and is not read further.
        with target.open("rb") as file:
            root = json.loads(file.read(_MAX_TEXT))
        owned = any(unquote(entry["uri"]) == buffer.name for entry in root["buffers"])
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        owned = False
    if not owned:
        raise OutputError(
            f"The buffer would replace {buffer.name}, which is not that of this .gltf; move it "
            f"away or choose another name: {target}"
        )


def _columns(cloud: SplatCloud) -> dict[str, tuple[NDArray[Any], str]]:
    """Attribute name -> contiguous values and glTF type; every column ends on four bytes."""
    colors = np.empty((len(cloud), 4), np.float32)
    colors[:, :3] = colors_from_sh(cloud.sh[:, 0])
    colors[:, 3] = cloud.opacities
    # glTF wants unit quaternions and opacities of 0..1.
    quats = unit_quaternions(cloud.quats)
    quats[~quats.any(axis=1), 0] = 1
    columns: dict[str, tuple[NDArray[Any], str]] = {
        "POSITION": (cloud.means, "VEC3"),
        f"{_EXTENSION}:ROTATION": (np.ascontiguousarray(quats[:, [1, 2, 3, 0]]), "VEC4"),
        f"{_EXTENSION}:SCALE": (cloud.scales, "VEC3"),
        f"{_EXTENSION}:OPACITY": (np.clip(cloud.opacities, 0, 1), "SCALAR"),
        "COLOR_0": (np.rint(np.clip(colors, 0, 1) * 255).astype(np.uint8), "VEC4"),
    }
    for degree in range(cloud.sh_degree + 1):
        for n in range(2 * degree + 1):
            values = np.ascontiguousarray(cloud.sh[:, degree * degree + n])
            columns[f"{_EXTENSION}:SH_DEGREE_{degree}_COEF_{n}"] = (values, "VEC3")
    return columns


def _document(cloud: SplatCloud, columns: dict[str, tuple[NDArray[Any], str]]) -> dict[str, Any]:
    accessors: list[dict[str, Any]] = []
    views: list[dict[str, Any]] = []
    offset = 0
    for name, (values, kind) in columns.items():
        views.append(
            {"buffer": 0, "byteOffset": offset, "byteLength": values.nbytes, "target": 34962}
        )
        accessor: dict[str, Any] = {
            "bufferView": len(accessors),
            "componentType": 5121 if values.dtype == np.uint8 else 5126,
            "count": len(cloud),
            "type": kind,
        }
        if values.dtype == np.uint8:
            accessor["normalized"] = True
        if name == "POSITION":
            accessor["min"] = [float(v) for v in values.min(axis=0)]
            accessor["max"] = [float(v) for v in values.max(axis=0)]
        accessors.append(accessor)
        offset += values.nbytes
    primitive: dict[str, Any] = {
        "mode": 0,
        "attributes": {name: index for index, name in enumerate(columns)},
        "extensions": {_EXTENSION: dict(_KNOWN)},
    }
    if cloud.model != "default":
        primitive["extras"] = {"splatModel": cloud.model}
    return {
        "asset": {"version": "2.0", "generator": "Polyorama"},
        "extensionsUsed": [_EXTENSION],
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "accessors": accessors,
        "bufferViews": views,
    }
