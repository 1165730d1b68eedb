"""The zooming algorithm (Kleinberg, Slivkins & Upfal 2008), over a fixed set of candidates.

Every active arm a has a confidence ball of radius r_a = sqrt(kappa sigma^2 ln T / n_a) about it; a
candidate that no ball covers is activated. Each round pulls the arm with the greatest m_a + 2 r_a.

The check for uncovered candidates is exact in every round and yet cheap: each candidate remembers
one arm that covers it, each arm the farthest candidate that relies on it; only when an arm's ball
shrinks below that do those candidates look for another.
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

__all__ = ["Zooming", "spread_points"]


def spread_points(count: int, dimension: int) -> NDArray[np.float64]:
    """(count, d) points of the additive recurrence R_d (Roberts 2018), evenly spread for any count.

    Its steps are powers of 1/phi, where phi^(d + 1) = phi + 1.
    """
    phi = 2.0
    for _ in range(60):
        phi = (1.0 + phi) ** (1.0 / (dimension + 1))
    steps = phi ** -np.arange(1.0, dimension + 1.0)
    points: NDArray[np.float64] = (0.5 + np.arange(count)[:, None] * steps) % 1.0
    return points


@kernel
def _distance(first, second):
    square = 0.0
    for axis in range(len(first)):
        away = first[axis] - second[axis]
        square += away * away
    return math.sqrt(square)


@kernel
def _rely(number, active, candidates, arms, radius, witness, reach, lipschitz):
    """Find the arm that covers a candidate with most to spare; False where none does."""
    spare, best, need = -1.0, -1, 0.0
    for a in range(active):
        far = lipschitz * _distance(candidates[number], candidates[arms[a]])
        if far <= radius[a] and radius[a] - far > spare:
            spare, best, need = radius[a] - far, a, far
    if best < 0:
        return False
    witness[number] = best
    reach[best] = max(reach[best], need)
    return True


@kernel
def _cover(arm, active, candidates, arms, radius, witness, reach, lipschitz):
    """Have the candidates that rely on an arm look anew; returns the first uncovered one, or -1."""
    uncovered = -1
    reach[arm] = 0.0
    for number in range(len(candidates)):
        if witness[number] != arm:
            continue
        far = lipschitz * _distance(candidates[number], candidates[arms[arm]])
        if far <= radius[arm]:
            reach[arm] = max(reach[arm], far)
        elif not _rely(number, active, candidates, arms, radius, witness, reach, lipschitz):
            witness[number] = -1
            if uncovered < 0:
                uncovered = number
    return uncovered


@kernel
def _play(
    clock, charge, candidates, arms, counts, sums, index, radius, witness, reach, world, until,
    variance, lipschitz,
):  # fmt: skip
    """One pull a round until `until`; clock is (pulls, active arms, latest arm)."""
    rule, cones, table, best, sigma, key, quantum = world
    for t in range(clock[0], until):
        active = clock[1]
        chosen = 0
        for a in range(1, active):
            if index[a] > index[chosen]:
                chosen = a
        mean = mean_at(candidates[arms[chosen]], rule, cones, table)
        sums[chosen] += quantised(mean, 1, sigma, key, t, quantum)
        counts[chosen] += 1
        charge[0] += best - mean
        clock[0], clock[2] = t + 1, chosen
        radius[chosen] = math.sqrt(variance / counts[chosen])
        index[chosen] = sums[chosen] * quantum / counts[chosen] + 2.0 * radius[chosen]
        if radius[chosen] < reach[chosen]:
            new = _cover(chosen, active, candidates, arms, radius, witness, reach, lipschitz)
            if new >= 0:
                _activate(new, clock, arms, index, radius, witness, reach, lipschitz)


@kernel
def _activate(number, clock, arms, index, radius, witness, reach, lipschitz):
    """Make a candidate an arm; not pulled yet, it covers everything."""
    active = clock[1]
    arms[active] = number
    index[active], radius[active] = np.inf, np.inf
    for other in range(len(witness)):
        if witness[other] < 0:
            witness[other] = active
    reach[active] = np.inf
    clock[1] = active + 1


@kernel
def _cover_all(clock, candidates, arms, index, radius, witness, reach, lipschitz):
    """Check all candidates against all arms, and activate the first that is uncovered."""
    reach[:] = 0.0
    uncovered = -1
    for number in range(len(candidates)):
        if not _rely(number, clock[1], candidates, arms, radius, witness, reach, lipschitz):
            witness[number] = -1
            if uncovered < 0:
                uncovered = number
    if uncovered >= 0:
        _activate(uncovered, clock, arms, index, radius, witness, reach, lipschitz)


class Zooming(Policy):
    """Arms where they are needed, kept for ever.

    Parameters
    ----------
    game
        What it plays.
    """

    id = "zooming"
    title = "Zooming"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        count = 1000 if game.surface.dimension == 1 else 2000
        self._candidates = spread_points(count, game.surface.dimension)
        self._arms = np.zeros(count, np.int64)
        self._counts, self._sums = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._index, self._radius = np.full(count, np.inf), np.full(count, np.inf)
        self._witness = np.zeros(count, np.int64)
        self._reach = np.full(count, np.inf)
        self._clock = np.array([0, 1, 0], np.int64)  # the first candidate is the first arm
        self._charge = np.zeros(1)

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
        place: NDArray[np.float64] = self._candidates[self._arms[self._clock[2]]]
        return place

    @property
    def active(self) -> int:
        """Arms that are kept."""
        return int(self._clock[1])

    @property
    def arms(self) -> NDArray[np.float64]:
        """(A, d) places of the active arms."""
        return self._candidates[self._arms[: self.active]]

    @property
    def radii(self) -> NDArray[np.float64]:
        """(A,) radii of the confidence balls in units of reward; infinite before the first pull."""
        return self._radius[: self.active].copy()

    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""
        game = self.game
        _play(
            self._clock, self._charge, self._candidates, self._arms, self._counts, self._sums,
            self._index, self._radius, self._witness, self._reach, game.world,
            min(until, game.horizon), game.variance, float(game.lipschitz),
        )  # fmt: skip

    def meet(self, game: Game) -> None:
        """Go on in a changed game: all radii and all covers are found anew."""
        self.game = game
        active = self.active
        pulled = self._counts[:active] > 0
        counts = np.maximum(self._counts[:active], 1)
        self._radius[:active] = np.where(pulled, np.sqrt(game.variance / counts), np.inf)
        self._index[:active] = self._sums[:active] * game.quantum / counts
        self._index[:active] += 2.0 * self._radius[:active]
        _cover_all(
            self._clock, self._candidates, self._arms, self._index, self._radius, self._witness,
            self._reach, float(game.lipschitz),
        )  # fmt: skip

    @property
    def state_bits(self) -> int:
        """The active arms: which candidate, how often pulled, the sum; and the pulls of all."""
        game = self.game
        each = len(self._candidates).bit_length() + game.count_bits + game.sum_bits
        return self.active * each + game.count_bits

    @property
    def state_words(self) -> float:
        """Words of active arms, d + 2 each."""
        return float(self.active * (self.game.surface.dimension + 2))
