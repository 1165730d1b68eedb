"""Pots, pans, tableware and tools of a kitchen."""

from __future__ import annotations

from functools import partial

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
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

_WARE = "kitchenware"


def vessel(
    radius: float, foot: float, height: float, wall: float, bulge: float = 0.0
) -> list[tuple[float, float]]:
    """Profile of an open vessel: up the outside, over the rim, down the inside."""
    middle = (foot + radius) / 2 + bulge
    return [
        (0, 0),
        (foot, 0),
        (middle, height / 2),
        (radius, height),
        (radius - wall, height),
        (middle - wall, height / 2),
        (max(foot - wall, 0.2 * foot), wall),
        (0, wall),
    ]


def handle(reach: float, height: float, thick: float, color: Paint) -> Part:
    """A loop that stands out towards +x, from y = 0 to `height`."""
    path = [(0, height, 0), (reach * 0.8, height * 0.95, 0), (reach, height * 0.55, 0),
            (reach * 0.75, height * 0.15, 0), (0, 0, 0)]  # fmt: skip
    return sweep(path, thick, color)


def fluid(kit: Kit) -> tuple[Paint, str]:
    """Something to drink."""
    color, name = kit.pick(
        ((0.30, 0.18, 0.10), "coffee"),
        ((0.72, 0.40, 0.14), "tea"),
        ((0.42, 0.24, 0.14), "hot chocolate"),
        ((0.95, 0.93, 0.88), "milk"),
    )
    return Paint(color), name


@family("mug", "coffee mug", "cup", "coffee cup", "tea mug", kind=_WARE)
def _mug(kit: Kit) -> Drawn:
    color = kit.color()
    radius, height = 0.042, kit.between(0.085, 0.11)
    segments = max(8, kit.segments)
    parts = [
        lathe(
            vessel(radius, radius * kit.between(0.85, 1.0), height, 0.005 * kit.chunk),
            color,
            segments=segments,
        ),
        handle(0.032, height * 0.65, 0.006 * kit.chunk, color).move(radius * 0.95, height * 0.16),
    ]
    features = ["a handle"]
    words = ["mug", "coffee mug", "cup"]
    sentences: tuple[str, ...] = ()
    if kit.chance(0.5):
        drink, name = fluid(kit)
        parts.append(
            cylinder(radius * 0.88, 0.004, drink, (0, height * 0.84, 0), segments=segments)
        )
        sentences = (f"mug of {name}", f"cup of {name}")
        features.append(name)
    if kit.chance(0.35):
        band = kit.other(color)
        parts.append(
            tube(
                radius * 1.025,
                radius * 0.9,
                height * 0.25,
                band,
                (0, height * 0.35, 0),
                segments=segments,
            )
        )
        features.append(f"a {kit.say(band, 'stripe')}")
    return Drawn(parts, color, "ceramic", (), tuple(features), tuple(words), sentences)


@family("tea cup", "teacup", "cup and saucer", "cup", "cup of tea", kind=_WARE)
def _teacup(kit: Kit) -> Drawn:
    color = kit.color("white", "light blue", "pink", "beige", "yellow", "teal", "red")
    drink, _ = fluid(kit)
    segments = max(10, kit.segments)
    cup = [
        lathe(vessel(0.045, 0.02, 0.06, 0.004, 0.008), color, segments=segments),
        handle(0.026, 0.036, 0.004 * kit.chunk, color).move(0.038, 0.016),
        cylinder(0.038, 0.003, drink, (0, 0.048, 0), segments=segments),
    ]
    parts = [p.move(y=0.01) for p in cup]
    parts.append(
        lathe(
            [(0, 0), (0.04, 0), (0.078, 0.014), (0.076, 0.018), (0.035, 0.008), (0, 0.008)],
            color,
            segments=segments,
        )
    )
    return Drawn(parts, color, "porcelain", ("small", "elegant"), ("a saucer", "a handle"))


