"""What stands along streets: lights, signs, roads, boxes, fences and walls."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.kitchen import vessel
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    arc,
    bar,
    blob,
    box,
    capsule,
    circle,
    cone,
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

_STREET = "street furniture"
_ASPHALT = Paint((0.27, 0.28, 0.3))
_LINE = Paint((0.95, 0.94, 0.9))
_GLOW = Paint((1.0, 0.94, 0.68))


@family("street lamp", "street light", "lamp post", "lamppost", "streetlight", kind=_STREET)
def _street_lamp(kit: Kit) -> Drawn:
    metal = kit.color("dark grey", "black", "grey", "dark green", "silver")
    height, thick = kit.between(2.6, 3.6), 0.06 * kit.chunk
    parts = [
        cylinder(thick * 2.4, 0.2, metal, segments=8, top=thick * 1.6),
        cylinder(thick, height, metal, top=thick * 0.75, segments=8),
    ]
    style = kit.pick("curved", "lantern", "double", "straight")
    if style == "lantern":
        head = [
            cylinder(0.09, 0.04, metal, segments=6),
            cylinder(0.11, 0.28, _GLOW, (0, 0.04, 0), top=0.16, segments=6),
            cone(0.22, 0.16, metal, (0, 0.32, 0), segments=6),
            sphere(0.03, metal, (0, 0.5, 0), segments=6),
        ]
        parts += [p.move(y=height) for p in head]
        features, words = ["a lantern on top"], ("street lamp", "lamp post", "old street lamp")
    else:
        sides = (-1, 1) if style == "double" else (1,)
        for s in sides:
            if style == "straight":
                parts += [
                    bar(
                        (0, height - 0.05, 0),
                        (s * 0.7, height + 0.1, 0),
                        thick * 0.7,
                        metal,
                        segments=6,
                    )
                ]
            else:
                parts.append(
                    sweep(
                        [
                            (0, height - 0.05, 0),
                            (s * 0.12, height + 0.25, 0),
                            (s * 0.4, height + 0.36, 0),
                            (s * 0.7, height + 0.3, 0),
                        ],
                        thick * 0.7,
                        metal,
                    )
                )
            parts += [
                box((0.42, 0.09, 0.18), metal, (s * 0.85, height + 0.17, 0), taper=0.75),
                box((0.34, 0.03, 0.13), _GLOW, (s * 0.85, height + 0.145, 0)),
            ]
        features, words = (
            [
                "two arms"
                if style == "double"
                else "a curved arm"
                if style == "curved"
                else "an arm"
            ],
            ("street light", "street lamp", "lamp post"),
        )
    return Drawn(parts, metal, "metal", ("tall",), tuple(features), words)


@family(
    "traffic light", "traffic lights", "stop light", "traffic signal", "stoplight", kind=_STREET
)
def _traffic_light(kit: Kit) -> Drawn:
    case, pole = (
        kit.color("black", "dark grey", "yellow", "dark green"),
        kit.color("grey", "dark grey", "black"),
    )
    lamps = ((0.9, 0.16, 0.14), (0.98, 0.78, 0.15), (0.2, 0.75, 0.32))
    lit = kit.count(-1, 2)
    head = [box((0.3, 0.84, 0.2), case, bevel=0.02)]
    for i, lamp in enumerate(lamps):
        share = 1.0 if lit in (-1, i) else 0.5
        y = 0.68 - 0.26 * i
        head += [
            prism(circle(0.095, 12), 0.03, tuple(share * c for c in lamp), (0, y, 0.1)),
            sphere((0.11, 0.11, 0.09), case, (0, y + 0.02, 0.1), low=0.72, segments=8),
        ]
    if kit.chance(0.3):
        return Drawn(
            head,
            case,
            "",
            ("small",),
            ("three lights", "red, yellow and green lights"),
            paints={"case": case},
        )
    height = kit.between(2.0, 2.8)
    parts = [
        cylinder(0.06 * kit.chunk, height, pole, segments=8),
        cylinder(0.16, 0.12, pole, segments=8),
    ]
    if kit.chance(0.4):
        reach = kit.between(0.9, 1.5)
        parts += [
            bar((0, height - 0.1, 0), (reach, height - 0.1, 0), 0.05, pole),
            *[p.move(reach - 0.1, height - 0.85, 0.1) for p in head],
            *[p.scale(0.8).move(0, height * 0.55, 0.1) for p in head],
        ]
        features = ["an arm over the street"]
    else:
        parts += [p.move(0, height - 0.4, 0.08) for p in head]
        features = ["a pole"]
    return Drawn(
        parts,
        None,
        "",
        ("tall",),
        (*features, "three lights", "red, yellow and green lights"),
        paints={"case": case},
    )


@family("fire hydrant", "hydrant", "street hydrant", kind=_STREET)
def _hydrant(kit: Kit) -> Drawn:
    color = kit.color("red", "red", "yellow", "orange", "blue", "green")
    cap = color if kit.chance(0.5) else kit.other(color, "white", "silver", "yellow", "grey")
    segments = max(8, kit.segments)
    parts = [
        cylinder(0.2, 0.07, color, segments=segments),
        cylinder(0.14, 0.5, color, (0, 0.05, 0), segments=segments),
        cylinder(0.18, 0.05, color, (0, 0.5, 0), segments=segments),
        sphere((0.15, 0.14, 0.15), cap, (0, 0.55, 0), low=0.5, segments=segments),
        cylinder(0.035, 0.06, cap, (0, 0.67, 0), segments=6),
    ]
    for turn in (90, -90, 0):
        size = 0.08 if turn == 0 else 0.06
        arm = [
            cylinder(size, 0.09, color, segments=8),
            cylinder(size * 1.2, 0.04, cap, (0, 0.07, 0), segments=8),
            cylinder(0.022, 0.03, cap, (0, 0.11, 0), segments=5),
        ]
        parts.append(group(arm).turn(x=90).move(z=0.12).turn(y=turn).move(y=0.36))
    return Drawn(
        parts,
        color,
        "metal",
        (),
        ("a round top", "three nozzles"),
        paints={"cap": cap} if cap is not color else {},
    )


@family("mailbox", "letter box", "post box", "postbox", "letterbox", kind=_STREET)
def _mailbox(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "grey", "green", "white", "yellow", "black")
    flag = kit.other(color, "red", "yellow", "white")
    half = np.array([*arc(0.11, 0, 180, 8, (0, 0.12)), (-0.11, 0), (0.11, 0)])
    if kit.chance(0.6):
        wood = kit.wood()
        parts = [
            prism(half, 0.42, color, (0, 1.0, 0), bevel=0.008),
            box((0.09 * kit.chunk, 1.0, 0.09 * kit.chunk), wood),
            prism(half * 0.88, 0.44, color, (0, 1.012, 0)),
            box((0.02, 0.16, 0.03), flag, (0.12, 1.1, 0.02)),
            box((0.02, 0.07, 0.1), flag, (0.12, 1.2, -0.01)),
            box((0.05, 0.02, 0.03), flag, (0, 1.2, 0.22)),
        ]
        features = [
            f"a {kit.say(flag, 'flag')}",
            "a wooden post" if kit.look != "clay" else "a post",
        ]
    else:
        parts = [
            prism(half * 2.0, 0.4, color, (0, 0.45, 0), bevel=0.012),
            box((0.44, 0.35, 0.4), color, (0, 0.12, 0)),
            box((0.3, 0.04, 0.02), (0.1, 0.1, 0.11), (0, 0.78, 0.2)),
            box((0.26, 0.14, 0.02), flag, (0, 0.55, 0.2)),
        ]
        parts += [
            box((0.06, 0.14, 0.06), color, (x, 0, z)) for x in (-0.17, 0.17) for z in (-0.14, 0.14)
        ]
        features = ["a slot", "four feet"]
    return Drawn(parts, color, "metal", (), tuple(features))


@family("dumpster", "trash container", "garbage container", "waste container", "skip", kind=_STREET)
def _dumpster(kit: Kit) -> Drawn:
    color = kit.color("green", "dark green", "blue", "grey", "dark grey", "red", "brown")
    lid = kit.other(color, "black", "dark grey", "grey")
    width, height, depth = kit.between(1.5, 2.0), 1.0, 0.95
    body = box((width * 0.92, height - 0.15, depth * 0.8), color, (0, 0.15, 0), taper=1.12)
    parts = [body, box((width * 1.08, 0.08, depth * 0.96), color, (0, height - 0.06, 0))]
    tilt = kit.pick(0.0, 0.0, -35.0)
    parts += [
        box((width * 0.52, 0.07, depth * 0.95), lid)
        .move(z=depth * 0.47)
        .turn(x=tilt * (s > 0))
        .move(s * width * 0.265, height + 0.01, -depth * 0.47)
        for s in (-1, 1)
    ]
    parts += [
        box((0.08, 0.5, 0.06), color, (x * width, 0.3, depth * 0.44)) for x in (-0.3, 0.0, 0.3)
    ]
    parts += [box((0.12, 0.08, 0.5), lid, (s * width * 0.52, 0.6, 0)) for s in (-1, 1)]
    parts += [
        cylinder(0.08, 0.06, (0.15, 0.15, 0.16), segments=8)
        .turn(z=90)
        .move(x * width * 0.4, 0.08, z * 0.3)
        for x in (-1, 1)
        for z in (-1, 1)
    ]
    features = ["two lids", "wheels"]
    if tilt:
        parts += [
            blob(0.2, (0.16, 0.17, 0.18), kit.rng, (x, height, 0), detail=1) for x in (0.15, 0.45)
        ]
        features.append("trash bags")
    return Drawn(parts, color, "metal", ("big",), tuple(features))


@family("wheelie bin", "recycling bin", "trash bin with wheels", "garbage bin", kind=_STREET)
def _wheelie(kit: Kit) -> Drawn:
    color = kit.color("green", "blue", "grey", "yellow", "black", "brown", "red")
    lid = color if kit.chance(0.5) else kit.other(color)
    parts = [
        box((0.42, 0.85, 0.44), color, (0, 0.08, 0), taper=1.2),
        box((0.54, 0.06, 0.58), lid, (0, 0.93, 0.01), bevel=0.02),
        bar((-0.2, 0.94, -0.32), (0.2, 0.94, -0.32), 0.025, lid),
    ]
    parts += [
        cylinder(0.1, 0.06, (0.14, 0.14, 0.15), segments=10)
        .turn(z=90)
        .move(s * 0.22 + 0.03, 0.1, -0.2)
        for s in (-1, 1)
    ]
    return Drawn(parts, color, "plastic", (), ("a lid", "two wheels"))


@family("trash bag", "garbage bag", "bin bag", "rubbish bag")
def _trash_bag(kit: Kit) -> Drawn:
    color = kit.color("black", "dark grey", "dark grey", "blue", "green", "white")
    parts = []
    for i in range(kit.pick(1, 1, 2)):
        bag = [
            blob((0.25, 0.24, 0.24), color, kit.rng, (0, 0.22, 0), rough=0.1, detail=2),
            cone(0.11, 0.16, color, (0, 0.4, 0), segments=7),
            cone(0.08, 0.1, color, segments=6).turn(x=180).move(y=0.6),
        ]
        parts.append(group(bag).scale(1.0 - 0.2 * i).move(0.42 * i, 0, 0.12 * i))
    return Drawn(parts, color, "plastic", ("full",), ("a knot on top",))


@family("street sign", "road sign post", "direction sign", "signpost", kind=_STREET)
def _street_sign(kit: Kit) -> Drawn:
    pole, board = (
        kit.color("grey", "dark grey", "brown", "silver"),
        kit.color("green", "blue", "white", "brown", "yellow"),
    )
    height = kit.between(2.0, 2.5)
    parts = [cylinder(0.035 * kit.chunk, height, pole, segments=8)]
    count = kit.count(1, 3)
    for i in range(count):
        s = kit.pick(-1, 1)
        outline = [(-0.1, -0.1), (0.6, -0.1), (0.72, 0.0), (0.6, 0.1), (-0.1, 0.1)]
        sign = group(
            [
                prism(outline, 0.03, board),
                box(
                    (0.45, 0.035, 0.034),
                    _LINE if board.name not in ("white", "yellow") else (0.15, 0.15, 0.16),
                    (0.25, -0.018, 0),
                ),
            ]
        )
        parts.append(
            (sign if s > 0 else sign.mirror())
            .turn(y=kit.pick(0.0, 0.0, 60.0))
            .move(0, height - 0.15 - 0.26 * i, 0.03)
        )
    return Drawn(
        parts,
        board,
        "",
        ("tall",),
        ("an arrow" if count == 1 else f"{('two', 'three')[count - 2]} arrows", "a pole"),
        paints={"board": board},
    )


@family("stop sign", "red stop sign", "octagonal road sign", "traffic sign", kind=_STREET)
def _stop_sign(kit: Kit) -> Drawn:
    pole, red = kit.color("grey", "silver", "dark grey"), kit.color("red")
    plate = circle(0.36, 8) @ np.array(
        [[np.cos(np.pi / 8), np.sin(np.pi / 8)], [-np.sin(np.pi / 8), np.cos(np.pi / 8)]]
    )
    parts = [
        cylinder(0.035 * kit.chunk, 2.2, pole, segments=8),
        prism(plate, 0.03, _LINE, (0, 2.1, 0.045)),
        prism(plate * 0.92, 0.04, red, (0, 2.1, 0.045)),
    ]
    x = -0.22
    for letter in ("S", "T", "O", "P"):
        strokes = {
            "S": (
                (0, 0.08, 0.09, 0.022),
                (0, 0.0, 0.09, 0.022),
                (0, -0.08, 0.09, 0.022),
                (-0.034, 0.04, 0.022, 0.08),
                (0.034, -0.04, 0.022, 0.08),
            ),
            "T": ((0, 0.08, 0.1, 0.022), (0, 0, 0.022, 0.18)),
            "O": (
                (0, 0.08, 0.09, 0.022),
                (0, -0.08, 0.09, 0.022),
                (-0.034, 0, 0.022, 0.18),
                (0.034, 0, 0.022, 0.18),
            ),
            "P": (
                (-0.034, 0, 0.022, 0.18),
                (0, 0.08, 0.09, 0.022),
                (0, 0, 0.09, 0.022),
                (0.034, 0.04, 0.022, 0.09),
            ),
        }[letter]
        parts += [
            box((w, h, 0.05), _LINE, (x + a, 2.1 + b - h / 2, 0.047)) for a, b, w, h in strokes
        ]
        x += 0.147
    return Drawn(
        parts, None, "metal", ("octagonal",), ("white letters", "a pole"), paints={"plate": red}
    )


@family(
    "warning sign", "triangular road sign", "round road sign", "traffic warning sign", kind=_STREET
)
def _warning_sign(kit: Kit) -> Drawn:
    pole = kit.color("grey", "silver", "dark grey")
    rim, face, mark = (
        kit.color("red", "red", "blue"),
        kit.color("white", "yellow"),
        (0.13, 0.13, 0.14),
    )
    shape = kit.pick("triangular", "round", "diamond")
    plate = {
        "triangular": np.array([(-0.4, -0.25), (0.4, -0.25), (0, 0.45)]),
        "round": circle(0.36, 18),
        "diamond": circle(0.42, 4),
    }[shape]
    parts = [
        cylinder(0.035 * kit.chunk, 2.0, pole, segments=8),
        prism(plate, 0.03, rim, (0, 2.05, 0.045)),
        prism(
            plate * (0.72 if shape == "triangular" else 0.8) + [0, 0.01],
            0.04,
            face,
            (0, 2.05, 0.045),
        ),
    ]
    if kit.chance():
        parts += [
            box((0.06, 0.2, 0.05), mark, (0, 2.02, 0.046), taper=1.4),
            box((0.06, 0.06, 0.05), mark, (0, 1.93, 0.046)),
        ]
        features = ["an exclamation mark"]
    else:
        parts.append(
            prism(
                [
                    (-0.03, -0.12),
                    (0.03, -0.12),
                    (0.03, 0.03),
                    (0.09, 0.03),
                    (0, 0.14),
                    (-0.09, 0.03),
                    (-0.03, 0.03),
                ],
                0.05,
                mark,
                (0, 2.06, 0.046),
            )
        )
        features = ["an arrow"]
    return Drawn(
        parts,
        None,
        "metal",
        (shape,),
        (*features, f"a {kit.say(rim, 'border')}", "a pole"),
        ("traffic sign", "warning sign"),
        paints={"border": rim, "face": face},
    )


@family("parking meter", "coin parking meter", kind=_STREET)
def _parking_meter(kit: Kit) -> Drawn:
    color, pole = (
        kit.color("grey", "dark grey", "blue", "red", "silver", "green"),
        kit.color("grey", "dark grey", "black"),
    )
    outline = [*arc(0.12, 0, 180, 8, (0, 0.22)), (-0.1, 0), (0.1, 0)]
    parts = [
        cylinder(0.035 * kit.chunk, 1.1, pole, segments=8),
        cylinder(0.1, 0.05, pole, segments=8),
        prism(outline, 0.14, color, (0, 1.08, 0), bevel=0.015),
        prism(
            [*arc(0.085, 0, 180, 8, (0, 0.23)), (-0.085, 0.2), (0.085, 0.2)],
            0.15,
            (0.8, 0.9, 0.93),
            (0, 1.08, 0.003),
        ),
        box((0.03, 0.05, 0.02), (0.1, 0.1, 0.11), (0, 1.16, 0.07)),
        bar((0, 1.3, 0.078), (0.04, 1.36, 0.078), 0.006, (0.9, 0.2, 0.15)),
    ]
    return Drawn(parts, color, "metal", (), ("a coin slot", "a dial", "a pole"))


@family("phone booth", "telephone box", "telephone booth", "red telephone box", kind=_STREET)
def _phone_booth(kit: Kit) -> Drawn:
    color = kit.color("red", "red", "blue", "green", "grey", "yellow")
    glass = Paint((0.7, 0.85, 0.92))
    parts = [
        box((0.95, 0.15, 0.95), color),
        box((0.95, 0.3, 0.95), color, (0, 2.1, 0), bevel=0.03),
        sphere((0.44, 0.16, 0.44), color, (0, 2.4, 0), low=0.5, segments=10),
        box((0.75, 1.95, 0.75), glass, (0, 0.15, 0)),
    ]
    parts += [
        box((0.1, 1.98, 0.1), color, (x, 0.13, z)) for x in (-0.41, 0.41) for z in (-0.41, 0.41)
    ]
    bars = [box((0.74, 0.035, 0.03), color, (0, y, 0.385)) for y in np.linspace(0.35, 1.95, 6)] + [
        box((0.035, 1.9, 0.03), color, (x, 0.15, 0.385)) for x in (-0.17, 0.17)
    ]
    parts += [group(bars).turn(y=turn) for turn in (0, 90, 180, 270)]
    parts.append(box((0.6, 0.14, 0.02), _LINE, (0, 2.18, 0.475)))
    return Drawn(
        parts,
        color,
        "",
        ("tall", "british") if color.name == "red" else ("tall",),
        ("glass panes", "a sign on top"),
    )


@family("vending machine", "drinks machine", "snack machine", "soda machine", kind="machine")
def _vending(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "black", "white", "green", "yellow", "dark blue")
    parts = [
        box((0.95, 1.85, 0.75), color, (0, 0.05, 0), bevel=0.02),
        box((0.9, 0.06, 0.7), (0.12, 0.12, 0.13)),
        box((0.58, 1.2, 0.02), (0.82, 0.89, 0.93), (-0.12, 0.58, 0.375)),
        box((0.55, 0.2, 0.03), (0.12, 0.12, 0.13), (-0.12, 0.22, 0.37)),
        box((0.16, 0.3, 0.03), (0.3, 0.32, 0.35), (0.34, 1.1, 0.375)),
        box((0.12, 0.06, 0.035), (0.25, 0.8, 0.5), (0.34, 1.32, 0.378)),
        box((0.1, 0.03, 0.035), (0.8, 0.82, 0.85), (0.34, 1.0, 0.378)),
    ]
    for row in range(4):
        y = 0.64 + 0.29 * row
        parts.append(box((0.56, 0.02, 0.03), (0.5, 0.52, 0.55), (-0.12, y - 0.02, 0.385)))
        paints = [kit.color() for _ in range(3)]
        parts += [
            cylinder(0.036, 0.15, paints[i % 3], (-0.34 + 0.11 * i, y, 0.37), segments=8)
            for i in range(5)
        ]
    return Drawn(parts, color, "", ("big",), ("rows of drinks", "a glass front", "buttons"))


@family("road barrier", "barrier", "barricade", "construction barrier", "roadblock", kind=_STREET)
def _barrier(kit: Kit) -> Drawn:
    red, white = kit.color("red", "orange", "yellow"), kit.color("white")
    if kit.chance(0.35):
        outline = [
            (-0.3, 0),
            (0.3, 0),
            (0.3, 0.08),
            (0.14, 0.3),
            (0.1, 0.8),
            (-0.1, 0.8),
            (-0.14, 0.3),
            (-0.3, 0.08),
        ]
        color = kit.color("light grey", "grey", "red", "white", "orange")
        length = kit.between(1.4, 2.2)
        return Drawn(
            [prism(outline, length, color).turn(y=90)],
            color,
            "concrete",
            ("long", "heavy"),
            (),
            ("concrete barrier", "jersey barrier", "barrier"),
        )
    parts: list[Part] = []
    for row in range(kit.pick(1, 2, 3)):
        y = 0.85 - 0.3 * row
        for i in range(8):
            x = (i - 3.5) * 0.17
            stripe = [
                (x - 0.085 - 0.06, 0),
                (x + 0.085 - 0.06, 0),
                (x + 0.085 + 0.06, 0.2),
                (x - 0.085 + 0.06, 0.2),
            ]
            parts.append(prism(stripe, 0.04, red if i % 2 else white, (0, y, 0)))
    for s in (-1, 1):
        parts += [
            bar(
                (s * 0.55, 1.06, -0.02),
                (s * 0.55, 0, z),
                0.03,
                kit.color("grey") if kit.look != "clay" else red,
                segments=4,
            )
            for z in (-0.28, 0.28)
        ]
    features = [f"{kit.say(red, 'stripes')}", "striped boards"]
    if kit.chance(0.4):
        parts += [cylinder(0.06, 0.05, (0.15, 0.15, 0.16), (s * 0.5, 1.05, 0)) for s in (-1, 1)] + [
            sphere(0.07, (0.98, 0.72, 0.15), (s * 0.5, 1.15, 0), segments=8) for s in (-1, 1)
        ]
        features.append("warning lights")
    return Drawn(parts, None, "", ("striped",), tuple(features), paints={"stripes": red})


@family("bollard", "street post", "traffic bollard", "parking post", kind=_STREET)
def _bollard(kit: Kit) -> Drawn:
    color = kit.color("dark grey", "black", "grey", "red", "yellow", "dark green", "orange")
    band = kit.other(color, "white", "yellow", "red")
    radius, height = 0.09 * kit.chunk, kit.between(0.7, 1.0)
    segments = max(8, kit.segments)
    parts = [
        cylinder(radius * 1.3, 0.06, color, segments=segments),
        cylinder(radius, height, color, segments=segments),
        sphere((radius, radius * 0.7, radius), color, (0, height, 0), low=0.5, segments=segments),
    ]
    parts += [
        tube(radius * 1.04, radius * 0.9, 0.08, band, (0, height * y, 0), segments=segments)
        for y in ((0.75,) if kit.chance() else (0.6, 0.8))
    ]
    return Drawn(
        parts, color, "", ("short",), (f"a {kit.say(band, 'band')}",), paints={"band": band}
    )


@family("manhole cover", "manhole", "sewer cover", "drain cover", kind=_STREET)
def _manhole(kit: Kit) -> Drawn:
    metal, rim = (
        kit.color("dark grey", "grey", "brown"),
        kit.color("grey", "light grey", "dark grey"),
    )
    parts = [
        cylinder(0.42, 0.03, rim, segments=20),
        cylinder(0.36, 0.04, metal, segments=20),
        torus(0.3, 0.012, metal, (0, 0.04, 0), segments=20, around=4),
    ]
    if kit.chance():
        parts += [
            box((0.05, 0.008, 0.05), metal, (x * 0.09, 0.04, z * 0.09))
            for x in range(-2, 3)
            for z in range(-2, 3)
        ]
    else:
        parts += [
            cylinder(
                0.022, 0.042, (0.08, 0.08, 0.09), (0.2 * np.cos(a), 0, 0.2 * np.sin(a)), segments=6
            )
            for a in np.linspace(0, 6.28, 9)[:-1]
        ]
    return Drawn(
        parts, None, "metal", ("round", "flat"), ("a raised pattern",), paints={"cover": metal}
    )


@family("cardboard box", "box", "carton", "moving box", "package", "parcel", kind="container")
def _cardboard(kit: Kit) -> Drawn:
    color, tape = (
        kit.color("light brown", "light brown", "brown", "beige"),
        kit.color("beige", "brown", "white", "yellow"),
    )
    width, height, depth = kit.between(0.35, 0.6), kit.between(0.25, 0.5), kit.between(0.3, 0.5)
    if kit.chance(0.4):
        wall = 0.012
        parts = [
            box((width, 0.012, depth), color),
            *[box((wall, height, depth), color, (s * width / 2, 0, 0)) for s in (-1, 1)],
            *[box((width, height, wall), color, (0, 0, s * depth / 2)) for s in (-1, 1)],
        ]
        parts += [
            box((width * 0.48, wall, depth), color)
            .move(width * 0.24)
            .turn(z=kit.between(-50, 20))
            .turn(y=0 if s > 0 else 180)
            .move(s * width / 2, height, 0)
            for s in (-1, 1)
        ]
        parts += [
            box((width, wall, depth * 0.48), color)
            .move(z=depth * 0.24)
            .turn(x=kit.between(-20, 50))
            .turn(y=0 if s > 0 else 180)
            .move(0, height, s * depth / 2)
            for s in (-1, 1)
        ]
        return Drawn(parts, color, "cardboard", ("open", "empty"), ("open flaps",))
    parts = [
        box((width, height, depth), color),
        box((0.06, height * 1.006, depth * 1.006), tape),
        box((width * 0.9, 0.004, 0.004), (0.4, 0.28, 0.18), (0, height, 0)),
    ]
    features = ["tape"]
    if kit.chance(0.4):
        parts.append(
            box((width * 0.3, height * 0.3, 0.006), _LINE, (width * 0.27, height * 0.15, depth / 2))
        )
        features.append("a label")
    if kit.chance(0.3):
        small = [p.scale(0.7).turn(y=kit.between(-20, 20)).move(y=height) for p in parts[:2]]
        return Drawn(
            [*parts, *small],
            color,
            "cardboard",
            ("closed",),
            (),
            ("cardboard boxes", "stack of boxes", "two boxes"),
        )
    return Drawn(parts, color, "cardboard", ("closed",), tuple(features))


@family("pallet", "wooden pallet", "euro pallet", "shipping pallet")
def _pallet(kit: Kit) -> Drawn:
    wood = kit.color("light brown", "brown", "beige")
    parts = [
        box((1.2, 0.03, 0.11), wood, (0, 0.12, z))
        for z in np.linspace(-0.36, 0.36, kit.count(5, 6))
    ]
    parts += [box((0.1, 0.025, 0.84), wood, (x, 0.095, 0)) for x in (-0.54, 0, 0.54)] + [
        box((0.1, 0.075, 0.12), wood, (x, 0.02, z))
        for x in (-0.54, 0, 0.54)
        for z in (-0.36, 0, 0.36)
    ]
    parts += [box((1.2, 0.02, 0.1), wood, (0, 0, z)) for z in (-0.36, 0, 0.36)]
    features = ["planks"]
    if kit.chance(0.3):
        load = kit.color("light brown", "blue", "grey")
        parts += [
            box((0.36, 0.3, 0.38), load, (x, 0.15, z))
            for x in (-0.38, 0, 0.38)
            for z in (-0.2, 0.2)
        ]
        return Drawn(
            parts,
            None,
            "wooden",
            ("loaded",),
            ("boxes",),
            ("pallet with boxes", "pallet"),
            paints={"boxes": load},
        )
    stack = kit.pick(1, 1, 3)
    if stack == 3:
        whole = group(parts)
        return Drawn(
            [whole.move(y=0.15 * i).turn(y=kit.between(-5, 5)) for i in range(3)],
            wood,
            "wooden",
            (),
            ("planks",),
            ("stack of pallets", "pallets"),
        )
    return Drawn(parts, wood, "wooden", ("flat",), tuple(features))


@family("barrel", "wooden barrel", "keg", "cask", "drum", kind="container")
def _barrel(kit: Kit) -> Drawn:
    segments = max(10, kit.segments)
    if kit.chance(0.6):
        wood, hoop = (
            kit.color("brown", "light brown", "dark brown"),
            kit.color("dark grey", "grey", "black", "gold"),
        )
        profile = [
            (0, 0),
            (0.26, 0),
            (0.32, 0.2),
            (0.345, 0.42),
            (0.32, 0.64),
            (0.26, 0.84),
            (0.23, 0.84),
            (0.23, 0.81),
            (0, 0.81),
        ]
        parts = [lathe(profile, wood, segments=segments)]
        for y, r in ((0.06, 0.277), (0.24, 0.327), (0.56, 0.332), (0.74, 0.287)):
            parts.append(
                tube(
                    r + 0.012,
                    r - 0.03,
                    0.05 * min(kit.chunk, 1.2),
                    hoop,
                    (0, y, 0),
                    segments=segments,
                )
            )
        features = [f"{kit.say(hoop, 'hoops')}", "metal hoops" if kit.look != "clay" else "hoops"]
        if kit.chance(0.3):
            parts = [group(parts).turn(x=90).move(y=0.345)]
            parts += [
                bar((-0.35, 0.06, z), (0.35, 0.06, z), 0.06, wood, segments=4) for z in (0.2, 0.62)
            ]
            parts += [cylinder(0.03, 0.1, hoop, segments=6).turn(x=90).move(0, 0.2, 0.84)]
            return Drawn(
                parts,
                wood,
                "wooden",
                ("lying",),
                ("a tap", *features),
                ("barrel with a tap", "wine barrel", "keg"),
            )
        return Drawn(
            parts, wood, "wooden", ("round",), tuple(features), ("barrel", "wooden barrel")
        )
    color = kit.color("red", "blue", "green", "yellow", "grey", "black", "orange")
    parts = [
        cylinder(0.29, 0.86, color, segments=segments),
        *[
            torus(0.29, 0.02, color, (0, y, 0), segments=segments, around=5)
            for y in (0.02, 0.29, 0.57, 0.85)
        ],
        cylinder(0.04, 0.03, (0.2, 0.2, 0.22), (0.14, 0.85, 0), segments=6),
    ]
    features = ["ribs"]
    if kit.chance(0.35):
        parts.append(
            prism(
                [(-0.09, -0.08), (0.09, -0.08), (0, 0.1)], 0.03, (0.98, 0.8, 0.15), (0, 0.43, 0.28)
            )
        )
        features.append("a warning sign")
    return Drawn(
        parts,
        color,
        "metal",
        ("round",),
        tuple(features),
        ("oil barrel", "metal barrel", "oil drum", "barrel"),
    )


@family("crate", "wooden crate", "wooden box", "shipping crate", kind="container")
def _crate(kit: Kit) -> Drawn:
    wood = kit.color("brown", "light brown", "dark brown", "beige")
    edge = (
        wood
        if kit.chance(0.5)
        else kit.other(wood, "dark brown", "brown", "dark grey", "light brown")
    )
    size = kit.between(0.6, 0.9)
    high, thick = size * kit.pick(1.0, 1.0, 0.7), 0.08 * kit.chunk * size
    parts = [box((size * 0.94, high * 0.94, size * 0.94), wood, (0, high * 0.03, 0))]
    for x in (-1, 1):
        for z in (-1, 1):
            parts.append(
                box((thick, high, thick), edge, (x * (size - thick) / 2, 0, z * (size - thick) / 2))
            )
    for y in (0, high - thick):
        parts += [box((size, thick, thick), edge, (0, y, s * (size - thick) / 2)) for s in (-1, 1)]
        parts += [box((thick, thick, size), edge, (s * (size - thick) / 2, y, 0)) for s in (-1, 1)]
    style = kit.pick("cross", "planks", "plain")
    if style == "cross":
        angle = float(np.degrees(np.arctan2(high - thick, size - thick)))
        length = float(np.hypot(size, high)) - 2.2 * thick
        plank = (
            box((length, thick * 0.9, thick * 0.5), edge, (0, -thick * 0.45, 0))
            .turn(z=angle)
            .move(0, high / 2, size * 0.485)
        )
        parts += [plank.turn(y=t) for t in (0, 90, 180, 270)]
    if style == "planks":
        parts += [
            box((size * 0.86, high * 0.2, size * 0.96), wood, (0, high * (0.11 + 0.27 * i), 0))
            for i in range(3)
        ]
    features = {"cross": ("diagonal braces",), "planks": ("planks",), "plain": ("a frame",)}[style]
    return Drawn(
        parts,
        wood if edge is wood else None,
        "wooden",
        ("square",),
        features,
        paints={"edges": edge, "sides": wood},
    )


@family("shipping container", "cargo container", "freight container", "container", kind="container")
def _container(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "green", "orange", "grey", "brown", "yellow", "teal", "white")
    long, high, wide = kit.pick(3.0, 6.0), 1.3, 1.2
    parts = [box((long, high, wide), color)]
    count = int(long / 0.18)
    parts += [
        box((0.09, high * 0.86, wide + 0.06), color, ((i - (count - 1) / 2) * 0.18, high * 0.07, 0))
        for i in range(count)
    ]
    parts += [
        box((0.12, high * 1.02, 0.12), color, (x * (long / 2 - 0.04), -0.01, z * (wide / 2 - 0.02)))
        for x in (-1, 1)
        for z in (-1, 1)
    ]
    parts += [
        bar((long / 2 + 0.03, 0.08, z), (long / 2 + 0.03, high - 0.08, z), 0.02, (0.7, 0.72, 0.74))
        for z in (-0.35, -0.12, 0.12, 0.35)
    ]
    return Drawn(
        [group(parts).turn(y=kit.pick(0.0, -60.0, 20.0))],
        color,
        "metal",
        ("long",) if long > 4 else ("short",),
        ("ribbed walls", "doors"),
    )


@family("tire", "tyre", "car tire", "rubber tire", "pile of tires")
def _tire(kit: Kit) -> Drawn:
    rubber = kit.color("black", "dark grey")
    one = [
        torus(0.25, 0.1, rubber, segments=18, around=8),
        *[box((0.03, 0.16, 0.03), rubber, (0.35, -0.08, 0)).turn(y=20 * i) for i in range(18)],
    ]
    count = kit.pick(1, 1, 3)
    if count == 3:
        return Drawn(
            [
                group(one).move(kit.between(-0.04, 0.04), 0.19 * i, kit.between(-0.04, 0.04))
                for i in range(3)
            ],
            rubber,
            "rubber",
            (),
            (),
            ("stack of tires", "tires", "pile of tires"),
        )
    return Drawn(
        [group(one).turn(x=kit.pick(0.0, 90.0)).turn(y=kit.pick(0.0, 40.0))],
        rubber,
        "rubber",
        ("round",),
        ("a tread",),
        ("tire", "car tire"),
    )


@family("billboard", "advertising board", "advertisement", "hoarding", kind=_STREET)
def _billboard(kit: Kit) -> Drawn:
    pole, face = kit.color("grey", "dark grey", "brown"), kit.color()
    ink = kit.other(face, "white", "yellow", "black", "red")
    parts = [
        bar((x, 0, -0.1), (x, 2.2, -0.1), 0.07 * kit.chunk, pole, segments=8)
        for x in ((-0.8, 0.8) if kit.chance(0.6) else (0.0,))
    ]
    parts += [
        box((3.0, 1.4, 0.12), pole, (0, 1.6, 0)),
        box((2.85, 1.26, 0.04), face, (0, 1.67, 0.06)),
        prism(star(kit.count(5, 8), 0.4, 0.2), 0.02, ink, (-0.85, 2.3, 0.09)),
    ]
    parts += [box((1.3 - 0.3 * i, 0.14, 0.02), ink, (0.5, 2.5 - 0.32 * i, 0.08)) for i in range(3)]
    return Drawn(parts, face, "", ("big",), ("a picture", "lines of text"), paints={"face": face})


@family("fence", "wooden fence", "picket fence", "garden fence", "fencing")
def _fence(kit: Kit) -> Drawn:
    style = kit.pick("picket", "planks", "rails", "iron")
    color = (
        kit.color("black", "dark grey", "grey", "dark green")
        if style == "iron"
        else kit.color("white", "brown", "light brown", "brown", "dark brown", "beige")
    )
    width, height = kit.between(1.6, 2.6), kit.between(0.8, 1.2)
    parts: list[Part] = []
    broken = kit.chance(0.2)
    if style == "rails":
        parts += [
            box((0.12 * kit.chunk, height, 0.12 * kit.chunk), color, (x * width / 2, 0, 0))
            for x in (-1, 0, 1)
        ]
        parts += [
            box((width, 0.09 * kit.chunk, 0.05), color, (0, height * y, 0)).turn(
                z=kit.between(-6, 6) if broken else 0.0
            )
            for y in (0.3, 0.68)
        ]
        features = ["three posts", "two rails"]
    elif style == "iron":
        parts += [
            bar((-width / 2, y, 0), (width / 2, y, 0), 0.022, color, segments=4)
            for y in (0.12, height * 0.82)
        ]
        for x in np.linspace(-width / 2, width / 2, int(width / 0.16)):
            parts += [
                bar((float(x), 0, 0), (float(x), height, 0), 0.014 * kit.chunk, color),
                cone(0.03, 0.1, color, (float(x), height, 0), segments=4),
            ]
        features = ["pointed bars", "spikes"]
    else:
        count = int(width / (0.2 if style == "picket" else 0.155))
        wide = 0.11 if style == "picket" else 0.145
        parts += [box((width, 0.08, 0.04), color, (0, height * y, -0.035)) for y in (0.22, 0.7)]
        for i in range(count):
            x, tall = (
                (i - (count - 1) / 2) * width / count,
                height * (kit.between(0.45, 1.0) if broken and kit.chance(0.4) else 1.0),
            )
            tip = 0.09 if style == "picket" else 0.0
            parts.append(
                prism(
                    [
                        (-wide / 2, 0),
                        (wide / 2, 0),
                        (wide / 2, tall - tip),
                        (0, tall + 1e-3),
                        (-wide / 2, tall - tip),
                    ],
                    0.035 * kit.chunk,
                    color,
                    (x, 0, 0),
                )
            )
        features = ["pointed pickets" if style == "picket" else "planks side by side"]
    words = {
        "picket": ("picket fence", "fence"),
        "planks": ("plank fence", "wooden fence", "fence"),
        "rails": ("rail fence", "wooden fence", "fence"),
        "iron": ("iron fence", "metal fence", "fence"),
    }[style]
    called = tuple(w for w in words if kit.look != "clay" or "wooden" not in w)
    return Drawn(
        parts,
        color,
        "iron" if style == "iron" else "wooden",
        ("broken",) if broken and style != "iron" else (),
        tuple(features),
        called,
    )


@family("fence gate", "gate", "garden gate", "iron gate", "entrance gate")
def _gate(kit: Kit) -> Drawn:
    iron = kit.chance()
    color = (
        kit.color("black", "dark grey", "dark green")
        if iron
        else kit.color("brown", "light brown", "white", "dark brown")
    )
    post = kit.color("grey", "light grey", "red", "beige", "brown") if iron else color
    width, height = kit.between(1.3, 2.0), kit.between(1.1, 1.7)
    parts = [
        box((0.28, height * 1.15, 0.28), post, (s * (width / 2 + 0.14), 0, 0), bevel=kit.bevel)
        for s in (-1, 1)
    ]
    parts += [
        box((0.36, 0.08, 0.36), post, (s * (width / 2 + 0.14), height * 1.15, 0)) for s in (-1, 1)
    ]
    swing = kit.pick(0.0, 0.0, 50.0)
    for s in (-1, 1):
        half = width / 2 - 0.02
        wing = [
            bar((0, y, 0), (half, y, 0), 0.025, color, segments=4) for y in (0.15, height * 0.75)
        ]
        for k, x in enumerate(np.linspace(0.03, half, 6)):
            tall = height * (0.8 + 0.04 * k)
            wing.append(
                bar((float(x), 0.08, 0), (float(x), tall, 0), 0.018 * kit.chunk, color)
                if iron
                else box((0.12, tall - 0.08, 0.04), color, (float(x) * 0.93 + 0.03, 0.08, 0))
            )
        leaf = group(wing).turn(y=-swing).move(-width / 2)
        parts.append(leaf if s < 0 else leaf.mirror())
    return Drawn(
        parts,
        color,
        "iron" if iron else "wooden",
        ("open",) if swing else ("closed",),
        ("two wings", "two posts"),
    )


def _bricks(kit: Kit, width: float, height: float, depth: float, color: Paint) -> list[Part]:
    """Courses of bricks over a body of mortar."""
    rows = max(3, round(height / 0.16))
    tall, parts = (
        height / rows,
        [box((width * 0.985, height * 0.99, depth * 0.9), (0.75, 0.73, 0.7))],
    )
    for row in range(rows):
        x = -width / 2 - (0.16 if row % 2 else 0.0)
        while x < width / 2 - 0.02:
            low, high = max(x, -width / 2), min(x + 0.32, width / 2)
            share = kit.between(0.88, 1.1)
            r, g, b = (min(1.0, share * c) for c in color.rgb)
            if high - low > 0.05:
                parts.append(
                    box(
                        (high - low - 0.02, tall * 0.86, depth),
                        (r, g, b),
                        ((low + high) / 2, row * tall, 0),
                    )
                )
            x += 0.32
    return parts


@family("brick wall", "wall of bricks", "masonry wall", "wall")
def _brick_wall(kit: Kit) -> Drawn:
    color = kit.color("red", "dark red", "brown", "grey", "light brown", "orange")
    width, height = kit.between(1.2, 1.9), kit.between(0.7, 1.2)
    return Drawn(
        _bricks(kit, width, height, 0.2, color),
        color,
        "brick",
        (),
        ("rows of bricks",),
        ("brick wall", "wall"),
    )


@family("wall", "house wall", "plain wall", "interior wall", "wall panel")
def _wall(kit: Kit) -> Drawn:
    color = kit.color(
        "white",
        "beige",
        "grey",
        "light grey",
        "light blue",
        "yellow",
        "green",
        "pink",
        "teal",
        "light brown",
    )
    skirt = kit.other(color, "white", "brown", "dark brown", "grey", "dark grey")
    width, height, thick = 2.0, 2.0, 0.15
    style = kit.pick("plain", "window", "door", "half", "tiles")
    parts: list[Part] = []
    if style == "half":
        height = 0.8
    if style in ("window", "door"):
        low = 0.7 if style == "window" else 0.0
        gap, top = 0.8, 1.55
        parts += [
            box(((width - gap) / 2, height, thick), color, (s * (width + gap) / 4, 0, 0))
            for s in (-1, 1)
        ]
        parts += [
            box((gap, height - top, thick), color, (0, top, 0)),
            *([box((gap, low, thick), color)] if low else []),
        ]
        parts += [
            box((0.07, top - low, thick * 1.3), skirt, (s * gap / 2, low, 0)) for s in (-1, 1)
        ] + [box((gap + 0.14, 0.07, thick * 1.3), skirt, (0, top, 0))]
        features = [f"a {style} opening", f"a {kit.say(skirt, 'frame')}"]
        words = (f"wall with a {'window' if style == 'window' else 'doorway'}", "wall")
    else:
        parts += [box((width, height, thick), color), box((width, 0.14, thick * 1.25), skirt)]
        features, words = (
            [f"a {kit.say(skirt, 'skirting')}"],
            ("wall",) if style != "half" else ("low wall", "half wall", "wall"),
        )
        if style == "tiles":
            parts += [
                box((0.23, 0.23, thick * 1.1), color, (x, y, 0))
                for x in np.linspace(-0.875, 0.875, 8)
                for y in np.linspace(0.3, 1.72, 7)
            ]
            features, words = ["square tiles"], ("tiled wall", "wall")
    return Drawn(parts, color, "", ("flat",), tuple(features), words)


def _road(kit: Kit, kind: str) -> Drawn:
    """A square piece of street, 2 m a side, with pavements where no street goes on."""
    edge = kit.color("light grey", "grey", "beige", "green")
    size, road = 2.0, 1.36
    side, mid = (size - road) / 2, (size + road) / 4
    line = _LINE if kit.chance(0.7) else Paint((0.96, 0.8, 0.2))
    parts = [box((size, 0.05, size), _ASPHALT)]
    kerb = 0.09 * kit.chunk

    def dashes(turn: float, start: float, end: float) -> list[Part]:
        return [
            box((0.06, 0.006, 0.2), line, (0, 0.05, z)).turn(y=turn)
            for z in np.arange(start, end, 0.4)
        ]

    corners = [(x, z) for x in (-1, 1) for z in (-1, 1)]
    if kind in ("straight", "crosswalk"):
        parts += [box((side, kerb, size), edge, (s * mid, 0, 0)) for s in (-1, 1)]
        if kind == "straight":
            parts += dashes(0, -0.8, 0.9)
        else:
            parts += [
                box((0.12, 0.006, 0.8), _LINE, (x, 0.05, 0)) for x in np.linspace(-0.57, 0.57, 6)
            ]
    elif kind == "corner":
        parts += [
            box((side, kerb, size), edge, (-mid, 0, 0)),
            box((road + side, kerb, side), edge, (side / 2, 0, -mid)),
            box((side, kerb, side), edge, (mid, 0, mid)),
        ]
        curve = [
            (0.68 - 0.68 * np.sin(a) + 0.0, 0.053, 0.68 - 0.68 * np.cos(a))
            for a in np.linspace(0, np.pi / 2, 9)
        ]
        parts += [bar(curve[i], curve[i + 1], 0.03, line, segments=4) for i in (0, 2, 4, 6)] + [
            box((0.06, 0.006, 0.2), line, (0, 0.05, 0.85)),
            box((0.2, 0.006, 0.06), line, (0.85, 0.05, 0)),
        ]
    elif kind == "junction":
        parts += [box((side, kerb, side), edge, (x * mid, 0, z * mid)) for x, z in corners]
        parts += [
            box((0.09, 0.006, 0.22), _LINE, (x, 0.05, 0.82)).turn(y=t)
            for t in (0, 90, 180, 270)
            for x in np.linspace(-0.55, 0.55, 6)
        ]
    else:
        parts += [
            box((side, kerb, size), edge, (-mid, 0, 0)),
            *[box((side, kerb, side), edge, (mid, 0, z * mid)) for z in (-1, 1)],
        ]
        parts += dashes(0, -0.8, 0.9)
    return Drawn(
        parts,
        None,
        "asphalt",
        ("flat",),
        {
            "straight": ("lane markings", "pavements"),
            "corner": ("a bend", "pavements"),
            "crosswalk": ("white stripes", "pavements"),
            "junction": ("four arms", "crosswalks"),
            "t": ("three arms", "lane markings"),
        }[kind],
        paints={"pavement": edge},
    )


@family("road", "street", "straight road", "road piece", "road tile")
def _straight(kit: Kit) -> Drawn:
    return _road(kit, "straight")


@family("road corner", "road bend", "road curve", "street corner", "curved road")
def _corner(kit: Kit) -> Drawn:
    return _road(kit, "corner")


@family("crosswalk", "zebra crossing", "pedestrian crossing", "road with a crosswalk")
def _crosswalk(kit: Kit) -> Drawn:
    return _road(kit, "crosswalk")


@family("road junction", "crossroads", "intersection", "street crossing")
def _junction(kit: Kit) -> Drawn:
    if kit.chance(0.4):
        drawn = _road(kit, "t")
        return Drawn(
            drawn.parts,
            None,
            "asphalt",
            ("flat",),
            drawn.features,
            ("t-junction", "road junction"),
            paints=drawn.paints,
        )
    return _road(kit, "junction")


@family("bus stop", "bus shelter", "bus station", kind=_STREET)
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


@family("newspaper stand", "newspaper box", "news rack", kind=_STREET)
def _news(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "yellow", "green", "orange", "black")
    parts = [
        box((0.5, 0.65, 0.42), color, (0, 0.4, 0), bevel=0.015),
        box((0.4, 0.34, 0.02), (0.75, 0.87, 0.93), (0, 0.6, 0.205)),
        box((0.3, 0.24, 0.025), _LINE, (0, 0.63, 0.206)),
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


@family("sandbag", "sand bags", "sandbag wall", "pile of sandbags")
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
