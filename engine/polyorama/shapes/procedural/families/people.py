"""People and what looks like them: busts, knights, robots, ghosts, skeletons, snowmen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import DARK, WHITE, around, pair, rod_x, rod_z
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    box,
    cone,
    cylinder,
    lathe,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Part, Tint

__all__: list[str] = []

_SKINS = ((0.95, 0.78, 0.65), (0.87, 0.66, 0.5), (0.6, 0.42, 0.3), (0.4, 0.27, 0.2))
_HAIR = ("black", "dark brown", "brown", "yellow", "orange", "grey")


def _figure(kit: Kit, skin: Tint, shirt: Tint, trousers: Tint, shoes: Tint = DARK) -> list[Part]:
    """A standing person 1.8 m tall, of boxes in chunky shapes and of rods in fine ones."""
    spread = kit.between(0.0, 0.25)
    wide = kit.between(0.9, 1.15)
    hand = (0.34 * wide + spread, 0.85 + 0.6 * spread, 0.03)
    if kit.look == "game":
        trunk = box((0.52 * wide, 0.6, 0.28), shirt, (0, 0.85, 0), bevel=0.05)
        head = box((0.36, 0.36, 0.34), skin, (0, 1.5, 0), bevel=0.08)
        legs = box((0.22, 0.85, 0.24), trousers, (0.13 * wide, 0.05, 0))
        arm, thick = 4, 0.1
    else:
        trunk = sphere((0.27 * wide, 0.38, 0.16), shirt, (0, 1.15, 0), segments=12)
        head = sphere((0.13, 0.17, 0.15), skin, (0, 1.66, 0), segments=12)
        legs = cylinder(0.07, 0.9, trousers, (0.11 * wide, 0.04, 0), top=0.12, segments=8)
        arm, thick = 8, 0.065
    sleeve = bar((0.28 * wide, 1.36, 0), hand, thick, shirt, top=0.8 * thick, segments=arm)
    palm = sphere(0.09, skin, hand, segments=7)
    foot = box((0.2, 0.1, 0.34), shoes, (0.13 * wide, 0, 0.05), bevel=0.02)
    neck = cylinder(0.07, 0.16, skin, (0, 1.42, 0), segments=8)
    return [trunk, head, neck, *pair(legs, sleeve, palm, foot)]


def _face(kit: Kit, mouth: bool = True) -> list[Part]:
    """Eyes, and a mouth, on the front of a figure's head."""
    if kit.look != "game":
        return [
            box((0.03, 0.06, 0.05), (0.7, 0.5, 0.4), (0, 1.62, 0.14)),
            *pair(sphere(0.018, DARK, (0.05, 1.69, 0.135))),
        ]
    eyes = pair(box((0.05, 0.07, 0.03), DARK, (0.08, 1.66, 0.165)))
    return [*eyes, box((0.12, 0.025, 0.02), (0.5, 0.2, 0.2), (0, 1.57, 0.17))] if mouth else eyes


@family("person", "human", "human character", "figure", kind="character")
def person(kit: Kit) -> Drawn:
    shirt, trousers, hair = (
        kit.color(),
        kit.color("blue", "dark blue", "black", "brown", "grey"),
        kit.color(*_HAIR),
    )
    parts = [*_figure(kit, kit.pick(*_SKINS), shirt, trousers), *_face(kit)]
    woman = kit.chance(0.4)
    parts.append(sphere((0.2, 0.14, 0.2), hair, (0, 1.82 if kit.look == "game" else 1.78, -0.03)))
    if woman:
        parts += [
            sphere((0.19, 0.26, 0.1), hair, (0, 1.6, -0.15)),
            cone(0.42, 0.6, shirt, (0, 0.55, 0), segments=8),
        ]
    words = ("woman", "person", "girl", "lady") if woman else ("man", "person", "boy", "guy")
    return Drawn(parts, None, adjectives=("standing",),
                 features=(kit.say(shirt, "dress" if woman else "shirt"), kit.say(hair, "hair")),
                 words=words, paints={"shirt": shirt})  # fmt: skip


