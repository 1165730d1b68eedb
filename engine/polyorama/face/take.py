"""A take: a performance with its sound, phones and emotion, and where all of it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.performance import frozen_rows
from polyorama.scene.faces.phones import PhoneTrack

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.performance import Performance

__all__ = ["TRAINED_ON", "Provenance", "Take"]

TRAINED_ON = "Trained on synthetic speech and rule-based motion, not on people."
"""What is said wherever the shipped model's results are shown."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a take came from.

    Parameters
    ----------
    source
        "rules", "model", "mix", "live", or what a file was.
    model
        Name of the model and its hash, such as "ecoface-default 3f2a...", or "".
    training
        One sentence on what the model was trained on, or "".
    seed, temperature
        Of the take.
    speaker, emotion
        In words.
    sound
        Name of the sound's file, or "".
    program
        Name and version of what wrote it.
    channels
        Source of each channel where sources differ.
    """

    source: str
    model: str = ""
    training: str = ""
    seed: int = 0
    temperature: float = 0.0
    speaker: str = ""
    emotion: str = ""
    sound: str = ""
    program: str = ""
    channels: Mapping[str, str] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """A performance and all that belongs to it.

    Parameters
    ----------
    performance
        The curves.
    phones
        What is said; may be empty.
    emotion
        (T, 8) float32 strengths of `EMOTIONS` at the rows of the performance, or None.
    sound
        The speech as it was read, or None.
    provenance
        Where it came from.

    Raises
    ------
    UsageError
        If the emotion's rows are not the performance's.
    """

    performance: Performance
    provenance: Provenance
    phones: PhoneTrack = field(default_factory=PhoneTrack)
    emotion: NDArray[np.float32] | None = None
    sound: Audio | None = None

    def __post_init__(self) -> None:
        if self.emotion is None:
            return
        emotion = frozen_rows(self.emotion)
        if emotion.shape != (len(self.performance), len(EMOTIONS)):
            raise UsageError(f"A take's emotion has a row a frame, not the shape {emotion.shape}.")
        object.__setattr__(self, "emotion", emotion)
