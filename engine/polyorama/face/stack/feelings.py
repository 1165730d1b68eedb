"""What is felt when: keyed, heard or taken from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.motion.teacher import EMOTION_FPS
from polyorama.face.stack.keys import eased
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.faces.script import EmotionKey, FaceScript

__all__ = ["Feels", "emotion_curve", "keyed_emotion", "looped"]


class Feels(Protocol):
    """Who can tell what is felt, for emotion that is not keyed."""

    def heard(self, script: FaceScript) -> NDArray[np.floating]:
        """(T, 8) strengths at 25 Hz of what is heard in the sound of a script."""
        ...

    def meant(self, features: NDArray[np.floating]) -> NDArray[np.floating]:
        """(T, 8) strengths of (T, D) features."""
        ...


def keyed_emotion(keys: tuple[EmotionKey, ...], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 8) strengths at times, s: eased from key to key, held at the ends; neutral without."""
    rows = np.zeros((len(times), len(EMOTIONS)))
    if not keys:
        rows[:, 0] = 1.0
        return rows
    places = np.array([key.time for key in keys])
    values = np.array([key.weights for key in keys])
    if len(keys) == 1:
        rows[:] = values[0]
        return rows
    piece = np.clip(np.searchsorted(places, times, side="right") - 1, 0, len(keys) - 2)
    share = eased((times - places[piece]) / (places[piece + 1] - places[piece]))[:, None]
    return np.asarray((1.0 - share) * values[piece] + share * values[piece + 1])


def emotion_curve(
    script: FaceScript, seconds: float, fps: float, feels: Feels | None = None
) -> NDArray[np.float32]:
    """(T, 8) float32 strengths of `EMOTIONS` that a script asks for, without its sliders.

    Parameters
    ----------
    script
        Whose.
    seconds, fps
        How long, and rows in a second.
    feels
        Who hears and understands where emotion is detected or swapped; None is neutral there.
    """
    times = np.arange(max(round(seconds * fps), 1)) / fps
    if script.emotion == "keyed":
        return keyed_emotion(script.emotion_keys, times).astype(np.float32)
    rows = None
    if script.emotion == "swapped" and script.emotion_features is not None:
        count = max(int(np.ceil(seconds * EMOTION_FPS)), 1)
        features = looped(script.emotion_features, count)
        if features.shape[1] == len(EMOTIONS):
            rows = features
        elif feels is not None:
            rows = feels.meant(features)
    elif script.emotion == "detected" and script.sound is not None and feels is not None:
        rows = feels.heard(script)
    if rows is None or not len(rows):
        return keyed_emotion((), times).astype(np.float32)
    place = np.minimum(times * EMOTION_FPS, len(rows) - 1.0)
    low = place.astype(np.int64)
    share = (place - low)[:, None]
    high = np.minimum(low + 1, len(rows) - 1)
    return np.asarray((1.0 - share) * rows[low] + share * rows[high], np.float32)


def looped(features: NDArray[np.floating], count: int) -> NDArray[np.float32]:
    """(count, D): the features of another clip, from its beginning again where it is shorter."""
    if not len(features):
        raise UsageError("The feeling that was taken from elsewhere has no rows.")
    return np.asarray(features[np.arange(count) % len(features)], np.float32)
