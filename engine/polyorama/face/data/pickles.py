"""Plain data out of pickles, such as VOCASET and MEAD-3D keep it; nothing in them is run.

A pickle names functions to be called. Here it may name those alone that make numpy's arrays, types
and numbers, each replaced by one that takes no memory beyond the bytes that the file has, and whose
attributes it cannot set. Its instructions are looked through and counted before the first is done.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import bytes_of, quoted, reason_of
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["plain_data"]

_NPY = b"\x93NUMPY"
_MOST_STEPS = 4_000_000
"""Instructions of a pickle, and entries of what it holds: those of VOCASET have half a million."""
_REFUSED = frozenset(("EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER"))
_MEMO = frozenset(("PUT", "BINPUT", "LONG_BINPUT"))


class _Array:
    """Stands for an array until its state comes."""

    value: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, fortran, data = state
        if isinstance(data, list):
            if len(data) != int(np.prod(shape, dtype=object)):
                raise ValueError("an array of objects of another length")
            flat: Any = np.empty(len(data), object)
            flat[:] = [None] * len(data)
            for n, entry in enumerate(data):
                flat[n] = entry
            self.value = flat.reshape(shape, order="F" if fortran else "C")
            return
        if not isinstance(data, bytes) or kind.hasobject:
            raise ValueError("an array without bytes")
        array = np.frombuffer(data, kind.kind)
        self.value = array.reshape(shape, order="F" if fortran else "C")


def _reconstruct(kind: Any, shape: Any, code: Any) -> _Array:
    return _Array()


def _scalar(kind: _Type, data: bytes) -> Any:
    if kind.hasobject or not isinstance(data, bytes) or len(data) != kind.itemsize:
        raise ValueError("a number of another size")
    return np.frombuffer(data, kind.kind)[0]


def _frombuffer(data: Any, kind: Any, shape: Any, order: str) -> Any:
    if not isinstance(data, bytes | bytearray) or kind.hasobject:
        raise ValueError("an array without bytes")
    return np.frombuffer(bytes(data), kind.kind).reshape(shape, order=order)  # type: ignore[call-overload]


def _encode(text: Any, coding: Any) -> bytes:
    # How Python 2's bytes are written by Python 3 in old protocols.
    if coding != "latin1" or not isinstance(text, str):
        raise pickle.UnpicklingError("a text that is no bytes")
    return text.encode("latin1")


def _no_call(*_: Any) -> Any:
    # numpy's own type of arrays takes memory where it is called.
    raise pickle.UnpicklingError("it makes an array of no bytes")


def _dtype(text: Any, *_rest: Any) -> Any:
    if not isinstance(text, str) or len(text) > 16:
        raise ValueError("a type that is no name")
    kind = np.dtype(text)
    return _Type(kind)


class _Type:
    """A type of numbers; its state, which says the byte order, is taken where it is one."""

    def __init__(self, kind: np.dtype[Any]) -> None:
        self.kind = kind
        self.hasobject, self.itemsize = kind.hasobject, kind.itemsize

    def __setstate__(self, state: Any) -> None:
        order = state[1]
        if order in ("<", ">") and not self.kind.hasobject:
            self.kind = self.kind.newbyteorder(order)


class _Named:
    """What a pickle may name: it can be called, and nothing of it can be set."""

    __slots__ = ("_made",)

    def __init__(self, made: Callable[..., Any]) -> None:
        self._made = made

    def __call__(self, *arguments: Any) -> Any:
        return self._made(*arguments)

    def __setstate__(self, state: Any) -> None:
        raise pickle.UnpicklingError("it changes what it names")


_ALLOWED: dict[tuple[str, str], _Named] = {
    **{
        (f"numpy.{core}.multiarray", name): made
        for core in ("core", "_core")
        for name, made in (("_reconstruct", _Named(_reconstruct)), ("scalar", _Named(_scalar)))
    },
    **{(f"numpy.{core}.numeric", "_frombuffer"): _Named(_frombuffer) for core in ("core", "_core")},
    ("numpy", "ndarray"): _Named(_no_call),
    ("numpy", "dtype"): _Named(_dtype),
    ("_codecs", "encode"): _Named(_encode),
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it names {quoted(f'{module}.{name}')}")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it leads to something outside")


def _look_through(stream: io.BytesIO) -> None:
    """Count the instructions of a pickle and refuse what no plain data needs."""
    start = stream.tell()
    for step, (code, argument, _) in enumerate(pickletools.genops(stream)):
        if code.name in _REFUSED:
            raise pickle.UnpicklingError(f"it uses {code.name}")
        # The reader makes room for as many memories as the number of one says.
        remembered = int(argument) if code.name in _MEMO and argument is not None else 0
        if step >= _MOST_STEPS or remembered > _MOST_STEPS:
            raise pickle.UnpicklingError("it has too many parts")
    stream.seek(start)


def plain_data(path: Path, most: int) -> Any:
    """Dictionaries, lists, numbers, texts and arrays of a pickle or of an .npy that holds one.

    Parameters
    ----------
    most
        Largest size of the file, bytes.

    Raises
    ------
    FileFormatError
        If it is missing, too large, damaged, or holds anything else.
    """
    size = file_size(path)
    if size > most:
        raise FileFormatError(f"This file has {bytes_of(size)}, too much to be read: {path}")
    with reading(path):
        data = path.read_bytes()
    stream = io.BytesIO(data)
    try:
        if data.startswith(_NPY):
            version = np.lib.format.read_magic(stream)
            read_header = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            read_header(stream)
        _look_through(stream)
        # Latin-1 keeps the bytes of Python 2's texts.
        return _plain(_Reader(stream, encoding="latin1").load(), 0, [_MOST_STEPS])
    except (pickle.UnpicklingError, FileFormatError) as error:
        raise FileFormatError(
            f"The pickle holds more than plain data, so it is not read ({reason_of(error)}): {path}"
        ) from error
    except Exception as error:
        raise FileFormatError(f"The pickle is damaged ({reason_of(error)}): {path}") from error


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    """The same with arrays in place of what stood for them.

    `left` counts down entries: a list that holds a list many times over, and so on, is short in the
    file and endless out of it.
    """
    left[0] -= 1
    if depth > 32 or left[0] < 0:
        raise ValueError("nested too deeply, or too large")
    if isinstance(value, _Array):
        array = value.value
        if array is None:
            raise ValueError("an array without values")
        if array.dtype == object:
            flat = [_plain(entry, depth + 1, left) for entry in array.ravel()]
            # An .npy of one dictionary is that dictionary.
            return flat[0] if array.shape == () else flat
        return array
    if isinstance(value, dict):
        return {_plain(k, depth + 1, left): _plain(v, depth + 1, left) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry, depth + 1, left) for entry in value]
    if isinstance(value, _Type | _Named):
        return None
    return value