@family("mannequin", "dummy", kind="figure")
def mannequin(kit: Kit) -> Drawn:
    paint = kit.color("beige", "white", "grey", "light brown", "black")
    if kit.chance(0.4):
        parts = [lathe([(0.16, 0.75), (0.24, 0.9), (0.16, 1.1), (0.25, 1.35), (0.2, 1.5),
                        (0.06, 1.55), (0.06, 1.65), (0, 1.66)], paint).scale(1, 1, 0.7),
                 cylinder(0.03, 0.8, DARK), *around(bar((0, 0.12, 0), (0.3, 0, 0), 0.03, DARK),
                                                    3)]  # fmt: skip
        return Drawn(
            parts, paint, features=("a stand",), words=("dress form", "tailor's dummy", "mannequin")
        )
    return Drawn(
        [*_figure(kit, paint, paint, paint, paint)],
        paint,
        adjectives=("faceless",),
        features=("arms and legs",),
    )


@family("bust", "head statue", "statue head", "head sculpture", kind="sculpture")
def bust(kit: Kit) -> Drawn:
    stone = kit.color("white", "light grey", "grey", "beige", "bronze", "dark grey")
    segments = max(10, kit.segments)
    woman = kit.chance(0.3)
    parts = [sphere((0.17, 0.23, 0.2), stone, (0, 0.72, 0.02), segments=segments),
             sphere((0.12, 0.13, 0.13), stone, (0, 0.57, 0.07), segments=segments),
             cylinder(0.1, 0.22, stone, (0, 0.36, 0), segments=segments),
             sphere((0.34, 0.2, 0.18), stone, (0, 0.22, 0), segments=segments),
             cylinder(0.16, 0.12, stone, segments=segments),
             cone(0.045, 0.16, stone, (0, 0.62, 0.2), segments=4).turn(x=-4),
             box((0.11, 0.03, 0.05), stone, (0, 0.53, 0.17)),
             *pair(sphere((0.03, 0.06, 0.04), stone, (0.17, 0.68, 0)),
                   sphere((0.04, 0.025, 0.03), stone, (0.07, 0.72, 0.19)))]  # fmt: skip
    features = ["a nose and ears"]
    if woman:
        parts += [
            sphere((0.2, 0.24, 0.16), stone, (0, 0.76, -0.08)),
            sphere(0.1, stone, (0, 0.85, -0.22)),
        ]
        features.append("long hair")
        return Drawn(
            parts,
            stone,
            material="marble",
            features=tuple(features),
            words=("bust", "head of a woman", "statue head"),
        )
    parts.append(blob((0.185, 0.15, 0.2), stone, kit.rng, (0, 0.82, -0.04), rough=0.07))
    if kit.chance(0.4):
        parts.append(blob((0.13, 0.14, 0.1), stone, kit.rng, (0, 0.46, 0.13), rough=0.12))
        features.append("a beard")
    return Drawn(parts, stone, material=kit.pick("marble", "stone"), features=tuple(features),
                 sentences=("head of a man", "sculpted human head"))  # fmt: skip


@family("statue", "sculpture of a person", "stone statue", "monument", kind="sculpture")
def statue(kit: Kit) -> Drawn:
    stone = kit.color("white", "grey", "light grey", "bronze", "gold", "beige")
    parts = [p.move(0, 0.6, 0) for p in _figure(kit, stone, stone, stone, stone)]
    parts += [
        box((0.9, 0.12, 0.9), stone),
        box((0.7, 0.4, 0.7), stone, (0, 0.12, 0)),
        box((0.85, 0.1, 0.85), stone, (0, 0.52, 0)),
    ]
    if kit.chance():
        parts.append(bar((0.42, 1.2, 0.1), (0.5, 2.6, 0.1), 0.03, stone))
    return Drawn(
        parts,
        stone,
        material=kit.pick("stone", "marble"),
        features=("a pedestal",),
        sentences=("statue on a pedestal",),
    )


