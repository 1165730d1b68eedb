"""A long transcript cut where it surely can be: anchors between what was heard and what is written.

The idea is that of Moreno, Joerg, Van Thong and Glickman, "A recursive algorithm for the forced
alignment of very long audio segments" (ICSLP 1998): recognise with a language model of the
transcript alone, match the words heard with those written, and trust the places where both agree.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["arpa_model", "matching_words"]

_DISCOUNT = 0.5
_ANCHOR = 3
"""Words in a row that are found once in either text."""
_MOST_COMPARED = 4_000_000
"""Pairs of words between two anchors that are compared; a larger gap is left unmatched."""


def arpa_model(words: Sequence[str]) -> str:
    """A bigram language model of a text, in the ARPA format, with absolute discounting.

    The model may begin and end anywhere in the text (Ney, Essen and Kneser, "On structuring
    probabilistic dependences in stochastic language modelling", Computer Speech and Language 8,
    1994).
    """
    counts = Counter(words)
    total = sum(counts.values())
    single = {word: 0.95 * count / total for word, count in counts.items()}
    single["</s>"] = 0.05
    followers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one, other in pairwise(words):
        followers[one][other] += 1
    rest = {}
    pairs = []
    for one, after in followers.items():
        seen = sum(after.values())
        freed = _DISCOUNT * len(after) / seen
        unseen = 1.0 - sum(single[other] for other in after)
        rest[one] = freed / max(unseen, 1e-6)
        pairs += [
            f"{math.log10((count - _DISCOUNT) / seen):.4f} {one} {other}\n"
            for other, count in after.items()
        ]
    lines = [f"\n\\data\\\nngram 1={len(single) + 1}\nngram 2={len(pairs)}\n\n\\1-grams:\n"]
    lines.append("-99.0000 <s> 0.0000\n")
    lines += [
        f"{math.log10(share):.4f} {word} {math.log10(rest.get(word, 1.0)):.4f}\n"
        for word, share in single.items()
    ]
    return "".join([*lines, "\n\\2-grams:\n", *pairs, "\n\\end\\\n"])


def matching_words(heard: Sequence[str], written: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of places at which two texts have the same word, both rising.

    Triples of words that occur once in either text are anchors; between them the longest common
    stretches are taken.
    """
    pairs: list[tuple[int, int]] = []
    start = (0, 0)
    for anchor in [*_anchors(heard, written), (len(heard), len(written))]:
        if anchor[0] < start[0] or anchor[1] < start[1]:
            continue  # overlaps the anchor before, by which it is matched already
        pairs += _between(heard, written, start, anchor)
        length = _ANCHOR if anchor[0] < len(heard) else 0
        pairs += [(anchor[0] + k, anchor[1] + k) for k in range(length)]
        start = (anchor[0] + length, anchor[1] + length)
    return pairs


def _anchors(heard: Sequence[str], written: Sequence[str]) -> list[tuple[int, int]]:
    """Starts of the triples that are unique in both, in an order that rises in both."""
    ours, theirs = _unique(heard), _unique(written)
    both = sorted((place, theirs[triple]) for triple, place in ours.items() if triple in theirs)
    # The longest rising subsequence of the second places, by patience sorting.
    tops: list[int] = []
    top_items: list[int] = []
    before = [-1] * len(both)
    for item, (_, place) in enumerate(both):
        pile = bisect_left(tops, place)
        before[item] = top_items[pile - 1] if pile else -1
        if pile == len(tops):
            tops.append(place)
            top_items.append(item)
        else:
            tops[pile], top_items[pile] = place, item
    chain = []
    item = top_items[-1] if top_items else -1
    while item >= 0:
        chain.append(both[item])
        item = before[item]
    return chain[::-1]


def _unique(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    triples = list(_triples(words))
    counts = Counter(triples)
    return {triple: place for place, triple in enumerate(triples) if counts[triple] == 1}


def _triples(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[k:] for k in range(_ANCHOR)), strict=False)


def _between(
    heard: Sequence[str], written: Sequence[str], start: tuple[int, int], stop: tuple[int, int]
) -> Iterable[tuple[int, int]]:
    one, other = heard[start[0] : stop[0]], written[start[1] : stop[1]]
    if len(one) * len(other) > _MOST_COMPARED:
        return
    for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            yield start[0] + block.a + k, start[1] + block.b + k
