"""Recall, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Estimate", "chance_recall", "estimate", "ranks_of_first"]

_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


def ranks_of_first(scores: NDArray[np.floating], right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where the first right answer of each query stands.

    Parameters
    ----------
    scores
        (Q, N) higher is better.
    right
        (Q, N) which answers are right; at least one a query.

    Returns
    -------
    (Q,) ranks from 0. Of equal scores the wrong ones count as better, so that a constant score is
    worth nothing.
    """
    best = np.where(right, scores, -np.inf).max(axis=1, keepdims=True)
    result: NDArray[np.int64] = ((scores >= best) & ~right).sum(axis=1)
    return result


def estimate(hits: Sequence[NDArray[np.floating]], seed: int = 0) -> Estimate:
    """Mean of hits over seeds and queries, with an interval that covers both.

    Parameters
    ----------
    hits
        One (Q,) array of 0..1 a seed, for the same queries.

    Notes
    -----
    Bootstrap: each resample draws queries, and draws seeds, with replacement.
    """
    table = np.stack([np.asarray(row, np.float64) for row in hits])
    seeds, queries = table.shape
    generator = np.random.default_rng(seed)
    which = generator.integers(0, queries, (_RESAMPLES, queries))
    rows = generator.integers(0, seeds, (_RESAMPLES, seeds))
    means = np.array([table[r][:, q].mean() for r, q in zip(rows, which, strict=True)])
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(float(table.mean()), float(low), float(high))


def chance_recall(right: NDArray[np.bool_], at: int) -> float:
    """Recall of answers in random order: mean over queries of 1 - C(N - m, k) / C(N, k)."""
    count = right.shape[1]
    matches = right.sum(axis=1)
    missed = np.ones(len(right))
    for drawn in range(min(at, count)):
        missed *= np.maximum(count - matches - drawn, 0) / (count - drawn)
    return float((1.0 - missed).mean())
