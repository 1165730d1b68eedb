"""Views in space, drawn as Gaussians by the engine's own renderer: no window, no OpenGL needed.

Points become round Gaussians, lines chains of long ones, covariances are Gaussians already, a
sphere is a shell of flat ones; so all of them hide one another rightly. `scene_of` makes a `Scene`
of a view and a snapshot, `Scene.draw` a Frame of it from an `Orbit`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.lab.look import DARK, colors_of, rgb
from polyorama.lab.views import Arrows, Dots, Ellipses, Points, Segments, Splats
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.state import Gaussians, RenderState
from polyorama.scene.rotations import quaternions
from polyorama.scene.splats import SplatCloud, concatenate, sh_from_colors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.lab.look import Look
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Axis, Layer
    from polyorama.render.frame import Frame

__all__ = [
    "MOST_SPLATS", "Orbit", "Scene", "ellipsoid_cloud", "line_cloud", "point_cloud", "scene_of",
    "sphere_cloud", "surface_cloud",
]  # fmt: skip

MOST_SPLATS = 4_000_000
"""Splats that one view may become."""

_FOV = 35.0
_PIXEL = 2.0 * math.tan(math.radians(_FOV / 2.0)) / 480.0
"""World units a pixel at distance 1, in a picture of 480 rows."""
_ROOM = 1.75
"""Radius that the camera shows around the middle of the cube from -1 to 1."""
_ACROSS = 2.355
"""Full width at half maximum of a Gaussian, standard deviations."""
_OPAQUE = 0.97
_SPHERE_SPLATS = 4000
_LEAST_SIGMA = 1e-5


@dataclass(frozen=True, slots=True)
class Orbit:
    """From where a scene is seen.

    Parameters
    ----------
    azimuth
        Degrees about the vertical axis; 0 looks along the second axis.
    elevation
        Degrees above the horizon, -90 to 90.
    distance
        Factor of the distance at which all is seen.
    """

    azimuth: float = -30.0
    elevation: float = 20.0
    distance: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What a view in space shows, ready to be drawn from anywhere.

    Parameters
    ----------
    cloud
        All of it; None where there is nothing to see.
    low, high
        (3,) float64, ends of the axes, in their units.
    factor
        (3,) float64, world units a unit of each axis; the middle of the axes is the origin.
    eye, target, up
        Where an `Orbit` of azimuth 0, elevation 0 and distance 1 stands, looks, and what is up.
    """

    cloud: SplatCloud | None
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    factor: NDArray[np.float64]
    eye: tuple[float, float, float]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def world(self, positions: ArrayLike) -> NDArray[np.float64]:
        """(N, 3) world positions of positions in the units of the axes."""
        middle = 0.5 * (self.low + self.high)
        return np.asarray((np.asarray(positions, np.float64) - middle) * self.factor)

    def camera(self, orbit: Orbit, size: tuple[int, int]) -> Camera:
        """The camera of an orbit; `size` is (width, height) in pixels.

        Raises
        ------
        UsageError
            If the orbit or size make no camera.
        """
        target, up = np.asarray(self.target, np.float64), np.asarray(self.up, np.float64)
        back = np.asarray(self.eye, np.float64) - target
        reach = float(np.linalg.norm(back))
        up = up / np.linalg.norm(up)
        flat = back - (back @ up) * up
        if np.linalg.norm(flat) < 1e-9 * reach:  # seen from straight above: any side is the front
            flat = np.cross(up, (1.0, 0.0, 0.0) if abs(up[0]) < 0.9 else (0.0, 1.0, 0.0))
        start = math.atan2(float(back @ up), float(np.linalg.norm(back - (back @ up) * up)))
        flat = flat / np.linalg.norm(flat)
        turn = math.radians(orbit.azimuth)
        side = np.cross(up, flat)
        around = math.cos(turn) * flat + math.sin(turn) * side
        # At the poles the up direction would point along the view.
        most = math.radians(89.0)
        height = min(most, max(-most, start + math.radians(orbit.elevation)))
        direction = math.cos(height) * around + math.sin(height) * up
        away = reach * orbit.distance
        return Camera.look_at(
            target + away * direction, target, up, fov=_FOV, size=size, near=1e-3 * away
        )

    def draw(
        self,
        orbit: Orbit | None = None,
        size: tuple[int, int] = (640, 480),
        *,
        background: tuple[float, float, float] | None = None,
        backend: str = "cpu",
        outputs: Sequence[str] = ("rgba8",),
    ) -> Frame:
        """A picture; `background` is display RGB 0..1, None for transparent.

        Raises
        ------
        UsageError, UnavailableError
            As `polyorama.render.rasterizers.get_rasterizer` and `camera`.
        """
        camera = self.camera(Orbit() if orbit is None else orbit, size)
        cloud = point_cloud(np.zeros((0, 3)), np.zeros((0, 3)), 1.0)
        state = RenderState(Gaussians(self.cloud or cloud), camera, background)
        return get_rasterizer(backend).render(state, outputs)

    def project(
        self, positions: ArrayLike, orbit: Orbit, size: tuple[int, int]
    ) -> NDArray[np.float64]:
        """(N, 3) float64: x and y in pixels and depth in world units of positions on the axes."""
        camera = self.camera(orbit, size)
        points = self.world(positions) @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
        depth = np.maximum(points[:, 2:], 1e-9)
        plane = points[:, :2] / depth * (camera.fx, camera.fy) + (camera.cx, camera.cy)
        return np.concatenate([plane, points[:, 2:]], axis=1)


