"""The record of a run in memory, which scrubbing reads; bounded, whatever the run's length."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from polyorama.lab.recording import Recording, params_of
from polyorama.lab.rows import Change, Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.snapshot import Snapshot

__all__ = ["MEMORY_BYTES", "History"]

MEMORY_BYTES = 192 << 20
"""Arrays that a run keeps in memory."""


class History(Recording):
    """A run in memory.

    Parameters
    ----------
    experiment
        As it begins.
    seed
        Of the run.
    budget
        Bytes of arrays that are kept; beyond, every second snapshot loses its own, again and again.
    """

    def __init__(self, experiment: Experiment, seed: int, *, budget: int = MEMORY_BYTES) -> None:
        self.experiment_id, self.kind = experiment.id, type(experiment)
        self.seed = seed
        self.params = params_of(experiment)
        self.rivals = experiment.active
        self.paintings = dict(experiment.paintings)
        self.rows = Rows()
        self._changes: list[Change] = []
        self._budget = budget
        self._stride = 1
        self._arrays_of: dict[int, dict[str, NDArray[Any]]] = {}
        self._uses: Counter[int] = Counter()
        """How many rows show an array, by its identity: what does not change is kept once."""
        self._bytes = 0

    def append(self, snapshot: Snapshot) -> None:
        """Record a snapshot; its scalars always, its arrays where they are not thinned out.

        Raises
        ------
        UsageError
            As `polyorama.lab.rows.Rows.append`.
        """
        row = len(self.rows)
        self.rows.append(snapshot)
        if row % self._stride:
            return
        self._arrays_of[row] = snapshot.arrays
        for array in snapshot.arrays.values():
            self._bytes += 0 if self._uses[id(array)] else array.nbytes
            self._uses[id(array)] += 1
        while self._bytes > self._budget and len(self._arrays_of) > 1:
            self._stride *= 2
            for old in [row for row in self._arrays_of if row % self._stride]:
                self._forget(old)

    def _forget(self, row: int) -> None:
        for array in self._arrays_of.pop(row).values():
            self._uses[id(array)] -= 1
            if not self._uses[id(array)]:
                del self._uses[id(array)]
                self._bytes -= array.nbytes

    def change(self, change: Change) -> None:
        """Record what a person changed."""
        self._changes.append(change)

    def kept(self) -> list[int]:
        """As `Recording.kept`."""
        return list(self._arrays_of)

    def _arrays(self, row: int) -> Mapping[str, NDArray[Any]]:
        return self._arrays_of.get(row, {})
