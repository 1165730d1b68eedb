"""Rewards as every policy meets them: the mean of a surface, and Gaussian noise by its number.

The noise of pull t is a function of the run's key and t alone. So all policies meet the same luck,
nothing of it has to be stored, and the grouping of steps cannot change a run.
"""

from __future__ import annotations

import math

import numpy as np

from polyorama.core.compile import kernel

__all__ = [
    "HIGHEST", "PAINTED", "REWARD_LIMIT", "SUM", "gauss", "mean_at", "mixed", "quantised", "rarity",
]  # fmt: skip

SUM, HIGHEST, PAINTED = 0, 1, 2
"""Rules of `Surface`, as kernels know them."""

REWARD_LIMIT = 8.0
"""Rewards beyond +- this are taken as this, so that a sum of t rewards has O(log t) bits."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


@kernel
def mixed(key, number):
    """64 well-mixed bits of a key and a number: SplitMix64 (Steele, Lea & Flood 2014)."""
    z = key + (np.uint64(number) + _ONE) * _GOLDEN
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@kernel
def rarity(key, number):
    """Which uniform share u in (0, 1] the deviate of a number has: it is at most sqrt(-2 ln u)."""
    return (np.float64(mixed(key, 2 * number) >> _11) + 1.0) * _UNIT


@kernel
def gauss(key, number):
    """The standard normal deviate of a number, by Box and Muller; at most 8.6 in size."""
    first = rarity(key, number)
    second = np.float64(mixed(key, 2 * number + 1) >> _11) * _UNIT
    return math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second)


@kernel
def mean_at(place, rule, cones, table):
    """Mean reward at a place, (d,) float64; the fast twin of `Surface.means`."""
    if rule == PAINTED:
        rows, columns = table.shape
        x = min(max(place[0] * columns - 0.5, 0.0), columns - 1.0)
        y = min(max(place[1] * rows - 0.5, 0.0), rows - 1.0)
        i, j = min(int(x), columns - 2), min(int(y), rows - 2)
        u, v = x - i, y - j
        low = (1.0 - u) * table[j, i] + u * table[j, i + 1]
        high = (1.0 - u) * table[j + 1, i] + u * table[j + 1, i + 1]
        return (1.0 - v) * low + v * high
    dimension = len(place)
    total = 0.0
    highest = -np.inf
    for k in range(cones.shape[0]):
        square = 0.0
        for axis in range(dimension):
            away = place[axis] - cones[k, axis]
            square += away * away
        beyond = max(math.sqrt(square) - cones[k, dimension + 2], 0.0)
        value = cones[k, dimension] - cones[k, dimension + 1] * beyond
        total += value
        highest = max(highest, value)
    return total if rule == SUM else highest


@kernel
def quantised(mean, pulls, sigma, key, number, quantum):
    """The sum of `pulls` rewards N(mean, sigma^2) at one place, in whole quanta.

    Drawn as one Gaussian, which has the law of that sum; for one pull it is that reward itself.

    Parameters
    ----------
    number
        Of the noise: that of the first pull.
    """
    total = mean * pulls + sigma * math.sqrt(pulls) * gauss(key, number)
    limit = REWARD_LIMIT * pulls
    return np.int64(round(min(max(total, -limit), limit) / quantum))
