"""Stage light: footlights, a warm key, the moon from behind, and the dusk in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import linear_from_display
from polyorama.render.occlusion import Occluders
from polyorama.render.shading import tone
from polyorama.scene.mesh import Mesh
from polyorama.scene.neighbors import KdTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.verbs.theatre.sheets import Sheet
    from polyorama.verbs.theatre.stipple import Dabs

__all__ = ["Lamp", "lit_colors", "occluders"]

Array = Any

_SKY_RAYS = 48
_SKY_REACH = 1.05
_SOFT = 14
"""Neighbours over which light is evened out."""
_STRIDE = 3
"""Cells of a sheet to one of the mesh that stands in the light's way."""
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


def occluders(sheets: Sequence[Sheet]) -> Occluders:
    """What stands in the way of light; sheets that cast no shadow do not."""
    return Occluders([_coarse_mesh(sheet) for sheet in sheets if sheet.casts])


def _coarse_mesh(sheet: Sheet) -> Mesh:
    height, width = sheet.points.shape[:2]
    rows = np.unique(np.append(np.arange(0, height, _STRIDE), height - 1))
    columns = np.unique(np.append(np.arange(0, width, _STRIDE), width - 1))
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
    return Mesh(points.reshape(-1, 3).astype(np.float32), faces.reshape(-1, 3).astype(np.int32))


def lit_colors(
    dabs: Dabs,
    stage: Occluders,
    lamps: Sequence[Lamp],
    *,
    sky: tuple[Array, Array],
    viewer: Array,
) -> Array:
    """Display RGB (N, 3) of dabs under the lamps.

    Parameters
    ----------
    dabs
        What is lit.
    stage
        Everything that throws shadows.
    lamps
        The lights.
    sky
        Linear light from above and from below, (3,) each.
    viewer
        (3,) from where highlights are seen.
    """
    albedo = linear_from_display(dabs.color)
    normals = dabs.frames[:, :, 2]
    origins = dabs.means + normals * _LIFT
    soften = _Softener(dabs)
    seen = stage.sky(
        origins, normals.astype(np.float32), rays=_SKY_RAYS, distance=_SKY_REACH, seed=0
    )
    open_sky = 0.25 + 0.75 * soften(seen)
    up = 0.5 + 0.5 * normals[:, 1:2]
    ambient = (sky[0] * up + sky[1] * (1 - up)) * open_sky[:, None]
    view = viewer - dabs.means
    view /= np.linalg.norm(view, axis=1, keepdims=True)
    arriving = ambient
    shine = np.zeros_like(albedo)
    sharp = 6.0 + 60.0 * dabs.gloss**2
    for lamp in lamps:
        share = lamp.light / len(lamp.points)
        reaches = soften(_visible(stage, lamp, origins, normals))
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
    return tone(light + dabs.glow)


def _visible(stage: Occluders, lamp: Lamp, origins: Array, normals: Array) -> Array:
    """(N,) share of the lamp that reaches each dab, weighted by how it faces the lamp's points."""
    total, free = np.zeros(len(origins)), np.zeros(len(origins))
    for point in lamp.points:
        way = point - origins
        distance = np.linalg.norm(way, axis=1)
        facing = np.clip(np.sum(normals * way, axis=1) / distance + lamp.wrap, 0.0, None)
        weight = facing / (distance**2 + lamp.core**2) if lamp.falloff else facing
        near = np.flatnonzero(facing > 1e-3)
        rays = np.concatenate([origins[near], 0.995 * way[near]], axis=1)
        hit = stage.blocked(rays.astype(np.float32))
        total[near] += weight[near]
        free[near] += weight[near] * np.where(hit, lamp.through, 1.0)
    return free / np.maximum(total, 1e-9)


class _Softener:
    """Averages a value over the nearest dabs that face the same way: shadows without grain."""

    def __init__(self, dabs: Dabs) -> None:
        rows, _ = KdTree.of(dabs.means).nearest(dabs.means, _SOFT)
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
