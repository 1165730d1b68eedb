"""How much sky and how much of each light a surface sees, by tracing rays (Embree, by open3d)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.errors import UnavailableError
from polyorama.render.surface import tangents
from polyorama.scene.mesh import Mesh

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.render.shading import LightRig

__all__ = ["Occluders", "own_distance", "scene_around"]

_RAYS_AT_ONCE = 1 << 19

# Directions about a normal, up to 60 degrees from it, each as long as a slab's crossing.
_FAN = np.array(
    [
        [np.tan(np.radians(tilt)) * np.cos(turn), np.tan(np.radians(tilt)) * np.sin(turn), 1.0]
        for tilt, count in ((30, 5), (60, 8))
        for turn in 2.0 * np.pi * np.arange(count) / count
    ]
)


class Occluders:
    """Meshes that stand in the way of light; build it once for a stage and use it for each thing.

    Parameters
    ----------
    meshes
        One mesh or several.

    Raises
    ------
    UnavailableError
        If open3d is not installed.
    """

    def __init__(self, meshes: Mesh | Sequence[Mesh]) -> None:
        try:
            import open3d
        except ImportError as error:
            raise UnavailableError(
                "Shadows need the package open3d; install it, or ask for surfels without "
                "occlusion and shadows."
            ) from error
        o3d: Any = open3d
        self._tensor = o3d.core.Tensor
        self._scene = o3d.t.geometry.RaycastingScene()
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for mesh in [meshes] if isinstance(meshes, Mesh) else meshes:
            good = np.isfinite(mesh.vertices[mesh.triangles]).all(axis=(1, 2))
            triangles = np.ascontiguousarray(mesh.triangles[good], np.uint32)
            if len(triangles) == 0:
                continue
            used = mesh.vertices[triangles.reshape(-1)]
            low, high = np.minimum(low, used.min(axis=0)), np.maximum(high, used.max(axis=0))
            self._scene.add_triangles(self._tensor(mesh.vertices.copy()), self._tensor(triangles))
        self.diagonal = float(np.linalg.norm(high - low)) if np.isfinite(low).all() else 0.0

    def blocked(self, rays: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Whether each ray (N, 6), origin and direction with its length, meets a triangle."""
        if self.diagonal == 0.0:
            return np.zeros(len(rays), bool)
        hits = self._scene.test_occlusions(self._tensor(rays), tnear=0.0, tfar=1.0)
        return np.asarray(hits.numpy(), bool)

    def covered(
        self, points: NDArray[np.float64], normals: NDArray[np.float64], depth: float
    ) -> NDArray[np.bool_]:
        """Whether points of the surface lie closely under another one.

        Parameters
        ----------
        points, normals
            (N, 3) on the surface, and its unit normals.
        depth
            How close, world units: every ray to one side must meet something that near, rays
            aslant up to twice as far.

        Returns
        -------
        (N,) bool.
        """
        lift = min(1e-5 * self.diagonal, 0.1 * depth)
        rays = np.concatenate([points + lift * normals, depth * normals], axis=1, dtype=np.float32)
        suspects = np.flatnonzero(self.blocked(rays))
        covered = np.zeros(len(points), bool)
        for start, stop in _chunks(len(suspects), len(_FAN)):
            rows = suspects[start:stop]
            bundle = np.empty((len(rows), len(_FAN), 6), np.float32)
            _fan_rays(points[rows], normals[rows], lift, depth, _FAN, bundle)
            covered[rows] = self.blocked(bundle.reshape(-1, 6)).reshape(-1, len(_FAN)).all(axis=1)
        return covered

    def sky(
        self,
        points: NDArray[np.float64],
        normals: NDArray[np.float32],
        *,
        rays: int,
        distance: float,
        seed: int,
    ) -> NDArray[np.float32]:
        """Share of the sky that each point sees, cosine-weighted, nearer obstacles counting more.

        Parameters
        ----------
        points, normals
            (N, 3) where, and unit normals; points should lie slightly above the surface.
        rays
            Rays a point.
        distance
            Farthest obstacle that counts, world units.
        seed
            Same seed, same rays.

        Returns
        -------
        (N,) float32, 0..1.
        """
        seen = np.empty(len(points), np.float32)
        for start, stop in _chunks(len(points), rays):
            bundle = np.empty((stop - start, rays, 6), np.float32)
            _sky_rays(points[start:stop], normals[start:stop], distance, seed, start, bundle)
            blocked = self.blocked(bundle.reshape(-1, 6)).reshape(-1, rays)
            seen[start:stop] = 1.0 - blocked.mean(axis=1)
        return seen

    def passes_behind(
        self, points: NDArray[np.float64], normals: NDArray[np.float64], seed: int
    ) -> float:
        """Mean share of directions in which the back of the surface sees out, 0..1.

        Paper and cloth see out on both sides, the walls of a solid on one, even where the solid is
        open below or its parts are only stuck together.
        """
        lift = 1e-4 * self.diagonal
        back = -normals.astype(np.float32)
        sky = self.sky(points + lift * back, back, rays=16, distance=4.0 * self.diagonal, seed=seed)
        return float(sky.mean())

    def lights(
        self,
        points: NDArray[np.float64],
        normals: NDArray[np.float32],
        rig: LightRig,
        *,
        rays: int,
        seed: int,
        lift: float,
        two_sided: bool,
    ) -> NDArray[np.float32]:
        """Share of each light above its horizon that each point sees; 1 where all has set.

        Directional lights are discs of their softness, lamps are balls of their size.

        Parameters
        ----------
        points, normals
            (N, 3) on the surface, and its unit normals.
        rig
            The lights.
        rays
            Rays a point and light.
        seed
            Same seed, same rays.
        lift
            How far above the surface rays begin, world units.
        two_sided
            Look at each light from the side of the surface on which it is.

        Returns
        -------
        (N, L) float32, 0..1: the rig's directional lights, then its lamps.
        """
        far = 2.0 * self.diagonal + 1.0
        sources: list[tuple[NDArray[np.float64], float, bool, bool]] = []
        for sun in rig.directional:
            toward = np.asarray(sun.direction, np.float64)
            toward = toward / np.linalg.norm(toward) * far
            spread = far * np.tan(np.radians(min(sun.softness, 45.0)))
            sources.append((toward, spread, False, sun.shadows))
        sources += [
            (np.asarray(lamp.position, np.float64), lamp.size, True, lamp.shadows)
            for lamp in rig.points
        ]
        seen = np.ones((len(points), len(sources)), np.float32)
        for column, (place, spread, is_lamp, casts) in enumerate(sources):
            if not casts:
                continue
            toward = place - points if is_lamp else np.broadcast_to(place, points.shape)
            facing = np.einsum("nc,nc->n", normals, toward)
            lit = np.arange(len(points)) if two_sided else np.flatnonzero(facing > -spread)
            for start, stop in _chunks(len(lit), rays):
                rows = lit[start:stop]
                side = normals[rows]
                if two_sided:
                    side = side * np.where(facing[rows] < 0, -1, 1).astype(np.float32)[:, None]
                bundle = np.empty((len(rows), rays, 6), np.float32)
                begin = points[rows] + lift * side
                _light_rays(begin, side, toward[rows], spread, seed + column, start, bundle)
                blocked = self.blocked(bundle.reshape(-1, 6)).reshape(-1, rays)
                seen[rows, column] = 1.0 - blocked.mean(axis=1)
        return seen


