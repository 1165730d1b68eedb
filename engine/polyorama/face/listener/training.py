"""Train the listeners.

``python -m polyorama.face.listener.training corpus CORPUS`` speaks a corpus for it (about 7 h).
``python -m polyorama.face.listener.training nets CORPUS -o FOLDER`` trains on one, going on where
it stopped, and writes a file of weights for each look-ahead.

Both look-aheads are learnt together, by one body with two sets of outputs; each file then holds the
body and its own outputs.
"""

from __future__ import annotations

import argparse
import copy
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional as F

from polyorama.core.jobs import Job, Progress, run
from polyorama.errors import FileFormatError, OutputError, PolyoramaError, UsageError
from polyorama.face.corpus import corpus_clips, listener_plan, load_corpus
from polyorama.face.corpus.utterance import Utterance
from polyorama.face.listener.augment import Augmenter
from polyorama.face.listener.hearing import LISTENING_RATE, LOOKAHEADS
from polyorama.face.listener.mel import HOP, MELS, RATE, MelStream, RunningNorm
from polyorama.face.listener.network import ListenerNetwork
from polyorama.face.listener.runtime import STEP_HOPS
from polyorama.face.listener.targets import CURVES, PHONE_CURVES, smoothed
from polyorama.face.listener.weights import write_weights
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size
from polyorama.scene.faces.phones import PHONES, VISEMES, viseme_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.face.corpus import Corpus

__all__ = ["Batch", "TrainingSettings", "losses", "main", "train"]

_QUIET = 4.6
"""How far below the corpus's own peaks the running peak begins, in natural logarithms: 20 dB."""

_MEMORY = 0.997
"""Share of the weights' running mean that stays from one batch to the next."""

_MOST_STATE = 64 << 20
"""Bytes of what a training leaves for the next: about 10 million."""

_VISEMES = torch.tensor([[viseme_of(p) == v for v in VISEMES] for p in PHONES]).float()
# The closures are what eyes are keenest on, and what is hardest to hear.
_WEIGHTS = 1.0 + 0.5 * torch.tensor(PHONE_CURVES[:, CURVES.index("closure")].tolist())


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How long and how fast.

    Parameters
    ----------
    epochs
        Times that each clip is heard.
    batch
        Clips heard at once.
    seconds
        Of each clip that are heard, s.
    rate
        Highest learning rate of Adam.
    seed
        Draws weights, order and augmentation; 0 or more.
    clips
        How many clips of the corpus to use at most; 0 uses all.
    begin
        Folder of a training that this one goes on from, with a schedule of its own; "" for none.
    """

    epochs: int = 12
    batch: int = 32
    seconds: float = 3.2
    rate: float = 2e-3
    seed: int = 0
    clips: int = 0
    begin: str = ""

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch) < 1 or min(self.clips, self.seed) < 0:
            raise UsageError("A training hears one clip or more at once, once or more often.")
        if not (0.5 <= self.seconds <= 60.0 and 0.0 < self.rate < 1.0):
            raise UsageError("A training hears 0.5 to 60 s of a clip, at a rate between 0 and 1.")

    @property
    def samples(self) -> int:
        """Samples of each clip."""
        return round(self.seconds * LISTENING_RATE) * HOP * STEP_HOPS


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Speech as the network takes it, and what it should answer for each frame.

    Parameters
    ----------
    steps
        (B, s, 160) normalised spectra.
    phones
        (B, s) places in `PHONES`, -1 where none is sure.
    curves
        (B, s, 3) jaw and rounding smoothed, closure as it is.
    """

    steps: torch.Tensor
    phones: torch.Tensor
    curves: torch.Tensor


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    mean: NDArray[np.float32]
    variance: NDArray[np.float32]
    peak: float


def losses(network: ListenerNetwork, batch: Batch) -> torch.Tensor:
    """What is made small: cross entropies of phones, visemes, closure, jaw and rounding.

    Answers of step s are for frame s - delay; frames whose phone is not sure do not count.
    """
    total = torch.zeros(())
    frames = batch.phones.shape[1]
    for delay, (logits, _) in zip(network.delays, network(batch.steps), strict=True):
        answers = logits[:, delay:]
        labels = batch.phones[:, : frames - delay]
        known = labels >= 0
        answers, labels = answers[known], labels[known]
        curves = batch.curves[:, : frames - delay][known]
        phones = answers[:, : len(PHONES)]
        phone = F.cross_entropy(phones, labels, _WEIGHTS, label_smoothing=0.05)
        # A viseme is as likely as its phones together; to mistake /p/ for /b/ does not show.
        visemes = torch.log_softmax(phones, 1).exp() @ _VISEMES
        seen = F.nll_loss(torch.log(visemes + 1e-6), _VISEMES.argmax(1)[labels])
        moved = F.binary_cross_entropy_with_logits(answers[:, len(PHONES) : -1], curves[:, :2])
        # About one frame in twelve is shut, and a closure missed is worse than one too many.
        shut = F.binary_cross_entropy_with_logits(
            answers[:, -1], curves[:, 2], pos_weight=torch.tensor(2.0)
        )
        total = total + phone + 0.5 * seen + 2.0 * moved + 1.5 * shut
    return total / len(network.delays)


