"""What is kept of single networks of a plane, checkpoint by checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.lab.streams import stream
from polyorama.lab.training.feature_portrait import (
    alignment,
    kernel_change,
    sharpness,
    singular_values,
    tangent_kernel,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.lab.training.feature_plane import Plane

__all__ = ["SHOWN_VALUES", "Portrait", "Watch"]

SHOWN_VALUES = 4
"""Singular values that are kept."""
_SHARP_POINTS, _KERNEL_POINTS = 64, 24
_LAZY = 1e-4
"""A gamma at which the curvature of the network adds nothing to that of its tangent."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """One network at the checkpoints so far, C of them, NaN where it had diverged.

    Parameters
    ----------
    steps
        (C,) of the checkpoints.
    sharpness
        (C,) N times the top eigenvalue of the Hessian; the edge of stability is 2 / eta.
    alignment
        (C,) of the tangent kernel with the targets.
    change
        (C,) |K_t - K_0| / |K_0| of the tangent kernel.
    singular
        (C, `SHOWN_VALUES`) of the hidden matrix (the first one where L = 2), over sqrt(fan in).
    """

    steps: NDArray[np.float64]
    sharpness: NDArray[np.float64]
    alignment: NDArray[np.float64]
    change: NDArray[np.float64]
    singular: NDArray[np.float64]


class Watch:
    """Looks at networks of a plane on probes, which none of them is trained on.

    Parameters
    ----------
    plane
        Whose networks; its checkpoints are looked at as they come.
    seed
        Of the probes.
    """

    def __init__(self, plane: Plane, seed: int) -> None:
        self._plane = plane
        x, y = plane.task.probe(stream(seed, "probe"), _SHARP_POINTS)
        self._x, self._y = torch.from_numpy(x), torch.from_numpy(y)
        self._first = self._kernels(plane.initial)
        self._found: dict[int, Portrait] = {}

    def _kernels(self, weights: Sequence[torch.Tensor]) -> torch.Tensor:
        """At gamma = 1: alignment and relative change do not depend on it."""
        ones = torch.ones(len(weights[0]), dtype=torch.float64)
        return tangent_kernel(self._plane.network, weights, ones, self._x[:_KERNEL_POINTS])

    def lazy_edge(self) -> float:
        """eta_max / gamma^2 where features stay: 2 / (gamma^2 sharpness) of a lazy start."""
        plane = self._plane
        sharp = sharpness(
            plane.network, plane.initial, plane.initial,
            torch.full((1,), _LAZY, dtype=torch.float64), self._x, self._y, plane.task.entropy, 20,
        ).item()  # fmt: skip
        return 2.0 / (sharp * _LAZY**2)

    def strengths(self, cells: Sequence[int]) -> NDArray[np.float64]:
        """(M,) kernel change of several networks at the latest checkpoint; NaN where diverged."""
        plane = self._plane
        found = np.full(len(cells), np.nan)
        at = len(plane.checkpoints) - 1
        weights, pairs = plane.weights_at(cells, [at] * len(cells))
        if len(pairs):
            kernels = self._kernels(weights)
            found[pairs] = kernel_change(kernels, self._first).numpy()
        return found

    def portrait(self, cell: int) -> Portrait:
        """All that is known of a network; only what is new is computed."""
        plane = self._plane
        known = self._found.get(cell)
        done = 0 if known is None else len(known.steps)
        steps = plane.checkpoints
        if known is not None and done == len(steps):
            return known
        new = self._looked(cell, range(done, len(steps)))
        if known is not None:
            new = Portrait(
                *(
                    np.concatenate([getattr(known, name), getattr(new, name)])
                    for name in ("steps", "sharpness", "alignment", "change", "singular")
                )
            )
        self._found[cell] = new
        return new

    def _looked(self, cell: int, checkpoints: Sequence[int]) -> Portrait:
        plane, count = self._plane, len(checkpoints)
        weights, pairs = plane.weights_at([cell] * count, checkpoints)
        sharp, aligned, change = (np.full(count, np.nan) for _ in range(3))
        singular = np.full((count, SHOWN_VALUES), np.nan)
        if len(pairs):
            gammas = np.full(len(pairs), plane.gammas[cell])
            sharp[pairs] = sharpness(
                plane.network, weights, plane.initial, torch.from_numpy(gammas), self._x, self._y,
                plane.task.entropy,
            ).numpy()  # fmt: skip
            kernels = self._kernels(weights)
            aligned[pairs] = alignment(kernels, self._y[:_KERNEL_POINTS]).numpy()
            change[pairs] = kernel_change(kernels, self._first).numpy()
            layer = min(1, len(weights) - 2)
            values = singular_values(weights, layer, SHOWN_VALUES).numpy()
            singular[pairs, : values.shape[1]] = values
        steps = np.array([plane.checkpoints[at] for at in checkpoints], np.float64)
        return Portrait(steps, sharp, aligned, change, singular)

    def first_layer(self, cell: int, at: int) -> NDArray[np.float64] | None:
        """(in, out) float64 first weights of a network at a checkpoint; None once it diverged."""
        weights, pairs = self._plane.weights_at([cell], [at])
        return weights[0][0].numpy() if len(pairs) else None
