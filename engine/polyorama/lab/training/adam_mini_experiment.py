"""Optimisers race on a small transformer, and show their second moments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polyorama.lab.experiment import Experiment, Paper, Preset, Rival
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream
from polyorama.lab.training.adam_mini_stage import (
    FORMULA,
    MATRICES,
    PAPER,
    PIXELS,
    PRESETS,
    RIVALS,
    RaceParams,
    views_of,
)

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.formula import Formula
    from polyorama.lab.training.optimiser_race import Racer
    from polyorama.lab.views import View

__all__ = ["AdamMiniRace"]

_HELD_OUT_ROWS = 16
_HELD_OUT_EVERY = 20
_ACCEPTED = 0.05
"""Nats by which Adam-mini may lie above AdamW."""
_TILE = 64
"""Rows and columns of a matrix in the picture of the network."""


class AdamMiniRace(Experiment):
    """Each step is one step of one racer, in turn: all stay within a batch of each other."""

    id: ClassVar[str] = "training/adam-mini"
    title: ClassVar[str] = "Adam-mini"
    summary: ClassVar[str] = (
        "Six optimisers teach one small transformer; Adam-mini keeps a second moment a block, not "
        "one a weight."
    )
    paper: ClassVar[Paper | None] = PAPER
    caveat: ClassVar[str] = (
        "A transformer of 110,912 weights on made-up symbols: half of the state is saved here, too,"
        " but SGD and Adafactor, at the best of a few rates, learn more at this size, and the"
        " throughput that the authors gain with large models is not shown."
    )
    Params = RaceParams
    rivals: ClassVar[tuple[Rival, ...]] = RIVALS
    first_rivals: ClassVar[tuple[str, ...]] = ("adamw", "adam-mini", "per-tensor", "sgd")
    presets: ClassVar[tuple[Preset, ...]] = PRESETS
    formula: ClassVar[Formula | None] = FORMULA
    rate: ClassVar[float] = 60.0

    params: RaceParams

    def begin(self, seed: int) -> None:
        """The same weights, batches and held-out sequences for all."""
        import torch

        from polyorama.lab.training import optimiser_race as race

        # Small matrices: more threads cost more than they give, and one makes runs repeatable.
        torch.set_num_threads(1)
        self._source = race.source_of(seed)
        self._length = race.CONTEXT + 1
        self._luck = stream(seed, "batches")
        self._racers = {rival: race.Racer(rival, self.params, seed) for rival in self.active}
        self._held_out = self._sequences(_HELD_OUT_ROWS, stream(seed, "held out"))
        self._batch = self._sequences(self.params.rows, self._luck)
        self._gaps = self._gaps_now()

    def _sequences(self, rows: int, luck: np.random.Generator) -> torch.Tensor:
        from torch import from_numpy

        return from_numpy(self._source.sample(rows, self._length, luck))

    def advance(self, count: int) -> int:
        """Racers step in turn; a new batch comes when all have seen the last."""
        racers = list(self._racers.values())
        count = min(count, self.params.steps * len(racers) - self.steps)
        for number in range(self.steps, self.steps + count):
            turn = number % len(racers)
            if turn == 0 and number:
                self._batch = self._sequences(self.params.rows, self._luck)
            racer = racers[turn]
            racer.step(self._batch, self.params)
            if racer.steps % _HELD_OUT_EVERY == 0 or racer.steps == self.params.steps:
                racer.measure(self._held_out)
            if turn == len(racers) - 1:
                self._gaps = self._gaps_now()
        return count

    def _gaps_now(self) -> dict[str, float]:
        """How far each lies above AdamW; taken where all have seen the same batches."""
        adam = self._racers.get("adamw")
        if adam is None:
            return {}
        gaps = {f"gap/{name}": racer.smooth - adam.smooth for name, racer in self._racers.items()}
        return {"gap_steps": float(adam.steps), "accepted": _ACCEPTED, **gaps}

    @property
    def _done(self) -> bool:
        return self.steps >= self.params.steps * len(self._racers)

    def observe(self) -> Snapshot:
        """Losses, memory, and the second moments of the chosen matrix and of the network."""
        values: dict[str, Any] = {
            "batches": self.steps / len(self._racers), "entropy": self._source.entropy,
            **self._gaps,
        }  # fmt: skip
        for name, racer in self._racers.items():
            values[f"loss/{name}"] = racer.smooth
            values[f"held_out/{name}"] = racer.held_out
            values[f"memory/{name}"] = racer.state_bytes / 1000.0
        values |= self._chosen_matrix() | self._network()
        return Snapshot(self.steps, values, self._acting(), self._note(), self._done)

    def _chosen_matrix(self) -> dict[str, NDArray[Any]]:
        """log10 of 1 / sqrt(v) beside its median, (1, rows, columns), of AdamW and Adam-mini."""
        found: dict[str, NDArray[Any]] = {}
        for name in PIXELS:
            racer = self._racers.get(name)
            rates = None if racer is None else _log_rates(racer, MATRICES[self.params.matrix])
            if rates is not None:
                found[f"rates/{name}"] = (rates - _middle(rates)).astype(np.float32)[None]
        return found

    def _network(self) -> dict[str, NDArray[Any]]:
        """The same of Adam-mini for all matrices, beside the median of all, thinned to a tile."""
        mini = self._racers.get("adam-mini")
        if mini is None:
            return {}
        tiles = []
        for name in MATRICES.values():
            rates = _log_rates(mini, name)
            if rates is None:
                return {}
            rows, columns = rates.shape
            tiles.append(rates[:: rows // _TILE, :: columns // _TILE])
        network = np.stack(tiles)
        return {"network": (network - _middle(network)).astype(np.float32)}

    def _acting(self) -> dict[str, float]:
        """How far the moments are filled, and how large the rate and the decay are."""
        mini = self._racers.get("adam-mini")
        if mini is None:
            return {}
        rate = self.params.rate_at(min(mini.steps, self.params.steps - 1)) / self.params.lr
        first, second = (1.0 - beta**mini.steps for beta in self.params.betas)
        return {
            "second": second, "first": first,
            "rate": rate, "decay": rate if self.params.weight_decay > 0.0 else 0.0,
        }  # fmt: skip

    def _note(self) -> str:
        titles = {rival.id: rival.title for rival in self.rivals}
        lost = [titles[name] for name, racer in self._racers.items() if racer.lost]
        batches = self.steps // len(self._racers)
        if lost:
            return f"Above the loss of guessing: {', '.join(lost)}. The rate is too high there."
        if batches < 1:
            return "All racers hold the same weights and see the same batches."
        if batches < self.params.warmup:
            return (
                f"Warm-up: the rate climbs to {self.params.lr:g} over {self.params.warmup} steps, "
                f"for moments of few gradients are no guide yet."
            )
        if "gap/adam-mini" not in self._gaps:
            return f"After {batches:,} steps; the dashed line is what no model can beat."
        gap = self._gaps["gap/adam-mini"]
        word = "above" if gap >= 0.0 else "below"
        after = "The race is over" if self._done else f"After {batches:,} steps"
        sizes = [self._racers[name].state_bytes for name in PIXELS]
        return (
            f"{after}: Adam-mini is {abs(gap):.3f} nats {word} AdamW, with "
            f"{100.0 * sizes[1] / sizes[0]:.1f} % of its state."
        )

    def views(self) -> tuple[View, ...]:
        """See `adam_mini_stage`."""
        return views_of(self.active)

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """See `adam_mini_claims`."""
        from polyorama.lab.training.adam_mini_claims import CLAIMS

        return CLAIMS


def _log_rates(racer: Racer, name: str) -> NDArray[np.float64] | None:
    """log10 of 1 / sqrt(v) a weight; NaN where no gradient came, None where nothing is kept yet."""
    seconds = racer.seconds(name)
    if seconds is None:
        return None
    with np.errstate(divide="ignore"):
        rates = -0.5 * np.log10(seconds)
    rates[~np.isfinite(rates)] = math.nan
    return np.asarray(rates)


def _middle(rates: NDArray[np.float64]) -> float:
    """Median of what is there."""
    known = rates[np.isfinite(rates)]
    return float(np.median(known)) if known.size else 0.0
