"""Stones, mountains, clouds, and other pieces of landscape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import WHITE, around, darker
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    box,
    cone,
    cylinder,
    lathe,
    prism,
    sphere,
    sweep,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []

_STONE = ("grey", "light grey", "dark grey", "beige", "brown")
_AUTUMN = ("orange", "red", "yellow", "dark red")


@family("rock", "boulder", "stone", "big stone", kind="nature")
def rock(kit: Kit) -> Drawn:
    stone = kit.color(*_STONE)
    size = (kit.between(0.4, 0.9), kit.between(0.3, 0.7), kit.between(0.4, 0.8))
    parts = [blob(size, stone, kit.rng, (0, 0.6 * size[1], 0), rough=0.18, detail=1)]
    if kit.chance(0.2):
        moss = kit.color("green", "dark green")
        parts.append(
            blob(
                (0.7 * size[0], 0.25 * size[1], 0.7 * size[2]),
                moss,
                kit.rng,
                (0, 1.45 * size[1], 0),
            )
        )
        return Drawn(
            parts,
            stone,
            material="stone",
            features=("moss",),
            words=("mossy rock", "rock", "boulder"),
        )
    return Drawn(parts, stone, adjectives=("rough", "flat" if size[1] < 0.4 else "large"))


@family("stones", "rocks", "pile of rocks", "rubble", "pebbles", kind="nature")
def stones(kit: Kit) -> Drawn:
    stone, count = kit.color(*_STONE), kit.count(3, 7)
    parts = []
    for _ in range(count):
        size = kit.between(0.12, 0.35)
        at = (kit.between(-0.5, 0.5), 0.6 * size, kit.between(-0.5, 0.5))
        parts.append(blob((1.2 * size, 0.8 * size, size), stone, kit.rng, at, rough=0.2))
    number = ("three", "four", "five", "six", "seven")[count - 3]
    return Drawn(parts, stone, sentences=(f"{number} rocks", "scattered stones"))


@family("mountain", "rocky mountain", kind="landscape")
def mountain(kit: Kit) -> Drawn:
    stone, count = kit.color("grey", "dark grey", "brown", "light brown"), kit.count(1, 4)
    snow = kit.chance(0.55)
    parts = []
    for k in range(count):
        height, reach = kit.between(0.7, 1.4), kit.between(0.5, 0.9)
        at = (0.55 * k - 0.27 * (count - 1), kit.between(-0.25, 0.25))
        shape = lathe(
            [(reach, 0), (0.62 * reach, 0.4 * height), (0.34 * reach, 0.72 * height), (0, height)],
            stone,
            segments=7,
        )
        parts.append(shape.rough(kit.rng, 0.06).turn(y=50 * k).move(at[0], 0, at[1]))
        if snow:
            parts.append(
                cone(0.36 * reach, 0.36 * height, WHITE, (at[0], 0.7 * height, at[1]), segments=7)
            )
    features = ("a snow cap",) if snow else ()
    return Drawn(
        parts,
        stone,
        adjectives=("rocky", "steep"),
        features=features,
        words=("mountain",) if count == 1 else ("mountains", "mountain range"),
    )


@family("hill", "grassy hill", "mound", "green hill", kind="landscape")
def hill(kit: Kit) -> Drawn:
    green = kit.color("green", "light green", "yellow", "beige")
    parts = [
        sphere(
            (1.0, kit.between(0.3, 0.6), kit.between(0.7, 1.0)),
            green,
            low=0.5,
            segments=kit.segments,
        )
    ]
    features = []
    if kit.chance(0.5):
        leaf = kit.leaf()
        parts += [
            cylinder(0.04, 0.3, kit.color("brown"), (0, 0.3, 0)),
            blob(0.2, leaf, kit.rng, (0, 0.72, 0)),
        ]
        features.append("a tree on top")
    return Drawn(parts, green, adjectives=("round",), features=tuple(features))


@family("volcano", "active volcano", "erupting mountain", kind="landscape")
def volcano(kit: Kit) -> Drawn:
    stone, lava = kit.color("dark grey", "brown", "dark brown", "black"), kit.color("orange", "red")
    parts = [
        lathe(
            [(0.95, 0), (0.6, 0.4), (0.3, 0.9), (0.2, 0.9), (0.1, 0.75)], stone, segments=9
        ).rough(kit.rng, 0.03),
        cylinder(0.22, 0.03, lava, (0, 0.83, 0)),
    ]
    for k in range(kit.count(2, 4)):
        angle = 2 * k + kit.between(0, 1)
        line = [
            (r * math.cos(angle), y, r * math.sin(angle))
            for r, y in ((0.2, 0.9), (0.34, 0.87), (0.5, 0.58), (0.66, 0.36))
        ]
        parts.append(sweep(line, 0.05, lava, segments=5))
    if kit.chance(0.5):
        parts += [
            blob(0.2 + 0.07 * k, (0.6, 0.6, 0.62), kit.rng, (0.08 * k, 1.1 + 0.28 * k, 0))
            for k in range(3)
        ]
    return Drawn(parts, stone, features=(kit.say(lava, "lava"), "a crater"))


@family("island", kind="landscape")
def island(kit: Kit) -> Drawn:
    floating = kit.chance(0.4)
    sand, green, leaf = kit.color("beige", "yellow"), kit.color("green", "light green"), kit.leaf()
    if floating:
        stone = kit.color("brown", "grey", "light brown")
        parts = [
            lathe([(0.0, -0.9), (0.3, -0.55), (0.75, -0.1), (0.8, 0)], stone, segments=8).rough(
                kit.rng, 0.05
            ),
            cylinder(0.84, 0.1, green, segments=9),
        ]
    else:
        parts = [cylinder(1.3, 0.05, kit.color("blue", "light blue", "teal"), (0, -0.05, 0),
                          segments=12), sphere((0.9, 0.22, 0.8), sand, low=0.5),
                 sphere((0.55, 0.3, 0.5), green, low=0.5)]  # fmt: skip
    top = 0.1 if floating else 0.25
    frond = prism([(0, 0), (0.2, 0.07), (0.42, -0.15), (0.2, 0.0)], 0.1, leaf)
    parts += [
        sweep(
            [(0, top, 0), (0.05, top + 0.4, 0), (0.18, top + 0.7, 0)],
            0.05,
            kit.color("brown", "light brown"),
        ),
        *(p.move(0.18, top + 0.7, 0) for p in around(frond, 6)),
    ]
    words = (
        ("floating island", "sky island")
        if floating
        else ("island", "desert island", "tropical island")
    )
    return Drawn(parts, None, features=("a palm tree",), words=words)


@family("log", "wooden log", "timber", kind="nature")
def log(kit: Kit) -> Drawn:
    bark, cut = kit.color("brown", "dark brown"), kit.color("beige", "light brown")
    count = kit.pick(1, 1, 3, 6)
    places = {
        1: [(0.0, 0.0)],
        3: [(-0.2, 0.0), (0.2, 0.0), (0.0, 0.35)],
        6: [(-0.4, 0), (0, 0), (0.4, 0), (-0.2, 0.35), (0.2, 0.35), (0, 0.7)],
    }[count]
    parts = []
    for x, y in places:
        one = [
            cylinder(0.2, 1.2, bark, (0, -0.6, 0), segments=kit.segments),
            cylinder(0.165, 1.23, cut, (0, -0.615, 0), segments=kit.segments),
        ]
        parts += [p.turn(x=90).move(x, y + 0.2, 0) for p in one]
    if count == 1:
        parts.append(bar((0.1, 0.25, 0.1), (0.3, 0.5, 0.2), 0.06, bark))
        return Drawn(
            parts, bark, material="wooden", adjectives=("fallen",), features=("a cut end",)
        )
    return Drawn(
        parts, bark, material="wooden", words=("pile of logs", "stack of logs", "firewood", "logs")
    )


@family("tree stump", "stump", "cut tree", "chopped tree", kind="nature")
def stump(kit: Kit) -> Drawn:
    bark, cut = kit.color("brown", "dark brown"), kit.color("beige", "light brown")
    height = kit.between(0.25, 0.6)
    parts = [
        cylinder(0.4, height, bark, top=0.3, segments=kit.segments),
        cylinder(0.26, 0.02, cut, (0, height, 0), segments=kit.segments),
    ]
    parts += around(
        bar((0.25, 0.15, 0), (0.6, 0.0, 0), 0.1, bark, top=0.04),
        kit.count(3, 5),
        kit.between(0, 60),
    )
    features = ["roots"]
    if kit.chance(0.3):
        parts += [
            bar((0, height, 0), (0.25, height + 0.6, 0), 0.025, cut),
            box((0.26, 0.14, 0.04), (0.6, 0.6, 0.62), (0, height, 0)),
        ]
        features.append("an axe stuck in it")
    return Drawn(parts, bark, material="wooden", features=tuple(features))


@family("cloud", kind="sky")
def cloud(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "light grey", "dark grey", "light blue")
    count = kit.count(3, 6)
    parts = [blob(kit.between(0.28, 0.45), color, kit.rng,
                  (0.38 * k - 0.19 * (count - 1), kit.between(-0.05, 0.2),
                   kit.between(-0.15, 0.15)), rough=0.06, detail=2 if kit.segments > 8 else 1)
             for k in range(count)]  # fmt: skip
    if kit.chance(0.3):
        drop = kit.color("blue", "light blue")
        parts += [
            cone(0.05, 0.2, drop, (0.28 * k - 0.4, -0.7 - 0.1 * (k % 2), 0), segments=6)
            for k in range(4)
        ]
        return Drawn(parts, color, features=("rain drops",), words=("rain cloud", "cloud"))
    if kit.chance(0.2):
        bolt = [
            (0, 0),
            (0.16, 0),
            (0.06, -0.25),
            (0.18, -0.25),
            (-0.08, -0.7),
            (-0.02, -0.35),
            (-0.14, -0.35),
        ]
        parts.append(prism(bolt, 0.06, kit.color("yellow"), (0, -0.2, 0)))
        return Drawn(
            parts,
            color,
            features=("a lightning bolt",),
            words=("storm cloud", "thunder cloud", "cloud"),
        )
    return Drawn(parts, color, adjectives=("fluffy", "puffy"))


@family("moon", "night moon", kind="sky")
def moon(kit: Kit) -> Drawn:
    color = kit.color("yellow", "light grey", "white", "beige")
    if kit.chance(0.6):
        outer = [
            (0.5 * math.cos(a), 0.5 * math.sin(a))
            for a in (math.radians(d) for d in range(60, 301, 20))
        ]
        inner = [
            (0.2 + 0.42 * math.cos(a), 0.42 * math.sin(a))
            for a in (math.radians(d) for d in range(270, 80, -20))
        ]
        return Drawn(
            [prism([*outer, *inner], 0.14, color, bevel=kit.pick(0.0, 0.03))],
            color,
            words=("crescent moon", "moon", "half moon"),
        )
    crater = darker(color, 0.85)
    parts = [sphere(0.5, color, segments=14)]
    for k in range(9):
        up = 0.9 - 0.2 * k
        flat = math.sqrt(1 - up * up)
        parts.append(
            sphere(
                kit.between(0.05, 0.11),
                crater,
                (0.46 * flat * math.cos(2.4 * k), 0.46 * up, 0.46 * flat * math.sin(2.4 * k)),
                segments=7,
            )
        )
    return Drawn(
        parts,
        color,
        adjectives=("round", "full"),
        features=("craters",),
        words=("moon", "full moon"),
    )


@family("sun", "smiling sun", "sun with rays", "sunshine", kind="sky")
def sun(kit: Kit) -> Drawn:
    color, count = kit.color("yellow", "orange"), kit.pick(8, 10, 12)
    ray = cone(0.1, 0.3, color, segments=5).turn(z=-90).move(0.5, 0, 0)
    parts = [
        sphere((0.42, 0.42, 0.42 if kit.chance() else 0.12), color, segments=14),
        *(p.turn(x=90) for p in around(ray, count)),
    ]
    return Drawn(parts, color, adjectives=("bright",), features=("rays",))


@family("crystal", "crystals", "gemstone cluster", "magic crystal", "quartz", kind="mineral")
def crystal(kit: Kit) -> Drawn:
    color, count = (
        kit.color("purple", "blue", "pink", "light blue", "green", "teal", "red"),
        kit.count(1, 6),
    )
    parts = []
    for k in range(count):
        height, radius = kit.between(0.5, 1.0) * (1.2 if k == 0 else 0.7), kit.between(0.1, 0.17)
        one = lathe([(0.8 * radius, 0), (radius, 0.75 * height), (0, height)], color, segments=6)
        parts.append(one.turn(z=0 if k == 0 else kit.between(20, 45)).turn(y=65 * k))
    if kit.chance(0.4):
        parts.append(blob((0.4, 0.16, 0.4), kit.color("grey", "dark grey"), kit.rng, (0, 0.05, 0)))
    return Drawn(
        parts,
        color,
        adjectives=("shiny", "pointed"),
        words=("crystal",) if count == 1 else ("crystals", "crystal cluster"),
    )


@family("seashell", "shell", "sea shell", kind="nature")
def seashell(kit: Kit) -> Drawn:
    color = kit.color("beige", "pink", "white", "orange", "light brown")
    kind = kit.pick("scallop", "conch", "clam")
    if kind == "conch":
        turns = [
            sphere(
                (0.3 * 0.75**k, 0.22 * 0.75**k, 0.3 * 0.75**k),
                color,
                (0, 0.3 * sum(0.75**j for j in range(k)), 0),
                segments=9,
            )
            for k in range(6)
        ]
        parts = [p.turn(z=70) for p in (*turns, cone(0.24, 0.5, color).turn(x=180))]
        return Drawn(
            parts, color, adjectives=("spiral",), words=("conch", "seashell", "sea snail shell")
        )
    rays = [
        bar((0, 0, 0), (0.5 * math.sin(a), 0.5 * math.cos(a), 0.02), 0.03, color, top=0.09)
        for a in (math.radians(d) for d in range(-60, 61, 15))
    ]
    half = [p.scale(1, 1, 0.8).turn(x=-60) for p in rays]
    if kind == "scallop":
        return Drawn(
            [*half, box((0.26, 0.05, 0.08), color)],
            color,
            features=("ribs",),
            words=("seashell", "scallop shell", "shell"),
        )
    lower = [p.scale(1, 1, 0.8).turn(x=-95) for p in rays]
    return Drawn(
        [*half, *lower, sphere(0.1, WHITE, (0, 0.12, -0.26))],
        color,
        adjectives=("open",),
        features=("a pearl",),
        words=("clam", "seashell", "oyster"),
    )
