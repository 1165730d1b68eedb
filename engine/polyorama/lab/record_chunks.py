"""Rows, arrays and changes of a run as blocks of columns, and back.

Numbers are stored byte plane by byte plane (all first bytes, all second ones, ...), since the upper
bytes of neighbours are alike and pack well.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from polyorama.io.json_fields import FieldError, object_of
from polyorama.lab.rows import EXACT, MOST_COLUMNS, STEP, Change, Columns, Rows
from polyorama.lab.snapshot import MOST_SIDES, MOST_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "decoded_arrays", "decoded_change", "decoded_places", "decoded_rows", "encoded_arrays",
    "encoded_change", "encoded_rows",
]  # fmt: skip

Described = dict[str, Any]

_DTYPE = re.compile(r"[<|](b1|[iu][1248]|f[248])")
_MOST_ROWS = 1 << 40


def encoded_rows(rows: Rows, first: int) -> tuple[Described, bytes]:
    """Description and block of rows, the first of which is the run's row `first`."""
    described: Described = {
        "first": first,
        "count": len(rows),
        "notes": [[row, note] for row, note in rows.notes],
        "ends": sorted(rows.ends),
    }
    parts: list[bytes] = []
    for name, columns in (("scalars", rows.scalars), ("acting", rows.acting)):
        names = columns.names
        partial = [key for key in names if not columns.present(key).all()]
        described[name] = [[key, key in partial] for key in names]
        if names:
            parts.append(_planes(np.stack([columns.column(key) for key in names])))
        parts += [columns.present(key).tobytes() for key in partial]
    return described, b"".join(parts)


def decoded_rows(described: Described, block: bytes, rows: Rows) -> None:
    """Add the rows of a frame.

    Raises
    ------
    FieldError
        If it is no such frame or does not follow the rows that are there.
    UsageError
        If they are too many.
    """
    count = _whole(described.get("count"), 1, _MOST_ROWS)
    if described.get("first") != len(rows):
        _wrong("rows that do not follow those before")
    place = 0
    tables: list[tuple[Columns, dict[str, Any], dict[str, Any]]] = []
    for name, columns in (("scalars", rows.scalars), ("acting", rows.acting)):
        keys = [_key_and_flag(entry) for entry in _list(described.get(name), MOST_COLUMNS)]
        size = 8 * count * len(keys)
        if place + size > len(block):
            _wrong("rows that are cut short")
        table = _from_planes(block[place : place + size], np.dtype("<f8")).reshape(-1, count)
        place += size
        values = {key: table[i] for i, (key, _) in enumerate(keys)}
        present: dict[str, Any] = {}
        for key, partial in keys:
            if partial:
                mask = np.frombuffer(block, np.uint8, count, place) if place < len(block) else ()
                if len(mask) != count:
                    _wrong("rows that are cut short")
                present[key] = np.asarray(mask) != 0
                place += count
        tables.append((columns, values, present))
    start = len(rows)
    notes = [_note(entry, count) for entry in _list(described.get("notes"), count)]
    ends = [_whole(row, 0, count - 1) for row in _list(described.get("ends"), count)]
    _check_steps(tables[0][1].get(STEP), STEP in tables[0][2], rows.step(start - 1) if start else 0)
    before = rows.note(start - 1) if start else ""
    if before and (not notes or notes[0][0] > 0):
        notes.insert(0, (0, ""))
    for columns, values, present in tables:
        columns.extend(count, values, present)
    rows.notes += [(start + row, note) for row, note in notes]
    rows.ends.update(start + row for row in ends)


def _check_steps(steps: NDArray[np.float64] | None, partial: bool, before: int) -> None:
    if steps is None or partial:
        _wrong("rows without their steps")
    if not (np.isfinite(steps) & (steps <= EXACT) & (steps == np.floor(steps))).all():
        _wrong("steps that are no whole numbers")
    if steps[0] < before or (np.diff(steps) < 0.0).any():
        _wrong("steps that go back")


