"""UCRL2 for episodes: the most hopeful world within confidence sets, replanned by doubling.

Jaksch, Ortner and Auer, "Near-optimal Regret Bounds for Reinforcement Learning", JMLR 2010,
Figure 1, transcribed from memory. Its extended value iteration has no end in time; here it runs
over the H steps of an episode, and a new plan may begin only with an episode.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.lookahead import take_best

__all__ = ["Ucrl2"]


class Ucrl2(Learner):
    """Upper confidence reinforcement learning with extended value iteration."""

    id = "ucrl2"

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        self._counted: Floats | None = None
        self._planned_with = (self.scale, self.hopeful)
        self._steps = 1.0  # t, which the paper counts from 1

    @property
    def radius(self) -> Floats:
        """Of rewards and of chances (in L1), times sqrt(N): sqrt(3.5 l), sqrt(14 S l')."""
        task = self.task
        reward = math.log(2.0 * task.states * task.actions * self._steps / task.delta)
        chance = math.log(2.0 * task.actions * self._steps / task.delta)
        roots = np.sqrt([3.5 * reward, 14.0 * task.states * chance])
        return np.asarray(self.scale * roots)

    def plan(self, episode: int) -> bool:
        """Extended value iteration, if the count of a pair has doubled since the last."""
        # "until v_k(s, a) = max{1, N_k(s, a)}": the count of some pair has doubled.
        visits = self.model.visits
        settings = (self.scale, self.hopeful)
        if self._counted is not None and settings == self._planned_with:
            fresh = visits - self._counted
            if not (fresh >= np.maximum(1.0, self._counted)).any():
                return False
        self._counted, self._planned_with = visits.copy(), settings
        self._steps = 1.0 + (episode - 1) * self.task.horizon
        model = self.model
        model.refresh()
        _plan(
            visits, model.rewards, model.met, model.met_successors, self.radius,
            self.hopeful, self.values, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """What hope can add at most: half of the L1 distance is moved, for H more at most."""
        del variance, reward
        of_reward, of_chance = self.radius
        most = 0.5 * self.task.horizon * np.minimum(of_chance / np.sqrt(visits), 2.0)
        return np.asarray(of_reward / np.sqrt(visits) + most)


@kernel
def _plan(visits, rewards, met, successors, radius, hopeful, values, policy):
    horizon, states = policy.shape
    width, pairs = met.shape
    quality = np.empty(pairs)
    values[horizon] = 0.0
    order = np.empty((width, pairs), np.int64)
    for h in range(horizon - 1, -1, -1):
        later = values[h + 1]
        hope = 0
        for s in range(states):
            if later[s] > later[hope]:
                hope = s
        for i in range(pairs):
            n = visits[i]
            if n == 0.0:
                quality[i] = np.inf  # all that remains, by the ceiling
                continue
            # Inner maximum (Figure 2): move d / 2 of the chances to the best state ...
            count, at_hope, mean = 0, 0.0, 0.0
            for row in range(width):
                if met[row, i] == 0.0:
                    break
                state = successors[row, i]
                chance = met[row, i] / n
                mean += chance * later[state]
                if state == hope:
                    at_hope = chance
                    continue
                place = count  # sorted by insertion, the worst first
                while place > 0 and later[successors[order[place - 1, i], i]] > later[state]:
                    order[place, i] = order[place - 1, i]
                    place -= 1
                order[place, i] = row
                count += 1
            moved = min(0.5 * radius[1] / math.sqrt(n), 1.0 - at_hope)
            mean += moved * later[hope]
            # ... and take them from the worst.
            for place in range(count):
                row = order[place, i]
                taken = min(moved, met[row, i] / n)
                mean -= taken * later[successors[row, i]]
                moved -= taken
            quality[i] = min(rewards[i] + radius[0] / math.sqrt(n), 1.0) + mean
        take_best(quality, float(horizon - h), hopeful, values[h], policy[h])
