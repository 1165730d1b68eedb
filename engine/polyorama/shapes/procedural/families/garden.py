"""What single fruit and vegetables look like, whole, in slices and in pieces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polyorama.shapes.procedural.families.decoration import leaf
from polyorama.shapes.procedural.family import Kit
from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    bar,
    blob,
    box,
    capsule,
    cone,
    cylinder,
    group,
    lathe,
    sphere,
    sweep,
)


def slice_of(
    radius: float, thick: float, skin: Paint, flesh: Paint, seeds: Paint | None = None
) -> Part:
    """A round slice with its rind, on y = 0; seeds lie in a ring."""
    parts = [
        cylinder(radius, thick, skin, segments=14),
        cylinder(radius * 0.88, thick * 1.08, flesh, (0, -thick * 0.04, 0), segments=14),
    ]
    if seeds:
        parts += [
            sphere(
                (radius * 0.1, thick * 0.1, radius * 0.17),
                seeds,
                (0, thick * 1.04, radius * 0.5),
                segments=5,
            ).turn(y=60 * i)
            for i in range(6)
        ]
    return group(parts)


def slices(kit: Kit, one: Part, thick: float, radius: float) -> tuple[list[Part], str]:
    """One slice, or several that lean on each other; and the word for them."""
    count = kit.pick(1, 3, 4, 5)
    if count == 1:
        return [one.turn(x=kit.pick(0.0, 75.0))], "slice"
    return [
        one.turn(z=-22).move(
            i * radius * 0.8, i * thick * 0.15 + 0.3 * radius, kit.between(-0.1, 0.1) * radius
        )
        for i in range(count)
    ], "slices"


def pieces(kit: Kit, color: Paint, size: float, inner: Paint | None = None) -> list[Part]:
    """A heap of chopped pieces."""
    parts = []
    for i in range(kit.count(7, 12)):
        r = size * 1.1 * float(np.sqrt(i + 0.3)) * 0.75
        paint = inner if inner is not None and i % 2 else color
        cube = box((size, size * 0.8, size), paint, bevel=size * 0.12).turn(y=kit.between(0, 90))
        parts.append(
            cube.move(r * np.cos(i * 2.4), 0 if i > 3 else size * 0.6, r * np.sin(i * 2.4))
        )
    return parts


STALK = Paint((0.42, 0.28, 0.16))
Whole = Callable[[Kit, Paint], list[Part]]


def _stalk_and_leaf(kit: Kit, height: float) -> list[Part]:
    parts = [bar((0, height - 0.008, 0), (0.006, height + 0.018, 0), 0.003, STALK)]
    if kit.chance(0.6):
        parts.append(
            sphere((0.016, 0.003, 0.008), (0.35, 0.6, 0.25), (0.02, height + 0.012, 0), segments=6)
        )
    return parts


def apple(kit: Kit, skin: Paint) -> list[Part]:
    """Apple."""
    body = lathe(
        [
            (0, 0.006),
            (0.018, 0),
            (0.036, 0.02),
            (0.042, 0.045),
            (0.032, 0.07),
            (0.014, 0.074),
            (0, 0.064),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [body, *_stalk_and_leaf(kit, 0.07)]


def pear(kit: Kit, skin: Paint) -> list[Part]:
    """Pear."""
    body = lathe(
        [
            (0, 0.003),
            (0.02, 0),
            (0.04, 0.03),
            (0.034, 0.058),
            (0.019, 0.085),
            (0.013, 0.102),
            (0, 0.106),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [body, *_stalk_and_leaf(kit, 0.106)]


def ball(radius: float, squash: float = 1.0) -> Whole:
    """Round fruit of that radius."""

    def whole(kit: Kit, skin: Paint) -> list[Part]:
        body = sphere(
            (radius, radius * squash, radius),
            skin,
            (0, radius * squash, 0),
            segments=max(8, kit.segments),
        )
        return [body, *_stalk_and_leaf(kit, 2 * radius * squash - 0.004)]

    return whole


def lemon(kit: Kit, skin: Paint) -> list[Part]:
    """Lemon."""
    body = lathe(
        [
            (0, 0),
            (0.006, 0.003),
            (0.01, 0.012),
            (0.03, 0.035),
            (0.03, 0.055),
            (0.011, 0.08),
            (0.006, 0.09),
            (0, 0.093),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [body.turn(z=kit.pick(0.0, 90.0)).move(y=0.03)]


def tomato(kit: Kit, skin: Paint) -> list[Part]:
    """Tomato."""
    body = sphere((0.04, 0.033, 0.04), skin, (0, 0.033, 0), segments=max(8, kit.segments))
    leaves = [
        cone(0.006, 0.028, (0.3, 0.55, 0.22), segments=4)
        .turn(z=-78)
        .turn(y=72 * i)
        .move(0, 0.064, 0)
        for i in range(5)
    ]
    return [body, *leaves, bar((0, 0.062, 0), (0, 0.076, 0), 0.003, (0.3, 0.5, 0.22))]


def onion(kit: Kit, skin: Paint) -> list[Part]:
    """Onion."""
    body = lathe(
        [
            (0, 0),
            (0.012, 0.002),
            (0.036, 0.018),
            (0.04, 0.035),
            (0.026, 0.055),
            (0.009, 0.068),
            (0.005, 0.088),
            (0, 0.09),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    return [
        body,
        *[
            bar(
                (0.003 * i, 0.003, 0),
                (0.007 * i, -0.006, 0.004),
                0.0015,
                (0.85, 0.78, 0.6),
                segments=4,
            )
            for i in (-1, 0, 1)
        ],
    ]


def carrot(kit: Kit, skin: Paint) -> list[Part]:
    """Carrot."""
    long = kit.between(0.14, 0.2)
    body = lathe(
        [
            (0, 0),
            (0.006, 0.01),
            (0.016, long * 0.5),
            (0.024 * min(kit.chunk, 1.2), long * 0.92),
            (0.014, long),
            (0, long),
        ],
        skin,
        segments=max(7, kit.segments),
    )
    tops = [
        leaf(0.08, 0.018, Paint((0.3, 0.6, 0.25)), 30)
        .turn(x=18)
        .turn(y=90 * i)
        .move(0, long - 0.004, 0)
        for i in range(4)
    ]
    return [group([body, *tops]).turn(z=kit.pick(0.0, 90.0, 90.0)).turn(y=kit.between(-25, 25))]


def potato(kit: Kit, skin: Paint) -> list[Part]:
    """Potato."""
    return [
        blob((0.05, 0.034, 0.036), skin, kit.rng, (0, 0.032, 0), rough=0.09, detail=kit.pick(1, 2))
    ]


def cucumber(kit: Kit, skin: Paint) -> list[Part]:
    """Cucumber."""
    return [
        group([capsule(0.022, 0.19, skin, segments=max(8, kit.segments)).bend(kit.between(0, 25))])
        .turn(z=90)
        .move(0.095, 0.022)
    ]


def pepper(kit: Kit, skin: Paint) -> list[Part]:
    """Pepper."""
    lobes = [
        sphere(
            (0.026, 0.042, 0.026), skin, (0.018 * np.cos(a), 0.042, 0.018 * np.sin(a)), segments=8
        )
        for a in (0.4, 1.97, 3.54, 5.11)
    ]
    return [*lobes, bar((0, 0.072, 0), (0.006, 0.102, 0), 0.006, (0.3, 0.5, 0.22))]


def eggplant(kit: Kit, skin: Paint) -> list[Part]:
    """Eggplant."""
    body = lathe(
        [
            (0, 0),
            (0.025, 0.006),
            (0.04, 0.04),
            (0.033, 0.085),
            (0.022, 0.12),
            (0.012, 0.135),
            (0, 0.137),
        ],
        skin,
        segments=max(8, kit.segments),
    )
    cap = [
        cone(0.026, 0.03, (0.32, 0.52, 0.25), (0, 0.115, 0), segments=6),
        bar((0, 0.135, 0), (0.008, 0.165, 0), 0.006, (0.3, 0.5, 0.22)),
    ]
    return [group([body, *cap]).turn(z=kit.pick(0.0, 85.0)).move(y=0.0)]


def pumpkin(kit: Kit, skin: Paint) -> list[Part]:
    """Pumpkin."""
    count = kit.count(7, 9)
    ribs = [
        sphere((0.055, 0.075, 0.05), skin, segments=8)
        .move(0.06)
        .turn(y=360 * i / count)
        .move(y=0.075)
        for i in range(count)
    ]
    return [*ribs, bar((0, 0.13, 0), (0.015, 0.185, 0), 0.016, (0.35, 0.45, 0.2), top=0.01)]


def avocado(kit: Kit, skin: Paint) -> list[Part]:
    """Avocado."""
    profile = [(0, 0.0), (0.022, 0.004), (0.036, 0.03), (0.03, 0.06), (0.016, 0.088), (0, 0.096)]
    return [lathe(profile, skin, segments=max(8, kit.segments))]


def banana_body(kit: Kit, skin: Paint) -> Part:
    """One banana, its ends up."""
    angles = np.radians(np.linspace(200, 340, 9))
    path = np.stack([0.1 * np.cos(angles), 0.1 * np.sin(angles), 0 * angles], 1)
    radius = np.array([0.006, 0.013, 0.018, 0.0195, 0.02, 0.0195, 0.018, 0.012, 0.005]) * min(
        kit.chunk, 1.3
    )
    tips = [
        sphere(0.007, (0.3, 0.22, 0.12), tuple(path[0]), segments=5),
        sphere(0.006, (0.3, 0.22, 0.12), tuple(path[-1]), segments=5),
    ]
    return group([sweep(path, radius.tolist(), skin, segments=6), *tips]).move(y=0.115)


def banana(kit: Kit, skin: Paint) -> list[Part]:
    """Banana."""
    return [banana_body(kit, skin)]


def strawberry(kit: Kit, skin: Paint) -> list[Part]:
    """Strawberry."""
    body = lathe(
        [(0, 0), (0.01, 0.004), (0.026, 0.03), (0.027, 0.044), (0.016, 0.053), (0, 0.054)],
        skin,
        segments=max(8, kit.segments),
    )
    seeds = [
        sphere(0.002, (0.97, 0.85, 0.45), (r * np.cos(i * 2.4), y, r * np.sin(i * 2.4)), segments=4)
        for i in range(14)
        for y, r in [(0.01 + 0.0026 * i, 0.0125 + 0.00125 * i if i < 11 else 0.0262)]
    ]
    leaves = [
        cone(0.005, 0.022, (0.3, 0.58, 0.22), segments=4)
        .turn(z=-80)
        .turn(y=60 * i)
        .move(0, 0.054, 0)
        for i in range(6)
    ]
    return [group([body, *seeds, *leaves]).turn(z=kit.pick(0.0, 180.0, 70.0))]


def watermelon(kit: Kit, skin: Paint) -> list[Part]:
    """Watermelon."""
    body = sphere((0.15, 0.12, 0.12), skin, (0, 0.12, 0), segments=14)
    angles = np.linspace(-np.pi / 2 + 0.15, np.pi / 2 - 0.15, 9)
    stripes = []
    for i in range(8):
        turn = 2 * np.pi * i / 8
        path = np.stack(
            [
                0.149 * np.sin(angles),
                0.12 + 0.1195 * np.cos(angles) * np.cos(turn),
                0.1195 * np.cos(angles) * np.sin(turn),
            ],
            1,
        )
        stripes.append(sweep(path, 0.007, (0.13, 0.3, 0.15), segments=5))
    return [body, *stripes]


def coconut(kit: Kit, skin: Paint) -> list[Part]:
    """Coconut."""
    return [
        sphere((0.06, 0.062, 0.06), skin, (0, 0.06, 0), segments=max(10, kit.segments)),
        *[
            sphere(0.007, (0.2, 0.13, 0.08), (x, 0.118, z), segments=6)
            for x, z in ((0.012, 0), (-0.009, 0.01), (-0.009, -0.01))
        ],
    ]