def train(
    corpus: Corpus, folder: str | os.PathLike[str], settings: TrainingSettings = TrainingSettings()
) -> Job[tuple[Path, ...]]:
    """Train both listeners into a folder; what was interrupted goes on at its last epoch.

    Yields the mean loss as it goes; returns the files of weights.

    Raises
    ------
    UsageError
        If the corpus is too small for one batch.
    FileFormatError
        If what an interrupted run left cannot be read, or is of other settings.
    OutputError
        If the folder cannot be written to.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder ({error.strerror}): {place}") from error
    count = min(len(corpus), settings.clips or len(corpus))
    batches = count // settings.batch
    if not batches:
        raise UsageError(f"A corpus to train on has at least {settings.batch} clips.")
    clips = []
    for i in range(count):
        clips.append(_packed(corpus[i].utterance))
        if i % 100 == 0:
            yield Progress(i, count, "Reading the corpus")
    maker = _Maker(clips, settings)
    torch.manual_seed(settings.seed)
    delays = tuple(_delay(ms) for ms in LOOKAHEADS)
    network = ListenerNetwork(delays)
    # Weights averaged over the last few hundred batches hear better than the last ones.
    mean = copy.deepcopy(network)
    adam = torch.optim.Adam(network.parameters(), lr=settings.rate, betas=(0.9, 0.98))
    state = place / "state.pt"
    if settings.begin:
        weights = _state(Path(settings.begin) / "state.pt")["mean"]
        network.load_state_dict(weights)
        mean.load_state_dict(weights)
    first = _resumed(state, network, mean, adam, settings)
    for epoch in range(first, settings.epochs):
        order = np.random.default_rng([settings.seed, epoch, 1]).permutation(count)
        torch.manual_seed(settings.seed * 1000 + epoch)
        network.train()
        sums = 0.0
        for b, batch in enumerate(maker.batches(order, epoch)):
            step = epoch * batches + b
            for group in adam.param_groups:
                group["lr"] = settings.rate * _schedule(step, settings.epochs * batches)
            loss = losses(network, batch)
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            with torch.no_grad():
                for kept, now in zip(mean.parameters(), network.parameters(), strict=True):
                    kept.lerp_(now, 1.0 - min(_MEMORY, step / (step + 10.0)))
            sums += loss.item()
            yield Progress(
                step + 1, settings.epochs * batches, f"Epoch {epoch + 1}, loss {sums / (b + 1):.4f}"
            )
        kept_state = {
            "epoch": epoch + 1, "settings": repr(settings), "adam": adam.state_dict(),
            "network": network.state_dict(), "mean": mean.state_dict(),
        }  # fmt: skip
        with atomic_write(state) as path:
            torch.save(kept_state, path)
        hours = corpus.seconds / 3600.0
        _written(place, mean, maker.profile, settings, hours, epoch + 1)
    return tuple(place / f"listener-{ms}.safetensors" for ms in LOOKAHEADS)


def _delay(lookahead_ms: int) -> int:
    """Steps by which a look-ahead's answers are late; see `ListenerStream`."""
    return lookahead_ms // 20


