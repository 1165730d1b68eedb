"""Things to eat and drink, ready made."""

from __future__ import annotations

from functools import partial

import numpy as np

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
    sweep,
    torus,
    tube,
)

_KIND = "food"
_BREAD = ("light brown", "light brown", "brown")


def layer(kit: Kit, radius: float, thick: float, color: Paint, *, wavy: float = 0.0) -> Part:
    """A round slice that stands on y = 0; a wavy one is a leaf of lettuce or a molten rim."""
    if not wavy:
        return cylinder(radius, thick, color, segments=max(8, kit.segments), bevel=thick * 0.3)
    angles = np.arange(16) * 2 * np.pi / 16
    reach = radius * (
        1 + wavy * np.where(np.arange(16) % 2 == 0, 1.0, -1.0) * kit.rng.uniform(0.6, 1.2, 16)
    )
    return (
        prism(np.stack([reach * np.cos(angles), reach * np.sin(angles)], 1), thick, color)
        .turn(x=-90)
        .move(y=thick / 2)
    )


def bun_top(kit: Kit, radius: float, height: float, color: Paint, seeds: bool) -> list[Part]:
    """The upper half of a bun, on y = 0."""
    parts = [sphere((radius, height, radius), color, segments=max(10, kit.segments), low=0.5)]
    if seeds:
        for i in range(14):
            a, r = i * 2.4, radius * 0.75 * np.sqrt((i + 0.5) / 14)
            y = height * float(np.sqrt(1 - (r / radius) ** 2))
            parts.append(
                sphere(
                    (0.05 * radius, 0.03 * radius, 0.08 * radius),
                    (0.97, 0.9, 0.72),
                    (float(r * np.cos(a)), y, float(r * np.sin(a))),
                    segments=6,
                )
            )
    return parts


@family("burger", "hamburger", "cheeseburger", "sandwich burger", "fast food", kind=_KIND)
def _burger(kit: Kit) -> Drawn:
    bread = kit.color("light brown", "orange", "light brown")
    radius, y = 0.06, 0.0
    veggie = kit.chance(0.15)
    patty = kit.color("green", "light brown") if veggie else kit.color("dark brown", "brown")
    parts = [cylinder(radius, 0.02 * kit.chunk, bread, segments=max(10, kit.segments), bevel=0.008)]
    y = 0.02 * kit.chunk
    stack: list[tuple[str, Part, float]] = []
    features = ["a bun"]
    for _ in range(kit.pick(1, 1, 2)):
        thick = 0.018 * kit.chunk
        stack.append(("a patty", layer(kit, radius * 1.03, thick, patty), thick))
        if kit.chance(0.65):
            square = box((radius * 1.75, 0.005, radius * 1.75), kit.color("yellow", "orange")).turn(
                y=kit.between(0, 90)
            )
            stack.append(("cheese", square, 0.005))
    fillings = [
        (
            "lettuce",
            layer(kit, radius * 1.12, 0.008, kit.color("green", "light green"), wavy=0.09),
            0.008,
        ),
        ("tomato", layer(kit, radius * 0.97, 0.01, kit.color("red")), 0.01),
        ("onion", layer(kit, radius * 0.95, 0.006, kit.color("white", "purple")), 0.006),
    ]
    stack += [fillings[i] for i in kit.rng.permutation(3)[: kit.count(1, 3)]]
    for name, part, thick in stack:
        parts.append(part.move(y=y))
        y += thick
        if name not in features:
            features.append(name)
    seeds = kit.chance(0.6)
    parts += [p.move(y=y) for p in bun_top(kit, radius * 1.03, 0.04 * kit.chunk, bread, seeds)]
    if seeds:
        features.append("sesame seeds")
    words = (
        ("veggie burger", "burger")
        if veggie
        else ("cheeseburger", "burger")
        if "cheese" in features and kit.chance(0.4)
        else ("burger", "hamburger")
    )
    doubled = ("double",) if sum(n == "a patty" for n, _, _ in stack) == 2 else ()
    return Drawn(parts, None, "", ("tasty", *doubled), tuple(features), words, (), {"bun": bread})


