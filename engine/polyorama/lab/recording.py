"""What every record of a run offers, whether it lies in memory or on disk."""

from __future__ import annotations

import abc
import bisect
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.arguments import check_whole
from polyorama.core.jobs import run
from polyorama.core.text import quoted
from polyorama.errors import UsageError
from polyorama.lab.catalog import known_class
from polyorama.lab.rows import STEP, Change, Rows

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.snapshot import Snapshot

__all__ = ["TIMES", "Recording", "differing", "params_of"]

TIMES = "time/"
"""Scalars and arrays that begin so are measured by the clock: no run repeats them."""


class Recording(abc.ABC):
    """A run that was recorded.

    Attributes
    ----------
    experiment_id, seed, params, rivals, paintings
        What the run began with; `params` maps names to values.
    """

    experiment_id: str
    seed: int
    params: Mapping[str, Any]
    rivals: tuple[str, ...]
    paintings: Mapping[str, NDArray[np.float64]]
    rows: Rows
    kind: type[Experiment] | None = None
    """Its class, where it need not be looked up by its id."""
    _changes: list[Change]

    @property
    def length(self) -> int:
        """Recorded snapshots."""
        return len(self.rows)

    @property
    def steps(self) -> NDArray[np.float64]:
        """(length,) float64, the elementary step of each snapshot."""
        return self.rows.scalars.column(STEP)

    @property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Every scalar over the run, (length,) float64, "step" first; NaN where it is missing."""
        return {name: self.rows.scalars.column(name) for name in self.rows.scalars.names}

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed on the way, in order."""
        return tuple(self._changes)

    @property
    def done(self) -> bool:
        """Whether the run came to its end."""
        return self.length - 1 in self.rows.ends

    def snapshot(self, index: int) -> Snapshot:
        """A recorded snapshot.

        Its scalars, terms and note are those of `index`. Arrays take room: of a long run only
        every second, fourth, ... snapshot has its own, and those between show the last before.

        Parameters
        ----------
        index
            0 to length - 1, or negative from the end.

        Raises
        ------
        UsageError
            If there is no such snapshot.
        FileFormatError
            If it lies on disk and is damaged.
        """
        row = self.row_of(index)
        return self.rows.snapshot(row, self._arrays(self.arrays_at(row)))

    def row_of(self, index: int) -> int:
        """The row of a snapshot, 0 to length - 1, or negative from the end.

        Raises
        ------
        UsageError
            If there is no such snapshot.
        """
        check_whole(index, "index")
        row = index + self.length if index < 0 else index
        if not 0 <= row < self.length:
            raise UsageError(f"There is no snapshot {index}; the run has {self.length:,}.")
        return row

    def index_at(self, step: float) -> int:
        """The last snapshot that is not after a step; the first where all are."""
        return max(0, int(np.searchsorted(self.steps, step, side="right")) - 1)

    def arrays_at(self, index: int) -> int:
        """The snapshot whose arrays a snapshot shows; itself where it has its own."""
        kept = self.kept()
        return kept[max(0, bisect.bisect_right(kept, index) - 1)] if kept else index

    @abc.abstractmethod
    def kept(self) -> list[int]:
        """The rows that have arrays of their own, ascending."""

    @abc.abstractmethod
    def _arrays(self, row: int) -> Mapping[str, NDArray[Any]]:
        """The arrays of such a row."""

    def experiment(self) -> Experiment:
        """The experiment anew, as the run began; not reset.

        Raises
        ------
        UsageError, UnavailableError
            If it is not there any more, or takes other parameters now.
        """
        cls = self.kind or self._found_kind()
        known = {parameter.name for parameter in cls.parameters()}
        strange = sorted(set(self.params) - known)
        if strange:
            raise UsageError(
                f"{self.experiment_id} has no parameter {strange[0]!r} any more; the run was made "
                f"with another version."
            )
        params = cls.Params(**self.params)
        return cls(params, self.rivals if cls.rivals else None, self.paintings)

    def _found_kind(self) -> type[Experiment]:
        try:
            # Never from a file that the record names: a record that somebody sent runs nothing.
            return known_class(self.experiment_id)
        except UsageError as error:
            raise UsageError(
                f"The run was made by {quoted(self.experiment_id)}, which is not installed here; "
                f"install its plug-in, or load the file that it was made with first (--source)."
            ) from error

    def export(self, target: str | os.PathLike[str], **options: Any) -> None:
        """Write it in the format that the ending names, and wait: see `polyorama.lab.exporting`.

        .csv and .parquet are tables of the scalars, .png and .svg the views at one snapshot, .mp4 a
        film, .py a script that runs it again.

        Parameters
        ----------
        target
            The file.
        options
            ``index``, ``views``, ``size``, ``theme`` and ``orbits`` of pictures and films,
            ``fps``, ``first`` and ``stop`` of films.
        """
        from polyorama.lab.exporting import export  # brings the formats, only where they are used

        run(export(self, target, **options))


def params_of(experiment: Experiment) -> dict[str, Any]:
    """The parameters of an experiment by name."""
    return {p.name: getattr(experiment.params, p.name) for p in experiment.parameters()}


def differing(one: Snapshot, other: Snapshot) -> str:
    """The first key in which two snapshots differ, "" where they are the same bit for bit.

    What the clock measured (`TIMES`) is left aside; NaN equals NaN.
    """
    if (one.step, one.done) != (other.step, other.done):
        return STEP
    if one.note != other.note:
        return "note"
    for left, right in ((one.values, other.values), (one.acting, other.acting)):
        for key in sorted({*left, *right}):
            if key.startswith(TIMES) or key == STEP:
                continue
            if key not in left or key not in right or not _same(left[key], right[key]):
                return key
    return ""


def _same(left: Any, right: Any) -> bool:
    a, b = np.asarray(left), np.asarray(right)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tobytes() == b.tobytes() or bool(
        a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True)
    )
