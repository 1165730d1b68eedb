"""Results that are kept while their owner lives, within a number of bytes."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from polyorama.core.memory import available_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Kept", "Same", "array_bytes"]

T = TypeVar("T")

_A_SLOT = 2
"""Results that a slot holds: the present one and the one before, for a comparison of both."""
_LARGE = 1 << 26
"""Bytes from which on a result is worth asking the system how much memory is free."""


class Same:
    """Part of a key that equals only itself: the very same object, which it does not keep alive.

    Parameters
    ----------
    value
        An array or another object that can be referred to weakly, or None.
    """

    __slots__ = ("_of",)

    def __init__(self, value: object) -> None:
        self._of: weakref.ref[object] | None = None if value is None else weakref.ref(value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Same):
            return NotImplemented
        if self._of is None or other._of is None:
            return self._of is other._of
        value = self._of()
        return value is not None and value is other._of()

    __hash__ = None  # type: ignore[assignment]


def array_bytes(value: object) -> int:
    """Bytes of the arrays in a value, its tuples and its mappings."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(map(array_bytes, value.values()))
    if isinstance(value, tuple):
        return sum(map(array_bytes, value))
    return int(getattr(value, "nbytes", 0))


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    key: tuple[Any, ...]
    value: Any
    nbytes: int


class Kept:
    """Keeps results by owner and slot, the latest two of each.

    A result must not refer to its owner: it goes when the owner does, and else when the least
    recently used ones have to make room. It may be used from several threads.

    Parameters
    ----------
    limit
        Bytes of all results together. Where memory is short, they take no more than half of what
        would be free without them.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._slots: OrderedDict[tuple[int, Hashable], list[_Result]] = OrderedDict()
        self._owners: set[int] = set()
        # Owners may die while the lock is held; what is to be done about it waits here.
        self._dead: deque[int] = deque()
        self._lock = threading.RLock()

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        with self._lock:
            self._bury()
            return sum(r.nbytes for results in self._slots.values() for r in results)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._slots.clear()

    def find(self, owner: object, slot: Hashable, key: tuple[Any, ...]) -> Any:
        """The result kept under that key, or None; then its slot has room for it."""
        with self._lock:
            self._bury()
            place = (id(owner), slot)
            results = self._slots.get(place, [])
            for result in results:
                if result.key == key:
                    self._slots.move_to_end(place)
                    results.remove(result)
                    results.append(result)
                    return result.value
            del results[: len(results) - _A_SLOT + 1]
            return None

    def keep(self, owner: object, slot: Hashable, key: tuple[Any, ...], value: T) -> T:
        """Keep a result; returns it, or the one that another thread has kept meanwhile."""
        nbytes = array_bytes(value)
        with self._lock:
            kept = self.find(owner, slot, key)
            if kept is not None:
                return kept  # type: ignore[no-any-return]
            place = (id(owner), slot)
            if place[0] not in self._owners:
                self._owners.add(place[0])
                weakref.finalize(owner, self._dead.append, place[0]).atexit = False
            self._slots.setdefault(place, []).append(_Result(key, value, nbytes))
            self._slots.move_to_end(place)
            self._make_room(large=nbytes >= _LARGE)
        return value

    def made(self, owner: object, slot: Hashable, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """The result kept under that key, else the one that `make` makes."""
        found = self.find(owner, slot, key)
        return self.keep(owner, slot, key, make()) if found is None else found

    def _bury(self) -> None:
        while self._dead:  # results that go may own others
            gone = self._dead.popleft()
            self._owners.discard(gone)
            for place in [p for p in self._slots if p[0] == gone]:
                del self._slots[place]

    def _make_room(self, *, large: bool) -> None:
        held = self.nbytes
        limit = self.limit
        free = available_bytes() if large else None
        if free is not None:
            limit = min(limit, (held + free) // 2)
        while held > limit and len(self._slots) > 1:
            _, results = self._slots.popitem(last=False)
            held -= sum(result.nbytes for result in results)
