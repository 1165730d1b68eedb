"""Methods side by side in one world: each with its own counts, all on the same luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.lab.rl.dynamics import play, solve, value_of
from polyorama.lab.rl.eqo import Eqo
from polyorama.lab.rl.euler import Euler
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.mvp import Mvp
from polyorama.lab.rl.posterior import Psrl, Rlsvi
from polyorama.lab.rl.ucbvi import UcbviBf, UcbviCh
from polyorama.lab.rl.ucrl2 import Ucrl2
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.lab.rl.worlds import World

__all__ = ["METHODS", "TUNED", "Contender", "Race"]

METHODS: dict[str, type[Learner]] = {
    kind.id: kind for kind in (Eqo, UcbviBf, Mvp, UcbviCh, Ucrl2, Euler, Psrl, Rlsvi)
}

TUNED = {
    "ucbvi-bf": 1e-4, "mvp": 1e-5, "ucbvi-ch": 1e-5, "ucrl2": 1e-3, "euler": 1e-4, "psrl": 1.0,
    "rlsvi": 1e-4,
}  # fmt: skip
"""Factors on the theory's bonus, or noise, that do well on RiverSwim with S = 20 and H = 80: the
best power of ten, but the next larger one where the best was at the edge of learning nothing."""

_BLOCK = 64
"""Episodes for which luck is drawn at once."""


class Contender:
    """A method, what it met, and how it fares.

    Attributes
    ----------
    regret
        Sum of V* - V^pi at the start over the episodes played, exact.
    lag
        V* - V^pi of the newest plan.
    plans
        Plans made. Where a method found nothing to do, there is no plan.
    path
        States of the episode so far, (H + 1,); after it, of the whole.
    """

    def __init__(self, learner: Learner, world: World) -> None:
        self.learner = learner
        self.regret = 0.0
        self.lag = 0.0
        self.plans = 0
        self.path = np.full(world.horizon + 1, world.start, np.int64)

    @property
    def model(self) -> Model:
        """Its counts."""
        return self.learner.model

    @property
    def work(self) -> float:
        """Multiplications of a chance with a value so far, as the papers write them: over all S."""
        task = self.learner.task
        each = self.learner.passes * task.horizon * task.states**2 * task.actions
        return float(self.plans) * each


class Race:
    """Methods that play the same world.

    Parameters
    ----------
    world
        Where.
    methods
        Ids of `METHODS`.
    seed
        Of everything. All methods meet the same luck: the same step of the same episode draws the
        same number for each.
    episodes, delta
        What the methods are told.
    dense
        Whether their tables of chances are dense.
    coins
        Whether rewards are coins of 0 and 1 with the world's rewards as their mean.
    settings
        Called with each method before it plans.
    name
        Of the luck; another name, another run.

    Attributes
    ----------
    episode
        Episodes that are finished.
    step
        Steps into the present episode.
    best
        V*, (H + 1, S).
    """

    def __init__(
        self,
        world: World,
        methods: tuple[str, ...],
        seed: int,
        episodes: int,
        delta: float = 0.05,
        *,
        dense: bool = False,
        coins: bool = False,
        settings: Callable[[Learner], None] | None = None,
        name: int = 0,
    ) -> None:
        self.world, self.coins = world, coins
        self.task = Task(world.states, world.actions, world.horizon, episodes, delta)
        self.episode = self.step = 0
        self.best: Floats = np.zeros((world.horizon + 1, world.states))
        self._laws = (world.rewards, world.chances, world.successors)
        solve(*self._laws, self.best, np.zeros((world.horizon, world.states), np.int32))
        self._settings = settings
        self._luck = stream(seed, "world", name)
        self._drawn: Floats = np.empty((0, world.horizon, 2))
        self.contenders: dict[str, Contender] = {}
        for method in methods:
            luck = stream(seed, "own", method, name)
            learner = METHODS[method](self.task, Model(world, dense), luck)
            self.contenders[method] = Contender(learner, world)
        self.plan()

    @property
    def target(self) -> float:
        """V* at the start of an episode."""
        return float(self.best[0, self.world.start])

    def run(self, steps: int) -> int:
        """Go on by up to `steps` steps of the world; returns how many were left to do."""
        done = 0
        while done < steps and self.episode < self.task.episodes:
            if self.step == 0 and self.episode % _BLOCK == 0:
                self._drawn = self._luck.random((_BLOCK, self.task.horizon, 2))
            luck = self._drawn[self.episode % _BLOCK]
            last = min(self.step + steps - done, self.task.horizon)
            for contender in self.contenders.values():
                self._play(contender, luck, last)
            done += last - self.step
            self.step = last
            if last == self.task.horizon:
                self._finish()
        return done

    def _play(self, contender: Contender, luck: Floats, last: int) -> None:
        if self.step == 0:
            contender.path[0] = self.world.start
        model = contender.model
        play(
            *self._laws, self.coins, luck, contender.learner.policy, self.step, last,
            contender.path, model.visits, model.reward_sums, model.reward_squares,
            model.met, model.met_successors,
        )  # fmt: skip

    def _finish(self) -> None:
        self.step = 0
        self.episode += 1
        for contender in self.contenders.values():
            contender.regret += contender.lag
        if self.episode < self.task.episodes:
            self.plan()

    def plan(self) -> None:
        """Plan the episode that comes next; again, if settings were changed before it began."""
        for contender in self.contenders.values():
            learner = contender.learner
            if self._settings is not None:
                self._settings(learner)
            planned = learner.plan(self.episode + 1)
            contender.plans += planned
            if planned:
                earned = value_of(*self._laws, learner.policy, self.world.start)
                # Rounding may put the best policy a little above itself.
                contender.lag = max(self.target - float(earned), 0.0)
