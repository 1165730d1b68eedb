"""How far a drawn picture is from a photograph: L1, SSIM and PSNR on tensors.

SSIM compares means, variances and covariance under a Gaussian window of 11 pixels, sigma 1.5
(Wang et al., 2004): with mu and E blurred values and products,

    S = (2 mu_x mu_y + C1) (2 s_xy + C2) / ((mu_x^2 + mu_y^2 + C1) (s_x^2 + s_y^2 + C2)).

Its gradient is written out by hand: the window is symmetric, so going back is one more blur.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from polyorama.render.differentiable import refuse_second_derivatives
from polyorama.vision.fit.similarity import (
    C1,
    C2,
    RADIUS,
    similarity,
    similarity_gradient,
    window,
)

__all__ = ["Moments", "moments", "photometric_loss", "psnr", "ssim"]


class Moments(NamedTuple):
    """A photograph and its square under the window, (H, W, 3) each: the same in every step."""

    mean: torch.Tensor
    square: torch.Tensor


def moments(photograph: torch.Tensor) -> Moments:
    """What SSIM needs of a (H, W, 3) photograph alone."""
    planes = photograph.permute(2, 0, 1)
    blurred = _blur(torch.cat([planes, planes * planes])).permute(1, 2, 0)
    return Moments(blurred[..., :3].contiguous(), blurred[..., 3:].contiguous())


def ssim(
    drawn: torch.Tensor, photograph: torch.Tensor, known: Moments | None = None
) -> torch.Tensor:
    """Mean structural similarity, a scalar up to 1, of (H, W, 3) pictures in 0..1.

    Outside the picture is black on both sides. Only `drawn` gets gradients. `known` is
    ``moments(photograph)``, where it was kept.
    """
    if known is None:
        known = moments(photograph)
    function = _Compiled if drawn.device.type == "cpu" else _Similarity
    result: torch.Tensor = function.apply(drawn, photograph, *known)  # type: ignore[no-untyped-call]
    return result


def psnr(drawn: torch.Tensor, photograph: torch.Tensor, mask: torch.Tensor | None = None) -> float:
    """Peak signal-to-noise ratio in dB of (H, W, 3) pictures in 0..1, over an (H, W) mask."""
    squared = (drawn.clamp(0.0, 1.0) - photograph) ** 2
    mean = float((squared if mask is None else squared[mask]).mean())
    return math.inf if mean == 0.0 else -10.0 * math.log10(mean)


def photometric_loss(
    drawn: torch.Tensor,
    photograph: torch.Tensor,
    *,
    ssim_weight: float = 0.2,
    mask: torch.Tensor | None = None,
    known: Moments | None = None,
) -> torch.Tensor:
    """``(1 - w) L1 + w (1 - SSIM)``, a scalar.

    Parameters
    ----------
    drawn, photograph
        (H, W, 3), 0..1.
    ssim_weight
        w, 0 to 1.
    mask
        (H, W) bool, the pixels that count. The others take the photograph's values, so that
        windows which reach over them see no difference there.
    known
        ``moments(photograph)``, where it was kept.
    """
    share = 1.0
    if mask is not None:
        drawn = torch.where(mask[..., None], drawn, photograph)
        share = max(float(mask.float().mean()), 1e-6)
    loss = (1.0 - ssim_weight) * (drawn - photograph).abs().mean()
    if ssim_weight > 0.0:
        loss = loss + ssim_weight * (1.0 - ssim(drawn, photograph, known))
    return loss / share


class _Compiled(torch.autograd.Function):
    """Mean SSIM on the CPU, by the kernels of `similarity`."""

    @staticmethod
    def forward(
        ctx: Any,
        drawn: torch.Tensor,
        photograph: torch.Tensor,
        mean_y: torch.Tensor,
        square_y: torch.Tensor,
    ) -> torch.Tensor:
        arrays = [
            tensor.detach().contiguous().numpy() for tensor in (drawn, photograph, mean_y, square_y)
        ]
        value, ctx.maps = similarity(*arrays)
        ctx.save_for_backward(drawn, photograph)
        return drawn.new_tensor(value)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        refuse_second_derivatives()
        x, y = (tensor.detach().contiguous().numpy() for tensor in ctx.saved_tensors)
        grad = similarity_gradient(x, y, ctx.maps, float(grads[0]) / x.size)
        return torch.from_numpy(grad), None, None, None


class _Similarity(torch.autograd.Function):
    """Mean SSIM anywhere; the forward pass already makes what the backward pass blurs."""

    @staticmethod
    def forward(
        ctx: Any,
        drawn: torch.Tensor,
        photograph: torch.Tensor,
        mean_y: torch.Tensor,
        square_y: torch.Tensor,
    ) -> torch.Tensor:
        x, y, mean_y, square_y = (
            tensor.permute(2, 0, 1) for tensor in (drawn, photograph, mean_y, square_y)
        )
        mean_x, square_x, product = torch.split(_blur(torch.cat([x, x * x, x * y])), 3)
        variances = square_x - mean_x * mean_x + square_y - mean_y * mean_y + C2
        squares = mean_x * mean_x + mean_y * mean_y + C1
        a = 2.0 * mean_x * mean_y + C1
        b = 2.0 * (product - mean_x * mean_y) + C2
        below = squares * variances
        similarity = a * b / below
        if ctx.needs_input_grad[0]:
            by_square = -similarity / variances
            by_product = 2.0 * a / below
            by_mean = (
                2.0 * mean_y * (b - a) / below
                - 2.0 * mean_x * similarity / squares
                - 2.0 * mean_x * by_square
            )
            maps = torch.cat([by_mean, by_square, by_product])
            ctx.save_for_backward(drawn, photograph, maps)
        return similarity.mean()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        refuse_second_derivatives()
        drawn, photograph, maps = ctx.saved_tensors
        x, y = drawn.permute(2, 0, 1), photograph.permute(2, 0, 1)
        by_mean, by_square, by_product = torch.split(_blur(maps), 3)
        grad = by_mean + 2.0 * x * by_square + y * by_product
        return (grad * (grads[0] / x.numel())).permute(1, 2, 0), None, None, None


@functools.lru_cache(maxsize=8)
def _window(channels: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    row = torch.from_numpy(window()).to(device, dtype)
    return row.repeat(channels, 1, 1, 1)


def _blur(planes: torch.Tensor) -> torch.Tensor:
    """The Gaussian window over (C, H, W), black outside."""
    channels = len(planes)
    rows = _window(channels, planes.dtype, planes.device)
    wide = functional.conv2d(planes[None], rows, padding=(0, RADIUS), groups=channels)
    columns = rows.transpose(2, 3)
    return functional.conv2d(wide, columns, padding=(RADIUS, 0), groups=channels)[0]
