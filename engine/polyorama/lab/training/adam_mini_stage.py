"""What the room of Adam-mini is made of: parameters, rivals, formula, presets and views."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.core.params import choice, number, whole
from polyorama.lab.experiment import ExperimentParams, Paper, Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.views import Axis, Bars, Curve, Image, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.lab.views import View

__all__ = ["FORMULA", "MATRICES", "PAPER", "PIXELS", "PRESETS", "RIVALS", "RaceParams", "views_of"]

PAPER = Paper(
    "Adam-mini: Use Fewer Learning Rates To Gain More", "Zhang et al.", "ICLR 2025",
    "https://arxiv.org/abs/2406.16793",
)  # fmt: skip

MATRICES = {
    "tokens": "wte.weight", "queries": "h.0.attn.q_proj.weight",
    "keys": "h.0.attn.k_proj.weight", "values": "h.0.attn.v_proj.weight",
    "output": "h.0.attn.o_proj.weight", "up": "h.0.mlp.up.weight",
    "down": "h.0.mlp.down.weight", "prediction": "lm_head.weight",
}  # fmt: skip
"""What can be looked at: the matrices of the first layer, of tokens and of the prediction."""


@dataclass(frozen=True)
class RaceParams(ExperimentParams):
    """The run that all optimisers make alike."""

    lr: float = number(3e-3, 1e-5, 0.1, help="Highest learning rate", soft=(1e-4, 2e-2), live=True)
    beta2: float = number(0.95, 0.0, 0.9999, help="Memory of the second moments", live=True)
    weight_decay: float = number(0.1, 0.0, 1.0, help="Decoupled weight decay", live=True)
    warmup: int = whole(40, 0, 10_000, unit="steps", help="Steps until the highest rate")
    steps: int = whole(400, 1, 1_000_000, unit="steps", help="Steps of the whole run")
    rows: int = whole(8, 1, 256, help="Sequences of 64 symbols in a batch")
    matrix: str = choice("queries", tuple(MATRICES), help="Whose second moments show", live=True)

    @property
    def betas(self) -> tuple[float, float]:
        """Memory of the first and the second moments."""
        return 0.9, self.beta2

    def rate_at(self, step: int) -> float:
        """Warm-up in a line, then a half cosine down to a tenth."""
        if step < self.warmup:
            return self.lr * (step + 1) / self.warmup
        share = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.lr * (0.1 + 0.45 * (1.0 + math.cos(math.pi * min(1.0, share))))


RIVALS = (
    Rival("adamw", "AdamW", "One second moment a weight; torch's fused kernel"),
    Rival("adam-mini", "Adam-mini", "One a head, a token or an output neuron"),
    Rival("per-tensor", "One a tensor", "What is lost when blocks are cut too large"),
    Rival(
        "adafactor",
        "Adafactor",
        "Second moments as an outer product; at 30 times the rate",
    ),
    Rival("lion", "Lion", "The sign of a moment, no second moments; at a third of the rate"),
    Rival("sgd", "SGD", "With momentum, no second moments; at 30 times the rate"),
)

FORMULA = Formula(
    r"\term{second}{v_b \leftarrow \beta_2 v_b + (1-\beta_2)\,\mathrm{mean}(g_b \odot g_b)}"
    r" \qquad \term{decay}{\theta \leftarrow (1-\eta\lambda)\,\theta}"
    r" \qquad \theta_b \leftarrow \theta_b - \term{rate}{\eta}\,"
    r"\frac{\term{first}{\hat m_b}}{\sqrt{\hat v_b} + \epsilon}",
    (
        Term("second", "One second moment for the whole block b"),
        Term("decay", "Weight decay, decoupled"),
        Term("rate", "The learning rate, in warm-up or falling"),
        Term("first", "The momentum, one a weight as in Adam"),
    ),
    "The update of Adam-mini, after the authors' code",
)

PRESETS = (
    Preset("The race", {}, help="Adam-mini stays with AdamW on half of its memory"),
    Preset(
        "Pixels against stripes", {"matrix": "tokens"}, ("adamw", "adam-mini"),
        "A rate a weight against a rate a token: rare tokens have the larger ones",
    ),
    Preset(
        "Blocks too large", {"matrix": "prediction"}, ("adamw", "adam-mini", "per-tensor"),
        "One rate for a whole tensor suits the frequent tokens and holds the rare ones back",
    ),
    Preset(
        "Too fast", {"lr": 2e-2}, ("adamw", "adam-mini", "per-tensor", "lion"),
        "At seven times the rate they part, and Adam-mini falls behind AdamW",
    ),
    Preset(
        "All six", {}, tuple(rival.id for rival in RIVALS),
        "On a network this small SGD and Adafactor, at their best rates, learn most",
    ),
)  # fmt: skip

PIXELS = ("adamw", "adam-mini")
"""Whose second moments stand side by side."""

_STEPS, _LOSS = Axis("Steps"), Axis("Cross-entropy", unit="nats")
_TITLES = {rival.id: rival.title for rival in RIVALS}


def views_of(active: Sequence[str]) -> tuple[View, ...]:
    """The race first; then what is kept, and by how much it matters."""
    pixels = [rival for rival in PIXELS if rival in active]
    beside = _gaps(active) if "adamw" in active else _held_out(active)
    network = (_network(),) if "adam-mini" in active else ()
    return (_race(active), beside, *(_matrix(rival) for rival in pixels), _memory(active), *network)


def _lines(key: str, active: Sequence[str]) -> tuple[Series, ...]:
    return tuple(Series(f"{key}/{rival}", _TITLES[rival], rival=rival) for rival in active)


def _race(active: Sequence[str]) -> Curve:
    return Curve(
        id="race", title="Loss on the batches, smoothed", over="batches", span=2,
        x=_STEPS, y=_LOSS,
        series=(
            *_lines("loss", active), Series("entropy", "Entropy of the source", style="dashed"),
        ),
        help="Adam-mini lies on AdamW; no model can come below the entropy of the source",
    )  # fmt: skip


def _gaps(active: Sequence[str]) -> Curve:
    return Curve(
        id="gap", title="Loss above AdamW's", over="gap_steps",
        x=_STEPS, y=Axis("Difference", unit="nats"),
        series=(*_lines("gap", active), Series("accepted", "Accepted", style="dashed")),
        help="On the same batches, smoothed alike: what saving the second moments costs",
    )  # fmt: skip


def _held_out(active: Sequence[str]) -> Curve:
    return Curve(
        id="held-out", title="Loss on sequences held out", over="batches", x=_STEPS, y=_LOSS,
        series=(
            *_lines("held_out", active),
            Series("entropy", "Entropy of the source", style="dashed"),
        ),
        help="Sequences that nobody was trained on, looked at every twenty steps",
    )  # fmt: skip


def _matrix(rival: str) -> Image:
    what = "a rate a weight" if rival == "adamw" else "a rate a block"
    return Image(
        id=f"rates-{rival}", title=f"{_TITLES[rival]}: {what}", key=f"rates/{rival}",
        value=Axis("Rate, log10", low=-0.5, high=0.5), colormap="diverging",
        help="1 / sqrt v of the chosen matrix, beside its middle: orange learns faster",
    )  # fmt: skip


def _network() -> Image:
    return Image(
        id="network", title="The network in Adam-mini's blocks", key="network", span=2,
        value=Axis("Rate, log10", low=-1.5, high=1.5), colormap="diverging",
        labels=tuple(name.capitalize() for name in MATRICES),
        help="A stripe a token, head or neuron of the first layer; of up and down, every fourth",
    )  # fmt: skip


def _memory(active: Sequence[str]) -> Bars:
    return Bars(
        id="memory", title="State of the optimiser", value=Axis("Memory", unit="kB"),
        series=_lines("memory", active),
        help="Adam-mini keeps the first moments and hardly any second",
    )  # fmt: skip
