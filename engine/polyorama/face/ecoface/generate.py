"""EcoFace at work: speech and a feeling in, motion out, whole or in parts."""

from __future__ import annotations

import importlib.resources
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.errors import UnavailableError, UsageError
from polyorama.face.ecoface.config import FPS, STRIDE
from polyorama.face.ecoface.senses import Senses
from polyorama.face.ecoface.space import EmotionMap
from polyorama.face.ecoface.threads import one_thread
from polyorama.face.ecoface.weights import EcoFaceWeights, load_weights
from polyorama.scene.faces.channels import ARKIT, EMOTIONS
from polyorama.scene.faces.performance import Performance

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["EcoFace", "looped", "noise_of", "upsampled"]

_SHIPPED = "ecoface-default.safetensors"
_NOISE_BLOCK = 64
_BLOCK = 1500
"""Rows that are made at a time: a minute."""
_FRAMES = 100


@dataclass(frozen=True, slots=True, eq=False)
class EcoFace(Senses):
    """A trained model.

    Parameters
    ----------
    weights
        The networks.
    name
        For people, such as "ecoface-default 3f2a...".
    hubert
        Folder of a HuBERT, for models that were trained on one.
    """

    weights: EcoFaceWeights
    name: str = "ecoface"
    hubert: Path | None = None
    map: EmotionMap = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "map", EmotionMap.of(self.weights.prototypes))

    @classmethod
    def load(cls, path: Path | None = None, hubert: Path | None = None) -> EcoFace:
        """Read a model.

        Parameters
        ----------
        path
            Weights; None takes those that come along.
        hubert
            Folder of the HuBERT that it was trained on, if any.

        Raises
        ------
        FileFormatError
            If they are damaged.
        UnavailableError
            If those that come along are missing.
        """
        if path is None:
            folder = Path(str(importlib.resources.files("polyorama_assets"))) / "face"
            path = folder / _SHIPPED
            if not path.is_file():
                raise UnavailableError(
                    f"The weights of EcoFace are missing ({path}); install Polyorama anew."
                )
        weights = load_weights(path)
        return cls(weights, f"{path.stem} {weights.digest}", hubert)

    @property
    def trained_on(self) -> str:
        """One sentence on what it learned from."""
        return self.weights.facts.get("trained_on", "")

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of speakers by number."""
        return self.weights.persons

    def person(self, speaker: float | NDArray[np.floating]) -> NDArray[np.float32]:
        """(condition,) float32 vector of a speaker.

        Parameters
        ----------
        speaker
            A number; between two numbers they are mixed, and beyond the first or last the way
            from its neighbour goes on, at most by one. Or a vector of one's own.

        Raises
        ------
        UsageError
            If there is no such speaker.
        """
        table = self.weights.vae.person.weight.numpy()
        asked = np.asarray(speaker, np.float32)
        if asked.shape == table.shape[1:] and np.isfinite(asked).all():
            return asked
        last = len(table) - 1
        if asked.shape or not -1.0 <= float(asked) <= last + 1.0:
            raise UsageError(f"There are speakers 0 to {last}, not {speaker}.")
        if last == 0:
            return np.asarray(table[0])
        low = min(max(int(np.floor(float(asked))), 0), last - 1)
        share = np.float32(float(asked) - low)
        return np.asarray((1.0 - share) * table[low] + share * table[low + 1], np.float32)

    # -- what comes out

    def generate(
        self, content: NDArray[np.floating], emotion_features: NDArray[np.floating],
        speaker: float | NDArray[np.floating] = 0, *, seed: int = 0, temperature: float = 0.7,
        start: int = 0, stop: int | None = None,
    ) -> NDArray[np.float32]:  # fmt: skip
        """Motion of rows `start` to `stop`, the same as of a whole pass.

        Parameters
        ----------
        content
            (2T, C) of the whole clip.
        emotion_features
            (T, D) at 25 Hz, or (D,) for one feeling throughout.
        speaker
            As `person` takes it.
        seed, temperature
            Which take, and how far from the middle of all takes.
        start, stop
            Rows that are wanted; None ends at T.

        Returns
        -------
        (stop - start, 55) float32 at 25 Hz: ARKit's shapes 0..1 and rotations of the head, rad; or
        FLAME's 53 values.

        Raises
        ------
        UsageError
            If rows do not fit together, or the temperature is not within 0 to 3.
        """
        count = len(content) // 2
        stop = count if stop is None else stop
        if content.ndim != 2 or content.shape[1] != self.weights.config.content or count < 1:
            raise UsageError("Content has two rows a row of motion, of the model's own width.")
        if not 0 <= start < stop <= count:
            raise UsageError(f"Rows {start} to {stop} are not within the clip's {count}.")
        if not 0.0 <= temperature <= 3.0:
            raise UsageError(f"A temperature is 0 to 3, not {temperature}.")
        feelings = np.asarray(emotion_features, np.float32)
        if feelings.ndim == 1:
            feelings = np.broadcast_to(feelings, (count, len(feelings)))
        if feelings.shape != (count, self.weights.config.emotion):
            raise UsageError(
                f"Features of a feeling are ({count}, {self.weights.config.emotion}), "
                f"not {feelings.shape}."
            )
        person = torch.from_numpy(self.person(speaker))[None]
        # A block at a time, so that memory does not grow with the length of the speech.
        return np.concatenate([
            self._block(content, feelings, person, seed, temperature, low, min(low + _BLOCK, stop))
            for low in range(start, stop, _BLOCK)
        ])  # fmt: skip

    def _block(
        self, content: NDArray[np.floating], feelings: NDArray[np.float32], person: torch.Tensor,
        seed: int, temperature: float, start: int, stop: int,
    ) -> NDArray[np.float32]:  # fmt: skip
        """Rows `start` to `stop`, with the rows about them that they depend on."""
        count, context = len(content) // 2, self.weights.config.context
        first = max(start - context, 0) // STRIDE
        last = -(-min(stop + context, count) // STRIDE)
        rows = np.clip(np.arange(first * STRIDE, last * STRIDE), 0, count - 1)
        doubled = np.stack([2 * rows, 2 * rows + 1], axis=1).ravel()
        noise = noise_of(seed, first, last, self.weights.config.latent) * np.float32(temperature)
        with one_thread(), torch.inference_mode():
            out = self.weights.vae.generate(
                self.weights.units.into("content", content[doubled])[None],
                torch.from_numpy(np.repeat(feelings[rows], 2, axis=0))[None],
                person,
                torch.from_numpy(noise)[None],
            )[0]
        wanted = slice(start - first * STRIDE, stop - first * STRIDE)
        motion = self.weights.units.out_of("motion", out[wanted])
        if self.weights.config.target == "arkit":
            np.clip(motion[:, : len(ARKIT)], 0.0, 1.0, out=motion[:, : len(ARKIT)])
        return motion

    def performance(
        self, samples: NDArray[np.floating], emotion: NDArray[np.floating] | None = None,
        speaker: float | NDArray[np.floating] = 0, *, seed: int = 0, temperature: float = 0.7,
        fps: float = 60.0,
    ) -> Performance:  # fmt: skip
        """Speech to a performance in one call.

        Parameters
        ----------
        samples
            (n,) at 16 kHz.
        emotion
            (8,) or (T, 8) strengths, else (D,) or (T, D) features, which are looped to the length
            of the speech; None hears it in the sound.
        speaker, seed, temperature
            As of `generate`.

        Raises
        ------
        UsageError
            If the model moves FLAME, or what is asked for does not fit together.
        UnavailableError
            If what it was trained to hear with is not here.
        """
        self._check_arkit()
        content = self.content(samples)
        count = len(content) // 2
        if emotion is None:
            features = self.emotion_of_sound(samples)[0]
        else:
            features = np.asarray(emotion, np.float32)
            if features.shape[-1] == len(EMOTIONS):
                features = self.emotion_features_for(features)
            if features.ndim == 2:
                features = looped(features, count)
        motion = self.generate(content, features, speaker, seed=seed, temperature=temperature)
        return upsampled(motion, fps)


def noise_of(seed: int, first: int, last: int, channels: int) -> NDArray[np.float32]:
    """(last - first, channels) normal noise of latents `first` to `last` of a take.

    Noise belongs to seed and number of a latent alone, so that parts of a take are made alike.
    """
    blocks = range(first // _NOISE_BLOCK, -(-last // _NOISE_BLOCK))
    drawn = [
        np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, block])))
        .standard_normal((_NOISE_BLOCK, channels), np.float32)
        for block in blocks
    ]  # fmt: skip
    offset = blocks.start * _NOISE_BLOCK
    return np.concatenate(drawn)[first - offset : last - offset]


def looped(features: NDArray[np.floating], count: int) -> NDArray[np.float32]:
    """(count, D): features of another clip, from its beginning again where it is shorter."""
    return np.asarray(features[np.arange(count) % len(features)], np.float32)


def upsampled(motion: NDArray[np.floating], fps: float = 60.0) -> Performance:
    """25 rows a second as a performance: cubic between rows (Catmull-Rom), shapes kept in 0..1."""
    rows = np.asarray(motion, np.float64)
    count = max(round(len(rows) / FPS * fps), 1)
    places = np.minimum(np.arange(count) * (FPS / fps), len(rows) - 1.0)
    base = np.minimum(places.astype(np.int64), max(len(rows) - 2, 0))
    t = (places - base)[:, None]
    p0, p1, p2, p3 = (rows[np.clip(base + k, 0, len(rows) - 1)] for k in (-1, 0, 1, 2))
    weights = p1 + 0.5 * t * (
        p2 - p0 + t * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + t * (3.0 * (p1 - p2) + p3 - p0))
    )
    shapes = weights[:, : len(ARKIT)]
    np.clip(shapes, 0.0, 1.0, out=shapes)
    return Performance(weights.astype(np.float32), fps)
