"""An experiment of your own in one file: a thousand walkers, and how far they get."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import polyorama as po
from polyorama.core.params import number, whole
from polyorama.lab.claims import Claim, Figure
from polyorama.lab.experiment import Experiment, ExperimentParams
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream
from polyorama.lab.views import Axis, Curve, Dots, Points, Series
from polyorama.verbs.lab import run_job


@dataclass(frozen=True)
class WalkParams(ExperimentParams):
    walkers: int = whole(1000, 1, 100_000, help="how many walk")
    stride: float = number(1.0, 0.0, 10.0, unit="m", help="length of a step", live=True)


class Walk(Experiment):
    id, title = "talks/my-walk", "A walk in the plane"
    summary = "After n steps in random directions, walkers are about the root of n away."
    Params = WalkParams

    def begin(self, seed):
        self.luck = stream(seed, "directions")
        self.places = np.zeros((self.params.walkers, 2))
        self.square = 0.0  # what theory expects the mean square to be

    def advance(self, count):
        for _ in range(count):
            angle = self.luck.uniform(0.0, 2.0 * np.pi, self.params.walkers)
            self.places += self.params.stride * np.stack([np.cos(angle), np.sin(angle)], axis=1)
            self.square += self.params.stride**2  # each by itself: else rounding tells
        return count

    def observe(self):
        far = np.sqrt(np.mean(np.sum(self.places**2, axis=1)))
        values = {"places": self.places, "far": far, "theory": np.sqrt(self.square)}
        return Snapshot(self.steps, values)

    def views(self):
        series = (Series("far", "measured"), Series("theory", "root of n", style="dashed"))
        x, y = Axis("East", unit="m"), Axis("North", unit="m")
        return (
            Points(id="places", title="Walkers", x=x, y=y, layers=(Dots("places", size=3.0),)),
            Curve(id="far", title="Distance", x=Axis("Step"), y=Axis("Far", "m"), series=series),
        )

    @classmethod
    def claims(cls):
        return (Claim("root", "The mean square is n, to 4 sigma; seed 1.", measured),)


def measured():
    walk = yield from run_job(Walk(WalkParams(walkers=10_000)), seed=1, steps=400)
    return (Figure("Mean square / n", walk.columns["far"][-1] ** 2 / 400, 0.96, 1.04),)


# polyorama lab run 05_my_walk.py:Walk -o walk; polyorama lab claims 05_my_walk.py:Walk
if __name__ == "__main__":
    walk = po.run_experiment(Walk(), seed=1, steps=300)
    for name in ("walk.csv", "walk.png"):
        walk.export(Path(*sys.argv[1:2]) / name)
