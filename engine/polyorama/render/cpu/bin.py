"""Which splat touches which tile, and which of its rows: exact strips of ellipses."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel
from polyorama.core.simd import prefetch
from polyorama.render.cpu.project import RECORD

__all__ = ["TILE_HEIGHT", "TILE_WIDTH", "count_boxes", "distribute", "find_pairs"]

TILE_WIDTH = 8
"""Pixels of a tile from left to right: one vector."""

TILE_HEIGHT = 32
"""Pixels of a tile from top to bottom; at most 62, since its live rows are bits of an int64."""

_AHEAD = 16
"""How many splats ahead of use a record is asked for."""

_SLACK = 0.01
"""Pixels by which strips are widened, so that rounding can only add rows."""


@kernel
def find_pairs(
    start, stop, order, records, width, height, tiles_x, done, pairs, tiles, counts, runs
):
    """List the (splat, tile) pairs of a range of depth-sorted splats, in that order.

    A tile is one vector wide. For each tile column that the ellipse {exponent >= log2(1/255)}
    reaches, the least and greatest y over the column's pixel centres follow in closed form from
    the ellipse's upper and lower arc, so only rows that hold visible pixels are listed.

    Parameters
    ----------
    start, stop, order
        Range of the (n,) int32 depth-sorted slots.
    records
        Projected splats (see `project.RECORD`).
    width, height, tiles_x
        Picture size, and tiles from left to right.
    done
        (tiles,) uint8: where not 0, the tile is opaque already and takes no pairs.
    pairs
        uint64, written: slot << 16 | first row << 8 | last row, rows within the tile.
    tiles
        int32, written: the tile of each pair.
    counts
        (tiles,) int32, written: pairs per tile in this range.
    runs
        (n + 1,) int64 or empty, written: where a splat's pairs begin, counted from this range's
        first.

    Returns
    -------
    How many pairs there are; when it is more than the arrays hold, they are incomplete.
    """
    counts[:] = 0
    found = 0
    room = pairs.size
    real = records.dtype.type
    half, two, four, nothing, tiny = real(0.5), real(2.0), real(4.0), real(0.0), real(1e-30)
    slack, wide, high = real(_SLACK), real(width), real(height)
    span = real(TILE_WIDTH - 1)
    for i in range(start, stop):
        slot = order[i]
        if runs.size:
            runs[i] = found
        # Depth order jumps about in memory: ask for the records to come.
        ahead = np.int64(order[min(i + _AHEAD, stop - 1)]) * RECORD
        prefetch(records, ahead)
        prefetch(records, ahead + RECORD - 1)
        u, v = records[slot, 0], records[slot, 1]
        a, b, c = records[slot, 2], records[slot, 3], records[slot, 4]
        half_width, half_height = records[slot, 10] + slack, records[slot, 11] + slack
        first_x = max(0, int(np.ceil(max(u - half_width - half, nothing))))
        last_x = min(width - 1, int(np.floor(min(u + half_width - half, wide))))
        first_y = max(0, int(np.ceil(max(v - half_height - half, nothing))))
        last_y = min(height - 1, int(np.floor(min(v + half_height - half, high))))
        if first_x > last_x or first_y > last_y:
            continue
        # a dx^2 + b dx dy + c dy^2 = k has dy = (-b dx +- sqrt(4 c k - det dx^2)) / (2 c).
        det = max(four * a * c - b * b, tiny)
        root_scale = det / (four * c * c)
        slope = -b / (two * c)
        reach = half_width * half_width  # = 4 c k / det
        top = -b * half_height / (two * a)  # dx where the upper arc is highest
        for column in range(first_x // TILE_WIDTH, last_x // TILE_WIDTH + 1):
            left = real(column * TILE_WIDTH) + half - u
            right = left + span
            at = min(max(top, left), right)
            upper = slope * at + np.sqrt(max(root_scale * (reach - at * at), nothing))
            at = min(max(-top, left), right)
            lower = slope * at - np.sqrt(max(root_scale * (reach - at * at), nothing))
            row_0 = max(first_y, int(np.ceil(max(v + lower - half - slack, nothing))))
            row_1 = min(last_y, int(np.floor(min(v + upper - half + slack, high))))
            if row_0 > row_1:
                continue
            for line in range(row_0 // TILE_HEIGHT, row_1 // TILE_HEIGHT + 1):
                tile = line * tiles_x + column
                if done[tile]:
                    continue
                if found < room:
                    y_0 = max(row_0 - line * TILE_HEIGHT, 0)
                    y_1 = min(row_1 - line * TILE_HEIGHT, TILE_HEIGHT - 1)
                    pairs[found] = np.uint64(slot) << np.uint64(16) | np.uint64(y_0 << 8 | y_1)
                    tiles[found] = tile
                    counts[tile] += 1
                found += 1
    return found


@kernel
def count_boxes(start, stop, order, records, width, height):
    """Upper bound of the pairs of a range of splats: the tiles of their boxes, added up."""
    bound = 0
    for i in range(start, stop):
        slot = order[i]
        u, v = records[slot, 0], records[slot, 1]
        half_width, half_height = records[slot, 10] + 1, records[slot, 11] + 1
        left, right = max(u - half_width, 0), min(u + half_width, width)
        top, bottom = max(v - half_height, 0), min(v + half_height, height)
        across = int(right) // TILE_WIDTH - int(left) // TILE_WIDTH + 1
        down = int(bottom) // TILE_HEIGHT - int(top) // TILE_HEIGHT + 1
        bound += max(across, 0) * max(down, 0)
    return bound


@kernel
def distribute(count, pairs, tiles, places, lists, origins, first):
    """Copy the `count` pairs of one range to their tiles' lists; `places` (tiles,) moves along.

    `origins`, where it is not empty, receives the pairs' own numbers, counted from `first`.
    """
    for i in range(count):
        tile = tiles[i]
        place = places[tile]
        places[tile] = place + 1
        lists[place] = pairs[i]
        if origins.size:
            origins[place] = first + i
