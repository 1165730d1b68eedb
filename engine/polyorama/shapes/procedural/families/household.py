"""Rugs, pictures, clocks, books, curtains, doors, windows: what a home is made of."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.lamps import DECOR
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
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
    torus,
    tube,
)


@family("rug", "carpet", "floor mat", kind=DECOR)
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


@family("pillow", "cushion", "throw pillow", "sofa cushion", kind=DECOR)
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


@family("mirror", "looking glass", "wall mirror", kind=DECOR)
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


def scene(kit: Kit, width: float, height: float, z: float) -> list[Part]:
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


@family("picture frame", "framed picture", "painting", "photo frame", "wall art", kind=DECOR)
def _picture(kit: Kit) -> Drawn:
    rim = kit.color("gold", "brown", "white", "black", "light brown", "dark brown", "red", "blue")
    width, height = kit.between(0.3, 1.0), kit.between(0.3, 0.8)
    edge = 0.05 * kit.chunk
    standing = kit.chance(0.3)
    parts = [box((width, height, 0.04), rim, bevel=0.008)]
    parts += [p.move(y=edge) for p in scene(kit, width - 2 * edge, height - 2 * edge, 0.018)]
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


@family("curtains", "drapes", "window curtains", kind=DECOR)
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
        sheet = ribbon(np.stack([xs, zs], 1), 0.03, height, cloth).turn(x=-90).move(y=height / 2)
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
        number = {2: "two", 3: "three", 4: "four", 6: "six", 9: "nine"}[panes]
        features.append(f"{number} panes")
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
