"""Fuzzy search: how well a few letters fit a text."""

from __future__ import annotations

__all__ = ["fit", "marked"]

_START, _FOLLOWING, _ANYWHERE = 8.0, 6.0, 1.0
_GAP = 0.15


def fit(query: str, text: str) -> float | None:
    """How well a query fits: its letters in their order, best at the beginnings of words.

    Parameters
    ----------
    query
        What was typed; words may come in any order.
    text
        What it may mean.

    Returns
    -------
    score
        The higher the better; None where it does not fit. An empty query fits everything, with 0.
    """
    total = 0.0
    for word in query.lower().split():
        places = _places(word, text.lower())
        if places is None:
            return None
        total += _score(places, text)
    # Of two texts that fit alike, the shorter one is meant.
    return total - 0.01 * len(text) if total else 0.0


def marked(query: str, text: str) -> list[int]:
    """Where the letters of a query stand in a text that it fits."""
    found: set[int] = set()
    for word in query.lower().split():
        found.update(_places(word, text.lower()) or ())
    return sorted(found)


def _places(word: str, text: str) -> list[int] | None:
    """Where a word's letters stand: in one piece, if that can be, else as early as can be."""
    start = _piece(word, text)
    if start >= 0:
        return list(range(start, start + len(word)))
    places, at = [], 0
    for letter in word:
        # The beginning of a word is likelier meant than the middle of the present one.
        begin = _beginning(letter, text, at)
        follows = bool(places) and at < len(text) and text[at] == letter
        here = at if follows else begin if begin >= 0 else text.find(letter, at)
        if here < 0:
            return _plain(word, text)
        places.append(here)
        at = here + 1
    return places


def _plain(word: str, text: str) -> list[int] | None:
    places, at = [], 0
    for letter in word:
        here = text.find(letter, at)
        if here < 0:
            return None
        places.append(here)
        at = here + 1
    return places


def _piece(word: str, text: str) -> int:
    """Where the word stands in one piece, at the beginning of a word if it does so anywhere."""
    at = text.find(word)
    first = at
    while at >= 0:
        if _begins(text, at):
            return at
        at = text.find(word, at + 1)
    return first


def _beginning(letter: str, text: str, at: int) -> int:
    while True:
        at = text.find(letter, at)
        if at < 0 or _begins(text, at):
            return at
        at += 1


def _begins(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def _score(places: list[int], text: str) -> float:
    score, before = 0.0, -1
    lower = text.lower()
    for place in places:
        if _begins(lower, place):
            score += _START
        elif place == before + 1:
            score += _FOLLOWING
        else:
            score += _ANYWHERE
        if before >= 0:
            score -= _GAP * (place - before - 1)
        before = place
    return score
