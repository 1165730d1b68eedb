"""A take whole, every number bit for bit: a zip of plain `.npy` arrays and of `take.json`.

`numpy.load` reads it too: ``weights`` (T, 55) float32, ``emotion`` (T, 8) float32 and ``samples``
(n, channels) float32 where there are any.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.face.exports.words import (
    MAX_FRAMES,
    channel_of,
    parse_json,
    parse_phones,
    parse_provenance,
    phones_entry,
    provenance_entry,
    rows_of,
    stated_rate,
    take_of,
    texts,
    writer,
)
from polyorama.io.atomic import atomic_write
from polyorama.io.content_npz import EPOCH, read_npy
from polyorama.io.files import file_size, reading
from polyorama.io.json_fields import FieldError, numbers_of, object_of, text_of
from polyorama.scene.contents import Audio
from polyorama.scene.faces.channels import CHANNELS, EMOTIONS

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.face.take import Take

__all__ = ["read_take_npz", "write_take_npz"]

_FORMAT = 1
_WORDS = "take.json"
_MAX_WORDS = 64 << 20
_ARRAYS = {"weights": 2, "emotion": 2, "samples": 2}
"""Arrays and their dimensions."""


def write_take_npz(take: Take, path: str | os.PathLike[str]) -> None:
    """Write all of a take; the same take gives the same bytes.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    words: dict[str, Any] = {
        "format": _FORMAT,
        "writtenBy": writer(),
        "fps": take.performance.fps,
        "channels": list(CHANNELS),
        "emotions": list(EMOTIONS),
        "provenance": provenance_entry(take.provenance),
        "phones": phones_entry(take.phones),
    }
    arrays = {"weights": take.performance.weights}
    if take.emotion is not None:
        arrays["emotion"] = take.emotion
    if take.sound is not None:
        sound = take.sound
        words["sound"] = {"rate": sound.rate, "start": sound.start, "gain": sound.gain}
        arrays["samples"] = sound.samples
    with atomic_write(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_WORDS, EPOCH), json.dumps(words, allow_nan=False))
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", EPOCH), "w", force_zip64=True) as out:
                np.lib.format.write_array(out, array, version=(1, 0), allow_pickle=False)


def read_take_npz(path: str | os.PathLike[str]) -> Take:
    """Read what `write_take_npz` wrote.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, of a later format, or claims more than it holds.
    """
    size = file_size(path)
    try:
        with reading(path), zipfile.ZipFile(path) as archive:
            words, arrays = _members(archive, size, path)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FileFormatError(f"The take is damaged or cut short; save it again: {path}") from error
    try:
        return _take(object_of(words, _WORDS), arrays, path)
    except FieldError as error:
        raise FileFormatError(f"Its {error}: {path}") from error


def _members(
    archive: zipfile.ZipFile, size: int, path: str | os.PathLike[str]
) -> tuple[Any, dict[str, NDArray[Any]]]:
    infos = archive.infolist()
    # Members are stored as they are, so together they cannot exceed the file.
    if any(info.compress_type != zipfile.ZIP_STORED for info in infos) or (
        sum(info.file_size for info in infos) > size
    ):
        raise FileFormatError(f"The file is packed, or claims more than it holds: {path}")
    names = [info.filename for info in infos]
    if _WORDS not in names:
        raise FileFormatError(f"The file holds no take ({_WORDS} is missing): {path}")
    words: Any = None
    arrays: dict[str, NDArray[Any]] = {}
    for info in infos:
        name = info.filename.removesuffix(".npy")
        if names.count(info.filename) > 1 or (info.filename != _WORDS and name not in _ARRAYS):
            raise FileFormatError(f"Its part {info.filename[:80]!r} has no place here: {path}")
        if info.filename != _WORDS:
            with archive.open(info) as file:
                arrays[name] = read_npy(file, info.file_size, name, path)
        elif info.file_size > _MAX_WORDS:
            raise FileFormatError(f"Its {_WORDS} is too large: {path}")
        else:
            words = parse_json(archive.read(info), path, f"Its {_WORDS}")
    for name, array in arrays.items():
        if array.dtype != np.dtype("<f4") or array.ndim != _ARRAYS[name]:
            raise FileFormatError(
                f"Its {name} are {array.dtype} of shape {array.shape}, which is no take's: {path}"
            )
    return words, arrays


def _take(
    words: dict[str, Any], arrays: dict[str, NDArray[Any]], path: str | os.PathLike[str]
) -> Take:
    version = words.get("format")
    if type(version) is not int or version < 1:
        raise FieldError("format is no number")
    if version > _FORMAT:
        raise FileFormatError(
            f"The take is of format {version}, which a later Polyorama wrote; update to read it: "
            f"{path}"
        )
    weights = arrays.get("weights")
    if weights is None or not 1 <= len(weights) <= MAX_FRAMES:
        raise FieldError("weights are missing or too many")
    names = words.get("channels")
    if not isinstance(names, list) or len(names) != weights.shape[1]:
        raise FieldError("channels do not fit the weights")
    columns = {channel_of(text_of(n, "channel")): weights[:, i] for i, n in enumerate(names)}
    if None in columns or len(columns) < len(names):
        unknown = [n for n in names if channel_of(n) is None]
        raise FieldError(f"channels are unknown or named twice ({texts(unknown or names)})")
    return take_of(
        rows_of({name: values for name, values in columns.items() if name is not None},
                len(weights)),
        stated_rate(words),
        parse_provenance(words.get("provenance")),
        path,
        phones=parse_phones(words.get("phones", {})),
        emotion=arrays.get("emotion"),
        sound=_sound(words, arrays.get("samples")),
    )  # fmt: skip


def _sound(words: dict[str, Any], samples: NDArray[np.float32] | None) -> Audio | None:
    if ("sound" in words) != (samples is not None):
        raise FieldError("sound and samples do not fit together")
    if samples is None:
        return None
    given = object_of(words["sound"], "sound")
    rate = given.get("rate")
    if type(rate) is not int or not 1 <= rate <= 10_000_000:
        raise FieldError("rate is no number of samples in a second")
    if not np.isfinite(samples).all():
        raise FieldError("samples are not finite")
    start, gain = numbers_of([given.get("start"), given.get("gain")], (2,), "start or gain")
    try:
        return Audio(samples=samples, rate=rate, start=float(start), gain=float(gain))
    except PolyoramaError as error:
        raise FieldError(f"sound is unusable ({error})") from error
