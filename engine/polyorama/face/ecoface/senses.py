"""What EcoFace hears and sees: content and feeling of speech, of motion, of pictures."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.errors import UnavailableError, UsageError
from polyorama.face.ecoface.config import CONTENT_FPS, FPS, group_of
from polyorama.face.ecoface.content import (
    LISTENER,
    HubertContent,
    ListenerContent,
    content_of_phones,
)
from polyorama.face.ecoface.ede import EmotionEncoder, steadied
from polyorama.face.ecoface.frames import FrameEncoder, frames_in_units
from polyorama.face.ecoface.sound import sound_rows
from polyorama.face.ecoface.threads import one_thread
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.face.ecoface.content import ContentSource
    from polyorama.face.ecoface.weights import EcoFaceWeights
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = ["Senses"]

_BLOCK = 1500
"""Rows that are looked at at a time: a minute."""
_FRAMES = 100


class Senses:
    """What a model with weights takes in; `polyorama.face.ecoface.generate.EcoFace` is one."""

    __slots__ = ()

    weights: EcoFaceWeights
    hubert: Path | None

    def content(self, samples: NDArray[np.floating]) -> NDArray[np.float32]:
        """(2T, C) float32 content of (n,) speech at 16 kHz; T rows of motion are 25 a second.

        Raises
        ------
        UnavailableError
            If what it was trained to hear with is not here.
        """
        rows = self._source().rows(samples)
        if rows.shape[1] != self.weights.config.content:
            raise UnavailableError(
                f"This model hears with {self.weights.facts.get('features')!r}, whose rows have "
                f"{self.weights.config.content} values, not {rows.shape[1]}."
            )
        return rows

    def content_of_phones(self, track: PhoneTrack, count: int) -> NDArray[np.float32]:
        """(2 count, 40) content of phones that are known, or were moved by hand.

        Raises
        ------
        UsageError
            If the model was trained on other content than phones.
        """
        if self.weights.facts.get("features") != LISTENER:
            raise UsageError("This model does not hear phones; it needs the sound.")
        return content_of_phones(track, count)

    def _source(self) -> ContentSource:
        features = self.weights.facts.get("features", "")
        if features == LISTENER:
            return _listener()
        if features.startswith("hubert") and self.hubert is not None:
            return _hubert(self.hubert)
        raise UnavailableError(
            f"This model was trained on features of {features!r}; say in which folder they are."
        )

    def emotion_of_sound(
        self, samples: NDArray[np.floating]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How (n,) speech at 16 kHz feels: (T, D) features at 25 Hz, (T, 8) probabilities."""
        rows = self.weights.units.into("sound", sound_rows(samples))
        features = steadied(_by_blocks(self.weights.space.audio, rows), CONTENT_FPS)
        # Down-sampling is by the nearest, as in the generator.
        return features[::2].copy(), self.probabilities(features[::2])

    def emotion_of_motion(self, performance: Performance) -> NDArray[np.float32]:
        """(T, D) features at 25 Hz of a face, for instance of a take: the source of a swap.

        Raises
        ------
        UsageError
            If the model moves FLAME, which performances do not hold, or sees pictures.
        """
        self._check_arkit()
        eyes = self.weights.space.video
        if not isinstance(eyes, EmotionEncoder):
            raise UsageError("This model sees pictures of a face; give it frames.")
        rows = np.asarray(performance.resampled(FPS).weights)
        return steadied(_by_blocks(eyes, self.weights.units.into("motion", rows)), FPS)

    def emotion_of_frames(self, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(T, D) features of a face in (T, 128, 128) uint8 grey pictures, 25 a second.

        Raises
        ------
        UsageError
            If the model was not trained on pictures, or they are of another kind.
        """
        eyes = self.weights.space.video
        if isinstance(eyes, EmotionEncoder):
            raise UsageError("This model sees motion, not pictures; give it a take.")
        units, reach = frames_in_units(frames), FrameEncoder.context
        found = []
        with one_thread(), torch.inference_mode():
            for start in range(0, len(frames), _FRAMES):
                first = max(start - reach, 0)
                seen = eyes(units[None, :, first : start + _FRAMES + reach])[0]
                found.append(seen[start - first : start - first + _FRAMES])
        return steadied(torch.cat(found).numpy(), FPS)

    def probabilities(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(T, 8) float32 probabilities of `EMOTIONS` of (T, D) features."""
        means = np.asarray(features, np.float64)
        probe = self.weights.probe.astype(np.float64)
        logits = means @ probe[:, :-1].T + probe[:, -1]
        logits -= logits.max(1, keepdims=True)
        weights = np.exp(logits)
        return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)

    def emotion_features_for(self, emotion: NDArray[np.floating]) -> NDArray[np.float32]:
        """Features of a feeling that is chosen.

        Each emotion leads from neutral to its first level at strength 0.5 and to its second at 1;
        several add up.

        Parameters
        ----------
        emotion
            (8,) or (T, 8) strengths of `EMOTIONS`, 0..1.

        Returns
        -------
        (D,) or (T, D) float32.

        Raises
        ------
        UsageError
            If there are not eight, or they are not finite.
        """
        asked = np.asarray(emotion, np.float64)
        if asked.shape[-1:] != (len(EMOTIONS),) or not np.isfinite(asked).all():
            raise UsageError(f"A feeling is {len(EMOTIONS)} finite strengths.")
        prototypes = self.weights.prototypes.astype(np.float64)
        neutral = prototypes[0]
        result = np.broadcast_to(neutral, (*asked.shape[:-1], len(neutral))).copy()
        for number in range(1, len(EMOTIONS)):
            low, high = (prototypes[group_of(number, level)] - neutral for level in (1, 2))
            strength = np.clip(asked[..., number], 0.0, 1.0)[..., None]
            first, second = np.minimum(2.0 * strength, 1.0), np.maximum(2.0 * strength - 1.0, 0.0)
            result += first * low + second * (high - low)
        return np.asarray(result, np.float32)

    def _check_arkit(self) -> None:
        if self.weights.config.target != "arkit":
            raise UsageError("This model moves FLAME; a performance holds ARKit's shapes.")


def _by_blocks(net: EmotionEncoder, rows: torch.Tensor) -> NDArray[np.float32]:
    """(T, emotion) of (T, channels), the same as of a whole pass, in bounded memory."""
    found = []
    with one_thread(), torch.inference_mode():
        for start in range(0, len(rows), 2 * _BLOCK):
            first = max(start - net.context, 0)
            part = net(rows[None, first : start + 2 * _BLOCK + net.context])[0]
            found.append(part[start - first : start - first + 2 * _BLOCK])
    return np.asarray(torch.cat(found).numpy(), np.float32)


@functools.cache
def _listener() -> ContentSource:
    return ListenerContent()


@functools.cache
def _hubert(folder: Path) -> ContentSource:
    return HubertContent(folder)
