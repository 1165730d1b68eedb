"""Meshes that are nodes of a document: surfels, lit where the node stands.

A mesh is covered with surfels once. Where its node is turned or stretched, they are only lit anew:
normals go to the world, and shadow rays come back from it, so that nothing else is sampled again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import unit_vector
from polyorama.render.caches import lets_go
from polyorama.render.occlusion import Occluders
from polyorama.render.relighting import relit
from polyorama.render.shading import DEFAULT_RIG, DirectionalLight, LightRig
from polyorama.render.surfels import Surfels, surfels_from_mesh
from polyorama.scene import contents
from polyorama.scene.framing import horizon
from polyorama.scene.transform import affine_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document
    from polyorama.scene.mesh import Mesh
    from polyorama.scene.splats import SplatCloud

__all__ = ["lit_mesh", "rig_of"]

_MESHES, _LIGHTS = 32, 4
"""How many meshes are kept as surfels, and each of them in how many lights."""

_DECIMALS = 9


@dataclass(slots=True, eq=False)
class _Covered:
    """A mesh as surfels, and what they looked like in the last few lights."""

    mesh: Mesh
    surfels: Surfels
    occluders: Occluders
    lit: dict[tuple[bytes, LightRig], SplatCloud] = field(default_factory=dict)


_covered: list[_Covered] = []
_lock = threading.Lock()


@lets_go
def _forget() -> None:
    # Another list, and no lock: whoever lights a mesh goes on with the old one.
    global _covered
    _covered = []


def lit_mesh(mesh: Mesh, world: NDArray[np.float64], rig: LightRig) -> SplatCloud:
    """The surfels of a mesh in its own space, shaded as they look in the world; kept.

    Parameters
    ----------
    mesh
        What is drawn, with as many surfels as it says.
    world
        (4, 4), the mesh to the world.
    rig
        The lights, in the world.

    Raises
    ------
    UsageError
        If the mesh shows nothing, or the matrix flattens it.
    UnavailableError
        If open3d is not installed.
    """
    linear = affine_matrix(world)[:3, :3]
    linear = np.round(linear / np.cbrt(abs(np.linalg.det(linear))), _DECIMALS) + 0.0
    key = (linear.tobytes(), rig)
    with _lock:  # two views of one document light it once
        covered = _covered_mesh(mesh)
        cloud = covered.lit.pop(key, None)
        if cloud is None:
            cloud = relit(covered.surfels, rig, linear=linear, occluders=covered.occluders)
            while len(covered.lit) >= _LIGHTS:
                covered.lit.pop(next(iter(covered.lit)))
        covered.lit[key] = cloud
        return cloud


def _covered_mesh(mesh: Mesh) -> _Covered:
    kept = _covered
    for at, covered in enumerate(kept):
        if covered.mesh is mesh:
            kept.append(kept.pop(at))
            return covered
    surfels = surfels_from_mesh(mesh, mesh.surfels, shadows=False)
    kept.append(_Covered(mesh, surfels, Occluders(mesh)))
    del kept[:-_MESHES]
    return kept[-1]


def rig_of(document: Document) -> LightRig:
    """The lights of a document at its time: those of its first visible light node, else a studio.

    The key light's azimuth is counted from the front (see `polyorama.scene.framing.horizon`)
    towards the left of who looks at it, and its elevation from the level, both in the node's own
    axes.
    """
    hidden: set[str] = set()
    for node in document.nodes:
        if not node.visible or node.parent in hidden:
            hidden.add(node.id)
        elif isinstance(node.content, contents.LightRig):
            return _rig(node.content, document.world(node.id), document.up)
    return DEFAULT_RIG


def _rig(
    light: contents.LightRig, world: NDArray[np.float64], up: tuple[float, float, float]
) -> LightRig:
    upward = unit_vector(up)
    front, side = horizon(upward)
    azimuth, elevation = np.radians([light.azimuth, light.elevation])
    level = np.cos(azimuth) * front - np.sin(azimuth) * side
    toward = np.cos(elevation) * level + np.sin(elevation) * upward
    u, _, vt = np.linalg.svd(world[:3, :3])
    x, y, z = u @ vt @ toward
    key = DirectionalLight(
        (float(x), float(y), float(z)), _triple(light.key), light.strength, light.softness
    )
    return LightRig(
        key=key, sky=_triple(light.sky), ground=_triple(light.ground), ambient=light.ambient,
        up=up, translucency=DEFAULT_RIG.translucency,
    )  # fmt: skip


def _triple(values: tuple[float, ...]) -> tuple[float, float, float]:
    red, green, blue = values
    return (red, green, blue)
