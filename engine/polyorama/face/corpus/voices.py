"""Who speaks in the corpus, and how a feeling sounds: tables of synthesisers' settings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ESPEAK_VOICES", "FLITE_PITCH", "HELD_OUT_VOICE", "PROSODY", "SPEAKERS", "Prosody", "Speaker",
    "Voice", "prosody_of",
]  # fmt: skip

HELD_OUT_VOICE = "rms"
"""The voice of flite that nothing is trained on."""

FLITE_PITCH: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"slt": (172.0, 11.0), "awb": (128.0, 14.0), "kal16": (105.0, 11.0), "rms": (98.0, 8.0)}
)
"""flite's voices: mean and spread of their own pitch, Hz."""

ESPEAK_VOICES: tuple[str, ...] = tuple(
    f"{accent}+{variant}" if variant else accent
    for accent in ("gmw/en-US", "gmw/en", "gmw/en-GB-x-rp")
    for variant in ("", "m1", "m2", "m3", "m4", "m5", "m7", "m8", "f1", "f2", "f3", "f4", "f5",
                    "klatt", "klatt2", "klatt3", "steph", "belinda", "linda", "max", "zac")
)  # fmt: skip
"""espeak-ng's voices that speak clearly: three accents of English by variants of the throat."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A setting of a synthesiser.

    Parameters
    ----------
    engine
        "flite" or "espeak".
    name
        The engine's name of the voice.
    pitch, spread
        Mean pitch and liveliness of pitch, as ratios of the voice's own.
    stretch
        Duration as a ratio of the voice's own.
    tract
        Ratio of formants to the voice's own: above 1 a shorter throat. Pitch and duration stay.

    Raises
    ------
    UsageError
        If the engine or voice is unknown, or a ratio is out of range.
    """

    engine: str
    name: str
    pitch: float = 1.0
    spread: float = 1.0
    stretch: float = 1.0
    tract: float = 1.0

    def __post_init__(self) -> None:
        if self.engine not in ("flite", "espeak"):
            raise UsageError(f"Speech is made by flite or espeak, not by {self.engine!r}.")
        if self.engine == "flite" and self.name not in FLITE_PITCH:
            raise UsageError(
                f"flite's voices here are {', '.join(FLITE_PITCH)}; there is no {self.name!r}."
            )
        for ratio in (self.pitch, self.stretch, self.tract):
            if not 0.25 <= ratio <= 4.0:
                raise UsageError(f"A voice's ratios lie from 0.25 to 4, not at {ratio}.")
        if not 0.0 <= self.spread <= 4.0:
            raise UsageError(f"A voice's spread lies from 0 to 4, not at {self.spread}.")


@dataclass(frozen=True, slots=True)
class Speaker:
    """A person of the corpus: a name for people, and a voice."""

    name: str
    voice: Voice


SPEAKERS: tuple[Speaker, ...] = (
    Speaker("Ada", Voice("flite", "slt")),
    Speaker("Bruce", Voice("flite", "awb")),
    Speaker("Carl", Voice("flite", "kal16", spread=1.3)),
    Speaker("Dora", Voice("flite", "slt", pitch=1.22, stretch=0.94, tract=1.12)),
    Speaker("Ewan", Voice("flite", "awb", pitch=0.82, stretch=1.08, tract=0.9)),
    Speaker("Fay", Voice("espeak", "gmw/en-US+f3", stretch=1.1)),
    Speaker("Gus", Voice("espeak", "gmw/en-US+m3", pitch=0.9, stretch=1.15)),
    Speaker("Hope", Voice("espeak", "gmw/en+f2", pitch=1.1, stretch=1.05)),
)
"""The eight synthetic speakers, by number."""


@dataclass(frozen=True, slots=True)
class Prosody:
    """How a feeling changes a voice at full strength.

    Parameters
    ----------
    pitch, spread, stretch
        Ratios on those of the voice.
    gain
        Loudness, dB.
    tilt
        Slope added to the spectrum, dB an octave about 1 kHz: above 0 pressed, below 0 soft.
    tremor
        Depth of the trembling of pitch and loudness at 5-7 Hz, 0..1.
    jitter
        Irregularity of the voice's periods, as a share of a period.
    breath
        Breathing noise against the voice, 0..1 in amplitude.
    """

    pitch: float = 1.0
    spread: float = 1.0
    stretch: float = 1.0
    gain: float = 0.0
    tilt: float = 0.0
    tremor: float = 0.0
    jitter: float = 0.0
    breath: float = 0.0

    def at(self, strength: float) -> Prosody:
        """The same feeling at a share of its strength: ratios by powers, the rest in proportion."""
        ratios = ("pitch", "spread", "stretch")
        return Prosody(**{
            f.name: getattr(self, f.name) ** strength if f.name in ratios
            else getattr(self, f.name) * strength
            for f in fields(self)
        })  # fmt: skip


PROSODY: Mapping[str, Prosody] = MappingProxyType({
    # The directions are those that studies of acted speech agree on (Juslin & Laukka 2003).
    "neutral": Prosody(),
    # Low arousal without pain: a little lower, slower, softer, and flat.
    "calm": Prosody(0.93, 0.65, 1.12, -4.0, -1.5, 0.0, 0.0, 0.02),
    # High arousal, pleasant: higher and livelier, quick, bright, regular.
    "happy": Prosody(1.24, 1.7, 0.92, 3.0, 1.2, 0.0, 0.0, 0.0),
    # Low arousal, unpleasant: low, flat, slow, quiet and dull, with some breath and tremble.
    "sad": Prosody(0.86, 0.45, 1.28, -7.0, -3.0, 0.15, 0.004, 0.06),
    # High arousal, unpleasant: loud, pressed, quick, harsh, wide in pitch.
    "angry": Prosody(1.14, 1.45, 0.88, 7.0, 3.0, 0.0, 0.018, 0.0),
    # High, hurried, trembling and breathy, with little melody.
    "fearful": Prosody(1.42, 0.8, 0.84, -1.0, 0.6, 0.6, 0.008, 0.08),
    # Low, slow, creaky and pressed.
    "disgust": Prosody(0.84, 1.15, 1.2, 1.0, 0.8, 0.0, 0.028, 0.0),
    # Very high and very wide in pitch, loud, with a breath.
    "surprised": Prosody(1.6, 2.2, 1.0, 4.0, 0.8, 0.0, 0.0, 0.04),
})  # fmt: skip
"""What each emotion does to a voice at its second level."""

_STRENGTH = {1: 0.5, 2: 1.0}


def prosody_of(emotion: int, level: int) -> Prosody:
    """How an emotion of `EMOTIONS` sounds at level 1 or 2.

    Raises
    ------
    UsageError
        If there is no such emotion or level; neutral has level 1 alone.
    """
    if not 0 <= emotion < len(EMOTIONS):
        raise UsageError(f"There are emotions 0 to {len(EMOTIONS) - 1}, not {emotion}.")
    if level not in _STRENGTH or (emotion == 0 and level != 1):
        raise UsageError(f"{EMOTIONS[emotion]} has no level {level}.")
    return PROSODY[EMOTIONS[emotion]].at(_STRENGTH[level])
