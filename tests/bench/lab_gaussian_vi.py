"""Iterations a second of the room of Gaussian VI beside named peers, in one run.

No package on the index does Bures-Wasserstein VI, so the peers are ADVI as torch.distributions and
torch.optim make it (full covariance, sticking the landing, Adam), and our own step with the general
matrix square root of SciPy in place of the eigendecomposition. Let BLAS have one thread
(OPENBLAS_NUM_THREADS=1): matrices of this size gain nothing from more, and lose much on a busy
machine.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.linalg import sqrtm

from polyorama.lab.inference.bures import Normal
from polyorama.lab.inference.gaussian_vi import Advi, forward_step, sampled, svrgvi_step
from polyorama.lab.inference.gaussian_vi_race import VIParams
from polyorama.lab.inference.vi_claims import paper_target
from polyorama.lab.inference.vi_experiment import GaussianVI

if TYPE_CHECKING:
    from collections.abc import Callable


def best_of(rounds: int, work: Callable[[], object]) -> float:
    """Seconds of the quickest of some rounds."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def start_of(dimension: int) -> Normal:
    return Normal.of(np.zeros(dimension), np.eye(dimension))


def iterate(dimension: int, count: int) -> None:
    """SVRGVI, one draw a step."""
    target, now = paper_target(dimension, 0), start_of(dimension)
    luck = np.random.default_rng(0)
    for _ in range(count):
        _, now = svrgvi_step(now, luck.standard_normal((1, dimension)), target, 1.0, 0.9)


def iterate_plainly(dimension: int, count: int) -> None:
    """The same with a general matrix square root, of which the real part is taken."""
    target, now = paper_target(dimension, 0), start_of(dimension)
    luck, eye = np.random.default_rng(0), np.eye(dimension)
    for _ in range(count):
        z = luck.standard_normal((1, dimension))
        half = forward_step(now, *sampled(now, z, target, 0.9), 1.0)
        wide = half.covariance[0]
        after = 0.5 * (wide + 2.0 * eye + sqrtm(wide @ (wide + 4.0 * eye)).real)
        now = Normal(half.mean, 0.5 * (after + after.T)[None])


def advi(dimension: int, count: int) -> None:
    """Ours."""
    target, method = paper_target(dimension, 0), Advi(start_of(dimension))
    luck = np.random.default_rng(0)
    for _ in range(count):
        method.step(luck.standard_normal((1, dimension)), target, 0.01)


def torch_advi(dimension: int, count: int) -> None:
    """Torch's."""
    target = paper_target(dimension, 0)
    goal = torch.from_numpy(target.mean)
    precision = torch.from_numpy(target.precision)
    mean = torch.zeros(dimension, dtype=torch.float64, requires_grad=True)
    lower = torch.zeros(dimension, dimension, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([mean, lower], lr=0.01)
    for _ in range(count):
        root = torch.tril(lower, -1) + torch.diag(torch.exp(torch.diagonal(lower)))
        moving = torch.distributions.MultivariateNormal(mean, scale_tril=root, validate_args=False)
        held = torch.distributions.MultivariateNormal(
            mean.detach(), scale_tril=root.detach(), validate_args=False
        )
        point = moving.rsample()
        far = point - goal
        loss = 0.5 * far @ precision @ far + held.log_prob(point)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def snapshots(preset: int) -> float:
    """Snapshots a second of one core's own time, at normal speed: two steps between two looks."""
    chosen = GaussianVI.presets[preset]
    experiment = GaussianVI(VIParams(**chosen.values), chosen.rivals or None)
    experiment.reset(0)
    experiment.step(20)

    begun = time.process_time()
    for _ in range(60):
        experiment.step(2)
    return 60.0 / (time.process_time() - begun)


def measure(table) -> None:
    """Rows of the room."""
    torch.set_num_threads(1)
    seconds = best_of(5, lambda: iterate(10, 300))
    table.row("300 iterations of SVRGVI, d = 10", 1e3 * seconds, "ms", 1000.0)
    for dimension, count in ((10, 300), (50, 60), (200, 4)):
        ours, plain = np.inf, np.inf
        for _ in range(3):  # interleaved, each at its best
            ours = min(ours, best_of(1, lambda d=dimension, n=count: iterate(d, n)) / count)
            plain = min(
                plain, best_of(1, lambda d=dimension, n=count: iterate_plainly(d, n)) / count
            )
        table.row(f"SVRGVI, an iteration at d = {dimension}", 1e3 * ours, "ms", None)
        table.row(f"over it with SciPy's sqrtm, d = {dimension}", plain / ours, "times", 1.0, True)
    ours = theirs = np.inf
    for _ in range(3):
        ours = min(ours, best_of(1, lambda: advi(10, 200)))
        theirs = min(theirs, best_of(1, lambda: torch_advi(10, 200)))
    table.row("ADVI, an iteration of torch's over ours, d = 10", theirs / ours, "times", 1.0, True)
    for number, preset in enumerate(GaussianVI.presets):
        table.row(f"{preset.title}: snapshots a second", snapshots(number), "", 30.0, True)
