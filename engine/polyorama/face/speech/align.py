"""Phones and words in speech, with their times: by a transcript, or by recognition first.

A short recording is aligned with its transcript as a whole. A long one is cut in its pauses; what
is heard in each piece, with a language model of the transcript alone, says which words lie on
either side of a pause, and pieces are joined where that is not sure (`islands`). So two hours take
the memory of one piece.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyorama.core.jobs import Job, Progress, run
from polyorama.core.text import count_of, quoted
from polyorama.errors import UsageError
from polyorama.face.speech.decoding import Aligner, Heard, PlacedPhone, PlacedWord, Recogniser
from polyorama.face.speech.islands import arpa_model, matching_words
from polyorama.face.speech.pauses import pieces, speech_spans
from polyorama.face.speech.pronunciation import in_dictionary, pronounce
from polyorama.face.speech.prosody import RATE, checked_speech
from polyorama.face.speech.stress import VOWELS, stresses
from polyorama.face.speech.text import spoken_words
from polyorama.scene.faces.phones import Phone, PhoneTrack, Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.face.speech.pronunciation import Pronunciation

__all__ = ["OnFailure", "align", "align_job", "recognise", "recognise_job"]

OnFailure = Literal["error", "spread"]
"""What to do with words that cannot be aligned: refuse, or spread them evenly where they must lie.

