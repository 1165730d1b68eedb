"""Hardware: nails, screws, nuts, gears, springs, pipes, chains."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    lain,
    pair,
    rod_x,
    rod_z,
    spiral,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    arc,
    box,
    cone,
    cylinder,
    prism,
    sphere,
    sweep,
    torus,
    tube,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Paint, Part

__all__: list[str] = []

_KIND = "tool"
_GRIPS = ("red", "blue", "yellow", "green", "orange", "black")


@family("nail", "iron nail", "steel nail", kind="hardware")
def nail(kit: Kit) -> Drawn:
    steel, count = kit.color("grey", "silver", "dark grey", "brown"), kit.pick(1, 1, 3)
    one = [
        cone(0.05, 0.14, steel, segments=6).turn(x=180).move(0, 0.14, 0),
        cylinder(0.05, 0.8, steel, (0, 0.14, 0)),
        cylinder(0.13, 0.05, steel, (0, 0.93, 0)),
    ]
    parts = [p.turn(z=20 * k).move(0.3 * k, 0, 0.1 * k) for k in range(count) for p in one]
    return Drawn(
        lain(kit, parts),
        steel,
        material="metal",
        features=("a flat head", "a sharp point"),
        words=("nail",) if count == 1 else ("nails", "three nails"),
    )


def _thread(radius: float, low: float, high: float, color: Paint) -> list[Part]:
    turns = max(3, round((high - low) / (0.5 * radius)))
    return [
        cylinder(0.8 * radius, high - low, color, (0, low, 0)),
        *(
            torus(0.86 * radius, 0.14 * radius, color, segments=10, around=4)
            .turn(z=4)
            .move(0, low + (k + 0.5) * (high - low) / turns, 0)
            for k in range(turns)
        ),
    ]


@family("screw", "wood screw", "metal screw", kind="hardware")
def screw(kit: Kit) -> Drawn:
    steel = kit.color("silver", "grey", "gold", "dark grey")
    parts = [
        cone(0.09, 0.25, steel).turn(x=180).move(0, 0.25, 0),
        *_thread(0.11, 0.22, 0.8, steel),
        cylinder(0.1, 0.12, steel, (0, 0.8, 0), top=0.24),
        cylinder(0.24, 0.04, steel, (0, 0.92, 0)),
        box((0.3, 0.015, 0.06), DARK, (0, 0.955, 0)),
        box((0.06, 0.015, 0.3), DARK, (0, 0.955, 0)),
    ]
    return Drawn(lain(kit, parts), steel, material="metal", features=("a cross slot", "a thread"))


@family("bolt", "hex bolt", "machine screw", "metal bolt", kind="hardware")
def bolt(kit: Kit) -> Drawn:
    steel, long = kit.color("silver", "grey", "dark grey", "gold"), kit.between(0.5, 1.1)
    parts = [*_thread(0.13, 0, long, steel), cylinder(0.26, 0.18, steel, (0, long, 0), segments=6)]
    if kit.chance(0.4):
        parts.append(cylinder(0.26, 0.16, steel, (0, 0.15, 0), segments=6))
        return Drawn(
            lain(kit, parts),
            steel,
            material="metal",
            features=("a nut", "a hexagonal head"),
            words=("bolt", "bolt with nut"),
        )
    return Drawn(
        lain(kit, parts), steel, material="metal", features=("a hexagonal head", "a thread")
    )


@family("nut", "hex nut", "metal nut", "screw nut", kind="hardware")
def nut(kit: Kit) -> Drawn:
    steel = kit.color("silver", "grey", "dark grey", "gold")
    part = tube(0.5, kit.between(0.24, 0.32), kit.between(0.3, 0.5), steel, segments=6)
    return Drawn(
        [part.turn(x=kit.pick(0, 90, 60))],
        steel,
        material="metal",
        adjectives=("hexagonal",),
        features=("a hole",),
    )


@family("wing nut", "butterfly nut", "wingnut", kind="hardware")
def wing_nut(kit: Kit) -> Drawn:
    steel = kit.color("silver", "grey", "gold", "dark grey")
    wing = prism(
        [(0.15, 0.05), (0.5, 0.3), (0.62, 0.6), (0.48, 0.68), (0.3, 0.4), (0.12, 0.3)], 0.09, steel
    )
    return Drawn(
        [tube(0.25, 0.12, 0.32, steel, segments=10), *pair(wing)],
        steel,
        material="metal",
        features=("two wings", "a hole"),
    )


@family("washer", "metal washer", "flat ring", kind="hardware")
def washer(kit: Kit) -> Drawn:
    steel = kit.color("silver", "grey", "dark grey", "gold")
    return Drawn(
        [tube(0.5, kit.between(0.2, 0.32), 0.06, steel, segments=16).turn(x=kit.pick(0, 90, 45))],
        steel,
        material="metal",
        adjectives=("flat", "round"),
        features=("a hole",),
    )


@family("gear", "cog", "cogwheel", "gear wheel", kind="machine part")
def gear(kit: Kit) -> Drawn:
    steel, teeth = (
        kit.color("grey", "silver", "bronze", "gold", "dark grey", "red", "blue"),
        kit.count(8, 16),
    )
    ring = []
    for k in range(teeth):
        for share, reach in ((0.0, 0.42), (0.3, 0.42), (0.42, 0.54), (0.78, 0.54)):
            a = 2 * math.pi * (k + share) / teeth
            ring.append((reach * math.cos(a), reach * math.sin(a)))
    thick = kit.between(0.1, 0.22)
    parts = [prism(ring, thick, steel), rod_z(0.2, 1.6 * thick, steel, segments=12),
             rod_z(0.1, 1.62 * thick, DARK, segments=12)]  # fmt: skip
    if kit.chance(0.4):
        parts += [
            rod_z(0.07, 1.02 * thick, DARK, (0.3 * math.cos(a), 0.3 * math.sin(a), 0))
            for a in (k * math.pi / 2.5 for k in range(5))
        ]
    turn = kit.pick(0, 0, 90)
    return Drawn(
        [p.turn(x=turn) for p in parts],
        steel,
        material="metal",
        adjectives=("round",),
        features=(f"{teeth} teeth", "a hole in the middle"),
    )


@family("spring", "coil spring", "metal spring", "spiral spring", kind="machine part")
def spring(kit: Kit) -> Drawn:
    steel, turns = kit.color("silver", "grey", "dark grey", "red", "blue", "gold"), kit.count(4, 8)
    path = spiral(turns, (0.3, kit.pick(0.3, 0.3, 0.18)), kit.between(0.7, 1.2), steps=turns * 9)
    return Drawn(
        [sweep(path, 0.045 * kit.chunk, steel, segments=5)],
        steel,
        material="metal",
        adjectives=("coiled",),
        features=(f"{turns} turns",),
    )


@family("metal pipe", "pipe", kind="hardware")
def pipe(kit: Kit) -> Drawn:
    steel = kit.color("grey", "silver", "green", "bronze", "dark grey", "white")
    form, flange = kit.pick("straight", "bent", "t-shaped"), kit.chance(0.6)
    if form == "bent":
        line = [
            (0, 0, 0),
            (0, 0.5, 0),
            *((0.25 - 0.25 * math.cos(a), 0.5 + 0.25 * math.sin(a), 0) for a in (0.4, 0.8, 1.2)),
            (0.25, 0.75, 0),
            (0.75, 0.75, 0),
        ]
        parts = [
            sweep(line, 0.15, steel, segments=10),
            cylinder(0.12, 0.02, DARK, (0, -0.015, 0)),
            rod_x(0.12, 0.02, DARK, (0.755, 0.75, 0)),
        ]
        rims = [cylinder(0.21, 0.08, steel), rod_x(0.21, 0.08, steel, (0.7, 0.75, 0), segments=10)]
    else:
        parts = [tube(0.16, 0.12, 1.2, steel, segments=12)]
        rims = [tube(0.22, 0.12, 0.08, steel, (0, y, 0), segments=12) for y in (0, 1.12)]
        if form == "t-shaped":
            parts.append(tube(0.16, 0.12, 0.5, steel, segments=12).turn(z=-90).move(0.1, 0.6, 0))
    return Drawn(
        lain(kit, [*parts, *(rims if flange else [])]),
        steel,
        material="metal",
        adjectives=(form, "hollow"),
        features=("flanges",) if flange else (),
    )


@family("valve", "valve wheel", "pipe valve", kind="hardware")
def valve(kit: Kit) -> Drawn:
    steel, wheel_ = (
        kit.color("grey", "silver", "bronze", "dark grey"),
        kit.color("red", "blue", "yellow", "green"),
    )
    parts = [
        rod_x(0.15, 1.2, steel, (0, 0.2, 0), segments=10),
        *pair(rod_x(0.23, 0.08, steel, (0.56, 0.2, 0), segments=10)),
        sphere(0.24, steel, (0, 0.2, 0)),
        cylinder(0.06, 0.5, steel, (0, 0.2, 0)),
        torus(0.3, 0.04, wheel_, segments=14).move(0, 0.72, 0),
        *(rod_x(0.03, 0.56, wheel_, (0, 0.72, 0)).turn(y=60 * k) for k in range(3)),
    ]
    return Drawn(
        parts,
        steel,
        material="metal",
        features=(kit.say(wheel_, "handwheel"),),
        words=("valve", "pipe valve"),
    )


@family("chain", "metal chain", "chain links", "iron chain", kind="hardware")
def chain(kit: Kit) -> Drawn:
    steel, links = kit.color("grey", "silver", "dark grey", "gold"), kit.count(4, 8)
    one = torus(0.14, 0.04 * kit.chunk, steel, segments=10).scale(1.5, 1, 1)
    return Drawn(
        [one.turn(x=90 * (k % 2)).move(0.3 * k, 0, 0) for k in range(links)],
        steel,
        material="metal",
        features=(f"{links} links",),
    )


@family("rope", "coil of rope", "coiled rope", "lasso", kind="prop")
def rope(kit: Kit) -> Drawn:
    hemp, turns = kit.color("beige", "light brown", "brown"), kit.count(3, 5)
    path = [
        *spiral(turns, (0.4, 0.36), 0.1 * turns, steps=turns * 12),
        (0.6, 0.06, 0.2),
        (0.85, 0.05, 0.0),
    ]
    return Drawn(
        [sweep(path, 0.055, hemp, segments=6)],
        hemp,
        adjectives=("coiled",),
        features=("a loose end",),
    )


@family("magnet", "horseshoe magnet", "red magnet", kind=_KIND)
def magnet(kit: Kit) -> Drawn:
    paint, over = kit.color("red", "red", "blue"), kit.pick(0, 180)
    ring = [
        (0.5, -0.4),
        *arc(0.5, 0, 180, 10),
        (-0.5, -0.4),
        (-0.26, -0.4),
        *reversed(arc(0.26, 0, 180, 10)),
        (0.26, -0.4),
    ]
    parts = [
        prism(ring, 0.22, paint),
        *pair(box((0.24, 0.25, 0.22), (0.85, 0.85, 0.87), (0.38, -0.65, 0))),
    ]
    return Drawn(
        lain(kit, [p.turn(z=over) for p in parts]),
        paint,
        adjectives=("curved",),
        features=("two metal ends",),
    )
