"""Graveyards: graves, coffins, crypts, fences, gates, crosses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    candle,
    darker,
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
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Part, Tint

__all__: list[str] = []

_STONE = ("grey", "dark grey", "light grey")
_IRON = ("black", "dark grey", "grey")
_SPOOKY = ("spooky", "old", "creepy")


def _headstone(kit: Kit, stone: Tint) -> tuple[list[Part], str]:
    """A slab that marks a grave, and what its form is called."""
    form = kit.pick("rounded", "cross-shaped", "square", "pointed")
    wide, high, deep = kit.between(0.5, 0.7), kit.between(0.7, 1.0), 0.14 * kit.chunk
    if form == "rounded":
        outline = [(-wide / 2, 0), (wide / 2, 0), *arc(wide / 2, 0, 180, 8, (0, high - wide / 2))]
        parts = [prism(outline, deep, stone)]
    elif form == "cross-shaped":
        parts = [
            box((0.18, high + 0.2, deep), stone),
            box((0.6, 0.18, deep), stone, (0, 0.62 * high, 0)),
        ]
    elif form == "square":
        parts = [box((wide, high, deep), stone, bevel=0.04)]
    else:
        parts = [
            prism(
                [
                    (-wide / 2, 0),
                    (wide / 2, 0),
                    (wide / 2, 0.75 * high),
                    (0, high),
                    (-wide / 2, 0.75 * high),
                ],
                deep,
                stone,
            )
        ]
    if form != "cross-shaped":
        mark = darker(stone, 0.6)
        parts += [
            box((0.05, 0.24, 0.03), mark, (0, 0.45 * high, deep / 2)),
            box((0.18, 0.05, 0.03), mark, (0, 0.45 * high + 0.13, deep / 2)),
        ]
    return parts, form


@family("gravestone", "tombstone", "headstone", "grave marker", kind="graveyard prop")
def gravestone(kit: Kit) -> Drawn:
    stone = kit.color(*_STONE, "beige")
    parts, form = _headstone(kit, stone)
    lean = kit.between(-12, 12)
    parts = [p.turn(z=lean, x=0.5 * lean) for p in parts]
    if kit.chance(0.5):
        parts.append(box((0.85, 0.12, 0.36), stone, (0, -0.04, 0), bevel=0.03))
    features: tuple[str, ...] = ()
    if kit.chance(0.25):
        parts += candle(0.2, 0.05, WHITE, (0.3, 0.08, 0.25))
        features = ("a candle",)
    return Drawn(
        parts,
        stone,
        material="stone",
        adjectives=(*_SPOOKY, form),
        features=features,
        sentences=("spooky old gravestone", "rest in peace stone"),
    )


@family("grave", "burial mound", "grave with headstone", "tomb", kind="graveyard prop")
def grave(kit: Kit) -> Drawn:
    stone, dirt = kit.color(*_STONE), kit.color("brown", "dark brown")
    parts, form = _headstone(kit, stone)
    parts = [p.move(0, 0, -0.8) for p in parts]
    if kit.chance(0.3):
        parts = [
            box((0.08, 0.8, 0.06), kit.wood(), (0, 0, -0.8)),
            box((0.45, 0.08, 0.06), kit.wood(), (0, 0.5, -0.8)),
        ]
        form = "wooden"
    parts.append(
        sphere((0.45, 0.25, 0.85), dirt, (0, 0, 0.15), low=0.5)
        if kit.chance()
        else box((0.8, 0.12, 1.5), dirt, (0, 0, 0.1), bevel=0.04)
    )
    if kit.chance(0.3):
        parts.append(bar((0.1, 0, 0.3), (0.2, 0.5, 0.35), 0.06, kit.color("green", "beige")))
        return Drawn(parts, stone, adjectives=_SPOOKY, features=("a zombie arm", "dirt"))
    return Drawn(
        parts, stone, adjectives=_SPOOKY, features=(f"a {form} gravestone", "a mound of dirt")
    )


@family("coffin", "casket", kind="graveyard prop")
def coffin(kit: Kit) -> Drawn:
    wood, trim = (
        kit.color("brown", "dark brown", "black", "grey", "dark red"),
        kit.color("gold", "silver", "grey"),
    )
    outline = [(-0.28, -1.0), (0.28, -1.0), (0.45, 0.5), (0.3, 0.9), (-0.3, 0.9), (-0.45, 0.5)]
    shut = kit.chance(0.7)
    body = prism(outline, 0.4, wood)
    lid = prism([(1.08 * x, 1.06 * y) for x, y in outline], 0.1, wood, bevel=0.03)
    cross = [
        box((0.07, 0.9, 0.03), trim, (0, -0.5, 0)),
        box((0.36, 0.07, 0.03), trim, (0, 0.15, 0)),
    ]
    parts = [body]
    if shut:
        parts += [lid.move(0, 0, 0.25), *(p.move(0, 0, 0.31) for p in cross)]
    else:
        parts += [
            prism(
                [(0.85 * x, 0.92 * y) for x, y in outline],
                0.42,
                kit.color("red", "purple", "dark red"),
            ),
            lid.move(0.45, 0, 0.14).turn(z=-15),
        ]
    standing = kit.chance(0.35)
    parts = [p.move(0, 1.0, 0) if standing else p.turn(x=-90) for p in parts]
    return Drawn(
        parts,
        wood,
        material="wooden",
        adjectives=(*_SPOOKY, "closed" if shut else "open"),
        features=(kit.say(trim, "cross"),) if shut else ("a lining",),
    )


@family("crypt", "mausoleum", "tomb building", "burial vault", kind="graveyard building")
def crypt(kit: Kit) -> Drawn:
    stone, roof = kit.color(*_STONE), kit.color("dark grey", "grey", "blue", "purple")
    parts = [box((2.0, 0.15, 2.4), stone), box((1.7, 1.4, 2.0), stone, (0, 0.15, 0)),
             gable(2.1, 0.7, 2.3, roof).move(0, 1.55, 0),
             prism([(-0.35, 0), (0.35, 0), (0.35, 0.7), *arc(0.35, 0, 180, 6, (0, 0.7))], 0.1,
                   DARK, (0, 0.15, 1.0)),
             *pair(cylinder(0.12, 1.4, stone, (0.72, 0.15, 1.05))),
             box((0.08, 0.5, 0.08), stone, (0, 2.2, 1.0)),
             box((0.3, 0.08, 0.08), stone, (0, 2.45, 1.0)),
             *(box((0.03, 0.95, 0.04), (0.4, 0.4, 0.42), (x, 0.15, 1.06)) for x in (-0.2, 0,
                                    0.2))]  # fmt: skip
    return Drawn(
        parts,
        stone,
        material="stone",
        adjectives=_SPOOKY,
        features=("two columns", "a dark doorway"),
    )


@family("iron fence", "graveyard fence", "metal fence", "cemetery fence", "fence", kind="barrier")
def iron_fence(kit: Kit) -> Drawn:
    iron, count, broken = kit.color(*_IRON), kit.count(5, 9), kit.chance(0.3)
    wide = 0.2 * count
    parts = [rod_x(0.025 * kit.chunk, wide, iron, (0, y, 0)) for y in (0.2, 0.75)]
    for k in range(count):
        x = wide * ((k + 0.5) / count - 0.5)
        if broken and k in (2, 3):
            parts.append(
                cylinder(0.02, 0.35, iron, (x, 0, 0), segments=5).turn(z=kit.between(-8, 8))
            )
            continue
        parts += [
            cylinder(0.02 * kit.chunk, 0.95, iron, (x, 0, 0), segments=5),
            cone(0.045 * kit.chunk, 0.16, iron, (x, 0.95, 0), segments=5),
        ]
    features = ["pointed spikes"]
    if kit.chance(0.5):
        stone = kit.color(*_STONE)
        parts += pair(
            box((0.24, 1.15, 0.24), stone, (wide / 2 + 0.1, 0, 0)),
            box((0.32, 0.1, 0.32), stone, (wide / 2 + 0.1, 1.15, 0)),
        )
        features.append("stone pillars")
    return Drawn(
        parts,
        iron,
        material="iron",
        adjectives=("broken",) if broken else _SPOOKY,
        features=tuple(features),
    )


@family("wooden fence", "picket fence", "garden fence", "farm fence", "fence", kind="barrier")
def wooden_fence(kit: Kit) -> Drawn:
    wood, count = kit.color("brown", "light brown", "white", "dark brown"), kit.count(4, 8)
    wide = 0.26 * count
    if kit.chance(0.35):
        parts = [box((0.12, 1.0, 0.12), wood, (x, 0, 0)) for x in (-0.8, 0, 0.8)]
        parts += [
            box((2.0, 0.1, 0.06), wood, (0, y, 0.08)).turn(z=kit.between(-3, 3)) for y in (0.3, 0.7)
        ]
        return Drawn(parts, wood, material="wooden", features=("three posts", "two rails"))
    parts = [box((wide, 0.1, 0.05), wood, (0, y, -0.04)) for y in (0.2, 0.6)]
    for k in range(count):
        top = kit.between(0.8, 0.95)
        parts.append(
            prism(
                [(-0.09, 0), (0.09, 0), (0.09, top), (0, top + 0.12), (-0.09, top)],
                0.04,
                wood,
                (wide * ((k + 0.5) / count - 0.5), 0, 0),
            )
        )
    return Drawn(parts, wood, material="wooden", features=("pointed pickets",))


@family("gate", "iron gate", kind="barrier")
def gate(kit: Kit) -> Drawn:
    stone, iron = kit.color(*_STONE, "beige"), kit.color(*_IRON, "brown")
    parts = [
        *pair(
            box((0.35, 1.7, 0.35), stone, (0.95, 0, 0)),
            box((0.45, 0.12, 0.45), stone, (0.95, 1.7, 0)),
        ),
        *(rod_x(0.03, 1.6, iron, (0, y, 0)) for y in (0.2, 1.0)),
    ]
    parts += [
        cylinder(0.025, 1.05 + 0.4 * (1 - (x / 0.8) ** 2), iron, (x, 0.05, 0), segments=5)
        for x in (-0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7)
    ]
    features = ["two stone pillars", "iron bars"]
    if kit.chance(0.6):
        arch = [
            (-1.1, 0),
            (-0.75, 0),
            *reversed(arc(0.75, 0, 180, 8)),
            (0.75, 0),
            (1.1, 0),
            *arc(1.1, 0, 180, 8),
        ]
        parts.append(prism(arch[2:-1], 0.3, stone, (0, 1.8, 0)))
        features.append("an arch")
    else:
        parts += pair(sphere(0.18, stone, (0.95, 1.98, 0)))
    return Drawn(parts, iron, material="iron", adjectives=("closed",), features=tuple(features))


@family("arch", "stone arch", "archway", "arched gateway", "ruin", kind="structure")
def arch(kit: Kit) -> Drawn:
    stone, inner, thick = (
        kit.color(*_STONE, "beige", "light brown"),
        kit.between(0.5, 0.8),
        kit.between(0.2, 0.4),
    )
    high, outer = kit.between(0.8, 1.4), inner + thick
    ring = [
        (outer, -high),
        *arc(outer, 0, 180, 10),
        (-outer, -high),
        (-inner, -high),
        *reversed(arc(inner, 0, 180, 10)),
        (inner, -high),
    ]
    parts = [
        prism(ring, 0.4, stone, (0, high, 0)),
        *pair(box((thick + 0.12, 0.15, 0.5), stone, ((inner + outer) / 2, 0, 0))),
        box((0.22, 0.3, 0.46), stone, (0, high + inner - 0.02, 0)),
    ]
    return Drawn(
        parts,
        stone,
        material="stone",
        adjectives=("old", "round"),
        features=("two pillars", "a keystone"),
    )


@family("cross", "crucifix", "grave cross", kind="prop")
def cross(kit: Kit) -> Drawn:
    stony = kit.chance()
    paint = kit.color(*_STONE) if stony else kit.wood()
    thick, high = 0.13 * kit.chunk, kit.between(0.9, 1.4)
    parts = [
        box((thick, high, thick), paint, bevel=0.015),
        box((0.62 * high, thick, thick), paint, (0, 0.62 * high, 0), bevel=0.015),
    ]
    features: tuple[str, ...] = ()
    if stony and kit.chance():
        parts.append(torus(0.22 * high, 0.04, paint).turn(x=90).move(0, 0.62 * high + thick / 2, 0))
        features = ("a ring",)
    if kit.chance(0.4):
        parts.append(box((0.5, 0.15, 0.4), kit.color("grey", "brown")))
        features = (*features, "a base")
    return Drawn(parts, paint, material="stone" if stony else "wooden", features=features)


@family("shrine", "altar", "stone shrine", "roadside shrine", kind="structure")
def shrine(kit: Kit) -> Drawn:
    stone, roof = kit.color(*_STONE, "beige"), kit.color("dark grey", "red", "brown", "blue")
    parts = [
        box((0.9, 0.15, 0.7), stone),
        box((0.6, 0.7, 0.45), stone, (0, 0.15, 0)),
        box((0.75, 0.1, 0.6), stone, (0, 0.85, 0)),
        *pair(box((0.1, 0.55, 0.4), stone, (0.28, 0.95, -0.02))),
        box((0.6, 0.55, 0.08), stone, (0, 0.95, -0.2)),
        gable(0.95, 0.4, 0.7, roof).move(0, 1.5, 0),
    ]
    features = ["a small roof"]
    if kit.chance(0.6):
        parts += [p for x in (-0.13, 0.13) for p in candle(0.16, 0.04, WHITE, (x, 0.95, 0.08))]
        features.append("candles")
    else:
        parts.append(sphere((0.08, 0.16, 0.08), kit.color("gold", "grey"), (0, 1.1, 0)))
    return Drawn(parts, stone, material="stone", features=tuple(features))


@family("wooden post", "post", kind="prop")
def post(kit: Kit) -> Drawn:
    wood, kind = kit.wood(), kit.pick("post", "sign", "skull")
    parts = [
        box((0.14, 1.2, 0.14), wood).rough(kit.rng, 0.012),
        box((0.18, 0.06, 0.18), wood, (0, 1.2, 0)),
    ]
    if kind == "sign":
        arrow = [(-0.1, 0), (0.5, 0), (0.65, 0.12), (0.5, 0.24), (-0.1, 0.24)]
        parts += [
            prism(arrow, 0.05, kit.wood(), (0, 0.85, 0.09)),
            prism([(-x, y) for x, y in arrow], 0.05, kit.wood(), (0, 0.5, 0.09)),
        ][: kit.count(1, 2)]
        return Drawn(
            parts,
            wood,
            material="wooden",
            features=("an arrow board",),
            words=("signpost", "wooden sign", "direction sign"),
        )
    if kind == "skull":
        parts += [
            sphere((0.16, 0.16, 0.18), WHITE, (0, 1.44, 0)),
            box((0.16, 0.1, 0.14), WHITE, (0, 1.26, 0.08)),
            *pair(sphere(0.05, DARK, (0.07, 1.42, 0.16))),
        ]
        return Drawn(
            parts,
            wood,
            material="wooden",
            adjectives=_SPOOKY,
            features=("a skull on top",),
            words=("post with skull", "wooden post"),
        )
    return Drawn(
        parts, wood, material="wooden", adjectives=("old",), words=("wooden post", "post", "pole")
    )


@family("graveyard bench", "stone bench", "spooky bench", "bench", kind="seat")
def graveyard_bench(kit: Kit) -> Drawn:
    stone, wide = kit.color(*_STONE), kit.between(1.2, 1.7)
    parts = [
        box((wide, 0.14, 0.5), stone, (0, 0.42, 0), bevel=0.03),
        *pair(box((0.2, 0.42, 0.42), stone, (0.36 * wide, 0, 0))),
    ]
    features = ["two legs"]
    if kit.chance(0.4):
        parts += candle(0.25, 0.06, WHITE, (0.2, 0.56, 0))
        features.append("a candle on it")
    return Drawn(parts, stone, material="stone", adjectives=("old",), features=tuple(features))


@family("plaque", "memorial plaque", "stone tablet", "stone plate", kind="graveyard prop")
def plaque(kit: Kit) -> Drawn:
    stone = kit.color(*_STONE, "bronze")
    parts = [
        box((0.9, 0.12, 0.6), stone, bevel=0.03),
        *(box((0.5, 0.02, 0.05), DARK, (0, 0.115, 0.12 * k)) for k in (-1, 0, 1)),
    ]
    tilt = kit.pick(0, 25, 70)
    parts = [p.turn(x=tilt) for p in parts]
    return Drawn(parts, stone, material="stone", adjectives=("flat",), features=("engraved lines",))
