"""How long sound takes to become a face, stage by stage."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DRAWING", "STAGES", "LatencyLog", "StageLatency"]

STAGES: tuple[str, ...] = (
    "Movement", "Look-ahead", "Block", "Device", "Hand-over", "Listening", "Face", "Sending",
    "Drawing",
)  # fmt: skip
"""In the order in which sound goes through them.

Movement and Look-ahead are constants of what listens and moves, all others are measured. Movement:
how far lips trail what moves them, as flesh cannot jump (`FOLLOW_S`, measured once, at the usual
smoothing). Look-ahead: sound after a frame's middle that the listener wants to hear. Block: until
the device's block with it is full. Device: from the block's last sample in the air to the callback;
of devices whose stamps cannot be true, what they state in general. Hand-over: until the worker
takes it up. Listening, Face, Sending: its work. Drawing: until whoever shows the frame says that it
is shown, where the voice is played from the moment its sound is heard; what a display adds is not
known here."""

DRAWING = len(STAGES) - 1
_KEPT_S = 10.0


@dataclass(frozen=True, slots=True)
class StageLatency:
    """A part of the way from the microphone to the face.

    Parameters
    ----------
    name
        One of `STAGES`, or "Total".
    median, p95
        ms, over the last 10 s.
    """

    name: str
    median: float
    p95: float


class LatencyLog:
    """The last ten seconds of latencies, a row a frame.

    Parameters
    ----------
    fps
        Frames in a second.
    """

    def __init__(self, fps: float) -> None:
        self._kept = int(_KEPT_S * fps)
        self._rows = np.full((self._kept, len(STAGES)), np.nan)
        self._numbers = np.full(self._kept, -1, np.int64)
        self._lock = threading.Lock()

    def add(self, number: int, marks: Sequence[float]) -> None:
        """A frame: the times, s, at which it entered each stage, and left Sending."""
        with self._lock:
            row = number % self._kept
            self._rows[row, :DRAWING] = np.diff(marks)
            self._rows[row, DRAWING] = np.nan
            self._numbers[row] = number

    def drawn(self, number: int, seconds: float) -> None:
        """A frame was shown that long after it was made; only the first time counts."""
        with self._lock:
            row = number % self._kept
            if self._numbers[row] == number and np.isnan(self._rows[row, DRAWING]):
                self._rows[row, DRAWING] = seconds

    def stages(self) -> tuple[StageLatency, ...]:
        """Each stage that there are figures of; Drawing only where something draws."""
        rows = self._known()
        found = []
        for k, name in enumerate(STAGES):
            column = rows[:, k]
            column = column[~np.isnan(column)]
            if len(column):
                found.append(_told(name, column))
        return tuple(found)

    def total(self, *, drawing: bool = True) -> StageLatency | None:
        """From sound to face: with what draws it, where something does; None before the first."""
        rows = self._known()
        if not len(rows):
            return None
        drawn = rows[~np.isnan(rows[:, DRAWING])]
        if drawing and len(drawn):
            return _told("Total", drawn.sum(axis=1))
        return _told("Total", rows[:, :DRAWING].sum(axis=1))

    def _known(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        with self._lock:
            return self._rows[self._numbers >= 0]


def _told(name: str, seconds: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> StageLatency:
    median, p95 = (1000.0 * np.quantile(seconds, (0.5, 0.95))).tolist()
    return StageLatency(name, median, p95)
