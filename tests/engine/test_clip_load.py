"""Weights in every layout they are passed on in, and files that are damaged or mean harm."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from polyorama.errors import FileFormatError, UnavailableError, UsageError
from polyorama.shapes.clip.load import load_clip, save_clip
from polyorama.shapes.clip.net import Clip
from tests.engine.clip_samples import (
    CONFIG,
    Derived,
    duoduo_checkpoint,
    pictures_like,
    plain,
    random_state,
    sample_clip,
    worst,
)

IDS = torch.tensor([[520, 3, 17, 521, 0, 0], [520, 9, 521, 0, 0, 0]])


def state_of(seed: int = 0) -> dict[str, torch.Tensor]:
    return random_state(Clip(CONFIG), seed)


def apart(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The names of Transformers' CLIPModel, written out by hand."""
    result = {
        "vision_model.embeddings.class_embedding": state["visual.class_embedding"],
        "vision_model.embeddings.patch_embedding.weight": state["visual.conv1.weight"],
        "vision_model.embeddings.position_embedding.weight": state["visual.positional_embedding"],
        "visual_projection.weight": state["visual.proj"].T.contiguous(),
        "text_model.embeddings.token_embedding.weight": state["token_embedding.weight"],
        "text_model.embeddings.position_embedding.weight": state["positional_embedding"],
        "text_projection.weight": state["text_projection"].T.contiguous(),
        "logit_scale": state["logit_scale"],
    }
    norms = {
        "vision_model.pre_layrnorm": "visual.ln_pre",
        "vision_model.post_layernorm": "visual.ln_post",
        "text_model.final_layer_norm": "ln_final",
    }
    inner = {
        "layer_norm1": "ln_1", "layer_norm2": "ln_2", "self_attn.out_proj": "attn.out_proj",
        "mlp.fc1": "mlp.c_fc", "mlp.fc2": "mlp.c_proj",
    }  # fmt: skip
    for theirs, ours, layers in (
        ("vision_model", "visual.transformer", CONFIG.vision.layers),
        ("text_model", "transformer", CONFIG.text.layers),
    ):
        for n in range(layers):
            there, here = f"{theirs}.encoder.layers.{n}", f"{ours}.resblocks.{n}"
            norms |= {f"{there}.{a}": f"{here}.{b}" for a, b in inner.items()}
            for kind in ("weight", "bias"):
                joined = state[f"{here}.attn.in_proj_{kind}"]
                width = len(joined) // 3
                for i, part in enumerate("qkv"):
                    name = f"{there}.self_attn.{part}_proj.{kind}"
                    result[name] = joined[i * width : (i + 1) * width].clone()
    for there, here in norms.items():
        for kind in ("weight", "bias"):
            result[f"{there}.{kind}"] = state[f"{here}.{kind}"]
    return result


def write(folder: Path, layout: str, state: dict[str, torch.Tensor]) -> Path:
    if layout == "duoduo":
        path = folder / "Four_1to6F_bs1600_LT2.ckpt"
        torch.save(duoduo_checkpoint(state), path)
    elif layout == "trained by open_clip":
        path = folder / "epoch_32.pt"
        named = {f"module.{name}": value for name, value in state.items()}
        torch.save({"epoch": 32, "state_dict": named}, path)
    elif layout == "openai":
        path = folder / "ViT-B-32.pth"
        extra = {
            name: torch.tensor(n)
            for name, n in (("input_resolution", 32), ("context_length", 12), ("vocab_size", 522))
        }
        torch.save({**state, **extra}, path)
    elif layout == "openclip .bin":
        path = folder / "open_clip_pytorch_model.bin"
        torch.save(state, path)
    elif layout == "openclip .safetensors":
        path = folder / "open_clip_model.safetensors"
        save_file(state, path)
    else:
        path = folder / "model.safetensors"
        save_file(apart(state), path)
        config = {"vision_config": {"hidden_act": "gelu"}, "text_config": {"hidden_act": "gelu"}}
        (folder / "config.json").write_text(json.dumps(config))
    return path


