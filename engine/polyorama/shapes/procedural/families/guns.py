"""Guns, cannons, siege engines and bombs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    cartwheel,
    pair,
    rod_x,
    rod_z,
    side,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    cylinder,
    lathe,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []

_KIND = "weapon"
_STEEL = ("silver", "light grey", "grey", "silver", "gold", "bronze")
_GRIPS = ("brown", "dark brown", "red", "blue", "black", "dark red", "green")


@family("cannon", "pirate cannon", "old cannon", kind=_KIND)
def cannon(kit: Kit) -> Drawn:
    iron, wood = kit.color("black", "dark grey", "bronze", "grey"), kit.wood()
    barrel = (
        lathe(
            [
                (0.1, 0),
                (0.26, 0.06),
                (0.25, 0.5),
                (0.19, 1.2),
                (0.24, 1.25),
                (0.24, 1.4),
                (0.13, 1.4),
                (0.11, 1.0),
                (0, 1.0),
            ],
            iron,
            segments=max(9, kit.segments),
        )
        .turn(x=80)
        .move(0, 0.6, -0.55)
    )
    parts = [
        barrel,
        sphere(0.1, iron, (0, 0.55, -0.62)),
        side([(-0.7, 0.25), (0.45, 0.3), (0.4, 0.6), (-0.1, 0.55), (-0.7, 0.35)], 0.36, wood),
        rod_x(0.06, 0.8, iron, (0, 0.36, 0.15)),
    ]
    for x in (-0.36, 0.36):
        parts += cartwheel(kit, 0.36, 0.09, wood, (x, 0.36, 0.15))
    if kit.chance(0.4):
        parts += [
            sphere(0.12, DARK, (0.7 + x, y, 0.3))
            for x, y in ((0, 0.12), (0.24, 0.12), (0.12, 0.32))
        ]
        return Drawn(parts, iron, features=("two wheels", "cannonballs"))
    return Drawn(parts, iron, material="metal", features=("two wheels",))


@family("catapult", "siege engine", "trebuchet", "siege weapon", kind=_KIND)
def catapult(kit: Kit) -> Drawn:
    wood, iron = kit.wood(), kit.color("dark grey", "grey")
    parts = [*pair(box((0.12, 0.14, 1.8), wood, (0.45, 0.3, 0)),
                   bar((0.45, 0.4, -0.5), (0.45, 1.2, 0.1), 0.06, wood, segments=4),
                   bar((0.45, 0.4, 0.6), (0.45, 1.2, 0.1), 0.06, wood, segments=4)),
                   rod_x(0.06, 1.0, wood, (0, 1.2, 0.1)),
                   *(box((0.9, 0.1, 0.12), wood, (0, 0.32, z)) for z in (-0.8, 0.8)),
             bar((0, 0.6, 0.2), (0, 1.35, -0.9), 0.06, wood, segments=4),
             lathe([(0.05, 0), (0.2, 0.12), (0.15, 0.12), (0, 0.04)], wood, (0, 1.3, -0.95)),
             sphere(0.13, (0.5, 0.5, 0.52), (0, 1.48, -0.95))]  # fmt: skip
    parts += pair(*(rod_x(0.26, 0.09, iron, (0.58, 0.26, z), segments=10) for z in (-0.6, 0.6)))
    return Drawn(
        parts, wood, material="wooden", features=("four wheels", "a throwing arm", "a stone")
    )


@family("bomb", "explosive", kind=_KIND)
def bomb(kit: Kit) -> Drawn:
    if kit.chance(0.3):
        red = kit.color("red", "dark red", "brown")
        parts = [cylinder(0.1, 0.6, red, at) for at in ((-0.11, 0, 0), (0.11, 0, 0), (0, 0, 0.19))]
        parts += [
            box((0.46, 0.08, 0.42), DARK, (0, 0.26, 0.07)),
            sweep([(0, 0.6, 0.07), (0.05, 0.75, 0.07), (0.15, 0.8, 0.07)], 0.02, WHITE),
        ]
        return Drawn(
            parts, red, features=("a fuse",), words=("dynamite", "sticks of dynamite", "explosives")
        )
    iron = kit.color("black", "black", "dark grey")
    parts = [
        sphere(0.4, iron, (0, 0.4, 0), segments=12),
        cylinder(0.12, 0.12, kit.color("grey", "gold"), (0, 0.76, 0)),
        sweep([(0, 0.86, 0), (0.04, 1.0, 0), (0.16, 1.08, 0)], 0.025, (0.85, 0.8, 0.7)),
        sphere(0.07, (0.98, 0.6, 0.15), (0.18, 1.1, 0)),
    ]
    return Drawn(parts, iron, adjectives=("round",), features=("a burning fuse",))


@family("gun", "handgun", "pistol", kind=_KIND)
def pistol(kit: Kit) -> Drawn:
    steel, grip = (
        kit.color("dark grey", "black", "grey", "silver"),
        kit.color("brown", "black", "dark brown"),
    )
    parts = [
        box((0.1, 0.16, 0.75), steel, (0, 0.4, 0.1), bevel=0.02),
        side([(-0.28, 0.42), (-0.02, 0.42), (-0.14, 0.0), (-0.36, 0.0)], 0.1, grip),
        torus(0.09, 0.018, steel).turn(z=90).move(0, 0.34, 0.06),
        box((0.03, 0.1, 0.03), steel, (0, 0.32, 0.05)),
        box((0.03, 0.04, 0.04), DARK, (0, 0.56, 0.42)),
    ]
    if kit.chance(0.4):
        parts += [rod_z(0.12, 0.24, steel, (0, 0.44, 0.08)), rod_z(0.05, 0.4, steel, (0, 0.5, 0.6))]
        return Drawn(
            parts,
            steel,
            material="metal",
            features=("a round cylinder",),
            words=("revolver", "gun", "pistol"),
        )
    return Drawn(parts, steel, material="metal", features=(kit.say(grip, "grip"), "a trigger"))


@family("rifle", "long gun", kind=_KIND)
def rifle(kit: Kit) -> Drawn:
    steel, wood = (
        kit.color("dark grey", "black", "grey"),
        kit.color("brown", "black", "green", "dark brown"),
    )
    modern = kit.chance(0.5)
    parts = [
        rod_z(0.03, 1.0, steel, (0, 0.46, 0.75)),
        box((0.1, 0.14, 0.7), steel, (0, 0.36, 0.05)),
        side([(-1.0, 0.15), (-0.3, 0.36), (-0.3, 0.5), (-1.0, 0.44)], 0.09, wood),
        box((0.1, 0.1, 0.5), wood, (0, 0.34, 0.5)),
        side([(-0.28, 0.38), (-0.12, 0.38), (-0.2, 0.1), (-0.34, 0.12)], 0.08, wood),
    ]
    if modern:
        parts += [
            box((0.07, 0.34, 0.14), steel, (0, 0.06, 0.12)).turn(x=-6),
            rod_z(0.05, 0.4, DARK, (0, 0.6, 0.0)),
            box((0.04, 0.1, 0.04), steel, (0, 0.48, 1.1)),
        ]
    return Drawn(
        parts,
        steel,
        adjectives=("long",),
        features=("a magazine", "a scope") if modern else ("a wooden stock",),
        words=("rifle", "assault rifle") if modern else ("musket", "rifle", "old rifle"),
    )
