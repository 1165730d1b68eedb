r"""Gaussians under the Bures-Wasserstein distance: geodesics, the entropy's step, divergences.

The squared distance of two Gaussians is that of their means plus that of Bures of their
covariances:

    W2^2 = |m0 - m1|^2 + Tr(S0 + S1 - 2 (S0^(1/2) S1 S0^(1/2))^(1/2))

Every function takes stacks: leading axes are members, the last one or two the space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Normal", "entropy_step", "geodesic", "kl_divergence", "square_root", "squared_distance",
    "symmetric", "transport_map",
]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """Some Gaussians.

    Parameters
    ----------
    mean
        (K, d) float64.
    covariance
        (K, d, d) float64, symmetric and positive definite.
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @classmethod
    def of(cls, mean: ArrayLike, covariance: ArrayLike) -> Normal:
        """Gaussians from anything like arrays; one alone may come without its leading axis.

        Raises
        ------
        UsageError
            If the shapes do not fit, a number is not finite, or a covariance is not symmetric and
            positive definite.
        """
        means = np.atleast_2d(np.asarray(mean, np.float64))
        matrices = np.asarray(covariance, np.float64)
        matrices = matrices[None] if matrices.ndim == 2 else matrices
        count, dimension = means.shape
        if matrices.shape != (count, dimension, dimension):
            raise UsageError(
                f"{count} Gaussians in {dimension} dimensions have covariances of "
                f"{(count, dimension, dimension)}, not {matrices.shape}."
            )
        if not (np.isfinite(means).all() and np.isfinite(matrices).all()):
            raise UsageError("Means and covariances have to be finite.")
        if not np.allclose(matrices, _transposed(matrices), rtol=1e-9, atol=1e-12):
            raise UsageError("A covariance has to be symmetric.")
        if np.linalg.eigvalsh(matrices).min() <= 0.0:
            raise UsageError("A covariance has to be positive definite: no direction has width 0.")
        return cls(means, symmetric(matrices))

    @property
    def dimension(self) -> int:
        """Of the space."""
        return int(self.mean.shape[-1])

    def member(self, index: int) -> Normal:
        """One of them, as a stack of one."""
        return Normal(self.mean[index : index + 1], self.covariance[index : index + 1])


def _transposed(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.swapaxes(matrices, -1, -2)


def symmetric(matrices: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """The symmetric part: products of symmetric matrices are so only up to rounding."""
    return np.asarray(0.5 * (matrices + np.swapaxes(matrices, -1, -2)), np.float64)


def _spectral(matrices: NDArray[np.float64], function: Any) -> NDArray[np.float64]:
    """A function of the eigenvalues, those below zero by rounding taken as zero."""
    values, axes = np.linalg.eigh(matrices)
    image = function(np.maximum(values, 0.0))
    return symmetric((axes * image[..., None, :]) @ _transposed(axes))


def square_root(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric square root of positive semidefinite matrices (..., d, d)."""
    return _spectral(matrices, np.sqrt)


def entropy_step(half: NDArray[np.float64], eta: float) -> NDArray[np.float64]:
    r"""The backward step: argmin over S of -log det(S) / 2 + W2^2(S, half) / (2 eta).

    Closed form: (half + 2 eta I + [half (half + 4 eta I)]^(1/2)) / 2, in the eigenbasis of `half`,
    for the square root of that product is real and symmetric there, which a general matrix square
    root keeps only up to rounding.

    Parameters
    ----------
    half
        (..., d, d) float64, positive semidefinite.
    eta
        Step size, above zero, squared units of the space.

    Returns
    -------
    covariance
        (..., d, d) float64; no eigenvalue is below `eta`.
    """
    return _spectral(
        half, lambda lam: 0.5 * (lam + 2.0 * eta + np.sqrt(lam * (lam + 4.0 * eta)))
    )  # fmt: skip


def transport_map(start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric matrix T of the optimal map x -> T x, T start T = end (..., d, d).

    `end` may be singular, `start` may not.
    """
    root = square_root(start)
    back = np.linalg.inv(root)
    return symmetric(back @ square_root(symmetric(root @ end @ root)) @ back)


def geodesic(start: Normal, end: Normal, share: float) -> Normal:
    """The Gaussians at `share` 0..1 of the way: each particle of `start` moves straight."""
    dimension = start.dimension
    pull = transport_map(start.covariance, end.covariance)
    moved = (1.0 - share) * np.eye(dimension) + share * pull
    return Normal(
        (1.0 - share) * start.mean + share * end.mean,
        symmetric(moved @ start.covariance @ moved),
    )


def squared_distance(first: Normal, second: Normal) -> NDArray[np.float64]:
    """W2 squared, (K,) float64, squared units of the space."""
    root = square_root(first.covariance)
    cross = square_root(symmetric(root @ second.covariance @ root))
    bures = np.trace(first.covariance + second.covariance - 2.0 * cross, axis1=-2, axis2=-1)
    return np.asarray(((first.mean - second.mean) ** 2).sum(axis=-1) + np.maximum(bures, 0.0))


def kl_divergence(first: Normal, second: Normal) -> NDArray[np.float64]:
    """KL(first || second), (K,) float64 nats; `second` may be one for all."""
    precision = np.linalg.inv(second.covariance)
    shift = first.mean - second.mean
    far = np.einsum("...i,...ij,...j->...", shift, precision, shift)
    # Tr A - log det A - d of the matrix A that is the identity where both agree: from its
    # eigenvalues, so that nothing large cancels.
    root = np.linalg.cholesky(precision)
    alike = np.linalg.eigvalsh(symmetric(_transposed(root) @ first.covariance @ root))
    excess = alike - 1.0
    return np.asarray(0.5 * (far + (excess - np.log1p(excess)).sum(axis=-1)))
