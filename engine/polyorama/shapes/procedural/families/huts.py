"""Huts, tents, barns, mills, and temples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    GLASS,
    WHITE,
    around,
    darker,
    gable,
    pair,
    rod_z,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    arc,
    bar,
    box,
    cone,
    cylinder,
    lathe,
    prism,
    sphere,
    torus,
    tube,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []

_KIND = "building"
_WALLS = (
    "white",
    "beige",
    "light grey",
    "red",
    "light blue",
    "yellow",
    "orange",
    "light brown",
    "pink",
)
_ROOFS = ("red", "dark red", "brown", "dark grey", "blue", "orange", "dark brown", "teal")
_STONE = ("grey", "light grey", "beige", "dark grey")


@family("windmill", "mill", "dutch windmill", "flour mill", kind=_KIND)
def windmill(kit: Kit) -> Drawn:
    wall, roof, sail = (
        kit.color("white", "beige", "brown", "red", "grey"),
        kit.color(*_ROOFS),
        kit.color("white", "beige", "light brown", "brown"),
    )
    high, count = kit.between(1.6, 2.3), kit.pick(4, 4, 4, 6)
    parts = [cylinder(0.75, high, wall, top=0.5, segments=8),
             cone(0.62, 0.6, roof, (0, high, 0), segments=8),
             box((0.4, 0.7, 0.2), kit.color("brown"), (0, 0, 0.65)),
             box((0.28, 0.3, 1.2), GLASS, (0, 1.0, 0)),
             rod_z(0.09, 0.5, DARK, (0, high, 0.6))]  # fmt: skip
    blade = [
        box((0.06, 1.35, 0.05), kit.color("brown")),
        box((0.34, 1.0, 0.025), sail, (0.15, 0.3, 0)),
    ]
    start = kit.between(0, 60)
    parts += [
        p.turn(z=start + k * 360 / count).move(0, high, 0.8) for k in range(count) for p in blade
    ]
    return Drawn(
        parts, wall, features=(f"{'four' if count == 4 else 'six'} sails", kit.say(roof, "roof"))
    )


@family("wind turbine", "modern windmill", "wind generator", "wind power plant", kind=_KIND)
def wind_turbine(kit: Kit) -> Drawn:
    paint = kit.color("white", "white", "light grey")
    blade = box((0.2, 1.3, 0.04), paint, (0, 0.05, 0), taper=0.25)
    start = kit.between(0, 120)
    parts = [
        cylinder(0.13, 2.6, paint, top=0.07),
        rod_z(0.12, 0.5, paint, (0, 2.65, 0)),
        sphere(0.13, paint, (0, 2.65, 0.28)),
        *(blade.turn(z=start + 120 * k).move(0, 2.65, 0.28) for k in range(3)),
    ]
    return Drawn(parts, paint, adjectives=("tall",), features=("three blades",))


@family("barn", "farm barn", "farm building", "stable", kind=_KIND)
def barn(kit: Kit) -> Drawn:
    wall, roof = (
        kit.color("red", "red", "dark red", "brown", "white"),
        kit.color("dark grey", "grey", "brown", "white"),
    )
    depth = kit.between(2.2, 3.2)
    face = [(-1.1, 0), (1.1, 0), (1.1, 1.2), (0.75, 1.8), (0, 2.15), (-0.75, 1.8), (-1.1, 1.2)]
    parts = [prism(face, depth, wall)]
    for a, b in (((1.18, 1.1), (0.75, 1.84)), ((0.75, 1.82), (0, 2.2))):
        slope, lean = math.dist(a, b), math.degrees(math.atan2(b[1] - a[1], a[0] - b[0]))
        parts += pair(
            box((slope + 0.06, 0.08, depth + 0.25), roof, (slope / 2, 0, 0))
            .turn(z=-lean)
            .move(b[0], b[1], 0)
        )
    front = depth / 2
    parts += [box((0.9, 1.0, 0.06), WHITE, (0, 0, front)),
              box((0.8, 0.94, 0.1), wall, (0, 0, front)),
              *(bar((s * 0.38, 0.04, front + 0.05), (-s * 0.38, 0.9, front + 0.05), 0.035, WHITE,
                    segments=4) for s in (-1, 1)),
              box((0.4, 0.4, 0.08), WHITE, (0, 1.35, front)),
              box((0.3, 0.3, 0.12), DARK, (0, 1.4, front))]  # fmt: skip
    if kit.chance(0.4):
        parts += [
            cylinder(0.5, 2.4, kit.color("light grey", "silver"), (1.8, 0, -0.2), segments=12),
            sphere(0.5, roof, (1.8, 2.4, -0.2), low=0.5),
        ]
        return Drawn(parts, wall, material="wooden", features=("big doors", "a silo"))
    return Drawn(parts, wall, material="wooden", features=("big doors", "a gambrel roof"))


@family("hut", kind=_KIND)
def hut(kit: Kit) -> Drawn:
    wood, straw = kit.wood(), kit.color("yellow", "beige", "light brown")
    if kit.chance(0.45):
        parts = [
            cylinder(0.85, 0.9, wood, segments=10),
            cone(1.25, 0.9, straw, (0, 0.85, 0), segments=10),
            box((0.45, 0.7, 0.3), DARK, (0, 0, 0.75)),
        ]
        return Drawn(
            parts,
            wood,
            adjectives=("round",),
            features=("a straw roof",),
            words=("straw hut", "hut", "tribal hut"),
        )
    logs = []
    for k in range(6):
        logs += [
            cylinder(0.1, 2.1, wood, (0, -1.05, 0), segments=7)
            .turn(z=90)
            .move(0, 0.1 + 0.18 * k, z)
            for z in (-0.8, 0.8)
        ]
        logs += [
            cylinder(0.1, 1.9, wood, (0, -0.95, 0), segments=7)
            .turn(x=90)
            .move(x, 0.1 + 0.18 * k, 0)
            for x in (-0.9, 0.9)
        ]
    roof = kit.color("dark brown", "brown", "green", "dark red")
    parts = [
        *logs,
        box((1.8, 1.1, 1.6), wood),
        gable(2.3, 0.9, 2.2, roof).move(0, 1.1, 0),
        box((0.5, 0.8, 0.25), kit.color("dark brown"), (0, 0, 0.82)),
        box((0.3, 0.3, 0.25), GLASS, (0.55, 0.5, 0.82)),
    ]
    return Drawn(
        parts,
        wood,
        material="wooden",
        features=("log walls",),
        words=("log cabin", "cabin", "wooden hut"),
    )


@family("shed", "garden shed", "tool shed", "outhouse", kind=_KIND)
def shed(kit: Kit) -> Drawn:
    wood, roof = kit.wood(), kit.color("dark grey", "brown", "green", "red")
    width, depth = kit.between(1.0, 1.6), kit.between(1.0, 1.5)
    planks = 7
    parts = [
        box((width / planks - 0.01, 1.5, depth), wood, (width * ((k + 0.5) / planks - 0.5), 0, 0))
        for k in range(planks)
    ]
    parts += [
        box((width - 0.04, 1.48, depth - 0.04), wood),
        box((width + 0.3, 0.08, depth + 0.35), roof).turn(x=12).move(0, 1.55, 0),
        box((0.55, 1.2, 0.06), kit.wood(), (0, 0, depth / 2)),
        box((0.08, 0.08, 0.1), DARK, (0.2, 0.6, depth / 2)),
    ]
    return Drawn(
        parts, wood, material="wooden", adjectives=("small",), features=("a sloping roof", "a door")
    )


@family("tent", kind="shelter")
def tent(kit: Kit) -> Drawn:
    cloth, kind = (
        kit.color("green", "orange", "blue", "red", "beige", "yellow", "white"),
        kit.pick("ridge", "teepee", "circus", "dome"),
    )
    wood = kit.wood()
    if kind == "ridge":
        parts = [
            prism([(-0.8, 0), (0.8, 0), (0, 1.1)], 2.0, cloth),
            prism([(-0.35, 0), (0.35, 0), (0, 0.9)], 2.04, DARK),
            *(box((0.05, 1.2, 0.05), wood, (0, 0, z)) for z in (-1.03, 1.03)),
        ]
        return Drawn(
            parts,
            cloth,
            adjectives=("triangular",),
            features=("an open entrance",),
            words=("tent", "camping tent"),
        )
    if kind == "teepee":
        parts = [
            cone(0.9, 1.7, cloth, segments=9),
            cone(0.35, 1.0, DARK, (0, 0, 0.5), segments=5),
            *around(bar((-0.12, 1.45, 0), (0.14, 1.95, 0.1), 0.03, wood), 5),
            cylinder(0.66, 0.12, kit.other(cloth), (0, 0.45, 0), top=0.6, segments=9),
        ]
        return Drawn(
            parts,
            cloth,
            features=("wooden poles",),
            words=("teepee", "tipi", "indian tent", "tent"),
        )
    if kind == "dome":
        parts = [
            sphere((1.0, 0.8, 0.85), cloth, low=0.5, segments=10),
            sphere((0.35, 0.55, 0.2), DARK, (0, 0, 0.75), low=0.5),
            torus(0.93, 0.03, kit.other(cloth), degrees=180).turn(x=90),
        ]
        return Drawn(parts, cloth, adjectives=("round",), words=("dome tent", "tent", "igloo tent"))
    other = kit.other(cloth, "white", "yellow", "red")
    parts = [
        cylinder(1.2, 0.8, cloth, segments=12),
        cone(1.4, 0.9, other, (0, 0.8, 0), segments=12),
        box((0.5, 0.7, 0.3), DARK, (0, 0, 1.1)),
        cylinder(0.03, 0.5, wood, (0, 1.65, 0)),
        box((0.3, 0.16, 0.02), cloth, (0.15, 1.98, 0)),
    ]
    parts += around(box((0.3, 0.78, 0.06), other, (0, 0, 1.17)), 6, 30)
    return Drawn(
        parts, cloth, features=("stripes", "a flag"), words=("circus tent", "big top", "tent")
    )


@family("temple", "ancient temple", kind=_KIND)
def temple(kit: Kit) -> Drawn:
    stone = kit.color("white", "beige", "light grey", "grey")
    count = kit.count(4, 6)
    parts = [box((2.8 - 0.2 * k, 0.12, 3.4 - 0.2 * k), stone, (0, 0.12 * k, 0)) for k in range(3)]
    for k in range(count):
        x = -1.0 + 2.0 * k / (count - 1)
        parts += [
            cylinder(0.13, 1.4, stone, (x, 0.36, z), top=0.1, segments=8) for z in (-1.35, 1.35)
        ]
    parts += pair(
        *(cylinder(0.13, 1.4, stone, (1.0, 0.36, z), top=0.1, segments=8) for z in (-0.7, 0, 0.7))
    )
    parts += [
        box((2.4, 0.2, 3.0), stone, (0, 1.76, 0)),
        gable(2.6, 0.6, 3.1, stone).move(0, 1.96, 0),
        box((1.4, 1.4, 2.0), stone, (0, 0.36, 0)),
    ]
    return Drawn(
        parts,
        stone,
        material=kit.pick("marble", "stone"),
        features=(f"{('four', 'five', 'six')[count - 4]} columns in front", "steps"),
    )


@family("pagoda", "japanese temple", "chinese temple", "asian tower", kind=_KIND)
def pagoda(kit: Kit) -> Drawn:
    wall, roof, floors = (
        kit.color("red", "white", "brown", "beige"),
        kit.color("dark grey", "teal", "dark green", "blue", "brown"),
        kit.count(2, 5),
    )
    parts, y = [box((2.2, 0.15, 2.2), kit.color("grey", "light grey"))], 0.15
    for k in range(floors):
        wide = 1.5 - 0.8 * k / floors
        eave = [(0.98 * wide, 0.06), (0.85 * wide, 0.05), (0.45 * wide, 0.34), (0.3 * wide, 0.4)]
        parts += [
            box((wide, 0.6, wide), wall, (0, y, 0)),
            box((0.3 * wide, 0.4, wide + 0.05), DARK, (0, y, 0)),
            lathe(eave, roof, (0, y + 0.52, 0), segments=4),
        ]
        y += 0.85
    parts.append(cone(0.12, 0.6, kit.color("gold", "brown"), (0, y, 0), segments=6))
    return Drawn(
        parts,
        wall,
        features=(f"{('two', 'three', 'four', 'five')[floors - 2]} roofs", "curved eaves"),
        paints={"roof": roof},
    )


@family(
    "pyramid building",
    "egyptian pyramid",
    "step pyramid",
    "desert pyramid",
    "mayan pyramid",
    kind=_KIND,
)
def egyptian_pyramid(kit: Kit) -> Drawn:
    stone, steps = kit.color("beige", "yellow", "light brown", "grey"), kit.count(5, 9)
    parts = [
        box(
            (2.4 * (1 - k / steps), 1.5 / steps, 2.4 * (1 - k / steps)),
            stone,
            (0, 1.5 * k / steps, 0),
        )
        for k in range(steps)
    ]
    if kit.chance(0.5):
        parts += [
            box((0.5, 0.3, 0.4), stone, (0, 1.45, 0)),
            box((0.5, 0.2, 1.2), stone).turn(x=45).move(0, 0.7, 0.75),
        ]
    else:
        parts += [box((0.36, 0.45, 0.3), DARK, (0, 0, 1.12))]
    return Drawn(
        parts,
        stone,
        material="stone",
        adjectives=("ancient",),
        features=("steps",),
        words=("pyramid", "ancient pyramid", "step pyramid"),
    )


@family("igloo", "snow house", "ice house", "eskimo house", kind="shelter")
def igloo(kit: Kit) -> Drawn:
    snow = kit.color("white", "light blue", "white")
    line = darker(snow, 0.86)
    parts = [sphere((1.0, 0.95, 1.0), snow, low=0.5, segments=12),
             *(cylinder(math.sqrt(1 - y * y) * 1.015, 0.025, line, (0, 0.95 * y, 0),
                        segments=12) for y in (0.25, 0.5, 0.72)),
             tube(0.42, 0.3, 0.9, snow, (0, -0.45, 0), segments=10).turn(x=90).move(0, 0.12, 1.05),
             rod_z(0.3, 0.86, DARK, (0, 0.12, 1.05))]  # fmt: skip
    return Drawn(
        parts, snow, adjectives=("round",), features=("an entrance tunnel", "blocks of snow")
    )


@family("greenhouse", "glass house", "conservatory", kind=_KIND)
def greenhouse(kit: Kit) -> Drawn:
    frame, depth = kit.color("white", "green", "grey", "brown"), kit.between(2.0, 3.0)
    parts = [
        box((1.5, 0.9, depth), GLASS),
        gable(1.5, 0.6, depth, GLASS).move(0, 0.9, 0),
        box((1.56, 0.15, depth + 0.06), frame),
    ]
    count = 5
    for k in range(count):
        z = depth * (k / (count - 1) - 0.5)
        parts += pair(
            box((0.06, 0.95, 0.06), frame, (0.76, 0, z)),
            bar((0.77, 0.9, z), (0, 1.52, z), 0.035, frame, segments=4),
        )
    parts += [
        box((0.06, 0.06, depth), frame, (0, 1.5, 0)),
        *pair(box((0.06, 0.06, depth), frame, (0.76, 0.88, 0))),
        box((0.5, 0.8, 0.1), frame, (0, 0, depth / 2)),
        box((0.4, 0.7, 0.14), GLASS, (0, 0.04, depth / 2)),
    ]
    return Drawn(parts, frame, material="glass", features=("a glass roof",))


@family("water tower", "water tank", kind=_KIND)
def water_tower(kit: Kit) -> Drawn:
    paint, frame = (
        kit.color("grey", "brown", "red", "light blue", "white", "beige"),
        kit.color("dark grey", "brown", "grey"),
    )
    high, legs = kit.between(1.0, 1.8), kit.pick(4, 4, 6)
    leg = bar((0.62, 0, 0), (0.5, high, 0), 0.05, frame, segments=4)
    parts = [
        *around(leg, legs, 45),
        cylinder(0.65, 0.06, frame, (0, high, 0)),
        cylinder(0.6, kit.between(0.7, 1.0), paint, (0, high + 0.06, 0), segments=12),
        cylinder(0.06, high, frame),
    ]
    parts += [
        cone(0.7, 0.4, kit.color("dark grey", "red", "brown"), (0, high + 0.9, 0), segments=12),
        *around(bar((0.58, 0.25 * high, 0), (0, 0.7 * high, -0.55), 0.025, frame), legs, 45),
        torus(0.61, 0.03, frame).move(0, high + 0.5, 0),
    ]
    return Drawn(
        parts,
        paint,
        features=(f"{'four' if legs == 4 else 'six'} legs", "a pointed roof"),
        words=("water tower", "water tank"),
    )


@family("animal house", kind="small building")
def dog_house(kit: Kit) -> Drawn:
    wood, roof = (
        kit.color("brown", "red", "light brown", "blue", "white"),
        kit.color("red", "dark grey", "brown", "green"),
    )
    parts = [box((0.8, 0.6, 1.0), wood), gable(0.8, 0.4, 0.98, wood).move(0, 0.6, 0)]
    slab = box((0.68, 0.06, 1.2), roof, (0.34, 0, 0)).turn(z=-45).move(0, 1.04, 0)
    parts += pair(slab)
    if kit.chance(0.4):
        parts += [
            rod_z(0.13, 0.06, DARK, (0, 0.5, 0.5)),
            rod_z(0.03, 0.2, wood, (0, 0.28, 0.55)),
            cylinder(0.06, 1.4, wood, (0, -1.4, 0)),
        ]
        return Drawn(
            parts,
            wood,
            material="wooden",
            features=("a round hole", "a post"),
            words=("birdhouse", "bird house", "nesting box"),
        )
    door = [(-0.22, 0), (0.22, 0), (0.22, 0.3), *arc(0.22, 0, 180, 6, (0, 0.3))]
    parts.append(prism(door, 0.06, DARK, (0, 0.02, 0.5)))
    return Drawn(
        parts,
        wood,
        material="wooden",
        features=("an arched doorway", kit.say(roof, "roof")),
        words=("dog house", "kennel"),
    )
