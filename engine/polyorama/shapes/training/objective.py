"""Training of the default embedder's net on features of the frozen trunk.

Duoduo CLIP's losses (section 3 of the paper), where no teacher for pictures exists:

    L = InfoNCE(shape, text) + InfoNCE(shape from views A, the same shape from views B)

with both sides symmetric and one learnable temperature each. Shapes that bear one label are no
negatives to each other in the first, and part of its target is how alike the texts themselves are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.shapes.backbones.minilm import WIDTH as WORDS
from polyorama.shapes.clip.loss import MOST_SCALE
from polyorama.shapes.default.net import MultiViewHead, coarse_cells, conse

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.shapes.backbones.efficientnet_lite import EfficientNetLite0
    from polyorama.shapes.backbones.minilm import MiniLM
    from polyorama.shapes.default.net import HeadConfig
    from polyorama.shapes.training.features import Store

__all__ = ["Corpus", "TrainingSettings", "train_head"]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How long and how fast.

    Parameters
    ----------
    steps, batch
        Steps of so many shapes.
    rate, decay
        AdamW's learning rate at its height (a tenth of the steps rise to it, then a cosine falls)
        and weight decay.
    most_views
        F of views A is uniform from 1 to this, one for a batch.
    soft
        Share of the target that is likeness of the texts, not identity of the labels.
    seed
        Of everything drawn at random.
    """

    steps: int = 1500
    batch: int = 256
    rate: float = 1e-3
    decay: float = 0.05
    most_views: int = 6
    soft: float = 0.3
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """What the net learns from, as tensors.

    Parameters
    ----------
    cells, pooled, conse
        (P, 4, 320), (P, 1280), (P, 384) float16 of all pictures.
    spans
        (N, 4): first picture, fixed views, plain views, photographs.
    texts
        (T, 384) float32 unit vectors of all captions.
    text_spans
        (N, 2): first caption and how many.
    labels
        (N,) int64 numbers of the labels.
    weights
        (N,) float64 odds of being drawn.
    """

    cells: Tensor
    pooled: Tensor
    conse: Tensor
    spans: NDArray[np.int64]
    texts: Tensor
    text_spans: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def build(
        cls, store: Store, trunk: EfficientNetLite0, words: MiniLM, class_embeddings: Tensor
    ) -> Corpus:
        """Reduce the features, and embed the captions."""
        cells, names = [], []
        with torch.inference_mode():
            for start in range(0, len(store.pooled), 4096):
                part = slice(start, start + 4096)
                cells.append(coarse_cells(torch.from_numpy(store.cells[part]).float()).half())
                logits = trunk.logits(torch.from_numpy(store.pooled[part]).float())
                names.append(conse(logits, class_embeddings).half())
        captions = [list(row["captions"]) for row in store.rows]  # type: ignore[call-overload]
        unique = sorted({text for texts in captions for text in texts})
        where = {text: number for number, text in enumerate(unique)}
        embedded = words.embed(unique)
        flat = [where[text] for texts in captions for text in texts]
        counts = np.array([len(texts) for texts in captions])
        label_names, labels = np.unique(
            [str(row["label"]) for row in store.rows], return_inverse=True
        )
        common = np.bincount(labels, minlength=len(label_names))
        return cls(
            torch.cat(cells), torch.from_numpy(store.pooled), torch.cat(names), store.spans,
            torch.from_numpy(embedded[flat]),
            np.stack([np.cumsum(counts) - counts, counts], axis=1), labels,
            1.0 / np.sqrt(common[labels]),
        )  # fmt: skip


