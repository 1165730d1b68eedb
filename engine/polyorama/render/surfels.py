"""Meshes as surfels: flat Gaussians bound to triangles, shaded where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.errors import UsageError
from polyorama.render.shading import (
    DEFAULT_RIG,
    LightRig,
    albedo_at,
    linear_from_display,
    shade,
    tone,
)
from polyorama.scene.rotations import quaternions
from polyorama.scene.splats import SplatCloud, sh_from_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["Surfels", "pose_surfels", "surfels_from_mesh"]


@dataclass(frozen=True, slots=True, eq=False)
class Surfels:
    """A mesh as Gaussians, and where on the mesh each of them is bound.

    The order is blue noise: any prefix is spread evenly over the surface.

    Parameters
    ----------
    cloud
        N flat Gaussians, SH degree 0, z axis on the face normal.
    triangle_ids
        (N,) int32, which triangle of `mesh` each is bound to.
    barycentrics
        (N, 3) float32 weights of that triangle's corners; they sum to 1.
    mesh
        The mesh at rest.
    """

    cloud: SplatCloud
    triangle_ids: NDArray[np.int32]
    barycentrics: NDArray[np.float32]
    mesh: Mesh

    def __len__(self) -> int:
        return len(self.triangle_ids)


def surfels_from_mesh(
    mesh: Mesh,
    count: int,
    *,
    rig: LightRig | None = DEFAULT_RIG,
    seed: int = 0,
    occlusion: NDArray[np.float32] | Literal["auto"] | None = "auto",
    shadows: bool = True,
    occluders: Mesh | Sequence[Mesh] | None = None,
    sides: Literal["auto", "one", "two"] = "auto",
) -> Surfels:
    """Cover a mesh with `count` flat Gaussians, shaded under a light rig.

    Parameters
    ----------
    mesh
        The surface, in world units and axes of splat clouds.
    count
        How many surfels.
    rig
        The lights, or None: unlit, with the surface's own colours.
    seed
        Same seed, same surfels.
    occlusion
        "auto" traces ambient occlusion at every surfel; (V,) values 0..1 are taken as they are
        (1 = open); None is none.
    shadows
        Whether the rig's lights cast shadows.
    occluders
        Further meshes that darken this one: the rest of the stage.
    sides
        "one" for closed solids, "two" for paper and cloth (light comes through), "auto" tells by
        whether the mesh is closed.

    Raises
    ------
    UsageError
        If the mesh has no area or `count` is not positive.
    """
    if count < 1:
        raise UsageError(f"Cannot make {count} surfels; ask for at least 1.")
    v = mesh.vertices.astype(np.float64)[mesh.triangles]
    cross = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    double = np.linalg.norm(cross, axis=1)
    total = double.sum() / 2 if len(double) else 0.0
    if not (np.isfinite(total) and total > 0):
        raise UsageError(f"Mesh {mesh.name!r} has no surface to cover.")
    rng = np.random.default_rng(seed)
    ids = rng.choice(len(double), size=count, p=double / double.sum()).astype(np.int32)
    r = np.sqrt(rng.random(count))
    t = rng.random(count)
    bary = np.stack([1 - r, r * (1 - t), r * t], axis=1).astype(np.float32)
    means = np.einsum("nk,nkc->nc", bary, v[ids])
    normal = (cross / np.maximum(double, 1e-30)[:, None])[ids]
    edge = v[ids, 1] - v[ids, 0]
    axis = edge / np.linalg.norm(edge, axis=1, keepdims=True)
    frame = np.stack([axis, np.cross(normal, axis), normal], axis=2)
    size = 0.75 * np.sqrt(total / count)
    color, alpha, glow = albedo_at(mesh, ids, bary)
    if rig is not None:
        lit = shade(linear_from_display(color), normal.astype(np.float32), means.astype("f4"), rig)
        color = tone(lit + linear_from_display(glow))
    cloud = SplatCloud(
        means=means,
        quats=quaternions(frame),
        scales=np.broadcast_to(size * np.array([1, 1, 0.06]), (count, 3)),
        opacities=0.98 * alpha,
        sh=sh_from_colors(color)[:, None, :],
        up=(0.0, -1.0, 0.0),
    )
    return Surfels(cloud, ids, bary, mesh)


def pose_surfels(surfels: Surfels, new_vertices: NDArray[np.float32]) -> SplatCloud:
    """The surfels after their mesh has moved.

    Parameters
    ----------
    surfels
        As made from the mesh at rest.
    new_vertices
        (V, 3), where the mesh's vertices are now.

    Raises
    ------
    UsageError
        If there are not as many vertices as at rest.
    """
    from dataclasses import replace

    if np.shape(new_vertices) != surfels.mesh.vertices.shape:
        raise UsageError(
            f"Posing needs {len(surfels.mesh.vertices)} vertices, got {np.shape(new_vertices)}."
        )
    v = np.asarray(new_vertices, np.float64)[surfels.mesh.triangles[surfels.triangle_ids]]
    means = np.einsum("nk,nkc->nc", surfels.barycentrics, v)
    return replace(surfels.cloud, means=means)