LAYOUTS = (
    "duoduo", "trained by open_clip", "openai", "openclip .bin", "openclip .safetensors",
    "transformers",
)  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_embedding_of_the_formulas(tmp_path: Path, layout: str) -> None:
    state = state_of()
    loaded = load_clip(write(tmp_path, layout, state))
    config = CONFIG if layout == "duoduo" else plain(CONFIG)
    derived = Derived(state, quick=layout == "openai")
    pictures = pictures_like(CONFIG, 1, 3)
    shape, each = derived.views(pictures[0].numpy(), config)
    words = np.stack([derived.text(ids, config) for ids in IDS.numpy()])
    for dtype, most in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
        net = loaded.net.to(dtype)
        shapes, views = net.encode_views(pictures.to(dtype))
        assert worst(shapes[0], shape) < most
        assert worst(views[0], each) < most
        assert worst(net.encode_text(IDS), words) < most


def test_the_temperature_that_was_trained_is_taken(tmp_path: Path) -> None:
    loaded = load_clip(write(tmp_path, "duoduo", state_of()))
    assert float(loaded.net.logit_scale) == 3.25
    assert loaded.layout == "duoduo"


def test_halves_become_whole_numbers(tmp_path: Path) -> None:
    state = {name: value.half() for name, value in state_of().items()}
    path = tmp_path / "half.safetensors"
    save_file(state, path)
    loaded = load_clip(path)
    for name, value in loaded.net.state_dict().items():
        assert value.dtype == torch.float32
        assert torch.equal(value, state[name].float())


def test_what_was_saved_here_comes_back(tmp_path: Path) -> None:
    net = sample_clip()
    save_clip(net, tmp_path / "own.safetensors", "two chairs")
    loaded = load_clip(tmp_path / "own.safetensors")
    assert loaded.net.config == CONFIG
    assert loaded.origin == "two chairs"
    for name, value in net.state_dict().items():
        assert torch.equal(loaded.net.state_dict()[name], value)


# -- where views meet ----------------------------------------------------------------------------


def threshold_of(path: Path, **options: Any) -> int:
    config = load_clip(path, **options).net.config
    assert not isinstance(config, type(None))
    return int(config.threshold)  # type: ignore[union-attr]


def test_the_threshold_is_said_by_the_hyperparameters_before_the_name(tmp_path: Path) -> None:
    path = tmp_path / "Four_LT2.ckpt"
    torch.save(duoduo_checkpoint(state_of(), layers_threshold=3), path)
    assert threshold_of(path) == 3
    assert threshold_of(path, threshold=1) == 1


def test_the_threshold_is_said_by_the_name(tmp_path: Path) -> None:
    path = tmp_path / "Four_1to6F_bs1600_LT1.ckpt"
    torch.save(duoduo_checkpoint(state_of()), path)
    assert threshold_of(path) == 1


def test_the_threshold_is_six_where_nothing_says_it(tmp_path: Path) -> None:
    state = state_of()
    for n in range(4, 8):  # a vision tower of eight blocks
        state |= {
            name.replace("resblocks.0", f"resblocks.{n}"): value.clone()
            for name, value in state.items()
            if name.startswith("visual.transformer.resblocks.0.")
        }
    torch.save(duoduo_checkpoint(state), tmp_path / "anything.ckpt")
    assert threshold_of(tmp_path / "anything.ckpt") == 6


def test_plain_clip_has_views_that_meet_in_the_mean(tmp_path: Path) -> None:
    assert threshold_of(write(tmp_path, "openclip .bin", state_of())) == 4


def test_a_threshold_past_the_last_block_is_refused(tmp_path: Path) -> None:
    torch.save(duoduo_checkpoint(state_of()), tmp_path / "few.ckpt")
    with pytest.raises(FileFormatError, match=r"from block 6 on where there are 4 blocks: .*few"):
        load_clip(tmp_path / "few.ckpt")


# -- what tensors do not say ---------------------------------------------------------------------


def test_heads_and_gelu_come_from_the_description_beside(tmp_path: Path) -> None:
    write(tmp_path, "openclip .safetensors", state_of())
    cfg = {"vision_cfg": {"head_width": 32}, "text_cfg": {"heads": 4}, "quick_gelu": True}
    (tmp_path / "open_clip_config.json").write_text(json.dumps({"model_cfg": cfg}))
    config = load_clip(tmp_path).net.config
    assert (config.vision.heads, config.text.heads) == (4, 4)
    assert config.quick_gelu is True  # type: ignore[union-attr]


