"""Commands: what changed, from what to what; the only way in which a document changes.

An operation (`polyorama.edit.ops`) is a pure function from a document to a document. What differs
between the two is captured at once as a `Patch`, old values and new ones, so that undoing never
depends on anything but the command itself. Arrays are shared, never copied.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polyorama.core.frozen import FrozenMap
from polyorama.scene.patch import Change, Patch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.scene.document import Document

__all__ = ["Call", "Change", "Command", "Patch"]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation and its arguments: what a script writes to do the same.

    Parameters
    ----------
    name
        Of the operation.
    arguments
        By name, of the kinds that `polyorama.scene.codec` writes.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """One step of the history.

    Parameters
    ----------
    title
        What the history shows, sentence case.
    calls
        The operations that it came from; a gesture may hold several.
    patch
        What changed.
    """

    title: str
    calls: tuple[Call, ...]
    patch: Patch

    def apply(self, document: Document) -> Document:
        """Carry it out."""
        return self.patch.apply(document)

    def revert(self, document: Document) -> Document:
        """Take it back."""
        return self.patch.inverse().apply(document)
