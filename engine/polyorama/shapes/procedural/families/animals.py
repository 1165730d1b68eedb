"""Animals on four legs, birds, and what swims and crawls."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import DARK, WHITE, pair
from polyorama.shapes.procedural.family import Drawn, family
from polyorama.shapes.procedural.solids import (
    bar,
    blob,
    box,
    cone,
    cylinder,
    sphere,
    sweep,
    torus,
)

if TYPE_CHECKING:
    from polyorama.shapes.procedural.family import Kit
    from polyorama.shapes.procedural.solids import Part, Tint

__all__: list[str] = []

_KIND = "animal"
_PINK = (0.9, 0.62, 0.62)


@dataclass(frozen=True, slots=True)
class _Build:
    """Measures of an animal on four legs, about a metre long.

    Parameters
    ----------
    legs, thick
        Length and radius of legs.
    body
        Half width, half height and half length of the trunk.
    neck, rise
        Length of the neck, and how steeply it goes up, 0..1.
    head, snout
        Size of the head, and length of the snout over it.
    tail, droop
        Length of the tail, and how far its tip goes up or down.
    ears
        "pointed", "round", "floppy", "long" or "none".
    """

    legs: float = 0.4
    thick: float = 0.06
    body: tuple[float, float, float] = (0.18, 0.2, 0.42)
    neck: float = 0.22
    rise: float = 0.7
    head: float = 0.16
    snout: float = 0.9
    tail: float = 0.3
    droop: float = 0.1
    ears: str = "pointed"


def _trunk(kit: Kit, build: _Build, coat: Tint) -> Part:
    """Round in fine shapes, a bevelled block in chunky ones."""
    half, high, long = build.body
    y = build.legs + 0.75 * high
    if kit.segments <= 8:
        return box((2 * half, 1.8 * high, 2 * long), coat, (0, y - 0.9 * high, 0), bevel=0.3 * half)
    return sphere((half, high, long * 1.12), coat, (0, y, 0), segments=kit.segments)


def _ears(build: _Build, coat: Tint) -> list[Part]:
    """Ears on a head about the origin."""
    size = build.head
    if build.ears == "pointed":
        return pair(cone(0.32 * size, 0.75 * size, coat, (0.5 * size, 0.65 * size, 0), segments=5))
    if build.ears == "round":
        return pair(sphere(0.36 * size, coat, (0.65 * size, 0.75 * size, 0), segments=7))
    if build.ears == "floppy":
        return pair(box((0.2 * size, 0.9 * size, 0.5 * size), coat, (0.9 * size, -0.3 * size, 0)))
    if build.ears == "long":
        return pair(
            sphere((0.2 * size, 0.9 * size, 0.15 * size), coat, (0.4 * size, 1.4 * size, 0))
        )
    return []


def _head(kit: Kit, build: _Build, coat: Tint, muzzle: Tint) -> list[Part]:
    """A head about the origin that looks along +z."""
    size = build.head
    reach = size * (0.7 + 0.5 * build.snout)
    skull = (
        box((1.7 * size, 1.6 * size, 1.7 * size), coat, (0, -0.8 * size, 0), bevel=0.3 * size)
        if kit.segments <= 8
        else sphere((0.95 * size, 0.95 * size, 1.05 * size), coat, segments=kit.segments)
    )
    snout = box(
        (1.0 * size, 0.8 * size, build.snout * size + 0.5 * size), muzzle,
        (0, -0.65 * size, reach * 0.75), bevel=0.15 * size, taper=0.85,
    )  # fmt: skip
    tip = reach * 0.75 + (build.snout * size + 0.5 * size) / 2
    nose = box((0.4 * size, 0.25 * size, 0.1 * size), DARK, (0, -0.1 * size, tip))
    eye = sphere(0.15 * size, DARK, (0.62 * size, 0.28 * size, 0.82 * size), segments=6)
    return [skull, snout, nose, *pair(eye), *_ears(build, coat)]


def _quadruped(
    kit: Kit, build: _Build, coat: Tint, *, muzzle: Tint | None = None, feet: Tint | None = None,
    on_head: tuple[Part, ...] = (),
) -> list[Part]:  # fmt: skip
    """An animal on four legs; `on_head` are parts about the middle of its head."""
    wide = kit.between(0.88, 1.15)
    build = replace(
        build, legs=build.legs * kit.between(0.85, 1.15), head=build.head * kit.between(0.9, 1.2),
        thick=build.thick * kit.chunk, tail=build.tail * kit.between(0.8, 1.2),
        body=(build.body[0] * wide, build.body[1] * wide, build.body[2]),
    )  # fmt: skip
    half, high, long = build.body
    parts = [_trunk(kit, build, coat)]
    for z in (0.72 * long, -0.72 * long):
        stride = z + kit.between(-0.05, 0.05)
        leg = cylinder(build.thick * 0.8, build.legs + 0.5 * high, coat, (0.62 * half, 0, stride),
                       top=build.thick * 1.25, segments=7)  # fmt: skip
        hoof = cylinder(build.thick, 0.14 * build.legs, feet or coat, (0.62 * half, 0, stride))
        parts += pair(leg, hoof)
    shoulder = (0.0, build.legs + 1.1 * high, 0.75 * long)
    level = max(0.0, 1 - build.rise)
    face = (0.0, shoulder[1] + build.neck * build.rise, shoulder[2] + build.neck * (0.5 + level))
    parts.append(bar(shoulder, face, 0.65 * half, coat, top=0.7 * build.head, segments=7))
    head = [*_head(kit, build, coat, muzzle or coat), *on_head]
    parts += [p.move(*face) for p in head]
    rump = (0.0, build.legs + 1.2 * high, -0.98 * long)
    if build.tail > 0:
        tip = (0.0, rump[1] + build.droop, rump[2] - build.tail)
        middle = (0.0, rump[1] + 0.25 * build.droop, rump[2] - 0.55 * build.tail)
        parts.append(
            sweep(
                [rump, middle, tip], [0.3 * build.head, 0.25 * build.head, 0.12 * build.head], coat
            )
        )
    return parts


@family("dog", "puppy", "hound", "pet dog", kind=_KIND)
def dog(kit: Kit) -> Drawn:
    coat = kit.color("brown", "light brown", "white", "black", "grey", "beige", "orange")
    ears = kit.pick("floppy", "pointed", "floppy")
    build = _Build(legs=kit.between(0.22, 0.4), ears=ears, tail=0.28, droop=0.2)
    parts = _quadruped(kit, build, coat, muzzle=kit.pick(coat, kit.color("white", "beige")))
    features = [f"{ears} ears", "a tail"]
    if kit.chance(0.4):
        collar = kit.color("red", "blue", "green")
        parts.append(torus(0.13, 0.03, collar).turn(x=35).move(0, build.legs + 0.36, 0.42))
        features.append(kit.say(collar, "collar"))
    return Drawn(parts, coat, features=tuple(features), sentences=("man's best friend",))


@family("cat", "kitten", "kitty", "pet cat", kind=_KIND)
def cat(kit: Kit) -> Drawn:
    coat = kit.color("orange", "grey", "black", "white", "brown", "beige")
    build = _Build(legs=0.28, thick=0.045, body=(0.13, 0.15, 0.34), neck=0.14, head=0.15,
                   snout=0.15,
                   tail=0.35, droop=0.35)  # fmt: skip
    return Drawn(_quadruped(kit, build, coat, muzzle=kit.color("white", "pink")), coat,
                 features=("pointed ears", "a long tail"))  # fmt: skip


@family("fox", "red fox", "wild fox", kind=_KIND)
def fox(kit: Kit) -> Drawn:
    coat, white = kit.color("orange", "orange", "red", "white"), kit.color("white")
    build = _Build(
        legs=0.3, thick=0.04, body=(0.13, 0.15, 0.38), neck=0.16, head=0.15, snout=1.1, tail=0.0
    )
    parts = _quadruped(kit, build, coat, muzzle=white, feet=DARK)
    parts += [
        sphere((0.1, 0.1, 0.24), coat, (0, 0.5, -0.58)),
        sphere((0.06, 0.06, 0.1), white, (0, 0.5, -0.78)),
    ]
    return Drawn(parts, coat, features=("a bushy tail", "pointed ears"))


@family("wolf", "grey wolf", "wild dog", kind=_KIND)
def wolf(kit: Kit) -> Drawn:
    coat = kit.color("grey", "dark grey", "light grey", "black", "white")
    build = _Build(
        legs=0.42, body=(0.17, 0.2, 0.44), neck=0.25, head=0.17, snout=1.1, tail=0.4, droop=-0.15
    )
    return Drawn(_quadruped(kit, build, coat, muzzle=kit.color("light grey", "white")), coat,
                 adjectives=("wild",), features=("pointed ears", "a long snout"))  # fmt: skip


@family("cow", "cattle", "dairy cow", "farm cow", kind="farm animal")
def cow(kit: Kit) -> Drawn:
    coat = kit.color("white", "brown", "black", "light brown")
    spots, horn = kit.other(coat, "black", "brown", "white"), kit.color("beige", "white")
    build = _Build(legs=0.4, thick=0.07, body=(0.25, 0.26, 0.52), neck=0.22, rise=0.5, head=0.17,
                   snout=0.9,
                   tail=0.15, droop=-0.4, ears="floppy")  # fmt: skip
    horns = pair(bar((0.1, 0.12, 0), (0.22, 0.28, 0), 0.04, horn, top=0.01))
    parts = _quadruped(kit, build, coat, muzzle=_PINK, feet=DARK, on_head=tuple(horns))
    for _ in range(4):
        at = (kit.pick(-1, 1) * 0.2, 0.55 + kit.between(-0.05, 0.15), kit.between(-0.35, 0.3))
        parts.append(blob((0.08, 0.12, 0.13), spots, kit.rng, at))
    parts.append(sphere(0.1, _PINK, (0, 0.4, -0.25)))
    return Drawn(parts, coat, features=(kit.say(spots, "spots"), "horns", "an udder"))


@family("bull", "ox", "buffalo", "bison", kind=_KIND)
def bull(kit: Kit) -> Drawn:
    coat = kit.color("dark brown", "brown", "black")
    build = _Build(legs=0.36, thick=0.08, body=(0.29, 0.33, 0.54), neck=0.18, rise=0.2, head=0.2,
                   snout=0.8,
                   tail=0.12, droop=-0.4, ears="floppy")  # fmt: skip
    line = [(0.12, 0.12, 0), (0.3, 0.14, 0.02), (0.38, 0.32, 0.06)]
    horn = sweep(line, [0.06, 0.05, 0.01], WHITE)
    return Drawn(_quadruped(kit, build, coat, feet=DARK, on_head=tuple(pair(horn))), coat,
                 adjectives=("strong",), features=("two horns", "a heavy body"))  # fmt: skip


@family("horse", kind=_KIND)
def horse(kit: Kit) -> Drawn:
    coat = kit.color("brown", "dark brown", "white", "black", "light brown", "grey")
    mane = kit.other(coat, "black", "dark brown", "white", "beige")
    unicorn = kit.chance(0.15)
    build = _Build(legs=0.62, thick=0.055, body=(0.2, 0.23, 0.48), neck=0.46, rise=0.95, head=0.15,
                   snout=1.7,
                   tail=0.0)  # fmt: skip
    extra = [cone(0.03, 0.35, kit.color("gold"), (0, 0.12, 0.08)).turn(x=20)] if unicorn else []
    parts = _quadruped(kit, build, coat, feet=DARK, on_head=tuple(extra))
    parts += [bar((0, 0.85, 0.3), (0, 1.38, 0.52), 0.08, mane, segments=4),
              sphere((0.08, 0.12, 0.1), mane, (0, 1.4, 0.6)),
              sweep([(0, 0.92, -0.46), (0, 0.85, -0.62), (0, 0.4, -0.68)], [0.05, 0.09, 0.03],
                    mane)]  # fmt: skip
    features = [kit.say(mane, "mane"), "long legs"]
    if unicorn:
        return Drawn(parts, coat, features=("a horn", *features), words=("unicorn", "magic horse"))
    if kit.chance(0.3):
        saddle = kit.color("brown", "red", "black")
        parts.append(box((0.46, 0.1, 0.32), saddle, (0, 0.98, 0), bevel=0.04))
        features.append(kit.say(saddle, "saddle"))
    return Drawn(parts, coat, features=tuple(features))


@family("pig", "piglet", "hog", "swine", kind="farm animal")
def pig(kit: Kit) -> Drawn:
    coat = kit.color("pink", "pink", "beige", "dark grey", "brown")
    build = _Build(
        legs=0.18,
        thick=0.07,
        body=(0.25, 0.25, 0.42),
        neck=0.08,
        rise=0.4,
        head=0.2,
        snout=0.25,
        tail=0.0,
    )
    parts = _quadruped(kit, build, coat, feet=DARK)
    parts.append(torus(0.05, 0.018, coat).turn(z=90).move(0, 0.5, -0.45))
    return Drawn(
        parts, coat, adjectives=("fat", "chubby"), features=("a curly tail", "a flat snout")
    )


@family("sheep", "lamb", "ewe", "woolly sheep", kind="farm animal")
def sheep(kit: Kit) -> Drawn:
    wool, face = (
        kit.color("white", "beige", "light grey", "black"),
        kit.color("black", "dark grey", "beige"),
    )
    build = _Build(
        legs=0.28,
        thick=0.05,
        body=(0.22, 0.22, 0.34),
        neck=0.12,
        head=0.13,
        snout=0.7,
        tail=0.0,
        ears="floppy",
    )
    parts = _quadruped(kit, build, face)
    parts.append(
        blob((0.33, 0.32, 0.46), wool, kit.rng, (0, 0.5, -0.02), rough=0.1, detail=kit.pick(1, 2))
    )
    parts.append(blob(0.13, wool, kit.rng, (0, 0.72, 0.42)))
    return Drawn(
        parts, wool, adjectives=("fluffy", "woolly"), features=(kit.say(face, "face"), "thick wool")
    )


@family("goat", "billy goat", "mountain goat", kind="farm animal")
def goat(kit: Kit) -> Drawn:
    coat, horn = kit.color("white", "beige", "brown", "grey"), kit.color("dark grey", "beige")
    build = _Build(legs=0.38, thick=0.05, body=(0.18, 0.2, 0.38), neck=0.26, head=0.13, snout=1.0,
                   tail=0.12,
                   droop=0.12, ears="floppy")  # fmt: skip
    line = [(0.06, 0.1, 0), (0.1, 0.28, -0.06), (0.14, 0.3, -0.2)]
    extra = [
        *pair(sweep(line, [0.04, 0.035, 0.01], horn)),
        cone(0.05, 0.16, coat).turn(x=180).move(0, -0.1, 0.16),
    ]
    return Drawn(_quadruped(kit, build, coat, feet=DARK, on_head=tuple(extra)), coat,
                 features=("curved horns", "a beard"))  # fmt: skip


@family("deer", "stag", "reindeer", "elk", kind=_KIND)
def deer(kit: Kit) -> Drawn:
    coat, horn = kit.color("brown", "light brown", "orange"), kit.color("beige", "dark brown")
    build = _Build(legs=0.58, thick=0.04, body=(0.16, 0.19, 0.4), neck=0.38, rise=0.95, head=0.13,
                   snout=1.1,
                   tail=0.08, droop=0.08)  # fmt: skip
    extra: list[Part] = []
    antlers = kit.chance(0.75)
    if antlers:
        stem = sweep(
            [(0.05, 0.1, 0), (0.18, 0.3, -0.05), (0.16, 0.55, 0)], [0.03, 0.025, 0.012], horn
        )
        tine = bar((0.16, 0.28, -0.03), (0.3, 0.45, 0.05), 0.022, horn, top=0.008)
        low = bar((0.1, 0.18, 0), (0.12, 0.3, 0.14), 0.02, horn, top=0.008)
        extra = pair(stem, tine, low)
    if kit.chance(0.3):
        extra.append(sphere(0.05, (0.85, 0.1, 0.1), (0, -0.03, 0.3)))
    return Drawn(_quadruped(kit, build, coat, muzzle=kit.color("beige", "white"), feet=DARK,
                            on_head=tuple(extra)),
                 coat, features=("antlers",) if antlers else ("no antlers",))  # fmt: skip


@family("bear", "grizzly bear", "brown bear", kind=_KIND)
def bear(kit: Kit) -> Drawn:
    coat = kit.color("brown", "dark brown", "black", "white", "white")
    build = _Build(legs=0.3, thick=0.1, body=(0.3, 0.32, 0.52), neck=0.16, rise=0.5, head=0.22,
                   snout=0.6,
                   tail=0.06, ears="round")  # fmt: skip
    words = ("polar bear", "bear") if coat.name == "white" else ()
    return Drawn(_quadruped(kit, build, coat, muzzle=kit.color("beige", "light brown")), coat,
                 adjectives=("big", "heavy"), features=("round ears", "thick legs"),
                 words=words)  # fmt: skip


@family("panda", "panda bear", "giant panda", kind=_KIND)
def panda(kit: Kit) -> Drawn:
    white = kit.color("white")
    build = _Build(
        legs=0.26,
        thick=0.1,
        body=(0.28, 0.3, 0.44),
        neck=0.12,
        rise=0.5,
        head=0.22,
        snout=0.35,
        tail=0.0,
        ears="none",
    )
    dark = [
        sphere(0.08, DARK, (0.15, 0.18, 0)),
        sphere((0.08, 0.09, 0.05), DARK, (0.12, 0.04, 0.18)),
    ]
    parts = _quadruped(kit, build, white, on_head=tuple(pair(*dark)))
    parts += pair(*(cylinder(0.11, 0.4, DARK, (0.18, 0, z), segments=8) for z in (0.31, -0.31)))
    return Drawn(parts, None, features=("round ears", kit.say(kit.color("black"), "legs")),
                 sentences=("bear that eats bamboo",))  # fmt: skip


@family("koala", "koala bear", "australian koala", kind=_KIND)
def koala(kit: Kit) -> Drawn:
    coat, light = kit.color("grey", "light grey", "dark grey"), kit.color("white", "light grey")
    parts = [sphere((0.26, 0.34, 0.24), coat, (0, 0.34, 0)),
             sphere((0.18, 0.24, 0.1), light, (0, 0.34, 0.17)),
             sphere((0.26, 0.23, 0.22), coat, (0, 0.8, 0.04)),
             sphere((0.07, 0.1, 0.06), DARK, (0, 0.78, 0.25)),
             *pair(sphere((0.17, 0.16, 0.07), coat, (0.28, 0.95, 0)),
                   sphere((0.1, 0.1, 0.05), light, (0.28, 0.94, 0.04)),
                   sphere(0.03, DARK, (0.11, 0.84, 0.23)),
                   bar((0.22, 0.5, 0.02), (0.2, 0.28, 0.26), 0.08, coat),
                   sphere((0.1, 0.08, 0.18), coat, (0.17, 0.08, 0.16)))]  # fmt: skip
    return Drawn(parts, coat, adjectives=("cute",), features=("big round ears", "a large nose"))


@family("elephant", "african elephant", "big elephant", kind=_KIND)
def elephant(kit: Kit) -> Drawn:
    coat = kit.color("grey", "light grey", "dark grey")
    build = _Build(legs=0.42, thick=0.11, body=(0.34, 0.36, 0.52), neck=0.14, rise=0.5, head=0.26,
                   snout=0.05,
                   tail=0.12, droop=-0.35, ears="none")  # fmt: skip
    trunk = sweep(
        [(0, -0.02, 0.2), (0, -0.15, 0.42), (0, -0.45, 0.5), (0, -0.62, 0.58)],
        [0.12, 0.1, 0.07, 0.05],
        coat,
    )
    ear = sphere((0.26, 0.28, 0.05), coat, (0.4, 0.02, -0.04)).turn(y=18)
    tusk = sweep(
        [(0.14, -0.15, 0.25), (0.15, -0.3, 0.4), (0.13, -0.28, 0.55)], [0.045, 0.04, 0.01], WHITE
    )
    tusks = kit.chance(0.7)
    extra = [trunk, *pair(ear), *(pair(tusk) if tusks else [])]
    return Drawn(_quadruped(kit, build, coat, on_head=tuple(extra)), coat,
                 adjectives=("big", "huge"),
                 features=("a long trunk", "large ears",
                           *(("tusks",) if tusks else ())))  # fmt: skip


@family("giraffe", "tall giraffe", "african giraffe", kind=_KIND)
def giraffe(kit: Kit) -> Drawn:
    coat, spots = kit.color("yellow", "orange", "beige"), kit.color("brown", "dark brown")
    build = _Build(legs=0.85, thick=0.05, body=(0.18, 0.22, 0.4), neck=1.05, rise=1.1, head=0.13,
                   snout=1.1,
                   tail=0.1, droop=-0.35)  # fmt: skip
    horns = pair(cylinder(0.02, 0.16, spots, (0.05, 0.1, -0.02), segments=5))
    parts = _quadruped(kit, build, coat, feet=DARK, on_head=tuple(horns))
    for _ in range(9):
        at = (kit.pick(-1, 1) * 0.14, 1.0 + kit.between(-0.1, 0.15), kit.between(-0.35, 0.3))
        parts.append(blob((0.06, 0.09, 0.09), spots, kit.rng, at, detail=0))
    parts += [
        blob((0.12, 0.06, 0.06), spots, kit.rng, (0, 1.25 + 0.2 * k, 0.42 + 0.09 * k), detail=0)
        for k in range(4)
    ]
    return Drawn(
        parts, coat, adjectives=("tall",), features=("a very long neck", kit.say(spots, "spots"))
    )


@family("zebra", "striped horse", "african zebra", kind=_KIND)
def zebra(kit: Kit) -> Drawn:
    white = kit.color("white")
    build = _Build(legs=0.55, thick=0.055, body=(0.2, 0.23, 0.46), neck=0.38, rise=0.9, head=0.15,
                   snout=1.4,
                   tail=0.12, droop=-0.4)  # fmt: skip
    parts = _quadruped(kit, build, white, muzzle=DARK, feet=DARK)
    parts += [torus(0.21, 0.025, DARK, segments=10, around=4).turn(x=90).scale(0.97, 1.06,
                                                                               1).move(0, 0.74,
                                    -0.33 + 0.13 * k)
              for k in range(6)]  # fmt: skip
    parts += [bar((0, 0.8, 0.3), (0, 1.3, 0.52), 0.06, DARK, segments=4)]
    return Drawn(parts, None, features=("stripes", "a mane"))


@family("lion", "male lion", "king of the animals", kind=_KIND)
def lion(kit: Kit) -> Drawn:
    coat, mane = (
        kit.color("yellow", "orange", "beige", "light brown"),
        kit.color("brown", "dark brown", "orange"),
    )
    build = _Build(legs=0.36, thick=0.07, body=(0.2, 0.22, 0.46), neck=0.16, head=0.19, snout=0.5,
                   tail=0.35,
                   droop=-0.1, ears="round")  # fmt: skip
    ruff = blob((0.32, 0.34, 0.18), mane, kit.rng, (0, 0, -0.1), rough=0.12)
    parts = _quadruped(kit, build, coat, muzzle=kit.color("white", "beige"), on_head=(ruff,))
    return Drawn(parts, coat, features=(kit.say(mane, "mane"), "a long tail"))


@family("rabbit", "bunny", "hare", "easter bunny", kind=_KIND)
def rabbit(kit: Kit) -> Drawn:
    coat = kit.color("white", "grey", "brown", "beige", "light brown", "pink")
    size = kit.between(0.9, 1.2)
    parts = [sphere((0.2, 0.22, 0.28), coat, (0, 0.22, -0.05)),
             sphere(0.16 * size, coat, (0, 0.46, 0.2)),
             sphere(0.08, WHITE, (0, 0.2, -0.34)), sphere(0.03, _PINK, (0, 0.45, 0.37)),
             *pair(sphere((0.045, 0.19 * size, 0.03), coat, (0.07, 0.72, 0.16)).turn(z=-6),
                   sphere(0.025, DARK, (0.09, 0.5, 0.33)),
                   sphere((0.06, 0.05, 0.13), coat, (0.13, 0.05, 0.02)),
                   sphere((0.045, 0.12, 0.05), coat, (0.09, 0.1, 0.2)))]  # fmt: skip
    return Drawn(parts, coat, adjectives=("cute",), features=("long ears", "a round fluffy tail"))


@family("mouse", "rat", "rodent", "little mouse", kind=_KIND)
def mouse(kit: Kit) -> Drawn:
    coat = kit.color("grey", "white", "brown", "dark grey", "light brown")
    line = [(0, 0.06, -0.3), (0.05, 0.03, -0.45), (-0.03, 0.05, -0.6), (0.06, 0.03, -0.75)]
    parts = [sphere((0.17, 0.16, 0.27), coat, (0, 0.16, -0.08)),
             cone(0.12, 0.26, coat).turn(x=90).move(0, 0.18, 0.12),
             sphere(0.03, _PINK, (0, 0.18, 0.38)), sweep(line, [0.03, 0.025, 0.02, 0.01], _PINK),
             *pair(sphere((0.09, 0.09, 0.03), coat, (0.11, 0.32, 0.1)),
                   sphere(0.02, DARK, (0.06, 0.23, 0.24)),
                   sphere((0.03, 0.03, 0.06), _PINK, (0.1, 0.03, 0.1)))]  # fmt: skip
    return Drawn(parts, coat, adjectives=("small",), features=("a long thin tail", "round ears"))


@family("turtle", "tortoise", "sea turtle", kind=_KIND)
def turtle(kit: Kit) -> Drawn:
    shell, skin = (
        kit.color("green", "brown", "dark green", "light brown"),
        kit.color("light green", "green", "beige"),
    )
    parts = [sphere((0.4, 0.36, 0.46), shell, (0, 0.14, 0), low=0.5, segments=max(8, kit.segments)),
             cylinder(0.4, 0.06, skin, (0, 0.1, 0), segments=12).scale(1, 1, 1.14),
             sphere((0.12, 0.11, 0.15), skin, (0, 0.28, 0.58)),
             bar((0, 0.16, 0.35), (0, 0.26, 0.55), 0.08, skin),
             cone(0.05, 0.16, skin).turn(x=-90).move(0, 0.12, -0.44),
             *pair(sphere((0.14, 0.06, 0.1), skin, (0.36, 0.07, 0.28)),
                   sphere((0.12, 0.06, 0.1), skin, (0.34, 0.07, -0.28)),
                   sphere(0.025, DARK, (0.08, 0.32, 0.67)))]  # fmt: skip
    return Drawn(
        parts, shell, adjectives=("slow",), features=("a domed shell", kit.say(skin, "legs"))
    )


@family("frog", "toad", "tree frog", kind=_KIND)
def frog(kit: Kit) -> Drawn:
    skin, belly = (
        kit.color("green", "light green", "dark green", "brown"),
        kit.color("white", "yellow", "beige"),
    )
    parts = [sphere((0.26, 0.2, 0.3), skin, (0, 0.22, 0)).turn(x=-15),
             sphere((0.2, 0.12, 0.18), belly, (0, 0.2, 0.14)),
             *pair(sphere(0.08, WHITE, (0.14, 0.45, 0.12)), sphere(0.045, DARK, (0.15, 0.46, 0.18)),
                   sphere((0.1, 0.11, 0.2), skin, (0.28, 0.12, -0.12)),
                   sphere((0.09, 0.03, 0.16), skin, (0.32, 0.03, 0.08)),
                   bar((0.16, 0.2, 0.2), (0.22, 0.02, 0.3), 0.05, skin),
                   sphere((0.08, 0.03, 0.09), skin, (0.22, 0.03, 0.33)))]  # fmt: skip
    return Drawn(parts, skin, features=("big eyes", kit.say(belly, "belly")))


@family("snake", "serpent", "cobra", "viper", kind=_KIND)
def snake(kit: Kit) -> Drawn:
    skin = kit.color("green", "brown", "yellow", "black", "red", "orange", "dark green")
    coiled = kit.chance(0.4)
    steps = 30
    if coiled:
        path = [((0.4 - 0.006 * k) * math.cos(0.5 * k), 0.07 + 0.01 * k,
                 (0.4 - 0.006 * k) * math.sin(0.5 * k))
                for k in range(steps)]  # fmt: skip
        path += [(0.1, 0.5, 0.2), (0.0, 0.62, 0.3), (0.0, 0.62, 0.42)]
    else:
        path = [(0.22 * math.sin(0.55 * k), 0.06, -0.9 + 0.06 * k) for k in range(steps)]
        path += [(path[-1][0], 0.12, 0.95), (path[-1][0], 0.16, 1.08)]
    widths = [0.07 * min(1.0, 0.15 + 0.12 * k) for k in range(len(path))]
    x, y, z = path[-1]
    head = [
        sphere((0.09, 0.06, 0.13), skin, (x, y, z + 0.05)),
        box((0.02, 0.01, 0.14), (0.8, 0.1, 0.15), (x, y - 0.02, z + 0.2)),
    ]
    eyes = [sphere(0.022, DARK, (x + s * 0.06, y + 0.04, z + 0.1)) for s in (-1, 1)]
    return Drawn([sweep(path, widths, skin, segments=7), *head, *eyes], skin,
                 adjectives=("coiled" if coiled else "long",),
                 features=("a forked tongue",))  # fmt: skip


@family("crocodile", "alligator", "caiman", "lizard", kind="reptile")
def crocodile(kit: Kit) -> Drawn:
    skin = kit.color("green", "dark green", "brown")
    parts = [sweep([(0, 0.17, -1.2), (0, 0.18, -0.6), (0, 0.2, -0.2), (0, 0.22, 0.3),
                    (0, 0.2, 0.5)],
                   [0.02, 0.12, 0.19, 0.19, 0.13], skin, segments=8),
             box((0.22, 0.1, 0.6), skin, (0, 0.2, 0.72), bevel=0.03),
             box((0.2, 0.06, 0.56), skin, (0, 0.11, 0.7)),
             box((0.18, 0.03, 0.5), WHITE, (0, 0.17, 0.72)),
             *pair(sphere(0.05, skin, (0.08, 0.32, 0.5)), sphere(0.025, DARK, (0.1, 0.33, 0.53)),
                   *(bar((0.12, 0.18, z), (0.28, 0.0, z + 0.06), 0.05, skin) for z in (0.3,
                                    -0.25)))]  # fmt: skip
    parts += [
        cone(0.04, 0.1, skin, (0, 0.36 - 0.02 * abs(k), -0.1 - 0.14 * k), segments=4)
        for k in range(-2, 5)
    ]
    return Drawn(parts, skin, features=("a long snout", "teeth", "a long tail"))