@family("hamburger bun", "bun", "bread roll", "burger bun", "bread bun", kind=_KIND)
def _bun(kit: Kit) -> Drawn:
    bread, crumb = kit.color(*_BREAD, "orange"), (0.96, 0.89, 0.72)
    which = kit.pick("whole", "top", "bottom")
    low, top = (
        cylinder(0.06, 0.022, bread, segments=max(10, kit.segments), bevel=0.008),
        [
            *bun_top(kit, 0.06, 0.04, bread, kit.chance(0.6)),
            cylinder(0.056, 0.002, crumb, (0, -0.002, 0)),
        ],
    )
    if which == "bottom":
        return Drawn(
            [low, cylinder(0.056, 0.002, crumb, (0, 0.022, 0))],
            None,
            "",
            ("round", "flat"),
            (),
            ("bottom half of a bun", "bun"),
            paints={"crust": bread},
        )
    if which == "top":
        return Drawn(top, bread, "", ("round",), (), ("top half of a bun", "bun"))
    return Drawn(
        [low, *[p.move(y=0.024) for p in top]],
        bread,
        "",
        ("round", "soft"),
        (),
        ("bun", "bread roll"),
    )


@family("burger patty", "meat patty", "patty", "hamburger meat", kind=_KIND)
def _patty(kit: Kit) -> Drawn:
    color = kit.color("dark brown", "brown", "red", "pink", "green")
    state = {
        "red": "raw",
        "pink": "raw",
        "green": "vegetable",
        "dark brown": "grilled",
        "brown": "cooked",
    }.get(color.name, "round")
    body = cylinder(
        0.06, 0.018 * kit.chunk, color, segments=max(10, kit.segments), bevel=0.006
    ).rough(kit.rng, 0.0015)
    parts = [body]
    if color.name == "dark brown":
        parts += [
            box((0.1, 0.003, 0.006), (0.15, 0.08, 0.05), (0, 0.018 * kit.chunk, z))
            for z in (-0.025, 0, 0.025)
        ]
    return Drawn(parts, color, "", (state, "round", "flat"), (), ("burger patty", "patty"))


@family("hot dog", "hotdog", "sausage in a bun", "frankfurter in a bun", kind=_KIND)
def _hotdog(kit: Kit) -> Drawn:
    bread, meat, sauce = (
        kit.color("light brown", "orange"),
        kit.color("red", "brown", "dark red"),
        kit.color("yellow", "red"),
    )
    parts = [pillow((0.17, 0.045, 0.04), bread, (0, 0, s * 0.024), square=0.6) for s in (-1, 1)]
    parts += [
        pillow((0.16, 0.025, 0.05), bread, square=0.6),
        capsule(0.018 * min(kit.chunk, 1.2), 0.2, meat, segments=10).turn(z=90).move(0.1, 0.036),
    ]
    xs = np.linspace(-0.08, 0.08, 14)
    parts.append(
        sweep(
            np.stack(
                [
                    xs,
                    0 * xs + 0.037 + 0.018 * min(kit.chunk, 1.2),
                    0.009 * np.where(np.arange(14) % 2, 1, -1),
                ],
                1,
            ),
            0.004,
            sauce,
            segments=5,
        )
    )
    features = ["a sausage", "mustard" if sauce.name == "yellow" else "sauce"]
    if kit.chance(0.4):
        parts.append(
            box((0.16, 0.012, 0.075), kit.color("green", "light green"), (0, 0.024, 0)).rough(
                kit.rng, 0.004
            )
        )
        features.append("lettuce")
    return Drawn(parts, None, "", (), tuple(features), ("hot dog",), paints={"sausage": meat})


_TOPPINGS = ("pepperoni", "mushrooms", "olives", "basil", "peppers", "pineapple")


def _topping(kit: Kit, name: str) -> Part:
    if name == "pepperoni":
        return cylinder(0.018, 0.006, (0.75, 0.2, 0.16), segments=8)
    if name == "mushrooms":
        return group(
            [
                box((0.007, 0.005, 0.014), (0.85, 0.78, 0.68)),
                sphere((0.014, 0.006, 0.008), (0.72, 0.6, 0.48), (0, 0.002, -0.006), segments=6),
            ]
        )
    if name == "olives":
        return torus(0.007, 0.004, (0.15, 0.15, 0.14), (0, 0.003, 0), segments=8, around=4)
    if name == "basil":
        return sphere((0.008, 0.004, 0.016), (0.25, 0.55, 0.22), segments=6)
    if name == "peppers":
        return torus(0.014, 0.004, (0.3, 0.62, 0.25), (0, 0.003, 0), segments=8, around=4)
    return prism(
        [(-0.012, 0), (0.012, 0), (0.005, 0.012), (-0.005, 0.012)], 0.008, (0.97, 0.85, 0.3)
    ).turn(x=-90)


