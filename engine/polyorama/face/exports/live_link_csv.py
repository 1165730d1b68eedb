"""Curves as the CSV files that Live Link Face records.

A line a frame: ``Timecode`` as HH:MM:SS:FF.fff, ``BlendShapeCount``, and 61 values under their
names. The order of the published files differs from that of the packets in two pairs, and other
programs have orders of their own: readers go by name.

Angles are signed as in a performance: yaw turns to the face's own left, pitch up, roll tips the
crown to its own left shoulder. Live Link Face's own signs are not published, and were not compared
with a recording of it: where a head nods the wrong way, negate the column.

Rotations are written in radians. Programs differ, and the file does not say: a reader is told, or
takes degrees where an angle is larger than a head can turn in radians. CSV has no remarks either,
so provenance lies beside the file (see `polyorama.face.exports.words.sidecar_of`).
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.exports.words import (
    MAX_FRAMES,
    MAX_TEXT,
    channel_of,
    note,
    read_sidecar,
    rows_of,
    stated_rate,
    take_of,
    texts,
    uniform,
    usual_rate,
    write_with_sidecar,
)
from polyorama.face.take import Provenance
from polyorama.io.json_fields import FieldError
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX, HEAD, LIVE_LINK

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.face.take import Take
    from polyorama.scene.faces.performance import Performance

__all__ = ["CSV_NAMES", "EYE_TURN", "live_link_values", "read_live_link_csv", "write_live_link_csv"]


def _published_order() -> tuple[str, ...]:
    names = list(LIVE_LINK)
    for one, other in (("JawLeft", "JawRight"), ("MouthLeft", "MouthRight")):
        i, j = names.index(one), names.index(other)
        names[i], names[j] = other, one
    return tuple(names)


CSV_NAMES: tuple[str, ...] = _published_order()
"""The 61 names of the header, in the order of published files."""

EYE_TURN = float(np.radians(30.0))
"""How far an eye turns at weight 1 of its look, rad: for readers that turn eyes by angles."""

_DEGREES_ABOVE = 2.0
"""No head turns so far in radians (115 degrees): angles with a larger one are degrees."""
_TIMECODE = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})[:;](\d{1,4}(?:\.\d{1,9})?)")
_DAY = 86400.0
_MAX_COLUMNS = 512
_MAX_LINE = 1 << 16
_EYES = LIVE_LINK[len(ARKIT) + len(HEAD) :]


def live_link_values(performance: Performance) -> NDArray[np.float32]:
    """(T, 61) float32 values in the order of `LIVE_LINK`; angles are radians.

    Eyes turn by `EYE_TURN` times the difference of opposite looks: yaw to the face's own left,
    pitch up, as for the head; roll is 0.
    """
    weights = performance.weights
    look = {
        (side, way): performance.channel(f"eyeLook{way}{side}")
        for side in ("Left", "Right")
        for way in ("In", "Out", "Up", "Down")
    }
    eyes = np.zeros((len(weights), 6), np.float32)
    # A left eye looks out to the left, a right eye in.
    eyes[:, 0] = look["Left", "Out"] - look["Left", "In"]
    eyes[:, 1] = look["Left", "Up"] - look["Left", "Down"]
    eyes[:, 3] = look["Right", "In"] - look["Right", "Out"]
    eyes[:, 4] = look["Right", "Up"] - look["Right", "Down"]
    return np.concatenate([weights, eyes * np.float32(EYE_TURN)], axis=1)


def write_live_link_csv(take: Take, path: str | os.PathLike[str]) -> None:
    """Write curves as Live Link Face records them, and provenance beside.

    Time codes count from zero, whole seconds apart and then frames at the take's own rate.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    about = {"fps": take.performance.fps, "angles": "radians"}
    write_with_sidecar(path, _lines(take.performance), take, about)


def _lines(performance: Performance) -> Iterator[bytes]:
    """The file line by line: that of two hours does not fit in memory as Python's numbers."""
    values = live_link_values(performance)[:, [LIVE_LINK.index(name) for name in CSV_NAMES]]
    yield f"Timecode,BlendShapeCount,{','.join(CSV_NAMES)}\n".encode("ascii")
    for frame, row in enumerate(values):
        numbers = ",".join(f"{value:.8f}" for value in row.tolist())
        code = _timecode(frame, performance.fps)
        yield f"{code},{len(CSV_NAMES)},{numbers}\n".encode("ascii")


