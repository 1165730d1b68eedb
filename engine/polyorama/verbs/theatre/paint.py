"""Brushes: noise, gradients and shapes on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image, ImageDraw

from polyorama.core.color import linear_from_display

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = [
    "Canvas", "blurred", "fbm", "hex_color", "hex_light", "mix", "noise", "ramp", "step",
]  # fmt: skip

Array = Any
"""A float64 array; shapes are given where it is used."""


def hex_color(text: str) -> Array:
    """(3,) float64 display RGB of "#rrggbb"."""
    return np.array([int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])


def hex_light(text: str) -> Array:
    """(3,) float64 linear RGB of "#rrggbb"."""
    return linear_from_display(hex_color(text))


def step(low: float, high: float, x: ArrayLike) -> Array:
    """Smooth step from 0 at `low` to 1 at `high`."""
    t = np.clip((np.asarray(x, np.float64) - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def mix(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """From colour `a` to colour `b`; `t` has one axis less than a picture."""
    weight = np.asarray(t, np.float64)[..., None]
    return np.asarray(a, np.float64) * (1.0 - weight) + np.asarray(b, np.float64) * weight


def ramp(x: ArrayLike, stops: Sequence[tuple[float, str]]) -> Array:
    """Colours (..., 3) along a ramp of (position, "#rrggbb") stops."""
    at = [position for position, _ in stops]
    colors = np.array([hex_color(color) for _, color in stops])
    values = np.asarray(x, np.float64)
    return np.stack([np.interp(values, at, colors[:, i]) for i in range(3)], axis=-1)


def noise(x: ArrayLike, y: ArrayLike, seed: int = 0) -> Array:
    """Smooth value noise in -1..1 with features of about one unit."""
    xa, ya = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    xi, yi = np.floor(xa), np.floor(ya)
    fx, fy = xa - xi, ya - yi
    fx, fy = fx * fx * fx * (fx * (fx * 6 - 15) + 10), fy * fy * fy * (fy * (fy * 6 - 15) + 10)

    def corner(dx: int, dy: int) -> Array:
        ix = (xi + dx).astype(np.int64).astype(np.uint64)
        iy = (yi + dy).astype(np.int64).astype(np.uint64)
        with np.errstate(over="ignore"):
            h = ix * np.uint64(0x9E3779B97F4A7C15) ^ iy * np.uint64(0xC2B2AE3D27D4EB4F)
            h = (h + np.uint64(seed * 2 + 1) * np.uint64(0x165667B19E3779F9)) & np.uint64(2**64 - 1)
            h ^= h >> np.uint64(29)
            h *= np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(32)
        return (h >> np.uint64(11)).astype(np.float64) / 2.0**52 - 1.0

    top = corner(0, 0) * (1 - fx) + corner(1, 0) * fx
    bottom = corner(0, 1) * (1 - fx) + corner(1, 1) * fx
    return top * (1 - fy) + bottom * fy


def fbm(x: ArrayLike, y: ArrayLike, seed: int = 0, octaves: int = 4) -> Array:
    """Several octaves of `noise`, about -1..1."""
    total: Array = 0.0
    weight, norm = 1.0, 0.0
    for i in range(octaves):
        scale = 2.0**i
        total = total + weight * noise(np.asarray(x) * scale, np.asarray(y) * scale, seed + 31 * i)
        norm += weight
        weight *= 0.5
    return total / norm


def blurred(picture: Array, radius: float) -> Array:
    """A picture (H, W) or (H, W, 3) after a Gaussian blur of `radius` cells; edges are repeated."""
    reach = int(np.ceil(2.6 * radius))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / radius) ** 2)
    taps /= taps.sum()
    out = np.asarray(picture, np.float64)
    for axis in (0, 1):
        size = out.shape[axis]
        pad = [(0, 0)] * out.ndim
        pad[axis] = (reach, reach)
        wide = np.pad(out, pad, mode="edge")
        out = np.zeros_like(out)
        for i, weight in enumerate(taps):
            window = wide[i : i + size] if axis == 0 else wide[:, i : i + size]
            out += weight * window
    return out


class Canvas:
    """A rectangle of the stage on which shapes are painted, in stage units, edges smoothed."""

    def __init__(
        self, low: tuple[float, float], high: tuple[float, float], step: float = 0.004
    ) -> None:
        self.low, self.high = low, high
        self.width = round((high[0] - low[0]) / step)
        self.height = round((high[1] - low[1]) / step)
        self.x, self.y = np.meshgrid(
            low[0] + (np.arange(self.width) + 0.5) / self.width * (high[0] - low[0]),
            high[1] - (np.arange(self.height) + 0.5) / self.height * (high[1] - low[1]),
        )
        self.color = np.zeros((self.height, self.width, 3))
        self.mask = np.zeros((self.height, self.width))
        self.glow = np.zeros((self.height, self.width, 3))

    def polygon(self, points: ArrayLike) -> Array:
        """Coverage (H, W) of a filled polygon of stage points (N, 2)."""
        return self._cover(np.asarray(points, np.float64), 0.0)

    def line(self, points: ArrayLike, width: float) -> Array:
        """Coverage (H, W) of a polyline through (N, 2), `width` stage units wide."""
        return self._cover(np.asarray(points, np.float64), width)

    def _cover(self, points: Array, width: float) -> Array:
        """Draw at three times the size, only as large as the shape, and average down."""
        cover = np.zeros((self.height, self.width))
        cell_x = (self.high[0] - self.low[0]) / self.width
        cell_y = (self.high[1] - self.low[1]) / self.height
        x = (points[:, 0] - self.low[0]) / cell_x
        y = (self.high[1] - points[:, 1]) / cell_y
        reach = width / cell_x + 1
        j0, j1 = max(0, int(x.min() - reach)), min(self.width, int(x.max() + reach) + 2)
        i0, i1 = max(0, int(y.min() - reach)), min(self.height, int(y.max() + reach) + 2)
        if i1 <= i0 or j1 <= j0:
            return cover
        big = Image.new("L", ((j1 - j0) * 3, (i1 - i0) * 3), 0)
        pen = ImageDraw.Draw(big)
        place = list(zip((x - j0) * 3, (y - i0) * 3, strict=True))
        if width > 0:
            pen.line(place, fill=255, width=max(1, round(3 * width / cell_x)), joint="curve")
        else:
            pen.polygon(place, fill=255)
        small = big.resize((j1 - j0, i1 - i0), Image.Resampling.BOX)
        cover[i0:i1, j0:j1] = np.asarray(small, np.float64) / 255.0
        return cover

    def lay(self, coverage: Array, color: ArrayLike) -> None:
        """Lay a colour, or a picture of colours, over what is there, and paper under it."""
        window = _mix_into(self.color, coverage, color)
        self.mask[window] = np.maximum(self.mask[window], coverage[window])
        self.glow[window] *= 1.0 - coverage[window][..., None]

    def tint(self, coverage: Array, color: ArrayLike) -> None:
        """Paint only where there is paper already."""
        _mix_into(self.color, coverage, color)

    def light(self, coverage: Array, light: ArrayLike) -> None:
        """Let a part send out linear light."""
        _mix_into(self.glow, coverage, light)


def _mix_into(target: Array, coverage: Array, color: ArrayLike) -> tuple[slice, slice]:
    """Mix a colour in where there is coverage; the window of rows and columns that it touched."""
    rows = np.flatnonzero(coverage.any(axis=1))
    columns = np.flatnonzero(coverage.any(axis=0))
    if len(rows) == 0:
        return slice(0, 0), slice(0, 0)
    window = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    paint = np.broadcast_to(np.asarray(color, np.float64), target.shape)
    target[window] = mix(target[window], paint[window], coverage[window])
    return window
