"""What drives on roads and rails, on wheels or tracks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from polyorama.shapes.procedural.families._forms import (
    DARK,
    GLASS,
    LAMP,
    WHITE,
    cartwheel,
    pair,
    rod_x,
    rod_z,
    side,
    wheel,
)
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    box,
    cone,
    cylinder,
    group,
    prism,
    rounded,
    sphere,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Paint, Part, Place

__all__: list[str] = []

_BRAKE = (0.8, 0.15, 0.13)


def _wheels(kit: Kit, radius: float, track: float, axles: tuple[float, ...]) -> list[Part]:
    """Two wheels on each axle."""
    hub = kit.pick((0.75, 0.76, 0.78), (0.5, 0.5, 0.53), WHITE)
    width = 0.5 * radius + 0.04
    return [
        part
        for z in axles
        for x in (-1.0, 1.0)
        for part in wheel(kit, radius, width, (x * track / 2, radius, z), hub=hub)
    ]


def _lights(width: float, height: float, length: float) -> list[Part]:
    """Two headlights in front, two brake lights behind."""
    front = box((0.18 * width, 0.13, 0.05), LAMP, (0.36 * width, height, length / 2))
    back = box((0.16 * width, 0.1, 0.05), _BRAKE, (0.37 * width, height, -length / 2))
    return pair(front, back)


def _car(
    kit: Kit, paint: Paint, *, length: float, hood: float, deck: float, rear: float = 0.3,
    cab: float = 0.6, bed: bool = False,
) -> tuple[list[Part], Place]:  # fmt: skip
    """A car and the middle of its roof; `hood` and `deck` lie before and behind the cab."""
    width = kit.between(1.6, 1.95)
    radius = kit.between(0.31, 0.38)
    length *= kit.between(0.78, 1.0) if kit.look == "game" else 1.0
    base, belt = 0.7 * radius, 0.7 * radius + kit.between(0.52, 0.66)
    front, back = length / 2 - hood, -length / 2 + deck
    slope = kit.between(0.3, 0.55)
    top = belt + cab
    body = [
        box((width, belt - base, length), paint, (0, base, 0), bevel=kit.pick(0.06, 0.12)),
        box((width * 0.96, 0.14, length + 0.1), DARK, (0, base + 0.02, 0)),
        box((width * 0.4, 0.14, 0.04), DARK, (0, belt - 0.32, length / 2)),
        *_lights(width, belt - 0.3, length),
        *_wheels(kit, radius, width - 0.16, (0.31 * length, -0.31 * length)),
    ]
    glass = [(back, belt), (front, belt), (front - slope, top), (back + rear, top)]
    body.append(side(glass, 0.84 * width, GLASS if kit.chance(0.6) else (0.22, 0.26, 0.32)))
    roof = front - slope - back - rear
    middle = (0.0, top, (front - slope + back + rear) / 2)
    body.append(box((0.86 * width, 0.08, roof + 0.06), paint, (0, top - 0.04, middle[2])))
    x = 0.42 * width
    posts = [((front, belt), (front - slope, top)), ((back, belt), (back + rear, top)),
             ((middle[2], belt), (middle[2], top))]  # fmt: skip
    body += pair(
        *(bar((x, a[1], a[0]), (x, b[1], b[0]), 0.05, paint, segments=4) for a, b in posts)
    )
    if bed:
        hollow = box((0.8 * width, 0.02, deck - 0.2), DARK, (0, belt, back - deck / 2))
        rail = box((0.08, 0.14, deck - 0.06), paint, (0.44 * width, belt, back - deck / 2))
        gate = box((0.9 * width, 0.14, 0.08), paint, (0, belt, -length / 2 + 0.05))
        body += [hollow, gate, *pair(rail)]
    if kit.chance(0.4):
        body += pair(box((0.14, 0.1, 0.08), paint, (width / 2 + 0.06, belt, front - 0.15)))
    return body, middle


@family("car", "automobile", "sedan", "passenger car", kind="vehicle")
def car(kit: Kit) -> Drawn:
    paint = kit.color()
    parts, top = _car(kit, paint, length=4.3, hood=1.2, deck=0.85, rear=0.35)
    features = ["four wheels"]
    if kit.chance(0.2):
        parts += pair(box((0.06, 0.06, 1.0), DARK, (0.5, top[1] + 0.03, top[2])))
        features.append("a roof rack")
    return Drawn(parts, paint, features=tuple(features), words=("car", "sedan"),
                 sentences=("vehicle for a city street",))  # fmt: skip


@family("hatchback", "hatchback car", "small car", "compact car", "car", kind="vehicle")
def hatchback(kit: Kit) -> Drawn:
    paint = kit.color()
    parts, _ = _car(kit, paint, length=3.6, hood=1.0, deck=0.12, rear=kit.between(0.25, 0.6))
    return Drawn(parts, paint, adjectives=("small",), features=("four wheels",))


@family("station wagon", "estate car", "family car", "car", kind="vehicle")
def station_wagon(kit: Kit) -> Drawn:
    paint = kit.color()
    parts, top = _car(kit, paint, length=4.6, hood=1.2, deck=0.08, rear=kit.between(0.05, 0.25))
    rack = kit.chance()
    if rack:
        parts += pair(box((0.06, 0.08, 1.5), DARK, (0.55, top[1] + 0.03, top[2])))
    return Drawn(parts, paint, adjectives=("long",), features=("a roof rack",) if rack else ())


@family("taxi", "cab", "taxi cab", "taxi car", kind="vehicle")
def taxi(kit: Kit) -> Drawn:
    paint = kit.color("yellow", "yellow", "yellow", "black", "white")
    parts, top = _car(kit, paint, length=4.3, hood=1.2, deck=0.85, rear=0.35)
    parts.append(box((0.6, 0.22, 0.25), kit.pick(WHITE, LAMP, DARK), (0, top[1] + 0.02, top[2])))
    if kit.chance():
        parts.append(box((1.98, 0.12, 2.6), DARK, (0, 0.6, 0)))
    return Drawn(parts, paint, features=("a sign on its roof",), sentences=("city taxi car",))


@family("police car", "cop car", "patrol car", "police cruiser", kind="vehicle")
def police_car(kit: Kit) -> Drawn:
    dark = kit.color("black", "dark blue", "blue")
    paint = kit.color("white") if kit.chance(0.5) else dark
    parts, top = _car(kit, paint, length=4.4, hood=1.2, deck=0.85, rear=0.35)
    door = kit.color("white") if paint is dark else dark
    parts.append(box((1.97, 0.36, 1.5), door, (0, 0.42, 0)))
    parts += [box((0.4, 0.14, 0.2), (0.85, 0.12, 0.1), (-0.22, top[1] + 0.03, top[2])),
              box((0.4, 0.14, 0.2), (0.12, 0.25, 0.85), (0.22, top[1] + 0.03, top[2]))]  # fmt: skip
    return Drawn(parts, paint, features=("a siren on its roof", "flashing lights"),
                 sentences=("car of the police",), paints={"doors": door})  # fmt: skip


@family("sports car", "race car", "fast car", "racing car", "car", kind="vehicle")
def sports_car(kit: Kit) -> Drawn:
    paint = kit.color("red", "yellow", "blue", "orange", "black", "white", "green")
    parts, top = _car(kit, paint, length=4.4, hood=1.6, deck=0.6, rear=0.9, cab=0.38)
    parts = [part.scale(1.05, 0.82, 1.0) for part in parts]
    features = []
    if kit.chance(0.65):
        z = -1.85 if kit.look != "game" else -1.6
        parts += [box((1.7, 0.06, 0.35), paint, (0, 1.0, z)),
                  *pair(box((0.06, 0.4, 0.2), DARK, (0.6, 0.65, z)))]  # fmt: skip
        features.append("a rear spoiler")
    if kit.chance(0.4):
        stripe = kit.other(paint, "white", "black")
        parts.append(box((0.3, 0.02, 0.9), stripe, (0, top[1] * 0.82 + 0.03, top[2])))
        features.append(kit.say(stripe, "racing stripe"))
    return Drawn(parts, paint, adjectives=("fast", "low"), features=tuple(features))


@family("pickup truck", "pickup", "pick-up truck", "truck", kind="vehicle")
def pickup(kit: Kit) -> Drawn:
    paint = kit.color()
    parts, _ = _car(kit, paint, length=4.8, hood=1.2, deck=1.9, rear=0.08, bed=True)
    return Drawn(parts, paint, features=("an open cargo bed",))


def _bodywork(kit: Kit, paint: Paint, size: tuple[float, float, float]) -> list[Part]:
    """A van or bus: a tall body on wheels, with a windscreen and lights."""
    width, height, length = size
    base = 0.3
    shape = [(-length / 2, base), (length / 2, base), (length / 2, base + 0.45 * height),
             (length / 2 - kit.between(0.1, 0.3), base + height),
             (-length / 2, base + height)]  # fmt: skip
    pane = box(
        (0.84 * width, 0.32 * height, 0.2), GLASS, (0, base + 0.52 * height, length / 2 - 0.2)
    )
    return [side(shape, width, paint), pane, *_lights(width, base + 0.2, length),
            box((0.96 * width, 0.16, length + 0.12), DARK, (0, base - 0.02, 0)),
            *_wheels(kit, 0.36, width - 0.14, (0.3 * length, -0.3 * length))]  # fmt: skip


@family("van", "minivan", kind="vehicle")
def van(kit: Kit) -> Drawn:
    paint = kit.color()
    length = kit.between(3.6, 4.8)
    parts = _bodywork(kit, paint, (1.8, kit.between(1.5, 2.0), length))
    if kit.chance():
        parts.append(box((1.84, 0.5, 0.8), GLASS, (0, 1.15, length / 2 - 1.0)))
        extra = kit.other(paint)
        parts.append(box((1.83, 0.16, length * 0.96), extra, (0, 0.75, 0)))
        return Drawn(parts, paint, features=(kit.say(extra, "stripe"),))
    parts += [box((1.84, 0.5, 0.7), GLASS, (0, 1.15, z)) for z in (-1.0, 0.0, 1.0)]
    return Drawn(parts, paint, features=("side windows",), words=("van", "camper van"))


@family("bus", "coach", kind="vehicle")
def bus(kit: Kit) -> Drawn:
    kind = kit.pick("city", "school", "double")
    paint = kit.color("yellow", "orange") if kind == "school" else kit.color()
    length, height = kit.between(5.5, 8.0), 3.4 if kind == "double" else kit.between(1.9, 2.3)
    parts = _bodywork(kit, paint, (2.1, height, length))
    count = kit.count(4, 6)
    step = 0.86 * length / count
    for row in (1.25, 2.6)[: 2 if kind == "double" else 1]:
        parts += [
            box((2.14, 0.62, 0.78 * step), GLASS, (0, row, -0.43 * length + (k + 0.5) * step))
            for k in range(count)
        ]
    words = {"city": (), "school": ("bus", "school bus"), "double": ("double-decker bus", "bus")}
    return Drawn(parts, paint, adjectives=("long",), features=("many windows",), words=words[kind])


def _cab(kit: Kit, paint: Paint, z: float) -> list[Part]:
    """A lorry's cab whose back is at z."""
    shape = [(0, 0.45), (1.3, 0.45), (1.3, 1.2), (1.05, 2.1), (0, 2.1)]
    return [
        side(shape, 1.9, paint, (0, 0, z)),
        box((1.6, 0.6, 0.12), GLASS, (0, 1.3, z + 1.13)).turn(),
        box((1.94, 0.55, 0.6), GLASS, (0, 1.3, z + 0.55)),
        box((1.95, 0.25, 0.2), DARK, (0, 0.4, z + 1.25)),
        *pair(box((0.3, 0.18, 0.06), LAMP, (0.65, 0.75, z + 1.3))),
    ]


