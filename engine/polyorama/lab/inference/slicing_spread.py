"""Directions that repel each other on the sphere, and what that is good for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.params import choice, number, whole
from polyorama.lab.experiment import Experiment, ExperimentParams, Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.inference.slicing_stage import PAPER
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream
from polyorama.lab.views import Axis, Bars, Curve, Distribution, Dots, Points, Series

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.snapshot import Value
    from polyorama.lab.views import View

__all__ = ["MOST_ENERGY", "SpreadExperiment", "SpreadParams"]

MOST_ENERGY = 8.0 / 3.0
"""The mean of |x - y| + |x + y| over the whole sphere in space, which no finite set reaches."""
_COUNTS = tuple(str(2**k) for k in range(4, 10))
_POINTS, _SPREAD = 300, 0.1

_RIVALS = (
    Rival("distance", "Repelling", "Random at first; each step pushes all directions apart"),
    Rival("iid", "Random", "Independent directions"),
    Rival("orthogonal", "Orthogonal", "Blocks of three orthogonal directions"),
    Rival("sobol", "Sobol", "Sobol points that are made normal"),
    Rival("design", "Design", "A spherical design: exact for polynomials up to a degree"),
)
_TITLES = {rival.id: rival.title for rival in _RIVALS}


@dataclass(frozen=True)
class SpreadParams(ExperimentParams):
    """Parameters of the directions."""

    count: str = choice("64", _COUNTS, help="P, directions; each stands for its opposite, too")
    step: float = number(
        1.0, 0.0, 4.0, help="Length of a step, in units of the mean push", soft=(0.0, 2.0),
        live=True,
    )  # fmt: skip
    heat: float = number(
        0.0, 0.0, 1.0, help="Chance in every step: it melts the order", soft=(0.0, 0.3), live=True
    )
    width: float = number(
        1.0, 0.25, 4.0, unit="medians", help="Scale of the Gauss kernel, by the median length",
        soft=(0.5, 2.0),
    )  # fmt: skip
    steps: int = whole(600, 1, 1_000_000, unit="steps", help="Length of the run", animated=False)
    watch: str = choice("distance", tuple(_TITLES), help="Whose directions are shown", live=True)


class SpreadExperiment(Experiment):
    """Unit vectors and their opposites, pushed apart step by step."""

    id = "inference/directions"
    title = "Directions that repel"
    summary = "Points on a sphere push each other apart until they measure kernels far better."
    paper = PAPER
    caveat = (
        "In space the gain is large; with the dimension it shrinks, and in 50 dimensions "
        "orthogonal directions are almost as good."
    )
    Params = SpreadParams
    rivals = _RIVALS
    first_rivals = ("distance", "iid", "orthogonal", "sobol")
    presets = (
        Preset("Sixty-four", {}, help="Random directions find their places within a hundred steps"),
        Preset("A crystal of sixteen", {"count": "16"},
               help="Few come near the axes of an icosahedron and a dodecahedron"),
        Preset("Five hundred", {"count": "512"}, help="The error falls ten-thousandfold"),
        Preset("Melting", {"heat": 0.1},
               help="Shaken out of their places, they leave over ten times the error; cool slowly"),
        Preset("Against a design", {"count": "128"}, ("distance", "iid", "design"),
               "A design is not the most even set, but exact where it counts"),
    )  # fmt: skip
    formula = Formula(
        r"v_p = \xi_p + \term{step}{\frac{h}{P}}\, \term{push}{\Pi_p \sum_{q \ne p, \pm} "
        r"\frac{\xi_p \pm \xi_q}{|\xi_p \pm \xi_q|}} + \term{heat}{\sigma z_p}, \quad "
        r"\term{sphere}{\xi_p \leftarrow \frac{v_p}{|v_p|}}",
        (
            Term("push", "All others, and their opposites, push it along the sphere"),
            Term("step", "Length of the step"),
            Term("sphere", "Back onto the sphere"),
            Term("heat", "Chance"),
        ),
        "Directions of most distance: projected gradient ascent",
    )
    rate = 40.0

    def begin(self, seed: int) -> None:
        """Draw all sets; the repelling one begins as the random one."""
        from polyorama.lab.inference.slicing_kernels import Gauss
        from polyorama.lab.inference.slicing_methods import Problem

        points = _SPREAD * stream(seed, "points").standard_normal((_POINTS, 3))
        sigma = self.params.width * float(np.median(np.linalg.norm(points, axis=1)))
        self._problem = Problem.of(Gauss(sigma), points)
        self._sets = {name: self._drawn(name, seed) for name in self.active}
        self._facts = {name: self._measured(name) for name in self.active}
        self._moved = 0.0

    def _drawn(self, name: str, seed: int) -> NDArray[np.float64]:
        from polyorama.lab.inference.directions import directions
        from polyorama.lab.inference.slicing_methods import SLICES

        kind = SLICES["iid" if name == "distance" else name]
        return directions(kind, 3, int(self.params.count), stream(seed, "directions"))

    def _measured(self, name: str) -> dict[str, Value]:
        """What is shown of a set beside its places."""
        from polyorama.lab.inference.directions import spread_energy

        xi = self._sets[name]
        cosines = np.abs(xi @ xi.T)
        np.fill_diagonal(cosines, 0.0)
        nearest = np.degrees(np.arccos(np.minimum(cosines.max(axis=1), 1.0)))
        estimate = self._problem.slices(self._problem.points @ xi.T).mean(axis=1)
        return {
            f"uneven/{name}": MOST_ENERGY - spread_energy(xi),
            f"error/{name}": float(np.abs(estimate - self._problem.exact).mean()),
            f"nearest/{name}": nearest,
            f"least/{name}": float(nearest.min()),
        }

    def advance(self, count: int) -> int:
        """Push the directions apart, once a step."""
        from polyorama.lab.inference.directions import ascent

        count = min(count, self.params.steps - self.steps)
        if "distance" not in self._sets:
            return count
        for step in range(self.steps, self.steps + count):
            before = self._sets["distance"]
            chance = None
            if self.params.heat > 0.0:
                random = stream(self.seed, "heat", step)
                # Neighbours are about 1 / sqrt(P) apart.
                spread = self.params.heat / math.sqrt(len(before))
                chance = spread * random.standard_normal(before.shape)
            xi, _ = ascent(before, self.params.step, chance)
            self._moved = float(np.degrees(np.linalg.norm(xi - before, axis=1).mean()))
            self._sets["distance"] = xi
        if count:
            self._facts["distance"] = self._measured("distance")
        return count

    def observe(self) -> Snapshot:
        """The set that is watched, and how even and useful each is."""
        count = int(self.params.count)
        values: dict[str, Value] = {"uneven_random": (MOST_ENERGY - 2.0) / count}
        for facts in self._facts.values():
            values.update(facts)
        xi = self._sets.get(self.params.watch)
        if xi is not None:
            values[f"places/{self.params.watch}"] = np.concatenate([xi, -xi])
        done = self.steps >= self.params.steps
        moving = min(self._moved / 2.0, 1.0)
        acting = {
            "push": max(moving, 0.05), "sphere": 0.5, "step": min(self.params.step, 1.0),
            "heat": min(10.0 * self.params.heat, 1.0),
        }  # fmt: skip
        return Snapshot(self.steps, values, acting if self.steps else {}, self._note(), done)

    def _note(self) -> str:
        name = self.params.watch
        if name not in self._sets:
            return f"{_TITLES[name]} does not take part; switch it on, or watch another one."
        least, error = self._facts[name][f"least/{name}"], self._facts[name][f"error/{name}"]
        if name != "distance":
            return (
                f"{_TITLES[name]} directions stand still: the nearest two are {least:.2g}° apart, "
                f"and the kernel is off by {error:.2g}."
            )
        if self.steps == 0:
            return f"{self.params.count} random directions: the nearest two are {least:.2g}° apart."
        if self.params.heat > 0.0:
            return (
                f"Chance pushes against order: the nearest two are {least:.2g}° apart, and the "
                f"kernel is off by {error:.2g}."
            )
        return (
            f"They still move by {self._moved:.2g}° a step; no two are nearer than {least:.3g}°, "
            f"and the kernel is off by {error:.2g}."
        )

    def views(self) -> tuple[View, ...]:
        """The sphere, and what its evenness is worth."""
        axis = Axis(low=-1.0, high=1.0)

        def by_rival(key: str) -> tuple[Series, ...]:
            return tuple(Series(f"{key}/{r.id}", r.title, rival=r.id) for r in _RIVALS)

        return (
            Points(
                id="sphere", title="Directions on the sphere", x=axis, y=axis, z=axis, span=2,
                layers=tuple(
                    Dots(f"places/{r.id}", size=9.0, rival=r.id) for r in _RIVALS
                ),
                sphere=1.0, help="Each with its opposite, for a line has two ends.",
            ),
            Curve(
                id="error", title="What it is good for",
                help="How far the mean of slices is from a Gauss kernel, at 300 points.",
                x=Axis("Step"), y=Axis("Mean error |F - F̂|", log=True), series=by_rival("error"),
            ),
            Curve(
                id="uneven", title="How uneven they are",
                help="What the mean distance lacks to that of the whole sphere: the squared "
                "discrepancy.",
                x=Axis("Step"), y=Axis("Distance that is missing", log=True),
                series=(
                    *by_rival("uneven"),
                    Series("uneven_random", "Random, expected", style="dotted"),
                ),
            ),
            Distribution(
                id="nearest", title="Nearest neighbours",
                help="Random directions nearly touch; spread ones keep one distance.",
                x=Axis("Angle to the nearest", "°"), series=by_rival("nearest"), bins=30,
            ),
            Bars(
                id="least", title="The nearest two", value=Axis("Angle", "°", low=0.0),
                series=by_rival("least"), help="Larger is better: no two measure the same.",
            ),
        )  # fmt: skip
