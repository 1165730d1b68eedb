"""Gradients of a picture: the two steps of the forward pass, backwards.

`draw_backward` walks each tile front to back again, exactly as `draw` does. With q_i the inner
product of the incoming gradient with what splat i contributes (colour, depth, features), and
w_i = alpha_i T_i its weight, the loss is L = sum_i w_i q_i + T_N q_background, so

    dL/dalpha_i = T_i q_i - (sum_{j > i} w_j q_j + T_N q_background) / (1 - alpha_i).

The sum behind i is what remains of a total known from the forward pass, so no transmittance is
divided back and no list is kept. Gradients go to one row a (splat, tile) pair, and
`project_backward` adds a splat's rows in a fixed order: results do not depend on threads.
"""

from __future__ import annotations

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
    select_greater,
    store,
    total,
    which_greater,
)
from polyorama.render.cpu.bin import TILE_HEIGHT, TILE_WIDTH
from polyorama.render.cpu.draw import FLOOR, OPAQUE, VISIBLE
from polyorama.render.cpu.project import color_of

__all__ = ["PAIR_GRADIENTS", "draw_backward", "project_backward"]

PAIR_GRADIENTS = 10
"""Gradients of a pair before its features: those of the first ten numbers of a record."""

_PLANE = TILE_HEIGHT * TILE_WIDTH
_LN_2 = 0.6931471805599453
_LOG2_E = 1.4426950408889634


