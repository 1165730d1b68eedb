r"""Gaussian variational inference on the Bures-Wasserstein manifold, by noisy gradients.

Stochastic variance-reduced Gaussian VI (SVRGVI; Luu, Yu, Williams, Hartmann & Klami, ICLR 2025) and
what it is compared with. The target is pi ~ exp(-V), the Gaussian N(m, S) with S = L L', and what
is minimised is KL = E V + E log N(m, S), with n draws z ~ N(0, I) a step, X = m + L z:

=================  =============================================================================
forward (V)        b = grad V(X) - c S^-1 (X - m) = grad V(X) - c L^-T z,  H = hess V(X)
                   m <- m - eta b,  S_half = (I - eta H) S (I - eta H)
backward (E log)   S <- (S_half + 2 eta I + [S_half (S_half + 4 eta I)]^(1/2)) / 2
=================  =============================================================================

E S^-1 (X - m) = 0, so b has no bias whatever c is. Its variance is, by Stein's lemma,

    Tr Var b = Tr Var grad V(X) + c^2 Tr S^-1 - 2 c Tr E hess V(X),

least for c* = Tr E hess V / Tr S^-1, which is 1 at every optimum, for there E hess V = S^-1. SGVI
(Diao et al. 2023) is c = 0. BWGD (Lambert et al. 2022) has no backward step: S <- M S M with
M = I - eta (H - S^-1). Steps need eta <= 1 / (greatest curvature of V): above that the width of
the forward-backward step comes to rest too large, and BWGD's does not come to rest.

All functions take stacks of K Gaussians, so that one call moves a whole ensemble.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.lab.inference.bures import Normal, entropy_step, symmetric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.inference.vi_targets import Target

__all__ = [
    "Advi", "RunningControl", "bwgd_step", "control_of", "draws", "explicit_step",
    "forward_backward", "forward_step", "gradients", "precision_trace", "sampled", "svrgvi_step",
]  # fmt: skip

_BETAS = (0.9, 0.999)
_EPSILON = 1e-8
_FORGET = 0.9


def draws(now: Normal, z: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """X = m + L z and L^-T z of every Gaussian, both (K, n, d).

    Parameters
    ----------
    z
        (n, d) standard normal for all of them, or (K, n, d).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a covariance is not positive definite.
    """
    root = np.linalg.cholesky(now.covariance)
    points = now.mean[:, None, :] + z @ np.swapaxes(root, -1, -2)
    # Rows w = L^-T z solve w L = z.
    white = z @ np.linalg.inv(root)
    return points, np.broadcast_to(white, points.shape)


def gradients(
    now: Normal, z: NDArray[np.float64], target: Target, c: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Every draw's b = grad V(X) - c L^-T z, (K, n, d); `c` is one, or (K,)."""
    points, white = draws(now, z)
    control = np.reshape(np.asarray(c, np.float64), (-1, 1, 1))
    return np.asarray(target.gradient(points) - control * white)