@family("skull", "human skull", "death's head", "cranium", kind="bone")
def skull(kit: Kit) -> Drawn:
    bone = kit.color("white", "beige", "light grey")
    segments = max(8, kit.segments)
    parts = [sphere((0.3, 0.3, 0.34), bone, (0, 0.48, 0), segments=segments),
             box((0.34, 0.22, 0.26), bone, (0, 0.16, 0.16), bevel=0.05),
             cone(0.05, 0.12, DARK, (0, 0.28, 0.3), segments=3),
             *pair(sphere((0.09, 0.1, 0.05), DARK, (0.12, 0.42, 0.29)),
                   sphere((0.06, 0.05, 0.1), bone, (0.24, 0.32, 0.16)))]  # fmt: skip
    parts += [
        box((0.045, 0.08, 0.03), bone, (x, 0.12, 0.28)) for x in (-0.13, -0.075, -0.02, 0.035, 0.09)
    ]
    features = ["empty eye sockets", "teeth"]
    if kit.chance(0.7):
        parts.append(box((0.3, 0.08, 0.26), bone, (0, 0.02, 0.15), bevel=0.03))
    return Drawn(
        parts,
        bone,
        adjectives=("spooky", "scary"),
        features=tuple(features),
        sentences=("skull of a dead man", "halloween skull"),
    )


@family("skeleton", "human skeleton", "bony skeleton", "undead warrior", kind="character")
def skeleton(kit: Kit) -> Drawn:
    bone = kit.color("white", "beige", "light grey")
    thick = 0.035 * kit.chunk
    rib = torus(0.17, 0.022, bone, segments=10, around=5)
    hand = (0.42, 0.85, 0.05)
    parts = [sphere((0.15, 0.17, 0.16), bone, (0, 1.66, 0)),
             box((0.16, 0.1, 0.14), bone, (0, 1.46, 0.04)),
             cylinder(thick, 0.7, bone, (0, 0.85, -0.04)),
             *(rib.scale(1 - 0.05 * k, 1, 0.7).move(0, 1.36 - 0.09 * k, 0) for k in range(4)),
             box((0.32, 0.14, 0.16), bone, (0, 0.8, 0), taper=1.2),
             rod_x(thick, 0.5, bone, (0, 1.4, 0)),
             *pair(sphere(0.04, DARK, (0.06, 1.66, 0.14)),
                   bar((0.25, 1.4, 0), (0.34, 1.1, -0.02), thick, bone),
                   sphere(0.05, bone, (0.34, 1.1, -0.02)),
             bar((0.34, 1.1, -0.02), hand, thick, bone), sphere(0.06, bone, hand),
             bar((0.12, 0.82, 0), (0.13, 0.45, 0.02), thick, bone),
             sphere(0.055, bone, (0.13, 0.45, 0.02)),
             bar((0.13, 0.45, 0.02), (0.13, 0.06, 0), thick, bone),
             box((0.1, 0.06, 0.24), bone, (0.13, 0, 0.05)))]  # fmt: skip
    return Drawn(parts, bone, adjectives=("spooky", "scary"), features=("ribs", "a skull"))