Spread words are in time with the pauses, not with the lips."""

_WHOLE = 45.0
"""Seconds of speech that are aligned without cutting."""
_PIECE = 20.0
"""Longest piece that is recognised, s."""
_LONGEST_ISLAND = 150.0
"""Longest stretch without a sure cut that is aligned, s."""
_ROOM = 0.3
"""Seconds of pause that are aligned with the speech around, so that quiet edges are found."""
_SHORTEST_PHONE = 0.01
_USUAL_VOWEL, _USUAL_CONSONANT = 0.10, 0.07
_WORDS_SHOWN = 6


def align(
    samples: NDArray[np.floating[Any]], text: str, *, on_failure: OnFailure = "error"
) -> PhoneTrack:
    """Find when the phones and words of a transcript are said; `align_job` tells how far it is.

    Parameters
    ----------
    samples
        (n,) speech at 16 kHz, -1..1.
    text
        What is said, as English is written; numbers and the like are spoken out.
    on_failure
        "error" or "spread".

    Returns
    -------
    PhoneTrack
        Without phones in pauses. Its words are as spoken ("forty", "two").

    Raises
    ------
    UsageError
        If there are no words or no speech, or words cannot be found in the sound; it says which and
        where.
    UnavailableError
        If pocketsphinx is not installed.
    """
    return run(align_job(samples, text, on_failure=on_failure))


def align_job(
    samples: NDArray[np.floating[Any]], text: str, *, on_failure: OnFailure = "error"
) -> Job[PhoneTrack]:
    """As `align`, as a job; its units are pieces of speech.

    Raises
    ------
    UsageError, UnavailableError
        As `align`.
    """
    if on_failure not in ("error", "spread"):
        raise UsageError(f'What fails may be an "error" or "spread", not {on_failure!r}.')
    sound = checked_speech(samples)
    words = spoken_words(text, in_dictionary)
    if not words:
        raise UsageError(
            "The transcript holds no words; write what is said, or leave it out to have the "
            "speech recognised."
        )
    spans = speech_spans(sound)
    if not spans:
        raise UsageError("The sound is silent, so no words can be placed in it.")
    yield Progress(0, 0, "Looking up words")
    pronunciations = pronounce(words)
    if spans[-1][1] - spans[0][0] <= _WHOLE:
        islands: list[tuple[float, float, Sequence[str]]] = [(spans[0][0], spans[-1][1], words)]
        heard_pieces = 0
    else:
        parts = pieces(sound, spans, _PIECE)
        heard_pieces = len(parts)
        islands = yield from _find_islands(sound, parts, words, pronunciations)
    islands = _widened(islands, len(sound) / RATE)
    aligner = Aligner(pronunciations)
    track: list[tuple[float, list[PlacedWord], list[tuple[int, ...]]]] = []
    total = heard_pieces + len(islands)
    for number, (start, end, said) in enumerate(islands):
        yield Progress(heard_pieces + number, total, "Aligning words")
        piece = sound[int(start * RATE) : int(end * RATE)]
        placed = aligner.align(piece, said) if end - start <= _LONGEST_ISLAND else None
        if placed is None:
            if on_failure == "error":
                raise UsageError(_failure(start, end, said))
            placed = _spread(piece, said, pronunciations)
        track.append((int(start * RATE) / RATE, placed, stresses(piece, placed)))
    yield Progress(total, total, "Aligning words")
    return _track_of(track)


def recognise(samples: NDArray[np.floating[Any]]) -> tuple[str, PhoneTrack]:
    """Hear English words and align them; `recognise_job` tells how far it is.

    Parameters
    ----------
    samples
        (n,) speech at 16 kHz, -1..1.

    Returns
    -------
    str
        The words, a line for each piece between long pauses; "" where none are heard.
    PhoneTrack
        Empty in that case.

    Raises
    ------
    UsageError
        If the samples are no row of finite numbers.
    UnavailableError
        If pocketsphinx is not installed.
    """
    return run(recognise_job(samples))


def recognise_job(samples: NDArray[np.floating[Any]]) -> Job[tuple[str, PhoneTrack]]:
    """As `recognise`, as a job; its units are pieces of speech.

    Raises
    ------
    UsageError, UnavailableError
        As `recognise`.
    """
    sound = checked_speech(samples)
    parts = _widened(
        [(start, end, ()) for start, end in pieces(sound, speech_spans(sound), _PIECE)],
        len(sound) / RATE,
    )
    if not parts:
        return "", PhoneTrack()
    recogniser = Recogniser()
    lines = []
    track: list[tuple[float, list[PlacedWord], list[tuple[int, ...]]]] = []
    for number, (start, end, _) in enumerate(parts):
        yield Progress(number, len(parts), "Recognising speech")
        piece = sound[int(start * RATE) : int(end * RATE)]
        said = [word.text for word in recogniser.hear(piece)]
        if not said:
            continue
        placed = Aligner(pronounce(said)).align(piece, said)
        # What was heard in noise may fit nowhere when nothing else is allowed.
        if placed is None:
            continue
        lines.append(" ".join(said))
        track.append((int(start * RATE) / RATE, placed, stresses(piece, placed)))
    yield Progress(len(parts), len(parts), "Recognising speech")
    return "\n".join(lines), _track_of(track)


def _find_islands(
    sound: NDArray[np.float32],
    parts: Sequence[tuple[float, float]],
    words: Sequence[str],
    pronunciations: Mapping[str, Sequence[Pronunciation]],
) -> Job[list[tuple[float, float, Sequence[str]]]]:
    """Stretches of sound (s) and the words that are said in each."""
    heard: list[str] = []
    first_heard = [0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "transcript.lm"
        path.write_text(arpa_model(words), encoding="utf-8")
        recogniser = Recogniser(pronunciations, str(path))
        for number, (start, end) in enumerate(parts):
            yield Progress(number, 2 * len(parts), "Finding the transcript's words")
            found: list[Heard] = recogniser.hear(sound[int(start * RATE) : int(end * RATE)])
            heard += [word.text for word in found]
            first_heard.append(len(heard))
    return list(_islands(parts, words, first_heard, dict(matching_words(heard, words))))


def _islands(
    parts: Sequence[tuple[float, float]],
    words: Sequence[str],
    first_heard: Sequence[int],
    written: Mapping[int, int],
) -> Iterator[tuple[float, float, Sequence[str]]]:
    """Join pieces until the words on both sides of a pause follow each other in the transcript."""
    start, first_word = parts[0][0], 0
    for number, (part, following) in enumerate(pairwise(parts), start=1):
        after = written.get(first_heard[number], -1)
        before = written.get(first_heard[number] - 1, -1)
        if after > first_word and after == before + 1:
            yield start, part[1], words[first_word:after]
            start, first_word = following[0], after
    yield start, parts[-1][1], words[first_word:]


def _widened(
    islands: Sequence[tuple[float, float, Sequence[str]]], seconds: float
) -> list[tuple[float, float, Sequence[str]]]:
    """The same stretches with some of the pauses around them, none over another."""
    edges = [0.0, *((a[1] + b[0]) / 2 for a, b in pairwise(islands)), seconds]
    return [
        (max(start - _ROOM, edges[k]), min(end + _ROOM, edges[k + 1]), said)
        for k, (start, end, said) in enumerate(islands)
    ]


def _failure(start: float, end: float, words: Sequence[str]) -> str:
    return (
        f"{count_of(len(words), 'word')} of the transcript ({_shown(words)}) cannot be found in "
        f"the sound from {start:.1f} s to {end:.1f} s; make it say what is said there, or leave it "
        "out to have the speech recognised."
    )


def _shown(words: Sequence[str]) -> str:
    shown = " ".join(words[:_WORDS_SHOWN])
    return quoted(shown if len(words) <= _WORDS_SHOWN else f"{shown} ... {words[-1]}")


def _spread(
    sound: NDArray[np.float32],
    words: Sequence[str],
    pronunciations: Mapping[str, Sequence[Pronunciation]],
) -> list[PlacedWord]:
    """Words evenly over what is loud in a piece, vowels a little longer than consonants."""
    spans = speech_spans(sound) or ((0.0, len(sound) / RATE),)
    ways = [pronunciations[word][0] for word in words]
    usual = np.array(
        [_USUAL_VOWEL if phone in VOWELS else _USUAL_CONSONANT for way in ways for phone in way]
    )
    # Edges on a clock that runs only while somebody speaks, then on the piece's own.
    spoken = np.concatenate([[0.0], np.cumsum([end - start for start, end in spans])])
    if spoken[-1] < _SHORTEST_PHONE * len(usual):
        raise UsageError(
            f"{len(words)} words of the transcript ({_shown(words)}) do not fit into "
            f"{spoken[-1]:.1f} s of speech; leave out what is not said."
        )
    edges = np.concatenate([[0.0], np.cumsum(usual)])
    edges *= spoken[-1] / edges[-1]
    span = np.clip(np.searchsorted(spoken, edges, side="right") - 1, 0, len(spans) - 1)
    starts = np.array([start for start, _ in spans])
    times = (starts[span] + edges - spoken[span]).tolist()
    placed = []
    at = 0
    for word, way in zip(words, ways, strict=True):
        phones = [PlacedPhone(s, times[at + k], times[at + k + 1]) for k, s in enumerate(way)]
        placed.append(PlacedWord(word, tuple(phones)))
        at += len(way)
    return placed


def _track_of(
    parts: Sequence[tuple[float, Sequence[PlacedWord], Sequence[tuple[int, ...]]]],
) -> PhoneTrack:
    """One track of words whose times count from the starts of their pieces."""
    phones: list[Phone] = []
    words: list[Word] = []
    last = 0.0
    for offset, placed, marks in parts:
        for word, mark in zip(placed, marks, strict=True):
            first = len(phones)
            for phone, stress in zip(word.phones, mark, strict=True):
                start = max(offset + phone.start, last)
                last = max(offset + phone.end, start + _SHORTEST_PHONE)
                phones.append(Phone(phone.symbol, start, last, stress))
            words.append(Word(word.text, phones[first].start, last))
    return PhoneTrack(tuple(phones), tuple(words))
