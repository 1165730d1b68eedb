"""Insects, spiders and other small crawlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import DARK, WHITE, pair, plate, rod_x
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    cone,
    cylinder,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Part, Tint

__all__: list[str] = []


@family("snail", "garden snail", "slug", kind="animal")
def snail(kit: Kit) -> Drawn:
    skin, shell = (
        kit.color("beige", "light brown", "yellow", "grey"),
        kit.color("brown", "orange", "red", "dark brown", "pink"),
    )
    parts = [sweep([(0, 0.06, -0.5), (0, 0.08, 0), (0, 0.09, 0.35), (0, 0.25, 0.48),
                    (0, 0.36, 0.5)], [0.03, 0.12, 0.11, 0.09, 0.08], skin),
             rod_x(0.28, 0.24, shell, (0, 0.4, -0.08), segments=12),
             rod_x(0.19, 0.32, shell, (0, 0.42, -0.08), segments=12),
             rod_x(0.1, 0.38, shell, (0, 0.43, -0.08), segments=10),
             *pair(bar((0.03, 0.4, 0.52), (0.1, 0.58, 0.58), 0.02, skin),
                   sphere(0.03, DARK, (0.1, 0.6, 0.58)))]  # fmt: skip
    return Drawn(
        parts, shell, adjectives=("slow", "slimy"), features=("a round shell", "two feelers")
    )


@family("butterfly", "moth", "flying insect", kind="insect")
def butterfly(kit: Kit) -> Drawn:
    coat = kit.color()
    spot = kit.other(coat)
    upper = [(0.03, 0.02), (0.2, 0.42), (0.5, 0.5), (0.6, 0.25), (0.4, 0.02)]
    lower = [(0.03, 0.0), (0.4, 0.0), (0.45, -0.25), (0.28, -0.4), (0.08, -0.2)]
    wing = [
        plate(upper, 0.02, coat),
        plate(lower, 0.02, spot),
        cylinder(0.07, 0.03, spot, (0.4, -0.005, -0.28), segments=8),
    ]
    lift = kit.between(5, 35)
    parts = [sweep([(0, 0, -0.25), (0, 0, 0), (0, 0, 0.25)], [0.02, 0.045, 0.03], DARK),
             sphere(0.05, DARK, (0, 0, 0.28)),
             *pair(*(w.scale(1, 1, 1).turn(z=lift) for w in wing),
                   bar((0.02, 0, 0.3), (0.12, 0.05, 0.45), 0.01, DARK))]  # fmt: skip
    if kit.chance(0.75):
        parts = [part.turn(x=-65) for part in parts]
    return Drawn(parts, coat, features=("four wings", kit.say(spot, "spots"), "antennae"))


@family("bee", "bumblebee", "honey bee", kind="insect")
def bee(kit: Kit) -> Drawn:
    coat = kit.color("yellow", "yellow", "orange")
    parts = [sphere((0.22, 0.2, 0.3), coat), sphere(0.14, DARK, (0, 0.02, 0.3)),
             cone(0.04, 0.14, DARK).turn(x=-90).move(0, 0, -0.28),
             *(torus(r, 0.04, DARK, segments=12).turn(x=90).move(0, 0, z) for z,
               r in ((0.1, 0.2), (-0.08, 0.2), (-0.2, 0.13))),
             *pair(sphere((0.22, 0.02, 0.12), (0.85, 0.92, 0.96), (0.2, 0.24, -0.02)).turn(z=20),
                   bar((0.05, 0.12, 0.36), (0.1, 0.26, 0.44), 0.012, DARK),
                   sphere(0.04, WHITE, (0.09, 0.06, 0.41)))]  # fmt: skip
    return Drawn(parts, coat, features=("stripes", "wings", "a sting"))


@family("ladybug", "ladybird", "beetle", "bug", kind="insect")
def ladybug(kit: Kit) -> Drawn:
    coat = kit.color("red", "red", "orange", "yellow", "green", "blue")
    parts = [sphere((0.3, 0.28, 0.36), coat, (0, 0.08, 0), low=0.5),
             sphere((0.18, 0.14, 0.14), DARK, (0, 0.14, 0.36)),
             box((0.015, 0.02, 0.6), DARK, (0, 0.355, -0.02)),
             cylinder(0.28, 0.06, DARK, (0, 0.05, 0)),
             *pair(*(sphere((0.07, 0.05, 0.07), DARK, at) for at in ((0.16, 0.3, 0.1),
                                                                     (0.2, 0.24, -0.13),
                                                                     (0.1, 0.3, -0.16))),
                   *(bar((0.2, 0.1, z), (0.4, 0, 1.3 * z), 0.02, DARK) for z in (-0.2, 0.0, 0.2)),
                   bar((0.05, 0.2, 0.45), (0.12, 0.3, 0.55), 0.012, DARK))]  # fmt: skip
    return Drawn(
        parts,
        coat,
        features=("dots", "six legs"),
        words=("ladybug", "ladybird") if coat.name == "red" else (),
    )


@family("ant", "worker ant", "insect", kind="insect")
def ant(kit: Kit) -> Drawn:
    coat = kit.color("black", "brown", "red", "dark red")
    parts = [sphere((0.16, 0.15, 0.22), coat, (0, 0.24, -0.34)),
             sphere((0.1, 0.09, 0.14), coat, (0, 0.22, 0)),
             sphere((0.14, 0.12, 0.14), coat, (0, 0.26, 0.28)),
             *pair(*(sweep([(0.06, 0.2, 0.5 * z), (0.3, 0.32, z), (0.45, 0.0, 1.7 * z)],
                           0.02 * kit.chunk, coat) for z in (-0.18, 0.0, 0.18)),
                   sweep([(0.05, 0.34, 0.36), (0.14, 0.5, 0.45), (0.16, 0.46, 0.6)], 0.015, coat),
                   sphere(0.025, WHITE, (0.1, 0.3, 0.37)))]  # fmt: skip
    return Drawn(parts, coat, adjectives=("small",), features=("six legs", "antennae"))


def _legged(
    kit: Kit, count: int, span: float, height: float, color: Tint, thick: float
) -> list[Part]:
    """Bent legs on both sides of a crawler, `count` a side."""
    legs = []
    for k in range(count):
        z = (k - (count - 1) / 2) * 0.16
        lean = (k - (count - 1) / 2) * 0.28
        line = [(0.08, 0.18, z * 0.6), (0.55 * span, height, z + 0.4 * lean), (span, 0.0, z + lean)]
        legs.append(sweep(line, [thick, 0.8 * thick, 0.4 * thick], color, segments=5))
    return pair(*legs)


@family("spider", "tarantula", "creepy spider", kind="arachnid")
def spider(kit: Kit) -> Drawn:
    color = kit.color("black", "brown", "dark grey", "dark red", "purple")
    parts = [sphere((0.2, 0.18, 0.26), color, (0, 0.26, -0.26)),
             sphere((0.13, 0.11, 0.14), color, (0, 0.2, 0.06)),
             *_legged(kit, 4, kit.between(0.5, 0.75), kit.between(0.3, 0.5), color,
                      0.025 * kit.chunk),
             *pair(sphere(0.03, (0.8, 0.1, 0.1), (0.05, 0.25, 0.18)),
                   cone(0.025, 0.08, color).turn(x=150).move(0.04, 0.14, 0.2))]  # fmt: skip
    return Drawn(
        parts,
        color,
        adjectives=("creepy", "spooky"),
        features=("eight legs",),
        sentences=("halloween spider",),
    )


@family("scorpion", "desert scorpion", kind="arachnid")
def scorpion(kit: Kit) -> Drawn:
    color = kit.color("black", "brown", "dark brown", "orange")
    line = [(0, 0.16, -0.3), (0, 0.25, -0.6), (0, 0.5, -0.72), (0, 0.72, -0.6), (0, 0.74, -0.42)]
    claw = [sphere((0.09, 0.06, 0.15), color, (0.42, 0.14, 0.52)),
            cone(0.04, 0.16, color).turn(x=90).move(0.37, 0.14, 0.6),
            cone(0.03, 0.14, color).turn(x=90).move(0.47, 0.14, 0.6),
            sweep([(0.1, 0.15, 0.2), (0.38, 0.18, 0.25), (0.42, 0.14, 0.45)], 0.035,
                  color)]  # fmt: skip
    tail = [sphere(0.085 - 0.008 * k, color, at) for k, at in enumerate(line)]
    parts = [sphere((0.18, 0.1, 0.36), color, (0, 0.15, -0.02)), *tail, sweep(line, 0.05, color),
             cone(0.04, 0.16, color).turn(x=120).move(0, 0.74, -0.4),
             *_legged(kit, 4, 0.42, 0.22, color, 0.022), *pair(*claw)]  # fmt: skip
    return Drawn(parts, color, features=("two claws", "a curved tail with a sting"))


@family("crab", "red crab", "sea crab", "crustacean", kind="animal")
def crab(kit: Kit) -> Drawn:
    color = kit.color("red", "orange", "red", "blue", "brown")
    claw = [sphere((0.12, 0.08, 0.14), color, (0.45, 0.22, 0.42)),
            cone(0.06, 0.2, color).turn(x=90, y=-25).move(0.42, 0.22, 0.5),
            cone(0.045, 0.17, color).turn(x=90, y=-15).move(0.53, 0.22, 0.5),
            sweep([(0.25, 0.18, 0.15), (0.5, 0.2, 0.2), (0.48, 0.22, 0.38)], 0.05,
                  color)]  # fmt: skip
    parts = [sphere((0.36, 0.16, 0.26), color, (0, 0.2, 0), segments=max(8, kit.segments)),
             *_legged(kit, 3, 0.62, 0.3, color, 0.035),
             *pair(*claw, cylinder(0.02, 0.14, color, (0.1, 0.3, 0.18)),
                   sphere(0.045, DARK, (0.1, 0.45, 0.18)))]  # fmt: skip
    return Drawn(
        parts, color, features=("two claws", "six legs"), sentences=("beach animal with pincers",)
    )
