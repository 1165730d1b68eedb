"""How splats are spread over values: counts in bins of one number, or of two against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import frozen_array
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["BINS", "Axis", "Column", "Histogram", "Scatter", "histogram_of", "scatter_of"]

BINS = 256
_SAMPLE = 200_000
"""Where tails are cut off, is asked of at most about so many values."""
_NO_STATE = np.empty(0, np.uint8)
_NO_STATE.flags.writeable = False
_INFINITY = 0x7F800000 >> 15
"""The first sixteen bits of infinity; those of all that is less and above 0 are below."""
_PARTS_PER_CORE = 4
_PIECE = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One number for each splat of a node.

    Parameters
    ----------
    values
        (N,) float32; NaN and infinity are left out of every bin.
    state
        (N,) uint8 bits of `polyorama.scene.stack`, or None: hidden and deleted splats are not
        counted, selected ones also by themselves.
    """

    values: NDArray[np.float32]
    state: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        # Kernels are compiled for one kind of array only.
        values = np.ascontiguousarray(self.values, np.float32).view()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def bits(self) -> NDArray[np.uint8]:
        """The state, empty where there is none."""
        if self.state is None:
            return _NO_STATE
        bits = self.state.view()
        bits.flags.writeable = False
        return bits


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values cut into `BINS` bins of equal length, or of equal ratio.

    Parameters
    ----------
    low, high
        Its ends, both inside.
    log
        Whether bins are even in the logarithm; then both ends are above 0.

    Raises
    ------
    UsageError
        If this is no range.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        fine = math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high
        if not fine or (self.log and self.low <= 0.0):
            raise UsageError(f"Values from {self.low:g} to {self.high:g} make no axis.")

    @classmethod
    def round(cls, columns: Sequence[Column], *, log: bool = False, trim: float = 0.0) -> Axis:
        """An axis that holds the values of what is there.

        Parameters
        ----------
        columns
            Whose values.
        log
            As of `Axis`; values from 0 down do not count.
        trim
            Share of the values that may lie outside at either end, 0 to 0.5: a few far ones would
            else press all others into one bin.

        Raises
        ------
        UsageError
            If `trim` is out of range.
        """
        if not 0.0 <= trim < 0.5:
            raise UsageError(f"A share of {trim:g} cannot be cut off at both ends.")
        low, high = _extent(columns, log)
        if trim > 0.0 and low < high:
            low, high = _trimmed(columns, log, trim, (low, high))
        if not low <= high:
            return cls(0.1, 1.0, True) if log else cls(0.0, 1.0)
        if low == high:  # one value alone stands in the middle
            if log:
                low, high = low / 2.0, high * 2.0
            else:
                reach = 0.5 * max(abs(low), 1e-6)
                low, high = low - reach, high + reach
        return cls(low, high, log)

    @property
    def scale(self) -> tuple[float, float]:
        """The lower end and bins for each unit, of values or of their logarithms to 10."""
        if self.log:
            low, high = math.log10(self.low), math.log10(self.high)
        else:
            low, high = self.low, self.high
        return low, BINS / (high - low)

    def edges(self) -> NDArray[np.float64]:
        """(BINS + 1,) float64, ascending."""
        if self.log:
            edges = np.geomspace(self.low, self.high, BINS + 1)
        else:
            edges = np.linspace(self.low, self.high, BINS + 1)
        return np.asarray(edges, np.float64)

    def value_at(self, share: float) -> float:
        """The value at a share of the axis, 0 the lower end and 1 the upper."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + (self.high - self.low) * share)

    def share_of(self, value: float) -> float:
        """Where on the axis a value lies; minus infinity where a logarithm has no place for it."""
        if self.log:
            if value <= 0.0:
                return -math.inf
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts of one number.

    Parameters
    ----------
    axis
        What the bins are.
    counts, selected
        (BINS,) int64, splats in each bin, and the selected ones among them.
    below, above, other
        Splats outside the axis, and those whose value is no number or has no logarithm.
    """

    axis: Axis
    counts: NDArray[np.int64]
    selected: NDArray[np.int64]
    below: int = 0
    above: int = 0
    other: int = 0

    def __post_init__(self) -> None:
        for name in ("counts", "selected"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64, (BINS,)))

    @property
    def total(self) -> int:
        """All splats that were asked."""
        return int(self.counts.sum()) + self.below + self.above + self.other


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """Counts of two numbers against each other.

    Parameters
    ----------
    across, up
        Their axes.
    counts, selected
        (BINS, BINS) int64; row 0 holds the lowest values of `up`.
    """

    across: Axis
    up: Axis
    counts: NDArray[np.int64]
    selected: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in ("counts", "selected"):
            array = frozen_array(getattr(self, name), np.int64, (BINS, BINS))
            object.__setattr__(self, name, array)


def histogram_of(columns: Sequence[Column], axis: Axis) -> Histogram:
    """Count the splats of all columns in the bins of an axis."""
    total = np.zeros((2, BINS + 3), np.int64)
    for column in columns:
        total += _counted(column, axis)
    below, above, other = (int(number) for number in total[0, BINS:])
    return Histogram(axis, total[0, :BINS], total[1, :BINS], below, above, other)


