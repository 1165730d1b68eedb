"""Log-Li: a Lipschitz bandit in O(log T) bits, after Zhu & Huang (ICLR 2025).

A reconstruction: the paper's structure (rounds that walk the tree of cubes depth first, one
adaptive reference arm, elimination) is known, its algorithm text and constants are not. What
follows is the whole of it. The registers are all that is kept; `LogLi.pack` puts them into one
whole number of exactly as many bits as are counted, and a run can be resumed from it alone.

With edge r = 2^-j of a cube of depth j, ambient dimension d, and L the Lipschitz constant:

==========  ==================================  ======================================
n           ceil(c ln T / r^2)                  fresh pulls of the cube's centre
m           (sum of their rewards) / n          quantised
w           sqrt(kappa sigma^2 ln T / n)        width of the confidence interval
D           L r sqrt(d) / 2                     how far the mean can rise in the cube
==========  ==================================  ======================================

For rounds b = 1, 2, ...: walk the cubes depth first from the children of the unit cube. A cube
with m + w + D < max(refL, bestL) is pruned; else its centre becomes the round's best where
m - w > bestL, and where j < b the walk goes down. After the round the best becomes the reference
if bestL > refL. The practical variant commits: after B = floor(log2(T / ln T) / (d + 2)) rounds
it plays the reference until T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import kernel
from polyorama.errors import UsageError
from polyorama.lab.bandits.policy import WORD_BITS, Game, Policy, quantum_exponent
from polyorama.lab.bandits.rewards import mean_at, quantised

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "TRACE", "TRACE_ROWS", "LogLi", "LogLiCommit", "Register", "deepest_cube", "layout",
]  # fmt: skip

TIME, ROUND, DEPTH, PATH, PULLS, SUM = 0, 1, 2, 3, 4, 5
REF_DEPTH, REF_PATH, REF_LOW, BEST_DEPTH, BEST_PATH, BEST_LOW = 6, 7, 8, 9, 10, 11
"""Places of the registers, whole numbers all: lower bounds in quanta, paths as child indices of d
bits each, the last in the lowest bits."""

_NONE = -(2**62)
"""The lower bound of an arm that is not there yet: minus infinity."""

_LOW_LIMIT = 16.0
"""Lower bounds lie within +- this."""

OPEN, VISITS, ROUND_START = 0, 1, 2
"""Of the account: pulls that are not charged yet, cubes judged so far, and judged before this
round."""

TRACE = ("depth", "path", "pulls", "mean", "width", "rise", "line", "verdict")
"""Columns of the trace of judged cubes; the verdict is 0 pruned, 1 kept, 2 kept and now best. For
whoever watches: the policy never reads it."""

TRACE_ROWS = 1 << 14

_MOST_PATH_BITS = 62


@kernel
def _centre(path, depth, place):
    """Write the centre of a cube: bit a of child index i says which half of axis a it is."""
    dimension = len(place)
    edge = 1.0
    place[:] = 0.5
    for level in range(depth - 1, -1, -1):
        edge *= 0.5
        child = path >> (level * dimension)
        for axis in range(dimension):
            place[axis] += 0.5 * edge if (child >> axis) & 1 else -0.5 * edge


@kernel
def _settle(registers, account, charge, place, world, one_by_one):
    """Charge the open pulls at a place; draw their sum if that was put off."""
    count = account[OPEN]
    if count == 0:
        return
    rule, cones, table, best, sigma, key, quantum = world
    mean = mean_at(place, rule, cones, table)
    charge[0] += count * (best - mean)
    if not one_by_one:
        first = registers[TIME] - count
        registers[SUM] += quantised(mean, count, sigma, key, first, quantum)
    account[OPEN] = 0


@kernel
def _next_sibling(registers, dimension):
    """Go on to the next cube that is not below this one; depth 0 when the round is over."""
    last = (1 << dimension) - 1
    while registers[DEPTH] > 0 and registers[PATH] & last == last:
        registers[PATH] >>= dimension
        registers[DEPTH] -= 1
    if registers[DEPTH] > 0:
        registers[PATH] += 1


@kernel
def _end_round(registers, account):
    """Step 5: the round's best becomes the reference if it is better; begin the next round."""
    if registers[BEST_LOW] > registers[REF_LOW]:
        registers[REF_DEPTH : REF_LOW + 1] = registers[BEST_DEPTH : BEST_LOW + 1]
    registers[BEST_DEPTH], registers[BEST_PATH], registers[BEST_LOW] = 0, 0, _NONE
    registers[ROUND] += 1
    registers[DEPTH], registers[PATH] = 1, 0
    account[ROUND_START] = account[VISITS]


