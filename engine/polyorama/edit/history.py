"""The history: commands in order, a place among them, and a bound on the bytes they hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.faces.phones import PhoneTrack
from polyorama.scene.timeline import Track

if TYPE_CHECKING:
    from polyorama.edit.command import Command
    from polyorama.scene.document import Document

__all__ = ["History", "held_bytes"]

_KEY_BYTES = 256
"""Of a key of a track, about."""
_PHONE_BYTES = 16
"""Tracks that were made of one another share their phones: each adds little but its place."""


class History:
    """Commands that can be taken back and done again.

    Parameters
    ----------
    limit
        Bytes of arrays that only the history holds; beyond, the oldest commands are forgotten.
    """

    def __init__(self, limit: int = 512 << 20) -> None:
        self.limit = limit
        self.commands: list[Command] = []
        self.position = 0
        """How many of `commands` are done; those after it can be done again."""
        self.forgotten = 0
        """How many commands were dropped at the start."""
        self._owners: list[dict[int, int]] = []
        # Bytes of each distinct array, and how many commands hold it.
        self._held: dict[int, list[int]] = {}

    def push(self, command: Command, document: Document) -> None:
        """Add a command that was just done; those that could be done again are dropped.

        Parameters
        ----------
        command
            What was done.
        document
            What it made; arrays that it holds do not count as the history's.
        """
        for owners in self._owners[self.position :]:
            self._drop(owners)
        del self.commands[self.position :], self._owners[self.position :]
        self.commands.append(command)
        self._owners.append(self._take(command))
        self.position = len(self.commands)
        if self.nbytes <= self.limit:
            return
        living = _owned(document)
        while len(self.commands) > 1 and self._only_here(living) > self.limit:
            self.commands.pop(0)
            self._drop(self._owners.pop(0))
            self.position -= 1
            self.forgotten += 1

    def replace_last(self, command: Command) -> None:
        """Put a command in the place of the one that was done last: a gesture goes on."""
        at = self.position - 1
        self._drop(self._owners[at])
        self.commands[at] = command
        self._owners[at] = self._take(command)

    def _take(self, command: Command) -> dict[int, int]:
        owners = _owned(command)
        for owner, size in owners.items():
            self._held.setdefault(owner, [size, 0])[1] += 1
        return owners

    def _drop(self, owners: dict[int, int]) -> None:
        for owner in owners:
            self._held[owner][1] -= 1
            if not self._held[owner][1]:
                del self._held[owner]

    def _only_here(self, living: dict[int, int]) -> int:
        return sum(size for owner, (size, _) in self._held.items() if owner not in living)

    @property
    def can_undo(self) -> bool:
        """Whether there is a command to take back."""
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a command to do again."""
        return self.position < len(self.commands)

    @property
    def nbytes(self) -> int:
        """Bytes of the distinct arrays that the commands hold."""
        return self._only_here({})


def held_bytes(*values: Any) -> int:
    """Bytes of the distinct arrays and tracks inside dataclasses, mappings and sequences."""
    return sum(_owned(values).values())


def _owned(value: Any) -> dict[int, int]:
    """Bytes of the distinct arrays and tracks in a value by the ids of what owns their memory."""
    found: dict[int, int] = {}
    for part in _heavy(value):
        if isinstance(part, Track):
            found[id(part)] = _KEY_BYTES * len(part.keys)
            continue
        if isinstance(part, PhoneTrack):
            found[id(part)] = _PHONE_BYTES * (len(part.phones) + len(part.words))
            continue
        owner = part
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        found[id(owner)] = owner.nbytes
    return found


def _heavy(value: Any) -> Iterator[np.ndarray | Track | PhoneTrack]:
    # Tracks are taken whole: to look at each of ten thousand keys would take seconds.
    if isinstance(value, np.ndarray | Track | PhoneTrack):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _heavy(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _heavy(part)
    elif isinstance(value, tuple | list | Iterator) or (
        hasattr(value, "__iter__") and not isinstance(value, str | bytes)
    ):
        for part in value:
            yield from _heavy(part)
