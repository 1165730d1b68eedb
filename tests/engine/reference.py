"""An independent float64 renderer: one Gaussian after another, plain numpy, no tiles.

Written from the published forward equations alone; it shares no code with the engine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def basis(d):
    """The sixteen real spherical harmonics of 3DGS files at a unit direction, written out."""
    x, y, z = d
    return np.array(
        [
            0.28209479177387814,
            -0.4886025119029199 * y,
            0.4886025119029199 * z,
            -0.4886025119029199 * x,
            1.0925484305920792 * x * y,
            -1.0925484305920792 * y * z,
            0.31539156525252005 * (2 * z * z - x * x - y * y),
            -1.0925484305920792 * x * z,
            0.5462742152960396 * (x * x - y * y),
            -0.5900435899266435 * y * (3 * x * x - y * y),
            2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * z * z - x * x - y * y),
            0.3731763325901154 * z * (2 * z * z - 3 * x * x - 3 * y * y),
            -0.4570457994644658 * x * (4 * z * z - x * x - y * y),
            1.445305721320277 * z * (x * x - y * y),
            -0.5900435899266435 * x * (x * x - 3 * y * y),
        ]
    )


def seen_colors(sh, directions):
    """Colours (N, 3) of coefficients (N, K, 3) seen along unit directions (N, 3)."""
    pairs = zip(np.asarray(sh, np.float64), directions, strict=True)
    return np.array([np.maximum(basis(d)[: len(c)] @ c + 0.5, 0.0) for c, d in pairs])


@dataclass
class ReferenceFrame:
    """Float64 pictures: color (H, W, 3) without background, alpha, depths, ids, features."""

    color: np.ndarray
    alpha: np.ndarray
    expected_depth: np.ndarray
    median_depth: np.ndarray
    ids: np.ndarray
    features: np.ndarray | None
    needed: int


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


@dataclass
class Edits:
    """A palette (P, 3, 4) with an entry a splat, states, and the tint of selected splats."""

    palette: np.ndarray
    index: np.ndarray
    state: np.ndarray
    highlight: tuple[float, float, float] | None = None


SELECTED, NOT_DRAWN = 1, 2 | 4


def render_reference(cloud, camera, constants, features=None, edits=None) -> ReferenceFrame:
    count = len(cloud.means)
    if edits is None:
        edits = Edits(np.eye(3, 4)[None], np.zeros(count, int), np.zeros(count, int))
    linear, shift = edits.palette[edits.index, :, :3], edits.palette[edits.index, :, 3]
    # What turns harmonics is the rotation (or reflection) nearest to the map.
    u, _, vt = np.linalg.svd(linear)
    turns = u @ vt
    width, height = camera.width, camera.height
    rot, trans = camera.viewmat[:3, :3], camera.viewmat[:3, 3]
    means = np.einsum("nij,nj->ni", linear, cloud.means.astype(np.float64)) + shift
    in_camera = means @ rot.T + trans
    eye = -rot.T @ trans
    depth = in_camera[:, 2]
    order = np.argsort(depth, kind="stable")
    color = np.zeros((height, width, 3))
    trans_left = np.ones((height, width))
    done = np.zeros((height, width), bool)
    weighted = np.zeros((height, width))
    median = np.zeros((height, width))
    ids = np.full((height, width), -1)
    blended = None if features is None else np.zeros((height, width, features.shape[1]))
    needed = 0
    near = camera.near if constants.near is None else constants.near
    fx, fy = camera.fx, camera.fy
    margin_x = constants.jacobian_margin * 0.5 * width / fx
    margin_y = constants.jacobian_margin * 0.5 * height / fy
    for i in order:
        x, y, z = in_camera[i]
        if z < near or z > camera.far or edits.state[i] & NOT_DRAWN:
            continue
        m = rotation(cloud.quats[i].astype(np.float64)) * cloud.scales[i].astype(np.float64)
        m = linear[i] @ m
        sigma = rot @ (m @ m.T) @ rot.T
        if camera.kind == "pinhole":
            tx = z * np.clip(x / z, -camera.cx / fx - margin_x, (width - camera.cx) / fx + margin_x)
            ty = z * np.clip(
                y / z, -camera.cy / fy - margin_y, (height - camera.cy) / fy + margin_y
            )
            jac = np.array([[fx / z, 0, -fx * tx / z**2], [0, fy / z, -fy * ty / z**2]])
            u, v = fx * x / z + camera.cx, fy * y / z + camera.cy
            direction = means[i] - eye
            direction = direction / np.linalg.norm(direction)
        else:
            jac = np.array([[fx, 0, 0], [0, fy, 0]])
            u, v = fx * x + camera.cx, fy * y + camera.cy
            direction = rot[2]
        cov = jac @ sigma @ jac.T
        before = np.linalg.det(cov)
        cov = cov + constants.dilation * np.eye(2)
        after = np.linalg.det(cov)
        opacity = float(cloud.opacities[i])
        if constants.antialiased:
            opacity *= max(np.sqrt(max(0.0, before / after)), constants.compensation_floor)
        if opacity < 1 / 255:
            continue
        conic = np.linalg.inv(cov)
        reach = np.sqrt(2 * np.log(255 * opacity)) + 1e-6
        rx, ry = reach * np.sqrt(cov[0, 0]), reach * np.sqrt(cov[1, 1])
        x0, x1 = max(0, int(np.floor(u - rx - 0.5))), min(width, int(np.ceil(u + rx + 0.5)))
        y0, y1 = max(0, int(np.floor(v - ry - 0.5))), min(height, int(np.ceil(v + ry + 0.5)))
        if x0 >= x1 or y0 >= y1:
            continue
        coefficients = cloud.sh[i].astype(np.float64)
        direction = direction @ turns[i]
        rgb = np.maximum(basis(direction)[: len(coefficients)] @ coefficients + 0.5, 0.0)
        if edits.highlight is not None and edits.state[i] & SELECTED:
            rgb = 0.35 * rgb + 0.65 * np.array(edits.highlight)
        dx = u - (np.arange(x0, x1) + 0.5)[None, :]
        dy = v - (np.arange(y0, y1) + 0.5)[:, None]
        power = 0.5 * (conic[0, 0] * dx**2 + conic[1, 1] * dy**2) + conic[0, 1] * dx * dy
        alpha = np.minimum(constants.alpha_cap, opacity * np.exp(-power))
        window = (slice(y0, y1), slice(x0, x1))
        t = trans_left[window]
        shown = (alpha >= 1 / 255) & ~done[window]
        next_t = t * (1 - alpha)
        stops = shown & (next_t <= 1e-4)
        done[window] |= stops
        shown &= ~stops
        needed += int(shown.sum())
        weight = np.where(shown, alpha * t, 0.0)
        color[window] += weight[..., None] * rgb
        weighted[window] += weight * z
        hit = shown & (t > 0.5)
        median[window] = np.where(hit, depth[i], median[window])
        ids[window] = np.where(hit, i, ids[window])
        if blended is not None:
            blended[window] += weight[..., None] * features[i]
        trans_left[window] = np.where(shown, next_t, t)
    alpha = 1 - trans_left
    expected = np.divide(weighted, alpha, out=np.zeros_like(weighted), where=alpha > 0)
    return ReferenceFrame(color, alpha, expected, median, ids, blended, needed)
