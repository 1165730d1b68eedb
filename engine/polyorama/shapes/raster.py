"""Triangle meshes drawn into many small views at once: a z-buffer with deferred shading.

The stage draws meshes as surfels, in one depth sort with all else. Here thousands of shapes are
looked at from a dozen sides each, alone and small, and nothing but speed and sharp edges counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.color import display_from_linear, linear_from_display
from polyorama.core.compile import parallel_for
from polyorama.errors import FileFormatError
from polyorama.shapes import raster_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.mesh import Material, Mesh

__all__ = ["DEFAULT_LIGHT", "Light", "Prepared", "draw_views", "fitting_distance", "prepare"]

_SUPERSAMPLE = 2
_CREASE = 40.0
"""Degrees between faces up to which an edge is drawn smooth."""
_MOST_LAYERS = 40_000
"""Times that triangles may cover the frame: what is made for viewing stays far below, and a small
file whose triangles all lie at one place would be drawn for hours."""
_MAX_TEXTURE = 1024
"""Side in texels beyond which a texture only flickers in views this small."""
_LINEAR = np.asarray(linear_from_display(np.arange(256) / 255.0), np.float32)
_DISPLAY = np.round(255.0 * np.asarray(display_from_linear(np.linspace(0.0, 1.0, 4096)))).astype(
    np.uint8
)


@dataclass(frozen=True, slots=True)
class Light:
    """How a shape is lit: a key light that moves with the camera, and a sky.

    Radiance = albedo * (ambient * hemisphere(n) + strength * max(0, n . l)), in linear light.

    Parameters
    ----------
    direction
        Towards the key light in camera axes: x right, y down, z away from the eye.
    strength, ambient
        Of the key light and of the sky.
    color
        Linear RGB of the key light.
    ground
        How bright the ground shines back, 0..1 of the sky.
    """

    direction: tuple[float, float, float] = (-0.45, -0.7, -0.85)
    strength: float = 0.62
    ambient: float = 0.5
    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    ground: float = 0.55


DEFAULT_LIGHT = Light()
"""The fixed look of the library."""


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A mesh laid out for the kernels; made once, drawn from any side.

    Parameters
    ----------
    vertices
        (V, 3) float32.
    triangles
        (T, 3) int32.
    normals
        (T, 3, 3) float32 unit normals of corners, smooth over edges flatter than 40 degrees.
    colors, uvs
        (V, 3) float32 display RGB and (V, 2) float32.
    material_ids
        (T,) int32.
    material_colors
        (M, 7) float32: display RGB, alpha, emission as display RGB.
    textures
        (M, 4) int64: first texel, width, height, and 1 where alpha cuts holes.
    texels
        (N, 4) uint8 display RGBA of all textures.
    center, radius
        Middle of the bounding box, and the farthest vertex from it.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]
    normals: NDArray[np.float32]
    colors: NDArray[np.float32]
    uvs: NDArray[np.float32]
    material_ids: NDArray[np.int32]
    material_colors: NDArray[np.float32]
    textures: NDArray[np.int64]
    texels: NDArray[np.uint8]
    center: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    radius: float = 1.0


def prepare(mesh: Mesh) -> Prepared:
    """Lay a mesh out for drawing.

    Vertices that no triangle names count for nothing; triangles with a corner that is no number
    are left out.
    """
    finite = np.asarray(np.isfinite(mesh.vertices).all(axis=1))
    keep = np.asarray(finite[mesh.triangles].all(axis=1))
    triangles = np.ascontiguousarray(mesh.triangles[keep])
    vertices = np.where(finite[:, None], mesh.vertices, np.float32(0))
    ids = mesh.material_ids
    materials = np.zeros(len(triangles), np.int32) if ids is None else ids[keep]
    table, texels = _pack_textures(mesh.materials)
    colors = np.ones_like(vertices) if mesh.colors is None else mesh.colors
    uvs = np.zeros((len(vertices), 2), np.float32) if mesh.uvs is None else mesh.uvs
    if mesh.uvs is None:
        table[:, 1] = 0
    used = vertices[np.unique(triangles)] if len(triangles) else np.zeros((1, 3), np.float32)
    low, high = used.min(axis=0).astype(np.float64), used.max(axis=0).astype(np.float64)
    center = (low + high) / 2
    radius = float(np.sqrt(((used - center) ** 2).sum(axis=1).max()))
    return Prepared(
        vertices, triangles, corner_normals(vertices, triangles), colors,
        np.nan_to_num(uvs, posinf=0.0, neginf=0.0), np.ascontiguousarray(materials),
        np.array([(*m.color, *m.emission) for m in mesh.materials], np.float32),
        table, texels, center, max(radius, 1e-12),
    )  # fmt: skip


def corner_normals(
    vertices: NDArray[np.float32], triangles: NDArray[np.int32]
) -> NDArray[np.float32]:
    """(T, 3, 3) float32: for each corner the mean normal of the faces that meet there smoothly.

    Corners meet where vertices lie at the same place, whether the file shares them or not; faces
    weigh by their area, and only those within the crease angle of the corner's own face count.
    Where more than 256 corners meet, each has the normal of its own face.
    """
    corners = vertices[triangles].astype(np.float64)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(faces, axis=1, keepdims=True)
    unit = faces / np.maximum(lengths, 1e-300)
    extent = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 1.0
    grid = np.round(vertices.astype(np.float64) / max(extent * 1e-5, 1e-300)).astype(np.int64)
    _, places = np.unique(grid, axis=0, return_inverse=True)
    at = places.reshape(-1)[triangles].reshape(-1)
    order = np.argsort(at, kind="stable")
    starts = np.searchsorted(at[order], np.arange(len(grid) + 1))
    result = np.empty((len(triangles), 3, 3), np.float32)
    raster_kernels.smooth(faces, unit, at, order, starts, np.cos(np.radians(_CREASE)), result)
    return result


def _pack_textures(materials: tuple[Material, ...]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each material's texture lies, and all texels; a texture that is shared lies once."""
    table = np.zeros((len(materials), 4), np.int64)
    pieces: list[NDArray[np.uint8]] = []
    known: dict[int, tuple[int, int, int, int]] = {}
    first = 0
    for row, material in enumerate(materials):
        texture = material.texture
        if texture is None:
            continue
        if id(texture) not in known:
            small = _shrunk(texture)
            height, width = small.shape[:2]
            rgba = np.full((height, width, 4), 255, np.uint8)
            rgba[..., : small.shape[2]] = small
            pieces.append(rgba.reshape(-1, 4))
            known[id(texture)] = (first, width, height, int(rgba[..., 3].min() < 250))
            first += height * width
        table[row] = known[id(texture)]
    texels = np.concatenate(pieces) if pieces else np.zeros((1, 4), np.uint8)
    return table, texels


