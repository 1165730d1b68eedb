"""The sync expert: whether five rows of a mouth belong to ten rows of speech.

After GeneFace's and EcoFace's `LandmarkHubertSyncNet` (SyncNet, Chung and Zisserman 2016): two
towers of convolutions end in vectors of 512, whose cosine is the probability that they belong
together. The mouth is its channels, 52 shapes' or FLAME's, or landmarks of a rig.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CONTENT_ROWS", "MOUTH_ROWS", "SyncNet", "negative_window", "sync_loss", "windows_at"]

MOUTH_ROWS = 5
CONTENT_ROWS = 2 * MOUTH_ROWS
_WIDTH = 512


class SyncNet(nn.Module):
    """Both towers.

    Parameters
    ----------
    mouth, content
        Values of a row of the mouth and of content.
    hidden
        Width of the towers.
    """

    def __init__(self, mouth: int, content: int, hidden: int = 256) -> None:
        super().__init__()
        self.mouth = _tower(mouth, hidden, strides=(1, 2, 2))
        self.content = _tower(content, hidden, strides=(2, 2, 2))

    def forward(self, mouth: Tensor, content: Tensor) -> Tensor:
        """(B,) cosines, 0..1, of (B, 5, mouth) and (B, 10, content): ends brought to length 1."""
        one = self.mouth(mouth.transpose(1, 2)).mean(2)
        other = self.content(content.transpose(1, 2)).mean(2)
        return functional.cosine_similarity(one, other)


def _tower(channels: int, hidden: int, strides: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    width = channels
    for n, stride in enumerate(strides):
        out = _WIDTH if n == len(strides) - 1 else hidden
        layers += [
            nn.Conv1d(width, out, 3, stride=stride, padding=1), nn.BatchNorm1d(out), nn.ReLU(),
        ]  # fmt: skip
        width = out
    # Rectified at the end, so that a cosine is never below 0.
    return nn.Sequential(*layers)


def sync_loss(cosine: Tensor, together: Tensor) -> Tensor:
    """Binary cross-entropy of cosines, (B,), where 1 is together and 0 is not."""
    return functional.binary_cross_entropy(cosine.clamp(1e-6, 1.0 - 1e-6), together)


def negative_window(
    rng: np.random.Generator, clip: int, row: int, lengths: NDArray[np.int64]
) -> tuple[int, int]:
    """Where a mouth lies that does not belong to the speech of a clip at a row of motion.

    A quarter of them in another clip, three eighths elsewhere in the same, three eighths two to
    five rows away. GeneFace takes the first from another speaker; here it is any other clip, so
    that the clips of one face can be learned from.

    Parameters
    ----------
    lengths
        (N,) rows of motion of all clips.

    Returns
    -------
    Clip and row.
    """
    luck = rng.random()
    last = int(lengths[clip]) - MOUTH_ROWS
    if luck < 0.25 and len(lengths) > 1:
        other = int((clip + rng.integers(1, len(lengths))) % len(lengths))
        return other, int(rng.integers(0, max(int(lengths[other]) - MOUTH_ROWS, 0) + 1))
    if luck < 0.625:
        far = [r for r in (row - MOUTH_ROWS, row + MOUTH_ROWS) if 0 <= r <= last]
        if far:
            before, after = max(row - MOUTH_ROWS + 1, 0), max(last - row - MOUTH_ROWS + 1, 0)
            place = int(rng.integers(0, before + after))
            return clip, place if place < before else row + MOUTH_ROWS + place - before
    shift = int(rng.integers(2, 6)) * (1 if rng.random() < 0.5 else -1)
    if not 0 <= row + shift <= last:
        shift = -shift
    return clip, min(max(row + shift, 0), last)


def windows_at(rows: Tensor, starts: Tensor, count: int) -> Tensor:
    """(B, count, D): of each (B, T, D) the rows from its own start."""
    place = starts[:, None] + torch.arange(count)
    return torch.gather(rows, 1, place[:, :, None].expand(-1, -1, rows.shape[2]))
