"""Meals on plates and in bowls, snacks and drinks."""

from __future__ import annotations

from functools import partial

import numpy as np

from polyorama.shapes.procedural.families.bakery import KIND
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    arc,
    bar,
    blob,
    box,
    capsule,
    cylinder,
    group,
    lathe,
    prism,
    sphere,
    tube,
)


@family("dinner plate with food", "plate of food", "dinner", "meal", kind=KIND)
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


@family("salad", "bowl of salad", "green salad", "mixed salad", kind=KIND)
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


@family("bowl of soup", "soup", "stew", kind=KIND)
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


@family("popcorn", "bucket of popcorn", "popcorn box", "movie snack", kind=KIND)
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


@family("taco", "mexican taco", "tortilla taco", kind=KIND)
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
    parts += [
        box((0.022, 0.028, 0.028), meats[i % 4], bevel=0.006)
        .turn(x=kit.between(0, 90))
        .move(-0.09 + 0.025 * i, 0.006)
        for i in range(8)
    ]
    return Drawn(parts, None, "", ("grilled",), ("meat and vegetables", "a stick"), words)


family("kebab", "shish kebab", "skewer", "meat skewer", kind=KIND)(
    partial(_skewer, words=("kebab", "skewer"))
)
