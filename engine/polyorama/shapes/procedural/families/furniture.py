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
    group,
    lathe,
    pillow,
    prism,
    sphere,
    star,
    torus,
)  # fmt: skip

_KIND = "piece of furniture"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


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


@family("chair", "wooden chair", "dining chair", "seat", kind=_KIND)
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
        features.append(f"a {kit.say(cloth, 'cushion')}".replace("a orange", "an orange"))
    words = ["chair"]
    if material != "wooden":
        words = [w for w in ("chair", "dining chair", "seat")]
    adjectives = ("high-backed",) if tall > 0.55 else ("low-backed",) if tall < 0.42 else ()
    return Drawn(parts, color, material, adjectives, tuple(features), tuple(words), (), paints)


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
        many = "a {}" if thrown == 1 else f"{_NUMBERS[thrown]} {{}}"
        features.append(many.format(kit.say(pillow_color, "pillow" if thrown == 1 else "pillows")))
    material = kit.pick("fabric", "leather", "upholstered", "")
    adjectives = [kit.pick("cosy", "comfortable", "soft")]
    adjectives += ["two-seat"] if seats == 2 else ["three-seat", "long"] if seats == 3 else []
    words = ("loveseat",) if seats == 2 and name == "sofa" and kit.chance(0.2) else (name,)
    return Drawn(parts, cloth, material, tuple(adjectives), tuple(features), words, (), paints)


family("armchair", "easy chair", "lounge chair", "comfy chair", kind=_KIND)(
    partial(_upholstered, seats=1, name="armchair")
)


@family("sofa", "couch", "settee", "living room sofa", kind=_KIND)
def _sofa(kit: Kit) -> Drawn:
    return _upholstered(kit, kit.count(2, 3), "sofa")


@family("office chair", "swivel chair", "desk chair", "computer chair", kind=_KIND)
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
        features.append(f"{_NUMBERS[count]} legs")
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


@family("stool", "footstool", "small seat", kind=_KIND)
def _stool(kit: Kit) -> Drawn:
    return _some_stool(kit, 0.38, 0.48, ("stool",))


@family("bar stool", "tall stool", "counter stool", kind=_KIND)
def _bar_stool(kit: Kit) -> Drawn:
    return _some_stool(kit, 0.65, 0.85, ("bar stool",))


@family("bench", "park bench", "garden bench", "seat", kind=_KIND)
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
    features = [f"a seat of {_NUMBERS[slats]} planks", "two supports"]
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
    features = [f"a {kit.say(cloth, 'blanket')}".replace("a orange", "an orange"),
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
        cloth if width > 1.6 else None,
        material,
        (kit.pick("cosy", "soft", "made"),),
        tuple(features),
        words,
        (),
        paints,
    )


@family("bed", "bedroom bed", "place to sleep", kind=_KIND)
def _bed(kit: Kit) -> Drawn:
    if kit.chance():
        return _some_bed(kit, kit.between(1.4, 1.9), ("double bed", "bed", "king size bed"))
    return _some_bed(kit, kit.between(0.85, 1.05), ("single bed", "bed"))


@family("bunk bed", "double-decker bed", "two-storey bed", kind=_KIND)
def _bunk_bed(kit: Kit) -> Drawn:
    return _some_bed(kit, kit.between(0.85, 1.05), ("bunk bed",), decks=2)


