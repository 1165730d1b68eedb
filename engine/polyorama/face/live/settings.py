"""What a live face is set to; all but the look-ahead may be changed while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyorama.core.params import checked, choice, flag, number, parameters_of, whole
from polyorama.errors import UsageError
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.script import FaceStyle

__all__ = ["LiveSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSettings:
    """How a live face listens, and how it moves.

    Parameters
    ----------
    emotion
        Strengths of `EMOTIONS`, 0..1 each.
    style
        Sliders; its smoothing holds live too.

    Raises
    ------
    UsageError
        If a setting is out of range.
    """

    lookahead: str = choice("20", ("20", "60"), help="Sound it hears ahead, ms: later lips are "
                            "better lips")  # fmt: skip
    gain: float = number(0.0, -30.0, 40.0, unit="dB", help="Louder, before it is listened to",
                         animated=False)  # fmt: skip
    automatic_gain: bool = flag(True, help="Find the gain of a voice near or far", animated=False)
    gate: float = number(-60.0, -100.0, -10.0, unit="dB", help="What is quieter moves no lips",
                         animated=False)  # fmt: skip
    speaker: int = whole(0, 0, 4095, help="Whose manner", animated=False)
    seed: int = whole(0, 0, 2**31 - 1, help="Of blinks, gaze and the head's motion",
                      animated=False)  # fmt: skip
    style: FaceStyle = field(default_factory=FaceStyle)
    emotion: tuple[float, ...] = (0.0,) * len(EMOTIONS)

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = checked(parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)
        emotion = tuple(float(x) for x in self.emotion)
        if len(emotion) != len(EMOTIONS) or not all(0.0 <= x <= 1.0 for x in emotion):
            raise UsageError(f"An emotion is {len(EMOTIONS)} strengths from 0 to 1.")
        object.__setattr__(self, "emotion", emotion)

    @property
    def lookahead_ms(self) -> int:
        """Sound it hears ahead, ms."""
        return int(self.lookahead)
