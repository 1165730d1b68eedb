"""Tools and hardware: hammers, spanners, screws, gears, pipes, and what lies in a toolbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    around,
    lain,
    pair,
    plate,
    rod_x,
    rod_z,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    capsule,
    cone,
    cylinder,
    lathe,
    prism,
    sweep,
    torus,
    tube,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit

__all__: list[str] = []

_KIND = "tool"
_GRIPS = ("red", "blue", "yellow", "green", "orange", "black")


@family("hammer", "hand hammer", kind=_KIND)
def hammer(kit: Kit) -> Drawn:
    steel, grip = kit.metal(), kit.color("brown", "light brown", *_GRIPS)
    if kit.chance(0.3):
        wood = kit.wood()
        parts = [
            cylinder(0.04 * kit.chunk, 0.9, kit.wood()),
            box((0.5, 0.26, 0.26), wood, (0, 0.85, 0), bevel=0.03),
        ]
        return Drawn(lain(kit, parts), wood, material="wooden", words=("mallet", "wooden hammer"))
    claw = sweep(
        [(-0.05, 0.95, 0.04), (-0.22, 0.96, 0.05), (-0.34, 0.86, 0.07)], [0.06, 0.045, 0.015], steel
    )
    parts = [
        cylinder(0.04 * kit.chunk, 0.9, grip, top=0.035),
        box((0.16, 0.14, 0.14), steel, (0, 0.88, 0)),
        rod_x(0.055, 0.18, steel, (0.14, 0.95, 0)),
        rod_x(0.085, 0.07, steel, (0.25, 0.95, 0)),
        claw,
        claw.scale(1, 1, -1),
    ]
    return Drawn(
        lain(kit, parts),
        None,
        features=(kit.say(grip, "handle"), "a claw", kit.say(steel, "head")),
        words=("hammer", "claw hammer", "carpenter's hammer"),
        paints={"handle": grip},
    )


@family("screwdriver", "screw driver", "hand tool", kind=_KIND)
def screwdriver(kit: Kit) -> Drawn:
    grip = kit.color(*_GRIPS)
    parts = [
        lathe(
            [(0.08, 0), (0.1, 0.08), (0.1, 0.3), (0.06, 0.4), (0.07, 0.45), (0, 0.45)],
            grip,
            segments=6,
        ),
        cylinder(0.03, 0.6, kit.metal(), (0, 0.44, 0)),
        box((0.1, 0.1, 0.02), kit.metal(), (0, 1.02, 0), taper=0.7),
    ]
    return Drawn(lain(kit, parts), grip, features=(kit.say(grip, "handle"), "a flat tip"))


@family("wrench", "spanner", "adjustable wrench", "combination wrench", kind=_KIND)
def wrench(kit: Kit) -> Drawn:
    steel = kit.color("silver", "grey", "dark grey", "light grey", "red")
    jaw = [
        (-0.09, -0.05),
        (0.09, -0.05),
        (0.2, 0.12),
        (0.18, 0.32),
        (0.08, 0.32),
        (0.08, 0.14),
        (-0.08, 0.14),
        (-0.08, 0.32),
        (-0.18, 0.32),
        (-0.2, 0.12),
    ]
    parts = [box((0.13 * kit.chunk, 0.9, 0.07), steel, (0, -0.9, 0)), prism(jaw, 0.1, steel)]
    double = kit.chance()
    parts += (
        [prism(jaw, 0.1, steel).turn(z=180).move(0, -0.9, 0)]
        if double
        else [tube(0.17, 0.09, 0.1, steel, (0, -0.05, 0), segments=12).turn(x=90).move(0, -0.95, 0)]
    )
    return Drawn(
        lain(kit, parts),
        steel,
        material="metal",
        features=("two open ends",) if double else ("a ring end", "an open jaw"),
    )


@family("pliers", "pincers", "tongs", "wire cutter", kind=_KIND)
def pliers(kit: Kit) -> Drawn:
    steel, grip, open_ = kit.metal(), kit.color(*_GRIPS), kit.between(4, 16)
    half = [
        sweep(
            [(0.0, 0.0, 0), (0.14, -0.25, 0), (0.14, -0.55, 0), (0.1, -0.8, 0)],
            0.045 * kit.chunk,
            grip,
        ),
        box((0.09, 0.36, 0.1), steel, (-0.045, 0, 0), taper=0.45),
    ]
    parts = [p.turn(z=open_) for p in half]
    return Drawn(
        lain(kit, [*pair(*parts), rod_z(0.09, 0.14, steel)]),
        grip,
        features=(kit.say(grip, "handles"), "jaws"),
    )


@family("saw", "hand saw", "wood saw", "carpenter's saw", kind=_KIND)
def saw(kit: Kit) -> Drawn:
    steel, grip, count = (
        kit.color("silver", "light grey", "grey"),
        kit.color("brown", "light brown", *_GRIPS),
        kit.count(10, 16),
    )
    teeth = [
        point for k in range(count) for point in ((k / count, 0.0), ((k + 0.5) / count, -0.06))
    ]
    blade = prism([*teeth, (1.0, 0.0), (1.0, 0.14), (0.0, 0.3)], 0.025, steel)
    handle = [
        prism(
            [
                (-0.3, -0.05),
                (0.05, -0.05),
                (0.08, 0.34),
                (-0.26, 0.32),
                (-0.2, 0.2),
                (-0.05, 0.22),
                (-0.06, 0.06),
                (-0.22, 0.06),
            ],
            0.08,
            grip,
        )
    ]
    return Drawn(lain(kit, [blade, *handle]), steel, features=("teeth", kit.say(grip, "handle")))


@family("drill", "power drill", "cordless drill", "electric drill", kind=_KIND)
def drill(kit: Kit) -> Drawn:
    paint = kit.color(*_GRIPS, "teal")
    parts = [
        rod_z(0.16, 0.6, paint, (0, 0.6, 0), segments=10),
        rod_z(0.1, 0.2, DARK, (0, 0.6, 0.38), top=0.06),
        rod_z(0.025, 0.4, (0.7, 0.7, 0.72), (0, 0.6, 0.65)),
        box((0.16, 0.5, 0.22), paint, (0, 0.05, -0.12)).turn(x=-6),
        box((0.26, 0.16, 0.38), DARK, (0, -0.08, -0.1), bevel=0.03),
        box((0.06, 0.12, 0.05), DARK, (0, 0.34, 0.03)),
    ]
    return Drawn(parts, paint, material="plastic", features=("a drill bit", "a battery"))


@family("shovel", "spade", "digging tool", kind=_KIND)
def shovel(kit: Kit) -> Drawn:
    steel, wood = kit.color("grey", "dark grey", "silver", "red"), kit.wood()
    blade = prism(
        [(-0.2, 0.42), (0.2, 0.42), (0.2, 0.12), (0.0, -0.05), (-0.2, 0.12)], 0.04, steel
    ).bend(20)
    parts = [
        blade,
        cylinder(0.035 * kit.chunk, 1.2, wood, (0, 0.35, 0)),
        rod_x(0.035, 0.28, wood, (0, 1.55, 0)),
    ]
    return Drawn(lain(kit, parts), steel, features=("a wooden handle", "a broad blade"))


@family("garden tool", "long-handled tool", kind=_KIND)
def rake(kit: Kit) -> Drawn:
    wood, steel, kind = (
        kit.wood(),
        kit.color("grey", "dark grey", "green", "red"),
        kit.pick("rake", "pitchfork", "hoe"),
    )
    parts = [cylinder(0.03 * kit.chunk, 1.5, wood, (0, 0.2, 0), segments=6)]
    if kind == "pitchfork":
        parts += [
            rod_x(0.03, 0.4, steel, (0, 0.25, 0)),
            *(
                cone(0.025, 0.45, steel).turn(x=180).move(x, 0.25, 0)
                for x in (-0.19, -0.065, 0.065, 0.19)
            ),
        ]
    elif kind == "hoe":
        parts += [box((0.3, 0.03, 0.25), steel, (0, 0.18, 0.1))]
    else:
        parts += [
            rod_x(0.03, 0.6, steel, (0, 0.2, 0)),
            *(
                box((0.025, 0.16, 0.025), steel, (x, 0.05, 0.03))
                for x in (-0.28, -0.19, -0.09, 0, 0.09, 0.19, 0.28)
            ),
        ]
    words = {
        "rake": ("rake", "garden rake"),
        "pitchfork": ("pitchfork", "hay fork"),
        "hoe": ("hoe", "garden hoe"),
    }
    return Drawn(
        lain(kit, parts),
        wood,
        adjectives=("long",),
        features=("a long wooden handle",),
        words=words[kind],
    )


@family("pickaxe", "pick", "mining pick", "miner's pickaxe", kind=_KIND)
def pickaxe(kit: Kit) -> Drawn:
    steel, wood = kit.color("grey", "dark grey", "silver", "gold", "light blue"), kit.wood()
    head = sweep(
        [(-0.5, 0.82, 0), (-0.25, 0.98, 0), (0, 1.02, 0), (0.25, 0.98, 0), (0.5, 0.82, 0)],
        [0.015, 0.06, 0.08, 0.06, 0.015],
        steel,
        segments=4,
    )
    return Drawn(
        lain(
            kit,
            [
                cylinder(0.045 * kit.chunk, 1.1, wood),
                head,
                box((0.14, 0.16, 0.14), steel, (0, 0.94, 0)),
            ],
        ),
        steel,
        features=("a wooden handle", "two points"),
    )


@family("scissors", "pair of scissors", "shears", kind=_KIND)
def scissors(kit: Kit) -> Drawn:
    grip, steel = kit.color(*_GRIPS), kit.color("silver", "light grey")
    half = [
        prism([(-0.05, 0), (0.05, 0), (0.04, 0.4), (0.0, 0.7)], 0.025, steel),
        bar((0, 0, 0), (0, -0.3, 0), 0.035, grip),
        torus(0.14, 0.035, grip).turn(x=90).move(0.05, -0.42, 0),
    ]
    spread = kit.between(8, 28)
    parts = [p.turn(z=-spread).move(0, 0, 0.015) for p in half] + [
        p.mirror().turn(z=spread).move(0, 0, -0.015) for p in half
    ]
    return Drawn(
        lain(kit, [*parts, rod_z(0.04, 0.08, DARK)]),
        grip,
        adjectives=("sharp",),
        features=("two blades", kit.say(grip, "handles")),
    )


@family("paint brush", "paintbrush", "brush", "painter's brush", kind=_KIND)
def paint_brush(kit: Kit) -> Drawn:
    wood, paint = kit.color("brown", "light brown", "red", "blue", "yellow"), kit.color()
    wide = kit.between(0.1, 0.34)
    parts = [
        box((0.09, 0.6, 0.06), wood, (0, -0.6, 0), taper=1.3),
        box((wide, 0.18, 0.1), (0.75, 0.75, 0.77)),
        box((wide, 0.22, 0.09), (0.85, 0.75, 0.55), (0, 0.18, 0)),
        box((0.95 * wide, 0.12, 0.085), paint, (0, 0.38, 0), taper=0.7),
    ]
    return Drawn(lain(kit, parts), wood, features=(kit.say(paint, "paint on it"), "bristles"))


@family("painting tool", kind=_KIND)
def paint_can(kit: Kit) -> Drawn:
    paint = kit.color()
    if kit.chance(0.4):
        parts = [
            rod_x(0.14, 0.6, paint, (0, 0.9, 0), segments=12),
            sweep(
                [(0.34, 0.9, 0), (0.42, 0.9, 0), (0.42, 0.6, 0), (0, 0.5, 0), (0, 0.3, 0)],
                0.02,
                (0.6, 0.6, 0.62),
            ),
            cylinder(0.05, 0.35, kit.color(*_GRIPS)),
        ]
        return Drawn(parts, paint, features=("a handle",), words=("paint roller", "roller"))
    parts = [
        cylinder(0.35, 0.75, kit.color("light grey", "white", "silver"), segments=14),
        cylinder(0.31, 0.02, paint, (0, 0.75, 0), segments=14),
        box((0.5, 0.3, 0.2), paint, (0, 0.2, 0.27)),
        sweep(
            [(-0.36, 0.7, 0), (-0.25, 1.0, 0), (0, 1.1, 0), (0.25, 1.0, 0), (0.36, 0.7, 0)],
            0.012,
            DARK,
        ),
        box((0.08, 0.4, 0.04), paint, (0.15, 0.36, 0.34)),
    ]
    return Drawn(
        parts,
        paint,
        features=(kit.say(paint, "paint"), "a wire handle"),
        words=("paint can", "bucket of paint", "can of paint"),
    )


@family("climbing ladder", "ladder", kind=_KIND)
def ladder(kit: Kit) -> Drawn:
    paint, rungs, folding = (
        kit.color("brown", "light brown", "silver", "yellow", "grey"),
        kit.count(4, 9),
        kit.chance(0.4),
    )
    high = 0.3 * rungs + 0.2
    side_ = [
        *pair(box((0.07 * kit.chunk, high, 0.07), paint, (0.28, 0, 0))),
        *(rod_x(0.03, 0.56, paint, (0, 0.25 + 0.3 * k, 0)) for k in range(rungs)),
    ]
    parts = side_
    if folding:
        parts = (
            [p.turn(x=-14).move(0, 0, 0.27 * high) for p in side_]
            + [p.turn(x=14).move(0, 0, -0.27 * high) for p in side_[:2]]
            + [box((0.6, 0.06, 0.2), paint, (0, 0.96 * high, 0))]
        )
    return Drawn(
        parts,
        paint,
        adjectives=("tall" if rungs > 6 else "short",),
        features=(f"{rungs} rungs",),
        words=("step ladder", "folding ladder", "ladder") if folding else ("ladder",),
    )


@family("toolbox", "tool box", "tool chest", "red toolbox", kind="container")
def toolbox(kit: Kit) -> Drawn:
    paint = kit.color("red", "blue", "grey", "yellow", "green", "orange")
    parts = [
        box((1.0, 0.4, 0.5), paint, bevel=0.03),
        prism([(-0.25, 0), (0.25, 0), (0.15, 0.16), (-0.15, 0.16)], 1.0, paint)
        .turn(y=90)
        .move(0, 0.4, 0),
        *pair(
            box((0.06, 0.2, 0.05), DARK, (0.2, 0.56, 0)),
            box((0.1, 0.12, 0.04), (0.8, 0.8, 0.82), (0.3, 0.32, 0.26)),
        ),
        box((0.46, 0.06, 0.07), DARK, (0, 0.74, 0)),
    ]
    return Drawn(parts, paint, material="metal", features=("a handle", "two latches"))


@family("flashlight", "torch light", "electric torch", "hand lamp", kind=_KIND)
def flashlight(kit: Kit) -> Drawn:
    paint = kit.color("black", "red", "yellow", "blue", "silver", "orange")
    parts = [
        rod_z(0.11, 0.8, paint, segments=10),
        rod_z(0.13, 0.25, paint, (0, 0, 0.5), top=0.22, segments=12),
        rod_z(0.19, 0.03, (0.98, 0.95, 0.75), (0, 0, 0.63), segments=12),
        box((0.06, 0.04, 0.14), DARK, (0, 0.1, 0.15)),
        rod_z(0.12, 0.1, DARK, (0, 0, -0.38), segments=10),
    ]
    lean = kit.pick(0, 0, -90)
    return Drawn([p.turn(x=lean) for p in parts], paint, features=("a lens", "a switch"))


@family("light bulb", "bulb", "lamp bulb", "electric bulb", kind="household thing")
def light_bulb(kit: Kit) -> Drawn:
    glow = kit.color("yellow", "white", "light blue", "orange")
    parts = [
        lathe(
            [(0.12, 0.28), (0.15, 0.42), (0.3, 0.65), (0.33, 0.85), (0.24, 1.05), (0, 1.15)],
            glow,
            segments=max(10, kit.segments),
        ),
        cylinder(0.14, 0.28, (0.7, 0.7, 0.73)),
        *(torus(0.14, 0.02, (0.6, 0.6, 0.63), around=4).move(0, y, 0) for y in (0.08, 0.15, 0.22)),
        cylinder(0.06, 0.06, DARK, (0, -0.05, 0)),
    ]
    return Drawn(parts, glow, material="glass", features=("a screw base",))


@family("battery", "aa battery", "battery cell", "power cell", kind="electronics")
def battery(kit: Kit) -> Drawn:
    paint, cap = (
        kit.color("black", "green", "blue", "red", "grey"),
        kit.color("gold", "bronze", "orange", "silver"),
    )
    parts = [
        cylinder(0.22, 0.7, paint, segments=14),
        cylinder(0.222, 0.25, cap, (0, 0.7, 0), segments=14),
        cylinder(0.08, 0.07, (0.8, 0.8, 0.82), (0, 0.95, 0)),
    ]
    return Drawn(
        [p.turn(z=90) for p in parts] if kit.chance(0.3) else parts,
        paint,
        features=(kit.say(cap, "top"), "a metal contact"),
    )


@family("battery pack", "power bank", "car battery", "accumulator", kind="electronics")
def battery_pack(kit: Kit) -> Drawn:
    paint, wide = (
        kit.color("black", "dark grey", "blue", "red", "green", "white"),
        kit.between(0.7, 1.1),
    )
    parts = [
        box((wide, 0.6, 0.5), paint, bevel=0.03),
        box((wide + 0.02, 0.12, 0.52), kit.color("grey", "red", "yellow"), (0, 0.5, 0)),
        cylinder(0.07, 0.12, (0.85, 0.2, 0.15), (0.3 * wide, 0.62, 0.1)),
        cylinder(0.07, 0.12, (0.2, 0.3, 0.8), (-0.3 * wide, 0.62, 0.1)),
        box((0.16, 0.04, 0.02), WHITE, (0.2 * wide, 0.25, 0.25)),
        box((0.04, 0.16, 0.02), WHITE, (0.2 * wide, 0.19, 0.25)),
    ]
    return Drawn(parts, paint, adjectives=("boxy",), features=("two terminals",))


@family("hourglass", "sand clock", "sand timer", "egg timer", kind="prop")
def hourglass(kit: Kit) -> Drawn:
    frame, sand = (
        kit.color("brown", "gold", "dark brown", "bronze"),
        kit.color("yellow", "beige", "orange"),
    )
    glass = lathe(
        [(0.28, 0), (0.3, 0.2), (0.06, 0.5), (0.3, 0.8), (0.28, 1.0)],
        (0.78, 0.88, 0.92),
        (0, 0.06, 0),
        segments=12,
    )
    parts = [
        glass,
        *(cylinder(0.4, 0.08, frame, (0, y, 0), segments=12) for y in (0, 1.04)),
        *around(cylinder(0.03, 1.0, frame, (0.34, 0.06, 0), segments=6), 3),
        cone(0.305, 0.3, sand, (0, 0.08, 0), segments=12),
        plate([(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)], 0.02, sand, (0, 0.75, 0)),
        capsule(0.012, 0.4, sand, (0, 0.2, 0)),
    ]
    return Drawn(parts, frame, material="glass", features=(kit.say(sand, "sand"), "a frame"))
