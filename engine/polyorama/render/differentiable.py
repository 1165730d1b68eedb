"""Pictures as torch tensors with gradients, on the CPU by our kernels, on CUDA through gsplat.

One call draws and can be differentiated with respect to every property of the splats, the camera
and the background::

    rendered = rasterize(means, quats, scales, opacities, sh, viewmat, lens)
    loss = (rendered.color - photograph).abs().mean()
    loss.backward()

Forward maths and constants are those of the `cpu` rasterizer; float64 tensors give float64
pictures, which is how the gradients are checked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from polyorama.errors import UsageError
from polyorama.render.cpu import gradients
from polyorama.render.cpu.pipeline import optics_array, view_array
from polyorama.render.state import MAX_FEATURES, PRESETS, Constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.types import Lens

__all__ = ["Rendered", "rasterize", "refuse_second_derivatives"]


class Rendered(NamedTuple):
    """Pictures, and what an optimiser wants to know of them.

    `color` (H, W, 3) over the background, `alpha` (H, W), `depth` (H, W) = sum(w z), `features`
    (H, W, F) or None; `visible` (n,) int64 indices of the splats that may be seen, `radii` (n,)
    half their larger side in pixels.
    """

    color: torch.Tensor
    alpha: torch.Tensor
    depth: torch.Tensor
    features: torch.Tensor | None
    visible: torch.Tensor
    radii: torch.Tensor

    @property
    def expected_depth(self) -> torch.Tensor:
        """(H, W), sum(w z) / sum(w), 0 where nothing is drawn."""
        return torch.where(self.alpha > 0, self.depth / self.alpha.clamp_min(1e-10), 0.0)


def rasterize(
    means: torch.Tensor,
    quats: torch.Tensor,
    scales: torch.Tensor,
    opacities: torch.Tensor,
    sh: torch.Tensor,
    viewmat: torch.Tensor,
    lens: Lens,
    *,
    features: torch.Tensor | None = None,
    background: torch.Tensor | None = None,
    screen: torch.Tensor | None = None,
    constants: Constants = PRESETS["gsplat-1.5.3"],
) -> Rendered:
    """Draw splats; every tensor may ask for gradients.

    Parameters
    ----------
    means, quats, scales, opacities, sh
        (N, 3), (N, 4) w x y z of any length, (N, 3), (N,) and (N, K, 3) with K = 1, 4, 9 or 16;
        natural form, all of one dtype (float32 or float64) and on one device.
    viewmat
        (4, 4), world to camera.
    lens
        The rest of the camera.
    features
        (N, F), F <= 32, further channels.
    background
        (3,) display RGB; None is black.
    screen
        (N, 2) zeros that receive the gradient of the projected means in pixels: what density
        control watches.
    constants
        Renderer constants.

    Raises
    ------
    UsageError
        If shapes, dtypes or devices disagree, or memory cannot hold what gradients need.
    UnavailableError
        If the tensors lie on a device that cannot draw here; the text says why.
    """
    if background is None:
        background = means.new_zeros(3)
    if screen is None:
        screen = means.new_zeros((len(means), 2))
    _check(means, quats, scales, opacities, sh, viewmat, features, background, screen)
    if means.device.type == "cuda":
        from polyorama.render.cuda_differentiable import rasterize_cuda

        return Rendered(*rasterize_cuda(
            means, quats, scales, opacities, sh, viewmat, lens, features=features,
            background=background, screen=screen, constants=constants,
        ))  # fmt: skip
    if means.device.type != "cpu":
        raise UsageError(f"Tensors on {means.device} cannot be drawn; move them to cpu or cuda.")
    with_features = features is not None
    if features is None:
        features = means.new_zeros((len(means), 0))
    color, alpha, depth, blended, visible, radii = _Rasterize.apply(  # type: ignore[no-untyped-call]
        means, quats, scales, opacities, sh, features, viewmat, background, screen, lens, constants
    )
    return Rendered(color, alpha, depth, blended if with_features else None, visible, radii)


def _check(
    means: torch.Tensor,
    quats: torch.Tensor,
    scales: torch.Tensor,
    opacities: torch.Tensor,
    sh: torch.Tensor,
    viewmat: torch.Tensor,
    features: torch.Tensor | None,
    background: torch.Tensor,
    screen: torch.Tensor,
) -> None:
    """Refuse tensors that do not fit together."""
    count = len(means)
    shapes: dict[str, tuple[torch.Tensor, tuple[int, ...]]] = {
        "means": (means, (count, 3)),
        "quats": (quats, (count, 4)),
        "scales": (scales, (count, 3)),
        "opacities": (opacities, (count,)),
        "sh": (sh, (count, sh.shape[1] if sh.ndim == 3 else 0, 3)),
        "viewmat": (viewmat, (4, 4)),
        "background": (background, (3,)),
        "screen": (screen, (count, 2)),
    }
    if features is not None:
        shapes["features"] = (features, (count, features.shape[-1]))
        if not 1 <= features.shape[-1] <= MAX_FEATURES:
            raise UsageError(f"A splat carries 1 to {MAX_FEATURES} feature channels.")
    for name, (tensor, shape) in shapes.items():
        if tuple(tensor.shape) != shape:
            raise UsageError(f"{name} has shape {tuple(tensor.shape)}; expected {shape}.")
        if tensor.dtype != means.dtype or tensor.device != means.device:
            raise UsageError(f"{name} is {tensor.dtype} on {tensor.device}, means is not.")
    if means.dtype not in (torch.float32, torch.float64):
        raise UsageError(f"Splats of {means.dtype} cannot be drawn; use float32 or float64.")
    if sh.shape[1] not in (1, 4, 9, 16):
        raise UsageError(f"{sh.shape[1]} SH coefficients a colour are not 1, 4, 9 or 16.")


class _Rasterize(torch.autograd.Function):
    """The bridge to `polyorama.render.cpu.gradients`."""

    @staticmethod
    def forward(
        ctx: Any,
        means: torch.Tensor,
        quats: torch.Tensor,
        scales: torch.Tensor,
        opacities: torch.Tensor,
        sh: torch.Tensor,
        features: torch.Tensor,
        viewmat: torch.Tensor,
        background: torch.Tensor,
        screen: torch.Tensor,
        lens: Lens,
        constants: Constants,
    ) -> tuple[torch.Tensor, ...]:
        inputs = (means, quats, scales, opacities, sh, features)
        splats = _arrays(inputs)
        pictures = gradients.forward(
            splats,
            # The matrix may be off its manifold by an optimiser's step: it is taken as it is.
            view_array(viewmat.detach().numpy(), splats.means.dtype),
            optics_array(lens, constants, splats.means.dtype),
            alpha_cap=constants.alpha_cap,
            background=tuple(background.detach().numpy()),
        )
        visible = torch.from_numpy(pictures.visible.astype(np.int64))
        radii = torch.from_numpy(pictures.radii)
        ctx.mark_non_differentiable(visible, radii)
        planes = (pictures.color, pictures.alpha, pictures.depth, pictures.features)
        drawn = [torch.from_numpy(plane) for plane in planes]
        # The arrays share their tensors' memory: torch then tells who changes one in between.
        ctx.save_for_backward(*inputs, *drawn)
        ctx.pictures = pictures
        return (*drawn, visible, radii)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        refuse_second_derivatives()
        inputs, drawn = ctx.saved_tensors[:6], ctx.saved_tensors[6:]
        names = ("color", "alpha", "depth", "features")
        planes = {name: tensor.numpy() for name, tensor in zip(names, drawn, strict=True)}
        result = gradients.backward(
            _arrays(inputs), replace(ctx.pictures, **planes),
            *(grad.contiguous().numpy() for grad in grads[:4]),
        )  # fmt: skip
        viewmat = np.zeros((4, 4), result.view.dtype)
        viewmat[:3] = result.view
        arrays = (
            result.means, result.quats, result.scales, result.opacities, result.sh,
            result.features, viewmat, result.background, result.screen,
        )  # fmt: skip
        return (*map(torch.from_numpy, arrays), None, None)


def refuse_second_derivatives() -> None:
    """Raise within a backward pass that shall be differentiated itself.

    Gradients made on plain arrays have no graph; torch would take them for constants, silently.

    Raises
    ------
    UsageError
        If there is to be a graph.
    """
    if torch.is_grad_enabled():
        raise UsageError(
            "Gradients of gradients of a picture are not known; differentiate without create_graph."
        )


def _arrays(tensors: Sequence[torch.Tensor]) -> gradients.Splats:
    return gradients.Splats(*(tensor.detach().contiguous().numpy() for tensor in tensors))
