"""The members of a project, from a zip or from a folder, named and sized before they are read."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import struct
import tempfile
import zipfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FolderMembers", "Members", "ZipMembers", "is_member_name"]

_MAX_MEMBERS = 65536
_MAX_RATIO = 200
"""Deflate can reach 1032; text and pictures of real projects stay below a tenth of that."""
_FREE = 1 << 20
"""Bytes that a member may have whatever its ratio: short repetitive text shrinks well."""

_LOCAL_HEADER = 30
"""Bytes of a member's header in the file, before its name."""

_NAME = re.compile(r"document\.json|thumb\.png|data/[A-Za-z0-9_-]{1,64}\.[a-z0-9.]{1,32}")


def is_member_name(name: str) -> bool:
    """Whether a project may have a member of this name; no such name leaves its folder."""
    return _NAME.fullmatch(name) is not None and ".." not in name


class Members(Protocol):
    """Read access to the members by name."""

    def __contains__(self, name: str) -> bool: ...

    def size(self, name: str) -> int:
        """Bytes of a member; raises `FileFormatError` where it is missing."""
        ...

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """A seekable stream of a member; raises `FileFormatError` where it is missing."""
        ...

    def read(self, name: str, limit: int) -> bytes:
        """All bytes of a member; raises `FileFormatError` above `limit` bytes."""
        ...

    def as_file(self, name: str) -> contextlib.AbstractContextManager[Path]:
        """A path from which a member can be read meanwhile."""
        ...


class _Reading(ABC):
    """What zip and folder share."""

    source: Path

    @abstractmethod
    def size(self, name: str) -> int: ...

    @abstractmethod
    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]: ...

    def read(self, name: str, limit: int) -> bytes:
        size = self.size(name)
        if size > limit:
            raise FileFormatError(f"Its {name} is too large ({size} bytes): {self.source}")
        with self.open(name) as stream:
            return stream.read(limit)


class _Slice(io.RawIOBase):
    """A part of a file, as a stream; the file stays open."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise ValueError("a place before the start")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: max(self._size - self._at, 0)]
        self._file.seek(self._start + self._at)
        data = self._file.read(len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)


class ZipMembers(_Reading):
    """Members of a zip; the directory is checked as a whole when it is opened.

    Raises
    ------
    FileFormatError
        If names repeat or lead out of the project, sizes cannot be true, or a member is encrypted
        or packed in an unusual way.
    """

    def __init__(self, archive: zipfile.ZipFile, source: Path) -> None:
        self.source = source
        self._archive = archive
        self._infos: dict[str, zipfile.ZipInfo] = {}
        infos = archive.infolist()
        if len(infos) > _MAX_MEMBERS:
            raise FileFormatError(f"The project has too many members ({len(infos)}): {source}")
        length = source.stat().st_size
        stored = 0
        for info in infos:
            name = info.filename
            if name.endswith("/"):  # a folder; is_dir() would trip over an empty name
                continue
            if not is_member_name(name):
                raise FileFormatError(f"The project has a member of a bad name {name!r}: {source}")
            if name in self._infos:
                raise FileFormatError(f"The project has two members {name!r}: {source}")
            if info.flag_bits & 0x1:
                raise FileFormatError(f"The project's member {name!r} is encrypted: {source}")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise FileFormatError(f"The project's member {name!r} is not a plain zip: {source}")
            expands = info.file_size - info.compress_size * _MAX_RATIO
            if info.compress_type == zipfile.ZIP_STORED:
                expands = info.file_size - info.compress_size + _FREE
            stored += info.compress_size
            if expands > _FREE or stored > length:
                raise FileFormatError(
                    f"The project's member {name!r} claims more bytes than it can hold: {source}"
                )
            self._infos[name] = info

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def size(self, name: str) -> int:
        """Bytes of a member."""
        if name not in self._infos:
            raise FileFormatError(f"The project has no {name}: {self.source}")
        return self._infos[name].file_size

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """A stream of a member."""
        self.size(name)
        if name.endswith(".npz") and self._infos[name].compress_type == zipfile.ZIP_STORED:
            return self._stored(self._infos[name])
        return cast(
            "contextlib.AbstractContextManager[IO[bytes]]", self._archive.open(self._infos[name])
        )

    def _stored(self, info: zipfile.ZipInfo) -> io.BufferedReader:
        """The bytes of a member as they lie in the file.

        The library's own stream reads from the start after each seek backwards, which an `.npz`
        inside does for every array. Its arrays have checksums of their own.
        """
        file = self._archive.fp
        assert file is not None
        file.seek(info.header_offset)
        head = file.read(_LOCAL_HEADER)
        if len(head) < _LOCAL_HEADER or head[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile("a member has no header")
        start = info.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", head[26:30]))
        return io.BufferedReader(_Slice(file, start, info.file_size), 1 << 20)

    @contextlib.contextmanager
    def as_file(self, name: str) -> Iterator[Path]:
        """The member, unpacked to a temporary file of the same name."""
        with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
            path = Path(folder) / name.rsplit("/", 1)[-1]
            with self.open(name) as stream, path.open("wb") as out:
                shutil.copyfileobj(stream, out, 1 << 20)
            yield path


class FolderMembers(_Reading):
    """Members that are files in a folder; links that lead out of it are refused."""

    def __init__(self, folder: Path) -> None:
        self.source = folder
        self._root = folder.resolve()

    def _path(self, name: str) -> Path:
        path = self.source / name
        if not is_member_name(name) or not path.resolve().is_relative_to(self._root):
            raise FileFormatError(f"The project has a member of a bad name {name!r}: {self.source}")
        if not path.is_file():
            raise FileFormatError(f"The project has no {name}: {self.source}")
        return path

    def __contains__(self, name: str) -> bool:
        return (self.source / name).is_file()

    def size(self, name: str) -> int:
        """Bytes of a member."""
        return self._path(name).stat().st_size

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """A stream of a member."""
        return self._path(name).open("rb")

    @contextlib.contextmanager
    def as_file(self, name: str) -> Iterator[Path]:
        """The member's own path."""
        yield self._path(name)
