"""Slow and plain: value iteration of each method, one state, action and step at a time."""

from __future__ import annotations

import math

import numpy as np


class Estimate:
    """What is known of one pair."""

    def __init__(self, model, states: int, action: int, state: int) -> None:
        i = action * states + state
        self.n = model.visits[i]
        self.reward = model.reward_sums[i] / max(self.n, 1.0)
        mean_square = model.reward_squares[i] / max(self.n, 1.0)
        self.reward_variance = max(mean_square - self.reward**2, 0.0)
        self.chances = np.zeros(states)
        for row in range(len(model.met)):
            self.chances[model.met_successors[row, i]] += model.met[row, i] / max(self.n, 1.0)

    def variance(self, values) -> float:
        return max(self.chances @ values**2 - (self.chances @ values) ** 2, 0.0)


def estimates(model, task):
    return [
        [Estimate(model, task.states, action, state) for action in range(task.actions)]
        for state in range(task.states)
    ]


def backwards(task, quality):
    """V, (H + 1, S), where `quality(h, s, a, later)` is already clipped."""
    values = np.zeros((task.horizon + 1, task.states))
    for h in reversed(range(task.horizon)):
        for s in range(task.states):
            later = values[h + 1]
            values[h, s] = max(quality(h, s, a, later) for a in range(task.actions))
    return values


def eqo(model, task, c, remaining=False):
    known = estimates(model, task)

    def quality(h, s, a, later):
        it = known[s][a]
        ceiling = task.horizon - h if remaining else task.horizon
        if it.n == 0:
            return ceiling
        return min(it.reward + c / it.n + it.chances @ later, ceiling)

    return backwards(task, quality)


def ucbvi_ch(model, task, scale):
    known = estimates(model, task)
    log = math.log(5 * task.states * task.actions * task.episodes * task.horizon / task.delta)

    def quality(h, s, a, later):
        it = known[s][a]
        if it.n == 0:
            return task.horizon - h
        bonus = scale * 7 * task.horizon * log / math.sqrt(it.n)
        return min(it.reward + bonus + it.chances @ later, task.horizon - h)

    return backwards(task, quality)


def ucbvi_bf(model, task, scale):
    known = estimates(model, task)
    horizon = task.horizon
    log = math.log(5 * task.states * task.actions * task.episodes * horizon / task.delta)
    of_state = model.visits.reshape(task.actions, task.states).sum(axis=0)
    doubt = 1e4 * horizon**3 * task.states**2 * task.actions * log**2

    def quality(h, s, a, later):
        it = known[s][a]
        if it.n == 0:
            return horizon - h
        bonus = math.sqrt(8 * log * it.variance(later) / it.n) + 14 * horizon * log / (3 * it.n)
        rest = 0.0
        for y in range(task.states):
            bound = horizon**2 if of_state[y] == 0 else min(doubt / of_state[y], horizon**2)
            rest += it.chances[y] * bound
        bonus += math.sqrt(8 / it.n * rest)
        return min(it.reward + scale * bonus + it.chances @ later, horizon - h)

    return backwards(task, quality)


def mvp(model, task, scale):
    known = estimates(model, task)
    horizon = task.horizon
    log = math.log(2 * task.states * task.actions * horizon**2 * task.episodes / task.delta)

    def quality(h, s, a, later):
        it = known[s][a]
        if it.n == 0:
            return horizon - h
        bonus = 460 / 9 * math.sqrt(it.variance(later) * log / it.n)
        bonus += 2 * math.sqrt(2) * math.sqrt(it.reward * log / it.n) * math.sqrt(horizon)
        bonus += 544 / 9 * horizon * log / it.n
        return min(it.reward + scale * bonus + it.chances @ later, horizon - h)

    return backwards(task, quality)


def ucrl2(model, task, scale, steps):
    known = estimates(model, task)
    log_reward = math.log(2 * task.states * task.actions * steps / task.delta)
    log_chance = math.log(2 * task.actions * steps / task.delta)

    def quality(h, s, a, later):
        it = known[s][a]
        if it.n == 0:
            return min(1.0 + later.max(), task.horizon - h)
        radius = scale * math.sqrt(14 * task.states * log_chance / it.n)
        order = np.argsort(-later, kind="stable")
        chances = it.chances.copy()
        chances[order[0]] = min(1.0, it.chances[order[0]] + radius / 2)
        last = task.states - 1
        while chances.sum() > 1.0 + 1e-15:
            worst = order[last]
            chances[worst] = max(0.0, 1.0 - chances.sum() + chances[worst])
            last -= 1
        reward = min(it.reward + scale * math.sqrt(3.5 * log_reward / it.n), 1.0)
        return min(reward + chances @ later, task.horizon - h)

    return backwards(task, quality)


def euler(model, task, scale):
    """Upper and lower values."""
    known = estimates(model, task)
    horizon = task.horizon
    steps = task.episodes * horizon
    log = math.log(4 * task.states * task.actions * steps / task.delta)
    jump, slack = horizon * log / 3, horizon * math.sqrt(2 * log)

    def bonuses(it, shape, upper, lower):
        of_reward = math.sqrt(2 * it.reward_variance * log / it.n)
        of_reward += 7 * log / (3 * max(it.n - 1, 1))
        phi = math.sqrt(2 * it.variance(shape) * log / it.n) + jump / it.n
        unsure = math.sqrt(it.chances @ (upper - lower) ** 2)
        of_chance = phi + (4 * jump + slack) / it.n + math.sqrt(2 * log) * unsure / math.sqrt(it.n)
        return scale * (of_reward + of_chance)

    upper = np.zeros((horizon + 1, task.states))
    lower = np.zeros((horizon + 1, task.states))
    for h in reversed(range(horizon)):
        for s in range(task.states):
            qualities = []
            for it in known[s]:
                value = horizon - h
                if it.n > 0:
                    gain = bonuses(it, upper[h + 1], upper[h + 1], lower[h + 1])
                    value = min(it.reward + it.chances @ upper[h + 1] + gain, horizon - h)
                qualities.append(value)
            upper[h, s] = max(qualities)
            it = known[s][int(np.argmax(qualities))]
            if it.n > 0:
                loss = bonuses(it, lower[h + 1], upper[h + 1], lower[h + 1])
                lower[h, s] = max(it.reward + it.chances @ lower[h + 1] - loss, 0.0)
    return upper, lower


def disturbed(model, task, noise, deviation):
    """RLSVI: one's own noise at each step and pair, over N + 1."""
    known = estimates(model, task)

    def quality(h, s, a, later):
        it = known[s][a]
        drawn = deviation / math.sqrt(it.n + 1) * noise[h, a * task.states + s]
        return it.n / (it.n + 1) * (it.reward + it.chances @ later) + drawn

    return backwards(task, quality)


def solved(rewards, chances, horizon):
    """V of a world with rewards (A, S) and dense chances (S', A, S)."""
    values = np.zeros((horizon + 1, chances.shape[0]))
    for h in reversed(range(horizon)):
        values[h] = (rewards + np.einsum("yas,y->as", chances, values[h + 1])).max(axis=0)
    return values


def dense(world):
    """Chances as (S', A, S)."""
    result = np.zeros((world.states, world.actions * world.states))
    for row in range(len(world.chances)):
        for i in range(result.shape[1]):
            result[world.successors[row, i], i] += world.chances[row, i]
    return result.reshape(world.states, world.actions, world.states)
