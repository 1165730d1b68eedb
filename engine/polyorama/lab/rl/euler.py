"""EULER: bonuses from the variance of the next value, and from how unsure that value is itself.

Zanette and Brunskill, "Tighter Problem-Dependent Regret Bounds in Reinforcement Learning without
Domain Knowledge using Value Function Bounds", ICML 2019, Algorithm 1 with the constants of
Bernstein's inequality, transcribed from memory.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.lookahead import expect_moments, take_best

__all__ = ["Euler"]


class Euler(Learner):
    """Episodic upper lower exploration in reinforcement learning.

    Attributes
    ----------
    lower
        Its pessimistic values, (H + 1, S).
    log
        Its logarithm, l = ln(4 S A T / delta) with T = K H.
    """

    id = "euler"
    passes = 6  # means and squares of the upper and the lower value and of their gap

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        self.lower: Floats = np.zeros_like(self.values)
        steps = task.episodes * task.horizon
        self.log = math.log(4.0 * task.states * task.actions * steps / task.delta)

    def plan(self, episode: int) -> bool:
        """Value iteration from above and from below."""
        del episode
        model = self.model
        model.refresh()
        _plan(
            model.visits, model.rewards, model.reward_squares, model.chances, model.successors,
            self.log, self.scale, self.hopeful, self.values, self.lower, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """For rewards without luck, where the upper and the lower value agree."""
        del reward
        log, horizon = self.log, self.task.horizon
        fixed, of_reward = _least(visits, log, horizon)
        spread = np.sqrt(2.0 * log * variance / visits)
        return np.asarray(self.scale * (spread + fixed + of_reward))


@kernel
def _least(visits, log, horizon):
    """Parts of the bonus for chances and for rewards that fall as 1 / N."""
    jump = horizon * log / 3.0  # J, and B_p = H sqrt(2 l)
    chances = (jump + 4.0 * jump + horizon * math.sqrt(2.0 * log)) / visits
    return chances, 7.0 * log / (3.0 * np.maximum(visits - 1.0, 1.0))


@kernel
def _plan(
    visits, rewards, reward_squares, chances, successors, log, scale, hopeful,
    values, lower, policy,
):  # fmt: skip
    horizon, states = policy.shape
    pairs = len(visits)
    upper_mean, upper_second = np.empty(pairs), np.empty(pairs)
    lower_mean, lower_second = np.empty(pairs), np.empty(pairs)
    gap_mean, gap_second = np.empty(pairs), np.empty(pairs)
    of_reward, fixed, weight = np.empty(pairs), np.empty(pairs), np.empty(pairs)
    squares, gap = np.empty(states), np.empty(states)
    for i in range(pairs):
        n = visits[i]
        if n == 0.0:
            continue
        chance_part, reward_part = _least(n, log, float(horizon))
        variance = max(reward_squares[i] / n - rewards[i] * rewards[i], 0.0)
        # b_r = sqrt(2 Var(R) l / N) + 7 l / (3 (N - 1))
        of_reward[i] = scale * (math.sqrt(2.0 * variance * log / n) + reward_part)
        fixed[i] = scale * chance_part
        weight[i] = scale * math.sqrt(2.0 * log / n)  # B_v / sqrt(N), B_v = sqrt(2 l)
    values[horizon] = 0.0
    lower[horizon] = 0.0
    for h in range(horizon - 1, -1, -1):
        upper, under = values[h + 1], lower[h + 1]
        for s in range(states):
            squares[s] = upper[s] * upper[s]
        expect_moments(chances, successors, upper, squares, upper_mean, upper_second)
        for s in range(states):
            squares[s] = under[s] * under[s]
        expect_moments(chances, successors, under, squares, lower_mean, lower_second)
        for s in range(states):
            gap[s] = upper[s] - under[s]
            squares[s] = gap[s] * gap[s]
        expect_moments(chances, successors, gap, squares, gap_mean, gap_second)
        for i in range(pairs):
            if visits[i] == 0.0:
                gap_mean[i] = np.inf
                continue
            # Q = r + b_r + P V + phi(P, V) + (4 J + B_p) / N + B_v |V - V_low|_{2,P} / sqrt(N)
            spread = math.sqrt(max(upper_second[i] - upper_mean[i] * upper_mean[i], 0.0))
            unsure = math.sqrt(gap_second[i])
            bonus = of_reward[i] + fixed[i] + weight[i] * (spread + unsure)
            gap_mean[i] = rewards[i] + upper_mean[i] + bonus
        take_best(gap_mean, float(horizon - h), hopeful, values[h], policy[h])
        for s in range(states):
            i = policy[h, s] * states + s
            lower[h, s] = 0.0
            if visits[i] > 0.0:
                spread = math.sqrt(max(lower_second[i] - lower_mean[i] * lower_mean[i], 0.0))
                unsure = math.sqrt(gap_second[i])
                bonus = of_reward[i] + fixed[i] + weight[i] * (spread + unsure)
                lower[h, s] = max(rewards[i] + lower_mean[i] - bonus, 0.0)
