"""Cakes, ice cream, sweets."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.bakery import KIND, layer
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    arc,
    bar,
    blob,
    box,
    circle,
    cone,
    cylinder,
    group,
    lathe,
    prism,
    rounded,
    sphere,
    sweep,
    torus,
    tube,
)


def _wedge(outline_radius: float, degrees: float) -> list[tuple[float, float]]:
    return [(0.0, 0.0), *arc(outline_radius, -90 - degrees / 2, -90 + degrees / 2, 4)]


@family("cake", "torte", kind="dessert")
def _cake(kit: Kit) -> Drawn:
    icing = kit.color(
        "pink", "white", "brown", "light blue", "yellow", "dark brown", "light green", "purple"
    )
    inner = kit.other(icing, "light brown", "white", "beige", "brown", "pink")
    segments, radius = max(12, kit.segments), 0.12
    tiers = kit.pick(1, 1, 1, 2, 3)
    parts, y = [cylinder(0.16, 0.012, kit.color("white", "light grey"), segments=16)], 0.012
    for i in range(tiers):
        r, h = radius * (1 - 0.27 * i), 0.09 if tiers == 1 else 0.065
        parts += [
            cylinder(r, h, icing, (0, y, 0), segments=segments, bevel=0.008),
            tube(r * 1.015, r * 0.9, h * 0.18, inner, (0, y + h * 0.4, 0), segments=segments),
        ]
        y += h
        parts += [
            sphere(0.013, inner, (r * 0.84 * np.cos(a), y, r * 0.84 * np.sin(a)), segments=6)
            for a in np.linspace(0, 2 * np.pi, 9)[:-1]
        ]
    r = radius * (1 - 0.27 * (tiers - 1))
    features = [f"{kit.say(icing, 'icing')}"] + (
        [f"{('two', 'three')[tiers - 2]} tiers"] if tiers > 1 else []
    )
    words = ("wedding cake", "cake") if tiers > 1 else ("cake",)
    if kit.chance(0.55):
        count = kit.count(1, 6)
        for i in range(count):
            a = 2 * np.pi * i / count
            x, z = (0.55 * r * np.cos(a), 0.55 * r * np.sin(a)) if count > 1 else (0, 0)
            parts += [
                cylinder(0.006, 0.05, kit.color(), (x, y, z), segments=6),
                cone(0.007, 0.02, (1.0, 0.75, 0.2), (x, y + 0.05, z), segments=6),
            ]
        features.append("candles" if count > 1 else "a candle")
        words = ("birthday cake", "cake")
    elif kit.chance(0.6):
        parts += [
            sphere(
                0.018,
                (0.82, 0.12, 0.16),
                (0.5 * r * np.cos(a), y + 0.01, 0.5 * r * np.sin(a)),
                segments=8,
            )
            for a in np.linspace(0, 2 * np.pi, 7)[:-1]
        ]
        features.append("cherries")
    return Drawn(parts, icing, "", ("sweet", "round"), tuple(features), words)


@family("slice of cake", "piece of cake", "cake slice", "cake", kind="dessert")
def _cake_slice(kit: Kit) -> Drawn:
    icing, sponge = (
        kit.color("pink", "white", "brown", "light blue", "dark brown"),
        kit.color("light brown", "beige", "yellow"),
    )
    cut = np.array(_wedge(0.14, kit.between(38, 52)))
    y, parts = 0.0, []
    for _ in range(3):
        for paint, thick in ((sponge, 0.026), (icing, 0.009)):
            parts.append(prism(cut, thick, paint).turn(x=-90).move(y=y + thick / 2))
            y += thick
    back = [(x * 1.03, y) for x, y in arc(0.14, -90 - 24, -90 + 24, 4)]
    parts.append(
        prism(np.array([*back, *[(x * 0.94, y * 0.94) for x, y in back[::-1]]]), y, icing)
        .turn(x=-90)
        .move(y=y / 2)
    )
    berry = kit.color("red")
    parts.append(sphere(0.018, berry, (0, y + 0.012, 0.1), segments=8))
    body = group(parts).turn(y=kit.pick(40.0, 150.0, -60.0))
    return Drawn(
        [body],
        None,
        "",
        ("sweet", "triangular"),
        (kit.say(icing, "icing"), "a cherry on top", "layers"),
        ("slice of cake",),
        paints={"icing": icing, "sponge": sponge},
    )


@family("cupcake", "muffin", "fairy cake", "frosted cupcake", kind="dessert")
def _cupcake(kit: Kit) -> Drawn:
    paper, cream = (
        kit.color(),
        kit.color("pink", "white", "brown", "light blue", "yellow", "purple", "light green"),
    )
    segments = max(10, kit.segments)
    outline = [
        (0.032 * (1.0 if i % 2 else 0.9) * np.cos(a), 0.032 * (1.0 if i % 2 else 0.9) * np.sin(a))
        for i, a in enumerate(np.linspace(0, 2 * np.pi, 25)[:-1])
    ]
    cup = prism(outline, 0.04, paper).turn(x=-90).move(y=0.02).taper(1.35)
    parts = [cup]
    if kit.chance(0.75):
        y = 0.04
        for i in range(3):
            r = 0.044 * (1 - 0.3 * i)
            parts.append(sphere((r, 0.014, r), cream, (0, y + 0.006, 0), segments=segments))
            y += 0.015
        parts.append(cone(0.015, 0.02, cream, (0, y, 0), segments=segments))
        features = [f"{kit.say(cream, 'frosting')}"]
        if kit.chance(0.5):
            parts.append(sphere(0.011, (0.82, 0.12, 0.16), (0, y + 0.02, 0), segments=8))
            features.append("a cherry on top")
        else:
            parts += [
                box(
                    (0.003, 0.003, 0.009),
                    kit.color(),
                    (0.03 * np.cos(i * 2.4), 0.056, 0.03 * np.sin(i * 2.4)),
                ).turn(y=0)
                for i in range(8)
            ]
            features.append("sprinkles")
        return Drawn(
            parts,
            None,
            "",
            ("sweet", "small"),
            tuple(features),
            ("cupcake",),
            paints={"frosting": cream, "paper": paper},
        )
    dough = kit.color("light brown", "brown", "dark brown")
    parts.append(sphere((0.05, 0.03, 0.05), dough, (0, 0.04, 0), segments=segments, low=0.4))
    parts += [
        blob(
            0.006,
            (0.25, 0.13, 0.08),
            kit.rng,
            (0.035 * np.cos(i * 2.4), 0.06, 0.035 * np.sin(i * 2.4)),
            detail=0,
        )
        for i in range(6)
    ]
    return Drawn(
        parts,
        None,
        "",
        ("small",),
        ("chocolate chips",),
        ("muffin",),
        paints={"top": dough, "paper": paper},
    )


@family("donut", "doughnut", "glazed donut", "ring doughnut", kind="dessert")
def _donut(kit: Kit) -> Drawn:
    dough, icing = (
        kit.color("light brown", "orange"),
        kit.color("pink", "brown", "white", "light blue", "dark brown", "yellow", "purple"),
    )
    segments, thick = 16, 0.024 * min(kit.chunk, 1.2)
    glaze = torus(0.045, thick * 1.05, icing, segments=segments, around=10)
    glaze.vertices[:, 1] = np.maximum(glaze.vertices[:, 1], 0.25 * thick)
    parts = [torus(0.045, thick, dough, segments=segments, around=8), glaze]
    features = [f"{kit.say(icing, 'icing')}"]
    if kit.chance(0.65):
        for i in range(18):
            a, r = i * 2.4, 0.045 + thick * kit.between(-0.5, 0.5)
            y = float(np.sqrt(max(0.0, (1.05 * thick) ** 2 - (r - 0.045) ** 2)))
            parts.append(
                box((0.003, 0.003, 0.01), kit.color())
                .turn(y=kit.between(0, 180))
                .move(r * np.cos(a), y - 0.001, r * np.sin(a))
            )
        features.append("colourful sprinkles" if kit.look != "clay" else "sprinkles")
    body = group(parts).turn(x=kit.pick(0.0, 0.0, 70.0))
    return Drawn(
        [body],
        None,
        "",
        ("sweet", "round"),
        (*features, "a hole in the middle"),
        ("donut",),
        paints={"icing": icing},
    )


@family("cookie", "biscuit", "chocolate chip cookie", "gingerbread", kind="dessert")
def _cookie(kit: Kit) -> Drawn:
    dough = kit.color("light brown", "brown", "orange")
    if kit.chance(0.25):
        icing, flat = kit.color("white", "red", "green"), 0.018
        parts = [
            prism(circle(0.022, 12), flat, dough, (0, 0.075, 0)),
            prism(rounded(0.034, 0.06, 0.01), flat, dough, (0, 0.03, 0)),
        ]
        parts += [
            bar((s * 0.01, 0.05, 0), (s * 0.05, 0.06, 0), 0.01, dough, segments=8) for s in (-1, 1)
        ]
        parts += [
            bar((s * 0.01, 0.01, 0), (s * 0.03, -0.03, 0), 0.011, dough, segments=8)
            for s in (-1, 1)
        ]
        parts += [
            sphere(0.003, icing, (x, y, 0.009), segments=6)
            for x, y in ((-0.008, 0.08), (0.008, 0.08), (0, 0.045), (0, 0.03))
        ]
        return Drawn(
            [group(parts).turn(x=kit.pick(0.0, -80.0))],
            dough,
            "",
            ("man-shaped",),
            (kit.say(icing, "buttons"),),
            ("gingerbread man", "cookie"),
        )
    body = cylinder(
        0.045, 0.014 * kit.chunk, dough, segments=max(10, kit.segments), bevel=0.005
    ).rough(kit.rng, 0.0012)
    chip = kit.color("dark brown", "dark brown", "white")
    parts = [
        body,
        *[
            blob(0.006, chip, kit.rng, (r * np.cos(a), 0.014 * kit.chunk, r * np.sin(a)), detail=0)
            for a, r in [(i * 2.4, 0.036 * np.sqrt((i + 0.5) / 9)) for i in range(9)]
        ],
    ]
    return Drawn(
        parts,
        dough,
        "",
        ("round", "sweet"),
        ("chocolate chips",),
        ("cookie", "chocolate chip cookie"),
    )


@family("pie", "apple pie", "cherry pie", "tart", kind="dessert")
def _pie(kit: Kit) -> Drawn:
    crust, filling = (
        kit.color("light brown", "orange"),
        kit.color("red", "purple", "orange", "yellow", "brown"),
    )
    segments = 18
    parts = [
        cylinder(0.09, 0.035, kit.color("silver", "grey", "white"), top=0.12, segments=segments),
        cylinder(0.112, 0.012, filling, (0, 0.03, 0), segments=segments),
        torus(0.118, 0.012 * kit.chunk, crust, (0, 0.038, 0), segments=segments),
    ]
    if kit.chance(0.65):
        for turn in (0, 90):
            parts += [
                box(
                    (0.016, 0.006, 2 * float(np.sqrt(0.0125 - x * x))),
                    crust,
                    (x, 0.041 + turn * 2e-5, 0),
                ).turn(y=turn)
                for x in (-0.07, -0.035, 0.0, 0.035, 0.07)
            ]
        features = ["a lattice crust", kit.say(filling, "filling")]
        main = None
    else:
        parts.append(sphere((0.112, 0.03, 0.112), crust, (0, 0.038, 0), segments=segments, low=0.5))
        parts += [
            box((0.008, 0.004, 0.04), filling, (0, 0.064, 0.03)).turn(y=a)
            for a in (0, 90, 180, 270)
        ]
        features, main = (
            ["slits on top", "a golden crust" if crust.name == "orange" else "a crust"],
            crust,
        )
    return Drawn(
        parts, main, "", ("round", "baked"), tuple(features), ("pie",), paints={"crust": crust}
    )


@family("ice cream", "ice cream cone", "ice-cream", "gelato", kind="dessert")
def _ice_cream(kit: Kit) -> Drawn:
    wafer = kit.color("light brown", "orange")
    scoops = kit.count(1, 3)
    flavours = [
        kit.color(
            "pink", "white", "brown", "light green", "yellow", "light blue", "dark brown", "purple"
        )
        for _ in range(scoops)
    ]
    segments = max(10, kit.segments)
    cup = kit.chance(0.25)
    if cup:
        bowl = kit.color()
        parts = [
            lathe(
                [(0, 0), (0.035, 0), (0.055, 0.06), (0.05, 0.06), (0.03, 0.008), (0, 0.008)],
                bowl,
                segments=segments,
            )
        ]
        places = (
            [(0.0, 0.065, 0.0)]
            if scoops == 1
            else [(-0.024, 0.065, 0.01), (0.024, 0.065, 0.01), (0, 0.095, -0.01)]
        )
        parts += [
            sphere(0.03, f, p, segments=segments) for f, p in zip(flavours, places, strict=False)
        ]
        words = ("bowl of ice cream", "ice cream")
        features = ["a cup"]
    else:
        parts = [
            cone(0.034, 0.12, wafer, segments=segments).turn(x=180).move(y=0.12),
            torus(0.033, 0.005, wafer, (0, 0.118, 0), segments=segments),
        ]
        y = 0.135
        for i, flavour in enumerate(flavours):
            r = 0.038 * (1 - 0.1 * i)
            parts += [
                sphere(r, flavour, (0, y, 0), segments=segments),
                torus(r * 0.86, 0.008, flavour, (0, y - r * 0.45, 0), segments=segments, around=5),
            ]
            y += r * 1.25
        words = ("ice cream cone", "ice cream")
        features = ["a waffle cone"]
        if kit.chance(0.3):
            parts.append(sphere(0.012, (0.82, 0.12, 0.16), (0, y - 0.005, 0), segments=8))
            features.append("a cherry")
    number = ("one scoop", "two scoops", "three scoops")[scoops - 1]
    return Drawn(
        parts,
        None,
        "",
        ("cold", "sweet"),
        (*features, number, kit.say(flavours[0], "ice cream")),
        words,
        paints={"scoop": flavours[0]},
    )


@family("popsicle", "ice lolly", "ice pop", "ice cream bar", kind="dessert")
def _popsicle(kit: Kit) -> Drawn:
    ice = kit.color("red", "orange", "pink", "light blue", "green", "yellow", "brown", "purple")
    outline = [*arc(0.03, 0, 180, 8, (0, 0.07)), (-0.03, 0), (0.03, 0)]
    parts = [
        prism(outline, 0.022 * kit.chunk, ice, bevel=0.005),
        prism(rounded(0.014, 0.07, 0.005), 0.006, (0.87, 0.72, 0.5), (0, -0.03, 0)),
    ]
    features = ["a wooden stick" if kit.look != "clay" else "a stick"]
    if kit.chance(0.35):
        band = kit.other(ice)
        parts.append(box((0.0605, 0.03, 0.024 * kit.chunk), band, (0, 0.0, 0)))
        features.append(f"a {kit.say(band, 'lower half')}")
    return Drawn(parts, ice, "", ("cold", "sweet"), tuple(features))


@family("pancakes", "stack of pancakes", "flapjacks", "hotcakes", kind=KIND)
def _pancakes(kit: Kit) -> Drawn:
    dough = kit.color("light brown", "orange", "brown")
    count, y = kit.count(2, 6), 0.012
    parts = [cylinder(0.13, 0.01, kit.color("white", "light blue"), segments=18)]
    for _ in range(count):
        r = 0.085 * kit.between(0.94, 1.04)
        parts.append(
            cylinder(
                r,
                0.016,
                dough,
                (kit.between(-0.006, 0.006), y, kit.between(-0.006, 0.006)),
                segments=max(12, kit.segments),
                bevel=0.005,
            )
        )
        y += 0.016
    parts += [
        layer(kit, 0.05, 0.004, kit.color("dark brown", "orange"), wavy=0.25).move(y=y),
        box((0.03, 0.012, 0.03), kit.color("yellow"), (0, y + 0.004, 0)).turn(y=20),
    ]
    return Drawn(
        parts,
        None,
        "",
        ("round",),
        ("butter", "syrup", "a plate"),
        ("pancakes", "stack of pancakes"),
        paints={"pancakes": dough},
    )


@family("waffle", "belgian waffle", "breakfast waffle", kind=KIND)
def _waffle(kit: Kit) -> Drawn:
    dough = kit.color("light brown", "orange", "brown")
    parts = [box((0.14, 0.012, 0.14), dough)]
    for v in np.linspace(-0.063, 0.063, 5):
        parts += [
            box((0.01, 0.014, 0.14), dough, (v, 0.01, 0)),
            box((0.14, 0.0135, 0.01), dough, (0, 0.01, v)),
        ]
    features = ["a square grid"]
    if kit.chance(0.5):
        parts.append(box((0.03, 0.014, 0.03), kit.color("yellow"), (0, 0.023, 0)).turn(y=25))
        features.append("butter")
    return Drawn(parts, dough, "", ("square",), tuple(features))


@family("chocolate bar", "chocolate", "bar of chocolate", "candy bar", kind="sweets")
def _chocolate(kit: Kit) -> Drawn:
    color, wrap = (
        kit.color("brown", "dark brown", "white"),
        kit.color("red", "blue", "gold", "purple", "green"),
    )
    parts = [box((0.08, 0.008, 0.15), color)]
    parts += [
        box((0.023, 0.008, 0.026), color, (x, 0.008, z), bevel=0.002, taper=0.85)
        for x in (-0.026, 0, 0.026)
        for z in np.linspace(-0.06, 0.06, 5)
    ]
    features = ["squares"]
    if kit.chance(0.6):
        parts += [
            box((0.086, 0.02, 0.085), wrap, (0, -0.001, 0.036)),
            box((0.084, 0.018, 0.014), (0.85, 0.86, 0.88), (0, 0, -0.012)),
        ]
        features.append(f"a {kit.say(wrap, 'wrapper')}")
    return Drawn(
        [group(parts).turn(x=kit.pick(0.0, 75.0)).turn(y=kit.pick(0.0, 40.0))],
        color if len(features) == 1 else None,
        "",
        ("sweet",),
        tuple(features),
        paints={"chocolate": color},
    )


@family("lollipop", "lolly", "sucker", "candy on a stick", kind="sweets")
def _lollipop(kit: Kit) -> Drawn:
    candy = kit.color()
    swirl = kit.other(candy, "white", "yellow", "red", "pink")
    parts = [cylinder(0.005, 0.16, (0.96, 0.95, 0.92), segments=6)]
    if kit.chance(0.65):
        parts.append(prism(circle(0.05, 18), 0.018 * kit.chunk, candy, (0, 0.2, 0), bevel=0.004))
        a = np.linspace(0, 4 * np.pi, 26)
        for side in (-1, 1):
            path = np.stack(
                [
                    0.0034 * a * np.cos(a),
                    0.2 + 0.0034 * a * np.sin(a),
                    0 * a + side * 0.0095 * kit.chunk,
                ],
                1,
            )
            parts.append(sweep(path, 0.004, swirl, segments=5))
        return Drawn(
            parts,
            candy,
            "",
            ("round", "sweet"),
            (f"a {kit.say(swirl, 'swirl')}", "a stick"),
            paints={"swirl": swirl},
        )
    parts.append(sphere(0.035, candy, (0, 0.185, 0), segments=max(8, kit.segments)))
    return Drawn(parts, candy, "", ("round", "sweet"), ("a stick",))


@family("candy", "wrapped candy", "sweet", "bonbon", "candy cane", kind="sweets")
def _candy(kit: Kit) -> Drawn:
    color = kit.color()
    stripe = kit.other(color, "white", "yellow")
    if kit.chance(0.35):
        red, white = kit.color("red", "green"), kit.color("white")
        t = np.linspace(0, 1, 19)
        path = [
            (0.0, 0.14 * float(v) / 0.65, 0.0)
            if v < 0.65
            else (
                0.035 - 0.035 * float(np.cos((v - 0.65) / 0.35 * np.pi)),
                0.14 + 0.035 * float(np.sin((v - 0.65) / 0.35 * np.pi)),
                0.0,
            )
            for v in t
        ]
        parts = [
            sweep(path[i : i + 2], 0.012 * kit.chunk, red if i % 2 else white, segments=8)
            for i in range(18)
        ]
        return Drawn(
            parts,
            None,
            "",
            ("striped", "sweet"),
            (kit.say(red, "stripes"),),
            ("candy cane",),
            paints={"stripes": red},
        )
    body = sphere((0.032, 0.022, 0.022), color, segments=10)
    parts = [
        body,
        *[cone(0.02, 0.03, color, segments=8).turn(z=s * 90).move(s * 0.055) for s in (-1, 1)],
    ]
    parts += [
        torus(0.02, 0.003, stripe, segments=10, around=4).turn(z=90).move(x)
        for x in (-0.012, 0.012)
    ]
    return Drawn(
        parts,
        color,
        "",
        ("sweet", "small"),
        (kit.say(stripe, "stripes"), "a wrapper"),
        ("candy", "wrapped candy"),
    )