def test_transformers_without_a_description_are_not_guessed_at(tmp_path: Path) -> None:
    path = write(tmp_path, "transformers", state_of())
    (tmp_path / "config.json").unlink()
    with pytest.raises(FileFormatError, match=r"put the model's config.json beside"):
        load_clip(path)
    assert load_clip(path, quick_gelu=False).layout == "transformers"
    (tmp_path / "config.json").write_text('{"vision_config": {}}')
    assert load_clip(path).net.config.quick_gelu is True  # type: ignore[union-attr]
    (tmp_path / "config.json").write_text('{"vision_config": {"hidden_act": "relu"}}')
    with pytest.raises(FileFormatError, match=r"asks for relu"):
        load_clip(path)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "no JSON"),
        ("[]", "no object"),
        ("[" * 100_000, "no JSON"),
        ('{"vision_config": {"num_attention_heads": "two"}}', "where a count is needed"),
        ('{"vision_config": {"num_attention_heads": 3}}', "does not divide into 3 heads"),
    ],
)
def test_descriptions_that_are_wrong(tmp_path: Path, text: str, word: str) -> None:
    path = write(tmp_path, "transformers", state_of())
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(FileFormatError, match=word):
        load_clip(path)


# -- places --------------------------------------------------------------------------------------


def test_folders_and_ids(tmp_path: Path) -> None:
    path = write(tmp_path, "transformers", state_of())
    assert load_clip(tmp_path).path == path
    asked = []

    def resolve(name: str) -> Path:
        asked.append(name)
        return path

    assert load_clip("clip-tiny", resolve=resolve).path == path
    assert asked == ["clip-tiny"]


def test_ids_that_are_not_here_say_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYORAMA_MODELS", str(tmp_path))
    with pytest.raises(UnavailableError, match="polyorama models get duoduo-four"):
        load_clip("duoduo-four")
    with pytest.raises(UsageError, match="No model is called 'teapot'"):
        load_clip("teapot")


def test_a_package_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "duoduo", state_of())
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UnavailableError, match=r"package safetensors.*polyorama\[shapes\]"):
        load_clip(path)