def scatter_of(pairs: Sequence[tuple[Column, Column]], across: Axis, up: Axis) -> Scatter:
    """Count the splats in the squares of two axes; the first column's state holds."""
    total = np.zeros((2, BINS, BINS), np.int64)
    for first, second in pairs:
        total += _counted_pairs(first, second, across, up)
    return Scatter(across, up, total[0], total[1])


class _Ruler:
    """Finds the bins of values on an axis."""

    def __init__(self, axis: Axis) -> None:
        self._axis = axis
        self._edges = axis.edges()
        self._edges[0], self._edges[-1] = axis.low, axis.high
        if axis.log:
            # The least number whose first 16 bits these are: sign, exponent, a bit of mantissa.
            words = np.arange(_INFINITY, dtype=np.uint32) << 15
            starts = words.view(np.float32).astype(np.float64)
            bins = np.searchsorted(self._edges, starts, side="right") - 1
            self._table = np.clip(bins, 0, BINS - 1).astype(np.int16)

    def places(self, values: NDArray[np.float32]) -> NDArray[np.uint16]:
        """(n,) uint16: BINS stands for below, one more for above, two for no number."""
        from polyorama.scene.histogram_kernels import place_by_ratio, place_evenly

        places = np.empty(len(values), np.uint16)
        if self._axis.log:
            place_by_ratio(values, values.view(np.uint32), self._edges, self._table, places)
        else:
            place_evenly(values, *self._axis.scale, BINS, places)
        return places


def _counted(column: Column, axis: Axis) -> NDArray[np.int64]:
    """(2, BINS + 3) of all and of what is selected."""
    from polyorama.scene.histogram_kernels import count_places

    ruler = _Ruler(axis)

    def count(piece: slice, counts: NDArray[np.uint32]) -> None:
        places = ruler.places(column.values[piece])
        count_places(places, column.bits[piece], counts)

    return _in_pieces(len(column.values), (BINS + 3,), count)


def _counted_pairs(first: Column, second: Column, across: Axis, up: Axis) -> NDArray[np.int64]:
    """(2, BINS, BINS) of all and of what is selected."""
    from polyorama.scene.histogram_kernels import count_pairs

    rulers = _Ruler(across), _Ruler(up)

    def count(piece: slice, counts: NDArray[np.uint32]) -> None:
        x, y = rulers[0].places(first.values[piece]), rulers[1].places(second.values[piece])
        count_pairs(x, y, first.bits[piece], counts)

    return _in_pieces(len(first.values), (BINS, BINS), count)


def _in_pieces(
    total: int, shape: tuple[int, ...], count: Callable[[slice, NDArray[np.uint32]], None]
) -> NDArray[np.int64]:
    """Count on all cores, in pieces that stay in a core's cache; (2, *shape) all and selected."""
    from polyorama.core.compile import core_count, parallel_for

    parts = 2 * core_count()
    counts = np.zeros((parts, 3, *shape), np.uint32)

    def task(part: int, start: int, stop: int) -> None:
        for begin in range(start, stop, _PIECE):
            count(slice(begin, min(begin + _PIECE, stop)), counts[part])

    parallel_for(task, total, parts)
    rest, selected, _ = counts.sum(axis=0, dtype=np.int64)
    return np.stack([rest + selected, selected])


def _extent(columns: Sequence[Column], log: bool) -> tuple[float, float]:
    ends = [end for column in columns for end in _ends(column, log)]
    low = min((low for low, _ in ends), default=math.inf)
    return low, max((high for _, high in ends), default=-math.inf)


def _ends(column: Column, log: bool) -> list[tuple[float, float]]:
    from polyorama.core.compile import core_count, parallel_for
    from polyorama.scene.histogram_kernels import extent

    def task(_: int, start: int, stop: int) -> tuple[float, float]:
        low, high = extent(start, stop, column.values, column.bits, log)
        return float(low), float(high)

    return parallel_for(task, len(column.values), _PARTS_PER_CORE * core_count())


def _trimmed(
    columns: Sequence[Column], log: bool, trim: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """The ends without their tails, as an even sample has them."""
    from polyorama.scene.modify.step import DELETED, HIDDEN

    step = max(1, sum(len(column.values) for column in columns) // _SAMPLE)
    sampled = []
    for column in columns:
        values = column.values[::step]
        fine = np.isfinite(values) & ((values > 0.0) | (not log))
        if column.state is not None:
            fine &= (column.state[::step] & (DELETED | HIDDEN)) == 0
        sampled.append(values[fine])
    sample = np.concatenate(sampled)
    if len(sample) < 2:
        return ends
    low, high = np.quantile(sample.astype(np.float64), [trim, 1.0 - trim])
    # A tail of next to no length is no tail: all is shown, as one expects of 0 to 1.
    spread = float(high - low)
    if spread <= 0.0:
        return ends
    if log:
        spread = math.log(float(high) / float(low))
        near = (math.log(float(low) / ends[0]), math.log(ends[1] / float(high)))
    else:
        near = (float(low) - ends[0], ends[1] - float(high))
    return (
        ends[0] if near[0] <= 0.1 * spread else float(low),
        ends[1] if near[1] <= 0.1 * spread else float(high),
    )
