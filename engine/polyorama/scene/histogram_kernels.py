"""Kernels that count splats by what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.scene.modify.step import DELETED, HIDDEN, SELECTED

__all__ = [
    "count_pairs", "count_places", "extent", "place_by_ratio", "place_evenly", "seen_colors",
    "seen_depth",
]  # fmt: skip

_GONE = DELETED | HIDDEN
_DC = np.float32(0.28209479177387814)
_ONE = np.float32(0.4886025119029199)
_TWO = (
    np.float32(1.0925484305920792), np.float32(0.31539156525252005),
    np.float32(0.5462742152960396),
)  # fmt: skip
_THREE = (
    np.float32(0.5900435899266435), np.float32(2.890611442640554), np.float32(0.4570457994644658),
    np.float32(0.3731763325901154), np.float32(1.445305721320277),
)  # fmt: skip


@kernel
def extent(start: int, stop: int, values: Any, state: Any, logarithmic: bool) -> tuple[Any, Any]:
    """Least and greatest finite value of what is there; above 0 where it goes by logarithms."""
    low, high = np.inf, -np.inf
    for i in range(start, stop):
        if len(state) and state[i] & _GONE:
            continue
        value = values[i]
        if not np.isfinite(value) or (logarithmic and value <= 0.0):
            continue
        low, high = min(low, value), max(high, value)
    return low, high


@kernel
def place_evenly(values: Any, low: float, scale: float, bins: int, out: Any) -> None:
    """The bins of values: `bins` where one lies below, one more above, two where it is none."""
    for i in range(len(values)):
        value = values[i]
        place = (np.float64(value) - low) * scale
        if 0.0 <= place < bins:  # first, since nearly all are
            out[i] = int(place)
        elif not np.isfinite(value):
            out[i] = bins + 2
        elif place < 0.0:
            out[i] = bins
        else:
            # What rounding puts a hair above the last edge belongs to the last bin.
            out[i] = bins - 1 if place <= bins * (1.0 + 1e-12) else bins + 1


@kernel
def place_by_ratio(values: Any, words: Any, edges: Any, table: Any, out: Any) -> None:
    """As `place_evenly`, for edges that are even in the logarithm.

    `words` are the values' bits; the table knows the bin in which numbers begin whose first 16 bits
    agree, the edges tell the rest.
    """
    bins = len(edges) - 1
    low, high = edges[0], edges[bins]
    for i in range(len(values)):
        value = values[i]
        if low <= value <= high:
            at = np.int64(table[words[i] >> np.uint32(15)])
            while at < bins - 1 and value >= edges[at + 1]:
                at += 1
            out[i] = at
        elif not (value > 0.0 and np.isfinite(value)):
            out[i] = bins + 2
        else:
            out[i] = bins if value < low else bins + 1


@kernel
def count_places(places: Any, state: Any, counts: Any) -> None:
    """Add to (3, bins + 3) counts: of what is not selected, of what is, and of what is gone."""
    for i in range(len(places)):
        row = np.uint64(0)
        if len(state):  # no branches on bits that are as random as a picked region
            gone = np.uint64((state[i] & _GONE) != 0)
            row = max(np.uint64(2) * gone, np.uint64(state[i] & SELECTED))
        counts[row, np.uint64(places[i])] += np.uint32(1)


@kernel
def count_pairs(across: Any, up: Any, state: Any, counts: Any) -> None:
    """Add to (3, bins, bins) counts, row 0 of each the lowest; otherwise as `count_places`."""
    bins = counts.shape[1]
    for i in range(len(across)):
        if across[i] >= bins or up[i] >= bins:
            continue
        row = np.uint64(0)
        if len(state):
            gone = np.uint64((state[i] & _GONE) != 0)
            row = max(np.uint64(2) * gone, np.uint64(state[i] & SELECTED))
        counts[row, np.uint64(up[i]), np.uint64(across[i])] += np.uint32(1)


@kernel
def seen_depth(start: int, stop: int, means: Any, rows: Any, index: Any, out: Any) -> None:
    """Depth along the view: `rows` (P, 4) is that row of the view for each map of the palette."""
    for i in range(start, stop):
        p = index[i] if len(index) else np.uint16(0)
        out[i] = np.float32(
            rows[p, 0] * means[i, 0]
            + rows[p, 1] * means[i, 1]
            + rows[p, 2] * means[i, 2]
            + rows[p, 3]
        )


@kernel
def seen_colors(
    start: int, stop: int, means: Any, sh: Any, maps: Any, turns: Any, index: Any, eye: Any,
    parallel: bool, out: Any,
) -> None:  # fmt: skip
    """Colours as an eye sees them, not below 0; for parallel views `eye` is their direction.

    `maps` (P, 3, 4) places splats in the world, `turns` (P, 3, 3) leads directions of the world
    back to where the harmonics are.
    """
    bands = sh.shape[1]
    y = np.empty(16, np.float32)
    y[0] = _DC
    for i in range(start, stop):
        p = index[i] if len(index) else np.uint16(0)
        dx, dy, dz = eye[0], eye[1], eye[2]
        if not parallel:
            mx, my, mz = means[i, 0], means[i, 1], means[i, 2]
            dx = maps[p, 0, 0] * mx + maps[p, 0, 1] * my + maps[p, 0, 2] * mz + maps[p, 0, 3] - dx
            dy = maps[p, 1, 0] * mx + maps[p, 1, 1] * my + maps[p, 1, 2] * mz + maps[p, 1, 3] - dy
            dz = maps[p, 2, 0] * mx + maps[p, 2, 1] * my + maps[p, 2, 2] * mz + maps[p, 2, 3] - dz
        if bands > 1:
            length = np.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz = dx / length, dy / length, dz / length
            a = np.float32(turns[p, 0, 0] * dx + turns[p, 0, 1] * dy + turns[p, 0, 2] * dz)
            b = np.float32(turns[p, 1, 0] * dx + turns[p, 1, 1] * dy + turns[p, 1, 2] * dz)
            c = np.float32(turns[p, 2, 0] * dx + turns[p, 2, 1] * dy + turns[p, 2, 2] * dz)
            _basis(a, b, c, bands, y)
        for channel in range(3):
            total = np.float32(0.5)
            for k in range(bands):
                total += y[k] * sh[i, k, channel]
            out[i, channel] = max(total, np.float32(0.0))


@kernel
def _basis(x: Any, y: Any, z: Any, bands: int, out: Any) -> None:
    """The harmonics of `polyorama.scene.sh.basis`, from the second on."""
    out[1], out[2], out[3] = -_ONE * y, _ONE * z, -_ONE * x
    if bands < 9:
        return
    xx, yy, zz = x * x, y * y, z * z
    three = np.float32(3.0)
    out[4] = _TWO[0] * x * y
    out[5] = -_TWO[0] * y * z
    out[6] = _TWO[1] * (zz + zz - xx - yy)
    out[7] = -_TWO[0] * x * z
    out[8] = _TWO[2] * (xx - yy)
    if bands < 16:
        return
    four = np.float32(4.0)
    out[9] = -_THREE[0] * y * (three * xx - yy)
    out[10] = _THREE[1] * x * y * z
    out[11] = -_THREE[2] * y * (four * zz - xx - yy)
    out[12] = _THREE[3] * z * (zz + zz - three * xx - three * yy)
    out[13] = -_THREE[2] * x * (four * zz - xx - yy)
    out[14] = _THREE[4] * z * (xx - yy)
    out[15] = -_THREE[0] * x * (xx - three * yy)
