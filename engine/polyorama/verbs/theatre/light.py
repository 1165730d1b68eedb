"""Stage light: footlights, a warm key, the moon from behind, and the dusk in between."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.neighbors import KdTree
from polyorama.verbs.theatre.paint import display, linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.verbs.theatre.sheets import Sheet
    from polyorama.verbs.theatre.stipple import Dabs

__all__ = ["Lamp", "Shadows", "lit_colors"]

Array = Any

_DIRECTIONS = 48
_LIFT = 0.006
"""How far above its surface a ray starts; paper is thicker than that."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A round light; several points on it make soft shadows.

    Parameters
    ----------
    points
        (P, 3) where it is.
    light
        (3,) linear RGB that arrives at distance 1.
    core
        Distance below which it grows no brighter.
    falloff
        Whether it fades with the square of the distance (a near lamp) or not (a far one).
    wrap
        How far light reaches round an edge, 0..1: paper and cloth let some through.
    through
        Share of the light that passes what stands in its way.
    """

    points: NDArray[np.float64]
    light: NDArray[np.float64]
    core: float = 0.35
    falloff: bool = True
    wrap: float = 0.15
    through: float = 0.0


class Shadows:
    """What stands in the way of light."""

    def __init__(self, sheets: Sequence[Sheet], stride: int = 3) -> None:
        self._o3d: Any = importlib.import_module("open3d")
        self._scene = self._o3d.t.geometry.RaycastingScene()
        vertices, triangles, start = [], [], 0
        for sheet in sheets:
            if not sheet.casts:
                continue
            points, faces = _coarse_mesh(sheet, stride)
            vertices.append(points)
            triangles.append(faces + start)
            start += len(points)
        self._scene.add_triangles(
            self._o3d.core.Tensor(np.concatenate(vertices).astype(np.float32)),
            self._o3d.core.Tensor(np.concatenate(triangles).astype(np.uint32)),
        )

    def blocked(self, origins: Array, directions: Array, reach: float) -> Array:
        """(N,) bool: whether something lies on rays (N, 3), up to `reach` lengths of them."""
        rays = np.concatenate([origins, directions], axis=1).astype(np.float32)
        hit = self._scene.test_occlusions(self._o3d.core.Tensor(rays), tnear=0.0, tfar=reach)
        return np.asarray(hit.numpy(), bool)

    def openness(self, origins: Array, normals: Array, reach: float) -> Array:
        """(N,) 0..1: share of the sky above each surface that is free, cosine-weighted."""
        directions = _sphere(_DIRECTIONS)
        total = np.zeros(len(origins))
        free = np.zeros(len(origins))
        for direction in directions:
            weight = np.clip(normals @ direction, 0.0, None)
            facing = np.flatnonzero(weight > 0.02)
            rays = np.broadcast_to(direction, (len(facing), 3))
            hit = self.blocked(origins[facing], rays, reach)
            total[facing] += weight[facing]
            free[facing] += weight[facing] * ~hit
        return free / np.maximum(total, 1e-9)


def _coarse_mesh(sheet: Sheet, stride: int) -> tuple[Array, Array]:
    height, width = sheet.points.shape[:2]
    rows = np.unique(np.append(np.arange(0, height, stride), height - 1))
    columns = np.unique(np.append(np.arange(0, width, stride), width - 1))
    points = sheet.points[np.ix_(rows, columns)]
    h, w = len(rows), len(columns)
    index = np.arange(h * w).reshape(h, w)
    right = np.roll(index, -1, axis=1) if sheet.closed else index[:, 1:]
    left = index if sheet.closed else index[:, :-1]
    a, b, c, d = left[:-1], right[:-1], right[1:], left[1:]
    faces = np.stack([np.stack([a, d, c], -1), np.stack([a, c, b], -1)], axis=2)
    if sheet.mask is not None:
        solid = sheet.mask[np.ix_(rows, columns)] > 0.5
        whole = solid.ravel()[a] & solid.ravel()[b] & solid.ravel()[c] & solid.ravel()[d]
        faces = faces[whole]
    return points.reshape(-1, 3), faces.reshape(-1, 3)


def _sphere(count: int) -> Array:
    """(count, 3) even directions."""
    i = np.arange(count) + 0.5
    z = 1 - 2 * i / count
    angle = np.pi * (1 + 5**0.5) * i
    ring = np.sqrt(1 - z * z)
    return np.stack([ring * np.cos(angle), z, ring * np.sin(angle)], axis=1)


def lit_colors(
    dabs: Dabs,
    shadows: Shadows,
    lamps: Sequence[Lamp],
    *,
    sky: tuple[Array, Array],
    viewer: Array,
    exposure: float = 1.0,
) -> Array:
    """Display RGB (N, 3) of dabs under the lamps.

    Parameters
    ----------
    dabs
        What is lit.
    shadows
        Everything on the stage.
    lamps
        The lights.
    sky
        Linear light from above and from below, (3,) each.
    viewer
        (3,) from where highlights are seen.
    exposure
        Factor on all light before it is toned.
    """
    albedo = linear(dabs.color)
    normals = dabs.frames[:, :, 2]
    origins = dabs.means + normals * _LIFT
    open_sky = 0.25 + 0.75 * shadows.openness(origins, normals, 0.7)
    up = 0.5 + 0.5 * normals[:, 1:2]
    ambient = (sky[0] * up + sky[1] * (1 - up)) * open_sky[:, None]
    view = viewer - dabs.means
    view /= np.linalg.norm(view, axis=1, keepdims=True)
    arriving = ambient
    shine = np.zeros_like(albedo)
    sharp = 6.0 + 60.0 * dabs.gloss**2
    soften = _Softener(dabs)
    for lamp in lamps:
        share = lamp.light / len(lamp.points)
        reaches = soften(_visible(shadows, lamp, origins, normals))
        for point in lamp.points:
            way = point - dabs.means
            distance = np.linalg.norm(way, axis=1)
            way /= distance[:, None]
            cosine = np.sum(normals * way, axis=1)
            facing = np.clip((cosine + lamp.wrap) / (1 + lamp.wrap), 0.0, None)
            strength = reaches / (distance**2 + lamp.core**2) if lamp.falloff else reaches
            arriving = arriving + (facing * strength)[:, None] * share
            half = way + view
            half /= np.linalg.norm(half, axis=1, keepdims=True)
            bright = np.clip(np.sum(half * normals, axis=1), 0, None) ** sharp
            shine += (bright * strength * (cosine > 0))[:, None] * share
    metal = dabs.metal[:, None] > 0
    tint = np.where(metal, albedo * 2.2, 0.22)
    rim = (1.0 - np.abs(np.sum(normals * view, axis=1))) ** 2 * dabs.velvet
    light = albedo * (arriving * dabs.lit[:, None] + (1 - dabs.lit)[:, None])
    light = light * (1 + rim[:, None]) + shine * tint * (dabs.gloss * 3.0)[:, None]
    mirror = 2 * np.sum(normals * view, axis=1, keepdims=True) * normals - view
    room = albedo * _room(mirror) * open_sky[:, None]
    light = np.where(metal, 0.66 * light + 0.7 * room, light)
    return toned((light + dabs.glow) * exposure)


def _visible(shadows: Shadows, lamp: Lamp, origins: Array, normals: Array) -> Array:
    """(N,) share of the lamp that reaches each dab, weighted by how it faces the lamp's points."""
    total, free = np.zeros(len(origins)), np.zeros(len(origins))
    for point in lamp.points:
        way = point - origins
        distance = np.linalg.norm(way, axis=1)
        facing = np.clip(np.sum(normals * way, axis=1) / distance + lamp.wrap, 0.0, None)
        weight = facing / (distance**2 + lamp.core**2) if lamp.falloff else facing
        near = np.flatnonzero(facing > 1e-3)
        hit = shadows.blocked(origins[near], way[near], 0.995)
        total[near] += weight[near]
        free[near] += weight[near] * np.where(hit, lamp.through, 1.0)
    return free / np.maximum(total, 1e-9)


