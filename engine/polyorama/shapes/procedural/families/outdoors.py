"""Fittings of parks, roofs and yards."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.street import LINE, STREET
from polyorama.shapes.procedural.families.tableware import vessel
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    blob,
    box,
    capsule,
    circle,
    cylinder,
    group,
    lathe,
    pillow,
    prism,
    rounded,
    sphere,
    star,
    sweep,
    torus,
    tube,
)


@family("bus stop", "bus shelter", "bus station", kind=STREET)
def _bus_stop(kit: Kit) -> Drawn:
    color = kit.color("blue", "grey", "red", "green", "dark grey", "yellow")
    wood, glass = kit.wood(), Paint((0.7, 0.86, 0.93))
    parts = [
        box((2.4, 0.1, 1.2), color, (0, 2.2, 0), bevel=0.02),
        box((2.2, 1.6, 0.04), glass, (0, 0.4, -0.5)),
        box((2.4, 0.06, 1.3), (0.75, 0.75, 0.74)),
        box((1.5, 0.08, 0.4), wood, (0, 0.45, -0.25)),
    ]
    parts += [
        box((0.08, 2.2, 0.08), color, (x, 0, z)) for x in (-1.12, 1.12) for z in (-0.5, 0.45)
    ] + [box((0.06, 0.45, 0.3), color, (x, 0, -0.25)) for x in (-0.6, 0.6)]
    parts += [
        box((0.04, 1.6, 0.6), glass, (-1.12, 0.4, -0.18)),
        cylinder(0.03, 2.7, color, (1.5, 0, 0.4), segments=6),
        prism(circle(0.22, 14), 0.04, kit.other(color, "yellow", "white", "red"), (1.5, 2.7, 0.4)),
    ]
    return Drawn(
        parts, None, "", (), ("a bench", "a roof", "a sign", "glass walls"), paints={"frame": color}
    )


@family("ladder", "step ladder", "stepladder")
def _ladder(kit: Kit) -> Drawn:
    color = (
        kit.wood() if kit.chance(0.5) else kit.color("silver", "grey", "yellow", "red", "orange")
    )
    height, count = kit.between(1.6, 2.6), kit.count(6, 9)

    def side(rungs: bool) -> list[Part]:
        parts = [box((0.05 * kit.chunk, height, 0.05), color, (s * 0.22, 0, 0)) for s in (-1, 1)]
        return parts + (
            [
                bar(
                    (-0.22, height * (i + 0.5) / count, 0),
                    (0.22, height * (i + 0.5) / count, 0),
                    0.02 * kit.chunk,
                    color,
                )
                for i in range(count)
            ]
            if rungs
            else []
        )

    step = kit.chance(0.5)
    front = group(side(True)).turn(x=-14 if step else kit.pick(0.0, -15.0))
    if step:
        half = height * 0.242
        parts = [
            front.move(z=half),
            group(side(False)).turn(x=14).move(z=-half),
            box((0.48, 0.04, 0.2), color, (0, height * 0.965, 0)),
        ]
        return Drawn(
            parts,
            color,
            "",
            ("tall",),
            (f"{('six', 'seven', 'eight', 'nine')[count - 6]} rungs",),
            ("step ladder", "ladder"),
        )
    return Drawn(
        [front],
        color,
        "",
        ("tall",),
        (f"{('six', 'seven', 'eight', 'nine')[count - 6]} rungs",),
        ("ladder",),
    )


@family("air conditioner", "ac unit", "air conditioning unit", "rooftop unit", kind="machine")
def _aircon(kit: Kit) -> Drawn:
    color, dark = kit.color("white", "light grey", "beige", "grey"), Paint((0.18, 0.19, 0.21))
    parts = [
        box((0.9, 0.65, 0.35), color, (0, 0.05, 0), bevel=0.015),
        prism(circle(0.25, 16), 0.02, dark, (-0.13, 0.38, 0.18)),
        *[box((0.08, 0.05, 0.4), dark, (s * 0.32, 0, 0)) for s in (-1, 1)],
    ]
    parts += [
        torus(r, 0.008, color, segments=16, around=4).turn(x=90).move(-0.13, 0.38, 0.195)
        for r in (0.08, 0.16, 0.24)
    ] + [
        prism([(-0.03, 0), (0.03, 0), (0.06, 0.2), (-0.04, 0.2)], 0.01, (0.5, 0.52, 0.55))
        .turn(z=72 * i)
        .move(-0.13, 0.38, 0.187)
        for i in range(5)
    ]
    parts += [box((0.2, 0.015, 0.01), dark, (0.3, 0.2 + 0.05 * i, 0.175)) for i in range(8)]
    return Drawn(parts, color, "", (), ("a fan", "slots"))


@family("satellite dish", "dish antenna", "tv antenna", "parabolic antenna")
def _dish(kit: Kit) -> Drawn:
    color, metal = kit.color("white", "light grey", "grey", "red"), kit.color("grey", "dark grey")
    dish = lathe(
        [
            (0, 0),
            (0.2, 0.03),
            (0.36, 0.1),
            (0.45, 0.17),
            (0.44, 0.19),
            (0.34, 0.12),
            (0.19, 0.05),
            (0, 0.025),
        ],
        color,
        segments=16,
    )
    arm = [
        bar((0, 0.02, 0.38), (0, 0.38, 0.02), 0.015, metal),
        cylinder(0.04, 0.1, metal, (0, 0.33, 0), segments=8),
    ]
    parts = [
        group([dish, *arm]).turn(x=62).move(0, 0.75, 0.1),
        cylinder(0.035 * kit.chunk, 0.75, metal, segments=8),
        box((0.35, 0.05, 0.35), metal),
    ]
    return Drawn(parts, color, "metal", ("round",), ("a pole", "an arm"))


@family("solar panel", "photovoltaic panel", "solar panels", "solar cell")
def _solar(kit: Kit) -> Drawn:
    cell, frame = (
        kit.color("dark blue", "blue", "black"),
        kit.color("silver", "light grey", "white"),
    )
    columns, rows = kit.count(3, 6), kit.count(2, 4)
    panel = [box((0.3 * columns + 0.06, 0.04, 0.3 * rows + 0.06), frame)]
    panel += [
        box(
            (0.27, 0.01, 0.27),
            cell,
            ((i - (columns - 1) / 2) * 0.3, 0.04, (j - (rows - 1) / 2) * 0.3),
        )
        for i in range(columns)
        for j in range(rows)
    ]
    tilt = kit.between(25, 45)
    parts = [
        group(panel).turn(x=tilt).move(y=0.55),
        *[
            bar((x * columns * 0.1, 0, -0.1), (x * columns * 0.1, 0.55, 0), 0.03, frame)
            for x in (-1, 1)
        ],
        box((0.3 * columns, 0.04, 0.4), frame),
    ]
    return Drawn(
        parts, cell, "", ("tilted",), ("a grid of cells", "a stand"), paints={"cells": cell}
    )


@family("fountain", "water fountain", "stone fountain", "park fountain")
def _fountain(kit: Kit) -> Drawn:
    stone, water = kit.color("grey", "light grey", "beige", "white"), Paint((0.45, 0.75, 0.92))
    segments = max(10, kit.segments)
    parts = [
        lathe(vessel(1.1, 1.0, 0.4, 0.16), stone, segments=segments * 2),
        cylinder(0.96, 0.04, water, (0, 0.26, 0), segments=segments * 2),
        cylinder(0.16, 0.9, stone, top=0.1, segments=segments),
        lathe(
            [(0, 0.85), (0.15, 0.87), (0.5, 1.05), (0.44, 1.08), (0.12, 0.95), (0, 0.95)],
            stone,
            segments=segments,
        ),
        cylinder(0.38, 0.03, water, (0, 1.02, 0), segments=segments),
    ]
    features = ["water", "a round basin"]
    if kit.chance(0.6):
        parts += [
            cylinder(0.08, 0.4, stone, (0, 1.0, 0), segments=8),
            sphere(0.1, stone, (0, 1.45, 0), segments=8),
        ]
    parts += [
        sweep(
            [
                (0.08 * np.cos(a), 1.3, 0.08 * np.sin(a)),
                (0.3 * np.cos(a), 1.5, 0.3 * np.sin(a)),
                (0.55 * np.cos(a), 1.1, 0.55 * np.sin(a)),
                (0.68 * np.cos(a), 0.3, 0.68 * np.sin(a)),
            ],
            0.025,
            water,
            segments=5,
        )
        for a in np.linspace(0, 6.28, 7)[:-1]
    ]
    return Drawn(parts, stone, "stone", ("round",), tuple(features))


@family("newspaper stand", "newspaper box", "news rack", kind=STREET)
def _news(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "yellow", "green", "orange", "black")
    parts = [
        box((0.5, 0.65, 0.42), color, (0, 0.4, 0), bevel=0.015),
        box((0.4, 0.34, 0.02), (0.75, 0.87, 0.93), (0, 0.6, 0.205)),
        box((0.3, 0.24, 0.025), LINE, (0, 0.63, 0.206)),
        box((0.2, 0.03, 0.03), (0.75, 0.77, 0.8), (0, 0.52, 0.21)),
        *[box((0.06, 0.4, 0.06), color, (x, 0, z)) for x in (-0.2, 0.2) for z in (-0.16, 0.16)],
    ]
    parts += [
        box((0.22, 0.015, 0.03), (0.3, 0.3, 0.32), (0, 0.7 + 0.04 * i, 0.207)) for i in range(3)
    ]
    return Drawn(parts, color, "metal", (), ("a newspaper", "a window", "four legs"))


@family("planter", "flower box", "street planter", "flower bed", "plant box")
def _planter(kit: Kit) -> Drawn:
    wood = kit.color("brown", "light brown", "grey", "light grey", "white", "red")
    bloom, width = (
        kit.color("red", "pink", "yellow", "purple", "white", "orange"),
        kit.between(0.7, 1.2),
    )
    parts = [
        box((width, 0.3, 0.32), wood, taper=1.06),
        box((width * 1.08, 0.05, 0.38), wood, (0, 0.28, 0)),
        box((width * 0.96, 0.04, 0.28), (0.28, 0.19, 0.13), (0, 0.3, 0)),
    ]
    count = int(width / 0.13)
    for i in range(count):
        x = (i - (count - 1) / 2) * 0.13
        parts += [
            blob((0.09, 0.1, 0.1), (0.3, 0.58, 0.26), kit.rng, (x, 0.38, 0), detail=0),
            sphere(0.045, bloom, (x, 0.5, kit.between(-0.06, 0.06)), segments=6),
            sphere(0.04, bloom, (x + 0.05, 0.44, 0.09), segments=6),
        ]
    return Drawn(
        parts,
        None,
        "",
        ("long",),
        (kit.say(bloom, "flowers"),),
        paints={"box": wood, "flowers": bloom},
    )


@family("pipe", "drain pipe", "sewer pipe", "pipes", "tube")
def _pipe(kit: Kit) -> Drawn:
    color = kit.color("grey", "light grey", "green", "orange", "brown", "blue", "silver")
    segments = max(10, kit.segments)
    style = kit.pick("straight", "stack", "bend")
    one = group(
        [
            tube(0.2, 0.16, 1.2, color, segments=segments),
            tube(0.24, 0.16, 0.14, color, segments=segments),
            tube(0.24, 0.16, 0.14, color, (0, 1.06, 0), segments=segments),
        ]
    )
    if style == "straight":
        return Drawn(
            [one.turn(x=kit.pick(0.0, 90.0)).turn(y=kit.pick(0.0, 60.0))],
            color,
            "",
            ("straight", "hollow"),
            ("flanges",),
            ("pipe",),
        )
    if style == "stack":
        lying = one.turn(z=90).turn(y=30)
        return Drawn(
            [lying.move(0, y, z) for y, z in ((0, -0.25), (0, 0.25), (0.42, 0.0))],
            color,
            "",
            ("stacked",),
            (),
            ("three pipes", "stack of pipes", "pipes"),
        )
    path = [(0, 0, 0), (0, 0.5, 0), (0.1, 0.74, 0), (0.35, 0.85, 0), (0.85, 0.85, 0)]
    return Drawn(
        [
            sweep(path, 0.17, color, segments=segments),
            cylinder(0.23, 0.12, color, segments=segments),
            cylinder(0.23, 0.12, color, segments=segments).turn(z=-90).move(0.75, 0.85),
            capsule(0.05, 0.1, color, segments=6).move(0.1, 0.86),
        ],
        color,
        "",
        ("bent",),
        ("flanges",),
        ("pipe elbow", "bent pipe", "pipe"),
    )


@family("sandbag", "sand bags", "pile of sandbags")
def _sandbags(kit: Kit) -> Drawn:
    color = kit.color("beige", "light brown", "brown")
    rows = kit.count(1, 3)
    parts = [
        pillow(
            (0.5, 0.17, 0.28),
            color,
            ((i - (3 - row) / 2) * 0.46, 0.14 * row, kit.between(-0.02, 0.02)),
            square=0.55,
            segments=10,
        )
        for row in range(rows)
        for i in range(4 - row)
    ]
    return Drawn(
        parts,
        color,
        "",
        ("heavy",),
        (),
        ("sandbags", "wall of sandbags") if rows > 1 else ("sandbags", "row of sandbags"),
    )


@family("park swing", "swing", "swing set", "playground swing")
def _swing(kit: Kit) -> Drawn:
    frame, seat = (
        kit.color("red", "blue", "green", "yellow", "brown", "grey"),
        kit.color("brown", "black", "red", "yellow"),
    )
    parts = [bar((-1.2, 2.0, 0), (1.2, 2.0, 0), 0.05 * kit.chunk, frame)]
    parts += [
        bar((s * 1.2, 2.0, 0), (s * 1.3, 0, z), 0.05 * kit.chunk, frame)
        for s in (-1, 1)
        for z in (-0.7, 0.7)
    ]
    places = (-0.55, 0.55) if kit.chance(0.6) else (0.0,)
    for x in places:
        sway = kit.between(-15, 15)
        swing = [
            *[
                bar((d, 0, 0), (d, -1.5, 0), 0.012, (0.45, 0.46, 0.48), segments=4)
                for d in (-0.2, 0.2)
            ],
            box((0.46, 0.05, 0.2), seat, (0, -1.53, 0)),
        ]
        parts.append(group(swing).turn(x=sway).move(x, 2.0, 0))
    return Drawn(
        parts,
        None,
        "",
        (),
        ("two seats" if len(places) == 2 else "a seat", f"a {kit.say(frame, 'frame')}"),
        ("swing set", "swing"),
        paints={"frame": frame},
    )


@family("playground slide", "slide", "children's slide", "kids slide")
def _slide(kit: Kit) -> Drawn:
    chute, frame = kit.color(), kit.color("yellow", "red", "blue", "grey")
    outline = [
        (0, 1.4),
        (0.3, 1.4),
        (1.7, 0.25),
        (2.2, 0.18),
        (2.2, 0.24),
        (1.72, 0.32),
        (0.32, 1.47),
        (0, 1.47),
    ]
    parts = [
        prism(outline, 0.55, chute),
        *[
            prism(
                [(x, y + 0.14 * (k > 3)) for k, (x, y) in enumerate(outline)],
                0.05,
                chute,
                (0, 0, z),
            )
            for z in (-0.28, 0.28)
        ],
    ]
    parts += [
        bar((-0.05, 1.9, z), (-0.6, 0, z), 0.035 * kit.chunk, frame) for z in (-0.26, 0.26)
    ] + [bar((0.25, 1.42, z), (0.3, 0, z), 0.035 * kit.chunk, frame) for z in (-0.24, 0.24)]
    parts += [
        bar((-0.6 + 0.4 * t, 1.4 * t, -0.26), (-0.6 + 0.4 * t, 1.4 * t, 0.26), 0.025, frame)
        for t in (0.2, 0.4, 0.6, 0.8, 1.0)
    ]
    return Drawn(parts, chute, "", (), ("a ladder", "a chute"), paints={"chute": chute})


@family("shop sign", "hanging sign", "tavern sign", "sign")
def _shop_sign(kit: Kit) -> Drawn:
    metal, board = (
        kit.color("black", "dark grey", "brown"),
        kit.color("brown", "red", "green", "blue", "light brown", "white"),
    )
    mark = kit.other(board, "yellow", "white", "gold", "black")
    parts = [
        bar((-0.5, 0.75, 0), (0.45, 0.75, 0), 0.03 * kit.chunk, metal),
        bar((-0.5, 0.35, 0), (-0.05, 0.75, 0), 0.02, metal),
        box((0.06, 0.6, 0.2), metal, (-0.52, 0.28, 0)),
        *[bar((x, 0.6, 0), (x, 0.75, 0), 0.01, metal) for x in (-0.12, 0.32)],
    ]
    plate = rounded(0.62, 0.46, 0.1) if kit.chance() else circle(0.3, 14)
    parts.append(prism(plate, 0.05, board, (0.1, 0.36, 0), bevel=0.01))
    icon = kit.pick(
        star(5, 0.16, 0.07),
        circle(0.13, 12),
        np.array([(-0.1, -0.12), (0.1, -0.12), (0.13, 0.1), (-0.13, 0.1)]),
    )
    parts.append(prism(icon, 0.07, mark, (0.1, 0.36, 0)))
    return Drawn(
        parts,
        board,
        "",
        ("hanging",),
        (f"a {kit.say(mark, 'symbol')}", "a metal arm" if kit.look != "clay" else "an arm"),
        ("shop sign", "hanging sign", "sign"),
        paints={"board": board},
    )