def encoded_arrays(shown: Mapping[int, Mapping[str, NDArray[Any]]]) -> tuple[Described, bytes]:
    """Description and block of the arrays of some rows; what stays the same is stored once."""
    parts: list[bytes] = []
    entries: list[Described] = []
    latest: dict[str, tuple[NDArray[Any], Described]] = {}
    for row, arrays in shown.items():
        for key, array in arrays.items():
            known = latest.get(key)
            if known is not None and _identical(known[0], array):
                known[1]["rows"].append(row)
                continue
            plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            entry = {"key": key, "dtype": plain.dtype.str, "shape": plain.shape, "rows": [row]}
            parts.append(_planes(plain))
            entries.append(entry)
            latest[key] = (array, entry)
    return {"rows": list(shown), "arrays": entries}, b"".join(parts)


def decoded_places(described: Described) -> list[int]:
    """The rows whose arrays a frame has, at least one.

    Raises
    ------
    FieldError
        If it is no such frame.
    """
    rows = [_whole(row, 0, _MOST_ROWS) for row in _list(described.get("rows"), 1 << 24)]
    if not rows:
        _wrong("arrays of nothing")
    return rows


def decoded_arrays(described: Described, block: bytes, row: int) -> dict[str, NDArray[Any]]:
    """The arrays of one row, read-only.

    Raises
    ------
    FieldError
        If it is no such frame.
    """
    found: dict[str, NDArray[Any]] = {}
    place = 0
    for entry in _list(described.get("arrays"), 1 << 24):
        fields = object_of(entry, "an array")
        dtype, shape = fields.get("dtype"), _list(fields.get("shape"), MOST_SIDES)
        if not isinstance(dtype, str) or not _DTYPE.fullmatch(dtype):
            _wrong("an array of an unknown kind")
        kind = np.dtype(dtype)
        sides = [_whole(side, 0, len(block)) for side in shape]
        size = math.prod(sides) * kind.itemsize
        if place + size > len(block):
            _wrong("an array that is cut short")
        if row in _list(fields.get("rows"), 1 << 24):
            array = _from_planes(block[place : place + size], kind).reshape(sides)
            array.setflags(write=False)
            found[_text(fields.get("key"))] = array
        place += size
    return found


def encoded_change(change: Change) -> tuple[Described, bytes]:
    """Description and block of a change."""
    described: Described = {"step": change.step, "name": change.name, "index": change.index}
    if isinstance(change.value, np.ndarray):
        values = np.ascontiguousarray(change.value, "<f8")
        return {**described, "shape": values.shape}, _planes(values)
    return {**described, "value": change.value}, b""


def decoded_change(described: Described, block: bytes) -> Change:
    """The change of a frame.

    Raises
    ------
    FieldError
        If it is no such frame.
    """
    step = _whole(described.get("step"), 0, 2**63)
    index = _whole(described.get("index"), 0, _MOST_ROWS)
    name = _text(described.get("name"))
    if "shape" not in described:
        value = described.get("value")
        if isinstance(value, list):
            value = tuple(value)
        if not isinstance(value, bool | int | float | str | tuple):
            _wrong("a change to something strange")
        return Change(step, name, value, index)
    shape = [_whole(s, 0, len(block)) for s in _list(described.get("shape"), MOST_SIDES)]
    if 8 * math.prod(shape) != len(block):
        _wrong("a painting that is cut short")
    array = _from_planes(block, np.dtype("<f8")).reshape(shape)
    array.setflags(write=False)
    return Change(step, name, array, index)


def _planes(array: NDArray[Any]) -> bytes:
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.uint8).reshape(len(flat), -1).T.tobytes() if len(flat) else b""


def _from_planes(block: bytes, dtype: np.dtype[Any]) -> NDArray[Any]:
    planes = np.frombuffer(block, np.uint8).reshape(dtype.itemsize, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype)


def _identical(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one is other:
        return True
    same = one.dtype == other.dtype and one.shape == other.shape
    return same and one.tobytes() == other.tobytes()


def _wrong(what: str) -> NoReturn:
    raise FieldError(f"it holds {what}")


def _whole(value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        _wrong("a number out of range")
    return value


def _list(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        _wrong("something else than a list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        _wrong("something else than a text")
    return value


def _key_and_flag(entry: Any) -> tuple[str, bool]:
    key, partial = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
    if not isinstance(partial, bool):
        _wrong("a column without a name")
    return _text(key), partial


def _note(entry: Any, count: int) -> tuple[int, str]:
    row, note = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
    return _whole(row, 0, count - 1), _text(note)
