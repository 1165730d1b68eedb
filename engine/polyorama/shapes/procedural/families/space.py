"""Space and science fiction: satellites, saucers, planets, ray guns, rovers, domes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    GLASS,
    WHITE,
    around,
    pair,
    plate,
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
    sphere,
    sweep,
    torus,
    tube,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Tint

__all__: list[str] = []

_KIND = "science fiction"
_GLOWS = ((0.2, 0.9, 0.95), (0.95, 0.35, 0.2), (0.4, 0.95, 0.4), (0.95, 0.85, 0.3))
_PANEL = (0.16, 0.24, 0.5)


@family("satellite", "space satellite", "communication satellite", "space probe", kind="spacecraft")
def satellite(kit: Kit) -> Drawn:
    body = kit.color("gold", "silver", "white", "grey")
    panel = [
        box((0.9, 0.04, 0.5), _PANEL, (0.95, 0, 0)),
        *(box((0.02, 0.06, 0.52), WHITE, (x, -0.01, 0)) for x in (0.7, 0.95, 1.2)),
        rod_x(0.03, 0.4, WHITE, (0.45, 0.02, 0)),
    ]
    dish = lathe([(0.05, 0), (0.3, 0.12), (0.36, 0.22), (0.3, 0.17), (0, 0.05)], WHITE, segments=12)
    return Drawn(
        [
            box((0.5, 0.6, 0.5), body, (0, -0.3, 0)),
            *pair(*panel),
            dish.turn(x=50).move(0, 0.3, 0.2),
            bar((0, -0.3, 0), (0, -0.6, 0), 0.02, DARK),
        ],
        body,
        features=("two solar panels", "a dish"),
    )


@family("spaceship", "starship", "space fighter", "spacecraft", kind=_KIND)
def spaceship(kit: Kit) -> Drawn:
    hull_, trim, glow = (
        kit.color("white", "grey", "light grey", "blue", "red", "dark grey"),
        kit.color("red", "blue", "orange", "yellow", "teal"),
        kit.pick(*_GLOWS),
    )
    span, sweep_ = kit.between(0.8, 1.5), kit.between(-0.5, 0.5)
    body = sweep(
        [(0, 0, -1.0), (0, 0.02, -0.3), (0, 0, 0.5), (0, -0.04, kit.between(1.2, 1.7))],
        [0.28, 0.34, 0.22, 0.04],
        hull_,
        segments=8,
    )
    wing = [
        plate([(0.2, 0.2), (span, sweep_ - 0.4), (span, sweep_ - 0.8), (0.2, -0.8)], 0.07, hull_),
        rod_z(0.06, 0.9, trim, (span, 0, sweep_ - 0.4)),
        rod_z(0.14, 0.5, trim, (0.36, 0, -0.9)),
        rod_z(0.1, 0.06, glow, (0.36, 0, -1.16)),
    ]
    return Drawn(
        [
            body,
            sphere((0.15, 0.14, 0.35), GLASS, (0, 0.24, 0.25)),
            *pair(*wing),
            side([(-0.5, 0.25), (-0.9, 0.75), (-1.1, 0.75), (-1.0, 0.2)], 0.06, trim),
        ],
        hull_,
        adjectives=("futuristic",),
        features=("two wings", "glowing engines", "a cockpit"),
    )


@family("ufo", "flying saucer", "alien spaceship", "alien ship", kind=_KIND)
def ufo(kit: Kit) -> Drawn:
    metal, glow, count = (
        kit.color("silver", "grey", "green", "purple", "dark grey"),
        kit.pick(*_GLOWS),
        kit.pick(6, 8, 10),
    )
    parts = [
        lathe(
            [(0.2, -0.15), (0.6, -0.1), (1.0, 0.06), (0.55, 0.22), (0, 0.25)], metal, segments=16
        ),
        sphere((0.4, 0.38, 0.4), kit.pick(GLASS, (0.5, 0.9, 0.6)), (0, 0.2, 0), low=0.5),
        *around(sphere(0.07, glow, (0.8, 0.12, 0)), count),
        cylinder(0.2, 0.05, glow, (0, -0.18, 0)),
    ]
    return Drawn(parts, metal, adjectives=("round",), features=(f"{count} lights", "a glass dome"))


@family("planet", kind="space object")
def planet(kit: Kit) -> Drawn:
    color, ring_ = (
        kit.color("orange", "blue", "red", "purple", "teal", "beige", "green"),
        kit.color("beige", "light grey", "orange", "yellow"),
    )
    parts = [sphere(0.5, color, segments=16)]
    if kit.chance(0.6):
        parts.append(tube(0.95, 0.66, 0.03, ring_, segments=24).turn(z=18))
        return Drawn(
            parts,
            color,
            adjectives=("round",),
            features=(kit.say(ring_, "rings"),),
            words=("planet", "planet with rings", "saturn"),
        )
    parts += [
        sphere(kit.between(0.12, 0.22), ring_, (0.36 * x, 0.36 * y, 0.36 * z), segments=8)
        for x, y, z in (
            (1, 0.3, 0.4),
            (-0.6, 0.7, 0.6),
            (0, -0.5, 1),
            (-0.8, -0.4, -0.6),
            (0.4, 0.6, -0.9),
        )
    ]
    return Drawn(parts, color, adjectives=("round",), features=("spots",), words=("planet",))


@family("radar dish", "antenna dish", "radio telescope", "satellite antenna", kind=_KIND)
def radar_dish(kit: Kit) -> Drawn:
    paint = kit.color("white", "light grey", "grey")
    dish = [
        lathe(
            [(0.05, 0), (0.45, 0.14), (0.7, 0.38), (0.64, 0.34), (0.4, 0.14), (0, 0.06)],
            paint,
            segments=14,
        ),
        *around(bar((0.6, 0.32, 0), (0, 0.65, 0), 0.015, DARK), 3),
        sphere(0.06, DARK, (0, 0.66, 0)),
    ]
    tilt = kit.between(20, 70)
    return Drawn(
        [
            *(p.turn(x=tilt).move(0, 1.0, 0) for p in dish),
            cylinder(0.14, 1.0, paint, top=0.09),
            box((0.6, 0.14, 0.6), DARK),
        ],
        paint,
        features=("a round dish", "a mast"),
    )


@family("laser gun", "ray gun", "blaster", "space gun", kind=_KIND)
def laser_gun(kit: Kit) -> Drawn:
    paint, trim, glow = (
        kit.color("white", "red", "blue", "grey", "purple", "silver"),
        kit.color("dark grey", "black", "orange", "yellow"),
        kit.pick(*_GLOWS),
    )
    parts = [
        rod_z(0.14, 0.6, paint, (0, 0.5, 0), segments=10),
        rod_z(0.06, 0.5, trim, (0, 0.5, 0.5)),
        *(rod_z(0.13 - 0.02 * k, 0.04, glow, (0, 0.5, 0.38 + 0.12 * k)) for k in range(3)),
        sphere(0.08, glow, (0, 0.5, 0.78)),
        side([(-0.25, 0.45), (-0.03, 0.45), (-0.12, 0.05), (-0.32, 0.05)], 0.12, trim),
        side([(-0.3, 0.6), (0.1, 0.6), (-0.25, 0.8)], 0.06, trim),
    ]
    return Drawn(parts, paint, adjectives=("futuristic",), features=("glowing rings",))


@family("sci-fi crate", "futuristic crate", "space crate", "cargo container", kind=_KIND)
def scifi_crate(kit: Kit) -> Drawn:
    paint, trim, glow = (
        kit.color("grey", "white", "dark grey", "blue", "orange"),
        kit.color("dark grey", "black", "yellow", "light grey"),
        kit.pick(*_GLOWS),
    )
    wide = kit.between(0.9, 1.4)
    parts = [
        box((wide, 0.8, 0.9), paint, (0, 0.05, 0), bevel=0.06),
        *pair(*(box((0.14, 0.9, 0.14), trim, (wide / 2 - 0.02, 0, z)) for z in (-0.42, 0.42))),
        box((0.5 * wide, 0.12, 0.03), glow, (0, 0.5, 0.45)),
        box((0.6 * wide, 0.06, 0.6), trim, (0, 0.83, 0)),
    ]
    return Drawn(
        parts, paint, material="metal", features=("a glowing panel", kit.say(trim, "edges"))
    )


@family("turret", "gun turret", "sentry gun", "laser turret", kind=_KIND)
def turret(kit: Kit) -> Drawn:
    paint, trim, guns = (
        kit.color("grey", "white", "green", "dark grey", "red"),
        kit.color("dark grey", "black"),
        kit.pick(1, 2),
    )
    parts = [
        cylinder(0.5, 0.15, trim, segments=8),
        cylinder(0.25, 0.4, paint, (0, 0.15, 0)),
        box((0.7, 0.42, 0.7), paint, (0, 0.5, 0), bevel=0.08),
        sphere(0.08, (0.95, 0.2, 0.15), (0, 0.8, 0.34)),
        *(rod_z(0.07, 0.8, trim, (x, 0.7, 0.6)) for x in ((0.0,) if guns == 1 else (-0.25, 0.25))),
    ]
    return Drawn(
        parts, paint, material="metal", features=("one barrel" if guns == 1 else "two barrels",)
    )


@family("rover", "moon rover", "mars rover", "lunar vehicle", "space buggy", kind="vehicle")
def rover(kit: Kit) -> Drawn:
    body = kit.color("white", "gold", "grey", "orange")
    parts = [
        box((0.8, 0.3, 1.3), body, (0, 0.4, 0), bevel=0.04),
        *pair(
            *(rod_x(0.24, 0.18, DARK, (0.6, 0.24, z), segments=10) for z in (-0.6, 0, 0.6)),
            bar((0.4, 0.5, 0.6), (0.6, 0.24, 0.6), 0.04, DARK),
            bar((0.4, 0.5, -0.6), (0.6, 0.24, -0.6), 0.04, DARK),
        ),
        plate([(-0.6, 0.1), (0.6, 0.1), (0.6, -0.7), (-0.6, -0.7)], 0.04, _PANEL, (0, 0.76, 0)),
        cylinder(0.04, 0.6, WHITE, (0.2, 0.7, 0.5)),
        box((0.3, 0.16, 0.16), WHITE, (0.2, 1.28, 0.5)),
        *(rod_z(0.05, 0.04, DARK, (0.2 + x, 1.36, 0.59)) for x in (-0.08, 0.08)),
    ]
    return Drawn(parts, body, features=("six wheels", "a camera mast", "a solar panel"))


@family(
    "space base", "space dome", "moon base", "habitat dome", "space station module", kind="building"
)
def space_base(kit: Kit) -> Drawn:
    wall, trim = (
        kit.color("white", "light grey", "grey", "beige"),
        kit.color("orange", "blue", "red", "dark grey"),
    )
    dome: Tint = GLASS if kit.chance() else wall
    parts = [
        cylinder(1.05, 0.3, wall, segments=12),
        sphere((1.0, 0.9, 1.0), dome, (0, 0.3, 0), low=0.5, segments=12),
        torus(1.03, 0.05, trim, segments=12).move(0, 0.3, 0),
        box((0.6, 0.75, 0.5), wall, (0, 0, 1.05)),
        box((0.4, 0.6, 0.06), trim, (0, 0, 1.3)),
    ]
    features = ["a dome", "an airlock"]
    if kit.chance():
        parts += [
            rod_x(0.3, 0.9, wall, (1.3, 0.3, 0), segments=10),
            sphere(0.55, wall, (1.9, 0.2, 0), low=0.4),
        ]
        features.append("a tunnel")
    if kit.chance():
        parts += [cylinder(0.02, 0.6, DARK, (0, 1.15, 0)), cone(0.08, 0.1, trim, (0, 1.7, 0))]
        features.append("an antenna")
    return Drawn(parts, wall, adjectives=("futuristic",), features=tuple(features))


@family("alien", "green alien", "little green man", "extraterrestrial", "martian", kind="character")
def alien(kit: Kit) -> Drawn:
    skin = kit.color("green", "light green", "grey", "purple", "teal")
    parts = [
        sphere((0.3, 0.36, 0.28), skin, (0, 1.1, 0)),
        sphere((0.2, 0.3, 0.16), skin, (0, 0.55, 0)),
        cylinder(0.06, 0.2, skin, (0, 0.75, 0)),
        *pair(
            sphere((0.09, 0.14, 0.06), DARK, (0.13, 1.1, 0.23)).turn(),
            bar((0.15, 0.7, 0), (0.34, 0.4, 0.08), 0.05, skin),
            cylinder(0.07, 0.4, skin, (0.1, 0, 0)),
            sphere((0.08, 0.05, 0.14), skin, (0.1, 0.05, 0.06)),
            bar((0.1, 1.4, 0), (0.2, 1.65, 0), 0.02, skin),
            sphere(0.05, skin, (0.2, 1.67, 0)),
        ),
    ]
    return Drawn(
        parts, skin, features=("big black eyes" if kit.look != "clay" else "big eyes", "antennae")
    )
