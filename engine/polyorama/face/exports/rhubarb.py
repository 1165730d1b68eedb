"""Mouth cues as Rhubarb Lip Sync writes them, for programs that swap drawn mouths.

Phones become nine drawings: A closed (P B M), B teeth together (most consonants, IY), C half open
(EH AE), D wide open (AA), E slightly rounded (AO ER), F puckered (UW W), G lower lip under the
teeth (F V), H tongue behind the upper teeth (L), X at rest. Diphthongs glide from one drawing to
another. A cue lasts until the next; pauses below a tenth of a second keep the mouth before them,
so that it does not flap.

The ending chooses: ``.tsv`` has a line a cue (start in s, a tab, its letter) and ends with the time
of the end; ``.json`` is Rhubarb's JSON. Lines have no place for provenance, so it lies beside.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.exports.words import (
    parse_json,
    provenance_entry,
    write_with_sidecar,
    writer,
)
from polyorama.io.atomic import atomic_write
from polyorama.io.json_fields import FieldError, numbers_of, object_of
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.phones import SILENCE

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from polyorama.face.take import Take
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = ["MOUTHS", "MOUTH_OF", "MouthCue", "mouth_cues", "read_rhubarb", "write_rhubarb"]

MOUTHS = "ABCDEFGHX"
"""The nine drawings; X is the mouth at rest."""

_PHONES_OF = {
    "A": "P B M", "B": "K G NG T D N TH DH S Z CH JH SH ZH Y IY IH R",
    "C": "EH AE AH HH", "D": "AA", "E": "AO ER", "F": "UW UH W", "G": "F V", "H": "L", "X": "sil",
    "DB": "AY", "DF": "AW", "EB": "OY", "CB": "EY", "EF": "OW",
}  # fmt: skip

MOUTH_OF: Mapping[str, str] = MappingProxyType(
    {phone: mouths for mouths, phones in _PHONES_OF.items() for phone in phones.split()}
)
"""The drawing of each phone; diphthongs have two."""

_GLIDE = 0.6
"""Share of a diphthong after which its second drawing comes."""
_SHORT_PAUSE = 0.1
_MAX_BYTES = 32 << 20
_MAX_CUES = 500_000


@dataclass(frozen=True, slots=True)
class MouthCue:
    """A drawing and its time, s."""

    start: float
    end: float
    mouth: str

    def __post_init__(self) -> None:
        if self.mouth not in MOUTHS or len(self.mouth) != 1:
            raise UsageError(f"There is no mouth {self.mouth!r}; mouths are {', '.join(MOUTHS)}.")
        if not 0.0 <= self.start < self.end < 1e6:
            raise UsageError(f"A mouth cannot last from {self.start} s to {self.end} s.")


def mouth_cues(track: PhoneTrack, seconds: float | None = None) -> tuple[MouthCue, ...]:
    """The drawings that show a track, one after the other without gaps, from 0 s.

    Parameters
    ----------
    track
        What is said.
    seconds
        How long the take lasts; None ends with the last phone. Rest is seen after that.
    """
    end = track.seconds if seconds is None else seconds
    starts: list[tuple[float, str]] = [(0.0, "X")]
    for start, mouth in _mouths(track):
        if start >= end:
            break
        if starts[-1][0] >= start:
            starts.pop()
        if not starts or starts[-1][1] != mouth:
            starts.append((start, mouth))
    ends = [start for start, _ in starts[1:]] + [end]
    return tuple(
        MouthCue(start, until, mouth)
        for (start, mouth), until in zip(starts, ends, strict=True)
        if until > start
    )


def _mouths(track: PhoneTrack) -> Iterator[tuple[float, str]]:
    """Where each drawing begins, silence between phones too."""
    spoken = [phone for phone in track.phones if phone.symbol != SILENCE]
    for at, phone in enumerate(spoken):
        mouths = MOUTH_OF[phone.symbol]
        yield phone.start, mouths[0]
        if len(mouths) > 1:
            yield phone.start + _GLIDE * (phone.end - phone.start), mouths[1]
        after = spoken[at + 1].start if at + 1 < len(spoken) else float("inf")
        if after - phone.end >= _SHORT_PAUSE - 1e-6:
            yield phone.end, "X"


def write_rhubarb(take: Take, path: str | os.PathLike[str]) -> None:
    """Write the mouth cues of a take's phones, as TSV or, where the ending says so, JSON.

    Raises
    ------
    UsageError
        If the take has no phones.
    OutputError
        If the system refuses.
    """
    if not take.phones.phones:
        raise UsageError(
            f"The take has no phones from which mouths could be drawn; align it first: {path}"
        )
    seconds = take.performance.seconds
    cues = mouth_cues(take.phones, seconds)
    if Path(path).suffix.lower() == ".json":
        document = {
            "metadata": {"soundFile": take.provenance.sound, "duration": round(seconds, 5)},
            "mouthCues": [
                {"start": round(c.start, 5), "end": round(c.end, 5), "value": c.mouth}
                for c in cues
            ],
            "polyorama": {
                "writtenBy": writer(), "provenance": provenance_entry(take.provenance),
            },
        }  # fmt: skip
        with atomic_write(path) as temporary:
            temporary.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return
    lines = [f"{cue.start:.5f}\t{cue.mouth}" for cue in cues]
    lines.append(f"{seconds:.5f}\tX")
    write_with_sidecar(path, [("\n".join(lines) + "\n").encode("ascii")], take, {})


def read_rhubarb(path: str | os.PathLike[str]) -> tuple[MouthCue, ...]:
    """Read mouth cues, as TSV or JSON, of Rhubarb or of `write_rhubarb`.

    Raises
    ------
    FileFormatError
        If it is missing, damaged or too large; a wrong line or cue is named.
    """
    data = read_bytes(path, _MAX_BYTES)
    if data.lstrip()[:1] in (b"{", b"["):
        try:
            return _from_json(parse_json(data, path), path)
        except FieldError as error:
            raise FileFormatError(f"Its {error}: {path}") from error
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileFormatError(f"The file is no text in UTF-8: {path}") from error
    starts: list[tuple[float, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        time, _, mouth = line.partition("\t")
        try:
            starts.append((float(time), mouth.strip()))
        except ValueError as error:
            raise FileFormatError(
                f"Line {number:,} is no time, tab and mouth: {line[:60]!r}: {path}"
            ) from error
    rows = [(a[0], b[0], a[1]) for a, b in pairwise(starts)]
    return _cues(rows, path)


def _from_json(document: Any, path: str | os.PathLike[str]) -> tuple[MouthCue, ...]:
    entries = object_of(document, "content").get("mouthCues")
    if not isinstance(entries, list):
        raise FieldError("mouthCues are missing")
    rows = []
    for number, entry in enumerate(entries, 1):
        given = object_of(entry, f"cue {number:,}")
        start, end = numbers_of([given.get("start"), given.get("end")], (2,), f"cue {number:,}")
        rows.append((float(start), float(end), str(given.get("value"))))
    return _cues(rows, path)


def _cues(
    rows: Sequence[tuple[float, float, str]], path: str | os.PathLike[str]
) -> tuple[MouthCue, ...]:
    if not rows or len(rows) > _MAX_CUES:
        raise FileFormatError(f"The file holds no mouth cues, or too many: {path}")
    cues = []
    for number, (start, end, mouth) in enumerate(rows, 1):
        try:
            cues.append(MouthCue(start, end, mouth))
        except UsageError as error:
            raise FileFormatError(f"Cue {number:,} is wrong ({error}): {path}") from error
        if number > 1 and start < rows[number - 2][1] - 1e-6:
            raise FileFormatError(f"Cue {number:,} begins before the last ends: {path}")
    return tuple(cues)
