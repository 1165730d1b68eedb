"""State and step time of Adam-mini's room beside torch's optimisers and named peers, in one run.

Peers that are not installed are skipped, saying so.
"""

from __future__ import annotations

import importlib
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from polyorama.lab.training.adam_mini_experiment import AdamMiniRace
from polyorama.lab.training.adam_mini_stage import RaceParams
from polyorama.lab.training.optimiser_race import (
    CONTEXT,
    HEADS,
    new_model,
    optimiser_of,
    source_of,
    state_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUNDS = 300
LR = 3e-3


class Timed:
    """A small transformer with its own optimiser, and what its steps took."""

    def __init__(self, name: str, make: Callable[[torch.nn.Module], torch.optim.Optimizer]) -> None:
        self.name = name
        self.model = new_model(0)
        self.optimiser = make(self.model)
        self.steps: list[float] = []

    def step(self, gradients: list[torch.Tensor]) -> None:
        for p, gradient in zip(self.model.parameters(), gradients, strict=True):
            p.grad = gradient
        start = time.perf_counter()
        self.optimiser.step()
        self.steps.append(time.perf_counter() - start)

    @property
    def seconds(self) -> float:
        """Of a step while nothing else disturbs; the first ones compile and allocate."""
        return float(np.quantile(self.steps[10:], 0.1))


def _ours(rival: str) -> Callable[[torch.nn.Module], torch.optim.Optimizer]:
    return lambda model: optimiser_of(rival, model, RaceParams())


def _adamw(**options: Any) -> Callable[[torch.nn.Module], torch.optim.Optimizer]:
    return lambda model: torch.optim.AdamW(model.parameters(), LR, weight_decay=0.1, **options)


def _authors(model: torch.nn.Module) -> torch.optim.Optimizer:
    package = importlib.import_module("adam_mini")
    return package.Adam_mini(  # type: ignore[no-any-return]
        named_parameters=model.named_parameters(), lr=LR, weight_decay=0.1, dim=64, n_heads=HEADS,
        verbose=False,
    )  # fmt: skip


def _lion(model: torch.nn.Module) -> torch.optim.Optimizer:
    package = importlib.import_module("lion_pytorch")
    return package.Lion(model.parameters(), lr=1e-3)  # type: ignore[no-any-return]


RACERS = (
    ("Adam-mini", _ours("adam-mini")),
    ("AdamW, fused", _adamw(fused=True)),
    ("AdamW, foreach", _adamw(foreach=True)),
    ("AdamW, a tensor at a time", _adamw(foreach=False)),
    ("Adafactor", _ours("adafactor")),
    ("Lion", _ours("lion")),
    ("the package adam-mini", _authors),
    ("the package lion-pytorch", _lion),
)


def _made() -> list[Timed]:
    found = []
    for name, make in RACERS:
        try:
            found.append(Timed(name, make))
        except ImportError:
            print(f"{name}: skipped, it is not installed")
    return found


def _race(racers: Sequence[Timed], gradients: list[torch.Tensor]) -> None:
    """Time them interleaved, so that all meet the same machine."""
    for racer in racers:
        racer.steps.clear()
    for _ in range(ROUNDS):
        for racer in racers:
            racer.step(gradients)


def measure(table: Any) -> None:
    """Print the figures of the room; see `tests.bench.run.Table`."""
    torch.set_num_threads(1)
    racers = _made()
    generator = torch.Generator().manual_seed(0)
    gradients = [
        1e-2 * torch.randn(p.shape, generator=generator) for p in racers[0].model.parameters()
    ]
    mini, fused = racers[0], racers[1]
    _race((mini, fused), gradients)
    share = state_bytes(mini.optimiser) / state_bytes(fused.optimiser)
    table.row("Adam-mini: state over AdamW's", share, "times", 0.51)
    ratio = mini.seconds / fused.seconds
    table.row("Adam-mini: a step over that of fused AdamW", ratio, "times", 1.1)
    _race(racers, gradients)
    for racer in racers:
        table.row(f"{racer.name}: a step among all", 1e3 * racer.seconds, "ms", None)
    for racer in racers[2:]:
        ratio = mini.seconds / racer.seconds
        table.row(f"Adam-mini: a step over that of {racer.name}", ratio, "times", None)
    _training(table)
    _snapshots(table)


def _training(table: Any) -> None:
    """Whole steps of training, forward and back, interleaved."""
    source = source_of(0)
    batch = torch.from_numpy(source.sample(8, CONTEXT + 1, np.random.default_rng(0)))
    taken: dict[str, list[float]] = {"adam-mini": [], "adamw": []}
    made = [(rival, model := new_model(0), _ours(rival)(model)) for rival in taken]
    for _ in range(60):
        for rival, model, optimiser in made:
            start = time.perf_counter()
            optimiser.zero_grad()
            model.loss(batch).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            taken[rival].append(time.perf_counter() - start)
    best = {rival: np.quantile(steps[5:], 0.1) for rival, steps in taken.items()}
    ratio = best["adam-mini"] / best["adamw"]
    table.row("Adam-mini: training over that with fused AdamW", float(ratio), "times", 1.1)


def _snapshots(table: Any) -> None:
    """Steps of the race, each with a look, as fast as one core goes."""
    experiment = AdamMiniRace()
    experiment.reset(0)
    experiment.step(8)
    start = time.process_time()
    for _ in range(60):
        experiment.step()
    rate = 60 / (time.process_time() - start)
    table.row("The race: snapshots a second of one core", rate, "", 30, True)
