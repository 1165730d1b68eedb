"""UCBVI: optimism with Hoeffding's bonus (CH) or Bernstein's and Freedman's (BF).

Azar, Osband and Munos, "Minimax Regret Bounds for Reinforcement Learning", ICML 2017, Algorithms 3
and 4, transcribed from memory. The paper knows the rewards, and its N(s') are visits at the next
step alone; here rewards are estimated and N(s') counts the visits at all steps. It also takes the
minimum with the Q of the episode before; that is left out, so that all methods plan from counts
alone.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.lookahead import expect, expect_moments, take_best

__all__ = ["UcbviBf", "UcbviCh"]


class _Ucbvi(Learner):
    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        sizes = task.states * task.actions * task.episodes * task.horizon
        self.log = math.log(5.0 * sizes / task.delta)  # L = ln(5 S A K H / delta)


class UcbviCh(_Ucbvi):
    """With Chernoff's and Hoeffding's bonus."""

    id = "ucbvi-ch"

    def plan(self, episode: int) -> bool:
        """Value iteration with the bonus 7 H L / sqrt(N)."""
        del episode
        model = self.model
        model.refresh()
        _plan_ch(
            model.visits, model.rewards, model.chances, model.successors,
            7.0 * self.task.horizon * self.log * self.scale, self.hopeful, self.values, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """Return 7 H L / sqrt(N)."""
        del variance, reward
        return np.asarray(7.0 * self.task.horizon * self.log * self.scale / np.sqrt(visits))


class UcbviBf(_Ucbvi):
    """With Bernstein's and Freedman's bonus."""

    id = "ucbvi-bf"
    passes = 2

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        # 10^4 H^3 S^2 A L^2: over N(s'), the squared doubt about the value of s'.
        self.doubt = 1e4 * task.horizon**3 * task.states**2 * task.actions * self.log**2

    def plan(self, episode: int) -> bool:
        """Value iteration with the bonus of Algorithm 4."""
        del episode
        model = self.model
        model.refresh()
        _plan_bf(
            model.visits, model.rewards, model.chances, model.successors, self.log, self.doubt,
            self.scale, self.hopeful, self.values, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """With N(s') = N(s, a), as if all that follows were seen as often as the pair itself."""
        del reward
        horizon = self.task.horizon
        doubt = np.minimum(self.doubt / visits, horizon**2)
        spread = np.sqrt(8.0 * self.log * variance / visits)
        least = 14.0 * horizon * self.log / (3.0 * visits)
        return np.asarray(self.scale * (spread + least + np.sqrt(8.0 * doubt / visits)))


@kernel
def _plan_ch(visits, rewards, chances, successors, factor, hopeful, values, policy):
    horizon = len(policy)
    gain, quality = np.empty(len(visits)), np.empty(len(visits))
    for i in range(len(visits)):
        # b = 7 H L / sqrt(N)
        n = visits[i]
        gain[i] = rewards[i] + factor / math.sqrt(n) if n > 0.0 else np.inf
    values[horizon] = 0.0
    for h in range(horizon - 1, -1, -1):
        expect(gain, chances, successors, values[h + 1], quality)
        take_best(quality, float(horizon - h), hopeful, values[h], policy[h])


@kernel
def _plan_bf(visits, rewards, chances, successors, log, doubt, scale, hopeful, values, policy):
    horizon, states = policy.shape
    pairs = len(visits)
    gain, weight, quality = np.empty(pairs), np.empty(pairs), np.empty(pairs)
    second, squares = np.empty(pairs), np.empty(states)
    for s in range(states):
        # min(10^4 H^3 S^2 A L^2 / N(s'), H^2)
        of_state = 0.0
        for action in range(pairs // states):
            of_state += visits[action * states + s]
        squares[s] = min(doubt / of_state, float(horizon**2)) if of_state else float(horizon**2)
    expect(np.zeros(pairs), chances, successors, squares, second)
    for i in range(pairs):
        # b = sqrt(8 L Var / N) + 14 H L / (3 N) + sqrt((8 / N) P min(...)); the last two are the
        # same at every step.
        n = visits[i]
        weight[i] = scale * scale * 8.0 * log / n if n > 0.0 else 0.0
        if n > 0.0:
            least = 14.0 * horizon * log / (3.0 * n)
            gain[i] = rewards[i] + scale * (least + math.sqrt(8.0 / n * second[i]))
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
