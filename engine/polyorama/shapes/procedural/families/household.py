"""Lamps, pictures, screens, plants, books: what stands about in a home."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    blob,
    box,
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

_LIGHT = "light"
_DECOR = "decoration"


def _shade(kit: Kit, radius: float, height: float, color: Paint) -> Part:
    """A lampshade, open below, that stands on y = 0."""
    top = radius * kit.between(0.45, 0.95)
    profile = [(radius, 0.0), (top, height), (top * 0.2, height), (top * 0.85, height * 0.9),
               (radius * 0.9, 0.0)]  # fmt: skip
    return lathe(profile, color, segments=max(8, kit.segments), closed=True)


def _glow(kit: Kit) -> Paint:
    return Paint((1.0, 0.95, 0.72), "")


@family("floor lamp", "standing lamp", "standard lamp", "tall lamp", kind=_LIGHT)
def _floor_lamp(kit: Kit) -> Drawn:
    stand = kit.metal() if kit.chance(0.6) else kit.wood()
    cloth = kit.other(stand, "white", "beige", "yellow", "red", "orange", "teal", "green", "blue")
    height = kit.between(1.3, 1.6)
    if kit.chance(0.3):
        parts = [bar((0.32 * np.sin(a), 0, 0.32 * np.cos(a)), (0, height, 0), 0.02, stand)
                 for a in (0.0, 2.1, 4.2)]  # fmt: skip
        base = "three legs"
    else:
        parts = [cylinder(0.18 * kit.chunk, 0.04, stand, segments=kit.segments),
                 cylinder(0.02 * kit.chunk, height, stand, segments=6)]  # fmt: skip
        base = "a round base"
    parts += [_shade(kit, 0.25, 0.32, cloth).move(y=height - 0.05),
              sphere(0.07, _glow(kit), (0, height + 0.06, 0), segments=6)]  # fmt: skip
    feature = f"a {kit.say(cloth, 'lampshade')}"
    return Drawn(
        parts,
        cloth,
        adjectives=("tall",),
        features=(feature, base),
        words=("floor lamp", "lamp"),
        paints={"shade": cloth},
    )


@family("table lamp", "bedside lamp", "lamp", kind=_LIGHT)
def _table_lamp(kit: Kit) -> Drawn:
    foot = kit.color()
    cloth = kit.other(foot, "white", "beige", "yellow", "red", "teal", "pink")
    style = kit.pick("vase", "ball", "column")
    if style == "vase":
        body = lathe([(0, 0), (0.08, 0), (0.11, 0.1), (0.05, 0.22), (0.02, 0.26), (0, 0.26)], foot,
                     segments=kit.segments)  # fmt: skip
        parts = [body]
    elif style == "ball":
        parts = [
            cylinder(0.08, 0.03, foot, segments=kit.segments),
            sphere(0.11, foot, (0, 0.13, 0)),
        ]
    else:
        parts = [cylinder(0.11, 0.03, foot, segments=kit.segments),
                 cylinder(0.025 * kit.chunk, 0.26, foot, segments=8)]  # fmt: skip
    parts += [cylinder(0.012, 0.32, foot, segments=6), _shade(kit, 0.18, 0.22, cloth).move(y=0.25),
              sphere(0.05, _glow(kit), (0, 0.3, 0), segments=6)]  # fmt: skip
    return Drawn(
        parts,
        cloth,
        adjectives=("small",),
        features=(f"a {kit.say(cloth, 'lampshade')}",),
        words=("table lamp", "lamp"),
        paints={"shade": cloth, "foot": foot},
    )


@family("desk lamp", "reading lamp", "study lamp", kind=_LIGHT)
def _desk_lamp(kit: Kit) -> Drawn:
    color = kit.color()
    low, high = (0.0, 0.03, 0.0), (0.0, 0.3, -0.14)
    head = (0.0, kit.between(0.42, 0.5), 0.1)
    thick = 0.012 * kit.chunk
    hood = lathe([(0.09, 0), (0.04, 0.1), (0, 0.11), (0, 0.09), (0.08, 0)], color,
                 segments=kit.segments)  # fmt: skip
    parts = [cylinder(0.1, 0.03, color, segments=kit.segments * 2), bar(low, high, thick, color),
             bar(high, head, thick, color), sphere(0.022, color, high, segments=6),
             group([hood, sphere(0.035, _glow(kit), (0, 0.03, 0), segments=6)])
             .turn(x=-25).move(0, head[1] - 0.08, head[2] + 0.03)]  # fmt: skip
    return Drawn(parts, color, "", ("adjustable",), ("a bent arm", "a round base"))


@family("pendant lamp", "hanging lamp", "ceiling lamp", "ceiling light", kind=_LIGHT)
def _pendant(kit: Kit) -> Drawn:
    color, cord = kit.color(), kit.color("black", "dark grey")
    drop = kit.between(0.5, 0.9)
    parts = [cylinder(0.012, drop, cord, segments=6), cylinder(0.07, 0.03, cord, (0, drop, 0))]
    if kit.chance(0.35):
        parts.append(sphere(0.2, color, (0, -0.18, 0), segments=max(8, kit.segments)))
    else:
        parts += [_shade(kit, kit.between(0.2, 0.3), 0.24, color).move(y=-0.22),
                  sphere(0.06, _glow(kit), (0, -0.18, 0), segments=6)]  # fmt: skip
    return Drawn(parts, color, adjectives=("hanging",), features=("a cord",))


@family("chandelier", "candelabra ceiling lamp", "hanging light", kind=_LIGHT)
def _chandelier(kit: Kit) -> Drawn:
    metal = kit.color("gold", "black", "bronze", "silver")
    count, reach = kit.count(5, 8), kit.between(0.35, 0.5)
    parts = [cylinder(0.015, 0.7, metal, segments=6), sphere(0.08, metal, segments=8),
             cylinder(0.08, 0.03, metal, (0, 0.7, 0))]  # fmt: skip
    for i in range(count):
        a = 2 * np.pi * i / count
        x, z = np.sin(a), np.cos(a)
        path = [(0, 0, 0), (0.5 * reach * x, -0.14, 0.5 * reach * z), (reach * x, 0, reach * z)]
        parts += [
            sweep(path, 0.014 * kit.chunk, metal),
            cylinder(0.045, 0.015, metal, (reach * x, 0, reach * z), segments=8),
            cylinder(0.02, 0.12, (0.95, 0.93, 0.86), (reach * x, 0, reach * z), segments=6),
            cone(0.02, 0.06, (1.0, 0.8, 0.3), (reach * x, 0.12, reach * z), segments=6),
        ]
    return Drawn(parts, metal, "", ("elegant",), ("candles", "curved arms"))


@family("rug", "carpet", "floor mat", kind=_DECOR)
def _rug(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "beige", "green", "purple", "teal", "orange", "pink", "grey")
    edge = kit.other(color, "white", "yellow", "beige", "dark blue", "black", "red")
    width, depth = kit.between(1.2, 2.2), kit.between(0.8, 1.2)
    style = kit.pick("round", "border", "stripes", "oval")
    adjectives = ["flat"]
    if style in ("round", "oval"):
        stretch = (1.0, 1.0, 1.0 if style == "round" else 0.65)
        parts = [cylinder(0.8, 0.02, edge, segments=20).scale(*stretch),
                 cylinder(0.68, 0.03, color, segments=20).scale(*stretch)]  # fmt: skip
        adjectives.append(style)
        features = [f"a {kit.say(edge, 'border')}"]
    elif style == "border":
        parts = [box((width, 0.02, depth), edge), box((width * 0.86, 0.03, depth * 0.8), color)]
        adjectives.append("rectangular")
        features = [f"a {kit.say(edge, 'border')}"]
    else:
        parts = [box((width, 0.02, depth), color)]
        parts += [box((width * 0.08, 0.028, depth * 0.98), edge, (width * x, 0, 0))
                  for x in (-0.36, -0.18, 0.0, 0.18, 0.36)]  # fmt: skip
        adjectives += ["striped", "rectangular"]
        features = [kit.say(edge, "stripes")]
    if style in ("border", "stripes") and kit.chance(0.5):
        parts += [box((0.06, 0.012, 0.02), edge, (s * (width / 2 + 0.03), 0, z))
                  for s in (-1, 1) for z in np.linspace(-0.48, 0.48, 14) * depth]  # fmt: skip
        features.append("fringes")
    return Drawn(parts, color, "", tuple(adjectives), tuple(features), paints={"border": edge})


@family("pillow", "cushion", "throw pillow", "sofa cushion", kind=_DECOR)
def _pillow(kit: Kit) -> Drawn:
    color = kit.color()
    wide = kit.pick(1.0, 1.0, 1.5)
    body = pillow((0.5 * wide, kit.between(0.15, 0.24), 0.5), color, square=kit.between(0.45, 0.7),
                  segments=max(12, kit.segments))  # fmt: skip
    # Seams run out to four corners.
    reach = np.abs(body.vertices[:, [0, 2]] / [0.25 * wide, 0.25]).min(axis=1)
    body.vertices[:, [0, 2]] *= (1 + 0.22 * reach**4)[:, None]
    tilt = kit.pick(0.0, 65.0, 75.0)
    parts = [body.turn(x=tilt)]
    if kit.chance(0.25):
        button = sphere((0.03, 0.02, 0.03), kit.other(color), segments=6)
        middle = body.vertices[:, 1].max()
        parts.append(button.move(y=float(middle)).turn(x=tilt))
    return Drawn(parts, color, "fabric", ("soft", "square" if wide == 1.0 else "rectangular"))


@family("mirror", "looking glass", "wall mirror", kind=_DECOR)
def _mirror(kit: Kit) -> Drawn:
    rim = kit.color("gold", "brown", "white", "black", "silver", "light brown")
    glass = Paint((0.74, 0.86, 0.92), "")
    shape = kit.pick("round", "oval", "rectangular", "standing")
    features = [f"a {kit.say(rim, 'frame')}"]
    if shape in ("round", "oval"):
        outline = circle(0.4, 20) * ([1.0, 1.35] if shape == "oval" else [1.0, 1.0])
        parts = [prism(outline, 0.05, rim), prism(outline * 0.88, 0.06, glass)]
    else:
        width, height = kit.between(0.5, 0.8), kit.between(0.9, 1.6)
        parts = [box((width, height, 0.05), rim), box((width * 0.86, height * 0.92, 0.06), glass,
                                                      (0, height * 0.04, 0))]  # fmt: skip
        if shape == "standing":
            parts = [p.turn(x=-8) for p in parts]
            parts += [box((0.05, height * 0.6, 0.05), rim, (s * (width / 2 + 0.05), 0, -0.05))
                      for s in (-1, 1)]  # fmt: skip
            parts += [
                box((0.07, 0.05, 0.4), rim, (s * (width / 2 + 0.05), 0, -0.05)) for s in (-1, 1)
            ]
            features.append("feet")
    return Drawn(parts, None, "glass", (shape,), tuple(features), paints={"frame": rim})


def _scene(kit: Kit, width: float, height: float, z: float) -> list[Part]:
    """A painted landscape: sky, hills, a sun; on y from 0 to `height`."""
    sky, hill = kit.color("light blue", "beige", "pink"), kit.color("green", "dark green", "teal")
    sun = kit.color("yellow", "orange")
    line = height * kit.between(0.3, 0.5)
    points = [(-width / 2, 0), (width / 2, 0), (width / 2, line), (width * 0.2, line * 1.4),
              (0, line * 0.9), (-width * 0.25, line * 1.5), (-width / 2, line)]  # fmt: skip
    return [
        box((width, height, 0.01), sky, (0, 0, z)),
        prism(points, 0.012, hill, (0, 0, z + 0.004)),
        prism(
            circle(min(width, height) * 0.12, 10),
            0.012,
            sun,
            (width * 0.22, height * 0.75, z + 0.004),
        ),
    ]


@family("picture frame", "framed picture", "painting", "photo frame", "wall art", kind=_DECOR)
def _picture(kit: Kit) -> Drawn:
    rim = kit.color("gold", "brown", "white", "black", "light brown", "dark brown", "red", "blue")
    width, height = kit.between(0.3, 1.0), kit.between(0.3, 0.8)
    edge = 0.05 * kit.chunk
    standing = kit.chance(0.3)
    parts = [box((width, height, 0.04), rim, bevel=0.008)]
    parts += [p.move(y=edge) for p in _scene(kit, width - 2 * edge, height - 2 * edge, 0.018)]
    words, features = ("picture frame", "painting"), [f"a {kit.say(rim, 'frame')}"]
    if standing:
        parts = [p.turn(x=-14) for p in parts]
        parts.append(box((0.05, height * 0.7, 0.02), rim).turn(x=18).move(0, 0, -height * 0.38))
        words, features = (
            ("photo frame", "standing picture frame"),
            [*features, "a stand at the back"],
        )
    shape = "square" if abs(width - height) < 0.08 else "wide" if width > height else "tall"
    return Drawn(parts, None, "", (shape,), tuple(features), words, paints={"frame": rim})


def _dial(kit: Kit, radius: float, face: Paint, hands: Paint) -> list[Part]:
    """A clock's face in the plane of x and y, with marks and hands."""
    parts = [prism(circle(radius, 24), 0.02, face)]
    for hour in range(12):
        a = np.pi * hour / 6
        mark = box((radius * 0.05, radius * 0.14, 0.012), hands, (0, radius * 0.78, 0.01))
        parts.append(mark.turn(z=float(np.degrees(a))))
    for length, angle in ((0.5, kit.between(0, 360)), (0.72, kit.between(0, 360))):
        parts.append(
            box((radius * 0.06, radius * length, 0.014), hands, (0, 0, 0.014)).turn(z=angle)
        )
    return parts


