"""Curves as JSON in the form of Audio2Face's exports.

``exportFps``, ``trackPath``, ``numPoses``, ``numFrames``, ``facsNames`` and ``weightMat`` (a row a
frame) are what programs that import it look for. What that form has no place for stands under
``polyorama``: rotations of the head in radians, phones, emotion, and where the take came from.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.exports.words import (
    MAX_FRAMES,
    MAX_TEXT,
    channel_of,
    note,
    parse_json,
    parse_phones,
    parse_provenance,
    phones_entry,
    provenance_entry,
    rows_of,
    take_of,
    texts,
    writer,
)
from polyorama.face.take import Provenance
from polyorama.io.atomic import atomic_write
from polyorama.io.json_fields import FieldError, numbers_of, object_of, text_of
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.channels import ARKIT, EMOTIONS, HEAD
from polyorama.scene.faces.phones import PhoneTrack

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.face.take import Take

__all__ = ["read_a2f_json", "write_a2f_json"]

_OURS = "polyorama"
_MAX_POSES = 4096
_ROWS = 1024
"""Rows that are written at a time."""


def write_a2f_json(take: Take, path: str | os.PathLike[str]) -> None:
    """Write the 52 shapes as Audio2Face does, and the rest of the take (but its sound) beside.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    performance = take.performance
    weights = performance.weights
    ours: dict[str, Any] = {
        "writtenBy": writer(),
        "provenance": provenance_entry(take.provenance),
        "headNames": list(HEAD),
        "headUnit": "radians",
        "phones": phones_entry(take.phones),
    }
    tables = {"headMat": weights[:, len(ARKIT) :]}
    if take.emotion is not None:
        ours["emotionNames"] = list(EMOTIONS)
        tables["emotionMat"] = take.emotion
    fps = performance.fps
    document = {
        "exportFps": int(fps) if fps.is_integer() else fps,
        "trackPath": take.provenance.sound,
        "numPoses": len(ARKIT),
        "numFrames": len(performance),
        "facsNames": list(ARKIT),
    }
    with atomic_write(path) as temporary, temporary.open("w", encoding="utf-8") as out:
        out.writelines(_object(document, {"weightMat": weights[:, : len(ARKIT)]}))
        out.write(f', "{_OURS}": ')
        out.writelines(_object(ours, tables))
        out.write("}}")


def read_a2f_json(path: str | os.PathLike[str], notes: list[str] | None = None) -> Take:
    """Read curves in Audio2Face's form, of whatever program.

    Parameters
    ----------
    path
        The file.
    notes
        Gets a sentence on each thing that is left out.

    Raises
    ------
    FileFormatError
        If it is missing, damaged or too large, or names no channel of a face.
    """
    document = parse_json(read_bytes(path, MAX_TEXT), path)
    try:
        return _take(object_of(document, "content"), path, notes)
    except FieldError as error:
        raise FileFormatError(f"Its {error}: {path}") from error


def _object(fields: dict[str, Any], tables: dict[str, NDArray[np.float32]]) -> Iterator[str]:
    """A JSON object but for its end, piece by piece: hours of rows take much memory as lists."""
    yield json.dumps(fields, allow_nan=False)[:-1]
    for name, table in tables.items():
        yield f', "{name}": ['
        for first in range(0, len(table), _ROWS):
            # Half of 1e-8 is less than float32 tells apart above 0.1.
            rows = np.round(table[first : first + _ROWS].astype(np.float64), 8).tolist()
            yield (", " if first else "") + json.dumps(rows, allow_nan=False)[1:-1]
        yield "]"


def _take(document: dict[str, Any], path: str | os.PathLike[str], notes: list[str] | None) -> Take:
    names = document.get("facsNames")
    if not isinstance(names, list) or not 1 <= len(names) <= _MAX_POSES:
        raise FieldError("facsNames are missing")
    weights = _matrix(document.get("weightMat"), len(names), "weightMat")
    for name, count in (("numFrames", len(weights)), ("numPoses", len(names))):
        if document.get(name, count) != count:
            raise FieldError(f"{name} is not {count:,}, which it holds")
    columns: dict[str, NDArray[np.floating[Any]]] = {}
    unknown = []
    for at, name in enumerate(names):
        channel = channel_of(text_of(name, "name of a pose"))
        if channel is None:
            unknown.append(str(name))
        elif channel in columns:
            raise FieldError(f"pose {channel} is there twice")
        else:
            columns[channel] = weights[:, at]
    if not columns:
        raise FieldError("facsNames name no shape of ARKit")
    if unknown:
        note(notes, f"Poses that are no channels of a face are left out, {texts(unknown)}: {path}")
    (fps,) = numbers_of([document.get("exportFps")], (1,), "exportFps")
    if not 0.01 <= fps <= 10_000:
        raise FieldError("exportFps is no rate")
    sound = text_of(document.get("trackPath", ""), "trackPath")
    provenance = Provenance("Audio2Face JSON", sound=sound)
    phones, emotion = PhoneTrack(), None
    if _OURS in document:
        ours = object_of(document[_OURS], _OURS)
        provenance = parse_provenance(ours.get("provenance"))
        phones = parse_phones(ours.get("phones", {}))
        if ours.get("headNames") != list(HEAD) or ours.get("headUnit") != "radians":
            raise FieldError("rotations of the head are named in an unknown way")
        head = _matrix(ours.get("headMat"), len(HEAD), "headMat", len(weights))
        columns |= {name: head[:, i] for i, name in enumerate(HEAD)}
        if "emotionMat" in ours:
            emotion = _matrix(ours["emotionMat"], len(EMOTIONS), "emotionMat", len(weights))
    return take_of(
        rows_of(columns, len(weights)), float(fps), provenance, path,
        phones=phones, emotion=emotion,
    )  # fmt: skip


def _matrix(value: Any, width: int, name: str, count: int | None = None) -> NDArray[np.float32]:
    """(T, width) float32 of rows of finite numbers."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_FRAMES:
        raise FieldError(f"{name} is no list of rows, or too long")
    if count is not None and len(value) != count:
        raise FieldError(f"{name} has not {count:,} rows")
    rows = np.empty((len(value), width), np.float32)
    for at, row in enumerate(value):
        rows[at] = numbers_of(row, (width,), f"{name} row {at + 1:,}")
    return rows
