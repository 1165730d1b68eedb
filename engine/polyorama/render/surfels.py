"""Meshes as surfels: flat Gaussians bound to triangles, shaded where they lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.core.color import display_from_linear, linear_from_display
from polyorama.core.compile import core_count, parallel_for
from polyorama.core.memory import check_surfels
from polyorama.errors import UsageError
from polyorama.render import footprints
from polyorama.render.occlusion import Occluders
from polyorama.render.posing import pose
from polyorama.render.relighting import traced_light
from polyorama.render.sampling import (
    layered_spacing,
    progressive_order,
    surface_points,
)
from polyorama.render.shading import (
    DEFAULT_RIG,
    LightRig,
    albedo_at,
    shade,
    tone,
)
from polyorama.render.surface import Surface, analyse
from polyorama.scene.rotations import quaternions, rotation_matrices
from polyorama.scene.splats import SplatCloud, sh_from_colors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["Surfels", "pose_surfels", "surfels_from_mesh"]

_CANDIDATES = 5
"""Candidates a surfel from which the blue noise is chosen."""
_FLATNESS = 0.06
"""Thickness of a surfel over its mean size."""
_BURIED = 0.75
"""What lies under another surface at less than this, over the spacing, is not covered."""
_LEAST_SEEN = 0.002
"""Share of a surface up to which what can be seen of it is not worth the search."""
_SHEET = 0.35
"""From this share of open directions behind it, a surface is paper or cloth."""
_UP = (0.0, -1.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Surfels:
    """A mesh as Gaussians, and where on the mesh each of them is bound.

    The order is blue noise: any prefix is spread evenly over the surface.

    Parameters
    ----------
    cloud
        N flat Gaussians, SH degree 0, z axis on the surface's normal.
    triangle_ids
        (N,) int32, which triangle of `mesh` each is bound to.
    barycentrics
        (N, 3) float32 weights of that triangle's corners; they sum to 1.
    mesh
        The mesh at rest.
    normals
        (N, 3) float32 unit normals for shading, at rest.
    albedo, emission
        (N, 3) float32, linear RGB: what is lit, and what glows.
    openness
        (N,) float32, share of the sky that is seen, at rest.
    two_sided
        Whether light comes through.
    spacing
        Mean distance of neighbours at rest, world units.
    """

    cloud: SplatCloud
    triangle_ids: NDArray[np.int32]
    barycentrics: NDArray[np.float32]
    mesh: Mesh
    normals: NDArray[np.float32]
    albedo: NDArray[np.float32]
    emission: NDArray[np.float32]
    openness: NDArray[np.float32]
    two_sided: bool = False
    spacing: float = 0.0

    def __post_init__(self) -> None:
        names = ("triangle_ids", "barycentrics", "normals", "albedo", "emission", "openness")
        for name in names:
            view = np.ascontiguousarray(getattr(self, name)).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(self.triangle_ids)

    def coarse(self, count: int) -> SplatCloud:
        """The first `count` surfels, grown so that they cover the surface alone.

        Raises
        ------
        UsageError
            If the count is not positive.
        """
        if count < 1:
            raise UsageError(f"Cannot show {count} surfels; ask for at least 1.")
        if count >= len(self):
            return self.cloud
        part = self.cloud.subset(slice(0, count))
        grow = np.float32(np.sqrt(len(self) / count))
        return replace(part, scales=part.scales * np.array([grow, grow, 1.0], np.float32))


def surfels_from_mesh(
    mesh: Mesh,
    count: int,
    *,
    rig: LightRig | None = DEFAULT_RIG,
    seed: int = 0,
    occlusion: NDArray[np.float32] | Literal["auto"] | None = "auto",
    shadows: bool = True,
    occluders: Mesh | Sequence[Mesh] | Occluders | None = None,
    sides: Literal["auto", "one", "two"] = "auto",
    keep_buried: bool = False,
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
        Further meshes that darken this one: the rest of the stage. An `Occluders` built once is
        taken as it is, so it must hold this mesh too.
    sides
        "one" for solids, "two" for paper and cloth (light comes through), "auto" tells by whether
        the back of the surface sees out.
    keep_buried
        Cover what lies closely under other parts of the mesh too: needed when the mesh will move
        and may uncover it; wasted, and in the way of the depth sort, when it will not.

    Raises
    ------
    UsageError
        If the mesh has no area, is transparent all over, an argument is out of range, or memory
        does not suffice.
    UnavailableError
        If occlusion or shadows are asked for and open3d is not installed.
    """
    check_surfels(count)
    if sides not in ("auto", "one", "two"):
        raise UsageError(f"The sides of a surface are auto, one or two, not {sides!r}.")
    surface = analyse(mesh)
    two_sided = sides == "two" or (sides == "auto" and _is_sheet(mesh, surface, seed))
    rng = np.random.default_rng(seed)
    own = None if keep_buried else Occluders(mesh)
    samples = _sample(mesh, surface, count, rng, own)
    ids, weights, normals, shading = samples.ids, samples.weights, samples.normals, samples.shading
    points = np.einsum("nk,nkc->nc", weights, surface.corners[ids])

    centres, axes, sizes, caps = footprints.fit(points, normals, surface, samples.spacing)
    sizes = footprints.close_holes(
        centres, axes, normals, sizes, caps, samples.probes, samples.probe_normals, samples.spacing
    )
    albedo, alpha, emission = _appearance(mesh, surface, ids, weights, samples.spacing)
    bound, bary = footprints.rebind(centres, ids, surface)
    means = np.einsum("nk,nkc->nc", bary, surface.corners[bound])

    openness = np.ones(count, np.float32)
    if rig is None:
        colors = np.clip(display_from_linear(albedo + emission), 0.0, 1.0)
    else:
        openness, visibility = traced_light(
            mesh, means, normals, bound, bary, rig, samples.spacing,
            occlusion, shadows, own if occluders is None and own is not None else occluders, seed,
            two_sided,
        )  # fmt: skip
        lit = shade(
            albedo, shading, means.astype(np.float32), rig,
            occlusion=openness, visibility=visibility, two_sided=two_sided,
        )  # fmt: skip
        colors = tone(lit + emission)
    frames = np.stack([axes, np.cross(normals, axes), normals], axis=2)
    thickness = _FLATNESS * np.sqrt(sizes[:, 0] * sizes[:, 1])
    cloud = SplatCloud(
        means=means.astype(np.float32),
        quats=quaternions(frames).astype(np.float32),
        scales=np.column_stack([sizes, thickness]).astype(np.float32),
        opacities=(footprints.OPACITY * alpha).astype(np.float32),
        sh=sh_from_colors(colors)[:, None, :],
        up=_UP,
    )
    return Surfels(
        cloud, bound, bary.astype(np.float32), mesh, shading, albedo, emission, openness, two_sided,
        samples.spacing,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Samples:
    ids: NDArray[np.int32]
    weights: NDArray[np.float64]
    normals: NDArray[np.float64]
    shading: NDArray[np.float32]
    spacing: float
    probes: NDArray[np.float64]
    probe_normals: NDArray[np.float32]


def _sample(
    mesh: Mesh, surface: Surface, count: int, rng: np.random.Generator, scene: Occluders | None
) -> _Samples:
    """Candidates where the surface can be seen, and the blue noise chosen from them."""
    wanted = _CANDIDATES * count + 64
    spacing = float(np.sqrt(surface.area / count))

    def candidates(number: int) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        ids, weights = surface_points(surface.areas, number, rng)
        seen = np.ones(number, bool)
        if _may_be_transparent(mesh):
            seen = albedo_at(mesh, ids, weights.astype(np.float32))[1] > 0.02
            if seen.sum() <= _LEAST_SEEN * number:
                raise UsageError(
                    f"Mesh {mesh.name!r} is transparent all over, so nothing can be shown."
                )
        if scene is not None:
            points = np.einsum("nk,nkc->nc", weights, surface.corners[ids])
            covered = scene.covered(points, surface.normals[ids], _BURIED * spacing)
            # What is covered (nearly) everywhere, as two sheets face to face, must still be shown.
            if (seen & ~covered).sum() > _LEAST_SEEN * seen.sum():
                seen &= ~covered
        return ids[seen], weights[seen], float(seen.mean())

    ids, weights, share = candidates(wanted)
    if share < 0.999:
        ids, weights, share = candidates(min(int(wanted / share) + 64, 10 * wanted))
    area = surface.area * share
    spacing = float(np.sqrt(area / count))
    while len(ids) < count:
        more, their, _ = candidates(wanted)
        ids, weights = np.concatenate([ids, more]), np.concatenate([weights, their])
    points = np.einsum("nk,nkc->nc", weights, surface.corners[ids])
    spacing = layered_spacing(points, spacing)
    area = min(area, spacing * spacing * count)
    shading = np.einsum("nk,nkc->nc", weights, surface.corner_normals[ids]).astype(np.float32)
    shading /= np.maximum(np.linalg.norm(shading, axis=1, keepdims=True), 1e-12)
    # On triangles much smaller than a surfel, the face normal is only roughness.
    small = np.sqrt(surface.areas[ids]) < 0.5 * spacing
    normals = np.where(small[:, None], shading, surface.normals[ids])
    facing = normals.astype(np.float32)
    order = progressive_order(points, facing, count, area)
    return _Samples(
        ids[order], weights[order], normals[order], shading[order], spacing, points, facing
    )


def _may_be_transparent(mesh: Mesh) -> bool:
    return any(
        m.color[3] < 1.0 or (m.texture is not None and m.texture.shape[2] == 4)
        for m in mesh.materials
    )


def _is_sheet(mesh: Mesh, surface: Surface, seed: int) -> bool:
    """Whether most of an open mesh can be seen from behind."""
    if surface.closed:
        return False
    ids, weights = surface_points(surface.areas, 1000, np.random.default_rng(seed))
    points = np.einsum("nk,nkc->nc", weights, surface.corners[ids])
    return Occluders(mesh).passes_behind(points, surface.normals[ids], seed) > _SHEET


_DISC = np.array([[0.0, 0.0], *[[np.cos(a), np.sin(a)] for a in np.arange(6) * np.pi / 3]])


def _appearance(
    mesh: Mesh,
    surface: Surface,
    ids: NDArray[np.int32],
    weights: NDArray[np.float64],
    spacing: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Linear albedo, alpha and linear emission; textures are averaged over each surfel's own area.

    Without that, a fine texture under coarse surfels would be noise.
    """
    color, alpha, glow = albedo_at(mesh, ids, weights.astype(np.float32))
    albedo, emission = linear_from_display(color), linear_from_display(glow)
    fine = np.flatnonzero(_texels_across(mesh, surface, spacing)[ids] > 1.5)
    if len(fine) == 0:
        return albedo, alpha, emission
    corners = surface.corners[ids[fine]]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    axis = first / np.linalg.norm(first, axis=1, keepdims=True)
    other = np.cross(surface.normals[ids[fine]], axis)
    # Steps along the two axes, as changes of the last two barycentrics.
    det = 2.0 * surface.areas[ids[fine]]
    turned = np.einsum("nc,nc->n", np.cross(axis, other), np.cross(first, second)) < 0
    det = np.where(turned, -det, det)
    fx, gx = np.einsum("nc,nc->n", first, axis), np.einsum("nc,nc->n", second, axis)
    fy, gy = np.einsum("nc,nc->n", first, other), np.einsum("nc,nc->n", second, other)
    total, cover = np.zeros((len(fine), 3)), np.zeros(len(fine))
    for dx, dy in _DISC * (0.38 * spacing):
        b1 = weights[fine, 1] + (gy * dx - gx * dy) / det
        b2 = weights[fine, 2] + (fx * dy - fy * dx) / det
        moved = np.clip(np.stack([1 - b1 - b2, b1, b2], axis=1), 0.0, None)
        moved /= moved.sum(axis=1, keepdims=True)
        color, part, _ = albedo_at(mesh, ids[fine], moved.astype(np.float32))
        total += linear_from_display(color) * part[:, None]
        cover += part
    albedo[fine] = total / np.maximum(cover, 1e-6)[:, None]
    alpha[fine] = cover / len(_DISC)
    return albedo, alpha, emission


def _texels_across(mesh: Mesh, surface: Surface, spacing: float) -> NDArray[np.float64]:
    """(T,) how many texels a surfel of each triangle spans; 0 without a texture."""
    across = np.zeros(len(mesh.triangles))
    if mesh.uvs is None:
        return across
    uv = mesh.uvs.astype(np.float64)[mesh.triangles]
    a, b = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
    area = 0.5 * np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    ratio = spacing * np.sqrt(area / np.where(surface.areas > 0, surface.areas, np.inf))
    for number, material in enumerate(mesh.materials):
        if material.texture is None:
            continue
        size = np.sqrt(material.texture.shape[0] * material.texture.shape[1])
        mine = slice(None) if mesh.material_ids is None else mesh.material_ids == number
        across[mine] = ratio[mine] * size
    return across


def pose_surfels(
    surfels: Surfels, new_vertices: ArrayLike, *, rig: LightRig | None = None
) -> SplatCloud:
    """The surfels after their mesh has moved.

    Each follows its triangle: its centre keeps its barycentrics, its footprint is stretched as the
    triangle is (a first-order map), its normal turns along.

    Parameters
    ----------
    surfels
        As made from the mesh at rest.
    new_vertices
        (V, 3), where the mesh's vertices are now.
    rig
        Shade anew under these lights, with the sky that was seen at rest and without cast shadows;
        None keeps the colours.

    Raises
    ------
    UsageError
        If there are not as many vertices as at rest.
    """
    moved = np.ascontiguousarray(new_vertices, np.float32)
    rest = surfels.mesh.vertices
    if moved.shape != rest.shape:
        raise UsageError(
            f"Posing needs positions of shape {rest.shape}, as the mesh has; got {moved.shape}."
        )
    cloud = surfels.cloud
    means, scales, quats = (np.empty_like(a) for a in (cloud.means, cloud.scales, cloud.quats))
    normals = np.empty_like(surfels.normals)
    axes = rotation_matrices(cloud.quats)

    def task(_: int, start: int, stop: int) -> None:
        pose(
            rest, moved, surfels.mesh.triangles, surfels.triangle_ids, surfels.barycentrics, axes,
            cloud.scales, surfels.normals, means, quats, scales, normals, start, stop,
        )  # fmt: skip

    parallel_for(task, len(cloud), 4 * core_count())
    sh = cloud.sh
    if rig is not None:
        lit = shade(
            surfels.albedo, normals, means, rig,
            occlusion=surfels.openness, two_sided=surfels.two_sided,
        )  # fmt: skip
        sh = sh_from_colors(tone(lit + surfels.emission))[:, None, :]
    return replace(cloud, means=means, quats=quats, scales=scales, sh=sh)
