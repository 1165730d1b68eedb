"""The feature learning strength: the gamma-eta plane, every cell a network in training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.params import choice, number, whole
from polyorama.lab.experiment import Experiment, ExperimentParams, Paper
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.training.feature_stage import (
    FORMULA,
    PRESETS,
    RIVALS,
    SHOWN_STRENGTHS,
    WATCHED,
    views_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.snapshot import Value
    from polyorama.lab.training.feature_room import Room
    from polyorama.lab.views import View

__all__ = ["PAPER", "FeatureParams", "FeatureStrength", "grid_of"]

PAPER = Paper(
    "The Optimization Landscape of SGD Across the Feature Learning Strength",
    "Atanasov, Meterez, Simon & Pehlevan",
    "ICLR 2025",
    "https://arxiv.org/abs/2410.04642",
)

_GAMMAS, _ETAS = (-3, 3), (-8, 5)
"""Decades that the plane spans."""


@dataclass(frozen=True)
class FeatureParams(ExperimentParams):
    """Parameters of the plane."""

    task: str = choice(
        "teacher", ("teacher", "digits", "digits, cross-entropy"),
        help="A line and a square of random numbers, fresh each step, or handwritten digits",
    )  # fmt: skip
    width: int = whole(48, 4, 256, unit="neurons", help="N, of each hidden layer", soft=(16, 96))
    batch: int = whole(32, 1, 512, unit="examples", help="B, in a step", soft=(8, 128))
    steps: int = whole(400, 1, 10_000, unit="steps", help="T, of the run", soft=(100, 2000))
    resolution: int = whole(2, 1, 4, unit="a decade", help="Cells of the plane", soft=(1, 3))
    log_gamma: float = number(
        2.5, -3.5, 3.5, help="log10 γ of the watched network", live=True, soft=(-3.0, 3.0)
    )
    log_eta: float = number(
        1.0, -8.5, 5.5, help="log10 η of the watched network", live=True, soft=(-8.0, 5.0)
    )
    show: str = choice(
        "plane", ("plane", "network", "depths"),
        help="All strengths, the watched network, or a plane for each network that takes part",
    )  # fmt: skip
    color: str = choice(
        "loss", ("loss", "movement"), help="How far the loss fell, or how far the weights moved"
    )


def grid_of(resolution: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(G,) gammas and (E,) etas of the plane, rising, `resolution` a decade."""
    (left, right), (low, high) = _GAMMAS, _ETAS
    gammas = np.arange(left * resolution, right * resolution + 1) / resolution
    etas = np.arange(low * resolution, high * resolution + 1) / resolution
    return 10.0**gammas, 10.0**etas


