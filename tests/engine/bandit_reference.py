"""The players of the bandits' room once more, slow and plain, in float64 and Python's integers."""

from __future__ import annotations

import math

import numpy as np

from polyorama.lab.bandits.zooming import spread_points
from polyorama.lab.streams import torch_seed

MASK = 2**64 - 1


def mixed(key: int, number: int) -> int:
    z = (key + (number + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def gauss(key: int, number: int) -> float:
    first = ((mixed(key, 2 * number) >> 11) + 1) / 2**53
    second = (mixed(key, 2 * number + 1) >> 11) / 2**53
    return math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second)


def mean(game, place) -> float:
    return float(game.surface.means(np.asarray(place, np.float64)[None])[0])


class Counter:
    """Pulls, rewards and regret of one player, who may stop after some of the rounds."""

    def __init__(self, game, rounds: int | None = None) -> None:
        self.game, self.t, self.regret = game, 0, 0.0
        self.rounds = rounds or game.horizon
        self.key = int(torch_seed(game.seed, "rewards"))

    def left(self) -> int:
        return self.rounds - self.t

    def _sum(self, mu: float, count: int, first: int) -> int:
        total = mu * count + self.game.sigma * math.sqrt(count) * gauss(self.key, first)
        return round(max(-8.0 * count, min(8.0 * count, total)) / self.game.quantum)

    def pull(self, place, count: int = 1) -> int:
        """The sum of `count` rewards in quanta, or of as many as are left."""
        count = min(count, self.left())
        mu = mean(self.game, place)
        self.regret += count * (self.game.surface.best - mu)
        first, self.t = self.t, self.t + count
        if self.game.one_by_one:
            return sum(self._sum(mu, 1, t) for t in range(first, self.t))
        return self._sum(mu, count, first)


def log_li(game, last_round: float = math.inf):
    """Visits (depth, low corner, pulls, mean, verdict), regret and reference of Log-Li."""
    counter, visits, dimension = Counter(game), [], game.surface.dimension
    ref: tuple = (-math.inf, None)
    game_round = 1

    class Over(Exception):
        pass

    def visit(low, depth, best):
        edge = 0.5**depth
        place = low + 0.5 * edge
        n = max(1, math.ceil(game.pulls * math.log(game.horizon) / edge**2))
        if counter.left() < n:
            counter.pull(place, n)
            raise Over
        m = counter.pull(place, n) * game.quantum / n
        w = math.sqrt(game.width * game.sigma**2 * math.log(game.horizon) / n)
        rise = game.lipschitz * edge * math.sqrt(dimension) / 2.0
        line = max(ref[0], best[0])
        if m + w + rise < line:
            visits.append((depth, tuple(low), n, m, 0))
            return best
        certain = math.floor((m - w) / game.quantum) * game.quantum
        new = certain > best[0]
        visits.append((depth, tuple(low), n, m, 2 if new else 1))
        if new:
            best = (certain, place)
        if depth < game_round:
            best = children(low, depth, best)
        return best

    def children(low, depth, best):
        for child in range(2**dimension):
            half = np.array([(child >> axis) & 1 for axis in range(dimension)])
            best = visit(low + half * 0.5 ** (depth + 1), depth + 1, best)
        return best

    try:
        while counter.left() > 0:
            if game_round > last_round:
                counter.pull(ref[1], counter.left())
                break
            best = children(np.zeros(dimension), 0, (-math.inf, None))
            if best[0] > ref[0]:
                ref = best
            game_round += 1
    except Over:
        pass
    return visits, counter.regret, ref


def a_blin(game):
    """Regret, and the sorted low corners of the cubes that are active at the end."""
    counter, dimension = Counter(game), game.surface.dimension
    corners = [np.array([(c >> a) & 1 for a in range(dimension)]) for c in range(2**dimension)]
    active, depth = [corner * 0.5 for corner in corners], 1
    while counter.left() > 0:
        edge = 0.5**depth
        n = max(1, math.ceil(game.pulls * math.log(game.horizon) / edge**2))
        means = []
        for low in active:
            if counter.left() >= n:
                means.append(counter.pull(low + edge / 2, n) * game.quantum / n)
            else:
                counter.pull(low + edge / 2, n)
                break
        if len(means) < len(active):
            break
        w = math.sqrt(game.width * game.sigma**2 * math.log(game.horizon) / n)
        rise = game.lipschitz * edge * math.sqrt(dimension) / 2.0
        kept = [low for low, m in zip(active, means, strict=True) if m + w + rise >= max(means) - w]
        active = [low + corner * edge / 2 for low in kept for corner in corners]
        depth += 1
    return counter.regret, sorted(tuple(low) for low in active)


def zooming(game, rounds=None):
    """Regret and [candidate, pulls] of every arm; all candidates are checked in every round."""
    counter = Counter(game, rounds)
    count = 1000 if game.surface.dimension == 1 else 2000
    candidates = spread_points(count, game.surface.dimension)
    arms, pulls, sums = [0], [0], [0]
    far = [np.linalg.norm(candidates - candidates[0], axis=1)]

    def radius(a):
        if pulls[a] == 0:
            return math.inf
        return math.sqrt(game.width * game.sigma**2 * math.log(game.horizon) / pulls[a])

    while counter.left() > 0:
        scores = [
            math.inf if n == 0 else s * game.quantum / n + 2.0 * radius(a)
            for a, (n, s) in enumerate(zip(pulls, sums, strict=True))
        ]
        a = int(np.argmax(scores))
        sums[a] += counter.pull(candidates[arms[a]])
        pulls[a] += 1
        bare = np.ones(count, bool)
        for b in range(len(arms)):
            bare &= game.lipschitz * far[b] > radius(b)
        bare = np.flatnonzero(bare)
        if len(bare):
            far.append(np.linalg.norm(candidates - candidates[bare[0]], axis=1))
            arms.append(int(bare[0]))
            pulls.append(0)
            sums.append(0)
    return counter.regret, list(zip(arms, pulls, strict=True))


def grid_arms(game):
    side = round((game.horizon / math.log(game.horizon)) ** (1 / (game.surface.dimension + 2)))
    line = (np.arange(side) + 0.5) / side
    axes = np.meshgrid(*[line] * game.surface.dimension, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def uniform_ucb(game, rounds=None):
    """Regret and the pulls of every arm."""
    counter, arms = Counter(game, rounds), grid_arms(game)
    pulls, sums = np.zeros(len(arms), np.int64), np.zeros(len(arms), np.int64)
    while counter.left() > 0:
        n = np.maximum(pulls, 1)
        index = sums * game.quantum / n
        index += np.sqrt(game.width * game.sigma**2 * math.log(game.horizon) / n)
        a = int(np.argmax(np.where(pulls > 0, index, np.inf)))
        sums[a] += counter.pull(arms[a])
        pulls[a] += 1
    return counter.regret, pulls


def thompson(game, rounds=None):
    """Regret and the pulls of every arm; the deviates of all arms are drawn in every round."""
    counter, arms = Counter(game, rounds), grid_arms(game)
    key, count = int(torch_seed(game.seed, "thompson")), len(arms)
    pulls, sums = np.zeros(count, np.int64), np.zeros(count, np.int64)
    while counter.left() > 0:
        if counter.t < count:
            a = counter.t
        else:
            deviates = np.array([gauss(key, counter.t * count + b) for b in range(count)])
            drawn = sums * game.quantum / pulls + game.sigma / np.sqrt(pulls) * deviates
            a = int(np.argmax(drawn))
        sums[a] += counter.pull(arms[a])
        pulls[a] += 1
    return counter.regret, pulls


def hoo(game, rounds=None):
    """Regret and the pulls of every node, by its path of sides; all B anew in every round."""
    counter, dimension = Counter(game, rounds), game.surface.dimension
    pulls: dict[str, int] = {}
    sums: dict[str, int] = {}

    def box(path):
        low, high = np.zeros(dimension), np.ones(dimension)
        for level, side in enumerate(path):
            axis = level % dimension
            middle = 0.5 * (low[axis] + high[axis])
            if side == "1":
                low[axis] = middle
            else:
                high[axis] = middle
        return low, high

    def rise(path):
        low, high = box(path)
        return game.lipschitz * float(np.linalg.norm(high - low))

    deepest = 0
    while rise("0" * deepest) > 1.0 / math.sqrt(game.horizon):
        deepest += 1

    def optimism(path):
        if path not in pulls:
            return math.inf
        n = pulls[path]
        w = math.sqrt(game.width * game.sigma**2 * math.log(game.horizon) / n)
        upper = sums[path] * game.quantum / n + w + rise(path)
        if len(path) == deepest:
            return upper
        return min(upper, max(optimism(path + "0"), optimism(path + "1")))

    while counter.left() > 0:
        path = ""
        while path in pulls and len(path) < deepest:
            path += "1" if optimism(path + "1") > optimism(path + "0") else "0"
        low, high = box(path)
        reward = counter.pull(0.5 * (low + high))
        for level in range(len(path) + 1):
            part = path[:level]
            pulls[part] = pulls.get(part, 0) + 1
            sums[part] = sums.get(part, 0) + reward
    return counter.regret, pulls