def _shrunk(texture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A texture of at most `_MAX_TEXTURE` texels a side."""
    factor = -(-max(texture.shape[:2]) // _MAX_TEXTURE)
    if factor <= 1:
        return texture
    from PIL import Image

    return np.asarray(Image.fromarray(texture).reduce(factor))


def draw_views(
    shape: Prepared,
    rotations: NDArray[np.float64],
    *,
    size: int,
    fov: float,
    fill: float,
    lights: tuple[Light, ...] = (DEFAULT_LIGHT,),
    distance: float | None = None,
) -> NDArray[np.uint8]:
    """Views of a shape, all from one distance, at which it stays within the frame in each.

    Parameters
    ----------
    shape
        From `prepare`.
    rotations
        (F, 3, 3) float64, world to camera; the rows are right, down and forward.
    size
        Side of the square pictures in pixels.
    fov
        Field of view in degrees.
    fill
        Share of the frame that the shape may take.
    lights
        One for all views, or one each.
    distance
        Of the eye from the middle, in radii of the shape; None is the nearest that fits.

    Returns
    -------
    (F, size, size, 4) uint8 display RGB and coverage; RGB is not multiplied by it.

    Raises
    ------
    FileFormatError
        If so many large triangles lie over each other that drawing would take for ever.
    """
    count = len(rotations)
    tangent = np.tan(np.radians(fov) / 2)
    eye = _nearest(shape, rotations, tangent * fill) if distance is None else distance
    result = np.zeros((count, size, size, 4), np.uint8)
    matrices = rotations / shape.radius

    def draw(_part: int, start: int, stop: int) -> None:
        for view in range(start, stop):
            light = lights[view if len(lights) > 1 else 0]
            toward = np.asarray(light.direction, np.float64)
            _check_layers(shape, matrices[view], eye, tangent)
            raster_kernels.draw(
                shape.vertices, shape.triangles, shape.normals, shape.colors, shape.uvs,
                shape.material_ids, shape.material_colors, shape.textures, shape.texels,
                matrices[view], shape.center, eye, tangent, toward / np.linalg.norm(toward),
                np.asarray(light.color, np.float32) * np.float32(light.strength),
                np.array([light.ambient, light.ground], np.float32),
                rotations[view] @ np.array([0.0, -1.0, 0.0]), _SUPERSAMPLE, _LINEAR, _DISPLAY,
                result[view],
            )  # fmt: skip

    parallel_for(draw, count, count)
    return result


def _check_layers(shape: Prepared, matrix: NDArray[np.float64], eye: float, tangent: float) -> None:
    if len(shape.triangles) <= _MOST_LAYERS:
        return
    times = raster_kernels.layers(
        shape.vertices, shape.triangles, matrix, shape.center, eye, tangent
    )
    if times > _MOST_LAYERS:
        raise FileFormatError(
            f"The model's triangles cover the picture {times:,.0f} times over, more than the "
            f"{_MOST_LAYERS:,} that are drawn; remove those that lie at one place, and export it "
            f"again."
        )


def _nearest(shape: Prepared, rotations: NDArray[np.float64], tangent: float) -> float:
    """The distance, in radii, from which the shape stays within the frame in all views."""
    used = shape.vertices[np.unique(shape.triangles)] if len(shape.triangles) else None
    points = np.zeros((1, 3)) if used is None else (used - shape.center) / shape.radius
    return max((fitting_distance(points, turn, tangent) for turn in rotations), default=1.0)


def fitting_distance(
    points: NDArray[np.floating], rotation: NDArray[np.float64], tangent: float
) -> float:
    """Nearest distance from the origin from which all points are seen.

    Parameters
    ----------
    points
        (N, 3) within about a unit of the origin.
    rotation
        (3, 3) world to camera; the rows are right, down and forward.
    tangent
        Of half the angle within which they shall be seen.
    """
    x, y, z = rotation @ points.T
    nearest = (np.maximum(np.abs(x), np.abs(y)) / tangent - z).max()
    return float(np.clip(nearest, 1.02, 1e6))
