"""What policies over a fixed grid of arms share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.bandits.policy import Game, Policy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GridPolicy", "arms_per_axis"]

_MOST_ARMS = 1 << 20


def arms_per_axis(horizon: int, log_horizon: float, dimension: int) -> int:
    """The nearest whole number to (T / ln T)^(1 / (d + 2)), which balances grid and chance."""
    return max(1, round(math.pow(horizon / log_horizon, 1.0 / (dimension + 2))))


class GridPolicy(Policy):
    """Arms at the centres of equal cubes; a count and a sum each.

    Parameters
    ----------
    game
        What it plays.

    Raises
    ------
    UsageError
        If there would be more than 2^20 arms.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        dimension = game.surface.dimension
        side = arms_per_axis(game.horizon, game.log_horizon, dimension)
        if side**dimension > _MOST_ARMS:
            raise UsageError(f"A grid of {side} arms along {dimension} axes is too large.")
        axes = np.meshgrid(*[(np.arange(side) + 0.5) / side] * dimension, indexing="ij")
        self.arms = np.stack([axis.ravel() for axis in axes], axis=1)
        """(K, d) places."""
        self._means = game.surface.means(self.arms)
        count = len(self.arms)
        self._counts, self._sums = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._clock = np.zeros(2, np.int64)  # pulls, latest arm
        self._charge = np.zeros(1)

    @property
    def time(self) -> int:
        """Pulls so far."""
        return int(self._clock[0])

    @property
    def regret(self) -> float:
        """Of all pulls so far, measured from the best place of all."""
        return float(self._charge[0])

    @property
    def arm(self) -> NDArray[np.float64]:
        """(d,) where it pulled last."""
        place: NDArray[np.float64] = self.arms[self._clock[1]]
        return place

    def meet(self, game: Game) -> None:
        """Go on in a changed game on the same grid."""
        self.game = game
        self._means = game.surface.means(self.arms)

    @property
    def state_bits(self) -> int:
        """A count and a sum an arm, and the pulls of all; the places follow from T."""
        game = self.game
        return len(self.arms) * (game.count_bits + game.sum_bits) + game.count_bits

    @property
    def state_words(self) -> float:
        """2 words an arm."""
        return 2.0 * len(self.arms)
