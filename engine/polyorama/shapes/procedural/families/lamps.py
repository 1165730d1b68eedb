"""Lamps: on floors, tables, desks and ceilings."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    cone,
    cylinder,
    group,
    lathe,
    sphere,
    sweep,
)

_LIGHT = "light"


DECOR = "decoration"


def _shade(kit: Kit, radius: float, height: float, color: Paint) -> Part:
    """A lampshade, open below, that stands on y = 0."""
    top = radius * kit.between(0.45, 0.95)
    profile = [(radius, 0.0), (top, height), (top * 0.2, height), (top * 0.85, height * 0.9),
               (radius * 0.9, 0.0)]  # fmt: skip
    return lathe(profile, color, segments=max(8, kit.segments), closed=True)


def _glow(kit: Kit) -> Paint:
    return Paint((1.0, 0.95, 0.72), "")


@family("floor lamp", "standing lamp", "standard lamp", "tall lamp", kind=_LIGHT)
def _floor_lamp(kit: Kit) -> Drawn:
    stand = kit.metal() if kit.chance(0.6) else kit.wood()
    cloth = kit.other(stand, "white", "beige", "yellow", "red", "orange", "teal", "green", "blue")
    height = kit.between(1.3, 1.6)
    if kit.chance(0.3):
        parts = [bar((0.32 * np.sin(a), 0, 0.32 * np.cos(a)), (0, height, 0), 0.02, stand)
                 for a in (0.0, 2.1, 4.2)]  # fmt: skip
        base = "three legs"
    else:
        parts = [cylinder(0.18 * kit.chunk, 0.04, stand, segments=kit.segments),
                 cylinder(0.02 * kit.chunk, height, stand, segments=6)]  # fmt: skip
        base = "a round base"
    parts += [_shade(kit, 0.25, 0.32, cloth).move(y=height - 0.05),
              sphere(0.07, _glow(kit), (0, height + 0.06, 0), segments=6)]  # fmt: skip
    feature = f"a {kit.say(cloth, 'lampshade')}"
    return Drawn(
        parts,
        cloth,
        adjectives=("tall",),
        features=(feature, base),
        words=("floor lamp", "lamp"),
        paints={"shade": cloth},
    )


@family("table lamp", "bedside lamp", "lamp", kind=_LIGHT)
def _table_lamp(kit: Kit) -> Drawn:
    foot = kit.color()
    cloth = kit.other(foot, "white", "beige", "yellow", "red", "teal", "pink")
    style = kit.pick("vase", "ball", "column")
    if style == "vase":
        body = lathe([(0, 0), (0.08, 0), (0.11, 0.1), (0.05, 0.22), (0.02, 0.26), (0, 0.26)], foot,
                     segments=kit.segments)  # fmt: skip
        parts = [body]
    elif style == "ball":
        parts = [
            cylinder(0.08, 0.03, foot, segments=kit.segments),
            sphere(0.11, foot, (0, 0.13, 0)),
        ]
    else:
        parts = [cylinder(0.11, 0.03, foot, segments=kit.segments),
                 cylinder(0.025 * kit.chunk, 0.26, foot, segments=8)]  # fmt: skip
    parts += [cylinder(0.012, 0.32, foot, segments=6), _shade(kit, 0.18, 0.22, cloth).move(y=0.25),
              sphere(0.05, _glow(kit), (0, 0.3, 0), segments=6)]  # fmt: skip
    return Drawn(
        parts,
        cloth,
        adjectives=("small",),
        features=(f"a {kit.say(cloth, 'lampshade')}",),
        words=("table lamp", "lamp"),
        paints={"shade": cloth, "foot": foot},
    )


@family("desk lamp", "reading lamp", "study lamp", kind=_LIGHT)
def _desk_lamp(kit: Kit) -> Drawn:
    color = kit.color()
    low, high = (0.0, 0.03, 0.0), (0.0, 0.3, -0.14)
    head = (0.0, kit.between(0.42, 0.5), 0.1)
    thick = 0.012 * kit.chunk
    hood = lathe([(0.09, 0), (0.04, 0.1), (0, 0.11), (0, 0.09), (0.08, 0)], color,
                 segments=kit.segments, closed=True)  # fmt: skip
    parts = [cylinder(0.1, 0.03, color, segments=kit.segments * 2), bar(low, high, thick, color),
             bar(high, head, thick, color), sphere(0.022, color, high, segments=6),
             group([hood, sphere(0.035, _glow(kit), (0, 0.03, 0), segments=6)])
             .turn(x=-25).move(0, head[1] - 0.08, head[2] + 0.03)]  # fmt: skip
    return Drawn(parts, color, "", ("adjustable",), ("a bent arm", "a round base"))


@family("pendant lamp", "hanging lamp", "ceiling lamp", "ceiling light", kind=_LIGHT)
def _pendant(kit: Kit) -> Drawn:
    color, cord = kit.color(), kit.color("black", "dark grey")
    drop = kit.between(0.5, 0.9)
    parts = [cylinder(0.012, drop, cord, segments=6), cylinder(0.07, 0.03, cord, (0, drop, 0))]
    if kit.chance(0.35):
        parts.append(sphere(0.2, color, (0, -0.18, 0), segments=max(8, kit.segments)))
    else:
        parts += [_shade(kit, kit.between(0.2, 0.3), 0.24, color).move(y=-0.22),
                  sphere(0.06, _glow(kit), (0, -0.18, 0), segments=6)]  # fmt: skip
    return Drawn(parts, color, adjectives=("hanging",), features=("a cord",))


@family("chandelier", "candelabra ceiling lamp", "hanging light", kind=_LIGHT)
def _chandelier(kit: Kit) -> Drawn:
    metal = kit.color("gold", "black", "bronze", "silver")
    count, reach = kit.count(5, 8), kit.between(0.35, 0.5)
    parts = [cylinder(0.015, 0.7, metal, segments=6), sphere(0.08, metal, segments=8),
             cylinder(0.08, 0.03, metal, (0, 0.7, 0))]  # fmt: skip
    for i in range(count):
        a = 2 * np.pi * i / count
        x, z = np.sin(a), np.cos(a)
        path = [(0, 0, 0), (0.5 * reach * x, -0.14, 0.5 * reach * z), (reach * x, 0, reach * z)]
        parts += [
            sweep(path, 0.014 * kit.chunk, metal),
            cylinder(0.045, 0.015, metal, (reach * x, 0, reach * z), segments=8),
            cylinder(0.02, 0.12, (0.95, 0.93, 0.86), (reach * x, 0, reach * z), segments=6),
            cone(0.02, 0.06, (1.0, 0.8, 0.3), (reach * x, 0.12, reach * z), segments=6),
        ]
    return Drawn(parts, metal, "", ("elegant",), ("candles", "curved arms"))