@family("knight", "armored knight", "soldier in armour", "warrior", kind="character")
def knight(kit: Kit) -> Drawn:
    steel, cloth = (
        kit.color("silver", "grey", "dark grey", "light grey"),
        kit.color("red", "blue", "green", "purple", "yellow"),
    )
    parts = [*_figure(kit, steel, steel, steel, steel),
             cylinder(0.2, 0.36, steel, (0, 1.48, 0), segments=10),
             sphere((0.2, 0.1, 0.2), steel, (0, 1.84, 0)),
             box((0.26, 0.04, 0.06), DARK, (0, 1.68, 0.17)),
             *pair(sphere(0.14, steel, (0.32, 1.4, 0))),
             box((0.42, 0.5, 0.34), cloth, (0, 0.75, 0)),
             bar((0, 1.9, -0.02), (0, 2.0, -0.28), 0.06, cloth)]  # fmt: skip
    features = ["a helmet", kit.say(cloth, "tunic")]
    if kit.chance(0.6):
        parts += [
            box((0.06, 0.9, 0.02), WHITE, (0.48, 0.85, 0.15)),
            box((0.26, 0.05, 0.05), DARK, (0.48, 0.95, 0.15)),
        ]
        features.append("a sword")
    if kit.chance(0.5):
        parts.append(rod_z(0.3, 0.06, cloth, (-0.48, 1.0, 0.15), segments=10))
        features.append("a shield")
    return Drawn(
        parts,
        steel,
        material="metal",
        features=tuple(features),
        words=("knight", "medieval knight"),
    )


@family("robot", "android", "droid", "mech", kind="character")
def robot(kit: Kit) -> Drawn:
    body, trim = (
        kit.color("grey", "white", "blue", "silver", "yellow", "orange", "red"),
        kit.color("dark grey", "black", "light grey"),
    )
    glow = kit.pick((0.2, 0.85, 0.95), (0.95, 0.3, 0.2), (0.4, 0.95, 0.4))
    wide, high = kit.between(0.5, 0.75), kit.between(0.5, 0.75)
    foot = kit.pick("legs", "legs", "wheels", "tracks")
    base = 0.55 if foot == "legs" else 0.3
    top = base + high
    head = kit.pick(box((0.42, 0.34, 0.36), body, (0, top + 0.08, 0), bevel=0.05),
                    sphere((0.24, 0.22, 0.22), body, (0, top + 0.22, 0)),
                    cylinder(0.2, 0.32, body, (0, top + 0.08, 0), segments=10))  # fmt: skip
    parts = [box((wide, high, 0.42), body, (0, base, 0), bevel=0.06), head,
             cylinder(0.08, 0.1, trim, (0, top, 0)),
             box((0.5 * wide, 0.3 * high, 0.04), trim, (0, base + 0.5 * high, 0.21)),
             *pair(rod_z(0.06, 0.06, glow, (0.1, top + 0.26, 0.2)),
                   sphere(0.11, trim, (wide / 2 + 0.06, top - 0.12, 0)),
                   bar((wide / 2 + 0.08, top - 0.12, 0), (wide / 2 + 0.18, base + 0.05, 0.08),
                       0.06, body),
                   box((0.14, 0.14, 0.14), trim,
                       (wide / 2 + 0.18, base - 0.06, 0.08)))]  # fmt: skip
    features = ["glowing eyes", "two arms"]
    if foot == "legs":
        parts += pair(
            cylinder(0.08, base, trim, (0.3 * wide, 0, 0)),
            box((0.2, 0.14, 0.34), body, (0.3 * wide, 0, 0.04)),
        )
    else:
        parts += pair(
            *(
                rod_x(0.17, 0.16, trim, (0.4 * wide, 0.17, z), segments=10)
                for z in ((-0.16, 0.16) if foot == "tracks" else (0.0,))
            )
        )
    if kit.chance(0.6):
        parts += [
            cylinder(0.015, 0.25, trim, (0, top + 0.4, 0)),
            sphere(0.05, glow, (0, top + 0.66, 0)),
        ]
        features.append("an antenna")
    return Drawn(parts, body, material="metal", features=(*features, foot))


