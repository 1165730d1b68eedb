"""What an experiment shows at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyorama.core.arguments import said
from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_SIDES", "MOST_TEXT", "Snapshot", "Value"]

MOST_TEXT = 4096
"""Letters of a key or a note."""
MOST_SIDES = 8
"""Dimensions of an array."""

Value = float | NDArray[Any]
"""A scalar, or an array of numbers or flags."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that the views of an experiment draw at one moment.

    Parameters
    ----------
    step
        Elementary steps done since the reset.
    values
        By key, as the views name them: floats, or read-only arrays of numbers or flags. A key that
        belongs to one rival ends in ``/<rival id>``. Missing keys are not drawn.
    acting
        How strongly each term of the formula acts now, 0..1, by the term's name.
    note
        One sentence about what is happening; "" for none.
    done
        Whether the run is at its end.

    Raises
    ------
    UsageError
        If a key or the note is no text, or too long, or an array is not made of numbers of at most
        eight bytes in at most eight dimensions.
    """

    step: int
    values: Mapping[str, Value]
    acting: Mapping[str, float] = field(default_factory=FrozenMap[str, float])
    note: str = ""
    done: bool = False

    def __post_init__(self) -> None:
        for text in (self.note, *self.values, *self.acting):
            if not isinstance(text, str) or len(text) > MOST_TEXT:
                raise UsageError(
                    f"Keys and the note of a snapshot are texts of at most {MOST_TEXT:,} letters, "
                    f"not {said(text)}."
                )
        values = {key: _kept(key, value) for key, value in self.values.items()}
        object.__setattr__(self, "values", FrozenMap(values))
        object.__setattr__(self, "acting", FrozenMap({k: float(v) for k, v in self.acting.items()}))

    @property
    def scalars(self) -> dict[str, float]:
        """The values that are floats."""
        return {k: v for k, v in self.values.items() if isinstance(v, float)}

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The values that are arrays."""
        return {k: v for k, v in self.values.items() if not isinstance(v, float)}


def _kept(key: str, value: Any) -> Value:
    if isinstance(value, bool | int | float | np.integer | np.floating | np.bool_):
        return float(value)
    array: NDArray[Any] = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise UsageError(
            f"The value {key!r} of a snapshot is made of numbers of at most 8 bytes, not of "
            f"{array.dtype}."
        )
    if array.ndim > MOST_SIDES:
        raise UsageError(
            f"The value {key!r} of a snapshot has {array.ndim} dimensions; {MOST_SIDES} are the "
            f"most."
        )
    if array.ndim == 0:
        return float(array)
    if array.flags.writeable:
        # What an experiment goes on computing with may not change what was shown.
        array = array.copy()
        array.setflags(write=False)
    return array