@family("truck", "lorry", kind="vehicle")
def truck(kit: Kit) -> Drawn:
    paint = kit.color()
    long = kit.between(2.8, 5.0)
    kind = kit.pick("box", "dump", "tank", "flat", "garbage")
    cargo = kit.other(paint, "white", "light grey", "grey", "orange", "green", "yellow", "blue")
    parts = [*_cab(kit, paint, long / 2), box((1.6, 0.2, long + 0.6), DARK, (0, 0.45, 0.2)),
             *_wheels(kit, 0.45, 1.75, (long / 2 + 0.7, -long / 2 + 0.55,
                                        -long / 2 + 1.5))]  # fmt: skip
    words: tuple[str, ...] = ("truck", "lorry")
    if kind == "box":
        parts.append(box((2.0, kit.between(1.7, 2.2), long), cargo, (0, 0.65, -0.1), bevel=0.05))
        words += ("box truck",)
    elif kind == "garbage":
        shape = [(-long / 2 - 0.4, 0.7), (long / 2, 0.7), (long / 2, 2.3), (-long / 2 + 0.5, 2.3)]
        parts += [side(shape, 1.9, cargo), box((1.7, 0.9, 0.1), DARK, (0, 0.7, -long / 2 - 0.4))]
        words = ("garbage truck", "refuse lorry", "trash truck")
    elif kind == "tank":
        parts.append(rod_z(0.85, long, cargo, (0, 1.5, -0.1), segments=max(10, kit.segments)))
        words = ("tanker truck", "tank lorry", "fuel truck")
    else:
        parts.append(box((2.0, 0.12, long), cargo, (0, 0.65, -0.1)))
        high = 0.8 if kind == "dump" else 0.3
        parts += pair(box((0.1, high, long), cargo, (0.95, 0.7, -0.1)))
        parts.append(box((2.0, high, 0.1), cargo, (0, 0.7, -long / 2 - 0.05)))
        words = (
            ("dump truck", "tipper truck", "truck")
            if kind == "dump"
            else ("flatbed truck", "truck")
        )
    return Drawn(parts, paint, features=("six wheels", kit.say(cargo, "cargo area")), words=words,
                 paints={"cargo": cargo})  # fmt: skip


