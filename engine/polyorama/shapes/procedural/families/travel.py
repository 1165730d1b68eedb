"""What swims and flies: boats, ships, aeroplanes, rockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    FIRE,
    GLASS,
    WHITE,
    around,
    cartwheel,
    hull,
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
    from polyorama.shapes.procedural.solids import Part, Tint

__all__: list[str] = []


def _ship(wide: float, long: float, depth: float, color: Tint, rise: float = 0.2) -> Part:
    """A hull whose deck lies near y = 0 and whose bow points to +z."""
    half = wide / 2
    return hull(
        [
            (-long / 2, 0.7 * half, 0.08),
            (-0.2 * long, half, 0),
            (0.15 * long, 0.95 * half, 0.02),
            (0.36 * long, 0.55 * half, 0.5 * rise),
            (long / 2, 0.02, rise),
        ],
        depth,
        color,
    )


@family("rowing boat", "rowboat", "small boat", "dinghy", kind="boat")
def rowing_boat(kit: Kit) -> Drawn:
    wood, inside = kit.color("brown", "light brown", "red", "blue", "green", "white"), kit.wood()
    long = kit.between(2.0, 2.8)
    parts = [
        _ship(0.9, long, 0.6, wood),
        _ship(0.74, 0.88 * long, 0.3, inside).move(0, 0.03, 0),
        *(box((0.8, 0.05, 0.2), inside, (0, 0.06, z * long)) for z in (-0.25, 0.0, 0.22)),
    ]
    oars = kit.chance(0.7)
    if oars:
        parts += pair(
            bar((0.25, 0.25, 0), (1.1, -0.15, -0.1), 0.03, inside),
            box((0.3, 0.02, 0.14), inside, (1.15, -0.17, -0.1)).turn(),
        )
    return Drawn(
        parts, wood, material="wooden", features=("two oars", "benches") if oars else ("benches",)
    )


@family("sailing boat", "sailboat", "yacht", "boat with a sail", kind="boat")
def sailing_boat(kit: Kit) -> Drawn:
    body, sail = kit.color(), kit.color("white", "beige", "red", "white", "yellow")
    high = kit.between(2.0, 2.6)
    parts = [_ship(0.8, 2.2, 0.55, body), _ship(0.72, 2.05, 0.1, kit.wood()).move(0, 0.03, 0),
             cylinder(0.04, high, kit.wood(), (0, 0, 0.2), segments=6),
             side([(0.14, 0.35), (-1.0, 0.35), (0.14, high)], 0.03, sail),
             side([(0.26, 0.35), (1.0, 0.3), (0.26, 0.85 * high)], 0.03, sail),
             rod_z(0.025, 1.2, kit.wood(), (0, 0.32, -0.4))]  # fmt: skip
    return Drawn(parts, body, features=(kit.say(sail, "sails"), "a mast"), paints={"sail": sail})


@family("sailing ship", "galleon", "tall ship", "wooden ship", kind="ship")
def sailing_ship(kit: Kit) -> Drawn:
    wood, sail = (
        kit.color("brown", "dark brown", "light brown"),
        kit.color("white", "beige", "red", "black"),
    )
    masts = kit.count(2, 3)
    parts = [
        _ship(0.9, 3.0, 0.8, wood, 0.35),
        box((0.75, 0.5, 0.7), wood, (0, 0, -1.15)),
        box((0.8, 0.06, 0.75), wood, (0, 0.5, -1.15)),
        bar((0, 0.25, 1.3), (0, 0.6, 2.1), 0.05, wood),
        *(box((0.94, 0.14, 0.16), DARK, (0, -0.25, z)) for z in (-0.6, -0.1, 0.4)),
    ]
    for k in range(masts):
        z, high = -0.8 + 1.6 * k / (masts - 1), 2.0 if k != 1 or masts == 2 else 2.4
        parts.append(cylinder(0.05, high, wood, (0, 0, z), segments=6))
        for y, wide in ((0.5, 1.3), (1.25, 1.0)):
            curve = [(-0.02, 0), (0.16, 0.12), (0.2, 0.3), (0.14, 0.5), (-0.02, 0.62), (0.05, 0.3)]
            parts += [
                side(curve, wide, sail, (0, y, z + 0.06)),
                rod_x(0.03, wide + 0.15, wood, (0, y + 0.63, z)),
            ]
    flag = kit.color("black", "red", "blue")
    parts.append(box((0.03, 0.2, 0.35), flag, (0, 2.0 if masts == 2 else 1.95, -0.95)))
    words = (
        ("pirate ship", "sailing ship")
        if sail.name == "black" or flag.name == "black"
        else ("sailing ship", "galleon")
    )
    return Drawn(
        parts,
        wood,
        material="wooden",
        features=(f"{'two' if masts == 2 else 'three'} masts", kit.say(sail, "sails"), "cannons"),
        words=words,
    )


@family("ship", "boat", kind="boat")
def steamer(kit: Kit) -> Drawn:
    body, funnel, kind = (
        kit.color("red", "dark blue", "black", "white", "blue", "green"),
        kit.color("red", "orange", "yellow", "black"),
        kit.pick("cargo", "liner", "tug"),
    )
    parts = [
        _ship(0.9, 2.2 if kind == "tug" else 3.4, 0.7, body, 0.3),
        _ship(0.8, 2.0 if kind == "tug" else 3.1, 0.1, (0.75, 0.7, 0.62), 0.3).move(0, 0.04, 0),
    ]
    if kind == "cargo":
        parts += [
            box((0.36, 0.3, 0.5), kit.color(), (x, y, z))
            for x in (-0.19, 0.19)
            for y in (0.03, 0.34)
            for z in (-0.4, 0.15, 0.7)
        ]
        parts += [
            box((0.8, 0.8, 0.5), WHITE, (0, 0, -1.2)),
            box((0.85, 0.18, 0.52), GLASS, (0, 0.55, -1.18)),
            cylinder(0.12, 0.5, funnel, (0, 0.8, -1.35)),
        ]
        return Drawn(
            parts,
            body,
            features=("stacked containers", "a bridge"),
            words=("cargo ship", "container ship", "ship"),
        )
    long = 0.8 if kind == "tug" else 2.0
    levels = 2
    parts += [
        box((0.66 - 0.1 * k, 0.3, long * (1 - 0.2 * k)), WHITE, (0, 0.02 + 0.3 * k, -0.2))
        for k in range(levels)
    ]
    parts += [
        box((0.68 - 0.1 * k, 0.1, long * (1 - 0.2 * k) - 0.1), GLASS, (0, 0.14 + 0.3 * k, -0.2))
        for k in range(levels)
    ]
    count = 1 if kind == "tug" else kit.count(1, 3)
    parts += [
        cylinder(0.13, 0.55, funnel, (0, 0.6, -0.2 - 0.5 * k + 0.25 * (count - 1)))
        for k in range(count)
    ]
    return Drawn(
        parts,
        body,
        features=(kit.say(funnel, "funnel"), "a cabin"),
        words=("tugboat", "fishing boat", "boat")
        if kind == "tug"
        else ("ocean liner", "ship", "cruise ship"),
    )


@family("motorboat", "speedboat", "power boat", "boat", kind="boat")
def motorboat(kit: Kit) -> Drawn:
    body, trim = kit.color(), kit.color("white", "beige")
    parts = [
        _ship(0.95, 2.6, 0.6, body, 0.25),
        _ship(0.85, 2.4, 0.12, trim, 0.25).move(0, 0.04, 0),
        box((0.7, 0.35, 0.06), GLASS, (0, 0.05, 0.35)).turn(x=-15),
        *pair(
            box((0.3, 0.3, 0.1), body, (0.2, 0.05, -0.5)),
            box((0.3, 0.14, 0.3), body, (0.2, 0.05, -0.35)),
        ),
        box((0.25, 0.5, 0.25), DARK, (0, -0.15, -1.4)),
    ]
    return Drawn(parts, body, adjectives=("fast",), features=("an outboard motor", "a windscreen"))


@family("submarine", "u-boat", "sub", "yellow submarine", kind="vehicle")
def submarine(kit: Kit) -> Drawn:
    paint = kit.color("yellow", "grey", "dark grey", "red", "blue")
    line = [(0, 0, z) for z in (-1.3, -1.0, -0.4, 0.5, 0.95, 1.15, 1.22)]
    parts = [sweep(line, [0.08, 0.25, 0.4, 0.4, 0.3, 0.17, 0.05], paint,
                   segments=max(8, kit.segments)),
                   box((0.3, 0.4, 0.6), paint, (0, 0.3, 0.1), bevel=0.06, taper=0.8),
                   cylinder(0.03, 0.35, DARK, (0, 0.7, 0.15)),
                   box((0.06, 0.06, 0.14), DARK, (0, 1.03, 0.19)),
             *pair(*(rod_x(0.11, 0.06, GLASS, (0.38, 0.05, z)) for z in (-0.3, 0.1, 0.5)),
                   plate([(0.1, -0.9), (0.5, -1.1), (0.5, -1.25), (0.1, -1.2)], 0.05, paint)),
                   side([(-0.9, 0.1), (-1.25, 0.5), (-1.25, -0.5), (-0.9, -0.1)], 0.05, paint),
             *(box((0.1, 0.3, 0.04), DARK, (0, 0.02,
                                    -1.35)).turn(z=120 * k) for k in range(3))]  # fmt: skip
    return Drawn(parts, paint, features=("a periscope", "round windows", "a propeller"))


def _fuselage(kit: Kit, paint: Tint, long: float, radius: float, nose: float = 0.5) -> Part:
    line = [
        (0, 0.1 * long, -long / 2),
        (0, 0.03 * long, -0.3 * long),
        (0, 0, 0.0),
        (0, 0, 0.32 * long),
        (0, 0, 0.46 * long),
        (0, -0.02, long / 2),
    ]
    return sweep(
        line,
        [0.25 * radius, 0.65 * radius, radius, radius, 0.75 * radius, nose * 0.4 * radius],
        paint,
        segments=max(8, kit.segments),
    )


@family("airplane", "aeroplane", "plane", "passenger plane", "jet", "aircraft", kind="aircraft")
def airplane(kit: Kit) -> Drawn:
    paint, trim = (
        kit.color("white", "light grey", "light blue", "yellow", "red", "blue"),
        kit.color("red", "blue", "orange", "dark blue", "green"),
    )
    long, span = kit.between(3.0, 4.0), kit.between(1.5, 2.0)
    parts = [_fuselage(kit, paint, long, 0.28),
             side([(-0.38 * long, 0.2), (-0.52 * long, 0.95), (-0.6 * long, 0.95),
                   (-0.5 * long, 0.15)], 0.07, trim),
                   *(box((0.52, 0.09, 0.09), GLASS, (0, 0.06, z * long)) for z in (-0.15, -0.05,
                                    0.05, 0.15, 0.25)),
                                    box((0.34, 0.1, 0.1), DARK, (0, 0.1, 0.43 * long)),
             *pair(plate([(0.1, 0.35), (span, -0.45), (span, -0.7), (0.1, -0.25)], 0.06, paint,
                         (0, -0.1, 0)), plate([(0.05, -0.42 * long), (0.6, -0.5 * long), (0.6,
                                    -0.55 * long), (0.05, -0.5 * long)], 0.05, trim, (0, 0.3, 0)),
                   rod_z(0.12, 0.5, trim, (0.42 * span, -0.25, 0.1)))]  # fmt: skip
    return Drawn(
        parts,
        paint,
        features=("two wings", kit.say(trim, "tail"), "jet engines"),
        paints={"tail": trim},
    )


@family(
    "propeller plane",
    "plane",
    "toy plane",
    "old plane",
    kind="aircraft",
)
def biplane(kit: Kit) -> Drawn:
    paint, trim, two = (
        kit.color("red", "yellow", "blue", "green", "orange"),
        kit.color("white", "yellow", "red", "beige"),
        kit.chance(0.6),
    )
    wing = [(-1.3, -0.22), (1.3, -0.22), (1.3, 0.22), (-1.3, 0.22)]
    parts = [_fuselage(kit, paint, 2.2, 0.3, 1.0), plate(wing, 0.06, trim, (0, -0.1, 0.3)),
             side([(-0.8, 0.2), (-1.1, 0.65), (-1.25, 0.6), (-1.1, 0.15)], 0.06, trim),
             plate([(-0.5, -1.2), (0.5, -1.2), (0.4, -0.9), (-0.4, -0.9)], 0.05, trim, (0, 0.2, 0)),
             *(box((0.1, 0.62, 0.04), (0.5, 0.35, 0.2), (0, -0.02, 1.14)).turn(z=0).move(0, 0,
                                    0) for _ in range(1)),
                                    box((0.62, 0.1, 0.04), (0.5, 0.35, 0.2), (0, -0.05, 1.15)),
                                    sphere(0.09, DARK, (0, 0, 1.15)),
                                    box((0.25, 0.18, 0.3), DARK, (0, 0.22, -0.1)),
             *pair(rod_x(0.16, 0.08, DARK, (0.35, -0.5, 0.5)),
                   bar((0.12, -0.2, 0.45), (0.33, -0.5, 0.5), 0.03, DARK))]  # fmt: skip
    if two:
        parts += [
            plate(wing, 0.06, trim, (0, 0.6, 0.35)),
            *pair(
                *(
                    bar((x, -0.1, z), (x, 0.6, z + 0.05), 0.025, DARK)
                    for x in (0.35, 1.0)
                    for z in (0.18, 0.42)
                )
            ),
        ]
    return Drawn(
        parts,
        paint,
        features=("a propeller", "two pairs of wings" if two else "straight wings", "wheels"),
        words=("biplane", "old plane") if two else ("propeller plane", "small airplane"),
    )


@family("fighter jet", "jet fighter", "military plane", "war plane", "stealth jet", kind="aircraft")
def fighter(kit: Kit) -> Drawn:
    paint = kit.color("grey", "dark grey", "green", "light grey", "beige")
    parts = [sweep([(0, 0, -1.3), (0, 0, -0.3), (0, 0, 0.6), (0, 0, 1.6)], [0.2, 0.26, 0.2, 0.02],
                   paint, segments=8), sphere((0.13, 0.14, 0.4), GLASS, (0, 0.18, 0.55)),
                   rod_z(0.15, 0.1, FIRE, (0, 0, -1.33)),
             *pair(plate([(0.1, 0.5), (1.2, -0.6), (1.2, -0.85), (0.1, -0.75)], 0.05, paint),
                   plate([(0.1, -0.9), (0.6, -1.3), (0.6, -1.45), (0.1, -1.3)], 0.05, paint),
                   side([(-0.8, 0.15), (-1.2, 0.7), (-1.4, 0.7), (-1.3, 0.1)], 0.05, paint,
                        (0.18, 0, 0)), rod_z(0.05, 0.7, WHITE, (0.75, -0.1, -0.4)))]  # fmt: skip
    return Drawn(
        parts, paint, adjectives=("fast",), features=("swept wings", "missiles", "a cockpit")
    )


@family("helicopter", "chopper", "rescue helicopter", "military helicopter", kind="aircraft")
def helicopter(kit: Kit) -> Drawn:
    paint, blades = (
        kit.color("red", "yellow", "blue", "green", "white", "dark green", "black"),
        kit.pick(2, 3, 4),
    )
    parts = [sphere((0.5, 0.48, 0.75), paint, (0, 0.75, 0.1), segments=max(8, kit.segments)),
             sphere((0.42, 0.38, 0.45), GLASS, (0, 0.8, 0.48)),
             bar((0, 0.85, -0.4), (0, 1.0, -1.8), 0.16, paint, top=0.06),
             side([(-1.65, 0.95), (-1.95, 1.4), (-2.05, 1.4), (-1.85, 0.85)], 0.06, paint),
             cylinder(0.06, 0.35, DARK, (0, 1.15, 0)),
             *around(box((1.5, 0.03, 0.12), DARK, (0.75, 1.48, 0)), blades, kit.between(0, 90)),
             *(box((0.03, 0.5, 0.07), DARK, (0, -0.25, 0)).turn(x=90 * k).move(0.08, 1.15,
                                    -1.85) for k in range(2)),
             *pair(rod_z(0.04, 1.3, DARK, (0.4, 0.04, 0.1)),
                   *(bar((0.25, 0.4, z), (0.4, 0.05, z), 0.03, DARK) for z in (-0.2,
                                    0.4)))]  # fmt: skip
    return Drawn(parts, paint, features=("a rotor", "a tail boom", "landing skids"))


@family("rocket", "space rocket", "rocket ship", "toy rocket", kind="spacecraft")
def rocket(kit: Kit) -> Drawn:
    paint, trim, fins = (
        kit.color("white", "light grey", "silver", "red", "blue"),
        kit.color("red", "orange", "blue", "yellow"),
        kit.pick(3, 4),
    )
    high, wide = kit.between(1.8, 2.8), kit.between(0.3, 0.45)
    seg = max(8, kit.segments)
    parts = [lathe([(0.65 * wide, 0), (wide, 0.3 * high), (0.95 * wide, 0.6 * high),
                    (0.6 * wide, 0.82 * high)], paint, segments=seg),
                    lathe([(0.62 * wide, 0.8 * high), (0.3 * wide, 0.93 * high), (0, high)], trim,
                          segments=seg),
             cylinder(0.55 * wide, 0.15, DARK, (0, -0.12, 0), top=0.4 * wide),
             *around(prism([(0.6 * wide, 0.05), (2.0 * wide, -0.25), (2.0 * wide, 0.1),
                            (0.9 * wide, 0.7)], 0.06, trim), fins, 20),
                            rod_z(0.4 * wide, 0.1, trim, (0, 0.58 * high, 0.92 * wide)),
                            rod_z(0.28 * wide, 0.14, GLASS,
                                  (0, 0.58 * high, 0.92 * wide))]  # fmt: skip
    features = [f"{'three' if fins == 3 else 'four'} fins", "a round window"]
    if kit.chance(0.3):
        parts += [cone(0.5 * wide, 0.7, FIRE).turn(x=180).move(0, -0.1, 0)]
        features.append("a flame")
    return Drawn(parts, paint, features=(kit.say(trim, "nose"), *features), paints={"fins": trim})


@family("space shuttle", "shuttle", "spaceplane", "orbiter", kind="spacecraft")
def shuttle(kit: Kit) -> Drawn:
    paint = kit.color("white", "light grey")
    parts = [sweep([(0, 0, -1.2), (0, 0, 0.6), (0, -0.03, 1.0), (0, -0.1, 1.3)],
                   [0.36, 0.36, 0.28, 0.06], paint, segments=10),
                   plate([(-0.2, 0.9), (-1.1, -0.9), (-1.1, -1.15), (1.1, -1.15), (1.1, -0.9),
                          (0.2, 0.9)], 0.1, DARK, (0, -0.25, 0)),
             side([(-0.7, 0.3), (-1.15, 1.0), (-1.4, 1.0), (-1.2, 0.3)], 0.08, paint),
             box((0.4, 0.12, 0.1), DARK, (0, 0.14, 0.95)),
             *pair(rod_z(0.15, 0.25, DARK, (0.17, 0.1, -1.3)))]  # fmt: skip
    if kit.chance(0.3):
        parts = [
            *(p.turn(x=-90).move(0, 1.3, 0.55) for p in parts),
            cylinder(0.42, 2.9, kit.color("orange"), (0, 0, -0.2)),
            cone(0.42, 0.6, kit.color("orange"), (0, 2.9, -0.2)),
            *pair(
                cylinder(0.18, 2.5, paint, (0.62, 0, -0.2)),
                cone(0.18, 0.3, paint, (0.62, 2.5, -0.2)),
            ),
        ]
        return Drawn(parts, paint, features=("a fuel tank", "boosters"))
    return Drawn(parts, paint, features=("delta wings", "a tail fin"))


@family("hot air balloon", "air balloon", "balloon with a basket", "montgolfier", kind="aircraft")
def hot_air_balloon(kit: Kit) -> Drawn:
    one, two = kit.color(), kit.color("white", "yellow", "red", "blue")
    gores = 12
    profile = [
        (0.22, 0.0),
        (0.55, 0.35),
        (0.9, 0.8),
        (1.0, 1.25),
        (0.85, 1.7),
        (0.45, 2.0),
        (0, 2.1),
    ]
    striped = kit.chance(0.7)
    parts = [lathe(profile, one, (0, 0.9, 0), segments=gores)]
    if striped:
        parts += [
            sweep([(1.0 * r, y, 0) for r, y in profile], 0.13, two, segments=4)
            .scale(1, 1, 1)
            .turn(y=60 * k)
            .move(0, 0.9, 0)
            for k in range(6)
        ]
    parts += [
        box((0.36, 0.3, 0.36), kit.color("brown", "light brown"), taper=1.15),
        *around(bar((0.18, 0.28, 0.18), (0.14, 0.95, 0.14), 0.012, DARK), 4),
    ]
    return Drawn(
        parts, one, features=("a basket", kit.say(two, "stripes")) if striped else ("a basket",)
    )


@family("airship", "blimp", "zeppelin", "dirigible", kind="aircraft")
def airship(kit: Kit) -> Drawn:
    paint, trim = (
        kit.color("light grey", "silver", "red", "beige", "blue"),
        kit.color("brown", "dark grey", "red"),
    )
    body = sphere((0.6, 0.6, 1.6), paint, segments=12)
    fin = prism([(0.2, -0.4), (0.75, -0.35), (0.75, 0.0), (0.4, 0.4)], 0.06, trim).turn(x=90)
    parts = [
        body,
        box((0.34, 0.28, 0.8), trim, (0, -0.85, 0.1), bevel=0.06),
        box((0.36, 0.1, 0.6), GLASS, (0, -0.72, 0.1)),
        *(fin.move(0, 0, -1.2).turn(z=90 * k) for k in range(4)),
        *pair(rod_z(0.1, 0.3, DARK, (0.4, -0.6, -0.3))),
    ]
    return Drawn(parts, paint, features=("a gondola", "tail fins"))


@family("drone", "quadcopter", "flying drone", "camera drone", kind="aircraft")
def drone(kit: Kit) -> Drawn:
    paint = kit.color("black", "dark grey", "white", "red", "orange")
    arm = [
        bar((0, 0.12, 0), (0.6, 0.14, 0), 0.05, paint),
        cylinder(0.08, 0.14, DARK, (0.6, 0.1, 0)),
        cylinder(0.32, 0.015, (0.7, 0.72, 0.75), (0.6, 0.26, 0), segments=14),
    ]
    parts = [
        box((0.4, 0.16, 0.5), paint, (0, 0.05, 0), bevel=0.05),
        *(q for p in arm for q in around(p, 4, 45)),
        sphere(0.09, DARK, (0, 0.0, 0.22)),
        *pair(
            bar((0.15, 0.06, 0), (0.25, -0.15, 0), 0.02, DARK),
            rod_z(0.02, 0.5, DARK, (0.25, -0.15, 0)),
        ),
    ]
    return Drawn(parts, paint, material="plastic", features=("four rotors", "a camera"))


@family("anchor", "ship anchor", "boat anchor", kind="prop")
def anchor(kit: Kit) -> Drawn:
    iron, t = kit.color("dark grey", "grey", "black", "silver", "brown"), 0.07 * kit.chunk
    line = [
        (-0.6, 0.35, 0),
        (-0.5, 0.15, 0),
        (-0.25, 0.02, 0),
        (0, 0, 0),
        (0.25, 0.02, 0),
        (0.5, 0.15, 0),
        (0.6, 0.35, 0),
    ]
    parts = [
        cylinder(t, 1.3, iron),
        rod_x(0.8 * t, 0.8, iron, (0, 1.1, 0)),
        torus(0.13, 0.7 * t, iron).turn(x=90).move(0, 1.42, 0),
        sweep(line, t, iron),
        *pair(
            prism([(-0.14, 0), (0.14, 0), (0, 0.26)], 1.4 * t, iron).turn(z=-12).move(0.6, 0.28, 0),
            sphere(1.2 * t, iron, (0.4, 1.1, 0)),
        ),
    ]
    return Drawn(parts, iron, material="iron", features=("a ring", "two hooks"))


@family("ship's wheel", "ship wheel", "helm", "boat steering wheel", kind="prop")
def helm(kit: Kit) -> Drawn:
    wood, spokes = kit.wood(), kit.pick(6, 8)
    parts = [p.turn(y=90) for p in cartwheel(kit, 0.5, 0.08, wood, (0, 0, 0), spokes)]
    parts += [
        box((0.05, 0.25, 0.05), wood, (0, 0.48, 0)).turn(z=360 * k / spokes) for k in range(spokes)
    ]
    return Drawn(
        [*parts, rod_z(0.08, 0.2, kit.color("gold", "grey"))],
        wood,
        material="wooden",
        adjectives=("round",),
        features=(f"{'six' if spokes == 6 else 'eight'} handles",),
    )
