"""The steps of gsplat, put together as `cpu` does them, for frames and for gradients.

gsplat's own `rasterization` does the same, but keeps its projected means to itself, takes the eye
from an inverse, and lights orthographic views as if they came from a point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.core.types import Lens
    from polyorama.render.state import Constants

__all__ = ["Projection", "Tensors", "blend", "median", "project", "shade", "unsupported"]

TILE = 16
"""Side of gsplat's tiles in pixels."""

ALPHA_CAP = 0.999
"""Compiled into gsplat 1.5.3."""

JACOBIAN_MARGIN = 0.3
"""Compiled into gsplat 1.5.3; wider ones are had by projecting onto a wider picture."""

_PAIR_BYTES = 160
"""Memory that a pair of splat and pixel takes while medians are searched: gsplat's lists of them,
sorted, and half a dozen numbers of each."""

_MOST_PAIRS = 2**31 - 1
"""gsplat counts them in 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Tensors:
    """N splats in natural form, float32 on one device.

    `means` (N, 3), `quats` (N, 4) w x y z, `scales` (N, 3), `opacities` (N,), `sh` (N, K, 3),
    `features` (N, F) or None.
    """

    means: torch.Tensor
    quats: torch.Tensor
    scales: torch.Tensor
    opacities: torch.Tensor
    sh: torch.Tensor
    features: torch.Tensor | None = None

    def sound(self) -> Tensors:
        """The same with rows that are not finite, or turn nowhere, made invisible.

        gsplat has no test for them, and computes tile lists from whatever comes out.
        """
        good = self.quats.norm(dim=-1) > 0.0
        for array in (self.means, self.quats, self.scales, self.opacities, self.sh):
            finite = array.isfinite()
            while finite.ndim > 1:
                finite = finite.all(dim=-1)
            good &= finite
        if bool(good.all()):
            return self
        means, quats, scales, opacities, sh = (
            torch.where(good.reshape(-1, *[1] * (array.ndim - 1)), array, 0.0)
            for array in (self.means, self.quats, self.scales, self.opacities, self.sh)
        )
        quats[~good, 0] = 1.0
        return Tensors(means, quats, scales, opacities, sh, self.features)

    def subset(self, index: torch.Tensor) -> Tensors:
        """The splats of an index, in its order."""
        return Tensors(
            self.means[index], self.quats[index], self.scales[index], self.opacities[index],
            self.sh[index], None if self.features is None else self.features[index],
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Splats on the screen, and their lists by tile.

    Arrays have a leading axis of one picture where `ids` is None, one row a splat; else one row
    for each splat that may be seen, `ids` (n,) naming it.
    """

    means: torch.Tensor
    depths: torch.Tensor
    conics: torch.Tensor
    opacities: torch.Tensor
    radii: torch.Tensor
    ids: torch.Tensor | None
    lens: Lens
    offsets: torch.Tensor
    listed: torch.Tensor


def unsupported(constants: Constants) -> str:
    """What of a renderer's constants gsplat's kernels cannot do, in words, or nothing."""
    if constants.alpha_cap != ALPHA_CAP:
        return f"an alpha cap of {constants.alpha_cap:g} (gsplat's kernels have {ALPHA_CAP:g})"
    if constants.jacobian_margin < JACOBIAN_MARGIN:
        return f"a Jacobian margin of {constants.jacobian_margin:g}, below {JACOBIAN_MARGIN:g}"
    if constants.antialiased and constants.compensation_floor > 0.0:
        return f"a compensation floor of {constants.compensation_floor:g}"
    return ""


