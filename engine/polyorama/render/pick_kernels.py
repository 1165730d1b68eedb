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
def _within(px, py, dx, dy, length, square):
    """Whether a pixel, seen from a segment's start, lies near enough to it."""
    along = 0.0
    if length > 0.0:
        along = min(max((px * dx + py * dy) / length, 0.0), 1.0)
    ox, oy = px - along * dx, py - along * dy
    return ox * ox + oy * oy <= square


@kernel
def _across(py, dx, dy, length, radius):
    """Where a line at height `py` enters and leaves a segment's neighbourhood, about.

    It is convex: the line meets the discs at its ends, the strip between them, or none of these.
    """
    low, high = np.inf, -np.inf
    for x, y in ((0.0, py), (dx, py - dy)):
        rest = radius * radius - y * y
        if rest >= 0.0:
            half = np.sqrt(rest)
            low, high = min(low, x - half), max(high, x + half)
    left, right = -np.inf, np.inf
    wide = radius * np.sqrt(length)
    if dy != 0.0:
        one, other = (py * dx - wide) / dy, (py * dx + wide) / dy
        left, right = min(one, other), max(one, other)
    elif abs(py * dx) > wide:
        return low, high
    if dx != 0.0:
        one, other = -py * dy / dx, (length - py * dy) / dx
        left, right = max(left, min(one, other)), min(right, max(one, other))
    elif not 0.0 <= py * dy <= length:
        return low, high
    if left <= right and length > 0.0:
        low, high = min(low, left), max(high, right)
    return low, high


@kernel
def paint_brush(points, radius, mask):
    """Set the pixels whose centre lies within `radius` of a stroke.

    A row takes as long as it has pixels and the stroke has points, however wide the brush is.
    """
    height, width = mask.shape
    square = radius * radius
    starts = np.zeros(width + 1, np.int32)
    for row in range(height):
        starts[:] = 0
        some = False
        for i in range(len(points)):
            ax, ay = points[i, 0], points[i, 1]
            j = min(i + 1, len(points) - 1)
            dx, dy = points[j, 0] - ax, points[j, 1] - ay
            py = row + 0.5 - ay
            if py < min(0.0, dy) - radius or py > max(0.0, dy) + radius:
                continue
            length = dx * dx + dy * dy
            low, high = _across(py, dx, dy, length, radius)
            if not low <= high:
                continue
            first = int(np.floor(max(low + ax - 1.5, 0.0)))
            last = int(np.ceil(min(high + ax + 0.5, width - 1.0)))
            while first <= last and not _within(first + 0.5 - ax, py, dx, dy, length, square):
                first += 1
            while last >= first and not _within(last + 0.5 - ax, py, dx, dy, length, square):
                last -= 1
            if first <= last:
                starts[first] += 1
                starts[last + 1] -= 1
                some = True
        if some:
            covered = 0
            for column in range(width):
                covered += starts[column]
                if covered > 0:
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
