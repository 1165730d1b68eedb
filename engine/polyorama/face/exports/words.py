"""What all formats of takes share: provenance and phones as plain words, names of channels."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import polyorama
from polyorama.core.frozen import FrozenMap
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.take import Provenance, Take
from polyorama.io.atomic import atomic_write_all
from polyorama.io.json_fields import (
    FieldError,
    json_trouble,
    no_constant,
    numbers_of,
    object_of,
    text_of,
)
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack, Word

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

__all__ = [
    "MAX_FRAMES",
    "MAX_TEXT",
    "channel_of",
    "note",
    "parse_json",
    "parse_phones",
    "parse_provenance",
    "phones_entry",
    "provenance_entry",
    "read_sidecar",
    "rows_of",
    "sidecar_of",
    "stated_rate",
    "take_of",
    "texts",
    "uniform",
    "usual_rate",
    "write_with_sidecar",
    "writer",
]

MAX_FRAMES = 2_000_000
"""Frames that a take which is read may have: over nine hours at 60 a second."""
MAX_TEXT = 384 << 20
"""Bytes of text that a file may hold."""
_MAX_PHONES = 500_000
_MAX_CHANNELS = 512
_MAX_SIDECAR = 1 << 20
_MAX_NESTED = 8_000_000
"""Lists and objects in a JSON text: a row a frame of `MAX_FRAMES` in each of a few tables."""
_EVEN = 0.1
"""Share of a frame by which times may stray and still count as even steps."""
_KNOWN_RATES = (12.0, 15.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
_BROADCAST_RATES = (24000 / 1001, 30000 / 1001, 60000 / 1001)


def writer() -> str:
    """Name and version of this program, as files hold it."""
    return f"Polyorama {polyorama.__version__}"


def note(notes: list[str] | None, text: str) -> None:
    """Add a sentence about what was taken or left out, where somebody listens."""
    if notes is not None:
        notes.append(text)


# --- names -----------------------------------------------------------------------------------

_FOLDED: Mapping[str, str] = MappingProxyType({name.casefold(): name for name in CHANNELS})


def channel_of(name: str) -> str | None:
    """The channel that a name in any program's spelling means, or None.

    Case does not matter; a prefix up to the last full stop or colon is left out; sides may be
    spelled ``_L`` and ``_R``; ``head_yaw`` is headYaw.
    """
    bare = name.replace(":", ".").rpartition(".")[2].strip().casefold()
    for ending, side in (("_l", "left"), ("_r", "right")):
        if bare.endswith(ending):
            bare = bare[: -len(ending)] + side
    return _FOLDED.get(bare.replace("_", "").replace(" ", ""))


# --- provenance and phones -------------------------------------------------------------------


def provenance_entry(provenance: Provenance) -> dict[str, Any]:
    """Provenance as plain data for JSON, from which `parse_provenance` makes an equal one."""
    entry = {f.name: getattr(provenance, f.name) for f in fields(Provenance)}
    return entry | {"channels": dict(provenance.channels)}


def parse_provenance(entry: Any) -> Provenance:
    """The provenance of a `provenance_entry`.

    Raises
    ------
    FieldError
        If a field is of a wrong kind.
    """
    given = object_of(entry, "provenance")
    words = ("source", "model", "training", "speaker", "emotion", "sound", "program")
    texts = {name: text_of(given.get(name, ""), f"provenance {name}") for name in words}
    seed, temperature = given.get("seed", 0), given.get("temperature", 0.0)
    if type(seed) is not int or not abs(seed) < 1 << 63:
        raise FieldError("provenance seed is no whole number")
    (temperature,) = numbers_of([temperature], (1,), "provenance temperature")
    channels = object_of(given.get("channels", {}), "provenance channels")
    if len(channels) > _MAX_CHANNELS:
        raise FieldError(f"provenance has more than {_MAX_CHANNELS} channels")
    sources = {text_of(k, "channel"): text_of(v, "channel source") for k, v in channels.items()}
    return Provenance(
        **texts, seed=seed, temperature=float(temperature), channels=FrozenMap(sources)
    )


def phones_entry(track: PhoneTrack) -> dict[str, Any]:
    """Phones and words as plain data for JSON, times in s; `parse_phones` reads it."""
    return {
        "phones": [[p.symbol, p.start, p.end, p.stress] for p in track.phones],
        "words": [[word.text, word.start, word.end] for word in track.words],
    }


def parse_phones(entry: Any) -> PhoneTrack:
    """The track of a `phones_entry`.

    Raises
    ------
    FieldError
        If it is of a wrong kind, or its phones do not follow each other.
    """
    given = object_of(entry, "phones")
    phones, words = [], []
    for row in _rows(given, "phones", 4):
        start, end = numbers_of(row[1:3], (2,), "phone times")
        if type(row[3]) is not int or not -1 <= row[3] <= 2:
            raise FieldError("the stress of a phone is not -1 to 2")
        try:
            phones.append(Phone(text_of(row[0], "phone"), float(start), float(end), row[3]))
        except UsageError as error:
            raise FieldError(f"phones are unusable ({error})") from error
    for row in _rows(given, "words", 3):
        start, end = numbers_of(row[1:], (2,), "word times")
        words.append(Word(text_of(row[0], "word"), float(start), float(end)))
    try:
        return PhoneTrack(tuple(phones), tuple(words))
    except UsageError as error:
        raise FieldError(f"phones are unusable ({error})") from error


def _rows(given: dict[str, Any], name: str, width: int) -> list[list[Any]]:
    rows = given.get(name, [])
    if not isinstance(rows, list) or len(rows) > _MAX_PHONES:
        raise FieldError(f"{name} are no list, or too many")
    if not all(isinstance(row, list) and len(row) == width for row in rows):
        raise FieldError(f"{name} are not rows of {width}")
    return rows


def parse_json(data: bytes, path: str | os.PathLike[str], what: str = "The file") -> Any:
    """What a JSON text says.

    Raises
    ------
    FileFormatError
        If it is damaged, or holds so many lists and objects that they would not fit in memory.
    """
    if data.count(b"[") + data.count(b"{") > _MAX_NESTED:
        raise FileFormatError(f"{what} has more parts than a take has: {path}")
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{what} is no JSON ({json_trouble(error)}): {path}") from error


# --- takes from rows -------------------------------------------------------------------------


def take_of(
    weights: NDArray[np.float32],
    fps: float,
    provenance: Provenance,
    path: str | os.PathLike[str],
    **rest: Any,
) -> Take:
    """A take of what a file holds.

    Parameters
    ----------
    weights
        (T, 55) float32.
    fps, provenance
        Of the take.
    path
        What the error names.
    rest
        The other fields of `Take`.

    Raises
    ------
    FileFormatError
        If they make none.
    """
    try:
        return Take(Performance(weights, fps), provenance, **rest)
    except UsageError as error:
        raise FileFormatError(f"The file holds no usable take ({error}): {path}") from error


def rows_of(columns: Mapping[str, NDArray[np.floating]], count: int) -> NDArray[np.float32]:
    """(count, 55) float32 rows of (count,) columns by channel; what is not named is 0."""
    weights = np.zeros((count, len(CHANNELS)), np.float32)
    for name, values in columns.items():
        weights[:, CHANNEL_INDEX[name]] = values
    return weights


def uniform(
    times: NDArray[np.float64],
    columns: NDArray[np.floating],
    fps: float | None,
    path: str | os.PathLike[str],
    notes: list[str] | None = None,
) -> tuple[NDArray[np.float32], float]:
    """Rows at equal steps of rows at given times, and their rate.

    Parameters
    ----------
    times
        (n,) s, n >= 1, ascending; the first row of what is returned is at the first of them.
    columns
        (n, c) values at these times.
    fps
        The rate, where it is known; else it is the median step's, or the usual rate near it.
    path
        What messages name.
    notes
        Gets a sentence where rows are made anew between uneven ones.

    Returns
    -------
    (T, c) float32, and rows a second. Where times are even, the rows are the same bit for bit.

    Raises
    ------
    FileFormatError
        If times do not ascend, or stand so far apart that too many rows come of them.
    """
    offsets = times - times[0]
    steps = np.diff(times)
    if (steps <= 0.0).any() or not np.isfinite(times).all():
        raise FileFormatError(f"The frames of the take are not in order of time: {path}")
    if fps is None:
        fps = usual_rate(1.0 / float(np.median(steps))) if len(steps) else 60.0
    rows = np.asarray(columns, np.float32)
    if np.abs(offsets * fps - np.arange(len(times))).max() <= _EVEN:
        return rows, fps
    count = float(offsets[-1] * fps) + 1.5
    if count > MAX_FRAMES:
        raise FileFormatError(f"The take would have more than {MAX_FRAMES:,} frames: {path}")
    note(notes, f"Its frames come at uneven times; they were made even at {fps:g} a second: {path}")
    grid = np.arange(int(count)) / fps
    even = [np.interp(grid, offsets, column) for column in rows.T]
    return np.stack(even, axis=1).astype(np.float32), fps


def usual_rate(fps: float) -> float:
    """The usual rate that a measured one means, if one is within 0.04 % of it.

    24 and 24000/1001 are 0.1 % apart.
    """
    near = min((*_KNOWN_RATES, *_BROADCAST_RATES), key=lambda rate: abs(rate - fps))
    if abs(near - fps) < 4e-4 * near:
        return near
    return round(fps, 4) if fps > 1.0 else fps


# --- what does not fit in a file, beside it --------------------------------------------------


def sidecar_of(path: str | os.PathLike[str]) -> Path:
    """The file beside one whose format holds no remarks: its name and ``.provenance.json``."""
    target = Path(path)
    return target.with_name(f"{target.name}.provenance.json")


def write_with_sidecar(
    path: str | os.PathLike[str], data: Iterable[bytes], take: Take, about: Mapping[str, Any]
) -> None:
    """Write a file and its provenance beside it; both appear, or none.

    Parameters
    ----------
    path
        The file.
    data
        What it holds, piece by piece.
    take
        Whose provenance is written.
    about
        What else readers want to know.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    digest = hashlib.sha256()
    with atomic_write_all([sidecar_of(path), path]) as (beside, target):
        with target.open("wb") as out:
            for piece in data:
                digest.update(piece)
                out.write(piece)
        entry = {
            "about": "Where the file of this name came from, whose format holds no remarks.",
            "sha256": digest.hexdigest(),
            "writtenBy": writer(),
            **about,
            "provenance": provenance_entry(take.provenance),
        }
        beside.write_text(json.dumps(entry, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read_sidecar(
    path: str | os.PathLike[str], data: bytes, notes: list[str] | None = None
) -> tuple[dict[str, Any], Provenance] | None:
    """What lies beside a file about it; None where nothing does, or it is about other bytes.

    Raises
    ------
    FileFormatError
        If it is damaged.
    """
    beside = sidecar_of(path)
    if not beside.is_file():
        return None
    entry = parse_json(read_bytes(beside, _MAX_SIDECAR), beside)
    try:
        given = object_of(entry, "content")
        if given.get("sha256") != hashlib.sha256(data).hexdigest():
            note(notes, f"The provenance beside it is that of other content, so not used: {path}")
            return None
        return given, parse_provenance(given.get("provenance"))
    except FieldError as error:
        raise FileFormatError(f"Its {error}: {beside}") from error


def stated_rate(given: Mapping[str, Any]) -> float:
    """The `fps` that a file states.

    Raises
    ------
    FieldError
        If it is missing or no rate.
    """
    (fps,) = numbers_of([given.get("fps")], (1,), "fps")
    if not 0.01 <= fps <= 10_000.0:
        raise FieldError("fps is no rate")
    return float(fps)


def texts(names: Iterable[str]) -> str:
    """Names as a sentence lists them, the first few."""
    listed = list(names)
    return ", ".join(listed[:6]) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")