@family("crib", "baby bed", "cot", "baby crib", kind=_KIND)
def _crib(kit: Kit) -> Drawn:
    wood = kit.color("white", "light brown", "brown", "beige", "pink", "light blue")
    cloth = kit.other(wood, "pink", "light blue", "yellow", "light green")
    width, depth, height = 1.2, 0.65, kit.between(0.85, 1.0)
    parts = [box((width, 0.06, depth), wood, (0, 0.3, 0)),
             box((width * 0.96, 0.12, depth * 0.94), cloth, (0, 0.36, 0), bevel=0.03)]  # fmt: skip
    for x, z in product((-1, 1), (-1, 1)):
        parts.append(box((0.06, height, 0.06), wood, (x * width / 2, 0, z * depth / 2)))
    for z in (-depth / 2, depth / 2):
        parts += [box((width, 0.05, 0.04), wood, (0, y, z)) for y in (0.3, height - 0.1)]
        parts += [bar((x, 0.3, z), (x, height - 0.08, z), 0.014, wood)
                  for x in np.linspace(-0.5, 0.5, 9)]  # fmt: skip
    for x in (-width / 2, width / 2):
        parts.append(box((0.04, height - 0.35, depth), wood, (x, 0.33, 0)))
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


@family("table", "dining table", "kitchen table", kind=_KIND)
def _table(kit: Kit) -> Drawn:
    return _some_table(kit, kit.between(0.8, 1.9), kit.between(0.75, 0.95), kit.between(0.68, 0.78))


@family("round table", "circular table", "round dining table", "table", kind=_KIND)
def _round_table(kit: Kit) -> Drawn:
    size = kit.between(0.8, 1.3)
    return _some_table(kit, size, size, kit.between(0.68, 0.78), round_top=True)


@family("coffee table", "low table", "living room table", kind=_KIND)
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


def fronts(
    kit: Kit, width: float, height: float, base: float, z: float, color: Paint, *, columns: int,
    rows: int, knob: Paint,
) -> list[Part]:  # fmt: skip
    """Doors or drawers on the front of a chest, each with a knob or a handle."""
    parts = []
    cell, tall = width / columns, height / rows
    handle = kit.chance(0.4)
    for i, j in product(range(columns), range(rows)):
        x, y = (i - (columns - 1) / 2) * cell, base + j * tall
        parts.append(
            box((cell * 0.92, tall * 0.9, 0.03), color, (x, y + tall * 0.05, z), bevel=0.008)
        )
        # Doors are opened at their side, drawers in their middle.
        door = tall > cell * 1.15
        aside = (cell * 0.34 if i < columns / 2 else -cell * 0.34) if door else 0.0
        at = (x + aside, y + tall / 2, z + 0.03)
        if handle:
            size = (0.02, 0.12, 0.03) if door else (0.12, 0.02, 0.03)
            parts.append(box(size, knob, (at[0], at[1] - size[1] / 2, at[2])))
        else:
            parts.append(sphere(0.022 * kit.chunk, knob, at, segments=6))
    return parts


def _chest(
    kit: Kit, size: tuple[float, float, float], columns: int, rows: int, *, kind: str,
    words: tuple[str, ...] = (), adjectives: tuple[str, ...] = (),
) -> Drawn:  # fmt: skip
    color, material = frame(kit)
    width, height, depth = size
    front = color if kit.chance(0.55) else kit.other(color)
    knob = kit.color("gold", "black", "silver", "dark brown")
    foot = kit.pick(0.0, 0.06, 0.14)
    parts = legs(kit, width * 0.94, depth * 0.92, foot, color) if foot else []
    parts.append(box((width, height - foot, depth), color, (0, foot, 0), bevel=kit.bevel))
    if kit.chance(0.6):
        parts.append(box((width * 1.06, 0.04 * kit.chunk, depth * 1.08), color, (0, height, 0)))
    parts += fronts(
        kit,
        width * 0.95,
        (height - foot) * 0.92,
        foot + height * 0.04,
        depth / 2 - 0.005,
        front,
        columns=columns,
        rows=rows,
        knob=knob,
    )
    count = columns * rows
    noun = kind if count > 1 else kind.removesuffix("s")
    number = _NUMBERS[count] if count < 9 else "many"
    features = [f"{number} {noun}", f"{kit.say(front, noun)}" if count > 1 else f"a {noun}"]
    return Drawn(parts, color, material, adjectives, tuple(features), words, (),
                 {kind: front} if front is not color else {})  # fmt: skip


