r"""Where noisy Gaussian VI comes to rest: divergences, the best Gaussian, and the noise floor.

About a Gaussian target with precision P (eigenvalues lambda) the covariance has no noise, and the
error e of the mean goes on as e <- (I - eta P) e - eta (1 - c) L^-T z. Its stationary covariance
is eta (1 - c)^2 / (n (2 - eta lambda)) along each axis, so the mean divergence is exactly

    KL_inf = (1 - c)^2 / (2 n) * sum_i eta lambda_i / (2 - eta lambda_i).

That needs eta lambda <= 1. Along an axis where it is more (and below 2), the variance s of
SVRGVI and SGVI rests where s - |1 - eta lambda| s = eta, so at r = lambda s = eta lambda /
(2 - eta lambda) times what is right, and the axis has

    KL_inf = (eta lambda (r^(1/2) - c r^(-1/2))^2 / (n (2 - eta lambda)) + r - 1 - log r) / 2

in place of its term; BWGD's variance does not settle there at all.

About another target the Hessians are noisy, too. There the step is made linear at the best
Gaussian, q <- q + A (q - q*) + noise, and KL_inf = Tr(H P) / 2 with P = A P A' + C: exact to first
order in eta, and equal to the first formula where the target is Gaussian.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.inference.bures import Normal, kl_divergence, symmetric
from polyorama.lab.inference.gaussian_vi import (
    draws,
    explicit_step,
    forward_backward,
    precision_trace,
)
from polyorama.lab.inference.vi_targets import GaussianTarget

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.lab.inference.vi_targets import Target

    Step = Callable[[Normal, NDArray[np.float64], NDArray[np.float64], float], Normal]
    """From slope and curvature of V, and a step size, to the Gaussians after the step."""

__all__ = ["Yardstick", "gaussian_floor", "quadrature"]

_MOST_NODES = 20_000
_ROUNDING = 1e-9
"""How far above 1 a product of step size and curvature counts as 1."""
_TWO_PI_E = 1.0 + math.log(2.0 * math.pi)


def gaussian_floor(precision: NDArray[np.float64], eta: float, c: float, samples: int = 1) -> float:
    """KL_inf of SVRGVI on a Gaussian target, nats; infinite where the step diverges.

    Parameters
    ----------
    precision
        (d, d).
    eta, c, samples
        Step size, weight of the control variate (0 for SGVI), draws a step.
    """
    lam = np.linalg.eigvalsh(precision)
    if eta * lam.max() >= 2.0:
        return math.inf
    gain = eta * lam / (2.0 - eta * lam)
    wide = np.where(eta * lam > 1.0 + _ROUNDING, gain, 1.0)
    noise = gain / samples * (np.sqrt(wide) - c / np.sqrt(wide)) ** 2
    return float(0.5 * (noise + wide - 1.0 - np.log(wide)).sum())


def quadrature(dimension: int, order: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes (N, d) and weights (N,) of the standard normal, exact to degree 2 order - 1 an axis.

    Raises
    ------
    UsageError
        If there would be too many nodes.
    """
    if order**dimension > _MOST_NODES:
        raise UsageError(
            f"A rule of {order} nodes an axis in {dimension} dimensions has over {_MOST_NODES:,} "
            f"nodes; take fewer."
        )
    nodes, weights = np.polynomial.hermite_e.hermegauss(order)
    grid = np.array(list(itertools.product(nodes, repeat=dimension)))
    shares = np.array([math.prod(w) for w in itertools.product(weights, repeat=dimension)])
    return grid, shares / shares.sum()


@dataclass(frozen=True, slots=True, eq=False)
class _Symmetric:
    """A basis of the symmetric matrices: (d (d + 1) / 2, d, d)."""

    basis: NDArray[np.float64]

    @classmethod
    def of(cls, dimension: int) -> _Symmetric:
        rows, columns = np.triu_indices(dimension)
        basis = np.zeros((len(rows), dimension, dimension))
        basis[np.arange(len(rows)), rows, columns] = 1.0
        basis[np.arange(len(rows)), columns, rows] = 1.0
        return cls(basis)

    def flat(self, q: Normal) -> NDArray[np.float64]:
        """(K, p) coordinates: the mean, then the upper triangle of the covariance."""
        rows, columns = np.triu_indices(q.dimension)
        return np.concatenate([q.mean, q.covariance[:, rows, columns]], axis=1)

    def normal(self, flat: NDArray[np.float64]) -> Normal:
        """The Gaussians of coordinates."""
        dimension = self.basis.shape[-1]
        covariance = np.tensordot(flat[:, dimension:], self.basis, axes=1)
        return Normal(flat[:, :dimension], covariance)


