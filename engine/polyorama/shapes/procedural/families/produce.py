"""Fruit and vegetables: whole, halved, sliced, chopped, and in crates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polyorama.shapes.procedural.families.decoration import leaf
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    arc,
    bar,
    blob,
    box,
    capsule,
    cone,
    cylinder,
    group,
    lathe,
    prism,
    sphere,
    sweep,
    torus,
)

_FRUIT, _VEGETABLE = "fruit", "vegetable"
_STALK = Paint((0.42, 0.28, 0.16))


def slice_of(
    radius: float, thick: float, skin: Paint, flesh: Paint, seeds: Paint | None = None
) -> Part:
    """A round slice with its rind, on y = 0; seeds lie in a ring."""
    parts = [
        cylinder(radius, thick, skin, segments=14),
        cylinder(radius * 0.88, thick * 1.08, flesh, (0, -thick * 0.04, 0), segments=14),
    ]
    if seeds:
        parts += [
            sphere(
                (radius * 0.1, thick * 0.1, radius * 0.17),
                seeds,
                (0, thick * 1.04, radius * 0.5),
                segments=5,
            ).turn(y=60 * i)
            for i in range(6)
        ]
    return group(parts)


def slices(kit: Kit, one: Part, thick: float, radius: float) -> tuple[list[Part], str]:
    """One slice, or several that lean on each other; and the word for them."""
    count = kit.pick(1, 3, 4, 5)
    if count == 1:
        return [one.turn(x=kit.pick(0.0, 75.0))], "slice"
    return [
        one.turn(z=-22).move(
            i * radius * 0.8, i * thick * 0.15 + 0.3 * radius, kit.between(-0.1, 0.1) * radius
        )
        for i in range(count)
    ], "slices"


def pieces(kit: Kit, color: Paint, size: float, inner: Paint | None = None) -> list[Part]:
    """A heap of chopped pieces."""
    parts = []
    for i in range(kit.count(7, 12)):
        r = size * 1.1 * float(np.sqrt(i + 0.3)) * 0.75
        paint = inner if inner is not None and i % 2 else color
        cube = box((size, size * 0.8, size), paint, bevel=size * 0.12).turn(y=kit.between(0, 90))
        parts.append(
            cube.move(r * np.cos(i * 2.4), 0 if i > 3 else size * 0.6, r * np.sin(i * 2.4))
        )
    return parts


Whole = Callable[[Kit, Paint], list[Part]]


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
    """Declare the families of one fruit or vegetable: whole, in slices, chopped, and several together."""
    many = plural or f"{name}s"
    inside, pips = Paint(flesh), None if seeds is None else Paint(seeds)

    @family(name, *words, kind=kind)
    def _one(kit: Kit) -> Drawn:
        skin = kit.color(*skins)
        body = group(whole(kit, skin)).turn(y=kit.between(0, 360))
        return Drawn([body], skin, "", ("fresh", *adjectives), features)

    @family(f"sliced {name}", f"slices of {name}", f"{name} slice", kind=kind)
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
        parts = []
        for i in range(count):
            one = group(whole(kit, skin)).turn(y=kit.between(0, 360))
            spread = np.ptp(one.vertices[:, [0, 2]], axis=0).max() * 0.62
            a = 2 * np.pi * i / min(count, 5)
            at = (
                (spread * np.cos(a), 0.0, spread * np.sin(a))
                if i < 5
                else (0.0, 0.5 * float(np.ptp(one.vertices[:, 1])), 0.0)
            )
            parts.append(one.move(*at))
        number = ("three", "four", "five", "six")[count - 3]
        return Drawn(parts, skin, "", ("fresh",), (), (f"{number} {many}", many))

    _ = (_one, _sliced, _chopped, _pile)


def _stalk_and_leaf(kit: Kit, height: float) -> list[Part]:
    parts = [bar((0, height - 0.008, 0), (0.006, height + 0.018, 0), 0.003, _STALK)]
    if kit.chance(0.6):
        parts.append(
            sphere((0.016, 0.003, 0.008), (0.35, 0.6, 0.25), (0.02, height + 0.012, 0), segments=6)
        )
    return parts


def _apple(kit: Kit, skin: Paint) -> list[Part]:
    body = lathe(
        [
            (0, 0.006),
            (0.018, 0),
            (0.036, 0.02),
            (0.042, 0.045),
            (0.032, 0.07),
            (0.014, 0.074),
            (0, 0.064),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [body, *_stalk_and_leaf(kit, 0.07)]


def _pear(kit: Kit, skin: Paint) -> list[Part]:
    body = lathe(
        [
            (0, 0.003),
            (0.02, 0),
            (0.04, 0.03),
            (0.034, 0.058),
            (0.019, 0.085),
            (0.013, 0.102),
            (0, 0.106),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [body, *_stalk_and_leaf(kit, 0.106)]


def _ball(radius: float, squash: float = 1.0) -> Whole:
    def whole(kit: Kit, skin: Paint) -> list[Part]:
        body = sphere(
            (radius, radius * squash, radius),
            skin,
            (0, radius * squash, 0),
            segments=max(8, kit.segments),
        )
        return [body, *_stalk_and_leaf(kit, 2 * radius * squash - 0.004)]

    return whole


def _lemon(kit: Kit, skin: Paint) -> list[Part]:
    body = lathe(
        [
            (0, 0),
            (0.006, 0.003),
            (0.01, 0.012),
            (0.03, 0.035),
            (0.03, 0.055),
            (0.011, 0.08),
            (0.006, 0.09),
            (0, 0.093),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [body.turn(z=kit.pick(0.0, 90.0)).move(y=0.03)]


def _tomato(kit: Kit, skin: Paint) -> list[Part]:
    body = sphere((0.04, 0.033, 0.04), skin, (0, 0.033, 0), segments=max(8, kit.segments))
    leaves = [
        cone(0.006, 0.028, (0.3, 0.55, 0.22), segments=4)
        .turn(z=-78)
        .turn(y=72 * i)
        .move(0, 0.064, 0)
        for i in range(5)
    ]
    return [body, *leaves, bar((0, 0.062, 0), (0, 0.076, 0), 0.003, (0.3, 0.5, 0.22))]


def _onion(kit: Kit, skin: Paint) -> list[Part]:
    body = lathe(
        [
            (0, 0),
            (0.012, 0.002),
            (0.036, 0.018),
            (0.04, 0.035),
            (0.026, 0.055),
            (0.009, 0.068),
            (0.005, 0.088),
            (0, 0.09),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [
        body,
        *[
            bar(
                (0.003 * i, 0.003, 0),
                (0.007 * i, -0.006, 0.004),
                0.0015,
                (0.85, 0.78, 0.6),
                segments=4,
            )
            for i in (-1, 0, 1)
        ],
    ]


def _carrot(kit: Kit, skin: Paint) -> list[Part]:
    long = kit.between(0.14, 0.2)
    body = lathe(
        [
            (0, 0),
            (0.006, 0.01),
            (0.016, long * 0.5),
            (0.024 * min(kit.chunk, 1.2), long * 0.92),
            (0.014, long),
            (0, long),
        ],
        skin,
        segments=max(7, kit.segments),
    )
    tops = [
        leaf(0.08, 0.018, Paint((0.3, 0.6, 0.25)), 30)
        .turn(x=18)
        .turn(y=90 * i)
        .move(0, long - 0.004, 0)
        for i in range(4)
    ]
    return [group([body, *tops]).turn(z=kit.pick(0.0, 90.0, 90.0)).turn(y=kit.between(-25, 25))]


def _potato(kit: Kit, skin: Paint) -> list[Part]:
    return [
        blob((0.05, 0.034, 0.036), skin, kit.rng, (0, 0.032, 0), rough=0.09, detail=kit.pick(1, 2))
    ]


def _cucumber(kit: Kit, skin: Paint) -> list[Part]:
    return [
        group([capsule(0.022, 0.19, skin, segments=max(8, kit.segments)).bend(kit.between(0, 25))])
        .turn(z=90)
        .move(0.095, 0.022)
    ]


def _pepper(kit: Kit, skin: Paint) -> list[Part]:
    lobes = [
        sphere(
            (0.026, 0.042, 0.026), skin, (0.018 * np.cos(a), 0.042, 0.018 * np.sin(a)), segments=8
        )
        for a in (0.4, 1.97, 3.54, 5.11)
    ]
    return [*lobes, bar((0, 0.072, 0), (0.006, 0.102, 0), 0.006, (0.3, 0.5, 0.22))]


def _eggplant(kit: Kit, skin: Paint) -> list[Part]:
    body = lathe(
        [
            (0, 0),
            (0.025, 0.006),
            (0.04, 0.04),
            (0.033, 0.085),
            (0.022, 0.12),
            (0.012, 0.135),
            (0, 0.137),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    cap = [
        cone(0.026, 0.03, (0.32, 0.52, 0.25), (0, 0.115, 0), segments=6),
        bar((0, 0.135, 0), (0.008, 0.165, 0), 0.006, (0.3, 0.5, 0.22)),
    ]
    return [group([body, *cap]).turn(z=kit.pick(0.0, 85.0)).move(y=0.0)]


def _pumpkin(kit: Kit, skin: Paint) -> list[Part]:
    count = kit.count(7, 9)
    ribs = [
        sphere((0.055, 0.075, 0.05), skin, segments=8)
        .move(0.06)
        .turn(y=360 * i / count)
        .move(y=0.075)
        for i in range(count)
    ]
    return [*ribs, bar((0, 0.13, 0), (0.015, 0.185, 0), 0.016, (0.35, 0.45, 0.2), top=0.01)]


def _avocado(kit: Kit, skin: Paint) -> list[Part]:
    profile = [(0, 0.0), (0.022, 0.004), (0.036, 0.03), (0.03, 0.06), (0.016, 0.088), (0, 0.096)]
    return [lathe(profile, skin, segments=max(8, kit.segments))]


def _banana_body(kit: Kit, skin: Paint) -> Part:
    angles = np.radians(np.linspace(200, 340, 9))
    path = np.stack([0.1 * np.cos(angles), 0.1 * np.sin(angles), 0 * angles], 1)
    radius = np.array([0.006, 0.013, 0.018, 0.0195, 0.02, 0.0195, 0.018, 0.012, 0.005]) * min(
        kit.chunk, 1.3
    )
    tips = [
        sphere(0.007, (0.3, 0.22, 0.12), tuple(path[0]), segments=5),
        sphere(0.006, (0.3, 0.22, 0.12), tuple(path[-1]), segments=5),
    ]
    return group([sweep(path, radius.tolist(), skin, segments=6), *tips]).move(y=0.115)


def _banana(kit: Kit, skin: Paint) -> list[Part]:
    return [_banana_body(kit, skin)]


def _strawberry(kit: Kit, skin: Paint) -> list[Part]:
    body = lathe(
        [(0, 0), (0.01, 0.004), (0.026, 0.03), (0.027, 0.044), (0.016, 0.053), (0, 0.054)],
        skin,
        segments=max(8, kit.segments),
    )
    seeds = [
        sphere(0.002, (0.97, 0.85, 0.45), (r * np.cos(i * 2.4), y, r * np.sin(i * 2.4)), segments=4)
        for i in range(14)
        for y, r in [(0.01 + 0.0026 * i, 0.0125 + 0.00125 * i if i < 11 else 0.0262)]
    ]
    leaves = [
        cone(0.005, 0.022, (0.3, 0.58, 0.22), segments=4)
        .turn(z=-80)
        .turn(y=60 * i)
        .move(0, 0.054, 0)
        for i in range(6)
    ]
    return [group([body, *seeds, *leaves]).turn(z=kit.pick(0.0, 180.0, 70.0))]


def _watermelon(kit: Kit, skin: Paint) -> list[Part]:
    body = sphere((0.15, 0.12, 0.12), skin, (0, 0.12, 0), segments=14)
    angles = np.linspace(-np.pi / 2 + 0.15, np.pi / 2 - 0.15, 9)
    stripes = []
    for i in range(8):
        turn = 2 * np.pi * i / 8
        path = np.stack(
            [
                0.149 * np.sin(angles),
                0.12 + 0.1195 * np.cos(angles) * np.cos(turn),
                0.1195 * np.cos(angles) * np.sin(turn),
            ],
            1,
        )
        stripes.append(sweep(path, 0.007, (0.13, 0.3, 0.15), segments=5))
    return [body, *stripes]


def _coconut(kit: Kit, skin: Paint) -> list[Part]:
    return [
        sphere((0.06, 0.062, 0.06), skin, (0, 0.06, 0), segments=max(10, kit.segments)),
        *[
            sphere(0.007, (0.2, 0.13, 0.08), (x, 0.118, z), segments=6)
            for x, z in ((0.012, 0), (-0.009, 0.01), (-0.009, -0.01))
        ],
    ]


produce(
    "apple",
    "fresh apple",
    "ripe apple",
    kind=_FRUIT,
    skins=("red", "green", "yellow", "red", "light green"),
    flesh=(0.97, 0.93, 0.78),
    whole=_apple,
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
    whole=_pear,
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
    whole=_ball(0.042),
    adjectives=("round",),
)
produce(
    "lemon",
    "citrus fruit",
    kind=_FRUIT,
    skins=("yellow",),
    flesh=(0.99, 0.95, 0.6),
    whole=_lemon,
    radius=0.03,
    adjectives=("sour",),
)
produce(
    "lime",
    "green citrus fruit",
    kind=_FRUIT,
    skins=("green", "light green"),
    flesh=(0.85, 0.94, 0.6),
    whole=_lemon,
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
    whole=_ball(0.04, 0.94),
    adjectives=("round", "juicy"),
    plural="peaches",
)
produce(
    "plum",
    "ripe plum",
    kind=_FRUIT,
    skins=("purple", "dark blue"),
    flesh=(0.95, 0.75, 0.4),
    whole=_ball(0.03, 1.05),
    radius=0.03,
)
produce(
    "tomato",
    "red tomato",
    "ripe tomato",
    kind=_VEGETABLE,
    skins=("red", "red", "red", "orange"),
    flesh=(0.92, 0.42, 0.33),
    whole=_tomato,
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
    whole=_onion,
    adjectives=("round",),
)
produce(
    "carrot",
    "raw carrot",
    kind=_VEGETABLE,
    skins=("orange",),
    flesh=(0.97, 0.66, 0.3),
    whole=_carrot,
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
    whole=_potato,
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
    whole=_cucumber,
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
    whole=_pepper,
    radius=0.036,
    features=("a green stem",),
)
produce(
    "eggplant",
    "aubergine",
    kind=_VEGETABLE,
    skins=("purple", "purple", "dark blue"),
    flesh=(0.93, 0.9, 0.72),
    whole=_eggplant,
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
    whole=_pumpkin,
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
    whole=_avocado,
    radius=0.034,
)
produce(
    "banana",
    "ripe banana",
    kind=_FRUIT,
    skins=("yellow",),
    flesh=(0.98, 0.95, 0.78),
    whole=_banana,
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
    whole=_strawberry,
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
    whole=_watermelon,
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
    whole=_coconut,
    radius=0.055,
    adjectives=("round", "hairy"),
)


@family("slice of watermelon", "watermelon wedge", "melon slice", kind=_FRUIT)
def _melon_wedge(kit: Kit) -> Drawn:
    rind, flesh = kit.color("green", "dark green"), kit.color("red", "red", "pink")
    half = np.array(arc(0.12, 180, 360, 12))
    thick = 0.03 * kit.chunk
    parts = [
        prism(half, thick, rind),
        prism(half * 0.94, thick * 1.04, (0.93, 0.95, 0.82)),
        prism(half * 0.88, thick * 1.08, flesh),
    ]
    parts += [
        sphere((0.004, 0.007, 0.003), (0.1, 0.08, 0.08), (x, y, s * thick * 0.54), segments=5)
        for s in (-1, 1)
        for x, y in ((-0.06, -0.03), (-0.02, -0.05), (0.03, -0.03), (0.06, -0.045), (0.0, -0.08))
    ]
    return Drawn(
        [group(parts).turn(z=kit.pick(0.0, 40.0, 180.0))],
        flesh,
        "",
        ("juicy",),
        ("seeds", f"a {kit.say(rind, 'rind')}"),
        paints={"rind": rind},
    )


@family("avocado half", "halved avocado", "half an avocado", "avocado cut in half", kind=_FRUIT)
def _avocado_half(kit: Kit) -> Drawn:
    skin, flesh, stone = kit.color("dark green"), kit.color("light green"), kit.color("brown")
    around = np.linspace(0, 2 * np.pi, 17)[:-1]
    outline = np.stack(
        [0.034 * np.sin(around) * (1 + 0.3 * np.cos(around)), -0.05 * np.cos(around)], 1
    )
    parts = [
        prism(outline, 0.034, skin, bevel=0.008),
        prism(outline * 0.88, 0.035, flesh, (0, 0, 0.0015)),
        sphere((0.016, 0.016, 0.012), stone, (0, -0.012, 0.018), segments=10),
    ]
    return Drawn(
        [group(parts).turn(x=kit.pick(0.0, -70.0))],
        flesh,
        "",
        ("ripe",),
        (f"a {kit.say(stone, 'stone')}", f"{kit.say(skin, 'skin')}"),
        paints={"stone": stone, "skin": skin},
    )


@family("half coconut", "coconut half", "open coconut", "coconut bowl", kind=_FRUIT)
def _coconut_half(kit: Kit) -> Drawn:
    shell, flesh = kit.color("brown", "dark brown"), kit.color("white")
    parts = [
        lathe(
            [(0, 0), (0.035, 0.01), (0.06, 0.05), (0.055, 0.05), (0.032, 0.017), (0, 0.01)],
            shell,
            segments=14,
        ),
        lathe(
            [(0, 0.011), (0.031, 0.018), (0.0545, 0.05), (0.045, 0.05), (0.025, 0.025), (0, 0.02)],
            flesh,
            segments=14,
        ),
    ]
    return Drawn(
        [group(parts).turn(x=kit.pick(0.0, 35.0))],
        None,
        "",
        ("halved",),
        (kit.say(flesh, "flesh"),),
        paints={"shell": shell, "flesh": flesh},
    )


@family("bunch of bananas", "bananas", "banana bunch", kind=_FRUIT)
def _bananas(kit: Kit) -> Drawn:
    skin, count = kit.color("yellow", "yellow", "green"), kit.count(3, 5)
    one = _banana_body(kit, skin).move(0.094, -0.08)
    parts = [one.turn(y=(i - (count - 1) / 2) * 24, z=0) for i in range(count)]
    parts.append(sphere(0.014, (0.35, 0.26, 0.14), (0, 0.0, 0), segments=6))
    number = ("three", "four", "five")[count - 3]
    return Drawn(parts, skin, "", ("ripe",), (), ("bunch of bananas", f"{number} bananas"))


@family("grapes", "bunch of grapes", "grape vine", kind=_FRUIT)
def _grapes(kit: Kit) -> Drawn:
    skin = kit.color("purple", "green", "light green", "dark red", "dark blue")
    parts = []
    for row, (count, r) in enumerate(((1, 0.0), (3, 0.014), (5, 0.025), (7, 0.034), (6, 0.03))):
        for i in range(count):
            a = 2 * np.pi * i / count + row
            parts.append(
                sphere(
                    0.0135, skin, (r * np.cos(a), 0.0135 + 0.021 * row, r * np.sin(a)), segments=6
                )
            )
    parts += [
        bar((0, 0.09, 0), (0.005, 0.14, 0), 0.003, _STALK),
        leaf(0.05, 0.045, Paint((0.35, 0.58, 0.25)), 60).turn(x=60).turn(y=60).move(0.004, 0.12, 0),
    ]
    return Drawn(parts, skin, "", ("sweet",), ("a stem", "a leaf"))


@family("cherries", "cherry", "two cherries", "pair of cherries", kind=_FRUIT)
def _cherries(kit: Kit) -> Drawn:
    skin = kit.color("red", "dark red")
    parts = []
    for x in (-0.022, 0.022):
        parts += [
            sphere(0.018, skin, (x, 0.018, 0), segments=max(8, kit.segments)),
            sweep([(x, 0.034, 0), (x * 0.7, 0.06, 0), (0, 0.085, 0)], 0.002, (0.35, 0.5, 0.2)),
        ]
    parts.append(sphere((0.02, 0.003, 0.01), (0.33, 0.6, 0.25), (0.02, 0.086, 0), segments=6))
    return Drawn(parts, skin, "", ("sweet", "round"), ("stems", "a leaf"))


@family("pineapple", "ananas", "tropical fruit", kind=_FRUIT)
def _pineapple(kit: Kit) -> Drawn:
    skin, green = kit.color("orange", "yellow", "gold"), kit.color("green", "dark green")
    body = sphere((0.055, 0.085, 0.055), skin, (0, 0.083, 0), segments=max(8, kit.segments))
    parts = [body]
    for row in range(6):
        y = 0.035 + 0.02 * row
        r = 0.055 * float(np.sqrt(1 - ((y - 0.083) / 0.085) ** 2))
        parts += [
            cone(0.009, 0.01, skin, segments=4)
            .turn(z=-90)
            .move(r * 0.96)
            .turn(y=360 * i / 8 + 22 * row)
            .move(0, y, 0)
            for i in range(8)
        ]
    for ring, (count, tilt, long) in enumerate(((6, 45, 0.06), (5, 22, 0.08), (3, 5, 0.09))):
        parts += [
            leaf(long, 0.02, green, 25)
            .turn(x=tilt)
            .turn(y=360 * i / count + 20 * ring)
            .move(0, 0.16, 0)
            for i in range(count)
        ]
    return Drawn(
        parts,
        None,
        "",
        ("exotic",),
        (kit.say(green, "leaves"), "a rough skin"),
        paints={"skin": skin, "leaves": green},
    )


@family("blueberries", "blueberry", "berries", kind=_FRUIT)
def _blueberries(kit: Kit) -> Drawn:
    skin, count = kit.color("blue", "dark blue", "purple"), kit.count(4, 9)
    parts = []
    for i in range(count):
        r = 0.011 * float(np.sqrt(i)) * 1.15
        at = (r * np.cos(i * 2.4), 0.008, r * np.sin(i * 2.4))
        parts += [
            sphere(0.009, skin, at, segments=8),
            cylinder(0.004, 0.002, skin, (at[0], 0.016, at[2]), segments=6),
        ]
    return Drawn(parts, skin, "", ("small", "round"))


@family("button mushroom", "mushroom", "champignon", "edible mushroom", kind=_VEGETABLE)
def _mushroom(kit: Kit) -> Drawn:
    cap, stem = kit.color("white", "beige", "light brown", "brown"), kit.color("white", "beige")
    segments = max(8, kit.segments)
    parts = [
        cylinder(0.014 * kit.chunk, 0.04, stem, top=0.012 * kit.chunk, segments=segments),
        sphere((0.038, 0.034, 0.038), cap, (0, 0.034, 0), segments=segments, low=0.45),
    ]
    return Drawn(
        [group(parts).turn(z=kit.pick(0.0, 0.0, 75.0))],
        cap,
        "",
        ("round",),
        ("a stem", "a cap"),
        paints={"cap": cap},
    )


@family("corn", "corn on the cob", "corn cob", "maize", "sweetcorn", kind=_VEGETABLE)
def _corn(kit: Kit) -> Drawn:
    grain, husk = kit.color("yellow"), kit.color("green", "light green")
    parts = [capsule(0.024, 0.18, grain, segments=10)]
    for row in range(11):
        y = 0.02 + 0.0135 * row
        parts += [
            box((0.01, 0.011, 0.006), grain, (0, y, 0.0225), bevel=0.002).turn(
                y=36 * i + 18 * (row % 2)
            )
            for i in range(10)
        ]
    leaves = kit.count(3, 4)
    parts += [
        leaf(0.12, 0.05, husk, 35).turn(x=14).turn(y=360 * i / leaves).move(0, -0.015, 0)
        for i in range(leaves)
    ]
    parts.append(bar((0, -0.03, 0), (0, 0.01, 0), 0.01, husk))
    return Drawn(
        [group(parts).turn(z=kit.pick(0.0, 80.0))],
        grain,
        "",
        ("ripe",),
        (kit.say(husk, "leaves"), "rows of kernels"),
        paints={"leaves": husk},
    )


def _leafy(kit: Kit, color: Paint, radius: float, rough: float) -> list[Part]:
    parts = [blob(radius * 0.78, color, kit.rng, (0, radius * 0.8, 0), rough=0.06, detail=1)]
    pale = Paint((color.rgb[0] * 0.5 + 0.5, color.rgb[1] * 0.4 + 0.6, color.rgb[2] * 0.5 + 0.42))
    for i in range(9):
        cup = blob(
            (radius * 0.62, radius * 0.72, radius * 0.16), color, kit.rng, rough=rough, detail=1
        )
        parts.append(
            cup.turn(x=10 + 14 * (i % 2)).move(0, radius * 0.72, radius * 0.66).turn(y=40 * i)
        )
    parts.append(cylinder(radius * 0.22, radius * 0.2, pale, (0, -radius * 0.06, 0), segments=8))
    return parts


@family("lettuce", "head of lettuce", "salad lettuce", "green salad", kind=_VEGETABLE)
def _lettuce(kit: Kit) -> Drawn:
    green = kit.color("light green", "green")
    if kit.chance(0.3):
        angles = np.arange(18) * 2 * np.pi / 18
        reach = 0.06 * (1 + 0.12 * np.where(np.arange(18) % 2 == 0, 1, -1))
        rib = Paint((0.9, 0.95, 0.75))
        sheet = prism(
            np.stack([reach * np.cos(angles), 1.25 * reach * np.sin(angles)], 1), 0.008, green
        )
        parts = [
            sheet,
            bar((0, -0.07, 0.004), (0, 0.04, 0.004), 0.006, rib, top=0.002),
            *[
                bar((0, y, 0.004), (s * 0.035, y + 0.03, 0.004), 0.003, rib)
                for y in (-0.03, 0.0)
                for s in (-1, 1)
            ],
        ]
        return Drawn(
            [group(parts).turn(x=kit.pick(-80.0, -20.0))],
            green,
            "",
            ("fresh", "flat"),
            (),
            ("lettuce leaf", "slice of lettuce", "lettuce"),
        )
    return Drawn(_leafy(kit, green, 0.08, 0.16), green, "", ("fresh", "round"), ("leaves",))


@family("cabbage", "head of cabbage", "white cabbage", "red cabbage", kind=_VEGETABLE)
def _cabbage(kit: Kit) -> Drawn:
    color = kit.color("light green", "green", "purple", "dark green")
    words = ("red cabbage", "cabbage") if color.name == "purple" else ("cabbage",)
    return Drawn(_leafy(kit, color, 0.09, 0.06), color, "", ("round",), ("thick leaves",), words)


@family("broccoli", "broccoli floret", "green broccoli", "cauliflower", kind=_VEGETABLE)
def _broccoli(kit: Kit) -> Drawn:
    white = kit.chance(0.2)
    head = kit.color("white", "beige") if white else kit.color("green", "dark green")
    stem = kit.color("light green")
    parts = [cylinder(0.02 * kit.chunk, 0.06, stem, top=0.026 * kit.chunk, segments=8)]
    parts += [
        bar((0, 0.045, 0), (0.035 * np.cos(a), 0.07, 0.035 * np.sin(a)), 0.012, stem)
        for a in (0.5, 2.1, 3.7, 5.3)
    ]
    for i in range(9):
        a, r = i * 2.4, 0.042 * np.sqrt(i / 9)
        parts.append(
            blob(
                0.03,
                head,
                kit.rng,
                (r * np.cos(a), 0.095 - 0.3 * r, r * np.sin(a)),
                rough=0.14,
                detail=1,
            )
        )
    return Drawn(
        parts,
        head,
        "",
        ("healthy",),
        ("a thick stem",),
        ("cauliflower",) if white else ("broccoli",),
    )


@family("chili pepper", "hot pepper", "chilli", "red chili", kind=_VEGETABLE)
def _chili(kit: Kit) -> Drawn:
    skin = kit.color("red", "red", "green", "orange")
    xs = np.linspace(0, 1, 8)
    path = np.stack([0.12 * xs, 0.012 + 0.03 * (xs - 0.4) ** 2, 0 * xs], 1)
    radius = [0.013, 0.015, 0.014, 0.012, 0.01, 0.007, 0.004, 0.001]
    parts = [
        sweep(path, radius, skin, segments=8),
        cone(0.015, 0.012, (0.3, 0.5, 0.2), segments=6).turn(z=90).move(0.004, 0.017),
        bar((-0.006, 0.017, 0), (-0.03, 0.03, 0), 0.003, (0.3, 0.5, 0.2)),
    ]
    return Drawn(
        parts, skin, "", ("hot", "pointed"), ("a green stem" if kit.look != "clay" else "a stem",)
    )


@family("radish", "red radish", "turnip", "beet", kind=_VEGETABLE)
def _radish(kit: Kit) -> Drawn:
    skin = kit.color("red", "pink", "purple")
    parts = [
        lathe(
            [
                (0, -0.04),
                (0.004, -0.015),
                (0.022, 0.006),
                (0.026, 0.024),
                (0.014, 0.042),
                (0, 0.044),
            ],
            skin,
            segments=max(8, kit.segments),
        )
    ]
    parts += [
        leaf(0.09, 0.03, Paint((0.36, 0.62, 0.28)), 35).turn(x=16).turn(y=90 * i).move(0, 0.04, 0)
        for i in range(4)
    ]
    return Drawn(parts, skin, "", ("fresh",), ("leaves", "a thin root"))


@family("garlic", "bulb of garlic", "garlic bulb", kind=_VEGETABLE)
def _garlic(kit: Kit) -> Drawn:
    skin = kit.color("white", "beige")
    parts = [
        lathe(
            [(0, 0), (0.012, 0.003), (0.018, 0.016), (0.008, 0.036), (0.003, 0.042), (0, 0.042)],
            skin,
            segments=7,
        )
        .move(0.012)
        .turn(y=60 * i)
        for i in range(6)
    ]
    parts.append(bar((0, 0.025, 0), (0.003, 0.07, 0), 0.007, skin, top=0.003))
    return Drawn(parts, skin, "", ("round",), ("cloves",))


@family("peas", "pea pod", "green peas", "pod of peas", kind=_VEGETABLE)
def _peas(kit: Kit) -> Drawn:
    pod, pea = kit.color("green", "dark green"), kit.color("light green")
    parts = [
        sphere((0.06, 0.012, 0.018), pod, (0, 0.0, 0), segments=10, high=0.55),
        *[sphere(0.01, pea, (-0.036 + 0.018 * i, 0.006, 0), segments=8) for i in range(5)],
    ]
    return Drawn(
        parts,
        None,
        "",
        ("open",),
        ("five peas",),
        ("pea pod", "peas"),
        paints={"pod": pod, "peas": pea},
    )


@family("mashed potatoes", "potato puree", "mash", "mashed potato", kind="food")
def _mash(kit: Kit) -> Drawn:
    mash = kit.color("beige", "yellow")
    parts = [
        cylinder(0.1, 0.012, kit.color("white", "light blue", "brown"), segments=16),
        *[
            blob(
                (0.06 - 0.015 * i, 0.02, 0.055 - 0.014 * i),
                mash,
                kit.rng,
                (0.004 * i, 0.022 + 0.018 * i, 0),
                rough=0.1,
                detail=1,
            )
            for i in range(3)
        ],
    ]
    parts.append(box((0.02, 0.008, 0.02), kit.color("yellow", "orange"), (0.006, 0.075, 0)))
    return Drawn(parts, mash, "", ("soft",), ("butter", "a plate"))


@family("onion rings", "rings of onion", "fried onion rings", kind="food")
def _onion_rings(kit: Kit) -> Drawn:
    color, count = kit.color("orange", "white", "purple", "light brown"), kit.count(3, 6)
    parts = [
        torus(0.035 * kit.between(0.6, 1.1), 0.007 * kit.chunk, color, segments=12)
        .turn(x=kit.between(-18, 18))
        .move(0.03 * np.cos(i * 2.2), 0.01 + 0.011 * i, 0.03 * np.sin(i * 2.2))
        for i in range(count)
    ]
    return Drawn(parts, color, "", ("crispy",))


_CONTENTS: dict[str, tuple[Whole, tuple[str, ...], float]] = {
    "tomatoes": (_tomato, ("red",), 1.0),
    "carrots": (_carrot, ("orange",), 0.8),
    "potatoes": (_potato, ("light brown", "brown"), 1.0),
    "onions": (_onion, ("light brown", "purple"), 1.0),
    "apples": (_apple, ("red", "green"), 1.0),
    "oranges": (_ball(0.042), ("orange",), 1.0),
    "lemons": (_lemon, ("yellow",), 1.1),
    "peppers": (_pepper, ("red", "yellow", "green"), 1.0),
    "cabbages": (_ball(0.06, 0.9), ("light green",), 0.9),
    "pears": (_pear, ("green", "yellow"), 0.9),
    "eggplants": (_eggplant, ("purple",), 0.8),
    "bananas": (_banana, ("yellow",), 0.8),
}


@family(
    "crate of vegetables",
    "vegetable crate",
    "fruit crate",
    "wooden crate with food",
    "market crate",
    kind="container",
)
def _crate(kit: Kit) -> Drawn:
    wood = kit.wood()
    width, depth, height = 0.4, 0.28, kit.between(0.11, 0.16)
    parts = [box((width, 0.015, depth), wood)]
    rows = 2
    for i in range(rows):
        y = 0.015 + (height - 0.015) * (i + 0.1) / rows
        tall = height / rows * 0.78
        parts += [box((width, tall, 0.014), wood, (0, y, s * depth / 2)) for s in (-1, 1)]
        parts += [box((0.014, tall, depth), wood, (s * width / 2, y, 0)) for s in (-1, 1)]
    parts += [
        box((0.03, height, 0.03), wood, (x * (width / 2 - 0.012), 0, z * (depth / 2 - 0.012)))
        for x in (-1, 1)
        for z in (-1, 1)
    ]
    name = list(_CONTENTS)[int(kit.rng.integers(len(_CONTENTS)))]
    whole, skins, scale = _CONTENTS[name]
    skin = kit.color(*skins)
    parts.append(box((width * 0.96, height * 0.4, depth * 0.94), skin, (0, 0.01, 0)))
    for i in range(12):
        x, z = (i % 4 - 1.5) * 0.09, (i // 4 - 1) * 0.08
        one = group(whole(kit, skin)).turn(y=kit.between(0, 360)).scale(scale)
        middle = (one.vertices.min(axis=0) + one.vertices.max(axis=0)) / 2
        parts.append(one.move(x - float(middle[0]), height * 0.5, z - float(middle[2])))
    return Drawn(
        parts,
        None,
        "",
        ("full",),
        (name, kit.say(skin, name)),
        (f"crate of {name}", f"box of {name}"),
        (f"wooden crate full of {name}",) if kit.look != "clay" else (f"crate full of {name}",),
        {"content": skin},
    )
