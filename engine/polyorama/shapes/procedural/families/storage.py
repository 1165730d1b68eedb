"""What things are put into and onto: chests, cabinets, shelves, desks."""

from __future__ import annotations

from itertools import product

import numpy as np

from polyorama.shapes.procedural.families.furniture import KIND, NUMBERS, frame, legs
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    group,
    lathe,
    pillow,
    prism,
    sphere,
    star,
)  # fmt: skip


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
    number = NUMBERS[count] if count < 9 else "many"
    features = [f"{number} {noun}", f"{kit.say(front, noun)}" if count > 1 else f"a {noun}"]
    return Drawn(parts, color, material, adjectives, tuple(features), words, (),
                 {kind: front} if front is not color else {})  # fmt: skip


@family("nightstand", "bedside table", "night table", "bedside cabinet", kind=KIND)
def _nightstand(kit: Kit) -> Drawn:
    size = (kit.between(0.4, 0.5), kit.between(0.45, 0.6), 0.4)
    return _chest(kit, size, 1, kit.count(1, 3), kind="drawers", adjectives=("small",))


@family("dresser", "chest of drawers", "commode", "drawers", kind=KIND)
def _dresser(kit: Kit) -> Drawn:
    size = (kit.between(0.8, 1.3), kit.between(0.75, 1.1), 0.45)
    return _chest(kit, size, kit.count(1, 2), kit.count(3, 4), kind="drawers")


@family("cabinet", "cupboard", "sideboard", "storage cabinet", kind=KIND)
def _cabinet(kit: Kit) -> Drawn:
    width = kit.between(0.6, 1.6)
    columns = 1 if width < 0.75 else 2 if width < 1.2 else 3
    size = (width, kit.between(0.7, 1.1), kit.between(0.4, 0.5))
    called = ("small",) if width < 0.8 else ("wide",) if width > 1.3 else ()
    return _chest(kit, size, columns, 1, kind="doors", adjectives=called)


@family("wardrobe", "closet", "armoire", "clothes cabinet", kind=KIND)
def _wardrobe(kit: Kit) -> Drawn:
    size = (kit.between(0.9, 1.5), kit.between(1.8, 2.2), 0.6)
    return _chest(kit, size, kit.count(2, 3), 1, kind="doors", adjectives=("tall", "big"))


@family("desk", "writing desk", "study desk", "office desk", kind=KIND)
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
        parts, color, material, ("rectangular",), (f"{NUMBERS[count]} drawers", "a flat top")
    )


@family("workbench", "work table", "carpenter's bench", kind=KIND)
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
        for at in (-0.35, 0.0, 0.35):
            parts += [box((0.04, 0.28, 0.03), steel, (at, height + 0.2, -0.3)),
                      box((0.14, 0.07, 0.05), steel, (at, height + 0.4, -0.28))]  # fmt: skip
        features.append("tools hanging on the back")
    return Drawn(parts, color, "wooden", ("sturdy",), tuple(features))


def row_of_books(kit: Kit, width: float, height: float, depth: float) -> list[Part]:
    """Books side by side from -width / 2 on, some leaning space left."""
    parts: list[Part] = []
    x = -width / 2
    while True:
        thick = kit.between(0.035, 0.08)
        if x + thick > width / 2 * kit.between(0.7, 1.0):
            return parts
        tall = height * kit.between(0.65, 0.95)
        parts.append(box((thick * 0.92, tall, depth * kit.between(0.75, 0.95)), kit.color(),
                         (x + thick / 2, 0, 0)))  # fmt: skip
        x += thick


@family("bookcase", "bookshelf", "book shelf", "shelf", "shelving unit", kind=KIND)
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
    features = [f"{NUMBERS[min(shelves, 8)]} shelves"]
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


@family("wall shelf", "shelf", "hanging shelf", "wooden shelf", kind=KIND)
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


@family("coat rack", "coat stand", "clothes rack", kind=KIND)
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
    return Drawn(parts, color, material, ("tall", "thin"), (f"{NUMBERS[hooks]} hooks",))


@family("ottoman", "pouf", "pouffe", "footrest", kind=KIND)
def _ottoman(kit: Kit) -> Drawn:
    cloth = kit.color()
    if kit.chance():
        body = pillow((0.6, 0.4, 0.6), cloth, square=0.45, segments=max(10, kit.segments))
        return Drawn([body], cloth, kit.pick("fabric", "leather"), ("round", "soft"))
    wood = kit.wood()
    parts = legs(kit, 0.6, 0.45, 0.12, wood)
    parts.append(box((0.62, 0.28, 0.48), cloth, (0, 0.12, 0), bevel=0.05))
    return Drawn(parts, cloth, kit.pick("fabric", "leather"), ("square", "soft"), ("short legs",))


@family("screen divider", "folding screen", "room divider", kind=KIND)
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
        parts, cloth, "", ("folding",), (f"{NUMBERS[count]} panels", "a wooden frame"), (), (), {}
    )


@family("star cushion", "star pillow", "star-shaped cushion", kind="decoration")
def _star_cushion(kit: Kit) -> Drawn:
    cloth = kit.color()
    body = prism(star(5, 0.3, 0.15), 0.16, cloth, bevel=0.06)
    return Drawn([body.turn(x=kit.between(-90, -20))], cloth, "fabric", ("soft",))