@family("fire engine", "fire truck", "firetruck", "fire brigade truck", kind="vehicle")
def fire_engine(kit: Kit) -> Drawn:
    paint = kit.color("red", "red", "red", "dark red", "orange")
    parts = [*_cab(kit, paint, 1.6), box((1.9, 1.6, 3.4), paint, (0, 0.6, -0.1)),
             box((1.94, 0.2, 3.3), WHITE, (0, 1.0, -0.1)),
             *_wheels(kit, 0.45, 1.75, (2.3, -1.2)),
             box((0.9, 0.16, 0.25), (0.15, 0.3, 0.9), (0, 2.1, 2.1))]  # fmt: skip
    grey = (0.8, 0.8, 0.82)
    parts += pair(box((0.1, 0.1, 3.8), grey, (0.35, 2.35, -0.1)))
    parts += [box((0.7, 0.06, 0.08), grey, (0, 2.36, -1.9 + 0.42 * k)) for k in range(9)]
    parts.append(box((0.5, 0.2, 0.5), DARK, (0, 2.18, -1.0)))
    return Drawn(parts, paint, features=("a ladder on top", "a siren"))


@family("ambulance", "rescue van", "emergency ambulance", "hospital car", kind="vehicle")
def ambulance(kit: Kit) -> Drawn:
    paint = kit.color("white", "white", "yellow")
    cross = kit.color("red", "red", "green", "blue")
    parts = [*_cab(kit, paint, 1.2), box((1.95, 1.85, 2.7), paint, (0, 0.5, -0.1), bevel=0.06),
             *_wheels(kit, 0.4, 1.75, (1.9, -0.9)),
             box((2.0, 0.14, 2.6), cross, (0, 0.75, -0.1))]  # fmt: skip
    parts += [box((2.0, 0.7, 0.22), cross, (0, 1.3, -0.1)),
              box((2.0, 0.22, 0.7), cross, (0, 1.54, -0.1))]  # fmt: skip
    parts.append(box((0.9, 0.16, 0.25), (0.15, 0.3, 0.9), (0, 2.35, 0.9)))
    return Drawn(parts, paint, features=(kit.say(cross, "cross on its side"), "a siren"),
                 paints={"cross": cross})  # fmt: skip


