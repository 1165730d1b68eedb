"""The gamma-eta plane: every cell a network, all trained on the same batches at once.

Columns below gamma = 1e-2 are computed in float64, the others in float32, as the authors do. A
network whose loss is not finite, or a million times that of the start, has diverged: it leaves the
batch, so that a plane gets faster as its upper edge burns away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.lab.streams import stream
from polyorama.lab.training.feature_nets import DOUBLE_BELOW, Stack, losses_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab.training.feature_nets import Network
    from polyorama.lab.training.feature_tasks import Task

__all__ = ["LEARNT", "WINDOW", "Edge", "Plane", "edge_of", "exponent"]

WINDOW = 40
"""Steps over which the loss is averaged to judge a run."""
LEARNT = 2.0 / 3.0
"""A run has converged where its recent loss is below this share of that of saying 0."""
_HOPELESS = 1e6


class Plane:
    """Networks at given places of the plane.

    Parameters
    ----------
    network
        Their shape.
    task
        What they learn.
    gammas, etas
        (K,) where each stands, above zero.
    steps, batch
        Length of the run, and examples a step.
    seed
        Of weights and batches.
    checkpoints
        Steps after which the weights of all networks are kept to be looked at; the start always is.
    """

    def __init__(
        self,
        network: Network,
        task: Task,
        gammas: NDArray[np.float64],
        etas: NDArray[np.float64],
        *,
        steps: int,
        batch: int,
        seed: int,
        checkpoints: Sequence[int] = (),
    ) -> None:
        self.network, self.task = network, task
        self.gammas, self.etas = gammas, etas
        self.length, self.size = steps, batch
        self.initial = network.initial(seed)
        self.steps = 0
        self.losses = np.full((steps, len(gammas)), np.nan)
        """(T, K) loss of each batch before its step; NaN once a network has diverged."""
        self.moved = np.zeros(len(gammas))
        """(K,) |theta - theta_0| / |theta_0| at the latest checkpoint; NaN where diverged."""
        self.idle = np.full(steps, np.nan)
        """(T,) loss that saying 0 has on each batch; all start there."""
        self._luck = stream(seed, "batches")
        self._places: list[NDArray[np.intp]] = []
        self._stacks: list[Stack] = []
        for dtype, chosen in (
            (torch.float64, gammas < DOUBLE_BELOW), (torch.float32, gammas >= DOUBLE_BELOW),
        ):  # fmt: skip
            places = np.flatnonzero(chosen)
            if len(places):
                self._places.append(places)
                self._stacks.append(
                    Stack(network, self.initial, gammas[places], etas[places], dtype, task.entropy)
                )
        self._wanted = frozenset(checkpoints)
        self._kept: list[tuple[int, list[NDArray[np.intp]], list[list[torch.Tensor]]]] = []
        self._check()

    @property
    def alive(self) -> NDArray[np.bool_]:
        """(K,) whether each is still trained."""
        found = np.zeros(len(self.gammas), bool)
        for places in self._places:
            found[places] = True
        return found

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Steps of which the weights are kept."""
        return tuple(step for step, _, _ in self._kept)

    def step(self) -> None:
        """One step of SGD for all, on one batch."""
        x, y = self.task.batch(self._luck, self.size)
        row = self.losses[self.steps]
        targets = torch.from_numpy(y)
        self.idle[self.steps] = losses_of(
            torch.zeros_like(targets)[None], targets, self.task.entropy
        ).item()
        self.steps += 1
        most = _HOPELESS * self.task.start
        for number, stack in enumerate(self._stacks):
            places = self._places[number]
            if not len(places):
                continue
            found = stack.step(
                torch.from_numpy(x).to(stack.dtype), torch.from_numpy(y).to(stack.dtype)
            ).double()
            going = torch.isfinite(found) & (found < most)
            row[places] = torch.where(going, found, torch.nan).numpy()
            if not bool(going.all()):
                chosen = going.nonzero()[:, 0]
                stack.keep(chosen)
                self._places[number] = places[chosen.numpy()]
        if self.steps in self._wanted:
            self._check()

    def _check(self) -> None:
        """Keep the weights of all that are trained."""
        kept = [[w.detach().clone() for w in stack.weights] for stack in self._stacks]
        self._kept.append((self.steps, [places.copy() for places in self._places], kept))
        self.moved[:] = np.nan
        for places, stack in zip(self._places, self._stacks, strict=True):
            self.moved[places] = stack.movement().double().numpy()

    def recent(self) -> NDArray[np.float64]:
        """(K,) loss of the last `WINDOW` steps as a share of that of saying 0 on the same batches.

        It is 1 at the start, and NaN once a network has diverged.
        """
        if self.steps == 0:
            return np.ones(len(self.gammas))
        late = slice(max(0, self.steps - WINDOW), self.steps)
        return np.asarray(self.losses[late].mean(axis=0) / self.idle[late].mean())

    def weights_at(
        self, cells: Sequence[int], checkpoints: Sequence[int]
    ) -> tuple[list[torch.Tensor], NDArray[np.intp]]:
        """Weights of some networks at some checkpoints, in float64.

        Parameters
        ----------
        cells, checkpoints
            (M,) networks and (M,) places in `checkpoints`, taken in pairs.

        Returns
        -------
        weights
            One a layer, (P, in, out), of the P pairs that had not diverged.
        pairs
            (P,) which of the M they are.
        """
        found: list[list[torch.Tensor]] = []
        pairs = []
        for pair, (cell, at) in enumerate(zip(cells, checkpoints, strict=True)):
            _, places, kept = self._kept[at]
            for here, weights in zip(places, kept, strict=True):
                place = int(np.searchsorted(here, cell))
                if place < len(here) and here[place] == cell:
                    found.append([weight[place].double() for weight in weights])
                    pairs.append(pair)
        layers = [
            torch.stack([weights[layer] for weights in found])
            if found
            else torch.zeros(0, *shape, dtype=torch.float64)
            for layer, shape in enumerate(self.network.shapes)
        ]
        return layers, np.array(pairs, np.intp)