@family("nightstand", "bedside table", "night table", "bedside cabinet", kind=_KIND)
def _nightstand(kit: Kit) -> Drawn:
    size = (kit.between(0.4, 0.5), kit.between(0.45, 0.6), 0.4)
    return _chest(kit, size, 1, kit.count(1, 3), kind="drawers", adjectives=("small",))


@family("dresser", "chest of drawers", "commode", "drawers", kind=_KIND)
def _dresser(kit: Kit) -> Drawn:
    size = (kit.between(0.8, 1.3), kit.between(0.75, 1.1), 0.45)
    return _chest(kit, size, kit.count(1, 2), kit.count(3, 4), kind="drawers")


@family("cabinet", "cupboard", "sideboard", "storage cabinet", kind=_KIND)
def _cabinet(kit: Kit) -> Drawn:
    width = kit.between(0.6, 1.6)
    columns = 1 if width < 0.75 else 2 if width < 1.2 else 3
    size = (width, kit.between(0.7, 1.1), kit.between(0.4, 0.5))
    called = ("small",) if width < 0.8 else ("wide",) if width > 1.3 else ()
    return _chest(kit, size, columns, 1, kind="doors", adjectives=called)


@family("wardrobe", "closet", "armoire", "clothes cabinet", kind=_KIND)
def _wardrobe(kit: Kit) -> Drawn:
    size = (kit.between(0.9, 1.5), kit.between(1.8, 2.2), 0.6)
    return _chest(kit, size, kit.count(2, 3), 1, kind="doors", adjectives=("tall", "big"))


@family("desk", "writing desk", "study desk", "office desk", kind=_KIND)
def _desk(kit: Kit) -> Drawn:
    color, material = frame(kit)
    width, depth, height = kit.between(1.1, 1.6), kit.between(0.6, 0.75), kit.between(0.7, 0.76)
    knob = kit.color("gold", "black", "silver")
    both = kit.chance(0.35)
    parts = [box((width, 0.05 * kit.chunk, depth), color, (0, height, 0), bevel=kit.bevel)]
    rows, side = kit.count(2, 3), 0.38
    for s in (-1, 1) if both else (1,):
        x = s * (width / 2 - side / 2 - 0.03)
        parts.append(box((side, height, depth * 0.9), color, (x, 0, 0)))
        parts += [
            p.move(x)
            for p in fronts(
                kit,
                side * 0.95,
                height * 0.92,
                0.03,
                depth * 0.45,
                color,
                columns=1,
                rows=rows,
                knob=knob,
            )
        ]
    if not both:
        parts += [box((0.06 * kit.chunk, height, depth * 0.85), color, (-width / 2 + 0.08, 0, 0))]
    parts.append(box((width * 0.8, 0.3, 0.03), color, (0, height - 0.3, -depth * 0.4)))
    count = rows * (2 if both else 1)
    return Drawn(
        parts, color, material, ("rectangular",), (f"{_NUMBERS[count]} drawers", "a flat top")
    )


@family("workbench", "work table", "carpenter's bench", kind=_KIND)
def _workbench(kit: Kit) -> Drawn:
    color, steel = kit.wood(), kit.metal()
    width, height = kit.between(1.4, 1.9), 0.85
    parts = [box((width, 0.1 * kit.chunk, 0.7), color, (0, height, 0), bevel=kit.bevel),
             box((width * 0.88, 0.06, 0.55), color, (0, 0.2, 0))]  # fmt: skip
    for x, z in product((-1, 1), (-1, 1)):
        parts.append(box((0.12, height, 0.12), color, (x * (width / 2 - 0.1), 0, z * 0.27)))
    vice = [box((0.2, 0.12, 0.08), steel, (0, 0, 0.12)), box((0.2, 0.12, 0.08), steel),
            bar((0, 0.06, 0), (0, 0.06, 0.3), 0.02, steel),
            bar((-0.1, 0.06, 0.3), (0.1, 0.06, 0.3), 0.012, steel)]  # fmt: skip
    parts += [p.move(-width * 0.32, height + 0.1 * kit.chunk, 0.12) for p in vice]
    features = ["a vice", "a lower shelf"]
    if kit.chance(0.5):
        parts.append(box((width, 0.5, 0.04), color, (0, height, -0.33)))
        for i in range(3):
            x = (i - 1) * 0.35
            parts += [box((0.04, 0.28, 0.03), steel, (x, height + 0.2, -0.3)),
                      box((0.14, 0.07, 0.05), steel, (x, height + 0.4, -0.28))]  # fmt: skip
        features.append("tools hanging on the back")
    return Drawn(parts, color, "wooden", ("sturdy",), tuple(features))


