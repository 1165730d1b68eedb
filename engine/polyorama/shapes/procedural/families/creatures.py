"""Birds, fish, insects, and beasts of legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.shapes.procedural.families._forms import (
    DARK,
    WHITE,
    around,
    pair,
    plate,
    rod_x,
    side,
)
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

_BEAK = (0.95, 0.62, 0.15)


def _bird(
    kit: Kit, coat: Tint, wing: Tint, *, neck: float = 0.12, legs: float = 0.14, beak: float = 0.14,
    body: tuple[float, float, float] = (0.17, 0.17, 0.26), bill: Tint = _BEAK,
) -> list[Part]:  # fmt: skip
    """A bird that stands: body, neck, head with a beak, folded wings, tail, legs."""
    half, high, long = body
    y = legs + high
    face = (0.0, y + 0.6 * high + neck, 0.75 * long)
    size = kit.between(0.11, 0.14)
    parts = [
        sphere(body, coat, (0, y, 0), segments=max(8, kit.segments)),
        bar((0, y + 0.2 * high, 0.5 * long), face, 0.6 * half, coat, top=0.75 * size, segments=7),
        sphere(size, coat, face, segments=max(8, kit.segments)),
        cone(0.4 * size, beak, bill, segments=5).turn(x=90).move(0, face[1], face[2] + 0.8 * size),
        sphere((0.5 * half, 0.25 * high, 0.45 * long), wing, (0, y + 0.3 * high, -long)).turn(x=4),
    ]
    leg = cylinder(0.02, legs + 0.3 * high, bill, (0.4 * half, 0, 0), segments=5)
    foot = box((0.09, 0.02, 0.14), bill, (0.4 * half, 0, 0.04))
    side_wing = sphere((0.05, 0.75 * high, 0.8 * long), wing, (0.95 * half, y, -0.1 * long))
    eye = sphere(0.2 * size, DARK, (0.72 * size, face[1] + 0.25 * size, face[2] + 0.5 * size))
    return parts + pair(leg, foot, side_wing, eye)


@family("bird", "small bird", "songbird", kind="animal")
def bird(kit: Kit) -> Drawn:
    coat = kit.color("blue", "red", "yellow", "brown", "green", "light blue", "orange", "grey")
    wing = kit.other(coat, "brown", "dark grey", "blue", "white", "dark blue")
    return Drawn(_bird(kit, coat, wing), coat, features=(kit.say(wing, "wings"), "a beak"))


@family("crow", "raven", "black bird", "blackbird", kind="bird")
def crow(kit: Kit) -> Drawn:
    coat = kit.color("black", "black", "dark grey")
    parts = _bird(kit, coat, coat, bill=kit.pick(DARK, _BEAK), beak=0.2, body=(0.15, 0.15, 0.3))
    return Drawn(parts, coat, adjectives=("spooky",), features=("a strong beak",))


@family("chicken", kind="farm animal")
def chicken(kit: Kit) -> Drawn:
    coat, comb = kit.color("white", "brown", "white", "orange", "black"), (0.85, 0.14, 0.12)
    rooster = kit.chance(0.4)
    parts = _bird(kit, coat, coat, neck=0.2, body=(0.19, 0.2, 0.26), beak=0.1)
    parts += [box((0.03, 0.1, 0.06), comb, (0, 0.68, 0.11 + 0.07 * k)) for k in range(3)]
    parts.append(sphere((0.03, 0.07, 0.03), comb, (0, 0.5, 0.32)))
    tail = kit.color("green", "black", "red") if rooster else coat
    parts += [
        sweep([(x, 0.4, -0.2), (x, 0.62, -0.32), (x, 0.6, -0.46)], [0.07, 0.06, 0.02], tail)
        for x in (-0.05, 0.05)
    ]
    words = ("rooster", "cockerel", "cock") if rooster else ("chicken", "hen")
    return Drawn(
        parts,
        coat,
        features=("a red comb" if kit.look != "clay" else "a comb", "a beak"),
        words=words,
    )


@family("duck", kind="bird")
def duck(kit: Kit) -> Drawn:
    coat = kit.color("yellow", "white", "brown", "yellow")
    size = kit.between(0.15, 0.2)
    y = 0.5 + 0.3 * size
    parts = [sphere((0.24, 0.19, 0.36), coat, (0, 0.19, 0), segments=max(8, kit.segments)),
             cone(0.14, 0.3, coat).turn(x=-60).move(0, 0.22, -0.25),
             sphere(size, coat, (0, y, 0.22)),
             bar((0, 0.25, 0.15), (0, y, 0.22), 0.13, coat),
             sphere((0.1, 0.03, 0.12), _BEAK, (0, y - 0.03, 0.22 + size)),
             *pair(sphere(0.03, DARK, (0.6 * size, y + 0.05, 0.22 + 0.75 * size)),
                   sphere((0.05, 0.11, 0.2), coat, (0.22, 0.24, -0.05)))]  # fmt: skip
    words = ("rubber duck", "duck", "bath duck") if coat.name == "yellow" else ("duck", "mallard")
    return Drawn(parts, coat, features=("a flat beak",), words=words)


@family("penguin", "emperor penguin", "king penguin", kind="bird")
def penguin(kit: Kit) -> Drawn:
    coat = kit.color("black", "dark blue", "dark grey")
    parts = [sphere((0.25, 0.4, 0.22), coat, (0, 0.42, 0)),
             sphere((0.2, 0.33, 0.12), WHITE, (0, 0.4, 0.13)),
             sphere(0.18, coat, (0, 0.85, 0.02)), sphere((0.12, 0.1, 0.06), WHITE, (0, 0.83, 0.15)),
             cone(0.05, 0.16, _BEAK).turn(x=90).move(0, 0.83, 0.18),
             *pair(sphere(0.025, DARK, (0.07, 0.9, 0.18)),
                   sphere((0.04, 0.26, 0.1), coat, (0.28, 0.48, 0)).turn(z=8),
                   sphere((0.09, 0.03, 0.15), _BEAK, (0.11, 0.03, 0.1)))]  # fmt: skip
    return Drawn(
        parts, coat, features=("a belly", "flippers"), sentences=("antarctic bird that cannot fly",)
    )


@family("owl", "barn owl", "night owl", kind="bird")
def owl(kit: Kit) -> Drawn:
    coat, belly = (
        kit.color("brown", "light brown", "grey", "white", "dark brown"),
        kit.color("beige", "white"),
    )
    parts = [sphere((0.26, 0.34, 0.22), coat, (0, 0.36, 0)),
             sphere((0.18, 0.24, 0.1), belly, (0, 0.33, 0.14)),
             sphere((0.25, 0.2, 0.2), coat, (0, 0.7, 0.02)),
             cone(0.04, 0.12, _BEAK).turn(x=130).move(0, 0.7, 0.2),
             *pair(rod_x(0.1, 0.05, WHITE).turn(y=90).move(0.11, 0.74, 0.18),
                   sphere(0.05, DARK, (0.11, 0.74, 0.21)),
                   cone(0.07, 0.2, coat, (0.16, 0.82, 0.02), segments=5),
                   sphere((0.06, 0.26, 0.15), coat, (0.25, 0.38, -0.02)),
                   box((0.1, 0.05, 0.14), _BEAK, (0.1, 0, 0.08)))]  # fmt: skip
    return Drawn(parts, coat, features=("big round eyes", "ear tufts"))


@family("wading bird", "long-legged bird", kind="bird")
def flamingo(kit: Kit) -> Drawn:
    coat = kit.color("pink", "pink", "white", "grey")
    line = [(0, 0.85, 0.18), (0, 1.05, 0.34), (0, 1.3, 0.22), (0, 1.48, 0.3), (0, 1.45, 0.4)]
    parts = [sphere((0.16, 0.17, 0.28), coat, (0, 0.8, 0)),
             sweep(line, [0.09, 0.05, 0.045, 0.05, 0.07], coat),
             cone(0.045, 0.2, DARK).turn(x=130).move(0, 1.45, 0.42),
             bar((0.06, 0.7, 0), (0.06, 0, 0), 0.02, coat),
             bar((-0.06, 0.7, 0), (-0.06, 0.4, -0.15), 0.02, coat),
             bar((-0.06, 0.4, -0.15), (-0.06, 0.1, 0.03), 0.02, coat),
             box((0.1, 0.02, 0.14), coat, (0.06, 0, 0.04))]  # fmt: skip
    words = (
        ("flamingo", "pink flamingo")
        if coat.name == "pink"
        else (("stork", "heron") if coat.name else ())
    )
    return Drawn(
        parts,
        coat,
        adjectives=("elegant",),
        features=("a long curved neck", "long thin legs"),
        words=words,
    )


@family("eagle", "hawk", "falcon", "bird of prey", "flying bird", kind="bird")
def eagle(kit: Kit) -> Drawn:
    coat, head = kit.color("brown", "dark brown", "grey"), kit.color("white", "beige", "brown")
    wing = [(0.1, 0.14), (0.6, 0.24), (1.1, 0.05), (1.05, -0.2), (0.6, -0.2), (0.1, -0.2)]
    parts = [sphere((0.15, 0.14, 0.36), coat), sphere(0.12, head, (0, 0.06, 0.38)),
             cone(0.05, 0.14, _BEAK).turn(x=105).move(0, 0.05, 0.47),
             plate([(-0.06, -0.28), (0.06, -0.28), (0.2, -0.65), (-0.2, -0.65)], 0.04, head),
             *pair(plate(wing, 0.05, coat).turn(z=kit.between(5, 25)))]  # fmt: skip
    lean = kit.pick(-20, -40, -65)
    parts = [part.turn(x=lean) for part in parts]
    return Drawn(parts, coat, features=("spread wings", "a hooked beak"))


def _fish(
    kit: Kit, coat: Tint, fin: Tint, half: tuple[float, float, float], *, level: bool = False
) -> list[Part]:
    """A fish that swims towards +z; its tail is level in whales, upright in others."""
    x, y, z = half
    line = [
        (0, 0, 0.98 * z),
        (0, 0, 0.7 * z),
        (0, 0, 0.2 * z),
        (0, 0, -0.3 * z),
        (0, 0, -0.8 * z),
        (0, 0, -1.05 * z),
    ]
    body = sweep(
        line, [0.15, 0.7, 1.0, 0.85, 0.35, 0.12], coat, segments=max(8, kit.segments)
    ).scale(x, y, 1)
    tail = [
        (-0.95 * z, 0.06 * y),
        (-1.4 * z, 0.85 * y),
        (-1.25 * z, 0.0),
        (-1.4 * z, -0.85 * y),
        (-0.95 * z, -0.06 * y),
    ]
    flat = plate([(b, a) for a, b in tail], 0.05 * y, fin) if level else side(tail, 0.12 * x, fin)
    back = side([(0.25 * z, 0.85 * y), (-0.2 * z, 1.5 * y), (-0.4 * z, 0.7 * y)], 0.12 * x, fin)
    flipper = plate(
        [(0.7 * x, 0.3 * z), (1.9 * x, -0.1 * z), (0.7 * x, 0.0)], 0.06 * y, fin, (0, -0.3 * y, 0)
    )
    eye = sphere(0.09 * (x + y), DARK, (0.66 * x, 0.2 * y, 0.66 * z), segments=6)
    return [body, flat, back, *pair(flipper, eye)]


@family("fish", "goldfish", "tropical fish", "small fish", kind="sea animal")
def fish(kit: Kit) -> Drawn:
    coat = kit.color("orange", "blue", "yellow", "red", "silver", "green", "pink")
    fin = kit.color("orange", "yellow", "blue", "red", "white") if kit.chance(0.5) else coat
    parts = _fish(
        kit, coat, fin, (kit.between(0.13, 0.2), kit.between(0.22, 0.4), kit.between(0.45, 0.6))
    )
    if kit.chance(0.35):
        parts += [
            torus(0.3, 0.03, WHITE).turn(x=90).scale(0.6, 1, 1.6).move(0, 0, z) for z in (0.2,)
        ]
    return Drawn(parts, coat, features=("fins", "a tail"))


@family("shark", "great white shark", "dangerous shark", kind="sea animal")
def shark(kit: Kit) -> Drawn:
    coat = kit.color("grey", "dark grey", "blue", "light grey")
    parts = _fish(kit, coat, coat, (0.24, 0.25, 1.0))
    parts += [
        sphere((0.2, 0.1, 0.7), WHITE, (0, -0.16, 0.15)),
        box((0.2, 0.03, 0.04), DARK, (0, -0.14, 0.8)),
    ]
    return Drawn(parts, coat, adjectives=("dangerous",), features=("a back fin", "a tail fin"))


@family("sea mammal", kind="sea animal")
def whale(kit: Kit) -> Drawn:
    kind = kit.pick("whale", "whale", "dolphin", "orca")
    coat = (
        kit.color("black")
        if kind == "orca"
        else kit.color("blue", "grey", "light blue", "dark blue")
    )
    slim = 0.24 if kind == "dolphin" else 0.42
    parts = _fish(kit, coat, coat, (slim, slim, 1.0), level=True)
    parts.append(sphere((0.8 * slim, 0.6 * slim, 0.7), WHITE, (0, -0.45 * slim, 0.2)))
    if kind == "dolphin":
        parts.append(sphere((0.07, 0.05, 0.2), coat, (0, -0.03, 1.0)))
    if kind == "orca":
        parts += pair(sphere((0.04, 0.08, 0.14), WHITE, (0.3, 0.14, 0.5)))
    words = {
        "whale": ("whale",),
        "dolphin": ("dolphin", "porpoise"),
        "orca": ("orca", "killer whale", "whale"),
    }
    return Drawn(parts, coat, adjectives=("big",) if kind == "whale" else ("smooth",),
                 features=("a level tail", "flippers"), words=words[kind])  # fmt: skip


@family("octopus", "kraken", kind="sea animal")
def octopus(kit: Kit) -> Drawn:
    coat = kit.color("purple", "red", "orange", "pink", "teal", "blue")
    arm = sweep(
        [(0.12, 0.16, 0), (0.35, 0.06, 0), (0.55, 0.05, 0.12), (0.66, 0.16, 0.2)],
        [0.09, 0.07, 0.05, 0.02],
        coat,
    )
    parts = [sphere((0.28, 0.36, 0.28), coat, (0, 0.45, 0)), *around(arm, 8, 22.5),
             *pair(sphere(0.07, WHITE, (0.12, 0.42, 0.24)),
                   sphere(0.035, DARK, (0.12, 0.42, 0.3)))]  # fmt: skip
    return Drawn(parts, coat, features=("eight arms", "tentacles", "big eyes"))


@family("jellyfish", "medusa", "sea jelly", kind="sea animal")
def jellyfish(kit: Kit) -> Drawn:
    coat = kit.color("pink", "purple", "light blue", "white", "orange")
    count = kit.count(5, 9)
    arm = sweep(
        [(0.22, 0.62, 0), (0.26, 0.4, 0.04), (0.18, 0.2, -0.03), (0.23, 0.0, 0.02)],
        [0.035, 0.03, 0.025, 0.012],
        coat,
    )
    parts = [sphere((0.36, 0.36, 0.36), coat, (0, 0.6, 0), low=0.45), *around(arm, count)]
    return Drawn(parts, coat, features=(f"{count} tentacles", "a bell"))


@family("starfish", "sea star", "star fish", kind="sea animal")
def starfish(kit: Kit) -> Drawn:
    coat = kit.color("orange", "red", "yellow", "pink", "purple")
    arm = bar((0, 0.06, 0), (0, 0.03, 0.5), 0.13 * kit.chunk, coat, top=0.03).scale(1, 0.6, 1)
    parts = [*around(arm, 5), sphere((0.16, 0.1, 0.16), coat, (0, 0.06, 0))]
    if kit.chance(0.6):
        parts = [part.turn(x=75) for part in parts]
    return Drawn(parts, coat, features=("five arms",), sentences=("star from the beach",))


@family("bat", "vampire bat", "flying bat", "halloween bat", kind="animal")
def bat(kit: Kit) -> Drawn:
    coat = kit.color("black", "dark grey", "purple", "brown")
    wing = [
        (0.08, 0.16),
        (0.35, 0.34),
        (0.8, 0.3),
        (0.72, 0.02),
        (0.55, 0.1),
        (0.42, -0.1),
        (0.28, 0.04),
        (0.1, -0.12),
    ]
    sail = plate(wing, 0.03, coat).turn(x=-90).turn(y=kit.between(-20, 20))
    parts = [sphere((0.13, 0.18, 0.12), coat), sphere(0.12, coat, (0, 0.22, 0.03)),
             *pair(sail, cone(0.05, 0.14, coat, (0.07, 0.29, 0.02), segments=5),
                   sphere(0.025, (0.9, 0.2, 0.1), (0.05, 0.25, 0.13)),
                   cone(0.015, 0.05, WHITE).turn(x=180).move(0.025, 0.19, 0.14))]  # fmt: skip
    return Drawn(
        parts, coat, adjectives=("spooky", "scary"), features=("spread wings", "pointed ears")
    )


@family("dinosaur", "t-rex", "tyrannosaurus", "raptor", kind="animal")
def dinosaur(kit: Kit) -> Drawn:
    coat = kit.color("green", "brown", "orange", "purple", "light green", "grey", "red", "blue")
    line = [
        (0, 0.55, -1.1),
        (0, 0.62, -0.6),
        (0, 0.72, -0.15),
        (0, 0.8, 0.15),
        (0, 1.05, 0.35),
        (0, 1.2, 0.42),
    ]
    parts = [sweep(line, [0.02, 0.12, 0.24, 0.24, 0.16, 0.14], coat, segments=8),
             box((0.26, 0.2, 0.44), coat, (0, 1.16, 0.58), bevel=0.05),
             box((0.22, 0.08, 0.38), coat, (0, 1.06, 0.56)),
             box((0.2, 0.05, 0.36), WHITE, (0, 1.12, 0.57)),
             *pair(sphere(0.03, DARK, (0.13, 1.28, 0.6)),
                   sweep([(0.15, 0.66, -0.1), (0.2, 0.38, 0.1), (0.18, 0.16, -0.06),
                          (0.18, 0.04, 0.05)], [0.14, 0.1, 0.06, 0.06], coat),
                   box((0.14, 0.06, 0.26), coat, (0.18, 0, 0.08)),
                   sweep([(0.17, 0.85, 0.32), (0.19, 0.74, 0.44), (0.17, 0.72, 0.52)], 0.035,
                         coat))]  # fmt: skip
    return Drawn(
        parts, coat, adjectives=("prehistoric",), features=("short arms", "teeth", "a long tail")
    )


@family("four-legged dinosaur", "dinosaur", kind="animal")
def sauropod(kit: Kit) -> Drawn:
    coat = kit.color("green", "blue", "grey", "light brown", "teal", "purple")
    spikes = kit.chance(0.35)
    neck = kit.between(0.9, 1.5) if not spikes else 0.6
    line = [
        (0, 0.3, -1.4),
        (0, 0.5, -0.8),
        (0, 0.65, -0.35),
        (0, 0.68, 0.2),
        (0, 0.75 + 0.3 * neck, 0.62),
        (0, 0.6 + 0.7 * neck, 0.85),
        (0, 0.65 + 0.72 * neck, 1.05),
    ]
    parts = [sweep(line, [0.02, 0.13, 0.32, 0.32, 0.14, 0.1, 0.13], coat, segments=8),
             *pair(*(cylinder(0.1, 0.55, coat, (0.2, 0, z), segments=7) for z in (-0.4, 0.25)),
                   sphere(0.025, DARK, (0.1, 0.72 + 0.72 * neck, 1.05)))]  # fmt: skip
    words = ("stegosaurus", "dinosaur") if spikes else ("brontosaurus", "sauropod", "dinosaur")
    if spikes:
        trim = kit.other(coat, "red", "orange", "yellow")
        parts += [
            side(
                [(-0.12, 0), (0.12, 0), (0.0, 0.3)], 0.06, trim, (0, 0.92 - 0.09 * abs(k), 0.22 * k)
            )
            for k in range(-3, 2)
        ]
    return Drawn(
        parts,
        coat,
        adjectives=("prehistoric", "big"),
        features=("plates on its back",) if spikes else ("a long neck",),
        words=words,
    )


@family("dragon", "fire dragon", "winged dragon", "wyvern", kind="monster")
def dragon(kit: Kit) -> Drawn:
    coat = kit.color("red", "green", "dark green", "purple", "blue", "black")
    wing_color, horn = (
        kit.color("orange", "yellow", "dark red", "dark grey"),
        kit.color("beige", "dark grey"),
    )
    line = [
        (0, 0.25, -1.2),
        (0, 0.4, -0.7),
        (0, 0.55, -0.3),
        (0, 0.6, 0.15),
        (0, 0.9, 0.4),
        (0, 1.15, 0.55),
    ]
    wing = [
        (0.1, 0.2),
        (0.5, 0.5),
        (1.1, 0.35),
        (0.95, 0.0),
        (0.75, 0.1),
        (0.6, -0.2),
        (0.4, 0.0),
        (0.12, -0.2),
    ]
    sail = plate(wing, 0.03, wing_color).turn(z=kit.between(25, 50)).move(0.05, 0.75, -0.05)
    parts = [sweep(line, [0.02, 0.12, 0.24, 0.26, 0.13, 0.12], coat, segments=8),
             box((0.22, 0.18, 0.4), coat, (0, 1.1, 0.72), bevel=0.05, taper=0.8),
             *(cone(0.05, 0.14, horn, (0, y, z), segments=4) for y,
               z in ((0.8, 0.1), (0.78, -0.12), (0.7, -0.35), (0.56, -0.6))),
             *pair(sail, cone(0.04, 0.25, horn).turn(x=-50).move(0.08, 1.24, 0.6),
                   sphere(0.03, (0.95, 0.8, 0.1), (0.1, 1.24, 0.74)),
                   *(bar((0.18, 0.5, z), (0.24, 0.0, z + 0.06), 0.1, coat,
                         top=0.07) for z in (-0.3, 0.2)))]  # fmt: skip
    return Drawn(
        parts,
        coat,
        features=("wings", "horns", "a spiked back", "a long tail"),
        sentences=("fantasy monster",),
    )


@family("slime", "slime monster", "blob monster", "jelly", kind="monster")
def slime(kit: Kit) -> Drawn:
    coat = kit.color("green", "light green", "blue", "pink", "purple", "teal")
    parts = [sphere((0.4, 0.45 * kit.between(0.8, 1.2), 0.4), coat, (0, 0.05, 0), low=0.45),
             blob((0.46, 0.1, 0.46), coat, kit.rng, (0, 0.06, 0)),
             *pair(sphere(0.07, WHITE, (0.14, 0.28, 0.34)),
                   sphere(0.035, DARK, (0.14, 0.28, 0.4)))]  # fmt: skip
    return Drawn(
        parts,
        coat,
        adjectives=("gooey",),
        features=("two eyes",),
        sentences=("enemy of a role-playing game",),
    )
