r"""Sums of radial kernels, fast: averages of one-dimensional sums over directions.

.. math:: s_m = \sum_n w_n F(|x_n - y_m|) \approx \frac1P \sum_{p=1}^P \sum_n w_n
          f(|\langle \xi_p, x_n - y_m\rangle|), \qquad F(|x|) = E_\xi f(|\langle \xi, x\rangle|).

Directions xi that are spread evenly (quasi-Monte Carlo) make the error fall faster than P^{-1/2}.

Hertrich, Jahn, Quellmalz, "Fast summation of radial kernels via QMC slicing", ICLR 2025. Read it
from the top: the coefficients of f (`sliced_series`), then the sum and its gradient.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import parallel_for
from polyorama.errors import UsageError
from polyorama.lab.inference.nfft import (
    Grid,
    Series,
    multiplied,
    summed_moments,
    summed_series,
    summed_vectors,
    table_at,
)
from polyorama.lab.inference.slicing_kernels import (
    Energy,
    Explicit,
    Gauss,
    Spectral,
    power_factor,
)
from polyorama.lab.inference.slicing_loops import PARTS, TERMS, sorted_gradient, sorted_sum

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.lab.inference.slicing_kernels import AnyKernel, RadialKernel

__all__ = [
    "SliceFunction", "fast_sum", "fast_sum_gradient", "mean_pull", "naive_sum", "sliced_series",
]  # fmt: skip

REACH = 0.25
"""Largest distance of two points on a line, in periods."""
_SHARE = 1e-9
"""Modes are left out that together have less than this share of all coefficients."""
_MOST_TABLE = 2**23
"""Numbers in the tables of the lines that are summed at once, 64 MiB."""
_STEEP = (0.5 - REACH) / 4.6
"""Width of the edges of the window; erfc(4.6) is 8e-11."""
_SAMPLES = 2**16


def sliced_series(
    kernel: Spectral | Explicit, dimension: int, scale: float, modes: int | None = None
) -> Series:
    """The Fourier series that stands for f in `dimension` dimensions.

    With distances multiplied by `scale`, f is needed up to `REACH` alone; so what is expanded is f
    times a window that is 1 there and 0 around the next period's points. (The authors expand f
    itself, which is the same where f has decayed within a period. In even dimensions that of a
    Gaussian decays like t^{-d} only: at d = 4 it is 3e-4 at their shortest period, 10 sigma.)

    Parameters
    ----------
    kernel
        Other than the energy kernel, which needs none.
    dimension
        d, at least 1.
    scale
        Periods per unit of distance.
    modes
        How many are kept at most above the constant; None for the kernel's own number.

    Raises
    ------
    UsageError
        If a Gaussian is so narrow, by its scale, that the modes do not suffice.
    """
    most = kernel.most_modes if modes is None else modes
    if isinstance(kernel, Spectral):
        coefficients = _windowed_spectrum(kernel, dimension, scale, most)
    else:
        coefficients = _windowed_samples(kernel, dimension, scale, most)
    size = np.abs(coefficients)
    if isinstance(kernel, Gauss) and size[-1] > _SHARE * size.max():
        raise UsageError(
            f"A Gaussian of sigma {kernel.sigma:g} is too narrow for points that lie "
            f"{REACH / scale:g} apart, with {most} modes; widen it, or leave out far points."
        )
    beyond = np.cumsum(size[::-1])[::-1] > _SHARE * size.sum()
    kept = int(np.flatnonzero(beyond)[-1])
    return Series(Grid.of(kept), coefficients[: kept + 1])


def _windowed_spectrum(
    kernel: Spectral, dimension: int, scale: float, modes: int
) -> NDArray[np.float64]:
    """c_h = int f^(k) window^(h - k) dk, by Gauss's rule between neighbouring whole k.

    The window is a box of width 1 smoothed by a Gaussian, so that its transform is
    sinc(k) exp(-pi^2 s^2 k^2). The only kink of f^ is at k = 0, an end of intervals.
    """
    width = math.ceil(5.0 / (math.pi * _STEEP))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    whole = np.arange(-width, modes + width + 1)
    result = np.zeros(modes + 1)
    for node, weight in zip((nodes + 1.0) / 2, weights / 2, strict=True):
        spectrum = scale * kernel.fourier(scale * (whole + node), dimension)
        offset = np.arange(-width, width + 1) - node
        window = np.sinc(offset) * np.exp(-((math.pi * _STEEP * offset) ** 2))
        result += weight * np.convolve(spectrum, window, "valid")
    return result


def _windowed_samples(
    kernel: Explicit, dimension: int, scale: float, modes: int
) -> NDArray[np.float64]:
    """c_h by a fast Fourier transform of samples of f times the window, over one period."""
    samples = np.zeros(_SAMPLES)
    for near, places, window in _windows():
        samples[near] += kernel.slice(places / scale, dimension) * window
    coefficients: NDArray[np.float64] = np.fft.rfft(samples).real[: modes + 1] / _SAMPLES
    return coefficients


@functools.cache
def _windows() -> tuple[tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]], ...]:
    """Of each period that reaches into this one: which samples, their places and the window."""
    found = []
    for period in (-1, 0, 1):
        places = np.abs(np.fft.fftfreq(_SAMPLES) + period)
        near = places < 1.0 - REACH
        found.append((near, places[near], _window(places[near])))
    return tuple(found)


def _window(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 up to `REACH`, 0 from 1 - `REACH` on, and smooth."""
    edges = np.array([math.erf((0.5 - place) / _STEEP) for place in places.tolist()])
    return 0.5 * (1.0 + edges)


