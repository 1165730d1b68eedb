"""Pickles read as data: arrays come out, nothing in the file is ever run.

A pickle is a program for a small machine, and what makes it dangerous is one instruction alone: it
may name any function of any module and have it called. Here that instruction finds nothing but the
few stand-ins below: every name goes through `find_class`, which never imports and knows no other
names. The stand-ins are plain classes of this module that keep what they are handed; they neither
look at it nor call it. The codes of extensions that other modules registered, of persistent ids and
of buffers are looked for, and refused, before the pickle is read at all. What is left to a hostile
file is to waste memory, and that is bounded by the size of the file, by a limit to its instructions
and by checking an array's size against the bytes that are there before it is made.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Kept", "array_of", "read_inert"]

_KINDS = "fiub"
_REFUSED = {"EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER"}
_MAX_ITEMS = 20_000_000
_MEMO = frozenset(("PUT", "BINPUT", "LONG_BINPUT"))
_MAX_STEPS = 1_000_000
"""Instructions: a model has some hundreds, and each may make an object."""


class Kept:
    """What an object was made with: the arguments and the state, untouched.

    All stand-ins derive from it: its `__setstate__` also keeps a pickle from giving attributes to
    the classes themselves.
    """

    arguments: tuple[Any, ...] = ()
    state: Any = None

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Array(Kept):
    """A numpy array."""


class _Kind(Kept):
    """A numpy dtype."""


class _Wrapped(Kept):
    """A scipy csc or csr matrix, or a chumpy array."""


class _Rebuilt(Kept):
    """What protocols before 2 make objects with: of which stand-in, they say."""

    def __new__(cls, kind: Any = Kept, *_: Any) -> Kept:  # type: ignore[misc]
        return object.__new__(kind if isinstance(kind, type) and issubclass(kind, Kept) else Kept)


class _Encoded(Kept):
    """Bytes of Python 2, which protocol 2 writes as text to be encoded as latin 1."""

    def __new__(cls, text: str = "", codec: str = "latin1") -> bytes:  # type: ignore[misc]
        if not isinstance(text, str) or codec not in ("latin1", "latin-1"):
            raise pickle.UnpicklingError("text that is no bytes")
        return text.encode("latin-1")


_STAND_INS: dict[str, Any] = {
    "numpy.core.multiarray._reconstruct": _Array,
    "numpy._core.multiarray._reconstruct": _Array,
    "numpy.core.multiarray.scalar": Kept,
    "numpy._core.multiarray.scalar": Kept,
    "numpy.ndarray": _Array,
    "numpy.dtype": _Kind,
    "_codecs.encode": _Encoded,
    "scipy.sparse.csc.csc_matrix": _Wrapped,
    "scipy.sparse.csr.csr_matrix": _Wrapped,
    "scipy.sparse._csc.csc_matrix": _Wrapped,
    "scipy.sparse._csr.csr_matrix": _Wrapped,
    "chumpy.ch.Ch": _Wrapped,
    "chumpy.reordering.Select": _Wrapped,
    "copy_reg._reconstructor": _Rebuilt,
    "copyreg._reconstructor": _Rebuilt,
    "__builtin__.object": Kept,
    "builtins.object": Kept,
}


class _Inert(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = _STAND_INS.get(f"{module}.{name}")
        if found is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}"[:120])
        return found


def read_inert(data: bytes, path: Path) -> Any:
    """What a pickle holds, with `Kept` in the place of every object.

    Raises
    ------
    FileFormatError
        If it is damaged, or asks for anything that is no array.
    """
    try:
        # Registered extensions come from a cache that find_class does not guard.
        for step, (code, argument, _) in enumerate(pickletools.genops(data)):
            if code.name in _REFUSED:
                raise pickle.UnpicklingError(f"it uses {code.name}")
            # The reader makes room for as many memories as the number of one says.
            remembered = int(argument) if code.name in _MEMO and argument is not None else 0
            if step >= _MAX_STEPS or remembered > _MAX_STEPS:
                raise pickle.UnpicklingError("it has too many parts")
        return _Inert(io.BytesIO(data), encoding="latin1").load()
    except MemoryError as error:
        raise FileFormatError(f"The pickle claims more than it holds: {path}") from error
    except Exception as error:
        raise FileFormatError(
            f"The pickle is damaged or holds more than arrays ({error}); nothing in it was run: "
            f"{path}"
        ) from error


def array_of(value: Any, name: str, path: Path) -> NDArray[Any]:
    """The numbers of a kept array, sparse matrix or chumpy array, dense.

    Raises
    ------
    FileFormatError
        If it is none, or its size is not that of its bytes.
    """
    if isinstance(value, _Array):
        return _dense(value, name, path)
    state = value.state if isinstance(value, _Wrapped) else None
    if isinstance(state, dict) and "x" in state:  # chumpy keeps its numbers as x
        return array_of(state["x"], name, path)
    if isinstance(state, dict) and {"data", "indices", "indptr"} <= set(state):
        return _sparse(state, name, path)
    raise FileFormatError(f"{name!r} of the model is no array: {path}")


def _dense(value: _Array, name: str, path: Path) -> NDArray[Any]:
    problem = FileFormatError(f"The array {name!r} of the model is damaged: {path}")
    state = value.state
    if not isinstance(state, tuple) or len(state) < 5:
        raise problem
    _, shape, kind, fortran, raw = state[:5]
    if not isinstance(kind, _Kind) or not isinstance(shape, tuple):
        raise problem
    code = kind.arguments[0] if kind.arguments else ""
    order = kind.state[1] if isinstance(kind.state, tuple) and len(kind.state) > 1 else "|"
    if isinstance(raw, str):
        raw = raw.encode("latin-1", "replace")
    if not isinstance(code, str) or code[:1] not in _KINDS or not isinstance(raw, bytes):
        raise problem
    if order not in ("<", ">", "|", "=") or not all(type(n) is int and n >= 0 for n in shape):
        raise problem
    try:
        dtype = np.dtype((order if order in "<>" else "") + code)
    except TypeError as error:
        raise problem from error
    count = 1
    for side in shape:
        count *= side
    if count * dtype.itemsize != len(raw):
        raise problem
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if fortran else "C")


def _sparse(state: dict[str, Any], name: str, path: Path) -> NDArray[Any]:
    """A csc or csr matrix made dense; which of the two, its pointers' length tells."""
    problem = FileFormatError(f"The matrix {name!r} of the model is damaged: {path}")
    data, ids, starts = (array_of(state[k], name, path) for k in ("data", "indices", "indptr"))
    shape = state.get("_shape", state.get("shape"))
    if not isinstance(shape, tuple) or len(shape) != 2:
        raise problem
    if not all(type(n) is int for n in shape) or min(shape) < 1 or shape[0] * shape[1] > _MAX_ITEMS:
        raise problem
    rows, columns = shape
    if len(starts) not in (rows + 1, columns + 1) or len(ids) != len(data):
        raise problem
    counts = np.asarray(np.diff(starts.astype(np.int64)), np.int64)
    if (counts < 0).any() or counts.sum() != len(data):
        raise problem
    major = np.repeat(np.arange(len(counts)), counts)
    by_row = len(starts) == rows + 1 and (rows != columns or ids.max(initial=0) < columns)
    at = (major, ids) if by_row else (ids, major)
    dense = np.zeros(shape, data.dtype)
    try:
        dense[at] = data
    except IndexError as error:
        raise problem from error
    return dense
