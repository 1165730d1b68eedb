"""Small experiments for the tests of the lab; loaded by path, as a plug-in's file is."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polyorama.core.params import choice, flag, number, whole
from polyorama.lab.claims import Claim, Figure
from polyorama.lab.experiment import Canvas, Experiment, ExperimentParams, Rival
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream
from polyorama.lab.views import Axis, Curve, Dots, Field, Points, Series, View

if TYPE_CHECKING:
    from polyorama.core.jobs import Job


@dataclass(frozen=True)
class WalkParams(ExperimentParams):
    horizon: int = whole(400, 1, 10_000_000, unit="steps", help="length of the walk")
    drift: float = number(0.1, -1.0, 1.0, help="mean of a step", live=True)
    kind: str = choice("normal", ("normal", "coin"), help="of steps", live=True)
    held: bool = flag(False, help="stand still", live=True)


class Walk(Experiment):
    """Two walkers on the same luck over a floor that can be painted."""

    id = "samples/walk"
    title = "A walk"
    summary = "Two walkers on the same luck."
    Params = WalkParams
    rivals = (Rival("fair", "Fair"), Rival("drifting", "Drifting"))
    canvases = (Canvas("floor", "Floor", (8, 12)),)
    rate = 100.0

    def begin(self, seed: int) -> None:
        self._luck = stream(seed, "steps")
        self.place = dict.fromkeys(self.active, 0.0)
        self.trail = np.zeros((0, 2))
        self._visits = np.zeros((8, 12))

    def advance(self, count: int) -> int:
        count = min(count, self.params.horizon - self.steps)
        for _ in range(count):
            step = self._luck.normal()
            step = np.sign(step) if self.params.kind == "coin" else step
            for name in self.active:
                drift = self.params.drift if name == "drifting" else 0.0
                self.place[name] += 0.0 if self.params.held else step + drift
            y, x = divmod(int(abs(self.place[self.active[0]])) % 96, 12)
            self._visits[y, x] += 1.0 + self.paintings.get("floor", self._visits * 0)[y, x]
        return count

    def observe(self) -> Snapshot:
        values = {f"place/{name}": place for name, place in self.place.items()}
        values["visits"] = self._visits
        values["spot"] = np.array([[self.place[self.active[0]], float(self.steps)]])
        if self.steps >= 5:
            values["late"] = self.steps**0.5
        done = self.steps >= self.params.horizon
        far = max(map(abs, self.place.values()))
        return Snapshot(
            self.steps, values, {"drift": min(1.0, far / 10.0)}, "Far." if far > 5 else "", done
        )

    def views(self) -> tuple[View, ...]:
        series = tuple(Series(f"place/{r.id}", r.title, rival=r.id) for r in self.rivals)
        x, y = Axis("Column", low=0, high=12), Axis("Row", low=0, high=8)
        return (
            Curve(id="place", title="Place", x=Axis("Step"), y=Axis("Place", "m"), series=series),
            Field(id="visits", title="Visits", key="visits", x=x, y=y, canvas="floor"),
            Points(id="spot", title="Spot", x=Axis("Place"), y=Axis("Step"),
                   layers=(Dots("spot"),), equal=False),
        )  # fmt: skip

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        return (
            Claim("drift", "The drifting walker drifts; seed 1.", _measure_drift),
            Claim("back", "Nobody comes back; seed 1.", _measure_drift, shown_false="They do."),
            Claim("long", "It takes long.", _measure_drift, study=True),
            Claim("wrong", "The drift is nine; seed 1.", _measure_wrong),
        )


def _measure_drift() -> Job[tuple[Figure, ...]]:
    walk = Walk(WalkParams(drift=0.5, horizon=400))
    walk.reset(1)
    yield from ()
    place = walk.step(400).scalars["place/drifting"]
    return (Figure("Drift", place / 400, 0.35, 0.65, "m", "0.5 by construction"),)


def _measure_wrong() -> Job[tuple[Figure, ...]]:
    (figure,) = yield from _measure_drift()
    return (Figure("Drift", figure.value, 9.0),)


class Failing(Walk):
    """Raises at step 30 of odd seeds."""

    id = "samples/failing"
    rivals = ()
    canvases = ()
    at: ClassVar[int] = 30

    def begin(self, seed: int) -> None:
        self.active = ("fair",)
        super().begin(seed)

    def advance(self, count: int) -> int:
        if self.seed % 2 and self.steps + count >= self.at:
            raise ValueError("a reward is NaN")
        return super().advance(count)


FAULTS = (
    "count", "many", "still", "nothing", "step", "text", "note", "key", "complex", "exit", "begin",
    "views", "twins", "axis",
)  # fmt: skip


@dataclass(frozen=True)
class FaultyParams(ExperimentParams):
    fault: str = choice("count", FAULTS, help="what is wrong", live=True)


class Faulty(Experiment):
    """Returns rubbish, as it is told to, after step 3."""

    id = "samples/faulty"
    title = "A faulty plug-in"
    summary = "Returns rubbish."
    Params = FaultyParams

    def begin(self, seed: int) -> None:
        if self.params.fault == "begin":
            raise RuntimeError("no beginning")

    def advance(self, count: int) -> int:
        if self.steps + count <= 3:
            return count
        odd = {"count": None, "many": count + 1, "still": 0}
        if self.params.fault == "exit":
            raise SystemExit(5)
        return odd.get(self.params.fault, count)  # type: ignore[return-value]

    def observe(self) -> Snapshot:
        fault = self.params.fault if self.steps > 3 else ""
        odd = {
            "text": np.array(["a"]), "complex": np.array([1j]),
        }.get(fault, np.ones((2, 3)))  # fmt: skip
        if fault == "nothing":
            return None  # type: ignore[return-value]
        key: Any = 7 if fault == "key" else "row"
        note: Any = 3.5 if fault == "note" else ""
        step = self.steps + (fault == "step")
        return Snapshot(step, {key: odd, "far": 1.0}, note=note)

    def views(self) -> tuple[View, ...]:
        if self.params.fault == "views":
            raise KeyError("no picture")
        x, y = Axis("Column", low=0, high=3), Axis("Row", low=0, high=2)
        x = None if self.params.fault == "axis" else x
        field = Field(id="row", title="Row", key="row", x=x, y=y)
        return (field, field) if self.params.fault == "twins" else (field,)


class Odd(Walk):
    """NaN and infinite rewards, a field of one value, a column that only odd seeds have."""

    id = "samples/odd"

    def observe(self) -> Snapshot:
        seen = super().observe()
        values: dict[str, Any] = {
            **seen.values,
            "place/fair": (np.nan, np.inf, 1.0)[self.steps % 3],
        }
        values["visits"] = np.full((8, 12), np.nan if self.steps % 2 else 7.0)
        values["nothing"] = np.zeros((0, 2))
        values["time/step"] = time.perf_counter()
        if self.seed % 2:
            values["odd"] = 1.0
        return Snapshot(seen.step, values, seen.acting, seen.note, seen.done)


class Sleeping(Walk):
    """A step never ends."""

    id = "samples/sleeping"

    def advance(self, count: int) -> int:
        time.sleep(3600.0)
        return count


class Still(Walk):
    """What it shows is one array that stays, and one that does not."""

    id = "samples/still"

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._still = np.array([1.0, 2.0, 3.0])
        self._still.setflags(write=False)

    def observe(self) -> Snapshot:
        return Snapshot(self.steps, {"moving": np.array([float(self.steps)]), "still": self._still})


class Dying(Walk):
    """Its process dies."""

    id = "samples/dying"

    def advance(self, count: int) -> int:
        os._exit(7)