def train_head(
    corpus: Corpus, config: HeadConfig, settings: TrainingSettings, class_embeddings: Tensor
) -> Job[MultiViewHead]:
    """Train the net; progress previews the (steps so far, 3) losses: text, views, both.

    The same corpus, sizes and settings give the same weights on one machine with one thread.

    Raises
    ------
    UsageError
        If there are fewer shapes than a batch takes.
    """
    if len(corpus.weights) < settings.batch:
        raise UsageError(
            f"There are {len(corpus.weights):,} shapes to learn from, fewer than the "
            f"{settings.batch:,} of a batch; make features of more."
        )
    generator = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    net = MultiViewHead(config, class_embeddings)
    scales = nn.Parameter(torch.full((2,), math.log(1 / 0.07)))
    matrices = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": settings.decay},
            {"params": [*others, scales], "weight_decay": 0.0},
        ],
        lr=settings.rate, betas=(0.9, 0.98),
    )  # fmt: skip
    losses = np.zeros((settings.steps, 3), np.float32)
    odds = corpus.weights / corpus.weights.sum()
    for step in range(settings.steps):
        rise = min((step + 1) / (0.1 * settings.steps), 1.0)
        fall = 0.5 + 0.5 * math.cos(math.pi * step / settings.steps)
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * rise * fall
        rows = generator.choice(len(odds), settings.batch, replace=False, p=odds)
        text_loss, view_loss = _losses(net, corpus, rows, scales, settings, generator)
        loss = text_loss + view_loss
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        with torch.no_grad():
            scales.clamp_(max=MOST_SCALE)
        losses[step] = text_loss.item(), view_loss.item(), loss.item()
        yield Progress(step + 1, settings.steps, f"Loss {losses[step, 2]:.3f}", losses[: step + 1])
    return net.eval()


def _losses(
    net: MultiViewHead, corpus: Corpus, rows: NDArray[np.int64], scales: Tensor,
    settings: TrainingSettings, generator: Generator,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Both losses of one batch."""
    many = int(generator.integers(1, settings.most_views + 1))
    few = int(generator.integers(1, 3))
    shapes, _ = net(*_views(corpus, rows, many, generator, photographs=0.2))
    others, _singles = net(*_views(corpus, rows, few, generator, photographs=0.8))
    first, count = corpus.text_spans[rows].T
    texts = corpus.texts[first + generator.integers(0, count)]
    target = _text_target(texts, torch.from_numpy(corpus.labels[rows]), settings.soft)
    scale = scales.exp()
    words = texts * net.config.semantic_share**-0.5
    text_loss = _info_nce(shapes[:, :WORDS] @ words.mT * scale[0], target)
    text_loss = text_loss + 0.5 * _info_nce(others[:, :WORDS] @ words.mT * scale[0], target)
    same = torch.eye(len(rows))
    view_loss = _info_nce(shapes @ others.mT * scale[1], same)
    return text_loss, view_loss


def _views(
    corpus: Corpus, rows: NDArray[np.int64], count: int, generator: Generator, *, photographs: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Features of `count` views each; a shape's are all photographs, or plain, or of the look."""
    first, fixed, plain, photos = corpus.spans[rows].T
    kind = generator.random(len(rows))
    bare = (kind > photographs) & (kind < photographs + 0.2 * (1 - photographs))
    start = np.where(kind < photographs, fixed + plain, np.where(bare, fixed, 0))
    size = np.where(kind < photographs, photos, np.where(bare, plain, fixed))
    # Without replacement as far as there are enough: a random start and stride through the kind.
    order = np.argsort(generator.random((len(rows), int(size.max()))), axis=1)
    order = np.where(order < size[:, None], order, -1)
    picked = np.stack([
        np.resize(line[line >= 0], count) for line in order
    ])  # fmt: skip
    at = torch.from_numpy(first[:, None] + start[:, None] + picked)
    return corpus.cells[at].float(), corpus.pooled[at].float(), corpus.conse[at].float()


def _text_target(texts: Tensor, labels: Tensor, soft: float) -> Tensor:
    """(B, B) rows that sum to 1: those of one label alike, and a part by likeness of the texts."""
    same = (labels[:, None] == labels[None]).float()
    alike = (texts @ texts.mT / 0.1).softmax(-1)
    return (1.0 - soft) * same / same.sum(1, keepdim=True) + soft * alike


def _info_nce(logits: Tensor, target: Tensor) -> Tensor:
    """Symmetric cross-entropy of (B, B) scaled similarities against rows of a target."""
    columns = target.mT / target.sum(0)[:, None]
    forward = functional.cross_entropy(logits, target)
    backward = functional.cross_entropy(logits.mT, columns)
    return 0.5 * (forward + backward)
