"""A performance: curves of a face's channels over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MOST_WEIGHT", "Performance", "frozen_rows"]

MOST_WEIGHT = 1000.0
"""No weight, or turn in rad, is further from 0: what is would be no face."""
_MOST_FPS = 10_000.0
_LEAST_FPS = 1e-3


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Performance:
    """Weights of all channels at equal steps of time, read-only.

    Parameters
    ----------
    weights
        (T, 55) float32: columns as `polyorama.scene.faces.channels.CHANNELS`; shapes are 0..1,
        rotations of the head radians. Row t is the face at t / fps seconds.
    fps
        Rows in a second.

    Raises
    ------
    UsageError
        If the shape is another, a weight is not finite or beyond 1000, or fps is not from 0.001 to
        10,000.
    """

    weights: NDArray[np.float32]
    fps: float = 60.0

    def __post_init__(self) -> None:
        weights = frozen_rows(self.weights)
        if weights.ndim != 2 or weights.shape[1] != len(CHANNELS) or not len(weights):
            raise UsageError(
                f"A performance has {len(CHANNELS)} columns and at least one row, not the shape "
                f"{weights.shape}."
            )
        # No mask is made: two hours have 24 million weights.
        if not (weights.min() >= -MOST_WEIGHT and weights.max() <= MOST_WEIGHT):
            raise UsageError("A performance has weights that are not finite, or beyond 1000.")
        _checked_rate(self.fps)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "fps", float(self.fps))

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def seconds(self) -> float:
        """How long it lasts, s."""
        return len(self.weights) / self.fps

    def at(self, time: float) -> NDArray[np.float32]:
        """(55,) float32 weights at a time, s: between rows linear, held beyond the ends."""
        place = min(max(time * self.fps, 0.0), len(self.weights) - 1.0)
        row = min(int(place), max(len(self.weights) - 2, 0))
        share = np.float32(place - row)
        if share == 0.0:
            return np.asarray(self.weights[row])
        return np.asarray(
            (1.0 - share) * self.weights[row] + share * self.weights[row + 1], np.float32
        )

    def channel(self, name: str) -> NDArray[np.float32]:
        """(T,) float32, one channel.

        Raises
        ------
        KeyError
            If there is no such channel.
        """
        return self.weights[:, CHANNEL_INDEX[name]]

    def resampled(self, fps: float) -> Performance:
        """The same at another rate: linear between rows, as `at`.

        Raises
        ------
        UsageError
            If the rate is not from 0.001 to 10,000 rows a second.
        """
        if _checked_rate(fps) == self.fps:
            return self
        count = max(round(self.seconds * fps), 1)
        places = np.minimum(np.arange(count) * (self.fps / fps), len(self.weights) - 1.0)
        rows = np.minimum(places.astype(np.int64), max(len(self.weights) - 2, 0))
        share = (places - rows).astype(np.float32)[:, None]
        after = np.minimum(rows + 1, len(self.weights) - 1)
        return Performance((1.0 - share) * self.weights[rows] + share * self.weights[after], fps)


def frozen_rows(array: ArrayLike) -> NDArray[np.float32]:
    """Numbers as a read-only float32 array; what is one already stays the same object.

    So values made of one another share it, and files keep it once.
    """
    rows = np.ascontiguousarray(array, np.float32)
    if rows is array and not rows.flags.writeable:
        return rows
    rows = rows.view()
    rows.flags.writeable = False
    return rows


def _checked_rate(fps: float) -> float:
    if not _LEAST_FPS <= fps <= _MOST_FPS:
        raise UsageError(
            f"A performance has {_LEAST_FPS} to {_MOST_FPS:.0f} rows in a second, not {fps}."
        )
    return fps
