"""Families of shapes: each makes, from a random generator, a coloured mesh and what to call it.

A family is a function of a `Kit`, which holds the generator and the style of this one shape:

    @family("stool", "footstool", kind="piece of furniture")
    def stool(kit: Kit) -> Drawn:
        wood = kit.wood()
        parts = [cylinder(0.2, 0.05, wood, (0, 0.45, 0), segments=kit.segments)]
        ...
        return Drawn(parts, color=wood, material="wooden", features=("three legs",))

Modelling is with y up and the front towards +z, in metres or so. All randomness comes from
`kit.rng`, so that a seed always gives the same shape.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from polyorama.errors import UsageError
from polyorama.shapes.procedural.captions import captions
from polyorama.shapes.procedural.colors import TOYS, color_words, tinted
from polyorama.shapes.procedural.solids import Paint, Part, assemble

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from polyorama.scene.mesh import Mesh

__all__ = ["FAMILIES", "Drawn", "Family", "Kit", "Shape", "family", "make_shape"]

T = TypeVar("T")
_GAME, _PLAIN, _CLAY = "game", "plain", "clay"
_LOOKS = {
    _GAME: ("low poly", "stylized", "cartoon", "low-poly game", "toy-like"),
    _PLAIN: ("simple", "plain", "realistic", "smooth"),
    _CLAY: ("untextured", "clay", "uncoloured", "monochrome"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A shape of a family, with captions that say exactly what it is.

    Parameters
    ----------
    mesh
        In the axes of splat clouds, coloured at its vertices.
    name
        The everyday noun, such as "armchair".
    captions
        6 to 12 different phrases, the bare noun first.
    family
        Which made it.
    attributes
        What is true of it: "look", and where they are said, "color" of the whole, "color:<part>"
        of its parts, "material".
    """

    mesh: Mesh
    name: str
    captions: tuple[str, ...]
    family: str
    attributes: dict[str, str]


