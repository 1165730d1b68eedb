"""The differentiable picture in plain torch: one splat after another, autograd does the rest."""

from __future__ import annotations

import torch

from polyorama.render.differentiable import Rendered


def _rotations(quats):
    w, x, y, z = (quats / quats.norm(dim=-1, keepdim=True)).unbind(-1)
    rows = [
        torch.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
        torch.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
        torch.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
    ]
    return torch.stack(rows, -2)


def _basis(d, bands):
    x, y, z = d.unbind(-1)
    values = [torch.full_like(x, 0.28209479177387814)]
    if bands > 1:
        values += [-0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x]
    if bands > 4:
        values += [
            1.0925484305920792 * x * y, -1.0925484305920792 * y * z,
            0.31539156525252005 * (2 * z**2 - x**2 - y**2), -1.0925484305920792 * x * z,
            0.5462742152960396 * (x**2 - y**2),
        ]  # fmt: skip
    if bands > 9:
        values += [
            -0.5900435899266435 * y * (3 * x**2 - y**2), 2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * z**2 - x**2 - y**2),
            0.3731763325901154 * z * (2 * z**2 - 3 * x**2 - 3 * y**2),
            -0.4570457994644658 * x * (4 * z**2 - x**2 - y**2),
            1.445305721320277 * z * (x**2 - y**2), -0.5900435899266435 * x * (x**2 - 3 * y**2),
        ]  # fmt: skip
    return torch.stack(values, -1)


def rasterize_reference(
    means, quats, scales, opacities, sh, viewmat, lens, *, features, background, constants
):
    rot, trans = viewmat[:3, :3], viewmat[:3, 3]
    inside = means @ rot.T + trans
    x, y, z = inside.unbind(-1)
    world = _rotations(quats) @ torch.diag_embed(scales)
    sigma = rot @ world @ world.transpose(-1, -2) @ rot.T
    zero = torch.zeros_like(z)
    if lens.orthographic:
        one = torch.ones_like(z)
        jac = [[lens.fx * one, zero, zero], [zero, lens.fy * one, zero]]
        u, v = lens.fx * x + lens.cx, lens.fy * y + lens.cy
        direction = (rot[2] / rot[2].norm()).expand(len(means), 3)
    else:
        mx = constants.jacobian_margin * 0.5 * lens.width / lens.fx
        my = constants.jacobian_margin * 0.5 * lens.height / lens.fy
        hx = (x / z).clamp(-lens.cx / lens.fx - mx, (lens.width - lens.cx) / lens.fx + mx)
        hy = (y / z).clamp(-lens.cy / lens.fy - my, (lens.height - lens.cy) / lens.fy + my)
        jac = [[lens.fx / z, zero, -lens.fx * hx / z], [zero, lens.fy / z, -lens.fy * hy / z]]
        u, v = lens.fx * x / z + lens.cx, lens.fy * y / z + lens.cy
        ray = means + rot.T @ trans
        direction = ray / ray.norm(dim=-1, keepdim=True)
    near = lens.near if constants.near is None else constants.near
    jac = torch.stack([torch.stack(row, -1) for row in jac], -2)
    flat = jac @ sigma @ jac.transpose(-1, -2)
    cov = flat + constants.dilation * torch.eye(2, dtype=means.dtype)
    conic = torch.linalg.inv(cov)
    strength = opacities
    if constants.antialiased:
        ratio = torch.linalg.det(flat) / torch.linalg.det(cov)
        strength = opacities * ratio.clamp_min(constants.compensation_floor**2).sqrt()
    rgb = ((_basis(direction, sh.shape[1])[..., None] * sh).sum(1) + 0.5).clamp_min(0)
    px = (torch.arange(lens.width, dtype=means.dtype) + 0.5)[None, :]
    py = (torch.arange(lens.height, dtype=means.dtype) + 0.5)[:, None]
    left = torch.ones((lens.height, lens.width), dtype=means.dtype)
    done = torch.zeros_like(left, dtype=torch.bool)
    color = torch.zeros((lens.height, lens.width, 3), dtype=means.dtype)
    depth = torch.zeros_like(left)
    channels = 0 if features is None else features.shape[1]
    blended = torch.zeros((lens.height, lens.width, channels), dtype=means.dtype)
    for i in torch.argsort(z.detach(), stable=True).tolist():
        if z[i] < near or z[i] > lens.far or strength[i] < 1 / 255:
            continue
        dx, dy = u[i] - px, v[i] - py
        c = conic[i]
        power = 0.5 * (c[0, 0] * dx**2 + c[1, 1] * dy**2) + c[0, 1] * dx * dy
        alpha = (strength[i] * torch.exp(-power)).clamp_max(constants.alpha_cap)
        shown = (alpha >= 1 / 255) & ~done
        after = left * (1 - alpha)
        stops = shown & (after <= 1e-4)
        done = done | stops
        shown = shown & ~stops
        weight = torch.where(shown, alpha * left, 0.0)
        color = color + weight[..., None] * rgb[i]
        depth = depth + weight * z[i]
        if features is not None:
            blended = blended + weight[..., None] * features[i]
        left = torch.where(shown, after, left)
    none = torch.zeros(0)
    return Rendered(
        color + left[..., None] * background, 1 - left, depth,
        None if features is None else blended, none, none,
    )  # fmt: skip
