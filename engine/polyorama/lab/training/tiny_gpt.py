"""A small GPT with the parameter names that partitions go by; no biases."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

__all__ = ["TinyGPT"]

_SPREAD = 0.02
"""Standard deviation of the weights at the start, as in GPT-2."""


class _Norm(nn.Module):
    """Layer normalisation with a gain alone."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalise the last dimension."""
        return functional.layer_norm(x, self.weight.shape, self.weight)


class _Attention(nn.Module):
    """Causal attention of several heads."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Mix the positions of (B, T, width)."""
        rows, length, width = x.shape
        q, k, v = (
            project(x).view(rows, length, self.heads, -1).transpose(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(mixed.transpose(1, 2).reshape(rows, length, width))  # type: ignore[no-any-return]


class _Layer(nn.Module):
    """Attention, then a network at each position, both as residuals of normalised input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1 = _Norm(width)
        self.attn = _Attention(width, heads)
        self.ln_2 = _Norm(width)
        self.mlp = nn.ModuleDict(
            {
                "up": nn.Linear(width, 4 * width, bias=False),
                "down": nn.Linear(4 * width, width, bias=False),
            }
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Transform (B, T, width)."""
        x = x + self.attn(self.ln_1(x))
        inner = functional.gelu(self.mlp["up"](self.ln_2(x)), approximate="tanh")
        return x + self.mlp["down"](inner)  # type: ignore[no-any-return]


class TinyGPT(nn.Module):
    """A transformer that reads symbols and predicts the next.

    Parameters
    ----------
    vocabulary, context
        Symbols, and how many are read at once.
    width, heads, layers
        Of the transformer.
    seed
        Of the weights.
    """

    def __init__(
        self, vocabulary: int, context: int, *, width: int, heads: int, layers: int, seed: int
    ) -> None:
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(context, width)
        self.h = nn.ModuleList(_Layer(width, heads) for _ in range(layers))
        self.ln_f = _Norm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        luck = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weights in self.named_parameters():
                if weights.ndim == 2:
                    # Residual branches start smaller, so that their sum does not grow with depth.
                    residual = name.endswith(("o_proj.weight", "down.weight"))
                    spread = _SPREAD / (2 * layers) ** 0.5 if residual else _SPREAD
                    weights.normal_(0.0, spread, generator=luck)

    def forward(self, symbols: torch.Tensor) -> torch.Tensor:
        """Logits (B, T, V) of the symbol after each of (B, T)."""
        x = self.wte(symbols) + self.wpe.weight[: symbols.shape[1]]
        for layer in self.h:
            x = layer(x)
        return self.lm_head(self.ln_f(x))  # type: ignore[no-any-return]

    def loss(self, symbols: torch.Tensor) -> torch.Tensor:
        """Mean cross-entropy, nats, of symbols (B, T + 1) given those before."""
        logits = self(symbols[:, :-1])
        return functional.cross_entropy(logits.flatten(0, 1), symbols[:, 1:].flatten())
