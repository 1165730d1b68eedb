"""What is said of a shape: from the bare noun to its colours, materials, parts and proportions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["FEWEST", "MOST", "captions", "phrase", "with_article"]

FEWEST, MOST = 6, 12

_MASS = frozenset(
    {"bacon", "bread", "broccoli", "cabbage", "cheese", "chicken", "chocolate", "corn", "fish",
     "food", "furniture", "garlic", "grass", "ham", "ice", "jewellery", "ketchup", "lettuce",
     "mustard", "popcorn", "rice", "salad", "salmon", "scenery", "seafood", "sushi", "toast",
     "trash", "wood", "armor", "armour", "foliage", "hay", "lava", "sand", "snow", "treasure"}
)  # fmt: skip
"""Words for stuff, which take no article."""
_ONE = frozenset({"bus", "cactus", "compass", "cross", "glass", "grass", "lens", "octopus", "dress",
                  "wine glass", "hourglass", "canvas", "chess", "walrus", "hibiscus", "mattress",
                  "fortress", "hippopotamus", "atlas", "abacus", "platypus"})  # fmt: skip
"""End in s, and yet are one."""


_NUMBERS = frozenset({"two", "three", "four", "five", "six"})


def with_article(words: str) -> str:
    """The words with "a" or "an" where they take one: "an armchair", "stairs", "bread"."""
    last = words.split(" with ")[0].split(" of ")[0].split(" on ")[0].split(" in ")[0].split()[-1]
    plural = last.endswith("s") and not last.endswith("ss") and last not in _ONE
    if plural or last in _MASS or words.split()[0] in {"a", "an", "the", "half", *_NUMBERS}:
        return words
    vowel = words[0].lower() in "aeiou" and not words.startswith(("uni", "use", "one", "ute", "uk"))
    return f"{'an' if vowel else 'a'} {words}"


def phrase(*words: str) -> str:
    """Adjectives and a noun in a row, numbers first; empty ones and what the noun says go."""
    noun = words[-1].split()
    row = [word for word in words[:-1] if word and word not in noun]
    if noun and noun[0] in _NUMBERS:
        row, noun = [noun[0], *row], noun[1:]
    return " ".join([*row, *noun])


def captions(
    rng: np.random.Generator,
    words: Sequence[str],
    *,
    color: str = "",
    material: str = "",
    adjectives: Sequence[str] = (),
    parts: Sequence[str] = (),
    sentences: Sequence[str] = (),
    kind: str = "",
    look: str = "",
) -> tuple[str, ...]:
    """Six to twelve different captions of one shape.

    Parameters
    ----------
    words
        The noun and its synonyms, the most usual first.
    color, material
        Adjectives such as "dark red" and "wooden", or "".
    adjectives
        More of them, true of this shape: "tall", "round", "cosy".
    parts
        What it has, to follow "with": "four legs", "red cushions".
    sentences
        Whole captions of the family's own.
    kind
        A wider word, such as "piece of furniture"; seldom said.
    look
        What its style is called: "low poly", "untextured".
    """

    def one(options: Sequence[str]) -> str:
        return options[int(rng.integers(len(options)))] if options else ""

    noun = words[0]
    first = [noun, *sentences]
    if color:
        first.append(phrase(color, noun))
    if material:
        first.append(phrase(material, noun))
    if parts:
        first.append(with_article(f"{phrase(color, noun)} with {one(parts)}"))
    first.append(one(words))
    others: list[str] = [*words[1:], with_article(noun), f"3d model of {with_article(noun)}"]
    others += [phrase(adjective, one(words)) for adjective in adjectives]
    for _ in range(4):
        described = phrase(
            one([*adjectives, ""]), one([color, ""]), one([material, ""]), one(words)
        )
        shown = list(rng.permutation(list(parts))[: int(rng.integers(0, 3))]) if parts else []
        tail = f" with {' and '.join(shown)}" if shown else ""
        others.append(with_article(described + tail))
        others.append(phrase(one([*adjectives, ""]), color, material, one(words)) + tail)
    if look:
        others.append(phrase(look, one([color, material, ""]), noun))
    others.append(f"{one(['game asset', 'asset', 'prop'])}: {phrase(one([color, '']), noun)}")
    others.append(f"{noun} {one(['model', 'asset', 'prop'])}")
    if kind and rng.random() < 0.25:
        first.append(with_article(phrase(one([color, material, ""]), kind)))
    mixed = [others[i] for i in rng.permutation(len(others))]
    corrected = (re.sub(r"\ba (?=[aeio])", "an ", text) for text in [*first, *mixed])
    return tuple(dict.fromkeys(corrected))[:MOST]
