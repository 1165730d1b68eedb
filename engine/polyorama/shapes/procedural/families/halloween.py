"""Halloween: lanterns, pumpkins with faces, bones, witches' things, fires."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    FIRE,
    around,
    candle,
    flame,
    pair,
    rod_x,
    rod_z,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    box,
    cone,
    cylinder,
    lathe,
    prism,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []

_STONE = ("grey", "dark grey", "light grey")
_IRON = ("black", "dark grey", "grey")
_SPOOKY = ("spooky", "old", "creepy")


@family("lantern", "oil lantern", kind="light")
def lantern(kit: Kit) -> Drawn:
    iron, sides = kit.color(*_IRON, "gold", "brown"), kit.pick(4, 6)
    parts = [cylinder(0.22, 0.07, iron, segments=sides),
             cylinder(0.15, 0.4, (0.97, 0.8, 0.42), (0, 0.07, 0), segments=sides),
             cone(0.26, 0.2, iron, (0, 0.46, 0), segments=sides),
             torus(0.08, 0.02, iron).turn(x=90).move(0, 0.72, 0),
             *around(box((0.03, 0.42, 0.03), iron, (0.17, 0.06, 0)), sides,
                     180 / sides)]  # fmt: skip
    if kit.chance(0.3):
        high = 1.5
        arm = [
            cylinder(0.05, high + 0.5, iron),
            box((0.6, 0.05, 0.05), iron, (0.3, high + 0.4, 0)),
            box((0.3, 0.1, 0.3), iron),
        ]
        parts = [*(p.move(0.5, high - 0.4, 0) for p in parts), *arm]
        return Drawn(
            parts,
            iron,
            features=("a post", "a glowing light"),
            words=("lantern post", "post with lantern", "street lantern"),
        )
    return Drawn(parts, iron, material="metal", features=("a glowing light", "a ring on top"))


@family(
    "jack-o'-lantern",
    "carved pumpkin",
    "halloween pumpkin",
    "pumpkin with a face",
    "pumpkin",
    kind="decoration",
)
def jack_o_lantern(kit: Kit) -> Drawn:
    skin, stem = kit.color("orange", "orange", "yellow", "white"), kit.color("green", "brown")
    ribs, flat = kit.pick(7, 8, 10), kit.between(0.75, 1.05)
    parts = [
        *around(sphere((0.3, 0.42 * flat, 0.3), skin, (0.26, 0.4 * flat, 0), segments=9), ribs),
        sweep(
            [(0, 0.75 * flat, 0), (0, 0.9 * flat, 0), (0.1, 0.98 * flat, 0)],
            [0.08, 0.06, 0.05],
            stem,
        ),
    ]
    glow = kit.pick((0.98, 0.85, 0.3), (0.12, 0.08, 0.05))
    eye = prism([(-0.09, 0), (0.09, 0), (0, 0.15)], 0.06, glow).turn(y=24)
    mouth = [
        (-0.26, 0.08),
        (-0.15, -0.06),
        (-0.08, 0.0),
        (0, -0.08),
        (0.08, 0.0),
        (0.15, -0.06),
        (0.26, 0.08),
        (0.13, 0.03),
        (0.06, 0.07),
        (-0.06, 0.07),
        (-0.13, 0.03),
    ]
    parts += [
        *pair(eye.move(0.2, 0.48 * flat, 0.5)),
        prism([(-0.05, 0), (0.05, 0), (0, 0.08)], 0.06, glow, (0, 0.4 * flat, 0.56)),
        prism(mouth, 0.12, glow, (0, 0.24 * flat, 0.53)),
    ]
    return Drawn(
        parts,
        skin,
        adjectives=("spooky", "smiling"),
        features=("a carved face", "triangular eyes"),
        sentences=("halloween decoration with a scary face",),
    )


@family(
    "candles",
    "burning candles",
    "group of candles",
    kind="light",
)
def candles(kit: Kit) -> Drawn:
    wax, count = kit.color("white", "beige", "red", "white", "purple", "black"), kit.count(2, 5)
    parts = []
    for k in range(count):
        high = kit.between(0.2, 0.6)
        at = (0.22 * math.cos(2.2 * k) * (k > 0), 0, 0.22 * math.sin(2.2 * k) * (k > 0))
        parts += candle(high, kit.between(0.06, 0.1), wax, at)
        parts.append(blob((0.13, 0.03, 0.13), wax, kit.rng, at))
    return Drawn(
        parts,
        wax,
        adjectives=("burning",),
        features=("flames", "melted wax"),
        words=("candles", f"{('two', 'three', 'four', 'five')[count - 2]} candles"),
    )


@family(
    "cauldron",
    "witch cauldron",
    "magic cauldron",
    "witch's pot",
    "boiling pot",
    kind="halloween prop",
)
def cauldron(kit: Kit) -> Drawn:
    iron, brew = (
        kit.color("black", "dark grey", "grey"),
        kit.color("green", "purple", "light green", "orange"),
    )
    parts = [lathe([(0.15, 0.12), (0.45, 0.25), (0.52, 0.5), (0.42, 0.78), (0.48, 0.86),
                    (0.4, 0.86), (0.36, 0.7), (0, 0.7)], iron, segments=max(9, kit.segments)),
                    cylinder(0.38, 0.03, brew, (0, 0.76, 0)),
             *around(bar((0.3, 0.2, 0), (0.36, 0, 0), 0.06, iron), 3, 30),
             *(sphere(kit.between(0.05, 0.1), brew,
                      (kit.between(-0.22, 0.22), 0.8, kit.between(-0.22, 0.22)),
                      segments=7) for _ in range(4)),
             *pair(torus(0.1, 0.025, iron).turn(x=90).move(0.54, 0.6, 0))]  # fmt: skip
    features = [kit.say(brew, "bubbling brew"), "three legs"]
    if kit.chance(0.3):
        parts += [
            *around(rod_x(0.05, 0.6, (0.4, 0.25, 0.15), (0.2, 0.04, 0)), 5),
            *flame(0.3, (0, 0, 0.3)),
            *flame(0.25, (0.2, 0, -0.25)),
        ]
        features.append("a fire below")
    return Drawn(parts, iron, material="iron", features=tuple(features))


@family("bone", kind="halloween prop")
def bone(kit: Kit) -> Drawn:
    white = kit.color("white", "beige", "light grey")
    thick = 0.07 * kit.chunk
    one = [
        rod_x(thick, 0.8, white),
        *(
            sphere(1.4 * thick, white, (s * 0.42, 0, z * thick))
            for s in (-1, 1)
            for z in (-1.05, 1.05)
        ),
    ]
    if kit.chance(0.3):
        parts = [p.turn(y=30).move(0, 0.1, 0) for p in one] + [
            p.turn(y=-40).move(0, 0.22, 0) for p in one
        ]
        return Drawn(parts, white, words=("bones", "crossed bones", "two bones"))
    return Drawn(
        [p.turn(x=kit.between(0, 90)) for p in one],
        white,
        features=("knobbed ends",),
        words=("bone",),
    )


@family("rib cage", "ribcage", "ribs", "chest bones", kind="halloween prop")
def rib_cage(kit: Kit) -> Drawn:
    white, count = kit.color("white", "beige", "light grey"), kit.count(4, 7)
    parts = [
        cylinder(0.05 * kit.chunk, 1.0, white, (0, 0, -0.25), segments=7),
        box((0.1, 0.6, 0.05), white, (0, 0.35, 0.24)),
    ]
    for k in range(count):
        y, wide = 0.15 + 0.8 * k / count, 0.36 - 0.05 * abs(k - count / 2)
        line = [
            (0, y + 0.06, -0.25),
            (0.8 * wide, y + 0.06, -0.2),
            (wide, y, 0.05),
            (0.06, y - 0.04 + 0.02 * k, 0.25),
        ]
        parts += pair(sweep(line, 0.03 * kit.chunk, white, segments=5))
    return Drawn(parts, white, adjectives=_SPOOKY, features=("curved ribs", "a spine"))


@family("witch hat", "wizard hat", "pointed hat", "magic hat", kind="hat")
def witch_hat(kit: Kit) -> Drawn:
    cloth, band = (
        kit.color("black", "purple", "blue", "dark grey", "dark green"),
        kit.color("orange", "purple", "gold", "green", "red"),
    )
    bent = kit.between(0, 50)
    crown = lathe(
        [(0.3, 0), (0.22, 0.3), (0.12, 0.6), (0.05, 0.85), (0, 0.95)],
        cloth,
        segments=max(8, kit.segments),
    ).bend(bent)
    parts = [
        crown,
        cylinder(0.62, 0.04, cloth, (0, -0.02, 0), segments=max(10, kit.segments)),
        cylinder(0.31, 0.12, band, (0, 0.02, 0), top=0.28, segments=max(8, kit.segments)),
        box((0.16, 0.14, 0.03), kit.color("gold"), (0, 0.01, 0.3)),
    ]
    return Drawn(
        parts,
        cloth,
        features=("a wide brim", kit.say(band, "band"), "a pointed tip"),
        paints={"band": band},
    )


@family("broom", "witch broom", "broomstick", "besom", kind="tool")
def broom(kit: Kit) -> Drawn:
    wood, straw = kit.wood(), kit.color("yellow", "beige", "light brown")
    if kit.chance(0.4):
        brush = [
            box((0.45, 0.3, 0.12), straw, (0, 0, 0), taper=0.7),
            box((0.34, 0.08, 0.11), kit.color("red", "blue", "green"), (0, 0.3, 0)),
        ]
    else:
        brush = [
            lathe([(0.2, 0), (0.17, 0.25), (0.06, 0.5), (0, 0.52)], straw, segments=8),
            torus(0.09, 0.025, kit.color("red", "brown")).move(0, 0.42, 0),
        ]
    return Drawn(
        [cylinder(0.03 * kit.chunk, 1.3, wood, (0, 0.3, 0), segments=6), *brush],
        wood,
        material="wooden",
        features=("a long handle", kit.say(straw, "straw bristles")),
        sentences=("flying broom of a witch",),
    )


@family("campfire", "bonfire", "fire", "fire pit", kind="prop")
def campfire(kit: Kit) -> Drawn:
    wood, stone = kit.wood(), kit.color(*_STONE)
    log = bar((0.45, 0.05, 0), (0.02, 0.32, 0), 0.06, wood)
    parts = [
        *around(log, kit.count(4, 6)),
        *flame(kit.between(0.6, 0.9), (0, 0.08, 0)),
        *flame(0.4, (0.14, 0.05, 0.1), FIRE),
        *(
            blob(0.12, stone, kit.rng, (0.6 * math.cos(a), 0.06, 0.6 * math.sin(a)))
            for a in (0.7 * k for k in range(9))
        ),
    ]
    return Drawn(parts, None, adjectives=("burning",), features=("logs", "a ring of stones"))


@family("spider web", "cobweb", "spiderweb", "web", kind="halloween prop")
def spider_web(kit: Kit) -> Drawn:
    thread, rays, rings = kit.color("white", "light grey", "grey"), kit.pick(6, 8), kit.count(3, 5)
    parts = [
        rod_z(0.012, 2.0, thread).turn(x=90).turn(z=180 * k / (rays // 2) / 1.0)
        for k in range(rays // 2)
    ]
    for k in range(1, rings + 1):
        reach = k / rings * 0.95
        points = [
            (reach * math.cos(2 * math.pi * j / rays), reach * math.sin(2 * math.pi * j / rays))
            for j in range(rays + 1)
        ]
        parts += [
            bar((*a, 0), (*b, 0), 0.01, thread, segments=4) for a, b in itertools.pairwise(points)
        ]
    if kit.chance(0.5):
        parts += [
            sphere((0.08, 0.1, 0.06), DARK, (0.2, 0.1, 0.04)),
            *around(bar((0, 0, 0), (0.16, 0, 0), 0.008, DARK).move(0, 0, 0), 1),
        ]
        return Drawn(parts, thread, adjectives=("creepy",), features=("a spider in it",))
    return Drawn(parts, thread, adjectives=("creepy",))
