"""Toys, sport and musical instruments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    pair,
    plate,
    pyramid,
    rod_x,
    rod_z,
    side,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    cone,
    cylinder,
    lathe,
    prism,
    rounded,
    sphere,
    star,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []


@family("ball", "toy ball", kind="toy")
def ball(kit: Kit) -> Drawn:
    one, two = kit.color(), kit.color("white", "yellow", "blue", "red")
    parts = [sphere(0.5, one, segments=14)]
    if kit.chance(0.6):
        parts += [
            torus(0.48, 0.045, two, segments=16, around=4).turn(x=90, y=60 * k) for k in range(3)
        ]
        return Drawn(
            parts,
            one,
            adjectives=("round",),
            features=(kit.say(two, "stripes"),),
            words=("beach ball", "ball"),
        )
    return Drawn(parts, one, adjectives=("round",), words=("ball",))


@family("sports ball", "ball", kind="sport")
def sports_ball(kit: Kit) -> Drawn:
    if kit.chance(0.4):
        skin = kit.color("orange", "orange", "brown")
        rings = [torus(0.495, 0.02, DARK, segments=20, around=4)]
        return Drawn(
            [
                sphere(0.5, skin, segments=16),
                *(
                    r.turn(x=a, y=b)
                    for r in rings
                    for a, b in ((0, 0), (90, 0), (90, 90), (50, 45))
                ),
            ],
            skin,
            adjectives=("round",),
            features=("seams",),
            words=("basketball", "ball"),
        )
    g = (1 + 5**0.5) / 2
    spots = [(a, b * g, 0.0) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    spots += [(0.0, a, b) for a, b, _ in spots] + [(b, 0.0, a) for a, b, _ in spots]
    reach = 0.4 / math.hypot(1, g)
    return Drawn(
        [
            sphere(0.5, WHITE, segments=16),
            *(
                sphere(0.155, DARK, (x * reach, y * reach, z * reach), segments=8)
                for x, y, z in spots
            ),
        ],
        None,
        adjectives=("round",),
        features=("patches",),
        words=("soccer ball", "football"),
    )


@family("dice", "die", "gaming dice", "cube with dots", kind="toy")
def dice(kit: Kit) -> Drawn:
    paint = kit.color("white", "red", "blue", "black", "green")
    dot = kit.other(paint, "white", "black")
    at = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)]}
    parts = [box((1, 1, 1), paint, (0, -0.5, 0), bevel=0.08)]
    for n, turn in ((1, (0, 0)), (2, (0, 90)), (3, (-90, 0))):
        parts += [
            rod_z(0.1, 0.03, dot, (0.26 * x, 0.26 * y, 0.5)).turn(x=turn[0], y=turn[1])
            for x, y in at[n]
        ]
        parts += [
            rod_z(0.1, 0.03, dot, (0.26 * x, 0.26 * y, -0.5)).turn(x=turn[0], y=turn[1])
            for x in (-1, 1)
            for y in (-1, 1)
        ]
    return Drawn(parts, paint, features=(kit.say(dot, "dots"),))


@family("kite", "flying kite", "diamond kite", kind="toy")
def kite(kit: Kit) -> Drawn:
    one, two = kit.color(), kit.color()
    parts = [
        prism([(-0.45, 0.15), (0, -0.6), (0.45, 0.15), (0, 0.6)], 0.03, one),
        bar((0, -0.6, 0.02), (0, 0.6, 0.02), 0.02, DARK),
        rod_x(0.02, 0.9, DARK, (0, 0.15, 0.02)),
        sweep([(0, -0.6, 0), (0.1, -0.85, 0), (-0.1, -1.1, 0), (0.05, -1.35, 0)], 0.012, DARK),
    ]
    parts += [
        p
        for y, x in ((-0.85, 0.1), (-1.1, -0.1), (-1.35, 0.05))
        for p in (
            cone(0.05, 0.12, two).turn(z=90).move(x + 0.12, y, 0),
            cone(0.05, 0.12, two).turn(z=-90).move(x - 0.12, y, 0),
        )
    ]
    return Drawn(parts, one, features=("a tail with bows",))


@family("spinning top", "toy top", "whirligig", kind="toy")
def spinning_top(kit: Kit) -> Drawn:
    one, two = kit.color(), kit.color()
    return Drawn(
        [
            lathe(
                [(0, 0), (0.12, 0.15), (0.5, 0.5), (0.45, 0.65), (0.1, 0.75), (0, 0.75)],
                one,
                segments=14,
            ),
            cylinder(0.06, 0.35, kit.wood(), (0, 0.72, 0)),
            torus(0.49, 0.035, two, segments=14).move(0, 0.55, 0),
        ],
        one,
        features=(kit.say(two, "stripe"), "a stem"),
    )


@family("balloon", "toy balloon", "party balloon", kind="toy")
def balloon(kit: Kit) -> Drawn:
    color, count = kit.color(), kit.pick(1, 1, 3)
    parts = []
    for k in range(count):
        x, y = (0.0, 0.0) if count == 1 else (0.5 * (k - 1), 0.15 * (k % 2))
        skin = color if k == 0 else kit.color()
        parts += [
            sphere((0.33, 0.42, 0.33), skin, (x, 1.3 + y, 0), segments=12),
            cone(0.07, 0.1, skin, (x, 0.81 + y, 0)),
            bar((x, 0.85 + y, 0), (0.3 * x, 0, 0), 0.01, DARK),
        ]
    return Drawn(
        parts,
        color if count == 1 else None,
        features=("a string",),
        words=("balloon",) if count == 1 else ("balloons", "three balloons"),
    )


@family("skateboard", "skate board", "longboard", kind="sport")
def skateboard(kit: Kit) -> Drawn:
    deck, wheels = kit.color(), kit.color("white", "red", "yellow", "green")
    parts = [
        plate([(y, x) for x, y in rounded(1.5, 0.4, 0.19, 4)], 0.05, deck, (0, 0.2, 0)),
        *pair(*(rod_x(0.09, 0.08, wheels, (0.17, 0.09, z)) for z in (-0.45, 0.45))),
        *(rod_x(0.03, 0.35, (0.6, 0.6, 0.62), (0, 0.11, z)) for z in (-0.45, 0.45)),
    ]
    return Drawn(parts, deck, features=("four wheels",))


@family("surfboard", "surf board", "board for surfing", kind="sport")
def surfboard(kit: Kit) -> Drawn:
    one, two = kit.color(), kit.color("white", "yellow", "red")
    shape = [
        (-0.12, -0.95),
        (0.12, -0.95),
        (0.27, -0.4),
        (0.27, 0.3),
        (0.12, 0.8),
        (0, 1.0),
        (-0.12, 0.8),
        (-0.27, 0.3),
        (-0.27, -0.4),
    ]
    lean = kit.pick(0, -85)
    parts = [
        prism(shape, 0.06, one, bevel=0.02),
        box((0.07, 1.6, 0.075), two, (0, -0.85, 0)),
        side([(0, 0), (0.18, 0.02), (0, 0.15)], 0.02, DARK, (0, -0.85, -0.2)),
    ]
    return Drawn([p.turn(x=lean) for p in parts], one, features=(kit.say(two, "stripe"), "a fin"))


@family("medal", "gold medal", "award medal", "winner's medal", kind="award")
def medal(kit: Kit) -> Drawn:
    gold, ribbon = kit.color("gold", "silver", "bronze"), kit.color("red", "blue", "green")
    parts = [
        rod_z(0.35, 0.06, gold, segments=16),
        prism(star(5, 0.22, 0.09), 0.1, gold),
        *pair(box((0.14, 0.75, 0.03), ribbon).turn(z=-14).move(0.03, 0.3, 0)),
    ]
    return Drawn(parts, gold, features=(kit.say(ribbon, "ribbon"), "a star"))


@family("drum", "snare drum", "bass drum", "toy drum", kind="musical instrument")
def drum(kit: Kit) -> Drawn:
    paint, high = kit.color(), kit.between(0.4, 0.8)
    parts = [
        cylinder(0.5, high, paint, segments=14),
        *(
            cylinder(0.53, 0.07, kit.color("gold", "silver"), (0, y, 0), segments=14)
            for y in (0, high - 0.04)
        ),
        cylinder(0.49, 0.03, WHITE, (0, high + 0.02, 0), segments=14),
    ]
    if kit.chance():
        wood = kit.wood()
        parts += [
            p.move(0, high + 0.1, 0)
            for x in (-0.2, 0.2)
            for p in (
                rod_z(0.03, 0.9, wood).turn(y=40 * x).move(x),
                sphere(0.06, wood, (2 * x * 0.45 + x * 0.3, 0, 0.42)),
            )
        ]
        return Drawn(parts, paint, adjectives=("round",), features=("two drumsticks",))
    return Drawn(parts, paint, adjectives=("round",), features=("a drumhead",))


@family("string instrument", kind="musical instrument")
def guitar(kit: Kit) -> Drawn:
    kind = kit.pick("acoustic", "electric", "violin")
    wood, neck = (
        kit.color("brown", "light brown", "orange", "red", "black", "beige"),
        kit.color("dark brown", "brown", "black"),
    )
    lower, upper = (0.42, 0.31) if kind != "violin" else (0.3, 0.24)
    deep = 0.08 if kind == "electric" else 0.2
    outline = [
        (r * math.sin(a), y - r * math.cos(a))
        for r, y, span in ((lower, 0.0, range(0, 121, 20)), (upper, 0.55, range(80, 181, 20)))
        for a in (math.radians(d) for d in span)
    ]
    outline += [(-x, y) for x, y in reversed(outline[:-1])][:-1]
    parts = [
        prism(outline, deep, wood),
        box((0.1, 1.05, 0.06), neck, (0, 0.45, deep / 2)),
        box((0.17, 0.26, 0.06), neck, (0, 1.45, deep / 2 - 0.02)),
        box((0.24, 0.05, 0.04), neck, (0, -0.15, deep / 2)),
        *(
            box((0.008, 1.6, 0.008), (0.9, 0.9, 0.85), (x, -0.13, deep / 2 + 0.07))
            for x in (-0.03, 0, 0.03)
        ),
    ]
    if kind == "acoustic":
        parts.append(rod_z(0.12, 0.02, DARK, (0, 0.27, deep / 2), segments=12))
    if kind == "violin":
        parts += [
            box((0.02, 0.9, 0.03), neck, (0.55, -0.2, 0)),
            box((0.01, 0.9, 0.02), WHITE, (0.51, -0.2, 0)),
        ]
    words = {
        "acoustic": ("guitar", "acoustic guitar"),
        "electric": ("electric guitar", "guitar"),
        "violin": ("violin", "fiddle", "cello"),
    }
    return Drawn(
        parts,
        wood,
        material="wooden",
        features=("strings", "a bow") if kind == "violin" else ("strings", "a long neck"),
        words=words[kind],
    )


@family("piano", "keyboard instrument", kind="musical instrument")
def piano(kit: Kit) -> Drawn:
    paint = kit.color("black", "brown", "white", "dark brown")
    parts = [
        box((1.4, 1.1, 0.4), paint, (0, 0, -0.3)),
        box((1.4, 0.12, 0.4), paint, (0, 0.58, 0.05)),
        *pair(box((0.1, 0.6, 0.1), paint, (0.63, 0, 0.18))),
        box((1.26, 0.04, 0.26), WHITE, (0, 0.7, 0.1)),
        *(
            box((0.05, 0.03, 0.15), DARK, (0.1 * k - 0.58, 0.74, 0.05))
            for k in range(12)
            if k % 7 not in (2, 6)
        ),
    ]
    if kit.chance(0.5):
        shape = [(-0.7, 0.3), (0.7, 0.3), (0.7, -0.2), (0.35, -0.7), (-0.2, -1.1), (-0.7, -1.0)]
        lid = plate([(x, z) for x, z in shape], 0.05, paint).turn(z=40).move(0.15, 1.35, 0)
        parts = [
            plate(shape, 0.3, paint, (0, 0.7, 0)),
            *(
                cylinder(0.06, 0.6, paint, at)
                for at in ((-0.6, 0, 0.2), (0.6, 0, 0.2), (-0.4, 0, -0.9))
            ),
            box((1.3, 0.04, 0.22), WHITE, (0, 0.75, 0.38)),
            lid,
        ]
        return Drawn(
            parts,
            paint,
            features=("an open lid", "three legs", "keys"),
            words=("grand piano", "piano"),
        )
    return Drawn(parts, paint, features=("keys",), words=("piano", "upright piano"))


@family("trumpet", "horn", "brass horn", "bugle", kind="musical instrument")
def trumpet(kit: Kit) -> Drawn:
    brass = kit.color("gold", "gold", "silver", "bronze")
    bell = (
        lathe(
            [(0.04, 0), (0.06, 0.3), (0.12, 0.5), (0.26, 0.62), (0.22, 0.6), (0.03, 0.4)],
            brass,
            segments=12,
        )
        .turn(x=90)
        .move(0, 0, 0.4)
    )
    loop = [
        (0, 0, 0.5),
        (0, 0, -0.3),
        (0, -0.08, -0.38),
        (0, -0.18, -0.3),
        (0, -0.18, 0.3),
        (0, -0.1, 0.36),
        (0, 0, 0.3),
    ]
    return Drawn(
        [
            bell,
            sweep(loop, 0.03, brass),
            rod_z(0.025, 0.5, brass, (0, 0.0, -0.6)),
            cone(0.05, 0.1, brass).turn(x=90).move(0, 0, -0.9),
            *(cylinder(0.04, 0.3, brass, (0, -0.2, z)) for z in (-0.1, 0.0, 0.1)),
        ],
        brass,
        material="metal",
        features=("three valves", "a bell"),
    )


@family("paper boat", "origami boat", "folded paper ship", kind="toy")
def paper_boat(kit: Kit) -> Drawn:
    paper = kit.color("white", "white", "light blue", "yellow", "pink")
    body = [(-0.45, 0), (0.45, 0), (0.85, 0.4), (0.25, 0.26), (-0.25, 0.26), (-0.85, 0.4)]
    return Drawn(
        [prism(body, 0.4, paper, bevel=0.12), pyramid((0.55, 0.65, 0.22), paper, (0, 0.12, 0))],
        paper,
        material="paper",
        features=("folds",),
    )


@family("paper plane", "paper airplane", "folded paper plane", kind="toy")
def paper_plane(kit: Kit) -> Drawn:
    paper = kit.color("white", "white", "light blue", "yellow")
    wing = plate([(0.0, 0.9), (0.55, -0.6), (0.04, -0.5)], 0.02, paper).turn(z=8)
    return Drawn(
        [*pair(wing), side([(0.9, 0), (-0.5, 0), (-0.5, -0.25)], 0.03, paper)],
        paper,
        material="paper",
        adjectives=("pointed",),
    )
