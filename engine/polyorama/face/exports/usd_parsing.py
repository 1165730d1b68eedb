"""Takes from USD: a SkelAnimation's weights of ARKit's shapes, and how the head turns.

OpenUSD is written in C++, and a hostile file may hang it or bring it down. So this runs in a
process of its own, ``python -m polyorama.face.exports.usd_parsing FILE FOLDER``, with limits: the
answer is a take as NPZ in the folder, and `polyorama.face.exports.usd_reading` reads that.
"""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import one_line, reason_of
from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.face.exports.baked import head_weights, vectors_of
from polyorama.face.exports.npz import write_take_npz
from polyorama.face.exports.usd import need_usd, quiet
from polyorama.face.exports.words import (
    MAX_FRAMES,
    channel_of,
    note,
    parse_json,
    parse_phones,
    parse_provenance,
    rows_of,
    stated_rate,
    take_of,
    texts,
    uniform,
)
from polyorama.face.take import Provenance
from polyorama.io.audio import read_audio
from polyorama.io.files import file_size, inside
from polyorama.io.json_fields import FieldError, numbers_of, object_of
from polyorama.scene.faces.channels import HEAD
from polyorama.scene.faces.phones import PhoneTrack

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.face.take import Take
    from polyorama.scene.contents import Audio

__all__ = ["check_usd_size", "main", "parse_take_usd"]

_MAX_BYTES = 1 << 30
_MAX_PRIMS = 1_000_000
_MAX_WORDS = 64 << 20
_MOST_MEMORY = 6 << 30


def main(source: str, folder: str) -> None:
    """Parse a file and leave in a folder ``words.json`` and, if all went well, ``take.npz``."""
    _limit()
    notes: list[str] = []
    answer: dict[str, Any] = {"notes": notes}
    try:
        write_take_npz(parse_take_usd(source, notes), Path(folder) / "take.npz")
    except PolyoramaError as error:
        answer["error"] = str(error)
    except MemoryError:
        answer["error"] = f"There is not enough memory to read the file: {source}"
    except Exception as error:  # noqa: BLE001 - said in the other process
        answer["error"] = f"The USD file cannot be read ({reason_of(error)}): {source}"
    (Path(folder) / "words.json").write_text(json.dumps(answer), "utf-8")


def _limit() -> None:
    """No core files, and not more memory than any face needs; Windows has no such limits."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, hard))


def parse_take_usd(path: str | os.PathLike[str], notes: list[str] | None = None) -> Take:
    """Read the first animation of a face, in this process.

    What other files it refers to is not looked at, but for the sound that it names in its folder.

    Raises
    ------
    FileFormatError
        If it is missing, too large, no USD, or animates no shape of ARKit.
    UnavailableError
        If OpenUSD is not installed.
    """
    need_usd()
    from pxr import Sdf, Tf

    check_usd_size(path)
    try:
        with quiet():
            # Not `FindOrOpen`, which would remember what was read under this name before.
            layer = Sdf.Layer.OpenAsAnonymous(str(path))
            if layer is None:
                raise FileFormatError(
                    f"The file is no USD that can be read; export it again: {path}"
                )
            return _take(layer, path, notes)
    except FieldError as error:
        raise FileFormatError(f"Its {error}: {path}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"The USD file has names that are no text: {path}") from error
    except Tf.ErrorException as error:
        raise FileFormatError(
            f"The USD file cannot be read{_reason(error)}; export it again: {path}"
        ) from error


def check_usd_size(path: str | os.PathLike[str]) -> None:
    """Raise a `FileFormatError` unless it is a file of a size that is read."""
    size = file_size(path)
    if size > _MAX_BYTES:
        raise FileFormatError(f"The file is too large ({size:,} bytes): {path}")


def _reason(error: Exception) -> str:
    """Why, in brackets, as far as it is text."""
    try:
        text = " ".join(str(error).split())
    except UnicodeDecodeError:
        return ""
    last = text.rpartition(": ")[2].strip(" '.")[:150]
    return f" ({one_line(last)})"


def _take(layer: Any, path: str | os.PathLike[str], notes: list[str] | None) -> Take:
    animation, sound = _found(layer, path, notes)
    words = _words(layer, path)
    rate = layer.timeCodesPerSecond
    if not 0.01 <= rate <= 10_000.0:
        raise FieldError("timeCodesPerSecond is no rate")
    codes, weights = _samples(layer, animation, "blendShapeWeights", path)
    tokens = _value(layer, animation, "blendShapes") or []
    if weights.shape[1] != len(tokens):
        raise FieldError("blendShapeWeights are not as many as blendShapes")
    columns: dict[str, NDArray[np.float64]] = {}
    unknown = []
    for at, token in enumerate(tokens):
        channel = channel_of(str(token))
        if channel is None or channel in HEAD or channel in columns:
            unknown.append(str(token))
        else:
            columns[channel] = weights[:, at]
    if not columns:
        raise FileFormatError(f"There is no animation of ARKit's shapes in this USD file: {path}")
    if unknown and words is None:
        note(notes, f"Shapes that are no channels are left out, {texts(unknown)}: {path}")
    if words is None:
        note(notes, f"Turns of the head are left out, for each program has its own joints: {path}")
    else:
        columns |= _head(layer, animation, codes, words, path)
    names = list(columns)
    even, fps = uniform(
        codes / rate,
        np.stack([columns[name] for name in names], axis=1),
        None if words is None else stated_rate(words),
        path,
        notes,
    )
    found = {name: even[:, i] for i, name in enumerate(names)}
    provenance, phones = Provenance("USD animation"), PhoneTrack()
    if words is not None:
        provenance = parse_provenance(words.get("provenance"))
        phones = parse_phones(words.get("phones", {}))
    return take_of(
        rows_of(found, len(even)), fps, provenance, path,
        phones=phones, sound=_audio(layer, sound, rate, path, notes),
    )  # fmt: skip


def _found(
    layer: Any, path: str | os.PathLike[str], notes: list[str] | None
) -> tuple[Any, Any | None]:
    """The first SkelAnimation that has weights, and the first sound."""
    animations, sounds = [], []
    waiting = list(reversed(list(layer.rootPrims)))
    seen = 0
    while waiting:
        prim = waiting.pop()
        seen += 1
        if seen > _MAX_PRIMS:
            raise FileFormatError(f"The USD file has more than {_MAX_PRIMS:,} prims: {path}")
        if prim.typeName == "SkelAnimation" and "blendShapeWeights" in prim.attributes:
            animations.append(prim)
        if prim.typeName == "SpatialAudio":
            sounds.append(prim)
        waiting += reversed(list(prim.nameChildren))
    if not animations:
        raise FileFormatError(f"There is no animation of ARKit's shapes in this USD file: {path}")
    if len(animations) > 1:
        note(notes, f"Of its animations {animations[0].name} is taken: {path}")
    return animations[0], sounds[0] if sounds else None


def _words(layer: Any, path: str | os.PathLike[str]) -> dict[str, Any] | None:
    text = layer.customLayerData.get("polyorama")
    if text is None:
        return None
    if not isinstance(text, str) or len(text) > _MAX_WORDS:
        raise FieldError("provenance is no text")
    return object_of(parse_json(text.encode("utf-8", "replace"), path, "Its provenance"), "words")


def _value(layer: Any, prim: Any, name: str) -> Any:
    """The value of an attribute that does not change, or at its first time."""
    attribute = prim.attributes.get(name)
    if attribute is None:
        return None
    times = layer.ListTimeSamplesForPath(attribute.path)
    return layer.QueryTimeSample(attribute.path, times[0]) if times else attribute.default


def _samples(
    layer: Any, prim: Any, name: str, path: str | os.PathLike[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n,) time codes and (n, ...) values of an attribute."""
    attribute = prim.attributes[name].path
    codes = layer.ListTimeSamplesForPath(attribute)
    if len(codes) > MAX_FRAMES:
        raise FileFormatError(f"The take has more than {MAX_FRAMES:,} frames: {path}")
    values = [layer.QueryTimeSample(attribute, code) for code in codes]
    if not codes:
        codes, values = [0.0], [prim.attributes[name].default]
    try:
        rows = [_array(value) for value in values]
        stacked = np.stack(rows).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise FieldError(f"{name} are not as many at each time, or no numbers") from error
    if stacked.ndim < 2 or not np.isfinite(stacked).all():
        raise FieldError(f"{name} are not finite")
    return np.array(codes, np.float64), stacked


