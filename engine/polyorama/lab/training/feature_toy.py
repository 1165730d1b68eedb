r"""The exact toy of the feature learning plane: scalar deep linear networks, one datum, float64.

.. math::
    f = \frac{\prod_i w_i - \prod_i w_i(0)}{\gamma}, \qquad \ell = \tfrac12 (f - y)^2, \qquad
    w_i \leftarrow w_i - \eta \, \frac{f - y}{\gamma} \prod_{j \ne i} w_j

Weights start near 1, so everything has a closed form (derived here; it agrees with the exponents of
Atanasov, Meterez, Simon & Pehlevan, ICLR 2025):

- lazy, gamma << 1: the tangent kernel is L / gamma^2, so eta_max = 2 gamma^2 / L;
- rich, gamma >> 1: the solution w = (gamma y)^(1/L) has sharpness
  L y^(2 - 2/L) gamma^(-2/L), so eta_max goes as gamma^(2/L);
- the plateau before it lasts t = gamma / (y (L - 2)), or (gamma / 2y) ln(gamma y) for L = 2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "SPREAD", "TARGET", "ToyPlane", "lazy_edge", "plateau_time", "rich_edge", "rich_sharpness",
]  # fmt: skip

TARGET = 1.0
"""y."""
SPREAD = 0.05
"""Weights start uniformly in 1 - SPREAD .. 1 + SPREAD."""
_GONE = 1e12
"""A weight that is larger has diverged: solutions are of the order of gamma^(1/L)."""


class ToyPlane:
    """Scalar networks at given places of the plane, all from the same weights.

    Parameters
    ----------
    depth
        L, at least 2.
    gammas, etas
        (K,) or any common shape S: strengths and learning rates, above zero.
    seed
        Of the weights.

    Raises
    ------
    UsageError
        If there are fewer than two layers.
    """

    def __init__(
        self, depth: int, gammas: NDArray[np.float64], etas: NDArray[np.float64], seed: int
    ) -> None:
        if depth < 2:
            raise UsageError(f"A deep linear network has at least two weights, not {depth}.")
        self.depth = depth
        self.gammas, self.etas = np.broadcast_arrays(gammas, etas)
        first = 1.0 + SPREAD * stream(seed, "weights").uniform(-1.0, 1.0, depth)
        self.first = float(first.prod())
        """prod_i w_i(0)."""
        self.weights = np.empty((depth, *self.gammas.shape))
        """(L, S) w; NaN where diverged."""
        self.weights[...] = first.reshape(-1, *[1] * self.gammas.ndim)
        self.steps = 0

    def outputs(self) -> NDArray[np.float64]:
        """(S,) f = (prod w - prod w(0)) / gamma."""
        return np.asarray((self.weights.prod(axis=0) - self.first) / self.gammas)

    def losses(self) -> NDArray[np.float64]:
        """(S,) (f - y)^2 / 2; NaN where diverged."""
        return 0.5 * (self.outputs() - TARGET) ** 2

    def others(self) -> NDArray[np.float64]:
        """(L, S) prod_{j != i} w_j."""
        below, above = np.ones_like(self.weights), np.ones_like(self.weights)
        for i in range(1, self.depth):
            below[i] = below[i - 1] * self.weights[i - 1]
            above[-1 - i] = above[-i] * self.weights[-i]
        return below * above

    def run(self, steps: int) -> None:
        """So many steps of gradient descent."""
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(steps):
                rate = self.etas * (self.outputs() - TARGET) / self.gammas
                self.weights -= rate * self.others()
                gone = ~(np.abs(self.weights).max(axis=0) < _GONE)
                if gone.any():
                    self.weights[:, gone] = np.nan
        self.steps += steps

    def kernels(self) -> NDArray[np.float64]:
        """(S,) tangent kernel sum_i (prod_{j != i} w_j)^2 / gamma^2."""
        return np.asarray((self.others() ** 2).sum(axis=0) / self.gammas**2)

    def sharpness(self) -> NDArray[np.float64]:
        """(S,) top eigenvalue of the Hessian of the loss, exact; NaN where diverged."""
        slope = self.others() / self.gammas  # df / dw_i
        wrong = self.outputs() - TARGET
        known = np.isfinite(wrong)
        hessian = np.zeros((int(known.sum()), self.depth, self.depth))
        for i in range(self.depth):
            for j in range(self.depth):
                rest = [k for k in range(self.depth) if k not in (i, j)]
                both = self.weights[rest].prod(axis=0) / self.gammas  # d2f / dw_i dw_j
                curve = slope[i] * slope[j] + (wrong * both if i != j else 0.0)
                hessian[:, i, j] = curve[known]
        found = np.full(wrong.shape, np.nan)
        found[known] = np.linalg.eigvalsh(hessian)[:, -1]
        return found


def lazy_edge(depth: int, gamma: float) -> float:
    """eta_max = 2 gamma^2 / L for gamma << 1."""
    return 2.0 * gamma**2 / depth


def rich_sharpness(depth: int, gamma: float) -> float:
    """L y^(2 - 2/L) gamma^(-2/L), of the solution for gamma >> 1."""
    return float(depth * TARGET ** (2.0 - 2.0 / depth) * gamma ** (-2.0 / depth))


def rich_edge(depth: int, gamma: float) -> float:
    """eta_max = 2 / sharpness of the solution for gamma >> 1."""
    return 2.0 / rich_sharpness(depth, gamma)


def plateau_time(depth: int, gamma: float) -> float:
    """Time (steps times eta) that a rich network stays on its plateau."""
    if depth == 2:
        return gamma / (2.0 * TARGET) * math.log(gamma * TARGET)
    return gamma / (TARGET * (depth - 2))
