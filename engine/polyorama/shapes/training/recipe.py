"""The recipe of the default embedder, from features to weights.

Three seeds are trained, and with each a twin whose blocks all attend within a view: what differs
between twins is what cross-view attention is worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from polyorama.core.jobs import Progress
from polyorama.shapes.backbones.efficientnet_lite import load_efficientnet
from polyorama.shapes.backbones.imagenet import class_names
from polyorama.shapes.backbones.minilm import load_minilm
from polyorama.shapes.default.embedder import save_head
from polyorama.shapes.default.net import HeadConfig
from polyorama.shapes.training.features import Store
from polyorama.shapes.training.objective import Corpus, TrainingSettings, train_head

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from polyorama.core.jobs import Job

__all__ = ["ORIGIN", "SEEDS", "Net", "nets", "train"]

SEEDS = (0, 1, 2)
ORIGIN = (
    "a small net that this project trained on shapes made by rule and on models under CC0; not CLIP"
)


@dataclass(frozen=True, slots=True)
class Net:
    """One of the nets that are trained.

    Parameters
    ----------
    seed
        Of its weights and batches.
    across
        Whether its later blocks attend over all views.
    """

    seed: int
    across: bool

    @property
    def file(self) -> str:
        """Name of its weights; the first is what the program uses."""
        if self.seed == 0 and self.across:
            return "shapes-default.safetensors"
        return f"shapes-{'seed' if self.across else 'apart'}{self.seed}.safetensors"


def nets() -> tuple[Net, ...]:
    """All of them, the default first."""
    return tuple(Net(seed, across) for across in (True, False) for seed in SEEDS)


def train(
    features: Sequence[Path], out: Path, which: Sequence[Net], settings: TrainingSettings
) -> Job[list[Path]]:
    """Train nets on folders of features and write their weights.

    Returns
    -------
    The files written.
    """
    trunk, words = load_efficientnet(), load_minilm()
    names = torch.from_numpy(words.embed(class_names()))
    yield Progress(0, 0, "Reading features")
    store = Store.read(features)
    corpus = Corpus.build(store, trunk, words, names)
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for net in which:
        config = HeadConfig()
        if not net.across:
            config = replace(config, threshold=config.layers)
        mine = replace(settings, seed=net.seed)
        head = yield from train_head(corpus, config, mine, names)
        target = out / net.file
        save_head(head, target, {
            "origin": ORIGIN, "seed": str(net.seed), "shapes": str(len(store.rows)),
            "steps": str(mine.steps), "batch": str(mine.batch),
        })  # fmt: skip
        written.append(target)
    return written
