"""Thompson sampling with Gaussian posteriors on a uniform grid (Agrawal & Goyal 2013).

With a flat prior and known sigma the posterior of an arm after n pulls is N(m, sigma^2 / n). Each
round draws one mean an arm and pulls the greatest; each arm is pulled once first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.bandits.grid import GridPolicy
from polyorama.lab.bandits.rewards import gauss, quantised, rarity
from polyorama.lab.streams import torch_seed

if TYPE_CHECKING:
    from polyorama.lab.bandits.policy import Game

__all__ = ["Thompson"]

_CERTAIN = 1.0 + 1e-9
"""Above 1 by more than rounding."""


@kernel
def _cannot_win(gap, spread, share):
    """Whether spread times the deviate of that share is surely below the gap, without logarithms.

    The deviate is at most sqrt(-2 ln u), which is below z = gap / spread where u exp(z^2 / 2) > 1;
    and the exponential is greater than the first terms of its series.
    """
    x = 0.5 * (gap / spread) ** 2
    return gap > 0.0 and share * (1.0 + x * (1.0 + x * (0.5 + x / 6.0))) > _CERTAIN


@kernel
def _play(clock, charge, means, counts, sums, centre, spread, world, until, own_key):
    """One pull a round until `until`.

    The deviates have numbers, so those of arms that cannot win are never made.
    """
    _rule, _cones, _table, best, sigma, key, quantum = world
    arms = len(means)
    leader = clock[1]
    for t in range(clock[0], until):
        if t < arms:
            chosen = t
        else:
            # The latest arm first: it is likely to win, and then most others are skipped.
            chosen = leader
            highest = centre[chosen] + spread[chosen] * gauss(own_key, t * arms + chosen)
            for a in range(arms):
                number = t * arms + a
                share = rarity(own_key, number)
                if a == leader or _cannot_win(highest - centre[a], spread[a], share):
                    continue
                drawn = centre[a] + spread[a] * gauss(own_key, number)
                if drawn > highest:
                    chosen, highest = a, drawn
        sums[chosen] += quantised(means[chosen], 1, sigma, key, t, quantum)
        counts[chosen] += 1
        charge[0] += best - means[chosen]
        centre[chosen] = sums[chosen] * quantum / counts[chosen]
        spread[chosen] = sigma / math.sqrt(counts[chosen])
        leader = chosen
        clock[0], clock[1] = t + 1, chosen


class Thompson(GridPolicy):
    """Thompson sampling on a grid.

    Parameters
    ----------
    game
        What it plays.
    """

    id = "thompson"
    title = "Uniform grid, Thompson"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._centre, self._spread = np.zeros(len(self.arms)), np.zeros(len(self.arms))
        self._own_key = np.uint64(torch_seed(game.seed, "thompson"))

    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""
        game = self.game
        _play(
            self._clock, self._charge, self._means, self._counts, self._sums, self._centre,
            self._spread, game.world, min(until, game.horizon), self._own_key,
        )  # fmt: skip

    def meet(self, game: Game) -> None:
        """Go on in a changed game: all posteriors are found anew."""
        super().meet(game)
        self._spread = game.sigma / np.sqrt(np.maximum(self._counts, 1))
