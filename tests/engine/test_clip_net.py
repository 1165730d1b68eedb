"""CLIP with multi-view attention against its formulas; sizes and names of the real one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyorama.errors import UsageError
from polyorama.shapes.clip.config import B32, VisionConfig
from polyorama.shapes.clip.net import Clip, VisionTower
from polyorama.shapes.clip.siglip import Siglip
from tests.engine.clip_samples import (
    CONFIG,
    SIGLIP,
    Derived,
    pictures_like,
    plain,
    random_state,
    sample_clip,
    worst,
)

IDS = torch.tensor([[520, 3, 17, 521, 0, 0], [520, 9, 521, 0, 0, 0], [520, 1, 2, 3, 4, 521]])


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("threshold", [0, 2, 3, 4])
def test_views_and_words_are_those_of_the_formulas(threshold: int, quick: bool) -> None:
    config = replace(CONFIG, threshold=threshold, quick_gelu=quick)
    net = sample_clip(config)
    derived = Derived(net.state_dict(), quick=quick)
    pictures = pictures_like(config, 2, 3)
    expected = [derived.views(one.numpy(), config) for one in pictures]
    words = np.stack([derived.text(ids, config) for ids in IDS.numpy()])
    for dtype, most in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
        cast = net.to(dtype)
        shapes, each = cast.encode_views(pictures.to(dtype))
        assert worst(shapes, np.stack([shape for shape, _ in expected])) < most
        assert worst(each, np.stack([views for _, views in expected])) < most
        assert worst(cast.encode_text(IDS), words) < most


def test_siglip_is_that_of_the_formulas() -> None:
    net = Siglip(SIGLIP)
    net.load_state_dict(random_state(net))
    net = net.eval().requires_grad_(False)
    derived = Derived(net.state_dict(), tanh=True, eps=1e-6)
    pictures = pictures_like(SIGLIP, 2, 3)
    ids = torch.tensor([[5, 6, 1, 1, 1, 1, 1, 1, 1], [7, 1, 1, 1, 1, 1, 1, 1, 1]])
    expected = np.stack(
        [[derived.siglip_picture(view.numpy(), SIGLIP) for view in one] for one in pictures]
    )
    words = np.stack([derived.siglip_text(row, SIGLIP) for row in ids.numpy()])
    for dtype, most in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
        cast = net.to(dtype)
        shapes, each = cast.encode_views(pictures.to(dtype))
        assert worst(each, expected) < most
        assert worst(shapes, expected.mean(1)) < most
        assert worst(cast.encode_text(ids), words) < most


@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
def test_the_order_of_views_is_no_matter(dtype: torch.dtype, most: float) -> None:
    net = sample_clip().to(dtype)
    pictures = pictures_like(CONFIG, 1, 7).to(dtype)
    shape, each = net.encode_views(pictures)
    generator = torch.Generator().manual_seed(0)
    for _ in range(5):
        order = torch.randperm(7, generator=generator)
        turned, turned_each = net.encode_views(pictures[:, order])
        unit, turned_unit = (torch.nn.functional.normalize(x, dim=-1) for x in (shape, turned))
        assert float((unit - turned_unit).abs().max()) < most
        assert worst(turned_each, each[:, order]) < 10 * most


def test_views_that_repeat_say_nothing_new() -> None:
    net = sample_clip().double()
    view = pictures_like(CONFIG, 1, 1)
    one, _ = net.encode_views(view)
    many, each = net.encode_views(view.expand(-1, 5, -1, -1, -1))
    assert worst(many, one) < 1e-12
    assert worst(each, one[:, None].expand_as(each)) < 1e-12


def test_a_single_view_is_plain_clip_and_several_are_not() -> None:
    net, simple = sample_clip().double(), sample_clip(plain(CONFIG)).double()
    pictures = pictures_like(CONFIG, 2, 3)
    first = pictures[:, :1]
    assert worst(net.encode_views(first)[0], simple.encode_views(first)[0]) < 1e-12
    together, alone = net.encode_views(pictures)[0], simple.encode_views(pictures)[0]
    assert worst(together, alone) > 1e-2
    # Plain CLIP's shape is the mean of its views, each as if alone.
    single = torch.stack([simple.encode_views(pictures[:, [i]])[0] for i in range(3)])
    assert worst(alone, single.mean(0)) < 1e-12


def test_a_batch_is_its_shapes_one_at_a_time() -> None:
    net = sample_clip().double()
    pictures = pictures_like(CONFIG, 3, 2)
    shapes, _ = net.encode_views(pictures)
    for one, shape in zip(pictures, shapes, strict=True):
        assert worst(net.encode_views(one[None])[0][0], shape) < 1e-12


def test_what_follows_the_end_of_a_text_is_not_read() -> None:
    net = sample_clip().double()
    padded = IDS[1:2].clone()
    padded[0, 3:] = 77
    assert worst(net.encode_text(padded), net.encode_text(IDS[1:2])) < 1e-12


# -- the real sizes, without their memory --------------------------------------------------------


def _real() -> Clip:
    with torch.device("meta"):
        return Clip(B32)


def _block(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {
        f"{name}.ln_1.weight": (width,), f"{name}.ln_1.bias": (width,),
        f"{name}.attn.in_proj_weight": (3 * width, width),
        f"{name}.attn.in_proj_bias": (3 * width,),
        f"{name}.attn.out_proj.weight": (width, width), f"{name}.attn.out_proj.bias": (width,),
        f"{name}.ln_2.weight": (width,), f"{name}.ln_2.bias": (width,),
        f"{name}.mlp.c_fc.weight": (4 * width, width), f"{name}.mlp.c_fc.bias": (4 * width,),
        f"{name}.mlp.c_proj.weight": (width, 4 * width), f"{name}.mlp.c_proj.bias": (width,),
    }  # fmt: skip


def test_names_and_shapes_are_those_of_the_released_checkpoints() -> None:
    expected: dict[str, tuple[int, ...]] = {
        "visual.class_embedding": (768,), "visual.positional_embedding": (50, 768),
        "visual.proj": (768, 512), "visual.conv1.weight": (768, 3, 32, 32),
        "visual.ln_pre.weight": (768,), "visual.ln_pre.bias": (768,),
        "visual.ln_post.weight": (768,), "visual.ln_post.bias": (768,),
        "token_embedding.weight": (49408, 512), "positional_embedding": (77, 512),
        "ln_final.weight": (512,), "ln_final.bias": (512,), "text_projection": (512, 512),
        "logit_scale": (),
    }  # fmt: skip
    for number in range(12):
        expected |= _block(f"visual.transformer.resblocks.{number}", 768)
        expected |= _block(f"transformer.resblocks.{number}", 512)
    assert {name: tuple(value.shape) for name, value in _real().state_dict().items()} == expected


def test_the_shape_encoder_has_87_85_million_parameters() -> None:
    real = _real()
    assert round(sum(p.numel() for p in real.visual.parameters()) / 1e6, 2) == 87.85
    attention = real.visual.transformer.resblocks[6].attn
    assert sum(p.numel() for p in attention.parameters()) == 2_362_368


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="does not divide into 5 heads"):
        VisionConfig(width=128, layers=1, heads=5, mlp=1, patch=8, size=32)
    with pytest.raises(UsageError, match="does not divide into patches"):
        VisionConfig(width=128, layers=1, heads=2, mlp=1, patch=7, size=32)
    with pytest.raises(UsageError, match="cannot meet from block 5"):
        replace(CONFIG, threshold=5)
    assert VisionTower(CONFIG, torch.nn.functional.gelu).threshold == 2
