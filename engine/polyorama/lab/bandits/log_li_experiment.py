"""Log-Li at work beside six rivals that remember more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.params import choice, number, whole
from polyorama.lab.bandits.log_li_stage import FORMULA, PRESETS, RIVALS, views_of
from polyorama.lab.bandits.surfaces import GARDEN, PAINTED_SIDE, Surface, painted, smoothed
from polyorama.lab.experiment import Canvas, Experiment, ExperimentParams, Paper
from polyorama.lab.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.bandits.log_li import LogLi
    from polyorama.lab.bandits.policy import Game, Policy
    from polyorama.lab.claims import Claim
    from polyorama.lab.snapshot import Value
    from polyorama.lab.views import View

__all__ = ["LogLiExperiment", "LogLiParams", "first_painting"]

_WALKERS = ("log-li", "log-li-commit")
_FIELD_SIDE, _LINE_POINTS = 96, 257
_MOST_SHOWN = 3000
_GREY = 0.55


@dataclass(frozen=True)
class LogLiParams(ExperimentParams):
    """Parameters of Log-Li and of the bandit."""

    surface: str = choice(
        "tent", (*GARDEN, "painted"), help="Mean reward over the interval or the square"
    )
    smoothing: float = number(
        0.06, 0.0, 0.3, unit="of the side", help="Width of the Gaussian that a painting is seen "
        "through: edges of a picture are too steep to be searched", live=True, soft=(0.0, 0.2),
    )  # fmt: skip
    horizon: int = whole(
        80_000, 100, 1_000_000, unit="pulls", help="T, which the players know",
        soft=(1000, 320_000), animated=False,
    )  # fmt: skip
    sigma: float = number(
        0.1, 0.0, 0.5, help="Standard deviation of a reward, which the players know", live=True,
        soft=(0.0, 0.5),
    )  # fmt: skip
    trust: float = number(
        1.0, 0.1, 4.0, unit="of the true L", help="Lipschitz constant that the players are told",
        live=True, soft=(0.1, 4.0),
    )  # fmt: skip
    pulls: float = number(
        0.03, 0.003, 1.0, help="c: a cube of edge r is pulled c ln T / r² times", live=True,
        soft=(0.003, 0.3),
    )  # fmt: skip
    width: float = number(
        2.0, 0.1, 16.0, help="κ: squared confidence widths are κσ² ln T / n", live=True,
        soft=(0.5, 8.0),
    )  # fmt: skip
    rewards: str = choice(
        "batch", ("batch", "pull"),
        help="Whether the pulls of a cube are drawn at once, of the same law, or one by one",
    )  # fmt: skip
    stride: int = whole(20, 1, 1000, unit="pulls", help="Pulls in a step", animated=False)
    watch: str = choice(
        "a-blin", ("a-blin", "zooming", "hoo", "uniform-ucb1", "thompson"),
        help="Whose memory is shown on the square", live=True,
    )  # fmt: skip


def first_painting() -> NDArray[np.float64]:
    """(64, 64) three smooth hills, what the canvas holds until somebody paints."""
    y, x = (np.mgrid[0:PAINTED_SIDE, 0:PAINTED_SIDE] + 0.5) / PAINTED_SIDE
    hills = ((0.72, 0.68, 0.17, 0.62), (0.25, 0.3, 0.2, 0.5), (0.2, 0.82, 0.12, 0.35))
    values = np.full(x.shape, 0.2)
    for left, bottom, size, height in hills:
        values += height * np.exp(-((x - left) ** 2 + (y - bottom) ** 2) / (2.0 * size**2))
    return np.clip(values, 0.0, 1.0)


class LogLiExperiment(Experiment):
    """Seven players at one bandit, pull by pull."""

    id = "bandits/log-li"
    title = "Lipschitz bandits in logarithmic space"
    summary = "Log-Li finds the best place of a landscape in about 160 bits of memory."
    paper = Paper(
        "Lipschitz Bandits in Optimal Space",
        "Zhu & Huang",
        "ICLR 2025",
        "https://openreview.net/forum?id=i7k2sXSW1b",
    )
    caveat = (
        "A reconstruction: the paper's algorithm text and constants are not public. Log-Li is not "
        "better than zooming, whose regret is lower; what it saves is memory."
    )
    Params = LogLiParams
    rivals = RIVALS
    first_rivals = ("log-li", "log-li-commit", "a-blin", "zooming", "uniform-ucb1")
    presets = PRESETS
    canvases = (Canvas("surface", "Mean reward", (PAINTED_SIDE, PAINTED_SIDE)),)
    formula = FORMULA
    rate = 60.0

    def begin(self, seed: int) -> None:
        """Put every player at the start of the same game."""
        from polyorama.lab.bandits.rivals import POLICIES

        self._surface = self._chosen_surface()
        game = self._game(seed)
        self._policies: dict[str, Policy] = {name: POLICIES[name](game) for name in self.active}
        self._time = 0
        self._draw_surface()

    def _chosen_surface(self) -> Surface:
        if self.params.surface != "painted":
            return GARDEN[self.params.surface]
        painting = self.paintings.get("surface", first_painting())
        return painted(smoothed(painting, self.params.smoothing))

    def _game(self, seed: int) -> Game:
        from polyorama.lab.bandits.policy import Game

        params = self.params
        return Game(
            self._surface, params.horizon, params.sigma, params.trust * self._surface.lipschitz,
            params.pulls, params.width, params.rewards == "pull", seed,
        )  # fmt: skip

    def advance(self, count: int) -> int:
        """Pull `stride` times a step, every player."""
        stride: int = self.params.stride
        until = min(int(self.params.horizon), self._time + count * stride)
        for policy in self._policies.values():
            policy.play(until)
        done = math.ceil((until - self._time) / stride)
        self._time = until
        return done

    def changed(self, name: str) -> None:
        """Players go on with what they know under the new numbers or the new painting."""
        of_painting = name in ("surface", "smoothing")
        if name == "watch" or (of_painting and self.params.surface != "painted"):
            return
        self._surface = self._chosen_surface()
        game = self._game(self.seed)
        for policy in self._policies.values():
            policy.meet(game)
        self._draw_surface()

    @property
    def _walker(self) -> LogLi | None:
        """The Log-Li that is watched."""
        from polyorama.lab.bandits.log_li import LogLi

        for name in _WALKERS:
            policy = self._policies.get(name)
            if isinstance(policy, LogLi):
                return policy
        return None

    def _draw_surface(self) -> None:
        surface = self._surface
        if surface.dimension == 1:
            x = np.linspace(0.0, 1.0, _LINE_POINTS)
            line = np.stack([x, surface.means(x[:, None])], axis=1)
            shown: NDArray[np.float64] = np.stack([line[:-1], line[1:]], axis=1)
            means = line[:, 1]
        else:
            middle = (np.arange(_FIELD_SIDE) + 0.5) / _FIELD_SIDE
            x, y = np.meshgrid(middle, middle)
            means = surface.means(np.stack([x.ravel(), y.ravel()], axis=1))
            shown = means.reshape(x.shape)
        shown.setflags(write=False)
        self._drawing = shown
        self._chance_gap = float(surface.best - means.mean())

    def observe(self) -> Snapshot:
        """The walk, what the others remember, regrets and bits."""
        from polyorama.lab.bandits import log_li_pictures as pictures
        from polyorama.lab.bandits.log_li_notes import acting_of, note_of

        values: dict[str, Value] = {"surface": self._drawing, "pulls": float(self._time)}
        if self._surface.dimension == 1:
            values["surface_color"] = np.full((len(self._drawing), 3), _GREY)
        for name, policy in self._policies.items():
            values[f"regret/{name}"] = policy.regret
            values[f"bits/{name}"] = float(policy.state_bits)
        self._add_guides(values)
        walker = self._walker
        if walker is not None:
            values |= pictures.cubes(walker)
            values |= pictures.confidence(walker)
            if self._surface.dimension == 1:
                values |= pictures.tree(walker)
            self._add_arms(values, walker)
            if self.params.rewards == "pull":
                values["registers"] = pictures.register_bits(walker)
        if self.params.rewards == "batch":
            self._add_remembered(values)
        done = self._time >= self.params.horizon
        return Snapshot(
            self.steps, values, acting_of(walker),
            note_of(self._policies, walker, self.params.trust, done), done,
        )  # fmt: skip

    def _add_guides(self, values: dict[str, Value]) -> None:
        """Lines of no measurement: the exponent of the theory, and pulls at random."""
        values["regret_chance"] = self._chance_gap * self._time
        zooming = self._surface.zooming_dimension
        if math.isnan(zooming):
            return
        first = self._first_pruning()
        if self._time >= first:
            exponent = (zooming + 1.0) / (zooming + 2.0)
            scale = self._chance_gap * first ** (1.0 - exponent)
            values["regret_slope"] = scale * self._time**exponent

    def _first_pruning(self) -> float:
        """About the pull at which Log-Li can leave the regret of pulls at random.

        Cubes that are as bad as the average are pruned at the depth j where 2 (w + D), which halves
        from depth to depth, is as small as their gap; before that all cubes are walked, and rounds
        b <= j cost c ln T sum_b sum_{i <= b} 2^((d + 2) i), about c ln T q^j (q / (q - 1))^2 for
        q = 2^(d + 2).
        """
        game = next(iter(self._policies.values())).game
        dimension = self._surface.dimension
        unsure = 2.0 * math.sqrt(game.width / game.pulls) * game.sigma
        unsure += self._surface.lipschitz * math.sqrt(dimension)
        depth = max(1.0, math.log2(unsure / self._chance_gap))
        growth = math.pow(2.0, dimension + 2)
        walked = math.pow(growth, depth) * (growth / (growth - 1.0)) ** 2
        return game.pulls * game.log_horizon * walked

    def _add_arms(self, values: dict[str, Value], walker: LogLi) -> None:
        for key, place, line in walker.marks():
            height = place[1] if len(place) > 1 else line
            values[key] = np.array([[place[0], height]])
            if key == "reference" and len(place) == 1:
                values["line"] = np.array([[[0.0, line], [1.0, line]]])

    def _add_remembered(self, values: dict[str, Value]) -> None:
        from polyorama.lab.bandits.a_blin import ABlin
        from polyorama.lab.bandits.grid import GridPolicy
        from polyorama.lab.bandits.hoo import Hoo
        from polyorama.lab.bandits.log_li import LogLi
        from polyorama.lab.bandits.log_li_pictures import remembered_boxes
        from polyorama.lab.bandits.zooming import Zooming

        plane = self._surface.dimension > 1
        for row, (name, policy) in enumerate(self._policies.items()):
            if plane and name != self.params.watch:
                continue
            if isinstance(policy, ABlin | Hoo):
                boxes = policy.cubes if isinstance(policy, ABlin) else policy.leaves(_MOST_SHOWN)
                values[f"boxes/{name}"] = remembered_boxes(boxes, float(row))
                continue
            if isinstance(policy, Zooming | GridPolicy):
                arms: Any = policy.arms
            elif isinstance(policy, LogLi) and name == "log-li":
                arms = np.array([place for _, place, _ in policy.marks()] + [policy.arm])
            else:
                continue
            values[f"arms/{name}"] = (
                arms[:, :2] if plane else np.column_stack([arms, np.full(len(arms), float(row))])
            )

    def views(self) -> tuple[View, ...]:
        """The pictures; those of the square or of the interval."""
        name = self.params.surface
        surface = GARDEN.get(name) or replace(painted(first_painting()), best=1.0)
        return views_of(surface, self.params.rewards == "pull", name == "painted")

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What the paper says and what the reference measured."""
        from polyorama.lab.bandits.log_li_claims import CLAIMS

        return CLAIMS
