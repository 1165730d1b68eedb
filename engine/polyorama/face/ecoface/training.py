"""The training of EcoFace as a job that can be stopped and gone on with, to the same bytes."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from polyorama.core.frozen import FrozenMap
from polyorama.core.jobs import Progress
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.ecoface.ede import EmotionSpaceNet
from polyorama.face.ecoface.flow_vae import FlowVae
from polyorama.face.ecoface.losses import channel_weights, mouth_columns
from polyorama.face.ecoface.stages import (
    STAGES,
    EmotionFeatures,
    EmotionStage,
    MotionStage,
    Stage,
    SyncStage,
    TrainSettings,
    rate_at,
)
from polyorama.face.ecoface.sync import SyncNet
from polyorama.face.ecoface.weights import EcoFaceWeights, Units
from polyorama.face.tensor_files import read_tensor_file, write_tensor_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from polyorama.core.jobs import Job
    from polyorama.face.ecoface.config import EcoFaceConfig
    from polyorama.face.ecoface.examples import ExampleSet
    from polyorama.face.ecoface.generate import EcoFace

__all__ = ["PersonFit", "TrainProgress", "fit_person", "train", "with_person"]

_KEY = "polyorama-ecoface-training"
_MOST_BYTES = 4 << 30
_SHOW_EVERY = 10


@dataclass(frozen=True, slots=True)
class TrainProgress(Progress):
    """Progress of a training, in updates of all stages.

    Parameters
    ----------
    stage
        One of `STAGES`.
    losses
        Terms of the last update by name; empty before the first.
    """

    stage: str = ""
    losses: Mapping[str, float] = field(default_factory=FrozenMap)


def train(
    data: ExampleSet, config: EcoFaceConfig, state: Path, settings: TrainSettings, *,
    resume: bool = False, keep_every: int = 500,
) -> Job[EcoFaceWeights]:  # fmt: skip
    """Train all three stages.

    Every `keep_every` updates, and after each stage, all that a later process needs is kept in
    `state`, whole or not at all. An update draws its luck from the seed and its number alone, so a
    run that was stopped and resumed comes to the very weights of one that was not. (As sums in
    floats are, they are those of one number of torch's threads; the recipe takes one.)

    Parameters
    ----------
    data
        The clips.
    config
        Sizes; widths and the number of speakers must be those of the clips.
    state
        File to keep the training in.
    settings
        All numbers.
    resume
        Whether to go on from `state`, where it is there.

    Raises
    ------
    UsageError
        If sizes do not fit the clips, the state is another training's, or the loss is no number.
    FileFormatError
        If the state is damaged.
    OutputError
        If it cannot be written.
    """
    loop = _Loop(data, config, settings)
    if resume and state.exists():
        loop.restore(state)
    yield loop.progress()
    while loop.stage < len(STAGES):
        for _ in loop.updates():
            if loop.step % keep_every == 0:
                loop.keep(state)
            if loop.step % _SHOW_EVERY == 0:
                yield loop.progress()
        loop.finish_stage()
        loop.keep(state)
        yield loop.progress()
    return loop.result()


class _Loop:
    """A training between two updates."""

    def __init__(self, data: ExampleSet, config: EcoFaceConfig, settings: TrainSettings) -> None:
        first = data.examples[0]
        widths = (first.content.shape[1], first.sound.shape[1], data.target, len(data.persons))
        if widths != (config.content, config.sound, config.target, config.persons):
            raise UsageError(
                f"EcoFace's sizes are for other clips: these have content of {widths[0]}, sound of "
                f"{widths[1]}, {data.target} motion and {widths[3]} speakers."
            )
        self.data, self.config, self.settings = data, config, settings
        self.units = Units.of(data)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.nets = nn.ModuleDict({
                "emotion": EmotionSpaceNet(config),
                "sync": SyncNet(len(mouth_columns(config)), config.content),
                "motion": FlowVae(config),
            })  # fmt: skip
        self.stage, self.step = 0, 0
        self.losses: dict[str, float] = {}
        self._stage_now: Stage | None = None
        self._optimiser: torch.optim.Adam | None = None
        self._features: EmotionFeatures | None = None

    @property
    def name(self) -> str:
        return STAGES[min(self.stage, len(STAGES) - 1)]

    def _begin(self) -> tuple[Stage, torch.optim.Adam]:
        if self._stage_now is None or self._optimiser is None:
            self._stage_now = self._made()
            parameters = list(self._stage_now.net.parameters())
            self._optimiser = torch.optim.Adam(parameters, lr=self.settings.rate)
        return self._stage_now, self._optimiser

    def _made(self) -> Stage:
        net = self.nets[self.name]
        if isinstance(net, EmotionSpaceNet):
            return EmotionStage(net, self.data, self.units, self.settings)
        sync = self.nets["sync"]
        assert isinstance(sync, SyncNet)
        expert = SyncStage(sync, self.data, self.units, self.config, self.settings)
        if not isinstance(net, FlowVae):
            return expert
        return MotionStage(net, self.data, self.units, self.settings, self.features(), expert)

    def features(self) -> EmotionFeatures:
        """What the trained encoders of emotion say of all clips."""
        if self._features is None:
            space = self.nets["emotion"]
            assert isinstance(space, EmotionSpaceNet)
            self._features = EmotionFeatures(space, self.data, self.units)
        return self._features

    def updates(self) -> Iterator[None]:
        """All updates that are left of this stage."""
        stage, optimiser = self._begin()
        while self.step < self.settings.steps(self.name):
            stage.net.train()
            for group in optimiser.param_groups:
                group["lr"] = rate_at(self.step, self.settings, self.name)
            terms = stage.losses(self.step)
            optimiser.zero_grad(set_to_none=True)
            terms["total"].backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(stage.net.parameters(), self.settings.clip)
            optimiser.step()
            self.losses = {name: float(term.detach()) for name, term in terms.items()}
            if not math.isfinite(self.losses["total"]):
                raise UsageError(
                    f"The loss of stage {self.name} is no number after {self.step + 1} updates; "
                    f"begin again with a lower learning rate than {self.settings.rate:g}."
                )
            self.step += 1
            yield

    def finish_stage(self) -> None:
        self.nets[self.name].eval()
        self.stage, self.step = self.stage + 1, 0
        self._stage_now = self._optimiser = None

    def progress(self) -> TrainProgress:
        s = self.settings
        done = sum(s.steps(name) for name in STAGES[: self.stage]) + self.step
        total = sum(s.steps(name) for name in STAGES)
        loss = self.losses.get("total", math.nan)
        return TrainProgress(
            done, total, f"Training {self.name}, loss {loss:.3f}", stage=self.name,
            losses=FrozenMap(self.losses),
        )  # fmt: skip

    def result(self) -> EcoFaceWeights:
        space, vae = self.nets["emotion"], self.nets["motion"]
        assert isinstance(space, EmotionSpaceNet)
        assert isinstance(vae, FlowVae)
        features = self.features()
        s = self.settings
        steps = ", ".join(f"{name} {s.steps(name)}" for name in STAGES)
        return EcoFaceWeights(
            self.config, self.units, space, vae, features.prototypes(), features.probe(),
            self.data.persons,
            {
                "trained_on": self.data.trained_on, "features": self.data.features,
                "seed": str(s.seed), "updates": steps, "clips": str(len(self.data.examples)),
            },
        )  # fmt: skip

    # -- what is kept

    def _facts(self) -> dict[str, Any]:
        return {
            "config": asdict(self.config), "data": self.data.fingerprint(),
            "settings": json.loads(json.dumps(asdict(self.settings))),
        }  # fmt: skip

    def keep(self, path: Path) -> None:
        tensors = {f"net/{k}": v.detach().numpy() for k, v in self.nets.state_dict().items()}
        if self._optimiser is not None:
            for n, entries in self._optimiser.state_dict()["state"].items():
                for entry, value in entries.items():
                    tensors[f"adam/{n}/{entry}"] = value.numpy()
        facts = {**self._facts(), "stage": self.stage, "step": self.step}
        write_tensor_file(path, tensors, {_KEY: json.dumps(facts)})

    def restore(self, path: Path) -> None:
        tensors, meta = read_tensor_file(path, _MOST_BYTES)
        try:
            found = json.loads(meta[_KEY])
            same = {key: found[key] == value for key, value in self._facts().items()}
            stage, step = int(found["stage"]), int(found["step"])
        except (KeyError, ValueError, TypeError, RecursionError) as error:
            raise FileFormatError(f"This is no training of EcoFace, or damaged: {path}") from error
        for key, what in (
            ("settings", "with other settings"), ("config", "with other sizes"),
            ("data", "on other clips"),
        ):  # fmt: skip
            if not same[key]:
                raise UsageError(
                    f"The training that is kept here was begun {what}; go on with the same, or "
                    f"begin another in another place: {path}"
                )
        try:
            self._fill(
                {name: torch.from_numpy(np.array(a)) for name, a in tensors.items()}, stage, step
            )
        except (KeyError, ValueError, TypeError, RuntimeError) as error:
            raise FileFormatError(
                f"The training that is kept here is damaged ({type(error).__name__}); begin again "
                f"in another place: {path}"
            ) from error

    def _fill(self, tensors: dict[str, torch.Tensor], stage: int, step: int) -> None:
        if not 0 <= stage <= len(STAGES) or step < 0:
            raise ValueError("a stage out of range")
        nets = {k.removeprefix("net/"): v for k, v in tensors.items() if k.startswith("net/")}
        self.nets.load_state_dict(nets)
        self.stage, self.step = stage, step
        if step == 0:
            return
        _, optimiser = self._begin()
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, value in tensors.items():
            if name.startswith("adam/"):
                _, number, entry = name.split("/")
                state.setdefault(int(number), {})[entry] = value
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": state, "param_groups": groups})


# -- train on my face ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class PersonFit:
    """A speaker's own vector, learned from clips of one face.

    Parameters
    ----------
    person
        (condition,) float32, for `EcoFace.generate`.
    before, after
        Weighted mean square on the clips, in units of their spread: with the mean of all speakers,
        and with the vector.
    """

    person: Any
    before: float
    after: float


def fit_person(
    model: EcoFace, data: ExampleSet, *, steps: int = 200, rate: float = 0.02, seed: int = 0
) -> Job[PersonFit]:
    """Learn the vector of a new speaker and leave all else as it is.

    Motion is generated from the middle of the prior, as takes at temperature 0 are.

    Parameters
    ----------
    data
        Clips of one face, with content and sound as the model's.
    steps, rate
        Updates of Adam, and its learning rate.

    Raises
    ------
    UsageError
        If the clips are not such as the model was trained on.
    """
    weights, vae = model.weights, model.weights.vae
    config = weights.config
    first = data.examples[0]
    widths = (first.content.shape[1], first.sound.shape[1], data.target)
    if widths != (config.content, config.sound, config.target):
        raise UsageError("These clips have other content, sound or motion than the model knows.")
    features = EmotionFeatures(weights.space, data, weights.units)
    scale = channel_weights(config)
    person = vae.person.weight.mean(0).clone().requires_grad_(True)
    optimiser = torch.optim.Adam([person], lr=rate)
    rows = 64

    def error(clips: list[int], rng: np.random.Generator) -> torch.Tensor:
        batch = data.batch(clips, rows, rng)
        heard = [
            features.heard[clip][2 * start : 2 * (start + rows)]
            for clip, start in zip(clips, batch.starts, strict=True)
        ]
        emotion = np.stack([
            np.concatenate([h, np.repeat(h[-1:], 2 * rows - len(h), axis=0)]) for h in heard
        ])  # fmt: skip
        out = vae.generate(
            weights.units.into("content", batch.content), torch.from_numpy(emotion),
            person[None].expand(len(clips), -1),
            torch.zeros(len(clips), rows // 4, config.latent),
        )  # fmt: skip
        x, mask = weights.units.into("motion", batch.motion), torch.from_numpy(batch.mask)
        square = ((out - x).square() * scale).mean(2)
        return (square * mask).sum() / mask.sum()

    every = list(range(len(data.examples)))
    with torch.no_grad():
        before = float(error(every, np.random.default_rng([seed, 0])))
    for step in range(steps):
        rng = np.random.default_rng([seed, 1, step])
        loss = error(rng.choice(every, min(8, len(every)), replace=False).tolist(), rng)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if step % _SHOW_EVERY == 0:
            yield Progress(step, steps, f"Learning a face, error {float(loss.detach()):.3f}")
    with torch.no_grad():
        after = float(error(every, np.random.default_rng([seed, 0])))
    return PersonFit(np.asarray(person.detach().numpy(), np.float32), before, after)


def with_person(weights: EcoFaceWeights, name: str, person: Any) -> EcoFaceWeights:
    """The same model with one speaker more.

    Parameters
    ----------
    person
        (condition,) as of `fit_person`.
    """
    known = weights.facts.get("trained_on", "")
    said = f"{known} The speaker {name} was learned from clips of a face.".strip()
    facts = {**weights.facts, "trained_on": said}
    table = torch.cat([weights.vae.person.weight, torch.from_numpy(person)[None]])
    config = replace(weights.config, persons=len(table))
    with torch.device("meta"):
        vae = FlowVae(config)
    state = {**weights.vae.state_dict(), "person.weight": table}
    if not any(key.startswith("encoder.") for key in state):
        del vae.encoder
    vae.load_state_dict(state, assign=True)
    persons = (*weights.persons, name)
    return replace(weights, config=config, vae=vae, persons=persons, facts=facts, digest="")
