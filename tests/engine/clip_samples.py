"""Small CLIPs in all layouts, and what they give, derived anew in numpy."""

from __future__ import annotations

import gzip
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from polyorama.shapes.clip.config import ClipConfig, SiglipConfig, TextConfig, VisionConfig
from polyorama.shapes.clip.net import Clip

if TYPE_CHECKING:
    from pathlib import Path

MERGES = [
    ("t", "h"), ("th", "e</w>"), ("c", "h"), ("ch", "a"), ("cha", "i"), ("chai", "r</w>"),
    ("r", "e"), ("re", "d</w>"),
]  # fmt: skip
VOCABULARY = 512 + len(MERGES) + 2
CONFIG = ClipConfig(
    embed=24,
    vision=VisionConfig(width=128, layers=4, heads=2, mlp=192, patch=8, size=32),
    text=TextConfig(width=64, layers=2, heads=1, mlp=96, vocabulary=VOCABULARY, context=12),
    threshold=2,
)
SIGLIP = SiglipConfig(
    vision=VisionConfig(width=128, layers=2, heads=2, mlp=160, patch=8, size=32),
    text=TextConfig(width=64, layers=2, heads=1, mlp=96, vocabulary=40, context=9),
)


def random_state(net: torch.nn.Module, seed: int = 0) -> dict[str, torch.Tensor]:
    """Weights in which no bias is zero and no norm is one, so that a lost one is seen."""
    generator = torch.Generator().manual_seed(seed)
    state = {}
    for name, value in net.state_dict().items():
        noise = torch.randn(value.shape, generator=generator)
        scale = 0.15 if value.ndim < 2 else value.shape[-1] ** -0.5
        norm = "ln_" in name or ".ln." in name
        state[name] = noise * scale + (1.0 if norm and name.endswith("weight") else 0.0)
    return state


def sample_clip(config: ClipConfig = CONFIG, seed: int = 0) -> Clip:
    net = Clip(config)
    net.load_state_dict(random_state(net, seed))
    return net.eval().requires_grad_(False)


def plain(config: ClipConfig) -> ClipConfig:
    """The same, whose views meet in the mean alone."""
    return replace(config, threshold=config.vision.layers)


def duoduo_checkpoint(state: dict[str, torch.Tensor], **network: Any) -> dict[str, Any]:
    """As Lightning writes it."""
    named = {f"duoduoclip.{name}": value for name, value in state.items()}
    named["contrastive_loss.logit_scale"] = torch.tensor(3.25)
    return {
        "epoch": 79,
        "state_dict": named,
        "hyper_parameters": {"model": {"network": network}, "trainer": {"seed": 123}},
        "optimizer_states": [{"state": {0: {"exp_avg": torch.ones(3)}}, "param_groups": []}],
    }


def write_vocabulary(folder: Path, merges: list[tuple[str, str]] = MERGES) -> Path:
    path = folder / "bpe_simple_vocab_16e6.txt.gz"
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


# -- CLIP once more, in float64, a head and a row at a time --------------------------------------


