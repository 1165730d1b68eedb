"""Layouts of data sets: where clips lie, whose they are, what they feel.

After what is known of each set from those who use it; columns and rates that nobody documents are
named beside the lines.
"""

from __future__ import annotations

import functools
import json
import math
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.text import quoted, reason_of
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.data.clips import (
    ClipData,
    ClipSource,
    check_emotion,
    check_length,
    checked_rows,
    emotion_in,
    finite,
    found_files,
    load_array,
    sound_beside,
    speech_of,
)
from polyorama.face.data.pickles import plain_data
from polyorama.io.content_npz import npy_header
from polyorama.io.files import named
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["LAYOUTS", "beat", "beat2", "live_link", "mead3d", "open_data", "ravdess", "vocaset"]

_MOST_PICKLE = 3 << 30
_MOST_JSON = 128 << 20
_MOST_NPZ = 2 << 30


def open_data(folder: Path, layout: str = "") -> tuple[ClipSource, ...]:
    """Clips of a folder.

    Parameters
    ----------
    folder
        The data set.
    layout
        One of `LAYOUTS`, or "" to find out.

    Raises
    ------
    UsageError
        If there is no such layout.
    FileFormatError
        If it is no folder, or holds no clip of a layout.
    """
    if layout and layout not in LAYOUTS:
        raise UsageError(f"Layouts of faces are {', '.join(LAYOUTS)}; there is no {layout!r}.")
    place = named(folder)
    if not place.is_dir():
        raise FileFormatError(f"There is no such folder of clips: {place}")
    for name in [layout] if layout else LAYOUTS:
        clips = LAYOUTS[name](place)
        if clips:
            return clips
    raise FileFormatError(
        f"No clip in a layout that is known ({layout or ', '.join(LAYOUTS)}) lies here: {place}"
    )


# -- VOCASET ---------------------------------------------------------------------------------------


def vocaset(folder: Path) -> tuple[ClipSource, ...]:
    """VOCASET: the processed form (vertices_npy, wav, templates.pkl), else the original one.

    Sixty rows a second; subjects are FaceTalk_*_TA. Vertices become channels through a rig.
    """
    if (folder / "vertices_npy").is_dir():
        templates = functools.cache(lambda: _templates(folder))
        return tuple(
            ClipSource(
                path.stem, path.stem.rpartition("_")[0], "vertices",
                functools.partial(_read_vertices, path, folder / "wav", templates),
            )
            for path in found_files(folder / "vertices_npy", "*.npy")
        )  # fmt: skip
    if not (folder / "data_verts.npy").is_file():
        return ()
    index = plain_data(folder / "subj_seq_to_idx.pkl", _MOST_PICKLE)
    templates = functools.cache(lambda: _templates(folder))
    sounds = functools.cache(lambda: plain_data(folder / "raw_audio_fixed.pkl", _MOST_PICKLE))
    try:
        return tuple(
            ClipSource(
                f"{person}_{clip}", str(person), "vertices",
                functools.partial(
                    _read_vocaset, folder, str(person), str(clip), dict(rows), templates, sounds
                ),
            )
            for person, clips in sorted(index.items())
            for clip, rows in sorted(clips.items())
        )  # fmt: skip
    except (AttributeError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"The index of VOCASET is not such as it is known: {folder}"
        ) from error


def _templates(folder: Path) -> dict[str, NDArray[np.float32]]:
    path = folder / "templates.pkl"
    found = plain_data(path, _MOST_PICKLE)
    if not isinstance(found, dict):
        raise FileFormatError(f"This holds no faces at rest by name: {path}")
    return {
        str(name): finite(checked_rows(np.asarray(face), (None, 3), path), path)
        for name, face in found.items()
    }


def _at_rest(
    templates: Callable[[], dict[str, NDArray[np.float32]]], person: str, count: int, where: Path
) -> NDArray[np.float32]:
    face = templates().get(person)
    if face is None or len(face) != count:
        raise FileFormatError(f"There is no face at rest of {quoted(person)}: {where}")
    return face