def _array(value: Any) -> NDArray[np.float64]:
    if value is None:
        raise TypeError
    if len(value) and hasattr(value[0], "imaginary"):
        quats = [(*quat.imaginary, quat.real) for quat in value]
        return np.array(quats, np.float64)
    return np.array(value, np.float64)


def _head(
    layer: Any,
    animation: Any,
    codes: NDArray[np.float64],
    words: dict[str, Any],
    path: str | os.PathLike[str],
) -> dict[str, NDArray[np.float64]]:
    """Yaw, pitch and roll at time codes, of a file that this program wrote."""
    if "headMat" in words:
        rows = np.array(numbers_of(words["headMat"], (len(codes), 3), "headMat"), np.float64)
        return {name: rows[:, i] for i, name in enumerate(HEAD)}
    joints = [
        str(j).rpartition("/")[2].casefold() for j in _value(layer, animation, "joints") or ()
    ]
    if "head" not in joints or "rotations" not in animation.attributes:
        raise FieldError("head has no rotations")
    times, quats = _samples(layer, animation, "rotations", path)
    if quats.shape[1:] != (len(joints), 4):
        raise FieldError("rotations are not one a joint")
    mine = quats[:, joints.index("head")]
    if (np.linalg.norm(mine, axis=1) < 1e-6).any():
        raise FieldError("rotations have one of length 0")
    turns = np.array(numbers_of(words.get("headTurns"), (3, 3), "headTurns"), np.float64)
    angles = head_weights(vectors_of(mine), turns)
    if angles is None:
        raise FieldError("headTurns do not tell yaw, pitch and roll apart")
    return {name: np.interp(codes, times, angles[:, i]) for i, name in enumerate(HEAD)}


def _audio(
    layer: Any, prim: Any | None, rate: float, path: str | os.PathLike[str],
    notes: list[str] | None,
) -> Audio | None:  # fmt: skip
    asset = None if prim is None else _value(layer, prim, "filePath")
    if asset is None or not asset.path:
        return None
    name = asset.path.removeprefix("./")
    try:
        sound = read_audio(inside(Path(path).parent, name, path))
    except FileFormatError as error:
        note(notes, f"The sound is left out. {error}")
        return None
    start = _value(layer, prim, "startTime")
    return replace(sound, start=0.0 if start is None else float(start.GetValue()) / rate)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
