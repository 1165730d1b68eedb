r"""Densities that Gaussians are fitted to: pi(x) = exp(-V(x)) / Z, with exact derivatives of V."""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.inference.bures import Normal, symmetric
from polyorama.lab.inference.sphere import haar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Banana", "GaussianTarget", "LogisticTarget", "MixtureTarget", "StudentTarget", "Target",
    "paper_gaussian",
]  # fmt: skip

_LOG_TWO_PI = math.log(2.0 * math.pi)


class Target(abc.ABC):
    """A density over (d,); points come in stacks, (..., d) float64."""

    dimension: int
    log_normaliser: float
    """log Z, nats; NaN where it is not known."""

    @abc.abstractmethod
    def potential(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """V, (...,) nats."""

    @abc.abstractmethod
    def gradient(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of V, (..., d)."""

    @abc.abstractmethod
    def hessian(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of V, (..., d, d)."""

    @abc.abstractmethod
    def sample(self, count: int, luck: np.random.Generator) -> NDArray[np.float64]:
        """(count, d) independent points."""

    @abc.abstractmethod
    def starts(self) -> Normal:
        """Gaussians near which the best one lies, one a mode."""


def _checked(mean: ArrayLike, covariance: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    one = Normal.of(mean, covariance)
    return one.mean[0], one.covariance[0], symmetric(np.linalg.inv(one.covariance[0]))


class GaussianTarget(Target):
    """V(x) = (x - m)' P (x - m) / 2 with P the precision.

    Parameters
    ----------
    mean
        (d,).
    covariance
        (d, d), symmetric and positive definite.

    Raises
    ------
    UsageError
        If they are no Gaussian.
    """

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        self.mean, self.covariance, self.precision = _checked(mean, covariance)
        self.dimension = len(self.mean)
        self.log_normaliser = 0.5 * (
            self.dimension * _LOG_TWO_PI + float(np.linalg.slogdet(self.covariance)[1])
        )

    def potential(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """V, (...,) nats."""
        shift = points - self.mean
        return np.asarray(0.5 * ((shift @ self.precision) * shift).sum(axis=-1))

    def gradient(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """P (x - m), (..., d)."""
        return np.asarray((points - self.mean) @ self.precision)

    def hessian(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """P everywhere, (..., d, d)."""
        return np.broadcast_to(self.precision, (*points.shape, self.dimension))

    def sample(self, count: int, luck: np.random.Generator) -> NDArray[np.float64]:
        """(count, d) independent points."""
        root = np.linalg.cholesky(self.covariance)
        return np.asarray(self.mean + luck.standard_normal((count, self.dimension)) @ root.T)

    def starts(self) -> Normal:
        """Itself."""
        return Normal.of(self.mean, self.covariance)


def paper_gaussian(
    dimension: int, luck: np.random.Generator, condition: float = 200.0
) -> GaussianTarget:
    """The paper's set-up: mean U[0, 1]^d, covariance's eigenvalues geometric from 1 to `condition`.

    The axes are turned at random.
    """
    mean = luck.random(dimension)
    turn = haar(dimension, luck)
    return GaussianTarget(
        mean, symmetric((turn * np.geomspace(1.0, condition, dimension)) @ turn.T)
    )


class StudentTarget(Target):
    """V(x) = (nu + d) / 2 log(1 + q / nu), q = (x - m)' P (x - m): heavy tails.

    Parameters
    ----------
    mean
        (d,).
    scale
        (d, d), the scale matrix; the covariance is nu / (nu - 2) times it.
    freedom
        nu, degrees of freedom, above 2.

    Raises
    ------
    UsageError
        If mean and scale are no Gaussian's, or nu leaves no covariance.
    """

    def __init__(self, mean: ArrayLike, scale: ArrayLike, freedom: float = 4.0) -> None:
        if not (math.isfinite(freedom) and freedom > 2.0):
            raise UsageError(f"A Student-t target has more than 2 degrees of freedom: {freedom:g}.")
        self.mean, self.scale, self.precision = _checked(mean, scale)
        self.freedom = float(freedom)
        self.dimension = d = len(self.mean)
        nu = self.freedom
        self.log_normaliser = (
            math.lgamma(0.5 * nu) - math.lgamma(0.5 * (nu + d)) + 0.5 * d * math.log(nu * math.pi)
            + 0.5 * float(np.linalg.slogdet(self.scale)[1])
        )  # fmt: skip

    def _parts(
        self, points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shift = points - self.mean
        steep = shift @ self.precision
        return steep, (steep * shift).sum(axis=-1)

    def potential(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """V, (...,) nats."""
        _, q = self._parts(points)
        return np.asarray(0.5 * (self.freedom + self.dimension) * np.log1p(q / self.freedom))

    def gradient(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(nu + d) / (nu + q) P (x - m), (..., d)."""
        steep, q = self._parts(points)
        weight = (self.freedom + self.dimension) / (self.freedom + q)
        return np.asarray(weight[..., None] * steep)

    def hessian(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Indefinite far from the middle, (..., d, d)."""
        steep, q = self._parts(points)
        weight = (self.freedom + self.dimension) / (self.freedom + q)
        outer = steep[..., :, None] * steep[..., None, :]
        falling = (2.0 * weight / (self.freedom + q))[..., None, None] * outer
        return np.asarray(weight[..., None, None] * self.precision - falling)

    def sample(self, count: int, luck: np.random.Generator) -> NDArray[np.float64]:
        """(count, d) independent points."""
        root = np.linalg.cholesky(self.scale)
        normal = luck.standard_normal((count, self.dimension)) @ root.T
        stretch = np.sqrt(self.freedom / luck.chisquare(self.freedom, count))
        return np.asarray(self.mean + stretch[:, None] * normal)

    def starts(self) -> Normal:
        """Its mean and scale."""
        return Normal.of(self.mean, self.scale)


class LogisticTarget(Target):
    """The posterior of logistic regression under a flat prior: V = sum of log(1 + e^(-y x'theta)).

    Parameters
    ----------
    inputs
        (n, d).
    labels
        (n,), -1 or 1.

    Raises
    ------
    UsageError
        If the shapes do not fit, an input is not finite, the inputs do not span their space or a
        label is another number.
    """

    log_normaliser = math.nan

    def __init__(self, inputs: ArrayLike, labels: ArrayLike) -> None:
        rows, signs = np.asarray(inputs, np.float64), np.asarray(labels, np.float64)
        if rows.ndim != 2 or signs.shape != rows.shape[:1] or not len(rows):
            raise UsageError("Logistic regression takes inputs (n, d) and one label a row.")
        if not np.isfinite(rows).all() or not (np.abs(signs) == 1.0).all():
            raise UsageError("Inputs have to be finite, and labels are -1 or 1.")
        if np.linalg.matrix_rank(rows) < rows.shape[1]:
            raise UsageError("Inputs have to span their space, or the posterior has no end.")
        self.inputs, self.labels = rows, signs
        self.dimension = rows.shape[1]
        self._signed = rows * signs[:, None]
        self._outer = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)

    @classmethod
    def drawn(cls, count: int, dimension: int, luck: np.random.Generator) -> LogisticTarget:
        """The paper's data: X ~ N(0, I) scaled until X'X has the greatest eigenvalue 1.

        Labels are those of a theta ~ N(0, I).
        """
        inputs = luck.standard_normal((count, dimension))
        inputs /= math.sqrt(float(np.linalg.eigvalsh(inputs.T @ inputs)[-1]))
        truth = luck.standard_normal(dimension)
        chance = 1.0 / (1.0 + np.exp(-inputs @ truth))
        return cls(inputs, np.where(luck.random(count) < chance, 1.0, -1.0))

    def potential(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """V, (...,) nats."""
        return np.asarray(np.logaddexp(0.0, -(points @ self._signed.T)).sum(axis=-1))

    def _doubt(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(..., n) chance that the model gives to the wrong labels."""
        return np.asarray(0.5 - 0.5 * np.tanh(0.5 * (points @ self._signed.T)))

    def gradient(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Minus the sum of y x times the chance of the wrong label, (..., d)."""
        return np.asarray(-(self._doubt(points) @ self._signed))

    def hessian(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of s (1 - s) x x', (..., d, d); at most X'X / 4."""
        doubt = self._doubt(points)
        flat = (doubt * (1.0 - doubt)) @ self._outer
        return np.asarray(flat.reshape(*points.shape, self.dimension))

    def starts(self) -> Normal:
        """Laplace's Gaussian at the mode, by Newton's method with halved steps.

        Raises
        ------
        UsageError
            If a plane tells the labels apart, for then there is no mode.
        """
        place = np.zeros(self.dimension)
        for _ in range(200):
            slope = self.gradient(place)
            step = np.linalg.solve(self.hessian(place), slope)
            while self.potential(place - step) > self.potential(place):
                step *= 0.5
                if np.abs(step).max() < 1e-14:
                    break
            place = place - step
            if np.abs(slope).max() < 1e-10 or (self._signed @ place).min() > 0.0:
                break
        # Where a plane tells all labels apart but those of rows on it, V only flattens for ever.
        steepest = np.linalg.eigvalsh(self.hessian(np.zeros(self.dimension)))[-1]
        flattest = np.linalg.eigvalsh(self.hessian(place))[0]
        if (self._signed @ place).min() > 0.0 or flattest < 1e-8 * steepest:
            raise UsageError(
                "These labels can be told apart by a plane, so the posterior under a flat prior "
                "has no end; add rows that overlap."
            )
        return Normal.of(place, symmetric(np.linalg.inv(self.hessian(place))))

    def sample(self, count: int, luck: np.random.Generator) -> NDArray[np.float64]:
        """(count, d) points, nearly independent: drawn from a wide Student-t and resampled."""
        start = self.starts()
        wide = StudentTarget(start.mean[0], 1.5 * start.covariance[0], 5.0)
        many = wide.sample(40 * count, luck)
        weight = wide.potential(many) - self.potential(many)
        share = np.exp(weight - weight.max())
        return np.asarray(many[luck.choice(len(many), count, p=share / share.sum())])


class Banana(Target):
    """A Gaussian bent along a parabola, of volume unchanged: V = x1^2 / (2 w^2) + r^2 / 2 + ...

    r = x2 - k (x1^2 - w^2), and every further axis is standard normal.

    Parameters
    ----------
    dimension
        At least 2.
    width
        w, standard deviation along the first axis.
    bend
        k; 0 is a Gaussian.
    """

    def __init__(self, dimension: int = 2, width: float = 2.0, bend: float = 0.3) -> None:
        if dimension < 2:
            raise UsageError(f"A banana needs two dimensions or more, not {dimension}.")
        self.dimension, self.width, self.bend = dimension, float(width), float(bend)
        self.log_normaliser = 0.5 * dimension * _LOG_TWO_PI + math.log(width)

    def _height(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """r, over the ridge of the banana."""
        return np.asarray(points[..., 1] - self.bend * (points[..., 0] ** 2 - self.width**2))

    def potential(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """V, (...,) nats."""
        along = (points[..., 0] / self.width) ** 2
        others = (points[..., 2:] ** 2).sum(axis=-1)
        return np.asarray(0.5 * (along + self._height(points) ** 2 + others))

    def gradient(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of V, (..., d)."""
        slope, height = points.copy(), self._height(points)
        slope[..., 0] = points[..., 0] * (self.width**-2 - 2.0 * self.bend * height)
        slope[..., 1] = height
        return slope

    def hessian(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Indefinite inside the bend, (..., d, d); it grows without bound along the ridge."""
        curve = np.zeros((*points.shape, self.dimension))
        curve[..., :, :] = np.eye(self.dimension)
        across = 2.0 * self.bend * points[..., 0]
        curve[..., 0, 0] = self.width**-2 - 2.0 * self.bend * self._height(points) + across**2
        curve[..., 0, 1] = curve[..., 1, 0] = -across
        return curve

    def sample(self, count: int, luck: np.random.Generator) -> NDArray[np.float64]:
        """(count, d) independent points."""
        points = luck.standard_normal((count, self.dimension))
        points[:, 0] *= self.width
        points[:, 1] += self.bend * (points[:, 0] ** 2 - self.width**2)
        return points

    def starts(self) -> Normal:
        """A narrow one at the top of the arch."""
        mean = np.zeros(self.dimension)
        mean[1] = -self.bend * self.width**2
        return Normal.of(mean, np.eye(self.dimension))


class MixtureTarget(Target):
    """A mixture of Gaussians; a Gaussian that is fitted to it has to choose.

    Parameters
    ----------
    weights
        (M,), above zero; scaled to sum to 1.
    means
        (M, d).
    covariances
        (M, d, d).

    Raises
    ------
    UsageError
        If a weight is not above zero, their number is another, or a part is no Gaussian.
    """

    log_normaliser = 0.0

    def __init__(self, weights: ArrayLike, means: ArrayLike, covariances: ArrayLike) -> None:
        shares = np.asarray(weights, np.float64)
        self._parts = Normal.of(means, covariances)
        count, self.dimension = self._parts.mean.shape
        if shares.shape != (count,) or not (np.isfinite(shares).all() and (shares > 0.0).all()):
            raise UsageError(f"A mixture of {count} Gaussians has as many weights above zero.")
        self.weights = shares / shares.sum()
        self.means = self._parts.mean
        self._precisions = symmetric(np.linalg.inv(self._parts.covariance))
        log_det = np.linalg.slogdet(self._parts.covariance)[1]
        self._logs = np.log(self.weights) - 0.5 * (self.dimension * _LOG_TWO_PI + log_det)

    def _split(
        self, points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Log density, shares of the parts and their slopes P_k (x - m_k).

        They are (...,), (..., M) and (..., M, d).
        """
        shift = points[..., None, :] - self.means
        slopes = np.einsum("...ki,kij->...kj", shift, self._precisions)
        logs = self._logs - 0.5 * (slopes * shift).sum(axis=-1)
        top = logs.max(axis=-1, keepdims=True)
        parts = np.exp(logs - top)
        whole = parts.sum(axis=-1, keepdims=True)
        return (top + np.log(whole))[..., 0], parts / whole, slopes

    def potential(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """V, (...,) nats."""
        return -self._split(points)[0]

    def gradient(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The parts' slopes, by their shares, (..., d)."""
        _, shares, slopes = self._split(points)
        return np.asarray((shares[..., None] * slopes).sum(axis=-2))

    def hessian(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The parts' precisions less the spread of their slopes, (..., d, d)."""
        _, shares, slopes = self._split(points)
        mean = (shares[..., None] * slopes).sum(axis=-2)
        curve = np.einsum("...k,kij->...ij", shares, self._precisions)
        curve -= np.einsum("...k,...ki,...kj->...ij", shares, slopes, slopes)
        return np.asarray(curve + mean[..., :, None] * mean[..., None, :])

    def sample(self, count: int, luck: np.random.Generator) -> NDArray[np.float64]:
        """(count, d) independent points."""
        which = luck.choice(len(self.weights), count, p=self.weights)
        normal = luck.standard_normal((count, self.dimension))
        roots = np.linalg.cholesky(self._parts.covariance)[which]
        return np.asarray(self.means[which] + np.einsum("nij,nj->ni", roots, normal))

    def starts(self) -> Normal:
        """Its parts."""
        return self._parts
