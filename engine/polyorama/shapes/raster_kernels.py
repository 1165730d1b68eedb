"""Kernels of the small views: smooth normals, z-buffer, shading."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel

__all__ = ["draw", "layers", "smooth"]

_OPAQUE = 0.98
"""From this alpha on a material hides what is behind it."""
_SEAM = 1e-9
"""Two triangles round their common edge differently: so much overlap leaves no crack."""
_HOLE = 0.5
"""Below this alpha a texture with holes shows nothing."""
_MOST_MEETING = 256
"""Where more corners than this meet, each keeps its own face's normal: comparing all with all takes
for ever in a file whose corners lie at one place, or seem to beside one that is far off."""


@kernel
def smooth(faces, unit, at, order, starts, least, result):
    """Mean normals of corners over the faces that meet there within the crease angle."""
    for corner in range(len(at)):
        own = corner // 3
        x, y, z = 0.0, 0.0, 0.0
        place = at[corner]
        first, last = starts[place], starts[place + 1]
        if last - first > _MOST_MEETING:
            last = first
        for i in range(first, last):
            other = order[i] // 3
            cosine = (
                unit[own, 0] * unit[other, 0]
                + unit[own, 1] * unit[other, 1]
                + unit[own, 2] * unit[other, 2]
            )
            if cosine >= least:
                x += faces[other, 0]
                y += faces[other, 1]
                z += faces[other, 2]
        length = np.sqrt(x * x + y * y + z * z)
        if length < 1e-300:
            x, y, z, length = unit[own, 0], unit[own, 1], unit[own, 2], 1.0
        result[own, corner % 3, 0] = x / length
        result[own, corner % 3, 1] = y / length
        result[own, corner % 3, 2] = z / length


@kernel
def _texel(texels, first, width, height, u, v, out):
    """Look a texture up bilinearly, display RGBA 0..255; it repeats."""
    x = (u - np.floor(u)) * width - 0.5
    y = (1.0 - (v - np.floor(v))) * height - 0.5
    column, row = int(np.floor(x)), int(np.floor(y))
    fx, fy = x - column, y - row
    # A coordinate within 0..1 does not reach over the border: its other side is another picture.
    left, right = max(column, 0), min(column + 1, width - 1)
    top, bottom = max(row, 0), min(row + 1, height - 1)
    a, b = first + top * width + left, first + top * width + right
    c, d = first + bottom * width + left, first + bottom * width + right
    for k in range(4):
        upper = texels[a, k] * (1.0 - fx) + texels[b, k] * fx
        lower = texels[c, k] * (1.0 - fx) + texels[d, k] * fx
        out[k] = upper * (1.0 - fy) + lower * fy


@kernel
def _surface(triangle, b0, b1, b2, triangles, colors, uvs, ids, materials, textures, texels, out):
    """Display RGBA 0..1 of the unlit surface at a point of a triangle."""
    i, j, k = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    material = ids[triangle]
    for c in range(3):
        mixed = b0 * colors[i, c] + b1 * colors[j, c] + b2 * colors[k, c]
        out[c] = mixed * materials[material, c]
    out[3] = materials[material, 3]
    if textures[material, 1] > 0:
        u = b0 * uvs[i, 0] + b1 * uvs[j, 0] + b2 * uvs[k, 0]
        v = b0 * uvs[i, 1] + b1 * uvs[j, 1] + b2 * uvs[k, 1]
        texel = np.empty(4, np.float64)
        _texel(
            texels, textures[material, 0], textures[material, 1], textures[material, 2], u, v, texel
        )
        for c in range(4):
            out[c] *= texel[c] / 255.0


@kernel
def _lit(triangle, b0, b1, b2, normals, matrix, toward, key, sky, up, surface, emission, linear):
    """Turn an unlit colour into linear light that reaches the eye; two-sided."""
    nx, ny, nz = 0.0, 0.0, 0.0
    for c in range(3):
        n = (
            b0 * normals[triangle, 0, c]
            + b1 * normals[triangle, 1, c]
            + b2 * normals[triangle, 2, c]
        )
        nx += matrix[0, c] * n
        ny += matrix[1, c] * n
        nz += matrix[2, c] * n
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    if length < 1e-30:
        nx, ny, nz, length = 0.0, 0.0, -1.0, 1.0
    nx, ny, nz = nx / length, ny / length, nz / length
    if nz > 0.2:
        # Seen from behind: sheets have two sides; a little past edge-on is a smooth normal's error.
        nx, ny, nz = -nx, -ny, -nz
    facing = max(0.0, nx * toward[0] + ny * toward[1] + nz * toward[2])
    rise = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2])
    ambient = sky[0] * (sky[1] + (1.0 - sky[1]) * rise)
    for c in range(3):
        level = min(max(surface[c], 0.0), 1.0) * 255.0
        at = min(int(level), 254)
        part = level - at
        albedo = linear[at] * (1.0 - part) + linear[at + 1] * part
        glow = linear[int(min(max(emission[c], 0.0), 1.0) * 255.0)]
        surface[c] = albedo * (ambient + key[c] * facing) + glow


@kernel
def _span(a, b, c, limit):
    low = min(a, min(b, c))
    high = max(a, max(b, c))
    return max(0, int(np.ceil(low - 0.5))), min(limit - 1, int(np.floor(high - 0.5)))


@kernel
def layers(vertices, triangles, matrix, center, distance, tangent):
    """How many times over the rectangles round all triangles cover the frame: what drawing costs.

    It falls short where a rectangle is less than a pixel, and those cost next to nothing.
    """
    total = 0.0
    for t in range(len(triangles)):
        left, top, right, bottom = 1.0, 1.0, -1.0, -1.0
        for corner in range(3):
            i = triangles[t, corner]
            x = vertices[i, 0] - center[0]
            y = vertices[i, 1] - center[1]
            z = vertices[i, 2] - center[2]
            depth = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z + distance
            scale = 1.0 / (tangent * max(depth, 1e-6))
            across = (matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z) * scale
            down = (matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z) * scale
            left, right = min(left, across), max(right, across)
            top, bottom = min(top, down), max(bottom, down)
        wide = min(right, 1.0) - max(left, -1.0)
        high = min(bottom, 1.0) - max(top, -1.0)
        if wide > 0.0 and high > 0.0:
            total += 0.25 * wide * high
    return total


@kernel
def draw(
    vertices, triangles, normals, colors, uvs, ids, materials, textures, texels, matrix, center,
    distance, tangent, toward, key, sky, up, supersample, linear, display, result,
):  # fmt: skip
    """Draw one view.

    Depth is kept as 1 / z, which is linear on the screen, as are barycentrics over z.
    """
    size = result.shape[0]
    wide = size * supersample
    scale = 0.5 * wide / tangent
    count = len(vertices)
    screen = np.empty((count, 3), np.float64)
    for i in range(count):
        x = vertices[i, 0] - center[0]
        y = vertices[i, 1] - center[1]
        z = vertices[i, 2] - center[2]
        depth = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z + distance
        inverse = 1.0 / max(depth, 1e-6)
        across = matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z
        down = matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z
        screen[i, 0] = 0.5 * wide + scale * across * inverse
        screen[i, 1] = 0.5 * wide + scale * down * inverse
        screen[i, 2] = inverse
    nearest = np.zeros((wide, wide), np.float64)
    winner = np.full((wide, wide), -1, np.int32)
    weights = np.empty((wide, wide, 2), np.float64)
    surface = np.empty(4, np.float64)
    light = np.zeros((wide, wide, 4), np.float32)
    clear = False
    for veil in range(2):
        if veil == 1 and not clear:
            break
        for t in range(len(triangles)):
            material = ids[t]
            through = materials[material, 3] < _OPAQUE
            clear = clear or through
            if through != (veil == 1):
                continue
            i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            ax, ay, aw = screen[i, 0], screen[i, 1], screen[i, 2]
            bx, by, bw = screen[j, 0], screen[j, 1], screen[j, 2]
            cx, cy, cw = screen[k, 0], screen[k, 1], screen[k, 2]
            area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            if area == 0.0:
                continue
            left, right = _span(ax, bx, cx, wide)
            top, bottom = _span(ay, by, cy, wide)
            holes = textures[material, 1] > 0 and textures[material, 3] == 1
            for row in range(top, bottom + 1):
                py = row + 0.5
                for column in range(left, right + 1):
                    px = column + 0.5
                    s0 = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area
                    s1 = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area
                    s2 = 1.0 - s0 - s1
                    if s0 < -_SEAM or s1 < -_SEAM or s2 < -_SEAM:
                        continue
                    near = s0 * aw + s1 * bw + s2 * cw
                    if near <= nearest[row, column]:
                        continue
                    b0, b1 = s0 * aw / near, s1 * bw / near
                    b2 = 1.0 - b0 - b1
                    if holes or veil == 1:
                        _surface(
                            t, b0, b1, b2, triangles, colors, uvs, ids, materials, textures,
                            texels, surface,
                        )  # fmt: skip
                    if holes and surface[3] < _HOLE * materials[material, 3]:
                        continue
                    if veil == 0:
                        nearest[row, column] = near
                        winner[row, column] = t
                        weights[row, column, 0] = b0
                        weights[row, column, 1] = b1
                    else:
                        _lit(
                            t, b0, b1, b2, normals, matrix, toward, key, sky, up, surface,
                            materials[material, 4:7], linear,
                        )  # fmt: skip
                        alpha = surface[3]
                        for c in range(3):
                            light[row, column, c] += alpha * (surface[c] - light[row, column, c])
                        light[row, column, 3] += alpha * (1.0 - light[row, column, 3])
        if veil == 0:
            for row in range(wide):
                for column in range(wide):
                    t = winner[row, column]
                    if t < 0:
                        continue
                    b0, b1 = weights[row, column, 0], weights[row, column, 1]
                    b2 = 1.0 - b0 - b1
                    _surface(
                        t, b0, b1, b2, triangles, colors, uvs, ids, materials, textures, texels,
                        surface,
                    )  # fmt: skip
                    _lit(
                        t, b0, b1, b2, normals, matrix, toward, key, sky, up, surface,
                        materials[ids[t], 4:7], linear,
                    )  # fmt: skip
                    for c in range(3):
                        light[row, column, c] = surface[c]
                    light[row, column, 3] = 1.0
    _resolve(light, supersample, display, result)


@kernel
def _resolve(light, supersample, display, result):
    """Average the samples of each pixel in linear light, and go to bytes."""
    size = result.shape[0]
    share = 1.0 / (supersample * supersample)
    for row in range(size):
        for column in range(size):
            r, g, b, a = 0.0, 0.0, 0.0, 0.0
            for i in range(supersample):
                for j in range(supersample):
                    y, x = row * supersample + i, column * supersample + j
                    r += light[y, x, 0]
                    g += light[y, x, 1]
                    b += light[y, x, 2]
                    a += light[y, x, 3]
            if a <= 0.0:
                continue
            # A veil over nothing holds light already weighted by its alpha, as edges do.
            result[row, column, 0] = display[int(min(r / a, 1.0) * 4095.0 + 0.5)]
            result[row, column, 1] = display[int(min(g / a, 1.0) * 4095.0 + 0.5)]
            result[row, column, 2] = display[int(min(b / a, 1.0) * 4095.0 + 0.5)]
            result[row, column, 3] = int(min(a * share, 1.0) * 255.0 + 0.5)
