"""How well the listeners hear: on a voice of flite that was held out, and on people.

The curves of the mouth that they hear are compared with those that the labels make, both under a
Hann window of 110 ms, by Pearson's correlation.
"""

from __future__ import annotations

import time
import wave
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Job, Progress
from polyorama.errors import UnavailableError
from polyorama.face.corpus import HELD_OUT_VOICE, Voice, held_out_plan, speak_clip
from polyorama.face.corpus.voices import FLITE_PITCH
from polyorama.face.listener.decoding import curves_of
from polyorama.face.listener.hearing import LISTENING_RATE, LOOKAHEADS, Listener
from polyorama.face.listener.mel import RATE
from polyorama.face.listener.targets import CURVES, PHONE_CURVES, smoothed
from polyorama.face.speech.align import align
from polyorama.scene.faces.phones import PHONES, VISEMES, viseme_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.face.listener.hearing import Listening
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = [
    "AIMS", "HUMAN_FOLDER", "Heard", "ListenerFigures", "closure_weights", "figures_of",
    "human_speech", "listener_figures", "microseconds_a_frame", "synthetic_speech",
    "training_voices",
]  # fmt: skip

AIMS: tuple[float, ...] = (0.80, 0.70, 0.75)
"""Correlations that are asked for, in the order of `CURVES`."""

HUMAN_FOLDER = Path("/usr/share/pocketsphinx/test/data/librivox")
"""Where Debian's pocketsphinx-testdata puts people's speech and what they say."""

_VISEME = np.array([VISEMES.index(viseme_of(phone)) for phone in PHONES])
_SHUT = VISEMES.index("PP")


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """Speech to be heard, and its true phones.

    Parameters
    ----------
    samples
        (n,) at 16 kHz.
    labels
        (T,) places in `PHONES` at 50 Hz; -1 where none is sure.
    """

    samples: NDArray[np.float32]
    labels: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ListenerFigures:
    """What was measured of one listener on one test.

    Parameters
    ----------
    test
        Name of the test.
    lookahead_ms
        Of the listener.
    seconds
        Of speech, s.
    weighted
        Correlations of `CURVES` that posteriors make of the phones' own values.
    direct
        Correlations of the curves that `curves_of` tells.
    phones, visemes
        Share of frames whose likeliest phone, or viseme, is the label's.
    speech_visemes
        Share of frames of speech whose viseme is right.
    silence
        Share of frames rightly taken for speech or silence.
    closure_recall, closure_precision
        Of phones with shut lips: share that is heard within them, and share of what was heard as
        shut that touches one, where closure is above one half for a frame or more.
    """

    test: str
    lookahead_ms: int
    seconds: float
    weighted: tuple[float, float, float]
    direct: tuple[float, float, float]
    phones: float
    visemes: float
    speech_visemes: float
    silence: float
    closure_recall: float
    closure_precision: float

    def lines(self) -> str:
        """The figures as a row of a table in Markdown."""
        curves = " | ".join(f"{w:.2f} ({d:.2f})" for w, d in
                            zip(self.weighted, self.direct, strict=True))  # fmt: skip
        return (
            f"| {self.lookahead_ms} ms | {self.test} | {curves} | {self.phones:.2f} | "
            f"{self.visemes:.2f} | {self.speech_visemes:.2f} | {self.silence:.2f} | "
            f"{self.closure_recall:.2f} / {self.closure_precision:.2f} |"
        )


