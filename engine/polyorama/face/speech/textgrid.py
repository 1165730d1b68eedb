"""Praat's TextGrid: phones and words as tiers of intervals, read and written.

A TextGrid is, by Praat's manual ("TextGrid file formats"), a row of free-standing texts in quotes,
numbers and flags in angle brackets; whatever else stands there is for people. So the long and the
short form are read in one way.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.text import quoted
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.speech.ipa import phones_of_ipa
from polyorama.io.atomic import atomic_write
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.phones import PHONES, SILENCE, Phone, PhoneTrack, Word

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

__all__ = ["read_textgrid", "write_textgrid"]

_MOST_BYTES = 64 << 20
_MOST_INTERVALS = 2_000_000
_MOST_TIERS = 1000
_TOKEN = re.compile(
    r'"((?:[^"]|"")*)"|<\w+>|(?<!\S)([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?!\S)|!.*'
)
_PHONE_TIERS = ("phones", "phone", "phonemes", "phoneme", "segments", "mau")
_WORD_TIERS = ("words", "word", "ort", "orthography")
_PAUSES = frozenset({"", "SIL", "SP", "SPN", "PAU", "<P:>", "<SIL>", "<EPS>", "#", "_"})
_LEAST = 1e-4
_LATEST = 1e6


@dataclass(frozen=True, slots=True)
class _Interval:
    start: float
    end: float
    text: str


def read_textgrid(path: str | os.PathLike[str]) -> PhoneTrack:
    """Read the phones, and the words where there are any, of a TextGrid.

    The tier of phones is named so ("phones", "phonemes", "segments", "MAU"), or is the first whose
    labels are all phones. Labels are ARPABET's, with stress or without, or the IPA's of English.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, too large, or has no tier of phones.
    """
    source = Path(path)
    tiers = _tiers(_Tokens(_decoded(read_bytes(source, _MOST_BYTES), source), source))
    phone_tier = next((tier for name, tier in tiers if name.lower() in _PHONE_TIERS), None)
    if phone_tier is None:
        words = {name.lower() for name, _ in tiers} & set(_WORD_TIERS)
        candidates = (tier for name, tier in tiers if name.lower() not in words)
        phone_tier = next((tier for tier in candidates if _only_phones(tier)), None)
    if phone_tier is None:
        names = ", ".join(quoted(name) for name, _ in tiers[:8]) or "none at all"
        raise FileFormatError(
            f'The TextGrid has no tier "phones", or one that holds only phones (it has {names}): '
            f"{source}"
        )
    word_tier = next((tier for name, tier in tiers if name.lower() in _WORD_TIERS), ())
    try:
        return PhoneTrack(
            tuple(_phones(phone_tier, source)),
            tuple(_words(word_tier)),
        )
    except UsageError as error:
        raise FileFormatError(f"The phones of the TextGrid are unsound ({error}): {source}") from (
            error
        )


def write_textgrid(
    path: str | os.PathLike[str], track: PhoneTrack, seconds: float | None = None
) -> None:
    """Write a track as a TextGrid in the long form, with the tiers "phones" and "words".

    Phones keep their stress as ARPABET's digit; pauses are intervals without a label.

    Parameters
    ----------
    path
        Where to.
    track
        What.
    seconds
        How long the sound is, where it is longer than the track, s.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    ends = [track.seconds, seconds or 0.0, *(word.end for word in track.words)]
    end = max(max(ends), _LEAST)
    phones = [
        _Interval(p.start, p.end, f"{p.symbol}{p.stress}" if p.stress >= 0 else p.symbol)
        for p in track.phones
    ]
    words = [_Interval(word.start, word.end, word.text) for word in track.words]
    lines = [
        'File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ",
        f"xmax = {end!r} ", "tiers? <exists> ", "size = 2 ", "item []: ",
        *_tier_lines(1, "phones", phones, end), *_tier_lines(2, "words", words, end),
    ]  # fmt: skip
    with atomic_write(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _tier_lines(
    number: int, name: str, intervals: Sequence[_Interval], end: float
) -> Iterator[str]:
    filled = list(_filled(intervals, end))
    yield f"    item [{number}]:"
    yield '        class = "IntervalTier" '
    yield f'        name = "{name}" '
    yield "        xmin = 0 "
    yield f"        xmax = {end!r} "
    yield f"        intervals: size = {len(filled)} "
    for k, interval in enumerate(filled, start=1):
        text = interval.text.replace('"', '""')
        yield f"        intervals [{k}]:"
        yield f"            xmin = {interval.start!r} "
        yield f"            xmax = {interval.end!r} "
        yield f'            text = "{text}" '


def _filled(intervals: Sequence[_Interval], end: float) -> Iterator[_Interval]:
    """The intervals and, between them, those of silence: Praat's tiers have no gaps."""
    last = 0.0
    for interval in sorted(intervals, key=lambda one: one.start):
        if interval.start > last:
            yield _Interval(last, float(interval.start), "")
        start = max(last, float(interval.start))
        if interval.end > start:
            last = float(interval.end)
            yield _Interval(start, last, interval.text)
    if last < end:
        yield _Interval(last, end, "")


def _decoded(raw: bytes, source: Path) -> str:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    # Praat's own UTF-16 has a mark, that of other programs may not.
    elif raw[1:2] == b"\0":
        encoding = "utf-16-le"
    elif raw[:1] == b"\0":
        encoding = "utf-16-be"
    else:
        encoding = "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"The TextGrid is neither UTF-8 nor UTF-16; let Praat save it so: {source}"
        ) from error


