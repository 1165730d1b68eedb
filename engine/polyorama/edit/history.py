"""The history: commands in order, a place among them, and a bound on the bytes they hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from polyorama.edit.command import Command

__all__ = ["History", "held_bytes"]


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

    def push(self, command: Command) -> None:
        """Add a command that was just done; those that could be done again are dropped."""
        del self.commands[self.position :]
        self.commands.append(command)
        self.position = len(self.commands)
        while len(self.commands) > 1 and self.nbytes > self.limit:
            self.commands.pop(0)
            self.position -= 1
            self.forgotten += 1

    def replace_last(self, command: Command) -> None:
        """Put a command in the place of the one that was done last: a gesture goes on."""
        self.commands[self.position - 1] = command

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
        return held_bytes(command.patch for command in self.commands)


def held_bytes(*values: Any) -> int:
    """Bytes of the distinct arrays inside dataclasses, mappings and sequences."""
    found: dict[int, int] = {}
    for array in _arrays(values):
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        found[id(owner)] = owner.nbytes
    return sum(found.values())


def _arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _arrays(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _arrays(part)
    elif isinstance(value, tuple | list | Iterator) or (
        hasattr(value, "__iter__") and not isinstance(value, str | bytes)
    ):
        for part in value:
            yield from _arrays(part)