@family("glass", "drinking glass", "glass of water", "tumbler", kind=_WARE)
def _glass(kit: Kit) -> Drawn:
    glass = Paint((0.8, 0.9, 0.94))
    height, radius = kit.between(0.1, 0.15), 0.036
    segments = max(8, kit.segments)
    parts = [
        lathe(
            vessel(radius, radius * kit.between(0.75, 1.0), height, 0.004), glass, segments=segments
        )
    ]
    inside, name = kit.pick(
        ((0.55, 0.8, 0.95), "water"),
        ((0.98, 0.65, 0.15), "orange juice"),
        ((0.95, 0.94, 0.9), "milk"),
        ((0.85, 0.3, 0.35), "juice"),
        ((0, 0, 0), ""),
    )
    sentences: tuple[str, ...] = ("empty glass",)
    features: tuple[str, ...] = ()
    if name:
        parts.append(
            cylinder(
                radius * 1.02,
                height * 0.72,
                inside,
                (0, 0.01, 0),
                segments=segments,
                top=radius * 1.02,
            )
        )
        sentences, features = (f"glass of {name}",), (name,)
        if kit.chance(0.5):
            parts.append(
                bar(
                    (0.0, 0.02, 0),
                    (0.03, height * 1.4, 0),
                    0.004,
                    kit.color("red", "white", "yellow", "blue"),
                )
            )
            features = (name, "a straw")
    return Drawn(
        parts,
        None,
        "glass",
        ("tall",) if height > 0.13 else ("short",),
        features,
        ("glass", "drinking glass"),
        sentences,
    )


@family("wine glass", "goblet", "glass of wine", "stemmed glass", kind=_WARE)
def _wineglass(kit: Kit) -> Drawn:
    glass = Paint((0.82, 0.9, 0.93))
    wine, name = kit.pick(
        ((0.5, 0.06, 0.13), "red wine"),
        ((0.93, 0.85, 0.5), "white wine"),
        ((0.9, 0.5, 0.5), "rosé"),
    )
    segments = max(10, kit.segments)
    full = kit.chance(0.7)
    bowl = [
        (0, 0),
        (0.036, 0),
        (0.006, 0.008),
        (0.005, 0.08),
        (0.03, 0.1),
        (0.04, 0.135),
        (0.033, 0.19),
        (0.03, 0.19),
        (0.036, 0.135),
        (0.026, 0.105),
        (0, 0.09),
    ]
    parts = [lathe(bowl, glass, segments=segments)]
    if full:
        parts.append(
            lathe(
                [(0, 0.088), (0.029, 0.098), (0.0405, 0.135), (0, 0.137)], wine, segments=segments
            )
        )
    return Drawn(
        parts,
        None,
        "glass",
        ("elegant",),
        ("a long stem", *((name,) if full else ())),
        ("wine glass",),
        ((f"glass of {name}",) if full else ("empty wine glass",)),
    )


@family("bottle", "glass bottle", "wine bottle", "water bottle", kind="container")
def _bottle(kit: Kit) -> Drawn:
    color = kit.color("green", "dark green", "brown", "light blue", "blue", "dark red", "white")
    label, cap = (
        kit.other(color, "white", "beige", "yellow", "red"),
        kit.color("red", "gold", "black", "white", "blue"),
    )
    segments = max(8, kit.segments)
    height, radius = kit.between(0.24, 0.32), kit.between(0.035, 0.045)
    shoulder = height * kit.between(0.55, 0.66)
    parts = [
        lathe(
            [
                (0, 0),
                (radius, 0),
                (radius, shoulder),
                (radius * 0.36, height * 0.8),
                (radius * 0.36, height),
                (0, height),
            ],
            color,
            segments=segments,
        ),
        cylinder(radius * 0.42, height * 0.07, cap, (0, height * 0.95, 0), segments=segments),
    ]
    features = [f"a {kit.say(cap, 'cap')}"]
    if kit.chance(0.7):
        parts.append(
            tube(
                radius * 1.03,
                radius * 0.9,
                shoulder * 0.5,
                label,
                (0, shoulder * 0.25, 0),
                segments=segments,
            )
        )
        features.append(f"a {kit.say(label, 'label')}")
    return Drawn(parts, color, kit.pick("glass", ""), ("tall",), tuple(features), ("bottle",))