class _Softener:
    """Averages a value over the nearest dabs that face the same way: shadows without grain."""

    def __init__(self, dabs: Dabs, count: int = 14) -> None:
        rows, _ = KdTree.of(dabs.means).nearest(dabs.means, count)
        normals = dabs.frames[:, :, 2]
        alike = np.einsum("nc,nkc->nk", normals, normals[rows])
        self._rows = rows
        self._weights = np.clip(alike - 0.3, 0.0, None)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-9)

    def __call__(self, values: Array) -> Array:
        for _ in range(2):
            values = (values[self._rows] * self._weights).sum(axis=1)
        return values


def _room(directions: Array) -> Array:
    """What gilding mirrors: a dark house, a lit ceiling, and warmth from the stage."""
    x, y, z = directions.T
    ceiling = np.clip((y - 0.15) / 0.25, 0, 1) * np.clip((0.95 - y) / 0.3, 0, 1)
    window = np.exp(-(((x + 0.45) / 0.35) ** 2) - ((y - 0.55) / 0.3) ** 2) * (z > 0)
    stage = np.exp(-(((y + 0.45) / 0.3) ** 2)) * np.clip(z, 0, 1)
    light = 0.03 + 0.5 * ceiling + 1.5 * window + 0.55 * stage
    return light[:, None] * np.array([1.0, 0.86, 0.62])


def toned(light: Array) -> Array:
    """Display RGB of linear light: a soft shoulder that keeps hue until it must let go."""
    peak = np.max(light, axis=-1, keepdims=True)
    knee = 0.55
    over = np.maximum(peak - knee, 0.0)
    squeezed = np.where(peak > knee, knee + (1 - knee) * over / (over + (1 - knee)), peak)
    scaled = light * (squeezed / np.maximum(peak, 1e-9))
    white = np.clip((peak - 1.2) / 6.0, 0.0, 0.6)
    return display(scaled * (1 - white) + squeezed * white)
