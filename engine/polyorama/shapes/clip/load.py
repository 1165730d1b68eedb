"""From a file or folder of weights to a network: sizes are read off the tensors themselves.

::

    loaded = load_clip(Path("Four_1to6F_bs1600_LT6.ckpt"))
    shape, views = loaded.net.encode_views(pictures)
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from polyorama.core.text import quoted, reason_of
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.files import named
from polyorama.shapes.clip.config import (
    ClipConfig,
    SiglipConfig,
    TextConfig,
    VisionConfig,
)
from polyorama.shapes.clip.layouts import named_tensors
from polyorama.shapes.clip.net import Clip
from polyorama.shapes.clip.siglip import Siglip
from polyorama.shapes.clip.tensors import read_json, read_tensors
from polyorama.shapes.packages import need_packages

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from torch import Tensor

    from polyorama.shapes.clip.tensors import TensorFile

__all__ = ["LoadedClip", "load_clip", "registered", "save_clip", "weights_in"]

_HEAD_WIDTH = 64
_DUODUO_THRESHOLD = 6
_IN_NAME = re.compile(r"_LT(\d{1,3})(?!\d)")
_PREFERRED = (
    "model.safetensors", "open_clip_model.safetensors", "open_clip_pytorch_model.bin",
    "pytorch_model.bin",
)  # fmt: skip
_WEIGHTS = (".safetensors", ".ckpt", ".pt", ".pth", ".bin")
_DESCRIPTIONS = ("open_clip_config.json", "config.json")
_QUICK = {"quick_gelu": True, "gelu": False}
_OWN = "polyorama"
_THRESHOLD = "layers_threshold"
_SIGLIP_GELU = "gelu_pytorch_tanh"


@dataclass(frozen=True, slots=True, eq=False)
class LoadedClip:
    """A network with its weights.

    Parameters
    ----------
    net
        Ready to be asked: in float32, with no gradients.
    path
        The file that the weights came from.
    layout
        As of `polyorama.shapes.clip.layouts.Named`, or "polyorama" for one trained here.
    origin
        What it is and was trained on, in words.
    """

    net: Clip | Siglip
    path: Path
    layout: str
    origin: str


def load_clip(
    source: str | os.PathLike[str],
    *,
    threshold: int | None = None,
    quick_gelu: bool | None = None,
    resolve: Callable[[str], Path] | None = None,
) -> LoadedClip:
    """Load CLIP, Duoduo CLIP or SigLIP.

    Parameters
    ----------
    source
        A file of weights, a folder as of Hugging Face, or the id of a registered model.
    threshold
        LT, the first block that sees all views. None: what the checkpoint's hyperparameters say,
        else ``_LT6`` in its name, else 6 for a checkpoint of Duoduo CLIP; any other is plain CLIP,
        whose blocks see one view.
    quick_gelu
        Whether the weights want OpenAI's GELU. None: what the description beside them says, else
        the exact one, unless the tensors themselves say that they are OpenAI's.
    resolve
        Gives the file or folder of an id; None asks the registry of models.

    Raises
    ------
    FileFormatError
        If there is nothing, it is damaged, or does not fit together; the tensor is named.
    UsageError
        If there is no such id, `threshold` is out of range, or said of SigLIP.
    UnavailableError
        If the model of that id, or a package that reads weights, is not here; the text says how to
        get it.
    """
    need_packages("CLIP", "safetensors", "tokenizers")
    place = named(source)
    # An id is one word; whatever else is not there is a file that is missing.
    if not place.exists() and place.name == str(source) and not place.suffix:
        place = (resolve or registered)(place.name)
    path = weights_in(place) if place.is_dir() else place
    file = read_tensors(path)
    found = named_tensors(file.tensors, path)
    description = _description(file)
    if found.layout == "siglip":
        if threshold is not None:
            raise UsageError("The views of SigLIP meet in their mean alone; it has no threshold.")
        siglip = _siglip_config(found.tensors, description, path)
        return LoadedClip(
            _filled(Siglip, siglip, found.tensors, path), path, found.layout, _origin("siglip", {})
        )
    layout = "polyorama" if _OWN in file.facts else found.layout
    config = _clip_config(file, found.tensors, layout, description, quick_gelu)
    if threshold is not None:
        config = replace(config, threshold=threshold)
    net = _filled(Clip, config, found.tensors, path)
    return LoadedClip(net, path, layout, _origin(layout, description))


def registered(model_id: str) -> Path:
    """The file or folder of a model in the registry.

    Raises
    ------
    UsageError
        If there is no such id.
    UnavailableError
        If it is not here; the text says how to get it.
    """
    from polyorama.models import store

    return store.path(model_id)


def weights_in(folder: Path) -> Path:
    """The file of weights in a folder.

    Raises
    ------
    FileFormatError
        If there is none, several, or it lies there in pieces.
    """
    for name in _PREFERRED:
        if (folder / name).is_file():
            return folder / name
    others = sorted(path for path in folder.iterdir() if path.suffix.lower() in _WEIGHTS)
    if list(folder.glob("*.index.json")):
        raise FileFormatError(f"The weights lie here in pieces; join them in one file: {folder}")
    if not others:
        raise FileFormatError(f"There is no file of weights in this folder: {folder}")
    if len(others) > 1:
        names = ", ".join(path.name for path in others[:3])
        raise FileFormatError(f"Which of these weights is meant ({names})? Name it: {folder}")
    return others[0]


def save_clip(net: Clip, path: Path, origin: str) -> None:
    """Write a network as safetensors, under OpenCLIP's names; inside is what tensors do not say."""
    from safetensors.torch import save_file

    config = net.config
    description = {
        "model_cfg": {
            "vision_cfg": {"heads": config.vision.heads},
            "text_cfg": {"heads": config.text.heads},
            "quick_gelu": config.quick_gelu,
            _THRESHOLD: config.threshold,
        },
        "origin": origin,
    }
    state = {name: value.detach().cpu().contiguous() for name, value in net.state_dict().items()}
    # One entry alone: the library writes several in any order, and equal weights are equal files.
    save_file(state, path, {_OWN: json.dumps(description)})


