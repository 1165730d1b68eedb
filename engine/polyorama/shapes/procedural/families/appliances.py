"""Machines and fittings of kitchens and bathrooms."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.furniture import fronts
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    box,
    capsule,
    circle,
    cylinder,
    group,
    lathe,
    prism,
    rounded,
    sphere,
    sweep,
    torus,
    tube,
)

_KIND = "appliance"
_DARK = Paint((0.13, 0.14, 0.16))


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


@family("refrigerator", "fridge", "freezer", "icebox", kind=_KIND)
def _fridge(kit: Kit) -> Drawn:
    color = _white_goods(kit)
    grip = kit.other(color, "silver", "black", "dark grey", "grey")
    width, height, depth = kit.between(0.65, 0.95), kit.between(1.5, 1.9), 0.65
    double = width > 0.85
    parts = [
        box((width, height - 0.05, depth - 0.06), color, (0, 0.05, -0.03), bevel=0.01),
        box((width * 0.9, 0.06, depth * 0.85), _DARK),
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


@family("oven", "stove", "cooker", "kitchen stove", "range", kind=_KIND)
def _oven(kit: Kit) -> Drawn:
    color = _white_goods(kit)
    metal = kit.other(color, "dark grey", "black", "silver")
    width, height, depth = 0.7, 0.88, 0.62
    parts = [
        box((width, height, depth), color, bevel=0.012),
        box((width * 0.98, 0.02, depth * 0.96), _DARK, (0, height, 0)),
        box((width * 0.72, 0.34, 0.02), _DARK, (0, 0.24, depth / 2)),
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


@family("microwave", "microwave oven", kind=_KIND)
def _microwave(kit: Kit) -> Drawn:
    color = _white_goods(kit)
    parts = [
        box((0.5, 0.29, 0.36), color, (0, 0.015, 0), bevel=0.012),
        box((0.32, 0.21, 0.02), _DARK, (-0.07, 0.055, 0.175)),
        box((0.09, 0.04, 0.015), (0.2, 0.75, 0.55), (0.18, 0.24, 0.178)),
        box((0.015, 0.2, 0.03), (0.6, 0.62, 0.65), (0.11, 0.06, 0.19)),
    ]
    parts += [
        box((0.024, 0.02, 0.02), (0.55, 0.57, 0.6), (0.155 + 0.028 * i, 0.2 - 0.035 * j, 0.176))
        for i in range(3)
        for j in range(4)
    ]
    parts += [
        box((0.04, 0.016, 0.04), _DARK, (x, 0, z)) for x in (-0.2, 0.2) for z in (-0.13, 0.13)
    ]
    return Drawn(parts, color, "", (), ("a window", "buttons"), ("microwave",))


@family("toaster", "bread toaster", kind=_KIND)
def _toaster(kit: Kit) -> Drawn:
    color = kit.color("silver", "red", "white", "light blue", "black", "grey", "teal", "yellow")
    parts = [
        box((0.3, 0.19, 0.18), color, (0, 0.015, 0), bevel=0.035),
        box((0.26, 0.02, 0.15), _DARK),
    ]
    parts += [box((0.2, 0.008, 0.03), _DARK, (0, 0.2, z)) for z in (-0.035, 0.035)]
    parts += [
        box((0.02, 0.02, 0.04), _DARK, (0.155, 0.12, 0)),
        cylinder(0.018, 0.014, _DARK, segments=8).turn(z=-90).move(0.15, 0.06),
    ]
    features = ["two slots", "a lever"]
    if kit.chance(0.6):
        crust = (0.72, 0.47, 0.22)
        parts += [
            box((0.14, 0.1, 0.018), crust, (0, 0.16, z), bevel=0.006) for z in (-0.035, 0.035)
        ]
        features.append("two slices of toast")
    return Drawn(parts, color, "metal", ("small",), tuple(features))


@family("coffee maker", "coffee machine", "espresso machine", kind=_KIND)
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


@family("blender", "mixer", "smoothie maker", "food processor", kind=_KIND)
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
    parts += [cylinder(0.02, 0.02, _DARK, segments=8).turn(x=90).move(0, 0.06, 0.085)]
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


@family("washing machine", "washer", "laundry machine", "tumble dryer", kind=_KIND)
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
        *_knobs(1, 0, 0.785, 0.29, _DARK, 0.035),
        box((0.12, 0.04, 0.015), (0.2, 0.6, 0.5), (0.17, 0.765, 0.295)),
        box((0.14, 0.06, 0.015), color, (-0.2, 0.755, 0.295)),
    ]
    return Drawn(parts, color, "", (), ("a round door", "a dial"))


@family("dishwasher", "dish washer", "built-in dishwasher", kind=_KIND)
def _dishwasher(kit: Kit) -> Drawn:
    color = kit.color("white", "silver", "grey", "light grey", "black")
    grip = kit.other(color, "dark grey", "silver", "black")
    parts = [
        box((0.6, 0.8, 0.56), color, (0, 0.04, 0), bevel=0.008),
        box((0.55, 0.05, 0.5), _DARK),
        box((0.58, 0.1, 0.02), grip, (0, 0.72, 0.28)),
        box((0.58, 0.6, 0.03), color, (0, 0.09, 0.28), bevel=0.01),
        bar((-0.2, 0.66, 0.33), (0.2, 0.66, 0.33), 0.012, grip),
    ]
    parts += _knobs(4, 0.3, 0.77, 0.285, color, 0.012)
    return Drawn(parts, color, "", (), ("a handle bar", "buttons"))


@family("extractor hood", "range hood", "kitchen hood", "cooker hood", "exhaust hood", kind=_KIND)
def _hood(kit: Kit) -> Drawn:
    color = kit.color("silver", "grey", "dark grey", "white", "red", "black")
    parts = [
        box((0.8, 0.09, 0.55), color),
        box((0.78, 0.25, 0.53), color, (0, 0.09, 0), taper=0.38),
        box((0.3, kit.between(0.3, 0.6), 0.2), color, (0, 0.34, 0)),
        box((0.7, 0.01, 0.45), _DARK, (0, -0.01, 0)),
    ]
    parts += _knobs(3, 0.14, 0.045, 0.275, _DARK, 0.012)
    return Drawn(parts, color, "metal", (), ("a chimney", "buttons"))


def _tap(kit: Kit, height: float, reach: float) -> Part:
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
        box((width * 0.97, 0.09, depth * 0.86), _DARK, (0, 0, -0.03)),
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
            _tap(kit, 0.26, 0.2).move(0, height + thick, -0.25),
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
        box((0.08, 0.02, 0.02), _DARK, (0, 0.05, 0.22)),
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


@family("bathtub", "bath", "tub", "bath tub", kind="bathroom fixture")
def _bathtub(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "light blue", "pink", "beige", "teal")
    metal = kit.color("gold", "silver", "grey")
    segments = 16
    shell = lathe(
        [
            (0, 0),
            (0.3, 0),
            (0.37, 0.3),
            (0.42, 0.52),
            (0.38, 0.52),
            (0.33, 0.3),
            (0.25, 0.08),
            (0, 0.08),
        ],
        color,
        segments=segments,
    ).scale(2.0, 1, 1)
    parts = [shell.move(y=0.08), _tap(kit, 0.2, 0.15).turn(y=-90).move(0.82, 0.58)]
    features = ["a tap"]
    if kit.chance(0.6):
        parts += [
            bar((x, 0, z), (x * 0.8, 0.16, z * 0.8), 0.03, metal, top=0.05)
            for x in (-0.5, 0.5)
            for z in (-0.25, 0.25)
        ]
        features.append(f"{kit.say(metal, 'feet')}")
    else:
        parts.append(box((1.2, 0.12, 0.5), color))
    if kit.chance(0.5):
        parts.append(
            cylinder(0.36, 0.02, (0.55, 0.8, 0.93), (0, 0.45, 0), segments=segments).scale(
                2.0, 1, 1
            )
        )
        features.append("water")
        if kit.chance(0.6):
            parts += [
                sphere(
                    kit.between(0.06, 0.12),
                    (0.97, 0.98, 1.0),
                    (kit.between(-0.5, 0.5), 0.48, kit.between(-0.2, 0.2)),
                    segments=6,
                )
                for _ in range(9)
            ]
            features.append("bubbles")
    return Drawn(parts, color, "", ("oval",), tuple(features))


@family("toilet", "lavatory", "wc", "toilet bowl", "loo", kind="bathroom fixture")
def _toilet(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "beige", "light blue", "pink")
    seat = color if kit.chance(0.6) else kit.other(color, "brown", "dark grey", "pink", "blue")
    metal = Paint((0.72, 0.75, 0.79))
    bowl = lathe(
        [(0, 0), (0.13, 0), (0.1, 0.16), (0.19, 0.38), (0.15, 0.38), (0.1, 0.24), (0, 0.2)],
        color,
        segments=max(10, kit.segments),
    ).scale(1, 1, 1.3)
    parts = [
        bowl.move(z=0.1),
        box((0.4, 0.34, 0.18), color, (0, 0.38, -0.24), bevel=0.02),
        box((0.43, 0.04, 0.21), color, (0, 0.72, -0.24), bevel=0.01),
        box((0.22, 0.38, 0.25), color, (0, 0, -0.18)),
        torus(0.16, 0.032, seat, segments=14).scale(1.05, 0.7, 1.35).move(0, 0.39, 0.1),
        bar((-0.15, 0.66, -0.14), (-0.08, 0.64, -0.13), 0.014, metal),
    ]
    lid = prism(circle(0.19, 14) * [1.0, 1.25], 0.03, seat)
    opened = kit.chance(0.6)
    parts.append(
        lid.turn(x=-8).move(0, 0.62, -0.12) if opened else lid.turn(x=-90).move(0, 0.43, 0.1)
    )
    return Drawn(
        parts,
        color,
        "ceramic",
        ("open" if opened else "closed",),
        ("a tank", "a lid", "a seat"),
        ("toilet",),
    )


@family("sink", "bathroom sink", "washbasin", "wash basin", kind="bathroom fixture")
def _sink(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "beige", "light blue", "pink", "light grey")
    basin = lathe(
        [(0, 0), (0.12, 0), (0.26, 0.14), (0.28, 0.2), (0.24, 0.2), (0.2, 0.12), (0, 0.06)],
        color,
        segments=max(10, kit.segments),
    ).scale(1.1, 1, 0.85)
    parts = [
        basin.move(y=0.68),
        box((0.5, 0.06, 0.12), color, (0, 0.82, -0.22), bevel=0.01),
        _tap(kit, 0.18, 0.14).move(0, 0.88, -0.22),
        cylinder(0.025, 0.01, (0.5, 0.52, 0.55), (0, 0.74, 0), segments=8),
    ]
    if kit.chance(0.6):
        parts.append(
            lathe(
                [(0, 0), (0.15, 0), (0.09, 0.1), (0.09, 0.6), (0.14, 0.72), (0, 0.72)],
                color,
                segments=max(8, kit.segments),
            )
        )
        return Drawn(
            parts, color, "ceramic", ("round",), ("a pedestal", "a tap"), ("sink", "bathroom sink")
        )
    wood = kit.wood()
    parts += [
        box((0.7, 0.66, 0.45), wood, (0, 0, -0.03)),
        box((0.74, 0.04, 0.5), color, (0, 0.66, -0.03)),
        *fronts(
            kit, 0.66, 0.6, 0.03, 0.19, wood, columns=2, rows=1, knob=kit.color("gold", "silver")
        ),
    ]
    return Drawn(
        parts,
        None,
        "",
        (),
        ("a cabinet with two doors", "a tap"),
        ("sink", "bathroom sink", "bathroom vanity"),
        paints={"cabinet": wood, "basin": color},
    )


@family("shower", "shower cabin", "shower stall", kind="bathroom fixture")
def _shower(kit: Kit) -> Drawn:
    color, metal = kit.color("white", "light grey", "beige"), Paint((0.7, 0.73, 0.77))
    tile = kit.other(color, "light blue", "teal", "grey", "green")
    parts = [
        box((0.9, 0.12, 0.9), color, bevel=0.02),
        box((0.9, 2.0, 0.05), tile, (0, 0.12, -0.43)),
        box((0.05, 2.0, 0.86), tile, (-0.43, 0.12, 0)),
        bar((0, 1.0, -0.38), (0, 1.9, -0.38), 0.018, metal),
        bar((0, 1.9, -0.38), (0, 1.92, -0.1), 0.018, metal),
        cylinder(0.12, 0.04, metal, (0, 1.86, -0.1), top=0.05),
        box((0.16, 0.06, 0.06), metal, (0, 1.0, -0.38)),
        cylinder(0.04, 0.005, metal, (0, 0.12, 0), segments=8),
    ]
    features = ["a shower head", kit.say(tile, "tiles")]
    if kit.chance(0.5):
        cloth = kit.other(tile, "white", "yellow", "pink", "red")
        parts += [
            bar((0.42, 1.95, -0.42), (0.42, 1.95, 0.42), 0.012, metal),
            *[
                box((0.03 + 0.03 * (i % 2), 1.7, 0.06), cloth, (0.42, 0.22, -0.38 + 0.055 * i))
                for i in range(7)
            ],
        ]
        features.append(f"a {kit.say(cloth, 'curtain')}")
    return Drawn(parts, tile, "", (), tuple(features), ("shower",), paints={"tiles": tile})


@family("toilet paper", "toilet roll", "roll of toilet paper")
def _toilet_paper(kit: Kit) -> Drawn:
    paper = kit.color("white", "white", "beige", "pink")
    parts = [
        tube(0.055, 0.022, 0.1, paper, segments=max(12, kit.segments)),
        tube(0.023, 0.019, 0.101, (0.68, 0.52, 0.36), segments=12),
        box((0.003, 0.1, 0.07), paper, (0.053, 0, 0.035)),
    ]
    body = group(parts).turn(z=kit.pick(0.0, 90.0))
    return Drawn([body], paper, "paper", ("soft", "round"))


@family("toothbrush", "tooth brush", "toothbrush in a cup")
def _toothbrush(kit: Kit) -> Drawn:
    color = kit.color()
    brush = group(
        [
            capsule(0.006 * kit.chunk, 0.17, color, segments=8),
            box((0.011, 0.028, 0.012), (0.95, 0.96, 0.98), (0, 0.138, 0.006)),
        ]
    )
    if kit.chance(0.4):
        cup = kit.other(color, "white", "light blue", "yellow")
        return Drawn(
            [
                brush.turn(z=-12).move(-0.01, 0.01),
                lathe(
                    [(0, 0), (0.03, 0), (0.036, 0.09), (0.032, 0.09), (0.027, 0.006), (0, 0.006)],
                    cup,
                ),
            ],
            cup,
            "",
            (),
            ("a cup", "a toothbrush"),
            ("toothbrush in a cup",),
        )
    return Drawn(
        [brush.turn(x=kit.pick(0.0, -80.0))],
        color,
        "plastic",
        ("thin",),
        ("white bristles" if kit.look != "clay" else "bristles",),
    )


@family("fan", "electric fan", "table fan", "ventilator", kind=_KIND)
def _fan(kit: Kit) -> Drawn:
    color = kit.color("white", "black", "grey", "light blue", "green")
    blade = kit.other(color, "light blue", "grey", "red", "green", "yellow")
    parts = [
        cylinder(0.13, 0.03, color),
        cylinder(0.02, 0.3, color, segments=6),
        sphere(0.05, color, (0, 0.34, -0.03)),
        sphere(0.03, color, (0, 0.34, 0.07)),
    ]
    parts += [
        torus(r, 0.006, color, segments=18, around=4).turn(x=90).move(0, 0.34, z)
        for r, z in ((0.19, 0.03), (0.12, 0.07), (0.19, 0.0))
    ]
    parts += [
        bar(
            (0, 0.34, 0.08),
            (0.19 * np.cos(a), 0.34 + 0.19 * np.sin(a), 0.03),
            0.004,
            color,
            segments=4,
        )
        for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ]
    parts += [
        prism([(0, 0), (0.06, 0.05), (0.07, 0.16), (-0.01, 0.16)], 0.008, blade)
        .turn(y=15)
        .turn(z=120 * i)
        .move(0, 0.34, 0.03)
        for i in range(3)
    ]
    return Drawn(
        parts,
        None,
        "",
        ("round",),
        ("three blades", "a cage"),
        paints={"cage": color, "blades": blade},
    )


@family("ceiling fan", "fan with blades", "hanging fan", kind=_KIND)
def _ceiling_fan(kit: Kit) -> Drawn:
    wood, metal = (
        kit.wood() if kit.chance(0.6) else kit.color("white", "black"),
        kit.color("gold", "black", "silver", "white"),
    )
    count = kit.count(3, 5)
    parts = [
        cylinder(0.02, 0.3, metal, (0, 0.06, 0), segments=6),
        cylinder(0.08, 0.03, metal, (0, 0.36, 0)),
        cylinder(0.11, 0.1, metal, (0, -0.02, 0), bevel=0.02),
        sphere((0.09, 0.07, 0.09), (1.0, 0.96, 0.82), (0, -0.04, 0), high=0.6),
    ]
    parts += [
        group(
            [
                box((0.5, 0.012, 0.13), wood, (0.4, 0, 0)).turn(x=12),
                box((0.12, 0.02, 0.03), metal, (0.13, 0, 0)),
            ]
        )
        .turn(y=360 * i / count)
        .move(y=0.03)
        for i in range(count)
    ]
    return Drawn(
        parts, wood, "", ("hanging",), (f"{('three', 'four', 'five')[count - 3]} blades", "a light")
    )


@family("radiator", "heater", "heating radiator", kind=_KIND)
def _radiator(kit: Kit) -> Drawn:
    color = kit.color("white", "white", "grey", "black", "red", "beige")
    count = kit.count(6, 12)
    parts = [
        box((0.06, 0.55, 0.12), color, ((i - (count - 1) / 2) * 0.09, 0.08, 0), bevel=0.018)
        for i in range(count)
    ]
    parts += [
        bar((-count * 0.045, y, 0), (count * 0.045, y, 0), 0.025, color) for y in (0.14, 0.56)
    ]
    parts += [box((0.05, 0.1, 0.1), color, (s * (count - 1) * 0.04, 0, 0)) for s in (-1, 1)]
    parts += [cylinder(0.025, 0.06, _DARK, segments=8).turn(z=-90).move(count * 0.045, 0.56)]
    return Drawn(parts, color, "metal", (), ("ribs", "a valve"))


@family("iron", "clothes iron", "steam iron", kind=_KIND)
def _iron(kit: Kit) -> Drawn:
    color, plate = kit.color(), Paint((0.75, 0.77, 0.8))
    outline = [(-0.06, -0.1), (0.06, -0.1), (0.055, 0.03), (0, 0.15), (-0.055, 0.03)]
    parts = [
        prism(outline, 0.015, plate).turn(x=90).move(y=0.008),
        prism(np.array(outline) * 0.95, 0.05, color, bevel=0.012).turn(x=90).move(y=0.04),
        sweep(
            [(0, 0.06, 0.08), (0, 0.12, 0.06), (0, 0.13, -0.05), (0, 0.06, -0.08)],
            0.014 * kit.chunk,
            color,
            segments=8,
        ),
    ]
    return Drawn(
        parts,
        color,
        "",
        (),
        ("a handle", "a metal plate" if kit.look != "clay" else "a flat plate"),
    )


@family("gas bottle", "gas cylinder", "propane tank", "gas tank")
def _gas(kit: Kit) -> Drawn:
    color, metal = (
        kit.color("red", "blue", "grey", "orange", "green", "white"),
        Paint((0.45, 0.47, 0.5)),
    )
    parts = [
        capsule(0.16, kit.between(0.45, 0.7), color, (0, 0.04, 0), segments=max(10, kit.segments)),
        tube(0.13, 0.11, 0.07, color, segments=12),
    ]
    top = float(parts[0].vertices[:, 1].max())
    parts += [
        cylinder(0.03, 0.06, metal, (0, top - 0.01, 0), segments=8),
        torus(0.1, 0.014, color, (0, top + 0.06, 0)),
        *[bar((s * 0.1, top - 0.05, 0), (s * 0.1, top + 0.06, 0), 0.014, color) for s in (-1, 1)],
    ]
    return Drawn(parts, color, "metal", (), ("a valve", "a collar"))