@family("tractor", "farm tractor", "agricultural tractor", kind="vehicle")
def tractor(kit: Kit) -> Drawn:
    paint = kit.color("green", "red", "blue", "orange", "yellow")
    hub = kit.color("yellow", "white", "red")
    parts = [box((0.75, 0.7, 1.6), paint, (0, 0.75, 0.7), bevel=0.08),
             box((0.9, 0.5, 1.0), DARK, (0, 0.6, -0.5)),
             cylinder(0.06, 0.7, DARK, (0.2, 1.4, 0.9), segments=6)]  # fmt: skip
    for x in (-1.0, 1.0):
        parts += wheel(kit, 0.8, 0.45, (x * 0.75, 0.8, -0.5), hub=hub)
        parts += wheel(kit, 0.42, 0.3, (x * 0.62, 0.42, 1.15), hub=hub)
    if kit.chance(0.65):
        parts += [box((1.0, 0.85, 0.9), GLASS, (0, 1.35, -0.35)),
                  box((1.15, 0.1, 1.1), paint, (0, 2.2, -0.35))]  # fmt: skip
        cab = "a cab"
    else:
        parts += [box((0.5, 0.12, 0.5), DARK, (0, 1.3, -0.6)),
                  box((0.5, 0.5, 0.1), DARK, (0, 1.3, -0.85)),
                  torus(0.2, 0.03, DARK).turn(x=60).move(0, 1.65, -0.1)]  # fmt: skip
        cab = "an open seat"
    return Drawn(parts, paint, features=("big rear wheels", cab, kit.say(hub, "hubs")))


