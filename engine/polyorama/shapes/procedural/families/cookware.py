"""Pans, pots, bowls, plates."""

from __future__ import annotations

import numpy as np

from polyorama.shapes.procedural.families.tableware import WARE, vessel
from polyorama.shapes.procedural.family import Drawn, Kit, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    circle,
    cylinder,
    lathe,
    prism,
    sphere,
    sweep,
    torus,
)


def _pan(kit: Kit, radius: float, height: float, words: tuple[str, ...]) -> Drawn:
    color = kit.color("black", "dark grey", "grey", "silver", "red", "bronze", "blue")
    grip = kit.other(color, "black", "brown", "light brown", "dark grey")
    segments = max(10, kit.segments)
    parts = [
        lathe(vessel(radius, radius * 0.85, height, 0.01), color, segments=segments),
        bar(
            (radius * 0.9, height * 0.75, 0),
            (radius * 2.1, height * 0.75 + 0.03, 0),
            0.014 * kit.chunk,
            grip,
            segments=8,
        ),
    ]
    features = ["a long handle"]
    sentences: tuple[str, ...] = ()
    if kit.chance(0.3):
        parts += [
            prism(circle(radius * 0.5, 10), 0.012, (0.97, 0.96, 0.92))
            .turn(x=-90)
            .rough(kit.rng, 0.006)
            .move(y=0.02),
            sphere(
                (radius * 0.2, 0.02, radius * 0.2),
                (0.98, 0.74, 0.16),
                (0, 0.024, 0),
                low=0.5,
                segments=8,
            ),
        ]
        features.append("a fried egg")
        sentences = ("fried egg in a pan",)
    return Drawn(parts, color, "metal", (), tuple(features), words, sentences)


@family("frying pan", "pan", "skillet", kind="cookware")
def _frying_pan(kit: Kit) -> Drawn:
    return _pan(kit, kit.between(0.11, 0.15), 0.04, ("frying pan", "pan"))


@family("saucepan", "small pot", "cooking pot with a handle", kind="cookware")
def _saucepan(kit: Kit) -> Drawn:
    return _pan(kit, 0.1, kit.between(0.09, 0.12), ("saucepan", "pan"))


@family("pot", "cooking pot", "stew pot", "stockpot", "saucepot", kind="cookware")
def _pot(kit: Kit) -> Drawn:
    color = kit.color("grey", "silver", "dark grey", "red", "blue", "black", "orange", "teal")
    knob = kit.other(color, "black", "dark grey", "gold")
    segments = max(10, kit.segments)
    radius, height = kit.between(0.12, 0.15), kit.between(0.12, 0.24)
    parts = [lathe(vessel(radius, radius * 0.93, height, 0.01), color, segments=segments)]
    parts += [
        sweep(
            [
                (s * radius * 0.95, height * 0.75, -0.04),
                (s * (radius + 0.04), height * 0.78, -0.03),
                (s * (radius + 0.04), height * 0.78, 0.03),
                (s * radius * 0.95, height * 0.75, 0.04),
            ],
            0.009 * kit.chunk,
            knob,
        )
        for s in (-1, 1)
    ]
    features = ["two handles"]
    words = ["pot", "cooking pot"]
    sentences: tuple[str, ...] = ()
    if kit.chance(0.5):
        parts += [
            sphere(
                (radius * 1.03, 0.045, radius * 1.03),
                color,
                (0, height, 0),
                low=0.5,
                segments=segments,
            ),
            cylinder(0.012, 0.02, knob, (0, height + 0.04, 0), segments=6),
            sphere(0.02, knob, (0, height + 0.065, 0), segments=6),
        ]
        features.append("a lid")
    elif kit.chance(0.7):
        stew = kit.color("brown", "orange", "red", "green")
        parts.append(cylinder(radius * 0.94, 0.01, stew, (0, height * 0.82, 0), segments=segments))
        bits = [kit.color("orange"), kit.color("green"), kit.color("beige"), kit.color("red")]
        for i in range(9):
            a, r = kit.between(0, 6.28), radius * kit.between(0.1, 0.75)
            parts.append(
                blob(
                    0.02,
                    bits[i % 4],
                    kit.rng,
                    (r * np.cos(a), height * 0.86, r * np.sin(a)),
                    detail=0,
                )
            )
        features.append("vegetables in it")
        words, sentences = ["stew pot", "pot"], ("pot of stew", "soup in a pot")
    return Drawn(
        parts,
        color,
        "metal",
        ("tall",) if height > 0.2 else (),
        tuple(features),
        tuple(words),
        sentences,
    )


