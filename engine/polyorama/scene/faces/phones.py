"""Phones on a track: what is said, and when."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from polyorama.errors import UsageError

__all__ = ["PHONES", "SILENCE", "VISEMES", "Phone", "PhoneTrack", "Word", "viseme_of"]

SILENCE = "sil"

_VISEME_PHONES = {
    "sil": ("sil",), "PP": ("P", "B", "M"), "FF": ("F", "V"), "TH": ("TH", "DH"), "DD": ("T", "D"),
    "kk": ("K", "G", "NG", "HH"), "CH": ("CH", "JH", "SH", "ZH"), "SS": ("S", "Z"),
    "nn": ("N", "L"), "RR": ("R", "ER"), "aa": ("AA", "AE", "AH", "AY", "AW"), "E": ("EH", "EY"),
    "I": ("IH", "IY", "Y"), "O": ("AO", "OW", "OY"), "U": ("UH", "UW", "W"),
}  # fmt: skip

VISEMES: tuple[str, ...] = tuple(_VISEME_PHONES)
"""Fifteen classes of mouth shapes, silence first."""

_VISEME = {phone: viseme for viseme, phones in _VISEME_PHONES.items() for phone in phones}

PHONES: tuple[str, ...] = tuple(_VISEME)
"""ARPABET's 39 phones as in cmudict, without stress, and silence (first)."""


def viseme_of(phone: str) -> str:
    """The viseme that shows a phone.

    Raises
    ------
    KeyError
        If it is no phone of `PHONES`.
    """
    return _VISEME[phone]


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone and its time.

    Parameters
    ----------
    symbol
        One of `PHONES`.
    start, end
        s.
    stress
        0 none, 1 primary, 2 secondary; -1 where it is not known, or no vowel.
    """

    symbol: str
    start: float
    end: float
    stress: int = -1

    def __post_init__(self) -> None:
        if self.symbol not in _VISEME:
            raise UsageError(f"There is no phone {self.symbol!r}; phones are ARPABET's, or sil.")
        if not 0.0 <= self.start < self.end < 1e6:
            raise UsageError(f"A phone cannot last from {self.start} s to {self.end} s.")
        if self.stress not in (-1, 0, 1, 2):
            raise UsageError(f"Stress is 0, 1 or 2, or -1 where it is not known: {self.stress}.")


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its time, s."""

    text: str
    start: float
    end: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.start <= self.end < 1e6:
            raise UsageError(
                f"The word {self.text!r} cannot last from {self.start} s to {self.end} s."
            )


@dataclass(frozen=True, slots=True)
class PhoneTrack:
    """Phones in order, none over another; where none lies there is silence.

    Raises
    ------
    UsageError
        If phones overlap or are out of order.
    """

    phones: tuple[Phone, ...] = ()
    words: tuple[Word, ...] = ()

    def __post_init__(self) -> None:
        for one, other in pairwise(self.phones):
            if other.start < one.end - 1e-6:
                raise UsageError(
                    f"The phones {one.symbol} and {other.symbol} overlap at {other.start:.3f} s."
                )

    @property
    def seconds(self) -> float:
        """Where the last phone ends, s."""
        return self.phones[-1].end if self.phones else 0.0

    def at(self, time: float) -> Phone | None:
        """The phone that sounds at a time, s; None in silence that no phone marks."""
        place = bisect_right(self.phones, time, key=lambda phone: phone.start) - 1
        found = self.phones[place] if place >= 0 else None
        return found if found is not None and time < found.end else None
