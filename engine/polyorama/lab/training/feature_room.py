"""The plane of one network shape, and what of it is shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.lab.training.feature_nets import Network
from polyorama.lab.training.feature_plane import Plane, edge_of, exponent
from polyorama.lab.training.feature_stage import PALE
from polyorama.lab.training.feature_tasks import PIXELS, Teacher, task_of
from polyorama.lab.training.feature_watch import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.training.feature_plane import Edge

__all__ = ["LAZY", "RICH", "Room", "binned", "checkpoints_of"]

LAZY, RICH = 10.0**-1.5, 10.0**1.5
"""Exponents are fitted up to the one and from the other on, as in our reference."""

_TEACHER_INPUTS = 12
_CHECKPOINTS = 20
_MOST_WEIGHTS = 8_000_000
"""Of a plane: its checkpoints then take two thirds of a gigabyte."""
_BINS, _POINTS = 48, 200
_SHOWN_FILTERS = 16
_CALM = 1.1
"""A loss has risen above the start's where its share is at least this."""
_FAINT = (0.45, 0.48, 0.54)

Arrays = dict[str, "NDArray[Any]"]


def checkpoints_of(steps: int) -> tuple[int, ...]:
    """Steps at which networks are looked at closely: dense at first, and the end."""
    shares = (np.arange(1, _CHECKPOINTS + 1) / _CHECKPOINTS) ** 2
    return tuple(int(step) for step in np.unique(np.ceil(shares * steps)))


def binned(line: NDArray[np.float64], bins: int = _BINS) -> tuple[NDArray[Any], NDArray[Any]]:
    """Means of a line over at most so many stretches that grow geometrically.

    Parameters
    ----------
    line
        (T,), at least one.

    Returns
    -------
    steps, means
        The middle of each stretch, counted from 1, and the mean there.
    """
    count = len(line)
    edges = np.unique(np.round(np.geomspace(1, count + 1, bins + 1)).astype(np.intp)) - 1
    sums = np.add.reduceat(line, edges[:-1])
    return 0.5 * (edges[:-1] + edges[1:] + 1.0), sums / np.diff(edges)