def read_live_link_csv(
    path: str | os.PathLike[str],
    *,
    fps: float | None = None,
    angles: str = "detect",
    notes: list[str] | None = None,
) -> Take:
    """Read a recording of Live Link Face, or what another program writes in that form.

    Columns may come in any order and case, 51, 52 or 61 of them; what is missing is 0.

    Parameters
    ----------
    path
        The file.
    fps
        Frames a second that its time codes count. None takes what lies beside the file, else
        works it out from where seconds end, else takes 60.
    angles
        "degrees", "radians", or "detect": degrees where an angle is above 2.
    notes
        Gets a sentence on each thing that was taken, made even or left out.

    Raises
    ------
    FileFormatError
        If it is missing, damaged or too large; a wrong line is named.
    UsageError
        If `fps` or `angles` is none that there is.
    """
    if angles not in ("detect", "degrees", "radians"):
        raise UsageError(f"Angles are degrees or radians, or detect, not {angles!r}.")
    if fps is not None and not 0.01 <= fps <= 10_000.0:
        raise UsageError(f"Time codes do not count {fps} frames a second.")
    data = read_bytes(path, MAX_TEXT)
    beside = read_sidecar(path, data, notes)
    provenance = Provenance("Live Link Face CSV")
    if beside is not None:
        given, provenance = beside
        try:
            fps = stated_rate(given) if fps is None else fps
        except FieldError as error:
            raise FileFormatError(f"Its {error}: {path}") from error
        angles = "radians" if angles == "detect" and given.get("angles") == "radians" else angles
    names, codes, values = _table(data, path)
    fps = _rate(codes, notes, path) if fps is None else fps
    columns = {name: values[:, i] for i, name in enumerate(names) if channel_of(name) is not None}
    _describe(names, path, notes)
    turned = [i for i, name in enumerate(names) if _folded(name) in _ANGLES]
    if angles == "detect" and turned:
        large = float(np.abs(values[:, turned]).max())
        angles = "degrees" if large > _DEGREES_ABOVE else "radians"
        note(notes, f"Angles were taken as {angles}; the largest is {large:.3g}: {path}")
    kept = list(columns)
    rows, rate = _even(codes, np.stack([columns[n] for n in kept], axis=1), fps, path, notes)
    found = {str(channel_of(name)): rows[:, i] for i, name in enumerate(kept)}
    if angles == "degrees":
        found |= {name: np.radians(found[name]) for name in HEAD if name in found}
    return take_of(rows_of(found, len(rows)), rate, provenance, path)


def _timecode(frame: int, fps: float) -> str:
    """HH:MM:SS:FF.fff of a frame; seconds are real ones at broken rates too."""
    second = int(frame / fps)
    thousandths = round((frame - second * fps) * 1000.0)
    if thousandths >= round(fps * 1000.0):
        second, thousandths = second + 1, 0
    whole, rest = divmod(thousandths, 1000)
    hours, minutes = divmod(second // 60, 60)
    return f"{hours % 24:02d}:{minutes:02d}:{second % 60:02d}:{whole:02d}.{rest:03d}"


def _folded(name: str) -> str:
    return name.strip().casefold()


_ANGLES = frozenset(_folded(name) for name in (*HEAD, *_EYES))


def _table(
    data: bytes, path: str | os.PathLike[str]
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float32]]:
    """Names of the value columns, (n, 2) seconds and frames of time codes, (n, columns) values."""
    rows = _rows(data, path)
    _, header = next(rows, (1, []))
    names = [cell.strip() for cell in header]
    time_at, value_at = _places(names, path)
    # Arrays of the standard library grow where they lie.
    codes, values = array("d"), array("f")
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            raise FileFormatError(
                f"Line {line:,} has {len(cells):,} values, where the header has "
                f"{len(names):,}; mend or remove it: {path}"
            )
        if len(codes) >= 2 * MAX_FRAMES:
            raise FileFormatError(f"The file has more than {MAX_FRAMES:,} frames: {path}")
        codes.extend(_code(cells[time_at], line, path))
        values.extend(_numbers(cells, value_at, names, line, path))
    if not codes:
        raise FileFormatError(f"The file holds no frame: {path}")
    return (
        [names[i] for i in value_at],
        np.frombuffer(codes, np.float64).reshape(-1, 2),
        np.frombuffer(values, np.float32).reshape(-1, len(value_at)),
    )


