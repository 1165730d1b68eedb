"""How English words are pronounced: the dictionary, and letters to sounds for all others.

The dictionary is CMU's, as pocketsphinx brings it (about 134,000 words, without stress). Words that
it does not have are asked of espeak-ng where that program is installed; else they are built from
words that it has, or read letter by letter with the rules of `letter_rules`.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import FileFormatError, UnavailableError
from polyorama.face.speech.ipa import phones_of_ipa
from polyorama.face.speech.letter_rules import read_letters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Pronunciation", "in_dictionary", "pronounce", "ways_in_dictionary"]

Pronunciation = tuple[str, ...]
"""Phones of a word, as in `PHONES`."""

_ESPEAK_SECONDS = 20.0
_VOICELESS = frozenset({"P", "T", "K", "F", "TH"})
_HISSING = frozenset({"S", "Z", "SH", "ZH", "CH", "JH"})


def pronounce(words: Iterable[str]) -> dict[str, tuple[Pronunciation, ...]]:
    """Every way in which words are pronounced; there is always one.

    Parameters
    ----------
    words
        Of small letters and apostrophes, as `spoken_words` gives them.

    Raises
    ------
    UnavailableError
        If pocketsphinx, which brings the dictionary, is not installed.
    """
    found: dict[str, tuple[Pronunciation, ...]] = {}
    strange = []
    for word in dict.fromkeys(words):
        ways = ways_in_dictionary(word) or _possessive(word)
        if ways:
            found[word] = ways
        else:
            strange.append(word)
    heard = _ask_espeak(strange) if strange else {}
    for word in strange:
        way = heard.get(word) or _compound(word) or read_letters(word)
        found[word] = (way,)
    return found


def in_dictionary(word: str) -> bool:
    """Whether the dictionary has a word of small letters.

    Raises
    ------
    UnavailableError
        If pocketsphinx is not installed.
    FileFormatError
        If its dictionary is damaged.
    """
    return word in _dictionary()


def ways_in_dictionary(word: str) -> tuple[Pronunciation, ...]:
    """All ways in which the dictionary pronounces a word; none where it does not have it.

    Raises
    ------
    UnavailableError, FileFormatError
        As `in_dictionary`.
    """
    lines = _dictionary()
    ways = []
    name = word
    while name in lines:
        ways.append(tuple(lines[name].split()))
        name = f"{word}({len(ways) + 1})"
    return tuple(ways)


@functools.cache
def _dictionary() -> Mapping[str, str]:
    """Phones in one text by the word, or by such as ``read(2)`` for its further ways."""
    try:
        import pocketsphinx
    except ImportError as error:
        raise UnavailableError(
            "Aligning a transcript needs pocketsphinx; install it with "
            "pip install 'polyorama[face]'."
        ) from error
    path = Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict"))
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return dict(line.split(maxsplit=1) for line in lines if line)
    except (OSError, ValueError) as error:
        raise FileFormatError(
            f"pocketsphinx's dictionary cannot be read; install pocketsphinx again: {path}"
        ) from error


def _ask_espeak(words: list[str]) -> dict[str, Pronunciation]:
    """What espeak-ng says to words; none where it is not installed or says nothing to one."""
    program = shutil.which("espeak-ng")
    if program is None:
        return {}
    try:
        answer = subprocess.run(
            [program, "-q", "--ipa", "-v", "en-us"],
            input="\n".join(f"{word}." for word in words) + "\n",
            capture_output=True, text=True, encoding="utf-8", timeout=_ESPEAK_SECONDS, check=True,
        ).stdout  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    if len(lines) != len(words):
        return {}
    spoken = {word: phones_of_ipa(line) for word, line in zip(words, lines, strict=True)}
    return {word: phones for word, phones in spoken.items() if phones}


def _possessive(word: str) -> tuple[Pronunciation, ...]:
    """Pronunciations of a known word with 's, in the plural, or with an apostrophe at an end."""
    base = word.strip("'")
    if base.endswith("'s"):
        stem = base[:-2]
    elif base.endswith("s") and len(base) > 3:
        stem = base[:-1]
    else:
        stem = ""
    plural = tuple((*way, *_ending_s(way[-1])) for way in ways_in_dictionary(stem))
    return ways_in_dictionary(base) or plural


def _ending_s(last: str) -> Pronunciation:
    if last in _HISSING:
        return ("IH", "Z")
    return ("S",) if last in _VOICELESS else ("Z",)


def _compound(word: str) -> Pronunciation | None:
    """Two known words in one (``voicebox``), each of three letters or more; else None."""
    cuts = sorted(range(3, len(word) - 2), key=lambda cut: abs(cut - len(word) / 2))
    for cut in cuts:
        one, other = ways_in_dictionary(word[:cut]), ways_in_dictionary(word[cut:])
        if one and other:
            return one[0] + other[0]
    return None
