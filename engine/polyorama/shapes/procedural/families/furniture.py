"""Things to sit at, lie on and put things into."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    cylinder,
    pillow,
    sphere,
    torus,
)  # fmt: skip

KIND = "piece of furniture"


NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def frame(kit: Kit) -> tuple[Paint, str]:
    """What a piece of furniture is built of: mostly wood, at times painted or metal."""
    if kit.chance(0.68):
        return kit.wood(), "wooden"
    if kit.chance(0.3):
        return kit.metal(), "metal"
    return kit.color(), kit.pick("painted", "plastic", "")


def legs(
    kit: Kit, width: float, depth: float, height: float, color: Paint, thick: float = 0.05
) -> list[Part]:
    """Four legs at the corners of a rectangle, square, round, tapered or splayed."""
    size = thick * kit.chunk
    style = kit.pick("square", "square", "round", "taper", "splay")
    x, z = width / 2 - size * 0.6, depth / 2 - size * 0.6
    parts = []
    for a, b in product((-1, 1), (-1, 1)):
        at = (a * x, 0.0, b * z)
        if style == "square":
            parts.append(box((size, height, size), color, at))
        elif style == "splay":
            foot = (a * x * 1.06, 0.0, b * z * 1.06)
            parts.append(bar(foot, (a * x * 0.8, height, b * z * 0.8), size * 0.4, color,
                             top=size * 0.55))  # fmt: skip
        else:
            radius = size * 0.55
            foot_radius = radius * (0.6 if style == "taper" else 1.0)
            parts.append(cylinder(foot_radius, height, color, at, top=radius, segments=8))
    return parts


def backrest(
    kit: Kit, width: float, height: float, at: tuple[float, float, float], color: Paint
) -> tuple[list[Part], str]:
    """A back above the seat: a board, slats, rungs or a frame; and what it is called."""
    x, y, z = at
    thick = 0.04 * kit.chunk
    style = kit.pick("board", "slats", "rungs", "half")
    if style == "board":
        return [box((width, height, thick), color, at, bevel=kit.bevel)], "a solid backrest"
    posts = [
        box((thick * 1.2, height, thick * 1.2), color, (x + s * (width / 2 - thick * 0.6), y, z))
        for s in (-1, 1)
    ]
    top = box((width, height * 0.18, thick * 1.1), color, (x, y + height * 0.84, z))
    if style == "slats":
        count = kit.count(3, 5)
        places = np.linspace(-width * 0.3, width * 0.3, count)
        bars = [
            box((width * 0.09, height * 0.9, thick * 0.6), color, (x + p, y, z)) for p in places
        ]
        return [*posts, top, *bars], "a slatted backrest"
    if style == "rungs":
        count = kit.count(2, 3)
        bars = [
            box(
                (width * 0.95, height * 0.14, thick * 0.6),
                color,
                (x, y + height * (0.15 + 0.62 * i / count), z),
            )
            for i in range(count)
        ]
        return [*posts, top, *bars], "a ladder back"
    return [
        *posts,
        box((width, height * 0.5, thick), color, (x, y + height * 0.5, z)),
    ], "a backrest"


@family("chair", "dining chair", "seat", kind=KIND)
def _chair(kit: Kit) -> Drawn:
    color, material = frame(kit)
    width, depth = kit.between(0.4, 0.5), kit.between(0.4, 0.5)
    height, tall = kit.between(0.42, 0.5), kit.between(0.35, 0.65)
    thick = 0.045 * kit.chunk
    parts = legs(kit, width, depth, height, color)
    parts.append(box((width, thick, depth), color, (0, height, 0), bevel=kit.bevel))
    back, called = backrest(kit, width, tall, (0, height + thick, -depth / 2 + 0.03), color)
    lean = kit.between(-10, 0)
    hinge = height + thick
    parts += [p.move(0, -hinge, depth / 2).turn(x=lean).move(0, hinge, -depth / 2) for p in back]
    features, paints = [called, "four legs"], {}
    if kit.chance(0.4):
        cloth = kit.other(color)
        cushion = pillow((width * 0.92, 0.07, depth * 0.9), cloth, (0, height + thick * 0.8, 0))
        parts.append(cushion)
        paints["cushion"] = cloth
        features.append(f"a {kit.say(cloth, 'cushion')}")
    words = ("chair",) if material == "wooden" else ("chair", "dining chair", "seat")
    adjectives = ("high-backed",) if tall > 0.55 else ("low-backed",) if tall < 0.42 else ()
    return Drawn(parts, color, material, adjectives, tuple(features), words, (), paints)


def _upholstered(kit: Kit, seats: int, name: str) -> Drawn:
    """Armchairs and sofas: a seat block, a back, two arms, cushions, feet."""
    cloth = kit.color(
        "red",
        "blue",
        "green",
        "grey",
        "brown",
        "beige",
        "teal",
        "pink",
        "yellow",
        "dark blue",
        "dark green",
        "orange",
        "purple",
        "white",
        "dark grey",
        "black",
    )
    wood = kit.wood()
    inner = kit.between(0.5, 0.65) * seats
    depth, arm = kit.between(0.7, 0.9), kit.between(0.1, 0.18) * kit.chunk
    foot, seat = kit.between(0.05, 0.14), kit.between(0.22, 0.32)
    arms, back = kit.between(0.48, 0.65), kit.between(0.75, 1.05)
    width, soft = inner + 2 * arm, kit.between(0.02, 0.05)
    parts = [p.paint(wood) for p in legs(kit, width, depth, foot, wood, 0.06)]
    parts.append(box((width, seat, depth), cloth, (0, foot, 0), bevel=soft))
    parts.append(box((width, back - foot, 0.2), cloth, (0, foot, -depth / 2 + 0.1), bevel=soft))
    round_arms = kit.chance(0.3)
    for side in (-1, 1):
        at = (side * (width - arm) / 2, foot, 0.02)
        parts.append(box((arm, arms - foot, depth), cloth, at, bevel=soft))
        if round_arms:
            roll = cylinder(arm * 0.62, depth * 1.02, cloth, segments=max(8, kit.segments))
            parts.append(roll.turn(x=90).move(at[0], arms, -depth / 2 + 0.02))
    cushions = seats if kit.chance(0.8) else 1
    size = inner / cushions
    for i in range(cushions):
        x = (i - (cushions - 1) / 2) * size
        parts.append(
            box((size * 0.97, 0.14, depth - 0.2), cloth, (x, foot + seat, 0.12), bevel=0.04)
        )
        if kit.look == "game" or seats == 1:
            rest = box((size * 0.95, back * 0.42, 0.16), cloth, bevel=0.045)
            parts.append(rest.turn(x=-10).move(x, foot + seat + 0.13, -depth / 2 + 0.24))
    features = ["armrests", f"{kit.say(wood, 'wooden legs')}" if kit.look != "clay" else "legs"]
    paints = {}
    if kit.chance(0.45):
        pillow_color = kit.other(cloth)
        thrown = kit.count(1, 1 if seats == 1 else 3)
        for i in range(thrown):
            x = 0.0 if thrown == 1 else (i / (thrown - 1) - 0.5) * (inner - 0.35)
            body = pillow((0.4, 0.16, 0.4), pillow_color, square=0.6)
            parts.append(body.turn(x=72).turn(z=kit.between(-12, 12)).move(
                x, foot + seat + 0.34, -depth / 2 + 0.42))  # fmt: skip
        paints["pillow"] = pillow_color
        many = "a {}" if thrown == 1 else f"{NUMBERS[thrown]} {{}}"
        features.append(many.format(kit.say(pillow_color, "pillow" if thrown == 1 else "pillows")))
    material = kit.pick("fabric", "leather", "upholstered", "")
    adjectives = [kit.pick("cosy", "comfortable", "soft")]
    adjectives += ["two-seat"] if seats == 2 else ["three-seat", "long"] if seats == 3 else []
    words = ("loveseat",) if seats == 2 and name == "sofa" and kit.chance(0.2) else (name,)
    return Drawn(parts, cloth, material, tuple(adjectives), tuple(features), words, (), paints)


family("armchair", "easy chair", "lounge chair", "comfy chair", kind=KIND)(
    partial(_upholstered, seats=1, name="armchair")
)


@family("sofa", "couch", "settee", "living room sofa", kind=KIND)
def _sofa(kit: Kit) -> Drawn:
    return _upholstered(kit, kit.count(2, 3), "sofa")


@family("office chair", "swivel chair", "desk chair", "computer chair", kind=KIND)
def _office_chair(kit: Kit) -> Drawn:
    cloth = kit.color("black", "dark grey", "blue", "red", "grey", "green", "white")
    dark = kit.other(cloth, "black", "grey", "dark grey", "silver")
    seat, count = kit.between(0.44, 0.52), 5
    parts = [cylinder(0.035, seat - 0.1, dark, (0, 0.08, 0), segments=8)]
    for i in range(count):
        angle = 2 * np.pi * i / count
        x, z = 0.3 * np.sin(angle), 0.3 * np.cos(angle)
        parts.append(bar((0, 0.11, 0), (x, 0.07, z), 0.03, dark, segments=4))
        parts.append(sphere(0.035, dark, (x, 0.035, z), segments=6))
    parts.append(box((0.5, 0.09, 0.48), cloth, (0, seat, 0), bevel=0.03))
    tall = kit.between(0.5, 0.75)
    back = box((0.46, tall, 0.08), cloth, bevel=0.03).turn(x=-8)
    parts += [back.move(0, seat + 0.14, -0.26), box((0.08, 0.3, 0.04), dark, (0, seat, -0.27))]
    features = ["five casters", "a swivel base", "wheels"]
    if kit.chance(0.7):
        for side in (-1, 1):
            parts += [box((0.05, 0.04, 0.3), dark, (side * 0.29, seat + 0.24, 0)),
                      box((0.04, 0.24, 0.05), dark, (side * 0.29, seat + 0.02, 0))]  # fmt: skip
        features.append("armrests")
    return Drawn(parts, cloth, features=tuple(features), adjectives=("rolling",))


def _some_stool(kit: Kit, low: float, high: float, words: tuple[str, ...]) -> Drawn:
    color, material = frame(kit)
    height, radius = kit.between(low, high), kit.between(0.16, 0.22)
    square = kit.chance(0.25)
    thick = 0.05 * kit.chunk
    features, paints = [], {}
    parts = []
    if kit.chance(0.25):
        parts += [cylinder(radius * 0.9, 0.03, color, segments=kit.segments * 2),
                  cylinder(0.03, height, color, segments=8)]  # fmt: skip
        features.append("a round base and one central leg")
    else:
        count = 4 if square else kit.count(3, 4)
        spread = kit.between(1.0, 1.25)
        for i in range(count):
            angle = 2 * np.pi * (i + 0.5) / count
            x, z = radius * np.sin(angle), radius * np.cos(angle)
            parts.append(bar((x * spread, 0, z * spread), (x * 0.75, height, z * 0.75),
                             0.024 * kit.chunk, color))  # fmt: skip
        features.append(f"{NUMBERS[count]} legs")
        if height > 0.55:
            ring = torus(radius * (1.0 + spread) / 2 * 0.98, 0.014, color, (0, height * 0.35, 0))
            parts.append(ring)
            features.append("a footrest")
    if square:
        parts.append(box((radius * 1.9, thick, radius * 1.9), color, (0, height, 0)))
    else:
        parts.append(cylinder(radius * 1.05, thick, color, (0, height, 0), bevel=0.01,
                              segments=max(8, kit.segments)))  # fmt: skip
    if kit.chance(0.35):
        cloth = kit.other(color)
        parts.append(sphere((radius * 1.02, 0.07, radius * 1.02), cloth, (0, height + thick, 0),
                            low=0.5, segments=12))  # fmt: skip
        paints["seat"] = cloth
        features.append(f"a {kit.say(cloth, 'padded seat')}")
    shape = "square" if square else "round"
    return Drawn(parts, color, material, (shape,), tuple(features), words, (), paints)


@family("stool", "footstool", "small seat", kind=KIND)
def _stool(kit: Kit) -> Drawn:
    return _some_stool(kit, 0.38, 0.48, ("stool",))


@family("bar stool", "tall stool", "counter stool", kind=KIND)
def _bar_stool(kit: Kit) -> Drawn:
    return _some_stool(kit, 0.65, 0.85, ("bar stool",))


@family("bench", "park bench", "garden bench", "seat", kind=KIND)
def _bench(kit: Kit) -> Drawn:
    color, material = frame(kit)
    width, height, depth = kit.between(1.1, 1.9), kit.between(0.4, 0.48), kit.between(0.35, 0.5)
    slats = kit.count(2, 4)
    size = depth / slats
    other = kit.metal() if kit.chance(0.5) else color
    parts = [box((width, 0.05 * kit.chunk, size * 0.86), color,
                 (0, height, (i - (slats - 1) / 2) * size)) for i in range(slats)]  # fmt: skip
    for x in (-width * 0.38, width * 0.38):
        parts += [box((0.07 * kit.chunk, height, depth * 0.9), other, (x, 0, 0), taper=0.9)]
    features = [f"a seat of {NUMBERS[slats]} planks", "two supports"]
    adjectives = ["long"] if width > 1.6 else []
    if kit.chance(0.65):
        for x in (-width * 0.38, width * 0.38):
            parts.append(bar((x, height, -depth * 0.42), (x, height + 0.45, -depth * 0.6), 0.03,
                             other, segments=4))  # fmt: skip
        for i in range(2):
            board = box((width, 0.14, 0.04), color).turn(x=-20)
            parts.append(board.move(0, height + 0.13 + 0.19 * i, -depth * 0.44 - 0.07 * i))
        features.append("a backrest")
        words: tuple[str, ...] = ("bench", "park bench")
    else:
        words = ("bench",)
        adjectives.append("backless")
    return Drawn(parts, color, material, tuple(adjectives), tuple(features), words)


def _some_bed(kit: Kit, width: float, words: tuple[str, ...], decks: int = 1) -> Drawn:
    wood, material = frame(kit)
    cloth = kit.other(wood)
    sheet = kit.color("white", "beige", "light blue", "pink")
    length, step = 2.0, kit.between(0.9, 1.05)
    head, foot = kit.between(0.7, 1.1), kit.between(0.3, 0.55)
    thick = 0.07 * kit.chunk
    parts, paints = [], {"blanket": cloth, "pillow": sheet}
    for deck in range(decks):
        base = 0.2 + deck * step
        parts += [
            box((width, 0.16, length), wood, (0, base, 0)),
            box((width * 0.94, 0.18, length * 0.96), sheet, (0, base + 0.14, 0), bevel=0.04),
            box(
                (width * 1.0, 0.15, length * 0.64),
                cloth,
                (0, base + 0.2, length * 0.165),
                bevel=0.04,
            ),
        ]
        pillows = 2 if width > 1.2 else 1
        for i in range(pillows):
            x = (i - (pillows - 1) / 2) * width * 0.46
            parts.append(pillow((width * 0.42 if pillows == 2 else width * 0.7, 0.17, 0.4), sheet,
                                (x, base + 0.29, -length * 0.34)))  # fmt: skip
    pillows = 2 if width > 1.2 else 1
    features = [f"a {kit.say(cloth, 'blanket')}",
                "two pillows" if pillows == 2 else "a pillow"]  # fmt: skip
    if decks == 2:
        for x, z in product((-width / 2, width / 2), (-length / 2, length / 2)):
            parts.append(box((thick, 0.2 + step + 0.6, thick), wood, (x, 0, z)))
        for i in range(5):
            parts.append(bar((width / 2, 0.3 + 0.25 * i, length * 0.2),
                             (width / 2, 0.3 + 0.25 * i, length * 0.45), 0.02, wood))  # fmt: skip
        parts.append(box((0.04, 0.1, length * 0.6), wood, (width / 2, 0.2 + step + 0.38, -0.3)))
        features += ["a ladder", "two beds one above the other"]
    else:
        parts.append(box((width + 0.06, head, thick), wood, (0, 0, -length / 2), bevel=kit.bevel))
        parts.append(box((width + 0.06, foot, thick), wood, (0, 0, length / 2), bevel=kit.bevel))
        for x, z in product((-1, 1), (-1, 1)):
            parts.append(box((0.1, 0.24, 0.1), wood, (x * width * 0.46, 0, z * length * 0.46)))
        features.append("a tall headboard" if head > 0.9 else "a headboard")
    return Drawn(
        parts,
        None,
        material,
        (kit.pick("cosy", "soft", "made"),),
        tuple(features),
        words,
        (),
        paints,
    )


@family("bed", "bedroom bed", kind=KIND)
def _bed(kit: Kit) -> Drawn:
    if kit.chance():
        return _some_bed(kit, kit.between(1.4, 1.9), ("double bed", "bed", "king size bed"))
    return _some_bed(kit, kit.between(0.85, 1.05), ("single bed", "bed"))


@family("bunk bed", "double-decker bed", "two-storey bed", kind=KIND)
def _bunk_bed(kit: Kit) -> Drawn:
    return _some_bed(kit, kit.between(0.85, 1.05), ("bunk bed",), decks=2)


@family("crib", "baby bed", "cot", "baby crib", kind=KIND)
def _crib(kit: Kit) -> Drawn:
    wood = kit.color("white", "light brown", "brown", "beige", "pink", "light blue")
    cloth = kit.other(wood, "pink", "light blue", "yellow", "light green")
    width, depth, height = 1.2, 0.65, kit.between(0.85, 1.0)
    parts = [box((width, 0.06, depth), wood, (0, 0.3, 0)),
             box((width * 0.96, 0.12, depth * 0.94), cloth, (0, 0.36, 0), bevel=0.03)]  # fmt: skip
    for x, z in product((-1, 1), (-1, 1)):
        parts.append(box((0.06, height, 0.06), wood, (x * width / 2, 0, z * depth / 2)))
    for side in (-depth / 2, depth / 2):
        parts += [box((width, 0.05, 0.04), wood, (0, y, side)) for y in (0.3, height - 0.1)]
        parts += [bar((at, 0.3, side), (at, height - 0.08, side), 0.014, wood)
                  for at in np.linspace(-0.5, 0.5, 9).tolist()]  # fmt: skip
    for end in (-width / 2, width / 2):
        parts.append(box((0.04, height - 0.35, depth), wood, (end, 0.33, 0)))
    return Drawn(parts, wood, "wooden", ("small",), ("bars", f"a {kit.say(cloth, 'mattress')}"), (),
                 (), {"mattress": cloth})  # fmt: skip


def _some_table(
    kit: Kit, width: float, depth: float, height: float, *, round_top: bool = False,
    words: tuple[str, ...] = (),
) -> Drawn:  # fmt: skip
    color, material = frame(kit)
    top = (
        kit.other(color, "white", "grey", "dark brown", "light brown")
        if kit.chance(0.25)
        else color
    )
    thick = 0.05 * kit.chunk
    features, adjectives = [], []
    pedestal = round_top and kit.chance(0.65)
    if pedestal:
        parts = [
            cylinder(width * 0.06, height, color, segments=8),
            cylinder(width * 0.26, 0.05, color, top=width * 0.2, segments=kit.segments),
        ]
        features.append("a central pedestal")
    else:
        inset = 0.7 if round_top else 0.95
        parts = legs(kit, width * inset, depth * inset, height, color, 0.07)
        features.append("four legs")
        if not round_top and kit.chance(0.5):
            parts.append(box((width * 0.88, 0.08, depth * 0.84), color, (0, height - 0.08, 0)))
    if round_top:
        parts.append(cylinder(width / 2, thick, top, (0, height, 0), bevel=kit.bevel,
                              segments=max(10, kit.segments * 2)))  # fmt: skip
        features.append("a round top")
        adjectives.append("round")
    else:
        parts.append(box((width, thick, depth), top, (0, height, 0), bevel=kit.bevel))
        square = width < depth * 1.2
        adjectives.append("square" if square else "rectangular")
        features.append(f"a {adjectives[0]} top")
    paints = {"top": top} if top is not color else {}
    main = top if width > 1.0 or top is color else None
    return Drawn(parts, main, material, tuple(adjectives), tuple(features), words, (), paints)


@family("table", "dining table", "kitchen table", kind=KIND)
def _table(kit: Kit) -> Drawn:
    return _some_table(kit, kit.between(0.8, 1.9), kit.between(0.75, 0.95), kit.between(0.68, 0.78))


@family("round table", "circular table", "round dining table", "table", kind=KIND)
def _round_table(kit: Kit) -> Drawn:
    size = kit.between(0.8, 1.3)
    return _some_table(kit, size, size, kit.between(0.68, 0.78), round_top=True)


@family("coffee table", "low table", "living room table", kind=KIND)
def _coffee_table(kit: Kit) -> Drawn:
    width = kit.between(0.8, 1.2)
    drawn = _some_table(kit, width, width if kit.chance(0.3) else 0.55, kit.between(0.28, 0.4),
                   round_top=kit.chance(0.3))  # fmt: skip
    if kit.chance(0.4) and drawn.color:
        shelf = box((width * 0.8, 0.03, 0.42), drawn.color, (0, 0.12, 0))
        return Drawn([*drawn.parts, shelf], drawn.color, drawn.material, ("low", *drawn.adjectives),
                     (*drawn.features, "a lower shelf"), (), (), drawn.paints)  # fmt: skip
    return Drawn(drawn.parts, drawn.color, drawn.material, ("low", *drawn.adjectives),
                 drawn.features, (), (), drawn.paints)  # fmt: skip