def point_cloud(
    positions: ArrayLike, colors: ArrayLike, sigma: ArrayLike, opacity: ArrayLike = _OPAQUE
) -> SplatCloud:
    """Round Gaussians.

    Parameters
    ----------
    positions
        (N, 3), world units; those that are not finite are left out.
    colors
        (N, 3) display RGB 0..1.
    sigma, opacity
        Standard deviation in world units and opacity 0..1; one, or (N,).
    """
    means = np.asarray(positions, np.float64)
    count = len(means)
    quats = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    scales = np.repeat(np.broadcast_to(np.asarray(sigma, np.float64), count)[:, None], 3, axis=1)
    return _cloud(means, quats, scales, colors, opacity)


def line_cloud(
    starts: ArrayLike,
    ends: ArrayLike,
    colors: ArrayLike,
    sigma: float,
    opacity: float = _OPAQUE,
    taper: bool = False,
) -> SplatCloud:
    """Straight lines as chains of long Gaussians.

    Parameters
    ----------
    starts, ends
        (M, 3), world units.
    colors
        (M, 3) display RGB 0..1.
    sigma
        Standard deviation across, world units.
    taper
        Whether they end in a point, as heads of arrows do.
    """
    first, last = np.asarray(starts, np.float64), np.asarray(ends, np.float64)
    along = last - first
    length = np.linalg.norm(along, axis=1)
    known = np.isfinite(length) & (length > 0.0)
    first, along, length = first[known], along[known], length[known]
    shades = np.asarray(colors, np.float64)[known]
    # A chain is even where its members stand two standard deviations apart, at most.
    links = np.clip(np.ceil(length / (4.0 * sigma)), 1, 64).astype(np.intp)
    if int(links.sum()) > MOST_SPLATS:
        raise UsageError(f"{len(length):,} lines are too many for a view in space; show fewer.")
    line = np.repeat(np.arange(len(length)), links)
    place = np.arange(len(line)) - np.repeat(np.cumsum(links) - links, links)
    share = (place + 0.5) / links[line]
    means = first[line] + along[line] * share[:, None]
    direction = along[line] / length[line, None]
    scales = np.full((len(line), 3), sigma)
    scales[:, 0] = np.maximum(0.55 * length[line] / links[line], sigma)
    if taper:
        scales[:, 1:] *= (3.0 * (1.05 - share))[:, None]
    return _cloud(means, _turned(direction), scales, shades[line], opacity)


