"""Speak a plan into a folder, in several processes, and read it again."""

from __future__ import annotations

import json
import multiprocessing
import wave
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polyorama.core.jobs import Job, Progress
from polyorama.errors import FileFormatError, OutputError
from polyorama.face.corpus.effects import coloured
from polyorama.face.corpus.espeak import espeak_speaks
from polyorama.face.corpus.flite import flite_command, flite_speaks
from polyorama.face.corpus.utterance import RATE, Utterance
from polyorama.face.corpus.voices import prosody_of
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from polyorama.face.corpus.plan import ClipPlan

__all__ = ["Clip", "Corpus", "corpus_clips", "load_corpus", "speak_clip"]

_INDEX = "corpus.json"
_LONGEST = 60.0
_MOST = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A clip of a corpus: its sound with true phones, and what is known of it."""

    utterance: Utterance
    text: str
    speaker: int
    emotion: int
    level: int
    sentence: int


def speak_clip(plan: ClipPlan) -> Clip:
    """Speak one clip.

    Raises
    ------
    UnavailableError
        If its synthesiser is not here.
    UsageError
        If the text says nothing.
    """
    rng = np.random.default_rng([plan.seed, 74])
    # No two people feel the same strength on the same day.
    prosody = prosody_of(plan.emotion, plan.level).at(float(rng.uniform(0.8, 1.2)))
    voice = replace(
        plan.voice,
        pitch=min(4.0, plan.voice.pitch * prosody.pitch),
        spread=min(4.0, plan.voice.spread * prosody.spread),
        stretch=plan.voice.stretch * prosody.stretch,
    )
    speak = flite_speaks if voice.engine == "flite" else espeak_speaks
    said = speak(plan.text, voice)
    said = replace(said, samples=coloured(said.samples, prosody, rng))
    return Clip(said, plan.text, plan.speaker, plan.emotion, plan.level, plan.sentence)


def corpus_clips(
    plan: Sequence[ClipPlan], folder: str | os.PathLike[str], processes: int = 2
) -> Job[Corpus]:
    """Speak all clips of a plan into a folder: a WAV and an NPZ each, and an index at the end.

    Clips that are already there are kept, so what was interrupted goes on.

    Parameters
    ----------
    plan
        What to speak.
    folder
        A folder of the corpus's own; made if it is not there. Another plan needs another folder.
    processes
        How many speak at once.

    Raises
    ------
    UnavailableError
        If a synthesiser is not here.
    OutputError
        If the folder cannot be written to.
    """
    if any(clip.voice.engine == "flite" for clip in plan):
        flite_command()
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot make the folder ({error.strerror}): {place}") from error
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
    rows: list[dict[str, Any]] = []
    try:
        waiting = deque(
            pool.submit(_write_clip, clip, place / f"{i:06d}") for i, clip in enumerate(plan)
        )
        while waiting:
            rows.append(waiting.popleft().result())
            yield Progress(len(rows), len(plan), "Speaking")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    with atomic_write(place / _INDEX) as path:
        path.write_text(json.dumps({"format": 1, "clips": rows}), encoding="utf-8")
    return Corpus(place, tuple(rows))


def _write_clip(plan: ClipPlan, stem: Path) -> dict[str, Any]:
    row = {"name": stem.name, "text": plan.text, "speaker": plan.speaker, "emotion": plan.emotion,
           "level": plan.level, "sentence": plan.sentence}  # fmt: skip
    sound, labels = stem.with_suffix(".wav"), stem.with_suffix(".npz")
    if sound.is_file() and labels.is_file():
        with wave.open(str(sound), "rb") as file:
            return {**row, "seconds": file.getnframes() / RATE}
    said = speak_clip(plan).utterance
    with atomic_write(labels) as path, path.open("wb") as file:
        np.savez(file, phones=said.phones, starts=said.starts, ends=said.ends, sure=said.sure,
                 speaker=plan.speaker, emotion=plan.emotion, level=plan.level,
                 sentence=plan.sentence)  # fmt: skip
    with atomic_write(sound) as path, wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(np.round(said.samples * 32767.0).astype("<i2").tobytes())
    return {**row, "seconds": said.seconds}


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """A corpus in a folder; clips are read when asked for, `corpus[i]`.

    Parameters
    ----------
    folder
        Where it lies.
    rows
        For each clip its name, text, speaker, emotion, level, sentence and seconds.
    """

    folder: Path
    rows: tuple[dict[str, Any], ...]

    _ARRAYS: ClassVar = {"phones": "u1", "starts": "f4", "ends": "f4", "sure": "?"}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def seconds(self) -> float:
        """How much is spoken in all, s."""
        return float(sum(row["seconds"] for row in self.rows))

    def __getitem__(self, number: int) -> Clip:
        """Read a clip.

        Raises
        ------
        FileFormatError
            If its files are missing or not as this module writes them.
        """
        row = self.rows[number]
        sound, labels = (self.folder / f"{row['name']}{end}" for end in (".wav", ".npz"))
        if file_size(sound) > _LONGEST * RATE * 2 + 4096 or file_size(labels) > 1_000_000:
            raise FileFormatError(f"A clip of a corpus is not so large; make it again: {sound}")
        try:
            with wave.open(str(sound), "rb") as file:
                raw = np.frombuffer(file.readframes(file.getnframes()), "<i2")
            with np.load(labels, allow_pickle=False) as stored:
                arrays = {k: stored[k].astype(t) for k, t in self._ARRAYS.items()}
        except (wave.Error, EOFError, OSError, ValueError, KeyError) as error:
            raise FileFormatError(f"This clip cannot be read; make it again: {sound}") from error
        said = Utterance(raw.astype(np.float32) / 32768.0, **arrays)
        return Clip(said, *(row[k] for k in ("text", "speaker", "emotion", "level", "sentence")))


def load_corpus(folder: str | os.PathLike[str]) -> Corpus:
    """Open a corpus that `corpus_clips` made.

    Raises
    ------
    FileFormatError
        If there is none, or its index is damaged.
    """
    place = Path(folder)
    index = place / _INDEX
    if file_size(index) > _MOST * 2000:
        raise FileFormatError(f"The index of a corpus is not so large; make it again: {index}")
    try:
        rows = json.loads(index.read_text(encoding="utf-8"))["clips"]
        checked = tuple({
            "name": f"{int(row['name']):06d}", "text": str(row["text"]),
            **{k: int(row[k]) for k in ("speaker", "emotion", "level", "sentence")},
            "seconds": float(row["seconds"]),
        } for row in rows)  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileFormatError(
            f"The index of the corpus is damaged; make it again: {index}"
        ) from error
    return Corpus(place, checked)