@family("clock", "wall clock", "round clock", "timepiece")
def _clock(kit: Kit) -> Drawn:
    rim = kit.color()
    face = kit.color("white", "white", "beige")
    hands = kit.color("black", "dark grey", "dark blue")
    radius = 0.25
    style = kit.pick("wall", "alarm", "wall")
    dial = [p.move(z=0.026) for p in _dial(kit, radius * 0.88, face, hands)]
    parts = [prism(circle(radius, 24), 0.06, rim, bevel=0.012), *dial]
    if style == "wall":
        return Drawn(parts, None, "", ("round",), (f"a {kit.say(rim, 'rim')}", "two hands"),
                     ("wall clock", "clock"), paints={"rim": rim, "face": face})  # fmt: skip
    parts += [sphere((0.09, 0.07, 0.07), rim, (s * 0.14, 0.25, 0), low=0.4).turn(z=s * -18)
              for s in (-1, 1)]  # fmt: skip
    parts += [bar((s * 0.12, -0.2, 0), (s * 0.2, -0.32, 0), 0.025, rim) for s in (-1, 1)]
    parts.append(bar((0, 0.22, 0), (0, 0.34, 0), 0.015, rim))
    return Drawn(parts, None, "", ("round", "old-fashioned"), ("two bells", "two legs"),
                 ("alarm clock", "clock"), paints={"rim": rim, "face": face})  # fmt: skip


