"""The emotion disentanglement encoder of EcoFace, from top to bottom.

One branch hears sound, one sees motion; five losses pull the two into one space in which emotions
lie apart, levels of an emotion are told from each other, and what is heard and what is seen of one
moment is the same. Generation needs the branch of sound alone; that of motion lets the emotion come
from a face.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.face.ecoface.frames import FrameEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.ecoface.config import EcoFaceConfig

__all__ = [
    "LOSSES", "EmotionEncoder", "EmotionSpaceNet", "emotion_losses", "inter_loss", "steadied",
    "supcon", "triplet",
]  # fmt: skip

_STEADY_SECONDS = 2.0

LOSSES = ("audio_supcon", "audio_triplet", "video_supcon", "video_triplet", "inter")
"""Names of the five terms."""


class EmotionEncoder(nn.Module):
    """A branch: rows of what is heard or seen to rows of emotion.

    The paper fine-tunes HuBERT-large for sound and AV-HuBERT's front end for pictures; these are a
    convolution and small ones with dilations 1, 2, 4, ... in their place. With six of those a row
    of sound sees 1.3 s on each side, with the five of the shipped model 0.7 s.
    """

    def __init__(self, channels: int, hidden: int, layers: int, emotion: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(channels, hidden, 5, padding=2)
        self.layers = nn.ModuleList(
            nn.Conv1d(hidden, hidden, 3, padding=2**n, dilation=2**n) for n in range(layers)
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in range(layers))
        self.last = nn.Conv1d(hidden, emotion, 1)

    @property
    def context(self) -> int:
        """Rows on each side that a row depends on."""
        return 1 + (1 << len(self.layers))

    def forward(self, rows: Tensor) -> Tensor:
        """(B, T, emotion) of (B, T, channels)."""
        y = self.first(rows.transpose(1, 2))
        for layer, norm in zip(self.layers, self.norms, strict=True):
            y = y + functional.gelu(layer(norm(y)))
        out: Tensor = self.last(y)
        return out.transpose(1, 2)


class EmotionSpaceNet(nn.Module):
    """Both branches; what they hear and see comes in units of its own spread, see `Units`."""

    def __init__(self, config: EcoFaceConfig) -> None:
        super().__init__()
        sizes = (config.emotion_hidden, config.emotion_layers)
        self.audio = EmotionEncoder(config.sound, *sizes, config.emotion)
        self.video: EmotionEncoder | FrameEncoder
        if config.video == "frames":
            self.video = FrameEncoder(config.emotion)
        else:
            # Half the rate, so one layer fewer sees as far.
            layers = max(sizes[1] - 1, 1)
            self.video = EmotionEncoder(config.motion, sizes[0], layers, config.emotion)

    @property
    def sees_frames(self) -> bool:
        """Whether the second branch sees pictures, not motion."""
        return isinstance(self.video, FrameEncoder)

    def forward(
        self, sound: Tensor, seen: Tensor, emotions: Tensor, levels: Tensor
    ) -> dict[str, Tensor]:
        """The five losses of a batch.

        Parameters
        ----------
        sound
            (B, 2T, sound).
        seen
            (B, T, motion), or (B, 1, T, 128, 128) frames.
        emotions, levels
            (B,) labels.
        """
        return emotion_losses(self.audio(sound), self.video(seen), emotions, levels)


def emotion_losses(
    audio: Tensor, video: Tensor, emotions: Tensor, levels: Tensor
) -> dict[str, Tensor]:
    """The five terms, on the mean over time of each branch and frame by frame.

    Parameters
    ----------
    audio
        (B, 2T, emotion) at 50 Hz.
    video
        (B, T, emotion) at 25 Hz.
    emotions, levels
        (B,) labels.
    """
    heard, seen = audio.mean(1), video.mean(1)
    return {
        "audio_supcon": supcon(heard, emotions),
        "audio_triplet": triplet(heard, emotions, levels),
        "video_supcon": supcon(seen, emotions),
        "video_triplet": triplet(seen, emotions, levels),
        "inter": inter_loss(audio, video),
    }


def steadied(features: NDArray[np.floating], fps: float) -> NDArray[np.float32]:
    """(T, emotion) features under a Hann window of two seconds; it ends where the clip does.

    Lips change with frames, feelings with sentences (the split of EMOTE, Danecek et al. 2023): what
    a branch says of one frame is not yet a feeling.
    """
    rows = np.asarray(features, np.float64)
    half = max(round(_STEADY_SECONDS / 2.0 * fps), 1)
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.pad(np.column_stack([rows, np.ones(len(rows))]), ((half, half), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(padded, len(window), axis=0)
    sums = views @ window
    return np.asarray(sums[:, :-1] / sums[:, -1:], np.float32)


def supcon(
    features: Tensor, labels: Tensor, temperature: float = 0.07, base_temperature: float = 0.07
) -> Tensor:
    """Supervised contrastive loss (Khosla et al. 2020, equation 2), features as they are.

    Each anchor is drawn to all others of its label, against all others; anchors that nobody shares
    a label with say nothing.

    Parameters
    ----------
    features
        (B, D).
    labels
        (B,).
    """
    logits = features @ features.T / temperature
    logits = logits - logits.max(1, keepdim=True).values.detach()
    others = ~torch.eye(len(labels), dtype=torch.bool)
    positives = (labels[:, None] == labels[None]) & others
    log_sum = torch.logsumexp(logits.masked_fill(~others, -torch.inf), 1, keepdim=True)
    count = positives.sum(1)
    anchors = count > 0
    if not anchors.any():
        return features.sum() * 0.0
    mean = ((logits - log_sum) * positives).sum(1)[anchors] / count[anchors]
    return -(temperature / base_temperature) * mean.mean()


def triplet(features: Tensor, emotions: Tensor, levels: Tensor, margin: float = 0.5) -> Tensor:
    """Intensity triplet: nearer to one's own emotion and level than to its other level.

    mean over (i, p, n) of max(|f_i - f_p| - |f_i - f_n| + margin, 0), where p has the emotion and
    the level of i, and n the emotion of i at another level.
    """
    square = (features[:, None] - features[None]).square().sum(-1)
    distance = (square + 1e-12).sqrt()
    others = ~torch.eye(len(emotions), dtype=torch.bool)
    emotion = emotions[:, None] == emotions[None]
    level = levels[:, None] == levels[None]
    positive = emotion & level & others
    negative = emotion & ~level
    valid = positive[:, :, None] & negative[:, None, :]
    if not valid.any():
        return features.sum() * 0.0
    hinge = (distance[:, :, None] - distance[:, None, :] + margin).clamp_min(0.0)
    return hinge[valid].mean()


def inter_loss(audio: Tensor, video: Tensor) -> Tensor:
    """Mean square between sound and motion, frame by frame; motion is doubled linearly."""
    doubled = functional.interpolate(
        video.transpose(1, 2), scale_factor=2, mode="linear", align_corners=False
    ).transpose(1, 2)
    count = min(audio.shape[1], doubled.shape[1])
    return functional.mse_loss(doubled[:, :count], audio[:, :count])