class SliceFunction:
    """f as the fast sum has it: its Fourier series over the span of the points; exact for energy.

    Parameters
    ----------
    kernel, dimension
        F and d.
    span
        The largest distance that is asked for.
    modes
        How many Fourier modes are kept at most; None for all that the fast sum has.
    """

    def __init__(
        self,
        kernel: AnyKernel,
        dimension: int,
        span: float,
        modes: int | None = None,
    ) -> None:
        self._factor = power_factor(1.0, dimension)
        self._table: NDArray[np.float64] | None = None
        self.modes = 0
        """Of the series; 0 where there is none."""
        if not isinstance(kernel, Energy):
            self._scale = _scale_of(kernel, span)
            series = sliced_series(kernel, dimension, self._scale)
            series = series if modes is None else series.cut(modes)
            self._table, self.modes = series.table(), series.grid.modes

    def __call__(self, distance: ArrayLike) -> NDArray[np.float64]:
        """Values of f at signed distances along a line, of any shape."""
        t = np.asarray(distance, np.float64)
        if self._table is None:
            return -self._factor * np.abs(t)
        return table_at(self._table, t * self._scale)


def fast_sum(
    kernel: AnyKernel,
    x: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike,
    directions: ArrayLike,
    modes: int | None = None,
) -> NDArray[np.float64]:
    """s_m = sum_n w_n K(x_n, y_m) in O(P (N + M)) operations.

    Parameters
    ----------
    kernel
        One of `polyorama.lab.inference.slicing_kernels`.
    x, y
        (N, d) and (M, d): sources and targets.
    weights
        (N,).
    directions
        (P, d) unit vectors, as `polyorama.lab.inference.directions` makes them.
    modes
        Fourier modes kept at most; None for the kernel's own number.

    Returns
    -------
    numpy.ndarray
        (M,) float64.

    Raises
    ------
    UsageError
        If shapes do not fit, something is not finite, or `sliced_series` refuses.
    """
    sources, targets, weight, lines = _checked(x, y, weights, directions)
    if isinstance(kernel, Energy):
        both = np.ascontiguousarray(np.concatenate([targets, sources], axis=1))
        weight = np.concatenate([np.zeros(targets.shape[1]), weight])
        return -_mean_potential(both, weight, lines)[: targets.shape[1]]
    scale, middle = _placed(kernel, sources, targets)
    series = sliced_series(kernel, len(sources), scale, modes)
    result = np.zeros(targets.shape[1])
    for some in _pieces(lines, series):
        moments = summed_moments(series.grid, sources - middle, weight, some, scale)
        result += summed_series(multiplied(series, moments), targets - middle, some, scale)
    return result / len(lines)


def fast_sum_gradient(
    kernel: AnyKernel,
    x: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike,
    directions: ArrayLike,
    modes: int | None = None,
) -> NDArray[np.float64]:
    """The gradients of s_m with respect to y_m, (M, d) float64; see `fast_sum`.

    They are sums of f' by the same method: c_h(f') = 2 pi i h c_h(f).
    """
    sources, targets, weight, lines = _checked(x, y, weights, directions)
    count = targets.shape[1]
    if isinstance(kernel, Energy):
        both = np.ascontiguousarray(np.concatenate([targets, sources], axis=1))
        weight = np.concatenate([np.zeros(count), weight])
        return -mean_pull(both, weight, lines, count)[0].T
    scale, middle = _placed(kernel, sources, targets)
    series = sliced_series(kernel, len(sources), scale, modes)
    slope = series.derivative()
    result = np.zeros(targets.shape)
    for some in _pieces(lines, series):
        moments = summed_moments(series.grid, sources - middle, weight, some, scale)
        result += summed_vectors(multiplied(slope, moments), targets - middle, some, scale)
    return np.ascontiguousarray(result.T) * (scale / len(lines))