@family("ghost", "spirit", "phantom", "spook", kind="monster")
def ghost(kit: Kit) -> Drawn:
    sheet = kit.color("white", "white", "light grey", "light blue", "light green")
    height = kit.between(0.8, 1.2)
    parts = [lathe([(0.4, 0), (0.33, 0.3 * height), (0.3, 0.62 * height), (0.24, 0.85 * height),
                    (0.1, 0.98 * height), (0, height)], sheet, segments=max(8, kit.segments)),
             *around(cone(0.13, 0.2, sheet).turn(x=180).move(0.28, 0.05, 0), 7),
             *pair(sphere((0.05, 0.08, 0.04), DARK, (0.1, 0.68 * height, 0.27)),
                   sphere((0.16, 0.08, 0.08), sheet, (0.36, 0.5 * height, 0.06)))]  # fmt: skip
    if kit.chance(0.6):
        parts.append(sphere((0.05, 0.06, 0.04), DARK, (0, 0.52 * height, 0.3)))
    return Drawn(
        parts,
        sheet,
        adjectives=("spooky", "scary", "cute"),
        features=("dark eyes",),
        sentences=("halloween ghost under a sheet",),
    )


@family("scarecrow", "straw man", "field scarecrow", kind="prop")
def scarecrow(kit: Kit) -> Drawn:
    wood, shirt, hat = (
        kit.wood(),
        kit.color("red", "blue", "green", "orange"),
        kit.color("brown", "light brown", "black", "yellow"),
    )
    straw = (0.9, 0.78, 0.4)
    parts = [cylinder(0.05, 1.9, wood), rod_x(0.04, 1.5, wood, (0, 1.3, 0)),
             box((0.5, 0.6, 0.28), shirt, (0, 0.82, 0)), rod_x(0.1, 1.2, shirt, (0, 1.3, 0)),
             sphere((0.2, 0.22, 0.2), kit.pick(straw, (0.92, 0.5, 0.12)), (0, 1.66, 0)),
             cylinder(0.34, 0.03, hat, (0, 1.82, 0)), cone(0.19, 0.32, hat, (0, 1.83, 0)),
             *pair(sphere(0.03, DARK, (0.07, 1.7, 0.18)),
                   cone(0.12, 0.2, straw).turn(z=90).move(0.8, 1.3, 0),
                   cylinder(0.1, 0.4, kit.color("blue", "brown"), (0.13, 0.45, 0)))]  # fmt: skip
    return Drawn(parts, shirt, features=("a hat", "outstretched arms", "a wooden post"))


@family("snowman", "snow man", "frosty snowman", "winter snowman", kind="decoration")
def snowman(kit: Kit) -> Drawn:
    snow = kit.color("white")
    scarf, three = kit.color("red", "blue", "green", "orange"), kit.chance(0.7)
    parts = [sphere(0.4, snow, (0, 0.36, 0)), sphere(0.29, snow, (0, 0.9, 0))]
    y = 1.3 if three else 0.9
    if three:
        parts.append(sphere(0.21, snow, (0, 1.32, 0)))
    r = 0.2 if three else 0.28
    parts += [cone(0.05, 0.25, (0.95, 0.5, 0.1)).turn(x=90).move(0, y, r),
              *pair(sphere(0.03, DARK, (0.08, y + 0.08, 0.9 * r)),
                    bar((0.24, 0.95, 0), (0.65, 1.15, 0.05), 0.02, (0.35, 0.22, 0.12))),
              *(sphere(0.03, DARK, (0, h, 0.3 if three else 0.4)) for h in (0.85,
                                    0.98) if three)]  # fmt: skip
    features = ["a carrot nose", "stick arms"]
    if kit.chance(0.7):
        parts += [
            cylinder(0.26, 0.03, DARK, (0, y + 0.8 * r, 0)),
            cylinder(0.17, 0.26, DARK, (0, y + 0.8 * r, 0)),
        ]
        features.append("a top hat")
    if kit.chance(0.7):
        parts += [
            torus(0.2, 0.06, scarf).move(0, y - 0.85 * r, 0),
            box((0.1, 0.3, 0.05), scarf, (0.12, y - 0.85 * r - 0.3, r + 0.03)),
        ]
        features.append(kit.say(scarf, "scarf"))
    return Drawn(parts, snow, features=tuple(features), words=("snowman",))


