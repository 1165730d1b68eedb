"""Pictures with gradients on CUDA tensors, through gsplat: what `differentiable` calls there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from polyorama.errors import UsageError
from polyorama.render.cuda.pipeline import Tensors, blend, project, shade, unsupported
from polyorama.render.cuda.probe import load_gsplat

if TYPE_CHECKING:
    from polyorama.core.types import Lens
    from polyorama.render.state import Constants

__all__ = ["rasterize_cuda"]


def rasterize_cuda(
    means: torch.Tensor,
    quats: torch.Tensor,
    scales: torch.Tensor,
    opacities: torch.Tensor,
    sh: torch.Tensor,
    viewmat: torch.Tensor,
    lens: Lens,
    *,
    features: torch.Tensor | None,
    background: torch.Tensor,
    screen: torch.Tensor,
    constants: Constants,
) -> tuple[
    torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None, torch.Tensor, torch.Tensor
]:
    """Draw; parameters are those of `differentiable.rasterize`.

    Returns
    -------
    The fields of `differentiable.Rendered`.

    Raises
    ------
    UsageError
        If the tensors are not float32, or gsplat's kernels do not have the constants.
    UnavailableError
        If gsplat's kernels cannot be had.
    """
    if means.dtype != torch.float32:
        raise UsageError(f"On CUDA splats are drawn in float32, and these are {means.dtype}.")
    trouble = unsupported(constants)
    if trouble:
        raise UsageError(f"CUDA tensors cannot be drawn with {trouble}; move them to the cpu.")
    gsplat = load_gsplat()
    splats = Tensors(means, quats, scales, opacities, sh, features)
    projection = project(gsplat, splats, viewmat, lens, constants, packed=False, screen=screen)
    # Colour, depth and features in one pass.
    channels = [shade(gsplat, splats, viewmat, projection), projection.depths[..., None]]
    if features is not None:
        channels.append(features[None])
    together = torch.cat(channels, dim=-1)
    under = torch.cat([background, background.new_zeros(together.shape[-1] - 3)])
    picture, alpha = blend(gsplat, projection, together, under)
    sizes = projection.radii[0].amax(dim=-1)
    visible = (projection.radii[0] > 0).all(dim=-1).nonzero()[:, 0]
    blended = None if features is None else picture[..., 4:]
    return picture[..., :3], alpha, picture[..., 3], blended, visible, sizes[visible].float()