@kernel
def _judge(registers, account, trace, dimension, variance, lipschitz, quantum):
    """Steps 3 to 5: prune the cube or keep it, and move on."""
    depth, pulls = registers[DEPTH], registers[PULLS]
    mean = registers[SUM] * quantum / pulls
    width = math.sqrt(variance / pulls)
    rise = 0.5 * lipschitz * math.sqrt(dimension) * 0.5**depth
    line = max(registers[REF_LOW], registers[BEST_LOW])
    verdict = 0
    if mean + width + rise >= line * quantum:
        verdict = 1
        low = np.int64(math.floor(min(max(mean - width, -_LOW_LIMIT), _LOW_LIMIT) / quantum))
        if low > registers[BEST_LOW]:
            verdict = 2
            registers[BEST_DEPTH], registers[BEST_PATH] = depth, registers[PATH]
            registers[BEST_LOW] = low
    row = trace[account[VISITS] % len(trace)]
    row[0], row[1], row[2], row[3], row[4] = depth, registers[PATH], pulls, mean, width
    row[5], row[6], row[7] = rise, np.nan if line == _NONE else line * quantum, verdict
    account[VISITS] += 1
    registers[PULLS], registers[SUM] = 0, 0
    if verdict > 0 and depth < registers[ROUND]:
        registers[DEPTH] = depth + 1
        registers[PATH] <<= dimension
        return
    _next_sibling(registers, dimension)
    if registers[DEPTH] == 0:
        _end_round(registers, account)


@kernel
def _play(
    registers, account, charge, trace, place, world, until, last_round, cost, variance, lipschitz,
    one_by_one,
):  # fmt: skip
    """Pull until `until`; `cost` is c ln T and `variance` kappa sigma^2 ln T."""
    rule, cones, table, _best, sigma, key, quantum = world
    dimension = len(place)
    while registers[TIME] < until:
        left = until - registers[TIME]
        if registers[ROUND] > last_round:  # step 6: committed to the reference
            registers[TIME] += left
            account[OPEN] += left
            return
        depth = registers[DEPTH]
        _centre(registers[PATH], depth, place)
        wanted = max(1, math.ceil(cost * 4.0**depth))  # step 2
        count = max(0, min(wanted - registers[PULLS], left))
        if one_by_one:
            mean = mean_at(place, rule, cones, table)
            for t in range(registers[TIME], registers[TIME] + count):
                registers[SUM] += quantised(mean, 1, sigma, key, t, quantum)
        registers[TIME] += count
        registers[PULLS] += count
        account[OPEN] += count
        if registers[PULLS] < wanted:
            return
        _settle(registers, account, charge, place, world, one_by_one)
        _judge(registers, account, trace, dimension, variance, lipschitz, quantum)
        if registers[ROUND] > last_round:
            _centre(registers[REF_PATH], registers[REF_DEPTH], place)


@dataclass(frozen=True, slots=True)
class Register:
    """One of the whole numbers that Log-Li keeps.

    Parameters
    ----------
    name
        What it is, sentence case.
    place
        Where it stands.
    bits
        How many it takes now.
    offset
        What is added to it to make it a number from 0 on.
    """

    name: str
    place: int
    bits: int
    offset: int = 0


