"""The bare solids of geometry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    spiral,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    blob,
    box,
    capsule,
    cone,
    cylinder,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []


@family("cube", "box shape", "block", "toy block", kind="geometric shape")
def cube(kit: Kit) -> Drawn:
    paint = kit.color()
    return Drawn(
        [box((1, 1, 1), paint, bevel=kit.pick(0.0, 0.06))],
        paint,
        adjectives=("square",),
        features=("six faces",),
    )


@family("sphere", "round sphere", "globe shape", "orb", kind="geometric shape")
def a_sphere(kit: Kit) -> Drawn:
    paint = kit.color()
    return Drawn(
        [
            sphere(0.5, paint, segments=16)
            if kit.chance()
            else blob(0.5, paint, kit.rng, rough=0.0, detail=2)
        ],
        paint,
        adjectives=("round",),
    )


@family("cylinder", "round bar", "drum shape", kind="geometric shape")
def a_cylinder(kit: Kit) -> Drawn:
    paint, high = kit.color(), kit.between(0.5, 1.6)
    return Drawn(
        [cylinder(0.4, high, paint, segments=16)],
        paint,
        adjectives=("tall" if high > 1 else "short", "round"),
    )


@family("cone", "pointed cone", "cone shape", kind="geometric shape")
def a_cone(kit: Kit) -> Drawn:
    paint = kit.color()
    return Drawn(
        [cone(0.5, kit.between(0.7, 1.4), paint, segments=16)], paint, adjectives=("pointed",)
    )


@family("torus", "ring shape", "donut shape", "hoop", kind="geometric shape")
def a_torus(kit: Kit) -> Drawn:
    paint = kit.color()
    return Drawn(
        [
            torus(0.5, kit.between(0.1, 0.24), paint, segments=18, around=9).turn(
                x=kit.pick(0, 90, 45)
            )
        ],
        paint,
        adjectives=("round",),
        features=("a hole",),
    )


@family("pyramid shape", "pointed solid", kind="geometric shape")
def a_pyramid(kit: Kit) -> Drawn:
    paint, four = kit.color(), kit.chance(0.65)
    part = cone(0.7, kit.between(0.7, 1.2), paint, segments=4 if four else 3)
    return Drawn(
        [part],
        paint,
        adjectives=("pointed",),
        words=("pyramid", "square pyramid") if four else ("tetrahedron", "triangular pyramid"),
    )


@family("capsule", "pill", "pill shape", "rounded rod", kind="geometric shape")
def a_capsule(kit: Kit) -> Drawn:
    one, two = kit.color(), kit.color("white")
    parts = [capsule(0.3, 1.2, one, segments=12)]
    if kit.chance():
        parts.append(sphere((0.302, 0.302, 0.302), two, (0, 0.9, 0), low=0.5, segments=12))
    tilt = kit.pick(0, 90, 45)
    return Drawn([p.turn(z=tilt) for p in parts], one, adjectives=("rounded",))


@family("twisted tube", kind="geometric shape")
def knot(kit: Kit) -> Drawn:
    paint = kit.color()
    if kit.chance(0.3):
        return Drawn(
            [sweep(spiral(3, (0.5, 0.1), 1.0, 50), 0.06, paint, segments=6)],
            paint,
            adjectives=("twisted",),
            words=("spiral", "helix", "spiral shape"),
        )
    path = [
        (
            0.25 * (math.sin(t) + 2 * math.sin(2 * t)),
            0.25 * (math.cos(t) - 2 * math.cos(2 * t)),
            -0.25 * math.sin(3 * t),
        )
        for t in (2 * math.pi * k / 48 for k in range(50))
    ]
    return Drawn(
        [sweep(path, kit.between(0.07, 0.13), paint, segments=7)],
        paint,
        adjectives=("twisted",),
        words=("knot", "torus knot", "trefoil knot"),
    )
