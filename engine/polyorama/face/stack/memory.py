"""What was made before, and which of it still holds."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.faces.channels import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from polyorama.face.motion.teacher import Plan
    from polyorama.scene.faces.script import FaceScript

__all__ = ["Memory", "Rows", "mark", "runs"]

_TAKES, _TAKES_BYTES = 24, 1 << 28
"""How many takes are kept, and of long ones fewer: two at least."""
_JOINED = 8
"""Runs nearer than this are made in one go."""


class Rows:
    """Rows of weights, and which of them hold."""

    __slots__ = ("holds", "weights")

    def __init__(self, count: int) -> None:
        self.weights = np.zeros((count, len(CHANNELS)), np.float32)
        self.holds = np.zeros(count, bool)

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(slots=True, eq=False)
class Memory:
    """Layers of the last script that was carried out.

    Parameters
    ----------
    script, plan, emotion
        Which script, what happened in it, and (T, 8) strengths at 25 Hz.
    content, features
        What the model was given.
    rules, final
        Frames by rules, before keys; and of all.
    takes
        Rows of the model by seed and temperature, those used last at the end.
    keys
        What layers depend on as a whole, by layer.
    """

    script: FaceScript | None = None
    plan: Plan | None = None
    emotion: NDArray[np.float32] | None = None
    content: NDArray[np.float32] | None = None
    features: NDArray[np.float32] | None = None
    rules: Rows = field(default_factory=lambda: Rows(0))
    final: Rows = field(default_factory=lambda: Rows(0))
    takes: OrderedDict[tuple[int, float], Rows] = field(default_factory=OrderedDict)
    keys: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def take(self, seed: int, temperature: float, count: int) -> Rows:
        """Rows of a take; the ones that were not used for longest are forgotten."""
        which = (seed, temperature)
        if which not in self.takes or len(self.takes[which]) != count:
            self.takes[which] = Rows(count)
        self.takes.move_to_end(which)
        room = max(_TAKES_BYTES // self.takes[which].weights.nbytes, 2)
        while len(self.takes) > min(_TAKES, room):
            self.takes.popitem(last=False)
        return self.takes[which]


def mark(mask: NDArray[np.bool_], spans: Iterable[tuple[float, float]], fps: float) -> None:
    """Set frames of stretches of time, s, and one beyond either end."""
    last = len(mask) / fps + 1.0
    for start, end in spans:
        low = max(int(np.floor(min(max(start, 0.0), last) * fps)) - 1, 0)
        high = int(np.ceil(min(max(end, 0.0), last) * fps)) + 2
        mask[low:high] = True


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Half-open runs of set rows; those that nearly touch are one."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    begun: int | None = None
    ended = 0
    for start, stop in edges.reshape(-1, 2):
        if begun is not None and start - ended > _JOINED:
            yield begun, ended
            begun = None
        if begun is None:
            begun = int(start)
        ended = int(stop)
    if begun is not None:
        yield begun, ended
