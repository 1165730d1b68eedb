"""What a training of EcoFace ends in: the networks, their units, and what they were trained on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from polyorama.core.frozen import FrozenMap
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.ecoface.config import GROUPS, EcoFaceConfig
from polyorama.face.ecoface.ede import EmotionSpaceNet
from polyorama.face.ecoface.flow_vae import FlowVae
from polyorama.face.tensor_files import read_tensor_file, write_tensor_file
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from polyorama.face.ecoface.examples import ExampleSet

__all__ = ["EcoFaceWeights", "Units", "load_weights", "save_weights"]

_KEY = "polyorama-ecoface"
_FORMAT = 1
_MOST_BYTES = 1 << 30
_LEAST_SPREAD = 0.03
"""Channels that hardly move count as if they moved this much, so that noise is not learned."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Mean and spread of content, sound and motion: networks see all in units of its spread.

    Parameters
    ----------
    mean, spread
        By kind, float32 rows.
    """

    mean: Mapping[str, NDArray[np.float32]]
    spread: Mapping[str, NDArray[np.float32]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", FrozenMap(self.mean))
        object.__setattr__(self, "spread", FrozenMap(self.spread))

    @classmethod
    def of(cls, data: ExampleSet) -> Units:
        """The units of clips."""
        mean, spread = {}, {}
        for kind in ("content", "sound", "motion"):
            rows = np.concatenate([np.asarray(getattr(e, kind), np.float32) for e in data.examples])
            mean[kind] = rows.mean(0, dtype=np.float64).astype(np.float32)
            least = _LEAST_SPREAD if kind == "motion" else 1e-3
            spread[kind] = np.maximum(rows.std(0, dtype=np.float64), least).astype(np.float32)
        return cls(mean, spread)

    def into(self, kind: str, rows: NDArray[np.floating]) -> torch.Tensor:
        """Rows in units of their spread."""
        values = (np.asarray(rows, np.float32) - self.mean[kind]) / self.spread[kind]
        return torch.from_numpy(values)

    def out_of(self, kind: str, rows: torch.Tensor) -> NDArray[np.float32]:
        """Rows as they were before `into`."""
        return np.asarray(rows.detach().numpy() * self.spread[kind] + self.mean[kind], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class EcoFaceWeights:
    """All that generation needs.

    Parameters
    ----------
    config
        Sizes.
    units
        Of what goes in and out.
    space
        Both encoders of emotion.
    vae
        The generator; its encoder is only there after a training.
    prototypes
        (15, emotion) float32, mean features of `GROUPS`.
    probe
        (8, emotion + 1) float32: logits of `EMOTIONS` from features, and a constant.
    persons
        Names of speakers.
    facts
        "trained_on", "features", seeds and steps, as texts.
    digest
        Of the file that they were read from, or "".
    """

    config: EcoFaceConfig
    units: Units
    space: EmotionSpaceNet
    vae: FlowVae
    prototypes: NDArray[np.float32]
    probe: NDArray[np.float32]
    persons: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=FrozenMap)
    digest: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", FrozenMap(self.facts))
        for net in (self.space, self.vae):
            net.eval().requires_grad_(False)


def save_weights(weights: EcoFaceWeights, path: Path) -> None:
    """Write what generation needs: float16, without the encoder of motion to latents.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    tensors: dict[str, NDArray[Any]] = {
        "prototypes": weights.prototypes, "probe": weights.probe,
        **{f"mean/{kind}": row for kind, row in weights.units.mean.items()},
        **{f"spread/{kind}": row for kind, row in weights.units.spread.items()},
    }  # fmt: skip
    for part, net in (("space", weights.space), ("vae", weights.vae)):
        for name, value in net.state_dict().items():
            if not name.startswith("encoder.") and not name.endswith("num_batches_tracked"):
                # Running variances may be beyond float16.
                kept = value if "running" in name else value.half()
                tensors[f"{part}/{name}"] = kept.numpy()
    header = {
        "format": _FORMAT, "config": asdict(weights.config), "persons": weights.persons,
        "facts": dict(weights.facts),
    }  # fmt: skip
    write_tensor_file(path, tensors, {_KEY: json.dumps(header)})


def load_weights(path: Path) -> EcoFaceWeights:
    """Read what `save_weights` wrote.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or not of EcoFace.
    """
    tensors, meta = read_tensor_file(path, _MOST_BYTES)
    try:
        header = json.loads(meta[_KEY])
        if header["format"] != _FORMAT:
            raise ValueError("another version")
        config = EcoFaceConfig(**header["config"])
        persons = tuple(str(name) for name in header["persons"])
        facts = {str(k): str(v) for k, v in header["facts"].items()}
        if len(persons) != config.persons:
            raise ValueError("persons do not fit")
        widths = {"content": config.content, "sound": config.sound, "motion": config.motion}
        units = Units(*(
            {kind: _shaped(tensors[f"{what}/{kind}"], (width,)) for kind, width in widths.items()}
            for what in ("mean", "spread")
        ))  # fmt: skip
        if any(spread.min() <= 0.0 for spread in units.spread.values()):
            raise ValueError("a spread that is none")
        space = _filled(lambda: EmotionSpaceNet(config), "space", tensors)
        vae = _filled(lambda: FlowVae(config), "vae", tensors)
        return EcoFaceWeights(
            config, units, space, vae,
            _shaped(tensors["prototypes"], (len(GROUPS), config.emotion)),
            _shaped(tensors["probe"], (len(EMOTIONS), config.emotion + 1)),
            persons, facts, hashlib.blake2b(path.read_bytes(), digest_size=6).hexdigest(),
        )  # fmt: skip
    except (
        KeyError, ValueError, TypeError, AttributeError, RuntimeError, RecursionError, UsageError,
    ) as error:  # fmt: skip
        raise FileFormatError(
            f"These are no weights of EcoFace, or of another version ({type(error).__name__}): "
            f"{path}"
        ) from error


def _shaped(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float32]:
    if array.shape != shape:
        raise ValueError("an array of another shape")
    return np.asarray(array, np.float32)


def _filled(make: Any, part: str, tensors: Mapping[str, NDArray[Any]]) -> Any:
    """A network that is made without memory and given its tensors."""
    # Sizes that the file claims take no memory before its tensors are known to have them.
    with torch.device("meta"):
        net: nn.Module = make()
    if hasattr(net, "encoder"):
        del net.encoder
    state = {
        name.removeprefix(f"{part}/"): torch.from_numpy(np.array(array, np.float32))
        for name, array in tensors.items()
        if name.startswith(f"{part}/")
    }
    if any((row < 0.0).any() for name, row in state.items() if name.endswith("running_var")):
        raise ValueError("a variance below 0")
    counters = {
        name: torch.zeros((), dtype=torch.int64)
        for name in net.state_dict()
        if name.endswith("num_batches_tracked")
    }
    net.load_state_dict({**state, **counters}, assign=True)
    return net
