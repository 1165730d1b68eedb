"""Surfaces with paint on them: grids of points, each with a colour."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Sheet", "block", "board", "grid_normals", "lathe", "moved", "panel", "resampled", "scaled",
    "shifted", "smooth_curve", "spun", "spun_points", "surface", "tangents", "tube",
]  # fmt: skip

Array = Any
"""A float64 array; shapes are given where it is used."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A surface as a grid, rows downwards and columns to the right seen from its front.

    Parameters
    ----------
    points
        (H, W, 3) float64, stage axes.
    color
        (H, W, 3) float64 display RGB of the paint, 0..1.
    mask
        (H, W) float64, 1 where there is paper; None for a full grid.
    glow
        (H, W, 3) float64 linear RGB that the surface sends out itself, or None.
    gloss
        0 for felt to 1 for varnish.
    metal
        Whether its highlights have the colour of its paint.
    velvet
        Strength of the bright rim of pile cloth.
    closed
        Whether the last column joins the first.
    thickness
        Paper thickness, world units; 0 for the skin of a solid.
    coarse
        Factor on the size of its splats: above 1 where nobody looks.
    lit
        Share of light from lamps that it takes; painted skies take little.
    casts
        Whether it throws shadows.
    grain
        (H, W) float64, relative brightness of fine texture, or None. It colours dabs but makes them
        no smaller.
    """

    points: NDArray[np.float64]
    color: NDArray[np.float64]
    mask: NDArray[np.float64] | None = None
    glow: NDArray[np.float64] | None = None
    gloss: float = 0.0
    metal: bool = False
    velvet: float = 0.0
    closed: bool = False
    thickness: float = 0.0
    coarse: float = 1.0
    lit: float = 1.0
    casts: bool = True
    grain: NDArray[np.float64] | None = None
    normals: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0, 3)))

    def __post_init__(self) -> None:
        if self.normals.size == 0:
            object.__setattr__(self, "normals", grid_normals(self.points, self.closed))


def tangents(points: Array, closed: bool) -> tuple[Array, Array]:
    """Derivatives of a grid (H, W, 3) along its columns and its rows, per cell."""
    if closed:
        along = (np.roll(points, -1, axis=1) - np.roll(points, 1, axis=1)) / 2.0
    else:
        along = np.gradient(points, axis=1)
    return along, np.gradient(points, axis=0)


def grid_normals(points: Array, closed: bool = False) -> Array:
    """Unit normals (H, W, 3) on the front; poles take those of their neighbours."""
    along, down = tangents(points, closed)
    normals = np.cross(down, along)
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    bad = length[..., 0] < 1e-9 * max(float(length.max()), 1e-30)
    for _ in range(4):
        if not bad.any():
            break
        around = sum(np.roll(normals, shift, axis=0) for shift in (-1, 1))
        normals = np.where(bad[..., None], around, normals)
        length = np.linalg.norm(normals, axis=2, keepdims=True)
        bad = length[..., 0] < 1e-12
    return normals / np.maximum(length, 1e-12)


def filled(color: ArrayLike, height: int, width: int) -> Array:
    """One colour, or an (H, W, 3) picture, as (H, W, 3) float64."""
    return np.broadcast_to(np.asarray(color, np.float64), (height, width, 3)).copy()


def surface(
    function: Callable[[Array, Array], Array],
    size: tuple[int, int],
    color: ArrayLike | Callable[[Array, Array, Array], Array] = (0.8, 0.8, 0.8),
    **more: Any,
) -> Sheet:
    """A parametric surface.

    Parameters
    ----------
    function
        Maps u (to the right) and v (down), (H, W) each in 0..1, to points (H, W, 3).
    size
        (columns, rows).
    color
        Display RGB, or a function of u, v and the points.
    """
    width, height = size
    u = np.arange(width) / width if more.get("closed") else np.linspace(0.0, 1.0, width)
    uu, vv = np.meshgrid(u, np.linspace(0.0, 1.0, height))
    points = function(uu, vv)
    paint = color(uu, vv, points) if callable(color) else color
    return Sheet(points, filled(paint, height, width), **more)


def board(
    picture: Array, low: tuple[float, float], high: tuple[float, float], z: float, **more: Any
) -> Sheet:
    """A flat upright board at depth `z` from (x, y) `low` to `high`, painted with (H, W, 3)."""
    height, width = picture.shape[:2]
    x = low[0] + (np.arange(width) + 0.5) / width * (high[0] - low[0])
    y = high[1] - (np.arange(height) + 0.5) / height * (high[1] - low[1])
    xx, yy = np.meshgrid(x, y)
    return Sheet(np.stack([xx, yy, np.full_like(xx, z)], axis=2), picture, **more)


def panel(
    corner: ArrayLike, right: ArrayLike, down: ArrayLike, step: float, color: Any, **more: Any
) -> Sheet:
    """A flat parallelogram: `corner` is its upper left one seen from the front.

    `color` is display RGB or a function of (u, v, points).
    """
    origin, along, below = (np.asarray(v, np.float64) for v in (corner, right, down))
    size = (
        max(4, round(float(np.linalg.norm(along)) / step)),
        max(4, round(float(np.linalg.norm(below)) / step)),
    )
    return surface(
        lambda u, v: origin + u[..., None] * along + v[..., None] * below, size, color, **more
    )


def block(
    center: ArrayLike,
    size: ArrayLike,
    step: float,
    color: Any,
    **more: Any,
) -> list[Sheet]:
    """A box without a bottom, its faces outward."""
    c, (sx, sy, sz) = np.asarray(center, np.float64), np.asarray(size, np.float64)
    x, y, z = np.eye(3) * (sx, sy, sz)
    half = (x + y + z) / 2
    left_top_front = c + y / 2 + z / 2 - x / 2
    faces = [
        (left_top_front, x, -y),
        (c + half - z, -x, -y),
        (c - x / 2 + y / 2 - z / 2, z, -y),
        (c + half, -z, -y),
        (c - x / 2 + y / 2 - z / 2, x, z),
    ]
    return [panel(*face, step, color, **more) for face in faces]


def lathe(
    profile: ArrayLike, step: float, color: Any, *, center: ArrayLike = (0, 0, 0), **more: Any
) -> Sheet:
    """A surface of revolution about the vertical through `center`.

    `profile` is (N, 2), radius and height, along the outside from top to bottom; an inside follows
    when the profile comes back.
    """
    line = np.asarray(profile, np.float64)
    line = resampled(line, step)
    around = max(12, round(2 * np.pi * float(line[:, 0].max()) / step))
    c = np.asarray(center, np.float64)

    def point(u: Array, v: Array) -> Array:
        row = v * (len(line) - 1)
        radius = np.maximum(np.interp(row, np.arange(len(line)), line[:, 0]), 1e-5)
        height = np.interp(row, np.arange(len(line)), line[:, 1])
        angle = 2 * np.pi * u
        return c + np.stack([radius * np.sin(angle), height, radius * np.cos(angle)], axis=2)

    return surface(point, (around, len(line)), color, closed=True, **more)


def tube(path: ArrayLike, radius: ArrayLike, step: float, color: Any, **more: Any) -> Sheet:
    """A round bar along `path` (N, 3); `radius` is one number or one a point.

    Ends close where the radius goes to zero.
    """
    line = np.asarray(path, np.float64)
    radii = np.broadcast_to(np.asarray(radius, np.float64), (len(line),))
    both = resampled(np.column_stack([line, radii]), step, lead=3)
    line, radii = both[:, :3], both[:, 3]
    forward = np.gradient(line, axis=0)
    forward /= np.maximum(np.linalg.norm(forward, axis=1, keepdims=True), 1e-12)
    side = np.empty_like(forward)
    seed = np.eye(3)[np.argmin(np.abs(forward[0]))]
    for i, direction in enumerate(forward):
        # The frame is carried along, so that it never twists.
        seed = seed - direction * (seed @ direction)
        seed /= np.linalg.norm(seed)
        side[i] = seed
    over = np.cross(forward, side)
    around = max(8, round(2 * np.pi * float(radii.max()) / step))

    def point(u: Array, v: Array) -> Array:
        row = np.clip(np.rint(v[:, 0] * (len(line) - 1)).astype(int), 0, len(line) - 1)
        angle = -2 * np.pi * u[..., None]
        ring = np.cos(angle) * side[row][:, None] + np.sin(angle) * over[row][:, None]
        return line[row][:, None] + np.maximum(radii[row], 1e-5)[:, None, None] * ring

    made = surface(point, (around, len(line)), color, closed=True, **more)
    outward = np.mean(np.sum(made.normals * (made.points - line[:, None]), axis=2))
    if outward < 0:
        made = replace(made, normals=-made.normals)
    return made


def resampled(line: Array, step: float, lead: int = 2) -> Array:
    """The polyline `line` (N, K) at about `step` along its first `lead` columns."""
    gaps = np.linalg.norm(np.diff(line[:, :lead], axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(gaps)])
    count = max(4, int(np.ceil(at[-1] / step)) + 1)
    wanted = np.linspace(0.0, at[-1], count)
    return np.stack([np.interp(wanted, at, column) for column in line.T], axis=1)


def smooth_curve(knots: ArrayLike, count: int) -> Array:
    """A Catmull-Rom curve through `knots` (N, K), sampled at (count, K)."""
    p = np.asarray(knots, np.float64)
    p = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    t = np.linspace(0.0, len(p) - 3 - 1e-9, count)
    i = t.astype(int)
    f = (t - i)[:, None]
    a, b, c, d = p[i], p[i + 1], p[i + 2], p[i + 3]
    return 0.5 * (
        2 * b + (c - a) * f + (2 * a - 5 * b + 4 * c - d) * f**2 + (3 * b - a - 3 * c + d) * f**3
    )


def shifted(points: Array, dx: float, dy: float, dz: float) -> Array:
    """Points (..., 3), each moved by (dx, dy, dz)."""
    return np.asarray(points, np.float64) + np.array([dx, dy, dz])


def moved(sheets: Sequence[Sheet], offset: ArrayLike) -> list[Sheet]:
    """The sheets, each moved by `offset` (3,)."""
    shift = np.asarray(offset, np.float64)
    return [replace(sheet, points=sheet.points + shift) for sheet in sheets]


def scaled(sheets: Sequence[Sheet], factor: float) -> list[Sheet]:
    """The sheets, each made larger about the origin."""
    return [replace(sheet, points=sheet.points * factor) for sheet in sheets]


def spun_points(points: Array, degrees: float) -> Array:
    """Points or directions (..., 3), turned about the vertical, +z towards +x."""
    angle = np.radians(degrees)
    turn = np.array(
        [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    )
    return points @ turn.T


def spun(sheets: Sequence[Sheet], degrees: float, pivot: ArrayLike = (0, 0, 0)) -> list[Sheet]:
    """The sheets, each turned about the vertical through `pivot`, +z towards +x."""
    p = np.asarray(pivot, np.float64)
    return [
        replace(
            s,
            points=spun_points(s.points - p, degrees) + p,
            normals=spun_points(s.normals, degrees),
        )
        for s in sheets
    ]
