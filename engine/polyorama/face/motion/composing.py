"""One face of speech and feeling: tracks of the mouth and emotion as weights of ARKit's shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.motion.articulation import TRACK_INDEX
from polyorama.face.motion.emotions import CARRIAGE, feeling
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.motion.manners import SpeakerManner

__all__ = ["composed"]

_SPOKEN: dict[str, tuple[tuple[str, float], ...]] = {
    "open": (("jawOpen", 1.0),),
    "forward": (("jawForward", 1.0),),
    "spread": (("mouthStretch", 0.40), ("mouthSmile", 0.22), ("mouthDimple", 0.20)),
    "pucker": (("mouthPucker", 1.0),),
    "funnel": (("mouthFunnel", 1.0),),
    "upperUp": (("mouthUpperUp", 1.0),),
    "shrugUpper": (("mouthShrugUpper", 1.0),),
    "lowerDown": (("mouthLowerDown", 1.0),),
    "shrugLower": (("mouthShrugLower", 1.0),),
    "tongueOut": (("tongueOut", 1.0),),
}
"""Which shapes a track moves, and how far."""


def _mapping() -> NDArray[np.float64]:
    table = np.zeros((len(TRACK_INDEX), len(CHANNELS)))
    for track, moved in _SPOKEN.items():
        for stem, amount in moved:
            for name in (stem, stem + "Left", stem + "Right"):
                if name in CHANNEL_INDEX:
                    table[TRACK_INDEX[track], CHANNEL_INDEX[name]] = amount
    return table


_MAPPING = _mapping()
"""(tracks, 55)"""
_SMILES = [CHANNEL_INDEX["mouthSmileLeft"], CHANNEL_INDEX["mouthSmileRight"]]
_FROWNS = [CHANNEL_INDEX["mouthFrownLeft"], CHANNEL_INDEX["mouthFrownRight"]]
_LIPS = [TRACK_INDEX[n] for n in ("spread", "upperUp", "lowerDown", "shrugUpper", "shrugLower")]
_ROUND = [TRACK_INDEX["pucker"], TRACK_INDEX["funnel"]]


def composed(
    tracks: NDArray[np.float64],
    emotion: NDArray[np.float64],
    times: NDArray[np.float64],
    manner: SpeakerManner,
    seed: int,
) -> NDArray[np.float64]:
    """A face that speaks and feels, before blinks, gaze and the head, and before lips meet.

    Parameters
    ----------
    tracks
        (n, tracks) of `polyorama.face.motion.articulation.TRACKS`.
    emotion
        (n, 8) strengths of `EMOTIONS`.
    times
        (n,) s.
    manner, seed
        Whose face, and which take.

    Returns
    -------
    (n, 55) float64, not yet limited.
    """
    felt = feeling(emotion, tracks[:, TRACK_INDEX["speech"]], times, manner, seed)
    mouth = tracks.copy()
    jaw = 1.0 + emotion @ np.array([c.jaw - 1.0 for c in CARRIAGE])
    lips = 1.0 + emotion @ np.array([c.lips - 1.0 for c in CARRIAGE])
    mouth[:, TRACK_INDEX["open"]] *= manner.jaw * jaw
    mouth[:, _LIPS] *= (manner.lips * lips)[:, None]
    # Lips cannot smile and pucker: each takes from the other, speech less than the smile.
    smile = np.clip(felt[:, _SMILES].mean(axis=1), 0.0, 1.0)
    mouth[:, _ROUND] *= (manner.lips * manner.rounding * lips * (1.0 - 0.35 * smile))[:, None]
    rounded = np.clip(mouth[:, _ROUND].max(axis=1), 0.0, 1.0)
    felt[:, _SMILES] *= (1.0 - 0.55 * rounded)[:, None]
    felt[:, _FROWNS] *= (1.0 - 0.4 * rounded)[:, None]
    felt[:, _SMILES] += max(manner.smile, 0.0)
    felt[:, _FROWNS] += max(-manner.smile, 0.0)
    spoken = np.clip(mouth @ _MAPPING, 0.0, 1.0)
    # What two want is 1 - (1 - a)(1 - b): more than either, never more than all.
    return np.asarray(1.0 - (1.0 - spoken) * (1.0 - np.clip(felt, 0.0, 1.0)))