class Family(NamedTuple):
    """A kind of shapes: its name, its vocabulary, and what makes one."""

    name: str
    words: tuple[str, ...]
    make: Callable[[np.random.Generator], Shape]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What a family hands to the framework.

    Parameters
    ----------
    parts
        Solids, y up.
    color
        The colour that it is chiefly seen in, or None where there is none.
    material
        Its adjective: "wooden", "metal", "glass".
    adjectives
        "tall", "round", "open": true of this very shape.
    features
        What it has, to follow "with": "four legs"; name colours through `Paint.name` or `kit.say`.
    words
        Nouns for this variant, better than those of the family: ("bunk bed",).
    sentences
        Whole captions of its own: "a table set for two".
    paints
        Colours of parts that captions mention, by the part's name.
    """

    parts: Sequence[Part]
    color: Paint | None = None
    material: str = ""
    adjectives: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    paints: Mapping[str, Paint] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Kit:
    """The generator and the style of one shape.

    Parameters
    ----------
    rng
        All randomness comes from here.
    look
        "game": saturated, few faces, chunky. "plain": finer and quieter, as from CAD. "clay": one
        grey all over, and captions name neither colours nor materials.
    segments
        Around round things: 6 to 12 in game packs, up to 20 in plain shapes.
    chunk
        0.7 thin to 1.5 chunky: what thicknesses are multiplied with.
    bevel
        How far to cut edges off, in metres, for things the size of furniture; often 0.
    gradient
        How much darker feet are painted than heads.
    """

    rng: np.random.Generator
    look: str
    segments: int
    chunk: float
    bevel: float
    gradient: float

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Kit:
        """A style by chance: most often that of game packs."""
        look = (_GAME, _PLAIN, _CLAY)[int(rng.choice(3, p=[0.66, 0.18, 0.16]))]
        game = look == _GAME
        segments = int(rng.choice([6, 8, 8, 10, 12])) if game else int(rng.choice([10, 12, 16, 20]))
        chunk = float(rng.uniform(0.95, 1.5) if game else rng.uniform(0.7, 1.1))
        bevel = float(rng.uniform(0.008, 0.025)) if rng.random() < 0.6 else 0.0
        gradient = float(rng.uniform(0.0, 0.18)) if game else 0.0
        return cls(rng, look, segments, chunk, bevel, gradient)

    def between(self, low: float, high: float) -> float:
        """A number between two."""
        return float(self.rng.uniform(low, high))

    def count(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, share: float = 0.5) -> bool:
        """True in so many cases of one."""
        return bool(self.rng.random() < share)

    def pick(self, *options: T) -> T:
        """One of the options."""
        return options[int(self.rng.integers(len(options)))]

    def color(self, *names: str) -> Paint:
        """One of the named colours (see `colors.NAMED`); of any bright ones if none is named.

        In the clay look its name is "", so that no caption speaks of it.
        """
        paint = tinted(self.rng, names or TOYS)
        if self.look == _PLAIN:
            grey = sum(paint.rgb) / 3
            r, g, b = (0.88 * c + 0.12 * grey for c in paint.rgb)
            paint = Paint((r, g, b), paint.name)
        return Paint(paint.rgb) if self.look == _CLAY else paint

    def wood(self) -> Paint:
        """A tone of wood."""
        return self.color("brown", "light brown", "brown", "light brown", "dark brown", "beige")

    def metal(self) -> Paint:
        """A tone of metal."""
        return self.color("grey", "dark grey", "silver", "light grey", "black")

    def other(self, than: Paint, *names: str) -> Paint:
        """A colour with another name than that of `than`, also in the clay look."""
        choice = tuple(n for n in (names or TOYS) if n != than.name)
        return self.color(*choice)

    def leaf(self) -> Paint:
        """A tone of foliage."""
        return self.color("green", "dark green", "green", "light green")

    def say(self, paint: Paint, words: str) -> str:
        """The words with the colour before them, where colours are spoken of."""
        return f"{paint.name} {words}".strip()


Make = Callable[[Kit], Drawn]
_DECLARED: dict[str, Family] = {}


def family(*words: str, kind: str = "") -> Callable[[Make], Make]:
    """Declare a family: its everyday noun, synonyms, and a wider word that is seldom said.

    Raises
    ------
    UsageError
        If another family has the same name.
    """

    def declare(make: Make) -> Make:
        name = words[0]
        if name in _DECLARED:
            raise UsageError(f"Two families of shapes are called {name!r}.")

        def shape(rng: np.random.Generator) -> Shape:
            kit = Kit.drawn(rng)
            return _finished(name, words, kind, kit, make(kit))

        _DECLARED[name] = Family(name, words, shape)
        return make

    return declare


def _finished(name: str, words: tuple[str, ...], kind: str, kit: Kit, drawn: Drawn) -> Shape:
    """The mesh in its look, and its captions."""
    # No two things of a kind have quite the same proportions.
    low, high = (0.9, 1.12) if kit.look == _GAME else (0.94, 1.07)
    stretch = (kit.between(low, high), kit.between(low, high), kit.between(low, high))
    parts = drawn.parts
    clay = kit.look == _CLAY
    if clay:
        grey = float(kit.between(0.55, 0.85))
        parts = [part.paint((grey, grey, grey)) for part in parts]
    said = {paint.name for paint in (drawn.color, *drawn.paints.values()) if paint}
    called = _truthful(dict.fromkeys([*drawn.words, *words]), said, name)
    features, sentences = tuple(drawn.features), tuple(drawn.sentences)
    if clay:
        features, sentences = _truthful(features, said, name), _truthful(sentences, said, name)
    color = drawn.color.name if drawn.color else ""
    material = "" if clay else drawn.material
    attributes = {"look": kit.look}
    if color:
        attributes["color"] = color
    if material:
        attributes["material"] = material
    for part, paint in drawn.paints.items():
        if paint.name:
            attributes[f"color:{part}"] = paint.name
    style = kit.pick(*_LOOKS[kit.look])
    texts = captions(
        kit.rng, called, color=color, material=material, adjectives=drawn.adjectives,
        parts=features, sentences=sentences, kind=kind, look=style,
    )  # fmt: skip
    mesh = assemble(parts, called[0], gradient=kit.gradient, stretch=stretch)
    return Shape(mesh, called[0], texts, name, attributes)


def _truthful(texts: Iterable[str], colors: set[str], name: str) -> tuple[str, ...]:
    """The texts that name no colour but those given; words of the family's own name are free."""
    free = set(name.split()).union(*(color.split() for color in colors))
    return tuple(text for text in texts if not (color_words(text) - free))


@cache
def _declared() -> dict[str, Family]:
    """All families; what declares them imports this module, so it is loaded late, by name."""
    package = importlib.import_module("polyorama.shapes.procedural.families")
    for module in package.MODULES:
        importlib.import_module(f"{package.__name__}.{module}")
    return _DECLARED


class _Families(Mapping[str, Family]):
    """All families by name; the modules that declare them are loaded at the first look."""

    def __getitem__(self, name: str) -> Family:
        return _declared()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_declared())

    def __len__(self) -> int:
        return len(_declared())


FAMILIES: Mapping[str, Family] = _Families()
"""Every family by its name."""


def make_shape(family: str, seed: int) -> Shape:
    """A shape; the same family and seed always give the same one.

    Parameters
    ----------
    family
        A name in `FAMILIES`.
    seed
        Any number from 0.

    Raises
    ------
    UsageError
        If there is no such family.
    """
    if family not in FAMILIES:
        raise UsageError(f"There is no family of shapes called {family!r}.")
    # The name counts too, so that unlike families do not share their chances.
    rng = np.random.default_rng([seed, *family.encode()])
    return FAMILIES[family].make(rng)
