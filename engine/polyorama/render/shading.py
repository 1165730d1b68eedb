"""A small light rig: surfaces are shaded in linear light and turned into display colours last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.color import display_from_linear, linear_from_display
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.scene.mesh import Mesh

__all__ = [
    "DEFAULT_RIG",
    "SHOULDER",
    "DirectionalLight",
    "LightRig",
    "PointLight",
    "albedo_at",
    "sample_texture",
    "shade",
    "tone",
]

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class DirectionalLight:
    """Light from far away: the sun, the moon, a soft box out of the picture.

    Parameters
    ----------
    direction
        World direction in which the light lies, seen from the surface; its length is ignored.
    color
        Display RGB, 0..1.
    strength
        Linear factor: a white surface that faces a light of strength 1 gets display white.
    softness
        Angular radius of the source in degrees: how soft its shadows are, and how far its light
        reaches around a turning surface.
    shadows
        Whether it casts them, where shadows are asked for.
    """

    direction: Triple
    color: Triple = (1.0, 1.0, 1.0)
    strength: float = 1.0
    softness: float = 3.0
    shadows: bool = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.direction).all() and np.any(self.direction)):
            raise UsageError("A light's direction must be three finite numbers, not all zero.")
        if not (np.isfinite(self.strength) and self.strength >= 0.0):
            raise UsageError(f"A light's strength must be 0 or more, not {self.strength}.")


@dataclass(frozen=True, slots=True)
class PointLight:
    """A lamp: irradiance = strength / (1 + (distance / reach)^2).

    Parameters
    ----------
    position
        World units.
    color
        Display RGB, 0..1.
    strength
        Linear factor close to the lamp, as for `DirectionalLight`.
    reach
        Distance in world units at which half of the strength is left.
    size
        Radius of the lamp in world units: how soft its shadows are.
    shadows
        Whether it casts them, where shadows are asked for.
    """

    position: Triple
    color: Triple = (1.0, 1.0, 1.0)
    strength: float = 1.0
    reach: float = 1.0
    size: float = 0.05
    shadows: bool = True

    def __post_init__(self) -> None:
        if not np.isfinite(self.position).all():
            raise UsageError("A lamp's position must be three finite numbers.")
        if not (np.isfinite(self.strength) and self.strength >= 0.0):
            raise UsageError(f"A lamp's strength must be 0 or more, not {self.strength}.")
        if not (np.isfinite(self.reach) and self.reach > 0.0):
            raise UsageError(f"A lamp's reach must be greater than 0, not {self.reach}.")


@dataclass(frozen=True, slots=True)
class LightRig:
    """All lights of a scene.

    Parameters
    ----------
    key, fill, rim
        The three classic lights, each may be None.
    sky, ground
        Display RGB of the ambient light from above and from below.
    ambient
        Linear factor of that ambient light.
    up
        World direction of the sky.
    points
        Lamps: footlights, lanterns, lit windows.
    translucency
        Share of the light that falls on the far side of a two-sided surface and comes through.
    exposure
        Linear factor on everything but emission.
    """

    key: DirectionalLight | None = None
    fill: DirectionalLight | None = None
    rim: DirectionalLight | None = None
    sky: Triple = (1.0, 1.0, 1.0)
    ground: Triple = (1.0, 1.0, 1.0)
    ambient: float = 0.4
    up: Triple = (0.0, -1.0, 0.0)
    points: tuple[PointLight, ...] = ()
    translucency: float = 0.35
    exposure: float = 1.0

    @property
    def directional(self) -> tuple[DirectionalLight, ...]:
        """Key, fill and rim, as far as they are there."""
        return tuple(light for light in (self.key, self.fill, self.rim) if light is not None)


DEFAULT_RIG = LightRig(
    key=DirectionalLight((0.55, -0.95, 0.75), (1.0, 0.96, 0.90), 0.70, softness=8.0),
    fill=DirectionalLight((-0.9, -0.35, 0.6), (0.84, 0.90, 1.0), 0.16, shadows=False),
    rim=DirectionalLight((0.1, -0.6, -1.0), (0.92, 0.95, 1.0), 0.32, softness=30.0),
    sky=(0.95, 0.97, 1.0),
    ground=(0.70, 0.66, 0.63),
    ambient=0.36,
)
"""A studio: warm key from the upper left front, cool fill and rim, soft sky. Up is -y, front +z."""


SHOULDER = 0.75
"""Linear brightness from which `tone` rolls off."""


def tone(light: ArrayLike) -> NDArray[np.float32]:
    """Display RGB 0..1, float32, of linear RGB (..., 3).

    Colours whose brightest channel is below 0.75 (linear) are kept exactly; brighter ones roll off
    towards 1 with their hue, so that a lit face never clips to a flat patch.
    """
    c = np.maximum(np.asarray(light, np.float32), 0.0)
    peak = c.max(axis=-1, keepdims=True)
    room = 1.0 - SHOULDER
    excess = np.maximum(peak - SHOULDER, 0.0) / room
    rolled = SHOULDER + room * (1.0 - np.exp(-excess))
    factor = np.where(peak > SHOULDER, rolled / np.maximum(peak, 1e-9), 1.0)
    return np.clip(display_from_linear(c * factor), 0.0, 1.0)


def sample_texture(
    texture: NDArray[np.uint8], uvs: ArrayLike, *, repeat: bool = True
) -> NDArray[np.float32]:
    """Look a texture up bilinearly, mixing in linear light.

    Parameters
    ----------
    texture
        (H, W, C) uint8, row 0 at v = 1; display RGB, and alpha if C is 4.
    uvs
        (N, 2), v up. The centre of texel (row i, column j) is u = (j + 0.5) / W,
        v = 1 - (i + 0.5) / H.
    repeat
        Whether the texture repeats beyond 0..1, or its border goes on.

    Returns
    -------
    (N, C) float32, 0..1, display RGB and alpha.
    """
    height, width = texture.shape[:2]
    uv = np.nan_to_num(np.asarray(uvs, np.float64), posinf=0.0, neginf=0.0)
    x, y = uv[:, 0], 1.0 - uv[:, 1]
    if repeat:
        x, y = x % 1.0, y % 1.0
    else:
        x, y = np.clip(x, 0.0, 1.0), np.clip(y, 0.0, 1.0)
    x, y = x * width - 0.5, y * height - 0.5
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    fx, fy = (x - column)[:, None], (y - row)[:, None]
    if repeat:
        left, right = column % width, (column + 1) % width
        top, bottom = row % height, (row + 1) % height
    else:
        left, right = np.maximum(column, 0), np.minimum(column + 1, width - 1)
        top, bottom = np.maximum(row, 0), np.minimum(row + 1, height - 1)
    corners = [_texels(texture, i, j) for i in (top, bottom) for j in (left, right)]
    upper = corners[0] * (1 - fx) + corners[1] * fx
    lower = corners[2] * (1 - fx) + corners[3] * fx
    mixed = upper * (1 - fy) + lower * fy
    mixed[:, :3] = display_from_linear(mixed[:, :3])
    return np.asarray(mixed, np.float32)


_LINEAR = linear_from_display(np.arange(256) / 255.0)


def _texels(
    texture: NDArray[np.uint8], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(N, C) linear RGB and alpha of whole texels."""
    raw = texture[rows, columns]
    result = raw / 255.0
    result[:, :3] = _LINEAR[raw[:, :3]]
    return np.asarray(result)


