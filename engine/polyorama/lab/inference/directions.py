r"""Directions for slicing: unit vectors xi_1 .. xi_P in R^d, random yet evenly spread.

Every kind is unbiased, each direction by itself being uniform on the sphere: what is fixed is
turned by a random rotation at each use. Since f is even, xi and -xi are the same direction.

Hertrich, Jahn, Quellmalz, "Fast summation of radial kernels via QMC slicing", ICLR 2025.
"""

from __future__ import annotations

import contextlib
import functools
import math
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import platformdirs

from polyorama.core.arguments import check_whole
from polyorama.core.compile import parallel_for
from polyorama.core.jobs import Progress, run
from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.lab.inference.slicing_loops import PARTS, repulsion
from polyorama.lab.inference.sphere import haar, iid, orthogonal, unit

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job

__all__ = [
    "ITERATIONS", "KINDS", "SHIPPED", "Kind", "ascent", "design", "design_degree", "directions",
    "distance_job", "has_design", "prepared", "sobol", "sobol_normal", "spread_energy",
]  # fmt: skip

Kind = Literal["iid", "orthogonal", "sobol", "distance", "design"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ITERATIONS = 400
"""Steps of the ascent that makes directions of most distance."""
_MOST = 2**26
"""Numbers in one set of directions at most, 512 MiB."""
_BASE_SEED = 0
SHIPPED = "directions.npz"
"""Name of the asset with directions that were made once."""
_MOST_MOVES = 100


def directions(
    kind: Kind, dimension: int, count: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """Directions of a kind, (count, dimension) float64 rows of length 1.

    In one dimension there is the one direction, and nothing is sliced. In two, "distance" and
    "design" are both angles at equal steps.

    Parameters
    ----------
    kind
        ``"iid"``, ``"orthogonal"``, ``"sobol"``, ``"distance"`` or ``"design"``.
    dimension, count
        d and P.
    random
        The luck; it is all that differs between two calls.

    Raises
    ------
    UsageError
        If the kind is not known, the numbers are out of bounds, a design is asked for in more than
        4 dimensions, or P is too small or large for one.
    """
    check_whole(dimension, "dimension")
    check_whole(count, "count")
    if kind not in KINDS:
        raise UsageError(f"Directions are {', '.join(KINDS)}, not {kind!r}.")
    if dimension < 1 or count < 1 or dimension * count > _MOST:
        raise UsageError(
            f"Directions need at least 1 dimension and 1 direction and at most {_MOST:,} numbers, "
            f"not {count:,} in {dimension:,} dimensions."
        )
    if dimension == 1:
        return np.ones((1, 1))
    if kind in ("iid", "orthogonal", "sobol"):
        makers = {"iid": iid, "orthogonal": orthogonal, "sobol": sobol}
        return makers[kind](dimension, count, random)
    if dimension == 2:
        angles = np.pi * (np.arange(count) / count + random.random())
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if kind == "distance" and count <= dimension:
        return orthogonal(dimension, count, random)  # which then is of most distance
    return prepared(kind, dimension, count) @ haar(dimension, random)


def sobol_normal(dimension: int, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Scrambled Sobol points through the inverse of the normal distribution, (count, dimension).

    Their rate needs a power of two as `count`.
    """
    import torch

    seed = int(random.integers(2**31))
    engine: Any = torch.quasirandom.SobolEngine(  # type: ignore[no-untyped-call]
        dimension, scramble=True, seed=seed
    )
    points = engine.draw(count, dtype=torch.float64)
    # Points are multiples of 2^-30 below 1; their cells' middles are never 0 or 1.
    normal: NDArray[np.float64] = torch.special.ndtri(points + 2.0**-31).numpy()
    return normal


def sobol(dimension: int, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Sobol points made normal, then of length 1."""
    return unit(sobol_normal(dimension, count, random))


def ascent(
    xi: NDArray[np.float64], step: float = 1.0, chance: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], float]:
    """One step up the sum of distances of {+xi, -xi}, back onto the sphere.

    Parameters
    ----------
    xi
        (P, d) unit vectors.
    step
        Factor of the gradient over P, whose part along xi is left out.
    chance
        (P, d) that is added before they go back onto the sphere; None for nothing.

    Returns
    -------
    moved
        (P, d) unit vectors.
    energy
        Of those before the step: the mean over pairs of |xi_p - xi_q| + |xi_p + xi_q|.
    """
    xi = np.ascontiguousarray(xi)
    forces = np.empty(xi.shape)

    def task(_part: int, start: int, stop: int) -> float:
        return float(repulsion(xi, start, stop, forces))

    energy = sum(parallel_for(task, len(xi), PARTS)) / len(xi) ** 2
    moved = xi + (step / len(xi)) * forces
    return unit(moved if chance is None else moved + chance), energy


def spread_energy(xi: NDArray[np.float64]) -> float:
    """The mean over all pairs, p = q too, of |xi_p - xi_q| + |xi_p + xi_q|."""
    return ascent(xi, 0.0)[1]


def distance_job(
    dimension: int, count: int, iterations: int = ITERATIONS
) -> Job[NDArray[np.float64]]:
    """Maximise the distances of {+xi, -xi} by projected gradient ascent; always the same result.

    The step is 1 at first and falls to 0.135 of it, by the same factor each iteration.
    """
    random = np.random.default_rng([_BASE_SEED, dimension, count])
    xi = orthogonal(dimension, count, random)
    for i in range(iterations):
        yield Progress(i, iterations, f"Spreading {count} directions")
        xi, _ = ascent(xi, math.exp(-2.0 * i / iterations))
    return xi


def prepared(kind: Kind, dimension: int, count: int) -> NDArray[np.float64]:
    """Directions that take long to make, unturned: some are shipped, others kept in a cache.

    Raises
    ------
    UsageError
        If the kind is a design and there is none of this size.
    """
    shipped = _shipped().get(f"{kind}-{dimension}-{count}")
    if shipped is not None:
        return shipped
    path = _kept_at(f"{kind}-{dimension}-{count}-{ITERATIONS}")
    with contextlib.suppress(OSError, ValueError, EOFError):
        kept = np.load(path, allow_pickle=False)
        if kept.shape == (count, dimension) and kept.dtype == np.float64 and _on_sphere(kept):
            return np.asarray(kept, np.float64)
    made = design(dimension, count) if kind == "design" else run(distance_job(dimension, count))
    # A folder that cannot be written costs the same work next time, nothing else.
    with contextlib.suppress(OSError, OutputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as temporary, temporary.open("wb") as file:
            np.save(file, made)
    return made


@functools.cache
def _shipped() -> dict[str, NDArray[np.float64]]:
    """Those that `packaging/make_directions.py` made, by kind, dimension and number; read-only."""
    found = {}
    with (
        resources.files("polyorama_assets").joinpath(SHIPPED).open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        for name in archive.files:
            found[name] = unit(archive[name].astype(np.float64))  # they were rounded
            found[name].setflags(write=False)
    return found


def _kept_at(name: str) -> Path:
    return platformdirs.user_cache_path("polyorama") / "directions" / f"{name}.npy"


def _on_sphere(xi: NDArray[np.float64]) -> bool:
    return bool(np.allclose((xi * xi).sum(axis=1), 1.0, rtol=0.0, atol=1e-9))


def design_degree(dimension: int, count: int) -> int:
    """The highest even degree that `count` directions and their opposites integrate exactly.

    Chosen so that the equations, one for each harmonic of even degree from 2 on, are at most four
    fifths of the free coordinates.
    """
    free, degree, equations = 0.8 * count * (dimension - 1), 0, 0
    while equations + _harmonics(dimension, degree + 2) <= free:
        degree += 2
        equations += _harmonics(dimension, degree)
    return degree


def _harmonics(dimension: int, degree: int) -> int:
    """How many independent spherical harmonics of a degree there are."""
    below = math.comb(degree + dimension - 3, dimension - 1) if degree >= 2 else 0
    return math.comb(degree + dimension - 1, dimension - 1) - below


def has_design(dimension: int, count: int) -> bool:
    """Whether `design` makes one; in two dimensions equal steps are one."""
    return dimension in (3, 4) and 6 <= count <= 512


def design(dimension: int, count: int) -> NDArray[np.float64]:
    r"""A spherical design: {+xi, -xi} integrates all polynomials up to a degree exactly.

    The residuals are r(z) = (1/P) sum_p G(<xi_p, z>) at probes z, with G the reproducing kernel of
    the harmonics of even degree 2..t; they vanish at all z just where xi is such a design. Starting
    from directions of most distance, they are brought to 0 by Levenberg and Marquardt's
    method.

    Raises
    ------
    UsageError
        If the dimension is not 3 or 4, or P is below 6 or above 512.
    """
    if not has_design(dimension, count):
        raise UsageError(
            f"Designs are made in 3 and 4 dimensions with 6 to 512 directions, not {count} in "
            f"{dimension}; take those of most distance instead."
        )
    degree = design_degree(dimension, count)
    xi = prepared("distance", dimension, count)
    equations = sum(_harmonics(dimension, n) for n in range(2, degree + 1, 2))
    random = np.random.default_rng([_BASE_SEED, dimension, count])
    probes = iid(dimension, math.ceil(1.25 * equations), random)
    residual, jacobian = _design_equations(xi, probes, degree)
    damping = 1e-3
    for _ in range(_MOST_MOVES):
        if np.abs(residual).max() < 1e-11 * equations:
            return xi
        matrix = jacobian.T @ jacobian
        matrix[np.diag_indices(len(matrix))] += damping * np.trace(matrix) / len(matrix)
        move = np.linalg.solve(matrix, -jacobian.T @ residual).reshape(count, -1)
        moved = unit(xi + np.einsum("pk,pkd->pd", move, _tangents(xi)))
        new_residual, new_jacobian = _design_equations(moved, probes, degree)
        if np.square(new_residual).sum() < np.square(residual).sum():
            xi, residual, jacobian = moved, new_residual, new_jacobian
            damping = max(damping / 10.0, 1e-14)
        else:
            damping *= 10.0
    raise UsageError(
        f"No design of {count} directions in {dimension} dimensions was found; take those of most "
        f"distance instead."
    )


def _design_equations(
    xi: NDArray[np.float64], probes: NDArray[np.float64], degree: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Residuals at the probes, (Z,), and how they change along the tangents, (Z, P (d - 1))."""
    value, slope = _even_kernel(probes @ xi.T, xi.shape[1], degree)
    # d<xi_p, z> along the tangent: z's part there.
    along = np.einsum("pkd,zd->zpk", _tangents(xi), probes)
    jacobian = (slope[:, :, None] * along).reshape(len(probes), -1) / len(xi)
    return value.mean(axis=1), jacobian


def _tangents(xi: NDArray[np.float64]) -> NDArray[np.float64]:
    """(P, d - 1, d): an orthonormal basis of each tangent space."""
    frame = np.broadcast_to(np.eye(xi.shape[1]), (len(xi), xi.shape[1], xi.shape[1])).copy()
    frame[:, :, 0] = xi
    largest = np.abs(xi).argmax(axis=1)
    for p, axis in enumerate(largest):  # unit vectors other than the one nearest to xi
        rest = [j for j in range(xi.shape[1]) if j != axis]
        frame[p, :, 1:] = np.eye(xi.shape[1])[:, rest]
    return np.swapaxes(np.linalg.qr(frame)[0][:, :, 1:], 1, 2)


def _even_kernel(
    cosines: NDArray[np.float64], dimension: int, degree: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """G = sum over even n in 2..t of (2n + d - 2) / (d - 2) C_n(cos), and its derivative.

    C_n are Gegenbauer's polynomials of index (d - 2) / 2, by their three-term recurrence.
    """
    index = (dimension - 2) / 2
    before, now = np.ones(cosines.shape), 2.0 * index * cosines
    slope_before, slope_now = np.zeros(cosines.shape), np.full(cosines.shape, 2.0 * index)
    value, slope = np.zeros(cosines.shape), np.zeros(cosines.shape)
    for n in range(2, degree + 1):
        a, b = 2.0 * (n + index - 1.0) / n, (n + 2.0 * index - 2.0) / n
        following = a * cosines * now - b * before
        slope_following = a * (now + cosines * slope_now) - b * slope_before
        before, now, slope_before, slope_now = now, following, slope_now, slope_following
        if n % 2 == 0:
            factor = (2.0 * n + dimension - 2.0) / (dimension - 2.0)
            value += factor * now
            slope += factor * slope_now
    return value, slope
