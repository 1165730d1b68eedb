r"""A close look at single networks: sharpness, tangent kernel, singular values.

All of these take a batch of networks of one shape, weights (K, in, out) float64, so that every
checkpoint of a run, or every strength of a plane, is looked at at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from polyorama.lab.training.feature_nets import losses_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.lab.training.feature_nets import Network

__all__ = ["alignment", "kernel_change", "sharpness", "singular_values", "tangent_kernel"]


def tangent_kernel(
    network: Network, weights: Sequence[torch.Tensor], gammas: torch.Tensor, x: torch.Tensor
) -> torch.Tensor:
    r"""The neural tangent kernel, traced over the outputs.

    .. math:: K(x, x') = \sum_c \nabla_\theta f_c(x) \cdot \nabla_\theta f_c(x')

    Parameters
    ----------
    network, weights, gammas
        K networks: their shape, weights (K, in, out) and strengths (K,).
    x
        (P, inputs).

    Returns
    -------
    kernel
        (K, P, P) float64.
    """
    count, points = len(gammas), len(x)
    # A network for each example: the gradient of a sum is then that of every example by itself.
    own = [w.repeat_interleave(points, dim=0).requires_grad_() for w in weights]
    f = network(own, x.repeat(count, 1)[:, None, :])[:, 0, :]
    kernel = torch.zeros(count, points, points, dtype=torch.float64)
    for c in range(network.outputs):
        gradients = torch.autograd.grad(f[:, c].sum(), own, retain_graph=c + 1 < network.outputs)
        for gradient in gradients:
            rows = gradient.reshape(count, points, -1)
            kernel += rows @ rows.transpose(1, 2)
    return kernel / (gammas**2)[:, None, None]


def kernel_change(kernel: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    """(K,) |K_t - K_0| / |K_0| in the Frobenius norm, of (K, P, P) kernels."""
    change: torch.Tensor = torch.linalg.matrix_norm(kernel - first)
    size: torch.Tensor = torch.linalg.matrix_norm(first)
    return change / size


def alignment(kernel: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    r"""(K,) alignment of kernels (K, P, P) with targets (P, C), 0..1.

    .. math:: \frac{\mathrm{tr}(Y^T K Y)}{|K|_F \, |Y Y^T|_F}
    """
    along = torch.einsum("pc,kpq,qc->k", y, kernel, y)
    size: torch.Tensor = torch.linalg.matrix_norm(kernel)
    target: torch.Tensor = torch.linalg.matrix_norm(y @ y.T)
    return along / (size * target)


def singular_values(weights: Sequence[torch.Tensor], layer: int, count: int) -> torch.Tensor:
    """(K, count) largest singular values of a layer's matrices over sqrt(fan in), falling."""
    weight = weights[layer]
    values: torch.Tensor = torch.linalg.svdvals(weight)
    return values[:, :count] / math.sqrt(weight.shape[-2])


def sharpness(
    network: Network,
    weights: Sequence[torch.Tensor],
    initial: Sequence[torch.Tensor],
    gammas: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    entropy: bool,
    iterations: int = 10,
) -> torch.Tensor:
    r"""N times the top eigenvalue of the Hessian of the loss, by Lanczos' method.

    As the learning rate is N eta, gradient descent is stable where this is below 2 / eta.

    Parameters
    ----------
    network, weights, initial, gammas
        K networks: their shape, weights (K, in, out), theta_0 (1, in, out) and strengths (K,).
    x, y
        (P, inputs) and (P, C).
    entropy
        As `losses_of`.
    iterations
        Products with the Hessian, at most the number of weights.

    Returns
    -------
    sharpness
        (K,) float64; a lower bound that is exact after as many products as there are weights.
    """
    own = [w.detach().clone().requires_grad_() for w in weights]
    with torch.no_grad():
        frozen = network(initial, x)
    f = (network(own, x) - frozen) / gammas[:, None, None]
    gradient = torch.autograd.grad(losses_of(f, y, entropy).sum(), own, create_graph=True)

    def product(vector: torch.Tensor) -> torch.Tensor:
        parts = torch.split(vector, [w[0].numel() for w in own], dim=1)
        shaped = [part.reshape(w.shape) for part, w in zip(parts, own, strict=True)]
        found = torch.autograd.grad(gradient, own, shaped, retain_graph=True)
        return torch.cat([g.reshape(len(gammas), -1) for g in found], dim=1)

    # The gradient is a good start: most of it lies along the sharpest directions.
    vector = torch.cat([g.detach().reshape(len(gammas), -1) for g in gradient], dim=1)
    vector = _unit(vector)
    basis: list[torch.Tensor] = []
    diagonal: list[torch.Tensor] = []
    beside: list[torch.Tensor] = []
    for _ in range(iterations):
        basis.append(vector)
        image = product(vector)
        diagonal.append((image * vector).sum(1))
        for _ in range(2):  # twice is enough to stay orthogonal
            for known in basis:
                image = image - (image * known).sum(1, keepdim=True) * known
        length = image.norm(dim=1)
        beside.append(length)
        vector = _unit(image)
    triangle = torch.diag_embed(torch.stack(diagonal, 1))
    if iterations > 1:
        off = torch.stack(beside[:-1], 1)
        triangle = triangle + torch.diag_embed(off, 1) + torch.diag_embed(off, -1)
    top: torch.Tensor = torch.linalg.eigvalsh(triangle)[:, -1]
    return network.width * top


def _unit(vectors: torch.Tensor) -> torch.Tensor:
    """Rows of length 1; rows of zeros stay."""
    return torch.nn.functional.normalize(vectors, dim=1, eps=1e-300)