def _squeeze(kit: Kit, color: Paint, name: str) -> Drawn:
    cap = kit.color("white") if name == "ketchup" else kit.other(color, "red", "white", "brown")
    segments = max(8, kit.segments)
    radius, height = 0.035, kit.between(0.13, 0.17)
    parts = [
        lathe(
            [
                (0, 0),
                (radius, 0),
                (radius, height * 0.75),
                (radius * 0.7, height * 0.9),
                (radius * 0.6, height),
                (0, height),
            ],
            color,
            segments=segments,
        ),
        cylinder(radius * 0.62, height * 0.08, cap, (0, height, 0), segments=segments),
        cone(radius * 0.4, height * 0.35, cap, (0, height * 1.07, 0), segments=segments),
    ]
    features = [f"a {kit.say(cap, 'nozzle')}"]
    if kit.chance(0.4):
        label = kit.color("white", "beige")
        parts.append(
            tube(
                radius * 1.04,
                radius * 0.9,
                height * 0.35,
                label,
                (0, height * 0.2, 0),
                segments=segments,
            )
        )
        features.append(f"a {kit.say(label, 'label')}")
    return Drawn(parts, color, "plastic", (), tuple(features))


@family(
    "ketchup",
    "ketchup bottle",
    "bottle of ketchup",
    "tomato sauce",
    "sauce bottle",
    kind="condiment",
)
def _ketchup(kit: Kit) -> Drawn:
    return _squeeze(kit, kit.color("red"), "ketchup")


@family("mustard", "mustard bottle", "bottle of mustard", "sauce bottle", kind="condiment")
def _mustard(kit: Kit) -> Drawn:
    return _squeeze(kit, kit.color("yellow"), "mustard")


@family("jar", "storage jar", "glass jar", "canister", kind="container")
def _jar(kit: Kit) -> Drawn:
    glass = kit.color("light blue", "white", "beige", "brown", "light green")
    lid = kit.other(glass, "red", "gold", "brown", "blue", "green", "yellow")
    segments = max(8, kit.segments)
    radius, height = kit.between(0.04, 0.07), kit.between(0.08, 0.18)
    parts = [
        lathe(
            [
                (0, 0),
                (radius * 0.95, 0),
                (radius, height * 0.1),
                (radius, height * 0.8),
                (radius * 0.75, height * 0.95),
                (0, height * 0.95),
            ],
            glass,
            segments=segments,
        ),
        cylinder(radius * 0.82, height * 0.14, lid, (0, height * 0.93, 0), segments=segments),
    ]
    if kit.chance(0.3):
        parts.append(sphere(radius * 0.2, lid, (0, height * 1.1, 0), segments=6))
    features = [f"a {kit.say(lid, 'lid')}"]
    if kit.chance(0.4):
        parts.append(
            box(
                (radius * 1.1, height * 0.35, 0.01),
                kit.color("white", "beige"),
                (0, height * 0.25, radius * 0.93),
            )
        )
        features.append("a label")
    size = "tall" if height > 2.4 * radius else "small" if height < 0.11 else "round"
    return Drawn(parts, glass, "", (size,), tuple(features))


@family("jar of jam", "jam", "jam jar", "honey jar", "marmalade", kind="food")
def _jam(kit: Kit) -> Drawn:
    inside, name = kit.pick(
        (kit.color("red"), "strawberry jam"),
        (kit.color("purple"), "blueberry jam"),
        (kit.color("orange"), "marmalade"),
        (kit.color("gold"), "honey"),
    )
    cloth = kit.color("white", "red", "light blue", "green")
    segments = max(8, kit.segments)
    parts = [
        cylinder(0.045, 0.09, inside, segments=segments, bevel=0.008),
        cylinder(0.038, 0.02, cloth, (0, 0.09, 0), segments=segments),
        cone(0.055, 0.035, cloth, (0, 0.09, 0), segments=segments),
        box((0.05, 0.035, 0.01), (0.95, 0.93, 0.88), (0, 0.03, 0.04)),
    ]
    return Drawn(
        parts, inside, "", ("sweet",), ("a cloth lid", "a label"), (f"jar of {name}", "jar of jam")
    )


