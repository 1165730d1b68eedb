"""Contents of a journal: arrays as files beside it, or as references to files that hold them."""

from __future__ import annotations

import json
import os
import weakref
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.content_npz import Part, content_of, parts_of, read_npy
from polyorama.io.links import find_file, is_it, is_remote, read_content
from polyorama.io.origins import Stamp, array_key, origin_of, owner_of, stamp_of
from polyorama.io.project import read_member
from polyorama.scene.codec import CodecError
from polyorama.scene.document import Source
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

    from numpy.typing import NDArray

    from polyorama.io.origins import ArrayKey
    from polyorama.scene.codec import Blob

__all__ = ["JOURNAL_MARK", "ReadContents", "WrittenContents"]

JOURNAL_MARK = ".journal-"
"""In the name of every folder that is a journal."""


class WrittenContents:
    """Keeps contents in a journal's folder; what was kept once is not written again.

    Parameters
    ----------
    folder
        The journal's.
    """

    largest_bits = 1 << 28

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arrays: dict[ArrayKey, tuple[weakref.ref[Any], dict[str, Any]]] = {}
        self._keys: dict[str, str] = {}
        self._files: dict[Stamp, str] = {}
        self._count = 0
        self.contents: dict[str, Any] = {}
        """What is new since `taken`: how to put contents together, by key."""
        self.files: dict[str, Any] = {}
        """What is new since `taken`: files that arrays lie in, by name."""
        self.unsynced: list[Path] = []
        """Array files that may not have reached the disk."""
        self.stamps: dict[str, Stamp] = {}
        """All files that arrays lie in, by name."""
        self.copied = 0
        """Bytes of arrays that lay in no file and were written."""

    def taken(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is new: files and contents; from now on it is not."""
        new = self.files, self.contents
        self.files, self.contents = {}, {}
        return new

    def put(self, content: Blob) -> str:
        """Keep a content and return its key."""
        if isinstance(content, BitSet):
            raise CodecError("a set of splats stands in the line itself")
        words, arrays = parts_of(content)
        entry = {"words": words, "arrays": {name: self._ref(a) for name, a in arrays.items()}}
        text = json.dumps(entry)
        if text not in self._keys:
            self._keys[text] = f"c{len(self._keys) + 1}"
        # Said again in every line that needs it: the line where it was new may have failed.
        self.contents[self._keys[text]] = entry
        return self._keys[text]

    def get(self, key: str) -> Blob:
        """Refuse: a journal is read by `ReadContents`."""
        raise CodecError(f"there is no content {key[:80]!r}")

    def _ref(self, array: NDArray[Any]) -> dict[str, Any]:
        key, owner = array_key(array), owner_of(array)
        known = self._arrays.get(key)
        if known is not None and known[0]() is owner:
            return known[1]
        origin = origin_of(array)
        name = None if origin is None else self._file(origin.stamp)
        if origin is not None and name is not None:
            ref: dict[str, Any] = {"file": name, "member": origin.member, "array": origin.array}
        else:
            ref = self._write(array)
        self._arrays[key] = (weakref.ref(owner), ref)
        return ref

    def _file(self, stamp: Stamp) -> str | None:
        """The name under which a file is referred to; None if it cannot be relied on."""
        if stamp in self._files:
            return self._files[stamp]
        name = f"f{len(self._files) + 1}"
        link = name + Path(stamp.path).suffix.lower()
        try:
            # A second name for the same bytes: they stay when the first one goes.
            os.link(stamp.path, self._folder / link)
            if stamp_of(self._folder / link) != Stamp(
                os.path.abspath(self._folder / link), stamp.size, stamp.mtime_ns
            ):
                return None
        except (OSError, NotImplementedError):
            link = ""
            if JOURNAL_MARK in stamp.path:  # that journal may go at any time
                return None
        self._files[stamp] = name
        self.stamps[name] = stamp
        self.files[name] = {
            "path": stamp.path, "size": stamp.size, "mtime_ns": stamp.mtime_ns, "link": link,
        }  # fmt: skip
        return name

    def _write(self, array: NDArray[Any]) -> dict[str, Any]:
        self._count += 1
        path = self._folder / f"a{self._count}.npy"
        with path.open("wb") as file:
            np.lib.format.write_array(file, array, allow_pickle=False)
        self.unsynced.append(path)
        self.copied += array.nbytes
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return {"own": path.name, "crc": zlib.crc32(flat.data)}


class ReadContents:
    """Gives contents of a journal, and tells which of them are lost.

    Parameters
    ----------
    folder
        The journal's.
    files, contents
        What its lines said, by name and key.
    """

    largest_bits = 1 << 28

    def __init__(self, folder: Path, files: Mapping[str, Any], contents: Mapping[str, Any]) -> None:
        self._folder = folder
        self._files = files
        self._entries = contents
        self._contents: dict[str, Part] = {}
        self._read: dict[tuple[str, str], Part] = {}
        self._places: dict[str, Path] = {}

    def put(self, content: Blob) -> str:
        """Refuse: a journal is written by `WrittenContents`."""
        raise CodecError(f"a {type(content).__name__} cannot be written here")

    def get(self, key: str) -> Blob:
        """The content of a key."""
        if key not in self._contents:
            entry = self._entries.get(key)
            if not isinstance(entry, dict) or not isinstance(entry.get("arrays"), dict):
                raise CodecError(f"there is no content {key[:80]!r}")
            try:
                arrays = {name: self._array(ref) for name, ref in entry["arrays"].items()}
                self._contents[key] = content_of(entry.get("words"), arrays, self._folder)
            except PolyoramaError as error:
                raise CodecError(str(error)) from error
            except (OSError, KeyError, TypeError, ValueError) as error:
                raise CodecError(f"content {key[:80]} is damaged ({error})") from error
        return self._contents[key]

    def source(self, key: str) -> Source | None:
        """The capture that a content lay in, whole, or None."""
        entry = self._entries.get(key, {})
        refs = entry.get("arrays", {}).values() if isinstance(entry, dict) else ()
        names = {ref.get("file") for ref in refs if isinstance(ref, dict)}
        known = self._files.get(next(iter(names), None) or "")
        if len(names) != 1 or not isinstance(known, dict):
            return None
        path, size = known.get("path"), known.get("size")
        if not isinstance(path, str) or not isinstance(size, int):
            return None
        return Source(path, str(known.get("sha256", "")), size, linked=True)

    def _array(self, ref: dict[str, Any]) -> NDArray[Any]:
        if "own" in ref:
            return self._own(str(ref["own"]), ref["crc"])
        name, member = str(ref["file"]), str(ref["member"])
        if (name, member) not in self._read:
            path = self._place(name)
            self._read[name, member] = read_member(path, member) if member else read_content(path)
        return parts_of(self._read[name, member])[1][ref["array"]]

    def _own(self, name: str, crc: int) -> NDArray[Any]:
        if not name.startswith("a") or not name.removesuffix(".npy").isalnum():
            raise CodecError(f"an array has a bad name {name[:80]!r}")
        path = self._folder / name
        file: IO[bytes]
        with path.open("rb") as file:
            array = read_npy(file, path.stat().st_size, name, path)
        if zlib.crc32(array.reshape(-1).view(np.uint8).data) != crc:
            raise FileFormatError(f"The array is damaged: {path}")
        return array

    def _place(self, name: str) -> Path:
        """Where a file that arrays lie in is now."""
        if name in self._places:
            return self._places[name]
        known = self._files[name]
        link = str(known.get("link", ""))
        lost = Source(known["path"], str(known.get("sha256", "")), known["size"], linked=True)
        # A journal may come from elsewhere; the machines that it names are not asked.
        away = is_remote(lost.path) and not is_remote(str(self._folder))
        places = [] if away else [Path(lost.path)]
        if link and Path(link).name == link:
            places.append(self._folder / link)
        for place in places:
            if self._is_it(place, known):
                self._places[name] = place
                return place
        found = None if away else find_file(Path(lost.path).parent, lost)
        if found is None:
            raise FileFormatError(f"The file changed or is missing: {lost.path}")
        self._places[name] = found
        return found

    def _is_it(self, place: Path, known: dict[str, Any]) -> bool:
        stamp = stamp_of(place)
        if stamp is None or stamp.size != known["size"]:
            return False
        if stamp.mtime_ns == known["mtime_ns"]:
            return True
        sha256 = str(known.get("sha256", ""))
        return bool(sha256) and is_it(place, Source("", sha256, stamp.size))