def _chunks(count: int, rays: int) -> Iterator[tuple[int, int]]:
    step = max(1, _RAYS_AT_ONCE // rays)
    for start in range(0, count, step):
        yield start, min(start + step, count)


@kernel
def _uniform(number, seed):  # type: ignore[no-untyped-def]
    """A number in [0, 1) from two integers: a mixer of 32 bits whose products are of 64."""
    x = np.uint32(number) * np.uint32(0x9E3779B9) + np.uint32(seed) * np.uint32(0x85EBCA6B)
    x = np.uint32(x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = np.uint32(x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    x = np.uint32(x ^ (x >> np.uint32(16)))
    return np.float64(x) * (1.0 / 4294967296.0)


@kernel
def _fan_rays(points, normals, lift, depth, fan, rays):  # type: ignore[no-untyped-def]
    for i in range(len(points)):
        (ux, uy, uz), (vx, vy, vz) = tangents(normals[i, 0], normals[i, 1], normals[i, 2])
        for k in range(len(fan)):
            a, b, c = depth * fan[k, 0], depth * fan[k, 1], depth * fan[k, 2]
            for axis in range(3):
                rays[i, k, axis] = points[i, axis] + lift * normals[i, axis]
            rays[i, k, 3] = a * ux + b * vx + c * normals[i, 0]
            rays[i, k, 4] = a * uy + b * vy + c * normals[i, 1]
            rays[i, k, 5] = a * uz + b * vz + c * normals[i, 2]


@kernel
def _sky_rays(points, normals, distance, seed, first, rays):  # type: ignore[no-untyped-def]
    count = rays.shape[1]
    for i in range(len(points)):
        (ux, uy, uz), (vx, vy, vz) = tangents(normals[i, 0], normals[i, 1], normals[i, 2])
        # One rotation of a well-spread set for each point: noise, not bands.
        shift = _uniform(first + i, seed)
        turn = _uniform(first + i, seed + 7919)
        for k in range(count):
            share = (k + shift) / count
            angle = 2.0 * np.pi * (turn + k * 0.6180339887498949)
            # Cosine-weighted: uniform on the disc below the hemisphere.
            radius, height = np.sqrt(share), np.sqrt(max(0.0, 1.0 - share))
            a, b = radius * np.cos(angle), radius * np.sin(angle)
            # Lengths from 0 to the distance, so that near obstacles stop more rays than far ones.
            reach = distance * np.sqrt(_uniform((first + i) * count + k, seed + 104729))
            for c in range(3):
                rays[i, k, c] = points[i, c]
            rays[i, k, 3] = reach * (a * ux + b * vx + height * normals[i, 0])
            rays[i, k, 4] = reach * (a * uy + b * vy + height * normals[i, 1])
            rays[i, k, 5] = reach * (a * uz + b * vz + height * normals[i, 2])


@kernel
def _light_rays(points, normals, toward, spread, seed, first, rays):  # type: ignore[no-untyped-def]
    count = rays.shape[1]
    for i in range(len(points)):
        x, y, z = toward[i, 0], toward[i, 1], toward[i, 2]
        length = np.sqrt(x * x + y * y + z * z)
        if length == 0.0:
            length = 1e-30
        (ux, uy, uz), (vx, vy, vz) = tangents(x / length, y / length, z / length)
        # A lamp's far half, and the lamp's own housing within its radius, are not in the way.
        short = max(0.05, 1.0 - 1.05 * spread / length) if spread < 0.5 * length else 0.5
        shift = _uniform(first + i, seed)
        turn = _uniform(first + i, seed + 7919)
        for k in range(count):
            radius = spread * np.sqrt((k + shift) / count)
            angle = 2.0 * np.pi * (turn + k * 0.6180339887498949)
            a, b = radius * np.cos(angle), radius * np.sin(angle)
            for c in range(3):
                rays[i, k, c] = points[i, c]
            dx = short * (x + a * ux + b * vx)
            dy = short * (y + a * uy + b * vy)
            dz = short * (z + a * uz + b * vz)
            # The part of the source below the horizon is left to the shading: mirror it up.
            below = min(dx * normals[i, 0] + dy * normals[i, 1] + dz * normals[i, 2], 0.0)
            rays[i, k, 3] = dx - 2.0 * below * normals[i, 0]
            rays[i, k, 4] = dy - 2.0 * below * normals[i, 1]
            rays[i, k, 5] = dz - 2.0 * below * normals[i, 2]


def scene_around(mesh: Mesh, occluders: Mesh | Sequence[Mesh] | Occluders | None) -> Occluders:
    """What stands in the mesh's light: itself and the others; ready `Occluders` are taken as is."""
    if isinstance(occluders, Occluders):
        return occluders
    others = [occluders] if isinstance(occluders, Mesh) else list(occluders or ())
    return Occluders([mesh, *(other for other in others if other is not mesh)])


def own_distance(mesh: Mesh) -> float:
    """A quarter of the mesh's diagonal."""
    used = mesh.vertices[mesh.triangles.reshape(-1)]
    used = used[np.isfinite(used).all(axis=1)]
    return 0.25 * float(np.linalg.norm(used.max(axis=0) - used.min(axis=0)))