def row_of_books(kit: Kit, width: float, height: float, depth: float) -> list[Part]:
    """Books side by side from -width / 2 on, some leaning space left."""
    parts, x = [], -width / 2
    while True:
        thick = kit.between(0.035, 0.08)
        if x + thick > width / 2 * kit.between(0.7, 1.0):
            return parts
        tall = height * kit.between(0.65, 0.95)
        parts.append(box((thick * 0.92, tall, depth * kit.between(0.75, 0.95)), kit.color(),
                         (x + thick / 2, 0, 0)))  # fmt: skip
        x += thick


@family("bookcase", "bookshelf", "book shelf", "shelf", "shelving unit", kind=_KIND)
def _bookcase(kit: Kit) -> Drawn:
    color, material = frame(kit)
    width, height, depth = kit.between(0.7, 1.2), kit.between(1.1, 2.0), 0.32
    shelves = max(2, round(height / kit.between(0.33, 0.42)))
    thick, step = 0.035 * kit.chunk, height / shelves
    parts = [box((width, thick, depth), color, (0, i * step, 0)) for i in range(shelves)]
    parts.append(box((width + thick, thick, depth), color, (0, height, 0)))
    parts += [box((thick, height, depth), color, (s * width / 2, 0, 0)) for s in (-1, 1)]
    if kit.chance(0.7):
        parts.append(box((width, height, 0.02), color, (0, 0, -depth / 2)))
    full = kit.chance(0.7)
    features = [f"{_NUMBERS[min(shelves, 8)]} shelves"]
    words: tuple[str, ...] = ("bookshelf", "bookcase")
    sentences: tuple[str, ...] = ()
    if full:
        for i in range(shelves):
            row = row_of_books(kit, width * 0.92, step - thick * 1.6, depth * 0.8)
            parts += [p.move(0, i * step + thick, 0.01) for p in row]
        features += ["books", "rows of colourful books" if kit.look != "clay" else "rows of books"]
        sentences = ("bookshelf full of books",)
    else:
        words = ("shelf", "empty shelf", "bookcase")
    main = None if full else color
    return Drawn(
        parts,
        main,
        material,
        ("tall",) if height > 1.5 else ("low",),
        tuple(features),
        words,
        sentences,
        {"case": color},
    )


@family("wall shelf", "shelf", "hanging shelf", "wooden shelf", kind=_KIND)
def _wall_shelf(kit: Kit) -> Drawn:
    wood, steel = kit.wood(), kit.metal()
    width, depth = kit.between(0.7, 1.3), 0.28
    levels = kit.count(1, 2)
    parts: list[Part] = []
    features = ["brackets"]
    if levels == 2:
        features.append("two boards")
    for level in range(levels):
        y = 0.42 * level
        parts.append(box((width, 0.04 * kit.chunk, depth), wood, (0, y, 0)))
        for s in (-1, 1):
            outline = [(0, 0), (0, -0.2), (depth * 0.85, 0)]
            bracket = prism(outline, 0.03, steel).turn(y=-90)
            parts.append(bracket.move(s * width * 0.36, y, -depth / 2))
        if kit.chance(0.6):
            books = group(row_of_books(kit, width * 0.45, 0.3, depth * 0.8))
            parts.append(books.move(-width * 0.22, y + 0.04 * kit.chunk, 0))
            features.append("books")
        if kit.chance(0.6):
            pot = lathe([(0, 0), (0.06, 0), (0.08, 0.12), (0.06, 0.12), (0.06, 0.1), (0, 0.1)],
                        kit.color(), segments=8)  # fmt: skip
            tuft = sphere((0.1, 0.12, 0.1), kit.leaf(), (0, 0.2, 0), segments=6)
            parts += [p.move(width * 0.28, y + 0.04 * kit.chunk, 0) for p in (pot, tuft)]
            features.append("a plant")
    return Drawn(
        parts, wood if len(features) < 3 else None, "wooden", (), tuple(dict.fromkeys(features))
    )


