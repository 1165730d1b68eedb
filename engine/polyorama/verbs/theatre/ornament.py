"""Carved ornament: outlines of scrolls, rosettes and rays, and gold relief made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.verbs.theatre.paint import blurred, hex_color, mix, noise, step
from polyorama.verbs.theatre.sheets import Sheet, board

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polyorama.verbs.theatre.paint import Canvas

__all__ = ["relief", "rosette", "scroll", "star", "stroke", "sunburst"]

Array = Any


def stroke(line: ArrayLike, widths: ArrayLike) -> Array:
    """Outline (2N, 2) of a brush stroke along `line` (N, 2) with a half width at each point."""
    p = np.asarray(line, np.float64)
    along = np.gradient(p, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    side = np.column_stack([-along[:, 1], along[:, 0]]) * np.asarray(widths)[:, None]
    return np.concatenate([p + side, (p - side)[::-1]])


def scroll(center: tuple[float, float], size: float, turn: float, side: int) -> list[Array]:
    """Outlines of an acanthus scroll: a spiral stem that thickens, with leaves on its outside."""
    t = np.linspace(0.0, 1.0, 90)
    angle = turn + t * 2.3 * 2 * np.pi * 0.8
    radius = size * (0.08 + 0.92 * t**1.3)
    x = center[0] + side * radius * np.cos(angle)
    y = center[1] + radius * np.sin(angle)
    line = np.column_stack([x, y])
    outlines = [stroke(line, size * (0.05 + 0.1 * np.sin(np.pi * t) ** 0.7 * (1 - 0.35 * t)))]
    dot = np.linspace(0, 2 * np.pi, 24)
    outlines.append(
        np.column_stack(
            [line[0, 0] + size * 0.13 * np.cos(dot), line[0, 1] + size * 0.13 * np.sin(dot)]
        )
    )
    for i in range(5):
        k = round((0.42 + 0.56 * i / 5) * 89)
        out = line[k] - np.asarray(center)
        out /= np.linalg.norm(out)
        ahead = line[min(k + 2, 89)] - line[k - 2]
        ahead /= np.linalg.norm(ahead)
        s = np.linspace(0, 1, 20)[:, None]
        reach = size * (0.34 + 0.16 * (i % 2))
        leaf = line[k] + reach * (s * (0.75 * out + 0.65 * ahead) - 0.35 * s**2 * out)
        outlines.append(stroke(leaf, size * 0.1 * np.sin(np.pi * np.linspace(0.12, 1, 20)) ** 0.8))
    return outlines


def rosette(center: tuple[float, float], size: float) -> list[Array]:
    """Outlines of a round flower."""
    outlines = []
    for i in range(8):
        a = 2 * np.pi * i / 8
        s = np.linspace(0.28, 1.0, 16)
        line = np.column_stack([center[0] + size * s * np.cos(a), center[1] + size * s * np.sin(a)])
        outlines.append(stroke(line, size * 0.2 * np.sin(np.pi * np.linspace(0.1, 1, 16)) ** 0.6))
    t = np.linspace(0, 2 * np.pi, 30)
    outlines.append(
        np.column_stack([center[0] + 0.22 * size * np.cos(t), center[1] + 0.22 * size * np.sin(t)])
    )
    return outlines


def sunburst(center: tuple[float, float], inner: float, outer: float, rays: int) -> list[Array]:
    """Outlines of rays, straight ones and waving ones in turn."""
    outlines = []
    for i in range(rays):
        a = 2 * np.pi * i / rays + np.pi / 2
        s = np.linspace(0, 1, 30)
        reach = outer if i % 2 == 0 else 0.84 * outer
        wave = 0.03 * np.sin(s * 2 * np.pi) * (i % 2)
        r = inner * 0.8 + s * (reach - inner * 0.8)
        line = np.column_stack(
            [
                center[0] + r * np.cos(a) - wave * np.sin(a),
                center[1] + r * np.sin(a) + wave * np.cos(a),
            ]
        )
        outlines.append(stroke(line, 0.026 * (1 - s) ** 0.8 + 0.0015))
    return outlines


def star(center: tuple[float, float], radius: float, points: int = 5, inner: float = 0.42) -> Array:
    """Outline of a star."""
    a = np.pi / 2 + np.pi * np.arange(2 * points) / points
    r = radius * np.where(np.arange(2 * points) % 2 == 0, 1.0, inner)
    return np.column_stack([center[0] + r * np.cos(a), center[1] + r * np.sin(a)])


def relief(canvas: Canvas, z: float, height: float, color: Array, **more: Any) -> Sheet:
    """Gold on a flat ground: what the canvas covers stands out, rounded at its edges."""
    cell = (canvas.high[0] - canvas.low[0]) / canvas.width
    soft = blurred(canvas.mask, 0.009 / cell)
    raised = height * np.sqrt(np.clip(soft * 1.15 - 0.25, 0.0, 1.0))
    gilt = np.broadcast_to(mix(color, hex_color("#e9c26e"), 0.4), (*soft.shape, 3))
    gilt = mix(gilt, hex_color("#5f3a12"), 0.7 * step(0.75, 0.4, soft))
    points = board(gilt, canvas.low, canvas.high, z).points
    points[..., 2] += raised
    grain = 0.12 * noise(canvas.x * 30, canvas.y * 30, 6)
    return Sheet(
        points, gilt, mask=canvas.mask, gloss=0.7, metal=True, casts=False, grain=grain, **more
    )
