"""Flowers, grasses and other small plants."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import WHITE, around, pair, plate
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    capsule,
    cone,
    cylinder,
    lathe,
    prism,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Part

__all__: list[str] = []

_STONE = ("grey", "light grey", "dark grey", "beige", "brown")
_AUTUMN = ("orange", "red", "yellow", "dark red")


@family("garden flower", "flower", "blossom", kind="plant")
def flower(kit: Kit) -> Drawn:
    petal, leaf = (
        kit.color("red", "yellow", "pink", "white", "purple", "orange", "blue"),
        kit.leaf(),
    )
    kind = kit.pick("daisy", "tulip", "sunflower") if petal.name else kit.pick("daisy", "tulip")
    height = kit.between(0.5, 0.9)
    blade = plate(
        [(0, 0.02), (0.15, 0.06), (0.32, 0), (0.15, -0.06), (0, -0.02)], 0.015, leaf
    ).turn(z=35)
    parts = [
        sweep(
            [(0, 0, 0), (0.03, height / 2, 0), (0, height, 0)], 0.02 * kit.chunk, leaf, segments=5
        ),
        blade.move(0, 0.15, 0),
        blade.turn(y=170).move(0, 0.25, 0),
    ]
    if kind == "tulip":
        cup = lathe(
            [(0.02, 0), (0.11, 0.05), (0.13, 0.14), (0.08, 0.26), (0, 0.2)], petal, segments=8
        )
        parts += [
            cup.move(0, height, 0),
            *(cone(0.06, 0.14, petal, (0.08, height + 0.17, 0), segments=5) for _ in range(1)),
        ]
        return Drawn(
            parts, petal, features=(kit.say(petal, "petals"), "a stem"), words=("tulip", "flower")
        )
    if kind == "sunflower":
        petal = kit.color("yellow")
    count, size = kit.pick(5, 6, 8, 10), 0.13 if kind == "daisy" else 0.18
    one = sphere((size, 0.02, 0.4 * size), petal, (1.3 * size, 0, 0), segments=7)
    head = [
        *around(one, count + (4 if kind == "sunflower" else 0)),
        sphere(
            (0.75 * size, 0.06, 0.75 * size),
            kit.color("yellow" if kind == "daisy" else "brown", "brown"),
        ),
    ]
    tilt = kit.between(20, 75)
    parts += [p.turn(x=tilt).move(0, height, 0.02) for p in head]
    return Drawn(
        parts,
        petal,
        features=(f"{kit.say(petal, 'petals')}", "a stem", "leaves"),
        words=("sunflower", "flower") if kind == "sunflower" else ("flower", "daisy"),
    )


@family("grass", "grass tuft", "clump of grass", "tall grass", "reeds", kind="plant")
def grass(kit: Kit) -> Drawn:
    leaf = kit.color("green", "light green", "dark green", "yellow")
    count, height = kit.count(7, 14), kit.between(0.3, 0.7)
    blades = []
    for _ in range(count):
        angle, lean = kit.between(0, 360), kit.between(5, 45)
        one = box((0.06, height * kit.between(0.6, 1.1), 0.015), leaf, taper=0.05).bend(lean)
        blades.append(
            one.turn(x=0.4 * lean)
            .turn(y=angle)
            .move(kit.between(-0.08, 0.08), 0, kit.between(-0.08, 0.08))
        )
    return Drawn(
        blades, leaf, features=("thin blades",), words=("grass", "tuft of grass", "clump of grass")
    )


@family("fern", "fern plant", "jungle plant", "leafy plant", kind="plant")
def fern(kit: Kit) -> Drawn:
    leaf, count = kit.leaf(), kit.count(6, 10)
    frond = []
    for k in range(6):
        x, y = 0.12 + 0.12 * k, 0.5 * math.sin(0.45 * k + 0.3)
        reach = 0.26 - 0.034 * k
        frond.append(
            plate(
                [(x - 0.07, 0), (x + 0.04, reach), (x + 0.1, 0), (x + 0.04, -reach)],
                0.012,
                leaf,
                (0, y, 0),
            )
        )
    stem = sweep(
        [(0, 0, 0), (0.12, 0.15, 0), (0.36, 0.45, 0), (0.74, 0.2, 0)], 0.015, leaf, segments=4
    )
    parts = [p for piece in (*frond, stem) for p in around(piece, count)]
    return Drawn(parts, leaf, features=("feathery fronds",))


@family("leaf", "tree leaf", kind="plant")
def a_leaf(kit: Kit) -> Drawn:
    color = kit.color("green", "light green", "orange", "red", "yellow", "brown")
    if kit.chance(0.4):
        outline = [
            (0.03, -0.45),
            (0.05, -0.15),
            (0.3, -0.25),
            (0.26, -0.12),
            (0.52, 0.08),
            (0.4, 0.12),
            (0.42, 0.26),
            (0.24, 0.2),
            (0.26, 0.42),
            (0.12, 0.36),
            (0, 0.6),
        ]
        outline += [(-x, y) for x, y in reversed(outline[:-1])]
        words: tuple[str, ...] = ("maple leaf", "leaf")
    else:
        half = [(0.02, -0.4), (0.16, -0.25), (0.24, 0.0), (0.16, 0.3), (0.0, 0.55)]
        outline = half + [(-x, y) for x, y in reversed(half[:-1])]
        words = ("leaf", "tree leaf")
    parts = [
        prism(outline, 0.03, color),
        bar((0, -0.65, 0), (0, 0.45, 0.015), 0.02, kit.color("brown", "green"), segments=4),
    ]
    lean = kit.pick(0, -45, -80)
    return Drawn(
        [p.turn(x=lean) for p in parts],
        color,
        adjectives=("flat",),
        features=("a stem",),
        words=words,
    )


@family("mushroom", "toadstool", "fungus", kind="plant")
def mushroom(kit: Kit) -> Drawn:
    cap, stem = (
        kit.color("red", "brown", "beige", "orange", "purple", "light brown"),
        kit.color("white", "beige"),
    )
    count, dots, parts = kit.pick(1, 1, 2, 3), kit.chance(0.5), []
    for k in range(count):
        scale = 1.0 - 0.3 * k
        one = [
            cylinder(0.12, 0.5, stem, top=0.09),
            sphere(
                (0.36, kit.between(0.2, 0.36), 0.36),
                cap,
                (0, 0.45, 0),
                low=0.5,
                segments=max(8, kit.segments),
            ),
        ]
        if dots:
            one += [
                sphere(
                    (0.05, 0.03, 0.05),
                    WHITE,
                    (0.24 * math.cos(a), 0.6, 0.24 * math.sin(a)),
                    segments=6,
                )
                for a in range(0, 6, 1)
            ]
        parts += [p.scale(scale).move(0.42 * k, 0, 0.2 * (k % 2)) for p in one]
    features = [kit.say(cap, "cap"), *(["dots"] if dots else [])]
    return Drawn(
        parts,
        cap,
        features=tuple(features),
        words=("mushroom", "toadstool") if count == 1 else ("mushrooms", "group of mushrooms"),
    )


@family("desert cactus", "cactus", kind="plant")
def cactus(kit: Kit) -> Drawn:
    green = kit.color("green", "dark green", "light green", "teal")
    radius, height, arms = 0.15 * kit.chunk, kit.between(0.7, 1.3), kit.count(0, 3)
    parts = [capsule(radius, height, green, segments=max(8, kit.segments))]
    for k in range(arms):
        y, reach = height * kit.between(0.35, 0.6), 0.38
        line = [
            (0.0, y, 0.0),
            (reach - 0.06, y, 0.0),
            (reach, y + 0.06, 0.0),
            (reach, y + 0.35, 0.0),
        ]
        arm = [
            sweep(line, 0.62 * radius, green, segments=8),
            sphere(0.62 * radius, green, line[-1]),
        ]
        parts += [p.turn(y=k * 180 + kit.between(-15, 15)) for p in arm]
    features = [("no arms", "one arm", "two arms", "three arms")[arms]]
    if kit.chance(0.35):
        bloom = kit.color("pink", "red", "yellow", "white")
        parts.append(cone(0.08, 0.1, bloom, (0, height + 0.07, 0), segments=6).turn(x=0))
        features.append(kit.say(bloom, "flower"))
    if kit.chance(0.5):
        pot = kit.color("orange", "brown", "white", "blue", "pink")
        parts = [p.move(0, 0.25, 0) for p in parts]
        parts += [cylinder(0.2, 0.3, pot, top=0.28), cylinder(0.31, 0.06, pot, (0, 0.27, 0))]
        return Drawn(
            parts,
            green,
            features=(*features, kit.say(pot, "pot")),
            words=("potted cactus", "cactus", "cactus in a pot"),
            paints={"pot": pot},
        )
    return Drawn(
        parts,
        green,
        adjectives=("prickly", "tall" if height > 1 else "small"),
        features=tuple(features),
    )


@family("pumpkin patch", "pumpkins", "heap of pumpkins", "pile of pumpkins", kind="nature")
def pumpkin_patch(kit: Kit) -> Drawn:
    color, stem = kit.color("orange", "orange", "yellow"), kit.color("green", "brown")
    rib = torus(0.1, 0.12, color, segments=8, around=8)
    places = [(0, 0, 0, 1.0), (0.62, 0, 0.1, 0.75), (-0.5, 0, 0.3, 0.6), (0.2, 0, 0.55, 0.5)][
        : kit.count(2, 4)
    ]
    parts = []
    for x, y, z, s in places:
        lobes = around(sphere((0.17, 0.26, 0.17), color, (0.2, 0.26, 0), segments=8), 7)
        parts += [
            p.scale(s).move(x, y, z) for p in (*lobes, cylinder(0.04, 0.16, stem, (0, 0.45, 0)))
        ]
    vine = sweep([(0, 0.05, 0.3), (0.4, 0.04, 0.4), (0.8, 0.06, -0.2)], 0.03, stem)
    return Drawn(
        [*parts, vine, rib.scale(0.2).move(0, 0.05, -0.2)], color, features=("stems", "a vine")
    )


@family("vine", "hanging vine", "ivy", "creeper", kind="plant")
def vine(kit: Kit) -> Drawn:
    leaf = kit.leaf()
    line = [(0.1 * math.sin(1.1 * k), 1.4 - 0.14 * k, 0.05 * math.cos(k)) for k in range(11)]
    blade = plate([(0, 0), (0.12, 0.08), (0.2, 0), (0.12, -0.08)], 0.015, leaf).turn(z=-30)
    parts = [
        sweep(line, 0.02, kit.color("green", "brown"), segments=5),
        *(blade.turn(y=137 * k).move(*at) for k, at in enumerate(line)),
    ]
    return Drawn(
        [*parts, *(blade.turn(y=137 * k + 90).move(*at) for k, at in enumerate(line))],
        leaf,
        adjectives=("hanging",),
        features=("leaves",),
    )


@family("water lily", "lily pad", "lotus", "pond plant", kind="plant")
def water_lily(kit: Kit) -> Drawn:
    petal, leaf = kit.color("pink", "white", "purple", "yellow"), kit.leaf()
    pad = [
        (0.6 * math.cos(a), 0.6 * math.sin(a))
        for a in (math.radians(d) for d in range(15, 346, 22))
    ]
    one = sphere((0.16, 0.03, 0.07), petal, (0.16, 0, 0), segments=7)
    parts = [
        plate([*pad, (0.1, 0)], 0.04, leaf),
        *around(one.turn(z=25), 8),
        *around(one.scale(0.8).turn(z=60), 6),
        sphere(0.05, kit.color("yellow"), (0, 0.08, 0)),
    ]
    return Drawn(
        [*parts[:1], *(p.move(0, 0.05, 0) for p in parts[1:])],
        petal,
        features=(kit.say(petal, "petals"), "a round leaf"),
    )


@family("bamboo", "bamboo stalks", "bamboo plant", "cane", kind="plant")
def bamboo(kit: Kit) -> Drawn:
    green, leaf = kit.color("green", "light green", "yellow"), kit.leaf()
    parts: list[Part] = []
    blade = plate([(0, 0), (0.15, 0.04), (0.32, 0), (0.15, -0.04)], 0.01, leaf).turn(z=-25)
    for k in range(kit.count(2, 5)):
        x, z, high = kit.between(-0.3, 0.3), kit.between(-0.3, 0.3), kit.count(4, 7)
        parts += [cylinder(0.055, 0.3, green, (x, 0.32 * j, z), segments=7) for j in range(high)]
        parts += [
            cylinder(0.062, 0.03, green, (x, 0.32 * j + 0.295, z), segments=7) for j in range(high)
        ]
        parts += [
            blade.turn(y=100 * j + 40 * k).move(x, 0.32 * high * (0.6 + 0.1 * j), z)
            for j in range(4)
        ]
    return Drawn(parts, green, adjectives=("tall",), features=("jointed stalks",))


@family("farm crop", kind="plant")
def wheat(kit: Kit) -> Drawn:
    gold = kit.color("yellow", "gold", "beige")
    if kit.chance(0.4):
        parts = [
            cylinder(0.5, 0.9, gold, (0, -0.45, 0), segments=12).turn(z=90).move(0, 0.5, 0),
            *pair(torus(0.5, 0.02, (0.5, 0.35, 0.2)).turn(z=90).move(0.2, 0.5, 0)),
        ]
        if kit.chance():
            parts = [
                box((1.2, 0.6, 0.6), gold, bevel=0.03),
                *pair(box((0.04, 0.62, 0.62), (0.5, 0.35, 0.2), (0.3, -0.01, 0))),
            ]
        return Drawn(parts, gold, words=("hay bale", "bale of hay", "straw bale"))
    parts = []
    for _ in range(kit.count(6, 10)):
        lean, turn = kit.between(2, 16), kit.between(0, 360)
        ear = [
            cylinder(0.012, 0.8, gold, segments=4),
            sphere((0.045, 0.16, 0.045), gold, (0, 0.9, 0), segments=6),
        ]
        parts += [p.turn(z=lean).turn(y=turn) for p in ear]
    return Drawn(
        [*parts, cylinder(0.08, 0.06, (0.5, 0.35, 0.2), (0, 0.3, 0))],
        gold,
        words=("wheat", "sheaf of wheat", "ears of wheat"),
    )