@family("tank", "battle tank", "army tank", "armoured vehicle", kind="military vehicle")
def tank(kit: Kit) -> Drawn:
    paint = kit.color("green", "dark green", "beige", "grey", "light brown", "dark grey")
    profile = [(-1.7, 0.15), (1.6, 0.15), (2.0, 0.5), (1.7, 0.8), (-1.8, 0.8), (-2.0, 0.5)]
    track = side(profile, 0.5, DARK).move(0.95)
    rollers = [rod_x(0.22, 0.55, paint, (0.95, 0.42, z)) for z in (-1.3, -0.65, 0.0, 0.65, 1.3)]
    turret = kit.pick(
        box((1.3, 0.5, 1.5), paint, (0, 1.0, -0.2), taper=0.75),
        sphere((0.8, 0.6, 0.9), paint, (0, 1.0, -0.2), low=0.5, segments=max(8, kit.segments)),
    )
    parts = [*pair(track, *rollers), box((1.7, 0.5, 3.5), paint, (0, 0.55, 0), bevel=0.1), turret,
             rod_z(0.1 * kit.chunk, 2.0, paint, (0, 1.25, 1.4)),
             rod_z(0.15 * kit.chunk, 0.25, paint, (0, 1.25, 2.4)),
             cylinder(0.22, 0.08, DARK, (0.2, 1.5, -0.3))]  # fmt: skip
    return Drawn(parts, paint, material="metal", features=("tracks", "a long gun", "a turret"))


@family("locomotive", "steam locomotive", "train engine", "train", "steam train", kind="vehicle")
def locomotive(kit: Kit) -> Drawn:
    paint = kit.color("black", "red", "dark green", "blue", "green")
    trim = kit.other(paint, "red", "gold", "yellow")
    segments = max(10, kit.segments)
    parts = [box((1.2, 0.25, 4.0), trim, (0, 0.6, 0)),
             rod_z(0.55, 2.6, paint, (0, 1.4, 0.6), segments=segments),
             rod_z(0.58, 0.15, trim, (0, 1.4, 1.9), segments=segments),
             cylinder(0.17, 0.7, paint, (0, 1.85, 1.5), top=kit.between(0.15, 0.3)),
             sphere(0.22, trim, (0, 1.95, 0.6)), box((1.3, 1.5, 1.2), paint, (0, 0.85, -1.3)),
             box((1.32, 0.5, 0.6), GLASS, (0, 1.65, -1.3)),
             box((1.5, 0.1, 1.5), trim, (0, 2.35, -1.3)),
             box((1.0, 0.4, 0.5), DARK, (0, 0.15, 2.0)).taper(0.4)]  # fmt: skip
    for z, radius in ((-1.4, 0.5), (-0.3, 0.5), (0.7, 0.4), (1.5, 0.3)):
        parts += pair(rod_x(radius, 0.14, trim, (0.55, radius, z), segments=12))
    return Drawn(parts, paint, features=("a chimney", kit.say(trim, "wheels"), "a boiler"),
                 paints={"wheels": trim})  # fmt: skip


