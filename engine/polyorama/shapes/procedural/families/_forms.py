"""Pieces that several subjects share: wheels, rods that lie, profiles from the side, flames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.shapes.procedural.solids import (
    Paint,
    Part,
    box,
    cone,
    cylinder,
    loft,
    prism,
    sphere,
    tube,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Place, Tint

__all__ = [
    "DARK", "FIRE", "GLASS", "LAMP", "WHITE", "around", "candle", "cartwheel", "darker", "flame",
    "gable",
    "hull",
    "pair",
    "plate",
    "pyramid", "rod_x", "rod_z", "side", "spiral", "wheel",
]  # fmt: skip

DARK = (0.14, 0.14, 0.16)
GLASS = (0.55, 0.74, 0.86)
LAMP = (0.98, 0.92, 0.66)
FIRE = (0.97, 0.62, 0.16)
WHITE = (0.94, 0.94, 0.92)
_ORIGIN = (0.0, 0.0, 0.0)


def rod_x(
    radius: float, length: float, color: Tint, at: Place = _ORIGIN, *, segments: int = 8,
    top: float | None = None,
) -> Part:  # fmt: skip
    """A cylinder along x, centred on `at`; `top` is its radius at +x."""
    rod = cylinder(radius, length, color, top=top, segments=segments)
    return rod.move(y=-length / 2).turn(z=-90).move(*at)


def rod_z(
    radius: float, length: float, color: Tint, at: Place = _ORIGIN, *, segments: int = 8,
    top: float | None = None,
) -> Part:  # fmt: skip
    """A cylinder along z, centred on `at`; `top` is its radius at +z."""
    rod = cylinder(radius, length, color, top=top, segments=segments)
    return rod.move(y=-length / 2).turn(x=90).move(*at)


def side(outline: ArrayLike, width: float, color: Tint, at: Place = _ORIGIN) -> Part:
    """A body of one profile in (z, y), as seen from its side, so wide along x."""
    return prism(outline, width, color).turn(y=-90).move(*at)


def plate(outline: ArrayLike, thick: float, color: Tint, at: Place = _ORIGIN) -> Part:
    """A flat piece with an outline in (x, z), seen from above; its middle at the height of `at`."""
    flipped = np.asarray(outline, np.float64) * (1, -1)
    return prism(flipped, thick, color).turn(x=-90).move(*at)


def pair(*parts: Part) -> list[Part]:
    """Parts and their mirror images."""
    return [*parts, *(part.mirror() for part in parts)]


def around(part: Part, count: int, start: float = 0.0) -> list[Part]:
    """Copies of a part, turned about y in even steps."""
    return [part.turn(y=start + k * 360 / count) for k in range(count)]


def wheel(
    kit: Kit, radius: float, width: float, at: Place, *, hub: Tint = (0.75, 0.76, 0.78),
    tyre: Tint = DARK,
) -> list[Part]:  # fmt: skip
    """A tyre and its hub, its axle along x."""
    round_ = max(kit.segments, 10)
    return [
        rod_x(radius, width, tyre, at, segments=round_),
        rod_x(0.55 * radius, 1.12 * width, hub, at, segments=round_),
    ]


def cartwheel(
    kit: Kit, radius: float, width: float, color: Tint, at: Place, spokes: int = 8
) -> list[Part]:
    """A wooden wheel with spokes, its axle along x."""
    rim = tube(radius, 0.82 * radius, width, color, (0, -width / 2, 0), segments=14)
    spoke = box((0.1 * radius, 0.85 * radius, 0.6 * width), color)
    parts = [rim.turn(z=90), rod_x(0.2 * radius, 1.5 * width, color)]
    parts += [spoke.turn(y=90).turn(x=k * 360 / spokes) for k in range(spokes)]
    return [part.move(*at) for part in parts]


def flame(height: float, at: Place, color: Tint = FIRE) -> list[Part]:
    """A flame with a bright heart that stands on `at`."""
    lower = cone(0.3 * height, 0.75 * height, color, (0, 0.25 * height, 0), segments=7)
    bulb = sphere(0.3 * height, color, (0, 0.27 * height, 0), segments=7)
    heart = sphere((0.2 * height, 0.3 * height, 0.33 * height), LAMP, (0, 0.25 * height, 0))
    return [part.move(*at) for part in (lower, bulb, heart)]


def pyramid(size: tuple[float, float, float], color: Tint, at: Place = _ORIGIN) -> Part:
    """A pyramid of (width, height, depth) that stands on `at`: roofs."""
    return box(size, color, at, taper=0.001)


def spiral(
    turns: float, radius: tuple[float, float], height: float, steps: int = 40
) -> list[tuple[float, float, float]]:
    """Points of a screw line about y, from the first radius at the foot to the second on top."""
    points = []
    for share in np.linspace(0, 1, steps).tolist():
        reach = radius[0] + (radius[1] - radius[0]) * share
        angle = 2 * np.pi * turns * share
        points.append((reach * float(np.cos(angle)), height * share, reach * float(np.sin(angle))))
    return points


def hull(sections: Sequence[tuple[float, float, float]], depth: float, color: Tint) -> Part:
    """A boat's body along z: sections of (z, half width, height of the edge) from stern to bow."""
    rings = []
    for z, half, edge in sections:
        keel = edge - depth * min(1.0, 0.35 + half)
        rings.append(
            [(-half, edge, z), (-0.75 * half, (edge + keel) / 2, z), (0.0, keel, z),
             (0.75 * half, (edge + keel) / 2, z), (half, edge, z)]
        )  # fmt: skip
    return loft(rings, color)


def gable(width: float, height: float, depth: float, color: Tint) -> Part:
    """A saddle roof on y = 0 whose gables look to the front and back."""
    return prism([(-width / 2, 0), (width / 2, 0), (0, height)], depth, color)


def candle(height: float, radius: float, wax: Tint, at: Place, lit: bool = True) -> list[Part]:
    """A candle that stands on `at`, burning or not."""
    parts = [
        cylinder(radius, height, wax, segments=8),
        cylinder(0.15 * radius + 0.004, 0.25 * radius + 0.02, DARK, (0, height, 0), segments=5),
    ]
    if lit:
        parts += flame(1.6 * radius + 0.05, (0, height + 0.02, 0))
    return [p.move(*at) for p in parts]


def lain(kit: Kit, parts: list[Part]) -> list[Part]:
    """Standing, or lying down as on a bench."""
    return [p.turn(x=-90) for p in parts] if kit.chance(0.4) else parts


def darker(color: Tint, share: float) -> tuple[float, float, float]:
    """A colour that is so much of its brightness: grooves, craters, engravings."""
    r, g, b = color.rgb if isinstance(color, Paint) else color
    return (share * r, share * g, share * b)
