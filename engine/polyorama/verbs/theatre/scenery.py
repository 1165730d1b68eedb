"""The painted wings: forest, hills, town, clouds, moon and the evening sky behind them."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyorama.verbs.theatre.ornament import star, stroke
from polyorama.verbs.theatre.paint import Canvas, blurred, fbm, hex_color, mix, noise, ramp, step
from polyorama.verbs.theatre.sheets import Sheet, board, shifted, smooth_curve, tube

__all__ = ["MOON", "clouds", "forest", "hanging_stars", "hills", "moon", "sky", "town"]

Array = Any

MOON = (0.45, 1.3, 0.25)
"""Middle and radius of the moon on its wing."""

_PAPER = hex_color("#e9d9bb")


def _cut(canvas: Canvas, z: float, **more: Any) -> Sheet:
    """The canvas as a cut-out: a thin light edge all round, as cut paper has."""
    cell = (canvas.high[0] - canvas.low[0]) / canvas.width
    depth = blurred(canvas.mask, 0.008 / cell)
    canvas.tint(0.42 * step(0.78, 0.52, depth), _PAPER)
    glow = canvas.glow if canvas.glow.any() else None
    return board(
        canvas.color,
        canvas.low,
        canvas.high,
        z,
        mask=canvas.mask,
        glow=glow,
        thickness=0.022,
        **more,
    )


def _ellipse(canvas: Canvas, x: float, y: float, rx: float, ry: float) -> Array:
    soft = 0.006
    r = np.hypot((canvas.x - x) / rx, (canvas.y - y) / ry)
    return step(soft / min(rx, ry), -soft / min(rx, ry), r - 1)


def sky() -> list[Sheet]:
    """Dusk: peach at the horizon, rose, violet, midnight, with the first stars."""
    canvas = Canvas((-2.3, 0.1), (2.3, 2.2), 0.0085)
    x, y = canvas.x, canvas.y
    bands = y + 0.05 * fbm(x * 1.2, y * 5, 3, 3)
    canvas.color = ramp(
        bands,
        [(0.35, "#f7b27a"), (0.6, "#ee8f74"), (0.8, "#c4607a"), (1.0, "#7d4a86"), (1.25, "#3d3a78"),
         (1.55, "#1e2757"), (2.1, "#11173b")],
    )  # fmt: skip
    around = np.hypot(x - MOON[0], y - MOON[1])
    canvas.color = mix(canvas.color, hex_color("#f6d9b8"), 0.55 * np.exp(-((around / 0.42) ** 2)))
    rng = np.random.default_rng(7)
    for _ in range(110):
        sx, sy = rng.uniform(-2.2, 2.2), rng.uniform(0.95, 2.1)
        size = rng.choice([0.0065, 0.009, 0.014], p=[0.5, 0.35, 0.15])
        if np.hypot(sx - MOON[0], sy - MOON[1]) > 0.4:
            canvas.tint(canvas.polygon(star((sx, sy), 1.6 * size, 4, 0.35)), hex_color("#fff0cf"))
    canvas.mask[2:-2, 2:-2] = 1.0
    return [
        board(
            canvas.color,
            canvas.low,
            canvas.high,
            -2.5,
            mask=canvas.mask,
            lit=0.25,
            casts=False,
            thickness=0.08,
        )
    ]


def moon() -> list[Sheet]:
    """The moon: a paper disc with seas and a sleepy face, and a ring of rays cut in card."""
    mx, my, r = MOON
    canvas = Canvas((mx - 0.45, my - 0.45), (mx + 0.45, my + 0.45), 0.0045)
    x, y = (canvas.x - mx) / r, (canvas.y - my) / r
    disc = _ellipse(canvas, mx, my, r, r)
    shade = 0.5 + 0.5 * fbm(x * 1.7 + 3, y * 1.7, 17, 4)
    color = mix(hex_color("#fff3d2"), hex_color("#f2cf93"), step(0.45, 0.75, shade))
    color = mix(color, hex_color("#e0b57e"), 0.55 * step(0.62, 0.85, shade))
    for cx, cy, cr in (
        (-0.5, 0.42, 0.16),
        (0.5, -0.5, 0.13),
        (0.15, 0.68, 0.1),
        (-0.2, -0.68, 0.09),
    ):
        d = np.hypot(x - cx, y - cy) / cr
        color = mix(color, hex_color("#d7a974"), 0.6 * step(1.08, 0.8, d))
        color = mix(color, hex_color("#fff7df"), 0.7 * np.exp(-(((d - 1.1) / 0.16) ** 2)))
    ink = hex_color("#8a5440")
    for side in (-1, 1):
        ex, ey = x - side * 0.33, y - 0.1
        lid = np.abs(ey + 0.55 * (0.16**2 - ex**2) * 4) / 0.032
        color = mix(color, ink, 0.85 * step(1.2, 0.6, lid) * step(0.2, 0.17, np.abs(ex)))
        blush = np.exp(-((ex / 0.2) ** 2) - ((ey + 0.32) / 0.14) ** 2)
        color = mix(color, hex_color("#e98a6a"), 0.45 * blush)
    mouth = np.abs(y + 0.43 - 0.7 * x * x) / 0.03
    color = mix(color, ink, 0.85 * step(1.2, 0.6, mouth) * step(0.24, 0.2, np.abs(x)))
    color = mix(color, hex_color("#e3b981"), 0.5 * step(0.7, 1.0, np.hypot(x, y)))
    canvas.lay(disc, color)
    canvas.light(disc, np.broadcast_to((0.42, 0.34, 0.2), color.shape) * color**1.5)
    sheets = [_cut(canvas, -2.28, lit=0.35, casts=False)]
    for sx in (-0.12, 0.12):
        top = np.array([mx + sx, my + r * 0.9, -2.285])
        sheets.append(_thread(top, 0.012))
    return sheets


def _thread(top: Array, step: float) -> Sheet:
    """What a thing hangs on: a thread from above down to its top, in cells of `step`."""
    return tube(
        [shifted(top, 0, 1, 0), top], 0.0022, step, hex_color("#8f7f78"), casts=False, lit=0.6
    )


def clouds() -> list[Sheet]:
    """Hanging clouds, each of four layers of paper, lit from below by the horizon."""
    sheets = []
    heaps = [
        (-1.02, 1.14, 0.56, -1.98, 3), (1.22, 1.08, 0.5, -1.9, 5), (-0.26, 1.44, 0.3, -2.1, 8),
        (-2.0, 1.45, 0.5, -2.1, 4), (2.05, 1.5, 0.5, -2.1, 6), (0.72, 1.06, 0.22, -2.0, 9),
    ]  # fmt: skip
    tones = [("#7c6aa0", "#5b5290"), ("#b986a4", "#86659a"), ("#e6aa9c", "#b67c9a"),
             ("#fbdcb4", "#e0a192")]  # fmt: skip
    for cx, cy, size, z, seed in heaps:
        rng = np.random.default_rng(seed)
        canvas = Canvas(
            (cx - size * 1.2, cy - 0.45 * size), (cx + size * 1.2, cy + 0.8 * size), 0.0055
        )
        for layer, (light, dark) in enumerate(tones):
            reach = size * (1.0 - 0.2 * layer)
            base = cy - 0.3 * size - 0.02 * layer * size
            cover = np.zeros_like(canvas.mask)
            bumps = 7 - layer
            for i in range(bumps):
                t = (i + 0.5) / bumps * 2 - 1
                px = cx + t * reach * 0.82 + rng.uniform(-0.03, 0.03) * size
                high = (1 - t * t) * reach * 0.5
                r = size * (0.2 - 0.022 * layer) * rng.uniform(0.85, 1.2)
                for part in np.linspace(0, 1, 4):
                    cover = np.maximum(cover, _ellipse(canvas, px, base + high * part, r, r))
            cover *= step(
                base - 0.004, base + 0.004, canvas.y + 0.03 * size * np.sin(canvas.x * 9 / size)
            )
            if layer:
                shadow = np.roll(blurred(cover, 2.5), (2, 1), axis=(0, 1))
                canvas.tint(0.6 * shadow, hex_color("#3f3c76"))
            height = np.clip((canvas.y - base) / (0.75 * reach), 0, 1)
            canvas.lay(cover, mix(hex_color(dark), hex_color(light), height))
        grain = 0.1 * fbm(canvas.x * 6, canvas.y * 16, seed, 3)
        sheets.append(_cut(canvas, z, lit=0.45, casts=False, grain=grain))
        for sx in (-0.5, 0.45) if abs(cx) < 0.3 else ():
            top = np.array([cx + sx * size, cy + 0.12 * size, z - 0.005])
            sheets.append(_thread(top, 0.014))
    return sheets


def town() -> list[Sheet]:
    """A small town on its hill, gables and a tower, with light in the windows."""
    canvas = Canvas((-2.02, 0.1), (2.02, 1.24), 0.0052)
    rng = np.random.default_rng(23)
    x, y = canvas.x, canvas.y
    ground = 0.5 + 0.1 * np.cos(x * 1.1) + 0.01 * np.sin(x * 17)
    walls = ["#4b3560", "#5c3d63", "#3c3157", "#6d4763", "#54395a", "#7a4f63"]
    roofs = ["#8a3f45", "#2d2a50", "#6b3350", "#a04f47", "#393260"]
    for row, (count, rise) in enumerate(((13, 0.13), (14, 0.02), (13, -0.1))):
        for i in range(count):
            cx = -1.95 + 3.9 * (i + 0.5 * (row % 2)) / (count - 0.5) + rng.uniform(-0.04, 0.04)
            base = 0.36 + 0.1 * np.cos(cx * 1.1) + rise
            width = rng.uniform(0.2, 0.3) * (0.9 + 0.08 * row)
            tall = rng.uniform(0.2, 0.34) + 0.1 * np.exp(-((cx / 0.7) ** 2)) + 0.12
            if 0.1 < cx < 0.95:
                tall *= 0.82
            _house(canvas, rng, cx, base, width, tall, rng.choice(walls), rng.choice(roofs), row)
        if row == 1:
            _tower(canvas, -0.37, 0.5)
    earth = mix(hex_color("#2a2f50"), hex_color("#3d4a63"), 0.5 + 0.5 * fbm(x * 6, y * 9, 5, 3))
    canvas.lay(step(0.006, -0.006, y - ground + 0.14), earth)
    haze = step(1.0, 0.35, y) * 0.16
    canvas.tint(haze * canvas.mask, hex_color("#d98a86"))
    return [_cut(canvas, -1.5, lit=0.6, casts=False, grain=0.12 * fbm(x * 9, y * 24, 6, 3))]


def _house(
    canvas: Canvas, rng: np.random.Generator, cx: float, base: float, width: float, tall: float,
    wall: str, roof: str, row: int,
) -> None:  # fmt: skip
    left, right, eaves = cx - width / 2, cx + width / 2, base + tall
    peak = eaves + width * rng.uniform(0.5, 0.85)
    body = canvas.polygon([(left, base - 0.2), (right, base - 0.2), (right, eaves), (left, eaves)])
    light = 0.5 + 0.5 * (canvas.x - cx) / width
    paint = mix(hex_color(wall) * 0.8, hex_color(wall) * 1.22, np.clip(light, 0, 1))
    canvas.lay(body, np.clip(paint, 0, 1))
    canvas.tint(
        0.7
        * canvas.line(
            [(left, base - 0.2), (left, eaves), (right, eaves), (right, base - 0.2)], 0.007
        ),
        hex_color("#241c38"),
    )
    gable = rng.random() < 0.6
    over = 0.018
    if gable:
        top = [(left - over, eaves - 0.012), (cx, peak), (right + over, eaves - 0.012)]
        fill = canvas.polygon(top)
        canvas.lay(fill, np.clip(paint * 0.95, 0, 1))
        for a, b, tone in ((top[0], top[1], 0.75), (top[1], top[2], 1.25)):
            canvas.lay(canvas.line([a, b], 0.026), np.clip(hex_color(roof) * tone, 0, 1))
    else:
        slope = width * 0.22
        ridge = peak * 0.4 + eaves * 0.6 + 0.05
        top = [
            (left - over, eaves - 0.01),
            (left + slope, ridge),
            (right - slope, ridge),
            (right + over, eaves - 0.01),
        ]
        tiles = 0.5 + 0.5 * np.sin(canvas.y * 190)
        canvas.lay(
            canvas.polygon(top),
            mix(hex_color(roof) * 0.75, np.clip(hex_color(roof) * 1.3, 0, 1), np.clip(tiles, 0, 1)),
        )
    if rng.random() < 0.55:
        chimney = cx + rng.uniform(-0.25, 0.25) * width
        box = [
            (chimney, eaves + 0.01),
            (chimney + 0.026, eaves + 0.01),
            (chimney + 0.026, peak + 0.015),
            (chimney, peak + 0.015),
        ]
        canvas.lay(canvas.polygon(box), hex_color("#5b3240"))
    columns = 2 if width < 0.27 else 3
    for r in range(2):
        for c in range(columns):
            if rng.random() < 0.3:
                continue
            wx = left + width * (c + 0.5) / columns
            wy = eaves - 0.06 - r * 0.105
            warm = rng.random() < 0.78
            _window(canvas, wx, wy, 0.02, 0.029, warm, rng)
    if gable and rng.random() < 0.7:
        _window(canvas, cx, eaves + (peak - eaves) * 0.3, 0.017, 0.02, True, rng)


def _window(
    canvas: Canvas,
    x: float,
    y: float,
    half_w: float,
    half_h: float,
    warm: bool,
    rng: np.random.Generator,
) -> None:
    def box(grow: float) -> Array:
        w, h = half_w + grow, half_h + grow
        return canvas.polygon([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)])

    if warm:
        halo = np.exp(-(((canvas.x - x) / 0.05) ** 2) - ((canvas.y - y + 0.01) / 0.06) ** 2)
        canvas.tint(0.3 * halo * (halo > 0.02) * canvas.mask, hex_color("#f0a050"))
    canvas.tint(0.85 * box(0.006), hex_color("#221a33"))
    pane = box(0.0)
    if not warm:
        canvas.tint(pane, hex_color("#39406e"))
        return
    lamp = rng.uniform(0.7, 1.1)
    canvas.tint(pane, hex_color("#ffd27a"))
    canvas.light(pane, np.array([1.0, 0.5, 0.13]) * lamp)


def _tower(canvas: Canvas, x: float, base: float) -> None:
    wall = mix(
        hex_color("#4d3a62"), hex_color("#7d5870"), np.clip(0.5 + (canvas.x - x) / 0.13, 0, 1)
    )
    canvas.lay(
        canvas.polygon(
            [(x - 0.062, base - 0.2), (x + 0.062, base - 0.2), (x + 0.062, 0.98), (x - 0.062, 0.98)]
        ),
        wall,
    )
    roof = np.array([(-0.08, 0.96), (0.08, 0.96), (0.02, 1.06), (0.008, 1.2), (-0.008, 1.2),
                     (-0.02, 1.06)])  # fmt: skip
    canvas.lay(
        canvas.polygon(roof + np.array([x, 0.0])),
        mix(hex_color("#2c4a5c"), hex_color("#5d93a0"), np.clip(0.5 + (canvas.x - x) / 0.12, 0, 1)),
    )
    canvas.lay(canvas.polygon(star((x, 1.21), 0.02, 4, 0.3)), hex_color("#e8c06a"))
    clock = np.hypot(canvas.x - x, canvas.y - 0.9)
    canvas.tint(step(0.042, 0.038, clock), hex_color("#2a2140"))
    canvas.tint(step(0.036, 0.032, clock), hex_color("#ffe3a0"))
    canvas.light(step(0.036, 0.032, clock), (0.9, 0.55, 0.2))
    canvas.tint(canvas.line([(x, 0.9), (x + 0.012, 0.922)], 0.006), hex_color("#3a2233"))
    canvas.tint(canvas.line([(x, 0.9), (x - 0.022, 0.905)], 0.005), hex_color("#3a2233"))
    canvas.light(canvas.line([(x, 0.9), (x + 0.012, 0.922)], 0.006), np.zeros(3))
    for wy in (0.8, 0.68):
        lancet = [(-0.016, -0.03), (0.016, -0.03), (0.016, 0.012), (0, 0.032), (-0.016, 0.012)]
        pane = canvas.polygon(np.array(lancet) + np.array([x, wy]))
        canvas.tint(pane, hex_color("#ffc766"))
        canvas.light(pane, (1.2, 0.62, 0.18))


def hills() -> list[Sheet]:
    """Rolling fields in four bands, with a path that leads to the town and small round trees."""
    canvas = Canvas((-1.98, 0.05), (1.98, 0.78), 0.0055)
    x, y = canvas.x, canvas.y
    bands = [
        (0.56 + 0.1 * np.sin(x * 1.7 + 2.2) + 0.03 * np.sin(x * 4 + 1), "#4f7a86", "#34586b", 40),
        (0.45 + 0.09 * np.sin(x * 2.1 + 0.4) + 0.02 * np.sin(x * 5), "#5c9478", "#31655f", 34),
        (0.35 + 0.08 * np.sin(x * 1.6 - 1.4), "#8aa765", "#3b6b52", 28),
        (0.25 + 0.06 * np.sin(x * 2.3 + 1.1), "#4d8060", "#234a45", 24),
    ]
    for i, (top, light, dark, rows) in enumerate(bands):
        cover = step(0.005, -0.005, y - top)
        below = np.clip((top - y) / 0.22, 0, 1)
        furrow = np.sin(
            (top - y) * rows * 9 / (1 + 2.5 * below) + 2.2 * np.sin(x * 1.3 + i) + x * 5
        )
        color = mix(hex_color(light), hex_color(dark), below**0.6)
        color = mix(color, hex_color(dark) * 0.75, 0.28 * step(0.1, 0.8, furrow))

        canvas.tint(0.5 * step(0.03, 0.0, y - top), hex_color("#16323a"))
        canvas.lay(cover, np.clip(color, 0, 1))
        rim = step(0.018, 0.004, np.abs(top - y - 0.006))
        canvas.tint(0.6 * rim * cover, hex_color("#e8c98a"))
        rng = np.random.default_rng(60 + i)
        for _ in range(7):
            tx = rng.uniform(-1.9, 1.9)
            ty = float(np.interp(tx, x[0], top[0] if top.ndim == 2 else top)) - rng.uniform(
                0.0, 0.05
            )
            if abs(tx - 0.1) > 0.22:
                _small_tree(canvas, tx, ty, rng.uniform(0.035, 0.06) * (0.8 + 0.15 * i))
    path = smooth_curve(
        [(0.02, -0.02), (0.02, 0.12), (0.34, 0.24), (0.1, 0.34), (0.2, 0.42), (0.14, 0.5)], 120
    )
    widths = 0.006 + 0.075 * np.linspace(1, 0, 120) ** 1.4
    cover = canvas.polygon(stroke(path, widths))
    canvas.tint(
        0.9 * cover,
        mix(hex_color("#d7b27c"), hex_color("#f2d9a4"), 0.5 + 0.5 * noise(x * 20, y * 40, 3)),
    )
    return [_cut(canvas, -1.05, lit=0.85, casts=False, grain=0.12 * fbm(x * 5, y * 13, 44, 3))]


def _small_tree(canvas: Canvas, x: float, y: float, size: float) -> None:
    canvas.lay(canvas.line([(x, y - 0.01), (x, y + size)], 0.01), hex_color("#2f2530"))
    for dx, dy, r, tone in (
        (0, 1.5, 1.0, "#1e4a48"),
        (-0.15, 1.6, 0.75, "#2c6656"),
        (0.18, 1.75, 0.5, "#5c9a6c"),
    ):
        canvas.lay(
            _ellipse(canvas, x + dx * size, y + dy * size, r * size * 0.8, r * size),
            hex_color(tone),
        )


def forest() -> list[Sheet]:
    """Dark trees on both sides that frame the view, with leaves caught by the light."""
    canvas = Canvas((-1.86, 0.02), (1.86, 2.1), 0.0058)
    rng = np.random.default_rng(11)
    x, y = canvas.x, canvas.y
    trunks = [
        (-1.28, -1.02, 0.075), (-1.0, -1.1, 0.045), (-1.55, -1.5, 0.06),
        (1.34, 1.06, 0.075), (1.08, 1.16, 0.04), (1.58, 1.52, 0.06),
    ]  # fmt: skip
    _foliage(canvas, rng, depth=0)
    for foot, head, width in trunks:
        line = smooth_curve(
            [
                (foot, -0.02),
                (foot * 0.97, 0.5),
                (0.5 * (foot + head) * 1.03, 1.05),
                (head, 1.7),
                (head * 0.9, 2.1),
            ],
            80,
        )
        taper = width * (
            1.35 - 0.9 * np.linspace(0, 1, 80) ** 0.6 + 0.6 * np.exp(-np.linspace(0, 1, 80) * 22)
        )
        cover = canvas.polygon(stroke(line, taper))
        side = (x - np.interp(y, line[:, 1], line[:, 0])) / width
        bark = 0.5 + 0.5 * fbm(x * 26, y * 5, 9, 3)
        inner = -np.sign(foot) * side
        color = mix(
            hex_color("#1a1626"),
            hex_color("#4a3038"),
            np.clip(0.3 + 0.5 * bark + 0.3 * inner, 0, 1),
        )
        color = mix(color, hex_color("#d59a5e"), 0.75 * step(0.45, 0.95, inner + 0.2 * bark))
        canvas.lay(cover, color)
        for k, reach in ((44, 0.2), (56, -0.16), (62, 0.16)):
            start = line[k]
            tip = start + np.array([-np.sign(foot) * reach, 0.22])
            branch = smooth_curve([start, 0.5 * (start + tip) + (0, -0.02), tip], 20)
            canvas.lay(
                canvas.polygon(stroke(branch, np.linspace(0.02, 0.004, 20))), hex_color("#2a1e2c")
            )
    _foliage(canvas, rng, depth=1)
    ground = 0.13 + 0.12 * (np.abs(x) / 1.7) ** 2 + 0.02 * np.sin(x * 9) + 0.012 * np.sin(x * 31)
    tuft = np.clip((y - 0.02) / 0.22 + 0.25 * fbm(x * 9, y * 9, 3, 3), 0, 1)
    canvas.lay(
        step(0.006, -0.006, y - ground), mix(hex_color("#10242b"), hex_color("#1e4a44"), tuft)
    )
    for _ in range(90):
        gx = rng.uniform(-1.72, 1.72)
        gy = 0.1 + 0.12 * (abs(gx) / 1.7) ** 2
        tall = rng.uniform(0.06, 0.13) * (0.6 + 0.6 * abs(gx) / 1.7)
        lean = rng.uniform(-0.03, 0.03)
        blade = smooth_curve(
            [(gx, gy - 0.05), (gx + lean * 0.3, gy + tall * 0.5), (gx + lean, gy + tall)], 8
        )
        tone = rng.choice(["#16383a", "#215249", "#3a7a58", "#7aa05c"], p=[0.35, 0.35, 0.22, 0.08])
        canvas.lay(canvas.polygon(stroke(blade, np.linspace(0.014, 0.002, 8))), hex_color(tone))
    for _ in range(26):
        gx = rng.uniform(-1.6, 1.6)
        gy = 0.13 + 0.12 * (abs(gx) / 1.7) ** 2 + rng.uniform(-0.02, 0.05)
        tone = rng.choice(["#e8b04a", "#d9573f", "#f2e2b4"])
        angle = np.linspace(0, 2 * np.pi, 12)
        canvas.lay(
            canvas.polygon(
                np.column_stack([gx + 0.011 * np.cos(angle), gy + 0.011 * np.sin(angle)])
            ),
            hex_color(tone),
        )
    return [_cut(canvas, -0.62, casts=False)]


def _foliage(canvas: Canvas, rng: np.random.Generator, depth: int) -> None:
    """Heaps of leaves: dark ones first, light ones where the moon and the lamps reach."""
    heaps = [
        (-1.45, 1.75, 0.42), (-1.1, 1.92, 0.36), (-0.78, 2.04, 0.26), (-1.62, 1.35, 0.26),
        (-0.98, 1.62, 0.2), (1.5, 1.72, 0.42), (1.14, 1.93, 0.36), (0.82, 2.05, 0.26),
        (1.64, 1.3, 0.26), (1.08, 1.6, 0.2), (-1.62, 0.28, 0.24), (1.62, 0.28, 0.24),
        (-1.3, 0.2, 0.16), (1.32, 0.2, 0.16), (-0.86, 1.62, 0.17), (0.9, 1.62, 0.17),
        (-1.12, 1.34, 0.17), (1.16, 1.32, 0.17), (-0.62, 1.74, 0.13), (0.66, 1.74, 0.13),
    ]  # fmt: skip
    if depth == 0:
        for cx, cy, r in heaps:
            angle = np.linspace(0, 2 * np.pi, 120)
            bumpy = r * (
                0.92 + 0.1 * np.abs(np.sin(angle * 7 + cx * 9)) + 0.04 * np.sin(angle * 19)
            )
            outline = np.column_stack(
                [cx + bumpy * np.cos(angle), cy + bumpy * 0.82 * np.sin(angle)]
            )
            canvas.lay(canvas.polygon(outline), hex_color("#0f262d"))
    tones = ["#14363a", "#1c4a47", "#2a6653", "#4d8a5e", "#9ab466", "#e0b25c"]
    for cx, cy, r in heaps:
        n = int((1500 if depth == 0 else 900) * r * r)
        for _ in range(n):
            a, q = rng.uniform(0, 2 * np.pi), np.sqrt(rng.uniform(0, 1))
            lx, ly = cx + r * q * np.cos(a), cy + 0.82 * r * q * np.sin(a)
            toward = -np.sign(cx) * np.cos(a) * 0.45 + np.sin(a) * -0.25 + rng.uniform(-0.5, 0.5)
            bright = 1.6 + 2.2 * toward * q + 0.7 * depth
            tone = tones[int(np.clip(bright, 0, 5))]
            size = rng.uniform(0.018, 0.032)
            turn = rng.uniform(0, 2 * np.pi)
            s = np.linspace(0, 1, 7)
            line = np.column_stack(
                [
                    lx + size * 1.7 * (s - 0.5) * np.cos(turn),
                    ly + size * 1.7 * (s - 0.5) * np.sin(turn),
                ]
            )
            canvas.lay(
                canvas.polygon(stroke(line, size * 0.42 * np.sin(np.pi * s) ** 0.7)),
                hex_color(tone),
            )


def hanging_stars() -> list[Sheet]:
    """Gilded paper stars on threads, at several depths."""
    sheets = []
    for x, y, z, r in (
        (-0.62, 1.42, -0.85, 0.05), (-0.2, 1.2, -1.3, 0.042), (0.02, 1.5, -0.9, 0.04),
        (0.92, 1.42, -1.3, 0.05), (-0.92, 1.1, -1.35, 0.034),
    ):  # fmt: skip
        canvas = Canvas((x - 0.07, y - 0.07), (x + 0.07, y + 0.07), 0.003)
        cover = canvas.polygon(star((x, y), r))
        angle = np.arctan2(canvas.y - y, canvas.x - x) - np.pi / 2
        facet = np.sign(np.sin(5 * angle)) * 0.5 + 0.5
        canvas.lay(cover, mix(hex_color("#b97f2c"), hex_color("#f6d78e"), facet))
        canvas.light(cover, (0.16, 0.1, 0.03))
        sheets.append(_cut(canvas, z, gloss=0.5, metal=True, casts=False))
        thread = [(x, 2.2, z - 0.002), (x, y + r * 0.9, z - 0.002)]
        sheets.append(tube(thread, 0.002, 0.012, hex_color("#8f7f78"), casts=False))
    return sheets
