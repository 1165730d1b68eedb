"""Triangle meshes with colours and textures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.memory import MAX_MADE
from polyorama.core.params import checked, parameter_of, whole
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Material", "Mesh"]


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a surface looks like.

    Parameters
    ----------
    color
        Display RGBA, 0..1, multiplied with texture and vertex colours.
    texture
        (H, W, 3 or 4) uint8, display RGB(A), row 0 at v = 1 (top), or None.
    emission
        Display RGB, 0..1, added after shading: things that glow.
    softness
        0..1, how much light enters and comes out beside, as with skin; seen on faces that move.
    """

    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: NDArray[np.uint8] | None = None
    emission: tuple[float, float, float] = (0.0, 0.0, 0.0)
    softness: float = 0.0


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Mesh:
    """Triangles, read-only.

    Parameters
    ----------
    vertices
        (V, 3) float32, world units, in the axes of splat clouds.
    triangles
        (T, 3) int32, counter-clockwise seen from outside.
    colors
        (V, 3) float32 display RGB 0..1, or None.
    uvs
        (V, 2) float32, v up, or None.
    material_ids
        (T,) int32 index into `materials`, or None when there is one material.
    materials
        At least one `Material`.
    name
        What it is called.
    surfels
        How many Gaussians it is drawn with.

    Raises
    ------
    UsageError
        If shapes disagree, triangles name missing vertices, or `surfels` is out of range.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]
    colors: NDArray[np.float32] | None = None
    uvs: NDArray[np.float32] | None = None
    material_ids: NDArray[np.int32] | None = None
    materials: tuple[Material, ...] = (Material(),)
    name: str = ""
    surfels: int = whole(
        100_000, 1, MAX_MADE, help="Gaussians that it is drawn with", animated=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "surfels", checked(parameter_of(Mesh, "surfels"), self.surfels))
        count = len(self.vertices)
        _freeze(self, "vertices", np.float32, (count, 3))
        _freeze(self, "triangles", np.int32, (len(self.triangles), 3))
        if self.colors is not None:
            _freeze(self, "colors", np.float32, (count, 3))
        if self.uvs is not None:
            _freeze(self, "uvs", np.float32, (count, 2))
        if self.material_ids is not None:
            _freeze(self, "material_ids", np.int32, (len(self.triangles),))
        if self.triangles.size and not (self.triangles.min() >= 0 and self.triangles.max() < count):
            raise UsageError(f"Mesh {self.name!r} has triangles that name missing vertices.")


def _freeze(mesh: Mesh, name: str, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    array = np.ascontiguousarray(getattr(mesh, name), dtype).view()
    if array.shape != shape:
        raise UsageError(f"Mesh array {name!r} has shape {array.shape}; expected {shape}.")
    array.flags.writeable = False
    object.__setattr__(mesh, name, array)