class Derived:
    """Encodings from a state dict, by the formulas alone."""

    def __init__(
        self,
        state: dict[str, torch.Tensor],
        *,
        quick: bool = False,
        tanh: bool = False,
        eps: float = 1e-5,
    ) -> None:
        self.state = {name: value.double().numpy() for name, value in state.items()}
        self.quick, self.tanh, self.eps = quick, tanh, eps

    def __getitem__(self, name: str) -> np.ndarray:
        return self.state[name]

    def gelu(self, x: np.ndarray) -> np.ndarray:
        if self.quick:
            return x / (1.0 + np.exp(-1.702 * x))
        if self.tanh:
            return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
        return 0.5 * x * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + self.eps)
        return centred / deviation * self[f"{name}.weight"] + self[f"{name}.bias"]

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self[f"{name}.weight"].T + self[f"{name}.bias"]

    def attention(
        self, x: np.ndarray, over: np.ndarray, name: str, heads: int, causal: bool
    ) -> np.ndarray:
        width = x.shape[1]
        side = width // heads
        weight, bias = self[f"{name}.in_proj_weight"], self[f"{name}.in_proj_bias"]
        query = x @ weight[:width].T + bias[:width]
        key = over @ weight[width : 2 * width].T + bias[width : 2 * width]
        value = over @ weight[2 * width :].T + bias[2 * width :]
        mixed = np.zeros_like(x)
        for head in range(heads):
            part = slice(head * side, (head + 1) * side)
            for row in range(len(x)):
                scores = key[:, part] @ query[row, part] / math.sqrt(side)
                if causal:
                    scores = scores[: row + 1]
                likely = np.exp(scores - scores.max())
                mixed[row, part] = (likely / likely.sum()) @ value[: len(scores), part]
        return self.linear(mixed, f"{name}.out_proj")

    def mlp(self, x: np.ndarray, name: str) -> np.ndarray:
        return self.linear(self.gelu(self.linear(x, f"{name}.c_fc")), f"{name}.c_proj")

    def block(self, x: np.ndarray, name: str, heads: int, causal: bool = False) -> np.ndarray:
        normed = self.norm(x, f"{name}.ln_1")
        x = x + self.attention(normed, normed, f"{name}.attn", heads, causal)
        return x + self.mlp(self.norm(x, f"{name}.ln_2"), f"{name}.mlp")

    def patches(self, picture: np.ndarray, size: int) -> np.ndarray:
        """(N, W) of a (3, S, S) picture."""
        kernel = self["visual.conv1.weight"]
        rows = []
        for top in range(0, picture.shape[1], size):
            for left in range(0, picture.shape[2], size):
                patch = picture[:, top : top + size, left : left + size]
                rows.append([(one * patch).sum() for one in kernel])
        return np.array(rows) + self.state.get("visual.conv1.bias", 0.0)

    def views(self, pictures: np.ndarray, config: ClipConfig) -> tuple[np.ndarray, np.ndarray]:
        """(E,) and (F, E) of one shape's (F, 3, S, S) pictures."""
        v = config.vision
        tokens = []
        for picture in pictures:
            patches = self.patches(picture, v.patch)
            x = np.concatenate([self["visual.class_embedding"][None], patches])
            tokens.append(self.norm(x + self["visual.positional_embedding"], "visual.ln_pre"))
        for number in range(v.layers):
            name = f"visual.transformer.resblocks.{number}"
            if number < config.threshold:
                tokens = [self.block(x, name, v.heads) for x in tokens]
            else:
                every = self.block(np.concatenate(tokens), name, v.heads)
                tokens = np.split(every, len(pictures))
        cls = np.stack([self.norm(x, "visual.ln_post")[0] for x in tokens])
        return cls.mean(0) @ self["visual.proj"], cls @ self["visual.proj"]

    def text(self, ids: np.ndarray, config: ClipConfig) -> np.ndarray:
        """(E,) of one text's (L,) ids."""
        x = self["token_embedding.weight"][ids] + self["positional_embedding"][: len(ids)]
        for number in range(config.text.layers):
            x = self.block(x, f"transformer.resblocks.{number}", config.text.heads, causal=True)
        end = max(range(len(ids)), key=lambda i: (ids[i], -i))
        return self.norm(x, "ln_final")[end] @ self["text_projection"]

    def siglip_picture(self, picture: np.ndarray, config: SiglipConfig) -> np.ndarray:
        v = config.vision
        x = self.patches(picture, v.patch) + self["visual.positional_embedding"]
        for number in range(v.layers):
            x = self.block(x, f"visual.transformer.resblocks.{number}", v.heads)
        x = self.norm(x, "visual.ln_post")
        found = self.attention(
            self["visual.head.probe"][0], x, "visual.head.attn", v.heads, causal=False
        )
        return (found + self.mlp(self.norm(found, "visual.head.ln"), "visual.head.mlp"))[0]

    def siglip_text(self, ids: np.ndarray, config: SiglipConfig) -> np.ndarray:
        x = self["token_embedding.weight"][ids] + self["positional_embedding"][: len(ids)]
        for number in range(config.text.layers):
            x = self.block(x, f"transformer.resblocks.{number}", config.text.heads)
        return self.linear(self.norm(x, "ln_final")[-1], "head")


def pictures_like(config: ClipConfig | SiglipConfig, *shape: int, seed: int = 1) -> torch.Tensor:
    """Normalised pictures (*shape, 3, S, S), float64."""
    side = config.vision.size
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, 3, side, side, generator=generator, dtype=torch.float64)


def worst(a: np.ndarray | torch.Tensor, b: np.ndarray | torch.Tensor) -> float:
    """Largest difference, relative to the largest number."""
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    assert x.shape == y.shape
    return float(np.abs(x - y).max() / np.abs(y).max())
