"""Phones as mouth shapes, and the edits of a track of phones.

Every edit gives a new track. Phones never come to lie over one another and none is made shorter
than `SHORTEST`; words keep their phones and follow them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from polyorama.errors import UsageError
from polyorama.scene.faces.phones import SILENCE, Phone, PhoneTrack, viseme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "SHORTEST",
    "VisemeSegment",
    "delete_phone",
    "insert_phone",
    "merge_phones",
    "move_edge",
    "replace_symbol",
    "shift_phones",
    "split_phone",
    "viseme_segments",
]

SHORTEST = 0.020
"""Of a phone that was edited, s."""

_TOUCHING = 1e-6
_LATEST = 1e6


@dataclass(frozen=True, slots=True)
class VisemeSegment:
    """A mouth shape, one of `VISEMES`, and its time, s."""

    viseme: str
    start: float
    end: float


def viseme_segments(track: PhoneTrack, seconds: float | None = None) -> tuple[VisemeSegment, ...]:
    """Mouth shapes without gaps from 0 s on; equal neighbours are one.

    Parameters
    ----------
    track
        Phones; where none lies there is silence.
    seconds
        Where it ends, if later than the last phone.
    """
    rows: list[VisemeSegment] = []

    def add(viseme: str, start: float, end: float) -> None:
        if end - start <= _TOUCHING:
            return
        if rows and rows[-1].viseme == viseme:
            rows[-1] = replace(rows[-1], end=end)
        else:
            rows.append(VisemeSegment(viseme, start, end))

    last = 0.0
    for phone in track.phones:
        if phone.start - last > _TOUCHING:
            add(SILENCE, last, phone.start)
            last = phone.start
        add(viseme_of(phone.symbol), last, phone.end)
        last = phone.end
    add(SILENCE, last, max(last, seconds or 0.0))
    return tuple(rows)


def move_edge(
    track: PhoneTrack, index: int, edge: Literal["start", "end"], time: float
) -> PhoneTrack:
    """Drag the start or the end of a phone; a neighbour that touches it there gives way or follows.

    Parameters
    ----------
    track, index, edge
        Which edge.
    time
        Where to, s. As near to it as possible: no phone gets shorter than `SHORTEST` (or than it
        was, if that is less), and the edge stops at a neighbour that did not touch.

    Raises
    ------
    UsageError
        If there is no such phone.
    """
    phones = list(track.phones)
    one = _phone(track, index)
    if edge == "start":
        before = phones[index - 1] if index else None
        touches = before is not None and one.start - before.end <= _TOUCHING
        first = 0.0 if before is None else before.start + _least(before) if touches else before.end
        time = min(max(time, first), one.end - _least(one))
        phones[index] = replace(one, start=time)
        if touches and before is not None:
            phones[index - 1] = replace(before, end=time)
        return _rebuilt(track, phones, range(len(phones)))
    after = phones[index + 1] if index + 1 < len(phones) else None
    touches = after is not None and after.start - one.end <= _TOUCHING
    last = _LATEST if after is None else after.end - _least(after) if touches else after.start
    time = max(min(time, last - _TOUCHING if after is None else last), one.start + _least(one))
    phones[index] = replace(one, end=time)
    if touches and after is not None:
        phones[index + 1] = replace(after, start=time)
    return _rebuilt(track, phones, range(len(phones)))


def split_phone(
    track: PhoneTrack, index: int, time: float, symbol: str | None = None
) -> PhoneTrack:
    """Cut a phone in two; the later part may become another phone.

    Raises
    ------
    UsageError
        If a part would be shorter than `SHORTEST`, or there is no such phone.
    """
    one = _phone(track, index)
    if min(time - one.start, one.end - time) < SHORTEST - _TOUCHING:
        raise UsageError(
            f"The phone {one.symbol} cannot be cut at {time:.3f} s: each part lasts at least "
            f"{SHORTEST * 1000:.0f} ms."
        )
    second = replace(one, start=time) if symbol is None else Phone(symbol, time, one.end)
    phones = [*track.phones]
    phones[index : index + 1] = [replace(one, end=time), second]
    owners = [*range(index + 1), *range(index, len(track.phones))]
    return _rebuilt(track, phones, owners)


def merge_phones(track: PhoneTrack, index: int, symbol: str | None = None) -> PhoneTrack:
    """Make one of a phone and the next, with the pause between them.

    Parameters
    ----------
    track, index
        The earlier of the two.
    symbol
        Of the new phone; the earlier one's if None.

    Raises
    ------
    UsageError
        If there is no such phone, or none after it.
    """
    one, other = _phone(track, index), _phone(track, index + 1)
    phones = [*track.phones]
    joined = replace(one, end=other.end)
    phones[index : index + 2] = [joined if symbol is None else Phone(symbol, one.start, other.end)]
    owners = [*range(index + 1), *range(index + 2, len(track.phones))]
    return _rebuilt(track, phones, owners)


def replace_symbol(track: PhoneTrack, index: int, symbol: str) -> PhoneTrack:
    """Make a phone another one; its time stays, its stress where both may have one.

    Raises
    ------
    UsageError
        If there is no such phone, or no such symbol.
    """
    one = _phone(track, index)
    phones = [*track.phones]
    both = symbol[:1] in "AEIOU" and one.symbol[0] in "AEIOU"
    phones[index] = Phone(symbol, one.start, one.end, one.stress if both else -1)
    return _rebuilt(track, phones, range(len(phones)))


def insert_phone(track: PhoneTrack, symbol: str, start: float, end: float) -> PhoneTrack:
    """Put a phone into a pause, cut to what of the pause there is; it belongs to no word.

    Raises
    ------
    UsageError
        If less than `SHORTEST` of it lies in the pause that its middle falls into.
    """
    middle = (start + end) / 2
    before = max((p.end for p in track.phones if p.start <= middle), default=0.0)
    after = min((p.start for p in track.phones if p.start > middle), default=_LATEST)
    start, end = max(start, before), min(end, after)
    if end - start < SHORTEST - _TOUCHING:
        raise UsageError(
            f"There is no pause of {SHORTEST * 1000:.0f} ms for {symbol} at {middle:.3f} s; cut or "
            "shorten the phone that lies there first."
        )
    place = sum(p.start <= middle for p in track.phones)
    phones = [*track.phones]
    phones.insert(place, Phone(symbol, start, end))
    owners = [*range(place), -1, *range(place, len(track.phones))]
    return _rebuilt(track, phones, owners)


def delete_phone(track: PhoneTrack, index: int) -> PhoneTrack:
    """Take a phone out; a pause is left. A word without phones goes too.

    Raises
    ------
    UsageError
        If there is no such phone.
    """
    _phone(track, index)
    owners = [k for k in range(len(track.phones)) if k != index]
    return _rebuilt(track, [track.phones[k] for k in owners], owners)


def shift_phones(
    track: PhoneTrack, seconds: float, first: int = 0, last: int | None = None
) -> PhoneTrack:
    """Move phones in time without changing their lengths, up to their neighbours or to 0 s.

    Parameters
    ----------
    track, first, last
        From which phone to which, both included; to the end if `last` is None.
    seconds
        Later by so much, earlier if negative.

    Raises
    ------
    UsageError
        If there are no such phones.
    """
    last = len(track.phones) - 1 if last is None else last
    start, end = _phone(track, first).start, _phone(track, last).end
    if last < first:
        raise UsageError(f"Phones {first} to {last} are none.")
    earliest = track.phones[first - 1].end if first else 0.0
    latest = track.phones[last + 1].start if last + 1 < len(track.phones) else _LATEST - 1.0
    seconds = min(max(seconds, earliest - start), latest - end)
    phones = [
        replace(phone, start=max(0.0, phone.start + seconds), end=phone.end + seconds)
        if first <= k <= last
        else phone
        for k, phone in enumerate(track.phones)
    ]
    return _rebuilt(track, phones, range(len(phones)))


def _phone(track: PhoneTrack, index: int) -> Phone:
    if not 0 <= index < len(track.phones):
        raise UsageError(f"There is no phone {index}; the track has {len(track.phones)}.")
    return track.phones[index]


def _least(phone: Phone) -> float:
    return min(SHORTEST, phone.end - phone.start)


def _rebuilt(track: PhoneTrack, phones: Sequence[Phone], owners: Sequence[int]) -> PhoneTrack:
    """A track of new phones whose words reach as far as their phones.

    `owners` says for each new phone which old one's word it belongs to; -1 for none.
    """
    word_of = []
    number = 0
    for phone in track.phones:
        middle = (phone.start + phone.end) / 2
        while number < len(track.words) and track.words[number].end <= middle:
            number += 1
        inside = number < len(track.words) and track.words[number].start <= middle
        word_of.append(number if inside else -1)
    spans: dict[int, tuple[float, float]] = {}
    for phone, owner in zip(phones, owners, strict=True):
        number = word_of[owner] if owner >= 0 else -1
        if number >= 0:
            spans[number] = (spans.get(number, (phone.start, 0.0))[0], phone.end)
    owning = set(word_of)
    words = []
    for k, word in enumerate(track.words):
        if k in spans:
            words.append(replace(word, start=spans[k][0], end=spans[k][1]))
        elif k not in owning:
            words.append(word)
    return PhoneTrack(tuple(phones), tuple(words))
