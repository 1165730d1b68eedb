"""Names of tensors in the files that CLIP and SigLIP are passed on in, and what each becomes here.

Here all are named as OpenCLIP names them; its own files, OpenAI's, and those of Duoduo CLIP differ
by a prefix at most. Transformers keeps query, key and value apart and turns projections round.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from polyorama.core.text import quoted
from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

__all__ = ["Named", "named_tensors"]

_MARK = "visual.conv1.weight"
_DUODUO = "duoduoclip."
_SCALE = "contrastive_loss.logit_scale"
_NOT_WEIGHTS = frozenset({
    "attn_mask", "input_resolution", "context_length", "vocab_size",
    "vision_model.embeddings.position_ids", "text_model.embeddings.position_ids",
})  # fmt: skip
_OPENAI = frozenset({"input_resolution", "context_length", "vocab_size"})

_TOWER = {"vision_model": "visual.", "text_model": ""}
_BLOCK = re.compile(r"(vision_model|text_model)\.encoder\.layers\.(\d{1,3})\.(.+)\.(weight|bias)")
_IN_BLOCK = {
    "layer_norm1": "ln_1", "layer_norm2": "ln_2", "self_attn.out_proj": "attn.out_proj",
    "mlp.fc1": "mlp.c_fc", "mlp.fc2": "mlp.c_proj",
}  # fmt: skip
_PARTS = ("q", "k", "v")
_BOTH = {
    "vision_model.embeddings.patch_embedding.weight": "visual.conv1.weight",
    "vision_model.embeddings.position_embedding.weight": "visual.positional_embedding",
    "vision_model.post_layernorm.weight": "visual.ln_post.weight",
    "vision_model.post_layernorm.bias": "visual.ln_post.bias",
    "text_model.embeddings.token_embedding.weight": "token_embedding.weight",
    "text_model.embeddings.position_embedding.weight": "positional_embedding",
    "text_model.final_layer_norm.weight": "ln_final.weight",
    "text_model.final_layer_norm.bias": "ln_final.bias",
    "logit_scale": "logit_scale",
}
_CLIP = _BOTH | {
    "vision_model.embeddings.class_embedding": "visual.class_embedding",
    # Spelled so by Transformers.
    "vision_model.pre_layrnorm.weight": "visual.ln_pre.weight",
    "vision_model.pre_layrnorm.bias": "visual.ln_pre.bias",
    "visual_projection.weight": "visual.proj",
    "text_projection.weight": "text_projection",
}
_TURNED = frozenset({"visual_projection.weight", "text_projection.weight"})
_HEAD = "vision_model.head."
_SIGLIP = _BOTH | {
    "vision_model.embeddings.patch_embedding.bias": "visual.conv1.bias",
    "text_model.head.weight": "head.weight",
    "text_model.head.bias": "head.bias",
    "logit_bias": "logit_bias",
    f"{_HEAD}probe": "visual.head.probe",
    f"{_HEAD}attention.in_proj_weight": "visual.head.attn.in_proj_weight",
    f"{_HEAD}attention.in_proj_bias": "visual.head.attn.in_proj_bias",
} | {
    f"{_HEAD}{theirs}.{part}": f"visual.head.{ours}.{part}"
    for theirs, ours in (
        ("attention.out_proj", "attn.out_proj"), ("layernorm", "ln"), ("mlp.fc1", "mlp.c_fc"),
        ("mlp.fc2", "mlp.c_proj"),
    )
    for part in ("weight", "bias")
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Tensors under the names of this program.

    Parameters
    ----------
    tensors
        By name.
    layout
        "duoduo", "openclip", "openai", "transformers" (CLIP) or "siglip".
    """

    tensors: dict[str, Tensor]
    layout: str


def named_tensors(tensors: Mapping[str, Tensor], path: Path) -> Named:
    """Tell whose file it is by its names, and translate them.

    Parameters
    ----------
    tensors
        By the names in the file.
    path
        For errors.

    Raises
    ------
    FileFormatError
        If it is none of the layouts, or a name belongs to none.
    """
    if "vision_model.head.probe" in tensors:
        return Named(_translated(tensors, _SIGLIP, path), "siglip")
    if "vision_model.embeddings.class_embedding" in tensors:
        return Named(_translated(tensors, _CLIP, path), "transformers")
    prefixes = {name.removesuffix(_MARK) for name in tensors if name.endswith(_MARK)}
    if len(prefixes) != 1:
        first = next((quoted(name) for name in tensors), "none at all")
        raise FileFormatError(
            f"These are no weights of CLIP, Duoduo CLIP or SigLIP that this program knows "
            f"(their first tensor is {first}): {path}"
        )
    (prefix,) = prefixes
    # Beside the network, a checkpoint may hold other parts of its training: those have no prefix.
    kept = {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
    if prefix and _SCALE in tensors:
        kept["logit_scale"] = tensors[_SCALE]
    layout = "openai" if kept.keys() >= _OPENAI else "openclip"
    if prefix == _DUODUO:
        layout = "duoduo"
    return Named({n: t for n, t in kept.items() if n not in _NOT_WEIGHTS}, layout)


def _translated(
    tensors: Mapping[str, Tensor], table: Mapping[str, str], path: Path
) -> dict[str, Tensor]:
    result: dict[str, Tensor] = {}
    apart: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name in _NOT_WEIGHTS:
            continue
        if name in table:
            result[table[name]] = tensor.mT if name in _TURNED and tensor.ndim == 2 else tensor
            continue
        match = _BLOCK.fullmatch(name)
        inner = match[3] if match else ""
        if match is None or not (inner in _IN_BLOCK or inner in _QKV):
            raise FileFormatError(f"There is no place for the tensor {quoted(name)}: {path}")
        block = f"{_TOWER[match[1]]}transformer.resblocks.{int(match[2])}"
        if inner in _IN_BLOCK:
            result[f"{block}.{_IN_BLOCK[inner]}.{match[4]}"] = tensor
        else:
            apart.setdefault(f"{block}.attn.in_proj_{match[4]}", {})[_QKV[inner]] = tensor
    for name, parts in apart.items():
        result[name] = _joined(name, parts, path)
    return result


_QKV = {f"self_attn.{part}_proj": part for part in _PARTS}


def _joined(name: str, parts: Mapping[str, Tensor], path: Path) -> Tensor:
    shapes = {tensor.shape for tensor in parts.values()}
    if len(parts) != len(_PARTS) or len(shapes) != 1 or not next(iter(shapes)):
        raise FileFormatError(
            f"Query, key and value of {name} are not all there, or unlike in shape: {path}"
        )
    return torch.cat([parts[part] for part in _PARTS])
