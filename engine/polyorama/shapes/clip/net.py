"""CLIP for any number of views: Duoduo CLIP, to be read from top to bottom.

Sources: Radford et al., "Learning Transferable Visual Models From Natural Language Supervision"
(ICML 2021), section 2.4, for the two towers; Lee, Zhang and Chang, "Duoduo CLIP: Efficient 3D
Understanding with Multi-View Images" (ICLR 2025), section 3, for multi-view attention. Parameters
are named as OpenCLIP names them, so that its files load as they are.

Letters: B shapes, F views, T tokens of a view (its patches, and CLS before them), W width, E
dimensions of the shared space, L tokens of a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from polyorama.shapes.clip.config import ClipConfig

__all__ = [
    "FIRST_SCALE", "Attention", "Block", "Clip", "Mlp", "Transformer", "VisionTower", "attend",
    "quick_gelu",
]  # fmt: skip

FIRST_SCALE = 2.6592600369327779
"""ln(1 / 0.07), where the logarithm of the inverse temperature begins."""


def quick_gelu(x: Tensor) -> Tensor:
    """Give x sigmoid(1.702 x): OpenAI's GELU (Hendrycks and Gimpel 2016, section 2)."""
    return x * torch.sigmoid(1.702 * x)


# -- a block: x + attention(LN(x)), then x + MLP(LN(x)) --------------------------------------------


class Attention(nn.Module):
    """softmax(q k^T / sqrt(d)) v in each of H heads (Vaswani et al. 2017, equation 1)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        nn.init.normal_(self.in_proj_weight, std=width**-0.5)
        nn.init.zeros_(self.out_proj.bias)

    def forward(self, x: Tensor, over: Tensor | None = None, *, causal: bool = False) -> Tensor:
        """Mix tokens.

        Parameters
        ----------
        x
            (N, L, W) tokens that ask.
        over
            (N, M, W) tokens that are asked; None is `x` itself.
        causal
            Whether a token sees none that comes after it.

        Returns
        -------
        (N, L, W).
        """
        asked = x if over is None else over
        weights, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        query, key, value = (
            self._in_heads(functional.linear(tokens, weight, bias))
            for tokens, weight, bias in zip((x, asked, asked), weights, biases, strict=True)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        result: Tensor = self.out_proj(mixed.transpose(1, 2).flatten(2))
        return result

    def _in_heads(self, x: Tensor) -> Tensor:
        """(N, H, L, W / H) of (N, L, W)."""
        batch, tokens, width = x.shape
        return x.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)


class Mlp(nn.Module):
    """Two linear maps with a GELU between them."""

    def __init__(self, width: int, hidden: int, gelu: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.c_fc = nn.Linear(width, hidden)
        self.c_proj = nn.Linear(hidden, width)
        self._gelu = gelu

    def forward(self, x: Tensor) -> Tensor:
        """Every token by itself."""
        result: Tensor = self.c_proj(self._gelu(self.c_fc(x)))
        return result


class Block(nn.Module):
    """A residual block with LayerNorm before attention and MLP."""

    def __init__(
        self, width: int, heads: int, hidden: int, gelu: Callable[[Tensor], Tensor], eps: float
    ) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, eps=eps)
        self.attn = Attention(width, heads)
        self.ln_2 = nn.LayerNorm(width, eps=eps)
        self.mlp = Mlp(width, hidden, gelu)

    def forward(self, x: Tensor, *, causal: bool = False) -> Tensor:
        """(N, L, W) tokens, each after it has seen the others."""
        x = x + self.attn(self.ln_1(x), causal=causal)
        result: Tensor = x + self.mlp(self.ln_2(x))
        return result


class Transformer(nn.Module):
    """Blocks in a row."""

    def __init__(
        self, width: int, layers: int, heads: int, hidden: int,
        gelu: Callable[[Tensor], Tensor] = functional.gelu, eps: float = 1e-5,
    ) -> None:  # fmt: skip
        super().__init__()
        blocks = [Block(width, heads, hidden, gelu, eps) for _ in range(layers)]
        self.resblocks = nn.ModuleList(blocks)
        for block in blocks:
            # Residual paths add up: 2 L of them keep the variance of one.
            for linear in (block.attn.out_proj, block.mlp.c_proj):
                nn.init.normal_(linear.weight, std=(2 * layers * width) ** -0.5)
            nn.init.normal_(block.mlp.c_fc.weight, std=(2 * width) ** -0.5)

    def forward(self, x: Tensor, *, causal: bool = False) -> Tensor:
        """(N, L, W) tokens."""
        for block in self.resblocks:
            x = block(x, causal=causal)
        return x


# -- multi-view attention (Duoduo CLIP, section 3) -------------------------------------------------


def attend(x: Tensor, blocks: Iterable[nn.Module], *, jointly: bool) -> Tensor:
    """Blocks over tokens of views; no new parameters, no order of views, no poses.

    Parameters
    ----------
    x
        (B, F, T, W) tokens.
    blocks
        Which to apply, in a row.
    jointly
        Whether a token sees the F T tokens of all views, or the T of its own.

    Returns
    -------
    (B, F, T, W).
    """
    batch, views, tokens, width = x.shape
    x = x.reshape((batch, views * tokens, width) if jointly else (batch * views, tokens, width))
    for block in blocks:
        x = block(x)
    return x.reshape(batch, views, tokens, width)


class VisionTower(nn.Module):
    """Views of shapes to vectors of shapes."""

    def __init__(self, config: ClipConfig, gelu: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        v = config.vision
        self.threshold = config.threshold
        self.conv1 = nn.Conv2d(3, v.width, v.patch, stride=v.patch, bias=False)
        self.class_embedding = nn.Parameter(torch.randn(v.width) * v.width**-0.5)
        self.positional_embedding = nn.Parameter(
            torch.randn(v.patches + 1, v.width) * v.width**-0.5
        )
        self.ln_pre = nn.LayerNorm(v.width)
        self.transformer = Transformer(v.width, v.layers, v.heads, v.mlp, gelu)
        self.ln_post = nn.LayerNorm(v.width)
        self.proj = nn.Parameter(torch.randn(v.width, config.embed) * v.width**-0.5)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """(B, E) shapes and (B, F, E) their views, of (B, F, 3, S, S) normalised pictures."""
        return self.pool(attend(self.within(pictures), self.upper, jointly=True))

    @property
    def lower(self) -> list[nn.Module]:
        """The blocks that see one view."""
        return list(self.transformer.resblocks)[: self.threshold]

    @property
    def upper(self) -> list[nn.Module]:
        """The blocks that see all views."""
        return list(self.transformer.resblocks)[self.threshold :]

    def within(self, pictures: Tensor) -> Tensor:
        """(B, F, T, W) tokens of (B, F, 3, S, S) pictures after the blocks that see one view."""
        patches = self.conv1(pictures.flatten(0, 1)).flatten(2).mT
        cls = self.class_embedding.to(patches.dtype).expand(len(patches), 1, -1)
        x = self.ln_pre(torch.cat([cls, patches], dim=1) + self.positional_embedding)
        return attend(x.view(*pictures.shape[:2], *x.shape[1:]), self.lower, jointly=False)

    def pool(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(B, E) mean of the views' CLS, and (B, F, E) each, both projected, of (B, F, T, W)."""
        cls = self.ln_post(x[:, :, 0])
        return cls.mean(1) @ self.proj, cls @ self.proj


