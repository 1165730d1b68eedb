"""Plants in pots, flowers, candles and fireplaces."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    blob,
    box,
    capsule,
    circle,
    cone,
    cylinder,
    group,
    lathe,
    loft,
    prism,
    sphere,
    star,
    sweep,
    torus,
)

_DECOR = "decoration"


def pot(kit: Kit, radius: float, height: float, color: Paint) -> Part:
    """A flower pot filled with earth, standing on y = 0."""
    segments = max(8, kit.segments)
    lip = height * 0.2
    body = cylinder(
        radius * kit.between(0.65, 0.85), height - lip, color, top=radius * 0.92, segments=segments
    )
    rim = cylinder(radius, lip, color, (0, height - lip, 0), segments=segments)
    return group(
        [
            body,
            rim,
            cylinder(radius * 0.86, 0.01, (0.28, 0.19, 0.13), (0, height, 0), segments=segments),
        ]
    )


def leaf(length: float, width: float, color: Paint, bend: float) -> Part:
    """A leaf that rises from the origin and bends towards +z."""
    count = 6
    share = np.linspace(0, 1, count + 1)
    half = width / 2 * np.sin(np.pi * np.clip(share * 0.9 + 0.08, 0, 1))
    half[-1] = 0.0
    rings = np.stack(
        [
            np.stack([s * half, share * length, o + 0 * half], 1)
            for s, o in ((1, 0.0), (0, -0.08 * width), (-1, 0.0), (0, 0.08 * width))
        ],
        1,
    )
    return loft(rings, color).bend(bend)


@family("potted plant", "house plant", "plant in a pot", "plant", "houseplant", kind=_DECOR)
def _plant(kit: Kit) -> Drawn:
    clay = kit.color(
        "orange", "brown", "white", "blue", "grey", "teal", "light brown", "pink", "yellow"
    )
    green = kit.leaf()
    radius, height = kit.between(0.12, 0.2), kit.between(0.16, 0.3)
    parts = [pot(kit, radius, height, clay)]
    style = kit.pick("leaves", "bush", "palm", "blades")
    words = ["potted plant", "plant in a pot"]
    if style == "bush":
        parts += [
            blob(
                radius * kit.between(0.8, 1.3),
                green,
                kit.rng,
                (
                    kit.between(-0.07, 0.07),
                    height + radius * (0.6 + 0.7 * i),
                    kit.between(-0.07, 0.07),
                ),
                detail=1,
            )
            for i in range(kit.count(1, 3))
        ]
        adjectives = ("bushy",)
    elif style == "palm":
        stem = kit.between(0.3, 0.6)
        parts.append(bar((0, height, 0), (0, height + stem, 0), 0.025, (0.45, 0.32, 0.2)))
        parts += [
            leaf(0.45, 0.12, green, 100)
            .turn(x=20)
            .turn(y=360 * i / 8 + 7)
            .move(0, height + stem, 0)
            for i in range(8)
        ]
        words.insert(0, "potted palm")
        adjectives = ("tall",)
    else:
        count = kit.count(7, 12)
        long = kit.between(0.35, 0.6)
        for i in range(count):
            wide = 0.05 if style == "blades" else 0.15
            lean = kit.between(5, 25) if style == "blades" else kit.between(10, 50)
            parts.append(
                leaf(long * kit.between(0.7, 1.1), wide, green, 30 if style == "blades" else 70)
                .turn(x=lean)
                .turn(y=137.5 * i)
                .move(0, height, 0)
            )
        adjectives = ("spiky",) if style == "blades" else ("leafy",)
    return Drawn(
        parts,
        None,
        "",
        adjectives,
        (f"{kit.say(green, 'leaves')}", f"a {kit.say(clay, 'pot')}"),
        tuple(words),
        (),
        {"leaves": green, "pot": clay},
    )


@family("cactus", "potted cactus", "cactus in a pot", "succulent", kind="plant")
def _cactus(kit: Kit) -> Drawn:
    clay = kit.color("orange", "brown", "white", "blue", "pink", "yellow", "light brown", "red")
    green = kit.color("green", "dark green", "teal")
    radius, height = 0.13, kit.between(0.14, 0.2)
    parts = [pot(kit, radius, height, clay)]
    tall = kit.between(0.3, 0.55)
    segments = kit.pick(6, 8, 10)
    features = [f"a {kit.say(clay, 'pot')}"]
    if kit.chance(0.3):
        parts.append(sphere((0.12, 0.13, 0.12), green, (0, height + 0.1, 0), segments=segments))
        top = height + 0.23
        adjectives = ("round",)
    else:
        parts.append(
            capsule(0.07 * kit.chunk, tall, green, (0, height - 0.02, 0), segments=segments)
        )
        arms = kit.count(0, 3)
        for i in range(arms):
            s, y = (-1, 1)[i % 2], height + tall * (0.35 + 0.14 * i)
            path = [
                (s * 0.04, y, 0),
                (s * 0.14, y, 0),
                (s * 0.17, y + 0.03, 0),
                (s * 0.17, y + 0.16, 0),
            ]
            parts += [
                sweep(path, 0.038 * kit.chunk, green, segments=segments),
                sphere(0.038 * kit.chunk, green, (s * 0.17, y + 0.16, 0), segments=6),
            ]
        top = height + tall
        adjectives = ("tall",) if tall > 0.45 else ("small",)
        if arms:
            features.append(("one arm", "two arms", "three arms")[arms - 1])
    if kit.chance(0.4):
        bloom = kit.color("pink", "red", "yellow", "purple")
        parts.append(sphere((0.05, 0.035, 0.05), bloom, (0, top - 0.01, 0), segments=6))
        features.append(f"a {kit.say(bloom, 'flower')}")
    if kit.chance(0.5):
        spikes = [
            (a, y) for a in np.linspace(0, 2 * np.pi, 6, endpoint=False) for y in (0.3, 0.55, 0.8)
        ]
        parts += [
            cone(0.006, 0.03, (0.93, 0.9, 0.75), segments=4)
            .turn(z=-90)
            .move(0.065 * kit.chunk)
            .turn(y=float(np.degrees(a)))
            .move(0, height + tall * y, 0)
            for a, y in spikes
            if adjectives != ("round",)
        ]
        features.append("spines")
    return Drawn(
        parts,
        None,
        "",
        (*adjectives, "spiky"),
        tuple(features),
        ("cactus", "potted cactus"),
        (),
        {"cactus": green, "pot": clay},
    )


def flower(kit: Kit, color: Paint, stem: float) -> Part:
    """A flower on a stem that rises from the origin."""
    heart = Paint((0.98, 0.8, 0.2))
    parts = [bar((0, 0, 0), (0, stem, 0), 0.008 * kit.chunk, (0.25, 0.5, 0.22))]
    style = kit.pick("daisy", "tulip", "rose")
    if style == "daisy":
        parts += [
            sphere((0.035, 0.008, 0.02), color, (0.045, 0, 0), segments=6)
            .turn(y=51.4 * i)
            .move(0, stem, 0)
            for i in range(7)
        ]
        parts.append(sphere((0.025, 0.018, 0.025), heart, (0, stem, 0), segments=6))
    elif style == "tulip":
        parts.append(
            lathe(
                [(0, 0), (0.03, 0.01), (0.036, 0.04), (0.025, 0.075), (0.01, 0.05), (0, 0.05)],
                color,
                (0, stem, 0),
                segments=6,
            )
        )
    else:
        parts += [
            sphere(0.035, color, (0, stem, 0), segments=6),
            torus(0.032, 0.012, color, (0, stem - 0.005, 0), segments=6, around=4),
        ]
    return group(parts)


@family("vase", "flower vase", kind=_DECOR)
def _vase(kit: Kit) -> Drawn:
    color = kit.color()
    height, radius = kit.between(0.2, 0.35), kit.between(0.06, 0.1)
    neck = radius * kit.between(0.35, 0.6)
    body = [
        (0, 0),
        (radius * 0.55, 0),
        (radius, height * kit.between(0.3, 0.5)),
        (neck, height * 0.82),
        (neck * 1.35, height),
        (neck * 1.15, height),
        (neck * 0.8, height * 0.82),
        (0, height * 0.6),
    ]
    parts = [lathe(body, color, segments=max(8, kit.segments))]
    if kit.chance(0.3):
        return Drawn(parts, color, "ceramic", ("empty",), ("a narrow neck",), ("vase",))
    bloom, count = (
        kit.color("red", "pink", "yellow", "white", "purple", "orange", "blue"),
        kit.count(3, 7),
    )
    one = flower(kit, bloom, height * 0.55)
    for i in range(count):
        lean = kit.between(8, 32) if i else 0.0
        parts.append(
            one.move(y=height * 0.35).turn(x=lean).turn(y=360 * i / count).move(0, height * 0.58, 0)
        )
    number = ("three", "four", "five", "six", "seven")[count - 3]
    return Drawn(
        parts,
        None,
        "",
        (),
        (f"{number} {kit.say(bloom, 'flowers')}", kit.say(bloom, "flowers")),
        ("vase with flowers", "flowers in a vase", "vase"),
        ("bouquet of flowers in a vase",),
        {"vase": color, "flowers": bloom},
    )


@family("flower", "single flower", "blossom", kind="plant")
def _flower(kit: Kit) -> Drawn:
    bloom = kit.color("red", "pink", "yellow", "white", "purple", "orange", "blue")
    stem = kit.between(0.12, 0.25)
    green = kit.leaf()
    parts = [flower(kit, bloom, stem)]
    parts += [leaf(0.1, 0.03, green, 50).turn(x=20).turn(y=y).move(0, 0.02, 0) for y in (60, 230)]
    return Drawn(
        parts,
        None,
        "",
        (),
        (kit.say(bloom, "petals"), "leaves", "a stem"),
        ("flower",),
        (f"{kit.say(bloom, 'flower')}",),
        {"petals": bloom},
    )


def _one_candle(kit: Kit, radius: float, height: float, wax: Paint, lit: bool) -> Part:
    segments = max(8, kit.segments)
    parts = [
        cylinder(radius, height, wax, segments=segments),
        cylinder(radius * 0.1, radius * 0.6, (0.2, 0.17, 0.15), (0, height, 0), segments=5),
    ]
    if kit.chance(0.4):
        for _ in range(4):
            a = kit.between(0, 6.28)
            parts.append(
                capsule(radius * 0.2, height * kit.between(0.25, 0.6), wax, segments=6)
                .turn(x=180)
                .move(radius * np.cos(a), height * 1.01, radius * np.sin(a))
            )
        parts.append(torus(radius * 0.85, radius * 0.16, wax, (0, height, 0), segments=segments))
    if lit:
        flame = lathe(
            [
                (0, 0),
                (radius * 0.35, radius * 0.5),
                (radius * 0.22, radius * 1.1),
                (0, radius * 1.9),
            ],
            (1.0, 0.75, 0.2),
            segments=6,
        )
        parts.append(flame.move(y=height + radius * 0.3))
    return group(parts)


@family("candle", "wax candle", kind=_DECOR)
def _candle(kit: Kit) -> Drawn:
    wax = kit.color("white", "beige", "beige", "red", "purple", "orange", "black")
    lit = kit.chance(0.65)
    count = kit.pick(1, 1, 1, 2, 3, 3)
    thin = kit.chance(0.3)
    parts = []
    for i in range(count):
        height = kit.between(0.2, 0.3) if thin else kit.between(0.08, 0.2)
        x, z = ((0, 0), (0.1, 0.02), (0.04, 0.1))[i]
        parts.append(_one_candle(kit, 0.018 if thin else 0.04, height, wax, lit).move(x, 0, z))
    adjectives = ["lit" if lit else "unlit", "thin" if thin else "thick"]
    words = ("candle",) if count == 1 else (f"{('two', 'three')[count - 2]} candles", "candles")
    return Drawn(
        parts,
        wax,
        "wax",
        tuple(adjectives),
        ("a flame" if count == 1 else "flames",) if lit else ("a wick",),
        words,
    )


@family("candlestick", "candle holder", "candelabra", "candleholder", kind=_DECOR)
def _candlestick(kit: Kit) -> Drawn:
    metal, wax = kit.color("gold", "silver", "bronze", "black"), kit.color("white", "beige", "red")
    segments, height = max(8, kit.segments), kit.between(0.15, 0.28)
    stand = lathe(
        [
            (0, 0),
            (0.08, 0),
            (0.075, 0.015),
            (0.018, 0.03),
            (0.024, height * 0.5),
            (0.014, height * 0.75),
            (0.04, height),
            (0, height),
        ],
        metal,
        segments=segments,
    )
    lit = kit.chance(0.6)
    parts = [stand, _one_candle(kit, 0.018, 0.14, wax, lit).move(y=height)]
    features = [f"a {kit.say(wax, 'candle')}", "a flame" if lit else "a round foot"]
    arms = kit.pick(0, 0, 2)
    for s in (-1, 1) if arms else ():
        parts += [
            sweep(
                [
                    (0, height * 0.6, 0),
                    (s * 0.08, height * 0.55, 0),
                    (s * 0.13, height * 0.75, 0),
                    (s * 0.13, height * 0.9, 0),
                ],
                0.011,
                metal,
            ),
            cylinder(0.032, 0.015, metal, (s * 0.13, height * 0.9, 0), segments=segments),
            _one_candle(kit, 0.017, 0.12, wax, lit).move(s * 0.13, height * 0.95),
        ]
    words = ("candelabra", "three-armed candlestick") if arms else ("candlestick", "candle holder")
    return Drawn(
        parts,
        None,
        "metal",
        ("antique",),
        tuple(features),
        words,
        (),
        {"stand": metal, "candle": wax},
    )


@family("fireplace", "hearth", "chimney fireplace", "open fire")
def _fireplace(kit: Kit) -> Drawn:
    brick = kit.color("red", "dark red", "grey", "brown", "light grey", "white", "beige")
    wood = kit.wood()
    parts = [box((0.35, 0.95, 0.45), brick, (s * 0.55, 0, 0), bevel=kit.bevel) for s in (-1, 1)]
    parts += [
        box((1.45, 0.3, 0.45), brick, (0, 0.95, 0)),
        box((1.65, 0.1 * kit.chunk, 0.58), wood, (0, 1.25, 0.02)),
        box((1.45, 0.05, 0.75), brick, (0, 0, 0.12)),
        box((0.8, 1.0, 0.05), (0.12, 0.11, 0.11), (0, 0.0, -0.2)),
    ]
    if kit.chance(0.5):
        parts.append(box((0.95, 0.9, 0.4), brick, (0, 1.3, -0.02), taper=0.8))
    logs = (0.4, 0.26, 0.16)
    parts += [
        bar((-0.25, 0.1, z), (0.25, 0.1, z + 0.05), 0.05, logs, segments=8) for z in (-0.05, 0.08)
    ]
    features = ["logs", f"a {kit.say(wood, 'mantel')}"]
    if kit.chance(0.7):
        parts += [
            cone(0.1, h, c, (x, 0.14, 0), segments=6)
            for x, h, c in (
                (0, 0.42, (0.98, 0.55, 0.12)),
                (-0.12, 0.28, (0.95, 0.35, 0.1)),
                (0.13, 0.3, (0.99, 0.75, 0.2)),
            )
        ]
        features.append("a burning fire")
    return Drawn(parts, brick, "brick", ("warm",), tuple(features))


@family("trophy", "cup trophy", "winner's cup", "award")
def _trophy(kit: Kit) -> Drawn:
    metal, base = (
        kit.color("gold", "gold", "silver", "bronze"),
        kit.color("brown", "black", "dark brown"),
    )
    parts = [
        box((0.14, 0.07, 0.14), base),
        lathe(
            [
                (0, 0),
                (0.05, 0),
                (0.014, 0.04),
                (0.014, 0.08),
                (0.06, 0.13),
                (0.08, 0.25),
                (0.068, 0.25),
                (0.05, 0.15),
                (0, 0.12),
            ],
            metal,
            (0, 0.07, 0),
            segments=max(10, kit.segments),
        ),
    ]
    parts += [
        sweep(
            [(s * 0.07, 0.29, 0), (s * 0.13, 0.28, 0), (s * 0.12, 0.21, 0), (s * 0.055, 0.19, 0)],
            0.009 * kit.chunk,
            metal,
        )
        for s in (-1, 1)
    ]
    return Drawn(parts, metal, "", ("shiny",), ("two handles", f"a {kit.say(base, 'base')}"))


@family("globe", "world globe", "desk globe", "earth globe")
def _globe(kit: Kit) -> Drawn:
    sea, stand = (
        kit.color("blue", "light blue", "beige"),
        kit.color("gold", "brown", "black", "silver"),
    )
    land = kit.color("green", "light brown", "dark green")
    parts = [
        cylinder(0.11, 0.025, stand),
        cylinder(0.015, 0.08, stand, segments=6),
        sphere(0.15, sea, (0, 0.25, 0), segments=14),
        torus(0.17, 0.01, stand, degrees=180, segments=12).turn(x=90).turn(z=-113).move(0, 0.25, 0),
    ]
    for _ in range(7):
        turn = (kit.between(-60, 50), kit.between(0, 360))
        patch = blob((0.06, 0.06, 0.012), land, kit.rng, (0, 0, 0.144), rough=0.3, detail=1)
        parts.append(patch.turn(x=turn[0]).turn(y=turn[1]).move(0, 0.25, 0))
    return Drawn(
        parts,
        sea,
        "",
        ("round",),
        (f"{kit.say(land, 'continents')}", "a stand"),
        paints={"land": land, "stand": stand},
    )


@family("christmas tree", "xmas tree", "decorated fir tree", kind=_DECOR)
def _christmas_tree(kit: Kit) -> Drawn:
    green = kit.color("green", "dark green")
    count = kit.count(3, 4)
    parts: list[Part] = [cylinder(0.06, 0.25, (0.42, 0.28, 0.17), segments=6)]
    for i in range(count):
        radius = 0.5 * (1 - 0.22 * i)
        parts.append(
            cone(radius, 0.55, green, (0, 0.2 + 0.33 * i, 0), segments=max(8, kit.segments))
        )
        for k in range(7):
            a = 6.28 * (k + 0.4 * i) / 7
            parts.append(
                sphere(
                    0.04,
                    kit.color("red", "gold", "blue", "silver", "purple"),
                    (radius * 0.82 * np.cos(a), 0.27 + 0.33 * i, radius * 0.82 * np.sin(a)),
                    segments=6,
                )
            )
    top = 0.2 + 0.33 * (count - 1) + 0.52
    parts.append(prism(star(5, 0.1, 0.045), 0.04, kit.color("yellow"), (0, top + 0.05, 0)))
    features = ["ornaments", "a star on top"]
    if kit.chance(0.5):
        for i in range(3):
            gift, ribbon = kit.color(), kit.color("yellow", "white", "red")
            at = (0.35 * np.cos(2 * i + 0.6), 0, 0.35 * np.sin(2 * i + 0.6))
            parts += [
                box((0.16, 0.13, 0.16), gift, at),
                box((0.03, 0.135, 0.165), ribbon, at),
                box((0.165, 0.135, 0.03), ribbon, at),
            ]
        features.append("presents")
    return Drawn(parts, green, "", ("festive",), tuple(features), paints={"tree": green})


@family("gift box", "present", "wrapped gift", "birthday present", "gift")
def _gift(kit: Kit) -> Drawn:
    paper = kit.color()
    ribbon = kit.other(paper, "red", "yellow", "white", "gold", "pink", "blue")
    width, height, depth = kit.between(0.2, 0.4), kit.between(0.12, 0.35), kit.between(0.2, 0.35)
    wide = 0.04 * kit.chunk
    parts = [
        box((width, height, depth), paper),
        box((wide, height * 1.02, depth * 1.02), ribbon),
        box((width * 1.02, height * 1.02, wide), ribbon),
    ]
    if kit.chance(0.5):
        parts.append(box((width * 1.08, height * 0.2, depth * 1.08), paper, (0, height * 0.82, 0)))
        parts += [
            box((wide, height * 0.21, depth * 1.1), ribbon, (0, height * 0.82, 0)),
            box((width * 1.1, height * 0.21, wide), ribbon, (0, height * 0.82, 0)),
        ]
    loop = torus(0.05, 0.014, ribbon, segments=10, around=5).scale(1, 1, 0.7).turn(x=90)
    parts += [
        loop.move(0.05).turn(z=25).move(0, height * 1.05),
        loop.move(-0.05).turn(z=-25).move(0, height * 1.05),
        sphere(0.025, ribbon, (0, height * 1.05, 0), segments=6),
    ]
    return Drawn(
        parts,
        paper,
        "",
        ("wrapped",),
        (f"a {kit.say(ribbon, 'bow')}", f"a {kit.say(ribbon, 'ribbon')}"),
        paints={"ribbon": ribbon},
    )


@family("dreamcatcher", "dream catcher", kind=_DECOR)
def _dreamcatcher(kit: Kit) -> Drawn:
    ring, feather = (
        kit.color("brown", "light brown", "purple"),
        kit.color("white", "red", "teal", "blue"),
    )
    parts = [torus(0.2, 0.014, ring, segments=16).turn(x=90)]
    parts += [
        bar(
            (0.19 * np.cos(a), 0.19 * np.sin(a), 0),
            (0.19 * np.cos(a + 2.2), 0.19 * np.sin(a + 2.2), 0),
            0.003,
            (0.9, 0.87, 0.8),
            segments=4,
        )
        for a in np.linspace(0, 6.28, 10)[:-1]
    ]
    for x in (-0.12, 0.0, 0.12):
        y = -float(np.sqrt(0.04 - x * x))
        parts += [
            bar((x, y, 0), (x, y - 0.1, 0), 0.003, ring, segments=4),
            sphere(0.014, feather, (x, y - 0.06, 0), segments=6),
            prism(circle(1.0, 8) * [0.025, 0.08], 0.006, feather, (x, y - 0.18, 0)),
        ]
    return Drawn(
        parts,
        None,
        "",
        ("hanging",),
        (kit.say(feather, "feathers"), "a web"),
        paints={"feathers": feather},
    )
