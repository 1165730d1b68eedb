"""The branch that sees faces in pictures: AV-HuBERT's visual front end (Shi et al., ICLR 2022).

EcoFace shows it rendered frames of FLAME; here they may be those of any rig. Layers and numbers are
the published ones: a 3D convolution over five frames, a ResNet-18 with PReLU by frame, the mean
over the picture, and a linear layer into the space of emotion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FRAME_SIDE", "FrameEncoder", "frames_in_units"]

FRAME_SIDE = 128
"""Pixels of a side of a frame."""

_MEAN, _SPREAD = 0.49863, 0.19283
_BLOCKS = ((64, 1), (128, 2), (256, 2), (512, 2))
"""Channels and stride of the four stages, two blocks each."""


def frames_in_units(frames: NDArray[np.uint8]) -> Tensor:
    """(1, T, 128, 128) float32 of (T, 128, 128) uint8 grey frames.

    Raises
    ------
    UsageError
        If they are of another size or kind.
    """
    if frames.ndim != 3 or frames.shape[1:] != (FRAME_SIDE, FRAME_SIDE) or frames.dtype != np.uint8:
        raise UsageError(
            f"Frames are grey, (T, {FRAME_SIDE}, {FRAME_SIDE}) uint8, not {frames.shape} "
            f"{frames.dtype}."
        )
    return torch.from_numpy((np.asarray(frames, np.float32) / 255.0 - _MEAN) / _SPREAD)[None]


class _Block(nn.Module):
    """Two 3x3 convolutions and a way around them (BasicBlock of He et al. 2016, with PReLU)."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.act1 = nn.PReLU(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.act2 = nn.PReLU(after)
        self.around: nn.Module = nn.Identity()
        if stride != 1 or before != after:
            self.around = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = self.act1(self.norm1(self.conv1(x)))
        out: Tensor = self.act2(self.norm2(self.conv2(y)) + self.around(x))
        return out


class FrameEncoder(nn.Module):
    """Rows of emotion of grey frames at 25 a second.

    Parameters
    ----------
    emotion
        Values of a row of emotion.
    """

    context = 2
    """Frames on each side that a row depends on."""

    def __init__(self, emotion: int) -> None:
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv3d(1, 64, (5, 7, 7), (1, 2, 2), (2, 3, 3), bias=False),
            nn.BatchNorm3d(64),
            nn.PReLU(64),
            nn.MaxPool3d((1, 3, 3), (1, 2, 2), (0, 1, 1)),
        )
        blocks, width = [], 64
        for channels, stride in _BLOCKS:
            blocks += [_Block(width, channels, stride), _Block(channels, channels, 1)]
            width = channels
        self.trunk = nn.Sequential(*blocks)
        self.last = nn.Linear(width, emotion)

    def forward(self, frames: Tensor) -> Tensor:
        """(B, T, emotion) of (B, 1, T, 128, 128) in units of `frames_in_units`."""
        x = self.front(frames)
        batch, channels, rows = x.shape[:3]
        x = x.transpose(1, 2).reshape(batch * rows, channels, *x.shape[3:])
        pooled = self.trunk(x).mean((2, 3))
        out: Tensor = self.last(pooled).view(batch, rows, -1)
        return out
