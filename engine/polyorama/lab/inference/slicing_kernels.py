r"""Radial kernels K(x, y) = F(|x - y|) and the one-dimensional kernels that slicing sums instead.

A pair (F, f) belongs together in dimension d where F is the mean of f over all directions,
F(|x|) = E f(|<xi, x>|) with xi uniform on the sphere, that is (the generalised Riemann-Liouville
integral)

.. math:: F(s) = c_d \int_0^1 f(ts)\,(1 - t^2)^{(d-3)/2}\,dt, \qquad
          c_d = \frac{2\,\Gamma(d/2)}{\sqrt\pi\,\Gamma((d-1)/2)}.

Two ways lead from F to f: powers map to powers, and Fourier transforms (of g, int g(t) e^{-2 pi i k
t} dt) to Fourier transforms,

.. math:: F = s^r \Leftrightarrow f = a_r t^r,\quad
          a_r = \frac{\sqrt\pi\,\Gamma((d+r)/2)}{\Gamma(d/2)\,\Gamma((r+1)/2)}; \qquad
          \hat f(k) = \frac{\pi^{d/2}}{\Gamma(d/2)}\,|k|^{d-1}\,\hat F_d(|k|).

Hertrich, Jahn, Quellmalz, "Fast summation of radial kernels via QMC slicing", ICLR 2025.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "KERNELS", "AnyKernel", "Energy", "Explicit", "Gauss", "Laplace", "Matern", "RadialKernel",
    "Riesz", "Spectral", "ThinPlate", "kernel_named", "power_factor",
]  # fmt: skip

KERNELS = ("gauss", "laplace", "matern", "energy", "riesz", "thin-plate")
"""Names of the kernels of the rooms."""


def power_factor(power: float, dimension: int) -> float:
    """The factor a_r by which f = a_r t^r belongs to F = s^r in dimension d."""
    return math.sqrt(math.pi) * math.exp(
        math.lgamma((dimension + power) / 2)
        - math.lgamma(dimension / 2)
        - math.lgamma((power + 1) / 2)
    )


class RadialKernel(abc.ABC):
    """A kernel of the distance alone."""

    @abc.abstractmethod
    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s) at distances of any shape."""


