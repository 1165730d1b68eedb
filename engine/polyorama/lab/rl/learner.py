"""What all methods share: what they are told, their counts, and a plan for each episode."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from polyorama.lab.rl.dynamics import fill_model

if TYPE_CHECKING:
    from polyorama.lab.rl.worlds import World

__all__ = ["Learner", "Model", "Task"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Task:
    """What a method is told beforehand.

    Parameters
    ----------
    states, actions, horizon
        Sizes S, A and H.
    episodes
        How many will be played, K.
    delta
        Probability with which its guarantee may fail.
    """

    states: int
    actions: int
    horizon: int
    episodes: int
    delta: float = 0.05


class Model:
    """Counts of what a method met, and the estimates they give.

    Parameters
    ----------
    world
        Whose sizes set those of the tables. (The width of the sparse table is that of the world's
        own. Nothing but memory follows from it: unused places hold chances of 0.)
    dense
        Whether estimated chances are kept for all states, as the papers write them, or only for
        successors that were met.

    Attributes
    ----------
    visits, reward_sums, reward_squares
        N, and sums of rewards and of their squares, of each pair, (A S,) float64.
    met, met_successors
        How often each successor followed, and which it is, (width, A S).
    rewards, chances, successors
        Estimates, as `lookahead` reads them; `successors` is None where they are dense.
    """

    def __init__(self, world: World, dense: bool = False) -> None:
        width, pairs = world.chances.shape
        self.dense = dense
        self.visits: Floats = np.zeros(pairs)
        self.reward_sums: Floats = np.zeros(pairs)
        self.reward_squares: Floats = np.zeros(pairs)
        self.met: Floats = np.zeros((width, pairs))
        self.met_successors = np.zeros((width, pairs), np.uint32)
        self.rewards: Floats = np.zeros(pairs)
        self.chances: Floats = _aligned(world.states if dense else width, pairs)
        self.successors = None if dense else self.met_successors

    def refresh(self) -> None:
        """Bring the estimates up to the counts."""
        fill_model(
            self.visits, self.reward_sums, self.met, self.met_successors,
            self.rewards, self.chances, self.dense,
        )  # fmt: skip


def _aligned(rows: int, columns: int) -> Floats:
    """Zeros that begin with a cache line: a vector read across two of them takes twice as long."""
    size = rows * columns
    room = np.zeros(size + 7)
    skip = -room.ctypes.data // 8 % 8
    return room[skip : skip + size].reshape(rows, columns)


class Learner(abc.ABC):
    """A method: from counts to the policy of the next episode.

    Parameters
    ----------
    task
        What it is told.
    model
        Its counts; others write them between plans.
    luck
        Its own random numbers.

    Attributes
    ----------
    passes
        Sums over all chances that a plan takes at each step: 2 where it needs variances, too.
    values
        V of the newest plan, (H + 1, S); V[H] is 0.
    policy
        Action at each step and state, (H, S) int32.
    scale
        Factor on its bonus or noise; 1 is what its theory says.
    hopeful
        Whether, of several actions at the ceiling, it takes the one with the largest value before
        the ceiling, unseen ones above all, instead of the first. Papers leave that open.
    """

    id: ClassVar[str]
    passes: ClassVar[int] = 1

    def __init__(self, task: Task, model: Model, luck: np.random.Generator) -> None:
        self.task, self.model, self.luck = task, model, luck
        self.scale = 1.0
        self.hopeful = False
        self.values: Floats = np.zeros((task.horizon + 1, task.states))
        self.policy = np.zeros((task.horizon, task.states), np.int32)

    @abc.abstractmethod
    def plan(self, episode: int) -> bool:
        """Plan episode `episode`, counted from 1; whether the policy may have changed."""

    @abc.abstractmethod
    def bonus(self, visits: Floats, variance: Floats, reward: Floats) -> Floats:
        """What it adds to a pair's value, or the deviation of its noise there.

        Parameters
        ----------
        visits
            N of each pair, at least 1.
        variance
            Of the next value under the estimated chances.
        reward
            Mean reward.
        """