def ellipsoid_cloud(
    means: ArrayLike, covariances: ArrayLike, colors: ArrayLike, opacity: ArrayLike = 0.6
) -> SplatCloud:
    """Gaussians as they are.

    Parameters
    ----------
    means
        (N, 3), world units.
    covariances
        (N, 3, 3), world units squared, symmetric.
    colors
        (N, 3) display RGB 0..1.
    opacity
        0..1 in the middle.
    """
    matrices = np.asarray(covariances, np.float64)
    centers = np.asarray(means, np.float64)
    known = np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(centers).all(axis=1)
    variances, axes = np.linalg.eigh(matrices[known])
    axes[np.linalg.det(axes) < 0.0, :, 0] *= -1.0
    scales = np.sqrt(np.maximum(variances, 0.0))
    opacities = np.broadcast_to(np.asarray(opacity, np.float64), len(centers))[known]
    shades = np.asarray(colors, np.float64)[known]
    return _cloud(centers[known], quaternions(axes), scales, shades, opacities)


def sphere_cloud(
    radius: float, color: ArrayLike, opacity: float = 0.04, factor: ArrayLike = (1.0, 1.0, 1.0)
) -> SplatCloud:
    """A translucent shell about the origin, of flat Gaussians on a Fibonacci lattice.

    Parameters
    ----------
    radius
        In the units of the axes.
    color
        Display RGB 0..1.
    opacity
        Of one Gaussian; about three lie over one another.
    factor
        (3,) world units a unit of each axis: an ellipsoid where they differ.
    """
    number = np.arange(_SPHERE_SPLATS) + 0.5
    z = 1.0 - 2.0 * number / _SPHERE_SPLATS
    turn = number * math.pi * (3.0 - math.sqrt(5.0))
    flat = np.sqrt(1.0 - z * z)
    normals = np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)
    stretch = radius * np.asarray(factor, np.float64)
    means = normals * stretch
    outward = normals / stretch
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    size = float(stretch.max()) * math.sqrt(4.0 * math.pi / _SPHERE_SPLATS)
    scales = np.tile((1e-3 * size, size, size), (_SPHERE_SPLATS, 1))
    colors = np.tile(np.asarray(color, np.float64), (_SPHERE_SPLATS, 1))
    return _cloud(means, _turned(outward), scales, colors, opacity)


def surface_cloud(
    x: ArrayLike, y: ArrayLike, heights: ArrayLike, colors: ArrayLike, opacity: float = _OPAQUE
) -> SplatCloud:
    """A surface z(x, y) as one flat Gaussian a node of its grid.

    Parameters
    ----------
    x, y
        (columns,) and (rows,), ascending, world units.
    heights
        (rows, columns), world units; NaN is a hole.
    colors
        (rows, columns, 3) display RGB 0..1.
    """
    across, up = np.asarray(x, np.float64), np.asarray(y, np.float64)
    z = np.asarray(heights, np.float64)
    if z.shape != (len(up), len(across)) or min(z.shape) < 2:
        raise UsageError("A surface is a grid of 2x2 or more, as large as its rows and columns.")
    slope_y, slope_x = np.gradient(z, up, across)
    normals = np.stack([-slope_x, -slope_y, np.ones_like(z)], axis=-1).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    grid_x, grid_y = np.meshgrid(across, up)
    means = np.stack([grid_x, grid_y, z], axis=-1).reshape(-1, 3)
    known = np.isfinite(means).all(axis=1) & np.isfinite(normals).all(axis=1)
    step = max(float(np.diff(across).max()), float(np.diff(up).max()))
    # A steep part is longer than its shadow on the floor.
    wide = 0.6 * step / np.maximum(np.abs(normals[known, 2]), 0.2)
    scales = np.stack([np.full(len(wide), 0.02 * step), wide, wide], axis=1)
    shades = np.asarray(colors, np.float64).reshape(-1, 3)[known]
    return _cloud(means[known], _turned(normals[known]), scales, shades, opacity)


