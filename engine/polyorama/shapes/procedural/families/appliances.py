"""Machines and fittings of kitchens."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.storage import fronts
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    circle,
    cylinder,
    group,
    prism,
    rounded,
    sphere,
    sweep,
    torus,
)

KIND = "appliance"


DARK = Paint((0.13, 0.14, 0.16))


def _white_goods(kit: Kit) -> Paint:
    return kit.color(
        "white", "light grey", "silver", "red", "light blue", "black", "teal", "beige", "dark grey"
    )


def _knobs(
    count: int, width: float, y: float, z: float, color: Paint, radius: float = 0.022
) -> list[Part]:
    """Round knobs in a row on a front."""
    xs = np.linspace(-width / 2, width / 2, count)
    return [cylinder(radius, 0.03, color, segments=8).turn(x=90).move(float(x), y, z) for x in xs]


@family("refrigerator", "fridge", "freezer", "icebox", kind=KIND)
def _fridge(kit: Kit) -> Drawn:
    color = _white_goods(kit)
    grip = kit.other(color, "silver", "black", "dark grey", "grey")
    width, height, depth = kit.between(0.65, 0.95), kit.between(1.5, 1.9), 0.65
    double = width > 0.85
    parts = [
        box((width, height - 0.05, depth - 0.06), color, (0, 0.05, -0.03), bevel=0.01),
        box((width * 0.9, 0.06, depth * 0.85), DARK),
    ]
    split = height * kit.pick(0.3, 0.62, 0.68)
    features, sentences = ["two doors"], ()
    if double:
        parts += [
            box(
                (width / 2 - 0.01, height - 0.07, 0.06),
                color,
                (s * width / 4, 0.06, depth / 2 - 0.03),
                bevel=0.015,
            )
            for s in (-1, 1)
        ]
        parts += [
            box((0.03, 0.5, 0.04), grip, (s * 0.05, height * 0.45, depth / 2 + 0.02))
            for s in (-1, 1)
        ]
    else:
        parts += [
            box((width, split - 0.07, 0.06), color, (0, 0.06, depth / 2 - 0.03), bevel=0.015),
            box(
                (width, height - split - 0.01, 0.06),
                color,
                (0, split, depth / 2 - 0.03),
                bevel=0.015,
            ),
        ]
        parts += [
            box((0.03, 0.26, 0.04), grip, (width * 0.4, y, depth / 2 + 0.02))
            for y in (split - 0.32, split + 0.06)
        ]
    if kit.chance(0.3):
        for _ in range(4):
            at = (kit.between(-0.25, 0.15) * width, kit.between(0.72, 0.9) * height, depth / 2)
            parts.append(box((0.09, 0.1, 0.012), kit.color(), at).turn(z=0))
        features.append("notes and magnets")
    return Drawn(
        parts,
        color,
        "",
        ("tall",) if not double else ("big", "double-door"),
        (*features, f"{kit.say(grip, 'handles')}"),
        ("fridge", "refrigerator"),
        sentences,
    )


@family("oven", "stove", "cooker", "kitchen stove", "range", kind=KIND)
def _oven(kit: Kit) -> Drawn:
    color = _white_goods(kit)
    metal = kit.other(color, "dark grey", "black", "silver")
    width, height, depth = 0.7, 0.88, 0.62
    parts = [
        box((width, height, depth), color, bevel=0.012),
        box((width * 0.98, 0.02, depth * 0.96), DARK, (0, height, 0)),
        box((width * 0.72, 0.34, 0.02), DARK, (0, 0.24, depth / 2)),
        bar((-0.24, 0.66, depth / 2 + 0.04), (0.24, 0.66, depth / 2 + 0.04), 0.016, metal),
    ]
    parts += [box((0.03, 0.03, 0.05), metal, (s * 0.22, 0.645, depth / 2)) for s in (-1, 1)]
    parts += _knobs(4, 0.46, 0.78, depth / 2, metal)
    for x in (-0.17, 0.17):
        parts += [
            torus(kit.pick(0.07, 0.09), 0.012, metal, (x, height + 0.025, z), segments=12, around=5)
            for z in (-0.14, 0.14)
        ]
    features = ["four burners", "four knobs", "an oven door"]
    if kit.chance(0.4):
        parts.append(box((width, 0.22, 0.04), color, (0, height, -depth / 2 + 0.02)))
        features.append("a backsplash")
    if kit.chance(0.3):
        pot = kit.other(color, "red", "blue", "grey", "orange")
        parts += [
            cylinder(0.1, 0.12, pot, (-0.17, height + 0.035, 0.12)),
            sphere((0.1, 0.03, 0.1), pot, (-0.17, height + 0.155, 0.12), low=0.5),
        ]
        features.append("a pot on it")
    return Drawn(parts, color, "", (), tuple(features))


@family("microwave", "microwave oven", kind=KIND)
def _microwave(kit: Kit) -> Drawn:
    color = _white_goods(kit)
    parts = [
        box((0.5, 0.29, 0.36), color, (0, 0.015, 0), bevel=0.012),
        box((0.32, 0.21, 0.02), DARK, (-0.07, 0.055, 0.175)),
        box((0.09, 0.04, 0.015), (0.2, 0.75, 0.55), (0.18, 0.24, 0.178)),
        box((0.015, 0.2, 0.03), (0.6, 0.62, 0.65), (0.11, 0.06, 0.19)),
    ]
    parts += [
        box((0.024, 0.02, 0.02), (0.55, 0.57, 0.6), (0.155 + 0.028 * i, 0.2 - 0.035 * j, 0.176))
        for i in range(3)
        for j in range(4)
    ]
    parts += [box((0.04, 0.016, 0.04), DARK, (x, 0, z)) for x in (-0.2, 0.2) for z in (-0.13, 0.13)]
    return Drawn(parts, color, "", (), ("a window", "buttons"), ("microwave",))


@family("toaster", "bread toaster", kind=KIND)
def _toaster(kit: Kit) -> Drawn:
    color = kit.color("silver", "red", "white", "light blue", "black", "grey", "teal", "yellow")
    parts = [
        box((0.3, 0.19, 0.18), color, (0, 0.015, 0), bevel=0.035),
        box((0.26, 0.02, 0.15), DARK),
    ]
    parts += [box((0.2, 0.008, 0.03), DARK, (0, 0.2, z)) for z in (-0.035, 0.035)]
    parts += [
        box((0.02, 0.02, 0.04), DARK, (0.155, 0.12, 0)),
        cylinder(0.018, 0.014, DARK, segments=8).turn(z=-90).move(0.15, 0.06),
    ]
    features = ["two slots", "a lever"]
    if kit.chance(0.6):
        crust = (0.72, 0.47, 0.22)
        parts += [
            box((0.14, 0.1, 0.018), crust, (0, 0.16, z), bevel=0.006) for z in (-0.035, 0.035)
        ]
        features.append("two slices of toast")
    return Drawn(parts, color, "metal", ("small",), tuple(features))


@family("coffee maker", "coffee machine", "espresso machine", kind=KIND)
def _coffee(kit: Kit) -> Drawn:
    color = kit.color("black", "silver", "red", "grey", "white", "teal")
    metal = kit.other(color, "silver", "black", "grey")
    parts = [
        box((0.24, 0.05, 0.3), color, bevel=0.008),
        box((0.24, 0.36, 0.12), color, (0, 0, -0.09), bevel=0.008),
        box((0.24, 0.1, 0.3), color, (0, 0.28, 0), bevel=0.012),
    ]
    if kit.chance(0.5):
        glass, coffee = (0.75, 0.82, 0.86), (0.25, 0.14, 0.08)
        parts += [
            cylinder(0.07, 0.1, coffee, (0, 0.05, 0.06), top=0.078),
            cylinder(0.078, 0.05, glass, (0, 0.15, 0.06), top=0.05),
            cylinder(0.05, 0.02, color, (0, 0.2, 0.06)),
            sweep(
                [(0.06, 0.19, 0.06), (0.13, 0.17, 0.06), (0.12, 0.08, 0.06), (0.075, 0.08, 0.06)],
                0.011,
                metal,
            ),
        ]
        features = ["a glass jug of coffee"]
    else:
        parts += [
            cylinder(0.04, 0.05, metal, (0, 0.23, 0.07)),
            bar((0, 0.25, 0.07), (0, 0.24, 0.22), 0.014, metal),
            cylinder(0.035, 0.07, (0.95, 0.94, 0.92), (0, 0.05, 0.07), top=0.042),
            bar((0.1, 0.3, 0.12), (0.13, 0.2, 0.14), 0.01, metal),
        ]
        features = ["a cup"]
    parts += _knobs(3, 0.12, 0.33, 0.145, metal, 0.014)
    return Drawn(parts, color, "", (), (*features, "buttons"))


@family("blender", "mixer", "smoothie maker", "food processor", kind=KIND)
def _blender(kit: Kit) -> Drawn:
    color = kit.color("red", "black", "white", "silver", "light blue", "green", "orange")
    inside = kit.other(color, "pink", "green", "orange", "purple", "yellow")
    segments = max(8, kit.segments)
    parts = [
        cylinder(0.1, 0.14, color, top=0.075, segments=segments),
        cylinder(0.06, 0.13, inside, (0, 0.14, 0), top=0.078, segments=segments),
        cylinder(0.079, 0.06, (0.82, 0.9, 0.93), (0, 0.27, 0), top=0.085, segments=segments),
        cylinder(0.088, 0.03, color, (0, 0.33, 0), segments=segments),
        cylinder(0.03, 0.03, color, (0, 0.36, 0), segments=segments),
        sweep([(0.07, 0.3, 0), (0.13, 0.28, 0), (0.13, 0.2, 0), (0.065, 0.17, 0)], 0.01, color),
    ]
    parts += [cylinder(0.02, 0.02, DARK, segments=8).turn(x=90).move(0, 0.06, 0.085)]
    return Drawn(
        parts,
        None,
        "",
        (),
        ("a jug", "a knob", f"a {kit.say(inside, 'smoothie')}"),
        ("blender",),
        (),
        {"base": color, "smoothie": inside},
    )


@family("washing machine", "washer", "laundry machine", kind=KIND)
def _washer(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "light grey", "grey", "light blue", "black")
    ring = kit.other(color, "silver", "grey", "dark grey", "light blue")
    parts = [
        box((0.6, 0.85, 0.58), color, bevel=0.012),
        box(
            (0.6, 0.11, 0.02), kit.other(color, "light grey", "grey", "dark grey"), (0, 0.73, 0.285)
        ),
        prism(circle(0.2, 18), 0.05, ring, (0, 0.38, 0.29)),
        prism(circle(0.16, 18), 0.06, (0.2, 0.3, 0.4), (0, 0.38, 0.29)),
    ]
    parts += [
        *_knobs(1, 0, 0.785, 0.29, DARK, 0.035),
        box((0.12, 0.04, 0.015), (0.2, 0.6, 0.5), (0.17, 0.765, 0.295)),
        box((0.14, 0.06, 0.015), color, (-0.2, 0.755, 0.295)),
    ]
    return Drawn(parts, color, "", (), ("a round door", "a dial"))


@family("dishwasher", "dish washer", "built-in dishwasher", kind=KIND)
def _dishwasher(kit: Kit) -> Drawn:
    color = kit.color("white", "silver", "grey", "light grey", "black")
    grip = kit.other(color, "dark grey", "silver", "black")
    parts = [
        box((0.6, 0.8, 0.56), color, (0, 0.04, 0), bevel=0.008),
        box((0.55, 0.05, 0.5), DARK),
        box((0.58, 0.1, 0.02), grip, (0, 0.72, 0.28)),
        box((0.58, 0.6, 0.03), color, (0, 0.09, 0.28), bevel=0.01),
        bar((-0.2, 0.66, 0.33), (0.2, 0.66, 0.33), 0.012, grip),
    ]
    parts += _knobs(4, 0.3, 0.77, 0.285, color, 0.012)
    return Drawn(parts, color, "", (), ("a handle bar", "buttons"))


@family("extractor hood", "range hood", "kitchen hood", "cooker hood", "exhaust hood", kind=KIND)
def _hood(kit: Kit) -> Drawn:
    color = kit.color("silver", "grey", "dark grey", "white", "red", "black")
    parts = [
        box((0.8, 0.09, 0.55), color),
        box((0.78, 0.25, 0.53), color, (0, 0.09, 0), taper=0.38),
        box((0.3, kit.between(0.3, 0.6), 0.2), color, (0, 0.34, 0)),
        box((0.7, 0.01, 0.45), DARK, (0, -0.01, 0)),
    ]
    parts += _knobs(3, 0.14, 0.045, 0.275, DARK, 0.012)
    return Drawn(parts, color, "metal", (), ("a chimney", "buttons"))


def tap(kit: Kit, height: float, reach: float) -> Part:
    """A tap with two levers; it stands at the origin and reaches towards +z."""
    metal = Paint((0.72, 0.75, 0.79))
    path = [
        (0, 0, 0),
        (0, height * 0.8, 0),
        (0, height, reach * 0.4),
        (0, height * 0.9, reach),
        (0, height * 0.7, reach),
    ]
    levers = [bar((s * 0.02, 0.04, 0), (s * 0.09, 0.06, 0), 0.01, metal) for s in (-1, 1)]
    return group([sweep(path, 0.014 * kit.chunk, metal, segments=8), *levers])


@family(
    "kitchen counter",
    "kitchen cabinet",
    "counter",
    "worktop",
    "kitchen unit",
    kind="piece of furniture",
)
def _counter(kit: Kit) -> Drawn:
    base = kit.color(
        "white",
        "teal",
        "light brown",
        "brown",
        "red",
        "green",
        "grey",
        "light blue",
        "dark blue",
        "yellow",
    )
    top = kit.other(base, "light grey", "dark grey", "beige", "white", "light brown")
    knob = kit.color("gold", "black", "silver")
    columns = kit.count(1, 3)
    width, depth, height = 0.55 * columns, 0.6, 0.85
    parts = [
        box((width, height - 0.08, depth), base, (0, 0.08, 0)),
        box((width * 0.97, 0.09, depth * 0.86), DARK, (0, 0, -0.03)),
        *fronts(
            kit,
            width * 0.97,
            height * 0.68,
            0.1,
            depth / 2 - 0.005,
            base,
            columns=columns,
            rows=1,
            knob=knob,
        ),
    ]
    parts += fronts(
        kit,
        width * 0.97,
        height * 0.18,
        height * 0.8,
        depth / 2 - 0.005,
        base,
        columns=columns,
        rows=1,
        knob=knob,
    )
    features = [f"a {kit.say(top, 'worktop')}", "doors and drawers"]
    words = ["kitchen counter", "kitchen cabinet"]
    thick = 0.05 * kit.chunk
    variant = kit.pick("plain", "sink", "corner", "decorated")
    if variant == "corner":
        parts += [
            box((0.6, height - 0.08, 0.6), base, (-width / 2 - 0.3, 0.08, 0)),
            box((depth, height - 0.08, 0.6), base, (-width / 2 - 0.3, 0.08, 0.6)),
            box((0.62, thick, 1.24), top, (-width / 2 - 0.3, height, 0.3)),
            group(fronts(kit, 0.55, height * 0.85, 0.1, 0.0, base, columns=1, rows=1, knob=knob))
            .turn(y=90)
            .move(-width / 2, 0, 0.6),
        ]
        words.insert(0, "corner kitchen counter")
    if variant == "sink":
        side = (width + 0.02 - 0.42) / 2
        parts += [
            box((side, thick, depth + 0.04), top, (s * (0.42 + side) / 2, height, 0))
            for s in (-1, 1)
        ]
        parts += [box((0.42, thick, 0.1), top, (0, height, s * 0.27)) for s in (-1, 1)]
        metal = Paint((0.66, 0.69, 0.73))
        parts += [
            box((0.4, 0.01, 0.44), metal, (0, height + 0.002, 0)),
            tap(kit, 0.26, 0.2).move(0, height + thick, -0.25),
        ]
        rim = [(x, height + thick, -y) for x, y in rounded(0.42, 0.44, 0.04)]
        parts.append(sweep([*rim, rim[0]], 0.012, metal))
        features += ["a sink", "a tap"]
        words.insert(0, "kitchen counter with sink")
    else:
        parts.append(box((width + 0.02, thick, depth + 0.04), top, (0, height, 0), bevel=0.006))
    if variant == "decorated":
        pot = kit.color()
        parts += [
            cylinder(0.06, 0.14, pot, (-width * 0.25, height + thick, 0)),
            box((0.26, 0.02, 0.18), (0.7, 0.5, 0.3), (width * 0.2, height + thick, 0.05)),
        ]
        features += ["things on it", "a cutting board"]
    if kit.chance(0.3):
        parts.append(box((width, 0.35, 0.03), top, (0, height + thick, -depth / 2)))
        features.append("a backsplash")
    return Drawn(parts, base, "", (), tuple(features), tuple(words), (), {"worktop": top})


@family(
    "wall cabinet",
    "kitchen wall cabinet",
    "hanging cupboard",
    "cupboard",
    kind="piece of furniture",
)
def _wall_cabinet(kit: Kit) -> Drawn:
    base, knob = (
        kit.color("white", "teal", "light brown", "brown", "red", "green", "light blue", "grey"),
        kit.color("gold", "black", "silver"),
    )
    columns = kit.count(1, 3)
    width, height = 0.5 * columns, kit.between(0.55, 0.8)
    parts = [
        box((width, height, 0.34), base),
        *fronts(
            kit,
            width * 0.97,
            height * 0.95,
            height * 0.025,
            0.165,
            base,
            columns=columns,
            rows=1,
            knob=knob,
        ),
    ]
    return Drawn(
        parts,
        base,
        kit.pick("wooden", ""),
        (),
        ("a door" if columns == 1 else f"{('two', 'three')[columns - 2]} doors",),
    )


@family("kitchen island", "prep table", "kitchen trolley", kind="piece of furniture")
def _island(kit: Kit) -> Drawn:
    base, top = (
        kit.color("white", "teal", "grey", "dark blue", "green"),
        kit.color("light brown", "brown"),
    )
    width, height = kit.between(1.1, 1.6), 0.88
    parts = [
        box((width, 0.06 * kit.chunk, 0.75), top, (0, height, 0), bevel=0.01),
        box((width * 0.96, 0.04, 0.68), base, (0, 0.22, 0)),
        box((width * 0.96, 0.12, 0.68), base, (0, height - 0.12, 0)),
    ]
    parts += [
        box((0.08, height, 0.08), base, (x * width * 0.44, 0, z * 0.3))
        for x in (-1, 1)
        for z in (-1, 1)
    ]
    bowl = kit.color("red", "blue", "yellow")
    parts += [
        cylinder(0.06, 0.1, bowl, (-0.3, 0.26, 0), top=0.13),
        cylinder(0.1, 0.16, (0.6, 0.62, 0.66), (0.2, 0.26, 0)),
    ]
    return Drawn(
        parts,
        None,
        "",
        ("big",),
        (
            f"a {kit.say(top, 'wooden top')}" if kit.look != "clay" else "a thick top",
            "a lower shelf with pots",
        ),
        (),
        (),
        {"top": top, "base": base},
    )


@family("cash register", "till", "checkout register", kind="machine")
def _register(kit: Kit) -> Drawn:
    color = kit.color("grey", "dark grey", "red", "blue", "beige", "green", "brown", "gold")
    screen = Paint((0.35, 0.75, 0.55))
    parts = [
        box((0.42, 0.12, 0.42), color, bevel=0.01),
        box(
            (0.38, 0.09, 0.015),
            kit.other(color, "light grey", "silver", "dark grey"),
            (0, 0.015, 0.21),
        ),
        prism([(0.19, 0), (-0.19, 0), (-0.19, 0.2), (-0.08, 0.2), (0.19, 0.05)], 0.38, color)
        .turn(y=-90)
        .move(0, 0.12, 0),
        box((0.22, 0.1, 0.04), color, (0, 0.32, -0.13)),
        box((0.18, 0.06, 0.01), screen, (0, 0.34, -0.108)),
        box((0.08, 0.02, 0.02), DARK, (0, 0.05, 0.22)),
    ]
    slope = np.degrees(np.arctan2(0.15, 0.27))
    for i in range(4):
        for j in range(3):
            key = box(
                (0.045, 0.02, 0.04),
                kit.pick((0.95, 0.95, 0.93), (0.95, 0.95, 0.93), (0.85, 0.25, 0.22)),
            )
            parts.append(
                key.turn(x=slope).move(
                    (i - 1.5) * 0.07,
                    0.175 + 0.155 * (0.06 + 0.055 * j * 1.6) * 1.9,
                    0.16 - 0.075 * j - 0.02,
                )
            )
    return Drawn(parts, color, "", (), ("keys", "a small display", "a drawer"))


@family("menu", "menu board", "chalkboard sign", "restaurant menu", "sandwich board")
def _menu(kit: Kit) -> Drawn:
    wood = kit.color("brown", "light brown", "dark brown", "red")
    board = kit.color("black", "dark green", "dark grey", "white")
    chalk = (0.92, 0.91, 0.86) if board.name != "white" else (0.3, 0.28, 0.26)
    height = 0.95
    face = [
        box((0.6, height, 0.03), wood),
        box((0.5, height * 0.84, 0.02), board, (0, height * 0.08, 0.012)),
    ]
    for i in range(6):
        y = height * (0.78 - 0.11 * i)
        wide = 0.3 if i == 0 else kit.between(0.15, 0.28)
        face += [box((wide, 0.02, 0.01), chalk, (0.0 if i == 0 else -0.2 + wide / 2, y, 0.02))] + (
            [box((0.06, 0.02, 0.01), chalk, (0.18, y, 0.02))] if i else []
        )
    standing = kit.chance(0.5)
    parts = [p.turn(x=-14).move(z=0.22) for p in face] if standing else face
    if standing:
        parts.append(box((0.6, height, 0.03), wood).turn(x=14).move(z=-0.22))
        return Drawn(
            parts,
            board,
            "wooden",
            ("standing",),
            ("lines of text", f"a {kit.say(wood, 'frame')}"),
            ("menu board", "a-frame sign", "menu"),
            paints={"frame": wood},
        )
    return Drawn(
        parts,
        board,
        "",
        (),
        ("lines of text", "prices", f"a {kit.say(wood, 'frame')}"),
        ("menu", "menu board"),
        paints={"frame": wood},
    )
