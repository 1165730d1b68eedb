"""A recording of a face and its voice, whatever the layout it lies in."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import quoted, reason_of
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "ClipData", "ClipSource", "check_emotion", "check_length", "checked_rows", "emotion_in",
    "finite", "found_files", "load_array", "sound_beside", "speech_of",
]  # fmt: skip

_SOUND_ENDINGS = (".wav", ".flac", ".ogg", ".mp3", ".m4a", ".mov", ".mp4")
_MOST_FILES = 100_000
_MOST_ROWS = 60 * 60 * 60
_MOST_ARRAY = 16 << 30
"""Bytes of an .npy, which is mapped and not read: VOCASET keeps all of its faces in one."""
_MOST_CLIP = 2 << 30
"""Bytes of a clip's rows in memory: nine minutes of FLAME's vertices."""

_WORDS = {
    "neutral": 0, "calm": 1, "happy": 2, "happiness": 2, "joy": 2, "sad": 3, "sadness": 3,
    "angry": 4, "anger": 4, "fear": 5, "fearful": 5, "disgust": 6, "disgusted": 6, "surprised": 7,
    "surprise": 7,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class ClipData:
    """What a clip holds.

    Parameters
    ----------
    samples
        (n,) float32 speech at 16 kHz.
    motion
        (T, 55) channels, (T, 53) FLAME values, or (T, V, 3) vertices less the face at rest.
    fps
        Rows in a second.
    """

    samples: NDArray[np.float32]
    motion: NDArray[np.float32]
    fps: float


@dataclass(frozen=True, slots=True)
class ClipSource:
    """A clip that is read when it is asked for.

    Parameters
    ----------
    name, person
        Of the clip, and whose face it is.
    target
        "arkit", "flame" or "vertices".
    read
        Gives the `ClipData`; raises `FileFormatError` with the file's name.
    emotion, level
        Place in `EMOTIONS`, and 1 or 2; neutral where nothing is said.
    """

    name: str
    person: str
    target: str
    read: Callable[[], ClipData]
    emotion: int = 0
    level: int = 1


def found_files(folder: Path, pattern: str) -> list[Path]:
    """Plain files of a folder and below that match, in order; links out of it are left alone.

    Raises
    ------
    FileFormatError
        If there are more than 100,000.
    """
    root = folder.resolve()
    result: list[Path] = []
    for path in folder.rglob(pattern):
        if path.is_file() and path.resolve().is_relative_to(root):
            result.append(path)
        if len(result) > _MOST_FILES:
            raise FileFormatError(f"The folder holds over {_MOST_FILES:,} clips: {folder}")
    return sorted(result)


def sound_beside(path: Path, *folders: Path) -> Path | None:
    """The sound of a clip: a file of its stem in its folder or in another; None where none is."""
    for folder in (path.parent, *folders):
        for ending in _SOUND_ENDINGS:
            candidate = folder / f"{path.stem}{ending}"
            if candidate.is_file():
                return candidate
    return None


def speech_of(path: Path) -> NDArray[np.float32]:
    """(n,) float32 at 16 kHz: the sound of a file.

    Raises
    ------
    FileFormatError
        If it is missing, damaged or too long.
    """
    from polyorama.face.speech.sound import load_speech

    return load_speech(path)


def load_array(path: Path, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    """Numbers of an .npy file; nothing in it is run, and nothing is read before its size is known.

    Parameters
    ----------
    shape
        Lengths of the axes; None where any is fine.

    Raises
    ------
    FileFormatError
        If it is damaged, no numbers, or of another shape.
    """
    size = file_size(path)
    try:
        with reading(path):
            array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OverflowError, TypeError) as error:
        raise FileFormatError(
            f"This is no array of numbers ({reason_of(error)}): {path}"
        ) from error
    if not isinstance(array, np.ndarray):
        array.close()  # an archive of several
        raise FileFormatError(f"This is no single array of numbers: {path}")
    if array.nbytes > min(size, _MOST_ARRAY):
        raise FileFormatError(f"This is no single array of numbers, or cut short: {path}")
    return checked_rows(array, shape, path)


def checked_rows(
    array: NDArray[Any], shape: tuple[int | None, ...], where: Path | str
) -> NDArray[Any]:
    """The same array, once it is sure that it holds rows of numbers of a shape.

    Raises
    ------
    FileFormatError
        If not.
    """
    fits = array.ndim == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "fiu" or not 0 < len(array) <= _MOST_ROWS * 100:
        text = " x ".join("any" if n is None else str(n) for n in shape)
        raise FileFormatError(f"An array is {array.shape}, where {text} is needed: {where}")
    return array


def check_length(rows: int, width: int, where: Path | str) -> None:
    """See to it that so many rows of float32 are no more than a clip has.

    Raises
    ------
    FileFormatError
        If they are more than an hour at 60 a second, or than 2 GiB.
    """
    if rows > _MOST_ROWS or 4 * rows * width > _MOST_CLIP:
        raise FileFormatError(
            f"A clip of over an hour, or 2 GiB, is too long to learn from; cut it: {where}"
        )


def finite(rows: NDArray[Any], where: Path | str) -> NDArray[np.float32]:
    """Rows as float32.

    Raises
    ------
    FileFormatError
        If they are too long a clip, see `check_length`, or not finite.
    """
    check_length(len(rows), math.prod(rows.shape[1:]), where)
    result = np.asarray(rows, np.float32)
    if not np.isfinite(result).all():
        raise FileFormatError(f"A clip holds values that are not finite: {where}")
    return result


def emotion_in(names: Iterable[str]) -> tuple[int, int] | None:
    """Emotion and level that words of a file's or folder's name say, such as angry or happy_2."""
    for name in names:
        words = re.findall(r"[a-z]+|\d+", name.lower())
        for n, word in enumerate(words):
            if word in _WORDS:
                emotion = _WORDS[word]
                strong = n + 1 < len(words) and words[n + 1] == "2"
                return emotion, 2 if emotion and strong else 1
    return None


def check_emotion(emotion: int, level: int, where: Path) -> tuple[int, int]:
    """Both, once it is sure that there are such.

    Raises
    ------
    FileFormatError
        If there are not.
    """
    if not 0 <= emotion < len(EMOTIONS) or level not in (1, 2):
        raise FileFormatError(f"There is no emotion such as {quoted(where.name)} says: {where}")
    return emotion, level if emotion else 1
