"""Claims of papers, measured here: what is said, what is found, and whether that is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.core.jobs import Job

__all__ = ["Claim", "Figure"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number beside what is accepted.

    Parameters
    ----------
    name
        What was measured, sentence case.
    value
        As measured in this run.
    low, high
        What is accepted, inclusive; infinite for no bound.
    unit
        "" for none.
    reference
        What the paper, or our own reference measurement, has, in words; "" where it is not known.
    """

    name: str
    value: float
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    reference: str = ""

    @property
    def holds(self) -> bool:
        """Whether it lies within its bounds; NaN never does."""
        return self.low <= self.value <= self.high


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a paper and how it is measured here.

    Parameters
    ----------
    id
        Within the experiment, as "regret-exponent".
    text
        The claim in one sentence.
    measure
        Makes the job that returns the figures; it runs with fixed seeds that the text names.
    study
        Whether it takes more than half a minute on two cores.
    shown_false
        Where the reference says that the claim does not hold: the reason in one sentence. Its
        figures then bound how it fails.
    """

    id: str
    text: str
    measure: Callable[[], Job[tuple[Figure, ...]]]
    study: bool = False
    shown_false: str = ""
