"""Pieces of street, fences, gates and walls."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.street import ASPHALT, LINE, STREET
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    cone,
    group,
    prism,
    star,
)


@family("billboard", "advertising board", "advertisement", "hoarding", kind=STREET)
def _billboard(kit: Kit) -> Drawn:
    pole, face = kit.color("grey", "dark grey", "brown"), kit.color()
    ink = kit.other(face, "white", "yellow", "black", "red")
    parts = [
        bar((x, 0, -0.1), (x, 2.2, -0.1), 0.07 * kit.chunk, pole, segments=8)
        for x in ((-0.8, 0.8) if kit.chance(0.6) else (0.0,))
    ]
    parts += [
        box((3.0, 1.4, 0.12), pole, (0, 1.6, 0)),
        box((2.85, 1.26, 0.04), face, (0, 1.67, 0.06)),
        prism(star(kit.count(5, 8), 0.4, 0.2), 0.02, ink, (-0.85, 2.3, 0.09)),
    ]
    parts += [box((1.3 - 0.3 * i, 0.14, 0.02), ink, (0.5, 2.5 - 0.32 * i, 0.08)) for i in range(3)]
    return Drawn(parts, face, "", ("big",), ("a picture", "lines of text"), paints={"face": face})


@family("fence", "wooden fence", "picket fence", "garden fence", "fencing")
def _fence(kit: Kit) -> Drawn:
    style = kit.pick("picket", "planks", "rails", "iron")
    color = (
        kit.color("black", "dark grey", "grey", "dark green")
        if style == "iron"
        else kit.color("white", "brown", "light brown", "brown", "dark brown", "beige")
    )
    width, height = kit.between(1.6, 2.6), kit.between(0.8, 1.2)
    parts: list[Part] = []
    broken = kit.chance(0.2)
    if style == "rails":
        parts += [
            box((0.12 * kit.chunk, height, 0.12 * kit.chunk), color, (x * width / 2, 0, 0))
            for x in (-1, 0, 1)
        ]
        parts += [
            box((width, 0.09 * kit.chunk, 0.05), color, (0, height * y, 0)).turn(
                z=kit.between(-6, 6) if broken else 0.0
            )
            for y in (0.3, 0.68)
        ]
        features = ["three posts", "two rails"]
    elif style == "iron":
        parts += [
            bar((-width / 2, y, 0), (width / 2, y, 0), 0.022, color, segments=4)
            for y in (0.12, height * 0.82)
        ]
        for x in np.linspace(-width / 2, width / 2, int(width / 0.16)):
            parts += [
                bar((float(x), 0, 0), (float(x), height, 0), 0.014 * kit.chunk, color),
                cone(0.03, 0.1, color, (float(x), height, 0), segments=4),
            ]
        features = ["pointed bars", "spikes"]
    else:
        count = int(width / (0.2 if style == "picket" else 0.155))
        wide = 0.11 if style == "picket" else 0.145
        parts += [box((width, 0.08, 0.04), color, (0, height * y, -0.035)) for y in (0.22, 0.7)]
        for i in range(count):
            x, tall = (
                (i - (count - 1) / 2) * width / count,
                height * (kit.between(0.45, 1.0) if broken and kit.chance(0.4) else 1.0),
            )
            tip = 0.09 if style == "picket" else 0.0
            parts.append(
                prism(
                    [
                        (-wide / 2, 0),
                        (wide / 2, 0),
                        (wide / 2, tall - tip),
                        (0, tall + 1e-3),
                        (-wide / 2, tall - tip),
                    ],
                    0.035 * kit.chunk,
                    color,
                    (x, 0, 0),
                )
            )
        features = ["pointed pickets" if style == "picket" else "planks side by side"]
    words = {
        "picket": ("picket fence", "fence"),
        "planks": ("plank fence", "wooden fence", "fence"),
        "rails": ("rail fence", "wooden fence", "fence"),
        "iron": ("iron fence", "metal fence", "fence"),
    }[style]
    called = tuple(w for w in words if kit.look != "clay" or "wooden" not in w)
    return Drawn(
        parts,
        color,
        "iron" if style == "iron" else "wooden",
        ("broken",) if broken and style != "iron" else (),
        tuple(features),
        called,
    )


@family("fence gate", "gate", "garden gate", "iron gate", "entrance gate")
def _gate(kit: Kit) -> Drawn:
    iron = kit.chance()
    color = (
        kit.color("black", "dark grey", "dark green")
        if iron
        else kit.color("brown", "light brown", "white", "dark brown")
    )
    post = kit.color("grey", "light grey", "red", "beige", "brown") if iron else color
    width, height = kit.between(1.3, 2.0), kit.between(1.1, 1.7)
    parts = [
        box((0.28, height * 1.15, 0.28), post, (s * (width / 2 + 0.14), 0, 0), bevel=kit.bevel)
        for s in (-1, 1)
    ]
    parts += [
        box((0.36, 0.08, 0.36), post, (s * (width / 2 + 0.14), height * 1.15, 0)) for s in (-1, 1)
    ]
    swing = kit.pick(0.0, 0.0, 50.0)
    for s in (-1, 1):
        half = width / 2 - 0.02
        wing = [
            bar((0, y, 0), (half, y, 0), 0.025, color, segments=4) for y in (0.15, height * 0.75)
        ]
        for k, x in enumerate(np.linspace(0.03, half, 6)):
            tall = height * (0.8 + 0.04 * k)
            wing.append(
                bar((float(x), 0.08, 0), (float(x), tall, 0), 0.018 * kit.chunk, color)
                if iron
                else box((0.12, tall - 0.08, 0.04), color, (float(x) * 0.93 + 0.03, 0.08, 0))
            )
        leaf = group(wing).turn(y=-swing).move(-width / 2)
        parts.append(leaf if s < 0 else leaf.mirror())
    return Drawn(
        parts,
        color,
        "iron" if iron else "wooden",
        ("open",) if swing else ("closed",),
        ("two wings", "two posts"),
    )


def _bricks(kit: Kit, width: float, height: float, depth: float, color: Paint) -> list[Part]:
    """Courses of bricks over a body of mortar."""
    rows = max(3, round(height / 0.16))
    tall, parts = (
        height / rows,
        [box((width * 0.985, height * 0.99, depth * 0.9), (0.75, 0.73, 0.7))],
    )
    for row in range(rows):
        x = -width / 2 - (0.16 if row % 2 else 0.0)
        while x < width / 2 - 0.02:
            low, high = max(x, -width / 2), min(x + 0.32, width / 2)
            share = kit.between(0.88, 1.1)
            r, g, b = (min(1.0, share * c) for c in color.rgb)
            if high - low > 0.05:
                parts.append(
                    box(
                        (high - low - 0.02, tall * 0.86, depth),
                        (r, g, b),
                        ((low + high) / 2, row * tall, 0),
                    )
                )
            x += 0.32
    return parts


@family("brick wall", "wall of bricks", "masonry wall", "wall")
def _brick_wall(kit: Kit) -> Drawn:
    color = kit.color("red", "dark red", "brown", "grey", "light brown", "orange")
    width, height = kit.between(1.2, 1.9), kit.between(0.7, 1.2)
    return Drawn(
        _bricks(kit, width, height, 0.2, color),
        color,
        "brick",
        (),
        ("rows of bricks",),
        ("brick wall", "wall"),
    )


@family("wall", "plain wall", "wall panel")
def _wall(kit: Kit) -> Drawn:
    color = kit.color(
        "white",
        "beige",
        "grey",
        "light grey",
        "light blue",
        "yellow",
        "green",
        "pink",
        "teal",
        "light brown",
    )
    skirt = kit.other(color, "white", "brown", "dark brown", "grey", "dark grey")
    width, height, thick = 2.0, 2.0, 0.15
    style = kit.pick("plain", "window", "door", "half", "tiles")
    parts: list[Part] = []
    if style == "half":
        height = 0.8
    if style in ("window", "door"):
        low = 0.7 if style == "window" else 0.0
        gap, top = 0.8, 1.55
        parts += [
            box(((width - gap) / 2, height, thick), color, (s * (width + gap) / 4, 0, 0))
            for s in (-1, 1)
        ]
        parts += [
            box((gap, height - top, thick), color, (0, top, 0)),
            *([box((gap, low, thick), color)] if low else []),
        ]
        parts += [
            box((0.07, top - low, thick * 1.3), skirt, (s * gap / 2, low, 0)) for s in (-1, 1)
        ] + [box((gap + 0.14, 0.07, thick * 1.3), skirt, (0, top, 0))]
        features = [f"a {style} opening", f"a {kit.say(skirt, 'frame')}"]
        words: tuple[str, ...] = (
            f"wall with a {'window' if style == 'window' else 'doorway'}",
            "wall",
        )
    else:
        parts += [box((width, height, thick), color), box((width, 0.14, thick * 1.25), skirt)]
        features, words = (
            [f"a {kit.say(skirt, 'skirting')}"],
            ("wall",) if style != "half" else ("low wall", "half wall", "wall"),
        )
        if style == "tiles":
            parts += [
                box((0.23, 0.23, thick * 1.1), color, (x, y, 0))
                for x in np.linspace(-0.875, 0.875, 8)
                for y in np.linspace(0.3, 1.72, 7)
            ]
            features, words = ["square tiles"], ("tiled wall", "wall")
    return Drawn(parts, color, "", ("flat",), tuple(features), words)


def _road(kit: Kit, kind: str) -> Drawn:
    """A square piece of street, 2 m a side, with pavements where no street goes on."""
    edge = kit.color("light grey", "grey", "beige", "green")
    size, road = 2.0, 1.36
    side, mid = (size - road) / 2, (size + road) / 4
    line = LINE if kit.chance(0.7) else Paint((0.96, 0.8, 0.2))
    parts = [box((size, 0.05, size), ASPHALT)]
    kerb = 0.09 * kit.chunk

    def dashes(turn: float, start: float, end: float) -> list[Part]:
        return [
            box((0.06, 0.006, 0.2), line, (0, 0.05, z)).turn(y=turn)
            for z in np.arange(start, end, 0.4)
        ]

    corners = [(x, z) for x in (-1, 1) for z in (-1, 1)]
    if kind in ("straight", "crosswalk"):
        parts += [box((side, kerb, size), edge, (s * mid, 0, 0)) for s in (-1, 1)]
        if kind == "straight":
            parts += dashes(0, -0.8, 0.9)
        else:
            parts += [
                box((0.12, 0.006, 0.8), LINE, (x, 0.05, 0)) for x in np.linspace(-0.57, 0.57, 6)
            ]
    elif kind == "corner":
        parts += [
            box((side, kerb, size), edge, (-mid, 0, 0)),
            box((road + side, kerb, side), edge, (side / 2, 0, -mid)),
            box((side, kerb, side), edge, (mid, 0, mid)),
        ]
        curve = [
            (0.68 - 0.68 * np.sin(a) + 0.0, 0.053, 0.68 - 0.68 * np.cos(a))
            for a in np.linspace(0, np.pi / 2, 9)
        ]
        parts += [bar(curve[i], curve[i + 1], 0.03, line, segments=4) for i in (0, 2, 4, 6)] + [
            box((0.06, 0.006, 0.2), line, (0, 0.05, 0.85)),
            box((0.2, 0.006, 0.06), line, (0.85, 0.05, 0)),
        ]
    elif kind == "junction":
        parts += [box((side, kerb, side), edge, (x * mid, 0, z * mid)) for x, z in corners]
        parts += [
            box((0.09, 0.006, 0.22), LINE, (x, 0.05, 0.82)).turn(y=t)
            for t in (0, 90, 180, 270)
            for x in np.linspace(-0.55, 0.55, 6)
        ]
    else:
        parts += [
            box((side, kerb, size), edge, (-mid, 0, 0)),
            *[box((side, kerb, side), edge, (mid, 0, z * mid)) for z in (-1, 1)],
        ]
        parts += dashes(0, -0.8, 0.9)
    return Drawn(
        parts,
        None,
        "asphalt",
        ("flat",),
        {
            "straight": ("lane markings", "pavements"),
            "corner": ("a bend", "pavements"),
            "crosswalk": ("white stripes", "pavements"),
            "junction": ("four arms", "crosswalks"),
            "t": ("three arms", "lane markings"),
        }[kind],
        paints={"pavement": edge},
    )


@family("road", "street", "straight road", "road piece", "road tile")
def _straight(kit: Kit) -> Drawn:
    return _road(kit, "straight")


@family("road corner", "road bend", "road curve", "street corner", "curved road")
def _corner(kit: Kit) -> Drawn:
    return _road(kit, "corner")


@family("crosswalk", "zebra crossing", "pedestrian crossing", "road with a crosswalk")
def _crosswalk(kit: Kit) -> Drawn:
    return _road(kit, "crosswalk")


@family("road junction", "crossroads", "intersection", "street crossing")
def _junction(kit: Kit) -> Drawn:
    if kit.chance(0.4):
        drawn = _road(kit, "t")
        return Drawn(
            drawn.parts,
            None,
            "asphalt",
            ("flat",),
            drawn.features,
            ("t-junction", "road junction"),
            paints=drawn.paints,
        )
    return _road(kit, "junction")