@family("pot lid", "lid", "cooking pot lid", "pan lid", kind="cookware")
def _lid(kit: Kit) -> Drawn:
    color = kit.color("grey", "silver", "red", "blue", "dark grey", "light blue")
    knob = kit.other(color, "black", "brown", "gold")
    segments = max(10, kit.segments)
    parts = [
        cylinder(0.14, 0.012, color, segments=segments),
        sphere(
            (0.125, kit.between(0.02, 0.05), 0.125), color, (0, 0.01, 0), low=0.5, segments=segments
        ),
        cylinder(0.012, 0.07, knob, segments=6),
        sphere(0.022 * kit.chunk, knob, (0, 0.075, 0), segments=8),
    ]
    return Drawn(parts, color, "metal", ("round",), (f"a {kit.say(knob, 'knob')}",))


@family("wok", "stir-fry pan", "round-bottomed pan", kind="cookware")
def _wok(kit: Kit) -> Drawn:
    color, grip = kit.color("black", "dark grey", "grey"), kit.color("brown", "light brown")
    profile = [
        (0, 0),
        (0.08, 0.01),
        (0.15, 0.06),
        (0.18, 0.1),
        (0.17, 0.1),
        (0.14, 0.065),
        (0.07, 0.02),
        (0, 0.012),
    ]
    parts = [
        lathe(profile, color, segments=max(12, kit.segments)),
        bar((0.17, 0.09, 0), (0.36, 0.13, 0), 0.014, grip, segments=8),
    ]
    return Drawn(parts, color, "metal", ("round", "deep"), ("a wooden handle",))


@family("bowl", "soup bowl", "cereal bowl", "dish", kind=WARE)
def _bowl(kit: Kit) -> Drawn:
    color = kit.color() if kit.chance(0.7) else kit.wood()
    segments = max(10, kit.segments)
    radius, height = kit.between(0.07, 0.13), kit.between(0.04, 0.08)
    parts = [
        lathe(
            vessel(radius, radius * 0.45, height, 0.006 * kit.chunk, radius * 0.12),
            color,
            segments=segments,
        )
    ]
    full = kit.pick("", "", "soup", "cereal", "rice")
    if full:
        inside = {
            "soup": kit.color("orange", "red", "green", "brown"),
            "cereal": kit.color("light brown"),
            "rice": kit.color("white"),
        }[full]
        heap = 0.035 if full == "rice" else 0.008
        parts.append(
            sphere(
                (radius * 0.92, heap, radius * 0.92),
                inside,
                (0, height * 0.84, 0),
                segments=segments,
                low=0.5,
            )
        )
        if full == "cereal":
            parts += [
                torus(
                    0.009,
                    0.004,
                    kit.color("orange", "red", "yellow"),
                    (
                        kit.between(-0.5, 0.5) * radius,
                        height * 0.84 + 0.008,
                        kit.between(-0.5, 0.5) * radius,
                    ),
                    segments=6,
                    around=4,
                )
                for _ in range(7)
            ]
    return Drawn(
        parts,
        color,
        kit.pick("ceramic", ""),
        ("round",),
        (full,) if full else (),
        ("bowl",),
        (f"bowl of {full}",) if full else ("empty bowl",),
    )


@family("plate", "dinner plate", "dish", "saucer", kind=WARE)
def _plate(kit: Kit) -> Drawn:
    color = kit.color(
        "white", "white", "light blue", "beige", "yellow", "red", "pink", "blue", "green"
    )
    rim = kit.other(color)
    segments = max(12, kit.segments)
    radius = kit.between(0.09, 0.14)
    one = [
        lathe(
            [
                (0, 0),
                (radius * 0.6, 0),
                (radius, 0.018),
                (radius * 0.98, 0.024),
                (radius * 0.6, 0.008),
                (0, 0.008),
            ],
            color,
            segments=segments,
        )
    ]
    features: list[str] = []
    if kit.chance(0.4):
        one.append(torus(radius * 0.98, 0.004, rim, (0, 0.021, 0), segments=segments, around=4))
        features.append(f"a {kit.say(rim, 'rim')}")
    if kit.chance(0.25):
        count = kit.count(3, 6)
        parts = [p.move(y=0.012 * i) for i in range(count) for p in one]
        return Drawn(
            parts, color, "ceramic", ("round",), tuple(features), ("stack of plates", "plates")
        )
    sentences: tuple[str, ...] = ("empty plate",)
    if kit.chance(0.2):
        one += [
            blob(
                (radius * 0.2, 0.004, radius * 0.16),
                kit.color("brown", "orange"),
                kit.rng,
                (kit.between(-0.4, 0.4) * radius, 0.01, kit.between(-0.4, 0.4) * radius),
                detail=0,
            )
            for _ in range(4)
        ]
        sentences = ("dirty plate", "plate with food stains")
    return Drawn(one, color, "ceramic", ("round", "flat"), tuple(features), ("plate",), sentences)
