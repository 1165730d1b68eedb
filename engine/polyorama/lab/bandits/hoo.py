"""Truncated hierarchical optimistic optimisation, T-HOO (Bubeck, Munos, Stoltz & Szepesvari 2011).

A binary tree of boxes, halved along the axes in turn. A node of depth h that was passed n times
with mean m has

    U = m + sqrt(kappa sigma^2 ln T / n) + L diam(h),    B = min(U, max of its children's B),

where a child that was never passed has B = infinity. Each round follows the greater B down to a box
that is not in the tree yet, or to the depth where L diam(h) <= 1 / sqrt(T), and pulls its centre.
With the known ln T only values along the path change: a round costs O(depth).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.bandits.policy import Game, Policy
from polyorama.lab.bandits.rewards import mean_at, quantised

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Hoo"]

_DEEPEST = 60


@kernel
def _upper(count, total, rise, variance, quantum):
    return total * quantum / count + math.sqrt(variance / count) + rise


@kernel
def _play(
    clock, charge, children, counts, sums, optimism, rises, path, place, world, until, variance
):
    """One pull a round until `until`, or until the arrays are full; clock is (pulls, nodes)."""
    rule, cones, table, best, sigma, key, quantum = world
    dimension, deepest = len(place), len(rises) - 1
    for t in range(clock[0], until):
        if clock[1] == len(counts):
            return
        node, depth, edge = 0, 0, 1.0
        place[:] = 0.5
        path[0] = 0
        fresh = clock[1] == 0
        while not fresh and depth < deepest:
            left, right = children[node, 0], children[node, 1]
            of_left = optimism[left] if left >= 0 else np.inf
            of_right = optimism[right] if right >= 0 else np.inf
            side = 1 if of_right > of_left else 0
            axis = depth % dimension
            if axis == 0:
                edge *= 0.5
            place[axis] += 0.5 * edge if side == 1 else -0.5 * edge
            depth += 1
            fresh = children[node, side] < 0
            if fresh:
                children[node, side] = clock[1]
            node = children[node, side]
            path[depth] = node
        if fresh:
            clock[1] += 1
        mean = mean_at(place, rule, cones, table)
        reward = quantised(mean, 1, sigma, key, t, quantum)
        charge[0] += best - mean
        clock[0] = t + 1
        for level in range(depth, -1, -1):
            node = path[level]
            counts[node] += 1
            sums[node] += reward
            upper = _upper(counts[node], sums[node], rises[level], variance, quantum)
            optimism[node] = min(upper, _best_child(node, level, children, optimism, deepest))


@kernel
def _best_child(node, level, children, optimism, deepest):
    """The greatest B below a node; infinite while a child is missing or there can be none."""
    left, right = children[node, 0], children[node, 1]
    if left < 0 or right < 0 or level == deepest:
        return np.inf
    return max(optimism[left], optimism[right])


@kernel
def _refresh(nodes, children, counts, sums, optimism, levels, rises, variance, quantum):
    """All B anew, from the leaves up: children have greater numbers than their parents."""
    deepest = len(rises) - 1
    levels[0] = 0
    for node in range(nodes):
        for side in range(2):
            if children[node, side] >= 0:
                levels[children[node, side]] = levels[node] + 1
    for node in range(nodes - 1, -1, -1):
        level = min(levels[node], deepest)
        upper = _upper(counts[node], sums[node], rises[level], variance, quantum)
        optimism[node] = min(upper, _best_child(node, level, children, optimism, deepest))


class Hoo(Policy):
    """A tree that grows where it is hopeful.

    Parameters
    ----------
    game
        What it plays.
    """

    id = "hoo"
    title = "T-HOO"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._rises = _rises(game)
        self._children = np.full((256, 2), -1, np.int32)
        self._counts, self._sums = np.zeros(256, np.int64), np.zeros(256, np.int64)
        self._optimism = np.full(256, np.inf)
        self._clock = np.zeros(2, np.int64)
        self._charge = np.zeros(1)
        self._path = np.zeros(_DEEPEST + 1, np.int64)
        self._place = np.full(game.surface.dimension, 0.5)

    @property
    def time(self) -> int:
        """Pulls so far."""
        return int(self._clock[0])

    @property
    def regret(self) -> float:
        """Of all pulls so far."""
        return float(self._charge[0])

    @property
    def arm(self) -> NDArray[np.float64]:
        """(d,) where it pulled last."""
        return self._place.copy()

    @property
    def nodes(self) -> int:
        """Nodes of the tree."""
        return int(self._clock[1])

    def leaves(self, most: int) -> NDArray[np.float64]:
        """(N, 2, d) corners of the boxes without a box below; coarser ones where N > `most`."""
        dimension = self.game.surface.dimension
        numbers = np.arange(min(self.nodes, 1), dtype=np.int32)
        boxes = np.repeat([[[0.0] * dimension, [1.0] * dimension]], len(numbers), axis=0)
        level, count, found = 0, 0, [boxes[:0]]
        while len(numbers) and count + 2 * len(numbers) <= most:
            axis = level % dimension
            children = self._children[numbers]
            ends = (children < 0).all(axis=1)
            found.append(boxes[ends])
            count += int(ends.sum())
            halves = np.repeat(boxes[:, None], 2, axis=1)
            middle = boxes[:, :, axis].mean(axis=1)
            halves[:, 0, 1, axis], halves[:, 1, 0, axis] = middle, middle
            there = children >= 0
            numbers, boxes, level = children[there], halves[there], level + 1
        return np.concatenate([*found, boxes])

    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""
        game = self.game
        until = min(until, game.horizon)
        while self.time < until:
            if self.nodes == len(self._counts):
                self._grow()
            _play(
                self._clock, self._charge, self._children, self._counts, self._sums,
                self._optimism, self._rises, self._path, self._place, game.world, until,
                game.variance,
            )  # fmt: skip

    def _grow(self) -> None:
        count = len(self._counts)
        self._children = np.concatenate([self._children, np.full((count, 2), -1, np.int32)])
        self._counts = np.concatenate([self._counts, np.zeros(count, np.int64)])
        self._sums = np.concatenate([self._sums, np.zeros(count, np.int64)])
        self._optimism = np.concatenate([self._optimism, np.full(count, np.inf)])

    def meet(self, game: Game) -> None:
        """Go on in a changed game: all values of the tree are found anew."""
        self.game = game
        self._rises = _rises(game)
        _refresh(
            self.nodes, self._children, self._counts, self._sums, self._optimism,
            np.zeros(max(1, self.nodes), np.int64), self._rises, game.variance, game.quantum,
        )  # fmt: skip

    @property
    def state_bits(self) -> int:
        """A count, a sum and two bits of the tree's shape a node, and the pulls of all."""
        game = self.game
        return self.nodes * (game.count_bits + game.sum_bits + 2) + game.count_bits

    @property
    def state_words(self) -> float:
        """3 words a node."""
        return 3.0 * self.nodes


def _rises(game: Game) -> NDArray[np.float64]:
    """L diam(h) of depths 0, 1, ... up to the first that is at most 1 / sqrt(T)."""
    sides = np.ones(game.surface.dimension)
    rises = [game.lipschitz * float(np.linalg.norm(sides))]
    while rises[-1] > 1.0 / math.sqrt(game.horizon) and len(rises) <= _DEEPEST:
        sides[(len(rises) - 1) % len(sides)] *= 0.5
        rises.append(game.lipschitz * float(np.linalg.norm(sides)))
    return np.array(rises)