@family("pizza", "whole pizza", "pepperoni pizza", "italian pizza", kind=_KIND)
def _pizza(kit: Kit) -> Drawn:
    crust, cheese = kit.color("light brown", "orange"), kit.color("yellow")
    radius, segments = 0.16, 20
    parts = [
        cylinder(radius, 0.012, crust, segments=segments),
        torus(radius * 0.95, 0.012 * kit.chunk, crust, (0, 0.012, 0), segments=segments),
        cylinder(radius * 0.94, 0.005, (0.78, 0.22, 0.13), (0, 0.012, 0), segments=segments),
        layer(kit, radius * 0.86, 0.006, cheese, wavy=0.04).move(y=0.014),
    ]
    chosen = [_TOPPINGS[i] for i in kit.rng.permutation(6)[: kit.count(1, 3)]]
    for i in range(7 * len(chosen)):
        a, r = i * 2.4, radius * 0.78 * float(np.sqrt((i + 0.6) / (7 * len(chosen))))
        parts.append(
            _topping(kit, chosen[i % len(chosen)])
            .turn(y=kit.between(0, 360))
            .move(r * np.cos(a), 0.02, r * np.sin(a))
        )
    return Drawn(
        parts,
        None,
        "",
        ("round", "cheesy"),
        tuple(chosen),
        ("pizza",),
        (f"pizza with {chosen[0]}",),
        {"cheese": cheese},
    )


@family("slice of pizza", "pizza slice", "piece of pizza", "pizza", kind=_KIND)
def _pizza_slice(kit: Kit) -> Drawn:
    crust, cheese = kit.color("light brown", "orange"), kit.color("yellow")
    half = kit.between(20, 28)
    outline = [(0.0, 0.0), *arc(0.16, -90 - half, -90 + half, 5)]
    flat = np.array(outline)
    parts = [
        prism(flat, 0.012, crust).turn(x=-90).move(y=0.006),
        prism(flat * 0.93, 0.005, cheese).turn(x=-90).move(y=0.014),
    ]
    rim = [(x, 0.014, -y) for x, y in arc(0.155, -90 - half, -90 + half, 5)]
    parts.append(sweep(rim, 0.014 * kit.chunk, crust))
    name = kit.pick(*_TOPPINGS)
    parts += [
        _topping(kit, name).move(x, 0.016, z)
        for x, z in ((0, 0.055), (0.025, 0.11), (-0.028, 0.1), (0.0, 0.13))
    ]
    body = group(parts).turn(y=kit.pick(0.0, 180.0)).turn(x=kit.pick(0.0, 60.0))
    return Drawn(
        [body], cheese, "", ("triangular", "cheesy"), (name, "a crust"), ("slice of pizza",)
    )


@family("sandwich", "club sandwich", "sub sandwich", "toast sandwich", kind=_KIND)
def _sandwich(kit: Kit) -> Drawn:
    bread = kit.color("beige", "light brown")
    triangle = kit.chance(0.6)
    outline = (
        [(-0.07, -0.05), (0.07, -0.05), (0.0, 0.075)] if triangle else rounded(0.13, 0.12, 0.02)
    )
    flat = np.array(outline)
    layers: list[tuple[str, Paint | tuple[float, float, float], float, float]] = [
        ("lettuce", kit.color("green", "light green"), 1.1, 0.01),
        ("tomato", kit.color("red"), 0.95, 0.01),
        ("cheese", kit.color("yellow"), 1.06, 0.006),
        ("ham", kit.color("pink"), 1.03, 0.008),
    ]
    chosen = [layers[i] for i in kit.rng.permutation(4)[: kit.count(2, 4)]]
    y, parts = 0.0, []
    for _, paint, scale, thick in [("", bread, 1.0, 0.018), *chosen, ("", bread, 1.0, 0.018)]:
        parts.append(prism(flat * scale, thick, paint).turn(x=-90).move(y=y + thick / 2))
        y += thick
    return Drawn(
        parts,
        None,
        "",
        ("triangular",) if triangle else ("square",),
        tuple(n for n, *_ in chosen),
        ("sandwich",),
        paints={"bread": bread},
    )


