"""The record: the calls of each step, so that what was done can be written down as a script.

It goes back to the first step, however long a document is edited. So it keeps large arguments, sets
of millions of splats or tracks of thousands of keys, in memory for the latest steps alone; those of
older ones lie in a temporary file.
"""

from __future__ import annotations

import json
import logging
import math
import tempfile
import threading
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.edit.command import Call
from polyorama.edit.history import held_bytes
from polyorama.scene.codec import CodecError, decode, encode

if TYPE_CHECKING:
    from typing import IO

__all__ = ["Record"]

log = logging.getLogger(__name__)

_SMALL = 4096
"""Steps of fewer bytes are not worth a place in the file."""
_ITEM = 64
"""Bytes of a number or of what holds one, about."""


@dataclass(slots=True)
class _Step:
    """Calls in memory, or where in the file they lie."""

    calls: tuple[Call, ...]
    weight: int
    at: int = 0
    size: int = 0


class Record(Sequence[tuple[Call, ...]]):
    """The calls of each step that is done, oldest first.

    Parameters
    ----------
    limit
        Bytes of arguments that are kept in memory.
    """

    def __init__(self, limit: int = 64 << 20) -> None:
        self._limit: float = limit
        self._steps: list[_Step] = []
        self._position = 0
        self._held = 0
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of the arguments in memory, about."""
        return self._held

    def push(self, calls: tuple[Call, ...]) -> None:
        """Add a step that was just done; those that were taken back are forgotten."""
        for step in self._steps[self._position :]:
            self._held -= step.weight
        del self._steps[self._position :]
        self._steps.append(_Step(calls, _weight(calls)))
        self._position += 1
        self._held += self._steps[-1].weight
        if self._held > self._limit:
            self._relieve()

    def replace_last(self, calls: tuple[Call, ...]) -> None:
        """Put other calls in the place of the step that was done last: a gesture goes on."""
        step = self._steps[-1]
        if len(calls) == len(step.calls) + 1:  # all but the last of them were weighed already
            more = _weight(calls[-1])
        else:
            more = _weight(calls) - step.weight
        step.calls, step.weight = calls, step.weight + more
        self._held += more

    def undo(self) -> None:
        """The last step was taken back."""
        self._position -= 1

    def redo(self) -> None:
        """The step that was taken back last is done again."""
        self._position += 1

    def __len__(self) -> int:
        return self._position

    @overload
    def __getitem__(self, index: int) -> tuple[Call, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[Call, ...], ...]: ...

    def __getitem__(self, index: int | slice) -> tuple[Call, ...] | tuple[tuple[Call, ...], ...]:
        """A step's calls; arguments that no file of operations can hold may be missing."""
        if isinstance(index, slice):
            return tuple(map(self._calls, self._steps[: self._position][index]))
        return self._calls(self._steps[: self._position][index])

    def __iter__(self) -> Iterator[tuple[Call, ...]]:
        return map(self._calls, self._steps[: self._position])

    def entries(self) -> Iterator[dict[str, Any]]:
        """Every call as plain JSON data, ``{"op": name, "args": {...}}``.

        Raises
        ------
        CodecError
            If a call holds what such data cannot: splats, meshes, sounds. The text names it.
        """
        for step in self._steps[: self._position]:
            held = map(_entry, step.calls) if step.calls else self._read(step)
            for entry in held:
                if "lost" in entry:
                    raise CodecError(f"of the step {entry['op']!r}: {entry['lost']}")
                yield entry

    def _calls(self, step: _Step) -> tuple[Call, ...]:
        return step.calls or tuple(
            Call(entry["op"], FrozenMap({k: decode(v) for k, v in entry.get("args", {}).items()}))
            for entry in self._read(step)
        )

    def _relieve(self) -> None:
        """Write the arguments of old steps down until few enough are left in memory."""
        for step in self._steps[:-1]:
            if self._held <= self._limit / 2:
                return
            if not step.calls or step.weight < _SMALL:
                continue
            data = zlib.compress(json.dumps(list(map(_entry, step.calls))).encode(), 1)
            try:
                step.at = self._write(data)
            except OSError as error:
                log.warning("What was done is kept in memory alone (%s).", error.strerror)
                self._limit = math.inf
                return
            self._held -= step.weight
            step.calls, step.weight, step.size = (), 0, len(data)

    def _write(self, data: bytes) -> int:
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this
                weakref.finalize(self, self._file.close)
            at = self._file.seek(0, 2)
            self._file.write(data)
            self._file.flush()
            return at

    def _read(self, step: _Step) -> list[dict[str, Any]]:
        assert self._file is not None
        with self._lock:
            self._file.seek(step.at)
            data = self._file.read(step.size)
        entries: list[dict[str, Any]] = json.loads(zlib.decompress(data))
        return entries


def _entry(call: Call) -> dict[str, Any]:
    try:
        return {"op": call.name, "args": {k: encode(v) for k, v in call.arguments.items()}}
    except CodecError as error:
        return {"op": call.name, "lost": str(error)}


def _weight(value: Any) -> int:
    """Bytes of calls, about; arrays and tracks are not looked into."""
    if isinstance(value, str):
        return _ITEM + len(value)
    if isinstance(value, Mapping):
        return _ITEM + sum(_weight(part) for part in value.values())
    if isinstance(value, tuple):
        return _ITEM + sum(map(_weight, value))
    if isinstance(value, Call):
        return _ITEM + _weight(value.arguments)
    return _ITEM if isinstance(value, float | int | np.generic) else _ITEM + held_bytes(value)
