"""Where arrays in memory lie on disk: remembered when they are read, forgotten with them.

What still lies unchanged in a file need not be written once more: a journal refers to it, and a
linked node keeps the file's path alone. Arrays are read-only once in a document, so that one that
was read from a file is what the file holds for as long as the file does not change.
"""

from __future__ import annotations

import os
import stat
import threading
import weakref
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.io.content_npz import parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.io.content_npz import Part

__all__ = ["Origin", "Stamp", "array_key", "origin_of", "remember", "stamp_of", "whole_origin"]


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was: by size and time of change it is seen whether it still is.

    Parameters
    ----------
    path
        Absolute.
    size
        Bytes.
    mtime_ns
        When it was changed last, ns since 1970.
    """

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Origin:
    """One array in a file.

    Parameters
    ----------
    stamp
        The file.
    member
        Of a project; "" where the whole file is one content.
    array
        Its name, as `polyorama.io.content_npz.parts_of` gives it.
    """

    stamp: Stamp
    member: str
    array: str


ArrayKey = tuple[int, tuple[int, ...], str]
_known: dict[ArrayKey, tuple[weakref.ref[Any], Origin]] = {}
_guard = threading.Lock()


def stamp_of(path: str | os.PathLike[str]) -> Stamp | None:
    """The stamp of a plain file, or None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return Stamp(os.path.abspath(path), status.st_size, status.st_mtime_ns)


def owner_of(array: NDArray[Any]) -> NDArray[Any]:
    """The array whose memory a view looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def array_key(array: NDArray[Any]) -> ArrayKey:
    """Tells arrays apart as long as their memory lives: equal for views of the same numbers."""
    return (array.__array_interface__["data"][0], array.shape, array.dtype.str)


def remember(content: Part, stamp: Stamp | None, member: str = "") -> None:
    """Remember that a content was just read from a file.

    Parameters
    ----------
    content
        What was read.
    stamp
        The file's, taken before it was read; None, or one that is not true any more, does nothing.
    member
        See `Origin`.
    """
    if stamp is None or stamp_of(stamp.path) != stamp:
        return
    for name, array in parts_of(content)[1].items():
        if not array.size or not array.flags.c_contiguous:
            continue
        key = array_key(array)
        gone = weakref.ref(owner_of(array), partial(_forget, key))
        with _guard:
            _known[key] = (gone, Origin(stamp, member, name))


def _forget(key: ArrayKey, _: object) -> None:
    # Without the lock: this may run in the middle of whatever holds it.
    kept = _known.get(key)
    if kept is not None and kept[0]() is None:
        _known.pop(key, None)


def origin_of(array: NDArray[Any]) -> Origin | None:
    """Where an array lies on disk, if it is known and the file has not changed since."""
    kept = _known.get(array_key(array))
    if kept is None or kept[0]() is not owner_of(array):
        return None
    return kept[1] if stamp_of(kept[1].stamp.path) == kept[1].stamp else None


def whole_origin(content: Part) -> Stamp | None:
    """The capture or mesh file that holds just this content and has not changed, or None."""
    stamps: set[Stamp] = set()
    for name, array in parts_of(content)[1].items():
        if not array.size:
            continue
        origin = origin_of(array)
        if origin is None or origin.member or origin.array != name:
            return None
        stamps.add(origin.stamp)
    return stamps.pop() if len(stamps) == 1 else None
