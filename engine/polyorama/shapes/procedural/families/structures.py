"""Wells, bridges, columns and pavilions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    around,
    gable,
    pair,
    rod_x,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    arc,
    bar,
    box,
    cone,
    cylinder,
    prism,
    sphere,
    sweep,
    tube,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []

_GOLDEN = ("gold", "gold", "silver", "bronze")
_GEMS = ("red", "blue", "green", "purple", "light blue", "pink")
_STONE = ("grey", "light grey", "dark grey", "beige")


@family("column", "pillar", "stone pillar", kind="structure")
def column(kit: Kit) -> Drawn:
    stone, high, r = kit.color(*_STONE, "white"), kit.between(1.4, 2.4), 0.2 * kit.chunk
    broken, sides = kit.chance(0.25), kit.pick(4, 8, 12)
    parts = [
        box((3.2 * r, 0.14, 3.2 * r), stone),
        cylinder(1.3 * r, 0.1, stone, (0, 0.14, 0)),
        cylinder(
            r, high * (0.6 if broken else 1), stone, (0, 0.2, 0), top=0.88 * r, segments=sides
        ),
    ]
    if broken:
        parts += [
            cone(0.85 * r, 0.25, stone, (0.03, 0.2 + 0.6 * high, 0), segments=5),
            cylinder(0.85 * r, 0.3, stone, segments=sides).turn(z=80).move(0.6, r, 0.3),
        ]
        return Drawn(
            parts, stone, material="stone", adjectives=("broken", "ruined"), features=("a base",)
        )
    parts += [
        cylinder(0.95 * r, 0.14, stone, (0, 0.2 + high, 0), top=1.35 * r),
        box((3.0 * r, 0.12, 3.0 * r), stone, (0, 0.34 + high, 0)),
    ]
    return Drawn(
        parts,
        stone,
        material=kit.pick("stone", "marble"),
        adjectives=("round" if sides > 4 else "square", "tall"),
        features=("a base", "a capital"),
    )


@family("well", "water well", "stone well", "wishing well", kind="structure")
def well(kit: Kit) -> Drawn:
    stone, wood, roof = (
        kit.color(*_STONE),
        kit.wood(),
        kit.color("red", "brown", "dark grey", "blue", "orange"),
    )
    parts = [
        tube(0.6, 0.45, 0.6, stone, segments=12),
        cylinder(0.44, 0.05, (0.2, 0.45, 0.7), (0, 0.3, 0), segments=12),
        *pair(box((0.1, 1.5, 0.1), wood, (0.52, 0, 0))),
        gable(1.0, 0.5, 1.4, roof).turn(y=90).move(0, 1.4, 0),
        rod_x(0.05, 1.1, wood, (0, 1.15, 0)),
        cylinder(0.015, 0.3, (0.8, 0.72, 0.5), (0, 0.85, 0)),
        cylinder(0.1, 0.18, wood, (0, 0.7, 0), top=0.13),
    ]
    return Drawn(parts, stone, material="stone", features=("a bucket", kit.say(roof, "roof")))


@family("bridge", "footbridge", kind="structure")
def bridge(kit: Kit) -> Drawn:
    stony, long = kit.chance(), kit.between(2.4, 3.4)
    if stony:
        stone = kit.color(*_STONE, "light brown")
        under, top = (
            arc(0.3 * long, 0, 180, 8),
            [
                (-long / 2, 0.3),
                (-0.15 * long, 0.3 * long + 0.2),
                (0.15 * long, 0.3 * long + 0.2),
                (long / 2, 0.3),
            ],
        )
        outline = [(long / 2, 0), *top[::-1], (-long / 2, 0), *under[::-1]]
        rail = [top[0], *top[1:], *[(x, y + 0.25) for x, y in top[::-1]]]
        parts = [
            prism(outline, 1.0, stone),
            *(prism(rail, 0.12, stone, (0, 0, z)) for z in (-0.46, 0.46)),
        ]
        return Drawn(
            parts,
            stone,
            material="stone",
            adjectives=("arched",),
            features=("an arch", "walls"),
            words=("stone bridge", "bridge", "arch bridge"),
        )
    wood = kit.wood()
    parts = [
        box(
            (0.17, 0.06, 1.0),
            wood,
            (0.2 * k - long / 2 + 0.1, 0.3 + 0.3 * math.cos(2.6 * (0.2 * k / long - 0.5)), 0),
        )
        for k in range(int(long / 0.2))
    ]
    for z in (-0.48, 0.48):
        line = [(x * long / 4, 0.9 + 0.3 * math.cos(2.6 * x / 4), z) for x in (-2, -1, 0, 1, 2)]
        parts += [
            sweep(line, 0.04, wood),
            *(bar((p[0], p[1] - 0.62, z), p, 0.04, wood, segments=4) for p in line),
        ]
    return Drawn(
        parts,
        wood,
        material="wooden",
        features=("planks", "railings"),
        words=("wooden bridge", "bridge", "footbridge"),
    )


@family("gazebo", "pavilion", "garden pavilion", "bandstand", kind="structure")
def gazebo(kit: Kit) -> Drawn:
    paint, roof, sides = (
        kit.color("white", "brown", "beige", "light brown"),
        kit.color("red", "dark grey", "green", "blue", "brown"),
        kit.pick(6, 8),
    )
    parts = [
        cylinder(1.1, 0.15, paint, segments=sides),
        cone(1.3, 0.7, roof, (0, 1.6, 0), segments=sides),
        cylinder(1.15, 0.1, paint, (0, 1.52, 0), segments=sides),
        *around(box((0.1, 1.4, 0.1), paint, (0.98, 0.15, 0)), sides, 180 / sides),
        *around(box((0.06, 0.06, 0.7), paint, (0.94, 0.5, 0)), sides)[1:],
        sphere(0.09, roof, (0, 2.3, 0)),
    ]
    return Drawn(
        parts, paint, features=(f"{'six' if sides == 6 else 'eight'} posts", kit.say(roof, "roof"))
    )
