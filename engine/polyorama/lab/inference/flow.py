r"""Particles that flow towards a target down the squared maximum mean discrepancy (MMD).

With N particles x_i and N points y_j of the target, and a kernel K,

.. math:: D = \frac1{N^2} \sum_{ij} K(x_i, x_j) - \frac2{N^2} \sum_{ij} K(x_i, y_j)
          + \frac1{N^2} \sum_{ij} K(y_i, y_j), \qquad
          \dot x_i = -\nabla s(x_i), \quad
          s(z) = \frac1N \sum_j K(x_j, z) - \frac1N \sum_j K(y_j, z):

particles repel each other and are drawn to the target. With K = -|x - y| that is the energy
distance. Both sums are one sum of a radial kernel, so `fast_sum_gradient` takes O(P N log N)
operations instead of O(N^2); a few fresh slices a step suffice, for momentum averages over steps.

Hertrich, Wald, Altekrüger, Hagemann, "Generative sliced MMD flows with Riesz kernels", ICLR 2024;
the sums are those of Hertrich, Jahn, Quellmalz, ICLR 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.inference.slicing import fast_sum_gradient, mean_pull
from polyorama.lab.inference.slicing_kernels import Energy, Gauss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.inference.slicing_kernels import AnyKernel

__all__ = ["Flow", "energy_pull", "witness_gradient"]

_MODES = 256
"""Of kernels with a kink; the shortest wave is a sixty-fourth of the particles' span."""


def energy_pull(
    particles: NDArray[np.float64],
    target: NDArray[np.float64],
    directions: NDArray[np.float64],
    wanted: int | None = None,
) -> tuple[NDArray[np.float64], float]:
    """Gradients of s for the energy kernel, and the energy distance, both by sorting each slice.

    Parameters
    ----------
    particles, target
        (N, d) and (M, d) float64.
    directions
        (P, d) float64 unit vectors.
    wanted
        Of how many particles, from the first, gradients are wanted; None for all.

    Returns
    -------
    gradient
        (wanted, d) float64.
    distance
        D, 2 E|x - y| - E|x - x'| - E|y - y'|, over these slices.

    Raises
    ------
    UsageError
        If a point is not finite.
    """
    count = len(particles) if wanted is None else wanted
    points, weights = _witness(particles, target)
    if not np.isfinite(points).all():
        raise UsageError("Some particles are no longer finite; take shorter steps, and reset.")
    gradient, apart = mean_pull(np.ascontiguousarray(points.T), weights, directions, count)
    return -gradient.T, -apart


def witness_gradient(
    kernel: AnyKernel,
    particles: NDArray[np.float64],
    target: NDArray[np.float64],
    directions: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The gradient of s at every particle, (N, d) float64; parameters as for `energy_pull`."""
    if isinstance(kernel, Energy):
        return energy_pull(particles, target, directions)[0]
    points, weights = _witness(particles, target)
    modes = None if isinstance(kernel, Gauss) else _MODES
    return fast_sum_gradient(kernel, points, particles, weights, directions, modes)


def _witness(
    particles: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points (N + M, d) of the sum s, and their weights."""
    shares = np.full(len(particles), 1.0 / len(particles)), np.full(len(target), -1.0 / len(target))
    return np.concatenate([particles, target]), np.concatenate(shares)


class Flow:
    """Particles with velocities: v <- momentum v - step grad s(x), then x <- x + v.

    Parameters
    ----------
    kernel
        K.
    particles
        (N, d), where they begin, at rest.

    Raises
    ------
    UsageError
        If they are not finite or not in rows.
    """

    def __init__(self, kernel: AnyKernel, particles: NDArray[np.float64]) -> None:
        self.kernel = kernel
        self.particles = np.array(particles, np.float64)
        if self.particles.ndim != 2 or not np.isfinite(self.particles).all():
            raise UsageError("Particles are finite rows of coordinates, (N, d).")
        self.velocities = np.zeros(self.particles.shape)
        self.distance = np.nan
        """Energy distance to the target before the last step, over its slices; over the first of
        them for other kernels."""

    def step(
        self,
        target: NDArray[np.float64],
        directions: NDArray[np.float64],
        step: float,
        momentum: float,
        axes: tuple[int, ...] | None = None,
    ) -> None:
        """Move once.

        Parameters
        ----------
        target
            (M, d) float64.
        directions
            (P, d) float64, fresh at every step; (P, len(axes)) with axes.
        step, momentum
            Length of a step, and the share of the velocity that is kept, below 1.
        axes
            The coordinates in which anything differs; None for all. f and a_1 are those of their
            number, for slices of a plane are not slices of space.
        """
        places, goal = self.particles, target
        if axes is not None:
            places, goal = places[:, axes], goal[:, axes]
        if isinstance(self.kernel, Energy):
            gradient, self.distance = energy_pull(places, goal, directions)
        else:
            gradient = witness_gradient(self.kernel, places, goal, directions)
            # One yardstick for all kernels.
            self.distance = energy_pull(places, goal, directions[:1], 0)[1]
        self.velocities *= momentum
        self.velocities[:, slice(None) if axes is None else axes] -= step * gradient
        self.particles += self.velocities
