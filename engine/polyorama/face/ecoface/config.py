"""Sizes of the networks of EcoFace."""

from __future__ import annotations

from dataclasses import dataclass

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import CHANNELS, EMOTIONS

__all__ = ["CONTENT_FPS", "FPS", "GROUPS", "STRIDE", "EcoFaceConfig", "group_of"]

FPS = 25
"""Rows of motion in a second."""

CONTENT_FPS = 2 * FPS
"""Rows of content and of sound in a second, as HuBERT's."""

STRIDE = 4
"""Rows of motion that a latent stands for."""

GROUPS: tuple[tuple[int, int], ...] = (
    (0, 1), *((emotion, level) for emotion in range(1, len(EMOTIONS)) for level in (1, 2)),
)  # fmt: skip
"""Emotion and level of the 15 groups: neutral has one level, the others two."""

_FLAME = 53
_MOST_WIDE, _MOST_DEEP, _MOST_DILATED = 8192, 64, 16
"""Of widths, of layers, and of layers of which each sees twice as far as the last."""


def group_of(emotion: int, level: int) -> int:
    """Place in `GROUPS` of an emotion (place in `EMOTIONS`) and its level (1 or 2)."""
    return 0 if emotion == 0 else 2 * emotion - 2 + level


@dataclass(frozen=True, slots=True, kw_only=True)
class EcoFaceConfig:
    """Sizes; those that are the default are the paper's.

    Parameters
    ----------
    target
        "arkit", 52 shapes and 3 rotations of the head, or "flame", 50 expressions and the jaw's
        rotation vector.
    content
        Values of a row of content.
    sound
        Values of a row of what the emotion encoder hears.
    emotion
        Values of a row of emotion.
    persons
        How many speakers it knows.
    condition
        Width of each condition within the VAE.
    hidden, kernel, encoder_layers, decoder_layers
        Of the WaveNet blocks of encoder and decoder.
    latent
        Channels of a latent.
    flows, flow_hidden, flow_kernel, flow_layers
        Of the prior's couplings.
    video
        What the second branch of emotion sees: "motion", or "frames" rendered in grey.
    cond_drop
        Whether content and emotion are dropped out by half in training.
    emotion_hidden, emotion_layers
        Of the encoders of emotion.

    Raises
    ------
    UsageError
        If a size is out of range, or there is no such target or sight.
    """

    target: str = "arkit"
    content: int = 1024
    sound: int = 1024
    emotion: int = 1024
    persons: int = 1
    condition: int = 64
    hidden: int = 256
    kernel: int = 5
    encoder_layers: int = 8
    decoder_layers: int = 4
    latent: int = 16
    flows: int = 4
    flow_hidden: int = 64
    flow_kernel: int = 3
    flow_layers: int = 4
    video: str = "motion"
    cond_drop: bool = False
    emotion_hidden: int = 128
    emotion_layers: int = 6

    def __post_init__(self) -> None:
        if self.target not in ("arkit", "flame"):
            raise UsageError(f"EcoFace moves arkit or flame, not {self.target!r}.")
        if self.video not in ("motion", "frames"):
            raise UsageError(f"EcoFace sees motion or frames, not {self.video!r}.")
        if not isinstance(self.cond_drop, bool):
            raise UsageError("Whether EcoFace's conditions are dropped out is true or false.")
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name in ("target", "video", "cond_drop"):
                continue
            # Layers are made before a file's tensors are held against them, so they are bounded.
            deep = name == "flows" or name.endswith("_layers")
            most = _MOST_DEEP if deep else _MOST_WIDE
            most = _MOST_DILATED if name == "emotion_layers" else most
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise UsageError(f"The size {name} of EcoFace is a whole number from 1 to {most}.")
        if self.latent % 2 or not self.kernel % 2 or not self.flow_kernel % 2:
            raise UsageError("EcoFace needs an even number of latents and odd kernels.")

    @property
    def motion(self) -> int:
        """Values of a row of motion."""
        return len(CHANNELS) if self.target == "arkit" else _FLAME

    @property
    def context(self) -> int:
        """Rows of motion on each side that a row depends on, in whole latents.

        Its latent sees `flows` times `flow_layers` convolutions over latents and the eight rows
        that squeeze the conditions; the decoder and the conditions add a few rows of their own.
        """
        latents = self.flows * self.flow_layers * (self.flow_kernel // 2) + 2
        rows = self.decoder_layers * (self.kernel // 2) + 2
        return (latents + -(-rows // STRIDE) + 1) * STRIDE