def _read_vertices(
    path: Path, sounds: Path, templates: Callable[[], dict[str, NDArray[np.float32]]]
) -> ClipData:
    rows = finite(load_array(path, (None, None)), path)
    if rows.shape[1] % 3:
        raise FileFormatError(f"Rows of {rows.shape[1]} values are no vertices: {path}")
    vertices = rows.reshape(len(rows), -1, 3)
    rest = _at_rest(templates, path.stem.rpartition("_")[0], vertices.shape[1], path)
    return ClipData(_needed_sound(path, sounds), vertices - rest, 60.0)


def _read_vocaset(
    folder: Path, person: str, clip: str, rows: dict[Any, Any],
    templates: Callable[[], dict[str, NDArray[np.float32]]], sounds: Callable[[], Any],
) -> ClipData:  # fmt: skip
    from polyorama.face.speech.sound import speech_samples
    from polyorama.scene.contents import Audio

    path = folder / "data_verts.npy"
    vertices = load_array(path, (None, None, 3))
    try:
        order = np.array([int(rows[k]) for k in sorted(rows)], np.int64)
        sound = sounds()[person][clip]
        samples, rate = np.asarray(sound["audio"]), int(sound["sample_rate"])
        if not len(order) or order.min() < 0 or order.max() >= len(vertices):
            raise ValueError("rows that are not there")
        if samples.ndim != 1 or samples.dtype.kind not in "if" or not 4000 <= rate <= 200_000:
            raise ValueError("no sound")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(
            f"The clip {quoted(f'{person} {clip}')} is not whole ({reason_of(error)}): {folder}"
        ) from error
    check_length(len(order), 3 * vertices.shape[1], path)
    scale = 1.0 if samples.dtype.kind == "f" else 1.0 / (np.iinfo(samples.dtype).max + 1.0)
    audio = Audio(samples=(samples * scale).astype(np.float32)[:, None], rate=rate)
    taken = finite(vertices[order], path)
    rest = _at_rest(templates, person, taken.shape[1], folder)
    return ClipData(speech_samples(audio), taken - rest, 60.0)


# -- BEAT and BEAT2 --------------------------------------------------------------------------------


def beat2(folder: Path) -> tuple[ClipSource, ...]:
    """BEAT2: smplxflame_30/*.npz with poses (T, 165) and expressions (T, 100), wave16k/*.wav."""
    return tuple(
        ClipSource(
            path.stem, _beat_person(path), "flame",
            functools.partial(_read_beat2, path, folder / "wave16k"),
        )
        for path in found_files(folder, "smplx*/*.npz")
    )  # fmt: skip


def _read_beat2(path: Path, sounds: Path) -> ClipData:
    arrays = _npz(path, ("poses", "expressions"))
    poses = checked_rows(arrays["poses"], (None, 165), path)
    faces = checked_rows(arrays["expressions"], (len(poses), None), path)
    if faces.shape[1] < 50:
        raise FileFormatError(f"Faces of fewer than 50 expressions are not FLAME's: {path}")
    # The jaw's rotation vector is joint 22 of SMPL-X.
    rows = np.concatenate([faces[:, :50], poses[:, 66:69]], axis=1)
    return ClipData(_needed_sound(path, sounds), finite(rows, path), 30.0)


def beat(folder: Path) -> tuple[ClipSource, ...]:
    """BEAT: facial52/*.json (or *.json beside sounds), names of ARKit's shapes and frames."""
    return tuple(
        ClipSource(
            path.stem, _beat_person(path), "arkit",
            functools.partial(_read_beat, path, folder / "wave16k"),
        )
        for path in found_files(folder, "*.json")
        if path.parent.name == "facial52" or sound_beside(path) is not None
    )  # fmt: skip


def _beat_person(path: Path) -> str:
    """2 and scott of 2_scott_0_1_1: number and name."""
    return "_".join(path.stem.split("_")[:2])


def _read_beat(path: Path, sounds: Path) -> ClipData:
    try:
        found = json.loads(read_bytes(path, _MOST_JSON))
        names = [str(name) for name in found["names"]]
        rows = np.array([frame["weights"] for frame in found["frames"]], np.float64)
        times = np.array([float(frame["time"]) for frame in found["frames"]])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FileFormatError(f"This is no face of BEAT ({reason_of(error)}): {path}") from error
    checked_rows(rows, (None, len(names)), path)
    return ClipData(
        _needed_sound(path, sounds),
        _channels(names, finite(rows, path), path),
        _rate_of(times, path),
    )