# -- the whole -------------------------------------------------------------------------------------


class Clip(nn.Module):
    """A picture tower and a text tower into one space, with the weights of CLIP or Duoduo CLIP.

    The encodings are not of unit length yet.
    """

    def __init__(self, config: ClipConfig) -> None:
        super().__init__()
        self.config = config
        t = config.text
        gelu = quick_gelu if config.quick_gelu else functional.gelu
        self.visual = VisionTower(config, gelu)
        self.token_embedding = nn.Embedding(t.vocabulary, t.width)
        self.positional_embedding = nn.Parameter(torch.randn(t.context, t.width) * 0.01)
        self.transformer = Transformer(t.width, t.layers, t.heads, t.mlp, gelu)
        self.ln_final = nn.LayerNorm(t.width)
        self.text_projection = nn.Parameter(torch.randn(t.width, config.embed) * t.width**-0.5)
        self.logit_scale = nn.Parameter(torch.tensor(FIRST_SCALE))
        nn.init.normal_(self.token_embedding.weight, std=0.02)

    def encode_views(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Shapes and each of their views.

        The vector of a view comes from its own CLS after the joint blocks: it costs nothing, and
        says what the view contributes; it is not what the view would be alone.

        Parameters
        ----------
        pictures
            (B, F, 3, S, S) normalised pictures.

        Returns
        -------
        (B, E) and (B, F, E).
        """
        shapes, each = self.visual(pictures)
        return shapes, each

    def encode_text(self, ids: Tensor) -> Tensor:
        """(N, E) of (N, L) token ids: what stands at the end token, which has the largest id."""
        x = self.token_embedding(ids) + self.positional_embedding[: ids.shape[1]]
        x = self.ln_final(self.transformer(x, causal=True))
        ends: Tensor = x[torch.arange(len(ids), device=ids.device), ids.argmax(dim=-1)]
        return ends @ self.text_projection