def _rows(data: bytes, path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Numbers of lines and their cells; no recording has a cell that goes over a line's end."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig")
    number = 0
    try:
        while line := text.readline(_MAX_LINE + 1):
            number += 1
            if len(line) > _MAX_LINE:
                raise FileFormatError(f"Line {number:,} is too long for a recording: {path}")
            yield number, next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise FileFormatError(f"Line {number:,} is no CSV ({error}): {path}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"The file is no text in UTF-8: {path}") from error


def _places(names: Sequence[str], path: str | os.PathLike[str]) -> tuple[int, list[int]]:
    """Where the time code stands, and the values."""
    folded = [_folded(name) for name in names]
    if "timecode" not in folded or len(names) > _MAX_COLUMNS:
        raise FileFormatError(f"The file is no recording of Live Link Face (no Timecode): {path}")
    at = [i for i, name in enumerate(folded) if name not in ("timecode", "blendshapecount", "")]
    channels = [channel_of(names[i]) for i in at]
    known = [name for name in channels if name is not None]
    if not known:
        raise FileFormatError(f"The file names no shape of ARKit: {path}")
    twice = sorted({name for name in known if known.count(name) > 1})
    if twice or folded.count("timecode") > 1:
        raise FileFormatError(
            f"The file has the column {twice[0] if twice else 'Timecode'} twice: {path}"
        )
    return folded.index("timecode"), at


def _code(cell: str, line: int, path: str | os.PathLike[str]) -> tuple[float, float]:
    match = _TIMECODE.fullmatch(cell.strip())
    if match is None:
        raise FileFormatError(
            f"Line {line:,} has the time code {cell[:40]!r}, not HH:MM:SS:FF.fff: {path}"
        )
    hours, minutes, seconds = (int(part) for part in match.groups()[:3])
    return hours * 3600.0 + minutes * 60.0 + seconds, float(match[4])


def _numbers(
    cells: list[str], places: list[int], names: list[str], line: int, path: str | os.PathLike[str]
) -> list[float]:
    row = []
    for at in places:
        try:
            value = float(cells[at])
        except ValueError:
            value = np.nan
        if not abs(value) <= 1e6:
            raise FileFormatError(
                f"Line {line:,} has {cells[at][:40]!r} as {names[at][:40]}, which is no number: "
                f"{path}"
            )
        row.append(value)
    return row


def _describe(names: list[str], path: str | os.PathLike[str], notes: list[str] | None) -> None:
    found = {channel_of(name) for name in names}
    missing = [name for name in CHANNEL_INDEX if name not in found]
    if missing:
        note(notes, f"Columns that are missing were taken as 0, {texts(missing)}: {path}")
    # The looks of the eyes say the same, by shapes.
    unknown = [n for n in names if channel_of(n) is None and _folded(n) not in _ANGLES]
    if unknown:
        note(
            notes, f"Columns that are no channels of a face are left out, {texts(unknown)}: {path}"
        )


def _rate(
    codes: NDArray[np.float64], notes: list[str] | None, path: str | os.PathLike[str]
) -> float:
    """Frames a second that time codes count.

    From the last frame of a second, one step on is the first of the next: with a step s, that is
    last + s = first + rate.
    """
    seconds, frames = codes.T
    same = np.diff(seconds) == 0.0
    next_one = np.isin(np.diff(seconds), (1.0, 1.0 - _DAY))
    steps = np.diff(frames)[same]
    fps = 60.0
    if next_one.any() and len(steps) and float(np.median(steps)) > 0.0:
        counts = np.median(steps) - np.diff(frames)[next_one]
        counted = float(np.median(counts))
        # A recording that jitters counts whole frames; one that was made may count broken ones.
        fps = usual_rate(counted if np.ptp(counts) < 0.02 else float(round(counted)))
    if frames.max() >= fps:
        fps = usual_rate(float(np.floor(frames.max())) + 1.0)
    note(notes, f"Its time codes were taken to count {fps:g} frames a second: {path}")
    return fps


def _even(
    codes: NDArray[np.float64],
    values: NDArray[np.float32],
    fps: float,
    path: str | os.PathLike[str],
    notes: list[str] | None,
) -> tuple[NDArray[np.float32], float]:
    seconds = codes[:, 0].copy()
    # Recorded over midnight: time goes on.
    seconds[1:] += _DAY * np.cumsum(np.diff(seconds) < -_DAY / 2.0)
    times = seconds + codes[:, 1] / fps
    steps = np.diff(times)
    if (steps < 0.0).any():
        line = int(np.flatnonzero(steps < 0.0)[0]) + 2
        raise FileFormatError(f"The time code of frame {line:,} is before that of the last: {path}")
    fresh = np.concatenate([steps > 0.0, [True]])
    if not fresh.all():
        note(notes, f"Of frames with the same time code the last is taken: {path}")
    times, values = times[fresh], values[fresh]
    step = float(np.median(np.diff(times))) * fps if len(times) > 1 else 1.0
    # A program may count 60 frames a second and record every second one.
    rate = fps / max(round(step), 1) if abs(step - round(step)) < 0.02 else None
    return uniform(times, values, rate, path, notes)
