"""BLiN: batches that pull every surviving cube and then eliminate (Feng, Huang & Wang 2022).

The rival that keeps all surviving cubes in memory. In batch m every active cube of edge r = 2^-m is
pulled n = ceil(c ln T / r^2) times; then cubes that cannot hold the best arm go, and the others are
split into 2^d. The numbers n, w and D are those of Log-Li (see `log_li`), so that only the memory
differs. Edges are halved from batch to batch, as the reference measured it.
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

__all__ = ["ABlin"]

TIME, CUBE, PULLS, OPEN = 0, 1, 2, 3
"""Of the state: pulls of all, the active cube that is being pulled, its pulls so far, and those
that are not charged yet."""


@kernel
def _settle(state, charge, cell, edge, sums, place, world, one_by_one):
    """Charge the open pulls of a cube at (d,) whole `cell`; draw their sum if it was put off."""
    count = state[OPEN]
    if count == 0:
        return
    rule, cones, table, best, sigma, key, quantum = world
    place[:] = (cell + 0.5) * edge
    mean = mean_at(place, rule, cones, table)
    charge[0] += count * (best - mean)
    if not one_by_one:
        sums[state[CUBE]] += quantised(mean, count, sigma, key, state[TIME] - count, quantum)
    state[OPEN] = 0


@kernel
def _play(state, charge, cells, edge, sums, place, world, until, wanted, one_by_one):
    """Pull the active cubes one after the other, `wanted` times each, until `until`."""
    rule, cones, table, _best, sigma, key, quantum = world
    while state[TIME] < until and state[CUBE] < len(cells):
        count = max(0, min(wanted - state[PULLS], until - state[TIME]))
        place[:] = (cells[state[CUBE]] + 0.5) * edge
        if one_by_one:
            mean = mean_at(place, rule, cones, table)
            for t in range(state[TIME], state[TIME] + count):
                sums[state[CUBE]] += quantised(mean, 1, sigma, key, t, quantum)
        state[TIME] += count
        state[PULLS] += count
        state[OPEN] += count
        if state[PULLS] < wanted:
            return
        _settle(state, charge, cells[state[CUBE]], edge, sums, place, world, one_by_one)
        state[CUBE] += 1
        state[PULLS] = 0


class ABlin(Policy):
    """Batched elimination over a growing list of cubes.

    Parameters
    ----------
    game
        What it plays.
    """

    id = "a-blin"
    title = "A-BLiN"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._dimension = game.surface.dimension
        corners = np.arange(2**self._dimension)[:, None] >> np.arange(self._dimension)
        self._corners = (corners & 1).astype(np.int64)
        self.batch = 1
        self._cells = self._corners.copy()
        self._sums = np.zeros(len(self._cells), np.int64)
        self._wanted = game.cube_pulls(1)
        self.peak_cubes = len(self._cells)
        self._state = np.zeros(4, np.int64)
        self._charge = np.zeros(1)
        self._place = np.zeros(self._dimension)
        self._find_place()

    @property
    def time(self) -> int:
        """Pulls so far."""
        return int(self._state[TIME])

    @property
    def edge(self) -> float:
        """Edge r of this batch."""
        return math.ldexp(1.0, -self.batch)

    @property
    def regret(self) -> float:
        """Of all pulls so far."""
        surface = self.game.surface
        gap = surface.best - float(surface.means(self._place[None])[0])
        return float(self._charge[0]) + int(self._state[OPEN]) * gap

    @property
    def arm(self) -> NDArray[np.float64]:
        """(d,) where it pulls now."""
        return self._place.copy()

    @property
    def cubes(self) -> NDArray[np.float64]:
        """(N, 2, d) lower and upper corners of the active cubes."""
        low = self._cells * self.edge
        corners: NDArray[np.float64] = np.stack([low, low + self.edge], axis=1)
        return corners

    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""
        game = self.game
        until = min(until, game.horizon)
        while self.time < until:
            _play(
                self._state, self._charge, self._cells, self.edge, self._sums, self._place,
                game.world, until, self._wanted, game.one_by_one,
            )  # fmt: skip
            if self._state[CUBE] == len(self._cells):
                self._end_batch()
        self._find_place()

    def _end_batch(self) -> None:
        """Eliminate: m + w + D < max over the batch of (m - w); split what is left."""
        game = self.game
        means = self._sums * game.quantum / self._wanted
        width = math.sqrt(game.variance / self._wanted)
        rise = 0.5 * game.lipschitz * math.sqrt(self._dimension) * self.edge
        kept = self._cells[means + width + rise >= means.max() - width]
        children = 2 * kept[:, None] + self._corners
        self._cells = children.reshape(-1, self._dimension)
        self._sums = np.zeros(len(self._cells), np.int64)
        self.batch += 1
        self._wanted = game.cube_pulls(self.batch)
        self.peak_cubes = max(self.peak_cubes, len(self._cells))
        self._state[[CUBE, PULLS]] = 0

    def _find_place(self) -> None:
        self._place[:] = (self._cells[self._state[CUBE]] + 0.5) * self.edge

    def meet(self, game: Game) -> None:
        """Go on in a changed game; a batch that has begun keeps its pulls a cube."""
        _settle(
            self._state, self._charge, self._cells[self._state[CUBE]], self.edge, self._sums,
            self._place, self.game.world, self.game.one_by_one,
        )  # fmt: skip
        self.game = game

    @property
    def state_bits(self) -> int:
        """Paths of the active cubes, sums of those pulled, batch, cube at work and pulls."""
        count, game = len(self._cells), self.game
        paths = count * self.batch * self._dimension
        sums = (int(self._state[CUBE]) + 1) * game.sum_bits
        return paths + sums + 2 * game.count_bits + self.batch.bit_length() + count.bit_length()

    @property
    def state_words(self) -> float:
        """Words of active cubes, d + 1 each."""
        return float(len(self._cells) * (self._dimension + 1))

    @property
    def most_words(self) -> float:
        """The same at the largest batch so far."""
        return float(self.peak_cubes * (self._dimension + 1))
