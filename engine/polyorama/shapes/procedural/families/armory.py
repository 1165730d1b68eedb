"""Weapons and armour: swords, axes, bows, shields, helmets, siege engines, guns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    around,
    pair,
    rod_x,
    rod_z,
    side,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    arc,
    bar,
    blob,
    box,
    cone,
    cylinder,
    lathe,
    prism,
    sphere,
    star,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Paint, Part

__all__: list[str] = []

_KIND = "weapon"
_STEEL = ("silver", "light grey", "grey", "silver", "gold", "bronze")
_GRIPS = ("brown", "dark brown", "red", "blue", "black", "dark red", "green")


def _blade(width: float, length: float, color: Paint, thick: float = 0.05) -> Part:
    outline = [
        (-width / 2, 0),
        (width / 2, 0),
        (0.42 * width, 0.82 * length),
        (0, length),
        (-0.42 * width, 0.82 * length),
    ]
    return prism(outline, thick, color, bevel=0.02)


def _posed(kit: Kit, parts: list[Part]) -> list[Part]:
    """Upright, upside down, or lying."""
    how = kit.pick("up", "up", "down", "lying", "slanted")
    turn = {"up": (0, 0), "down": (0, 180), "lying": (-90, 0), "slanted": (0, kit.pick(-45, 45))}[
        how
    ]
    return [p.turn(x=turn[0], z=turn[1]) for p in parts]


@family("sword", "long sword", "blade", "knight sword", "broadsword", kind=_KIND)
def sword(kit: Kit) -> Drawn:
    steel, grip, guard = (
        kit.color(*_STEEL),
        kit.color(*_GRIPS),
        kit.color("gold", "bronze", "grey", "dark grey"),
    )
    wide, long = kit.between(0.1, 0.22) * kit.chunk, kit.between(0.9, 1.5)
    parts = [
        _blade(wide, long, steel, 0.06),
        box((kit.between(0.35, 0.6), 0.08, 0.1), guard, (0, -0.06, 0), bevel=0.02),
        cylinder(0.04 * kit.chunk, 0.32, grip, (0, -0.38, 0)),
        sphere(0.075, guard, (0, -0.42, 0)),
    ]
    if kit.chance(0.4):
        parts.append(box((0.25 * wide, 0.75 * long, 0.065), guard, (0, 0, 0)))
    return Drawn(
        _posed(kit, parts),
        steel,
        material="steel",
        adjectives=("sharp", "medieval"),
        features=(kit.say(grip, "grip"), kit.say(guard, "crossguard")),
        paints={"grip": grip},
    )


@family("curved sword", "sword", kind=_KIND)
def curved_sword(kit: Kit) -> Drawn:
    steel, grip = kit.color(*_STEEL), kit.color(*_GRIPS)
    long = kit.between(1.0, 1.4)
    katana = kit.chance(0.45)
    blade = box((0.04, long, 0.1 if katana else 0.17), steel, taper=0.5 if katana else 0.9).bend(
        kit.between(18, 30) if katana else 45
    )
    parts = [
        blade,
        cylinder(0.045, 0.45 if katana else 0.28, grip, (0, -0.45 if katana else -0.28, 0)),
        cylinder(0.12, 0.035, kit.color("gold", "black", "bronze"), (0, -0.02, 0)),
    ]
    return Drawn(
        _posed(kit, parts),
        steel,
        material="steel",
        adjectives=("sharp", "curved"),
        words=("katana", "samurai sword", "sword")
        if katana
        else ("scimitar", "curved sword", "sabre"),
    )


@family("dagger", "short knife", "combat knife", kind=_KIND)
def dagger(kit: Kit) -> Drawn:
    steel, grip = kit.color(*_STEEL), kit.color(*_GRIPS)
    parts = [
        _blade(0.16, kit.between(0.4, 0.6), steel, 0.05),
        box((0.3, 0.06, 0.09), kit.color("gold", "bronze", "dark grey"), (0, -0.04, 0)),
        cylinder(0.05, 0.25, grip, (0, -0.28, 0), top=0.04),
        sphere(0.06, steel, (0, -0.3, 0)),
    ]
    return Drawn(
        _posed(kit, parts),
        steel,
        material="steel",
        adjectives=("small", "sharp"),
        features=(kit.say(grip, "handle"),),
    )


@family("battle axe", "axe", "war axe", kind=_KIND)
def axe(kit: Kit) -> Drawn:
    steel, wood = kit.color(*_STEEL, "red"), kit.wood()
    long, double, size = kit.between(0.9, 1.4), kit.chance(0.4), kit.between(0.8, 1.3)
    edge = [
        (0.04, -0.08),
        (0.2, -0.1),
        (0.38, -0.28),
        (0.44, 0.0),
        (0.38, 0.28),
        (0.2, 0.1),
        (0.04, 0.08),
    ]
    head = prism(
        [(size * x, size * y) for x, y in edge], 0.07, steel, (0, long - 0.2, 0), bevel=0.02
    )
    parts = [
        cylinder(0.045 * kit.chunk, long, wood),
        *(pair(head) if double else [head]),
        box((0.14, 0.2, 0.13), steel, (0, long - 0.3, 0)),
    ]
    words = (
        ("double axe", "battle axe")
        if double
        else (("axe", "hatchet") if size < 1 else ("axe", "battle axe"))
    )
    return Drawn(
        _posed(kit, parts),
        steel,
        adjectives=("sharp",),
        features=(kit.say(wood, "wooden handle"), "two blades" if double else "one blade"),
        words=words,
    )


@family("war hammer", "battle hammer", "maul", "sledgehammer", "thor's hammer", kind=_KIND)
def war_hammer(kit: Kit) -> Drawn:
    steel, wood = kit.color(*_STEEL, "dark grey"), kit.color(*_GRIPS)
    long, wide = kit.between(0.7, 1.3), kit.between(0.45, 0.75)
    parts = [
        cylinder(0.05 * kit.chunk, long, wood),
        box((wide, 0.32, 0.32), steel, (0, long - 0.1, 0), bevel=0.05),
        *pair(
            box((0.08, 0.36, 0.36), kit.color("gold", "dark grey"), (0.3 * wide, long - 0.12, 0))
        ),
    ]
    return Drawn(
        _posed(kit, parts), steel, adjectives=("heavy",), features=("a big head", "a long handle")
    )


@family("mace", "spiked mace", kind=_KIND)
def mace(kit: Kit) -> Drawn:
    steel, wood = kit.color(*_STEEL, "dark grey"), kit.wood()
    spike = cone(0.055, 0.16, steel, (0, 0.17, 0), segments=5)
    ball = [
        sphere(0.19, steel),
        *(
            spike.turn(z=a).turn(y=b)
            for a, n in ((0, 1), (60, 5), (110, 5))
            for b in (k * 360 / n for k in range(n))
        ),
    ]
    if kit.chance(0.35):
        links = [
            torus(0.05, 0.015, steel, segments=8)
            .turn(x=90 * (k % 2), z=90)
            .move(0.08 + 0.06 * k, 0.82 - 0.02 * k, 0)
            for k in range(4)
        ]
        parts = [cylinder(0.045, 0.8, wood), *links, *(p.move(0.42, 0.6, 0) for p in ball)]
        return Drawn(
            parts, steel, features=("a chain", "a spiked ball"), words=("flail", "chain mace")
        )
    parts = [
        cylinder(0.045 * kit.chunk, 0.9, wood),
        *(p.move(0, 1.0, 0) for p in ball),
        cylinder(0.06, 0.2, kit.color(*_GRIPS)),
    ]
    return Drawn(_posed(kit, parts), steel, features=("spikes", "a handle"))


@family("polearm", "pole weapon", kind=_KIND)
def spear(kit: Kit) -> Drawn:
    steel, wood, kind = kit.color(*_STEEL), kit.wood(), kit.pick("spear", "trident", "halberd")
    parts = [cylinder(0.035 * kit.chunk, 1.8, wood)]
    if kind == "trident":
        parts += [
            rod_x(0.03, 0.4, steel, (0, 1.8, 0)),
            *(
                prism(
                    [(-0.04, 0), (0.04, 0), (0.06, 0.25), (0, 0.42), (-0.06, 0.25)],
                    0.05,
                    steel,
                    (x, 1.8, 0),
                )
                for x in (-0.2, 0, 0.2)
            ),
        ]
    else:
        parts.append(
            prism(
                [(-0.05, 0), (0.05, 0), (0.11, 0.16), (0, 0.5), (-0.11, 0.16)],
                0.05,
                steel,
                (0, 1.78, 0),
            )
        )
    if kind == "halberd":
        parts += [
            prism(
                [(0.02, -0.1), (0.3, -0.24), (0.34, 0.16), (0.02, 0.08)], 0.05, steel, (0, 1.65, 0)
            ),
            prism([(0, -0.06), (-0.24, 0), (0, 0.06)], 0.05, steel, (0, 1.68, 0)),
        ]
    return Drawn(
        _posed(kit, parts),
        steel,
        adjectives=("long",),
        features=("a long wooden shaft",),
        words=(kind,) if kind != "spear" else ("spear", "lance"),
    )


@family("bow", "longbow", "archer's bow", "hunting bow", kind=_KIND)
def bow(kit: Kit) -> Drawn:
    wood, string = kit.wood(), (0.9, 0.88, 0.82)
    line = [
        (0.02, -0.75, 0),
        (0.2, -0.55, 0),
        (0.3, -0.2, 0),
        (0.27, 0, 0),
        (0.3, 0.2, 0),
        (0.2, 0.55, 0),
        (0.02, 0.75, 0),
    ]
    parts = [
        sweep(line, [0.02, 0.03, 0.04, 0.045, 0.04, 0.03, 0.02], wood),
        bar((0.02, -0.74, 0), (0.02, 0.74, 0), 0.008, string),
        cylinder(0.055, 0.24, kit.color(*_GRIPS), (0.275, -0.12, 0)),
    ]
    if kit.chance(0.4):
        parts += [
            rod_x(0.015, 0.9, kit.wood(), (0.42, 0, 0.03)),
            cone(0.04, 0.12, (0.7, 0.72, 0.75)).turn(z=-90).move(0.86, 0, 0.03),
        ]
        return Drawn(
            parts,
            wood,
            material="wooden",
            adjectives=("curved",),
            features=("an arrow", "a string"),
            words=("bow and arrow", "bow"),
        )
    return Drawn(parts, wood, material="wooden", adjectives=("curved",), features=("a string",))


@family("arrow", kind=_KIND)
def arrow(kit: Kit) -> Drawn:
    wood, feather = kit.wood(), kit.color("white", "red", "green", "yellow", "blue")
    one = [
        cylinder(0.02 * kit.chunk, 1.2, wood, segments=6),
        cone(0.06, 0.18, kit.color("silver", "grey"), (0, 1.2, 0), segments=4),
        *around(box((0.1, 0.22, 0.01), feather, (0.05, 0.03, 0)), 3),
    ]
    if kit.chance(0.3):
        quiver = kit.color("brown", "dark brown")
        parts = [
            p.turn(x=180).move(x, 1.5, z)
            for x, z in ((0.06, 0), (-0.05, 0.05), (0, -0.06))
            for p in one
        ]
        return Drawn(
            [*parts, cylinder(0.14, 1.0, quiver, (0, 0.15, 0), top=0.17)],
            quiver,
            features=("three arrows",),
            words=("quiver", "quiver of arrows"),
        )
    return Drawn(
        _posed(kit, one),
        wood,
        material="wooden",
        features=(kit.say(feather, "feathers"), "a pointed tip"),
    )


@family("crossbow", "cross bow", "medieval crossbow", kind=_KIND)
def crossbow(kit: Kit) -> Drawn:
    wood, steel = kit.wood(), kit.color("grey", "dark grey", "silver")
    line = [
        (-0.5, 0.08, 0.15),
        (-0.3, 0.08, 0.4),
        (0, 0.08, 0.5),
        (0.3, 0.08, 0.4),
        (0.5, 0.08, 0.15),
    ]
    parts = [
        box((0.12, 0.1, 1.2), wood),
        side([(-0.6, 0), (-0.3, 0), (-0.45, -0.22), (-0.7, -0.25)], 0.1, wood),
        sweep(line, [0.02, 0.035, 0.045, 0.035, 0.02], steel),
        *pair(bar((0.5, 0.09, 0.15), (0, 0.11, -0.05), 0.01, WHITE)),
        rod_z(0.015, 0.7, steel, (0, 0.13, 0.25)),
        box((0.03, 0.14, 0.04), steel, (0, -0.12, -0.15)),
    ]
    return Drawn(parts, wood, material="wooden", features=("a trigger", "a string"))


@family("shield", "knight shield", kind="armour")
def shield(kit: Kit) -> Drawn:
    paint, rim = kit.color(), kit.color("silver", "gold", "grey", "brown", "dark grey")
    form = kit.pick("round", "kite", "square")
    if form == "round":
        face = [
            rod_z(0.55, 0.08, rim, segments=14),
            rod_z(0.49, 0.12, paint, segments=14),
            sphere((0.15, 0.15, 0.12), rim, (0, 0, 0.05)),
        ]
    else:
        outline = [
            (-0.42, 0.5),
            (0, 0.56),
            (0.42, 0.5),
            (0.42, 0.0),
            (0.25, -0.4),
            (0, -0.65),
            (-0.25, -0.4),
            (-0.42, 0.0),
        ]
        if form == "square":
            outline = [(-0.4, -0.6), (0.4, -0.6), (0.4, 0.6), (-0.4, 0.6)]
        face = [
            prism(outline, 0.07, rim),
            prism([(0.87 * x, 0.87 * y) for x, y in outline], 0.11, paint),
        ]
    emblem = kit.other(paint, "white", "gold", "red", "black")
    mark = kit.pick("cross", "stripe", "star", "plain")
    if mark == "cross":
        face += [
            box((0.12, 0.84, 0.14), emblem, (0, -0.42, 0)),
            box((0.64, 0.12, 0.14), emblem, (0, 0, 0)),
        ]
    elif mark == "star":
        face.append(prism(star(5, 0.25, 0.11), 0.16, emblem))
    elif mark == "stripe":
        face.append(box((0.14, 0.84, 0.13), emblem, (0, -0.42, 0)))
    return Drawn(
        face,
        paint,
        material=kit.pick("metal", "wooden"),
        adjectives=(form,),
        features=(kit.say(emblem, mark), kit.say(rim, "rim"))
        if mark != "plain"
        else (kit.say(rim, "rim"),),
    )


@family("helmet", "medieval helmet", kind="armour")
def helmet(kit: Kit) -> Drawn:
    steel, kind = kit.color(*_STEEL, "dark grey"), kit.pick("knight", "viking", "roman")
    seg = max(9, kit.segments)
    parts = [
        lathe([(0.3, 0), (0.33, 0.25), (0.3, 0.45), (0.17, 0.6), (0, 0.65)], steel, segments=seg)
    ]
    if kind == "viking":
        horn = sweep(
            [(0.28, 0.3, 0), (0.5, 0.38, 0), (0.55, 0.65, 0)],
            [0.09, 0.07, 0.01],
            (0.93, 0.88, 0.76),
        )
        parts = [
            sphere((0.33, 0.36, 0.35), steel, (0, 0.15, 0), low=0.5, segments=seg),
            torus(0.33, 0.04, kit.color("gold", "bronze")).move(0, 0.17, 0),
            *pair(horn),
            box((0.07, 0.3, 0.05), steel, (0, -0.05, 0.34)),
        ]
        return Drawn(
            parts,
            steel,
            material="metal",
            features=("two horns",),
            words=("viking helmet", "horned helmet", "helmet"),
        )
    crest = kit.color("red", "blue", "purple", "yellow", "green")
    parts += [
        box((0.42, 0.05, 0.1), DARK, (0, 0.3, 0.27)),
        box((0.05, 0.34, 0.1), DARK if kind == "roman" else steel, (0, 0.02, 0.3)),
    ]
    if kind == "roman":
        outline = [
            (-0.4, 0.3),
            *reversed(arc(0.48, 20, 180, 7, (0, 0.38))),
            (0.3, 0.5),
            (0, 0.66),
            (-0.28, 0.5),
        ]
        parts.append(side(outline, 0.1, crest))
    else:
        parts.append(
            sweep([(0, 0.62, 0), (0, 0.85, -0.05), (0, 0.8, -0.35)], [0.03, 0.08, 0.03], crest)
        )
    return Drawn(
        parts,
        steel,
        material="metal",
        features=("a visor", kit.say(crest, "plume")),
        words=(f"{kind} helmet", "helmet"),
    )


@family("weapon rack", "sword rack", "rack of weapons", "armory rack", kind="furniture")
def weapon_rack(kit: Kit) -> Drawn:
    wood, steel, count = kit.wood(), kit.color(*_STEEL), kit.count(2, 4)
    parts = [
        *pair(box((0.1, 1.3, 0.1), wood, (0.75, 0, 0)), box((0.12, 0.08, 0.6), wood, (0.75, 0, 0))),
        *(box((1.5, 0.08, 0.08), wood, (0, y, 0)) for y in (0.3, 1.05)),
    ]
    for k in range(count):
        x = 1.2 * ((k + 0.5) / count - 0.5)
        if k % 2 == 0:
            one = [
                _blade(0.12, 0.8, steel),
                box((0.3, 0.06, 0.07), DARK, (0, -0.05, 0)),
                cylinder(0.035, 0.25, kit.color(*_GRIPS), (0, -0.3, 0)),
            ]
            parts += [p.turn(z=180).move(x, 1.05, 0.12) for p in one]
        else:
            parts += [
                cylinder(0.035, 1.2, kit.wood(), (x, 0.05, 0.12)),
                prism(
                    [(0, -0.1), (0.24, -0.18), (0.24, 0.18), (0, 0.1)], 0.05, steel, (x, 1.05, 0.12)
                ),
            ]
    return Drawn(
        parts,
        wood,
        material="wooden",
        features=("swords", f"{('two', 'three', 'four')[count - 2]} weapons"),
    )


@family("magic staff", "wizard staff", kind=_KIND)
def staff(kit: Kit) -> Drawn:
    wood, gem = (
        kit.color("brown", "dark brown", "purple", "gold"),
        kit.color("blue", "red", "green", "purple", "teal", "pink"),
    )
    parts = [
        cylinder(0.045 * kit.chunk, 1.5, wood, segments=6).rough(kit.rng, 0.015),
        *around(
            sweep(
                [(0.03, 1.45, 0), (0.16, 1.58, 0), (0.15, 1.78, 0), (0.06, 1.88, 0)],
                [0.04, 0.035, 0.025, 0.01],
                wood,
            ),
            kit.pick(2, 3, 4),
        ),
    ]
    parts.append(
        sphere(0.11, gem, (0, 1.66, 0))
        if kit.chance()
        else blob((0.09, 0.16, 0.09), gem, kit.rng, (0, 1.68, 0), rough=0.02, detail=0)
    )
    return Drawn(
        _posed(kit, parts),
        wood,
        adjectives=("magical", "long"),
        features=(kit.say(gem, "crystal on top"),),
        words=("magic staff", "wizard staff"),
    )
