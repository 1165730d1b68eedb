"""One sentence about the moment, and which terms of the formula act."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.lab.inference.gaussian_vi_stage import RIVALS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.lab.inference.gaussian_vi_race import Racer, VIParams

__all__ = ["Moment", "acting_of", "note_of"]

_LATE = 60
"""Iterations after which a mean of the later half says something."""
_TITLES = {rival.id: rival.title for rival in RIVALS}


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What the words are about.

    Parameters
    ----------
    racers
        By id.
    floors
        Of SGVI and SVRGVI, nats; infinite where the step diverges.
    share
        How far the shown iteration has come, 0..1.
    plain, controlled
        Total variance of one gradient without and with the control variate.
    best_c
        c* at the Gaussian that is watched.
    longest
        Step size up to which the best Gaussian is at rest.
    least
        KL of the best Gaussian, nats; NaN where it is not known.
    astray
        Ids of those that lie nearer to another mode than to that of the best Gaussian.
    iteration
        Iterations done.
    done
        Whether the run is over.
    """

    racers: Mapping[str, Racer]
    floors: Mapping[str, float]
    share: float
    plain: float
    controlled: float
    best_c: float
    longest: float
    least: float
    astray: frozenset[str]
    iteration: int
    done: bool


def acting_of(moment: Moment, params: VIParams) -> dict[str, float]:
    """How strongly the terms of the formula act, 0..1."""
    forward = params.glide == 1 or moment.share < 0.5
    backward = params.glide == 1 or moment.share >= 0.5
    removed = 1.0 - moment.controlled / moment.plain if moment.plain > 0.0 else 0.0
    met = 0.0
    for name, floor in moment.floors.items():
        racer = moment.racers.get(name)
        if racer is not None and len(racer.gaps) and 0.0 < floor < math.inf:
            late = max(float(racer.gaps.late_mean[0]), 1e-300)
            met = max(met, min(late / floor, floor / late))
    return {
        "forward": float(forward), "curve": float(forward), "backward": float(backward),
        "control": min(max(removed, 0.0), 1.0) * float(forward), "floor": met,
    }  # fmt: skip


def note_of(moment: Moment, params: VIParams) -> str:
    """What is happening, in one sentence."""
    for racer in moment.racers.values():
        if racer.broken:
            return f"{_TITLES[racer.id]} has stopped: {racer.fate}."
    if not moment.done:
        if params.glide > 1 and moment.share < 1.0:
            return _gliding(moment, params)
        if moment.iteration == 0:
            return (
                f"All start at ({params.start_x:g}, {params.start_y:g}) with unit width, and will "
                f"meet the same draws."
            )
        if all(math.isinf(floor) for floor in moment.floors.values()) and moment.floors:
            return f"At a step of {params.eta:g} the error of the mean does not shrink: lower eta."
    watched = next(iter(moment.racers.values()))
    late = [racer for racer in moment.racers.values() if len(racer.gaps) >= _LATE]
    if not late:
        left = moment.controlled / max(moment.plain, 1e-300)
        share = (
            f"takes {100.0 * (1.0 - left):.0f} % of the variance" if left <= 1.0
            else f"makes the variance {left:.1f} times as large"
        )  # fmt: skip
        return (
            f"{_TITLES[watched.id]} is {watched.gap:.3g} nats above the best Gaussian; there the "
            f"control variate {share}, and c* is {moment.best_c:.2f}."
        )
    return _at_rest(moment, params)


def _gliding(moment: Moment, params: VIParams) -> str:
    if moment.share < 0.5:
        return (
            f"Iteration {moment.iteration}, forward: one draw gives slope and curvature, and the "
            f"Gaussian goes a step of {params.eta:g} down the potential."
        )
    return (
        f"Iteration {moment.iteration}, backward: the entropy widens it, exactly, as the nearest "
        f"Gaussian in the Bures-Wasserstein distance that gains most."
    )


def _at_rest(moment: Moment, params: VIParams) -> str:
    """Means of the later half beside their floors."""
    words: list[str] = []
    astray: list[Racer] = []
    for racer in moment.racers.values():
        if len(racer.gaps) < _LATE:
            continue
        late = float(racer.gaps.late_mean[0])
        floor = moment.floors.get(racer.id, math.nan)
        if racer.id in moment.astray:
            astray.append(racer)
        elif floor == 0.0:
            words.append(
                f"{_TITLES[racer.id]} has no floor at c = 1: KL is {max(racer.gap, 0.0):.1e}"
            )
        elif late > 2.0 * floor:
            words.append(f"{_TITLES[racer.id]} is at {late:.3g} nats, and its floor at {floor:.3g}")
        elif math.isfinite(floor):
            where = "its floor is" if params.target == "gaussian" else "to first order its floor is"
            words.append(f"{_TITLES[racer.id]} rests at {late:.3g} nats; {where} {floor:.3g}")
    if astray:
        names = " and ".join(f"{_TITLES[r.id]} (by {r.gap:.3g} nats)" for r in astray)
        words.append(f"{names}: in a mode that is not the best")
    if not words:
        words = [f"{_TITLES[r.id]} is at {r.gap:.3g} nats" for r in moment.racers.values()]
    if params.eta > moment.longest:
        words.append(f"steps above {moment.longest:.2g} leave covariances too wide")
    if params.target != "gaussian" and math.isfinite(moment.least):
        words.append(f"the best Gaussian itself is {moment.least:.3g} nats off")
    return "; ".join(words) + "."