@family("coat rack", "coat stand", "clothes rack", kind=_KIND)
def _coat_rack(kit: Kit) -> Drawn:
    color, material = frame(kit)
    height = kit.between(1.6, 1.9)
    parts = [bar((0, 0, 0), (0, height, 0), 0.03 * kit.chunk, color, segments=8),
             sphere(0.05, color, (0, height, 0), segments=8)]  # fmt: skip
    feet, hooks = kit.count(3, 4), kit.count(4, 6)
    for i in range(feet):
        a = 2 * np.pi * i / feet
        parts.append(bar((0, 0.25, 0), (0.35 * np.sin(a), 0, 0.35 * np.cos(a)), 0.025, color))
    for i in range(hooks):
        a = 2 * np.pi * i / hooks
        x, z = np.sin(a), np.cos(a)
        parts.append(bar((0, height * 0.88, 0), (0.18 * x, height * 0.96, 0.18 * z), 0.02, color))
    return Drawn(parts, color, material, ("tall", "thin"), (f"{_NUMBERS[hooks]} hooks",))


@family("ottoman", "pouf", "pouffe", "footrest", kind=_KIND)
def _ottoman(kit: Kit) -> Drawn:
    cloth = kit.color()
    if kit.chance():
        body = pillow((0.6, 0.4, 0.6), cloth, square=0.45, segments=max(10, kit.segments))
        return Drawn([body], cloth, kit.pick("fabric", "leather"), ("round", "soft"))
    wood = kit.wood()
    parts = legs(kit, 0.6, 0.45, 0.12, wood)
    parts.append(box((0.62, 0.28, 0.48), cloth, (0, 0.12, 0), bevel=0.05))
    return Drawn(parts, cloth, kit.pick("fabric", "leather"), ("square", "soft"), ("short legs",))


@family("screen divider", "folding screen", "room divider", kind=_KIND)
def _divider(kit: Kit) -> Drawn:
    wood, cloth = kit.wood(), kit.color("white", "beige", "red", "teal", "pink")
    count, width, height = kit.count(3, 4), 0.5, 1.7
    parts, x = [], 0.0
    for i in range(count):
        panel = [box((width * 0.9, height * 0.94, 0.02), cloth, (0, height * 0.03, 0))]
        panel += [box((0.05, height, 0.05), wood, (s * width / 2, 0, 0)) for s in (-1, 1)]
        panel += [box((width, 0.06, 0.05), wood, (0, y, 0)) for y in (0.05, height - 0.06)]
        angle = 32 if i % 2 else -32
        parts.append(group(panel).turn(y=angle).move(x))
        x += width * 0.86
    return Drawn(
        parts, cloth, "", ("folding",), (f"{_NUMBERS[count]} panels", "a wooden frame"), (), (), {}
    )


@family("star cushion", "star pillow", "star-shaped cushion", kind="decoration")
def _star_cushion(kit: Kit) -> Drawn:
    cloth = kit.color()
    body = prism(star(5, 0.3, 0.15), 0.16, cloth, bevel=0.06)
    return Drawn([body.turn(x=kit.between(-90, -20))], cloth, "fabric", ("soft",))