def sampled(
    now: Normal, z: NDArray[np.float64], target: Target, c: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means over the draws of b (K, d) and H (K, d, d); parameters as for `svrgvi_step`."""
    points, white = draws(now, z)
    control = np.reshape(np.asarray(c, np.float64), (-1, 1, 1))
    slope = (target.gradient(points) - control * white).mean(axis=1)
    return slope, target.hessian(points).mean(axis=1)


def forward_step(
    now: Normal, slope: NDArray[np.float64], curve: NDArray[np.float64], eta: float
) -> Normal:
    """Down the potential: m - eta b and (I - eta H) S (I - eta H).

    Parameters
    ----------
    slope, curve
        b (K, d) and H (K, d, d), means over the draws.
    """
    pull = np.eye(now.dimension) - eta * curve
    return Normal(now.mean - eta * slope, symmetric(pull @ now.covariance @ pull))


def forward_backward(
    now: Normal, slope: NDArray[np.float64], curve: NDArray[np.float64], eta: float
) -> tuple[Normal, Normal]:
    """After the forward step and after the backward step; parameters as for `forward_step`."""
    half = forward_step(now, slope, curve, eta)
    return half, Normal(half.mean, entropy_step(half.covariance, eta))


def explicit_step(
    now: Normal, slope: NDArray[np.float64], curve: NDArray[np.float64], eta: float
) -> Normal:
    """Both at once: a forward step with H - S^-1 for H; parameters as for `forward_step`."""
    return forward_step(now, slope, symmetric(curve - np.linalg.inv(now.covariance)), eta)


def svrgvi_step(
    now: Normal,
    z: NDArray[np.float64],
    target: Target,
    eta: float,
    c: float | NDArray[np.float64],
) -> tuple[Normal, Normal]:
    """One step of SVRGVI, or of SGVI with c = 0.

    Parameters
    ----------
    now
        K Gaussians.
    z
        (n, d) or (K, n, d) standard normal.
    target
        Gives gradients and Hessians of V.
    eta
        Step size.
    c
        Weight of the control variate, one or (K,).

    Returns
    -------
    half, after
        After the forward and after the backward step.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a covariance is not positive definite any more, which only overflow can bring about.
    """
    return forward_backward(now, *sampled(now, z, target, c), eta)


def bwgd_step(now: Normal, z: NDArray[np.float64], target: Target, eta: float) -> Normal:
    """One step of BWGD: both parts of KL at once, explicitly.

    Where the sampled Hessian is indefinite or far above 1 / eta this may leave no positive definite
    covariance to work with; the next step raises then.
    """
    return explicit_step(now, *sampled(now, z, target, 0.0), eta)


def precision_trace(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tr S^-1 of (..., d, d): the squared norm of L^-1, off-diagonal and all."""
    inverse = np.linalg.inv(np.linalg.cholesky(covariance))
    return np.asarray((inverse**2).sum(axis=(-2, -1)))


def control_of(curve: NDArray[np.float64], covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """c* = Tr E hess V / Tr S^-1, (K,).

    Parameters
    ----------
    curve
        E hess V, (K, d, d).
    covariance
        (K, d, d).
    """
    return np.asarray(np.trace(curve, axis1=-2, axis2=-1) / precision_trace(covariance))


class RunningControl:
    """c* of a run that goes on, from the Hessians that it meets anyway.

    A mean that forgets takes the place of E hess V. It holds only draws of steps before, so that
    c and z stay independent and b without bias.
    """

    def __init__(self) -> None:
        self._trace = np.zeros(1)
        self._weight = 0.0

    def control(self, covariance: NDArray[np.float64]) -> NDArray[np.float64]:
        """(K,) c for the next step; 0 before the first."""
        if self._weight == 0.0:
            return np.zeros(len(covariance))
        return np.asarray(self._trace / self._weight / precision_trace(covariance))

    def met(self, curve: NDArray[np.float64]) -> None:
        """Take up the Hessians (K, d, d) of a step."""
        self._trace = _FORGET * self._trace + (1.0 - _FORGET) * np.trace(curve, axis1=-2, axis2=-1)
        self._weight = _FORGET * self._weight + (1.0 - _FORGET)


class Advi:
    """ADVI with a full covariance (Kucukelbir et al. 2017), by Adam on m and on L.

    Gradients are those that stick the landing (Roeder et al. 2017): d log N is taken along the
    path of X alone, so that grad V(X) - L^-T z stands where SVRGVI has c = 1. The diagonal of L is
    the exponential of what is learnt.

    Parameters
    ----------
    start
        K Gaussians.
    """

    def __init__(self, start: Normal) -> None:
        self._dimension = start.dimension
        root = np.linalg.cholesky(start.covariance)
        self._lower = np.tril_indices(self._dimension)
        self._diagonal = self._lower[0] == self._lower[1]
        flat = root[:, *self._lower]
        flat[:, self._diagonal] = np.log(flat[:, self._diagonal])
        self._learnt = np.concatenate([start.mean, flat], axis=1)
        self._first = np.zeros_like(self._learnt)
        self._second = np.zeros_like(self._learnt)
        self._steps = 0

    def _root(self) -> NDArray[np.float64]:
        flat = self._learnt[:, self._dimension :].copy()
        flat[:, self._diagonal] = np.exp(flat[:, self._diagonal])
        root = np.zeros((len(flat), self._dimension, self._dimension))
        root[:, *self._lower] = flat
        return root

    @property
    def now(self) -> Normal:
        """The Gaussians."""
        root = self._root()
        mean = self._learnt[:, : self._dimension].copy()
        return Normal(mean, symmetric(root @ np.swapaxes(root, -1, -2)))

    def step(self, z: NDArray[np.float64], target: Target, rate: float) -> Normal:
        """One step of Adam; `z` is (n, d) or (K, n, d) standard normal."""
        root = self._root()
        white = z @ np.linalg.inv(root)
        points = self._learnt[:, None, : self._dimension] + z @ np.swapaxes(root, -1, -2)
        b = target.gradient(points) - white
        by_root = np.einsum("kni,knj->kij", b, np.broadcast_to(z, b.shape)) / b.shape[1]
        flat = by_root[:, *self._lower]
        flat[:, self._diagonal] *= root[:, *self._lower][:, self._diagonal]
        slope = np.concatenate([b.mean(axis=1), flat], axis=1)
        self._steps += 1
        self._first = _BETAS[0] * self._first + (1.0 - _BETAS[0]) * slope
        self._second = _BETAS[1] * self._second + (1.0 - _BETAS[1]) * slope**2
        mean = self._first / (1.0 - _BETAS[0] ** self._steps)
        spread = np.sqrt(self._second / (1.0 - _BETAS[1] ** self._steps))
        self._learnt = self._learnt - rate * mean / (spread + _EPSILON)
        return self.now
