"""Manners: how a person moves whatever they say. Eight made-up ones are the speakers."""

from __future__ import annotations

from dataclasses import dataclass

from polyorama.core.params import checked, number, parameters_of

__all__ = ["SPEAKERS", "SpeakerManner", "manner_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerManner:
    """A person's style vector; 1 (or 0 for what has a sign) is nobody in particular."""

    name: str
    jaw: float = number(1.0, 0.3, 1.6, help="How far the jaw opens")
    lips: float = number(1.0, 0.3, 1.6, help="How much the lips shape")
    rounding: float = number(1.0, 0.5, 1.5, help="How much the lips protrude")
    brows: float = number(1.0, 0.0, 2.0, help="How lively the brows are")
    expressivity: float = number(1.0, 0.4, 1.4, help="How much of a feeling is shown")
    pace: float = number(1.0, 0.6, 1.6, help="Above 1 crisp, below 1 slurred")
    blinks: float = number(1.0, 0.3, 2.5, help="How often it blinks")
    gaze: float = number(1.0, 0.0, 2.0, help="How far the eyes wander")
    head: float = number(1.0, 0.0, 2.0, help="How lively the head is")
    asymmetry: float = number(0.0, -0.5, 0.5, help="The left half more than the right")
    smile: float = number(0.0, -0.2, 0.2, help="A face that smiles, or droops, at rest")
    tilt: float = number(0.0, -0.15, 0.15, unit="rad", help="How the head is carried")

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)


SPEAKERS: tuple[SpeakerManner, ...] = (
    SpeakerManner(name="Ada", smile=0.04, asymmetry=0.06),
    SpeakerManner(name="Bruno", jaw=0.78, lips=0.80, brows=0.6, pace=0.85, head=0.65, blinks=0.8,
                  expressivity=0.82, asymmetry=-0.12, smile=-0.03),
    SpeakerManner(name="Chiara", jaw=1.18, lips=1.22, rounding=1.15, brows=1.45, pace=1.15,
                  head=1.4, blinks=1.3, gaze=1.3, expressivity=1.2, smile=0.08, tilt=0.03),
    SpeakerManner(name="Dmitri", jaw=0.9, lips=0.92, brows=0.8, head=0.5, blinks=0.55,
                  gaze=0.6, expressivity=0.9, asymmetry=0.18, tilt=-0.03),
    SpeakerManner(name="Esther", jaw=1.05, lips=1.12, rounding=0.85, brows=1.2, pace=1.3, head=0.9,
                  blinks=1.0, expressivity=1.05, asymmetry=-0.06),
    SpeakerManner(name="Farid", jaw=1.25, lips=0.95, rounding=1.2, brows=0.9, pace=0.95, head=1.15,
                  blinks=1.6, gaze=1.1, expressivity=1.1, asymmetry=0.10, tilt=0.05),
    SpeakerManner(name="Gwen", jaw=0.85, lips=1.1, rounding=1.3, brows=1.1, pace=1.05,
                  head=0.8, blinks=1.9, gaze=1.5, expressivity=0.95, smile=0.02, tilt=-0.05),
    SpeakerManner(name="Hiro", jaw=0.95, lips=1.0, brows=1.3, pace=1.2, head=1.25,
                  blinks=0.9, gaze=0.8, expressivity=1.15, asymmetry=-0.2, smile=0.05),
)  # fmt: skip
"""The eight synthetic persons, in the order of the model's speakers."""


def manner_of(speaker: int) -> SpeakerManner:
    """The manner of a speaker by number.

    Those beyond the eight are known to a model alone; by rules they move as nobody in particular.
    """
    if 0 <= speaker < len(SPEAKERS):
        return SPEAKERS[speaker]
    return SpeakerManner(name=f"Speaker {speaker}")
