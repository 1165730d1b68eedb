"""A stand-in for gsplat 1.5.3 in plain torch, for small pictures on any device.

It has the functions that the engine calls, with gsplat's shapes, dtypes and order of results,
insists on them as gsplat does, and leaves garbage where gsplat leaves memory uninitialised.
"""

from __future__ import annotations

import math

import torch

GARBAGE = float("nan")


def _rotations(quats):
    w, x, y, z = torch.nn.functional.normalize(quats, dim=-1).unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, dim=-1).reshape(-1, 3, 3)


def fully_fused_projection(
    means, covars, quats, scales, viewmats, Ks, width, height, eps2d=0.3, near_plane=0.01,
    far_plane=1e10, radius_clip=0.0, packed=False, sparse_grad=False, calc_compensations=False,
    camera_model="pinhole", opacities=None,
):  # fmt: skip
    count = len(means)
    assert covars is None
    assert viewmats.shape == (1, 4, 4)
    assert Ks.shape == (1, 3, 3)
    assert opacities.shape == (count,)
    for tensor in (means, quats, scales, opacities, viewmats, Ks):
        assert tensor.dtype == torch.float32
        assert tensor.is_contiguous()
    turn, move, k = viewmats[0, :3, :3], viewmats[0, :3, 3], Ks[0]
    fx, fy, cx, cy = k[0, 0], k[1, 1], k[0, 2], k[1, 2]
    x, y, z = (means @ turn.T + move).unbind(-1)
    shape = turn @ (_rotations(quats) * scales[:, None, :])
    covariance = shape @ shape.transpose(-1, -2)
    zero = torch.zeros_like(z)
    if camera_model == "ortho":
        projected = torch.stack([fx * x + cx, fy * y + cy], dim=-1)
        rows = [fx + zero, zero, zero, zero, fy + zero, zero]
    else:
        assert camera_model == "pinhole"
        projected = torch.stack([fx * x / z + cx, fy * y / z + cy], dim=-1)
        mx, my = 0.15 * width / fx, 0.15 * height / fy
        tx = z * torch.clamp(x / z, -cx / fx - mx, (width - cx) / fx + mx)
        ty = z * torch.clamp(y / z, -cy / fy - my, (height - cy) / fy + my)
        rows = [fx / z, zero, -fx * tx / z**2, zero, fy / z, -fy * ty / z**2]
    jacobian = torch.stack(rows, dim=-1).reshape(-1, 2, 3)
    flat = jacobian @ covariance @ jacobian.transpose(-1, -2)
    before = torch.linalg.det(flat)
    flat = flat + eps2d * torch.eye(2)
    after = torch.linalg.det(flat)
    conics = torch.stack([flat[:, 1, 1], -flat[:, 0, 1], flat[:, 0, 0]], dim=-1) / after[:, None]
    compensations = torch.sqrt(torch.clamp_min(before / after, 0.0)) if calc_compensations else None
    strength = opacities if compensations is None else opacities * compensations
    reach = torch.clamp_max(torch.sqrt(2 * torch.log(torch.clamp_min(255 * strength, 1.0))), 3.33)
    diagonal = torch.stack([flat[:, 0, 0], flat[:, 1, 1]], dim=-1)
    radii = torch.ceil(reach[:, None] * torch.sqrt(diagonal)).detach()
    size = torch.tensor([width, height])
    seen = (z >= near_plane) & (z <= far_plane) & (after > 0) & (strength >= 1 / 255)
    seen &= (radii > radius_clip).any(-1)
    seen &= ((projected + radii > 0) & (projected - radii < size)).all(-1)
    radii = torch.where(seen[:, None], radii, 0.0).to(torch.int32)
    if packed:
        ids = seen.nonzero()[:, 0]
        nothing = torch.zeros_like(ids)
        found = (radii[ids], projected[ids], z[ids], conics[ids])
        return (nothing, nothing, ids, *found,
                None if compensations is None else compensations[ids])  # fmt: skip

    def spoiled(array):
        mask = seen.reshape(-1, *[1] * (array.ndim - 1))
        return torch.where(mask, array, torch.full_like(array, GARBAGE))[None]

    if compensations is not None:
        compensations = torch.where(seen, compensations, 0.0)[None]
    return radii[None], spoiled(projected), spoiled(z), spoiled(conics), compensations


