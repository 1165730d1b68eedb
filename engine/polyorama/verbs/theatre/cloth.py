"""Curtains: pleated velvet drawn aside, ropes with tassels, and a valance with a fringe."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from polyorama.verbs.theatre.paint import fbm, hex_color, mix, noise, ramp, step
from polyorama.verbs.theatre.sheets import Sheet, lathe, shifted, smooth_curve, surface, tube

__all__ = ["curtain", "tie_back", "valance"]

Array = Any

GOLD = hex_color("#c9953c")
_VELVET = [
    (0.0, "#2a0509"),
    (0.3, "#5c0d15"),
    (0.62, "#96181f"),
    (0.85, "#bd2b2b"),
    (1.0, "#d8503c"),
]

_OUTER = 1.74
_TOP, _BOTTOM, _TIE = 2.16, 0.045, 0.82


def _inner_edge(y: Array) -> Array:
    """Distance from the middle at which the curtain ends, by height."""
    knots = np.array(
        [(2.2, 0.32), (2.0, 0.44), (1.75, 0.68), (1.45, 1.0), (1.15, 1.27), (0.95, 1.39),
         (_TIE, 1.425), (0.7, 1.4), (0.4, 1.31), (0.2, 1.26), (0.0, 1.24)]
    )  # fmt: skip
    curve = smooth_curve(knots, 200)
    order = np.argsort(curve[:, 0])
    return np.interp(y, curve[order, 0], curve[order, 1])


def curtain(side: int) -> list[Sheet]:
    """One curtain, `side` -1 for the left one seen from the seats, 1 for the right one."""
    pleats = 8.5

    def fold(u: Array, y: Array) -> Array:
        """Height of the folds, 0 in the creases to 1 on the ridges."""
        drift = 0.05 * noise(u * 3 + 11 * side, y * 1.1, 3)
        phase = np.pi * pleats * (u + drift + 0.02 * np.sin(5 * u + y))
        wide = np.abs(np.sin(phase)) ** 0.75
        fine = 0.5 + 0.5 * np.sin(2.7 * phase + 1.3)
        return 0.86 * wide + 0.14 * fine

    def point(u: Array, v: Array) -> Array:
        across = u if side < 0 else 1 - u
        y = _TOP + (_BOTTOM - _TOP) * v
        outer, inner = _OUTER, _inner_edge(y)
        pinch = np.exp(-(((y - _TIE) / 0.16) ** 2))
        # Below the rope the cloth hangs straight; above it sweeps down towards the rope.
        sweep = step(_TIE, 1.7, y) * 0.1 * np.sin(np.pi * across)
        width = outer - inner
        x = -(outer - width * across) * 1.0
        depth = 0.05 + 0.055 * (1 - 0.45 * pinch) * (0.7 + 0.3 * step(1.6, 0.2, y))
        bunch = 0.05 * pinch * np.sin(np.pi * across) + 0.03 * np.sin(np.pi * across)
        z = -0.2 + depth * fold(across, y) + bunch
        hem = 0.018 * np.cos(np.pi * pleats * across * 2) * step(0.12, 0.0, y)
        return np.stack([x if side < 0 else -x, y - sweep * 0.35 + hem * 0.3, z], axis=2)

    def paint(u: Array, v: Array, points: Array) -> Array:
        across = u if side < 0 else 1 - u
        y = _TOP + (_BOTTOM - _TOP) * v
        height = fold(across, y)
        pile = 0.05 * fbm(across * 30, y * 2.5, 21, 3)
        value = 0.1 + 0.68 * height**1.4 + pile
        color = ramp(value, _VELVET)
        # A woven pattern of small golden flowers rides on the cloth.
        a, b = across * 17, y * 9
        cell_x, cell_y = a - np.floor(a) - 0.5, b - np.floor(b) - 0.5
        odd = (np.floor(b) % 2) * 0.5
        cell_x = (a + odd) - np.floor(a + odd) - 0.5
        flower = np.hypot(cell_x, cell_y * 1.1) - (
            0.13 + 0.05 * np.cos(4 * np.arctan2(cell_y, cell_x))
        )
        color = mix(
            color, hex_color("#b5662a"), 0.38 * step(0.03, -0.03, flower) * (0.35 + 0.65 * height)
        )
        trim = np.maximum(step(0.945, 0.95, across), step(0.95, 0.955, v) * step(0.995, 0.99, v))
        braid = mix(GOLD, hex_color("#f0cf86"), 0.5 + 0.5 * np.sin(y * 190 + across * 420))
        return mix(color, mix(hex_color("#4a2a0c"), braid, 0.35 + 0.65 * height), trim)

    return [surface(point, (400, 420), paint, gloss=0.1, velvet=0.7)]


def tie_back(side: int) -> list[Sheet]:
    """A twisted golden rope round the curtain, and its tassel."""
    t = np.linspace(0, 1, 60)
    angle = np.pi * (1.08 - 1.16 * t)
    center = np.array([-1.585, _TIE, -0.14])
    ring = np.stack(
        [0.185 * np.cos(angle), 0.07 * (1 - t) - 0.03 * np.sin(np.pi * t), 0.16 * np.sin(angle)],
        axis=1,
    )
    path = center + ring

    def rope(u: Array, v: Array, points: Array) -> Array:
        twist = 0.5 + 0.5 * np.sin(2 * np.pi * (u * 2 + v * 16))
        return mix(hex_color("#7a4c14"), hex_color("#f0cb7c"), twist)

    hang = center + np.array([0.13, -0.05, 0.145])
    cord = [shifted(hang, 0.02, 0.04, -0.01), hang, shifted(hang, 0, -0.05, 0)]
    sheets = [
        tube(path, 0.027, 0.006, rope, gloss=0.45, metal=True),
        tube(cord, 0.012, 0.005, rope, gloss=0.4, metal=True),
    ]
    head = [(0.0, 0.03), (0.022, 0.024), (0.036, 0.005), (0.032, -0.015), (0.02, -0.03),
            (0.028, -0.036), (0.028, -0.046)]  # fmt: skip
    sheets.append(lathe(head, 0.005, GOLD, center=hang - (0, 0.07, 0), gloss=0.6, metal=True))

    def threads(u: Array, v: Array, points: Array) -> Array:
        stripe = 0.5 + 0.5 * np.sin(2 * np.pi * u * 22 + 2 * np.sin(v * 5))
        return mix(hex_color("#6b3c10"), hex_color("#e9bd63"), stripe)

    skirt = [(0.026, 0.0), (0.04, -0.05), (0.046, -0.11), (0.05, -0.15)]
    sheets.append(lathe(skirt, 0.005, threads, center=hang - (0, 0.115, 0), gloss=0.3, metal=True))
    if side > 0:
        sheets = [_mirrored(sheet) for sheet in sheets]
    return sheets


def _mirrored(sheet: Sheet) -> Sheet:
    """The sheet on the other side of the middle; columns run back, so that the front stays it."""
    flip = np.array([-1.0, 1.0, 1.0])
    return replace(
        sheet,
        points=sheet.points[:, ::-1] * flip,
        color=sheet.color[:, ::-1],
        normals=sheet.normals[:, ::-1] * flip,
    )


def _hang(x: Array) -> Array:
    """Height from which the valance hangs: it follows the arch."""
    return 2.02 + 0.13 * (1 - (x / 1.7) ** 2)


def valance() -> list[Sheet]:
    """Five swags with a golden fringe, and tails where they meet."""
    ends = np.array([-1.68, -1.02, -0.35, 0.35, 1.02, 1.68])
    sheets = []
    for i, (left, right) in enumerate(itertools.pairwise(ends)):
        sheets += _swag(left, right, i)
    for i, x in enumerate(ends):
        sheets += _tail(float(x), i)
    return sheets


def _swag(left: float, right: float, seed: int) -> list[Sheet]:
    def lower(u: Array) -> Array:
        return 0.2 + 0.15 * np.sin(np.pi * u) ** 1.1

    def fold(u: Array, v: Array) -> Array:
        sag = np.sin(np.pi * u)
        phase = v * 4.6 + 0.25 * noise(u * 2 + seed * 5, v * 2, 4)
        return (np.abs(np.sin(np.pi * phase)) ** 0.7) * (0.35 + 0.65 * sag)

    def point(u: Array, v: Array) -> Array:
        x = left + (right - left) * u
        drop = lower(u) * v
        z = -0.02 + 0.05 * np.sin(np.pi * u) * (0.3 + 0.7 * v) + 0.04 * fold(u, v) - 0.04
        return np.stack([x, _hang(x) - drop, z], axis=2)

    def paint(u: Array, v: Array, points: Array) -> Array:
        value = (
            0.08
            + 0.66 * fold(u, v) ** 1.3
            + 0.14 * np.sin(np.pi * u)
            + 0.04 * fbm(u * 9, v * 9, seed, 3)
        )
        color = ramp(value, _VELVET)
        return mix(color, GOLD, step(0.955, 0.965, v))

    def fringe_point(u: Array, v: Array) -> Array:
        x = left + (right - left) * u
        z = -0.02 + 0.05 * np.sin(np.pi * u) + 0.006 * np.sin(u * 260)
        return np.stack([x, _hang(x) - lower(u) - 0.075 * v + 0.004, z], axis=2)

    def fringe_paint(u: Array, v: Array, points: Array) -> Array:
        thread = 0.5 + 0.5 * np.sin(u * (right - left) * 420)
        color = mix(hex_color("#6a3d10"), hex_color("#eec36a"), thread * (1 - 0.35 * v))
        return mix(color, hex_color("#f6dc9a"), step(0.12, 0.05, v))

    cells = round((right - left) / 0.0045)
    u = np.linspace(0, 1, cells)
    rows = 20
    teeth = 0.72 + 0.28 * np.abs(np.sin(u * (right - left) * 105))
    mask = (np.linspace(0, 1, rows)[:, None] < teeth[None, :]) * 1.0
    return [
        surface(point, (round((right - left) / 0.006), 64), paint, gloss=0.1, velvet=0.7),
        surface(fringe_point, (cells, rows), fringe_paint, mask=mask, gloss=0.35, metal=True),
    ]


def _tail(x0: float, seed: int) -> list[Sheet]:
    """A narrow cone of cloth, pleated, with a golden hem."""

    def point(u: Array, v: Array) -> Array:
        half = 0.035 + 0.05 * v
        x = x0 + (2 * u - 1) * half
        pleat = np.abs(np.sin(np.pi * 3 * u)) ** 0.8
        length = 0.34 + 0.03 * np.cos(2 * np.pi * 3 * u)
        y = _hang(np.full_like(u, x0)) + 0.02 - length * v
        return np.stack(
            [x, y, 0.0 + 0.03 * pleat * (0.4 + 0.6 * v) + 0.02 * np.sin(np.pi * u)], axis=2
        )

    def paint(u: Array, v: Array, points: Array) -> Array:
        pleat = np.abs(np.sin(np.pi * 3 * u)) ** 0.8
        color = ramp(0.12 + 0.62 * pleat, _VELVET)
        return mix(
            color, mix(hex_color("#7a4c14"), hex_color("#f0cf86"), pleat), step(0.9, 0.92, v)
        )

    return [surface(point, (44, 70), paint, gloss=0.1, velvet=0.6)]
