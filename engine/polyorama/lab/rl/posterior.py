"""Two methods that explore by drawing: PSRL draws a world, RLSVI disturbs rewards.

PSRL: Osband, Russo and Van Roy, "(More) Efficient Reinforcement Learning via Posterior Sampling",
NeurIPS 2013, Algorithm 1. RLSVI: Osband, Van Roy and Wen, ICML 2016; in the tabular form, and with
the deviations, of Russo, "Worst-Case Regret Bounds for Exploration via Randomized Value Functions",
NeurIPS 2019, transcribed from memory.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.dynamics import solve
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.lookahead import expect, take_best

__all__ = ["Psrl", "Rlsvi"]


class Psrl(Learner):
    """Posterior sampling: acts as is best in a world drawn from its posterior.

    Chances have a Dirichlet prior of weight 1 / S a state; rewards a Normal-Gamma prior that is
    worth one visit with mean 0, precision of shape 1 and rate 1. It has no bonus to scale.
    """

    id = "psrl"

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        pairs = task.states * task.actions
        self._weights: Floats = np.empty((task.states, pairs))
        self._chances: Floats = np.empty((task.states, pairs))

    def plan(self, episode: int) -> bool:
        """Draw a world from the posterior and solve it."""
        del episode
        model, luck = self.model, self.luck
        _posterior_weights(model.met, model.met_successors, self._weights)
        luck.standard_gamma(self._weights, out=self._chances)
        precision, normal = luck.standard_gamma(1.0 + 0.5 * model.visits), luck.standard_normal
        rewards, rate = _posterior_rewards(model.visits, model.reward_sums, model.reward_squares)
        # precision ~ Gamma(shape, rate); mean ~ Normal(m, 1 / ((1 + N) precision))
        deviation = np.sqrt(rate / (precision * (1.0 + model.visits)))
        rewards += deviation * normal(len(rewards))
        _plan_drawn(rewards, self._chances, self.values, self.policy)
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """Deviation that drawing the world gives a pair's value, where its reward has no luck.

        N + 1 is the weight of the Dirichlet posterior, whose prior is left out of `variance`. The
        reward's posterior is Student's t with N + 2 degrees of freedom.
        """
        of_chance = variance / (visits + 2.0)
        rate = 1.0 + 0.5 * visits * reward**2 / (1.0 + visits)
        return np.asarray(np.sqrt(of_chance + 2.0 * rate / (visits * (visits + 1.0))))


class Rlsvi(Learner):
    """Randomised least-squares value iteration, with a table as its features."""

    id = "rlsvi"

    @property
    def deviation(self) -> float:
        """Of the noise, times sqrt(N + 1): sqrt(S H^3 log(2 H S A K) / 2)."""
        task = self.task
        sizes = task.horizon * task.states * task.actions * task.episodes
        square = 0.5 * task.states * task.horizon**3 * math.log(2.0 * sizes)
        return self.scale * math.sqrt(square)

    def plan(self, episode: int) -> bool:
        """Value iteration with noise on the reward of each step and pair."""
        del episode
        model, task = self.model, self.task
        model.refresh()
        noise = self.luck.standard_normal((task.horizon, task.states * task.actions))
        _plan_disturbed(
            model.visits, model.rewards, model.chances, model.successors, noise, self.deviation,
            self.values, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """Deviation of the noise."""
        del variance, reward
        return np.asarray(self.deviation / np.sqrt(visits + 1.0))


@kernel
def _posterior_weights(met, successors, weights):
    states, pairs = weights.shape
    weights[:] = 1.0 / states
    for row in range(len(met)):
        for i in range(pairs):
            if met[row, i] > 0.0:
                weights[successors[row, i], i] += met[row, i]


@kernel
def _posterior_rewards(visits, sums, squares):
    """Mean and rate of the Normal-Gamma posterior of each pair's reward."""
    mean, rate = np.empty_like(sums), np.empty_like(sums)
    for i in range(len(visits)):
        n = visits[i]
        mean[i] = sums[i] / (1.0 + n)
        average = sums[i] / max(n, 1.0)
        spread = max(squares[i] - n * average * average, 0.0)
        rate[i] = 1.0 + 0.5 * (spread + n * average * average / (1.0 + n))
    return mean, rate


@kernel
def _plan_drawn(rewards, chances, values, policy):
    states, pairs = chances.shape
    total = np.zeros(pairs)
    for s in range(states):  # Gamma draws over their sum have Dirichlet's distribution
        for i in range(pairs):
            total[i] += chances[s, i]
    for s in range(states):
        for i in range(pairs):
            chances[s, i] /= total[i]
    solve(rewards, chances, None, values, policy)


@kernel
def _plan_disturbed(visits, rewards, chances, successors, noise, deviation, values, policy):
    horizon, pairs = noise.shape
    quality, shrink, spread = np.empty(pairs), np.empty(pairs), np.empty(pairs)
    for i in range(pairs):
        # Estimates are over N + 1: as if each pair had once given 0 and ended there.
        shrink[i] = visits[i] / (visits[i] + 1.0)
        spread[i] = deviation / math.sqrt(visits[i] + 1.0)
    values[horizon] = 0.0
    for h in range(horizon - 1, -1, -1):
        expect(rewards, chances, successors, values[h + 1], quality)
        for i in range(pairs):
            quality[i] = shrink[i] * quality[i] + spread[i] * noise[h, i]
        take_best(quality, np.inf, False, values[h], policy[h])
