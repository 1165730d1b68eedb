"""Speak a plan into a folder, in several processes, and read it again."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import threading
import wave
import zipfile
import zlib
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Job, Progress
from polyorama.errors import FileFormatError, OutputError, UnavailableError, UsageError
from polyorama.face.corpus.effects import coloured
from polyorama.face.corpus.espeak import espeak_speaks
from polyorama.face.corpus.flite import flite_command, flite_speaks
from polyorama.face.corpus.utterance import RATE, Utterance
from polyorama.face.corpus.voices import prosody_of
from polyorama.io.atomic import atomic_write
from polyorama.io.content_npz import read_npy
from polyorama.io.files import file_size
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.face.corpus.plan import ClipPlan

__all__ = ["Clip", "Corpus", "corpus_clips", "load_corpus", "speak_clip"]

_INDEX = "corpus.json"
_PLAN = "plan.txt"
_LONGEST = 60.0
_MOST = 200_000
_MOST_INDEX = 256 << 20
_MOST_LABELS = 1_000_000
_ARRAYS = {"phones": "u1", "starts": "f4", "ends": "f4", "sure": "?"}
_WRITING = threading.Lock()
"""Held by a process of the pool while it speaks and writes a clip."""


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
        A folder of the corpus's own; made if it is not there.
    processes
        How many speak at once.

    Raises
    ------
    UsageError
        If clips of another plan lie there.
    UnavailableError
        If a synthesiser is not here, or a process that speaks ended by itself.
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
    _check_plan(plan, place)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_begin_to_speak)
    rows: list[dict[str, Any]] = []
    try:
        waiting = deque(
            pool.submit(_write_clip, clip, place / f"{i:06d}") for i, clip in enumerate(plan)
        )
        while waiting:
            rows.append(waiting.popleft().result())
            yield Progress(len(rows), len(plan), "Speaking")
    except BrokenProcessPool as error:
        raise UnavailableError(
            "A process that speaks ended by itself, perhaps for lack of memory; what is spoken is "
            f"kept, so begin again with fewer processes: {place}"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    with atomic_write(place / _INDEX) as path:
        path.write_text(json.dumps({"format": 1, "clips": rows}), encoding="utf-8")
    return Corpus(place, tuple(rows))


def _check_plan(plan: Sequence[ClipPlan], place: Path) -> None:
    """See to it that what lies in a folder is of this plan, since clips are found by number."""
    wanted = hashlib.blake2b(repr(tuple(plan)).encode(), digest_size=16).hexdigest()
    stamp = place / _PLAN
    if stamp.is_file():
        if read_bytes(stamp, 1000).decode("utf-8", "replace").strip() == wanted:
            return
    elif not any(place.glob("0*.wav")):
        with atomic_write(stamp) as path:
            path.write_text(f"{wanted}\n", encoding="utf-8")
        return
    raise UsageError(
        f"Clips of another plan lie here, and would be taken for this one's; choose another "
        f"folder, or delete it: {place}"
    )


def _begin_to_speak() -> None:
    """Let a process of the pool end with the one that began it, however that ends.

    A pool's processes wait for work on a pipe that they hold open themselves, so that one which is
    killed would leave them waiting for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: Any) -> None:
    parent.join()
    # A clip that is being written is written to its end.
    with _WRITING:
        os._exit(1)


def _write_clip(plan: ClipPlan, stem: Path) -> dict[str, Any]:
    row = {"name": stem.name, "text": plan.text, "speaker": plan.speaker, "emotion": plan.emotion,
           "level": plan.level, "sentence": plan.sentence}  # fmt: skip
    sound, labels = stem.with_suffix(".wav"), stem.with_suffix(".npz")
    if sound.is_file() and labels.is_file():
        return {**row, "seconds": len(_samples_of(sound)) / RATE}
    with _WRITING:
        said = speak_clip(plan).utterance
        with atomic_write(labels) as path, path.open("wb") as file:
            np.savez(file, phones=said.phones, starts=said.starts, ends=said.ends, sure=said.sure)
        with atomic_write(sound) as path, wave.open(str(path), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(RATE)
            out.writeframes(np.round(said.samples * 32767.0).astype("<i2").tobytes())
    return {**row, "seconds": said.seconds}


def _samples_of(sound: Path) -> NDArray[np.int16]:
    """(n,) samples of a clip's WAV.

    Raises
    ------
    FileFormatError
        If it is missing, too long or damaged.
    """
    if file_size(sound) > _LONGEST * RATE * 2 + 4096:
        raise FileFormatError(f"A clip of a corpus is not so large; make it again: {sound}")
    try:
        with wave.open(str(sound), "rb") as file:
            if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
                raise FileFormatError(
                    f"A clip of a corpus is mono of 16 bits at 16 kHz; make it again: {sound}"
                )
            return np.frombuffer(file.readframes(file.getnframes()), "<i2")
    except (wave.Error, EOFError, OSError, ValueError) as error:
        raise FileFormatError(f"This clip cannot be read; make it again: {sound}") from error


def _labels_of(labels: Path) -> dict[str, NDArray[Any]]:
    """Phones and their times of a clip's NPZ, as `Utterance` takes them.

    Raises
    ------
    FileFormatError
        If it is missing, too large or damaged.
    """
    if file_size(labels) > _MOST_LABELS:
        raise FileFormatError(f"Labels of a clip are not so large; make it again: {labels}")
    try:
        with zipfile.ZipFile(labels) as archive:
            arrays = {}
            for name, kind in _ARRAYS.items():
                size = archive.getinfo(f"{name}.npy").file_size
                if size > _MOST_LABELS:
                    raise ValueError("an array that is too large")
                with archive.open(f"{name}.npy") as member:
                    arrays[name] = read_npy(member, size, name, labels).astype(kind)
    except (
        zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, RuntimeError, EOFError,
    ) as error:  # fmt: skip
        raise FileFormatError(f"This clip cannot be read; make it again: {labels}") from error
    if {a.shape for a in arrays.values()} != {(len(arrays["phones"]),)} or not (
        np.isfinite(arrays["starts"]).all() and np.isfinite(arrays["ends"]).all()
    ):
        raise FileFormatError(f"The labels of this clip do not fit; make it again: {labels}")
    if arrays["phones"].max(initial=0) >= len(PHONES) or not len(arrays["phones"]):
        raise FileFormatError(f"This clip names phones that are none; make it again: {labels}")
    return arrays


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
        raw = _samples_of(self.folder / f"{row['name']}.wav")
        arrays = _labels_of(self.folder / f"{row['name']}.npz")
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
    data = read_bytes(index, _MOST_INDEX)
    try:
        rows = json.loads(data)["clips"]
        if len(rows) > _MOST:
            raise ValueError("too many clips")
        checked = tuple({
            "name": f"{int(row['name']):06d}", "text": str(row["text"]),
            **{k: int(row[k]) for k in ("speaker", "emotion", "level", "sentence")},
            "seconds": float(row["seconds"]),
        } for row in rows)  # fmt: skip
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FileFormatError(
            f"The index of the corpus is damaged; make it again: {index}"
        ) from error
    return Corpus(place, checked)
