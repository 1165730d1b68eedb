"""Feelings on a face: presets after the facial action coding system, and how speech meets them.

Action units as in Ekman and Friesen 1978 and the prototypes of Ekman, Friesen and Hager 2002,
mapped by hand to ARKit's shapes; strong enough to be read from two metres.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyorama.face.motion.noise import smooth_noise
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX, CHANNELS, EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.face.motion.manners import SpeakerManner

__all__ = ["CARRIAGE", "PRESETS", "Carriage", "feeling"]

_PAIRED = frozenset(n[:-4] for n in ARKIT if n.endswith("Left")) - {"jaw", "mouth"}
_SWAYS = {
    side: np.array(
        [CHANNEL_INDEX[stem + side] for stem in sorted(_PAIRED) if not stem.startswith(
            ("eyeLook", "eyeBlink"))], np.int64)
    for side in ("Left", "Right")
}  # fmt: skip

_MADE_OF: dict[str, dict[str, float | tuple[float, float]]] = {
    "neutral": {},
    # Lids at ease, a closed-lip smile that the eyes hardly know of.
    "calm": {"mouthSmile": (0.32, 0.28), "eyeBlink": 0.28, "browOuterUp": 0.10, "cheekSquint": 0.08,
             "mouthDimple": 0.10, "browInnerUp": 0.06},
    # AU 6 + 12 + 25
    "happy": {"mouthSmile": (0.92, 0.86), "cheekSquint": (0.80, 0.76), "eyeSquint": 0.38,
              "mouthDimple": 0.22, "mouthUpperUp": 0.22, "browOuterUp": 0.18, "browInnerUp": 0.10,
              "mouthLowerDown": 0.12, "jawOpen": 0.06},
    # AU 1 + 4 + 15 + 17
    "sad": {"browInnerUp": 0.95, "browDown": 0.18, "mouthFrown": (0.85, 0.80),
            "mouthShrugLower": 0.50, "eyeBlink": 0.26, "eyeSquint": 0.12, "mouthRollLower": 0.12,
            "eyeLookDown": 0.20, "mouthPress": 0.12},
    # AU 4 + 5 + 7 + 10 + 23 + 25
    "angry": {"browDown": (1.0, 1.0), "eyeSquint": 0.50, "eyeWide": 0.12, "noseSneer": (0.45, 0.40),
              "mouthPress": 0.30, "mouthFrown": 0.35, "mouthUpperUp": (0.22, 0.16),
              "mouthStretch": 0.18, "mouthLowerDown": 0.28, "jawForward": 0.30,
              "mouthShrugLower": 0.15, "cheekSquint": 0.18},
    # AU 1 + 2 + 4 + 5 + 20 + 26
    "fearful": {"browInnerUp": 1.0, "browDown": 0.22, "browOuterUp": 0.30, "eyeWide": 0.95,
                "mouthStretch": (0.72, 0.66), "jawOpen": 0.12, "mouthLowerDown": 0.26,
                "mouthFrown": 0.22},
    # AU 9 + 10 + 15 + 17
    "disgust": {"noseSneer": (0.90, 1.0), "mouthUpperUp": (0.30, 0.52), "browDown": (0.62, 0.72),
                "eyeSquint": (0.60, 0.72), "cheekSquint": (0.42, 0.55), "mouthFrown": (0.45, 0.40),
                "mouthShrugUpper": 0.25, "mouthShrugLower": 0.42, "mouthLowerDown": 0.10},
    # AU 1 + 2 + 5 + 26
    "surprised": {"browInnerUp": 0.90, "browOuterUp": (1.0, 0.96), "eyeWide": 0.90,
                  "jawOpen": 0.34, "mouthFunnel": 0.18},
}  # fmt: skip

_LATE = frozenset(("jawOpen", "mouthUpperUp", "mouthLowerDown", "mouthFunnel", "jawForward"))
"""What joins in only where a feeling is strong: its share is squared."""


class Carriage(NamedTuple):
    """How a feeling carries the head (rad), how lively it is, and what it does to articulation."""

    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    lively: float = 1.0
    jaw: float = 1.0
    lips: float = 1.0


CARRIAGE: tuple[Carriage, ...] = (
    Carriage(),
    Carriage(pitch=0.02, roll=0.02, lively=0.65, jaw=0.95),
    Carriage(pitch=0.05, roll=0.04, lively=1.35, jaw=1.08, lips=1.0),
    Carriage(pitch=-0.15, roll=-0.04, yaw=0.03, lively=0.5, jaw=0.80, lips=0.80),
    Carriage(pitch=-0.09, lively=1.25, jaw=1.15, lips=1.2),
    Carriage(pitch=0.06, yaw=-0.04, lively=1.15, jaw=0.95, lips=0.95),
    Carriage(pitch=0.06, yaw=0.10, roll=-0.05, lively=0.85, jaw=0.92, lips=0.95),
    Carriage(pitch=0.09, lively=1.15, jaw=1.12),
)  # fmt: skip
"""Of each of `EMOTIONS`."""


def _presets() -> NDArray[np.float64]:
    table = np.zeros((len(EMOTIONS), len(CHANNELS)))
    for row, name in enumerate(EMOTIONS):
        for channel, amount in _MADE_OF[name].items():
            if channel not in _PAIRED:
                table[row, CHANNEL_INDEX[channel]] = amount
                continue
            left, right = amount if isinstance(amount, tuple) else (amount, amount)
            table[row, CHANNEL_INDEX[channel + "Left"]] = left
            table[row, CHANNEL_INDEX[channel + "Right"]] = right
    table.flags.writeable = False
    return table


PRESETS: NDArray[np.float64] = _presets()
"""(8, 55) weights of each of `EMOTIONS` at full strength, a mouth that does not speak."""

_POWER = np.array([2.0 if n.startswith(tuple(_LATE)) else 1.0 for n in CHANNELS])

_WHILE_SPEAKING: Mapping[str, float] = MappingProxyType(
    {"jawOpen": 0.55, "mouthFunnel": 0.25, "mouthLowerDown": 0.55, "mouthUpperUp": 0.6,
     "mouthStretch": 0.75, "mouthPress": 0.15, "mouthShrugLower": 0.45, "mouthShrugUpper": 0.5,
     "mouthRollLower": 0.3, "mouthSmile": 0.8, "mouthFrown": 0.8, "mouthDimple": 0.7}
)  # fmt: skip
"""Share of a feeling's mouth that is left while it speaks."""

