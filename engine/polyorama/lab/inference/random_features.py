r"""Random Fourier features: the rivals of slicing that sample waves instead of directions.

A positive definite kernel is a mean of waves, F(|x|) = E cos(2 pi <omega, x>), with omega drawn
from the kernel's spectrum; D waves approximate it with an error of order D^{-1/2}.

Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007; Yu and others,
"Orthogonal random features", NIPS 2016; Yang and others, "Quasi-Monte Carlo feature maps for
shift-invariant kernels", ICML 2014.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.inference.directions import sobol_normal
from polyorama.lab.inference.slicing_kernels import Gauss, Laplace, Matern
from polyorama.lab.inference.sphere import orthogonal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.lab.inference.slicing_kernels import RadialKernel

__all__ = ["FEATURE_KINDS", "FeatureKind", "feature_kernel", "feature_sum", "frequencies"]

FeatureKind = Literal["rff", "orf", "sobol-rff"]
FEATURE_KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)


def frequencies(
    kind: FeatureKind,
    kernel: RadialKernel,
    dimension: int,
    count: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    """Frequencies omega, (count, dimension) float64, in periods per unit of distance.

    Parameters
    ----------
    kind
        ``"rff"`` independent; ``"orf"`` blocks of orthogonal ones, with lengths as independent
        ones have; ``"sobol-rff"`` Sobol points made normal.
    kernel
        Gauss; or Laplace or Matérn, whose spectrum is Student's t of 2 nu degrees of freedom.

    Raises
    ------
    UsageError
        If the kernel has no such features, or Sobol points are asked for another than Gauss's.
    """
    if isinstance(kernel, Laplace):
        kernel = Matern(0.5, kernel.beta)
    if not isinstance(kernel, Gauss | Matern):
        raise UsageError(
            "Random features exist for positive definite kernels with a spectrum: Gauss, Laplace "
            "and Matérn."
        )
    if kind == "sobol-rff":
        if not isinstance(kernel, Gauss):
            raise UsageError("Sobol features are made for the Gauss kernel alone.")
        normal = sobol_normal(dimension, count, random)
    elif kind == "orf":
        lengths = np.sqrt(random.chisquare(dimension, (count, 1)))
        normal = lengths * orthogonal(dimension, count, random)
    else:
        normal = random.standard_normal((count, dimension))
    if isinstance(kernel, Gauss):
        return normal / (2.0 * math.pi * kernel.sigma)
    stretch = np.sqrt(2.0 * kernel.nu / random.chisquare(2.0 * kernel.nu, (count, 1)))
    return normal * stretch / (2.0 * math.pi * kernel.beta)


def feature_kernel(points: ArrayLike, omega: NDArray[np.float64]) -> NDArray[np.float64]:
    """The approximation of F(|x|) at points (..., d): the mean of cos(2 pi <omega, x>)."""
    phases = 2.0 * math.pi * (np.asarray(points, np.float64) @ omega.T)
    values: NDArray[np.float64] = np.cos(phases).mean(axis=-1)
    return values


def feature_sum(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, omega: NDArray[np.float64]
) -> NDArray[np.float64]:
    """sum_n w_n F(|x_n - y_m|) by features, in O(D (N + M)); pieces of bounded memory."""
    sources, targets = np.asarray(x, np.float64), np.asarray(y, np.float64)
    weight = np.asarray(weights, np.float64)
    rows = max(1, 2**22 // len(omega))
    cosines, sines = np.zeros(len(omega)), np.zeros(len(omega))
    for start in range(0, len(sources), rows):
        phases = 2.0 * math.pi * (sources[start : start + rows] @ omega.T)
        some = weight[start : start + rows]
        cosines += some @ np.cos(phases)
        sines += some @ np.sin(phases)
    result = np.empty(len(targets))
    for start in range(0, len(targets), rows):
        phases = 2.0 * math.pi * (targets[start : start + rows] @ omega.T)
        result[start : start + rows] = np.cos(phases) @ cosines + np.sin(phases) @ sines
    return result / len(omega)
