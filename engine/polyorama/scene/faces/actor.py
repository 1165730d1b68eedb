"""A face in a document: its rig, what it follows, and the curves that came of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from polyorama.core.frozen import FrozenMap
from polyorama.core.params import checked, number, parameters_of, whole
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript

__all__ = ["Actor", "Trait"]

Trait = float | str | tuple[float, ...]
"""A slider, a choice or a colour of an identity."""
_MOST_TRAITS, _MOST_PARTS = 128, 16


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class Actor:
    """A face that performs.

    Parameters
    ----------
    rig
        What moves.
    performance
        What is seen, or None: the face rests. Its first row is at `start`.
    script
        What the performance was made from, or None where it came from elsewhere.
    start
        Where the performance begins on the timeline, s.
    surfels
        How many Gaussians it is drawn with.
    identity
        What the rig was built from, by the names of the builder's own parameters, so that it can
        be shaped further; None for a rig that came as it is.

    Raises
    ------
    UsageError
        If a number is out of its bounds, or an identity holds what is no trait.
    """

    rig: MorphRig
    performance: Performance | None = None
    script: FaceScript | None = None
    start: float = number(0.0, -1e6, 1e6, unit="s", help="Where it begins", animated=False)
    surfels: int = whole(
        90_000, 1000, 4_000_000, help="Gaussians that it is drawn with", animated=False
    )
    identity: Mapping[str, Trait] | None = None

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)
        if self.identity is not None:
            object.__setattr__(self, "identity", FrozenMap(self.identity))
            for name, trait in self.identity.items():
                if not _is_trait(trait):
                    raise UsageError(f"The identity's {name[:80]!r} is no number, word or colour.")
            if len(self.identity) > _MOST_TRAITS:
                raise UsageError(f"An identity has at most {_MOST_TRAITS} traits.")

    @property
    def voice(self) -> Audio | None:
        """What it says, at its place on the timeline; None where it follows no sound."""
        sound = None if self.script is None else self.script.sound
        return None if sound is None else replace(sound, start=self.start)


def _is_trait(value: object) -> bool:
    if isinstance(value, tuple):
        return len(value) <= _MOST_PARTS and all(_is_number(part) for part in value)
    return isinstance(value, str) or _is_number(value)


def _is_number(value: object) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and math.isfinite(value)  # type: ignore[arg-type]
