"""Cutlery and tools of a kitchen, and what hangs about there."""

from __future__ import annotations

from functools import partial

import numpy as np

from polyorama.shapes.procedural.families.tableware import WARE, vessel
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    capsule,
    cylinder,
    group,
    lathe,
    pillow,
    prism,
    rounded,
    sphere,
    sweep,
    torus,
    tube,
)


@family("knife", "kitchen knife", "table knife", "chef's knife", kind="cutlery")
def _knife(kit: Kit) -> Drawn:
    blade, grip = (
        kit.color("silver", "light grey", "grey"),
        kit.color("black", "brown", "red", "blue", "dark brown"),
    )
    length, wide = kit.between(0.13, 0.2), kit.between(0.025, 0.05) * kit.chunk
    outline = [(0, 0), (wide, 0), (wide * 0.98, length * 0.65), (wide * 0.2, length), (0, length)]
    parts = [
        prism(outline, 0.006, blade, bevel=0.002),
        box((0.026 * kit.chunk, 0.11, 0.018), grip, (wide * 0.4, -0.11, 0), bevel=0.005),
    ]
    parts += [
        cylinder(0.004, 0.022, blade, segments=6).turn(x=90).move(wide * 0.4, y, -0.011)
        for y in (-0.03, -0.08)
    ]
    body = group(parts).turn(z=kit.pick(0.0, 90.0)).turn(x=kit.pick(0.0, -75.0))
    return Drawn(
        [body],
        None,
        "metal",
        ("sharp",),
        (f"a {kit.say(grip, 'handle')}", "a pointed blade"),
        paints={"handle": grip, "blade": blade},
    )


@family("cleaver", "butcher's knife", "meat cleaver", "chopping knife", kind="cutlery")
def _cleaver(kit: Kit) -> Drawn:
    blade, grip = (
        kit.color("silver", "light grey", "grey"),
        kit.color("brown", "black", "dark brown"),
    )
    parts = [
        prism([(0, 0), (0.08, 0), (0.085, 0.16), (0, 0.16)], 0.008, blade, bevel=0.002),
        box((0.028, 0.12, 0.022), grip, (0.014, -0.12, 0), bevel=0.006),
    ]
    return Drawn(
        [group(parts).turn(z=kit.pick(0.0, 90.0))],
        blade,
        "metal",
        ("big",),
        (f"a {kit.say(grip, 'handle')}", "a wide blade"),
        paints={"handle": grip},
    )


def _cutlery(kit: Kit, head: str) -> Drawn:
    metal = kit.color("silver", "grey", "light grey", "gold", "silver")
    grip = metal if kit.chance(0.65) else kit.other(metal, "red", "blue", "brown", "black", "green")
    thick = 0.006 * kit.chunk
    parts = [prism(rounded(0.014 * kit.chunk, 0.13, 0.005), thick, grip, (0, -0.07, 0))]
    if head == "spoon":
        bowl = lathe(
            [(0, 0), (0.012, 0.002), (0.022, 0.012), (0.019, 0.013), (0.01, 0.005), (0, 0.004)],
            metal,
            segments=10,
        )
        parts.append(bowl.turn(x=90).scale(1, 1.45, 1).move(0, 0.035, -0.006))
    else:
        parts += [
            prism([(-0.01, -0.015), (0.01, -0.015), (0.016, 0.015), (-0.016, 0.015)], thick, metal)
        ]
        parts += [
            box((0.005, 0.045, thick), metal, (x, 0.012, 0))
            for x in (-0.0135, -0.0045, 0.0045, 0.0135)
        ]
    body = group(parts).turn(x=kit.pick(0.0, -80.0))
    features = ("four prongs",) if head == "fork" else ("an oval bowl",)
    return Drawn(
        [body], metal if grip is metal else None, "metal", (), features, (), (), {"head": metal}
    )


family("spoon", "tablespoon", "teaspoon", kind="cutlery")(partial(_cutlery, head="spoon"))


family("fork", "dinner fork", "table fork", kind="cutlery")(partial(_cutlery, head="fork"))


def _tool(
    kit: Kit,
    head: list[Part],
    words: tuple[str, ...],
    features: tuple[str, ...],
    color: Paint,
    material: str,
) -> Drawn:
    """A kitchen tool with a long stem upwards from its head."""
    grip = color if kit.chance(0.4) else kit.other(color, "black", "brown", "red", "light brown")
    stem = [
        cylinder(0.006 * kit.chunk, 0.16, color, (0, 0.08, 0), segments=6),
        capsule(0.013 * kit.chunk, 0.12, grip, (0, 0.2, 0), segments=8),
    ]
    body = group([*head, *stem]).turn(x=kit.pick(0.0, 15.0, 85.0))
    return Drawn([body], None, material, ("long",), features, words, (), {"head": color})


