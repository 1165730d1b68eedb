"""The house: floor, plinth, gilded arch, columns, crest and lamps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from polyorama.verbs.theatre.ornament import relief, rosette, scroll, sunburst
from polyorama.verbs.theatre.paint import Canvas, fbm, hex_color, mix, noise, ramp, step
from polyorama.verbs.theatre.sheets import (
    Sheet,
    block,
    board,
    lathe,
    panel,
    resampled,
    shifted,
    surface,
    tube,
)

__all__ = [
    "BASE",
    "OPENING", "apron_edge", "arch_frame", "arch_wall", "columns", "crest", "floor", "floor_height",
    "foot_lamps", "lamp_row", "plinth",
]  # fmt: skip

Array = Any

OPENING = 1.6
"""Half the width of the stage opening."""

GOLD = hex_color("#c9953c")
_SPRING, _RISE = 1.72, 0.44
_WALL, _WALL_TOP = 2.36, 2.5
BASE = -0.42
"""Height of what the theatre stands on."""
_BACK = -2.62
FOOT_LAMPS = 9


def floor_height(z: Any) -> Any:
    """Height of the raked floor at depth `z`."""
    return 0.05 * (0.75 - np.asarray(z, np.float64))


def apron_edge(x: Any) -> Any:
    """Depth of the curved front edge of the floor."""
    return 0.66 + 0.16 * np.cos(np.pi * np.clip(np.asarray(x, np.float64) / 2.36, -1, 1) / 2)


def arch_height(x: Any) -> Any:
    """Height of the opening at `x`, |x| up to `OPENING`."""
    share = np.clip(np.abs(np.asarray(x, np.float64)) / OPENING, 0, 1)
    return _SPRING + _RISE * (1 - share**2.4) ** (1 / 2.0)


def floor() -> list[Sheet]:
    """Boards that converge towards the back, with grain, joints and wear."""

    def point(u: Array, v: Array) -> Array:
        x = (2 * u - 1) * (1.38 + 0.98 * v**0.8)
        z = _BACK + 0.1 + v * (apron_edge(x) - _BACK - 0.1)
        return np.stack([x, floor_height(z), z], axis=2)

    boards = 20

    def paint(u: Array, v: Array, points: Array) -> Array:
        at = u * boards
        index = np.floor(at)
        x, z = points[..., 0], points[..., 2]
        shade = noise(index * 7.3, np.zeros_like(index), 3)
        knots = fbm(at * 0.9, z * 0.6 + index * 9.1, 8, 2)
        color = ramp(
            0.52 + 0.3 * shade + 0.2 * knots,
            [(0.0, "#4a2817"), (0.35, "#7c4a26"), (0.65, "#a66c37"), (1.0, "#d09a58")],
        )
        to_joint = np.minimum(at - index, index + 1 - at)
        color = mix(color, hex_color("#1d0d08"), 0.85 * step(0.07, 0.02, to_joint))
        ends = (z * 0.62 + noise(index * 3.7, index * 0 + 4, 9) * 2.0) % 1.0
        color = mix(
            color, hex_color("#1d0d08"), 0.75 * step(0.013, 0.004, np.minimum(ends, 1 - ends))
        )
        worn = np.exp(-((x / 1.0) ** 2) - ((z - 0.05) / 0.6) ** 2)
        color = mix(color, hex_color("#e0b478"), 0.25 * worn)
        return mix(color, GOLD, step(0.965, 0.975, v))

    made = surface(point, (640, 460), paint, gloss=0.22)
    u, v = np.meshgrid(np.linspace(0, 1, 640) * boards, made.points[:, 0, 2])
    lines = fbm(u * 5.0, v * 1.1 + np.floor(u) * 17.0, 5, 4)
    rings = np.sin(14 * (fbm(u * 1.3, v * 0.45 + np.floor(u) * 9.1, 8, 3) + 0.15 * lines))
    grain = 0.17 * lines + 0.09 * rings
    # What lies behind the first wing is seen by nobody in the seats.
    split = int(np.searchsorted(made.points[:, 320, 2], -0.72))
    parts = ((slice(0, split + 1), 2.4), (slice(split, None), 1.0))
    return [
        replace(
            made,
            points=made.points[rows],
            normals=made.normals[rows],
            color=made.color[rows],
            grain=grain[rows],
            coarse=coarse,
        )
        for rows, coarse in parts
    ]


def plinth() -> list[Sheet]:
    """The painted box below: its front follows the apron."""
    navy, gold = hex_color("#17263f"), GOLD

    def front(u: Array, v: Array) -> Array:
        x = (2 * u - 1) * _WALL
        top = floor_height(apron_edge(x))
        y = top + (BASE - top) * v
        bulge = 0.03 * step(0.84, 0.9, v) + 0.025 * step(0.12, 0.04, v)
        return np.stack([x, y, apron_edge(x) + bulge], axis=2)

    def paint(u: Array, v: Array, points: Array) -> Array:
        x, y = points[..., 0], points[..., 1]
        color = mix(navy, hex_color("#24446b"), 0.5 + 0.5 * fbm(x * 3, y * 3, 2, 3))
        cells = 10
        a = u * cells
        local = (a - np.floor(a) - 0.5) * 2.0 * _WALL / cells
        tall = (v - 0.48) * 0.42
        frame = np.maximum(np.abs(local) / 0.2, np.abs(tall) / 0.115)
        inside = step(1.0, 0.97, frame)
        color = mix(color, hex_color("#7c1f2b"), inside * 0.92)
        color = mix(color, gold, step(0.06, 0.03, np.abs(frame - 0.98)))
        angle = np.arctan2(tall, local)
        radius = np.hypot(local, tall)
        star = 0.052 + 0.03 * np.cos(4 * angle) + 0.012 * np.cos(8 * angle)
        color = mix(color, hex_color("#e2b660"), step(0.004, -0.004, radius - star))
        color = mix(color, hex_color("#7c1f2b"), step(0.003, -0.003, radius - 0.016))
        rail = np.maximum(step(0.12, 0.09, v), step(0.86, 0.89, v))
        return mix(color, gold, rail)

    deep = hex_color("#131d30")
    low = np.array([0.0, BASE, 0.0])
    sides = []
    for sign in (-1, 1):
        x = sign * _WALL
        start, end = (_BACK, 0.66) if sign < 0 else (0.66, _BACK)
        top = np.array([x, 0.02, start])
        sides.append(
            panel(top, (0, 0, end - start), low - (0, 0.02, 0), 0.02, deep, coarse=1.6, gloss=0.1)
        )
    back = panel(
        (_WALL, 0.02, _BACK), (-2 * _WALL, 0, 0), low - (0, 0.02, 0), 0.03, deep, coarse=2.5
    )
    ledge = panel(
        (-_WALL, -0.04, _BACK), (2 * _WALL, 0, 0), (0, 0, -_BACK + 0.66), 0.03, deep, coarse=2.5
    )
    return [surface(front, (620, 80), paint, gloss=0.35), *sides, back, ledge]


def arch_wall() -> list[Sheet]:
    """The wall round the opening: midnight damask and gilded scrolls."""
    canvas = Canvas((-_WALL, 0.0), (_WALL, 2.86), 0.0065)
    x, y = canvas.x, canvas.y
    top = _wall_top(x)
    opening = (np.abs(x) < OPENING) & (y < arch_height(x))
    canvas.mask = step(0.006, -0.006, y - top) * ~opening
    cloth = mix(
        hex_color("#1d3a68"), hex_color("#2a5288"), 0.5 + 0.5 * fbm(x * 1.5, y * 1.5, 12, 2)
    )
    a, b = x / 0.17, y / 0.23
    for shift in (0.0, 0.5):
        cx, cy = (a + shift) % 1.0 - 0.5, (b + shift) % 1.0 - 0.5
        r, angle = np.hypot(cx, cy * 1.25), np.arctan2(cy, cx)
        flower = r - (0.2 + 0.1 * np.cos(4 * angle) + 0.05 * np.cos(8 * angle))
        cloth = mix(cloth, hex_color("#5e97c8"), 0.8 * step(0.03, -0.03, flower))
        cloth = mix(cloth, hex_color("#1d3a68"), step(0.02, -0.02, r - 0.09))
    canvas.color = cloth
    wall = board(canvas.color, canvas.low, canvas.high, 0.02, mask=canvas.mask, gloss=0.12,
                 thickness=0.1)  # fmt: skip
    drawing = Canvas((-_WALL, 0.0), (_WALL, 2.86), 0.0065)
    for side in (-1, 1):
        for sx, sy, size, turn in (
            (1.5, 2.33, 0.15, 0.4), (1.13, 2.49, 0.125, 0.1), (1.83, 2.1, 0.12, 0.9),
            (0.82, 2.55, 0.085, -0.1),
        ):  # fmt: skip
            for outline in scroll((side * sx, sy), size, turn, side):
                drawing.lay(drawing.polygon(outline), (1, 1, 1))
        for petal in rosette((side * 2.17, 2.3), 0.085):
            drawing.lay(drawing.polygon(petal), (1, 1, 1))
    drawing.mask *= canvas.mask
    return [wall, relief(drawing, 0.045, 0.018, GOLD)]


def _border() -> Sheet:
    """A gilded bar along the outer edge of the wall."""
    x = np.linspace(-_WALL, _WALL, 300)
    top = np.column_stack([x, _wall_top(x)])
    up = np.linspace(0.0, top[0, 1], 60)[:-1]
    left = np.column_stack([np.full_like(up, -_WALL), up])
    line = np.concatenate([left, top, (left * (-1, 1))[::-1]])
    line = resampled(line, 0.01)
    path = np.column_stack([line, np.full(len(line), 0.03)])
    return tube(path, 0.034, 0.0085, mix(GOLD, hex_color("#e7bd66"), np.full((1, 1), 0.3)),
                gloss=0.7, metal=True)  # fmt: skip


def _wall_top(x: Array) -> Array:
    share = np.abs(x) / _WALL
    return _WALL_TOP - 0.1 + 0.36 * (0.5 + 0.5 * np.cos(np.pi * np.minimum(share * 1.25, 1.0)))


def _opening_path(step_size: float) -> tuple[Array, Array]:
    """Points (N, 2) of the opening from the left foot over the arch, and outward normals."""
    t = np.linspace(-1, 1, 400)
    x = OPENING * np.sin(t * np.pi / 2)
    arch = np.column_stack([x, arch_height(x)])
    jamb = np.linspace(0.0, _SPRING, 120)[:-1]
    left = np.column_stack([np.full_like(jamb, -OPENING), jamb])
    right = np.column_stack([np.full_like(jamb, OPENING), jamb[::-1]])
    line = resampled(np.concatenate([left, arch, right]), step_size)
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return line, np.column_stack([-along[:, 1], along[:, 0]])


def arch_frame() -> list[Sheet]:
    """The gilded moulding, a swept profile with beads and leaves, and the bar round the wall."""
    line, outward = _opening_path(0.006)
    gaps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(gaps)])
    profile = np.array(
        [(-0.035, -0.06), (-0.035, 0.05), (-0.02, 0.075), (0.0, 0.08), (0.015, 0.06), (0.03, 0.05),
         (0.06, 0.075), (0.085, 0.105), (0.11, 0.115), (0.135, 0.1), (0.15, 0.07), (0.16, 0.062),
         (0.175, 0.08), (0.19, 0.08), (0.2, 0.05), (0.2, 0.02)]
    )  # fmt: skip
    profile = resampled(profile, 0.006)
    rows = len(profile)

    def point(u: Array, v: Array) -> Array:
        # Columns run along the path; rows run inwards, so that the front faces the audience.
        column = np.rint(u * (len(line) - 1)).astype(int)
        row = np.rint((1 - v) * (rows - 1)).astype(int)
        off, out = profile[row, 0], profile[row, 1]
        s = length[column]
        leaf = np.abs(np.sin(np.pi * s / 0.11))
        belly = np.exp(-(((off - 0.11) / 0.03) ** 2))
        bead = np.exp(-(((off + 0.005) / 0.013) ** 2))
        out = (
            out
            + 0.026 * belly * (leaf**0.6 - 0.6)
            + 0.012 * bead * (np.abs(np.sin(np.pi * s / 0.05)) - 0.5)
        )
        place = line[column] + outward[column] * off[..., None]
        return np.concatenate([place, (out + 0.02)[..., None]], axis=2)

    def paint(u: Array, v: Array, points: Array) -> Array:
        row = np.rint((1 - v) * (rows - 1)).astype(int)
        s = length[np.rint(u * (len(line) - 1)).astype(int)]
        off = profile[row, 0]
        gilt = np.broadcast_to(mix(GOLD, hex_color("#e7bd66"), 0.4), (*off.shape, 3))
        hollow = np.exp(-(((off - 0.03) / 0.014) ** 2)) + np.exp(-(((off - 0.158) / 0.008) ** 2))
        gilt = mix(gilt, hex_color("#5a1420"), np.clip(0.9 * hollow, 0, 1))
        crease = 1 - np.abs(np.sin(np.pi * s / 0.11))
        belly = np.exp(-(((off - 0.11) / 0.03) ** 2))
        return mix(gilt, hex_color("#6b4216"), np.clip(0.75 * belly * crease**3, 0, 1))

    moulding = surface(point, (len(line), rows), paint, gloss=0.75, metal=True)
    return [moulding, _border()]


def columns() -> list[Sheet]:
    """Two twisted columns before the wall, gilded and midnight blue, on painted feet."""
    sheets: list[Sheet] = []
    for side in (-1, 1):
        x = side * 2.07
        center = np.array([x, 0.0, 0.16])

        def point(u: Array, v: Array, center: Array = center, side: int = side) -> Array:
            y = 1.86 - v * 1.56
            angle = 2 * np.pi * u
            lobe = np.cos(3 * angle + side * y * 11)
            radius = (0.098 + 0.012 * np.cos(np.pi * (v - 0.55))) * (1 + 0.1 * lobe)
            return center + np.stack([radius * np.sin(angle), y, radius * np.cos(angle)], axis=2)

        def paint(u: Array, v: Array, points: Array, side: int = side) -> Array:
            y = points[..., 1]
            lobe = np.cos(3 * 2 * np.pi * u + side * y * 11)
            color = mix(hex_color("#1c3355"), hex_color("#2c5480"), step(-1, 1, lobe))
            color = mix(color, GOLD, step(0.1, 0.35, lobe) * step(0.98, 0.9, lobe * 0.5 + 0.5))
            return mix(color, hex_color("#efcf86"), step(0.85, 0.98, lobe))

        sheets.append(surface(point, (150, 340), paint, closed=True, gloss=0.5, metal=True))
        capital = [(0.0, 2.1), (0.165, 2.1), (0.17, 2.07), (0.15, 2.05), (0.14, 2.01), (0.17, 1.98),
                   (0.155, 1.95), (0.115, 1.91), (0.125, 1.885), (0.1, 1.86)]  # fmt: skip
        foot = [(0.1, 0.31), (0.125, 0.29), (0.13, 0.27), (0.115, 0.25), (0.15, 0.22), (0.16, 0.19),
                (0.165, 0.17)]  # fmt: skip
        sheets += [
            lathe(profile, 0.008, GOLD, center=center, gloss=0.7, metal=True)
            for profile in (capital, foot)
        ]
        sheets += block(
            shifted(center, 0, 0.1, 0), (0.36, 0.16, 0.3), 0.006, hex_color("#6d1c28"), gloss=0.2
        )
        sheets += block(
            shifted(center, 0, 2.12, 0), (0.4, 0.045, 0.4), 0.006, GOLD, gloss=0.6, metal=True
        )
    return sheets


def crest() -> list[Sheet]:
    """A gilded sun over the middle of the arch, between two scrolls."""
    center = (0.0, 2.52)
    canvas = Canvas((-0.85, 2.1), (0.85, 3.06), 0.005)
    for ray in sunburst(center, 0.2, 0.44, 24):
        canvas.lay(canvas.polygon(ray), (1, 1, 1))
    for side in (-1, 1):
        for cx, cy, size, turn in ((0.46, 2.42, 0.17, 2.6), (0.66, 2.36, 0.1, 3.0)):
            for stroke in scroll((side * cx, cy), size, turn, side):
                canvas.lay(canvas.polygon(stroke), (1, 1, 1))
    rays = relief(canvas, 0.1, 0.025, GOLD)

    disc = Canvas((-0.23, center[1] - 0.23), (0.23, center[1] + 0.23), 0.004)
    x, y = disc.x / 0.2, (disc.y - center[1]) / 0.2
    r = np.hypot(x, y)
    color = mix(hex_color("#f4d07c"), hex_color("#cf9538"), step(0.1, 1.0, np.hypot(x, y - 0.2)))
    ink = hex_color("#6a3a12")
    for side in (-1, 1):
        ex, ey = x - side * 0.34, y - 0.14
        lid = np.abs(ey + 2.6 * (0.03 - ex**2)) / 0.055
        color = mix(color, ink, step(1.2, 0.7, lid) * step(0.2, 0.17, np.abs(ex)))
        brow = np.abs(ey - 0.2 + 1.6 * ex * ex) / 0.04
        color = mix(color, ink, 0.8 * step(1.2, 0.7, brow) * step(0.22, 0.17, np.abs(ex)))
        cheek = np.exp(-(((x - side * 0.5) / 0.18) ** 2) - ((y + 0.2) / 0.15) ** 2)
        color = mix(color, hex_color("#d8633c"), 0.6 * cheek)
    nose = np.hypot(x / 0.07, (y + 0.02) / 0.2)
    color = mix(color, hex_color("#a8702a"), 0.5 * step(1.2, 0.4, nose))
    smile = np.abs(y + 0.46 - 0.8 * x * x) / 0.05
    color = mix(color, hex_color("#8e2a24"), step(1.2, 0.7, smile) * step(0.36, 0.3, np.abs(x)))
    color = mix(color, hex_color("#7a4a16"), step(0.9, 0.96, r) * step(1.06, 1.0, r))
    face = board(color, disc.low, disc.high, 0.13, mask=step(1.1, 1.06, r), casts=False)
    points = face.points.copy()
    points[..., 2] += 0.09 * np.sqrt(np.clip(1 - (r / 1.2) ** 2, 0, 1)) + 0.02 * np.exp(
        -(((x) / 0.12) ** 2) - ((y + 0.05) / 0.25) ** 2
    )
    head = Sheet(points, color, mask=step(1.1, 1.06, r), gloss=0.55, metal=True)
    return [rays, head]


def lamp_places() -> Array:
    """(N, 3) bulbs of the lamp row, along the arch outside its frame."""
    line, outward = _opening_path(0.01)
    heights = line[:, 1] > _SPRING - 0.02
    line, outward = line[heights], outward[heights]
    index = np.linspace(0, len(line) - 1, 19).round().astype(int)
    place = line[index] + outward[index] * 0.25
    return np.column_stack([place, np.full(len(place), 0.1)])


def lamp_row() -> list[Sheet]:
    """Gilded cups for the bulbs, which are Gaussians of light by themselves."""
    sheets = []
    for place in lamp_places():
        ring = [(0.02, 0.02), (0.036, 0.0), (0.034, -0.012), (0.02, -0.02)]
        cup = lathe(ring, 0.006, GOLD, gloss=0.7, metal=True)
        tilted = cup.points[..., [0, 2, 1]] * (1, -1, 1) + place - (0, 0, 0.02)
        turned = cup.normals[..., [0, 2, 1]] * (1, -1, 1)
        sheets.append(replace(cup, points=tilted, normals=turned, casts=False))
    return sheets


def foot_places() -> Array:
    """(N, 3) lamps along the front edge of the floor."""
    x = np.linspace(-1.42, 1.42, FOOT_LAMPS)
    z = apron_edge(x) - 0.05
    return np.column_stack([x, floor_height(z) + 0.035, z])


def foot_lamps() -> list[Sheet]:
    """Shell reflectors, open towards the stage."""
    sheets = []
    for place in foot_places():
        base = place - (0, 0.035, 0)

        def shell(u: Array, v: Array, base: Array = base) -> Array:
            angle = np.pi * (u - 0.5) * 1.1
            up = v * np.pi / 2
            ribs = 1 + 0.05 * np.cos(9 * angle * 2)
            r = 0.095 * ribs * (0.55 + 0.45 * np.cos(up - 0.5))
            return base + np.stack(
                [r * np.sin(angle), 0.092 * (1 - v) ** 0.8 * ribs, 0.045 * np.cos(angle) + 0.01],
                axis=2,
            )

        def paint(u: Array, v: Array, points: Array) -> Array:
            rib = 0.5 + 0.5 * np.cos(9 * np.pi * (u - 0.5) * 1.1 * 2)
            return mix(hex_color("#8a5a20"), hex_color("#e8c272"), rib)

        sheets.append(surface(shell, (40, 22), paint, gloss=0.7, metal=True, casts=False))
        bar = [shifted(base, -0.075, 0.008, 0.03), shifted(base, 0.075, 0.008, 0.03)]
        sheets.append(tube(bar, 0.012, 0.006, GOLD, gloss=0.6, metal=True, casts=False))
    return sheets
