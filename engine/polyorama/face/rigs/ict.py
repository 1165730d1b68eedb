"""ICT-FaceKit, as the packed `.npz` of its light version and as its folder of OBJ files."""

from __future__ import annotations

import json
import math
import re
import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.rigs.building import MAX_VERTICES, Plan, built, check_counts
from polyorama.face.rigs.names import joined_shapes
from polyorama.face.rigs.obj import obj_faces, obj_vertices
from polyorama.face.rigs.parts import TURN, components, sphere_of
from polyorama.face.rigs.seal import with_seal
from polyorama.io.content_npz import npy_header
from polyorama.io.files import file_size, reading
from polyorama.io.limits import check_expansion, read_bytes
from polyorama.scene.mesh import Mesh

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["ict_folder_rig", "ict_rig", "is_ict"]

_COUNT = 26_719
_CREDIT = "ICT-FaceKit, (c) 2020 USC Institute for Creative Technologies, MIT"
_SKIN = (0, 14_062)
_TONGUE_GUMS, _TONGUE = (14_062, 17_039), 16_222
_UPPER_TEETH, _LOWER_TEETH = (17_039, 19_247), (19_247, 21_451)
_LEFT_EYE, _RIGHT_EYE = (21_451, 23_021), (23_021, 24_591)
# Films of tears, shades and cards of lashes: without glass and textures they would be crusts.
_FILMS = 24_591
_LIDS = {"upperLidLeft": (43, 44), "lowerLidLeft": (47, 46),
         "upperLidRight": (37, 38), "lowerLidRight": (41, 40)}  # fmt: skip
"""Numbers of the 68 landmarks, each pair from the face's right to its left."""

_ARRAYS = {
    "base": (2, "f"), "tri": (2, "u"), "expr_names": (1, "U"), "expr_idx": (1, "u"),
    "expr_q": (2, "i"), "expr_off": (1, "i"), "expr_scale": (1, "f"), "id_q": (3, "i"),
    "id_scale": (1, "f"), "vertex_indices_json": (0, "U"),
}  # fmt: skip
_NEUTRAL = "generic_neutral_mesh.obj"
_MAX_ARRAYS = 256 << 20
_MAX_WORDS = 16 << 20