def project(
    gsplat: Any,
    splats: Tensors,
    viewmat: torch.Tensor,
    lens: Lens,
    constants: Constants,
    *,
    packed: bool,
    screen: torch.Tensor | None = None,
) -> Projection:
    """Project splats and list them by tile.

    Parameters
    ----------
    gsplat
        The module.
    splats, viewmat, lens, constants
        What is drawn, (4, 4) world to camera, and the rest of the camera.
    packed
        Keep arrays of the visible splats only: less memory, a little slower.
    screen
        (N, 2) zeros that shall receive the gradient of the projected means, or None.
    """
    wider, higher = (_widened(side, constants) for side in (lens.width, lens.height))
    beside, above = 0.5 * (wider - lens.width), 0.5 * (higher - lens.height)
    intrinsics = viewmat.new_tensor(
        [[lens.fx, 0.0, lens.cx + beside], [0.0, lens.fy, lens.cy + above], [0.0, 0.0, 1.0]]
    )
    found = gsplat.fully_fused_projection(
        splats.means, None, splats.quats, splats.scales, viewmat[None], intrinsics[None],
        wider, higher,
        eps2d=constants.dilation,
        packed=packed,
        near_plane=lens.near if constants.near is None else constants.near,
        far_plane=lens.far,
        calc_compensations=constants.antialiased,
        camera_model="ortho" if lens.orthographic else "pinhole",
        opacities=splats.opacities,
    )  # fmt: skip
    ids = None
    if packed:
        # Since 1.5: batch, camera and splat of each row come first.
        images, ids = found[1], found[2].long()
        opacities = splats.opacities[ids]
    else:
        images = None
        opacities = splats.opacities[None]
    radii, means, depths, conics, compensations = found[-5:]
    if wider > lens.width or higher > lens.height:
        means = means - means.new_tensor([beside, above])
        radii = _seen(means.detach(), radii, lens)
    if compensations is not None:
        opacities = opacities * compensations
    if screen is not None:
        means = means + (screen[None] if ids is None else screen[ids])
    across, down = math.ceil(lens.width / TILE), math.ceil(lens.height / TILE)
    with torch.no_grad():
        _, keys, listed = gsplat.isect_tiles(
            means, radii, depths, TILE, across, down,
            packed=packed, n_images=1, image_ids=images, gaussian_ids=ids,
        )  # fmt: skip
        offsets = gsplat.isect_offset_encode(keys, 1, across, down).reshape(1, down, across)
    return Projection(means, depths, conics, opacities, radii, ids, lens, offsets, listed)


def _widened(side: int, constants: Constants) -> int:
    """Pixels of a side on which the margin that is compiled in reaches as far as the one wanted."""
    if constants.jacobian_margin <= JACOBIAN_MARGIN:
        return side
    return math.ceil(side * (1.0 + constants.jacobian_margin) / (1.0 + JACOBIAN_MARGIN))


def _seen(means: torch.Tensor, radii: torch.Tensor, lens: Lens) -> torch.Tensor:
    """The radii, zero where no pixel of the picture is touched, as gsplat has them."""
    size = means.new_tensor([lens.width, lens.height])
    inside = ((means + radii > 0) & (means - radii < size)).all(dim=-1, keepdim=True)
    return torch.where(inside, radii, torch.zeros_like(radii))


def shade(
    gsplat: Any, splats: Tensors, viewmat: torch.Tensor, projection: Projection
) -> torch.Tensor:
    """Colours of the rows of a projection, from spherical harmonics, clamped at zero."""
    means, sh = splats.means, splats.sh
    if projection.ids is not None:
        means, sh = means[projection.ids], sh[projection.ids]
    if projection.lens.orthographic:
        directions = viewmat[2, :3].expand_as(means)
    else:
        directions = means + viewmat[:3, :3].T @ viewmat[:3, 3]
    seen = (projection.radii > 0).all(dim=-1).reshape(-1)
    degree = {1: 0, 4: 1, 9: 2, 16: 3}[sh.shape[1]]
    colors = gsplat.spherical_harmonics(degree, directions, sh, masks=seen)
    colors = torch.clamp_min(colors + 0.5, 0.0)
    return colors if projection.ids is not None else colors[None]


