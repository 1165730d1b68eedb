"""The sizes that make a CLIP: two towers, a shared space, and the block where views meet."""

from __future__ import annotations

from dataclasses import dataclass

from polyorama.errors import UsageError

__all__ = ["B32", "ClipConfig", "SiglipConfig", "TextConfig", "VisionConfig"]


def _check_heads(tower: str, width: int, heads: int) -> None:
    if heads < 1 or width % heads:
        raise UsageError(f"A width of {width} does not divide into {heads} heads ({tower} tower).")


@dataclass(frozen=True, slots=True)
class VisionConfig:
    """A vision transformer.

    Parameters
    ----------
    width
        Numbers a token has.
    layers, heads
        Blocks, and heads of attention in each.
    mlp
        Hidden units of the MLP in each block.
    patch
        Side of a patch in pixels.
    size
        Side of a picture in pixels.
    """

    width: int
    layers: int
    heads: int
    mlp: int
    patch: int
    size: int

    def __post_init__(self) -> None:
        _check_heads("vision", self.width, self.heads)
        if self.patch < 1 or self.size % self.patch:
            raise UsageError(
                f"A picture of {self.size} px does not divide into patches of {self.patch} px."
            )

    @property
    def patches(self) -> int:
        """How many patches a picture has."""
        return (self.size // self.patch) ** 2


@dataclass(frozen=True, slots=True)
class TextConfig:
    """A text transformer.

    Parameters
    ----------
    width, layers, heads, mlp
        As of `VisionConfig`.
    vocabulary
        Tokens that there are.
    context
        Tokens that a text has, end and padding included.
    """

    width: int
    layers: int
    heads: int
    mlp: int
    vocabulary: int
    context: int

    def __post_init__(self) -> None:
        _check_heads("text", self.width, self.heads)


@dataclass(frozen=True, slots=True)
class ClipConfig:
    """A CLIP, or a Duoduo CLIP.

    Parameters
    ----------
    embed
        E, dimensions of the shared space.
    vision, text
        The towers.
    threshold
        LT, the first block of the vision tower that attends over the tokens of all views jointly.
        As many as there are layers is plain CLIP, whose views meet in the mean alone.
    quick_gelu
        Whether x sigmoid(1.702 x) takes the place of the exact GELU, as in OpenAI's weights.
    """

    embed: int
    vision: VisionConfig
    text: TextConfig
    threshold: int
    quick_gelu: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= self.vision.layers:
            raise UsageError(
                f"Views cannot meet from block {self.threshold} on where there are "
                f"{self.vision.layers} blocks."
            )


@dataclass(frozen=True, slots=True)
class SiglipConfig:
    """A SigLIP; its space has the width of the vision tower."""

    vision: VisionConfig
    text: TextConfig

    @property
    def embed(self) -> int:
        """E, dimensions of the shared space."""
        return self.vision.width


B32 = ClipConfig(
    embed=512,
    vision=VisionConfig(width=768, layers=12, heads=12, mlp=3072, patch=32, size=224),
    text=TextConfig(width=512, layers=12, heads=8, mlp=2048, vocabulary=49408, context=77),
    threshold=6,
)
"""Duoduo CLIP as released: ViT-B/32, views meet in the upper half."""