def is_ict(path: str | os.PathLike[str]) -> bool:
    """Whether a file is the packed light version."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"base.npy", "expr_q.npy", "expr_off.npy"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def ict_rig(path: str | os.PathLike[str], *, identity: Sequence[float] = ()) -> MorphRig:
    """Read the packed light version of ICT-FaceKit, its lips mended to close.

    Parameters
    ----------
    path
        An `.npz` with `base`, `tri`, `expr_names`, `expr_off`, `expr_idx`, `expr_q`, `expr_scale`,
        `id_q`, `id_scale` and `vertex_indices_json`.
    identity
        Weights of its modes of identity, 24 at most, in standard deviations.

    Returns
    -------
    The rig, cm.

    Raises
    ------
    FileFormatError
        If it is no such file, damaged or too large.
    UsageError
        If there are more weights than modes, or they are not finite.
    """
    source = Path(path)
    arrays = _arrays(source)
    try:
        rig = _packed(arrays, identity, source)
        return with_seal(rig) if "jawOpen" in rig.channels else rig
    except (IndexError, ValueError, KeyError, TypeError) as error:
        raise FileFormatError(
            f"The arrays of the ICT rig do not fit together; download it again: {source}"
        ) from error


def ict_folder_rig(folder: str | os.PathLike[str], *, identity: Sequence[float] = ()) -> MorphRig:
    """Read the folder of ICT-FaceKit's model: a neutral OBJ and one for every expression.

    Parameters
    ----------
    folder
        Where `generic_neutral_mesh.obj`, the expressions such as `jawOpen.obj`, the modes
        `identity000.obj` ... and `vertex_indices.json` lie; the last two may be missing.
    identity
        Weights of the modes of identity.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged, too large, or has other vertices than the neutral one.
    UsageError
        If there are more weights than modes, or they are not finite.
    """
    home = Path(folder)
    neutral = home / _NEUTRAL
    base = obj_vertices(neutral)
    faces = obj_faces(neutral, len(base))
    with reading(home):
        others = sorted(p for p in home.glob("*.obj") if p.name != _NEUTRAL)
    modes = [p for p in others if re.fullmatch(r"identity\d+", p.stem)]
    expressions = [p for p in others if not re.fullmatch(r"identity\d+", p.stem)]
    check_counts(len(base), len(expressions), home)
    weights = _weights(identity, len(modes))
    rest = base.copy()
    for weight, mode in zip(weights, modes, strict=False):
        rest += weight * (_same(obj_vertices(mode), base, mode) - base)
    shapes = [(p.stem, _same(obj_vertices(p), base, p) - base) for p in expressions]
    landmarks: list[int] = []
    words = home / "vertex_indices.json"
    if words.is_file():
        landmarks = _landmarks(read_bytes(words, _MAX_WORDS), words)
    rig = _rig(rest, faces, shapes, landmarks, home)
    return with_seal(rig) if "jawOpen" in rig.channels else rig


def _same(
    vertices: NDArray[np.float32], base: NDArray[np.float32], path: Path
) -> NDArray[np.float32]:
    if vertices.shape != base.shape:
        raise FileFormatError(
            f"The shape has {len(vertices):,} vertices, the neutral head {len(base):,}: {path}"
        )
    return vertices


# --- the packed file -------------------------------------------------------------------------


def _arrays(source: Path) -> dict[str, NDArray[Any]]:
    size = file_size(source)
    arrays: dict[str, NDArray[Any]] = {}
    with reading(source):
        try:
            with zipfile.ZipFile(source) as archive:
                infos = {i.filename.removesuffix(".npy"): i for i in archive.infolist()}
                claimed = sum(i.file_size for i in infos.values())
                check_expansion(claimed, size, source)
                if claimed > _MAX_ARRAYS:
                    raise FileFormatError(
                        f"The arrays of the ICT rig take {claimed:,} bytes, too many: {source}"
                    )
                for name, (sides, kind) in _ARRAYS.items():
                    if name not in infos:
                        raise FileFormatError(f"The ICT rig has no array {name!r}: {source}")
                    with archive.open(infos[name]) as file:
                        arrays[name] = _array(file, infos[name].file_size, source)
                    if arrays[name].ndim != sides or arrays[name].dtype.kind != kind:
                        raise FileFormatError(
                            f"The array {name!r} of the ICT rig is of a wrong kind: {source}"
                        )
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise FileFormatError(f"The archive is damaged; download it again: {source}") from error
    return arrays


def _array(file: IO[bytes], size: int, source: Path) -> NDArray[Any]:
    """A plain `.npy` array, text included; its header is held against the bytes that are there."""
    try:
        shape, fortran, dtype = npy_header(file)
        count = math.prod(shape)
        if dtype.hasobject or fortran or not 0 <= count * dtype.itemsize <= size:
            raise ValueError
        return np.frombuffer(file.read(count * dtype.itemsize), dtype).reshape(shape)
    except ValueError as error:
        raise FileFormatError(f"An array of the rig is damaged; get it again: {source}") from error


def _packed(arrays: dict[str, NDArray[Any]], identity: Sequence[float], source: Path) -> MorphRig:
    base, names = arrays["base"], [str(name) for name in arrays["expr_names"]]
    check_counts(len(base), len(names), source)
    modes, steps = arrays["id_q"], arrays["id_scale"]
    rest = base.astype(np.float32)
    for weight, mode, step in zip(_weights(identity, len(modes)), modes, steps, strict=False):
        rest = rest + np.float32(weight * step) * mode
    starts = arrays["expr_off"]
    shapes = []
    for at, name in enumerate(names):
        part = slice(int(starts[at]), int(starts[at + 1]))
        dense = np.zeros_like(rest)
        dense[arrays["expr_idx"][part]] = arrays["expr_q"][part] * arrays["expr_scale"][at]
        shapes.append((name, dense))
    landmarks = _landmarks(str(arrays["vertex_indices_json"][()]), source)
    return _rig(rest, arrays["tri"].astype(np.int64), shapes, landmarks, source)


def _weights(identity: Sequence[float], modes: int) -> list[float]:
    weights = [float(weight) for weight in identity]
    if len(weights) > modes:
        raise UsageError(f"The ICT rig has {modes} modes of identity, not {len(weights)}.")
    if not np.isfinite(weights).all():
        raise UsageError("Weights of identity are finite numbers.")
    return weights


def _landmarks(text: str | bytes, source: Path) -> list[int]:
    try:
        found = json.loads(text)["idx_to_landmark_verts"]
        if all(type(number) is int and 0 <= number < MAX_VERTICES for number in found):
            return list(found)
        raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(
            f"The landmarks of the ICT rig cannot be read; get them again: {source}"
        ) from error


# --- both ------------------------------------------------------------------------------------


def _rig(
    rest: NDArray[np.float32],
    triangles: NDArray[np.int64],
    given: list[tuple[str, NDArray[np.float32]]],
    landmarks: list[int],
    source: Path,
) -> MorphRig:
    rest = (rest * TURN).astype(np.float32)
    shapes = joined_shapes((n, (d * TURN).astype(np.float32)) for n, d in given)
    if "jawOpen" not in shapes and len(rest) == _COUNT:
        raise FileFormatError(
            f"The shapes of the ICT rig do not fit together, its jaw moves nothing; get it again: "
            f"{source}"
        )
    if len(rest) != _COUNT:
        mesh = Mesh(rest, triangles.astype(np.int32), name=source.stem)
        return built(Plan(mesh=mesh, shapes=shapes, name=source.stem, credit=_CREDIT))
    tongue, gums = _tongue(shapes["jawOpen"])
    shapes["tongueOut"] = _tongue_out(rest, tongue)
    colors, kept = _look(rest, triangles, tongue, gums)
    mesh = Mesh(rest, triangles[kept].astype(np.int32), colors=colors, name="ICT-FaceKit")
    places = {}
    if len(landmarks) == 68 and max(landmarks) < len(rest):
        places = {name: np.array(landmarks)[list(ids)] for name, ids in _LIDS.items()}
    regions = {
        "skin": np.arange(*_SKIN), "upperTeeth": np.arange(*_UPPER_TEETH),
        "lowerTeeth": np.arange(*_LOWER_TEETH), "tongue": tongue,
    }  # fmt: skip
    chin = float(rest[landmarks[8], 1]) if places else float(np.quantile(rest[:, 1], 0.8))
    plan = Plan(
        mesh=mesh, shapes=shapes, left_eye=np.arange(*_LEFT_EYE), right_eye=np.arange(*_RIGHT_EYE),
        chin=chin, neck=float(rest[:, 1].max()), regions=regions, landmarks=places,
        name="ICT-FaceKit", credit=_CREDIT,
    )  # fmt: skip
    return built(plan)


def _tongue(
    jaw: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Vertices of the tongue, and of the gums, which are one piece.

    The tongue comes last; of that, what the jaw moves is not the throat behind it.
    """
    ids = np.arange(*_TONGUE_GUMS)
    tongue = (ids >= _TONGUE) & (jaw[ids, 1] > 0.07 * jaw[:, 1].max())
    return ids[tongue], ids[~tongue]