def spherical_harmonics(degrees_to_use, dirs, coeffs, masks=None):
    count = len(dirs)
    assert dirs.shape == (count, 3)
    assert coeffs.shape[0] == count
    assert coeffs.shape[1] >= (degrees_to_use + 1) ** 2
    assert masks is None or masks.shape == (count,)
    x, y, z = torch.nn.functional.normalize(dirs, dim=-1).unbind(-1)
    basis = [torch.full_like(x, 0.28209479177387814)]
    if degrees_to_use > 0:
        basis += [-0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x]
    if degrees_to_use > 1:
        c = 1.0925484305920792
        basis += [c * x * y, -c * y * z, 0.31539156525252005 * (2 * z * z - x * x - y * y),
                  -c * x * z, 0.5462742152960396 * (x * x - y * y)]  # fmt: skip
    if degrees_to_use > 2:
        basis += [
            -0.5900435899266435 * y * (3 * x * x - y * y), 2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * z * z - x * x - y * y),
            0.3731763325901154 * z * (2 * z * z - 3 * x * x - 3 * y * y),
            -0.4570457994644658 * x * (4 * z * z - x * x - y * y),
            1.445305721320277 * z * (x * x - y * y), -0.5900435899266435 * x * (x * x - 3 * y * y),
        ]  # fmt: skip
    colors = (torch.stack(basis, dim=-1)[..., None] * coeffs[:, : len(basis)]).sum(dim=1)
    if masks is None:
        return colors
    return torch.where(masks[:, None], colors, torch.full_like(colors, GARBAGE))


def isect_tiles(
    means2d, radii, depths, tile_size, tile_width, tile_height, sort=True, segmented=False,
    packed=False, n_images=None, image_ids=None, gaussian_ids=None,
):  # fmt: skip
    if packed:
        count = len(means2d)
        assert n_images == 1
        assert image_ids.shape == gaussian_ids.shape == (count,)
        assert image_ids.dtype == gaussian_ids.dtype == torch.int64
        assert means2d.shape == (count, 2)
        assert depths.shape == (count,)
    else:
        count = means2d.shape[-2]
        assert means2d.shape == (1, count, 2)
        assert depths.shape == (1, count)
    assert radii.dtype == torch.int32
    means, sizes, z = means2d.reshape(-1, 2), radii.reshape(-1, 2), depths.reshape(-1)
    pairs = []
    for i in (sizes > 0).all(-1).nonzero()[:, 0].tolist():
        low = torch.floor((means[i] - sizes[i]) / tile_size).long()
        high = torch.ceil((means[i] + sizes[i]) / tile_size).long()
        for row in range(max(int(low[1]), 0), min(int(high[1]), tile_height)):
            columns = range(max(int(low[0]), 0), min(int(high[0]), tile_width))
            pairs += [(row * tile_width + column, float(z[i]), i) for column in columns]
    pairs.sort()
    keys = torch.tensor([tile << 32 for tile, _, _ in pairs], dtype=torch.int64)
    listed = torch.tensor([i for _, _, i in pairs], dtype=torch.int32)
    return torch.zeros(count, dtype=torch.int32), keys, listed


def isect_offset_encode(isect_ids, n_images, tile_width, tile_height):
    assert n_images == 1
    tiles = torch.arange(tile_width * tile_height)
    offsets = torch.searchsorted(isect_ids >> 32, tiles).to(torch.int32)
    return offsets.reshape(1, tile_height, tile_width)


def _tiles(lens, offsets, listed):
    """Pixel coordinates, flat pixel numbers and list of every tile."""
    width, height, side = lens
    across = offsets.shape[-1]
    ends = [*offsets.reshape(-1).tolist(), len(listed)]
    for tile in range(offsets.numel()):
        top, left = tile // across * side, tile % across * side
        rows = torch.arange(top, min(top + side, height))
        columns = torch.arange(left, min(left + side, width))
        v, u = torch.meshgrid(rows, columns, indexing="ij")
        yield u.reshape(-1), v.reshape(-1), listed[ends[tile] : ends[tile + 1]].tolist()