class FeatureStrength(Experiment):
    """Each step is one step of SGD of every network of every plane.

    Of the shapes that take part the first is watched.
    """

    id = "training/feature-strength"
    title = "Feature learning strength"
    summary = "Hundreds of networks train at once: lazy on the left, rich on the right."
    paper = PAPER
    caveat = (
        "Small networks and few steps: where γ is large the best rate is bounded by the length of "
        "the run, so the exponent there is that of the largest rate that converged."
    )
    Params = FeatureParams
    rivals = RIVALS
    first_rivals = ("mlp-3",)
    presets = PRESETS
    formula = FORMULA
    rate = 40.0

    def begin(self, seed: int) -> None:
        """Every network of a shape at the same weights."""
        import torch

        from polyorama.lab.training.feature_room import Room

        # Small matrices: more threads cost more than they give, and one makes runs repeatable.
        torch.set_num_threads(1)
        params = self.params
        gammas, etas = grid_of(params.resolution)
        self._rooms: dict[str, Room] = {
            name: Room(
                name, params.task, params.width, params.batch, params.steps, gammas, etas, seed
            )
            for name in self.active
        }
        self._watched = self._rooms[self.active[0]]
        self._look()

    @property
    def _cell(self) -> int:
        return self._watched.cell(self.params.log_gamma, self.params.log_eta)

    def advance(self, count: int) -> int:
        """One step of SGD each."""
        watched = self._watched.plane
        count = min(count, watched.length - watched.steps)
        for _ in range(count):
            seen = len(watched.checkpoints)
            for room in self._rooms.values():
                room.plane.step()
            if len(watched.checkpoints) > seen:
                self._look()
        return count

    def changed(self, name: str) -> None:
        """Another network is watched."""
        if self.params.show == "network":
            self._watched.watch.portrait(self._cell)

    def _look(self) -> None:
        """At a checkpoint: what takes too long to be done for every picture."""
        self._features: dict[str, Any] = {}
        if self.params.show == "plane":
            self._features = self._watched.features()
        elif self.params.show == "network":
            self._watched.watch.portrait(self._cell)

    def observe(self) -> Snapshot:
        """The planes, their edges, and the losses of some networks or all of one."""
        from polyorama.lab.training.feature_notes import Watched, acting_of, note_of, note_of_depths

        params, room, cell = self.params, self._watched, self._cell
        values: dict[str, Value] = {"one": 1.0}
        found: dict[str, tuple[float, float]] = {}
        for name in self._rooms:
            found[name] = self._add_plane(values, name)
        if params.show == "plane":
            columns = {p: (p - _GAMMAS[0]) * params.resolution for p in SHOWN_STRENGTHS}
            values |= room.strengths(columns) | self._features
        elif params.show == "network":
            values |= room.network(cell)
        self._add_watched(values, cell)
        plane = room.plane
        watched = Watched(
            float(plane.gammas[cell]), float(plane.etas[cell]), room.share(cell),
            float(plane.moved[cell]),
        )  # fmt: skip
        note = (
            note_of_depths(list(self._rooms.values()), list(found.values()), self._done)
            if params.show == "depths"
            else note_of(
                watched, room, found[self.active[0]], self._done and params.show == "plane"
            )
        )
        return Snapshot(
            self.steps, values, acting_of(watched, room.edge_at(watched.gamma)), note, self._done
        )

    def _add_plane(self, values: dict[str, Value], name: str) -> tuple[float, float]:
        """Add the plane of a shape, and its exponents, which are returned; NaN is not known."""
        room, show = self._rooms[name], self.params.show
        edge = room.edge()
        exponents = room.exponents(edge)
        derived = room.lazy_power, 2.0 / room.depth
        for key, fitted, theory in zip(("lazy", "rich"), exponents, derived, strict=True):
            if math.isfinite(fitted):
                values[f"{key}/{name}"] = fitted
                values[f"{key}_ratio/{name}"] = fitted / theory
        drawn = room.edge_values(edge) | {"plane": room.colors(self.params.color == "movement")}
        if show == "depths":
            values |= {f"{key}/{name}": array for key, array in drawn.items()}
            values["strength"], values[f"edge/{name}"] = room.gammas, edge.largest
            line = room.rich_line(edge)
            if line is not None:
                rich_side = room.gammas > 0.999
                values["rich_strength"] = room.gammas[rich_side]
                values[f"edge_theory/{name}"] = line[rich_side]
        elif room is self._watched:
            values |= drawn
        return exponents

    @property
    def _done(self) -> bool:
        return self._watched.plane.steps >= self._watched.plane.length

    def _add_watched(self, values: dict[str, Value], cell: int) -> None:
        plane, half = self._watched.plane, 0.5 / self.params.resolution
        x, y = math.log10(plane.gammas[cell]), math.log10(plane.etas[cell])
        values["watched"] = np.array([[x - half, y - half, x + half, y + half]])
        values["watched_color"] = np.array([WATCHED])

    def views(self) -> tuple[View, ...]:
        """What the parameter `show` asks for."""
        params = self.params
        half = 0.5 / params.resolution
        ends = (_GAMMAS[0] - half, _GAMMAS[1] + half, _ETAS[0] - half, _ETAS[1] + half)
        return views_of(ends, params.show, self.active, params.task, params.color == "movement")

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What the paper says and what the reference measured."""
        from polyorama.lab.training.feature_claims import CLAIMS

        return CLAIMS
