"""SigLIP (Zhai et al., "Sigmoid Loss for Language Image Pre-Training", ICCV 2023), any views.

Unlike CLIP it has no CLS token: a learnt probe asks all patches (attention pooling). Its text tower
sees all of a text at once and is read at the last token. It was never trained on views together:
a shape is the mean of its views' embeddings.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.shapes.clip.net import Attention, Mlp, Transformer

if TYPE_CHECKING:
    from polyorama.shapes.clip.config import SiglipConfig, VisionConfig

__all__ = ["Siglip"]

_EPSILON = 1e-6
_GELU = functools.partial(functional.gelu, approximate="tanh")


class _Pooling(nn.Module):
    """A probe asks the patches, followed by a residual MLP."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.probe = nn.Parameter(torch.randn(1, 1, config.width) * config.width**-0.5)
        self.attn = Attention(config.width, config.heads)
        self.ln = nn.LayerNorm(config.width, eps=_EPSILON)
        self.mlp = Mlp(config.width, config.mlp, _GELU)

    def forward(self, x: Tensor) -> Tensor:
        found = self.attn(self.probe.expand(len(x), -1, -1), x)[:, 0]
        result: Tensor = found + self.mlp(self.ln(found))
        return result


class _Vision(nn.Module):
    """(N, 3, S, S) pictures to (N, E)."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, config.width, config.patch, stride=config.patch)
        self.positional_embedding = nn.Parameter(
            torch.randn(config.patches, config.width) * config.width**-0.5
        )
        self.transformer = Transformer(
            config.width, config.layers, config.heads, config.mlp, _GELU, _EPSILON
        )
        self.ln_post = nn.LayerNorm(config.width, eps=_EPSILON)
        self.head = _Pooling(config)

    def forward(self, pictures: Tensor) -> Tensor:
        x = self.conv1(pictures).flatten(2).mT + self.positional_embedding
        result: Tensor = self.head(self.ln_post(self.transformer(x)))
        return result


class Siglip(nn.Module):
    """A picture tower and a text tower into one space, with the weights of SigLIP."""

    def __init__(self, config: SiglipConfig) -> None:
        super().__init__()
        self.config = config
        t = config.text
        self.visual = _Vision(config.vision)
        self.token_embedding = nn.Embedding(t.vocabulary, t.width)
        self.positional_embedding = nn.Parameter(torch.randn(t.context, t.width) * 0.01)
        self.transformer = Transformer(t.width, t.layers, t.heads, t.mlp, _GELU, _EPSILON)
        self.ln_final = nn.LayerNorm(t.width, eps=_EPSILON)
        self.head = nn.Linear(t.width, config.embed)
        self.logit_scale = nn.Parameter(torch.zeros(1))
        self.logit_bias = nn.Parameter(torch.zeros(1))

    def encode_views(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """(B, E) means over views, and (B, F, E) views, of (B, F, 3, S, S) normalised pictures."""
        each = self.visual(pictures.flatten(0, 1)).unflatten(0, pictures.shape[:2])
        return each.mean(1), each

    def encode_text(self, ids: Tensor) -> Tensor:
        """(N, E) of (N, L) token ids, read at the last, which padding may be."""
        x = self.token_embedding(ids) + self.positional_embedding[: ids.shape[1]]
        x = self.ln_final(self.transformer(x))
        result: Tensor = self.head(x[:, -1])
        return result
