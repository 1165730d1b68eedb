"""Meat, fish, eggs, cheese, and what is fried."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.bakery import KIND, layer
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    arc,
    bar,
    blob,
    box,
    circle,
    cylinder,
    group,
    lathe,
    pillow,
    prism,
    ribbon,
    sphere,
    sweep,
)


@family("french fries", "fries", "chips", "potato fries", kind=KIND)
def _fries(kit: Kit) -> Drawn:
    carton, potato = kit.color("red", "red", "white", "blue", "green"), kit.color("yellow")
    body = prism([(-0.032, 0), (0.032, 0), (0.045, 0.07), (-0.045, 0.07)], 0.035, carton)
    back = prism(
        [
            (-0.045, 0.06),
            (0.045, 0.06),
            (0.047, 0.085),
            (0.025, 0.1),
            (-0.025, 0.1),
            (-0.047, 0.085),
        ],
        0.006,
        carton,
        (0, 0, -0.016),
    )
    parts = [body, back]
    for i in range(16):
        x, z = -0.037 + 0.01 * (i % 8), 0.009 * (1 if i < 8 else -0.4)
        stick = (
            box((0.0085, kit.between(0.07, 0.1), 0.0085), potato)
            .turn(z=kit.between(-7, 7) - x * 200)
            .turn(x=kit.between(-5, 5))
        )
        parts.append(stick.move(x, 0.035, z))
    if kit.chance(0.5):
        parts.append(
            prism(circle(0.014, 12), 0.038, kit.other(carton, "yellow", "white"), (0, 0.035, 0))
        )
    return Drawn(
        parts,
        None,
        "",
        ("salty",),
        (f"a {kit.say(carton, 'box')}",),
        ("french fries", "fries"),
        paints={"box": carton, "fries": potato},
    )


@family("sushi", "sushi roll", "maki", "nigiri", kind=KIND)
def _sushi(kit: Kit) -> Drawn:
    rice, seaweed, fish = (
        kit.color("white"),
        kit.color("black", "dark green"),
        kit.color("orange", "pink", "red"),
    )
    if kit.chance():
        count = kit.count(1, 4)
        one = [
            cylinder(0.022, 0.03, seaweed, segments=12),
            cylinder(0.0195, 0.0012, rice, (0, 0.03, 0), segments=12),
            cylinder(0.008, 0.0025, fish, (0, 0.03, 0), segments=8),
        ]
        parts = [p.move(0.05 * (i - (count - 1) / 2)) for i in range(count) for p in one]
        return Drawn(
            parts,
            None,
            "",
            ("round",),
            ("seaweed", "rice"),
            ("sushi roll", "maki", "sushi") if count == 1 else ("sushi rolls", "sushi"),
            paints={"seaweed": seaweed, "rice": rice},
        )
    parts = [
        pillow((0.07, 0.025, 0.032), rice, square=0.5),
        pillow((0.085, 0.014, 0.036), fish, (0, 0.021, 0), square=0.45),
    ]
    parts += [
        box((0.003, 0.0145, 0.034), (0.98, 0.8, 0.68), (x, 0.0212, 0)).turn(y=15)
        for x in (-0.02, 0.0, 0.02)
    ]
    if kit.chance(0.4):
        parts.append(box((0.014, 0.037, 0.039), seaweed))
    return Drawn(
        parts,
        None,
        "",
        (),
        ("fish", "rice"),
        ("nigiri", "sushi", "salmon sushi"),
        paints={"fish": fish, "rice": rice},
    )


def _flat_meat(kit: Kit, outline: list[tuple[float, float]], color: Paint, thick: float) -> Part:
    return prism(outline, thick, color, bevel=thick * 0.3).turn(x=-90).move(y=thick / 2)


@family("steak", "beef steak", "piece of meat", kind=KIND)
def _steak(kit: Kit) -> Drawn:
    meat, fat = kit.color("red", "dark red", "brown", "dark brown"), kit.color("beige", "white")
    outline = np.array(
        [
            (-0.09, -0.01),
            (-0.06, -0.06),
            (0.0, -0.055),
            (0.06, -0.065),
            (0.095, -0.01),
            (0.07, 0.05),
            (0.0, 0.06),
            (-0.06, 0.05),
        ]
    )
    thick = 0.024 * kit.chunk
    parts = [
        _flat_meat(kit, (outline * 1.08).tolist(), fat, thick * 0.9),
        _flat_meat(kit, (outline * 0.95).tolist(), meat, thick),
    ]
    features = [f"a {kit.say(fat, 'rim of fat')}"]
    cooked = "brown" in meat.name
    if kit.chance(0.6):
        parts += [
            prism(
                [(-0.03, -0.006), (0.02, -0.006), (0.02, 0.006), (-0.03, 0.006)],
                0.004,
                (0.95, 0.92, 0.85),
            )
            .turn(x=-90)
            .move(-0.045, thick, 0)
        ]
        parts += [box((0.012, 0.004, 0.045), (0.95, 0.92, 0.85), (-0.025, thick - 0.002, 0))]
        features.append("a bone")
    if cooked:
        parts += [
            box((0.008, 0.004, 0.09), (0.16, 0.09, 0.06), (x, thick - 0.001, 0)).turn(y=20)
            for x in (0.0, 0.03, 0.06)
        ]
        features.append("grill marks")
    return Drawn(
        [group(parts).turn(y=kit.between(0, 360))],
        meat,
        "",
        ("grilled" if cooked else "raw",) if meat.name else (),
        tuple(features),
        ("steak",),
    )


@family("ham", "roast ham", "leg of ham", "gammon", "meat on the bone", kind=KIND)
def _ham(kit: Kit) -> Drawn:
    meat, bone = kit.color("pink", "red", "brown"), (0.95, 0.92, 0.84)
    body = lathe(
        [(0, 0), (0.06, 0.01), (0.085, 0.06), (0.07, 0.12), (0.03, 0.18), (0, 0.185)],
        meat,
        segments=max(8, kit.segments),
    )
    parts = [
        body,
        cylinder(0.048, 0.003, (0.98, 0.82, 0.8), (0, -0.001, 0), segments=10),
        cylinder(0.014, 0.005, bone, (0, -0.003, 0), segments=8),
        bar((0, 0.17, 0), (0, 0.24, 0), 0.015, bone),
        sphere(0.018, bone, (0.012, 0.245, 0), segments=6),
        sphere(0.018, bone, (-0.012, 0.245, 0), segments=6),
    ]
    return Drawn(
        [group(parts).turn(z=kit.pick(0.0, -75.0, -90.0)).turn(y=kit.pick(0.0, 30.0))],
        meat,
        "",
        (),
        ("a bone",),
    )


@family("sausage", "sausages", "bratwurst", "wiener", kind=KIND)
def _sausage(kit: Kit) -> Drawn:
    meat = kit.color("brown", "red", "dark red", "pink", "orange")
    count = kit.pick(1, 1, 2, 3)
    parts = []
    for i in range(count):
        xs = np.linspace(-0.5, 0.5, 9)
        path = np.stack([0.15 * xs, 0 * xs + 0.02, 0.14 * xs * xs + 0.048 * i], 1)
        radius = np.full(9, 0.017 * min(kit.chunk, 1.25))
        radius[[0, -1]] = 0.004
        radius[[1, -2]] *= 0.85
        parts.append(sweep(path, radius.tolist(), meat, segments=8))
        parts += [
            sphere(0.005, meat, (float(path[k, 0]), 0.02, float(path[k, 2])), segments=5)
            for k in (0, -1)
        ]
    return Drawn(
        parts,
        meat,
        "",
        ("curved",),
        (),
        ("sausage",) if count == 1 else (f"{('two', 'three')[count - 2]} sausages", "sausages"),
    )


@family("bacon", "slice of bacon", kind=KIND)
def _bacon(kit: Kit) -> Drawn:
    meat, fat = kit.color("red", "dark red", "brown"), kit.color("beige", "pink")
    xs = np.linspace(-0.09, 0.09, 13)
    wave = 0.012 * np.sin(np.arange(13) * 1.15) * kit.chunk
    parts = []
    for i in range(kit.count(1, 3)):
        for z, w, paint in (
            (-0.014, 0.008, meat),
            (-0.005, 0.007, fat),
            (0.004, 0.01, meat),
            (0.0125, 0.005, fat),
        ):
            strip = ribbon(np.stack([xs, wave], 1), 0.006, w, paint)
            parts.append(strip.move(0, 0.015, z + 0.045 * i))
    return Drawn(
        parts,
        None,
        "",
        ("wavy", "crispy"),
        ("stripes of fat",),
        ("bacon",),
        paints={"meat": meat, "fat": fat},
    )


@family("chicken leg", "drumstick", "chicken drumstick", "fried chicken", kind=KIND)
def _drumstick(kit: Kit) -> Drawn:
    meat, bone = kit.color("brown", "orange", "light brown"), (0.96, 0.93, 0.86)
    body = lathe(
        [(0, 0), (0.03, 0.004), (0.045, 0.035), (0.038, 0.07), (0.016, 0.115), (0, 0.12)],
        meat,
        segments=max(8, kit.segments),
    )
    parts = [
        body,
        bar((0, 0.1, 0), (0, 0.165, 0), 0.009 * kit.chunk, bone),
        *[sphere(0.012, bone, (s * 0.009, 0.168, 0), segments=6) for s in (-1, 1)],
    ]
    return Drawn(
        [group(parts).turn(z=kit.pick(0.0, -55.0, 100.0))],
        meat,
        "",
        ("fried", "crispy"),
        ("a bone",),
    )


@family("roast chicken", "whole chicken", "roasted turkey", "turkey dinner", kind=KIND)
def _roast(kit: Kit) -> Drawn:
    meat, bone = kit.color("brown", "orange", "light brown"), (0.96, 0.93, 0.86)
    parts = [sphere((0.11, 0.075, 0.14), meat, (0, 0.08, 0), segments=12)]
    for s in (-1, 1):
        leg = [
            sphere((0.035, 0.04, 0.065), meat, segments=8),
            bar((0, 0, 0.05), (0, 0.01, 0.12), 0.011, bone),
            sphere(0.016, bone, (0, 0.012, 0.125), segments=6),
        ]
        parts += [
            group(leg).turn(x=-25).turn(y=s * 18).move(s * 0.09, 0.08, 0.05),
            sphere((0.022, 0.03, 0.06), meat, (s * 0.11, 0.09, -0.05), segments=8),
        ]
    features = ["two legs"]
    if kit.chance(0.7):
        parts.append(cylinder(0.21, 0.015, kit.color("white", "silver", "light blue"), segments=18))
        green = kit.color("green", "light green")
        parts += [
            blob(
                (0.045, 0.02, 0.045),
                green,
                kit.rng,
                (0.16 * np.cos(a), 0.02, 0.16 * np.sin(a)),
                detail=0,
            )
            for a in np.linspace(0, 6.28, 10)[:-1]
        ]
        features += ["a plate", "salad"]
    return Drawn(parts, meat, "", ("roasted",), tuple(features))


@family("fish fillet", "salmon fillet", "fish on a plate", "cooked fish", kind=KIND)
def _fish_dish(kit: Kit) -> Drawn:
    skin = kit.color("silver", "blue", "orange", "grey", "teal")
    fish = [
        sphere((0.11, 0.03, 0.042), skin, segments=12),
        prism([(0, 0), (0.06, 0.045), (0.045, 0), (0.06, -0.045)], 0.012, skin)
        .turn(x=-90)
        .move(0.09),
    ]
    fish += [
        sphere(0.008, (0.98, 0.98, 0.98), (-0.085, 0.018, s * 0.012), segments=6) for s in (-1, 1)
    ]
    parts = [
        group(fish).move(y=0.045),
        cylinder(0.16, 0.014, kit.color("white", "light blue"), segments=18).scale(1.2, 1, 0.8),
    ]
    lemon = [
        cylinder(0.025, 0.008, (0.97, 0.83, 0.2), segments=10),
        cylinder(0.02, 0.009, (0.99, 0.94, 0.6), segments=10),
    ]
    parts += [group(lemon).move(x, 0.016, 0.075) for x in (-0.05, 0.02)]
    return Drawn(
        parts,
        None,
        "",
        ("cooked",),
        ("slices of lemon", "a plate"),
        ("fish on a plate", "cooked fish"),
        paints={"fish": skin},
    )


@family("egg", "chicken egg", kind=KIND)
def _egg(kit: Kit) -> Drawn:
    shell, yolk = kit.color("white", "beige", "light brown"), kit.color("yellow", "orange")
    oval = [
        (0.022 * np.sin(a) * (1 + 0.14 * np.cos(a)), 0.029 * (1 - np.cos(a)))
        for a in np.linspace(0, np.pi, 9)
    ]
    style = kit.pick("whole", "fried", "half", "cup")
    segments = max(10, kit.segments)
    if style == "fried":
        white = kit.color("white")
        return Drawn(
            [
                layer(kit, 0.055, 0.007, white, wavy=0.16),
                sphere((0.02, 0.014, 0.02), yolk, (0.004, 0.006, 0), segments=segments, low=0.5),
            ],
            white,
            "",
            ("fried",),
            ("a yolk",),
            ("fried egg", "sunny side up egg"),
            paints={"yolk": yolk},
        )
    body = lathe(oval, shell, segments=segments)
    if style == "half":
        white = kit.color("white")
        half = sphere((0.022, 0.02, 0.029), white, segments=segments, high=0.5)
        parts = [
            half.move(y=0.02),
            sphere((0.012, 0.006, 0.012), yolk, (0, 0.02, 0.003), segments=8, low=0.5),
        ]
        return Drawn(
            parts,
            None,
            "",
            ("boiled", "halved"),
            ("a yolk",),
            ("boiled egg", "half an egg"),
            paints={"yolk": yolk},
        )
    if style == "cup":
        cup = kit.other(shell, "blue", "red", "yellow", "teal")
        return Drawn(
            [
                body.move(y=0.03),
                lathe(
                    [(0, 0), (0.02, 0), (0.008, 0.012), (0.024, 0.04), (0.02, 0.045), (0, 0.03)],
                    cup,
                    segments=segments,
                ),
            ],
            None,
            "",
            (),
            (f"a {kit.say(cup, 'egg cup')}",),
            ("egg in an egg cup", "boiled egg"),
            paints={"cup": cup},
        )
    return Drawn([body.turn(z=kit.pick(0.0, 90.0))], shell, "", ("oval", "smooth"), (), ("egg",))


@family("cheese", "piece of cheese", kind=KIND)
def _cheese(kit: Kit) -> Drawn:
    color = kit.color("yellow", "yellow", "orange")
    hole = Paint((color.rgb[0] * 0.8, color.rgb[1] * 0.75, color.rgb[2] * 0.6))
    style = kit.pick("wedge", "wedge", "wheel", "slice")
    if style == "slice":
        return Drawn(
            [
                box((0.1, 0.006 * kit.chunk, 0.1), color),
                *[
                    cylinder(r, 0.0075 * kit.chunk, hole, (x, 0, z), segments=8)
                    for x, z, r in (
                        (0.02, 0.01, 0.011),
                        (-0.025, -0.02, 0.008),
                        (-0.01, 0.03, 0.006),
                    )
                ],
            ],
            color,
            "",
            ("flat", "square"),
            ("holes",),
            ("slice of cheese", "cheese slice", "cheese"),
        )
    degrees = 300 if style == "wheel" else kit.between(35, 60)
    outline = [
        (0.0, 0.0),
        *arc(0.12, -90 - degrees / 2, -90 + degrees / 2, 14 if style == "wheel" else 4),
    ]
    height = 0.06
    parts = [prism(outline, height, color).turn(x=-90).move(y=height / 2)]
    if style == "wheel":
        rind = kit.color("red", "orange", "yellow")
        rim = arc(0.124, -90 - degrees / 2, -90 + degrees / 2, 14)
        parts.append(
            prism(
                np.array([*rim, *[(x * 0.95, y * 0.95) for x, y in rim[::-1]]]), height * 1.02, rind
            )
            .turn(x=-90)
            .move(y=height / 2)
        )
    else:
        edge = np.radians(degrees / 2)
        normal = (float(np.cos(edge)), 0.0, -float(np.sin(edge)))
        for along, y, r in ((0.05, 0.02, 0.01), (0.085, 0.04, 0.013), (0.1, 0.015, 0.008)):
            at = (along * float(np.sin(edge)), y, along * float(np.cos(edge)))
            parts.append(
                sphere(
                    r,
                    hole,
                    (at[0] - normal[0] * r * 0.6, at[1], at[2] - normal[2] * r * 0.6),
                    segments=8,
                )
            )
        parts += [
            sphere((r, 0.004, r), hole, (x, height, z), segments=8)
            for x, z, r in ((0.0, 0.08, 0.012), (0.015, 0.1, 0.008), (-0.012, 0.055, 0.007))
        ]
    return Drawn(
        [group(parts).turn(y=kit.pick(0.0, 120.0, -80.0))],
        color,
        "",
        ("triangular",) if style == "wedge" else ("round",),
        ("holes",) if style == "wedge" else ("a piece cut out",),
        ("cheese wedge", "cheese") if style == "wedge" else ("wheel of cheese", "cheese"),
    )
