"""Cups, glasses, bottles, jars and jugs."""

from __future__ import annotations

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    cone,
    cylinder,
    lathe,
    prism,
    sphere,
    sweep,
    torus,
    tube,
)

WARE = "kitchenware"


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


@family("mug", "coffee mug", "cup", "coffee cup", "tea mug", kind=WARE)
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


@family("tea cup", "teacup", "cup and saucer", "cup", kind=WARE)
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


@family("glass", "drinking glass", "tumbler", kind=WARE)
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


@family("wine glass", "goblet", "stemmed glass", kind=WARE)
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


@family("bottle", "glass bottle", kind="container")
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


@family("jar of jam", "jam", "jam jar", kind="food")
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


@family("jug", "pitcher", "water jug", "milk jug", kind=WARE)
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


@family("teapot", "tea pot", "tea kettle", "pot of tea", kind=WARE)
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
