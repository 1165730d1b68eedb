"""The net on top of the frozen trunk: Duoduo CLIP's multi-view attention, small.

Each view is a CLS token and four cells of the trunk's last map. Blocks before the threshold attend
within a view, blocks from it on over the tokens of all views jointly (MVA; Lee, Zhang & Chang,
ICLR 2025): no view or camera embedding, so views come in any order and number. The mean of the
views' CLS tokens is projected into the space of words, and into a few dimensions of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.errors import UsageError
from polyorama.shapes.backbones.efficientnet_lite import CHANNELS, FEATURES
from polyorama.shapes.backbones.minilm import WIDTH as WORDS

__all__ = ["CELLS", "CLASSES", "HeadConfig", "MultiViewHead", "coarse_cells", "conse"]

CELLS = 4
"""Tokens of a view beside its CLS: the quarters of the trunk's map."""
CLASSES = 1000
"""Of ImageNet."""
_MOST = 4096
_LIKELY = 10
"""Classes that make up the ConSE vector (Norouzi et al. 2014)."""


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """Sizes of the net.

    Parameters
    ----------
    width, heads, layers
        Of the blocks.
    threshold
        Blocks from this one on attend over all views; `layers` gives the net without that.
    visual
        Dimensions that words leave zero.
    semantic_share
        Share of a vector's squared length that lies in the space of words.

    Raises
    ------
    UsageError
        If there is no such net.
    """

    width: int = 192
    heads: int = 6
    layers: int = 4
    threshold: int = 2
    visual: int = 128
    semantic_share: float = 0.6

    def __post_init__(self) -> None:
        sizes = (self.width, self.heads, self.layers, self.visual)
        if any(type(size) is not int or not 0 < size <= _MOST for size in sizes):
            raise UsageError(f"Sizes of a net are from 1 to {_MOST:,}, not {sizes}.")
        if self.width % self.heads:
            raise UsageError(f"A width of {self.width} does not divide into {self.heads} heads.")
        if type(self.threshold) is not int or not 0 <= self.threshold <= self.layers:
            raise UsageError(
                f"Views cannot meet from block {self.threshold} on where there are {self.layers}."
            )
        if not 0.0 <= self.semantic_share <= 1.0:
            raise UsageError(f"A share lies between 0 and 1, not at {self.semantic_share}.")


class _Block(nn.Module):
    """Pre-norm attention and MLP with residuals."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.ln_1(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        result: Tensor = x + self.down(functional.gelu(self.up(self.ln_2(x))))
        return result


class MultiViewHead(nn.Module):
    """Trunk features of F views to one vector of words and looks.

    Parameters
    ----------
    config
        Sizes.
    class_embeddings
        (1000, 384) unit vectors of ImageNet's class names.
    """

    class_embeddings: Tensor

    def __init__(self, config: HeadConfig, class_embeddings: Tensor) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.register_buffer("class_embeddings", class_embeddings)
        self.pooled_norm, self.cell_norm = nn.LayerNorm(FEATURES), nn.LayerNorm(CHANNELS)
        self.from_pooled = nn.Linear(FEATURES, width)
        self.from_conse = nn.Linear(WORDS, width)
        self.from_cells = nn.Linear(CHANNELS, width)
        self.cell_positions = nn.Parameter(torch.randn(CELLS, width) * 0.02)
        self.blocks = nn.ModuleList(_Block(width, config.heads) for _ in range(config.layers))
        self.ln_post = nn.LayerNorm(width)
        self.to_words = nn.Linear(width, WORDS)
        self.to_looks = nn.Linear(width, config.visual)
        self.conse_gate = nn.Parameter(torch.tensor(0.5))
        self.drop = nn.Dropout(0.1)

    def forward(self, cells: Tensor, pooled: Tensor, conse: Tensor) -> tuple[Tensor, Tensor]:
        """Unit vectors of shapes and of each of their views.

        Parameters
        ----------
        cells, pooled, conse
            (B, F, 4, 320), (B, F, 1280) and (B, F, 384) of B shapes seen from F sides.

        Returns
        -------
        (B, D) and (B, F, D), D = 384 + visual.
        """
        batch, views = pooled.shape[:2]
        cls = self.from_pooled(self.drop(self.pooled_norm(pooled))) + self.from_conse(conse)
        rest = self.from_cells(self.drop(self.cell_norm(cells))) + self.cell_positions
        x = torch.cat([cls[:, :, None], rest], dim=2)
        tokens, width = x.shape[2:]
        for number, block in enumerate(self.blocks):
            jointly = number >= self.config.threshold
            shape = (batch, views * tokens, width) if jointly else (batch * views, tokens, width)
            x = block(x.reshape(shape))
        each = self.ln_post(x.reshape(batch, views, tokens, width)[:, :, 0])
        return self._vectors(each.mean(1), conse.mean(1)), self._vectors(each, conse)

    def _vectors(self, cls: Tensor, conse: Tensor) -> Tensor:
        """The space of words, with what ImageNet's classes say mixed in, and that of looks."""
        share = self.config.semantic_share
        words = functional.normalize(self.to_words(cls), dim=-1)
        words = functional.normalize(
            words + self.conse_gate * functional.normalize(conse, dim=-1), dim=-1
        )
        looks = functional.normalize(self.to_looks(cls), dim=-1)
        return torch.cat([words * share**0.5, looks * (1.0 - share) ** 0.5], dim=-1)


def conse(logits: Tensor, class_embeddings: Tensor) -> Tensor:
    """(..., 384) mean of the names of the ten most probable classes, weighted by probability."""
    likely = logits.softmax(-1).topk(_LIKELY, dim=-1)
    names = class_embeddings[likely.indices]
    return (likely.values[..., None] * names).sum(-2)


def coarse_cells(cells: Tensor) -> Tensor:
    """(..., 4, C) means over the quarters of a square map (..., S * S, C); the middle is shared."""
    side = round(cells.shape[-2] ** 0.5)
    half = -(-side // 2)
    grid = cells.reshape(*cells.shape[:-2], side, side, cells.shape[-1])
    quarters = [
        grid[..., rows, columns, :].mean(dim=(-3, -2))
        for rows in (slice(None, half), slice(side - half, None))
        for columns in (slice(None, half), slice(side - half, None))
    ]
    return torch.stack(quarters, dim=-2)
