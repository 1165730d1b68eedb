"""What stands on the stage: chair, table, tea things, a potted orange tree, a boat at sea."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.verbs.theatre.paint import fbm, hex_color, mix, noise, ramp, step
from polyorama.verbs.theatre.sheets import (
    Sheet,
    lathe,
    moved,
    scaled,
    shifted,
    smooth_curve,
    spun,
    spun_points,
    surface,
    tube,
)
from polyorama.verbs.theatre.stage import floor_height
from polyorama.verbs.theatre.stipple import Dabs

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "chair", "cup", "foliage", "foliage_casters", "paper_boat", "potted_tree", "sea", "table",
    "teapot",
]  # fmt: skip

Array = Any

TABLE = np.array([-0.62, 0.0, 0.02])
TABLE_TOP = 0.47
_GLAZE, _IVORY, _GOLD = hex_color("#1f6f78"), hex_color("#f3e6cb"), hex_color("#d6a548")


def on_floor(x: float, z: float) -> Array:
    """The point of the floor at (x, z)."""
    return np.array([x, float(floor_height(z)), z])


def table() -> list[Sheet]:
    """A round table under a white cloth that falls in folds, striped in blue at its hem."""
    base = on_floor(TABLE[0], TABLE[2])
    radius = 0.31

    def waves(angle: Array) -> Array:
        return np.cos(9 * angle + 0.6 * np.sin(2 * angle)) + 0.35 * np.cos(5 * angle + 1.0)

    def top(u: Array, v: Array) -> Array:
        angle, r = 2 * np.pi * u, radius * v
        y = np.full_like(r, TABLE_TOP) + 0.002 * noise(r * 9, angle, 2)
        return base + np.stack([r * np.sin(angle), y, r * np.cos(angle)], axis=2)

    def fall(u: Array, v: Array) -> Array:
        angle = 2 * np.pi * u
        r = radius + 0.012 * np.sin(np.minimum(v * 8, np.pi / 2)) + 0.045 * v * v
        r = r + 0.042 * waves(angle) * v**1.1
        length = 0.35 + 0.02 * np.cos(4 * angle)
        y = TABLE_TOP - length * v - 0.004 * (1 - np.exp(-v * 30))
        return base + np.stack([r * np.sin(angle), y, r * np.cos(angle)], axis=2)

    def cloth(u: Array, v: Array, points: Array) -> Array:
        angle = 2 * np.pi * u
        deep = (0.5 - 0.37 * waves(angle)) * step(0.0, 0.45, v)
        color = mix(hex_color("#dccbb0"), hex_color("#7b6d7c"), 0.8 * np.clip(deep, 0, 1) ** 1.3)
        band = step(0.8, 0.815, v) * step(0.885, 0.87, v) + step(0.915, 0.92, v) * step(
            0.945, 0.94, v
        )
        color = mix(color, hex_color("#2f5f93"), 0.92 * np.clip(band, 0, 1))
        return mix(color, hex_color("#fbf4e2"), step(0.97, 0.99, v))

    def table_top(u: Array, v: Array, points: Array) -> Array:
        color = np.broadcast_to(hex_color("#e6d6b8"), (*u.shape, 3))
        ring = step(0.02, 0.008, np.abs(v - 0.8)) + step(0.012, 0.004, np.abs(v - 0.74))
        scallop = step(0.02, 0.008, np.abs(v - 0.9 - 0.025 * np.abs(np.sin(12 * 2 * np.pi * u))))
        return mix(color, hex_color("#2f5f93"), 0.85 * np.clip(ring + scallop, 0, 1))

    foot = [(0.03, 0.2), (0.035, 0.08), (0.06, 0.05), (0.15, 0.02), (0.155, 0.0)]
    return [
        surface(top, (420, 80), table_top, closed=True),
        surface(fall, (600, 96), cloth, closed=True),
        lathe(foot, 0.008, hex_color("#5a3220"), center=base, gloss=0.3, coarse=1.3),
    ]


def teapot() -> list[Sheet]:
    """A round teapot, teal with gilded bands and painted flowers."""
    center = shifted(on_floor(TABLE[0], TABLE[2]), 0, TABLE_TOP, 0)
    step_size = 0.0045
    body = smooth_curve(
        [(0.028, 0.168), (0.06, 0.165), (0.098, 0.13), (0.112, 0.088), (0.1, 0.045), (0.07, 0.018),
         (0.068, 0.006), (0.072, 0.0)], 60,
    )  # fmt: skip

    def glaze(u: Array, v: Array, points: Array) -> Array:
        y = points[..., 1] - center[1]
        color = mix(_GLAZE, hex_color("#0f4450"), step(0.1, 0.0, y))
        color = mix(color, hex_color("#37939a"), 0.6 * step(0.08, 0.16, y))
        petals = 12
        a = (u * petals) % 1.0 - 0.5
        dx, dy = a * 2 * np.pi * 0.11 / petals, y - 0.09
        angle, r = np.arctan2(dy, dx), np.hypot(dx, dy)
        flower = r - (0.013 + 0.007 * np.cos(5 * angle))
        odd = np.floor(u * petals) % 2
        color = mix(
            color, mix(hex_color("#f6dfb0"), hex_color("#e98a5f"), odd), step(0.002, -0.002, flower)
        )
        color = mix(color, hex_color("#b5372d"), step(0.0015, -0.0015, r - 0.0055))
        for band, width in ((0.148, 0.0045), (0.138, 0.0018), (0.024, 0.004), (0.012, 0.002)):
            color = mix(color, _GOLD, step(width + 0.0012, width - 0.0012, np.abs(y - band)))
        return color

    lid = smooth_curve([(0.0, 0.207), (0.014, 0.202), (0.018, 0.192), (0.009, 0.181), (0.03, 0.178),
                        (0.052, 0.171), (0.06, 0.164)], 40)  # fmt: skip

    def lid_paint(u: Array, v: Array, points: Array) -> Array:
        y = points[..., 1] - center[1]
        color = mix(hex_color("#37939a"), _GLAZE, step(0.18, 0.165, y))
        color = mix(color, _GOLD, step(0.182, 0.186, y))
        return mix(color, _GOLD, step(0.0032, 0.0015, np.abs(y - 0.168)))

    def gilded_tip(u: Array, v: Array, points: Array) -> Array:
        return mix(np.broadcast_to(_GLAZE, (*u.shape, 3)), _GOLD, step(0.9, 0.93, v))

    spout = smooth_curve([(0.08, 0.055, 0), (0.125, 0.075, 0), (0.148, 0.118, 0), (0.172, 0.158, 0),
                          (0.182, 0.166, 0)], 30)  # fmt: skip
    handle = smooth_curve([(-0.085, 0.138, 0), (-0.13, 0.152, 0), (-0.172, 0.125, 0),
                           (-0.168, 0.082, 0), (-0.13, 0.05, 0), (-0.09, 0.046, 0)],
                          40)  # fmt: skip
    sheets = [
        lathe(body, step_size, glaze, center=center, gloss=0.75),
        lathe(lid, step_size, lid_paint, center=center, gloss=0.75),
        tube(center + spout, np.linspace(0.031, 0.013, 30), step_size, gilded_tip, gloss=0.75),
        tube(center + handle, 0.0115, step_size, _GOLD, gloss=0.6, metal=True),
    ]
    return spun(sheets, -24, center)


def spout_tip() -> Array:
    """Where steam leaves the teapot."""
    tip = spun_points(np.array([0.19, TABLE_TOP + 0.17, 0.0]), -24)
    return on_floor(TABLE[0], TABLE[2]) + tip


def cup(which: int) -> list[Sheet]:
    """A cup on its saucer with tea in it."""
    offset, turn = (((0.205, 0.0, 0.07), 35.0), ((-0.13, 0.0, 0.17), 150.0))[which]
    center = on_floor(TABLE[0], TABLE[2]) + np.array([0, TABLE_TOP, 0]) + offset
    outside = smooth_curve(
        [(0.046, 0.066), (0.044, 0.045), (0.034, 0.022), (0.02, 0.012), (0.022, 0.006)], 30
    )
    inside = np.array([(0.0, 0.05), (0.042, 0.05), (0.0435, 0.064), (0.046, 0.066)])

    def painted(u: Array, v: Array, points: Array) -> Array:
        y = points[..., 1] - center[1]
        color = np.broadcast_to(_IVORY, (*u.shape, 3))
        a = (u * 7) % 1.0 - 0.5
        dx, dy = a * 2 * np.pi * 0.042 / 7, y - 0.042
        r, angle = np.hypot(dx, dy), np.arctan2(dy, dx)
        color = mix(color, _GLAZE, step(0.0015, -0.0015, r - (0.008 + 0.0035 * np.cos(5 * angle))))
        return mix(color, _GOLD, step(0.0605, 0.062, y) + step(0.012, 0.01, y))

    def tea(u: Array, v: Array, points: Array) -> Array:
        y = points[..., 1] - center[1]
        return mix(hex_color("#8a3f16"), _IVORY, step(0.0505, 0.052, y))

    saucer = smooth_curve(
        [(0.018, 0.011), (0.045, 0.009), (0.075, 0.019), (0.078, 0.017), (0.05, 0.003)], 30
    )[::-1]
    saucer = np.concatenate([[(0.0005, 0.011)], saucer[::-1]])

    def dish(u: Array, v: Array, points: Array) -> Array:
        r = np.hypot(points[..., 0] - center[0], points[..., 2] - center[2])
        color = np.broadcast_to(_IVORY, (*u.shape, 3))
        color = mix(color, _GLAZE, step(0.059, 0.0605, r) * step(0.07, 0.0685, r))
        return mix(color, _GOLD, step(0.0735, 0.0745, r))

    handle = smooth_curve([(0.041, 0.056, 0), (0.062, 0.058, 0), (0.07, 0.042, 0),
                           (0.056, 0.026, 0), (0.036, 0.026, 0)], 24)  # fmt: skip
    lift = np.array([0, 0.008, 0])
    sheets = [
        lathe(outside, 0.004, painted, center=center + lift, gloss=0.7),
        lathe(inside, 0.004, tea, center=center + lift, gloss=0.7),
        lathe(saucer, 0.004, dish, center=center, gloss=0.7),
        tube(center + lift + handle, 0.0058, 0.004, _GOLD, gloss=0.6, metal=True),
    ]
    return spun(sheets, turn, center)


def chair() -> list[Sheet]:
    """A bentwood chair with a red cushion, turned towards the table."""
    wood, dark = hex_color("#b0722f"), hex_color("#7a4420")
    seat = 0.29

    def timber(u: Array, v: Array, points: Array) -> Array:
        grain = fbm(points[..., 0] * 18 + points[..., 2] * 18, points[..., 1] * 6, 3, 3)
        return mix(wood, dark, np.clip(0.35 + 0.5 * grain, 0, 1))

    sheets: list[Sheet] = []
    for x, z in ((-0.13, 0.13), (0.13, 0.13)):
        leg = smooth_curve(
            [(x, seat, z), (x * 1.02, 0.15, z * 1.02), (x * 1.12, 0.0, z * 1.12)], 20
        )
        sheets.append(tube(leg, np.linspace(0.017, 0.012, 20), 0.006, timber, gloss=0.35))
    for x in (-0.12, 0.12):
        post = smooth_curve([(x * 1.1, 0.0, -0.17), (x, seat, -0.13), (x * 1.02, 0.5, -0.15),
                             (x * 0.9, 0.68, -0.185)], 40)  # fmt: skip
        sheets.append(tube(post, np.linspace(0.014, 0.015, 40), 0.006, timber, gloss=0.35))
    crown = smooth_curve([(-0.108, 0.675, -0.185), (-0.075, 0.735, -0.2), (0, 0.755, -0.205),
                          (0.075, 0.735, -0.2), (0.108, 0.675, -0.185)], 30)  # fmt: skip
    sheets.append(tube(crown, 0.016, 0.006, timber, gloss=0.35))
    inner = smooth_curve([(-0.07, 0.31, -0.135), (-0.068, 0.5, -0.15), (-0.05, 0.63, -0.175),
                          (0, 0.665, -0.182), (0.05, 0.63, -0.175), (0.068, 0.5, -0.15),
                          (0.07, 0.31, -0.135)], 60)  # fmt: skip
    sheets.append(tube(inner, 0.0095, 0.006, timber, gloss=0.35))
    heart = np.linspace(0, 2 * np.pi, 40)
    hx = 0.0026 * 16 * np.sin(heart) ** 3
    hy = 0.0026 * (13 * np.cos(heart) - 5 * np.cos(2 * heart) - 2 * np.cos(3 * heart))
    sheets.append(
        tube(
            np.column_stack([hx, 0.53 + hy, np.full(40, -0.155)]), 0.007, 0.006, timber, gloss=0.35
        )
    )
    for y in (0.12,):
        ring = np.linspace(0, 2 * np.pi, 50)
        loop = np.column_stack([0.125 * np.cos(ring), np.full(50, y), 0.125 * np.sin(ring)])
        sheets.append(tube(loop, 0.009, 0.007, timber, gloss=0.35))

    def cushion(u: Array, v: Array) -> Array:
        angle = 2 * np.pi * u
        r = 0.165 * np.clip(v * 1.25, 0, 1) ** 0.9
        square = (np.abs(np.cos(angle)) ** 5 + np.abs(np.sin(angle)) ** 5) ** -0.2
        y = (
            seat
            + 0.045 * np.sqrt(np.clip(1.0 - (v / 1.0) ** 4, 0, 1))
            - 0.006 * np.exp(-((v / 0.12) ** 2))
        )
        return np.stack([r * square * np.sin(angle), y, r * square * np.cos(angle)], axis=2)

    def damask(u: Array, v: Array, points: Array) -> Array:
        x, z = points[..., 0] * 42, points[..., 2] * 42
        dots = np.cos(x) * np.cos(z)
        color = mix(hex_color("#a3222b"), hex_color("#7a141f"), 0.5 + 0.5 * fbm(x, z, 2, 2))
        color = mix(color, hex_color("#e0a14a"), 0.8 * step(0.72, 0.86, dots))
        return mix(color, _GOLD, step(0.84, 0.87, v))

    sheets.append(surface(cushion, (260, 70), damask, closed=True, velvet=0.4))
    rim = [
        (0.0005, seat - 0.002),
        (0.16, seat - 0.002),
        (0.172, seat - 0.01),
        (0.17, seat - 0.028),
        (0.15, seat - 0.034),
    ]
    sheets.append(lathe(rim, 0.007, timber, gloss=0.35))
    foot = on_floor(-0.05, -0.2)
    return moved(spun(sheets, -62), foot)


_POT = (1.06, -0.22)


def potted_tree() -> list[Sheet]:
    """The pot with its earth, and the stem."""
    base = on_floor(*_POT)
    terracotta = hex_color("#b85a34")

    def clay(u: Array, v: Array, points: Array) -> Array:
        y = points[..., 1] - base[1]
        x = u * 2 * np.pi
        color = mix(
            terracotta, hex_color("#8a3a22"), np.clip(0.4 + 0.5 * fbm(u * 14, y * 16, 3, 3), 0, 1)
        )
        zigzag = np.abs(((u * 16) % 1.0) - 0.5) * 0.06 + 0.115
        color = mix(color, hex_color("#f0dcb4"), 0.9 * step(0.009, 0.006, np.abs(y - zigzag)))
        for band in (0.1, 0.172):
            color = mix(color, hex_color("#1f5f6b"), step(0.007, 0.005, np.abs(y - band)))
        return color + 0 * x[..., None]

    pot = smooth_curve([(0.13, 0.265), (0.152, 0.262), (0.155, 0.235), (0.138, 0.225), (0.13, 0.15),
                        (0.11, 0.05), (0.1, 0.02), (0.105, 0.0)], 60)  # fmt: skip
    earth = [(0.0005, 0.235), (0.08, 0.24), (0.13, 0.228), (0.13, 0.265)]

    def soil(u: Array, v: Array, points: Array) -> Array:
        return ramp(0.5 + 0.5 * fbm(points[..., 0] * 40, points[..., 2] * 40, 4, 3),
                    [(0.2, "#24150f"), (0.8, "#5a3a26")])  # fmt: skip

    stem = smooth_curve(
        [(0, 0.22, 0), (0.012, 0.4, 0.01), (-0.014, 0.58, 0), (0.005, 0.74, 0.0), (0, 0.9, 0)], 50
    )

    def bark(u: Array, v: Array, points: Array) -> Array:
        return mix(hex_color("#7a5233"), hex_color("#4a2d1e"),
                   0.5 + 0.5 * np.sin(u * 2 * np.pi * 3 + v * 30))  # fmt: skip

    sheets = [
        lathe(pot, 0.0065, clay, center=base, gloss=0.15),
        lathe(earth, 0.008, soil, center=base),
        tube(base + stem, np.linspace(0.022, 0.014, 50), 0.006, bark),
    ]
    for tip in ((-0.12, 0.83, 0.05), (0.13, 0.86, -0.04), (0.02, 0.92, 0.1)):
        branch = smooth_curve([(0, 0.66, 0), (tip[0] * 0.5, 0.76, tip[2] * 0.5), tip], 16)
        sheets.append(tube(base + branch, np.linspace(0.011, 0.005, 16), 0.006, bark))
    arc = np.linspace(0, np.pi, 14)

    def peel(u: Array, v: Array, points: Array) -> Array:
        return ramp(v, [(0, "#f7b04a"), (0.6, "#ee8530"), (1, "#b9501e")])

    for x, y, z in _ORANGES:
        ball = np.column_stack([0.032 * np.sin(arc), 0.032 * np.cos(arc)])
        sheets.append(lathe(ball, 0.006, peel, center=shifted(base, x, y, z), gloss=0.5))
    return sheets


_CROWN = (
    (0.0, 0.98, 0.0, 0.24),
    (-0.15, 0.88, 0.04, 0.16),
    (0.16, 0.9, -0.02, 0.16),
    (0.02, 0.86, 0.12, 0.15),
)
_ORANGES = (
    (-0.13, 0.92, 0.235), (0.13, 1.03, 0.225), (-0.02, 0.8, 0.275), (0.25, 0.86, 0.14),
    (-0.28, 0.84, 0.14), (0.03, 1.16, 0.175), (-0.18, 1.1, 0.14), (0.2, 1.12, -0.05),
)  # fmt: skip


def foliage_casters() -> list[Sheet]:
    """Rough balls in place of the leaves, only for their shadow."""
    arc = np.linspace(0, np.pi, 10)
    base = on_floor(*_POT)
    return [
        lathe(np.column_stack([0.8 * r * np.sin(arc), 0.8 * r * np.cos(arc)]), 0.03, (0, 0, 0),
              center=shifted(base, x, y, z))
        for x, y, z, r in _CROWN
    ]  # fmt: skip


def foliage(count: int, seed: int) -> Dabs:
    """The crown of the orange tree: every leaf is two dabs, folded along its middle."""
    rng = np.random.default_rng(seed)
    base = on_floor(*_POT)
    weights = np.array([r * r for *_, r in _CROWN])
    leaves = count // 2
    which = rng.choice(len(_CROWN), leaves, p=weights / weights.sum())
    ball = np.array(_CROWN)[which]
    out = rng.normal(size=(leaves, 3))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    depth = rng.uniform(0.72, 1.05, leaves) ** 0.6
    means = ball[:, :3] + out * (ball[:, 3] * depth)[:, None]
    # Leaves lie like tiles, tips down and outwards, with some disorder.
    normal = out + rng.normal(scale=0.35, size=out.shape) + (0, 0.25, 0)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    droop = np.array([0, -1.0, 0]) + rng.normal(scale=0.5, size=out.shape)
    along = droop - normal * np.sum(droop * normal, axis=1, keepdims=True)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(normal, along)
    size = rng.uniform(0.75, 1.2, leaves)
    tone = np.clip(
        0.35 + 0.3 * out[:, 1] + 0.35 * (depth - 0.8) * 3 + rng.normal(scale=0.16, size=leaves),
        0,
        1,
    )
    green = ramp(
        tone,
        [
            (0.0, "#12332a"),
            (0.35, "#23603f"),
            (0.65, "#4a8f4c"),
            (0.9, "#93b85a"),
            (1.0, "#c9cf76"),
        ],
    )
    halves = []
    for side in (-1, 1):
        bent = normal + side * 0.45 * across
        bent /= np.linalg.norm(bent, axis=1, keepdims=True)
        frames = np.stack([along, np.cross(bent, along), bent], axis=2)
        offset = across * (side * 0.0062 * size)[:, None]
        halves.append(
            Dabs(
                means=base + means + offset,
                frames=frames,
                sigmas=np.column_stack([0.0165 * size, 0.0062 * size]),
                color=green * (1.0 + 0.06 * side),
                glow=np.zeros((leaves, 3)),
                gloss=np.full(leaves, 0.3),
                metal=np.zeros(leaves),
                velvet=np.zeros(leaves),
                lit=np.ones(leaves),
            )
        )
    return Dabs(
        *(np.concatenate([getattr(h, n) for h in halves]) for n in Dabs.__dataclass_fields__)
    )


_SEA = (0.72, 0.4)


def _swell(x: Array, z: Array) -> Array:
    """Height of the blue cloth: two trains of waves that die out at its ends."""
    ends = step(0.66, 0.5, np.abs(x - _SEA[0]))
    waves = 0.036 * np.sin(x * 17 + 2.2 * z) + 0.016 * np.sin(x * 31 - 9 * z + 1)
    return 0.022 + ends * (0.042 + waves) * (0.55 + 0.45 * step(0.2, 0.12, np.abs(z - _SEA[1])))


def sea() -> list[Sheet]:
    """A strip of blue cloth laid in waves, crests embroidered in white."""

    def point(u: Array, v: Array) -> Array:
        x = _SEA[0] + (2 * u - 1) * 0.64
        z = _SEA[1] - 0.19 + 0.38 * v + 0.02 * np.sin(x * 9) + 0.008 * np.sin(x * 29 + 2)
        return np.stack([x, floor_height(z) + _swell(x, z), z], axis=2)

    def paint(u: Array, v: Array, points: Array) -> Array:
        x, z = points[..., 0], points[..., 2]
        height = _swell(x, z)
        color = ramp(
            height,
            [(0.0, "#17468c"), (0.035, "#2067ae"), (0.065, "#3399c9"), (0.095, "#86d0d8")],
        )
        foam = step(0.088, 0.094, height + 0.004 * np.sin(z * 75 + x * 11))
        color = mix(color, hex_color("#f4ecd6"), 0.9 * foam)
        band = np.abs(height - 0.06 - 0.003 * np.sin(z * 60))
        color = mix(color, hex_color("#8fd0d6"), 0.7 * step(0.006, 0.003, band))
        hem = step(0.05, 0.035, np.minimum(v, 1 - v)) + step(0.016, 0.011, np.minimum(u, 1 - u))
        return mix(color, _GOLD, 0.9 * np.clip(hem, 0, 1))

    return [surface(point, (430, 130), paint, gloss=0.2, velvet=0.3, casts=False)]


def paper_boat() -> list[Sheet]:
    """A folded paper boat on the crest of a wave, with a red pennant."""
    length, beam, deep, rise = 0.2, 0.075, 0.085, 0.06
    bow, stern = np.array([length, rise, 0]), np.array([-length, rise, 0])
    keel_bow, keel_stern = np.array([0.1, -deep, 0]), np.array([-0.1, -deep, 0])
    paper, shade = hex_color("#f6ecd4"), hex_color("#d9c6a2")

    def hull(u: Array, v: Array, points: Array) -> Array:
        color = mix(paper, shade, 0.6 * v)
        stripe = step(0.13, 0.15, v) * step(0.25, 0.23, v)
        return mix(color, hex_color("#c5383a"), 0.9 * stripe)

    def sail(u: Array, v: Array, points: Array) -> Array:
        return mix(paper, shade, 0.35 * v + 0.3 * np.abs(u - 0.5))

    def patch(corners: Sequence[Any], size: tuple[int, int], paint: Any) -> Sheet:
        """Corners: upper left, upper right, lower right, lower left, seen from its front."""
        a, b, c, d = (np.asarray(p, np.float64) for p in corners)

        def point(u: Array, v: Array) -> Array:
            top = a + u[..., None] * (b - a)
            bottom = d + u[..., None] * (c - d)
            return top + v[..., None] * (bottom - top)

        return surface(point, size, paint, gloss=0.05)

    sheets: list[Sheet] = []
    for side in (1, -1):
        middle = np.array([0.0, 0.012, side * beam])
        low = np.array([0.0, -deep, side * 0.02])
        halves = [(stern, middle, low, keel_stern), (middle, bow, keel_bow, low)]
        for corners in halves:
            ordered = corners if side > 0 else (corners[1], corners[0], corners[3], corners[2])
            sheets.append(patch(ordered, (56, 34), hull))
        peak = np.array([0.0, 0.17, 0.0])
        foot_l, foot_r = np.array([-0.105, 0.0, side * 0.03]), np.array([0.105, 0.0, side * 0.03])
        tip = shifted(peak, 0.0005, 0, 0)
        ordered = (peak, tip, foot_r, foot_l) if side > 0 else (tip, peak, foot_l, foot_r)
        sheets.append(patch(ordered, (50, 40), sail))
    sheets.append(tube([(0, 0.15, 0), (0, 0.245, 0)], 0.0045, 0.005, hex_color("#7a4420")))

    def red(u: Array, v: Array, points: Array) -> Array:
        return np.broadcast_to(hex_color("#c22b2f"), (*u.shape, 3))

    flag_top, flag_low = np.array([0.002, 0.245, 0]), np.array([0.002, 0.195, 0])
    tip = np.array([0.11, 0.222, 0.012])
    sheets.append(patch((flag_top, shifted(tip, 0, 0.001, 0), tip, flag_low), (30, 16), red))
    x, z = 0.63, 0.4
    height = float(floor_height(z) + _swell(np.array(x), np.array(z)))
    turned = spun(scaled(sheets, 1.2), -20)
    tilt = np.radians(7)
    roll = np.array([[np.cos(tilt), -np.sin(tilt), 0], [np.sin(tilt), np.cos(tilt), 0], [0, 0, 1]])
    turned = [replace(s, points=s.points @ roll.T, normals=s.normals @ roll.T) for s in turned]
    return moved(turned, (x, height + 0.085, z))