def _schedule(step: int, total: int) -> float:
    warm = min(200, total // 10 + 1)
    if step < warm:
        return (step + 1) / warm
    return 0.01 + 0.99 * 0.5 * (1.0 + math.cos(math.pi * (step - warm) / max(1, total - warm)))


def _resumed(
    state: Path,
    network: ListenerNetwork,
    mean: ListenerNetwork,
    adam: torch.optim.Adam,
    settings: TrainingSettings,
) -> int:
    if not state.is_file():
        return 0
    kept = _state(state)
    if kept["settings"] != repr(settings):
        raise FileFormatError(
            f"This training was begun with other settings; choose another folder: {state}"
        )
    network.load_state_dict(kept["network"])
    mean.load_state_dict(kept["mean"])
    adam.load_state_dict(kept["adam"])
    return int(kept["epoch"])


def _state(path: Path) -> dict[str, Any]:
    """What an interrupted training left."""
    if file_size(path) > _MOST_STATE:
        raise FileFormatError(f"This is too large for what a training left; delete {path}")
    try:
        kept: dict[str, Any] = torch.load(path, weights_only=True)
        if set(kept) != {"epoch", "settings", "adam", "network", "mean"}:
            raise ValueError(path)
    except (RuntimeError, ValueError, TypeError, EOFError, OSError, UnpicklingError) as error:
        raise FileFormatError(f"What was trained so far cannot be read; delete {path}") from error
    return kept


def _written(
    place: Path,
    network: ListenerNetwork,
    profile: _Profile,
    settings: TrainingSettings,
    hours: float,
    epoch: int,
) -> None:
    for ms, delay in zip(LOOKAHEADS, network.delays, strict=True):
        arrays = network.arrays(delay)
        arrays["norm.mean"], arrays["norm.variance"] = profile.mean, profile.variance
        arrays["norm.peak"] = np.array([profile.peak], np.float32)
        texts = {
            "lookahead_ms": str(ms), "training": f"{hours:.1f} h of synthetic speech by flite and "
            f"espeak-ng, {epoch} of {settings.epochs} epochs, seed {settings.seed}",
        }  # fmt: skip
        write_weights(place / f"listener-{ms}.safetensors", arrays, texts)


@dataclass(frozen=True, slots=True, eq=False)
class _Clip:
    """A clip kept as small as it can be."""

    samples: NDArray[np.int16]
    said: Utterance


def _packed(said: Utterance) -> _Clip:
    whole = np.round(said.samples * 32767.0).astype(np.int16)
    bare = Utterance(np.zeros(0, np.float32), said.phones, said.starts, said.ends, said.sure)
    return _Clip(whole, bare)


class _Maker:
    """Makes batches: each clip at another speed, in another place and throat, each epoch."""

    _WARPS = tuple(float(w) for w in np.exp(np.linspace(-0.16, 0.16, 17)))

    def __init__(self, clips: list[_Clip], settings: TrainingSettings) -> None:
        self._clips = clips
        self._settings = settings
        self._augment = Augmenter(settings.samples, settings.seed)
        self.profile = _profile(clips[:400])

    def batches(self, order: NDArray[np.int64], epoch: int) -> Iterator[Batch]:
        """All batches of an epoch, each made while the one before is learnt."""
        size = self._settings.batch
        groups = [order[at : at + size] for at in range(0, len(order) - size + 1, size)]
        with ThreadPoolExecutor(1) as beside:
            waiting = beside.submit(self.batch, groups[0], epoch)
            for group in groups[1:]:
                ready, waiting = waiting.result(), beside.submit(self.batch, group, epoch)
                yield ready
            yield waiting.result()

    def batch(self, numbers: NDArray[np.int64], epoch: int) -> Batch:
        """Clips of these numbers as the network takes them in that epoch."""
        rng = np.random.default_rng([self._settings.seed, epoch, 2, int(numbers[0])])
        frames = self._settings.samples // (HOP * STEP_HOPS)
        spectra = np.empty((frames * STEP_HOPS, len(numbers), MELS), np.float32)
        phones = np.empty((len(numbers), frames), np.int64)
        curves = np.empty((len(numbers), frames, 3), np.float32)
        sounds = []
        for i, number in enumerate(numbers):
            sound, labels = self._placed(self._clips[number], rng)
            sounds.append(sound)
            shown = PHONE_CURVES[np.maximum(labels, 0)]
            curves[i] = smoothed(shown, LISTENING_RATE)
            curves[i, :, 2] = shown[:, 2]
            phones[i] = labels
        for i, sound in enumerate(sounds):
            others = sounds[i - 1] + sounds[i - 2] + sounds[i - 3]
            mel = MelStream(self._WARPS[rng.integers(len(self._WARPS))])
            spectra[:, i] = mel.push(self._augment(sound, others, rng))
        known = self.profile
        norm = RunningNorm(known.mean, known.variance, known.peak, (len(numbers),))
        normal = _masked(norm.push(spectra), rng)
        # The shift of `ListenerStream`: look-aheads of odd numbers of hops.
        shifted = np.concatenate([np.zeros((1, *normal.shape[1:]), np.float32), normal[:-1]])
        steps = shifted.reshape(frames, STEP_HOPS, len(numbers), MELS).transpose(2, 0, 1, 3)
        flat = np.ascontiguousarray(steps).reshape(len(numbers), frames, STEP_HOPS * MELS)
        return Batch(torch.from_numpy(flat), torch.from_numpy(phones), torch.from_numpy(curves))

    def _placed(
        self, clip: _Clip, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """(length,) samples with the clip somewhere in or around them, and their (s,) labels."""
        sound = clip.samples.astype(np.float32) / 32767.0
        said, speed = clip.said, 1.0
        if rng.random() < 0.5:
            speed = float(np.exp(rng.uniform(-0.1, 0.1)))
            there = np.arange(round(len(sound) / speed)) * speed
            sound = np.interp(there, np.arange(len(sound)), sound).astype(np.float32)
        length = self._settings.samples
        room = length - len(sound)
        begin = int(rng.integers(min(room, 0), max(room, 0) + 1))
        out = np.zeros(length, np.float32)
        taken = sound[max(0, -begin) : length - begin]
        out[max(0, begin) : max(0, begin) + len(taken)] = taken
        frames = length // (HOP * STEP_HOPS)
        middles = ((np.arange(frames) + 0.5) / LISTENING_RATE - begin / RATE) * speed
        at = np.searchsorted(said.ends, middles, side="right")
        inside = (at < len(said.phones)) & (middles >= 0.0)
        at = np.minimum(at, len(said.phones) - 1)
        labels = np.where(said.sure[at], said.phones[at].astype(np.int64), -1)
        return out, np.where(inside, labels, 0)


def _masked(spectra: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Blank some channels and a moment of many sounds (Park et al. 2019)."""
    hops, sounds, _ = spectra.shape
    for i in range(sounds):
        if rng.random() < 0.5:
            begin, width = rng.integers(MELS), rng.integers(1, 13)
            spectra[:, i, begin : begin + width] = 0.0
        if rng.random() < 0.5:
            # No longer than a burst, or a stop could not be known by it.
            begin, width = rng.integers(hops), rng.integers(1, 3)
            spectra[begin : begin + width, i] = 0.0
    return spectra


def _profile(clips: list[_Clip]) -> _Profile:
    """What speech is like before any was heard: channels relative to the running peak."""
    rows, peaks = [], []
    for clip in clips:
        spectra = MelStream().push(clip.samples.astype(np.float32) / 32767.0)
        norm = RunningNorm(np.zeros(MELS, np.float32), np.ones(MELS, np.float32), -13.0)
        for hop in spectra:
            norm.push(hop[None])
            if hop.mean() > norm.peak[0] - 6.0:
                rows.append(hop - norm.peak[0])
        peaks.append(float(spectra.mean(1).max()))
    speech = np.array(rows)
    peak = float(np.median(peaks)) - _QUIET
    return _Profile(speech.mean(0), speech.var(0), peak)


def main(argv: Sequence[str]) -> int:
    """Speak a corpus, or train on one; returns the exit status."""
    parser = argparse.ArgumentParser(prog="polyorama.face.listener.training")
    jobs = parser.add_subparsers(dest="job", required=True)
    speaking = jobs.add_parser("corpus", help="speak a corpus")
    speaking.add_argument("corpus", type=Path, help="folder to speak into")
    speaking.add_argument("--clips", type=int, default=8000)
    speaking.add_argument("--processes", type=int, default=2)
    speaking.add_argument("--seed", type=int, default=0)
    training = jobs.add_parser("nets", help="train on a corpus")
    training.add_argument("corpus", type=Path, help="folder of a corpus")
    training.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    training.add_argument("--epochs", type=int, default=TrainingSettings().epochs)
    training.add_argument("--clips", type=int, default=0, help="clips to use at most")
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--rate", type=float, default=TrainingSettings().rate)
    training.add_argument("--begin", default="", help="folder of a training to go on from")
    options = parser.parse_args(argv)
    try:
        if options.job == "corpus":
            plan = listener_plan(options.clips, options.seed)
            run(corpus_clips(plan, options.corpus, options.processes))
            return 0
        settings = TrainingSettings(
            epochs=options.epochs, seed=options.seed, clips=options.clips, rate=options.rate,
            begin=options.begin,
        )  # fmt: skip
        for progress in train(load_corpus(options.corpus), options.output, settings):
            if progress.done % 50 == 0:
                sys.stdout.write(f"{progress.done}/{progress.total} {progress.note}\n")
                sys.stdout.flush()
    except PolyoramaError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main(sys.argv[1:]))