@family("train car", "rail car", kind="vehicle")
def train_car(kit: Kit) -> Drawn:
    paint = kit.color()
    long = kit.between(3.5, 6.0)
    freight = kit.chance(0.4)
    parts = [box((1.6, 1.5, long), paint, (0, 0.6, 0), bevel=0.06),
             box((1.3, 0.25, long), DARK, (0, 0.4, 0)),
             side([(-long / 2, 0), (long / 2, 0), (long / 2 - 0.3, 0.25), (0.3 - long / 2, 0.25)],
                  1.4,
                  kit.other(paint), (0, 2.1, 0))]  # fmt: skip
    for z in (-0.38, -0.25, 0.25, 0.38):
        parts += pair(rod_x(0.28, 0.12, DARK, (0.6, 0.28, z * long), segments=10))
    if freight:
        parts.append(
            box((1.64, 1.2, 0.25 * long), kit.other(paint, "dark grey", "brown"), (0, 0.7, 0))
        )
        return Drawn(
            parts,
            paint,
            features=("a sliding door",),
            words=("freight wagon", "boxcar", "train wagon"),
        )
    parts += [
        box((1.64, 0.6, 0.09 * long), GLASS, (0, 1.25, (k - 2.5) * 0.15 * long)) for k in range(6)
    ]
    return Drawn(
        parts, paint, features=("a row of windows",), words=("passenger train car", "tram")
    )


@family("bicycle", "bike", "push bike", "cycle", kind="vehicle")
def bicycle(kit: Kit) -> Drawn:
    paint = kit.color()
    thick = 0.03 * kit.chunk
    rear, front, seat, head, crank = (
        (0, 0.35, -0.55), (0, 0.35, 0.55), (0, 0.85, -0.2), (0, 0.85, 0.38),
        (0, 0.35, -0.05))  # fmt: skip
    frame = [(rear, seat), (rear, crank), (crank, seat), (crank, head), (seat, head), (front, head)]
    parts = [bar(a, b, thick, paint) for a, b in frame]
    for at in (rear, front):
        parts.append(
            torus(0.33, 0.035 * kit.chunk, DARK, segments=16, around=5).turn(z=90).move(*at)
        )
        parts += [box((0.012, 0.64, 0.012), (0.7, 0.7, 0.72),
                      (0, -0.32, 0)).turn(x=k * 30).move(*at)
                  for k in range(6)]  # fmt: skip
    parts += [bar(seat, (0, 0.95, -0.23), thick, DARK),
              box((0.14, 0.06, 0.28), DARK, (0, 0.95, -0.23)),
              bar(head, (0, 1.0, 0.34), thick, DARK), rod_x(thick, 0.55, DARK, (0, 1.0, 0.34)),
              rod_x(thick, 0.3, DARK, (0, 0.35, -0.05)),
              rod_x(0.09, 0.03, DARK, (0.04, 0.35, -0.05))]  # fmt: skip
    features = ["two wheels", "handlebars"]
    if kit.chance(0.35):
        parts.append(box((0.32, 0.22, 0.26), kit.color("brown", "light brown"), (0, 0.85, 0.55)))
        features.append("a basket")
    return Drawn(parts, paint, features=tuple(features))


@family("motorcycle", "motorbike", "motor scooter", kind="vehicle")
def motorcycle(kit: Kit) -> Drawn:
    paint = kit.color("red", "black", "blue", "green", "orange", "yellow")
    parts = [p for z in (-0.65, 0.7) for p in wheel(kit, 0.34, 0.18, (0, 0.34, z))]
    tank_ = sphere((0.2, 0.18, 0.32), paint, (0, 0.85, 0.15))
    parts += [tank_, box((0.3, 0.35, 0.5), (0.4, 0.4, 0.43), (0, 0.35, 0.02)),
              side([(-0.8, 0.72), (-0.1, 0.68), (-0.1, 0.82), (-0.8, 0.92)], 0.28, DARK),
              side([(-0.95, 0.68), (-0.3, 0.6), (-0.3, 0.7), (-0.95, 0.76)], 0.22, paint),
              rod_x(0.035, 0.75, DARK, (0, 1.08, 0.35)), sphere(0.13, LAMP, (0, 0.95, 0.52)),
              rod_z(0.06, 0.9, (0.75, 0.75, 0.78), (0.2, 0.35, -0.4)),
              *pair(bar((0.12, 0.34, 0.7), (0.12, 1.08, 0.35), 0.04,
                        (0.7, 0.7, 0.73)))]  # fmt: skip
    return Drawn(parts, paint, features=("two wheels", "handlebars", "an exhaust pipe"))


