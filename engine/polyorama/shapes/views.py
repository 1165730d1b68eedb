"""Shapes seen from all round: the directions, the fixed look, and turntables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.shapes.raster import Light, Prepared, draw_views, prepare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = [
    "FILL", "FOV", "MOST_VIEWS", "RECIPE", "directions", "mesh_views", "on_white", "rotation",
]  # fmt: skip

RECIPE = "sphere-1"
"""Name of directions and look together; vectors of unlike recipes are never compared."""
FOV = 40.0
"""Field of view of all views, degrees."""
FILL = 0.92
"""Share of the frame that a shape may take."""
_DIRECTIONS = ((32, 18), (212, 18), (122, 22), (302, 22), (77, 8), (257, 8), (347, 38), (167, 38),
          (32, 62), (212, 50), (122, -22), (302, -30),
          (57, 34), (237, 34), (147, 2), (327, 2), (97, 38), (277, 38), (12, -4), (192, -4),
          (142, 68), (322, 56), (62, -26), (242, -26))  # fmt: skip
"""Azimuth and elevation in degrees: any number of them from the start is spread all round, most at
the height from which people look at things."""
MOST_VIEWS = len(_DIRECTIONS)


def directions(count: int) -> NDArray[np.float64]:
    """Where views are taken from.

    Parameters
    ----------
    count
        F, 1 to 24. The first F of one fixed list: fewer views are a prefix of more.

    Returns
    -------
    (F, 2) float64 azimuth from the front and elevation, degrees.

    Raises
    ------
    UsageError
        If the count is out of range.
    """
    if not 1 <= count <= MOST_VIEWS:
        raise UsageError(f"A shape is seen from 1 to {MOST_VIEWS} sides, not {count}.")
    return np.array(_DIRECTIONS[:count], np.float64)


def rotation(azimuth: float, elevation: float, roll: float = 0.0) -> NDArray[np.float64]:
    """(3, 3) world to camera for an eye at these degrees from the front; rows right, down, forward.

    The front of a shape is +z and up is -y, as of models read from files.
    """
    a, e, r = np.radians([azimuth, elevation, roll])
    forward = -np.array([np.sin(a) * np.cos(e), -np.sin(e), np.cos(a) * np.cos(e)])
    right = np.array([-np.cos(a), 0.0, np.sin(a)])
    down = np.cross(forward, right)
    turned = np.cos(r) * right + np.sin(r) * down
    return np.stack([turned, np.cross(forward, turned), forward])


def mesh_views(
    mesh: Mesh | Prepared,
    count: int = 12,
    size: int = 224,
    *,
    lights: tuple[Light, ...] = (Light(),),
) -> NDArray[np.uint8]:
    """(F, size, size, 4) uint8 views of a mesh in the fixed look, display RGB and coverage."""
    turns = np.stack([rotation(a, e) for a, e in directions(count)])
    shape = mesh if isinstance(mesh, Prepared) else prepare(mesh)
    return draw_views(shape, turns, size=size, fov=FOV, fill=FILL, lights=lights)


def on_white(views: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(..., 3) uint8: pictures with coverage (..., 4) laid over white."""
    cover = views[..., 3:].astype(np.uint16)
    mixed = views[..., :3].astype(np.uint16) * cover + 255 * (255 - cover)
    return ((mixed + 127) // 255).astype(np.uint8)
