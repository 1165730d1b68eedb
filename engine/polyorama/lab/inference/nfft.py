r"""Fourier sums at points that lie anywhere, by local polynomials; many lines at once.

A period [-1/2, 1/2) is cut into C cells. In the cell around t_c a point is t = t_c + u / (2 C) with
|u| <= 1, and there a wave is nearly a polynomial,

.. math:: e^{-2 \pi i h t} = e^{-2 \pi i h t_c} e^{-i \theta_h u}
          \approx e^{-2 \pi i h t_c} \sum_{k<8} T_{hk} u^k, \qquad \theta_h = \pi h / C.

So the sums over points of all modes follow from eight moments of each cell, by fast Fourier
transforms over the cells (the adjoint transform), and a Fourier series becomes one polynomial a
cell (the forward transform). A point costs eight multiply-adds each way, whatever the number of
modes. With C >= 8 H for modes up to H the error is below 1e-9 of the largest weight, as tight as
the authors' tolerance; they spread points with a Kaiser-Bessel window instead. That low rank makes
such a transform fast is due to Anderson and Dahleh (1996) and Ruiz-Antolin and Townsend (2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import parallel_for
from polyorama.lab.inference.slicing_loops import (
    CHUNK,
    PARTS,
    TERMS,
    evaluate,
    evaluate_vectors,
    spread,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Grid",
    "Series",
    "multiplied",
    "summed_moments",
    "summed_series",
    "summed_vectors",
    "table_at",
]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Cells of a period and how waves look in them.

    Parameters
    ----------
    modes
        H, the highest frequency.
    cells
        C, a power of two, at least 8 H.
    waves
        (H + 1, 8) complex128, T of the module's formula.
    """

    modes: int
    cells: int
    waves: NDArray[np.complex128]

    @classmethod
    def of(cls, modes: int) -> Grid:
        """The grid for modes up to `modes`."""
        cells = max(64, 1 << math.ceil(math.log2(8 * max(modes, 1))))
        nodes = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)  # Chebyshev's, where T is exact
        angles = np.pi * np.arange(modes + 1) / cells
        values = np.exp(-1j * angles[:, None] * nodes)
        waves = np.linalg.solve(np.vander(nodes, TERMS, increasing=True), values.T).T
        return cls(modes, cells, np.ascontiguousarray(waves))


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A real, even or odd, multiplier of modes 0..H.

    Parameters
    ----------
    grid
        The cells.
    coefficients
        (H + 1,) float64 or complex128; the mode -h has the conjugate of that of h.
    """

    grid: Grid
    coefficients: NDArray[np.float64] | NDArray[np.complex128]

    def derivative(self) -> Series:
        """That of the derivative: 2 pi i h times the coefficients."""
        h = np.arange(self.grid.modes + 1)
        return Series(self.grid, 2j * np.pi * h * self.coefficients)

    def cut(self, modes: int) -> Series:
        """The modes up to `modes` alone."""
        kept = min(modes, self.grid.modes)
        return Series(Grid.of(kept), self.coefficients[: kept + 1])

    def table(self) -> NDArray[np.float64]:
        """(1, C, 8) polynomials of sum_h c_h exp(2 pi i h t) by cells, as `summed_series` takes."""
        grid = self.grid
        moments = np.zeros((1, grid.cells, TERMS))
        # One unit weight at t = 0, which is the lower end of the cell C/2.
        moments[0, grid.cells // 2] = (-1.0) ** np.arange(TERMS)
        return multiplied(self, moments)


def table_at(table: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of a `Series.table` at places in [-1/2, 1/2), of any shape."""
    line = np.ascontiguousarray(places, np.float64).reshape(1, -1)
    return summed_series(table, line, np.ones((1, 1)), 1.0).reshape(np.shape(places))


def summed_moments(
    grid: Grid,
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    directions: NDArray[np.float64],
    scale: float,
) -> NDArray[np.float64]:
    """Moments of the points of every line.

    Parameters
    ----------
    grid
        The cells.
    points
        (d, N) float64, C-contiguous.
    weights
        (N,) float64.
    directions
        (P, d) float64; line p holds the points ``scale * <direction, point>``, in [-1/2, 1/2).

    Returns
    -------
    numpy.ndarray
        (P, C, 8) float64, sums of w u^k.
    """
    moments = np.zeros((len(directions), grid.cells, TERMS))

    def task(_part: int, start: int, stop: int) -> None:
        spread(points, weights, directions[start:stop], scale, moments[start:stop])

    parallel_for(task, len(directions), PARTS)
    return moments


def multiplied(series: Series, moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Polynomials of sum_h c_h a_h exp(2 pi i h t), where a_h are the sums over points.

    Parameters
    ----------
    series
        The coefficients c.
    moments
        (P, C, 8) float64, as `summed_moments` gives them.

    Returns
    -------
    numpy.ndarray
        (P, C, 8) float64, by powers of u in each cell.
    """
    grid, result = series.grid, np.empty(moments.shape)
    count = grid.modes + 1

    def task(_part: int, start: int, stop: int) -> None:
        for p in range(start, stop):  # adjoint: cells to modes
            spectra = np.fft.rfft(moments[p], axis=0)[:count]
            # The phases of the cells' centres cancel between both ways.
            sums = np.einsum("hk,hk->h", grid.waves, spectra)
            spectra = (series.coefficients * sums)[:, None] * grid.waves.conj()
            spectra *= grid.cells
            spectra[0] = spectra[0].real
            result[p] = np.fft.irfft(spectra, grid.cells, axis=0)  # forward: modes to cells

    parallel_for(task, len(moments), PARTS)
    return result


def summed_series(
    polynomials: NDArray[np.float64],
    points: NDArray[np.float64],
    directions: NDArray[np.float64],
    scale: float,
) -> NDArray[np.float64]:
    """The sum over lines of their series at each point: (N,) float64 for (d, N) points."""
    result = np.zeros(points.shape[1])

    def task(_part: int, start: int, stop: int) -> None:
        evaluate(points[:, start:stop], polynomials, directions, scale, result[start:stop])

    parallel_for(task, len(result), max(PARTS, len(result) // (64 * CHUNK)))
    return result


def summed_vectors(
    polynomials: NDArray[np.float64],
    points: NDArray[np.float64],
    directions: NDArray[np.float64],
    scale: float,
) -> NDArray[np.float64]:
    """The sum over lines of series times direction: (d, N) float64 for (d, N) points."""
    result = np.zeros(points.shape)

    def task(_part: int, start: int, stop: int) -> None:
        piece = result[:, start:stop]
        evaluate_vectors(points[:, start:stop], polynomials, directions, scale, piece)

    parallel_for(task, points.shape[1], max(PARTS, points.shape[1] // (64 * CHUNK)))
    return result
