"""Clothes, luggage, stationery and other belongings."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    around,
    darker,
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
    prism,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []


@family("microphone", "mic", "singer's microphone", kind="music")
def microphone(kit: Kit) -> Drawn:
    paint, head = (
        kit.color("black", "dark grey", "silver", "red"),
        kit.color("silver", "grey", "dark grey"),
    )
    parts = [
        cylinder(0.1, 0.7, paint, top=0.13),
        torus(0.15, 0.03, paint).move(0, 0.72, 0),
        sphere(0.2, head, (0, 0.88, 0), segments=12),
    ]
    if kit.chance(0.4):
        parts = [
            *(p.turn(x=50).move(0, 1.4, -0.3) for p in parts),
            cylinder(0.03, 1.6, paint),
            cylinder(0.35, 0.05, paint),
        ]
        return Drawn(parts, paint, features=("a stand",))
    return Drawn(parts, paint, features=("a round head",))


@family("headphones", "headset", "earphones", "head phones", kind="music")
def headphones(kit: Kit) -> Drawn:
    paint, pad = (
        kit.color("black", "white", "red", "blue", "pink", "silver"),
        kit.color("dark grey", "black", "grey"),
    )
    parts = [
        torus(0.5, 0.05, paint, segments=12, degrees=180).turn(x=90),
        *pair(
            rod_x(0.24, 0.12, paint, (0.52, -0.1, 0), segments=12),
            rod_x(0.22, 0.12, pad, (0.42, -0.1, 0), segments=12),
        ),
    ]
    return Drawn(parts, paint, features=("two ear cups", "a headband"))


@family("camera", "photo camera", "digital camera", "film camera", kind="electronics")
def camera(kit: Kit) -> Drawn:
    paint = kit.color("black", "dark grey", "silver", "brown", "red", "white")
    parts = [
        box((1.0, 0.6, 0.35), paint, bevel=0.04),
        rod_z(0.24, 0.35, DARK, (0, 0.3, 0.3), segments=14),
        rod_z(0.17, 0.37, (0.5, 0.65, 0.8), (0, 0.3, 0.3), segments=14),
        box((0.35, 0.16, 0.25), paint, (0, 0.6, 0), taper=0.8),
        cylinder(0.06, 0.07, (0.8, 0.2, 0.2), (0.36, 0.6, 0)),
        box((0.16, 0.1, 0.02), (0.95, 0.93, 0.8), (-0.35, 0.44, 0.18)),
    ]
    return Drawn(parts, paint, features=("a lens", "a flash"))


@family("hat", "headgear", kind="clothing")
def hat(kit: Kit) -> Drawn:
    cloth, band, kind = (
        kit.color("black", "brown", "red", "blue", "beige", "grey"),
        kit.color("red", "white", "black", "gold"),
        kit.pick("top hat", "cowboy hat", "cap"),
    )
    if kind == "cap":
        brim = plate(
            [(-0.26, 0.2), (0.26, 0.2), (0.24, 0.5), (0, 0.62), (-0.24, 0.5)],
            0.04,
            cloth,
            (0, 0.02, 0),
        )
        return Drawn(
            [
                sphere((0.34, 0.32, 0.36), cloth, low=0.5, segments=10),
                brim,
                sphere(0.04, band, (0, 0.32, 0)),
            ],
            cloth,
            features=("a visor",),
            words=("cap", "baseball cap"),
        )
    wide, high = (0.5, 0.6) if kind == "top hat" else (0.62, 0.34)
    brim_ = cylinder(wide, 0.04, cloth, segments=14)
    parts = [
        brim_ if kind == "top hat" else brim_.scale(0.8, 1, 1.1),
        cylinder(0.3, high, cloth, top=0.32 if kind == "top hat" else 0.22, segments=12),
        cylinder(0.315, 0.1, band, (0, 0.04, 0), segments=12),
    ]
    return Drawn(parts, cloth, features=("a brim", kit.say(band, "band")), words=(kind, "hat"))


@family("footwear", kind="clothing")
def shoe(kit: Kit) -> Drawn:
    leather, sole, tall = (
        kit.color("brown", "black", "red", "blue", "white", "dark brown"),
        kit.color("white", "dark grey", "black"),
        kit.chance(),
    )
    profile = [
        (-0.3, 0.06),
        (0.42, 0.06),
        (0.46, 0.16),
        (0.3, 0.26),
        (0.06, 0.34),
        (0.02, 0.8 if tall else 0.4),
        (-0.3, 0.8 if tall else 0.42),
    ]
    one = [
        side(profile, 0.26, leather),
        side([(-0.32, 0), (0.44, 0), (0.48, 0.08), (-0.32, 0.08)], 0.3, sole),
        *(box((0.2, 0.02, 0.03), sole, (0, 0.28 + 0.02 * k, 0.24 - 0.06 * k)) for k in range(3)),
    ]
    parts = [p.move(x) for x in (-0.2, 0.2) for p in one] if kit.chance(0.4) else one
    return Drawn(
        parts,
        leather,
        features=(kit.say(sole, "sole"),),
        words=("boot", "boots") if tall else ("shoe", "sneaker"),
    )


@family("glasses", "spectacles", kind="clothing")
def glasses(kit: Kit) -> Drawn:
    frame, lens = (
        kit.color("black", "brown", "red", "gold", "blue"),
        kit.pick((0.15, 0.16, 0.2), (0.75, 0.86, 0.92)),
    )
    ring_ = torus(0.2, 0.025, frame, segments=14).turn(x=90)
    parts = [
        *pair(
            ring_.move(0.26),
            rod_z(0.19, 0.015, lens, (0.26, 0, 0), segments=14),
            bar((0.46, 0.03, 0), (0.46, 0.03, -0.7), 0.02, frame),
            bar((0.46, 0.03, -0.7), (0.46, -0.08, -0.8), 0.02, frame),
        ),
        rod_x(0.02, 0.12, frame, (0, 0.04, 0)),
    ]
    return Drawn(
        parts,
        frame,
        features=("two round lenses",),
        words=("sunglasses", "glasses") if lens[0] < 0.3 else ("glasses", "eyeglasses"),
    )


@family("umbrella", "open umbrella", "parasol", "beach umbrella", kind="accessory")
def umbrella(kit: Kit) -> Drawn:
    one, two, ribs = kit.color(), kit.color("white", "yellow", "red"), 8
    parts = [
        cylinder(0.025, 1.4, kit.color("brown", "black", "grey")),
        lathe(
            [(0.7, 1.0), (0.5, 1.22), (0.25, 1.36), (0, 1.4), (0, 1.37), (0.25, 1.32), (0.5, 1.18)],
            one,
            segments=ribs,
            closed=True,
        ),
        cone(0.02, 0.12, DARK, (0, 1.38, 0)),
        sweep([(0, 0.05, 0), (0.03, -0.04, 0), (0.1, -0.06, 0), (0.15, 0.02, 0)], 0.025, DARK),
    ]
    if kit.chance(0.5):
        parts += around(
            prism([(0.0, 1.41), (0.26, 1.37), (0.51, 1.23), (0.71, 1.0), (0.5, 1.2)], 0.14, two), 4
        )
        return Drawn(
            parts, one, adjectives=("open",), features=(kit.say(two, "stripes"), "a handle")
        )
    return Drawn(parts, one, adjectives=("open",), features=("a curved handle",))


@family("backpack", "rucksack", "school bag", "bag", kind="accessory")
def backpack(kit: Kit) -> Drawn:
    cloth, trim = kit.color(), kit.color("brown", "dark grey", "beige")
    parts = [
        box((0.7, 0.9, 0.35), cloth, bevel=0.1),
        box((0.5, 0.4, 0.16), cloth, (0, 0.08, 0.22), bevel=0.05),
        box((0.66, 0.28, 0.4), trim, (0, 0.66, 0.02), bevel=0.08),
        torus(0.1, 0.03, trim).turn(x=90).move(0, 0.95, 0),
        *pair(
            sweep(
                [(0.2, 0.85, -0.15), (0.24, 0.6, -0.34), (0.24, 0.3, -0.32), (0.25, 0.08, -0.16)],
                0.04,
                trim,
            )
        ),
    ]
    return Drawn(parts, cloth, features=("two straps", "a front pocket"))


@family("suitcase", "luggage", kind="accessory")
def suitcase(kit: Kit) -> Drawn:
    skin, wheels = kit.color("brown", "red", "blue", "black", "teal", "orange"), kit.chance()
    size = (0.7, 1.0, 0.35) if wheels else (1.0, 0.65, 0.3)
    parts = [
        box(size, skin, (0, 0.06, 0), bevel=0.05),
        *pair(box((0.06, size[1] + 0.02, size[2] + 0.03), DARK, (0.26 * size[0], 0.05, 0))),
        sweep(
            [
                (-0.14, size[1] + 0.04, 0),
                (-0.14, size[1] + (0.4 if wheels else 0.15), 0),
                (0.14, size[1] + (0.4 if wheels else 0.15), 0),
                (0.14, size[1] + 0.04, 0),
            ],
            0.025,
            DARK,
        ),
    ]
    if wheels:
        parts += pair(
            rod_x(0.06, 0.06, DARK, (0.25, 0.05, 0.1)), rod_x(0.06, 0.06, DARK, (0.25, 0.05, -0.1))
        )
    return Drawn(
        parts,
        skin,
        features=("a handle", "wheels") if wheels else ("a handle",),
        words=("suitcase", "trolley case") if wheels else ("suitcase", "briefcase"),
    )


@family("candy cane", "christmas candy", "striped candy stick", kind="sweet")
def candy_cane(kit: Kit) -> Drawn:
    red = kit.color("red", "red", "green")
    line = [
        (0.2 - 0.2 * math.cos(a), 0.8 + 0.2 * math.sin(a), 0.0)
        for a in (k * math.pi / 7 for k in range(8))
    ]
    line = [(0.0, y, 0.0) for y in (0.0, 0.16, 0.32, 0.48, 0.64)] + line
    parts = [
        bar(a, b, 0.075, red if k % 2 else WHITE, segments=9)
        for k, (a, b) in enumerate(itertools.pairwise(line))
    ]
    return Drawn(parts, None, features=(kit.say(red, "stripes"), "a hook"))


@family("bell", "church bell", "golden bell", "hand bell", kind="prop")
def bell(kit: Kit) -> Drawn:
    gold = kit.color("gold", "bronze", "silver")
    parts = [
        lathe([(0.5, 0), (0.42, 0.12), (0.3, 0.4), (0.24, 0.6), (0, 0.72)], gold, segments=14),
        sphere(0.1, DARK, (0, -0.02, 0)),
        torus(0.09, 0.03, gold).turn(x=90).move(0, 0.78, 0),
    ]
    return Drawn(parts, gold, material="metal", features=("a clapper", "a ring on top"))


@family("pencil", "coloured pencil", kind="stationery")
def pencil(kit: Kit) -> Drawn:
    paint = kit.color("yellow", "red", "blue", "green", "orange")
    parts = [
        cylinder(0.08, 1.0, paint, segments=6),
        cylinder(0.08, 0.16, (0.9, 0.75, 0.55), (0, 1.0, 0), top=0.03, segments=6),
        cone(0.03, 0.06, DARK, (0, 1.16, 0)),
        cylinder(0.082, 0.08, (0.75, 0.75, 0.78), (0, -0.07, 0)),
        cylinder(0.075, 0.1, (0.92, 0.55, 0.6), (0, -0.16, 0)),
    ]
    tilt = kit.pick(0, 90, 160)
    return Drawn(
        [p.turn(z=tilt) for p in parts],
        paint,
        adjectives=("sharp",),
        features=("an eraser", "a pointed tip"),
    )


@family("envelope", "letter", "mail", "paper letter", kind="stationery")
def envelope(kit: Kit) -> Drawn:
    paper, seal = kit.color("white", "beige", "light blue", "pink"), kit.color("red", "blue")
    fold = darker(paper, 0.8)
    parts = [
        box((1.0, 0.65, 0.04), paper),
        *(
            bar(
                (s * 0.5, 0.64, 0.025),
                (0, 0.28, 0.025),
                0.012,
                fold,
                segments=4,
            )
            for s in (-1, 1)
        ),
        rod_z(0.07, 0.03, seal, (0, 0.3, 0.03)),
    ]
    return Drawn(parts, paper, adjectives=("closed",), features=(kit.say(seal, "seal"),))


@family("notebook", "notepad", "spiral notebook", kind="stationery")
def notebook(kit: Kit) -> Drawn:
    cover = kit.color()
    parts = [
        box((0.7, 0.05, 0.95), cover),
        box((0.66, 0.06, 0.91), WHITE, (0, 0.05, 0)),
        box((0.7, 0.03, 0.95), cover, (0, 0.11, 0)),
        *(
            torus(0.07, 0.012, DARK, segments=8, around=4)
            .turn(x=90)
            .move(-0.35, 0.07, -0.42 + 0.12 * k)
            for k in range(8)
        ),
        box((0.35, 0.01, 0.14), WHITE, (0.02, 0.14, -0.2)),
    ]
    lean = kit.pick(0, 60)
    return Drawn([p.turn(x=lean) for p in parts], cover, features=("a spiral binding", "a label"))


@family("telescope", "spyglass", "astronomer's telescope", kind="instrument")
def telescope(kit: Kit) -> Drawn:
    paint, wood = kit.color("gold", "black", "white", "blue", "bronze"), kit.wood()
    tube_ = [
        rod_z(0.16, 0.6, paint, (0, 0, 0.3), segments=10),
        rod_z(0.12, 0.5, paint, (0, 0, -0.2), segments=10),
        rod_z(0.19, 0.1, DARK, (0, 0, 0.6), segments=10),
    ]
    return Drawn(
        [
            *(p.turn(x=-25).move(0, 1.1, 0) for p in tube_),
            *around(bar((0, 1.05, 0), (0.45, 0, 0), 0.04, wood), 3, 90),
        ],
        paint,
        features=("a tripod",),
    )