# -- sizes -----------------------------------------------------------------------------------------


def _clip_config(
    file: TensorFile,
    tensors: Mapping[str, Tensor],
    layout: str,
    description: Mapping[str, Any],
    quick: bool | None,
) -> ClipConfig:
    embed = _shape(tensors, "visual.proj", 2, file.path)[1]
    vision = _vision(tensors, description, 1, file.path)
    return _consistent(  # type: ignore[no-any-return]
        lambda: ClipConfig(
            embed=embed,
            vision=vision,
            text=_text(tensors, description, file.path),
            threshold=_threshold(file, layout, description, vision.layers),
            quick_gelu=_quick(layout, description, quick, file.path),
        ),
        file.path,
    )


def _siglip_config(
    tensors: Mapping[str, Tensor], description: Mapping[str, Any], path: Path
) -> SiglipConfig:
    for tower in ("vision_config", "text_config"):
        said = _part(description, tower).get("hidden_act", _SIGLIP_GELU)
        if said != _SIGLIP_GELU:
            raise FileFormatError(
                f"SigLIP goes with {_SIGLIP_GELU}, but its config.json says {quoted(str(said))}: "
                f"{path}"
            )
    return SiglipConfig(_vision(tensors, description, 0, path), _text(tensors, description, path))


def _consistent(make: Callable[[], Any], path: Path) -> Any:
    try:
        return make()
    except UsageError as error:
        raise FileFormatError(f"{str(error).rstrip('.')}: {path}") from error


def _vision(
    tensors: Mapping[str, Tensor], description: Mapping[str, Any], extra: int, path: Path
) -> VisionConfig:
    """Sizes of the vision tower, which has `extra` tokens before its patches."""
    width, _, patch, _ = _shape(tensors, "visual.conv1.weight", 4, path)
    patches = _shape(tensors, "visual.positional_embedding", 2, path)[0] - extra
    side = math.isqrt(max(patches, 0))
    if side < 1 or side * side != patches:
        raise FileFormatError(
            f"The tensor visual.positional_embedding has {patches} patches, which make no square: "
            f"{path}"
        )
    layers, mlp = _depth(tensors, "visual.transformer", path)
    heads = _heads(width, description, "vision", path)
    return _consistent(  # type: ignore[no-any-return]
        lambda: VisionConfig(width, layers, heads, mlp, patch, side * patch), path
    )


def _text(tensors: Mapping[str, Tensor], description: Mapping[str, Any], path: Path) -> TextConfig:
    vocabulary, width = _shape(tensors, "token_embedding.weight", 2, path)
    context = _shape(tensors, "positional_embedding", 2, path)[0]
    layers, mlp = _depth(tensors, "transformer", path)
    heads = _heads(width, description, "text", path)
    return _consistent(  # type: ignore[no-any-return]
        lambda: TextConfig(width, layers, heads, mlp, vocabulary, context), path
    )


def _depth(tensors: Mapping[str, Tensor], tower: str, path: Path) -> tuple[int, int]:
    """How many blocks there are, and the hidden units of the first."""
    start = f"{tower}.resblocks."
    numbers = {
        int(word)
        for name in tensors
        if name.startswith(start) and (word := name[len(start) :].partition(".")[0]).isdecimal()
    }
    if numbers != set(range(len(numbers))) or not numbers:
        raise FileFormatError(f"Blocks of {tower} are missing: {path}")
    return len(numbers), _shape(tensors, f"{start}0.mlp.c_fc.weight", 2, path)[0]


def _shape(tensors: Mapping[str, Tensor], name: str, dimensions: int, path: Path) -> torch.Size:
    if name not in tensors:
        raise FileFormatError(f"The tensor {name} is missing: {path}")
    shape = tensors[name].shape
    if len(shape) != dimensions or not all(shape):
        raise FileFormatError(
            f"The tensor {name} has the shape {tuple(shape)}, where {dimensions} sizes are needed: "
            f"{path}"
        )
    return shape


