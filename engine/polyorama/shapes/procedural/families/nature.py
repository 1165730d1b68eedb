"""Trees, plants, stones, and pieces of landscape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import WHITE, around
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    box,
    cone,
    cylinder,
    prism,
    sphere,
    sweep,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Paint, Part, Place, Tint

__all__: list[str] = []

_STONE = ("grey", "light grey", "dark grey", "beige", "brown")
_AUTUMN = ("orange", "red", "yellow", "dark red")


def _trunk(kit: Kit, height: float, radius: float, bark: Tint) -> Part:
    lean = kit.between(-0.08, 0.08) * height
    points = [(0, 0, 0), (0.4 * lean, 0.5 * height, 0), (lean, height, 0.3 * lean)]
    return sweep(
        points, [1.3 * radius, radius, 0.75 * radius], bark, segments=max(5, kit.segments - 3)
    )


def _crown(kit: Kit, leaf: Tint, at: Place, size: float) -> list[Part]:
    """Foliage: one lump, or a few."""
    detail = 1 if kit.segments <= 10 else 2
    count = kit.pick(1, 3, 4, 5)
    if count == 1:
        radius = (size, size * kit.between(0.8, 1.4), size)
        return [blob(radius, leaf, kit.rng, at, rough=0.12, detail=detail)]
    lumps = []
    for k in range(count):
        angle = 2 * math.pi * k / count
        away, up = 0.45 * size, kit.between(-0.2, 0.35) * size
        place = (at[0] + away * math.cos(angle), at[1] + up, at[2] + away * math.sin(angle))
        lumps.append(
            blob(size * kit.between(0.5, 0.75), leaf, kit.rng, place, rough=0.12, detail=detail)
        )
    return [
        *lumps,
        blob(0.7 * size, leaf, kit.rng, (at[0], at[1] + 0.35 * size, at[2]), detail=detail),
    ]


def _tree(kit: Kit, leaf: Paint, bark: Paint) -> tuple[list[Part], str]:
    height, size = kit.between(0.7, 1.6), kit.between(0.6, 1.0)
    parts = [
        _trunk(kit, height + 0.3, 0.1 * kit.chunk, bark),
        *_crown(kit, leaf, (0, height + 0.6 * size, 0), size),
    ]
    return parts, "tall" if height > 1.3 else ("small" if height < 0.9 else "leafy")


@family("tree", "broadleaf tree", "deciduous tree", "oak tree", "garden tree", kind="plant")
def tree(kit: Kit) -> Drawn:
    leaf, bark = kit.leaf(), kit.color("brown", "dark brown")
    parts, tall = _tree(kit, leaf, bark)
    features = [kit.say(leaf, "leaves"), kit.say(bark, "trunk")]
    if kit.chance(0.15):
        fruit = kit.color("red", "orange", "yellow")
        parts += [
            sphere(
                0.07,
                fruit,
                (0.75 * math.cos(k), 1.3 + 0.1 * (k % 4), 0.75 * math.sin(k)),
                segments=6,
            )
            for k in range(7)
        ]
        return Drawn(
            parts,
            leaf,
            features=(kit.say(fruit, "fruit"), *features),
            words=("fruit tree", "apple tree", "tree"),
        )
    return Drawn(parts, leaf, adjectives=(tall,), features=tuple(features))


@family("autumn tree", "fall tree", "tree in autumn", "tree", kind="plant")
def autumn_tree(kit: Kit) -> Drawn:
    leaf, bark = kit.color(*_AUTUMN), kit.color("brown", "dark brown")
    parts, tall = _tree(kit, leaf, bark)
    if kit.chance(0.4):
        parts += [
            blob(
                (0.1, 0.02, 0.1),
                leaf,
                kit.rng,
                (kit.between(-0.8, 0.8), 0.02, kit.between(-0.8, 0.8)),
                detail=0,
            )
            for _ in range(6)
        ]
    return Drawn(parts, leaf, adjectives=(tall,), features=(kit.say(leaf, "leaves"),))


@family("birch tree", "birch", "white birch", "tree", kind="plant")
def birch(kit: Kit) -> Drawn:
    leaf, bark = kit.color("light green", "green", "yellow"), kit.color("white")
    height = kit.between(1.5, 2.2)
    parts = [
        _trunk(kit, height, 0.07 * kit.chunk, bark),
        blob((0.5, 0.9, 0.5), leaf, kit.rng, (0, height + 0.2, 0), detail=1),
    ]
    parts += [
        box((0.13 * kit.chunk, 0.04, 0.1), (0.15, 0.15, 0.15), (0, 0.2 + 0.3 * k, 0.05))
        for k in range(4)
    ]
    return Drawn(
        parts,
        leaf,
        adjectives=("slender",),
        features=("a white trunk" if kit.look != "clay" else "a thin trunk",),
    )


@family("pine tree", "fir tree", "conifer", "spruce", "evergreen tree", "tree", kind="plant")
def pine(kit: Kit) -> Drawn:
    leaf = kit.color("dark green", "green", "teal", "orange", "yellow", "dark green")
    bark, tiers, size = kit.color("brown", "dark brown"), kit.count(2, 5), kit.between(0.5, 0.8)
    step = kit.between(0.4, 0.6)
    start = kit.between(0.2, 0.6)
    parts = [cylinder(0.09 * kit.chunk, start + 0.2, bark, segments=7)]
    for k in range(tiers):
        reach = size * (1 - 0.72 * k / tiers)
        parts.append(
            cone(reach, 1.6 * step, leaf, (0, start + k * step, 0), segments=kit.segments).turn(
                y=25 * k
            )
        )
    features = [f"{('two', 'three', 'four', 'five')[tiers - 2]} tiers"]
    if kit.chance(0.2):
        snow = kit.color("white")
        parts += [
            cone(
                0.62 * size * (1 - 0.72 * k / tiers),
                1.03 * step,
                snow,
                (0, start + k * step + 0.6 * step, 0),
                segments=kit.segments,
            ).turn(y=25 * k)
            for k in range(tiers)
        ]
        features = ["snow on its branches"]
    words = ("pine tree", "fir tree", "orange pine tree" if leaf.name == "orange" else "conifer")
    return Drawn(
        parts,
        leaf,
        adjectives=("tall" if tiers > 3 else "small", "pointed"),
        features=tuple(features),
        words=words,
    )


@family(
    "decorated fir",
    "decorated christmas tree",
    "christmas tree",
    "xmas tree",
    "christmas fir",
    kind="decoration",
)
def christmas_tree(kit: Kit) -> Drawn:
    leaf, tip = kit.color("dark green", "green"), kit.color("gold", "yellow", "red")
    parts = [
        cylinder(0.1, 0.3, kit.color("brown")),
        *(
            cone(0.65 - 0.17 * k, 0.7, leaf, (0, 0.25 + 0.42 * k, 0), segments=kit.segments)
            for k in range(3)
        ),
    ]
    for k in range(14):
        y = 0.35 + 0.1 * k
        reach = 0.62 * (1 - 0.62 * k / 14)
        parts.append(
            sphere(
                0.055,
                kit.color("red", "gold", "blue", "yellow", "pink"),
                (reach * math.cos(2.4 * k), y, reach * math.sin(2.4 * k)),
                segments=6,
            )
        )
    points = [
        (r * math.sin(a * math.pi / 5), r * math.cos(a * math.pi / 5))
        for a in range(10)
        for r in ((0.18, 0.08)[a % 2],)
    ]
    parts.append(prism(points, 0.05, tip, (0, 1.92, 0)))
    if kit.chance():
        gift = kit.color("red", "blue", "purple")
        parts += [
            box((0.3, 0.24, 0.3), gift, (0.5, 0, 0.3)),
            box((0.32, 0.25, 0.06), WHITE, (0.5, 0, 0.3)),
        ]
    return Drawn(
        parts,
        leaf,
        features=("colourful baubles", "a star on top"),
        sentences=("tree for christmas",),
    )


@family("palm tree", "palm", "coconut tree", "tropical tree", kind="plant")
def palm(kit: Kit) -> Drawn:
    leaf, bark = kit.leaf(), kit.color("light brown", "brown", "beige")
    height, bend, count = kit.between(1.4, 2.4), kit.between(-0.5, 0.5), kit.count(6, 9)
    top = (bend, height, 0.0)
    line = [
        (0.0, 0.0, 0.0),
        (0.15 * bend, 0.35 * height, 0.0),
        (0.5 * bend, 0.7 * height, 0.0),
        top,
    ]
    frond = prism(
        [(0, -0.02), (0.35, 0.14), (0.75, 0.0), (0.95, -0.35), (0.7, -0.13), (0.35, 0.02)],
        0.2,
        leaf,
    )
    parts = [
        sweep(line, [0.14, 0.1, 0.09, 0.08], bark, segments=7),
        *(p.move(*top) for p in around(frond, count)),
    ]
    features = [f"{count} fronds"]
    if kit.chance(0.6):
        parts += [
            sphere(
                0.09,
                kit.color("brown", "dark brown", "orange"),
                (bend + 0.1 * math.cos(2.1 * k), height - 0.1, 0.1 * math.sin(2.1 * k)),
            )
            for k in range(3)
        ]
        features.append("coconuts")
    return Drawn(parts, leaf, adjectives=("tropical",), features=tuple(features))


def _branches(
    kit: Kit, at: Place, toward: Place, radius: float, depth: int, bark: Tint
) -> list[Part]:
    """A limb and what grows from it."""
    end = (at[0] + toward[0], at[1] + toward[1], at[2] + toward[2])
    parts = [bar(at, end, radius, bark, top=0.6 * radius if depth else 0.15 * radius, segments=5)]
    if depth:
        start = kit.between(0, 6.28)
        for k in range(kit.count(2, 3)):
            angle = start + 2.3 * k
            reach = math.hypot(*toward) * kit.between(0.5, 0.8)
            aim = (0.65 * reach * math.cos(angle), 0.65 * reach, 0.65 * reach * math.sin(angle))
            parts += _branches(kit, end, aim, 0.55 * radius, depth - 1, bark)
    return parts


@family("dead tree", "bare tree", "leafless tree", "spooky tree", "tree", kind="plant")
def dead_tree(kit: Kit) -> Drawn:
    bark = kit.color("dark brown", "brown", "dark grey", "grey", "black")
    size = kit.pick("small", "tall")
    height = 0.6 if size == "small" else 1.0
    parts = _branches(
        kit,
        (0, 0, 0),
        (kit.between(-0.1, 0.1), height, kit.between(-0.1, 0.1)),
        0.14 * kit.chunk,
        2,
        bark,
    )
    parts.append(cone(0.26 * kit.chunk, 0.3, bark, segments=6))
    return Drawn(
        parts,
        bark,
        adjectives=(size, "spooky", "twisted"),
        features=("bare branches", "no leaves"),
        sentences=("halloween tree without leaves",),
    )


@family("bush", "shrub", "garden bush", "green bush", kind="plant")
def bush(kit: Kit) -> Drawn:
    leaf = kit.leaf()
    parts = [blob(kit.between(0.25, 0.42), leaf, kit.rng,
                  (kit.between(-0.35, 0.35), 0.25, kit.between(-0.25, 0.25)),
                  detail=1 if kit.segments < 12 else 2)
             for _ in range(kit.count(2, 5))]  # fmt: skip
    if kit.chance(0.3):
        berry = kit.color("red", "purple", "blue", "pink", "white")
        parts += [
            sphere(
                0.05,
                berry,
                (0.4 * math.cos(2 * k), 0.3 + 0.05 * (k % 3), 0.35 * math.sin(2 * k)),
                segments=6,
            )
            for k in range(8)
        ]
        return Drawn(
            parts,
            leaf,
            adjectives=("round",),
            features=(kit.say(berry, "berries"),),
            words=("berry bush", "bush", "shrub"),
        )
    return Drawn(parts, leaf, adjectives=("round", "leafy"))


@family("trimmed hedge", "hedge", kind="plant")
def hedge(kit: Kit) -> Drawn:
    leaf = kit.leaf()
    if kit.chance(0.4):
        count = kit.count(1, 3)
        pot = kit.color("brown", "orange", "grey")
        parts = [
            cylinder(0.2, 0.3, pot, top=0.27),
            cylinder(0.04, 0.4 + 0.5 * count, kit.color("brown")),
        ]
        parts += [
            blob(0.34 - 0.07 * k, leaf, kit.rng, (0, 0.75 + 0.5 * k, 0), rough=0.05, detail=2)
            for k in range(count)
        ]
        return Drawn(
            parts,
            leaf,
            adjectives=("trimmed",),
            features=("round balls",),
            words=("topiary", "topiary tree", "trimmed bush"),
        )
    body = box((kit.between(1.2, 2.4), kit.between(0.5, 0.9), 0.4), leaf, bevel=0.06)
    return Drawn([body.rough(kit.rng, 0.03)], leaf, adjectives=("trimmed", "long"))