def _rate_of(times: NDArray[np.float64], where: Path) -> float:
    """Frames a second of times in s; of a single frame BEAT's own 60."""
    typical = float(np.median(np.diff(times))) if len(times) > 1 else 1.0 / 60.0
    if not 1.0 / 500.0 < typical < 1.0:
        raise FileFormatError(f"The times of its frames do not go on, or not in seconds: {where}")
    return 1.0 / typical


def _channels(names: list[str], rows: NDArray[np.float32], where: Path) -> NDArray[np.float32]:
    """(T, 55): columns by name; what is not named rests."""
    lower = {name.lower(): at for name, at in CHANNEL_INDEX.items()}
    motion = np.zeros((len(rows), len(CHANNELS)), np.float32)
    known = 0
    for column, name in enumerate(names):
        at = lower.get(name.lower().replace("_l", "left").replace("_r", "right"))
        if at is None:
            at = lower.get(name.lower())
        if at is not None:
            motion[:, at] = rows[:, column]
            known += 1
    if not known:
        raise FileFormatError(f"None of the columns is a shape of ARKit: {where}")
    return motion


# -- MEAD-3D ---------------------------------------------------------------------------------------


def mead3d(folder: Path) -> tuple[ClipSource, ...]:
    """MEAD-3D: SPEAKER/video/ANGLE/EMOTION/level_N/NNN.npy, a dictionary with verts (N, 5023, 3).

    Sound lies in SPEAKER/audio/EMOTION/level_N/NNN, as MEAD has it. Of its three levels the first
    is our first, the others our second; contempt, which no group of ours is like, is left out.
    The rate of 25 rows a second is taken from those who process it.
    """
    result = []
    for path in found_files(folder, "*/video/*/*/level_*/*.npy"):
        level_folder, emotion_folder = path.parent, path.parent.parent
        found = emotion_in([emotion_folder.name])
        number = level_folder.name.rpartition("_")[2]
        if found is None or number not in ("1", "2", "3"):
            continue
        speaker = emotion_folder.parent.parent.parent
        emotion, level = check_emotion(found[0], 1 if number == "1" else 2, path)
        sounds = speaker / "audio" / emotion_folder.name / level_folder.name
        name = f"{speaker.name} {emotion_folder.name} {level_folder.name} {path.stem}"
        read = functools.partial(_read_mead3d, path, sounds)
        result.append(ClipSource(name, speaker.name, "vertices", read, emotion, level))
    return tuple(result)


def _read_mead3d(path: Path, sounds: Path) -> ClipData:
    found = plain_data(path, _MOST_PICKLE)
    if not isinstance(found, dict) or "verts" not in found:
        raise FileFormatError(f"This is no clip of MEAD-3D, since it holds no verts: {path}")
    verts = finite(checked_rows(np.asarray(found["verts"]), (None, None, 3), path), path)
    # Nobody's face at rest comes along: that of the clip's start stands in.
    return ClipData(_needed_sound(path, sounds), verts - verts[0], 25.0)


# -- RAVDESS-like ----------------------------------------------------------------------------------


def ravdess(folder: Path) -> tuple[ClipSource, ...]:
    """RAVDESS's names, MM-VC-EM-IN-ST-RP-AA, of sounds with motion of the same name beside them.

    Motion is a CSV of Live Link, or an NPZ with weights (T, 52 or 55) or exp (T, 50 or more) and
    jaw (T, 3), and fps.
    """
    result = []
    for path in (*found_files(folder, "*.csv"), *found_files(folder, "*.npz")):
        parts = path.stem.split("-")
        if len(parts) != 7 or not all(part.isdigit() and len(part) == 2 for part in parts):
            continue
        emotion, level = check_emotion(int(parts[2]) - 1, int(parts[3]), path)
        target = "arkit"
        if path.suffix == ".npz":
            target = "flame" if "exp" in _npz_names(path) else "arkit"
        read = functools.partial(_read_beside, path)
        result.append(ClipSource(path.stem, f"Actor_{parts[6]}", target, read, emotion, level))
    return tuple(result)