def _alpha(means, conics, opacities, i, u, v):
    dx, dy = means[i, 0] - (u + 0.5), means[i, 1] - (v + 0.5)
    a, b, c = conics[i]
    sigma = 0.5 * (a * dx * dx + c * dy * dy) + b * dx * dy
    alpha = torch.clamp_max(opacities[i] * torch.exp(-sigma), 0.999)
    return torch.where((sigma >= 0) & (alpha >= 1 / 255), alpha, torch.zeros_like(alpha))


def rasterize_to_pixels(
    means2d, conics, colors, opacities, image_width, image_height, tile_size, isect_offsets,
    flatten_ids, backgrounds=None, masks=None, packed=False, absgrad=False,
):  # fmt: skip
    lead = (len(means2d),) if packed else (1, means2d.shape[-2])
    channels = colors.shape[-1]
    assert 0 < channels <= 513
    assert means2d.shape == (*lead, 2)
    assert conics.shape == (*lead, 3)
    assert colors.shape == (*lead, channels)
    assert opacities.shape == lead
    assert backgrounds is None or backgrounds.shape == (1, channels)
    assert len(flatten_ids), "this stand-in insists: gsplat is never asked to draw nothing"
    means, forms = means2d.reshape(-1, 2), conics.reshape(-1, 3)
    paint, strengths = colors.reshape(-1, channels), opacities.reshape(-1)
    pieces, alphas, numbers = [], [], []
    for u, v, near_to_far in _tiles(
        (image_width, image_height, tile_size), isect_offsets, flatten_ids
    ):
        through = torch.ones(len(u))
        done = torch.zeros(len(u), dtype=torch.bool)
        total = torch.zeros(len(u), channels)
        for i in near_to_far:
            alpha = _alpha(means, forms, strengths, i, u, v)
            after = through * (1 - alpha)
            done = done | ((alpha > 0) & (after <= 1e-4))
            weight = torch.where(done, torch.zeros_like(alpha), alpha * through)
            total = total + weight[:, None] * paint[i]
            through = torch.where(done, through, after)
        if backgrounds is not None:
            total = total + through[:, None] * backgrounds[0]
        pieces.append(total)
        alphas.append(1 - through)
        numbers.append(v * image_width + u)
    order = torch.argsort(torch.cat(numbers))
    picture = torch.cat(pieces)[order].reshape(1, image_height, image_width, channels)
    return picture, torch.cat(alphas)[order].reshape(1, image_height, image_width, 1)


def rasterize_to_indices_in_range(
    range_start, range_end, transmittances, means2d, conics, opacities, image_width,
    image_height, tile_size, isect_offsets, flatten_ids,
):  # fmt: skip
    count = means2d.shape[-2]
    assert transmittances.shape == (1, image_height, image_width)
    assert means2d.shape == (1, count, 2)
    assert conics.shape == (1, count, 3)
    assert opacities.shape == (1, count)
    tiles = (math.ceil(image_height / tile_size), math.ceil(image_width / tile_size))
    assert isect_offsets.shape == (1, *tiles)
    block = tile_size * tile_size
    hits, where = [], []
    for u, v, near_to_far in _tiles(
        (image_width, image_height, tile_size), isect_offsets, flatten_ids
    ):
        through = transmittances[0, v, u].clone()
        done = torch.zeros(len(u), dtype=torch.bool)
        for i in near_to_far[range_start * block : range_end * block]:
            alpha = _alpha(means2d[0], conics[0], opacities[0], i, u, v)
            after = through * (1 - alpha)
            done |= (alpha > 0) & (after <= 1e-4)
            hit = (alpha > 0) & ~done
            through = torch.where(hit, after, through)
            where.append((v * image_width + u)[hit])
            hits.append(torch.full((int(hit.sum()),), i, dtype=torch.int64))
    nothing = torch.zeros(0, dtype=torch.int64)
    where, hits = torch.cat([nothing, *where]), torch.cat([nothing, *hits])
    # As gsplat's second pass does: pixel after pixel, near to far in each.
    order = torch.argsort(where, stable=True)
    return hits[order], where[order], torch.zeros_like(where)
