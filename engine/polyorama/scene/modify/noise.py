"""Smooth noise by hashing: a flow that changes in time and has hardly any sources or sinks.

Three potentials are values hashed at the corners of a lattice in space and time, blended by the
quintic 6 t^5 - 15 t^4 + 10 t^3; the flow v is their curl, so that its divergence is 0. It is then
drawn in to v / sqrt(1 + |v|^2), which is never longer than 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polyorama.core.compile import kernel

__all__ = ["FLOW", "flow"]

FLOW = 0.75
"""Factor of the curl, so that most of the flow is of length 0.5 to 0.9."""

_X = np.uint64(0x9E3779B97F4A7C15)
_Y = np.uint64(0xC2B2AE3D27D4EB4F)
_Z = np.uint64(0x165667B19E3779F9)
_T = np.uint64(0xD6E8FEB86659FD93)
_SEED = np.uint64(0xA0761D6478BD642F)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
_BITS = np.uint64(21)
_LOW = np.uint64((1 << 21) - 1)
_FAR = 2.0**50
"""Beyond it a lattice has no cells that float64 could tell apart."""


@kernel
def _fade(t: float) -> float:
    return float(t * t * t * (t * (t * 6.0 - 15.0) + 10.0))


@kernel
def _slope(t: float) -> float:
    return float(30.0 * t * t * (t - 1.0) * (t - 1.0))


@kernel
def _mixed(h: Any) -> Any:
    """Every bit of the result depends on every bit of a uint64."""
    h = (h ^ (h >> _SHIFT)) * _MIX_1
    h = (h ^ (h >> _SHIFT)) * _MIX_2
    return h ^ (h >> _SHIFT)


@kernel
def flow(x: float, y: float, z: float, t: float, seed: int, out: Any) -> None:
    """Flow at a point of the lattice and a time, into `out` (3,); at most 1 long.

    One step of the lattice is half a wave. Where there is no such point (NaN, or too far out) the
    flow is 0.
    """
    out[0] = out[1] = out[2] = 0.0
    if not (abs(x) < _FAR and abs(y) < _FAR and abs(z) < _FAR and abs(t) < _FAR):
        return
    fx, fy, fz, ft = np.floor(x), np.floor(y), np.floor(z), np.floor(t)
    hx, hy = np.uint64(np.int64(fx)) * _X, np.uint64(np.int64(fy)) * _Y
    hz, ht = np.uint64(np.int64(fz)) * _Z, np.uint64(np.int64(ft)) * _T
    base = np.uint64(seed) * _SEED
    x, y, z, t = x - fx, y - fy, z - fz, t - ft
    times = 1 if t == 0.0 else 2
    for d in range(times):
        wt = _fade(t) if d else 1.0 - _fade(t)
        for c in range(2):
            wz = _fade(z) if c else 1.0 - _fade(z)
            dz = _slope(z) if c else -_slope(z)
            for b in range(2):
                wy = _fade(y) if b else 1.0 - _fade(y)
                dy = _slope(y) if b else -_slope(y)
                row = base ^ (hy + np.uint64(b) * _Y) ^ (hz + np.uint64(c) * _Z)
                row ^= ht + np.uint64(d) * _T
                for a in range(2):
                    wx = _fade(x) if a else 1.0 - _fade(x)
                    dx = _slope(x) if a else -_slope(x)
                    h = _mixed(row ^ (hx + np.uint64(a) * _X))
                    # Three numbers from -1 to 1: the potentials at this corner.
                    p = np.float64(np.int64(h & _LOW)) / 1048576.0 - 1.0
                    q = np.float64(np.int64((h >> _BITS) & _LOW)) / 1048576.0 - 1.0
                    r = np.float64(np.int64((h >> (_BITS + _BITS)) & _LOW)) / 1048576.0 - 1.0
                    gx, gy, gz = wt * dx * wy * wz, wt * wx * dy * wz, wt * wx * wy * dz
                    out[0] += gy * r - gz * q
                    out[1] += gz * p - gx * r
                    out[2] += gx * q - gy * p
    u, v, w = FLOW * out[0], FLOW * out[1], FLOW * out[2]
    inward = 1.0 / np.sqrt(1.0 + u * u + v * v + w * w)
    out[0], out[1], out[2] = u * inward, v * inward, w * inward
