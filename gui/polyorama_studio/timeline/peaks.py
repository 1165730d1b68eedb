"""Peaks of a sound at every zoom: least and greatest sample of ever longer stretches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job

__all__ = ["Peaks", "peaks_of"]

_FIRST = 64
"""Samples of the shortest stretch that is kept."""
_STEP = 4
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Peaks:
    """A pyramid of least and greatest samples.

    Parameters
    ----------
    rate
        Samples in a second, Hz.
    count
        Samples of the sound.
    levels
        Each (m, 2) float32, least and greatest of `_FIRST * _STEP ** level` samples.
    """

    rate: int
    count: int
    levels: tuple[NDArray[np.float32], ...]

    def between(self, first: float, last: float, columns: int) -> NDArray[np.float32]:
        """Least and greatest sample of each column, (columns, 2) float32; 0 outside the sound.

        Parameters
        ----------
        first, last
            Of what the columns show, s from the sound's beginning.
        columns
            How many.
        """
        span = (last - first) * self.rate / max(columns, 1)
        level = 0
        while level + 1 < len(self.levels) and _FIRST * _STEP ** (level + 1) <= span:
            level += 1
        found = np.zeros((columns, 2), np.float32)
        table = self.levels[level] if self.levels else np.zeros((0, 2), np.float32)
        if not len(table) or columns < 1:
            return found
        size = _FIRST * _STEP**level
        edges = (first * self.rate + np.arange(columns + 1) * span) / size
        low = np.floor(edges[:-1]).astype(np.int64)
        high = np.maximum(np.ceil(edges[1:]).astype(np.int64), low + 1)
        inside = (high > 0) & (low < len(table))
        low, high = np.clip(low, 0, len(table) - 1), np.clip(high, 1, len(table))
        bounds = np.stack([low, high], axis=1).ravel()
        # reduceat wants a place inside the table even for its last end.
        padded = np.concatenate([table, table[-1:]])
        found[:, 0] = np.minimum.reduceat(padded[:, 0], bounds)[::2]
        found[:, 1] = np.maximum.reduceat(padded[:, 1], bounds)[::2]
        found[~inside] = 0.0
        return found


def peaks_of(samples: NDArray[np.float32], rate: int) -> Job[Peaks]:
    """The pyramid of a sound, as a job that reads it in pieces.

    Parameters
    ----------
    samples
        (n, channels) float32.
    rate
        Hz.
    """
    from polyorama.core.jobs import Progress

    count = len(samples)
    pieces = []
    for start in range(0, count, _CHUNK):
        yield Progress(start, count, "")
        mono = samples[start : start + _CHUNK].mean(axis=1, dtype=np.float32)
        rest = -len(mono) % _FIRST
        if rest:
            mono = np.concatenate([mono, np.repeat(mono[-1:], rest)])
        blocks = mono.reshape(-1, _FIRST)
        pieces.append(np.stack([blocks.min(axis=1), blocks.max(axis=1)], axis=1))
    levels = [np.concatenate(pieces) if pieces else np.zeros((0, 2), np.float32)]
    while len(levels[-1]) > _STEP:
        below = levels[-1]
        rest = -len(below) % _STEP
        if rest:
            below = np.concatenate([below, np.repeat(below[-1:], rest, axis=0)])
        groups = below.reshape(-1, _STEP, 2)
        levels.append(np.stack([groups[..., 0].min(axis=1), groups[..., 1].max(axis=1)], axis=1))
    return Peaks(rate, count, tuple(levels))