@family("bread", "loaf of bread", "bread loaf", "loaf", kind=_KIND)
def _bread(kit: Kit) -> Drawn:
    crust = kit.color("brown", "light brown", "light brown", "dark brown")
    crumb = (0.95, 0.86, 0.68)
    if kit.chance(0.5):
        outline = [
            (-0.05, 0),
            (0.05, 0),
            (0.052, 0.06),
            (0.062, 0.08),
            (0.04, 0.105),
            (-0.04, 0.105),
            (-0.062, 0.08),
            (-0.052, 0.06),
        ]
        body = [prism(outline, 0.2, crust, bevel=0.01)]
        features = ["a brown crust" if kit.look != "clay" and crust.name == "brown" else "a crust"]
        if kit.chance(0.5):
            body += [
                prism(np.array(outline) * 0.99, 0.018, crust, (0, 0, 0.13)),
                prism(np.array(outline) * 0.86, 0.02, crumb, (0, 0.007, 0.131)),
            ]
            features.append("a slice cut off")
        return Drawn(
            [group(body).turn(y=kit.pick(0.0, 60.0, 90.0))],
            crust,
            "",
            ("fresh",),
            tuple(features),
            ("bread", "loaf of bread"),
        )
    round_loaf = kit.chance(0.5)
    size = (0.2, 0.1, 0.2) if round_loaf else (0.26, 0.1, 0.13)
    parts = [pillow(size, crust, square=0.75)]
    parts += [
        capsule(0.006, size[2] * 0.5, crumb, segments=5)
        .turn(x=90)
        .turn(y=25)
        .move(x, 0.092, -size[2] * 0.22)
        for x in np.linspace(-size[0] * 0.22, size[0] * 0.22, 3)
    ]
    return Drawn(
        parts,
        crust,
        "",
        ("round",) if round_loaf else ("oval",),
        ("cuts on top",),
        ("bread", "loaf of bread"),
    )


@family("baguette", "french bread", "french stick", "long bread", kind=_KIND)
def _baguette(kit: Kit) -> Drawn:
    crust, cut = kit.color("light brown", "brown", "orange"), (0.95, 0.85, 0.64)
    length = kit.between(0.4, 0.55)
    parts = [pillow((length, 0.06 * min(kit.chunk, 1.2), 0.07), crust, square=0.7)]
    top = 0.06 * min(kit.chunk, 1.2)
    parts += [
        capsule(0.007, 0.06, cut, segments=5)
        .turn(z=90)
        .turn(y=35)
        .move(x + 0.025, top * 0.96, 0.017)
        for x in np.linspace(-length * 0.36, length * 0.36, 5)
    ]
    return Drawn(parts, crust, "", ("long", "crusty"), ("cuts on top",))


@family("croissant", "butter croissant", "french pastry", kind=_KIND)
def _croissant(kit: Kit) -> Drawn:
    crust = kit.color("light brown", "orange", "brown")
    parts = []
    count = 7
    for i in range(count):
        a = np.radians(-75 + 150 * i / (count - 1))
        size = 0.042 * (1 - 0.62 * abs(i - 3) / 3)
        lump = sphere((size * 0.72, size, size), crust, segments=8)
        parts.append(
            lump.turn(y=float(np.degrees(-a))).move(
                0.085 * np.sin(a), size * 0.9, 0.085 * np.cos(a) - 0.04
            )
        )
    return Drawn(parts, crust, "", ("crescent-shaped", "buttery"), ("ridges",))