@family("spatula", "turner", "fish slice", "kitchen spatula", kind="kitchen tool")
def _spatula(kit: Kit) -> Drawn:
    color = kit.color("black", "silver", "grey", "red", "light brown")
    head = [box((0.075, 0.09, 0.006), color, taper=0.85)]
    return _tool(kit, head, ("spatula",), ("a flat head",), color, kit.pick("metal", "plastic"))


@family("ladle", "soup ladle", "soup spoon", kind="kitchen tool")
def _ladle(kit: Kit) -> Drawn:
    color = kit.color("silver", "grey", "black", "light brown")
    cup = lathe(
        [(0, 0), (0.03, 0.005), (0.05, 0.03), (0.048, 0.04), (0.028, 0.012), (0, 0.008)],
        color,
        segments=12,
    ).move(0, 0.0, 0.045)
    return _tool(
        kit,
        [cup, bar((0, 0.035, 0.0), (0, 0.09, 0), 0.007, color)],
        ("ladle",),
        ("a deep cup",),
        color,
        "metal",
    )


@family("whisk", "egg beater", "balloon whisk", kind="kitchen tool")
def _whisk(kit: Kit) -> Drawn:
    color = kit.color("silver", "grey", "light grey")
    angles = np.linspace(-np.pi / 2 + 0.25, 1.5 * np.pi - 0.25, 13)
    loop = np.stack([0.036 * np.cos(angles), 0.05 + 0.055 * -np.sin(angles), 0 * angles], 1)
    wires = [sweep(loop, 0.0022, color, segments=4).turn(y=a) for a in (0, 45, 90, 135)]
    return _tool(kit, wires, ("whisk",), ("wire loops",), color, "metal")


@family("rolling pin", "dough roller", "baker's roller", kind="kitchen tool")
def _rolling_pin(kit: Kit) -> Drawn:
    wood = kit.wood()
    grip = wood if kit.chance(0.5) else kit.other(wood, "red", "blue", "dark brown", "green")
    parts = [
        cylinder(0.032, 0.24, wood, segments=max(8, kit.segments), bevel=0.006)
        .turn(z=90)
        .move(0.12, 0.032)
    ]
    parts += [
        capsule(0.014 * kit.chunk, 0.1, grip, segments=8).turn(z=s * -90).move(s * 0.11, 0.032)
        for s in (-1, 1)
    ]
    return Drawn(parts, wood, "wooden", ("round",), ("two handles",))


@family("cutting board", "chopping board", "wooden board", "breadboard", kind=WARE)
def _board(kit: Kit) -> Drawn:
    wood = kit.wood() if kit.chance(0.8) else kit.color("white", "green", "red", "blue")
    width, depth = kit.between(0.3, 0.42), kit.between(0.18, 0.26)
    outline = rounded(width, depth, 0.025)
    parts = [prism(outline, 0.02 * kit.chunk, wood).turn(x=-90)]
    features = []
    if kit.chance(0.5):
        parts += [
            prism(rounded(0.12, 0.05, 0.015), 0.02 * kit.chunk, wood)
            .turn(x=-90)
            .move(width / 2 + 0.04),
            tube(
                0.01,
                0.006,
                0.024 * kit.chunk,
                (0.2, 0.15, 0.1),
                (width / 2 + 0.08, -0.012 * kit.chunk, 0),
                segments=8,
            ),
        ]
        features.append("a handle")
    if kit.chance(0.3):
        parts += [
            box((0.18, 0.006, 0.03), (0.75, 0.77, 0.8), (-0.02, 0.012 * kit.chunk, 0.04)),
            box((0.09, 0.014, 0.022), (0.2, 0.15, 0.12), (0.11, 0.012 * kit.chunk, 0.04)),
        ]
        features.append("a knife")
    return Drawn(
        parts,
        wood,
        "wooden" if wood.name in ("brown", "light brown", "dark brown", "beige") else "plastic",
        ("flat",),
        tuple(features),
    )


