"""Sums of a radial kernel by slicing beside named peers, in one run: seconds, ratios and errors.

100,000 points of N(0, I) in 10 dimensions, x = y, weights 1, the Gauss kernel with sigma the median
distance; 256 orthogonal slices or 512 random features. The naive sum is torch's, in single
precision, from a fiftieth of its rows. finufft 2.5 (slicing as the authors do it) and pykeops 2.3
are timed by the Python that the variable POLYORAMA_PEERS_PYTHON names, else by this one; where that
has them not, they are skipped, saying so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from polyorama.core.compile import core_count
from polyorama.lab.inference.directions import directions
from polyorama.lab.inference.flow import Flow
from polyorama.lab.inference.flow_experiment import FlowExperiment, FlowParams
from polyorama.lab.inference.flow_shapes import shape
from polyorama.lab.inference.random_features import feature_sum, frequencies
from polyorama.lab.inference.slicing import fast_sum, naive_sum
from polyorama.lab.inference.slicing_experiment import SlicingExperiment, SlicingParams
from polyorama.lab.inference.slicing_kernels import Energy, Gauss

if TYPE_CHECKING:
    from collections.abc import Callable

POINTS, DIMENSION, SLICES, FEATURES = 100_000, 10, 256, 512
SHARE = 50
"""The naive sum is timed over one of so many rows."""
EXACT = 500
"""Targets whose exact sums the errors are measured against."""

PEERS = ("finufft", "pykeops")
PEER = """
import json, math, sys, time
import numpy as np
name, sigma, threads = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
random = np.random.default_rng(0)
x = random.standard_normal((100_000, 10))
if name == "finufft":
    import finufft
    blocks = [np.linalg.qr(random.standard_normal((10, 10)))[0] for _ in range(26)]
    xi = np.concatenate(blocks)[:256]
    scale = min(0.075 / np.linalg.norm(x, axis=1).max(), 0.1 / sigma)
    k = np.abs(np.arange(-64, 64))
    with np.errstate(divide="ignore"):
        f = np.exp(10 * math.log(math.sqrt(2) * math.pi * sigma * scale) - math.lgamma(5)
                   + 9 * np.log(k) - 2 * (math.pi * sigma * scale * k) ** 2)
    ones = np.ones(len(x), complex)
    def work():
        total = np.zeros(len(x))
        for line in xi:  # with more threads each call takes far longer
            t = 2 * math.pi * scale * (x @ line)
            sums = finufft.nufft1d1(t, ones, 128, eps=1e-6, isign=-1, nthreads=1)
            total += finufft.nufft1d2(t, f * sums, eps=1e-6, isign=1, nthreads=1).real
        return total / len(xi)
else:
    import torch
    from pykeops.torch import LazyTensor
    torch.set_num_threads(threads)
    points = torch.from_numpy(x.astype(np.float32))
    def work(rows=2000):
        a, b = LazyTensor(points[:rows, None]), LazyTensor(points[None])
        return (-((a - b) ** 2).sum(-1) / (2 * sigma * sigma)).exp().sum(1)
    work(10)
