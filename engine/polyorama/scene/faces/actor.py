"""A face in a document: its rig, what it follows, and the curves that came of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from polyorama.core.params import checked, number, parameters_of, whole

if TYPE_CHECKING:
    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript

__all__ = ["Actor"]


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
    """

    rig: MorphRig
    performance: Performance | None = None
    script: FaceScript | None = None
    start: float = number(0.0, -1e6, 1e6, unit="s", help="Where it begins", animated=False)
    surfels: int = whole(
        90_000, 1000, 4_000_000, help="Gaussians that it is drawn with", animated=False
    )

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)

    @property
    def voice(self) -> Audio | None:
        """What it says, at its place on the timeline; None where it follows no sound."""
        sound = None if self.script is None else self.script.sound
        return None if sound is None else replace(sound, start=self.start)