@family("pretzel", "soft pretzel", "brezel", kind=_KIND)
def _pretzel(kit: Kit) -> Drawn:
    crust = kit.color("brown", "dark brown", "light brown")
    points = np.array(
        [
            (-0.03, -0.06),
            (0.02, 0.0),
            (0.06, 0.03),
            (0.085, 0.0),
            (0.06, -0.05),
            (0.0, -0.075),
            (-0.06, -0.05),
            (-0.085, 0.0),
            (-0.06, 0.03),
            (-0.02, 0.0),
            (0.03, -0.06),
        ]
    ) * [1, -1]
    path = np.stack([points[:, 0], 0.012 + 0.008 * np.sin(np.arange(11)), points[:, 1]], 1)
    parts = [sweep(path, 0.013 * kit.chunk, crust, segments=7)]
    parts += [
        box(
            (0.005, 0.004, 0.005),
            (0.98, 0.97, 0.95),
            (float(p[0]), float(p[1]) + 0.011 * kit.chunk, float(p[2])),
        )
        for p in path[2:9]
    ]
    return Drawn(
        [group(parts).turn(x=kit.pick(0.0, 80.0))], crust, "", ("twisted", "salty"), ("salt",)
    )


def _wedge(outline_radius: float, degrees: float) -> list[tuple[float, float]]:
    return [(0.0, 0.0), *arc(outline_radius, -90 - degrees / 2, -90 + degrees / 2, 4)]


@family("cake", "birthday cake", "layer cake", "torte", kind="dessert")
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


@family("pancakes", "stack of pancakes", "flapjacks", "hotcakes", kind=_KIND)
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


@family("waffle", "belgian waffle", "breakfast waffle", kind=_KIND)
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


@family("french fries", "fries", "chips", "potato fries", kind=_KIND)
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


@family("sushi", "sushi roll", "maki", "nigiri", kind=_KIND)
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


@family("steak", "beef steak", "grilled meat", "raw steak", "piece of meat", kind=_KIND)
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


@family("ham", "roast ham", "leg of ham", "gammon", "meat on the bone", kind=_KIND)
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


@family("sausage", "sausages", "bratwurst", "wiener", kind=_KIND)
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


@family("bacon", "bacon strip", "slice of bacon", "strips of bacon", kind=_KIND)
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
            top = np.stack([xs, wave + 0.003], 1)
            low = np.stack([xs, wave - 0.003], 1)[::-1]
            parts.append(prism(np.concatenate([top, low]), w, paint, (0, 0.015, z + 0.045 * i)))
    return Drawn(
        parts,
        None,
        "",
        ("wavy", "crispy"),
        ("stripes of fat",),
        ("bacon",),
        paints={"meat": meat, "fat": fat},
    )


@family("chicken leg", "drumstick", "chicken drumstick", "fried chicken", kind=_KIND)
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


@family("roast chicken", "whole chicken", "roasted turkey", "turkey dinner", kind=_KIND)
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


@family("fish fillet", "salmon fillet", "fish on a plate", "cooked fish", kind=_KIND)
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


@family("egg", "chicken egg", "boiled egg", "fried egg", kind=_KIND)
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


@family("cheese", "block of cheese", "cheese wedge", "piece of cheese", "swiss cheese", kind=_KIND)
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


