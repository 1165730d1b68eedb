"""Baths, toilets, showers, and small machines of a home."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.appliances import DARK, KIND, tap
from polyorama.shapes.procedural.families.storage import fronts
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    bar,
    box,
    capsule,
    circle,
    cylinder,
    group,
    lathe,
    prism,
    sphere,
    sweep,
    torus,
    tube,
)


@family("bathtub", "bath", "tub", "bath tub", kind="bathroom fixture")
def _bathtub(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "light blue", "pink", "beige", "teal")
    metal = kit.color("gold", "silver", "grey")
    segments = 16
    shell = lathe(
        [
            (0, 0),
            (0.3, 0),
            (0.37, 0.3),
            (0.42, 0.52),
            (0.38, 0.52),
            (0.33, 0.3),
            (0.25, 0.08),
            (0, 0.08),
        ],
        color,
        segments=segments,
    ).scale(2.0, 1, 1)
    parts = [shell.move(y=0.08), tap(kit, 0.2, 0.15).turn(y=-90).move(0.82, 0.58)]
    features = ["a tap"]
    if kit.chance(0.6):
        parts += [
            bar((x, 0, z), (x * 0.8, 0.16, z * 0.8), 0.03, metal, top=0.05)
            for x in (-0.5, 0.5)
            for z in (-0.25, 0.25)
        ]
        features.append(f"{kit.say(metal, 'feet')}")
    else:
        parts.append(box((1.2, 0.12, 0.5), color))
    if kit.chance(0.5):
        parts.append(
            cylinder(0.36, 0.02, (0.55, 0.8, 0.93), (0, 0.45, 0), segments=segments).scale(
                2.0, 1, 1
            )
        )
        features.append("water")
        if kit.chance(0.6):
            parts += [
                sphere(
                    kit.between(0.06, 0.12),
                    (0.97, 0.98, 1.0),
                    (kit.between(-0.5, 0.5), 0.48, kit.between(-0.2, 0.2)),
                    segments=6,
                )
                for _ in range(9)
            ]
            features.append("bubbles")
    return Drawn(parts, color, "", ("oval",), tuple(features))


@family("toilet", "lavatory", "wc", "toilet bowl", "loo", kind="bathroom fixture")
def _toilet(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "beige", "light blue", "pink")
    seat = color if kit.chance(0.6) else kit.other(color, "brown", "dark grey", "pink", "blue")
    metal = Paint((0.72, 0.75, 0.79))
    bowl = lathe(
        [(0, 0), (0.13, 0), (0.1, 0.16), (0.19, 0.38), (0.15, 0.38), (0.1, 0.24), (0, 0.2)],
        color,
        segments=max(10, kit.segments),
    ).scale(1, 1, 1.3)
    parts = [
        bowl.move(z=0.1),
        box((0.4, 0.34, 0.18), color, (0, 0.38, -0.24), bevel=0.02),
        box((0.43, 0.04, 0.21), color, (0, 0.72, -0.24), bevel=0.01),
        box((0.22, 0.38, 0.25), color, (0, 0, -0.18)),
        torus(0.16, 0.032, seat, segments=14).scale(1.05, 0.7, 1.35).move(0, 0.39, 0.1),
        bar((-0.15, 0.66, -0.14), (-0.08, 0.64, -0.13), 0.014, metal),
    ]
    lid = prism(circle(0.19, 14) * [1.0, 1.25], 0.03, seat)
    opened = kit.chance(0.6)
    parts.append(
        lid.turn(x=-8).move(0, 0.62, -0.12) if opened else lid.turn(x=-90).move(0, 0.43, 0.1)
    )
    return Drawn(
        parts,
        color,
        "ceramic",
        ("open" if opened else "closed",),
        ("a tank", "a lid", "a seat"),
        ("toilet",),
    )


@family("sink", "bathroom sink", "washbasin", "wash basin", kind="bathroom fixture")
def _sink(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "beige", "light blue", "pink", "light grey")
    basin = lathe(
        [(0, 0), (0.12, 0), (0.26, 0.14), (0.28, 0.2), (0.24, 0.2), (0.2, 0.12), (0, 0.06)],
        color,
        segments=max(10, kit.segments),
    ).scale(1.1, 1, 0.85)
    parts = [
        basin.move(y=0.68),
        box((0.5, 0.06, 0.12), color, (0, 0.82, -0.22), bevel=0.01),
        tap(kit, 0.18, 0.14).move(0, 0.88, -0.22),
        cylinder(0.025, 0.01, (0.5, 0.52, 0.55), (0, 0.74, 0), segments=8),
    ]
    if kit.chance(0.6):
        parts.append(
            lathe(
                [(0, 0), (0.15, 0), (0.09, 0.1), (0.09, 0.6), (0.14, 0.72), (0, 0.72)],
                color,
                segments=max(8, kit.segments),
            )
        )
        return Drawn(
            parts, color, "ceramic", ("round",), ("a pedestal", "a tap"), ("sink", "bathroom sink")
        )
    wood = kit.wood()
    parts += [
        box((0.7, 0.66, 0.45), wood, (0, 0, -0.03)),
        box((0.74, 0.04, 0.5), color, (0, 0.66, -0.03)),
        *fronts(
            kit, 0.66, 0.6, 0.03, 0.19, wood, columns=2, rows=1, knob=kit.color("gold", "silver")
        ),
    ]
    return Drawn(
        parts,
        None,
        "",
        (),
        ("a cabinet with two doors", "a tap"),
        ("sink", "bathroom sink", "bathroom vanity"),
        paints={"cabinet": wood, "basin": color},
    )


@family("shower", "shower cabin", "shower stall", kind="bathroom fixture")
def _shower(kit: Kit) -> Drawn:
    color, metal = kit.color("white", "light grey", "beige"), Paint((0.7, 0.73, 0.77))
    tile = kit.other(color, "light blue", "teal", "grey", "green")
    parts = [
        box((0.9, 0.12, 0.9), color, bevel=0.02),
        box((0.9, 2.0, 0.05), tile, (0, 0.12, -0.43)),
        box((0.05, 2.0, 0.86), tile, (-0.43, 0.12, 0)),
        bar((0, 1.0, -0.38), (0, 1.9, -0.38), 0.018, metal),
        bar((0, 1.9, -0.38), (0, 1.92, -0.1), 0.018, metal),
        cylinder(0.12, 0.04, metal, (0, 1.86, -0.1), top=0.05),
        box((0.16, 0.06, 0.06), metal, (0, 1.0, -0.38)),
        cylinder(0.04, 0.005, metal, (0, 0.12, 0), segments=8),
    ]
    features = ["a shower head", kit.say(tile, "tiles")]
    if kit.chance(0.5):
        cloth = kit.other(tile, "white", "yellow", "pink", "red")
        parts += [
            bar((0.42, 1.95, -0.42), (0.42, 1.95, 0.42), 0.012, metal),
            *[
                box((0.03 + 0.03 * (i % 2), 1.7, 0.06), cloth, (0.42, 0.22, -0.38 + 0.055 * i))
                for i in range(7)
            ],
        ]
        features.append(f"a {kit.say(cloth, 'curtain')}")
    return Drawn(parts, tile, "", (), tuple(features), ("shower",), paints={"tiles": tile})


@family("toilet paper", "toilet roll", "roll of toilet paper")
def _toilet_paper(kit: Kit) -> Drawn:
    paper = kit.color("white", "white", "beige", "pink")
    parts = [
        tube(0.055, 0.022, 0.1, paper, segments=max(12, kit.segments)),
        tube(0.023, 0.019, 0.101, (0.68, 0.52, 0.36), segments=12),
        box((0.003, 0.1, 0.07), paper, (0.053, 0, 0.035)),
    ]
    body = group(parts).turn(z=kit.pick(0.0, 90.0))
    return Drawn([body], paper, "paper", ("soft", "round"))


@family("toothbrush", "tooth brush")
def _toothbrush(kit: Kit) -> Drawn:
    color = kit.color()
    brush = group(
        [
            capsule(0.006 * kit.chunk, 0.17, color, segments=8),
            box((0.011, 0.028, 0.012), (0.95, 0.96, 0.98), (0, 0.138, 0.006)),
        ]
    )
    if kit.chance(0.4):
        cup = kit.other(color, "white", "light blue", "yellow")
        return Drawn(
            [
                brush.turn(z=-12).move(-0.01, 0.01),
                lathe(
                    [(0, 0), (0.03, 0), (0.036, 0.09), (0.032, 0.09), (0.027, 0.006), (0, 0.006)],
                    cup,
                ),
            ],
            cup,
            "",
            (),
            ("a cup", "a toothbrush"),
            ("toothbrush in a cup",),
        )
    return Drawn(
        [brush.turn(x=kit.pick(0.0, -80.0))],
        color,
        "plastic",
        ("thin",),
        ("white bristles" if kit.look != "clay" else "bristles",),
    )


@family("fan", "electric fan", "table fan", "ventilator", kind=KIND)
def _fan(kit: Kit) -> Drawn:
    color = kit.color("white", "black", "grey", "light blue", "green")
    blade = kit.other(color, "light blue", "grey", "red", "green", "yellow")
    parts = [
        cylinder(0.13, 0.03, color),
        cylinder(0.02, 0.3, color, segments=6),
        sphere(0.05, color, (0, 0.34, -0.03)),
        sphere(0.03, color, (0, 0.34, 0.07)),
    ]
    parts += [
        torus(r, 0.006, color, segments=18, around=4).turn(x=90).move(0, 0.34, z)
        for r, z in ((0.19, 0.03), (0.12, 0.07), (0.19, 0.0))
    ]
    parts += [
        bar(
            (0, 0.34, 0.08),
            (0.19 * np.cos(a), 0.34 + 0.19 * np.sin(a), 0.03),
            0.004,
            color,
            segments=4,
        )
        for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ]
    parts += [
        prism([(0, 0), (0.06, 0.05), (0.07, 0.16), (-0.01, 0.16)], 0.008, blade)
        .turn(y=15)
        .turn(z=120 * i)
        .move(0, 0.34, 0.03)
        for i in range(3)
    ]
    return Drawn(
        parts,
        None,
        "",
        ("round",),
        ("three blades", "a cage"),
        paints={"cage": color, "blades": blade},
    )


@family("ceiling fan", "fan with blades", "hanging fan", kind=KIND)
def _ceiling_fan(kit: Kit) -> Drawn:
    wood, metal = (
        kit.wood() if kit.chance(0.6) else kit.color("white", "black"),
        kit.color("gold", "black", "silver", "white"),
    )
    count = kit.count(3, 5)
    parts = [
        cylinder(0.02, 0.3, metal, (0, 0.06, 0), segments=6),
        cylinder(0.08, 0.03, metal, (0, 0.36, 0)),
        cylinder(0.11, 0.1, metal, (0, -0.02, 0), bevel=0.02),
        sphere((0.09, 0.07, 0.09), (1.0, 0.96, 0.82), (0, -0.04, 0), high=0.6),
    ]
    parts += [
        group(
            [
                box((0.5, 0.012, 0.13), wood, (0.4, 0, 0)).turn(x=12),
                box((0.12, 0.02, 0.03), metal, (0.13, 0, 0)),
            ]
        )
        .turn(y=360 * i / count)
        .move(y=0.03)
        for i in range(count)
    ]
    return Drawn(
        parts, wood, "", ("hanging",), (f"{('three', 'four', 'five')[count - 3]} blades", "a light")
    )


@family("radiator", "heater", "heating radiator", kind=KIND)
def _radiator(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "grey", "black", "red", "beige")
    count = kit.count(6, 12)
    parts = [
        box((0.06, 0.55, 0.12), color, ((i - (count - 1) / 2) * 0.09, 0.08, 0), bevel=0.018)
        for i in range(count)
    ]
    parts += [
        bar((-count * 0.045, y, 0), (count * 0.045, y, 0), 0.025, color) for y in (0.14, 0.56)
    ]
    parts += [box((0.05, 0.1, 0.1), color, (s * (count - 1) * 0.04, 0, 0)) for s in (-1, 1)]
    parts += [cylinder(0.025, 0.06, DARK, segments=8).turn(z=-90).move(count * 0.045, 0.56)]
    return Drawn(parts, color, "metal", (), ("ribs", "a valve"))


@family("iron", "clothes iron", "steam iron", kind=KIND)
def _iron(kit: Kit) -> Drawn:
    color, plate = kit.color(), Paint((0.75, 0.77, 0.8))
    outline = [(-0.06, -0.1), (0.06, -0.1), (0.055, 0.03), (0, 0.15), (-0.055, 0.03)]
    parts = [
        prism(outline, 0.015, plate).turn(x=90).move(y=0.008),
        prism(np.array(outline) * 0.95, 0.05, color, bevel=0.012).turn(x=90).move(y=0.04),
        sweep(
            [(0, 0.06, 0.08), (0, 0.12, 0.06), (0, 0.13, -0.05), (0, 0.06, -0.08)],
            0.014 * kit.chunk,
            color,
            segments=8,
        ),
    ]
    return Drawn(
        parts,
        color,
        "",
        (),
        ("a handle", "a metal plate" if kit.look != "clay" else "a flat plate"),
    )


@family("gas bottle", "gas cylinder", "propane tank", "gas tank")
def _gas(kit: Kit) -> Drawn:
    color, metal = (
        kit.color("red", "blue", "grey", "orange", "green", "white"),
        Paint((0.45, 0.47, 0.5)),
    )
    parts = [
        capsule(0.16, kit.between(0.45, 0.7), color, (0, 0.04, 0), segments=max(10, kit.segments)),
        tube(0.13, 0.11, 0.07, color, segments=12),
    ]
    top = float(parts[0].vertices[:, 1].max())
    parts += [
        cylinder(0.03, 0.06, metal, (0, top - 0.01, 0), segments=8),
        torus(0.1, 0.014, color, (0, top + 0.06, 0)),
        *[bar((s * 0.1, top - 0.05, 0), (s * 0.1, top + 0.06, 0), 0.014, color) for s in (-1, 1)],
    ]
    return Drawn(parts, color, "metal", (), ("a valve", "a collar"))