def albedo_at(
    mesh: Mesh, triangle_ids: NDArray[np.int32], barycentrics: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """What the surface looks like, unlit, at points of it.

    Parameters
    ----------
    mesh
        The surface.
    triangle_ids, barycentrics
        (N,) and (N, 3): where.

    Returns
    -------
    Display RGB (N, 3), alpha (N,) and emission as display RGB (N, 3), float32.
    """
    count = len(triangle_ids)
    corners = mesh.triangles[triangle_ids]
    color = np.ones((count, 4), np.float32)
    emission = np.zeros((count, 3), np.float32)
    if mesh.colors is not None:
        color[:, :3] = np.einsum("nk,nkc->nc", barycentrics, mesh.colors[corners])
    uvs = None
    if mesh.uvs is not None:
        uvs = np.einsum("nk,nkc->nc", barycentrics, mesh.uvs[corners])
    if mesh.material_ids is None:
        of_material = np.zeros(count, np.int32)
    else:
        of_material = mesh.material_ids[triangle_ids]
    for number, material in enumerate(mesh.materials):
        rows = np.flatnonzero(of_material == number)
        if len(rows) == 0:
            continue
        color[rows] *= np.asarray(material.color, np.float32)
        emission[rows] = material.emission
        if material.texture is not None and uvs is not None:
            # Within 0..1 nothing repeats, and a border must not mix with the opposite one.
            mine = uvs[rows]
            texel = sample_texture(
                material.texture, mine, repeat=bool(np.abs(mine - 0.5).max() > 0.501)
            )
            color[rows, : texel.shape[1]] *= texel
    return np.clip(color[:, :3], 0, 1), np.clip(color[:, 3], 0, 1), emission


def shade(
    albedo: NDArray[np.float32],
    normals: NDArray[np.float32],
    points: NDArray[np.float32],
    rig: LightRig,
    *,
    occlusion: NDArray[np.float32] | None = None,
    visibility: NDArray[np.float32] | None = None,
    two_sided: bool = False,
) -> NDArray[np.float32]:
    """Diffuse light that leaves a surface.

    Radiance = albedo * exposure * (ambient * hemisphere(n) * occlusion + sum_l E_l f(cos_l) V_l),
    with E_l the irradiance of light l and V_l its visibility. A source of angular radius a sets
    gradually behind the horizon: f(c) = c for c > w, (c + w)^2 / (4 w) for |c| < w, else 0, with
    w = sin(a).

    Parameters
    ----------
    albedo
        (N, 3) linear RGB.
    normals, points
        (N, 3) unit shading normals and positions, world.
    rig
        The lights.
    occlusion
        (N,) share of the sky that is seen, 0..1, or None for all of it.
    visibility
        (N, L) share of each light that is seen, directional lights first, then lamps; or None.
    two_sided
        Light that falls on the far side comes through, weakened by the rig's translucency.

    Returns
    -------
    (N, 3) float32 linear RGB.
    """
    up = np.asarray(rig.up, np.float32)
    up = up / np.linalg.norm(up)
    height = (0.5 + 0.5 * (normals @ up))[:, None].astype(np.float32)
    if two_sided:
        height = np.maximum(height, 1.0 - height)
    sky, ground = linear_from_display(rig.sky), linear_from_display(rig.ground)
    light = np.float32(rig.ambient) * (ground + (sky - ground) * height)
    if occlusion is not None:
        light = light * occlusion[:, None]
    column = 0
    for sun in rig.directional:
        toward = np.asarray(sun.direction, np.float32)
        cosine = normals @ (toward / np.linalg.norm(toward))
        strength = np.full(len(normals), sun.strength, np.float32)
        width = np.full(len(normals), np.sin(np.radians(min(sun.softness, 90.0))), np.float32)
        amount = strength * _facing(cosine, width, rig, two_sided)
        light = light + _seen(amount, visibility, column) * linear_from_display(sun.color)
        column += 1
    for lamp in rig.points:
        offset = np.asarray(lamp.position, np.float32) - points
        distance = np.linalg.norm(offset, axis=1)
        cosine = np.einsum("nc,nc->n", normals, offset) / np.maximum(distance, 1e-12)
        strength = np.float32(lamp.strength) / (1.0 + (distance / np.float32(lamp.reach)) ** 2)
        width = np.minimum(np.float32(lamp.size) / np.maximum(distance, 1e-12), 1.0)
        amount = strength * _facing(cosine, width, rig, two_sided)
        light = light + _seen(amount, visibility, column) * linear_from_display(lamp.color)
        column += 1
    return (albedo * light * np.float32(rig.exposure)).astype(np.float32)


def _facing(
    cosine: NDArray[np.float32], width: NDArray[np.float32], rig: LightRig, two_sided: bool
) -> NDArray[np.float32]:
    """How much of a light of sine radius `width` falls on a surface at that angle."""
    near = _risen(cosine, width)
    if two_sided:
        near = near + np.float32(rig.translucency) * _risen(-cosine, width)
    return near


def _risen(cosine: NDArray[np.float32], width: NDArray[np.float32]) -> NDArray[np.float32]:
    rising = np.maximum(cosine + width, 0.0) ** 2 / np.maximum(4.0 * width, 1e-6)
    return np.asarray(np.where(np.abs(cosine) < width, rising, np.maximum(cosine, 0.0)), np.float32)


def _seen(
    amount: NDArray[np.float32], visibility: NDArray[np.float32] | None, column: int
) -> NDArray[np.float32]:
    return (amount if visibility is None else amount * visibility[:, column])[:, None]
