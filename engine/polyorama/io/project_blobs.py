"""What values of a project refer to: large sets of splats, rigs, performances and sounds of faces.

Each lies in a member of its own; what is one object, or an equal set, lies there once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.content_npz import read_npz, write_npz
from polyorama.io.project_members import is_member_name
from polyorama.scene.codec import CodecError
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO

    from polyorama.io.content_npz import Part
    from polyorama.io.project_members import Members
    from polyorama.scene.codec import Blob

__all__ = ["ReadParts", "WrittenParts"]

_HEAD = 8
"""A set's member is the number of splats as 8 bytes, little end first, then their bits."""
_MOST_BYTES = 1 << 28
_SET, _PART = ".bits", ".part.npz"


class WrittenParts:
    """Gives the parts of a document that is written names, and writes them afterwards."""

    largest_bits = 1 << 15

    def __init__(self) -> None:
        self._parts: dict[str, Blob] = {}
        self._sets: dict[BitSet, str] = {}
        self._named: dict[int, str] = {}

    def put(self, content: Blob) -> str:
        """The member of a part."""
        if isinstance(content, BitSet):
            name = self._sets.setdefault(content, f"data/set-{len(self._sets) + 1}{_SET}")
        else:
            name = self._named.setdefault(id(content), f"data/part-{len(self._named) + 1}{_PART}")
        self._parts[name] = content
        return name

    def get(self, key: str) -> Blob:
        """The part of a member."""
        if key not in self._parts:
            raise CodecError(f"there is no part {key[:80]!r}")
        return self._parts[key]

    @property
    def contents(self) -> Mapping[str, Part]:
        """Parts other than sets, by member."""
        return {name: part for name, part in self._parts.items() if not isinstance(part, BitSet)}

    def names(self) -> tuple[str, ...]:
        """All members."""
        return tuple(self._parts)

    def write(self, name: str, stream: IO[bytes]) -> None:
        """Write a member."""
        part = self._parts[name]
        if isinstance(part, BitSet):
            stream.write(part.count.to_bytes(_HEAD, "little") + part.packed.tobytes())
        else:
            write_npz(part, stream)


class ReadParts:
    """Reads parts from the members of a project."""

    largest_bits = 1 << 15

    def __init__(self, members: Members, source: Path) -> None:
        self._members = members
        self._source = source
        self._parts: dict[str, Blob] = {}

    def put(self, content: Blob) -> str:
        """Refuse."""
        raise CodecError(f"a {type(content).__name__} cannot be written here")

    def get(self, key: str) -> Blob:
        """The part of a member."""
        if key not in self._parts:
            there = is_member_name(key) and key.endswith((_SET, _PART)) and key in self._members
            if not there:
                raise CodecError(f"there is no part {key[:80]!r}")
            try:
                self._parts[key] = self._set(key) if key.endswith(_SET) else self._part(key)
            except (FileFormatError, UsageError, ValueError) as error:
                reason = str(error).removesuffix(f": {self._source}")
                raise CodecError(f"the part {key} is damaged ({reason})") from error
        return self._parts[key]

    @property
    def contents(self) -> Mapping[str, Part]:
        """Parts other than sets that were read, by member."""
        return {name: part for name, part in self._parts.items() if not isinstance(part, BitSet)}

    def _set(self, key: str) -> BitSet:
        data = self._members.read(key, _MOST_BYTES + _HEAD)
        count = int.from_bytes(data[:_HEAD], "little")
        return BitSet(np.frombuffer(data, np.uint8, offset=_HEAD), count)

    def _part(self, key: str) -> Blob:
        with self._members.open(key) as stream:
            return read_npz(stream, self._members.size(key), self._source)