@family("grandfather clock", "longcase clock", "pendulum clock", "tall clock")
def _grandfather(kit: Kit) -> Drawn:
    wood = kit.color("brown", "dark brown", "light brown")
    brass = kit.color("gold", "silver")
    face, hands = kit.color("white", "beige"), kit.color("black")
    height = kit.between(1.8, 2.1)
    dial = [p.move(0, height * 0.82, 0.17) for p in _dial(kit, 0.17, face, hands)]
    parts = [
        box((0.5, 0.4, 0.34), wood, bevel=kit.bevel),
        box((0.38, height * 0.5, 0.26), wood, (0, 0.4, 0)),
        box((0.5, height * 0.28, 0.32), wood, (0, height * 0.68, 0)),
        prism([(-0.29, 0), (0.29, 0), (0, 0.16)], 0.34, wood, (0, height * 0.96, 0)),
        box((0.26, height * 0.4, 0.02), (0.12, 0.09, 0.08), (0, 0.5, 0.125)),
        bar((0, height * 0.6, 0.15), (0, 0.65, 0.15), 0.012, brass),
        prism(circle(0.08, 12), 0.03, brass, (0, 0.62, 0.15)),
        *dial,
    ]
    return Drawn(parts, wood, "wooden", ("tall", "antique"), ("a pendulum", "a round dial"),
                 paints={"pendulum": brass})  # fmt: skip


