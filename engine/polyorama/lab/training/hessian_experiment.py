"""The Hessian of a classifier while it learns, and how much of it lies in the neurons' blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polyorama.core.params import number, whole
from polyorama.lab.experiment import Experiment, ExperimentParams, Paper, Preset
from polyorama.lab.formula import Formula, Term
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.training.adam_mini_stage import PAPER
from polyorama.lab.views import Axis, Curve, Dots, Image, Points, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.views import View

__all__ = ["HessianBlocks", "HessianParams"]

_DECADES = 3.0
_LEAST = 10.0**-_DECADES
"""Entries of the Hessian below this share of the largest are drawn as nothing."""


@dataclass(frozen=True)
class HessianParams(ExperimentParams):
    """The classifier and how it learns."""

    lr: float = number(1e-2, 1e-4, 0.3, help="Learning rate of Adam", soft=(1e-3, 0.1), live=True)
    classes: int = whole(48, 2, 64, help="Classes that are told apart")
    hidden: int = whole(8, 2, 16, unit="neurons", help="Neurons of a hidden layer")
    layers: int = whole(1, 1, 2, help="Hidden layers")
    steps: int = whole(400, 1, 100_000, unit="steps", help="Steps of the whole run")
    every: int = whole(10, 1, 1000, unit="steps", help="Steps between two Hessians")


def _logarithms(hessian: NDArray[np.float64]) -> NDArray[np.float16]:
    """(1, P, P): log10 of magnitudes as shares of the largest, kept for all pictures to share."""
    magnitudes = np.abs(hessian)
    largest = max(float(magnitudes.max()), 1e-300)
    # In single precision, which processors take many logarithms of at once.
    shares = np.maximum(magnitudes / largest, _LEAST).astype(np.float32)
    picture: NDArray[np.float16] = (np.log(shares) / math.log(10.0)).astype(np.float16)[None]
    picture.setflags(write=False)
    return picture


class HessianBlocks(Experiment):
    """A classifier learns; its exact Hessian is looked at every few steps."""

    id: ClassVar[str] = "training/hessian-blocks"
    title: ClassVar[str] = "Blocks of the Hessian"
    summary: ClassVar[str] = (
        "The exact Hessian of a small classifier while it learns: with many classes it comes to "
        "be nearly made of one block a neuron."
    )
    paper: ClassVar[Paper | None] = PAPER
    caveat: ClassVar[str] = (
        "A small network on made-up clusters: at the start the blocks hold well under half, and "
        "with two classes never much over half. It does not show how strong the structure is in "
        "a large transformer."
    )
    Params = HessianParams
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "Forty-eight classes", {},
            help="Squares along the diagonal; as the network learns, all the rest fades",
        ),
        Preset(
            "Two classes", {"classes": 2},
            help="The squares blur: all neurons answer for the same two classes",
        ),
        Preset(
            "Two hidden layers", {"layers": 2, "classes": 40},
            help="The lower layers mix; the last one stays in blocks",
        ),
        Preset(
            "Wide", {"hidden": 16, "classes": 24}, help="More neurons, more and smaller blocks"
        ),
        Preset("Large steps", {"lr": 0.1}, help="It learns at once, and the blocks come at once"),
    )  # fmt: skip
    formula: ClassVar[Formula | None] = Formula(
        r"H = \nabla^2_\theta\, \term{loss}{\ell(\theta)} \approx "
        r"\term{blocks}{\mathrm{diag}(H_1, \ldots, H_B)}",
        (
            Term("loss", "Cross-entropy of the classes"),
            Term("blocks", "One dense block for the weights into each neuron"),
        ),
        "The principle behind Adam-mini's partition",
    )
    rate: ClassVar[float] = 60.0

    params: HessianParams

    def begin(self, seed: int) -> None:
        """Clusters about random centres, and fresh weights."""
        import torch

        from polyorama.lab.training.hessian_blocks import Classifier

        torch.set_num_threads(1)
        p = self.params
        self._classifier = Classifier(p.classes, p.hidden, p.layers, seed)
        self._owner = self._classifier.network.owner
        self._look()
        self._first = self._until_half = self._picture

    def _look(self) -> None:
        from polyorama.lab.training.hessian_blocks import block_eigenvalues, block_share

        hessian = self._classifier.hessian
        self._share = block_share(hessian, self._owner)
        self._picture = _logarithms(hessian)
        eigenvalues = block_eigenvalues(hessian, self._owner)
        hidden = len(eigenvalues) - self.params.classes
        self._curvatures = {
            "curvatures/hidden": _dots(eigenvalues[:hidden], 1),
            "curvatures/classes": _dots(eigenvalues[hidden:], 1 + hidden),
        }
        self._loss = self._classifier.loss

    def advance(self, count: int) -> int:
        """Steps of Adam on all samples."""
        count = min(count, self.params.steps - self.steps)
        for step in range(self.steps + 1, self.steps + count + 1):
            self._classifier.step(self.params.lr)
            if step % self.params.every == 0 or step == self.params.steps:
                self._look()
                if 2 * step <= self.params.steps:
                    self._until_half = self._picture
        return count

    def observe(self) -> Snapshot:
        """The last Hessian that was taken."""
        sizes = np.bincount(self._owner)
        even = float((sizes**2).sum()) / len(self._owner) ** 2
        values: dict[str, Any] = {
            "loss": self._loss, "chance": math.log(self.params.classes),
            "share": 100.0 * self._share, "even": 100.0 * even, "hessian": self._picture,
            "start": self._first, "half": self._until_half, **self._curvatures,
        }  # fmt: skip
        note = (
            f"{100.0 * self._share:.0f} % of the squared Hessian lies in the blocks of its "
            f"{len(sizes)} neurons, which are {100.0 * even:.1f} % of its entries."
        )
        done = self.steps >= self.params.steps
        return Snapshot(self.steps, values, {"loss": 1.0, "blocks": self._share}, note, done)

    def views(self) -> tuple[View, ...]:
        """The Hessian, and how much of it the blocks hold."""
        strength = Axis("Entry, log10", low=-_DECADES, high=0.0)
        pictures = tuple(
            Image(id=key, title=title, key=key, value=strength, colormap="magma", help=words)
            for key, title, words in (
                ("hessian", "Hessian now", "Entries beside the largest: a neuron's make a square"),
                ("start", "Hessian at the start", "Of many classes, the last layer has blocks"),
                ("half", "Hessian up to half-way", "It stands still from half-way on"),
            )
        )  # fmt: skip
        return (
            *pictures,
            Curve(
                id="share", title="Within the blocks", x=Axis("Step"),
                y=Axis("Share of the squared Hessian", "%", low=0.0, high=100.0),
                series=(
                    Series("share", "In the blocks of neurons"),
                    Series("even", "If it were spread evenly", style="dashed"),
                ),
            ),
            Points(
                id="curvatures", title="Curvatures of each block", equal=False,
                x=Axis("Neuron"), y=Axis("Eigenvalue of its block", log=True),
                layers=(
                    Dots("curvatures/hidden", "Hidden neurons", size=4.0),
                    Dots("curvatures/classes", "Neurons of the classes", size=4.0),
                ),
                help="Neurons differ by far: one rate for all of them would suit few",
            ),
            Curve(
                id="loss", title="Loss", x=Axis("Step"),
                y=Axis("Cross-entropy", "nats", low=0.0),
                series=(
                    Series("loss", "Of the classifier"),
                    Series("chance", "Guessing", style="dashed"),
                ),
            ),
        )  # fmt: skip

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """See `hessian_claims`."""
        from polyorama.lab.training.hessian_claims import CLAIMS

        return CLAIMS


def _dots(eigenvalues: Sequence[NDArray[np.float64]], first: int) -> NDArray[np.float64]:
    """(N, 2): the number of a neuron, from `first` on, and a positive curvature of its block."""
    numbers = np.repeat(np.arange(len(eigenvalues)) + first, [len(e) for e in eigenvalues])
    curvatures = np.concatenate(eigenvalues)
    pairs: NDArray[np.float64] = np.stack([numbers, curvatures], axis=1)
    dots: NDArray[np.float64] = pairs[curvatures > _LEAST**2 * curvatures.max()]
    dots.setflags(write=False)
    return dots