@family("dish rack", "drying rack", "plate rack", "dish drainer", kind=WARE)
def _dish_rack(kit: Kit) -> Drawn:
    color = kit.color("silver", "white", "grey", "black", "light brown", "red")
    width, depth = 0.42, 0.28
    parts = [box((width, 0.02, depth), color)]
    for z in (-depth / 2, depth / 2):
        parts += [bar((-width / 2, y, z), (width / 2, y, z), 0.007, color) for y in (0.06, 0.11)]
    for x in (-width / 2, width / 2):
        parts += [bar((x, y, -depth / 2), (x, y, depth / 2), 0.007, color) for y in (0.06, 0.11)]
        parts += [box((0.014, 0.12, 0.014), color, (x, 0, z)) for z in (-depth / 2, depth / 2)]
    places = np.linspace(-0.17, 0.17, 7)
    parts += [
        sweep([(x, 0.02, -0.08), (x, 0.09, 0), (x, 0.02, 0.08)], 0.005, color) for x in places
    ]
    features = []
    if kit.chance(0.65):
        dish, count = kit.color("white", "light blue", "yellow", "red"), kit.count(2, 5)
        plate = lathe(
            [(0, 0), (0.07, 0), (0.12, 0.014), (0.115, 0.02), (0, 0.008)], dish, segments=14
        ).turn(z=-80)
        parts += [plate.move(float(places[i]) + 0.02, 0.14) for i in range(count)]
        features.append("plates")
    return Drawn(
        parts,
        None if features else color,
        kit.pick("metal", "wire"),
        (),
        tuple(features),
        (),
        ("dish rack with plates",) if features else ("empty dish rack",),
    )


@family("paper towel", "kitchen roll", "paper towel roll", "roll of paper", kind=WARE)
def _paper_towel(kit: Kit) -> Drawn:
    paper, stand = (
        kit.color("white", "white", "beige"),
        kit.color("light brown", "brown", "grey", "silver", "red"),
    )
    segments = max(12, kit.segments)
    parts = [
        cylinder(0.075, 0.018, stand, segments=segments),
        cylinder(0.01, 0.3, stand, segments=6),
        sphere(0.018, stand, (0, 0.31, 0), segments=6),
        tube(0.058, 0.018, 0.24, paper, (0, 0.02, 0), segments=segments),
        box((0.05, 0.24, 0.003), paper, (0.03, 0.02, 0.056)),
    ]
    return Drawn(
        parts, paper, "", ("round",), (f"a {kit.say(stand, 'stand')}",), paints={"stand": stand}
    )


@family("salt shaker", "pepper shaker", "pepper mill", "salt and pepper", kind=WARE)
def _shaker(kit: Kit) -> Drawn:
    color = kit.color("white", "black", "silver", "brown", "red", "light blue")
    cap = kit.other(color, "silver", "black", "gold", "dark brown")
    segments = max(8, kit.segments)

    def one(body: Paint, top: Paint) -> Part:
        return group(
            [
                cylinder(0.024, 0.07, body, top=0.018, segments=segments),
                sphere((0.02, 0.018, 0.02), top, (0, 0.068, 0), low=0.4, segments=segments),
            ]
        )

    if kit.chance(0.4):
        other = kit.other(color, "black", "white", "brown")
        return Drawn(
            [one(color, cap).move(-0.035), one(other, cap).move(0.035)],
            None,
            "",
            (),
            ("two shakers",),
            ("salt and pepper", "salt and pepper shakers"),
        )
    return Drawn(
        [one(color, cap)],
        color,
        "",
        ("small",),
        (f"a {kit.say(cap, 'top')}",),
        (kit.pick("salt shaker", "pepper shaker"),),
    )


@family("food tray", "serving tray", "tray", "cafeteria tray", kind=WARE)
def _tray(kit: Kit) -> Drawn:
    color = kit.color("red", "brown", "grey", "blue", "orange", "green", "light brown")
    parts = [prism(rounded(0.44, 0.32, 0.04), 0.012, color).turn(x=-90)]
    edge = [(x, 0.015, -y) for x, y in rounded(0.44, 0.32, 0.04)]
    parts.append(sweep([*edge, edge[0]], 0.01 * kit.chunk, color))
    features = []
    if kit.chance(0.6):
        cup = kit.color("white", "red", "yellow", "blue")
        parts += [
            cylinder(0.035, 0.12, cup, (0.13, 0, -0.06), top=0.045),
            cylinder(0.047, 0.012, (0.95, 0.95, 0.95), (0.13, 0.12, -0.06)),
            bar((0.13, 0.12, -0.06), (0.14, 0.19, -0.06), 0.005, (0.9, 0.2, 0.2)),
            cylinder(0.05, 0.025, (0.83, 0.6, 0.32), (-0.1, 0, 0)),
            cylinder(0.052, 0.02, (0.4, 0.22, 0.12), (-0.1, 0.025, 0)),
            sphere((0.052, 0.035, 0.052), (0.83, 0.6, 0.32), (-0.1, 0.045, 0), low=0.5),
        ]
        features += ["a drink", "a burger"]
    return Drawn(
        parts,
        color if not features else None,
        "plastic",
        ("flat",),
        tuple(features),
        (),
        ("tray with fast food",) if features else ("empty tray",),
        {"tray": color},
    )


