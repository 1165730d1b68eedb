"""Claims of papers, measured on this machine, now."""

from __future__ import annotations

import contextlib
import json
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polyorama
from polyorama.core.arguments import said
from polyorama.core.jobs import Progress, run
from polyorama.core.text import reason_of
from polyorama.errors import PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.lab.catalog import experiment_class, experiment_ids
from polyorama.lab.claims import Claim, Figure
from polyorama.lab.experiment import ExperimentError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from polyorama.core.jobs import Job
    from polyorama.lab.experiment import Experiment

__all__ = ["Outcome", "Verdict", "claims", "claims_job", "write_claims"]

Verdict = Literal["holds", "fails", "shown false", "not measured", "could not be measured"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a claim.

    Parameters
    ----------
    experiment
        Its id.
    claim
        What is claimed.
    figures
        As measured in this run; () where nothing was.
    seconds
        That it took.
    error
        Why it could not be measured; "" where it was.
    """

    experiment: str
    claim: Claim
    figures: tuple[Figure, ...] = ()
    seconds: float = 0.0
    error: str = ""

    @property
    def verdict(self) -> Verdict:
        """In words: "shown false" is a claim that fails just as our reference says it does."""
        if self.error:
            return "could not be measured"
        if not self.figures:
            return "not measured"
        if not all(figure.holds for figure in self.figures):
            return "fails"
        return "shown false" if self.claim.shown_false else "holds"

    @property
    def as_expected(self) -> bool:
        """Whether nothing is wrong with it: it holds, is shown false, or was left out."""
        return self.verdict in ("holds", "shown false", "not measured")


def claims(name: str = "", *, study: bool = False) -> tuple[Outcome, ...]:
    """Measure the claims of an experiment, or of all, and wait; see `claims_job`."""
    return run(claims_job([name] if name else [], study=study))


def claims_job(names: Sequence[str] = (), *, study: bool = False) -> Job[tuple[Outcome, ...]]:
    """Measure claims, as a job.

    Parameters
    ----------
    names
        Of experiments; () for all.
    study
        Whether those are measured, too, that take more than half a minute; else they are listed as
        not measured.

    Returns
    -------
    outcomes
        In the order of the experiments; what could not be measured says why.

    Raises
    ------
    UsageError, UnavailableError, ExperimentError
        If there is no such experiment, or it cannot say its claims.
    """
    known = [experiment_class(name) for name in names or experiment_ids()]
    found: list[Outcome] = []
    for cls in known:
        for claim in _claims_of(cls):
            if claim.study and not study:
                found.append(Outcome(cls.id, claim))
                continue
            found.append((yield from _measured(cls.id, claim)))
    return tuple(found)


def _claims_of(cls: type[Experiment]) -> tuple[Claim, ...]:
    try:
        found = tuple(cls.claims())
    except Exception as error:
        raise ExperimentError(
            f"{cls.id} cannot say its claims ({reason_of(error)}); mend the experiment."
        ) from error
    for claim in found:
        if not isinstance(claim, Claim):
            raise ExperimentError(f"{cls.id} has {said(claim)} among its claims; mend that.")
    return found


def _measured(name: str, claim: Claim) -> Job[Outcome]:
    started = time.perf_counter()
    note = f"{name} {claim.id}"
    yield Progress(0, 0, note)
    figures: tuple[Figure, ...] = ()
    error = ""
    try:
        with contextlib.closing(claim.measure()) as job:
            while True:
                try:
                    progress = next(job)
                except StopIteration as stop:
                    figures = tuple(stop.value)
                    break
                yield Progress(progress.done, progress.total, note)
        if not figures or not all(isinstance(figure, Figure) for figure in figures):
            figures, error = (), "It measured nothing; mend what it returns."
    except PolyoramaError as failure:
        error = str(failure)
    except Exception as failure:  # noqa: BLE001 - a claim that fails is said beside the others
        error = f"It failed ({reason_of(failure)}); mend the experiment."
    return Outcome(name, claim, figures, time.perf_counter() - started, error)


def write_claims(outcomes: Iterable[Outcome], target: str | os.PathLike[str]) -> None:
    """Write outcomes as JSON: a list of objects, infinite bounds and NaN as null."""
    entries = [
        {
            "experiment": outcome.experiment,
            "claim": outcome.claim.id,
            "text": outcome.claim.text,
            "verdict": outcome.verdict,
            "shown_false": outcome.claim.shown_false,
            "error": outcome.error,
            "seconds": round(outcome.seconds, 3),
            "figures": [_entry(figure) for figure in outcome.figures],
        }
        for outcome in outcomes
    ]
    found = {"polyorama": "claims", "version": polyorama.__version__, "claims": entries}
    with atomic_write(target) as temporary:
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def _entry(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "value": _number(figure.value),
        "low": _number(figure.low),
        "high": _number(figure.high),
        "unit": figure.unit,
        "reference": figure.reference,
        "holds": figure.holds,
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
