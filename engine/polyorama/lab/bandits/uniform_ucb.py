"""UCB1 (Auer, Cesa-Bianchi & Fischer 2002) on a uniform grid, for a known horizon.

Each round pulls the arm with the greatest m + sqrt(kappa sigma^2 ln T / n); each arm is pulled once
first. With ln T in place of ln t only the index of the arm that was pulled changes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel
from polyorama.lab.bandits.grid import GridPolicy
from polyorama.lab.bandits.rewards import quantised

if TYPE_CHECKING:
    from polyorama.lab.bandits.policy import Game

__all__ = ["UniformUcb"]


@kernel
def _play(clock, charge, means, counts, sums, index, world, until, variance):
    """One pull a round until `until`.

    The arm is searched for again only when its index has fallen to that of the runner-up.
    """
    _rule, _cones, _table, best, sigma, key, quantum = world
    chosen, runner_up = 0, -np.inf
    search = True
    for t in range(clock[0], until):
        if search:
            chosen, second = 0, -1
            for a in range(1, len(index)):
                if index[a] > index[chosen]:
                    chosen, second = a, chosen
                elif second < 0 or index[a] > index[second]:
                    second = a
            runner_up = index[second] if second >= 0 else -np.inf
        sums[chosen] += quantised(means[chosen], 1, sigma, key, t, quantum)
        counts[chosen] += 1
        charge[0] += best - means[chosen]
        index[chosen] = sums[chosen] * quantum / counts[chosen]
        index[chosen] += math.sqrt(variance / counts[chosen])
        clock[0], clock[1] = t + 1, chosen
        search = index[chosen] <= runner_up


class UniformUcb(GridPolicy):
    """UCB1 on a grid.

    Parameters
    ----------
    game
        What it plays.
    """

    id = "uniform-ucb1"
    title = "Uniform grid, UCB1"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._index = np.full(len(self.arms), np.inf)

    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""
        game = self.game
        _play(
            self._clock, self._charge, self._means, self._counts, self._sums, self._index,
            game.world, min(until, game.horizon), game.variance,
        )  # fmt: skip

    def meet(self, game: Game) -> None:
        """Go on in a changed game: all indices are found anew."""
        super().meet(game)
        counts = np.maximum(self._counts, 1)
        index = self._sums * game.quantum / counts + np.sqrt(game.variance / counts)
        self._index = np.where(self._counts > 0, index, np.inf)