@family("jug", "pitcher", "water jug", "milk jug", kind=_WARE)
def _jug(kit: Kit) -> Drawn:
    color = kit.color()
    segments = max(8, kit.segments)
    height, radius = kit.between(0.18, 0.26), 0.07
    body = [
        (0, 0),
        (radius * 0.7, 0),
        (radius, height * 0.35),
        (radius * 0.62, height * 0.78),
        (radius * 0.75, height),
        (radius * 0.66, height),
        (radius * 0.54, height * 0.78),
        (radius * 0.9, height * 0.35),
        (radius * 0.6, 0.01),
        (0, 0.01),
    ]
    parts = [
        lathe(body, color, segments=segments),
        handle(0.06, height * 0.6, 0.009 * kit.chunk, color).move(radius * 0.65, height * 0.28),
        prism([(0, 0), (0.035, 0.03), (0, 0.03)], 0.05, color)
        .turn(y=180)
        .move(-radius * 0.65, height - 0.03),
    ]
    return Drawn(parts, color, kit.pick("ceramic", ""), (), ("a handle", "a spout"))


@family("teapot", "tea pot", "tea kettle", "pot of tea", kind=_WARE)
def _teapot(kit: Kit) -> Drawn:
    color = kit.color()
    knob = color if kit.chance(0.6) else kit.other(color)
    segments = max(8, kit.segments)
    radius = 0.1
    squat = kit.between(0.75, 0.95)
    parts = [
        sphere(
            (radius, radius * squat, radius),
            color,
            (0, radius * squat * 0.95, 0),
            segments=segments,
            low=0.06,
            high=0.94,
        ),
        sphere(
            (radius * 0.55, 0.022, radius * 0.55),
            color,
            (0, radius * squat * 1.78, 0),
            low=0.5,
            segments=segments,
        ),
        sphere(0.016 * kit.chunk, knob, (0, radius * squat * 1.78 + 0.03, 0), segments=6),
        sweep(
            [(-0.07, 0.05, 0), (-0.12, 0.08, 0), (-0.14, 0.13, 0), (-0.17, 0.15, 0)],
            [0.026, 0.02, 0.014, 0.011],
            color,
            segments=8,
        ),
        handle(0.06, 0.09, 0.01 * kit.chunk, knob).move(radius * 0.85, radius * squat * 0.5),
    ]
    return Drawn(
        parts,
        color,
        kit.pick("ceramic", "porcelain"),
        ("round",),
        ("a spout", "a handle", "a lid"),
        ("teapot",),
    )


@family("kettle", "electric kettle", "water kettle", "tea kettle", kind="appliance")
def _kettle(kit: Kit) -> Drawn:
    color = kit.color("silver", "grey", "red", "white", "black", "light blue", "blue", "green")
    dark = kit.other(color, "black", "dark grey", "brown")
    segments = max(10, kit.segments)
    parts = [
        cylinder(0.1, 0.18, color, (0, 0.02, 0), top=0.075, segments=segments),
        cylinder(0.11, 0.02, dark, segments=segments),
        sphere((0.076, 0.03, 0.076), color, (0, 0.2, 0), low=0.5, segments=segments),
        sphere(0.016, dark, (0, 0.235, 0), segments=6),
        bar((-0.075, 0.13, 0), (-0.14, 0.2, 0), 0.03, color, top=0.014, segments=8),
    ]
    if kit.chance(0.5):
        parts.append(handle(0.07, 0.14, 0.012 * kit.chunk, dark).move(0.08, 0.05))
    else:
        parts.append(torus(0.075, 0.011 * kit.chunk, dark, degrees=180).turn(x=90).move(y=0.19))
    return Drawn(parts, color, "metal", (), (f"a {kit.say(dark, 'handle')}", "a spout"))


def _pan(kit: Kit, radius: float, height: float, words: tuple[str, ...]) -> Drawn:
    color = kit.color("black", "dark grey", "grey", "silver", "red", "bronze", "blue")
    grip = kit.other(color, "black", "brown", "light brown", "dark grey")
    segments = max(10, kit.segments)
    parts = [
        lathe(vessel(radius, radius * 0.85, height, 0.01), color, segments=segments),
        bar(
            (radius * 0.9, height * 0.75, 0),
            (radius * 2.1, height * 0.75 + 0.03, 0),
            0.014 * kit.chunk,
            grip,
            segments=8,
        ),
    ]
    features, sentences = ["a long handle"], ()
    if kit.chance(0.3):
        parts += [
            prism(circle(radius * 0.5, 10), 0.012, (0.97, 0.96, 0.92))
            .turn(x=-90)
            .rough(kit.rng, 0.006)
            .move(y=0.02),
            sphere(
                (radius * 0.2, 0.02, radius * 0.2),
                (0.98, 0.74, 0.16),
                (0, 0.024, 0),
                low=0.5,
                segments=8,
            ),
        ]
        features.append("a fried egg")
        sentences = ("fried egg in a pan",)
    return Drawn(parts, color, "metal", (), tuple(features), words, sentences)