def _screen(kit: Kit, width: float, height: float) -> tuple[list[Part], str]:
    """A display with its bottom at y = 0, facing +z: off, or showing a picture."""
    case = kit.color("black", "dark grey", "black", "white", "grey")
    edge = 0.03 * width
    parts = [box((width, height, 0.05), case, bevel=0.01)]
    if kit.chance(0.5):
        parts += [p.move(y=edge) for p in _scene(kit, width - 2 * edge, height - 2 * edge, 0.022)]
        return parts, "a picture on the screen"
    blue = Paint((0.13, 0.17, 0.24), "") if kit.chance(0.6) else Paint((0.25, 0.45, 0.75), "")
    parts.append(box((width - 2 * edge, height - 2 * edge, 0.02), blue, (0, edge, 0.018)))
    return parts, "a blank screen"


@family("television", "tv", "flat screen tv", "television set", kind="electronics")
def _television(kit: Kit) -> Drawn:
    if kit.chance(0.3):
        case = kit.color("brown", "red", "light brown", "orange", "grey", "teal")
        parts = [
            box((0.7, 0.55, 0.45), case, (0, 0.12, 0), bevel=0.03),
            box((0.46, 0.4, 0.02), (0.2, 0.26, 0.28), (-0.08, 0.2, 0.225), bevel=0.01),
        ]
        parts += [cylinder(0.04, 0.03, (0.9, 0.85, 0.7), segments=8).turn(x=90).move(0.25, y, 0.22)
                  for y in (0.5, 0.38)]  # fmt: skip
        parts += [bar((0, 0.65, 0), (s * 0.22, 1.0, 0), 0.01, (0.3, 0.3, 0.32)) for s in (-1, 1)]
        parts += [bar((x, 0, z), (x * 0.8, 0.14, z * 0.8), 0.025, case) for x in (-0.28, 0.28)
                  for z in (-0.16, 0.16)]  # fmt: skip
        return Drawn(parts, case, "", ("old", "retro"), ("two antennas", "two knobs", "four legs"),
                     ("television", "old tv", "retro television"))  # fmt: skip
    width = kit.between(1.0, 1.5)
    parts, seen = _screen(kit, width, width * 0.58)
    parts = [p.move(y=0.1) for p in parts]
    dark = kit.color("black", "dark grey")
    parts += [box((width * 0.4, 0.03, 0.25), dark), box((width * 0.1, 0.14, 0.05), dark)]
    return Drawn(parts, None, "", ("flat", "wide"), (seen, "a stand"), ("television", "tv"))


@family("computer monitor", "monitor", "computer screen", "pc", kind="electronics")
def _monitor(kit: Kit) -> Drawn:
    parts, seen = _screen(kit, 0.6, 0.36)
    parts = [p.move(y=0.16) for p in parts]
    dark = kit.color("black", "dark grey", "silver", "white")
    parts += [
        box((0.26, 0.02, 0.2), dark, bevel=0.005),
        box((0.07, 0.26, 0.04), dark, (0, 0, -0.05)),
    ]
    features = [seen, "a stand"]
    words = ("computer monitor", "monitor", "computer screen")
    if kit.chance(0.4):
        keys = kit.color("black", "white", "grey")
        parts.append(_keys(kit, 0.5, keys).move(z=0.32))
        features.append("a keyboard")
        words = ("computer", "desktop computer", "computer monitor")
    return Drawn(parts, None, "", (), tuple(features), words)


def _keys(kit: Kit, width: float, case: Paint) -> Part:
    """A keyboard that lies on y = 0."""
    cap = kit.other(case, "white", "dark grey", "black", "light grey")
    depth = width * 0.34
    parts = [box((width, 0.02, depth), case, bevel=0.004)]
    for row in range(4):
        count = 11 if row else 5
        size = width * 0.93 / 11
        z = (row - 1.5) * -depth * 0.23
        for i in range(count):
            wide = size * (3.4 if count == 5 and i == 2 else 1.0)
            x = (i - (count - 1) / 2) * size * (2.1 if count == 5 else 1.0)
            parts.append(box((wide * 0.82, 0.012, depth * 0.18), cap, (x, 0.02, z)))
    return group(parts)


@family("keyboard", "computer keyboard", "typing keyboard", kind="electronics")
def _keyboard(kit: Kit) -> Drawn:
    case = kit.color("black", "white", "grey", "dark grey", "pink", "blue")
    return Drawn([_keys(kit, 0.45, case)], case, "plastic", ("flat",), ("rows of keys",))


