"""Burgers, pizzas, sandwiches and bread."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    arc,
    box,
    capsule,
    cylinder,
    group,
    pillow,
    prism,
    rounded,
    sphere,
    sweep,
    torus,
)

KIND = "food"


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


@family("burger", "hamburger", "cheeseburger", "sandwich burger", "fast food", kind=KIND)
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


@family("hamburger bun", "bun", "bread roll", "bread bun", kind=KIND)
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


@family("burger patty", "meat patty", "patty", "hamburger meat", kind=KIND)
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


@family("hot dog", "hotdog", "sausage in a bun", "frankfurter in a bun", kind=KIND)
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


@family("pizza", "whole pizza", "italian pizza", kind=KIND)
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


@family("slice of pizza", "pizza slice", "piece of pizza", "pizza", kind=KIND)
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


@family("sandwich", "club sandwich", "sub sandwich", "toast sandwich", kind=KIND)
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


@family("bread", "loaf of bread", "bread loaf", kind=KIND)
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


@family("baguette", "french bread", "french stick", "long bread", kind=KIND)
def _baguette(kit: Kit) -> Drawn:
    crust, cut = kit.color("light brown", "brown", "orange"), (0.95, 0.85, 0.64)
    length = kit.between(0.4, 0.55)
    parts = [pillow((length, 0.06 * min(kit.chunk, 1.2), 0.07), crust, square=0.7)]
    top = 0.06 * min(kit.chunk, 1.2)
    parts += [
        capsule(0.007, 0.06, cut, segments=5)
        .turn(z=90)
        .turn(y=35)
        .move(x + 0.025, top * 0.96, -0.017)
        for x in np.linspace(-length * 0.36, length * 0.36, 5)
    ]
    return Drawn(parts, crust, "", ("long", "crusty"), ("cuts on top",))


@family("croissant", "butter croissant", "french pastry", kind=KIND)
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


@family("pretzel", "soft pretzel", "brezel", kind=KIND)
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