class Yardstick:
    """Measures Gaussians against a target by quadrature, or in closed form where that is Gaussian.

    Parameters
    ----------
    target
        Of up to three dimensions, or Gaussian.
    order
        Nodes an axis.

    Attributes
    ----------
    best
        The Gaussian of least KL, a stack of one.
    resting
        Those at which noiseless descent rests, one a mode.

    Raises
    ------
    UsageError
        If the rule would be too large, or no best Gaussian is found.
    """

    def __init__(self, target: Target, order: int = 16) -> None:
        self.target = target
        self._exact = isinstance(target, GaussianTarget)
        if self._exact:
            self._nodes, self._weights = np.zeros((1, target.dimension)), np.ones(1)
            self.resting: tuple[Normal, ...] = (target.starts(),)
            self.best = self.resting[0]
        else:
            self._nodes, self._weights = quadrature(target.dimension, order)
            starts = target.starts()
            ends = [self._descended(starts.member(i)) for i in range(len(starts.mean))]
            self.resting = tuple(q for q in ends if q is not None)
            if not self.resting:
                raise UsageError("No best Gaussian was found; take a smoother target.")
            self.best = min(self.resting, key=lambda q: float(self._energy(q)[0]))
        self._least = 0.0 if self._exact else float(self._energy(self.best)[0])

    @property
    def least_divergence(self) -> float:
        """KL of the best Gaussian, nats; NaN where the target's normaliser is not known."""
        return 0.0 if self._exact else self._least + self.target.log_normaliser

    @property
    def longest_step(self) -> float:
        """1 over the greatest precision of the best Gaussian, up to which that is at rest."""
        return (1.0 + _ROUNDING) * float(np.linalg.eigvalsh(self.best.covariance)[0, 0])

    def _energy(self, q: Normal) -> NDArray[np.float64]:
        """E V + E log q, (K,) nats: KL less log Z."""
        points, _ = draws(q, self._nodes)
        potential = self.target.potential(points) @ self._weights
        entropy = 0.5 * (np.linalg.slogdet(q.covariance)[1] + q.dimension * _TWO_PI_E)
        return np.asarray(potential - entropy)

    def gap(self, q: Normal) -> NDArray[np.float64]:
        """KL less that of the best Gaussian, (K,) nats."""
        if self._exact:
            return kl_divergence(q, self.best)
        return np.asarray(self._energy(q) - self._least)

    def expected(self, q: Normal) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """E grad V (K, d) and E hess V (K, d, d)."""
        if self._exact:
            return self.target.gradient(q.mean), self.target.hessian(q.mean)
        points, _ = draws(q, self._nodes)
        slope = np.einsum("n,kni->ki", self._weights, self.target.gradient(points))
        curve = np.einsum("n,knij->kij", self._weights, self.target.hessian(points))
        return slope, symmetric(curve)

    def variance(self, q: Normal, c: float) -> NDArray[np.float64]:
        """Tr Var of one draw of b, (K,), in squared units of the gradient."""
        precise = precision_trace(q.covariance)
        slope, curve = self.expected(q)
        if self._exact:
            # Var grad V(X) = P S P; the rest is the identity of the file above.
            spread = curve @ q.covariance @ curve
            plain = np.trace(spread, axis1=-2, axis2=-1)
        else:
            points, _ = draws(q, self._nodes)
            far = self.target.gradient(points) - slope[:, None, :]
            plain = (far**2).sum(axis=-1) @ self._weights
        trace = np.trace(curve, axis1=-2, axis2=-1)
        return np.asarray(np.maximum(plain + c * c * precise - 2.0 * c * trace, 0.0))

    def _descended(self, q: Normal) -> Normal | None:
        """Natural gradient descent without noise: S^-1 <- S^-1 + rho (E hess V - S^-1), and so on.

        None where it does not end: between modes there may be no place to rest.
        """
        energy, rho = float(self._energy(q)[0]), 0.7
        for _ in range(400):
            slope, curve = self.expected(q)
            precision = symmetric(np.linalg.inv(q.covariance))
            while True:
                after = _natural_step(q, precision, slope, curve, rho)
                lower = math.nan if after is None else float(self._energy(after)[0])
                # At the bottom, the errors of the rule are more than what is left to gain.
                if lower <= energy + 1e-3 * (1.0 + abs(energy)):
                    break
                rho *= 0.5
            assert after is not None
            error = max(float(np.abs(slope).max()), float(np.abs(curve - precision).max()))
            if error < 1e-10 * float(np.abs(precision).max()):
                return q
            q, energy, rho = after, lower, min(0.7, 1.2 * rho)
        return None

    # The floor to first order

    def floor(
        self, rule: str, eta: float, c: float | NDArray[np.float64], samples: int = 1
    ) -> NDArray[np.float64]:
        """KL_inf over that of the best Gaussian, (C,) nats; infinite where the step diverges.

        NaN where it does not diverge, but rests elsewhere than at the best Gaussian of a target
        that is no Gaussian: above 1 / (greatest curvature) there is nothing to make linear.

        Parameters
        ----------
        rule
            ``"svrgvi"`` (any c) or ``"bwgd"`` (c = 0).
        eta, samples
            Step size, draws a step.
        c
            Weights of the control variate, (C,) or one.
        """
        weights = np.atleast_1d(np.asarray(c, np.float64))
        if isinstance(self.target, GaussianTarget):
            precision = self.target.precision
            if rule == "bwgd" and eta > self.longest_step:
                return np.full(len(weights), math.inf)
            return np.array([gaussian_floor(precision, eta, w, samples) for w in weights])
        step = _STEPS[rule]
        coordinates = _Symmetric.of(self.target.dimension)
        at = coordinates.flat(self.best)[0]
        jacobian = _derivative(lambda x: self._mean_step(step, coordinates, x, eta), at)
        if np.abs(np.linalg.eigvals(jacobian)).max() >= 1.0:
            return np.full(len(weights), math.inf)
        moved = self._mean_step(step, coordinates, at[None], eta)[0]
        if not np.allclose(moved, at, rtol=1e-6, atol=1e-6):
            return np.full(len(weights), math.nan)
        curve = _derivative(lambda x: self._slope(coordinates, x), at)
        curve = 0.5 * (curve + curve.T)
        size = len(at)
        solve = np.linalg.inv(np.eye(size * size) - np.kron(jacobian, jacobian))
        floors = []
        for weight in weights:
            noise = self._noise(step, coordinates, eta, float(weight))
            stationary = (solve @ noise.reshape(-1)).reshape(size, size)
            floors.append(0.5 * float((curve * stationary).sum()) / samples)
        return np.array(floors)

    def _mean_step(
        self, step: Step, coordinates: _Symmetric, flat: NDArray[np.float64], eta: float
    ) -> NDArray[np.float64]:
        q = coordinates.normal(flat)
        return coordinates.flat(step(q, *self.expected(q), eta))

    def _slope(self, coordinates: _Symmetric, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of KL by the coordinates: E grad V, and (E hess V - S^-1) / 2 on the basis."""
        q = coordinates.normal(flat)
        slope, curve = self.expected(q)
        by_covariance = 0.5 * (curve - np.linalg.inv(q.covariance))
        rest = np.einsum("kij,bij->kb", by_covariance, coordinates.basis)
        return np.concatenate([slope, rest], axis=1)

    def _noise(
        self, step: Step, coordinates: _Symmetric, eta: float, c: float
    ) -> NDArray[np.float64]:
        """Covariance of one step from the best Gaussian, (p, p)."""
        points, white = draws(self.best, self._nodes)
        slopes = (self.target.gradient(points) - c * white)[0]
        curves = self.target.hessian(points)[0]
        count = len(slopes)
        q = Normal(
            np.repeat(self.best.mean, count, axis=0), np.repeat(self.best.covariance, count, axis=0)
        )
        ends = coordinates.flat(step(q, slopes, curves, eta))
        far = ends - self._weights @ ends
        return np.asarray((far * self._weights[:, None]).T @ far)


def _natural_step(
    q: Normal, precision: NDArray[np.float64], slope: NDArray[np.float64],
    curve: NDArray[np.float64], rho: float,
) -> Normal | None:  # fmt: skip
    """None where the precision would not stay positive definite."""
    after = (1.0 - rho) * precision + rho * curve
    if np.linalg.eigvalsh(after).min() <= 1e-9 * np.abs(after).max():
        return None
    covariance = symmetric(np.linalg.inv(after))
    return Normal(q.mean - rho * np.einsum("kij,kj->ki", covariance, slope), covariance)


def _forward_backward(
    q: Normal, slope: NDArray[np.float64], curve: NDArray[np.float64], eta: float
) -> Normal:
    return forward_backward(q, slope, curve, eta)[1]


def _derivative(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(outputs, inputs) by central differences; `function` takes stacks of inputs."""
    reach = 1e-5
    shifts = reach * np.eye(len(at))
    ends = function(np.concatenate([at + shifts, at - shifts]))
    return np.asarray(((ends[: len(at)] - ends[len(at) :]) / (2.0 * reach)).T)


_STEPS: dict[str, Step] = {"svrgvi": _forward_backward, "bwgd": explicit_step}