def scene_of(
    view: Points | Splats,
    snapshot: Snapshot,
    *,
    look: Look = DARK,
    rivals: Mapping[str, int] | None = None,
    trail: Sequence[Snapshot] = (),
    bounds: tuple[ArrayLike, ArrayLike] | None = None,
) -> Scene:
    """The scene of a view in space.

    Parameters
    ----------
    view
        `Points` with a third axis, or `Splats`.
    snapshot
        Gives the values.
    look
        Colours.
    rivals
        Place of each rival among all of its experiment, by id, which is its colour.
    trail
        Earlier snapshots, oldest first, for layers that leave one.
    bounds
        Ends of the axes, (3,) each, where those of the axes or of this snapshot shall not hold.

    Raises
    ------
    UsageError
        If the view is a flat one or there are too many things in it.
    """
    if isinstance(view, Splats):
        return _splat_scene(view, snapshot)
    if view.z is None:
        raise UsageError(f"The view {view.id!r} is flat; only views with three axes are in space.")
    low, high = _bounds(view, (view.x, view.y, view.z), snapshot, bounds)
    extent = np.where(high > low, high - low, 1.0)
    factor = np.full(3, 2.0 / extent.max()) if view.equal else 2.0 / extent
    reach = _ROOM / math.sin(math.radians(_FOV / 2.0))
    scene = Scene(None, low, high, factor, (0.0, -reach, 0.0))
    parts = [_box(scene, look)]
    if view.sphere > 0.0:
        shell = sphere_cloud(view.sphere, rgb(look.quiet), factor=factor)
        parts.append(_moved(shell, scene.world(np.zeros((1, 3)))[0]))
    for number, layer in enumerate(view.layers):
        if isinstance(layer, Dots) and layer.trail:
            for age, earlier in enumerate(reversed(trail), start=1):
                fade = 0.5 * (1.0 - age / (len(trail) + 1.0))
                parts += _layer(view, layer, number, earlier, scene, look, rivals or {}, fade)
        parts += _layer(view, layer, number, snapshot, scene, look, rivals or {}, 1.0)
    return replace(scene, cloud=concatenate(parts))


def _layer(
    view: Points, layer: Layer, number: int, snapshot: Snapshot, scene: Scene, look: Look,
    rivals: Mapping[str, int], fade: float,
) -> list[SplatCloud]:  # fmt: skip
    arrays: dict[str, NDArray[Any]] = snapshot.arrays
    data = arrays.get(layer.key)
    if data is None or not len(data) or data.shape[-1] != 3:
        return []
    count = len(data)
    pixel = _PIXEL * float(np.linalg.norm(scene.eye))
    color = look.color(rivals.get(layer.rival, number))
    value = arrays.get(getattr(layer, "value", ""))
    colors = colors_of(value, count, color, view.colormap, look.name)
    colors = np.nan_to_num(colors, nan=0.5)
    if isinstance(layer, Dots):
        sigma = layer.size * pixel / _ACROSS
        return [point_cloud(scene.world(data), colors, sigma, fade * _OPAQUE)]
    if isinstance(layer, Segments):
        ends = scene.world(data.reshape(-1, 3)).reshape(-1, 2, 3)
        return [line_cloud(ends[:, 0], ends[:, 1], colors, 0.6 * pixel)]
    if isinstance(layer, Arrows):
        vector = arrays.get(layer.vector)
        if vector is None or vector.shape != data.shape:
            return []
        start, tip = scene.world(data), scene.world(data + vector)
        neck = start + 0.75 * (tip - start)
        return [
            line_cloud(start, neck, colors, 0.6 * pixel),
            line_cloud(neck, tip, colors, 0.6 * pixel, taper=True),
        ]
    if isinstance(layer, Ellipses):
        covariance = arrays.get(layer.covariance)
        if covariance is None or covariance.shape != (count, 3, 3):
            return []
        scaled = scene.factor[:, None] * covariance * scene.factor
        return [ellipsoid_cloud(scene.world(data), scaled, colors)]
    return []


