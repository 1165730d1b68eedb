"""Claims of papers, measured on this machine, now."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polyorama
from polyorama.core.jobs import Progress, run
from polyorama.errors import PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.lab.catalog import experiment_class, experiment_ids

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from polyorama.core.jobs import Job
    from polyorama.lab.claims import Claim, Figure

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
    UsageError, UnavailableError
        If there is no such experiment.
    """
    known = [experiment_class(name) for name in names or experiment_ids()]
    found: list[Outcome] = []
    for cls in known:
        for claim in cls.claims():
            if claim.study and not study:
                found.append(Outcome(cls.id, claim))
                continue
            found.append((yield from _measured(cls.id, claim)))
    return tuple(found)


def _measured(name: str, claim: Claim) -> Job[Outcome]:
    started = time.perf_counter()
    note = f"{name} {claim.id}"
    yield Progress(0, 0, note)
    job = claim.measure()
    try:
        while True:
            try:
                progress = next(job)
            except StopIteration as stop:
                seconds = time.perf_counter() - started
                return Outcome(name, claim, tuple(stop.value), seconds)
            yield Progress(progress.done, progress.total, note)
    except PolyoramaError as error:
        return Outcome(name, claim, (), time.perf_counter() - started, str(error))
    finally:
        job.close()


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
