"""Blending: front to back over each tile, one vector of eight pixels a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.core.simd import (
    exp2,
    fill,
    lanes,
    load,
    maximum,
    minimum,
    negative_magnitude,
    prefetch,
    select_greater,
    store,
    which_greater,
)
from polyorama.render.cpu.bin import TILE_HEIGHT, TILE_WIDTH
from polyorama.render.cpu.project import RECORD

__all__ = ["FLOOR", "OPAQUE", "VISIBLE", "buffer_planes", "draw_full", "draw_picture"]

VISIBLE = -7.994353436858858
"""log2(1/255): below this exponent a splat does not show."""

FLOOR = -40.0
"""Exponents are held above this, so that no denormal number can arise."""

OPAQUE = 1e-4
"""Transmittance at or below which a pixel takes no further splat."""

_AHEAD = 4
"""How many pairs ahead of use a splat's record is asked for."""

_PLANE = TILE_HEIGHT * TILE_WIDTH


def buffer_planes(full: bool, channels: int) -> int:
    """Floats of a tile's buffer, for `carried`."""
    return (6 + channels if full else 4) * _PLANE


def _make_draw(full: bool) -> Any:
    """Compile the blending loop; `full` adds depth, ids and feature channels.

    A tile's accumulators lie in one buffer, plane after plane: transmittance, red, green, blue
    and, when `full`, weighted depth, the place in the tile's list of the splat that sets median
    depth and id, features. Transmittance turns negative (its magnitude kept) when the next splat
    would bring it to 1e-4 or below: that pixel is done.

    A picture with very many pairs is drawn in slabs of depth, to bound memory. Then `carried`
    (tiles, planes * pixels) keeps the buffers from slab to slab, and `done` (tiles,) says which
    tiles take nothing more; else `carried` is empty. Pictures are written in the last slab.
    """

    @kernel
    def draw(
        start, stop, tiles_x, width, height, starts, lists, records, splat_ids, features,
        alpha_cap, background, opaque, counting, rgba8, color, alpha, depth, median, ids, blended,
        carried, done, first_slab, last_slab,
    ):  # fmt: skip
        channels = features.shape[1]
        planes = 6 + channels if full else 4
        real = records.dtype.type
        nothing, everything, middle, limit = real(0.0), real(1.0), real(0.5), real(255.0)
        buffer = np.empty(planes * _PLANE, records.dtype)
        evaluated, needed = 0, 0
        x_lanes = lanes(records) + middle
        zero, half = fill(records, 0.0), fill(records, 0.5)
        cap, visible = fill(records, alpha_cap), fill(records, VISIBLE)
        floor, opaque_at = fill(records, FLOOR), fill(records, OPAQUE)
        for tile in range(start, stop):
            left = (tile % tiles_x) * TILE_WIDTH
            top = (tile // tiles_x) * TILE_HEIGHT
            rows = min(TILE_HEIGHT, height - top)
            columns = min(TILE_WIDTH, width - left)
            if first_slab:
                buffer[:_PLANE] = everything
                buffer[_PLANE:] = nothing
                for row in range(rows):
                    for column in range(columns, TILE_WIDTH):
                        # Beyond the picture: done from the start.
                        buffer[row * TILE_WIDTH + column] = -everything
            else:
                buffer[:] = carried[tile]
            if full:
                buffer[5 * _PLANE : 6 * _PLANE] = -everything
            live = (1 << rows) - 1
            xs = x_lanes + real(left)
            begin, end = starts[tile], starts[tile + 1]
            for p in range(begin, end):
                pair = np.int64(lists[p])
                ahead = (np.int64(lists[min(p + _AHEAD, end - 1)]) >> 16) * RECORD
                prefetch(records, ahead)
                first, last = (pair >> 8) & 255, pair & 255
                if (live >> first) & ((2 << (last - first)) - 1) == 0:
                    continue
                slot = pair >> 16
                dx = records[slot, 0] - xs
                strongest = fill(records, records[slot, 5])
                in_x = strongest - records[slot, 2] * dx * dx
                b, c = records[slot, 3], records[slot, 4]
                dy = records[slot, 1] - real(top + first) - middle
                for row in range(first, last + 1):
                    line, slope = c * dy * dy, b * dy
                    dy -= everything
                    if (live >> row) & 1 == 0:
                        continue
                    exponent = (in_x - line) - slope * dx
                    # Rounding may lift the exponent of a needle above its peak.
                    exponent = maximum(minimum(exponent, strongest), floor)
                    a = minimum(exp2(exponent), cap)
                    a = select_greater(visible, exponent, zero, a)
                    at = row * TILE_WIDTH
                    before = load(buffer, at)
                    taken = a * before
                    after = before - taken
                    weight = select_greater(after, opaque_at, taken, zero)
                    store(
                        buffer, at,
                        select_greater(after, opaque_at, after, negative_magnitude(before)),
                    )  # fmt: skip
                    at += _PLANE
                    store(buffer, at, load(buffer, at) + weight * records[slot, 6])
                    at += _PLANE
                    store(buffer, at, load(buffer, at) + weight * records[slot, 7])
                    at += _PLANE
                    store(buffer, at, load(buffer, at) + weight * records[slot, 8])
                    if full:
                        at += _PLANE
                        store(buffer, at, load(buffer, at) + weight * records[slot, 9])
                        # The last splat hit while more than half of the light passes.
                        hit = select_greater(before, half, weight, zero)
                        place = fill(records, real(p - begin))
                        at += _PLANE
                        store(buffer, at, select_greater(hit, zero, place, load(buffer, at)))
                        for channel in range(channels):
                            at += _PLANE
                            feature = features[splat_ids[slot], channel]
                            store(buffer, at, load(buffer, at) + weight * feature)
                    evaluated += TILE_WIDTH
                    if counting:
                        hits = which_greater(weight, zero)
                        while hits:
                            needed += 1
                            hits &= hits - 1
                    if which_greater(after, opaque_at) == 0:
                        live &= ~(1 << row)
                if live == 0:
                    break
            if full:
                for at in range(_PLANE):
                    place = np.int64(buffer[at + 5 * _PLANE])
                    if place >= 0:
                        slot = np.int64(lists[begin + place]) >> 16
                        x, y = left + at % TILE_WIDTH, top + at // TILE_WIDTH
                        if x < width and y < height:
                            median[y, x] = records[slot, 9]
                            ids[y, x] = splat_ids[slot]
            if carried.size:
                carried[tile] = buffer
                done[tile] = live == 0
            if not last_slab:
                continue
            for row in range(rows):
                y = top + row
                for column in range(columns):
                    x, at = left + column, row * TILE_WIDTH + column
                    t = abs(buffer[at])
                    red = buffer[at + _PLANE] + t * background[0]
                    green = buffer[at + 2 * _PLANE] + t * background[1]
                    blue = buffer[at + 3 * _PLANE] + t * background[2]
                    cover = everything if opaque else everything - t
                    if rgba8.size:
                        rgba8[y, x, 0] = np.uint8(min(red * limit, limit) + middle)
                        rgba8[y, x, 1] = np.uint8(min(green * limit, limit) + middle)
                        rgba8[y, x, 2] = np.uint8(min(blue * limit, limit) + middle)
                        rgba8[y, x, 3] = np.uint8(cover * limit + middle)
                    if color.size:
                        color[y, x, 0] = red
                        color[y, x, 1] = green
                        color[y, x, 2] = blue
                        color[y, x, 3] = cover
                    if full:
                        alpha[y, x] = everything - t
                        depth[y, x] = buffer[at + 4 * _PLANE]
                        for channel in range(channels):
                            blended[y, x, channel] = buffer[at + (6 + channel) * _PLANE]
        return evaluated, needed

    return draw


draw_picture = _make_draw(full=False)
"""The blending loop for colour alone."""

draw_full = _make_draw(full=True)
"""The blending loop for colour, depth, ids and features; its depth is sum(w z), not divided."""
