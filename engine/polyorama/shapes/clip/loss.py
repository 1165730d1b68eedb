"""What Duoduo CLIP is trained with: two contrastive losses of one temperature."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["MOST_SCALE", "info_nce", "learning_rate"]

MOST_SCALE = math.log(100.0)
"""Where the logarithm of the inverse temperature ends (Radford et al. 2021, section 2.5)."""


def info_nce(a: Tensor, b: Tensor, log_scale: Tensor, same: Tensor | None = None) -> Tensor:
    """Symmetric InfoNCE (van den Oord et al. 2018, equation 4; Radford et al. 2021, figure 3).

    Parameters
    ----------
    a, b
        (B, E) vectors; a row of the one belongs to the same row of the other.
    log_scale
        () logarithm of the inverse temperature.
    same
        (B, B) bool, whether row i of `a` fits row j of `b` just as well, though they are not a
        pair: those do not count as wrong, nor as right. The diagonal is ignored.

    Returns
    -------
    () mean of the cross-entropies from a to b and from b to a.
    """
    unit_a, unit_b = (functional.normalize(x.float(), dim=-1) for x in (a, b))
    logits = log_scale.exp() * unit_a @ unit_b.mT
    if same is not None:
        others = ~torch.eye(len(a), dtype=torch.bool, device=a.device)
        logits = logits.masked_fill(same & others, -math.inf)
    pairs = torch.arange(len(a), device=a.device)
    both = functional.cross_entropy(logits, pairs), functional.cross_entropy(logits.mT, pairs)
    return (both[0] + both[1]) / 2


def learning_rate(first: float, last: float, epoch: int, epochs: int) -> float:
    """Of an epoch (from 0): half a cosine from `first` down to `last` (Loshchilov 2017, eq. 5)."""
    return last + (first - last) * (1.0 + math.cos(math.pi * epoch / epochs)) / 2.0