def blend(
    gsplat: Any,
    projection: Projection,
    channels: torch.Tensor,
    background: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Blend channels of a projection's rows: (H, W, C) over a background (C,), and alpha (H, W)."""
    lens = projection.lens
    if projection.listed.numel() == 0:
        # Nothing is seen, which is no case for kernels. The sums are of no rows, so they are zero,
        # and a loss still has gradients.
        seen = (projection.radii > 0).all(dim=-1)
        nothing = channels[seen].sum() + projection.means[seen].sum()
        count = channels.shape[-1]
        under = channels.new_zeros(count) if background is None else background
        picture = under.expand(lens.height, lens.width, count) + nothing
        return picture, channels.new_zeros(lens.height, lens.width) + nothing
    colors, alphas = gsplat.rasterize_to_pixels(
        projection.means, projection.conics, channels, projection.opacities,
        lens.width, lens.height, TILE, projection.offsets, projection.listed,
        backgrounds=None if background is None else background[None],
        packed=projection.ids is not None,
    )  # fmt: skip
    return colors[0], alphas[0, ..., 0]


def median(gsplat: Any, projection: Projection) -> tuple[torch.Tensor, torch.Tensor]:
    """Index (H, W) int64 and depth (H, W) of the last splat hit while over half the light passes.

    gsplat tells which splats hit which pixels, batch by batch of a tile's list; pixels that are
    half covered take no part any more, so few batches are needed. A batch may give 256 pairs a
    pixel: the picture is gone through in bands of tile rows that fit into half of the free memory.
    """
    lens = projection.lens
    device = projection.means.device
    ids = torch.full((lens.height, lens.width), -1, dtype=torch.int64, device=device)
    depths = torch.zeros(lens.height, lens.width, device=device)
    if projection.listed.numel() == 0:
        return ids, depths
    # One picture of n rows, packed or not.
    rows = replace(
        projection,
        means=projection.means.reshape(1, -1, 2),
        conics=projection.conics.reshape(1, -1, 3),
        opacities=projection.opacities.reshape(1, -1),
    )
    ends = torch.cat(
        [rows.offsets.reshape(-1), rows.offsets.new_tensor([rows.listed.numel()])]
    ).long()
    lengths = (ends[1:] - ends[:-1]).reshape(rows.offsets.shape[1:])
    most = lengths.clamp_max(TILE * TILE).sum(dim=1) * TILE * TILE
    room = min(_free_bytes(device) // (2 * _PAIR_BYTES), _MOST_PAIRS)
    for top, bottom in _bands(most.tolist(), room):
        band = replace(
            rows,
            means=rows.means - rows.means.new_tensor([0.0, float(top * TILE)]),
            offsets=rows.offsets[:, top:bottom],
            listed=rows.listed[: int(ends[bottom * lengths.shape[1]])],
        )
        batches = -(-int(lengths[top:bottom].max()) // (TILE * TILE))
        _search(gsplat, band, batches, ids[top * TILE : bottom * TILE])
    found = ids >= 0
    depths[found] = rows.depths.reshape(-1)[ids[found]]
    if projection.ids is not None:
        ids[found] = projection.ids[ids[found]]
    return ids, depths


def _free_bytes(device: torch.device) -> int:
    """What PyTorch may still take of a GPU's memory: the driver's, and what it keeps itself."""
    free, _ = torch.cuda.mem_get_info(device)
    return free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)


def _bands(sizes: list[int], room: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows, as long as their sizes together fit into the room; one row at the least."""
    start, taken = 0, 0
    for row, size in enumerate(sizes):
        if row > start and taken + size > room:
            yield start, row
            start, taken = row, 0
        taken += size
    yield start, len(sizes)


def _search(gsplat: Any, band: Projection, batches: int, ids: torch.Tensor) -> None:
    """Fill `ids` (h, W) with the rows of the medians in a band of that many rows of pixels."""
    height, width = ids.shape
    through = torch.ones(height * width, device=ids.device)
    found = ids.reshape(-1)
    for batch in range(batches):
        hit, where, _ = gsplat.rasterize_to_indices_in_range(
            batch, batch + 1, through.reshape(1, height, width), band.means, band.conics,
            band.opacities, width, height, TILE, band.offsets, band.listed,
        )  # fmt: skip
        if hit.numel() == 0:
            continue
        _follow(band, hit.long(), where.long(), through, found)
        if not bool((through > 0.0).any()):
            break


def _follow(
    rows: Projection,
    hit: torch.Tensor,
    where: torch.Tensor,
    through: torch.Tensor,
    ids: torch.Tensor,
) -> None:
    """Carry transmittance (pixels,) through pairs of row and pixel, near to far at each pixel.

    `ids` gets the last row hit while `through` is above one half; below that it is set to zero, so
    that gsplat leaves the pixel out.
    """
    where, order = torch.sort(where, stable=True)
    hit = hit[order]
    width = rows.lens.width
    centers = torch.stack([where % width, where // width], dim=-1).float() + 0.5
    away = rows.means[0, hit] - centers
    a, b, c = rows.conics[0, hit].unbind(-1)
    power = 0.5 * (a * away[:, 0] ** 2 + c * away[:, 1] ** 2) + b * away[:, 0] * away[:, 1]
    alpha = torch.clamp_max(rows.opacities[0, hit] * torch.exp(-power), ALPHA_CAP)
    # Sums in float64: they run over every pair of the picture.
    log_through = torch.log1p(-alpha.double())
    before = torch.cumsum(log_through, 0) - log_through
    first = torch.searchsorted(where, where)
    passing = through[where].double() * torch.exp(before - before[first])
    open_pairs = passing > 0.5
    counts = torch.bincount(where[open_pairs], minlength=len(through))
    starts = torch.searchsorted(where, torch.arange(len(through), device=where.device))
    some = counts > 0
    ids[some] = hit[(starts + counts - 1)[some]]
    total = torch.zeros(len(through), dtype=torch.float64, device=where.device)
    total.index_add_(0, where, log_through)
    after = through * torch.exp(total).float()
    through.copy_(torch.where(after > 0.5, after, torch.zeros_like(after)))
