"""Slices of a kernel added one after the other, by eight rivals, with ever more directions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.params import choice, number, whole
from polyorama.lab.experiment import Experiment, ExperimentParams
from polyorama.lab.inference.slicing_kernels import KERNELS, Spectral, kernel_named
from polyorama.lab.inference.slicing_stage import FORMULA, PAPER, PRESETS, RIVALS, views_of
from polyorama.lab.inference.sphere import unit
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from polyorama.lab.claims import Claim
    from polyorama.lab.inference.slicing_methods import Estimate, Problem
    from polyorama.lab.snapshot import Value
    from polyorama.lab.views import View

__all__ = ["LADDER", "SlicingExperiment", "SlicingParams"]

LADDER = tuple(2**k for k in range(4, 11))
"""Numbers of slices, P."""
PIECES = 16
"""Steps in which the P slices of a rung are added."""
_POINTS, _SPREAD = 1000, 0.1
_SHOWN = 400
_FLOOR = 1e-9
"""Errors below are those of the Fourier series, not of the directions."""
_PAIRED = 64
"""Directions whose angles are shown."""
_TITLES = {rival.id: rival.title for rival in RIVALS}
_EXACT = (0.93, 0.62, 0.22)
"""Colour of what is exact; of no rival, and seen on dark and on light."""


@dataclass(frozen=True)
class SlicingParams(ExperimentParams):
    """Parameters of the comparison."""

    dimension: str = choice("3", ("2", "3", "10", "50"), help="Dimensions of the points")
    kernel: str = choice(
        "gauss", KERNELS, help="The radial kernel; Matérn's nu is 3/2, Riesz's power 1/2"
    )
    width: float = number(
        1.0, 0.25, 4.0, unit="medians", help="Scale of the kernel, by the median length of points",
        soft=(0.5, 2.0),
    )  # fmt: skip
    runs: int = whole(
        20, 1, 1000, unit="runs", help="Fresh directions each, over which errors are averaged",
        animated=False,
    )  # fmt: skip
    modes: int = whole(
        1024, 1, 1024, unit="modes", help="Fourier modes of f; the slices are summed with these",
        soft=(2, 64), live=True, animated=False,
    )  # fmt: skip
    goal: float = number(
        1e-3, 1e-8, 0.1, help="The error that the bars of work are for", soft=(1e-5, 1e-2),
        live=True,
    )  # fmt: skip
    size: int = whole(
        100_000, 1000, 10_000_000, unit="points", help="N, points of the sum whose work is told",
        live=True, animated=False,
    )  # fmt: skip
    watch: str = choice(
        "distance", tuple(_TITLES), help="Whose directions and estimate are shown", live=True
    )


class SlicingExperiment(Experiment):
    """Rungs of P = 16 to 1,024 slices, again and again with fresh directions."""

    id = "inference/qmc-slicing"
    title = "Kernel sums by slicing"
    summary = "A kernel in many dimensions is a mean of lines, and well spread lines need be few."
    paper = PAPER
    caveat = (
        "The gain of spread directions shrinks with the dimension: in 50 they are hardly better "
        "than orthogonal ones, which cost nothing to make."
    )
    Params = SlicingParams
    rivals = RIVALS
    first_rivals = ("distance", "iid", "orthogonal", "sobol", "rff")
    presets = PRESETS
    formula = FORMULA
    rate = 60.0

    def begin(self, seed: int) -> None:
        """Draw the points; nothing is known of any error."""
        random = stream(seed, "points")
        self._points = _SPREAD * random.standard_normal((_POINTS, int(self.params.dimension)))
        self._norms = np.linalg.norm(self._points, axis=1)
        self._median = float(np.median(self._norms))
        self._whole = self._problem_with(None)
        self._problem = self._problem_with(self.params.modes)
        self._drawing = self._curves()
        self._forget()
        self._estimates: dict[str, Estimate] = {}
        self._adding: tuple[str, ...] = ()

    def _problem_with(self, modes: int | None) -> Problem:
        from polyorama.lab.inference.slicing_methods import Problem

        kernel = kernel_named(self.params.kernel, self.params.width * self._median)
        return Problem.of(kernel, self._points, modes)

    def _forget(self) -> None:
        self._sums = {name: np.zeros(len(LADDER)) for name in self.active}
        self._times = {name: np.zeros(len(LADDER), np.int64) for name in self.active}

    @property
    def _last(self) -> int:
        return int(self.params.runs) * len(LADDER) * PIECES

    def advance(self, count: int) -> int:
        """A sixteenth of the slices of this rung a step, for every rival."""
        count = min(count, self._last - self.steps)
        for step in range(self.steps, self.steps + count):
            rung, piece = divmod(step, PIECES)
            run, level = divmod(rung, len(LADDER))
            if piece == 0:
                self._draw(run, level)
            for name in self._adding:
                estimate = self._estimates[name]
                estimate.add(LADDER[level] // PIECES)
                if piece == PIECES - 1:
                    self._sums[name][level] += estimate.error
                    self._times[name][level] += 1
        return count

    def _draw(self, run: int, level: int) -> None:
        """Fresh directions, all rivals from the same luck; who has none keeps the former."""
        from polyorama.lab.inference.slicing_methods import Estimate

        count = LADDER[level]
        self._adding = tuple(n for n in self.active if self._problem.takes(n, count))
        for name in self._adding:
            random = stream(self.seed, "directions", run, level)
            self._estimates[name] = Estimate(name, self._problem, count, random)

    def changed(self, name: str) -> None:
        """With another f, all errors are measured anew."""
        if name != "modes":
            return
        self._problem = self._problem_with(self.params.modes)
        self._drawing = self._curves()
        self._forget()
        for estimate in self._estimates.values():
            estimate.renew(self._problem)

    def observe(self) -> Snapshot:
        """Errors and fits so far, and the slices of the rival that is watched."""
        values: dict[str, Value] = dict(self._drawing)
        values["chance"], values["naive"] = 0.5, float(self.params.size)
        self._add_errors(values)
        estimate = self._estimates.get(self.params.watch)
        if estimate is not None:
            self._add_watched(values, self.params.watch, estimate)
        if int(self.params.dimension) > 3:
            self._add_angles(values)
        done = self.steps >= self._last
        return Snapshot(self.steps, values, self._acting(done), self._note(values, done), done)

    def _curves(self) -> dict[str, Value]:
        """Lines that stay: F, f, and the error that independent directions must have."""
        from polyorama.lab.inference.slicing_methods import independent_error

        reach = float(self._norms.max())
        s = np.linspace(0.0, reach, 161)
        kernel = np.stack([s, self._whole.kernel.radial(s)], axis=1)
        line = np.linspace(-reach, reach, 321)
        ends = np.array([LADDER[0], LADDER[-1]], np.float64)
        found: dict[str, Value] = {
            "kernel": np.stack([kernel[:-1], kernel[1:]], axis=1),
            "kernel_color": np.tile(_EXACT, (len(kernel) - 1, 1)),
            "slice_x": line,
            "slice_all": self._whole.slices(line),
            "slice_cut": self._problem.slices(line),
            "expected_counts": ends,
            "expected": np.array([independent_error(self._whole, int(p)) for p in ends]),
        }
        return found

    def _add_errors(self, values: dict[str, Value]) -> None:
        for name in self.active:
            measured = np.flatnonzero(self._times[name])
            if not len(measured):
                continue
            counts = np.array(LADDER, np.float64)[measured]
            errors = self._sums[name][measured] / self._times[name][measured]
            values[f"counts/{name}"], values[f"error/{name}"] = counts, errors
            values[f"latest/{name}"] = float(errors[-1])
            if errors[0] <= self.params.goal:  # fewer are not measured
                values[f"work/{name}"] = 2.0 * float(counts[0])
            told = errors > _FLOOR
            if told.sum() < 3:
                continue
            slope, level = np.polyfit(np.log(counts[told]), np.log(errors[told]), 1)
            values[f"rate/{name}"] = -float(slope)
            if slope < -0.05 and errors[0] > self.params.goal:  # a flat line reaches no goal
                power = (math.log(self.params.goal) - level) / slope
                # Each line is met twice: by the sources and by the targets.
                values[f"work/{name}"] = 2.0 * math.exp(min(power, 60.0))

    def _add_watched(self, values: dict[str, Value], name: str, estimate: Estimate) -> None:
        added = estimate.lines[: estimate.added]
        values[f"cloud/{name}"] = np.stack([self._norms, estimate.mean], axis=1)[:_SHOWN]
        xi = unit(added)
        places = self._points[:_SHOWN] @ xi[-1]
        values["slice_places"], values["slice_points"] = places, self._problem.slices(places)
        if xi.shape[1] <= 3:
            xi = np.pad(xi, ((0, 0), (0, 3 - xi.shape[1])))
            values[f"lines/{name}"] = np.concatenate([xi, -xi])
            values["newest_lines"] = np.stack([-xi[-1], xi[-1]])[None]

    def _add_angles(self, values: dict[str, Value]) -> None:
        pairs = np.triu_indices(_PAIRED, 1)
        for name, estimate in self._estimates.items():
            xi = unit(estimate.lines[:_PAIRED])
            cosines = np.abs(xi @ xi.T)[tuple(p[(pairs[1] < len(xi))] for p in pairs)]
            values[f"angles/{name}"] = np.degrees(np.arccos(np.clip(cosines, 0.0, 1.0)))

    def _acting(self, done: bool) -> dict[str, float]:
        if self.steps == 0 or done:
            return {"kernel": 1.0}
        piece = (self.steps - 1) % PIECES + 1
        return {
            "kernel": 0.3,
            "directions": 1.0 if piece == 1 else 0.4,
            "slice": 0.8,
            "mean": piece / PIECES,
            "error": 1.0 if piece == PIECES else 0.0,
        }

    def _note(self, values: dict[str, Value], done: bool) -> str:
        from polyorama.lab.inference.slicing_methods import FEATURES

        if done:
            return self._ending(values)
        if self.steps == 0:
            return "Nothing has been added yet: the first 16 directions are about to be drawn."
        estimate = self._estimates.get(self.params.watch)
        name = _TITLES[self.params.watch]
        if estimate is None:
            if self.params.watch not in self.active:
                return f"{name} does not take part; switch it on, or watch another one."
            return f"{name} cannot be had for this kernel and dimension; watch another one."
        if self.params.watch not in self._adding:
            return f"{name} ends at {len(estimate.lines):,} slices, which stay; the others go on."
        if self._problem.slices.modes and self._problem.slices.modes < self._whole.slices.modes:
            return (
                f"f is drawn with {self._problem.slices.modes} of its "
                f"{self._whole.slices.modes} modes: what they miss, no direction mends."
            )
        lines = "features" if self.params.watch in FEATURES else "slices"
        return (
            f"{name}: {estimate.added:,} of {len(estimate.lines):,} {lines} are added, and the "
            f"estimate is off by {estimate.error:.2g} on average."
        )

    def _ending(self, values: dict[str, Value]) -> str:
        rates = {name: values.get(f"rate/{name}", math.nan) for name in self.active}
        known: dict[str, float] = {
            name: rate
            for name, rate in rates.items()
            if isinstance(rate, float) and math.isfinite(rate)
        }
        if not known:
            return "All runs are over."
        best = max(known, key=lambda name: known[name])
        return (
            f"All {self.params.runs} runs are over: the error of {_TITLES[best]} falls fastest, as "
            f"P^-{known[best]:.2f}; chance alone gives P^-0.5."
        )

    def views(self) -> tuple[View, ...]:
        """The pictures; those of the sphere or of angles."""
        bounded = isinstance(kernel_named(self.params.kernel, 1.0), Spectral)
        return views_of(int(self.params.dimension), bounded)

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What the paper says and what the reference measured."""
        from polyorama.lab.inference.slicing_claims import CLAIMS

        return CLAIMS