@family("apron", "kitchen apron", "cooking apron", "chef's apron", kind="clothes")
def _apron(kit: Kit) -> Drawn:
    cloth = kit.color()
    outline = [
        (-0.3, 0),
        (0.3, 0),
        (0.32, 0.45),
        (0.15, 0.6),
        (0.13, 0.85),
        (-0.13, 0.85),
        (-0.15, 0.6),
        (-0.32, 0.45),
    ]
    pocket = kit.other(cloth, "white", "beige", "dark blue", "yellow") if kit.chance(0.5) else cloth
    parts = [
        prism(outline, 0.02, cloth),
        box((0.28, 0.16, 0.02), pocket, (0, 0.25, 0.014)),
        torus(0.13, 0.012, cloth, degrees=180, segments=8).turn(x=90).move(y=0.85),
    ]
    parts += [
        sweep([(s * 0.3, 0.45, 0), (s * 0.42, 0.4, 0), (s * 0.48, 0.28, 0)], 0.012, cloth)
        for s in (-1, 1)
    ]
    return Drawn(parts, cloth, "fabric", (), ("a pocket", "straps"))


@family("chef hat", "cook's hat", "toque", kind="clothes")
def _chef_hat(kit: Kit) -> Drawn:
    cloth = kit.color("white", "white", "beige")
    parts = [cylinder(0.1, 0.09, cloth, segments=12)]
    for i in range(7):
        a = 2 * np.pi * i / 7
        parts.append(
            sphere(
                (0.07, 0.06, 0.07), cloth, (0.075 * np.cos(a), 0.13, 0.075 * np.sin(a)), segments=8
            )
        )
    parts.append(sphere((0.1, 0.07, 0.1), cloth, (0, 0.15, 0), segments=10))
    return Drawn(parts, cloth, "fabric", ("puffy",))


@family("bucket", "pail", "water bucket", kind="container")
def _bucket(kit: Kit) -> Drawn:
    color = kit.color() if kit.chance(0.6) else kit.color("grey", "brown", "silver")
    metal = kit.color("grey", "dark grey", "silver")
    parts = [
        lathe(vessel(0.16, 0.11, 0.26, 0.01), color, segments=max(8, kit.segments)),
        torus(0.155, 0.008 * kit.chunk, metal, degrees=180, segments=10)
        .turn(x=kit.pick(90.0, 30.0))
        .move(y=0.25),
    ]
    features = ["a handle"]
    if kit.chance(0.4):
        parts.append(
            cylinder(0.14, 0.01, (0.35, 0.65, 0.9), (0, 0.21, 0), segments=max(8, kit.segments))
        )
        features.append("water")
    return Drawn(parts, color, kit.pick("plastic", "metal"), (), tuple(features))


@family("toast", "slice of toast", "slice of bread", kind="food")
def _toast(kit: Kit) -> Drawn:
    crust, crumb = kit.color("brown", "light brown"), kit.color("beige")
    outline = [
        (-0.05, 0),
        (0.05, 0),
        (0.052, 0.06),
        (0.062, 0.075),
        (0.05, 0.1),
        (-0.05, 0.1),
        (-0.062, 0.075),
        (-0.052, 0.06),
    ]
    flat = np.array(outline)
    parts = [
        prism(flat, 0.02 * kit.chunk, crust),
        prism((flat - [0, 0.05]) * 0.86 + [0, 0.05], 0.024 * kit.chunk, crumb),
    ]
    features = []
    if kit.chance(0.4):
        parts.append(
            pillow((0.035, 0.012, 0.035), kit.color("yellow"), square=0.3)
            .turn(x=90)
            .move(0, 0.05, 0.012)
        )
        features.append("butter")
    body = group(parts).turn(x=kit.pick(0.0, -80.0))
    return Drawn(
        [body],
        crumb,
        "",
        ("fresh",),
        tuple(features),
        ("slice of bread", "toast"),
        paints={"crust": crust},
    )