start = time.perf_counter()
work()
took = time.perf_counter() - start
print(json.dumps(took * (50 if name == "pykeops" else 1)))
"""


def timed(work: Callable[[], Any]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def naive_torch(points: torch.Tensor, rows: int, sigma: float) -> torch.Tensor:
    """All pairs of the first rows, in single precision."""
    sums = []
    for some in torch.split(points[:rows], 250):
        squares = torch.cdist(some, points).square_()
        sums.append(squares.mul_(-0.5 / sigma**2).exp_().sum(dim=1))
    return torch.cat(sums)


def peer(name: str, sigma: float) -> float | None:
    """Seconds of a peer; None where it cannot be imported."""
    python = os.environ.get("POLYORAMA_PEERS_PYTHON", sys.executable)
    done = subprocess.run(
        [python, "-c", PEER, name, str(sigma), str(core_count())],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return float(json.loads(done.stdout.splitlines()[-1])) if done.returncode == 0 else None


def sums(table: Any) -> None:
    """The sum of the issue."""
    random = np.random.default_rng(0)
    x = random.standard_normal((POINTS, DIMENSION))
    weights = np.ones(POINTS)
    sigma = float(np.median(np.linalg.norm(x[:1000, None] - x[None, 1000:2000], axis=2)))
    kernel = Gauss(sigma)
    xi = directions("orthogonal", DIMENSION, SLICES, random)
    omega = frequencies("rff", kernel, DIMENSION, FEATURES, random)
    single = torch.from_numpy(x.astype(np.float32))
    torch.set_num_threads(core_count())
    fast_sum(kernel, x[:10], x[:10], weights[:10], xi)  # compiles
    sliced, naive, featured = [], [], []
    for _ in range(3):  # interleaved, each at its best
        sliced.append(timed(lambda: fast_sum(kernel, x, x, weights, xi)))
        naive.append(SHARE * timed(lambda: naive_torch(single, POINTS // SHARE, sigma)))
        featured.append(timed(lambda: feature_sum(x, x, weights, omega)))
    exact = naive_sum(kernel, x, x[:EXACT], weights)
    table.row("100,000 points, d = 10, 256 slices", min(sliced), "s", 3)
    table.row("naive torch, of a fiftieth of its rows", min(naive), "s", None)
    table.row("naive torch over slices", min(naive) / min(sliced), "times", 40, True)
    table.row("512 random features", min(featured), "s", None)
    for title, found, limit in (
        ("slices", fast_sum(kernel, x, x[:EXACT], weights, xi), 3e-3),
        ("random features", feature_sum(x, x[:EXACT], weights, omega), None),
    ):
        error = float(np.abs(found - exact).sum() / np.abs(exact).sum())
        table.row(f"relative error of {title}", error, "", limit)
    for name in PEERS:
        took = peer(name, sigma)
        if took is None:
            print(f"{name}: skipped, it cannot be imported")
            continue
        table.row(f"{name}: the same sum", took, "s", None)
        table.row(f"{name} over ours", took / min(sliced), "times", None)


def flows(table: Any) -> None:
    """A step of 20,000 particles, beside all pairs in torch."""
    random = np.random.default_rng(0)
    clouds = [shape(name, 20_000, random) for name in ("galaxy", "butterfly")]
    start, goal = (np.concatenate([c.places, 0.8 * c.colors], axis=1) for c in clouds)
    flow = Flow(Energy(), start)
    xi = directions("orthogonal", 6, 6, random)
    flow.step(goal, xi, 0.1, 0.8)
    ours = min(timed(lambda: flow.step(goal, xi, 0.1, 0.8)) for _ in range(9))
    both = torch.from_numpy(np.concatenate([start, goal]).astype(np.float32))

    def pairs() -> None:
        some = both[:400].clone().requires_grad_()
        torch.cdist(some, both).sum().backward()  # type: ignore[no-untyped-call]

    theirs = 50 * min(timed(pairs) for _ in range(3))
    table.row("20,000 particles: a step of six slices", 1e3 * ours, "ms", 33)
    table.row("all pairs in torch over it", theirs / ours, "times", None)


def snapshots(table: Any) -> None:
    """Snapshots a second on one core, of each room's first preset."""
    for experiment in (
        SlicingExperiment(SlicingParams(), tuple(r.id for r in SlicingExperiment.rivals)),
        FlowExperiment(FlowParams()),
    ):
        experiment.reset(0)
        experiment.step(120)
        start = time.process_time()
        for _ in range(112):
            experiment.step(1)
        each = 112 / (time.process_time() - start)
        table.row(f"{experiment.id}: snapshots per second of one core", each, "", 30, True)


def measure(table: Any) -> None:
    """Print the figures of the rooms; see `tests.bench.run.Table`."""
    sums(table)
    flows(table)
    snapshots(table)