def naive_sum(
    kernel: RadialKernel, x: ArrayLike, y: ArrayLike, weights: ArrayLike
) -> NDArray[np.float64]:
    """The same sums by their definition, O(N M): what the fast ones are measured against."""
    sources, targets = np.asarray(x, np.float64), np.asarray(y, np.float64)
    weight = np.asarray(weights, np.float64)
    result = np.empty(len(targets))
    rows = max(1, _MOST_TABLE // (8 * max(len(sources), 1)))
    for start in range(0, len(targets), rows):
        block = targets[start : start + rows]
        squares = np.zeros((len(block), len(sources)))
        for j in range(sources.shape[1]):
            squares += (block[:, j, None] - sources[:, j]) ** 2
        result[start : start + rows] = kernel.radial(np.sqrt(squares)) @ weight
    return result


def _mean_potential(
    points: NDArray[np.float64], weights: NDArray[np.float64], lines: NDArray[np.float64]
) -> NDArray[np.float64]:
    """a_1 times the mean over lines of sum_n w_n |<xi, z_n - z_i>|, which is for F = s."""

    def task(_part: int, start: int, stop: int) -> NDArray[np.float64]:
        result = np.zeros(points.shape[1])
        sorted_sum(points, weights, lines[start:stop], result)
        return result

    total: NDArray[np.float64] = sum(parallel_for(task, len(lines), PARTS))
    return total * (power_factor(1.0, len(points)) / len(lines))


def mean_pull(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    lines: NDArray[np.float64],
    wanted: int,
) -> tuple[NDArray[np.float64], float]:
    """Gradients of pot_i = sum_n w_n |z_n - z_i|, and sum_i w_i pot_i, by sorting every line.

    Parameters
    ----------
    points
        (d, N) float64 z, C-contiguous and finite.
    weights
        (N,) float64.
    lines
        (P, d) float64 unit vectors.
    wanted
        Of how many points, from the first, gradients are wanted.

    Returns
    -------
    gradient
        (d, wanted) float64.
    apart
        The sum over all pairs.
    """

    def task(_part: int, start: int, stop: int) -> tuple[NDArray[np.float64], float]:
        result = np.zeros((len(points), wanted))
        some = lines[start:stop]
        return result, float(sorted_gradient(points, weights, some, wanted, result))

    parts = parallel_for(task, len(lines), PARTS)
    factor = power_factor(1.0, len(points)) / len(lines)
    total: NDArray[np.float64] = sum(gradient for gradient, _ in parts)
    return total * factor, sum(apart for _, apart in parts) * factor


def _pieces(lines: NDArray[np.float64], series: Series) -> list[NDArray[np.float64]]:
    """The lines in pieces whose tables are of bounded size."""
    at_once = max(1, _MOST_TABLE // (series.grid.cells * TERMS))
    return [lines[i : i + at_once] for i in range(0, len(lines), at_once)]


def _placed(
    kernel: Spectral | Explicit, sources: NDArray[np.float64], targets: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Periods per unit of distance, and the (d, 1) point that comes to the middle."""
    low = np.minimum(sources.min(axis=1), targets.min(axis=1))
    high = np.maximum(sources.max(axis=1), targets.max(axis=1))
    middle = (0.5 * (low + high))[:, None]
    square = max(((z - middle) ** 2).sum(axis=0).max() for z in (sources, targets))
    return _scale_of(kernel, 2.0 * math.sqrt(square)), middle


def _scale_of(kernel: Spectral | Explicit, span: float) -> float:
    """Periods per unit of distance, for points that are at most `span` apart."""
    # A kernel much wider than all points would be a spike in the spectrum.
    least = kernel.length if isinstance(kernel, Spectral) else 0.0
    return REACH / (max(span, least) or 1.0)


def _checked(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, directions: ArrayLike
) -> tuple[NDArray[np.float64], ...]:
    """Sources and targets as (d, N), weights and lines, all float64 and finite."""
    sources, targets = np.asarray(x, np.float64), np.asarray(y, np.float64)
    weight, lines = np.asarray(weights, np.float64), np.asarray(directions, np.float64)
    if sources.ndim != 2 or targets.ndim != 2 or sources.shape[1:] != targets.shape[1:]:
        raise UsageError(
            f"Points are (N, d) and (M, d) in the same space, not {sources.shape} and "
            f"{targets.shape}."
        )
    if 0 in sources.shape or 0 in targets.shape:
        raise UsageError("A kernel sum needs at least one source, one target and one dimension.")
    if weight.shape != sources.shape[:1]:
        raise UsageError(f"{len(sources)} sources need as many weights, not {weight.shape}.")
    if lines.ndim != 2 or lines.shape[1] != sources.shape[1] or not len(lines):
        raise UsageError(f"Directions are (P, {sources.shape[1]}), not {lines.shape}.")
    for name, array in (("x", sources), ("y", targets), ("weights", weight), ("directions", lines)):
        if not np.isfinite(array).all():
            raise UsageError(f"The {name} of a kernel sum must be finite; remove NaN and infinity.")
    columns = np.ascontiguousarray(sources.T), np.ascontiguousarray(targets.T)
    return (*columns, np.ascontiguousarray(weight), np.ascontiguousarray(lines))