def deepest_cube(game: Game) -> int:
    """The least depth at which one cube costs more than all T pulls, about log2(T) / 2.

    No walk gets below it, so from that round on all rounds are alike.

    Raises
    ------
    UsageError
        If a path down to it would not fit one register.
    """
    deepest = 1
    while game.cube_pulls(deepest) <= game.horizon:
        deepest += 1
    if deepest * game.surface.dimension > _MOST_PATH_BITS:
        raise UsageError(
            f"A walk of {game.horizon:,} pulls in {game.surface.dimension} dimensions may go "
            f"{deepest} cubes deep, and its path does not fit {_MOST_PATH_BITS} bits; take fewer."
        )
    return deepest


def layout(game: Game, levels: int, deepest: int) -> tuple[Register, ...]:
    """The registers and their sizes, all O(log T): every round costs pulls, so T are enough.

    Parameters
    ----------
    levels
        How far down this round's walk may go.
    deepest
        How far down any may go.
    """
    level, path = (deepest + 1).bit_length(), game.surface.dimension * levels
    reach = math.ceil(math.ldexp(_LOW_LIMIT, quantum_exponent(game.horizon)))
    low = (2 * reach + 1).bit_length()
    half = 1 << (game.sum_bits - 1)
    return (
        Register("Pulls of all", TIME, game.count_bits),
        Register("Round", ROUND, game.count_bits),
        Register("Depth", DEPTH, level),
        Register("Path", PATH, path),
        Register("Pulls of this cube", PULLS, game.count_bits),
        Register("Sum of rewards", SUM, game.sum_bits, half),
        Register("Reference depth", REF_DEPTH, level),
        Register("Reference path", REF_PATH, path),
        Register("Reference line", REF_LOW, low, reach + 1),
        Register("Best depth", BEST_DEPTH, level),
        Register("Best path", BEST_PATH, path),
        Register("Best line", BEST_LOW, low, reach + 1),
    )


