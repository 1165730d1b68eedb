"""More fruit and vegetables, each of a form of its own, and crates of them."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.decoration import leaf
from polyorama.shapes.procedural.families.garden import (
    STALK,
    Whole,
    apple,
    ball,
    banana,
    banana_body,
    carrot,
    eggplant,
    lemon,
    onion,
    pear,
    pepper,
    potato,
    tomato,
)
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
    one = banana_body(kit, skin).move(0.094, -0.08)
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
        bar((0, 0.09, 0), (0.005, 0.14, 0), 0.003, STALK),
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


@family("lettuce", "salad lettuce", "green salad", kind=_VEGETABLE)
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


@family("broccoli", "green broccoli", kind=_VEGETABLE)
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


@family("radish", "red radish", kind=_VEGETABLE)
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
    "tomatoes": (tomato, ("red",), 1.0),
    "carrots": (carrot, ("orange",), 0.8),
    "potatoes": (potato, ("light brown", "brown"), 1.0),
    "onions": (onion, ("light brown", "purple"), 1.0),
    "apples": (apple, ("red", "green"), 1.0),
    "oranges": (ball(0.042), ("orange",), 1.0),
    "lemons": (lemon, ("yellow",), 1.1),
    "peppers": (pepper, ("red", "yellow", "green"), 1.0),
    "cabbages": (ball(0.06, 0.9), ("light green",), 0.9),
    "pears": (pear, ("green", "yellow"), 0.9),
    "eggplants": (eggplant, ("purple",), 0.8),
    "bananas": (banana, ("yellow",), 0.8),
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
        ("slats",),
        (f"crate of {name}", f"box of {name}"),
        (f"wooden crate full of {name}",) if kit.look != "clay" else (f"crate full of {name}",),
        {"content": skin},
    )
