"""From splats to screen-space ellipses, eight at a time.

The forward maths is that of EWA splatting as gsplat 1.5.3 does it: perspective or orthographic
projection of the mean, first-order projection of the covariance, dilation, inverse, colour from
spherical harmonics. Two things are done in another order for accuracy in float32: the projected
covariance is built from its factor M = J W R S, so that its determinant is a sum of squares (the
Cauchy-Binet formula) and never cancels; and the exponent is kept in powers of two.
"""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel
from polyorama.core.simd import (
    WIDTH,
    fill,
    load,
    load_four_columns,
    load_three_columns,
    log2,
    maximum,
    minimum,
    sqrt,
    store,
    which_greater,
)

__all__ = ["ENTRY", "RECORD", "color_of", "project"]

RECORD = 12
"""Floats of a projected splat: mean x, y; exponent factors a, b, c; log2 of opacity; red, green,
blue; depth; half width and half height of the visible ellipse. The exponent (base 2) at offset
(dx, dy) from the mean is log2(opacity) - a dx^2 - b dx dy - c dy^2."""

ENTRY = 21
"""Numbers of a view with a map before it: a view's fifteen, and the map's stretch."""

_LOG2_E = 1.4426950408889634
_LN_2 = 0.6931471805599453
_LOG2_255 = 7.994353436858858
_TINY = 1e-30
_HUGE = 1e30


@kernel
def color_of(sh, row, degree, x, y, z):
    """SH(d) + 0.5 of one splat, not clamped: `sh` (N, K, 3), unit direction d = (x, y, z)."""
    real = sh.dtype.type
    r = real(0.28209479177387814) * sh[row, 0, 0]
    g = real(0.28209479177387814) * sh[row, 0, 1]
    b = real(0.28209479177387814) * sh[row, 0, 2]
    if degree > 0:
        c1 = real(0.4886025119029199)
        y1, y2, y3 = -c1 * y, c1 * z, -c1 * x
        r += y1 * sh[row, 1, 0] + y2 * sh[row, 2, 0] + y3 * sh[row, 3, 0]
        g += y1 * sh[row, 1, 1] + y2 * sh[row, 2, 1] + y3 * sh[row, 3, 1]
        b += y1 * sh[row, 1, 2] + y2 * sh[row, 2, 2] + y3 * sh[row, 3, 2]
    if degree > 1:
        xx, yy, zz = x * x, y * y, z * z
        c2 = real(1.0925484305920792)
        y4, y5, y7 = c2 * x * y, -c2 * y * z, -c2 * x * z
        y6 = real(0.31539156525252005) * (real(2.0) * zz - xx - yy)
        y8 = real(0.5462742152960396) * (xx - yy)
        r += y4 * sh[row, 4, 0] + y5 * sh[row, 5, 0] + y6 * sh[row, 6, 0]
        r += y7 * sh[row, 7, 0] + y8 * sh[row, 8, 0]
        g += y4 * sh[row, 4, 1] + y5 * sh[row, 5, 1] + y6 * sh[row, 6, 1]
        g += y7 * sh[row, 7, 1] + y8 * sh[row, 8, 1]
        b += y4 * sh[row, 4, 2] + y5 * sh[row, 5, 2] + y6 * sh[row, 6, 2]
        b += y7 * sh[row, 7, 2] + y8 * sh[row, 8, 2]
        if degree > 2:
            three, four = real(3.0), real(4.0)
            c9 = real(-0.5900435899266435)
            c11 = real(-0.4570457994644658)
            y9 = c9 * y * (three * xx - yy)
            y10 = real(2.890611442640554) * x * y * z
            y11 = c11 * y * (four * zz - xx - yy)
            y12 = real(0.3731763325901154) * z * (zz + zz - three * (xx + yy))
            y13 = c11 * x * (four * zz - xx - yy)
            y14 = real(1.445305721320277) * z * (xx - yy)
            y15 = c9 * x * (xx - three * yy)
            r += y9 * sh[row, 9, 0] + y10 * sh[row, 10, 0] + y11 * sh[row, 11, 0]
            r += y12 * sh[row, 12, 0] + y13 * sh[row, 13, 0] + y14 * sh[row, 14, 0]
            r += y15 * sh[row, 15, 0]
            g += y9 * sh[row, 9, 1] + y10 * sh[row, 10, 1] + y11 * sh[row, 11, 1]
            g += y12 * sh[row, 12, 1] + y13 * sh[row, 13, 1] + y14 * sh[row, 14, 1]
            g += y15 * sh[row, 15, 1]
            b += y9 * sh[row, 9, 2] + y10 * sh[row, 10, 2] + y11 * sh[row, 11, 2]
            b += y12 * sh[row, 12, 2] + y13 * sh[row, 13, 2] + y14 * sh[row, 14, 2]
            b += y15 * sh[row, 15, 2]
    half = real(0.5)
    return r + half, g + half, b + half