class LogLi(Policy):
    """Log-Li without commitment: rounds until T.

    Parameters
    ----------
    game
        What it plays.

    Raises
    ------
    UsageError
        If its path would not fit one register.
    """

    id = "log-li"
    title = "Log-Li"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._deepest = deepest_cube(game)
        self._registers = np.zeros(12, np.int64)
        self._registers[[ROUND, DEPTH]] = 1
        self._registers[[REF_LOW, BEST_LOW]] = _NONE
        self._account = np.zeros(3, np.int64)
        self._charge = np.zeros(1)
        self._place = np.zeros(game.surface.dimension)
        self._trace = np.full((TRACE_ROWS, len(TRACE)), np.nan)
        self._find_place()

    @property
    def last_round(self) -> int:
        """The round after which it commits; none here, for T rounds cost more than T pulls."""
        return self.game.horizon

    @property
    def committed(self) -> bool:
        """Whether it only plays the reference from now on."""
        return bool(self._registers[ROUND] > self.last_round)

    @property
    def time(self) -> int:
        """Pulls so far."""
        return int(self._registers[TIME])

    @property
    def regret(self) -> float:
        """Of all pulls so far, those of a cube that is being pulled included."""
        mean = float(self.game.surface.means(self._place[None])[0])
        return float(self._charge[0]) + int(self._account[OPEN]) * (self.game.surface.best - mean)

    @property
    def arm(self) -> NDArray[np.float64]:
        """(d,) where it pulls now."""
        return self._place.copy()

    def play(self, until: int) -> None:
        """Pull until `until` pulls are done, or the horizon is reached."""
        game = self.game
        _play(
            self._registers, self._account, self._charge, self._trace, self._place, game.world,
            min(until, game.horizon), self.last_round, game.pulls * game.log_horizon,
            game.variance, float(game.lipschitz), game.one_by_one,
        )  # fmt: skip
        self._find_place()

    def meet(self, game: Game) -> None:
        """Go on in a changed game of the same dimension and horizon."""
        # Cubes that cost less may lie deeper; those that were reached before stay where they are.
        self._deepest = max(self._deepest, deepest_cube(game))
        _settle(
            self._registers, self._account, self._charge, self._place, self.game.world,
            self.game.one_by_one,
        )  # fmt: skip
        self.game = game

    def _find_place(self) -> None:
        first = REF_DEPTH if self.committed else DEPTH
        depth, path = self._registers[first], self._registers[first + 1]
        _centre(path, depth, self._place)

    def registers(self) -> dict[str, int]:
        """What is kept now, by name of the register."""
        return {r.name: int(self._registers[r.place]) for r in self._layout()}

    def _layout(self) -> tuple[Register, ...]:
        return layout(self.game, self._levels, self._deepest)

    @property
    def _levels(self) -> int:
        """How far down the walk of this round, or of the last one, may go."""
        return min(int(self._registers[ROUND]), self.last_round, self._deepest)

    @property
    def state_bits(self) -> int:
        """Bits of all registers."""
        return sum(register.bits for register in self._layout())

    @property
    def state_words(self) -> float:
        """Three paths of d bits a level, and eight words."""
        return 3.0 * self._levels * self.game.surface.dimension / WORD_BITS + 8.0

    def codes(self) -> list[tuple[int, int]]:
        """Each register as a whole number from 0 on, and its size in bits."""
        found = []
        for register in self._layout():
            value = int(self._registers[register.place])
            found.append((0 if value == _NONE else value + register.offset, register.bits))
        return found

    def pack(self) -> int:
        """All that is kept, as one whole number below 2^`state_bits`.

        The first register lies in the lowest bits. Pulls that were put off have to be drawn first,
        as `meet` does; with `one_by_one` there are none.
        """
        number = 0
        for code, bits in reversed(self.codes()):
            number = number << bits | code
        return number

    def unpack(self, number: int) -> None:
        """Take up what `pack` gave, and forget everything else."""
        self._registers[ROUND] = 1  # its size and that of the register below do not depend on it
        for place in (TIME, ROUND):
            register = self._layout()[place]
            self._registers[place] = number & ((1 << register.bits) - 1)
            number >>= register.bits
        for register in self._layout()[ROUND + 1 :]:
            code = number & ((1 << register.bits) - 1)
            number >>= register.bits
            none = code == 0 and register.place in (REF_LOW, BEST_LOW)
            self._registers[register.place] = _NONE if none else code - register.offset
        self._account[:] = 0
        self._charge[:] = 0.0
        self._find_place()

    @property
    def line(self) -> float:
        """Greatest certain lower bound, of the reference or of this round's best; or -infinity."""
        low = max(int(self._registers[REF_LOW]), int(self._registers[BEST_LOW]))
        return -math.inf if low == _NONE else low * self.game.quantum

    def marks(self) -> list[tuple[str, NDArray[np.float64], float]]:
        """Reference and best of this round, as far as there are: name, place and lower bound."""
        found = []
        for name, first in (("reference", REF_DEPTH), ("best", BEST_DEPTH)):
            depth, path, low = self._registers[first : first + 3]
            if low != _NONE:
                place = np.zeros(self.game.surface.dimension)
                _centre(path, depth, place)
                found.append((name, place, float(low) * self.game.quantum))
        return found

    @property
    def visits(self) -> int:
        """Cubes judged so far."""
        return int(self._account[VISITS])

    def judged(self, since: int) -> NDArray[np.float64]:
        """Rows of the trace from the visit `since` on, the newest `TRACE_ROWS` at most."""
        first = max(since, self.visits - TRACE_ROWS, 0)
        rows: NDArray[np.float64] = self._trace[np.arange(first, self.visits) % TRACE_ROWS]
        return rows

    @property
    def round_start(self) -> int:
        """Cubes judged before this round."""
        return int(self._account[ROUND_START])


class LogLiCommit(LogLi):
    """Log-Li that plays the reference after B = floor(log2(T / ln T) / (d + 2)) rounds."""

    id = "log-li-commit"
    title = "Log-Li, commits"

    @property
    def last_round(self) -> int:
        """B, at least 1."""
        game = self.game
        ratio = math.log2(game.horizon / game.log_horizon)
        return max(1, math.floor(ratio / (game.surface.dimension + 2)))
