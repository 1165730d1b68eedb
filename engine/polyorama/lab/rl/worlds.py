"""Small worlds of numbered states: a river, a deep sea, and grids that a person draws.

All are tabular Markov decision processes that start anew after a fixed number of steps and whose
laws do not change with time. Tables have a column for each pair of an action and a state, column
``action * states + state``, so that the best action is found by comparing whole rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyorama.errors import UsageError

__all__ = [
    "DEFAULT_GRID", "GRID_KINDS", "GRID_SHAPE", "MAPS", "World", "deep_sea", "grid", "river_swim",
]  # fmt: skip

Floats = NDArray[np.float64]

GRID_SHAPE = (10, 14)
"""Rows and columns of the grid that is drawn on."""
GRID_KINDS = ("floor", "wall", "trap", "slippery", "start", "goal")
FLOOR, WALL, TRAP, SLIPPERY, START, GOAL = range(6)
_MOVES = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)])
"""Left, right, down, up."""


@dataclass(frozen=True, slots=True)
class World:
    """A Markov decision process with `states` x `actions` pairs.

    Parameters
    ----------
    horizon
        Steps of an episode.
    start
        The state it begins in.
    rewards
        Expected reward of each pair, (actions * states,), 0..1.
    successors
        States that may follow, (width, actions * states) uint32.
    chances
        With which probability, of the same shape; each column sums to 1, places without use have 0.
    places
        Where each state is drawn, (states, 2).
    moves
        Direction in which each action is drawn, (actions, 2).

    Raises
    ------
    UsageError
        If the tables do not fit one another, rewards leave 0..1 or chances are none.
    """

    horizon: int
    start: int
    rewards: Floats
    successors: NDArray[np.uint32]
    chances: Floats
    places: Floats
    moves: Floats

    def __post_init__(self) -> None:
        pairs = self.actions * self.states
        if self.horizon < 1 or not 0 <= self.start < self.states:
            raise UsageError("A world needs at least one step and a start among its states.")
        if self.actions < 2:
            raise UsageError("A world needs at least two actions to choose from.")
        if self.rewards.shape != (pairs,) or self.chances.shape != self.successors.shape:
            raise UsageError("The tables of a world need a column for each action and state.")
        if self.chances.shape[1:] != (pairs,) or self.successors.max() >= self.states:
            raise UsageError("The successors of a world have to be its own states.")
        if not (self.rewards.min() >= 0.0 and self.rewards.max() <= 1.0):
            raise UsageError("Rewards lie between 0 and 1, or values may leave 0 to the horizon.")
        if self.chances.min() < 0.0 or abs(self.chances.sum(axis=0) - 1.0).max() > 1e-9:
            raise UsageError("The chances of what follows a pair have to sum to 1.")
        for array in (self.rewards, self.successors, self.chances, self.places, self.moves):
            array.setflags(write=False)

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.places)

    @property
    def actions(self) -> int:
        """How many actions each state has."""
        return len(self.moves)


def river_swim(states: int, horizon: int) -> World:
    """RiverSwim: upstream is where the treasure is, downstream a crumb.

    Swimming right goes ahead with 0.35, stays with 0.6 and drifts back with 0.05; at the first bank
    it goes ahead with 0.6, at the last it stays with 0.6. Swimming left always goes left. The first
    bank gives 0.005 for swimming left, the last 1 for swimming right.

    Raises
    ------
    UsageError
        If there are fewer than two states.
    """
    if states < 2:
        raise UsageError(f"A river needs at least 2 states, not {states}.")
    left, right = np.arange(states), states + np.arange(states)
    successors = np.zeros((3, 2 * states), np.uint32)
    chances = np.zeros((3, 2 * states))
    successors[0, left] = np.maximum(np.arange(states) - 1, 0)
    chances[0, left] = 1.0
    for slot, (step, chance) in enumerate(((1, 0.35), (0, 0.6), (-1, 0.05))):
        successors[slot, right] = np.clip(np.arange(states) + step, 0, states - 1)
        chances[slot, right] = chance
    first, last = right[0], right[-1]
    successors[:, first], chances[:, first] = (1, 0, 0), (0.6, 0.4, 0.0)
    successors[:, last], chances[:, last] = (states - 1, states - 2, 0), (0.6, 0.4, 0.0)
    rewards = np.zeros(2 * states)
    rewards[left[0]], rewards[last] = 0.005, 1.0
    places = np.stack([np.arange(states, dtype=np.float64), np.zeros(states)], axis=1)
    return World(horizon, 0, rewards, successors, chances, places, _MOVES[:2].copy())


def deep_sea(size: int) -> World:
    """DeepSea: a diver sinks a row a step; only who swims right at every step finds the chest.

    As in bsuite, but for two things. There a cell decides by luck which action swims right; here it
    is always the second. There swimming right costs 0.01 / size; here swimming left earns that, so
    that rewards lie in 0..1. Each policy earns 0.01 more, whichever it is, and keeps its regret.

    Raises
    ------
    UsageError
        If the size is below two.
    """
    if size < 2:
        raise UsageError(f"A deep sea needs at least 2 rows, not {size}.")
    row, column = np.tril_indices(size)
    states = len(row)
    number = np.zeros((size, size), np.int64)
    number[row, column] = np.arange(states)
    successors = np.zeros((1, 2 * states), np.uint32)
    below = np.minimum(row + 1, size - 1)
    left, right = np.maximum(column - 1, 0), np.minimum(column + 1, size - 1)
    ends = row == size - 1
    successors[0, :states] = np.where(ends, 0, number[below, left])
    successors[0, states:] = np.where(ends, 0, number[below, right])
    rewards = np.zeros(2 * states)
    rewards[:states] = 0.01 / size
    rewards[-1] = 1.0
    places = np.stack([column, size - 1.0 - row], axis=1).astype(np.float64)
    moves = np.array([(-1.0, -1.0), (1.0, -1.0)])
    return World(size, 0, rewards, successors, np.ones_like(successors, float), places, moves)


def grid(kinds: Floats, horizon: int, slip: float) -> World:
    """A walk over a drawn map.

    Steps go left, right, down or up; into a wall or the edge they stay. Every step spent on a goal
    gives 1. Goals and traps hold who enters them until the episode ends. From slippery ground a
    step goes to either side instead, with `slip` / 2 each.

    Parameters
    ----------
    kinds
        Of each cell, (rows, columns), the first row at the bottom: indices into `GRID_KINDS`.
    horizon
        Steps of an episode.
    slip
        0..1.

    Raises
    ------
    UsageError
        If there is not exactly one start, or no goal.
    """
    kinds = np.asarray(kinds)
    if (kinds == START).sum() != 1:
        raise UsageError(f"A map needs one start, not {(kinds == START).sum()}.")
    if not (kinds == GOAL).any():
        raise UsageError("A map needs a goal; paint one.")
    rows, columns = np.nonzero(kinds != WALL)
    states = len(rows)
    number = np.full((kinds.shape[0] + 2, kinds.shape[1] + 2), -1)
    number[rows + 1, columns + 1] = np.arange(states)
    kind = kinds[rows, columns]
    held = (kind == GOAL) | (kind == TRAP)
    here = np.arange(states)

    def after(move: Floats) -> NDArray[np.int64]:
        there = number[rows + 1 + int(move[1]), columns + 1 + int(move[0])]
        return np.where(held | (there < 0), here, there)

    sides = ((2, 3), (2, 3), (0, 1), (0, 1))
    successors = np.zeros((3, 4 * states), np.uint32)
    chances = np.zeros((3, 4 * states))
    slips = np.where(kind == SLIPPERY, slip, 0.0)
    for action in range(4):
        columns_of = action * states + here
        for slot, move in enumerate((action, *sides[action])):
            successors[slot, columns_of] = after(_MOVES[move])
            chances[slot, columns_of] = slips / 2.0 if slot else 1.0 - slips
    rewards = np.tile(np.where(kind == GOAL, 1.0, 0.0), 4)
    places = np.stack([columns, rows], axis=1).astype(np.float64)
    start = int(np.flatnonzero(kind == START)[0])
    return World(horizon, start, rewards, successors, chances, places, _MOVES.copy())


def _drawn(text: str) -> Floats:
    letters = {".": FLOOR, "#": WALL, "G": GOAL, "x": TRAP, "S": START, "~": SLIPPERY}
    lines = text.strip("\n").splitlines()
    result = np.array([[letters[letter] for letter in line] for line in reversed(lines)], float)
    result.setflags(write=False)
    return result


MAPS = {
    "rooms": _drawn("""
S.....#.......
......#.......
......#....#..
...#.......#..
####..#####...
......#.......
..##..#...#...
..#.......#.G.
..#...#...#...
......#.......
"""),
    "ice": _drawn("""
S.....~~~~....
......~~~~....
..xx..~~~~....
..xx..~~x~....
......~~~~....
~~~~~~~~~~##..
~~x~~~~x~~#...
~~~~~~~~~~#.G.
...xx.....#...
..............
"""),
    "cliff": _drawn("""
..............
..............
..............
..~~~~~~~~~~..
..~~~~~~~~~~..
..~~~~~~~~~~..
S.xxxxxxxxxx.G
##############
##############
##############
"""),
}
"""Maps to begin with, (rows, columns) of `GRID_SHAPE`."""

DEFAULT_GRID = MAPS["rooms"]
