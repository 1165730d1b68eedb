"""What EcoFace learns from: clips as rows of content, sound and motion, with their labels."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.ecoface.config import EcoFaceConfig
from polyorama.face.tensor_files import read_tensor_file, write_tensor_file
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Batch", "Example", "ExampleSet", "read_examples", "write_examples"]

_KEY = "polyorama-ecoface-examples"
_MOST_BYTES = 16 << 30
_WIDTHS = {target: EcoFaceConfig(target=target).motion for target in ("arkit", "flame")}


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A clip.

    Parameters
    ----------
    name
        Of the clip.
    content
        (2T, C) float16 or float32, 50 rows a second.
    sound
        (2T, A), what the encoder of emotion hears.
    motion
        (T, 55) or (T, 53) float32, 25 rows a second.
    frames
        (T, 128, 128) uint8 grey, the face rendered at 25 rows a second, or None.
    person, emotion, level
        Number of the speaker; place in `EMOTIONS`; 1 or 2.

    Raises
    ------
    UsageError
        If rows do not fit together or are not finite, or there is no such emotion or level.
    """

    name: str
    content: NDArray[np.floating]
    sound: NDArray[np.floating]
    motion: NDArray[np.float32]
    person: int
    emotion: int = 0
    level: int = 1
    frames: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        count = len(self.motion)
        if not count or len(self.content) != 2 * count or len(self.sound) != 2 * count:
            raise UsageError(f"The clip {self.name!r} has unequal rows of speech and motion.")
        if self.frames is not None and len(self.frames) != count:
            raise UsageError(f"The clip {self.name!r} has unequal rows of frames and motion.")
        if not all(np.isfinite(x).all() for x in (self.content, self.sound, self.motion)):
            raise UsageError(f"The clip {self.name!r} has values that are not finite.")
        if not 0 <= self.emotion < len(EMOTIONS) or self.level not in (1, 2) or self.person < 0:
            raise UsageError(f"The clip {self.name!r} is of an emotion or speaker that is none.")


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Parts of clips, alike in length.

    Parameters
    ----------
    clips
        (B,) which examples.
    starts
        (B,) first rows of motion.
    content, sound, motion, mask
        (B, 2R, C), (B, 2R, A), (B, R, M) and (B, R) float32; the mask is 1 where a clip goes on.
    """

    clips: NDArray[np.int64]
    starts: NDArray[np.int64]
    content: NDArray[np.float32]
    sound: NDArray[np.float32]
    motion: NDArray[np.float32]
    mask: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class ExampleSet:
    """Clips of one kind.

    Parameters
    ----------
    examples
        At least one.
    persons
        Names of speakers by number.
    target
        "arkit" or "flame".
    features
        What content was made with: "listener", or "hubert" and a folder's name.
    trained_on
        One sentence that says what this is.

    Raises
    ------
    UsageError
        If there is none, or they do not fit together.
    """

    examples: tuple[Example, ...]
    persons: tuple[str, ...]
    target: str = "arkit"
    features: str = ""
    trained_on: str = ""

    def __post_init__(self) -> None:
        if not self.examples:
            raise UsageError("There is no clip to learn from; look at the folder's layout.")
        widths = {(e.content.shape[1], e.sound.shape[1], e.motion.shape[1]) for e in self.examples}
        if len(widths) > 1:
            raise UsageError("The clips to learn from have rows of unlike widths.")
        if widths.pop()[2] != _WIDTHS.get(self.target):
            raise UsageError(f"The clips to learn from do not move {self.target!r}.")
        if max(e.person for e in self.examples) >= len(self.persons):
            raise UsageError("A clip to learn from names a speaker that is not listed.")

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(N,) rows of motion."""
        return np.array([len(e.motion) for e in self.examples], np.int64)

    @property
    def labels(self) -> NDArray[np.int64]:
        """(N, 3) person, emotion, level."""
        return np.array([(e.person, e.emotion, e.level) for e in self.examples], np.int64)

    def batch(self, clips: Sequence[int], rows: int, rng: np.random.Generator) -> Batch:
        """Random parts of clips of `rows` rows of motion each; shorter clips are filled up.

        Content and sound are filled up with their last row, motion with its own.
        """
        starts, parts = [], []
        for clip in clips:
            example = self.examples[clip]
            free = len(example.motion) - rows
            start = int(rng.integers(0, free + 1)) if free > 0 else 0
            starts.append(start)
            parts.append((
                _part(example.content, 2 * start, 2 * rows),
                _part(example.sound, 2 * start, 2 * rows),
                _part(example.motion, start, rows),
                (np.arange(start, start + rows) < len(example.motion)).astype(np.float32),
            ))  # fmt: skip
        content, sound, motion, mask = (np.stack(kind) for kind in zip(*parts, strict=True))
        return Batch(np.array(clips), np.array(starts), content, sound, motion, mask)

    def frames(self, clips: Sequence[int], starts: Sequence[int], rows: int) -> NDArray[np.uint8]:
        """(B, rows, 128, 128) frames of the parts of a `batch`.

        Raises
        ------
        UsageError
            If a clip has none.
        """
        parts = []
        for clip, start in zip(clips, starts, strict=True):
            frames = self.examples[clip].frames
            if frames is None:
                raise UsageError(f"The clip {self.examples[clip].name!r} has no frames to look at.")
            places = np.minimum(np.arange(start, start + rows), len(frames) - 1)
            parts.append(frames[places])
        return np.stack(parts)

    def fingerprint(self) -> str:
        """Hash of all clips and labels."""
        digest = hashlib.blake2b(digest_size=16)
        for e in self.examples:
            digest.update(repr((e.name, e.person, e.emotion, e.level, e.motion.shape)).encode())
            seen = () if e.frames is None else (e.frames,)
            for array in (e.content, e.sound, e.motion, *seen):
                digest.update(np.ascontiguousarray(array).data)
        digest.update(repr((self.persons, self.target, self.features)).encode())
        return digest.hexdigest()


