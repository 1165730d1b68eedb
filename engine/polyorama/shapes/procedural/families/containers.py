"""Boxes, barrels, crates, pallets and other things of the yard."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.street import LINE
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    box,
    cone,
    cylinder,
    group,
    lathe,
    prism,
    torus,
    tube,
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
            box((width * 0.3, height * 0.3, 0.006), LINE, (width * 0.27, height * 0.15, depth / 2))
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
    reach = (size - thick) / 2
    parts += [
        box((thick, high, thick), edge, (x * reach, 0, z * reach)) for x in (-1, 1) for z in (-1, 1)
    ]
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


@family("tire", "tyre", "car tire", "rubber tire")
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
