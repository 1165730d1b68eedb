"""Twenty thousand particles flow from one picture or object into another, live."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.params import choice, number, whole
from polyorama.lab.experiment import Canvas, Experiment, ExperimentParams
from polyorama.lab.inference.flow_shapes import PAINTED_SIDE, SHAPES, Cloud, of_painting, shape
from polyorama.lab.inference.flow_stage import FORMULA, PRESETS, RIVALS, views_of
from polyorama.lab.inference.slicing_kernels import Spectral, kernel_named
from polyorama.lab.inference.slicing_stage import PAPER
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.inference.flow import Flow
    from polyorama.lab.inference.slicing_kernels import AnyKernel
    from polyorama.lab.snapshot import Value
    from polyorama.lab.views import View

__all__ = ["FlowExperiment", "FlowParams", "first_target"]

_PLACES = 3
_GOAL_SHOWN, _SORTED_SHOWN = 6000, 400
_SMOOTH = 0.25
"""Weight of the latest slices in the distance that is told."""
_TITLES = {rival.id: rival.title for rival in RIVALS}


@dataclass(frozen=True)
class FlowParams(ExperimentParams):
    """Parameters of the flow."""

    source: str = choice("galaxy", SHAPES, help="Where the particles begin")
    target: str = choice(
        "butterfly", (*SHAPES, "painted"), help="Where they go; pictures lie flat", live=True
    )
    count: int = whole(
        20_000, 100, 100_000, unit="particles", help="N, of the flow and of the target alike",
        animated=False,
    )  # fmt: skip
    slices: int = whole(
        6, 1, 64, unit="slices", help="P, fresh directions at every step", soft=(1, 16), live=True,
        animated=False,
    )  # fmt: skip
    step: float = number(
        0.12, 0.001, 1.0, help="Length of the first steps, in units of the gradient",
        soft=(0.02, 0.4), live=True,
    )  # fmt: skip
    momentum: float = number(
        0.8, 0.0, 0.99, help="Share of its velocity that a particle keeps", live=True
    )
    settle: float = number(
        400.0, 1.0, 100_000.0, unit="steps", help="After so many steps they are half as long",
        soft=(20.0, 1000.0), live=True,
    )  # fmt: skip
    color: float = number(
        0.8, 0.05, 2.0, help="Length of a colour channel beside the places, from -1 to 1"
    )
    width: float = number(
        0.5, 0.05, 4.0, help="Scale of the Gauss and Laplace kernels", soft=(0.05, 2.0), live=True
    )
    steps: int = whole(2000, 1, 1_000_000, unit="steps", help="Length of the run", animated=False)
    watch: str = choice("energy", tuple(_TITLES), help="Whose particles are shown", live=True)


def first_target() -> NDArray[np.float64]:
    """(64, 64) what the canvas holds until somebody paints: two rings, linked."""
    y, x = 2.0 * (np.mgrid[0:PAINTED_SIDE, 0:PAINTED_SIDE] + 0.5) / PAINTED_SIDE - 1.0
    rings = [np.exp(-(((np.hypot(x - c, y) - 0.48) / 0.09) ** 2)) for c in (-0.32, 0.32)]
    values: NDArray[np.float64] = np.maximum(*rings)
    return np.where(values > 0.05, values, 0.0)


class FlowExperiment(Experiment):
    """One cloud flows towards another, down their distance."""

    id = "inference/mmd-flow"
    title = "Particles that flow into pictures"
    summary = "Twenty thousand grains of one picture flow into another, by sorting a few slices."
    paper = PAPER
    caveat = (
        "The flow is a use of the method, not an experiment of the paper: no number of it is "
        "compared with one that was published."
    )
    Params = FlowParams
    rivals = RIVALS
    first_rivals = ("energy",)
    presets = PRESETS
    canvases = (Canvas("painting", "Density", (PAINTED_SIDE, PAINTED_SIDE)),)
    formula = FORMULA
    rate = 40.0

    def begin(self, seed: int) -> None:
        """Put the particles of every rival on the same places."""
        from polyorama.lab.inference.flow import Flow

        start = shape(self.params.source, self.params.count, stream(seed, "source"))
        self._keep_painting()
        self._aim()
        self._flows: dict[str, Flow] = {
            name: Flow(self._kernel(name), self._state_of(start)) for name in self.active
        }
        self._distances: dict[str, float] = {}
        self._first: dict[str, float] = {}
        self._since = 0
        self._line = np.zeros(0)

    def _kernel(self, name: str) -> AnyKernel:
        return kernel_named(name, self.params.width)

    def _keep_painting(self) -> None:
        """What is shown of the canvas stays the same object while nobody paints."""
        self._shown_painting = self._painted.astype(np.float32)
        self._shown_painting.setflags(write=False)

    def _aim(self) -> None:
        """Draw the points of the target."""
        random = stream(self.seed, "target", self.params.target)
        if self.params.target == "painted":
            self._goal = of_painting(self._painted, self.params.count, random)
        else:
            self._goal = shape(self.params.target, self.params.count, random)
        self._goal_state = self._state_of(self._goal)
        self._goal_places = self._goal.places[:_GOAL_SHOWN].astype(np.float16)
        self._goal_colors = self._goal.colors[:_GOAL_SHOWN].astype(np.float16)
        for array in (self._goal_places, self._goal_colors):
            array.setflags(write=False)

    @property
    def _painted(self) -> NDArray[np.float64]:
        return self.paintings.get("painting", first_target())

    @property
    def _blank(self) -> bool:
        return self.params.target == "painted" and not self._painted.any()

    def _state_of(self, cloud: Cloud) -> NDArray[np.float64]:
        """(N, 6): places, and colours times their length."""
        return np.concatenate([cloud.places, self.params.color * cloud.colors], axis=1)

    def advance(self, count: int) -> int:
        """One step of every flow, down the same fresh slices."""
        from polyorama.lab.inference.directions import directions

        count = min(count, self.params.steps - self.steps)
        for step in range(self.steps, self.steps + count):
            length = self.params.step / (1.0 + self._since / self.params.settle)
            axes = self._axes()
            random = stream(self.seed, "slices", step)
            xi = directions("orthogonal", len(axes), self.params.slices, random)
            for name, flow in self._flows.items():
                # Gradients of a kernel of this width are about 1 / width.
                unit = self.params.width if isinstance(flow.kernel, Spectral) else 1.0
                flow.step(self._goal_state, xi, length * unit, self.params.momentum, axes)
                self._measure(name, flow.distance)
            self._since += 1
            self._line = np.zeros(2 * _PLACES)
            self._line[list(axes)] = xi[0]
        return count

    def _axes(self) -> tuple[int, ...]:
        """Coordinates in which anything may move: without depth while all lies in the plane."""
        clouds = [self._goal_state, *(flow.particles for flow in self._flows.values())]
        flat = not any(cloud[:, _PLACES - 1].any() for cloud in clouds)
        return tuple(j for j in range(2 * _PLACES) if not (flat and j == _PLACES - 1))

    def _measure(self, name: str, distance: float) -> None:
        before = self._distances.get(name, distance)
        self._distances[name] = before + _SMOOTH * (distance - before)
        self._first.setdefault(name, distance)

    def changed(self, name: str) -> None:
        """Particles go on from where they are, with long steps again where the target moved."""
        if name == "painting":
            self._keep_painting()
        if name == "width":
            for rival, flow in self._flows.items():
                flow.kernel = self._kernel(rival)
        elif name == "target" or (name == "painting" and self.params.target == "painted"):
            if self._blank:  # a canvas that was wiped is about to be painted
                return
            self._aim()
            self._since = 0
            self._first.clear()
            self._distances.clear()

    def observe(self) -> Snapshot:
        """The particles that are watched, how far each flow is, and one slice."""
        values: dict[str, Value] = {
            "painting": self._shown_painting,
            "goal_places": self._goal_places,
            "goal_colors": self._goal_colors,
        }
        for name, distance in self._distances.items():
            values[f"distance/{name}"] = max(distance, 0.0)
        flow = self._flows.get(self.params.watch)
        if flow is not None:
            colors = np.clip(flow.particles[:, _PLACES:] / self.params.color, 0.0, 1.0)
            values["places"] = flow.particles[:, :_PLACES].astype(np.float16)
            values["colors"] = colors.astype(np.float16)
            if len(self._line):
                for key, cloud in (("particles", flow.particles), ("goal", self._goal_state)):
                    values[f"{key}_sorted"], values[f"{key}_below"] = _below(cloud @ self._line)
        done = self.steps >= self.params.steps
        return Snapshot(self.steps, values, self._acting(), self._note(done), done)

    @property
    def _left(self) -> float:
        """How much of the way is left for the watched flow, by orders of magnitude, 0..1."""
        first, now = (each.get(self.params.watch, 0.0) for each in (self._first, self._distances))
        if first <= 0.0:
            return 1.0
        return min(max(1.0 + math.log10(max(now / first, 1e-3)) / 3.0, 0.0), 1.0)

    def _acting(self) -> dict[str, float]:
        if not self._distances:
            return {}
        return {"attract": 0.3 + 0.7 * self._left, "repel": 1.0 - 0.7 * self._left, "slices": 0.8}

    def _note(self, done: bool) -> str:
        name = self.params.watch
        if name not in self._flows:
            return f"{_TITLES[name]} does not take part; switch it on, or watch another one."
        if self._blank:
            return "Nothing is painted yet; until then the particles keep to where they were going."
        if not self._distances:
            return f"{self.params.count:,} particles are drawn to {self._target_words}."
        now, first = self._distances[name], self._first[name]
        if done:
            return f"{self.steps:,} steps are done; the energy distance is {max(now, 0.0):.2g}."
        if self._since < 10 or (now > first / 2.0 and self._since <= 100):
            reaches = not isinstance(self._flows[name].kernel, Spectral)
            far = "; far ones feel it as well" if reaches else ""
            return f"The particles set out for {self._target_words}{far}."
        slices = "slice sorts" if self.params.slices == 1 else "slices sort"
        if now > first / 2.0:
            return f"{_TITLES[name]} hardly feels the target: the distance is still {now:.2g}."
        return (
            f"{self.params.slices} fresh {slices} {2 * self.params.count:,} points a step, for "
            f"{2 * self.params.count**2:,} pairs; {100.0 * now / first:.2g} % of the distance is "
            f"left."
        )

    @property
    def _target_words(self) -> str:
        return "the painting" if self.params.target == "painted" else f"the {self.params.target}"

    def views(self) -> tuple[View, ...]:
        """The pictures."""
        return views_of()

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What is expected of sliced flows."""
        from polyorama.lab.inference.flow_claims import CLAIMS

        return CLAIMS


def _below(places: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Places in rising order, thinned, and the share of all that lies below each."""
    rising = np.sort(places)
    shown = np.unique(np.linspace(0, len(rising) - 1, _SORTED_SHOWN).astype(np.intp))
    share = (shown + 0.5) / len(rising)
    return rising[shown].astype(np.float32), share.astype(np.float32)
