"""Light that reaches surfels: the sky that they see, shadows on them, and other lights later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.errors import UsageError
from polyorama.render.occlusion import Occluders, own_distance, scene_around
from polyorama.render.sampling import smooth
from polyorama.render.shading import LightRig, shade, tone
from polyorama.scene.rotations import rotation_matrices
from polyorama.scene.splats import SplatCloud, sh_from_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.render.surfels import Surfels
    from polyorama.scene.mesh import Mesh

__all__ = ["relit", "sky_openness", "traced_light"]

_SKY_RAYS = 32
_LIGHT_RAYS = 12


def traced_light(
    mesh: Mesh,
    means: NDArray[np.float64],
    normals: NDArray[np.float64],
    ids: NDArray[np.int32],
    bary: NDArray[np.float64],
    rig: LightRig,
    spacing: float,
    occlusion: NDArray[np.float32] | Literal["auto"] | None,
    shadows: bool,
    occluders: Mesh | Sequence[Mesh] | Occluders | None,
    seed: int,
    two_sided: bool,
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Openness (N,) and visibility (N, L) of each surfel; None where no light casts shadows.

    Parameters
    ----------
    mesh, means, normals, ids, bary
        The mesh, and (N, 3), (N, 3), (N,) and (N, 3): where the surfels are on it.
    rig, spacing, occlusion, shadows, occluders, seed, two_sided
        As of `polyorama.render.surfels.surfels_from_mesh`, and the surfels' mean distance.

    Raises
    ------
    UsageError
        If occlusion is neither "auto" nor one number a vertex.
    UnavailableError
        If rays are to be traced and open3d is not installed.
    """
    openness = np.ones(len(means), np.float32)
    auto = isinstance(occlusion, str)
    if auto and occlusion != "auto":
        raise UsageError(f"Occlusion is auto, none or one number a vertex, not {occlusion!r}.")
    if occlusion is not None and not auto:
        given = np.asarray(occlusion, np.float32)
        if given.shape != (len(mesh.vertices),):
            raise UsageError(
                f"Occlusion has shape {given.shape}; expected one number for each of "
                f"{len(mesh.vertices)} vertices."
            )
        openness = np.einsum("nk,nk->n", bary, given[mesh.triangles[ids]]).astype(np.float32)
    casts = shadows and (
        any(sun.shadows for sun in rig.directional) or any(lamp.shadows for lamp in rig.points)
    )
    if not auto and not casts:
        return openness, None
    scene = scene_around(mesh, occluders)
    facing = normals.astype(np.float32)
    lift = 0.02 * spacing + 2e-6 * scene.diagonal
    traced: list[NDArray[np.float32]] = []
    if auto:
        reach = max(own_distance(mesh), 0.08 * scene.diagonal)
        sky = scene.sky(means + lift * normals, facing, rays=_SKY_RAYS, distance=reach, seed=seed)
        if two_sided:
            behind = scene.sky(
                means - lift * normals, -facing, rays=_SKY_RAYS, distance=reach, seed=seed + 1
            )
            sky = np.maximum(sky, behind)
        traced.append(sky[:, None])
    if casts:
        traced.append(
            scene.lights(
                means, facing, rig,
                rays=_LIGHT_RAYS, seed=seed + 2, lift=lift, two_sided=two_sided,
            )
        )  # fmt: skip
    blurred = smooth(means, facing, np.concatenate(traced, axis=1), 2.2 * spacing)
    if auto:
        return blurred[:, 0], blurred[:, 1:] if casts else None
    return openness, blurred


def sky_openness(
    surfels: Surfels, vertices: NDArray[np.float32], scene: Occluders, *, seed: int = 0
) -> NDArray[np.float32]:
    """(N,) float32 share of the sky that surfels see once their mesh's vertices are elsewhere.

    Parameters
    ----------
    surfels
        As made from the mesh at rest.
    vertices
        (V, 3), where the mesh's vertices are.
    scene
        What is in the way: the mesh with those vertices, and what else there is.
    seed
        Same seed, same rays.

    Raises
    ------
    UnavailableError
        If open3d is not installed.
    """
    corners = vertices[surfels.mesh.triangles[surfels.triangle_ids]].astype(np.float64)
    means = np.einsum("nk,nkc->nc", surfels.barycentrics.astype(np.float64), corners)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    lift = 0.02 * surfels.spacing + 2e-6 * scene.diagonal
    reach = max(own_distance(surfels.mesh), 0.08 * scene.diagonal)
    sky = scene.sky(
        means + lift * facing, facing.astype(np.float32), rays=_SKY_RAYS, distance=reach, seed=seed
    )
    return smooth(means, facing.astype(np.float32), sky[:, None], 2.2 * surfels.spacing)[:, 0]


def relit(
    surfels: Surfels,
    rig: LightRig,
    *,
    linear: ArrayLike | None = None,
    occluders: Occluders | None = None,
    seed: int = 0,
) -> SplatCloud:
    """The surfels at rest under other lights, with cast shadows and the sky that they saw before.

    Parameters
    ----------
    surfels
        As made from the mesh, by rays into the sky.
    rig
        The lights, in the world.
    linear
        (3, 3), how the mesh is turned, stretched or mirrored in the world; None is not at all. Only
        the light follows it: the surfels stay at rest.
    occluders
        What casts shadows, at rest, with this mesh; None is this mesh alone.
    seed
        As of `surfels_from_mesh`.
    """
    matrix = np.eye(3) if linear is None else np.asarray(linear, np.float64)
    back = np.asarray(np.linalg.inv(matrix), np.float64)
    normals = surfels.normals @ back
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    cloud = surfels.cloud
    facing = rotation_matrices(cloud.quats)[:, :, 2]
    # Straight rays stay straight: those of the world are traced where the mesh is at rest.
    _, visibility = traced_light(
        surfels.mesh, cloud.means.astype(np.float64), facing, surfels.triangle_ids,
        surfels.barycentrics.astype(np.float64), _turned(rig, back), surfels.spacing, None, True,
        occluders, seed, surfels.two_sided,
    )  # fmt: skip
    places = (cloud.means @ matrix.T).astype(np.float32)
    lit = shade(
        surfels.albedo, normals.astype(np.float32), places, rig,
        occlusion=surfels.openness, visibility=visibility, two_sided=surfels.two_sided,
    )  # fmt: skip
    return replace(cloud, sh=sh_from_colors(tone(lit + surfels.emission))[:, None, :])


def _turned(rig: LightRig, matrix: NDArray[np.float64]) -> LightRig:
    """The rig with the directions of its suns, and the places of its lamps, behind a map."""

    def moved(place: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = matrix @ np.asarray(place)
        return (float(x), float(y), float(z))

    key, fill, rim = (
        None if sun is None else replace(sun, direction=moved(sun.direction))
        for sun in (rig.key, rig.fill, rig.rim)
    )
    points = tuple(replace(lamp, position=moved(lamp.position)) for lamp in rig.points)
    return replace(rig, key=key, fill=fill, rim=rim, points=points)
