"""Which vowels of aligned words are stressed.

pocketsphinx's dictionary has no stress, so it is estimated from the sound: the stressed vowel of a
word is longer than such vowels mostly are, louder than the word's others, not reduced, and in
English more often the first, seldom an open last one. Secondary stress is not told from none.
On words of several syllables, said by flite's rms and awb, five of six agree with espeak-ng's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.speech.prosody import RATE, energy_db

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.face.speech.decoding import PlacedWord

__all__ = ["VOWELS", "stresses"]

# Usual lengths, s; tense vowels and diphthongs are longer by themselves.
_USUAL = {
    "AA": 0.12, "AE": 0.12, "AH": 0.065, "AO": 0.12, "AW": 0.16, "AY": 0.15, "EH": 0.09,
    "ER": 0.10, "EY": 0.13, "IH": 0.065, "IY": 0.10, "OW": 0.13, "OY": 0.18, "UH": 0.07,
    "UW": 0.10,
}  # fmt: skip
VOWELS = frozenset(_USUAL)
"""Phones that may be stressed."""

_REDUCED = {"AH": -1.0, "IH": -0.5, "ER": -0.5, "IY": -0.2}
_ENDING = {"IY": -0.6, "OW": -0.4, "ER": -0.3}
"""Where a word of several syllables ends in these ("party", "window", "butter")."""
_FIRST = 0.35
_PER_DECIBEL = 0.115  # a factor of loudness counts as the same factor of length
_UNSTRESSED = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "him", "his", "i", "if", "in", "is",
    "it", "its", "me", "my", "of", "on", "or", "our", "shall", "she", "should", "so", "than",
    "that", "the", "their", "them", "then", "there", "they", "this", "to", "us", "was", "we",
    "were", "what", "which", "who", "will", "with", "would", "you", "your",
})  # fmt: skip


def stresses(sound: NDArray[np.float32], words: Sequence[PlacedWord]) -> list[tuple[int, ...]]:
    """Stress of each phone of each word: 1 primary, 0 none, -1 for what is no vowel.

    Parameters
    ----------
    sound
        (n,) at 16 kHz, the piece that the words' times count from.
    words
        As aligned.
    """
    marks = []
    for word in words:
        vowels = [k for k, phone in enumerate(word.phones) if phone.symbol in VOWELS]
        mark = [-1] * len(word.phones)
        for k in vowels:
            mark[k] = 0
        if len(vowels) == 1 and word.text not in _UNSTRESSED:
            mark[vowels[0]] = 1
        elif len(vowels) > 1:
            mark[max(vowels, key=_prominences(sound, word, vowels).__getitem__)] = 1
        marks.append(tuple(mark))
    return marks


def _prominences(
    sound: NDArray[np.float32], word: PlacedWord, vowels: Sequence[int]
) -> dict[int, float]:
    phones = [word.phones[k] for k in vowels]
    middles = np.array([int((phone.start + phone.end) / 2 * RATE) for phone in phones])
    levels = energy_db(sound, middles, 800)
    return {
        k: float(np.log(max(phone.end - phone.start, 0.01) / _USUAL[phone.symbol]))
        + _PER_DECIBEL * float(level)
        + _REDUCED.get(phone.symbol, 0.0)
        + (_ENDING.get(phone.symbol, 0.0) if k == len(word.phones) - 1 else 0.0)
        + (_FIRST if k == vowels[0] else 0.0)
        for k, phone, level in zip(vowels, phones, levels, strict=True)
    }
