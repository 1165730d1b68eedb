"""Buildings, from huts to skyscrapers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    GLASS,
    WHITE,
    around,
    gable,
    pair,
    pyramid,
    rod_z,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    cone,
    cylinder,
    prism,
    sphere,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Part, Tint

__all__: list[str] = []

_KIND = "building"
_WALLS = (
    "white",
    "beige",
    "light grey",
    "red",
    "light blue",
    "yellow",
    "orange",
    "light brown",
    "pink",
)
_ROOFS = ("red", "dark red", "brown", "dark grey", "blue", "orange", "dark brown", "teal")
_STONE = ("grey", "light grey", "beige", "dark grey")


def _windows(
    kit: Kit,
    width: float,
    depth: float,
    rows: list[float],
    columns: int,
    size: tuple[float, float],
    pane: Tint,
) -> list[Part]:
    """Panes in a grid on all four walls."""
    parts = []
    for y in rows:
        for k in range(columns):
            x = width * ((k + 0.5) / columns - 0.5)
            parts.append(box((size[0], size[1], depth + 0.04), pane, (x, y, 0)))
        across = max(1, round(columns * depth / width))
        for k in range(across):
            z = depth * ((k + 0.5) / across - 0.5)
            parts.append(box((width + 0.04, size[1], size[0]), pane, (0, y, z)))
    return parts


def _front_door(
    kit: Kit, depth: float, color: Tint, x: float = 0.0, height: float = 0.9
) -> list[Part]:
    return [box((0.6 * height + 0.1, height + 0.06, 0.06), WHITE, (x, 0, depth / 2)),
            box((0.6 * height, height, 0.1), color, (x, 0, depth / 2)),
            sphere(0.04, DARK, (x + 0.18 * height, 0.45 * height, depth / 2 + 0.06),
                   segments=6)]  # fmt: skip


@family("house", "family house", "home", "suburban house", kind=_KIND)
def house(kit: Kit) -> Drawn:
    wall, roof, door = (
        kit.color(*_WALLS),
        kit.color(*_ROOFS),
        kit.color("brown", "red", "blue", "green", "white"),
    )
    width, depth, floors = kit.between(1.8, 3.0), kit.between(1.6, 2.4), kit.count(1, 2)
    high = 1.25 * floors
    rise = kit.between(0.6, 1.2)
    parts = [box((width, high, depth), wall), *_front_door(kit, depth, door)]
    for k in range(floors):
        xs = (-0.32, 0.32) if k == 0 else (-0.32, 0.0, 0.32)
        parts += [
            box((0.38, 0.45, depth + 0.05), GLASS, (x * width, 0.5 + 1.25 * k, 0)) for x in xs
        ]
        parts += [
            box((0.46, 0.06, depth + 0.1), WHITE, (x * width, 0.45 + 1.25 * k, 0)) for x in xs
        ]
    parts.append(box((width + 0.05, 0.45, 0.4), GLASS, (0, 0.5, 0)))
    if kit.chance(0.3):
        parts.append(pyramid((width + 0.3, rise, depth + 0.3), roof, (0, high, 0)))
    else:
        saddle = gable(width + 0.3, rise, depth + 0.3, roof)
        if kit.chance():
            saddle = gable(depth + 0.3, rise, width + 0.3, roof).turn(y=90)
        parts.append(saddle.move(0, high, 0))
    features = [kit.say(roof, "roof"), kit.say(door, "door")]
    if kit.chance(0.6):
        parts.append(
            box(
                (0.28, 0.9, 0.28),
                kit.color("red", "grey", "brown"),
                (0.28 * width, high + 0.15, -0.2),
            )
        )
        features.append("a chimney")
    if kit.chance(0.3):
        parts += [
            box((1.1, 0.08, 0.6), roof, (0, 1.05, depth / 2 + 0.3)),
            *pair(box((0.07, 1.05, 0.07), WHITE, (0.48, 0, depth / 2 + 0.5))),
        ]
        features.append("a porch")
    return Drawn(
        parts,
        wall,
        adjectives=("two-storey" if floors == 2 else "small",),
        features=tuple(features),
        paints={"roof": roof, "door": door},
    )


@family(
    "cottage", "cozy cottage", "village house", "fairytale house", "timber-framed house", kind=_KIND
)
def cottage(kit: Kit) -> Drawn:
    wall, roof, wood = (
        kit.color("white", "beige", "light brown"),
        kit.color(*_ROOFS, "yellow"),
        kit.color("dark brown", "brown"),
    )
    width, depth, high = kit.between(1.7, 2.2), kit.between(1.8, 2.6), 1.1
    rise = kit.between(1.0, 1.5)
    parts = [
        box((width, high, depth), wall),
        gable(width, rise, depth - 0.02, wall).move(0, high, 0),
        *_front_door(kit, depth, wood, height=0.8),
    ]
    slope = math.hypot(width / 2 + 0.15, rise * (1 + 0.3 / width))
    lean = math.degrees(math.atan2(rise, width / 2))
    slab = (
        box((slope, 0.1, depth + 0.4), roof, (slope / 2, 0, 0))
        .turn(z=-lean)
        .move(0, high + rise + 0.02, 0)
    )
    beams = [*pair(box((0.1, high, 0.1), wood, (width / 2 - 0.03, 0, depth / 2))),
             box((width, 0.1, 0.1), wood, (0, high - 0.05, depth / 2)),
             box((0.08, rise, 0.08), wood, (0, high, depth / 2)),
             *pair(bar((width / 2 - 0.05, high, depth / 2), (0.1, high + 0.7 * rise, depth / 2),
                       0.04, wood, segments=4))]  # fmt: skip
    parts += [
        *pair(slab),
        *beams,
        *pair(box((0.32, 0.36, 0.08), GLASS, (0.33 * width, 0.45, depth / 2))),
        box((0.3, 1.6, 0.3), kit.color("grey", "light grey", "red"), (0.3 * width, 0.9, -0.3)),
    ]
    return Drawn(
        parts,
        wall,
        adjectives=("cosy", "old"),
        features=(kit.say(roof, "roof"), "wooden beams", "a chimney"),
        paints={"roof": roof},
    )


@family(
    "skyscraper",
    "office building",
    "high-rise",
    "city tower",
    "office tower",
    "building",
    kind=_KIND,
)
def skyscraper(kit: Kit) -> Drawn:
    wall, pane = (
        kit.color("grey", "light grey", "blue", "dark grey", "white", "beige", "teal"),
        kit.pick(GLASS, (0.25, 0.35, 0.5), (0.98, 0.9, 0.6)),
    )
    width, floors, columns = kit.between(1.2, 1.8), kit.count(6, 12), kit.count(3, 5)
    parts, y, wide = [], 0.0, width
    for _ in range(kit.count(1, 3)):
        high = 0.4 * floors
        parts.append(box((wide, high, wide), wall, (0, y, 0)))
        rows = [y + 0.1 + 0.4 * k for k in range(floors)]
        if columns == 5:
            parts += [box((wide + 0.04, 0.22, wide + 0.04), pane, (0, row, 0)) for row in rows]
        else:
            parts += _windows(kit, wide, wide, rows, columns, (0.6 * wide / columns, 0.22), pane)
        y, wide, floors = y + high, 0.7 * wide, max(3, floors // 2)
    parts += [box((0.9 * wide, 0.1, 0.9 * wide), DARK, (0, y, 0))]
    features = ["many windows", "a flat roof"]
    if kit.chance(0.5):
        parts.append(cylinder(0.05, 1.0, DARK, (0, y, 0), top=0.01))
        features = ["many windows", "an antenna"]
    return Drawn(
        parts,
        wall,
        material="glass" if columns == 5 else "concrete",
        adjectives=("tall", "modern"),
        features=tuple(features),
        sentences=("building in a big city",),
    )


@family(
    "apartment building",
    "apartment block",
    "block of flats",
    "city building",
    "building",
    kind=_KIND,
)
def apartments(kit: Kit) -> Drawn:
    wall, trim = (
        kit.color(*_WALLS, "brown", "dark red", "grey", "green", "teal"),
        kit.color("white", "dark grey", "beige"),
    )
    width, depth, floors, columns = (
        kit.between(1.6, 2.8),
        kit.between(1.4, 2.0),
        kit.count(2, 5),
        kit.count(2, 4),
    )
    rows = [0.95 + 0.75 * k for k in range(floors)]
    high = 0.75 * floors + 0.75
    parts = [box((width, high, depth), wall), *_windows(kit, width, depth, rows, columns,
                                    (0.5 * width / columns, 0.42),
                                    kit.pick(GLASS, (0.3, 0.4, 0.52), (0.98, 0.9, 0.6))),
             box((width + 0.12, 0.12, depth + 0.12), trim, (0, high, 0)),
             *_front_door(kit, depth, kit.color("brown", "green", "dark grey"),
                          height=0.65)]  # fmt: skip
    features = [f"{('two', 'three', 'four', 'five')[floors - 2]} floors of windows"]
    if kit.chance(0.4):
        awning = kit.color("red", "green", "blue")
        parts.append(box((0.9 * width, 0.1, 0.4), awning, (0, 0.72, depth / 2 + 0.15)))
        features.append(kit.say(awning, "awning"))
    if kit.chance(0.5):
        parts += [
            box((0.4, 0.3, 0.4), trim, (0.2 * width, high + 0.1, 0)),
            cylinder(0.1, 0.35, DARK, (-0.2 * width, high + 0.1, 0.1)),
        ]
    else:
        parts.append(
            pyramid((width + 0.1, 0.7, depth + 0.1), kit.color(*_ROOFS), (0, high + 0.1, 0))
        )
    if kit.chance(0.3):
        parts.append(
            box((width + 0.6, 0.1, depth + 0.6), kit.color("light grey", "grey"), (0, -0.1, 0))
        )
    return Drawn(parts, wall, features=tuple(features), words=("apartment building", "building"))


@family("shop", "store", "corner shop", "grocery store", "market shop", kind=_KIND)
def shop(kit: Kit) -> Drawn:
    wall, cloth = (
        kit.color(*_WALLS, "green", "teal"),
        kit.color("red", "green", "blue", "orange", "purple"),
    )
    width, depth, high = kit.between(2.0, 3.0), 1.7, kit.between(1.5, 2.0)
    parts = [box((width, high, depth), wall), box((0.5 * width, 0.75, 0.1), GLASS, (-0.17 * width,
                                    0.3, depth / 2)),
                                    *_front_door(kit, depth, kit.color("brown", "white"),
                                    0.33 * width),
             box((0.7 * width, 0.32, 0.1), kit.color("white", "dark grey", "yellow"),
                 (0, high - 0.3, depth / 2 + 0.05)),
                 box((width + 0.1, 0.1, depth + 0.1), cloth, (0, high, 0))]  # fmt: skip
    count = 8
    for k in range(count):
        x = width * ((k + 0.5) / count - 0.5)
        parts.append(
            box((width / count, 0.05, 0.6), cloth if k % 2 else WHITE, (x, 0, 0))
            .turn(x=25)
            .move(0, 1.15, depth / 2 + 0.22)
        )
    return Drawn(
        parts,
        wall,
        features=("a striped awning", "a shop window", "a sign"),
        words=("shop", "store"),
    )


@family("factory", "industrial building", "power plant", "mill building", kind=_KIND)
def factory(kit: Kit) -> Drawn:
    wall, roof = (
        kit.color("grey", "red", "brown", "beige", "dark grey"),
        kit.color("dark grey", "grey", "dark red"),
    )
    count, chimneys = kit.count(2, 4), kit.count(1, 3)
    width = 0.9 * count
    parts = [
        box((width, 1.1, 1.8), wall),
        *_windows(kit, width, 1.8, [0.5], 2 * count, (0.25, 0.35), GLASS),
        *_front_door(kit, 1.8, DARK, height=0.6),
    ]
    tooth = prism([(-0.45, 0), (0.45, 0), (-0.45, 0.5)], 1.8, roof)
    parts += [tooth.move(0.9 * (k + 0.5) - width / 2, 1.1, 0) for k in range(count)]
    for k in range(chimneys):
        x = width / 2 + 0.3 + 0.5 * k
        parts += [
            cylinder(
                0.2,
                2.6,
                kit.color("red", "grey", "brown"),
                (x, 0, -0.4),
                top=0.14,
                segments=kit.segments,
            ),
            cylinder(0.16, 0.2, WHITE, (x, 2.3, -0.4), segments=kit.segments),
        ]
    return Drawn(
        parts, wall, features=("one chimney" if chimneys == 1 else "chimneys", "a saw-tooth roof")
    )


@family("tower", "stone tower", "watchtower", "castle tower", kind=_KIND)
def tower(kit: Kit) -> Drawn:
    stone, roof = kit.color(*_STONE), kit.color(*_ROOFS, "purple")
    high, radius = kit.between(1.8, 3.2), kit.between(0.5, 0.7)
    segments = kit.pick(4, 6, 8, 12)
    parts = [
        cylinder(1.1 * radius, high, stone, top=radius, segments=segments),
        cylinder(1.2 * radius, 0.3, stone, (0, high, 0), top=1.25 * radius, segments=segments),
    ]
    parts += [
        box((0.16, 0.4, 2.1 * radius), DARK, (0, y, 0)).turn(y=25 * k)
        for k, y in enumerate((0.9, 1.5, 2.1))
        if y < high
    ]
    parts.append(box((0.4, 0.65, 0.2), kit.color("brown", "dark brown"), (0, 0, 1.0 * radius)))
    if kit.chance(0.55):
        parts.append(
            cone(
                1.45 * radius,
                kit.between(0.8, 1.6),
                roof,
                (0, high + 0.3, 0),
                segments=max(4, segments),
            )
        )
        return Drawn(
            parts,
            stone,
            material="stone",
            adjectives=("tall", "round" if segments > 6 else "medieval"),
            features=(kit.say(roof, "pointed roof"), "narrow windows"),
        )
    parts += around(box((0.22, 0.25, 0.18), stone, (0, high + 0.3, 1.1 * radius)), 8, 22.5)
    return Drawn(
        parts,
        stone,
        material="stone",
        adjectives=("tall",),
        features=("battlements", "narrow windows"),
    )


@family("castle", "medieval castle", "fortress", "fort", "palace", kind=_KIND)
def castle(kit: Kit) -> Drawn:
    stone, roof, wood = (
        kit.color(*_STONE, "light brown"),
        kit.color(*_ROOFS),
        kit.color("brown", "dark brown"),
    )
    half, high, radius = kit.between(1.0, 1.5), kit.between(0.8, 1.1), kit.between(0.28, 0.4)
    pointed = kit.chance(0.6)
    parts = []
    for k in range(4):
        wall = [box((2 * half, high, 0.25), stone, (0, 0, half))]
        wall += [
            box((0.2, 0.18, 0.27), stone, (x, high, half))
            for x in (-0.7 * half, -0.35 * half, 0, 0.35 * half, 0.7 * half)
        ]
        corner = [
            cylinder(radius, 1.5 * high, stone, (half, 0, half), segments=8),
            cylinder(1.15 * radius, 0.2, stone, (half, 1.5 * high, half), segments=8),
        ]
        if pointed:
            corner.append(
                cone(1.25 * radius, 0.8, roof, (half, 1.5 * high + 0.2, half), segments=8)
            )
        else:
            corner += [
                p.move(half, 1.5 * high + 0.2, half)
                for p in around(box((0.14, 0.14, 0.1), stone, (0, 0, radius)), 6)
            ]
        parts += [p.turn(y=90 * k) for p in (*wall, *corner)]
    keep = high * kit.between(1.8, 2.4)
    parts += [box((0.9, keep, 0.9), stone, (0, 0, -0.2)),
              box((0.55, 0.6, 0.3), wood, (0, 0, half)),
              box((0.2, 0.3, 0.95), DARK, (0, keep - 0.6, -0.2)),
              pyramid((1.1, 0.8, 1.1), roof, (0, keep, -0.2)),
              cylinder(0.02, 0.6, DARK, (0, keep + 0.7, -0.2)),
              box((0.3, 0.18, 0.02), kit.color("red", "blue", "yellow"),
                  (0.15, keep + 1.1, -0.2))]  # fmt: skip
    return Drawn(
        parts,
        stone,
        material="stone",
        features=("four towers", "battlements", kit.say(roof, "roofs"), "a gate"),
        paints={"roof": roof},
    )


@family("church", "chapel", "village church", "cathedral", kind=_KIND)
def church(kit: Kit) -> Drawn:
    wall, roof = kit.color("white", "beige", "grey", "light grey", "red"), kit.color(*_ROOFS)
    depth, high = kit.between(2.0, 3.0), kit.between(1.0, 1.4)
    front = depth / 2 + 0.2
    parts = [box((1.4, high, depth), wall), gable(1.6, 0.9, depth + 0.1, roof).move(0, high, 0),
             box((0.75, high + 1.3, 0.75), wall, (0, 0, front)),
             pyramid((0.9, kit.between(0.9, 1.7), 0.9), roof, (0, high + 1.3, front)),
             box((0.42, 0.7, 0.1), kit.color("brown", "dark brown"), (0, 0, front + 0.36)),
             rod_z(0.14, 0.1, GLASS, (0, high + 0.3, front + 0.36)),
             box((0.22, 0.4, 0.8), DARK, (0, high + 0.75, front))]  # fmt: skip
    parts += [box((1.45, 0.55, 0.24), GLASS, (0, 0.35, z)) for z in (-0.8, -0.2, 0.4)]
    top = high + 2.2
    parts += [
        box((0.06, 0.6, 0.06), DARK, (0, top, front)),
        box((0.3, 0.06, 0.06), DARK, (0, top + 0.36, front)),
    ]
    return Drawn(
        parts,
        wall,
        features=("a bell tower", "a cross on top", kit.say(roof, "roof")),
        paints={"roof": roof},
    )


@family("lighthouse", "light house", "beacon tower", kind=_KIND)
def lighthouse(kit: Kit) -> Drawn:
    wall, stripe = kit.color("white", "white", "light grey"), kit.color("red", "blue", "black")
    high, bands = kit.between(2.2, 3.0), kit.count(3, 6)
    parts = []
    for k in range(bands):
        low, top = 0.55 - 0.22 * k / bands, 0.55 - 0.22 * (k + 1) / bands
        parts.append(
            cylinder(
                low,
                high / bands,
                stripe if k % 2 else wall,
                (0, k * high / bands, 0),
                top=top,
                segments=max(10, kit.segments),
            )
        )
    parts += [cylinder(0.48, 0.08, DARK, (0, high, 0)),
              cylinder(0.24, 0.4, (0.98, 0.92, 0.6), (0, high + 0.08, 0)),
              cone(0.36, 0.35, stripe, (0, high + 0.48, 0)),
              *around(box((0.03, 0.2, 0.03), DARK, (0.44, high + 0.08, 0)), 8),
              box((0.3, 0.5, 0.3), DARK, (0, 0, 0.42))]  # fmt: skip
    if kit.chance(0.5):
        parts.append(cylinder(0.9, 0.25, kit.color("grey", "brown"), (0, -0.25, 0), segments=7))
    return Drawn(
        parts, wall, adjectives=("tall",), features=(kit.say(stripe, "stripes"), "a lamp on top")
    )
