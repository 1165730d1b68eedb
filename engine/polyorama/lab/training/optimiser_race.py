"""Racers: the same small transformer under different optimisers, on the same batches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.lab.streams import torch_seed
from polyorama.lab.training.adam_mini import AdamMini, Block, Partition, decays
from polyorama.lab.training.lion import Lion
from polyorama.lab.training.markov_source import MarkovSource
from polyorama.lab.training.tiny_gpt import TinyGPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab.training.adam_mini_stage import RaceParams

__all__ = [
    "CONTEXT", "HEADS", "Racer", "new_model", "optimiser_of", "source_of", "state_bytes",
]  # fmt: skip

VOCABULARY, CONTEXT, WIDTH, HEADS, LAYERS = 64, 64, 64, 4, 2
"""The transformer of the reference: 110,912 parameters."""

_COMMON, _OWN = 0.5, 0.7
"""Of the source: some symbols are frequent, some rare, and the context matters more."""

_SMOOTHING = 0.95
"""Share of the smoothed loss that a step keeps; until there are 20 losses it is their mean."""
_MOMENTUM = 0.9
"""Of SGD."""
_SHARES = {"adafactor": 30.0, "lion": 1.0 / 3.0, "sgd": 30.0}
"""Rates beside AdamW's: Adafactor's goes with the size of the weights, Lion's steps have all the
same length, and SGD does not scale small gradients up. Adafactor's and SGD's are the best of 10, 30
and 100 here, Lion's is the most that its authors advise."""


def _whole_tensors(name: str, shape: Sequence[int]) -> Block:
    return Block(name, "tensor", 1, math.prod(shape))


def new_model(seed: int) -> TinyGPT:
    """The transformer at its start; the same for every racer of a seed."""
    return TinyGPT(
        VOCABULARY, CONTEXT, width=WIDTH, heads=HEADS, layers=LAYERS,
        seed=torch_seed(seed, "weights"),
    )  # fmt: skip


def source_of(seed: int) -> MarkovSource:
    """What the transformers learn."""
    return MarkovSource.zipf(VOCABULARY, _COMMON, _OWN, seed)


def optimiser_of(rival: str, model: torch.nn.Module, params: RaceParams) -> torch.optim.Optimizer:
    """The optimiser of a rival; groups say by "decayed" whether weight decay is theirs."""
    named = list(model.named_parameters())
    if rival in ("adam-mini", "per-tensor"):
        rule = Partition(n_heads=HEADS) if rival == "adam-mini" else _whole_tensors
        group = {"params": named, "decayed": True}  # it tells norms by their names itself
        return AdamMini(
            [group], params.lr, params.betas, weight_decay=params.weight_decay, rule=rule
        )
    groups = [
        {"params": [p for n, p in named if decays(n) == decayed], "decayed": decayed}
        for decayed in (True, False)
    ]
    if rival == "adamw":
        return torch.optim.AdamW(groups, params.lr, params.betas, fused=True)
    lr = params.lr * _SHARES[rival]
    if rival == "adafactor":
        return torch.optim.Adafactor(groups, lr)
    if rival == "lion":
        return Lion(groups, lr, (0.9, 0.99))
    return torch.optim.SGD(groups, lr, momentum=_MOMENTUM)


def state_bytes(optimiser: torch.optim.Optimizer) -> int:
    """Memory of an optimiser's tensors of more than one number, bytes."""
    return sum(
        value.numel() * value.element_size()
        for state in optimiser.state.values()
        for value in state.values()
        if torch.is_tensor(value) and value.ndim > 0
    )


class Racer:
    """One optimiser with its own copy of the network.

    Parameters
    ----------
    rival
        Id of the optimiser.
    params
        Of the run.
    seed
        Of the weights, which all racers share.
    """

    def __init__(self, rival: str, params: RaceParams, seed: int) -> None:
        self.rival = rival
        self.model = new_model(seed)
        self.optimiser = optimiser_of(rival, self.model, params)
        self._share = _SHARES.get(rival, 1.0)
        self.decay_share = (1.0 - _MOMENTUM if rival == "sgd" else 1.0) / self._share
        """Of the weight decay. A step decays by it and by the rate: with this all decay alike.
        SGD's goes through the momentum, which adds up ten steps of it."""
        self.steps = 0
        self.loss = math.log(VOCABULARY)
        self.smooth = self.loss
        self.held_out = self.loss

    def step(self, batch: torch.Tensor, params: RaceParams) -> None:
        """One step down the loss of a batch (B, T + 1)."""
        decay = self.decay_share * params.weight_decay
        for group in self.optimiser.param_groups:
            group["lr"] = self._share * params.rate_at(self.steps)
            if "betas" in group and self.rival != "lion":
                group["betas"] = params.betas
            group["weight_decay"] = decay if group["decayed"] else 0.0
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.model.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.steps += 1
        self.loss = loss.item()
        weight = max(1.0 - _SMOOTHING, 1.0 / self.steps)
        self.smooth += weight * (self.loss - self.smooth)

    @property
    def state_bytes(self) -> int:
        """Memory of the optimiser's moments."""
        return state_bytes(self.optimiser)

    @property
    def lost(self) -> bool:
        """Whether it is clearly worse than guessing, or no number at all."""
        return not self.smooth < 1.05 * math.log(VOCABULARY)

    @torch.no_grad()
    def measure(self, held_out: torch.Tensor) -> None:
        """Take the loss on sequences that are never trained on."""
        self.held_out = self.model.loss(held_out).item()

    def seconds(self, name: str) -> NDArray[np.float64] | None:
        """Second moments of a matrix as its optimiser has them, one a weight; None without."""
        weight = self.model.get_parameter(name)
        held = self.optimiser.state.get(weight, {}).get("exp_avg_sq")
        if held is None:
            return None
        values = held.detach().double().numpy().reshape(-1)
        spread = np.repeat(values, weight.numel() // values.size)
        return np.asarray(spread.reshape(tuple(weight.shape)))
