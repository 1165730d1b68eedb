"""Surfels that follow their triangles, compiled."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel

__all__ = ["light", "pose"]


@kernel
def pose(
    rest, moved, triangles, ids, bary, axes, sizes, shading, means, quats, scales, normals,
    start, stop,
):  # fmt: skip
    """Move surfels start to stop with their triangles.

    Parameters
    ----------
    rest, moved
        (V, 3) vertices before and after.
    triangles, ids, bary
        (T, 3), (N,) and (N, 3): where each is bound.
    axes, sizes, shading
        (N, 3, 3) columns, (N, 3) and (N, 3): frames, scales and normals at rest.
    means, quats, scales, normals
        (N, 3), (N, 4) w x y z, (N, 3) and (N, 3): what is written.
    """
    frame = np.empty((3, 3))
    old, new = np.empty((3, 3)), np.empty((3, 3))
    change, back = np.empty((3, 3)), np.empty((3, 3))
    spread = np.empty((3, 2))
    for i in range(start, stop):
        a, b, c = triangles[ids[i]]
        for k in range(3):
            means[i, k] = (
                bary[i, 0] * moved[a, k] + bary[i, 1] * moved[b, k] + bary[i, 2] * moved[c, k]
            )
            old[k, 0], old[k, 1] = rest[b, k] - rest[a, k], rest[c, k] - rest[a, k]
            new[k, 0], new[k, 1] = moved[b, k] - moved[a, k], moved[c, k] - moved[a, k]
        # The third columns are unit normals: the map keeps heights above the triangle.
        _unit_cross(old)
        flat = _unit_cross(new)
        if flat == 0.0:
            # A collapsed triangle has no plane; the surfel keeps its own and only moves.
            for m in range(3):
                scales[i, m] = sizes[i, m]
                normals[i, m] = shading[i, m]
                for k in range(3):
                    frame[m, k] = axes[i, m, k]
            _write_quat(frame, quats, i)
            continue
        _map(old, new, change)
        _map(new, old, back)
        for k in range(3):
            for axis in range(2):
                total = 0.0
                for m in range(3):
                    total += change[k, m] * axes[i, m, axis]
                spread[k, axis] = total * sizes[i, axis]
        # Principal axes of the stretched ellipse (a one-sided Jacobi rotation).
        p, q, r = 0.0, 0.0, 0.0
        for k in range(3):
            p += spread[k, 0] * spread[k, 0]
            q += spread[k, 1] * spread[k, 1]
            r += spread[k, 0] * spread[k, 1]
        angle = 0.5 * np.arctan2(2.0 * r, p - q) if abs(r) > 1e-7 * (p + q) else 0.0
        cosine, sine = np.cos(angle), np.sin(angle)
        first = second = 0.0
        for k in range(3):
            s, t = spread[k, 0], spread[k, 1]
            spread[k, 0], spread[k, 1] = cosine * s + sine * t, cosine * t - sine * s
            first += spread[k, 0] ** 2
            second += spread[k, 1] ** 2
        first, second = max(np.sqrt(first), 1e-30), max(np.sqrt(second), 1e-30)
        for k in range(3):
            frame[k, 0] = spread[k, 0] / first
            frame[k, 1] = spread[k, 1] / second
        for k in range(3):
            m, n = (k + 1) % 3, (k + 2) % 3
            frame[k, 2] = frame[m, 0] * frame[n, 1] - frame[n, 0] * frame[m, 1]
        _write_quat(frame, quats, i)
        scales[i, 0], scales[i, 1], scales[i, 2] = first, second, sizes[i, 2]
        # Normals move with the inverse transpose.
        length = 0.0
        for k in range(3):
            total = 0.0
            for m in range(3):
                total += back[m, k] * shading[i, m]
            normals[i, k] = total
            length += total * total
        for k in range(3):
            normals[i, k] /= np.sqrt(length)


@kernel
def _map(source, target, result):
    """The matrix that takes the columns of `source` to those of `target`."""
    det = 0.0
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        det += source[k, 0] * (source[m, 1] * source[n, 2] - source[n, 1] * source[m, 2])
    for row in range(3):
        for k in range(3):
            m, n = (k + 1) % 3, (k + 2) % 3
            total = 0.0
            for column in range(3):
                p, q = (column + 1) % 3, (column + 2) % 3
                # Cofactors: rows of the inverse are the other two columns' cross products.
                cofactor = source[m, p] * source[n, q] - source[n, p] * source[m, q]
                total += target[row, column] * cofactor
            result[row, k] = total / det


@kernel
def _unit_cross(columns):
    """Fill the third column with the unit normal of the first two; 0 where they are parallel."""
    length = 0.0
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        columns[k, 2] = columns[m, 0] * columns[n, 1] - columns[n, 0] * columns[m, 1]
        length += columns[k, 2] ** 2
    length = np.sqrt(length)
    for k in range(3):
        columns[k, 2] /= length
    return length


@kernel
def _write_quat(m, quats, i):
    """The unit quaternion w, x, y, z (w >= 0) of a rotation matrix, by the largest component."""
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    w, x, y, z = 1.0 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    best = w
    if 1.0 + 2.0 * m[0, 0] - trace > best:
        best = 1.0 + 2.0 * m[0, 0] - trace
        w, x, y, z = m[2, 1] - m[1, 2], best, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]
    if 1.0 + 2.0 * m[1, 1] - trace > best:
        best = 1.0 + 2.0 * m[1, 1] - trace
        w, x, y, z = m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], best, m[1, 2] + m[2, 1]
    if 1.0 + 2.0 * m[2, 2] - trace > best:
        best = 1.0 + 2.0 * m[2, 2] - trace
        w, x, y, z = m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], best
    scale = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        scale = -scale
    quats[i, 0], quats[i, 1], quats[i, 2], quats[i, 3] = w * scale, x * scale, y * scale, z * scale


@kernel
def light(
    albedo, emission, normals, openness, softness, back, up, sky, ground, toward, colors, widths,
    spread, exposure, shoulder, out, start, stop,
):  # fmt: skip
    """Shade surfels start to stop as display colours, as `shade` and `tone` do, with soft skin.

    Parameters
    ----------
    albedo, emission, normals, openness, softness
        (N, 3) linear, (N, 3) linear, (N, 3), (N,) and (N,): the surfels; normals in their own
        space, `back` (3, 3) the inverse of the map to the world.
    up, sky, ground
        (3,) each; the colours linear, times the ambient strength.
    toward, colors, widths
        (L, 3), (L, 3) linear times strength, (L,): the suns, and the sines of their radii.
    spread
        (3,) by how much softness 1 widens a sun in red, green and blue: light that enters skin
        comes out beside, red farthest.
    exposure, shoulder
        As of `LightRig` and `tone`.
    out
        (N, 3) display RGB 0..1, written.
    """
    lit = np.empty(3)
    for i in range(start, stop):
        x = normals[i, 0] * back[0, 0] + normals[i, 1] * back[1, 0] + normals[i, 2] * back[2, 0]
        y = normals[i, 0] * back[0, 1] + normals[i, 1] * back[1, 1] + normals[i, 2] * back[2, 1]
        z = normals[i, 0] * back[0, 2] + normals[i, 1] * back[1, 2] + normals[i, 2] * back[2, 2]
        norm = 1.0 / max(np.sqrt(x * x + y * y + z * z), 1e-12)
        x, y, z = x * norm, y * norm, z * norm
        height = 0.5 + 0.5 * (x * up[0] + y * up[1] + z * up[2])
        for c in range(3):
            lit[c] = (ground[c] + (sky[c] - ground[c]) * height) * openness[i]
        for s in range(len(toward)):
            cosine = x * toward[s, 0] + y * toward[s, 1] + z * toward[s, 2]
            for c in range(3):
                width = min(widths[s] + softness[i] * spread[c], 1.0)
                if cosine >= width:
                    amount = cosine
                elif cosine > -width:
                    amount = (cosine + width) ** 2 / max(4.0 * width, 1e-6)
                else:
                    amount = 0.0
                # What sees little of the sky sees little of the lamps: the mouth's inside.
                lit[c] += amount * colors[s, c] * min(1.0, 1.6 * openness[i])
        peak = 0.0
        for c in range(3):
            lit[c] = max(lit[c] * albedo[i, c] * exposure + emission[i, c], 0.0)
            peak = max(peak, lit[c])
        factor = 1.0
        if peak > shoulder:
            room = 1.0 - shoulder
            factor = (shoulder + room * (1.0 - np.exp(-(peak - shoulder) / room))) / peak
        for c in range(3):
            value = lit[c] * factor
            if value <= 0.0031308:
                value = 12.92 * value
            else:
                value = 1.055 * value ** (1.0 / 2.4) - 0.055
            out[i, c] = min(max(value, 0.0), 1.0)
