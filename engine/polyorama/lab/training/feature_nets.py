r"""Many networks at once in the mean-field parametrisation, with an output scaled by 1 / gamma.

Read from top to bottom this is the method of Atanasov, Meterez, Simon & Pehlevan, "The optimization
landscape of SGD across the feature learning strength" (ICLR 2025, arXiv 2410.04642):

.. math::
    f(x) = \frac{NN(x; \theta) - NN(x; \theta_0)}{\gamma}, \qquad
    \theta \leftarrow \theta - N \eta \, \nabla_\theta \, \mathrm{mean}\, \ell(f, y)

All weights are drawn from N(0, 1) and trained as such; hidden layers multiply by 1 / sqrt(fan in),
the last one by 1 / N. Nothing else depends on gamma: neither the loss nor the learning rate.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import torch

from polyorama.errors import UsageError
from polyorama.lab.streams import torch_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DOUBLE_BELOW", "Network", "Stack", "losses_of"]

DOUBLE_BELOW = 1e-2
"""Below this gamma NN - NN_0 is too small a difference for float32; the authors use float64 too."""

_SIDE, _KERNEL = 8, 3
"""Pixels along a picture and along a filter of the convolutional network."""


@dataclass(frozen=True)
class Network:
    """The shape of a network; its weights are tensors (K, in, out), one of K networks each.

    Parameters
    ----------
    kind
        "mlp", fully connected, or "conv" over 8x8 pictures: a convolution of 3x3 and one of 2x2,
        both at stride 2, a hidden layer and a readout.
    depth
        L, the number of weight matrices; 4 for "conv".
    inputs, outputs
        Numbers in (64 for "conv") and out.
    width
        N, neurons of each hidden layer; the convolutions have N / 2 channels.

    Raises
    ------
    UsageError
        If a size fits no such network.
    """

    kind: str
    depth: int
    inputs: int
    width: int
    outputs: int

    def __post_init__(self) -> None:
        if self.kind not in ("mlp", "conv"):
            raise UsageError(f"A network is 'mlp' or 'conv', not {self.kind!r}.")
        if self.depth < 2 or min(self.inputs, self.width, self.outputs) < 1:
            raise UsageError("A network has at least two weight matrices and one neuron a layer.")
        if self.kind == "conv" and (self.depth, self.inputs) != (4, _SIDE**2):
            raise UsageError("The convolutional network has 4 weight matrices and 8x8 inputs.")
        if self.kind == "conv" and self.width < 2:
            raise UsageError("The convolutional network has at least two neurons a layer.")

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """(fan in, fan out) of each weight matrix."""
        if self.kind == "conv":
            channels, patch = self.width // 2, _KERNEL**2
            return (
                (patch, channels), (4 * channels, channels), (4 * channels, self.width),
                (self.width, self.outputs),
            )  # fmt: skip
        hidden = [self.width] * (self.depth - 1)
        sizes = [self.inputs, *hidden, self.outputs]
        return tuple(itertools.pairwise(sizes))

    def initial(self, seed: int) -> list[torch.Tensor]:
        """theta_0: weights (1, in, out) float64 from N(0, 1), the same for every gamma and eta."""
        luck = torch.Generator().manual_seed(torch_seed(seed, "weights"))
        return [
            torch.randn(1, *shape, generator=luck, dtype=torch.float64) for shape in self.shapes
        ]

    def __call__(self, weights: Sequence[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """NN(x; theta), (K, B, outputs).

        Parameters
        ----------
        weights
            One a layer, (K, in, out); biases are 0.
        x
            (B, inputs), shared by all networks, or (K, B, inputs).
        """
        h = x if x.ndim == 3 else x[None]
        if self.kind == "conv":
            h = self._patches(h)
        *hidden, last = weights
        for weight in hidden:
            # The next convolution sees four places at once, which lie beside each other.
            h = h.reshape(h.shape[0], -1, weight.shape[-2])
            h = torch.relu(torch.matmul(h, weight) / math.sqrt(weight.shape[-2]))  # 1/sqrt(fan in)
        return torch.matmul(h, last) / last.shape[-2]  # 1 / N

    @staticmethod
    def _patches(x: torch.Tensor) -> torch.Tensor:
        """(K, B * 16, 9): what the filters of the first convolution see."""
        # A pixel of zero behind the last one is what lies outside of the picture.
        padded = torch.nn.functional.pad(x, (0, 1))
        return padded[:, :, _places()].reshape(x.shape[0], -1, _KERNEL**2)


@cache
def _places() -> torch.Tensor:
    """(16, 9) pixels of every 3x3 patch at stride 2, the four of each quarter one after another."""
    found = []
    for quarter in range(4):
        for place in range(4):
            row = 4 * (quarter // 2) + 2 * (place // 2)
            column = 4 * (quarter % 2) + 2 * (place % 2)
            found.append(
                [
                    y * _SIDE + x if 0 <= y < _SIDE and 0 <= x < _SIDE else _SIDE**2
                    for y in range(row - 1, row + 2)
                    for x in range(column - 1, column + 2)
                ]
            )
    return torch.tensor(found)


def losses_of(f: torch.Tensor, y: torch.Tensor, entropy: bool) -> torch.Tensor:
    """(K,) mean losses over the batch, and over the outputs where they are squares.

    Parameters
    ----------
    f
        (K, B, C) outputs.
    y
        (B, C) targets; one-hot for classes.
    entropy
        Cross-entropy of the softmax, in nats, instead of squares.
    """
    if entropy:
        return -(y * torch.log_softmax(f, dim=-1)).sum(-1).mean(-1)
    return ((f - y) ** 2).mean((-2, -1))


class Stack:
    """K networks of one shape that start at the same theta_0 and are trained in one batch.

    Parameters
    ----------
    network
        Their shape.
    initial
        theta_0, as `Network.initial`.
    gammas, etas
        (K,) feature learning strengths and learning rates, above zero.
    dtype
        Of the weights: float32 or float64.
    entropy
        As `losses_of`.
    """

    def __init__(
        self,
        network: Network,
        initial: Sequence[torch.Tensor],
        gammas: NDArray[np.float64],
        etas: NDArray[np.float64],
        dtype: torch.dtype = torch.float64,
        entropy: bool = False,
    ) -> None:
        self.network = network
        self.entropy = entropy
        self.gammas = torch.as_tensor(gammas, dtype=dtype)
        self.etas = torch.as_tensor(etas, dtype=dtype)
        self.frozen = [weight.to(dtype) for weight in initial]
        self.weights = [
            weight.expand(len(gammas), -1, -1).clone().requires_grad_() for weight in self.frozen
        ]

    @property
    def dtype(self) -> torch.dtype:
        """Of the weights."""
        return self.gammas.dtype

    def outputs(self, x: torch.Tensor) -> torch.Tensor:
        """(K, B, C): f(x) = [NN(x; theta) - NN(x; theta_0)] / gamma."""
        with torch.no_grad():
            frozen = self.network(self.frozen, x)
        return (self.network(self.weights, x) - frozen) / self.gammas[:, None, None]

    def step(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """One step of SGD down the loss of a batch, no momentum.

        Parameters
        ----------
        x, y
            (B, inputs) and (B, outputs) in the dtype of the weights.

        Returns
        -------
        losses
            (K,) before the step.
        """
        losses = losses_of(self.outputs(x), y, self.entropy)
        # No network sees another's weights, so the gradient of the sum is that of each.
        gradients = torch.autograd.grad(losses.sum(), self.weights)
        rate = self.network.width * self.etas  # N eta
        with torch.no_grad():
            for weight, gradient in zip(self.weights, gradients, strict=True):
                weight.sub_(rate[:, None, None] * gradient)
        return losses.detach()

    def movement(self) -> torch.Tensor:
        """(K,) |theta - theta_0| / |theta_0|."""
        with torch.no_grad():
            moved = torch.stack(
                [
                    ((w - w0) ** 2).sum((1, 2))
                    for w, w0 in zip(self.weights, self.frozen, strict=True)
                ]
            ).sum(0)
            size = torch.stack([(w0**2).sum() for w0 in self.frozen]).sum()
            return torch.sqrt(moved / size)

    def keep(self, chosen: torch.Tensor) -> None:
        """Go on with the networks at these places, (M,) int64, only."""
        self.gammas, self.etas = self.gammas[chosen], self.etas[chosen]
        self.weights = [w.detach()[chosen].requires_grad_() for w in self.weights]