@family("dinner plate with food", "plate of food", "dinner", "meal", "steak dinner", kind=_KIND)
def _dinner(kit: Kit) -> Drawn:
    dish = kit.color("white", "white", "light blue", "beige")
    parts = [
        lathe(
            [(0, 0), (0.09, 0), (0.14, 0.015), (0.137, 0.02), (0.09, 0.008), (0, 0.008)],
            dish,
            segments=18,
        )
    ]
    meat = kit.color("brown", "dark brown")
    main, features = kit.pick("steak", "sausage", "chicken"), []
    if main == "steak":
        parts.append(
            prism(
                [(-0.05, -0.02), (-0.02, -0.04), (0.05, -0.03), (0.05, 0.03), (-0.02, 0.04)],
                0.018,
                meat,
                bevel=0.005,
            )
            .turn(x=-90)
            .move(-0.03, 0.018, 0.025)
        )
    elif main == "sausage":
        parts += [
            capsule(0.014, 0.1, meat, segments=8).turn(z=90).turn(y=20).move(0.02, 0.022, z)
            for z in (0.01, 0.045)
        ]
    else:
        leg = [
            sphere((0.05, 0.028, 0.032), meat, segments=8),
            bar((0.04, 0, 0), (0.085, 0, 0), 0.008, (0.95, 0.92, 0.85)),
        ]
        parts.append(group(leg).turn(y=-30).move(-0.03, 0.032, 0.03))
    features.append({"steak": "a steak", "sausage": "sausages", "chicken": "a chicken leg"}[main])
    mash = kit.pick("mashed potatoes", "fries", "rice")
    if mash == "fries":
        parts += [
            box((0.009, 0.009, 0.05), (0.95, 0.78, 0.32))
            .turn(x=kit.between(-25, 25), y=kit.between(0, 180))
            .move(0.055 + kit.between(-0.02, 0.02), 0.02, -0.035 + kit.between(-0.02, 0.02))
            for _ in range(9)
        ]
    else:
        parts.append(
            blob(
                (0.042, 0.03, 0.035),
                (0.96, 0.9, 0.66) if mash != "rice" else (0.96, 0.95, 0.92),
                kit.rng,
                (0.055, 0.014, -0.04),
                rough=0.08,
                detail=2,
            )
        )
    parts += [
        sphere(
            0.009,
            (0.36, 0.65, 0.25),
            (-0.055 + kit.between(-0.025, 0.025), 0.015, -0.05 + kit.between(-0.022, 0.022)),
            segments=6,
        )
        for _ in range(11)
    ]
    return Drawn(
        parts,
        None,
        "",
        ("tasty",),
        (*features, mash, "peas"),
        ("plate of food", "dinner"),
        (f"{main} with {mash}",),
        {"plate": dish},
    )


@family("salad", "bowl of salad", "green salad", "mixed salad", kind=_KIND)
def _salad(kit: Kit) -> Drawn:
    bowl = kit.color("white", "light brown", "blue", "red", "brown", "teal")
    parts = [
        lathe(
            [(0, 0), (0.06, 0), (0.11, 0.04), (0.13, 0.07), (0.122, 0.07), (0.1, 0.04), (0, 0.012)],
            bowl,
            segments=max(12, kit.segments),
        )
    ]
    green = kit.color("green", "light green")
    for i in range(16):
        a, r = i * 2.4, 0.1 * np.sqrt((i + 0.5) / 16)
        parts.append(
            blob(
                (0.035, 0.018, 0.03),
                green,
                kit.rng,
                (r * np.cos(a), 0.065 + 0.018 * (1 - r / 0.1), r * np.sin(a)),
                rough=0.3,
                detail=0,
            )
        )
    for i in range(6):
        a, r = i * 1.05 + 0.5, 0.06
        parts += (
            [
                cylinder(0.017, 0.008, (0.86, 0.22, 0.17), segments=8)
                .turn(x=25)
                .move(r * np.cos(a), 0.088, r * np.sin(a))
            ]
            if i % 2
            else [
                cylinder(0.016, 0.007, (0.75, 0.88, 0.6), segments=8)
                .turn(z=25)
                .move(r * np.cos(a), 0.088, r * np.sin(a))
            ]
        )
    return Drawn(
        parts,
        None,
        "",
        ("healthy", "fresh"),
        ("lettuce", "tomatoes", f"a {kit.say(bowl, 'bowl')}"),
        ("salad", "bowl of salad"),
        paints={"bowl": bowl},
    )


@family("bowl of soup", "soup", "stew", "noodle soup", kind=_KIND)
def _soup(kit: Kit) -> Drawn:
    bowl, broth = kit.color(), kit.color("orange", "red", "brown", "green", "yellow")
    parts = [
        lathe(
            [
                (0, 0),
                (0.045, 0),
                (0.1, 0.05),
                (0.105, 0.07),
                (0.097, 0.07),
                (0.08, 0.03),
                (0, 0.015),
            ],
            bowl,
            segments=max(12, kit.segments),
        ),
        cylinder(0.094, 0.008, broth, (0, 0.05, 0), segments=max(12, kit.segments)),
    ]
    bits = ((0.95, 0.6, 0.2), (0.4, 0.65, 0.3), (0.95, 0.9, 0.75), (0.6, 0.35, 0.2))
    parts += [
        blob(
            0.013,
            bits[i % 4],
            kit.rng,
            (
                0.07 * np.sqrt((i + 0.5) / 9) * np.cos(i * 2.4),
                0.06,
                0.07 * np.sqrt((i + 0.5) / 9) * np.sin(i * 2.4),
            ),
            detail=0,
        )
        for i in range(9)
    ]
    features = ["vegetables", f"a {kit.say(bowl, 'bowl')}"]
    if kit.chance(0.5):
        parts += [
            bar((0.03, 0.06, 0.02), (0.15, 0.12, 0.06), 0.006, (0.72, 0.74, 0.78)),
            sphere((0.02, 0.008, 0.014), (0.72, 0.74, 0.78), (0.03, 0.06, 0.02), segments=8),
        ]
        features.append("a spoon")
    return Drawn(
        parts,
        None,
        "",
        ("hot",),
        tuple(features),
        (kit.pick("bowl of soup", "bowl of stew", "stew"), "soup"),
        paints={"bowl": bowl, "soup": broth},
    )