@kernel
def _shown(states, first, gone):
    """Bit n is set where splat `first` + n of eight has none of the `gone` bits."""
    lanes = 255
    if states.size:
        for n in range(WIDTH):
            if states[first + n] & gone:
                lanes &= ~(1 << n)
    return lanes


@kernel
def _same_entry(entries, first, lanes):
    """The entry of the first of `lanes` of eight splats, and which of them have it too."""
    if entries.size == 0:
        return 0, lanes
    n = 0
    while (lanes >> n) & 1 == 0:
        n += 1
    entry = np.int64(entries[first + n])
    for m in range(n + 1, WIDTH):
        if entries[first + m] != entry:
            lanes &= ~(1 << m)
    return entry, lanes


@kernel
def _tint(records, slot, states, row, tinted, tint):
    """Blend a slot's colour into the tint where splat `row` has the bit `tinted`."""
    if states.size and states[row] & tinted:
        for channel in range(6, 9):
            own = records[slot, channel]
            records[slot, channel] = own + tint[3] * (tint[channel - 6] - own)


@kernel
def project(
    start,
    stop,
    means,
    quats,
    scales,
    opacities,
    sh,
    degree,
    view,
    optics,
    edits,
    records,
    splat_ids,
    order,
):
    """Project splats `start` to `stop` and write those that may be seen from slot `start` on.

    Without edits all splats are seen through one view. With them every splat has an entry of a
    palette, a map that moves it into the world, and each entry its view: the eight splats of a
    block are done together once for each entry that is among them.

    Parameters
    ----------
    start, stop
        Range of splats; `start` is a multiple of 8. The arrays hold at least 8 splats.
    means, quats, scales, opacities
        Flattened natural-form arrays, float32.
    sh, degree
        (N, K, 3) float32 and the degree to evaluate.
    view
        (15,) float32: the rotation's nine numbers row by row, the translation, the eye's position.
        With edits (P * 21,) float32, for each entry: the linear part of map and view together, row
        by row, the translation, the eye where the map has not moved anything yet (of an
        orthographic camera: the direction of view), and the upper half of the symmetric stretch
        that is left of the map without its rotation: xx, xy, xz, yy, yz, zz.
    optics
        (14,) float32: fx, fy, cx, cy, width, height, near, far, limits of x/z and y/z (low x,
        high x, low y, high y), dilation, least compensation or -1 where it does not apply.
        An orthographic camera has a negative fx.
    edits
        None, or a tuple: (N,) uint16 entries, empty where all have the first; (N,) uint8 states,
        empty where all are 0; the bits of splats that are not drawn, and that of those that are
        tinted; (4,) red, green, blue of the tint, and its share.
    records
        (slots, 12) float32, written (see `RECORD`).
    splat_ids
        (slots,) int32, written: which splat a slot holds.
    order
        (slots,) int32, written: the slot numbers themselves, to be sorted.

    Returns
    -------
    How many slots were filled.
    """
    r00, r01, r02 = fill(means, view[0]), fill(means, view[1]), fill(means, view[2])
    r10, r11, r12 = fill(means, view[3]), fill(means, view[4]), fill(means, view[5])
    r20, r21, r22 = fill(means, view[6]), fill(means, view[7]), fill(means, view[8])
    tx, ty, tz = fill(means, view[9]), fill(means, view[10]), fill(means, view[11])
    orthographic = optics[0] < 0.0
    fx, fy = fill(means, abs(optics[0])), fill(means, optics[1])
    cx, cy = fill(means, optics[2]), fill(means, optics[3])
    width, height = fill(means, optics[4]), fill(means, optics[5])
    near, far = fill(means, optics[6]), fill(means, optics[7])
    low_x, high_x = fill(means, optics[8]), fill(means, optics[9])
    low_y, high_y = fill(means, optics[10]), fill(means, optics[11])
    dilation, least = fill(means, optics[12]), fill(means, optics[13])
    antialiased = optics[13] >= 0.0
    zero, one, two = (
        fill(means, 0.0),
        fill(means, 1.0),
        fill(means, 2.0),
    )
    tiny, huge = fill(means, _TINY), fill(means, _HUGE)
    half_log2_e, log2_e = fill(means, 0.5 * _LOG2_E), fill(means, _LOG2_E)
    two_ln_2, log2_255 = fill(means, 2.0 * _LN_2), fill(means, _LOG2_255)
    lane = np.empty(RECORD * WIDTH, means.dtype)
    nothing = means.dtype.type(0.0)
    count = opacities.size
    slot = start
    if edits is not None:  # numba compiles this branch or none: the plain path pays nothing
        entries, states, gone, tinted, tint = edits
        entry, at = -1, 0
    for block in range(start, stop, WIDTH):
        # The last block is moved back so that it reads whole rows; lanes done before are masked.
        i = min(block, count - WIDTH)
        waiting = 255 & (-1 << (block - i))
        if edits is not None:
            waiting &= _shown(states, i, gone)
        while waiting != 0:
            lanes = waiting
            if edits is not None:
                chosen, lanes = _same_entry(entries, i, waiting)
                if chosen != entry:
                    entry, at = chosen, ENTRY * chosen
                    r00, r01, r02 = (
                        fill(means, view[at]),
                        fill(means, view[at + 1]),
                        fill(means, view[at + 2]),
                    )
                    r10, r11, r12 = (
                        fill(means, view[at + 3]),
                        fill(means, view[at + 4]),
                        fill(means, view[at + 5]),
                    )
                    r20, r21, r22 = (
                        fill(means, view[at + 6]),
                        fill(means, view[at + 7]),
                        fill(means, view[at + 8]),
                    )
                    tx, ty, tz = (
                        fill(means, view[at + 9]),
                        fill(means, view[at + 10]),
                        fill(means, view[at + 11]),
                    )
            waiting &= ~lanes
            mx, my, mz = load_three_columns(means, 3 * i)
            z = r20 * mx + r21 * my + r22 * mz + tz
            seen = which_greater(z, near) & which_greater(far, z)
            seen &= lanes
            if seen == 0:
                continue
            x = r00 * mx + r01 * my + r02 * mz + tx
            y = r10 * mx + r11 * my + r12 * mz + ty
            # R S, the factor of the world covariance.
            qw, qx, qy, qz = load_four_columns(quats, 4 * i)
            norm = qw * qw + qx * qx + qy * qy + qz * qz
            k = two / maximum(norm, tiny)
            s0, s1, s2 = load_three_columns(scales, 3 * i)
            l00 = (one - k * (qy * qy + qz * qz)) * s0
            l01 = k * (qx * qy - qw * qz) * s1
            l02 = k * (qx * qz + qw * qy) * s2
            l10 = k * (qx * qy + qw * qz) * s0
            l11 = (one - k * (qx * qx + qz * qz)) * s1
            l12 = k * (qy * qz - qw * qx) * s2
            l20 = k * (qx * qz - qw * qy) * s0
            l21 = k * (qy * qz + qw * qx) * s1
            l22 = (one - k * (qx * qx + qy * qy)) * s2
            # J W: rows of the projection's Jacobian in world space.
            if orthographic:
                u, v = fx * x + cx, fy * y + cy
                j00, j01, j02 = fx * r00, fx * r01, fx * r02
                j10, j11, j12 = fy * r10, fy * r11, fy * r12
            else:
                w = one / z
                ratio_x, ratio_y = x * w, y * w
                u, v = fx * ratio_x + cx, fy * ratio_y + cy
                held_x = minimum(maximum(ratio_x, low_x), high_x)
                held_y = minimum(maximum(ratio_y, low_y), high_y)
                fx_z, fy_z = fx * w, fy * w
                j00, j01 = fx_z * (r00 - held_x * r20), fx_z * (r01 - held_x * r21)
                j02 = fx_z * (r02 - held_x * r22)
                j10, j11 = fy_z * (r10 - held_y * r20), fy_z * (r11 - held_y * r21)
                j12 = fy_z * (r12 - held_y * r22)
            # M = J W R S; cov2d = M M^T, its determinant the sum of M's squared minors.
            a0, a1 = j00 * l00 + j01 * l10 + j02 * l20, j00 * l01 + j01 * l11 + j02 * l21
            a2 = j00 * l02 + j01 * l12 + j02 * l22
            b0, b1 = j10 * l00 + j11 * l10 + j12 * l20, j10 * l01 + j11 * l11 + j12 * l21
            b2 = j10 * l02 + j11 * l12 + j12 * l22
            m01, m02, m12 = a0 * b1 - a1 * b0, a0 * b2 - a2 * b0, a1 * b2 - a2 * b1
            det_before = m01 * m01 + m02 * m02 + m12 * m12
            cov_xx = a0 * a0 + a1 * a1 + a2 * a2
            cov_xy = a0 * b0 + a1 * b1 + a2 * b2
            cov_yy = b0 * b0 + b1 * b1 + b2 * b2
            det = det_before + dilation * (cov_xx + cov_yy + dilation)
            cov_xx, cov_yy = cov_xx + dilation, cov_yy + dilation
            opacity = load(opacities, i)
            if antialiased:
                opacity = opacity * sqrt(maximum(det_before / maximum(det, tiny), least))
            seen &= which_greater(det, tiny) & which_greater(huge, det) & which_greater(norm, zero)
            strength = log2(maximum(opacity, tiny))
            drop = strength + log2_255  # how far the exponent may fall before alpha < 1/255
            reach = two_ln_2 * maximum(drop, zero)
            half_width, half_height = sqrt(reach * cov_xx), sqrt(reach * cov_yy)
            # Written so that NaN in any of the numbers makes the splat unseen.
            seen &= ~which_greater(zero, drop) & which_greater(one, opacity - one - one)
            seen &= which_greater(u + half_width, zero) & which_greater(width, u - half_width)
            seen &= which_greater(v + half_height, zero) & which_greater(height, v - half_height)
            if seen == 0:
                continue
            inverse = one / maximum(det, tiny)
            store(lane, 0 * WIDTH, u)
            store(lane, 1 * WIDTH, v)
            store(lane, 2 * WIDTH, half_log2_e * cov_yy * inverse)
            store(lane, 3 * WIDTH, (zero - log2_e) * cov_xy * inverse)
            store(lane, 4 * WIDTH, half_log2_e * cov_xx * inverse)
            store(lane, 5 * WIDTH, strength)
            store(lane, 9 * WIDTH, z)
            store(lane, 10 * WIDTH, half_width)
            store(lane, 11 * WIDTH, half_height)
            # Viewing directions, for the harmonics.
            if edits is not None:
                e0, e1 = fill(means, view[at + 12]), fill(means, view[at + 13])
                e2 = fill(means, view[at + 14])
                if orthographic:
                    dx, dy, dz = e0, e1, e2
                else:
                    # Seen from where the map's rotation is undone, but not its stretch.
                    e0, e1, e2 = mx - e0, my - e1, mz - e2
                    xy, xz = fill(means, view[at + 16]), fill(means, view[at + 17])
                    yz = fill(means, view[at + 19])
                    dx = fill(means, view[at + 15]) * e0 + xy * e1 + xz * e2
                    dy = xy * e0 + fill(means, view[at + 18]) * e1 + yz * e2
                    dz = xz * e0 + yz * e1 + fill(means, view[at + 20]) * e2
            elif orthographic:
                dx, dy, dz = r20, r21, r22
            else:
                dx, dy = mx - fill(means, view[12]), my - fill(means, view[13])
                dz = mz - fill(means, view[14])
            scale = one / sqrt(maximum(dx * dx + dy * dy + dz * dz, tiny))
            store(lane, 6 * WIDTH, dx * scale)
            store(lane, 7 * WIDTH, dy * scale)
            store(lane, 8 * WIDTH, dz * scale)
            for n in range(WIDTH):
                if (seen >> n) & 1 == 0:
                    continue
                red, green, blue = color_of(
                    sh, i + n, degree, lane[6 * WIDTH + n], lane[7 * WIDTH + n], lane[8 * WIDTH + n]
                )
                if not abs(red) + abs(green) + abs(blue) < _HUGE:  # NaN and infinity too
                    continue
                for field in range(RECORD):
                    records[slot, field] = lane[field * WIDTH + n]
                records[slot, 6] = max(nothing, red)
                records[slot, 7] = max(nothing, green)
                records[slot, 8] = max(nothing, blue)
                if edits is not None:
                    _tint(records, slot, states, i + n, tinted, tint)
                splat_ids[slot] = i + n
                order[slot] = slot
                slot += 1
    return slot - start