@family("frying pan", "pan", "skillet", kind="cookware")
def _frying_pan(kit: Kit) -> Drawn:
    return _pan(kit, kit.between(0.11, 0.15), 0.04, ("frying pan", "pan"))


@family("saucepan", "small pot", "cooking pot with a handle", kind="cookware")
def _saucepan(kit: Kit) -> Drawn:
    return _pan(kit, 0.1, kit.between(0.09, 0.12), ("saucepan", "pan"))


@family("pot", "cooking pot", "stew pot", "stockpot", "saucepot", kind="cookware")
def _pot(kit: Kit) -> Drawn:
    color = kit.color("grey", "silver", "dark grey", "red", "blue", "black", "orange", "teal")
    knob = kit.other(color, "black", "dark grey", "gold")
    segments = max(10, kit.segments)
    radius, height = kit.between(0.12, 0.15), kit.between(0.12, 0.24)
    parts = [lathe(vessel(radius, radius * 0.93, height, 0.01), color, segments=segments)]
    parts += [
        sweep(
            [
                (s * radius * 0.95, height * 0.75, -0.04),
                (s * (radius + 0.04), height * 0.78, -0.03),
                (s * (radius + 0.04), height * 0.78, 0.03),
                (s * radius * 0.95, height * 0.75, 0.04),
            ],
            0.009 * kit.chunk,
            knob,
        )
        for s in (-1, 1)
    ]
    features = ["two handles"]
    words = ["pot", "cooking pot"]
    sentences: tuple[str, ...] = ()
    if kit.chance(0.5):
        parts += [
            sphere(
                (radius * 1.03, 0.045, radius * 1.03),
                color,
                (0, height, 0),
                low=0.5,
                segments=segments,
            ),
            cylinder(0.012, 0.02, knob, (0, height + 0.04, 0), segments=6),
            sphere(0.02, knob, (0, height + 0.065, 0), segments=6),
        ]
        features.append("a lid")
    elif kit.chance(0.7):
        stew = kit.color("brown", "orange", "red", "green")
        parts.append(cylinder(radius * 0.94, 0.01, stew, (0, height * 0.82, 0), segments=segments))
        bits = [kit.color("orange"), kit.color("green"), kit.color("beige"), kit.color("red")]
        for i in range(9):
            a, r = kit.between(0, 6.28), radius * kit.between(0.1, 0.75)
            parts.append(
                blob(
                    0.02,
                    bits[i % 4],
                    kit.rng,
                    (r * np.cos(a), height * 0.86, r * np.sin(a)),
                    detail=0,
                )
            )
        features.append("vegetables in it")
        words, sentences = ["stew pot", "pot"], ("pot of stew", "soup in a pot")
    return Drawn(
        parts,
        color,
        "metal",
        ("tall",) if height > 0.2 else (),
        tuple(features),
        tuple(words),
        sentences,
    )


@family("pot lid", "lid", "cooking pot lid", "pan lid", kind="cookware")
def _lid(kit: Kit) -> Drawn:
    color = kit.color("grey", "silver", "red", "blue", "dark grey", "light blue")
    knob = kit.other(color, "black", "brown", "gold")
    segments = max(10, kit.segments)
    parts = [
        cylinder(0.14, 0.012, color, segments=segments),
        sphere(
            (0.125, kit.between(0.02, 0.05), 0.125), color, (0, 0.01, 0), low=0.5, segments=segments
        ),
        cylinder(0.012, 0.07, knob, segments=6),
        sphere(0.022 * kit.chunk, knob, (0, 0.075, 0), segments=8),
    ]
    return Drawn(parts, color, "metal", ("round",), (f"a {kit.say(knob, 'knob')}",))


