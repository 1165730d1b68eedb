"""The training of Duoduo CLIP (Lee, Zhang and Chang 2025, section 3).

A shape's views, seen jointly, are drawn to what CLIP sees in them one by one, and to what CLIP
reads in words about them. Only attention in the blocks that see all views is trained, and the
temperature; CLIP's own towers give the targets and stay as they are.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from polyorama.core.jobs import Progress
from polyorama.errors import FileFormatError, UsageError
from polyorama.shapes.clip.loss import MOST_SCALE, info_nce, learning_rate
from polyorama.shapes.clip.net import FIRST_SCALE, Clip, attend
from polyorama.shapes.clip.pictures import CLIP_MEAN, CLIP_STD, CROP
from polyorama.shapes.clip.train_state import read_state, write_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from polyorama.core.jobs import Job
    from polyorama.shapes.clip.rendered import Rendered
    from polyorama.shapes.clip.words import Words

__all__ = [
    "CURVES", "Curves", "TrainProgress", "TrainSettings", "crops", "joined", "train", "trainable",
]  # fmt: skip

CURVES = ("epoch", "views", "rate", "loss", "image_loss", "text_loss", "scale")
"""What is measured at every step, in the order of the columns of `Curves`."""

_TEXTS_AT_ONCE = 64
_SHOW_EVERY = 10


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Numbers of a training; those of the paper, but for how much of it there is.

    Parameters
    ----------
    epochs
        How often every model is seen.
    batch
        Models that are told apart at a time, at least 2; more make a harder task.
    rate, last_rate
        Learning rate of the first epoch, and where its cosine ends.
    views
        Pictures of each model; up to half of them are seen at a time.
    seed
        Of all random choices.
    """

    epochs: int = 20
    batch: int = 64
    rate: float = 5e-5
    last_rate: float = 1e-7
    views: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 2:
            raise UsageError("A training takes an epoch or more, and batches of two or more.")
        if not 2 <= self.views <= 24:
            raise UsageError(f"A model is drawn from 2 to 24 sides here, not {self.views}.")
        if not 0.0 < self.last_rate <= self.rate < 1.0:
            raise UsageError(
                f"The learning rate lies between {self.last_rate:g} and 1, not at {self.rate:g}."
            )
        if self.seed < 0:
            raise UsageError("A seed is 0 or more.")


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """What was measured so far.

    Parameters
    ----------
    rows
        (N, 7) float64, a row a step, with the columns of `CURVES`.
    """

    rows: NDArray[np.float64]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """(N,) of one name of `CURVES`."""
        return self.rows[:, CURVES.index(name)]


@dataclass(frozen=True, slots=True)
class TrainProgress(Progress):
    """Progress of a training, in steps; now and then `preview` is its `Curves`.

    Parameters
    ----------
    epoch
        Epochs that are done.
    loss
        Of the last step; NaN before the first.
    """

    epoch: int = 0
    loss: float = math.nan


def train(
    net: Clip,
    words: Words,
    data: Rendered,
    state: Path,
    *,
    settings: TrainSettings,
    model_id: str,
    device: torch.device,
    resume: bool = False,
) -> Job[tuple[Clip, Curves]]:
    """Train a copy of a network, as a job that yields a `TrainProgress` every step.

    After every epoch all that a later process needs is kept in `state`. Each epoch draws its luck
    from the seed and its number alone, so a run that was killed and resumed comes, on the CPU, to
    the very weights of one that was not. Closing the job cancels it; the epoch it was in is lost.

    Parameters
    ----------
    net
        Where to begin; as it is now it gives the targets too, its views seen one by one.
    words
        Its vocabulary.
    data
        Models, their captions and views of the network's size.
    state
        File to keep the training in.
    settings
        All numbers.
    model_id
        What names the weights of `net`: another's training is not gone on with.
    device
        Where to work; on CUDA in mixed precision.
    resume
        Whether to go on from `state`, where it is there.

    Raises
    ------
    UsageError
        If the state is that of another training, or the learning rate is so high that the loss is
        no number any more.
    FileFormatError
        If it is damaged.
    OutputError
        If it cannot be written.
    """
    loop = _Loop(net, words, data, settings, device)
    facts = {"model": model_id, "data": _fingerprint(data), "settings": asdict(settings)}
    if resume and state.exists():
        loop.restore(state, facts)
        yield loop.progress(shown=True)
    while loop.epoch < settings.epochs:
        for _ in loop.steps():
            yield loop.progress(shown=len(loop.rows) % _SHOW_EVERY == 0)
        tensors, numbers = loop.kept()
        write_state(state, tensors, {**facts, **numbers})
        yield loop.progress(shown=True)
    return loop.net.eval().requires_grad_(False), loop.curves()