@family("laptop", "notebook computer", "laptop computer", "portable computer", kind="electronics")
def _laptop(kit: Kit) -> Drawn:
    case = kit.color("silver", "dark grey", "black", "white", "light grey", "blue")
    width, depth = 0.36, 0.25
    lid, _ = _screen(kit, width, depth)
    lid = [p.scale(1, 1, 0.3) for p in lid[1:]]
    back = box((width, depth, 0.014), case)
    opened = group([back, *lid]).turn(x=kit.between(-35, -8)).move(0, 0.02, -depth / 2)
    keys = kit.other(case, "black", "dark grey", "white")
    parts = [box((width, 0.02, depth), case), opened,
             box((0.1, 0.003, 0.06), keys, (0, 0.02, depth * 0.33))]  # fmt: skip
    parts += [box((0.024, 0.005, 0.022), keys, (0.03 * (i - 4.5), 0.02, -0.09 + 0.032 * row))
              for row in range(4) for i in range(10)]  # fmt: skip
    return Drawn(parts, case, "", ("open",), ("a keyboard", "an open screen"))


@family("computer mouse", "mouse", "pc mouse", kind="electronics")
def _mouse(kit: Kit) -> Drawn:
    case = kit.color("black", "white", "grey", "red", "blue")
    wheel = kit.other(case, "dark grey", "light grey", "red")
    body = sphere((0.035, 0.036, 0.06), case, low=0.5, segments=max(12, kit.segments))
    parts = [body, cylinder(0.008, 0.008, wheel, segments=8).turn(z=90).move(0.004, 0.032, 0.03),
             box((0.002, 0.004, 0.055), wheel, (0, 0.031, 0.03))]  # fmt: skip
    features = ["a scroll wheel", "two buttons"]
    if kit.chance(0.6):
        parts.append(sweep([(0, 0.01, 0.055), (0.01, 0.005, 0.1), (-0.02, 0.005, 0.14),
                            (0.02, 0.005, 0.18)], 0.003, wheel))  # fmt: skip
        features.append("a cable")
    return Drawn(parts, case, "plastic", ("small",), tuple(features))


@family("smartphone", "mobile phone", "cell phone", "phone", kind="electronics")
def _smartphone(kit: Kit) -> Drawn:
    case = kit.color("black", "white", "silver", "pink", "blue", "red", "gold")
    glass = Paint((0.1, 0.12, 0.16), "")
    body = prism(rounded(0.075, 0.15, 0.012), 0.009, case)
    parts = [body, prism(rounded(0.069, 0.143, 0.009), 0.002, glass, (0, 0, 0.005))]
    icons = kit.chance(0.6)
    if icons:
        parts += [box((0.011, 0.011, 0.001), kit.color(), (x * 0.016, 0.04 - y * 0.018, 0.006))
                  for y in range(4) for x in (-1.5, -0.5, 0.5, 1.5)]  # fmt: skip
    parts += [cylinder(0.006, 0.003, glass, segments=8).turn(x=-90).move(0.022, y, -0.0045)
              for y in (0.06, 0.045)]  # fmt: skip
    return Drawn(parts, None, "", ("thin",), ("icons on the screen" if icons else "a dark screen",),
                 paints={"case": case})  # fmt: skip


def _one_book(kit: Kit, color: Paint, size: tuple[float, float, float]) -> Part:
    """A closed book that lies on y = 0, its spine to the left."""
    width, thick, depth = size
    cover = thick * 0.14
    pages = box((width * 0.94, thick - 2 * cover, depth * 0.94), (0.93, 0.89, 0.8), (0, cover, 0))
    return group(
        [
            pages,
            box((width, cover, depth), color),
            box((width, cover, depth), color, (0, thick - cover, 0)),
            box((cover, thick, depth), color, (-width / 2, 0, 0)),
        ]
    )


@family("book", "closed book", "novel", "tome")
def _book(kit: Kit) -> Drawn:
    color = kit.color("red", "blue", "green", "brown", "purple", "teal", "dark blue", "dark red")
    body = _one_book(kit, color, (0.16, kit.between(0.025, 0.06), 0.23))
    features = ["pages", f"a {kit.say(color, 'cover')}"]
    if kit.chance(0.3):
        page = (0.95, 0.92, 0.84)
        half = [box((0.17, 0.03, 0.24), page, (s * 0.088, 0.01, 0)).turn(z=s * 7) for s in (-1, 1)]
        covers = [box((0.18, 0.008, 0.25), color, (s * 0.092, 0, 0)).turn(z=s * 7) for s in (-1, 1)]
        lines = [box((0.12, 0.002, 0.006), (0.35, 0.35, 0.38), (s * 0.088, 0.04, z)).turn(z=s * 7)
                 for s in (-1, 1) for z in np.linspace(-0.09, 0.09, 7)]  # fmt: skip
        return Drawn(
            [*half, *covers, *lines],
            None,
            "paper",
            ("open",),
            ("white pages", "lines of text") if kit.look != "clay" else ("pages",),
            ("open book", "book"),
            paints={"cover": color},
        )
    if kit.chance(0.4):
        body = body.turn(z=-90)
        body = body.turn(x=-90).turn(y=0) if kit.chance(0.3) else body
    return Drawn(
        [body], color, "", ("closed",), tuple(features), ("book",), paints={"cover": color}
    )


