"""Selections: packed bit sets over the splats of a node, and named ones."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["COMBINATIONS", "BitSet", "NamedSelection", "combine", "frozen_bits"]


@dataclass(frozen=True, slots=True, eq=False)
class BitSet:
    """A set of splats, one bit each.

    Parameters
    ----------
    packed
        (ceil(count / 8),) uint8, splat 8 i + j in bit j of byte i; bits beyond `count` are 0.
    count
        How many splats there are to be in it or not.

    Raises
    ------
    UsageError
        If there are not as many bytes as `count` needs.
    """

    packed: NDArray[np.uint8]
    count: int

    def __post_init__(self) -> None:
        packed = np.ascontiguousarray(self.packed, np.uint8).view()
        if packed.shape != ((self.count + 7) // 8,):
            raise UsageError(f"A set over {self.count} splats does not have {packed.size} bytes.")
        if self.count % 8 and packed[-1] >> (self.count % 8):
            raise UsageError(f"A set over {self.count} splats names splats beyond them.")
        packed.flags.writeable = False
        object.__setattr__(self, "packed", packed)

    @classmethod
    def of_mask(cls, mask: ArrayLike) -> BitSet:
        """From an (N,) bool array."""
        flags = np.asarray(mask, np.bool_)
        return cls(np.packbits(flags, bitorder="little"), len(flags))

    @classmethod
    def of_indices(cls, indices: ArrayLike, count: int) -> BitSet:
        """From splat numbers, in any order.

        Raises
        ------
        UsageError
            If one is not below `count`.
        """
        numbers = np.asarray(indices, np.int64)
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
            raise UsageError(f"Splat numbers go from 0 to {count - 1}.")
        mask = np.zeros(count, np.bool_)
        mask[numbers] = True
        return cls.of_mask(mask)

    @classmethod
    def none(cls, count: int) -> BitSet:
        """The empty set."""
        return cls(np.zeros((count + 7) // 8, np.uint8), count)

    @classmethod
    def all(cls, count: int) -> BitSet:
        """The full set."""
        return ~cls.none(count)

    def mask(self) -> NDArray[np.bool_]:
        """(count,) bool."""
        return np.unpackbits(self.packed, count=self.count, bitorder="little").view(np.bool_)

    def indices(self) -> NDArray[np.int64]:
        """Numbers of the splats in it, ascending."""
        return np.flatnonzero(self.mask())

    def __len__(self) -> int:
        """How many splats are in it."""
        return int(np.bitwise_count(self.packed).sum(dtype=np.int64))

    def __bool__(self) -> bool:
        return bool(self.packed.any())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BitSet):
            return NotImplemented
        return self.count == other.count and np.array_equal(self.packed, other.packed)

    def __hash__(self) -> int:
        return hash((self.count, self.packed.tobytes()))

    def __and__(self, other: BitSet) -> BitSet:
        return BitSet(self.packed & self._fitting(other).packed, self.count)

    def __or__(self, other: BitSet) -> BitSet:
        return BitSet(self.packed | self._fitting(other).packed, self.count)

    def __xor__(self, other: BitSet) -> BitSet:
        return BitSet(self.packed ^ self._fitting(other).packed, self.count)

    def __sub__(self, other: BitSet) -> BitSet:
        return BitSet(self.packed & ~self._fitting(other).packed, self.count)

    def __invert__(self) -> BitSet:
        packed = ~self.packed
        if self.count % 8:
            packed[-1] &= np.uint8((1 << (self.count % 8)) - 1)
        return BitSet(packed, self.count)

    def _fitting(self, other: BitSet) -> BitSet:
        if other.count != self.count:
            raise UsageError(f"A set over {other.count} splats does not fit one over {self.count}.")
        return other

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self.packed.nbytes


COMBINATIONS = ("set", "add", "remove", "intersect")
"""What can become of a selection when something is picked."""


def combine(present: BitSet | None, picked: BitSet, mode: str) -> BitSet:
    """The selection after `picked` was set, added, removed or intersected.

    Raises
    ------
    UsageError
        If the mode is none of `COMBINATIONS` or the sets do not fit.
    """
    if mode not in COMBINATIONS:
        raise UsageError(f"A selection is {', '.join(COMBINATIONS)}, not {mode!r}.")
    if mode == "set":
        return picked
    before = BitSet.none(picked.count) if present is None else present
    if mode == "add":
        return before | picked
    return before - picked if mode == "remove" else before & picked


def frozen_bits(bits: Mapping[str, BitSet]) -> FrozenMap[str, BitSet]:
    """Read-only mapping from node id to a set that is not empty."""
    return FrozenMap({node: chosen for node, chosen in bits.items() if chosen})


@dataclass(frozen=True, slots=True, eq=False)
class NamedSelection:
    """A selection kept under a name: a query, asked anew each time, or splats picked by hand.

    Parameters
    ----------
    name
        Letters, digits, spaces, ``_`` and ``-``; what rules ask for in ``selected("name")``.
    query
        A rule (see `polyorama.scene.rules`), or "" for a set of splats.
    nodes
        Ids of the nodes that the query is asked of; empty for all.
    bits
        By node id, where it was picked by hand.

    Raises
    ------
    UsageError
        If the name is no name, or there is both a query and splats.
    """

    name: str
    query: str = ""
    nodes: tuple[str, ...] = ()
    bits: Mapping[str, BitSet] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w \-]{0,63}", self.name):
            raise UsageError(
                "A selection's name is up to 64 letters, digits, spaces, _ and -, "
                f"not {self.name[:80]!r}."
            )
        if self.query and self.bits:
            raise UsageError("A named selection is a query or a set of splats, not both.")
        object.__setattr__(self, "bits", frozen_bits(self.bits))
