"""What a policy for a Lipschitz bandit is: what it knows, what it keeps, what it is charged."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.bandits.rewards import HIGHEST, PAINTED, REWARD_LIMIT, SUM
from polyorama.lab.streams import torch_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.bandits.surfaces import Surface

__all__ = ["WORD_BITS", "Game", "Policy", "quantum_exponent"]

WORD_BITS = 32
"""Of a machine word, as state in words is counted."""

_RULES = {"sum": SUM, "highest": HIGHEST, "painted": PAINTED}
_MOST_ROUNDS = 2**36
"""So that the sum of that many quantised rewards fits 64 bits."""


def quantum_exponent(horizon: int) -> int:
    """Exponent f of the quantum 2^-f of rewards: half of log2 T, rounded up, and four.

    A mean of rounded rewards is then within 2^-f / 2 <= 1 / (32 sqrt(T)) of the exact one, which is
    little beside the width of a mean of T rewards, and takes O(log T) bits.
    """
    return math.ceil(math.log2(horizon) / 2.0) + 4


@dataclass(frozen=True)
class Game:
    """A bandit and what a policy is told of it.

    Parameters
    ----------
    surface
        Mean rewards.
    horizon
        T, the number of pulls, known to policies.
    sigma
        Standard deviation of a reward, known to policies.
    lipschitz
        The Lipschitz constant that policies are told; it may be wrong.
    pulls
        c: a cube with edge r is pulled ceil(c ln T / r^2) times.
    width
        kappa: a mean of n pulls is trusted to within sqrt(kappa sigma^2 ln T / n).
    one_by_one
        Whether every reward is drawn, rather than the sum over a cube's pulls at once.
    seed
        Of the noise.

    Raises
    ------
    UsageError
        If a number is out of its range.
    """

    surface: Surface
    horizon: int
    sigma: float = 0.1
    lipschitz: float = math.nan
    pulls: float = 0.03
    width: float = 2.0
    one_by_one: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.horizon <= _MOST_ROUNDS:
            raise UsageError(f"The horizon is 2 to 2^36 pulls, not {self.horizon:,}.")
        if math.isnan(self.lipschitz):
            object.__setattr__(self, "lipschitz", self.surface.lipschitz)
        for name in ("sigma", "lipschitz", "pulls", "width"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise UsageError(f"{name} is a finite number from zero on, not {value!r}.")
        if self.pulls == 0.0:
            raise UsageError("A cube has to be pulled: pulls is above zero.")

    @cached_property
    def log_horizon(self) -> float:
        """Its ln T."""
        return math.log(self.horizon)

    @cached_property
    def quantum(self) -> float:
        """The unit of stored rewards."""
        return math.ldexp(1.0, -quantum_exponent(self.horizon))

    @cached_property
    def key(self) -> np.uint64:
        """Of the noise, the same for every policy."""
        return np.uint64(torch_seed(self.seed, "rewards"))

    @cached_property
    def world(self) -> tuple[Any, ...]:
        """What kernels draw rewards from: rule, cones, table, best mean, sigma, key, quantum."""
        surface = self.surface
        return (
            _RULES[surface.rule], surface.cones, surface.table, surface.best, self.sigma, self.key,
            self.quantum,
        )  # fmt: skip

    @property
    def variance(self) -> float:
        """Here kappa sigma^2 ln T: the squared width of a mean of one pull."""
        return self.width * self.sigma**2 * self.log_horizon

    def cube_pulls(self, depth: int) -> int:
        """Pulls n of a cube of a depth: ceil(c ln T 4^depth)."""
        return max(1, math.ceil(self.pulls * self.log_horizon * 4.0**depth))

    @property
    def count_bits(self) -> int:
        """Bits of a whole number from 0 to T."""
        return self.horizon.bit_length()

    @property
    def sum_bits(self) -> int:
        """Bits of a sum of up to T quantised rewards, with its sign."""
        limit = math.ldexp(REWARD_LIMIT * self.horizon, quantum_exponent(self.horizon))
        return int(limit).bit_length() + 1


class Policy(abc.ABC):
    """A player who pulls arms of a game, one a round.

    The regret that it is charged is exact: the sum of best mean minus mean of the arm. Means that
    it keeps are sums of quantised rewards, whole numbers.

    Parameters
    ----------
    game
        What it plays.
    """

    id: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    @abc.abstractmethod
    def time(self) -> int:
        """Pulls so far."""

    @property
    @abc.abstractmethod
    def regret(self) -> float:
        """Of all pulls so far."""

    @abc.abstractmethod
    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""

    @abc.abstractmethod
    def meet(self, game: Game) -> None:
        """Go on in a changed game of the same dimension and horizon."""

    @property
    @abc.abstractmethod
    def state_bits(self) -> int:
        """Bits that have to be kept now, from this pull to the next."""

    @property
    @abc.abstractmethod
    def state_words(self) -> float:
        """The same in machine words, with one word a number, as the reference counts."""

    @property
    @abc.abstractmethod
    def arm(self) -> NDArray[np.float64]:
        """(d,) where it pulls now."""
