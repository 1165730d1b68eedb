"""EQO at work beside seven rivals, in a river, a deep sea and mazes that a person draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.params import choice, flag, number, whole
from polyorama.errors import UsageError
from polyorama.lab.experiment import Canvas, Experiment, ExperimentParams, Paper
from polyorama.lab.rl.eqo_stage import FORMULA, PRESETS, RIVALS, views_of
from polyorama.lab.rl.worlds import (
    DEFAULT_GRID,
    GRID_KINDS,
    GRID_SHAPE,
    MAPS,
    START,
    deep_sea,
    grid,
    river_swim,
)
from polyorama.lab.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.claims import Claim
    from polyorama.lab.rl.learner import Learner
    from polyorama.lab.rl.race import Race
    from polyorama.lab.rl.worlds import World
    from polyorama.lab.snapshot import Value
    from polyorama.lab.views import View

__all__ = ["EqoExperiment", "EqoParams", "one_start"]

_MAP = "map"
_NOT_PLANNED_WITH = ("watch", "stride")


@dataclass(frozen=True)
class EqoParams(ExperimentParams):
    """Parameters of the methods and of the world."""

    world: str = choice("river", ("river", "deep-sea", *MAPS, "painted"), help="Where they learn")
    states: int = whole(
        5, 2, 60, unit="states", help="S of the river, or rows of the deep sea", soft=(2, 40),
        animated=False,
    )  # fmt: skip
    horizon: int = whole(
        20, 1, 400, unit="moves", help="H, moves in an episode; a deep sea has one a row",
        soft=(5, 160), animated=False,
    )  # fmt: skip
    episodes: int = whole(
        30_000, 1, 2_000_000, unit="episodes", help="K, which the methods are told",
        soft=(500, 50_000), animated=False,
    )  # fmt: skip
    delta: float = number(
        0.05, 1e-6, 0.5, help="δ: a guarantee may fail with this probability", soft=(0.01, 0.2)
    )
    slip: float = number(
        0.4, 0.0, 1.0, help="Chance to slide to a side on slippery ground", soft=(0.0, 1.0)
    )
    coins: bool = flag(False, help="Rewards are coins of 0 and 1 with the same means")
    constants: str = choice(
        "theory", ("theory", "tuned"), live=True,
        help="Bonuses as the theorems have them, or scaled by hand",
    )  # fmt: skip
    c: float = number(
        1.0, 0.001, 100_000.0, help="c of EQO where constants are tuned", live=True,
        soft=(0.05, 40.0),
    )  # fmt: skip
    others: float = number(
        1.0, 0.001, 1000.0, unit="times", live=True, soft=(0.1, 10.0),
        help="Factor on the tuned bonuses of the rivals (PSRL has none)",
    )  # fmt: skip
    doubling: bool = flag(
        False, live=True, help="EQO is not told K: c is that of the next power of two (Theorem 2)"
    )
    remaining: bool = flag(
        False, live=True, help="EQO's ceiling is what is left of the horizon, H - h, instead of H"
    )
    hopeful: bool = flag(
        False, live=True, help="Among actions at the ceiling the most hopeful wins, not the first"
    )
    watch: str = choice(
        "eqo", tuple(rival.id for rival in RIVALS), live=True,
        help="Whose visits, policy and hopes are drawn on the world",
    )  # fmt: skip
    over: str = choice(
        "episodes", ("episodes", "planning"),
        help="What regret is drawn over: episodes, or sums that planning took",
    )  # fmt: skip
    step: str = choice("episode", ("episode", "move"), help="What a step is")
    stride: int = whole(
        20, 1, 5000, unit="a step", help="Episodes, or moves, in a step", soft=(1, 100), live=True,
        animated=False,
    )  # fmt: skip


def one_start(kinds: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.float64]:
    """The map with one start where several were painted: one of those that were not there before.

    Parameters
    ----------
    kinds
        What was painted, as `worlds.grid` takes it.
    before
        The map until then.
    """
    starts = np.argwhere(kinds == START)
    fresh = np.argwhere((kinds == START) & (before != START))
    if len(starts) < 2:
        return kinds
    chosen = fresh if len(fresh) else starts
    row, column = chosen[len(chosen) // 2]
    result = kinds.copy()
    result[kinds == START] = 0.0
    result[row, column] = START
    result.setflags(write=False)
    return result


class EqoExperiment(Experiment):
    """Eight methods explore the same world, each with its own counts, all on the same luck."""

    id = "rl/eqo"
    title = "Quasi-optimism"
    summary = "Eight methods explore a river, a sea or your own maze; EQO with a bonus of c / N."
    paper = Paper(
        "Minimax Optimal Reinforcement Learning with Quasi-Optimism",
        "Lee & Oh",
        "ICLR 2025",
        "https://arxiv.org/abs/2503.00810",
    )
    caveat = (
        "EQO follows detailed reviews, not the paper's text; the rivals' bonuses are our "
        "transcriptions. It gains on UCBVI and MVP with the constants of the theorems; tuned by "
        "hand it is a tie, and on the river PSRL, which needs no constant, pays far less than EQO "
        "untuned."
    )
    Params = EqoParams
    rivals = RIVALS
    first_rivals = ("eqo", "ucbvi-bf", "mvp", "ucbvi-ch")
    presets = PRESETS
    canvases = (Canvas(_MAP, "The map", GRID_SHAPE, 0.0, len(GRID_KINDS) - 1.0, True, GRID_KINDS),)
    formula = FORMULA
    rate = 60.0

    def begin(self, seed: int) -> None:
        """Put every method at the start of the same world, with empty tables."""
        self._runs = 0
        self._episodes_before = 0
        self._nothing_before = 0.0
        self._regret_before = dict.fromkeys(self.active, 0.0)
        self._work_before = dict.fromkeys(self.active, 0.0)
        if _MAP in self.paintings:
            self.paintings[_MAP] = one_start(self.paintings[_MAP], np.zeros(GRID_SHAPE))
        self._race = self._new_race(self._new_world())

    def _new_world(self) -> World:
        params = self.params
        if params.world == "river":
            return river_swim(params.states, params.horizon)
        if params.world == "deep-sea":
            return deep_sea(params.states)
        painted = self.paintings.get(_MAP, DEFAULT_GRID)
        self._map = MAPS.get(params.world, painted)
        return grid(self._map, params.horizon, params.slip)

    def _new_race(self, world: World) -> Race:
        from polyorama.lab.rl.eqo_pictures import Scenery
        from polyorama.lab.rl.race import Race

        params = self.params
        kinds = None if params.world in ("river", "deep-sea") else self._map
        self._scenery = Scenery(world, kinds, params.world == "deep-sea")
        return Race(
            world, self.active, self.seed, params.episodes, params.delta, coins=params.coins,
            settings=self._set_up, name=self._runs,
        )  # fmt: skip

    def _set_up(self, learner: Learner) -> None:
        """Give a method the constants that are chosen now."""
        from polyorama.lab.rl.eqo import Eqo
        from polyorama.lab.rl.race import TUNED

        params = self.params
        tuned = params.constants == "tuned"
        learner.hopeful = params.hopeful
        if isinstance(learner, Eqo):
            learner.tuned = params.c if tuned else None
            learner.doubling, learner.remaining = params.doubling, params.remaining
        else:
            learner.scale = TUNED[learner.id] * params.others if tuned else 1.0

    def advance(self, count: int) -> int:
        """Play `stride` episodes or moves a step."""
        params, race = self.params, self._race
        each: int = params.stride * (race.world.horizon if params.step == "episode" else 1)
        return -(-race.run(count * each) // each)

    def changed(self, name: str) -> None:
        """Methods go on with what they know; on another map they start with empty tables."""
        if name == _MAP:
            if self.params.world == "painted":
                self._paint()
        elif name not in _NOT_PLANNED_WITH and self._race.step == 0:
            self._race.plan()

    def _paint(self) -> None:
        before = self._map
        self.paintings[_MAP] = one_start(self.paintings[_MAP], before)
        try:
            world = self._new_world()
        except UsageError:
            self.paintings[_MAP] = self._map = before
            raise
        for name, contender in self._race.contenders.items():
            self._regret_before[name] += contender.regret
            self._work_before[name] += contender.work
        self._episodes_before += self._race.episode
        self._nothing_before += self._race.episode * self._race.target
        self._runs += 1
        self._race = self._new_race(world)

    def observe(self) -> Snapshot:
        """Visits, hopes, bonuses and regrets."""
        from polyorama.lab.rl import eqo_pictures as pictures
        from polyorama.lab.rl.eqo_notes import acting_of, note_of

        race, params = self._race, self.params
        tuned = params.constants == "tuned"
        values: dict[str, Value] = {"episode": float(self._episodes_before + race.episode)}
        if not tuned:  # tuned methods stay so far below it that they would be one line
            values["nothing"] = self._nothing_before + race.episode * race.target
        for name, contender in race.contenders.items():
            values[f"regret/{name}"] = self._regret_before[name] + contender.regret
            values[f"work/{name}"] = 1e-6 * (self._work_before[name] + contender.work)
        values |= pictures.gaps(race)
        values |= pictures.bonuses(race)
        watched = race.contenders.get(params.watch) or next(iter(race.contenders.values()))
        values |= self._scenery.picture(race, watched)
        done = race.episode >= race.task.episodes
        return Snapshot(
            self.steps, values, acting_of(race), note_of(race, tuned, done), done
        )  # fmt: skip

    def views(self) -> tuple[View, ...]:
        """The pictures; those of a river, of a sea or of a map."""
        params = self.params
        return views_of(params.world, params.states, self.active, params.over)

    @classmethod
    def claims(cls) -> tuple[Claim, ...]:
        """What the paper says and what the reference measured."""
        from polyorama.lab.rl.eqo_claims import CLAIMS

        return CLAIMS