def _read_beside(path: Path) -> ClipData:
    if path.suffix == ".csv":
        return _read_live_link(path)
    names = _npz_names(path)
    wanted = ("exp", "jaw", "fps") if "exp" in names else ("weights", "fps")
    arrays = _npz(path, wanted)
    fps = np.asarray(arrays["fps"], np.float64).ravel()
    if len(fps) != 1 or not 1.0 <= fps[0] <= 500.0:
        raise FileFormatError(f"The rate of its rows is not given as one number: {path}")
    if "exp" in names:
        jaw = checked_rows(arrays["jaw"], (None, 3), path)
        exp = checked_rows(arrays["exp"], (len(jaw), None), path)
        if exp.shape[1] < 50:
            raise FileFormatError(f"Faces of fewer than 50 expressions are not FLAME's: {path}")
        rows = np.concatenate([exp[:, :50], jaw], axis=1)
    else:
        rows = checked_rows(arrays["weights"], (None, None), path)
        if rows.shape[1] not in (len(CHANNELS) - 3, len(CHANNELS)):
            raise FileFormatError(f"Weights are of 52 shapes or 55 channels: {path}")
        rows = np.pad(rows, ((0, 0), (0, len(CHANNELS) - rows.shape[1])))
    return ClipData(_needed_sound(path), finite(rows, path), float(fps[0]))


# -- Live Link -------------------------------------------------------------------------------------


def live_link(folder: Path) -> tuple[ClipSource, ...]:
    """Takes of Live Link Face: *.csv with a sound or film of the same name beside each.

    A file or folder whose name says a feeling (happy, angry_2) is taken by its word. The face is
    the folder's.
    """
    result = []
    for path in found_files(folder, "*.csv"):
        if sound_beside(path) is None:
            continue
        emotion, level = emotion_in([path.stem, path.parent.name]) or (0, 1)
        read = functools.partial(_read_live_link, path)
        result.append(ClipSource(path.stem, folder.resolve().name, "arkit", read, emotion, level))
    return tuple(result)


def _read_live_link(path: Path) -> ClipData:
    from polyorama.face.exports.live_link_csv import read_live_link_csv

    performance = read_live_link_csv(path).performance
    return ClipData(
        _needed_sound(path), finite(np.asarray(performance.weights), path), performance.fps
    )


# -- shared ----------------------------------------------------------------------------------------


def _needed_sound(path: Path, *folders: Path) -> NDArray[np.float32]:
    sound = sound_beside(path, *folders)
    if sound is None:
        raise FileFormatError(f"The sound of this clip is missing; put it beside it: {path}")
    return speech_of(sound)


def _npz_names(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return [info.filename.removesuffix(".npy") for info in archive.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise FileFormatError(f"This is no NPZ, or it is damaged: {path}") from error


def _npz(path: Path, wanted: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Arrays of an NPZ by name, 2 GiB together at most; each says no more than it unpacks to."""
    names = _npz_names(path)
    missing = [name for name in wanted if name not in names]
    if missing:
        raise FileFormatError(f"The NPZ lacks {', '.join(missing)}: {path}")
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {name: archive.getinfo(f"{name}.npy").file_size for name in wanted}
            if sum(sizes.values()) > _MOST_NPZ:
                raise FileFormatError(f"The arrays of this NPZ are too large to be a clip: {path}")
            return {name: _member(archive, name, size) for name, size in sizes.items()}
    except (
        zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, EOFError, TypeError,
        RuntimeError,
    ) as error:  # fmt: skip
        raise FileFormatError(f"The NPZ is damaged ({reason_of(error)}): {path}") from error


def _member(archive: zipfile.ZipFile, name: str, size: int) -> NDArray[Any]:
    """An array of an archive, whose header is held against its size before memory is taken."""
    with archive.open(f"{name}.npy") as file:
        shape, _, dtype = npy_header(file)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its array {name} claims more than it holds")
    with archive.open(f"{name}.npy") as file:
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


LAYOUTS: dict[str, Callable[[Path], tuple[ClipSource, ...]]] = {
    "vocaset": vocaset, "beat2": beat2, "mead3d": mead3d, "ravdess": ravdess, "beat": beat,
    "live-link": live_link,
}  # fmt: skip
"""Loaders by name, in the order in which they are tried."""
