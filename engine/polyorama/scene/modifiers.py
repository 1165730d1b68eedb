"""The edit stack: modifiers of a splat node, as plain values; `polyorama.scene.stack` applies them.

A modifier says what becomes of the splats that its mask holds. Nothing is changed in the node's own
arrays until the stack is applied for good, so every step can be switched off, reordered, weakened,
keyed and taken back.

All lengths are in the node's own space, before the node's transform.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from polyorama.core.params import (
    checked,
    choice,
    color,
    flag,
    number,
    parameters_of,
    vector,
    whole,
)
from polyorama.core.text import quoted
from polyorama.errors import UsageError
from polyorama.scene.rules import parse_rule
from polyorama.scene.selection import BitSet

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MODIFIERS", "Crop", "Decimate", "Delete", "Fill", "Grade", "Mask", "Modifier", "Noise",
    "Opacity", "SHLevel", "Size", "Transform", "Wind", "make_modifier",
]  # fmt: skip

Mask = str | BitSet | None
"""Which splats a modifier changes: those of a rule, those picked by hand, or None for all."""
_BLACK_BELOW_WHITE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Modifier:
    """What all modifiers share.

    Parameters
    ----------
    id
        Short string, unique in its stack.
    name
        What the stack shows; "" shows the kind's title.
    mask
        Which splats it changes: a rule, asked of the splats as they are at this step; a set of the
        node's own splats; or None for all.
    enabled
        Off is as if it were not there.
    strength
        0 does nothing, 1 all of it.
    """

    kind: ClassVar[str] = ""
    title: ClassVar[str] = ""
    id: str = field(default="")
    name: str = field(default="")
    mask: Mask = field(default=None)
    enabled: bool = flag(True, help="Whether this step is carried out")
    strength: float = number(1.0, 0.0, 1.0, help="How much of it", soft=(0.0, 1.0))

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)
        for field_name in ("id", "name"):
            if not isinstance(getattr(self, field_name), str):
                raise UsageError(f"A modifier's {field_name} is a text.")
        if "/" in self.id:
            raise UsageError(f"A modifier's id has no slash in it: {quoted(self.id)}")
        if isinstance(self.mask, str):
            parse_rule(self.mask)
        elif self.mask is not None and not isinstance(self.mask, BitSet):
            raise UsageError("A modifier's mask is a rule, a set of splats, or None for all.")

    def replaced(self, **values: Any) -> Modifier:
        """The same with some fields changed.

        Raises
        ------
        UsageError
            If there is no such field or a value is out of bounds.
        """
        unknown = set(values) - {f.name for f in dataclasses.fields(self)}
        if unknown:
            raise UsageError(f"{self.title} has no property {sorted(unknown)[0]!r}.")
        return dataclasses.replace(self, **values)

    def keyed(self, values: Mapping[str, Any]) -> Modifier:
        """The same with values of keys, each within its bounds; they are held where they clash."""
        return self.replaced(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform(Modifier):
    """Scales, turns and moves about a pivot: x -> R S (x - pivot) + pivot + translation."""

    kind: ClassVar[str] = "transform"
    title: ClassVar[str] = "Transform"
    translation: tuple[float, ...] = vector((0.0, 0.0, 0.0), help="Moved by")
    rotation: tuple[float, ...] = vector(
        (0.0, 0.0, 0.0), unit="°", soft=(-180.0, 180.0), help="Turned about x, then y, then z"
    )
    scale: tuple[float, ...] = vector(
        (1.0, 1.0, 1.0), 1e-6, 1e6, soft=(0.1, 10.0), help="Scaled along x, y, z"
    )
    pivot: tuple[float, ...] = vector((0.0, 0.0, 0.0), help="The point that stays")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade(Modifier):
    """Colour: a linear map with offsets, then gamma; offsets touch the DC term alone."""

    kind: ClassVar[str] = "grade"
    title: ClassVar[str] = "Grade"
    exposure: float = number(0.0, -10.0, 10.0, unit="stops", soft=(-3.0, 3.0), help="Brighter")
    temperature: float = number(0.0, -1.0, 1.0, soft=(-1.0, 1.0), help="Warmer")
    tint: float = number(0.0, -1.0, 1.0, soft=(-1.0, 1.0), help="Towards magenta")
    saturation: float = number(1.0, 0.0, 10.0, soft=(0.0, 2.0), help="0 is grey")
    hue: float = number(0.0, -360.0, 360.0, unit="°", soft=(-180.0, 180.0), help="Turned hue")
    black: float = number(0.0, -1.0, 0.99, soft=(-0.5, 0.5), help="What becomes black")
    white: float = number(1.0, 0.01, 4.0, soft=(0.5, 2.0), help="What becomes white")
    gamma: float = number(1.0, 0.1, 10.0, soft=(0.4, 2.5), help="Lighter midtones")
    multiply: tuple[float, ...] = color((1.0, 1.0, 1.0), help="Multiplied colour")

    def __post_init__(self) -> None:
        Modifier.__post_init__(self)
        if not self.black < self.white:
            raise UsageError("The black point lies below the white point.")

    def keyed(self, values: Mapping[str, Any]) -> Modifier:
        """See `Modifier.keyed`; where keys cross, the black point stays below the white one."""
        white = values.get("white", self.white)
        black = min(values.get("black", self.black), white - _BLACK_BELOW_WHITE)
        return self.replaced(**{**values, "black": black})


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop(Modifier):
    """Keeps what is inside a volume; towards its surface splats fade over the soft edge."""

    kind: ClassVar[str] = "crop"
    title: ClassVar[str] = "Crop"
    shape: str = choice("box", ("box", "sphere", "ellipsoid", "plane"), help="The volume's form")
    center: tuple[float, ...] = vector((0.0, 0.0, 0.0), help="The volume's middle")
    rotation: tuple[float, ...] = vector((0.0, 0.0, 0.0), unit="°", soft=(-180.0, 180.0))
    size: tuple[float, ...] = vector(
        (1.0, 1.0, 1.0), 1e-6, 1e9, help="Side lengths or diameters; a sphere takes the first"
    )
    soft: float = number(0.0, 0.0, 1e9, help="Width of the edge over which splats fade")
    inverted: bool = flag(False, help="Keep what is outside")
    volume: str = field(default="")
    """Id of a crop-volume node that gives shape and place instead; "" for none."""

    def __post_init__(self) -> None:
        Modifier.__post_init__(self)
        if not isinstance(self.volume, str):
            raise UsageError("A crop's volume is the id of a node, or an empty text for none.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(Modifier):
    """Removes the splats that a rule holds for; strength below 1 fades them."""

    kind: ClassVar[str] = "delete"
    title: ClassVar[str] = "Delete by rule"
    rule: str = field(default="opacity < 0.05")

    def __post_init__(self) -> None:
        Modifier.__post_init__(self)
        if not isinstance(self.rule, str):
            raise UsageError("A rule is a text.")
        parse_rule(self.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opacity(Modifier):
    """Multiplies opacities."""

    kind: ClassVar[str] = "opacity"
    title: ClassVar[str] = "Opacity"
    factor: float = number(1.0, 0.0, 100.0, soft=(0.0, 2.0), help="Times as opaque")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size(Modifier):
    """Multiplies the splats' own scales; they stay where they are."""

    kind: ClassVar[str] = "size"
    title: ClassVar[str] = "Size"
    factor: float = number(1.0, 0.001, 1000.0, soft=(0.1, 3.0), help="Times as large")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill(Modifier):
    """Gives splats a colour; with `shading`, light and dark stay as they are."""

    kind: ClassVar[str] = "fill"
    title: ClassVar[str] = "Colour fill"
    color: tuple[float, ...] = color((1.0, 0.7, 0.33), help="The colour")
    shading: bool = flag(True, help="Keep light and dark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise(Modifier):
    """Displaces splats by smooth noise."""

    kind: ClassVar[str] = "noise"
    title: ClassVar[str] = "Noise"
    amplitude: float = number(0.05, 0.0, 1e9, soft=(0.0, 1.0), help="Largest displacement")
    frequency: float = number(
        2.0, 0.0, 1e6, unit="1/unit", soft=(0.0, 20.0), help="Waves in a world unit"
    )
    speed: float = number(0.0, -100.0, 100.0, unit="1/s", soft=(0.0, 4.0), help="Change")
    seed: int = whole(0, 0, 2**31 - 1, help="Another pattern", animated=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wind(Modifier):
    """Sways splats: the farther from `root` along `up`, the more."""

    kind: ClassVar[str] = "wind"
    title: ClassVar[str] = "Wind"
    direction: tuple[float, ...] = vector((1.0, 0.0, 0.0), help="Where it blows to")
    amplitude: float = number(0.05, 0.0, 1e9, soft=(0.0, 1.0), help="Sway at full reach")
    frequency: float = number(0.5, 0.0, 100.0, unit="Hz", soft=(0.0, 4.0), help="Gusts in a second")
    wavelength: float = number(2.0, 1e-6, 1e9, soft=(0.1, 10.0), help="Distance between gusts")
    turbulence: float = number(0.3, 0.0, 1.0, soft=(0.0, 1.0), help="Share of irregular sway")
    root: tuple[float, ...] = vector((0.0, 0.0, 0.0), help="Where nothing moves")
    up: tuple[float, ...] = vector((0.0, -1.0, 0.0), help="From the root to what sways")
    reach: float = number(1.0, 1e-6, 1e9, help="Distance of full sway")
    seed: int = whole(0, 0, 2**31 - 1, help="Other gusts", animated=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SHLevel(Modifier):
    """Fades view-dependent colour: 0 keeps none of it, 3 all; between, a band fades."""

    kind: ClassVar[str] = "sh-level"
    title: ClassVar[str] = "Harmonics"
    level: float = number(3.0, 0.0, 3.0, soft=(0.0, 3.0), help="Highest band that is kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decimate(Modifier):
    """Merges splats until a share of them is left; its mask must be None."""

    kind: ClassVar[str] = "decimate"
    title: ClassVar[str] = "Decimate"
    percent: float = number(
        50.0, 0.01, 100.0, unit="%", soft=(1.0, 100.0), help="Share that is left", animated=False
    )

    def __post_init__(self) -> None:
        Modifier.__post_init__(self)
        if self.mask is not None:
            raise UsageError("Decimating takes all splats; it has no mask.")


MODIFIERS: dict[str, type[Modifier]] = {
    cls.kind: cls
    for cls in (
        Transform, Grade, Crop, Delete, Opacity, Size, Fill, Noise, Wind, SHLevel, Decimate,
    )
}  # fmt: skip
"""Every kind of modifier, in the order of menus."""


def make_modifier(kind: str, **values: Any) -> Modifier:
    """A modifier by the name of its kind, with some fields set.

    Raises
    ------
    UsageError
        If the kind or a field is unknown, or a value is out of bounds.
    """
    if kind not in MODIFIERS:
        raise UsageError(f"There is no modifier {kind!r}; there are {', '.join(MODIFIERS)}.")
    return MODIFIERS[kind]().replaced(**values)