@family("stack of books", "pile of books", "books", "book stack")
def _books(kit: Kit) -> Drawn:
    count, y, parts = kit.count(2, 6), 0.0, []
    for _ in range(count):
        thick = kit.between(0.03, 0.055)
        size = (kit.between(0.14, 0.19), thick, kit.between(0.2, 0.26))
        parts.append(_one_book(kit, kit.color(), size).turn(y=kit.between(-20, 20)).move(y=y))
        y += thick
    number = ("two", "three", "four", "five", "six")[count - 2]
    words = ("stack of books", f"{number} books") if kit.look == "clay" else (
        "stack of books", f"{number} colourful books")  # fmt: skip
    return Drawn(
        parts, None, "", (), (), words, (f"stack of {number} books", "books lying on each other")
    )


@family("curtains", "drapes", "window curtains", kind=_DECOR)
def _curtains(kit: Kit) -> Drawn:
    cloth, rod = kit.color(), kit.color("gold", "black", "brown", "silver")
    height, width = kit.between(1.5, 2.1), kit.between(1.3, 1.8)
    closed = kit.chance(0.4)
    share = 0.5 if closed else kit.between(0.24, 0.34)
    folds = 18
    parts = [bar((-width / 2 - 0.1, height, 0), (width / 2 + 0.1, height, 0), 0.025, rod)]
    parts += [sphere(0.05, rod, (s * (width / 2 + 0.1), height, 0), segments=6) for s in (-1, 1)]
    for side in (-1, 1):
        xs = np.linspace(0, width * share, folds)
        zs = 0.05 * np.sin(np.arange(folds) * 1.4)
        front, back = np.stack([xs, zs + 0.015], 1), np.stack([xs, zs - 0.015], 1)[::-1]
        sheet = prism(np.concatenate([front, back]), height, cloth).turn(x=-90).move(y=height / 2)
        parts.append(sheet.move(-width / 2) if side < 0 else sheet.mirror().move(width / 2))
    state = "closed" if closed else "open"
    return Drawn(parts, cloth, "fabric", (state, "long"), (f"a {kit.say(rod, 'rod')}",),
                 paints={"rod": rod})  # fmt: skip


@family("window", "house window", "glass window")
def _window(kit: Kit) -> Drawn:
    wood, glass = (
        kit.color("white", "brown", "dark brown", "blue", "green", "grey"),
        Paint((0.62, 0.82, 0.92)),
    )
    width, height = kit.between(0.7, 1.3), kit.between(0.9, 1.4)
    thick = 0.07 * kit.chunk
    columns, rows = kit.count(1, 3), kit.count(1, 3)
    arched = kit.chance(0.2)
    parts = [box((width, height, 0.02), glass)]
    parts += [box((thick, height, 0.08), wood, (s * width / 2, 0, 0)) for s in (-1, 1)]
    parts += [box((width + thick, thick, 0.08), wood, (0, y, 0)) for y in (0, height - thick / 2)]
    parts += [box((thick * 0.5, height, 0.05), wood, (width * (i / columns - 0.5), 0, 0))
              for i in range(1, columns)]  # fmt: skip
    parts += [
        box((width, thick * 0.5, 0.05), wood, (0, height * i / rows, 0)) for i in range(1, rows)
    ]
    parts.append(box((width + 0.24, 0.05, 0.18), wood, (0, -0.05, 0.04)))
    panes = columns * rows
    features = [f"a {kit.say(wood, 'frame')}"]
    if panes > 1:
        features.append(
            f"{('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine')[panes - 1]} panes"
        )
    if arched:
        half = [(width / 2 * np.cos(a), width / 2 * np.sin(a)) for a in np.linspace(0, np.pi, 11)]
        outer = [(x * 1.12, y * 1.12) for x, y in half]
        parts += [
            prism(half, 0.02, glass, (0, height, 0)),
            prism([*outer, *half[::-1]], 0.08, wood, (0, height, 0)),
        ]
        features.append("an arched top")
    if not arched and kit.chance(0.3):
        shutter = kit.other(wood, "green", "blue", "red", "brown", "teal")
        for s in (-1, 1):
            x = s * (width * 0.76 + thick / 2)
            parts.append(box((width * 0.48, height, 0.04), shutter, (x, 0, 0)))
            parts += [box((width * 0.38, 0.03, 0.06), shutter, (x, height * (0.1 + 0.11 * i), 0))
                      for i in range(8)]  # fmt: skip
        features.append(kit.say(shutter, "shutters"))
    return Drawn(parts, None, "", ("arched",) if arched else ("rectangular",), tuple(features),
                 paints={"frame": wood})  # fmt: skip