class _Tokens:
    """The free-standing texts and numbers of a file, one after the other."""

    def __init__(self, text: str, source: Path) -> None:
        self.source = source
        self._matches = (match for match in _TOKEN.finditer(text) if match[0][0] != "!")

    def _next(self) -> re.Match[str]:
        match = next(self._matches, None)
        if match is None:
            raise FileFormatError(f"The TextGrid ends too early: {self.source}")
        return match

    def flag(self) -> str:
        return self._next()[0]

    def text(self) -> str:
        match = self._next()
        if match[1] is None:
            raise self._damaged(match, "a text in quotes")
        return match[1].replace('""', '"')

    def number(self) -> float:
        match = self._next()
        if match[2] is None:
            raise self._damaged(match, "a number")
        return float(match[2])

    def count(self, most: int) -> int:
        value = self.number()
        if value != int(min(value, most + 1)) or not 0 <= value <= most:
            raise FileFormatError(f"The TextGrid counts {value:g} items: {self.source}")
        return int(value)

    def _damaged(self, match: re.Match[str], wanted: str) -> FileFormatError:
        return FileFormatError(
            f"The TextGrid has {quoted(match[0])} where {wanted} belongs: {self.source}"
        )


def _tiers(tokens: _Tokens) -> list[tuple[str, tuple[_Interval, ...]]]:
    """Names and intervals of the tiers of intervals; tiers of points are passed over."""
    # Old short files say "ooTextFile short".
    if not tokens.text().startswith("ooTextFile") or tokens.text() != "TextGrid":
        raise FileFormatError(f"This is no TextGrid of Praat's: {tokens.source}")
    tokens.number()
    tokens.number()
    if tokens.flag() != "<exists>":
        return []
    tiers = []
    left = _MOST_INTERVALS
    for _ in range(tokens.count(_MOST_TIERS)):
        kind, name = tokens.text(), tokens.text()
        tokens.number()
        tokens.number()
        count = tokens.count(left)
        left -= count
        if kind == "IntervalTier":
            # Each takes its place only once it was read: a count alone takes no memory.
            rows = (
                _Interval(tokens.number(), tokens.number(), tokens.text()) for _ in range(count)
            )
            tiers.append((name, tuple(rows)))
        elif kind == "TextTier":
            for _ in range(count):
                tokens.number()
                tokens.text()
        else:
            raise FileFormatError(
                f"The TextGrid has a tier of the unknown kind {quoted(kind)}: {tokens.source}"
            )
    return tiers


def _only_phones(tier: Sequence[_Interval]) -> bool:
    labels = [interval.text.strip().upper() for interval in tier]
    spoken = [label.rstrip("012") for label in labels if label not in _PAUSES]
    return bool(spoken) and all(label in PHONES for label in spoken)


def _words(tier: Sequence[_Interval]) -> Iterator[Word]:
    for interval in tier:
        text = interval.text.strip()
        if text.upper() in _PAUSES:
            continue
        if not 0.0 <= interval.start < interval.end < _LATEST:
            raise UsageError(f"A word cannot last from {interval.start} s to {interval.end} s.")
        yield Word(text, interval.start, interval.end)


def _phones(tier: Sequence[_Interval], source: Path) -> Iterator[Phone]:
    for interval in tier:
        label = interval.text.strip()
        if label.upper() in _PAUSES:
            continue
        symbol = label.upper().rstrip("012")
        if symbol in PHONES and symbol != SILENCE:
            stress = int(label[-1]) if label[-1] in "012" else -1
            yield Phone(symbol, interval.start, interval.end, stress)
            continue
        symbols = phones_of_ipa(label)
        if not symbols:
            raise FileFormatError(
                f"The TextGrid has {quoted(label)} at {interval.start:.2f} s, which is no phone of "
                f"ARPABET or of English in the IPA: {source}"
            )
        step = (interval.end - interval.start) / len(symbols)
        for k, one in enumerate(symbols):
            yield Phone(one, interval.start + k * step, interval.start + (k + 1) * step)
