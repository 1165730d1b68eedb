r"""EQO: a bonus of c / N and values that are only nearly optimistic.

Lee and Oh, "Minimax Optimal Reinforcement Learning with Quasi-Optimism", ICLR 2025, Algorithm 1.
There is no public code and the full text was not at hand: the algorithm, c and the lemmas follow
several detailed reviews, which agree but for one thing: whether Q is clipped at H also where N > 0.
Here it is. The definitions of the two logarithms and \lambda_k are reconstructions.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.learner import Floats, Learner, Model, Task
from polyorama.lab.rl.lookahead import expect, take_best

__all__ = ["Eqo", "bonus_scale", "logarithms", "quasi_optimism"]


def logarithms(task: Task, episodes: int) -> tuple[float, float]:
    """Of Theorem 1: l1 = log(24 H S A / delta) and l2 = log(1 + K H / (S A)) for K `episodes`."""
    pairs = task.states * task.actions
    first = math.log(24.0 * task.horizon * pairs / task.delta)
    return first, math.log1p(episodes * task.horizon / pairs)


def bonus_scale(task: Task, episodes: int | None = None) -> float:
    """Theorem 1: c = max{7 H l1, 1.4 H sqrt(K l1 / (S A l2))}, with `logarithms` l1 and l2.

    Parameters
    ----------
    task
        Sizes, and K where `episodes` is None.
    episodes
        K.
    """
    count = task.episodes if episodes is None else episodes
    pairs = task.states * task.actions
    first, second = logarithms(task, count)
    least = 7.0 * task.horizon * first
    return max(least, 1.4 * task.horizon * math.sqrt(count * first / (pairs * second)))


def quasi_optimism(task: Task, c: float) -> float:
    """lambda_k = 7 H l1 / c_k: by Lemma 2, V^k + (3/2) lambda_k H >= V* if lambda_k <= 1."""
    first, _ = logarithms(task, task.episodes)
    return 7.0 * task.horizon * first / c if c > 0.0 else math.inf


class Eqo(Learner):
    """Exploration via quasi-optimism.

    Attributes
    ----------
    tuned
        c where it is chosen by hand; None for the theorem's.
    doubling
        Whether K is unknown, as in Theorem 2, and c_k is that of the next power of two. (That there
        is a schedule of doubling is from the reviews; that it is this one is ours.)
    remaining
        Whether the ceiling is what is left of the horizon, H - h, instead of H. That is ours; it
        holds where no step gives more than 1, while the paper asks only that V* lies in 0..H.
    c
        c_k of the newest plan.
    """

    id = "eqo"
    tuned: float | None = None
    doubling = False
    remaining = False
    c = 0.0

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        super().__init__(task, model, luck)
        self._known = bonus_scale(task)

    def plan(self, episode: int) -> bool:
        """Value iteration with the bonus c_k / N."""
        if self.tuned is not None:
            self.c = self.tuned
        elif self.doubling:
            self.c = bonus_scale(self.task, 1 << max(episode - 1, 0).bit_length())
        else:
            self.c = self._known
        model = self.model
        model.refresh()
        _plan(
            model.visits, model.rewards, model.chances, model.successors, self.c,
            self.remaining, self.hopeful, self.values, self.policy,
        )  # fmt: skip
        return True

    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """Return c_k / N."""
        del variance, reward
        return np.asarray(self.c / visits, np.float64)

    @property
    def tolerance(self) -> float:
        """By how much V^k may fall below V* by Lemma 2; infinite where it says nothing."""
        share = quasi_optimism(self.task, self.c)
        return 1.5 * share * self.task.horizon if share <= 1.0 + 1e-12 else math.inf


@kernel
def _plan(visits, rewards, chances, successors, c, remaining, hopeful, values, policy):
    horizon = len(policy)
    gain, quality = np.empty(len(visits)), np.empty(len(visits))
    for i in range(len(visits)):
        # b(s, a) = c_k / N(s, a); where N = 0, Q = H, whatever follows.
        gain[i] = rewards[i] + c / visits[i] if visits[i] > 0.0 else np.inf
    values[horizon] = 0.0
    for h in range(horizon - 1, -1, -1):
        # Q_h = min(r + b + P V_{h+1}, H), V_h = max_a Q_h
        expect(gain, chances, successors, values[h + 1], quality)
        ceiling = float(horizon - h if remaining else horizon)
        take_best(quality, ceiling, hopeful, values[h], policy[h])
