"""Medieval things and treasure: chests, crowns, potions, banners, thrones, wells, bridges."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    around,
    flame,
    pair,
    rod_x,
    rod_z,
    side,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    arc,
    box,
    cone,
    cylinder,
    lathe,
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

_GOLDEN = ("gold", "gold", "silver", "bronze")
_GEMS = ("red", "blue", "green", "purple", "light blue", "pink")
_STONE = ("grey", "light grey", "dark grey", "beige")


def _coin(kit: Kit, gold: Paint) -> Part:
    return cylinder(0.12, 0.03, gold, segments=10)


@family("chest", "treasure chest", "wooden chest", "loot chest", kind="container")
def chest(kit: Kit) -> Drawn:
    wood, iron, open_ = (
        kit.color("brown", "dark brown", "light brown", "red", "blue"),
        kit.color("gold", "grey", "dark grey", "bronze"),
        kit.chance(0.4),
    )
    wide = kit.between(0.9, 1.2)
    lid_outline = [(-0.32, 0), (0.32, 0), *arc(0.32, 0, 180, 6)[1:-1]]
    lid = [
        side(lid_outline, wide, wood),
        *(
            side([(1.05 * z, 1.05 * y) for z, y in lid_outline], 0.08, iron, (x, 0, 0))
            for x in (-0.4 * wide, 0, 0.4 * wide)
        ),
    ]
    lift = -70 if open_ else 0
    parts = [
        box((wide, 0.45, 0.64), wood),
        *(box((0.08, 0.46, 0.67), iron, (x, 0, 0)) for x in (-0.4 * wide, 0, 0.4 * wide)),
        *(p.move(0, 0, 0.32).turn(x=lift).move(0, 0.46, -0.32) for p in lid),
        box((0.16, 0.18, 0.06), iron, (0, 0.3, 0.34)),
    ]
    if open_:
        gold = kit.color("gold", "yellow")
        parts += [
            sphere((0.42 * wide, 0.16, 0.26), gold, (0, 0.44, 0)),
            *(
                _coin(kit, gold)
                .turn(x=kit.between(-50, 50))
                .move(kit.between(-0.3, 0.3), 0.56, kit.between(-0.15, 0.2))
                for _ in range(6)
            ),
        ]
        return Drawn(
            parts,
            wood,
            material="wooden",
            adjectives=("open", "full"),
            features=("gold coins" if kit.look != "clay" else "coins", "metal bands"),
            words=("treasure chest", "chest"),
        )
    return Drawn(
        parts,
        wood,
        material="wooden",
        adjectives=("closed",),
        features=("a lock", kit.say(iron, "bands")),
    )


@family("crown", "king's crown", "royal crown", kind="jewellery")
def crown(kit: Kit) -> Drawn:
    gold, gem, points = kit.color(*_GOLDEN), kit.color(*_GEMS), kit.pick(5, 6, 8)
    parts = [
        tube(0.4, 0.35, 0.22, gold, segments=2 * points),
        *around(
            prism(
                [(-0.13, 0), (0.13, 0), (0, kit.between(0.22, 0.35))], 0.04, gold, (0, 0.2, 0.375)
            ),
            points,
        ),
        *around(sphere(0.05, gem, (0, 0.5, 0.375)), points),
        *around(sphere(0.04, gem, (0, 0.1, 0.4)), points, 180 / points),
    ]
    return Drawn(parts, gold, features=(f"{points} points", kit.say(gem, "jewels")))


@family("potion", "potion bottle", "magic potion", "flask", "elixir", kind="prop")
def potion(kit: Kit) -> Drawn:
    liquid, seg = (
        kit.color("red", "blue", "green", "purple", "pink", "orange", "teal"),
        max(8, kit.segments),
    )
    form = kit.pick("round", "conical", "square")
    body = {
        "round": sphere(0.35, liquid, (0, 0.34, 0), segments=seg),
        "conical": cylinder(0.38, 0.6, liquid, top=0.12, segments=seg),
        "square": box((0.5, 0.55, 0.5), liquid, bevel=0.06),
    }[form]
    parts = [
        body,
        cylinder(0.11, 0.3, (0.85, 0.92, 0.95), (0, 0.52, 0), segments=seg),
        torus(0.12, 0.03, (0.85, 0.92, 0.95)).move(0, 0.82, 0),
        cylinder(0.09, 0.15, kit.color("brown", "light brown"), (0, 0.82, 0)),
    ]
    if kit.chance(0.4):
        parts.append(
            box(
                (0.28, 0.2, 0.02),
                kit.color("white", "beige"),
                (0, 0.22, 0.35 if form == "round" else 0.26),
            )
        )
    return Drawn(
        parts,
        liquid,
        material="glass",
        adjectives=(form, "magical"),
        features=("a cork", kit.say(liquid, "liquid")),
    )


@family("banner", "flag", kind="decoration")
def banner(kit: Kit) -> Drawn:
    cloth, trim, pole = (
        kit.color(),
        kit.color("gold", "white", "yellow", "black"),
        kit.color("brown", "grey", "gold"),
    )
    if kit.chance(0.5):
        long = kit.between(0.8, 1.2)
        foot = kit.pick(
            [(0.35, -long), (0, -long - 0.25), (-0.35, -long)],
            [(0.35, -long), (0, -long + 0.22), (-0.35, -long)],
            [(0.35, -long), (-0.35, -long)],
        )
        parts = [
            prism([(-0.35, 0), (0.35, 0), *foot], 0.03, cloth),
            rod_x(0.035, 0.9, pole),
            box((0.7, 0.07, 0.045), trim, (0, -0.2, 0)),
            prism([(0, -0.35), (0.15, -0.55), (0, -0.75), (-0.15, -0.55)], 0.05, trim),
        ]
        return Drawn(
            parts,
            cloth,
            adjectives=("hanging",),
            features=(kit.say(trim, "emblem"),),
            words=("banner", "hanging banner", "wall banner"),
        )
    wave = [(0.03 + 0.2 * k, 0.06 * math.sin(1.3 * k)) for k in range(6)]
    strips = [
        prism([(a[0], 0), (b[0] + 0.005, 0), (b[0] + 0.005, 0.6), (a[0], 0.6)], 0.03, cloth).move(
            0, 1.3, (a[1] + b[1]) / 2
        )
        for a, b in itertools.pairwise(wave)
    ]
    parts = [
        cylinder(0.035 * kit.chunk, 2.0, pole),
        sphere(0.07, pole, (0, 2.0, 0)),
        *strips,
        box((0.98, 0.16, 0.1), trim, (0.52, 1.52, 0)),
    ]
    return Drawn(
        parts,
        cloth,
        adjectives=("waving",),
        features=("a pole", kit.say(trim, "stripe")),
        words=("flag", "flag on a pole", "banner"),
    )


@family("torch", "burning torch", "flaming torch", kind="light")
def torch(kit: Kit) -> Drawn:
    wood, iron = kit.wood(), kit.color("dark grey", "black", "bronze")
    parts = [
        cylinder(0.05, 0.9, wood, top=0.08),
        cylinder(0.09, 0.16, iron, (0, 0.82, 0), top=0.14),
        *flame(0.45, (0, 0.92, 0)),
    ]
    if kit.chance(0.4):
        parts = [p.turn(x=20).move(0, 0, 0.12) for p in parts] + [
            box((0.25, 0.5, 0.05), iron, (0, 0.1, 0)),
            torus(0.1, 0.025, iron).move(0, 0.4, 0.22),
        ]
        return Drawn(
            parts,
            wood,
            adjectives=("burning",),
            features=("a flame", "a wall bracket"),
            words=("wall torch", "torch"),
        )
    return Drawn(parts, wood, material="wooden", adjectives=("burning",), features=("a flame",))


@family("throne", "king's throne", "royal chair", "golden throne", kind="seat")
def throne(kit: Kit) -> Drawn:
    frame, cloth, high = (
        kit.color("gold", "grey", "brown", "dark brown", "black"),
        kit.color("red", "purple", "blue", "dark red"),
        kit.between(1.5, 2.1),
    )
    parts = [box((1.4, 0.12, 1.2), frame), box((0.95, 0.42, 0.85), frame, (0, 0.12, 0),
                                    bevel=0.03),
                                    box((0.75, 0.12, 0.7), cloth, (0, 0.54, 0.04), bevel=0.03),
                                    prism([(-0.48, 0), (0.48, 0), (0.48, high - 0.3), (0, high),
                                    (-0.48, high - 0.3)], 0.14, frame, (0, 0.12, -0.42)),
                                    box((0.62, high - 0.95, 0.1), cloth, (0, 0.7, -0.35)),
             *pair(box((0.14, 0.35, 0.85), frame, (0.45, 0.52, 0)),
                   sphere(0.1, frame, (0.45, 0.9, 0.4)),
                   cone(0.09, 0.3, frame, (0.44, high - 0.2, -0.42)))]  # fmt: skip
    return Drawn(
        parts,
        frame,
        adjectives=("royal", "tall"),
        features=(kit.say(cloth, "cushion"), "a high back", "armrests"),
    )


@family("anvil", "blacksmith's anvil", "iron anvil", kind="tool")
def anvil(kit: Kit) -> Drawn:
    iron = kit.color("dark grey", "grey", "black")
    parts = [
        box((0.5, 0.14, 0.42), iron),
        box((0.3, 0.25, 0.26), iron, (0, 0.14, 0)),
        box((0.75, 0.22, 0.34), iron, (0.02, 0.38, 0), bevel=0.02),
        cone(0.13, 0.42, iron).turn(z=90).move(-0.34, 0.49, 0),
    ]
    if kit.chance(0.4):
        wood = kit.wood()
        parts = [*(p.move(0, 0.5, 0) for p in parts), cylinder(0.4, 0.5, wood, segments=10)]
        return Drawn(parts, iron, material="iron", features=("a wooden block", "a horn"))
    return Drawn(parts, iron, material="iron", adjectives=("heavy",), features=("a horn",))


@family("scroll", "paper scroll", "parchment", kind="prop")
def scroll(kit: Kit) -> Drawn:
    paper, seal = (
        kit.color("beige", "white", "yellow", "light brown"),
        kit.color("red", "blue", "brown"),
    )
    if kit.chance():
        parts = [
            rod_x(0.12, 0.9, paper, segments=10),
            rod_x(0.05, 1.1, kit.color("brown", "gold")),
            rod_x(0.13, 0.12, seal, segments=10),
            rod_z(0.07, 0.04, seal, (0, 0, 0.13)),
        ]
        return Drawn(
            parts,
            paper,
            adjectives=("rolled",),
            features=(kit.say(seal, "ribbon"),),
            words=("scroll", "rolled scroll", "parchment roll"),
        )
    parts = [
        box((0.7, 0.9, 0.02), paper),
        *(rod_x(0.08, 0.75, paper, (0, y, 0.05), segments=9) for y in (0, 0.92)),
        *(rod_x(0.035, 0.9, kit.color("brown", "gold"), (0, y, 0.05)) for y in (0, 0.92)),
        *(box((0.5, 0.03, 0.03), DARK, (0, 0.2 + 0.13 * k, 0.0)) for k in range(5)),
    ]
    lean = kit.pick(0, -80)
    return Drawn(
        [p.turn(x=lean) for p in parts],
        paper,
        adjectives=("open",),
        features=("lines of text",),
        words=("scroll", "open scroll", "parchment"),
    )


@family("key", "old key", "door key", "golden key", "skeleton key", kind="prop")
def key(kit: Kit) -> Drawn:
    metal, teeth, bow_ = (
        kit.color(*_GOLDEN, "dark grey"),
        kit.count(2, 3),
        kit.pick("ring", "heart", "trefoil"),
    )
    t = 0.05 * kit.chunk
    rings = (
        [(0.0, 0.2, 0.18)]
        if bow_ == "ring"
        else [(-0.13, 0.2, 0.13), (0.13, 0.2, 0.13)]
        + ([(0.0, 0.4, 0.13)] if bow_ == "trefoil" else [])
    )
    parts = [torus(r, t, metal).turn(x=90).move(x, y, 0) for x, y, r in rings] + [
        cylinder(t, 0.95, metal, (0, -0.9, 0)),
        *(
            box((0.2 - 0.04 * (k % 2), 0.07, 1.4 * t), metal, (0.11, -0.86 + 0.14 * k, 0))
            for k in range(teeth)
        ),
        torus(1.5 * t, 0.5 * t, metal).move(0, -0.05, 0),
    ]
    lean = kit.pick((0, 0), (0, 180), (-90, 0), (0, 90))
    return Drawn(
        [p.turn(x=lean[0], z=lean[1]) for p in parts],
        metal,
        material="metal",
        adjectives=("old",),
        features=(f"{'two' if teeth == 2 else 'three'} teeth", "a round bow"),
    )


@family("padlock", "lock", "metal lock", kind="prop")
def padlock(kit: Kit) -> Drawn:
    metal = kit.color("gold", "grey", "silver", "bronze", "dark grey", "red")
    parts = [
        box((0.6, 0.5, 0.24), metal, bevel=0.05),
        sweep(
            [
                (-0.19, 0.45, 0),
                (-0.19, 0.7, 0),
                (-0.1, 0.85, 0),
                (0.1, 0.85, 0),
                (0.19, 0.7, 0),
                (0.19, 0.45, 0),
            ],
            0.05,
            (0.7, 0.7, 0.73),
        ),
        rod_z(0.06, 0.02, DARK, (0, 0.28, 0.125)),
        box((0.05, 0.14, 0.02), DARK, (0, 0.14, 0.125)),
    ]
    return Drawn(
        parts, metal, material="metal", adjectives=("closed",), features=("a shackle", "a keyhole")
    )


@family("money", "coin", kind="treasure")
def coin(kit: Kit) -> Drawn:
    gold, kind = kit.color(*_GOLDEN), kit.pick("one", "stack", "heap")
    flat = _coin(kit, gold)
    if kind == "one":
        parts = [
            rod_z(0.5, 0.1, gold, segments=16),
            rod_z(0.4, 0.13, gold, segments=16),
            box((0.1, 0.4, 0.16), gold, (0, -0.2, 0)),
        ]
        return Drawn(
            parts,
            gold,
            adjectives=("round", "shiny"),
            words=("coin", "gold coin" if gold.name == "gold" else "metal coin"),
        )
    if kind == "stack":
        parts = [
            flat.move(kit.between(-0.02, 0.02) + 0.3 * c, 0.034 * k, 0.1 * c)
            for c in range(kit.count(1, 3))
            for k in range(kit.count(4, 10))
        ]
        return Drawn(parts, gold, adjectives=("shiny",), words=("stack of coins", "coins", "money"))
    gem = kit.color(*_GEMS)
    parts = [
        sphere((0.7, 0.35, 0.6), gold, low=0.5),
        *(
            flat.turn(x=kit.between(-60, 60), z=kit.between(-40, 40)).move(
                0.6 * math.cos(2.4 * k) * (1 - k / 30),
                0.04 + 0.012 * k,
                0.55 * math.sin(2.4 * k) * (1 - k / 30),
            )
            for k in range(22)
        ),
        *(
            lathe([(0, 0), (0.1, 0.1), (0.05, 0.15), (0, 0.15)], gem, (x, 0.28, z), segments=6)
            for x, z in ((0.1, 0.2), (-0.25, 0.1))
        ),
    ]
    return Drawn(
        parts,
        gold,
        features=(kit.say(gem, "gems"),),
        words=(
            "treasure pile",
            "pile of gold" if gold.name == "gold" else "heap of coins",
            "pile of coins",
        ),
    )


@family("gem", "jewel", "gemstone", kind="treasure")
def gem(kit: Kit) -> Drawn:
    color, sides = kit.color(*_GEMS, "white", "yellow", "teal"), kit.pick(6, 8, 10)
    form = kit.pick("brilliant", "emerald", "octahedron")
    profile = {
        "brilliant": [(0, 0), (0.5, 0.5), (0.32, 0.72), (0, 0.72)],
        "emerald": [(0.22, 0), (0.36, 0.15), (0.36, 0.75), (0.22, 0.9)],
        "octahedron": [(0, 0), (0.42, 0.55), (0, 1.1)],
    }[form]
    return Drawn(
        [lathe(profile, color, segments=4 if form == "octahedron" else sides)],
        color,
        adjectives=("shiny", "cut"),
        features=("facets",),
        words=("diamond", "gem") if form == "brilliant" else ("gem", "crystal gem"),
    )


@family("ring", "jewellery ring", kind="jewellery")
def ring(kit: Kit) -> Drawn:
    gold, stone = kit.color(*_GOLDEN), kit.color(*_GEMS, "white")
    parts = [torus(0.4, 0.06 * kit.chunk, gold, segments=18).turn(x=90).move(0, 0.4, 0)]
    plain = kit.chance(0.25)
    if not plain:
        parts += [
            lathe(
                [(0.05, 0), (0.18, 0.16), (0.11, 0.25), (0, 0.25)], stone, (0, 0.82, 0), segments=8
            ),
            cylinder(0.07, 0.08, gold, (0, 0.8, 0), top=0.14),
        ]
    return Drawn(
        parts,
        gold,
        adjectives=("plain",) if plain else ("precious",),
        features=() if plain else (kit.say(stone, "gem"),),
        words=("ring", "wedding ring") if plain else ("ring", "diamond ring"),
    )


@family("necklace", "pearl necklace", "pendant", "amulet", kind="jewellery")
def necklace(kit: Kit) -> Drawn:
    bead, stone = kit.color("white", "gold", "silver", "red"), kit.color(*_GEMS)
    parts = [
        sphere(0.055, bead, (0.42 * math.cos(a), 0.52 * math.sin(a), 0), segments=6)
        for a in (2 * math.pi * k / 24 for k in range(24))
    ]
    parts.append(lathe([(0, -0.3), (0.12, -0.12), (0, 0.02)], stone, (0, -0.54, 0), segments=6))
    return Drawn(parts, bead, features=(kit.say(stone, "pendant"), "beads"))


@family("bed of straw", "straw bed", "hay pile", "heap of straw", kind="prop")
def straw_bed(kit: Kit) -> Drawn:
    straw = kit.color("yellow", "beige", "gold")
    parts = [box((0.9, 0.16, 1.6), straw, bevel=0.06).rough(kit.rng, 0.03)]
    for _ in range(16):
        x, z = kit.between(-0.45, 0.45), kit.between(-0.8, 0.8)
        parts.append(
            rod_z(0.018, 0.45, straw, segments=4)
            .turn(x=kit.between(-30, 30), y=kit.between(0, 180))
            .move(x, 0.15, z)
        )
    if kit.chance(0.5):
        parts.append(
            box(
                (0.8, 0.08, 0.8),
                kit.color("brown", "red", "grey", "blue"),
                (0, 0.14, -0.3),
                bevel=0.03,
            )
        )
        return Drawn(parts, straw, features=("a blanket",))
    return Drawn(parts, straw, features=("loose straws",))