def _tongue_out(rest: NDArray[np.float32], tongue: NDArray[np.int64]) -> NDArray[np.float32]:
    """A tongue stuck out: its tip goes far, over the lower teeth and down, its root stays."""
    offsets = np.zeros_like(rest)
    z = rest[tongue, 2]
    share = (z - z.min()) / max(float(np.ptp(z)), 1e-6)
    share = share * share * (3.0 - 2.0 * share)
    reach = 0.75 * float(np.ptp(z))
    offsets[tongue, 2] = reach * share
    # First up over the teeth, then the outer part hangs down.
    lift = -0.9 * share + 1.6 * np.clip(share - 0.55, 0.0, None) ** 1.5
    offsets[tongue, 1] = lift
    return offsets


def _look(
    rest: NDArray[np.float32],
    triangles: NDArray[np.int64],
    tongue: NDArray[np.int64],
    gums: NDArray[np.int64],
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """(V, 3) display colours, and which triangles are shown."""
    colors = np.empty((len(rest), 3), np.float32)
    colors[:] = (0.80, 0.60, 0.50)
    colors[gums], colors[tongue] = (0.62, 0.30, 0.30), (0.72, 0.36, 0.36)
    colors[_UPPER_TEETH[0] : _LOWER_TEETH[1]] = (0.93, 0.90, 0.83)
    kept = (triangles < _FILMS).all(axis=1)
    for first, last in (_LEFT_EYE, _RIGHT_EYE):
        ids = np.arange(first, last)
        centre, _ = sphere_of(rest[ids])
        ahead = rest[ids] - centre
        angle = np.arctan2(np.hypot(ahead[:, 0], ahead[:, 1]), ahead[:, 2])
        colors[ids] = (0.93, 0.92, 0.90)
        colors[ids[angle < 0.46]] = (0.30, 0.22, 0.15)
        colors[ids[angle < 0.19]] = (0.03, 0.03, 0.03)
        # The cornea is glass before the iris: its piece reaches farther forward.
        pieces = components(triangles, len(rest))[ids]
        outer = max(set(pieces.tolist()), key=lambda p: float(rest[ids[pieces == p], 2].max()))
        glass = np.zeros(len(rest), bool)
        glass[ids[(pieces == outer) & (angle < 0.5)]] = True
        kept &= ~glass[triangles].any(axis=1)
    return colors, np.asarray(kept, np.bool_)