def _part(rows: NDArray[np.floating], start: int, count: int) -> NDArray[np.float32]:
    part = np.asarray(rows[start : start + count], np.float32)
    if len(part) < count:
        part = np.concatenate([part, np.repeat(part[-1:], count - len(part), axis=0)])
    return part


def write_examples(data: ExampleSet, path: Path) -> None:
    """Keep clips in one safetensors file, content and sound as float16.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    examples = data.examples
    tensors: dict[str, NDArray[Any]] = {
        "content": np.concatenate([e.content for e in examples]).astype(np.float16),
        "sound": np.concatenate([e.sound for e in examples]).astype(np.float16),
        "motion": np.concatenate([e.motion for e in examples]).astype(np.float32),
        "lengths": data.lengths,
        "labels": data.labels,
    }
    if all(e.frames is not None for e in examples):
        tensors["frames"] = np.concatenate([e.frames for e in examples if e.frames is not None])
    facts = {
        "names": [e.name for e in examples], "persons": data.persons, "target": data.target,
        "features": data.features, "trained_on": data.trained_on,
    }  # fmt: skip
    write_tensor_file(path, tensors, {_KEY: json.dumps(facts)})


def read_examples(path: Path) -> ExampleSet:
    """What `write_examples` wrote.

    Raises
    ------
    FileFormatError
        If it is missing, damaged or something else.
    """
    tensors, meta = read_tensor_file(path, _MOST_BYTES)
    try:
        facts = json.loads(meta[_KEY])
        lengths, labels = tensors["lengths"], tensors["labels"]
        ends = np.cumsum(lengths)
        frames = tensors.get("frames")
        if (lengths < 1).any() or ends[-1] != len(tensors["motion"]):
            raise ValueError("lengths do not fit")
        examples = []
        for name, end, count, label in zip(facts["names"], ends, lengths, labels, strict=True):
            rows, half = slice(end - count, end), slice(2 * (end - count), 2 * end)
            person, emotion, level = (int(x) for x in label)
            examples.append(Example(
                str(name), tensors["content"][half], tensors["sound"][half],
                tensors["motion"][rows], person, emotion, level,
                None if frames is None else frames[rows],
            ))  # fmt: skip
        return ExampleSet(
            tuple(examples), tuple(map(str, facts["persons"])), str(facts["target"]),
            str(facts["features"]), str(facts["trained_on"]),
        )  # fmt: skip
    except (KeyError, ValueError, TypeError, IndexError, RecursionError, UsageError) as error:
        raise FileFormatError(f"These are no clips to learn from, or damaged: {path}") from error
