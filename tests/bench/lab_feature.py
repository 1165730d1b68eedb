"""Speed of the feature learning plane beside torch.func and a loop over networks, in one run.

All on one thread, as the room itself computes; pictures a second are steps of the default plane of
351 networks with a look after each, from the start, where most are still trained.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import torch

from polyorama.lab.training.feature_experiment import FeatureParams, FeatureStrength
from polyorama.lab.training.feature_nets import Network, Stack
from polyorama.lab.training.feature_toy_experiment import ToyExperiment

COUNT, BATCH, STEPS = 208, 32, 30
NETWORK = Network("mlp", 3, 12, 48, 1)
PRESETS = ("The whole plane", "Three depths", "Digits", "Convolutions", "Plateau and fall")


def functional_step(
    weights: list[torch.Tensor], first: list[torch.Tensor], gammas: torch.Tensor,
    etas: torch.Tensor, x: torch.Tensor, y: torch.Tensor,
) -> list[torch.Tensor]:  # fmt: skip
    """The same step by torch.func: vmap of the gradient of one network."""

    def forward(own: list[torch.Tensor]) -> torch.Tensor:
        h = x
        for weight in own[:-1]:
            h = torch.relu(h @ weight / math.sqrt(weight.shape[0]))
        return h @ own[-1] / own[-1].shape[0]

    frozen = forward([w[0] for w in first])

    def loss(own: list[torch.Tensor], gamma: torch.Tensor) -> torch.Tensor:
        return (((forward(own) - frozen) / gamma - y) ** 2).mean()

    gradients = torch.func.vmap(torch.func.grad(loss))(weights, gammas)
    rate = NETWORK.width * etas
    return [w - rate[:, None, None] * g for w, g in zip(weights, gradients, strict=True)]


def measure(table: Any) -> None:
    """Print the figures of the room; see `tests.bench.run.Table`."""
    torch.set_num_threads(1)
    gammas = np.logspace(-2, 3, COUNT)
    etas = 0.5 * np.minimum(gammas**2, gammas ** (2.0 / 3.0))
    initial = NETWORK.initial(0)
    luck = torch.Generator().manual_seed(0)
    x = torch.randn(BATCH, 12, generator=luck)
    y = torch.randn(BATCH, 1, generator=luck)
    ours = functional = loop = math.inf
    for _ in range(3):  # interleaved, each at its best
        stack = Stack(NETWORK, initial, gammas, etas, torch.float32)
        start = time.perf_counter()
        for _ in range(STEPS):
            stack.step(x, y)
        ours = min(ours, (time.perf_counter() - start) / STEPS)
        first = [w.float() for w in initial]
        weights = [w.expand(COUNT, -1, -1).clone() for w in first]
        g, e = torch.from_numpy(gammas).float(), torch.from_numpy(etas).float()
        start = time.perf_counter()
        for _ in range(STEPS):
            weights = functional_step(weights, first, g, e, x, y)
        functional = min(functional, (time.perf_counter() - start) / STEPS)
        single = [
            Stack(NETWORK, initial, gammas[k : k + 1], etas[k : k + 1], torch.float32)
            for k in range(0, COUNT, 8)
        ]
        start = time.perf_counter()
        for one in single:
            one.step(x, y)
        loop = min(loop, (time.perf_counter() - start) * COUNT / len(single))
    worst = max(
        float((a.detach() - b).abs().max()) for a, b in zip(stack.weights, weights, strict=True)
    )
    table.row(f"a step of {COUNT} networks, L = 3", 1e3 * ours, "ms", None)
    table.row("the same by torch.func", 1e3 * functional, "ms", None)
    table.row("a step over torch.func's", ours / functional, "times", 1.0)
    table.row("greatest difference of a weight after 30 steps", worst, "", 1e-4)
    table.row("one network after another over a step", loop / ours, "times", 5.0, True)
    for preset in FeatureStrength.presets:
        if preset.title not in PRESETS:
            continue
        experiment = FeatureStrength(FeatureParams(**preset.values), preset.rivals)
        experiment.reset(0)
        experiment.step(20)
        start = time.perf_counter()
        for _ in range(40):
            experiment.step(1)
        rate = 40 / (time.perf_counter() - start)
        table.row(f"{preset.title}: pictures a second", rate, "", 30.0, True)
    toy = ToyExperiment()
    toy.reset(0)
    start = time.perf_counter()
    for _ in range(100):
        toy.step(1)
    rate = 100 / (time.perf_counter() - start)
    table.row("The exact toy: pictures a second", rate, "", 30.0, True)