def synthetic_speech(clips: int = 42) -> Iterator[Heard]:
    """Held-out sentences by the held-out voice, with the synthesiser's own times.

    Raises
    ------
    UnavailableError
        If flite is not installed.
    """
    for plan in held_out_plan(clips):
        said = speak_clip(plan).utterance
        frames = -(-len(said.samples) // (RATE // int(LISTENING_RATE)))
        yield Heard(said.samples, said.labels(LISTENING_RATE, frames))


def human_speech(folder: str | os.PathLike[str] = HUMAN_FOLDER) -> Iterator[Heard]:
    """People's speech, with phone times by forced alignment.

    Parameters
    ----------
    folder
        Has WAV files at 16 kHz, mono, and "transcription": lines of "<s> words </s> (name)".

    Raises
    ------
    UnavailableError
        If the clips or pocketsphinx are not installed.
    """
    place = Path(folder)
    if not (place / "transcription").is_file():
        raise UnavailableError(
            "People's speech for the measurement is not here; "
            "get it with 'sudo apt install pocketsphinx-testdata'."
        )
    for line in (place / "transcription").read_text(encoding="utf-8").splitlines():
        text, _, name = line.rpartition("(")
        with wave.open(str(place / f"{name.rstrip(')')}.wav"), "rb") as file:
            raw = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        samples = raw.astype(np.float32) / 32768.0
        track = align(samples, text.replace("<s>", "").replace("</s>", "").strip())
        yield Heard(samples, _labels(track, -(-len(samples) // (RATE // int(LISTENING_RATE)))))


def _labels(track: PhoneTrack, frames: int) -> NDArray[np.int64]:
    labels = np.zeros(frames, np.int64)
    middles = (np.arange(frames) + 0.5) / LISTENING_RATE
    for phone in track.phones:
        labels[(middles >= phone.start) & (middles < phone.end)] = PHONES.index(phone.symbol)
    return labels


def figures_of(test: str, listener: Listener, heard: Sequence[Heard]) -> ListenerFigures:
    """Measure one listener on one test."""
    told = [listener.listen(clip.samples) for clip in heard]
    labels = np.concatenate([clip.labels for clip in heard])
    known = labels >= 0
    posteriors = np.concatenate([t.posteriors for t in told])
    wanted = np.concatenate([
        smoothed(PHONE_CURVES[np.maximum(clip.labels, 0)], LISTENING_RATE) for clip in heard
    ])  # fmt: skip
    weighted = np.concatenate([smoothed(t.posteriors @ PHONE_CURVES, t.rate) for t in told])
    direct = np.concatenate([smoothed(_stacked(t), t.rate) for t in told])
    truth, guess = labels[known], posteriors[known].argmax(axis=1)
    speech = truth > 0
    same = _VISEME[truth] == _VISEME[guess]
    recall, precision = _closures(told, heard)
    return ListenerFigures(
        test, listener.lookahead_ms, sum(len(clip.samples) for clip in heard) / RATE,
        _correlations(weighted[known], wanted[known]), _correlations(direct[known], wanted[known]),
        float((truth == guess).mean()), float(same.mean()), float(same[speech].mean()),
        float(((guess > 0) == speech).mean()), recall, precision,
    )  # fmt: skip


def _stacked(told: Listening) -> NDArray[np.float32]:
    curves = curves_of(told)
    return np.stack([curves.jaw, curves.rounding, curves.closure], axis=1)


def _correlations(
    one: NDArray[np.float32], other: NDArray[np.float32]
) -> tuple[float, float, float]:
    jaw, rounding, closure = (
        float(np.corrcoef(one[:, i], other[:, i])[0, 1]) for i in range(len(CURVES))
    )
    return jaw, rounding, closure


def _closures(told: Sequence[Listening], heard: Sequence[Heard]) -> tuple[float, float]:
    """Recall and precision of closures as events; a frame more on either side still counts."""
    found = true = right = shown = 0
    for listening, clip in zip(told, heard, strict=True):
        shut = curves_of(listening).closure > 0.5
        is_shut = (_VISEME[np.maximum(clip.labels, 0)] == _SHUT) & (clip.labels >= 0)
        for a, b in _runs(is_shut):
            true += 1
            found += bool(shut[a:b].any())
        for a, b in _runs(shut):
            shown += 1
            right += bool(is_shut[max(0, a - 1) : b + 1].any())
    return found / max(1, true), right / max(1, shown)


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def training_voices(clips: int = 42) -> Iterator[Heard]:
    """Held-out sentences by the voices of flite that were trained on.

    Raises
    ------
    UnavailableError
        If flite is not installed.
    """
    for name in FLITE_PITCH:
        if name == HELD_OUT_VOICE:
            continue
        for plan in held_out_plan(clips):
            said = speak_clip(replace(plan, voice=Voice("flite", name))).utterance
            frames = -(-len(said.samples) // (RATE // int(LISTENING_RATE)))
            yield Heard(said.samples, said.labels(LISTENING_RATE, frames))


def closure_weights(
    listeners: Sequence[Listener], heard: Sequence[Heard]
) -> tuple[NDArray[np.float64], float]:
    """Weights and bias of `closure_terms` by logistic regression, for all listeners together.

    Newton's steps on the likelihood of shut lips in each frame, with a ridge of 1.
    """
    rows, truth = [], []
    for listener in listeners:
        for clip in heard:
            terms = listener.closure_terms(clip.samples)
            rows.append(np.concatenate([terms, np.ones((len(terms), 1))], axis=1))
            truth.append(_VISEME[np.maximum(clip.labels, 0)] == _SHUT)
    x, y = np.concatenate(rows).astype(np.float64), np.concatenate(truth).astype(np.float64)
    weights = np.zeros(x.shape[1])
    for _ in range(25):
        odds = 0.5 + 0.5 * np.tanh(0.5 * (x @ weights))
        curvature = (x * (odds * (1.0 - odds))[:, None]).T @ x + np.eye(len(weights))
        weights += np.linalg.solve(curvature, x.T @ (y - odds) - weights)
    return weights[:-1], float(weights[-1])


def listener_figures() -> Job[tuple[ListenerFigures, ...]]:
    """Measure both shipped listeners on the held-out voice and on people.

    Raises
    ------
    UnavailableError
        If flite, pocketsphinx or its test recordings are not installed.
    """
    tests: list[tuple[str, list[Heard]]] = []
    for name, speech in (("held-out voice", synthetic_speech()), ("people", human_speech())):
        yield Progress(len(tests), 4, f"Speech of the {name}")
        tests.append((name, list(speech)))
    rows: list[ListenerFigures] = []
    for lookahead in LOOKAHEADS:
        listener = Listener.load(lookahead)
        for name, heard in tests:
            rows.append(figures_of(name, listener, heard))
            yield Progress(len(rows), 4, f"Listening {lookahead} ms ahead")
    return tuple(rows)


def microseconds_a_frame(listener: Listener, seconds: float = 10.0) -> float:
    """Time that a stream takes for each frame of 20 ms, the median, in microseconds."""
    rng = np.random.default_rng(0)
    stream = listener.stream()
    block = RATE // int(LISTENING_RATE)
    times = []
    for _ in range(int(seconds * LISTENING_RATE)):
        sound = rng.normal(scale=0.05, size=block).astype(np.float32)
        begin = time.perf_counter()
        stream.push(sound)
        times.append(time.perf_counter() - begin)
    return float(np.median(times) * 1e6)