@family("door", "house door", "front door", "doorway")
def _door(kit: Kit) -> Drawn:
    color = kit.color("brown", "red", "white", "green", "blue", "dark brown", "light brown", "grey")
    rim = color if kit.chance(0.5) else kit.other(color, "white", "beige", "grey", "dark brown")
    knob = kit.color("gold", "black", "silver")
    width, height = kit.between(0.8, 1.0), kit.between(1.9, 2.2)
    edge = 0.08 * kit.chunk
    leaf = [box((width, height, 0.06), color)]
    style = kit.pick("panels", "planks", "glass", "plain")
    features = [f"a {kit.say(knob, 'handle')}", "a frame"]
    if style == "panels":
        for x in (-0.22, 0.22):
            leaf += [
                box(
                    (width * 0.34, height * h, 0.09), color, (x * width, height * y, 0), bevel=0.012
                )
                for y, h in ((0.08, 0.36), (0.54, 0.36))
            ]
        features.append("four panels")
    elif style == "planks":
        leaf += [
            box((width * 0.22, height * 0.98, 0.08), color, (width * (i - 1.5) * 0.245, 0.01, 0))
            for i in range(4)
        ]
        leaf += [box((width * 0.9, 0.08, 0.1), knob, (0, height * y, 0)) for y in (0.2, 0.75)]
        features.append("metal bands")
    elif style == "glass":
        leaf.append(
            box((width * 0.6, height * 0.32, 0.08), (0.62, 0.82, 0.92), (0, height * 0.55, 0))
        )
        features.append("a glass pane")
    leaf.append(sphere(0.045, knob, (width * 0.38, height * 0.46, 0.07), segments=8))
    opened = kit.chance(0.25)
    swing = kit.between(35, 75) if opened else 0.0
    parts = [group(leaf).move(width / 2).turn(y=-swing).move(-width / 2)]
    parts += [box((edge, height, 0.14), rim, (s * (width + edge) / 2, 0, 0)) for s in (-1, 1)]
    parts.append(box((width + 2 * edge, edge, 0.14), rim, (0, height, 0)))
    return Drawn(
        parts,
        color,
        "wooden" if style == "planks" else "",
        ("open" if opened else "closed",),
        tuple(features),
        ("door",),
    )


@family("stairs", "staircase", "steps", "stairway")
def _stairs(kit: Kit) -> Drawn:
    stone = kit.chance(0.4)
    color = kit.color("grey", "light grey", "beige") if stone else kit.wood()
    count, width = kit.count(4, 9), kit.between(0.8, 1.4)
    rise, run = 0.18, 0.26
    parts: list[Part] = []
    solid = stone or kit.chance(0.5)
    for i in range(count):
        z = -i * run
        size = (width, (i + 1) * rise if solid else 0.06, run)
        parts.append(box(size, color, (0, 0 if solid else (i + 1) * rise - 0.06, z)))
    top = (count * rise, -(count - 1) * run)
    if not solid:
        for s in (-1, 1):
            outline = [
                (0.13, 0),
                (0.13, 0.12),
                (-(count - 0.5) * run, top[0]),
                (-(count - 0.5) * run, top[0] - 0.25),
            ]
            parts.append(prism(outline, 0.05, color).turn(y=-90).move(s * width / 2))
    features = [f"{('four', 'five', 'six', 'seven', 'eight', 'nine')[count - 4]} steps"]
    if kit.chance(0.5):
        rail = kit.metal() if kit.chance(0.4) else color
        for s in (-1, 1):
            parts.append(
                bar(
                    (s * width * 0.47, rise + 0.8, 0),
                    (s * width * 0.47, top[0] + 0.8, top[1]),
                    0.03,
                    rail,
                )
            )
            parts += [
                bar(
                    (s * width * 0.47, (i + 1) * rise, -i * run),
                    (s * width * 0.47, (i + 1) * rise + 0.8, -i * run),
                    0.018,
                    rail,
                )
                for i in range(count)
            ]
        features.append("handrails")
    return Drawn(parts, color, "stone" if stone else "wooden", (), tuple(features))


@family("basket", "wicker basket", "woven basket", "storage basket")
def _basket(kit: Kit) -> Drawn:
    color = kit.color("light brown", "brown", "beige")
    radius, height = kit.between(0.18, 0.3), kit.between(0.15, 0.35)
    wall = [
        (0, 0),
        (radius * 0.8, 0),
        (radius, height),
        (radius * 0.92, height),
        (radius * 0.74, 0.03),
        (0, 0.03),
    ]
    parts = [lathe(wall, color, segments=max(10, kit.segments))]
    for i in range(3):
        share = (i + 1) / 3
        parts.append(
            torus(
                radius * (0.8 + 0.2 * share),
                0.014,
                color,
                (0, height * share, 0),
                segments=14,
                around=5,
            )
        )
    features = []
    if kit.chance(0.6):
        parts.append(
            torus(radius * 0.95, 0.015, color, degrees=180, segments=10).turn(x=90).move(y=height)
        )
        features.append("a handle")
    if kit.chance(0.4):
        fruit = kit.color("red", "orange", "green", "yellow")
        parts += [
            sphere(
                radius * 0.33,
                fruit,
                (0.5 * radius * np.cos(a), height * 0.95, 0.5 * radius * np.sin(a)),
                segments=8,
            )
            for a in (0.3, 1.9, 3.4, 5.0)
        ]
        features.append(kit.say(fruit, "fruit"))
    return Drawn(parts, color, "wicker", ("round",), tuple(features))