@family("wok", "stir-fry pan", "round-bottomed pan", kind="cookware")
def _wok(kit: Kit) -> Drawn:
    color, grip = kit.color("black", "dark grey", "grey"), kit.color("brown", "light brown")
    profile = [
        (0, 0),
        (0.08, 0.01),
        (0.15, 0.06),
        (0.18, 0.1),
        (0.17, 0.1),
        (0.14, 0.065),
        (0.07, 0.02),
        (0, 0.012),
    ]
    parts = [
        lathe(profile, color, segments=max(12, kit.segments)),
        bar((0.17, 0.09, 0), (0.36, 0.13, 0), 0.014, grip, segments=8),
    ]
    return Drawn(parts, color, "metal", ("round", "deep"), ("a wooden handle",))


@family("bowl", "soup bowl", "cereal bowl", "dish", kind=_WARE)
def _bowl(kit: Kit) -> Drawn:
    color = kit.color() if kit.chance(0.7) else kit.wood()
    segments = max(10, kit.segments)
    radius, height = kit.between(0.07, 0.13), kit.between(0.04, 0.08)
    parts = [
        lathe(
            vessel(radius, radius * 0.45, height, 0.006 * kit.chunk, radius * 0.12),
            color,
            segments=segments,
        )
    ]
    full = kit.pick("", "", "soup", "cereal", "rice")
    if full:
        inside = {
            "soup": kit.color("orange", "red", "green", "brown"),
            "cereal": kit.color("light brown"),
            "rice": kit.color("white"),
        }[full]
        heap = 0.035 if full == "rice" else 0.008
        parts.append(
            sphere(
                (radius * 0.92, heap, radius * 0.92),
                inside,
                (0, height * 0.84, 0),
                segments=segments,
                low=0.5,
            )
        )
        if full == "cereal":
            parts += [
                torus(
                    0.009,
                    0.004,
                    kit.color("orange", "red", "yellow"),
                    (
                        kit.between(-0.5, 0.5) * radius,
                        height * 0.84 + 0.008,
                        kit.between(-0.5, 0.5) * radius,
                    ),
                    segments=6,
                    around=4,
                )
                for _ in range(7)
            ]
    return Drawn(
        parts,
        color,
        kit.pick("ceramic", ""),
        ("round",),
        (full,) if full else (),
        ("bowl",),
        (f"bowl of {full}",) if full else ("empty bowl",),
    )


@family("plate", "dinner plate", "dish", "saucer", kind=_WARE)
def _plate(kit: Kit) -> Drawn:
    color = kit.color(
        "white", "white", "light blue", "beige", "yellow", "red", "pink", "blue", "green"
    )
    rim = kit.other(color)
    segments = max(12, kit.segments)
    radius = kit.between(0.09, 0.14)
    one = [
        lathe(
            [
                (0, 0),
                (radius * 0.6, 0),
                (radius, 0.018),
                (radius * 0.98, 0.024),
                (radius * 0.6, 0.008),
                (0, 0.008),
            ],
            color,
            segments=segments,
        )
    ]
    features: list[str] = []
    if kit.chance(0.4):
        one.append(torus(radius * 0.98, 0.004, rim, (0, 0.021, 0), segments=segments, around=4))
        features.append(f"a {kit.say(rim, 'rim')}")
    if kit.chance(0.25):
        count = kit.count(3, 6)
        parts = [p.move(y=0.012 * i) for i in range(count) for p in one]
        return Drawn(
            parts, color, "ceramic", ("round",), tuple(features), ("stack of plates", "plates")
        )
    sentences: tuple[str, ...] = ("empty plate",)
    if kit.chance(0.2):
        one += [
            blob(
                (radius * 0.2, 0.004, radius * 0.16),
                kit.color("brown", "orange"),
                kit.rng,
                (kit.between(-0.4, 0.4) * radius, 0.01, kit.between(-0.4, 0.4) * radius),
                detail=0,
            )
            for _ in range(4)
        ]
        sentences = ("dirty plate", "plate with food stains")
    return Drawn(one, color, "ceramic", ("round", "flat"), tuple(features), ("plate",), sentences)


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


@family("cutting board", "chopping board", "wooden board", "breadboard", kind=_WARE)
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


@family("dish rack", "drying rack", "plate rack", "dish drainer", kind=_WARE)
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


@family("paper towel", "kitchen roll", "paper towel roll", "roll of paper", kind=_WARE)
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


@family("salt shaker", "pepper shaker", "pepper mill", "salt and pepper", kind=_WARE)
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


@family("food tray", "serving tray", "tray", "cafeteria tray", kind=_WARE)
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