class Room:
    """Networks of one shape at every cell of the plane.

    Parameters
    ----------
    kind
        "mlp-2" to "mlp-4", or "conv".
    task
        Name of what they learn.
    width, batch, steps
        N, B and T.
    gammas, etas
        (G,) columns and (E,) rows of the plane, rising.
    seed
        Of the run.

    Raises
    ------
    UsageError
        If all networks together have more than 8 million weights.
    """

    def __init__(
        self,
        kind: str,
        task: str,
        width: int,
        batch: int,
        steps: int,
        gammas: NDArray[np.float64],
        etas: NDArray[np.float64],
        seed: int,
    ) -> None:
        conv = kind == "conv"
        learnt = task_of(task, PIXELS if conv else _TEACHER_INPUTS, seed)
        self.depth = 4 if conv else int(kind[-1])
        network = Network(
            "conv" if conv else "mlp", self.depth, learnt.inputs, width, learnt.outputs
        )
        count = len(gammas) * len(etas)
        weights = sum(inward * outward for inward, outward in network.shapes)
        if count * weights > _MOST_WEIGHTS:
            raise UsageError(
                f"{count:,} networks of {weights:,} weights are too many to train at once; lower "
                f"the width or the resolution."
            )
        self.gammas, self.etas = gammas, etas
        self.shape = len(etas), len(gammas)
        across, up = np.meshgrid(gammas, etas)
        self.plane = Plane(
            network, learnt, across.ravel(), up.ravel(), steps=steps, batch=batch, seed=seed,
            checkpoints=checkpoints_of(steps),
        )  # fmt: skip
        self.lazy_power = 1.0 if learnt.entropy else 2.0
        """Derived exponent of the lazy edge: a softmax saturates, so that rates of the order of
        gamma survive there; squares bound them by gamma^2."""
        self.watch = Watch(self.plane, seed)
        self.lazy_edge = self.watch.lazy_edge()

    def cell(self, log_gamma: float, log_eta: float) -> int:
        """The nearest network to a place of the plane."""
        column = int(np.argmin(np.abs(np.log10(self.gammas) - log_gamma)))
        row = int(np.argmin(np.abs(np.log10(self.etas) - log_eta)))
        return row * len(self.gammas) + column

    def share(self, cell: int) -> NDArray[np.float64]:
        """(t,) loss of a network so far, as a share of that of saying 0."""
        plane = self.plane
        return np.asarray(plane.losses[: plane.steps, cell] / plane.idle[: plane.steps])

    def edge(self) -> Edge:
        """Largest and best rates so far."""
        etas = np.repeat(self.etas[:, None], self.shape[1], axis=1)
        return edge_of(self.gammas, etas, self.plane.recent().reshape(self.shape))

    def edge_at(self, gamma: float) -> float:
        """The largest stable rate in theory, its two regimes meeting at gamma = 1."""
        power = self.lazy_power if gamma < 1.0 else 2.0 / self.depth
        return float(self.lazy_edge * gamma**power)

    def below_edge(self) -> NDArray[np.intp]:
        """(G,) networks a row below the largest rate that converged.

        Where none has yet, two rows below the first whose loss has risen above the start's.
        """
        recent = self.plane.recent().reshape(self.shape)
        calm = recent < _CALM
        first = np.where(calm.all(axis=0), len(calm), np.argmin(calm, axis=0)) - 2
        largest = self.edge().largest
        known = np.isfinite(largest)
        rows = np.where(known, np.searchsorted(self.etas, 0.999 * largest) - 1, first)
        return np.asarray(np.clip(rows, 0, None) * self.shape[1] + np.arange(self.shape[1]))

    def colors(self, movement: bool) -> NDArray[np.float32]:
        """(E, G): decades that the loss fell, or log10 of the movement; NaN where diverged."""
        recent = self.plane.recent()
        if not movement:
            return np.asarray(-np.log10(recent), np.float32).reshape(self.shape)
        moved = np.where(np.isfinite(recent), self.plane.moved, np.nan)
        return np.log10(np.maximum(moved, 1e-9)).astype(np.float32).reshape(self.shape)

    def edge_values(self, edge: Edge) -> Arrays:
        """Dots of the rates and lines of the theory, in log10 of gamma and eta."""
        found: Arrays = {}
        x = np.log10(self.gammas)
        for key, rates in (("largest", edge.largest), ("best", edge.best)):
            known = np.isfinite(rates)
            found[key] = np.stack([x[known], np.log10(rates[known])], axis=1)
        found["largest_color"] = np.tile(PALE, (len(found["largest"]), 1))
        found["line_color"] = np.array([PALE])
        start = math.log10(self.lazy_edge)
        lazy = edge.largest[self.gammas < 1.001 * LAZY]
        if self.lazy_power == 2.0:
            found["lazy_line"] = np.array([[[x[0], start + 2.0 * x[0]], [0.0, start]]])
        elif np.isfinite(lazy).any():
            # Theory gives the slope alone: laid through what is measured.
            rows = np.log10(lazy) - self.lazy_power * x[: len(lazy)]
            start = float(np.nanmean(rows))
            found["lazy_line"] = np.array([[[x[0], start + self.lazy_power * x[0]], [0.0, start]]])
        line = self.rich_line(edge)
        if line is not None:
            rich = self.gammas > 0.999
            ends = np.stack([x[rich], np.log10(line[rich])], axis=1)
            found["rich_line"] = ends[None, [0, -1]]
        return found

    def rich_line(self, edge: Edge) -> NDArray[np.float64] | None:
        """(G,) rates of slope 2 / L through the largest ones where rich; None before there are any.

        Theory gives the slope alone.
        """
        known = np.isfinite(edge.largest) & (self.gammas > 0.999 * RICH)
        if not known.any():
            return None
        slope = self.gammas ** (2.0 / self.depth)
        return np.asarray(np.exp(np.log(edge.largest[known] / slope[known]).mean()) * slope)

    def exponents(self, edge: Edge) -> tuple[float, float]:
        """Of the rates with a derived exponent; NaN where not known.

        Where rich it is that of the largest rate, which is less bounded by the length of the run.
        Where lazy it is that of the best one, as catapults blur the largest; with cross-entropy
        that of the largest, as the bound of a saturated softmax is on it alone.
        """
        rates = edge.largest if self.plane.task.entropy else edge.best
        lazy, _ = exponent(self.gammas, rates, 0.0, LAZY)
        rich, _ = exponent(self.gammas, edge.largest, RICH, math.inf)
        return lazy, rich

    @property
    def blur(self) -> float:
        """Standard error of a rich exponent, by rounding the rates to rows of the plane alone.

        The lazy side spans as many decades, so it is the same there.
        """
        x = np.log10(self.gammas[self.gammas > 0.999 * RICH])
        row = math.log10(self.etas[1] / self.etas[0])
        # Rounding errors are spread evenly over a row.
        return float(row / math.sqrt(12.0 * ((x - x.mean()) ** 2).sum()))

    def strengths(self, columns: dict[int, int]) -> Arrays:
        """Losses just below the edge over steps and over the time eta t / gamma.

        Parameters
        ----------
        columns
            Column of the plane by the name of a line.
        """
        plane, found = self.plane, dict[str, Any]()
        if plane.steps == 0:
            return found
        cells = self.below_edge()
        for name, column in columns.items():
            cell = cells[column]
            steps, loss = binned(self.share(cell))
            found[f"loss/{name}"] = loss
            found[f"steps/{name}"] = steps
            found[f"time/{name}"] = steps * plane.etas[cell] / plane.gammas[cell]
        return found

    def features(self) -> Arrays:
        """Movement of weights and kernels just below the edge at the latest checkpoint."""
        cells = self.below_edge()
        return {
            "strength": self.gammas, "movement": self.plane.moved[cells],
            "kernel_change": self.watch.strengths(list(cells)),
        }  # fmt: skip

    def network(self, cell: int) -> Arrays:
        """Loss, sharpness, alignment, singular values and neurons of one network."""
        plane, portrait, share = self.plane, self.watch.portrait(cell), self.share(cell)
        found: Arrays = {}
        if plane.steps:
            stretch = -(-plane.length // _POINTS)
            starts = np.arange(0, plane.steps, stretch)
            counts = np.diff(np.append(starts, plane.steps))
            found["watched_loss"] = np.add.reduceat(share, starts) / counts
            found["watched_steps"] = starts + 0.5 * (counts + 1.0)
        found["watched_ends"] = np.array([0.0, float(plane.length)])
        found["watched_start"] = np.ones(2)
        found["edge"] = np.full(2, 2.0 / plane.etas[cell])
        found["portrait_steps"] = portrait.steps
        found["sharpness"] = portrait.sharpness
        found["alignment"] = portrait.alignment
        # The mean of a few batches about a checkpoint: single ones are noisy.
        about = (
            share[max(0, int(step) - 3) : int(step) + 3] if step else np.ones(1)
            for step in portrait.steps
        )
        found["portrait_loss"] = np.array([part.mean() for part in about])
        for place in range(portrait.singular.shape[1]):
            found[f"singular/{place}"] = portrait.singular[:, place]
        return found | self._neurons(cell)

    def _neurons(self, cell: int) -> Arrays:
        """First-layer weights at the latest checkpoint, as places or as pictures."""
        plane = self.plane
        weights = self.watch.first_layer(cell, len(plane.checkpoints) - 1)
        if weights is None:
            return {}
        if isinstance(plane.task, Teacher) and plane.network.kind == "mlp":
            first = plane.initial[0][0].numpy()
            directions = plane.task.directions
            before, now = first.T @ directions.T, weights.T @ directions.T
            faint = np.tile(_FAINT, (len(now), 1))
            return {
                "neurons_first": before, "neurons": now, "first_color": faint, "path_color": faint,
                "neuron_paths": np.stack([before, now], axis=1),
            }  # fmt: skip
        learnt = (weights - plane.initial[0][0].numpy()).T[:_SHOWN_FILTERS]
        side = math.isqrt(learnt.shape[1])
        return {"filters": learnt.reshape(-1, side, side).astype(np.float32)}
