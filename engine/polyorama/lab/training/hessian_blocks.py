"""The exact Hessian of a small classifier while it learns, in blocks of single neurons.

That it is nearly block-diagonal is what Adam-mini stands on (Zhang et al., ICLR 2025):
within a dense block, one learning rate is enough.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from torch.nn import functional

from polyorama.lab.streams import stream, torch_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Classifier", "Network", "block_eigenvalues", "block_share", "hessian_of"]

_Flat = TypeVar("_Flat", torch.Tensor, "NDArray[np.float64]")

_INPUTS, _SAMPLES = 16, 240
_NOISE = 0.7
"""Spread of a class about its centre, whose own spread is 1."""


@dataclass(frozen=True, slots=True)
class Network:
    """A classifier with hidden layers of tanh, as one flat vector of weights.

    Parameters
    ----------
    widths
        Neurons of the input and of each layer.
    """

    widths: tuple[int, ...]

    @property
    def owner(self) -> NDArray[np.int64]:
        """The neuron that each weight leads into; a neuron's weights follow one another."""
        owners = []
        first = 0
        for inner, outer in itertools.pairwise(self.widths):
            owners.append(np.repeat(np.arange(first, first + outer), inner + 1))
            first += outer
        return np.concatenate(owners)

    def start(self, seed: int) -> torch.Tensor:
        """Weights whose outputs have about unit variance, float64; biases are zero."""
        luck = torch.Generator().manual_seed(seed)
        layers = []
        for inner, outer in itertools.pairwise(self.widths):
            weights = torch.randn(outer, inner, generator=luck, dtype=torch.float64) / inner**0.5
            layers.append(torch.cat([weights, torch.zeros(outer, 1, dtype=torch.float64)], dim=1))
        return torch.cat([layer.reshape(-1) for layer in layers])

    def matrices(self, flat: _Flat) -> list[_Flat]:
        """The layers, each (outputs, inputs + 1) with the bias last: views of `flat`."""
        found, first = [], 0
        for inner, outer in itertools.pairwise(self.widths):
            found.append(flat[first : first + outer * (inner + 1)].reshape(outer, inner + 1))
            first += outer * (inner + 1)
        return found

    def loss(self, flat: torch.Tensor, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Mean cross-entropy, nats, of samples (N, inputs)."""
        *hidden, last = self.matrices(flat)
        x = inputs
        for layer in hidden:
            x = torch.tanh(functional.linear(x, layer[:, :-1], layer[:, -1]))
        return functional.cross_entropy(functional.linear(x, last[:, :-1], last[:, -1]), labels)


def hessian_of(
    network: Network, flat: torch.Tensor, inputs: torch.Tensor, labels: torch.Tensor
) -> NDArray[np.float64]:
    """All second derivatives of the loss, (P, P), exact.

    The weight from input j to neuron i of layer l acts through z_l[i] alone, times that input. So
    for l <= m, with a the inputs of layers and d_m = dL/dz_m of a sample,

    H[l i j, m k q] = sum over samples of  a_l[j] a_m[q] dd_m[k]/dz_l[i]
                                         + a_l[j] d_m[k] da_m[q]/dz_l[i]     (l < m)
    """
    layers = network.matrices(flat.detach().numpy())
    count, depth = len(inputs), len(layers)
    ones = np.ones((count, 1))
    fed, activations = [], inputs.numpy()
    for layer in layers:
        fed.append(np.concatenate([activations, ones], axis=1))
        sums = fed[-1] @ layer.T
        activations = np.tanh(sums)
    odds = np.exp(sums - sums.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    # d_m = (W_{m+1}' d_{m+1}) * tanh'(z_m), from the last layer down.
    back = odds - np.eye(odds.shape[1])[labels.numpy()]
    arriving: list[NDArray[np.float64]] = [back]
    deltas: list[NDArray[np.float64]] = [back]
    for m in range(depth - 1, 0, -1):
        arriving.insert(0, deltas[0] @ layers[m][:, :-1])
        deltas.insert(0, arriving[0] * (1.0 - fed[m][:, :-1] ** 2))
    blocks: list[list[NDArray[np.float64]]] = [[np.empty(0)] * depth for _ in range(depth)]
    for l in range(depth):  # noqa: E741 - as in the formula
        # J_m = dz_m/dz_l and G_m = da_{m+1}/dz_l of each sample, upwards from l.
        width = layers[l].shape[0]
        jacobians = [np.broadcast_to(np.eye(width), (count, width, width))]
        fed_by: list[NDArray[np.float64]] = []
        for m in range(l + 1, depth):
            slopes = 1.0 - fed[m][:, :-1] ** 2
            fed_by.append(slopes[:, :, None] * jacobians[-1])
            jacobians.append(layers[m][:, :-1] @ fed_by[-1])
        # dd_m/dz_l, downwards from the last layer.
        last = jacobians[-1]
        turned = odds[:, :, None] * (last - odds[:, None, :] @ last)
        for m in range(depth - 1, l - 1, -1):
            if m < depth - 1:
                above = fed[m + 1][:, :-1]
                slopes = 1.0 - above**2
                bend = arriving[m] * -2.0 * above * slopes
                turned = slopes[:, :, None] * (layers[m + 1][:, :-1].T @ turned)
                turned = turned + bend[:, :, None] * jacobians[m - l]
            block = _summed(turned, fed[l], fed[m])
            if m > l:
                block[..., :-1] += _summed_outer(fed[l], deltas[m], fed_by[m - l - 1])
            flat_block = block.reshape(layers[l].size, layers[m].size) / count
            blocks[l][m], blocks[m][l] = flat_block, flat_block.T
    return np.block(blocks)


def _summed(
    turned: NDArray[np.float64], below: NDArray[np.float64], above: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum over samples n of turned[n, k, i] below[n, j] above[n, q], as (i, j, k, q)."""
    count, k, i = turned.shape
    outer = (below[:, :, None] * above[:, None, :]).reshape(count, -1)
    product = turned.reshape(count, -1).T @ outer
    return product.reshape(k, i, below.shape[1], above.shape[1]).transpose(1, 2, 0, 3).copy()


def _summed_outer(
    below: NDArray[np.float64], deltas: NDArray[np.float64], fed_by: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum over samples n of below[n, j] deltas[n, k] fed_by[n, q, i], as (i, j, k, q)."""
    count, q, i = fed_by.shape
    outer = (below[:, :, None, None] * fed_by[:, None]).reshape(count, -1)
    product = deltas.T @ outer
    return product.reshape(-1, below.shape[1], q, i).transpose(3, 1, 0, 2)


def block_share(hessian: NDArray[np.float64], owner: NDArray[np.int64]) -> float:
    """Share of the squared entries that lies within the blocks of `owner`, 0..1."""
    squares = hessian**2
    within = owner[:, None] == owner[None, :]
    total = float(squares.sum())
    return float(squares[within].sum()) / total if total > 0.0 else 1.0


def block_eigenvalues(
    hessian: NDArray[np.float64], owner: NDArray[np.int64]
) -> list[NDArray[np.float64]]:
    """Eigenvalues of the block of each neuron, ascending."""
    edges = np.searchsorted(owner, np.arange(int(owner[-1]) + 2))
    blocks = [hessian[a:b, a:b] for a, b in itertools.pairwise(edges)]
    return [np.linalg.eigvalsh(block).astype(np.float64) for block in blocks]


class Classifier:
    """A network that learns clusters about random centres by Adam, on all samples at once.

    Parameters
    ----------
    classes, hidden, layers
        Clusters, and neurons of each of so many hidden layers.
    seed
        Of the clusters and of the weights.
    """

    def __init__(self, classes: int, hidden: int, layers: int, seed: int) -> None:
        luck = stream(seed, "clusters")
        labels = np.arange(_SAMPLES) % classes
        centres = luck.normal(size=(classes, _INPUTS))
        inputs = centres[labels] + _NOISE * luck.normal(size=(_SAMPLES, _INPUTS))
        self.data = torch.from_numpy(inputs), torch.from_numpy(labels)
        self.network = Network((_INPUTS, *[hidden] * layers, classes))
        self.weights = self.network.start(torch_seed(seed, "weights")).requires_grad_()
        self._adam = torch.optim.Adam([self.weights])

    def step(self, lr: float) -> None:
        """One step of Adam at this learning rate."""
        self._adam.param_groups[0]["lr"] = lr
        self._adam.zero_grad(set_to_none=True)
        self.network.loss(self.weights, *self.data).backward()  # type: ignore[no-untyped-call]
        self._adam.step()

    @property
    def loss(self) -> float:
        """Mean cross-entropy, nats."""
        with torch.no_grad():
            return self.network.loss(self.weights, *self.data).item()

    @property
    def hessian(self) -> NDArray[np.float64]:
        """All second derivatives of the loss, (P, P)."""
        return hessian_of(self.network, self.weights.detach(), *self.data)