class Spectral(RadialKernel):
    """A kernel whose slice is known by its Fourier transform.

    The transform is nowhere negative, so that |f| <= f(0) = F(0) in every dimension, and it has a
    closed form in logarithms, which never overflows.
    """

    most_modes: int
    """How many Fourier modes are summed at most, above the constant one."""

    @property
    @abc.abstractmethod
    def length(self) -> float:
        """A length over which F falls, which bounds how narrow the spectrum may become."""

    @abc.abstractmethod
    def fourier(self, frequency: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """The transform of f at frequencies of any shape, in periods per unit of distance."""


class Explicit(RadialKernel):
    """A kernel whose slice is known itself, while its Fourier transform is singular."""

    most_modes: int

    @abc.abstractmethod
    def slice(self, distance: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """f(t) at distances of any shape."""


@dataclass(frozen=True)
class Gauss(Spectral):
    """F(s) = exp(-s^2 / (2 sigma^2)).

    Parameters
    ----------
    sigma
        Standard deviation, in units of distance.
    """

    sigma: float = 1.0
    most_modes = 8192

    def __post_init__(self) -> None:
        _check_length(self.sigma, "sigma")

    @property
    def length(self) -> float:
        """The standard deviation."""
        return self.sigma

    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s)."""
        return np.exp(-0.5 * np.square(np.asarray(distance, np.float64) / self.sigma))

    def fourier(self, frequency: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """(sqrt(2) pi sigma)^d |k|^{d-1} exp(-2 pi^2 sigma^2 k^2) / Gamma(d/2)."""
        k = np.abs(np.asarray(frequency, np.float64))
        constant = dimension * math.log(math.sqrt(2) * math.pi * self.sigma)
        constant -= math.lgamma(dimension / 2)
        return np.exp(constant + _log_power(k, dimension) - 2 * (math.pi * self.sigma * k) ** 2)


@dataclass(frozen=True)
class Matern(Spectral):
    """F(s) = 2^{1-nu} / Gamma(nu) z^nu K_nu(z) with z = sqrt(2 nu) s / beta.

    Parameters
    ----------
    nu
        Smoothness; at most 100.
    beta
        Scale, in units of distance.
    """

    nu: float = 1.5
    beta: float = 1.0
    most_modes = 512

    def __post_init__(self) -> None:
        _check_length(self.beta, "beta")
        if not 0.0 < self.nu <= 100.0:
            raise UsageError(f"The smoothness nu lies above 0 and up to 100, not at {self.nu!r}.")

    @property
    def length(self) -> float:
        """The distance beta / sqrt(2 nu), at which z = 1."""
        return self.beta / math.sqrt(2 * self.nu)

    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s), by the trapezoidal rule for K_nu(z) = int_0^inf exp(-z cosh u) cosh(nu u) du.

        The integrand is analytic within pi / 2 of the axis, so steps h leave exp(-pi^2 / h), which
        is nothing here; z^nu goes into the exponent, so that small distances do not overflow.
        """
        scale = math.sqrt(2 * self.nu) / self.beta
        z = scale * np.asarray(distance, np.float64).ravel()
        # Beyond this the integrand is below 1e-17 of its peak, however small z is.
        u = np.linspace(0.0, 40.0 + 2.0 * math.asinh(self.nu), 513)
        weights = (1.0 + np.exp(-2.0 * self.nu * u)) * (u[1] / 2)  # cosh without its growth
        weights[0] *= 0.5
        constant = (1.0 - self.nu) * math.log(2.0) - math.lgamma(self.nu) + self.nu * u
        result = np.ones(z.shape)
        for some in np.array_split(np.flatnonzero(z > 1e-12), len(z) // 1024 + 1):
            log_power = self.nu * np.log(z[some])[:, None]
            result[some] = np.exp(constant + log_power - z[some][:, None] * np.cosh(u)) @ weights
        return result.reshape(np.shape(distance))

    def fourier(self, frequency: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """Gamma(nu+d/2) / (Gamma(d/2) Gamma(nu)) q^{d/2} |k|^{d-1} (1 + q k^2)^{-nu-d/2}.

        Here q = 2 pi^2 beta^2 / nu.
        """
        k = np.abs(np.asarray(frequency, np.float64))
        half, q = dimension / 2, 2 * (math.pi * self.beta) ** 2 / self.nu
        constant = math.lgamma(self.nu + half) - math.lgamma(half) - math.lgamma(self.nu)
        constant += half * math.log(q)
        decay = -(self.nu + half) * np.log1p(q * k * k)
        return np.exp(constant + _log_power(k, dimension) + decay)


@dataclass(frozen=True)
class Laplace(Spectral):
    """F(s) = exp(-s / beta), the Matérn kernel of smoothness 1/2.

    Parameters
    ----------
    beta
        Scale, in units of distance.
    """

    beta: float = 1.0
    most_modes = 1024

    def __post_init__(self) -> None:
        _check_length(self.beta, "beta")

    @property
    def length(self) -> float:
        """The scale beta."""
        return self.beta

    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s)."""
        return np.exp(-np.asarray(distance, np.float64) / self.beta)

    def fourier(self, frequency: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """That of the Matérn kernel of smoothness 1/2."""
        return Matern(0.5, self.beta).fourier(frequency, dimension)


@dataclass(frozen=True)
class Energy(RadialKernel):
    """F(s) = -s, which makes the energy distance; f(t) = -a_1 t is summed exactly by sorting."""

    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s)."""
        return -np.asarray(distance, np.float64)


@dataclass(frozen=True)
class Riesz(Explicit):
    """F(s) = -s^r, whose slice is f(t) = -a_r t^r.

    Parameters
    ----------
    power
        r, above 0 and below 2.
    """

    power: float = 0.5
    most_modes = 2048

    def __post_init__(self) -> None:
        if not 0.0 < self.power < 2.0:
            raise UsageError(f"The power of a Riesz kernel lies in (0, 2), not at {self.power!r}.")

    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s)."""
        return -(np.asarray(distance, np.float64) ** self.power)

    def slice(self, distance: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """f(t)."""
        return power_factor(self.power, dimension) * self.radial(distance)


@dataclass(frozen=True)
class ThinPlate(Explicit):
    """F(s) = s^2 log s, whose slice is f(t) = d t^2 log t - C t^2.

    C = -(d/2) (H_{d/2} - 2 + log 4) with the harmonic number H; it follows from the derivative of
    a_r with respect to r at r = 2.
    """

    most_modes = 2048

    def radial(self, distance: ArrayLike) -> NDArray[np.float64]:
        """F(s), 0 at s = 0."""
        return _square_log(distance)

    def slice(self, distance: ArrayLike, dimension: int) -> NDArray[np.float64]:
        """f(t), 0 at t = 0."""
        constant = -(dimension / 2) * (_harmonic(dimension) - 2.0 + math.log(4.0))
        t = np.asarray(distance, np.float64)
        return dimension * _square_log(t) - constant * t * t


AnyKernel = Spectral | Explicit | Energy
"""What is summed by slices."""


def kernel_named(name: str, scale: float) -> AnyKernel:
    """A kernel of the rooms, its scale (sigma or beta) given in units of distance.

    The Matérn kernel has nu = 3/2, Riesz's r = 1/2; the energy kernel, Riesz's and the thin plate
    have no scale.

    Raises
    ------
    UsageError
        If the name is not one of `KERNELS`.
    """
    match name:
        case "gauss":
            return Gauss(scale)
        case "laplace":
            return Laplace(scale)
        case "matern":
            return Matern(1.5, scale)
        case "energy":
            return Energy()
        case "riesz":
            return Riesz(0.5)
        case "thin-plate":
            return ThinPlate()
    raise UsageError(f"Kernels are {', '.join(KERNELS)}, not {name!r}.")


def _square_log(distance: ArrayLike) -> NDArray[np.float64]:
    s = np.asarray(distance, np.float64)
    return s * s * np.log(np.where(s > 0.0, s, 1.0))


def _harmonic(dimension: int) -> float:
    """H_{d/2}: a sum for even d, and for odd d one that starts at H_{1/2} = 2 - log 4."""
    if dimension % 2 == 0:
        return sum(1.0 / n for n in range(1, dimension // 2 + 1))
    start = 2.0 - math.log(4.0)
    return start + sum(1.0 / (n + 0.5) for n in range(1, (dimension - 1) // 2 + 1))


def _log_power(k: NDArray[np.float64], dimension: int) -> NDArray[np.float64]:
    """(d - 1) log k, which is -inf at k = 0 unless d = 1."""
    if dimension == 1:
        return np.zeros(k.shape)
    with np.errstate(divide="ignore"):
        return (dimension - 1) * np.log(k)


def _check_length(value: float, name: str) -> None:
    if not 0.0 < value < math.inf:
        raise UsageError(f"The kernel's {name} is a length above 0, not {value!r}.")
