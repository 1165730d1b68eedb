"""Phones of words that are written in the letters of the International Phonetic Alphabet."""

# ruff: noqa: RUF001, RUF002
# Letters of the IPA look like others on purpose.

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["phones_of_ipa"]

# The sounds of espeak-ng's en-us voice in the letters of the IPA; longer ones are looked for first.
_IPA: Mapping[str, tuple[str, ...]] = {
    "tʃ": ("CH",), "dʒ": ("JH",), "aɪ": ("AY",), "aʊ": ("AW",), "eɪ": ("EY",), "oʊ": ("OW",),
    "əʊ": ("OW",), "ɔɪ": ("OY",), "ɔː": ("AO",), "oː": ("AO",), "ɑː": ("AA",), "iː": ("IY",),
    "uː": ("UW",), "ɜː": ("ER",), "eː": ("EY",), "aː": ("AA",), "ɛː": ("EH",), "ɚ": ("ER",),
    "ɝ": ("ER",), "əl": ("AH", "L"), "p": ("P",), "b": ("B",), "t": ("T",), "d": ("D",),
    "k": ("K",), "g": ("G",), "ɡ": ("G",), "f": ("F",), "v": ("V",), "θ": ("TH",), "ð": ("DH",),
    "s": ("S",), "z": ("Z",), "ʃ": ("SH",), "ʒ": ("ZH",), "h": ("HH",), "m": ("M",), "n": ("N",),
    "ŋ": ("NG",), "l": ("L",), "ɫ": ("L",), "r": ("R",), "ɹ": ("R",), "j": ("Y",), "w": ("W",),
    "ʍ": ("W",), "ɾ": ("T",), "ʔ": ("T",), "x": ("K",), "ç": ("HH",), "ɬ": ("L",), "ɲ": ("N", "Y"),
    "i": ("IY",), "ɪ": ("IH",), "e": ("EH",), "ɛ": ("EH",), "æ": ("AE",), "a": ("AE",),
    "ɐ": ("AH",), "ə": ("AH",), "ʌ": ("AH",), "ᵻ": ("IH",), "ɨ": ("IH",), "ɑ": ("AA",),
    "ɒ": ("AA",), "ɔ": ("AO",), "o": ("OW",), "u": ("UW",), "ʊ": ("UH",), "y": ("UW",),
    "ø": ("ER",), "œ": ("ER",), "ɜ": ("ER",),
}  # fmt: skip
_IPA_PATTERN = re.compile("|".join(sorted(_IPA, key=len, reverse=True)))


def phones_of_ipa(ipa: str) -> tuple[str, ...]:
    """The phones of a word that is written in the letters of the IPA; unknown letters are passed.

    `phones_of_ipa("dʒˈʌdʒ")` is ``("JH", "AH", "JH")``. Length and stress are not kept. The letters
    are those of espeak-ng's voices of English; vowels of other languages become the nearest phone.
    """
    plain = re.sub("[ˈˌ\u0329\u0303_ ]", "", ipa)
    phones = chain.from_iterable(_IPA[match[0]] for match in _IPA_PATTERN.finditer(plain))
    return tuple(phones)