@family("wheelbarrow", "barrow", "garden wheelbarrow", kind="tool")
def wheelbarrow(kit: Kit) -> Drawn:
    paint, wood = kit.color("red", "green", "blue", "grey", "brown"), kit.wood()
    tray = box((0.5, 0.32, 0.6), paint, (0, 0.42, 0.05), taper=1.4)
    dirt = box((0.58, 0.04, 0.7), kit.color("dark brown", "brown"), (0, 0.71, 0.05))
    parts = [tray, dirt, *wheel(kit, 0.2, 0.1, (0, 0.2, 0.55)),
             *pair(bar((0.08, 0.22, 0.55), (0.28, 0.5, -0.85), 0.03, wood, segments=4),
                   bar((0.22, 0.42, -0.2), (0.24, 0.0, -0.28), 0.03, wood,
                       segments=4))]  # fmt: skip
    return Drawn(parts, paint, features=("one wheel", "two handles", "two legs"))


@family("cart", "wooden cart", kind="vehicle")
def cart(kit: Kit) -> Drawn:
    wood, rim = kit.wood(), kit.wood()
    four = kit.chance(0.5)
    long, radius = (2.0 if four else 1.3), kit.between(0.4, 0.6)
    axles = (-0.32 * long, 0.32 * long) if four else (0.0,)
    parts = [box((1.0, 0.08, long), wood, (0, radius + 0.08, 0))]
    parts += pair(box((0.06, 0.35, long), wood, (0.5, radius + 0.12, 0)))
    parts += [box((1.0, 0.35, 0.06), wood, (0, radius + 0.12, z * long / 2)) for z in (-1, 1)]
    for z in axles:
        for x in (-0.62, 0.62):
            parts += cartwheel(kit, radius, 0.09, rim, (x, radius, z))
        parts.append(rod_x(0.05, 1.2, rim, (0, radius, z)))
    parts += pair(
        bar((0.35, radius + 0.1, long / 2), (0.25, radius - 0.1, long / 2 + 0.9), 0.04, wood)
    )
    features = ["four wheels" if four else "two wheels"]
    words: tuple[str, ...] = ("wagon", "cart") if four else ("cart",)
    if four and kit.chance(0.5):
        cover = rod_z(0.62, long, kit.color("white", "beige"), (0, radius + 0.45, 0), segments=10)
        parts.append(cover)
        features.append("a canvas cover")
        words = ("covered wagon", "wagon", "cart")
    elif kit.chance(0.5):
        load = kit.color("yellow", "beige", "brown")
        parts += [sphere((0.45, 0.35, 0.42 * long), load, (0, radius + 0.3, 0))]
        features.append("hay")
    return Drawn(parts, wood, material="wooden", features=tuple(features), words=words)


@family("wheel", kind="part")
def a_wheel(kit: Kit) -> Drawn:
    if kit.chance():
        wood = kit.wood()
        spokes = kit.pick(6, 8, 10)
        parts = cartwheel(kit, 0.5, 0.1 * kit.chunk, wood, (0, 0.5, 0), spokes)
        return Drawn([group(parts)], wood, material="wooden", adjectives=("round",),
                     features=(f"{spokes} spokes",),
                     words=("wheel", "cart wheel", "wagon wheel"))  # fmt: skip
    hub = kit.color("silver", "grey", "white", "red")
    parts = [torus(0.38, 0.14, DARK, segments=18, around=8).turn(z=90),
             rod_x(0.27, 0.16, hub, segments=14), rod_x(0.08, 0.2, DARK)]  # fmt: skip
    parts += [rod_x(0.03, 0.2, DARK, (0, 0.15, 0)).turn(x=k * 72) for k in range(5)]
    return Drawn(parts, adjectives=("round",), features=("a rubber tyre", kit.say(hub, "rim")),
                 words=("wheel", "car wheel", "tyre", "tire"))  # fmt: skip


@family("excavator", "digger", "backhoe", "construction vehicle", kind="vehicle")
def excavator(kit: Kit) -> Drawn:
    paint = kit.color("yellow", "orange", "yellow", "green")
    track = side(rounded(2.2, 0.5, 0.24), 0.4, DARK, (0.6, 0.25, 0))
    joints = [(0.3, 0.9, 0.5), (0.3, 2.1, 1.3), (0.3, 1.3, 2.4)]
    parts = [*pair(track), cylinder(0.5, 0.2, DARK, (0, 0.45, 0)),
             box((1.4, 0.7, 1.6), paint, (0, 0.6, -0.3)),
             box((0.6, 0.9, 0.8), GLASS, (-0.35, 1.25, 0.1)),
             box((0.65, 0.08, 0.85), paint, (-0.35, 2.1, 0.1)),
             *(bar(a, b, 0.13, paint, segments=4) for a,
               b in itertools.pairwise(joints)),
             side([(0, 0), (0.5, 0.1), (0.35, -0.5), (-0.1, -0.4)], 0.6, (0.4, 0.4, 0.42),
                  (0.3, 1.3, 2.2))]  # fmt: skip
    return Drawn(parts, paint, features=("a digging arm", "a bucket", "tracks"))