@family("astronaut", "spaceman", "cosmonaut", "space suit", kind="character")
def astronaut(kit: Kit) -> Drawn:
    suit, trim = (
        kit.color("white", "white", "light grey", "orange"),
        kit.color("blue", "red", "orange", "dark grey"),
    )
    visor = kit.pick((0.9, 0.7, 0.25), (0.2, 0.25, 0.35))
    parts = [*_figure(kit, suit, suit, suit, trim), sphere(0.27, suit, (0, 1.68, 0), segments=10),
             sphere((0.2, 0.17, 0.14), visor, (0, 1.68, 0.16)),
             box((0.44, 0.6, 0.22), trim, (0, 0.95, -0.22), bevel=0.03),
             box((0.22, 0.16, 0.05), trim, (0, 1.15, 0.16))]  # fmt: skip
    return Drawn(
        parts,
        suit,
        features=("a helmet with a visor", "a backpack"),
        sentences=("man on the moon",),
    )


@family("teddy bear", "plush bear", "stuffed bear", "soft toy", kind="toy")
def teddy_bear(kit: Kit) -> Drawn:
    coat, light = kit.color("brown", "light brown", "beige", "pink", "white"), (0.93, 0.84, 0.7)
    parts = [sphere((0.27, 0.3, 0.24), coat, (0, 0.3, 0)),
             sphere((0.17, 0.2, 0.08), light, (0, 0.3, 0.2)), sphere(0.24, coat, (0, 0.74, 0.02)),
             sphere((0.12, 0.09, 0.1), light, (0, 0.68, 0.22)),
             sphere(0.035, DARK, (0, 0.72, 0.32)),
             *pair(sphere((0.09, 0.09, 0.05), coat, (0.19, 0.94, 0)),
                   sphere(0.03, DARK, (0.09, 0.8, 0.23)),
                   sphere((0.09, 0.2, 0.1), coat, (0.32, 0.42, 0.04)).turn(z=8),
                   sphere((0.12, 0.12, 0.2), coat, (0.2, 0.12, 0.22)),
                   sphere((0.08, 0.08, 0.03), light, (0.2, 0.12, 0.4)))]  # fmt: skip
    features = ["round ears"]
    if kit.chance(0.5):
        bow = kit.color("red", "blue", "green")
        parts += pair(cone(0.07, 0.14, bow).turn(z=90).move(0.14, 0.53, 0.24))
        features.append(kit.say(bow, "bow tie"))
    return Drawn(parts, coat, adjectives=("cute", "sitting"), features=tuple(features))


def _hollow(at: tuple[float, float, float]) -> Part:
    return sphere((0.06, 0.07, 0.04), DARK, at)


@family("horned head", kind="bone")
def goat_head(kit: Kit) -> Drawn:
    bare = kit.chance(0.5)
    coat = kit.color("white", "beige") if bare else kit.color("white", "brown", "black", "grey")
    horn = kit.color("dark grey", "dark brown", "beige")
    line = [(0.08, 0.5, -0.02), (0.16, 0.72, -0.12), (0.28, 0.78, -0.3), (0.38, 0.66, -0.4)]
    parts = [sphere((0.17, 0.18, 0.18), coat, (0, 0.42, 0)),
             bar((0, 0.4, 0.08), (0, 0.1, 0.32), 0.13, coat, top=0.07, segments=8),
             box((0.1, 0.04, 0.05), DARK if bare else coat, (0, 0.08, 0.36)),
             *pair(sweep(line, [0.06, 0.05, 0.035, 0.01], horn),
                   _hollow((0.12, 0.4, 0.13)))]  # fmt: skip
    if not bare:
        parts += [
            cylinder(0.14, 0.3, coat, (0, 0.05, -0.14)),
            cone(0.05, 0.18, coat).turn(x=180).move(0, 0.08, 0.26),
            *pair(box((0.22, 0.05, 0.1), coat, (0.24, 0.36, -0.02))),
        ]
    return Drawn(
        parts,
        coat,
        adjectives=("horned",),
        features=("curved horns",),
        words=("goat skull", "animal skull") if bare else ("goat head", "head of a goat"),
    )
