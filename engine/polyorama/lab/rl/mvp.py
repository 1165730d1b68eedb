"""MVP: monotonic value propagation.

Zhang, Ji and Du, "Is Reinforcement Learning More Difficult Than Bandits? A Near-optimal Algorithm
Escaping the Curse of Horizon", COLT 2021, Algorithm 1, transcribed from memory. The paper's
values lie in 0..1; for values in 0..H its last two terms are scaled by sqrt(H) and H. The paper
plans only when the count of a pair reaches a power of two; here it plans before every episode, as
the other methods do, which learns sooner but costs many more plans.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.lookahead import expect_moments, take_best

__all__ = ["Mvp"]

_VARIANCE = 460.0 / 9.0
_REWARD = 2.0 * math.sqrt(2.0)
_LEAST = 544.0 / 9.0


class Mvp(Learner):
    """Monotonic value propagation.

    Attributes
    ----------
    log
        Its logarithm, iota = ln(2 S A H^2 K / delta).
    """

    id = "mvp"
    passes = 2

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        sizes = task.states * task.actions * task.horizon**2 * task.episodes
        self.log = math.log(2.0 * sizes / task.delta)

    def plan(self, episode: int) -> bool:
        """Value iteration with the bonus of three terms."""
        del episode
        model = self.model
        model.refresh()
        _plan(
            model.visits, model.rewards, model.chances, model.successors, self.log, self.scale,
            self.hopeful, self.values, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """Its three terms."""
        horizon, log = self.task.horizon, self.log
        spread = _VARIANCE * np.sqrt(variance * log / visits)
        of_reward = _REWARD * np.sqrt(horizon * reward * log / visits)
        return np.asarray(self.scale * (spread + of_reward + _LEAST * horizon * log / visits))


@kernel
def _plan(visits, rewards, chances, successors, log, scale, hopeful, values, policy):
    horizon, states = policy.shape
    pairs = len(visits)
    gain, weight, quality = np.empty(pairs), np.empty(pairs), np.empty(pairs)
    second, squares = np.empty(pairs), np.empty(states)
    for i in range(pairs):
        # b = (460/9) sqrt(Var i / N) + 2 sqrt(2) sqrt(r i / N) sqrt(H) + (544/9) H i / N; the last
        # two are the same at every step.
        n = visits[i]
        weight[i] = (_VARIANCE * scale) ** 2 * log / n if n > 0.0 else 0.0
        if n > 0.0:
            of_reward = _REWARD * math.sqrt(rewards[i] * log / n * horizon)
            gain[i] = rewards[i] + scale * (of_reward + _LEAST * horizon * log / n)
        else:
            gain[i] = np.inf
    values[horizon] = 0.0
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            squares[s] = values[h + 1, s] * values[h + 1, s]
        expect_moments(chances, successors, values[h + 1], squares, quality, second)
        for i in range(pairs):
            variance = max(second[i] - quality[i] * quality[i], 0.0)
            quality[i] += gain[i] + math.sqrt(weight[i] * variance)
        take_best(quality, float(horizon - h), hopeful, values[h], policy[h])
