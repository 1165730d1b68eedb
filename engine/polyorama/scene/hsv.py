"""Hue, saturation and value, compiled."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel

__all__ = ["fill_hsv"]


@kernel
def fill_hsv(colors, out):
    """Write hue in degrees 0..360, saturation and value of (N, 3) RGB, clamped to 0..1."""
    zero, one, two, four = np.float32(0.0), np.float32(1.0), np.float32(2.0), np.float32(4.0)
    sixty, turn = np.float32(60.0), np.float32(360.0)
    for i in range(len(colors)):
        red, green, blue = colors[i, 0], colors[i, 1], colors[i, 2]
        if red != red or green != green or blue != blue:
            out[i, 0] = out[i, 1] = out[i, 2] = np.float32(np.nan)
            continue
        r = min(max(red, zero), one)
        g = min(max(green, zero), one)
        b = min(max(blue, zero), one)
        value = max(r, max(g, b))
        chroma = value - min(r, min(g, b))
        hue = zero
        if chroma > zero:
            if value == r:
                hue = sixty * (g - b) / chroma
                if hue < zero:
                    hue += turn
            elif value == g:
                hue = sixty * ((b - r) / chroma + two)
            else:
                hue = sixty * ((r - g) / chroma + four)
        out[i, 0] = hue
        out[i, 1] = chroma / value if value > zero else zero
        out[i, 2] = value