def joined(net: Clip) -> Clip:
    """A copy whose views meet in the upper half, where those of `net` meet in the mean alone.

    Weights are shared, but for those that are trained, which are the copy's own.
    """
    config = net.config
    if config.threshold == config.vision.layers:
        config = replace(config, threshold=config.vision.layers // 2)
    with torch.device("meta"):
        result = Clip(config)
    result.load_state_dict(net.state_dict(), assign=True)
    own = set(trainable(result))
    values = {
        name: value.detach().clone() if name in own else value
        for name, value in result.state_dict().items()
    }
    result.load_state_dict(values, assign=True)
    return result


def trainable(net: Clip) -> list[str]:
    """Names of what is trained: attention in the blocks that see all views, and the temperature."""
    first, last = net.config.threshold, net.config.vision.layers
    starts = tuple(f"visual.transformer.resblocks.{n}.attn." for n in range(first, last))
    found = [name for name, _ in net.named_parameters() if name.startswith(starts)]
    return [*found, "logit_scale"]


def crops(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """(N, 3, S, S) float32, 0..1: of each (N, S, S, 3) uint8 picture a random part, enlarged.

    The part is 208 of 224 pixels wide, and another one for each picture.
    """
    size = pictures.shape[1]
    part = round(size * CROP)
    corners = rng.integers(0, size - part + 1, (len(pictures), 2))
    cut = torch.stack([
        picture[y : y + part, x : x + part]
        for picture, (y, x) in zip(pictures, corners.tolist(), strict=True)
    ])  # fmt: skip
    values = cut.movedim(-1, 1).float() / 255.0
    large = functional.interpolate(
        values, (size, size), mode="bicubic", antialias=True, align_corners=False
    )
    # Bicubic curves overshoot at edges.
    return large.clamp(0.0, 1.0)


class _Loop:
    """A training between two steps."""

    def __init__(
        self, net: Clip, words: Words, data: Rendered, settings: TrainSettings,
        device: torch.device,
    ) -> None:  # fmt: skip
        self.settings, self._data, self._device = settings, data, device
        self.net = joined(net).to(device).requires_grad_(False)
        # CLIP's own upper half, before anything is trained: it gives the targets.
        self._teacher = copy.deepcopy(torch.nn.ModuleList(self.net.visual.upper))
        with torch.no_grad():
            self.net.logit_scale.fill_(FIRST_SCALE)
        parameters = dict(self.net.named_parameters())
        self._trained = {name: parameters[name] for name in trainable(self.net)}
        for parameter in self._trained.values():
            parameter.requires_grad_(True)
        self._optimiser = torch.optim.AdamW(list(self._trained.values()), lr=settings.rate)
        self._half = device.type == "cuda"
        self._scaler = torch.amp.GradScaler("cuda", enabled=self._half)
        self._texts, self._numbers = self._read(words)
        self._mean, self._std = (
            torch.tensor(values, device=device)[:, None, None] for values in (CLIP_MEAN, CLIP_STD)
        )
        self.epoch = 0
        self.rows: list[tuple[float, ...]] = []

    def _read(self, words: Words) -> tuple[Tensor, list[list[int]]]:
        """(M, E) unlike captions as vectors, and by model the numbers of its own."""
        models = self._data.models
        texts = sorted({text for model in models for text in model.captions})
        number = {text: n for n, text in enumerate(texts)}
        parts = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            ids = words(texts[start : start + _TEXTS_AT_ONCE]).to(self._device)
            with torch.no_grad():
                parts.append(self.net.encode_text(ids))
        return torch.cat(parts), [[number[text] for text in model.captions] for model in models]

    @property
    def _batches(self) -> int:
        """How many there are in an epoch: alike in size, within one, and none of a single model."""
        models = len(self._data.models)
        return min(-(-models // self.settings.batch), models // 2)

    def steps(self) -> Iterator[None]:
        """Train for an epoch, a step at a time."""
        s = self.settings
        rate = learning_rate(s.rate, s.last_rate, self.epoch, s.epochs)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng([s.seed, self.epoch])
        order = rng.permutation(len(self._data.models))
        for batch in np.array_split(order, self._batches):
            # One number of views for the whole batch, from one to half of what there is.
            views = int(rng.integers(1, s.views // 2 + 1))
            losses = self._step(batch, views, rng)
            self.rows.append((self.epoch, views, rate, *losses))
            yield
        self.epoch += 1

    def _step(
        self, batch: NDArray[np.int64], views: int, rng: np.random.Generator
    ) -> tuple[float, ...]:
        pictures = self._pictures(batch, views, rng)
        said = torch.tensor([int(rng.choice(self._numbers[n])) for n in batch])
        texts = self._texts[said.to(self._device)]
        visual, scale = self.net.visual, self.net.logit_scale
        with torch.autocast(self._device.type, torch.float16, enabled=self._half):
            with torch.no_grad():
                # The lower half is the same for both, and is never trained.
                trunk = visual.within(pictures)
                seen, _ = visual.pool(attend(trunk, self._teacher, jointly=False))
            shapes, _ = visual.pool(attend(trunk, visual.upper, jointly=True))
        image_loss = info_nce(shapes, seen, scale)
        # The same words fit all shapes that they are said of.
        same = (said[:, None] == said[None]).to(self._device)
        text_loss = info_nce(shapes, texts, scale, same)
        loss = image_loss + text_loss
        self._optimiser.zero_grad(set_to_none=True)
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self._scaler.step(self._optimiser)
        self._scaler.update()
        if not math.isfinite(loss.item()):
            raise UsageError(
                f"The loss is no longer a number at step {len(self.rows) + 1}; begin again in "
                f"another folder, with a lower learning rate than {self.settings.rate:g}."
            )
        with torch.no_grad():
            scale.clamp_(max=MOST_SCALE)
        return tuple(x.item() for x in (loss.detach(), image_loss.detach(), text_loss.detach(),
                                        scale.detach().exp()))  # fmt: skip

    def _pictures(self, batch: NDArray[np.int64], views: int, rng: np.random.Generator) -> Tensor:
        """(B, F, 3, S, S) of each model as many views, none twice."""
        count = self._data.pixels.shape[1]
        chosen = [rng.permutation(count)[:views] for _ in batch]
        raw = np.concatenate(
            [self._data.pixels[model][sides] for model, sides in zip(batch, chosen, strict=True)]
        )
        values = crops(torch.from_numpy(raw).to(self._device), rng)
        seen: Tensor = (values - self._mean) / self._std
        return seen.view(len(batch), views, *seen.shape[1:])

    # -- what is shown and kept

    def curves(self) -> Curves:
        return Curves(np.array(self.rows, np.float64).reshape(-1, len(CURVES)))

    def progress(self, *, shown: bool) -> TrainProgress:
        loss = self.rows[-1][CURVES.index("loss")] if self.rows else math.nan
        return TrainProgress(
            len(self.rows), self.settings.epochs * self._batches, f"Training, loss {loss:.3f}",
            self.curves() if shown else None, epoch=self.epoch, loss=loss,
        )  # fmt: skip

    def kept(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors: dict[str, Tensor] = {"curves": torch.from_numpy(self.curves().rows)}
        for name, parameter in self._trained.items():
            tensors[f"weights/{name}"] = parameter
            for entry, value in self._optimiser.state[parameter].items():
                tensors[f"{entry}/{name}"] = value
        # In mixed precision the first steps may be left out, while their scale is being sought.
        stepped = bool(self._optimiser.state)
        return tensors, {
            "epoch": self.epoch, "scaler": self._scaler.state_dict(), "stepped": stepped,
        }  # fmt: skip

    def restore(self, path: Path, facts: dict[str, Any]) -> None:
        tensors, found = read_state(path)
        for key, what in (
            ("settings", "with other settings"), ("model", "of another model"),
            ("data", "on other models or captions"),
        ):  # fmt: skip
            if found.get(key) != facts[key]:
                raise UsageError(
                    f"The training that is kept here was begun {what}; go on with the same, or "
                    f"begin another in another folder: {path}"
                )
        try:
            self._fill(tensors, found)
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            raise FileFormatError(
                f"The training that is kept here is damaged ({type(error).__name__}); begin again "
                f"in another folder: {path}"
            ) from error

    def _fill(self, tensors: dict[str, Tensor], found: dict[str, Any]) -> None:
        for name, parameter in self._trained.items():
            with torch.no_grad():
                parameter.copy_(_like(tensors[f"weights/{name}"], parameter))
            if not found["stepped"]:
                continue
            self._optimiser.state[parameter] = {
                "step": tensors[f"step/{name}"],
                **{
                    entry: _like(tensors[f"{entry}/{name}"], parameter).to(self._device)
                    for entry in ("exp_avg", "exp_avg_sq")
                },
            }
        self._scaler.load_state_dict(found["scaler"])
        self.epoch = int(found["epoch"])
        self.rows = [tuple(row) for row in tensors["curves"].reshape(-1, len(CURVES)).tolist()]
        if not 0 < self.epoch <= self.settings.epochs:
            raise ValueError("an epoch out of range")


def _like(value: Tensor, parameter: Tensor) -> Tensor:
    if value.shape != parameter.shape or value.dtype != parameter.dtype:
        raise ValueError("a tensor of another shape")
    return value


def _fingerprint(data: Rendered) -> str:
    """Of names, captions and views."""
    said: Sequence[Any] = [(model.name, model.captions) for model in data.models]
    digest = hashlib.blake2b(json.dumps([said, data.pixels.shape]).encode(), digest_size=16)
    for views in data.pixels:
        digest.update(np.ascontiguousarray(views).data)
    return digest.hexdigest()
