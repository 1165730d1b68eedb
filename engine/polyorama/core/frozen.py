"""Read-only mappings that can be compared, hashed by content and pickled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

__all__ = ["FrozenMap"]

K = TypeVar("K")
V = TypeVar("V")


class FrozenMap(Mapping[K, V]):
    """A mapping that cannot be changed; keys keep their order."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        self._items: dict[K, V] = dict(items or {})

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"

    def with_items(self, items: Mapping[K, V]) -> FrozenMap[K, V]:
        """The same with some items added or replaced."""
        return FrozenMap({**self._items, **items})

    def without(self, *keys: K) -> FrozenMap[K, V]:
        """The same without some keys; those that are not there do not matter."""
        return FrozenMap({k: v for k, v in self._items.items() if k not in keys})
