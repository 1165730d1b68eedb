"""What Adam-mini stands on, measured: the Hessian of a small classifier, exact and in blocks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.core.jobs import Progress
from polyorama.lab.claims import Claim, Figure
from polyorama.lab.training.hessian_blocks import Classifier, block_share

if TYPE_CHECKING:
    from collections.abc import Generator

    from polyorama.core.jobs import Job

__all__ = ["CLAIMS"]

SEEDS = (0, 1, 2)
_REFERENCE = "our reference has no number"


def _exact() -> Job[tuple[Figure, ...]]:
    """Beside automatic differentiation, with one hidden layer and with two."""
    figures = []
    for done, layers in enumerate((1, 2)):
        yield Progress(done, 2, "Differentiating twice")
        classifier = Classifier(20, 6, layers, 0)
        loss = partial(_loss_at, classifier)
        at = classifier.weights.detach()
        theirs = torch.autograd.functional.hessian(loss, at).numpy()  # type: ignore[no-untyped-call]
        apart = np.abs(classifier.hessian - theirs).max() / np.abs(theirs).max()
        figures.append(
            Figure(
                f"Largest difference beside the largest entry, hidden layers {layers}",
                float(apart), high=1e-12, reference="torch's automatic differentiation in float64",
            )
        )  # fmt: skip
    return tuple(figures)


def _loss_at(classifier: Classifier, weights: torch.Tensor) -> torch.Tensor:
    return classifier.network.loss(weights, *classifier.data)


def _shares(classes: int) -> Generator[Progress, None, list[tuple[float, float, float]]]:
    """Share in the blocks, %, at the start, half-way and at the end, for each seed."""
    found = []
    for done, seed in enumerate(SEEDS):
        yield Progress(done, len(SEEDS), f"Learning {classes} classes, seed {seed}")
        classifier = Classifier(classes, 8, 1, seed)
        shares = []
        for step in range(401):
            if step % 200 == 0:
                share = block_share(classifier.hessian, classifier.network.owner)
                shares.append(100.0 * share)
            classifier.step(1e-2)
        found.append((shares[0], shares[1], shares[2]))
    return found


def _blocks() -> Job[tuple[Figure, ...]]:
    """Many classes, and two."""
    many = yield from _shares(48)
    two = yield from _shares(2)
    rows = (
        ("Least share at the start, 48 classes", min(run[0] for run in many), 30.0, 100.0),
        ("Least share half-way, 48 classes", min(run[1] for run in many), 80.0, 100.0),
        ("Least share at the end, 48 classes", min(run[2] for run in many), 80.0, 100.0),
        ("Greatest share at the end, 2 classes", max(run[2] for run in two), 0.0, 70.0),
    )
    return tuple(Figure(name, share, low, high, "%", _REFERENCE) for name, share, low, high in rows)


CLAIMS = (
    Claim(
        "exact", "The Hessian is exact: every second derivative, in float64; seed 0.", _exact
    ),
    Claim(
        "blocks",
        "The Hessian becomes nearly block-diagonal, a block a neuron: with 48 classes the blocks, "
        "1.9 % of the entries, hold over 30 % of its squares at the start and over 80 % from "
        "half-way on, with two classes less than 70 %; seeds 0 to 2.",
        _blocks,
    ),
)  # fmt: skip
