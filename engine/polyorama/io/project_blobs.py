"""Large sets of splats as members of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.project_members import is_member_name
from polyorama.scene.codec import CodecError
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from polyorama.io.project_members import Members
    from polyorama.scene.codec import Blob

__all__ = ["ReadBits", "WrittenBits"]

_HEAD = 8
"""A member is the number of splats as 8 bytes, little end first, then their bits."""
_MOST_BYTES = 1 << 28


class WrittenBits:
    """Gives the sets of a document that is written names, and their bytes afterwards."""

    largest_bits = 1 << 15

    def __init__(self) -> None:
        self._sets: dict[str, BitSet] = {}
        self._names: dict[BitSet, str] = {}

    def put(self, content: Blob) -> str:
        """The member of a set; equal sets share one."""
        if not isinstance(content, BitSet):
            raise CodecError(f"a {type(content).__name__} cannot be written here")
        name = self._names.setdefault(content, f"data/set-{len(self._names) + 1}.bits")
        self._sets[name] = content
        return name

    def get(self, key: str) -> Blob:
        """The set of a member."""
        if key not in self._sets:
            raise CodecError(f"there is no set {key[:80]!r}")
        return self._sets[key]

    def members(self) -> Iterator[tuple[str, bytes]]:
        """Names and bytes of all members."""
        for name, bits in self._sets.items():
            yield name, bits.count.to_bytes(_HEAD, "little") + bits.packed.tobytes()


class ReadBits:
    """Reads sets from the members of a project."""

    largest_bits = 1 << 15

    def __init__(self, members: Members, source: Path) -> None:
        self._members = members
        self._source = source
        self._sets: dict[str, BitSet] = {}

    def put(self, content: Blob) -> str:
        """Refuse."""
        raise CodecError(f"a {type(content).__name__} cannot be written here")

    def get(self, key: str) -> Blob:
        """The set of a member."""
        if key not in self._sets:
            if not is_member_name(key) or not key.endswith(".bits") or key not in self._members:
                raise CodecError(f"there is no set {key[:80]!r}")
            try:
                data = self._members.read(key, _MOST_BYTES + _HEAD)
                count = int.from_bytes(data[:_HEAD], "little")
                self._sets[key] = BitSet(np.frombuffer(data, np.uint8, offset=_HEAD), count)
            except (FileFormatError, UsageError, ValueError) as error:
                raise CodecError(f"the set {key} is damaged") from error
        return self._sets[key]