_SPOKEN = np.array(
    [next((s for stem, s in _WHILE_SPEAKING.items() if n.startswith(stem)), 1.0) for n in CHANNELS]
)


def feeling(
    emotion: NDArray[np.float64],
    speech: NDArray[np.float64],
    times: NDArray[np.float64],
    manner: SpeakerManner,
    seed: int,
) -> NDArray[np.float64]:
    """What a feeling does to every channel but the head's.

    Parameters
    ----------
    emotion
        (n, 8) strengths of `EMOTIONS`.
    speech
        (n,) 0 silent to 1 speaking: a mouth that speaks shows less of it.
    times
        (n,) s, for variation: a feeling that is held is never quite still.
    manner, seed
        Whose face, and which take.

    Returns
    -------
    (n, 55) float64.
    """
    total = np.zeros((len(times), len(CHANNELS)))
    for row, name in enumerate(EMOTIONS):
        strength = emotion[:, row]
        if not strength.any() or not PRESETS[row].any():
            continue
        sway = 1.0 + 0.10 * smooth_noise(times, seed, f"feeling {name}", 1.1)
        shown = np.clip(strength * manner.expressivity, 0.0, 1.25) * sway
        total += np.where(_POWER > 1.0, (shown * shown)[:, None], shown[:, None]) * PRESETS[row]
    left = smooth_noise(times, seed, "feeling side", 1.7) * 0.07
    total[:, _SWAYS["Left"]] *= (1.0 + left)[:, None]
    total[:, _SWAYS["Right"]] *= (1.0 - left)[:, None]
    return np.asarray(total * (1.0 + speech[:, None] * (_SPOKEN - 1.0)))
