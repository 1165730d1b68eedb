"""Kernels that find the splats in a region."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel

__all__ = [
    "centers_in_volume", "centers_on_screen", "fill_polygon", "footprints", "paint_brush",
]  # fmt: skip


@kernel
def fill_polygon(points, mask):
    """Set the pixels whose centre an outline holds, by the even-odd rule, row by row."""
    height, width = mask.shape
    count = len(points)
    crossings = np.empty(count, np.float64)
    for row in range(height):
        y = row + 0.5
        found = 0
        for i in range(count):
            ax, ay = points[i, 0], points[i, 1]
            bx, by = points[(i + 1) % count, 0], points[(i + 1) % count, 1]
            if (ay <= y) != (by <= y):
                crossings[found] = ax + (y - ay) / (by - ay) * (bx - ax)
                found += 1
        if found == 0:
            continue
        crossings[:found].sort()
        for pair in range(0, found - 1, 2):
            first = max(0, int(np.ceil(crossings[pair] - 0.5)))
            last = min(width - 1, int(np.ceil(crossings[pair + 1] - 0.5)) - 1)
            for column in range(first, last + 1):
                mask[row, column] = 1


@kernel
def paint_brush(points, radius, mask):
    """Set the pixels whose centre lies within `radius` of a stroke."""
    height, width = mask.shape
    square = radius * radius
    for i in range(len(points)):
        ax, ay = points[i, 0], points[i, 1]
        j = min(i + 1, len(points) - 1)
        bx, by = points[j, 0], points[j, 1]
        dx, dy = bx - ax, by - ay
        length = dx * dx + dy * dy
        top = max(0, int(np.floor(min(ay, by) - radius)))
        bottom = min(height - 1, int(np.ceil(max(ay, by) + radius)))
        left = max(0, int(np.floor(min(ax, bx) - radius)))
        right = min(width - 1, int(np.ceil(max(ax, bx) + radius)))
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                px, py = column + 0.5 - ax, row + 0.5 - ay
                along = 0.0
                if length > 0.0:
                    along = min(max((px * dx + py * dy) / length, 0.0), 1.0)
                ox, oy = px - along * dx, py - along * dy
                if ox * ox + oy * oy <= square:
                    mask[row, column] = 1


@kernel
def centers_on_screen(
    start, stop, means, views, index, lens, mask, box, depth, reach, scales, packed
):
    """Bits of the splats whose centre falls on a set pixel, eight splats a byte.

    `views` (P, 12) are world-to-camera maps of palette entries, `lens` fx, fy, cx, cy, near, far
    and whether lines are parallel; `box` is left, top, right, bottom in pixels; `depth` the depth
    of the visible surface or an empty array.
    """
    fx, fy, cx, cy, near, far = lens[0], lens[1], lens[2], lens[3], lens[4], lens[5]
    parallel = lens[6] > 0.0
    one_view = index.size == 0
    plain, masked, shallow = mask.size == 0, mask.size > 0, depth.size > 0
    left, top, right, bottom = box[0], box[1], box[2], box[3]
    entry = 0
    for byte in range(start, stop):
        bits = 0
        for bit in range(min(8, len(means) - 8 * byte)):
            i = 8 * byte + bit
            if not one_view:
                entry = index[i]
            x, y, z = means[i, 0], means[i, 1], means[i, 2]
            c = views[entry, 8] * x + views[entry, 9] * y + views[entry, 10] * z + views[entry, 11]
            if not (near <= c <= far):
                continue
            a = views[entry, 0] * x + views[entry, 1] * y + views[entry, 2] * z + views[entry, 3]
            b = views[entry, 4] * x + views[entry, 5] * y + views[entry, 6] * z + views[entry, 7]
            if not parallel:
                inverse = np.float32(1.0) / c
                a *= inverse
                b *= inverse
            u, v = fx * a + cx, fy * b + cy
            if not (left <= u < right and top <= v < bottom):
                continue
            if plain and not shallow:
                bits |= 1 << bit
                continue
            column, row = int(u), int(v)
            if masked and mask[row, column] == 0:
                continue
            if shallow:
                surface = depth[row, column]
                size = max(scales[i, 0], max(scales[i, 1], scales[i, 2]))
                if surface <= 0.0 or c > surface * (np.float32(1.0) + reach) + size:
                    continue
            bits |= 1 << bit
        packed[byte] = bits


@kernel
def centers_in_volume(start, stop, means, maps, index, sphere, packed):
    """Bits of the splats inside the unit volume of `maps` (P, 12): |x| <= 1, or max |x| <= 1."""
    one_map = index.size == 0
    entry = 0
    for byte in range(start, stop):
        bits = 0
        for bit in range(min(8, len(means) - 8 * byte)):
            i = 8 * byte + bit
            if not one_map:
                entry = index[i]
            x, y, z = means[i, 0], means[i, 1], means[i, 2]
            a = maps[entry, 0] * x + maps[entry, 1] * y + maps[entry, 2] * z + maps[entry, 3]
            b = maps[entry, 4] * x + maps[entry, 5] * y + maps[entry, 6] * z + maps[entry, 7]
            c = maps[entry, 8] * x + maps[entry, 9] * y + maps[entry, 10] * z + maps[entry, 11]
            if sphere:
                inside = a * a + b * b + c * c <= 1.0
            else:
                inside = max(abs(a), max(abs(b), abs(c))) <= 1.0
            if inside:
                bits |= 1 << bit
        packed[byte] = bits


@kernel
def footprints(start, stop, slots, records, mask, sums, depth, reach, hit):
    """Which projected ellipses touch a set pixel: first by their box, then pixel by pixel."""
    height, width = mask.shape
    for n in range(start, stop):
        r = records[slots[n]]
        u, v, a, b, c, strength = r[0], r[1], r[2], r[3], r[4], r[5]
        left, right = max(0, int(np.floor(u - r[10]))), min(width - 1, int(np.floor(u + r[10])))
        top, bottom = max(0, int(np.floor(v - r[11]))), min(height - 1, int(np.floor(v + r[11])))
        if left > right or top > bottom:
            continue
        inside = sums[bottom + 1, right + 1] - sums[top, right + 1]
        inside -= sums[bottom + 1, left] - sums[top, left]
        if inside == 0:
            continue
        if depth.size > 0:
            row = min(max(int(v), 0), height - 1)
            column = min(max(int(u), 0), width - 1)
            surface = depth[row, column]
            if surface <= 0.0 or r[9] > surface * (np.float32(1.0) + reach):
                continue
        drop = strength + np.float32(7.994353436858858)  # log2(255)
        found = False
        for row in range(top, bottom + 1):
            dy = row + np.float32(0.5) - v
            for column in range(left, right + 1):
                if mask[row, column] == 0:
                    continue
                dx = column + np.float32(0.5) - u
                if a * dx * dx + b * dx * dy + c * dy * dy <= drop:
                    found = True
                    break
            if found:
                break
        hit[n] = 1 if found else 0
