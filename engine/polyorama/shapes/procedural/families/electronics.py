"""Screens, computers, telephones."""

from __future__ import annotations

from polyorama.shapes.procedural.families.household import scene
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
)


def _screen(kit: Kit, width: float, height: float) -> tuple[list[Part], str]:
    """A display with its bottom at y = 0, facing +z: off, or showing a picture."""
    case = kit.color("black", "dark grey", "black", "white", "grey")
    edge = 0.03 * width
    parts = [box((width, height, 0.05), case, bevel=0.01)]
    if kit.chance(0.5):
        parts += [p.move(y=edge) for p in scene(kit, width - 2 * edge, height - 2 * edge, 0.022)]
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
