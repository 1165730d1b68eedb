"""An experiment that uses every kind of view, for tests of the Lab."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polyorama.core import params
from polyorama.lab.experiment import Canvas, Experiment, ExperimentParams, Paper, Preset, Rival
from polyorama.lab.formula import Formula, Term
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream
from polyorama.lab.views import (
    Axis,
    Bars,
    Curve,
    Distribution,
    Dots,
    Ellipses,
    Field,
    Graph,
    Image,
    Points,
    Segments,
    Series,
    Splats,
    Tree,
    View,
)

__all__ = ["Every", "EveryParams"]

_SIDE = 24
_COUNT = 60


@dataclass(frozen=True)
class EveryParams(ExperimentParams):
    """Of the walk."""

    drift: float = params.number(0.2, -2.0, 2.0, unit="m/s", help="Mean of a step", soft=(-1, 1),
                                 live=True)  # fmt: skip
    noise: float = params.number(1.0, 0.0, 5.0, unit="m", help="Spread of a step", live=True)
    walkers: int = params.whole(_COUNT, 1, 400, help="How many walk")
    mirrored: bool = params.flag(False, help="Whether they walk back", live=True)
    start: str = params.choice("middle", ("middle", "spread"), help="Where they begin")


class Every(Experiment):
    """Walkers on a line and in space, seen in every way there is."""

    id = "tests/every"
    title = "A walk seen in every way"
    summary = "Walkers that drift and stray, drawn by each kind of view."
    paper = Paper("On walks", "A. Walker, B. Runner and C. Flyer", "Journal of Steps, 2020",
                  "https://example.org/walks")  # fmt: skip
    caveat = "A reconstruction: the paper does not say how long it walks."
    Params = EveryParams
    rivals = (
        Rival("plain", "Plain walk", "Steps of one spread"),
        Rival("heavy", "Heavy tails", "Steps of Student's t with 3 degrees of freedom"),
        Rival("lazy", "Lazy walk", "Stands still half of the time"),
    )
    first_rivals = ("plain", "heavy")
    presets = (
        Preset("Calm", {"noise": 0.3}, help="Little noise"),
        Preset("Wild", {"noise": 3.0, "drift": 0.0}, ("plain", "heavy", "lazy"), "Much noise"),
        Preset("Few walkers", {"walkers": 5}),
    )
    canvases = (Canvas("ground", "Ground", (_SIDE, _SIDE)),)
    formula = Formula(
        r"x_{t+1} = x_t + \term{drift}{\mu} + \term{noise}{\sigma\,\varepsilon_t}"
        r" \\\\ \varepsilon_t \sim \mathcal{N}(0, 1)",
        (Term("drift", "Mean of a step"), Term("noise", "What luck adds")),
        "Equation 1",
    )
    rate = 60.0

    def begin(self, seed: int) -> None:
        self._luck = {rival: stream(seed, "steps", rival) for rival in self.active}
        spread = 5.0 if self.params.start == "spread" else 0.0
        places = spread * stream(seed, "start").normal(size=(self.params.walkers, 3))
        self._places = {rival: places.copy() for rival in self.active}

    def advance(self, count: int) -> int:
        p = self.params
        drift = -p.drift if p.mirrored else p.drift
        for _ in range(count):
            for rival, luck in self._luck.items():
                size = self._places[rival].shape
                step = luck.standard_t(3, size) if rival == "heavy" else luck.normal(size=size)
                if rival == "lazy":
                    step *= luck.random(size) < 0.5
                self._places[rival] += 0.1 * (drift + p.noise * step)
        return count

    def observe(self) -> Snapshot:
        values = {}
        t = self.steps
        for rival, places in self._places.items():
            x = places[:, 0]
            values |= {
                f"mean/{rival}": x.mean(), f"spread/{rival}": x.std() + 1e-3,
                f"low/{rival}": x.mean() - x.std(), f"high/{rival}": x.mean() + x.std(),
                f"places/{rival}": places[:, :2], f"space/{rival}": places, f"x/{rival}": x,
                f"covariance/{rival}": np.cov(places[:, :2].T)[None] + 1e-6 * np.eye(2)
                if len(places) > 1 else np.eye(2)[None],
                f"middle/{rival}": places[:, :2].mean(axis=0)[None],
            }  # fmt: skip
        first = self._places[self.active[0]]
        grid = np.linspace(-3, 3, _SIDE)
        ground = self.paintings.get("ground", np.zeros((_SIDE, _SIDE)))
        values["field"] = 0.5 + 0.5 * np.sin(grid[:, None] * grid + 0.05 * t) * (1 - ground)
        values["field"] = np.maximum(values["field"], ground)
        angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
        values["nodes"] = np.stack([np.cos(angles), np.sin(angles)], 1)
        values["edges"] = np.stack([np.arange(12), (np.arange(12) * 5 + 3) % 12], 1)
        values["heat"] = 0.5 + 0.5 * np.cos(angles + 0.1 * t)
        values["parents"] = np.array([-1, 0, 0, 1, 1, 2, 2])
        values["shares"] = np.array([1.0, 0.6, 0.4, 0.5, 0.5, 0.3, 0.7])
        values["state"] = np.array([1, 2, 1, 0, 1, 3, 0])
        values["matrices"] = np.sin(np.arange(2 * 64).reshape(2, 8, 8) / 9.0 + 0.1 * t)
        values["colors"] = np.full((len(first), 3), (0.4, 0.7, 1.0))
        values["limit"] = 2.0
        acting = {"drift": 0.5 + 0.5 * np.sin(0.1 * t), "noise": 0.5 + 0.5 * np.cos(0.1 * t)}
        note = f"After {t:,} steps the mean is {first[:, 0].mean():.2f} m."
        return Snapshot(t, values, acting, note, done=t >= 100_000)

    def views(self) -> tuple[View, ...]:
        own = self.active
        lines = tuple(
            Series(f"mean/{r}", self._title(r), low=f"low/{r}", high=f"high/{r}", rival=r)
            for r in own
        )
        return (
            Curve(id="mean", title="Mean place", help="Whether it drifts", x=Axis("Step"),
                  y=Axis("Mean", "m"), series=lines, span=2),
            Field(id="ground", title="Ground", key="field", x=Axis("x", "m", low=-3, high=3),
                  y=Axis("y", "m", low=-3, high=3), value=Axis("Height", low=0, high=1),
                  canvas="ground", pick=("drift", "noise")),
            Points(id="places", title="Places", x=Axis("x", "m"), y=Axis("y", "m"),
                   layers=tuple(Dots(f"places/{r}", self._title(r), rival=r) for r in own)
                   + tuple(Ellipses(f"middle/{r}", f"covariance/{r}", rival=r) for r in own)),
            Bars(id="spread", title="Spread", value=Axis("Deviation", "m"),
                 series=tuple(Series(f"spread/{r}", self._title(r), rival=r) for r in own),
                 limit="limit"),
            Distribution(id="spread-of", title="Where they are", x=Axis("x", "m"),
                         series=tuple(Series(f"x/{r}", self._title(r), rival=r) for r in own)),
            Points(id="space", title="In space", x=Axis("x", "m"), y=Axis("y", "m"),
                   z=Axis("z", "m"),
                   layers=tuple(Dots(f"space/{r}", self._title(r), rival=r) for r in own)),
        )  # fmt: skip

    def _title(self, rival: str) -> str:
        return next(r.title for r in self.rivals if r.id == rival)


class EveryOther(Every):
    """The same with the other kinds of views."""

    id = "tests/every-other"
    title = "The walk in the other ways"
    paper = None
    caveat = ""
    formula = None
    presets = ()

    def views(self) -> tuple[View, ...]:
        return (
            Graph(id="graph", title="Graph", nodes="nodes", edges="edges", value="heat"),
            Tree(id="tree", title="Tree", parents="parents", shares="shares", state="state"),
            Image(id="matrices", title="Matrices", key="matrices", labels=("First", "Second"),
                  colormap="diverging"),
            Splats(id="splats", title="Splats", means=f"space/{self.active[0]}", colors="colors",
                   radius=0.1, eye=(4.0, 4.0, 20.0), target=(4.0, 4.0, 4.0)),
            Points(id="paths", title="Paths", x=Axis("x", "m"), y=Axis("y", "m"),
                   layers=(Segments("nothing"),)),
        )  # fmt: skip
