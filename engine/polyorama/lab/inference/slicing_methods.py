"""Every way to estimate a radial kernel that the room compares, adding up piece by piece.

A method draws P lines, all at once, from a stream of luck, and its estimate of F(|x|) is the mean
over those that have been added: of f(|<xi, x>|) for directions xi, of cos(2 pi <omega, x>) for
random features. After all P it is what `fast_sum` and `feature_sum` sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.inference.directions import KINDS, Kind, directions, has_design
from polyorama.lab.inference.random_features import FEATURE_KINDS, FeatureKind, frequencies
from polyorama.lab.inference.slicing import SliceFunction
from polyorama.lab.inference.slicing_kernels import Gauss, Spectral
from polyorama.lab.inference.sphere import heights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.inference.slicing_kernels import AnyKernel

__all__ = ["FEATURES", "SLICES", "Estimate", "Problem", "independent_error", "mean_error"]

SLICES: dict[str, Kind] = {kind: kind for kind in KINDS}
FEATURES: dict[str, FeatureKind] = {kind: kind for kind in FEATURE_KINDS}
"""Methods by name: by directions of a kind, and by features of a kind."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Where F is estimated.

    Parameters
    ----------
    kernel
        F.
    points
        (N, d) float64 x.
    slices
        f of this kernel in d dimensions, over the span of the points.
    exact
        (N,) float64, F(|x|).
    """

    kernel: AnyKernel
    points: NDArray[np.float64]
    slices: SliceFunction
    exact: NDArray[np.float64]

    @classmethod
    def of(
        cls, kernel: AnyKernel, points: NDArray[np.float64], modes: int | None = None
    ) -> Problem:
        """A problem, with f in `modes` Fourier modes at most."""
        norms = np.linalg.norm(points, axis=1)
        slices = SliceFunction(kernel, points.shape[1], float(norms.max()), modes)
        return cls(kernel, points, slices, kernel.radial(norms))

    def takes(self, method: str, count: int) -> bool:
        """Whether a method has `count` lines for it: not all have features, not all a design."""
        if method == "design":
            dimension = self.points.shape[1]
            return dimension == 2 or has_design(dimension, count)
        if method == "sobol-rff":
            return isinstance(self.kernel, Gauss)
        return method in SLICES or isinstance(self.kernel, Spectral)


class Estimate:
    """The mean over some lines of a method, at the points of a problem.

    Parameters
    ----------
    method
        A key of `SLICES` or `FEATURES`.
    problem
        What is estimated.
    count
        P, all lines that there will be.
    random
        The luck.

    Raises
    ------
    UsageError
        If the method is not known or cannot be had, see `Problem.takes`.
    """

    def __init__(
        self, method: str, problem: Problem, count: int, random: np.random.Generator
    ) -> None:
        if method not in SLICES and method not in FEATURES:
            raise UsageError(f"There is no method {method!r} to estimate a kernel.")
        dimension = problem.points.shape[1]
        self._problem, self._sliced = problem, method in SLICES
        if self._sliced:
            self.lines = directions(SLICES[method], dimension, count, random)
        else:
            self.lines = frequencies(FEATURES[method], problem.kernel, dimension, count, random)
        self.total = np.zeros(len(problem.points))
        self.added = 0

    def add(self, count: int) -> None:
        """Add the next `count` lines, or what is left of them."""
        some = self.lines[self.added : self.added + count]
        along = self._problem.points @ some.T
        if self._sliced:
            values = self._problem.slices(along)
        else:
            values = np.cos(2.0 * math.pi * along)
        self.total += values.sum(axis=1)
        self.added += len(some)

    def renew(self, problem: Problem) -> None:
        """Do what has been done once more, with the f of another problem at the same points."""
        added, self.added = self.added, 0
        self._problem = problem
        self.total = np.zeros(len(problem.points))
        self.add(added)

    @property
    def mean(self) -> NDArray[np.float64]:
        """The estimate of F at every point, (N,); NaN before anything was added."""
        return self.total / (self.added or math.nan)

    @property
    def error(self) -> float:
        """Mean over the points of |F - estimate|."""
        return float(np.abs(self.mean - self._problem.exact).mean())


def mean_error(method: str, problem: Problem, count: int, random: np.random.Generator) -> float:
    """Mean over the points of |F - estimate| with P = `count` lines."""
    estimate = Estimate(method, problem, count, random)
    estimate.add(count)
    return estimate.error


def independent_error(problem: Problem, count: int) -> float:
    """What `mean_error` is on average for P independent directions, as P grows.

    The estimate at x is normal about F with variance (E f^2 - F^2) / P, so its mean distance is
    sqrt(2 / pi) of the standard deviation.
    """
    t, weight = heights(problem.points.shape[1], 200)
    norms = np.linalg.norm(problem.points, axis=1)
    squares = problem.slices(norms[:, None] * t) ** 2 @ weight
    variance = np.maximum(squares - problem.exact**2, 0.0)
    return float(np.sqrt(2.0 * variance / (math.pi * count)).mean())
