"""The true world at work, compiled: optimal values, values of a policy, and episodes played."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.rl.lookahead import expect, take_best

__all__ = ["fill_model", "play", "solve", "value_of"]


@kernel
def solve(rewards, chances, successors, values, policy):
    """Bellman's recursion from the last step: V*, (H + 1, S), and a policy that reaches it.

    The table of chances is sparse or dense, as `lookahead` reads it.
    """
    horizon = len(policy)
    quality = np.empty(len(rewards))
    values[horizon] = 0.0
    for h in range(horizon - 1, -1, -1):
        expect(rewards, chances, successors, values[h + 1], quality)
        take_best(quality, np.inf, False, values[h], policy[h])


@kernel
def value_of(rewards, chances, successors, policy, start):
    """What a policy, (H, S), earns from `start` in an episode, in expectation."""
    horizon, states = policy.shape
    later, now = np.zeros(states), np.empty(states)
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            pair = policy[h, s] * states + s
            value = rewards[pair]
            for row in range(len(chances)):
                value += chances[row, pair] * later[successors[row, pair]]
            now[s] = value
        later, now = now, later
    return later[start]


@kernel
def play(
    rewards, chances, successors, coins, luck, policy, first, last,
    path, visits, reward_sums, reward_squares, met, met_successors,
):  # fmt: skip
    """Act from step `first` up to `last` and enter what happens in the tables.

    `luck` is (H, 2) uniform numbers, one for where the step leads and one for the coin of its
    reward. `path`, (H + 1,), holds the state at `first` and gets those after it. Columns of `met`
    and `met_successors`, (width, A S), fill from above in the order in which successors are met.
    """
    states = policy.shape[1]
    for h in range(first, last):
        pair = policy[h, path[h]] * states + path[h]
        row, level = 0, chances[0, pair]
        while luck[h, 0] >= level and row + 1 < len(chances):
            row += 1
            level += chances[row, pair]
        while chances[row, pair] == 0.0:  # rounding ran past the last that can happen
            row -= 1
        state = successors[row, pair]
        reward = rewards[pair]
        if coins:
            reward = 1.0 if luck[h, 1] < reward else 0.0
        visits[pair] += 1.0
        reward_sums[pair] += reward
        reward_squares[pair] += reward * reward
        slot = 0
        while met[slot, pair] > 0.0 and met_successors[slot, pair] != state:
            slot += 1
        met_successors[slot, pair] = state
        met[slot, pair] += 1.0
        path[h + 1] = state


@kernel
def fill_model(visits, reward_sums, met, met_successors, rewards, chances, dense):
    """Estimates from counts: mean rewards, and chances, sparse or `dense`; 0 where no visit was."""
    for i in range(len(visits)):
        share = 1.0 / max(visits[i], 1.0)
        rewards[i] = reward_sums[i] * share
        for row in range(len(met)):
            if dense:
                if met[row, i] > 0.0:
                    chances[met_successors[row, i], i] = met[row, i] * share
            else:
                chances[row, i] = met[row, i] * share