@family("soda can", "can", "drink can", "beverage can", "tin can", kind="drink")
def _can(kit: Kit) -> Drawn:
    color, metal = kit.color(), Paint((0.75, 0.77, 0.8))
    segments = max(10, kit.segments)
    parts = [
        lathe(
            [(0, 0), (0.026, 0), (0.033, 0.01), (0.033, 0.105), (0.027, 0.117), (0, 0.117)],
            color,
            segments=segments,
        ),
        tube(0.028, 0.024, 0.006, metal, (0, 0.115, 0), segments=segments),
        cylinder(0.025, 0.002, metal, (0, 0.1165, 0), segments=segments),
        box((0.01, 0.003, 0.018), metal, (0, 0.118, 0.006)),
    ]
    features = ["a pull tab"]
    if kit.chance(0.6):
        band = kit.other(color)
        parts.append(tube(0.0337, 0.03, 0.03, band, (0, 0.045, 0), segments=segments))
        features.append(f"a {kit.say(band, 'stripe')}")
    return Drawn(parts, color, "metal", (), tuple(features), ("soda can", "can"))


@family(
    "soda cup",
    "soft drink",
    "paper cup with a straw",
    "drink with a straw",
    "fast food drink",
    kind="drink",
)
def _soda(kit: Kit) -> Drawn:
    cup, straw = (
        kit.color("red", "white", "blue", "yellow", "orange", "green", "purple"),
        kit.color("red", "white", "yellow", "blue"),
    )
    lid = kit.other(cup, "white", "light grey", "black")
    segments, height = max(10, kit.segments), kit.between(0.11, 0.16)
    parts = [
        cylinder(0.032, height, cup, top=0.045, segments=segments),
        cylinder(0.048, 0.012, lid, (0, height, 0), segments=segments),
        bar((0.008, height, 0), (0.016, height + 0.08, 0), 0.005, straw),
        bar((0.016, height + 0.08, 0), (0.045, height + 0.1, 0), 0.005, straw),
    ]
    return Drawn(
        parts, cup, "paper", ("cold",), ("a straw", f"a {kit.say(lid, 'lid')}"), paints={"lid": lid}
    )


@family("coffee to go", "paper coffee cup", "takeaway coffee", "coffee cup", kind="drink")
def _coffee_cup(kit: Kit) -> Drawn:
    cup = kit.color("white", "brown", "beige", "green", "red", "black")
    lid, sleeve = (
        kit.other(cup, "white", "black", "dark brown"),
        kit.other(cup, "brown", "light brown", "green"),
    )
    segments = max(10, kit.segments)
    parts = [
        cylinder(0.03, 0.12, cup, top=0.042, segments=segments),
        cylinder(0.045, 0.01, lid, (0, 0.12, 0), segments=segments),
        cylinder(0.039, 0.01, lid, (0, 0.13, 0), segments=segments),
        cylinder(0.0345, 0.05, sleeve, (0, 0.035, 0), top=0.0395, segments=segments),
    ]
    return Drawn(
        parts,
        cup,
        "paper",
        ("hot",),
        (f"a {kit.say(lid, 'lid')}", f"a {kit.say(sleeve, 'sleeve')}"),
        paints={"lid": lid, "sleeve": sleeve},
    )