def test_folders_that_do_not_say_which(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no file of weights"):
        load_clip(tmp_path)
    for name in ("a.pt", "b.pt"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(FileFormatError, match=r"a\.pt, b\.pt"):
        load_clip(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text("{}")
    with pytest.raises(FileFormatError, match="in pieces"):
        load_clip(tmp_path)
    with pytest.raises(FileFormatError, match="no such file"):
        load_clip(tmp_path / "nothing.pt")


# -- tensors that do not fit ---------------------------------------------------------------------


def spoiled(name: str, value: torch.Tensor | None) -> dict[str, torch.Tensor]:
    state = state_of()
    if value is None:
        del state[name]
    else:
        state[name] = value
    return state


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("visual.ln_post.bias", None, r"visual\.ln_post\.bias is missing"),
        ("visual.proj", None, r"visual\.proj is missing"),
        ("transformer.resblocks.0.mlp.c_fc.weight", None, r"c_fc\.weight is missing"),
        ("ln_final.weight", torch.ones(65), r"ln_final\.weight has the shape \(65,\), where \(64"),
        ("visual.proj", torch.ones(3), r"visual\.proj has the shape \(3,\), where 2 sizes"),
        ("visual.proj", torch.ones(0, 4), r"visual\.proj has the shape \(0, 4\)"),
        ("visual.positional_embedding", torch.ones(16, 128), r"15 patches, which make no square"),
        ("ln_final.weight", torch.ones(64, dtype=torch.int32), r"no plain real numbers"),
        ("ln_final.weight", torch.full((64,), torch.nan), r"ln_final\.weight holds numbers that"),
        ("teapot", torch.ones(2), r"no place for the tensor 'teapot'"),
        ("visual.transformer.resblocks.9.ln_1.bias", torch.ones(2), r"Blocks of visual\.trans"),
    ],
)
def test_a_tensor_that_does_not_fit_is_named(
    tmp_path: Path, name: str, value: torch.Tensor | None, word: str
) -> None:
    path = tmp_path / "clip.safetensors"
    save_file(spoiled(name, value), path)
    with pytest.raises(FileFormatError, match=word) as caught:
        load_clip(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_transformers_tensors_that_do_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path, "transformers", state_of())
    tensors = apart(state_of())
    name = "vision_model.encoder.layers.1.self_attn.k_proj.bias"
    del tensors[name]
    save_file(tensors, path)
    with pytest.raises(FileFormatError, match="Query, key and value of visual"):
        load_clip(path)
    save_file({**apart(state_of()), "vision_model.teapot": torch.ones(1)}, path)
    with pytest.raises(FileFormatError, match=r"no place for the tensor 'vision_model\.teapot'"):
        load_clip(path)


def test_other_networks_are_told_apart(tmp_path: Path) -> None:
    save_file({"conv.weight": torch.ones(2)}, tmp_path / "other.safetensors")
    with pytest.raises(FileFormatError, match=r"no weights of CLIP.*'conv\.weight'"):
        load_clip(tmp_path / "other.safetensors")
    save_file({}, tmp_path / "empty.safetensors")
    with pytest.raises(FileFormatError, match=r"no weights of CLIP.*none at all.*empty"):
        load_clip(tmp_path / "empty.safetensors")
    torch.save([torch.ones(2)], tmp_path / "list.pt")
    with pytest.raises(FileFormatError, match="no weights by name"):
        load_clip(tmp_path / "list.pt")


# -- harm ----------------------------------------------------------------------------------------


class _Harm:
    """Runs a command where it is unpickled without care."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_checkpoint_that_would_run_code_is_refused(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "harmed"
    content = duoduo_checkpoint(state_of(), layers_threshold=2)
    content["callbacks"] = _Harm(mark)
    torch.save(content, tmp_path / "harm.ckpt", pickle_protocol=protocol)
    with pytest.raises(FileFormatError, match=r"could run code \((.*system|a kind of)") as caught:
        load_clip(tmp_path / "harm.ckpt")
    assert not mark.exists()
    assert "\n" not in str(caught.value)


def test_paths_within_a_checkpoint_are_harmless(tmp_path: Path) -> None:
    content = duoduo_checkpoint(state_of(), layers_threshold=2)
    content["callbacks"] = {"ModelCheckpoint": {"dirpath": Path("/somewhere")}}
    torch.save(content, tmp_path / "paths.ckpt")
    assert threshold_of(tmp_path / "paths.ckpt") == 2


def test_lightnings_own_dictionaries_are_harmless(tmp_path: Path) -> None:
    path = tmp_path / "attributes.ckpt"
    kind = type("AttributeDict", (dict,), {"__module__": "lightning.fabric.utilities.data"})
    content = duoduo_checkpoint(state_of())
    content["hyper_parameters"]["model"]["network"] = kind(layers_threshold=3)
    _save_as(content, path, kind)
    assert threshold_of(path) == 3


def _save_as(content: Any, path: Path, kind: type) -> None:
    """torch.save of a class that lies in a module of that name."""
    import sys
    import types

    names = ["lightning", "lightning.fabric", "lightning.fabric.utilities", kind.__module__]
    modules = {name: types.ModuleType(name) for name in names}
    modules[kind.__module__].AttributeDict = kind  # type: ignore[attr-defined]
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(modules)
    try:
        torch.save(content, path)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def test_program_code_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ViT-B-32.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ViT-B-32/data.pkl", b"x")
        archive.writestr("ViT-B-32/code/__torch__/clip.py", b"x")
    with pytest.raises(FileFormatError, match="TorchScript"):
        load_clip(path)


def test_tensors_larger_than_their_file_are_refused(tmp_path: Path) -> None:
    state = state_of()
    # One number, said to fill two gigabytes.
    state["visual.proj"] = torch.ones(1).expand(1 << 15, 1 << 14)
    torch.save(state, tmp_path / "wide.pt")
    assert (tmp_path / "wide.pt").stat().st_size < 1 << 24
    with pytest.raises(FileFormatError, match=r"'visual\.proj'.* is more than the file can hold"):
        load_clip(tmp_path / "wide.pt")


def test_packed_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb/data.pkl", b"x")
        archive.writestr("bomb/data/0", bytes(1 << 24))
    with pytest.raises(FileFormatError, match="no archive like this"):
        load_clip(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", b"x")
    with pytest.raises(FileFormatError, match="another zip"):
        load_clip(path)


def test_a_header_of_four_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "header.safetensors"
    path.write_bytes(struct.pack("<Q", 4 << 30) + b'{"a":' + bytes(64))
    with pytest.raises(FileFormatError, match=r"said to have 4,294,967,296 bytes"):
        load_clip(path)


@pytest.mark.parametrize("layout", ["duoduo", "openclip .safetensors"])
def test_files_cut_short_anywhere(tmp_path: Path, layout: str) -> None:
    path = write(tmp_path, layout, state_of())
    whole = path.read_bytes()
    for length in (0, 3, 8, 9, 200, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError) as caught:
            load_clip(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("layout", ["duoduo", "openclip .safetensors"])
def test_files_with_wrong_bytes_load_or_say_why(tmp_path: Path, layout: str) -> None:
    path = write(tmp_path, layout, state_of())
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    # Where the structure lies: the header, or the pickle and the directory at the end.
    head = whole[:8] + whole[8 : 8 + int.from_bytes(whole[:8], "little")]
    span = len(head) if layout.endswith("safetensors") else 40_000
    for _ in range(40):
        broken = bytearray(whole)
        for _ in range(4):
            at = int(rng.integers(span))
            at = at if rng.random() < 0.7 else len(whole) - 1 - at
            broken[at] = int(rng.integers(256))
        path.write_bytes(broken)
        said = _said_of(path)
        assert "\n" not in said


def _said_of(path: Path) -> str:
    """What is wrong with a file, or "" where nothing is; any other error is one of ours."""
    try:
        load_clip(path)
    except FileFormatError as error:
        return str(error)
    return ""


def test_siglip_has_no_threshold(tmp_path: Path) -> None:
    save_file({"vision_model.head.probe": torch.ones(1)}, tmp_path / "siglip.safetensors")
    with pytest.raises(UsageError, match="has no threshold"):
        load_clip(tmp_path / "siglip.safetensors", threshold=2)
    with pytest.raises(FileFormatError, match="is missing"):
        load_clip(tmp_path / "siglip.safetensors")


# -- against Transformers itself -----------------------------------------------------------------


def test_clip_equals_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    both = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3}
    config = transformers.CLIPConfig(
        text_config={**both, "vocab_size": 50, "max_position_embeddings": 11,
                     "num_attention_heads": 2, "eos_token_id": 49, "bos_token_id": 48,
                     "hidden_act": "quick_gelu"},
        vision_config={**both, "hidden_size": 96, "num_attention_heads": 3, "image_size": 32,
                       "patch_size": 8, "hidden_act": "quick_gelu"},
        projection_dim=40,
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = transformers.CLIPModel(config).eval()
    _roughen(theirs)
    theirs.save_pretrained(tmp_path)
    ours = load_clip(tmp_path).net
    assert (ours.config.vision.heads, ours.config.text.heads) == (3, 2)
    ids = torch.tensor([[48, 3, 4, 49, 49, 49], [48, 7, 8, 9, 10, 49]])
    _compare(theirs, ours, pictures_like(ours.config, 4), ids)
    assert float(ours.logit_scale) == theirs.logit_scale.item()


def test_siglip_equals_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    both = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3,
            "num_attention_heads": 2}  # fmt: skip
    config = transformers.SiglipConfig(
        text_config={**both, "vocab_size": 50, "max_position_embeddings": 8},
        vision_config={**both, "image_size": 32, "patch_size": 8},
    )
    torch.manual_seed(0)
    theirs = transformers.SiglipModel(config).eval()
    _roughen(theirs)
    theirs.save_pretrained(tmp_path)
    ours = load_clip(tmp_path).net
    ids = torch.tensor([[3, 4, 1, 1, 1, 1, 1, 1], [7, 8, 9, 10, 11, 12, 13, 1]])
    _compare(theirs, ours, pictures_like(ours.config, 4), ids)
    assert float(ours.logit_bias) == theirs.logit_bias.item()


def _roughen(net: Any) -> None:
    """No bias is zero and no norm is one."""
    with torch.no_grad():
        for value in net.parameters():
            value.add_(torch.randn_like(value) * 0.1)


def _compare(theirs: Any, ours: Any, pictures: torch.Tensor, ids: torch.Tensor) -> None:
    for dtype, most in ((torch.float32, 1e-5), (torch.float64, 1e-12)):
        theirs, ours = theirs.to(dtype), ours.to(dtype)
        with torch.no_grad():
            out = theirs(input_ids=ids, pixel_values=pictures.to(dtype))
            shapes, _ = ours.encode_views(pictures[:, None].to(dtype))
            words = ours.encode_text(ids)
        unit = torch.nn.functional.normalize
        assert worst(unit(shapes, dim=-1), out.image_embeds) < most
        assert worst(unit(words, dim=-1), out.text_embeds) < most