@kernel
def draw_backward(
    start, stop, tiles_x, width, height, starts, lists, origins, records, splat_ids, features,
    alpha_cap, remaining, color_grads, depth_grads, feature_grads, pair_grads,
):  # fmt: skip
    """Gradients of a range of tiles with respect to the records of their pairs.

    Parameters
    ----------
    start, stop, tiles_x, width, height, starts, lists, records, splat_ids, features, alpha_cap
        As `draw.draw_full` has them.
    origins
        (pairs,) int64, the row of `pair_grads` that belongs to a list entry.
    remaining
        (H, W), the whole of sum_i w_i q_i + T_N q_background at each pixel.
    color_grads, depth_grads, feature_grads
        (H, W, 3), (H, W) and (H, W, F): gradients of colour, of sum(w z) and of the features.
    pair_grads
        (pairs, 10 + F), written where pairs were reached; zero before.
    """
    channels = features.shape[1]
    real = records.dtype.type
    buffer = np.empty((6 + channels) * _PLANE, records.dtype)
    gathered = np.empty(max(channels, 1) * TILE_WIDTH, records.dtype)
    everything, middle, two = real(1.0), real(0.5), real(2.0)
    x_lanes = lanes(records) + middle
    zero, one = fill(records, 0.0), fill(records, 1.0)
    cap, visible = fill(records, alpha_cap), fill(records, VISIBLE)
    floor, opaque_at = fill(records, FLOOR), fill(records, OPAQUE)
    ln_2 = fill(records, _LN_2)
    for tile in range(start, stop):
        begin, end = starts[tile], starts[tile + 1]
        if begin == end:
            continue
        left = (tile % tiles_x) * TILE_WIDTH
        top = (tile // tiles_x) * TILE_HEIGHT
        rows = min(TILE_HEIGHT, height - top)
        columns = min(TILE_WIDTH, width - left)
        buffer[:] = real(0.0)
        buffer[:_PLANE] = -everything
        for row in range(rows):
            y = top + row
            for column in range(columns):
                x, at = left + column, row * TILE_WIDTH + column
                buffer[at] = everything
                buffer[at + _PLANE] = remaining[y, x]
                for channel in range(3):
                    buffer[at + (2 + channel) * _PLANE] = color_grads[y, x, channel]
                buffer[at + 5 * _PLANE] = depth_grads[y, x]
                for channel in range(channels):
                    buffer[at + (6 + channel) * _PLANE] = feature_grads[y, x, channel]
        live = (1 << rows) - 1
        xs = x_lanes + real(left)
        for p in range(begin, end):
            pair = np.int64(lists[p])
            first, last = (pair >> 8) & 255, pair & 255
            if (live >> first) & ((2 << (last - first)) - 1) == 0:
                continue
            slot = pair >> 16
            red, green, blue = records[slot, 6], records[slot, 7], records[slot, 8]
            z = records[slot, 9]
            dx = records[slot, 0] - xs
            strongest = fill(records, records[slot, 5])
            a, b, c = records[slot, 2], records[slot, 3], records[slot, 4]
            in_x = strongest - a * dx * dx
            dy = records[slot, 1] - real(top + first) - middle
            # Moments of the exponent's gradient over the pair's pixels.
            sum_1, sum_x, sum_y, sum_xx, sum_xy, sum_yy = zero, zero, zero, zero, zero, zero
            sum_red, sum_green, sum_blue, sum_z = zero, zero, zero, zero
            for i in range(channels):
                store(gathered, i * TILE_WIDTH, zero)
            for row in range(first, last + 1):
                here = dy
                dy -= everything
                if (live >> row) & 1 == 0:
                    continue
                exponent = (in_x - c * here * here) - b * here * dx
                exponent = maximum(minimum(exponent, strongest), floor)
                raw = exp2(exponent)
                alpha = select_greater(visible, exponent, zero, minimum(raw, cap))
                at = row * TILE_WIDTH
                before = load(buffer, at)
                taken = alpha * before
                after = before - taken
                weight = select_greater(after, opaque_at, taken, zero)
                store(
                    buffer, at,
                    select_greater(after, opaque_at, after, negative_magnitude(before)),
                )  # fmt: skip
                behind = load(buffer, at + _PLANE)
                g_red = load(buffer, at + 2 * _PLANE)
                g_green = load(buffer, at + 3 * _PLANE)
                g_blue = load(buffer, at + 4 * _PLANE)
                g_z = load(buffer, at + 5 * _PLANE)
                q = g_red * red + g_green * green + g_blue * blue + g_z * z
                for channel in range(channels):
                    g_feature = load(buffer, at + (6 + channel) * _PLANE)
                    q = q + g_feature * features[splat_ids[slot], channel]
                    store(
                        gathered, channel * TILE_WIDTH,
                        load(gathered, channel * TILE_WIDTH) + weight * g_feature,
                    )  # fmt: skip
                behind = behind - weight * q
                store(buffer, at + _PLANE, behind)
                g_alpha = before * q - behind / (one - alpha)
                # No gradient where the splat was skipped, excluded, or its alpha held at the cap.
                g_exponent = select_greater(weight, zero, g_alpha * alpha * ln_2, zero)
                g_exponent = select_greater(raw, cap, zero, g_exponent)
                gx = g_exponent * dx
                sum_1 = sum_1 + g_exponent
                sum_x = sum_x + gx
                sum_y = sum_y + g_exponent * here
                sum_xx = sum_xx + gx * dx
                sum_xy = sum_xy + gx * here
                sum_yy = sum_yy + g_exponent * (here * here)
                sum_red = sum_red + weight * g_red
                sum_green = sum_green + weight * g_green
                sum_blue = sum_blue + weight * g_blue
                sum_z = sum_z + weight * g_z
                if which_greater(after, opaque_at) == 0:
                    live &= ~(1 << row)
            origin = origins[p]
            moment_x, moment_y = total(sum_x), total(sum_y)
            pair_grads[origin, 0] = -(two * a * moment_x + b * moment_y)
            pair_grads[origin, 1] = -(b * moment_x + two * c * moment_y)
            pair_grads[origin, 2] = -total(sum_xx)
            pair_grads[origin, 3] = -total(sum_xy)
            pair_grads[origin, 4] = -total(sum_yy)
            pair_grads[origin, 5] = total(sum_1)
            pair_grads[origin, 6] = total(sum_red)
            pair_grads[origin, 7] = total(sum_green)
            pair_grads[origin, 8] = total(sum_blue)
            pair_grads[origin, 9] = total(sum_z)
            for channel in range(channels):
                pair_grads[origin, 10 + channel] = total(load(gathered, channel * TILE_WIDTH))
            if live == 0:
                break


@kernel
def _harmonics_backward(sh, row, degree, x, y, z, g, sh_grads):
    """Write the gradient of one splat's coefficients; return that of its viewing direction.

    `g` (3,) is the gradient of SH(d) + 0.5 for each colour. The derivatives of the sixteen basis
    functions (renderer reference: their order and signs) are those of homogeneous polynomials.
    """
    real = sh.dtype.type
    gx, gy, gz = real(0.0), real(0.0), real(0.0)
    for channel in range(3):
        sh_grads[row, 0, channel] = real(0.28209479177387814) * g[channel]
    if degree > 0:
        c = real(0.4886025119029199)
        for channel in range(3):
            k = g[channel]
            sh_grads[row, 1, channel] = -c * y * k
            sh_grads[row, 2, channel] = c * z * k
            sh_grads[row, 3, channel] = -c * x * k
            gy += -c * sh[row, 1, channel] * k
            gz += c * sh[row, 2, channel] * k
            gx += -c * sh[row, 3, channel] * k
    if degree > 1:
        c, two = real(1.0925484305920792), real(2.0)
        c6, c8 = real(0.31539156525252005), real(0.5462742152960396)
        xx, yy, zz = x * x, y * y, z * z
        for channel in range(3):
            k = g[channel]
            sh_grads[row, 4, channel] = c * x * y * k
            sh_grads[row, 5, channel] = -c * y * z * k
            sh_grads[row, 6, channel] = c6 * (two * zz - xx - yy) * k
            sh_grads[row, 7, channel] = -c * x * z * k
            sh_grads[row, 8, channel] = c8 * (xx - yy) * k
            s4, s5, s6 = sh[row, 4, channel], sh[row, 5, channel], sh[row, 6, channel]
            s7, s8 = sh[row, 7, channel], sh[row, 8, channel]
            gx += k * (c * y * s4 - two * c6 * x * s6 - c * z * s7 + two * c8 * x * s8)
            gy += k * (c * x * s4 - c * z * s5 - two * c6 * y * s6 - two * c8 * y * s8)
            gz += k * (-c * y * s5 + two * two * c6 * z * s6 - c * x * s7)
    if degree > 2:
        c9, c10, c11 = real(-0.5900435899266435), real(2.890611442640554), real(-0.4570457994644658)
        c12, c14 = real(0.3731763325901154), real(1.445305721320277)
        two, three, four, six, eight = real(2.0), real(3.0), real(4.0), real(6.0), real(8.0)
        xx, yy, zz = x * x, y * y, z * z
        for channel in range(3):
            k = g[channel]
            sh_grads[row, 9, channel] = c9 * y * (three * xx - yy) * k
            sh_grads[row, 10, channel] = c10 * x * y * z * k
            sh_grads[row, 11, channel] = c11 * y * (four * zz - xx - yy) * k
            sh_grads[row, 12, channel] = c12 * z * (two * zz - three * (xx + yy)) * k
            sh_grads[row, 13, channel] = c11 * x * (four * zz - xx - yy) * k
            sh_grads[row, 14, channel] = c14 * z * (xx - yy) * k
            sh_grads[row, 15, channel] = c9 * x * (xx - three * yy) * k
            s9, s10, s11 = sh[row, 9, channel], sh[row, 10, channel], sh[row, 11, channel]
            s12, s13, s14 = sh[row, 12, channel], sh[row, 13, channel], sh[row, 14, channel]
            s15 = sh[row, 15, channel]
            gx += k * (
                c9 * six * x * y * s9 + c10 * y * z * s10 - two * c11 * x * y * s11
                - six * c12 * x * z * s12 + c11 * (four * zz - three * xx - yy) * s13
                + two * c14 * x * z * s14 + c9 * three * (xx - yy) * s15
            )  # fmt: skip
            gy += k * (
                c9 * three * (xx - yy) * s9 + c10 * x * z * s10
                + c11 * (four * zz - xx - three * yy) * s11 - six * c12 * y * z * s12
                - two * c11 * x * y * s13 - two * c14 * y * z * s14 - c9 * six * x * y * s15
            )  # fmt: skip
            gz += k * (
                c10 * x * y * s10 + eight * c11 * y * z * s11
                + c12 * (six * zz - three * (xx + yy)) * s12 + eight * c11 * x * z * s13
                + c14 * (xx - yy) * s14
            )  # fmt: skip
    return gx, gy, gz


@kernel
def project_backward(
    start, stop, order, splat_ids, runs, pair_grads, means, quats, scales, opacities, sh, degree,
    view, optics, mean_grads, quat_grads, scale_grads, opacity_grads, sh_grads, feature_grads,
    screen_grads, view_grads,
):  # fmt: skip
    """Add the pair gradients of a range of depth-ordered splats and carry them to the inputs.

    The forward step is `project.project`; its names are kept. Written arrays are by splat and zero
    before; `screen_grads` (N, 2) is the gradient of the projected mean, `view_grads` (12,) that of
    the rotation's nine numbers and the translation, summed over the range.
    """
    real = means.dtype.type
    zero, one, two, half = real(0.0), real(1.0), real(2.0), real(0.5)
    log2_e, tiny = real(_LOG2_E), real(1e-30)
    channels = feature_grads.shape[1]
    g = np.empty(10 + channels, means.dtype)
    g_color = np.empty(3, means.dtype)
    W = np.empty((3, 3), means.dtype)
    for r in range(3):
        for k in range(3):
            W[r, k] = view[3 * r + k]
    R, L, GL, GR = (
        np.empty((3, 3), means.dtype),
        np.empty((3, 3), means.dtype),
        np.empty((3, 3), means.dtype),
        np.empty((3, 3), means.dtype),
    )
    JW, M, GM, GJW = (
        np.empty((2, 3), means.dtype),
        np.empty((2, 3), means.dtype),
        np.empty((2, 3), means.dtype),
        np.empty((2, 3), means.dtype),
    )
    J = np.zeros((2, 3), means.dtype)
    orthographic = optics[0] < zero
    fx, fy = abs(optics[0]), optics[1]
    dilation, least = optics[12], optics[13]
    view_grads[:] = zero
    for i in range(start, stop):
        first, last = runs[i], runs[i + 1]
        if first == last:
            continue
        g[:] = zero
        for row in range(first, last):
            for k in range(10 + channels):
                g[k] += pair_grads[row, k]
        slot = order[i]
        n = splat_ids[slot]
        for channel in range(channels):
            feature_grads[n, channel] = g[10 + channel]
        screen_grads[n, 0] = g[0]
        screen_grads[n, 1] = g[1]
        # Forward again: camera space, R, L = R S, J W, M = J W L, cov = M M^T + dilation.
        mx, my, mz = means[n, 0], means[n, 1], means[n, 2]
        x = W[0, 0] * mx + W[0, 1] * my + W[0, 2] * mz + view[9]
        y = W[1, 0] * mx + W[1, 1] * my + W[1, 2] * mz + view[10]
        z = W[2, 0] * mx + W[2, 1] * my + W[2, 2] * mz + view[11]
        length = np.sqrt(quats[n, 0] ** 2 + quats[n, 1] ** 2 + quats[n, 2] ** 2 + quats[n, 3] ** 2)
        qw, qx = quats[n, 0] / length, quats[n, 1] / length
        qy, qz = quats[n, 2] / length, quats[n, 3] / length
        R[0, 0], R[0, 1], R[0, 2] = (
            one - two * (qy * qy + qz * qz), two * (qx * qy - qw * qz), two * (qx * qz + qw * qy),
        )  # fmt: skip
        R[1, 0], R[1, 1], R[1, 2] = (
            two * (qx * qy + qw * qz), one - two * (qx * qx + qz * qz), two * (qy * qz - qw * qx),
        )  # fmt: skip
        R[2, 0], R[2, 1], R[2, 2] = (
            two * (qx * qz - qw * qy), two * (qy * qz + qw * qx), one - two * (qx * qx + qy * qy),
        )  # fmt: skip
        for r in range(3):
            for k in range(3):
                L[r, k] = R[r, k] * scales[n, k]
        w, ratio_x, ratio_y, held_x, held_y = zero, zero, zero, zero, zero
        if orthographic:
            J[0, 0], J[0, 2], J[1, 1], J[1, 2] = fx, zero, fy, zero
        else:
            w = one / z
            ratio_x, ratio_y = x * w, y * w
            held_x = min(max(ratio_x, optics[8]), optics[9])
            held_y = min(max(ratio_y, optics[10]), optics[11])
            J[0, 0], J[0, 2], J[1, 1], J[1, 2] = fx * w, -fx * w * held_x, fy * w, -fy * w * held_y
        for r in range(2):
            for k in range(3):
                JW[r, k] = J[r, 0] * W[0, k] + J[r, 1] * W[1, k] + J[r, 2] * W[2, k]
        for r in range(2):
            for k in range(3):
                M[r, k] = JW[r, 0] * L[0, k] + JW[r, 1] * L[1, k] + JW[r, 2] * L[2, k]
        m01 = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
        m02 = M[0, 0] * M[1, 2] - M[0, 2] * M[1, 0]
        m12 = M[0, 1] * M[1, 2] - M[0, 2] * M[1, 1]
        det_before = m01 * m01 + m02 * m02 + m12 * m12
        xx = M[0, 0] ** 2 + M[0, 1] ** 2 + M[0, 2] ** 2
        xy = M[0, 0] * M[1, 0] + M[0, 1] * M[1, 1] + M[0, 2] * M[1, 2]
        yy = M[1, 0] ** 2 + M[1, 1] ** 2 + M[1, 2] ** 2
        det = det_before + dilation * (xx + yy + dilation)
        # The inverse Q; the exponent's factors are a = k/2 Qxx, b = k Qxy, c = k/2 Qyy, k = log2 e.
        Qxx, Qxy, Qyy = (yy + dilation) / det, -xy / det, (xx + dilation) / det
        Gxx, Gxy, Gyy = half * log2_e * g[2], half * log2_e * g[3], half * log2_e * g[4]
        # d(Q) = -Q d(cov) Q
        Txx, Txy = Qxx * Gxx + Qxy * Gxy, Qxx * Gxy + Qxy * Gyy
        Tyx, Tyy = Qxy * Gxx + Qyy * Gxy, Qxy * Gxy + Qyy * Gyy
        Cxx = -(Txx * Qxx + Txy * Qxy)
        Cxy = -(Txx * Qxy + Txy * Qyy)
        Cyy = -(Tyx * Qxy + Tyy * Qyy)
        # Opacity, and the compensation sqrt(det before / det) of the antialiased mode.
        opacity_grads[n] = g[5] * log2_e / opacities[n]
        g_minor = zero
        if least >= zero and det_before > least * det:
            Cxx -= half * log2_e * g[5] * Qxx
            Cxy -= half * log2_e * g[5] * Qxy
            Cyy -= half * log2_e * g[5] * Qyy
            g_minor = half * log2_e * g[5] / max(det_before, tiny)
        for k in range(3):
            GM[0, k] = two * (Cxx * M[0, k] + Cxy * M[1, k])
            GM[1, k] = two * (Cxy * M[0, k] + Cyy * M[1, k])
        if g_minor != zero:
            g01, g02, g12 = two * g_minor * m01, two * g_minor * m02, two * g_minor * m12
            GM[0, 0] += g01 * M[1, 1] + g02 * M[1, 2]
            GM[0, 1] += -g01 * M[1, 0] + g12 * M[1, 2]
            GM[0, 2] += -g02 * M[1, 0] - g12 * M[1, 1]
            GM[1, 0] += -g01 * M[0, 1] - g02 * M[0, 2]
            GM[1, 1] += g01 * M[0, 0] - g12 * M[0, 2]
            GM[1, 2] += g02 * M[0, 0] + g12 * M[0, 1]
        for r in range(2):
            for k in range(3):
                GJW[r, k] = GM[r, 0] * L[k, 0] + GM[r, 1] * L[k, 1] + GM[r, 2] * L[k, 2]
        for r in range(3):
            for k in range(3):
                GL[r, k] = JW[0, r] * GM[0, k] + JW[1, r] * GM[1, k]
                GR[r, k] = GL[r, k] * scales[n, k]
        for k in range(3):
            scale_grads[n, k] = GL[0, k] * R[0, k] + GL[1, k] * R[1, k] + GL[2, k] * R[2, k]
        # R of a unit quaternion, then its normalisation.
        g_w = two * (
            qx * (GR[2, 1] - GR[1, 2]) + qy * (GR[0, 2] - GR[2, 0]) + qz * (GR[1, 0] - GR[0, 1])
        )
        g_x = two * (
            qw * (GR[2, 1] - GR[1, 2]) + qy * (GR[0, 1] + GR[1, 0]) + qz * (GR[0, 2] + GR[2, 0])
            - two * qx * (GR[1, 1] + GR[2, 2])
        )  # fmt: skip
        g_y = two * (
            qw * (GR[0, 2] - GR[2, 0]) + qx * (GR[0, 1] + GR[1, 0]) + qz * (GR[1, 2] + GR[2, 1])
            - two * qy * (GR[0, 0] + GR[2, 2])
        )  # fmt: skip
        g_z = two * (
            qw * (GR[1, 0] - GR[0, 1]) + qx * (GR[0, 2] + GR[2, 0]) + qy * (GR[1, 2] + GR[2, 1])
            - two * qz * (GR[0, 0] + GR[1, 1])
        )  # fmt: skip
        along = g_w * qw + g_x * qx + g_y * qy + g_z * qz
        quat_grads[n, 0] = (g_w - qw * along) / length
        quat_grads[n, 1] = (g_x - qx * along) / length
        quat_grads[n, 2] = (g_y - qy * along) / length
        quat_grads[n, 3] = (g_z - qz * along) / length
        # Camera-space position: through the projected mean, the depth, and J.
        gJ00 = GJW[0, 0] * W[0, 0] + GJW[0, 1] * W[0, 1] + GJW[0, 2] * W[0, 2]
        gJ02 = GJW[0, 0] * W[2, 0] + GJW[0, 1] * W[2, 1] + GJW[0, 2] * W[2, 2]
        gJ11 = GJW[1, 0] * W[1, 0] + GJW[1, 1] * W[1, 1] + GJW[1, 2] * W[1, 2]
        gJ12 = GJW[1, 0] * W[2, 0] + GJW[1, 1] * W[2, 1] + GJW[1, 2] * W[2, 2]
        if orthographic:
            gx, gy, gz = fx * g[0], fy * g[1], g[9]
        else:
            gx, gy = fx * w * g[0], fy * w * g[1]
            gz = g[9] - gx * ratio_x - gy * ratio_y
            gz -= w * w * (fx * gJ00 + fy * gJ11 - fx * held_x * gJ02 - fy * held_y * gJ12)
            if held_x == ratio_x:
                gx -= fx * w * w * gJ02
                gz += fx * w * w * held_x * gJ02
            if held_y == ratio_y:
                gy -= fy * w * w * gJ12
                gz += fy * w * w * held_y * gJ12
        for k in range(3):
            view_grads[k] += J[0, 0] * GJW[0, k]
            view_grads[3 + k] += J[1, 1] * GJW[1, k]
            view_grads[6 + k] += J[0, 2] * GJW[0, k] + J[1, 2] * GJW[1, k]
            view_grads[k] += gx * means[n, k]
            view_grads[3 + k] += gy * means[n, k]
            view_grads[6 + k] += gz * means[n, k]
            mean_grads[n, k] = gx * W[0, k] + gy * W[1, k] + gz * W[2, k]
        view_grads[9] += gx
        view_grads[10] += gy
        view_grads[11] += gz
        # Colour: clamped at zero, then the harmonics and the viewing direction.
        if orthographic:
            dx, dy, dz = W[2, 0], W[2, 1], W[2, 2]
        else:
            dx, dy, dz = mx - view[12], my - view[13], mz - view[14]
        distance = max(np.sqrt(dx * dx + dy * dy + dz * dz), tiny)
        dx, dy, dz = dx / distance, dy / distance, dz / distance
        red, green, blue = color_of(sh, n, degree, dx, dy, dz)
        g_color[0] = g[6] if red > zero else zero
        g_color[1] = g[7] if green > zero else zero
        g_color[2] = g[8] if blue > zero else zero
        dgx, dgy, dgz = _harmonics_backward(sh, n, degree, dx, dy, dz, g_color, sh_grads)
        along = dgx * dx + dgy * dy + dgz * dz
        ex = (dgx - dx * along) / distance
        ey = (dgy - dy * along) / distance
        ez = (dgz - dz * along) / distance
        if orthographic:
            view_grads[6] += ex
            view_grads[7] += ey
            view_grads[8] += ez
        else:
            mean_grads[n, 0] += ex
            mean_grads[n, 1] += ey
            mean_grads[n, 2] += ez
            # The eye is -W^T t.
            for r in range(3):
                t = view[9 + r]
                view_grads[3 * r] += t * ex
                view_grads[3 * r + 1] += t * ey
                view_grads[3 * r + 2] += t * ez
                view_grads[9 + r] += W[r, 0] * ex + W[r, 1] * ey + W[r, 2] * ez
