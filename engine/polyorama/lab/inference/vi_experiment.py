"""Gaussian variational inference at work: noisy gradients, and what a control variate saves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.lab.experiment import Experiment, Paper
from polyorama.lab.inference.bures import Normal
from polyorama.lab.inference.gaussian_vi import control_of
from polyorama.lab.inference.gaussian_vi_notes import Moment, acting_of, note_of
from polyorama.lab.inference.gaussian_vi_pictures import FAN, fan, gaussians, scenery, splats
from polyorama.lab.inference.gaussian_vi_race import (
    RACERS,
    Swarm,
    VIParams,
    room_target,
    room_yardstick,
)
from polyorama.lab.inference.gaussian_vi_stage import (
    FORMULA,
    PRESETS,
    RIVALS,
    WITH_FLOOR,
    views_of,
)
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.inference.gaussian_vi_race import Racer
    from polyorama.lab.snapshot import Value
    from polyorama.lab.views import View

__all__ = ["GaussianVI"]

_CURVE_POINTS = 81
_CONTROLS = np.linspace(0.0, 2.0, _CURVE_POINTS)
_CONTROLS.setflags(write=False)


class GaussianVI(Experiment):
    """Five methods fit a Gaussian on the same draws; a step is an iteration, or a part of one."""

    id = "inference/gaussian-vi"
    title = "Gaussian variational inference"
    summary = "A control variate stills the noise of gradients on the Bures-Wasserstein manifold."
    paper = Paper(
        "Stochastic variance-reduced Gaussian variational inference on the Bures-Wasserstein "
        "manifold",
        "Luu, Yu, Williams, Hartmann & Klami",
        "ICLR 2025",
        "https://arxiv.org/abs/2410.02490",
    )
    caveat = (
        "Here KL itself is drawn. The paper's code draws 10 to the power of ln KL, which is KL to "
        "the power of 2.303 and shows a gain of 100 as 40,000. On targets that are no Gaussian the "
        "gain is smaller, for the noise of the Hessian stays."
    )
    Params = VIParams
    rivals = RIVALS
    first_rivals = ("svrgvi", "sgvi", "advi")
    presets = PRESETS
    formula = FORMULA
    rate = 60.0

    params: VIParams

    def begin(self, seed: int) -> None:
        """All at the same Gaussian, with the same draws to come."""
        params = self.params
        place = params.target, params.dimension, params.condition
        self._target = room_target(*place)
        self._yardstick = room_yardstick(*place, coarse=False)
        self._scenery = scenery(_still(params))
        self._luck = stream(seed, "draws")
        self._fan = stream(seed, "fan").standard_normal((FAN, params.dimension))
        self._swarm = Swarm(room_yardstick(*place, coarse=True), seed)
        self._iteration = 0
        self._phase = 0
        self._gather()
        self._find_floors()

    def _gather(self) -> None:
        """Put everybody at the start."""
        dimension = self.params.dimension
        mean = np.zeros((1, dimension))
        mean[0, :2] = self.params.start_x, self.params.start_y
        start = Normal.of(mean, np.eye(dimension))
        self._racers: dict[str, Racer] = {
            name: RACERS[name](self._target, start) for name in self.active
        }
        for racer in self._racers.values():
            racer.gap = float(self._yardstick.gap(racer.now)[0])

    def _find_floors(self) -> None:
        """Of the two that have one, and over all c; it is a parabola in c."""
        params, yardstick = self.params, self._yardstick
        self._floors: dict[str, float] = {}
        self._theory: NDArray[np.float64] = np.full(_CURVE_POINTS, math.nan)
        if params.target not in WITH_FLOOR:
            return
        at = np.array([0.0, 1.0, 2.0])
        low, middle, high = yardstick.floor("svrgvi", params.eta, at, params.samples)
        c = _CONTROLS
        if math.isfinite(low + middle + high):
            bend = 0.5 * (low + high) - middle
            parabola = middle + 0.5 * (high - low) * (c - 1.0) + bend * (c - 1.0) ** 2
        else:
            parabola = np.full(len(c), math.nan)
        # Where a Gaussian target has no floor, at c = 1, there is no logarithm.
        self._theory = np.where(parabola > 1e-12, parabola, math.nan)
        ours = yardstick.floor("svrgvi", params.eta, params.c, params.samples)[0]
        self._floors |= {"sgvi": float(low), "svrgvi": float(ours)}

    def advance(self, count: int) -> int:
        """One iteration every `glide` steps, at the first of them."""
        params = self.params
        count = min(count, params.iterations * params.glide - self.steps)
        for _ in range(count):
            if self._phase == 0:
                z = self._luck.standard_normal((params.samples, params.dimension))
                for racer in self._racers.values():
                    racer.iterate(z, params)
                self._swarm.iterate(params.eta, params.samples)
                self._iteration += 1
            self._phase = (self._phase + 1) % params.glide
            if self._phase == 0:
                for racer in self._racers.values():
                    racer.settle(self._yardstick)
        return count

    def changed(self, name: str) -> None:
        """A new place puts all there; new numbers begin new averages."""
        if name in ("start_x", "start_y"):
            self._gather()
            self._phase = 0
            return
        for racer in self._racers.values():
            racer.forget()
        if name in ("eta", "samples"):
            self._swarm.restart()
        self._find_floors()

    def observe(self) -> Snapshot:
        """Gaussians, divergences beside their floors, the fan of gradients, the swarm."""
        params = self.params
        share = 1.0 if self._phase == 0 else self._phase / params.glide
        shown = {name: racer.at(share) for name, racer in self._racers.items()}
        values: dict[str, Value] = dict(self._scenery.flat)
        values |= gaussians(shown, self._yardstick.best)
        values["iteration"] = float(self._iteration)
        self._add_numbers(values)
        watched = next(iter(self._racers.values()))
        values["draws"] = watched.points[:, :2]
        if 0.0 < share < 1.0:
            values["half"] = watched.half.mean[:, :2]
            values["half_cov"] = watched.half.covariance[:, :2, :2]
        # On the way the step's gradients are those of where it began.
        source = watched.now if share == 1.0 else watched.before
        values |= fan(source, self._fan, self._target, params.c)
        if params.dimension == 2:
            values |= splats(self._scenery.hills, self._racers, shown, params)
        moment = self._moment(source, share)
        values["variance_plain"] = moment.plain
        values["variance_control"] = moment.controlled
        self._add_controls(values, moment.best_c)
        return Snapshot(
            self.steps, values, acting_of(moment, params), note_of(moment, params), moment.done
        )

    def _moment(self, q: Normal, share: float) -> Moment:
        params, yardstick = self.params, self._yardstick
        return Moment(
            self._racers, self._floors, share,
            float(yardstick.variance(q, 0.0)[0]), float(yardstick.variance(q, params.c)[0]),
            float(control_of(yardstick.expected(q)[1], q.covariance)[0]),
            yardstick.longest_step, yardstick.least_divergence, self._astray(), self._iteration,
            self.steps >= params.iterations * params.glide,
        )  # fmt: skip

    def _astray(self) -> frozenset[str]:
        """Whose mode is not that of the best Gaussian."""
        resting, best = self._yardstick.resting, self._yardstick.best
        if len(resting) < 2:
            return frozenset()
        places = np.concatenate([q.mean for q in resting])
        best_place = int(np.abs(places - best.mean).sum(axis=1).argmin())
        return frozenset(
            name
            for name, racer in self._racers.items()
            if int(((places - racer.now.mean) ** 2).sum(axis=1).argmin()) != best_place
        )

    def _add_numbers(self, values: dict[str, Value]) -> None:
        for name, racer in self._racers.items():
            values[f"gap/{name}"] = math.nan if racer.broken else racer.gap
            if len(racer.gaps):
                values[f"late/{name}"] = float(racer.gaps.late_mean[0])
            if name in self._floors and math.isfinite(self._floors[name]):
                values[f"floor/{name}"] = self._floors[name]

    def _add_controls(self, values: dict[str, Any], best_c: float) -> None:
        means = self._swarm.means
        values["theory_c"], values["theory"] = _CONTROLS, self._theory
        values["swarm_c"], values["swarm"] = self._swarm.controls, means
        both: NDArray[np.float64] = np.concatenate([means, self._theory])
        known = both[np.isfinite(both) & (both > 0.0)]
        if len(known):
            ends = np.array([known.min(), known.max()])
            values["mark_now"] = values["mark_best"] = ends
            values["mark_now_c"] = np.full(2, self.params.c)
            values["mark_best_c"] = np.full(2, min(max(best_c, 0.0), 2.0))

    def views(self) -> tuple[View, ...]:
        """The pictures; in more than two dimensions one of them is in space."""
        return views_of(self.params)

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What the paper says and what the reference measured."""
        from polyorama.lab.inference.vi_claims import CLAIMS

        return CLAIMS


def _still(params: VIParams) -> VIParams:
    """The parameters that the scenery depends on, the others at their defaults."""
    return VIParams(params.target, params.dimension, params.condition)
