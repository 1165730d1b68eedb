"""The losses that train the generator of motion, after GeneFace's recipe.

total = 1.0 MSE + 3.0 continuity + lambda_kl KL + 0.01 sync, the last once the sync expert is good
enough. Motion is in units of its own spread; lips weigh ten times as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from polyorama.scene.faces.channels import CHANNELS, region_of

if TYPE_CHECKING:
    from torch import Tensor

    from polyorama.face.ecoface.config import EcoFaceConfig

__all__ = ["LIPS", "channel_weights", "continuity", "learning_rate", "mouth_columns", "mse"]

LIPS = 10.0
"""How many times as much an error of the lips counts."""

_FLAME_JAW = slice(50, 53)


def mouth_columns(config: EcoFaceConfig) -> list[int]:
    """Columns of motion that the sync expert looks at: jaw and mouth.

    FLAME's expressions each move the whole face, so all of them.
    """
    if config.target == "flame":
        return list(range(config.motion))
    return [n for n, name in enumerate(CHANNELS) if region_of(name) in ("jaw", "mouth", "tongue")]


def channel_weights(config: EcoFaceConfig) -> Tensor:
    """(motion,) weights with mean 1: lips, jaw and tongue ten times the others."""
    weights = np.ones(config.motion, np.float32)
    if config.target == "flame":
        weights[_FLAME_JAW] = LIPS
    else:
        weights[mouth_columns(config)] = LIPS
    return torch.from_numpy(weights / weights.mean())


def mse(out: Tensor, x: Tensor, mask: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean square of (B, T, motion) over the rows that a (B, T) mask keeps."""
    square = ((out - x).square() * weights).mean(2)
    return (square * mask).sum() / mask.sum()


def continuity(out: Tensor, x: Tensor, mask: Tensor, weights: Tensor) -> Tensor:
    """Mean square of differences from row to row, and of the first row."""
    both = mask[:, 1:] * mask[:, :-1]
    steps = (((out - x).diff(dim=1)).square() * weights).mean(2)
    first = ((out[:, 0] - x[:, 0]).square() * weights).mean()
    return (steps * both).sum() / both.sum() + first


def learning_rate(step: int, peak: float, warm_up: int, steps: int, last: float = 0.05) -> float:
    """Linear warm-up, then exponential decay to `last` of the peak at the final step.

    GeneFace warms up and decays so; how far it decays is ours.
    """
    if step < warm_up:
        return peak * (step + 1) / warm_up
    return float(peak * last ** ((step - warm_up) / max(steps - warm_up, 1)))