@family("milk carton", "carton of milk", "juice carton", "milk", kind="drink")
def _milk(kit: Kit) -> Drawn:
    body, band = (
        kit.color("white", "white", "light blue", "beige"),
        kit.color("blue", "red", "green", "orange"),
    )
    size = 0.075
    parts = [
        box((size, 0.15, size), body),
        box((size * 1.02, 0.05, size * 1.02), band, (0, 0.04, 0)),
        prism(
            [(-size / 2, 0), (size / 2, 0), (0.004, 0.045), (-0.004, 0.045)],
            size,
            body,
            (0, 0.15, 0),
        ).turn(y=0),
        box((0.01, 0.03, size), body, (0, 0.185, 0)),
    ]
    parts.append(cylinder(0.012, 0.012, band, segments=8).turn(z=-60).move(0.02, 0.172, 0))
    return Drawn(
        parts,
        body,
        "paper",
        (),
        (f"a {kit.say(band, 'band')}", "a folded top", "a cap"),
        ("milk carton",),
        paints={"band": band},
    )


@family("popcorn", "bucket of popcorn", "popcorn box", "movie snack", kind=_KIND)
def _popcorn(kit: Kit) -> Drawn:
    red, white, corn = kit.color("red", "blue"), kit.color("white"), kit.color("yellow", "beige")
    parts = []
    for i in range(12):
        a, b = 2 * np.pi * i / 12, 2 * np.pi * (i + 1) / 12
        piece = prism(
            [(0, 0), (0.05 * np.cos(a), 0.05 * np.sin(a)), (0.05 * np.cos(b), 0.05 * np.sin(b))],
            0.12,
            red if i % 2 else white,
        )
        lower = piece.turn(x=-90).move(y=0.06)
        parts.append(lower.taper(1.35))
    parts += [
        blob(
            0.016,
            corn,
            kit.rng,
            (
                0.058 * np.sqrt((i + 0.5) / 22) * np.cos(i * 2.4),
                0.125 + 0.02 * (1 - i / 22),
                0.058 * np.sqrt((i + 0.5) / 22) * np.sin(i * 2.4),
            ),
            rough=0.35,
            detail=0,
        )
        for i in range(22)
    ]
    return Drawn(
        parts,
        None,
        "",
        ("striped",),
        (f"{kit.say(red, 'stripes')}", "a bucket"),
        ("popcorn",),
        paints={"stripes": red},
    )


@family("taco", "mexican taco", "tortilla taco", kind=_KIND)
def _taco(kit: Kit) -> Drawn:
    shell = kit.color("yellow", "orange", "light brown")
    half = np.array([*arc(0.07, 0, 180, 10)])
    parts = [prism(half, 0.004, shell).turn(x=s * 16).move(z=s * 0.012) for s in (-1, 1)]
    names = [
        ("lettuce", (0.42, 0.7, 0.28)),
        ("tomato", (0.85, 0.22, 0.17)),
        ("meat", (0.45, 0.27, 0.16)),
        ("cheese", (0.97, 0.8, 0.25)),
    ]
    chosen = [names[i] for i in kit.rng.permutation(4)[:3]]
    for i in range(15):
        a = np.pi * (i + 0.7) / 16.4
        parts.append(
            blob(
                0.012,
                chosen[i % 3][1],
                kit.rng,
                (0.062 * np.cos(a), 0.066 * np.sin(a), 0),
                rough=0.3,
                detail=0,
            )
        )
    return Drawn(
        parts,
        None,
        "",
        ("folded",),
        tuple(n for n, _ in chosen),
        ("taco",),
        paints={"shell": shell},
    )


def _skewer(kit: Kit, words: tuple[str, ...]) -> Drawn:
    parts = [bar((-0.14, 0.02, 0), (0.14, 0.02, 0), 0.003, (0.85, 0.7, 0.48))]
    meats = (
        kit.color("brown", "dark brown"),
        kit.color("red"),
        kit.color("green"),
        kit.color("yellow"),
    )
    for i in range(8):
        parts.append(
            box((0.022, 0.028, 0.028), meats[i % 4], bevel=0.006)
            .turn(x=kit.between(0, 90))
            .move(-0.09 + 0.025 * i, 0.006)
        )
    return Drawn(parts, None, "", ("grilled",), ("meat and vegetables", "a stick"), words)


family("kebab", "shish kebab", "skewer", "meat skewer", kind=_KIND)(
    partial(_skewer, words=("kebab", "skewer"))
)