@dataclass(frozen=True, slots=True)
class Edge:
    """Learning rates of one plane, NaN where none converged.

    Parameters
    ----------
    gammas
        (G,) feature learning strengths.
    largest
        (G,) eta_max: up to this rate all converged that had the time to.
    best
        (G,) eta*, the rate of the lowest recent loss.
    """

    gammas: NDArray[np.float64]
    largest: NDArray[np.float64]
    best: NDArray[np.float64]


def edge_of(
    gammas: NDArray[np.float64],
    etas: NDArray[np.float64],
    recent: NDArray[np.float64],
) -> Edge:
    """The largest and the best learning rate of every gamma.

    Parameters
    ----------
    gammas
        (G,).
    etas
        (E, G), rising along the first axis.
    recent
        (E, G) as `Plane.recent`.
    """
    count = len(gammas)
    largest, best = np.full(count, np.nan), np.full(count, np.nan)
    converged = recent < LEARNT  # False for NaN
    for column in np.flatnonzero(converged.any(axis=0)):
        rows = np.flatnonzero(converged[:, column])
        # Above the first gap some runs are caught by chance after an overshoot.
        gaps = np.flatnonzero(np.diff(rows) > 1)
        last = rows[gaps[0]] if len(gaps) else rows[-1]
        largest[column] = etas[last, column]
        best[column] = etas[rows[np.argmin(recent[rows, column])], column]
    return Edge(gammas, largest, best)


def exponent(
    gammas: NDArray[np.float64], rates: NDArray[np.float64], low: float, high: float
) -> tuple[float, float]:
    """Slope and intercept of log10 rate over log10 gamma, by least squares.

    Parameters
    ----------
    gammas, rates
        (G,); rates that are NaN are left out.
    low, high
        Ends of the gammas that are fitted, inclusive.

    Returns
    -------
    slope, intercept
        NaN where fewer than two rates are known.
    """
    # A gamma made by powers of ten may miss its end by rounding.
    known = np.isfinite(rates) & (gammas > 0.999 * low) & (gammas < 1.001 * high)
    if np.count_nonzero(known) < 2:
        return math.nan, math.nan
    slope, intercept = np.polyfit(np.log10(gammas[known]), np.log10(rates[known]), 1)
    return float(slope), float(intercept)