@family("trash can", "bin", "waste bin", "garbage can", "rubbish bin", "wastebasket")
def _bin(kit: Kit) -> Drawn:
    color = kit.color("grey", "dark grey", "green", "blue", "black", "silver", "red")
    dark = kit.other(color, "black", "dark grey", "light grey")
    height, radius = kit.between(0.5, 0.9), kit.between(0.2, 0.28)
    wall = [
        (0, 0),
        (radius * 0.82, 0),
        (radius, height),
        (radius * 0.92, height),
        (radius * 0.75, 0.04),
        (0, 0.04),
    ]
    parts = [lathe(wall, color, segments=max(8, kit.segments))]
    features = []
    if kit.chance(0.65):
        parts += [
            cylinder(
                radius * 1.06,
                0.06,
                dark,
                (0, height, 0),
                segments=max(8, kit.segments),
                top=radius * 0.8,
            ),
            box((0.12, 0.05, 0.04), dark, (0, height + 0.06, 0)),
        ]
        features.append(f"a {kit.say(dark, 'lid')}")
    else:
        parts += [blob(radius * 0.35, (0.93, 0.92, 0.88), kit.rng, (x, height * 0.92, z), detail=0)
                  for x, z in ((0.08, 0.05), (-0.09, 0.02), (0, -0.09))]  # fmt: skip
        features.append("crumpled paper")
    return Drawn(parts, color, kit.pick("metal", "plastic"), (), tuple(features))


@family("towel", "folded towel", "bath towel", "towel rail")
def _towel(kit: Kit) -> Drawn:
    cloth = kit.color("white", "light blue", "pink", "green", "yellow", "red", "teal", "beige")
    if kit.chance(0.5):
        metal = kit.metal()
        drop = kit.between(0.4, 0.6)
        parts = [
            bar((-0.35, 0, 0), (0.35, 0, 0), 0.015, metal),
            box((0.45, drop, 0.03), cloth, (0, -drop, 0.03)),
            box((0.45, drop * 0.7, 0.03), cloth, (0, -drop * 0.7, -0.03)),
            box((0.45, 0.03, 0.09), cloth, (0, 0, 0)),
        ]
        parts += [box((0.04, 0.06, 0.12), metal, (s * 0.34, -0.03, -0.06)) for s in (-1, 1)]
        return Drawn(
            parts, cloth, "", ("hanging",), ("a metal rail",), ("towel on a rail", "towel")
        )
    count = kit.count(1, 3)
    parts = []
    for i in range(count):
        shade = (
            cloth if i == 0 else kit.color("white", "light blue", "pink", "green", "beige", "teal")
        )
        parts += [
            pillow((0.4, 0.05, 0.3), shade, (0, 0.09 * i + 0.045 * k, 0), square=0.25)
            for k in range(2)
        ]
    if count == 1:
        return Drawn(parts, cloth, "", ("folded", "soft"), (), ("folded towel", "towel"))
    return Drawn(parts, None, "", ("folded", "soft"), (), ("stack of towels", "towels"))


@family("umbrella stand", "umbrella holder")
def _umbrella_stand(kit: Kit) -> Drawn:
    color = kit.color()
    parts = [
        tube(0.16, 0.14, 0.45, color, segments=max(8, kit.segments)),
        cylinder(0.15, 0.03, color),
    ]
    count = kit.count(1, 3)
    for i in range(count):
        cloth, x = kit.other(color), (i - (count - 1) / 2) * 0.09
        furled = lathe(
            [(0, 0), (0.035, 0.3), (0.045, 0.55), (0.01, 0.62), (0, 0.62)], cloth, segments=8
        )
        hook = sweep(
            [(0, 0.6, 0), (0, 0.78, 0), (0.02, 0.83, 0), (0.06, 0.83, 0), (0.08, 0.78, 0)],
            0.012,
            (0.35, 0.2, 0.1),
        )
        parts.append(group([furled, hook]).turn(z=-8 * x / 0.09).move(x, 0.03))
    return Drawn(parts, color, "", (), ("umbrellas" if count > 1 else "an umbrella",))


@family("speaker", "loudspeaker", "stereo speaker", kind="electronics")
def _speaker(kit: Kit) -> Drawn:
    case = kit.color("black", "brown", "dark grey", "white", "red", "blue")
    dark, rim = Paint((0.1, 0.1, 0.12)), kit.color("silver", "grey", "gold")
    height = kit.between(0.4, 0.9)
    parts = [box((0.32, height, 0.3), case, bevel=kit.bevel)]
    for y, radius in ((0.3, 0.115), (0.72, 0.075)):
        at = (0, height * y, 0.145)
        parts += [
            prism(circle(radius, 16), 0.04, rim, at),
            prism(circle(radius * 0.88, 16), 0.046, dark, at),
            sphere((radius * 0.35, radius * 0.35, 0.03), rim, (0, height * y, 0.168), segments=8),
        ]
    return Drawn(parts, case, "", (), ("two round membranes",))


@family("wall socket", "power outlet", "electric socket", kind="electronics")
def _socket(kit: Kit) -> Drawn:
    color, dark = kit.color("white", "beige", "light grey"), Paint((0.2, 0.2, 0.22))
    parts = [
        prism(rounded(0.09, 0.09, 0.012), 0.02, color, bevel=0.003),
        prism(circle(0.03, 14), 0.024, color),
    ]
    parts += [prism(circle(0.005, 6), 0.027, dark, (s * 0.01, 0, 0)) for s in (-1, 1)]
    return Drawn(parts, color, "plastic", ("square",), ("two holes",))