def _splat_scene(view: Splats, snapshot: Snapshot) -> Scene:
    arrays = snapshot.arrays
    ends = np.full(3, -1.0), np.full(3, 1.0)
    scene = Scene(None, *ends, np.ones(3), view.eye, view.target, view.up)
    means, colors = arrays.get(view.means), arrays.get(view.colors)
    if means is None or colors is None or means.shape != colors.shape or not len(means):
        return scene
    count = len(means)
    scales, quats = arrays.get(view.scales), arrays.get(view.quats)
    opacities = arrays.get(view.opacities)
    upright = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    cloud = _cloud(
        np.asarray(means, np.float64),
        upright if quats is None else np.asarray(quats, np.float64),
        np.full((count, 3), view.radius) if scales is None else np.asarray(scales, np.float64),
        colors,
        1.0 if opacities is None else opacities,
    )
    return replace(scene, cloud=cloud)


def _bounds(
    view: Points, axes: tuple[Axis, Axis, Axis], snapshot: Snapshot,
    given: tuple[ArrayLike, ArrayLike] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    if given is not None:
        low, high = (np.array(end, np.float64) for end in given)
    else:
        found = [snapshot.arrays.get(layer.key) for layer in view.layers]
        flat = [a.reshape(-1, 3) for a in found if a is not None and a.shape[-1] == 3]
        radius = view.sphere
        points = np.concatenate([*flat, [[-radius] * 3, [radius] * 3]])
        points = points[np.isfinite(points).all(axis=1)]
        low, high = points.min(axis=0), points.max(axis=0)
    for i, axis in enumerate(axes):
        low[i] = low[i] if axis.low is None else axis.low
        high[i] = high[i] if axis.high is None else axis.high
    return low, high


def _box(scene: Scene, look: Look) -> SplatCloud:
    """The edges of the box that the axes span."""
    corners = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), axis=-1).reshape(-1, 3)
    pairs = [
        (a, b) for a in range(8) for b in range(a) if np.abs(corners[a] - corners[b]).sum() == 1
    ]
    places = scene.world(scene.low + corners * (scene.high - scene.low))
    ends = places[np.array(pairs)]
    colors = np.tile(rgb(look.quiet), (len(pairs), 1))
    pixel = _PIXEL * float(np.linalg.norm(scene.eye))
    return line_cloud(ends[:, 0], ends[:, 1], colors, 0.4 * pixel, opacity=0.5)


def _moved(cloud: SplatCloud, by: NDArray[np.float64]) -> SplatCloud:
    return replace(cloud, means=cloud.means + by.astype(np.float32))


def _turned(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 4) quaternions w, x, y, z that turn the first axis to unit directions (N, 3)."""
    # Half-way between the two: (1 + x, e1 x d); for d = -e1 any half turn about a normal.
    quats = np.zeros((len(direction), 4))
    quats[:, 0] = 1.0 + direction[:, 0]
    quats[:, 2], quats[:, 3] = -direction[:, 2], direction[:, 1]
    quats[quats[:, 0] < 1e-9] = (0.0, 0.0, 0.0, 1.0)
    return np.asarray(quats / np.linalg.norm(quats, axis=1, keepdims=True))


def _cloud(
    means: NDArray[np.float64], quats: NDArray[np.float64], scales: NDArray[np.float64],
    colors: ArrayLike, opacity: ArrayLike,
) -> SplatCloud:  # fmt: skip
    if len(means) > MOST_SPLATS:
        raise UsageError(
            f"{len(means):,} splats are too many for a view in space; show {MOST_SPLATS:,} at most."
        )
    shades = np.asarray(colors, np.float64)
    opacities = np.broadcast_to(np.asarray(opacity, np.float64), len(means))
    known = np.isfinite(means).all(axis=1) & np.isfinite(shades).all(axis=1)
    known &= np.isfinite(scales).all(axis=1) & np.isfinite(quats).all(axis=1)
    known &= np.isfinite(opacities)
    return SplatCloud(
        means=means[known].astype(np.float32),
        quats=quats[known].astype(np.float32),
        scales=np.maximum(scales[known], _LEAST_SIGMA).astype(np.float32),
        opacities=opacities[known].astype(np.float32),
        sh=sh_from_colors(shades[known])[:, None, :],
    )