def _heads(width: int, description: Mapping[str, Any], tower: str, path: Path) -> int:
    """As the description says; in all released models but a few each head has 64 numbers."""
    theirs = _part(description, f"{tower}_config")
    ours = _part(_part(description, "model_cfg"), f"{tower}_cfg")
    said = theirs.get("num_attention_heads", ours.get("heads"))
    if said is None and "head_width" in ours:
        said = width // max(_count(ours["head_width"], path), 1)
    if said is not None:
        return _count(said, path)
    if width % _HEAD_WIDTH:
        raise FileFormatError(
            f"How many heads make a width of {width} ({tower} tower) is not known; put the "
            f"model's config.json beside it: {path}"
        )
    return width // _HEAD_WIDTH


def _count(value: Any, path: Path) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 1 << 16:
        raise FileFormatError(
            f"The description beside it says {quoted(str(value))} where a count is needed: {path}"
        )
    return value


# -- what tensors do not say -----------------------------------------------------------------------


def _description(file: TensorFile) -> dict[str, Any]:
    """What is said inside by a file of our own, or in a file beside it."""
    path, own = file.path, file.facts.get(_OWN)
    if own is not None:
        try:
            values = json.loads(own)
        except (ValueError, RecursionError) as error:
            raise FileFormatError(
                f"The description inside is damaged ({reason_of(error)}): {path}"
            ) from error
        return values if isinstance(values, dict) else {}
    for name in _DESCRIPTIONS:
        beside = path.with_name(name)
        if beside.is_file():
            return read_json(beside)
    return {}


def _part(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = values.get(name)
    return part if isinstance(part, dict) else {}


def _threshold(file: TensorFile, layout: str, description: Mapping[str, Any], layers: int) -> int:
    network = _part(_part(file.facts, "model"), "network")
    said = network.get(_THRESHOLD, _part(description, "model_cfg").get(_THRESHOLD))
    if said is not None:
        if not isinstance(said, int) or isinstance(said, bool):
            raise FileFormatError(
                f"The checkpoint's layers_threshold is no whole number: {file.path}"
            )
        return said
    match = _IN_NAME.search(file.path.name)
    if match is not None:
        return int(match[1])
    return _DUODUO_THRESHOLD if layout == "duoduo" else layers


def _quick(layout: str, description: Mapping[str, Any], said: bool | None, path: Path) -> bool:
    if said is not None:
        return said
    open_clip = _part(description, "model_cfg")
    if open_clip:
        return open_clip.get("quick_gelu", False) is True
    kinds = {
        part["hidden_act"]
        for name in ("vision_config", "text_config")
        if isinstance((part := _part(description, name)).get("hidden_act"), str)
    }
    if layout == "transformers":
        # What is left out of such a description is OpenAI's.
        if not description:
            raise FileFormatError(
                f"Which GELU these weights want is not known; put the model's config.json beside "
                f"them: {path}"
            )
        kinds = kinds or {"quick_gelu"}
    if len(kinds) > 1 or kinds - _QUICK.keys():
        raise FileFormatError(
            f"The config.json beside it asks for {', '.join(sorted(kinds))}, of which this "
            f"program knows one at a time of gelu and quick_gelu: {path}"
        )
    return _QUICK[kinds.pop()] if kinds else layout == "openai"


def _origin(layout: str, description: Mapping[str, Any]) -> str:
    said = description.get("origin")
    if layout == "polyorama" and isinstance(said, str):
        return said
    return {
        "duoduo": "Duoduo CLIP: OpenCLIP ViT-B/32 fine-tuned on views of 3D models and captions",
        "openai": "CLIP by OpenAI, trained on 400 million pictures with their texts",
        "siglip": "SigLIP by Google, trained on pictures of the web with their texts",
    }.get(layout, "CLIP, trained on pictures with their texts; never on views together")


# -- filling ---------------------------------------------------------------------------------------


def _filled(kind: Any, config: Any, tensors: Mapping[str, Tensor], path: Path) -> Any:
    """The network, every tensor in its place and none left over."""
    with torch.device("meta"):
        net = kind(config)
    wanted = net.state_dict()
    for name, tensor in tensors.items():
        if name not in wanted:
            raise FileFormatError(f"There is no place for the tensor {quoted(name)}: {path}")
        if tensor.shape != wanted[name].shape:
            raise FileFormatError(
                f"The tensor {name} has the shape {tuple(tensor.shape)}, where "
                f"{tuple(wanted[name].shape)} is needed: {path}"
            )
        if not tensor.is_floating_point() or tensor.layout != torch.strided:
            raise FileFormatError(f"The tensor {name} holds no plain real numbers: {path}")
    for name in wanted:
        if name not in tensors:
            raise FileFormatError(f"The tensor {name} is missing: {path}")
    state = {name: tensor.detach().float().contiguous() for name, tensor in tensors.items()}
    for name, tensor in state.items():
        if not torch.isfinite(tensor).all():
            raise FileFormatError(
                f"The tensor {name} holds numbers that are not finite; download it again: {path}"
            )
    net.load_state_dict(state, strict=True, assign=True)
    return net.eval().requires_grad_(False)
