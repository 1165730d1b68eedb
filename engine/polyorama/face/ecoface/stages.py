"""The three trainings of EcoFace, one after the other: space of emotion, sync expert, generator."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch
from torch import nn

from polyorama.errors import UsageError
from polyorama.face.ecoface.config import CONTENT_FPS, FPS, GROUPS, group_of
from polyorama.face.ecoface.ede import steadied
from polyorama.face.ecoface.frames import frames_in_units
from polyorama.face.ecoface.losses import (
    channel_weights,
    continuity,
    learning_rate,
    mouth_columns,
    mse,
)
from polyorama.face.ecoface.sync import (
    CONTENT_ROWS,
    MOUTH_ROWS,
    SyncNet,
    negative_window,
    sync_loss,
    windows_at,
)
from polyorama.face.ecoface.threads import one_thread
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from polyorama.face.ecoface.config import EcoFaceConfig
    from polyorama.face.ecoface.ede import EmotionSpaceNet
    from polyorama.face.ecoface.examples import ExampleSet
    from polyorama.face.ecoface.flow_vae import FlowVae
    from polyorama.face.ecoface.weights import Units

__all__ = [
    "MOST_CLIPS", "STAGES", "EmotionStage", "MotionStage", "Stage", "SyncStage", "TrainSettings",
    "check_seed",
]  # fmt: skip

STAGES = ("emotion", "sync", "motion")
"""Names of the trainings, in their order."""

MOST_CLIPS = 1024
"""In a batch, which bounds the memory."""

_MOST_SEED = 2**31 - 1


def check_seed(seed: int) -> None:
    """Refuse a seed that random choices cannot begin with.

    Raises
    ------
    UsageError
        If it is not 0 to 2147483647.
    """
    if not 0 <= seed <= _MOST_SEED:
        raise UsageError(f"A seed is 0 to {_MOST_SEED}, not {seed}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSettings:
    """Numbers of a training.

    Those that are the default are the paper's where its checkpoints tell them (updates of the first
    stage and of the last), and else those of its predecessor, GeneFace; batches, parts of clips,
    noise and the weights of the five terms nobody tells.

    Parameters
    ----------
    emotion_steps, sync_steps, motion_steps
        Updates of each stage.
    batch
        Clips in an update; the space of emotion takes at least three of every group.
    rows
        Rows of motion of a part of a clip, a multiple of 4.
    rate, warm_up, clip
        Adam's peak learning rate, updates until it is reached, most norm of a gradient.
    lambda_kl, lambda_sync, sync_below
        Weights of divergence and sync, and the validation loss of the expert at which it helps.
    emotion_weights
        Of the five terms of the space of emotion, in the order of `LOSSES`. The paper's are not
        known.
    emotion_space
        Whether the generator is told the emotion: without, it is the ablation of the study.
    sound_noise
        Spread of noise on what is heard, anew in each row, in units of its own spread.
    seed
        Of all random choices.
    """

    emotion_steps: int = 7_000
    sync_steps: int = 40_000
    motion_steps: int = 21_000
    batch: int = 16
    rows: int = 96
    rate: float = 5e-4
    warm_up: int = 1_000
    clip: float = 1.0
    lambda_kl: float = 0.5
    lambda_sync: float = 0.01
    sync_below: float = 0.75
    emotion_weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0, 1.0)
    emotion_space: bool = True
    sound_noise: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "emotion_weights", tuple(self.emotion_weights))
        if min(self.emotion_steps, self.sync_steps, self.motion_steps) < 1:
            raise UsageError("A training takes a step or more of each kind.")
        if not 2 <= self.batch <= MOST_CLIPS:
            raise UsageError(f"A batch is of 2 to {MOST_CLIPS} clips, not {self.batch}.")
        if self.rows < 2 * MOUTH_ROWS or self.rows % 4:
            raise UsageError("A training takes parts of 12 rows or more, a multiple of 4.")
        if self.sound_noise < 0.0 or self.lambda_kl < 0.0 or self.lambda_sync < 0.0:
            raise UsageError("Noise and the weights of losses are 0 or more.")
        if not 0.0 < self.rate < 1.0 or self.warm_up < 0 or self.clip <= 0.0:
            raise UsageError("The learning rate lies between 0 and 1, and is clipped above 0.")
        if len(self.emotion_weights) != 5:
            raise UsageError("The space of emotion has five weights.")
        check_seed(self.seed)

    def steps(self, stage: str) -> int:
        """Updates of a stage of `STAGES`."""
        return int(getattr(self, f"{stage}_steps"))


class EmotionStage:
    """Trains both encoders of emotion."""

    net: EmotionSpaceNet

    def __init__(
        self, net: EmotionSpaceNet, data: ExampleSet, units: Units, settings: TrainSettings
    ) -> None:
        self.net, self._data, self._units, self._settings = net, data, units, settings
        groups = [group_of(e.emotion, e.level) for e in data.examples]
        self._by_group = [
            np.flatnonzero(np.array(groups) == group) for group in sorted(set(groups))
        ]

    def losses(self, step: int) -> dict[str, Tensor]:
        """The five terms of `emotion_losses`, and their weighted total."""
        s = self._settings
        rng = np.random.default_rng([s.seed, 0, step])
        each = max(3, s.batch // len(self._by_group))
        clips = np.concatenate([rng.choice(group, each) for group in self._by_group])
        batch = self._data.batch(clips.tolist(), s.rows, rng)
        sound = self._units.into("sound", batch.sound)
        noise = rng.standard_normal(sound.shape, np.float32) * s.sound_noise
        labels = torch.from_numpy(self._data.labels[clips])
        if self.net.sees_frames:
            frames = self._data.frames(batch.clips.tolist(), batch.starts.tolist(), s.rows)
            seen = torch.stack([frames_in_units(part) for part in frames])
        else:
            seen = self._units.into("motion", batch.motion)
        terms = self.net(sound + torch.from_numpy(noise), seen, labels[:, 1], labels[:, 2])
        total = sum(w * t for w, t in zip(s.emotion_weights, terms.values(), strict=True))
        return {**terms, "total": total}


class SyncStage:
    """Trains the sync expert."""

    net: SyncNet

    def __init__(
        self, net: SyncNet, data: ExampleSet, units: Units, config: EcoFaceConfig,
        settings: TrainSettings,
    ) -> None:  # fmt: skip
        self.net, self._settings = net, settings
        self._units, self._columns = units, mouth_columns(config)
        self._clips = [e for e in data.examples if len(e.motion) >= MOUTH_ROWS]
        if not self._clips:
            raise UsageError("All clips to learn from are shorter than a fifth of a second.")
        self._lengths = np.array([len(e.motion) for e in self._clips])

    def losses(self, step: int) -> dict[str, Tensor]:
        """Cross-entropy of pairs that belong together or not."""
        rng = np.random.default_rng([self._settings.seed, 1, step])
        mouth, content, together = self._windows(4 * self._settings.batch, rng)
        return {"total": sync_loss(self.net(mouth, content), together)}

    def _windows(self, count: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Windows of mouths and content, every second of which belong together."""
        mouths, contents = [], []
        for n in range(count):
            clip = int(rng.integers(0, len(self._clips)))
            row = int(rng.integers(0, self._lengths[clip] - MOUTH_ROWS + 1))
            contents.append(self._clips[clip].content[2 * row : 2 * row + CONTENT_ROWS])
            if n % 2:
                clip, row = negative_window(rng, clip, row, self._lengths)
            mouths.append(self._clips[clip].motion[row : row + MOUTH_ROWS])
        mouth = self._units.into("motion", np.stack(mouths))[:, :, self._columns]
        together = torch.tensor([1.0, 0.0] * (count // 2))
        return mouth, self._units.into("content", np.stack(contents)), together

    def validation(self) -> float:
        """Loss on other windows of the same clips than those of the updates."""
        self.net.eval()
        rng = np.random.default_rng([self._settings.seed, 1, 0, 1])
        mouth, content, together = self._windows(512, rng)
        with torch.no_grad():
            return float(sync_loss(self.net(mouth, content), together))


class MotionStage:
    """Trains the generator, the encoders of emotion and the sync expert being frozen.

    Emotion is mostly what sound says; at times what motion says or the mean of its group, so that
    emotion that is swapped in from a face, or chosen, is understood as well.
    """

    net: FlowVae

    def __init__(
        self, net: FlowVae, data: ExampleSet, units: Units, settings: TrainSettings,
        features: EmotionFeatures, sync: SyncStage,
    ) -> None:  # fmt: skip
        self.net, self._data, self._units, self._settings = net, data, units, settings
        self._features, self._sync = features, sync.net.eval().requires_grad_(False)
        self._weights = channel_weights(net.config)
        self._columns = mouth_columns(net.config)
        self.sync_validation = sync.validation()

    def losses(self, step: int) -> dict[str, Tensor]:
        """Error, continuity, divergence, sync where it is on, and their weighted total."""
        s = self._settings
        rng = np.random.default_rng([s.seed, 2, step])
        generator = torch.Generator().manual_seed(int(rng.integers(0, 2**62)))
        clips = rng.integers(0, len(self._data.examples), s.batch)
        batch = self._data.batch(clips.tolist(), s.rows, rng)
        content = self._units.into("content", batch.content)
        x, mask = self._units.into("motion", batch.motion), torch.from_numpy(batch.mask)
        emotion = self._features.batch(clips, batch.starts, s.rows, rng)
        if not s.emotion_space:
            emotion = torch.zeros_like(emotion)
        person = torch.from_numpy(self._data.labels[clips, 0])
        out, kl = self.net(x, mask, content, emotion, person, generator)
        terms = {
            "mse": mse(out, x, mask, self._weights),
            "continuity": continuity(out, x, mask, self._weights),
            "kl": kl,
        }
        total = terms["mse"] + 3.0 * terms["continuity"] + s.lambda_kl * kl
        if self.sync_validation <= s.sync_below and s.lambda_sync > 0.0:
            starts = torch.from_numpy(rng.integers(0, s.rows - MOUTH_ROWS + 1, s.batch))
            cosine = self._sync(
                windows_at(out[:, :, self._columns], starts, MOUTH_ROWS),
                windows_at(content, 2 * starts, CONTENT_ROWS),
            )
            terms["sync"] = sync_loss(cosine, torch.ones(s.batch))
            total = total + s.lambda_sync * terms["sync"]
        return {**terms, "total": total}


class EmotionFeatures:
    """What the trained encoders say of all clips, steadied.

    Parameters
    ----------
    net
        Trained.
    data, units
        The clips.
    """

    def __init__(self, net: EmotionSpaceNet, data: ExampleSet, units: Units) -> None:
        net.eval().requires_grad_(False)
        self.labels = data.labels
        self.heard: list[NDArray[np.float32]] = []
        self.seen: list[NDArray[np.float32]] = []
        with one_thread(), torch.inference_mode():
            for e in data.examples:
                heard = net.audio(units.into("sound", e.sound)[None])[0].numpy()
                if net.sees_frames and e.frames is None:
                    raise UsageError(f"The clip {e.name!r} has no frames to look at.")
                if net.sees_frames and e.frames is not None:
                    seen = net.video(frames_in_units(e.frames)[None])[0].numpy()
                else:
                    seen = net.video(units.into("motion", e.motion)[None])[0].numpy()
                self.heard.append(steadied(heard, CONTENT_FPS))
                self.seen.append(steadied(seen, FPS))

    def prototypes(self) -> NDArray[np.float32]:
        """(15, emotion) means of sound and motion of each group.

        A group that no clip is of lies where its other level lies, else at the mean of all.
        """
        groups = np.array([group_of(int(e), int(level)) for _, e, level in self.labels])
        each = np.stack([
            (h.mean(0) + s.mean(0)) / 2.0 for h, s in zip(self.heard, self.seen, strict=True)
        ])  # fmt: skip
        result = np.tile(each.mean(0), (len(GROUPS), 1))
        for n, (emotion, level) in enumerate(GROUPS):
            for group in (group_of(emotion, 3 - level), n):
                if (groups == group).any():
                    result[n] = each[groups == group].mean(0)
        return result.astype(np.float32)

    def probe(self, rows: int = 50, decay: float = 1e-3) -> NDArray[np.float32]:
        """(8, emotion + 1) logistic regression of emotions on means of a second of sound or motion.

        It reads the space and shapes nothing in it.
        """
        parts, labels = [], []
        for heard, seen, (_, emotion, _) in zip(self.heard, self.seen, self.labels, strict=True):
            for features, count in ((heard, rows), (seen, rows // 2)):
                for start in range(0, max(len(features) - count, 0) + 1, count):
                    parts.append(features[start : start + count].mean(0))
                    labels.append(int(emotion))
        x = torch.from_numpy(np.stack(parts).astype(np.float32))
        x = torch.cat([x, torch.ones(len(x), 1)], 1)
        y = torch.tensor(labels)
        weight = torch.zeros(len(EMOTIONS), x.shape[1], requires_grad=True)
        optimiser = torch.optim.LBFGS([weight], max_iter=200, line_search_fn="strong_wolfe")

        def closure() -> Tensor:
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(x @ weight.T, y) + decay * weight.square().sum()
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        optimiser.step(closure)  # type: ignore[no-untyped-call]
        return np.asarray(weight.detach().numpy(), np.float32)

    def batch(
        self, clips: NDArray[np.int64], starts: NDArray[np.int64], rows: int,
        rng: np.random.Generator,
    ) -> Tensor:  # fmt: skip
        """(B, 2 rows, emotion): of each clip what sound says, or motion, or its group's mean."""
        parts = []
        for clip, start in zip(clips, starts, strict=True):
            luck = rng.random()
            if luck < 0.5:
                part = self.heard[clip][2 * start : 2 * (start + rows)]
            elif luck < 0.75:
                part = np.repeat(self.seen[clip][start : start + rows], 2, axis=0)
            else:
                _, emotion, level = self.labels[clip]
                part = self.means[group_of(int(emotion), int(level))][None]
            short = 2 * rows - len(part)
            parts.append(np.concatenate([part, np.repeat(part[-1:], max(short, 0), axis=0)]))
        return torch.from_numpy(np.stack(parts))

    @functools.cached_property
    def means(self) -> NDArray[np.float32]:
        """`prototypes`, kept."""
        return self.prototypes()


Stage: TypeAlias = EmotionStage | SyncStage | MotionStage
"""What is trained, an update at a time; each draws its luck from seed, stage and number."""


def rate_at(step: int, settings: TrainSettings, stage: str) -> float:
    """Learning rate of an update of a stage."""
    return learning_rate(step, settings.rate, settings.warm_up, settings.steps(stage))
