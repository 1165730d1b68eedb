"""Fruit and vegetables: whole, sliced, chopped, and several together."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.garden import (
    Whole,
    apple,
    avocado,
    ball,
    banana,
    carrot,
    coconut,
    cucumber,
    eggplant,
    lemon,
    onion,
    pear,
    pepper,
    pieces,
    potato,
    pumpkin,
    slice_of,
    slices,
    strawberry,
    tomato,
    watermelon,
)
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    group,
)

_FRUIT, _VEGETABLE = "fruit", "vegetable"


def produce(
    name: str,
    *words: str,
    kind: str,
    skins: tuple[str, ...],
    flesh: tuple[float, float, float],
    whole: Whole,
    radius: float = 0.04,
    seeds: tuple[float, float, float] | None = None,
    features: tuple[str, ...] = (),
    adjectives: tuple[str, ...] = (),
    plural: str = "",
) -> None:
    """Declare one fruit or vegetable: whole, in slices, chopped, and several together."""
    many = plural or f"{name}s"
    inside, pips = Paint(flesh), None if seeds is None else Paint(seeds)

    @family(name, *words, kind=kind)
    def _one(kit: Kit) -> Drawn:
        skin = kit.color(*skins)
        body = group(whole(kit, skin)).turn(y=kit.between(0, 360))
        return Drawn([body], skin, "", ("fresh", *adjectives), features)

    @family(f"sliced {name}", kind=kind)
    def _sliced(kit: Kit) -> Drawn:
        skin = kit.color(*skins)
        parts, word = slices(
            kit, slice_of(radius, radius * 0.28, skin, inside, pips), radius * 0.28, radius
        )
        called = f"slice of {name}" if word == "slice" else f"slices of {name}"
        return Drawn(
            parts, None, "", ("round", "fresh"), (), (called, f"{name} {word}"), (), {"skin": skin}
        )

    @family(
        f"chopped {name}", f"{name} pieces", f"diced {name}", f"{name} cut in pieces", kind=kind
    )
    def _chopped(kit: Kit) -> Drawn:
        skin = kit.color(*skins)
        return Drawn(
            pieces(kit, skin, radius * 0.5, inside),
            None,
            "",
            ("cut",),
            ("a heap of cubes",),
            (),
            (),
            {"skin": skin},
        )

    @family(f"pile of {many}", f"several {many}", f"heap of {many}", kind=kind)
    def _pile(kit: Kit) -> Drawn:
        skin, count = kit.color(*skins), kit.count(3, 6)
        kinds = [group(whole(kit, skin)) for _ in range(2)]
        parts = []
        for i in range(count):
            one = kinds[i % 2].turn(y=kit.between(0, 360))
            spread = float(np.ptp(one.vertices[:, [0, 2]], axis=0).max()) * 0.62
            angle = 2 * np.pi * i / min(count, 5)
            rest = -float(one.vertices[:, 1].min())
            if i < 5:
                parts.append(one.move(spread * np.cos(angle), rest, spread * np.sin(angle)))
            else:
                parts.append(one.move(y=rest + 0.5 * float(np.ptp(one.vertices[:, 1]))))
        number = ("three", "four", "five", "six")[count - 3]
        return Drawn(parts, skin, "", ("fresh",), (), (f"{number} {many}", many))

    _ = (_one, _sliced, _chopped, _pile)


produce(
    "apple",
    "fresh apple",
    "ripe apple",
    kind=_FRUIT,
    skins=("red", "green", "yellow", "red", "light green"),
    flesh=(0.97, 0.93, 0.78),
    whole=apple,
    features=("a stem",),
    adjectives=("round",),
    seeds=(0.35, 0.2, 0.12),
)


produce(
    "pear",
    "ripe pear",
    kind=_FRUIT,
    skins=("green", "yellow", "light green", "light brown"),
    flesh=(0.97, 0.95, 0.82),
    whole=pear,
    features=("a stem",),
    radius=0.036,
)


produce(
    "orange",
    "orange fruit",
    "mandarin",
    "citrus fruit",
    kind=_FRUIT,
    skins=("orange",),
    flesh=(0.99, 0.72, 0.3),
    whole=ball(0.042),
    adjectives=("round",),
)


produce(
    "lemon",
    "citrus fruit",
    kind=_FRUIT,
    skins=("yellow",),
    flesh=(0.99, 0.95, 0.6),
    whole=lemon,
    radius=0.03,
    adjectives=("sour",),
)


produce(
    "lime",
    "green citrus fruit",
    kind=_FRUIT,
    skins=("green", "light green"),
    flesh=(0.85, 0.94, 0.6),
    whole=lemon,
    radius=0.03,
    adjectives=("sour",),
)


produce(
    "peach",
    "apricot",
    "nectarine",
    kind=_FRUIT,
    skins=("orange", "pink"),
    flesh=(0.98, 0.8, 0.45),
    whole=ball(0.04, 0.94),
    adjectives=("round", "juicy"),
    plural="peaches",
)


produce(
    "plum",
    "ripe plum",
    kind=_FRUIT,
    skins=("purple", "dark blue"),
    flesh=(0.95, 0.75, 0.4),
    whole=ball(0.03, 1.05),
    radius=0.03,
)


produce(
    "tomato",
    "red tomato",
    "ripe tomato",
    kind=_VEGETABLE,
    skins=("red", "red", "red", "orange"),
    flesh=(0.92, 0.42, 0.33),
    whole=tomato,
    features=("green leaves on top",),
    adjectives=("round",),
    seeds=(0.95, 0.82, 0.5),
    plural="tomatoes",
)


produce(
    "onion",
    "bulb onion",
    kind=_VEGETABLE,
    skins=("light brown", "purple", "white", "orange"),
    flesh=(0.96, 0.94, 0.88),
    whole=onion,
    adjectives=("round",),
)


produce(
    "carrot",
    "raw carrot",
    kind=_VEGETABLE,
    skins=("orange",),
    flesh=(0.97, 0.66, 0.3),
    whole=carrot,
    radius=0.022,
    features=("green leaves",),
    adjectives=("long", "pointed"),
)


produce(
    "potato",
    "raw potato",
    "spud",
    kind=_VEGETABLE,
    skins=("light brown", "brown", "beige"),
    flesh=(0.96, 0.88, 0.62),
    whole=potato,
    adjectives=("lumpy",),
    plural="potatoes",
)


produce(
    "cucumber",
    "green cucumber",
    "pickle",
    "gherkin",
    kind=_VEGETABLE,
    skins=("green", "dark green"),
    flesh=(0.82, 0.92, 0.66),
    whole=cucumber,
    radius=0.022,
    adjectives=("long",),
    seeds=(0.95, 0.95, 0.8),
)


produce(
    "bell pepper",
    "pepper",
    "paprika",
    "capsicum",
    kind=_VEGETABLE,
    skins=("red", "yellow", "green", "orange"),
    flesh=(0.95, 0.85, 0.6),
    whole=pepper,
    radius=0.036,
    features=("a green stem",),
)


produce(
    "eggplant",
    "aubergine",
    kind=_VEGETABLE,
    skins=("purple", "purple", "dark blue"),
    flesh=(0.93, 0.9, 0.72),
    whole=eggplant,
    radius=0.038,
    features=("a green cap",),
    seeds=(0.7, 0.62, 0.4),
)


produce(
    "pumpkin",
    "squash",
    "halloween pumpkin",
    kind=_VEGETABLE,
    skins=("orange", "orange", "yellow", "dark green"),
    flesh=(0.97, 0.75, 0.35),
    whole=pumpkin,
    radius=0.09,
    features=("a stem", "ribs"),
    adjectives=("big", "round"),
)


produce(
    "avocado",
    "ripe avocado",
    kind=_FRUIT,
    skins=("dark green", "green"),
    flesh=(0.86, 0.9, 0.52),
    whole=avocado,
    radius=0.034,
)


produce(
    "banana",
    "ripe banana",
    kind=_FRUIT,
    skins=("yellow",),
    flesh=(0.98, 0.95, 0.78),
    whole=banana,
    radius=0.018,
    adjectives=("curved",),
)


produce(
    "strawberry",
    "ripe strawberry",
    "berry",
    kind=_FRUIT,
    skins=("red",),
    flesh=(0.97, 0.75, 0.68),
    whole=strawberry,
    radius=0.026,
    features=("small seeds", "green leaves"),
    plural="strawberries",
)


produce(
    "watermelon",
    "water melon",
    "melon",
    kind=_FRUIT,
    skins=("green", "light green"),
    flesh=(0.9, 0.28, 0.3),
    whole=watermelon,
    radius=0.1,
    seeds=(0.12, 0.1, 0.1),
    features=("dark stripes",),
    adjectives=("big",),
)


produce(
    "coconut",
    "coco nut",
    kind=_FRUIT,
    skins=("brown", "dark brown"),
    flesh=(0.97, 0.96, 0.93),
    whole=coconut,
    radius=0.055,
    adjectives=("round", "hairy"),
)
