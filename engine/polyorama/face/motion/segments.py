"""Phones as pulls on the mouth: merged, split and stressed as speech is, with rest in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from polyorama.face.motion.articulation import DIPHTHONGS, VOWELS
from polyorama.scene.faces.phones import SILENCE, viseme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from polyorama.scene.faces.phones import Phone, PhoneTrack

__all__ = ["OFFSET_S", "ONSET_S", "Phrase", "Segment", "phrases", "segments"]

ONSET_S = 0.12
"""The mouth begins to move this long before the first sound after silence."""

OFFSET_S = 0.15
"""The mouth is at rest again this long after the last."""

_LEAST_REST_S = 0.06
_MERGED_GAP_S = 0.03
_STRESS_GAIN = {1: 1.0, 2: 0.86, 0: 0.68, -1: 0.9}
_FULL_S = 0.09
"""A vowel shorter than this does not get its whole jaw (undershoot, Lindblom 1963)."""


class Segment(NamedTuple):
    """A phone, or two merged, or a part of a diphthong, or rest.

    `core` is where dominance is full; `jaw` scales how far the jaw opens.
    """

    symbol: str
    start: float
    end: float
    core_start: float
    core_end: float
    jaw: float


class Phrase(NamedTuple):
    """Speech between two silences, s; `number` is the phrase's place in time, for chance."""

    start: float
    end: float


def segments(
    track: PhoneTrack, seconds: float, loudness: Callable[[float, float], float]
) -> tuple[Segment, ...]:
    """What pulls at the mouth in `seconds` of speech.

    Parameters
    ----------
    track
        What is said.
    seconds
        Where all ends, s; later phones count too.
    loudness
        How loud a stretch from one time to another is: 0 as usual, 1 much louder.
    """
    found: list[Segment] = []
    heard = 0.0
    for phone in _merged(track):
        found += _rest(heard, phone.start, after_speech=heard > 0.0, before_speech=True)
        found += _pulls(phone, loudness(phone.start, phone.end))
        heard = phone.end
    end = max(seconds, heard) + 1.0
    found += _rest(heard, end, after_speech=heard > 0.0, before_speech=False)
    return tuple(found)


def _merged(track: PhoneTrack) -> Iterator[Phone]:
    """Phones that sound; neighbours that look the same become one (Edwards et al. 2016)."""
    waiting: Phone | None = None
    for phone in track.phones:
        if phone.symbol == SILENCE:
            continue
        if waiting is not None:
            same = viseme_of(phone.symbol) == viseme_of(waiting.symbol)
            if same and phone.symbol not in VOWELS and phone.start - waiting.end < _MERGED_GAP_S:
                waiting = type(phone)(waiting.symbol, waiting.start, phone.end, waiting.stress)
                continue
            yield waiting
        waiting = phone
    if waiting is not None:
        yield waiting


def _rest(
    start: float, end: float, *, after_speech: bool, before_speech: bool
) -> Iterator[Segment]:
    start += OFFSET_S if after_speech else 0.0
    end -= ONSET_S if before_speech else 0.0
    if end - start >= _LEAST_REST_S:
        yield Segment(SILENCE, start, end, start, end, 1.0)


def _pulls(phone: Phone, loud: float) -> Iterator[Segment]:
    length = phone.end - phone.start
    if phone.symbol not in VOWELS:
        margin = min(0.3 * length, 0.04)
        core = phone.start + margin, phone.end - margin
        yield Segment(phone.symbol, phone.start, phone.end, *core, 1.0)
        return
    jaw = _STRESS_GAIN[phone.stress] * min(1.0, 0.6 + 0.4 * length / _FULL_S)
    jaw *= min(max(1.0 + 0.22 * loud, 0.75), 1.25)
    glide = DIPHTHONGS.get(phone.symbol)
    middle = phone.end if glide is None else phone.start + glide[1] * length
    margin = min(0.25 * (middle - phone.start), 0.05)
    yield Segment(phone.symbol, phone.start, middle, phone.start + margin, middle - margin, jaw)
    if glide is not None:
        margin = min(0.3 * (phone.end - middle), 0.04)
        yield Segment(glide[0], middle, phone.end, middle + margin, phone.end - margin, jaw)


def phrases(track: PhoneTrack, pause: float = 0.2) -> tuple[Phrase, ...]:
    """Stretches of speech without a silence of `pause` s or more."""
    found: list[Phrase] = []
    for phone in track.phones:
        if phone.symbol == SILENCE:
            continue
        if found and phone.start - found[-1].end < pause:
            found[-1] = Phrase(found[-1].start, phone.end)
        else:
            found.append(Phrase(phone.start, phone.end))
    return tuple(found)
