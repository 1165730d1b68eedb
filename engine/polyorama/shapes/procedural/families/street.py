"""What stands along streets: lights, signs, roads, boxes, fences and walls."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    arc,
    bar,
    blob,
    box,
    circle,
    cone,
    cylinder,
    group,
    prism,
    sphere,
    sweep,
    torus,
    tube,
)

STREET = "street furniture"


ASPHALT = Paint((0.27, 0.28, 0.3))


LINE = Paint((0.95, 0.94, 0.9))


_GLOW = Paint((1.0, 0.94, 0.68))


@family("street lamp", "street light", "lamp post", "lamppost", "streetlight", kind=STREET)
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


def _dimmed(color: tuple[float, float, float], share: float) -> tuple[float, float, float]:
    return color[0] * share, color[1] * share, color[2] * share


@family("traffic light", "traffic lights", "stop light", "traffic signal", "stoplight", kind=STREET)
def _traffic_light(kit: Kit) -> Drawn:
    case, pole = (
        kit.color("black", "dark grey", "yellow", "dark green"),
        kit.color("grey", "dark grey", "black"),
    )
    lamps = ((0.9, 0.16, 0.14), (0.98, 0.78, 0.15), (0.2, 0.75, 0.32))
    lit = kit.count(0, 3)
    on = ("a red light on", "a yellow light on", "a green light on",
          "red, yellow and green lights")[lit]  # fmt: skip
    head = [box((0.3, 0.84, 0.2), case, bevel=0.02)]
    for i, lamp in enumerate(lamps):
        share = 1.0 if lit in (3, i) else 0.5
        y = 0.68 - 0.26 * i
        head += [
            prism(circle(0.095, 12), 0.03, Paint(_dimmed(lamp, share)), (0, y, 0.1)),
            sphere((0.11, 0.11, 0.09), case, (0, y + 0.02, 0.1), low=0.72, segments=8),
        ]
    if kit.chance(0.3):
        return Drawn(
            head,
            case,
            "",
            ("small",),
            ("three lights", on),
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
        (*features, "three lights", on),
        paints={"case": case},
    )


@family("fire hydrant", "hydrant", "street hydrant", kind=STREET)
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


@family("mailbox", "letter box", "post box", "postbox", "letterbox", kind=STREET)
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


@family("dumpster", "trash container", "garbage container", "waste container", "skip", kind=STREET)
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


@family("wheelie bin", "recycling bin", "trash bin with wheels", "garbage bin", kind=STREET)
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


@family("street sign", "road sign post", "direction sign", "signpost", kind=STREET)
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
                    LINE if board.name not in ("white", "yellow") else (0.15, 0.15, 0.16),
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


@family("stop sign", "red stop sign", "octagonal road sign", "traffic sign", kind=STREET)
def _stop_sign(kit: Kit) -> Drawn:
    pole, red = kit.color("grey", "silver", "dark grey"), kit.color("red")
    plate = circle(0.36, 8) @ np.array(
        [[np.cos(np.pi / 8), np.sin(np.pi / 8)], [-np.sin(np.pi / 8), np.cos(np.pi / 8)]]
    )
    parts = [
        cylinder(0.035 * kit.chunk, 2.2, pole, segments=8),
        prism(plate, 0.03, LINE, (0, 2.1, 0.045)),
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
            box((w, h, 0.05), LINE, (x + a, 2.1 + b - h / 2, 0.047)) for a, b, w, h in strokes
        ]
        x += 0.147
    return Drawn(
        parts, None, "metal", ("octagonal",), ("white letters", "a pole"), paints={"plate": red}
    )


@family(
    "warning sign", "triangular road sign", "round road sign", "traffic warning sign", kind=STREET
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


@family("parking meter", "coin parking meter", kind=STREET)
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


@family("phone booth", "telephone box", "telephone booth", "red telephone box", kind=STREET)
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
    parts.append(box((0.6, 0.14, 0.02), LINE, (0, 2.18, 0.475)))
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


@family("road barrier", "barrier", "barricade", "construction barrier", "roadblock", kind=STREET)
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


@family("bollard", "street post", "traffic bollard", "parking post", kind=STREET)
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


@family("manhole cover", "manhole", "sewer cover", "drain cover", kind=STREET)
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