@family("traffic cone", "road cone", "safety cone", "pylon", kind="prop")
def traffic_cone(kit: Kit) -> Drawn:
    paint = kit.color("orange", "orange", "red")
    height, foot = kit.between(0.5, 0.8), kit.pick("square", "round")
    parts = [cone(0.2, height, paint, (0, 0.04, 0), segments=max(8, kit.segments))]
    parts.append(box((0.5, 0.05, 0.5), paint) if foot == "square" else cylinder(0.26, 0.05, DARK))
    bands = kit.count(1, 2)
    for y in (0.35, 0.6)[:bands]:
        low, high = 0.205 * (1 - y), 0.205 * (1 - y - 0.14)
        parts.append(cylinder(low, 0.14 * height, WHITE, (0, 0.04 + y * height, 0), top=high))
    return Drawn(
        parts, paint, material="plastic", features=("reflective stripes", f"a {foot} base")
    )


@family("sleigh", "sled", "sledge", kind="vehicle")
def sleigh(kit: Kit) -> Drawn:
    paint, trim = (
        kit.color("red", "green", "brown", "dark red"),
        kit.color("gold", "yellow", "white"),
    )
    simple = kit.chance(0.4)
    line = [(0, 0.05, -0.9), (0, 0.03, 0.6), (0, 0.1, 0.9), (0, 0.3, 1.02), (0, 0.42, 0.92)]
    runner = group([bar(a, b, 0.035, trim) for a, b in itertools.pairwise(line)]).move(0.35)
    legs = [bar((0.35, 0.05, z), (0.35, 0.3, z), 0.03, trim) for z in (-0.6, 0.0, 0.5)]
    parts = pair(runner, *legs)
    if simple:
        wood = kit.wood()
        parts += [box((0.14, 0.04, 1.6), wood, (x, 0.3, -0.1)) for x in (-0.32, -0.11, 0.11, 0.32)]
        return Drawn(
            parts,
            wood,
            material="wooden",
            features=("runners",),
            words=("sled", "sledge", "toboggan"),
        )
    body = [
        (-0.95, 0.3),
        (0.7, 0.3),
        (0.95, 0.75),
        (0.75, 0.75),
        (0.45, 0.55),
        (-0.45, 0.55),
        (-0.75, 1.1),
        (-1.0, 1.1),
    ]
    parts += [side(body, 0.85, paint), box((0.8, 0.05, 0.4), trim, (0, 0.56, -0.3))]
    return Drawn(parts, paint, features=("curved runners", kit.say(trim, "trim")),
                 sentences=("christmas sleigh of santa claus",))  # fmt: skip


def _badge(outline: list[tuple[float, float]], color: Paint) -> Part:
    return prism(outline, 0.03, color)


@family("road sign", "traffic sign", kind="prop")
def road_sign(kit: Kit) -> Drawn:
    paint = kit.color("red", "blue", "yellow", "green", "white")
    form, count = kit.pick(("round", 16), ("triangular", 3), ("octagonal", 8), ("square", 4))
    angles = np.pi / 2 + (np.arange(count) + (0.5 if count in (4, 8) else 0)) * 2 * np.pi / count
    ring = [(0.35 * float(np.cos(a)), 0.35 * float(np.sin(a))) for a in angles]
    inner = [(0.8 * x, 0.8 * y) for x, y in ring]
    post = cylinder(0.035 * kit.chunk, 1.9, kit.metal(), segments=6)
    face = kit.other(paint, "white", "yellow", "red")
    parts = [post, _badge(ring, paint).move(0, 1.75, 0.04), _badge(inner, face).move(0, 1.75, 0.06)]
    words = (
        ("stop sign", "road sign", "traffic sign") if count == 8 else ("road sign", "traffic sign")
    )
    return Drawn(
        parts, paint, material="metal", adjectives=(form,), features=("a metal post",), words=words
    )
